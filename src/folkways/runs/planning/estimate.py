"""What a run would take, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways.endpoints.base import Endpoint, EndpointOptions
from folkways.endpoints.prices import Price
from folkways.engine.budget import UNLIMITED_OUTPUT_TOKENS
from folkways.runs.models import Model, batches_of, open_models, price_function
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import Plan, TaskPlan, keyed_prompts
from folkways.runs.planning.tasks import make_plan, of_generation
from folkways.workspace import schema
from folkways.workspace.database import WORKSPACE, Workspace, opened_if_there
from folkways.workspace.key_parts import in_parts
from folkways.workspace.keys import settings_json
from folkways.workspace.queue.batches import keys_out

ASCII_PER_TOKEN = 4.0
OTHER_TOKENS_PER_CHARACTER = 0.7
"""Rough rates of today's tokenizers: four Latin letters make a token, and another script's character two
thirds of one."""

SMALL_VOCABULARY = 65_536
OTHER_TOKENS_IN_SMALL_VOCABULARY = 2.0
"""What a tokenizer that knows fewer tokens makes of a character of another script: it has hardly a word of
it. SmolLM2 (49,152 tokens) takes 1.4 for a Korean, 1.7 for a Chinese and 2.9 for an Amharic character of the
demo's questions, where it took 1.48 times what OTHER_TOKENS_PER_CHARACTER gives for all languages together;
English it writes like the others."""

MESSAGE_TOKENS, REPLY_TOKENS = 4.0, 3.0
"""What a chat template adds to each message, and before the reply: those of ChatML, Llama and Qwen add 3 to
5. One that puts in a system prompt of its own adds more, which only the server's count tells."""

LEARNED_FROM = 500
"""Stored replies of a model at most whose reported input tokens correct its estimates."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one model would be asked for one task.

    requests: distinct ones that would be sent, without those whose response is stored already (``stored``)
        and those that have left in a batch which is not collected (``out``).
    input_tokens: estimated from the characters of the prompts and what a chat template adds, give or take a
        third; or, where replies of this model are stored, by what it reported for those (``learned_from`` of
        them).
    output_tokens: at most, by the task's limit.
    usd: at most for those tokens; None where no price is known.
    seconds: for a model that runs here, by what its stored replies took, at its usual concurrency; None where
        there are none.
    runs_here: whether the model runs on this machine, so that it costs time and no money.
    """

    endpoint: str
    task: str
    items: int
    requests: int
    stored: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    learned_from: int = 0
    seconds: float | None = None
    runs_here: bool = False
    out: int = 0


@dataclass(frozen=True, slots=True)
class ReportedTokens:
    """Input tokens of ``replies`` stored replies: as the server counted them, and as estimated before any was
    known."""

    replies: int
    counted: int
    estimated: float


def tokens_of(text: str, per_other: float = OTHER_TOKENS_PER_CHARACTER) -> float:
    """A rough number of tokens, from the number of ASCII and of other characters; per_other: tokens of one of
    these."""
    other = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) - other) / ASCII_PER_TOKEN + other * per_other


def estimate(plan: TaskPlan, model: Model, price: Price | None, workspace: Workspace | None) -> Estimate:
    """What the ``plan`` of a task would ask ``model``, at a ``price`` (None: not known).

    workspace: whose stored replies are not asked again; None for no workspace.
    """
    sent = plan.settings(model)
    settings = settings_json(sent)
    limit = sent.max_tokens or UNLIMITED_OUTPUT_TOKENS
    vocabulary = getattr(model.endpoint, "vocabulary", None) or SMALL_VOCABULARY
    per_other = (
        OTHER_TOKENS_PER_CHARACTER if vocabulary >= SMALL_VOCABULARY else OTHER_TOKENS_IN_SMALL_VOCABULARY
    )
    items = 0
    inputs: dict[str, float] = {}
    for frame in plan.prompts():
        items += frame["item"].n_unique()
        inputs.update(_requests(frame, plan, model.endpoint, settings, per_other))
    stored = _stored(workspace, list(inputs)) if workspace is not None else set()
    out = (_out(workspace, model) & inputs.keys()) - stored if workspace is not None else set()
    unstored = [tokens for key, tokens in inputs.items() if key not in stored | out]
    counts_reported = reported(workspace, model.identity, per_other) if workspace is not None else None
    factor = counts_reported.counted / counts_reported.estimated if counts_reported is not None else 1.0
    input_tokens, output_tokens = round(factor * sum(unstored)), limit * len(unstored)
    usd = price.usd(input_tokens, output_tokens) if price is not None else None
    learned_from = counts_reported.replies if counts_reported is not None else 0
    is_local = getattr(model.endpoint, "runs_here", False)
    each = _seconds(workspace, model) if is_local and workspace is not None else None
    took = each * len(unstored) if each is not None else None
    counts = (items, len(unstored), len(stored), input_tokens, output_tokens)
    return Estimate(model.name, plan.task.name, *counts, usd, learned_from, took, is_local, len(out))


def estimate_run(
    options: RunOptions,
    *,
    models: Sequence[Any],
    workspace: str | Path | Workspace = WORKSPACE,
    prices: Path | None = None,
    batch: bool = False,
) -> list[Estimate]:
    """``estimate_plan`` of these options and models, which may be named; workspace, prices and batch are
    passed on."""
    opened = open_models(models, EndpointOptions(seed=options.seed), need_key=False)
    return estimate_plan(make_plan(options, opened), workspace=workspace, prices=prices, batch=batch)


def estimate_plan(
    plan: Plan,
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    prices: Path | None = None,
    batch: bool = False,
) -> list[Estimate]:
    """What the run of a ``plan`` would take, per model and task; of a sampled run (``until``) at most.
    Nothing is sent, no key is needed, and no workspace is made.

    workspace: whose stored replies are not asked again.
    prices: a prices file; None for the usual ones.
    batch: at the price of requests in batches; FolkwaysError for a model that cannot be asked so.
    """
    price_of = price_function(prices)
    database = opened_if_there(workspace)
    if batch:
        batches_of(plan.models)
    if database is not None:
        plan = of_generation(database, plan, None)
    estimates = []
    for model in plan.models:
        price = price_of(model.endpoint)
        if batch and price is not None:
            price = price.in_batch()
        estimates += [estimate(one, model, price, database) for one in plan.tasks]
    return estimates


def request_tokens(system: str | None, user: str, per_other: float = OTHER_TOKENS_PER_CHARACTER) -> float:
    """A rough number of input tokens of one request, with what a chat template adds."""
    messages = [user] if system is None else [system, user]
    return sum(tokens_of(text, per_other) + MESSAGE_TOKENS for text in messages) + REPLY_TOKENS


def _seconds(workspace: Workspace, model: Model) -> float | None:
    """Seconds from one reply to the next of a model that runs here: what a reply took, over how many are
    worked on at once."""
    endpoints, replies = schema.endpoints, schema.responses
    took = (
        sa.select(replies.c.seconds)
        .join(endpoints, endpoints.c.id == replies.c.endpoint_id)
        .where(endpoints.c.identity == model.identity)
        .limit(LEARNED_FROM)
        .subquery()
    )
    with workspace.read() as connection:
        mean = connection.scalar(sa.select(sa.func.avg(took.c.seconds)))
    return float(mean) / model.endpoint.default_concurrency if mean is not None else None


def reported(
    workspace: Workspace, model: str, per_other: float = OTHER_TOKENS_PER_CHARACTER
) -> ReportedTokens | None:
    """What a model (its identity or its name) reported for up to LEARNED_FROM of its stored replies; None
    where nothing."""
    endpoints, replies, prompts = schema.endpoints, schema.responses, schema.prompts
    query = (
        sa.select(prompts.c.system, prompts.c.user, replies.c.input_tokens)
        .join(endpoints, endpoints.c.id == replies.c.endpoint_id)
        .join(prompts, prompts.c.prompt_hash == replies.c.prompt_hash)
        .where(sa.or_(endpoints.c.identity == model, endpoints.c.name == model), replies.c.input_tokens > 0)
        .limit(LEARNED_FROM)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    if not rows:
        return None
    return ReportedTokens(
        len(rows), sum(row[2] for row in rows), sum(request_tokens(row[0], row[1], per_other) for row in rows)
    )


def _requests(
    frame: pl.DataFrame, plan: TaskPlan, endpoint: Endpoint, settings: str, per_other: float
) -> Iterator[tuple[str, float]]:
    for row, keys in keyed_prompts(frame, plan, endpoint, settings):
        tokens = request_tokens(row[4], row[5], per_other)  # its system prompt, and what the user says
        yield from ((key, tokens) for key in keys)


def _out(workspace: Workspace, model: Model) -> set[str]:
    """The requests to a model that are in a batch which is not collected."""
    endpoints = schema.endpoints
    with workspace.read() as connection:
        numbers = connection.scalars(sa.select(endpoints.c.id).where(endpoints.c.identity == model.identity))
        return {key for number in numbers.all() for key in keys_out(connection, number)}


def _stored(workspace: Workspace, keys: Sequence[str]) -> set[str]:
    stored: set[str] = set()
    with workspace.read() as connection:
        for part in in_parts(keys):
            stored.update(
                connection.scalars(sa.select(schema.responses.c.key).where(schema.responses.c.key.in_(part)))
            )
    return stored
