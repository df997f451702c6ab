"""One way to ask models what belongs to no task, for builders, model judges and the studio: stored,
resumable, within a budget."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import Any

import orjson
import sqlalchemy as sa

from folkways import __version__
from folkways.benchmarks.build import ModelReply, Prompt
from folkways.endpoints.base import LOGPROB, Settings
from folkways.endpoints.prices import Price
from folkways.engine.budget import Amount, Budget, require_token_limits
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED, ask
from folkways.records import State
from folkways.runs.models import Model, limit_and_prices
from folkways.runs.options import AskOptions
from folkways.runs.work import by_signal, end_of, orders_of
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways.workspace.key_parts import in_parts
from folkways.workspace.keys import config_hash, prompt_hash, request_key, settings_json

NOT_ASKED = "not asked: "
"""What comes before the reason of a reply that was not asked for."""

PROMPTS_AT_ONCE = 2000
"""Prompts that are written down in one transaction."""


def check_budget(
    models: Sequence[Model], options: AskOptions
) -> tuple[Amount | None, dict[str, Price | None]]:
    """What may be spent, and the price of each model by its identity (None: not known).

    FolkwaysError for a budget that cannot be kept: in money without a price, in money or tokens without a
    limit for replies.
    """
    limit, prices = limit_and_prices(models, options)
    remote = [model for model in models if not model.endpoint.local]
    require_token_limits(limit, [each.name for each in remote if each.settings.get("max_tokens", 1) is None])
    return limit, prices


class AskSession:
    """Asks models, as one run of the workspace, which knows how it ended. A context manager.

    command: what asks, as the list of runs shows it: ``build mcq``.
    config: what decides which prompts there are; the same configuration is the same run, and more prompts may
        join it later.
    name: of the run; a name that ends in ``-`` gets digits of the configuration, None a number.
    Raises what ``check_budget`` does, before anything is stored.
    """

    def __init__(
        self,
        workspace: Workspace,
        config: Mapping[str, Any],
        models: Sequence[Model],
        command: str,
        options: AskOptions | None = None,
        name: str | None = None,
    ) -> None:
        self.options = options or AskOptions()
        limit, self._prices = check_budget(models, self.options)
        self._budget = Budget(limit)
        self._workspace = workspace
        whole = {**config, "endpoints": [model.identity for model in models], "tasks": []}
        if name is not None and name.endswith("-"):
            name += config_hash(whole)[:8]
        self.run, _ = run_records.begin_run(workspace, whole, [], __version__, name, command)
        self._numbers = {
            model.identity: run_records.endpoint_id(workspace, model.identity, model.name) for model in models
        }
        self._ordinal = run_records.last_ordinal(workspace, self.run)
        with workspace.read() as connection:
            self._expected = set(
                connection.scalars(
                    sa.select(schema.expected.c.key).where(schema.expected.c.run_id == self.run.id)
                )
            )
        self._replies: dict[str, ModelReply] = {}
        self._recalled: set[tuple[str, str]] = set()
        self._progress: dict[str, ModelProgress] = {}
        self._reasons: Counter[str] = Counter()
        run_records.set_state(workspace, self.run, "running")
        self._began = time.monotonic()

    def __enter__(self) -> AskSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state, reason = end_of(list(self._progress.values()), self.options.max_failed)
        if isinstance(error, KeyboardInterrupt):
            state, reason = by_signal()
        elif error is not None and state == "asked":
            state, reason = "stopped", str(error) or type(error).__name__
        state = "finished" if state == "asked" else state
        try:
            run_records.set_state(
                self._workspace, self.run, state, reason=reason, seconds=time.monotonic() - self._began
            )
            # As this session left it: another process may have opened the same run again by now.
            self.run = replace(
                run_records.find_run(self._workspace, str(self.run.id)), state=state, reason=reason
            )
        except WorkspaceError:  # may be what ended the session, and then that has been said
            if error is None:
                raise

    @property
    def stopped(self) -> str | None:
        """Why not everything was sent; None where it was."""
        return next(
            (progress.stopped for progress in self._progress.values() if progress.stopped is not None), None
        )

    @property
    def why_lost(self) -> str | None:
        """Why requests have no reply, most often; None where all have one."""
        return next((reason for reason, _ in self._reasons.most_common(1)), None)

    @property
    def _interrupted(self) -> bool:
        """Whether a signal ended the session, for whatever was to be asked next too."""
        return any(progress.stopped == INTERRUPTED for progress in self._progress.values())

    @property
    def usd(self) -> float | None:
        """US dollars that this session has cost so far, nothing for replies that were stored; None where a
        price is not known."""
        return None if None in self._prices.values() else self._budget.usd

    def ask(self, model: Model, prompts: Iterable[Prompt]) -> list[ModelReply]:
        """One reply per prompt, in that order; each distinct prompt is sent once, and none that the workspace
        has a reply to.

        Nothing else is sent, whatever earlier sessions of the run have left. Of prompts that are made one by
        one, PROMPTS_AT_ONCE are in memory at a time. A reply is FAILED where the request was, MISSING where
        the session stopped before (``stopped`` says why), or another process holds it.
        """
        keys: list[str] = []
        remaining = iter(prompts)
        while block := list(islice(remaining, PROMPTS_AT_ONCE)):
            keys += self._write_down(model, block)
        lacking = self._look_up(keys)
        lost: dict[str, ModelReply] = {}
        if lacking:
            if not self._interrupted:
                self._count(model, self._send(model, keys))
            stopped = INTERRUPTED if self._interrupted else self._progress[model.identity].stopped
            why = f"{NOT_ASKED}{stopped or 'another process holds it'}"
            lost = dict.fromkeys(
                self._look_up(lacking), ModelReply(None, why, State.MISSING)
            ) | self._failures(lacking)
        self._reasons.update(reply.reason for reply in lost.values() if reply.reason)
        return [self._replies.get(key) or lost[key] for key in keys]

    def recall(self, model: Model, prompt: Prompt) -> ModelReply | None:
        """The stored reply, of whichever run, to a prompt of that task; nothing is sent. The first call reads
        all of the task's."""
        if (model.identity, prompt.task) not in self._recalled:
            self._recalled.add((model.identity, prompt.task))
            of_task = schema.expected.c.key == schema.responses.c.key
            where = (
                schema.expected.c.endpoint_id == self._numbers[model.identity],
                schema.expected.c.task == prompt.task,
            )
            self._remember(lambda query: query.join(schema.expected, of_task).where(*where).distinct())
        return self._replies.get(_key(model, prompt))

    def _write_down(self, model: Model, prompts: Sequence[Prompt]) -> list[str]:
        """The key of each prompt, after those that the run does not yet expect have been added to it."""
        keys = [_key(model, prompt) for prompt in prompts]
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in self._expected}
        sent = {key: settings_json(_settings(model, prompt)) for key, prompt in new.items()}
        numbers = {text: run_records.settings_id(self._workspace, text) for text in set(sent.values())}
        texts: list[dict[str, Any]] = []
        rows: list[dict[str, Any]] = []
        for ordinal, (key, prompt) in enumerate(new.items(), self._ordinal + 1):
            choices = _choices(prompt)
            digest = prompt_hash(prompt.system, prompt.text, choices)
            labels = orjson.dumps(choices).decode() if choices is not None else None
            texts.append(
                {"prompt_hash": digest, "system": prompt.system, "user": prompt.text, "choices": labels}
            )
            whose = {"run_id": self.run.id, "ordinal": ordinal, "endpoint_id": self._numbers[model.identity]}
            about = {
                name: getattr(prompt, name) for name in ("task", "item", "language", "variant", "sample")
            }
            identity = {
                "key": key,
                "prompt_hash": digest,
                "prompt_source": "folkways",
                "settings_id": numbers[sent[key]],
            }
            rows.append(whose | about | identity)
        if rows:
            run_records.write_expected(self._workspace, texts, rows)
            self._expected.update(new)
            self._ordinal += len(rows)
        return keys

    def _count(self, model: Model, progress: ModelProgress) -> None:
        """Add what was asked of a model to what it was asked before."""
        earlier = self._progress.get(model.identity)
        if earlier is not None:
            progress.total += earlier.total
            progress.stored += earlier.stored
            progress.failed += earlier.failed
            progress.stopped = earlier.stopped or progress.stopped
        self._progress[model.identity] = progress

    def _send(self, model: Model, keys: Sequence[str]) -> ModelProgress:
        options = self.options
        orders = orders_of(self._workspace, [model], self._prices, options)
        return ask(
            self._workspace,
            self.run.id,
            orders,
            budget=self._budget,
            observer=options.observer,
            every=options.every,
            only=set(keys),
        )[0]

    def _look_up(self, keys: Sequence[str]) -> list[str]:
        """Read the stored replies; returns the keys that have none."""
        new = sorted({key for key in keys if key not in self._replies})
        for part in in_parts(new):
            wanted = schema.responses.c.key.in_(part)
            self._remember(lambda query, wanted=wanted: query.where(wanted))  # type: ignore[misc]
        return [key for key in new if key not in self._replies]

    def _remember(self, chosen: Callable[[sa.Select[Any]], sa.Select[Any]]) -> None:
        responses = schema.responses
        query = chosen(sa.select(responses.c.key, responses.c.text, responses.c.refusal))
        with self._workspace.read() as connection:
            for key, text, refusal in connection.execute(query):
                self._replies[key] = ModelReply(
                    text, refusal, State.ANSWERED if refusal is None else State.REFUSED
                )

    def _failures(self, keys: Sequence[str]) -> dict[str, ModelReply]:
        failures = schema.failures
        failed: dict[str, ModelReply] = {}
        with self._workspace.read() as connection:
            for part in in_parts(keys):
                query = sa.select(failures.c.key, failures.c.message).where(
                    failures.c.run_id == self.run.id, failures.c.key.in_(part)
                )
                failed.update(
                    (key, ModelReply(None, message, State.FAILED))
                    for key, message in connection.execute(query)
                )
        return failed


def _settings(model: Model, prompt: Prompt) -> Settings:
    if prompt.logprob_of is not None:
        return Settings(temperature=None, top_p=None, read=LOGPROB)
    return Settings(**{"max_tokens": prompt.max_tokens, **model.settings})


def _choices(prompt: Prompt) -> list[str] | None:
    """The labels that may be answered; of a text that is weighed, that text."""
    if prompt.logprob_of is not None:
        return [prompt.logprob_of]
    return None if prompt.choices is None else list(prompt.choices)


def _key(model: Model, prompt: Prompt) -> str:
    address = (
        f"{prompt.task}\0{prompt.item}\0{prompt.language}\0{prompt.variant}"
        if model.endpoint.item_addressed
        else None
    )
    digest = prompt_hash(prompt.system, prompt.text, _choices(prompt))
    return request_key(
        model.endpoint.identity, digest, settings_json(_settings(model, prompt)), prompt.sample, address
    )
