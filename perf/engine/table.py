"""Results as Markdown: what each client cost, its ratio to the floor, and whether the goals are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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
    "peak MB",
    "tree MB",
    "processes",
    "correct",
)


def results_table(results: Sequence[Result]) -> str:
    """One row per client and number of requests; ``x floor`` compares CPU per request, start included, at the same number."""
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
                f"{usage.peak:.0f}",
                f"{usage.tree_peak:.0f}",
                str(usage.processes),
                "no: " + result.wrong if result.wrong else "yes",
            )
        )
    return _markdown(_COLUMNS, rows)


def goals_table(results: Sequence[Result], help_cpu: float | None) -> str:
    """The goals, judged at the largest number of requests at which both sides were measured; a goal that was not measured says so."""
    rows = [
        _ratio_goal(results, "CPU beside plain aiohttp", "floor", lambda ours, theirs: ours.per_request / theirs.per_request, at_most=2.0),
        _ratio_goal(
            results, "CPU saved beside lm-evaluation-harness", "lm-eval", lambda ours, theirs: theirs.usage.cpu / ours.usage.cpu, at_least=4.0
        ),
        _ratio_goal(
            results, "memory saved beside lm-evaluation-harness", "lm-eval", lambda ours, theirs: theirs.usage.peak / ours.usage.peak, at_least=6.0
        ),
        _inspect_goal(results),
    ]
    ours = _largest(results, "folkways")
    if ours:
        rows.append(_row(f"peak MB at {ours.requests:,}", ours.usage.tree_peak, "", at_most=200.0, digits=0))
    if help_cpu is not None:
        rows.append(_row("folkways --help, CPU s", help_cpu, "", at_most=0.3))
    return _markdown(("goal", "measured", "wanted", "met"), rows)


Row = tuple[str, str, str, str]


def _ratio_goal(
    results: Sequence[Result],
    label: str,
    peer: str,
    ratio: Callable[[Result, Result], float],
    at_most: float | None = None,
    at_least: float | None = None,
) -> Row:
    shared = [
        (ours, theirs) for ours in results if ours.client == "folkways" and (theirs := _find(results, peer, ours.requests)) is not None
    ]
    if not shared:
        return (label, "not measured", _wanted(at_most, at_least, "x"), "-")
    ours, theirs = max(shared, key=lambda pair: pair[0].requests)
    return _row(f"{label}, at {ours.requests:,}", ratio(ours, theirs), "x", at_most=at_most, at_least=at_least)


def _inspect_goal(results: Sequence[Result]) -> Row:
    """Inspect AI's cost without its start, at the few requests it was given, over ours with the start: to its advantage."""
    label = "CPU per request saved beside Inspect AI"
    ours, theirs = _largest(results, "folkways"), _largest(results, "inspect")
    if not ours or not theirs:
        return (label, "not measured", _wanted(None, 40.0, "x"), "-")
    label += f" (its {theirs.requests:,} without start, our {ours.requests:,} with)"
    return _row(label, theirs.each_further / ours.per_request, "x", at_least=40.0)


def _row(label: str, value: float, unit: str, at_most: float | None = None, at_least: float | None = None, digits: int = 2) -> Row:
    met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
    return (label, f"{value:.{digits}f}{unit}", _wanted(at_most, at_least, unit), "yes" if met else "NO")


def _wanted(at_most: float | None, at_least: float | None, unit: str) -> str:
    return f"at most {at_most:g}{unit}" if at_most is not None else f"at least {at_least:g}{unit}"


def _find(results: Iterable[Result], client: str, requests: int) -> Result | None:
    return next((result for result in results if result.client == client and result.requests == requests), None)


def _largest(results: Iterable[Result], client: str) -> Result | None:
    return max((result for result in results if result.client == client), key=lambda result: result.requests, default=None)


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
