"""What a report says before its details: which order is open, what turns round between cultures, and what was said."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from folkways.errors import FolkwaysError
from folkways.records import JUDGEMENTS, plain
from folkways.reports.names import culture_name
from folkways.reports.text import number, visible
from folkways.reports.views.comparison import compare_judgements
from folkways.reports.views.comparison_words import named
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView, TaskView

MAX_EXAMPLES = 6
SHORTEST_EXAMPLE, LONGEST_EXAMPLE = 3, 140
"""Characters of a reply that is shown as an example: a letter says nothing without its options."""

WIDE = 20.0
"""Points to either side from which on the score of a culture is called uncertain."""


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong answer of a model: what it was asked, what it said, and what counts as right. All of it is untrusted text."""

    task: str
    model: str
    culture: str
    question: str
    said: str
    gold: str


def uncertain(view: ReportView, leaderboard: Leaderboard) -> list[str]:
    """What the questions are too few for: which of the first two models is better, or better than guessing; single cultures."""
    undecided: dict[tuple[str, ...], list[str]] = {}
    for task in view.tasks:
        standings = leaderboard.standings(task)
        first = [name for name in task.models if name in standings][:2]
        if len(first) > 1 and standings[first[0]].high >= standings[first[1]].low:
            undecided.setdefault(tuple(sorted(view.short[name] for name in first)), []).append(task.title)
    sentences = [f"Which of {one} and {other} is better on {named(titles)} is open." for (one, other), titles in undecided.items()]
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
            f"{wide:,} of {len(widths):,} scores of single cultures are uncertain by more than {WIDE:.0f} points to either side "
            f"(up to {number(max(widths), 0)}): read them with their intervals."
        )
    return sentences


def _no_better_than_guessing(task: TaskView, leaderboard: Leaderboard) -> bool:
    """Whether the interval of the first model reaches down to what the best baseline scores, which is more than nothing."""
    first, guessing = leaderboard.first(task), leaderboard.guessing(task)
    return bool(task.models and first) and guessing > 0 and first[0].low <= guessing


def turned_round(view: ReportView) -> list[str]:
    """One sentence for each task whose first two models change places in some culture, beyond chance (Holm)."""
    sentences = []
    for task in view.tasks:
        names = [name for name in task.models if any(score.endpoint == name and score.n > score.lost for score in task.whole)][:2]
        if len(names) < 2 or task.metric.name not in view.data.judgements.columns or "culture" not in task.facets:
            continue
        columns = [pl.col(task.metric.name), *(pl.lit(None).alias(name) if name == "answer" else name for name in JUDGEMENTS)]
        frames = {view.short[name]: _judged(view, task, name).select(columns).collect() for name in names}
        try:
            found = compare_judgements(frames, task.task, task.profile, task.metric).reversals.filter(facet="culture")
        except FolkwaysError:  # they share no item: nothing can turn round
            continue
        for (model, overall), group in found.group_by("ahead", "overall", maintain_order=True):
            where = named(group["name"].to_list())
            whole = f"{overall} is ahead overall" if overall is not None else "no difference overall"
            sentences.append(f"{task.title}: {whole}, {model} is ahead in {where}.")
    return sentences


def examples(view: ReportView) -> list[Example]:
    """Short wrong answers of the first model of each task, of the cultures that it knows least, one from each culture.

    Tasks take turns.
    """
    by_task = [_examples_of(view, task) for task in view.tasks]
    turns = sorted(((turn, place) for place, found in enumerate(by_task) for turn in range(len(found))))
    seen: dict[str, Example] = {}
    for turn, place in turns:
        seen.setdefault(by_task[place][turn].culture, by_task[place][turn])
    return list(seen.values())[:MAX_EXAMPLES]


def _examples_of(view: ReportView, task: TaskView) -> list[Example]:
    if not task.models or task.metric.name not in view.data.judgements.columns or "culture" not in task.facets:
        return []
    model = task.models[0]
    # Wrong by every metric: of four statements one may be right where not all four are.
    metrics = (metric for metric in task.metrics if metric.bounds is not None)  # how many answers were given says nothing of that
    measured = [metric.name for metric in metrics if metric.name in view.data.judgements.columns]
    all_wrong = pl.all_horizontal(pl.col(name).fill_null(0) == 0 for name in measured)
    answered = (pl.col("state") == "answered") & pl.col("counted") & all_wrong
    short = (
        pl.col("response").str.strip_chars().str.len_chars().is_between(SHORTEST_EXAMPLE, LONGEST_EXAMPLE),
        pl.col("gold").cast(pl.String).str.len_chars().is_between(1, LONGEST_EXAMPLE),
    )
    wrong = _judged(view, task, model).filter(answered, *short).select("culture", "text", "response", "gold")
    read = plain(wrong.unique("culture", keep="first", maintain_order=True).collect(engine="streaming"))
    firsts = {row["culture"]: row for row in read.iter_rows(named=True)}
    rows = [firsts[culture] for culture in reversed(task.facets["culture"].values) if culture in firsts]
    return [
        Example(
            task.title,
            view.short[model],
            culture_name(row["culture"]),
            *(visible(row[name].strip()) for name in ("text", "response", "gold")),
        )
        for row in rows[:MAX_EXAMPLES]
    ]


def _judged(view: ReportView, task: TaskView, endpoint: str) -> pl.LazyFrame:
    judged = view.data.judgements.lazy()
    return judged.filter((pl.col("task") == task.task) & (pl.col("profile") == task.profile) & (pl.col("endpoint") == endpoint))
