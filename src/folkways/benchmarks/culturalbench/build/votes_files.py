"""Finds and opens the files of questions with votes; what they must say is declared in
benchmarks/culturalbench/votes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

from folkways.benchmarks.culturalbench.votes import META_FIELDS, Meta, Votes, to_files
from folkways.benchmarks.culturalbench.votes_checking import SINGLE_FILE, Text, read_collection
from folkways.errors import DataError, FolkwaysError
from folkways.files import write_bytes
from folkways.text_tables import SUFFIXES, read_replies

META = "meta.json"
FOLDER = "a folder with items.csv and votes.csv (or .jsonl, .parquet)"


def read_votes(places: Iterable[Path], licence: str | None = None) -> Votes:
    """The questions and votes in folders (``items``, ``votes`` and ``meta.json``) or single files that hold
    both, put together.

    licence: what they are under, in place of what they say. Raises FolkwaysError for a place with nothing to
    read and where two places are under different licences, DataError for what is wrong in a file, with its
    row.
    """
    items: list[Text] = []
    votes: list[Text] = []
    metas: list[tuple[Path, Meta]] = []
    for place in places:
        if place.is_dir():
            items.append(_text(_only(place, "items")))
            if not _has_votes(items[-1]):
                votes.append(_text(_only(place, "votes")))
            metas.append((place, _meta(place / META)))
        elif place.is_file():
            text = _text(place)
            if not _has_votes(text):
                raise FolkwaysError(
                    f"{place} has questions or votes alone; give {FOLDER}, "
                    f"or a file that has a column {' or '.join(SINGLE_FILE)} beside the questions"
                )
            items.append(text)
            metas.append((place, Meta()))
        else:
            raise FolkwaysError(f"there is no {place}; give {FOLDER}, or a file with both")
    return read_collection(items, votes, _together(metas, licence))


def write_votes(votes: Votes, folder: Path, kind: str = "csv") -> list[Path]:
    """Write a folder that ``read_votes`` reads; kind is ``csv``, ``jsonl`` or ``parquet``. Returns the
    files."""
    return [write_bytes(folder / name, content) for name, content in to_files(votes, kind).items()]


def _has_votes(text: Text) -> bool:
    return "question" in text.rows.columns and any(name in text.rows.columns for name in SINGLE_FILE)


def _only(folder: Path, name: str) -> Path:
    found = [folder / f"{name}{suffix}" for suffix in SUFFIXES if (folder / f"{name}{suffix}").is_file()]
    if not found:
        raise FolkwaysError(f"{folder} has no {name}.csv, {name}.jsonl or {name}.parquet")
    if len(found) > 1:
        raise FolkwaysError(f"{folder} has both {' and '.join(file.name for file in found)}; keep one")
    return found[0]


def _text(file: Path) -> Text:
    return Text(str(file), read_replies(file))


def _meta(file: Path) -> Meta:
    if not file.is_file():
        return Meta()
    try:
        told = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=file) from None
    if not isinstance(told, dict):
        raise DataError("is not a JSON object", file=file)
    known = {entry.name for entry in META_FIELDS}
    wrong = [name for name, value in told.items() if name in known and not isinstance(value, str | None)]
    if wrong:
        raise DataError(f"{wrong[0]} must be a text, got {told[wrong[0]]!r}", file=file)
    return Meta(**{name: told[name] for name in sorted(known & told.keys()) if told[name] is not None})


def _together(metas: Sequence[tuple[Path, Meta]], licence: str | None) -> Meta:
    licences = {meta.licence: place for place, meta in metas}
    if len(licences) > 1 and licence is None:
        told = "; ".join(f"{place}: {name or 'none named'}" for name, place in licences.items())
        raise FolkwaysError(
            f"the votes are under different licences ({told}); say what the benchmark is under: --licence "
            "NAME"
        )
    joined = {
        entry.name: "\n\n".join(
            dict.fromkeys(value for _, meta in metas if (value := getattr(meta, entry.name)))
        )
        for entry in fields(Meta)
    }
    return Meta(**joined | ({"licence": licence} if licence is not None else {}))
