"""The overview of a report: what the data leave open, where models change places between cultures, and
examples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, zip_longest

import polars as pl

from folkways.display import MOST_NAMED, named, number, sanitize
from folkways.evidence.contrasts import ALPHA, CULTURE, reversals
from folkways.evidence.sentences import further_turned, nothing_turned, turned_sentence
from folkways.evidence.task_verdict import beats_guessing
from folkways.names import WHOLE, culture_name
from folkways.records import plain
from folkways.reports.views.judgement_sample import SLICE
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView, TaskView

MAX_EXAMPLES = 3
SHORTEST_EXAMPLE, LONGEST_EXAMPLE = 3, 140
"""Length in characters of replies that are shown as examples; a single letter says nothing without its
option."""

WIDE = 20.0
"""Half-width of an interval in points from which the score of a culture is called uncertain."""


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong answer of a model: the question, the reply and the right answer, all untrusted text.

    read: for multiple choice, label and text of the answer that was read and of the right one; otherwise
    empty.
    """

    task: str
    model: str
    culture: str
    question: str
    reply: str
    gold: str
    read: str = ""


def open_orders(view: ReportView, leaderboard: Leaderboard) -> list[str]:
    """A sentence for the first two models of tasks whose order is open; a verdict says it too."""
    undecided: dict[tuple[str, ...], list[str]] = {}
    for task in view.tasks:
        first = [*leaderboard.ranks(task)][:2]
        whole = leaderboard.contrasts(task).filter(
            pl.col("facet") == WHOLE, pl.col("first", "second").is_in(first)
        )
        if whole.height and not whole["p_holm"][0] < ALPHA:
            undecided.setdefault(tuple(sorted(view.short[name] for name in first)), []).append(task.title)
    return [
        f"Which of {one} and {other} is better on {named(titles)} is open."
        for (one, other), titles in undecided.items()
    ]


def uncertain(view: ReportView, leaderboard: Leaderboard) -> list[str]:
    """Sentences on what the number of questions leaves open: whether models beat guessing, and single
    cultures."""
    sentences = []
    guessed = [task.title for task in view.tasks if _no_better_than_guessing(task, leaderboard)]
    if guessed:
        sentences.append(f"On {named(guessed)} no model is clearly better than guessing.")
    widths = [
        (score.high - score.low) / 2
        for task in view.tasks
        if task.metric.scale == 100 and "culture" in task.facets
        for (_, endpoint), score in task.facets["culture"].scores.items()
        if endpoint in task.models and score.high == score.high
    ]
    wide = sum(width > WIDE for width in widths)
    if wide:
        sentences.append(
            f"{wide:,} of {len(widths):,} scores of single cultures are uncertain by more than {WIDE:.0f} "
            f"points to either side (up to {number(max(widths), 0)}): read them with their intervals."
        )
    return sentences


def _no_better_than_guessing(task: TaskView, leaderboard: Leaderboard) -> bool:
    """Whether no model is better than guessing beyond chance, where guessing has a score."""
    beats = [
        beats_guessing(
            score.low, score.high, leaderboard.guessing(task, (score.facet, score.value)), task.metric
        )
        for score in task.headline
        if not score.baseline and score.profile == task.profile
    ]
    return any(one is not None for one in beats) and not any(beats)


def turned_round(view: ReportView, leaderboard: Leaderboard) -> list[str]:
    """Sentences on pairs of models that change places between cultures beyond chance (Holm over all pairs),
    or that none does, or that there are too few questions to know.

    Pairs of better models come first. Empty if no two models share a row, or for a single culture.
    """
    sentences, cultures = [], 0
    pairs: set[tuple[str, ...]] = set()
    for task in view.tasks:
        rows = leaderboard.contrasts(task)
        by_culture = rows.filter(pl.col("facet") == CULTURE)
        if by_culture["value"].n_unique() < 2 or task.metric.kind == "distribution":
            continue
        pairs |= set(map(tuple, map(sorted, by_culture.select("first", "second").unique().iter_rows())))
        tested = by_culture.filter(pl.col("p").is_not_nan())
        cultures = max(cultures, tested["value"].n_unique())
        turned = reversals(rows).group_by(["first", "second"], maintain_order=True)
        sentences_of_task = [f"{task.title}: {turned_sentence(*_turned(view, group))}" for _, group in turned]
        sentences += sentences_of_task[:MOST_NAMED]
        if len(sentences_of_task) > MOST_NAMED:
            sentences.append(further_turned(len(sentences_of_task) - MOST_NAMED))
    return sentences or ([nothing_turned(len(pairs), cultures)] if pairs else [])


def _turned(view: ReportView, group: pl.DataFrame) -> tuple[tuple[str, str], str | None, dict[str, str]]:
    """From the reversals of a pair: its models, the one ahead over everything, and group -> the one ahead
    there."""
    pair = (view.short[group["first"][0]], view.short[group["second"][0]])
    overall = group["overall"][0]
    return (
        pair,
        None if overall is None else view.short[overall],
        {name: view.short[ahead] for name, ahead in group.select("name", "ahead").iter_rows()},
    )


def examples(view: ReportView) -> list[Example]:
    """Short wrong answers of the first model of each task, one from each of the cultures with its lowest
    scores. Tasks take turns."""
    by_task = [_examples_of(view, task) for task in view.tasks]
    seen: dict[str, Example] = {}
    for turn in zip_longest(*by_task):
        for example in turn:
            if example is not None:
                seen.setdefault(example.culture, example)
    return list(seen.values())[:MAX_EXAMPLES]


def _examples_of(view: ReportView, task: TaskView) -> list[Example]:
    if (
        not task.models
        or task.metric.kind == "distribution"  # no answer is wrong
        or task.metric.name not in view.data.judgements.columns
        or "culture" not in task.facets
    ):
        return []
    model = task.models[0]
    # wrong by every metric: one of four statements can be right although not all four are
    metrics = [metric.name for metric in task.metrics if metric.bounds is not None]  # others are counts
    measured = [name for name in metrics if name in view.data.judgements.columns]
    all_wrong = pl.all_horizontal(pl.col(name).fill_null(0) == 0 for name in measured)
    answered = (pl.col("state") == "answered") & pl.col("counted") & all_wrong
    chosen = pl.col("chosen_option") if "chosen_option" in view.data.judgements.columns else pl.lit(None)
    shortest = pl.when(chosen.is_not_null()).then(1).otherwise(SHORTEST_EXAMPLE)
    short = (
        pl.col("response").str.strip_chars().str.len_chars().is_between(shortest, LONGEST_EXAMPLE),
        pl.col("gold").cast(pl.String).str.len_chars().is_between(1, LONGEST_EXAMPLE),
    )
    read = (
        pl.when(chosen.is_not_null())
        .then(pl.col("reason").cast(pl.String))
        .otherwise(pl.lit(""))
        .alias("read")
    )
    of_model = (
        (pl.col("task") == task.task) & (pl.col("profile") == task.profile) & (pl.col("endpoint") == model)
    )
    # Slice by slice: the texts of a million replies take more memory than all else.
    wrong = pl.concat(
        rows.filter(of_model, answered, *short)
        .select("culture", "text", "response", "gold", read)
        .unique("culture", keep="first", maintain_order=True)
        for rows in chain([view.data.judgements.clear()], view.data.slices(SLICE))
    )
    examples_read = plain(wrong.unique("culture", keep="first", maintain_order=True))
    firsts = {row["culture"]: row for row in examples_read.iter_rows(named=True)}
    rows = [firsts[culture] for culture in reversed(task.facets["culture"].values) if culture in firsts]
    return [
        Example(
            task.title,
            view.short[model],
            culture_name(row["culture"]),
            *(sanitize(row[name].strip()) for name in ("text", "response", "gold", "read")),
        )
        for row in rows[:MAX_EXAMPLES]
    ]
