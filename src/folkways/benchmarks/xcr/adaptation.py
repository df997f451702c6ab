"""xcr/adaptation: a tagged sentence is rewritten for another culture, within English and into its language (Tables 3 and 9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.templates import Template
from folkways.benchmarks.xcr import adaptation_reader as reader
from folkways.benchmarks.xcr.adaptation_judging import Side, judge_side
from folkways.benchmarks.xcr.authors_files import adaptation_outputs
from folkways.benchmarks.xcr.authors_prompt import for_people
from folkways.benchmarks.xcr.common import Row, Verdict, XcrTask, unread
from folkways.benchmarks.xcr.strategies import canonical_strategy
from folkways.metrics.refusals import declines
from folkways.records import Metric, Schema, State
from folkways.releases import xcr
from folkways.releases.base import Release

PEOPLE: Mapping[str, tuple[str, str, str]] = {
    "ARAB": ("Arabic", "people in the Arab world", "Modern Standard Arabic"),
    "CN": ("Chinese", "people in China", "Chinese (simplified characters)"),
    "IN-WB": ("Bengali", "Bengali people in West Bengal, India", "Bengali, as it is written in West Bengal"),
    "BD": ("Bengali", "people in Bangladesh", "Bengali, as it is written in Bangladesh"),
}
"""Culture -> the authors' adjective, and our own wording for its people and its language."""


class Adaptation(XcrTask):
    """One prompt per sentence and target culture; each reply holds both versions and the strategy.

    The authors' wording says only "Bengali" of both Bengali cultures, so one reply answers for both, as in the paper; ours tells
    them apart. Until embeddings come in, versions are compared by edit similarity under the paper's rules for counts and labels:
    ``paper`` leaves out rows whose number of tagged items differs from gold and gives 0 where neither side has one; ``strict``
    gives 0 for a missing item, and leaves sentences without an equivalent in the culture to the accuracy of saying so.
    """

    name: ClassVar[str] = "xcr/adaptation"
    title: ClassVar[str] = "XCR-Bench: adaptation"
    about: ClassVar[str] = (
        "Rewrite a sentence for another culture, within English and into its language, and name the strategy (sections 3 and F)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("csi_edit_intra", "CSI edit, in English", "Edit similarity of paired tagged items to gold, within English.", "mean"),
        Metric("csi_edit_inter", "CSI edit, in the language", "Edit similarity of paired tagged items, into the language.", "mean"),
        Metric(
            "sent_edit_intra", "Sentence edit, in English", "Edit similarity of whole tagged sentences, within English.", "mean"
        ),
        Metric("sent_edit_inter", "Sentence edit, in the language", "Edit similarity of whole tagged sentences.", "mean"),
        Metric("exact_intra", "Exact, in English", "The version equals gold, spaces at tags aside."),
        Metric("exact_inter", "Exact, in the language", "The version equals gold, spaces at tags aside."),
        Metric("tags_kept_intra", "Tags kept, in English", "As many tagged items as gold: what the paper can score."),
        Metric("tags_kept_inter", "Tags kept, in the language", "As many tagged items as gold: what the paper can score."),
        Metric("non_transferable", "Non-transferable", "Said non-transferable where gold does, and adapted where gold does."),
        Metric("refused_rightly", "Refused rightly", "Of what gold calls non-transferable, said so."),
        Metric("adapted_rightly", "Adapted rightly", "Of what gold adapts, not called non-transferable."),
        Metric("format_read", "Format read", "Two versions could be read out of the reply."),
    )
    max_tokens: ClassVar[int] = 1024
    own_columns: ClassVar[Schema] = {"intra": pl.String, "inter": pl.String}
    details: ClassVar[Schema] = {"strategy": pl.String}

    def rows(self, release: Release, base: pl.DataFrame) -> list[Row]:
        entries = {entry["id"]: entry for entry in base.drop("row", "cultural_context").iter_rows(named=True)}
        return [
            {
                **entries[row["id"]],
                "item": f"{culture}/{row['id']}",
                "release_id": row["id"],
                "question": row["id"],
                "culture": culture,
                "text": entries[row["id"]]["sentence"],
                "gold": f"{row['intra']}\n{row['inter']}",
                "intra": row["intra"],
                "inter": row["inter"],
            }
            for culture, file in xcr.ADAPTATION_FILES.items()
            if release.has(file)
            for row in xcr.adaptations(release, culture).sort("row").iter_rows(named=True)
        ]

    def parts(self, item: Row) -> Mapping[str, str]:
        adjective, people, language = PEOPLE[item["culture"]]
        return {"sentence": item["text"], "adjective": adjective, "people": people, "language": language}

    def authors_template(self, text: str) -> Template:
        return super().authors_template(for_people(text, "{adjective}"))

    def verdict(self, item: Row, reply: str, profile: str) -> Verdict:
        found = reader.read_adaptation(reply)
        if found is None:
            return unread(declines(reply), "the two versions cannot be told apart, or there are none")
        intra, inter = judge_side(item["intra"], found.intra, profile), judge_side(item["inter"], found.inter, profile)
        strategy = canonical_strategy(found.method)
        answer = "\n".join((found.intra, found.inter, strategy or found.method))
        reason = f"in English: {intra.reason}; in the language: {inter.reason}"
        return Verdict(State.ANSWERED, answer, reason, {**_values(intra, inter), "format_read": 1.0}, {"strategy": strategy})

    def worst(self, item: Row, profile: str) -> Mapping[str, float | None]:
        sides = [judge_side(item[side], None, profile) for side in ("intra", "inter")]
        return {**_values(*sides), "format_read": 0.0}

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        return adaptation_outputs(table)


def _values(intra: Side, inter: Side) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for name, side in (("intra", intra), ("inter", inter)):
        values |= {
            f"csi_edit_{name}": side.csi_edit,
            f"sent_edit_{name}": side.sent_edit,
            f"exact_{name}": side.exact,
            f"tags_kept_{name}": side.tags_kept,
        }
    return {
        **values,
        "non_transferable": _both(intra.refused_rightly, intra.adapted_rightly, inter.refused_rightly, inter.adapted_rightly),
        "refused_rightly": _both(intra.refused_rightly, inter.refused_rightly),
        "adapted_rightly": _both(intra.adapted_rightly, inter.adapted_rightly),
    }


def _both(*values: float | None) -> float | None:
    """The least of those that apply; None where none does."""
    return min((value for value in values if value is not None), default=None)
