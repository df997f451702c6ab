"""blend/mcq from items to scores, and both ways of reading a letter."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.choice_reading import read_as_paper, read_strictly
from folkways.benchmarks.registry import get_task
from folkways.errors import DataError, UnknownNameError
from folkways.records import ITEMS, PROMPTS, SCORES
from folkways.releases import blend
from tests.support.blend_data import release_at, write_csv, write_mcq, write_release

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
    ],
)
def test_reading_a_letter(reply: str, paper: str, strict: str | None) -> None:
    assert read_as_paper(reply, PROMPT, CHOICES) == paper
    assert read_strictly(reply, CHOICES) == strict


def responses(*rows: tuple[str, str | None], state: str = "answered") -> pl.DataFrame:
    names = ("task", "item", "language", "variant", "sample", "state", "response", "reason")
    table = [("blend/mcq", item, "en", "released", 0, state, reply, None) for item, reply in rows]
    return pl.DataFrame(table, schema={name: pl.Int64 if name == "sample" else pl.String for name in names}, orient="row")


def test_items_and_released_prompts(tmp_path: Path) -> None:
    release = release_at(write_mcq(tmp_path))
    items = TASK.items(release)
    assert set(ITEMS) <= set(items.columns)
    first = items.row(0, named=True)
    assert (first["item"], first["question"], first["gold"]) == ("Q-1_0", "KR/Q-1", "barley tea")
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


def test_judgements(tmp_path: Path) -> None:
    items = TASK.items(release_at(write_mcq(tmp_path)))
    table = responses(("Q-1_0", '{"answer_choice": "A"}'), ("Q-1_1", "I can't answer."), ("Q-1_2", "the B"), ("Q-2_3", " "))
    paper, strict = TASK.judge(items, table, "paper"), TASK.judge(items, table, "strict")
    assert paper["state"].to_list() == ["answered", "refused", "answered", "unreadable"]
    assert paper["accuracy"].to_list() == [1.0, 0.0, 1.0, 0.0]
    assert strict["accuracy"].to_list() == [1.0, 0.0, 1.0, 0.0]
    assert strict["reason"][0] == "A: barley tea"
    with pytest.raises(DataError, match="Q-9_9"):
        TASK.judge(items, responses(("Q-9_9", "A")), "paper")


def test_every_question_counts_once_beside_every_item(tmp_path: Path) -> None:
    items = TASK.items(release_at(write_mcq(tmp_path)))
    table = pl.concat(
        [responses(("Q-1_0", "A"), ("Q-1_1", "A"), ("Q-1_2", "A")), responses(("Q-2_3", None), state="failed")]
    )  # right, right; wrong; failed
    scores = TASK.summarise(TASK.judge(items, table, "strict"))
    whole = scores.filter(pl.col("facet") == "all").rows_by_key("metric", named=True, unique=True)
    assert whole["accuracy"]["score"] == 50.0
    assert whole["accuracy_by_question"]["score"] == pytest.approx(100 / 3)
    assert whole["accuracy_by_question"]["at_best"] == pytest.approx(200 / 3)
    for score in whole.values():
        assert (score["n"], score["questions"], score["failed"], score["coverage"]) == (4, 3, 1, 0.75)
    assert set(scores.columns) <= set(SCORES)


def test_the_authors_output_is_recognised(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", ["MCQID", "ID", "prompt", "full_res", "final_ans"], [("Q-1_0", "Q-1", "?", "it is B", "B")])
    read = TASK.from_authors(pl.read_csv(tmp_path / "out.csv", infer_schema=False))
    assert read is not None
    assert read.select("item", "language", "response").rows() == [("Q-1_0", "en", "it is B")]


@pytest.mark.shared
@pytest.mark.parametrize(("folder", "rows"), [("june_hash04", 37_315), ("head_overlap", 70_088)])
def test_ready_made_files_of_full_size(shared: Path, folder: str, rows: int) -> None:
    release = release_at(shared / "parity" / "blend_mcq" / folder)
    items = TASK.items(release)
    assert (items.height, items["item"].n_unique(), items["culture"].n_unique()) == (rows, rows, 16)
    assert not items["text"].str.contains("alphabet choices").any()
