"""What each kind of stage takes, refuses and makes of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from folkways.benchmarks.studies import Vote
from folkways_studio.errors import Message, SubmissionError
from folkways_studio.stages.adapting import untag
from folkways_studio.stages.base import COMMON_OPTIONS, Arrival, Decision
from folkways_studio.stages.fields import spans_of, tag, text_of
from folkways_studio.stages.kind import shown_part
from folkways_studio.stages.registry import KINDS, RULES, STAGE_KINDS, read_kind, stage_kind

QUESTION = {"question": "What?", "options": ["a", "b", "c", "d"]}
SENTENCE = {"sentence": "In der Küche gab es 🍲 potluck.", "spans": [[22, 29]]}
CANDIDATES = {
    "item": "potluck",
    "candidates": ["One potluck.", {"text": "Two potlucks.", "by": "m"}, "Three."],
}
ANSWERS = {
    "local": "무엇?",
    "english": "What?",
    "answers": {"p-1": ["떡", "밥"], "p-2": ["밥"], "p-3": []},
    "idks": {},
}
RATED = {each: {"accuracy": 3, "fluency": 3, "realism": 3} for each in "abc"}
LABELS = {"category": "Cultural Value", "level": "Invisible", "element": "Time"}
SCENARIO = {"scenario": "Somebody rings the bell at noon.", **QUESTION, "intended": [1]}

GOOD: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "write_question": ({}, SCENARIO),
    "review": (QUESTION, {"decision": "keep"}),
    "survey_question": ({"text": "Guests call first.", "options": ["Agree", "Disagree"]}, {"answer": 1}),
    "vote": (QUESTION, {"choices": [0, 2]}),
    "collect_question": (
        {},
        {"category": "Food", "question": "무엇을 먹나요?", "english": "What do you eat?"},
    ),
    "curate": (
        {"category": "Food", "english": "What?"},
        {"decision": "keep", "template": "What is eaten in your country?"},
    ),
    "localise": (
        {"template": "What is eaten in your country?", "category": "Food"},
        {"local": "무엇을 먹나요?"},
    ),
    "short_answers": ({"local": "무엇?", "english": "What?"}, {"answers": ["밥"]}),
    "group_answers": (ANSWERS, {"groups": [{"answers": ["밥"], "en_answers": ["rice"]}], "invalid": ["떡"]}),
    "choose_best": (CANDIDATES, {"best": "a", "ratings": RATED}),
    "tag_spans": (SENTENCE, {"spans": [[22, 29]]}),
    "label_item": (SENTENCE, LABELS),
    "adapt": (
        SENTENCE,
        {"strategies": ["neutral_term"], "intra": "A <CSI>meal</CSI>.", "inter": "一<CSI>餐</CSI>"},
    ),
    "adjudicate": (
        {"kind": "vote", "rules": {"answers": 5, "majority": 4}, "content": QUESTION, "candidates": []},
        {"choices": [1]},
    ),
    "judge_answer": (
        {"question": "What?", "reply": "Rice."},
        {"verdict": "conditional", "flags": ["refusal"]},
    ),
    "form": ({"text": "Guests take off their shoes."}, {"answers": {"answer": "So we do."}}),
}
"""Kind -> the content of an item, and a submission that is taken."""

BAD: list[tuple[str, Mapping[str, Any], set[str]]] = [
    ("write_question", {**SCENARIO, "scenario": "short"}, {"scenario"}),
    ("write_question", {**SCENARIO, "options": ["a", "b", "c"]}, {"options"}),
    ("write_question", {**SCENARIO, "options": ["a", "A ", "c", "d"]}, {"options"}),
    ("write_question", {**SCENARIO, "intended": []}, {"intended"}),
    ("write_question", {**SCENARIO, "intended": [0, 1, 2, 3]}, {"intended"}),
    ("write_question", {**SCENARIO, "intended": [True]}, {"intended"}),
    ("write_question", {}, {"scenario", "question", "options", "intended"}),
    ("review", {"decision": "maybe"}, {"decision"}),
    ("review", {"decision": "drop"}, {"reason"}),
    ("vote", {}, {"choices"}),
    ("vote", {"choices": [4]}, {"choices"}),
    ("vote", {"choices": "0"}, {"choices"}),
    ("vote", {"choices": [0], "abstain": "dont_know"}, {"choices"}),
    ("vote", {"abstain": "too lazy"}, {"abstain"}),
    ("vote", {"choices": [0], "comment": 7}, {"comment"}),
    (
        "collect_question",
        {"category": "Weather", "question": "What is it?", "english": "Eh?"},
        {"category", "english"},
    ),
    ("curate", {"decision": "keep", "template": "What is eaten in Korea?"}, {"template"}),
    ("curate", {"decision": "duplicate"}, {"of"}),
    ("localise", {"local": ""}, {"local"}),
    ("short_answers", {}, {"answers"}),
    ("short_answers", {"answers": ["a", "b", "c", "d"]}, {"answers"}),
    ("short_answers", {"answers": ["a"], "no_answer": "idk"}, {"answers"}),
    ("short_answers", {"no_answer": "other"}, {"other"}),
    ("short_answers", {"answers": ["x" * 201]}, {"answers"}),
    ("short_answers", {"answers": [1]}, {"answers"}),
    ("short_answers", {"answers": ["\u200b", "\u3164"]}, {"answers"}),
    ("localise", {"local": "\u2800\ufe0f"}, {"local"}),
    ("group_answers", {"groups": []}, {"groups"}),
    ("group_answers", {"groups": [{"answers": ["밥", "떡"], "en_answers": []}]}, {"groups"}),
    ("group_answers", {"groups": [{"answers": ["밥", "떡", "국"], "en_answers": ["x"]}]}, {"groups"}),
    (
        "group_answers",
        {"groups": [{"answers": ["밥", "떡"], "en_answers": ["x"]}], "invalid": ["밥"]},
        {"groups"},
    ),
    ("group_answers", {"groups": "rice"}, {"groups"}),
    ("choose_best", {"best": "d", "ratings": RATED}, {"best"}),
    (
        "choose_best",
        {"best": "a", "ratings": {**RATED, "b": {"accuracy": 6, "fluency": 1, "realism": 1}}},
        {"ratings"},
    ),
    ("choose_best", {"best": "a", "ratings": {"a": RATED["a"]}}, {"ratings"}),
    ("tag_spans", {"spans": []}, {"spans"}),
    ("tag_spans", {"spans": [[22, 99]]}, {"spans"}),
    ("tag_spans", {"spans": [[22, 26], [25, 29]]}, {"spans"}),
    ("tag_spans", {"spans": [[2, 3]]}, {"spans"}),
    ("label_item", {**LABELS, "level": "Deep"}, {"level"}),
    ("adapt", {"strategies": []}, {"strategies"}),
    (
        "adapt",
        {"strategies": ["neutral_term"], "intra": "no mark", "inter": "<CSI>x"},
        {"intra_spans", "inter"},
    ),
    (
        "adapt",
        {"strategies": ["neutral_term"], "intra": "", "inter": "<CSI>a</CSI> <CSI>b</CSI>"},
        {"intra", "inter_spans"},
    ),
    ("adjudicate", {"choices": [9]}, {"choices"}),
    ("judge_answer", {"verdict": 1}, {"verdict"}),
    ("form", {"answers": {"answer": 7}}, {"answer"}),
    ("judge_answer", {"verdict": "incorrect", "flags": ["rude"]}, {"flags"}),
]


def config_of(kind: str, **changes: Any) -> dict[str, Any]:
    options = {**COMMON_OPTIONS, **stage_kind(kind).settings}
    return {**{name: option.default for name, option in options.items()}, "next": {}, **changes}


def take(
    kind: str, submission: Mapping[str, Any], content: Mapping[str, Any] | None = None, **changes: Any
) -> Mapping[str, Any]:
    config = config_of(kind, **changes)
    handler = stage_kind(kind)
    return handler.validate(
        submission, handler.check_content(GOOD[kind][0] if content is None else content, config), config
    )


def decide(kind: str, *submissions: Mapping[str, Any], **changes: Any) -> Decision:
    config = config_of(kind, **changes)
    handler = stage_kind(kind)
    content = handler.check_content(GOOD[kind][0], config)
    votes = [
        Vote(f"p-{place}", handler.validate(each, content, config)) for place, each in enumerate(submissions)
    ]
    return handler.decide(votes, content, config)


def test_every_kind_has_a_submission_that_is_taken() -> None:
    assert set(GOOD) == set(STAGE_KINDS)


def test_every_kind_has_guidelines() -> None:
    """The page of a task shows the macro ``guidelines`` of the kind's file, unless the study has its own."""
    files = {path.name.removesuffix(".html.j2"): path for path in (KINDS.parent / "templates/help").iterdir()}
    assert set(files) == set(STAGE_KINDS)
    assert [name for name, path in files.items() if "macro guidelines()" not in path.read_text()] == []


@pytest.mark.parametrize("kind", list(GOOD))
def test_a_good_submission_is_taken_and_more_fields_are_not(kind: str) -> None:
    submission = GOOD[kind][1]
    assert take(kind, submission) == take(kind, {**submission, "is_admin": True})


@pytest.mark.parametrize(("kind", "submission", "fields"), BAD)
def test_a_bad_submission_names_every_wrong_field(
    kind: str, submission: Mapping[str, Any], fields: set[str]
) -> None:
    with pytest.raises(SubmissionError) as error:
        take(kind, submission)
    assert set(error.value.problems) == fields
    assert all(error.value.problems.values())


SENT = st.dictionaries(
    st.sampled_from(
        [
            "choices",
            "answers",
            "groups",
            "spans",
            "ratings",
            "best",
            "flags",
            "options",
            "verdict",
            "strategies",
            "intended",
            "decision",
        ]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
)
"""Fields that forms have, with any JSON in them."""


@given(SENT)
def test_whatever_is_sent_is_taken_or_refused_in_words_by_every_kind(submission: dict[str, Any]) -> None:
    for kind in GOOD:
        note(kind)
        try:
            take(kind, submission)
        except SubmissionError as error:
            assert error.problems and all(error.problems.values())


@pytest.mark.parametrize("kind", [kind for kind, handler in STAGE_KINDS.items() if not handler.authored])
def test_an_item_waits_for_as_many_answers_as_it_wants(kind: str) -> None:
    wanted = STAGE_KINDS[kind].answers_wanted(config_of(kind))
    submission = GOOD[kind][1]
    assert decide(kind, *[submission] * (wanted - 1)) == Decision("wait", 1)
    assert decide(kind, *[submission] * wanted).outcome == "done"


def spoiled(value: object) -> Iterator[object]:
    """What a person may write in place of it: nothing, too much, or the same twice."""
    if isinstance(value, str):
        yield from ("", "x", "x" * 99_999)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from ({**value, name: other} for other in spoiled(each))
    elif isinstance(value, list) and value and not isinstance(value[0], int | list):
        yield []
        yield [value[0], *value]
        for other in spoiled(value[0]):
            yield [other, *value[1:]]


@pytest.mark.parametrize("name", GOOD)
def test_what_people_wrote_is_refused_in_words_that_can_be_translated(name: str) -> None:
    content, submission = GOOD[name]
    for field, value in submission.items():
        for other in spoiled(value):
            try:
                take(name, {**submission, field: other}, content)
            except SubmissionError as error:
                for where, problem in error.problems.items():
                    sent = str(other)[:60]
                    assert isinstance(problem, Message), f"{where} of {sent}: {problem}"


def test_unknown_questions_go_to_a_finer_population_only_if_they_may() -> None:
    said = [{"abstain": "dont_know"}] * 3 + [{"choices": [0]}] * 2
    assert decide("vote", *said).outcome == "subpopulation"
    assert decide("vote", *said, second_round=False).outcome == "dropped"


def test_a_question_has_to_be_tried_in_its_last_wording_where_the_study_says_so() -> None:
    submission = {**SCENARIO, "question": "What then?"}
    earlier = {"question": "What?", "options": submission["options"], "fooled": True}
    content = {"challenges": [earlier], "strategies": ["negate"]}
    with pytest.raises(SubmissionError, match="Try this wording"):
        take("write_question", submission, content, challenge_required=True)
    payload = take("write_question", submission, content)
    assert (payload["fooled"], payload["tries"], payload["strategies"]) == (None, 1, ["negate"])
    content["challenges"].append({**earlier, "question": "What then?", "fooled": False})
    assert take("write_question", submission, content, challenge_required=True)["fooled"] is False


def test_reviewers_keep_by_more_than_half() -> None:
    keep, drop = {"decision": "keep"}, {"decision": "drop", "reason": "about no culture"}
    assert decide("review", keep, drop, keep, answers=3).outcome == "done"
    half = decide("review", keep, drop, answers=2)
    assert (half.outcome, half.reason) == ("dropped", "about no culture")


def test_verifiers_do_not_see_what_the_author_held_right() -> None:
    handler = stage_kind("review")
    assert set(handler.hand_on({**SCENARIO}, {"question": "Q", "options": ["a"]}, config_of("review"))) == {
        "question",
        "options",
    }


def test_judges_see_sentences_in_orders_of_their_own_without_their_writers() -> None:
    handler = stage_kind("choose_best")
    content = handler.check_content(CANDIDATES, config_of("choose_best"))
    orders = set()
    for number in range(20):
        shown = handler.presented(content, f"p-{number}")
        assert all(set(each) == {"id", "text"} for each in shown["candidates"])
        assert shown == handler.presented(content, f"p-{number}"), "the same person sees the same order"
        orders.add(tuple(each["id"] for each in shown["candidates"]))
    assert len(orders) > 1


def test_a_tie_of_judges_goes_to_the_better_rated_and_else_to_an_expert() -> None:
    better = {**RATED, "b": {"accuracy": 5, "fluency": 5, "realism": 5}}
    found = decide("choose_best", {"best": "a", "ratings": better}, {"best": "b", "ratings": better})
    assert (found.branch, found.result["sentence"], found.result["by"]) == ("done", "Two potlucks.", "m")
    assert (
        decide("choose_best", {"best": "a", "ratings": RATED}, {"best": "b", "ratings": RATED}).branch
        == "disagree"
    )


def test_labels_that_differ_are_disputed_one_by_one() -> None:
    found = decide("label_item", LABELS, {**LABELS, "level": "Visible", "element": "Art"})
    assert (found.branch, found.result) == (
        "disagree",
        {"category": "Cultural Value", "disputed": ["level", "element"]},
    )


def test_a_stage_may_bring_labels_of_its_own() -> None:
    payload = take("label_item", {**LABELS, "category": "Ghosts"}, categories=["Ghosts"])
    assert payload["category"] == "Ghosts"


def test_an_expert_decides_as_the_stage_itself_would() -> None:
    handler = stage_kind("adjudicate")
    rules = config_of("choose_best")
    content = stage_kind("choose_best").check_content(CANDIDATES, rules)
    votes = [Vote("p-1", {"best": "a"}), Vote("p-2", {"best": "c"})]
    arrived = handler.take_over(content, Arrival("choose_best", rules, votes), config_of("adjudicate"))
    assert [each["participant"] for each in handler.presented(arrived, "x")["candidates"]] == ["1", "2"]
    assert "by" not in handler.presented(arrived, "x")["content"]["candidates"][0]
    payload = handler.validate(
        {"best": "c", "ratings": RATED, "reason": "clear"}, arrived, config_of("adjudicate")
    )
    found = handler.decide([Vote("e", payload)], arrived, config_of("adjudicate"))
    assert found.result == {"sentence": "Three.", "best": "c", "by": "", "adjudicated": True}
    onward = handler.hand_on(arrived, found.result, config_of("adjudicate"))
    assert onward == {"item": "potluck", "sentence": "Three.", "by": ""}


def test_an_expert_is_not_asked_where_at_least_two_said_the_same_and_nobody_anything_else() -> None:
    handler, rules, config = stage_kind("adjudicate"), config_of("label_item"), config_of("adjudicate")
    content = {"sentence": "We went.", "spans": [[0, 2]]}

    def settled(*said: dict[str, Any]) -> Decision | None:
        votes = [Vote(f"p-{number}", payload) for number, payload in enumerate(said)]
        return handler.on_arrival(
            handler.take_over(content, Arrival("label_item", rules, votes), config), config
        )

    found = settled(LABELS, LABELS)
    assert found is not None and (found.outcome, found.result) == ("done", {**LABELS, "agreed": True})
    assert settled(LABELS) is None
    assert settled(LABELS, LABELS, {**LABELS, "element": "Art"}) is None
    nothing = Arrival(
        "vote",
        config_of("vote"),
        [Vote(each, {"choices": [], "abstain": "dont_know", "comment": ""}) for each in "ab"],
    )
    assert handler.on_arrival(handler.take_over({}, nothing, config), config) is None, "nobody said anything"


def test_versions_are_told_apart_by_what_they_come_to_and_what_all_agree_on_is_filled_in() -> None:
    handler, rules, config = stage_kind("adjudicate"), config_of("adapt"), config_of("adjudicate")
    one = take(
        "adapt", {"strategies": ["neutral_term"], "intra": "A <CSI>meal</CSI>.", "inter": "<CSI>餐</CSI>。"}
    )
    spaced, other = {**one, "intra": "A  <CSI> meal </CSI>."}, {**one, "intra": "A <CSI> feast </CSI>."}
    votes = [Vote(f"p-{number}", payload) for number, payload in enumerate((one, spaced, other))]
    values = handler.form_values(handler.take_over({}, Arrival("adapt", rules, votes), config), config, {})
    assert [
        (each["people"], each["draft"]["intra"], each["draft"]["intra_spans"]) for each in values["versions"]
    ] == [(2, "A meal.", [[2, 6]]), (1, "A feast.", [[2, 7]])]
    assert values["decision"] == {"strategies": ["neutral_term"], "inter": "餐。", "inter_spans": [[0, 1]]}
    for first, second in ((one, spaced), (spaced, one)):
        same = Arrival("adapt", rules, [Vote("p-0", first), Vote("p-1", second)])
        decided = handler.on_arrival(handler.take_over({}, same, config), config)
        assert decided is not None and decided.result["intra"] == first["intra"], (
            "as whoever came first wrote it"
        )


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"intra": "Ein  Café.", "inter": "밥\n먹기."}, True),
        ({"inter": "밥 먹기.", "intra": "Ein Café."}, True),
        ({"intra": "Ein Cafe\u0301.", "inter": unicodedata.normalize("NFD", "밥 먹기.")}, True),
        ({"intra": "Ein Cafe.", "inter": "밥 먹기."}, False),
        ({"intra": "Ein \uff23afé.", "inter": "밥 먹기."}, False),
        ({"intra": "ein Café.", "inter": "밥 먹기."}, False),
        ({"intra": "Ein Café", "inter": "밥 먹기."}, False),
        ({"intra": "EinCafé.", "inter": "밥 먹기."}, False),
        ({"intra": "밥 먹기.", "inter": "Ein Café."}, False),
        ({"intra": "Ein Café."}, False),
    ],
)
def test_two_answers_are_one_where_only_spacing_encoding_or_order_of_fields_differ(
    other: dict[str, str], same: bool
) -> None:
    handler, config = stage_kind("adjudicate"), config_of("adjudicate")
    first = {"strategies": ["neutral_term"], "intra": "Ein Café.", "inter": "밥 먹기."}
    second = {**other, "strategies": ["neutral_term"]}
    for one, two in ((first, second), (second, first)):
        votes = [Vote("p-0", one), Vote("p-1", two)]
        content = handler.take_over({}, Arrival("adapt", config_of("adapt"), votes), config)
        shown = handler.presented(content, "x")
        assert [each["people"] for each in shown["versions"]] == ([2] if same else [1, 1])
        assert shown["versions"][0]["payload"] == one, "the first as it was written"
        assert (handler.on_arrival(content, config) is not None) == same
        if "inter" in other:
            filled = handler.form_values(shown, config, {})
            assert filled["agreed"] and (filled["decision"].get("intra") == one["intra"]) == (
                same or first["intra"] == second["intra"]
            )


def test_what_one_person_alone_said_is_agreed_on_by_nobody() -> None:
    handler, config = stage_kind("adjudicate"), config_of("adjudicate")
    arrival = Arrival("adapt", config_of("adapt"), [Vote("p-0", {"strategies": ["non_transferable"]})])
    shown = handler.presented(handler.take_over({}, arrival, config), "x")
    filled = handler.form_values(shown, config, {})
    assert not filled["agreed"] and filled["decision"] == stage_kind("adapt").draft_of({})


def test_what_cannot_be_carried_over_needs_no_sentence() -> None:
    payload = take("adapt", {"strategies": ["non_transferable"]})
    assert payload == {
        "strategies": ["non_transferable"],
        "intra": "Non-transferrable",
        "inter": "Non-transferrable",
    }


def test_marks_may_come_as_positions_or_as_tags() -> None:
    tags = take(
        "adapt", {"strategies": ["neutral_term"], "intra": "A <CSI>meal</CSI>.", "inter": "<CSI> 餐 </CSI>。"}
    )
    spans = take(
        "adapt",
        {
            "strategies": ["neutral_term"],
            "intra": "A meal.",
            "intra_spans": [[2, 6]],
            "inter": "餐。",
            "inter_spans": [[0, 1]],
        },
    )
    assert (
        tags
        == spans
        == {"strategies": ["neutral_term"], "intra": "A <CSI> meal </CSI>.", "inter": "<CSI> 餐 </CSI>。"}
    )


def test_flags_are_those_that_half_of_the_judges_gave() -> None:
    found = decide(
        "judge_answer",
        {"verdict": "applicable", "flags": ["refusal"]},
        {"verdict": "incorrect", "flags": ["refusal", "nonsensical"]},
        {"verdict": "conditional"},
        answers=3,
    )
    assert (found.result["label"], found.result["flags"]) == (0.5, ["refusal"])


def test_groups_count_people_not_answers() -> None:
    group = {"groups": [{"answers": ["떡", "밥"], "en_answers": ["rice", "rice"]}]}
    assert decide("group_answers", group).result["groups"] == [
        {"answers": ["떡", "밥"], "en_answers": ["rice"], "count": 2}
    ]


@given(st.text(alphabet="ab 🍲é", min_size=3, max_size=12), st.data())
def test_tags_go_in_and_come_out_at_the_same_code_points(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    problems: dict[str, str] = {}
    spans = spans_of({"spans": [[start, end]]}, "spans", text, problems)
    if problems:
        assert not text[start:end].strip()
        return
    plain, found = untag(tag(text, spans))
    assert (plain, found) == (text, spans)


@pytest.mark.parametrize("text", ["<CSI>a", "a</CSI>", "<CSI>a<CSI>b</CSI></CSI>", "</CSI>a<CSI>"])
def test_tags_that_do_not_pair_are_no_tags(text: str) -> None:
    assert untag(text)[1] is None


def test_a_description_without_a_rule_is_a_kind_whose_last_answer_counts() -> None:
    kind = read_kind(
        {
            "name": "proverbs",
            "about": "what proverbs mean",
            "content": {"proverb": {"most": 9}},
            "show": [{"field": "proverb", "type": "text"}],
            "ask": [{"key": "meaning", "type": "text", "label": "Meaning?", "missing": "Write it."}],
        }
    )
    config = {**config_of("curate"), "answers": 2}
    content = kind.check_content({"proverb": " A rule. "}, config)
    assert content == {"proverb": "A rule."}
    with pytest.raises(SubmissionError, match="has 10 characters; 9 is the most"):
        kind.check_content({"proverb": "A proverb."}, config)
    with pytest.raises(SubmissionError, match=r"meaning: Write it\."):
        kind.validate({}, content, config)
    votes = [Vote("p-1", {"meaning": "a"}), Vote("p-2", {"meaning": "b"})]
    assert kind.decide(votes[:1], content, config) == Decision("wait", 1)
    assert kind.decide(votes, content, config) == Decision("done", result={"meaning": "b"})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"rule": "coin"}, "rule: has to be one of: last, "),
        ({"colour": "red"}, "colour: is not a setting of a kind"),
        ({"show": [{"type": "film"}]}, r"show\[0\].type: has to be one of: text, image"),
        ({"ask": [{"key": "a", "type": "essay"}]}, r"ask\[0\].type: has to be one of: choice"),
        ({"ask": [{"key": "a", "type": "text", "color": 1}]}, r"ask\[0\].color: is no setting here"),
        (
            {"ask": [{"key": "a", "type": "text", "required": {"key": "b", "is": "c"}}]},
            r"ask\[0\].required: names no part above it",
        ),
    ],
)
def test_a_description_with_a_mistake_is_refused_in_words(change: Mapping[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^kind of stage x: {problem}"):
        read_kind({"name": "x", "about": "y", **change})


@pytest.mark.parametrize(
    ("part", "digits"),
    [
        ({"type": "scale"}, {1: "1", 2: "2", 3: "3", 4: "4", 5: "5"}),
        ({"type": "scale", "least": 0, "most": 2}, {0: "0", 1: "1", 2: "2"}),
        ({"type": "scale", "most": 10}, {**{n: str(n) for n in range(1, 10)}, 10: "0"}),
        ({"type": "scale", "least": 0, "most": 10}, {number: str(number) for number in range(10)}),
        ({"type": "scale", "least": -1, "most": 1}, {-1: "1", 0: "2", 1: "3"}),
        ({"type": "scale", "least": 9, "most": 11}, {9: "1", 10: "2", 11: "3"}),
        ({"type": "choice", "options": ["a", "b"]}, {"a": "1", "b": "2"}),
        ({"type": "choice", "options_from": "o", "positions": True, "reversed": True, "field": "x"}, {1: "1", 0: "2"}),
        ({"type": "several", "options": [*"abcdefghijk"]}, {each: str(n) for n, each in enumerate("abcdefghi", 1)}),
        ({"type": "choice", "options": [{"value": "a", "label": "A", "press": "q"}]}, {}),
        ({"type": "choice", "options": [{"value": "a", "label": "A", "press": "q"}], "numbered": True}, {"a": "1"}),
        ({"type": "choice", "options": [{"value": "a", "label": "A", "press": ""}]}, {"a": "1"}),
        ({"type": "choice", "options_from": "o", "lettered": True, "field": "x"}, {}),
        ({"type": "text"}, {}),
    ],
)  # fmt: skip
def test_digits_choose_what_stands_in_a_place_or_is_the_number(
    part: Mapping[str, Any], digits: Mapping[Any, str]
) -> None:
    part = {"key": "it", "label": "It", **part}
    assert shown_part(part, [part], {"o": ["yes", "no"]}, None)["digits"] == digits


def test_an_answer_is_one_however_its_letters_are_written() -> None:
    typed = [unicodedata.normalize("NFD", "떡국"), "떡국", unicodedata.normalize("NFD", "phở")]
    assert take("short_answers", {"answers": typed})["answers"] == ["떡국", "phở"]


@pytest.mark.parametrize("begins", ["starts_as", "otherwise"])
@pytest.mark.parametrize(
    ("type", "value", "shown"),
    [
        ("text", None, "begun"), ("text", "", "begun"), ("text", "mine", "mine"),
        ("texts", None, "begun"), ("texts", [], "begun"), ("texts", ["mine"], ["mine"]),
        ("spans", None, "begun"), ("spans", [], []),  # whoever takes every mark away says so
        ("several", [], []),
    ],
)  # fmt: skip
def test_a_part_begins_with_what_the_item_has_until_something_is_said(
    begins: str, type: str, value: Any, shown: Any
) -> None:
    part = {"key": "it", "label": "It", "type": type, "field": "text", "options": ["a", "b"]}
    content = {"text": "a b", "first": "begun"}
    assert shown_part({**part, begins: "first"}, [part], content, value)["value"] == shown
    assert shown_part(part, [part], content, value)["value"] == value


def test_every_rule_is_used() -> None:
    assert {type(kind).__name__ for kind in STAGE_KINDS.values()} == {
        getattr(rule, "func", rule).__name__ for rule in RULES.values()
    }


@pytest.mark.parametrize(
    ("value", "bounds", "text", "problem"),
    [
        (" rice ", {}, "rice", None),
        (None, {}, "", "must be text"),
        (" ", {}, "", "must not be empty"),
        ("\u200b\ufeff\u3164", {}, "", "must not be empty"),
        ("\u200e밥", {}, "\u200e밥", None),
        ("\u06dd", {}, "\u06dd", None),  # the end of a verse
        (" ", {"least": 0}, "", None),
        (" ", {"ask": "Say it."}, "", "Say it."),
        ("rice", {"least": 4, "most": 4}, "rice", None),
        ("rice", {"least": 5}, "rice", "needs at least 5 characters; it has 4"),
        ("rice", {"least": 5, "ask": "Say more."}, "rice", "Say more."),
        ("rice", {"most": 3, "ask": "Say it."}, "rice", "has 4 characters; 3 is the most"),
        ("x" * 4000, {}, "x" * 4000, None),
        ("x" * 4001, {}, "x" * 4001, "has 4001 characters; 4000 is the most"),
    ],
)
def test_a_text_is_bounded_and_what_is_wrong_with_it_is_said(
    value: object, bounds: dict[str, Any], text: str, problem: str | None
) -> None:
    problems: dict[str, str] = {}
    assert text_of({"it": value}, "it", problems, **bounds) == text
    assert problems == ({} if problem is None else {"it": problem})
