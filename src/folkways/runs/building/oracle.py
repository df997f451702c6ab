"""A model that answers the calls of a build, through engine and workspace: stored at once, never asked twice, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.benchmarks.blend.building.asking import MAX_TOKENS, kind_of, prompt_of, read_reply
from folkways.benchmarks.blend.building.calls import Answer, Call
from folkways.endpoints.base import Settings
from folkways.endpoints.prices import Price
from folkways.engine.asking import Limits
from folkways.engine.budget import Budget
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED, Observer, Order, ask
from folkways.errors import FolkwaysError
from folkways.runs.models import Model
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.keys import prompt_hash, request_key, settings_json

TASK = "build/mcq-"
"""How the tasks of a build begin: ``build/mcq-judge``; no benchmark has such a task."""

KEYS_PER_QUERY = 500


class BuildStopped(FolkwaysError):  # noqa: N818 - not an error of the caller's: the same command goes on
    """Something could not be asked now: the user, the budget or failing requests ended the session. What was answered is stored."""

    def __init__(self, reason: str) -> None:
        self.interrupted = reason == INTERRUPTED
        self.exit_code = 130 if self.interrupted else 1
        what = "interrupted" if self.interrupted else f"stopped: {reason}"
        super().__init__(f"the build was {what}\nWhat was answered is stored; run the same command again to go on")


@dataclass(frozen=True)
class Session:
    """What all models of one build share: where they are stored, how hard to try, what may be spent, who watches."""

    workspace: Workspace
    run: run_records.RunRecord
    budget: Budget
    concurrency: int | None = None
    attempts: int = 6
    max_errors: int | None = None
    observer: Observer | None = None
    every: float = 0.5


class ModelOracle:
    """Answers calls by asking a model, each distinct prompt once.

    price: of its tokens, None where it is not known.
    """

    def __init__(self, session: Session, model: Model, price: Price | None) -> None:
        self.session = session
        self.model = model
        self._price = price
        self._endpoint_id = run_records.endpoint_id(session.workspace, model.identity, model.name)
        self._replies: dict[str, str] = self._stored()

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The stored answer, in a tuple of one, or None."""
        key, _ = self._key(call, 0)
        return (read_reply(call, self._replies[key]),) if key in self._replies else None

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
        """The answers, in order. BuildStopped when the session ends before all have one."""
        keyed = {self._key(call, attempt)[0]: call for call in calls}
        self._look_up(list(keyed))
        missing = {key: call for key, call in keyed.items() if key not in self._replies}
        if missing:
            self._write_down(missing, attempt)
            progress = self._send()
            self._look_up(list(missing))
            if progress.stopped == INTERRUPTED or any(key not in self._replies for key in missing):
                raise BuildStopped(progress.stopped or f"{progress.failed} requests failed, the last with: {progress.last_error}")
        return [read_reply(call, self._replies[self._key(call, attempt)[0]]) for call in calls]

    def _settings(self, call: Call) -> Settings:
        return Settings(**{"max_tokens": MAX_TOKENS[kind_of(call)], **self.model.settings})

    def _key(self, call: Call, attempt: int) -> tuple[str, str]:
        prompt = prompt_hash(None, prompt_of(call), None)
        address = f"{_task(call)}\0{_item(call, prompt)}" if self.model.endpoint.item_addressed else None
        return request_key(self.model.endpoint.identity, prompt, settings_json(self._settings(call)), attempt, address), prompt

    def _stored(self) -> dict[str, str]:
        """Key -> text of all that this model has said for builds, so that not every call has to be looked up."""
        responses, expected = schema.responses, schema.expected
        query = (
            sa.select(responses.c.key, responses.c.text)
            .join(expected, expected.c.key == responses.c.key)
            .where(expected.c.endpoint_id == self._endpoint_id, expected.c.task.like(f"{TASK}%"))
            .distinct()
        )
        with self.session.workspace.read() as connection:
            return {row.key: row.text for row in connection.execute(query)}

    def _look_up(self, keys: Sequence[str]) -> None:
        new = [key for key in keys if key not in self._replies]
        responses = schema.responses
        with self.session.workspace.read() as connection:
            for start in range(0, len(new), KEYS_PER_QUERY):
                wanted = responses.c.key.in_(new[start : start + KEYS_PER_QUERY])
                rows = connection.execute(sa.select(responses.c.key, responses.c.text).where(wanted)).all()
                self._replies.update((row.key, row.text) for row in rows)

    def _write_down(self, missing: dict[str, Call], attempt: int) -> None:
        """Expect what is missing, unless an earlier session of this build did."""
        workspace, expected = self.session.workspace, schema.expected
        run_id = self.session.run.id
        with workspace.read() as connection:
            last = connection.scalar(sa.select(sa.func.max(expected.c.ordinal)).where(expected.c.run_id == run_id)) or 0
            known = set(connection.scalars(sa.select(expected.c.key).where(expected.c.run_id == run_id)))
        texts: list[dict[str, Any]] = []
        rows: list[dict[str, Any]] = []
        for key, call in missing.items():
            if key in known:
                continue
            _, prompt = self._key(call, attempt)
            texts.append({"prompt_hash": prompt, "system": None, "user": prompt_of(call), "choices": None})
            rows.append(
                {
                    "run_id": run_id,
                    "ordinal": last + len(rows) + 1,
                    "endpoint_id": self._endpoint_id,
                    "task": _task(call),
                    "item": _item(call, prompt),
                    "language": "en",
                    "variant": kind_of(call),
                    "sample": attempt,
                    "key": key,
                    "prompt_hash": prompt,
                    "prompt_source": "folkways",
                    "settings_id": run_records.settings_id(workspace, settings_json(self._settings(call))),
                }
            )
        run_records.write_expected(workspace, texts, rows)

    def _send(self) -> ModelProgress:
        session, endpoint = self.session, self.model.endpoint
        limits = Limits(session.concurrency or endpoint.default_concurrency, session.attempts, session.max_errors)
        order = Order(endpoint, self._endpoint_id, limits, self._price, self.model.name)
        observer, every = session.observer, session.every
        return ask(session.workspace, session.run.id, [order], budget=session.budget, observer=observer, every=every)[0]


def _task(call: Call) -> str:
    return TASK + kind_of(call)


def _item(call: Call, prompt: str) -> str:
    return f"{call.question}/{prompt[:12]}"
