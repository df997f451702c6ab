"""Reads CulturalBench-Easy and -Hard, CSV or Parquet, and adds what the files do not say: region, mode and,
if known, topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from folkways.benchmarks.multiple_choice.release import is_readable
from folkways.cultures import cultures, get_culture, get_language
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.releases.once import read_once
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table

LETTERS = ("A", "B", "C", "D")
EASY, HARD = "CulturalBench-Easy", "CulturalBench-Hard"
PLACES = ("{}.csv", "{}.parquet", "{}/test-00000-of-00001.parquet", "{}/test/0000.parquet")
"""Where a configuration lies: the hub's CSV; Parquet as saved by hand, as uploaded by ``datasets``, and as
converted by the hub."""

_OPTIONS = tuple(f"prompt_option_{letter.lower()}" for letter in LETTERS)
EASY_COLUMNS: Columns = {
    name: (name,) for name in ("data_idx", "question_idx", "prompt_question", *_OPTIONS, "answer", "country")
}
HARD_COLUMNS: Columns = {
    name: (name,)
    for name in ("data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country")
}
LOCAL = "local_language"
EASY_LOCAL = (LOCAL, "local_question", *(f"local_option_{letter.lower()}" for letter in LETTERS))
HARD_LOCAL = (LOCAL, "local_question", "local_option")
"""Columns of a release whose questions were translated (``folkways build translated``); the language is empty
where one was not."""
TOPICS = "topics.csv"
"""Question, topic and head, where somebody has sorted the questions (``folkways build topics``); no release
has it."""
TOPIC_COLUMNS: Columns = {name: (name,) for name in ("question_idx", "topic", "head")}
VOTES = "votes.csv"
"""Every vote, in a release that was built here: it says which people decided a question."""
VOTE_COLUMNS: Columns = {name: (name,) for name in ("question_idx", "population", "counted")}
TRUTH: Mapping[str, str] = {"true": "True", "1": "True", "false": "False", "0": "False"}

_NUMERAL = r"\(?\s*(?:i{1,3}|iv|vi{0,3}|ix|x)\s*\)?\.?"
_NUMERALS = re.compile(rf"\s*{_NUMERAL}(?:\s*(?:,|;|&|\band\b)\s*(?:and\s+)?{_NUMERAL})*\s*", re.I)
_ALL_OR_NONE = re.compile(r"\s*(?:all|none|both|neither)(?: of (?:the above|them|these))?\.?\s*", re.I)


def is_multi_mode(options: Sequence[str]) -> bool:
    """Whether the options are lists of roman numerals, "(i), (iv)", over statements in the question: the
    paper's multi-mode.

    One option at most may be "all" or "none" of them.
    """
    lists = sum(bool(_NUMERALS.fullmatch(option)) for option in options)
    others = sum(bool(_ALL_OR_NONE.fullmatch(option)) for option in options)
    return lists >= 2 and lists + min(others, 1) == len(options)


def has(release: Release, name: str) -> bool:
    """Whether the configuration (EASY or HARD) is there in any of its places."""
    return any(release.has(pattern.format(name)) for pattern in PLACES)


def topics(release: Release) -> dict[str, str]:
    """Question -> topic; empty where nobody has sorted the questions.

    The file counts only as one of the release's files, so that the fingerprint covers it: put it into a
    folder of your own with the two configurations. DataError with the row for a question that has two topics.
    """
    if not any(entry.path == TOPICS for entry in release.record.files) or not release.has(TOPICS):
        return {}
    path = release.path(TOPICS)
    topic_of: dict[str, str] = {}
    for row, question, topic in (
        read_table(path, TOPIC_COLUMNS).select("row", "question_idx", "topic").iter_rows()
    ):
        if topic.strip() and topic_of.setdefault(question, topic.strip()) != topic.strip():
            raise DataError(
                f"question {question!r} has the topic {topic_of[question]!r} and here {topic!r}",
                file=path,
                row=row,
            )
    return topic_of


def parts(release: Release) -> dict[str, str]:
    """Question -> the part of its country whose people decided it in a round of their own; without those
    that people of the whole country decided."""
    if not any(entry.path == VOTES for entry in release.record.files) or not release.has(VOTES):
        return {}
    votes = read_table(release.path(VOTES), VOTE_COLUMNS).filter(
        (pl.col("counted") == "True") & (pl.col("population").str.strip_chars() != "")
    )
    return dict(votes.select("question_idx", pl.col("population").str.strip_chars()).iter_rows())


@read_once
def easy(release: Release) -> pl.DataFrame:
    """One row per question: ``row``, ``data_idx``, ``question_idx``, ``question``, ``options``, ``answer``,
    ``country``, ``culture``, ``region``, ``mode``, ``topic``, ``part`` (of the country; null for the whole).

    culture is a code of folkways.cultures, or the released name where that is unknown; region is null then.
    mode is ``single`` or ``multi``; topic is null where it is not known. ``local_language``,
    ``local_question`` and ``local_options`` are null where the question was not translated. DataError, with
    file and row, for a translation that lacks a text or is in no language other than English that folkways
    knows.
    """
    table = _read(release, EASY, EASY_COLUMNS, EASY_LOCAL)
    modes = [
        "multi" if is_multi_mode(options) else "single" for options in table.select(_OPTIONS).iter_rows()
    ]
    return _with_cultures(table).select(
        "row",
        "data_idx",
        "question_idx",
        pl.col("prompt_question").alias("question"),
        pl.concat_list(_OPTIONS).alias("options"),
        pl.col("answer").str.strip_chars(),
        "country",
        "culture",
        "region",
        pl.Series("mode", modes, dtype=pl.String),
        _named("topic", topics(release)),
        _named("part", parts(release)),
        LOCAL,
        "local_question",
        pl.when(pl.col(LOCAL).is_not_null()).then(pl.concat_list(EASY_LOCAL[2:])).alias("local_options"),
    )


@read_once
def hard(release: Release) -> pl.DataFrame:
    """One row per judgement: as ``easy``, with one ``option`` in place of ``options``, and one
    ``local_option`` in place of ``local_options``.

    answer is "True" or "False" (or what the file says instead). The mode is that of the same question in
    Easy; null where Easy is not there or does not have it, because the judgements no longer show it.
    """
    modes = {} if not has(release, EASY) else dict(easy(release).select("question_idx", "mode").iter_rows())
    return _with_cultures(_read(release, HARD, HARD_COLUMNS, HARD_LOCAL)).select(
        "row",
        "data_idx",
        "question_idx",
        pl.col("prompt_question").alias("question"),
        pl.col("prompt_option").alias("option"),
        pl.col("answer").map_elements(truth_of, return_dtype=pl.String),
        "country",
        "culture",
        "region",
        pl.col("question_idx").replace_strict(modes, default=None, return_dtype=pl.String).alias("mode"),
        _named("topic", topics(release)),
        _named("part", parts(release)),
        *HARD_LOCAL,
    )


def local_language(text: str) -> str:
    """The code of a language that questions can be translated to; FolkwaysError, with the value, for English
    and for one that folkways does not know."""
    code = get_language(text).code
    if code == "en":
        raise FolkwaysError(
            f"the language {text!r} is that of the questions; name the one of the translation"
        )
    return code


def truth_of(answer: str) -> str:
    """ "True" or "False" for any way of writing it; other answers unchanged."""
    return TRUTH.get(answer.strip().lower(), answer)


def looks_like(folder: Path) -> bool:
    """Whether ``folder`` holds either configuration, there or under ``data/``, with the columns of its
    schema."""
    return any(
        path.is_file() and is_readable(path, columns)
        for name, columns in ((EASY, EASY_COLUMNS), (HARD, HARD_COLUMNS))
        for pattern in PLACES
        for path in (folder / pattern.format(name), folder / "data" / pattern.format(name))
    )


def culture_of(country: str) -> str | None:
    """The code of the culture that the release calls ``country``; None where nobody knows it."""
    try:
        return get_culture(country.strip()).code
    except UnknownNameError:
        return None


def country_name(country: str) -> str:
    """What CulturalBench's files call a culture that folkways knows ("US" is "United States"); any other name
    as it is."""
    try:
        culture = get_culture(country)
    except UnknownNameError:
        return country
    return culture.names.get("culturalbench", culture.name)


def _named(column: str, of_question: Mapping[str, str]) -> pl.Expr:
    return (
        pl.col("question_idx").replace_strict(of_question, default=None, return_dtype=pl.String).alias(column)
    )


def _read(release: Release, name: str, columns: Columns, local: Sequence[str]) -> pl.DataFrame:
    """The columns of a configuration and those of its translations, which are null where there is none."""
    path = _find(release, name)
    if not is_readable(path, {LOCAL: (LOCAL,)}):
        return read_table(path, columns).with_columns(pl.lit(None, pl.String).alias(each) for each in local)
    table = read_table(path, {**columns, **{each: (each,) for each in local}})
    codes: list[str | None] = []
    for row in table.select("row", *local).iter_rows(named=True):
        if not row[LOCAL].strip():
            codes.append(None)
            continue
        if empty := [each for each in local if not row[each].strip()]:
            raise DataError(f"the translation has no {', '.join(empty)}", file=path, row=row["row"])
        try:
            codes.append(local_language(row[LOCAL].strip()))
        except FolkwaysError as error:
            raise DataError(str(error), file=path, row=row["row"]) from None
    return table.with_columns(pl.Series(LOCAL, codes, dtype=pl.String)).with_columns(
        pl.when(pl.col(LOCAL).is_not_null()).then(each).alias(each) for each in local
    )


def _with_cultures(table: pl.DataFrame) -> pl.DataFrame:
    codes = {country: culture_of(country) or country for country in table["country"].unique()}
    by_code = cultures()
    regions = {country: by_code[code].region if code in by_code else None for country, code in codes.items()}
    return table.with_columns(
        pl.col("country").replace_strict(codes, return_dtype=pl.String).alias("culture"),
        pl.col("country").replace_strict(regions, return_dtype=pl.String).alias("region"),
    )


def _find(release: Release, name: str) -> Path:
    paths = [pattern.format(name) for pattern in PLACES]
    return release.path(next(filter(release.has, paths), paths[0]))
