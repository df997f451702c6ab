"""``folkways data``: list, fetch, check and find released data."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli.out import file_at, out_option, print_json
from folkways.cli.results.table_files import write_text
from folkways.releases.base import Release, ReleaseRecord

TOLD = ("source", "repository", "revision", "licence", "languages", "about", "homepage", "citation")
"""What JSON tells of a record besides its name and where it is."""


@click.group()
def command() -> None:
    """List, fetch, check and find released data."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Everything that the records say, as JSON.")
def list_releases(as_json: bool) -> None:
    """List the releases that folkways knows, with licence, citation and whether they are on this disk."""
    from folkways.cli.releases.transfer import in_bytes
    from folkways.releases.registry import known_releases
    from folkways.releases.store import root_of, state_of

    entries = [
        {name: getattr(record, name) for name in ("name", "aliases", "benchmark")}
        | {"state": state_of(record), "folder": str(root_of(record)), "files": len(record.files)}
        | {"bytes": sum(entry.size for entry in record.files if entry.size is not None) or None}
        | {name: getattr(record, name) for name in TOLD}
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
            f"  {entry['files']} file{'s' if entry['files'] != 1 else ''}{size}; licence {record.licence}; "
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
def fetch(names: tuple[str, ...], folder: Path | None, force: bool) -> None:
    """Fetch releases, or take copies of them, and print licence and citation.

    Files that are here and intact are not fetched again; interrupted downloads resume.
    """
    from folkways.cli.releases.transfer import transfer_progress
    from folkways.releases.fetching.fetch import fetch as fetch_release
    from folkways.releases.registry import get_record

    for record in dict.fromkeys(get_record(name) for name in names):
        if folder is not None and record.source != "package":
            _adopt(record, folder, force)
            continue
        release = fetch_release(record.name, force=force, progress=transfer_progress())
        _announce(release, "is here" if release.verified else "is here, but its host told no checksum")


@command.command()
@click.argument("name_or_dir", metavar="NAME|DIR")
@click.option("--json", "as_json", is_flag=True, help="Every data issue, as JSON.")
@out_option("Write there (JSON if it ends in .json)", "data-issues.txt")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Data issues shown of each kind; 0 shows all.",
)
def check(name_or_dir: str, as_json: bool, out: Path | None, limit: int) -> None:
    """Print what is odd about a release: file, row, kind and value.

    Exit code 0 if the release can be read, however odd it is; 2 if it cannot.
    """
    from folkways.benchmarks.released_data import data_issues, open_release
    from folkways.cli.releases.data_issues import as_document, as_lines
    from folkways.display import json_for_terminal, plural

    target = None if out is None else file_at(out, "data-issues.json" if as_json else "data-issues.txt")
    release = open_release(name_or_dir)
    found = data_issues(release)
    if as_json or (target is not None and target.suffix == ".json"):
        text = json_for_terminal(as_document(release, found))
    else:
        text = "\n".join(as_lines(release, found, None if limit == 0 or out is not None else limit))
    if target is None:
        click.echo(text)
        return
    write_text(target, text + "\n", told=plural(len(found), "data issue", "data issues"))


@command.command()
@click.argument("name")
def where(name: str) -> None:
    """Print the folder of a release that is on this disk."""
    from folkways.releases.store import locate

    click.echo(str(locate(name).root))


def _adopt(record: ReleaseRecord, folder: Path, force: bool) -> None:
    from folkways.display import plural
    from folkways.releases.fetching.adopt import adopt

    adoption = adopt(record.name, folder, force=force)
    _announce(
        adoption.release,
        f"adopted: {plural(len(adoption.copied), 'file')} copied, {len(adoption.present)} were here",
    )
    notes = {
        "no checksum is known of": adoption.unverified,
        "not there, and not needed": [path for path in adoption.missing if path not in _unpublished(record)],
        "left out, because the contents differ from those released": adoption.differing,
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
    click.echo(f"  licence: {record.licence}   ({record.homepage or 'part of folkways'})")
    if record.citation:
        click.echo("  please cite:")
        click.echo("\n".join(f"    {line}" for line in record.citation.splitlines()))


def _unpublished(record: ReleaseRecord) -> list[str]:
    """The files that only a copy brings."""
    return [entry.path for entry in record.files if not entry.remote]


def _short_citation(record: ReleaseRecord) -> str:
    key = record.citation.split("{", 1)[-1].split(",", 1)[0]
    eprint = next(
        (line.split("{")[1].split("}")[0] for line in record.citation.splitlines() if "eprint" in line), ""
    )
    return f"{key}, arXiv {eprint}" if eprint else key or "nothing to cite"
