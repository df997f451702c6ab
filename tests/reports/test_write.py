from __future__ import annotations

import os
import resource
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from folkways.errors import DataError, FolkwaysError, MissingExtraError, UnknownNameError
from folkways.reports.data import ReportData
from folkways.reports.formats.write import write_report
from tests.support.report_data import Shape, simulate, with_judgement


def test_every_format_is_written_and_nothing_else(report_files: list[Path]) -> None:
    folder = report_files[0].parent
    names = {path.relative_to(folder).as_posix() for path in report_files}
    assert {
        "report.html",
        "report.md",
        "scores.csv",
        "scores.parquet",
        "judgements.csv",
        "judgements.parquet",
    } <= names
    assert "figures/blend-saq-by-culture.svg" in names
    assert {"figures/blend-saq-world.svg", "figures/culturalbench-easy-world.svg"} <= {*names}, (
        "a map of each task"
    )
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == names


def test_tables_hold_the_frames_with_the_names_of_models(data: ReportData, tmp_path: Path) -> None:
    named = {endpoint: f"org/{number}" for number, endpoint in enumerate(data.scores["endpoint"].unique())}
    folder = tmp_path / "new" / "report"
    write_report(replace(data, names=named), folder, ("csv", "parquet"))
    scores, judgements = (
        frame.select(pl.col("endpoint").replace_strict(named).alias("model"), pl.all())
        for frame in (data.scores, data.judgements)
    )
    assert_frame_equal(pl.read_parquet(folder / "scores.parquet"), scores)
    assert_frame_equal(pl.read_parquet(folder / "judgements.parquet"), judgements)
    assert_frame_equal(pl.read_csv(folder / "scores.csv", schema=scores.schema), scores)


def test_figure_files_stand_alone(report_files: list[Path]) -> None:
    figures = [path for path in report_files if path.suffix == ".svg"]
    assert len(figures) >= 8
    for path in figures:
        text = path.read_text(encoding="utf-8")
        assert "var(" not in text
        assert ElementTree.fromstring(text).tag.endswith("svg")


def test_the_same_data_give_the_same_files(
    data: ReportData, report_files: list[Path], tmp_path: Path
) -> None:
    for first, second in zip(report_files, write_report(data, tmp_path), strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name


@pytest.mark.parametrize(
    ("said", "cell"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+49 yes", "'+49 yes"),
        ("-5", "-5"),
        ("@x", "'@x"),
        ("rice", "rice"),
    ],
)
def test_a_spreadsheet_cannot_run_what_a_model_said(
    data: ReportData, tmp_path: Path, said: str, cell: str
) -> None:
    attacked = with_judgement(data, response=said)
    write_report(attacked, tmp_path, ("csv", "parquet"))
    assert pl.read_csv(tmp_path / "judgements.csv", infer_schema=False)["response"][0] == cell
    assert pl.read_parquet(tmp_path / "judgements.parquet")["response"][0] == said


def test_lists_become_json_in_csv(data: ReportData, tmp_path: Path) -> None:
    listed = replace(
        data, judgements=data.judgements.head(2).with_columns(tags=pl.concat_list(pl.lit("é"), pl.lit("b")))
    )
    write_report(listed, tmp_path, ("csv",))
    assert pl.read_csv(tmp_path / "judgements.csv")["tags"][0] == '["é", "b"]'


def test_an_unknown_format_names_the_valid_ones(data: ReportData, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="html"):
        write_report(data, tmp_path, ("htm",))


def test_charts_without_their_extra_name_the_line_that_installs_it(
    data: ReportData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # as if it were not installed
    with pytest.raises(MissingExtraError, match=r"report\.html.*\n.*pip install 'folkways\[report\]'"):
        write_report(data, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert len(write_report(data, tmp_path / "tables", ("md", "csv", "parquet", "latex"))) == 7


def test_frames_without_their_columns_are_refused(data: ReportData) -> None:
    with pytest.raises(DataError, match="scores of a report lack the column coverage"):
        replace(data, scores=data.scores.drop("coverage"))


def test_a_file_in_the_way_is_named(data: ReportData, tmp_path: Path) -> None:
    taken = tmp_path / "report"
    taken.write_text("mine")
    with pytest.raises(FolkwaysError, match="report cannot be made: File exists; name another place"):
        write_report(data, taken)
    with pytest.raises(FolkwaysError, match="below cannot be made: Not a directory; name another place"):
        write_report(data, taken / "below")
    assert taken.read_text() == "mine"


def test_a_folder_in_the_place_of_a_file_is_named(data: ReportData, tmp_path: Path) -> None:
    (tmp_path / "report.md").mkdir()
    with pytest.raises(
        FolkwaysError, match=r"report\.md cannot be written: Is a directory; name another place"
    ):
        write_report(data, tmp_path, ("md",))


def test_a_read_only_folder_is_named(data: ReportData, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):  # root may write everywhere but into the kernel's own folders
        folder = Path("/proc/self/fdinfo")
    with pytest.raises(FolkwaysError, match=r"cannot be written: .*; name another place"):
        write_report(data, folder, ("md",))


@pytest.mark.parametrize("form", ["html", "csv", "parquet"])
def test_a_full_disk_is_explained_and_leaves_nothing_half_written(
    data: ReportData, one_task: ReportData, tmp_path: Path, form: str
) -> None:
    (tmp_path / "report.html").write_text("the report of yesterday")
    _, most = usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, most))  # which a program sees like a full disk
    try:
        with pytest.raises(FolkwaysError, match="the disk is full"):
            write_report(one_task if form == "html" else data, tmp_path, (form,))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert (tmp_path / "report.html").read_text() == "the report of yesterday"
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_a_report_of_nothing_but_a_baseline(tmp_path: Path) -> None:
    lone = simulate(
        Shape(saq=2, easy=1, xcr=2), models={"baseline/first": -100.0}, tasks=("culturalbench/easy",)
    )
    page, *_ = write_report(replace(lone, releases=(), warnings=(), runs=()), tmp_path)
    assert "baseline first" in page.read_text(encoding="utf-8")


def test_a_report_without_scores(data: ReportData, tmp_path: Path) -> None:
    empty = replace(
        data, scores=data.scores.clear(), judgements=data.judgements.clear(), failures=data.failures.clear()
    )
    assert len(write_report(empty, tmp_path)) == 6
    for path in write_report(empty, tmp_path, ("csv",)):
        assert path.read_text(encoding="utf-8").startswith("model,"), path.name
