"""A task with lettered options, in many languages: how it is shown, how the letter is read, and what guessing gives.

A benchmark says what its items are (``rows``, with ``options``, ``gold_letter`` and ``local_language``), and by ``values`` which
metrics an item counts for, where there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.judging.letters import LETTER_METRICS, letter_scores
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.records import JUDGEMENTS, Metric, Schema, State
from folkways.releases.base import Release
from folkways.text.labels import chosen_label

LOCAL, ENGLISH, PLAIN = "local", "english", "plain"
ACCURACY = Metric("accuracy", "Accuracy", "The reply settles on the letter of the right option.")
CHANCE, CONSTANT = "baseline/chance", "baseline/constant:{}"


class ChoiceTask(ItemwiseTask):
    """Right when the letter that the reply settles on is that of the right option, or the reply names that option alone.

    Variants: ``local`` shows question and options with an instruction in the language of the question, in English where folkways
    has none in it (the signature's ``prompts`` then says so); ``english`` has it in English always; ``plain`` ends with "Answer:",
    for models that go on with a text (``--read loglik``).
    """

    metrics: ClassVar[tuple[Metric, ...]] = (ACCURACY, *LETTER_METRICS)
    scoring: ClassVar[Scoring] = Scoring(aliases={"lenient": "strict"})
    variants: ClassVar[tuple[str, ...]] = (LOCAL,)
    max_tokens: ClassVar[int] = 64
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = ("A", "B", "C", "D")
    item_columns: ClassVar[Schema] = {"options": pl.List(pl.String), "local_language": pl.String, "gold_letter": pl.String}
    judgement_columns: ClassVar[Schema] = {"chosen_letter": pl.String}
    places: ClassVar[tuple[str, ...]] = ("question", "options")  # the {names} that a text brought by the user must contain

    def languages(self, item: Row) -> tuple[str, ...]:
        return (item["local_language"],)

    def wordings(self, language: str) -> Mapping[str, Template]:
        """Variant -> our template in a language."""
        texts = wordings("folkways.benchmarks.choosing")
        known = texts["instructions"]
        own = "folkways" if language in known else "folkways, in English"
        return {
            LOCAL: Template(texts[LOCAL].replace("{instruction}", known.get(language, known["en"])), own),
            ENGLISH: Template(texts[LOCAL].replace("{instruction}", known["en"]), "folkways"),
            PLAIN: Template(texts[PLAIN], "folkways"),
        }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        known: dict[str, Callable[[], Template | None]] = {
            name: (lambda template=template: template)  # type: ignore[misc]
            for name, template in self.wordings(language).items()
        }
        return choose_templates(self.name, options, known, self.variants, needed=self.places)

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        shown = dict(zip(self.labels, item["options"], strict=True))
        lettered = "\n".join(f"{label}. {option}" for label, option in shown.items())
        return {"question": item["text"], "options": lettered, **{label.lower(): option for label, option in shown.items()}}

    def values(self, item: Row, right: float) -> Mapping[str, float | None]:
        """Each metric for an item that is answered rightly to this degree; None where it does not apply to the item."""
        return {"accuracy": right}

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return self.values(item, 0.0)

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        if item["gold_letter"] in self.labels:
            return None
        return f"the release gives {item['gold_letter']!r} as the answer, which is none of {', '.join(self.labels)}"

    def read(self, item: Row, reply: str, variant: str) -> str | None:
        """The label that the reply settles on."""
        return chosen_label(reply, dict(zip(self.labels, item["options"], strict=True)))

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, gold = response["response"], item["gold_letter"]
        label = self.read(item, reply, response["variant"])
        if label is None:
            return unparsed(reply, response["language"], "no option in the reply, or more than one")
        return ReplyScore(label, f"the answer is {gold}", self.values(item, float(label == gold)), {"chosen_letter": label})

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task; which letters were named stands by ``letter``."""
        scores = super().summarise(judgements).filter(pl.col("n") > 0)
        if LETTER_METRICS[0] not in self.metrics:
            return scores
        return pl.concat([scores, *letter_scores(judgements, self.name)])

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Chance, and the label that is right most often."""
        right = items["gold_letter"]
        constant = max(self.labels, key=lambda label: (right == label).sum())
        return {
            CHANCE: self._guessed(items, lambda item: 1 / len(self.labels)),
            CONSTANT.format(constant): self._guessed(items, lambda item: float(item["gold_letter"] == constant)),
        }

    def _guessed(self, items: pl.DataFrame, right: Callable[[Row], float]) -> pl.DataFrame:
        told = {"variant": "none", "sample": 0, "state": State.ANSWERED.value, "answer": None, "reason": None}
        rows = [
            {
                **item,
                **told,
                "language": item["local_language"],
                "counted": self.why_uncounted(item, self.scoring.profiles[0]) is None,
                **self.values(item, right(item)),
            }
            for item in items.iter_rows(named=True)
        ]
        kept = {name: kind for name, kind in self.judged_columns.items() if name not in self.judgement_columns}
        metrics = {metric.name for metric in LETTER_METRICS}
        schema = {name: kind for name, kind in {**JUDGEMENTS, **kept}.items() if name not in metrics}
        return pl.DataFrame(rows, schema=schema)
