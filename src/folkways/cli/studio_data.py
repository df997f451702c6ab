"""What goes into a study and comes out of it: items, model answers, off-line work, exports, progress, agreement."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli import completion
from folkways.cli.options import Number, names, workspace_option
from folkways.cli.out import check_several, file_at, out_option, print_json

if TYPE_CHECKING:
    from folkways.stats.raters.agreement import Coefficient
    from folkways.workspace.database import Workspace


def opened(workspace: str, *, create: bool = False) -> AbstractContextManager[Workspace]:
    """The workspace for the length of a block."""
    from folkways.workspace.database import open_workspace

    return closing(open_workspace(workspace, create=create))


CONTEXT = {"help_option_names": ["-h", "--help"]}


@click.command("import", context_settings=CONTEXT)
@click.argument("study")
@click.argument("stage")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--population", metavar="NAME", help="For rows that name none.")
@workspace_option
def import_items(study: str, stage: str, file: Path, population: str | None, workspace: str) -> None:
    """Add items to a stage, one per row of a CSV, XLSX, JSON, JSONL or Parquet file: all of them or none.

    Columns are the fields of the stage's items; item (an id), population, check and qualification (the answer that is known, of a
    question among the work or of one of the test) may be there as well. Options are columns option_a, option_b and so on;
    candidates candidate_1, by_1 and so on.
    """
    from folkways.reports.text import plural
    from folkways.studio.imports.items import import_items as add
    from folkways.studio.imports.tables import read_rows

    with opened(workspace) as database:
        number = study_id(database, study)
        added = add(database, number, stage, read_rows(file), population=population, file=str(file))
        click.echo(f"added {plural(len(added), 'item')} to {stage}")


@click.command("media", context_settings=CONTEXT)
@click.argument("study")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@workspace_option
def media(study: str, files: tuple[Path, ...], workspace: str) -> None:
    """Add pictures and recordings that items of a study show, one by one or in ZIP files: all of them or none.

    They lie in a folder beside the workspace, or in that which FOLKWAYS_MEDIA names.
    """
    from folkways.reports.text import plural
    from folkways.studio.imports.media import read_files
    from folkways.studio.services.media import add_media

    with opened(workspace) as database:
        added = add_media(database, study_id(database, study), read_files(files))
        click.echo(f"added {plural(added, 'file')} to {study}")


@click.command("draw", context_settings=CONTEXT)
@click.argument("study")
@click.argument("stage")
@click.argument("run", shell_complete=completion.runs)
@click.option("--per-culture", type=click.IntRange(min=1), default=120, show_default=True, help="Answers per culture, at most.")
@click.option("--all", "everything", is_flag=True, help="Draw right answers, too, not only wrong ones.")
@click.option("--models", metavar="LIST", help="Only answers of these models of the run.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the draw.")
@workspace_option
def draw(
    study: str, stage: str, run: str, per_culture: int, everything: bool, models: str | None, seed: int, workspace: str
) -> None:
    """Draw answers of models from a stored run at random, for people to judge."""
    from folkways.studio.services.models.drawing import draw_answers

    with opened(workspace) as database:
        number = study_id(database, study)
        drawn = draw_answers(
            database, number, stage, run, per_culture=per_culture, wrong_only=not everything, models=names(models), seed=seed
        )
        for culture, (taken, there) in drawn.counts.items():
            click.echo(f"{culture}: {taken} of {there}")


@click.command("export", context_settings=CONTEXT)
@click.argument("study")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for the files.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["release", "csv", "jsonl", "parquet", "xlsx", "hub"]),
    default="release",
    show_default=True,
    help="The benchmark's own schema, or tables of everything.",
)
@click.option("--discussion", is_flag=True, help="With what researchers and reviewers said of items (csv, jsonl, parquet, xlsx).")
@workspace_option
def export(study: str, out: Path, kind: str, discussion: bool, workspace: str) -> None:
    """Write the results of a study. People are pseudonyms, and people who withdrew are left out.

    \b
    release   what a benchmark makes of the study, as folkways reads it; labels and errors of model answers that were judged
    hub       a Hugging Face data set: Parquet, data card, Croissant metadata, and the release
    """
    from folkways.cli.files import check_folder
    from folkways.studio.exports.make import export_study

    check_several(out)
    check_folder(out)
    with opened(workspace) as database:
        for path in export_study(database, study_id(database, study), out, kind, discussion=discussion):
            click.echo(f"wrote {path}")


@click.command("progress", context_settings=CONTEXT)
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@workspace_option
def progress(study: str, as_json: bool, workspace: str) -> None:
    """How far a study is, by stage and population."""
    from folkways.reports.text import plural
    from folkways.studio.services.progress import progress as rows_of

    with opened(workspace) as database:
        rows = [asdict(row) for row in rows_of(database, study_id(database, study))]
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


@click.command("agreement", context_settings=CONTEXT)
@click.argument("study")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@workspace_option
def agreement(study: str, as_json: bool, workspace: str) -> None:
    """How far people agree, by stage, population and field; if a coefficient is not defined, why."""
    from folkways.studio.services.agreement import agreement as rows_of

    with opened(workspace) as database:
        found = rows_of(database, study_id(database, study))
    if as_json:
        print_json([asdict(row) for row in found])
        return
    if not found:
        click.echo("There is nothing to compare yet: no item has answers.", err=True)
    for row in found:
        click.echo(f"{row.stage} {row.population or '(everybody)'} {row.field}".rstrip())
        for name in ("percent", "majority", "largest_vote", "cohen", "fleiss", "alpha", "masi"):
            click.echo(f"  {name.replace('_', ' '):12} {_shown(getattr(row, name))}")
        click.echo(f"  {'what fits':12} {_shown(row.fitting)}{f' ({row.fitting_name})' * bool(row.fitting_name)}")


def _shown(found: Coefficient) -> str:
    from folkways.reports.text import plural

    if found.value is None:
        return f"not defined: {found.reason}"
    interval = f" (95 %: {found.low:.3f} to {found.high:.3f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:.3f}{interval} over {plural(found.units, 'item')}"


@click.command("hand-out", context_settings=CONTEXT)
@click.argument("study")
@click.argument("stage")
@click.argument("person", metavar="PSEUDONYM")
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="Items, at most.")
@click.option("--hours", type=Number(min=0.1), default=72, show_default=True, help="How long they are kept for the person.")
@out_option("Where the workbook goes (.xlsx)", "STAGE-PSEUDONYM.xlsx", required=True)
@workspace_option
def hand_out(study: str, stage: str, person: str, count: int, hours: float, out: Path, workspace: str) -> None:
    """Write a workbook for somebody who works off line: items that are kept for them, to be filled in."""
    from folkways.files import write_bytes
    from folkways.studio.imports.offline import hand_out as make

    target = file_at(out, f"{stage}-{person}.xlsx", (".xlsx",))  # before items are kept for the person
    with opened(workspace) as database:
        workbook = make(database, _person(database, study, person), stage, count, hours=hours)
        write_bytes(target, workbook)
        click.echo(f"wrote {target}")


@click.command("take-in", context_settings=CONTEXT)
@click.argument("study")
@click.argument("person", metavar="PSEUDONYM")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.xlsx")
@workspace_option
def take_in(study: str, person: str, file: Path, workspace: str) -> None:
    """Submit a workbook that was filled in off line: all of its filled rows, or none if one is wrong."""
    from folkways.reports.text import plural
    from folkways.studio.imports.offline import take_in as submit
    from folkways.studio.imports.tables import read_rows

    with opened(workspace) as database:
        found = submit(database, _person(database, study, person), read_rows(file), file=str(file))
        empty = f"{plural(found.empty, 'row')} {'is' if found.empty == 1 else 'are'} empty"
        there = f"{found.repeated} {'was' if found.repeated == 1 else 'were'} there already"
        click.echo(f"{plural(found.stored, 'answer')} stored, {there}, {empty}")


def study_id(database: Workspace, name: str) -> int:
    """The id of the study of that name; UnknownNameError."""
    from folkways.errors import UnknownNameError
    from folkways.studio.services import studies

    found = {study.name: study.id for study in studies.list_studies(database)}
    if name not in found:
        raise UnknownNameError("study", name, found)
    return found[name]


def _person(database: Workspace, study: str, pseudonym: str) -> int:
    from folkways.errors import UnknownNameError
    from folkways.studio.services.people import participants

    found = participants.list_participants(database, study_id(database, study))
    for each in found:
        if each.pseudonym == pseudonym:
            return each.id
    raise UnknownNameError("participant", pseudonym, [each.pseudonym for each in found])


COMMANDS = (import_items, media, draw, export, progress, agreement, hand_out, take_in)
