"""Votes, short answers and their review: what is taken, counted and handed on, in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.benchmarks.studies import Vote, answers_by_person, count_people
from folkways_studio.errors import SubmissionError
from folkways_studio.stages.base import Arrival, Decision
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import stage_kind

ASKED = {"local": "무엇?", "english": "What?"}


def problems(
    handler: StageKind, submission: Mapping[str, Any], content: Mapping[str, Any], **config: Any
) -> set[str]:
    """The fields that are refused."""
    try:
        handler.validate(submission, content, config)
    except SubmissionError as error:
        return set(error.problems)
    return set()


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (
            "vote",
            {"answers": (5, "count", 1), "majority": (4, "count", 1), "second_round": (True, "flag", 0)},
        ),
        (
            "short_answers",
            {"answers": (5, "count", 1), "most_idk": (5, "count", 0), "most_answers": (3, "count", 1)},
        ),
        ("group_answers", {}),
    ],
)
def test_settings_and_what_they_are_without_being_set(kind: str, settings: dict[str, Any]) -> None:
    assert {
        name: (each.default, each.kind, each.least) for name, each in stage_kind(kind).settings.items()
    } == settings


@pytest.mark.parametrize(
    ("majority", "answers", "valid"),
    [(3, 5, True), (2, 5, False), (5, 5, True), (6, 5, False), (2, 4, False)],
)
def test_a_majority_is_more_than_half(majority: int, answers: int, valid: bool) -> None:
    found = stage_kind("vote").check_config({"majority": majority, "answers": answers})
    assert set(found) == (set() if valid else {"majority"})


@pytest.mark.parametrize("count", [1, 2, 8, 9])
def test_a_question_has_two_to_eight_options(count: int) -> None:
    handler = stage_kind("vote")
    content = {
        "question": " What? ",
        "options": [f" {number} " for number in range(count)],
        "source": "a book",
    }
    if 2 <= count <= 8:
        taken = handler.check_content(content, {})
        assert taken == {
            "question": "What?",
            "options": [str(number) for number in range(count)],
            "source": "a book",
        }
    else:
        with pytest.raises(SubmissionError) as error:
            handler.check_content(content, {})
        assert set(error.value.problems) == {"options"}
    with pytest.raises(SubmissionError) as error:
        handler.check_content({"options": ["a"]}, {})
    assert set(error.value.problems) == {"question", "options"}


def test_a_vote_is_options_or_a_reason_for_none() -> None:
    handler, content = stage_kind("vote"), {"question": "What?", "options": ["a", "b", "c"]}
    assert handler.validate({"choices": [2, 0, 2], "comment": " c "}, content, {}) == {
        "choices": [0, 2], "abstain": None, "comment": "c",
    }  # fmt: skip
    assert handler.validate({"abstain": "cannot_answer"}, content, {}) == {
        "choices": [], "abstain": "cannot_answer", "comment": "",
    }  # fmt: skip
    assert handler.validate({"choices": [1], "abstain": ""}, content, {})["abstain"] is None
    with pytest.raises(SubmissionError, match="positions from 0 to 2"):
        handler.validate({"choices": [3]}, content, {})
    assert problems(handler, {"choices": [1], "abstain": "why not"}, content) == {"choices", "abstain"}
    assert problems(handler, {"choices": [1], "comment": "c" * 4001}, content) == {"comment"}


@example([set(), {0}, set()], 2, True)
@example([set(), {0}, set()], 2, False)
@given(st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=7), st.integers(1, 7), st.booleans())
def test_votes_are_counted_as_by_hand(said: list[set[int]], majority: int, second_round: bool) -> None:
    """An empty set abstains: it does not know where its place is even, and finds the question senseless where
    it is odd."""
    answers = len(said)
    if not answers < 2 * majority <= 2 * answers:
        return
    handler, content = stage_kind("vote"), {"question": "What?", "options": ["a", "b", "c"]}
    votes = []
    for place, chosen in enumerate(said):
        abstain = None if chosen else "cannot_answer" if place % 2 else "dont_know"
        votes.append(
            Vote(f"p-{place}", handler.validate({"choices": sorted(chosen), "abstain": abstain}, content, {}))
        )
    config = {"answers": answers, "majority": majority, "second_round": second_round}
    for some in range(answers):
        assert handler.decide(votes[:some], content, config) == Decision("wait", answers - some)
    counts = [sum(option in chosen for chosen in said) for option in range(3)]
    unknown = sum(not chosen for place, chosen in enumerate(said) if not place % 2)
    senseless = sum(not chosen for place, chosen in enumerate(said) if place % 2)
    result: dict[str, Any] = {"counts": counts, "dont_know": unknown, "cannot_answer": senseless}
    gold = [option for option, count in enumerate(counts) if count >= majority]
    found = handler.decide(votes, content, config)
    if gold:
        assert found == Decision(
            "done", result={**result, "gold": gold, "mode": "multi" if gold[1:] else "single"}
        )
    elif unknown > answers / 2 and second_round:
        assert found == Decision(
            "subpopulation", result=result, reason=f"{unknown} of {answers} did not have the knowledge"
        )
    else:
        assert found == Decision(
            "dropped", result=result, reason=f"no option was chosen by {majority} of {answers} people"
        )


def test_more_votes_than_were_wanted_are_counted_too() -> None:
    handler, content = stage_kind("vote"), {"question": "What?", "options": ["a", "b"]}
    votes = [Vote(f"p-{place}", {"choices": [0], "abstain": None, "comment": ""}) for place in range(6)]
    found = handler.decide(votes, content, {"answers": 5, "majority": 4, "second_round": True})
    assert (found.outcome, found.result["counts"]) == ("done", [6, 0])


def test_what_votes_come_to_by_one_person_and_for_agreement() -> None:
    handler = stage_kind("vote")
    assert handler.result_of({"choices": [2]}, {}, {}) == {"gold": [2], "mode": "single"}
    assert handler.result_of({"choices": [0, 2]}, {}, {}) == {"gold": [0, 2], "mode": "multi"}
    assert handler.labels({"choices": [0, 2], "abstain": None}) == {"choices": frozenset({0, 2})}
    assert handler.labels({"choices": [], "abstain": "dont_know"}) == {"choices": frozenset({"dont_know"})}


def test_a_question_for_short_answers_has_two_wordings() -> None:
    handler = stage_kind("short_answers")
    assert handler.check_content(
        {"local": f" {'무' * 500}", "english": "w" * 500, "category": "Food"}, {}
    ) == {"local": "무" * 500, "english": "w" * 500, "category": "Food"}
    for content, wrong in (
        ({"local": "w" * 501, "english": "w" * 501}, {"local", "english"}),
        ({"local": " ", "english": "w"}, {"local"}),
        ({"local": "w"}, {"english"}),
    ):
        with pytest.raises(SubmissionError) as error:
            handler.check_content(content, {})
        assert set(error.value.problems) == wrong


@pytest.mark.parametrize(
    ("submission", "payload"),
    [
        ({"answers": [" a ", "", "b", "a"]}, (["a", "b"], None, "")),
        ({"answers": ["a" * 200, "b", "c"]}, (["a" * 200, "b", "c"], None, "")),
        ({"answers": ["a"], "other": "b"}, (["a"], None, "")),
        ({"answers": ["a"], "no_answer": ""}, (["a"], None, "")),
        ({"no_answer": "idk", "other": "x" * 300}, ([], "idk", "")),
        ({"no_answer": "not_applicable"}, ([], "not_applicable", "")),
        ({"no_answer": "no_specific_answer", "answers": [" "]}, ([], "no_specific_answer", "")),
        ({"no_answer": "other", "other": " x"}, ([], "other", "x")),
        ({"no_answer": "other", "other": "x" * 200}, ([], "other", "x" * 200)),
        ({"no_answer": "other", "other": "x" * 201}, {"other"}),
        ({"no_answer": "other", "other": " "}, {"other"}),
        ({"no_answer": "other"}, {"other"}),
        ({"no_answer": "later"}, {"no_answer"}),
        ({"no_answer": "later", "answers": ["a"]}, {"no_answer", "answers"}),
        ({"no_answer": "idk", "answers": ["a"]}, {"answers"}),
        ({}, {"answers"}),
        ({"answers": []}, {"answers"}),
        ({"answers": ["a", "b", "c", "d"]}, {"answers"}),
        ({"answers": ["a", "b" * 201]}, {"answers"}),
        ({"answers": "a"}, {"answers"}),
        ({"answers": ["a", 1]}, {"answers"}),
    ],
)
def test_short_answers_are_taken_or_refused(submission: dict[str, Any], payload: Any) -> None:
    handler = stage_kind("short_answers")
    if isinstance(payload, set):
        assert problems(handler, submission, ASKED, most_answers=3) == payload
    else:
        found = handler.validate(submission, ASKED, {"most_answers": 3})
        assert found == dict(zip(("answers", "no_answer", "other"), payload, strict=True))


@given(st.lists(st.sampled_from(["idk", "other", None]), max_size=12), st.integers(1, 4), st.integers(0, 3))
def test_only_i_dont_know_is_replaced(said: list[str | None], wanted: int, most_idk: int) -> None:
    votes = [
        Vote(str(place), {"answers": [] if why else ["a"], "no_answer": why, "other": ""})
        for place, why in enumerate(said)
    ]
    idk = said.count("idk")
    valid = len(said) - idk
    found = stage_kind("short_answers").decide(votes, ASKED, {"answers": wanted, "most_idk": most_idk})
    if valid >= wanted or idk > most_idk:
        assert found == Decision("done", result={"valid": valid, "idk": idk})
    else:
        assert found == Decision("wait", wanted - valid)


def test_what_is_redacted_of_short_answers_is_another_way_of_giving_none() -> None:
    handler = stage_kind("short_answers")
    answered = {"answers": ["a", "b"], "no_answer": None, "other": ""}
    assert handler.redacted(answered, ["answers"], ASKED) == {
        "answers": [],
        "no_answer": "other",
        "other": "[redacted]",
    }
    assert handler.redacted(answered, ["other"], ASKED) == answered
    told = {"answers": [], "no_answer": "other", "other": "as we do"}
    assert handler.redacted(told, ["answers", "other"], ASKED) == {**told, "other": "[redacted]"}
    assert handler.redacted(told, ["answers"], ASKED) == told
    assert handler.labels({"answers": ["Soup", "soup", "Rice"], "no_answer": None}) == {
        "answers": frozenset({"soup", "rice"})
    }
    assert handler.labels({"answers": [], "no_answer": "idk"}) == {"answers": frozenset({"idk"})}
    assert handler.own_words == ("answers", "other")


ANSWERED = {
    **ASKED,
    "answers": {"p-1": ["rice", "soup"], "p-2": ["rice", "bread"], "p-3": ["Rice"], "p-4": []},
}


def group(answers: Any, english: Any) -> dict[str, Any]:
    return {"answers": answers, "en_answers": english}


@pytest.mark.parametrize(
    ("groups", "invalid", "wrong", "words"),
    [
        ([group(["rice"], ["r"]), group(["soup"], ["s"])], ["bread", "Rice"], None, ""),
        ([group(["rice", "rice", "Rice"], [" r ", "r", "", "R"])], ["soup", "bread", "soup"], None, ""),
        ([], ["rice", "soup", "bread", "Rice"], None, ""),
        (
            [group(["rice", "soup", "bread", "Rice", "fish"], ["r"])],
            [],
            "groups",
            "Nobody gave these answers: fish$",
        ),
        (
            [group(["rice", "soup", "bread", "Rice"], ["r"])],
            ["fish"],
            "groups",
            "Nobody gave these answers: fish$",
        ),
        (
            [group(["rice", "soup", "bread"], ["r"]), group(["rice", "Rice"], ["r"])],
            [],
            "groups",
            "are in two places: rice$",
        ),
        ([group(["rice", "soup", "bread", "Rice"], ["r"])], ["soup"], "groups", "are in two places: soup$"),
        ([group(["rice", "soup"], ["r"])], [], "groups", "call them invalid: bread, Rice$"),
        ([group(["rice", "soup", "bread", "Rice"], [" "])], [], "groups", "need an English wording"),
        ([group(["rice", "soup", "bread", "Rice"], ["r"]), group([], ["r"])], [], "groups", "has no answers"),
        ([group("rice", ["r"])], [], "groups", "list of groups"),
        ([group(["rice"], "r")], [], "groups", "list of groups"),
        ([group(["rice", 1], ["r"])], [], "groups", "list of groups"),
        ([group(["rice"], [1])], [], "groups", "list of groups"),
        ([{"answers": ["rice"]}], [], "groups", "list of groups"),
        (["rice"], [], "groups", "list of groups"),
        ("rice", [], "groups", "list of groups"),
        ([], "rice", "invalid", "list of answers"),
        ([], [1], "invalid", "list of answers"),
    ],
)
def test_every_answer_is_in_one_group_or_invalid(
    groups: Any, invalid: Any, wrong: str | None, words: str
) -> None:
    handler = stage_kind("group_answers")
    if wrong is None:
        found = handler.validate({"groups": groups, "invalid": invalid}, ANSWERED, {})
        assert found == {
            "groups": [
                group(
                    list(dict.fromkeys(each["answers"])),
                    list(dict.fromkeys(filter(None, map(str.strip, each["en_answers"])))),
                )
                for each in groups
            ],
            "invalid": sorted(set(invalid)),
        }
    else:
        with pytest.raises(SubmissionError, match=words) as error:
            handler.validate({"groups": groups, "invalid": invalid}, ANSWERED, {})
        assert set(error.value.problems) == {wrong}
    assert problems(handler, {}, ANSWERED) == {"groups"}
    assert handler.validate({}, {**ASKED, "answers": {}}, {}) == {"groups": [], "invalid": []}


def test_what_is_to_be_grouped_is_a_list_for_each_person() -> None:
    handler = stage_kind("group_answers")
    assert handler.check_content(ANSWERED, {}) == {**ANSWERED, "idks": {}}
    assert handler.check_content({**ANSWERED, "idks": {"idk": 1}}, {})["idks"] == {"idk": 1}
    for content, wrong in (
        ({**ANSWERED, "local": " "}, {"local"}),
        ({**ANSWERED, "english": ""}, {"english"}),
        ({**ASKED, "answers": ["rice"]}, {"answers"}),
        ({**ASKED, "answers": {"p-1": ["rice"], "p-2": "rice"}}, {"answers"}),
        ({}, {"local", "english", "answers"}),
    ):
        with pytest.raises(SubmissionError) as error:
            handler.check_content(content, {})
        assert set(error.value.problems) == wrong
    assert handler.own_words == ("groups", "invalid")


def test_groups_are_ordered_by_how_many_people_gave_them() -> None:
    handler = stage_kind("group_answers")
    said = {
        "groups": [group(["soup"], ["s"]), group(["bread"], ["b"]), group(["rice", "Rice"], ["r"])],
        "invalid": ["x"],
    }
    settled = {
        "groups": [
            {**group(["rice", "Rice"], ["r"]), "count": 3}, {**group(["soup"], ["s"]), "count": 1},
            {**group(["bread"], ["b"]), "count": 1},
        ],
        "invalid": ["x"],
    }  # fmt: skip
    assert handler.result_of(said, ANSWERED, {}) == settled
    votes = [Vote("r-1", {"groups": [], "invalid": []}), Vote("r-2", said)]
    assert handler.decide(votes[:1], ANSWERED, {"answers": 2}) == Decision("wait", 1)
    assert handler.decide([], ANSWERED, {"answers": 2}) == Decision("wait", 2)
    assert handler.decide(votes, ANSWERED, {"answers": 2}) == Decision("done", result=settled)
    assert handler.decide(votes, ANSWERED, {"answers": 1}) == Decision("done", result=settled)


def test_what_people_said_arrives_at_the_review() -> None:
    said: list[tuple[list[str], str | None, str]] = [
        (["rice", "soup"], None, ""),
        ([], "idk", ""),
        ([], "other", "as we do"),
        ([], "not_applicable", ""),
        ([], "idk", ""),
        ([], "no_specific_answer", ""),
    ]
    votes = [
        Vote(f"p-{place}", {"answers": answers, "no_answer": why, "other": other})
        for place, (answers, why, other) in enumerate(said)
    ]
    found = {
        "answers": {"p-0": ["rice", "soup"], **{f"p-{place}": [] for place in range(1, 6)}},
        "idks": {"not-applicable": 1, "no-answer": 1, "idk": 2, "as we do": 1},
    }
    assert answers_by_person(votes) == found
    assert answers_by_person([]) == {"answers": {}, "idks": {"not-applicable": 0, "no-answer": 0, "idk": 0}}
    content = {**ASKED, "category": "Food", "template": "t", "valid": 1, "idk": 5}
    arrived = stage_kind("group_answers").take_over(content, Arrival("short_answers", {}, votes), {})
    assert arrived == {**ASKED, "category": "Food", "template": "t", **found}
    assert stage_kind("group_answers").take_over(ASKED, Arrival("short_answers", {}, []), {}).keys() == {
        *ASKED,
        "answers",
        "idks",
    }


@given(
    st.lists(st.sampled_from("abcd"), max_size=3),
    st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from("abcd"), max_size=3)),
)
def test_a_person_counts_once_for_a_group(variants: list[str], answers: dict[str, list[str]]) -> None:
    people = Counter(
        person for person, given_ones in answers.items() for each in set(given_ones) if each in variants
    )
    assert count_people(variants, answers) == len(people)
