"""Makes untrusted text safe to show, and numbers easy to read."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

import orjson

_INVISIBLE = (
    # C0 and C1 controls: escape sequences begin here, and a lone CR overwrites a line
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    # bidi controls: they make text read in another order than it is stored
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb"  # characters without width, line separators
    "\U000e0000-\U000e007f"  # tag characters: text that nobody sees
)
_CONTROLS = re.compile(f"[{_INVISIBLE}]")
_CONTROLS_AND_NEWLINES = re.compile(f"[{_INVISIBLE}\n\r]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# controls, formats (bidi, zero width), surrogates, unassigned, separators
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def sanitize(text: str) -> str:
    """The text with control and invisible formatting characters replaced by their code, as in ``⟨U+202E⟩``.

    Newlines and tabs stay, and so do the joiners U+200C and U+200D, which the spelling of Persian and many
    Indic words needs.
    """
    return _CONTROLS.sub(_name, text.replace("\r\n", "\n"))


def single_line(text: str) -> str:
    """Sanitized text on a single line, with spaces for newlines."""
    return _CONTROLS_AND_NEWLINES.sub(lambda found: " " if found[0] in "\n\r" else _name(found), text).strip()


def _name(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def escape(text: str, width: int | None = None) -> str:
    """``text`` on one line, with Python's escapes for newlines, joiners and all other invisible characters.

    For values whose exact spelling matters, such as oddities of data; ``sanitize`` and ``single_line`` are
    for reading. width: maximum number of characters; a longer text ends with an ellipsis.
    """
    shown = "".join(
        _SHORT.get(char) or (_escaped(char) if unicodedata.category(char) in _UNSEEN else char)
        for char in text
    )
    return shown if width is None else shorten(shown, width)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters; a longer text ends with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def json_for_terminal(value: object) -> str:
    """Indented JSON with null for NaN and infinity, and ``\\u`` escapes for control and direction
    characters."""
    text = json.dumps(_without_nan(value), ensure_ascii=False, indent=2, default=str)
    return _CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


def _without_nan(value: object) -> object:
    """The value with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, Mapping):
        return {name: _without_nan(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_for_html(value: object) -> str:
    """JSON that is safe inside a script element: nothing in it can end the element or begin a comment."""
    text = orjson.dumps(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def figure(value: float) -> str:
    """A number for a table without a number of decimals of its own: one decimal, or three for values below
    1."""
    return f"{value:.1g}" if 0 < abs(value) < 0.01 else number(value, 3 if abs(value) < 1 else 1)


def interval(low: float | None, high: float | None, between: str = " – ") -> str:
    """Two bounds, ``9.0 – 45.2``; a single dash without an interval."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return NOT_A_NUMBER
    return f"{number(low)}{between}{number(high)}"


def bound(value: float) -> str:
    """An end of the interval of a difference, with one decimal, or more if it would be written ``0.0``."""
    decimals = 1 if abs(value) >= 0.05 or not value else math.ceil(-math.log10(abs(value)))
    return number(value, decimals)


def p_value(value: float | None, alpha: float = 0.05) -> str:
    """``<.001``, ``.034``, ``1``; with enough decimals to show on which side of ``alpha`` it is
    (``.0496``)."""
    if value is None or math.isnan(value):
        return NOT_A_NUMBER
    if value < 0.001 or value >= 0.9995:
        return "<.001" if value < 0.001 else "1"
    written = (f"{value:.{decimals}f}" for decimals in range(3, 17))
    clear = next((text for text in written if value == alpha or float(text) != alpha), f"{value:.3f}")
    return clear.lstrip("0")


def shown_n(n: int, left_out: int = 0, effective_questions: float | None = None) -> str:
    """A denominator: "10"; "4 of 10" if the rule leaves six out; "3,993 (worth 9 questions)" if it has the
    precision of nine questions of equal size.
    """
    scored = f"{count(n - left_out)} of {count(n)}" if left_out else count(n)
    return (
        scored
        if effective_questions is None
        else f"{scored} (worth {plural(round(effective_questions), 'question')})"
    )


def reasons(why: str | None) -> str:
    """``why_left_out`` of a score in words, the most frequent reason first: ``2,838 unreadable, 195
    refused``."""
    counts: dict[str, int] = json.loads(why or "{}")
    ordered = sorted(counts.items(), key=lambda reason: -reason[1])
    return ", ".join(f"{count(amount)} {single_line(name)}" for name, amount in ordered)


def percent(share: float | None) -> str:
    """A share from 0 to 1 as a percentage. Only exact values are written as 100 % and 0 %."""
    if share is None or math.isnan(share):
        return NOT_A_NUMBER
    shown = round(100 * share, 1)
    if shown == 100 and share < 1:
        shown = 99.9
    if shown == 0 and share > 0:
        return "<\u202f0.1\u202f%"
    return f"{shown:.0f}\u202f%" if shown in (0, 100) else f"{shown:.1f}\u202f%"


def duration(seconds: float) -> str:
    """Seconds in words: ``0.4 s``, ``42 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def size(characters: int) -> str:
    """Bytes in words: ``640 kB``, ``3.2 MB``."""
    return (
        f"{characters / 1e6:.1f}\u202fMB"
        if characters >= 1e6
        else f"{max(1, round(characters / 1e3))}\u202fkB"
    )


NOT_A_NUMBER = "–"


def number(value: float | None, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash for None and NaN."""
    if value is None or math.isnan(value):
        return NOT_A_NUMBER
    rounded = round(value, decimals) + 0.0
    return f"{rounded:.{decimals}f}".replace("-", "\u2212")


def signed(value: float | None, decimals: int = 1) -> str:
    """A change: ``number`` with a plus sign where it is written above 0."""
    text = number(value, decimals)
    return f"+{text}" if value is not None and round(value, decimals) > 0 else text


def count(value: int | None) -> str:
    """A whole number with commas between thousands; a dash for None."""
    return NOT_A_NUMBER if value is None else f"{value:,}"


def plural(amount: int, one: str, many: str | None = None) -> str:
    """``1 culture``, ``16 cultures``."""
    return f"{count(amount)} {one if amount == 1 else many or one + 's'}"


MOST_NAMED = 5
"""Names that a sentence lists; it counts the others."""


def named(names: Sequence[str], word: str = "and", separator: str = ", ") -> str:
    """``a``, ``a and b``, ``a, b and c``; at most MOST_NAMED names, then ``and 3 more``. word: instead of
    ``and``. separator: instead of a comma, for names that have commas."""
    shown = (
        list(names) if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    )
    return f" {word} ".join(part for part in (separator.join(shown[:-1]), shown[-1]) if part)
