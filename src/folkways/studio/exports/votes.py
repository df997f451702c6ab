"""A verification leaves as questions with votes, in the folder that ``folkways build easy --votes`` and ``build hard`` read."""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.culturalbench.votes import ITEMS, LETTERS, OPTIONS, VOTES, Meta, Votes
from folkways.errors import FolkwaysError
from folkways.studio.records import Item, ItemState
from folkways.studio.services.gathering import Gathered


def votes(found: Gathered, stage: str | None = None) -> Votes:
    """The questions of a ``vote`` stage with everybody's votes in every round. FolkwaysError for a question without four options.

    A question that went to one subpopulation stays one question, with its votes in round 2; one that went to several is one
    question for each of them. Questions that a researcher dropped by hand, and those that nobody has voted on, are left out.
    """
    items: list[dict[str, object]] = []
    cast: list[dict[str, object]] = []
    seen: set[str] = set()
    for item in found.of(found.stage_of("vote", stage)):
        if not found.judgements[item.id] or (item.state == ItemState.DROPPED and item.result is None):
            continue
        options = item.content["options"]
        if len(options) != len(LETTERS):
            raise FolkwaysError(f"question {item.key} has {len(options)} options; Easy and Hard are built of questions with four")
        name = _name(found, item)
        if name not in seen:
            seen.add(name)
            country = _country(found, item)
            topic = item.content.get("topic")
            row = {"item": name, "question": item.content["question"], **dict(zip(OPTIONS, options, strict=True))}
            items.append({**row, "country": country, "topic": topic})
        population = found.population(item)
        part = population.title if population is not None and population.parent_id is not None and item.round > 1 else ""
        for vote in found.votes(item):
            abstain = vote.payload["abstain"]
            chosen = [abstain] if abstain else [LETTERS[place] for place in vote.payload["choices"]]
            cast.append({"item": name, "annotator": vote.participant, "chosen": chosen, "round": item.round, "population": part})
    if not items:
        raise FolkwaysError("nobody has voted yet: there is nothing to export")
    study = found.study
    return Votes(pl.DataFrame(items, schema=dict(ITEMS)), pl.DataFrame(cast, schema=dict(VOTES)), Meta(study.title, study.licence))


def _name(found: Gathered, item: Item) -> str:
    """The key that the question has in its first round, if it is the only one of that round's next."""
    if item.round > 1 and item.parent_id is not None:
        parent = found.items[item.parent_id]
        if parent.key == item.key:
            return _name(found, parent)
    return item.key


def _country(found: Gathered, item: Item) -> str:
    population = found.population(item)
    if population is None:
        raise FolkwaysError(f"question {item.key} belongs to no population, so that it is not known which country it is about")
    return population.culture
