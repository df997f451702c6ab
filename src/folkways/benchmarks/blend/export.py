"""A study of everyday questions in BLEnD's released schema, with what each person wrote: the state that has
``raw_annotations``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import orjson

from folkways.benchmarks.blend.data.files import country_name
from folkways.benchmarks.studies import Study, StudyExport, StudyItem, answers_by_person, count_people
from folkways.cultures import cultures
from folkways.errors import FolkwaysError
from folkways.spreadsheet import csv_bytes

QUESTION_HEADER = ("ID", "Topic", "Source", "Question", "Translation")


def files(study: Study) -> Mapping[str, bytes]:
    """File name -> contents: ``annotations/{Country}_data.json`` and ``questions/{Country}_questions.csv``
    for every culture.

    Groups of answers are the reviewer's, their counts those of the people who are still in; a question that
    was not reviewed yet has each answer as a group of its own, without English. FolkwaysError where two
    populations are of one culture.
    """
    study.require_one_stage("short_answers")
    reviews = {item.parent: item.result for item in study.of("group_answers") if item.result and item.votes}
    annotations: dict[str, dict[str, Any]] = {}
    questions: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    names: dict[str, str] = {}
    for item in study.of("short_answers"):
        if item.culture is None or item.state == "draft" or (item.state == "dropped" and not item.result):
            continue
        name = country_name(cultures()[item.culture])
        if names.setdefault(name, str(item.population)) != item.population:
            raise FolkwaysError(
                f"two populations are of the culture {name}; the released schema has one file per culture"
            )
        key = item.key.split("@")[0]
        annotations.setdefault(name, {})[key] = _annotation(item, reviews.get(item.id))
        source = study.ancestor(item, "collect_question")
        written_in = (source.language if source is not None else None) or "en"
        topic = str(item.content.get("category", ""))
        questions[name].append((key, topic, written_in, item.content["english"], item.content["local"]))
    if not annotations:
        raise FolkwaysError(f"study {study.name} has no questions yet: there is nothing to export")
    written: dict[str, bytes] = {}
    for name, table in annotations.items():
        written[f"annotations/{name}_data.json"] = orjson.dumps(
            table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        )
        written[f"questions/{name}_questions.csv"] = csv_bytes(QUESTION_HEADER, questions[name])
    return written


def _annotation(item: StudyItem, review: Mapping[str, Any] | None) -> dict[str, Any]:
    written = answers_by_person(item.votes)
    answers: Mapping[str, list[str]] = written["answers"]
    invalid = set(review["invalid"]) if review else set()
    counts = Counter(answer for each in answers.values() for answer in each if answer not in invalid)
    groups = review["groups"] if review else [{"answers": [answer], "en_answers": []} for answer in counts]
    aggregated = []
    for group in groups:
        variants = [answer for answer in group["answers"] if answer in counts]
        if variants:
            count = count_people(variants, answers)
            aggregated.append({"answers": variants, "en_answers": list(group["en_answers"]), "count": count})
    return {
        "question": item.content["local"],
        "en_question": item.content["english"],
        "annotations": dict(counts.most_common()),
        "idks": written["idks"],
        "raw_annotations": dict(answers),
        "aggregated_answers": sorted(aggregated, key=lambda group: -group["count"]),
    }


EXPORT = StudyExport("short_answers", files)
