"""semeval2026/mcq: multiple choice about 30 regions, in English (track 2); that of the trial data is in their
languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.averages import with_mean_over
from folkways.benchmarks.base import PromptOptions, Scoring
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.benchmarks.multiple_choice.task import CHANCE, CONSTANT
from folkways.benchmarks.semeval2026.common import SemEvalTask, shared_columns
from folkways.benchmarks.semeval2026.data import read_letters
from folkways.benchmarks.semeval2026.data.reading import LABELS
from folkways.benchmarks.semeval2026.predictions import letters
from folkways.benchmarks.semeval2026.templates import same_wordings
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.records import Metric, Schema, State, plain
from folkways.releases.release_records import Release
from folkways.text.labels import chosen_label


class MultipleChoice(SemEvalTask):
    """Right when the reply settles on the right letter. Chance is 25 %."""

    name: ClassVar[str] = "semeval2026/mcq"
    title: ClassVar[str] = "SemEval-2026 Task 7, multiple choice"
    about: ClassVar[str] = (
        "Questions about 30 regions in English, with four options from different regions (track 2)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "correct",
            "Accuracy",
            "The reply settles on the right letter; the whole is the mean of the locales (track 2).",
        ),
    )
    scoring: ClassVar[Scoring] = Scoring(
        ("paper",), {"strict": "paper"}, per_reply=True
    )  # their rule for letters needs no repair
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = LABELS
    gold_label: ClassVar[str] = "answer"
    item_columns: ClassVar[Schema] = {
        "number": pl.String,
        "spoken": pl.String,
        "options": pl.List(pl.String),
        "answer": pl.String,
    }
    max_tokens: ClassVar[int] = 64
    has_options: ClassVar[bool] = True

    def rows(self, release: Release) -> Iterator[Row]:
        entries = list(read_letters(release))
        questions = same_wordings(entries)
        for entry in entries:
            (answer,) = entry.answers
            right = f"{answer}. {entry.options[LABELS.index(answer)]}" if entry.options else answer
            yield {
                **shared_columns(entry, questions.get(entry.number, entry.number)),
                "options": entry.options,
                "answer": answer,
                "gold": right,
            }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        plain = Template(wordings("folkways.benchmarks.semeval2026")["mcq"]["plain"], "folkways")
        return choose_templates(
            self.name, options, {"plain": lambda: plain}, self.variants, needed=("question", "options")
        )

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        lines = [f"{label}. {option}" for label, option in zip(LABELS, item["options"], strict=False)]
        return {"question": item["text"] or "", "options": "\n".join(lines)}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        options = item["options"] or [""] * len(LABELS)
        letter = chosen_label(response["response"], dict(zip(LABELS, options, strict=False)))
        if letter is None:
            return unparsed(
                response["response"], response["language"], "no option in the reply, or more than one"
            )
        return ReplyScore(
            letter, f"the right letter is {item['answer']}", {"correct": float(letter == item["answer"])}
        )

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, with the mean of the locales for the whole: they have 307 to 3,699 questions,
        and count alike."""
        judgements = plain(judgements)
        return with_mean_over(super().summarise(judgements), judgements, self.metrics, "locale")

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Chance, and the letter that is right most often."""
        constant = max(LABELS, key=lambda label: (items["answer"] == label).sum())
        right = {
            CHANCE: 1 / pl.col("options").list.len().replace(0, len(LABELS)),
            CONSTANT.format(constant): (pl.col("answer") == constant).cast(pl.Float64),
        }
        told = {"counted": True, "variant": "none", "sample": 0, "state": State.ANSWERED.value}
        guessed = items.with_columns(
            **{name: pl.lit(value) for name, value in told.items()},
            language="spoken",
            reason=pl.lit(None, dtype=pl.String),
        )
        return {
            name: guessed.with_columns(correct=share, answer=pl.lit(None, dtype=pl.String))
            for name, share in right.items()
        }

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """A prediction file of track 2: id, and a one in the column of the letter. The organisers' scorer
        skips unknown ids."""
        predictions = letters(table)
        return predictions if predictions is None else predictions.rename({"item": "item_if_any"})
