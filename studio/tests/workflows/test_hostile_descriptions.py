"""Descriptions that somebody wrote to do harm, or by mistake: refused at once, with the line, whatever the
position."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

from folkways.errors import DataError
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import TEMPLATES, template_text
from folkways_studio.workflows.yaml_text import DEEPEST, LONGEST, MOST_VALUES, as_json, as_yaml, parse_yaml

VALUES = ([["x"]], {"a": "b"}, {"a": ["x"]}, ["x", {"y": 1}], None, 7, 1.5, -1, True, "", [], {})
OFTEN = ({"a": ["x"]}, ["x", {"y": 1}], None, -1, "")
"""One of each sort, tried on every run; the others at night."""

MORE = {
    "prolific": {"completed": "ABC", "screened_out": 12, "no_work": "GHI", "signed": True},
    "pay": {"per_hour": 9.5, "per_answer": 1, "currency": "EUR"},
    "models": {
        "helper": "h",
        "verifier": "v",
        "suggester": "s",
        "most_calls": 5,
        "most_calls_per_person": 2,
        "most_usd": 1.5,
    },
}
"""Settings that no template has."""


def bomb(depth: int) -> str:
    """Lists of ten aliases of lists of ten aliases ...: 10 ** depth texts."""
    lists = [f"- &c0 [{', '.join('x' * 10)}]"]
    lists += [f"- &c{level} [{', '.join([f'*c{level - 1}'] * 10)}]" for level in range(1, depth)]
    return "\n".join(lists)


def test_aliases_may_be_used_and_not_multiplied() -> None:
    assert parse_yaml("a: &a [x, y]\nb: *a\nc: [*a, *a]") == {
        "a": ["x", "y"],
        "b": ["x", "y"],
        "c": [["x", "y"]] * 2,
    }
    assert len(parse_yaml(bomb(3))) == 3
    before = time.process_time()
    for depth in (5, 8, 9, 30):
        with pytest.raises(
            DataError, match=r"in line 5, column \d+: there are more than 20,000 values, aliases written out"
        ):
            parse_yaml(bomb(depth))
    assert time.process_time() - before < 1


def test_what_is_counted_is_what_would_be_built() -> None:
    """One more than may be, of each bound, however it is written."""
    values = MOST_VALUES - 1  # beside the outermost list itself
    assert len(parse_yaml(f"[{','.join('1' * values)}]")) == values
    with pytest.raises(DataError, match="20,000 values"):
        parse_yaml(f"[{','.join('1' * (values + 1))}]")
    assert parse_yaml("[" * DEEPEST + "]" * DEEPEST)
    deeper = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)
    half = DEEPEST // 2
    for text in (deeper, f"a: &a {'[' * half}{']' * half}\nb: {'[' * (half + 1)}*a{']' * (half + 1)}"):
        with pytest.raises(DataError, match="more than 50 lists and mappings stand in one another"):
            parse_yaml(text)
    with pytest.raises(DataError, match="200,000 characters, aliases written out"):
        parse_yaml(f"a: &a {'x' * 50_000}\nb: [{', '.join(['*a'] * 4)}]")
    with pytest.raises(DataError, match=r"is too long: 200,001 characters"):
        parse_yaml("x" * (LONGEST + 1))


def test_a_large_description_is_read_quickly() -> None:
    """199 kB took 20 s."""
    text = "\n".join(f"- {{name: a{number}, text: {'x' * 70}}}" for number in range(2000))
    before = time.process_time()
    assert len(parse_yaml(text)) == 2000
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("2026-13-45", 'a date is a text here; put it in quotes: "2026-13-45"'),
        ("2026-11-23", "a date is a text here"),
        ("9" * 5000, "at most 15 digits"),
        ("0x" + "f" * 40, "at most 15 digits"),
        ("1_000_000_000_000_000", "at most 15 digits"),
        (".nan", "has to be finite"),
        ("-.inf", "has to be finite"),
        ("1.0e+400", "has to be finite"),
        (f"1.{'0' * 5000}", "has to be finite"),
        ('"a\\0b"', "the character NUL"),
        ('"\\uD800"', "invalid Unicode character escape code"),
        ("\ud800", "half a character"),
        ("&a [x, *a]", r"the alias \*a stands for itself"),
        ("&a {b: {c: *a}}", r"the alias \*a stands for itself"),
        ("*nobody", "undefined alias"),
        (
            "!!python/object/apply:os.system [ls]",
            "there is no place for tag:yaml.org,2002:python/object/apply:os.system",
        ),
        ("!!binary aGk=", "there is no place for"),
        ("!!set {a, b}", "there is no place for"),
        ("{[a]: b}", "unhashable key"),
        ("[", "did not find expected node content"),
    ],
)
def test_what_has_no_place_in_a_description_is_named_with_its_line(value: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"is not valid YAML in line [234].*{message}"):
        parse_yaml(f"title: fine\n\nlicence: {value}\n")


@pytest.mark.parametrize(("text", "line"), [("\ud800", 1), ("a: 1\n\nb: \udfff\nc: \ud800", 3)])
def test_half_a_character_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(DataError, match=f"is not valid YAML in line {line}: half a character"):
        parse_yaml(text)


def test_scalars_are_what_json_would_read() -> None:
    text = "{a: 999999999999999, b: -1.5, c: yes, d: ~, e: '2026-13-45', f: 12:30, g: 10:30.5, h: 0x1f}"
    expected = {
        "a": 999999999999999,
        "b": -1.5,
        "c": True,
        "d": None,
        "e": "2026-13-45",
        "f": "12:30",
        "g": "10:30.5",
        "h": 31,
    }
    assert parse_yaml(text) == expected


def test_the_json_of_a_request_is_within_the_same_bounds() -> None:
    raw = {
        "a": ['"quoted"\n\t\\', "\x7f \x85 \u2028 \ufeff 😀 제목", "2026-13-45", "yes", "~", "1"],
        "b": [1, 1.5, True, None],
    }
    assert parse_yaml(as_json(raw)) == raw
    deep: Any = []
    for _ in range(800):
        deep = [deep]
    hostile = ({"a": "\0"}, {"a": "\ud800"}, {"a": 10**30}, {"a": deep}, {"a": ["x"] * 30_000})
    for each in hostile:
        with pytest.raises(DataError):
            parse_yaml(as_json(each))
    with pytest.raises(DataError):
        as_json({"a": _deep(100_000)})
    assert parse_yaml(as_json({"a": json.loads("NaN")})) == {"a": "NaN"}  # which is no number any more


def _deep(levels: int) -> Any:
    made: Any = []
    for _ in range(levels):
        made = [made]
    return made


def positions(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a description."""
    if at:
        yield at
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        yield from positions(entry, (*at, key))


def shape(value: Any, place: tuple[Any, ...]) -> tuple[Any, ...]:
    """A place by the names on its way and by the sort of what is there; an entry of a list is what it says that it
    is, and not its number."""
    names = []
    for key in place:
        value = value[key]
        entry = value if isinstance(value, dict) else {}
        names.append(key if isinstance(key, str) else entry.get("kind", entry.get("type")))
    return (*names, type(value))


@cache
def descriptions() -> dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]]:
    """Template -> its description, with every setting that there is, and its places of a shape that no template
    before it has."""
    seen: set[tuple[Any, ...]] = set()
    found: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {}
    for name in TEMPLATES:
        raw = {**parse_yaml(template_text(name)), **MORE}
        shapes = {shape(raw, place): place for place in positions(raw)}
        found[name] = raw, [place for each, place in shapes.items() if each not in seen]
        seen |= shapes.keys()
    return found


def refusals(raw: dict[str, Any], places: Iterable[tuple[Any, ...]], values: Iterable[Any] = VALUES) -> int:
    """How many wrong values in these places are refused, in words; the others make a study, which can be written
    again, and none does anything else."""
    assert read_definition(raw).raw == raw
    refused = 0
    for place in places:
        for value in values:
            changed = copy.deepcopy(raw)
            parent = changed
            for key in place[:-1]:
                parent = parent[key]
            parent[place[-1]] = value
            try:
                made = read_definition(changed)
            except DataError as error:
                assert str(error)
                refused += 1
                continue
            assert parse_yaml(as_yaml(made.raw)) == made.raw, (place, value)
    return refused


@pytest.mark.parametrize("name", TEMPLATES)
def test_whatever_stands_in_any_place_makes_a_study_or_is_refused_in_words(name: str) -> None:
    raw, places = descriptions()[name]
    assert refusals(raw, places, OFTEN) > 0 or not places


@pytest.mark.nightly
@pytest.mark.parametrize("name", TEMPLATES)
def test_whatever_stands_in_any_place_of_any_template_makes_a_study_or_is_refused_in_words(name: str) -> None:
    raw, _ = descriptions()[name]
    assert refusals(raw, positions(raw)) > 100


@pytest.mark.parametrize("key", ["accept", "options"])
def test_what_people_answer_is_texts_and_numbers(key: str) -> None:
    raw = parse_yaml(template_text("verification"))
    criterion = raw["populations"][0]["criteria"][0]
    for value in ([["x"]], [{"a": ["b"]}], [None], [["x", ["y"]]]):
        criterion.pop("options", None)
        criterion.pop("accept", None)
        criterion[key] = value
        with pytest.raises(DataError, match=rf"criteria\[0\]\.{key}"):
            read_definition(raw)
    criterion[key] = ["British", 7]
    assert read_definition(raw)
