"""Replies made to be difficult, for cultures of which there are no reference verdicts.

They are made as the reference's are said to be, in about its shares: accepted answers as they stand, in a
sentence, in other forms, in pieces and out of order, and wrong ones. The forms of a culture are the words of
its answers and questions, bare and with each frequent affix. Two of them stand for each other where the
authors' tool gives both one stem (``same``), or where they begin alike and it does not (``near``); the reply
never has the answer in it as it stands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.releases.release_records import Release

SEED = 2406
BEGIN_ALIKE = 3
"""Letters that near misses share."""

KINDS = {
    "exact": 22, "sentence": 8, "inflected": 6, "stump": 6, "same": 8, "near": 6, "between": 7, "turned": 3, "part": 4, "list": 3,
    "elsewhere": 19, "english": 4, "english inflected": 1, "english wrong": 3,
}  # fmt: skip
"""How a reply is made -> its share in per cent; "same", "near", "stump" and "inflected" are what the choice
of a tool decides."""

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "am": ("ን", "ው", "ም", "የ-", "በ-", "ለ-", "ከ-"),
    "ar": ("ات", "ين", "ها", "هم", "ال-", "وال-", "ب-", "لل-"),
    "as": ("টো", "বোৰ", "ৰ", "ত", "লৈ", "ক"),
    "az": ("lar", "lər", "ın", "in", "da", "də", "dan", "dən", "ı", "i", "dır", "nın", "çı"),
    "en": ("s", "es", "ing", "ed", "'s"),
    "fa": (
        "ها",
        "های",
        "ی",
        "م",
        "ش",
        "\u200cها",
        "\u200cهای",
        "مان",
        "ان",
        "ات",
        "ت",
        "تر",
        "ترین",
        "هایش",
        "شان",
        "یی",
    ),
    "ha": ("n", "r", "nsu", "nta", "nsa", "ai", "una"),
    "id": (
        "nya",
        "an",
        "kan",
        "lah",
        "i",
        "di-",
        "ber-",
        "me-",
        "pe-",
        "se-",
        "ku",
        "mu",
        "pun",
        "ku-",
        "ke-",
        "ter-",
    ),
    "ko": ("에서", "를", "은", "하고", "의", "들이", "하는 것", "적인", "했습니다", "이에요"),
    "su": (
        "na",
        "an",
        "keun",
        "eun",
        "di-",
        "ka-",
        "pa-",
        "sa-",
        "nga-",
        "ning",
        "ing",
        "pang-",
        "pi-",
        "mi-",
        "ti-",
        "ba-",
    ),
    "zh": ("们", "了", "类食品", "的"),
}
"""Language -> frequent affixes, whether or not they fit a word; those that end in a hyphen go before it."""

SENTENCES: Mapping[str, tuple[str, ...]] = {
    "am": ("ብዙውን ጊዜ {} ነው",),
    "ar": ("عادة {}", "في رأيي، {} وغيرها", "الأكثر شيوعا هو {}"),
    "as": ("মোৰ মতে {}", "সাধাৰণতে {} ।"),
    "az": ("adətən {}", "məncə, {} ən çox yayılmışdır", "insanlar {} seçirlər"),
    "en": ("I think it is {}.", "People usually have {} there", "The most common one is {}!"),
    "fa": ("معمولا {}", "به نظر من {} است", "بیشتر مردم {} را دوست دارند"),
    "ha": ("yawanci {} ne", "ina ganin {}", "mutane suna son {}"),
    "id": ("biasanya {}", "menurut saya, {} dan lainnya", "orang suka {}"),
    "ko": ("보통 {}를 많이 합니다", "{}입니다", "가장 흔한 것은 {}이에요"),
    "su": ("biasana {}", "numutkeun abdi, {} jeung sajabana", "jalma resep {}"),
    "zh": ("应该是“{}”", "一般来说，人们会选择{}", "{}等"),
}
FILLERS = {
    "am": "በጣም", "ar": "جدا", "as": "বহুত", "az": "çox", "en": "really", "fa": "خیلی", "ha": "sosai", "id": "sekali", "ko": "아주",
    "su": "pisan", "zh": "一些",
}  # fmt: skip


@dataclass(frozen=True)
class Words:
    """The forms that may stand for each word of a culture, in lower case; only words that have such forms."""

    same: Mapping[str, list[str]]
    near: Mapping[str, list[str]]


def words_of(culture: str, language: str, items: pl.DataFrame) -> list[str]:
    """The distinct words of a culture's answers and questions in a language, as white space divides them."""
    key, question = ("en_answers", "question_en") if language == "en" else ("answers", "question_local")
    own = items.filter(pl.col("culture") == culture)
    answers = [answer for groups in own["groups"].to_list() for group in groups for answer in group[key]]
    return sorted(
        {word.strip(".,?!؟،:;()\"'").lower() for text in (*answers, *own[question]) for word in text.split()}
        - {""}
    )


def forms_of(words: Sequence[str], language: str) -> list[str]:
    """The words, and each with every affix of the language."""
    return sorted({*words, *(_with_affix(word, affix) for word in words for affix in ENDINGS[language])})


def neighbours(words: Sequence[str], forms: Sequence[str], stem: Callable[[str], str]) -> Words:
    """For each word the other forms with its stem, and the words that only begin as it does."""
    by_stem: dict[str, list[str]] = {}
    for form in forms:
        by_stem.setdefault(stem(form), []).append(form)
    by_start: dict[str, list[str]] = {}
    for word in words:
        by_start.setdefault(word[:BEGIN_ALIKE], []).append(word)
    same = {word: [other for other in by_stem[stem(word)] if other != word] for word in words}
    near = {
        word: [other for other in by_start[word[:BEGIN_ALIKE]] if stem(other) != stem(word)] for word in words
    }
    return Words(*({word: others for word, others in found.items() if others} for found in (same, near)))


def made_replies(
    culture: str, language: str, items: pl.DataFrame, release: Release, words: Words, seed: int = SEED
) -> pl.DataFrame:
    """A response to each of the culture's questions in the language, as ``judge`` takes them."""
    draw = random.Random(f"{seed} {culture} {language}")
    own = items.filter(pl.col("culture") == culture)
    prompts = ShortAnswers().prompts(own, PromptOptions(languages=(language,), variants=("inst-4",)), release)
    groups = dict(own.select("item", "groups").iter_rows())
    key = "en_answers" if language == "en" else "answers"
    everything = [
        answer for found in groups.values() for group in found for answer in group[key] if answer.strip()
    ]
    kinds = draw.choices(list(KINDS), list(KINDS.values()), k=prompts.height)

    def reply(item: str, kind: str) -> str:
        if kind.startswith("english") and language != "en":
            english = [answer for group in groups[item] for answer in group["en_answers"] if answer.strip()]
            if english and kind != "english wrong":
                answer = draw.choice(english)
                return _inflected(answer, "en", draw) if kind == "english inflected" else answer
        accepted = [answer for group in groups[item] for answer in group[key] if answer.strip()]
        if not accepted or kind in ("elsewhere", "english wrong"):
            return draw.choice(everything)
        answer = draw.choice(accepted)
        text = _changed(answer, kind, language, words, draw)
        if kind == "list":
            text = ", ".join([draw.choice(everything), text])
        return (
            draw.choice(SENTENCES[language]).format(text)
            if kind == "sentence" or draw.random() < 0.4
            else text
        )

    return prompts.select("task", "item", "language", "variant").with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        reason=pl.lit(None, dtype=pl.String),
        response=pl.Series(
            [reply(item, kind) for item, kind in zip(prompts["item"], kinds, strict=True)], dtype=pl.String
        ),
        prompt=prompts["user"],
    )


def _changed(answer: str, kind: str, language: str, words: Words, draw: random.Random) -> str:
    """An answer as ``kind`` says; as it stands where that cannot be."""
    parts = answer.split()
    if kind in ("inflected", "stump"):
        return _inflected(answer, language, draw, stump=kind == "stump")
    if kind in ("same", "near"):
        others = words.same if kind == "same" else words.near
        changed = [
            text
            for place, word in enumerate(parts)
            for other in others.get(word.lower(), ())
            if answer.lower() not in (text := " ".join([*parts[:place], other, *parts[place + 1 :]])).lower()
        ]
        return draw.choice(changed) if changed else _inflected(answer, language, draw, stump=True)
    if kind == "between":
        parts.insert(draw.randrange(len(parts) + 1), FILLERS[language])
    elif kind == "turned":
        draw.shuffle(parts)
    elif kind == "part":
        parts = [draw.choice(parts)]
    return " ".join(parts)


def _inflected(answer: str, language: str, draw: random.Random, stump: bool = False) -> str:
    """One word of an answer with an affix; a stump is one letter shorter."""
    parts = answer.split()
    place = draw.randrange(len(parts))
    word = parts[place][:-1] if stump and len(parts[place]) > BEGIN_ALIKE else parts[place]
    parts[place] = _with_affix(word, draw.choice(ENDINGS[language]))
    return " ".join(parts)


def _with_affix(word: str, affix: str) -> str:
    return affix[:-1] + word if affix.endswith("-") else word + affix
