"""Shows the data issues of a release: grouped by kind with counts for people, complete as JSON for
programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from folkways.display import plural, spelled_out
from folkways.records import DataIssue
from folkways.releases.base import Release

VALUE_WIDTH = 80


def as_document(release: Release, found: Sequence[DataIssue]) -> dict[str, object]:
    """Everything, in order, with the counts by kind; values are exact."""
    return {
        "release": release.name,
        "folder": str(release.root),
        "verified": release.verified,
        "fingerprint": release.fingerprint,
        "counts": {kind: len(members) for kind, members in _by_kind(found).items()},
        "issues": [asdict(issue) for issue in found],
    }


def as_lines(release: Release, found: Sequence[DataIssue], limit: int | None) -> Iterator[str]:
    """One block per kind, the most frequent first, with at most ``limit`` members each (None: all)."""
    state = "verified" if release.verified else f"not a published release, fingerprint {release.fingerprint}"
    yield f"{spelled_out(release.name)} ({state}) in {spelled_out(str(release.root))}"
    if not found:
        yield "Nothing odd was found."
        return
    for kind, members in sorted(_by_kind(found).items(), key=lambda pair: (-len(pair[1]), pair[0])):
        shared = len({member.message for member in members}) == 1
        yield ""
        yield f"{spelled_out(kind)}: {len(members)}" + (
            f"   {spelled_out(members[0].message)}" if shared else ""
        )
        for member in members if limit is None else members[:limit]:
            yield "  " + _line(member, with_message=not shared)
        if limit is not None and len(members) > limit:
            yield f"  ... {len(members) - limit} more (--limit 0 shows all, --json is complete)"
    yield ""
    yield (
        f"{plural(len(found), 'data issue', 'data issues')} of {plural(len(_by_kind(found)), 'kind')}. "
        "The release can be read."
    )


def _line(issue: DataIssue, *, with_message: bool) -> str:
    places = (issue.file, f"row {issue.row}" if issue.row is not None else None, issue.key)
    line = spelled_out(", ".join(place for place in places if place is not None))
    if issue.value is not None:
        line += f": '{spelled_out(issue.value, VALUE_WIDTH)}'"
    return f"{line}   {spelled_out(issue.message)}" if with_message else line


def _by_kind(found: Sequence[DataIssue]) -> dict[str, list[DataIssue]]:
    kinds: dict[str, list[DataIssue]] = defaultdict(list)
    for issue in found:
        kinds[issue.kind].append(issue)
    return kinds
