"""Whether a text is in another script or language than it was asked for: by its letters, and by the small
words that every sentence needs."""

from __future__ import annotations

import re
from functools import cache

from folkways.cultures import languages
from folkways.text.languages.simple import SimpleSegmenter

RANGES = {
    "Latn": (
        "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0250-\u02af\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a"
    ),
    "Grek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrl": "\u0400-\u052f",
    "Hebr": "\u05d0-\u05ea",
    "Thaa": "\u0780-\u07a5\u07b1",
    "Arab": "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "Deva": "\u0904-\u0939\u0958-\u0961",
    "Beng": "\u0985-\u09b9\u09ce\u09dc-\u09e1\u09f0\u09f1",
    "Guru": "\u0a05-\u0a39\u0a59-\u0a5e\u0a72-\u0a74",
    "Gujr": "\u0a85-\u0ab9\u0ae0\u0ae1",
    "Orya": "\u0b05-\u0b39\u0b5c-\u0b61\u0b71",
    "Telu": "\u0c05-\u0c39\u0c58-\u0c61",
    "Knda": "\u0c85-\u0cb9\u0cde-\u0ce1",
    "Mlym": "\u0d05-\u0d3a\u0d54-\u0d56\u0d5f-\u0d61\u0d7a-\u0d7f",
    "Sinh": "\u0d85-\u0dc6",
    "Tibt": "\u0f40-\u0f6c\u0f88-\u0f8c",
    "Mymr": "\u1000-\u102a\u103f\u1050-\u1055",
    "Armn": "\u0531-\u0556\u0560-\u0588",
    "Geor": "\u10a0-\u10fa\u10fc-\u10ff\u1c90-\u1cbf",
    "Taml": "\u0b83-\u0bb9\u0bd0",
    "Thai": "\u0e01-\u0e30",
    "Laoo": "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd\u0edc-\u0edf",
    "Khmr": "\u1780-\u17b3",
    "Ethi": "\u1200-\u135a\u1380-\u138f\u2d80-\u2ddf",
    "Kana": "\u3041-\u3096\u30a1-\u30fa",
    "Hang": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "Hani": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
}
"""ISO 15924 code -> its letters as a character class; scripts that are not listed count as none."""

_SAME = {"Hans": ("Hani",), "Hant": ("Hani",), "Kore": ("Hang",), "Jpan": ("Hani", "Kana")}


@cache
def _letters() -> dict[str, re.Pattern[str]]:
    return {script: re.compile(f"[{ranges}]") for script, ranges in RANGES.items()}


def script_counts(text: str) -> dict[str, int]:
    """Script -> letters of ``text`` that belong to it, for those that occur, most first."""
    counts = {script: len(letter.findall(text)) for script, letter in _letters().items()}
    return dict(sorted(((script, n) for script, n in counts.items() if n), key=lambda entry: -entry[1]))


def letters_of(language: str) -> str:
    """The inside of a character class (Python's and JavaScript's) for the letters of ``language``, in every
    script that people commonly write it in.
    """
    entry = languages()[language]
    scripts = [part for script in (entry.script, *entry.also) for part in _SAME.get(script, (script,))]
    return "".join(RANGES[script] for script in dict.fromkeys(scripts))


def in_another_script(text: str, language: str) -> bool | None:
    """Whether fewer than half of the letters are of the language's own script; None for a text without
    letters.

    Languages that share a script (Spanish and English) are not distinguished.
    """
    counts = script_counts(text)
    if not counts:
        return None
    script = languages()[language].script
    in_script = sum(counts.get(part, 0) for part in _SAME.get(script, (script,)))
    return 2 * in_script < sum(counts.values())


_LISTS = {
    "en": "the is are was of and to for with that it they their this these which who usually often by from "
    "as or not be",
    "es": "el la los las de y en que es son un una con por se del lo al para como su muy más suele suelen",
    "id": "yang dan di adalah dengan untuk dari ini itu pada biasanya atau ke oleh juga tidak sering para",
    "az": "və bu bir ən üçün ilə çox olan da də kimi edir olur daha hər adətən ya isə",
    "su": "nu anu jeung di ka ku ieu eta téh teh keur sareng nyaéta nyaeta mangrupa biasana ogé oge henteu",
    "eu": "eta da dira ez du bat izan den dute edo baina ere oso dela hori hau zen bere gehien",
    "fr": "le la les des et est une un du dans en que qui pour sur avec ce cette sont au aux plus souvent "
    "ou il elle",
    "ga": "an na agus is ar tá ag go sa leis le don ó nó atá bíonn sé sí seo sin ach é",
    "ms": "yang dan di adalah dengan untuk dari ini itu pada biasanya atau ke oleh juga tidak ialah sering "
    "kerana bagi",
    "sv": "och att det är en ett som på av för med den till har inte om ofta eller vanligaste vanligtvis",
    "tl": "ang ng mga sa na ay at si ni kay ito iyan para may mula kung hindi karaniwang din rin",
    "ha": "da na ta ne ce shi su wannan ake yi don suna a ga wanda yawanci kuma ko mai",
}
FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
"""Language -> its commonest words of grammar; only languages in Latin script that questions are asked in."""

LEAST = 3  # fewer are in names: Virgen de la Candelaria


def in_another_language(text: str, language: str, other: str) -> bool | None:
    """Whether a text that should be in ``language`` is not: by its script, or because it reads as ``other``.

    It reads as ``other`` when at least LEAST function words of that language are in it, and more than of its
    own. None for a text without letters.
    """
    by_script = in_another_script(text, language)
    if by_script is not False or language == other or not {language, other} <= set(FUNCTION_WORDS):
        return by_script
    words = [word.lower() for word in SimpleSegmenter().tokens(text)]
    foreign = sum(word in FUNCTION_WORDS[other] for word in words)
    return foreign >= LEAST and foreign > sum(word in FUNCTION_WORDS[language] for word in words)
