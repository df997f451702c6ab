"""How long a server asks to wait: the header fields that providers use for it, read with suspicion."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 300.0
"""Seconds. A server that asks for more (or sends nonsense) gets this much: one header must not stop a run for
a day."""

_EPOCH = 1_000_000_000  # a number above this is a time, not a duration
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$"
)
_RESETS = ("x-ratelimit-reset-{}", "anthropic-ratelimit-{}-reset")
_REMAINING = ("x-ratelimit-remaining-{}", "anthropic-ratelimit-{}-remaining")


def asked_wait(headers: Mapping[str, str], retry_delay: str, now: float) -> float | None:
    """Seconds to wait, 0 to LONGEST_WAIT; None where the server says nothing that can be read.

    headers: case-insensitive. Read in this order: ``retry-after-ms``, ``Retry-After`` (seconds or HTTP date),
        ``retry_delay`` (Google's RetryInfo in the body), then the rate-limit resets of OpenAI, Anthropic,
        Groq and OpenRouter.
    now: seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _sane(milliseconds / 1000)
    for text in (headers.get("Retry-After"), retry_delay):
        wait = _moment(text, now)
        if wait is not None:
            return _sane(wait)
    used_up: list[float] = []
    others: list[float] = []
    for unit in ("requests", "tokens", "input-tokens", "output-tokens"):
        for reset, remaining in zip(_RESETS, _REMAINING, strict=True):
            wait = _moment(headers.get(reset.format(unit)), now)
            if wait is not None:
                (used_up if headers.get(remaining.format(unit)) == "0" else others).append(wait)
    if used_up:
        return _sane(max(used_up))
    if others:
        return _sane(min(others))
    wait = _moment(headers.get("x-ratelimit-reset"), now)
    return None if wait is None else _sane(wait)


def _sane(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(text: str | None, now: float) -> float | None:
    """Seconds from ``now``: a number, ``1m2.5s``, an HTTP date, RFC 3339, or seconds or milliseconds since
    1970."""
    if not text:
        return None
    text = text.strip()
    value = _number(text)
    if value is not None:
        if value > _EPOCH * 1000:
            value /= 1000
        return value - now if value > _EPOCH else value
    duration = _DURATION.match(text)
    if duration and text:
        hours, minutes, seconds, thousandths = (float(part or 0) for part in duration.groups())
        return hours * 3600 + minutes * 60 + seconds + thousandths / 1000
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return read(text).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            continue
    return None
