"""Choosing among options by likelihood: the option that a model would say most probably, in place of the one
that it says.

The convention is that of lm-evaluation-harness for tasks of the type ``multiple_choice``, whose choices are
letters (as its MMLU) or texts (a cloze): what is compared is the log-probability of each label given the
prompt, summed over the label's tokens and not divided by their number; a task may divide it by a text's
length. A label follows a prompt after a space, or at once where a
chat template ends the prompt. White space at the end of the prompt counts with the label, and a label's
tokens are those by which prompt and label together are longer than the prompt alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from folkways.endpoints.base import Completion, EndpointFailure, Request

ABLE = "hf/, vllm-offline/, gguf/ and llamacpp/"
"""The endpoints that can tell likelihoods, for messages."""


def options_of(name: str, request: Request) -> tuple[str, ...]:
    """The labels to choose among; a fatal EndpointFailure where the question has none."""
    if not request.choices:
        raise EndpointFailure(
            f"{name}: read=loglik chooses among options, and this question has none", fatal=True
        )
    return request.choices


def pair(prompt: str, label: str, *, templated: bool) -> tuple[str, str]:
    """Context and continuation: together the text whose likelihood is wanted, given the first part.

    templated: whether a chat template made the prompt.
    """
    context = prompt.rstrip()
    return context, prompt[len(context) :] + ("" if templated else " ") + label


def choice(
    labels: Sequence[str], likelihoods: Sequence[float], *, model: str | None, tokens: int
) -> Completion:
    """The likeliest of ``labels`` as a reply; its finish reason lists the log-probabilities, in their order.

    likelihoods: one per label, natural logarithms; the first of equal ones wins. model: the name to report.
    tokens: input tokens spent.
    """
    # it brings polars, which the process of an engine does not need
    from folkways.records import listed_likelihoods

    best = max(range(len(labels)), key=lambda at: likelihoods[at])
    listing = listed_likelihoods(likelihoods)
    return Completion(labels[best], listing, model=model, input_tokens=tokens, output_tokens=0)


def weight(likelihood: float, *, model: str | None, tokens: int) -> Completion:
    """The log-probability of a text (natural logarithm, over all its tokens) as a reply."""
    return Completion(f"{likelihood:.4f}", "logprob", model=model, input_tokens=tokens, output_tokens=0)
