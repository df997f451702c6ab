"""How people did on questions of known answer, as tables: per person and stage, and per question. They are no
data of the study."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
import polars as pl

from folkways.sdk.files import Schema
from folkways_studio.records import Population
from folkways_studio.work.gold import KnownAnswers

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


def known_tables(found: KnownAnswers, populations: Mapping[int, Population]) -> dict[str, pl.DataFrame]:
    """Name -> table; none where the study has no question of known answer."""
    if not found:
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
        for each in found.people
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
        for each in found.items
    ]
    return {
        "known_answers_by_person": pl.DataFrame(people, schema=dict(KNOWN_BY_PERSON)),
        "known_answers_by_item": pl.DataFrame(items, schema=dict(KNOWN_BY_ITEM)),
    }


def _figures(asked: int, right: int, low: float, high: float) -> dict[str, float | None]:
    if not asked:
        return {"asked": 0, "right": 0, "share": None, "low": None, "high": None}
    return {"asked": asked, "right": right, "share": right / asked, "low": low, "high": high}
