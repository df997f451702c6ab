"""Declining is told from answering."""

from __future__ import annotations

import pytest

from folkways.metrics.refusals import declines


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot answer this question.",
        "As an AI language model, I have no culture.",
        "Sorry, no.",
        "I don't know.",
        "I’d rather not say",
        "It is not possible to determine the answer.",
    ],
)
def test_replies_that_decline(reply: str) -> None:
    assert declines(reply)


@pytest.mark.parametrize(
    "reply", ["B", "", "They say sorry when they bump into someone.", "The answer is rice.", "People cannot enter with shoes."]
)
def test_replies_that_do_not(reply: str) -> None:
    assert not declines(reply)
