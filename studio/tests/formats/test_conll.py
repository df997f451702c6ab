"""CoNLL in its columns, out and in: offsets survive wherever a file has the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways_studio.formats.conll import (
    ConllError,
    TaggedText,
    conll2003,
    one_line,
    read_conll,
    universal_ner,
)
from studio.tests.support.spans import spans_within, texts

CONLL_2003 = """-DOCSTART- -X- -X- O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
German JJ I-NP I-MISC
call NN I-NP O
. . O O

# NN I-NP O
Peter NNP I-NP I-PER
Blackburn NNP I-NP I-PER
"""

UNIVERSAL = """# newdoc id = d1
# sent_id = d1-s1
# text = Sanoin, että don't Oulu-city.
1\tSanoin\tO\t-\tx
2\t,\tO\t-\tx
3\tettä\tO\t-\tx
4-5\tdon't\tO\t-\tx
4\tdo\tO\t-\tx
5\tn't\tB-NEG\t-\tx
6\tOulu\tB-LOC\t-\tx
7\t-city\tI-LOC\t-\tx
8\t.\tO\t-\tx
"""

CONLL_U = """# sent_id = w1
1\tKim\tKim\tPROPN\t_\t_\t2\tnsubj\t_\tNER=B-PER
2\tate\teat\tVERB\t_\t_\t0\troot\t_\t_
2.1\tx\tx\tX\t_\t_\t_\t_\t2:x\t_
3\ttteok\ttteok\tNOUN\t_\t_\t2\tobj\t_\tNER=S-FOOD|SpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
"""


def test_the_columns_of_2003() -> None:
    (first, second), joined = read_conll(CONLL_2003)
    assert joined
    assert first.text == "EU rejects German call ."
    assert [(first.text[start:end], label) for start, end, label in first.spans] == [
        ("EU", "ORG"),
        ("German", "MISC"),
    ]
    assert second.text == "# Peter Blackburn"
    assert second.spans == [(2, 17, "PER")]


def test_universal_ner_with_its_text() -> None:
    (only,), joined = read_conll(UNIVERSAL)
    assert not joined
    assert only.name == "d1-s1"
    assert [(only.text[start:end], label) for start, end, label in only.spans] == [
        ("don't", "NEG"),
        ("Oulu-city", "LOC"),
    ]


def test_conll_u_with_tags_in_misc() -> None:
    (only,), joined = read_conll(CONLL_U)
    assert joined
    assert (only.name, only.text) == ("w1", "Kim ate tteok.")
    assert only.spans == [(0, 3, "PER"), (8, 13, "FOOD")]


@pytest.mark.parametrize(
    ("comments", "name"),
    [
        (("sent_id = s", "id = i", "doc_id = d"), "s"),
        (("doc_id = d", "id = i"), "i"),
        (("doc_id = d",), "d"),
        (("sent_id =", "id = i"), "i"),
        (("newdoc id = d", "newpar id = p"), ""),
        (("sent_id = s of = two",), "s of = two"),
        ((), ""),
    ],
)
def test_a_text_has_the_id_of_its_sentence_before_that_of_its_document(
    comments: tuple[str, ...], name: str
) -> None:
    (first, second), _ = read_conll("".join(f"# {each}\n" for each in comments) + "one O\n\ntwo O\n")
    assert (first.name, second.name) == (name, ""), "a comment is of the text below it alone"


def test_two_columns_and_scripts_without_spaces() -> None:
    (only,), _ = read_conll("我 O\r\n们 O\r\n吃 O\r\n饺 B-FOOD\r\n子 I-FOOD\r\nok O\r\n")
    assert only.text == "我们吃饺子 ok"
    assert only.spans == [(3, 5, "FOOD")]


@pytest.mark.parametrize(
    ("content", "tagged"),
    [
        ("2024 CD B-DATE\n12 CD I-DATE\n", [("2024 12", [(0, 7, "DATE")])]),
        ("1 CD B-N\n\n2024 CD B-DATE\n", [("1", [(0, 1, "N")]), ("2024", [(0, 4, "DATE")])]),
        ("1 O\n2 B-N\n", [("1 2", [(2, 3, "N")])]),
        ("1 one O\nx two B-N\n", [("1 x", [(2, 3, "N")])]),
        ("1 one O\n2 two B-N\n", [("one two", [(4, 7, "N")])]),
        ("1-2 ones O\n1 one O\n2 s B-N\n3 two O\n", [("ones two", [(0, 4, "N")])]),
        ("1 one O\n1.1 none B-N\n2 two O\n", [("one two", [])]),
        ("1-2 ones B-A\n1 one B-X\n2 s B-Y\n", [("ones", [(0, 4, "A")])]),
        ("1-2 ones O\n1 one B-X\n2 s B-Y\n", [("ones", [(0, 4, "X")])]),
        ("1 A O\n2-3 dont O\n2 do O\n3 nt B-N\n", [("A dont", [(2, 6, "N")])]),
        ("1 A B-X\n2-3 dont O\n2 do O\n3 nt O\n", [("A dont", [(0, 1, "X")])]),
        (
            "1 A O\n2-4 zum O\n2 zu O\n3 d B-P\n4 em B-Q\n5 Tor B-R\n",
            [("A zum Tor", [(2, 5, "P"), (6, 9, "R")])],
        ),
        ("1-2 ones B-A\n1 one O\n2 s O\n3 two I-A\n", [("ones two", [(0, 8, "A")])]),
        ("0.1 none B-N\n1 one O\n\n1-1 two B-N\n1 two O\n", [("one", []), ("two", [(0, 3, "N")])]),
        ("2 one O\n3 two B-N\n\n1 x O\n", [("2 3", [(2, 3, "N")]), ("1", [])]),
        ("Oulu a b c d e f g h B-LOC\n", [("Oulu", [(0, 4, "LOC")])]),
    ],
)
def test_numbers_are_ids_where_every_text_counts_from_one_and_nothing_else_stands_there(
    content: str, tagged: list[tuple[str, list[tuple[int, int, str]]]]
) -> None:
    assert [(each.text, each.spans) for each in read_conll(content)[0]] == tagged


@given(
    st.lists(
        texts().flatmap(lambda text: st.tuples(st.just(text), spans_within(text))), min_size=1, max_size=4
    )
)
def test_universal_ner_is_read_back_as_it_was(drawn: list[tuple[str, list[tuple[int, int, str]]]]) -> None:
    tagged = [TaggedText(f"q{number}", text, spans) for number, (text, spans) in enumerate(drawn)]
    again, joined = read_conll(universal_ner(tagged))
    assert not joined
    assert [(each.name, each.text, each.spans) for each in again] == [
        (each.name, one_line(each.text), each.spans) for each in tagged
    ]


@given(texts().flatmap(lambda text: st.tuples(st.just(text), spans_within(text))))
def test_2003_keeps_the_words_of_every_span(drawn: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, spans = drawn
    (only,), joined = read_conll(conll2003([TaggedText("", text, spans)]))
    assert joined
    marked = ["".join(only.text[start:end].split()) for start, end, _ in only.spans]
    assert marked == ["".join(text[start:end].split()) for start, end, _ in spans]
    assert [label for *_, label in only.spans] == [label for *_, label in spans]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "line 1: there is no token in the file"),
        ("a O\nb\n", "line 2: has 1 columns, and the lines before it have 2"),
        ("a NN\nb VB\n", "line 1: there is no column of tags"),
        (CONLL_U.replace("NER=", "Gloss="), "line 2: is CoNLL-U without tags of entities"),
        (UNIVERSAL.replace("Oulu-city", "Ulu-city"), "line 10: 'Oulu' does not come next in # text"),
        (UNIVERSAL.replace("että", "että se", 1), 'line 7: "don\'t" does not come next in # text'),
    ],
)
def test_what_cannot_be_read_is_named(content: str, problem: str) -> None:
    with pytest.raises(ConllError) as caught:
        read_conll(content)
    assert str(caught.value).startswith(problem)
