"""What a reply repeats of its prompt: whole sentences, examples; never what may be said for its own sake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.text.repeated import ENOUGH, without_repeated

QUESTION = "When do shops close in Ireland? (Give it in HH:MM format (e.g., 18:00, 09:00).)"
WORDS = st.lists(st.sampled_from(["rice", "tea", "18:00", "茶", "お", "ሻይ", "கோபுரம்", "a"]), max_size=9)


@pytest.mark.parametrize(
    ("text", "source", "left"),
    [
        ("Shops close at 18:00", QUESTION, "Shops close at 18:00"),
        ("The answer is 18:00, 09:00.", QUESTION, "The answer is  ."),
        ("18:00. 09:30.", QUESTION, "18:00. 09:30."),
        ("Most SHOPS CLOSE IN Ireland at six.", QUESTION, "Most   at six."),
        ("朝に何を飲みますか？お茶", "朝に何を飲みますか。", "？お茶"),
        ("お茶を飲みます", "朝に何を飲みますか。", "お茶を飲みます"),
        ("கோபுரத்தின் பெயர் என்ன மணி", "பிரபலமான கோபுரத்தின் பெயர் என்ன?", " மணி"),
        ("Which month? (In numerals, 7, 8, only.) May", "Which month? (In numerals, 7, 8, only.)", ".) May"),
        ("何時？7、8、か", "何時？7、8、か", ""),
        ("high school", "Where do high school students study?", "high school"),
        ("where do high school stud", "Where do high school students study?", ""),
        ("high school stud", "Where do high school students study?", "high school stud"),
        ("북한에서 학생들이 외국으로 가", "북한에서 학생들이 외국으로 가장 가고 싶어 하는 나라는?", ""),
        ("", "a b c", ""),
        ("a b c", "", "a b c"),
    ],
)
def test_runs_that_stand_in_both_go(text: str, source: str, left: str) -> None:
    assert without_repeated(text, source) == left


@given(WORDS, WORDS)
def test_words_that_the_source_lacks_stay_and_nothing_of_the_source_itself_if_it_is_enough(
    text: list[str], source: list[str]
) -> None:
    left = without_repeated(" ".join(text), " ".join(source)).split()
    assert [word for word in text if word not in source] == [word for word in left if word not in source]
    weights = {"18:00": 1.5, "茶": 0.5, "お": 0.5}
    again = without_repeated(" ".join(source), " ".join(source)).split()
    assert again == (source if sum(weights.get(word, 1) for word in source) < ENOUGH else [])
