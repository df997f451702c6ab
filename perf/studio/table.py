"""Results in words and as a Markdown table."""

from __future__ import annotations

import os
from collections.abc import Sequence

from perf.studio.session import Result

HEAD = (
    "| database | scenario | answers | requests | p50 s | p95 s | p95 s while it is up | worst s | "
    "requests/s "
    "| server CPU ms per request | kills (s away) | broken connections | machine in use | wrong in "
    "the database |"
)


def results_table(results: Sequence[Result]) -> str:
    """One row per measurement, then what people did and the latency of each kind of request."""
    rows = [HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    for each in results:
        kills = ", ".join(f"{seconds:.1f}" for seconds in each.outages) or "none"
        rows.append(
            f"| {each.database} | {each.scenario.name} | {each.answers:,} of {each.scenario.answers:,} | "
            f"{each.requests:,} "
            f"| {each.p50:.3f} | {each.p95:.2f} | {each.p95_up:.2f} | {each.worst:.1f} | "
            f"{each.requests / each.wall:.0f} "
            f"| {1000 * each.server_cpu / each.requests:.1f} | {len(each.outages)} ({kills}) | "
            f"{each.broken:,} "
            f"| {100 * each.busy:.0f} %, load {each.load:.0f} | {len(each.problems) or 'nothing'} |"
        )
    rows += [
        "",
        "| database | scenario | what people did | requests: number, p50 s, p95 s |",
        "|---|---|---|---|",
    ]
    for each in results:
        did = ", ".join(f"{name}: {count:,}" for name, count in sorted(each.did.items()))
        kinds = "; ".join(
            f"{kind}: {count:,}, {half:.3f}, {most:.2f}" for kind, (count, half, most) in each.by_kind.items()
        )
        rows.append(f"| {each.database} | {each.scenario.name} | {did} | {kinds} |")
    return "\n".join(rows)


def about(results: Sequence[Result]) -> str:
    """On what it was measured; never where."""
    shares = [(each.server_cpu + each.own_cpu) / (each.wall * (os.cpu_count() or 1)) for each in results]
    used = ", ".join(f"{100 * share:.0f} %" for share in shares)
    return (
        f"{os.cpu_count()} cores, of which server and people had {used} and other processes the rest "
        "of "
        "what was in use."
    )
