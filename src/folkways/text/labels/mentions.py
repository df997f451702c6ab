"""Where a reply names an option: each letter of an option, and each option's text, becomes one character of
its own.

What is left is words, in which denials and announcements can be looked for without regard to what the options
say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from folkways.text.labels.words import whole_words, words
from folkways.text.languages.simple import SimpleSegmenter

_TEXT, _LETTER = 0xE000, 0xE100  # of the Unicode area for private use, which is taken out of replies before
TEXT, LETTER = "[\ue000-\ue0ff]", "[\ue100-\ue1ff]"
"""Classes of the characters that stand for an option's text and for its letter."""
# what makes a letter part of a word; words of other scripts may touch it
_LATIN = "A-Za-z0-9_\u00c0-\u024f\u1e00-\u1eff’'"
_TAG = re.compile(r"<(?:/\w{1,20}|\w{1,3}|(\w{4,20}))>")
_TURN = re.compile(r"<\|[^|<>\n]{2,30}\|>|<(?:start_of_turn>(?:model|user)|end_of_turn>)")
"""Marks of chat templates, which models and servers sometimes leave in a reply: "B<|im_end|>"."""
_END = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|eot|end|return|endofturn|end_of_text|endoftext|END_OF_TURN_TOKEN|END_RESPONSE)\|>"
    r"|<end_of_turn>|</s>(?=\s*(?:\Z|(?:<s>\s*)?\[INST\]|<\|))|(?=<\|(?:user|assistant|observation)\|>)"
)
"""What ends a turn; ``</s>`` also ends text that is struck through, so only where no words follow."""
_HEAD = re.compile(
    r"\s*(?:(?:<\|[^|<>\n]{2,30}\|>|<start_of_turn>(?:model\b)?)\s*"
    r"(?:(?:assistant|model)\s*(?=\n|<\||\Z)|final(?=<\|)|)\s*)+"
)
"""Marks that say whose turn begins."""
_NO_REPLY = re.compile(
    r"\s*(?:(?:<[^<>\n]{1,30}>|\[gMASK\]|assistant\b|model\b)\s*)*"
    r"(?:$|<\|(?:user|system)\|>|(?<=>)(?:user|system|developer|tool)\b"
    r"|(?<=<\|channel\|>)(?:analysis|commentary)\b)"
)
"""A turn that says nothing, an echo of the prompt, or the thoughts of gpt-oss."""
_MARKUP = re.compile(r"[*_`#>]+|\\(?:text(?:bf)?)\b|[$]|[\ue000-\uf8ff]")
_QUOTED = re.compile(rf"""(?<![{_LATIN}])['‘’"“„«]\s*([^\W\d_]|الف)\s*['’"”“»](?![{_LATIN}])""")
_TURKIC_IS = re.compile(rf"(?<![{_LATIN}])([A-Z])['’-](?=[dt][ıiuü]r\b)")
""""B'dir" and "B-dir" say in Turkish and Azerbaijani that it is B."""
_SEGMENTER = SimpleSegmenter()
_PARTICLES = re.compile(
    "은|는|이|가|을|를|도|의|입니다|이다|다|예요|이에요|에요|요|이며|이고|이라고|라고|와|과|보다|이나|나|이지|지"
)
_COMPOUND = """
    class vitamin plan group team type hepatitis grade section part category blood schedule exhibit
    figure table appendix influenza visa list level size side point step phase row seat zone unit room
    hall gate block tier series version model chapter paragraph scenario person player student country
    city company factor day bus line drive clase vitamina grupo
"""
_BEFORE_COMPOUND = re.compile(rf"\b(?:{'|'.join(_COMPOUND.split())})[\s(]+$", re.I)


def first_turn(reply: str) -> str:
    """The reply without the turns that a model wrote after its own, and without the marks before it: "B" of
    "<|assistant|>B<|im_end|>A"."""
    turn = next((turn for turn in _END.split(reply) if not _NO_REPLY.match(turn)), reply)
    head = _HEAD.match(turn)
    return turn[head.end() :] if head else turn


def plain(reply: str) -> str:
    """Without Markdown and LaTeX dress, marks of chat templates and quotes around a letter, and with
    full-width letters as plain ones (NFKC)."""
    reply = _TURN.sub("\n", reply)
    reply = _TAG.sub(lambda tag: f" {tag[1]}: " if tag[1] else " ", reply)
    text = _TURKIC_IS.sub(r"\1 ", _MARKUP.sub(" ", unicodedata.normalize("NFKC", reply)))
    return _QUOTED.sub(r"\1", text).strip()


def tokens(text: str) -> list[str]:
    """The words in small letters: “Tea?” and tea are one option's text."""
    return _SEGMENTER.tokens(unicodedata.normalize("NFKC", text).casefold())


option_tokens = lru_cache(maxsize=4096)(tokens)
"""``tokens`` of an option's text, which many replies are read by."""


def of_label(character: str, labels: Sequence[str]) -> str:
    """The label of a character of TEXT or LETTER."""
    return labels[ord(character) & 0xFF]


def letter_of(number: int) -> str:
    """The character for the letter of the option with this number, counted from 0."""
    return chr(_LETTER + number)


def with_texts(text: str, choices: Mapping[str, str]) -> str:
    """The text with each option's text, where it occurs as whole words, replaced by one character; the
    longest where they overlap.

    A text that two options have is left, and so is one of a single letter or of nothing but a word such as
    "no".
    """
    wanted = {
        number: tuple(option_tokens(option)) for number, option in enumerate(choices.values()) if option
    }
    telling = {
        number: sought
        for number, sought in wanted.items()
        if list(wanted.values()).count(sought) == 1 and not (len(sought) == 1 and _says_nothing(sought[0]))
    }
    low = text.casefold()
    if not any(sought[0] in low for sought in telling.values()):
        return text
    spans = _SEGMENTER.spans(text)
    words = [text[start:end].casefold() for start, end in spans]
    result, position, index = [], 0, 0
    while index < len(words):
        hits = [
            (len(sought), number) for number, sought in telling.items() if _stands_at(words, index, sought)
        ]
        if not hits:
            index += 1
            continue
        length, number = max(hits)
        result += [text[position : spans[index][0]], chr(_TEXT + number)]
        position, index = spans[index + length - 1][1], index + length
    return "".join([*result, text[position:]])


def _says_nothing(token: str) -> bool:
    return (
        token in whole_words("not", "correction", "or", "both", "answer")
        or re.fullmatch("[a-z]", token) is not None
    )


def _stands_at(said: Sequence[str], place: int, sought: tuple[str, ...]) -> bool:
    window = said[place : place + len(sought)]
    if len(window) < len(sought) or tuple(window[:-1]) != sought[:-1]:
        return False
    last, wanted = window[-1], sought[-1]
    return last == wanted or (
        last.startswith(wanted)
        and "\uac00" <= wanted[-1] <= "\ud7a3"
        and _PARTICLES.fullmatch(last, len(wanted)) is not None
    )


def with_letters(text: str, labels: Sequence[str]) -> str:
    """The text with each letter of an option replaced by one character.

    A capital by itself, unless it is the article or another word ("A common dish", "A veces"), or
    part of a name ("vitamin A"); a small letter where punctuation or a word for an option sets it off ("b)",
    "option b", "选b").
    """
    numbers = {label.upper(): number for number, label in enumerate(labels)}
    return _letters("".join(numbers)).sub(lambda hit: _as_letter(hit, numbers), text)


def _as_letter(hit: re.Match[str], numbers: Mapping[str, int]) -> str:
    written, text = hit[0], hit.string
    before, after = text[max(0, hit.start() - 24) : hit.start()], text[hit.end() : hit.end() + 24]
    (word,) = re.findall(r"^[ \t]+([^\W\d_]+)", after) or [""]
    is_word = word != "" and word.casefold() not in _followers()
    if written in "Aa" and re.match(rf"[ \t]+{TEXT}", after):
        return written  # "A library"
    if written.islower():
        set_off = re.match(r"\s*[)\]}\"'”’.:،،,，。?]|\s*$", after)
        announced = _before_small().search(before) and not is_word
        opened = re.search(r"[(\[{\"'“‘]\s*$", before) and re.match(r"\s*[)\]}\"'”’.:]", after)
        begins = re.search(r"(?:^|\n)\s*$", before) and set_off
        if not (announced or opened or begins or (re.search(r"[^\x00-\u024f\s]$", before) and not is_word)):
            return written
    elif written in "AEIOUYZ" and is_word and word[0].islower() and word[0] <= "\u024f":
        return written
    if _BEFORE_COMPOUND.search(before):
        return written
    return letter_of(numbers[written.upper()])


@cache
def _letters(letters: str) -> re.Pattern[str]:
    before, after = rf"(?<![{_LATIN}])(?<![{_LATIN}][-–.])", rf"(?![{_LATIN}])(?![-–][{_LATIN}]|\.[A-Za-z])"
    return re.compile(rf"{before}[{re.escape(letters)}]{after}", re.I)


@cache
def _before_small() -> re.Pattern[str]:
    return re.compile(
        rf"{words('answer', 'choose')}[\"'”’]?(?:\s*(?:is|be|was|es|:|=|-)\s*|\s+)[\[({{\"'“‘]*$|boxed\{{$",
        re.I,
    )


@cache
def _followers() -> frozenset[str]:
    kinds = "is or not wrong right because so than maybe both choose not_behind"
    more = "but it y pero tetapi aber mais to rather instead though please definitely for"
    return whole_words(*kinds.split()) | set(more.split())
