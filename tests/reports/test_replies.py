"""Replies that are kept outside memory, and a report whose replies are."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import psutil
import pytest

from folkways.records import Metric
from folkways.reports import replies
from folkways.reports.data import ReportData
from folkways.reports.formats.write import write_report
from folkways.reports.replies import Replies
from tests.support.report_data import small_report

TEXTS = [f"reply {number} ünï" if number % 7 else None for number in range(100)]


def kept(*lengths: int) -> Replies:
    """TEXTS, added in parts of these lengths and the rest."""
    texts, made = pl.Series(TEXTS, dtype=pl.String), Replies()
    for length in lengths:
        made.add(texts[:length])
        texts = texts[length:]
    made.add(texts)
    return made


@pytest.fixture(params=["in memory", "in a file", "no room on the disk"])
def filled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replies]:
    """TEXTS in pieces of 9 at most, added in three parts, one of them empty. A full disk stays full while they
    are read."""
    monkeypatch.setattr(replies, "TOGETHER", 9)
    if request.param != "in memory":
        monkeypatch.setattr(replies, "IN_MEMORY", 1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if request.param == "no room on the disk":
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        yield kept(13, 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_texts_come_back_by_their_numbers(filled: Replies) -> None:
    assert len(filled) == 100
    for start, end in [(0, 100), (0, 0), (5, 31), (9, 18), (99, 100), (90, 200)]:
        assert filled.between(start, end).to_list() == TEXTS[start:end]
    numbers = pl.Series([99, 3, 3, 14, 0, 57], dtype=pl.UInt32)
    assert filled.of(numbers).to_list() == [TEXTS[number] for number in numbers]
    assert filled.of(numbers.clear()).to_list() == []
    some = pl.Series([0, 3, 8, 9, 10, 50, 98, 99])
    assert filled.only(some).between(0, 100).to_list() == [TEXTS[number] for number in some]
    assert len(filled.only(some)) == 8 and len(filled.only(some.clear())) == 0
    assert Replies().between(0, 10).to_list() == []


def test_texts_may_be_read_between_others_that_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    made, texts = Replies(), pl.Series(TEXTS, dtype=pl.String)
    open_files = psutil.Process().num_fds()
    made.add(texts)
    assert psutil.Process().num_fds() == open_files, "few texts need no file"
    monkeypatch.setattr(replies, "IN_MEMORY", 1)
    made = Replies()
    for start in range(0, 100, 20):
        made.add(texts[start : start + 20])
        assert made.between(0, 5).to_list() == TEXTS[:5]
    assert made.between(0, 100).to_list() == TEXTS
    assert psutil.Process().num_fds() == open_files + 1, "many are in one"


def report(rights: int) -> ReportData:
    metric = Metric("right", "right", "", kind="binary")
    return small_report(metric, {("m/one", "KR"): rights, ("m/two", "ET"): 3}, 12, "wrong")


def test_a_report_whose_replies_are_kept_apart_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "TOGETHER", 5)
    whole = report(7)
    texts = Replies()
    texts.add(whole.judgements["response"])
    null = whole.judgements.with_columns(response=pl.lit(None, pl.String))
    apart = replace(whole, judgements=null, replies=texts)
    assert apart.with_responses().judgements.equals(whole.judgements)
    assert whole.with_responses() is whole
    written = [
        {path.name: path.read_bytes() for path in write_report(data, tmp_path / name)}
        for name, data in (("whole", whole), ("apart", apart))
    ]
    assert written[0] == written[1]
    assert b"wrong" in written[0]["judgements.csv"]
