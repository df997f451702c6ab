"""The identity of a request: a hash of endpoint, messages, settings, sample number and generation. Same hash,
never asked twice."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import blake2b

import orjson

from folkways.endpoints.base import Settings


def _digest(*parts: object) -> str:
    return blake2b(orjson.dumps(parts), digest_size=16).hexdigest()


def prompt_hash(system: str | None, user: str, choices: list[str] | None) -> str:
    """32 hexadecimal digits over the messages and the labels that may be answered."""
    return _digest(system, user, choices)


def settings_json(settings: Settings) -> str:
    """The settings that are sent, as JSON with sorted keys; those left to the provider do not appear."""
    sent = {name: value for name, value in asdict(settings).items() if value is not None}
    return orjson.dumps(sent, option=orjson.OPT_SORT_KEYS).decode()


def request_key(
    identity: str, prompt: str, settings: str, sample: int, address: str | None = None, generation: int = 0
) -> str:
    """32 hexadecimal digits that identify a request.

    identity: of the endpoint;
    prompt: from ``prompt_hash``;
    settings: from ``settings_json``;
    sample: its number, from 0.
    address: task, item, language and variant for endpoints whose answer depends on the item (replay), else
        None.
    generation: 0, or the number of a run that asks afresh what is stored already.
    """
    return _digest(identity, prompt, settings, sample, address, *((generation,) if generation else ()))


def config_hash(config: object) -> str:
    """32 hexadecimal digits over everything that decides what a run asks; two equal runs are one run."""
    return blake2b(orjson.dumps(config, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
