"""Replies that decline, in the languages that questions are asked in, and replies that only look like it."""

from __future__ import annotations

import pytest

from folkways.cultures import cultures_of
from folkways.metrics.refusals import declines
from folkways.text.refusals import PHRASES, declines_in

DECLINING = {
    "es": "Lo siento, no puedo responder a eso.",
    "id": "Maaf, saya tidak tahu.",
    "zh": "抱歉，我无法回答这个问题。",
    "ko": "죄송하지만 잘 모르겠습니다.",
    "ar": "عذرًا، لا أعرف الجواب.",
    "el": "Λυπάμαι, δεν γνωρίζω.",
    "fa": "متأسفم، نمی‌دانم.",
    "az": "Üzr istəyirəm, bilmirəm.",
    "su": "Hapunten, abdi teu terang.",
    "as": "ক্ষমা কৰিব, মই নাজানো।",
    "bn": "দুঃখিত, আমি জানি না।",
    "ha": "Yi haƙuri, ban sani ba.",
    "am": "ይቅርታ፣ አላውቅም።",
}
ANSWERING = {
    "es": "Café con leche y pan",
    "id": "nasi goreng",
    "zh": "喝茶",
    "ko": "김치찌개를 먹습니다.",
    "ar": "الشاي الأخضر",
    "el": "Καφές",
    "fa": "چای و نان",
    "az": "çay içirlər",
    "su": "nginum entéh",
    "as": "চাহ খায়",
    "bn": "চা খায়",
    "ha": "shinkafa da miya",
    "am": "ቡና ይጠጣሉ",
}


@pytest.mark.parametrize("language", DECLINING)
def test_declining_and_answering(language: str) -> None:
    assert declines_in(language, DECLINING[language])
    assert not declines_in(language, ANSWERING[language])


def test_every_language_of_the_benchmark_is_covered() -> None:
    asked = {culture.languages[0] for culture in cultures_of("blend")}
    assert asked - {"en"} <= set(PHRASES)
    assert declines("I'm sorry, I can't answer that.")
    assert not declines_in("en", "I do not know")


def test_only_the_beginning_is_looked_at() -> None:
    assert not declines_in("es", "café " * 200 + "no lo sé")
