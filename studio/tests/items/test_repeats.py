"""Questions that read like another one of their stage."""

from __future__ import annotations

from math import log

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items import repeats
from folkways_studio.items import service as items
from folkways_studio.people import participants, suspension
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work import adjudications
from studio.tests.support.studies import ON_A_FILE, open_study, stored

KOREA = "What do people in Korea"
QUESTIONS = [
    f"{KOREA} eat for breakfast?",
    f"{KOREA} usually have for BREAKFAST",
    *(
        f"{KOREA} {rest}?"
        for rest in ("wear at weddings", "do on New Year's Day", "drink after work", "sing at school")
    ),
]
KOREAN = [
    {"english": "It is asked otherwise", "question": "아침에 무엇을 먹나요?"},
    {"english": "Quite another wording", "question": "아침에 무엇을 드시나요?"},
]


NAMES = stage_kind("curate").compared


def test_the_closest_are_those_that_share_what_is_rare(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "curate", "kind": "curate"}])
    added = study.add(
        "curate",
        [{"category": "Food", **each} for each in (*({"english": each} for each in QUESTIONS), *KOREAN)],
    )
    first, *others, last = (items.get_item(study.workspace, study.record.id, number) for number in added)
    found = repeats.similar_items(study.workspace, first, NAMES)
    assert found[0].key == others[0].key and found[0].content["english"] == QUESTIONS[1]
    assert first.key not in {each.key for each in found}
    assert found[1:] and all(found[0].likeness > each.likeness >= repeats.ALIKE for each in found[1:])
    assert not found[0].settled
    adjudications.adjudicate(
        study.workspace, study.record.id, others[0].id, study.owner, {}, "about no culture", drop=True
    )
    assert others[0].key not in {each.key for each in repeats.similar_items(study.workspace, first, NAMES)}, (
        "what was dropped repeats nothing"
    )
    (same,) = repeats.similar_items(study.workspace, last, NAMES)
    assert same.content["english"] == "It is asked otherwise", "found by the language in which it was written"


@ON_A_FILE
def test_what_people_who_left_have_written_repeats_nothing_and_imported_items_still_do(
    studio_workspace: Workspace,
) -> None:
    stages = [
        {"name": "write", "kind": "collect_question", "cap": 9},
        {"name": "other", "kind": "collect_question"},
    ]
    study = open_study(studio_workspace, stages)
    stays, leaves, out = study.person(), study.person(), study.person()
    question = f"{KOREA} eat for breakfast?"
    for number, person in enumerate((stays, stays, leaves, out)):
        answer = {"category": "Food", "question": f"아침에 무엇을 먹나요 {number}?", "english": question}
        study.answer(person, answer, "write")
    written = items.list_items(study.workspace, study.record.id)
    assert [each.author_id for each in written] == [stays.id, stays.id, leaves.id, out.id]
    with study.workspace.write() as connection:
        row = {**stored(study.workspace, schema.items, "id")[0], "key": "imported", "author_id": None}
        connection.execute(sa.insert(schema.items).values(row))
        connection.execute(sa.insert(schema.items).values({**row, "key": "check", "check": {"x": 1}}))
    participants.withdraw(study.workspace, study.record.id, leaves.id)
    suspension.exclude(study.workspace, study.record.id, out.id, "copied", by=study.owner)
    found = repeats.similar_items(study.workspace, written[0], ("english",))
    assert {each.key for each in found} == {written[1].key, "imported"}
    assert repeats.similar_items(study.workspace, written[0], ()) == ()


@ON_A_FILE
def test_at_most_five_are_shown_and_none_that_shares_less_than_three_tenths(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{"name": "curate", "kind": "curate"}])
    texts = ["soup is eaten at noon", *["soup is eaten at noon"] * 6, "tea"]
    added = study.add("curate", [{"category": "Food", "english": each} for each in texts])
    first = items.get_item(study.workspace, study.record.id, added[0])
    found = repeats.similar_items(study.workspace, first, NAMES)
    assert [each.likeness for each in found] == pytest.approx([1.0] * 5)
    last = items.get_item(study.workspace, study.record.id, added[-1])
    assert repeats.similar_items(study.workspace, last, NAMES) == ()


@pytest.mark.parametrize("text", ["春节人们吃什么？", "ماذا يأكل الناس؟", "মানুষ কী খায়?", "What?"])
def test_a_text_is_wholly_like_itself_and_case_and_punctuation_do_not_count(text: str) -> None:
    alike = repeats.likeness(text, ["", text.upper().rstrip("?？؟") + " !", "0"])
    assert alike.tolist() == pytest.approx([0.0, 1.0, 0.0])


@given(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_likeness_is_a_share_in_whatever_letters(own: str, texts: list[str]) -> None:
    alike = repeats.likeness(own, texts)
    assert len(alike) == len(texts) and all(0 <= each <= 1 + 1e-9 for each in alike)


def trigrams_of(text: str) -> set[str]:
    """Three letters in a row of each word, which begins after two spaces and ends before one."""
    words = text.lower().replace("?", " ").replace(",", " ").split()
    return {f"  {word} "[at : at + 3] for word in words for at in range(len(word) + 1)}


@given(st.text("abC ?,", max_size=12), st.lists(st.text("aBc ?,", max_size=12), min_size=1, max_size=5))
def test_likeness_is_the_share_of_trigrams_of_which_rare_ones_weigh_more(own: str, texts: list[str]) -> None:
    others = [trigrams_of(text) for text in texts]
    weights = {
        each: log(1 + len(texts) / max(1, sum(each in other for other in others)))
        for each in trigrams_of(own)
    }
    shares = [
        sum(weight for each, weight in weights.items() if each in other) / (sum(weights.values()) or 1)
        for other in others
    ]
    assert repeats.likeness(own, texts).tolist() == pytest.approx(shares)
