"""The forms in which a sentence is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.xcr.authors import for_people, rejoined
from folkways.benchmarks.xcr.tasks import masked, without_tags


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("At the <CSI> pub </CSI>, again.", "At the pub, again."),
        ("<CSI>Tea</CSI> and <CSI> scones </CSI>", "Tea and scones"),
        ('He said "<CSI> cheers </CSI>" twice.', 'He said "cheers" twice.'),
        ('Quoted "words" <CSI> follow </CSI> here', 'Quoted "words" follow here'),
        ("the<CSI> queue</CSI>was", "the queue was"),
        ("A <CSI> May Day dance.", "A May Day dance."),
        ("no tags", "no tags"),
    ],
)
def test_tags_go_with_the_spaces_that_came_with_them(sentence: str, plain: str) -> None:
    assert without_tags(sentence) == plain


def test_every_closed_item_is_masked_and_an_open_one_is_left() -> None:
    assert masked("<CSI>Tea</CSI> or <CSI> coffee </CSI>?") == "<CSI> [MASK] </CSI> or <CSI> [MASK] </CSI>?"
    assert masked("A <CSI> dance.") == "A <CSI> dance."


@given(st.lists(st.sampled_from(["tea", "<CSI>", "</CSI>", " ", ",", "\n"]), max_size=12).map("".join))
def test_no_tag_is_left_over(sentence: str) -> None:
    assert "CSI>" not in without_tags(sentence)


def test_lines_broken_by_a_page_are_rejoined_and_lists_kept() -> None:
    lines = (
        "Adapt the sen-",
        "tence for Bengali/Chinese/",
        "Arabic readers",
        "and friends.",
        "1. Intra-lingual",
        "2. Two.",
    )
    text = "\n".join((*lines, "Give [Intra-", "lingual, x]."))
    assert rejoined(text) == (
        "Adapt the sentence for Bengali/Chinese/ Arabic readers and friends.\n1. Intra-lingual\n2. "
        "Two.\nGive [Intra-lingual, x]."
    )
    assert for_people(text, "Chinese").startswith("Adapt the sentence for Chinese readers")
