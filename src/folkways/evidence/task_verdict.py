"""The verdict on one task: which models no other is better than, how sure that is, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from folkways.display import single_line
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.evidence.comparison import contrast_of
from folkways.evidence.completeness import items_asked
from folkways.evidence.contrasts import ALPHA
from folkways.evidence.order import Rank
from folkways.evidence.sentences import Contrast
from folkways.evidence.weak_spots import answers_behind, shares_of
from folkways.names import WHOLE
from folkways.records import JUDGED_ITEMS, Metric, empty, is_baseline
from folkways.stats.hypotheses.corrections import holm


@dataclass(frozen=True)
class TaskEvidence:
    """What is known of the models on one task.

    title: as people read it. scores: records.SCORES of the headline metric in one profile, over everything
    and by facet, of models and baselines. contrasts: ``contrasts.CONTRASTS`` of the models; empty for one.
    ranks: ``order.order``. guessing: the score without any knowledge; people: that of people of the cultures
    under the same rule; NaN where it is not known. languages: codes of those that were asked. facets: the
    groups among which the weakest is looked for. part: how much of the task was asked, in words; empty for
    all. asked: ``completeness.items_asked``.
    """

    task: str
    title: str
    metric: Metric
    scores: pl.DataFrame = field(repr=False, compare=False)
    contrasts: pl.DataFrame = field(repr=False, compare=False)
    ranks: Mapping[str, Rank]
    guessing: float = math.nan
    people: float = math.nan
    languages: tuple[str, ...] = ()
    facets: tuple[str, ...] = ("culture", "language")
    part: str = ""
    asked: pl.DataFrame = field(
        default_factory=lambda: items_asked(empty(JUDGED_ITEMS)), repr=False, compare=False
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """A model on a task: its score over everything with interval, and its rank among the others.

    n: expected answers; lost: those without a reply. above_guessing, below_guessing: whether the whole
    interval is on the better side of guessing, or on the worse one, and not for want of replies; None where
    that is not known. guessing_p: two-sided, for a score that is guessed; NaN where that is not known. rank:
    None for the only model, and for one with too few replies.
    """

    model: str
    score: float
    low: float
    high: float
    n: int
    lost: int
    above_guessing: bool | None
    below_guessing: bool | None
    guessing_p: float
    rank: Rank | None

    @property
    def beats_guessing(self) -> bool | None:
        """Whether it is better than guessing beyond chance; None where that is not known."""
        return self.above_guessing and not self.guessing_p >= ALPHA

    @property
    def misses_guessing(self) -> bool | None:
        """Whether it is worse than guessing beyond chance; None where that is not known."""
        return self.below_guessing and not self.guessing_p >= ALPHA


@dataclass(frozen=True)
class TaskVerdict:
    """The verdict on one task.

    evidence: what it is made of. standings: of every model with a score, best first; those without a rank
    last. best: the ranked models that no other is better than beyond chance, by name; empty where none has a
    rank. clear: whether a single one is, and every other ranked model is worse beyond chance. level: the
    models that cannot be separated from a single best one, although another model is better. leads: the
    contrasts of a single best model with those that are worse beyond chance, the narrowest first. doubtful:
    whether some model leads if this task is looked at alone, but not together with the others.
    """

    evidence: TaskEvidence
    standings: tuple[Standing, ...]
    best: tuple[str, ...]
    clear: bool
    level: tuple[str, ...]
    leads: tuple[Contrast, ...]
    doubtful: bool = False

    @property
    def title(self) -> str:
        """Of the task, on one line."""
        return single_line(self.evidence.title)

    @property
    def metric(self) -> Metric:
        return self.evidence.metric

    @property
    def guessed(self) -> bool:
        """Whether no model is better than guessing beyond chance, where guessing has a score."""
        beats = [one.beats_guessing for one in self.standings if one.beats_guessing is not None]
        return bool(beats) and not any(beats)

    def standing(self, model: str) -> Standing | None:
        """That of a model; None without a score."""
        return next((one for one in self.standings if one.model == model), None)

    def replied(self, model: str) -> bool:
        """Whether a reply of the model came, be it that it does not count."""
        whole = self.evidence.scores.filter(pl.col("facet") == WHOLE, pl.col("endpoint") == model)
        return bool((whole["n"] > whole["failed"] + whole["missing"]).any())


def beats_guessing(low: float, high: float, guessing: float, metric: Metric) -> bool | None:
    """Whether the whole interval of a score is on the better side of guessing.

    low, high, guessing: in the unit of the scores of the metric. None where one of them is not known,
    where guessing has the worst score that there is, and for opinions, which nobody guesses.
    """
    if metric.kind == "distribution":
        return None
    worst = metric.bounds[metric.lower_is_better] * metric.scale if metric.bounds else math.nan
    if math.isnan(guessing) or math.isnan(low) or math.isnan(high) or guessing == worst:
        return None
    return high < guessing if metric.lower_is_better else low > guessing


def task_verdicts(evidence: Sequence[TaskEvidence]) -> tuple[TaskVerdict, ...]:
    """The verdicts on tasks that are looked at together: chance gives one model a lead on one of many.

    p is corrected (Holm) for the pairs of models of all tasks, and for all models and tasks that are compared
    with guessing. Only where one model is ahead of all others on each task, every task counts by itself:
    chance gives that less often than a lead on one.
    """
    alone = tuple(map(task_verdict, evidence))
    compared = [task for task in alone if task.best]
    if all(task.clear for task in compared) and len({task.best for task in compared}) == 1:
        return alone
    wholes = [one.contrasts.filter(pl.col("facet") == WHOLE) for one in evidence]
    pairs = iter(holm([p for whole in wholes for p in whole["p"].fill_null(math.nan)]))
    guesses = iter(holm([one.guessing_p for task in alone for one in task.standings]))
    together = []
    for by_itself, whole in zip(alone, wholes, strict=True):
        corrected = whole.with_columns(p_holm=pl.Series([next(pairs) for _ in whole["p"]], dtype=pl.Float64))
        task = task_verdict(replace(by_itself.evidence, contrasts=corrected))
        standings = tuple(replace(one, guessing_p=next(guesses)) for one in task.standings)
        doubtful = (task.best, task.level) != (by_itself.best, by_itself.level)
        together.append(replace(task, standings=standings, doubtful=doubtful))
    return tuple(together)


def task_verdict(evidence: TaskEvidence) -> TaskVerdict:
    """The verdict on one task."""
    ranks, metric = evidence.ranks, evidence.metric
    standings = sorted(_standings(evidence), key=lambda one: _place(one, metric))
    whole = evidence.contrasts.filter(pl.col("facet") == WHOLE)
    pairs = [contrast_of(row, metric) for row in whole.iter_rows(named=True)]
    pairs = [pair for pair in pairs if {pair.first, pair.second} <= ranks.keys()]
    behind = {pair.behind for pair in pairs if pair.clear}
    best = tuple(sorted(model for model in ranks if model not in behind and not is_baseline(model)))
    leads: list[Contrast] = []
    if len(best) == 1:
        leads = [pair for pair in pairs if best[0] in (pair.first, pair.second)]
        leads.sort(key=lambda pair: (round(abs(pair.difference), 9), sorted((pair.first, pair.second))))
    unclear = {name for pair in leads if not pair.clear for name in (pair.first, pair.second)}
    level = tuple(sorted(unclear - {*best}))
    return TaskVerdict(
        evidence,
        tuple(standings),
        best,
        len(best) == 1 and not level,
        level,
        tuple(pair for pair in leads if pair.clear),
    )


def _standings(evidence: TaskEvidence) -> Iterator[Standing]:
    for row in evidence.scores.filter(pl.col("facet") == WHOLE).iter_rows(named=True):
        score, low, high = (math.nan if row[name] is None else row[name] for name in ("score", "low", "high"))
        if is_baseline(row["endpoint"]) or math.isnan(score):
            continue
        above = beats_guessing(low, high, evidence.guessing, evidence.metric)
        behind = low > evidence.guessing if evidence.metric.lower_is_better else high < evidence.guessing
        lost = row["failed"] + row["missing"]
        below = None if above is None else behind and lost <= (1 - ENOUGH_REPLIES) * row["n"]
        p = math.nan if above is None else _guessing_p(score, low, high, evidence)
        rank = evidence.ranks.get(row["endpoint"])
        yield Standing(row["endpoint"], score, low, high, row["n"], lost, above, below, p, rank)


def _guessing_p(score: float, low: float, high: float, evidence: TaskEvidence) -> float:
    """Below .05 where the interval of a score does not hold that of guessing; NaN without bounds."""
    if evidence.metric.bounds is None:
        return math.nan
    ends = np.array([score, low, high, evidence.guessing])
    shares, lows, highs, guessed = shares_of(ends, evidence.metric)[:, None]
    answers = answers_behind(shares, lows, highs)
    error = math.sqrt(float((guessed * (1 - guessed) / answers)[0]))
    return math.erfc(abs(float(shares[0] - guessed[0])) / error / math.sqrt(2)) if error else math.nan


def _place(standing: Standing, metric: Metric) -> tuple[float, float, str]:
    rank = math.inf if standing.rank is None else standing.rank.value
    return rank, standing.score if metric.lower_is_better else -standing.score, standing.model
