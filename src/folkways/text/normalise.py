"""Normal forms under which two texts count as the same: the authors' (``paper``) and one without its gaps
(``strict``); and whether a text has a phrase as whole words, with an ending or without."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from string import punctuation

_ACUTE = {0x0301: None}
_ACCENTS = re.compile("[\u0300-\u036f]+")
# Arabic tatweel, short vowels and the hamza of Persian's ezafe, which are seldom written
_VOWEL_MARKS = re.compile("[\u0640\u064b-\u0655\u0670]")
_ONE_FORM = str.maketrans(
    {
        "ی": "ي",  # Persian and Arabic yeh and kaf, alef with and without hamza: one letter to a reader
        "ى": "ي",
        "ک": "ك",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ۀ": "ه",
        "ہ": "ه",
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "`": "'",
        "٬": ",",  # of thousands and of decimals, among Arabic and Persian digits
        "٫": ".",
    }
)
_TONE_FIRST = re.compile("([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])")
"""Thai and Lao am is typed before or behind the mark of the tone, and looks the same."""
_TURKIC = ("az", "tr")
_TURKIC_I = str.maketrans({"I": "ı", "İ": "i"})
_PERSIAN_LETTERS = str.maketrans("يك", "یک")
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))?\s*([ap])\.?\s?m\b\.?")
_NUMBER_EDGE = re.compile(r"(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_INSIDE_NUMBER = re.compile(r"([.:/])")


def paper_tokens(tokens: list[str]) -> list[str]:
    """BLEnD's normal form of tokens: no ASCII punctuation, NFD without the acute accent (and no other), lower
    case."""
    return [
        unicodedata.normalize("NFD", token).translate(_ACUTE).lower()
        for token in tokens
        if token not in punctuation
    ]


def plain_text(text: str, language: str) -> str:
    """Lower case, usual widths, no invisible characters; accents stay, for lemmatisers look words up with
    them.

    ``language`` matters for Azerbaijani and Turkish, where I is the capital of ı, and for Persian, whose yeh
    and kaf are not those of Arabic.
    """
    if language == "fa":
        text = text.translate(_PERSIAN_LETTERS)
    text = unicodedata.normalize("NFKC", "".join(char for char in text if unicodedata.category(char) != "Cf"))
    if language in _TURKIC:  # an accent on İ belongs to the i that it becomes
        text = unicodedata.normalize("NFC", text.translate(_TURKIC_I))
    return text.lower()


def strict_text(text: str, language: str) -> str:
    """One form for what readers take for the same: case, width, accents, invisible characters, digits of any
    script, clock times.

    ``language`` matters for Azerbaijani and Turkish, where I is the capital of ı. Vowel signs of Indic
    scripts stay: they are letters in all but name. "5 pm" becomes 17:00, and a number is separated from the
    letters that follow it (7시, 15kg).
    """
    if text.isascii() and language not in _TURKIC:  # as most are: of the letters, case alone differs
        text = text.lower().translate(_ONE_FORM)
    else:
        text = _of_any_script(text, language)
    return _CLOCK.sub(_on_24_hours, _NUMBER_EDGE.sub(" ", text))


def _of_any_script(text: str, language: str) -> str:
    text = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    if language in _TURKIC:
        text = text.translate(_TURKIC_I)
    text = unicodedata.normalize(
        "NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold().translate(_ONE_FORM)))
    )
    text = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
    return _TONE_FIRST.sub(r"\2\1", _VOWEL_MARKS.sub("", text))


def _on_24_hours(time: re.Match[str]) -> str:
    hour = int(time[1])
    if not 1 <= hour <= 12:
        return time[0]
    return f"{hour % 12 + (12 if time[3] == 'p' else 0)}:{time[2] or '00'} "


def strict_token(token: str) -> str:
    """One form for a number however it is written: 1,000 is 1000, 07:00 is 7:00, 3.0 is 3, 01/05 is 1/5.
    Other tokens stay."""
    if not token[:1].isdecimal():
        return token
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    parts = _INSIDE_NUMBER.split(token)
    if not all(part.isdecimal() for part in parts[::2]):
        return token
    if len(parts) == 3 and parts[1] == ".":
        return f"{_plain_number(parts[0])}.{parts[2]}".rstrip("0").rstrip(".")
    if len(parts) == 3 and parts[1] == ":":
        return f"{_plain_number(parts[0])}:{parts[2]}"
    return "".join(_plain_number(part) if part.isdecimal() else part for part in parts)


def _plain_number(digits: str) -> str:
    """In the digits 0 to 9, without zeros before it; as text, because Python refuses numbers of more than
    4,300 digits, which models that repeat themselves write."""
    return "".join(str(unicodedata.decimal(digit)) for digit in digits).lstrip("0") or "0"


ENDINGS = {
    "en": r"s|es|'s|s'",
    "ko": (
        r"(?:들|은|는|이|가|을|를|와|과|의|에|에서|에게|께|께서|한테|로|으로|도|만|까지|부터|나|이나|랑|이랑|처럼|마다|보다|등|쯤|씩"
        r"|다|이다|요|이요|에요|예요|이에요|이며|인데|입니다|이었습니다|였습니다){1,3}"
    ),
    "az": r"(?:l[aə]r)?(?:[ıiuü]|n[ıiuü]|y[aə]|[aə]|d[aə]|d[aə]n|[ıiuü]n|n[ıiuü]n)?(?:d[ıiuü]r)?",
}
"""Language -> pattern of the endings, in the normal form of ``strict_text``; a language that is not here has
none."""


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    return re.compile(f"(?:{ENDINGS[language]}) ") if language in ENDINGS else None


def has_phrase(words: str, phrase: str, language: str) -> bool:
    """Whether ``words`` contain ``phrase`` as whole words, its last one perhaps with an ending.

    Both are normalised words with one space before and after each (" fried rice ").
    """
    if phrase in words:
        return True
    endings = _pattern(language)
    if endings is None:
        return False
    stem = phrase[:-1]
    start = words.find(stem)
    while start >= 0:
        if endings.match(words, start + len(stem)):
            return True
        start = words.find(stem, start + 1)
    return False
