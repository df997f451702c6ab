"""``folkways build mcq`` from names to files."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways import __version__
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.building.asking import wordings_digest
from folkways.benchmarks.blend.building.calls import Oracle
from folkways.benchmarks.blend.building.sources import Source, select_sources
from folkways.benchmarks.blend.building.stand_ins import StandIn
from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.prices import FREE, Price, load_prices
from folkways.engine.budget import Budget, parse_budget, require_prices
from folkways.engine.session import INTERRUPTED, Observer
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.base import Release
from folkways.releases.store import open_release
from folkways.runs.building.mcq import Built, Report, build_order_free, build_paper
from folkways.runs.building.oracle import BuildStopped, ModelOracle, Session
from folkways.runs.building.wording import own_wording, released_wording
from folkways.runs.models import Model, open_models, split_name
from folkways.workspace import run_records
from folkways.workspace.database import Workspace, open_workspace

PROFILES = ("paper", "strict")
STAND_IN = "stand-in:"
BY_QUESTION = "question"


@dataclass(frozen=True)
class BuildOptions:
    """Everything that decides what is built.

    release:       name or folder with annotations; question_text: with the questions, where another one has better texts.
    judge:         a model, or ``stand-in:RULE``; dummies: who makes up options, the judge if None.
    profile:       ``paper`` or ``strict``.
    judge_batch:   strict: ``question``, or how many pairs the judge sees at a time.
    ahead:         paper: how many calls may be on their way at once.
    questions:     ids; None for all. wording_of: release or folder whose prompt is taken over; None for ours.
    """

    release: str
    judge: str
    question_text: str | None = None
    dummies: str | None = None
    profile: str = "paper"
    judge_batch: str = BY_QUESTION
    ahead: int = 16
    questions: tuple[str, ...] | None = None
    wording_of: str | None = None

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise UnknownNameError("profile of a build", self.profile, PROFILES)
        if self.judge_batch != BY_QUESTION and not (self.judge_batch.isdecimal() and int(self.judge_batch) > 0):
            raise FolkwaysError(f"--judge-batch is 'question' or a number of pairs from 1 on, got {self.judge_batch!r}")
        if self.profile == "paper" and self.judge_batch != BY_QUESTION:
            raise FolkwaysError("--judge-batch needs --profile strict: the paper's procedure judges one call after the other")


@dataclass(frozen=True)
class Made:
    """What was built, the release it was made from, and a record of how."""

    built: Built
    release: Release
    record: dict[str, Any]


def make(
    options: BuildOptions,
    *,
    workspace: str | Path = "folkways.db",
    name: str | None = None,
    concurrency: int | None = None,
    attempts: int = 6,
    max_errors: int | None = None,
    timeout: float = 120.0,
    budget: str | None = None,
    prices: Path | None = None,
    observer: Observer | None = None,
    every: float = 0.5,
    report: Report = lambda _what, _done, _of: None,
) -> Made:
    """Build multiple-choice questions. A workspace is opened only where a model is asked.

    Raises UnknownNameError or FolkwaysError for what cannot be, before anything is asked; BuildStopped when not everything could be
    asked (interrupted, budget, failures): the same call goes on.
    """
    asked_of = {"judge": options.judge, "dummies": options.dummies or options.judge}
    limit = Budget(parse_budget(budget) if budget is not None else None)
    stand_ins = {name: StandIn(name.removeprefix(STAND_IN)) for name in set(asked_of.values()) if name.startswith(STAND_IN)}
    models = {
        name: open_models([name], EndpointOptions(timeout=timeout))[0]
        for name in dict.fromkeys(asked_of.values())
        if name not in stand_ins
    }
    price_of = _prices(models, limit, prices)
    release = open_release(options.release, "blend")
    texts = open_release(options.question_text, "blend") if options.question_text else release
    selected = select_sources(blend.read_annotations(release), blend.read_questions(texts), options.questions)
    found = selected.sources
    wording = released_wording(options.wording_of, found) if options.wording_of else own_wording()
    record = {
        "made_by": f"folkways {__version__}",
        "release": release.label,
        "question_text": texts.label,
        "profile": options.profile,
        **asked_of,
        "judge_batch": options.judge_batch if options.profile == "strict" else "1",
        "prompts": f"folkways {wordings_digest()}",
        "wording": wording.source,
        "filtered": selected.filtered,
    }

    def build(oracles: dict[str, Oracle]) -> Built:
        judge, dummies = oracles[asked_of["judge"]], oracles[asked_of["dummies"]]
        if options.profile == "paper":
            return build_paper(found, judge, dummies, wording, ahead=options.ahead, report=report)
        pairs = None if options.judge_batch == BY_QUESTION else int(options.judge_batch)
        return build_order_free(found, judge, dummies, wording, pairs_per_call=pairs, report=report)

    if models:
        database = open_workspace(workspace)
        config: dict[str, Any] = {"build": "mcq", **record, "questions": options.questions, "fingerprint": release.fingerprint}
        config |= {"endpoints": [model.identity for model in models.values()], "tasks": []}

        def open_session(run: run_records.RunRecord) -> Session:
            return Session(database, run, limit, concurrency, attempts, max_errors, observer, every)

        built = _in_a_run(database, config, name, lambda run: build(stand_ins | _oracles(models, open_session(run), price_of)))
    else:
        built = build(dict(stand_ins))
    return Made(built, release, record | _counts(built, found))


def _oracles(models: dict[str, Model], session: Session, price_of: dict[str, Price | None]) -> dict[str, Oracle]:
    return {name: ModelOracle(session, model, price_of[name]) for name, model in models.items()}


def _in_a_run(
    workspace: Workspace, config: dict[str, Any], name: str | None, work: Callable[[run_records.RunRecord], Built]
) -> Built:
    """Do the work in a run of the workspace, which knows how it ended."""
    run, _ = run_records.begin_run(workspace, config, [], __version__, name, "build mcq")
    run_records.set_state(workspace, run, "running")
    began = time.monotonic()
    try:
        built = _interruptible(work, run)
    except BaseException as error:
        state = "interrupted" if isinstance(error, BuildStopped) and error.interrupted else "stopped"
        run_records.set_state(workspace, run, state, reason=str(error) or type(error).__name__, seconds=time.monotonic() - began)
        raise
    run_records.set_state(workspace, run, "finished", seconds=time.monotonic() - began)
    return built


def _interruptible(work: Callable[[run_records.RunRecord], Built], run: run_records.RunRecord) -> Built:
    """Do the work; Ctrl-C between two rounds of asking ends it as Ctrl-C within one does."""
    try:
        return work(run)
    except KeyboardInterrupt:
        raise BuildStopped(INTERRUPTED) from None


def _prices(models: dict[str, Model], limit: Budget, file: Path | None) -> dict[str, Price | None]:
    known = load_prices(file)
    found = {name: FREE if model.endpoint.local else known.find(split_name(name)[0]) for name, model in models.items()}
    require_prices(limit.limit, found)
    return found


def _counts(built: Built, found: list[Source]) -> dict[str, Any]:
    return {
        "questions": built.items["ID"].n_unique(),
        "questions_looked_at": len(found),
        "items": built.items.height,
        "judge_calls": built.judge_calls,
        "dummy_calls": built.dummy_calls,
        "asked_ahead_in_vain": built.ahead,
        "left_out": built.left_out,
    }


__all__ = ["BuildOptions", "BuildStopped", "Made", "make"]
