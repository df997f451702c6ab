"""Checks the description of a form: what it shows of an item, and what it asks. Every mistake is named with
its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import values_of
from folkways_studio.stages.parts.types import MOST_LINES, MOST_STEPS, Choice, Scale, Several, Texts

KEY = re.compile(r"[a-z][a-z0-9_]{0,47}")
FIELD = re.compile(r"[a-zA-Z][a-zA-Z0-9_ -]{0,47}")
SHOWN_TYPES = ("text", "image", "audio")
SHOWN_KEYS = ("field", "type", "label", "optional")
ASKED_KEYS = ("key", "type", "label", "help", "required", "if")
BUILT_IN_SHOWN_TYPES = (*SHOWN_TYPES, "note", "marked", "title")
BUILT_IN_KEYS = (
    *(
        "field",
        "language",
        "missing",
        "starts_as",
        "otherwise",
        "from_settings",
        "press",
        "numbered",
        "lettered",
        "layout",
    ),
    *("group", "alone", "rows", "longest", "direction", "remark", "told", "compared", "positions", "every"),
)
"""What a part of a built-in kind may have besides; ``parts.base`` says what each means."""

RESULT_KEYS = ("disputed", "adjudicated", "agreed")
MOST_PARTS, MOST_OPTIONS = 40, 60
WANTED: Mapping[str, str] = {
    "field": "has to name a column of the items: letters, digits, spaces, _ and -",
    "wording": "has to be text, or a mapping of languages to texts",
    "flag": "has to be true or false",
    "count": "has to be a whole number from 0",
    "number": "has to be a number",
    "options": f"has to be a list of 2 to {MOST_OPTIONS} different texts, or of {{value: TEXT, label: "
    "TEXT}; write yes, no and numbers in quotes",
}


def is_wording(value: Any) -> bool:
    """Whether a value is a text or texts by language; ``workflows.wordings`` checks the languages."""
    texts = value.values() if isinstance(value, Mapping) else (value,)
    return bool(texts) and all(isinstance(each, str) and each.strip() for each in texts)


def _is_field(value: Any) -> bool:
    return isinstance(value, str) and FIELD.fullmatch(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_options(value: Any) -> bool:
    if not isinstance(value, list) or not 2 <= len(value) <= MOST_OPTIONS:
        return False
    values = [
        each.get("value") if isinstance(each, Mapping) and set(each) == {"value", "label"} else each
        for each in value
    ]
    labels = [each["label"] if isinstance(each, Mapping) and "label" in each else each for each in value]
    texts = all(isinstance(each, str) and each.strip() for each in values)
    return texts and len({*values}) == len(values) and all(map(is_wording, labels))


FITS: Mapping[str, tuple[Any, str]] = {
    "label": (is_wording, WANTED["wording"]),
    "help": (is_wording, WANTED["wording"]),
    "required": (lambda value: isinstance(value, bool), WANTED["flag"]),
    "optional": (lambda value: isinstance(value, bool), WANTED["flag"]),
    "tie": (lambda value: isinstance(value, bool), WANTED["flag"]),
    "agree": (lambda value: isinstance(value, bool), WANTED["flag"]),
    "placeholders": (
        lambda value: isinstance(value, list) and bool(value) and all(map(_is_field, value)),
        "has to be a list of columns of the items",
    ),
    "field": (_is_field, WANTED["field"]),
    "of": (_is_field, WANTED["field"]),
    "options_from": (_is_field, WANTED["field"]),
    "options": (_are_options, WANTED["options"]),
    "least": (_is_number, WANTED["number"]),
    "most": (_is_number, WANTED["number"]),
    "within": (lambda value: _is_number(value) and value >= 0, "has to be a number from 0"),
    "ends": (
        lambda value: isinstance(value, list) and len(value) == 2 and all(map(is_wording, value)),
        "has to be a list of two texts: what the lowest and the highest mean",
    ),
    "between": (
        lambda value: (
            isinstance(value, list)
            and len(value) == 2
            and all(map(_is_field, value))
            and len({*value, "tie"}) == 3
        ),
        "has to be a list of two columns of the items",
    ),
}
"""Setting -> whether a value fits it, and what it has to be."""


def form_problems(show: Sequence[Any], ask: Sequence[Any], *, built_in: bool = False) -> dict[str, str]:
    """What is wrong with a form: where ("ask[2].options") -> problem. Empty if nothing is.

    built_in: whether ``show`` and ``ask`` are of a built-in kind, which may have more settings, and need not
    ask anything.
    """
    if built_in:
        return _built_in_problems(show, ask)
    problems: dict[str, str] = {}
    for number, entry in enumerate(show):
        path = f"show[{number}]"
        if entry.get("type") not in SHOWN_TYPES:
            problems[f"{path}.type"] = (
                f"{entry.get('type')!r} cannot be shown; valid: {', '.join(SHOWN_TYPES)}"
            )
        _check_settings(entry, SHOWN_KEYS, (("field",),), path, problems)
    if not 1 <= len(ask) <= MOST_PARTS:
        problems["ask"] = f"needs 1 to {MOST_PARTS} parts; there are {len(ask)}"
    earlier: dict[str, Mapping[str, Any]] = {}
    # answers are handed on together with what was shown
    reserved = {*RESULT_KEYS, *(str(entry.get("field")) for entry in show)}
    for number, entry in enumerate(ask):
        _check_asked(entry, f"ask[{number}]", reserved, earlier, problems)
    return problems


def _built_in_problems(show: Sequence[Any], ask: Sequence[Any]) -> dict[str, str]:
    problems: dict[str, str] = {}
    for number, entry in enumerate(show):
        if entry.get("type") not in BUILT_IN_SHOWN_TYPES:
            problems[f"show[{number}].type"] = f"has to be one of: {', '.join(BUILT_IN_SHOWN_TYPES)}"
        _check_names(entry, (*SHOWN_KEYS, "language"), f"show[{number}]", problems)
    keys: list[str] = []
    for number, entry in enumerate(ask):
        kind = PART_TYPES.get(entry.get("type"))
        if kind is None:
            problems[f"ask[{number}].type"] = f"has to be one of: {', '.join(PART_TYPES)}"
            continue
        valid = (*ASKED_KEYS, *kind.settings, *BUILT_IN_KEYS)
        _check_names(entry, valid, f"ask[{number}]", problems)
        for name in ("if", "required"):
            condition = entry.get(name)
            if isinstance(condition, Mapping) and condition.get("key") not in keys:
                problems[f"ask[{number}].{name}"] = f"names no part above it; valid: {', '.join(keys)}"
        keys.append(entry["key"])
    return problems


def _check_names(
    entry: Mapping[str, Any], valid: Sequence[str], place: str, problems: dict[str, str]
) -> None:
    for name in entry:
        if name not in valid:
            problems[f"{place}.{name}"] = f"is no setting here; valid: {', '.join(valid)}"


def _check_settings(
    entry: Mapping[str, Any],
    valid: Sequence[str],
    needs: Sequence[Sequence[str]],
    place: str,
    problems: dict[str, str],
) -> None:
    """Every setting is known and fits; of each group of ``needs`` there is exactly one."""
    _check_names(entry, valid, place, problems)
    for name, value in entry.items():
        fits, wanted = FITS.get(name, (lambda _: True, ""))
        if name in valid and not fits(value):
            problems[f"{place}.{name}"] = f"{wanted}, not {value!r}"
    for group in needs:
        if sum(name in entry for name in group) != 1:
            problems.setdefault(
                f"{place}.{group[0]}", "is missing" if len(group) == 1 else f"give one of: {', '.join(group)}"
            )


def _check_asked(
    entry: Mapping[str, Any],
    place: str,
    taken: Collection[str],
    earlier: dict[str, Mapping[str, Any]],
    problems: dict[str, str],
) -> None:
    key = entry.get("key")
    kind = PART_TYPES.get(str(entry.get("type")))
    before = len(problems)
    if not isinstance(key, str) or not KEY.fullmatch(key):
        problems[f"{place}.key"] = (
            f"has to be small letters, digits and _, not {key!r}; it names the column of the answers"
        )
    elif key in earlier or key in taken:
        problems[f"{place}.key"] = f"{key!r} is taken; choose another name"
    if kind is None:
        problems[f"{place}.type"] = f"{entry.get('type')!r} cannot be asked; valid: {', '.join(PART_TYPES)}"
        return
    _check_settings(entry, (*ASKED_KEYS, *kind.settings), (("label",), *kind.needs), place, problems)
    if len(problems) > before:
        return
    least, most = entry.get("least"), entry.get("most")
    if type(kind) is Scale and not (
        isinstance(least or 1, int)
        and isinstance(most or 5, int)
        and 2 <= len(Scale.points(entry)) <= MOST_STEPS
    ):
        problems[f"{place}.most"] = f"a scale has 2 to {MOST_STEPS} whole numbers, from least to most"
    elif isinstance(kind, Texts) and entry.get("most", 3) not in range(1, MOST_LINES + 1):
        problems[f"{place}.most"] = f"has to be a whole number from 1 to {MOST_LINES}"
    elif isinstance(kind, Several) and not all(
        isinstance(each, int) and each >= 0 for each in (least or 0, most or 0)
    ):
        problems[f"{place}.least"] = WANTED["count"]
    elif least is not None and most is not None and least > most:
        problems[f"{place}.most"] = f"is {most}, which is less than {least}, the least"
    unlike = entry.get("unlike")
    choices = [name for name, part in earlier.items() if isinstance(PART_TYPES[part["type"]], Choice)]
    if "unlike" in entry and unlike not in choices:
        problems[f"{place}.unlike"] = f"{unlike!r} is no choice above it"
    if "if" in entry:
        _check_condition(entry["if"], f"{place}.if", earlier, problems)
    earlier[str(key)] = entry


def _check_condition(
    condition: Any, place: str, earlier: Mapping[str, Mapping[str, Any]], problems: dict[str, str]
) -> None:
    shown = {
        key: part
        for key, part in earlier.items()
        if part["type"] in ("choice", "several", "scale", "pairwise")
    }
    if not isinstance(condition, Mapping) or set(condition) != {"key", "is"}:
        problems[place] = "has to be {key: KEY, is: VALUE}, or a list of values"
    elif condition["key"] not in [*shown]:
        problems[place] = (
            f"{condition['key']!r} is no choice or scale above it; valid: {', '.join(shown) or '(none)'}"
        )
    else:
        part = shown[condition["key"]]
        valid = [*Scale.points(part)] if part["type"] == "scale" else values_of(part, {})
        wrong = [each for each in wanted_by(condition) if valid and each not in valid]
        if wrong:
            problems[place] = (
                f"{wrong[0]!r} is no answer of {condition['key']}; valid: {', '.join(map(str, valid))}"
            )


def wanted_by(condition: Mapping[str, Any]) -> list[Any]:
    """The answers under which a part is asked."""
    return list(condition["is"]) if isinstance(condition["is"], list) else [condition["is"]]


def holds(condition: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """Whether the answers (key -> value) include one that a condition ({key, is}) names."""
    answer = answers.get(condition["key"])
    return any(
        each in answer if isinstance(answer, list) else each == answer for each in wanted_by(condition)
    )
