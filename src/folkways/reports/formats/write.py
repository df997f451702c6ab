"""Writes a report to a folder: HTML with figures, Markdown, LaTeX, CSV and Parquet, each file in one step."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl
from polars.io.plugins import register_io_source

from folkways.errors import UnknownNameError, need_extra
from folkways.files import make_folder, whole_file, write_bytes
from folkways.records import SAID, plain
from folkways.reports.data import ReportData
from folkways.reports.figures.drawings import draw
from folkways.reports.formats.html import Read, render_html
from folkways.reports.formats.latex import render_latex
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.methods import bibliography
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.overview import turned_round
from folkways.reports.views.views import ReportView
from folkways.spreadsheet import for_csv

FORMATS = ("html", "md", "csv", "parquet", "latex")
SLICE = 20_000
"""Rows that are converted at a time."""

USUAL_FORMATS = ("html", "md", "csv", "parquet")
"""The default formats."""


def check_formats(formats: Sequence[str]) -> None:
    """Check, before any work is done, that a report can be written in these formats.

    Raises UnknownNameError for an unknown format, and MissingExtraError for ``html`` without the extra
    ``report``, which draws its charts and embeds its letters.
    """
    for name in formats:
        if name not in FORMATS:
            raise UnknownNameError("report format", name, FORMATS)
    if "html" in formats:
        without = "folkways report --format md,csv,parquet"
        packages = ("vl_convert", "fontTools", "brotli")
        need_extra("report", f"report.html with its charts (the other files: {without})", *packages)


def write_report(
    data: ReportData,
    out: Path,
    formats: Sequence[str] = USUAL_FORMATS,
    tell: Callable[[Leaderboard], object] | None = None,
) -> list[Path]:
    """Write the report into the folder ``out``, which is created if needed, and return the files.

    data: what it shows. tell: called with the scores as the report orders them, before the page is drawn.

    formats: html: ``report.html`` and ``figures/*.svg``. md: ``report.md``. latex: ``report.tex`` and
    ``report.bib``. csv and parquet: ``scores`` and ``judgements``. Parquet is exact; in CSV, text that a
    spreadsheet would run as a formula gets an apostrophe. Raises FolkwaysError if a file cannot be written,
    and the errors of ``check_formats``.
    """
    check_formats(formats)
    out = Path(out)
    make_folder(out)
    view = ReportView(data)
    board = Leaderboard(view)
    # Steps that read the texts of all judgements come first, then those that read all judgements, then
    # drawing: the texts of a million replies need more memory than everything else, and are released as early
    # as possible.
    read = Read.of(view) if "html" in formats else None
    tables = _write_tables(data, out, formats)
    view.data = replace(
        data,
        judgements=data.judgements.with_columns(pl.lit(None, pl.String).alias(name) for name in SAID),
        replies=None,
    )
    del data
    if {"html", "md", "latex"} & {*formats}:
        _ = view.items_asked
        for task in view.tasks:
            board.ranks(task)
    if tell is not None:
        tell(board)
    turned = turned_round(view, board) if {"html", "md"} & {*formats} else []
    view.data = replace(view.data, judgements=view.data.judgements.clear())
    written: list[Path] = []
    if "html" in formats:
        drawings = draw(view, board)
        written.append(_write_text(out / "report.html", render_html(view, drawings, read, turned)))
        written += [_write_text(out / "figures" / f"{figure.slug}.svg", figure.file()) for figure in drawings]
    if "md" in formats:
        written.append(_write_text(out / "report.md", render_markdown(view, board, turned)))
    if "latex" in formats:
        written.append(_write_text(out / "report.tex", render_latex(view, board)))
        written.append(_write_text(out / "report.bib", bibliography(view.data.releases)))
    return written + tables


def _write_tables(data: ReportData, out: Path, formats: Sequence[str]) -> list[Path]:
    written: list[Path] = []
    for name, frame, cut in (
        ("scores", data.scores, data.scores.iter_slices),
        ("judgements", data.judgements, data.slices),
    ):
        slices = partial(_slices, frame.clear(), cut, data.names)
        if "csv" in formats:
            written.append(_write(out / f"{name}.csv", partial(_write_csv, slices)))
        if "parquet" in formats:
            written.append(_write(out / f"{name}.parquet", partial(_write_parquet, slices)))
    return written


def _write_text(path: Path, text: str) -> Path:
    return write_bytes(path, text.encode("utf-8", "backslashreplace"))


def _write(path: Path, fill: Callable[[IO[bytes]], object]) -> Path:
    with whole_file(path) as unfinished, unfinished.open("wb") as file:
        fill(file)
    return path


Slices = Callable[[], Iterator[pl.DataFrame]]


def _slices(
    empty: pl.DataFrame, cut: Callable[[int], Iterator[pl.DataFrame]], names: Mapping[str, str]
) -> Iterator[pl.DataFrame]:
    """The rows of ``cut`` with ``model`` (``names``) before all else, the ``empty`` slice first; slice
    by slice, because plain texts take more memory."""
    for rows in chain([empty], cut(SLICE)):
        yield plain(rows).select(pl.col("endpoint").replace(dict(names)).alias("model"), pl.all())


def _write_csv(slices: Slices, file: IO[bytes]) -> None:
    """Write CSV slice by slice, because making texts safe for spreadsheets copies them; through memory, as
    Parquet below."""
    for number, rows in enumerate(slices()):
        file.write(for_csv(rows).write_csv(include_header=number == 0).encode())


def _write_parquet(slices: Slices, file: IO[bytes]) -> None:
    """Write Parquet through memory, because polars does not report a disk that is full at the end of the
    file."""
    buffer = io.BytesIO()
    rows = register_io_source(lambda *_: slices(), schema=next(slices()).schema)
    rows.sink_parquet(buffer, row_group_size=SLICE)
    file.write(buffer.getbuffer())
