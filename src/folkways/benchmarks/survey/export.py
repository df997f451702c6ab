"""A survey of the studio leaves as a release: its questions and, for each culture, how many people took which
option, counted and weighted."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from folkways.benchmarks.studies import NO_OPINIONS, Study, StudyExport, StudyItem
from folkways.benchmarks.survey.release import COLUMNS, COUNTS, QUESTIONS
from folkways.errors import FolkwaysError
from folkways.json_lines import json_line
from folkways.stats.weighting import effective_people, rake

KIND = "survey_question"
WEIGHTS = "weights.json"
FEWEST = 5
"""People below whom the answers of a culture to a question do not leave."""

LABELS = {"dont_know": "I don't know", "rather_not": "I would rather not say"}


def files(study: Study) -> Mapping[str, bytes]:
    """The files of a survey. FolkwaysError if nobody has answered, for a question whose populations have
    different options."""
    by_key: dict[str, list[StudyItem]] = defaultdict(list)
    for item in study.of(KIND):
        if item.votes:
            by_key[str(item.content.get("question") or item.key)].append(item)
    if not by_key:
        raise FolkwaysError("nobody has answered yet: there is nothing to export")
    weights, summaries = _weights(study)
    left_out: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    questions = []
    for key, items in by_key.items():
        with_opinion: dict[str, list[float]] = defaultdict(list)
        for item in items:
            if item.culture is None:
                raise FolkwaysError(
                    f"question {key} belongs to no population, so that its culture is not known"
                )
            if len(item.votes) < FEWEST:
                left_out.append({"question": key, "population": item.population, "people": len(item.votes)})
                continue
            rows += _counts(key, item, weights)
            with_opinion[item.culture] += [
                weights.get(vote.participant, 1.0)
                for vote in item.votes
                if vote.payload["answer"] is not None
            ]
        questions.append({**_question(key, items), **_effective(with_opinion)})
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_of_cultures(rows))
    record = {"populations": summaries, "left_out": left_out, "fewest": FEWEST}
    return {
        QUESTIONS: b"".join(json_line(question) for question in questions),
        COUNTS: table.getvalue().encode(),
        WEIGHTS: json.dumps(record, indent=2, ensure_ascii=False).encode(),
    }


def _weights(study: Study) -> tuple[dict[str, float], dict[str, Any]]:
    """Pseudonym -> weight, and population -> what its weights are like. People without margins have weight 1;
    a group that nobody is in is named and left out of the margins."""
    weights: dict[str, float] = {}
    summaries: dict[str, Any] = {}
    for name, people in study.people.items():
        if not people.margins:
            continue
        order = sorted(people.groups)
        groups = {
            variable: [people.groups[person].get(variable) for person in order] for variable in people.margins
        }
        if not order:
            continue
        empty = {
            variable: sorted(shares.keys() - {*groups[variable]})
            for variable, shares in people.margins.items()
        }
        margins = {
            variable: {group: share for group, share in shares.items() if group not in empty[variable]}
            for variable, shares in people.margins.items()
        }
        raked = rake(groups, {variable: shares for variable, shares in margins.items() if shares})
        weights |= dict(zip(order, raked.tolist(), strict=True))
        effective = effective_people(raked)
        summaries[name] = {
            "people": len(order),
            "effective": round(effective, 1),
            "design_effect": round(len(order) / effective, 3),
            "smallest": round(float(np.min(raked)), 3),
            "largest": round(float(np.max(raked)), 3),
            "margins": people.margins,
            "without_people": {variable: names for variable, names in empty.items() if names},
        }
    return weights, summaries


def _question(key: str, items: list[StudyItem]) -> dict[str, Any]:
    first = next((item for item in items if item.language == "en"), items[0])
    labels = list(first.content["options"])
    for item in items:
        if len(item.content["options"]) != len(labels) or item.content["ordered"] != first.content["ordered"]:
            raise FolkwaysError(
                f"question {key} has other options in {item.population} than in {first.population}; give the "
                "two questions ids of their own"
            )
    ordered = first.content["ordered"] == "yes"
    opinions = [
        {"label": label, **({"value": number} if ordered else {})} for number, label in enumerate(labels, 1)
    ]
    texts = {
        item.language: {"text": item.content["text"], "options": [*item.content["options"], *LABELS.values()]}
        for item in items
        if item.language and item.language != first.language
    }
    return {
        "id": key,
        "text": first.content["text"],
        "language": first.language or "en",
        "options": [*opinions, *({"label": label, "missing": True} for label in LABELS.values())],
        "ordered": ordered,
        "category": first.content.get("category") or "",
        **({"texts": texts} if texts else {}),
    }


def _effective(with_opinion: Mapping[str, list[float]]) -> dict[str, Any]:
    """Culture -> how many people of equal weight its shares rest on, where weights differ. with_opinion:
    culture -> the weights of those who have an opinion."""
    effective = {
        culture: round(effective_people(np.array(weights)), 2)
        for culture, weights in with_opinion.items()
        if len({round(weight, 9) for weight in weights}) > 1
    }
    return {"effective": effective} if effective else {}


def _counts(key: str, item: StudyItem, weights: Mapping[str, float]) -> list[tuple[Any, ...]]:
    options = len(item.content["options"])
    counts: Counter[int] = Counter()
    weighted: dict[int, float] = defaultdict(float)
    for vote in item.votes:
        answer = vote.payload["answer"]
        option = options + NO_OPINIONS.index(vote.payload["no_answer"]) if answer is None else answer
        counts[option] += 1
        weighted[option] += weights.get(vote.participant, 1.0)
    return [
        (key, item.culture, option, counts[option], weighted[option])
        for option in range(options + len(NO_OPINIONS))
    ]


def _of_cultures(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows with the populations of one culture put together, without the weights of a few people."""
    counts: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    weights: dict[tuple[str, str], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for key, culture, option, count, weight in rows:
        counts[key, culture][option] += count
        weights[key, culture][option] += weight
    return [
        (*question, option, counts[question][option], round(weight, 6))
        for question in counts
        for option, weight in _without_weights_of_few(counts[question], weights[question]).items()
    ]


def _without_weights_of_few(counts: Mapping[int, int], weights: Mapping[int, float]) -> dict[int, float]:
    """Option -> weight, where all who took an option of fewer than FEWEST people have the mean weight of
    these people: a weight tells which groups somebody is in. Where they are fewer than FEWEST together,
    those of the next smallest options are among them."""
    few: list[int] = []
    people = 0
    for option in sorted((each for each in counts if counts[each]), key=lambda each: (counts[each], each)):
        if counts[option] >= FEWEST and not 0 < people < FEWEST:
            break
        few.append(option)
        people += counts[option]
    whole = sum(weights[option] for option in few)
    return {**weights, **{option: whole * counts[option] / people for option in few}}


EXPORT = StudyExport(KIND, files)
