"""Replies that a profile's rule leaves out of the score: expected, counted and told in every format."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import folkways
from folkways.evidence.requirements import Minimum, Status, check_minimum
from folkways.reports.data import ReportData
from folkways.reports.formats.latex import render_latex
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.summary import doubts
from folkways.reports.formats.terminal import terminal_summary
from folkways.reports.formats.write import write_report
from folkways.reports.views.views import ReportView
from tests.support.report_page import page_without_figures
from tests.support.xcr_data import write_small_corpus

GOOD = '["They share <CSI> dishes </CSI>.", "他们<CSI>分享</CSI>菜肴。", "Label"]'
REASON = "with another number of tagged items than gold, or no version"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """Three models on ten sentences: one is read twice, one never, and the baseline never either."""
    folder = tmp_path_factory.mktemp("left-out")
    corpus = folder / "corpus"
    corpus.mkdir()
    items = folkways.tasks()["xcr/adaptation"].items(write_small_corpus(corpus))["item"].to_list()
    replies = {
        name: [GOOD if item.startswith("CN") else "No idea, really." for item in items]
        for name in ("reads", "never")
    }
    replies["reads"][-1] = '["They share.", "他们分享。", "Label"]'
    replies["never"] = ["They share dishes."] * len(items)
    for name, said in replies.items():
        rows = [json.dumps({"item": item, "response": text}) for item, text in zip(items, said, strict=True)]
        (folder / f"{name}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    models = [f"replay:{folder / name}.jsonl" for name in replies]
    run = folkways.run(
        "xcr/adaptation",
        models=[*models, "baseline/echo"],
        releases={"xcr": str(corpus)},
        workspace=folder / "w.db",
    )
    return run.report_data()


def test_every_model_stays_in_the_table_with_what_was_expected_of_it(data: ReportData) -> None:
    (task,) = ReportView(data).tasks
    shown = {score.endpoint.rsplit("/", 1)[-1]: score for score in task.whole}
    assert set(shown) == {"reads.jsonl", "never.jsonl", "echo"}
    assert {score.n for score in shown.values()} == {10}
    reads, never = shown["reads.jsonl"], shown["never.jsonl"]
    assert (reads.left_out, reads.coverage, reads.unreadable) == (6, pytest.approx(0.4), 5)
    assert json.loads(reads.why_left_out or "") == {"unreadable": 5, REASON: 1}
    assert (never.left_out, never.coverage, never.interval) == (10, 0.0, "all left out")
    assert never.score != never.score  # NaN


def test_every_format_tells_it(data: ReportData, tmp_path: Path) -> None:
    write_report(data, tmp_path, ("csv",))
    view = ReportView(data)
    console = Console(width=200)
    with console.capture() as captured:
        console.print(terminal_summary(data))
    texts = [captured.get(), page_without_figures(view), render_markdown(view), render_latex(view)]
    for text in texts:
        assert "4 of 10" in text
        assert "0 of 10" in text
        assert "not everyone was asked the same" not in text
    for text in texts[:2]:
        assert f"4 of 10 expected answers; the rule leaves out 5 unreadable, 1 {REASON}." in text
        assert "there is no score of 10 answers; the rule leaves out 10 unreadable." in text
    of_models = [sentence for sentence in doubts(view) if "the rule leaves out" in sentence]
    assert {sentence.partition(", ")[0] for sentence in of_models} == {"replay reads", "replay never"}
    assert all("count as wrong: read a few replies" not in text for text in texts)
    assert "leaves 16 of 20 replies out of the score" in texts[3]
    table = pl.read_csv(tmp_path / "scores.csv").filter(
        pl.col("facet") == "all", pl.col("metric") == "csi_edit_intra"
    )
    assert sorted(table["left_out"]) == [6, 10, 10]


def test_a_gate_does_not_decide_on_the_rest(data: ReportData) -> None:
    checks = list(check_minimum(data.scores, Minimum("xcr/adaptation", None, 0.0), "csi_edit_intra"))
    assert {check.status for check in checks} == {Status.FAIL}
    assert "40 % of the items are scored under this profile" in checks[0].message
