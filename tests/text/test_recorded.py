"""What readers of replies and stemmers make of many texts is what it was when somebody last looked at it
(tests/support/fingerprints.py). What is right is tested beside this."""

from __future__ import annotations

from pathlib import Path
from random import Random
from runpy import run_path

import polars as pl

from folkways.text.labels import chosen_label, settled_truth, settled_word
from folkways.text.labels.mentions import LETTER, TEXT, of_label, plain, with_letters, with_texts
from folkways.text.labels.statements import statements
from folkways.text.normalise import paper_tokens, plain_text, strict_text, strict_token
from folkways.text.tools import STEMMERS, get_tool
from tests.support.fingerprints import check_fingerprints, check_text
from tests.text.labels.test_replies import FRAMES
from tests.text.test_stems import APART, SAME

RECORDED = Path(__file__).parent / "recorded"
replies = run_path(str(Path(__file__).parent / "labels" / "grammar.py"))["replies"]


def said_of_options(reply: str, choices: dict[str, str]) -> list[str]:
    """What the sentences of a reply say of its options by letter, and then by text."""
    labels = tuple(choices)
    masked = with_texts(plain(reply), choices)
    mentions = [*statements(with_letters(masked, labels), LETTER), *statements(masked, TEXT)]
    return [
        f"{''.join(sorted(of_label(one, labels) for one in mention.characters)) or '-'} {mention.stance} "
        f"{mention.strength}.{mention.part}{' near' if mention.near else ''}"
        for mention in mentions
    ]


def test_what_replies_say_of_each_option() -> None:
    english, tables = [], {}
    for reply in replies(Random(1), 1):
        said = said_of_options(reply.text, reply.choices)
        if reply.language == "en":
            label = chosen_label(reply.text, reply.choices) or "none"
            english += [f"{label}: {' / '.join(reply.text.splitlines())}", f"    {', '.join(said)}"]
        else:
            tables.setdefault(reply.language, []).append(" ".join(said))
    check_text("\n".join(english) + "\n", RECORDED / "replies.txt")
    frames = {language: pl.DataFrame({"said": lines}) for language, lines in tables.items()}
    check_fingerprints(frames, RECORDED / "replies.json")


WORDS = {"yes": "Y", "no": "N", "neither": "O", "neutral": "U"}


def test_what_two_sentences_say_together() -> None:
    """A letter for each second sentence, in the order of the first ones."""
    lines = []
    for joint in ("\n", " But ", " Wait, "):
        for first, _ in FRAMES[::2]:
            pairs = [f"{first}{joint}{second}".replace("{}", "true") for second, _ in FRAMES[::2]]
            truths = "".join((settled_truth(pair) or "-")[0] for pair in pairs)
            words = "".join(settled_word(pair.replace("true", "acceptable"), WORDS) or "-" for pair in pairs)
            lines.append(f"{truths} {words}  {first}{joint.rstrip()} ...".replace("\n", ""))
    check_text("\n".join(lines) + "\n", RECORDED / "truths.txt")


def test_stems() -> None:
    lines, tables = [], {}
    for language in sorted(STEMMERS.keys() & SAME.keys()):
        tool = get_tool(language)
        words = list(dict.fromkeys(" ".join([*SAME[language], *APART[language]]).split()))
        lines.append(f"{language}  " + "  ".join(f"{word} {' '.join(tool.tokens(word))}" for word in words))
        parts = [word[start:end] for word in words for start in (0, 1) for end in range(start + 1, len(word))]
        tables[language] = pl.DataFrame({"stem": [tool.tokens(part) for part in parts]})
    check_text("\n".join(lines) + "\n", RECORDED / "stems.txt")
    check_fingerprints(tables, RECORDED / "stems.json")


TIMES = (
    "1am",
    "12 a.m.",
    "12 pm",
    "0 pm",
    "13 pm",
    "7:05 p. m.",
    "7.30pm",
    "11PM",
    "7:5pm",
    "123 am",
    "at 5 pm.",
    "5 pmx",
)
NUMBERS = ("1,000", "1,000,000.50", "1,00", "01", "07:00", "3.0", "3.10", "0.5", "1.2.3", "01/05", "2020/01/05", "1:2:03", "12a", "1,000/2", "½", "٣", "a1", ".5", "")  # fmt: skip
TEXTS = ("ÇAY İçin IŞIQ", "café", "Ａｂ１", "o\u2019clock `x` \u02bcy", "15kg", "7시", "x2y", "كِتَابٌ أإآى", "کتاب یک", "٣٤ १२", "a\u200bb\u00adc", "ﬁ", "ß", "i\u0307", "Ά", "কি", "é\u0301", "")  # fmt: skip


def test_normal_forms() -> None:
    lines = [f"{time} -> {strict_text(time, 'en')}" for time in TIMES]
    lines += [f"{number} -> {strict_token(number)}" for number in NUMBERS]
    for text in TEXTS:
        both = [
            [form(text, language) for language in ("en", "az", "fa")] for form in (strict_text, plain_text)
        ]
        lines.append(f"{text!a} -> {' | '.join(ascii(each) for row in both for each in row)}")
    lines.append(f"{paper_tokens(['Café', '.', '...', 'ÇA', 'ñ', '!?', ''])}")
    check_text("\n".join(lines) + "\n", RECORDED / "normal.txt")
