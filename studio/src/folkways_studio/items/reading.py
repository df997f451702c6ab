"""Imports items into a stage: pre-made questions, sentences, templates. All rows are checked before the first
is added."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from folkways.sdk.errors import UnknownNameError
from folkways.sdk.workspace import Workspace
from folkways_studio.errors import ConflictError, StudioError, SubmissionError
from folkways_studio.items import imports
from folkways_studio.items.imports import Import, ImportState
from folkways_studio.items.service import Checked, NewItem, list_items
from folkways_studio.items.tables import RowsError, structured
from folkways_studio.media.service import media_names, no_file
from folkways_studio.records import Item
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies

IDS = ("id", "item_id", "item")
KNOWN = ("check", "qualification")
"""Columns with a known answer: of a question among the work, or of one of the test before the stage."""

RESERVED = (*IDS, "population", *KNOWN)
"""Columns of any table of items: its id (the first of IDS that is there), its population's name, and KNOWN
(JSON, or the value of the first of the kind's ``known_fields``). A kind of stage may have a field of such a
name itself (``own_columns``)."""


AT_ONCE, FEWEST, SECONDS_AT_ONCE = 25, 10, 0.05
"""Items that the first transaction adds, and seconds that one is to last: those after it add more or fewer,
FEWEST at least."""

Told = Callable[[int, int], None]
"""Is told how many items were added so far, and of how many, again and again."""

BREATH = 0.001
"""Seconds for which checking rows lets other threads of the process go first, after every few rows."""


def import_items(
    workspace: Workspace,
    study_id: int,
    stage: str,
    rows: Sequence[Mapping[str, str]],
    *,
    population: str | None = None,
    file: str | None = None,
    by: int | None = None,
    told: Told = lambda added, rows: None,
) -> tuple[Item, ...]:
    """Add one item per row to a stage; columns are the fields of its content (see the stage's kind), and
    RESERVED.

    Options come as columns ``option_a`` to ``option_h``, or as one column ``options`` with a JSON list;
    candidates of a sentence as ``candidate_1`` and so on, each with its ``by_1``. population: for rows that
    name none; a reply to judge goes to the population of its ``culture`` then. Raises UnknownNameError for
    one that the study has not, and RowsError naming every row that cannot be used; nothing is added then. The
    rows are added a few at a time, so that people go on working meanwhile; what was added is an import, which
    can be deleted again. told: how far it is.
    """
    new = checked_rows(workspace, study_id, stage, rows, population=population, file=file)
    found = imports.begin(workspace, study_id, stage, file or "", population=population, by=by)
    add_checked(workspace, found, new, told=told)
    ended = imports.get_import(workspace, study_id, found.id)
    if ended.state != ImportState.DONE:
        raise ConflictError(ended.error or "the import was cancelled")
    return list_items(workspace, study_id, stage, import_id=found.id)


def add_checked(
    workspace: Workspace,
    found: Import,
    new: Sequence[Checked],
    going: Callable[[], bool] = lambda: True,
    told: Told = lambda added, rows: None,
) -> None:
    """Add an import's items a few at a time, as long as ``going``; those of an earlier try are passed over.

    Half of the time is left to everybody else who writes. A key that somebody else has added meanwhile makes
    it fail.
    """
    stage = studies.get_stage(workspace, found.study_id, found.stage)
    there = imports.keys_of(workspace, stage.id, found.id)
    rest = [each for each in new if each[0].key not in there]
    place, size = 0, AT_ONCE
    while place < len(rest):
        if not going():
            return imports.release(workspace, found)
        began = time.monotonic()
        try:
            if not imports.add_batch(workspace, found, stage, rest[place : place + size], rows=len(new)):
                return None
        except StudioError as error:
            imports.end(workspace, found, ImportState.FAILED, error=str(error))
            return None
        place += size
        told(len(new) - len(rest) + min(place, len(rest)), len(new))
        lasted = time.monotonic() - began
        size = max(FEWEST, min(size * 2, round(size * SECONDS_AT_ONCE / lasted)))
        time.sleep(lasted)
    imports.end(workspace, found, ImportState.DONE)
    return None


def checked_rows(
    workspace: Workspace,
    study_id: int,
    stage: str,
    rows: Sequence[Mapping[str, str]],
    *,
    population: str | None = None,
    file: str | None = None,
    import_id: int | None = None,
) -> list[Checked]:
    """Every row as a new item; raises what ``import_items`` does. import_id: whose items, of an earlier try,
    are there already."""
    found = studies.get_stage(workspace, study_id, stage)
    kind = stage_kind(found.kind)
    populations = studies.populations(workspace, study_id)
    known = {each.name: each.id for each in populations}
    of_culture = (
        {each.culture: each.name for each in populations if each.parent_id is None}
        if kind.judges_replies
        else {}
    )
    if population is not None and population not in known:
        raise UnknownNameError("population of this study", population, known)
    taken = set(imports.keys_of(workspace, found.id))
    if import_id is not None:
        taken -= imports.keys_of(workspace, found.id, import_id)
    ids = [name for name in IDS if name not in kind.own_columns]
    files = media_names(workspace, study_id)
    problems: dict[int, str] = {}
    new: list[Checked] = []
    for number, row in enumerate(rows, 1):
        if number % AT_ONCE == 0:
            time.sleep(BREATH)
        key = next((row[name].strip() for name in ids if row.get(name, "").strip()), f"{stage}-row-{number}")
        place = (
            row.get("population", "").strip() or population or of_culture.get(row.get("culture", "").strip())
        )
        try:
            content = kind.check_content(content_of(row, kind.own_columns), found.config)
            known_answer, test = _known_answer(row, kind, content, found.config)
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
        taken.add(key)
        new.append((NewItem(key, content, place, known_answer, test), known.get(place or ""), content))
    if problems:
        raise RowsError(problems, file)
    return new


def _known_answer(
    row: Mapping[str, str], kind: StageKind, content: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[Mapping[str, Any] | None, bool]:
    """The known answer of a row, None for none, and whether it is of the test; SubmissionError for one that
    cannot be."""
    given = [name for name in KNOWN if row.get(name, "").strip()]
    if not given:
        return None, False
    name = given[0]
    if len(given) > 1:
        raise SubmissionError(
            {
                name: "a question is of the test or comes among the work: fill in one of check and "
                "qualification"
            }
        )
    if not kind.known_fields:
        raise SubmissionError({name: f"an answer of {kind.name} cannot be known beforehand"})
    try:
        return kind.check_known(
            kind.read_known(structured(row[name])), content, config
        ), name == "qualification"
    except SubmissionError as error:
        raise SubmissionError(
            {f"{name}, {field}" if field else name: problem for field, problem in error.problems.items()}
        ) from None


def content_of(row: Mapping[str, str], own_columns: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of an item in a row: empty cells left out, JSON read, numbered columns gathered."""
    reserved = {*RESERVED} - {*own_columns}
    content: dict[str, Any] = {
        name: structured(value)
        for name, value in row.items()
        if name not in reserved and value.strip() and not _is_part(name)
    }
    options = [
        row[name] for name in sorted(name for name in row if name.startswith("option_")) if row[name].strip()
    ]
    if options:
        content["options"] = options
    numbers = sorted(
        (name.removeprefix("candidate_") for name in row if name.startswith("candidate_")), key=_number
    )
    candidates = [{"text": row[f"candidate_{each}"], "by": row.get(f"by_{each}", "")} for each in numbers]
    candidates = [each for each in candidates if each["text"].strip()]
    if candidates:
        content["candidates"] = candidates
    return content


def _is_part(name: str) -> bool:
    return name.startswith(("option_", "candidate_")) or (name.startswith("by_") and name[3:].isdigit())


_number: Callable[[str], tuple[int, str]] = lambda text: (int(text) if text.isdecimal() else 0, text)  # noqa: E731 - a sort key
