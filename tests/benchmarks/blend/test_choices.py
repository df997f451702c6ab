"""blend/mcq from items to scores, and both ways of reading a letter."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.choices import as_asked, in_orders, lettered, seen
from folkways.benchmarks.blend.letter_replies import read_as_paper, read_reply, read_strictly
from folkways.benchmarks.registry import get_task
from folkways.errors import DataError, UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, SCORES
from tests.support.blend_data import mcq_row, release_at, write_csv, write_mcq, write_release

TASK = get_task("blend/mcq")
CHOICES = {"A": "barley tea", "B": "coffee", "C": "None", "D": "wine"}
PROMPT = "What?\n\nA. barley tea\nB. coffee\nC. None\nD. wine"


@pytest.mark.parametrize(
    ("reply", "paper", "strict"),
    [
        ('{"answer_choice": "B"}', "B", "B"),
        ("The answer is B", "T", "B"),
        ("b", "b", "B"),
        ('{"answer_choice": "b"}', '{"answer_choice": "b"}', "B"),
        ("{'answer_choice': 'B'}", "B", "B"),
        ("coffee", "coffee", "B"),
        ("Coffee.", "C", "B"),
        ('{"answer_choice": "Coffee"}', "C", "B"),
        ("They drink coffee there.", "T", "B"),
        ("coffee or wine", "coffee or wine", None),
        ('{"answer_choice": "A or B"}', "A", None),
        ('{"answer_choice": "E"}', '{"answer_choice": "E"}', None),
        ('{"answer_choice": ["D"]}', "D", "D"),
        ('```json\n{"answer_choice": "D",}\n```', "D", "D"),
        ('{"answer": "D"}', '{"answer": "D"}', "D"),
        ("", "", None),
        # A capital of JSON counts where the prompt has it with a full stop; what spoils JSON is taken out.
        ('{"answer_choice": "What?"}', '{"answer_choice": "What?"}', None),
        ('{"answer_choice": "wine",}', "D", "D"),
        ('{"answer_choice": `"wine"`}', "D", "D"),
        ('{"answer_choice": ```json"wine"}', "D", "D"),
        ('{"answer_choice": wine}', '{"answer_choice": wine}', "D"),
        ("B: {'answer_choice': ''}", "B: {'answer_choice': ''}", None),
    ],
)
def test_reading_a_letter(reply: str, paper: str, strict: str | None) -> None:
    assert read_as_paper(reply, PROMPT, CHOICES) == paper
    assert read_strictly(reply, CHOICES) == strict


@pytest.mark.parametrize(
    ("reply", "choices", "letter"),
    [
        # The last answer in JSON counts, whichever quotes it has, and not what is said around it.
        ("A or B? {'answer_choice': 'A'} no: {'answer_choice': 'C'}", "tea coffee milk", "C"),
        ('"answer_choice": hm, A or B? {"answer_choice": "C"}', "tea coffee milk", "C"),
        ('{"answer_choice": "A"} or B? {"answer_choice": "C"} A', "tea coffee milk", "C"),
        ('{"answer_choice": ["Café"]}, not tea', "tea café milk", "B"),
        # One of two options, options that are the same, and one that is empty.
        ("tea", "tea coffee", "A"),
        ("tea", "tea tea", None),
        ("Tea, they say", "coffee tea tea", None),
        ("They drink tea, and that a lot", "- tea", "B"),
    ],
)
def test_a_person_reads_the_letter_that_is_settled_on(reply: str, choices: str, letter: str | None) -> None:
    options = ("" if choice == "-" else choice for choice in choices.split())
    assert read_strictly(reply, dict(zip("ABC", options, strict=False))) == letter


RIGHT, NOTHING = "said B. coffee, which is right", "no choice could be read"


@pytest.mark.parametrize(
    ("reply", "language", "paper", "strict"),
    [
        ("B", "en", ("answered", "B", RIGHT), ("answered", "B", RIGHT)),
        (" \n", "en", ("unreadable", None, "empty reply"), ("unreadable", None, "empty reply")),
        (
            "죄송합니다",
            "ko",
            ("refused", None, "declines to answer"),
            ("refused", None, "declines to answer"),
        ),
        ("so", "en", ("unreadable", None, NOTHING), ("unreadable", None, NOTHING)),
        (
            "Zoo",
            "en",
            ("unreadable", None, "read as 'Z', which is not a choice"),
            ("unreadable", None, NOTHING),
        ),
    ],
)
def test_how_a_reply_is_told(
    reply: str, language: str, paper: tuple[str, ...], strict: tuple[str, ...]
) -> None:
    assert read_reply(PROMPT, CHOICES, reply, "B", language, paper=True) == paper
    assert read_reply(PROMPT, CHOICES, reply, "B", language, paper=False) == strict


def responses(*rows: tuple[str, str | None], state: str = "answered") -> pl.DataFrame:
    names = ("task", "item", "language", "variant", "sample", "state", "response", "reason")
    table = [("blend/mcq", item, "en", "released", 0, state, reply, None) for item, reply in rows]
    return pl.DataFrame(
        table, schema={name: pl.Int64 if name == "sample" else pl.String for name in names}, orient="row"
    )


def test_items_and_released_prompts(tmp_path: Path) -> None:
    release = release_at(write_mcq(tmp_path))
    items = TASK.items(release)
    assert set(ITEMS) <= set(items.columns)
    first = items.row(0, named=True)
    assert (first["item"], first["question"], first["gold"]) == ("Q-1_0", "Q-1", "barley tea")
    assert first["text"] == "What do people drink?"
    prompts = TASK.prompts(items, PromptOptions(), release)
    assert prompts.columns == list(PROMPTS)
    assert prompts["user"].equals(blend.read_mcq(release)["prompt"].alias("user"))
    assert prompts["choices"].to_list() == [["A", "B", "C", "D"]] * 4
    assert TASK.prompts(items, PromptOptions(languages=("ko",)), release).is_empty()
    with pytest.raises(UnknownNameError, match="released"):
        TASK.prompts(items, PromptOptions(variants=("inst-4",)), release)


def test_topics_where_the_release_has_questions(tmp_path: Path) -> None:
    assert TASK.items(release_at(write_mcq(tmp_path / "alone")))["topic"].null_count() == 4
    both = write_mcq(write_release(tmp_path / "both"))
    assert TASK.items(release_at(both))["topic"].to_list() == ["Food", "Food", "Food", "Sport"]


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    release = release_at(write_mcq(tmp_path))
    items = TASK.items(release)
    prompts = TASK.prompts(items, PromptOptions(prompt_texts={"bare": "{q}\n{choices}"}), release)
    assert prompts["user"][0] == "What do people drink?\nA. barley tea\nB. coffee\nC. None\nD. wine"
    assert prompts["prompt_source"].unique().to_list() == ["file:bare"]
    with pytest.raises(DataError, match=r"no \{choices\}"):
        TASK.prompts(items, PromptOptions(prompt_texts={"bare": "{q}"}), release)


def test_every_wording_of_every_item_in_the_order_of_the_items(tmp_path: Path) -> None:
    release = release_at(
        write_mcq(tmp_path, [mcq_row(number, "Spain", ["one", "two"], "B") for number in range(40)])
    )
    items = TASK.items(release)
    own = {"x": "{choices}: {q}", "y": "{q} {choices}"}
    for languages in (None, ("en",), ("ko", "en")):
        options = PromptOptions(prompt_texts=own, variants=("all", "y"), languages=languages)
        prompts = TASK.prompts(items, options, release)
        assert dict(prompts.schema) == PROMPTS
        asked = "What do people drink?"
        assert prompts.select("item", "variant", "user", "prompt_source", "system").rows() == [
            row
            for item, released in items.select("item", "prompt").iter_rows()
            for row in (
                (item, "released", released, "release", None),
                (item, "x", f"A. one\nB. two: {asked}", "file:x", None),
                (item, "y", f"{asked} A. one\nB. two", "file:y", None),
            )
        ]
    assert (
        dict(TASK.prompts(items, PromptOptions(prompt_texts=own, languages=("ko",)), release).schema)
        == PROMPTS
    )
    assert (
        TASK.prompts(items, PromptOptions(prompt_texts=own), release)["variant"].to_list() == ["x", "y"] * 40
    )
    assert set(
        TASK.prompts(items, PromptOptions(prompt_texts=own, variants=("released",)), release)["variant"]
    ) == {"released"}
    assert set(TASK.prompts(items, PromptOptions(variants=("all",)), release)["variant"]) == {"released"}
    turned = TASK.prompts(items, PromptOptions(prompt_texts=own, orders=2), release).head(4)
    assert turned.select("variant", "prompt_source").rows() == [
        *(("x", "file:x"), ("y", "file:y")),
        *(("x~order-2", "file:x"), ("y~order-2", "file:y")),
    ]
    named = PromptOptions(prompt_texts={"x": "{country}: {question} {choices}"})
    assert TASK.prompts(items, named, release)["user"][0].startswith("Spain: What do people drink? A. one")
    with pytest.raises(DataError, match=r"the prompt 'x' has no \{question\} and no \{choices\}: 'Hm'"):
        TASK.prompts(items, PromptOptions(prompt_texts={"x": "Hm"}), release)
    with pytest.raises(UnknownNameError, match="valid: all, released, x, y"):
        TASK.prompts(items, PromptOptions(prompt_texts=own, variants=("z",)), release)


def test_a_question_keeps_its_order_where_another_says_something_else() -> None:
    """Where options refer to each other, where there are too few for so many orders, and where the prompt has
    not one list of them."""
    options = {
        "four": ["tea", "rice", "sand", "salt"],
        "two": ["tea", "rice"],
        "refer": ["tea", "rice", "sand", "All of the above"],
        "twice": ["tea", "rice", "sand", "salt"],
        "unlisted": ["tea", "rice", "sand", "salt"],
    }
    prompts = {name: f"What?\n{lettered('ABCD'[: len(of)], of)}" for name, of in options.items()}
    prompts["twice"] += prompts["twice"]
    prompts["unlisted"] = "What? tea, rice, sand or salt"
    items = pl.DataFrame(
        [
            {
                "culture": "KR",
                "question": name,
                "prompt": prompts[name],
                "labels": list("ABCD"[: len(of)]),
                "choices": of,
            }
            for name, of in options.items()
        ]
    )
    shown = dict(in_orders(items, 3))
    assert {number: part["question"].to_list() for number, part in shown.items()} == {
        1: list(options),
        2: ["four", "two"],
        3: ["four"],
    }
    turned = shown[2].row(1, named=True)
    assert (turned["choices"], turned["prompt"]) == (["rice", "tea"], "What?\nA. rice\nB. tea")
    assert shown[3].columns == items.columns
    # Of a release that does not tell whose options they are.
    asked = items.head(2).with_columns(
        variant=pl.Series(["released~order-2", "released"]),
        answer_idx=pl.lit("A"),
        choice_countries=pl.lit([], dtype=pl.List(pl.String)),
    )
    (moved, released) = as_asked(asked).select("choices", "answer_idx", "choice_countries").rows()
    place = shown[2]["choices"][0].to_list().index("tea")
    assert moved == (shown[2]["choices"][0].to_list(), "ABCD"[place], [])
    assert released == (["tea", "rice"], "A", [])


def test_what_is_shown_of_a_version() -> None:
    """Its orders are drawn by the culture's question; a right letter that it lacks is none."""
    version = {"culture": "KR", "question": "Q-1", "choices": ["a", "b"], "labels": ["A", "B"]}
    for letter, right in (("B", 1), ("E", None)):
        shown = TASK.options_of(version | {"answer_idx": letter})
        assert (shown.texts, shown.right, shown.order_key) == (("a", "b"), right, "KR/Q-1")


@pytest.mark.parametrize(
    ("countries", "chosen", "found"),
    [
        ("South_Korea Spain US dummy", "B", ("A", "B", "ES", "ES US dummy")),
        ("South_Korea Spain US dummy", None, ("A", None, None, "ES US dummy")),
        # A wrong option of the culture itself, and a right one that another culture gave.
        ("South_Korea Spain South_Korea Spain", "C", ("A", "C", "KR", "ES")),
        ("Spain US US dummy", "A", ("A", "A", "ES", "US dummy")),
        ("South_Korea South_Korea South_Korea South_Korea", "A", ("A", "A", "KR", None)),
        ("Spain US", "A", ("A", "A", None, None)),
    ],
)
def test_whose_options_were_offered_and_taken(
    countries: str, chosen: str | None, found: tuple[str | None, ...]
) -> None:
    assert seen("ABCD", countries.split(), "KR", "A", chosen) == found


def test_a_judgement_in_full(tmp_path: Path) -> None:
    """Two readable replies that are right and wrong, one that names no choice, one with another letter, and
    one that was lost."""
    items = TASK.items(release_at(write_mcq(write_release(tmp_path))))
    table = pl.concat(
        [
            responses(
                ("Q-2_3", "A"),
                ("Q-1_0", "B"),
                ("Q-1_2", "Perhaps"),
                ("Q-1_1", '{"answer_choice": "E."}'),
                ("Q-1_1", None),
            ),
            responses(("Q-1_0", "A"), state="failed").with_columns(reason=pl.lit("timeout")),
        ]
    )
    asked = [
        ("Q-2", "ES", "Sport"),
        ("Q-1", "KR", "Food"),
        ("Q-1", "ES", "Food"),
        *[("Q-1", "KR", "Food")] * 3,
    ]
    read = {
        "paper": [
            ("answered", "A", "said A. football, which is right", "A", "A", "ES", 1.0),
            ("answered", "B", "said B. coffee; right: A. barley tea", "A", "B", "KR", 0.0),
            ("unreadable", None, "read as 'P', which is not a choice", "B", None, None, 0.0),
            ("unreadable", None, "no choice could be read", "A", None, None, 0.0),
        ],
        "strict": [
            ("answered", "A", "said A. football, which is right", "A", "A", "ES", 1.0),
            ("answered", "B", "said B. coffee; right: A. barley tea", "A", "B", "KR", 0.0),
            ("unreadable", None, "no choice could be read", "B", None, None, 0.0),
            ("unreadable", None, "no choice could be read", "A", None, None, 0.0),
        ],
    }
    lost = [
        ("unreadable", None, "empty reply", "A", None, None, 0.0),
        ("failed", None, "timeout", "A", None, None, 0.0),
    ]
    for profile, found in read.items():
        judged = TASK.judge(items, table, profile)
        said = ("state", "answer", "reason", "gold_letter", "chosen_letter", "chosen_culture", "accuracy")
        assert judged.select("question", "culture", "topic", "counted", *said).rows() == [
            (*place, True, *rest) for place, rest in zip(asked, [*found, *lost], strict=True)
        ]
        assert judged["item"].to_list() == table["item"].to_list()
        texts = ("topic", "gold_letter", "chosen_letter", "chosen_culture", "offered", "chosen_option")
        assert dict(judged.schema) == {
            **JUDGEMENTS,
            **dict.fromkeys(texts, pl.String),
            "accuracy": pl.Float64,
        }
    assert TASK.judge(items, table.clear(), "paper").schema == judged.schema
    with pytest.raises(DataError, match="lack the columns prompt, choice_countries"):
        TASK.judge(items.drop("prompt", "choice_countries"), table, "paper")
    with pytest.raises(DataError, match="responses lack the column variant"):
        TASK.judge(items, table.drop("variant"), "paper")


def test_judgements(tmp_path: Path) -> None:
    items = TASK.items(release_at(write_mcq(tmp_path)))
    table = responses(
        ("Q-1_0", '{"answer_choice": "A"}'), ("Q-1_1", "I can't answer."), ("Q-1_2", "the B"), ("Q-2_3", " ")
    )
    paper, strict = TASK.judge(items, table, "paper"), TASK.judge(items, table, "strict")
    assert paper["state"].to_list() == ["answered", "refused", "answered", "unreadable"]
    assert paper["accuracy"].to_list() == [1.0, 0.0, 1.0, 0.0]
    assert strict["accuracy"].to_list() == [1.0, 0.0, 1.0, 0.0]
    assert strict["reason"][0] == "said A. barley tea, which is right"
    with pytest.raises(DataError, match="Q-9_9"):
        TASK.judge(items, responses(("Q-9_9", "A")), "paper")


def test_every_question_counts_once_beside_every_item(tmp_path: Path) -> None:
    items = TASK.items(release_at(write_mcq(tmp_path)))
    table = pl.concat(
        [
            responses(("Q-1_0", "A"), ("Q-1_1", "A"), ("Q-1_2", "A")),
            responses(("Q-2_3", None), state="failed"),
        ]
    )  # right, right; wrong; failed
    scores = TASK.summarise(TASK.judge(items, table, "strict"))
    whole = scores.filter(pl.col("facet") == "all").rows_by_key("metric", named=True, unique=True)
    assert whole["accuracy"]["score"] == 50.0
    assert whole["accuracy_by_question"]["score"] == pytest.approx(100 / 3)
    assert whole["accuracy_by_question"]["at_best"] == pytest.approx(200 / 3)
    for score in whole.values():
        assert (score["n"], score["questions"], score["failed"], score["coverage"]) == (4, 2, 1, 0.75), (
            "two cultures have the question Q-1"
        )
    assert set(scores.columns) <= set(SCORES)


def test_means_over_questions_against_a_naive_count() -> None:
    """Versions of 12 questions of two cultures in two languages; some are lost, one question with all of its
    versions."""
    draw = random.Random(5)
    rows: list[dict[str, Any]] = []
    for number in range(160):
        culture, question = draw.choice(["KR", "ES"]), draw.randrange(6)
        state = (
            "missing"
            if (culture, question) == ("KR", 5)
            else draw.choice(["answered"] * 4 + ["refused", "failed", "missing"])
        )
        right = float(state == "answered" and draw.random() < 0.6)
        letter = draw.choice("AB") if state == "answered" else None
        facts = {
            "question": f"{culture}/{question}",
            "culture": culture,
            "topic": "Food" if question < 4 else "Sport",
        }
        rows.append(
            {
                **{"task": "blend/mcq", "item": f"i{number}", **facts, "language": draw.choice(["en", "ko"])},
                **{
                    "variant": draw.choice(["released", "mine"]),
                    "sample": 0,
                    "counted": draw.random() < 0.9,
                    "state": state,
                },
                **{
                    "answer": letter,
                    "reason": None,
                    "gold_letter": "A",
                    "chosen_letter": letter,
                    "chosen_culture": None,
                },
                **{"offered": None, "accuracy": right},
            }
        )
    texts = dict.fromkeys(("topic", "gold_letter", "chosen_letter", "chosen_culture", "offered"), pl.String)
    scores = TASK.summarise(pl.DataFrame(rows, schema={**JUDGEMENTS, **texts, "accuracy": pl.Float64}))
    by_question = scores.filter(metric="accuracy_by_question")
    counted = [row for row in rows if row["counted"]]
    assert by_question.height > 10
    for score in by_question.iter_rows(named=True):
        facets = (
            tuple(zip(score["facet"].split("+"), score["value"].split("+"), strict=True))
            if score["facet"] != "all"
            else ()
        )
        chosen = [row for row in counted if all(row[facet] == value for facet, value in facets)]
        pairs = defaultdict(list)
        for row in chosen:
            pairs[row["question"], row["language"], row["variant"]].append(row)
        lost = ("failed", "missing")
        means = [sum(row["accuracy"] for row in pair) / len(pair) for pair in pairs.values()]
        best = [
            sum(1.0 if row["state"] in lost else row["accuracy"] for row in pair) / len(pair)
            for pair in pairs.values()
        ]
        assert score["at_best"] == pytest.approx(100 * sum(best) / len(best))
        heard = any(row["state"] not in lost for row in chosen)
        assert score["score"] == (pytest.approx(100 * sum(means) / len(means)) if heard else None)
        assert (score["n"], score["questions"]) == (len(chosen), len({row["question"] for row in chosen}))
        for state in ("answered", "refused", "failed", "missing"):
            assert score[state] == sum(row["state"] == state for row in chosen)
        assert score["interval"] is None or score["low"] <= score["score"] <= score["high"]
    keys = by_question.select("facet", "value").rows()
    facets_of_items = scores.filter(pl.col("metric") == "accuracy", pl.col("facet") != "gold_letter")
    assert sorted(keys) == sorted(facets_of_items.select("facet", "value").rows())
    accuracy = scores.filter(metric="accuracy", facet="all").row(0, named=True)
    assert accuracy["score"] == pytest.approx(100 * sum(row["accuracy"] for row in counted) / len(counted))


def test_the_authors_output_is_recognised(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "out.csv",
        ["MCQID", "ID", "prompt", "full_res", "final_ans"],
        [("Q-1_0", "Q-1", "?", "it is B", "B")],
    )
    read = TASK.from_authors(pl.read_csv(tmp_path / "out.csv", infer_schema=False))
    assert read is not None
    assert read.select("item", "language", "response").rows() == [("Q-1_0", "en", "it is B")]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "rows"),
    [("june_hash04", 37_315), pytest.param("head_overlap", 70_088, marks=pytest.mark.nightly)],
)
def test_ready_made_files_of_full_size(shared: Path, folder: str, rows: int) -> None:
    release = release_at(shared / "parity" / "blend_mcq" / folder)
    items = TASK.items(release)
    assert (items.height, items["item"].n_unique(), items["culture"].n_unique()) == (rows, rows, 16)
    assert not items["text"].str.contains("alphabet choices").any()
