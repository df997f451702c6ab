"""People's votes on items, checked row by row, and the decisions that they make: choices, labels and
adaptations.

An expert's vote decides. Without one, judges have to agree; what they disagree on is left out, with the
reason. Adaptations need not agree: the first is in the corpus until an expert decides, and all are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl

from folkways.benchmarks.xcr.labels import FIELDS, NON_TRANSFERABLE, RELEASED_LABEL, STRATEGIES
from folkways.benchmarks.xcr.release import ADAPTATION_FILES
from folkways.cultures import get_culture
from folkways.errors import DataError, UnknownNameError
from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.stats.raters.kappa import CategoryAgreement, category_kappa

EXPERT = "expert"
ROLES = ("", "judge", EXPERT)
NONE = "none"
"""The choice of a judge who finds no sentence good."""

ALIASES = {
    "participant": "judge",
    "annotator": "judge",
    "item": "item_id",
    "id": "item_id",
    "strategy": "strategies",
}
"""Other names of columns, for tables without the usual one."""


@dataclass(frozen=True, slots=True)
class SentenceChoice:
    """One judge's choice among an item's sentences; ratings: candidate -> mean over its rated aspects."""

    item_id: str
    judge: str
    expert: bool
    best: str
    ratings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemLabels:
    """One judge's labels of an item; tagged: the chosen sentence with this judge's tags, empty if not
    given."""

    item_id: str
    judge: str
    expert: bool
    category: str
    level: str
    element: str
    tagged: str = ""


@dataclass(frozen=True, slots=True)
class AdaptedVersion:
    """One person's adaptation of an item's sentence to a culture, with a strategy for each tagged item."""

    item_id: str
    judge: str
    expert: bool
    culture: str
    intra: str
    inter: str
    strategies: tuple[str, ...]


Items = Mapping[str, Mapping[str, Any]]
"""Item id -> a line of ``items.jsonl``."""


def read_choices(table: pl.DataFrame, items: Items, file: str) -> Iterator[SentenceChoice]:
    """Columns item_id, judge, best (a candidate's letter, or ``none``), and perhaps ratings (JSON) and
    role."""
    for row, cells in _rows(table, ("item_id", "judge", "best"), items, file):
        letters = [str(candidate["id"]) for candidate in items[cells["item_id"]]["candidates"]]
        best = _one_of(cells["best"].lower(), [*letters, NONE], "sentence", file, row)
        yield SentenceChoice(
            cells["item_id"],
            cells["judge"],
            _expert(cells, file, row),
            best,
            _ratings(cells, letters, file, row),
        )


def read_labels(
    table: pl.DataFrame, items: Items, file: str, valid_labels: Mapping[str, Sequence[str]] = FIELDS
) -> Iterator[ItemLabels]:
    """Columns item_id, judge, category, level, element, and perhaps tagged and role.

    table, file: the votes and their file; items: that they are about; valid_labels: field -> its labels.
    """
    for row, cells in _rows(table, ("item_id", "judge", *FIELDS), items, file):
        labels = {name: _one_of(cells[name], valid, name, file, row) for name, valid in valid_labels.items()}
        tagged = cells.get("tagged", "")
        if tagged:
            _check_tags(tagged, "the tagged sentence", file, row)
        yield ItemLabels(cells["item_id"], cells["judge"], _expert(cells, file, row), tagged=tagged, **labels)


def read_versions(table: pl.DataFrame, items: Items, file: str) -> Iterator[AdaptedVersion]:
    """Columns item_id, judge, culture, intra, inter, strategies (one for all items, or one for each with
    ``;``), and perhaps role.

    Where every strategy is non_transferable, the versions may stay empty.
    """
    for row, cells in _rows(
        table, ("item_id", "judge", "culture", "intra", "inter", "strategies"), items, file
    ):
        culture = _culture(cells["culture"], file, row)
        named = [
            part.strip().lower().replace("-", "_").replace(" ", "_")
            for part in cells["strategies"].split(";")
        ]
        strategies = tuple(_one_of(name, STRATEGIES, "strategy", file, row) for name in named)
        versions = (cells["intra"], cells["inter"])
        if set(strategies) == {NON_TRANSFERABLE}:
            versions = (RELEASED_LABEL, RELEASED_LABEL)
        else:
            for name, text in zip(("intra", "inter"), versions, strict=True):
                _check_tags(text, f"the version {name}", file, row)
        yield AdaptedVersion(
            cells["item_id"], cells["judge"], _expert(cells, file, row), culture, *versions, strategies
        )


def _rows(
    table: pl.DataFrame, needed: Sequence[str], items: Items, file: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Row number from 1, and cells without spaces around them; rows without any vote are skipped."""
    named = table.rename(
        {
            other: name
            for other, name in ALIASES.items()
            if other in table.columns and name not in table.columns
        }
    )
    for name in needed:
        if name not in named.columns:
            raise DataError(
                f"has no column {name!r}; it needs {', '.join(needed)} and has: {', '.join(table.columns)}",
                file=file,
            )
    answers = [name for name in needed if name not in ("item_id", "culture")]
    earlier: dict[tuple[str, ...], int] = {}
    for row, cells in enumerate(named.iter_rows(named=True), 1):
        tidy = {name: (value or "").strip() for name, value in cells.items()}
        if not any(tidy[name] for name in answers):
            continue
        if tidy["item_id"] not in items:
            raise DataError(f"there is no item {tidy['item_id']!r} among the items", file=file, row=row)
        if not tidy["judge"]:
            raise DataError(
                "names no judge; give each person a name or number of their own", file=file, row=row
            )
        key = (tidy["item_id"], tidy["judge"], tidy["culture"] if "culture" in needed else "")
        if earlier.setdefault(key, row) != row:
            raise DataError(
                f"{tidy['judge']} spoke of {tidy['item_id']} in row {earlier[key]} already; keep one",
                file=file,
                row=row,
            )
        yield row, tidy


def _one_of(text: str, valid: Sequence[str], kind: str, file: str, row: int) -> str:
    folded = {name.casefold(): name for name in valid}
    if text.casefold() not in folded:
        raise DataError(f"unknown {kind} {text!r}; valid: {', '.join(valid)}", file=file, row=row)
    return folded[text.casefold()]


def _expert(cells: Mapping[str, str], file: str, row: int) -> bool:
    role = cells.get("role", "").lower()
    if role not in ROLES:
        raise DataError(f"unknown role {role!r}; valid: judge (or nothing), {EXPERT}", file=file, row=row)
    return role == EXPERT


def _ratings(cells: Mapping[str, str], letters: Sequence[str], file: str, row: int) -> dict[str, float]:
    text = cells.get("ratings", "")
    if not text:
        return {}
    try:
        ratings = json.loads(text)
        return {
            letter: sum(ratings[letter].values()) / len(ratings[letter])
            for letter in letters
            if ratings.get(letter)
        }
    except (ValueError, TypeError, AttributeError) as error:
        example = '{"a": {"accuracy": 5, "fluency": 4, "realism": 4}}'
        raise DataError(
            f"ratings {text[:60]!r} cannot be read; write JSON such as {example}", file=file, row=row
        ) from error


def _culture(text: str, file: str, row: int) -> str:
    try:
        code = get_culture(text).code
    except UnknownNameError:
        code = ""
    if code not in ADAPTATION_FILES:
        raise DataError(
            f"unknown culture {text!r}; a corpus has: {', '.join(ADAPTATION_FILES)}", file=file, row=row
        )
    return code


def _check_tags(text: str, what: str, file: str, row: int) -> None:
    spans = tagged_spans(text, across_lines=False)
    if not spans or text.count(OPENING) != len(spans) or text.count(CLOSING) != len(spans):
        raise DataError(
            f"{what} needs each item between {OPENING} and {CLOSING}, on one line: {text[:80]!r}",
            file=file,
            row=row,
        )


JUDGES = 2
"""People who have to judge an item, unless an expert does."""

Vote = TypeVar("Vote", SentenceChoice, ItemLabels, AdaptedVersion)


@dataclass(frozen=True, slots=True)
class NoDecision:
    """Why an item is not in the corpus."""

    why: str


def by_item(votes: Iterable[Vote]) -> dict[str, list[Vote]]:
    """Item id -> its votes, in order."""
    grouped: dict[str, list[Vote]] = {}
    for vote in votes:
        grouped.setdefault(vote.item_id, []).append(vote)
    return grouped


def best_candidate(votes: Sequence[SentenceChoice], judges: int = JUDGES) -> str | NoDecision:
    """The letter of the sentence that most chose; of several the one with the higher mean rating."""
    expert = [vote.best for vote in votes if vote.expert]
    if expert:
        return NoDecision("the expert finds no sentence good") if expert[-1] == NONE else expert[-1]
    if len(votes) < judges:
        return NoDecision(f"{len(votes)} of {judges} judges have chosen a sentence")
    counts = Counter(vote.best for vote in votes)
    first = [letter for letter, count in counts.items() if count == max(counts.values())]
    if len(first) > 1:
        ratings = {
            letter: [vote.ratings[letter] for vote in votes if letter in vote.ratings] for letter in first
        }
        means = {letter: sum(values) / len(values) for letter, values in ratings.items() if values}
        highest = [letter for letter, mean in means.items() if mean == max(means.values())]
        if len(means) < len(first) or len(highest) > 1:
            return NoDecision("the judges chose different sentences, and their ratings do not settle it")
        first = highest
    return NoDecision("the judges find no sentence good") if first[0] == NONE else first[0]


def agreed_labels(votes: Sequence[ItemLabels], judges: int = JUDGES) -> ItemLabels | NoDecision:
    """The labels that all judges gave; an expert's if there is one. ``tagged`` is empty if nobody marked the
    sentence."""
    expert = [vote for vote in votes if vote.expert]
    if expert:
        return expert[-1]
    if len(votes) < judges:
        return NoDecision(f"{len(votes)} of {judges} judges have labelled it")
    for name in FIELDS:
        values = dict.fromkeys(getattr(vote, name) for vote in votes)
        if len(values) > 1:
            return NoDecision(f"people differ on the {name}: {', '.join(values)}")
    marked = dict.fromkeys(_spaced(vote.tagged) for vote in votes if vote.tagged)
    if len(marked) > 1:
        return NoDecision(f"people mark different words: {' | '.join(marked)}")
    return next((vote for vote in votes if vote.tagged), votes[0])


def decided_version(votes: Sequence[AdaptedVersion]) -> tuple[AdaptedVersion, bool]:
    """The adaptation for the corpus, and whether it is decided: by an expert, or because all wrote the
    same."""
    expert = [vote for vote in votes if vote.expert]
    if expert:
        return expert[-1], True
    return votes[0], len({(vote.intra, vote.inter) for vote in votes}) == 1 and len(votes) > 1


def agreement(votes: Iterable[ItemLabels]) -> Mapping[str, CategoryAgreement]:
    """Cohen's kappa of category, level and element, over the first two judges of each item, without
    experts."""
    judged = ([vote for vote in of_item if not vote.expert] for of_item in by_item(votes).values())
    pairs = [of_judges[:2] for of_judges in judged if len(of_judges) >= 2]
    return {
        name: category_kappa(*([getattr(pair[judge], name) for pair in pairs] for judge in (0, 1)))
        for name in FIELDS
    }


def _spaced(text: str) -> str:
    return " ".join(text.replace("<CSI>", " <CSI> ").replace("</CSI>", " </CSI> ").split())
