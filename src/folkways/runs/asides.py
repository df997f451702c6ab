"""Asks a model what belongs to no benchmark (verdicts on replies, say), as a run of its own: stored, resumable, within a budget."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from folkways import __version__
from folkways.endpoints.base import Settings
from folkways.endpoints.prices import FREE, Price, load_prices
from folkways.engine.asking import Limits
from folkways.engine.budget import Budget, parse_budget, require_prices
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED, Observer, Order, ask
from folkways.errors import FolkwaysError
from folkways.runs.execute import end_of
from folkways.runs.models import Model
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.keys import config_hash, prompt_hash, request_key, settings_json

KEYS_PER_QUERY = 500


@dataclass(frozen=True, slots=True)
class Aside:
    """One text to be sent, and what it is about: item, language and variant say so in the workspace, and to replayed files."""

    user: str
    item: str
    language: str
    variant: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the text, or why there is none. ``refused`` where the provider withheld it, ``asked`` unless never sent."""

    text: str | None
    reason: str | None
    refused: bool = False
    asked: bool = True


@dataclass(frozen=True)
class How:
    """How hard to try, what may be spent, and who watches. A budget that is a Budget is shared with whoever else has it."""

    concurrency: int | None = None
    attempts: int = 6
    max_errors: int | None = None
    budget: str | Budget | None = None
    prices: Path | None = None
    observer: Observer | None = None
    every: float = 0.5


@dataclass(frozen=True)
class Asked:
    """The replies, one per aside and in that order, the run they are stored under, and why it ended early (None: it did not)."""

    replies: tuple[Reply, ...]
    run: run_records.RunRecord
    stopped: str | None

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return self.stopped == INTERRUPTED


def ask_asides(
    workspace: Workspace, kind: str, config: Mapping[str, Any], asides: Sequence[Aside], model: Model, max_tokens: int, how: How
) -> Asked:
    """Ask ``model`` the texts, each distinct one once, and none that the workspace has a response to.

    kind:       what they are for, such as ``judge-by-model``: the task under which they are stored. The run is named after it.
    config:     what decides which texts there are; the same configuration is the same run, and more texts may join it later.
    max_tokens: of a reply, unless the model has settings of its own.
    Raises FolkwaysError before anything is asked for a budget that cannot be kept: in money where the price is not known, in money
    or tokens where a reply may have any length.
    """
    settings = Settings(**{"max_tokens": max_tokens, **model.settings})
    limit, price = _budget(model, how, settings)
    whole = {**config, "aside": kind, "endpoints": [model.identity], "tasks": []}
    run, _ = run_records.begin_run(
        workspace, whole, [], __version__, f"{kind}-{config_hash(whole)[:8]}", kind.replace("build-", "build ")
    )
    number = run_records.endpoint_id(workspace, model.identity, model.name)
    keys = _write_down(workspace, run, kind, asides, model, number, settings)
    run_records.set_state(workspace, run, "running")
    began = time.monotonic()
    try:
        progress = _send(workspace, run, model, number, limit, price, how)
    except BaseException as error:
        run_records.set_state(
            workspace, run, "stopped", reason=str(error) or type(error).__name__, seconds=time.monotonic() - began
        )
        raise
    state, reason = end_of([progress])
    state = "finished" if state == "asked" else state
    run_records.set_state(workspace, run, state, reason=reason, seconds=time.monotonic() - began)
    found = _replies(workspace, run, set(keys), progress.stopped)
    return Asked(tuple(found[key] for key in keys), run_records.find_run(workspace, run.name), progress.stopped)


def _budget(model: Model, how: How, settings: Settings) -> tuple[Budget, Price | None]:
    budget = how.budget if isinstance(how.budget, Budget) else Budget(parse_budget(how.budget) if how.budget is not None else None)
    limit = budget.limit
    if model.endpoint.local:
        return budget, FREE
    price = load_prices(how.prices).find(model.endpoint.name)
    require_prices(limit, {model.name: price})
    if limit is not None and min(limit.tokens, limit.usd or 0.0) != float("inf") and settings.max_tokens is None:
        raise FolkwaysError(
            f"a budget in tokens or usd needs a limit for each reply of {model.name}: leave out the setting max_tokens=none, "
            "or give the budget in requests"
        )
    return budget, price


def _write_down(
    workspace: Workspace,
    run: run_records.RunRecord,
    kind: str,
    asides: Sequence[Aside],
    model: Model,
    endpoint_id: int,
    settings: Settings,
) -> list[str]:
    """The key of each aside, after those that the run does not yet expect have been added to it."""
    sent = settings_json(settings)
    settings_id = run_records.settings_id(workspace, sent)
    expected = schema.expected
    with workspace.read() as connection:
        last = connection.scalar(sa.select(sa.func.max(expected.c.ordinal)).where(expected.c.run_id == run.id)) or 0
        known = set(connection.scalars(sa.select(expected.c.key).where(expected.c.run_id == run.id)))
    keys: list[str] = []
    texts: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for aside in asides:
        digest = prompt_hash(None, aside.user, None)
        address = f"{kind}\0{aside.item}\0{aside.language}\0{aside.variant}" if model.endpoint.item_addressed else None
        key = request_key(model.endpoint.identity, digest, sent, 0, address)
        keys.append(key)
        if key in known:
            continue
        known.add(key)
        texts.append({"prompt_hash": digest, "system": None, "user": aside.user, "choices": None})
        rows.append(
            {
                "run_id": run.id,
                "ordinal": last + len(rows) + 1,
                "endpoint_id": endpoint_id,
                "task": kind,
                "item": aside.item,
                "language": aside.language,
                "variant": aside.variant,
                "sample": 0,
                "key": key,
                "prompt_hash": digest,
                "prompt_source": "folkways",
                "settings_id": settings_id,
            }
        )
    run_records.write_expected(workspace, texts, rows)
    return keys


def _send(
    workspace: Workspace, run: run_records.RunRecord, model: Model, endpoint_id: int, budget: Budget, price: Price | None, how: How
) -> ModelProgress:
    limits = Limits(how.concurrency or model.endpoint.default_concurrency, how.attempts, how.max_errors)
    order = Order(model.endpoint, endpoint_id, limits, price, model.name)
    return ask(workspace, run.id, [order], budget=budget, observer=how.observer, every=how.every)[0]


def _replies(workspace: Workspace, run: run_records.RunRecord, keys: set[str], stopped: str | None) -> dict[str, Reply]:
    found = dict.fromkeys(keys, Reply(None, f"not asked: {stopped or 'another process holds it'}", asked=False))
    responses, failures = schema.responses, schema.failures
    ordered = sorted(keys)
    with workspace.read() as connection:
        for start in range(0, len(ordered), KEYS_PER_QUERY):
            wanted = ordered[start : start + KEYS_PER_QUERY]
            failed = sa.select(failures.c.key, failures.c.message).where(failures.c.run_id == run.id, failures.c.key.in_(wanted))
            found.update((key, Reply(None, message)) for key, message in connection.execute(failed))
            told = sa.select(responses.c.key, responses.c.text, responses.c.refusal).where(responses.c.key.in_(wanted))
            found.update((key, Reply(text, refusal, refusal is not None)) for key, text, refusal in connection.execute(told))
    return found
