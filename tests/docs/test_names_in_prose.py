"""Docstrings and comments name modules, functions and files that exist."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from folkways import plugins
from tests.support.changed_files import nightly_unless_changed
from tests.support.doc_pages import REPOSITORY
from tests.support.python_source import statements

pytestmark = nightly_unless_changed("src/", "studio/src/", "pyproject.toml", "studio/pyproject.toml")

SOURCES = (REPOSITORY / "src", REPOSITORY / "studio" / "src")
DOTTED = re.compile(r"(?<![\w./@*-])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w/@-]|\.\w)")
PATH = re.compile(r"(?<![\w./-])((?:[\w-]+/)+[\w-]+\.py)\b")
ENDINGS = re.compile(r"\.(cpp|csv|js|db|jsonl?|md|np[yz]|py|toml|txt|yaml)$")
EXAMPLES = {"greetings", "markets"}
"""Packages that documentation writes for its readers."""
OTHERS = {
    "chat.completions.create",
    "general.sampling",
    "google.rpc.RetryInfo",
    "item.done",
    *(point.group for point in plugins.EXTENSION_POINTS),
}
"""Names in other people's interfaces, and of entry points."""


@dataclass
class Sources:
    """modules: dotted name -> its words. prose: (file, line, text) of docstrings and comments. code: the
    rest."""

    modules: dict[str, frozenset[str]] = field(default_factory=dict)
    prose: list[tuple[Path, int, str]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


STRING_OR_COMMENT = re.compile(
    r'(?P<quote>"""|\'\'\')(?:\\.|(?!(?P=quote)).)*(?P=quote)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*',
    re.DOTALL,
)
"""As Python 3.11 has them, in which no string holds its own quotes: tokenize takes ten times as long."""


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that are statements: docstrings, also those of constants."""
    for node in statements(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


def split(text: str) -> tuple[list[tuple[int, str]], str]:
    """The docstrings and comments of a file, each with its line, and the code without them."""
    literals = {each.lineno: str(each.value) for each in docstrings(ast.parse(text))}
    prose, code, end, line = [*literals.items()], "", 0, 1
    for match in STRING_OR_COMMENT.finditer(text):
        line += text.count("\n", end, match.start())
        code += text[end : match.start()]
        if match[0].startswith("#"):
            prose.append((line, match[0]))
        elif line not in literals:
            code += match[0]
        line += match[0].count("\n")
        end = match.end()
    return prose, code + text[end:]


@cache
def sources() -> Sources:
    read = Sources()
    for root in SOURCES:
        for path in root.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            parts = path.relative_to(root).with_suffix("").parts
            read.modules[".".join(parts).removesuffix(".__init__")] = frozenset(re.findall(r"\w+", text))
            prose, code = split(text)
            read.prose += [(path, *each) for each in prose]
            read.code.append(code)
    for project in (REPOSITORY / "pyproject.toml", REPOSITORY / "studio" / "pyproject.toml"):
        for number, line in enumerate(project.read_text(encoding="utf-8").splitlines(), 1):
            read.prose.append((project, number, line.partition("#")[2]))
    return read


def is_ours(name: str) -> bool:
    """Whether a module ends in the name, or has what the name ends in."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:end]), parts[end:]
        for module, words in sources().modules.items():
            if f".{module}".endswith(f".{head}") and words.issuperset(rest):
                return True
    return (REPOSITORY / Path(*parts)).exists()


@cache
def in_code() -> tuple[str, frozenset[str], frozenset[str]]:
    """The code without its prose, its words, and the first parts of all that is imported."""
    code = "\n".join(sources().code)
    imported = frozenset(re.findall(r"(?m)^\s*(?:from|import) (\w+)", code)) - {"folkways", "folkways_studio"}
    return re.sub(r"\n\s+\.(?=\w)", ".", code), frozenset(re.findall(r"\w+", code)), imported


def is_known(name: str) -> bool:
    """Whether a dotted name is one of ours, of a library, of a file, or in the code as it is."""
    first, last = name.split(".")[0], name.rsplit(".")[-1]
    code, words, imported = in_code()
    return (
        ENDINGS.search(name) is not None
        or name in OTHERS
        or first in EXAMPLES
        or hasattr(builtins, first)
        or first in imported
        or (first[0].isupper() and {first, last} <= words)
        or is_ours(name)
        or name in code
    )


def test_what_prose_names_exists() -> None:
    names = {
        (name, f"{path.relative_to(REPOSITORY)}:{line}")
        for path, line, text in sources().prose
        for name in DOTTED.findall(text)
    }
    unknown = {name for name in {name for name, _ in names} if not is_known(name)}
    assert sorted(f"{where}: {name}" for name, where in names if name in unknown) == []


def test_files_that_prose_names_exist() -> None:
    roots = (
        REPOSITORY,
        REPOSITORY / "src" / "folkways",
        REPOSITORY / "studio",
        SOURCES[1] / "folkways_studio",
    )
    missing = [
        f"{path.relative_to(REPOSITORY)}:{line}: {name}"
        for path, line, text in sources().prose
        for name in PATH.findall(text)
        if name.split("/")[0] not in EXAMPLES and not any((root / name).exists() for root in roots)
    ]
    assert missing == []


def test_a_module_that_moved_would_be_found() -> None:
    assert is_known("workspace.schema") and is_known("intervals.wilson")
    for stale in (
        "workspace.request_queue",
        "intervals.wilsonian",
        "services.people.accounts",
        "folkways.gone",
    ):
        assert not is_known(stale), stale
