"""Many people on a real server that is killed on the way: nothing is given out twice, lost or doubled.

The same as ``python -m perf.studio`` measures, in short. How fast it is is a matter of the machine and of
that measurement.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perf.studio.scenario import DRAFTS, FAST
from perf.studio.session import measure

HASTY = replace(
    FAST,
    name="50 people in haste",
    items=30,
    arrival=1.0,
    lease=3.0,
    leave=0.04,
    late=0.04,
    tabs=0.1,
    twice=0.2,
)
FEWER = replace(
    HASTY, name="12 people in haste", people=12, items=12, leave=0.1, late=0.1, tabs=0.2, twice=0.3
)
STEADY = replace(
    DRAFTS,
    name="60 people with drafts",
    people=60,
    items=30,
    seconds=1.0,
    arrival=2.0,
    lease=4.0,
    leave=0.04,
    late=0.04,
)


@pytest.fixture(
    params=[
        pytest.param("sqlite", marks=pytest.mark.nightly),
        pytest.param("postgresql", marks=pytest.mark.postgres),
    ]
)
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty workspace, once as a file and once on a server."""
    return (
        str(tmp_path / "load.db")
        if request.param == "sqlite"
        else str(request.getfixturevalue("postgres_url"))
    )


@pytest.mark.parametrize(
    "scenario",
    [FEWER, *(pytest.param(each, marks=pytest.mark.nightly) for each in (HASTY, STEADY))],
    ids=["fewer", "hasty", "steady"],
)
def test_no_item_has_too_many_or_too_few_answers_and_none_is_lost_or_doubled(
    scenario, location: str, tmp_path: Path
) -> None:
    found = measure(replace(scenario, kills=1, most=150), location, "", tmp_path)
    assert found.problems == ()
    assert found.answers == scenario.answers
    assert len(found.outages) == 1 and found.broken > 0, "the server was killed while people were at work"
    assert {"sent twice", "two tabs", "left for good", "came back late"} <= set(found.did)
    assert "time was up" not in found.did
    assert set(found.statuses) <= {200, 303, 404, 409}, "nobody has seen an error of the server"
