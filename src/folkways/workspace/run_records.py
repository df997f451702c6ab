"""Runs and what they expect: every item is written down before the first question is asked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from os.path import isfile
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.insertions import Rows
from folkways.workspace.key_parts import in_parts
from folkways.workspace.keys import config_hash

LONGEST_NAME = 128
LONGEST_VALUE = 60
"""Characters of a value of an option that an error shows."""
CONFIG_WORDS = {"endpoints": "models", "of_tasks": "options of single tasks", "left_out": "tasks left out"}

RUN = "run"
"""The command whose runs ask tasks."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as the workspace knows it. Times are seconds since the epoch; ``seconds`` is time spent asking,
    over all sessions.

    command: of folkways, that began it: ``run``, or one that asks no tasks and has no scores (``build mcq``,
        ``judge-by-model``).
    recipe: what a run was asked for, by the keys of a recipe file; None for other commands and for runs from
        before 0.2.
    archive: the folder it was archived in, as ``folkways.workspace.archives`` remembers it; None where all of
        it is here.
    """

    id: int
    name: str
    config: Mapping[str, Any]
    command: str
    version: str
    state: str
    reason: str | None
    created: float
    finished: float | None
    seconds: float
    recipe: Mapping[str, Any] | None
    archive: str | None = None


@dataclass(frozen=True, slots=True)
class RunTask:
    """One task of a run: the release its items came from and the options its prompts were made with."""

    task: str
    release: str
    root: str
    fingerprint: str
    options: Mapping[str, Any]


def _record(row: sa.Row[Any]) -> RunRecord:
    read = {
        "config": orjson.loads(row.config),
        "recipe": orjson.loads(row.recipe) if row.recipe is not None else None,
    }
    return RunRecord(**{entry.name: getattr(row, entry.name) for entry in fields(RunRecord)} | read)


def list_runs(workspace: Workspace) -> list[RunRecord]:
    """All runs, oldest first."""
    with workspace.read() as connection:
        return [_record(row) for row in connection.execute(sa.select(schema.runs).order_by(schema.runs.c.id))]


def find_run(workspace: Workspace, name: str) -> RunRecord:
    """The run of that name or number, or for ``last`` the newest that asked tasks. UnknownNameError with the
    names there are, FolkwaysError for ``last`` without any."""
    runs = list_runs(workspace)
    for run in reversed(runs):
        # a build asks models too, and is nothing to score or report
        if name == "last" and run.command == RUN:
            return run
    for run in runs:
        if name in (run.name, str(run.id)):
            return run
    if name == "last":
        raise FolkwaysError(
            f"no run of the workspace {workspace.location} has asked tasks yet; begin one with: "
            f"{workspace.command('run', 'TASK', '--model', 'NAME')}"
        )
    hint = f"workspace: {workspace.location}"
    if isfile(name):  # noqa: PTH113 - which takes any text, also one that can be no path
        replayed = workspace.command("run", "TASK", "--model", f"replay:{name}")
        hint += (
            f"\n{name} is a file. A table with the columns item and response becomes a run: {replayed}\n"
            "What folkways judge wrote has no responses: name the file that it read. folkways report and "
            "folkways compare read logs of other programs as they are"
        )
    raise UnknownNameError("run", name, [run.name for run in runs], hint=hint)


def find_asked_run(workspace: Workspace, name: str) -> RunRecord:
    """The run of that name or number, whose replies and scores can be read.

    FolkwaysError for a run that asked no tasks (it has no scores), and for an archived one.
    """
    run = find_run(workspace, name)
    if run.command != RUN:
        raise FolkwaysError(
            f"run {run.name} belongs to folkways {run.command}: it keeps what was asked of models there, and "
            "has no scores\n"
            "Its result is in the files that were written with --out; how far it got is shown by: "
            f"{workspace.command('runs')}"
        )
    if run.archive is not None:
        raise FolkwaysError(
            f"run {run.name} is archived in {run.archive}; bring it back with: "
            f"{workspace.command('runs', 'restore', run.name)}"
        )
    return run


def find_asked_runs(workspace: Workspace, names: Iterable[str]) -> list[RunRecord]:
    """``find_asked_run`` of each of the ``names`` in a ``workspace``, in their order; a run that is named
    twice (by its name and as ``last``, say) once."""
    runs = (find_asked_run(workspace, name) for name in names)
    return list({run.id: run for run in runs}.values())


def begin_run(
    workspace: Workspace,
    config: Mapping[str, Any],
    tasks: Sequence[RunTask],
    version: str,
    name: str | None,
    command: str,
    recipe: Mapping[str, Any] | None = None,
) -> tuple[RunRecord, bool]:
    """The unfinished run with this configuration, to be continued, or a new one; the flag says whether it is
    continued.

    A new run is in state ``planning`` until everything it expects is written down.
    workspace: where it is stored.
    config: all that decides its results;
    tasks, version, command, recipe: recorded with it.
    Raises FolkwaysError where ``name`` belongs to another run or is not a name, and where the run to be
    continued is archived.
    """
    if name is not None:
        _check_name(name)
    digest = config_hash(config)
    with workspace.write() as connection:
        if name is not None:
            existing = connection.execute(
                sa.select(schema.runs).where(schema.runs.c.name == name)
            ).one_or_none()
            if existing is not None and existing.config_hash != digest:
                difference = f"that was planned by folkways {existing.version}, and this is {version}"
                if config_hash({**config, "version": existing.version}) != existing.config_hash:
                    difference = _differences(orjson.loads(existing.config), config)
                raise FolkwaysError(
                    f"the workspace {workspace.location} has a run named {name!r} {difference}; choose "
                    f"another {option('name')}, or leave it out (nothing that is stored is asked again)"
                )
            if existing is not None:
                check_here(workspace, existing)
                return _taken_up(connection, existing), True
        else:
            same = (
                sa.select(schema.runs)
                .where(schema.runs.c.config_hash == digest)
                .order_by(schema.runs.c.id.desc())
            )
            open_run = connection.execute(same.where(schema.runs.c.state != "finished")).first()
            if open_run is not None:
                check_here(workspace, open_run)
                return _taken_up(connection, open_run), True
            newest = connection.execute(same).first()
            if newest is not None:
                check_here(workspace, newest)
        inserted = connection.execute(
            sa.insert(schema.runs).values(
                name=name or _new_name(connection),
                config_hash=digest,
                config=orjson.dumps(config, option=orjson.OPT_SORT_KEYS).decode(),
                command=command,
                version=version,
                state="planning",
                created=time.time(),
                recipe=orjson.dumps(recipe).decode() if recipe is not None else None,
            )
        )
        run_id = inserted.inserted_primary_key[0]  # type: ignore[index]
        options = (orjson.dumps(task.options, option=orjson.OPT_SORT_KEYS).decode() for task in tasks)
        rows = [
            {**asdict(task), "run_id": run_id, "options": text}
            for task, text in zip(tasks, options, strict=True)
        ]
        workspace.insert_new(connection, schema.run_tasks, rows)
        row = connection.execute(sa.select(schema.runs).where(schema.runs.c.id == run_id)).one()
        return _record(row), False


def _taken_up(connection: Connection, row: sa.Row[Any]) -> RunRecord:
    """A run that is to be continued. Where nothing was asked yet it gets a new time, so that the process that
    planned it does not ``forget_run`` it."""
    run = _record(row)
    if run.state not in ("planning", "planned"):
        return run
    run = replace(run, finished=time.time())
    connection.execute(sa.update(schema.runs).where(schema.runs.c.id == run.id).values(finished=run.finished))
    return run


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """In what one configuration differs from the other, such as "with other models and limit 6 (now 9)"."""
    changed = []
    for name, (old, new) in _changes(before, now):
        if name == "fingerprints":
            data = [task for task, _ in _changes(old, new) if task in old and task in new]
            changed += [f"other data ({', '.join(data)})"] if data else []
        elif name == "options":
            for option_name, values in _changes(old, new):
                first, last = ("none" if value is None else _text(value) for value in values)
                short = max(len(first), len(last)) <= LONGEST_VALUE
                changed.append(f"{option_name} {first} (now {last})" if short else f"another {option_name}")
        elif name == "endpoints" and old and new:
            gone = next((model for model in old if model not in new), None)
            added = next((model for model in new if model not in old), None)
            if gone and added:
                changed.append(f"other models ({gone}, now {added})")
            elif gone or added:
                changed.append(f"other models (now {f'also {added}' if added else f'without {gone}'})")
            else:
                changed.append("its models in another order")
        elif name != "version":
            changed.append(f"other {CONFIG_WORDS.get(name, name)}")
    return f"with {', '.join(changed[:-1])}{' and ' if changed[1:] else ''}{changed[-1]}"


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name in dict.fromkeys((*before, *now)):
        values = before.get(name), now.get(name)
        if _text(values[0]) != _text(values[1]):
            yield name, values


def _text(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def check_here(workspace: Workspace, run: sa.Row[Any] | RunRecord) -> None:
    """FolkwaysError for an archived ``run`` of the ``workspace``, which is not continued: its replies are not
    here, and their cost would be paid again."""
    if run.archive is not None:
        raise FolkwaysError(
            f"run {run.name}, which asks this, is archived in {run.archive}: its replies are not in the "
            "workspace\n"
            "Put it back first, and nothing is asked again: "
            f"{workspace.command('runs', 'restore', run.name)}\n"
            f"Or ask everything anew, under another {option('name')}"
        )


def _new_name(connection: Connection) -> str:
    """``run-N``, from the number of the next run on: a person may have given that name to another run."""
    names = set(connection.scalars(sa.select(schema.runs.c.name)))
    number = (connection.scalar(sa.select(sa.func.max(schema.runs.c.id))) or 0) + 1
    while f"run-{number}" in names:
        number += 1
    return f"run-{number}"


def _check_name(name: str) -> None:
    if name == "last" or name.isdigit():
        raise FolkwaysError(
            f"{name!r} cannot be the name of a run: numbers and 'last' stand for runs already; choose a word"
        )
    if not name.isprintable() or not name.strip() or len(name) > LONGEST_NAME:
        raise FolkwaysError(f"a run's name has 1 to {LONGEST_NAME} printable characters, got {name[:200]!r}")
    if name in (".", "..") or "/" in name or "\\" in name or name.startswith("-"):
        raise FolkwaysError(
            f"{name!r} cannot be the name of a run: it would be read as a path or an option; choose a word "
            "without / and \\ that does not begin with -"
        )


def forget_run(workspace: Workspace, run: RunRecord) -> bool:
    """Take a run out of the workspace again, with what it expects; responses stay. False, and nothing is
    changed, where it is not any more as ``run`` says."""
    columns = ("id", "name", "state", "created", "finished", "seconds", "archive")
    same = (schema.runs.c[name] == getattr(run, name) for name in columns)
    with workspace.write() as connection:
        return connection.execute(sa.delete(schema.runs).where(*same)).rowcount == 1


def run_tasks(workspace: Workspace, run: RunRecord) -> list[RunTask]:
    """The tasks of a run, in the order they were asked for."""
    order = {task: position for position, task in enumerate(run.config.get("tasks", []))}
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(schema.run_tasks).where(schema.run_tasks.c.run_id == run.id)
        ).all()
    tasks = [
        RunTask(row.task, row.release, row.root, row.fingerprint, orjson.loads(row.options)) for row in rows
    ]
    return sorted(tasks, key=lambda task: order.get(task.task, len(order)))


def any_failed(workspace: Workspace, run: RunRecord) -> bool:
    """Whether a request of the run failed when it was last asked."""
    with workspace.read() as connection:
        return bool(connection.scalar(sa.select(sa.exists().where(schema.failures.c.run_id == run.id))))


def set_state(
    workspace: Workspace, run: RunRecord, state: str, *, reason: str | None = None, seconds: float = 0.0
) -> RunRecord:
    """Record the state of a run (of schema.runs) in ``workspace``, with the ``reason`` if it stopped, and add
    ``seconds`` of asking time. Returns the run as it is then, if nobody else has changed it."""
    finished, total_seconds = time.time() if state != "running" else None, schema.runs.c.seconds + seconds
    _change(workspace, run, state=state, reason=reason, finished=finished, seconds=total_seconds)
    return replace(run, state=state, reason=reason, finished=finished, seconds=run.seconds + seconds)


def start_session(workspace: Workspace, run: RunRecord) -> bool:
    """Have a run be asked; whether this is the first to ask it now, as far as its state tells."""
    return _change(
        workspace, run, schema.runs.c.state != "running", state="running", reason=None, finished=None
    )


def mark_unscored(workspace: Workspace, run: RunRecord) -> None:
    """A finished run that is about to be judged again is not finished until it is scored: judging may be
    killed halfway."""
    _change(workspace, run, schema.runs.c.state == "finished", state="asked")


def mark_scored(workspace: Workspace, run: RunRecord) -> None:
    """Finish a run that is scored, if all of it was asked; another run stays as it is."""
    _change(workspace, run, schema.runs.c.state == "asked", state="finished", finished=time.time())


def _change(workspace: Workspace, run: RunRecord, *where: sa.ColumnElement[bool], **values: Any) -> bool:
    """Change the row of a run if all of ``where`` holds; whether it did."""
    with workspace.write() as connection:
        return (
            connection.execute(
                sa.update(schema.runs).where(schema.runs.c.id == run.id, *where).values(**values)
            ).rowcount
            > 0
        )


def intern(connection: Connection, table: sa.Table, column: str, value: str, **more: str) -> int:
    """The id of the row of ``table`` whose ``column`` is ``value``, inserted with ``more`` over
    ``connection`` if it is new."""
    query = sa.select(table.c.id).where(table.c[column] == value)
    row_id = connection.scalar(query)
    if row_id is None:
        connection.execute(sa.insert(table).values({column: value, **more}))
        row_id = connection.scalar(query)
    return int(row_id)  # type: ignore[arg-type]


def endpoint_id(workspace: Workspace, identity: str, name: str) -> int:
    """The number under which this endpoint's requests are stored."""
    with workspace.write() as connection:
        return intern(connection, schema.endpoints, "identity", identity, name=name)


def endpoint_names(workspace: Workspace, identities: Sequence[str]) -> dict[str, str]:
    """Endpoints by their identity -> as the user wrote them, those that are known."""
    endpoints = schema.endpoints
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(endpoints.c.identity, endpoints.c.name).where(endpoints.c.identity.in_(identities))
        )
        names = {row.identity: row.name for row in rows}
    return {identity: names[identity] for identity in identities if identity in names}


def settings_id(workspace: Workspace, json: str) -> int:
    """The number under which these sampling settings are stored."""
    with workspace.write() as connection:
        return intern(connection, schema.settings, "json", json)


def last_ordinal(workspace: Workspace, run: RunRecord) -> int:
    """The highest number among what a run expects; 0 where it expects nothing yet."""
    expected = schema.expected
    with workspace.read() as connection:
        return int(
            connection.scalar(sa.select(sa.func.max(expected.c.ordinal)).where(expected.c.run_id == run.id))
            or 0
        )


def forget_expected(workspace: Workspace, run: RunRecord, ordinals: Sequence[int]) -> None:
    """Take rows out of what a run expects. For a sampled run that was never going to ask everything;
    responses stay."""
    with workspace.write() as connection:
        for part in in_parts(ordinals):
            connection.execute(
                sa.delete(schema.expected).where(
                    schema.expected.c.run_id == run.id, schema.expected.c.ordinal.in_(part)
                )
            )


def write_expected(workspace: Workspace, prompts: Rows, expected: Rows) -> None:
    """Write down prompts and the items that expect an answer to them; rows that are there already stay as
    they are."""
    with workspace.write() as connection:
        workspace.insert_new(connection, schema.prompts, prompts)
        workspace.insert_new(connection, schema.expected, expected)
