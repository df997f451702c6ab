"""Plain tables for analysis: judgements, items, suggestions, comments, and results on known answers."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import polars as pl

from folkways.sdk.files import Schema
from folkways_studio.activity import Comment, Exposure, ModelSuggestion, PreAnnotation
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.records import Item, Population, day_of
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.gold import KnownAnswers

Exposures = Mapping[tuple[int, int], tuple[Exposure, PreAnnotation]]
"""(item, person) -> whether they saw what was suggested, and what it was."""

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
    "suggestion": pl.String,  # shown or hidden; null where nothing was suggested beforehand
    "suggestion_drawn": pl.Boolean,  # that was drawn at random
    "suggestion_model": pl.String,  # whose suggestion was shown, or would have been
    "suggestion_version": pl.String,  # of the model
    "suggestion_score": pl.Float64,  # as the model said, 0 to 1
    "suggestion_outcome": pl.String,  # accepted, changed or rejected; null where it was not shown
    "suggestion_parts": pl.Int64,  # of what was suggested: options, marks, words
    "suggestion_kept": pl.Int64,  # of them, those that the answer has, shown or not
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
    "language": pl.String,
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

KNOWN_BY_PERSON: Schema = {
    "participant": pl.String,  # a pseudonym
    "state": pl.String,  # active, paused, excluded, failed, ...
    "stage": pl.String,
    "test": pl.String,  # passed, failed, again (another try is left), waived; null where no try is over
    "tries": pl.Int64,
    "test_right": pl.Int64,  # in the last try
    "test_asked": pl.Int64,
    "asked": pl.Int64,  # among the work, without questions that were dropped
    "right": pl.Int64,
    "share": pl.Float64,  # null where nothing was asked
    "low": pl.Float64,  # of the 95 % interval (Wilson)
    "high": pl.Float64,
    "warned": pl.Boolean,
}

KNOWN_BY_ITEM: Schema = {
    "item": pl.String,
    "item_id": pl.Int64,
    "made_of": pl.Int64,  # the decided item that it was made of; null where it was imported
    "stage": pl.String,
    "population": pl.String,
    "test": pl.Boolean,  # of the test, or else among the work
    "state": pl.String,  # open or dropped
    "known": pl.String,  # JSON
    "asked": pl.Int64,
    "right": pl.Int64,
    "share": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}

PRE_ANNOTATIONS: Schema = {
    "item": pl.String,
    "item_id": pl.Int64,
    "stage": pl.String,
    "model": pl.String,
    "version": pl.String,
    "score": pl.Float64,
    "content": pl.String,  # JSON: what was suggested
    "source": pl.String,  # file, api, backend, model
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


def judgement_table(snapshot: StudySnapshot, exposures: Exposures | None = None) -> pl.DataFrame:
    """JUDGEMENTS, in order of items and arrival. exposures: who saw what was suggested."""
    settled = exposures or {}
    rows = [
        {
            **_about(snapshot, item),
            "participant": snapshot.people[each.participant_id],
            "payload": _json(each.payload),
            "first_payload": _json(snapshot.first[each.id]) if each.id in snapshot.first else None,
            "seconds": each.seconds,
            "date": day_of(each.created),
            "consent": snapshot.consent[snapshot.people[each.participant_id]][0],
            "consent_language": snapshot.consent[snapshot.people[each.participant_id]][1],
            **_suggested(settled.get((item.id, each.participant_id))),
        }
        for item in snapshot.items.values()
        for each in snapshot.judgements[item.id]
    ]
    return pl.DataFrame([{name: row[name] for name in JUDGEMENTS} for row in rows], schema=dict(JUDGEMENTS))


def _suggested(settled: tuple[Exposure, PreAnnotation] | None) -> dict[str, Any]:
    """The columns of JUDGEMENTS about what was suggested."""
    if settled is None:
        return dict.fromkeys(name for name in JUDGEMENTS if name.startswith("suggestion"))
    exposure, suggestion = settled
    return {
        "suggestion": "shown" if exposure.shown else "hidden",
        "suggestion_drawn": exposure.setting == "half",
        "suggestion_model": suggestion.model,
        "suggestion_version": suggestion.version,
        "suggestion_score": suggestion.score,
        "suggestion_outcome": exposure.outcome,
        "suggestion_parts": exposure.parts,
        "suggestion_kept": exposure.unchanged,
    }


def pre_annotation_table(snapshot: StudySnapshot, suggestions: Sequence[PreAnnotation]) -> pl.DataFrame:
    """PRE_ANNOTATIONS for exported items, oldest first."""
    rows = [
        {
            "item": snapshot.items[each.item_id].key,
            "item_id": each.item_id,
            "stage": snapshot.stages[snapshot.items[each.item_id].stage_id].name,
            **{name: getattr(each, name) for name in ("model", "version", "score", "source")},
            "content": _json(each.content),
            "date": day_of(each.created),
        }
        for each in suggestions
        if each.item_id in snapshot.items
    ]
    return pl.DataFrame(rows, schema=dict(PRE_ANNOTATIONS))


def suggestion_table(snapshot: StudySnapshot, suggestions: Sequence[ModelSuggestion]) -> pl.DataFrame:
    """SUGGESTIONS for exported items and people, oldest first."""
    rows = [
        {
            "item": snapshot.items[each.item_id].key,
            "item_id": each.item_id,
            "stage": snapshot.stages[snapshot.items[each.item_id].stage_id].name,
            "participant": snapshot.people[each.participant_id],
            **{name: getattr(each, name) for name in ("model", "prompt_version", "outcome", "parts", "kept")},
            "content": _json(each.content),
            "date": day_of(each.created),
        }
        for each in suggestions
        if each.item_id in snapshot.items and each.participant_id in snapshot.people
    ]
    return pl.DataFrame(rows, schema=dict(SUGGESTIONS))


def comment_table(snapshot: StudySnapshot, comments: Sequence[Comment]) -> pl.DataFrame:
    """COMMENTS on exported items, without deleted ones, oldest first."""
    numbers: dict[int, int] = {}
    rows = []
    for each in comments:
        number = numbers.setdefault(each.account_id, len(numbers) + 1)
        if each.deleted is not None or each.item_id not in snapshot.items:
            continue
        item = snapshot.items[each.item_id]
        rows.append(
            {
                "item": item.key,
                "item_id": item.id,
                "stage": snapshot.stages[item.stage_id].name,
                "author": f"{each.role}-{number}",
                "role": each.role,
                "text": each.text,
                "date": day_of(each.created),
                "resolved": each.resolved is not None,
            }
        )
    return pl.DataFrame(rows, schema=dict(COMMENTS))


def item_table(snapshot: StudySnapshot) -> pl.DataFrame:
    """ITEMS, in order. Content copied from judgements of an earlier stage is left out; see the judgements."""
    rows = [
        {
            **_about(snapshot, item),
            "parent_id": item.parent_id,
            "author": snapshot.people.get(item.author_id) if item.author_id is not None else None,
            "state": item.state,
            "reason": item.reason,
            "content": _json(
                {name: value for name, value in item.content.items() if name not in _copied(snapshot, item)}
            ),
            "result": _result(snapshot, item),
        }
        for item in snapshot.items.values()
    ]
    return pl.DataFrame([{name: row[name] for name in ITEMS} for row in rows], schema=dict(ITEMS))


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A table as a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _copied(snapshot: StudySnapshot, item: Item) -> tuple[str, ...]:
    return stage_kind(snapshot.stages[item.stage_id].kind).copied


def _about(snapshot: StudySnapshot, item: Item) -> dict[str, Any]:
    stage, population = snapshot.stages[item.stage_id], snapshot.population(item)
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


def _result(snapshot: StudySnapshot, item: Item) -> str | None:
    """The result without the answers of people who have left since."""
    if item.result is None:
        return None
    if "adaptations" in item.result:
        present = set(snapshot.people.values())
        present_adaptations = [each for each in item.result["adaptations"] if each["participant"] in present]
        return _json({**item.result, "adaptations": present_adaptations})
    return _json(item.result)


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def known_tables(results: KnownAnswers, populations: Mapping[int, Population]) -> dict[str, pl.DataFrame]:
    """Name -> table of results on questions with known answers, per person and per question; empty without
    such questions."""
    if not results:
        return {}
    people = [
        {
            "participant": each.participant.pseudonym,
            "state": each.participant.state,
            "stage": each.stage,
            "test": each.standing.test,
            "tries": each.standing.tries,
            "test_right": each.standing.right,
            "test_asked": each.standing.asked,
            **_figures(each.asked, each.right, each.interval.low, each.interval.high),
            "warned": each.standing.warned is not None,
        }
        for each in results.people
    ]
    items = [
        {
            "item": each.item.key,
            "item_id": each.item.id,
            "made_of": each.item.parent_id,
            "stage": each.stage,
            "population": populations[each.item.population_id].name
            if each.item.population_id is not None
            else None,
            "test": bool(each.item.test),
            "state": each.item.state,
            "known": orjson.dumps(each.item.check, option=orjson.OPT_SORT_KEYS).decode(),
            **_figures(each.asked, each.right, each.interval.low, each.interval.high),
        }
        for each in results.items
    ]
    return {
        "known_answers_by_person": pl.DataFrame(people, schema=dict(KNOWN_BY_PERSON)),
        "known_answers_by_item": pl.DataFrame(items, schema=dict(KNOWN_BY_ITEM)),
    }


def _figures(asked: int, right: int, low: float, high: float) -> dict[str, float | None]:
    if not asked:
        return {"asked": 0, "right": 0, "share": None, "low": None, "high": None}
    return {"asked": asked, "right": right, "share": right / asked, "low": low, "high": high}
