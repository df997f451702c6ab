"""The interface's strings: every translatable text of its templates and code, and where it is shown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import yaml
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.extract import extract_python as babel_extract_python

from folkways_studio.stages.registry import TEXTS
from folkways_studio.translation.catalogues import first
from folkways_studio.web.rendering.i18n import terms

STUDIO = Path(__file__).parents[1]
ANSWERING = (
    *(f"web/templates/{name}.html.j2" for name in ("base", "draft", "parts", "problem")),
    *(
        "stages/",
        "work/templates/",
        "work/pages.py",
        "work/guideline_pages.py",
        "work/training.py",
        "work/sent_pages.py",
        "work/suggestion_pages.py",
        "work/categories.py",
        "work/corrections.py",
        "work/drafts.py",
        "work/judgements.py",
        "work/leases.py",
        "work/suggestions.py",
    ),
    *(f"models/{name}.py" for name in ("pages", "modelling", "redteaming", "suggesting")),
    *("people/entry_pages.py", "people/templates/withdraw.html.j2"),
    *(
        f"people/templates/{name}.html.j2"
        for name in (
            "code",
            "consent",
            "done",
            "eligibility",
            "excluded",
            "invitation",
            "left",
            "offer",
            "offered",
        )
    ),
)
"""Sources of the strings that are shown to people who answer."""

METHODS = [
    ("**/templates/**.j2", "jinja2.ext:babel_extract"),
    ("stages/kinds/**.yaml", "folkways_studio.translation.strings:extract_kind"),
    ("**.py", "folkways_studio.translation.strings:extract_python"),
]
ERRORS = ("BusyError", "ConflictError", "InviteError", "NotAllowedError", "NotFoundError", "UnfitError")
"""Their messages are shown in the reader's language."""

KEYWORDS = {**DEFAULT_KEYWORDS, "translate": None, "Message": None, **dict.fromkeys(ERRORS)}
OPTIONS = {
    "**/templates/**.j2": {
        "trimmed": "true",
        "newstyle_gettext": "true",
        "extensions": "jinja2.ext.do",
        "silent": "false",
    }
}


def extract_python(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Any, options: Any
) -> Iterator[tuple[Any, ...]]:
    """Babel's extractor for Python, without f-strings: no part of them can be translated, and from Python
    3.12 on Babel takes texts out of them.

    file: the module. keywords, comment_tags, options: Babel's.
    """
    source = file.read()
    # Two of three modules call none of them, and to read a module token by token takes long.
    if not re.search(rf"\b({'|'.join(keywords)})\s*\(".encode(), source):
        return
    lines = source.splitlines(keepends=True)
    for node in sorted(_formatted(ast.parse(source)), key=lambda node: (-node.lineno, -node.col_offset)):
        first_line, last_line = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rest = lines[last_line][node.end_col_offset :]
        breaks = b"\n" * (last_line - first_line)
        lines[first_line : last_line + 1] = [lines[first_line][: node.col_offset] + b"0" + breaks + rest]
    yield from babel_extract_python(BytesIO(b"".join(lines)), keywords, comment_tags, options)


def _formatted(tree: ast.AST) -> Iterator[ast.JoinedStr]:
    """The f-strings of a tree, without those in others."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.JoinedStr):
            yield node
        else:
            nodes.extend(ast.iter_child_nodes(node))


def extract_kind(
    file: IO[bytes], keywords: object, comment_tags: object, options: object
) -> Iterator[tuple[int, str, str, list[str]]]:
    """Babel's extractor for the descriptions of kinds of stages: the TEXTS of what they show and ask.

    file: the description. keywords, comment_tags, options: Babel's, unused.
    """
    tree = yaml.compose(file, Loader=yaml.CSafeLoader)
    for key, node in tree.value if isinstance(tree, yaml.MappingNode) else ():
        if key.value in ("show", "ask"):
            yield from _texts_in(node)


def _texts_in(node: yaml.Node) -> Iterator[tuple[int, str, str, list[str]]]:
    if isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _texts_in(entry)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value in TEXTS and isinstance(value, yaml.ScalarNode):
                yield value.start_mark.line + 1, "Message", value.value, []
            else:
                yield from _texts_in(value)


@dataclass(frozen=True, slots=True)
class Appearance:
    """One place of a string: its file, and the strings before and after it (empty at an end)."""

    file: str
    before: str
    after: str

    @property
    def answering(self) -> bool:
        """Whether it is shown to people who answer."""
        return self.file.startswith(ANSWERING)


def template() -> Catalog:
    """Every string of the interface with its locations."""
    catalog = Catalog(project="folkways", copyright_holder="the folkways developers", charset="utf-8")
    for name, line, message, comments, context in _extracted():
        catalog.add(message, None, [(Path(name).as_posix(), line)], auto_comments=comments, context=context)
    for term in sorted(terms()):
        catalog.add(term)
    return catalog


@cache
def _extracted() -> tuple[Any, ...]:
    """What Babel finds in the sources, which takes two seconds: they do not change under a process."""
    return tuple(extract_from_dir(STUDIO, METHODS, OPTIONS, KEYWORDS))


def appearances(catalog: Catalog) -> Mapping[str, Appearance]:
    """String (the singular of a plural) -> its first location; files shown to people who answer come
    first."""
    files: dict[str, list[tuple[int, str]]] = {}
    for message in catalog:
        for file, line in message.locations:
            files.setdefault(file, []).append((line or 0, first(message.id)))
    shown: dict[str, Appearance] = {}
    for file, lines in sorted(files.items(), key=lambda each: (not each[0].startswith(ANSWERING), each[0])):
        for before, text, after in _neighbours([text for _, text in sorted(lines)]):
            shown.setdefault(text, Appearance(file, before, after))
    return shown


def _neighbours(texts: list[str]) -> Iterator[tuple[str, str, str]]:
    return zip(["", *texts], texts, [*texts[1:], ""], strict=False)
