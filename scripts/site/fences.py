"""The fences of our pages, read for the site: ``console no-run`` is a ``console``, ``toml study.toml`` a
block with that title."""

from __future__ import annotations

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

FENCE = re.compile(r"^(?P<start> *```\w+) +(?P<word>no-run|[\w./-]+\.\w+)$")


class Fences(Preprocessor):  # type: ignore[misc] # mypy does not follow what only the site needs
    """Rewrites the first line of a fenced block into what the highlighter knows."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines of a page, with the second words of fences gone or made titles."""
        return [FENCE.sub(_rewritten, line) for line in lines]


def _rewritten(fence: re.Match[str]) -> str:
    return fence["start"] if fence["word"] == "no-run" else f'{fence["start"]} title="{fence["word"]}"'


class FencesExtension(Extension):  # type: ignore[misc]
    """What the site's configuration names."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name that Markdown calls)
        """Put the preprocessor before the one that reads fences (25)."""
        md.preprocessors.register(Fences(md), "folkways-fences", 40)


def makeExtension(**options: object) -> FencesExtension:  # noqa: N802 (the name that Markdown looks for)
    """The extension, as Markdown asks for it."""
    return FencesExtension(**options)
