"""Model cards: what is known about models apart from their scores, in a table that the user can correct."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_config_dir

from folkways.errors import DataError
from folkways.records import ModelCard
from folkways.toml_files import packaged_toml, read_toml

LAYOUT = (
    'write [[models]], and below it: names = ["my-model-8b"], provider = "Us", family = "My", size = '
    "8, released = 2025-01-31"
)
_FIELDS: Mapping[str, tuple[type, ...]] = {
    "provider": (str,),
    "family": (str,),
    "size": (int, float),
    "released": (date,),
    "home": (str,),
    "reasoning_of": (str,),
}


@dataclass(frozen=True)
class Cards:
    """The cards in use, by name in lower case. ``layers`` go from the user's file to the packaged one;
    ``as_of`` is its date. ``lines``: family -> its line and its position in it."""

    layers: tuple[Mapping[str, ModelCard], ...]
    as_of: str
    lines: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def find(self, endpoint: str) -> ModelCard | None:
        """The card of an endpoint by its name; None if no file knows it. The first file that knows it wins;
        nothing is guessed."""
        card = self._find(endpoint)
        if card is None or card.family is None or card.family not in self.lines:
            return card
        line, generation = self.lines[card.family]
        return replace(card, line=line, generation=generation)

    def _find(self, endpoint: str) -> ModelCard | None:
        candidates = _names_of(endpoint)
        for layer in self.layers:
            for name in candidates:
                if name in layer:
                    return layer[name]
            matching = [
                pattern
                for pattern in layer
                if "*" in pattern and any(fnmatchcase(name, pattern) for name in candidates)
            ]
            if matching:
                return layer[max(matching, key=len)]
        return None


def user_cards_file() -> Path:
    """Where a user's own model cards belong on this system."""
    return Path(user_config_dir("folkways", appauthor=False)) / "model_cards.toml"


def load_cards() -> Cards:
    """The packaged cards, and over them the user's own (``user_cards_file``); DataError for a file that does
    not hold a table of cards."""
    cards, lines, as_of = _packaged()
    user_file = user_cards_file()
    if not user_file.is_file():
        return Cards((cards,), as_of, lines)
    table = read_toml(user_file)
    source = str(user_file)
    return Cards((_read(table, source), cards), as_of, {**lines, **_lines(table, source)})


@cache
def _packaged() -> tuple[Mapping[str, ModelCard], Mapping[str, tuple[str, int]], str]:
    """The cards, the lines and the day of those that come with folkways; every report reads them."""
    table = packaged_toml("folkways.endpoints", "model_cards.toml")
    return _read(table, "folkways"), _lines(table, "folkways"), str(table["as_of"])


def cards_of(endpoints: Iterable[str]) -> dict[str, ModelCard]:
    """Endpoint -> card, for the endpoints that a file knows."""
    cards = load_cards()
    cards_by_endpoint = {endpoint: cards.find(endpoint) for endpoint in endpoints}
    return {endpoint: card for endpoint, card in cards_by_endpoint.items() if card is not None}


def _names_of(endpoint: str) -> list[str]:
    """The whole name and the model's own, in lower case: ``together/meta-llama/X?temperature=1`` -> also
    ``x``."""
    whole = re.sub(r"\?\w+=[^/#]*$", "", endpoint.strip()).lower()
    if whole.startswith(("baseline/", "replay:")):  # what follows is not the name of a model
        return [whole]
    model = whole.rsplit("#", 1)[-1] if whole.startswith(("http://", "https://")) else whole.partition("@")[0]
    return list(dict.fromkeys([whole, model, model.rsplit("/", 1)[-1]]))


def _lines(table: Mapping[str, Any], source: str) -> dict[str, tuple[str, int]]:
    """Family -> line and position; DataError for a line without a name and a list of families."""
    rows = table.get("lines", [])
    for number, row in enumerate(rows, start=1):
        families = row.get("families")
        if (
            not isinstance(row.get("name"), str)
            or not isinstance(families, list)
            or set(row) != {"name", "families"}
        ):
            raise DataError(
                "a line has a name and the families that succeed one another: write [[lines]], and "
                'below it: name = "My", families = ["My 1", "My 2"]',
                file=source,
                row=number,
            )
    return {family: (row["name"], at) for row in rows for at, family in enumerate(row["families"], start=1)}


def _read(table: Mapping[str, Any], source: str) -> dict[str, ModelCard]:
    rows = table.get("models")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"no model cards: {LAYOUT}", file=source)
    cards: dict[str, ModelCard] = {}
    for number, row in enumerate(rows, start=1):
        names = row.get("names")
        if (
            not isinstance(names, list)
            or not names
            or not all(isinstance(name, str) and name.strip() for name in names)
        ):
            raise DataError(f"a model needs a list of names: {LAYOUT}", file=source, row=number)
        for name, value in row.items():
            _check(name, value, source, number)
        card = ModelCard(**{name: row[name] for name in _FIELDS if name in row})
        for name in names:
            if cards.setdefault(name.strip().lower(), card) != card:
                raise DataError(f"the model {name!r} has two cards; keep one", file=source, row=number)
    return cards


def _check(name: str, value: Any, source: str, row: int) -> None:
    if name == "names":
        return
    if name not in _FIELDS:
        raise DataError(f"unknown field {name!r}; valid: names, {', '.join(_FIELDS)}", file=source, row=row)
    wrong = not isinstance(value, _FIELDS[name]) or isinstance(value, (bool, datetime))
    if wrong or (name == "size" and not 0 < value < 1e6):
        what = {
            "size": "billions of parameters, a number above 0",
            "released": "a day, written 2025-01-31 without quotes",
        }
        raise DataError(
            f"{name} must be {what.get(name, 'a text in quotes')}, got {value!r}: {LAYOUT}",
            file=source,
            row=row,
        )
