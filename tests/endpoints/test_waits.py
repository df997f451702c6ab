from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from folkways.endpoints.servers.waits import LONGEST_WAIT, asked_wait

NOW = 1_760_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": formatdate(NOW + 40, usegmt=True)}, 40),
        ({"Retry-After": formatdate(NOW - 40, usegmt=True)}, 0),
        ({"Retry-After": "never"}, None),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
        ({"x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-reset-requests": "90000ms"}, 90),
        ({"x-ratelimit-reset-requests": "6m0s"}, 300),
        ({"x-ratelimit-reset-requests": "1h"}, 300),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "50s"}, 1),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-reset-tokens": "50s",
                "x-ratelimit-remaining-tokens": "0",
            },
            50,
        ),
        ({"anthropic-ratelimit-requests-reset": "2025-10-09T08:53:30Z"}, 10),
        ({"x-ratelimit-reset": str(NOW + 12)}, 12),
        ({"x-ratelimit-reset": str(int(NOW * 1000) + 12_000)}, 12),
        ({"x-ratelimit-reset": "9"}, 9),
        ({"retry-after-ms": "0", "Retry-After": "2"}, 0),
        ({"retry-after-ms": "later", "Retry-After": "2"}, 2),
        ({"retry-after-ms": "inf", "Retry-After": " 2 "}, 2),
        ({"Retry-After": " ", "x-ratelimit-reset": "9"}, 9),
        ({"Retry-After": "301"}, 300),
        ({"Retry-After": "299"}, 299),
        ({"Retry-After": "0.01h"}, 36),
        ({"Retry-After": "0.01h1.5m2.5s500ms"}, 36 + 90 + 3),
        ({"Retry-After": "2s later"}, None),
        ({"Retry-After": "1000000000"}, 300),  # so many seconds, not the year 2001
        ({"x-ratelimit-reset-requests": "3s", "x-ratelimit-reset": "9"}, 3),
        (
            {
                "x-ratelimit-reset-requests": "3s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "7s",
            },
            3,
        ),
        (
            {
                "anthropic-ratelimit-input-tokens-reset": "7",
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-output-tokens-reset": "8",
                "anthropic-ratelimit-output-tokens-remaining": "0",
                "x-ratelimit-reset-requests": "200",
                "x-ratelimit-remaining-requests": "1",
            },
            8,
        ),
    ],
)
def test_headers_that_providers_send(headers, seconds):
    found = asked_wait(CIMultiDict(headers), "", NOW)
    assert found == (None if seconds is None else pytest.approx(seconds, abs=0.01))


def test_googles_retry_info():
    assert asked_wait(CIMultiDict(), "27s", NOW) == 27
    assert asked_wait(CIMultiDict({"Retry-After": "3", "x-ratelimit-reset": "9"}), "27s", NOW) == 3
    assert asked_wait(CIMultiDict({"Retry-After": "soon", "x-ratelimit-reset": "9"}), "27s", NOW) == 27


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1000000001", 6),
        ("1000000000", 300),
        ("1000000000001", 5.001),
        ("999999999999", 300),
        ("999999998", 300),
    ],
)
def test_large_numbers_are_seconds_or_milliseconds_since_1970(text, seconds):
    assert asked_wait(CIMultiDict({"x-ratelimit-reset": text}), "", 999_999_995.0) == pytest.approx(seconds)


@given(
    st.sampled_from(["Retry-After", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens"]),
    st.text(max_size=30),
)
def test_any_header_gives_a_sane_wait_or_none(name, value):
    found = asked_wait(CIMultiDict({name: value}), value, NOW)
    assert found is None or 0 <= found <= LONGEST_WAIT
