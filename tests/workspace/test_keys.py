"""Keys are as they were: another key for the same request would ask anew what a workspace holds already."""

from __future__ import annotations

import json
from hashlib import blake2b

from folkways.endpoints.base import Settings
from folkways.workspace.keys import config_hash, prompt_hash, request_key, settings_json


def digest(value: object) -> str:
    return blake2b(
        json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), digest_size=16
    ).hexdigest()


def test_keys_are_hashes_of_everything_that_a_reply_depends_on() -> None:
    assert prompt_hash("be short", "Was ißt man?", ["A", "B"]) == digest(
        ["be short", "Was ißt man?", ["A", "B"]]
    )
    assert prompt_hash(None, "q", None) == digest([None, "q", None])
    assert request_key("openai/m", "f" * 32, "{}", 2) == digest(["openai/m", "f" * 32, "{}", 2, None])
    assert request_key("replay", "f" * 32, "{}", 0, "t/i/en/v") == digest(
        ["replay", "f" * 32, "{}", 0, "t/i/en/v"]
    )
    assert request_key("openai/m", "f" * 32, "{}", 2, generation=3) == digest(
        ["openai/m", "f" * 32, "{}", 2, None, 3]
    )
    assert config_hash({"b": {"d": 1, "c": 2}, "a": [1]}) == digest({"a": [1], "b": {"c": 2, "d": 1}})


def test_settings_are_those_that_are_sent_in_an_order_of_their_own() -> None:
    every = Settings(temperature=0.5, top_p=0.0, seed=7, max_tokens=9, reasoning_effort="low")
    assert (
        settings_json(every)
        == '{"max_tokens":9,"reasoning_effort":"low","seed":7,"temperature":0.5,"top_p":0.0}'
    )
    assert settings_json(Settings(temperature=None, top_p=None)) == "{}"
