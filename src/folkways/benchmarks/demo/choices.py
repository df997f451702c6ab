"""demo/mcq and demo/true-false: answers that are a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.demo.common import DemoTask
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.records import Metric, Schema
from folkways.text.labels import TRUTHS, chosen_label, settled_truth

LETTERS = ("A", "B", "C", "D")


class MultipleChoice(DemoTask):
    """Right when the option that the reply settles on, by letter or text, is the answer. Chance is 25 %."""

    name: ClassVar[str] = "demo/mcq"
    title: ClassVar[str] = "Demo: multiple choice"
    about: ClassVar[str] = "English questions with four options, one of them right."
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("correct", "Accuracy", "The reply settles on the right letter."),
    )
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = LETTERS
    gold_label: ClassVar[str] = "answer"
    file: ClassVar[str] = "multiple_choice.toml"
    item_columns: ClassVar[Schema] = {"options": pl.List(pl.String), "answer": pl.String}

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for question in data["question"]:
            answer = question["answer"]
            yield {
                "item": question["id"],
                "culture": question["culture"],
                "topic": question["topic"],
                "text": question["question"],
                "options": question["options"],
                "answer": answer,
                "gold": f"{answer}. {question['options'][LETTERS.index(answer)]}",
            }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        options = [f"{letter}. {option}" for letter, option in zip(LETTERS, item["options"], strict=True)]
        return {"question": item["text"], "options": "\n".join(options)}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        letter = chosen_label(reply, dict(zip(LETTERS, item["options"], strict=True)))
        if letter is None:
            return unparsed(reply, language, "no answer in the reply")
        right = letter == item["answer"]
        return ReplyScore(
            letter,
            "the right letter" if right else f"the right letter is {item['answer']}",
            {"correct": float(right)},
        )


class TrueFalse(DemoTask):
    """Four statements belong to a question, and the question is right when all four judgements are. Chance is
    6.25 %."""

    name: ClassVar[str] = "demo/true-false"
    title: ClassVar[str] = "Demo: true or false"
    about: ClassVar[str] = (
        "Four proposed answers to each English question, each judged on its own; any number of them may "
        "be right."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "all_right",
            "All four right",
            "Every statement of the question is judged rightly.",
            per="question",
        ),
        Metric(
            "right",
            "Statements right",
            "The statement is judged rightly; a constant False gets this right often.",
        ),
    )
    labels: ClassVar[tuple[str, ...]] = TRUTHS
    file: ClassVar[str] = "true_false.toml"
    item_columns: ClassVar[Schema] = {"statement": pl.String, "truth": pl.String}

    def chance(self) -> float:
        return 100 / 2**4  # four statements, all of them judged rightly

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for question in data["question"]:
            for number, statement in enumerate(question["statements"], start=1):
                yield {
                    "item": f"{question['id']}/{number}",
                    "question": question["id"],
                    "culture": question["culture"],
                    "topic": question["topic"],
                    "text": f"{question['question']} {statement['text']}",
                    "statement": statement["text"],
                    "truth": str(statement["true"]),
                    "gold": str(statement["true"]),
                }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {
            "question": item["text"].removesuffix(f" {item['statement']}"),
            "statement": item["statement"],
        }

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        truth = settled_truth(reply)
        if truth is None:
            return unparsed(reply, language, "no answer in the reply")
        values = {"right": float(truth == item["truth"]), "all_right": None}  # ``judge`` finds the second
        return ReplyScore(truth, f"the statement is {item['truth'].lower()}", values)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task; ``all_right`` stands on the first row of each question, so that the question
        counts once."""
        judged = super().judge(items, responses, profile)
        asking = ["question", "language", "variant", "sample"]
        statements = items.group_by("question").len(name="statements")
        complete = pl.len().over(asking) == pl.col("statements")
        first = pl.int_range(pl.len()).over(asking) == 0
        all_right = pl.when(complete).then(pl.col("right").min().over(asking)).otherwise(0.0)
        return (
            judged.join(statements, on="question", how="left", maintain_order="left")
            .with_columns(all_right=pl.when(first).then(all_right))
            .select(judged.columns)
        )
