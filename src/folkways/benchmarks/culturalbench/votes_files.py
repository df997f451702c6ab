"""Reads questions and votes from files; what is wrong is listed with file and row."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.culturalbench.votes import (
    ABSTENTIONS,
    ITEM_FIELDS,
    ITEMS,
    LETTERS,
    META_FIELDS,
    VOTE_FIELDS,
    VOTES,
    Field,
    Meta,
    Votes,
    to_files,
)
from folkways.display import plural
from folkways.errors import DataError, FolkwaysError
from folkways.files import write_bytes
from folkways.text_tables import SUFFIXES, read_replies

META = "meta.json"
FOLDER = "a folder with items.csv and votes.csv (or .jsonl, .parquet)"


def read_votes(paths: Iterable[Path], licence: str | None = None) -> Votes:
    """The questions and votes in folders (``items``, ``votes`` and ``meta.json``) or single files that hold
    both, put together.

    licence: what they are under, in place of what they say. Raises FolkwaysError for a place with nothing to
    read and where two places are under different licences, DataError for what is wrong in a file, with its
    row.
    """
    items: list[TextTable] = []
    votes: list[TextTable] = []
    metas: list[tuple[Path, Meta]] = []
    for path in paths:
        if path.is_dir():
            items.append(_text(_only(path, "items")))
            if not _has_votes(items[-1]):
                votes.append(_text(_only(path, "votes")))
            metas.append((path, _meta(path / META)))
        elif path.is_file():
            text = _text(path)
            if not _has_votes(text):
                raise FolkwaysError(
                    f"{path} has questions or votes alone; give {FOLDER}, "
                    f"or a file that has a column {' or '.join(SINGLE_FILE)} beside the questions"
                )
            items.append(text)
            metas.append((path, Meta()))
        else:
            raise FolkwaysError(f"there is no {path}; give {FOLDER}, or a file with both")
    return read_collection(items, votes, _joined_meta(metas, licence))


def write_votes(votes: Votes, folder: Path, kind: str = "csv") -> list[Path]:
    """Write a folder that ``read_votes`` reads; kind is ``csv``, ``jsonl`` or ``parquet``. Returns the
    files."""
    return [write_bytes(folder / name, content) for name, content in to_files(votes, kind).items()]


def _has_votes(text: TextTable) -> bool:
    return "question" in text.rows.columns and any(name in text.rows.columns for name in SINGLE_FILE)


def _only(folder: Path, name: str) -> Path:
    candidates = [folder / f"{name}{suffix}" for suffix in SUFFIXES if (folder / f"{name}{suffix}").is_file()]
    if not candidates:
        raise FolkwaysError(f"{folder} has no {name}.csv, {name}.jsonl or {name}.parquet")
    if len(candidates) > 1:
        raise FolkwaysError(f"{folder} has both {' and '.join(file.name for file in candidates)}; keep one")
    (file,) = candidates
    return file


def _text(file: Path) -> TextTable:
    return TextTable(str(file), read_replies(file))


def _meta(file: Path) -> Meta:
    if not file.is_file():
        return Meta()
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=file) from None
    if not isinstance(content, dict):
        raise DataError("is not a JSON object", file=file)
    valid = {entry.name for entry in META_FIELDS}
    wrong = [name for name, value in content.items() if name in valid and not isinstance(value, str | None)]
    if wrong:
        raise DataError(f"{wrong[0]} must be a text, got {content[wrong[0]]!r}", file=file)
    return Meta(
        **{name: content[name] for name in sorted(valid & content.keys()) if content[name] is not None}
    )


def _joined_meta(metas: Sequence[tuple[Path, Meta]], licence: str | None) -> Meta:
    licences = {meta.licence: path for path, meta in metas}
    if len(licences) > 1 and licence is None:
        licences_named = "; ".join(f"{path}: {name or 'none named'}" for name, path in licences.items())
        raise FolkwaysError(
            f"the votes are under different licences ({licences_named}); "
            "say what the benchmark is under: --licence NAME"
        )
    joined = {
        entry.name: "\n\n".join(
            dict.fromkeys(value for _, meta in metas if (value := getattr(meta, entry.name)))
        )
        for entry in fields(Meta)
    }
    return Meta(**joined | ({"licence": licence} if licence is not None else {}))


MOST_SHOWN = 12
"""Problems that an error shows; it says how many there are."""

SINGLE_FILE = ("votes", "annotator")
"""Columns of which a file with questions and votes together has one: a list of votes, or a vote per row."""


@dataclass(frozen=True)
class TextTable:
    """One file as text, a cell that is not there being null: its rows are numbered from 1."""

    file: str
    rows: pl.DataFrame


@dataclass
class _Collection:
    """What has been read so far, and what was wrong with it."""

    # with the place of each
    items: dict[str, tuple[dict[str, str | None], str]] = field(default_factory=dict)
    votes: dict[tuple[str, str, int], tuple[dict[str, Any], str]] = field(default_factory=dict)
    unusable: set[str] = field(default_factory=set)  # ids of items in rows that cannot be used
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_collection(items: Sequence[TextTable], votes: Sequence[TextTable], meta: Meta) -> Votes:
    """Questions and votes from files of either, or of both together; the order is that of files and rows.

    A file of ``items`` may hold a list ``votes`` per row, or a vote per row beside the question. Raises
    DataError that lists what is wrong, with file and row: a missing column or value, an unreadable choice, a
    vote on no question, two texts of one id, two votes of one person on one question in one round, two
    populations in one round. A row that is repeated as it is counts once.
    """
    collection = _Collection()
    for text in items:
        _check_columns(text, ITEM_FIELDS)
        together = [name for name in SINGLE_FILE if name in text.rows.columns]
        if "annotator" in together:
            _check_columns(text, VOTE_FIELDS)
        for place, row in _numbered(text):
            name = _item(collection, place, row, again="annotator" in together)
            if "annotator" in together:
                _vote(collection, place, row)
            elif together and name is not None:
                for entry in _listed(collection, place, row["votes"]):
                    _vote(collection, place, {**entry, "item": name})
    for text in votes:
        _check_columns(text, VOTE_FIELDS)
        for place, row in _numbered(text):
            _vote(collection, place, row)
    _check_together(collection)
    if collection.problems:
        shown = "\n".join(f"  {problem}" for problem in collection.problems[:MOST_SHOWN])
        more = (
            f"\n  and {len(collection.problems) - MOST_SHOWN} more"
            if len(collection.problems) > MOST_SHOWN
            else ""
        )
        summary = (
            "one thing is wrong; correct or remove this row"
            if len(collection.problems) == 1
            else (f"{len(collection.problems)} things are wrong; correct or remove these rows")
        )
        raise DataError(f"{summary}:\n{shown}{more}")
    return Votes(
        pl.DataFrame([item for item, _ in collection.items.values()], schema=dict(ITEMS)),
        pl.DataFrame([vote for vote, _ in collection.votes.values()], schema=dict(VOTES)),
        meta,
        tuple(collection.notes),
    )


def parse_chosen(text: str) -> list[str] | None:
    """Letters in their order, or one abstention in a list; None for anything else.

    Written as ``A C``, ``A,C``, ``a;c`` or a JSON list; "I don't know" words are ``dont_know`` and
    ``cannot_answer`` alone.
    """
    parts = [part for part in re.split(r'[\s,;|"\[\]]+', text) if part]
    folded = [part.lower() for part in parts]
    if len(folded) == 1 and folded[0] in ABSTENTIONS:
        return folded
    letters = {part.upper() for part in parts}
    if not letters or len(letters) != len(parts) or not letters <= set(LETTERS):
        return None
    return sorted(letters)


def parse_round(text: str) -> int | None:
    """A round, from 1 on, of nine digits at most; None for anything else."""
    return int(text) if re.fullmatch("0*[1-9][0-9]{0,8}", text) else None


def _check_columns(text: TextTable, fields: Sequence[Field]) -> None:
    missing = [entry.name for entry in fields if entry.required and entry.name not in text.rows.columns]
    if missing:
        raise DataError(
            f"has no column {', '.join(missing)}; its columns: {', '.join(text.rows.columns) or '(none)'}",
            file=text.file,
        )


def _numbered(text: TextTable) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, row in enumerate(text.rows.iter_rows(named=True), start=1):
        yield f"{text.file}, row {number}", row


def _item(collection: _Collection, place: str, row: Mapping[str, Any], *, again: bool) -> str | None:
    """Take the question of a row; its id, or None where the row cannot be used. ``again``: rows repeat it,
    one per vote."""
    if not _complete(collection, place, row, ITEM_FIELDS):
        collection.unusable.add((row.get("item") or "").strip())
        return None
    item = {entry.name: row.get(entry.name) or None for entry in ITEM_FIELDS}
    name = str(item["item"])
    existing, first = collection.items.setdefault(name, (item, place))
    if existing != item:
        differing = next(key for key in item if item[key] != existing[key])
        collection.problems.append(
            f"{place}: item {name!r} has another {differing} here than in {first}: {_short(item[differing])}"
        )
    elif first != place and not again:
        collection.notes.append(f"{place}: item {name!r} is in {first} as well, alike; it counts once")
    return name


def _vote(collection: _Collection, place: str, row: Mapping[str, Any]) -> None:
    if not _complete(collection, place, row, VOTE_FIELDS):
        return
    chosen = parse_chosen(str(row["chosen"]))
    if chosen is None:
        collection.problems.append(
            f"{place}: cannot read the choice {_short(row['chosen'])}; valid: letters from A to D (A C), "
            f"each once, or {' or '.join(ABSTENTIONS)} alone"
        )
        return
    round_text = str(row.get("round") or "1").strip()
    number = parse_round(round_text)
    if number is None:
        collection.problems.append(
            f"{place}: the round is a whole number from 1 on, got {_short(round_text)}"
        )
        return
    vote = {
        "item": row["item"],
        "annotator": row["annotator"],
        "chosen": chosen,
        "round": number,
        "population": (row.get("population") or "").strip(),
    }
    existing, first = collection.votes.setdefault(
        (vote["item"], vote["annotator"], vote["round"]), (vote, place)
    )
    if first == place:
        return
    who = f"annotator {_short(vote['annotator'])} has voted on item {vote['item']!r} in round {vote['round']}"
    if existing == vote:
        collection.notes.append(f"{place}: {who} in {first} as well, alike; it counts once")
    else:
        collection.problems.append(f"{place}: {who} in {first} as well, and otherwise; keep one of the two")


def _complete(collection: _Collection, place: str, row: Mapping[str, Any], fields: Sequence[Field]) -> bool:
    for entry in fields:
        value = row.get(entry.name)
        if entry.required and not (value or "").strip():
            hint = "; a person who chose nothing gave no vote" if entry.name == "chosen" else ""
            collection.problems.append(f"{place}: the column {entry.name} is empty{hint}")
            return False
    for name in ("item", "annotator"):
        if row.get(name) is not None and row[name] != row[name].strip():
            collection.problems.append(
                f"{place}: the column {name} begins or ends with a space: {_short(row[name])}"
            )
            return False
    return True


def _listed(collection: _Collection, place: str, text: str | None) -> list[dict[str, str | None]]:
    """The votes in a JSON list, with every value as text."""
    try:
        entries = orjson.loads(text or "[]")
    except orjson.JSONDecodeError:
        entries = None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        collection.problems.append(
            f"{place}: votes is a list of objects with annotator and chosen, got {_short(text)}"
        )
        return []
    return [
        {
            name: value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
            for name, value in entry.items()
        }
        for entry in entries
    ]


def _check_together(collection: _Collection) -> None:
    populations: dict[tuple[str, int], str] = {}
    for vote, place in collection.votes.values():
        if vote["item"] in collection.unusable - collection.items.keys():
            continue  # what is wrong with the item has been said
        if vote["item"] not in collection.items:
            collection.problems.append(f"{place}: there is no item {vote['item']!r} to vote on")
            continue
        first = populations.setdefault((vote["item"], vote["round"]), vote["population"])
        if first != vote["population"]:
            collection.problems.append(
                f"{place}: round {vote['round']} of item {vote['item']!r} was put to "
                f"{first or 'the country'!r} already, "
                f"here to {vote['population'] or 'the country'!r}; a second population is a second round"
            )
    if not collection.items and not collection.unusable:
        collection.problems.append("there is no question")
    counts = Counter(
        item["country"]
        for item, _ in collection.items.values()
        if item["country"] != (item["country"] or "").strip()
    )
    collection.problems += [
        f"the country {country!r} begins or ends with a space, in {plural(n, 'item')}"
        for country, n in counts.items()
    ]


def _short(text: object) -> str:
    shown = repr(text)
    return shown if len(shown) <= 60 else f"{shown[:56]}…{shown[0]}"
