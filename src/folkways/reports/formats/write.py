"""Writes a report to a folder: HTML with figures, Markdown, LaTeX, CSV and Parquet, each file in one step."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl
from polars.io.plugins import register_io_source

from folkways.errors import FolkwaysError, UnknownNameError, need_extra
from folkways.files import FULL_DISK
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
    _make_folder(out)
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
        drawn = list(drawings)
        if drawn:
            _make_folder(out / "figures")
        written += [_write_text(out / "figures" / f"{figure.slug}.svg", figure.file()) for figure in drawn]
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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise FolkwaysError(
            f"cannot write the report: {folder} is a file, not a folder\nName another folder."
        ) from error
    except OSError as error:
        raise _explain(error, folder) from error


def _write_text(path: Path, text: str) -> Path:
    return _write(path, lambda file: file.write(text.encode("utf-8", "backslashreplace")))


def _write(path: Path, fill: Callable[[IO[bytes]], object]) -> Path:
    """Fill a temporary file in the same folder, then move it to ``path`` in one step."""
    temporary: str | None = None
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except (OSError, pl.exceptions.ComputeError) as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)
        raise _explain(error, path) from error
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
    """Write CSV slice by slice, because making texts safe for spreadsheets copies them."""
    for number, rows in enumerate(slices()):
        for_csv(rows).write_csv(file, include_header=number == 0)


def _write_parquet(slices: Slices, file: IO[bytes]) -> None:
    """Write Parquet through memory, because polars does not report a disk that is full at the end of the
    file."""
    buffer = io.BytesIO()
    rows = register_io_source(lambda *_: slices(), schema=next(slices()).schema)
    rows.sink_parquet(buffer, row_group_size=SLICE)
    file.write(buffer.getbuffer())


def _explain(error: Exception, path: Path) -> FolkwaysError:
    number = error.errno if isinstance(error, OSError) else None
    words = str(error)
    if number in FULL_DISK or "No space left" in words or "File too large" in words:
        return FolkwaysError(
            f"cannot write {path}: the disk is full, or the file is larger than is allowed here\n"
            "Free some space, or name another folder. No file was left half written; the scores are safe in "
            "the workspace."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return FolkwaysError(f"cannot write {path}: the folder is read-only for you\nName another folder.")
    if number in (errno.ENOTDIR, errno.EISDIR, errno.EEXIST):
        return FolkwaysError(
            f"cannot write {path}: a file or folder of that name is in the way\nName another folder."
        )
    return FolkwaysError(f"cannot write {path}: {words}\nName another folder.")
