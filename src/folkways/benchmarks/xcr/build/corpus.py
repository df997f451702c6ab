"""A corpus in the released schema from what people decided, in files of votes or in a study: ids, strategies,
and the provenance of every sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.studies import Study, StudyExport, StudyItem
from folkways.benchmarks.xcr.build.votes import (
    JUDGES,
    AdaptedVersion,
    ItemLabels,
    Items,
    NoDecision,
    SentenceChoice,
    agreed_labels,
    agreement,
    best_candidate,
    by_item,
    decided_version,
    read_choices,
    read_labels,
    read_versions,
)
from folkways.benchmarks.xcr.labels import FIELDS, NON_TRANSFERABLE
from folkways.benchmarks.xcr.release import (
    ADAPTATION_FILES,
    BASE_COLUMNS,
    BASE_FILE,
    normal_form,
    sentence_ids,
)
from folkways.errors import DataError, FolkwaysError
from folkways.files import json_bytes, write_bytes
from folkways.json_lines import json_objects
from folkways.metrics.spans import tagged_spans
from folkways.records import of_rows
from folkways.releases.checksums import sha256_of
from folkways.spreadsheet import csv_bytes
from folkways.stats.raters.kappa import CategoryAgreement
from folkways.text_tables import read_replies
from folkways.toml_files import read_toml

ADAPTATION_COLUMNS = ("Sentence", "Intra-lingual", "Inter-lingual", "id", "strategy", "adapted_by")
EVERYBODY_COLUMNS = ("id", "culture", "participant", "sentence", "intra", "inter", "strategy", "chosen")
PROVENANCE_COLUMNS = (
    *("id", "item_id", "culture", "item", "fact", "source", "fact_id", "table_row"),
    *("sentence_by", "proposed_by", "judges_of_sentence", "judges_of_labels"),
)


@dataclass(frozen=True)
class Corpus:
    """A corpus as people decided it.

    base: BASE_COLUMNS and ``id``.
    adaptations: culture -> ADAPTATION_COLUMNS.
    everybody: EVERYBODY_COLUMNS, every version that anybody wrote.
    provenance: PROVENANCE_COLUMNS, one row per sentence.
    left_out: item -> why it is not in the corpus.
    undecided: culture -> number of adaptations without an expert's decision.
    agreement: of those who labelled.
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
    choices: Sequence[SentenceChoice],
    labels: Sequence[ItemLabels],
    versions: Sequence[AdaptedVersion] = (),
    judges: int = JUDGES,
) -> Corpus:
    """The corpus of the items whose sentence and labels are decided, in the order of the items.

    items: item id -> a line of ``items.jsonl``.
    choices, labels, versions: the votes.
    judges: people who have to choose and label each item, unless an expert does.
    """
    chosen, labelled = by_item(choices), by_item(labels)
    entries: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for item_id, item in items.items():
        entry = _entry(item, chosen.get(item_id, []), labelled.get(item_id, []), judges)
        if isinstance(entry, NoDecision):
            left_out[item_id] = entry.why
        else:
            entries[item_id] = entry
    ids = dict(zip(entries, sentence_ids([entry["sentence"] for entry in entries.values()]), strict=True))
    base = [(*(entry[name] for name in BASE_COLUMNS), ids[item_id]) for item_id, entry in entries.items()]
    provenance_rows = [
        provenance(items[item_id], ids[item_id], entry["by"], entry["judges"])
        for item_id, entry in entries.items()
    ]
    adaptations, everybody, undecided = _adapted(versions, entries, ids, left_out)
    return Corpus(
        base=_table((*BASE_COLUMNS, "id"), base),
        adaptations={culture: _table(ADAPTATION_COLUMNS, rows) for culture, rows in adaptations.items()},
        everybody=_table(EVERYBODY_COLUMNS, everybody),
        provenance=_table(PROVENANCE_COLUMNS, provenance_rows),
        left_out=left_out,
        undecided=undecided,
        agreement=agreement(labels),
    )


def _entry(
    item: Mapping[str, Any], choices: Sequence[SentenceChoice], labels: Sequence[ItemLabels], judges: int
) -> dict[str, Any] | NoDecision:
    best = best_candidate(choices, judges)
    if isinstance(best, NoDecision):
        return best
    decided = agreed_labels(labels, judges)
    if isinstance(decided, NoDecision):
        return decided
    candidate = next(one for one in item["candidates"] if one["id"] == best)
    sentence = decided.tagged or candidate.get("tagged") or ""
    if not sentence:
        return NoDecision("nobody has marked the item in the sentence")
    if normal_form(sentence) != normal_form(candidate["text"]):
        return NoDecision("the words were marked in another sentence than the chosen one")
    return {
        "sentence": sentence,
        "cultural_context": item.get("context") or item.get("fact") or "",
        "csi_category": decided.category,
        "csi_hall_mapping": decided.element,
        "hall_level": decided.level,
        "by": candidate.get("by"),
        "judges": (len(choices), len(labels)),
    }


def provenance(
    item: Mapping[str, Any], corpus_id: str, by: str | None, judges: tuple[int, int]
) -> tuple[str, ...]:
    """PROVENANCE_COLUMNS of a sentence.

    item: the line of ``items.jsonl`` that it was made from.
    corpus_id: its id in the corpus.
    by: who wrote the sentence, where that is known.
    judges: how many people judged it, and how many its labels.
    """
    origin = item.get("provenance") or {}
    cells = (
        *(
            corpus_id,
            item.get("id"),
            item.get("culture"),
            item.get("item"),
            item.get("fact"),
            item.get("source"),
        ),
        *(origin.get("fact_id"), origin.get("table_row"), by, origin.get("proposed_by"), *judges),
    )
    return tuple("" if value is None else str(value) for value in cells)


def _adapted(
    versions: Sequence[AdaptedVersion],
    entries: Mapping[str, Mapping[str, Any]],
    ids: Mapping[str, str],
    left_out: dict[str, str],
) -> tuple[dict[str, list[tuple[str, ...]]], list[tuple[str, ...]], dict[str, int]]:
    """Rows of each culture, everybody's rows, and the number of undecided rows per culture; reasons are added
    to ``left_out``."""
    adaptations: dict[str, list[tuple[str, ...]]] = {}
    everybody: list[tuple[str, ...]] = []
    undecided: dict[str, int] = {}
    grouped: dict[tuple[str, str], list[AdaptedVersion]] = {}
    for version in versions:
        grouped.setdefault((version.item_id, version.culture), []).append(version)
    for (item_id, culture), written in grouped.items():
        if item_id not in entries:
            continue
        sentence = entries[item_id]["sentence"]
        items = len(tagged_spans(sentence, across_lines=False))
        fitting = [version for version in written if _fits(version, items)]
        if not fitting:
            left_out[f"{item_id}, {culture}"] = (
                f"no version has {items} items and as many strategies, or one for all"
            )
            continue
        for version in written:
            if version not in fitting:
                what = "an expert's version" if version.expert else "a version"
                left_out[f"{item_id}, {culture}, {version.judge}"] = (
                    f"{what} has not {items} items and as many strategies, or one for all"
                )
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
            for version in written
        ]
    return adaptations, everybody, undecided


def _fits(version: AdaptedVersion, items: int) -> bool:
    if len(version.strategies) not in (1, items):
        return False
    if set(version.strategies) == {NON_TRANSFERABLE}:
        return True
    return all(
        len(tagged_spans(text, across_lines=False)) == items for text in (version.intra, version.inter)
    )


def _strategy(version: AdaptedVersion, items: int) -> str:
    return ";".join(version.strategies * items if len(version.strategies) == 1 else version.strategies)


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pl.DataFrame:
    return of_rows(rows, dict.fromkeys(columns, pl.String))


EVERYBODY_FILE, PROVENANCE_FILE = "adaptations_of_everybody.csv", "provenance.csv"
RECORD_FILE = "corpus.build.json"


@dataclass(frozen=True)
class VoteFiles:
    """The inputs of a corpus: ``items.jsonl``, tables of votes (CSV, TSV, JSON lines or Parquet), and lists
    of labels in place of the paper's (``read_lists``)."""

    items: Path
    choices: Sequence[Path]
    labels: Sequence[Path]
    adaptations: Sequence[Path] = ()
    lists: Path | None = None


@dataclass(frozen=True)
class BuiltCorpus:
    """The corpus, a record of how it was made, and the files."""

    corpus: Corpus
    record: dict[str, Any]
    files: Sequence[Path]


def build_corpus(votes: VoteFiles, out: Path, judges: int = JUDGES) -> BuiltCorpus:
    """Write the corpus that the votes make into the folder ``out``.

    judges: people who have to choose and label each item, unless an expert does. Adaptations that an earlier
        build left in the folder, and this one has not, are removed. Raises DataError for a wrong row of a
        file, and FolkwaysError if no item is decided.
    """
    items = read_items(votes.items)
    fields = FIELDS if votes.lists is None else read_lists(votes.lists)
    corpus = put_together(
        items,
        [choice for path in votes.choices for choice in read_choices(read_replies(path), items, str(path))],
        [
            label
            for path in votes.labels
            for label in read_labels(read_replies(path), items, str(path), fields)
        ],
        [
            version
            for path in votes.adaptations
            for version in read_versions(read_replies(path), items, str(path))
        ],
        judges,
    )
    if corpus.base.is_empty():
        reasons = "; ".join(
            f"{why}: {count}" for why, count in Counter(corpus.left_out.values()).most_common(5)
        )
        raise FolkwaysError(
            f"none of the {len(items)} items is decided ({reasons}); ask more people, or have an expert "
            "decide (role)"
        )
    record = _record(votes, corpus, items, judges)
    contents = {BASE_FILE: corpus.base, PROVENANCE_FILE: corpus.provenance}
    contents |= {ADAPTATION_FILES[culture]: rows for culture, rows in corpus.adaptations.items()}
    if corpus.everybody.height:
        contents[EVERYBODY_FILE] = corpus.everybody
    if (out / RECORD_FILE).is_file():  # of an earlier build, whose further files are not of this one
        for name in {*ADAPTATION_FILES.values(), EVERYBODY_FILE} - {*contents}:
            (out / name).unlink(missing_ok=True)
    files = [
        write_bytes(out / name, csv_bytes(rows.columns, rows.iter_rows())) for name, rows in contents.items()
    ]
    return BuiltCorpus(corpus, record, [*files, write_bytes(out / RECORD_FILE, json_bytes(record))])


def read_lists(path: Path) -> dict[str, tuple[str, ...]]:
    """Field -> its labels: the paper's, but for those of ``categories``, ``levels`` and ``elements`` in a
    TOML file. Raises DataError for another key, or a list that is empty or has something else than texts."""
    fields: dict[str, tuple[str, ...]] = dict(FIELDS)
    keys = {"categories": "category", "levels": "level", "elements": "element"}
    for key, labels in read_toml(path, "file of label lists: categories, levels, elements").items():
        if key not in keys:
            raise DataError(f"has {key!r}; valid: {', '.join(keys)}", file=path)
        if not isinstance(labels, list) or not labels or not all(isinstance(each, str) for each in labels):
            raise DataError(f"{key} has to be a list of texts", file=path)
        fields[keys[key]] = tuple(labels)
    return fields


def read_items(path: Path) -> Items:
    """Item id -> a line of ``items.jsonl``.

    Raises DataError for a line that is not an item, or whose id occurs twice, and FolkwaysError if there
    is no such file.
    """
    if not path.is_file():
        raise FolkwaysError(f"there is no file {path}; give the items.jsonl that folkways build csi wrote")
    items: dict[str, Mapping[str, Any]] = {}
    for row, item in json_objects(path.read_bytes().splitlines(), path):
        candidates = item.get("candidates")
        if not isinstance(candidates, list) or not all(
            isinstance(one, dict) and {"id", "text"} <= set(one) for one in candidates
        ):
            raise DataError(
                "is not an item: it needs id, and candidates with id and text each", file=path, row=row
            )
        key = str(item.get("id") or "")
        if not key or key in items:
            raise DataError(f"has no id of its own ({key!r})", file=path, row=row)
        items[key] = item
    return items


def _record(votes: VoteFiles, corpus: Corpus, items: Items, judges: int) -> dict[str, Any]:
    files = [votes.items, *votes.choices, *votes.labels, *votes.adaptations]
    alike = Counter(path.name for path in files)
    names = [path.name if alike[path.name] == 1 else f"{path.parent.name}/{path.name}" for path in files]
    return {
        "build": "csi-corpus",
        "made_by": f"folkways {__version__}",
        "files": dict(zip(names, map(sha256_of, files), strict=True)),
        "judges": judges,
        "items": len(items),
        "sentences": corpus.base.height,
        "adaptations": {culture: rows.height for culture, rows in corpus.adaptations.items()},
        "adaptations_undecided": dict(corpus.undecided),
        "agreement": {
            name: {"items": kappa.cases, **kappa.as_record()} for name, kappa in corpus.agreement.items()
        },
        "left_out": dict(corpus.left_out),
    }


def study_files(study: Study) -> Mapping[str, bytes]:
    """File name -> contents: the base corpus, adaptations per target culture and everybody's, and the
    provenance of each sentence.

    The adaptation files have the expert's decision or, until there is one, the first person's version.
    ``strategy`` names one per item of the sentence, separated by semicolons. Sentences without labels are
    left out. Raises FolkwaysError if no sentence is labelled.
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
        PROVENANCE_COLUMNS, (_item_provenance(study, study.items[key], ids[key]) for key in base)
    )
    return written


def adaptation_file(culture: str) -> str:
    """The released name of a culture's file; one of the same pattern for a culture outside the corpus."""
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


def _item_provenance(study: Study, labelled: StudyItem, corpus_id: str) -> tuple[str, ...]:
    """The imported columns come from the item of the first stage, or from the labelled one if sentences were
    imported chosen."""
    first = study.ancestor(labelled, "choose_best")
    imported = {**labelled.content, **(first.content if first else {}), "id": labelled.key}
    judges = (len(first.votes) if first else 0, len(labelled.votes))
    return provenance(imported, corpus_id, labelled.content.get("by"), judges)


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
    """The expert's version; None without one, and if it is word for word that of somebody who has left."""
    decided = study.child(item, "adjudicate")
    if decided is None or decided.result is None:
        return None
    authors = [each["by"] for each in everybody if _same(each, decided.result)]
    if not authors and any(_same(each["payload"], decided.result) for each in decided.content["candidates"]):
        return None
    return {**decided.result, "by": authors[0] if authors else "expert"}


def _same(one: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is not None and one["intra"] == other["intra"] and one["inter"] == other["inter"]


EXPORT = StudyExport("label_item", study_files, FIELDS)
