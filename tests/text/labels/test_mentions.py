"""Where a text names options: each text becomes one character, the longest where they overlap."""

from __future__ import annotations

import pytest

from folkways.text.labels.mentions import with_texts


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
