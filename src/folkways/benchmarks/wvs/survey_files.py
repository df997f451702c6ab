"""The World Values Survey's own file of wave 7, with the questions and codes as WorldValuesBench lists them
(arXiv 2404.16308)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.survey.questions import PeopleAnswers, SurveyQuestion
from folkways.cultures import get_culture
from folkways.errors import DataError, NotOnDiskError, UnknownNameError
from folkways.releases.release_records import Release
from folkways.stats.weighting import effective_people

CONSTRUCTION = "dataset_construction"
CODEBOOK, METADATA, ADJUSTMENT = (
    f"{CONSTRUCTION}/{name}.json" for name in ("codebook", "question_metadata", "answer_adjustment")
)
ANSWERS = re.compile(r"WVS_Cross-National_Wave_7_csv_v\d+_\d+\.csv")
"""Names of the survey's file, which its own site hands out."""

COUNTRY, WEIGHT = "B_COUNTRY_ALPHA", "W_WEIGHT"
DONT_KNOW = -1
_SCALE = re.compile(r"^On a scale of \d+ to \d+, \d+ meaning .+? and \d+ meaning .+?['\"\u2019], +")

PROBE = tuple(
    f"Q{number}"
    for first in (1, 46, 57, 106, 112, 121, 131, 158, 164, 176, 199, 235)
    for number in range(first, first + 3)
)
"""The questions that WorldValuesBench's paper asks models."""


def answers_path(folder: Path) -> Path:
    """The survey's file. NotOnDiskError, with where to get it, if it is not there."""
    paths = sorted(path for path in folder.rglob("*.csv") if ANSWERS.fullmatch(path.name))
    if not paths:
        raise NotOnDiskError(
            f"{folder} has no WVS_Cross-National_Wave_7_csv_v6_0.csv; get it at "
            "https://www.worldvaluessurvey.org (data and documentation, wave 7), and do not pass it on"
        )
    return paths[-1]


def read_answers(path: Path, columns: list[str]) -> pl.DataFrame:
    """The columns that are there as whole numbers, after ``culture`` (a code of ours, null for a country that
    folkways does not know) and ``weight``. DataError if the file has no countries."""
    header = pl.scan_csv(path, infer_schema=False).collect_schema().names()
    if COUNTRY not in header:
        raise DataError(f"has no column {COUNTRY}; it is not the survey's file", file=path)
    present = [name for name in columns if name in header]
    weight = pl.col(WEIGHT).cast(pl.Float64, strict=False) if WEIGHT in header else pl.lit(1.0)
    table = pl.scan_csv(path, infer_schema=False).select(
        pl.col(COUNTRY),
        weight.fill_null(1.0).alias("weight"),
        *(pl.col(name).cast(pl.Float64, strict=False).cast(pl.Int64, strict=False) for name in present),
    )
    return table.collect()


def read_questions(release: Release, keys: Collection[str] | None = None) -> Iterator[SurveyQuestion]:
    """Value questions with weighted shares of each country's answers, and as how many people of equal weight
    those who gave one count.

    keys: these alone, as far as the codebook has them; None for all that are ordered.
    """
    codebook, metadata = _read(release, CODEBOOK), _read(release, METADATA)
    adjustment = _read(release, ADJUSTMENT)
    names = [
        key
        for key, entry in metadata.items()
        if key in codebook
        and (
            key in keys
            if keys is not None
            else entry.get("use_case") == "value" and entry.get("answer_data_type") == "ordinal"
        )
    ]
    answers = read_answers(answers_path(release.root), names)
    cultures = _cultures(codebook[COUNTRY]["choices"])
    coded = answers.with_columns(
        culture=pl.col(COUNTRY).replace_strict(cultures, default=None, return_dtype=pl.String)
    ).drop_nulls("culture")
    for key in names:
        if key in coded.columns:
            yield _question(key, metadata[key], codebook[key]["choices"], adjustment.get(key, {}), coded)


def _read(release: Release, path: str) -> Mapping[str, Any]:
    file = release.path(path)
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"is not JSON: {error}", file=file) from None
    if not isinstance(read, dict):
        raise DataError("is not a JSON object", file=file)
    return read


def unknown_countries(release: Release) -> list[str]:
    """Names of countries of the codebook that folkways does not know: their people are left out."""
    countries = _read(release, CODEBOOK)[COUNTRY]["choices"]
    return [name for alpha, name in countries.items() if alpha not in _cultures(countries)]


def _cultures(countries: Mapping[str, str]) -> dict[str, str]:
    codes = {}
    for alpha, name in countries.items():
        try:
            codes[alpha] = get_culture(name).code
        except UnknownNameError:
            continue
    return codes


def scale_of(choices: Mapping[str, str], adjusted: Mapping[str, str]) -> dict[int, tuple[str, list[int]]]:
    """Point of the scale -> label and its codes, in rising order.

    choices: code -> label. adjusted: code -> its point, so that the scale rises; empty where it
    is on no scale.
    """
    points: dict[int, tuple[str, list[int]]] = {}
    for code, label in sorted(choices.items(), key=lambda entry: int(entry[0])):
        point = adjusted.get(code, code)
        if int(code) < 0 or point == "":
            continue
        first_label, codes = points.get(int(point), (label, []))
        chosen = label if code == point else first_label
        points[int(point)] = (chosen, [*codes, int(code)])
    return dict(sorted(points.items()))


def _question(
    key: str,
    entry: Mapping[str, Any],
    choices: Mapping[str, str],
    adjusted: Mapping[str, str],
    coded: pl.DataFrame,
) -> SurveyQuestion:
    scale = scale_of(choices, adjusted)
    point_of = {code: point for point, (_, codes) in scale.items() for code in codes}
    rows = coded.select(
        "culture", "weight", point=pl.col(key).replace_strict(point_of, default=None, return_dtype=pl.Int64)
    ).drop_nulls("point")
    people = {}
    for (culture,), part in rows.filter(pl.col("weight") > 0).group_by("culture"):
        weights = dict(part.group_by("point").agg(pl.col("weight").sum()).iter_rows())
        effective = max(1, round(effective_people(part["weight"].to_numpy())))
        one = PeopleAnswers.of([weights.get(point, 0.0) for point in scale], effective)
        if one is not None:
            people[str(culture)] = one
    labels = tuple(label for label, _ in scale.values())
    return SurveyQuestion(
        key,
        _without_scale(str(entry["question"]), labels),
        labels,
        tuple(float(point) for point in scale) if entry.get("answer_data_type") == "ordinal" else (),
        (choices.get(str(DONT_KNOW), "Don't know").replace("\u00b4", "'"),),
        category=str(entry.get("category") or ""),
        people=people,
    )


def _without_scale(text: str, labels: tuple[str, ...]) -> str:
    """The question without "On a scale of ...", where its options say the same."""
    if labels[0].isdecimal() or labels[-1].isdecimal():
        return text.strip()
    rest = _SCALE.sub("", text.strip())
    return rest[:1].upper() + rest[1:]
