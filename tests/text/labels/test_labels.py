"""Reading labels: nothing but the label in the exact way, what a reply settles on in the lenient one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.text.labels import TRUTHS, chosen_label, exact_label, first_label, settled_truth
from folkways.text.labels.mentions import with_letters

DRESSES = ["{}", "{}.", "({})", "**{}**", "Answer: {}", "answer is {}", "{})", " {}\n", "[{}]", "`{}`"]
ABCD = ("A", "B", "C", "D")


@pytest.mark.parametrize("word", ["vitamin", "Vitamin", "GROUP", "blood\n    type", "grupo", "person"])
@pytest.mark.parametrize("gap", [" ", "  ", "\n", " (", "("])
def test_a_letter_that_ends_a_name_is_no_label(word: str, gap: str) -> None:
    text = f"it is {word}{gap}C"
    assert with_letters(text, ABCD) == text
    assert with_letters(f"it is bread{gap}C", ABCD) != f"it is bread{gap}C"


@pytest.mark.parametrize(
    ("reply", "label"),
    [("A", "A"), (" B\n", "B"), ("A.", None), ("a", None), ("Answer: A", None), ("", None), ("AB", None)],
)
def test_exact_label_takes_the_label_and_nothing_else(reply: str, label: str | None) -> None:
    assert exact_label(reply, ABCD) == label


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("A", "A"),
        ("b", "B"),
        ("(C)", "C"),
        ("**D**", "D"),
        ("Ｂ", "B"),
        ("A.", "A"),
        ("Answer: A", "A"),
        ("answer: a", "A"),
        ("The answer is B.", "B"),
        ("The correct answer is: **C) Rice**", "C"),
        ("The correct option is (D), since people queue.", "D"),
        ('{"answer_choice": "C"}', "C"),
        ('{"answer":"d"}', "D"),
        ("\\boxed{B}", "B"),
        ("B) They bow", "B"),
        ("B) They bow\n\nExplanation: A) is wrong and C) is rude.", "B"),
        ("Explanation: A is rude. The answer is C.", "C"),
        ("Not A. The answer is B", "B"),
        ("It is not A but B", "B"),
        ("I would choose C", "C"),
        ("A common custom is to bow, so option D", "D"),
        ("A common custom is to bow.", None),
        ("Either A or B", None),
        ("A and C", None),
        ("I do not know", None),
        ("The answer is a bow", None),
        ("", None),
        ("Dinner", None),
        ("E", None),
        ("The answer is A or B", None),
        ("It is NOT A but B", "B"),
        ("Answer: B\nAs said, answer: B, never A or C", "B"),
        ("not" + " " * 200 + "A or rather C", "C"),
        ("选B", "B"),
        ("我选择b", "B"),
        ("答案是C", "C"),
        ("答案不是A，答案是C", "C"),
        ("不选A，选B", "B"),
        ("答案是B，C不对", "B"),
        ("উত্তর: B নাচ", "B"),  # dance, which begins as no does
        ("उत्तर: B सेब है", "B"),  # an apple, which begins as than does
        ("A सेब B", None),
        ("A तोता B", None),  # a parrot, which begins as so does
        ("B নাকি A", None),  # or, which begins as no does
        ("விடையாக B", "B"),
        ("సమాధానంగా B", "B"),
        ("选A还是B", None),
        ("A or B, B", None),  # may be a second thought, or one of three
        ("Between A, B", None),
        ("Choosing between A, B, B", None),
        *(
            (f"{asked}, {said}", label)
            for asked in ("Between A and B", "Between A or B")
            for said, label in (
                ("B", "B"),
                ("B is right", "B"),
                ("A, maybe", "A"),
                ("B is wrong", None),
                ("B is less common", None),
                ("B is what people in my town do", None),
                ("B would be a surprise", None),
            )
        ),  # as in "A is rude."
        ("选项A、B都可以", None),
        ("정답은 B입니다", "B"),
        ("A가 아니라 B입니다", "B"),
        ("الإجابة الصحيحة هي B", "B"),
        ("پاسخ درست گزینهB است", "B"),
        ("Η σωστή απάντηση είναι B, όχι C", "B"),
        ("La respuesta correcta es la opción C, no A", "C"),
        ("La respuesta: A veces comen", None),
        ("Jawaban yang benar adalah B, bukan A", "B"),
        ("Waleran anu bener nyaéta C", "C"),
        ("Düzgün cavab B variantıdır, A deyil", "B"),
        ("Amsar ita ce B, ba A ba", "B"),
        ("መልሱ C ነው", "C"),
        ("উত্তৰ: B", "B"),
        ("so B would here again perhaps", None),  # a doubt among the four words behind it
        ("so B would here again then perhaps", "B"),
    ],
)
def test_first_label_reads_what_a_reply_settles_on(reply: str, label: str | None) -> None:
    assert first_label(reply, ABCD) == label


@pytest.mark.parametrize(
    ("reply", "truth"),
    [
        ("True", "True"),
        ("false.", "False"),
        ("**False**", "False"),
        *(
            (f"{word}{rest}", truth)
            for word, truth in (
                ("Yes", "True"),
                ("Yeah", "True"),
                ("yep", "True"),
                ("No", "False"),
                ("Nope", "False"),
            )
            for rest in ("", ".", ", they do not mind.")
        ),
        ("The statement is true.", "True"),
        ("That is not true.", "False"),
        ("It isn't true", "False"),
        ("This is not false", "True"),
        ("True or False? False", "False"),
        ("It is not necessarily true.", None),
        ("neither true nor false", None),
        ("I cannot say", None),
        ("untrue", "False"),
        ("I can't say that is true", None),
        ("I cannot confirm that this is true.", None),
        ("I'm not sure whether it is false", None),
        ("I doubt that it's true", None),
        ("I don't know if it's true, so: False", "False"),
        ("I can't say much, but true", "True"),
        ("I don't think that is true.", "False"),
        ("I do not believe that the statement is false", "True"),
        ("It isn't really true", "False"),
        ("That can't be true", "False"),
        ("This is never true", "False"),
        ("THAT IS NOT TRUE", "False"),
        ("NOT NECESSARILY TRUE", None),
        ("I CAN'T SAY THAT IS TRUE", None),
        ("It is not necessarily true; in fact it is false, not true", "False"),
        ("", None),
    ],
)
def test_settled_truth_reads_what_a_reply_settles_on(reply: str, truth: str | None) -> None:
    assert settled_truth(reply) == truth


@given(st.sampled_from(ABCD), st.sampled_from(DRESSES))
def test_every_usual_dress_of_a_bare_label_is_read(label: str, dress: str) -> None:
    assert first_label(dress.format(label), ABCD) == label


@example("B")
@example(" c. ")
@given(st.text(max_size=60))
def test_readers_answer_with_a_label_or_nothing_for_any_text(reply: str) -> None:
    assert first_label(reply, ABCD) in {*ABCD, None}
    assert settled_truth(reply) in {*TRUTHS, None}
    exact = exact_label(reply, ABCD)
    if exact is not None:
        assert first_label(reply, ABCD) == exact


OPTIONS = {"A": "rice", "B": "bread", "C": "tea", "D": "salt"}


@pytest.mark.parametrize(
    ("table", "label"),
    [
        ("| Answer | Why |\n|---|---|\n| B | custom |", "B"),
        ("|B|custom|", "B"),
        ("| Option | Text |\n|---|---|\n| B | bread |", "B"),
        ("| **Answer** | **Explanation** |\n| --- | --- |\n| **B** | Most people bring bread. |", "B"),
        ("| Answer | B |", "B"),
        ("| Answer | B | bread |", "B"),
        ("| Question | Answer |\n|---|---|\n| What do they bring? | B |", "B"),
        ("| Letter | Right? |\n|---|---|\n| A | No |\n| B | Yes |\n| C | No |\n| D | No |", "B"),
        ("| A | ✗ |\n| B | ✓ |", "B"),
        ("| B | common in A households |", "B"),
        ("| A | bread |", None),
        ("A | bread", None),
        ("A | B", None),
        ("| A | B | C | D |", None),
        ("| A | rice |\n| B | bread |\n| C | tea |\n| D | salt |", None),
    ],
)
def test_the_cell_of_a_table_is_read_as_a_label(table: str, label: str | None) -> None:
    assert chosen_label(table, OPTIONS) == label


@pytest.mark.parametrize("before", ["", "The answer is D.\n\n"])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_list_of_the_options_that_was_cut_chooses_none(place: int, before: str) -> None:
    options = {"A": "They bring rice", "B": "They bring bread", "C": "They bring tea", "D": "They bring salt"}
    lines = [f"{label}. {text}" for label, text in options.items()][: place + 1]
    for end in ("", ".", ". They", ". They bring", ". They bring " + options["ABCD"[place]][11:-1]):
        cut = before + "\n".join([*lines[:-1], f"{'ABCD'[place]}{end}"])
        assert chosen_label(cut, options) == ("D" if before else None), cut
    assert chosen_label("A is wrong.\nC. They", options) == "C"
    assert chosen_label("A. They bring rice\nB. They bring bread\nD", options) == "D"
