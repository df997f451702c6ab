"""Culture-specific items leave in XCR-Bench's released schema, with stable ids, strategies, and every adaptation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkways.benchmarks.xcr.building.corpus import PROVENANCE_COLUMNS, provenance
from folkways.benchmarks.xcr.data.reading import ADAPTATION_FILES, BASE_COLUMNS, BASE_FILE, sentence_ids
from folkways.errors import FolkwaysError
from folkways.runs.building.csi_corpus import PROVENANCE_FILE
from folkways.spreadsheet import csv_bytes
from folkways.studio.records import Item, ItemState, Stage
from folkways.studio.services.gathering import Gathered

ADAPTATION_HEADER = ("Sentence", "Intra-lingual", "Inter-lingual", "id", "strategy", "adapted_by")
ALL_HEADER = ("id", "culture", "participant", "sentence", "intra", "inter", "strategy", "chosen")
ALL_FILE = "adaptations_of_everybody.csv"


def xcr_files(found: Gathered) -> Mapping[str, bytes]:
    """File name -> contents: the base corpus, adaptations per target culture and everybody's, and where each sentence comes from.

    The adaptation files have what an expert decided, or, where nobody has yet, what the first person wrote. ``strategy`` names
    one per item of the sentence, separated by semicolons. Sentences that are not labelled are left out.
    """
    base = _base(found)
    if not base:
        raise FolkwaysError("no sentence has been marked and labelled yet: there is nothing to export")
    ids = dict(zip(base, sentence_ids([row["sentence"] for row in base.values()]), strict=True))
    files = {
        BASE_FILE: csv_bytes(
            (*BASE_COLUMNS, "id"), ((*(row[name] for name in BASE_COLUMNS), ids[key]) for key, row in base.items())
        )
    }
    versions = list(_versions(found, base))
    for culture in dict.fromkeys(culture for culture, *_ in versions):
        rows = []
        for place, item, sentence, everybody, decided in versions:
            if place == culture and (decided or everybody):
                best = decided or everybody[0]
                rows.append((sentence, best["intra"], best["inter"], ids[item], ";".join(best["strategies"]), best["by"]))
        files[adaptation_file(culture)] = csv_bytes(ADAPTATION_HEADER, rows)
    everything = [
        (ids[item], place, each["by"], sentence, each["intra"], each["inter"], ";".join(each["strategies"]), _same(each, decided))
        for place, item, sentence, everybody, decided in versions
        for each in everybody
    ]
    if everything:
        files[ALL_FILE] = csv_bytes(ALL_HEADER, everything)
    files[PROVENANCE_FILE] = csv_bytes(PROVENANCE_COLUMNS, (_provenance(found, found.items[key], ids[key]) for key in base))
    return files


def adaptation_file(culture: str) -> str:
    """The released name of a culture's file; one of the same pattern for a culture that the corpus does not have."""
    return ADAPTATION_FILES.get(culture, f"xcr_bench_{culture.lower()}_adaptation.csv")


def _base(found: Gathered) -> dict[int, dict[str, str]]:
    """Id of a labelled item -> its row of the base corpus."""
    rows: dict[int, dict[str, str]] = {}
    for stage in found.stages.values():
        if stage.kind != "label_item":
            continue
        for item in found.of(stage):
            labels = _settled(found, item)
            if item.state == ItemState.DONE and labels is not None:
                rows[item.id] = {
                    "sentence": item.content["tagged"],
                    "cultural_context": str(item.content.get("context") or item.content.get("fact") or ""),
                    "csi_category": labels["category"],
                    "csi_hall_mapping": labels["element"],
                    "hall_level": labels["level"],
                }
    return rows


def _provenance(found: Gathered, labelled: Item, corpus_id: str) -> tuple[str, ...]:
    """What was imported stands in the item of the first stage, or in the labelled one where sentences were imported chosen."""
    first = found.ancestor(labelled, "choose_best")
    imported = {**labelled.content, **(first.content if first else {}), "id": labelled.key}
    judges = (len(found.votes(first)) if first else 0, len(found.votes(labelled)))
    return provenance(imported, corpus_id, str(labelled.content.get("by") or ""), judges)


def _settled(found: Gathered, item: Item) -> Mapping[str, Any] | None:
    """The labels that people agreed on, or an expert's; None while they are disputed."""
    result = item.result or {}
    if "disputed" not in result or result.get("adjudicated"):
        return result if {"category", "level", "element"} <= set(result) else None
    for child in found.items.values():
        if child.parent_id == item.id and found.stages[child.stage_id].kind == "adjudicate" and child.result:
            return child.result
    return None


def _versions(
    found: Gathered, base: Mapping[int, object]
) -> Iterator[tuple[str, int, str, list[dict[str, Any]], dict[str, Any] | None]]:
    """Culture, labelled item, tagged sentence, everybody's versions and the decided one, per sentence and culture."""
    for stage in (stage for stage in found.stages.values() if stage.kind == "adapt"):
        for item in found.of(stage):
            source, population = found.ancestor(item, "label_item"), found.population(item)
            if source is None or source.id not in base or population is None:
                continue
            everybody = [{"by": vote.participant, **vote.payload} for vote in found.votes(item)]
            yield population.culture, source.id, item.content["tagged"], everybody, _decided(found, stage, item, everybody)


def _decided(found: Gathered, stage: Stage, item: Item, everybody: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The expert's version; None without one, and where it is word for word that of somebody who has left."""
    for child in found.items.values():
        if child.parent_id != item.id or found.stages[child.stage_id].kind != "adjudicate" or not child.result:
            continue
        chosen = dict(child.result)
        authors = [each for each in child.content["candidates"] if _same(each["payload"], chosen)]
        here = [each["by"] for each in everybody if _same(each, chosen)]
        if authors and not here:
            return None
        return {**chosen, "by": here[0] if here else "expert"}
    return None


def _same(one: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is not None and one["intra"] == other["intra"] and one["inter"] == other["inter"]
