"""Reads what a stage says about questions of known answer: ``qualification``, the test before it, and
``gold``, among the work.

qualification: {questions: 8, pass_mark: 0.75, tries: 2, feedback: true, pay: screened_out}
gold: {share: 0.1, rules: [{then: warn}, {then: pause, below: 0.5, after: 10}]}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from folkways_studio.stages.kind import StageKind
from folkways_studio.work.known_answer_rules import ACTIONS, AFTER, BELOW, PAYS
from folkways_studio.workflows.fields import FieldReader

TEST_KEYS = ("questions", "pass_mark", "tries", "feedback", "populations", "pay")
GOLD_KEYS = ("every", "share", "overlap", "rules")
RULE_KEYS = ("then", "below", "after", "pay")
SETTINGS = ("qualification", "gold")


def read_known_answers(
    reader: FieldReader, entry: Mapping[str, Any], kind: StageKind, place: str, populations: Collection[str]
) -> dict[str, Any]:
    """Both settings of a stage with what they leave out filled in; None for one that it does not have.

    reader: gets the problems. entry: the stage, at ``place`` of the file, of this kind. populations:
    names that the settings may use.
    """
    settings: dict[str, Any] = dict.fromkeys(SETTINGS)
    present = [name for name in (*SETTINGS, "check_every") if entry.get(name) is not None]
    if present and not kind.known_fields:
        reader.say(f"{place}{present[0]}", f"an answer of {kind.name} cannot be known beforehand")
        return settings
    if entry.get("qualification") is not None:
        settings["qualification"] = _test(
            reader, entry["qualification"], f"{place}qualification", populations
        )
    if entry.get("gold") is not None:
        if entry.get("check_every") is not None:
            reader.say(
                f"{place}check_every", "gold says how often known answers come; leave one of the two out"
            )
        settings["gold"] = _gold(reader, entry["gold"], kind, f"{place}gold")
    return settings


def _test(reader: FieldReader, raw: Any, place: str, populations: Collection[str]) -> dict[str, Any]:
    setting = reader.mapping(raw, place)
    place += "."
    reader.known(setting, TEST_KEYS, place)
    if setting.get("questions") is None:
        reader.say(f"{place}questions", "is missing: how many questions the test has")
    feedback, meant = setting.get("feedback", False), setting.get("populations", [])
    if not isinstance(feedback, bool):
        reader.say(f"{place}feedback", f"has to be true or false, not {feedback!r}")
    if not isinstance(meant, list):
        reader.say(f"{place}populations", f"has to be a list of names, not {meant!r}")
        meant = []
    for name in meant:
        if name not in populations:
            reader.say(f"{place}populations", f"{name!r} is no population; valid: {', '.join(populations)}")
    return {
        "questions": reader.count(setting, "questions", place) or 1,
        "pass_mark": _part(reader, setting, "pass_mark", place, 0.75),
        "tries": reader.count({"tries": 1, **setting}, "tries", place) or 1,
        "feedback": feedback,
        "populations": list(meant),
        "pay": _one_of(reader, setting, "pay", place, PAYS, "screened_out"),
    }


def _gold(reader: FieldReader, raw: Any, kind: StageKind, place: str) -> dict[str, Any]:
    setting = reader.mapping(raw, place)
    reader.known(setting, GOLD_KEYS, f"{place}.")
    every, share = reader.count(setting, "every", f"{place}."), setting.get("share")
    if (setting.get("every") is None) == (share is None):
        reader.say(place, "needs either every (one question in so many) or share (0.1: one in ten)")
    if every == 1:
        reader.say(f"{place}.every", "has to be at least 2: with 1 nothing but known answers would be asked")
    if share is not None:
        share = _part(reader, setting, "share", f"{place}.", 0.1)
        if share > 0.5:
            reader.say(f"{place}.share", f"has to be at most 0.5, not {share}")
    if "overlap" in setting and "spans" not in kind.known_fields:
        reader.say(f"{place}.overlap", f"is for marks, and an answer of {kind.name} has none")
    rules = [
        _rule(reader, each, where)
        for where, each in reader.entries(setting.get("rules", []), f"{place}.rules")
    ]
    return {
        "every": every,
        "share": share,
        "overlap": _part(reader, setting, "overlap", f"{place}.", 1.0),
        "rules": rules,
    }


def _rule(reader: FieldReader, told: Mapping[str, Any], place: str) -> dict[str, Any]:
    reader.known(told, RULE_KEYS, place)
    then = _one_of(reader, told, "then", place, ACTIONS, None)
    if "pay" in told and then in ACTIONS and then != "exclude":
        reader.say(f"{place}pay", "is for those who are excluded")
    return {
        "then": then,
        "below": _part(reader, told, "below", place, BELOW),
        "after": reader.count({"after": AFTER, **told}, "after", place) or AFTER,
        "pay": _one_of(reader, told, "pay", place, PAYS, "completed"),
    }


def _part(reader: FieldReader, told: Mapping[str, Any], key: str, place: str, default: float) -> float:
    """A number above 0 and at most 1."""
    value = told.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        reader.say(f"{place}{key}", f"has to be a number above 0 and at most 1, not {value!r}")
        return default
    return float(value)


def _one_of(
    reader: FieldReader,
    told: Mapping[str, Any],
    key: str,
    place: str,
    valid: tuple[str, ...],
    default: str | None,
) -> str:
    value = told.get(key, default)
    if value not in valid:
        what = "is missing" if value is None else f"{value!r} is none that there is"
        reader.say(f"{place}{key}", f"{what}; valid: {', '.join(valid)}")
    return str(value)
