"""Where a text names options, by their texts (the longest where they overlap) or their letters: each becomes one
character."""

from __future__ import annotations

import pytest

from folkways.text.labels.mentions import with_letters, with_texts


@pytest.mark.parametrize(
    ("text", "options", "marked"),
    [
        ("green tea, Tea", ("tea", "green tea"), "1, 0"),
        ("tea tea!", ("tea", "Tea!"), "tea tea!"),  # of two that have it, neither
        ("no tea", ("no", "tea"), "no 1"),
        ("or both, the answer", ("or", "both", "answer"), "or both, the answer"),
        ("no way, tea", ("no way", "tea"), "0, 1"),
        ("b, tea", ("b", "tea"), "b, 1"),
        ("é, tea", ("é", "tea"), "0, 1"),
        ("7, tea", ("7", "tea"), "0, 1"),
        ("teapot", ("tea", "pot"), "teapot"),
        ("hot tea with", ("tea with milk", "hot tea"), "1 with"),
        ("tea", ("", "tea"), "1"),
        ("차는 차고", ("차", "물"), "0 차고"),  # with a particle, and not with another ending
        ("teas", ("tea", "te"), "teas"),
    ],
)
def test_texts_of_options_are_marked_where_they_are_whole_words(
    text: str, options: tuple[str, ...], marked: str
) -> None:
    found = with_texts(text, dict(zip("ABCD", options, strict=False)))
    assert (
        "".join(chr(ord(c) - 0xE000 + ord("0")) if "\ue000" <= c <= "\ue0ff" else c for c in found) == marked
    )


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("A common dish", "A common dish"),
        ("A veces", "A veces"),
        ("A\tlot", "A\tlot"),
        ("A is right", "0 is right"),
        ("A правильный ответ", "0 правильный ответ"),  # no article there
        ("A 맞다", "0 맞다"),
        ("A Tea", "0 Tea"),
        ("A B", "0 1"),
        ("A-B, A.B, B's, xB, Bé", "A-B, A.B, B's, xB, Bé"),
        ("vitamin A", "vitamin A"),
        ("plan B is", "plan B is"),
        ("I think B", "I think 1"),
        ("B) yes", "1) yes"),
        ("b) yes", "1) yes"),
        ("no\nb. yes", "no\n1. yes"),
        ("a:", "0:"),
        ("(b) tea", "(1) tea"),
        ('the "b" one', 'the "1" one'),
        ("option b", "option 1"),
        ("the answer is b", "the answer is 1"),
        ("answer a dog", "answer a dog"),
        ("boxed{b", "boxed{1"),
        ("选b", "选1"),
        ("it is b tea", "it is b tea"),
        ("say b.", "say b."),
        ("E is F", "4 is F"),
    ],
)
def test_letters_are_marked_where_they_are_no_words(text: str, marked: str) -> None:
    found = with_letters(text, "ABCDE")
    assert (
        "".join(chr(ord(c) - 0xE100 + ord("0")) if "\ue100" <= c <= "\ue1ff" else c for c in found) == marked
    )
