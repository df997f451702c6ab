"""Where cultures lie on a map of the world: countries as shapes, parts of countries as dots, groups of
countries as outlines."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from folkways.cultures import cultures

SHAPES = "countries"
"""The object of the topology that has the countries; their ids are ISO 3166-1 alpha-2 codes."""


@dataclass(frozen=True, slots=True)
class Place:
    """How a culture is drawn.

    culture:   its code.
    kind:      ``country``, a whole shape of the map; ``group``, several of them; ``point``, a dot.
    countries: ISO 3166-1 codes of its shapes; empty for a point.
    at:        longitude and latitude in degrees; of points only.
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
    there = {shape.get("id") for shape in topology()["objects"][SHAPES]["geometries"]}
    found: dict[str, Place] = {}
    for code, culture in cultures().items():
        if code in table["points"]:
            longitude, latitude = table["points"][code]
            found[code] = Place(code, "point", at=(longitude, latitude))
        elif code in table["groups"]:
            found[code] = Place(
                code, "group", tuple(country for country in table["groups"][code] if country in there)
            )
        elif culture.iso3166_1 in there and culture.parent is None:
            found[code] = Place(code, "country", (code,))
    return MappingProxyType(found)
