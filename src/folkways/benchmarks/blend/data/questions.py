"""BLEnD's questions and the authors' prompt templates, each in a culture's own language and in English."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from folkways.benchmarks.blend.data.files import REMEDY, country_name, files_of, read_csv, read_json
from folkways.cultures import Culture
from folkways.errors import DataError
from folkways.records import Schema
from folkways.releases.once import read_once
from folkways.releases.release_records import Release

QUESTIONS: Schema = {
    "culture": pl.String,
    "id": pl.String,
    "topic": pl.String,
    "source": pl.String,  # the language in which the question was first written
    "local": pl.String,
    "english": pl.String,  # as it stands: "your country" is left as it is
}

PROMPT_TEXTS: Schema = {
    "culture": pl.String,
    "id": pl.String,  # "inst-4"
    "english": pl.String,  # "{q}" stands for the question
    "local": pl.String,
}


@read_once
def read_questions(release: Release) -> pl.DataFrame:
    """QUESTIONS, one row per (culture, question). Which column is local is decided by content (see
    ``local_column``)."""
    tables = []
    for culture, file in files_of(release, "questions"):
        table = _question_table(file)
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


def _question_table(file: Path) -> pl.DataFrame:
    needed = ("ID", "Topic", "Source", "Question", "Translation")
    if file.suffix != ".json":
        return read_csv(file, needed)
    try:
        records = [{name: record[name] for name in needed} for record in read_json(file)]
        return pl.DataFrame(records, schema=dict.fromkeys(needed, pl.String))
    except (KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"is not a list of records with {', '.join(needed)} ({error}). {REMEDY}", file=file
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
    """PROMPT_TEXTS, one row per (culture, template). Where a file has an id twice the first stands; ``check``
    reports the other."""
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
