"""What clients of other libraries are given: the messages, and the settings under the names that they know."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from folkways.endpoints.base import Settings
from folkways.endpoints.python.clients import openai_arguments
from tests.support.endpoint_requests import request

ASKED = {"temperature": 0.5, "top_p": 0.9, "seed": 7}


@pytest.mark.parametrize(
    ("address", "limit"),
    [("https://api.openai.com/v1/", "max_completion_tokens"), ("http://127.0.0.1:8000/v1", "max_tokens")],
)
@pytest.mark.parametrize(
    ("effort", "sent"), [("off", "none"), ("none", "none"), ("low", "low"), (None, None)]
)
def test_what_an_openai_client_is_given(
    address: str, limit: str, effort: str | None, sent: str | None
) -> None:
    settings = Settings(max_tokens=10, reasoning_effort=effort, **ASKED)
    arguments = openai_arguments(SimpleNamespace(base_url=address), "m")
    positional, given = arguments(request(settings=settings))
    assert positional == [] and given.pop("model") == "m" and given.pop("messages")[-1]["role"] == "user"
    assert given == {**ASKED, limit: 10, **({} if sent is None else {"reasoning_effort": sent})}


def test_settings_that_nobody_stated_are_not_given() -> None:
    azure = type("AsyncAzureOpenAI", (), {"base_url": "https://example.org"})()
    _, given = openai_arguments(azure, "m")(
        request(settings=Settings(max_tokens=10, temperature=None, top_p=None))
    )
    assert set(given) == {"model", "messages", "max_completion_tokens"}
