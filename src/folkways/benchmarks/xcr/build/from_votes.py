"""From items and files of votes to a folder that is a release of XCR-Bench's schema."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways import __version__
from folkways.benchmarks.xcr.build.corpus import Corpus, put_together
from folkways.benchmarks.xcr.build.deciding import JUDGES
from folkways.benchmarks.xcr.build.votes import Items, read_choices, read_labels, read_versions
from folkways.benchmarks.xcr.data.reading import ADAPTATION_FILES, BASE_FILE
from folkways.errors import DataError, FolkwaysError
from folkways.files import json_bytes, write_bytes
from folkways.json_lines import json_objects
from folkways.releases.checksums import sha256_of
from folkways.spreadsheet import csv_bytes
from folkways.stats.raters.categories import CategoryAgreement
from folkways.text_tables import read_replies

EVERYBODY_FILE, PROVENANCE_FILE = "adaptations_of_everybody.csv", "provenance.csv"
RECORD_FILE = "corpus.build.json"


@dataclass(frozen=True)
class VoteFiles:
    """What a corpus is made of: ``items.jsonl``, and tables of what people said (CSV, TSV, JSON lines or
    Parquet)."""

    items: Path
    choices: Sequence[Path]
    labels: Sequence[Path]
    adaptations: Sequence[Path] = ()


@dataclass(frozen=True)
class BuiltCorpus:
    """The corpus, a record of how it was made, and the files."""

    corpus: Corpus
    record: dict[str, Any]
    files: Sequence[Path]


def build_corpus(votes: VoteFiles, out: Path, judges: int = JUDGES) -> BuiltCorpus:
    """Write the corpus that the votes make into the folder ``out``.

    judges: people who have to choose and label each item, unless an expert does. Raises DataError for what is
    wrong in a file, with its row, and FolkwaysError where no item is decided.
    """
    items = read_items(votes.items)
    corpus = put_together(
        items,
        [choice for path in votes.choices for choice in read_choices(read_replies(path), items, str(path))],
        [label for path in votes.labels for label in read_labels(read_replies(path), items, str(path))],
        [
            version
            for path in votes.adaptations
            for version in read_versions(read_replies(path), items, str(path))
        ],
        judges,
    )
    if corpus.base.is_empty():
        told = "; ".join(f"{why}: {count}" for why, count in Counter(corpus.left_out.values()).most_common(5))
        raise FolkwaysError(
            f"none of the {len(items)} items is decided ({told}); ask more people, or have an expert "
            "decide (role)"
        )
    record = _record(votes, corpus, items, judges)
    contents = {BASE_FILE: corpus.base, PROVENANCE_FILE: corpus.provenance}
    contents |= {ADAPTATION_FILES[culture]: rows for culture, rows in corpus.adaptations.items()}
    if corpus.everybody.height:
        contents[EVERYBODY_FILE] = corpus.everybody
    files = [
        write_bytes(out / name, csv_bytes(rows.columns, rows.iter_rows())) for name, rows in contents.items()
    ]
    return BuiltCorpus(corpus, record, [*files, write_bytes(out / RECORD_FILE, json_bytes(record))])


def read_items(path: Path) -> Items:
    """Item id -> a line of ``items.jsonl``; DataError for one that is no item, or is there twice."""
    if not path.is_file():
        raise FolkwaysError(f"there is no file {path}; give the items.jsonl that folkways build csi wrote")
    items: dict[str, Mapping[str, Any]] = {}
    for row, item in json_objects(path.read_bytes().splitlines(), path):
        candidates = item.get("candidates")
        if not isinstance(candidates, list) or not all(
            isinstance(one, dict) and {"id", "text"} <= set(one) for one in candidates
        ):
            raise DataError(
                "is no item: it needs id, and candidates with id and text each", file=path, row=row
            )
        key = str(item.get("id") or "")
        if not key or key in items:
            raise DataError(f"has no id of its own ({key!r})", file=path, row=row)
        items[key] = item
    return items


def _record(votes: VoteFiles, corpus: Corpus, items: Items, judges: int) -> dict[str, Any]:
    files = [votes.items, *votes.choices, *votes.labels, *votes.adaptations]
    return {
        "build": "csi-corpus",
        "made_by": f"folkways {__version__}",
        "files": {path.name: sha256_of(path) for path in files},
        "judges": judges,
        "items": len(items),
        "sentences": corpus.base.height,
        "adaptations": {culture: rows.height for culture, rows in corpus.adaptations.items()},
        "adaptations_undecided": dict(corpus.undecided),
        "agreement": {name: _told(found) for name, found in corpus.agreement.items()},
        "left_out": dict(corpus.left_out),
    }


def _told(found: CategoryAgreement) -> dict[str, Any]:
    return {
        "items": found.cases,
        "percent": _known(100 * found.share),
        "kappa": _known(found.kappa),
        "kappa_interval": [_known(found.kappa_interval.low), _known(found.kappa_interval.high)],
        "interval": found.kappa_interval.method,
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
