"""xcr/identification: the tags are taken out of a sentence, and the model puts them back (section on tasks;
Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.benchmarks.xcr.common import SourceTask
from folkways.benchmarks.xcr.sentences import without_tags
from folkways.metrics.spans import exact_spans, hi_csi, si_csi, tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import Metric, State
from folkways.text.refusals import is_refusal

_SAME_SENTENCE = (
    0.5  # edit similarity from which an untagged reply is the sentence given back, whatever it says
)


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
        found = tagged_spans(reply, across_lines=True)
        if not found and is_refusal(reply) and edit_similarity(reply, item["text"]) < _SAME_SENTENCE:
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
        return ReplyScore(" | ".join(found), f"tagged {len(found)}, gold has {len(expected)}", values)

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        strict_only = ("precision", "recall", "f1")
        return {
            metric.name: None if profile == "paper" and metric.name in strict_only else 0.0
            for metric in self.metrics
        }
