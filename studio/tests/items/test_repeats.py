"""Questions that read like another one of their stage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.items import repeats
from folkways_studio.items import service as items
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work import adjudications
from studio.tests.support.studies import open_study

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
    desk = open_study(studio_workspace, [{"name": "curate", "kind": "curate"}])
    added = desk.add(
        "curate",
        [{"category": "Food", **each} for each in (*({"english": each} for each in QUESTIONS), *KOREAN)],
    )
    first, *others, last = (items.get_item(desk.workspace, desk.study.id, number) for number in added)
    found = repeats.similar_items(desk.workspace, first, NAMES)
    assert found[0].key == others[0].key and found[0].content["english"] == QUESTIONS[1]
    assert first.key not in {each.key for each in found}
    assert found[1:] and all(found[0].likeness > each.likeness >= repeats.ALIKE for each in found[1:])
    assert not found[0].settled
    adjudications.adjudicate(
        desk.workspace, desk.study.id, others[0].id, desk.owner, {}, "about no culture", drop=True
    )
    assert others[0].key not in {each.key for each in repeats.similar_items(desk.workspace, first, NAMES)}, (
        "what was dropped repeats nothing"
    )
    (same,) = repeats.similar_items(desk.workspace, last, NAMES)
    assert same.content["english"] == "It is asked otherwise", "found by the language in which it was written"


@pytest.mark.parametrize("text", ["春节人们吃什么？", "ماذا يأكل الناس؟", "মানুষ কী খায়?", "What?"])
def test_a_text_is_wholly_like_itself_and_case_and_punctuation_do_not_count(text: str) -> None:
    alike = repeats.likeness(text, ["", text.upper().rstrip("?？؟") + " !", "0"])
    assert alike.tolist() == pytest.approx([0.0, 1.0, 0.0])


@given(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_likeness_is_a_share_in_whatever_letters(own: str, texts: list[str]) -> None:
    alike = repeats.likeness(own, texts)
    assert len(alike) == len(texts) and all(0 <= each <= 1 + 1e-9 for each in alike)
