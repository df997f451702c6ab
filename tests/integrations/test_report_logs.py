"""Reports of records and logs of other programs, and of these beside runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways as public
from folkways.errors import DataError, FolkwaysError
from folkways.integrations.compare_logs import compare_logs
from folkways.integrations.leaderboard import contributions_of
from folkways.reports.views.board import Board
from tests.integrations.test_every_eval_ever_records import record
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.eval_logs import sample, write_inspect_log

RIGHT = [1.0] * 30 + [0.0] * 10
WILSON = (59.8, 85.8)
"""Percent: 95 % of 30 of 40."""


def quiz(folder: Path, model: str, score: float, **uncertainty: Any) -> Path:
    """The aggregate of another program, whose score is a proportion."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        "evaluation_name": "quiz",
        "source_data": {"dataset_name": "quiz", "source_type": "other"},
        "metric_config": {
            "metric_id": "accuracy", "metric_name": "Accuracy", "lower_is_better": False,
            "score_type": "continuous", "min_score": 0.0, "max_score": 1.0,
        },
        "score_details": {"score": score, "uncertainty": uncertainty},
        "evaluation_result_id": "toxicity",
    }  # fmt: skip
    document = {
        "schema_version": "0.3.0",
        "evaluation_id": f"quiz/{model}/1",
        "retrieved_timestamp": "1764201600",
        "model_info": {"id": model, "name": model},
        "evaluation_results": [result],
    }
    path = folder / "0.json"
    path.write_text(json.dumps(document))
    return path


def with_instances(folder: Path, model: str, scores: list[float], **uncertainty: Any) -> Path:
    """The same, with the judgements whose mean it is."""
    samples = record(folder, model, scores, aggregate=False)
    path = quiz(folder, model, sum(scores) / len(scores), **uncertainty)
    named = {"detailed_evaluation_results": {"format": "jsonl", "file_path": f"data/q/m/x/{samples.name}"}}
    path.write_text(json.dumps(json.loads(path.read_bytes()) | named))
    return path


LOWER = {"kind": "mean", "scale": 1.0, "lower_is_better": True, "per": "item", "headline_by": None}


@pytest.mark.parametrize(
    ("stated", "score"),
    [
        ({**LOWER, "bounds": [0, 10]}, 4.0),
        ({**LOWER, "bounds": None}, 2.8),
        ({**LOWER, "bounds": [0, 10], "lower_is_better": False}, 2.0),
        (None, 2.0),
    ],
)
def test_a_failed_sample_counts_as_the_worst_value(
    tmp_path: Path, stated: dict[str, Any] | None, score: float
) -> None:
    """Half of the samples that were scored have 1, half 4; a fifth failed."""
    scored = [sample(number, {"distance": (1, 4)[number % 2]}) for number in range(32)]
    failed = [sample(number, None) for number in range(32, 40)]
    about = {} if stated is None else {"metadata": {"folkways_metrics": {"distance": stated}}}
    row = public.read_scores(write_inspect_log(tmp_path / "x.eval", scored + failed, **about)).row(
        0, named=True
    )
    assert (row["n"], row["missing"], row["score"]) == (40, 8, pytest.approx(score))


def test_a_log_of_our_scorer_says_which_replies_never_came_and_which_do_not_count(tmp_path: Path) -> None:
    """As ``inspect eval folkways/...`` writes them."""
    states = ["answered"] * 30 + ["failed"] * 6 + ["refused"] * 4
    samples = [
        sample(number, {"judged": {"right": float(state == "answered")}})
        for number, state in enumerate(states)
    ]
    for one, state in zip(samples, states, strict=True):
        one["scores"]["judged"]["metadata"] = {"state": state, "counted": one["id"] >= 10}
    row = public.read_scores(write_inspect_log(tmp_path / "x.eval", samples)).row(0, named=True)
    assert (row["n"], row["missing"], row["answered"], row["coverage"]) == (30, 6, 24, 0.8)
    assert row["score"] == pytest.approx(100 * 20 / 30)


@pytest.mark.parametrize("written", [0.0, 1.0])
def test_a_record_keeps_the_score_that_it_states_whatever_it_counts_for_a_failure(
    tmp_path: Path, written: float
) -> None:
    failed, scores = 8, [1.0] * 8 + [0.0] * 24
    path = with_instances(tmp_path, "org/a", [*scores, *([written] * failed)])
    document = json.loads(path.read_bytes())
    config = {"lower_is_better": True, "min_score": 0, "max_score": 1}
    document["evaluation_results"][0]["metric_config"] |= config
    path.write_text(json.dumps(document))
    samples = path.with_name("0_samples.jsonl")
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    for row in rows[-failed:]:
        row |= {"output": {"raw": []}, "error": "timeout"}
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    row = public.read_scores(path).row(0, named=True)
    assert (row["score"], row["n"], row["missing"]) == (100 * (8 + failed * written) / 40, 40, failed)
    assert row["low"] is not None


def test_scores_of_other_people_have_the_interval_of_their_judgements_or_say_that_there_is_none(
    tmp_path: Path,
) -> None:
    stated = {"confidence_interval": {"lower": 0.7, "upper": 0.8, "confidence_level": 0.9, "method": "z"}}
    usual = {"confidence_interval": {"lower": 0.65, "upper": 0.85, "method": "bootstrap"}}
    paths = [
        with_instances(tmp_path / "a", "org/instances", RIGHT),
        quiz(tmp_path / "b", "org/alone", 0.75),
        quiz(tmp_path / "c", "org/ninety", 0.75, **stated),
        quiz(tmp_path / "d", "org/stated", 0.75, **usual, num_samples=40),
        record(tmp_path / "e", "org/rows", RIGHT, aggregate=False),
        with_instances(tmp_path / "f", "org/clustered", RIGHT, **stated),
    ]
    scores = public.read_scores(*paths)
    rows = {row["endpoint"]: row for row in scores.iter_rows(named=True)}
    assert {row["score"] for row in rows.values()} == {75}
    ends = {
        name: (row["low"] and round(row["low"], 1), row["high"] and round(row["high"], 1))
        for name, row in rows.items()
    }
    none = (None, None)
    assert ends == {
        "org/instances": WILSON, "org/alone": none, "org/ninety": none, "org/stated": (65.0, 85.0),
        "org/rows": WILSON, "org/clustered": WILSON,
    }  # fmt: skip
    said = {name: row["interval"] for name, row in rows.items()}
    assert said["org/alone"] == "none: the record has no single judgements"
    assert said["org/ninety"].endswith("; it states one of 90 %") and said["org/stated"] == "bootstrap"
    assert (rows["org/rows"]["n"], rows["org/rows"]["coverage"], rows["org/stated"]["n"]) == (40, 1, 40)


def test_the_signature_of_other_peoples_scores_has_what_their_record_says_of_them(tmp_path: Path) -> None:
    path = quiz(tmp_path / "a", "org/a", 0.5)
    document = json.loads(path.read_bytes())
    (result,) = document["evaluation_results"]

    def signature() -> str:
        path.write_text(json.dumps(document))
        (text,) = public.read_scores(path)["signature"]
        return str(text)

    assert signature() == "task:quiz|data:quiz"
    result["source_data"] = {}
    assert signature() == "task:quiz"
    document["eval_library"] = {"name": "their_harness", "version": "1"}
    result["source_data"]["hf_repo"] = "them/quiz"
    arguments = {"temperature": 0, "max_tokens": 5}
    result["generation_config"] = {"generation_args": arguments}
    others = "task:quiz|data:them/quiz{}|settings:max_tokens=5,temperature=0|by:their_harness"
    assert signature() == others.format("")
    texts = ["Q: {question}", "Question: {question}"]
    prompts = set()
    for text in texts:
        result["generation_config"]["generation_args"] = {**arguments, "prompt_template": text}
        (found,) = re.findall(re.escape(others).replace(r"\{\}", r"\|prompts:elsewhere#(\w+)"), signature())
        prompts.add(found)
    assert len(prompts) == 2


@pytest.mark.parametrize("score", [0.0, 1.5, -40.0, 1e9])
def test_a_report_has_scores_outside_of_shares_also_where_no_interval_is_known(
    tmp_path: Path, score: float
) -> None:
    """Few samples of a metric without bounds have no interval; the axis has the scores then."""
    logs = [
        write_inspect_log(
            tmp_path / f"{model}.eval",
            [sample(number, {"words": score + model * number - 3}) for number in range(5)],
            model=f"org/m{model}",
        )
        for model in (0, 1)
    ]
    out = tmp_path / "report"
    public.report_logs(*logs, out=out, formats="html,md,csv,parquet,latex")
    table = pl.read_csv(out / "scores.csv")
    assert table["score"].to_list() == pytest.approx([score - 3, score - 1])
    assert table["low"].null_count() == 2


def test_a_report_of_records_shows_their_intervals_and_warns_of_scores_without(tmp_path: Path) -> None:
    """From Python; a result that a record has twice is shown once."""
    with_instances(tmp_path / "in/a", "org/one", RIGHT)
    path = quiz(tmp_path / "in/b", "org/two", 0.5)
    document = json.loads(path.read_bytes())
    document["evaluation_results"] *= 2
    path.write_text(json.dumps(document))
    files = public.report_logs(
        tmp_path / "in", out=tmp_path / "out", formats="md,parquet", title="Quiz night"
    )
    assert {file.name for file in files} == {"report.md", "scores.parquet", "judgements.parquet"}
    page = (tmp_path / "out/report.md").read_text()
    assert page.startswith("# Quiz night") and "59.8" in page and "85.8" in page
    assert "org/two on quiz has no interval (none: the record has no single judgements)" in page
    assert page.count("has no interval") == 1
    scores = pl.read_parquet(tmp_path / "out/scores.parquet")
    assert sorted(scores["model"]) == ["org/one", "org/two"]
    with pytest.raises(FolkwaysError, match="prices= does not apply"):
        public.report_logs(path, out=tmp_path / "out", prices="prices.toml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no record of Every Eval Ever, no run of HELM, no log of Inspect"):
        public.read_scores(tmp_path / "empty")


def test_a_run_and_its_record_stand_in_one_report_with_the_same_numbers(tmp_path: Path) -> None:
    with ChatServer(mode="fixed:A") as server:
        for name, model in (("first", "org/one"), ("second", "org/two")):
            where = ("-w", tmp_path / "w.db", "--name", name)
            asked = folkways("run", "demo/mcq", "-m", f"{server.url}/v1#{model}", *where)
            assert asked.returncode == 0, asked.stderr
    where = ("-w", tmp_path / "w.db", "--out")
    assert folkways("export", "every-eval-ever", "second", *where, tmp_path / "share").returncode == 0
    done = folkways("report", "first", tmp_path / "share", *where, tmp_path / "out", "--format", "md,parquet")
    assert done.returncode == 0, done.stderr
    scores = pl.read_parquet(tmp_path / "out/scores.parquet").filter(facet="all")
    assert scores["model"].to_list() == ["org/one", "org/two"]
    for column in ("score", "low", "high", "n"):
        first, second = scores[column]
        assert first == pytest.approx(second, abs=1e-9), column
    brief = folkways("report", "first", tmp_path / "share", "-w", tmp_path / "w.db", "--brief")
    assert brief.returncode == 0 and "so this report gives no reason" in brief.stdout


def test_a_score_of_a_log_counts_the_samples_that_have_it_and_those_that_failed(tmp_path: Path) -> None:
    """A scorer that gives nothing for a sample does not make it wrong."""
    samples = [
        *(sample(number, {"first": "C", "second": "C" if number < 2 else "I"}) for number in range(4)),
        *(sample(number, {"second": "C"}) for number in range(4, 10)),
        sample(10, None),
    ]
    path = write_inspect_log(tmp_path / "a.eval", samples)
    for name, right, n in (("first", 4, 5), ("second", 8, 11)):
        of_sample = [sorted(one["scores"].items(), key=lambda pair: pair[0] != name) for one in samples]
        scored = [{**one, "scores": dict(scores)} for one, scores in zip(samples, of_sample, strict=True)]
        rows = public.read_scores(write_inspect_log(path, scored))
        (row,) = rows.filter(facet="all").iter_rows(named=True)
        assert (row["metric"], row["n"], row["missing"]) == (name, n, 1)
        assert row["score"] == pytest.approx(100 * right / n)


def test_a_run_is_found_though_a_folder_has_its_name_unless_scores_lie_there(tmp_path: Path) -> None:
    """Such as the folder of its own report."""
    replies = tmp_path / "replies.csv"
    replies.write_text("item,response\nUS/school-1,A\n")
    folkways("run", "demo/mcq", "--model", f"replay:{replies}", "--name", "mine", cwd=tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").touch()
    site = folkways("site", "mine", "--out", "site", cwd=tmp_path)
    assert (site.returncode, "1 task" in site.stderr + site.stdout) == (0, True), site.stderr
    quiz(tmp_path / "mine", "org/one", 0.75)
    assert public.read_scores(tmp_path / "mine")["task"].unique().to_list() == ["quiz"]
    (tmp_path / "theirs").mkdir()
    nowhere = folkways("site", "theirs", "--out", "site", cwd=tmp_path)
    assert "and no run has its name" in nowhere.stderr


def test_a_score_of_other_people_beyond_its_stated_ends_has_no_rank(tmp_path: Path) -> None:
    """Many state percent, and 1 as the highest score."""
    for model, score in (("org/one", 75.0), ("org/two", 0.5)):
        quiz(tmp_path / model, model, score)
    board = folkways("site", tmp_path / "org", "--out", tmp_path / "s")
    assert board.returncode == 0, board.stderr
    words = "org/one on quiz: no rank, the score 7500 does not lie between 0 and 100, as Accuracy does"
    assert words in board.stderr and "org/two on quiz: no rank" not in board.stderr


def test_an_interval_of_other_people_beyond_the_ends_of_the_metric_takes_no_rank(tmp_path: Path) -> None:
    """As those of a standard error are where a score is near an end."""
    for model, score, low, high in (("org/one", 0.97, 0.93, 1.01), ("org/two", 0.02, -0.01, 0.05)):
        ends = {"lower": low, "upper": high, "method": "standard error"}
        quiz(tmp_path / model, model, score, confidence_interval=ends, num_samples=60)
    board = folkways("site", tmp_path / "org", "--out", tmp_path / "s")
    assert (board.returncode, "no rank" in board.stderr) == (0, False), board.stderr


@pytest.mark.parametrize("stated", [{"per": "question"}, {"mean_over": "subject"}, {"headline_by": "split"}])
def test_what_other_people_name_as_we_do_says_nothing_of_their_means(
    stated: dict[str, str], tmp_path: Path
) -> None:
    paths = [with_instances(tmp_path / model, model, RIGHT) for model in ("org/one", "org/two")]
    for path in paths:
        document = json.loads(path.read_bytes())
        document["evaluation_results"][0]["metric_config"]["metric_parameters"] = stated
        path.write_text(json.dumps(document))
    (comparison,) = compare_logs(*paths)
    metric = comparison.metric
    assert (metric.per, metric.mean_over, metric.headline_by) == ("item", None, None)


def test_shares_of_refused_and_cut_replies_are_told_of_what_folkways_judged_alone(tmp_path: Path) -> None:
    """A log of another program has no such states: 0 % would be false."""
    replies = tmp_path / "replies.csv"
    replies.write_text("item,language,response\nUS/school-1,en,A\nDE/money-1,en,I cannot answer that.\n")
    mine = ("run", "demo/mcq", "--model", f"replay:{replies}", "--max-failed", "100", "--name", "mine")
    folkways(*mine, cwd=tmp_path)
    log = write_inspect_log(tmp_path / "a.eval", [sample(1, {"s": 1}), sample(2, {"s": 0})], model="theirs")
    out = ("--format", "html,md", "--out", "r")
    for named, shown in (((log,), False), (("mine",), True), (("mine", log), True)):
        done = folkways("report", *named, *out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("refused" in done.stdout) is shown, done.stdout
        table = done.stdout.partition("refused")[2]
        assert bool(re.search(r"^(replay )?replies +50.0\s% +0\s%$", table, re.MULTILINE)) is shown, table
        assert not re.search(r"^theirs .*%", table, re.MULTILINE)
        html = (tmp_path / "r/report.html").read_text()
        assert ('Refused<span class="full">of replies' in html) is shown
        lines = (tmp_path / "r/report.md").read_text().splitlines()
        ends = [re.findall(r"\|([^|]+)", line) for line in lines if line.startswith("| theirs |")]
        assert [[cell.strip() for cell in cells[6:12]] for cells in ends] == (
            [["2", "–", "–", "–", "0", "0"]] if log in named else []
        )


@pytest.mark.parametrize(("metric", "guessing"), [("all_right", {"culturalbench/hard": 6.25}), ("right", {})])
def test_what_guessing_scores_on_the_headline_stands_beside_no_other_metric(
    tmp_path: Path, metric: str, guessing: dict[str, float]
) -> None:
    """A log may have single judgements alone, of which guessing gets more right than whole questions."""
    samples = [sample(number, {metric: float(number % 2)}) for number in range(40)]
    log = write_inspect_log(tmp_path / "a.eval", samples, task="culturalbench/hard")
    assert Board(contributions_of([str(log)], tmp_path / "w.db"), "").view.data.chance == guessing
