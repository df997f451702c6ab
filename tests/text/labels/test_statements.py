"""What the words around a letter say of it: each word of a kind in each position, and the bounds of how far a
word reaches."""

from __future__ import annotations

import pytest

from folkways.text.labels import first_label
from folkways.text.labels.mentions import LETTER, with_letters
from folkways.text.labels.statements import statements

ABCD = ("A", "B", "C", "D")


def labels(replies: list[str]) -> dict[str, str | None]:
    return {reply: first_label(reply, ABCD) for reply in replies}


def all_are(label: str | None, replies: list[str]) -> None:
    assert {reply: read for reply, read in labels(replies).items() if read != label} == {}


def stances(text: str) -> list[str]:
    return [mention.stance for mention in statements(with_letters(text, ABCD), LETTER)]


REASSURING = (
    *("no doubt", "without doubt", "without a doubt", "undoubtedly", "no question", "not only"),
    *("sin duda", "毫无疑问", "의심의 여지 없이"),
)


@pytest.mark.parametrize("phrase", REASSURING)
def test_what_says_that_there_is_no_doubt_denies_nothing(phrase: str) -> None:
    frames = ("{}, B is right", "{} B is right", "B is {} right", "The answer is {} B", "{} the answer is B",
              "The answer is B, {}", "The answer is B {}", "B is right {}")  # fmt: skip
    for spelling in (phrase, phrase.capitalize()):
        all_are("B", [frame.format(spelling) for frame in frames])


NAMES = ("answer", "answers", "answer_choice", "choice", "choices", "option", "options", "response", "letter",
         "one", "conclusion")  # fmt: skip
VERBS = ("is", "are", "was", "were", ":", "=", "-", "–", "—",
         *(f"{verb} be" for verb in ("would", "must", "should", "will", "has to", "can", "could", "might", "may")))  # fmt: skip
ADVERBS = ("", "then", "therefore", "clearly", "definitely", "probably", "likely", "most likely", "indeed", "simply",
           "thus", "hence", "consequently", "actually", "really", "that it is", "that it's")  # fmt: skip


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("verb", VERBS)
def test_what_announces_an_answer_outweighs_what_is_right_in_passing(verb: str, every: bool) -> None:
    """Before other letters that the reply is about, and with a denial announced in the same way. Each two of the words
    stand together; every: all three."""
    turn = VERBS.index(verb)
    pairs = [
        (name, adverb)
        for at, adverb in enumerate(ADVERBS)
        for name in (NAMES if every else [NAMES[(at + turn) % len(NAMES)]])
    ]
    announcing = [f"The {name} {verb} {adverb} B" for name, adverb in pairs]
    all_are("B", announcing)
    all_are("B", [f"{reply.upper()}. A and C are what most people do" for reply in announcing])
    all_are("B", [f"{reply}. A and C are what most people do" for reply in announcing])
    all_are(None, [f"The {name} {verb} not {adverb} B" for name, adverb in pairs])


@pytest.mark.parametrize("adverb", ["therefore", "thus", "hence", "consequently"])
def test_a_conclusion_on_the_next_line_is_parted_from_the_denial_before(adverb: str) -> None:
    for line_break in ("\n", " \n", "\n\n"):
        all_are("B", [f"Is it A? It is not{line_break}{word} B" for word in (adverb, adverb.capitalize())])
    all_are(None, [f"It is not{space}{adverb} B" for space in (" ", "  ", "\t", "\u00a0")])


@pytest.mark.parametrize("end", ["!", "?", "。", "！", "？", "؟", "।", "…", "..", "...", ".", ";", "；"])
def test_a_sentence_ends_at_every_mark(end: str) -> None:
    """A denial reaches no further, on either side."""
    asks = end in "?？؟"
    all_are("B", [f"A is wrong{end} B is right", f"A is what they do{end} B"])
    all_are(None if asks else "B", [f"B is right{end} A is wrong"])
    assert stances(f"I like A{end} B is wrong")[-1] == "denied"
    assert stances(f"A is right{end}") == ["aside" if asks else "asserted"]
    assert stances(f"A is wrong{end}") == ["denied"]


@pytest.mark.parametrize("mark", [",", "،", "、", "፣", ":", "：", "—", "–"])
def test_a_clause_ends_at_every_mark(mark: str) -> None:
    all_are("B", [f"B is right{mark} A is wrong", f"A is wrong{mark} B is right", f"A is wrong{mark} B"])


@pytest.mark.parametrize("but", ["anything but", "everything but", "all but", "any but"])
def test_all_but_one_is_not_that_one(but: str) -> None:
    all_are(
        None,
        [
            f"{start}{but} {option}B"
            for start in ("", "It is ", "The answer is ")
            for option in ("", "option ")
        ],
    )


@pytest.mark.parametrize(
    "verb", ["is", "was", "seems", "looks", "sounds", "does", "has", "es", "ist", "est", "è", "é"]
)
def test_a_singular_verb_denies_the_second_of_two_alone(verb: str) -> None:
    """Where two letters only stand beside each other, and a verb of several denies both."""
    all_are("B", [f"B, A {verb} wrong", f"B, A {verb.title()} wrong"])
    all_are(None, [f"B, A, C {verb} wrong", f"B, A, C {verb} not right"])
    all_are(None, [f"B, A {plural} wrong" for plural in ("are", "were", "would")])


@pytest.mark.parametrize(
    ("reply", "within", "beyond"),
    [
        ("B is {} choose", "what I'd", "what I would"),  # three words between a letter and its choice
        ("The answer is B that {} call wrong", "many would", "many here would"),  # five words of a denial
        (
            "答案是B这在很多地方的人{}不对",
            "们看来",
            "们看来应该都是",
        ),  # fourteen letters, where no space parts them
    ],
)
def test_how_far_a_word_reaches(reply: str, within: str, beyond: str) -> None:
    assert stances(reply.format(within)) != stances(reply.format(beyond))


def test_of_two_letters_in_a_row_the_second_is_meant_where_the_first_alone_is_denied_and_it_is_called_right() -> (
    None
):
    all_are("B", ["not A, B is right", "Not A, B is the right one", "unlike A, B", "rather than A, B"])
    undecided = ["The answer is not A, B", "It cannot be A, B", "not A, B are both possible"]
    all_are(None, [*undecided, "A, B is right", "A, B. That is right", "I think A, B is correct"])
