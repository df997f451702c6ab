"""Shows text that others wrote without letting it act on the terminal."""

from __future__ import annotations

import unicodedata

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HARMFUL = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, formats (bidi, zero width), surrogates, unassigned, separators


def printable(text: str, width: int | None = None) -> str:
    """``text`` on one line: characters that move the cursor, colour, reorder or hide are written as escapes.

    ``width`` shortens to that many characters, the last of them an ellipsis.
    """
    shown = "".join(_SHORT.get(char) or (_escaped(char) if unicodedata.category(char) in _HARMFUL else char) for char in text)
    return shown if width is None or len(shown) <= width else shown[: width - 1] + "…"


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
