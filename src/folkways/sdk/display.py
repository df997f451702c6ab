"""Numbers and untrusted text as people read them, in a terminal or on a page."""

from __future__ import annotations

from folkways.display import count, duration, number, percent, plural, sanitize, shorten
from folkways.endpoints.clean import storable
from folkways.reports.palette import css_variables
from folkways.text.scripts import letters_of

__all__ = [
    "count",
    "css_variables",
    "duration",
    "letters_of",
    "number",
    "percent",
    "plural",
    "sanitize",
    "shorten",
    "storable",
]
