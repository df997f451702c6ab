"""The models that a studio may ask: a list that it is started with, from which studies choose by name.

    [helper]
    model = "openai/gpt-4o-mini"

    [lab]
    model = "http://gpu.example.org:8000/v1#llama-3.1-8b"
    key = "LAB_KEY"

``model`` is written as for ``folkways run --model``. ``key`` names the environment variable of its key; without one the rules of
the command line hold: a provider's own variable, and FOLKWAYS_API_KEY for the hosts that FOLKWAYS_API_KEY_HOSTS names. No address
comes from a browser or from the description of a study.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from folkways.sdk.errors import DataError
from folkways.sdk.files import read_toml
from folkways.sdk.models import Completion, Endpoint, EndpointFailure, EndpointOptions, Model, Request, open_models
from folkways_studio.addresses import AddressError, web_address

POLL_SECONDS = 0.2
"""How often it is looked whether somebody still waits."""


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """One model of the list. key: the environment variable of its key; None for the usual ones."""

    model: str
    key: str | None = None


def load_offered(path: Path) -> dict[str, OfferedModel]:
    """Name -> model of a TOML file. DataError naming what is wrong, and where."""
    table = read_toml(path, 'list of models, with a table [NAME] and model = "..." for each')
    found = {}
    for name, entry in table.items():
        texts = isinstance(entry, Mapping) and all(isinstance(value, str) and value.strip() for value in entry.values())
        if not texts or "model" not in entry or set(entry) - {"model", "key"}:
            raise DataError(
                f'the model {name!r} needs a table [{name}] with model = "..." and, if it has a key of its own, '
                'key = "NAME_OF_THE_ENVIRONMENT_VARIABLE"',
                file=path,
            )
        _check_address(name, entry["model"].strip(), path)
        found[name] = OfferedModel(entry["model"].strip(), entry["key"].strip() if "key" in entry else None)
    return found


def _check_address(name: str, model: str, path: Path) -> None:
    """DataError for a model on a server whose address clients read in different ways."""
    if model.startswith(("http://", "https://")):
        try:
            web_address(model, unencrypted="anywhere")
        except AddressError:
            raise DataError(f"the model {name!r} is at no address that can be called: {model!r}", file=path) from None


def open_offered(offered: OfferedModel, timeout: float) -> Model:
    """The model behind an entry. FolkwaysError where it cannot be asked: no such form, a key that is not set."""
    (model,) = open_models([offered.model], EndpointOptions(timeout=timeout, key_env=offered.key))
    return model


class TimedEndpoint:
    """An endpoint for somebody who waits: tries again what may be tried again, for so many seconds and until they are gone.

    late: whether the time was over.
    """

    def __init__(self, endpoint: Endpoint, seconds: float, gone: Event) -> None:
        self.name, self.identity = endpoint.name, endpoint.identity
        self.item_addressed, self.local = endpoint.item_addressed, endpoint.local
        self.default_concurrency = endpoint.default_concurrency
        self.late = False
        self._endpoint, self._gone = endpoint, gone
        self._until = time.monotonic() + seconds

    async def open(self, concurrency: int) -> None:
        """As the endpoint."""
        await self._endpoint.open(concurrency)

    async def close(self) -> None:
        """As the endpoint."""
        await self._endpoint.close()

    async def look(self) -> float | None:
        """As the endpoint, where it has such a thing."""
        return await self._endpoint.look() if hasattr(self._endpoint, "look") else None

    async def complete(self, request: Request) -> Completion:
        """As the endpoint; EndpointFailure, which is final, once the time is over or nobody waits."""
        asking = asyncio.create_task(self._insist(request))
        while not asking.done():
            left = self._until - time.monotonic()
            if left <= 0 or self._gone.is_set():
                asking.cancel()
                self.late = left <= 0
                raise EndpointFailure(f"{self.name}: no reply in time, or nobody waits for it any more")
            await asyncio.wait([asking], timeout=min(left, POLL_SECONDS))
        return asking.result()

    async def _insist(self, request: Request) -> Completion:
        pause = 0.5
        while True:
            try:
                return await self._endpoint.complete(request)
            except EndpointFailure as failure:
                wait = failure.retry_after if failure.retry_after is not None else pause
                if not failure.retryable or time.monotonic() + wait >= self._until:
                    raise EndpointFailure(str(failure), status=failure.status) from None
            await asyncio.sleep(wait)
            pause *= 2
