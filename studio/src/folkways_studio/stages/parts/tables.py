"""The answers to a form as a table with a column per part, and what its columns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from folkways.sdk.studies import StudyItem
from folkways_studio.errors import Message
from folkways_studio.stages.base import Content, Say, Translate
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import Part, options_of, values_of
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.stages.parts.types import Scale

if TYPE_CHECKING:
    import polars as pl

ABOUT = ("item", "culture", "language", "participant")


def answers_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Key -> value of every answer of a judgement."""
    return {key: value for answers in payload.values() for key, value in answers.items()}


def lines_of(payload: Mapping[str, Any]) -> dict[str, str]:
    """Key -> every answer of a judgement in a line; a dash where nothing was chosen or marked."""
    return {
        key: value if isinstance(value, str) else PART_TYPES[kind].line(value) or "–"
        for kind, answers in payload.items()
        for key, value in answers.items()
    }


def in_words(
    answers: Mapping[str, Any], ask: Sequence[Part], content: Content, translate: Translate, say: Say
) -> list[str]:
    """Answers to a form in the words that their author read, a line each: the question, and what was chosen.

    answers: by key. ask: the parts of the form. content: of the item. translate, say: our texts and the
    study's in the reader's language."""

    def worded(value: Any, options: Mapping[Any, Any]) -> Any:
        if isinstance(value, list):
            return [worded(each, options) for each in value]
        if value not in options:
            return value
        text = options[value]
        return text.words(translate) if isinstance(text, Message) else say(text)

    lines = []
    for part in (part for part in ask if part["key"] in answers):
        value = worded(answers[part["key"]], dict(options_of(part, content)))
        line = value if isinstance(value, str) else PART_TYPES[part["type"]].line(value)
        lines.append(f"{say(part['label'])} – {line}".rstrip())
    return lines


def line_of(value: Any) -> str:
    """An answer in a line, whatever part it is to: of marks their words, of groups their members."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else in_digits(value)
    things = (
        [part for part in each if isinstance(part, str)] if isinstance(each, list) else [each]
        for each in value
    )
    return ", ".join(" = ".join(each) for each in things)


def answer_table(items: Sequence[StudyItem], ask: Sequence[Part]) -> pl.DataFrame:
    """ABOUT and a column per part of the form ``ask``, in its order (``answer_KEY`` where the key is one of
    ABOUT); a row per judgement. Lists are JSON."""
    import polars as pl

    numbers = {"scale": pl.Int64, "number": pl.Float64}
    rows = [
        {
            **{
                "item": item.key,
                "culture": item.culture,
                "language": item.language,
                "participant": vote.participant,
            },
            **{_column(key): _cell(value) for key, value in answers_of(vote.payload).items()},
        }
        for item in items
        for vote in item.votes
    ]
    columns = {_column(part["key"]): numbers.get(part["type"], pl.String) for part in ask}
    return pl.DataFrame(rows, schema={**dict.fromkeys(ABOUT, pl.String), **columns})


def codebook_row(part: Part) -> dict[str, Any]:
    """What a part's column means. Its ``values`` are options, bounds of a number, or the columns of an item
    from which they come."""
    points = Scale.points(part) if part["type"] == "scale" else ()
    bounds = (points[0], points[-1]) if points else (part.get("least"), part.get("most"))
    within = " ".join(
        f"{word} {bound}" for word, bound in zip(("from", "to"), bounds, strict=True) if bound is not None
    )
    return {
        "column": _column(part["key"]),
        "type": part["type"],
        "label": _written(part["label"]),
        "values": within if part["type"] in ("scale", "number") and within else _values(part),
        "required": part.get("required", True),
        "asked_if": _written(part.get("if")),
    }


def _values(part: Part) -> str | None:
    if "of" in part:
        return f"marks in the item's {part['of']}"
    if "options_from" in part:
        return f"of the item's {part['options_from']}"
    return _written(values_of(part, {}) if "between" in part else part.get("options"))


def _column(key: str) -> str:
    return f"answer_{key}" if key in ABOUT else key


def _cell(value: Any) -> Any:
    return orjson.dumps(value).decode() if isinstance(value, list) else value


def _written(value: Any) -> str | None:
    """A text as it is, anything else as JSON."""
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
