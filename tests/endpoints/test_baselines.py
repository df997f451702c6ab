from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.errors import FolkwaysError, UnknownNameError
from tests.support.endpoint_requests import request

LETTERS = ("A", "B", "C", "D")


def say(name: str, *requests, seed: int = 0) -> list[str]:
    endpoint = open_name(name, EndpointOptions(seed=seed))

    async def run() -> list[str]:
        await endpoint.open(4)
        found = [(await endpoint.complete(asked)).text for asked in requests]
        await endpoint.close()
        return found

    return asyncio.run(run())


def test_rules():
    asked = request("What is eaten?", choices=LETTERS)
    assert say("baseline/first", asked) == ["A"]
    assert say("baseline/constant:no: 1/2", asked) == ["no: 1/2"]
    assert say("baseline/echo", asked) == ["What is eaten?"]


def test_free_text_is_answered_with_a_word_of_the_question():
    asked = [request("What is eaten?", key=str(number)) for number in range(50)]
    assert set(say("baseline/random", *asked)) == {"What", "is", "eaten?"}
    assert say("baseline/first", asked[0], request("")) == ["What", ""]


def test_random_draws_uniformly():
    """Chi-square over 40,000 keys and four choices; 16.27 is the 0.999 quantile at three degrees of
    freedom."""
    n = 40_000
    counts = Counter(
        say("baseline/random", *(request(key=f"key {number}", choices=LETTERS) for number in range(n)))
    )
    expected = n / len(LETTERS)
    assert set(counts) == set(LETTERS)
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 16.27


def test_seeds_draw_independently():
    """Two seeds agree on a quarter of the keys: within four standard errors of it."""
    asked = [request(key=f"key {number}", choices=LETTERS) for number in range(10_000)]
    agreed = sum(
        one == other
        for one, other in zip(
            say("baseline/random", *asked), say("baseline/random", *asked, seed=1), strict=True
        )
    )
    assert abs(agreed / 10_000 - 0.25) < 4 * (0.25 * 0.75 / 10_000) ** 0.5
    identities = {open_name("baseline/random", EndpointOptions(seed=seed)).identity for seed in range(5)}
    assert len(identities) == 5
    assert open_name("baseline/first", EndpointOptions(seed=5)).identity == "baseline/first"


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.text(), st.integers(), st.randoms())
def test_random_depends_on_seed_and_key_only(choices, key, seed, shuffle):
    asked = [request(key=f"{key}{number}", choices=tuple(choices)) for number in range(5)]
    found = dict(zip((one.key for one in asked), say("baseline/random", *asked, seed=seed), strict=True))
    shuffle.shuffle(asked)
    assert (
        dict(zip((one.key for one in asked), say("baseline/random", *asked, seed=seed), strict=True)) == found
    )
    assert set(found.values()) <= set(choices)


def test_unknown_rules():
    with pytest.raises(UnknownNameError, match="random"):
        open_name("baseline/rnadom")
    with pytest.raises(FolkwaysError, match="baseline/constant:A"):
        open_name("baseline/constant:")
