"""What may be changed about a study that is there, and why not the rest: pure rules over two descriptions.

Whatever people have not met yet may change. What they have agreed to, answered or been asked stays, so that
all answers of a study answer the same; texts can be mended at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from folkways_studio.records import Stage
from folkways_studio.stages.parts.base import options_of
from folkways_studio.workflows.definition import Definition, PopulationDefinition, StageDefinition

FREE = ("title", "about", "prolific")
"""Settings of a study that may change at any time."""

FREE_WITHIN = {"models": ("most_calls", "most_usd"), "pay": ("budget", "wages")}
"""The same within other settings: limits, and what work is paid elsewhere, are no promise to people."""

FREE_OPTIONS = (
    "guidelines",
    "lease_minutes",
    "cap",
    "least",
    "per_category",
    "least_per_category",
    "people_per_category",
    "quota",
    "check_every",
    "gold",
    "qualification",
    "min_seconds",
    "training",
    "minutes",
    "suggestions",
    "suggestions_from",
)
"""Settings of a stage that may change at any time: none of them is in what people said before."""

FREE_IN_CRITERIA = ("ask", "quota", "margins")
"""Settings of a recruitment question that may change at any time: nobody was let in by them."""

WORDS = ("label", "help", "ends")
"""What people read of a part of a form: it can be mended at any time."""

Raws = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A part of both descriptions, as it is in their files."""


@dataclass(frozen=True, slots=True)
class Use:
    """What people have met of a study. agreed: somebody has agreed to it. asked: a model was asked.

    populations: names of those with people, invitations or items, or to which items are
    assigned. stages: names of those with items.
    """

    agreed: bool = False
    asked: bool = False
    populations: Collection[str] = ()
    stages: Collection[str] = ()


@dataclass(slots=True)
class Edit:
    """changes: what is different, a line each. refused: what may not be, with the reason."""

    changes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def note(self, place: str, what: str, why_not: str = "") -> None:
        """A difference; ``why_not``: the reason for which it is refused."""
        if why_not:
            self.refused.append(f"{place}: {why_not}")
        else:
            self.changes.append(f"{place}: {what}")

    def note_texts(self, place: str, raw: Raws, keys: Iterable[str]) -> None:
        """Which of these settings differ, all of which may."""
        for key in keys:
            if raw[0].get(key) != raw[1].get(key):
                self.note(f"{place}, {key}", "changed")


def compare(old: Definition, new: Definition, use: Use) -> Edit:
    """What is different between two descriptions of one study, and what of it is refused."""
    edit = Edit()
    _settings(old, new, use, edit)
    _populations(old, new, use, edit)
    _stages(old, new, use, edit)
    return edit


def _settings(old: Definition, new: Definition, use: Use, edit: Edit) -> None:
    if old.name != new.name:
        edit.note("name", "", f"stays {old.name}: it stands in links and files; change the title instead")
    before, after = dict(old.raw), dict(new.raw)
    for whole in (before, after):
        for key, free in FREE_WITHIN.items():
            part = whole.get(key) or {}
            whole |= {f"{key}.{name}": part[name] for name in free if name in part}
            whole[key] = {name: value for name, value in part.items() if name not in free}
    agreed = "somebody has agreed to take part under what it was" if use.agreed else ""
    for key in sorted({*before, *after} - {"name", "populations", "stages"}):
        if before.get(key) == after.get(key):
            continue
        if key in FREE or "." in key:
            edit.note(key, "changed")
        elif key == "consent":
            edit.note(key, "changed; whoever has agreed already has agreed to the text that they saw")
        elif key == "models":
            edit.note(
                key,
                "changed",
                "models have been asked already; answers of two would be mixed" if use.asked else "",
            )
        else:
            edit.note(key, "changed", agreed)


def _populations(old: Definition, new: Definition, use: Use, edit: Edit) -> None:
    raw = [{str(each["name"]): each for each in one.raw["populations"]} for one in (old, new)]
    before, after = ({each.name: each for each in one.populations} for one in (old, new))
    for name in _names_in_both(
        "population",
        before,
        after,
        use.populations,
        "it has people, invitations or items, or items are assigned to it",
        edit,
    ):
        _population(
            before[name],
            after[name],
            (raw[0][name], raw[1][name]),
            f"population {name}",
            name in use.populations,
            edit,
        )


def _names_in_both(
    what: str, before: Iterable[str], after: Iterable[str], used: Collection[str], why_not: str, edit: Edit
) -> Iterator[str]:
    """The names that are in both descriptions, in order; those that are taken out or added are noted on the
    way."""
    there, stay = {*before}, {*after}
    for name in dict.fromkeys((*before, *after)):
        if name not in stay:
            edit.note(f"{what} {name}", "taken out", why_not if name in used else "")
        elif name not in there:
            edit.note(f"{what} {name}", "added")
        else:
            yield name


def _population(
    old: PopulationDefinition, new: PopulationDefinition, raw: Raws, place: str, used: bool, edit: Edit
) -> None:
    edit.note_texts(place, raw, ("title", "people"))
    for key in ("culture", "language", "part_of"):
        if getattr(old, key) != getattr(new, key):
            edit.note(f"{place}, {key}", "changed", "people or items belong to it already" if used else "")
    if raw[0].get("criteria") != raw[1].get("criteria"):
        rules = [
            [
                {name: value for name, value in each.items() if name not in FREE_IN_CRITERIA}
                for each in one.criteria
            ]
            for one in (old, new)
        ]
        why = (
            f"people were let in by them; only {', '.join(FREE_IN_CRITERIA)} can still change"
            if used and rules[0] != rules[1]
            else ""
        )
        edit.note(f"{place}, criteria", "changed", why)


def _stages(old: Definition, new: Definition, use: Use, edit: Edit) -> None:
    raw = [{str(each["name"]): each for each in one.raw["stages"]} for one in (old, new)]
    before, after = ({each.name: each for each in one.stages} for one in (old, new))
    both = [name for name in before if name in after]
    if both != [name for name in after if name in before]:
        edit.note(
            "stages",
            "in another order",
            "items are in them already; their order stays" if {*both} & {*use.stages} else "",
        )
    for name in _names_in_both("stage", before, after, use.stages, "it has items", edit):
        _stage(
            before[name], after[name], (raw[0][name], raw[1][name]), f"stage {name}", name in use.stages, edit
        )


def _stage(old: StageDefinition, new: StageDefinition, raw: Raws, place: str, used: bool, edit: Edit) -> None:
    edit.note_texts(place, raw, ("title", "guidelines", "manual"))
    other = "import them into a new stage if they are to be asked in another way"
    fixed_because = f"it has items; {other}" if used else ""
    for key in ("kind", "role"):
        if getattr(old, key) != getattr(new, key):
            edit.note(f"{place}, {key}", "changed", fixed_because)
    for key in sorted({*old.config, *new.config} - {"guidelines", "manual"}):
        was, becomes = old.config.get(key), new.config.get(key)
        if was == becomes:
            continue
        if key in ("show", "ask"):
            same = [*map(_without_words, was or ())] == [*map(_without_words, becomes or ())]
            words = f"it has items; only its words ({', '.join(WORDS)}) can still change: {other}"
            edit.note(f"{place}, {key}", "changed", words if used and not same else "")
            continue
        why = "" if key in FREE_OPTIONS else fixed_because
        if key == "answers" and used:
            why = (
                ""
                if int(becomes or 0) > int(was or 0)
                else f"stays {was} or grows: so many people are being asked already"
            )
        edit.note(f"{place}, {key}", f"{was} is now {becomes}", why)


def asked_by(stage: StageDefinition | Stage) -> tuple[str, Mapping[str, Any]]:
    """The kind of a stage, and those of its settings that say what is asked of whom and of what, without
    words: they stay once it has items."""
    free = {*FREE_OPTIONS, "manual", "answers"}
    config = {name: value for name, value in stage.config.items() if name not in free}
    worded = {name: [*map(_without_words, config[name])] for name in ("show", "ask") if config.get(name)}
    return stage.kind, {**config, **worded}


def _without_words(part: Mapping[str, Any]) -> Mapping[str, Any]:
    options = {"options": [value for value, _ in options_of(part, {})]} if "options" in part else {}
    return {name: value for name, value in part.items() if name not in WORDS} | options
