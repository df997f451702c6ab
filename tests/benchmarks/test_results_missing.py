"""What was not asked is no zero: every analysis of every benchmark, with a stopped run, lost replies and a
baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import needs_whole_questions
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.results import LEAST_COVERAGE, Inputs, Result, ResultTables, make_results
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.benchmarks.xcr import release as xcr
from folkways.display import MOST_NAMED
from folkways.records import ModelCard
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import write_culturalbench
from tests.support.xcr_data import write_csv, write_small_corpus
from tests.support.xcr_judgements import CATEGORIES

LANGUAGE = {"KR": "ko", "ES": "es", "US": "en", "ET": "am"}
REGIONS = {"JP": "East Asia", "KR": "East Asia", "PE": "South America", "ES": "Southern Europe"}
ADAPTED = ("ARAB", "CN", "IN-WB", "BD")
TOPICS = ("Food", "Sport")
MODELS = ("lab/small", "lab/small?reasoning_effort=high", "lab/large", "lab/late")
CARDS = {
    "lab/small": ModelCard("Us", "Ours", 8, date(2024, 1, 1)),
    "lab/large": ModelCard("Us", "Ours", 70, date(2024, 1, 1)),
    "lab/late": ModelCard("Us", "Ours", 8, date(2025, 1, 1)),
    "lab/stopped": ModelCard("Us", "Ours", 405, date(2024, 1, 1)),
}
LEFT_OUT_FIRST = {"blend": "South Korea", "xcr": "Arab|Anglo"} | dict.fromkeys(
    ("culturalbench", "global-mmlu-lite", "global-piqa", "normad"), "Japan"
)
"""The culture that the stopped run did not reach."""

AT_NIGHT = {"csi-categories", "hall-elements"}
"""Made as ``hall-levels`` is, from other columns."""

EVERY = [
    pytest.param(
        name, result, id=f"{name}/{result.name}", marks=pytest.mark.nightly if result.name in AT_NIGHT else ()
    )
    for name, benchmark in benchmarks().items()
    for result in benchmark.results
    if result.tasks and not result.name.startswith(("whose-", "consistency-"))
    if not result.name.endswith(("-whose-values", "-instrument"))
    if not any(need.file for need in result.needs)
]
"""Without those that need real answers, one question asked in several ways, or a file of the user's: they have
tests of their own."""


def drawn(*parts: object) -> float:
    """A number from 0 to 1, always the same for the same parts."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=4).digest(), "big") / 2**32


def row(
    task: str, endpoint: str, culture: str, question: str, language: str = "en", **more: Any
) -> dict[str, Any]:
    return {
        "task": task,
        "item": f"{culture}/{question}",
        "question": question,
        "culture": culture,
        "language": language,
        "endpoint": endpoint,
        "variant": "plain",
        "sample": 0,
        "counted": True,
        "state": "answered",
        "answer": "A",
        "reason": "",
        "profile": "paper",
        **more,
    }


def blend(endpoint: str) -> list[dict[str, Any]]:
    rows = []
    for culture, own in LANGUAGE.items():
        for number in range(24):
            facets = {"topic": TOPICS[number % 2]}
            for language in dict.fromkeys((own, "en")):
                value = float(drawn(endpoint, culture, number, language) < 0.6)
                rows.append(
                    row(
                        "blend/saq", endpoint, culture, f"{culture}-{number}", language, sem_b=value, **facets
                    )
                )
            value = float(drawn(endpoint, culture, number) < 0.5)
            rows.append(row("blend/mcq", endpoint, culture, f"{culture}-{number}", accuracy=value, **facets))
    return rows


def culturalbench(endpoint: str) -> list[dict[str, Any]]:
    rows = []
    for place, (culture, region) in enumerate(REGIONS.items()):
        for number in range(20 * place, 20 * place + 20):
            facets = {"mode": ("single", "multi")[number % 2], "region": region}
            value = float(drawn(endpoint, number) < 0.6)
            rows.append(
                row("culturalbench/easy", endpoint, culture, str(number), right=value, **facets)
                | {"item": f"easy/{number}"}
            )
            judged = [float(drawn(endpoint, number, part) < 0.8) for part in range(4)]
            wrong = next((part for part in range(4) if not judged[part]), 0)
            for part in range(4):
                stands = min(judged) if part == wrong else None
                item = f"hard/{number}/{4 * number + part}"
                made = row(
                    "culturalbench/hard",
                    endpoint,
                    culture,
                    str(number),
                    right=judged[part],
                    all_right=stands,
                    **facets,
                )
                rows.append(made | {"item": item})
    return rows


def of_xcr(endpoint: str) -> list[dict[str, Any]]:
    rows = []
    for number in range(35):
        question = _questions()[number] if number < len(_questions()) else f"made-{number}"
        facets = {
            "category": CATEGORIES[number % 7],
            "hall_level": ("Visible", "Invisible")[number % 2],
            "element": ("Art", "Games")[number % 2],
        }
        value = drawn(endpoint, number)
        for task, metric in (("xcr/identification", "si_csi"), ("xcr/prediction", "hp_csi")):
            rows.append(
                row(
                    task,
                    endpoint,
                    "ANGLO",
                    question,
                    **{metric: round(value) if metric == "hp_csi" else value},
                    **facets,
                )
            )
        for culture in ADAPTED:
            value = drawn(endpoint, number, culture)
            scores = {
                "csi_edit_intra": value,
                "csi_edit_inter": value / 2,
                "strategy": ("Label", "Transference")[number % 2],
            }
            rows.append(row("xcr/adaptation", endpoint, culture, question, **scores, **facets))
    return rows


def global_mmlu_lite(endpoint: str) -> list[dict[str, Any]]:
    return [
        row(
            "global-mmlu-lite/mcq",
            endpoint,
            culture,
            f"{culture}-{number}",
            language,
            **{"sensitivity": kind, "accuracy": value},
        )
        for culture, kind in (("JP", "CS"), ("WORLD", "CA"))
        for number in range(24)
        for language in ("en", "ko")
        for value in [float(drawn(endpoint, culture, number, language) < 0.6)]
    ]


def global_piqa(endpoint: str) -> list[dict[str, Any]]:
    return [
        row("global-piqa/mcq", endpoint, culture, f"{culture}-{number}", variety=variety, accuracy=value)
        for culture, variety in (("JP", "jpn_jpan"), ("KR", "kor_hang"), ("PE", "spa_latn_peru"))
        for number in range(24)
        for value in [float(drawn(endpoint, culture, number) < 0.7)]
    ]


def normad(endpoint: str) -> list[dict[str, Any]]:
    return [
        row("normad/acceptable", endpoint, culture, f"{culture}-{number}", gold_label=label, accuracy=value)
        | {"variant": level}
        for culture, label in (("JP", "yes"), ("KR", "no"), ("WORLD", "neutral"))
        for number in range(24)
        for level in ("story", "country", "value", "rule")
        for value in [float(drawn(endpoint, culture, number, level) < 0.5)]
    ]


MAKERS = {
    "blend": blend,
    "culturalbench": culturalbench,
    "xcr": of_xcr,
    "global-mmlu-lite": global_mmlu_lite,
    "global-piqa": global_piqa,
    "normad": normad,
}


@cache
def release(benchmark: str) -> Release:
    root = Path(mkdtemp())
    if benchmark == "culturalbench":
        return write_culturalbench(root)
    (root / "prompts").mkdir()
    shown = (
        "Input: They keep slippers by the door.\nOutput: They keep <CSI>slippers</CSI> by the "
        "<CSI>door</CSI>.\n"
    )
    (root / xcr.PROMPT_FILES["prediction"]).write_text(shown, encoding="utf-8")
    for culture in ("IN-WB", "BD"):
        gold = [
            (sentence, "<CSI> one </CSI> two", "<CSI> one </CSI> two") for sentence in _corpus()["sentence"]
        ]
        write_csv(
            root / xcr.ADAPTATION_FILES[culture], [("Sentence", "Intra-lingual", "Inter-lingual"), *gold]
        )
    return write_small_corpus(root)


@cache
def _corpus() -> pl.DataFrame:
    return xcr.corpus(write_small_corpus(Path(mkdtemp())))


def _questions() -> list[str]:
    return _corpus()["id"].to_list()


@cache
def judged(benchmark: str, endpoint: str) -> pl.DataFrame:
    return pl.DataFrame(MAKERS[benchmark](endpoint), infer_schema_length=None)


def zeros(rows: pl.DataFrame, where: pl.Expr, state: str) -> pl.DataFrame:
    """The rows as they are judged where nothing came back: every metric 0."""
    metrics = [name for name, kind in rows.schema.items() if kind == pl.Float64]
    lost = [
        pl.when(where & pl.col(name).is_not_null()).then(0.0).otherwise(name).alias(name) for name in metrics
    ]
    return rows.with_columns(*lost, state=pl.when(where).then(pl.lit(state)).otherwise("state"))


def stopped(benchmark: str, endpoint: str = "lab/stopped") -> pl.DataFrame:
    """A run that did not get to the first culture of each task."""
    rows = judged(benchmark, endpoint)
    return zeros(rows, pl.col("culture") == pl.col("culture").first().over("task"), "missing")


def findings(benchmark: str, *frames: pl.DataFrame) -> Inputs:
    rows = pl.concat(frames, how="diagonal_relaxed")
    known = [get_task(name) for name in rows["task"].unique(maintain_order=True)]
    needed = known if benchmark in ("culturalbench", "xcr") else []
    releases: Mapping[str, Release] = {task.name: release(benchmark) for task in needed}
    whole = frozenset(task.name for task in known if needs_whole_questions(task))
    return Inputs(rows, {task.name: task.metrics for task in known}, releases, CARDS, whole)


@cache
def complete(benchmark: str) -> Inputs:
    return findings(benchmark, *(judged(benchmark, endpoint) for endpoint in MODELS))


def only(result: Result, found: Inputs) -> ResultTables:
    """What is made of the result, and nothing is left out."""
    ((made,), left_out) = make_results([result], found)
    assert not left_out
    return made


def alike(one: ResultTables, other: ResultTables) -> bool:
    tables, others = ({table.name: table.rows for table in made.tables} for made in (one, other))
    return tables.keys() == others.keys() and all(rows.equals(others[name]) for name, rows in tables.items())


@pytest.mark.parametrize(("benchmark", "result"), EVERY)
def test_a_stopped_run_a_baseline_and_a_few_lost_replies_change_no_number(
    benchmark: str, result: Result
) -> None:
    """The lost replies are left out and not counted as wrong."""
    whole = complete(benchmark)
    last = pl.col("question") == pl.col("question").last().over("task", "culture")
    gone = last & (pl.col("endpoint") == "lab/small")
    # Of a question of four judgements only one is lost, and the question is not known all the same.
    one_row = gone & (
        ~pl.col("item").str.starts_with("hard/")
        | (pl.col("item") == pl.col("item").last().over("task", "culture"))
    )
    some = zeros(whole.judged, one_row, "failed")
    baseline = judged(benchmark, "baseline/echo")
    made = only(result, findings(benchmark, some, stopped(benchmark), baseline))
    assert alike(made, only(result, replace(whole, judged=whole.judged.filter(~gone))))
    for table in made.tables:
        assert any("lab/stopped is left out" in note for note in table.notes)
        assert not any("baseline" in note for note in table.notes if "left out" in note)
    assert any("have no reply and are left out" in note for note in made.tables[0].notes)


@pytest.mark.parametrize(("benchmark", "result"), EVERY)
def test_of_a_stopped_run_alone_nothing_is_made_and_it_says_where(benchmark: str, result: Result) -> None:
    made, left_out = make_results([result], findings(benchmark, stopped(benchmark)))
    assert not made
    (why,) = left_out.values()
    assert any(name in why for name in LEFT_OUT_FIRST[benchmark].split("|")), why
    assert "0 of " in why and "(0 %)" in why and f"{LEAST_COVERAGE:.0%}".replace("%", " %") in why


@pytest.mark.parametrize(("benchmark", "result"), EVERY)
def test_baselines_alone_are_no_models(benchmark: str, result: Result) -> None:
    made, left_out = make_results([result], findings(benchmark, judged(benchmark, "baseline/echo")))
    assert not made and "not of baselines alone" in left_out[result.name]


@pytest.mark.parametrize("state", ["refused", "unreadable"])
def test_refused_and_unreadable_replies_count_as_the_rule_has_it(state: str) -> None:
    rows = judged("blend", "lab/small")
    silent = zeros(rows, pl.col("culture") == "KR", state)
    found = findings("blend", silent)
    assert found.judgements.filter(culture="KR", task="blend/saq")["sem_b"].sum() == 0
    assert found.judgements.height == rows.height


@pytest.mark.parametrize(("lost", "taken"), [(2, True), (3, False)])
def test_the_bound_is_a_share_of_every_group(lost: int, taken: bool) -> None:
    rows = judged("blend", "lab/small").filter(task="blend/mcq")
    gone = (pl.col("culture") == "ET") & (pl.int_range(pl.len()).over("culture") < lost)  # of 24
    found = findings("blend", zeros(rows, gone, "failed"))
    assert (found.judgements.height == 4 * 24 - lost) if taken else found.judgements.is_empty()
    if not taken:
        with pytest.raises(
            NotAvailableError, match=r"Ethiopia \(English\) 21 of 24 rows got a reply \(87 %\)"
        ):
            found.of("blend/mcq")


@pytest.mark.parametrize("size", range(2, 11))
@pytest.mark.parametrize(("task", "rows_of_question"), [("blend/mcq", 1), ("culturalbench/hard", 4)])
def test_one_lost_reply_in_a_small_culture_leaves_no_model_out(
    task: str, rows_of_question: int, size: int
) -> None:
    """Also where it takes the other rows of its question with it; two do, of fewer than 20 questions."""
    benchmark = task.partition("/")[0]
    rows = judged(benchmark, "lab/small").filter(task=task)
    of_culture = pl.col("culture") == rows["culture"][0]
    questions = rows.filter(of_culture)["question"].unique(maintain_order=True)[:size]
    small = rows.filter(~of_culture | pl.col("question").is_in(questions.implode()))
    first_row = of_culture & (pl.int_range(pl.len()).over("culture", "question") == 0)
    for lost in (1, 2):
        gone = first_row & pl.col("question").is_in(questions[:lost].implode())
        found = findings(benchmark, zeros(small, gone, "failed"))
        assert found.judgements.height == (small.height - rows_of_question if lost == 1 else 0)


@pytest.mark.parametrize("tasks", [1, 2, 5, 6, 24])
def test_models_that_are_left_out_of_many_tasks_have_one_sentence_for_each_reason(tasks: int) -> None:
    """A note of a table is part of its caption, which has to fit a page however many tasks there are."""
    rows = judged("blend", "lab/silent").filter(task="blend/mcq")
    silent = zeros(rows, pl.lit(True), "missing")
    some = zeros(rows, pl.col("culture") == "ET", "failed").with_columns(endpoint=pl.lit("lab/some"))
    one = (pl.col("culture") == "ET") & (pl.int_range(pl.len()).over("culture") < 1)
    most = zeros(rows, one, "failed").with_columns(endpoint=pl.lit("lab/most"))
    names = [f"blend/mcq-{number}" for number in range(tasks)]
    frames = [pl.concat([silent, some, most]).with_columns(task=pl.lit(name)) for name in names]
    inputs = Inputs(pl.concat(frames))
    of_silent, of_some, of_most = inputs.left_out(names)
    named_tasks = min(tasks, MOST_NAMED)
    more = f"{tasks - MOST_NAMED} more" if tasks > MOST_NAMED else names[-1]
    assert of_silent.startswith("lab/silent is left out of blend/mcq-0") and of_silent.endswith(
        f"{more}: no reply came."
    )
    assert of_some.count("in Ethiopia (English) 0 of 24 rows got a reply (0 %)") == named_tasks
    assert of_some.count("an analysis needs 90 %") == 1 and ("19 more" in of_some) == (tasks == 24)
    assert of_most.count("1 of 96 rows of blend/mcq-") == named_tasks
    assert of_most.endswith("have no reply and are left out.")


def test_why_nothing_is_made_names_no_task_twice() -> None:
    needs_more = Result("wanted", "Wanted", _wanting, tasks=("blend/saq", "blend/mcq"))
    frames = [judged("blend", "lab/small"), stopped("blend")]
    _, left_out = make_results([needs_more], findings("blend", *frames))
    assert [left_out["wanted"].count(f"{task}: in South Korea") for task in needs_more.tasks] == [1, 1]
    lacking = Result(
        "lacking", "Lacking", lambda inputs: inputs.of("blend/mcq") and [], tasks=needs_more.tasks
    )
    _, left_out = make_results([lacking], findings("blend", stopped("blend")))
    assert [left_out["lacking"].count(f"{task}: in South Korea") for task in lacking.tasks] == [1, 1]


def _wanting(inputs: Inputs) -> list[Table]:
    raise NotAvailableError("needs more")
