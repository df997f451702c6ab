"""``folkways data``: list, fetch, check and find released data."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import WholeNumber
from folkways.cli.out import file_at, out_option, print_json, terminal
from folkways.cli.table_files import write_text
from folkways.display import escape, plural
from folkways.records import DataIssue
from folkways.releases.fetching.fetch_progress import FetchProgress
from folkways.releases.release_records import Release, ReleaseRecord

SECONDS_BETWEEN_LINES = 5.0


def transfer_progress() -> FetchProgress:
    """A bar on a terminal, plain lines elsewhere."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class LineProgress(FetchProgress):
    """Plain lines: at the start, every few seconds, at the first retry for each reason, and at the end."""

    def __init__(self) -> None:
        self._reasons: set[str] = set()
        self._label = ""
        self._files = self._done = self._size = self._here = self._begin = 0
        self._started = self._last = time.monotonic()

    def started(self, label: str, files: int, size: int, present: int) -> None:
        self._label, self._files, self._done = label, files, 0
        self._size, self._here, self._begin = size, present, present
        self._started = self._last = time.monotonic()
        resumed = f", {in_bytes(present)} of them already on this disk" if present else ""
        amount = f", {in_bytes(size)}" if size else ""
        self._say(f"fetching {files} file{'s' if files != 1 else ''}{amount}{resumed}")

    def grew(self, size: int) -> None:
        self._size += size

    def received(self, size: int) -> None:
        self._here += size
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._say(self._state())

    def retrying(self, label: str, reason: str, wait: float) -> None:
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._say(f"{label}: {escape(reason)}; trying again")

    def finished(self, label: str) -> None:
        self._done += 1

    def closed(self) -> None:
        self._say(self._state())

    def _state(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-3)
        rate = (self._here - self._begin) / elapsed
        left = (
            f", {(self._size - self._here) / rate:.0f} s left" if rate > 0 and self._size > self._here else ""
        )
        of = f" of {in_bytes(self._size)}" if self._size else ""
        return f"{self._done} of {self._files} files, {in_bytes(self._here)}{of}, {in_bytes(rate)}/s{left}"

    def _say(self, text: str) -> None:
        click.echo(f"{self._label}: {text}", err=True)


class BarProgress(FetchProgress):
    """A progress bar over all files, with rate and time left."""

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as RichProgress

        self._console = terminal(stderr=True)
        self._reasons: set[str] = set()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[done]}/{task.fields[files]} files"),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        self._display = RichProgress(*columns, console=self._console)
        self._task = self._display.add_task("", visible=False, done=0, files=0)
        self._size = self._done = 0

    def started(self, label: str, files: int, size: int, present: int) -> None:
        self._size, self._done = size, 0
        shown: dict[str, Any] = {"description": label, "visible": True, "done": 0, "files": files}
        self._display.update(self._task, total=size or None, completed=present, **shown)
        self._display.start()

    def grew(self, size: int) -> None:
        self._size += size
        self._display.update(self._task, total=self._size)

    def received(self, size: int) -> None:
        self._display.update(self._task, advance=size)

    def retrying(self, label: str, reason: str, wait: float) -> None:
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._console.print(f"{label}: {escape(reason)}; trying again")

    def finished(self, label: str) -> None:
        self._done += 1
        self._display.update(self._task, done=self._done)

    def closed(self) -> None:
        self._display.stop()


def in_bytes(size: float) -> str:
    """``11.7 MB``, ``38 kB``."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


VALUE_WIDTH = 80


def as_document(release: Release, issues: Sequence[DataIssue]) -> dict[str, object]:
    """All issues in order, with exact values, and their counts by kind."""
    return {
        "release": release.name,
        "folder": str(release.root),
        "revision": release.record.revision,
        "verified": release.verified,
        "fingerprint": release.fingerprint,
        "counts": {kind: len(members) for kind, members in _by_kind(issues).items()},
        "issues": [asdict(issue) for issue in issues],
    }


def as_lines(release: Release, issues: Sequence[DataIssue], limit: int | None) -> Iterator[str]:
    """A block for each kind of issue, the most frequent first, with at most ``limit`` issues each (None:
    all)."""
    state = "verified" if release.verified else f"not a published release, fingerprint {release.fingerprint}"
    yield f"{escape(release.name)} ({state}{_followed(release)}) in {escape(str(release.root))}"
    if not issues:
        yield "Nothing odd was found."
        return
    for kind, members in sorted(_by_kind(issues).items(), key=lambda pair: (-len(pair[1]), pair[0])):
        shared = len({member.message for member in members}) == 1
        yield ""
        yield f"{escape(kind)}: {len(members)}" + (f"   {escape(members[0].message)}" if shared else "")
        for member in members if limit is None else members[:limit]:
            yield "  " + _line(member, with_message=not shared)
        if limit is not None and len(members) > limit:
            yield f"  ... {len(members) - limit} more (--limit 0 shows all, --json is complete)"
    yield ""
    yield (
        f"{plural(len(issues), 'data issue')} of {plural(len(_by_kind(issues)), 'kind')}. The release "
        "can be read."
    )


def _followed(release: Release) -> str:
    """Which state of a branch it is, and how to take another; empty for a release of one revision."""
    from folkways.releases.registry import known_releases

    (record,) = [record for record in known_releases() if record.name == release.name] or [release.record]
    if record.is_pinned:
        return ""
    at = f"{record.revision} at {release.record.revision}, fingerprint {release.fingerprint}"
    return f"; {at}; the newest: {record.to_accept()}"


def _line(issue: DataIssue, *, with_message: bool) -> str:
    places = (issue.file, f"row {issue.row}" if issue.row is not None else None, issue.key)
    line = escape(", ".join(part for part in places if part is not None))
    if issue.value is not None:
        line += f": '{escape(issue.value, VALUE_WIDTH)}'"
    return f"{line}   {escape(issue.message)}" if with_message else line


def _by_kind(issues: Sequence[DataIssue]) -> dict[str, list[DataIssue]]:
    kinds: dict[str, list[DataIssue]] = defaultdict(list)
    for issue in issues:
        kinds[issue.kind].append(issue)
    return kinds


RECORD_KEYS = (
    *("source", "repository", "revision", "licence", "items_may_leave"),
    *("languages", "about", "homepage", "citation"),
)
"""Further fields of a record in the JSON output."""


@click.group(cls=CommandGroup)
def command() -> None:
    """List, fetch, check and find released data."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the complete records as JSON.")
def list_releases(as_json: bool) -> None:
    """List the releases that folkways knows, with licence, citation and whether they are on this disk."""
    from folkways.releases.registry import known_releases
    from folkways.releases.stored_releases import root_of, state_of

    entries = [
        {name: getattr(record, name) for name in ("name", "aliases", "benchmark")}
        | {"state": state_of(record), "folder": str(root_of(record)), "files": len(record.files)}
        | {"bytes": sum(entry.size for entry in record.files if entry.size is not None) or None}
        | {name: getattr(record, name) for name in RECORD_KEYS}
        for record in known_releases()
    ]
    if as_json:
        print_json(entries)
        return
    for record, entry in zip(known_releases(), entries, strict=True):
        known_as = f"   (or: {', '.join(record.aliases)})" if record.aliases else ""
        click.echo(f"{click.style(record.name, bold=True)}{known_as}   {entry['state']}")
        click.echo(click.wrap_text(record.about, width=100, initial_indent="  ", subsequent_indent="  "))
        size = f", {in_bytes(sum(file.size or 0 for file in record.files))}" if entry["bytes"] else ""
        host = {"github": "github.com/", "hub": "huggingface.co/datasets/"}.get(record.source)
        origin = f"{host}{record.repository}" if host else "part of folkways"
        click.echo(
            f"  {entry['files']} file{'s' if entry['files'] != 1 else ''}{size}; licence {_licence(record)}; "
            f"{origin}"
        )
        click.echo(f"  cite: {_short_citation(record)}\n")
    click.echo("Citations in full: folkways data list --json")


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), help="Take a copy on disk instead of downloading."
)
@click.option("--force", is_flag=True, help="Fetch again, even if it is here already.")
@click.option(
    "--revision",
    metavar="BRANCH|COMMIT",
    help="Of a release that follows a branch: take this state in place of the one here.",
)
def fetch(names: tuple[str, ...], folder: Path | None, force: bool, revision: str | None) -> None:
    """Fetch releases, or take copies of them, and print licence and citation.

    Files that are here and intact are not fetched again; interrupted downloads resume. What a branch gave
    first is written down, and other contents are refused later, unless --revision takes them.
    """
    from folkways.releases.fetching.fetch import fetch as fetch_release
    from folkways.releases.registry import get_record

    for record in dict.fromkeys(get_record(name) for name in names):
        if folder is not None and record.source != "package":
            _adopt(record, folder, force, revision)
            continue
        release = fetch_release(record.name, force=force, revision=revision, progress=transfer_progress())
        _announce(release, "is here" if release.verified else "is here, but its host told no checksum")


@command.command()
@click.argument("name_or_dir", metavar="NAME|DIR")
@click.option("--json", "as_json", is_flag=True, help="Every data issue, as JSON.")
@out_option("Write there (JSON if it ends in .json)", "data-issues.txt")
@click.option(
    "--limit",
    type=WholeNumber(min=0),
    default=5,
    show_default=True,
    help="Data issues shown of each kind; 0 shows all.",
)
def check(name_or_dir: str, as_json: bool, out: Path | None, limit: int) -> None:
    """Print what is odd about a release: file, row, kind and value.

    Exit code 0 if the release can be read, however odd it is; 2 if it cannot.
    """
    from folkways.benchmarks.released_data import data_issues, open_release
    from folkways.display import json_for_terminal, plural

    target = None if out is None else file_at(out, "data-issues.json" if as_json else "data-issues.txt")
    release = open_release(name_or_dir)
    issues = data_issues(release)
    if as_json or (target is not None and target.suffix == ".json"):
        text = json_for_terminal(as_document(release, issues))
    else:
        text = "\n".join(as_lines(release, issues, None if limit == 0 or out is not None else limit))
    if target is None:
        click.echo(text)
        return
    write_text(target, text + "\n", plural(len(issues), "data issue"))


@command.command()
@click.argument("name")
def where(name: str) -> None:
    """Print the folder of a release that is on this disk."""
    from folkways.releases.stored_releases import locate

    click.echo(str(locate(name).root))


def _adopt(record: ReleaseRecord, folder: Path, force: bool, revision: str | None) -> None:
    from folkways.display import plural
    from folkways.releases.fetching.adopt import adopt

    adoption = adopt(record.name, folder, force=force, revision=revision)
    _announce(
        adoption.release,
        f"adopted: {plural(len(adoption.copied), 'file')} copied, {len(adoption.present)} already here",
    )
    notes = {
        "no known checksum": adoption.unverified,
        "missing, and not needed": [path for path in adoption.missing if path not in _unpublished(record)],
        "left out, because the contents differ from the published ones": adoption.differing,
    }
    for note, paths in notes.items():
        for path in paths:
            click.echo(f"  {note}: {path}", err=True)


def _announce(release: Release, what: str) -> None:
    record = release.record
    click.echo(f"{click.style(record.name, bold=True)} {what}: {release.root}")
    for path in _unpublished(record):
        if not release.has(path):
            click.echo(
                f"  not published with the rest: {path} (adopt your copy: folkways data fetch "
                f"{record.name} --from DIR)",
                err=True,
            )
    click.echo(f"  licence: {_licence(record)}   ({record.homepage or 'part of folkways'})")
    if record.citation:
        click.echo("  please cite:")
        click.echo("\n".join(f"    {line}" for line in record.citation.splitlines()))


def _licence(record: ReleaseRecord) -> str:
    return record.licence if record.items_may_leave else f"{record.licence}, no items in reports and exports"


def _unpublished(record: ReleaseRecord) -> list[str]:
    """Files that are not published, and only come with a copy."""
    return [entry.path for entry in record.files if not entry.remote]


def _short_citation(record: ReleaseRecord) -> str:
    key = record.citation.split("{", 1)[-1].split(",", 1)[0]
    eprint = next(
        (line.split("{")[1].split("}")[0] for line in record.citation.splitlines() if "eprint" in line), ""
    )
    return f"{key}, arXiv {eprint}" if eprint else key or "nothing to cite"
