"""Figures that papers and leaderboards have published, in one schema: facts to compare with, never part of
what is computed. And where papers print prompts that folkways does not ship."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files

import polars as pl

from folkways.errors import DataError
from folkways.records import Schema, require_columns
from folkways.toml_files import packaged_toml

PRINTED: Schema = {
    "place": pl.String,  # "Table 10", "section 5.1", "leaderboard"
    "task": pl.String,  # null for figures of the data
    "metric": pl.String,  # as in records.SCORES; for figures of the data what is counted
    # "model", "mean" of models, "people", "baseline"; "difference", "... strategy" and "data" are not scores
    "kind": pl.String,
    "model": pl.String,  # as published, one spelling per model; null for figures of the data
    # as in records.SCORES: "all", "culture", "region", "mode", "element"; "culture+topic" for two
    "facet": pl.String,
    "value": pl.String,
    "language": pl.String,  # in which models were asked; null for figures of the data
    "score": pl.Float64,
    "unit": pl.String,  # "percent" or "share" (0 to 1); "mean" or "count" for figures of the data
}
"""Columns of ``figures.csv``: one row per printed number."""

OF_PLACES: Schema = {
    "data": pl.String,  # the release that the figures are of
    "profile": pl.String,
    "variants": pl.String,  # their prompt templates, joined by "+"
    "note": pl.String,  # what is known to be odd about the table; "" where nothing is
}
"""What ``places.toml`` says of all figures of a place."""

FIGURES: Schema = {"paper": pl.String, **PRINTED, **OF_PLACES}
"""``paper`` is the benchmark's name."""


PAPER = "paper"
"""The source of a text that is what the paper prints."""

BROUGHT = "paper-as-brought"
"""The source of a text that folkways cannot check against the paper."""


@dataclass(frozen=True, slots=True)
class PrintedPrompt:
    """A prompt that a paper prints.

    table: of the prompts file: a task, or ``build NAME`` for a builder. name: of the text in it.
    at: where the paper prints it. parts: the {names} that it needs.
    digest: of ``letters_of`` the printed text; empty where the printed text is not known to folkways.
    letters: how many there are in it; 0 where the paper prints all of the text, or else the text may go on.
    """

    table: str
    name: str
    at: str
    parts: tuple[str, ...]
    digest: str = ""
    letters: int = 0

    def source_of(self, text: str) -> str:
        """PAPER if the text is what the paper prints, BROUGHT if folkways cannot tell, ``file:NAME`` if it is
        another text. Case, spaces, marks and places do not count."""
        if not self.digest:
            return BROUGHT
        letters = letters_of(text)
        size = self.letters or len(letters)
        windows = (letters[start : start + size] for start in range(max(len(letters) - size, 0) + 1))
        return PAPER if any(_digest(window) == self.digest for window in windows) else f"file:{self.name}"


def letters_of(text: str) -> str:
    """The letters and digits of a prompt, in lower case, without its {names}."""
    plain = unicodedata.normalize("NFKC", _PLACE.sub(" ", text)).casefold()
    return "".join(character for character in plain if character.isalnum())


def _digest(letters: str) -> str:
    return blake2b(letters.encode(), digest_size=8).hexdigest()


_PLACE = re.compile(r"\{+\w*\}+")


@dataclass(frozen=True)
class PublishedFigures:
    """What has been published about a benchmark: ``figures.csv`` and ``places.toml`` in a package
    ("greetings.published").

    ``figures.csv`` has PRINTED. ``places.toml`` gives OF_PLACES for all places, and in ``[places."Table
    12"]`` what differs in one. ``prompts.toml``, where there is one, says where the paper prints prompts that
    folkways does not ship.
    """

    package: str

    @property
    def prompts(self) -> tuple[PrintedPrompt, ...]:
        """Prompts that the paper prints and folkways does not ship, in the order of the file."""
        try:
            tables = packaged_toml(self.package, "prompts.toml")
        except (ImportError, OSError):
            return ()
        return tuple(
            PrintedPrompt(table, name, **{**entry, "parts": tuple(entry["parts"])})
            for table, entries in tables.items()
            for name, entry in entries.items()
        )

    def figures(self, *places: str) -> pl.DataFrame:
        """FIGURES without ``paper``, in the order of the file; of these places, or of all if none is named.

        Raises DataError if one of the two files cannot be read.
        """
        figures = _read(self.package)
        return figures.filter(pl.col("place").is_in(places)) if places else figures

    def cells(self, place: str, *groups: str) -> pl.DataFrame:
        """``metric``, the parts of the group ("KR+Food") under these names, and ``published``, of the figures
        of a place."""
        parts = (
            pl.col("value")
            .str.split_exact("+", len(groups) - 1)
            .struct.rename_fields(list(groups))
            .alias("group")
        )
        return self.figures(place).select("metric", parts, published="score").unnest("group")


@cache
def _read(package: str) -> pl.DataFrame:
    try:
        folder = files(package)
        common = tomllib.loads(folder.joinpath("places.toml").read_text(encoding="utf-8"))
        figures = pl.read_csv(folder.joinpath("figures.csv").read_bytes(), schema=dict(PRINTED))
    except (ImportError, OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise DataError(f"its figures.csv and places.toml cannot be read: {error}", file=package) from None
    places = common.pop("places", {})
    of_places = [
        pl.col("place")
        .replace_strict(
            {name_of_place: more[name] for name_of_place, more in places.items() if name in more},
            default=common.get(name, ""),
        )
        .cast(kind)
        .alias(name)
        for name, kind in OF_PLACES.items()
    ]
    return figures.with_columns(of_places)


def beside_published(
    rows: pl.DataFrame, cells: pl.DataFrame, on: list[str], decimals: int = 2
) -> pl.DataFrame:
    """``rows`` with ``published``, ``deviation`` and ``reproduced``.

    rows: recomputed numbers, in the column ``value``.
    cells: from ``PublishedFigures.cells``.
    on: the columns that identify a cell.
    decimals: to which the paper rounds.

    ``deviation`` is recomputed minus published, null where the paper has no such cell. ``reproduced`` says
    whether the two agree once rounded, a tie either way.
    """
    require_columns(rows, (*on, "value"), "recomputed rows")
    tolerance = 0.5 * 10.0**-decimals + 1e-9
    return (
        rows.join(cells.select(*on, "published"), on=on, how="left", maintain_order="left")
        .with_columns(deviation=pl.col("value") - pl.col("published"))
        .with_columns(reproduced=pl.col("deviation").abs() <= tolerance)
    )
