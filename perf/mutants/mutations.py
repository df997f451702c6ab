"""Every mutation of a module, without those that change wording or types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from perf.mutants.operators import operators

Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, order=True)
class Mutation:
    """One small fault: which operator, at which of the places that it could change in a file, and in which
    line (from 1)."""

    path: str
    line: int
    operator: str
    occurrence: int


def mutations(root: Path, path: str) -> list[Mutation]:
    """All mutations of a file, in the order of the operators."""
    source = (root / path).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    kept_out = [*_kept_out(ast.parse(source)), *_marks_of_parameters(nodes)]
    found = []
    for name, operator in operators():
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        found += [
            Mutation(path, place[0][0], name, occurrence)
            for occurrence, place in enumerate(places)
            if not any(first <= place[0] and place[1] <= last for first, last in kept_out)
        ]
    return found


def mutated(root: Path, mutation: Mutation) -> str | None:
    """The file's text with the fault in it; None if that is no Python, or nothing has changed."""
    source = (root / mutation.path).read_text(encoding="utf-8")
    try:
        changed = mutate_code(source, _by_name()[mutation.operator], mutation.occurrence)
    except (
        AttributeError
    ):  # cosmic-ray replaces an exception that is a plain name alone, and not asyncio.CancelledError
        return None
    if changed is None or changed == source:
        return None
    try:
        same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
    except SyntaxError:
        return None
    return None if same else str(changed)


@cache
def _by_name() -> dict[str, object]:
    return dict(operators())


def _kept_out(tree: ast.Module) -> Iterator[Span]:
    """Annotations, what is raised (wording), decorators (dataclass, property), formatted text, imports for
    types, names of types, ``strict=True``.

    The last says of what is zipped that it is of one length, as an assertion would: where it is, no test can
    miss it.
    """
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            every = [
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            ]
            parts = [
                node.returns,
                *node.decorator_list,
                *(argument.annotation for argument in every if argument is not None),
            ]
        elif isinstance(node, ast.ClassDef):
            parts = list(node.decorator_list)
        elif _names_type(node):
            parts = [node]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.Raise):
            parts = [node.exc]
        elif isinstance(node, ast.JoinedStr) or _for_types(node):
            parts = [node]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            parts = [keyword for keyword in node.keywords if ast.unparse(keyword) == "strict=True"]
        for part in parts:
            if part is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)  # type: ignore[attr-defined]


def _marks_of_parameters(nodes: list[Any]) -> Iterator[Span]:
    """The ``*`` and ``/`` between parameters, and the ``*`` before arguments: operators by their look
    alone."""
    for node in nodes:
        if node.type == "operator" and node.parent.type in (
            "parameters",
            "param",
            "lambdef",
            "argument",
            "star_expr",
        ):
            yield node.start_pos, node.end_pos


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _names_type(node: ast.AST) -> bool:
    """Whether a statement names a type for annotations: ``Row = dict[str, Any]``, ``Told = Reply | None``,
    ``T = TypeVar(...)``.

    By its look: the name of a class, and nothing but names, brackets and ``|`` behind it.
    """
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation).endswith("TypeAlias")
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name, value = node.targets[0].id.lstrip("_"), node.value
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).endswith(("TypeVar", "NewType", "ParamSpec"))
    return (
        name[:1].isupper()
        and (len(name) == 1 or not name.isupper())
        and isinstance(value, ast.Subscript | ast.BinOp)
        and all(isinstance(part, _IN_TYPES) for part in ast.walk(value))
    )


_IN_TYPES = (
    ast.Subscript,
    ast.BinOp,
    ast.BitOr,
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.expr_context,
)
