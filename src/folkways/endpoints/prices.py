"""What asking costs: a table of list prices that the user can correct, and cost from the tokens that a
provider reports."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from platformdirs import user_config_dir

from folkways.errors import DataError, FolkwaysError
from folkways.toml_files import read_toml

TABLE = "usd_per_million_tokens"
BATCH = "batch_share"
MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-(?:latest|\d{4}-\d{2}-\d{2}|\d{8}|00\d)$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens that go in and come out, and the file that says so ("" for what is free).

    batch: the share of that price which is paid for requests in batches, 0 to 1.
    """

    input: float
    output: float
    source: str = ""
    batch: float = 1.0

    def in_batch(self) -> Price:
        """The price of requests in batches."""
        return Price(self.input * self.batch, self.output * self.batch, self.source)

    def usd(self, input_tokens: float, output_tokens: float) -> float:
        """US dollars for these numbers of input and output tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / MILLION


FREE = Price(0.0, 0.0)
"""What a model costs that runs on this machine."""


@dataclass(frozen=True)
class Prices:
    """The prices in use. ``layers`` go from the most specific file to the packaged one; ``as_of`` is the
    packaged file's date."""

    layers: tuple[Mapping[str, Price], ...]
    as_of: str

    def find(self, model: str) -> Price | None:
        """The price of ``model`` (an endpoint's name); None if no file knows it. The first file that knows it
        wins."""
        bare = _SNAPSHOT.sub("", model)
        for layer in self.layers:
            exact = layer.get(model) or layer.get(bare)
            if exact:
                return exact
            matching = [name for name in layer if "*" in name and fnmatchcase(model, _escaped(name))]
            if matching:
                return layer[max(matching, key=len)]
        return None


def user_prices_file() -> Path:
    """Where a user's own prices belong on this system."""
    return Path(user_config_dir("folkways", appauthor=False)) / "prices.toml"


def load_prices(file: Path | str | None = None) -> Prices:
    """The packaged prices, over them the user's own (``user_prices_file``), over those ``file``.

    Raises FolkwaysError for a file that is not there, DataError for one that does not hold a table of prices.
    """
    text = files("folkways.endpoints").joinpath("prices.toml").read_text(encoding="utf-8")
    packaged = tomllib.loads(text)
    shares = packaged[BATCH]
    layers = [_read(packaged, "folkways", shares)]
    user_file = user_prices_file()
    if user_file.is_file():
        layers.insert(0, _read(read_toml(user_file), str(user_file), shares))
    if file is not None:
        path = Path(file).expanduser()
        if not path.is_file():
            raise FolkwaysError(
                f"there is no file of prices {path}; see `folkways endpoints` for the layout and the "
                "prices in use"
            )
        layers.insert(0, _read(read_toml(path), str(path), shares))
    return Prices(tuple(layers), str(packaged["as_of"]))


def cost(
    prices: Prices, model: str, input_tokens: int | None, output_tokens: int | None, *, batched: bool = False
) -> float | None:
    """US dollars for ``input_tokens`` and ``output_tokens`` of ``model``, by the list ``prices``.

    batched: whether the price of batches applies. None where the price is not known, or where priced tokens
    were not counted.
    """
    price = prices.find(model)
    if price is None:
        return None
    price = price.in_batch() if batched else price
    if (input_tokens is None and price.input) or (output_tokens is None and price.output):
        return None
    return price.usd(input_tokens or 0, output_tokens or 0)


@lru_cache(maxsize=1024)
def _escaped(name: str) -> str:
    # Only * is special: model names may hold brackets and question marks.
    return re.sub(r"([\[?])", r"[\1]", name)


def _read(table: Mapping[str, Any], source: str, shares: Mapping[str, float]) -> dict[str, Price]:
    """Prices by name. shares: what is paid in batches, by provider, where a row has no ``batch`` of its
    own."""
    rows = table.get(TABLE)
    layout = (
        f'write [{TABLE}], and below it lines like "openai/gpt-4o-mini" = {{ input = 0.15, output = 0.60 }}'
    )
    if not isinstance(rows, dict):
        raise DataError(f"no table {TABLE}: {layout}", file=source)
    prices = {}
    for name, row in rows.items():
        values: list[Any] = (
            [row.get(side) for side in ("input", "output")] if isinstance(row, dict) else [None]
        )
        if not all(_is_amount(value) for value in values):
            raise DataError(
                f"the price of {name!r} needs two numbers of at least 0, input and output: {layout}",
                file=source,
            )
        share = row.get("batch", shares.get(name.partition("/")[0], 1.0))
        if not _is_amount(share) or share > 1:
            raise DataError(
                f"batch of {name!r} is the share that is paid in batches, 0 to 1, got {share!r}", file=source
            )
        prices[name] = Price(float(values[0]), float(values[1]), source, float(share))
    return prices


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9
