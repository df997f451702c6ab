"""People's answers to the ten items of the cultural map, from the trend files of the World Values Survey and
the European Values Study, or from the file of wave 7. They come from the user's disk, and only means of
countries leave."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from folkways.cultures import get_culture
from folkways.errors import DataError, UnknownNameError, of_extra
from folkways.names import culture_name

FROM_YEAR = 2005
FEWEST_ITEMS = 6
"""Of the ten items, that a person has to have answered."""


@dataclass(frozen=True, slots=True)
class MapItem:
    """An item of the map.

    code: its name in the trend files. low, high: its codes; all others say nothing. wave7: its question in
    the file of wave 7; empty for an index of several questions.
    """

    code: str
    about: str
    low: int
    high: int
    wave7: str = ""


ITEMS = (
    MapItem("A008", "happiness", 1, 4, "Q46"),
    MapItem("A165", "trust in people", 1, 2, "Q57"),
    MapItem("E018", "respect for authority", 1, 3, "Q45"),
    MapItem("E025", "signing a petition", 1, 3, "Q209"),
    MapItem("F063", "importance of God", 1, 10, "Q164"),
    MapItem("F118", "homosexuality justifiable", 1, 10, "Q182"),
    MapItem("F120", "abortion justifiable", 1, 10, "Q184"),
    MapItem("G006", "national pride", 1, 4, "Q254"),
    MapItem("Y002", "post-materialism", 1, 3),
    MapItem("Y003", "autonomy", -2, 2),
)
CODES = tuple(item.code for item in ITEMS)

AIMS = {"trend": ("E003", "E004"), "wave7": ("Q154", "Q155")}
"""First and second aim of the country. 1 order, 2 more say, 3 prices, 4 freedom of speech."""

MATERIALIST, POSTMATERIALIST = frozenset({1, 3}), frozenset({2, 4})

QUALITIES = {"trend": ("A029", "A039", "A040", "A042"), "wave7": ("Q8", "Q14", "Q15", "Q17")}
"""What children should learn: independence, determination, religious faith, obedience. 1 is mentioned."""

WAVE7_KEYS = (*(item.wave7 for item in ITEMS if item.wave7), *AIMS["wave7"], *QUALITIES["wave7"])
"""The questions of the file of wave 7 that the items are made of."""

SIGNS = (1, 1, -1, -1)
"""Of QUALITIES, in autonomy."""

COUNTRY = ("COUNTRY_ALPHA", "B_COUNTRY_ALPHA", "S003", "B_COUNTRY", "S009", "C_COW_ALPHA")
YEAR, WEIGHT = ("S020", "A_YEAR"), ("S017", "W_WEIGHT")

CSV, STATA = (".csv", ".tsv", ".txt"), ".dta"


def aims_index(first: int, second: int) -> int:
    """Y002 of two different aims: 1 both materialist, 3 both post-materialist, else 2."""
    if {first, second} <= MATERIALIST:
        return 1
    return 3 if {first, second} <= POSTMATERIALIST else 2


def survey_paths(place: Path) -> list[Path]:
    """The files of a survey: the file itself, or those of a folder that have a country, a year and items.

    DataError for a file without these, or a folder without such a file.
    """
    if place.is_file():
        if problem := _problem_of(place):
            raise DataError(problem, file=place)
        return [place]
    paths = [path for path in sorted(place.rglob("*")) if path.suffix.lower() in (*CSV, STATA)]
    usable = [path for path in paths if not _problem_of(path)]
    if not usable:
        raise DataError(
            f"has no file with the items of the map ({', '.join(CODES)}; {ITEMS[0].wave7}, ... in wave 7); "
            "bring the trend files of the World Values Survey and the European Values Study as CSV or Stata",
            file=place,
        )
    return usable


def read_people(paths: Sequence[Path]) -> pl.DataFrame:
    """A row for each person with FEWEST_ITEMS answers, interviewed from FROM_YEAR on: ``culture`` (our code,
    or the country's ISO code where folkways has none), ``country`` (its name), ``year``, ``weight`` and the
    items, null where one is missing.

    DataError if a file cannot be read, or nobody is left.
    """
    people = pl.concat([_people_of(path) for path in paths])
    answered = pl.sum_horizontal(pl.col(code).is_not_null() for code in CODES)
    usable = people.filter(answered >= FEWEST_ITEMS, pl.col("year") >= FROM_YEAR, pl.col("weight") > 0)
    if usable.is_empty():
        raise DataError(
            f"nobody from {FROM_YEAR} on has answered {FEWEST_ITEMS} of {', '.join(CODES)}", file=paths[0]
        )
    countries = {name: _culture_of(name) for name in usable["place"].unique()}
    return usable.select(
        pl.col("place")
        .replace_strict({name: code for name, (code, _) in countries.items()})
        .alias("culture"),
        pl.col("place")
        .replace_strict({name: title for name, (_, title) in countries.items()})
        .alias("country"),
        "year",
        "weight",
        *CODES,
    )


def _people_of(path: Path) -> pl.DataFrame:
    header = _header(path)
    raw = _columns(path, [name for name in _wanted() if name in header])
    country = next(name for name in COUNTRY if name in header)
    year = next(name for name in YEAR if name in header)
    weight = next((pl.col(name) for name in WEIGHT if name in header), pl.lit(1.0))
    numbers = raw.with_columns(
        pl.col(name).cast(pl.Float64, strict=False).alias(name) for name in raw.columns if name != country
    )
    return numbers.select(
        pl.col(country).cast(pl.String).str.strip_chars().alias("place"),
        pl.col(year).cast(pl.Int64, strict=False).alias("year"),
        weight.cast(pl.Float64).alias("weight"),
        *(_item(item, set(raw.columns)).alias(item.code) for item in ITEMS),
    ).drop_nulls(["place", "year"])


def _item(item: MapItem, columns: set[str]) -> pl.Expr:
    """The answers to an item: of its own questions where they are there, else its own column."""
    parts = []
    if item.code == "Y002":
        parts = [_aims(*names) for names in AIMS.values() if {*names} <= columns]
    elif item.code == "Y003":
        parts = [_autonomy(names) for names in QUALITIES.values() if {*names} <= columns]
    parts += [
        pl.when(pl.col(name).is_between(item.low, item.high)).then(name)
        for name in (item.code, item.wave7)
        if name in columns
    ]
    return pl.coalesce(parts).cast(pl.Float64) if parts else pl.lit(None, pl.Float64)


def _aims(first: str, second: str) -> pl.Expr:
    one, two = pl.col(first), pl.col(second)
    both = one.is_between(1, 4) & two.is_between(1, 4) & (one != two)
    materialist = sum(
        (column.is_in([float(aim) for aim in MATERIALIST]).cast(pl.Int64) for column in (one, two)), pl.lit(0)
    )
    return pl.when(both).then(3 - materialist)


def _autonomy(names: Sequence[str]) -> pl.Expr:
    # 1 is mentioned in both; not mentioned is 0 in the trend files and 2 in wave 7.
    mentioned = [pl.when(pl.col(name).is_in([0.0, 1.0, 2.0])).then(pl.col(name) == 1) for name in names]
    return pl.sum_horizontal(
        (sign * part.cast(pl.Int64) for sign, part in zip(SIGNS, mentioned, strict=True)), ignore_nulls=False
    )


def _wanted() -> list[str]:
    parts = [name for names in (*AIMS.values(), *QUALITIES.values()) for name in names]
    return [*COUNTRY, *YEAR, *WEIGHT, *CODES, *(item.wave7 for item in ITEMS if item.wave7), *parts]


def _problem_of(path: Path) -> str:
    header = {*_header(path)}
    for what, names in (("country", COUNTRY), ("year", YEAR)):
        if not header & {*names}:
            return f"has no column with the {what} ({', '.join(names)})"
    items = [item for item in ITEMS if header & {item.code, item.wave7}]
    if len(items) < FEWEST_ITEMS:
        return f"has {len(items)} of the items of the map, and {FEWEST_ITEMS} are needed ({', '.join(CODES)})"
    return ""


def _header(path: Path) -> list[str]:
    if path.suffix.lower() == STATA:
        return [name.upper() for name in _stata(path, lambda reader: [*reader.variable_labels()])]
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            first = stream.readline()
    except OSError as error:
        raise DataError(f"cannot be read: {error}", file=path) from None
    return [name.strip() for name in next(csv.reader([first], delimiter=_separator(first)), [])]


def _separator(line: str) -> str:
    return max(",;\t", key=line.count)


def _columns(path: Path, names: Sequence[str]) -> pl.DataFrame:
    """The columns, as they are."""
    if path.suffix.lower() == STATA:
        read = _stata(path, lambda reader: _of_stata(reader, names))
        return pl.DataFrame({str(name).upper(): read[name].tolist() for name in read.columns}, strict=False)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        separator = _separator(stream.readline())
    try:
        table = pl.scan_csv(path, separator=separator, infer_schema=False, encoding="utf8-lossy")
        stripped = {name: name.strip().lstrip("\ufeff") for name in table.collect_schema().names()}
        return table.rename(stripped).select(names).collect()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be read as CSV: {error}", file=path) from None


def _stata(path: Path, read: Callable[[Any], Any]) -> Any:
    with of_extra("pandas", "reading Stata files"):
        from pandas.io.stata import StataReader
    try:
        with StataReader(path, convert_categoricals=False) as reader:
            return read(reader)
    except (ValueError, OSError) as error:
        raise DataError(f"cannot be read as Stata: {error}", file=path) from None


def _of_stata(reader: Any, names: Sequence[str]) -> Any:
    spelt = {name.upper(): name for name in reader.variable_labels()}
    return reader.read(columns=[spelt[name] for name in names])


def _culture_of(place: str) -> tuple[str, str]:
    """Code and name of a country, by any of its ISO codes."""
    number = place.removesuffix(".0")
    code, name = _countries().get(number.zfill(3) if number.isdecimal() else place.upper(), (place, place))
    try:
        known_as = get_culture(code).code
    except UnknownNameError:
        return code, name
    return known_as, culture_name(known_as)


@cache
def _countries() -> Mapping[str, tuple[str, str]]:
    text = files("folkways.benchmarks.wvs").joinpath("countries.csv").read_text(encoding="utf-8")
    return {
        row[column]: (row["alpha2"], row["name"])
        for row in csv.DictReader(text.splitlines())
        for column in ("alpha2", "alpha3", "numeric")
    }
