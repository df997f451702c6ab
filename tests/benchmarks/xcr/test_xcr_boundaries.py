"""Where a version ends and the strategy begins: the evidence that decides, and what leaves it open."""

from __future__ import annotations

import re

import pytest

from folkways.benchmarks.xcr.adaptation_reader import (
    boundary_between_versions,
    change_of_script,
    split_off_other_strategy,
    split_off_strategy,
)

COMMA = re.compile(r"[,，]\s*")
LAST_LATIN, FIRST_OTHER = "\u024f", "\u0250"


def parts(text: str, cut: tuple[int, int] | None) -> tuple[str, str] | None:
    return None if cut is None else (text[: cut[0]], text[cut[1] :])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She ate, Label", ("She ate", "Label")),
        (
            "She ate, she drank, Couplet: Transference, Label",
            ("She ate, she drank", "Couplet: Transference, Label"),
        ),
        ("She ate,, Label", ("She ate,", "Label")),
        ("She ate,\n], Label", ("She ate,\n]", "Label")),
        ("She ate, Label, Deletion, Gloss, Calque", ("She ate", "Label, Deletion, Gloss, Calque")),
        (
            "She ate, Label, Deletion, Gloss, Calque, Classifier",
            ("She ate, Label", "Deletion, Gloss, Calque, Classifier"),
        ),
        ("She ate, Label, and drank", None),
        ("Label", None),
    ],
)
def test_the_longest_ending_that_names_only_strategies_is_the_strategy(
    text: str, found: tuple[str, str] | None
) -> None:
    assert split_off_strategy(text, COMMA) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # After the end of a sentence, or another script.
        ("One., Two., Substitution", ("One., Two.", "Substitution")),
        ("One, Two.</CSI> ”, Cultural adaptation", ("One, Two.</CSI> ”", "Cultural adaptation")),
        ("One., Two, Substitution", None),
        ("One, 他, Substitution", ("One, 他", "Substitution")),
        (f"One, {FIRST_OTHER}, Substitution", (f"One, {FIRST_OTHER}", "Substitution")),
        (f"One, {LAST_LATIN}, Substitution", None),
        ("他, One 2, Substitution", None),
        ("1, 2, Substitution", None),
        # Three parts, the first two of three words or more.
        ("One two three, Four five six, Substitution", ("One two three, Four five six", "Substitution")),
        ("One two three, Four five, Substitution", None),
        ("One two, Four five six, Substitution", None),
        ("One two three, Four five six, Seven eight nine, Substitution", None),
        # The same text twice.
        ("Tea, Tea, Substitution", ("Tea, Tea", "Substitution")),
        ("Tea, no, Tea, no, Substitution", ("Tea, no, Tea, no", "Substitution")),
        ("Tea, no, Tea, yes, Substitution", None),
        # No strategy, or nothing before it.
        ("One., Two., and so she went home with them", None),
        ("One., Two., She went home with them all again", None),
        ("Two., Substitution", None),
        ("Substitution", None),
    ],
)
def test_another_strategy_is_taken_only_where_the_versions_have_ended(
    text: str, found: tuple[str, str] | None
) -> None:
    assert split_off_other_strategy(text, COMMA) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One", None),
        ("One, Two", ("One", "Two")),
        # A version that is the bare label; not where both may be.
        ("Non-transferable, He is shy, but sings", ("Non-transferable", "He is shy, but sings")),
        ("He is shy, but sings, Non-transferable", ("He is shy, but sings", "Non-transferable")),
        ("Non-transferable, so, Non-transferable", None),
        # The same on both sides, even where sentences end elsewhere.
        ("Tea., no, Tea., no", ("Tea., no", "Tea., no")),
        # The change of script, or what ends a sentence near it.
        ("Shy, but sings, 他害羞，但是唱歌", ("Shy, but sings", "他害羞，但是唱歌")),
        (
            "Shy, but singing in pubs., TV, 他害羞，但是唱歌，喝茶",
            ("Shy, but singing in pubs.", "TV, 他害羞，但是唱歌，喝茶"),
        ),
        (
            "Shy, but singing in pubs, TV, 他害羞，但是唱歌，喝茶",
            ("Shy, but singing in pubs, TV", "他害羞，但是唱歌，喝茶"),
        ),
        ("Shy, but sings, 1, 他害羞，但是唱歌", None),
        ("Shy, but sings, 1., 他害羞，但是唱歌", ("Shy, but sings, 1.", "他害羞，但是唱歌")),
        # The second comma parts all ten letters, the first nine: near enough where a sentence ends. Nine of
        # eleven are not.
        ("abcdefgh., I, 他", ("abcdefgh.", "I, 他")),
        ("abcdefgh., IJ, 他", ("abcdefgh., IJ", "他")),
        # Letters of both scripts in no order are no change of it.
        ("他她它., ab, c他", ("他她它.", "ab, c他")),
        # In one script the only comma behind a sentence.
        (
            "He is shy, but sings., Er ist scheu, singt aber.",
            ("He is shy, but sings.", "Er ist scheu, singt aber."),
        ),
        ("He is., He sings., Er singt.", None),
        ("He is shy, but sings, Er singt", None),
    ],
)
def test_the_boundary_is_where_the_evidence_is_and_nowhere_without(
    text: str, found: tuple[str, str] | None
) -> None:
    found_at = boundary_between_versions(text, COMMA)
    assert parts(text, found_at) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Shy, but sings, 他害羞，但是唱歌", ("Shy, but sings", "他害羞，但是唱歌")),
        ("他害羞, Shy", None),
        ("Shy 他", None),
        ("Shy, sings", None),
        ("他, 她", None),
        ("Shy, 1, 他", None),
        # Tags are no letters: with them the Latin ones would be more.
        ("a, 他她, <CSI>b</CSI>, 它", ("a", "他她, <CSI>b</CSI>, 它")),
        # Three of five letters on their own side are enough, fewer are not.
        ("a他, b她它", ("a他", "b她它")),
        ("a他她, b它", None),
        (f"ab, {FIRST_OTHER}{FIRST_OTHER}", ("ab", f"{FIRST_OTHER}{FIRST_OTHER}")),
        (f"ab, {LAST_LATIN * 3}他", None),
    ],
)
def test_the_change_of_script_is_one_place_or_none(text: str, found: tuple[str, str] | None) -> None:
    assert parts(text, change_of_script(text, COMMA)) == found
