"""Items and their lineage: added by researchers or by an earlier stage, with one slot for each wanted
answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Json, Workspace, insert
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import Lock, find_row, read_all, require_study
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items.preannotations import NewPreAnnotation, checked_suggestions, place_suggestions
from folkways_studio.media.service import no_file
from folkways_studio.records import AssignmentState, Item, ItemState, Revision, Stage, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import get_population, get_stage
from folkways_studio.workflows.editing import asked_by

MOST_NAMED = 1000
"""Values in one statement; databases have a limit."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be added. population: its name, None for everybody. check: the known answer; test: whether
    it belongs to the test before the stage. suggestions: what models suggest for it."""

    key: str
    content: Mapping[str, Any]
    population: str | None = None
    check: Mapping[str, Any] | None = None
    test: bool = False
    suggestions: Sequence[NewPreAnnotation] = ()


_revisions, _items = schema.revisions, schema.items
_SLOTS_ADDED, _REVISED = sa.insert(schema.assignments), sa.insert(_revisions)
_PLACED = sa.insert(_items).returning(_items.c.id, _items.c.population_id)
_NEXT_REVISION = (
    sa.insert(_revisions)
    .values(
        number=sa.select(sa.func.coalesce(sa.func.max(_revisions.c.number), 0) + 1)
        .where(_revisions.c.item_id == sa.bindparam("item"))
        .scalar_subquery()
    )
    .returning(_revisions.c.number)
)
_LAST_SLOT = sa.select(
    sa.select(sa.func.max(schema.assignments.c.slot))
    .where(schema.assignments.c.item_id == _items.c.id)
    .scalar_subquery()
    .label("slot"),
    _items.c.allocation_id,
).where(_items.c.id == sa.bindparam("item"))
"""Built once: building one costs more than running it."""

CheckedItem = tuple[NewItem, int | None, Mapping[str, Any]]
"""A new item, the id of its population, and its content as the stage's kind has checked it."""


def add_items(
    workspace: Workspace, study_id: int, stage: str, new: Iterable[NewItem], *, by: int | None = None
) -> tuple[Item, ...]:
    """Add new items to a stage, all or none. SubmissionError names the first wrong one by its key;
    ConflictError for a taken key. workspace, study_id: the study."""
    stage_record = get_stage(workspace, study_id, stage)
    kind = stage_kind(stage_record.kind)
    population_id = cache(lambda name: get_population(workspace, study_id, name).id)
    rows = []
    for each in new:
        population = population_id(each.population) if each.population is not None else None
        try:
            content = kind.check_content(each.content, stage_record.config)
            if each.check is not None:
                each = replace(each, check=kind.check_known(each.check, content, stage_record.config))
            checked = replace(
                each, suggestions=checked_suggestions(each.suggestions, kind, content, stage_record.config)
            )
        except SubmissionError as error:
            raise SubmissionError(
                {f"{each.key}, {field}": problem for field, problem in error.problems.items()}
            ) from None
        rows.append((checked, population, content))
    with workspace.write() as connection:
        numbers = place_new(connection, stage_record, rows)
        if numbers:
            details = {"stage": stage, "n": len(numbers)}
            audit.record_event(connection, "items.added", study_id, by, details=details)
        ids = schema.items.c.id.between(min(numbers, default=0), max(numbers, default=0))
        query = sa.select(schema.items).where(schema.items.c.stage_id == stage_record.id, ids)
        placed = {row.id: row for row in connection.execute(query)}
        return tuple(from_row(Item, placed[number]) for number in numbers)


def place_new(
    connection: sa.Connection, stage: Stage, new: Sequence[CheckedItem], *, job_id: int | None = None
) -> list[int]:
    """Insert new items into a stage, with revisions and open slots, and return their ids. job_id: of their
    import. Raises ConflictError for a key that the stage has already, and where what the items were checked
    by is not so any more; NotFoundError for a study that was deleted. connection: the caller's transaction.
    """
    items = schema.items
    stage = _as_it_is(connection, stage, new)
    existing = set(
        connection.scalars(
            sa.select(items.c.key).where(
                items.c.stage_id == stage.id, _among([each.key for each, _, _ in new])
            )
        )
    )
    for each, _, _ in new:
        if each.key in existing:
            raise ConflictError(f"there is an item {each.key!r} in {stage.name} already; nothing was added")
        existing.add(each.key)
    rows = [
        {
            **_row(stage, each.key, content, population_id=population_id, check=each.check, test=each.test),
            "job_id": job_id,
        }
        for each, population_id, content in new
    ]
    if not rows:
        return []
    # One statement for many rows, because a statement costs more than a row.
    numbers = list(
        connection.scalars(sa.insert(items).returning(items.c.id, sort_by_parameter_order=True), rows)
    )
    numbered = [(number, row) for number, row in zip(numbers, rows, strict=True)]
    written = Json().process_bind_param  # this insert bypasses the column types
    revisions = [_revision(number, 1, "placed", row["content"]) for number, row in numbered]
    insert(
        connection,
        schema.revisions,
        [{**each, "content": written(each["content"], connection.dialect)} for each in revisions],
        replace=False,
    )
    answers = stage_kind(stage.kind).answers_wanted(stage.config)
    slots = [
        slot
        for number, row in numbered
        if row["check"] is None
        for slot in _slots(number, stage.id, row["population_id"], 0, answers)
    ]
    insert(connection, schema.assignments, slots, replace=False)
    place_suggestions(
        connection, [(number, each.suggestions) for number, (each, _, _) in zip(numbers, new, strict=True)]
    )
    return numbers


def _as_it_is(connection: sa.Connection, stage: Stage, new: Sequence[CheckedItem]) -> Stage:
    """The stage as it is now: its description may have been changed since the items were checked, and files
    may have been deleted."""
    require_study(connection, stage.study_id)
    row = find_row(connection, schema.stages, id=stage.id)
    now = from_row(Stage, row) if row is not None else None
    populations = schema.populations
    of_study = sa.select(populations.c.id).where(populations.c.study_id == stage.study_id)
    named = {population_id for _, population_id, _ in new if population_id is not None}
    if now is None or asked_by(now) != asked_by(stage) or not named <= {*connection.scalars(of_study)}:
        raise ConflictError(
            "the description of the study was changed while the items were read; add them again"
        )
    kind = stage_kind(now.kind)
    if shown := {name: each.key for each, _, content in new for name in kind.media(content, now.config)}:
        files = set(connection.scalars(sa.select(schema.media.c.name).filter_by(study_id=now.study_id)))
        for name in [name for name in shown if name not in files][:1]:
            raise SubmissionError({shown[name]: no_file(name)})
    return now


def _among(keys: Sequence[str]) -> sa.ColumnElement[bool]:
    """Whether a key is one of these; true for more keys than a statement can have."""
    return schema.items.c.key.in_(keys) if len(keys) <= MOST_NAMED else sa.true()


def place_item(
    connection: sa.Connection, stage: Stage, key: str, content: Mapping[str, Any], parent: Item,
    population_id: int | None, *, check: Mapping[str, Any] | None = None, test: bool = False, round: int = 1,
) -> int:  # fmt: skip
    """Insert an item of a stage that descends from ``parent``, with its open slots, and return its id.

    key, content, population_id, check, test, round: its columns. Attention checks get slots on demand.
    connection: the caller's transaction.
    """
    return place_items(
        connection, stage, {population_id: key}, content, parent, check=check, test=test, round=round
    )[0]


def place_items(
    connection: sa.Connection, stage: Stage, keys: Mapping[int | None, str], content: Mapping[str, Any],
    parent: Item, *, check: Mapping[str, Any] | None = None, test: bool = False, round: int = 1,
    slots: bool = True,
) -> list[int]:  # fmt: skip
    """``place_item`` for several populations; returns ids in the order of ``keys``.

    stage, content, parent, check, test, round: as in ``place_item``. keys: id of a population -> key of its
    item. slots: whether anybody is asked. connection: the caller's transaction.
    """
    descent = {"parent_id": parent.id, "author_id": parent.author_id, "round": round}
    rows = [
        {**_row(stage, key, content, population_id=population_id, check=check, test=test), **descent}
        for population_id, key in keys.items()
    ]
    placed = {row.population_id: row.id for row in connection.execute(_PLACED, rows)}
    numbers = [placed[population_id] for population_id in keys]
    connection.execute(
        _REVISED,
        [_revision(number, 1, "placed", content, participant_id=parent.author_id) for number in numbers],
    )
    wanted = stage_kind(stage.kind).answers_wanted(stage.config) if slots and check is None else 0
    if open_slots := [
        slot
        for population_id, number in placed.items()
        for slot in _slots(number, stage.id, population_id, 0, wanted)
    ]:
        connection.execute(_SLOTS_ADDED, open_slots)
    return numbers


def _row(
    stage: Stage,
    key: str,
    content: Mapping[str, Any],
    *,
    population_id: int | None,
    check: Mapping[str, Any] | None,
    test: bool,
) -> dict[str, Any]:
    return {
        "study_id": stage.study_id,
        "stage_id": stage.id,
        "population_id": population_id,
        "key": key[:128],
        "round": 1,
        "content": dict(content),
        "state": str(ItemState.OPEN),
        "check": dict(check) if check is not None else None,
        "test": test or None,
        "created": time.time(),
    }


def add_slots(
    connection: sa.Connection, item_id: int, stage_id: int, population_id: int | None, count: int
) -> None:
    """Give an item ``count`` more open slots. The caller holds the item's row, so that slot numbers are
    unique. stage_id, population_id: of the item. connection: the caller's transaction. item_id: the item."""
    if count < 1:
        return
    last = connection.execute(_LAST_SLOT, {"item": item_id}).one()
    slots = _slots(item_id, stage_id, population_id, last.slot or 0, count, last.allocation_id)
    connection.execute(_SLOTS_ADDED, slots)


def more_slots(connection: sa.Connection, numbers: Sequence[int], more: int) -> None:
    """Give each of these items ``more`` open slots. The caller holds their rows."""
    table, items = schema.assignments, schema.items
    query = (
        sa.select(
            items.c.id,
            items.c.stage_id,
            items.c.population_id,
            sa.func.coalesce(sa.func.max(table.c.slot), 0).label("last"),
            items.c.allocation_id,
        )
        .outerjoin(table, table.c.item_id == items.c.id)
        .where(items.c.id.in_(numbers))
        .group_by(items.c.id, items.c.stage_id, items.c.population_id, items.c.allocation_id)
    )
    rows = [
        slot
        for row in connection.execute(query)
        for slot in _slots(row.id, row.stage_id, row.population_id, row.last, more, row.allocation_id)
    ]
    insert(connection, table, rows, replace=False)


def _slots(
    item_id: int,
    stage_id: int,
    population_id: int | None,
    last: int,
    count: int,
    allocation_id: int | None = None,
) -> list[dict[str, Any]]:
    """Open slots numbered after ``last``. allocation_id: of the item; None: for anybody."""
    same = {
        "item_id": item_id,
        "stage_id": stage_id,
        "population_id": population_id,
        "state": str(AssignmentState.OPEN),
        "allocation_id": allocation_id,
    }
    return [{**same, "slot": last + number} for number in range(1, count + 1)]


def add_revision(
    connection: sa.Connection,
    item_id: int,
    step: str,
    content: Mapping[str, Any],
    *,
    participant_id: int | None = None,
    strategy: str | None = None,
) -> int:
    """Store a state (step) of an item's content and return its number. The caller holds the item's row.
    participant_id: who made it; strategy: by which strategy. connection: the caller's transaction. item_id:
    the item."""
    row = _revision(item_id, 0, step, content, strategy=strategy, participant_id=participant_id)
    del row["number"]
    return int(connection.execute(_NEXT_REVISION, {**row, "item": item_id}).scalar_one())


def begin_revisions(
    connection: sa.Connection,
    item_id: int,
    step: str,
    content: Mapping[str, Any],
    *,
    participant_id: int | None,
) -> None:
    """``add_revision`` for a new item. step, content, participant_id: as there. connection: the caller's
    transaction. item_id: the item."""
    connection.execute(_REVISED, _revision(item_id, 1, step, content, participant_id=participant_id))


def _revision(
    item_id: int,
    number: int,
    step: str,
    content: Mapping[str, Any],
    *,
    strategy: str | None = None,
    participant_id: int | None = None,
) -> dict[str, Any]:
    about = {"item_id": item_id, "number": number, "step": step, "strategy": strategy}
    return {**about, "content": dict(content), "participant_id": participant_id, "created": time.time()}


def get_item(workspace: Workspace, study_id: int, item_id: int) -> Item:
    """An item of this study; NotFoundError."""
    with workspace.read() as connection:
        return item_within(connection, study_id, item_id)


def item_within(connection: sa.Connection, study_id: int, item_id: int, *, lock: Lock = "no") -> Item:
    """``get_item`` within the caller's transaction. lock: how to lock the row. NotFoundError. connection: the
    caller's transaction. study_id: the study. item_id: the item."""
    row = find_row(connection, schema.items, id=item_id, study_id=study_id, lock=lock)
    if row is None:
        raise NotFoundError("there is no such item")
    return from_row(Item, row)


def list_items(
    workspace: Workspace,
    study_id: int,
    stage: str | None = None,
    *,
    population_id: int | None = None,
    state: ItemState | None = None,
    import_id: int | None = None,
    after: int = 0,
    limit: int | None = None,
) -> tuple[Item, ...]:
    """Items of a study by id, after the id ``after``, at most ``limit``; only of one stage, population_id,
    state or import_id if given. workspace, study_id: the study."""
    query = sa.select(schema.items).where(schema.items.c.study_id == study_id, schema.items.c.id > after)
    if stage is not None:
        query = query.where(schema.items.c.stage_id == get_stage(workspace, study_id, stage).id)
    named = {"population_id": population_id, "state": state, "job_id": import_id}
    query = query.filter_by(**{name: value for name, value in named.items() if value is not None})
    return read_all(workspace, Item, query.order_by(schema.items.c.id).limit(limit))


def lineage(workspace: Workspace, study_id: int, item_id: int) -> tuple[Item, ...]:
    """The item and its ancestors, oldest first."""
    items = [get_item(workspace, study_id, item_id)]
    while items[-1].parent_id is not None:
        items.append(get_item(workspace, study_id, items[-1].parent_id))
    return tuple(reversed(items))


def revisions(workspace: Workspace, study_id: int, item_id: int) -> tuple[Revision, ...]:
    """Every state of the item's content, oldest first."""
    get_item(workspace, study_id, item_id)
    query = sa.select(schema.revisions).filter_by(item_id=item_id).order_by(schema.revisions.c.number)
    return read_all(workspace, Revision, query)


def close_open_slots(connection: sa.Connection, item_id: int) -> None:
    """Close the item's open slots. Slots that somebody holds stay open, and their work is accepted."""
    table = schema.assignments
    open_slots = sa.select(table.c.id).where(
        table.c.item_id == item_id, table.c.state == AssignmentState.OPEN
    )
    # Lock them, so that a slot that is being claimed now is either seen as claimed or not claimed.
    ids = list(connection.scalars(open_slots.order_by(table.c.slot).with_for_update()))
    if ids:
        connection.execute(
            sa.update(table).where(table.c.id.in_(ids)).values(state=str(AssignmentState.CLOSED))
        )
