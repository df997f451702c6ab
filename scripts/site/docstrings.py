"""Docstrings of the package, read for the site: lines such as ``limit:  questions at most`` become a list of names."""

from __future__ import annotations

import re
from typing import Any

import griffe

ENTRY = re.compile(r"^(?P<name>\w+): +(?=\S)")


class NamedEntries(griffe.Extension):  # type: ignore[misc] # mypy does not follow what only the site needs
    """Makes Markdown lists of the paragraphs that explain parameters, fields and columns line by line."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = "\n\n".join(
                _listed(paragraph) for paragraph in obj.docstring.value.split("\n\n")
            )


def _listed(paragraph: str) -> str:
    lines = paragraph.splitlines()
    if not lines or not ENTRY.match(lines[0]):
        return paragraph
    return "\n".join(
        ENTRY.sub(r"- `\g<name>`: ", line) if ENTRY.match(line) else f"    {line.strip()}" for line in lines
    )
