"""Every task with lettered options, in several orders of them: what is shown, and that a letter means what
was shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.multiple_choice.orders import MOST, asked_orders, can_be_permuted, orders_of
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.registry import get_task, tasks
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError
from folkways.records import RESPONSES
from folkways.releases.release_records import Release
from tests.support.blend_data import release_at
from tests.support.mcq_data import write_mcq_release

ORDERS = 4


@pytest.mark.parametrize(("options", "number"), [(0, 1), (1, 1), (2, 2), (3, 6), (4, 24), (5, MOST), (9, 9)])
def test_as_many_orders_as_there_are(options: int, number: int) -> None:
    found = orders_of("17", options)
    assert len(set(found)) == len(found) == number
    assert found[0] == tuple(range(options)) and all(sorted(order) == sorted(found[0]) for order in found)
    if options:
        assert {order[0] for order in found[:options]} == set(range(options)), "each option comes first once"


@pytest.mark.parametrize(
    "option", ["Todas las anteriores", "以上都是", "Все вышеперечисленное", "A y B", "위의 모든 것", "Hepsi"]
)
def test_options_that_speak_of_places_in_other_languages(option: str) -> None:
    assert not can_be_permuted(["Té", "Pan", option])
    assert len(list(asked_orders("17", ["Té", "Pan", option], "plain", 3))) == 1


def test_who_can_be_asked_in_several_orders() -> None:
    able = {name for name, task in tasks().items() if task.permutes_options}
    assert {
        "blend/mcq",
        "culturalbench/easy",
        "demo/mcq",
        "global-mmlu-lite/mcq",
        "global-piqa/mcq",
        "include/mcq",
    } <= able
    assert (
        "semeval2026/mcq" in able
        and not {"normad/acceptable", "blend/saq", "demo/true-false", "culturalbench/hard"} & able
    )


def demo(folder: Path) -> tuple[Task, Release]:
    return get_task("demo/mcq"), open_release("demo")


def blend(folder: Path) -> tuple[Task, Release]:
    return get_task("blend/mcq"), release_at(write_mcq_release(folder, 40))


class Own(ChoiceTask):
    """A task of another package, on items of its own."""

    name: ClassVar[str] = "own/mcq"
    facets: ClassVar[tuple[str, ...]] = ()
    labels: ClassVar[tuple[str, ...]] = ("A", "B", "C", "D")

    def rows(self, release: Release) -> Iterator[dict[str, Any]]:
        for number in range(12):
            gold = self.labels[number % 4]
            options = [f"{word} {number}" for word in ("tea", "milk", "soup", "juice")]
            told = {"options": options, "local_language": "en", "gold_letter": gold}
            yield {
                "item": str(number),
                "culture": "KR",
                "text": f"What? {number}",
                "gold": f"{gold}. {options[number % 4]}",
                **told,
            }


def own(folder: Path) -> tuple[Task, Release]:
    return Own(), open_release("demo")


@pytest.mark.parametrize("made", [demo, blend, own])
def test_a_letter_means_what_was_shown(made: object, tmp_path: Path) -> None:
    task, release = made(tmp_path)  # type: ignore[operator]
    items = task.items(release)
    prompts = task.prompts(items, PromptOptions(orders=ORDERS), release)
    assert prompts.height == ORDERS * items.height and prompts["user"].n_unique() == prompts.height
    texts = {row["item"]: row.get("options") or row["choices"] for row in items.iter_rows(named=True)}
    right = {item: gold.split(". ", 1)[-1] for item, gold in items.select("item", "gold").iter_rows()}

    def letter(user: str, text: str) -> str:
        return next(line[0] for line in user.splitlines() if line[1:] == f". {text}")

    def judged(texts_said: dict[str, str]) -> pl.DataFrame:
        rows = [
            {
                "task": task.name,
                "item": item,
                "language": "en",
                "variant": variant,
                "sample": 0,
                "state": "answered",
            }
            | {"response": letter(user, texts_said[item])}
            for item, variant, user in prompts.select("item", "variant", "user").iter_rows()
        ]
        return task.judge(items, pl.DataFrame(rows, schema=dict(RESPONSES)), "strict")

    metric = task.metrics[0].name
    knows = judged(right)
    assert knows[metric].mean() == 1.0 and set(knows["answer"]) == set("ABCD")
    assert (
        knows.group_by("item").agg(pl.col("chosen_option").n_unique())["chosen_option"].to_list()
        == [1] * items.height
    )
    errs = judged(
        {item: next(text for text in options if text != right[item]) for item, options in texts.items()}
    )
    assert errs[metric].mean() == 0.0
    assert errs.group_by("item").agg(pl.col("chosen_option").n_unique())["chosen_option"].max() == 1
    if "chosen_culture" in errs.columns:
        assert errs.group_by("item").agg(pl.col("chosen_culture").n_unique())["chosen_culture"].max() == 1
    with pytest.raises(FolkwaysError, match="~order-N"):
        task.prompts(
            items, PromptOptions(prompt_texts={"mine~order-2": "{question} {options} {choices}"}), release
        )
