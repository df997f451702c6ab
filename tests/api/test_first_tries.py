"""What people type first: each works, or is told what to write instead."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pandas as pd
import polars as pl
import pytest

import folkways
from folkways.errors import FolkwaysError

TASK = "demo/mcq"
ITEMS = folkways.get_task(TASK).items(folkways.open_release("demo"))["item"].to_list()


TWO = "demo/everyday"


def replies_to(task: str, culture: str = "") -> dict[str, str]:
    items = folkways.get_task(task).items(folkways.open_release("demo"))["item"].to_list()
    return {item: "A" for item in items if item.startswith(culture)}


def always(prompt: str) -> str:
    return "A"


async def soon(prompt: str) -> str:
    return "B"


class Mine:
    def generate(self, prompt: str) -> str:
        return "C"


RECIPE = """
tasks = ["demo/mcq"]
models = ["baseline/first", { name = "baseline/random", temperature = 0.5 }]
cultures = ["KR", "ET"]
max-failed = 20
settings = { top_p = "none" }
name = "of-recipe"
report = "somewhere"
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of two runs, as somebody has after an hour."""
    folder = tmp_path_factory.mktemp("stored")
    models = ["baseline/first", "baseline/random"]
    folkways.run(TASK, models, workspace=folder / "folkways.db", name="small", cultures="KR")
    folkways.run(TASK, models, workspace=folder / "folkways.db", name="large")
    (folder / "study.toml").write_text(RECIPE)
    (folder / "replies.csv").write_text("item,response\n" + "".join(f"{item},A\n" for item in ITEMS[:4]))
    return folder


@pytest.fixture
def work_folder(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "here"
    shutil.copytree(stored, folder)
    monkeypatch.chdir(folder)
    yield folder


def run(**options: Any) -> folkways.Run:
    return folkways.run(TASK, "baseline/first", **options)


def last() -> folkways.Run:
    return folkways.load_run("large")


WORKS: dict[str, Callable[[], Any]] = {
    "a function": lambda: folkways.run(TASK, models=always),
    "an async function": lambda: folkways.run(TASK, models=soon),
    "a function in second place": lambda: folkways.run(TASK, always),
    "a named lambda": lambda: folkways.run(TASK, folkways.model(lambda p: "A", name="a")),
    "an object with generate": lambda: folkways.run(TASK, models=Mine()),
    "several kinds of models": lambda: folkways.run(TASK, models=[always, soon, Mine(), "baseline/first"]),
    "models in one text": lambda: folkways.run(TASK, models="baseline/first, baseline/random"),
    "models as a tuple": lambda: folkways.run(TASK, models=("baseline/first",)),
    "a dict of replies": lambda: folkways.run(TASK, models=dict.fromkeys(ITEMS, "A")),
    "a polars frame of replies": lambda: folkways.run(
        TASK, models=pl.DataFrame({"item": ITEMS, "response": ["A"] * len(ITEMS)})
    ),
    "a pandas frame of replies": lambda: folkways.run(
        TASK, models=pd.DataFrame({"item": ITEMS, "response": ["A"] * len(ITEMS)})
    ),
    "rows of replies": lambda: folkways.run(
        TASK, models=folkways.model([{"item": item, "response": "A"} for item in ITEMS])
    ),
    "a benchmark": lambda: folkways.run("demo", "baseline/first", limit=2),
    "tasks in one text": lambda: folkways.run("demo/mcq,demo/saq", "baseline/first", limit=2),
    "a list of tasks": lambda: folkways.run(["demo/mcq", "demo/saq"], "baseline/first", limit=2),
    "a task itself": lambda: folkways.run(folkways.get_task(TASK), "baseline/first"),
    "a recipe": lambda: folkways.run("study.toml"),
    "a recipe as a path": lambda: folkways.run(Path("study.toml"), limit=1),
    "cultures in one text": lambda: run(cultures="KR,ET"),
    "cultures with blanks": lambda: run(cultures="KR, ET"),
    "a culture by name": lambda: run(cultures="South Korea"),
    "a list of cultures": lambda: run(cultures=["KR", "ET"]),
    "a set of cultures": lambda: run(cultures={"KR", "ET"}),
    "a series of cultures": lambda: run(cultures=pd.Series(["KR", "ET"])),
    "a polars series of cultures": lambda: run(cultures=pl.Series(["KR", "ET"])),
    "languages in one text": lambda: folkways.run(
        "demo/saq", "baseline/first", languages="local,en", cultures="KR"
    ),
    "settings in one text": lambda: run(settings="temperature=0"),
    "two settings in one text": lambda: run(settings="temperature=0.5,top_p=none"),
    "a list of settings": lambda: run(settings=["temperature=0.5"]),
    "settings as a dict": lambda: run(settings={"temperature": 0.5}),
    "a release in one text": lambda: run(releases="demo=demo@1"),
    "a release for all": lambda: run(releases="demo@1"),
    "a number of numpy": lambda: run(limit=np.int64(3)),
    "a whole number for a number": lambda: run(timeout=5),
    "afresh": lambda: run(afresh=True),
    "None for all": lambda: run(cultures=None, limit=None, settings=None),
    "an estimate": lambda: folkways.estimate(TASK, "openai/gpt-4o-mini"),
    "an estimate of a recipe": lambda: folkways.estimate("study.toml"),
    "an estimate of a function": lambda: folkways.estimate(TASK, models=always),
    "runs": lambda: folkways.runs(),
    "runs to pandas": lambda: folkways.runs().to_pandas(),
    "a run by name": lambda: folkways.load_run("small"),
    "a run by number": lambda: folkways.load_run(1),
    "a run by itself": lambda: folkways.load_run(last()),
    "scores of a task": lambda: last().scores(task=TASK),
    "scores of a model": lambda: last().scores(model="baseline/first"),
    "scores to pandas": lambda: last().scores().to_pandas(),
    "models of a run": lambda: last().models,
    "tasks of a run": lambda: last().tasks,
    "the signature of a run": lambda: last().signature,
    "the length of a run": lambda: len(last()),
    "comparing the models of a run": lambda: last().compare(),
    "comparing models of a run": lambda: last().compare("first", "random"),
    "comparing a run": lambda: folkways.compare(last()),
    "comparing a run by name": lambda: folkways.compare("large"),
    "comparing in a run": lambda: folkways.compare("baseline/first", "baseline/random", runs=last()),
    "comparing two runs": lambda: folkways.compare(folkways.load_run("small"), last()),
    "a report": lambda: last().report("report"),
    "a report of a run by name": lambda: folkways.report("small", "report", formats="md"),
    "a report of runs": lambda: folkways.report([last(), "small"], "report", formats=["md"]),
    "a gate": lambda: folkways.gate("large", min={TASK: 1}),
    "a gate in one text": lambda: folkways.gate(min="demo/mcq=1"),
    "a gate of a run": lambda: folkways.gate(last(), min={"demo/mcq:KR": 1}),
    "a gate against another run": lambda: folkways.gate(last(), max_drop_vs={"small": 50}),
    "judging a dict": lambda: folkways.judge(TASK, dict.fromkeys(ITEMS, "A"), language="en"),
    "judging a pandas frame": lambda: folkways.judge(
        TASK, pd.DataFrame({"item": ITEMS, "response": ["A"] * len(ITEMS)}), language="en"
    ),
    "judging a file": lambda: folkways.judge(TASK, "replies.csv", language="en"),
}

A_CLIENT = openai.OpenAI(api_key="k")
TOLD: dict[str, tuple[Callable[[], Any], str]] = {
    "no model": (
        lambda: folkways.run(TASK),
        "name at least one model, for example: models='baseline/random'",
    ),
    "a lambda": (lambda: folkways.run(TASK, lambda p: "A"), 'folkways.model(lambda prompt: ..., name="...")'),
    "a client": (lambda: folkways.run(TASK, A_CLIENT), 'folkways.model(client, model="gpt-4o-mini")'),
    "a class": (lambda: folkways.run(TASK, Mine), "give an object of it: Mine(...)"),
    "a number": (lambda: folkways.run(TASK, 7), "int is not a model: give a name"),
    "a dict of names": (lambda: folkways.run(TASK, {"a": "hf/x"}), "models=['hf/x']"),
    "a dict of functions": (
        lambda: folkways.run(TASK, {"a": always}),
        "models=[folkways.model(function, name='a'), ...]",
    ),
    "a slip in a task": (lambda: folkways.run("demo/mqc", "baseline/first"), "did you mean 'demo/mcq'?"),
    "tasks that are none": (lambda: folkways.run(3, "baseline/first"), 'tasks are names, such as "demo/mcq"'),
    "a recipe that is not there": (lambda: folkways.run("stuyd.toml"), "stuyd.toml"),
    "a slip in an option": (lambda: run(cultres="KR"), "did you mean 'cultures'?"),
    "temperature": (lambda: run(temperature=0.5), 'settings={"temperature": ...}'),
    "read": (lambda: run(read="loglik"), 'settings={"read": ...}'),
    "setting": (lambda: run(setting="temperature=0"), 'settings="temperature=0.7"'),
    "a slip in a setting": (lambda: run(settings="temprature=0"), "did you mean 'temperature'?"),
    "model": (lambda: folkways.run(TASK, model="baseline/first"), "write models=..."),  # type: ignore[call-arg]
    "culture": (lambda: run(culture="KR"), "write cultures=..."),
    "release": (lambda: run(release="demo@1"), "write releases=..."),
    "prompts": (lambda: run(prompts="p.toml"), "prompt_texts="),
    "report": (lambda: run(report="report"), "folkways.run(...).report(FOLDER)"),
    "batch_size": (lambda: run(batch_size=8), "concurrency=..."),
    "max_connections": (lambda: run(max_connections=8), "concurrency=..."),
    "n": (lambda: run(n=8), "limit=..."),
    "force": (lambda: run(force=True), "afresh=True"),
    "a limit in words": (lambda: run(limit="ten"), "limit must be a whole number, got 'ten'"),
    "a share as limit": (lambda: run(limit=0.1), "limit must be a whole number, got 0.1"),
    "True as limit": (lambda: run(limit=True), "limit must be a whole number, got True"),
    "a switch as text": (lambda: run(afresh="yes"), "afresh must be True or False, got 'yes'"),
    "cultures as a number": (lambda: run(cultures=3), "cultures must be a text or a list of texts"),
    "no cultures": (lambda: run(cultures=[]), "cultures is an empty list; leave it out for all of them"),
    "settings as a number": (lambda: run(settings=0), 'settings are a dict or a text, {"temperature": 0.7}'),
    "a budget as a number": (lambda: run(budget=5), "budget must be a text in quotes, such as '5usd'"),
    "percent for a share": (lambda: run(max_failed=10), "write 0.1 for 10 %"),
    "a run that is not there": (lambda: folkways.load_run("lrage"), "did you mean 'large'?"),
    "scores of another task": (lambda: last().scores(task="demo/saq"), "valid: demo/mcq"),
    "a gate of nothing": (lambda: folkways.gate("large"), "nothing is required; add min={"),
    "a gate of nothing, of a run that is not there": (lambda: folkways.gate("lrage"), "nothing is required"),
    "a gate with a slip": (
        lambda: folkways.gate("large", min={TASK: 1}, metrc="x"),
        "did you mean 'metric'?",
    ),
    "judging without replies": (
        lambda: folkways.judge(TASK, pl.DataFrame({"item": ["x"]})),
        "has no column 'response'",
    ),
    "judging samples of the harness": (
        lambda: folkways.judge(TASK, pl.DataFrame({"doc_id": ["1"], "resps": ["A"]})),
        "have scores already: read them with folkways report or compare",
    ),
    "judging an unknown item": (lambda: folkways.judge(TASK, {"nope": "A"}), "its own look like"),
    "judging without a language": (
        lambda: folkways.judge(TWO, replies_to(TWO)),
        "Say it with language= (valid: ",
    ),
    "judging the wrong culture": (
        lambda: folkways.judge(TASK, replies_to(TASK, "KR"), culture="ET"),
        "(is that the culture of",
    ),
    "judging without ids": (
        lambda: folkways.judge(TASK, pl.DataFrame({"response": ["A"]})),
        "say by_position=True",
    ),
    "judging too few by position": (
        lambda: folkways.judge(TASK, pl.DataFrame({"response": ["A"]}), by_position=True),
        "(name one culture with culture= if the file is of one culture)",
    ),
    "a workspace that is not there": (
        lambda: folkways.load_run("large", "no.db"),
        "name it with workspace='PATH'",
    ),
    "until in batches": (
        lambda: run(until=5, batch=True),
        "until= asks in rounds, and batch= may take a day",
    ),
    "models of another run": (
        lambda: folkways.compare("x", runs="large"),
        "name other runs with runs=, or write MODEL@RUN",
    ),
    "a report in an unknown format": (
        lambda: folkways.report("large", formats="htlm"),
        "did you mean 'html'?",
    ),
    "a run's report in an unknown format": (
        lambda: last().report("report", "htlm"),
        "unknown report format 'htlm'; did you mean 'html'?",
    ),
    "a run's report in a file": (lambda: last().report("report.md", "md"), "name a folder: out='report'"),
    "a comparison with a slip": (lambda: folkways.compare("large", metrics="x"), "did you mean 'metric'?"),  # type: ignore[call-arg]
    "a comparison of a run with a slip": (lambda: last().compare(tsaks="x"), "did you mean 'tasks'?"),
    "a report with a slip": (lambda: folkways.report("large", titel="x"), "did you mean 'title'?"),  # type: ignore[call-arg]
    "a report in a file": (lambda: folkways.report("large", "report.html"), "name a folder: out='report'"),
    "judging a number": (lambda: folkways.judge(TASK, 3), "give a frame of polars or pandas"),
}

ACROSS: dict[str, Callable[[folkways.Run, folkways.Run], Any]] = {
    "compare": folkways.compare,
    "compare, by runs": lambda held, elsewhere: folkways.compare("first", "random", runs=[held, elsewhere]),
    "compare, of a run": lambda held, elsewhere: held.compare(elsewhere),
    "report": lambda held, elsewhere: folkways.report([held, elsewhere], "report"),
    "report, by workspace": lambda held, elsewhere: folkways.report(held, workspace=elsewhere.workspace),
    "gate, by workspace": lambda held, elsewhere: folkways.gate(held, workspace=elsewhere.workspace),
}


LIKE_OTHERS = {
    "a function in second place", "models as a tuple", "a polars frame of replies", "a recipe as a path",
    "a list of cultures", "a polars series of cultures", "settings as a dict", "a release in one text",
    "comparing models of a run", "comparing a run by name",
}  # fmt: skip
"""What is tried only at night: each is read where one of the others or a test below is."""


@pytest.mark.parametrize(
    "tried",
    [
        pytest.param(tried, id=what, marks=pytest.mark.nightly if what in LIKE_OTHERS else ())
        for what, tried in WORKS.items()
    ],
)
def test_works(work_folder: Path, tried: Callable[[], Any]) -> None:
    assert tried() is not None


@pytest.mark.parametrize(("tried", "told"), TOLD.values(), ids=TOLD)
def test_is_told_what_to_write(work_folder: Path, tried: Callable[[], Any], told: str) -> None:
    with pytest.raises(FolkwaysError) as error:
        tried()
    assert told in str(error.value)
    assert "Traceback" not in str(error.value)


class TestWhatTheyGive:
    def test_texts_are_the_same_as_lists(self, work_folder: Path) -> None:
        one, other = (
            run(cultures="KR,ET", settings="temperature=0.5"),
            run(cultures=["KR", "ET"], settings={"temperature": 0.5}),
        )
        assert one.record.config == other.record.config
        assert set(one.judgements()["culture"]) == {"KR", "ET"}

    def test_a_recipe_is_the_command_with_its_file(self, work_folder: Path) -> None:
        done = folkways.run("study.toml")
        assert (done.name, set(done.judgements()["culture"])) == ("of-recipe", {"KR", "ET"})
        assert done.models == ["baseline/first", "baseline/random?temperature=0.5"]
        assert done.record.recipe["max-failed"] == 20.0
        assert set(folkways.run("study.toml", cultures="KR", name="mine").judgements()["culture"]) == {"KR"}

    def test_judging_keeps_the_fixed_denominator(self, work_folder: Path) -> None:
        few = dict.fromkeys(ITEMS[:4], "A")
        judged = folkways.judge(TASK, few, language="en")
        whole = judged.scores.filter((pl.col("facet") == "all") & (pl.col("metric") == "correct")).row(
            0, named=True
        )
        assert (whole["n"], whole["missing"], judged.judgements.height) == (
            len(ITEMS),
            len(ITEMS) - 4,
            len(ITEMS),
        )
        frames = (pd.DataFrame({"item": list(few), "response": list(few.values())}), "replies.csv")
        for frame in frames:
            assert folkways.judge(TASK, frame, language="en").judgements.equals(judged.judgements)

    def test_a_culture_narrows_the_denominator(self, work_folder: Path) -> None:
        judged = folkways.judge(TASK, {ITEMS[0]: "A"}, language="en", culture=ITEMS[0].split("/")[0])
        assert 0 < judged.judgements.height < len(ITEMS)

    def test_a_run_knows_its_workspace(
        self, work_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        held = last()
        monkeypatch.chdir(tmp_path)
        assert folkways.compare(held)[0].task == TASK
        assert len(held) == 2 * len(ITEMS)
        assert folkways.report(held, "out", formats="md")

    def test_names_compared_in_a_run_are_its_own(
        self, work_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        held = folkways.load_run("small")
        compared = held.compare("first", "random")[0]
        assert set(compared.ranking["model"]) == set(folkways.compare(held)[0].ranking["model"])
        monkeypatch.chdir(tmp_path)
        assert held.compare("first", "random")[0].differences.equals(compared.differences)

    @pytest.mark.parametrize("use", ACROSS.values(), ids=ACROSS)
    def test_runs_of_two_workspaces_are_not_looked_up_in_one(
        self, work_folder: Path, tmp_path: Path, use: Callable[[folkways.Run, folkways.Run], Any]
    ) -> None:
        elsewhere = folkways.run(TASK, "baseline/random", workspace=tmp_path / "elsewhere.db", name="large")
        with pytest.raises(
            FolkwaysError, match=r"reads one workspace, and these are 2: folkways\.db, .*elsew"
        ):
            use(last(), elsewhere)

    def test_one_workspace_opened_twice_is_one(self, work_folder: Path) -> None:
        again = folkways.load_run("large", work_folder.resolve() / "folkways.db")
        assert folkways.report([folkways.load_run("small"), again], "report")
        assert folkways.gate(again, min={TASK: 1}, workspace="./folkways.db").passed

    def test_gate_says_whether_it_passed(self, work_folder: Path) -> None:
        assert folkways.gate("large", min={TASK: 1}).passed
        checks = folkways.gate("large", min={TASK: 99}, models="baseline/first")
        assert (checks.passed, len(checks)) == (False, 1)

    def test_runs_are_rows(self, work_folder: Path) -> None:
        frame = folkways.runs()
        assert frame["run"].to_list() == ["small", "large"]
        assert frame["expected"][1] == 2 * len(ITEMS) == frame["responses"][1]

    def test_repr_says_what_is_from_before(self, work_folder: Path) -> None:
        def counted(prompt: str) -> str:
            return "A"

        first, again = folkways.run(TASK, counted), folkways.run(TASK, counted, name="again")
        assert "from before" not in repr(first)
        assert f"all {len(ITEMS)} replies are from before" in repr(
            again
        ) and "afresh=True asks again" in repr(again)
