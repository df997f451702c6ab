"""Which items a run asks: cultures, and a limit that is spread evenly and drawn by the seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.api import load_run
from folkways.benchmarks.base import needs_whole_questions
from folkways.benchmarks.registry import expand_tasks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError, FolkwaysWarning, UnknownNameError
from folkways.releases.release_records import Release
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import Plan, config_of, item_batches, select_items
from folkways.runs.planning.tasks import plan_tasks
from tests.support.command_line import folkways


def items(per_culture: dict[str, int], items_of_a_question: int = 1) -> pl.DataFrame:
    rows = [
        {"item": f"{culture}/{question}/{part}", "question": f"q{question}", "culture": culture}
        for culture, questions in per_culture.items()
        for question in range(questions)
        for part in range(items_of_a_question)
    ]
    return pl.DataFrame(rows)


def options(**chosen: object) -> RunOptions:
    return RunOptions(tasks=("test",), **chosen)  # type: ignore[arg-type]


def test_without_options_all_items_in_their_order() -> None:
    everything = items({"KR": 3, "ET": 2})
    assert select_items(everything, options()).equals(everything)


@given(
    sizes=st.fixed_dictionaries(
        {"KR": st.integers(1, 20), "ET": st.integers(1, 20), "MX": st.integers(1, 20)}
    ),
    limit=st.integers(1, 60),
    seed=st.integers(0, 1000),
)
def test_a_limit_is_met_exactly_and_spread_evenly(sizes: dict[str, int], limit: int, seed: int) -> None:
    everything = items(sizes)
    chosen = select_items(everything, options(limit=limit, seed=seed))
    assert chosen.height == min(limit, everything.height)
    assert chosen.equals(everything.filter(pl.col("item").is_in(chosen["item"].implode())))
    taken = {culture: chosen.filter(pl.col("culture") == culture).height for culture in sizes}
    for poor in sizes:
        for rich in sizes:
            assert taken[poor] == sizes[poor] or taken[rich] <= taken[poor] + 1


def test_the_draw_depends_on_the_seed_alone() -> None:
    everything = items({"KR": 50})
    first = select_items(everything, options(limit=10, seed=1))
    assert first.equals(select_items(everything, options(limit=10, seed=1)))
    assert not first.equals(select_items(everything, options(limit=10, seed=2)))
    smaller = select_items(everything, options(limit=5, seed=1))
    assert set(smaller["item"]) < set(first["item"])


@given(limit=st.integers(1, 50))
def test_whole_questions_are_never_taken_apart(limit: int) -> None:
    everything = items({"KR": 6, "ET": 6}, items_of_a_question=4)
    chosen = select_items(everything, options(limit=limit), whole_questions=True)
    sizes = chosen.group_by("culture", "question").len()["len"].to_list()
    assert set(sizes) <= {4}
    assert chosen.height == 4 * min(limit, 12)


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize(
    "chosen", [{}, {"limit": 9}, {"cultures": ("KR", "MX")}, {"cultures": ("KR",), "limit": 2}]
)
def test_items_are_chosen_from_all_batches_of_a_release(parts: int, chosen: dict[str, Any]) -> None:
    mcq = get_task("demo/mcq")
    release = open_release(mcq.release, mcq.benchmark)
    everything = mcq.items(release)
    size = -(-everything.height // parts)
    read: list[int] = []

    class InParts(type(mcq)):  # type: ignore[misc]
        def item_batches(self, release: Release) -> Iterator[pl.DataFrame]:
            for batch in self.items(release).iter_slices(size):
                read.append(batch.height)
                yield batch

    batches = list(item_batches(InParts(), release, options(**chosen)))
    assert pl.concat(batches).equals(select_items(everything, options(**chosen)))
    assert all(1 <= batch.height <= size for batch in batches)
    assert len(read) == (parts if parts == 1 or not chosen else 2 * parts), "a single batch is read once"


def test_a_limit_counts_questions_of_every_task(tmp_path: Path) -> None:
    done = folkways("run", "demo", "--limit", "1", "--model", "baseline/first", "-w", tmp_path / "w.db")
    assert done.returncode == 0, done.stderr
    asked = load_run("last", tmp_path / "w.db").responses().group_by("task").agg(pl.col("item").n_unique())
    assert dict(asked.rows()) == {
        task.name: 4 if needs_whole_questions(task) else 1 for task in expand_tasks(["demo"])
    }


def test_cultures_by_alias_and_by_parent() -> None:
    everything = items({"KR": 1, "NG-N": 1, "IN-AS": 1})
    chosen = select_items(everything, options(cultures=("South Korea", "NG")))
    assert chosen["culture"].to_list() == ["KR", "NG-N"]
    with pytest.raises(FolkwaysError, match="IN-AS"):
        select_items(everything, options(cultures=("FR",)))


def test_each_task_is_asked_about_those_of_the_cultures_that_it_has() -> None:
    planned = plan_tasks(RunOptions(tasks=("demo",), cultures=("KR", "United States", "ANGLO")))
    asked = {plan.task.name: plan.options.cultures for plan in planned}
    assert asked["demo/saq"] == ("KR", "US")
    assert asked["demo/identification"] == ("ANGLO",)
    assert all(next(plan.prompts()).height for plan in planned)


@pytest.mark.parametrize("task", ["demo/saq", "demo/saq?limit=3", "demo/saq?{option}={backwards}"])
@pytest.mark.parametrize(
    ("option", "names"),
    [("cultures", ("KR", "ET", "US")), ("languages", ("local", "en")), ("variants", ("plain", "brief"))],
)
def test_the_order_of_choices_makes_no_other_run(task: str, option: str, names: tuple[str, ...]) -> None:
    configs = []
    for chosen in (names, names[::-1], (*names, names[0])):
        own = task.format(option=option, backwards=",".join(chosen))
        choices: dict[str, Any] = {} if own != task else {option: chosen}
        options = RunOptions(tasks=(own,), prompt_texts={"brief": "{question}"}, **choices)
        configs.append(config_of(Plan(options, tuple(plan_tasks(options)))))
    assert configs[0] == configs[1] == configs[2]
    fewer = RunOptions(tasks=("demo/saq",), prompt_texts={"brief": "{question}"}, **{option: names[:1]})
    assert config_of(Plan(fewer, tuple(plan_tasks(fewer)))) not in configs


def test_a_task_about_none_of_the_cultures_is_left_out() -> None:
    planned = plan_tasks(RunOptions(tasks=("demo/saq", "demo/identification"), cultures=("KR",)))
    assert [plan.task.name for plan in planned] == ["demo/saq"]


def test_a_culture_that_no_task_asks_about_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="France is not among them"):
        plan_tasks(RunOptions(tasks=("demo",), cultures=("KR", "FR")))


def test_each_task_is_asked_with_those_of_the_variants_that_it_has() -> None:
    options = RunOptions(
        tasks=("demo/mcq", "demo/identification"),
        variants=("plain", "short"),
        prompt_texts={"demo/mcq:short": "{question} {options}"},
    )
    with pytest.warns(
        FolkwaysWarning, match=r"^demo/identification has no variant 'short'; it is asked with plain$"
    ):
        planned = plan_tasks(options)
    assert [plan.options.variants for plan in planned] == [("plain", "short"), ("plain",)]


def test_a_task_without_any_of_the_variants_is_asked_with_its_own() -> None:
    options = RunOptions(
        tasks=("demo/saq", "demo/identification"),
        variants=("short",),
        prompt_texts={"demo/saq:short": "{question}"},
    )
    with pytest.warns(
        FolkwaysWarning,
        match=r"^demo/identification has no variant 'short'; it is asked with its own \(plain\)$",
    ):
        planned = plan_tasks(options)
    assert [set(next(plan.prompts())["variant"]) for plan in planned] == [{"short"}, {"plain"}]


def test_a_variant_that_no_task_has_is_an_error() -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown variant of the tasks of this run: 'nope'\nvalid: all, plain, short"
    ):
        plan_tasks(
            RunOptions(
                tasks=("demo/mcq", "demo/saq"),
                variants=("plain", "nope"),
                prompt_texts={"demo/saq:short": "{question}"},
            )
        )


def test_the_command_line_says_which_tasks_lack_a_variant(tmp_path: Path) -> None:
    texts = tmp_path / "short.toml"
    texts.write_text('["demo/saq"]\nshort = "{question}"\n')
    workspace = str(tmp_path / "folkways.db")
    asked = ("demo/identification", "demo/saq", "--variants", "short", "--prompts", texts, "--limit", "5")
    done = folkways("run", *asked, "--model", "baseline/constant:x", "--workspace", workspace)
    assert (
        "warning: demo/identification has no variant 'short'; it is asked with its own (plain)" in done.stderr
    )
    variants = (
        load_run("last", workspace=workspace).judgements().group_by("task").agg(pl.col("variant").unique())
    )
    assert dict(variants.rows()) == {"demo/identification": ["plain"], "demo/saq": ["short"]}
