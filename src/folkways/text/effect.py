"""What the default text tools change in BLEnD's scores: typical signed differences, measured by ``python -m perf.text``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def signed_effects() -> Mapping[str, float]:
    """Language -> SEM-B with the default tools less SEM-B with the authors', in points; only languages that were measured."""
    lines = files("folkways.data").joinpath("text-tools.csv").read_text(encoding="utf-8").splitlines()
    return MappingProxyType({row["language"]: float(row["points"]) for row in csv.DictReader(lines)})
