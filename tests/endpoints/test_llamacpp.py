"""``llamacpp/``: the likelihood of texts, token by token, of a server whose replies are known."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from folkways.endpoints.base import LOGLIK, Completion, EndpointFailure, EndpointOptions, Settings
from folkways.endpoints.registry import open_name
from folkways.errors import FolkwaysError
from folkways.records import likelihoods_of
from tests.support.endpoint_requests import request
from tests.support.scripted_server import ReceivedRequest, ScriptedServer

READ = Settings(None, None, read=LOGLIK)
ASKED = request("Q", system="S", settings=READ, choices=("A", "no"))
LIKELIHOODS = {"\n": -0.125, "A": -1.5, "n": -0.25, "o": -0.5}
PROMPT = [ord(letter) for letter in "<system>S<user>Q"]
LINE_BREAK = ord("\n")


def speaks(received: ReceivedRequest, **pages: Any) -> Any:
    """A model whose tokens are letters, and that knows how likely four of them are; the others are less likely."""
    body = received.json if received.body else {}
    page = received.target.strip("/").replace("-", "_")
    if page in pages:
        return pages[page](body) if callable(pages[page]) else pages[page]
    if page == "apply_template":
        return {"prompt": "".join(f"<{one['role']}>{one['content']}" for one in body["messages"]) + "\n"}
    if page == "tokenize":
        return {"tokens": [ord(letter) for letter in body["content"]]}
    if page == "completion":
        token = body["logit_bias"][0][0]
        step = {"id": token, "logprob": LIKELIHOODS.get(chr(token), -3.0)}
        return {"model": "m-1", "completion_probabilities": [step]}
    return (404, {})


def read(asked: Any = ASKED, **pages: Any) -> tuple[Completion, list[ReceivedRequest]]:
    async def run() -> tuple[Completion, list[ReceivedRequest]]:
        async with ScriptedServer(lambda received: speaks(received, **pages)) as server:
            endpoint = open_name("llamacpp/m", EndpointOptions(base_url=f"{server.url}/v1"))
            try:
                await endpoint.open(1)
                server.requests.clear()
                return await endpoint.complete(asked), server.requests
            finally:
                await endpoint.close()

    return asyncio.run(run())


def test_the_likeliest_option_is_the_reply() -> None:
    completion, requests = read()
    assert completion.text == "no"
    assert likelihoods_of(completion.finish_reason) == pytest.approx(
        [-1.625, -0.875]
    )  # both after a line break
    spent = len(PROMPT) + len("\nA") + len("\nno")
    assert (completion.input_tokens, completion.output_tokens, completion.model) == (spent, 0, "m-1")
    pages = ["/apply-template", "/tokenize", "/tokenize", *["/completion"] * 2]
    assert [one.target for one in requests] == [*pages, "/tokenize", "/tokenize", *["/completion"] * 3]
    assert requests[0].json == {
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]
    }
    assert requests[2].json == {"content": "<system>S<user>Q\nA", "add_special": True, "parse_special": True}
    assert requests[4].json == {
        "prompt": [*PROMPT, LINE_BREAK],
        "n_predict": 1,
        "n_probs": 1,
        "logit_bias": [[ord("A"), 10_000.0]],
        "temperature": 0,
        "cache_prompt": True,
    }


def test_a_part_of_a_letter_is_looked_for_among_ever_more_of_the_likeliest() -> None:
    asked: list[tuple[list[list[float]], int]] = []

    def completion(body: dict[str, Any]) -> Any:
        asked.append((body["logit_bias"], body["n_probs"]))
        listed = [
            {"id": 1, "logprob": -9.0},
            *([{"id": ord("x"), "logprob": -7}] if body["n_probs"] > 64 else []),
        ]
        step = {"id": ord("A"), "logprob": -0.5, "top_logprobs": listed}
        return {"completion_probabilities": ["no step", {"id": 2, "logprob": "-1"}, step]}

    with_template = {"apply_template": {"prompt": "Q"}}
    reply, _ = read(replace(ASKED, choices=("x",)), completion=completion, **with_template)
    assert likelihoods_of(reply.finish_reason) == [-7.0]
    bias_x, bias_whole = [[ord("x"), 10_000.0]], [[ord("A"), 10_000.0]]
    assert asked == [(bias_x, 1), (bias_whole, 64), (bias_whole, 4096)]
    asked.clear()
    with pytest.raises(
        EndpointFailure, match="does not tell the probability of a token, which is a part of a"
    ) as failure:
        read(replace(ASKED, choices=("y",)), completion=completion, **with_template)
    assert not failure.value.fatal
    assert [most for _, most in asked] == [1, 64, 4096, 65_536]


@pytest.mark.parametrize(
    ("pages", "message", "fatal", "retryable"),
    [
        ({"apply_template": {}}, "does not tell what its chat template makes of a question", True, False),
        ({"tokenize": {"tokens": ["a"]}}, "does not tell the tokens of a text", True, False),
        ({"tokenize": {"tokens": {}}}, "does not tell the tokens of a text", True, False),
        ({"tokenize": {"tokens": "a"}}, "does not tell the tokens of a text", True, False),
        ({"tokenize": (500, {"error": "busy"})}, 'the server says 500: "busy"', False, True),
        (
            {"tokenize": (404, {"error": "File Not Found"})},
            "has no model 'm', or is not the server's",
            True,
            False,
        ),
        ({"completion": []}, r'the server says 200: "\[\]"', False, False),
        ({"completion": {"completion_probabilities": {}}}, "does not tell the probability", False, False),
    ],
)
def test_a_server_that_tells_too_little(
    pages: dict[str, Any], message: str, fatal: bool, retryable: bool
) -> None:
    with pytest.raises(EndpointFailure, match=message) as failure:
        read(**pages)
    assert (failure.value.fatal, failure.value.retryable) == (fatal, retryable)


def test_a_question_without_options_and_a_server_that_is_not_open() -> None:
    with pytest.raises(EndpointFailure, match="chooses among options, and this question has none") as failure:
        read(replace(ASKED, choices=None))
    assert failure.value.fatal
    with pytest.raises(FolkwaysError, match="llamacpp/m was asked before it was opened"):
        asyncio.run(open_name("llamacpp/m").complete(ASKED))
