"""What became of the suggestions that forms began with, and what they do to answers and time, measured where
half of the people saw them.

Answers of one item resemble one another, and so do those of one person: every interval allows for both
(``stats.two_way``). Items whose right answer is known are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, isnan, log
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Exposure, PreAnnotation
from folkways_studio.database import schema
from folkways_studio.stages.base import HALF
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.working_time import without_breaks
from folkways_studio.work.exposures import exposures_of_study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Measure = Literal["kept", "agreement", "seconds"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What people made of the suggestions of one version of a model, in a stage.

    shown, hidden: answers of people who saw them, and who did not. accepted, changed, rejected: of those
    shown. share_accepted: of them, with low and high of its 95 % interval; None before the first.
    """

    stage: str
    model: str
    version: str
    shown: int
    hidden: int
    accepted: int
    changed: int
    rejected: int
    share_accepted: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Effect:
    """What seeing a suggestion does in a stage where half of the people did.

    measure: ``kept``, the share of what was suggested that is in the answer; ``agreement``, the share of the
        others in the same half who say the same of the item, averaged over fields; ``seconds`` of an answer,
        without breaks.
    shown, hidden: its mean in either half; of seconds the geometric mean. n_shown, n_hidden: answers.
    effect: shown minus hidden; of seconds shown over hidden. low, high: of its 95 % interval; p: two-sided,
        for no effect; None where these are undefined, with the reason.
    """

    stage: str
    measure: Measure
    shown: float
    hidden: float
    n_shown: int
    n_hidden: int
    effect: float
    low: float | None
    high: float | None
    p: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SuggestionFigures:
    """All figures of a study, in order of stages; of acceptance also of models."""

    acceptance: tuple[Acceptance, ...]
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class SuggestedAnswer:
    """One answer whose form began with a suggestion, or would have."""

    stage_id: int
    item_id: int
    participant_id: int
    seconds: float | None
    labels: Mapping[str, Hashable]
    exposure: Exposure
    suggestion: PreAnnotation


def suggestion_figures(
    workspace: Workspace, study_id: int, *, items: Collection[int] | None = None
) -> SuggestionFigures:
    """The figures of a study (workspace, study_id); of these items alone if they are given."""
    stages = studies.stages(workspace, study_id)
    kinds = {stage.id: stage_kind(stage.kind) for stage in stages}
    answers = [
        each for each in _answers(workspace, study_id, kinds) if items is None or each.item_id in items
    ]
    acceptance: list[Acceptance] = []
    effects: list[Effect] = []
    for stage in stages:
        of_stage = sorted(
            (each for each in answers if each.stage_id == stage.id),
            key=lambda each: (each.suggestion.model, each.suggestion.version),
        )
        for (model, version), group in groupby(
            of_stage, key=lambda each: (each.suggestion.model, each.suggestion.version)
        ):
            acceptance.append(_acceptance(stage.name, model, version, list(group)))
        drawn = [each for each in of_stage if each.exposure.setting == HALF]
        for measure, values in (
            ("kept", kept_shares(drawn)),
            ("agreement", agreement_in_half(drawn)),
            ("seconds", log_seconds(drawn)),
        ):
            effect = effect_of(stage.name, measure, drawn, values)  # type: ignore[arg-type]  # one of Measure
            effects += [effect] if effect is not None else []
    return SuggestionFigures(tuple(acceptance), tuple(effects))


def _answers(workspace: Workspace, study_id: int, kinds: Mapping[int, Any]) -> list[SuggestedAnswer]:
    """Answers with an exposure, of people who did not leave, in order of arrival."""
    settled = exposures_of_study(workspace, study_id)
    if not settled:
        return []
    judgements, items = schema.judgements, schema.items
    query = (
        sa.select(
            judgements.c.item_id,
            judgements.c.participant_id,
            judgements.c.stage_id,
            judgements.c.seconds,
            judgements.c.payload,
        )
        .join(items, items.c.id == judgements.c.item_id)
        .where(items.c.study_id == study_id, items.c.check.is_(None))
        .order_by(judgements.c.id)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    return [
        SuggestedAnswer(
            row.stage_id,
            row.item_id,
            row.participant_id,
            row.seconds,
            kinds[row.stage_id].labels(row.payload),
            *settled[row.item_id, row.participant_id],
        )
        for row in rows
        if (row.item_id, row.participant_id) in settled
    ]


def _acceptance(stage: str, model: str, version: str, answers: Sequence[SuggestedAnswer]) -> Acceptance:
    import numpy as np

    from folkways.sdk.statistics import two_way_mean

    shown = [each for each in answers if each.exposure.shown]
    outcomes = [each.exposure.outcome for each in shown]
    counts = {word: outcomes.count(word) for word in ("accepted", "changed", "rejected")}
    share = low = high = None
    if shown:
        accepted = np.array([each == "accepted" for each in outcomes], float)
        estimate = two_way_mean(accepted, *_clusters(shown))
        share, low, high = estimate.mean, estimate.interval.low, estimate.interval.high
    return Acceptance(
        stage, model, version, len(shown), len(answers) - len(shown), **counts,
        share_accepted=share, low=low, high=high,
    )  # fmt: skip


def _clusters(answers: Sequence[SuggestedAnswer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The item and the person of each."""
    import numpy as np

    return np.array([each.item_id for each in answers]), np.array([each.participant_id for each in answers])


def kept_shares(answers: Sequence[SuggestedAnswer]) -> list[float | None]:
    """Of each, the share of what was suggested that is in the answer; None where nothing was."""
    return [
        each.exposure.unchanged / each.exposure.parts
        if each.exposure.parts and each.exposure.unchanged is not None
        else None
        for each in answers
    ]


def agreement_in_half(answers: Sequence[SuggestedAnswer]) -> list[float | None]:
    """Of each, the share of the others in its half who say the same of the item, averaged over the fields
    that both answered; None where there are no others."""
    halves: defaultdict[tuple[int, bool], list[SuggestedAnswer]] = defaultdict(list)
    for each in answers:
        halves[each.item_id, each.exposure.shown].append(each)
    shares: list[float | None] = []
    for each in answers:
        others = [one for one in halves[each.item_id, each.exposure.shown] if one is not each]
        pairs = [
            [one.labels[field] == label for field, label in each.labels.items() if field in one.labels]
            for one in others
        ]
        means = [sum(pair) / len(pair) for pair in pairs if pair]
        shares.append(sum(means) / len(means) if means else None)
    return shares


def log_seconds(answers: Sequence[SuggestedAnswer]) -> list[float | None]:
    """The natural logarithm of each answer's seconds, those with a break shortened; None where they are
    unknown or 0."""
    from statistics import median

    timed = [each.seconds for each in answers if each.seconds is not None]
    if not timed:
        return [None] * len(answers)
    usual = median(timed)
    people: defaultdict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(answers):
        if each.seconds is not None:
            people[each.participant_id].append(number)
    logs: list[float | None] = [None] * len(answers)
    for numbers in people.values():
        times = [answers[number].seconds or 0.0 for number in numbers]
        for number, seconds in zip(numbers, without_breaks(times, usual), strict=True):
            logs[number] = log(seconds) if seconds > 0 else None
    return logs


def effect_of(
    stage: str, measure: Measure, answers: Sequence[SuggestedAnswer], values: Sequence[float | None]
) -> Effect | None:
    """The effect on a measure in a stage; None where one half has no value.

    values: of each of the ``answers``, those of ``seconds`` as logarithms; None is left out.
    """
    import numpy as np

    from folkways.sdk.statistics import two_way_difference

    pairs = [(each, value) for each, value in zip(answers, values, strict=True) if value is not None]
    if len({each.exposure.shown for each, _ in pairs}) < 2:
        return None
    rows, numbers = [each for each, _ in pairs], np.array([value for _, value in pairs])
    treated = np.array([each.exposure.shown for each in rows])
    estimate = two_way_difference(numbers, treated, *_clusters(rows))
    scale = exp if measure == "seconds" else float
    low, high, p = (
        None if isnan(value) else value
        for value in (estimate.interval.low, estimate.interval.high, estimate.p)
    )
    return Effect(
        stage,
        measure,
        scale(float(numbers[treated].mean())),
        scale(float(numbers[~treated].mean())),
        estimate.n_treated,
        estimate.n_control,
        scale(estimate.difference),
        None if low is None else scale(low),
        None if high is None else scale(high),
        p,
        estimate.interval.method if low is None else "",
    )
