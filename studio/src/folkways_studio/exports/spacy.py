"""Marked spans as spaCy's training data: a text and its entities per line, in a file per annotator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import orjson

from folkways.sdk.errors import FolkwaysError
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.records import Item, ItemState
from folkways_studio.stages.registry import stage_kind


def spacy_files(snapshot: StudySnapshot) -> tuple[dict[str, bytes], int]:
    """File name -> JSON lines, and how many answers have no line because the part was not
    asked of that person (no marks where it was asked are a line without entities).

    A file holds the marks of one part of a stage, by one person (``STAGE.PART.PSEUDONYM.jsonl``) or as
    decided (``STAGE.PART.decided.jsonl``); so no two entities of a text overlap. Entities are
    [start, end, label] in code points of the text, the end exclusive; the label is the key of the part.
    Raises FolkwaysError if nothing was marked.
    """
    lines: defaultdict[str, list[bytes]] = defaultdict(list)
    unanswered = 0
    for item in snapshot.items.values():
        stage = snapshot.stages[item.stage_id]
        kind = stage_kind(stage.kind)
        for part in kind.asked(item.content, stage.config):
            if part["type"] != "spans":
                continue
            key, text = part["key"], item.content.get(part["of"])
            for each in snapshot.judgements[item.id]:
                spans = kind.answers_in(kind.draft_of(each.payload)).get(key)
                if spans is None or not isinstance(text, str):
                    unanswered += 1
                    continue
                person = snapshot.people[each.participant_id]
                lines[f"{stage.name}.{key}.{person}.jsonl"].append(_line(snapshot, item, text, spans, key))
            decided = (item.result or {}).get(key) if item.state == ItemState.DONE else None
            if decided is not None and isinstance(text, str):
                lines[f"{stage.name}.{key}.decided.jsonl"].append(_line(snapshot, item, text, decided, key))
    if not lines:
        raise FolkwaysError(
            f"study {snapshot.study.name} has no marked spans, and spaCy's format holds nothing else; "
            "export its tables instead: csv, jsonl, parquet, xlsx"
        )
    return {name: b"".join(rows) for name, rows in lines.items()}, unanswered


def _line(snapshot: StudySnapshot, item: Item, text: str, spans: Any, label: str) -> bytes:
    population = snapshot.population(item)
    row: Mapping[str, Any] = {
        "text": text,
        "entities": [[start, end, label] for start, end, *_ in spans],
        "meta": {"item": item.key, "language": population.language if population else None},
    }
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
