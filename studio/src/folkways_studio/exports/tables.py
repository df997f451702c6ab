"""Everything in plain tables: one row per judgement, and one per item. For analyses that no release has
columns for."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import polars as pl

from folkways.sdk.files import Schema
from folkways_studio.activity import Comment, ModelSuggestion
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.records import Item
from folkways_studio.stages.registry import stage_kind

JUDGEMENTS: Schema = {
    "item": pl.String,  # its key
    "item_id": pl.Int64,
    "stage": pl.String,
    "kind": pl.String,
    "round": pl.Int64,
    "population": pl.String,
    "culture": pl.String,
    "language": pl.String,
    "participant": pl.String,  # a pseudonym
    "payload": pl.String,  # JSON; its fields depend on the kind of stage
    "first_payload": pl.String,  # what they had said before they corrected it; null where they did not
    "seconds": pl.Float64,
    "date": pl.String,  # the day, in UTC
    "consent": pl.String,  # version of the text that the person agreed to; null for staff
    "consent_language": pl.String,  # of that text; null where the study does not say
}

ITEMS: Schema = {
    "item": pl.String,
    "item_id": pl.Int64,
    "parent_id": pl.Int64,  # the item that it descends from
    "stage": pl.String,
    "kind": pl.String,
    "round": pl.Int64,
    "population": pl.String,
    "culture": pl.String,
    "author": pl.String,  # a pseudonym; null where it was imported
    "state": pl.String,
    "reason": pl.String,
    "content": pl.String,  # JSON
    "result": pl.String,  # JSON; null while it is open
}

SUGGESTIONS: Schema = {
    "item": pl.String,
    "item_id": pl.Int64,
    "stage": pl.String,
    "participant": pl.String,  # a pseudonym
    "model": pl.String,  # by its name in the server's list
    "prompt_version": pl.String,
    "content": pl.String,  # JSON: what was suggested
    "outcome": pl.String,  # accepted, changed or rejected; null where the answer was not sent
    "parts": pl.Int64,  # of what was suggested
    "kept": pl.Int64,  # of them, those that the answer has as they were
    "date": pl.String,  # the day, in UTC
}

COMMENTS: Schema = {
    "item": pl.String,
    "item_id": pl.Int64,
    "stage": pl.String,
    "author": pl.String,  # their role and a number within the study; no name
    "role": pl.String,  # when they wrote it
    "text": pl.String,
    "date": pl.String,  # the day, in UTC
    "resolved": pl.Boolean,
}


def judgement_table(found: StudySnapshot) -> pl.DataFrame:
    """JUDGEMENTS, in order of items and arrival."""
    rows = [
        {
            **_about(found, item),
            "participant": found.people[each.participant_id],
            "payload": _json(each.payload),
            "first_payload": _json(found.first[each.id]) if each.id in found.first else None,
            "seconds": each.seconds,
            "date": _day(each.created),
            "consent": found.consent[found.people[each.participant_id]][0],
            "consent_language": found.consent[found.people[each.participant_id]][1],
        }
        for item in found.items.values()
        for each in found.judgements[item.id]
    ]
    return pl.DataFrame([{name: row[name] for name in JUDGEMENTS} for row in rows], schema=dict(JUDGEMENTS))


def suggestion_table(found: StudySnapshot, suggestions: Sequence[ModelSuggestion]) -> pl.DataFrame:
    """SUGGESTIONS for items and by people that are in the export, the oldest first."""
    rows = [
        {
            "item": found.items[each.item_id].key,
            "item_id": each.item_id,
            "stage": found.stages[found.items[each.item_id].stage_id].name,
            "participant": found.people[each.participant_id],
            **{name: getattr(each, name) for name in ("model", "prompt_version", "outcome", "parts", "kept")},
            "content": _json(each.content),
            "date": _day(each.created),
        }
        for each in suggestions
        if each.item_id in found.items and each.participant_id in found.people
    ]
    return pl.DataFrame(rows, schema=dict(SUGGESTIONS))


def comment_table(found: StudySnapshot, comments: Sequence[Comment]) -> pl.DataFrame:
    """COMMENTS on the items that leave the study, without deleted ones, the oldest first."""
    numbers: dict[int, int] = {}
    rows = []
    for each in comments:
        number = numbers.setdefault(each.account_id, len(numbers) + 1)
        if each.deleted is not None or each.item_id not in found.items:
            continue
        item = found.items[each.item_id]
        rows.append(
            {
                "item": item.key,
                "item_id": item.id,
                "stage": found.stages[item.stage_id].name,
                "author": f"{each.role}-{number}",
                "role": each.role,
                "text": each.text,
                "date": _day(each.created),
                "resolved": each.resolved is not None,
            }
        )
    return pl.DataFrame(rows, schema=dict(COMMENTS))


def item_table(found: StudySnapshot) -> pl.DataFrame:
    """ITEMS, in order. What an item copied from judgements of an earlier stage is not in its content: the
    judgements are."""
    rows = [
        {
            **_about(found, item),
            "parent_id": item.parent_id,
            "author": found.people.get(item.author_id) if item.author_id is not None else None,
            "state": item.state,
            "reason": item.reason,
            "content": _json(
                {name: value for name, value in item.content.items() if name not in _copied(found, item)}
            ),
            "result": _result(found, item),
        }
        for item in found.items.values()
    ]
    return pl.DataFrame([{name: row[name] for name in ITEMS} for row in rows], schema=dict(ITEMS))


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A table as a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _copied(found: StudySnapshot, item: Item) -> tuple[str, ...]:
    return stage_kind(found.stages[item.stage_id].kind).copied


def _about(found: StudySnapshot, item: Item) -> dict[str, Any]:
    stage, population = found.stages[item.stage_id], found.population(item)
    return {
        "item": item.key,
        "item_id": item.id,
        "stage": stage.name,
        "kind": stage.kind,
        "round": item.round,
        "population": population.name if population else None,
        "culture": population.culture if population else None,
        "language": population.language if population else None,
    }


def _result(found: StudySnapshot, item: Item) -> str | None:
    """The result as its judgements make it now: without those of people who have left since."""
    if item.result is None:
        return None
    if "adaptations" in item.result:
        present = set(found.people.values())
        kept = [each for each in item.result["adaptations"] if each["participant"] in present]
        return _json({**item.result, "adaptations": kept})
    return _json(item.result)


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
