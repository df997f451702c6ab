"""Treatments: how a file of them is read, which arms a prompt gets, and what these hold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.contract import judgements_of, prompts_of
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.templates import culture_parts
from folkways.benchmarks.treatments import (
    Arm,
    Treatment,
    by_group,
    placebo_names,
    read_treatments,
    with_treatments,
    without_treatments,
)
from folkways.errors import DataError, FolkwaysError, UnknownNameError

BORN = {"born": {"system": "You were born in {country} and live there with your family."}}


def _prompts(
    tables: dict[str, Any], system: str | None = None, seed: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    task, release = get_task("demo/mcq"), open_release("demo", "demo")
    items = pl.concat(task.item_batches(release)).head(12)
    prompts = prompts_of(task, items, PromptOptions(), release)
    treatments = [Treatment.of(name, table) for name, table in read_treatments(tables).items()]
    cultures = tuple(sorted(items["culture"].unique()))
    return items, with_treatments(prompts, items, system, treatments, cultures, seed)


def test_every_item_has_its_control_treatment_placebos_and_another_culture() -> None:
    items, prompts = _prompts(BORN)
    arms = [Arm.of(variant) for variant in prompts["variant"]]
    assert Counter(arm.kind for arm in arms) == {
        "control": items.height,
        "treatment": items.height,
        "placebo": 3 * items.height,
        "crossed": items.height,
    }
    about = dict(items.select("item", "culture").iter_rows())
    for arm, item in zip(arms, prompts["item"], strict=True):
        assert arm.kind != "crossed" or arm.which in set(about.values()) - {about[item]}
    assert prompts["user"].n_unique() == items.height, "the treatment is in the system prompt alone"


def test_a_placebo_is_as_long_and_names_no_culture() -> None:
    _, prompts = _prompts(BORN)
    of_first = prompts.filter(item=prompts["item"][0])
    texts = {
        Arm.of(variant).group(): system
        for variant, system in of_first.select("variant", "system").iter_rows()
    }
    assert texts[""] is None
    named = texts["born"]
    for number, names in enumerate(placebo_names(), start=1):
        placebo = texts[f"born:placebo-{number}"]
        assert names["culture"] in placebo
        assert abs(len(placebo.split()) - len(named.split())) <= 2


def test_the_culture_of_a_crossed_arm_is_drawn_by_question_and_seed() -> None:
    named = [
        [Arm.of(variant).which for variant in _prompts(BORN, seed=seed)[1]["variant"] if ":for-" in variant]
        for seed in (0, 0, 1)
    ]
    assert named[0] == named[1] != named[2]


def test_nothing_is_crossed_that_is_not_to_be() -> None:
    table = {"born": {**BORN["born"], "crossed": False}}
    _, prompts = _prompts(table)
    assert {Arm.of(variant).kind for variant in prompts["variant"]} == {"control", "treatment", "placebo"}
    plain = {"brief": {"system": "Be brief."}}
    _, prompts = _prompts(plain)
    assert {Arm.of(variant).kind for variant in prompts["variant"]} == {"control", "treatment"}


def test_the_run_system_prompt_names_the_culture_and_stands_before_the_treatment() -> None:
    items, prompts = _prompts(BORN, system="Speak plainly about {culture}, in {{braces}}.")
    control = without_treatments(prompts)
    assert control.height == items.height
    assert all(system.endswith("in {braces}.") for system in control["system"])
    treated = prompts.filter(pl.col("variant").str.ends_with("~with-born"))["system"]
    assert all(text.startswith("Speak plainly about ") and "You were born in" in text for text in treated)


def test_an_unknown_placeholder_is_an_error() -> None:
    with pytest.raises(FolkwaysError, match=r"did you mean \{country\}"):
        _prompts({}, system="Speak about {cuntry}.")
    with pytest.raises(FolkwaysError, match=r"has \{land\}"):
        _prompts({"a": {"system": "You live in {land}."}})


def test_a_language_has_its_own_text() -> None:
    treatment = Treatment.of("a", {"prompt": {"ko": "한국어로. {prompt}", "en": "In English. {prompt}"}})
    (_, filled), *_ = treatment.of_prompt("1", "KR", (), 0)
    row = {"system": None, "user": "Q", "language": "ko"}
    assert filled.apply(row, "a")["user"] == "한국어로. Q"
    with pytest.raises(FolkwaysError, match="has no text for prompts in 'am'"):
        filled.apply({**row, "language": "am"}, "a")


def test_texts_come_from_a_file_by_culture_and_cross(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("culture,text\nKR,one\nKR,two\nUS,three\n")
    (tmp_path / "t.toml").write_text('[read]\nprompt = "{text}\\n{prompt}"\ntexts = "t.csv"\n')
    (table,) = read_treatments(tmp_path / "t.toml").values()
    treatment = Treatment.of("read", table)
    arms = dict(treatment.of_prompt("1", "KR", ("US",), 0))
    row = {"system": None, "user": "Q", "language": "en"}
    users = {ending: filled.apply(row, "read")["user"] for ending, filled in arms.items()}
    assert users == {"~with-read": "one\ntwo\nQ", "~with-read:for-US": "three\nQ"}
    with pytest.raises(FolkwaysError, match="no text for the culture 'ET'"):
        list(treatment.of_prompt("1", "ET", (), 0))
    (tmp_path / "t.csv").write_text("culture,text\nKR,other\n")
    with pytest.raises(FolkwaysError, match="has changed since the run was planned"):
        list(Treatment.of("read", table).of_prompt("1", "KR", (), 0))


def _reading(tmp_path: Path, rows: list[tuple[str, str]], **more: Any) -> Treatment:
    lines = [f'"{item}","{text}"' for item, text in rows]
    (tmp_path / "t.csv").write_text("\n".join(["item,text", *lines, ""]))
    entry = {"prompt": "{text}|{prompt}", "texts": str(tmp_path / "t.csv"), **more}
    return Treatment.of("read", entry)


ROW = {"system": None, "user": "Q", "language": "en"}


def test_placebos_of_an_items_text_are_texts_of_other_items(tmp_path: Path) -> None:
    rows = [(str(number), f"Text number {number:03}.") for number in range(40)]
    treatment = _reading(tmp_path, rows)
    assert Treatment.of("read", treatment.table()) == treatment
    assert treatment.arms(5) == 4
    heard: dict[int, set[str]] = {}
    for seed in (0, 1):
        for item, text in rows:
            arms = dict(treatment.of_prompt(item, "KR", (), seed))
            users = {ending: filled.apply(ROW, "read")["user"] for ending, filled in arms.items()}
            assert users["~with-read"] == f"{text}|Q"
            placebos = [users[f"~with-read:placebo-{number}"] for number in (1, 2, 3)]
            assert len({*placebos, users["~with-read"]}) == 4
            assert {user.removesuffix("|Q") for user in placebos} <= {text for _, text in rows}
            heard.setdefault(seed, set()).update(f"{item} {user}" for user in placebos)
    assert heard[0] != heard[1], "the seed decides"


def test_a_text_that_names_a_culture_too_has_neither_in_its_placebos(tmp_path: Path) -> None:
    rows = [(str(number), f"Text number {number:03}.") for number in range(9)]
    treatment = _reading(tmp_path, rows, prompt="In {country}: {text}|{prompt}")
    arms = dict(treatment.of_prompt("3", "KR", ("US",), 0))
    users = {ending: filled.apply(ROW, "read")["user"] for ending, filled in arms.items()}
    assert users["~with-read:for-US"] == "In the United States: Text number 003.|Q"
    for number in (1, 2, 3):
        assert "Korea" not in users[f"~with-read:placebo-{number}"]
        assert "003" not in users[f"~with-read:placebo-{number}"]


def test_too_few_texts_of_others_are_an_error_and_none_are_wanted_without_placebos(tmp_path: Path) -> None:
    rows = [("1", "A long text of the item."), ("2", "Another text as long."), ("3", "Short."), ("4", "x")]
    with pytest.raises(FolkwaysError, match=r"fewer than 3 in the script of the item '1'.*placebos = \[\]"):
        list(_reading(tmp_path, rows).of_prompt("1", "KR", (), 0))
    without = _reading(tmp_path, rows, placebos=[])
    assert [ending for ending, _ in without.of_prompt("1", "KR", (), 0)] == ["~with-read"]


def test_every_other_culture_of_the_run_is_named_on_every_item_if_wanted() -> None:
    table = {"born": {**BORN["born"], "crossed": "all"}}
    items, prompts = _prompts(table)
    codes = set(items["culture"])
    for item, culture in items.select("item", "culture").iter_rows():
        arms = [Arm.of(variant) for variant in prompts.filter(item=item)["variant"]]
        assert {arm.which for arm in arms if arm.kind == "crossed"} == codes - {culture}
        assert len(arms) == 1 + Treatment.of("born", table["born"]).arms(len(codes))
    of_crossed = prompts.filter(pl.col("variant").str.contains(":for-"))
    assert of_crossed.n_unique(["item", "system"]) == of_crossed.height
    assert {*by_group(prompts)} >= {"born:for-others"}
    assert {*by_group(prompts, apart={"born"})} == {*by_group(prompts, apart=None)}
    assert {f"born:for-{code}" for code in codes} <= {*by_group(prompts, apart={"born"})}
    assert by_group(prompts, apart={"other"}).keys() == by_group(prompts).keys()


def test_a_task_is_given_each_prompt_once_when_it_judges() -> None:
    task = get_task("demo/mcq")
    items, prompts = _prompts({"born": {**BORN["born"], "crossed": "all"}})
    heights: list[int] = []

    class Watching(type(task)):  # type: ignore[misc]
        def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
            assert not responses.select("item", "language", "variant").is_duplicated().any()
            heights.append(responses.height)
            return task.judge(items, responses, profile)

    replies = prompts.select("item", "language", "variant").with_columns(
        task=pl.lit(task.name),
        sample=pl.lit(0, pl.Int64),
        state=pl.lit("answered"),
        response=pl.lit("A"),
        reason=pl.lit(None, pl.String),
    )
    judged = judgements_of(Watching(), items, replies, "strict")
    assert judged["variant"].to_list() == replies["variant"].to_list()
    assert sum(heights) == replies.height


def test_a_table_without_a_text_changes_the_treatment_of_ours_that_it_is_called_as(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text('[persona-first]\ncrossed = "all"\n')
    (ours,), (changed,) = (
        read_treatments("persona-first").values(),
        read_treatments(tmp_path / "t.toml").values(),
    )
    assert changed == {**ours, "crossed": "all"}
    with pytest.raises(DataError, match="needs a text"):
        read_treatments({"persona-tenth": {"crossed": "all"}})
    with pytest.raises(DataError, match="needs a text"):
        read_treatments({"placebos": {"crossed": "all"}})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"sytem": "x"}, "unknown key 'sytem'; valid: system"),
        ({}, "needs a text"),
        ({"system": 3}, "system must be a text"),
        ({"prompt": "You live in {country}."}, r"needs \{prompt\}"),
        ({"system": "Read {text}."}, "go together"),
        ({"system": "You live in {country}.", "placebos": ["You live here."]}, "3 placebos or more"),
        (
            {"system": "You live in {country}.", "placebos": ["In {country} you live."] * 3},
            "names no culture",
        ),
        (
            {"system": "You live in {country}.", "placebos": ["A text that is much longer than it."] * 3},
            "as long",
        ),
        ({"system": "You live in {country} with your family.", "placebos": ["Hello you."] * 3}, "as long"),
        ({"prompt": "In {country}: {prompt}", "placebos": ["In house seven:"] * 3}, r"has no \{prompt\}"),
        ({"system": "x", "prompt": "{prompt}", "placebos": ["x"] * 3}, "unclear what a placebo replaces"),
        ({"system": "You live in {country}.", "crossed": "yes"}, 'crossed must be true, false or "all"'),
        ({"system": "You live in {country}.", "crossed": 1}, 'crossed must be true, false or "all"'),
    ],
)
def test_what_cannot_be_used_is_an_error(table: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_treatments({"a": table})


def test_names_of_ours_and_others() -> None:
    assert [*read_treatments("persona-first, persona-third")] == ["persona-first", "persona-third"]
    with pytest.raises(UnknownNameError, match="persona-second"):
        read_treatments("persona-secnd")
    with pytest.raises(DataError, match="small letters"):
        read_treatments({"A b": BORN["born"]})


def test_tables_read_back_as_they_were() -> None:
    once = read_treatments("persona-second,think-in-language")
    assert read_treatments(once) == once


def test_arms_of_variants() -> None:
    variants = ("inst-4", "inst-4~order-2~with-a", "inst-4~with-a:placebo-2", "inst-4~with-a:for-ID-JB")
    assert [Arm.of(variant) for variant in variants] == [
        Arm("inst-4"),
        Arm("inst-4~order-2", "a", "treatment"),
        Arm("inst-4", "a", "placebo", "2"),
        Arm("inst-4", "a", "crossed", "ID-JB"),
    ]
    rows = pl.DataFrame({"variant": variants, "n": range(4)}).with_columns(
        pl.col("variant").cast(pl.Categorical)
    )
    groups = by_group(rows)
    assert [*groups] == ["", "a", "a:for-others", "a:placebo-2"]
    assert {name: part["variant"].cast(pl.String).to_list() for name, part in groups.items()} == {
        "": ["inst-4"],
        "a": ["inst-4~order-2"],
        "a:for-others": ["inst-4"],
        "a:placebo-2": ["inst-4"],
    }


def test_names_of_cultures_read_as_in_a_sentence() -> None:
    names = {code: culture_parts(code) for code in ("NL", "KR", "ID-JB", "WORLD")}
    assert names["NL"]["country"] == "the Netherlands"
    assert names["KR"] == {
        "culture": "South Korea", "country": "South Korea", "people": "people in South Korea", "language": "Korean",
    }  # fmt: skip
    assert (names["ID-JB"]["culture"], names["ID-JB"]["country"]) == ("West Java", "Indonesia")
    assert names["WORLD"]["people"] == "people in the world"


def test_items_about_no_culture_are_asked_as_they_are() -> None:
    task, release = get_task("demo/mcq"), open_release("demo", "demo")
    items = (
        pl.concat(task.item_batches(release)).head(3).with_columns(culture=pl.Series(["WORLD", None, "KR"]))
    )
    prompts = prompts_of(task, items, PromptOptions(), release)
    treatments = [Treatment.of("born", BORN["born"])]
    arms = with_treatments(prompts, items, None, treatments, ("KR", "WORLD"), 0)
    assert arms.height == prompts.height + 4, (
        "one item has a treatment and placebos, and no other to cross with"
    )
