"""Reading the label of a choice (A, B, C, D; True, False) out of a reply.

Two ways: ``exact_label`` takes a reply that is the label and nothing else, which is the rule of CulturalBench's authors;
``first_label`` and ``first_truth`` find what a chatty reply settles on, and give None where it does not settle on one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

TRUTHS = ("True", "False")

_MARKUP = re.compile(r"[*_`#>]+|\\(?:boxed|text(?:bf)?)\b|[$]")
_LOOK_BACK = 40  # characters before a label in which a negation or a hedge can stand
_ANNOUNCEMENT = r"""
    (?: answers? | choices? | options? | response ) \b ["'”’]? \s*
    (?: would\ be | must\ be | should\ be | is | are | was | [:=：\-–—] )+ \s*
    (?: (?: option | choice | letter | answer ) \s* )?
"""
_OPENING = r"""[\[({"'“‘<]*"""
_ARTICLE = r"(?-i: [Aa] \s+ (?! (?: or|and|but|is|was|because|since|as|seems|would|not|nor|for ) \b ) [a-z] )"
_NEGATION = re.compile(
    rf"(?: \b(?:not|neither|nor|except|than|instead\ of) | n[’']t ) \s+ (?: (?:option|choice) \s+ )? {_OPENING} $",
    re.I | re.X,
)
_ECHO = re.compile(r"\btrue\s*(?:/|or|and|\|)\s*false\b|\bneither\s+true\s+nor\s+false\b", re.I)
_TRUTH = re.compile(r"(?<!\w)(true|false)(?!\w)", re.I)
_HEDGE = re.compile(
    r"""(?: (?: \bnot | n[’']t ) \s+ (?: necessarily | always | entirely | completely | quite | strictly | generally )
          | \b (?: partly | partially | half | sometimes | if | whether ) ) \s* $""",
    re.I | re.X,
)
_DENIAL = re.compile(r"(?:\bnot|n[’']t|\bcannot be)\s*$", re.I)


def exact_label(reply: str, labels: Sequence[str]) -> str | None:
    """The label that the stripped reply consists of, case-sensitively and with nothing else; None for any other reply."""
    stripped = reply.strip()
    return stripped if stripped in labels else None


def first_label(reply: str, labels: Sequence[str]) -> str | None:
    """The one-letter label a reply settles on, or None where it names none or leaves open which.

    Tried in this order, the first that finds a label decides: the whole reply is a label with punctuation; the reply announces its
    answer ("Answer: B", "the answer is (C)", a JSON field); a line begins with a label set off by punctuation ("B) ...", "**B.**");
    exactly one label stands alone in the text. A label that is negated ("not A") is passed over, and so is the article ("A common
    dish"). Full-width letters are read as plain ones.
    """
    text = _plain(reply)
    by_letter = {label.upper(): label for label in labels}
    letters = "".join(re.escape(letter) for letter in by_letter)
    whole = re.fullmatch(rf"\W*([{letters}])\W*", text, re.I)
    if whole:
        return by_letter[whole[1].upper()]
    letter = rf"{_OPENING} ([{letters}]) (?![\w’'])"
    announced = re.compile(rf"{_ANNOUNCEMENT} (?!{_ARTICLE}) {letter}", re.I | re.X)
    at_line_start = re.compile(rf"^\W*(?:(?i:option|choice|answer)\s+)?([{letters}])\s*(?:[).:,\]}}、．：-]|\n|$)", re.M)
    alone = re.compile(rf"(?<![\w’']) (?!{_ARTICLE}) ([{letters}]) (?![\w’'])", re.X)
    for pattern in (announced, at_line_start, alone):
        found: str | None = None
        for hit in pattern.finditer(text):
            label = by_letter[hit[1].upper()]
            if label != found and not _NEGATION.search(_before(text, hit.start(1))):
                if found is not None:
                    return None
                found = label
        if found is not None:
            return found
    return None


def first_truth(reply: str) -> str | None:
    """``"True"`` or ``"False"`` as the reply settles it, in any case and dress; None where it names neither or hedges.

    The first unambiguous word decides. "not true" is read as False and "not false" as True; "not necessarily true", "true or false"
    and "if true" are read as nothing.
    """
    text = _ECHO.sub(" ", _plain(reply))
    for hit in _TRUTH.finditer(text):
        before = _before(text, hit.start())
        if _HEDGE.search(before):
            continue
        said, opposite = ("True", "False") if hit[1].lower() == "true" else ("False", "True")
        return opposite if _DENIAL.search(before) else said
    return None


def _before(text: str, position: int) -> str:
    return text[max(0, position - _LOOK_BACK) : position]


def _plain(reply: str) -> str:
    """Without Markdown and LaTeX dress, in compatibility composition (full-width letters become plain)."""
    return _MARKUP.sub(" ", unicodedata.normalize("NFKC", reply)).strip()
