"""Probes models for signals that they may have seen a task's items before, each next to its control. No
signal is a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import islice

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.benchmarks.build import ModelReply
from folkways.benchmarks.contract import items_of
from folkways.benchmarks.probing.signal import PROBE, ItemGroup, Signal, Unit, difference, estimate
from folkways.benchmarks.probing.signals import control_task, signals
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.endpoints.base import Settings
from folkways.errors import FolkwaysError
from folkways.records import Schema, Signature, State, without_nan
from folkways.releases.release_records import Release
from folkways.runs.asking import AskSession
from folkways.runs.models import Model
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.plan import item_batches
from folkways.workspace import run_records
from folkways.workspace.database import Workspace

DEFAULT_LIMIT = 100
"""Items of each group that are asked about, unless the user says."""

NEIGHBOURS = 2000
"""Items from the beginning of a release that are looked at in its order."""

FEWEST = 30
"""Control items below which a comparison with them is called a guess."""

HEARD = (State.ANSWERED, State.REFUSED)
"""States of replies that count: a model that refuses gives nothing again."""

PROBES: Schema = {
    **dict.fromkeys(("task", "endpoint", "signal", "measure"), pl.String),
    "unit": pl.String,  # %, points or nats
    "value": pl.Float64,  # mean over the probed items; null where there is none
    **dict.fromkeys(("low", "high"), pl.Float64),
    **dict.fromkeys(("n", "questions"), pl.Int64),
    "control": pl.String,  # what the items are held against
    **dict.fromkeys(("control_value", "control_low", "control_high"), pl.Float64),
    **dict.fromkeys(("control_n", "control_questions"), pl.Int64),
    "difference": pl.Float64,  # value less control_value
    **dict.fromkeys(("difference_low", "difference_high"), pl.Float64),
    "interval": pl.String,  # of the difference; of the value where there is no control
    "unanswered": pl.Int64,  # units of both groups that lack a reply
    "lacking": pl.String,  # why there is no value, or no control
    **dict.fromkeys(("about", "cannot_say", "signature"), pl.String),
}


ESTIMATED = ("value", "low", "high", "n", "questions")
"""What is told of an estimate, and with ``control_`` before it of that of the control."""


@dataclass(frozen=True)
class ProbeResult:
    """signals: PROBES, a row for each model and measure;
    run: in which was asked;
    notes: what a reader must know."""

    signals: pl.DataFrame
    run: run_records.RunRecord
    notes: tuple[str, ...]


def probe(
    workspace: Workspace,
    task: Task | str,
    models: Sequence[Model],
    *,
    release: str | None = None,
    control: str | None = None,
    only: Sequence[str] | None = None,
    limit: int = DEFAULT_LIMIT,
    seed: int = 0,
    asking: AskOptions | None = None,
) -> ProbeResult:
    """What ``folkways probe TASK`` does; replies are stored in the ``workspace``.

    release: of the task; None for its default.
    control: a release, or folder, of the same task whose items no model can have seen; None for the demo's
        items.
    only: names of signals.
    limit: items of each group, spread over cultures and drawn by ``seed``.
    asking: how hard to try, and what may be spent.

    What models say is stored and never asked for again. UnknownNameError for unknown names; FolkwaysError for
    a control that is the probed release, for models that are set to be read by likelihood and for a budget
    that cannot be kept, before anything is asked.
    """
    task = get_task(task) if isinstance(task, str) else task
    chosen = signals(only)
    for model in models:
        if model.settings.get("read") is not None:
            raise FolkwaysError(
                f"{model.name} is to be probed by what it says; leave read={model.settings['read']} out"
            )
    probed = _group(task, open_release(release or task.release, task.benchmark), limit, seed)
    control_group = _control(task, probed.release, control, limit, seed)
    config = {
        "aside": PROBE,
        "task": task.name,
        "data": probed.release.fingerprint,
        "control": None
        if control_group is None
        else [control_group.task.name, control_group.release.fingerprint],
        "limit": limit,
        "seed": seed,
    }
    groups = [group for group in (probed, control_group) if group is not None]
    rows: list[dict[str, object]] = []
    with AskSession(workspace, config, models, f"{PROBE} {task.name}", asking, f"{PROBE}-") as session:
        for model in models:
            rows += _probed(session, model, chosen, groups)
    frame = without_nan(pl.DataFrame(rows, schema=PROBES))
    return ProbeResult(frame, session.run, tuple(_notes(frame, control_group, control, session.why_lost)))


def _group(task: Task, release: Release, limit: int, seed: int) -> ItemGroup:
    task.check_askable(release)
    options = RunOptions(tasks=(task.name,), limit=limit, seed=seed)
    items = pl.concat(item_batches(task, release, options))
    neighbours = next(islice(items_of(task, release), 1)).head(NEIGHBOURS)
    return ItemGroup(task, release, items, neighbours)


def _control(task: Task, probed: Release, control: str | None, limit: int, seed: int) -> ItemGroup | None:
    if control is None:
        control_of = control_task(task)
        return (
            None
            if control_of is None
            else _group(control_of, open_release(control_of.release, control_of.benchmark), limit, seed)
        )
    release = open_release(control, task.benchmark)
    if release.fingerprint == probed.fingerprint:
        raise FolkwaysError(
            f"{control} is what is probed; --control names a release whose items no model can have seen"
        )
    return _group(task, release, limit, seed)


def _probed(
    session: AskSession, model: Model, chosen: Sequence[Signal], groups: Sequence[ItemGroup]
) -> Iterator[dict[str, object]]:
    """Rows of PROBES of one model."""
    lacking = {signal.name: _why_not(signal, groups[0].task, model) for signal in chosen}
    present = [
        (signal, group) for signal in chosen if not lacking[signal.name] for group in _of(signal, groups)
    ]
    first = [(signal, group, signal.before(group)) for signal, group in present]
    first_replies = iter(session.ask(model, [prompt for *_, prompts in first for prompt in prompts]))
    answered = []
    for signal, group, prompts in first:
        before = [next(first_replies) for _ in prompts]
        lost = sum(reply.state not in HEARD for reply in before)
        answered.append((signal, group, signal.units(group, [reply.said or "" for reply in before]), lost))
    replies = iter(
        session.ask(model, [prompt for *_, units, _ in answered for unit in units for prompt in unit.prompts])
    )
    parts: dict[str, list[_Values]] = {signal.name: [] for signal in chosen}
    for signal, group, units, lost in answered:
        parts[signal.name].append(
            _answered(signal, group, units, [[next(replies) for _ in unit.prompts] for unit in units], lost)
        )
    for signal in chosen:
        yield from _rows(signal, model, groups, parts[signal.name], lacking[signal.name])


def _of(signal: Signal, groups: Sequence[ItemGroup]) -> Sequence[ItemGroup]:
    """The groups that a signal is measured on: a control of other items only where it has none of its own.
    Their task is that of the probed items, or the demo's of the same kind, which can give all that it can."""
    return groups[: 1 if signal.control else None]


def _why_not(signal: Signal, task: Task, model: Model) -> str:
    """Why a task or a model cannot give a signal; empty where it can."""
    if reason := signal.lacks(task):
        return f"{task.name} cannot give it: {reason}"
    if signal.needs_logprobs and not getattr(model.endpoint, "reads_long_texts", False):
        return f"{model.name} cannot give it: it does not tell how likely a text is; hf/ models do"
    return ""


@dataclass(frozen=True)
class _Values:
    """A signal's values in a group: one tuple for each unit that counts, with its question."""

    values: Sequence[tuple[float, ...]]
    questions: Sequence[str]
    unanswered: int


def _answered(
    signal: Signal,
    group: ItemGroup,
    units: Sequence[Unit],
    replies: Sequence[Sequence[ModelReply]],
    lost: int,
) -> _Values:
    answered = [
        (unit, texts)
        for unit, replied in zip(units, replies, strict=True)
        if (texts := _texts(replied)) is not None
    ]
    measured = signal.values(group, [unit for unit, _ in answered], [texts for _, texts in answered])
    counted = [
        (values, unit.question) for values, (unit, _) in zip(measured, answered, strict=True) if values
    ]
    return _Values(
        [values for values, _ in counted],
        [question for _, question in counted],
        lost + len(units) - len(answered),
    )


def _texts(replies: Sequence[ModelReply]) -> list[str] | None:
    """What was said, nothing where a model refused; None where a reply is not there."""
    if any(reply.state not in HEARD for reply in replies):
        return None
    return [reply.said or "" for reply in replies]


def _rows(
    signal: Signal, model: Model, groups: Sequence[ItemGroup], parts: Sequence[_Values], lacking: str
) -> Iterator[dict[str, object]]:
    probed = groups[0]
    shared = {
        "task": probed.task.name,
        "endpoint": model.name,
        "signal": signal.name,
        "unanswered": sum(part.unanswered for part in parts),
        "about": signal.about,
        "cannot_say": signal.cannot_say,
        "signature": _signature(groups, model).text(),
    }
    for number, measure in enumerate(signal.measures):
        row: dict[str, object] = {
            **dict.fromkeys(PROBES),
            **shared,
            "measure": measure.name,
            "unit": measure.unit,
        }
        if not parts or not parts[0].values:
            yield {**row, "lacking": lacking or _nothing(parts[0] if parts else None)}
            continue
        value = estimate(measure, [values[number] for values in parts[0].values], parts[0].questions)
        row |= {name: getattr(value, name) for name in ESTIMATED}
        if signal.control:
            pairs = [(values[number], values[number + len(signal.measures)]) for values in parts[0].values]
            baseline = estimate(measure, [second for _, second in pairs], parts[0].questions)
            apart = estimate(measure, [first - second for first, second in pairs], parts[0].questions)
            row |= {"control": signal.control, "difference": apart.value, "difference_low": apart.low}
            row |= {"difference_high": apart.high, "interval": apart.method}
        elif len(parts) > 1 and parts[1].values:
            baseline = estimate(measure, [values[number] for values in parts[1].values], parts[1].questions)
            gap, interval = difference(value, baseline)
            row |= {"control": _name(groups[1]), "difference": gap, "difference_low": interval.low}
            row |= {"difference_high": interval.high, "interval": interval.method}
        else:
            yield {**row, "interval": value.method, "lacking": _no_control(groups, parts)}
            continue
        yield {**row, **{f"control_{name}": getattr(baseline, name) for name in ESTIMATED}}


def _nothing(part: _Values | None) -> str:
    if part is not None and part.unanswered:
        return "no item has all of the replies that it needs"
    return (
        "no item is left for which it makes sense: items are too short, lack what it hides, or were not "
        "reworded"
    )


def _no_control(groups: Sequence[ItemGroup], parts: Sequence[_Values]) -> str:
    if len(groups) == 1:
        return "no control: the demo's items are the control of other tasks; name a release with --control"
    return f"no control: {_name(groups[1])}: {_nothing(parts[1])}"


def _name(group: ItemGroup) -> str:
    return f"{group.task.name} of {group.release.name}"


def _signature(groups: Sequence[ItemGroup], model: Model) -> Signature:
    probed, *controls = groups
    sent = {name: value for name, value in asdict(Settings(**model.settings)).items() if value is not None}
    return Signature(
        {
            "task": probed.task.name,
            "data": f"{probed.release.name}#{probed.release.fingerprint}",
            "items": _digest(probed),
            "control": f"{_name(controls[0])}#{controls[0].release.fingerprint}" if controls else "none",
            "control-items": _digest(controls[0]) if controls else "none",
            "settings": ",".join(f"{name}={value}" for name, value in sorted(sent.items())),
            "folkways": __version__,
        }
    )


def _digest(group: ItemGroup) -> str:
    return blake2b("\0".join(group.items["item"]).encode(), digest_size=4).hexdigest()


def _notes(
    frame: pl.DataFrame, held: ItemGroup | None, control: str | None, why_lost: str | None
) -> Iterator[str]:
    if held is not None and control is None:
        yield (
            f"the control items are folkways' own ({_name(held)}, {held.items.height} items): other "
            "subjects and another wording "
            "than these. Items of the same kind that are younger than the model say more: --control"
        )
    elif held is not None and held.items.height < FEWEST:
        yield (
            f"the control has {held.items.height} items: a difference from so few is little better than "
            "a guess"
        )
    if lost := int(frame["unanswered"].fill_null(0).sum()):
        yield f"{lost:,} values lack a reply{f' ({why_lost})' if why_lost else ''}: they are in no number"
    compared = frame.filter(pl.col("value").is_not_null()).height
    if compared > 1:
        yield (
            f"each interval is a 95 % interval by itself: of {compared}, {0.05 * compared:.1f} miss by "
            "chance on average"
        )
