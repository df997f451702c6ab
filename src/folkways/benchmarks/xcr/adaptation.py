"""xcr/adaptation: a tagged sentence is rewritten for another culture, within English and into its language,
and each version is compared with gold (Tables 3 and 9)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import ModelRole, Scoring
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.benchmarks.templates import Template
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.adaptation_reader import canonical_strategy, read_adaptation
from folkways.benchmarks.xcr.authors import adaptation_outputs, for_people
from folkways.benchmarks.xcr.release import is_non_transferable
from folkways.benchmarks.xcr.tasks import ASKED, RoleComparison, TextComparison, XcrTask
from folkways.metrics.spans import tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import LEFT_OUT, Metric, Schema, State
from folkways.releases.release_records import Release

NOTHING_READ = (State.REFUSED, State.UNREADABLE)
"""States of a reply without readable versions: the authors' tables have an empty cell for it and leave the
row out."""


@dataclass(frozen=True, slots=True)
class Side:
    """The judgement of one version; each number is 0 to 1, None where it does not apply.

    csi, sent: the comparisons of its tagged items, and of the whole sentence with its tags.
    refused_rightly: only where gold says non-transferable: the reply says so too.
    adapted_rightly: only where gold adapts.
    """

    csi: TextComparison | None
    sent: TextComparison | None
    exact: float | None
    tags_kept: float
    refused_rightly: float | None
    adapted_rightly: float | None
    reason: str


def judge_side(gold: str, reply: str, profile: str) -> Side:
    """Compare ``reply`` with ``gold`` under ``paper`` or ``strict``, both in Unicode normal form C.

    ``paper`` compares nothing if the number of tagged items differs or the version is empty, and gives
    items 0 if neither side has any. ``strict`` divides by the gold items, so that a missing one scores 0.
    Sentences without gold items have no value for items; those that gold calls non-transferable have none
    for the sentence, and a reply that calls another sentence so scores 0.
    """
    gold, reply = unicodedata.normalize("NFC", gold), unicodedata.normalize("NFC", reply)
    expected, tagged = tagged_spans(gold, across_lines=False), tagged_spans(reply, across_lines=False)
    impossible, refused = is_non_transferable(gold), is_non_transferable(reply)
    pairs = tuple(zip(tagged, expected, strict=False))
    csi: TextComparison | None = TextComparison(pairs, over=max(len(expected), 1))
    sent: TextComparison | None = TextComparison(((reply, gold),))
    exact: float | None = float(refused if impossible else _tidy(reply) == _tidy(gold))
    if profile == "paper":
        if len(tagged) != len(expected) or not reply:
            csi = sent = None
    else:
        csi = csi if expected else None
        sent = TextComparison() if refused or not reply else sent
        if impossible:
            sent = exact = None
    return Side(
        csi=csi,
        sent=sent,
        exact=exact,
        tags_kept=float(len(tagged) == len(expected)),
        refused_rightly=float(refused) if impossible else None,
        adapted_rightly=None if impossible else float(not refused),
        reason=_reason(impossible, refused, len(expected), len(tagged)),
    )


def no_version(gold: str, profile: str, state: State) -> Side:
    """The side of a reply without a version: the worst value, or none if ``paper`` leaves the row out or
    nothing applies.

    A request that failed scores 0 in both profiles: it must not make the rest look better.
    """
    impossible = is_non_transferable(gold)
    left_out = profile == "paper" and state in NOTHING_READ
    strict = profile == "strict"
    return Side(
        csi=None if left_out or (strict and not tagged_spans(gold, across_lines=False)) else TextComparison(),
        sent=None if left_out or (strict and impossible) else TextComparison(),
        exact=None if strict and impossible else 0.0,
        tags_kept=0.0,
        refused_rightly=0.0 if impossible else None,
        adapted_rightly=None if impossible else 0.0,
        reason="no answer",
    )


def _tidy(text: str) -> str:
    return " ".join(re.sub(r"\s*(</?CSI>)\s*", r" \1 ", text).split())


def _reason(impossible: bool, refused: bool, expected: int, found: int) -> str:
    if impossible:
        return "called non-transferable, rightly" if refused else "adapted what gold calls non-transferable"
    if refused:
        return "called non-transferable, wrongly"
    return f"{found} of {expected} items tagged" if found != expected else "as many items tagged as in gold"


PEOPLE: Mapping[str, tuple[str, str, str]] = {
    "ARAB": ("Arabic", "people in the Arab world", "Modern Standard Arabic"),
    "CN": ("Chinese", "people in China", "Chinese (simplified characters)"),
    "IN-WB": ("Bengali", "Bengali people in West Bengal, India", "Bengali, as it is written in West Bengal"),
    "BD": ("Bengali", "people in Bangladesh", "Bengali, as it is written in Bangladesh"),
}
"""Culture -> the authors' adjective, and our own wording for its people and its language."""

LANGUAGE_MODELS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ar": ("asafaya/bert-base-arabic", ("ARAB",)),
    "bn": ("sagorsarker/bangla-bert-base", ("IN-WB", "BD")),
    "zh": ("hfl/chinese-bert-wwm-ext", ("CN",)),
}
"""Language -> the authors' model for it, and the cultures whose versions are written in it."""

ENGLISH_BASELINE = 0.35219112
"""F1 of unrelated English sentences by layer 9 of bert-base-uncased, as the authors of BERTScore measured it
(package 0.3.13)."""

_likeness = partial(Metric, kind="mean", leaves_out=True)
"""A metric of how alike reply and gold are: under ``paper`` it leaves out what the authors' code leaves
out."""

_RESCALED = (ENGLISH_BASELINE / (ENGLISH_BASELINE - 1), 1.0)
"""Bounds of an F1 that ``paper`` rescales: the value of a similarity of 0, and the highest one."""


class Adaptation(XcrTask):
    """One prompt per sentence and target culture; each reply holds both versions and the strategy.

    The authors' wording only says "Bengali" for both Bengali cultures, so one reply answers for both, as in
    the paper; ours distinguishes them. Versions are compared by BERTScore F1, given the models, and always by
    edit similarity, under the same rules for counts and labels (``judge_side``). ``paper`` leaves out rows
    whose number of tagged items differs from gold and gives 0 if neither side has any. ``strict`` gives 0 for
    a missing item, and judges sentences without an equivalent in the culture only by whether the reply says
    so. ``paper`` rescales the English scores and not the others, as the authors' code does; ``strict`` takes
    both as they are. Gold versions that the release has swapped are put right, except in ``paper``.
    """

    name: ClassVar[str] = "xcr/adaptation"
    title: ClassVar[str] = "XCR-Bench: adaptation"
    about: ClassVar[str] = (
        "Rewrite a sentence for another culture, within English and into its language, and name the "
        "strategy (sections 3 and F)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        _likeness(
            "csi_bert_intra",
            "CSI_bert, in English",
            "BERTScore F1 of paired tagged items, within English.",
            bounds=_RESCALED,
        ),
        _likeness("csi_bert_inter", "CSI_bert, in the language", "BERTScore F1 of paired tagged items."),
        _likeness(
            "sent_bert_intra",
            "SENT_bert, in English",
            "BERTScore F1 of whole tagged sentences.",
            bounds=_RESCALED,
        ),
        _likeness("sent_bert_inter", "SENT_bert, in the language", "BERTScore F1 of whole tagged sentences."),
        _likeness(
            "csi_bert_multi",
            "CSI_bert-multi, in the language",
            "CSI_bert by one model of all languages (appendix F.3).",
        ),
        _likeness(
            "sent_bert_multi",
            "SENT_bert-multi, in the language",
            "SENT_bert by one model of all languages (appendix F.3).",
        ),
        _likeness(
            "csi_edit_intra",
            "CSI edit, in English",
            "Edit similarity of paired tagged items to gold, within English.",
        ),
        _likeness(
            "csi_edit_inter",
            "CSI edit, in the language",
            "Edit similarity of paired tagged items, into the language.",
        ),
        _likeness(
            "sent_edit_intra",
            "Sentence edit, in English",
            "Edit similarity of whole tagged sentences, within English.",
        ),
        _likeness(
            "sent_edit_inter", "Sentence edit, in the language", "Edit similarity of whole tagged sentences."
        ),
        Metric("exact_intra", "Exact, in English", "The version equals gold, spaces at tags aside."),
        Metric("exact_inter", "Exact, in the language", "The version equals gold, spaces at tags aside."),
        Metric(
            "tags_kept_intra",
            "Tags kept, in English",
            "As many tagged items as gold: what the paper can score.",
        ),
        Metric(
            "tags_kept_inter",
            "Tags kept, in the language",
            "As many tagged items as gold: what the paper can score.",
        ),
        Metric(
            "non_transferable",
            "Non-transferable",
            "Said non-transferable where gold does, and adapted where gold does.",
        ),
        Metric("refused_rightly", "Refused rightly", "Of what gold calls non-transferable, said so."),
        Metric("adapted_rightly", "Adapted rightly", "Of what gold adapts, not called non-transferable."),
        Metric("format_read", "Format read", "Two versions could be read out of the reply."),
    )
    scoring: ClassVar[Scoring] = Scoring(
        ("paper", "strict"),
        models=(
            ModelRole(
                "bert-en",
                "tokens",
                ("csi_bert_intra", "sent_bert_intra"),
                "google-bert/bert-base-uncased",
                layer=9,
            ),
            *(
                ModelRole(
                    f"bert-{language}",
                    "tokens",
                    ("csi_bert_inter", "sent_bert_inter"),
                    model,
                    cultures=frozenset(cultures),
                )
                for language, (model, cultures) in LANGUAGE_MODELS.items()
            ),
            ModelRole(
                "bert-multi",
                "tokens",
                ("csi_bert_multi", "sent_bert_multi"),
                "google-bert/bert-base-multilingual-uncased",
            ),
        ),
    )
    max_tokens: ClassVar[int] = 1024
    item_columns: ClassVar[Schema] = {"intra": pl.String, "inter": pl.String, "swapped": pl.Boolean}
    judgement_columns: ClassVar[Schema] = {"strategy": pl.String, LEFT_OUT: pl.String}

    def sentences(self, release: Release, base: pl.DataFrame) -> list[Row]:
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
                "swapped": row["swapped"],
            }
            for culture, file in xcr.ADAPTATION_FILES.items()
            if release.has(file)
            for row in xcr.adaptations(release, culture).sort("row").iter_rows(named=True)
        ]

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        adjective, people, language = PEOPLE[item["culture"]]
        return {"sentence": item["text"], "adjective": adjective, "people": people, "language": language}

    def authors_template(self, text: str) -> Template:
        return super().authors_template(for_people(text, "{adjective}"))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        """With the reason if ``paper`` leaves the reply out of a similarity of either version."""
        row = super().judged(item, response, profile)
        if profile == "paper" and (row["csi_edit_intra"] is None or row["csi_edit_inter"] is None):
            state = row.get("state", response["state"])
            row[LEFT_OUT] = (
                state
                if state in NOTHING_READ
                else "with another number of tagged items than gold, or no version"
            )
        return row

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply = response["response"]
        adapted = read_adaptation(reply)
        if adapted is None:
            return unparsed(reply, "en", "the two versions cannot be told apart, or there are none")
        replied = {"intra": adapted.intra, "inter": adapted.inter}
        sides = {
            name: judge_side(gold, replied[name], profile) for name, gold in _gold(item, profile).items()
        }
        strategy = canonical_strategy(adapted.method)
        answer = "\n".join((adapted.intra, adapted.inter, strategy or adapted.method))
        reason = f"in English: {sides['intra'].reason}; in the language: {sides['inter'].reason}"
        values = {**_values(sides), "format_read": 1.0}
        return ReplyScore(
            answer, reason, values, {"strategy": strategy, ASKED: self._asked(item, sides, profile)}
        )

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        sides = {name: no_version(gold, profile, state) for name, gold in _gold(item, profile).items()}
        comparisons = self._asked(item, sides, profile)
        by_models = {
            metric: one.sure for metric, (role, one) in comparisons.items() if role in self.tools.models
        }
        return {**_values(sides), **by_models, "format_read": 0.0}

    def _asked(self, item: Row, sides: Mapping[str, Side], profile: str) -> dict[str, RoleComparison]:
        """The comparisons for BERT, if there are models. A row without versions has none: all that is known
        of it is certain."""
        if not self.tools.models:
            return {}
        language = next(
            code for code, (_, cultures) in LANGUAGE_MODELS.items() if item["culture"] in cultures
        )
        baseline = ENGLISH_BASELINE if profile == "paper" else None
        roles = (
            ("intra", "intra", "bert-en", baseline),
            ("inter", "inter", f"bert-{language}", None),
            ("inter", "multi", "bert-multi", None),
        )
        return {
            f"{what}_bert_{name}": (role, replace(comparison, baseline=rescaled_by))
            for side, name, role, rescaled_by in roles
            for what, comparison in (("csi", sides[side].csi), ("sent", sides[side].sent))
            if comparison is not None
        }

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        return adaptation_outputs(table)


def _gold(item: Row, profile: str) -> dict[str, str]:
    """The gold version of each side. Two released rows have them swapped, and the authors' code compares with
    them as released."""
    as_released = profile == "paper" and item["swapped"]
    intra, inter = ("inter", "intra") if as_released else ("intra", "inter")
    return {"intra": item[intra], "inter": item[inter]}


def _values(sides: Mapping[str, Side]) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for name, side in sides.items():
        values |= {
            f"csi_edit_{name}": side.csi.value(edit_similarity) if side.csi else None,
            f"sent_edit_{name}": side.sent.value(edit_similarity) if side.sent else None,
            f"exact_{name}": side.exact,
            f"tags_kept_{name}": side.tags_kept,
        }
    refused = [side.refused_rightly for side in sides.values()]
    adapted = [side.adapted_rightly for side in sides.values()]
    return {
        **values,
        "non_transferable": _both(*refused, *adapted),
        "refused_rightly": _both(*refused),
        "adapted_rightly": _both(*adapted),
    }


def _both(*values: float | None) -> float | None:
    """The least of those that apply; None if none does."""
    return min((value for value in values if value is not None), default=None)
