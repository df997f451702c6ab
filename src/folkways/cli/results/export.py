"""``folkways export``: a run in the formats of other projects."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import check_several

HELP = {"help_option_names": ["-h", "--help"]}


@click.group("export", context_settings=HELP)
def command() -> None:
    """Write a run in the format of another project, to share it."""


@command.command("every-eval-ever", context_settings=HELP)
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder that gets data/...")
@click.option("--profile", metavar="NAME", help="Only this profile, where the run was scored in several.")
@click.option("--organization", default="unknown", metavar="NAME", help="Who ran it, as the store is to name you.")
@click.option(
    "--relationship",
    default="other",
    show_default=True,
    metavar="WORD",
    help="You and the models' makers: first_party, third_party, collaborative or other.",
)
@click.option("--items", is_flag=True, help="You may pass on items of your own data, whose licence folkways does not know.")
def every_eval_ever(
    run: str, workspace: str, out: Path, profile: str | None, organization: str, relationship: str, items: bool
) -> None:
    """Write RUN (name, number or 'last') as files for the data store of Every Eval Ever, schema 0.3.0.

    One JSON of scores, with intervals and counts, per model and benchmark, and one of all judgements beside it. Where a licence
    does not let items be passed on, the scores are written alone. The same run gives the same files.

    \b
    folkways export every-eval-ever last --out share --organization "My lab" --relationship third_party
    """
    from folkways.cli.files import check_folder
    from folkways.integrations.every_eval_ever.export import Evaluator, export_run
    from folkways.reports.text import one_line
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_asked_run

    check_several(out)
    check_folder(out)
    database = open_workspace(workspace, create=False)
    done = export_run(
        database,
        find_asked_run(database, run),
        out,
        profile=profile,
        evaluator=Evaluator(organization, relationship),
        unlicensed_items=items,
    )
    for path in done.files:
        click.echo(f"wrote {path}")
    for note in done.notes:
        click.echo(one_line(note), err=True)
    if organization == "unknown":
        click.echo("The files do not say who ran this: name yourself with --organization and --relationship.", err=True)
