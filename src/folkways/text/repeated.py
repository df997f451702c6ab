"""What a text repeats of another: a question repeated in a reply is not part of its answer.

About one question in twenty of BLEnD's kind has an answer of people among its own words ("Where do high
school students study?").
"""

from __future__ import annotations

from functools import lru_cache

from folkways.text.languages.simple import UNSPACED, SimpleSegmenter

ENOUGH = 3.0
_SEGMENTER = SimpleSegmenter()


def without_repeated(text: str, source: str) -> str:
    """``text`` without what it repeats of ``source``: three words on end or more, two numbers, or six
    characters or syllables of scripts without spaces.

    Case and characters between words do not matter. Less than that may be said for its own sake ("high
    school"). Nothing is left of a text that is a piece of ``source``, also where a token limit cut its last
    word.
    """
    runs = _of_source(source)
    pieces: list[str] = []
    done = 0
    for start, end, run in _runs(text):
        if run in runs:
            pieces.append(text[done:start])
            done = end
    if done and text.strip().casefold() in source.casefold():
        return ""
    return " ".join(part for part in (*pieces, text[done:]) if part)


@lru_cache(maxsize=1024)
def _of_source(source: str) -> frozenset[tuple[str, ...]]:
    return frozenset(run for _, _, run in _runs(source))


def _runs(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where runs of words that weigh enough begin and end, and their words: the shortest from each word on,
    and the shortest up to each word, since a light word at the end of a text is in none of the first kind."""
    words = [(start, end, text[start:end].casefold()) for start, end in _SEGMENTER.spans(text)]
    runs: list[tuple[int, int]] = []
    first, weight = 0, 0.0
    for last, (_, _, word) in enumerate(words):
        weight += _weight(word)
        while weight >= ENOUGH:
            runs.append((first, last))
            weight -= _weight(words[first][2])
            first += 1
        if runs and runs[-1][1] != last:
            runs.append((first - 1, last))
    return [
        (words[first][0], words[last][1], tuple(word for _, _, word in words[first : last + 1]))
        for first, last in runs
    ]


def _weight(word: str) -> float:
    if word[0].isdecimal():
        return 1.5
    return 0.5 if UNSPACED.match(word) else 1.0
