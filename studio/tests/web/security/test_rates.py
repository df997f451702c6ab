"""How often, and how many at once."""

from __future__ import annotations

import random

import pytest
from starlette.requests import Request

from folkways_studio.errors import BusyError, TooManyAttemptsError
from folkways_studio.web.security.rates import RateLimits, WaitingPlaces, limited_address


@pytest.mark.parametrize("seed", range(3))
def test_a_sliding_window_like_a_list_of_times(seed: int) -> None:
    """Naively: of each action and address, the times of all that was allowed within the last seconds."""
    luck, now = random.Random(seed), [0.0]
    limits = {"join": (2, 10.0), "sign": (3, 4.0)}
    rates = RateLimits(limits, clock=lambda: now[0])
    allowed: list[tuple[str, str, float]] = []
    refused = 0
    for _ in range(300):
        now[0] += luck.choice((0.0, 0.5, 1.0, 2.5))
        action, address = luck.choice(("join", "sign")), luck.choice("ab")
        most, seconds = limits[action]
        lately = [
            at for name, whose, at in allowed if (name, whose) == (action, address) and at > now[0] - seconds
        ]
        if len(lately) < most:
            rates.take(action, address)
            allowed.append((action, address, now[0]))
        else:
            with pytest.raises(TooManyAttemptsError) as error:
                rates.take(action, address)
            assert error.value.seconds == pytest.approx(lately[0] + seconds - now[0])
            refused += 1
    assert refused > 20


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::7", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_limits_count_for_an_address_or_for_the_network_of_one(client: str, counted: str) -> None:
    assert limited_address(Request({"type": "http", "client": (client, 0)})) == counted
    assert limited_address(Request({"type": "http", "client": None})) == ""


def test_of_very_many_addresses_the_one_that_was_seen_longest_ago_is_forgotten() -> None:
    rates = RateLimits({"join": (1, 10.0)}, clock=lambda: 0.0)
    for number in range(50_000):
        rates.take("join", str(number))
    with pytest.raises(TooManyAttemptsError):
        rates.take("join", "0")  # and so it is the last that was seen
    rates.take("join", "one more")
    for seen in ("0", "2"):
        with pytest.raises(TooManyAttemptsError):
            rates.take("join", seen)
    rates.take("join", "1")


def test_places_are_given_back_one_by_one() -> None:
    waiting = WaitingPlaces(most=3, of_a_study=2)
    with waiting.place(1, 10):
        for _ in range(3):
            with waiting.place(1, 11):
                pass
        with (
            waiting.place(2, 12),
            waiting.place(1, 11),
            pytest.raises(BusyError, match="many people"),
            waiting.place(3, 13),
        ):
            pass
        with waiting.place(1, 11), pytest.raises(BusyError, match="many people"), waiting.place(1, 12):
            pass
        with pytest.raises(BusyError, match="a model already"), waiting.place(2, 10):
            pass
        with waiting.place(2, 14), waiting.place(3, 15):
            pass
