"""Everyday questions leave in BLEnD's released schema, with what each person wrote: the state that has ``raw_annotations``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import orjson

from folkways.cultures import cultures
from folkways.errors import FolkwaysError
from folkways.spreadsheet import csv_bytes
from folkways.studio.records import Item, ItemState, Population
from folkways.studio.services.gathering import Gathered
from folkways.studio.workflows.answers import collected, count_people

QUESTION_HEADER = ("ID", "Topic", "Source", "Question", "Translation")


def blend_files(found: Gathered) -> Mapping[str, bytes]:
    """File name -> contents: ``annotations/{Country}_data.json`` and ``questions/{Country}_questions.csv`` for every population.

    Groups of answers are the reviewer's, their counts those of the people who are still in; a question that was not reviewed
    yet has each answer as a group of its own, without English. FolkwaysError where two populations are of one culture.
    """
    stage = found.stage_of("short_answers")
    reviewed = _reviews(found)
    annotations: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    questions: defaultdict[int, list[tuple[str, ...]]] = defaultdict(list)
    for item in found.of(stage):
        if item.population_id is None or item.state == ItemState.DRAFT or (item.state == ItemState.DROPPED and not item.result):
            continue
        key = item.key.split("@")[0]
        annotations[item.population_id][key] = _annotation(found, item, reviewed.get(item.id))
        source = found.ancestor(item, "collect_question")
        questions[item.population_id].append(
            (key, str(item.content.get("category", "")), _source(found, source), item.content["english"], item.content["local"])
        )
    if not annotations:
        raise FolkwaysError(f"stage {stage.name} has no questions yet: there is nothing to export")
    files: dict[str, bytes] = {}
    for population_id, table in annotations.items():
        name = blend_name(found.populations[population_id])
        if f"annotations/{name}_data.json" in files:
            raise FolkwaysError(f"two populations are of the culture {name}; the released schema has one file per culture")
        files[f"annotations/{name}_data.json"] = orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        files[f"questions/{name}_questions.csv"] = csv_bytes(QUESTION_HEADER, questions[population_id])
    return files


def blend_name(population: Population) -> str:
    """What BLEnD's files call the culture of a population ("South_Korea"); its name with underscores where BLEnD has none for
    it.
    """
    culture = cultures()[population.culture]
    return culture.names.get("blend", culture.name.replace(" ", "_"))


def _reviews(found: Gathered) -> dict[int, Mapping[str, Any]]:
    """Id of an answered item -> its reviewer's groups."""
    reviews = {}
    for stage in found.stages.values():
        if stage.kind == "group_answers":
            for item in found.of(stage):
                if item.parent_id is not None and item.result and found.judgements[item.id]:
                    reviews[item.parent_id] = item.result
    return reviews


def _annotation(found: Gathered, item: Item, review: Mapping[str, Any] | None) -> dict[str, Any]:
    told = collected(found.votes(item))
    answers: Mapping[str, list[str]] = told["answers"]
    invalid = set(review["invalid"]) if review else set()
    given = Counter(answer for each in answers.values() for answer in each if answer not in invalid)
    groups = review["groups"] if review else [{"answers": [answer], "en_answers": []} for answer in given]
    aggregated = []
    for group in groups:
        variants = [answer for answer in group["answers"] if answer in given]
        if variants:
            count = count_people(variants, answers)
            aggregated.append({"answers": variants, "en_answers": list(group["en_answers"]), "count": count})
    return {
        "question": item.content["local"],
        "en_question": item.content["english"],
        "annotations": dict(given.most_common()),
        "idks": told["idks"],
        "raw_annotations": dict(answers),
        "aggregated_answers": sorted(aggregated, key=lambda group: -group["count"]),
    }


def _source(found: Gathered, source: Item | None) -> str:
    """The language in which the question was first written."""
    population = found.population(source) if source is not None else None
    return population.language if population is not None else "en"
