"""Phrases with which models decline to answer, in the languages that questions are asked in.

Short and to the point: a phrase is listed when it says that no answer will be given ("I do not know", "I
cannot answer", "as a language model"), in the wording that models use.
"""

from __future__ import annotations

import re
from functools import cache

PHRASES = {
    "en": (
        r"\bI\s*(?:['’]m|\s+am)\s+(?:(?:really|very|so)\s+)?(?:sorry(?!\s+(?:for|about|to\s+hear)\b)|unable|not\s+able|afraid)\b",
        r"\bI\s+(?:can\s*not|can['’]?t|won['’]?t|will\s+not|must\s+decline|have\s+to\s+decline|decline)\b",
        r"\bI\s+(?:do\s+not|don['’]?t)\s+(?:know|have\s+(?:enough\s+)?(?:information|knowledge|an?\s+answer)|feel\s+comfortable)\b",
        r"\bI(?:\s+would|['’]d)\s+rather\s+not\b",
        r"\bas\s+an?\s+(?:AI|artificial\s+intelligence|(?:large\s+)?language\s+model)\b",
        r"\b(?:unable|not\s+possible)\s+to\s+(?:answer|assist|help|provide|determine)\b",
        r"\bcannot\s+(?:answer|assist|help|comply|provide)\b",
        r"^\W*(?:sorry|my\s+apologies|I\s+apologi[sz]e)\b",
    ),
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
    "bn": (
        r"(?:আমি|আমার) জান(?:ি|া) (?:না|নেই)",
        r"^\W*(?:আমি )?(?:দুঃখিত|ক্ষমা কর)",
        r"উত্তর দিতে পার(?:ছি|ব|বো|ি) না",
        r"ভাষা মডেল হিসে?বে",
    ),
    "ha": (
        r"\bban sani ba\b",
        r"^\W*(?:ka |ki |ku )?(?:yi|yi mini) ha[kƙ]uri\b",
        r"\bba zan iya (?:amsa|bayar|ba da|taimak)",
        r"\bba ni da (?:wani |cikakken )?(?:bayani|bayanai|masaniya)\b",
    ),
    "bg": (
        r"\bне знам\b",
        r"^\W*(?:съжалявам|извинете|извинявам се)\b",
        r"не мога да (?:отговоря|дам|предоставя|помогна)",
        r"(?:нямам|не разполагам с) (?:достатъчно )?информация",
        r"като (?:езиков модел|изкуствен интелект)",
    ),
    "eu": (
        r"\bez dakit\b",
        r"^\W*(?:barkatu|sentitzen dut)\b",
        r"\bezin (?:dut|diot|dizut) (?:erantzun|eman|lagundu)",
        r"\bez (?:dut|daukat) (?:nahikoa )?informaziorik",
        r"\bhizkuntza[- ]eredu (?:bat )?(?:naizenez|gisa)",
    ),
    "fr": (
        r"\bje ne (?:le )?sais pas\b",
        r"^\W*(?:désolé|je suis désolé|je m['’]excuse)",
        r"\bje ne (?:peux|puis) pas (?:répondre|fournir|donner|aider)",
        r"\bje n['’]ai pas (?:d['’]information|assez d['’]information|la réponse)",
        r"\ben tant (?:que|qu['’]) ?(?:modèle de langage|modèle de langue|intelligence artificielle|ia\b)",
    ),
    "ga": (
        r"\bníl a fhios agam\b",
        r"^\W*(?:tá brón orm|gabh mo leithscéal|gabhaim pardún)",
        r"\bní féidir liom (?:freagra|freagairt|cabhrú|eolas)",
        r"\bníl (?:aon |go leor )?(?:eolas|faisnéis)[^.]{0,20} agam\b",
        r"\bmar (?:mhúnla|shamhail) teanga",
    ),
    "ja": (
        r"(?:分|わ)かりません|知りません|存じません",
        r"^\W*(?:申し訳|すみません|ごめんなさい)",
        r"(?:お答え|回答|提供)(?:することは|することが)?(?:でき(?:ません|かねます)|いたしかねます)",
        r"情報(?:が|は|を)(?:ありません|持って(?:いません|おりません))",
        r"(?:AI|人工知能|言語モデル)(?:として|なので|ですので)",
    ),
    "ms": (
        r"\bsaya tidak (?:tahu|pasti)\b",
        r"^\W*(?:mohon )?maaf\b",
        r"\btidak (?:dapat|boleh) (?:menjawab|memberikan|membantu)",
        r"\btidak (?:mempunyai|ada) maklumat\b",
        r"\bsebagai (?:sebuah )?(?:model bahasa|ai|kecerdasan buatan)\b",
    ),
    "sv": (
        r"\bjag vet inte\b",
        r"^\W*(?:tyvärr|jag beklagar|förlåt|ursäkta)\b",
        r"\bjag kan (?:inte|tyvärr inte) (?:svara|ge|hjälpa)",
        r"\bjag har (?:inte|ingen) (?:tillräcklig |tillräckligt med )?information",
        r"\bsom (?:en )?(?:språkmodell|ai)\b",
    ),
    "ta": (
        r"தெரியாது|தெரியவில்லை",
        r"^\W*(?:மன்னிக்கவும்|மன்னிக்க|வருந்துகிறேன்)",
        r"பதிலளிக்க (?:முடியாது|முடியவில்லை|இயலாது)",
        r"மொழி மாதிரி(?:யாக|யாகிய)",
    ),
    "tl": (
        r"\bhindi ko (?:po )?alam\b",
        r"^\W*(?:paumanhin|pasensya|ikinalulungkot)",
        r"\bhindi (?:ko|ako) (?:po )?(?:masasagot|makakasagot|maibibigay|makapagbibigay|makakatulong)",
        r"\bwala (?:po )?akong (?:sapat na )?impormasyon\b",
        r"\bbilang isang (?:modelo ng wika|ai)\b",
    ),
    "am": (r"አላውቅም", r"^\W*ይቅርታ", r"(?:መመለስ|መልስ መስጠት) አልችልም", r"መረጃ የለኝም", r"እንደ (?:ቋንቋ ሞዴል|ሰው ሰራሽ)"),
}
"""Language -> patterns, any of which says that the reply declines; ``^`` stands for the reply's beginning."""


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    phrases = PHRASES.get(language)
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.I) if phrases else None


def is_refusal(reply: str, language: str = "en", *, within: int = 400) -> bool:
    """Whether the first ``within`` characters of a reply say, in English or in ``language``, that no answer
    will be given.

    Models decline in English whatever they are asked in, so English always counts; a language without phrases
    adds nothing. Meant for replies in which no answer was found: "I am not sure, but the answer is B" answers
    and should be read first.
    """
    patterns = (_pattern(code) for code in dict.fromkeys(("en", language)))
    return any(pattern.search(reply[:within]) for pattern in patterns if pattern is not None)
