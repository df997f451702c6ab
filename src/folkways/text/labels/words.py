"""The words by which replies announce, deny, correct and join labels, in many languages at once:
``words.toml``, compiled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import chain, groupby
from operator import itemgetter
from unicodedata import category, normalize

_JOINERS = "\u200c\u200d"
_FIRST, _END = 0x300, 0x1800
"""Between these lie the marks of all scripts that languages of ours are written in; later ones choose a glyph
after emoji, or join their kana under NFKC."""


def _marks() -> str:
    """The inside of a class with the combining marks of every script (Unicode's Mn and Mc), and joiners."""
    letters = {"Mn": "M", "Mc": "M", "Me": "-", "Cn": "."}
    kinds = [category(chr(code)) for code in range(_FIRST, _END)]
    text = "".join(letters.get(kind, kind[0]) for kind in kinds)
    # Letters between marks are in the class anyway, and fewer ranges are compiled three times as fast.
    inside = re.finditer(r"M(?:[LM.]*M)?", text)
    return "".join(f"{chr(_FIRST + run.start())}-{chr(_FIRST + run.end() - 1)}" for run in inside) + _JOINERS


IN_WORD = rf"\w{_marks()}"
"""The inside of a class that holds letters, digits and the combining marks of every script."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_ARABIC = re.compile("[\u0600-\u06ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")


@cache
def spellings(*roles: str) -> frozenset[str]:
    """The words and phrases of these roles; a star ends a stem."""
    lines = chain.from_iterable(_table()[role].values() for role in roles)
    return frozenset(chain.from_iterable(normalize("NFKC", line).split("|") for line in lines))


@cache
def words(*roles: str) -> str:
    """The source of a pattern that finds any word or phrase of these roles as a whole; match it without
    regard to case."""
    return any_of(sorted(spellings(*roles), key=lambda each: (-len(each), each)))


@cache
def pattern(*roles: str) -> re.Pattern[str]:
    """``words``, compiled."""
    return re.compile(words(*roles), re.I)


@cache
def corrections() -> list[str]:
    """Words that take back what was said before, and deny nothing that follows."""
    denials = pattern("not", "not_behind")
    return [each for each in sorted(spellings("correction")) if not denials.fullmatch(each.strip("*"))]


@cache
def whole_words(*roles: str) -> frozenset[str]:
    """The single words of these roles; of stems, the stem."""
    return frozenset(spelling.strip("*") for spelling in spellings(*roles) if " " not in spelling)


def any_of(spellings: Iterable[str]) -> str:
    """The source of a pattern that finds any of these as a whole word; of two that begin alike, the earlier
    is tried first."""
    # One look around for all words of a kind: it takes most of the time in which a pattern is compiled.
    # Words of different scripts begin differently, so that their order does not matter.
    parts = (_bounded(spelling) for spelling in sorted(spellings, key=_script))
    return _either(
        before
        + _either(
            _either(source for _, source, _ in same) + after
            for after, same in groupby(alike, key=itemgetter(2))
        )
        for before, alike in groupby(parts, key=itemgetter(0))
    )


def _either(sources: Iterable[str]) -> str:
    return "(?:" + "|".join(sources) + ")"


def _script(spelling: str) -> str:
    """A name for the kind of script of the first letter."""
    first = spelling.strip("*")[:1]
    kinds = {"unspaced": _UNSPACED, "arabic": _ARABIC, "hangul": _HANGUL}
    return next((name for name, letters in kinds.items() if letters.match(first)), "")


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def _bounded(spelling: str) -> tuple[str, str, str]:
    """The sources of what may come before a word or phrase, of itself, and of what may follow."""
    stem = spelling.strip("*")
    source = re.escape(stem).replace("'", "['’]").replace(r"\ ", r"\s+")
    if _UNSPACED.search(stem):
        return "", source, ""
    attached = "[وف]?" if _ARABIC.search(stem) else ""
    before = "" if spelling.startswith("*") else rf"(?<![{IN_WORD}'’])"
    if spelling.endswith("*"):
        return before, f"{attached}{source}", f"[{IN_WORD}]*"
    after = rf"(?![{IN_WORD}])" if re.match(f"[{IN_WORD}]", stem[-1]) else ""
    if _HANGUL.search(stem) and len(stem) > 1:
        after = ""  # particles and endings are written to the word
    return before, f"{attached}{source}", after
