"""Whether the scores of a run may be added to a leaderboard: one check for each thing that would make them
say something else than the scores that are there.

As in ``requirements``, a check fails where something is shown to be wrong, and is unsure where nothing here
can tell; with ``strict`` what is unsure fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkways.display import count, named, number, percent, plural
from folkways.errors import UnknownNameError
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.evidence.contributions import Column, Entry, columns_of, unlike
from folkways.evidence.requirements import Check, Status
from folkways.releases.registry import get_record
from folkways.releases.release_records import OWN_FOLDER

NEEDED = ("data", "lang", "variant", "prompts", "settings", "profile", "folkways")
"""Parts that a signature has to have for its score to be compared with others."""

MOST_FAILED = 1.0
"""Percent of the expected answers that may have failed."""

NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Rules:
    """What is required of an addition.

    coverage: percent of the expected answers that need a reply. failed: percent of them that may have failed.
    strict: what is unsure fails.
    """

    coverage: float = 100 * ENOUGH_REPLIES
    failed: float = MOST_FAILED
    strict: bool = False


def check_additions(
    added: Sequence[Entry], there: Sequence[Entry], rules: Rules = Rules(), here: Mapping[str, str] = NOTHING
) -> dict[str, list[Check]]:
    """Source -> the checks of its entries, in their order.

    added: the entries that may be added. there: those of the leaderboard; empty for a new one. rules: what is
    required. here: release -> the fingerprint of a copy whose contents were verified, for records without
    checksums.
    """
    columns, all_columns = columns_of(there), columns_of(there or added)
    checks: dict[str, list[Check]] = {}
    for position, entry in enumerate(added):
        earlier = [*there, *added[:position]]
        column, like = (of[entry.task][0] if entry.task in of else None for of in (columns, all_columns))
        for name, (status, message) in _checks(entry, column, like, earlier, rules, here):
            if rules.strict and status is Status.UNSURE:
                status = Status.FAIL
            model = f"{entry.model} on {entry.task}"
            checks.setdefault(entry.source, []).append(Check(name, model, status, message))
    return checks


Outcome = tuple[Status, str]


def _checks(
    entry: Entry,
    column: Column | None,
    like: Column | None,
    earlier: Sequence[Entry],
    rules: Rules,
    here: Mapping[str, str],
) -> Iterator[tuple[str, Outcome]]:
    """column: of the leaderboard. like: the same, or where that is empty, of what is added."""
    yield "signature", _signature(entry)
    yield "release", _release(entry, column, here)
    yield "setting", _setting(entry, like)
    yield "version", _version(entry, like)
    yield "items", _items(entry, like)
    yield "coverage", _coverage(entry, rules)
    yield "failed requests", _failed(entry, rules)
    yield "judgements", _judgements(entry)
    yield "duplicates", _duplicates(entry, earlier)


def _signature(entry: Entry) -> Outcome:
    if entry.score is None:
        return Status.FAIL, "no reply came, so that there is no score"
    lacks = [name for name in NEEDED if not entry.made.get(name)]
    if lacks:
        return Status.FAIL, f"does not say how the score was made: it lacks {named(lacks)}"
    for name, value in (("task", entry.task), ("profile", entry.profile)):
        if entry.made.get(name, value) != value:
            return Status.FAIL, f"is of the {name} {entry.made[name]}, and the score of {value}"
    if entry.low is None or entry.high is None:
        return Status.UNSURE, "says how the score was made, which has no interval"
    if not entry.low <= entry.score <= entry.high:
        ends = f"{number(entry.low)} to {number(entry.high)}"
        return Status.FAIL, f"the score {number(entry.score)} is not within its interval, {ends}"
    return Status.PASS, "says how the score was made"


def _release(entry: Entry, column: Column | None, here: Mapping[str, str]) -> Outcome:
    data = entry.made.get("data", "")
    name, _, fingerprint = data.partition("#")
    same = column is not None and column.setting.get("data") == data
    if name.startswith(OWN_FOLDER):
        if same:
            return Status.PASS, f"{data}, a folder of somebody's own, as on the leaderboard"
        return Status.FAIL, f"{name} is a folder of somebody's own; ask the questions of a published release"
    try:
        record = get_record(name)
    except UnknownNameError:
        hint = "the leaderboard has the same" if same else "folkways data list has those that are known"
        return Status.UNSURE if same else Status.FAIL, f"{name or 'no release'} is not known here; {hint}"
    if not record.is_pinned:
        return Status.FAIL, f"{name} is not pinned: its contents may change; take a release with a revision"
    if fingerprint in record.fingerprints:
        return Status.PASS, f"{name}, pinned, with the checksum {fingerprint} of its record"
    if fingerprint == here.get(name):
        return Status.PASS, f"{name}, pinned, with the checksum {fingerprint} of the copy here"
    if record.has_all_fingerprints:
        checksums = named(sorted(record.fingerprints))
        return Status.FAIL, f"{name} has the checksum {fingerprint or 'none'}; its record has {checksums}"
    if same and fingerprint:
        return Status.PASS, f"{name}, pinned, with the checksum {fingerprint} that the leaderboard has"
    hint = f"which has another ({here[name]})" if name in here else f"get one: folkways data fetch {name}"
    return (
        Status.UNSURE,
        f"{name} is pinned; {fingerprint or 'no checksum'} is compared with that of a copy, {hint}",
    )


def _setting(entry: Entry, column: Column | None) -> Outcome:
    if column is None:
        return Status.PASS, "the first on its task"
    differences = list(unlike(entry.setting, column.setting))
    if not differences:
        return Status.PASS, "asked and judged as the others"
    return (
        Status.FAIL,
        f"not comparable with the {plural(_models(column), 'model')} there: {'; '.join(differences)}",
    )


def _version(entry: Entry, column: Column | None) -> Outcome:
    versions = sorted({one.made.get("folkways", "none") for one in column.entries}) if column else []
    version = entry.made.get("folkways", "none")
    if not versions or version in versions:
        return Status.PASS, f"folkways {version}"
    others = f"the others by {named(versions)}; the changelog says whether scores moved"
    return Status.UNSURE, f"judged by folkways {version}, {others}"


def _items(entry: Entry, column: Column | None) -> Outcome:
    sizes = sorted({one.n for one in column.entries}) if column else []
    if not entry.n:
        return Status.FAIL, "no number of items"
    if not sizes or entry.n in sizes:
        return Status.PASS, f"{count(entry.n)} expected answers"
    return (
        Status.FAIL,
        f"{count(entry.n)} expected answers, the others have {named([count(n) for n in sizes])}",
    )


def _coverage(entry: Entry, rules: Rules) -> Outcome:
    if entry.coverage is None:
        return Status.UNSURE, "the source does not say how many of the expected answers came"
    status = Status.PASS if 100 * entry.coverage >= rules.coverage else Status.FAIL
    return status, f"{percent(entry.coverage)} of the expected answers count; {rules.coverage:g} % are needed"


def _failed(entry: Entry, rules: Rules) -> Outcome:
    if not entry.n or entry.coverage is None:
        return Status.UNSURE, "the source does not say how many requests failed"
    status = Status.PASS if 100 * entry.lost <= rules.failed * entry.n else Status.FAIL
    lost = f"{count(entry.lost)} of {count(entry.n)} expected answers did not come"
    return status, f"{lost}; {rules.failed:g} % are allowed"


def _judgements(entry: Entry) -> Outcome:
    if entry.fault:
        return Status.FAIL, entry.fault
    if not entry.judged:
        return Status.UNSURE, "none came with the score: it cannot be recomputed, and the model gets no rank"
    return Status.PASS, f"{plural(entry.judged, 'judgement')} agree with the score"


def _duplicates(entry: Entry, earlier: Sequence[Entry]) -> Outcome:
    for other in earlier:
        if (other.model, other.task, other.setting) != (entry.model, entry.task, entry.setting):
            continue
        if other.made.get("settings") == entry.made.get("settings"):
            return Status.FAIL, f"{other.source} has this model on this task in this setting already"
    return Status.PASS, "new on the leaderboard"


def _models(column: Column) -> int:
    return len({one.model for one in column.entries})
