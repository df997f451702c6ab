"""Replies made by a grammar that knows what a person reads: no wrong label, and hardly any left unread."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random
from runpy import run_path
from time import process_time

import pytest

from folkways.text.labels import chosen_label, settled_truth, settled_word
from folkways.text.labels.words import corrections, spellings

replies = run_path(str(Path(__file__).with_name("grammar.py")))["replies"]
SEED = 30
UNREAD = 0.03
"""The largest share of what a person reads that may be left unread, in each language."""

CHOICES = dict(zip("ABCD", ("rice", "soup", "tea", "bread"), strict=True))
OPTIONS = dict(zip("ABCD", ("Prom", "Spelling bee", "rice", "soup"), strict=True))
WORDS = {"yes": "Yes", "no": "No", "neither": "Neither", "neutral": "Neither"}


@pytest.mark.parametrize("rounds", [2, pytest.param(60, marks=pytest.mark.nightly)])
def test_no_reply_of_the_grammar_is_read_as_another_label(rounds: int) -> None:
    wrong, unread, readable = [], defaultdict(list), defaultdict(int)
    for reply in replies(Random(SEED), rounds):
        label = chosen_label(reply.text, reply.choices)
        readable[reply.language] += reply.label is not None
        if label is None and reply.label is not None:
            unread[reply.language].append(reply.text)
        elif label != reply.label:
            wrong.append((reply.text, reply.label, label))
    assert not wrong
    assert sum(readable.values()) > 300 * rounds
    assert {
        language: texts for language, texts in unread.items() if len(texts) > UNREAD * readable[language]
    } == {}


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("C. No.", None),
        ("A. Spelling bee", None),  # says two things
        ("The answer is A. Spelling bee", None),
        ("rice (D)", None),
        ("soup (D)", "D"),
        ("A B", None),
        ("A/B", None),
        ("A to D", None),
        ("A < B", None),
        ("A or maybe B", None),
        ("Everything but A", None),
        ("I doubt it's A.", None),
        ("The least likely is A.", None),
        ("The worst option is C", None),
        ("A is the least likely.", None),
        ("User A says B", None),
        ("A person would choose B.", "B"),
        ("A: No\nB: Yes\nC: No\nD: No", "B"),
        ("A ❌\nB ✅\nC ❌\nD ❌", "B"),
        ("A: wrong\nB: right\nC: wrong\nD: wrong", "B"),
        ("The answer is A. Actually it is B.", "B"),
        ("The answer is A. No, the answer is B.", "B"),
        ("The answer is A. The answer is B.", None),
        ("Answer: A\nAnswer: B", None),
        ("A\nB", None),
        ("A is less common than B.", None),
        ("B is not as common as C", None),
        ("A is rude.", None),  # a predicate that nobody listed settles nothing
        ("A जटिल", None),
        ('{"A": 0.1, "B": 0.9}', None),
        ('{"answer": "B", "explanation": "A is wrong"}', "B"),
        ("<answer>B</answer>", "B"),
        ("[[B]]", "B"),
        ("It can't be rice or soup, so Prom.", "A"),
        ("I prefer rice to soup", "C"),
        ("Both rice and soup", None),
        ("rice is wrong", None),
        ("The correct answer is B. Spelling bee. A. Prom is wrong.", "B"),
        (
            "Let's see:\nA. Prom: in the US.\nB. Spelling bee: there, too.\nC. rice: food.\nD. soup: food.",
            None,
        ),
        ("Ответ: Б или Г", None),
        ("Aは間違いです", None),
        ("The answer is A. Wait, having thought about it, the answer is B.", "B"),
        ("A. Prom, B. Spelling bee, C. rice, D. soup. rice", "C"),  # the options again, and then the answer
        ("A) Prom / B) Spelling bee: rice", "C"),
        ("Options: A. Prom B. Spelling bee C. rice D. soup Answer: C", "C"),
        ("A. Spelling bee, B. Prom. rice", None),  # other texts than the letters'
        ("D rice", None),  # may be the letter before another's text, or an article
        ("D rice is what people eat", "C"),
        ("I would pick D rice dishes", "D"),
        ("A – soup", None),
        ("A because it is rude not to", "A"),
        ("I pick a or b", "A"),
        ("I choose a please", "A"),
        ("the answer is a right one", "A"),
        ("The answer is A, sorry, most people who live: B", "B"),  # at most five words behind a correction,
        ("The answer is A, sorry, most people who live there: B", None),  # the comma being one of them
        ("\ue100 \ue001", None),  # what the reader itself puts in place of options
    ],
)
def test_hard_replies(reply: str, label: str | None) -> None:
    assert chosen_label(reply, OPTIONS) == label


@pytest.mark.parametrize("dress", ["{}", "{}.", "{}!", "¡{}!", "«{}»", "- {}", "{} …", "({})?", "**{}**;"])
def test_a_reply_that_is_an_option_with_other_punctuation_is_that_option(dress: str) -> None:
    """Also of words that deny, correct or join in a sentence."""
    options = {"A": "Yes", "B": "No", "C": "Both", "D": "Not at all"}
    read = {text: chosen_label(dress.format(text), options) for text in options.values()}
    assert read == {text: label for label, text in options.items()}


VALUES = {"A": "1.5", "B": "7", "C": "True", "D": "tea"}


@pytest.mark.parametrize("reply", ["", " ", "!!!", "…", "()", "**", "?", "'\"", "[ ]", "-"])
def test_a_reply_without_a_word_is_no_option_not_even_one_without_a_text(reply: str) -> None:
    for choices in ({"A": "rice", "B": ""}, {"A": "", "B": ""}, {"A": "rice", "B": "."}):
        assert chosen_label(reply, choices) is None


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('{"answer": 1.5}', "A"),
        ('{"answer": 7}', "B"),
        ('{"answer": true}', "C"),
        ('{"answer": null, "reason": "D"}', None),
        ('{"answer": ["A"]}', None),
        ('{"answer": "A", "final_answer": "B"}', None),
        ('{"answer": "A", "reason": "B"}', "A"),
        ('{"answer": "A"} {"answer": "B"}', "B"),
        ('{"answer": "A"} {"reason": ["B"]}', "A"),
        ('{"note": "B"}', "B"),
        ('{"note": "A", "why": "B"}', None),
    ],
)
def test_the_answer_of_an_object_is_its_last_single_value(reply: str, label: str | None) -> None:
    assert chosen_label(reply, VALUES) == label


PREDICATES = [("true", 1), ("false", -1), ("correct", 1), ("wrong", -1), ("incorrect", -1)]
FRAMES = [
    ("{}", 1),
    ("{}.", 1),
    ("**{}**", 1),
    ("It is {}.", 1),
    ("The statement is {}.", 1),
    ("It is not {}.", -1),
    ("It isn't {}", -1),
    ("I don't think that it is {}.", -1),
    ("I think it's {}", 1),
    ("it is not the case that this is {}", -1),
    ("The claim that it is {} is wrong", -1),
    ("The claim that it is {} is true", 1),
    ("It would be wrong to say that this is {}.", -1),
    ("Is it {}? No.", -1),
    ("Is it {}? Yes.", 1),
    ("Is this {}? I don't think so.", -1),
    ("There is no doubt that it is {}.", 1),
    ("Nobody would say that it is {}.", -1),
    ("The answer is: {}", 1),
    ("It is never {}", -1),
    ("I would say it is {}", 1),
    ("It is {} because people like it.", 1),
    ("Although some may disagree, it is {}.", 1),
    ("It can't be {}", -1),
    ("Not {} but not its opposite either: sometimes {}", 0),
    ("It is not necessarily {}.", 0),
    ("It may be {}", 0),
    ("If it is {}, I am glad", 0),
    ("I can't say whether it is {}.", 0),
    ("It is {}. It is not {}.", 0),
    ("Is it {}?", 0),
    ("Neither {} nor its opposite: partly {}", 0),
]


@pytest.mark.parametrize(("word", "sign"), PREDICATES)
@pytest.mark.parametrize(("frame", "factor"), FRAMES)
def test_truths_by_the_words_and_the_denials_around_them(
    word: str, sign: int, frame: str, factor: int
) -> None:
    expected = {1: "True", -1: "False", 0: None}[sign * factor]
    assert settled_truth(frame.replace("{}", word)) == expected


@pytest.mark.parametrize(
    ("reply", "truth"),
    [
        ("Not true but not false either", None),
        ("True, but only in parts", None),
        ("False. The answer is a false statement that is not a factual statement.", "False"),
        ("True? No, false.", "False"),
        ("True... wait, False", "False"),
        ("False, while it is true that some do.", "False"),
        ("True. In Korea people bow.", "True"),
        ("No, it is true", None),
        ("No, that's false", "False"),
        ("The correct answer is false", "False"),
        ("It is true. However, the statement is false in general", None),
        ("true and false", None),
        ("In some cultures yes, in others no", None),
        ("Yes indeed", "True"),
        ("It is false and wrong", "False"),  # twice the same, and no denial of a denial
        ("It is true as well as false", None),
        ("No it does not", "False"),
        ("no the statement holds", "False"),
        ("Yes people do", "True"),
        ("No people there bow", None),  # a "no" before a noun is no answer
    ],
)
def test_hard_truths(reply: str, truth: str | None) -> None:
    assert settled_truth(reply) == truth


CORRECTIONS = sorted(spelling.strip("*") for spelling in spellings("correction"))
"""In all languages."""


@pytest.mark.parametrize("each", [3, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("but", ["", "But", "但"])
def test_every_word_that_takes_back_is_heeded_wherever_it_begins(but: str, each: int) -> None:
    """Whatever the reply is about, the answer before it is not the answer. Each word stands in every third sentence, or
    in every one."""
    first = ("B", "B.", "**B**", "The answer is B.", "Answer: B", "(B) soup.")
    then = ("A", "A.", "it is A.", "the answer is A.")
    frames = [
        (before, after, gap) for before, after in zip(first, then * 2, strict=False) for gap in (" ", "\n\n")
    ]
    misread = [
        reply
        for at, word in enumerate(CORRECTIONS)
        for before, after, gap in frames[at % each :: each]
        if before[-1] == "." or gap != " "  # else nothing ends it
        if chosen_label(reply := f"{before}{gap}{but} {word}, {after}", CHOICES) != "A"
    ]
    assert misread == []


@pytest.mark.parametrize("but", ["", "But "])
def test_every_word_that_takes_back_is_heeded_in_a_truth(but: str) -> None:
    misread = [
        reply
        for word in corrections()
        for before, after, truth in (
            ("True.", "false.", "False"),
            ("The statement is false.", "it is true", "True"),
            ("It is true", "the statement is false.", "False"),
        )
        if settled_truth(reply := f"{before}\n\n{but}{word.strip('*')}, {after}") != truth
    ]
    assert misread == []


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("There is no reason to object", None),
        ("There is no problem with this, so yes", "Yes"),
        ("It is unacceptable", "No"),
        ("Acceptable", "Yes"),
        ("It is not acceptable.", "No"),
        ("It would not be considered acceptable", "No"),
        ("There is nothing wrong with it", "Yes"),
        ("No one would mind.", None),
        ("No problem", None),
        ("Is it acceptable? No.", "No"),
        ("Yes... wait, no.", "No"),
        ("Neither of them was rude, so yes.", "Yes"),
        ("It is neither acceptable nor unacceptable.", "Neither"),
        ("The answer is neither", "Neither"),
        ("**No**\nIt would be acceptable in France.", None),
        ("I have no idea", None),
        ("I choose neither honestly", "Neither"),  # four words at most, where nothing announces it
        ("I choose neither, quite honestly", None),
        ("No that would be rude", "No"),
        ("No they never do", "No"),
        ("Yes indeed people bow", "Yes"),
        ("No guests ever do", None),
    ],
)
def test_hard_words(reply: str, label: str | None) -> None:
    assert settled_word(reply, WORDS) == label


@pytest.mark.parametrize(
    "repeated",
    [
        '{"a":',
        '{"b": ',
        "(",
        "\n",
        " ",
        "A. rice\n",
        "A or B ",
        "not ",
        "1, ",
        "\\boxed{",
        "the answer is not ",
    ],
)
def test_a_model_that_repeats_itself_is_read_in_no_time(repeated: str) -> None:
    chosen_label("not A", CHOICES)  # compiles the patterns
    begun = process_time()
    chosen_label(repeated * (8_000 // len(repeated)), CHOICES)
    assert process_time() - begun < 2.5
