"""The models that a studio may ask: a list that it is started with, from which studies choose by name.

    [helper]
    model = "openai/gpt-4o-mini"

    [lab]
    model = "http://gpu.example.org:8000/v1#llama-3.1-8b"
    key = "LAB_KEY"

``model`` is written as for ``folkways run --model``. ``key`` names the environment variable of its key;
without one the rules of the command line hold: a provider's own variable, and FOLKWAYS_API_KEY for the hosts
that FOLKWAYS_API_KEY_HOSTS names. No address comes from a browser or from the description of a study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from folkways.sdk.errors import DataError
from folkways_studio.addresses import AddressError, web_address

if TYPE_CHECKING:
    from folkways.sdk.models import Model


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """One model of the list. key: the environment variable of its key; None for the usual ones."""

    model: str
    key: str | None = None


def load_offered(path: Path) -> dict[str, OfferedModel]:
    """Name -> model of a TOML file. DataError naming what is wrong, and where."""
    from folkways.sdk.files import read_toml

    table = read_toml(path, 'list of models, with a table [NAME] and model = "..." for each')
    offered = {}
    for name, entry in table.items():
        texts = isinstance(entry, Mapping) and all(
            isinstance(value, str) and value.strip() for value in entry.values()
        )
        if not texts or "model" not in entry or set(entry) - {"model", "key"}:
            raise DataError(
                f'the model {name!r} needs a table [{name}] with model = "..." and, if it has a key of its '
                "own, "
                'key = "NAME_OF_THE_ENVIRONMENT_VARIABLE"',
                file=path,
            )
        _check_address(name, entry["model"].strip(), path)
        offered[name] = OfferedModel(entry["model"].strip(), entry["key"].strip() if "key" in entry else None)
    return offered


def _check_address(name: str, model: str, path: Path) -> None:
    """DataError for a model on a server whose address clients read in different ways."""
    if model.startswith(("http://", "https://")):
        try:
            web_address(model, unencrypted="anywhere")
        except AddressError:
            raise DataError(
                f"the model {name!r} is at no address that can be called: {model!r}", file=path
            ) from None


def open_offered(offered: OfferedModel, timeout: float) -> Model:
    """The model of an entry. FolkwaysError if it cannot be asked: an unknown form, a key that is not set."""
    from folkways.sdk.models import EndpointOptions, open_models

    (model,) = open_models([offered.model], EndpointOptions(timeout=timeout, key_env=offered.key))
    return model
