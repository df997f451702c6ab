"""Writes what was built: the released CSV, the calls, a record of how it was made, and the layout of the Hugging Face hub."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.building.asking import kind_of
from folkways.benchmarks.blend.building.calls import Call, DummyCall, GroupsCall, JudgeCall, PairsCall
from folkways.benchmarks.blend.building.items import RELEASED
from folkways.errors import FolkwaysError
from folkways.releases.base import ReleaseRecord
from folkways.runs.building.mcq import Asked

FILE_NAME = "mc_questions_file.csv"
CONFIG = "multiple-choice-questions"
"""The name of the configuration on the hub."""


def target(out: Path) -> Path:
    """The CSV that ``out`` names: itself, or FILE_NAME in the folder that it is. FolkwaysError where it cannot be written."""
    if out.is_dir() or not out.suffix:
        out = out / FILE_NAME
    if out.suffix.lower() != ".csv":
        raise FolkwaysError(f"--out {out} has to end in .csv, or name a folder, which then gets a {FILE_NAME}")
    make_folder(out.parent)
    return out


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there; FolkwaysError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolkwaysError(f"the folder {folder} cannot be made: {error.strerror or error}; name another place") from error


def write_released(items: pl.DataFrame, path: Path) -> None:
    """The released CSV, byte for byte in its dialect: UTF-8, quotes where needed, lines that end in CR LF."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(RELEASED)
    writer.writerows(items.select(RELEASED).iter_rows())
    write_bytes(path, text.getvalue().encode())


def write_calls(calls: Iterable[Asked], path: Path) -> None:
    """One JSON object per line and call, in the order in which the construction made them."""
    lines = (orjson.dumps({"call": number, **_plain(asked)}) for number, asked in enumerate(calls, 1))
    write_bytes(path, b"".join(line + b"\n" for line in lines))


def write_record(record: Mapping[str, Any], path: Path) -> None:
    """How a build was made, as JSON."""
    write_bytes(path, orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def record_path(path: Path) -> Path:
    """Where the record of the CSV at ``path`` lies."""
    return path.with_suffix(".build.json")


def write_hub(items: pl.DataFrame, folder: Path, kind: str, release: ReleaseRecord, record: Mapping[str, Any]) -> list[Path]:
    """The layout of the hub: a data card and the items as ``parquet`` or ``jsonl``; returns the files."""
    data = folder / CONFIG / f"test-00000-of-00001.{kind}"
    make_folder(data.parent)
    buffer = io.BytesIO()
    if kind == "parquet":
        items.write_parquet(buffer)
    else:
        items.write_ndjson(buffer)
    write_bytes(data, buffer.getvalue())
    card = folder / "README.md"
    write_bytes(card, _card(items, data.relative_to(folder).as_posix(), release, record).encode())
    return [card, data]


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    unfinished = path.with_name(f".{path.name}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise FolkwaysError(f"{path} cannot be written: {error.strerror or error}") from error


def _plain(asked: Asked) -> dict[str, Any]:
    answer: Any = asked.answer
    if isinstance(answer, frozenset):
        answer = sorted(answer)
    elif isinstance(answer, tuple):
        answer = [sorted(part) if isinstance(part, frozenset) else part for part in answer]
    return {"kind": kind_of(asked.call), **_fields(asked.call), "answer": answer}


def _fields(call: Call) -> dict[str, Any]:
    names = {
        JudgeCall: ("question", "answers", "target", "answer_country", "target_country"),
        PairsCall: ("question", "pairs"),
        GroupsCall: ("question", "answers"),
        DummyCall: ("question", "number", "taken"),
    }
    return {name: getattr(call, name) for name in names[type(call)]}


def _card(items: pl.DataFrame, data: str, release: ReleaseRecord, record: Mapping[str, Any]) -> str:
    licence = release.licence.lower() if release.licence != "NOASSERTION" else "unknown"
    made = "\n".join(f"| {name} | {_shown(value)} |" for name, value in record.items() if name != "left_out")
    left_out = "\n".join(f"- {what}: {why}" for what, why in record["left_out"].items()) or "Nothing."
    counts = items.group_by("country", maintain_order=True).agg(pl.len().alias("n"))
    table = "\n".join(f"| {country} | {number:,} |" for country, number in counts.iter_rows())
    return f"""---
license: {licence}
language:
- en
task_categories:
- multiple-choice
configs:
- config_name: {CONFIG}
  data_files:
  - split: test
    path: {data}
---

# Multiple-choice questions on everyday life, made from {release.name}

{items.height:,} questions in the schema of BLEnD's multiple-choice release: `{"`, `".join(RELEASED)}`.
`choices` (letter to text) and `choice_countries` (letter to the country whose people gave it; `dummy` for nobody) are JSON objects,
`answer_idx` is the right letter. Wrong options are what people of other countries answered to the same question.

## How it was made

| | |
|---|---|
{made}

Left out:

{left_out}

| country | questions |
|---|---|
{table}

## Whose answers these are

The answers were collected and published by the authors of the release {release.name} ({release.homepage or "no homepage known"}),
under the licence {release.licence}; what is made from them is under the same terms and names them.

```bibtex
{release.citation or "% the release names no citation"}
```
"""


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text.replace("|", "\\|").replace("\n", " ")
