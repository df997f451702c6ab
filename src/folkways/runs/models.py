"""A model as a run names it: an endpoint, and how it in particular is to be asked
(``openai/gpt-5?reasoning_effort=low``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from folkways.endpoints.base import Endpoint, EndpointOptions
from folkways.endpoints.batches import Batches
from folkways.endpoints.prices import FREE, Price, cost, load_prices
from folkways.endpoints.python.endpoint import PythonEndpoint
from folkways.endpoints.python.model import model as model_of
from folkways.endpoints.registry import check_endpoint, open_name
from folkways.endpoints.servers.providers import providers
from folkways.engine.budget import Amount, parse_budget, require_prices
from folkways.errors import FolkwaysError, option
from folkways.runs.options import SETTING_TYPES, AskOptions, DeployedModel, Deployment, parse_settings

SEPARATOR = "?"


@dataclass(frozen=True)
class Model:
    """An endpoint with settings of its own; the same endpoint asked in two ways is two models of a report.

    settings: changes to the run's sampling settings, by name. Requests are stored under the endpoint's
        identity and the settings that are sent, so that it makes no difference which way a setting was given.
    written: what the user wrote, address and secrets included, for another process that opens the same; None
        for an object.
    deployment: how it runs on machines of one's own; None for a model that is there already.
    """

    endpoint: Endpoint
    settings: Mapping[str, Any] = field(default_factory=dict)
    written: str | None = field(default=None, repr=False)
    deployment: Deployment | None = None

    @property
    def label(self) -> str:
        """The settings as they are written after the endpoint's name; empty without any."""
        pairs = [f"{name}={_written(value)}" for name, value in sorted(self.settings.items())]
        return SEPARATOR + "&".join(pairs) if pairs else ""

    @property
    def name(self) -> str:
        """As the user wrote it, without secrets."""
        return self.endpoint.name + self.label

    @property
    def identity(self) -> str:
        """What tells it from other models in a workspace."""
        return self.endpoint.identity + self.label


def _written(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, float) and float(short := f"{value:g}") == value:
        return short
    return str(value)


def split_name(text: str) -> tuple[str, dict[str, Any]]:
    """The endpoint's name and its settings. A question mark that no setting follows belongs to the name."""
    name, separator, tail = text.rpartition(SEPARATOR)
    if not separator or tail.split("=", 1)[0] not in SETTING_TYPES:
        return text, {}
    return name, parse_settings(tuple(tail.split("&")))


def price_function(file: Path | str | None = None) -> Callable[[Endpoint], Price | None]:
    """What an endpoint's tokens cost by the prices in use (``load_prices``); None for a model that they do
    not name."""
    table = load_prices(file)
    return lambda endpoint: table.find(split_name(endpoint.name)[0])


def batches_of(models: Sequence[Model]) -> dict[str, Batches]:
    """How each model is asked in batches, by its identity; FolkwaysError that names those that cannot be, and
    what can."""
    ways = {model.identity: getattr(model.endpoint, "batches", None) for model in models}
    if unable := [model.name for model in models if ways[model.identity] is None]:
        able = ", ".join(f"{name}/MODEL" for name, provider in providers().items() if provider.batch)
        raise FolkwaysError(
            f"{', '.join(unable)} cannot be asked in batches; {option('batch')} is for {able} and "
            f"http(s)://HOST/v1#MODEL\nAsk the others in a run of their own, without {option('batch')}"
        )
    return {identity: way for identity, way in ways.items() if way is not None}


def limit_and_prices(
    models: Sequence[Model], asking: AskOptions
) -> tuple[Amount | None, dict[str, Price | None]]:
    """What may be spent (None: anything), and the price of each model by its identity (None: not known).

    FolkwaysError for a budget in money where a price is not known.
    """
    limit = parse_budget(asking.budget) if asking.budget is not None else None
    price_of = price_function(asking.prices)
    prices = {model.identity: FREE if model.endpoint.local else price_of(model.endpoint) for model in models}
    require_prices(limit, {model.name: prices[model.identity] for model in models})
    return limit, prices


def open_models(models: Sequence[Any], options: EndpointOptions, *, need_key: bool = True) -> list[Model]:
    """Models for names, endpoints, or anything in Python that answers (``folkways.model``).

    FolkwaysError when none is named, one is named twice, or a name cannot be opened.
    """
    opened = []
    for model in models:
        if isinstance(model, (str, DeployedModel)):
            written, deployment = (model, None) if isinstance(model, str) else (model.name, model.deployment)
            name, settings = split_name(written)
            opened.append(Model(open_name(name, options, need_key=need_key), settings, written, deployment))
        else:
            is_endpoint = isinstance(getattr(model, "identity", None), str)
            endpoint = check_endpoint(model) if is_endpoint else model_of(model)
            if isinstance(endpoint, PythonEndpoint):
                endpoint.timeout = options.timeout
            opened.append(Model(endpoint))
    if not opened:
        raise FolkwaysError(
            f"name at least one model, for example: {option('models', 'baseline/random')} "
            f"or {option('models', 'openai/gpt-4o-mini')}"
        )
    identities = [model.identity for model in opened]
    for position, identity in enumerate(identities):
        if identity in identities[:position]:
            first, again = opened[identities.index(identity)].name, opened[position].name
            twice = f"the model {first} is named twice; name it once"
            same = f"{first} and {again} are one model, or files with the same contents; name one of them"
            raise FolkwaysError(twice if first == again else same)
        if opened[position].name in [model.name for model in opened[:position]]:
            raise FolkwaysError(
                f"two different models are called {opened[position].name}; give each a name: "
                'folkways.model(..., name="...")'
            )
    return opened


def cost_function(prices: Path | str | None) -> Callable[[str, int | None, int | None, bool], float | None]:
    """Model name, tokens (None: not counted), and whether in batches, to US dollars, by the prices in use."""
    table = load_prices(prices)
    return lambda model, inputs, outputs, batched: cost(
        table, split_name(model)[0], inputs, outputs, batched=batched
    )
