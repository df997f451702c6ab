"""Scores from many runs on one leaderboard: which of them share a column, and which are kept apart, with the
reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from folkways.benchmarks.registry import tasks
from folkways.display import shorten
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.names import WHOLE
from folkways.records import SCORES, Metric, Signature, State, empty

COVERAGE_KEYS = ("cultures", "limit", "sampling")
"""Parts of a signature that say how much was asked."""

SERVED = "served"
"""The part of a signature that says which file a model came from and how it ran: two models differ in it by
being two."""

TREATMENTS = "treatments"
"""The part of a signature that says what prompts were also asked with. Scores of prompts as they are do not
depend on it."""

TEMPLATE = "chat template"
"""The part of a log's signature that says whether messages were sent; a run says it with ``served`` or not at
all."""

OF_THE_MODEL = ("settings", TEMPLATE, SERVED, "folkways", "seed", TREATMENTS)
"""Parts in which scores of one column may differ: how a model was run, the version that ran it, and what its
prompts were also asked with. The seed counts where it chose the items."""

LONGEST_VALUE = 60
"""Characters of a part of a signature in a sentence."""

Setting = Mapping[str, str]
"""What has to be the same for scores to share a column."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The headline score of one model on one task.

    model: its name on the leaderboard. score, low, high, n, coverage: as in records.SCORES; coverage is None
    where the source does not have it. lost: expected answers without a reply. made: the parts of the
    signature. source: the run, archive or record. created: when it was asked, ISO 8601. judged: how many
    single judgements came with it. fault: what is wrong with these; empty if nothing is. tells_unread:
    whether the source says how many replies could not be read.
    """

    model: str
    task: str
    profile: str
    metric: str
    score: float | None
    low: float | None
    high: float | None
    n: int
    lost: int
    coverage: float | None
    made: Mapping[str, str]
    source: str
    created: str
    judged: int = 0
    fault: str = ""
    tells_unread: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether enough replies came for a rank (ENOUGH_REPLIES)."""
        return self.lost <= (1 - ENOUGH_REPLIES) * self.n

    @property
    def setting(self) -> Setting:
        """What has to be the same for scores to share a column."""
        chosen_by_seed = any(name in self.made for name in ("limit", "sampling"))
        return {
            **{name: value for name, value in self.made.items() if name not in OF_THE_MODEL},
            "profile": self.profile,
            "metric": self.metric,
            **({"seed": self.made.get("seed", "")} if chosen_by_seed else {}),
            **({"read": read[1]} if (read := _READ.search(self.made.get("settings", ""))) else {}),
        }


_READ = re.compile(r"\bread=(\w+)")


@dataclass(frozen=True)
class Contribution:
    """The headline scores of the models of one run, archive or record.

    source: its name, which no other has. created: when it was asked, ISO 8601. scores: records.SCORES of
    models, the headline of each task in one profile: over everything, by culture, and by the facet that
    headlines are shown by. people: the same of people of the cultures. judgements: records.JUDGEMENTS with
    ``endpoint``, ``profile`` and a column for each headline; without the models whose single judgements did
    not come, or do not agree with the score. signatures: each text of the column ``signature`` -> its parts.
    metrics, titles: of each task. faults: model and task -> what is wrong with its single judgements.
    notes: what else people must know, without a full stop.
    """

    source: str
    created: str
    scores: pl.DataFrame = field(repr=False)
    judgements: pl.DataFrame = field(repr=False)
    signatures: Mapping[str, Signature] = field(repr=False)
    metrics: Mapping[str, Metric]
    titles: Mapping[str, str]
    people: pl.DataFrame = field(default_factory=lambda: empty(SCORES), repr=False)
    faults: Mapping[tuple[str, str], str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def entries(self) -> Iterator[Entry]:
        """An entry for each model and task with a score over everything."""
        judged = dict[tuple[str, str], int]()
        if self.judgements.height:
            counts = self.judgements.group_by("endpoint", "task").len()
            judged = {(str(model), str(task)): amount for model, task, amount in counts.iter_rows()}
        for row in self.scores.filter(pl.col("facet") == WHOLE).iter_rows(named=True):
            key = (row["endpoint"], row["task"])
            numbers = {
                name: row[name] for name in ("profile", "metric", "score", "low", "high", "n", "coverage")
            }
            yield Entry(
                model=row["endpoint"],
                task=row["task"],
                **numbers,
                lost=row["failed"] + row["missing"],
                made=self.signatures.get(row["signature"], Signature()).parts,
                source=self.source,
                created=self.created,
                judged=judged.get(key, 0),
                fault=self.faults.get(key, ""),
                tells_unread=row[State.UNREADABLE] is not None,
            )


@dataclass(frozen=True)
class Column:
    """The entries of one task that share a setting. why: in what it differs from the column of the
    leaderboard, in words; empty for that itself."""

    task: str
    setting: Setting
    entries: tuple[Entry, ...]
    why: tuple[str, ...] = ()


def columns_of(entries: Iterable[Entry]) -> dict[str, tuple[Column, ...]]:
    """Task -> its columns. The first is that of the leaderboard: by the earliest of the task's metrics that
    anybody has, of the setting that most models have, and of two with as many the one that was there first;
    the others are kept apart in the same order."""
    by_task: dict[str, dict[tuple[tuple[str, str], ...], list[Entry]]] = {}
    for entry in sorted(entries, key=lambda one: (one.created, one.source)):
        key = tuple(sorted(entry.setting.items()))
        by_task.setdefault(entry.task, {}).setdefault(key, []).append(entry)
    columns, registered = {}, tasks()
    for task, groups in by_task.items():
        metrics = [metric.name for metric in registered[task].metrics] if task in registered else []

        def precedence(
            group: tuple[object, list[Entry]], metrics: Sequence[str] = metrics
        ) -> tuple[int, int]:
            entries, metric = group[1], group[1][0].metric
            rank = metrics.index(metric) if metric in metrics else len(metrics)
            return rank, -len({one.model for one in entries})

        ordered = sorted(groups.items(), key=precedence)
        first = dict(ordered[0][0])
        columns[task] = tuple(
            Column(task, dict(key), tuple(group), tuple(unlike(dict(key), first))) for key, group in ordered
        )
    return columns


def unlike(setting: Setting, other: Setting) -> Iterator[str]:
    """A phrase for each part in which a setting differs from another: ``prompts file:a here, release
    there``."""
    for name in dict.fromkeys((*setting, *other)):
        if setting.get(name) != other.get(name):
            absent = "text" if name == "read" else "none"  # replies are read as text unless a setting says so
            own, others = (shorten(one.get(name) or absent, LONGEST_VALUE) for one in (setting, other))
            yield f"{name} {own} here, {others} there" if own != others else f"other {name}"


def newest(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Of entries of one column: the newest of each model, and the others that it replaces. One that lost too
    many replies to be ranked replaces none that has them, and one that does not say how many replies could
    not be read replaces none that does."""
    ordered = sorted(entries, key=lambda one: (one.is_whole, one.tells_unread, one.created, one.source))
    last = {one.model: one for one in ordered}
    return list(last.values()), [one for one in entries if last[one.model] is not one]


def told_apart(entries: Iterable[Entry]) -> dict[tuple[str, str], str]:
    """Source and model -> the name with its settings, for models that are on a task in one setting with
    several sampling settings, or with and without a chat template: two ways of running a model are two
    rows."""
    alike: dict[tuple[object, ...], list[Entry]] = {}
    for one in entries:
        alike.setdefault((one.model, one.task, *sorted(one.setting.items())), []).append(one)
    names: dict[tuple[str, str], str] = {}
    for group in alike.values():
        ways = [(one.made.get("settings", ""), one.made.get(TEMPLATE)) for one in group]
        if len({*ways}) > 1:
            for one, (settings, template) in zip(group, ways, strict=True):
                way = f"{settings}, {TEMPLATE}: {template}" if template else settings
                names.setdefault((one.source, one.model), f"{one.model} ({way})")
    return names
