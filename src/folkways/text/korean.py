"""Korean: particles are taken off nouns by rules.

Up to three particles follow a noun, the last topic, object or copula (학교에서는, 친구와의). A word of one syllable keeps what it
has, and a particle whose choice hangs on a final consonant must fit it (은/는, 을/를, 과/와, 으로/로). The subject's 이 stays, for
it also makes nouns of verbs (떡볶이). Facts from H.-M. Sohn, The Korean Language (Cambridge, 1999), section 8.3.
"""

from __future__ import annotations

from folkways.text.affixes import longest_first

_AFTER_CONSONANT = longest_first("은 을 과 으로 이나 이랑 이다 이요 이에요 이며 이라고 으로서 으로써 이었습니다 입니다")
_AFTER_VOWEL = longest_first("는 가 를 와 로 나 랑 다 요 예요 며 라고 로서 로써 였습니다")
_AFTER_BOTH = "들 의 에 에서 에게 께 께서 한테 도 만 까지 부터 처럼 마다 보다 에요 인데"
_PARTICLES = longest_first(*_AFTER_CONSONANT, *_AFTER_VOWEL, _AFTER_BOTH)
_MOST = 3
_FIRST, _LAST, _FINALS = ord("가"), ord("힣"), 28


def stem(word: str) -> str:
    """The word without its particles."""
    for _ in range(_MOST):
        shorter = next((word[: -len(end)] for end in _PARTICLES if word.endswith(end) and _fits(word[: -len(end)], end)), word)
        if shorter == word:
            break
        word = shorter
    return word


def _fits(noun: str, particle: str) -> bool:
    """Whether a particle can stand behind a noun: two syllables at least, and the right one of a pair."""
    if len(noun) < 2 or not _FIRST <= ord(noun[-1]) <= _LAST:
        return False
    closed = (ord(noun[-1]) - _FIRST) % _FINALS != 0
    if particle in _AFTER_CONSONANT:
        return closed
    return not (closed and particle in _AFTER_VOWEL)
