"""Report data of a small simulation, and hostile text in every place that a report shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.records import Metric, Signature
from folkways.reports.data import ReportData
from folkways.reports.formats.write import write_report
from tests.support.browser import Watched
from tests.support.report_data import Shape, simulate, small_report

HOSTILE = (
    "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
    "\"'><svg onload=window.pwned=1>{{ 7 * 7 }}\x00\x1b[31m\u202eabc ![x](javascript:alert(1)) | `a` <!--"
)

TRACKER = "https://issues.example.org/new?title={item}&labels={culture}&body={task}"
"""An address at which questions are disputed."""


@pytest.fixture
def new_page(kept_page: Callable[..., Watched]) -> Callable[..., Watched]:
    """A function that gives a page of the browser that the tests share."""
    return kept_page


@pytest.fixture(scope="session")
def data() -> ReportData:
    """What a report of two models and two baselines on three tasks is made of."""
    return simulate(Shape(saq=24, easy=4, xcr=15, loss=0.05))


@pytest.fixture(scope="session")
def one_task() -> ReportData:
    """A report of two models on one task and two cultures, for what does not depend on the size of a report."""
    rights = {("lab/able", "KR"): 16, ("lab/able", "ET"): 12, ("lab/weak", "KR"): 9, ("lab/weak", "ET"): 3}
    return small_report(Metric("right", "Accuracy", "Share of right answers."), rights, 20, "tea")


@pytest.fixture(scope="session")
def hostile(data: ReportData) -> ReportData:
    """The same report with an attack in every string that a model, a user or a file could have brought."""
    model, attack = data.scores["endpoint"][0], f"evil/{HOSTILE}"
    rename = pl.col("endpoint").replace({model: attack})
    words = {name: pl.lit(HOSTILE) for name in ("text", "gold", "response", "answer", "reason")}
    return replace(
        data,
        title=HOSTILE,
        dispute=TRACKER,
        warnings=(HOSTILE,),
        task_titles={task: f"{title} {HOSTILE}" for task, title in data.task_titles.items()},
        scores=data.scores.with_columns(
            rename,
            signature=pl.col("signature") + f"|note:{HOSTILE}",
            value=pl.when(pl.col("facet") == "topic").then(pl.col("value") + HOSTILE).otherwise("value"),
        ),
        signatures={
            f"{text}|note:{HOSTILE}": Signature({**made.parts, "note": HOSTILE})
            for text, made in data.signatures.items()
        },
        judgements=data.judgements.with_columns(
            rename, item=pl.col("item") + HOSTILE, topic=pl.lit(HOSTILE), **words
        ),
        releases=tuple(
            replace(release, citation=HOSTILE, about=HOSTILE, licence=HOSTILE) for release in data.releases
        ),
        runs=tuple(replace(run, name=HOSTILE, endpoints=(attack,)) for run in data.runs),
        failures=data.failures.with_columns(example=pl.lit(HOSTILE), kind=pl.lit(HOSTILE)),
    )


@pytest.fixture(scope="session")
def report_files(data: ReportData, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of the report in every format, the page first: to read, not to change."""
    return write_report(data, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def page_file(report_files: list[Path]) -> Path:
    """The page among the files of the report."""
    return report_files[0]


@pytest.fixture(scope="session")
def hostile_file(hostile: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the hostile report."""
    return write_report(hostile, tmp_path_factory.mktemp("hostile"), ("html",))[0]
