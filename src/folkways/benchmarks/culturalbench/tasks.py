"""culturalbench/easy and culturalbench/hard: four options and one letter, or four judgements (section 5)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.averages import with_mean_over
from folkways.benchmarks.base import HumanBaseline, PromptOptions, Scoring
from folkways.benchmarks.culturalbench import baselines
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.itemwise import LOST_LAST, ItemwiseTask, ReplyScore, Row, all_right, unparsed
from folkways.benchmarks.multiple_choice import orders
from folkways.benchmarks.multiple_choice.letters import LETTER_METRICS, letter_scores
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.records import Metric, Schema, State
from folkways.releases.release_records import Release
from folkways.text.labels import TRUTHS, chosen_label, exact_label, settled_truth

FACETS: Schema = dict.fromkeys(("mode", "region", "topic", "part"), pl.String)

with_regional_means = partial(with_mean_over, groups="culture", facet="region", word="country")
"""Regional scores as in the published leaderboard: the unweighted mean over the countries of a region, not
pooled accuracy."""


class CulturalBenchTask(ItemwiseTask):
    """A task whose replies are one of a few labels.

    ``paper`` takes a reply that is the label and nothing else; ``lenient`` the label that it settles on, so
    that talkative models are not mistaken for models that do not know. Replies without a label count as
    wrong and are refused or unreadable.
    """

    release: ClassVar[str] = "culturalbench"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    scoring: ClassVar[Scoring] = Scoring(("paper", "lenient"), {"strict": "lenient"})
    variants: ClassVar[tuple[str, ...]] = ("strict-format",)
    # as in section 5; models that think or talk first need --max-tokens and the lenient profile
    max_tokens: ClassVar[int] = 2
    labels: ClassVar[tuple[str, ...]]
    places: ClassVar[tuple[str, ...]]  # the {names} that a prompt template must contain
    item_columns: ClassVar[Schema] = {
        **FACETS,
        "answer": pl.String,
        "local_language": pl.String,  # null where the question was not translated
        "local_question": pl.String,
    }

    @abstractmethod
    def read(self, item: Row, response: Row, profile: str) -> str | None:
        """The label that the reply gives under the profile."""

    def languages(self, item: Row) -> tuple[str, ...]:
        return ("en",) if item["local_language"] is None else (item["local_language"], "en")

    def local_texts(self, language: str) -> Mapping[str, Template]:
        """Variant -> template in a language other than English, where folkways has one; the others stay
        English."""
        return {}

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        source = "folkways" if language == "en" else "folkways, in English"
        texts = {
            name: Template(text, source)
            for name, text in wordings("folkways.benchmarks.culturalbench")[self.name.split("/")[1]].items()
        }
        if language != "en":
            texts |= self.local_texts(language)
        named: dict[str, Callable[[], Template | None]] = {
            name: (lambda template=template: template)  # type: ignore[misc]
            for name, template in texts.items()
        }
        return choose_templates(self.name, options, named, self.variants, needed=self.places)

    @property
    def judged_columns(self) -> Schema:
        return {**FACETS, **self.judgement_columns, "right": pl.Float64}

    def human_baseline(self) -> HumanBaseline:
        return HumanBaseline("votes against the others'", self._people)

    def _people(self, items: pl.DataFrame, release: Release, profile: str) -> pl.DataFrame | None:
        """Each annotator's votes against those of the others, in a release that was built with votes (see
        ``people``)."""
        from folkways.benchmarks.culturalbench.people import people_judgements

        return people_judgements(items, release, self.name, self.judged_columns)

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, with each region's score as the unweighted mean over its countries, the rule of
        the leaderboard.

        The facet ``region (pooled)`` has the share over all questions of a region.
        """
        return with_regional_means(super().summarise(judgements), judgements, self.metrics)

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        if item["answer"] in self.labels:
            return None
        valid = ", ".join(self.labels)
        return f"the release gives {item['answer']!r} as the answer, which is not one of {valid}"

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"right": 0.0}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        label = self.read(item, response, profile)
        if label is None:
            reason = "the reply is not a label" if profile == "paper" else "no label found"
            return unparsed(response["response"], response["language"], reason)
        return ReplyScore(label, f"the answer is {item['answer']}", {"right": float(label == item["answer"])})


class Easy(CulturalBenchTask):
    """Right when the reply gives the letter of the gold option. Chance is 25 %.

    With several orders of the options, the score is the mean over them. ``consistent`` (the same option in
    every order) is on one row of a question and null on the others, so that it counts once.
    """

    name: ClassVar[str] = "culturalbench/easy"
    title: ClassVar[str] = "CulturalBench-Easy"
    about: ClassVar[str] = (
        "Choose one of four options to a question about a country or region (sections 3.3 and 5)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "right", "Accuracy", "The reply gives the letter of the gold option (section 5).", accuracy=True
        ),
        Metric(
            "consistent",
            "Same option",
            "The same option was chosen in every order that was asked, right or wrong.",
            per="orders",
        ),
        *LETTER_METRICS,
    )
    facets: ClassVar[tuple[str, ...]] = (*FACETS, "gold_letter")
    permutes_options: ClassVar[bool] = True
    gold_label: ClassVar[str] = "answer"
    labels: ClassVar[tuple[str, ...]] = culturalbench.LETTERS
    places: ClassVar[tuple[str, ...]] = ("question", "a", "b", "c", "d")
    item_columns: ClassVar[Schema] = {
        **CulturalBenchTask.item_columns,
        "gold_letter": pl.String,
        "options": pl.List(pl.String),
        "local_options": pl.List(pl.String),
    }
    permuted: ClassVar[tuple[str, ...]] = ("options", "local_options")
    judgement_columns: ClassVar[Schema] = {
        "gold_letter": pl.String,  # as it was asked
        "chosen_letter": pl.String,  # as it was asked
        "chosen_option": pl.String,
    }

    def rows(self, release: Release) -> Iterator[Row]:
        seen: dict[str, int] = {}
        for entry in culturalbench.easy(release).iter_rows(named=True):
            number = seen[entry["question_idx"]] = seen.get(entry["question_idx"], 0) + 1
            options = dict(zip(self.labels, entry["options"], strict=True))
            yield {
                "item": f"easy/{entry['question_idx']}" + (f"-{number}" if number > 1 else ""),
                "release_id": entry["question_idx"],
                "question": entry["question_idx"],
                "culture": entry["culture"],
                "text": entry["question"],
                "gold": f"{entry['answer']}. {options.get(entry['answer'], '')}",
                **{facet: entry[facet] for facet in FACETS},
                "answer": entry["answer"],
                "gold_letter": entry["answer"],
                "options": entry["options"],
                "local_language": entry["local_language"],
                "local_question": entry["local_question"],
                "local_options": entry["local_options"] or entry["options"],
            }

    def local_texts(self, language: str) -> Mapping[str, Template]:
        """``strict-format`` with the instruction of every multiple choice, in the languages that have it."""
        texts = wordings("folkways.benchmarks.multiple_choice")
        instruction = texts["instructions"].get(language)
        if instruction is None:
            return {}
        lettered = "\n".join(f"{label}. {{{label.lower()}}}" for label in self.labels)
        text = texts["local"].replace("{options}", lettered).replace("{instruction}", instruction)
        return {"strict-format": Template(text, "folkways")}

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        question, options = _in_language(item, language, "text", "options")
        return {"question": question, **dict(zip("abcd", options, strict=True))}

    def read(self, item: Row, response: Row, profile: str) -> str | None:
        if profile == "paper":
            return exact_label(response["response"], self.labels)
        _, options = _in_language(item, response["language"], "text", "options")
        return chosen_label(response["response"], dict(zip(self.labels, options, strict=True)))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        verdict = super().judged(item, response, profile)
        return (
            {**verdict, "gold_letter": item["answer"], "chosen_letter": verdict["answer"]}
            if verdict["counted"]
            else verdict
        )

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, with ``consistent``, which is null where a question was asked in one order
        only."""
        judged = super().judge(items, responses, profile)
        templates = {name: orders.split_variant(name)[0] for name in judged["variant"].unique()}
        asking = [
            "item",
            "language",
            pl.col("variant").replace_strict(templates, return_dtype=pl.String),
            "sample",
        ]
        chosen = pl.col("chosen_option")
        taken = chosen.drop_nulls().n_unique()
        alike = (taken == 1) & chosen.is_not_null().all()
        rank = pl.when((taken > 1).over(asking) & chosen.is_not_null()).then(0).otherwise(LOST_LAST)
        speaks = (pl.len().over(asking) > 1) & (rank.rank("ordinal").over(asking) == 1)
        return judged.with_columns(consistent=pl.when(speaks).then(alike.over(asking).cast(pl.Float64)))

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task of the benchmark; the facet ``letter`` has which letters were named."""
        scores = super().summarise(judgements).filter(pl.col("n") > 0)
        return pl.concat([scores, *letter_scores(judgements, self.name)])

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        return baselines.easy(items, self.labels)


def _in_language(item: Row, language: str, question: str, options: str) -> tuple[Any, Any]:
    """The question and the options (or the one option) of an item as it is asked in a language.

    question, options: the columns of the English texts.
    """
    if language == item["local_language"]:
        return item["local_question"], item[f"local_{options}"]
    return item[question], item[options]


class Hard(CulturalBenchTask):
    """Chance is 6.25 % for questions. Judgements have their own column: a constant False gets about 73 % of
    them right.

    ``all_right`` is on one row of a question (``itemwise.all_right``).
    """

    name: ClassVar[str] = "culturalbench/hard"
    title: ClassVar[str] = "CulturalBench-Hard"
    about: ClassVar[str] = (
        "Say of each of four proposed answers to a question whether it is true (sections 3.3 and 5)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "all_right",
            "Accuracy",
            "All four judgements of the question are right (section 5).",
            per="question",
            accuracy=True,
        ),
        Metric("right", "Judgements right", "The judgement is right; not the benchmark's score."),
    )
    labels: ClassVar[tuple[str, ...]] = TRUTHS
    places: ClassVar[tuple[str, ...]] = ("question", "option")
    item_columns: ClassVar[Schema] = {
        **CulturalBenchTask.item_columns,
        "question_text": pl.String,
        "option": pl.String,
        "local_option": pl.String,
        "judgements": pl.Int64,
    }

    def chance(self) -> float:
        return 100 / 2**4  # four judgements, all of them right

    def rows(self, release: Release) -> Iterator[Row]:
        seen: dict[str, int] = {}
        table = culturalbench.hard(release).with_columns(
            judgements=pl.len().over("question_idx").cast(pl.Int64)
        )
        for entry in table.iter_rows(named=True):
            name = f"hard/{entry['question_idx']}/{entry['data_idx']}"
            number = seen[name] = seen.get(name, 0) + 1
            yield {
                "item": name + (f"-{number}" if number > 1 else ""),
                "release_id": entry["data_idx"],
                "question": entry["question_idx"],
                "culture": entry["culture"],
                "text": f"{entry['question']} {entry['option']}",
                "gold": entry["answer"],
                **{facet: entry[facet] for facet in FACETS},
                "answer": entry["answer"],
                "question_text": entry["question"],
                "option": entry["option"],
                **{name: entry[name] for name in ("local_language", "local_question", "local_option")},
                "judgements": entry["judgements"],
            }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        question, option = _in_language(item, language, "question_text", "option")
        return {"question": question, "option": option}

    def read(self, item: Row, response: Row, profile: str) -> str | None:
        reply = response["response"]
        return exact_label(reply, self.labels) if profile == "paper" else settled_truth(reply)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, with ``all_right``.

        It is null for a question whose judgements were not all asked (a limited run). A question with an
        unusable gold answer is not counted.
        """
        judged = super().judge(items, responses, profile)
        expected = items.group_by("question").agg(
            pl.col("judgements").first(), pl.col("answer").is_in(TRUTHS).all().alias("usable")
        )
        judged = judged.join(expected, on="question", how="left", maintain_order="left")
        reason = pl.when(pl.col("counted") & ~pl.col("usable")).then(
            pl.lit("another judgement of the question has no usable answer")
        )
        return judged.with_columns(
            counted=pl.col("counted") & pl.col("usable"),
            reason=reason.otherwise(pl.col("reason")),
            all_right=all_right("judgements"),
        ).drop("judgements", "usable")

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        return baselines.hard(items)
