"""Korean: particles are taken off nouns by rules.

Up to three particles follow a noun, the last topic, object or copula (학교에서는, 친구와의, 친구하고), or a
form of 하다, which makes a verb of it; 적인 and 적으로 make adjectives and adverbs of nouns of two
syllables or more. A particle whose choice hangs on a final consonant must fit it (은/는, 을/를, 과/와,
으로/로); after foreign letters and digits, whose sound is unknown, each fits (FIFA를). A word of one
syllable loses only particles in which few such words end (술은, 밤에서, but not 포도 or 회의). The
subject's 이 stays after roots of verbs, which it turns into nouns (떡볶이). Facts from H.-M. Sohn, The
Korean Language (Cambridge, 1999), sections 8.3 and 9.3.
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first

_AFTER_CONSONANT = longest_first(
    "이 은 을 과 으로 이나 이랑 이다 이요 이에요 이며 이라고 으로서 으로써 이었습니다 입니다"
)
_AFTER_VOWEL = longest_first("는 가 를 와 로 나 랑 다 요 예요 며 라고 로서 로써 였습니다")
_VERBAL = "하다 합니다 했습니다 해요 했어요"
_AFTER_BOTH = "들 의 에 에서 에선 에게 에겐 께 께서 한테 하고 도 만 까지 부터 처럼 마다 보다 에요 인데"
_PARTICLES = longest_first(*_AFTER_CONSONANT, *_AFTER_VOWEL, _AFTER_BOTH, _VERBAL)
_ALSO_SHORT = frozenset(longest_first("은 을 를 에 에서 에선 에게 까지 부터 하고"))
_ROOTS = frozenset("볶놀걸받잡맞풀꽂튀쌓높깊넓")
"""Roots of verbs that make nouns with 이: 떡볶이, 윷놀이, 목걸이, 손잡이, 뽑기풀이."""
_ADJECTIVAL = re.compile("(?<=..)적(?:인|으로)$")
_MOST = 3
_FIRST, _LAST, _FINALS, _RIEUL = ord("가"), ord("힣"), 28, 8


def stem(word: str) -> str:
    """The word without its particles."""
    word = _ADJECTIVAL.sub("", word)
    for _ in range(_MOST):
        word = next(
            (word[: -len(end)] for end in _PARTICLES if word.endswith(end) and _fits(word[: -len(end)], end)),
            word,
        )
    return word


def _fits(noun: str, particle: str) -> bool:
    """Whether a particle can follow a noun: the right one of a pair, and after one syllable only a safe
    one."""
    if not noun or not _FIRST <= ord(noun[-1]) <= _LAST:
        return noun != ""
    if len(noun) == 1 and particle not in _ALSO_SHORT:
        return False
    final = (ord(noun[-1]) - _FIRST) % _FINALS
    closed = final != 0 and not (final == _RIEUL and particle.startswith("로"))
    if particle in _AFTER_CONSONANT:
        return closed and not (particle == "이" and noun[-1] in _ROOTS)
    return not (closed and particle in _AFTER_VOWEL)
