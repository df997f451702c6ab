"""A verification leaves as questions with votes, in the folder that ``folkways build easy --votes`` and
``build hard`` read."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from folkways.benchmarks.culturalbench.votes import ITEMS, LETTERS, OPTIONS, VOTES, Meta, Votes, to_files
from folkways.benchmarks.studies import Study, StudyExport, StudyItem
from folkways.errors import FolkwaysError


def votes(study: Study) -> Votes:
    """The questions of a ``vote`` stage with everybody's votes in every round. FolkwaysError for a question
    without four options.

    A question that went to one subpopulation stays one question, with its votes in round 2; one that went to
    several is one question for each of them. Questions that a researcher dropped by hand, and those that
    nobody has voted on, are left out.
    """
    study.require_one_stage("vote")
    items: dict[str, dict[str, object]] = {}
    cast: list[dict[str, object]] = []
    for item in study.of("vote"):
        if not item.votes or (item.state == "dropped" and item.result is None):
            continue
        options = item.content["options"]
        if len(options) != len(LETTERS):
            raise FolkwaysError(
                f"question {item.key} has {len(options)} options; Easy and Hard are built of questions "
                "with four"
            )
        if item.culture is None:
            raise FolkwaysError(
                f"question {item.key} belongs to no population, so that it is not known which country it "
                "is about"
            )
        name = _name(study, item)
        if name not in items:
            texts = {
                "item": name,
                "question": item.content["question"],
                **dict(zip(OPTIONS, options, strict=True)),
            }
            items[name] = {**texts, "country": item.culture, "topic": item.content.get("topic")}
        part = item.part if item.round > 1 else ""
        for vote in item.votes:
            abstain = vote.payload["abstain"]
            chosen = [abstain] if abstain else [LETTERS[index] for index in vote.payload["choices"]]
            cast.append(
                {
                    "item": name,
                    "annotator": vote.participant,
                    "chosen": chosen,
                    "round": item.round,
                    "population": part,
                }
            )
    if not items:
        raise FolkwaysError("nobody has voted yet: there is nothing to export")
    meta = Meta(study.title, study.licence)
    return Votes(
        pl.DataFrame(list(items.values()), schema=dict(ITEMS)), pl.DataFrame(cast, schema=dict(VOTES)), meta
    )


def _name(study: Study, item: StudyItem) -> str:
    """The key that the question has in its first round, if it is the only one of that round's next."""
    while item.round > 1 and item.parent is not None and study.items[item.parent].key == item.key:
        item = study.items[item.parent]
    return item.key


def files(study: Study) -> Mapping[str, bytes]:
    """The files of ``votes``."""
    return to_files(votes(study))


EXPORT = StudyExport("vote", files)
