"""What the default text tools change in BLEnD's scores: the bias of each language, measured by ``python -m
perf.text``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class SignedEffect:
    """SEM-B with the default tools less SEM-B with the authors', on replies made to be difficult; in points,
    95 % interval."""

    points: float
    low: float
    high: float


@cache
def signed_effects() -> Mapping[str, SignedEffect]:
    """Language -> its effect; only languages that were measured."""
    lines = files("folkways.data").joinpath("text-tools.csv").read_text(encoding="utf-8").splitlines()
    names = SignedEffect.__slots__
    return MappingProxyType(
        {
            row["language"]: SignedEffect(**{name: float(row[name]) for name in names})
            for row in csv.DictReader(lines)
        }
    )
