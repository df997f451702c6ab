"""Puts what people decided together as a corpus in the released schema, with ids, strategies, and where
everything comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from folkways.benchmarks.xcr.build.deciding import (
    JUDGES,
    Undecided,
    agreed_labels,
    agreement,
    best_candidate,
    by_item,
    decided_version,
)
from folkways.benchmarks.xcr.build.labels import NON_TRANSFERABLE
from folkways.benchmarks.xcr.build.votes import Choice, Items, Labels, Version
from folkways.benchmarks.xcr.data.reading import BASE_COLUMNS, normal_form, sentence_ids
from folkways.metrics.spans import tagged_spans
from folkways.stats.raters.categories import CategoryAgreement

ADAPTATION_COLUMNS = ("Sentence", "Intra-lingual", "Inter-lingual", "id", "strategy", "adapted_by")
EVERYBODY_COLUMNS = ("id", "culture", "participant", "sentence", "intra", "inter", "strategy", "chosen")
PROVENANCE_COLUMNS = (
    *("id", "item_id", "culture", "item", "fact", "source", "fact_id", "table_row"),
    *("sentence_by", "proposed_by", "judges_of_sentence", "judges_of_labels"),
)


@dataclass(frozen=True)
class Corpus:
    """A corpus as people decided it.

    base: BASE_COLUMNS and ``id``. adaptations: culture -> ADAPTATION_COLUMNS. everybody: EVERYBODY_COLUMNS,
    every version that anybody wrote. provenance: PROVENANCE_COLUMNS, one row per sentence. left_out: item ->
    why it is not in the corpus. undecided: culture -> adaptations that no expert has decided. agreement: of
    those who labelled.
    """

    base: pl.DataFrame
    adaptations: Mapping[str, pl.DataFrame]
    everybody: pl.DataFrame
    provenance: pl.DataFrame
    left_out: Mapping[str, str]
    undecided: Mapping[str, int] = field(default_factory=dict)
    agreement: Mapping[str, CategoryAgreement] = field(default_factory=dict)


def put_together(
    items: Items,
    choices: Sequence[Choice],
    labels: Sequence[Labels],
    versions: Sequence[Version] = (),
    judges: int = JUDGES,
) -> Corpus:
    """The corpus of the items whose sentence and labels are decided, in the order of the items."""
    chosen, labelled = by_item(choices), by_item(labels)
    entries: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for item_id, item in items.items():
        found = _entry(item, chosen.get(item_id, []), labelled.get(item_id, []), judges)
        if isinstance(found, Undecided):
            left_out[item_id] = found.why
        else:
            entries[item_id] = found
    ids = dict(zip(entries, sentence_ids([entry["sentence"] for entry in entries.values()]), strict=True))
    base = [(*(entry[name] for name in BASE_COLUMNS), ids[item_id]) for item_id, entry in entries.items()]
    told = [
        provenance(items[item_id], ids[item_id], entry["by"], entry["judges"])
        for item_id, entry in entries.items()
    ]
    adaptations, everybody, undecided = _adapted(versions, entries, ids, left_out)
    return Corpus(
        base=_table((*BASE_COLUMNS, "id"), base),
        adaptations={culture: _table(ADAPTATION_COLUMNS, rows) for culture, rows in adaptations.items()},
        everybody=_table(EVERYBODY_COLUMNS, everybody),
        provenance=_table(PROVENANCE_COLUMNS, told),
        left_out=left_out,
        undecided=undecided,
        agreement=agreement(labels),
    )


def _entry(
    item: Mapping[str, Any], choices: Sequence[Choice], labels: Sequence[Labels], judges: int
) -> dict[str, Any] | Undecided:
    best = best_candidate(choices, judges)
    if isinstance(best, Undecided):
        return best
    decided = agreed_labels(labels, judges)
    if isinstance(decided, Undecided):
        return decided
    candidate = next(one for one in item["candidates"] if one["id"] == best)
    sentence = decided.tagged or candidate.get("tagged") or ""
    if not sentence:
        return Undecided("nobody has marked the item in the sentence")
    if normal_form(sentence) != normal_form(candidate["text"]):
        return Undecided("the words were marked in another sentence than the chosen one")
    return {
        "sentence": sentence,
        "cultural_context": item.get("context") or item.get("fact") or "",
        "csi_category": decided.category,
        "csi_hall_mapping": decided.element,
        "hall_level": decided.level,
        "by": candidate.get("by") or "",
        "judges": (len(choices), len(labels)),
    }


def provenance(item: Mapping[str, Any], corpus_id: str, by: str, judges: tuple[int, int]) -> tuple[str, ...]:
    """PROVENANCE_COLUMNS of a sentence.

    item: the line of ``items.jsonl`` it was made of. by: whose sentence it is. judges: how many judged it,
    and its labels.
    """
    known = item.get("provenance") or {}
    told = (
        *(
            corpus_id,
            item.get("id"),
            item.get("culture"),
            item.get("item"),
            item.get("fact"),
            item.get("source"),
        ),
        *(known.get("fact_id"), known.get("table_row"), by, known.get("proposed_by"), *judges),
    )
    return tuple("" if value is None else str(value) for value in told)


def _adapted(
    versions: Sequence[Version],
    entries: Mapping[str, Mapping[str, Any]],
    ids: Mapping[str, str],
    left_out: dict[str, str],
) -> tuple[dict[str, list[tuple[str, ...]]], list[tuple[str, ...]], dict[str, int]]:
    """Rows of each culture, everybody's rows, and how many of each culture are undecided; reasons join
    ``left_out``."""
    adaptations: dict[str, list[tuple[str, ...]]] = {}
    everybody: list[tuple[str, ...]] = []
    undecided: dict[str, int] = {}
    grouped: dict[tuple[str, str], list[Version]] = {}
    for version in versions:
        grouped.setdefault((version.item_id, version.culture), []).append(version)
    for (item_id, culture), said in grouped.items():
        if item_id not in entries:
            continue
        sentence = entries[item_id]["sentence"]
        items = len(tagged_spans(sentence, across_lines=False))
        fitting = [version for version in said if _fits(version, items)]
        if not fitting:
            left_out[f"{item_id}, {culture}"] = (
                f"no version has {items} items and as many strategies, or one for all"
            )
            continue
        chosen, is_decided = decided_version(fitting)
        undecided[culture] = undecided.get(culture, 0) + (not is_decided)
        adaptations.setdefault(culture, []).append(
            (sentence, chosen.intra, chosen.inter, ids[item_id], _strategy(chosen, items), chosen.judge)
        )
        everybody += [
            (
                *(
                    ids[item_id],
                    culture,
                    version.judge,
                    sentence,
                    version.intra,
                    version.inter,
                    _strategy(version, items),
                ),
                "true" if version is chosen else "false",
            )
            for version in said
        ]
    return adaptations, everybody, undecided


def _fits(version: Version, items: int) -> bool:
    if len(version.strategies) not in (1, items):
        return False
    if set(version.strategies) == {NON_TRANSFERABLE}:
        return True
    return all(
        len(tagged_spans(text, across_lines=False)) == items for text in (version.intra, version.inter)
    )


def _strategy(version: Version, items: int) -> str:
    return ";".join(version.strategies * items if len(version.strategies) == 1 else version.strategies)


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
