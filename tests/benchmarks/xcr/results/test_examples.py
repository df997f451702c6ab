"""Scores with and without the sentences that prompts show: which they are, and what leaving them out does."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.results.scores import example_tables, shown_sentences
from folkways.releases.release_records import Release
from tests.support.xcr_data import write_small_corpus, xcr_release
from tests.support.xcr_judgements import findings, row

TASKS = ("xcr/identification", "xcr/prediction", "xcr/adaptation")
METRICS = {"xcr/identification": "hi_csi", "xcr/prediction": "hp_csi", "xcr/adaptation": "csi_edit_intra"}


@pytest.fixture
def release(tmp_path: Path) -> Release:
    made = write_small_corpus(tmp_path)
    (tmp_path / "prompts").mkdir()
    shown = (
        "Input: They keep slippers by the door.\nOutput: They keep <CSI>slippers</CSI> by the "
        "<CSI>door</CSI>.\n"
    )
    (tmp_path / xcr.PROMPT_FILES["prediction"]).write_text(shown, encoding="utf-8")
    return made


@pytest.mark.shared
def test_the_two_sentences_of_the_real_prompts(shared: Path) -> None:
    found = shown_sentences(xcr_release(shared / "data" / "xcr"))
    assert len(found) == 2
    assert [
        word for word in ("tailgating", "bingo hall") if any(word in sentence for sentence in found.values())
    ] == ["tailgating", "bingo hall"]


def test_every_task_is_scored_without_them_whichever_prompt_shows_them(release: Release) -> None:
    ids = xcr.corpus(release)["id"].to_list()
    rows = [
        row(task, item, culture="CN", **{METRICS[task]: float(item == ids[1])})
        for task in TASKS
        for item in ids
    ]
    (table,) = example_tables(findings(rows, release))
    assert table.rows["task"].to_list() == list(TASKS)
    for line in table.rows.iter_rows(named=True):
        assert (line["score"], line["without"], line["on_examples"]) == pytest.approx((20, 0, 100))
        assert (line["difference"], line["n"], line["n_without"], line["examples"]) == (
            pytest.approx(20),
            5,
            4,
            1,
        )
    assert ids[1] in table.notes[0]


def test_without_prompts_or_without_their_sentences_there_is_nothing_to_leave_out(
    tmp_path: Path, release: Release
) -> None:
    rows = [row("xcr/identification", "some other", hi_csi=1.0)]
    with pytest.raises(NotAvailableError, match="none of the sentences"):
        example_tables(findings(rows, release))
    bare = tmp_path / "bare"
    bare.mkdir()
    with pytest.raises(NotAvailableError, match="folkways data fetch xcr"):
        example_tables(findings(rows, write_small_corpus(bare)))
