"""The reference verdicts of the authors' programs, and ours on the same replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from folkways.benchmarks.blend.data.files import cultures_by_name
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.benchmarks.free_answers import matching
from folkways.benchmarks.free_answers.matching import answers_in, clean_as_paper
from folkways.benchmarks.released_data import open_release
from folkways.cultures import get_language
from folkways.text.tools import TextTool

SHARED = Path(__file__).resolve().parents[3] / "shared"
FILES = {
    "ar": "Algeria_Arabic",
    "az": "Azerbaijan_Azerbaijani",
    "en": "US_English",
    "ha": "Northern_Nigeria_Hausa",
    "ko": "South_Korea_Korean",
    "zh": "China_Chinese",
}
"""Language -> reference file."""
TASK = ShortAnswers()


@dataclass(frozen=True)
class LookupTool:
    """A tool that knows the tokens of certain texts; an unknown text is an error."""

    known: Mapping[str, list[str]]
    name: str = "looked-up"
    version: str = "1"

    def tokens(self, text: str) -> list[str]:
        """What is known."""
        return self.known[text]


def items() -> pl.DataFrame:
    """The items that the reference was made with."""
    return TASK.items(open_release(str(SHARED / "data" / "blend" / "24e7d73"), "blend"))


def replies(language: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Responses for ``judge``, and the reference of the same rows; of two replies to a question the last."""
    name = FILES[language]
    country, spoken = name.rsplit("_", 1)
    file = SHARED / "parity" / "blend_saq" / f"{name}.csv"
    official = pl.read_csv(file, infer_schema=False, empty_string_is_null=False).unique(
        "ID", keep="last", maintain_order=True
    )
    told = TASK.from_authors(official)
    assert told is not None
    responses = told.with_columns(
        task=pl.lit(TASK.name),
        item=pl.lit(cultures_by_name()[country].code + "/") + pl.col("release_id"),
        language=pl.lit(get_language(spoken).code),
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        reason=pl.lit(None, dtype=pl.String),
    )
    return responses, official.select("official_binary", "en_lemmatizer_sensitive")


def texts(gold: pl.DataFrame, responses: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Distinct texts that the local and the English tool meet: answers, and cleaned replies with their first
    answers."""
    said: set[str] = set()
    for reply, prompt in responses.select("response", "prompt").iter_rows():
        cleaned = clean_as_paper(reply, prompt)
        said |= {cleaned, *answers_in(cleaned)[:1]}
    groups = gold.join(responses.select("item"), on="item", how="semi")["groups"].to_list()
    local = {answer for question in groups for group in question for answer in group["answers"]}
    english = {answer for question in groups for group in question for answer in group["en_answers"]}
    return sorted(said | local), sorted(said | english)


@contextmanager
def tools(swapped: Mapping[str, TextTool]) -> Iterator[None]:
    """Judge with other tools for some languages."""
    ordinary = matching.get_tool

    def chosen(language: str, tool_set: str = "default") -> TextTool:
        return (
            swapped[language]
            if tool_set == "default" and language in swapped
            else ordinary(language, tool_set)
        )

    matching.get_tool = chosen  # type: ignore[assignment]
    try:
        yield
    finally:
        matching.get_tool = ordinary


def verdicts(gold: pl.DataFrame, responses: pl.DataFrame) -> pl.Series:
    """1, 0 or null (not counted) for each response, in the paper profile."""
    return TASK.judge(gold, responses, "paper")["sem_b"]


def equal(one: pl.Series, other: pl.Series) -> float:
    """Share of equal verdicts among the counted ones."""
    both = pl.DataFrame({"one": one, "other": other}).drop_nulls()
    return float((both["one"] == both["other"]).mean())  # type: ignore[arg-type]
