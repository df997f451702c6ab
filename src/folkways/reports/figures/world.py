"""The states of the world map: for each task, metric, model, language and level the score of every place."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

import polars as pl

from folkways.cultures import cultures
from folkways.display import number, sanitize
from folkways.names import local_languages, value_name
from folkways.records import Metric
from folkways.reports.views.views import JOINT_LANGUAGE, ReportView, TaskView, as_numbers

SHAPES = "countries"
"""The object of the topology that has the countries; their ids are ISO 3166-1 alpha-2 codes."""


@dataclass(frozen=True, slots=True)
class Place:
    """How a culture is drawn.

    culture: its code.
    kind: ``country``, one shape of the map; ``group``, several shapes; ``point``, a dot.
    countries: ISO 3166-1 codes of its shapes; empty for a point.
    at: longitude and latitude in degrees, for points only.
    """

    culture: str
    kind: Literal["country", "group", "point"]
    countries: tuple[str, ...] = ()
    at: tuple[float, float] | None = None


def _read(name: str) -> str:
    return files("folkways").joinpath("data", name).read_text(encoding="utf-8")


@cache
def topology() -> dict[str, Any]:
    """The countries of the world as TopoJSON (Natural Earth, 1:110 million, without Antarctica)."""
    parsed: dict[str, Any] = json.loads(_read("world.topojson"))
    return parsed


@cache
def places() -> Mapping[str, Place]:
    """Every culture that a map can show, by code."""
    table = tomllib.loads(_read("geography.toml"))
    shapes = {shape.get("id") for shape in topology()["objects"][SHAPES]["geometries"]}
    by_culture: dict[str, Place] = {}
    for code, culture in cultures().items():
        if code in table["points"]:
            longitude, latitude = table["points"][code]
            by_culture[code] = Place(code, "point", at=(longitude, latitude))
        elif code in table["groups"]:
            by_culture[code] = Place(
                code, "group", tuple(country for country in table["groups"][code] if country in shapes)
            )
        elif culture.iso3166_1 in shapes and culture.parent is None:
            by_culture[code] = Place(code, "country", (code,))
    return MappingProxyType(by_culture)


MAX_MODELS = 6
"""Maximum number of models of a task on the map, the best first; the files have all."""

STEP = 10
"""Width in points of the steps of scores that share a colour."""
WIDE, VERY_WIDE = 10.0, 20.0
"""Widths in points from which a 95 % interval is drawn as wide and as very wide."""
FEWEST = 2
"""Minimum number of places; a map of a single one shows no more than the table."""

EVERY, OWN, ENGLISH = "every language", "own language", "English"
CULTURE, REGION = "culture", "region"
CONTROLS = ("task", "metric", "endpoint", "language", "level")


@dataclass(frozen=True, slots=True)
class Shade:
    """The score of a place, which is a culture or its region, from 0 to 100; NaN without one."""

    name: str
    score: float
    low: float
    high: float
    n: int

    @property
    def step(self) -> int | None:
        """Number of its colour from 0 (scores below 10) to 9; None without a score."""
        return None if math.isnan(self.score) else min(9, max(0, int(self.score // STEP)))

    @property
    def doubt(self) -> int:
        """Hatching by the width of the interval: 0 none, 1 hatched, 2 densely hatched, also without an
        interval."""
        width = self.high - self.low
        return 0 if width < WIDE else 1 if width < VERY_WIDE else 2


@dataclass(frozen=True)
class Variant:
    """A state of the map.

    shades: culture -> its shade, in the order of the task's cultures. With ``level`` region, the cultures of
    a region share one.
    """

    task: TaskView
    metric: Metric
    endpoint: str
    language: str
    level: str
    shades: Mapping[str, Shade]

    @property
    def named(self) -> list[Shade]:
        """Every shade once, highest score first, those without a score last."""
        each = {shade.name: shade for shade in self.shades.values()}
        return sorted(each.values(), key=lambda shade: (math.isnan(shade.score), -shade.score, shade.name))

    def words(self, short: Mapping[str, str]) -> dict[str, str]:
        """Control of the map (CONTROLS) -> its text in this state."""
        return dict(
            zip(
                CONTROLS,
                (self.task.title, self.metric.label, short[self.endpoint], self.language, self.level),
                strict=True,
            )
        )

    def finding(self, short: Mapping[str, str]) -> str:
        """The main result in one or two sentences."""
        scored = [shade for shade in self.named if not math.isnan(shade.score)]
        if not scored:
            return f"{short[self.endpoint]} has no score here: it was never reached."
        if scored[0].score == scored[-1].score:
            return f"{short[self.endpoint]} scores {number(scored[0].score)} everywhere."
        words = (
            f"{short[self.endpoint]} is highest for {scored[0].name} ({number(scored[0].score)}) and "
            "lowest for "
        )
        words += f"{scored[-1].name} ({number(scored[-1].score)})."
        doubtful = sum(shade.doubt == 2 for shade in scored)
        return (
            f"{words} {doubtful} of {len(scored)} intervals are {VERY_WIDE:g} points wide or wider."
            if doubtful
            else words
        )


class WorldMap:
    """The states of a report's map: those of its tasks with percentages for two or more places."""

    def __init__(self, view: ReportView) -> None:
        self.view = view

    @cached_property
    def variants(self) -> list[Variant]:
        """Every state, the leading model of the first task first."""
        scores = as_numbers(self.view.data.scores)
        return [variant for task in self.view.tasks for variant in _variants(task, scores)]

    @property
    def first(self) -> Variant | None:
        """The state that is shown first; None without states."""
        return self.variants[0] if self.variants else None

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Every culture with a score in any state."""
        return tuple(dict.fromkeys(code for variant in self.variants for code in variant.shades))

    def embedded(self) -> dict[str, Any]:
        """All states for the script of the page: names once, and colour, hatching and numbers of each
        place."""
        names = list(
            dict.fromkeys(shade.name for variant in self.variants for shade in variant.shades.values())
        )
        at = {name: position for position, name in enumerate(names)}
        return {
            "cultures": self.cultures,
            "names": list(map(sanitize, names)),
            "variants": [self._embed(variant, at) for variant in self.variants],
        }

    def _embed(self, variant: Variant, at: Mapping[str, int]) -> dict[str, Any]:
        short = self.view.short
        positions = {code: position for position, code in enumerate(self.cultures)}
        return {
            **{name: sanitize(text) for name, text in variant.words(short).items()},
            "finding": sanitize(variant.finding(short)),
            "shades": [
                [
                    positions[code],
                    at[shade.name],
                    shade.step,
                    shade.doubt,
                    *map(_short, (shade.score, shade.low, shade.high)),
                    shade.n,
                ]
                for code, shade in variant.shades.items()
            ],
        }


def _short(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 1)


def _variants(task: TaskView, scores: pl.DataFrame) -> Iterator[Variant]:
    """The states of a task: headline first, models before baselines, all languages before single ones,
    cultures before regions."""
    endpoints = task.models[:MAX_MODELS] or task.endpoints[:MAX_MODELS]
    wanted = (
        (pl.col("task") == task.task)
        & (pl.col("profile") == task.profile)
        & pl.col("endpoint").is_in(endpoints)
        & pl.col("facet").is_in([CULTURE, REGION, JOINT_LANGUAGE])
    )
    by_variant: dict[tuple[str, str, str], dict[str, Shade]] = {}
    columns = ("metric", "endpoint", "facet", "value", "score", "low", "high", "n")
    for metric, endpoint, facet, value, *numbers in scores.filter(wanted).select(columns).iter_rows():
        name = value_name(
            CULTURE if facet == JOINT_LANGUAGE else facet, value.rsplit("+", 1)[0] if "+" in facet else value
        )
        by_variant.setdefault((metric, endpoint, facet), {})[value] = Shade(name, *numbers)
    for metric in task.metrics:
        if metric.scale != 100:
            continue
        for endpoint in endpoints:
            cells = {
                facet: by_variant.get((metric.name, endpoint, facet), {})
                for facet in (CULTURE, REGION, JOINT_LANGUAGE)
            }
            for language, level, shades in _states(cells):
                shown = {code: shade for code, shade in shades.items() if code in places()}
                if len(shown) >= FEWEST:
                    yield Variant(task, metric, endpoint, language, level, shown)


def _states(cells: Mapping[str, Mapping[str, Shade]]) -> Iterator[tuple[str, str, dict[str, Shade]]]:
    """Language, level and the shade of each culture, for one metric and model."""
    by_culture, joint = cells[CULTURE], cells[JOINT_LANGUAGE]
    yield EVERY, CULTURE, dict(by_culture)
    if joint:
        in_local = {
            code: joint[f"{code}+{language}"]
            for code in by_culture
            if (language := _own(code, joint)) is not None
        }
        english = {code: joint[f"{code}+en"] for code in by_culture if f"{code}+en" in joint}
        yield OWN, CULTURE, in_local
        yield ENGLISH, CULTURE, english
    if regional := cells[REGION]:
        in_region = {code: cultures()[code].region or "" for code in by_culture if code in cultures()}
        yield (
            EVERY,
            REGION,
            {code: regional[region] for code, region in in_region.items() if region in regional},
        )


def _own(culture: str, joint: Mapping[str, Shade]) -> str | None:
    """The first local language of the culture that it was asked in."""
    return next((language for language in local_languages(culture) if f"{culture}+{language}" in joint), None)


def choices(variants: Sequence[Variant], short: Mapping[str, str]) -> dict[str, list[str]]:
    """Control of the map -> its choices, by the names in ``WorldMap.embedded``."""
    words = [variant.words(short) for variant in variants]
    return {name: list(dict.fromkeys(each[name] for each in words)) for name in CONTROLS}
