"""Stored replies that a run uses and did not ask for: how old they are, which run asked for them, whether
other code gave them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.errors import option
from folkways.formatting import plural
from folkways.runs.models import Model
from folkways.runs.planning.generations import asked_afresh_since
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

_UNITS = (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0), ("second", 1.0))


@dataclass(frozen=True, slots=True)
class Reused:
    """Replies from before the run, of one of its models.

    replies, expected: how many, and of how many. oldest, newest: when they came, in seconds since the epoch.
    runs: names of the runs that asked for the oldest and the newest, as far as these are still there.
    newer: the run that asked the same afresh since, whose replies are not used; None where there is none.
    """

    model: str
    replies: int
    expected: int
    oldest: float
    newest: float
    runs: tuple[str, ...]
    newer: str | None = None

    def text(self, now: float | None = None) -> str:
        """One line: how many, how old, from which run, and how to ask again or use newer ones. now: in
        seconds since the epoch."""
        now = time.time() if now is None else now
        youngest, eldest = age(now - self.newest), age(now - self.oldest)
        ages = eldest if youngest == eldest else f"{youngest} to {eldest}"
        which = f"run {self.runs[0]}" if len(self.runs) == 1 else f"runs {' to '.join(self.runs)}"
        origin = f", from {which}" if self.runs else ""
        many = (
            f"all {self.replies:,}"
            if self.replies == self.expected
            else f"{self.replies:,} of {self.expected:,}"
        )
        counted = "the one reply is" if self.expected == 1 else f"{many} replies are"
        again = option("afresh", True)
        told = f"{self.model}: {counted} from before: {ages} old{origin}; {again} asks again"
        if self.newer is None:
            return told
        name = option("name", self.newer)
        return (
            f"{told}. Run {self.newer} has newer replies, asked for afresh, which are not used; "
            f"{again} "
            f"and {name} use them"
        )


def age(seconds: float) -> str:
    """How long ago, in the largest unit that counts at least one: ``4 minutes``."""
    for unit, length in _UNITS:
        if seconds >= length:
            return plural(int(seconds // length), unit)
    return "less than a second"


def reused_replies(workspace: Workspace, run: RunRecord, models: Sequence[Model]) -> list[Reused]:
    """What the run uses of before it began, model by model; nothing of models whose replies follow from their
    identity."""
    expected, replies = schema.expected, schema.responses
    since = asked_afresh_since(workspace, run)
    found = []
    for model in models:
        if model.endpoint.local and not getattr(model.endpoint, "runs_here", False):
            continue
        number = run_records.endpoint_id(workspace, model.identity, model.name)
        of_model = sa.select(expected.c.key).where(
            expected.c.run_id == run.id, expected.c.endpoint_id == number
        )
        stored = sa.select(replies.c.key, replies.c.created).where(
            replies.c.key.in_(of_model), replies.c.created < run.created
        )
        with workspace.read() as connection:
            rows = connection.execute(stored.order_by(replies.c.created)).all()
            count = connection.scalar(
                sa.select(sa.func.count(sa.distinct(expected.c.key))).where(expected.c.key.in_(of_model))
            )
        if rows:
            runs = dict.fromkeys(
                filter(None, (_asked_by(workspace, row.key, row.created) for row in (rows[0], rows[-1])))
            )
            found.append(
                Reused(
                    model.name,
                    len(rows),
                    int(count or 0),
                    rows[0].created,
                    rows[-1].created,
                    tuple(runs),
                    since.name if since else None,
                )
            )
    return found


def _asked_by(workspace: Workspace, key: str, created: float) -> str | None:
    """The newest run that expected the reply and had begun when it came: of those that only use it, none
    had."""
    expected, runs = schema.expected, schema.runs
    query = (
        sa.select(runs.c.name)
        .join(expected, expected.c.run_id == runs.c.id)
        .where(expected.c.key == key, runs.c.created <= created)
        .order_by(runs.c.id.desc())
        .limit(1)
    )
    with workspace.read() as connection:
        return connection.scalar(query)


def given_by_other_code(workspace: Workspace, run: RunRecord, model: Model) -> int:
    """How many stored replies that the run uses were given by other code than the model has now, where it
    tells which."""
    served = getattr(model.endpoint, "served", None)
    if served is None:
        return 0
    expected, replies = schema.expected, schema.responses
    number = run_records.endpoint_id(workspace, model.identity, model.name)
    of_model = sa.select(expected.c.key).where(expected.c.run_id == run.id, expected.c.endpoint_id == number)
    query = sa.select(sa.func.count()).where(replies.c.key.in_(of_model), replies.c.model != served)
    with workspace.read() as connection:
        return int(connection.scalar(query) or 0)
