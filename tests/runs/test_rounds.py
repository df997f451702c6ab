"""Rounds of a sampled run: which strata are drawn from next, how much, and when it ends. Nothing is asked
here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import polars as pl

from folkways.engine.progress import ModelProgress
from folkways.records import Metric
from folkways.runs.sampling.rounds import SampledTask, Sampling, StoredSample, ask_in_rounds
from folkways.runs.sampling.strata import SamplingFrame, Stratum

Widths = Mapping[str, tuple[int, float]]
STRATA = {
    name: Stratum(name, tuple(f"{name}{number}" for number in range(size)))
    for name, size in (("A", 70), ("B", 70), ("C", 2))
}
FRAME = SamplingFrame("x/y", Metric("right", "Right", ""), STRATA, pl.DataFrame(), 2.0, list)


class PlayedSample(StoredSample):
    """Plays what is known after each round: model -> stratum -> units drawn, and half the interval.

    drawn: what each round draws, (model, stratum) -> its first unit, and how many.
    """

    def __init__(self, script: Sequence[Mapping[str, Widths]]) -> None:
        self.script = script
        self.drawn: list[dict[tuple[str, str], tuple[str, int]]] = []
        self.forgotten: list[str] = []

    def endpoint_id(self, model: Any) -> int:
        """A number that is another for each model."""
        return len(model.name)

    def look(self, share: SampledTask, sampling: Sampling) -> None:
        """Note what the script says."""
        assert (sampling.profile, sampling.until) == ("strict", 5.0)
        for name, (number, half_width) in self.script[len(self.drawn) - 1].get(share.model.name, {}).items():
            share.drawn[name], share.half_widths[name] = number, half_width

    def expect(self, share: SampledTask, chosen: Mapping[str, Sequence[str]]) -> None:
        """Note what is drawn."""
        assert share.endpoint_id == len(share.model.name)
        self.drawn[-1] |= {(share.model.name, name): (units[0], len(units)) for name, units in chosen.items()}

    def forget_unasked(self, shares: Sequence[SampledTask]) -> None:
        """Note the models."""
        self.forgotten += [share.model.name for share in shares]


def rounds(
    script: Sequence[Mapping[str, Widths]], *, sparing: bool, stops: bool = False
) -> tuple[PlayedSample, list[ModelProgress]]:
    """The sample after all rounds of a script, and the tallies."""
    sample = PlayedSample(script)

    def ask() -> list[ModelProgress]:
        sample.drawn.append({})
        spent = stops and len(sample.drawn) > len(script)
        return [
            ModelProgress("m", total=len(sample.drawn), stopped="budget" if spent else None),
            ModelProgress("n"),
        ]

    models = [SimpleNamespace(name=name, identity=name) for name in ("one", "other")]
    both = SimpleNamespace(tasks=[SimpleNamespace(task=SimpleNamespace(name="x/y"))], models=models)
    progresses = ask_in_rounds(sample, both, {"x/y": FRAME}, ask, Sampling(5.0, "strict", sparing))  # type: ignore[arg-type]
    return sample, progresses


KNOWN = {"A": (24, 0.05), "B": (24, 0.01), "C": (2, 0.4)}
FIRST = {
    (model, name): (f"{name}0", 24 if name != "C" else 2) for model in ("one", "other") for name in STRATA
}


def test_each_stratum_is_drawn_from_until_it_is_known_or_used_up() -> None:
    script: list[Mapping[str, Widths]] = [
        {},
        {"one": {"A": (24, 0.3), "B": (24, 0.0625), "C": (2, 0.4)}, "other": KNOWN},
        {"one": {"A": (48, 0.1), "B": (32, 0.05)}, "other": KNOWN},
        {"one": {"A": (70, 0.2)}},
    ]
    sample, progresses = rounds(script, sparing=False)
    second = {("one", "A"): ("A24", 24), ("one", "B"): ("B24", 8)}
    assert sample.drawn == [FIRST, second, {("one", "A"): ("A48", 22)}, {}]
    assert (sample.forgotten, progresses[0].total, len(progresses)) == ([], 4, 2)


def test_under_a_budget_it_is_spent_where_a_request_narrows_most() -> None:
    """At least half as much as at best, a few units at a time."""
    script: list[Mapping[str, Widths]] = [
        {},
        {
            "one": {"A": (24, 0.25), "B": (24, 0.125), "C": (2, 0.4)},
            "other": {"A": (24, 0.12), "B": (24, 0.26), "C": (2, 0.4)},
        },
        {"one": KNOWN, "other": KNOWN},
    ]
    sample, _ = rounds(script, sparing=True)
    assert sample.drawn[0] == FIRST  # of which all are as little known
    assert sample.drawn[1:] == [{("one", "A"): ("A24", 8), ("other", "B"): ("B24", 8)}, {}]
    script[1] = {"one": {"A": (24, 0.25), "B": (24, 0.125), "C": (2, 0.4)}, "other": KNOWN}
    sample, _ = rounds(script, sparing=True)
    assert sample.drawn[1] == {("one", "A"): ("A24", 8), ("one", "B"): ("B24", 8)}
    assert sample.forgotten == []


def test_a_session_that_stopped_forgets_what_was_not_sent() -> None:
    sample, progresses = rounds([{}], sparing=False, stops=True)
    assert (sample.drawn, progresses[0].stopped) == ([FIRST, {}], "budget")
    assert sample.forgotten == ["one", "other"]
