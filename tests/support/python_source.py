"""What Python files are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(block: ast.AST) -> Iterator[ast.stmt]:
    """Every statement within, however deep; expressions have none and are not looked into, which is most of the work."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(block, part, ()):
            if isinstance(node, ast.stmt):
                yield node
            yield from statements(node)
