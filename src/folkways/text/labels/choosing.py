"""The option that a reply settles on, by its letter or by its text: the one reader of letters for all tasks,
in every alphabet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from folkways.text.json_replies import objects_with_source
from folkways.text.labels.mentions import (
    LETTER,
    TEXT,
    first_turn,
    letter_of,
    of_label,
    option_tokens,
    plain,
    tokens,
    with_letters,
    with_texts,
)
from folkways.text.labels.statements import ALONE, LIKELIER, SETTLED, Mention, statements
from folkways.text.labels.words import IN_WORD, pattern

_OPENING, _MARK = r"[(\[{\"'“‘]*", r"[)\]}.:,،、，：．|\-–—\"'”’(\[“‘]*"
_OF_WORDS = re.compile("[\u0400-\u04ff\u1100-\u11ff\uac00-\ud7a3]")
"""Scripts in which letters that number options are words, too."""


def chosen_label(reply: str, choices: Mapping[str, str]) -> str | None:
    """The label of the option that the reply settles on, or None where it names none, or leaves open which.

    choices: one-letter label -> text, which may be empty where the options are not known.

    A reply settles on an option that it names alone, by letter or text, and does not deny ("A is wrong, so
    B"), question ("D? No, B"), or take back ("C... wait, D"). What it calls the answer counts before what it
    names in passing, and what it says last before what it corrects. Options that it lists, compares or leaves
    open ("both A and B", "B, C") settle nothing, nor does a letter with another option's text ("A. rice"
    where B is rice). Letters may be those of other scripts ("الإجابة: ب", "Б)").
    """
    labels = tuple(choices)
    reply = _without_cut_list(first_turn(reply), choices)
    text = plain(reply)
    if whole := _whole(text, labels):
        return whole
    if same := _by_whole_text(reply, choices):
        return same
    objects = list(objects_with_source(reply))
    if (value := _json_answer([entry for entry, _ in objects])) is not None:
        return chosen_label(value, choices)
    for _, source in objects:
        text = text.replace(plain(source), " ")
    masked = with_texts(text, choices)
    for version in dict.fromkeys((masked, in_latin(masked))):
        lettered = _joined(with_letters(version, labels), labels)
        mentions = list(statements(lettered, LETTER))
        if version is not masked and _OF_WORDS.search(version):
            mentions = [mention for mention in mentions if mention.strength > ALONE]
        if any(mention.stance == "asserted" for mention in mentions):
            return _settled(mentions, labels)
        if any(mention.characters for mention in mentions):
            break
    if not re.search(TEXT, masked):
        return None
    by_text = _settled(list(statements(lettered, TEXT)), labels)
    denied = {
        label for mention in mentions if mention.stance == "denied" for label in _labels_of(mention, labels)
    }
    listing = len({mention.characters for mention in mentions if mention.stance == "aside"}) > 1
    return None if by_text in denied or listing else by_text


def _without_cut_list(reply: str, choices: Mapping[str, str]) -> str:
    """The reply without the list of the options at its end, if the limit cut that before the end of one's
    text."""
    lines = reply.rstrip().split("\n")
    labels = list(choices)
    head = re.match(r"\W*(\w)\s*(?:[).:\]]+\s*|$)", lines[-1])
    if head is None or head[1] not in labels[1:]:
        return reply
    number, cut = labels.index(head[1]), lines[-1][head.end() :].strip().casefold()
    option = choices[head[1]].strip().casefold()
    above = [re.match(r"\W*(\w)\s*[).:\]]+\s*(.*)", line) for line in lines[-1 - number : -1]]
    texts = [(hit[1], hit[2].strip().casefold()) if hit else None for hit in above]
    whole = [(label, choices[label].strip().casefold()) for label in labels[:number]]
    if texts == whole and cut != option and option.startswith(cut):
        return "\n".join(lines[: -1 - number])
    return reply


def first_label(reply: str, labels: Sequence[str]) -> str | None:
    """``chosen_label`` where the options' texts are not known."""
    return chosen_label(reply, dict.fromkeys(labels, ""))


def _whole(text: str, labels: Sequence[str]) -> str | None:
    """The label that the reply consists of but for punctuation, in any case, also in letters of other
    scripts."""
    by_letter = {label.upper(): label for label in labels}
    for convert in (str, in_latin):
        bare = re.sub(r"\\boxed\b", " ", convert(text))
        if (hit := re.fullmatch(r"[\W_]*([^\W\d_])[\W_]*", bare)) and (
            label := by_letter.get(hit[1].upper())
        ):
            return label
    return None


def _by_whole_text(reply: str, choices: Mapping[str, str]) -> str | None:
    """The one option whose text the reply is, exactly or with other punctuation."""
    words = tokens(reply)
    bare = _bare(reply)
    same = [label for label, option in choices.items() if _bare(option) == bare]
    same = same or [label for label, option in choices.items() if option_tokens(option) == words]
    return same[0] if len(same) == 1 and bare else None


def _bare(text: str) -> str:
    return text.strip().strip(".\"'`*[]()").casefold()


def _json_answer(objects: Sequence[Mapping[str, object]]) -> str | None:
    """What the last JSON object gives for its answer; None where none gives one."""
    answer = None
    for entry in objects:
        named = [value for key, value in entry.items() if pattern("answer").search(key.replace("_", " "))]
        values = named or list(entry.values())
        texts = [str(value) for value in values if isinstance(value, str | int | float)]
        if len(texts) == 1:
            answer = texts[0]
    return answer


def _joined(text: str, labels: Sequence[str]) -> str:
    """The text in which a letter and its option's text are one mention, and a letter with another's are two
    that are joined."""
    if not re.search(TEXT, text):
        return text
    letter_and_text = rf"({LETTER})\s*{_MARK}\s*{_OPENING}({TEXT})"
    listed = re.compile(rf"(?:{LETTER}\s*[).:\]}}-]+\s*{TEXT}[\s,;./|]*){{2,}}")
    text = listed.sub(lambda hit: hit[0] if not _lists_its_own(hit[0]) else "\n", text)

    def with_letter(hit: re.Match[str]) -> str:
        letter, option = hit[1], hit[2]
        if ord(letter) & 0xFF == ord(option) & 0xFF:
            begins = re.search(r"(?:^|\n)\W*$", hit.string[: hit.start()])
            return hit[0] if begins and re.search(r"[.):]", hit[0]) else letter
        ends = re.match(r"[\s\"'”’]*(?:$|[.,;:!?|)\]\n。，،؟।])", hit.string[hit.end() :])
        firmly = re.search(r"[).:(]", hit[0])
        return f"{letter}/{letter_of(ord(option) & 0xFF)}" if ends or firmly else hit[0]

    text = re.sub(letter_and_text, with_letter, text)
    return re.sub(
        rf"({TEXT})\s*[(\[]\s*({LETTER})\s*[)\]]",
        lambda hit: f"{hit[2]}/{letter_of(ord(hit[1]) & 0xFF)}",  # of its own text twice the same
        text,
    )


def _lists_its_own(listing: str) -> bool:
    letters, texts = re.findall(LETTER, listing), re.findall(TEXT, listing)
    return [ord(each) & 0xFF for each in letters] == [ord(each) & 0xFF for each in texts] and letters == [
        letter_of(number) for number in range(len(letters))
    ]


def _settled(said: Sequence[Mention], labels: Sequence[str]) -> str | None:
    """The label that all of this leaves; what follows a correction counts before what precedes it."""
    asserted = [mention for mention in said if mention.stance == "asserted"]
    if not asserted:
        return None
    last = max(mention.part for mention in asserted)
    firmest = _firmest([mention for mention in asserted if mention.part == last])
    earlier = _firmest([mention for mention in asserted if mention.part < last])
    agreed = {label for mention in firmest for label in _labels_of(mention, labels)}
    if len(agreed) != 1:
        return None
    if (
        earlier
        and firmest[0].strength < SETTLED <= earlier[0].strength
        and not any(mention.near for mention in firmest)
    ):
        before = {label for mention in earlier for label in _labels_of(mention, labels)}
        if before != agreed:
            return None
    (label,) = agreed
    after = said[said.index(firmest[0]) + 1 :]
    if _open(firmest, *([m for m in part if _labels_of(m, labels) - agreed] for part in (said, after))):
        return None
    taken_back = any(
        mention.stance == "denied" and label in (_labels_of(mention, labels) or agreed) for mention in after
    )
    denied = any(mention.stance == "denied" and label in _labels_of(mention, labels) for mention in said)
    return None if taken_back or (denied and firmest[0].strength < SETTLED) else label


def _open(firmest: Sequence[Mention], others: Sequence[Mention], after: Sequence[Mention]) -> bool:
    """Whether what only may be has another option set against it ("it could be A, but B is what people eat"),
    or whether another follows what is only likelier ("A is more likely, but B").

    others, after: what is said of other options, and what of that follows.
    """
    first = firmest[0]
    if first.strength == LIKELIER:
        return any(mention.stance == "asserted" and not mention.hedged for mention in after)
    return all(mention.hedged for mention in firmest) and any(
        mention.stance != "denied"
        and mention.against
        and (first.strength == ALONE or mention.strength == LIKELIER)
        for mention in others
    )


def _firmest(mentions: Sequence[Mention]) -> list[Mention]:
    strength = max((mention.strength for mention in mentions), default=0)
    return [mention for mention in mentions if mention.strength == strength]


def _labels_of(mention: Mention, labels: Sequence[str]) -> set[str]:
    return {of_label(character, labels) for character in mention.characters}


def exact_label(reply: str, labels: Sequence[str]) -> str | None:
    """The label that the stripped reply consists of, case-sensitively and with nothing else; None for any
    other reply."""
    stripped = reply.strip()
    return stripped if stripped in labels else None


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
    ("అ", "ఆ", "ఇ", "ఈ"),  # Telugu
    ("ಅ", "ಆ", "ಇ", "ಈ"),  # Kannada
    ("અ", "બ", "", "ડ"),  # Gujarati; its third letter is the first of the alphabet, see ``in_latin``
    ("ੳ|ਉ", "ਅ", "ੲ|ਇ", ""),  # Punjabi; its fourth is Mr before a name
    ("ਕ", "ਖ", "ਗ", "ਘ"),  # the same, in the order of the consonants
    ("କ", "ଖ", "ଗ", "ଘ"),  # Odia
    ("අ", "ආ", "ඇ", "ඈ"),  # Sinhala
    ("എ", "ബി", "സി", "ഡി"),  # Malayalam, by the sound of A, B, C and D
    ("က", "ခ", "ဂ", "ဃ"),  # Burmese
    ("ក", "ខ", "គ", "ឃ"),  # Khmer
    ("ກ", "ຂ", "ຄ", "ງ"),  # Lao
)
"""The first four letters of each series; ``|`` between spellings of one."""

_CRY = re.compile(
    r"(\A|(?<![:：])\n|[.!?。！？।۔…]\s*)[АΑაԱअஅஆஇஈఅఆఇఈಅಆಇಈઅਅඅආඇඈアイウエأاإآ가나](?=\s*(?:[!！՜]|\.{2,}|…))",
    re.I,
)
"""Letters by which somebody cries out or wonders where a sentence begins (ah, oh, well), unless announced."""

_LOOKS_LATIN = "С"
"""Cyrillic, and beyond the fourth letter: where it stands for an option it was meant as the Latin C."""

_WORDS_TOO = {"[А-Я]": "(?-i:[а-џ])", "[ఆఈಆಈ]": "[ఀ-೿]"}
"""Letters that are words before one that begins so: "and", "would", "in", "with", and "that" and "this" in
Telugu and Kannada."""
_KANA = "\u30a1-\u30ff"
_PART_OF_WORD = rf"{IN_WORD}'’־-"
"""What makes a letter part of a word; kana may touch words in other letters: 答えはイです."""


def _alone(spellings: str) -> str:
    if re.match(rf"[{_KANA}]", spellings):
        return (
            rf"(?<![{_KANA}\w])(?:{spellings})(?![{_KANA}])|(?<=[\u3041-\u3096])(?:{spellings})(?![{_KANA}])"
        )
    behind = next((letters for first, letters in _WORDS_TOO.items() if re.match(first, spellings)), None)
    is_word = rf"(?!\s+{behind})" if behind else ""
    return rf"(?<![{_PART_OF_WORD}])(?:{spellings})(?![{_PART_OF_WORD}]){is_word}"


_ANY = re.compile(
    f"[{''.join(letter for series in SERIES for letter in series)}{_LOOKS_LATIN}]".replace("|", ""), re.I
)
_THIRD = [
    (re.compile(_alone(others), re.I), re.compile(_alone(third), re.I))
    for others, third in (("Б|Г", "В"), ("અ|બ|ડ", "ક"))
]
"""Letters that are the third of their series where one of the others occurs alone too."""


@cache
def _letters() -> list[tuple[re.Pattern[str], int]]:
    """What finds each letter, and its place among the options; made when the first is met, as most commands
    judge nothing."""
    of_series = (
        (spellings, index) for series in SERIES for index, spellings in enumerate(series) if spellings
    )
    return [
        *((re.compile(_alone(spellings), re.I), index) for spellings, index in of_series),
        (re.compile(_alone(_LOOKS_LATIN)), 2),
    ]


def in_latin(text: str) -> str:
    """The text with the letters of SERIES that occur alone as A, B, C and D; small letters become small ones.

    The Cyrillic В is the third of its series and looks like the Latin B, and the Gujarati ક is the third of
    one series and the first of another: they are C where others of their series occur alone too, and else
    left as they are, because nothing tells which was meant. A cry ("ஆ!") goes.
    """
    if not _ANY.search(text):  # most texts, and sixty patterns would find nothing in them
        return text
    text = _CRY.sub(r"\1", text)
    third = [(letter, 2) for others, letter in _THIRD if others.search(text)]
    for letter, index in [*_letters(), *third]:
        text = letter.sub(lambda match, index=index: _as_written("ABCD"[index], match[0]), text)  # type: ignore[misc]
    return text


def _as_written(letter: str, written: str) -> str:
    georgian = "\u10d0" <= written[0] <= "\u10ff"  # has capitals in Unicode, which nobody writes
    return letter.lower() if written != written.upper() and not georgian else letter
