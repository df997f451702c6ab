"""``replay:FILE``: answers that were made elsewhere, taken from a file instead of a model."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointKind,
    EndpointOptions,
    NamedEndpoint,
    Request,
)
from folkways.endpoints.clean import storable
from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects
from folkways.spreadsheet import from_csv

REQUIRED = ("item", "response")
MATCHED = ("task", "language", "variant", "sample")
"""Columns that narrow a row down where the file has them; a file without ``language`` gives one answer for
all languages."""
EXTRA = ("state", "reason", "finish_reason")
"""As in folkways' own responses: ``refused`` rows replay as refusals; ``failed`` and ``missing`` rows are no
reply."""
FORMATS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


class ReplayEndpoint(NamedEndpoint):
    """Looks the answer up by item. Its identity holds the file's content, so an edited file is another
    endpoint.

    Raises DataError naming file, row and columns where the file cannot be a file of answers, before anything
    is planned.
    """

    item_addressed = True
    local = True
    default_concurrency = EndpointOptions.DEFAULT_CONCURRENCY

    def __init__(self, file: str) -> None:
        self._file = Path(file).expanduser()
        if not file:
            raise FolkwaysError("'replay' names no file: write replay:FILE, for example replay:replies.jsonl")
        if self._file.suffix.lower() not in FORMATS:
            raise FolkwaysError(
                f"replay:{file} is of a format that folkways does not read; valid endings: "
                f"{', '.join(FORMATS)}"
            )
        self.name = f"replay:{file}"
        raw = _bytes_of(self._file)
        self._digest = sha256(raw).hexdigest()
        self.identity = f"replay:{self._digest[:16]}"
        self._columns: tuple[str, ...] = ()
        self._answers: dict[tuple[str, ...], Completion | None] | None = None
        self._read(raw)

    def _read(self, raw: bytes) -> None:
        columns, rows = read_rows(self._file, raw)
        self._columns = tuple(name for name in MATCHED if name in columns)
        self._answers = index_replies(self._file, self._columns, rows)
        if not self._answers:
            raise DataError(
                f"has no rows; write one per reply, with the columns {' and '.join(REQUIRED)}",
                file=self._file,
            )

    async def open(self, concurrency: int) -> None:
        """Read the file again if its answers were forgotten. Raises DataError where it has changed since."""
        if self._answers is None:
            raw = _bytes_of(self._file)
            if sha256(raw).hexdigest() != self._digest:
                raise DataError(
                    "the file changed while folkways was getting ready; run again", file=self._file
                )
            self._read(raw)

    async def close(self) -> None:
        """Forget the answers."""
        self._answers = None

    async def complete(self, request: Request) -> Completion:
        """The answer of the row that matches. Raises an EndpointFailure that is not worth a retry if none
        does, FolkwaysError before ``open``."""
        if self._answers is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        key = (request.item, *(str(getattr(request, name)) for name in self._columns))
        completion = self._answers.get(key)
        if completion is None:
            wanted = ", ".join(
                f"{name} {value!r}" for name, value in zip(("item", *self._columns), key, strict=True)
            )
            raise EndpointFailure(f"{self._file} has no reply for {wanted}")
        return completion


def read_rows(file: Path, raw: bytes) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Columns and rows of a file of answers. Every value of a CSV is text; null where a field is empty or
    absent. Raises DataError for a file that cannot be read or lacks columns."""
    if file.suffix.lower() in (".jsonl", ".ndjson"):
        rows = [row for _, row in json_objects(raw.splitlines(), file)]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        _check_columns(file, columns)
        return columns, iter(rows)
    try:
        if file.suffix.lower() == ".parquet":
            frame = pl.read_parquet(BytesIO(raw))
        else:
            separator = "\t" if file.suffix.lower() == ".tsv" else ","
            frame = from_csv(pl.read_csv(raw, separator=separator, infer_schema=False, encoding="utf8"))
    except pl.exceptions.NoDataError:
        raise DataError("the file is empty", file=file) from None
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"not readable as {file.suffix.lower()[1:]}: {str(error).splitlines()[0]}", file=file
        ) from error
    _check_columns(file, frame.columns)
    return frame.columns, frame.iter_rows(named=True)


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise FolkwaysError(
            f"there is no file {file}; replay:FILE needs one with the columns {' and '.join(REQUIRED)}"
        ) from None
    except OSError as error:
        raise FolkwaysError(f"{file} cannot be read: {error.strerror}") from None


def _check_columns(file: Path, columns: list[str]) -> None:
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise DataError(
            f"no column {' and no column '.join(missing)}; found: {', '.join(columns) or '(none)'}\n"
            f"needed: {', '.join(REQUIRED)}; also read where present: {', '.join((*MATCHED, *EXTRA))}",
            file=file,
        )


def index_replies(
    file: Path | str, columns: tuple[str, ...], rows: Iterator[dict[str, Any]]
) -> dict[tuple[str, ...], Completion | None]:
    """Item and these columns -> the reply, None where a row has none. DataError, naming ``file``, for two
    replies to one item."""
    replies: dict[tuple[str, ...], Completion | None] = {}
    rows_of: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(rows, 1):
        if row.get("item") is None:
            raise DataError("no item", file=file, row=number)
        key = (_text(row["item"]), *(_matched(row, name) for name in columns))
        answer = _completion(row)
        if key in replies and replies[key] != answer:
            narrower = ", ".join(name for name in MATCHED if name not in columns)
            hint = f"; a column {narrower} would tell them apart" if narrower else ""
            raise DataError(
                f"another answer to {' '.join(key)} than in row {rows_of[key]}{hint}", file=file, row=number
            )
        replies[key] = answer
        rows_of.setdefault(key, number)
    return replies


def _matched(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None or value == "":
        return "0" if name == "sample" else ""
    return _text(value)


def _completion(row: dict[str, Any]) -> Completion | None:
    state, response = row.get("state"), row.get("response")
    text = "" if response is None else _text(response)
    if state == "refused":
        return Completion(text=text, refusal=_text(row.get("reason") or "the file says refused"))
    if response is None or state in ("failed", "missing"):
        return None
    return Completion(text=text, finish_reason=_text(row.get("finish_reason") or "stop"))


def _text(value: Any) -> str:
    # pandas writes whole numbers as 0.0 where a column had gaps
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return storable(value if isinstance(value, str) else str(value))


KIND = EndpointKind(
    {"replay:FILE": "answers made elsewhere, in JSONL, CSV or Parquet"},
    lambda name, _options, _need_key: ReplayEndpoint(name.partition(":")[2]),
)
