"""People of a made-up survey with two dimensions that are known, in the columns of the trend files and of the
file of wave 7."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

LOADINGS: Mapping[str, tuple[float, float]] = {
    "A008": (-0.45, 0.0),
    "A165": (-0.4, -0.1),
    "E018": (0.1, 0.5),
    "E025": (-0.5, -0.1),
    "F063": (-0.1, -0.75),
    "F118": (0.7, 0.25),
    "F120": (0.6, 0.35),
    "G006": (0.0, 0.5),
    "Y002": (0.5, 0.1),
    "Y003": (0.1, 0.6),
}
"""Of the items: to the right (self-expression), upwards (secular)."""

RANGES: Mapping[str, tuple[int, int]] = {
    "A008": (1, 4), "A165": (1, 2), "E018": (1, 3), "E025": (1, 3), "F063": (1, 10), "F118": (1, 10),
    "F120": (1, 10), "G006": (1, 4), "Y002": (1, 3), "Y003": (-2, 2),
}  # fmt: skip

COUNTRIES: Mapping[str, tuple[str, str, float, float]] = {
    "SE": ("SWE", "752", 1.5, 1.2),
    "JP": ("JPN", "392", 0.3, 1.5),
    "KR": ("KOR", "410", -0.4, 0.9),
    "MX": ("MEX", "484", 0.6, -1.2),
    "EG": ("EGY", "818", -1.3, -1.4),
    "RU": ("RUS", "643", -1.4, 0.8),
    "AD": ("AND", "20", 1.2, 0.4),
}
"""Code -> ISO 3166 alpha-3, numeric without zeros, and where its people are."""

WAVE7 = {
    "A008": "Q46", "A165": "Q57", "E018": "Q45", "E025": "Q209", "F063": "Q164", "F118": "Q182", "F120": "Q184",
    "G006": "Q254",
}  # fmt: skip

Person = dict[str, float]


def people(country: str, year: int, n: int, seed: int, missing: float = 0.03) -> list[Person]:
    """Answers to the ten items, without those that are missing, and ``weight``."""
    *_, right, up = COUNTRIES[country]
    rng = np.random.default_rng([seed, year, *country.encode()])
    rows = []
    for factors in rng.normal((right, up), size=(n, 2)):
        row: Person = {"weight": round(float(rng.uniform(0.4, 2.2)), 4)}
        for item, loadings in LOADINGS.items():
            low, high = RANGES[item]
            latent = float(np.dot(loadings, factors)) + 0.6 * rng.normal()
            step = round((low + high) / 2 + latent * (high - low) / 2.2)
            if rng.random() >= missing:
                row[item] = min(high, max(low, step))
        rows.append(row)
    return rows


def write_trend(
    path: Path, waves: Sequence[tuple[str, int]], n: int = 300, seed: int = 1, separator: str = ","
) -> Path:
    """A file as the trend files are: country by number, missing answers by negative codes."""
    rows = [
        {
            "S003": COUNTRIES[country][1],
            "S020": year,
            "S017": person["weight"],
            "X001": 1,
            **{item: person.get(item, -5 if item == "Y003" else -2) for item in LOADINGS},
        }
        for country, year in waves
        for person in people(country, year, n, seed)
    ]
    return _write(path, rows, separator)


def write_wave7(path: Path, countries: Sequence[str], n: int = 300, seed: int = 2) -> Path:
    """A file as that of wave 7: aims and qualities in place of the two indices."""
    rng = np.random.default_rng(seed)
    rows = []
    for country in countries:
        for person in people(country, 2018, n, seed):
            row: dict[str, object] = {
                "B_COUNTRY_ALPHA": COUNTRIES[country][0],
                "A_YEAR": 2018,
                "W_WEIGHT": person["weight"],
                **{name: person.get(item, -1) for item, name in WAVE7.items()},
            }
            row["Q154"], row["Q155"] = _aims(person.get("Y002"), rng)
            for name, answer in zip(
                ("Q8", "Q14", "Q15", "Q17"), _qualities(person.get("Y003"), rng), strict=True
            ):
                row[name] = answer
            rows.append(row)
    return _write(path, rows, ",")


def _aims(index: float | None, rng: np.random.Generator) -> tuple[int, int]:
    if index is None:
        return -1, -1
    both = {1: [(1, 3), (3, 1)], 2: [(1, 2), (4, 1), (3, 4), (2, 3)], 3: [(2, 4), (4, 2)]}[int(index)]
    return both[int(rng.integers(len(both)))]


def _qualities(index: float | None, rng: np.random.Generator) -> list[int]:
    if index is None:
        return [-1] * 4
    pairs = [(own, other) for own in range(3) for other in range(3) if own - other == index]
    own, other = pairs[int(rng.integers(len(pairs)))]
    first, second = [1] * own + [2] * (2 - own), [1] * other + [2] * (2 - other)
    return [*first, *second]


def _write(path: Path, rows: Sequence[dict[str, object]], separator: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return path
