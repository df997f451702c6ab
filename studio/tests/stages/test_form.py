"""A form of a study's own: its description, what it takes, what people's answers come to, and how they
leave."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.datastructures import FormData

from folkways.benchmarks.studies import StudyItem, Vote
from folkways.stats.raters.graded import fitting
from folkways_studio.errors import SubmissionError
from folkways_studio.stages.consensus import common_groups, common_order, each_option, middle, same_value
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.stages.parts.tables import ABOUT, answer_table, codebook_row, line_of
from folkways_studio.stages.registry import stage_kind
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.support.studies import described

ASK: list[dict[str, Any]] = [
    {
        "key": "polite",
        "type": "choice",
        "label": "Is it polite?",
        "options": ["yes", "no", {"value": "idk", "label": "unknown"}],
    },
    {
        "key": "who",
        "type": "several",
        "label": "To whom?",
        "options": ["elders", "guests", "children"],
        "most": 2,
        "required": False,
    },
    {
        "key": "fit",
        "type": "scale",
        "label": {"en": "How fitting?", "ar": "ما مدى ملاءمته؟"},
        "least": -2,
        "most": 2,
        "within": 1,
    },
    {"key": "age", "type": "number", "label": "From what age?", "least": 0, "most": 120, "required": False},
    {"key": "why", "type": "text", "label": "Why not?", "if": {"key": "polite", "is": "no"}, "least": 5},
    {"key": "words", "type": "spans", "label": "Which words?", "of": "text", "required": False},
    {
        "key": "better",
        "type": "pairwise",
        "label": "Which is better?",
        "between": ["one", "two"],
        "tie": True,
    },
    {"key": "order", "type": "ranking", "label": "From best to worst", "options_from": "dishes"},
    {"key": "groups", "type": "grouping", "label": "What is the same?", "options_from": "dishes"},
]
STAGE = {"name": "judge", "kind": "form", "answers": 3, "ask": ASK, "next": {"disagree": "decide"}}
STAGES = [STAGE, {"name": "decide", "kind": "adjudicate", "role": "expert"}]
CONTENT = {
    "text": "In der Küche 🍲 essen.",
    "one": "Tea?",
    "two": "Sit down!",
    "dishes": ["soup", "broth", "cake"],
}
ANSWERS: dict[str, Any] = {
    "polite": "no",
    "who": ["guests"],
    "fit": 1,
    "age": 7.5,
    "why": "It is too loud.",
    "words": [[7, 12, "Küche"]],
    "better": "two",
    "order": ["cake", "soup", "broth"],
    "groups": [["soup", "broth"], ["cake"]],
}
FORM = stage_kind("form")


def config_of(**changes: Any) -> Mapping[str, Any]:
    stage = {**STAGE, **changes}
    return read_definition(described([stage, STAGES[1]] if "next" in stage else [stage])).stages[0].config


CONFIG = config_of()


def take(**changes: Any) -> Mapping[str, Any]:
    return FORM.validate({"answers": {**ANSWERS, **changes}}, FORM.check_content(CONTENT, CONFIG), CONFIG)


def test_an_answer_says_of_each_part_what_it_is() -> None:
    payload = take()
    assert {kind: [*answers] for kind, answers in payload.items()} == {
        part["type"]: [part["key"]] for part in ASK
    }
    assert FORM.draft_of(payload) == {"answers": ANSWERS}
    assert FORM.describe(payload, CONTENT, str)[-3:] == [
        "better: two",
        "order: cake > soup > broth",
        "groups: soup = broth | cake",
    ]


@pytest.mark.parametrize("payloads", [[], [take(polite="yes", why="", words=[])], [take(), take(age=None)]])
def test_a_table_has_a_column_for_each_part_whatever_people_answered(
    payloads: list[Mapping[str, Any]],
) -> None:
    """In the order of the form, each of one type, so that waves can be put below one another."""
    votes = [Vote(f"p{number}", payload) for number, payload in enumerate(payloads)]
    item = StudyItem(1, "e1", "judge", None, 1, "korea", "KR", "ko", "", "open", CONTENT, None, votes)
    table = answer_table([item], ASK)
    assert table.columns == [*ABOUT, *ANSWERS] and table.height == len(payloads)
    types = {"fit": "Int64", "age": "Float64"}
    assert all(str(table.schema[key]) == types.get(key, "String") for key in ANSWERS)


def test_the_codebook_says_which_values_a_column_has() -> None:
    assert {part["key"]: codebook_row(part)["values"] for part in ASK} == {
        "polite": '["yes","no",{"value":"idk","label":"unknown"}]',
        "who": '["elders","guests","children"]',
        "fit": "from -2 to 2",
        "age": "from 0 to 120",
        "why": None,
        "words": "marks in the item's text",
        "better": '["one","two","tie"]',
        "order": "of the item's dishes",
        "groups": "of the item's dishes",
    }


IN_ARABIC = {
    "Is it polite?": "هل هو مهذب؟",
    "yes": "نعم",
    "unknown": "لا أعرف",
    "guests": "ضيوف",
    "No difference": "لا فرق",
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"polite": "yes", "why": None}, ["هل هو مهذب؟ – نعم", "To whom? – ضيوف", "ما مدى ملاءمته؟ – 1", "From what age? – 7.5"]),
        ({"polite": "idk", "why": None, "who": [], "age": None}, ["هل هو مهذب؟ – لا أعرف", "To whom? –", "ما مدى ملاءمته؟ – 1"]),
        ({}, ["Why not? – It is too loud.", "Which words? – Küche", "Which is better? – Sit down!"]),
        ({"better": "tie", "words": []}, ["Which words? –", "Which is better? – لا فرق"]),
        ({}, ["From best to worst – cake > soup > broth", "What is the same? – soup = broth | cake"]),
    ],
)  # fmt: skip
def test_whoever_answered_reads_questions_and_options_in_their_language(
    changes: dict[str, Any], words: list[str]
) -> None:
    def say(text: Any) -> str:
        return str(text["ar"]) if isinstance(text, Mapping) else IN_ARABIC.get(text, text)

    payload, about = take(**changes), (CONTENT, CONFIG, lambda text: IN_ARABIC.get(text, text), say)
    lines = FORM.read_back(payload, *about)
    assert [line for line in lines if line in words] == words
    assert len(lines) == len(FORM.draft_of(payload)["answers"])
    known = FORM.check_known({"polite": "idk", "better": "two"}, CONTENT, CONFIG)
    assert FORM.read_back_known(known, *about) == ["هل هو مهذب؟ – لا أعرف", "Which is better? – Sit down!"]
    decided = {"kind": "form", "content": CONTENT, "rules": CONFIG, "candidates": []}
    said_by_expert = stage_kind("adjudicate").read_back(
        {"decision": payload, "reason": "as I see it"}, decided, {}, *about[2:]
    )
    assert said_by_expert[: len(lines)] == lines and "as I see it" in said_by_expert[-1]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"polite": "perhaps"}, "polite"),
        ({"polite": None}, "polite"),
        ({"who": ["guests", "elders", "children"]}, "who"),
        ({"who": "guests"}, "who"),
        ({"fit": 3}, "fit"),
        ({"fit": True}, "fit"),
        ({"age": "old"}, "age"),
        ({"age": 121}, "age"),
        ({"age": float("nan")}, "age"),
        ({"why": "Hm."}, "why"),
        ({"why": ""}, "why"),
        ({"words": [[0, 99]]}, "words"),
        ({"words": [1]}, "words"),
        ({"better": "three"}, "better"),
        ({"order": ["cake", "soup"]}, "order"),
        ({"order": ["cake", "soup", "soup"]}, "order"),
        ({"groups": [["soup"], ["cake"]]}, "groups"),
        ({"groups": [["soup", "cake"], ["cake", "broth"]]}, "groups"),
        ({"groups": {"a": 1}}, "groups"),
    ],
)
def test_a_wrong_answer_is_named_at_its_part(changes: Mapping[str, Any], field: str) -> None:
    with pytest.raises(SubmissionError) as error:
        take(**changes)
    assert set(error.value.problems) == {field}


def test_a_part_that_is_not_asked_is_neither_wanted_nor_kept() -> None:
    assert "text" not in take(polite="yes", why="It is too loud.")


def test_two_choices_that_may_not_be_the_same() -> None:
    ask = [
        {"key": key, "type": "choice", "label": key, "options_from": "dishes"} for key in ("best", "worst")
    ]
    config = config_of(ask=[ask[0], {**ask[1], "unlike": "best"}])
    assert FORM.validate({"answers": {"best": "soup", "worst": "cake"}}, CONTENT, config)
    with pytest.raises(SubmissionError, match="worst: Choose another one than above"):
        FORM.validate({"answers": {"best": "soup", "worst": "soup"}}, CONTENT, config)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"ask": []}, r"stages\[0\].ask: needs 1 to 40 parts"),
    ({"ask": ["a"]}, r"stages\[0\].ask: has to be a list of mappings"),
    ({"ask": [{**ASK[0], "key": "Is it?"}]}, r"ask\[0\].key: has to be small letters"),
    ({"ask": [ASK[0], ASK[0]]}, r"ask\[1\].key: 'polite' is taken"),
    ({"ask": [{**ASK[0], "key": "text"}]}, r"ask\[0\].key: 'text' is taken"),
    (
        {"ask": [{**ASK[0], "type": "slider"}]},
        r"ask\[0\].type: 'slider' cannot be asked; valid: choice, several",
    ),
    (
        {"ask": [{**ASK[0], "options": [True, False]}]},
        r"ask\[0\].options: .* write yes, no and numbers in quotes",
    ),
    ({"ask": [{**ASK[0], "colour": "red"}]}, r"ask\[0\].colour: is no setting here; valid: key, type, label"),
    (
        {"ask": [{"key": "a", "type": "choice", "label": "a"}]},
        r"ask\[0\].options: give one of: options, options_from",
    ),
    ({"ask": [{"key": "a", "type": "text"}]}, r"ask\[0\].label: is missing"),
    (
        {"ask": [{"key": "a", "type": "text", "label": {"ar": "لماذا؟"}}]},
        r"ask\[0\].label: has no text in en",
    ),
    ({"ask": [{**ASK[2], "most": 40}]}, r"ask\[0\].most: a scale has 2 to 11 whole numbers"),
    ({"ask": [{**ASK[3], "least": 200}]}, r"ask\[0\].most: is 120, which is less than 200"),
    ({"ask": [{**ASK[0], "unlike": "best"}]}, r"ask\[0\].unlike: 'best' is no choice above it"),
    ({"ask": [ASK[4]]}, r"ask\[0\].if: 'polite' is no choice or scale above it"),
    (
        {"ask": [ASK[0], {**ASK[4], "if": {"key": "polite", "is": "never"}}]},
        r"ask\[1\].if: 'never' is no answer of polite; valid: yes",
    ),
    (
        {"show": [{"field": "film", "type": "video"}]},
        r"show\[0\].type: 'video' cannot be shown; valid: text, image, audio",
    ),
    ({"majority": 1}, "majority: 1 of 3 is no majority"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_every_mistake_of_a_description_has_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        config_of(**changes)


def test_an_item_has_what_its_form_shows_and_asks_about() -> None:
    config = config_of(
        show=[{"field": "dish", "type": "image"}, {"field": "song", "type": "audio", "optional": True}]
    )
    with pytest.raises(SubmissionError) as error:
        FORM.check_content({"dish": "a.jpg", "dishes": ["soup", "soup"], "one": "x"}, config)
    assert set(error.value.problems) == {"dish_alt", "dishes", "text", "two"}
    content = FORM.check_content({**CONTENT, "dish": "a.jpg", "dish_alt": "A bowl"}, config)
    assert FORM.media(content, config) == ("a.jpg",)
    internal = {"a note": "internal", **CONTENT}
    assert next(iter(FORM.subject(internal, CONFIG))) == "text", (
        "nothing is shown: called by what is asked about"
    )
    bare = config_of(
        show=[{"field": "song", "type": "audio", "optional": True}, {"field": "dish", "type": "image"}]
    )
    with pytest.raises(SubmissionError) as error:
        FORM.check_content(CONTENT, bare)
    assert set(error.value.problems) == {"dish", "dish_alt"}, "what comes after an optional field is needed"
    row = FORM.example_row(config)
    assert {"dish", "dish_alt", "song_transcript", "dishes", "text", "one", "two"} <= set(row)


def decide(*answers: Mapping[str, Any], **changes: Any) -> Any:
    return FORM.resolve(
        [Vote(f"p-{number}", take(**each)) for number, each in enumerate(answers)],
        CONTENT,
        config_of(**changes),
    )


def test_what_most_say_stands_and_the_rest_goes_to_somebody() -> None:
    decision = decide(
        {},
        {},
        {"polite": "yes", "order": ["soup", "cake", "broth"], "groups": [["soup"], ["broth"], ["cake"]]},
    )
    assert decision.branch == "done"
    assert decision.result == {**ANSWERS, "why": [ANSWERS["why"]] * 2}
    decision = decide({"fit": 0}, {"polite": "yes", "fit": -2}, {"polite": "idk", "fit": 2}, majority=2)
    assert (decision.branch, decision.result["disputed"]) == ("disagree", ["polite", "fit"])
    assert decision.reason == "people differ on polite, fit"
    assert decide({}, {"age": 90}, majority=2).result["age"] == pytest.approx((7.5 + 90) / 2)


ANSWERS_TO_EACH_TYPE: list[tuple[dict[str, Any], list[Any], Any]] = [
    ({"type": "choice", "options": ["a", "b"]}, ["a", "a", "b"], "a"),
    ({"type": "choice", "options": ["a", "b"]}, ["a", "a", None], "a"),
    ({"type": "choice", "options": ["a", "b"]}, ["a", None, None], None),
    ({"type": "several", "options": ["a", "b"]}, [["a"], ["b", "a"], None], ["a"]),
    ({"type": "several", "options": ["a", "b"]}, [["a"], None, None], []),
    ({"type": "scale", "least": 1, "most": 5}, [2, 5, None], 3.5),
    ({"type": "scale", "least": 1, "most": 5}, [None, None, None], None),
    ({"type": "number"}, [1.5, None, 7.5], 4.5),
    ({"type": "text"}, ["one", None, "one"], ["one", "one"]),
    ({"type": "text"}, [None, None, None], None),
    ({"type": "texts"}, [["b"], None, ["a", "b"]], ["b", "a"]),
    ({"type": "spans", "of": "text"}, [[[0, 2, "In"]], [[0, 2, "In"]], None], [[0, 2, "In"]]),
]


@pytest.mark.parametrize(("part", "values", "common"), ANSWERS_TO_EACH_TYPE)
def test_people_who_were_not_asked_a_part_count_as_people_who_said_nothing(
    part: dict[str, Any], values: list[Any], common: Any
) -> None:
    more = {"key": "more", "type": "choice", "label": "More?", "options": ["yes", "no"]}
    if_yes = {**part, "key": "part", "label": "?", "if": {"key": "more", "is": "yes"}}
    config = config_of(ask=[more, if_yes])
    votes = []
    for number, value in enumerate(values):
        answers = {"more": "no"} if value is None else {"more": "yes", "part": value}
        votes.append(Vote(f"p-{number}", FORM.validate({"answers": answers}, CONTENT, config)))
    assert FORM.resolve(votes, CONTENT, config).result.get("part") == common


BOUNDS: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    ({"type": "choice", "options": ["a", "b"]}, ["a", "b"], ["c", True, None, ["a"]]),
    (
        {"type": "several", "options_from": "dishes", "least": 1, "most": 2},
        [["soup"], ["broth", "cake"]],
        [[], ["soup", "broth", "cake"], ["tea"], [True], 0, "soup"],
    ),
    ({"type": "scale", "least": 2, "most": 4}, [2, 4], [1, 5, 2.0, True]),
    ({"type": "scale"}, [1, 5], [0, 6]),
    ({"type": "number", "least": 2, "most": 4}, [2, 4, 2.5], [1.9, 4.1, True, "3"]),
    ({"type": "number"}, [0, 1e15 - 1, 1 - 1e15], [1e15, -1e15, float("nan"), float("inf")]),
    ({"type": "text"}, ["x", "x" * 4000], ["", " ", "x" * 4001]),
    ({"type": "text", "least": 3, "most": 4}, ["abc", "abcd"], ["ab", "abcde"]),
    ({"type": "texts"}, [["a"], ["a", "b", "c"], ["x" * 200]], [[], ["a", "b", "c", "d"], ["x" * 201]]),
    ({"type": "texts", "most": 20}, [[str(each) for each in range(20)]], [list(map(str, range(21)))]),
]


@pytest.mark.parametrize(("part", "fits", "refused"), BOUNDS)
def test_an_answer_at_its_bounds_is_taken_and_beyond_them_refused(
    part: dict[str, Any], fits: list[Any], refused: list[Any]
) -> None:
    config = config_of(ask=[{**part, "key": "part", "label": "?"}])
    content = FORM.check_content(CONTENT, config)
    for value in fits:
        payload = FORM.validate({"answers": {"part": value}}, content, config)
        assert payload == {part["type"]: {"part": value}}
    for value in refused:
        with pytest.raises(SubmissionError) as error:
            FORM.validate({"answers": {"part": value}}, content, config)
        assert set(error.value.problems) == {"part"}


def test_agreement_is_computed_over_what_each_part_is() -> None:
    labels = [
        FORM.labels(take(**changes)) for changes in ({}, {"fit": 2, "order": ["cake", "broth", "soup"]})
    ]
    names = {key: fitting([{"a": labels[0][key], "b": labels[1][key]}])[0] for key in labels[0]}
    assert names == {
        "polite": "nominal α",
        "who": "MASI α",
        "fit": "ordinal α",
        "age": "interval α",
        "words": "F1",
        "better": "nominal α",
        "order": "Kendall τ",
        "groups": "adjusted Rand",
    }


def test_known_answers_are_told_by_key() -> None:
    config = config_of()
    known = FORM.check_known(ANSWERS, CONTENT, config)
    assert known == ANSWERS
    assert FORM.is_right(take(), known, 1.0)
    assert FORM.is_right(take(groups=ANSWERS["groups"][::-1], why=f" {ANSWERS['why'].upper()}"), known, 1.0)
    for changes in ({"polite": "yes"}, {"fit": 0}, {"order": ANSWERS["order"][::-1]}, {"words": []}):
        assert not FORM.is_right(take(**changes), known, 1.0)
    assert not FORM.is_right({"choice": {"polite": "no"}}, {"fit": 1}, 1.0), "what was not asked is not right"
    assert [line.split(":")[0] for line in FORM.describe_known(known, CONTENT, str)] == list(known)
    with pytest.raises(SubmissionError) as error:
        FORM.check_known({"polite": "never", "fit": 9}, CONTENT, config)
    assert set(error.value.problems) == {"polite", "fit"}
    assert FORM.known_of(decide({}, {}, {}).result) == {}


def test_of_a_pair_each_person_has_an_order_of_their_own() -> None:
    pair = [part for part in ASK if part["type"] == "pairwise"]
    config = config_of(ask=pair)
    shown = []
    for number in range(20):
        content = FORM.presented(CONTENT, f"p-{number}")
        (part,) = FORM.form_values(content, config, {})["parts"]
        assert FORM.form_values(content, config, {})["parts"] == [part], "the same person sees the same order"
        shown.append(tuple(value for _, value, _ in part["options"]))
    assert set(shown) == {("one", "two", "tie"), ("two", "one", "tie")}


FIELDS = st.sampled_from(
    [f"ask-{part['key']}" for part in ASK]
    + [f"ask-{key}-{at}" for key in ("order", "groups") for at in range(3)]
)
SENT = st.one_of(
    st.sampled_from(["0", "1", "2", "3", "-1", "-2", "7:12", "nan", "1e999", "3,5", ""]), st.text(max_size=6)
)


TAKEN = [
    *(("ask-polite", "1"), ("ask-fit", "1"), ("ask-why", "It is too loud."), ("ask-better", "1")),
    *((f"ask-order-{at}", str(rank)) for at, rank in enumerate((2, 3, 1))),
    *((f"ask-groups-{at}", str(group)) for at, group in enumerate((1, 1, 2))),
]


@example(TAKEN, [])
@given(st.sampled_from([TAKEN, []]), st.lists(st.tuples(FIELDS, SENT), max_size=16))
def test_whatever_a_browser_sends_is_a_draft_and_taken_or_refused_in_words(
    first: list[tuple[str, str]], then: list[tuple[str, str]]
) -> None:
    draft = FORM.read_form(FormData([*first, *then]), CONTENT, CONFIG)
    assert len(FORM.form_values(CONTENT, CONFIG, draft)["parts"]) == len(ASK)
    try:
        payload = FORM.validate(draft, CONTENT, CONFIG)
    except SubmissionError as error:
        assert set(error.problems) <= {part["key"] for part in ASK}
        assert then or not first
    else:
        assert FORM.validate(FORM.draft_of(payload), CONTENT, CONFIG) == payload


def test_short_texts_are_lines_of_which_empty_ones_are_none() -> None:
    config = config_of(ask=[{"key": "dishes", "type": "texts", "label": "Which dishes?", "most": 2}])
    sent = [("ask-dishes", each) for each in (" soup ", "", "Tea", "soup")]
    draft = FORM.read_form(FormData(sent), CONTENT, config)
    payload = FORM.validate(draft, CONTENT, config)
    assert payload == {"texts": {"dishes": ["soup", "Tea"]}}
    assert FORM.labels(payload) == {"dishes": frozenset({"soup", "tea"})}
    assert FORM.describe(payload, CONTENT, str) == ["dishes: soup | Tea"]
    votes = [Vote("p-1", payload), Vote("p-2", {"texts": {"dishes": ["Tea"]}})]
    assert FORM.resolve(votes, CONTENT, config).result == {"dishes": ["Tea", "soup"]}
    assert FORM.redacted(payload, FORM.own_words, CONTENT) == {
        "texts": {"dishes": ["[redacted]", "[redacted]"]}
    }
    for wrong in ([], ["  "], ["a", "b", "c"], ["a" * 201], "soup", [1]):
        with pytest.raises(SubmissionError) as error:
            FORM.validate({"answers": {"dishes": wrong}}, CONTENT, config)
        assert set(error.value.problems) == {"dishes"}
    for most in (0, 21, 1.5):
        with pytest.raises(DefinitionError, match="most"):
            config_of(ask=[{"key": "dishes", "type": "texts", "label": "Which dishes?", "most": most}])


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("7,5", 7.5),
        ("٧", 7.0),
        ("1,000", "1,000"),
        ("-3", -3.0),
        ("seven", "seven"),
        ("1e15", "1e15"),
        ("-1e15", "-1e15"),
        ("nan", "nan"),
        ("999999999999999", 999999999999999.0),
    ],
)
def test_numbers_as_people_write_them(typed: str, read: object) -> None:
    assert FORM.read_form(FormData([("ask-age", typed)]), CONTENT, CONFIG) == {"answers": {"age": read}}


@example(1234567.0)
@example(20240131.5)
@example(0.00001)
@example(-1e14)
@given(st.floats(-1e15, 1e15, exclude_min=True, exclude_max=True))
def test_a_number_is_shown_as_it_was_given_and_is_the_same_when_it_is_sent_again(given: float) -> None:
    """In the page, in answers in words, and in tables."""
    shown = PART_TYPES["number"].line(given)
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", shown)
    assert FORM.read_form(FormData([("ask-age", shown)]), CONTENT, CONFIG) == {"answers": {"age": given}}
    assert line_of(given) == in_digits(given) == shown


def test_rules_of_agreeing() -> None:
    assert same_value(["a", "a", "b"], 2) == ("a", True)
    assert same_value(["a", "b", None], 2) == (None, False)
    assert each_option([["a", "b"], ["a"], ["c"]], ["a", "b", "c"], 2) == (["a"], True)
    assert each_option([["a"], ["a"], ["a"], [], []], ["a"], 4) == (None, False)
    assert middle([1, 2, 5], 1, 2) == (2, True)
    assert middle([1, 3, 5], 1, 2) == (None, False)
    assert middle([], 1, 2) == (None, True)
    circle = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    assert common_order(circle, 2) == (None, False)
    assert common_order([circle[0], circle[0], circle[2]], 2) == (["a", "b", "c"], True)
    chain = [[["a", "b"], ["c"]], [["a"], ["b", "c"]], [["a", "b", "c"]]]
    assert common_groups(chain, 2) == (None, False), "a with b and b with c, but a apart from c"
    assert common_groups([chain[0], chain[0], chain[2]], 2) == ([["a", "b"], ["c"]], True)
    apart = [["a"], ["b"]]
    assert common_groups([[["a", "b"]]] * 2 + [apart] * 2, 3) == (None, False), "neither together nor apart"
    assert common_groups([[["a", "b"]]] + [apart] * 3, 3) == (apart, True)
