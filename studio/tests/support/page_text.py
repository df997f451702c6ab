"""What a page says and offers, as lines to read: its words, where its links lead, and its forms' fields with what
is asked of them. Without markup, styles, and what is random in each answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "button", "code", "em", "i", "input", "kbd", "mark", "q", "select", "small", "span",
    "strong", "sub", "summary", "sup", "time", "td", "th", "dt", "option", "label", "legend", "textarea", "img", "audio",
})  # fmt: skip
"""Elements that begin no line of their own."""

SILENT = frozenset({"script", "style", "svg", "meta"})
SHOWN = frozenset({
    "href", "action", "method", "enctype", "formaction", "formnovalidate", "name", "type", "value", "required", "checked",
    "selected", "disabled", "readonly", "hidden", "open", "multiple", "accept", "maxlength", "minlength", "min", "max",
    "step", "pattern", "placeholder", "autocomplete", "inputmode", "rows", "src", "alt", "title", "target", "rel", "lang",
    "dir", "role", "colspan", "scope", "controls", "tabindex", "accesskey",
})  # fmt: skip
"""Attributes that somebody meets; those of ARIA and for scripts are shown as well."""

MARKS = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- ", "legend": "", "td": "| ", "th": "| "}
USUAL = {("form", "method", "post"), ("input", "type", "text"), ("bdi", "dir", "auto")}
RANDOM = (
    (re.compile(r'<input type="hidden" name="csrf" value="[^"]+">'), "(csrf)"),
    (re.compile(r' data-csrf="[^"]+"'), ""),
    (re.compile(r"\?v=[0-9a-f]{8}"), ""),
)
"""What no two answers have in common: a form's token; the digest in the address of a file of the studio's own."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in SILENT and tag != "meta":
            self.silent.append(tag)
        if self.silent or tag in ("meta", "link"):
            return
        if tag not in INLINE:
            self.lines.append("")
        told = [
            name if not value or value == name else f"{name}={value}"
            for name, value in attrs
            if (name in SHOWN or name.startswith(("aria-", "data-"))) and (tag, name, value) not in USUAL
        ]
        self.lines[-1] += MARKS.get(tag, "")
        if told or tag in ("form", "input", "select", "textarea", "button"):
            self.lines[-1] += f"<{' '.join([tag, *told])}> "

    def handle_endtag(self, tag: str) -> None:
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.pop()
        elif tag not in INLINE:
            self.lines.append("")
        elif tag in ("td", "th", "dt", "option", "button", "label", "summary", "legend"):
            self.lines[-1] += " "

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.lines[-1] += data


def page_text(html: str) -> list[str]:
    """The lines of a page that have something in them."""
    for pattern, instead in RANDOM:
        html = pattern.sub(instead, html)
    reader = _Reader()
    reader.feed(html)
    return [line for line in (" ".join(line.split()) for line in reader.lines) if line]
