"""Requests for the tests of endpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from folkways.endpoints.base import Request, Settings

KEY = "sk-test-7f3Q9zLw0aKdE5"
"""The key that the test server wants; it must never show up anywhere."""


def request(user: str = "Hello?", *, settings: Settings | None = None, **fields: Any) -> Request:
    """A request with the default settings unless told otherwise."""
    return replace(Request(key="k", user=user, system=None, settings=settings or Settings()), **fields)
