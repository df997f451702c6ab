"""Rounds of a sampled run: which strata are drawn from next, how much, and when it ends. Nothing is asked
here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from folkways.engine.progress import ModelProgress
from folkways.records import Metric
from folkways.runs.sampling import rounds as adaptive_sampling
from folkways.runs.sampling.rounds import Sampling, ask_in_rounds
from folkways.runs.sampling.strata import SamplingFrame, Stratum

Widths = Mapping[str, tuple[int, float]]
STRATA = {
    name: Stratum(name, tuple(f"{name}{number}" for number in range(size)))
    for name, size in (("A", 70), ("B", 70), ("C", 2))
}
FRAME = SamplingFrame("x/y", Metric("right", "Right", ""), STRATA, pl.DataFrame(), 2.0, list)


def rounds(
    monkeypatch: pytest.MonkeyPatch,
    script: Sequence[Mapping[str, Widths]],
    *,
    sparing: bool,
    stops: bool = False,
) -> tuple[list[dict[tuple[str, str], tuple[str, int]]], list[str], list[ModelProgress]]:
    """Play what is known after each round: model -> stratum -> units drawn, and half the interval.

    Returns what each round draws ((model, stratum) -> its first unit, and how many), what else was done, and
    the tallies.
    """
    drawn: list[dict[tuple[str, str], tuple[str, int]]] = []
    done: list[str] = []

    def ask() -> list[ModelProgress]:
        drawn.append({})
        return [
            ModelProgress(
                "m", total=len(drawn), stopped="budget" if stops and len(drawn) > len(script) else None
            ),
            ModelProgress("n"),
        ]

    def look(_workspace: Any, _run: Any, share: Any, profile: str | None, points: float) -> None:
        assert (profile, points) == ("strict", 5.0)
        for name, (number, half_width) in script[len(drawn) - 1].get(share.model.name, {}).items():
            share.drawn[name], share.half_widths[name] = number, half_width

    def expect(_workspace: Any, _run: Any, share: Any, chosen: Mapping[str, Sequence[str]]) -> None:
        assert share.endpoint_id == len(share.model.name)
        drawn[-1] |= {(share.model.name, name): (units[0], len(units)) for name, units in chosen.items()}

    monkeypatch.setattr(adaptive_sampling, "_look", look)
    monkeypatch.setattr(adaptive_sampling, "_expect", expect)
    monkeypatch.setattr(
        adaptive_sampling,
        "_forget_unasked",
        lambda _workspace, _run, shares: done.append(f"forgot {len(shares)}"),
    )
    monkeypatch.setattr(
        adaptive_sampling.run_records, "endpoint_id", lambda _workspace, _identity, name: len(name)
    )
    models = [SimpleNamespace(name=name, identity=name) for name in ("one", "other")]
    plan = SimpleNamespace(task=SimpleNamespace(name="x/y"))
    both = SimpleNamespace(tasks=[plan], models=models)
    told = ask_in_rounds(None, None, both, {"x/y": FRAME}, ask, Sampling(5.0, "strict", sparing))  # type: ignore[arg-type]
    return drawn, done, told


KNOWN = {"A": (24, 0.05), "B": (24, 0.01), "C": (2, 0.4)}
FIRST = {
    (model, name): (f"{name}0", 24 if name != "C" else 2) for model in ("one", "other") for name in STRATA
}


def test_each_stratum_is_drawn_from_until_it_is_known_or_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    script: list[Mapping[str, Widths]] = [
        {},
        {"one": {"A": (24, 0.3), "B": (24, 0.0625), "C": (2, 0.4)}, "other": KNOWN},
        {"one": {"A": (48, 0.1), "B": (32, 0.05)}, "other": KNOWN},
        {"one": {"A": (70, 0.2)}},
    ]
    drawn, done, told = rounds(monkeypatch, script, sparing=False)
    second = {("one", "A"): ("A24", 24), ("one", "B"): ("B24", 8)}
    assert drawn == [FIRST, second, {("one", "A"): ("A48", 22)}, {}]
    assert (done, told[0].total, len(told)) == ([], 4, 2)


def test_under_a_budget_it_is_spent_where_a_request_narrows_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least half as much as at best, a few units at a time."""
    script: list[Mapping[str, Widths]] = [
        {},
        {
            "one": {"A": (24, 0.25), "B": (24, 0.125), "C": (2, 0.4)},
            "other": {"A": (24, 0.12), "B": (24, 0.26), "C": (2, 0.4)},
        },
        {"one": KNOWN, "other": KNOWN},
    ]
    drawn, done, _ = rounds(monkeypatch, script, sparing=True)
    assert drawn[0] == FIRST  # of which all are as little known
    assert drawn[1:] == [{("one", "A"): ("A24", 8), ("other", "B"): ("B24", 8)}, {}]
    script[1] = {"one": {"A": (24, 0.25), "B": (24, 0.125), "C": (2, 0.4)}, "other": KNOWN}
    drawn, done, _ = rounds(monkeypatch, script, sparing=True)
    assert drawn[1] == {("one", "A"): ("A24", 8), ("one", "B"): ("B24", 8)}
    assert done == []


def test_a_session_that_stopped_forgets_what_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, done, told = rounds(monkeypatch, [{}], sparing=False, stops=True)
    assert (drawn, done, told[0].stopped) == ([FIRST, {}], ["forgot 2"], "budget")
