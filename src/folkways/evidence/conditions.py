"""In what condition a model was asked: all that a signature says of how it was asked and judged, and nothing
of how much of the task that was.

What several runs asked a model in one condition is one sample of its replies, whose scores are made together.
What they asked in two stays apart: a reply in one is none in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from folkways.display import named
from folkways.evidence.contributions import COVERAGE_KEYS, SERVED, TREATMENTS, Entry
from folkways.records import Signature, is_baseline

RUNS = "runs"
"""The part of a signature that names the runs whose replies a score is of, where these are several."""

_LISTED = ("lang", "variant", "cultures", "prompts")
"""Parts that list what was asked, joined by ``+``; own prompts end with ``#`` and their digest."""

_OF_AMOUNT = ("task", "profile", "lang", "variant", "samples", "cultures", "limit", "seed", "folkways", RUNS)
"""Parts that say which rows of a task were asked, or that scores of one condition share or may differ in.
The seed draws items; where it draws texts too, it counts with the treatments."""

_FORMS = ("lang", "variant", "samples")

_UNHEARD_BY_BASELINES = ("system", "settings", "shots")
"""What changes no reply of a baseline."""

SignatureParts = Mapping[str, str]
"""The parts of a signature."""


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A model's share of a task in one run and profile.

    made: parts of the signature of its scores. of_opinions: whether a value is made of the replies to all
    forms of a question, so that with other forms it is another one.
    """

    run: str
    model: str
    task: str
    profile: str
    made: SignatureParts
    of_opinions: bool = False


def condition(part: AskedPart) -> dict[str, str]:
    """The parts of its signature that say how a model was asked and judged, whatever was asked of it."""
    left_out = {*_OF_AMOUNT, *(_UNHEARD_BY_BASELINES if is_baseline(part.model) else ())}
    made = part.made
    named_parts = {
        name: value
        for name, value in made.items()
        if name not in left_out or (name in _FORMS and part.of_opinions)
    }
    # Whose wording a prompt has may differ by language and variant; a text of the user's is another one.
    named_parts["prompts"] = named_parts.get("prompts", "").partition("#")[2]
    if TREATMENTS in named_parts:
        named_parts[TREATMENTS] += f", seed {made.get('seed', '')}"
    return named_parts


def alike(first: SignatureParts, second: SignatureParts) -> bool:
    """Whether two conditions are one. Prompts as they are do not depend on what they are also asked with, so
    that treatments of other names make no difference."""
    differing = {name for name in {*first, *second} if first.get(name) != second.get(name)}
    if TREATMENTS in differing and not _treatments(first) & _treatments(second):
        differing.remove(TREATMENTS)
    return not differing


def _treatments(made: SignatureParts) -> set[str]:
    return {*made.get(TREATMENTS, "").partition("#")[0].split("+")} - {""}


def runs_alike(asked: Sequence[AskedPart]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Run and model -> the runs that asked the model in the same condition, itself among them; only of models
    that some task was asked of in several conditions.

    asked: in the order of the runs. A run that shares no task with others is put with those that have its
    system prompt and settings.
    """
    of_models: dict[str, dict[str, dict[tuple[str, str], dict[str, str]]]] = {}
    for part in asked:
        of_runs = of_models.setdefault(part.model, {})
        key = part.task, part.profile
        of_runs.setdefault(part.run, {})[key] = condition(part)
    with_runs: dict[tuple[str, str], tuple[str, ...]] = {}
    for model, of_runs in of_models.items():
        groups: list[list[str]] = []
        for run, conditions in of_runs.items():
            number = _group_of(conditions, [[of_runs[other] for other in group] for group in groups])
            if number == len(groups):
                groups.append([])
            groups[number].append(run)
        if len(groups) > 1 and _told_apart(of_runs):
            with_runs |= {(run, model): tuple(group) for group in groups for run in group}
    return with_runs


def parts_kept_apart(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Scores of one model on one task by one metric in one condition that share no column, because each is of
    another part of the task: a column is what all its models were asked."""
    groups: list[list[tuple[SignatureParts, Entry]]] = []
    for entry in entries:
        parts = condition(AskedPart(entry.source, entry.model, entry.task, entry.profile, entry.made))
        whose = (entry.model, entry.task, entry.profile, entry.metric)
        group = next(
            (
                of
                for of in groups
                if (of[0][1].model, of[0][1].task, of[0][1].profile, of[0][1].metric) == whose
                and all(alike(parts, other) for other, _ in of)
            ),
            None,
        )
        if group is None:
            groups.append(group := [])
        group.append((parts, entry))
    of_groups = ([entry for _, entry in group] for group in groups)
    return [group for group in of_groups if any(one.setting != group[0].setting for one in group)]


_Conditions = Mapping[tuple[str, str], SignatureParts]
"""Task and profile -> the condition that a run asked a model in."""


def _fits(first: _Conditions, second: _Conditions) -> bool:
    return all(alike(first[key], second[key]) for key in first.keys() & second.keys())


def _told_apart(of_runs: Mapping[str, _Conditions]) -> bool:
    every = [*of_runs.values()]
    return not all(_fits(one, other) for position, one in enumerate(every) for other in every[:position])


def _group_of(conditions: _Conditions, groups: Sequence[Sequence[_Conditions]]) -> int:
    """The number of the group that a run belongs to; how many there are for one of its own."""

    def of_user(one: _Conditions) -> set[tuple[str, ...]]:
        return {tuple(made.get(name, "") for name in _UNHEARD_BY_BASELINES) for made in one.values()}

    open_to = [number for number, of in enumerate(groups) if all(_fits(conditions, one) for one in of)]
    sharing = [number for number in open_to if any(conditions.keys() & one.keys() for one in groups[number])]
    like = [number for number in open_to if any(of_user(conditions) & of_user(one) for one in groups[number])]
    return next(iter((*sharing, *like)), len(groups))


def signature_together(parts: Sequence[AskedPart]) -> Signature:
    """The signature of a score over what several runs asked a model in one condition, with the names of
    these runs."""
    made: dict[str, str] = {}
    for name in dict.fromkeys(name for part in parts for name in part.made):
        values = [part.made.get(name, "") for part in parts]
        if name not in _LISTED:
            made[name] = "+".join(dict.fromkeys(value or "none" for value in values))
        elif all(values):  # otherwise one of them asked all that there are
            mark, digest = values[0].partition("#")[1:] if name == "prompts" else ("", "")
            words = {word for value in values for word in value.removesuffix(mark + digest).split("+")}
            made[name] = "+".join(sorted(words)) + mark + digest
    return Signature({**made, RUNS: "+".join(part.run for part in parts)})


def unlike_parts(parts: Mapping[str, SignatureParts]) -> list[str]:
    """The parts of the models' signatures in which these differ, but for how much was asked, what served the
    model, and what prompts were also asked with: those as they are do not depend on it."""
    keys = dict.fromkeys(key for signature in parts.values() for key in signature)
    differing = (
        key
        for key in keys
        if len({signature.get(key, "none") for signature in _concerned(key, parts).values()}) > 1
    )
    return [key for key in differing if key not in (*COVERAGE_KEYS, SERVED, RUNS, TREATMENTS)]


def _concerned(key: str, parts: Mapping[str, SignatureParts]) -> Mapping[str, SignatureParts]:
    """Those whose signatures tell something by the part: no settings change what a baseline says."""
    heard = {model: made for model, made in parts.items() if not is_baseline(model)}
    return (heard if key in _UNHEARD_BY_BASELINES else parts) or parts


def unlike_notes(parts: Mapping[str, SignatureParts]) -> list[str]:
    """One sentence for each part of the models' signatures in which these differ."""
    notes = []
    for key in unlike_parts(parts):
        notes.append(_unlike_note(key, _concerned(key, parts)))
        if key == "data":
            notes.append(
                "Items with the same name may be different questions in different data: read the "
                "differences with care."
            )
    return notes


def condition_notes(parts: Mapping[str, SignatureParts]) -> list[str]:
    """One sentence for each part that tells several conditions of one model apart and in which two models may
    well differ (``unlike_notes``)."""
    return [
        _unlike_note(key, parts)
        for key in ("sampling", SERVED, TREATMENTS)
        if not all(
            alike({key: first.get(key, "")}, {key: second.get(key, "")})
            for first, second in combinations(parts.values(), 2)
        )
    ]


def _unlike_note(key: str, parts: Mapping[str, SignatureParts]) -> str:
    models: dict[str, list[str]] = {}
    for model, signature in parts.items():
        models.setdefault(signature.get(key, "none"), []).append(model)
    which = "; ".join(f"{named(of_value)} {value}" for value, of_value in models.items())
    return f"Not asked or judged alike, {key}: {which}."


def unlike_on_tasks(parts: Iterable[Mapping[str, SignatureParts]], endpoints: Mapping[str, str]) -> list[str]:
    """``unlike_notes`` of the models of each task, and ``condition_notes`` of those that are one, each
    sentence once. endpoints: name of a model in ``parts`` -> its endpoint."""
    notes: dict[str, None] = {}
    for of_task in parts:
        notes |= dict.fromkeys(unlike_notes(of_task))
        for endpoint in dict.fromkeys(endpoints[name] for name in of_task):
            of_model = {name: made for name, made in of_task.items() if endpoints[name] == endpoint}
            notes |= dict.fromkeys(condition_notes(of_model))
    return [*notes]
