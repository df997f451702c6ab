"""folkways measures how well language models know how people actually live."""

from __future__ import annotations

__version__ = "0.1.0"
