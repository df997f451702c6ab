"""A form of a study's own as columns of a workbook: what a row shows of its item, and a column per part to
fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways_studio.stages.base import Config, Content, Say, WorkbookSchema
from folkways_studio.stages.fields import positions, raise_if
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import WORDS_FOR, Part, UnfitError
from folkways_studio.stages.parts.cell_texts import CellError, shortened
from folkways_studio.stages.parts.cells import CELLS, ChoiceCell, item_column
from folkways_studio.stages.parts.settings import holds, wanted_by
from folkways_studio.stages.parts.types import Texts

EMPTY_CELL_MARKS = ("-", "–", "—")
"""What people write where there is nothing to choose or mark; a row that is left empty is not handed in."""

MOST_CHARACTERS = 32_767
"""Characters that a workbook's cell holds; a table of another format is read no further."""


def form_sheet(config: Config, say: Say) -> WorkbookSchema:
    """How the items of a form look in a workbook; say: see ``base.Say``."""
    fields = [field for shown in config["show"] for field in _fields(shown)]
    columns = _columns(config["ask"], fields)

    def shown(content: Content) -> dict[str, str]:
        row = {item_column(field): str(content.get(field, "")) for field in fields}
        return row | {
            name: text
            for part in config["ask"]
            for name, text in CELLS[part["type"]].shown(part, content).items()
        }

    def offered(content: Content) -> dict[str, Sequence[str]]:
        return {column: CELLS[part["type"]].offered(part, content, say) for column, part in columns.items()}

    return WorkbookSchema(
        shown,
        tuple(columns),
        lambda cells, content: {"answers": _read(cells, columns, content, say)},
        {
            **{item_column(each["field"]): say(each["label"]) for each in config["show"] if "label" in each},
            **{column: _help(part, columns, say) for column, part in columns.items()},
        },
        offered,
    )


def schema_of_parts(ask: Sequence[Part], workbook: Mapping[str, Any]) -> WorkbookSchema:
    """How the items of a built-in kind look in a workbook.

    A column per part, and for short texts a column per text (answer 1, answer 2, ...). workbook: ``show``,
    column -> field of the content, which has a column per text (option A, ...) if it is a list; and ``help``.
    """
    columns = {
        column: part
        for part in ask
        for column in (
            [f"answer {number}" for number in range(1, Texts.most(part) + 1)]
            if part["type"] == "texts"
            else [part["key"]]
        )
    }

    def row_of(content: Content) -> dict[str, str]:
        row: dict[str, str] = {}
        for column, field in workbook["show"].items():
            value = content[field]
            texts = value if isinstance(value, list) else [value]
            row |= {
                f"{column} {chr(ord('A') + number)}" if texts is value else column: text
                for number, text in enumerate(texts)
            }
        return row

    def read(cells: Mapping[str, str], content: Content) -> dict[str, Any]:
        submission: dict[str, Any] = {}
        for column, part in columns.items():
            if part["type"] == "texts":
                submission.setdefault(part["key"], []).extend([cells[column]] * bool(cells[column].strip()))
            else:
                submission[part["key"]] = _built_in_answer(cells[column], part)
        return submission

    return WorkbookSchema(row_of, tuple(columns), read, workbook.get("help", {}))


def _built_in_answer(cell: str, part: Part) -> Any:
    """What a cell says: an option, several of them (positions as letters), or words."""
    if part["type"] == "choice":
        return cell.strip() or None
    if part["type"] == "several":
        return positions(cell) if part.get("positions") else cell.replace(",", " ").split()
    return cell


def _fields(shown: Mapping[str, Any]) -> list[str]:
    """The fields of an entry of ``show``; of a picture or recording its words too."""
    field, more = shown["field"], WORDS_FOR.get(shown["type"])
    return [field, *([f"{field}{more}"] if more else [])]


def _columns(ask: Sequence[Part], fields: Sequence[str]) -> dict[str, Part]:
    """Column -> part: its key, where nothing else has that name."""
    reserved = {
        "assignment",
        *fields,
        *(part[name] for part in ask for name in ("options_from", "of") if name in part),
    }
    return {f"{part['key']}: answer" if part["key"] in reserved else part["key"]: part for part in ask}


def _help(part: Part, columns: Mapping[str, Part], say: Say) -> str:
    """What is asked and how it is answered."""
    lines = [
        say(part["label"]),
        *([say(part["help"])] if "help" in part else []),
        f"Write {CELLS[part['type']].how(part, {}, say)}.",
    ]
    if "if" in part:
        lines.append(f"Only where {_condition(part, columns, {}, say)}.")
    if not part.get("required", True):
        lines.append(
            "May stay empty."
            if part["type"] == "text"
            else "May stay empty; write - to say that there is nothing."
        )
    return "\n".join(lines)


def _condition(part: Part, columns: Mapping[str, Part], content: Content, say: Say) -> str:
    """When a part is asked: "polite is no"."""
    column, other = next((name, each) for name, each in columns.items() if each["key"] == part["if"]["key"])
    words = CELLS[other["type"]].words(other, content, say)
    answers = dict.fromkeys(words.get(each, str(each)) for each in wanted_by(part["if"]))
    return f"{column} is {' or '.join(answers)}"


def _read(
    cells: Mapping[str, str], columns: Mapping[str, Part], content: Content, say: Say
) -> dict[str, Any]:
    """The answers of a row by key. SubmissionError names every cell that cannot be taken, and what can be: an
    answer to what is not asked too, because somebody wrote it.
    """
    answers: dict[str, Any] = {}
    problems: dict[str, str] = {}
    unread: set[str] = set()
    for column, part in columns.items():
        cell, key = cells.get(column, "").replace("\r\n", "\n").strip(), part["key"]
        empty = not cell or (cell in EMPTY_CELL_MARKS and not _can_be(cell, part, content))
        if "if" not in part or holds(part["if"], answers):
            problem = "has to be answered" if empty and part.get("required", True) else ""
            try:
                if not empty:
                    answers[key] = _answer(cell, part, content)
            except CellError as error:
                problem = str(error)
            except UnfitError as error:
                problem = f"{shortened(cell)}: {str(error).rstrip('.')}"
            if problem:
                problems[column] = f"{problem} (write {CELLS[part['type']].how(part, content, say)})"
                unread.add(key)
        elif part["if"]["key"] in unread:
            unread.add(key)
        elif not empty and cell not in EMPTY_CELL_MARKS:
            when = _condition(part, columns, content, say)
            problems[column] = (
                f"{shortened(cell)} is an answer, but this is asked only where {when}; empty this cell, or "
                "correct that one"
            )
    raise_if(problems)
    return answers


def _answer(cell: str, part: Part, content: Content) -> Any:
    if len(cell) > MOST_CHARACTERS:
        raise CellError(f"{shortened(cell)} has {len(cell)} characters; {MOST_CHARACTERS} is the most")
    kind = PART_TYPES[part["type"]]
    return kind.clean(CELLS[part["type"]].read(cell, part, content), part, content)


def _can_be(dash: str, part: Part, content: Content) -> bool:
    """Whether a dash is an answer like others: words of one's own, or an option."""
    kind = CELLS[part["type"]]
    try:
        return part["type"] == "text" or (
            isinstance(kind, ChoiceCell) and bool(kind.read(dash, part, content))
        )
    except CellError:
        return False
