"""Phrases with which models decline to answer, in the languages that questions are asked in other than English.

Short and to the point: a phrase is listed when it says that no answer will be given ("I do not know", "I cannot answer", "as a
language model"), in the wording that models use. English is in ``folkways.metrics.refusals``.
"""

from __future__ import annotations

import re
from functools import cache

PHRASES = {
    "es": (
        r"\bno (?:lo )?sé\b",
        r"\blo siento\b",
        r"\bno (?:puedo|podría) (?:responder|contestar|proporcionar|dar|ayudar)",
        r"\bno (?:tengo|dispongo de) (?:suficiente )?información\b",
        r"\bcomo (?:un |una )?(?:modelo de lenguaje|ia|inteligencia artificial)\b",
    ),
    "id": (
        r"\b(?:saya|aku) (?:tidak|kurang) tahu\b",
        r"^\W*(?:mohon )?maaf\b",
        r"\btidak (?:dapat|bisa) (?:menjawab|memberikan|membantu)",
        r"\btidak (?:memiliki|mempunyai|punya) informasi\b",
        r"\bsebagai (?:sebuah )?(?:model bahasa|ai|kecerdasan buatan)\b",
    ),
    "zh": (
        r"不知道",
        r"^\W*(?:很|非常)?(?:抱歉|对不起|對不起)",
        r"(?:无法|不能|無法)(?:回答|提供|确定|確定|给出)",
        r"作为(?:一个|一名)?(?:AI|ai|人工智能|语言模型)",
    ),
    "ko": (
        r"모르겠|모릅니다|알 수 없습니다",
        r"^\W*(?:죄송|미안)",
        r"답변?(?:을|를)? ?(?:드릴|제공할|할) 수 없",
        r"정보(?:가|를)? ?(?:없습니다|가지고 있지 않)",
        r"(?:ai|인공지능|언어) ?(?:언어 )?모델(?:로서|이므로|이라서)",
    ),
    "ar": (
        r"لا (?:أعرف|أعلم|ادري|أدري)",
        r"^\W*(?:أنا )?(?:آسف|اسف|عذرا|عذرًا|أعتذر|المعذرة)",
        r"لا (?:أستطيع|يمكنني|استطيع) (?:الإجابة|تقديم|مساعدت|أن أجيب)",
        r"(?:ليس لدي|ليست لدي|لا أملك) (?:أي )?معلومات",
        r"(?:كنموذج|بصفتي|بصفتى) (?:لغ|نموذج|ذكاء)",
    ),
    "el": (
        r"δεν (?:γνωρίζω|ξέρω)",
        r"^\W*(?:λυπάμαι|συγγνώμη|ζητώ συγγνώμη)",
        r"δεν μπορώ να (?:απαντήσω|δώσω|παρέχω|βοηθήσω)",
        r"δεν (?:έχω|διαθέτω) (?:αρκετές )?πληροφορίες",
        r"ως (?:γλωσσικό μοντέλο|μοντέλο γλώσσας|τεχνητή νοημοσύνη)",
    ),
    "fa": (
        r"نمی[\u200c ]?دانم",
        r"^\W*(?:متاسف|متأسف|ببخشید|پوزش|معذرت)",
        r"نمی[\u200c ]?توانم (?:پاسخ|جواب|کمک|اطلاعات)",
        r"اطلاعاتی (?:در این مورد )?ندارم",
        r"به[\u200c ]عنوان (?:یک )?(?:مدل زبان|هوش مصنوعی)",
    ),
    "az": (
        r"\bbilmirəm\b",
        r"^\W*(?:üzr istəyirəm|bağışlayın|təəssüf)",
        r"cavab verə bilm(?:ərəm|irəm)",
        r"məlumatım yoxdur",
        r"(?:dil modeli|süni intellekt) (?:kimi|olaraq)",
    ),
    "su": (
        r"\b(?:teu|henteu) (?:nyaho|terang|apal|uninga)\b",
        r"^\W*(?:hapunten|punten|hampura)",
        r"\b(?:teu|henteu) (?:tiasa|bisa) (?:ngajawab|masihan|méré|mere)",
        r"\bsalaku (?:modél|model) basa\b",
    ),
    "as": (r"নাজানো", r"^\W*(?:মই )?(?:দুঃখিত|ক্ষমা কৰ)", r"উত্তৰ দিব (?:নোৱাৰো|নোৱাৰোঁ)", r"ভাষা মডেল হিচাপে"),
    "bn": (r"(?:আমি|আমার) জান(?:ি|া) (?:না|নেই)", r"^\W*(?:আমি )?(?:দুঃখিত|ক্ষমা কর)", r"উত্তর দিতে পার(?:ছি|ব|বো|ি) না", r"ভাষা মডেল হিসে?বে"),
    "ha": (
        r"\bban sani ba\b",
        r"^\W*(?:ka |ki |ku )?(?:yi|yi mini) ha[kƙ]uri\b",
        r"\bba zan iya (?:amsa|bayar|ba da|taimak)",
        r"\bba ni da (?:wani |cikakken )?(?:bayani|bayanai|masaniya)\b",
    ),
    "am": (r"አላውቅም", r"^\W*ይቅርታ", r"(?:መመለስ|መልስ መስጠት) አልችልም", r"መረጃ የለኝም", r"እንደ (?:ቋንቋ ሞዴል|ሰው ሰራሽ)"),
}
"""Language -> patterns, any of which says that the reply declines; ``^`` stands for the reply's beginning."""


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    phrases = PHRASES.get(language)
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.I) if phrases else None


def declines_in(language: str, reply: str, *, within: int = 400) -> bool:
    """Whether the first ``within`` characters of a reply say, in that language, that no answer will be given.

    False for a language without phrases. Meant for replies in which no answer was found: look for the answer first.
    """
    pattern = _pattern(language)
    return pattern is not None and pattern.search(reply[:within]) is not None
