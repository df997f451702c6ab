"""Messages about names that folkways does not know: few names in full, of many the closest and the command
that lists them."""

from __future__ import annotations

import pytest

from folkways.errors import MOST_LISTED, UnknownNameError

MANY = [f"bench{number:02}/mcq" for number in range(MOST_LISTED + 1)]


@pytest.mark.parametrize(
    ("kind", "name", "valid", "message"),
    [
        ("task", "b", ["c", "a"], "unknown task 'b'\nvalid: a, c"),
        ("task", "x", [], "unknown task 'x'\nvalid: (none)"),
        ("task or benchmark", "bench1/mcq", MANY, "did you mean 'bench"),
        (
            "culture",
            "??",
            MANY,
            f"unknown culture '??'\nvalid: {len(MANY)} names; folkways cultures lists them",
        ),
        (
            "table",
            "bench1/mcq",
            MANY,
            f"valid: {', '.join(MANY)}",
        ),  # no command lists the tables of a benchmark
    ],
)
def test_few_valid_names_are_all_given(kind: str, name: str, valid: list[str], message: str) -> None:
    assert message in str(UnknownNameError(kind, name, valid))


def test_of_many_names_the_closest_come_first_and_none_is_lost_to_programs() -> None:
    error = UnknownNameError("release", "bench07/mc", MANY, hint="the hint")
    first, listed, hint = str(error).splitlines()
    assert first == "unknown release 'bench07/mc'; did you mean 'bench07/mcq'?"
    assert listed.startswith("valid: bench07/mcq, ") and listed.endswith(
        ", and 16 more; folkways data list lists them"
    )
    assert hint == "the hint"
    assert error.valid == MANY
    all_that_fit = MANY[:MOST_LISTED]
    assert f"valid: {', '.join(all_that_fit)}" in str(UnknownNameError("release", "x", all_that_fit))


def test_valid_names_with_numbers_are_in_the_order_of_the_numbers() -> None:
    in_order = ["1", "2", "10", "9" * 5000, "a", "a9b3", "a10b", "a10b2", "b"]
    assert UnknownNameError("table", "x", reversed(in_order)).valid == in_order
