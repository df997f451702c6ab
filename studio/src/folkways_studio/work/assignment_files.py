"""Assignments from a table: an item and a person or population per row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from folkways.sdk.errors import DataError
from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.items.table_files import RowsError, numbered
from folkways_studio.work.assignees import (
    Assignee,
    AssignmentReceipt,
    Refusal,
    StudyPeople,
    assign,
    in_parts,
    people_of,
    refusals,
)

COLUMNS = ("item", "item_id", "stage", "person", "population")
"""Columns that are read. item: its key, or item_id as exports have it; stage: needed where stages share a
key. person: a pseudonym; population: a name. A row with neither makes its item one for anybody."""

LARGEST_ID = 2**31 - 1


def assign_rows(
    workspace: Workspace,
    study_id: int,
    rows: Sequence[Mapping[str, str]],
    *,
    add: bool = False,
    take_back: bool = False,
    preview: bool = False,
    file: str | None = None,
    by: int | None = None,
) -> AssignmentReceipt:
    """Assign the items of a table to the people and populations of its rows: all of it, or nothing if a row
    cannot be used. Several rows of an item name several assignees.

    workspace, study_id: the study. rows: with columns of COLUMNS, others are not read. add, take_back, by: as
    in ``assign``. preview: only check. file: name for errors. DataError for a table without a column of
    items; RowsError for rows that cannot be used.
    """
    people = people_of(workspace, study_id)
    wanted, row_of = _read(workspace, study_id, people, rows, file)
    if preview:
        refused: Sequence[Refusal] = refusals(workspace, study_id, wanted)
        receipt = AssignmentReceipt(len(wanted), 0, tuple(refused))
    else:
        receipt = assign(
            workspace, study_id, wanted, add=add, take_back=take_back, strict=True, by=by, how="file"
        )
    problems = {}
    for each in receipt.refusals:
        if each.assignee is None:
            number = min(row for (item, _), row in row_of.items() if item == each.item_id)
            problems[number] = f"the item cannot be assigned: {each.reason}"
        else:
            number = row_of[each.item_id, each.assignee]
            problems[number] = f"the item cannot be assigned to {each.assignee.name}: {each.reason}"
    if problems:
        raise RowsError(dict(sorted(problems.items())), file)
    return receipt


def _read(
    workspace: Workspace,
    study_id: int,
    people: StudyPeople,
    rows: Sequence[Mapping[str, str]],
    file: str | None,
) -> tuple[dict[int, list[Assignee]], dict[tuple[int, Assignee | None], int]]:
    """Item id -> its assignees, and the row of each pair."""
    columns = {name for row in rows for name in row}
    if not columns & {"item", "item_id"} or not columns & {"person", "population"}:
        raise DataError(
            "has to have a column item (or item_id, as exports have it), and person or population", file=file
        )
    cells = [{name: (row.get(name) or "").strip() for name in COLUMNS} for row in rows]
    by_key, by_id = _items_named(workspace, study_id, cells)
    populations = {name: number for number, name in people.populations.items()}
    persons = {each.assignee.name: each.assignee for each in people.people.values()}
    wanted: dict[int, list[Assignee]] = {}
    row_of: dict[tuple[int, Assignee | None], int] = {}
    problems: dict[int, str] = {}
    for number, _ in numbered(rows):
        cell = cells[number - 1]
        item = _item_of(cell, by_key, by_id)
        assignee: Assignee | str | None = None
        if cell["person"] and cell["population"]:
            assignee = "names a person and a population; give them a row each"
        elif cell["person"]:
            assignee = persons.get(cell["person"]) or f"there is no person {cell['person']!r} in this study"
        elif cell["population"]:
            name = cell["population"]
            assignee = (
                Assignee(name, population_id=populations[name])
                if name in populations
                else f"there is no population {name!r}; valid: {', '.join(sorted(populations))}"
            )
        wrong: str | None = None
        if isinstance(item, str):
            wrong = item
        elif isinstance(assignee, str):
            wrong = assignee
        else:
            pair = (item, assignee)
            others = wanted.get(item)
            if pair in row_of:
                wrong = f"says the same as row {row_of[pair]}"
            elif others is not None and (assignee is None or not others):
                wrong = "assigns the item to nobody, and another row of it to somebody"
            else:
                row_of[pair] = number
                wanted.setdefault(item, [])
                if assignee is not None:
                    wanted[item].append(assignee)
        if wrong is not None:
            problems[number] = wrong
    if problems:
        raise RowsError(problems, file)
    return wanted, row_of


Keys = Mapping[str, Sequence[Any]]
"""Key -> rows of items."""


def _items_named(
    workspace: Workspace, study_id: int, cells: Sequence[Mapping[str, str]]
) -> tuple[Keys, Mapping[int, Any]]:
    """The items of these keys, and those of these ids."""
    items, stages = schema.items, schema.stages
    query = (
        sa.select(items.c.id, items.c.key, items.c.round, stages.c.name.label("stage"))
        .join(stages, stages.c.id == items.c.stage_id)
        .where(items.c.study_id == study_id)
        .order_by(items.c.id)
    )
    keys = sorted({cell["item"] for cell in cells if cell["item"] and not cell["item_id"]})
    ids = sorted({int(cell["item_id"]) for cell in cells if _is_id(cell["item_id"])})
    by_key: dict[str, list[Any]] = defaultdict(list)
    by_id: dict[int, Any] = {}
    with workspace.read() as connection:
        for some in in_parts(keys):
            for row in connection.execute(query.where(items.c.key.in_(some))):
                by_key[row.key].append(row)
        for numbers in in_parts(ids):
            by_id |= {row.id: row for row in connection.execute(query.where(items.c.id.in_(numbers)))}
    return by_key, by_id


def _is_id(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and int(cell) <= LARGEST_ID


def _item_of(cell: Mapping[str, str], by_key: Keys, by_id: Mapping[int, Any]) -> int | str:
    """The id of the item of a row, or what is wrong with it."""
    if cell["item_id"]:
        row = by_id.get(int(cell["item_id"])) if _is_id(cell["item_id"]) else None
        if row is None:
            return f"there is no item with the id {cell['item_id']!r} in this study"
        if cell["item"] and cell["item"] != row.key:
            return f"the item with the id {cell['item_id']} is {row.key!r}, not {cell['item']!r}"
        return int(row.id)
    if not cell["item"]:
        return "names no item"
    rows = [row for row in by_key.get(cell["item"], ()) if cell["stage"] in ("", row.stage)]
    if not rows:
        at = f" in the stage {cell['stage']!r}" if cell["stage"] else ""
        return f"there is no item {cell['item']!r}{at}"
    if len(stages := sorted({row.stage for row in rows})) > 1:
        return (
            f"there are items {cell['item']!r} in several stages ({', '.join(stages)}); say in which in a "
            "column stage"
        )
    return int(max(rows, key=lambda row: row.round).id)  # of several rounds, the one that is asked now
