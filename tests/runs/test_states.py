"""How a session of a run ends: its state, and why it is not over."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.engine.budget import USED_UP
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED
from folkways.runs.work import end_of

OUT = "Give the command that sent them again, with batch=True, to collect the replies."


def counts(name: str = "m", **numbers: Any) -> ModelProgress:
    return ModelProgress(name, **numbers)


@pytest.mark.parametrize(
    ("progresses", "max_failed", "state", "reason"),
    [
        ([], 0.0, "asked", None),
        ([counts()], 0.0, "asked", None),
        ([counts(total=4, done=4), counts("n", stored=2)], 0.0, "asked", None),
        # An interruption comes first, then the budget, then any other reason, each told once.
        (
            [counts(stopped=USED_UP), counts(stopped=INTERRUPTED)],
            *(1.0, "interrupted", "interrupted by the user"),
        ),
        ([counts(stopped="away"), counts(stopped=USED_UP)], 1.0, "budget", f"away; {USED_UP}"),
        ([counts(stopped="away", out=2), counts("n", stopped="away")], 1.0, "stopped", "away"),
        # What is out in batches is waited for; a command that does not follow them says which one does.
        (
            [counts(out=1, batches=1), counts("n", total=1, failed=1)],
            0.0,
            "waiting",
            "1 request is out in batches",
        ),
        (
            [counts(out=2, batches=1), counts("n", out=1)],
            1.0,
            "waiting",
            f"3 requests are out in batches. {OUT}",
        ),
        ([counts(out=2, batches=1), counts("n")], 1.0, "waiting", "2 requests are out in batches"),
        # A model without any reply, and one of which too many failed; of what the run expects of it.
        ([counts(total=1, failed=1)], 1.0, "incomplete", "no reply from m: its request failed"),
        ([counts(total=1200, failed=1200)], 1.0, "incomplete", "no reply from m: all 1,200 requests failed"),
        ([counts(total=1, failed=1, stored=1)], 0.5, "asked", None),
        (
            [counts(total=2, failed=2, stored=1), counts("n", total=3, failed=3), counts("o", total=9)],
            0.5,
            "incomplete",
            "2 of 3 requests to m failed, more than 50 %; no reply from n: all 3 requests failed",
        ),
        (
            [counts(total=1000, failed=126)],
            0.125,
            "incomplete",
            "126 of 1,000 requests to m failed, more than 12.5 %",
        ),
        ([counts(total=1000, failed=125)], 0.125, "asked", None),
    ],
)
def test_the_end_of_a_session(
    progresses: list[ModelProgress], max_failed: float, state: str, reason: str | None
) -> None:
    assert end_of(progresses, max_failed) == (state, reason)
