"""``folkways export``: runs and tasks in the formats of other projects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import WholeNumber, limit_option, names, release_names, workspace_option
from folkways.cli.out import folder_option, say_written
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.integrations.hub.eval_results import ModelFile
    from folkways.integrations.hub.push import Hub
    from folkways.workspace.run_records import RunRecord


items_option = click.option(
    "--items",
    is_flag=True,
    help="You may pass on items of your own data, whose licence folkways does not know.",
)


@click.group("export", cls=CommandGroup)
def command() -> None:
    """Write a run, or a task, in the format of another project."""


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
@items_option
def every_eval_ever(
    run: str,
    workspace: str,
    out: Path,
    profile: str | None,
    organization: str,
    relationship: str,
    items: bool,
) -> None:
    """Write RUN (name, number or 'last') as files for the data store of Every Eval Ever, schema 0.3.0.

    For each model and benchmark, one JSON file of scores, with intervals and counts, and one of all
    judgements. If a licence forbids passing items on, only the scores are written. The same run gives the
    same files.

    \b
    folkways export every-eval-ever last --out share --organization "My lab" --relationship third_party
    """
    from folkways.api import load_run
    from folkways.integrations.every_eval_ever.export import Evaluator, export_run

    loaded, evaluator = load_run(run, workspace), Evaluator(organization, relationship)
    done = export_run(
        loaded.workspace, loaded.record, out, profile=profile, evaluator=evaluator, unlicensed_items=items
    )
    say_written(done.files, done.notes)
    if organization == "unknown":
        click.echo(
            "The files do not say who ran this: name yourself with --organization and --relationship.",
            err=True,
        )


@command.command("inspect")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets the logs.")
@click.option("--profile", metavar="NAME", help="How to judge; each task's default if left out.")
@items_option
def inspect_logs(run: str, workspace: str, out: Path, profile: str | None, items: bool) -> None:
    """Write RUN (name, number or 'last') as logs of Inspect, one for each model and task.

    Inspect is not needed to write them. Each sample has the prompt, the reply and what it was worth; the
    scores of the run come first, with their intervals in the metadata.

    \b
    folkways export inspect last --out logs
    inspect view --log-dir logs
    """
    from folkways.api import load_run
    from folkways.integrations.inspect.export import export_run

    loaded = load_run(run, workspace)
    done = export_run(loaded.workspace, loaded.record, out, profile=profile, unlicensed_items=items)
    say_written(done.files, done.notes)
    click.echo(f"inspect view --log-dir {out}")


@command.command("lm-eval")
@click.argument("task", shell_complete=completion.tasks)
@folder_option("Folder for --include_path.")
@click.option("--release", metavar="[BENCHMARK=]NAME|DIR", help="Data to use instead of the default release.")
@click.option(
    "--cultures",
    metavar="LIST",
    shell_complete=completion.cultures,
    help="Codes or names, separated by commas.",
)
@click.option("--languages", metavar="LIST", help="Codes, 'local' or 'en'.")
@click.option("--variants", metavar="LIST", help="Prompt templates (inst-4,pers-3), or 'all'.")
@limit_option
@click.option("--seed", type=WholeNumber(), default=0, show_default=True, help="Seed of all random draws.")
@click.option("--profile", metavar="NAME", help="How to judge; the task's default if left out.")
@items_option
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
    """Write TASK for lm-evaluation-harness: YAML, documents, and a module that judges replies as folkways
    does.

    A multiple-choice task is written twice: as a question to answer, and (..._loglik) as a choice by
    likelihood. One in several languages is also a group (..._by_language) of a task for each. folkways has
    to be installed where the harness runs.

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


@command.command("hub")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets the data set.")
@click.option("--profile", metavar="NAME", help="Only this profile, where the run was scored in several.")
@items_option
@click.option(
    "--push",
    metavar="OWNER/NAME",
    help="Also push it to this data set of the hub, with the token in HF_TOKEN.",
)
@click.option(
    "--public", is_flag=True, help="Everybody may see what is pushed. Without it a new data set is private."
)
def hub(
    run: str, workspace: str, out: Path, profile: str | None, items: bool, push: str | None, public: bool
) -> None:
    """Write the judgements of RUN (name, number or 'last') as a data set of the Hugging Face hub.

    Parquet files, a configuration for each task and one of all scores, and a card with scores, intervals,
    licences and how to repeat the run. If a licence forbids passing items on, only ids and verdicts are
    written. The same run gives the same files. Look at them before you push.

    \b
    folkways export hub last --out judgements
    folkways export hub last --out judgements --push our-lab/judgements
    """
    from folkways.api import load_run
    from folkways.integrations.hub.judgements import export_judgements
    from folkways.integrations.hub.push import check_name, open_hub

    if public and push is None:
        raise click.UsageError(
            "--public says who may see what is pushed; name the data set with --push OWNER/NAME"
        )
    pushed = None if push is None else (check_name(push, "--push"), open_hub())
    loaded = load_run(run, workspace)
    done = export_judgements(loaded.workspace, loaded.record, out, profile=profile, unlicensed_items=items)
    say_written(done.files, done.notes)
    if pushed is not None:
        name, opened = pushed
        address = opened.push_data_set(name, out, done.files, public=public, message=f"Run {loaded.name}")
        click.echo(f"pushed to {address}")


@command.command("eval-results")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets DEVELOPER/MODEL/...")
@click.option("--model", metavar="NAME", help="Only this model of the run.")
@click.option(
    "--tasks",
    metavar="LIST",
    shell_complete=completion.tasks,
    help="Only these tasks of the run, separated by commas.",
)
@click.option(
    "--profile", metavar="NAME", help="The profile whose scores are written; each task's default if left out."
)
@click.option(
    "--dataset",
    "data_sets",
    multiple=True,
    metavar="[BENCHMARK=]OWNER/NAME",
    help="The data set on the hub that the scores belong to, if it is not that of the release. Repeatable.",
)
@click.option(
    "--task-id",
    "task_ids",
    multiple=True,
    metavar="TASK=ID",
    help="A task's id in that data set's eval.yaml. Repeatable.",
)
@click.option(
    "--source",
    default="",
    metavar="URL",
    help="Address of the judgements, for example a data set of 'export hub'.",
)
@click.option(
    "--incomplete",
    is_flag=True,
    help="Also write scores of part of a benchmark, and scores with items that got no reply.",
)
@click.option(
    "--push",
    metavar="OWNER/NAME",
    help="Also open a pull request to this model on the hub, with the token in HF_TOKEN.",
)
def eval_results(
    run: str,
    workspace: str,
    out: Path,
    tasks: str | None,
    data_sets: tuple[str, ...],
    task_ids: tuple[str, ...],
    source: str,
    push: str | None,
    **others: Any,
) -> None:
    """Write the scores of RUN (name, number or 'last') as model repositories of the Hugging Face hub show
    them.

    One file for each model and benchmark, DEVELOPER/MODEL/.eval_results/folkways_BENCHMARK.yaml: the headline
    of each task, with date and source; interval, n and signature are in its notes. --push opens a pull
    request, where the model's owner sees them.

    \b
    folkways export eval-results last --out results
    folkways export eval-results last --out results --model openai/our-model --push our-lab/our-model
    """
    from folkways.api import load_run
    from folkways.integrations.hub.eval_results import HubAddresses, export_eval_results
    from folkways.integrations.hub.push import check_name, open_hub

    named = {benchmark: check_name(name, "--dataset") for benchmark, name in release_names(data_sets).items()}
    if source and not source.startswith(("https://", "http://")):
        raise FolkwaysError(
            f"--source takes a web address, got {source!r}; for example: "
            "https://huggingface.co/datasets/OWNER/NAME"
        )
    pushed = None if push is None else (check_name(push, "--push"), open_hub())
    loaded = load_run(run, workspace)
    addresses = HubAddresses(named, _pairs(task_ids), source)
    files, notes = export_eval_results(
        loaded.workspace, loaded.record, out, tasks=names(tasks), addresses=addresses, **others
    )
    say_written((file.path for file in files), notes)
    if pushed is not None:
        _open_pull_request(*pushed, files, loaded.record)


def _open_pull_request(push: str, opened: Hub, files: Sequence[ModelFile], record: RunRecord) -> None:
    if len({file.model for file in files}) > 1:
        models = ", ".join(sorted({file.model for file in files}))
        raise FolkwaysError(
            f"--push is for one model, and the run has several ({models}); choose with --model"
        )
    for file in files:
        defined = opened.benchmark_tasks(file.data_set)
        if defined is None:
            unseen = (
                f"{file.data_set} has no visible eval.yaml: the hub shows its scores only once it is a "
                "benchmark there"
            )
            say_written((), [unseen])
        elif unknown := [name for name in file.task_ids if name not in defined]:
            raise FolkwaysError(
                f"nothing was pushed to {push}: the eval.yaml of {file.data_set} has no task "
                f"{', '.join(unknown)}\n"
                f"valid: {', '.join(defined)}\nSay which is meant with --task-id TASK=ID, or leave the "
                "others out with --tasks"
            )
    address = opened.open_pull_request(
        push,
        {file.name: file.path for file in files},
        title=f"Results on {', '.join(dict.fromkeys(file.data_set for file in files))}, by folkways",
        text=f"Scores with intervals, n and signature in the notes. Run {record.name}, asked by folkways "
        f"{record.version}.",
    )
    click.echo(f"opened {address}")


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, _, value in pairs:
        if not (name and value):
            raise FolkwaysError(f"--task-id takes TASK=ID, for example culturalbench/easy=easy, got {name!r}")
    return {name: value for name, _, value in pairs}
