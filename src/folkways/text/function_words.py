"""Which of two languages in one script a text is written in, by the small words that every sentence needs.

Enough to see that a reply in English came to a question in Spanish. An answer of a word or two has no such
words, and is in neither.
"""

from __future__ import annotations

from folkways.text.languages.simple import SimpleSegmenter
from folkways.text.scripts import in_another_script

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
