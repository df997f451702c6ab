"""Commands for the data of a study: items, media, model answers, off-line work, exports, progress,
agreement."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.sdk.cli import (
    Number,
    WholeNumber,
    completion,
    file_at,
    folder_option,
    names,
    out_option,
    print_json,
)
from folkways_studio.cli.assigning import COMMANDS as ASSIGNING
from folkways_studio.cli.places import with_study_client
from folkways_studio.exports import FORMATS

if TYPE_CHECKING:
    from folkways_studio.cli.places import StudyClient
    from folkways_studio.items.peer_rows import Annotations

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def import_progress(stage: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that shows how many items were added, and of how many: a bar on a terminal, else a line now
    and then."""
    if sys.stderr.isatty():
        from rich.progress import MofNCompleteColumn, Progress

        from folkways.sdk.cli import terminal

        columns = (*Progress.get_default_columns(), MofNCompleteColumn())
        with Progress(*columns, console=terminal(stderr=True), transient=True) as bar:
            task = bar.add_task(f"importing into {stage}", total=None)
            yield lambda added, rows: bar.update(task, completed=added, total=rows)
        return
    last = time.monotonic()

    def show(added: int, rows: int) -> None:
        nonlocal last
        if added < rows and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            click.echo(f"importing into {stage}: {added:,} of {rows:,} items were added", err=True)

    yield show


@click.command("import")
@click.argument("study")
@click.argument("stage")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--population", metavar="NAME", help="For rows that name none.")
@click.option(
    "--annotations",
    type=click.Choice(["suggestions", "check", "qualification", "leave"]),
    help="What becomes of people's answers in a file of another project: suggestions for those who work "
    "here, known answers (check: among the work; qualification: of its test), or nothing.",
)
@with_study_client
def import_items(
    client: StudyClient,
    study: str,
    stage: str,
    file: Path,
    population: str | None,
    annotations: Annotations | None,
) -> None:
    """Add items to a stage, one per row of a CSV, XLSX, JSON, JSONL or Parquet file: all of them or none.

    Columns are the fields of the stage's items; item (an id), population, check and qualification (the answer
    that is known, of a question among the work or of one of the test) may be there as well. Options are
    columns option_a, option_b and so on; candidates candidate_1, by_1 and so on.

    Tasks of Label Studio (JSON), records of Argilla, texts with entities (spaCy's JSON, JSONL and .spacy) and
    CoNLL are read as well: their questions and labels are the stage's parts of the same names.
    """
    from folkways.sdk.display import plural
    from folkways_studio.items.table_files import read_rows

    rows = read_rows(file)
    with import_progress(stage) as on_progress:
        added, notes = client.import_items(
            study, stage, rows, population, str(file), on_progress, annotations
        )
    click.echo(f"added {plural(added, 'item')} to {stage}")
    for each in notes:
        click.echo(each)


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
@with_study_client
def media(client: StudyClient, study: str, files: tuple[Path, ...], gone: tuple[str, ...]) -> None:
    """Add pictures and recordings that items of a study show, one by one or in ZIP files: all of them or
    none. Without a file, list what the study has.

    They are stored in a folder next to the workspace, or in the folder or bucket (s3://bucket/prefix) that
    FOLKWAYS_MEDIA names. A server gets them in parts of 20 MB, of each all or none.
    """
    from folkways.sdk.display import plural
    from folkways_studio.media.reading import read_files

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
@click.option("--per-culture", type=WholeNumber(min=1), default=120, help="Answers per culture, at most.")
@click.option("--all", "everything", is_flag=True, help="Draw right answers, too, not only wrong ones.")
@click.option("--models", metavar="LIST", help="Only answers of these models of the run.")
@click.option("--seed", type=WholeNumber(), default=0, help="For the draw.")
@with_study_client
def draw(client: StudyClient, study: str, everything: bool, models: str | None, **others: Any) -> None:
    """Draw answers of models from a stored run at random, for people to judge."""
    counts = client.draw(study, wrong_only=not everything, models=names(models), **others)
    for culture, (taken, there) in counts.items():
        click.echo(f"{culture}: {f'{taken} of {there}' if there else 'no more; all were drawn before'}")


@click.command("export")
@click.argument("study")
@folder_option("Folder for the files.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="release",
    help="The benchmark's own schema, tables of everything, or files of other projects.",
)
@click.option(
    "--discussion",
    is_flag=True,
    help="With what researchers and reviewers said of items (csv, jsonl, parquet, xlsx).",
)
@with_study_client
def export(client: StudyClient, study: str, out: Path, kind: str, discussion: bool) -> None:
    """Write the results of a study. People are pseudonyms, and people who withdrew are left out.

    \b
    release       what a benchmark makes of the study, as folkways reads it; labels of judged answers
    hub           a Hugging Face data set: Parquet, data card, Croissant metadata, and the release
    label-studio  tasks with annotations and predictions, and the labeling configuration of each stage
    argilla       a data set per stage, as Argilla keeps it in a folder: records and settings
    spacy         marked spans as spaCy trains on them: JSON lines, and JSON for "spacy convert"
    conll         marked spans in the columns of CoNLL-2003, and in IOB2 with the text (Universal NER)

    Of marked spans there is a file per person and one of what was decided. What a format has no place for is
    in study.json.
    """
    from folkways.sdk.files import write_bytes

    for name, content in client.export(study, kind, discussion).items():
        click.echo(f"wrote {write_bytes(out / name, content)}")


@click.command("progress")
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_study_client
def progress(client: StudyClient, study: str, as_json: bool) -> None:
    """How far a study is, by stage and population."""
    from folkways.sdk.display import plural

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
@with_study_client
def agreement(client: StudyClient, study: str, as_json: bool) -> None:
    """How far people agree, by stage, population and field; if a coefficient is not defined, why."""
    rows = client.agreement(study)
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("There is nothing to compare yet: no item has answers.", err=True)
    for row in rows:
        click.echo(f"{row['stage']} {row['population'] or '(everybody)'} {row['field']}".rstrip())
        for name in ("percent", "majority", "largest_vote", "cohen", "fleiss", "alpha", "masi"):
            click.echo(f"  {name.replace('_', ' '):12} {_shown(row[name])}")
        fitting = f" ({row['fitting_name']})" if row["fitting_name"] else ""
        click.echo(f"  {'what fits':12} {_shown(row['fitting'])}{fitting}")


def _shown(coefficient: Mapping[str, Any]) -> str:
    from folkways.sdk.display import plural

    if coefficient["value"] is None:
        return f"not defined: {coefficient['reason']}"
    has_interval = coefficient["low"] is not None and coefficient["high"] is not None
    interval = f" (95 %: {coefficient['low']:.3f} to {coefficient['high']:.3f})" if has_interval else ""
    return f"{coefficient['value']:.3f}{interval} over {plural(coefficient['units'], 'item')}"


@click.command("hand-out")
@click.argument("study")
@click.argument("stage")
@click.argument("person", metavar="PSEUDONYM")
@click.option("--count", type=WholeNumber(min=1), default=50, help="Items, at most.")
@click.option(
    "--hours", type=Number(min=0.1, max=24 * 90), default=72, help="How long they are kept for the person."
)
@out_option("Where the workbook goes (.xlsx)", "STAGE-PSEUDONYM.xlsx", required=True)
@with_study_client
def export_workbook(
    client: StudyClient, study: str, stage: str, person: str, count: int, hours: float, out: Path
) -> None:
    """Write a workbook for somebody who works off line: items that are kept for them, to be filled in."""
    from folkways.sdk.files import write_bytes

    target = file_at(out, f"{stage}-{person}.xlsx", (".xlsx",))  # before items are kept for the person
    workbook = client.export_workbook(study, person, stage, count, hours)
    write_bytes(target, workbook)
    click.echo(f"wrote {target}")


@click.command("take-in")
@click.argument("study")
@click.argument("person", metavar="PSEUDONYM")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.xlsx")
@with_study_client
def import_workbook(client: StudyClient, study: str, person: str, file: Path) -> None:
    """Submit a workbook that was filled in off line: all of its filled rows, or none if one is wrong."""
    from folkways.sdk.display import plural
    from folkways_studio.items.table_files import read_rows

    counts = client.import_workbook(study, person, read_rows(file), str(file))
    empty = f"{plural(counts['empty'], 'row')} {'is' if counts['empty'] == 1 else 'are'} empty"
    there = f"{counts['repeated']} {'was' if counts['repeated'] == 1 else 'were'} there already"
    click.echo(f"{plural(counts['stored'], 'answer')} stored, {there}, {empty}")


COMMANDS = (
    *(import_items, media, draw, export, progress, agreement, export_workbook, import_workbook),
    *ASSIGNING,
)
