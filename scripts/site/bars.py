"""Bars in the code of our tables, ``FILE\\|DIR``: GitHub takes the backslash away, the site's Markdown leaves it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString


class Bars(Treeprocessor):  # type: ignore[misc] # mypy does not follow what only the site needs
    """Takes the backslash before each bar in the code of a cell."""

    def run(self, root: Element) -> None:
        """Change the text of the code in place."""
        for cell in (*root.iter("td"), *root.iter("th")):
            for code in cell.iter("code"):
                code.text = AtomicString((code.text or "").replace("\\|", "|"))


class BarsExtension(Extension):  # type: ignore[misc]
    """What the site's configuration names."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name that Markdown calls)
        """Put the processor after the one that finds code in text (20)."""
        md.treeprocessors.register(Bars(md), "folkways-bars", 15)


def makeExtension(**options: object) -> BarsExtension:  # noqa: N802 (the name that Markdown looks for)
    """The extension, as Markdown asks for it."""
    return BarsExtension(**options)
