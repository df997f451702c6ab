from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from folkways.endpoints.waits import LONGEST_WAIT, asked_wait

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
    ],
)
def test_headers_that_providers_send(headers, seconds):
    found = asked_wait(CIMultiDict(headers), "", NOW)
    assert found == (None if seconds is None else pytest.approx(seconds, abs=0.01))


def test_googles_retry_info():
    assert asked_wait(CIMultiDict(), "27s", NOW) == 27


@given(st.sampled_from(["Retry-After", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens"]), st.text(max_size=30))
def test_any_header_gives_a_sane_wait_or_none(name, value):
    found = asked_wait(CIMultiDict({name: value}), value, NOW)
    assert found is None or 0 <= found <= LONGEST_WAIT
