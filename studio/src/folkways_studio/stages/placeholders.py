"""What a translation has to keep of its original: places that are filled in later (``%(name)s``), per cent
signs, and HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

TOKEN = re.compile(r"%\(\w+\)[a-z]|%%|%|</?[A-Za-z][^<>]*>|&#?\w+;|[<>]")
"""``%(name)s``; ``%%``, which is filled in as ``%``; a single ``%``, which breaks filling in; HTML, which a
page would obey."""


def placeholders(text: str) -> frozenset[str]:
    """The different ones of a text."""
    return frozenset(TOKEN.findall(text))


def misplaced(text: str, originals: Sequence[str]) -> tuple[list[str], list[str]]:
    """(what is missing, what is too much) in a text, each sorted: it has to have what all ``originals`` have,
    and nothing that none of them has. The plural form for "one book" may do without the number, though its
    English has one.
    """
    sets = [placeholders(each) for each in originals]
    present = placeholders(text)
    return sorted(frozenset.intersection(*sets) - present), sorted(present - frozenset.union(*sets))
