"""What goes into a study and comes out of it: items, model answers, off-line work, exports, progress,
agreement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from folkways.sdk.cli import Number, completion, file_at, folder_option, names, out_option, print_json
from folkways_studio.cli.places import open_study_client, place_options
from folkways_studio.cli.progress import import_progress


@click.command("import")
@click.argument("study")
@click.argument("stage")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--population", metavar="NAME", help="For rows that name none.")
@place_options
def import_items(
    study: str, stage: str, file: Path, population: str | None, workspace: str, server: str | None
) -> None:
    """Add items to a stage, one per row of a CSV, XLSX, JSON, JSONL or Parquet file: all of them or none.

    Columns are the fields of the stage's items; item (an id), population, check and qualification (the answer
    that is known, of a question among the work or of one of the test) may be there as well. Options are
    columns option_a, option_b and so on; candidates candidate_1, by_1 and so on.
    """
    from folkways.sdk.display import plural
    from folkways_studio.items.table_files import read_rows

    with open_study_client(workspace, server) as client:
        rows = read_rows(file)
        with import_progress(stage) as told:
            added = client.import_items(study, stage, rows, population, str(file), told)
        click.echo(f"added {plural(added, 'item')} to {stage}")


@click.command("media")
@click.argument("study")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--delete",
    "gone",
    multiple=True,
    metavar="NAME",
    help="Delete this one, which no item shows; may be given again.",
)
@place_options
def media(
    study: str, files: tuple[Path, ...], gone: tuple[str, ...], workspace: str, server: str | None
) -> None:
    """Add pictures and recordings that items of a study show, one by one or in ZIP files: all of them or
    none. Without a file, list what the study has.

    They lie in a folder beside the workspace, or in the folder or bucket (s3://bucket/prefix) that
    FOLKWAYS_MEDIA names. A server gets them in parts of 20 MB, of each all or none.
    """
    from folkways.sdk.display import plural
    from folkways_studio.media.reading import read_files

    with open_study_client(workspace, server) as client:
        for name in gone:
            client.delete_media(study, name)
            click.echo(f"deleted {name} from {study}")
        if files:
            click.echo(f"added {plural(client.add_media(study, read_files(files)), 'file')} to {study}")
        elif not gone:
            for each in client.media(study):
                click.echo(f"{each['name']}  {each['type']}  {each['bytes']:,} bytes")


@click.command("draw")
@click.argument("study")
@click.argument("stage")
@click.argument("run", shell_complete=completion.runs)
@click.option(
    "--per-culture",
    type=click.IntRange(min=1),
    default=120,
    show_default=True,
    help="Answers per culture, at most.",
)
@click.option("--all", "everything", is_flag=True, help="Draw right answers, too, not only wrong ones.")
@click.option("--models", metavar="LIST", help="Only answers of these models of the run.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the draw.")
@place_options
def draw(
    study: str, everything: bool, models: str | None, workspace: str, server: str | None, **others: Any
) -> None:
    """Draw answers of models from a stored run at random, for people to judge."""
    with open_study_client(workspace, server) as client:
        counts = client.draw(study, wrong_only=not everything, models=names(models), **others)
        for culture, (taken, there) in counts.items():
            click.echo(f"{culture}: {taken} of {there}")


@click.command("export")
@click.argument("study")
@folder_option("Folder for the files.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["release", "csv", "jsonl", "parquet", "xlsx", "hub"]),
    default="release",
    show_default=True,
    help="The benchmark's own schema, or tables of everything.",
)
@click.option(
    "--discussion",
    is_flag=True,
    help="With what researchers and reviewers said of items (csv, jsonl, parquet, xlsx).",
)
@place_options
def export(study: str, out: Path, kind: str, discussion: bool, workspace: str, server: str | None) -> None:
    """Write the results of a study. People are pseudonyms, and people who withdrew are left out.

    \b release   what a benchmark makes of the study, as folkways reads it; labels and errors of model answers
    that were judged hub       a Hugging Face data set: Parquet, data card, Croissant metadata, and the
    release
    """
    from folkways.sdk.files import write_bytes

    with open_study_client(workspace, server) as client:
        for name, content in client.export(study, kind, discussion).items():
            click.echo(f"wrote {write_bytes(out / name, content)}")


@click.command("progress")
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@place_options
def progress(study: str, as_json: bool, workspace: str, server: str | None) -> None:
    """How far a study is, by stage and population."""
    from folkways.sdk.display import plural

    with open_study_client(workspace, server) as client:
        rows = client.progress(study)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        seconds = f", {row['median_seconds']:.0f} s per answer" if row["median_seconds"] is not None else ""
        click.echo(
            f"{row['stage']} {row['population'] or '(everybody)'}: {plural(row['done'], 'item')} done, "
            f"{row['open'] + row['draft']} open, {row['dropped']} dropped; "
            f"{plural(row['slots_done'], 'answer')}, {row['slots_leased']} being given, "
            f"{row['slots_open']} wanted{seconds}"
        )


@click.command("agreement")
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@place_options
def agreement(study: str, as_json: bool, workspace: str, server: str | None) -> None:
    """How far people agree, by stage, population and field; if a coefficient is not defined, why."""
    with open_study_client(workspace, server) as client:
        found = client.agreement(study)
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("There is nothing to compare yet: no item has answers.", err=True)
    for row in found:
        click.echo(f"{row['stage']} {row['population'] or '(everybody)'} {row['field']}".rstrip())
        for name in ("percent", "majority", "largest_vote", "cohen", "fleiss", "alpha", "masi"):
            click.echo(f"  {name.replace('_', ' '):12} {_shown(row[name])}")
        fitting = f" ({row['fitting_name']})" if row["fitting_name"] else ""
        click.echo(f"  {'what fits':12} {_shown(row['fitting'])}{fitting}")


def _shown(found: Mapping[str, Any]) -> str:
    from folkways.sdk.display import plural

    if found["value"] is None:
        return f"not defined: {found['reason']}"
    known = found["low"] is not None and found["high"] is not None
    interval = f" (95 %: {found['low']:.3f} to {found['high']:.3f})" if known else ""
    return f"{found['value']:.3f}{interval} over {plural(found['units'], 'item')}"


@click.command("hand-out")
@click.argument("study")
@click.argument("stage")
@click.argument("person", metavar="PSEUDONYM")
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="Items, at most.")
@click.option(
    "--hours",
    type=Number(min=0.1),
    default=72,
    show_default=True,
    help="How long they are kept for the person.",
)
@out_option("Where the workbook goes (.xlsx)", "STAGE-PSEUDONYM.xlsx", required=True)
@place_options
def export_workbook(
    study: str,
    stage: str,
    person: str,
    count: int,
    hours: float,
    out: Path,
    workspace: str,
    server: str | None,
) -> None:
    """Write a workbook for somebody who works off line: items that are kept for them, to be filled in."""
    from folkways.sdk.files import write_bytes

    target = file_at(out, f"{stage}-{person}.xlsx", (".xlsx",))  # before items are kept for the person
    with open_study_client(workspace, server) as client:
        workbook = client.export_workbook(study, person, stage, count, hours)
        write_bytes(target, workbook)
        click.echo(f"wrote {target}")


@click.command("take-in")
@click.argument("study")
@click.argument("person", metavar="PSEUDONYM")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.xlsx")
@place_options
def import_workbook(study: str, person: str, file: Path, workspace: str, server: str | None) -> None:
    """Submit a workbook that was filled in off line: all of its filled rows, or none if one is wrong."""
    from folkways.sdk.display import plural
    from folkways_studio.items.table_files import read_rows

    with open_study_client(workspace, server) as client:
        found = client.import_workbook(study, person, read_rows(file), str(file))
        empty = f"{plural(found['empty'], 'row')} {'is' if found['empty'] == 1 else 'are'} empty"
        there = f"{found['repeated']} {'was' if found['repeated'] == 1 else 'were'} there already"
        click.echo(f"{plural(found['stored'], 'answer')} stored, {there}, {empty}")


COMMANDS = (import_items, media, draw, export, progress, agreement, export_workbook, import_workbook)
