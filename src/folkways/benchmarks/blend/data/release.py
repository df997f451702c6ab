"""Reads BLEnD's annotations, questions, prompts and multiple-choice questions, in every published schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.data.files import (
    REMEDY,
    country_name,
    csv_batches,
    cultures_by_name,
    files_of,
    find_mcq,
    read_csv,
    read_json,
    right_name,
)
from folkways.cultures import Culture, languages
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
    # "idk", "no-answer", "not-applicable", and free text
    "idks": pl.List(pl.Struct({"kind": pl.String, "count": pl.Int64})),
    # before grouping; only in 3c00d45, else empty
    "votes": pl.List(pl.Struct({"answer": pl.String, "count": pl.Int64})),
    # only in 3c00d45, else empty
    "raw": pl.List(pl.Struct({"annotator": pl.String, "answers": pl.List(pl.String)})),
}

NESTED = ("groups", "idks", "votes", "raw")


@read_once
def read_annotations(release: Release) -> pl.DataFrame:
    """ANNOTATIONS, one row per (culture, question). DataError naming file and question id where a file is
    broken."""
    rows = [
        row
        for culture, file in files_of(release, "annotations")
        for row in _annotations(culture, file, release.verified)
    ]
    columns = zip(ANNOTATIONS, [*zip(*rows, strict=True)] or [()] * len(ANNOTATIONS), strict=True)
    nested = [pl.col(name).str.json_decode(ANNOTATIONS[name]) for name in NESTED]
    return pl.DataFrame([pl.Series(name, values, dtype=pl.String) for name, values in columns]).with_columns(
        nested
    )


def _annotations(culture: Culture, file: Path, verified: bool) -> Iterator[tuple[str, ...]]:
    """The rows of ANNOTATIONS in a file; the nested columns as JSON."""
    for key, entry in _entries(read_json(file, verified=verified), file):
        try:
            yield (culture.code, key, *_annotation(entry))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(f"question {key!r}: {problem}. {REMEDY}", file=file) from None


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


QUESTIONS: Schema = {
    "culture": pl.String,
    "id": pl.String,
    "topic": pl.String,
    "source": pl.String,  # the language in which the question was first written
    "local": pl.String,
    "english": pl.String,  # as released, with "your country"
}

PROMPT_TEXTS: Schema = {
    "culture": pl.String,
    "id": pl.String,  # "inst-4"
    "english": pl.String,  # with "{q}" for the question
    "local": pl.String,
}


@read_once
def read_questions(release: Release) -> pl.DataFrame:
    """QUESTIONS, one row per (culture, question). Which column is local is decided by content (see
    ``local_column``)."""
    tables = []
    for culture, file in files_of(release, "questions"):
        table = question_table(file)
        local = local_column(table, culture)
        english = "Question" if local == "Translation" else "Translation"
        tables.append(
            table.select(
                culture=pl.lit(culture.code),
                id="ID",
                topic="Topic",
                source="Source",
                local=local,
                english=english,
            )
        )
    return pl.concat(tables)


QUESTION_COLUMNS = ("ID", "Topic", "Source", "Question", "Translation")


def question_table(file: Path) -> pl.DataFrame:
    """A file of questions, CSV or JSON (the hub's layout), with every cell as text: QUESTION_COLUMNS, and
    those that are not part of the format; what is empty is "". DataError if it cannot be read or lacks one of
    the columns."""
    if file.suffix != ".json":
        return read_csv(file, QUESTION_COLUMNS)
    try:
        content = read_json(file)
        rows = [{name: record[name] for name in QUESTION_COLUMNS} for record in content]
        table = pl.DataFrame(rows, schema=dict.fromkeys(QUESTION_COLUMNS, pl.String)).fill_null("")
        others = dict.fromkeys(name for record in content for name in record if name not in table.columns)
        return table.with_columns(
            pl.Series(name, [str(record.get(name, "")) for record in content]) for name in others
        )
    except (KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"is not a list of records with {', '.join(QUESTION_COLUMNS)} ({error}). {REMEDY}", file=file
        ) from None


def local_column(table: pl.DataFrame, culture: Culture) -> str:
    """Which of ``Question`` and ``Translation`` is in the culture's own language: the header says the reverse
    in some releases.

    The other one has English function words in most rows. Where both have (US, UK), the English of the
    release is the column that was filled in by machine: it says "your country", or the country's name without
    its article ("in US").
    """

    def rows_with(pattern: str) -> tuple[int, int]:
        return int(table["Question"].str.contains(pattern).sum()), int(
            table["Translation"].str.contains(pattern).sum()
        )

    question, translation = rows_with(r"(?i)\b(?:what|which|how|when|where|who|why|the|is|are|do|does)\b")
    if abs(question - translation) <= 0.3 * table.height:
        question, translation = rows_with(
            rf"\byour country\b|\b(?:in|of|from) {country_in_english(culture)}\b"
        )
    return "Question" if translation > question else "Translation"


@read_once
def read_prompts(release: Release) -> pl.DataFrame:
    """PROMPT_TEXTS, one row per (culture, template). Of an id that a file has twice the first counts;
    ``check`` reports the other."""
    tables = [
        read_csv(file, ("id", "English", "Translation"))
        .select(culture=pl.lit(culture.code), id="id", english="English", local="Translation")
        .unique("id", keep="first", maintain_order=True)
        for culture, file in files_of(release, "prompts")
    ]
    return pl.concat(tables)


def country_in_english(culture: Culture) -> str:
    """The name that the authors' program writes in place of "your country" ("South Korea")."""
    return country_name(culture).replace("_", " ")


MCQ: Schema = {
    "mcqid": pl.String,
    "id": pl.String,
    "culture": pl.String,
    "prompt": pl.String,
    "labels": pl.List(pl.String),
    "choices": pl.List(pl.String),
    "choice_countries": pl.List(pl.String),  # the authors' names; "dummy" and the like stay as they are
    "answer_idx": pl.String,
    # of questions that are also asked in the culture's language, with the same options; else null
    "local_language": pl.String,
    "local_prompt": pl.String,
    "local_choices": pl.List(pl.String),
}

IN_LANGUAGE = ("language", "local_prompt", "local_choices")
"""Columns of questions that ``folkways build mcq --language`` made; the released file lacks them."""

MCQ_BATCH = 4000
"""Multiple-choice questions that are in memory at a time; the released file has 300,000 of them."""


def read_mcq(release: Release) -> pl.DataFrame:
    """MCQ, one row per ready-made multiple-choice question, in file order. DataError naming the row where one
    is broken."""
    return pl.concat(read_mcq_batches(release))


def read_mcq_batches(release: Release) -> Iterator[pl.DataFrame]:
    """``read_mcq`` in parts of MCQ_BATCH rows: the file is read row by row, and one part is in memory at a
    time."""
    file = find_mcq(release.root) or release.path("mc_questions_file.csv")
    first = 1
    needed = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
    for table in csv_batches(file, needed, MCQ_BATCH, IN_LANGUAGE):
        yield _mcq(table, file, first)
        first += table.height


def _mcq(table: pl.DataFrame, file: Path, first: int) -> pl.DataFrame:
    """The rows of ``table`` as MCQ; its first row is row ``first`` of the file."""
    codes = _culture_codes(table["country"].to_list(), file, first)
    choices = _objects(table["choices"].to_list(), first, file)
    for row, (options, answer) in enumerate(zip(choices, table["answer_idx"].to_list(), strict=True), first):
        if answer not in options:
            raise DataError(
                f"answer_idx {answer!r} is not one of the choices {', '.join(options)}. {REMEDY}",
                file=file,
                row=row,
            )
    countries = _objects(table["choice_countries"].to_list(), first, file)
    return table.select(
        mcqid="MCQID",
        id="ID",
        culture=pl.Series(codes, dtype=pl.String),
        prompt="prompt",
        labels=_lists([[*options] for options in choices]),
        choices=_lists([[*options.values()] for options in choices]),
        choice_countries=_lists(
            [
                [names[label] for label in options if label in names]
                for options, names in zip(choices, countries, strict=True)
            ]
        ),
        answer_idx="answer_idx",
        **_in_language(table, choices, file, first),
    )


def _in_language(
    table: pl.DataFrame, choices: Sequence[Mapping[str, object]], file: Path, first: int
) -> dict[str, pl.Expr | pl.Series]:
    """The last columns of MCQ; null where a row, or the whole file, is in English alone."""
    if not set(IN_LANGUAGE) <= set(table.columns):
        return {name: pl.lit(None, MCQ[name]) for name in ("local_language", "local_prompt", "local_choices")}
    worded: list[list[str] | None] = []
    for row, (code, prompt, text, options) in enumerate(
        zip(*(table[name] for name in IN_LANGUAGE), choices, strict=True), first
    ):
        if not code:
            worded.append(None)
            continue
        local = _object(text, row, file)
        problem = ""
        if code not in languages() or code == "en":
            problem = f"language {code!r} is not one that questions can be in besides English"
        elif not prompt.strip():
            problem = f"local_prompt is empty, and the language is {code}"
        elif [*local] != [*options]:
            problem = f"local_choices has the letters {', '.join(local)}, and choices {', '.join(options)}"
        if problem:
            raise DataError(f"{problem}. {REMEDY}", file=file, row=row)
        worded.append([str(value) for value in local.values()])
    spoken = pl.col("language") != ""
    return {
        "local_language": pl.when(spoken).then("language"),
        "local_prompt": pl.when(spoken).then("local_prompt"),
        "local_choices": pl.Series(worded, dtype=pl.List(pl.String)),
    }


def _lists(rows: list[list[object]]) -> pl.Series:
    """A column of lists of text, of values as JSON has them. Lists of one length are taken in as a whole,
    which is much faster."""
    if {*map(type, chain.from_iterable(rows))} - {str}:
        rows = [[str(value) for value in row] for row in rows]
    lengths = {*map(len, rows)}
    if len(lengths) != 1:
        return pl.Series(rows, dtype=pl.List(pl.String))
    flat = pl.Series([*chain.from_iterable(rows)], dtype=pl.String)
    return flat.reshape((len(rows), lengths.pop())).cast(pl.List(pl.String))


def _culture_codes(countries: Iterable[str], file: Path, first: int) -> list[str]:
    code_of: dict[str, str] = {}
    codes = []
    for row, name in enumerate(countries, first):
        if name not in code_of:
            culture = cultures_by_name().get(name)
            if culture is None:
                raise DataError(f"no culture is called {name!r}: {right_name(name)}", file=file, row=row)
            code_of[name] = culture.code
        codes.append(code_of[name])
    return codes


def _objects(texts: Sequence[str], first: int, file: Path) -> list[dict[str, object]]:
    """Label and value of each cell; the cells are parsed in one go, and one by one only to name the row that
    is broken."""
    try:
        objects: list[dict[str, object]] = orjson.loads(f"[{','.join(texts)}]")
    except orjson.JSONDecodeError:
        objects = []
    if len(objects) != len(texts) or {*map(type, objects)} - {dict} or not all(objects):
        objects = [_object(text, row, file) for row, text in enumerate(texts, first)]
    return objects


def _object(text: str, row: int, file: Path) -> dict[str, object]:
    try:
        choices = orjson.loads(text)
    except orjson.JSONDecodeError:
        choices = None
    if not isinstance(choices, dict) or not choices:
        raise DataError(
            f"the choices are not a JSON object of label and text: {text[:80]!r}. {REMEDY}",
            file=file,
            row=row,
        )
    return choices
