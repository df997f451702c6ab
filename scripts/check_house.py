"""Check the words and docstrings of the sources: locals that name nothing, dialect in prose, parameters and
errors without a word; and that tests use public names.

    python scripts/check_house.py                # whole house against its bounds: exit code 1 where one is
    exceeded
    python scripts/check_house.py --list PATH    # every place below PATH, one per line
    python scripts/check_house.py --measure PATH # counts alone, for any tree

CONTRIBUTING.md, "Code", has the reasons.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src", ROOT / "studio" / "src")
TESTS = (ROOT / "tests", ROOT / "studio" / "tests")

# Locals that say that something was found, and not what it is.
LOCALS = ("found", "known", "told", "place", "said", "asked", "own", "given", "kept")
# Words and turns of prose that a reader stumbles over.
PHRASES = {
    "told": r"\btold\b",
    "stands": r"\bstands?\b",
    "beside": r"\bbeside\b",
    "is no X": r"\b(?:is|are) no\b(?! longer| more\b| one\b)",
    "behind": r"\bbehind\b",
    "of which": r"\bof which\b",
    "whoever": r"\bwho(?:m)?ever\b",
    "so many": r"\bso many\b",
}
# Private names that tests may use, because other projects have no public ones for them: of Python's asyncio, zipfile
# and os, of pytest, SQLAlchemy's rows and named tuples, Playwright, lm-evaluation-harness, Argilla and Label Studio.
PRIVATE_OF_OTHERS = {
    "_set_running_loop", "_get_compressor", "_exit", "_setupstate", "_mapping", "_replace", "_loop",
    "_index", "_iter_yaml_files", "_models", "_io", "_default_client", "_controls", "_impl_obj",
    "_routes",
}  # fmt: skip
# What is there now: lower a bound when the count has become smaller, and never raise it. On 828b6c7b there were 1,446 such locals, 763 such
# phrases, 326 functions with a parameter that their docstring does not name and 101 with such an error.
BOUNDS = {"locals": 52, "phrases": 71, "parameters": 0, "errors": 0, "private names": 0}


@dataclass(frozen=True)
class Remark:
    """One place that a check is about."""

    check: str
    path: Path
    line: int
    text: str


def remarks_of(path: Path) -> Iterator[Remark]:
    """Every remark on one source file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source, str(path))
    if "tests" in path.parts:
        yield from _private_names(path, tree)
        return
    yield from _locals(path, tree)
    yield from _prose(path, tree, source)
    yield from _docstrings(path, tree)


def _locals(path: Path, tree: ast.Module) -> Iterator[Remark]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in LOCALS:
            yield Remark("locals", path, node.lineno, node.id)


def _private_names(path: Path, tree: ast.Module) -> Iterator[Remark]:
    """What a test reaches for that is not its own: attributes, imports, and texts such as those of monkeypatch."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)):
            continue
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            names = [] if own else [node.attr]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [name for alias in node.names for name in alias.name.split(".")]
            names += (getattr(node, "module", None) or "").split(".")
        elif isinstance(node, ast.Call) and re.search(r"(attr|object|patch)$", ast.unparse(node.func)):
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            names = [name for text in texts if isinstance(text, str) for name in text.split(".")]
        for name in names:
            if re.fullmatch(r"_[a-zA-Z]\w*(?<!_)", name) and name not in PRIVATE_OF_OTHERS:
                yield Remark("private names", path, node.lineno, name)


def _prose(path: Path, tree: ast.Module, source: str) -> Iterator[Remark]:
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        ) and ast.get_docstring(node):
            literal = node.body[0].value  # type: ignore[attr-defined]
            yield from _phrases("docstrings", path, literal.lineno, literal.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _phrases("comments", path, token.start[0], token.string)


def _phrases(check: str, path: Path, line: int, text: str) -> Iterator[Remark]:
    for name, pattern in PHRASES.items():
        for match in re.finditer(pattern, text):
            yield Remark(f"{check}: {name}", path, line + text[: match.start()].count("\n"), name)


def _docstrings(path: Path, tree: ast.Module) -> Iterator[Remark]:
    for function in _public(tree):
        doc = ast.get_docstring(function) or ""
        if not doc or any(_is_command(decorator) for decorator in function.decorator_list):
            continue
        words = set(re.findall(r"\w+", doc))
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        names = [name for name in names if name not in ("self", "cls")]
        unnamed = [name for name in names if name not in words]
        if len(names) >= 4 and unnamed:
            yield Remark(
                "parameters",
                path,
                function.lineno,
                f"{function.name} does not say what these are: {', '.join(unnamed)}",
            )
        if silent := sorted({name for name in _raised(function) if name not in words}):
            yield Remark(
                "errors",
                path,
                function.lineno,
                f"{function.name} raises without saying so: {', '.join(silent)}",
            )


def _public(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            yield node


def _is_command(decorator: ast.expr) -> bool:
    """Whether the docstring is help for somebody at a terminal or a browser."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr in (
        "command",
        "group",
        "get",
        "post",
        "put",
        "delete",
        "patch",
        "route",
    )


def _raised(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Classes of errors that the body itself raises, nested functions left out."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            target = node.exc.func
            name = (
                target.id
                if isinstance(target, ast.Name)
                else target.attr
                if isinstance(target, ast.Attribute)
                else ""
            )
            if name.endswith("Error"):
                yield name
        todo.extend(ast.iter_child_nodes(node))


def main() -> int:
    """Print remarks or counts; 1 where a bound is exceeded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--measure", type=Path, metavar="PATH")
    options = parser.parse_args()
    folders = options.list or ([options.measure] if options.measure else [*SOURCES, *TESTS])
    files = sorted(
        file for folder in folders for file in ([folder] if folder.is_file() else folder.rglob("*.py"))
    )
    remarks = [remark for file in files for remark in remarks_of(file)]
    if options.list:
        for remark in remarks:
            print(f"{remark.path}:{remark.line}: {remark.check}: {remark.text}")
        return 0
    counts = Counter(remark.check for remark in remarks)
    counts["phrases"] = sum(remark.check.startswith(("docstrings", "comments")) for remark in remarks)
    exceeded = {check for check, bound in BOUNDS.items() if counts[check] > bound}
    for check in sorted({*counts, *BOUNDS}):
        if options.measure or check in exceeded:
            print(
                f"{check}: {counts[check]}"
                + (f" where at most {BOUNDS[check]} are allowed" if check in BOUNDS else "")
            )
    if exceeded and not options.measure:
        print("python scripts/check_house.py --list src tests studio shows where", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
