"""Work off line: a workbook with the items that a person holds, and the same workbook back with answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson
import polars as pl

from folkways.errors import FolkwaysError
from folkways.studio.errors import StudioError
from folkways.studio.exports.workbook import workbook
from folkways.studio.imports.tables import RowsError
from folkways.studio.services.work.assignments import NoWork, claim_batch, get_work
from folkways.studio.services.work.judgements import Submitted, check_submission, submit
from folkways.studio.workflows.registry import handler_of
from folkways.workspace.database import Workspace

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How one kind of stage looks in a workbook: what a row shows, what is filled in, and how a row becomes a submission."""

    shown: Callable[[Mapping[str, Any]], dict[str, str]]
    filled: tuple[str, ...]
    read: Callable[[Row], dict[str, Any]]


def _marks(text: str) -> list[int]:
    """Letters (A C, or A, C) as positions."""
    return sorted({ord(letter) - ord("A") for letter in text.upper().replace(",", " ").split() if len(letter) == 1})


def _options(content: Mapping[str, Any]) -> dict[str, str]:
    options = {f"option {chr(ord('A') + place)}": option for place, option in enumerate(content["options"])}
    return {"question": content["question"], **options}


SHEETS: Mapping[str, Sheet] = {
    "vote": Sheet(
        _options,
        ("choices", "abstain", "comment"),
        lambda row: {"choices": _marks(row["choices"]), "abstain": row["abstain"].strip() or None, "comment": row["comment"]},
    ),
    "short_answers": Sheet(
        lambda content: {"question": content["local"], "in English": content["english"]},
        ("answer 1", "answer 2", "answer 3", "no_answer", "other"),
        lambda row: {
            "answers": [row[f"answer {number}"] for number in (1, 2, 3) if row[f"answer {number}"].strip()],
            "no_answer": row["no_answer"].strip() or None,
            "other": row["other"],
        },
    ),
    "localise": Sheet(
        lambda content: {"template": content["template"]},
        ("local", "english"),
        lambda row: {"local": row["local"], "english": row["english"]},
    ),
    "label_item": Sheet(
        lambda content: {"sentence": content["tagged"]},
        ("category", "level", "element"),
        lambda row: {name: row[name].strip() for name in ("category", "level", "element")},
    ),
    "adapt": Sheet(
        lambda content: {"sentence": content["tagged"], "items": str(len(content["spans"]))},
        ("strategies", "intra", "inter"),
        lambda row: {
            "strategies": [each.strip() for each in row["strategies"].split(";") if each.strip()],
            "intra": row["intra"],
            "inter": row["inter"],
        },
    ),
    "judge_answer": Sheet(
        lambda content: {"question": content["question"], "answer": content["reply"]},
        ("verdict", "flags", "comment"),
        lambda row: {"verdict": row["verdict"].strip(), "flags": row["flags"].replace(",", " ").split(), "comment": row["comment"]},
    ),
}
"""Kinds of stages that can be worked on off line."""


def hand_out(workspace: Workspace, participant_id: int, stage: str, count: int, *, hours: float = 72) -> bytes:
    """A workbook with up to ``count`` items of a stage, which are the person's for ``hours``. FolkwaysError where there is
    nothing.
    """
    works = claim_batch(workspace, participant_id, stage, count, seconds=hours * 3600)
    if isinstance(works, NoWork):
        raise FolkwaysError(f"there is nothing to hand out: {works.reason.replace('_', ' ')}")
    kind = works[0].stage.kind
    if kind not in SHEETS:
        raise FolkwaysError(f"stages of kind {kind} cannot be worked on off line; those that can: {', '.join(SHEETS)}")
    sheet = SHEETS[kind]
    rows = []
    for work in works:
        content = handler_of(kind).presented(work.item.content, str(participant_id))
        rows.append({"assignment": str(work.assignment.id), **sheet.shown(content), **dict.fromkeys(sheet.filled, "")})
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in names if name not in sheet.filled] + list(sheet.filled)
    frame = pl.DataFrame([{name: row.get(name, "") for name in names} for row in rows], schema=dict.fromkeys(names, pl.String))
    return workbook({"answers": frame, "how to": _help(kind, works[0].stage.config)})


def _help(kind: str, config: Mapping[str, Any]) -> pl.DataFrame:
    handler = handler_of(kind)
    lines = [("guidelines", config["guidelines"]), ("task", handler.about), ("columns to fill in", ", ".join(SHEETS[kind].filled))]
    if kind == "vote":
        lines += [
            ("choices", "letters of every option that is right: A C"),
            ("abstain", "dont_know or cannot_answer, in place of letters"),
        ]
    return pl.DataFrame(lines, schema={"what": pl.String, "how": pl.String}, orient="row")


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of a workbook: how many rows were stored, were there already, and were left empty."""

    stored: int
    repeated: int
    empty: int


def take_in(workspace: Workspace, participant_id: int, rows: Sequence[Row], *, file: str | None = None) -> TakenIn:
    """Submit the filled rows of a workbook from ``hand_out``. Rows left empty are left open.

    RowsError names every row that cannot be taken; nothing is submitted then. The same workbook may be brought twice: a row that is
    stored as it is counts as repeated, one that differs from what is stored is a problem.
    """
    problems: dict[int, str] = {}
    ready: list[tuple[int, int, dict[str, Any], str]] = []
    empty = 0
    for number, row in enumerate(rows, 1):
        try:
            assignment = int(row.get("assignment", ""))
        except ValueError:
            problems[number] = "the column 'assignment' holds no number; leave it as it was handed out"
            continue
        try:
            work = get_work(workspace, participant_id, assignment)
            sheet = SHEETS[work.stage.kind]
            cells = {name: row.get(name, "") for name in sheet.filled}
            if not any(cell.strip() for cell in cells.values()):
                empty += 1
                continue
            submission = sheet.read(cells)
            key = "xlsx-" + sha256(orjson.dumps([assignment, submission], option=orjson.OPT_SORT_KEYS)).hexdigest()[:40]
            check_submission(workspace, participant_id, assignment, submission, key)
            ready.append((number, assignment, submission, key))
        except StudioError as error:
            problems[number] = str(error)
    if problems:
        raise RowsError(problems, file)
    done: list[Submitted] = []
    for number, assignment, submission, key in ready:
        try:
            done.append(submit(workspace, participant_id, assignment, submission, key))
        except StudioError as error:  # somebody else was faster since the rows were checked
            problems[number] = str(error)
    if problems:
        raise RowsError(problems, file)
    repeated = sum(each.repeated for each in done)
    return TakenIn(len(done) - repeated, repeated, empty)
