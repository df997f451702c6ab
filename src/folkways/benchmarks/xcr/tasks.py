"""The tasks of XCR-Bench: what they share (facets, prompts, comparisons of texts), identification and
prediction (section on tasks; Table 2)."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import Comparer, ModelRole, PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.authors import tagged_outputs
from folkways.benchmarks.xcr.labels import LEVELS
from folkways.benchmarks.xcr.release import prompt_example_rows
from folkways.metrics.spans import exact_spans, hi_csi, hp_csi, hp_csi_per_gold, si_csi, tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import ITEMS, SCORE_NUMBERS, Metric, Schema, State
from folkways.releases.release_records import Release
from folkways.text.refusals import is_refusal

AUTHORS = "authors"
CLEANED = "authors-cleaned"
OURS = "folkways"
ASKED = "_asked"  # a detail of a verdict: the metrics that a language model has to be asked for
FACETS: Schema = {
    "category": pl.String,
    "hall_level": pl.String,
    "element": pl.String,
    "prompt_example": pl.String,
}


def without_line_breaks(prompt: str) -> str:
    """A prompt without LaTeX's line breaks, which the paper (Figures 11 and 12) prints as such."""
    return prompt.replace(xcr.LINE_BREAK, "")


class XcrTask(ItemwiseTask):
    """A task on the XCR-Bench corpus. A subclass defines what an item is, what the prompt shows of it, and
    how a reply is judged."""

    release: ClassVar[str] = "xcr"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    ordered: ClassVar[Mapping[str, tuple[str, ...]]] = {"hall_level": LEVELS}
    scoring: ClassVar[Scoring] = Scoring(("paper", "strict"))
    variants: ClassVar[tuple[str, ...]] = (AUTHORS,)

    @abstractmethod
    def sentences(self, release: Release, base: pl.DataFrame) -> Iterable[Row]:
        """``rows`` made of the corpus with its facets."""

    def authors_template(self, text: str) -> Template:
        """The authors' prompt with the input at its end."""
        return Template(f"{text.rstrip()} {{sentence}}", "release")

    def rows(self, release: Release) -> Iterable[Row]:
        base = xcr.corpus(release)
        shown = prompt_example_rows(
            xcr.read_prompt(release, self.short_name) or "", base["sentence"].to_list()
        )
        base = base.with_columns(
            pl.when(pl.col("row").is_in(shown))
            .then(pl.lit("in the prompt"))
            .otherwise(pl.lit("not in the prompt"))
            .alias("prompt_example")
        ).rename({"csi_category": "category", "csi_hall_mapping": "element"})
        columns = {*ITEMS, *self.facets, *self.item_columns}
        return ({name: row[name] for name in row if name in columns} for row in self.sentences(release, base))

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        ours = Template(wordings("folkways.benchmarks.xcr")[self.short_name], OURS)
        text = xcr.read_prompt(release, self.short_name)
        by_variant: dict[str, Callable[[], Template | None]] = {
            AUTHORS: lambda: None if text is None else self.authors_template(text),
            OURS: lambda: ours,
        }
        if text is not None and xcr.LINE_BREAK in text:
            by_variant[CLEANED] = lambda: self.authors_template(without_line_breaks(text))
        default = self.variants if text is not None else (OURS,)
        return choose_templates(self.name, options, by_variant, default, needed=("sentence",))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        if response["state"] == State.ANSWERED and not (response["response"] or "").strip():
            worst = self.worst(item, profile, State.UNREADABLE)
            return {
                "counted": True,
                "state": State.UNREADABLE.value,
                "answer": None,
                "reason": "an empty reply",
                **worst,
            }
        return super().judged(item, response, profile)

    def completed(self, rows: list[Row]) -> list[Row]:
        """With the values of the metrics that need language models; each model runs once for all rows."""
        if not self.tools.models:
            return rows
        values = compare_all([row.get(ASKED, {}) for row in rows], self.tools.models)
        return [{**row, **computed} for row, computed in zip(rows, values, strict=True)]

    @property
    def judged_columns(self) -> Schema:
        """Without metrics whose models are all absent: they are not computed, which differs from not
        applicable."""
        by_models = {metric for role in self.scoring.models for metric in role.metrics}
        computable = {
            metric
            for role in self.scoring.models
            if role.name in self.tools.models
            for metric in role.metrics
        }
        computed = [
            metric.name
            for metric in self.metrics
            if metric.name not in by_models or metric.name in computable
        ]
        return {**FACETS, **self.judgement_columns, **dict.fromkeys(computed, pl.Float64)}

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, without rows for metrics that apply to no item under the profile (but with those
        that leave all out)."""
        return summarise_means(judgements, self.name, self.metrics, self.facets).filter(pl.col("n") > 0)

    def text_tools(self) -> Mapping[str, str]:
        return {"edits": f"rapidfuzz {version('rapidfuzz')}"}

    @property
    def short_name(self) -> str:
        return self.name.split("/", 1)[1]


class SourceTask(XcrTask):
    """A task on the sentences as they are, of the culture that they come from; a subclass defines by
    ``shown`` what is asked."""

    item_columns: ClassVar[Schema] = {"sentence": pl.String}

    @abstractmethod
    def shown(self, sentence: str) -> tuple[str, str]:
        """The text that a model is shown for a tagged sentence, and the gold for people."""

    def sentences(self, release: Release, base: pl.DataFrame) -> Iterable[Row]:
        for entry in base.drop("row", "cultural_context").iter_rows(named=True):
            text, gold = self.shown(entry["sentence"])
            yield {**entry, "item": entry["id"], "culture": "ANGLO", "text": text, "gold": gold}

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"sentence": item["text"]}

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        return tagged_outputs(table)


Pair = tuple[str, str]
"""The text of the reply and that of gold."""


@dataclass(frozen=True, slots=True)
class TextComparison:
    """The value ``(sure + the sum of the similarities of the pairs) / over``.

    pairs: what must be compared.
    sure: the sum of what is known without a comparison (equal items).
    over: the divisor: the items, or the gold items, of which a missing one is a pair less.
    baseline: the similarity of unrelated texts; every similarity is rescaled so that it becomes 0. None to
        take it as it is.
    """

    pairs: tuple[Pair, ...] = ()
    sure: float = 0.0
    over: int = 1
    baseline: float | None = None

    def value(self, similarity: Callable[[str, str], float]) -> float:
        """The value by a similarity of two texts."""
        total = self.sure
        for reply, gold in self.pairs:
            alike = similarity(reply, gold)
            total += alike if self.baseline is None else (alike - self.baseline) / (1 - self.baseline)
        return total / self.over


RoleComparison = tuple[str, TextComparison]
"""The role of the model that compares, and the comparison."""


def compare_all(
    asked: Sequence[Mapping[str, RoleComparison]], models: Mapping[str, Comparer]
) -> list[dict[str, float]]:
    """Metric -> value, for each mapping of ``asked``; every model sees all its distinct pairs at once.

    A metric whose model is absent is left out.
    """
    alike = {
        role: _similarities(
            model, (pair for row in asked for name, one in row.values() if name == role for pair in one.pairs)
        )
        for role, model in models.items()
    }
    return [
        {metric: one.value(alike[role]) for metric, (role, one) in row.items() if role in alike}
        for row in asked
    ]


def _similarities(model: Comparer, pairs: Iterable[Pair]) -> Callable[[str, str], float]:
    distinct = list(dict.fromkeys(pairs))
    by_pair = dict(zip(distinct, model.compare(distinct).tolist(), strict=True)) if distinct else {}
    return lambda reply, gold: by_pair[reply, gold]


MASK = "[MASK]"
_OPENING = re.compile(r"(\s*)<CSI>\s*")
_CLOSING = re.compile(r"\s*</CSI>(\s*)")
_SPAN = re.compile(r"(?s)<CSI>.*?</CSI>")


def without_tags(sentence: str) -> str:
    """The sentence without tags and without the spaces that were added with them ("the pub, again")."""

    def opening(found: re.Match[str]) -> str:
        return " " if found[1] or sentence[found.start() - 1 : found.start()].isalnum() else ""

    def closing(found: re.Match[str]) -> str:
        return " " if found[1] or text[found.end() : found.end() + 1].isalnum() else ""

    text = _OPENING.sub(opening, sentence)
    return _CLOSING.sub(closing, text).strip()


def masked(sentence: str) -> str:
    """The sentence with every tagged item replaced by the mask, inside its tags. An unclosed tag stays as it
    is."""
    return _SPAN.sub(f"<CSI> {MASK} </CSI>", sentence)


# edit similarity from which an untagged reply is the sentence given back, whatever it says
_SAME_SENTENCE = 0.5


class Identification(SourceTask):
    """Both profiles read tags alike; ``strict`` adds precision, recall and F1 of exact spans, so that tagging
    everything costs."""

    name: ClassVar[str] = "xcr/identification"
    title: ClassVar[str] = "XCR-Bench: identification"
    about: ClassVar[str] = (
        "Mark what is specific to American, British or Western culture in an English sentence (sections "
        "3 and F of the paper)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "hi_csi",
            "HI-CSI",
            "Share of gold items tagged exactly, case-sensitive; extra tags are free (appendix F).",
            "mean",
        ),
        Metric(
            "si_csi",
            "SI-CSI",
            "F1 of edit similarity under the best one-to-one pairing (appendix F).",
            "mean",
        ),
        Metric(
            "si_precision",
            "SI precision",
            "The pairing's similarity over the items that the reply tags.",
            "mean",
        ),
        Metric("si_recall", "SI recall", "The pairing's similarity over the gold items.", "mean"),
        Metric(
            "precision", "Exact precision", "Share of tagged items that are gold items (strict only).", "mean"
        ),
        Metric(
            "recall",
            "Exact recall",
            "Share of gold items tagged exactly, each matched once (strict only).",
            "mean",
        ),
        Metric("f1", "Exact F1", "Harmonic mean of the two, per sentence (strict only).", "mean"),
    )

    def shown(self, sentence: str) -> tuple[str, str]:
        return without_tags(sentence), sentence

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply = response["response"]
        tagged = tagged_spans(reply, across_lines=True)
        if not tagged and is_refusal(reply) and edit_similarity(reply, item["text"]) < _SAME_SENTENCE:
            return unparsed(reply, "en", "")
        gold = item["sentence"]
        soft, exact = si_csi(gold, reply), exact_spans(gold, reply)
        values: dict[str, float | None] = {
            "hi_csi": hi_csi(gold, reply),
            "si_csi": soft.f1,
            "si_precision": soft.precision,
            "si_recall": soft.recall,
        }
        strict = {"precision": exact.precision, "recall": exact.recall, "f1": exact.f1}
        values |= strict if profile == "strict" else dict.fromkeys(strict)
        expected = tagged_spans(gold, across_lines=True)
        return ReplyScore(" | ".join(tagged), f"tagged {len(tagged)}, gold has {len(expected)}", values)

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        strict_only = ("precision", "recall", "f1")
        return {
            metric.name: None if profile == "paper" and metric.name in strict_only else 0.0
            for metric in self.metrics
        }


MOST_ITEMS = 4.0
"""Tagged items of the release's longest sentence: the most hits of one sentence, which ``paper`` counts."""


class Prediction(SourceTask):
    """``paper`` counts hits per sentence, so that a perfect copy scores 116.15; ``strict`` gives the share of
    the gold items hit.

    A sentence without gold items counts as 0 in ``paper`` and not at all in ``strict``.
    """

    name: ClassVar[str] = "xcr/prediction"
    title: ClassVar[str] = "XCR-Bench: prediction"
    about: ClassVar[str] = (
        "Fill in what is specific to American, British or Western culture in an English sentence "
        "(sections 3 and F of the paper)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "hp_csi",
            "HP-CSI",
            "Items equal to the gold item in the same place, lower-cased: hits per sentence (paper) or per "
            "gold item (strict).",
            "mean",
            bounds=(0.0, MOST_ITEMS),
        ),
        Metric(
            "sp_csi",
            "SP-CSI",
            "As HP-CSI, and items that differ count with the cosine of their sentence embeddings (appendix "
            "F).",
            "mean",
            bounds=(0.0, MOST_ITEMS),
        ),
        Metric("count_kept", "Items kept", "The reply has as many tagged items as the sentence."),
    )
    scoring: ClassVar[Scoring] = Scoring(
        ("paper", "strict"),
        models=(ModelRole("embedding", "sentences", ("sp_csi",), "sentence-transformers/all-mpnet-base-v2"),),
    )
    judgement_columns: ClassVar[Schema] = {
        "hp_weight": pl.Float64,  # how much the row's share counts: its gold items in strict, 1 in paper
        "hp_most": pl.Float64,  # the most that it can be: 1 in strict, MOST_ITEMS in paper
    }

    def shown(self, sentence: str) -> tuple[str, str]:
        return masked(sentence), " | ".join(tagged_spans(sentence, across_lines=False))

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply = response["response"]
        gold = tagged_spans(item["sentence"], across_lines=False)
        tagged = tagged_spans(reply, across_lines=False)
        if gold and not tagged:
            return unparsed(reply, "en", "no tagged item in the reply")
        hits = hp_csi(item["sentence"], reply)
        values = {
            "hp_csi": hits if profile == "paper" else hp_csi_per_gold(item["sentence"], reply),
            "count_kept": float(len(tagged) == len(gold)),
        }
        reason = f"{hits:.0f} of {len(gold)} items equal"
        different = tuple(
            (one, other) for one, other in zip(tagged, gold, strict=False) if one.lower() != other.lower()
        )
        comparisons = {}
        if gold or profile == "paper":
            over = 1 if profile == "paper" else len(gold)
            comparisons["sp_csi"] = ("embedding", TextComparison(different, sure=hits, over=over))
        return ReplyScore(" | ".join(tagged), reason, values, {ASKED: comparisons})

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        nothing_to_hit = profile == "strict" and not tagged_spans(item["sentence"], across_lines=False)
        hits = None if nothing_to_hit else 0.0
        return {"hp_csi": hits, "sp_csi": hits, "count_kept": 0.0}

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        weight = 1.0 if profile == "paper" else float(len(tagged_spans(item["sentence"], across_lines=False)))
        most = MOST_ITEMS if profile == "paper" else 1.0
        return {**super().judged(item, response, profile), "hp_weight": weight, "hp_most": most}

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task; in ``strict``, HP and SP are pooled: hits over all gold items, with intervals by
        sentence."""
        scores = super().summarise(judgements)
        most = MOST_ITEMS if (judgements["hp_most"] > 1).any() else 1.0
        hits = [replace(metric, bounds=(0.0, most)) for metric in self.metrics[:2]]
        by_item = judgements.select(pl.exclude("hp_weight").repeat_by("hp_weight").explode())
        numbers = [name for name in SCORE_NUMBERS if name != "interval"]
        keys = ["metric", "facet", "value"]
        pooled = summarise_means(by_item, self.name, hits, self.facets).select(*keys, *numbers)
        return (
            scores.join(pooled, on=keys, how="left", suffix="_pooled", maintain_order="left")
            .with_columns(pl.coalesce(f"{name}_pooled", name).alias(name) for name in numbers)
            .select(scores.columns)
        )
