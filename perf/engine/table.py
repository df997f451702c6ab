"""Results as Markdown: what each client cost, its ratio to the floor, and whether the goals are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from perf.engine.session import Result

_COLUMNS = (
    "client",
    "version",
    "requests",
    "CPU s",
    "of it start",
    "CPU ms per request",
    "without start",
    "x floor",
    "wall s",
    "first request after s",
    "peak MB",
    "tree MB",
    "processes",
    "correct",
)


def results_table(results: Sequence[Result]) -> str:
    """One row per client and number of requests; ``x floor`` compares CPU per request, start included, at the
    same number."""
    rows = []
    for result in sorted(results, key=lambda result: result.requests):
        floor = _find(results, "floor", result.requests)
        usage = result.usage
        rows.append(
            (
                result.title,
                result.version,
                f"{result.requests:,}",
                f"{usage.cpu:.2f}",
                f"{result.start:.2f}",
                f"{result.per_request:.3f}",
                f"{result.each_further:.3f}",
                f"{result.per_request / floor.per_request:.2f}" if floor else "",
                f"{usage.wall:.1f}",
                f"{result.first:.2f}" if result.first is not None else "",
                f"{usage.peak:.0f}",
                f"{usage.tree_peak:.0f}",
                str(usage.processes),
                "no: " + result.wrong if result.wrong else "yes",
            )
        )
    return _markdown(_COLUMNS, rows)


def goals_table(results: Sequence[Result], help_cpu: float | None) -> str:
    """The goals, each judged at the largest number of requests at which both sides were measured, or said to
    be unmeasured."""
    goals = [
        _beside(results, "floor", "CPU beside plain aiohttp", _cpu_used, most=1.3),
        _beside(results, "lm-eval", "CPU saved beside lm-evaluation-harness", _cpu_saved, least=4.0),
        _beside(results, "lm-eval", "memory saved beside lm-evaluation-harness", _memory_saved, least=6.0),
        _beside_inspect(results),
    ]
    ours = _largest(results, "folkways")
    peak = ours.usage.tree_peak if ours else None
    goals.append(
        Goal(f"peak memory at {ours.requests:,} requests" if ours else "peak memory", peak, " MB", most=220.0)
    )
    goals.append(Goal("folkways --help", help_cpu, " s CPU", most=0.3))
    return _markdown(("goal", "measured", "wanted", "met"), [goal.row() for goal in goals])


@dataclass(frozen=True)
class Goal:
    """A measured number and its bound; None where it was not measured."""

    label: str
    value: float | None
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the number is within its bound; None if there is no number."""
        if self.value is None:
            return None
        return (self.most is None or self.value <= self.most) and (
            self.least is None or self.value >= self.least
        )

    def row(self) -> tuple[str, str, str, str]:
        """Cells of the table."""
        wanted = (
            f"at most {self.most:g}{self.unit}"
            if self.most is not None
            else f"at least {self.least:g}{self.unit}"
        )
        if self.value is None:
            return (self.label, "not measured", wanted, "-")
        return (
            self.label,
            f"{self.value:.{0 if self.value >= 100 else 2}f}{self.unit}",
            wanted,
            "yes" if self.met else "NO",
        )


def _cpu_used(ours: Result, theirs: Result) -> float:
    return ours.usage.cpu / theirs.usage.cpu


def _cpu_saved(ours: Result, theirs: Result) -> float:
    return theirs.usage.cpu / ours.usage.cpu


def _memory_saved(ours: Result, theirs: Result) -> float:
    return theirs.usage.tree_peak / ours.usage.tree_peak


def _beside(
    results: Sequence[Result],
    peer: str,
    label: str,
    ratio: Callable[[Result, Result], float],
    most: float | None = None,
    least: float | None = None,
) -> Goal:
    ours = [result for result in results if result.client == "folkways"]
    pairs = [(mine, theirs) for mine in ours if (theirs := _find(results, peer, mine.requests)) is not None]
    if not pairs:
        return Goal(label, None, "x", most, least)
    mine, theirs = max(pairs, key=lambda pair: pair[0].requests)
    return Goal(f"{label}, {mine.requests:,} requests", ratio(mine, theirs), "x", most, least)


def _beside_inspect(results: Sequence[Result]) -> Goal:
    """Inspect AI's cost per request without its start, at the few it was given, over ours with the start: to
    its advantage."""
    label = "CPU per request saved beside Inspect AI"
    ours, theirs = _largest(results, "folkways"), _largest(results, "inspect")
    if not ours or not theirs:
        return Goal(label, None, "x", least=40.0)
    label += f" (its {theirs.requests:,} without the start, our {ours.requests:,} with it)"
    return Goal(label, theirs.each_further / ours.per_request, "x", least=40.0)


def _find(results: Iterable[Result], client: str, requests: int) -> Result | None:
    return next(
        (result for result in results if result.client == client and result.requests == requests), None
    )


def _largest(results: Iterable[Result], client: str) -> Result | None:
    return max(
        (result for result in results if result.client == client),
        key=lambda result: result.requests,
        default=None,
    )


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
