"""Each keyword of a public function changes what comes back, as it says, and wins over a recipe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.api import one_or_several
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.scores.scoring_models import ScoringModels
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.xcr_data import write_small_corpus

TASK = "demo/mcq"
NOWHERE = ScoringModels({"embedding": "/nowhere"})


def items_of(task: str, release: str) -> list[str]:
    return folkways.get_task(task).items(open_release(release, task.split("/")[0]))["item"].to_list()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def asked(running: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> folkways.Run:
    """A run on data of one's own, judged in one of three ways, with prices beside it."""
    folder = tmp_path_factory.mktemp("asked")
    running.control(forget=True, mode="fixed:rice")
    model, prices = f"{running.url}/v1#able", folder / "prices.toml"
    prices.write_text(f'[usd_per_million_tokens]\n"{model}" = {{ input = 1000.0, output = 2000.0 }}\n')
    where = {"workspace": folder / "w.db", "releases": {"blend": str(write_release(folder / "blend"))}}
    chosen = {"cultures": "US", "languages": "en", "variants": "inst-4", "profile": "strict"}
    folkways.run("blend/saq", model, name="small", limit=1, **chosen, **where)
    return folkways.run("blend/saq", model, name="asked", prices=prices, **chosen, **where)


class TestOfARun:
    def test_prices_are_those_of_the_run_or_of_who_reads_it(self, asked: folkways.Run) -> None:
        def price(run: folkways.Run) -> float:
            return float(re.findall(r"cost US\$ ([\d.]+)", run.brief("strict"))[0])

        assert price(asked) == price(folkways.load_run("asked", asked.workspace, asked.prices)) > 0  # type: ignore[arg-type]
        assert price(folkways.load_run("asked", asked.workspace)) == 0
        assert asked.report_data("strict").runs[0].cost

    def test_only_one_profile(self, asked: folkways.Run, folder: Path) -> None:
        assert {*asked.scores()["profile"]} == {"strict"}
        for of_profile in (asked.brief, asked.judgements, asked.report_data, asked.scores):
            with pytest.raises(UnknownNameError, match="nope"):
                of_profile("nope")

    def test_an_item_of_the_run_that_is_named(self, asked: folkways.Run) -> None:
        (name,) = folkways.load_run("small", asked.workspace).judgements()["item"].unique()
        other = next(item for item in asked.judgements()["item"] if item != name)
        assert folkways.item(f"blend/saq:{other}", asked.workspace, "asked").responses.height == 1
        with pytest.raises(FolkwaysError, match="small"):
            folkways.item(f"blend/saq:{other}", asked.workspace, "small")

    def test_a_report_with_an_address(self, asked: folkways.Run, folder: Path) -> None:
        with pytest.raises(FolkwaysError, match="'nowhere' is not an address"):
            asked.report("out", "md", dispute="nowhere")


class TestOfARecipe:
    @pytest.fixture
    def recipe(self, folder: Path) -> str:
        (folder / "p.toml").write_text(
            '[usd_per_million_tokens]\n"openai/gpt-4o-mini" = { input = 9e6, output = 9e6 }\n'
        )
        (folder / "q.toml").write_text(
            '[usd_per_million_tokens]\n"openai/gpt-4o-mini" = { input = 1e6, output = 1e6 }\n'
        )
        (folder / "study.toml").write_text(
            'tasks = "demo/mcq"\nmodels = "baseline/first"\nname = "theirs"\nprofile = "strict"\n'
            'workspace = "theirs.db"\nprices = "p.toml"\nlimit = 1\n'
        )
        return "study.toml"

    def test_arguments_of_a_run_go_before_it(self, recipe: str, folder: Path) -> None:
        theirs = folkways.run(recipe)
        mine = folkways.run(recipe, "baseline/random", name="mine", workspace="mine.db")
        assert (theirs.name, theirs.models) == ("theirs", ["baseline/first"])
        assert (mine.name, mine.models) == ("mine", ["baseline/random"])
        (unknown := folder / "unknown.toml").write_text(
            (folder / recipe).read_text().replace("strict", "their-own")
        )
        for study, how, told in ((recipe, {"profile": "my-own"}, "my-own"), (unknown, {}, "their-own")):
            with pytest.raises(UnknownNameError, match=told):
                folkways.run(study, **how)
        folkways.run(unknown, profile="strict", name="theirs")
        assert [folkways.runs(workspace=f"{name}.db")["run"].to_list() for name in ("theirs", "mine")] == [
            ["theirs"],
            ["mine"],
        ]

    def test_one_that_names_no_workspace_is_asked_in_the_usual_one(self, recipe: str, folder: Path) -> None:
        (plain := folder / "plain.toml").write_text(
            (folder / recipe).read_text().replace('workspace = "theirs.db"\n', "")
        )
        folkways.run(plain)
        folkways.run(plain, workspace="mine.db", name="mine")
        assert [folkways.runs(**where)["run"].to_list() for where in ({}, {"workspace": "mine.db"})] == [
            ["theirs"], ["mine"]
        ]  # fmt: skip
        assert folkways.estimate(plain)["stored"].to_list() == [1]

    def test_arguments_of_an_estimate_go_before_it(self, recipe: str, folder: Path) -> None:
        def usd(**how: Any) -> float:
            return float(folkways.estimate(recipe, "openai/gpt-4o-mini", **how)["usd"].sum())

        (batched := folder / "batched.toml").write_text((folder / recipe).read_text() + "batch = true\n")
        assert usd() == pytest.approx(9 * usd(prices=Path("q.toml")))
        assert usd(batch=True) == pytest.approx(usd() / 2)
        assert folkways.estimate(batched, "openai/gpt-4o-mini")["usd"].sum() == pytest.approx(usd() / 2)
        assert folkways.estimate(recipe)["endpoint"].to_list() == ["baseline/first"]
        folkways.run(recipe)
        assert folkways.estimate(recipe)["stored"].to_list() == [1]
        assert folkways.estimate(recipe, workspace="elsewhere.db")["stored"].to_list() == [0]


class TestOfJudging:
    def test_what_the_replies_do_not_say(self, folder: Path) -> None:
        release = str(write_release(folder / "blend"))
        replies = dict.fromkeys(items_of("blend/saq", release), "rice")
        made = folkways.judge(
            "blend/saq",
            replies,
            release=release,
            language="en",
            variant="pers-3",
            profile="strict",
            text_tools="simple",
        )
        assert made.judgements.select("language", "variant", "state").unique().rows() == [
            ("en", "pers-3", "answered")
        ]
        (signature,) = made.scores["signature"].unique()
        assert "|profile:strict|text-simple:" in signature and "lang:en" in signature

    def test_replies_of_one_of_several_models_and_in_the_order_of_the_release(self, folder: Path) -> None:
        items = items_of(TASK, "demo")
        both = pl.DataFrame(
            {
                "item": items * 2,
                "response": ["A"] * len(items) + ["B"] * len(items),
                "model": ["a"] * len(items) + ["b"] * len(items),
            }
        )
        first, second = (folkways.judge(TASK, both, model=name).judgements["answer"] for name in "ab")
        assert ({*first}, {*second}) == ({"A"}, {"B"})
        without = pl.DataFrame({"response": ["A"] * len(items)})
        without.write_csv("replies.csv")
        for replies in (without, "replies.csv", Path("replies.csv")):
            assert folkways.judge(TASK, replies, by_position=True).judgements["answer"].equals(first)

    def test_models_of_metrics(self, folder: Path) -> None:
        """One that is missing is an error, and so is one that no task can use; what nobody named is a note."""
        (folder / "xcr").mkdir()
        write_small_corpus(folder / "xcr")
        release = str(folder / "xcr")
        item = items_of("xcr/prediction", release)[0]
        how = {"replies": {item: "tea"}, "release": release}
        (note,) = folkways.judge("xcr/prediction", **how).notes
        assert note.startswith("SP-CSI is not computed: name a model with scoring")
        with pytest.raises(FolkwaysError, match="/nowhere"):
            folkways.judge("xcr/prediction", **how, scoring=NOWHERE)
        with pytest.raises(FolkwaysError, match=re.escape("scoring_models={'embedding': ...}: there is no")):
            folkways.judge("xcr/prediction", **how, scoring_models={"embedding": "/nowhere"})
        asked = folkways.run("xcr/prediction", "baseline/first", releases=release, workspace="w.db")
        told: list[str] = []
        assert asked.score(models=NOWHERE, tell=told.append).equals(asked.scores())
        assert asked.score(scoring_models=NOWHERE.names, tell=told.append).equals(asked.scores())
        assert len(told) == 2 and told[0] == told[1] and "/nowhere" in told[0]
        none = (
            "none of the tasks compares texts with a model of scoring_models={'embedding': ...}; leave it out"
        )
        for use in (
            lambda: folkways.run(TASK, "baseline/first", scoring=NOWHERE, workspace="never.db"),
            lambda: folkways.judge(TASK, {"KR/school-1": "A"}, scoring=NOWHERE),
            lambda: folkways.run(TASK, "baseline/first", workspace="w.db").score(models=NOWHERE),
        ):
            with pytest.raises(FolkwaysError, match=re.escape(none)):
                use()
        assert not Path("never.db").exists()


@pytest.mark.parametrize(
    "wrong", [{"profile": "nope"}, {"budget": "5 apples"}, {"scoring_models": {"embedding": "x"}}]
)
def test_what_is_wrong_is_found_before_a_workspace_is_made(folder: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(FolkwaysError):
        folkways.run(TASK, "baseline/first", **wrong)
    assert not Path("folkways.db").exists()


def test_a_seed_reaches_the_model_and_what_is_left_out_the_run(folder: Path) -> None:
    def replies(seed: int, place: str) -> list[str]:
        done = folkways.run(
            [TASK, "blend/saq"], "baseline/random", seed=seed, skip_missing=True, workspace=place
        )
        assert [*done.left_out] == ["blend/saq"]
        return done.responses().sort("item")["response"].to_list()

    assert replies(1, "a.db") == replies(1, "b.db") != replies(2, "c.db")


FRAME = pl.DataFrame({"item": ["a"], "response": ["A"]})


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("baseline/first", ["baseline/first"]),
        (" baseline/first ,hf/x", ["baseline/first", "hf/x"]),
        ("baseline/constant:rice, beans", ["baseline/constant:rice, beans"]),
        (["a, b"], ["a, b"]),
        (("a", "b"), ["a", "b"]),
        ({"a"}, ["a"]),
        (frozenset({"a"}), ["a"]),
        (FRAME, [FRAME]),
        ({"item": "A"}, [{"item": "A"}]),
        (len, [len]),
        ((), []),
    ],
)
def test_one_model_or_several(given: Any, read: list[Any]) -> None:
    got = one_or_several(given)
    assert len(got) == len(read) and all(
        one is other or one == other for one, other in zip(got, read, strict=True)
    )
