"""Imports items into a stage: pre-made questions, sentences, templates. All rows or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from folkways.errors import UnknownNameError
from folkways.studio.errors import SubmissionError
from folkways.studio.imports.tables import RowsError, structured
from folkways.studio.records import Item
from folkways.studio.services import studies
from folkways.studio.services.items import NewItem, add_items, list_items
from folkways.studio.services.media import media_names, no_file
from folkways.studio.stages.registry import stage_kind
from folkways.workspace.database import Workspace

IDS = ("id", "item_id", "item")
RESERVED = (*IDS, "population", "check")
"""Columns of any table of items: its id (the first of IDS that is there), its population's name, and the right payload (JSON) of an
attention check. A kind of stage may have a field of such a name itself (``own_columns``)."""


def import_items(
    workspace: Workspace,
    study_id: int,
    stage: str,
    rows: Sequence[Mapping[str, str]],
    *,
    population: str | None = None,
    file: str | None = None,
    by: int | None = None,
) -> tuple[Item, ...]:
    """Add one item per row to a stage; columns are the fields of its content (see the stage's kind), and RESERVED.

    Options come as columns ``option_a`` to ``option_h``, or as one column ``options`` with a JSON list; candidates of a sentence as
    ``candidate_1`` and so on, each with its ``by_1``. population: for rows that name none. Raises UnknownNameError for one that the
    study has not, and RowsError naming every row that cannot be used; nothing is added then.
    """
    found = studies.get_stage(workspace, study_id, stage)
    kind = stage_kind(found.kind)
    known = {each.name for each in studies.populations(workspace, study_id)}
    if population is not None and population not in known:
        raise UnknownNameError("population of this study", population, known)
    taken = {item.key for item in list_items(workspace, study_id, stage)}
    ids = [name for name in IDS if name not in kind.own_columns]
    files = media_names(workspace, study_id)
    problems: dict[int, str] = {}
    new: list[NewItem] = []
    for number, row in enumerate(rows, 1):
        key = next((row[name].strip() for name in ids if row.get(name, "").strip()), f"{stage}-row-{number}")
        place = row.get("population", "").strip() or population
        check = structured(row.get("check", "")) or None
        try:
            content = kind.check_content(content_of(row, kind.own_columns), found.config)
        except SubmissionError as error:
            problems[number] = str(error)
            continue
        if gone := [name for name in kind.media(content, found.config) if name not in files]:
            problems[number] = no_file(gone[0])
        elif key in taken:
            problems[number] = f"there is an item {key!r} already"
        elif len(key) > 120:
            problems[number] = "the item's id has more than 120 characters"
        elif place is not None and place not in known:
            problems[number] = f"there is no population {place!r}; valid: {', '.join(sorted(known))}"
        elif check is not None and not isinstance(check, dict):
            problems[number] = 'check has to be a JSON object of the right payload, such as {"choices": [0]}'
        taken.add(key)
        new.append(NewItem(key, content, place, check))
    if problems:
        raise RowsError(problems, file)
    return add_items(workspace, study_id, stage, new, by=by)


def content_of(row: Mapping[str, str], own_columns: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of an item in a row: empty cells left out, JSON read, numbered columns gathered."""
    reserved = {*RESERVED} - {*own_columns}
    content: dict[str, Any] = {
        name: structured(value) for name, value in row.items() if name not in reserved and value.strip() and not _is_part(name)
    }
    options = [row[name] for name in sorted(name for name in row if name.startswith("option_")) if row[name].strip()]
    if options:
        content["options"] = options
    numbers = sorted((name.removeprefix("candidate_") for name in row if name.startswith("candidate_")), key=_number)
    candidates = [{"text": row[f"candidate_{each}"], "by": row.get(f"by_{each}", "")} for each in numbers]
    candidates = [each for each in candidates if each["text"].strip()]
    if candidates:
        content["candidates"] = candidates
    return content


def _is_part(name: str) -> bool:
    return name.startswith(("option_", "candidate_")) or (name.startswith("by_") and name[3:].isdigit())


_number: Callable[[str], tuple[int, str]] = lambda text: (int(text) if text.isdecimal() else 0, text)  # noqa: E731 - a sort key
