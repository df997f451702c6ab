"""The answers that people gave, in every schema that BLEnD was published in, and which questions count by
them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.data.files import REMEDY, files_of, read_json
from folkways.cultures import Culture
from folkways.errors import DataError
from folkways.records import Schema
from folkways.releases.once import read_once
from folkways.releases.release_records import Release

GROUPS = pl.List(
    pl.Struct({"answers": pl.List(pl.String), "en_answers": pl.List(pl.String), "count": pl.Int64})
)
"""Answers that people gave, most frequent first: local and English variants of one answer, and how many
people gave it."""

ANNOTATIONS: Schema = {
    "culture": pl.String,
    "id": pl.String,  # "Al-en-01"; the same in every culture
    "question": pl.String,  # in the local language
    "en_question": pl.String,
    "groups": GROUPS,
    "idks": pl.List(
        pl.Struct({"kind": pl.String, "count": pl.Int64})
    ),  # "idk", "no-answer", "not-applicable", and free text
    "votes": pl.List(
        pl.Struct({"answer": pl.String, "count": pl.Int64})
    ),  # before grouping; only in 3c00d45, else empty
    "raw": pl.List(
        pl.Struct({"annotator": pl.String, "answers": pl.List(pl.String)})
    ),  # only in 3c00d45, else empty
}

NESTED = ("groups", "idks", "votes", "raw")


@read_once
def read_annotations(release: Release) -> pl.DataFrame:
    """ANNOTATIONS, one row per (culture, question). DataError naming file and question id where a file is
    broken."""
    return pl.concat([_annotation_table(culture, file) for culture, file in files_of(release, "annotations")])


def _annotation_table(culture: Culture, file: Path) -> pl.DataFrame:
    rows: list[tuple[str, ...]] = []
    for key, entry in _entries(read_json(file), file):
        try:
            rows.append((culture.code, key, *_annotation(entry)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(f"question {key!r}: {problem}. {REMEDY}", file=file) from None
    nested = [pl.col(name).str.json_decode(ANNOTATIONS[name]) for name in NESTED]
    return pl.DataFrame(rows, schema=dict.fromkeys(ANNOTATIONS, pl.String), orient="row").with_columns(nested)


def _entries(content: Any, file: Path) -> Iterator[tuple[str, Any]]:
    """Questions by id, from an object (GitHub) or a list of records with an ``ID`` (hub)."""
    if isinstance(content, dict):
        yield from content.items()
    elif isinstance(content, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("ID"), str) for entry in content
    ):
        yield from ((entry["ID"], entry) for entry in content)
    else:
        raise DataError(
            f"holds neither questions by id nor a list of records with an ID. {REMEDY}", file=file
        )


def _annotation(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of ANNOTATIONS after culture and id, checked; the nested ones as JSON, which costs a third
    of the memory."""
    groups = entry.get("aggregated_answers", entry.get("annotations"))
    if not isinstance(groups, list):
        raise TypeError("neither 'aggregated_answers' nor 'annotations' is a list of answer groups")
    votes = entry["annotations"] if isinstance(entry.get("annotations"), dict) else {}
    for group in groups:
        if not (
            _is_texts(group["answers"]) and _is_texts(group["en_answers"]) and type(group["count"]) is int
        ):
            raise TypeError(
                "an answer group is not 'answers' and 'en_answers' (lists of text) and 'count' (a whole "
                "number)"
            )
    if not all(
        type(count) is int for count in (*entry["idks"].values(), *votes.values()) if count is not None
    ):
        raise TypeError("the votes and the kinds of not knowing are not all counted in whole numbers")
    raw = entry.get("raw_annotations", {})
    if not all(_is_texts(answers) for answers in raw.values()):
        raise TypeError("'raw_annotations' does not give a list of texts for each annotator")
    return (
        _text(entry, "question"),
        _text(entry, "en_question"),
        _json(groups),
        _json([{"kind": kind, "count": count} for kind, count in entry["idks"].items() if count is not None]),
        _json([{"answer": answer, "count": count} for answer, count in votes.items()]),
        _json([{"annotator": name, "answers": answers} for name, answers in raw.items()]),
    )


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _text(entry: Mapping[str, Any], key: str) -> str:
    if not isinstance(entry[key], str):
        raise TypeError(f"{key!r} is not text")
    return str(entry[key])


def is_counted() -> pl.Expr:
    """Whether a question counts, over the columns ``idks`` and ``groups`` of ANNOTATIONS.

    This is the rule of the authors' code, and of Tables 10 and 11: out go questions without answers, those
    that three or more people left open or called not applicable, and those that five or more did not know.
    (The paper's words give another set.)
    """
    element = pl.element()

    def people(*kinds: str) -> pl.Expr:
        counts = element.struct.field("count").filter(element.struct.field("kind").is_in(kinds))
        return pl.col("idks").list.eval(counts).list.sum()

    return (
        (people("no-answer", "not-applicable") < 3) & (people("idk") < 5) & (pl.col("groups").list.len() > 0)
    )
