"""Reports of several runs: of which a model was asked the same in two, a part in each, or in several
conditions; or which are one run by two names."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.results import EACH_MODEL_ONCE
from folkways.errors import FolkwaysError
from folkways.evidence.completeness import ASKED_BY
from folkways.records import is_baseline
from folkways.reports.formats.methods import methods_paragraph
from folkways.reports.formats.summary import lede
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView
from folkways.runs.results import together
from folkways.runs.results.judgements import load_inputs
from folkways.runs.results.report import collect, verdict_on_runs
from folkways.runs.scores.scoring import scores_of_run
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.run_records import RunRecord, find_asked_runs
from tests.benchmarks.survey.test_survey import write_survey
from tests.support.command_line import folkways as command_line

MOOD = ["A"]


def moody(prompt: str, system: str | None = None) -> str:
    """Another letter for each system prompt, and when it is asked again."""
    return f"The answer is {'B' if system else MOOD[0]}."


def steady(prompt: str) -> str:
    return "C"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Parts of the demo's questions in several conditions, all in one workspace."""
    workspace = open_workspace(tmp_path_factory.mktemp("several") / "w.db")
    asked: dict[str, dict[str, Any]] = {
        "whole": {},
        "two": {"cultures": "KR,ET"},
        "one": {"cultures": "DE", "limit": 2},
        "system": {"cultures": "KR,ET", "system": "Think."},
        "again": {"cultures": "KR", "afresh": True},
        "treated": {"cultures": "KR,DE", "treatments": "persona-second"},
        "drawn": {"cultures": "KR", "until": 30.0},
        "also drawn": {"cultures": "ET,KR", "until": 30.0, "seed": 4},
    }
    made = {}
    for name, how in asked.items():
        MOOD[0] = "D" if name == "again" else "A"
        made[name] = folkways.run("demo/mcq", [moody, steady], name=name, workspace=workspace, **how)
    MOOD[0] = "A"
    return made


KEY = ["endpoint", "item", "variant", "profile"]


def data_of(runs: dict[str, Run], *names: str, **shown: Any) -> Any:
    return collect(runs["whole"].workspace, [runs[name].record for name in names], **shown)


def whole_of(data: Any) -> dict[str, dict[str, Any]]:
    """The score over everything of each model."""
    rows = data.scores.filter(metric="correct", facet="all").filter(
        ~pl.col("endpoint").str.starts_with("baseline")
    )
    return {row["endpoint"]: row for row in rows.to_dicts()}


@pytest.mark.parametrize(
    "order", [("whole", "again"), ("again", "whole"), ("two", "again", "whole"), ("one", "again")]
)
def test_what_two_runs_asked_a_model_alike_counts_once_as_the_later_one_has_it(
    runs: dict[str, Run], order: tuple[str, ...]
) -> None:
    expected = runs[order[0]].judgements()
    for name in order[1:]:
        later = runs[name].judgements()
        expected = pl.concat([expected.join(later, on=KEY, how="anti"), later])
    data = data_of(runs, *order)
    assert data.replies is not None
    columns = [*KEY, "answer", "correct", "response"]
    shown = data.with_responses().judgements
    assert shown.select(columns).sort(KEY).equals(expected.select(columns).sort(KEY))
    assert "cut" not in shown.columns and "ordinal" not in shown.columns
    for endpoint, score in whole_of(data).items():
        rows = expected.filter(endpoint=endpoint)
        assert (score["n"], score["score"]) == (rows.height, pytest.approx(100 * rows["correct"].mean()))
        by_culture = data.scores.filter(metric="correct", facet="culture", endpoint=endpoint)
        assert by_culture["n"].sum() == score["n"]
        assert data.signatures[score["signature"]].parts["runs"] == "+".join(order)
    assert whole_of(data_of(runs, *order, with_judgements=False)) == whole_of(data)
    of_verdict = data_of(runs, *order, with_judgements=False, with_verdict=True)
    assert whole_of(of_verdict) == whole_of(data) and of_verdict.parts == data.parts
    inputs = load_inputs(runs["whole"].workspace, [runs[name].record for name in order])
    assert (
        inputs.judgements.select(*KEY, "correct").sort(KEY).equals(expected.select(*KEY, "correct").sort(KEY))
    )


def test_conditions_are_told_apart_and_keep_their_own_numbers(runs: dict[str, Run]) -> None:
    data = data_of(runs, "two", "system", "one")
    scores = whole_of(data)
    assert [*scores] == [
        "python/moody@two+one",
        "python/steady@two+one",
        "python/moody@system",
        "python/steady@system",
    ]
    own = {
        score["endpoint"]: score
        for score in runs["system"].scores().filter(metric="correct", facet="all").to_dicts()
    }
    for model in ("python/moody", "python/steady"):
        assert {**scores[f"{model}@system"], "endpoint": model} == own[model]
    assert scores["python/moody@two+one"]["n"] == len(runs["two"].judgements()) // 2 + 2
    answers = dict(data.judgements.group_by("endpoint").agg(pl.col("answer").unique()).iter_rows())
    assert answers["python/moody@system"] == ["B"] and answers["python/moody@two+one"] == ["A"]
    assert [line for line in data.warnings if "alike, system" in line] == [
        "Not asked or judged alike, system: python/moody@two+one and python/steady@two+one task; "
        f"python/moody@system and python/steady@system {data.signatures[own['python/moody']['signature']].parts['system']}."
    ]
    assert data.names["python/moody@system"].endswith("@system")
    view = ReportView(data)
    assert lede(view).startswith("2 models in 4 conditions, on 1 task")
    assert (EACH_MODEL_ONCE in data.warnings) == bool(data.results)
    told = methods_paragraph(view, view.tasks[0])
    assert re.search(
        r"We took 1 reply per prompt and [^;]* for moody@two\+one and steady@two\+one; 1 reply [^;]*"
        r" and a system prompt of our own for moody@system and steady@system\.",
        told,
    ), told
    assert "This report cannot tell" in verdict_of(Leaderboard(view)).text
    assert {name for run in data.runs for name in run.endpoints} == set(scores)
    assert [*data.expenses] == [*scores]
    models = load_inputs(runs["two"].workspace, [runs[name].record for name in ("two", "system")]).judgements
    assert set(models["endpoint"]) == {
        "python/moody@two",
        "python/steady@two",
        "python/moody@system",
        "python/steady@system",
    }


def test_models_are_compared_as_a_report_has_them(runs: dict[str, Run]) -> None:
    """In one condition together, and apart where they are named so."""
    workspace = runs["whole"].workspace
    expected = whole_of(data_of(runs, "two", "one"))
    for names in ((), ("moody", "steady"), ("moody@two+one", "steady@2+3")):
        (compared,) = folkways.compare(*names, runs=["two", "one"], workspace=workspace)
        assert compared.models == ("python/moody", "python/steady")
        (row,) = compared.differences.filter(facet="all").to_dicts()
        assert row["n"] == expected["python/moody"]["n"] and [row["first_score"], row["second_score"]] == (
            pytest.approx([expected[name]["score"] for name in compared.models])
        )
    order = ["two", "system", "one"]
    (conditions,) = folkways.compare(runs=order, workspace=workspace)
    assert [*conditions.models] == [*whole_of(data_of(runs, *order))]
    (named,) = folkways.compare("moody@two+one", "moody@system", workspace=workspace)
    assert named.models == ("python/moody@two+one", "python/moody@system")
    (apart,) = folkways.compare("moody@two", "moody@one", "steady@one", workspace=workspace)
    assert apart.models[:2] == ("python/moody@two", "python/moody@one")
    for name in ("moody", "moody@two+system"):
        with pytest.raises(FolkwaysError, match=r"say which: python/moody@two, python/moody@system$"):
            folkways.compare(name, "steady@two", runs=["two", "system"], workspace=workspace)
    told = r"got python/moody of two and one\n.*To compare its runs with each other, name them: python/moody@two python/moody@one$"
    with pytest.raises(FolkwaysError, match=told):
        folkways.compare("moody", runs=["two", "one"], workspace=workspace)
    with pytest.raises(FolkwaysError, match=r"python/moody is named twice"):
        folkways.compare("moody", "moody@one", runs=["two", "one"], workspace=workspace)


def test_runs_whose_names_have_a_plus_are_named_together(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    for name, cultures in (("a+b", "KR"), ("c", "ET"), ("a", "DE")):
        folkways.run("demo/mcq", [moody, steady], cultures=cultures, name=name, workspace=workspace)
    for at, n in (("a+b+c", 4), ("c+a+b", 4), ("a+a+b", 4), ("a+b", 2), ("c+a+b+a", 6)):
        (compared,) = folkways.compare(f"moody@{at}", f"steady@{at}", workspace=workspace)
        assert compared.differences.filter(facet="all")["n"].to_list() == [n]
    with pytest.raises(FolkwaysError, match=r"unknown model 'moody@b\+c'"):
        folkways.compare("moody@b+c", "steady@a", workspace=workspace)


def test_a_reply_that_came_counts_whatever_a_later_run_lost(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    ask = partial(folkways.run, "demo/mcq", [moody], cultures="KR,ET", workspace=workspace)
    whole = ask(name="whole")
    MOOD[0] = "D"
    stopped = ask(name="stopped", afresh=True, budget="2requests")
    MOOD[0] = "A"
    came = stopped.judgements().filter(pl.col("state") == "answered")
    assert 0 < came.height < whole.judgements().height
    expected = (
        pl.concat([whole.judgements().join(came, on=KEY, how="anti"), came]).select(*KEY, "answer").sort(KEY)
    )
    for order in ((whole, stopped), (stopped, whole)):
        data = collect(workspace, [run.record for run in order])
        (score,) = whole_of(data).values()
        assert (score["n"], score["missing"]) == (expected.height, 0)
        inputs = load_inputs(workspace, [run.record for run in order])
        (first, *_) = order
        if first is whole:
            for judged in (data.judgements, inputs.judged):
                assert judged.select(*KEY, "answer").sort(KEY).equals(expected)
    (line,) = (line for line in data.warnings if "not finished" in line)
    assert "counts as missing, unless another of these runs has it, and stays" in line


def test_a_question_that_two_runs_asked_is_compared_as_the_later_one_has_it(runs: dict[str, Run]) -> None:
    (compared,) = folkways.compare(runs=["whole", "again"], workspace=runs["whole"].workspace)
    expected = whole_of(data_of(runs, "whole", "again"))
    (row,) = compared.differences.filter(facet="all").to_dicts()
    assert row["n"] == expected["python/moody"]["n"] == 18
    assert row["first_score"] == pytest.approx(expected["python/moody"]["score"])
    assert expected["python/moody"]["score"] != whole_of(data_of(runs, "whole"))["python/moody"]["score"]


def test_models_of_single_runs_have_their_own_names_and_no_notes(runs: dict[str, Run]) -> None:
    data = data_of(runs, "system")
    assert [*whole_of(data)] == ["python/moody", "python/steady"] and "alike" not in " ".join(data.warnings)
    assert EACH_MODEL_ONCE not in data.warnings and not data.conditions


def test_prompts_as_they_are_are_scored_with_those_of_treated_runs(runs: dict[str, Run]) -> None:
    data = data_of(runs, "treated", "two")
    score = whole_of(data)["python/moody"]
    plain = (
        runs["whole"]
        .judgements()
        .filter(pl.col("culture").is_in(["KR", "DE", "ET"]), endpoint="python/moody")
    )
    assert (score["n"], score["score"]) == (plain.height, pytest.approx(100 * plain["correct"].mean()))
    of_arms = data.scores.filter(pl.col("value").str.contains("~with-"), endpoint="python/moody").drop(
        "signature"
    )
    alone = (
        runs["treated"]
        .scores()
        .filter(pl.col("value").str.contains("~with-"), endpoint="python/moody")
        .drop("signature")
    )
    assert of_arms.height and of_arms.sort("value", "metric").equals(alone.sort("value", "metric"))


def test_samples_that_two_runs_drew_are_one(runs: dict[str, Run]) -> None:
    scores = whole_of(data_of(runs, "drawn", "also drawn"))
    assert [*scores] == ["python/moody", "python/steady"]
    own = runs["drawn"].judgements(), runs["also drawn"].judgements()
    together = pl.concat(own).unique(KEY).filter(endpoint="python/moody")
    assert scores["python/moody"]["n"] == together.height
    populations = runs["whole"].judgements().filter(endpoint="python/moody")["culture"].value_counts()
    by_culture = together.group_by("culture").agg(pl.col("correct").mean()).join(populations, on="culture")
    weighted = (by_culture["correct"] * by_culture["count"]).sum() / by_culture["count"].sum()
    assert scores["python/moody"]["score"] == pytest.approx(100 * weighted)
    data = data_of(runs, "drawn", "whole")
    assert [line for line in data.warnings if "alike" in line] == [
        f"Not asked or judged alike, sampling: python/{name}@drawn until=30,by=culture; python/{name}@whole none."
        for name in ("moody", "steady")
    ]
    assert [*whole_of(data)] == [
        "python/moody@drawn",
        "python/steady@drawn",
        "python/moody@whole",
        "python/steady@whole",
    ]


@pytest.mark.parametrize("names", [("KR", "DE"), ("DE", "KR"), ("KR,DE", "KR"), ("KR", "KR,DE")])
def test_guessing_and_people_are_of_all_questions_that_were_asked(
    parts_and_whole: tuple[Workspace, dict[str, RunRecord]], names: tuple[str, str]
) -> None:
    workspace, runs = parts_and_whole
    together, whole = (
        collect(workspace, [runs[name] for name in of], with_judgements=False) for of in (names, ["KR,DE"])
    )
    key = ["endpoint", "task", "profile", "metric", "facet", "value"]
    assert {*together.people.filter(facet="culture")["value"]} == {"KR", "DE"}
    assert any(map(is_baseline, together.scores["endpoint"]))
    for frame, expected in ((together.people, whole.people), (together.scores, whole.scores)):
        assert frame.drop("signature").sort(key).equals(expected.drop("signature").sort(key))
    assert {*together.people["signature"], *together.scores["signature"]} <= {*together.signatures}


def test_without_the_data_guessing_is_of_the_last_run_and_a_report_says_so(
    parts_and_whole: tuple[Workspace, dict[str, RunRecord]],
) -> None:
    workspace, runs = parts_and_whole
    counts = Path(workspace.location).with_name("counts.csv")
    elsewhere = counts.rename(counts.with_name("elsewhere.csv"))
    data = collect(workspace, [runs["KR"], runs["DE"]], with_judgements=False)
    elsewhere.rename(counts)
    assert {*data.people.filter(facet="culture")["value"]} == {"DE"}
    assert not any(map(is_baseline, data.people["endpoint"]))
    (told,) = (line for line in data.warnings if line.startswith("What guessing and people score"))
    assert " is of the questions of run DE alone: " in told


@pytest.fixture(scope="module")
def parts_and_whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, RunRecord]]:
    """A survey, which knows its people and what guessing scores, asked of two countries in two runs and in one."""
    folder = tmp_path_factory.mktemp("parts")
    write_survey(folder)
    workspace = open_workspace(folder / "w.db")
    how: dict[str, Any] = {"workspace": workspace, "releases": {"survey": str(folder)}}
    runs = {
        name: folkways.run("survey/opinions", [steady], name=name, cultures=name, **how)
        for name in ("KR", "DE", "KR,DE")
    }
    return workspace, {name: run.record for name, run in runs.items()}


def test_what_was_asked_of_a_task_is_what_all_runs_asked(runs: dict[str, Run]) -> None:
    assert data_of(runs, "two", "whole").parts == {}
    asked = runs["two"].judgements().filter(endpoint="python/moody").height + 2
    rows = runs["whole"].judgements().filter(endpoint="python/moody").select(ASKED_BY).height
    for names in (("two", "one"), ("one", "two")):
        assert (
            data_of(runs, *names).parts["demo/mcq"]
            == f"{asked} of the {rows} rows that the task asks by default"
        )


def test_replies_that_the_limit_cut_are_counted_over_all_runs(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    items = (
        get_task("demo/mcq").items(open_release("demo", "demo")).filter(pl.col("culture").is_in(["KR", "ET"]))
    )
    told = items.select("item", response=pl.lit("The answer"), finish_reason=pl.lit("length"))
    made = [
        folkways.run(
            "demo/mcq", folkways.model(told, name="cut"), name=name, cultures=name, workspace=workspace
        )
        for name in ("KR", "ET")
    ]
    data = collect(workspace, [run.record for run in made])
    (score,) = data.scores.filter(metric="correct", facet="all").to_dicts()
    assert (score["cut"], score["truncated"], score["n"]) == (items.height, items.height, items.height)
    (warned,) = (line for line in data.warnings if "cut" in line)
    assert warned.startswith(f"{items.height} of {items.height} replies of ")


def test_a_reply_that_two_runs_use_was_paid_once(runs: dict[str, Run]) -> None:
    def requests(*names: str) -> int:
        return int(
            data_of(runs, *names, with_judgements=False, with_verdict=True).expenses["python/moody"].requests
        )

    assert requests("whole", "two") == requests("whole") == 18
    assert requests("two", "one") == requests("two") + requests("one") == 6
    assert requests("two", "again") == 6


def test_a_run_that_is_named_twice_is_one(runs: dict[str, Run]) -> None:
    workspace = runs["whole"].workspace
    found = find_asked_runs(workspace, ["also drawn", "last", "1", "whole", "8"])
    assert [run.name for run in found] == ["also drawn", "whole"]
    one, both = (verdict_on_runs(names, workspace=workspace) for names in (["last"], ["last", "also drawn"]))
    assert one == both
    (named,) = folkways.compare("moody", "steady", runs=["also drawn", "last"], workspace=workspace)
    (alone,) = folkways.compare("moody", "steady", runs="also drawn", workspace=workspace)
    assert named.models == alone.models and named.differences.equals(alone.differences)


def test_a_question_of_several_statements_is_of_one_run(tmp_path: Path) -> None:
    """Its value is on one of its rows, and another in each run."""
    workspace = open_workspace(tmp_path / "w.db")
    lost: set[int] = set()
    asked = [0]

    def fickle(prompt: str) -> str:
        asked[0] += 1
        if asked[0] % 36 in lost:
            raise ValueError("lost")
        return "True"

    runs = []
    for lost_now in ({0, 5, 9, 13, 20, 21, 22}, set(), {1, 2, 6, 7, 15, 20, 23, 30}):
        lost, asked[0] = lost_now, -1
        again = folkways.run(
            "demo/true-false", [fickle], afresh=True, attempts=1, max_failed=1, workspace=workspace
        )
        runs.append(again.record)
    for order in (runs, runs[::2], runs[::-2]):
        data = collect(workspace, order)
        (score,) = data.scores.filter(
            ~pl.col("endpoint").str.starts_with("baseline"), metric="all_right", facet="all"
        ).to_dicts()
        values = data.judgements.group_by("question").agg(pl.col("all_right").count())
        assert score["n"] == 9 and [*values["all_right"]] == [1] * 9
        assert score["failed"] == 0 or order is not runs


def test_analyses_say_that_models_count_once(runs: dict[str, Run]) -> None:
    of_runs = ("-w", runs["whole"].workspace.location)
    for names, said in ((("whole", "system"), 1), (("whole",), 0)):
        done = command_line("analyse", *names, *of_runs)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count(EACH_MODEL_ONCE) == said


@pytest.mark.parametrize(
    ("names", "per_reply", "small"),
    [
        (("whole", "two"), True, True),
        (("whole", "two"), False, False),
        (("drawn", "also drawn"), True, False),
        (("drawn", "also drawn"), False, False),
    ],
)
def test_judgements_of_several_runs_are_small_where_the_task_can_have_that_and_no_sample_was_drawn(
    runs: dict[str, Run],
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, str],
    per_reply: bool,
    small: bool,
) -> None:
    seen = []

    def noted(task: Any, options: Any, populations: Any, judged: pl.DataFrame) -> pl.DataFrame:
        seen.append(pl.UInt8 in judged.dtypes or pl.Categorical in judged.dtypes)
        return scores_of_run(task, options, populations, judged)

    task = get_task("demo/mcq")
    monkeypatch.setattr(together, "scores_of_run", noted)
    monkeypatch.setattr(type(task), "scoring", replace(task.scoring, per_reply=per_reply))
    data_of(runs, *names)
    assert {*seen} == {small}
