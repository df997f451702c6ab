"""Letters with which other scripts number options (أ ب ج د, А Б В Г, ア イ ウ エ), and how their languages
announce an answer.

Questions are shown with Latin letters, and a model that answers in the language of the question may all the
same name the second option ب or Б. Only a letter that stands alone is read, and of series only those that
exams of the language use.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

SERIES: tuple[tuple[str, ...], ...] = (
    ("أ|ا|إ|آ|الف|ألف", "ب", "ج", "د"),  # Arabic, Persian, Urdu
    ("А", "Б", "", "Г"),  # Cyrillic; its third letter looks like a Latin B, see ``in_latin``
    ("Α", "Β", "Γ", "Δ"),  # Greek
    ("א", "ב", "ג", "ד"),  # Hebrew
    ("क", "ख", "ग", "घ"),  # Devanagari, in the order of the alphabet
    ("अ", "ब", "स", "द"),  # the same, by the sound of a, b, c and d
    ("ক", "খ", "গ", "ঘ"),  # Bengali and Assamese
    ("அ", "ஆ", "இ", "ஈ"),  # Tamil
    ("ก", "ข", "ค", "ง"),  # Thai
    ("ア", "イ", "ウ", "エ"),  # Japanese
    ("가|ㄱ", "나|ㄴ", "다|ㄷ", "라|ㄹ"),  # Korean
    ("甲", "乙", "丙", "丁"),  # Chinese
    ("ა", "ბ", "გ", "დ"),  # Georgian
    ("Ա", "Բ", "Գ", "Դ"),  # Armenian
    ("ሀ", "ለ", "ሐ", "መ"),  # Amharic
)
"""The first four letters of each series; ``|`` between spellings of one."""

_LOOKS_LATIN = "С"
"""Cyrillic, and beyond the fourth letter: where it stands for an option it was meant as the Latin C."""

_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"
    "\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_CYRILLIC_SMALL = "(?-i:[а-џ])"
_KANA = "\u30a1-\u30ff"
_PART_OF_WORD = rf"\w{_MARKS}'’-"
"""What makes a letter part of a word. А, Б, В and С are words too ("and", "would", "in", "with") before one
in small letters; kana may touch words in other letters: 答えはイです."""

ANNOUNCEMENTS = normalize(
    "NFKC",
    r"""
    (?: ответ | вариант | відповідь | варіант | отговор | одговор | адказ | жауап(?:ы)? | תשובה | התשובה | उत्तर | जवाब
      | विकल्प | 答え | 正解 | 解答 | 回答 | คำตอบ(?:คือ)? | ข้อ | პასუხი(?:ა)? | պատասխան(?:ը)? | விடை | பதில்
      | సమాధానం | ഉത്തരം | جواب | الجواب )
    [^A-Za-z.!?。！？؟।\n]{0,20}
""",
)
"""Words for an answer in languages with other letters, beyond those of ``labels``; what follows are words
like "is"."""

LATIN_ANNOUNCEMENTS = r"""
    \b (?: réponse | antwort | risposta | resposta | antwoord | svar(?:et)? | vastaus | válasz | răspuns(?:ul)? | odpowied[źz]
         | odpověď | odpoveď | odgovor | cevap | đáp\ án | jibu | sagot | jawapan | vastus | atsakymas | erantzuna
         | përgjigj(?:a|ja) | javob )
    (?-i: \s* [:=–—-] | \s+ [^\W\d_A-Z]{1,12} (?=\W) ){0,4} \s+
"""
"""The same in languages with Latin letters, and up to four words in small letters: "die richtige Antwort ist
B"."""

NEGATION = re.compile(
    r"""(?: \b(?: не | ні | nicht | pas | non | não | niet | inte | nie | není | nije | nem | ei | không\ phải
              | hindi | bukan | si(?:yo|o) )
          | לא | नहीं | না | ไม่ใช่ ) \s* [\[({"'“‘<]* $""",
    re.I | re.X,
)


def _alone(spellings: str) -> str:
    if re.match(rf"[{_KANA}]", spellings):
        return (
            rf"(?<![{_KANA}\w])(?:{spellings})(?![{_KANA}])|(?<=[\u3041-\u3096])(?:{spellings})(?![{_KANA}])"
        )
    is_word = rf"(?!\s+{_CYRILLIC_SMALL})" if re.match("[А-Я]", spellings) else ""
    return rf"(?<![{_PART_OF_WORD}])(?:{spellings})(?![{_PART_OF_WORD}]){is_word}"


_ANY = re.compile(
    f"[{''.join(letter for series in SERIES for letter in series)}{_LOOKS_LATIN}]".replace("|", ""), re.I
)
_CYRILLIC_SERIES = re.compile(_alone("Б|Г"), re.I)
_CYRILLIC_THIRD = re.compile(_alone("В"), re.I)


@cache
def _letters() -> list[tuple[re.Pattern[str], int]]:
    """What finds each letter, and its place among the options; made when the first is met, as most commands
    judge nothing."""
    of_series = (
        (spellings, place) for series in SERIES for place, spellings in enumerate(series) if spellings
    )
    return [
        *((re.compile(_alone(spellings), re.I), place) for spellings, place in of_series),
        (re.compile(_alone(_LOOKS_LATIN)), 2),
    ]


def in_latin(text: str) -> str:
    """The text with the letters of SERIES that stand alone as A, B, C and D; small letters become small ones.

    The Cyrillic В is the third of its series and looks like the Latin B: it is C where Б or Г stands alone
    too, and else left as it is, because nothing tells which was meant.
    """
    if not _ANY.search(text):  # most texts, and sixty patterns would find nothing in them
        return text
    third = [(_CYRILLIC_THIRD, 2)] if _CYRILLIC_SERIES.search(text) else []
    for pattern, place in [*_letters(), *third]:
        text = pattern.sub(lambda found, place=place: _as_written("ABCD"[place], found[0]), text)  # type: ignore[misc]
    return text


def _as_written(letter: str, written: str) -> str:
    georgian = "\u10d0" <= written[0] <= "\u10ff"  # has capitals in Unicode, which nobody writes
    return letter.lower() if written != written.upper() and not georgian else letter
