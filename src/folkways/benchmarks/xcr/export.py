"""Culture-specific items leave in XCR-Bench's released schema, with stable ids, strategies, and every
adaptation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkways.benchmarks.studies import Study, StudyExport, StudyItem
from folkways.benchmarks.xcr.build.corpus import (
    ADAPTATION_COLUMNS,
    EVERYBODY_COLUMNS,
    PROVENANCE_COLUMNS,
    provenance,
)
from folkways.benchmarks.xcr.build.labels import FIELDS
from folkways.benchmarks.xcr.data.reading import ADAPTATION_FILES, BASE_COLUMNS, BASE_FILE, sentence_ids
from folkways.errors import FolkwaysError
from folkways.spreadsheet import csv_bytes

EVERYBODY_FILE, PROVENANCE_FILE = "adaptations_of_everybody.csv", "provenance.csv"


def files(study: Study) -> Mapping[str, bytes]:
    """File name -> contents: the base corpus, adaptations per target culture and everybody's, and where each
    sentence comes from.

    The adaptation files have what an expert decided, or, where nobody has yet, what the first person wrote.
    ``strategy`` names one per item of the sentence, separated by semicolons. Sentences that are not labelled
    are left out.
    """
    base = _base(study)
    if not base:
        raise FolkwaysError("no sentence has been marked and labelled yet: there is nothing to export")
    ids = dict(zip(base, sentence_ids([row[0] for row in base.values()]), strict=True))
    written = {BASE_FILE: csv_bytes((*BASE_COLUMNS, "id"), ((*row, ids[key]) for key, row in base.items()))}
    by_culture: dict[str, list[tuple[str, ...]]] = {}
    everything: list[tuple[Any, ...]] = []
    for culture, key, sentence, versions, decided in _versions(study, base):
        rows = by_culture.setdefault(culture, [])
        if decided or versions:
            best = decided or versions[0]
            rows.append(
                (sentence, best["intra"], best["inter"], ids[key], ";".join(best["strategies"]), best["by"])
            )
        everything += [
            (
                ids[key],
                culture,
                each["by"],
                sentence,
                each["intra"],
                each["inter"],
                ";".join(each["strategies"]),
                _same(each, decided),
            )
            for each in versions
        ]
    for culture, rows in by_culture.items():
        written[adaptation_file(culture)] = csv_bytes(ADAPTATION_COLUMNS, rows)
    if everything:
        written[EVERYBODY_FILE] = csv_bytes(EVERYBODY_COLUMNS, everything)
    written[PROVENANCE_FILE] = csv_bytes(
        PROVENANCE_COLUMNS, (_provenance(study, study.items[key], ids[key]) for key in base)
    )
    return written


def adaptation_file(culture: str) -> str:
    """The released name of a culture's file; one of the same pattern for a culture that the corpus does not
    have."""
    return ADAPTATION_FILES.get(culture, f"xcr_bench_{culture.lower()}_adaptation.csv")


def _base(study: Study) -> dict[int, tuple[str, ...]]:
    """Id of a labelled item -> its row of the base corpus, BASE_COLUMNS."""
    rows: dict[int, tuple[str, ...]] = {}
    for item in study.of("label_item"):
        labels = _labels(study, item)
        if item.state == "done" and labels is not None:
            context = str(item.content.get("context") or item.content.get("fact") or "")
            rows[item.id] = (
                item.content["tagged"],
                context,
                labels["category"],
                labels["element"],
                labels["level"],
            )
    return rows


def _provenance(study: Study, labelled: StudyItem, corpus_id: str) -> tuple[str, ...]:
    """What was imported stands in the item of the first stage, or in the labelled one where sentences were
    imported chosen."""
    first = study.ancestor(labelled, "choose_best")
    imported = {**labelled.content, **(first.content if first else {}), "id": labelled.key}
    judges = (len(first.votes) if first else 0, len(labelled.votes))
    return provenance(imported, corpus_id, str(labelled.content.get("by") or ""), judges)


def _labels(study: Study, item: StudyItem) -> Mapping[str, Any] | None:
    """The labels that people agreed on, or an expert's; None while they are disputed."""
    result = item.result or {}
    if "disputed" not in result or result.get("adjudicated"):
        return result if {"category", "level", "element"} <= set(result) else None
    decided = study.child(item, "adjudicate")
    return decided.result if decided is not None else None


def _versions(
    study: Study, base: Mapping[int, object]
) -> Iterator[tuple[str, int, str, list[dict[str, Any]], dict[str, Any] | None]]:
    """Culture, labelled item, tagged sentence, everybody's versions and the decided one, per sentence and
    culture."""
    for item in study.of("adapt"):
        source = study.ancestor(item, "label_item")
        if source is None or source.id not in base or item.culture is None:
            continue
        everybody = [{"by": vote.participant, **vote.payload} for vote in item.votes]
        yield item.culture, source.id, item.content["tagged"], everybody, _decided(study, item, everybody)


def _decided(study: Study, item: StudyItem, everybody: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The expert's version; None without one, and where it is word for word that of somebody who has left."""
    decided = study.child(item, "adjudicate")
    if decided is None or decided.result is None:
        return None
    here = [each["by"] for each in everybody if _same(each, decided.result)]
    if not here and any(_same(each["payload"], decided.result) for each in decided.content["candidates"]):
        return None
    return {**decided.result, "by": here[0] if here else "expert"}


def _same(one: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is not None and one["intra"] == other["intra"] and one["inter"] == other["inter"]


EXPORT = StudyExport("label_item", files, FIELDS)
