"""Reads a reply to the adaptation prompt: the version within English, the one into the language, and the
strategy named.

The authors ask for ``[within English, into the language, strategy]`` and released no parser. Models answer
with JSON, with Python lists, with quotes that are not escaped, with brackets and no quotes at all although
the sentences contain commas, with labelled lines, tables or bare lines; some give the format back first, and
go on with inputs of their own. Each layout is tried in turn; a reply is unreadable where none fits or where
the boundary between the two versions stays open. The gold answer is never looked at.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from folkways.benchmarks.xcr.boundaries import (
    boundary_between_versions,
    change_of_script,
    split_off_other_strategy,
    split_off_strategy,
)
from folkways.benchmarks.xcr.data import is_non_transferable
from folkways.benchmarks.xcr.data.reading import is_bare_label

# characters: longer replies are read as JSON or not at all, which takes time linear in their length
LONGEST = 20_000

_THINKING = re.compile(r"^.*</think(?:ing)?>", re.S | re.I)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.S)
_LEAD = re.compile(r"^\W*(?:output|answer|response|result|adaptation)s?\s*[:：]\W*?(?=[\[{“\"'\w])", re.I)
_FORMAT = re.compile(
    r"[\[<(]*\s*intra[\s-]*lingual adaptation\W{1,4}inter[\s-]*lingual adaptation\W{1,4}adaptation "
    r"method used\s*[\])>]*",
    re.I,
)
_NEXT_INPUT = re.compile(r"\n\W*(?:(?:next|new)\s+)?(?:input|sentence)s?(?:\s+\d+)?\s*[:：]", re.I)
_NEXT_OUTPUT = re.compile(r"^\W*output\s*[:：]", re.I | re.M)
_LABEL = re.compile(
    r"""^[^\S\n]* [-*#>•\d.()\s]*? ["'*_]*
        (?P<name> int(?:ra|er) (?:[\s_-]*lingual)? | (?:adaptation\s+)? (?:method|strateg(?:y|ies)|technique)s?
                | (?:the\s+)? rewritten\s+sentence\s+in\s+\w+ | the\s+way\s+(?:you|i)\s+chose )
        [^:：\n]{0,60}? [:：] [*_"']* [^\S\n]*""",
    re.I | re.X | re.M,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "«": "»", "‘": "’"}


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What a reply offers. ``method`` is as the model wrote it, empty where it named none; a version may be
    empty too."""

    intra: str
    inter: str
    method: str


def read_adaptation(reply: str) -> Adaptation | None:
    """The two versions and the strategy in ``reply``, or None where it cannot be told what they are.

    A reply that is nothing but "non-transferable" says so of both versions.
    """
    text = _THINKING.sub("", reply)
    if len(text) > LONGEST:
        return _adaptation(_json(text))
    text = text.replace("\r\n", "\n")
    fenced = _FENCE.search(text)
    if fenced:
        text = fenced[1]
    for answer in _answers(text):
        if is_bare_label(answer.strip(" []\n\t`*\"'")):
            return Adaptation(answer.strip(), answer.strip(), "")
        for layout in LAYOUTS:
            parts = layout(answer)
            if parts is not None:
                return _adaptation(parts)
    return None


def _answers(text: str) -> list[str]:
    """What may hold the answer: the parts of the reply that "Output:" begins, without those about inputs that
    the model made up."""
    text = _FORMAT.sub("", text)
    made_up = _NEXT_INPUT.search(text.lstrip())
    return _NEXT_OUTPUT.split(text.lstrip()[: made_up.start()] if made_up else text)


Parts = tuple[str, str, str]


def _adaptation(parts: Parts | None) -> Adaptation | None:
    if parts is None or not (parts[0].strip() or parts[1].strip()):
        return None
    return Adaptation(*(part.strip() for part in parts))


def _json(text: str) -> Parts | None:
    """A JSON list or object, wherever it begins; line breaks inside strings are let pass."""
    decoder = json.JSONDecoder(strict=False)
    for opening in "[{":
        if opening in text:
            try:
                value, _ = decoder.raw_decode(text, text.index(opening))
            except (ValueError, RecursionError):
                continue
            parts = _from_value(value)
            if parts is not None:
                return parts
    return None


def _python(text: str) -> Parts | None:
    """A Python list, tuple or dictionary of strings."""
    for opening, closing in ("[]", "()", "{}"):
        inside = _between(text, opening, closing)
        if inside is not None:
            try:
                value = ast.literal_eval(f"{opening}{inside}{closing}")
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                continue
            parts = _from_value(value)
            if parts is not None:
                return parts
    return None


def _from_value(value: object) -> Parts | None:
    if isinstance(value, (list, tuple)):
        match [part[0] if isinstance(part, list) and len(part) == 1 else part for part in value]:
            case [only]:
                return _from_value(only)
            case [str(english), str(other), *rest] if all(isinstance(part, str) for part in rest):
                return english, other, ", ".join(rest)
    if isinstance(value, dict):
        fields = {str(name).lower(): part for name, part in value.items() if isinstance(part, str)}
        intra, inter, method = (
            next((part for name, part in fields.items() if name.lstrip("<( ").startswith(stems)), None)
            for stems in (
                ("intra",),
                ("inter",),
                ("method", "strateg", "techni", "adaptation_m", "adaptation m", "adaptation s"),
            )
        )
        if intra is not None and inter is not None:
            return intra, inter, method or ""
    return None


def _labelled(text: str) -> Parts | None:
    """Lines that begin with a label; a text runs on to the next label."""
    labels = list(_LABEL.finditer(text))
    fields: dict[str, str] = {}
    for place, label in enumerate(labels):
        end = labels[place + 1].start() if place + 1 < len(labels) else len(text)
        key = _field(label["name"].lower())
        fields.setdefault(key, _undressed(text[label.end() : end]))
    if "intra" in fields and "inter" in fields:
        return fields["intra"], fields["inter"], fields.get("method", "").split("\n\n")[0]
    return None


def _field(label: str) -> str:
    """Which part a label announces, in the authors' words or in ours."""
    if label.startswith("intra") or re.search(r"sentence\s+in\s+english$", label):
        return "intra"
    return "inter" if label.startswith("inter") or "sentence" in label else "method"


def _table(text: str) -> Parts | None:
    """The last row of a Markdown table with three columns."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if line.strip().startswith("|")
    ]
    if len(rows) >= 3 and len(rows[-1]) == 3:
        return rows[-1][0], rows[-1][1], rows[-1][2]
    return None


def _quoted(text: str) -> Parts | None:
    """A list whose strings are quoted but hold unescaped quotes: cut where a closing quote, a comma and an
    opening quote meet."""
    inner = _inside_brackets(text)
    if inner is None or inner[:1] not in _QUOTES or inner[-1:] != _QUOTES[inner[0]]:
        return None
    opening, closing = inner[0], _QUOTES[inner[0]]
    separator = re.compile(rf"{re.escape(closing)}\s*[,，]\s*{re.escape(opening)}")
    return _three(
        inner[1:-1], separator, lambda part: part.replace(f"\\{closing}", closing), any_strategy=True
    )


def _bracketed_each(text: str) -> Parts | None:
    """Each part in brackets of its own."""
    inner = _inside_brackets(text)
    return None if inner is None else _three(inner, re.compile(r"\]\s*[,，;]?\s*\["), any_strategy=True)


def _bare(text: str) -> Parts | None:
    """One bracket, no quotes, commas in the sentences; without a strategy only where the script changes."""
    inner = _inside_brackets(text)
    if inner is None:
        return None
    comma = re.compile(r"[,，]\s*")
    parts = _three(inner, re.compile(r"[,，]\n+")) or _three(inner, comma, any_strategy=True)
    change = change_of_script(inner, comma) if parts is None else None
    return parts if change is None else (inner[: change[0]], inner[change[1] :], "")


def _lines(text: str) -> Parts | None:
    """One part to a line, numbered or not, the strategy last; a line of introduction ends with a colon."""
    text = re.sub(r"\A\s*[^\n]*[:：]\s*\n+", "", _LEAD.sub("", text))
    return _three(text.strip(), re.compile(r"\n+"), _unnumbered)


LAYOUTS: Sequence[Callable[[str], Parts | None]] = (
    _json,
    _python,
    _labelled,
    _table,
    _bracketed_each,
    _quoted,
    _bare,
    _lines,
)
"""From the most to the least explicit; the first that fits decides."""


def _three(
    text: str, separator: re.Pattern[str], finish: Callable[[str], str] = str, *, any_strategy: bool = False
) -> Parts | None:
    """Cut at ``separator``: the strategy from the end, then the place between the two versions.

    any_strategy: what ends the text may be a strategy that is none of those asked for.
    """
    found = split_off_strategy(text, separator) or (
        split_off_other_strategy(text, separator) if any_strategy else None
    )
    if found is None:
        return None
    versions, method = found
    boundary = boundary_between_versions(versions, separator)
    if boundary is None:
        return None
    return finish(versions[: boundary[0]]), finish(versions[boundary[1] :]), method


def _inside_brackets(text: str) -> str | None:
    inside = _between(text, "[", "]")
    return None if inside is None else inside.strip(" \t")


def _between(text: str, opening: str, closing: str) -> str | None:
    """What stands between the first opening mark and the last closing one."""
    inside, closed, _ = text.partition(opening)[2].rpartition(closing)
    return inside if closed else None


def _unnumbered(line: str) -> str:
    return re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line)


def _undressed(text: str) -> str:
    """Without Markdown emphasis, bullets of the next line, and quotes that enclose the whole."""
    text = re.sub(r"\n\s*(?:[-*•]|\d+\.)?\s*$", "", text.strip()).strip().strip("*_").strip()
    if (
        len(text) > 1
        and _QUOTES.get(text[0]) == text[-1]
        and text[-1] not in text[1:-1]
        and not is_non_transferable(text)
    ):
        return text[1:-1]
    return text
