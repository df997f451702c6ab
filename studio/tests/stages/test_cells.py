"""Answers to the parts of a form as cells of a spreadsheet: whatever is written by the rule is read as the
same answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from folkways_studio.errors import SubmissionError
from folkways_studio.stages.fields import said
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import UnfitError, values_of
from folkways_studio.stages.parts.cell_texts import shortened
from folkways_studio.stages.parts.cells import CELLS
from folkways_studio.stages.parts.sheets import form_sheet

SHORT = st.text("ab;=\"\n 'é1-,A", min_size=1, max_size=6).map(str.strip).filter(bool)
WORDS = st.text('aB é字🍲 \n-;=%"\u0301\u200f[]{}<>', max_size=40)
DISHES = {"dishes": ["soup", "broth", "fish; fried", 'a 5" pie']}
CONTENT = {"text": "In der Küche 🍲 essen, in der Küche!", "one": "Tea?", "two": "Sit down!", **DISHES}


def part_of(kind: str, **settings: Any) -> dict[str, Any]:
    return {"key": "it", "type": kind, "label": "What?", **settings}


def read(part: Mapping[str, Any], cell: str, content: Mapping[str, Any] = CONTENT) -> Any:
    """The answer in a cell, None where it says that there is none."""
    return form_sheet({"show": [], "ask": [part]}, str).read({"it": cell}, content)["answers"].get("it")


def listed(things: list[str]) -> str:
    return "; ".join(CELLS["several"].shown(part_of("several", options_from="x"), {"x": things}).values())


@st.composite
def options(draw: st.DrawFn) -> list[Any]:
    """Options with words that may be those of others."""
    values = draw(st.lists(SHORT, min_size=2, max_size=5, unique=True))
    labels = [draw(st.none() | SHORT | st.fixed_dictionaries({"en": SHORT, "ar": SHORT})) for _ in values]
    return [
        value if label is None else {"value": value, "label": label}
        for value, label in zip(values, labels, strict=True)
    ]


@given(options(), st.sampled_from(["en", "ar"]), st.data())
@example([{"value": "a", "label": "b"}, {"value": "b", "label": "a"}], "en", None)
def test_every_option_is_read_of_its_own_words(
    found: list[Any], language: str, data: st.DataObject | None
) -> None:
    def say(words: Any) -> str:
        return words[language] if isinstance(words, Mapping) else words

    part = part_of("choice", options=found)
    words = CELLS["choice"].words(part, {}, say)
    assert list(words) == values_of(part, {})
    for value, cell in words.items():
        assert read(part, cell) == value
    chosen = (
        [*words] if data is None else data.draw(st.lists(st.sampled_from([*words]), min_size=1, unique=True))
    )
    cell = listed([words[value] for value in chosen])
    assert read({**part, "type": "several"}, cell) == [value for value in words if value in chosen]


@given(st.lists(SHORT, min_size=2, max_size=6, unique=True), st.data())
def test_orders_and_groups(found: list[str], data: st.DataObject) -> None:
    content, settings = {"things": found}, {"options_from": "things"}
    order = data.draw(st.permutations(found))
    assert read(part_of("ranking", **settings), listed(order), content) == order
    assert read(part_of("ranking", **settings), "\n".join(listed([each]) for each in order), content) == order
    numbers = data.draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found)))
    groups = [
        [each for each, number in zip(found, numbers, strict=True) if number == group]
        for group in dict.fromkeys(numbers)
    ]
    cell = " ; ".join("=".join(listed([each]) for each in group) for group in groups)
    assert read(part_of("grouping", **settings), cell, content) == groups


@given(st.integers(-5, 5), st.integers(1, 10), st.data())
def test_points_of_a_scale(least: int, more: int, data: st.DataObject) -> None:
    part = part_of(
        "scale", least=least, most=least + more, ends=["Not at all", {"en": "entirely", "ar": "تماما"}]
    )
    point = data.draw(st.integers(least, least + more))
    assert read(part, str(point)) == point
    assert [read(part, cell) for cell in (" not AT all", "Entirely", "تماما")] == [
        least,
        least + more,
        least + more,
    ]


@given(st.floats(-1e14, 1e14) | st.integers(-(10**14), 10**14).map(float))
@example(-0.00001)
def test_numbers(number: float) -> None:
    assert read(part_of("number"), str(number)) == number


@given(WORDS.map(said).filter(bool))
@example("-")
@example("=1; 2")
def test_words_of_ones_own(words: str) -> None:
    assert read(part_of("text"), words) == words


@given(st.lists(SHORT.filter(lambda text: text != "-"), min_size=1, max_size=3, unique=True))
def test_a_few_texts_of_ones_own(found: list[str]) -> None:
    assert (
        read(part_of("texts"), listed(found))
        == read(part_of("texts"), "\n".join(listed([each]) for each in found))
        == found
    )


@given(WORDS, st.lists(st.integers(0, 40), max_size=6))
@example("a [b] {c} <d>", [0, 1, 2, 5])
@example("ab", [0, 1, 1, 2])
def test_marks(text: str, ends: list[int]) -> None:
    """Whatever brackets the text has itself."""
    ends = sorted(min(end, len(text)) for end in ends[: len(ends) // 2 * 2])
    part, content = part_of("spans", of="text", required=False), {"text": text}
    try:
        marks = PART_TYPES["spans"].clean(
            [*map(list, zip(ends[::2], ends[1::2], strict=True))], part, content
        )
    except UnfitError:
        assume(False)
    how = CELLS["spans"].how(part, content, str)
    pair = how.split(", with ")[1].split(" around")[0].split()
    cell = text
    for start, end, words in reversed(marks):
        cell = f"{cell[:start]}{pair[0]}{words}{pair[1]}{cell[end:]}"
    assert read(part, cell if cell.strip() else "-", content) == (
        marks or (None if not cell.strip() or cell.strip() in "-–—" else [])
    )


@pytest.mark.parametrize("order", ["somebody", "else", "third"])
def test_a_pair_is_read_in_the_order_in_which_it_is_shown(order: str) -> None:
    part, content = part_of("pairwise", between=["one", "two"], tie=True), {**CONTENT, "_order": order}
    shown = CELLS["pairwise"].shown(part, content)
    assert sorted(shown.values()) == ["Sit down!", "Tea?"]
    for number in "12":
        field = read(part, number, content)
        assert (
            CONTENT[field] == shown[f"it: {number}"]
            and read(part, f" {shown[f'it: {number}'].upper()}", content) == field
        )
    assert [read(part, cell, content) for cell in ("two", "tie", "no difference")] == ["two", "tie", "tie"]
    assert read({**part, "between": ["a", "b"]}, "1", {"a": "2", "b": "1"}) == (
        "a"
        if CELLS["pairwise"].shown({**part, "between": ["a", "b"]}, {"a": "2", "b": "1"})["it: 1"] == "2"
        else "b"
    )


MARKS = part_of("spans", of="text")
GUESSES: list[tuple[dict[str, Any], str, Any]] = [
    (part_of("several", options=["elders", "guests"]), "guests;\n ELDERS ;", ["elders", "guests"]),
    (part_of("several", options=["-", "no"]), "-", ["-"]),
    (part_of("several", options=["yes", "no"], required=False), "–", None),
    (
        part_of("ranking", options_from="dishes"),
        'soup\nbroth\n"fish; fried"\na 5" pie',
        ["soup", "broth", "fish; fried", 'a 5" pie'],
    ),
    (part_of("number"), "-7,5", -7.5),
    (MARKS, "essen", [[15, 20, "essen"]]),
    (MARKS, "ESSEN; 🍲", [[13, 14, "🍲"], [15, 20, "essen"]]),
    (MARKS, "In der\nKüche 🍲  [ essen ] , in der [Küche]!", [[15, 20, "essen"], [29, 34, "Küche"]]),
]
"""A part, what people type, and the answer."""


@pytest.mark.parametrize(("part", "cell", "answer"), GUESSES)
def test_what_people_type_without_reading_how(part: Mapping[str, Any], cell: str, answer: Any) -> None:
    assert read(part, cell) == answer


WRONG: list[tuple[dict[str, Any], str, str]] = [
    (
        part_of("choice", options=["yes", "no"]),
        "maybe",
        "'maybe' is none of the answers (write one of: yes; no)",
    ),
    (part_of("choice", options=["yes", "no"]), " ", "has to be answered (write one of: yes; no)"),
    (part_of("choice", options=["yes", "no"]), "yes; no", "'yes; no' is none of the answers"),
    (part_of("choice", options=["Aa", "aA"]), "aa", "'aa' is none of the answers"),
    (
        part_of("several", options=["a", "b", "c"], most=1),
        "a; b",
        "'a; b': Choose at most 1 (write any of: a; b; c, at most 1",
    ),
    (part_of("several", options=["a", "b"]), "-", "has to be answered"),
    (
        part_of("scale", ends=["bad", "good"]),
        "6",
        "'6': Choose one of the answers (write a whole number from 1 (bad) to 5 (good))",
    ),
    (part_of("scale"), "4.5", "'4.5' is none of the answers"),
    (part_of("number", most=9), "1,200", "(write a number, at most 9, with a point before decimals and"),
    (part_of("number", most=9), "10", "'10': Give a number of at most 9"),
    (part_of("number"), "nan", "'nan': Give a number"),
    (
        part_of("text", least=5),
        "Hm.",
        "'Hm.': This is too short; characters needed: 5 (write it in your own words, at least 5 characters)",
    ),
    (
        part_of("texts", most=2),
        "a; b; c",
        "'a; b; c': Choose at most 2 (write it in your own words, at most 2 answers with ; between",
    ),
    (part_of("text"), "x" * 40_000, "has 40000 characters; 32767 is the most"),
    (
        part_of("pairwise", between=["one", "two"]),
        "3",
        "'3' is none of the answers (write 1 for what stands in 'it: 1', 2 for",
    ),
    (part_of("pairwise", between=["one", "two"]), "tie", "'tie' is none of the answers"),
    (
        part_of("ranking", options_from="dishes"),
        "soup; broth",
        "'soup; broth': Give each of them a place of its own (write all of:",
    ),
    (part_of("grouping", options_from="dishes"), "soup = soup; broth", "Put each of them into one group"),
    (part_of("grouping", options_from="dishes"), "soup, broth", "'soup, broth' is none of the answers"),
    (MARKS, "Küche", "'Küche' is 2 times in the text (write what stands in 'text' again, with [ ] around"),
    (MARKS, "Haus", "'Haus' is not in the text"),
    (MARKS, "In [der] Garten", "the text goes on with 'Küche 🍲 essen, in der Küche!', not with 'Garten'"),
    (MARKS, f"[{CONTENT['text']}] ja", "the text goes on with nothing, not with 'ja'"),
    (MARKS, "In [der] Küche", "'In [der] Küche' lacks the end of the text"),
    (MARKS, f"[{CONTENT['text']}", "lacks a ]"),
    (MARKS, "[[In] der", "every [ needs a ] after it"),
    (MARKS, "In] der", "every [ needs a ] after it"),
    (MARKS, "In [] der", "every [ needs a ] after it, and words between them"),
    (
        {**MARKS, "of": "all"},
        "[a]",
        "'[a]' is not in the text (write only the words that you mark, with ; between them)",
    ),
]


@pytest.mark.parametrize(("part", "cell", "problem"), WRONG)
def test_a_wrong_cell_is_named_with_what_can_stand_there(
    part: Mapping[str, Any], cell: str, problem: str
) -> None:
    with pytest.raises(SubmissionError) as error:
        read(part, cell, {**CONTENT, "all": "[]{}<>⟦⟧"})
    assert problem in error.value.problems["it"]


def test_every_type_of_part_can_stand_in_a_cell() -> None:
    assert CELLS.keys() == PART_TYPES.keys()


CONDITIONS = [
    part_of("choice", key="polite", options=[{"value": "y", "label": {"en": "yes", "ar": "نعم"}}, "no"]),
    part_of("text", key="why", **{"if": {"key": "polite", "is": "y"}}),
    part_of("scale", key="much", required=False, **{"if": {"key": "polite", "is": ["y", "no"]}}),
]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"polite": "نعم", "why": "So."}, {"polite": "y", "why": "So."}),
        ({"polite": "no", "why": "-", "much": "-"}, {"polite": "no"}),
        (
            {"polite": "no", "why": "So."},
            {"why": "'So.' is an answer, but this is asked only where polite is yes; empty this cell"},
        ),
        ({"polite": "yes"}, {"why": "has to be answered"}),
        ({"polite": "perhaps", "why": "So."}, {"polite": "'perhaps' is none of the answers"}),
        ({"why": "So."}, {"polite": "has to be answered"}),
    ],
)
def test_what_is_asked_only_sometimes(row: Mapping[str, str], found: Mapping[str, str]) -> None:
    sheet = form_sheet(
        {"show": [], "ask": CONDITIONS}, lambda words: words if isinstance(words, str) else words["en"]
    )
    assert (
        "Only where polite is yes." in sheet.help["why"]
        and "Only where polite is yes or no.\nMay stay empty" in sheet.help["much"]
    )
    try:
        assert sheet.read(row, {}) == {"answers": found}
    except SubmissionError as error:
        assert {
            key: problem.startswith(found[key]) for key, problem in error.problems.items()
        } == dict.fromkeys(found, True)


def test_columns_that_would_have_the_same_name() -> None:
    """A column of the items that is called like an answer, or like the column by which a row is known."""
    ask = [
        part_of("spans", key="words", of="words"),
        part_of("text", key="assignment"),
        part_of("text", key="picture_alt"),
    ]
    sheet = form_sheet(
        {
            "show": [{"field": "picture", "type": "image"}, {"field": "assignment", "type": "text"}],
            "ask": ask,
        },
        str,
    )
    content = {"picture": "a.png", "picture_alt": "A door", "assignment": "Say it.", "words": "Come in!"}
    shown = {"picture": "a.png", "picture_alt": "A door", "assignment: item": "Say it.", "words": "Come in!"}
    assert sheet.row_of(content) == shown
    assert sheet.columns == ("words: answer", "assignment: answer", "picture_alt: answer")
    row = dict(zip(sheet.columns, ["Come", "b", "c"], strict=True))
    assert sheet.read(row, content)["answers"] == {
        "words": [[0, 4, "Come"]],
        "assignment": "b",
        "picture_alt": "c",
    }


def test_an_error_shows_sixty_characters_of_a_cell() -> None:
    assert shortened("x" * 60) == f"'{'x' * 60}'"
    assert shortened("x" * 61) == f"'{'x' * 60}…'"
