"""``folkways export``: runs and tasks in the formats of other projects."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import limit_option, names, release_names, workspace_option
from folkways.cli.out import folder_option, say_written
from folkways.cli.results.export_hub import eval_results, hub


@click.group("export")
def command() -> None:
    """Write a run, or a task, in the format of another project."""


command.add_command(eval_results)
command.add_command(hub)


@command.command("every-eval-ever")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets data/...")
@click.option("--profile", metavar="NAME", help="Only this profile, if the run was scored in several.")
@click.option("--organization", default="unknown", metavar="NAME", help="Who ran it: your name in the store.")
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

    One JSON of scores, with intervals and counts, per model and benchmark, and one of all judgements beside it. If a licence
    forbids passing items on, only the scores are written. The same run gives the same files.

    \b
    folkways export every-eval-ever last --out share --organization "My lab" --relationship third_party
    """
    from folkways.api import load_run
    from folkways.integrations.every_eval_ever.export import Evaluator, export_run

    loaded, evaluator = load_run(run, workspace), Evaluator(organization, relationship)
    done = export_run(loaded.workspace, loaded.record, out, profile=profile, evaluator=evaluator, unlicensed_items=items)
    say_written(done.files, done.notes)
    if organization == "unknown":
        click.echo("The files do not say who ran this: name yourself with --organization and --relationship.", err=True)


@command.command("lm-eval")
@click.argument("task", shell_complete=completion.tasks)
@folder_option("Folder for --include_path.")
@click.option("--release", metavar="[BENCHMARK=]NAME|DIR", help="Data to use instead of the default release.")
@click.option("--cultures", metavar="LIST", shell_complete=completion.cultures, help="Codes or names, separated by commas.")
@click.option("--languages", metavar="LIST", help="Codes, 'local' or 'en'.")
@click.option("--variants", metavar="LIST", help="Prompt templates (inst-4,pers-3), or 'all'.")
@limit_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random draws.")
@click.option("--profile", metavar="NAME", help="How to judge; the task's default if left out.")
@click.option("--items", is_flag=True, help="You may pass on items of your own data, whose licence folkways does not know.")
def lm_eval(
    task: str,
    out: Path,
    release: str | None,
    cultures: str | None,
    languages: str | None,
    variants: str | None,
    limit: int | None,
    seed: int,
    profile: str | None,
    items: bool,
) -> None:
    """Write TASK for lm-evaluation-harness: YAML, documents, and a module that judges replies as folkways does.

    A multiple-choice task is written twice: as a question to answer, and (..._loglik) as a choice by likelihood. folkways has to be
    installed where the harness runs.

    \b
    folkways export lm-eval demo/mcq --out tasks
    lm_eval run --include_path tasks --tasks folkways_demo_mcq --apply_chat_template ...
    """
    from folkways.integrations.lm_eval.export import export_task
    from folkways.runs.options import RunOptions

    options = RunOptions(
        tasks=(task,),
        releases=release_names((release,) if release else ()),
        cultures=names(cultures),
        languages=names(languages),
        variants=names(variants),
        limit=limit,
        seed=seed,
    )
    done = export_task(options, out, profile=profile, unlicensed_items=items)
    say_written(done.files, done.notes)
    click.echo(f"lm_eval run --include_path {out} --tasks {','.join(done.tasks)}")
