"""Writes what was built: the released CSV, the calls, and the layout of the Hugging Face hub."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.build.items import RELEASED
from folkways.benchmarks.blend.build.procedures import AnsweredCall
from folkways.files import packed, write_bytes
from folkways.releases.cards import eval_yaml, hub_licence
from folkways.releases.release_records import ReleaseRecord

CONFIG = "multiple-choice-questions"
"""The name of the configuration on the hub."""

LETTER = r'(?:"answer_choice"\s*:\s*"|^\s*)([A-D])\b'
"""Where a reply names its letter, for those who score it by a pattern alone."""


def write_released(items: pl.DataFrame, path: Path) -> Path:
    """The released CSV, byte for byte in its dialect: UTF-8, quotes where needed, lines that end in CR LF."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(RELEASED)
    writer.writerows(items.select(RELEASED).iter_rows())
    return write_bytes(path, text.getvalue().encode())


def write_calls(calls: Iterable[AnsweredCall], path: Path) -> Path:
    """One JSON object per line and call, in the order in which the construction made them."""
    lines = (orjson.dumps({"call": number, **_plain(asked)}) for number, asked in enumerate(calls, 1))
    return write_bytes(path, b"".join(line + b"\n" for line in lines))


def write_hub(
    items: pl.DataFrame, folder: Path, kind: str, release: ReleaseRecord, record: Mapping[str, Any]
) -> list[Path]:
    """The layout of the hub: a data card, the items as ``parquet`` or ``jsonl``, and eval.yaml; returns the
    files."""
    data = folder / CONFIG / f"test-00000-of-00001.{kind}"
    card = _card(items, data.relative_to(folder).as_posix(), release, record)
    contents = {
        folder / "README.md": card.encode(),
        data: packed(items, kind),
        folder / "eval.yaml": _registration(items, release),
    }
    return [write_bytes(path, content) for path, content in contents.items()]


def _registration(items: pl.DataFrame, release: ReleaseRecord) -> bytes:
    """The ``eval.yaml``: the prompts as they are, and the letter that Inspect finds in a reply's JSON, or at
    its beginning."""
    task = {
        "id": "mcq",
        "config": CONFIG,
        "split": "test",
        "field_spec": {"input": "prompt", "target": "answer_idx"},
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": LETTER}}],
    }
    about = (
        f"{items.height:,} multiple-choice questions on everyday life in "
        f"{items['country'].n_unique()} "
        "countries or regions."
    )
    return eval_yaml(f"Everyday life, made from {release.name}", about, task).encode()


def _plain(asked: AnsweredCall) -> dict[str, Any]:
    answer: Any = asked.answer
    if isinstance(answer, frozenset):
        answer = sorted(answer)
    elif isinstance(answer, tuple):
        answer = [sorted(part) if isinstance(part, frozenset) else part for part in answer]
    told = {name: value for name, value in asdict(asked.call).items() if name != "text"}
    return {"kind": asked.call.kind, **told, "answer": answer}


def _card(items: pl.DataFrame, data: str, release: ReleaseRecord, record: Mapping[str, Any]) -> str:
    made = "\n".join(f"| {name} | {_shown(value)} |" for name, value in record.items() if name != "left_out")
    left_out = "\n".join(f"- {what}: {why}" for what, why in record["left_out"].items()) or "Nothing."
    counts = items.group_by("country", maintain_order=True).agg(pl.len().alias("n"))
    table = "\n".join(f"| {country} | {number:,} |" for country, number in counts.iter_rows())
    return f"""---
license: {hub_licence(release.licence)}
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
