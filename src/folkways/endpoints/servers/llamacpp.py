"""llama.cpp's own server: OpenAI's chat completions, and the likelihood of a text."""

from __future__ import annotations

from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.endpoints.likelihood import choice, options_of, pair
from folkways.endpoints.servers.chat_completions import name_of
from folkways.endpoints.servers.http import from_json, to_json
from folkways.endpoints.servers.openai import OpenAIEndpoint
from folkways.errors import FolkwaysError

CERTAIN = 1e4
"""Added to a token's logit so that it is the one said. The log-probability that the server tells is from
before it was added."""

WHOLE = "A"
"""A text whose last token is whole letters."""

LISTED = (64, 4096, 65_536)
"""How many of the likeliest tokens are asked for, one after the other, until the wanted one is among them."""


class LlamaCppEndpoint(OpenAIEndpoint):
    """A server of llama.cpp. It has no page for the likelihood of a text, but tells that of the token it
    says, so it is made to say each label token by token."""

    reads_likelihoods = True
    _templated = True

    async def complete(self, request: Request) -> Completion:
        """Ask once, or choose the likeliest of the options. Raises EndpointFailure."""
        if request.settings.read is None:
            return await super().complete(request)
        labels = options_of(self.name, request)
        prompt = await self._prompt(request)
        likelihoods: list[float] = []
        spent, model = 0, None
        for label in labels:
            context, continuation = pair(prompt, label, templated=self._templated)
            start = await self._tokens(context, request)
            wanted = (await self._tokens(context + continuation, request))[len(start) :]
            spent += len(wanted) + (0 if likelihoods else len(start))  # the prompt is computed once
            total = 0.0
            for at, token in enumerate(wanted):
                likelihood, reply = await self._likelihood(start + wanted[:at], token, request)
                total += likelihood
                model = name_of(reply.get("model"))
            likelihoods.append(total)
        return choice(labels, likelihoods, model=model, tokens=spent)

    async def _prompt(self, request: Request) -> str:
        """The text that the model is to go on with, by its chat template."""
        prompt = (
            await self._call("/apply-template", {"messages": self.payload(request)["messages"]}, request)
        ).get("prompt")
        if not isinstance(prompt, str):
            raise EndpointFailure(
                f"{self.name}: the server does not tell what its chat template makes of a question",
                fatal=True,
            )
        return prompt

    async def _tokens(self, text: str, request: Request) -> list[int]:
        payload = {"content": text, "add_special": True, "parse_special": True}
        tokens = (await self._call("/tokenize", payload, request)).get("tokens")
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise EndpointFailure(f"{self.name}: the server does not tell the tokens of a text", fatal=True)
        return tokens

    async def _likelihood(
        self, before: list[int], token: int, request: Request
    ) -> tuple[float, dict[str, Any]]:
        """The log-probability of a token after others, and the reply that has it.

        The server tells nothing of a token that is a part of a letter when it says it, so another one is said
        then, with the wanted one among the likeliest: these it lists whatever they are.
        """
        reply = await self._say(before, token, 1, request)
        for step in _steps(reply):
            if step.get("id") == token and isinstance(value := step.get("logprob"), (int, float)):
                return float(value), reply
        whole = (await self._tokens(WHOLE, request))[-1]
        for most in LISTED:
            reply = await self._say(before, whole, most, request)
            for step in _steps(reply):
                for entry in step.get("top_logprobs", ()):
                    if entry.get("id") == token:
                        return float(entry["logprob"]), reply
        raise EndpointFailure(
            f"{self.name}: the server does not tell the probability of a token, which is a part of a letter "
            "and unlikely: choose other --languages"
        )

    async def _say(self, before: list[int], token: int, most: int, request: Request) -> dict[str, Any]:
        payload = {
            "prompt": before,
            "n_predict": 1,
            "n_probs": most,
            "logit_bias": [[token, CERTAIN]],
            "temperature": 0,
        }
        return await self._call("/completion", payload | {"cache_prompt": True}, request)

    async def _call(self, page: str, payload: dict[str, Any], request: Request) -> dict[str, Any]:
        """The JSON object that a page of llama.cpp's own answers with; EndpointFailure where there is
        none."""
        if self._connections is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        url = self.address.base_url.removesuffix("/v1") + page
        # Each on a connection of its own, whose first reply is surely the right one: a question takes dozens
        # of calls.
        reply = await self._exchange(
            "POST", url, self._headers(), to_json(payload), self._options.max_body, self.timeout
        )
        self._reached = True
        parsed = from_json(reply.body)
        if reply.good and isinstance(parsed, dict):
            return parsed
        raise self._refusal(reply, parsed, request.settings)


def _steps(reply: dict[str, Any]) -> list[dict[str, Any]]:
    steps = reply.get("completion_probabilities")
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
