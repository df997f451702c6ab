"""Replies that decline, in the languages that questions are asked in, and replies that only look like it."""

from __future__ import annotations

import pytest

from folkways.benchmarks.semeval2026.tasks import LANGUAGES
from folkways.cultures import cultures_of
from folkways.text.refusals import PHRASES, is_refusal

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
    "bg": "Съжалявам, не знам.",
    "eu": "Barkatu, ez dakit.",
    "fr": "Désolé, je ne sais pas.",
    "ga": "Tá brón orm, níl a fhios agam.",
    "ja": "申し訳ありませんが、わかりません。",
    "ms": "Maaf, saya tidak tahu.",
    "sv": "Tyvärr, jag vet inte.",
    "ta": "மன்னிக்கவும், எனக்குத் தெரியாது.",
    "tl": "Paumanhin, hindi ko alam.",
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
    "bg": "баница с айран",
    "eu": "txakolina eta pintxoak",
    "fr": "une baguette et du fromage",
    "ga": "tae agus arán donn",
    "ja": "おにぎりと味噌汁",
    "ms": "nasi lemak dan teh tarik",
    "sv": "köttbullar och potatis",
    "ta": "இட்லி மற்றும் சாம்பார்",
    "tl": "kanin at adobo",
}


@pytest.mark.parametrize("language", DECLINING)
def test_declining_and_answering(language: str) -> None:
    assert is_refusal(DECLINING[language], language)
    assert not is_refusal(ANSWERING[language], language)


def test_every_language_of_the_benchmark_is_covered() -> None:
    asked = {*LANGUAGES, *(culture.languages[0] for culture in cultures_of("blend"))}
    assert asked <= set(PHRASES)


@pytest.mark.parametrize("language", [*DECLINING, "xx"])
def test_english_counts_in_every_language_and_the_others_only_in_theirs(language: str) -> None:
    assert is_refusal("I'm sorry, I can't answer that.", language)
    assert language == "xx" or not is_refusal(DECLINING[language])


def test_only_the_beginning_is_looked_at() -> None:
    assert not is_refusal("café " * 200 + "no lo sé", "es")
    phrase = "I don't know"
    assert is_refusal(f"{'x' * (399 - len(phrase))} {phrase}")
    assert not is_refusal(f"{'x' * (400 - len(phrase))} {phrase}")
    assert is_refusal(f"a {phrase}", within=2 + len(phrase))
    assert not is_refusal(f"a {phrase}", within=1 + len(phrase))


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot answer this question.",
        "As an AI language model, I have no culture.",
        "Sorry, no.",
        "I don't know.",
        "I’d rather not say",
        "It is not possible to determine the answer.",
    ],
)
def test_english_replies_that_decline(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "",
        "Well, I'm sorry for the trouble. People bring rice.",
        "They say sorry when they bump into someone.",
        "The answer is rice.",
        "People cannot enter with shoes.",
    ],
)
def test_english_replies_that_do_not(reply: str) -> None:
    assert not is_refusal(reply)
