"""What a server sent, made safe to keep and to quote."""

from __future__ import annotations

import re
from collections.abc import Iterable

REPLACEMENT = "\ufffd"

# A lone surrogate has no UTF-8 form, and PostgreSQL refuses NUL in text.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# C0, C1, line and paragraph separators, zero-width and bidirectional controls: they could rewrite the line of
# a terminal.
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+"
)
_THOUGHTS = (
    (r"<think(?:ing)?>", r"</think(?:ing)?>"),
    (r"<thought>", r"</thought>"),  # EXAONE Deep
    (r"<seed:think>", r"</seed:think>"),  # Seed-OSS
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?"),  # Command A
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (  # gpt-oss
        r"<\|channel\|>analysis<\|message\|>",
        r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>",
    ),
)
"""What the thoughts of open models begin and end with, where their server leaves them in the text."""

_BEGINS, _ENDS = ("|".join(f"({mark})" for mark in marks) for marks in zip(*_THOUGHTS, strict=True))
_BEGIN, _BEGINNING, _END = map(re.compile, (_BEGINS, rf"\s*(?:{_BEGINS})", rf"(?:{_ENDS})\s*"))
_PARTS = ("think", "THINK", "<thought>", "</thought>", "<|inner_", "<|channel|>")
"""Every mark has one of them, and few replies do: looking for these is a hundred times faster."""
_END_OF = [re.compile(rf"{end}\s*") for _, end in _THOUGHTS]
_CLOSING = re.compile(r"(?<!\s)\s*<\|(?:END_RESPONSE|return)\|>\s*\Z")
"""What models that mark the beginning of their reply too, as Command A and gpt-oss, end it with."""


def thoughts_apart(text: str, thoughts: str | None = None) -> tuple[str | None, str]:
    """The thoughts that open models put before their reply, between marks such as ``<think>`` and
    ``</think>``, and the reply; None without any.

    thoughts: those that the endpoint sent separately; they come first. Templates that open the mark in the
    prompt leave only its end in the text. Thoughts without an end are all there is: the reply is empty.
    """
    if not any(part in text for part in _PARTS):
        return thoughts, text
    parts, at = [thoughts] if thoughts else [], 0
    if (first := _END.search(text)) and not _BEGIN.search(text, 0, first.start()):
        parts.append(text[: first.start()].strip())
        at = first.end()
    while begun := _BEGINNING.match(text, at):
        ended = _END_OF[(begun.lastindex or 1) - 1].search(text, begun.end())
        parts.append(text[begun.end() : ended.start() if ended else None].strip())
        at = ended.end() if ended else len(text)
    return ("\n\n".join(parts), _CLOSING.sub("", text[at:])) if parts else (None, text)


def storable(text: str) -> str:
    """``text`` with NULs and lone surrogates replaced by U+FFFD, so that every database and file can hold it;
    same length."""
    if text.isascii() and "\0" not in text:  # nearly every text, and much faster to tell
        return text
    return _UNSTORABLE.sub(REPLACEMENT, text)


def scrub(text: str, secrets: Iterable[str]) -> str:
    """``text`` with every secret in it written ``[key]``. Longer secrets go first, so that no part of one
    remains."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, "[key]")
    return text


def quotable(text: str, secrets: Iterable[str] = (), limit: int = 300) -> str:
    """One line of at most ``limit`` characters for an error message: no secrets, no control characters,
    single spaces."""
    line = scrub(" ".join(_CONTROLS.sub(" ", scrub(text, secrets)).split()), secrets)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
