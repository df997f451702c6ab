"""What may be changed about a study that is there, by hand: each setting, and what stands in its way."""

from __future__ import annotations

from typing import Any

import pytest

from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.editing import Use, compare

WHOLE = {
    "name": "test-study", "title": "A study", "licence": "CC-BY-4.0", "consent": "You agree.",
    "models": {"helper": "small"},
    "populations": [
        {"name": "asia", "culture": "KR"},
        {"name": "korea", "culture": "KR", "language": "ko", "criteria": [{"name": "years", "ask": "Years?", "least": 5}]},
    ],
    "stages": [{"name": "verify", "kind": "vote", "answers": 4, "majority": 3}, {"name": "again", "kind": "vote"}],
}  # fmt: skip
STRICTER = [{"name": "years", "ask": "Years?", "least": 9}]
COUNTED = [
    {"name": "sex", "ask": "Sex?", "options": ["f", "m"], "quota": {"f": 5}, "margins": {"f": 1, "m": 1}}
]
FREELY = {"quota": {"m": 9}, "margins": {"f": 2, "m": 1}, "ask": "Which sex?"}
REWORDED = [{"name": "years", "ask": "How many years?", "least": 5}]
VERIFY, AGAIN = WHOLE["stages"]
ASIA, KOREA = WHOLE["populations"]
CHANGES: list[tuple[dict[str, Any], Use, str]] = [
    ({"licence": "CC0-1.0"}, Use(agreed=True), "licence"),
    ({"models": {"helper": "large"}}, Use(asked=True), "models"),
    ({"populations": [ASIA]}, Use(populations={"korea"}), "population korea"),
    ({"populations": [ASIA, {**KOREA, "culture": "KP"}]}, Use(populations={"korea"}), "population korea, culture"),
    ({"populations": [ASIA, {**KOREA, "language": "en"}]}, Use(populations={"korea"}), "population korea, language"),
    ({"populations": [ASIA, {**KOREA, "part_of": "asia"}]}, Use(populations={"korea"}), "population korea, part_of"),
    ({"populations": [ASIA, {**KOREA, "criteria": STRICTER}]}, Use(populations={"korea"}), "population korea, criteria"),
    ({"stages": [AGAIN, VERIFY]}, Use(stages={"again"}), "stages"),
    ({"stages": [VERIFY]}, Use(stages={"again"}), "stage again"),
    ({"stages": [{"name": "verify", "kind": "adapt"}, AGAIN]}, Use(stages={"verify"}), "stage verify, kind"),
    ({"stages": [{**VERIFY, "role": "reviewer"}, AGAIN]}, Use(stages={"verify"}), "stage verify, role"),
    ({"stages": [{**VERIFY, "majority": 4}, AGAIN]}, Use(stages={"verify"}), "stage verify, majority"),
    ({"stages": [{**VERIFY, "answers": 3}, AGAIN]}, Use(stages={"verify"}), "stage verify, answers"),
]  # fmt: skip
"""What may be changed until people have met it: the setting, what stands in its way, and what is named."""
ELSEWHERE = Use(populations={"elsewhere"}, stages={"elsewhere"})


@pytest.mark.parametrize(("change", "use", "named"), CHANGES, ids=[each[2] for each in CHANGES])
def test_what_nobody_has_met_may_change_and_the_rest_may_not(
    change: dict[str, Any], use: Use, named: str
) -> None:
    old, new = read_definition(WHOLE), read_definition({**WHOLE, **change})
    free = compare(old, new, ELSEWHERE)
    assert free.refused == [] and named in [each.partition(": ")[0] for each in free.changes]
    assert named in [each.partition(": ")[0] for each in compare(old, new, use).refused]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"populations": [ASIA, {**KOREA, "criteria": REWORDED}]}, "population korea, criteria: changed"),
        ({"populations": [ASIA, KOREA, {"name": "peru", "culture": "PE"}]}, "population peru: added"),
        ({"stages": [{**VERIFY, "answers": 5}, AGAIN]}, "stage verify, answers: 4 is now 5"),
        ({"stages": [VERIFY, AGAIN, {"name": "last", "kind": "vote"}]}, "stage last: added"),
        ({"stages": [{**VERIFY, "minutes": 2}, AGAIN]}, "stage verify, minutes: None is now 2"),
    ],
)
def test_more_and_better_words_may_come_at_any_time(change: dict[str, Any], line: str) -> None:
    met = Use(agreed=True, asked=True, populations={"korea", "asia"}, stages={"verify", "again"})
    edit = compare(read_definition(WHOLE), read_definition({**WHOLE, **change}), met)
    assert line in edit.changes and edit.refused == []


@pytest.mark.parametrize("key", FREELY)
@pytest.mark.parametrize("is_there", [True, False], ids=["stays", "goes"])
def test_what_lets_nobody_in_by_a_recruitment_question_may_change(key: str, is_there: bool) -> None:
    (asked,) = COUNTED
    changed = (
        {**asked, key: FREELY[key]}
        if is_there or key == "ask"
        else {k: v for k, v in asked.items() if k != key}
    )
    old, new = (
        read_definition({**WHOLE, "populations": [ASIA, {**KOREA, "criteria": [each]}]})
        for each in (asked, changed)
    )
    edit = compare(old, new, Use(agreed=True, populations={"korea", "asia"}))
    assert (edit.changes, edit.refused) == (["population korea, criteria: changed"], [])


SHOWN = {"field": "story", "type": "text", "label": "Story"}
FITTING = {
    "key": "fitting",
    "type": "scale",
    "label": "How fitting?",
    "ends": ["not at all", "entirely"],
    "within": 1,
}
WHO = {
    "key": "who",
    "type": "several",
    "label": "Who?",
    "help": "One or more.",
    "options": ["hosts", "guests", "all"],
}
FORM = {"name": "rate", "kind": "form", "show": [SHOWN], "ask": [FITTING, WHO]}
REWORDED_FORMS = [
    {"show": [{**SHOWN, "label": {"en": "A story", "ar": "قصة"}}]},
    {"ask": [{**FITTING, "label": "How polite?"}, WHO]},
    {"ask": [{**FITTING, "help": "Where you live."}, WHO]},
    {"ask": [{**FITTING, "ends": ["never", "always"]}, WHO]},
    {"ask": [FITTING, {**WHO, "help": "All that do."}]},
    {
        "ask": [
            FITTING,
            {**WHO, "options": [{"value": "hosts", "label": "Those who invite"}, "guests", "all"]},
        ]
    },
]
OTHER_FORMS = [
    {"show": [{**SHOWN, "optional": True}]},
    {"show": [SHOWN, {"field": "more", "type": "text"}]},
    {"ask": [FITTING]},
    {"ask": [WHO, FITTING]},
    {"ask": [{**FITTING, "within": 2}, WHO]},
    {"ask": [{**FITTING, "most": 7}, WHO]},
    {"ask": [{**FITTING, "key": "polite"}, WHO]},
    {"ask": [FITTING, {**WHO, "required": False}]},
    {"ask": [FITTING, {**WHO, "options": ["hosts", "guests"]}]},
    {
        "ask": [
            FITTING,
            {**WHO, "options": [{"value": "those who invite", "label": "hosts"}, "guests", "all"]},
        ]
    },
]


@pytest.mark.parametrize(
    ("change", "asks_the_same"),
    [*((change, True) for change in REWORDED_FORMS), *((change, False) for change in OTHER_FORMS)],
)
def test_the_words_of_a_form_may_change_at_any_time_and_what_it_asks_may_not(
    change: dict[str, Any], asks_the_same: bool
) -> None:
    old, new = (read_definition({**WHOLE, "stages": [each]}) for each in (FORM, {**FORM, **change}))
    (key,) = change
    assert compare(old, new, ELSEWHERE).changes == [f"stage rate, {key}: changed"]
    met = compare(old, new, Use(stages={"rate"}))
    assert met.changes == [f"stage rate, {key}: changed"][:asks_the_same]
    assert len(met.refused) == (not asks_the_same)
