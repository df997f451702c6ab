"""Imports items into a stage. All rows are checked before the first is added."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any

from folkways.sdk.errors import UnknownNameError
from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.errors import ConflictError, StudioError, SubmissionError
from folkways_studio.items import imports
from folkways_studio.items.imports import Import, ImportState
from folkways_studio.items.preannotations import COLUMNS as SUGGESTED
from folkways_studio.items.preannotations import checked_suggestions, suggestions_in
from folkways_studio.items.service import CheckedItem, NewItem, list_items
from folkways_studio.items.table_files import RowsError, numbered, structured
from folkways_studio.media.service import media_names, no_file
from folkways_studio.records import Item
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies

IDS = ("id", "item_id", "item")
KNOWN = ("check", "qualification")
"""Columns with a known answer: of a question among the work, or of one in the test before the stage."""

RESERVED = (*IDS, "population", *KNOWN, *SUGGESTED)
"""Columns of any table of items: its id (the first of IDS that is present), its population's name, KNOWN
(JSON, or the value of the first of the kind's ``known_fields``), and what models suggest
(``preannotations.COLUMNS``). A kind of stage may have a field of the same name (``own_columns``)."""


AT_ONCE, FEWEST, SECONDS_AT_ONCE = 25, 10, 0.05
"""Items in the first transaction, the minimum for later ones, and the duration (seconds) that they aim at."""

MOST_COLUMNS_NAMED = 20
"""Columns that a message names."""

OnProgress = Callable[[int, int], None]
"""Called again and again with the number of items added so far and in all."""

BREATH = 0.001
"""Seconds for which checking lets other threads go first, after every few rows."""


def import_items(
    workspace: Workspace,
    study_id: int,
    stage: str,
    rows: Sequence[Mapping[str, str]],
    *,
    population: str | None = None,
    file: str | None = None,
    by: int | None = None,
    on_progress: OnProgress = lambda added, rows: None,
) -> tuple[Item, ...]:
    """Add one item per row to a stage of a study; columns are the fields of its content (see the stage's
    kind), and RESERVED.

    Options are columns ``option_a`` to ``option_h``, or one column ``options`` with a JSON list; candidates
    of a sentence are ``candidate_1`` and so on, each with its ``by_1``. population: for rows that name none;
    a reply to judge then goes to the population of its ``culture``. file: name for errors. Rows are added in
    small batches and form an import in the workspace, which can be deleted again. by: the account that acts.
    on_progress: reports progress. Raises UnknownNameError for an unknown population, RowsError for unusable
    rows (nothing is added then), and ConflictError if the import fails later. Where it is interrupted,
    nothing of it stays; after a power cut, the next import sees to that. study_id: the study.
    """
    imports.end_abandoned(workspace)
    new = checked_rows(workspace, study_id, stage, rows, population=population, file=file)
    job = imports.begin(workspace, study_id, stage, file or "", population=population, by=by)
    try:
        add_checked(workspace, job, new, on_progress=on_progress)
    except BaseException:  # also Ctrl-C: all of it or nothing
        with suppress(WorkspaceError):  # then ``end_abandoned`` does it
            imports.end(workspace, job, ImportState.FAILED, error=imports.INTERRUPTED)
        raise
    ended = imports.get_import(workspace, study_id, job.id)
    if ended.state != ImportState.DONE:
        raise ConflictError(ended.error or "the import was cancelled")
    return list_items(workspace, study_id, stage, import_id=job.id)


def add_checked(
    workspace: Workspace,
    job: Import,
    new: Sequence[CheckedItem],
    going: Callable[[], bool] = lambda: True,
    on_progress: OnProgress = lambda added, rows: None,
) -> None:
    """Add an import's ``new`` items in batches while ``going``; items of an earlier attempt are skipped.

    workspace, job: the import. on_progress: reports progress. Half of the time is left to other writers. If
    somebody else has added a key meanwhile, the import fails.
    """
    stage = studies.get_stage(workspace, job.study_id, job.stage)
    existing = imports.keys_of(workspace, stage.id, job.id)
    missing = [each for each in new if each[0].key not in existing]
    start, size = 0, AT_ONCE
    while start < len(missing):
        if not going():
            return imports.release(workspace, job)
        began = time.monotonic()
        try:
            if not imports.add_batch(workspace, job, stage, missing[start : start + size], rows=len(new)):
                return None
        except StudioError as error:
            imports.end(workspace, job, ImportState.FAILED, error=str(error))
            return None
        start += size
        on_progress(len(new) - len(missing) + min(start, len(missing)), len(new))
        lasted = time.monotonic() - began
        size = max(FEWEST, min(size * 2, round(size * SECONDS_AT_ONCE / lasted)))
        time.sleep(lasted)
    imports.end(workspace, job, ImportState.DONE)
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
) -> list[CheckedItem]:
    """Every row as a new item for the stage. workspace, study_id, rows, population, file and errors
    (UnknownNameError, RowsError) are as in ``import_items``. import_id: an earlier attempt, whose items exist
    already."""
    stage_record = studies.get_stage(workspace, study_id, stage)
    kind = stage_kind(stage_record.kind)
    populations = studies.populations(workspace, study_id)
    population_ids = {each.name: each.id for each in populations}
    cultures = ", ".join(dict.fromkeys(each.culture for each in populations if each.parent_id is None))
    if population is not None and population not in population_ids:
        raise UnknownNameError("population of this study", population, population_ids)
    existing = set(imports.keys_of(workspace, stage_record.id))
    if import_id is not None:
        existing -= imports.keys_of(workspace, stage_record.id, import_id)
    ids = [name for name in IDS if name not in kind.own_columns]
    files = media_names(workspace, study_id)
    problems: dict[int, str | StudioError] = {}
    refused_fields: set[str] = set()
    new: list[CheckedItem] = []
    for number, row in numbered(rows):
        if number % AT_ONCE == 0:
            time.sleep(BREATH)
        key = next((row[name].strip() for name in ids if row.get(name, "").strip()), f"{stage}-row-{number}")
        population_name = row.get("population", "").strip() or population
        culture = row.get("culture", "").strip()
        if kind.judges_replies and culture and population_name is None:
            natives = studies.natives_of(populations, culture, row.get("language", "").strip())
            if natives is None:
                problems[number] = (
                    f"nobody of this study is from {culture} (its populations are of {cultures}); leave the "
                    "row out, or name the population that judges it"
                )
                continue
            population_name = natives.name
        try:
            content = kind.check_content(content_of(row, kind.own_columns), stage_record.config)
            known_answer, test = _known_answer(row, kind, content, stage_record.config)
            suggestions = checked_suggestions(suggestions_in(row), kind, content, stage_record.config)
        except SubmissionError as error:
            problems[number] = error
            refused_fields |= error.problems.keys()
            continue
        if missing := [name for name in kind.media(content, stage_record.config) if name not in files]:
            problems[number] = no_file(missing[0])
        elif key in existing:
            problems[number] = f"there is an item {key!r} already"
        elif len(key) > 120:
            problems[number] = "the item's id has more than 120 characters"
        elif population_name is not None and population_name not in population_ids:
            problems[number] = (
                f"there is no population {population_name!r}; valid: {', '.join(sorted(population_ids))}"
            )
        existing.add(key)
        new.append(
            (
                NewItem(key, content, population_name, known_answer, test, suggestions),
                population_ids.get(population_name or ""),
                content,
            )
        )
    if problems:
        columns = {name: None for row in rows for name in row}
        example = kind.example_row(stage_record.config)
        raise RowsError(problems, file, _lacking(refused_fields, [*columns], example))
    return new


def _lacking(fields: Set[str], columns: Sequence[str], example: Mapping[str, str]) -> str | None:
    """What to say of refused fields for which a table has no column; None if it has one for each.
    example: a row that the stage can use."""
    refused = fields - content_of(dict.fromkeys(columns, "-")).keys()
    lacking = [name for name, cell in example.items() if refused & content_of({name: cell}).keys()]
    if not lacking:
        return None
    more = f" and {len(columns) - MOST_COLUMNS_NAMED} more" if len(columns) > MOST_COLUMNS_NAMED else ""
    named = ", ".join(columns[:MOST_COLUMNS_NAMED])
    return f"the table has no column {', '.join(lacking)}; its columns are {named}{more}"


def _known_answer(
    row: Mapping[str, str], kind: StageKind, content: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[Mapping[str, Any] | None, bool]:
    """The known answer of a row (None for none), and whether it belongs to the test. Raises
    SubmissionError."""
    filled = [name for name in KNOWN if row.get(name, "").strip()]
    if not filled:
        return None, False
    name = filled[0]
    if len(filled) > 1:
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
    """The fields of an item in a row, without empty cells; JSON is parsed and numbered columns are
    gathered."""
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
