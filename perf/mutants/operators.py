"""What is planted: most of cosmic-ray's operators, and four of our own for what goes wrong here.

Our own leave out an argument (a run's id in a statement), a term of a condition (one of three reasons), or a
call (an event that is not noted), and turn ``in`` round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import parso
from cosmic_ray.operators import (
    binary_operator_replacement,
    boolean_replacer,
    break_continue,
    comparison_operator_replacement,
    exception_replacer,
    number_replacer,
    unary_operator_replacement,
    zero_iteration_for_loop,
)
from cosmic_ray.operators.operator import Operator

Position = tuple[tuple[int, int], tuple[int, int]]

COMPARISONS = (
    "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt", "Is_IsNot", "IsNot_Is",
)  # fmt: skip
"""Off by one, and turned round; the rest of cosmic-ray's pairs are noticed by whatever runs the line."""

BINARY = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Div",
    "Div_Mul",
    "FloorDiv_Mul",
    "Mod_Mul",
    "Pow_Mul",
    "BitOr_BitAnd",
    "BitAnd_BitOr",
)
UNARY = ("Delete_USub", "Delete_Not", "Delete_Invert")
CONDITIONS = {"where", "filter", "and_", "or_", "any_horizontal", "all_horizontal"}
"""Calls whose positional arguments are terms of a condition."""


class DropArgument(Operator):
    """Leave out a keyword argument of a call, or one of several terms of a ``where``."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where the arguments stand."""
        yield from [
            (node.children[place].start_pos, node.children[place].end_pos) for place in self._places(node)
        ]

    def mutate(self, node: Any, index: int) -> Any:
        """The list without one argument and its comma."""
        place = self._places(node)[index]
        if node.type == "trailer":
            del node.children[place]
            return node
        comma = place + 1 if place + 1 < len(node.children) else place - 1
        node.children = [child for at, child in enumerate(node.children) if at not in (place, comma)]
        return node

    @staticmethod
    def _places(node: Any) -> list[int]:
        if node.type not in ("arglist", "trailer") or node.parent is None:
            return []
        if node.type == "trailer":  # brackets around a single argument
            return [1] if node.children[0] == "(" and _keyword(node.children[1]) else []
        if node.parent.type != "trailer":
            return []
        terms = len(node.children) > 2 and _called(node.parent) in CONDITIONS
        return [
            place
            for place, child in enumerate(node.children)
            if child.type != "operator" and (_keyword(child) or (terms and child.type != "argument"))
        ]

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: tests/perf shows them."""
        return ()


class DropTerm(Operator):
    """Leave out one term of ``and``, ``or``, ``&`` or ``|``."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where the terms stand."""
        if node.type in ("and_test", "or_test", "and_expr", "expr") and {
            child.type for child in node.children[1::2]
        } <= {"keyword", "operator"}:
            yield from [(child.start_pos, child.end_pos) for child in node.children[::2]]

    def mutate(self, node: Any, index: int) -> Any:
        """The condition without one term and the word beside it."""
        gone = (2 * index, 2 * index + 1 if index == 0 else 2 * index - 1)
        first = node.get_first_leaf().prefix
        node.children = [child for at, child in enumerate(node.children) if at not in gone]
        node.get_first_leaf().prefix = first
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: tests/perf shows them."""
        return ()


class DropCall(Operator):
    """Leave out a statement that only calls something."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where the statements stand."""
        if self._only_calls(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """``pass`` in its place."""
        prefix = node.get_first_leaf().prefix
        return parso.parse(f"{prefix}pass")

    @staticmethod
    def _only_calls(node: Any) -> bool:
        if node.type not in ("atom_expr", "await_expr", "power") or node.parent.type != "simple_stmt":
            return False
        last = node.children[-1]
        return last.type == "trailer" and last.children[0] == "("

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: tests/perf shows them."""
        return ()


class NegateMembership(Operator):
    """``in`` becomes ``not in`` and the other way round."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where the words stand."""
        if node.type == "comparison":
            yield from [(child.start_pos, child.end_pos) for child in self._words(node)]

    def mutate(self, node: Any, index: int) -> Any:
        """The comparison turned round."""
        word = self._words(node)[index]
        place = node.children.index(word)
        node.children[place] = parso.parse(" not in" if word.get_code().strip() == "in" else " in")
        return node

    @staticmethod
    def _words(node: Any) -> list[Any]:
        return [child for child in node.children[1::2] if child.get_code().split() in (["in"], ["not", "in"])]

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: tests/perf shows them."""
        return ()


def _keyword(argument: Any) -> bool:
    """Whether an argument of a call is ``name=value``, other than what ``zip`` does anyhow."""
    return (
        argument.type == "argument"
        and bool(argument.children[1] == "=")
        and argument.get_code().strip() != "strict=False"
    )


def _called(trailer: Any) -> str:
    """The last name before the brackets of a call."""
    before = trailer.get_previous_leaf()
    return str(before.value) if before is not None else ""


def operators() -> list[tuple[str, Operator]]:
    """Every operator that is used, with its name."""
    ours = [DropArgument, DropTerm, DropCall, NegateMembership]
    theirs = [
        *(
            getattr(comparison_operator_replacement, f"ReplaceComparisonOperator_{pair}")
            for pair in COMPARISONS
        ),
        *(getattr(binary_operator_replacement, f"ReplaceBinaryOperator_{pair}") for pair in BINARY),
        *(getattr(unary_operator_replacement, f"ReplaceUnaryOperator_{pair}") for pair in UNARY),
        boolean_replacer.AddNot,
        boolean_replacer.ReplaceTrueWithFalse,
        boolean_replacer.ReplaceFalseWithTrue,
        boolean_replacer.ReplaceAndWithOr,
        boolean_replacer.ReplaceOrWithAnd,
        break_continue.ReplaceBreakWithContinue,
        break_continue.ReplaceContinueWithBreak,
        exception_replacer.ExceptionReplacer,
        number_replacer.NumberReplacer,
        zero_iteration_for_loop.ZeroIterationForLoop,
    ]
    return [(operator.__name__, operator()) for operator in [*ours, *theirs]]
