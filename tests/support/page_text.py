"""What a page says and offers, as lines to read: its words, where its links lead, and its forms' fields with what
is asked of them. Without markup, styles, and what is random in each answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from html.parser import HTMLParser

INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "button", "code", "em", "i", "input", "kbd", "mark", "q", "select", "small", "span",
    "strong", "sub", "summary", "sup", "time", "td", "th", "dt", "label", "legend", "textarea", "img", "audio",
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

MOST_LINES = 9
"""A longer text to be edited, such as the description of a study, is shown by its first line and its length."""

MARKS = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- ", "legend": "", "td": "| ", "th": "| "}
USUAL = {("form", "method", "post"), ("input", "type", "text"), ("bdi", "dir", "auto")}
RANDOM = (
    (re.compile(r'<input type="hidden" name="csrf" value="[^"]+">'), "(csrf)"),
    (re.compile(r' data-csrf="[^"]+"'), ""),
    (re.compile(r"\?v=[0-9a-f]{8}"), ""),
    (re.compile(r"/tasks/\d+"), "/tasks/NUMBER"),
    (re.compile(r'(name="(?:key|task)" value=")[^"]+'), r"\1KEY"),
)
"""What no two answers have in common: a form's token; the digest in the address of a file of the studio's own; the
number and the key of a task."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.silent: list[str] = []
        self.writing = self.in_nav = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in SILENT and tag != "meta":
            self.silent.append(tag)
        if self.silent or tag in ("meta", "link"):
            return
        if tag not in INLINE or (self.in_nav and tag == "a"):
            self.lines.append("")
        self.in_nav = self.in_nav or tag == "nav"
        self.writing = self.writing or tag == "textarea"
        told = [
            name if not value else f"{name}={value}"
            for name, value in attrs
            if (name in SHOWN or name.startswith(("aria-", "data-"))) and (tag, name, value) not in USUAL
        ]
        if told or tag in ("form", "input", "select", "textarea", "button"):
            self.lines[-1] += f"<{' '.join([tag, *told])}> "
        self.lines[-1] += MARKS.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        self.writing = self.writing and tag != "textarea"
        self.in_nav = self.in_nav and tag != "nav"
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.pop()
        elif tag not in INLINE:
            self.lines.append("")
        elif tag in ("td", "th", "dt", "button", "label", "summary", "legend"):
            self.lines[-1] += " "

    def handle_data(self, data: str) -> None:
        if not self.silent:
            lines = data.strip().splitlines()
            long = self.writing and len(lines) > MOST_LINES
            self.lines[-1] += f"{lines[0]} … {len(lines)} lines" if long else data


class _Buttons(HTMLParser):
    """Of each form in which a line is typed, the first button that sends it."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, str | None] | None = None
        self.typed = False
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        kind = told.get("type") or {"input": "text", "button": "submit"}.get(tag, "")
        if tag == "form":
            self.first, self.typed = None, False
        elif tag == "input" and kind in ("text", "search", "email", "url", "number", "password"):
            self.typed = True
        elif tag in ("input", "button") and kind == "submit" and "form" not in told and self.first is None:
            self.first = told

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.typed and self.first is not None:
            self.found.append(self.first)


def astray(html: str) -> list[dict[str, str | None]]:
    """The buttons that Enter in a line presses though they send something else than what the form is for."""
    reader = _Buttons()
    reader.feed(html)
    return [each for each in reader.found if each.keys() & {"name", "formaction", "data-confirm"}]


def page_text(html: str, *, frame: bool = False) -> list[str]:
    """The lines of a page that have something in them: its title and its main part, or also the frame around it."""
    if not frame:
        title, main = html.partition("</title>")[0], html.partition("<main")[2].partition("</main>")[0]
        html = f"{title}</title><main{main}"
    for pattern, instead in RANDOM:
        html = pattern.sub(instead, html)
    reader = _Reader()
    reader.feed(html)
    return [line for line in (" ".join(line.split()) for line in reader.lines) if line]


def what_differs(pages: Mapping[str, Sequence[str]]) -> str:
    """Pages one below the other, each with its name; ⋮ where a page says the same as the one above that it is most
    like, which is named."""
    text = []
    words = {name: Counter(lines) for name, lines in pages.items()}
    above: list[str] = []
    for name, lines in pages.items():
        like = max(above, key=lambda other: (words[other] & words[name]).total(), default=None)
        text += ["", f"=== {name}" + (f" (as {like})" if like is not None else "")]
        before = pages[like] if like is not None else []
        for kind, _, _, start, end in SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
            if kind == "delete":
                text.append("(less)")
            text += ["⋮"] if kind == "equal" else lines[start:end]
        above.append(name)
    return "\n".join(text).lstrip("\n") + "\n"
