"""``folkways export hub`` and ``export eval-results``: a run on the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.options import names, release_names, workspace_option
from folkways.cli.out import folder_option, say_written
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.integrations.hub.eval_results import ModelFile
    from folkways.integrations.hub.push import Hub
    from folkways.workspace.run_records import RunRecord


@click.command("hub")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets the data set.")
@click.option("--profile", metavar="NAME", help="Only this profile, where the run was scored in several.")
@click.option("--items", is_flag=True, help="You may pass on items of your own data, whose licence folkways does not know.")
@click.option("--push", metavar="OWNER/NAME", help="Also push it to this data set of the hub, with the token in HF_TOKEN.")
@click.option("--public", is_flag=True, help="Everybody may see what is pushed. Without it a new data set is private.")
def hub(run: str, workspace: str, out: Path, profile: str | None, items: bool, push: str | None, public: bool) -> None:
    """Write the judgements of RUN (name, number or 'last') as a data set of the Hugging Face hub.

    Parquet files, a configuration for each task and one of all scores, and a card with scores, intervals, licences and how to ask
    the same. Where a licence does not let items be passed on, ids and verdicts are written alone. The same run gives the same
    files. Look at them before you push.

    \b
    folkways export hub last --out judgements
    folkways export hub last --out judgements --push our-lab/judgements
    """
    from folkways.api import load_run
    from folkways.integrations.hub.judgements import export_judgements
    from folkways.integrations.hub.push import check_name, open_hub

    if public and push is None:
        raise click.UsageError("--public says who may see what is pushed; name the data set with --push OWNER/NAME")
    opened = open_hub() if push is not None and check_name(push, "--push") else None
    loaded = load_run(run, workspace)
    done = export_judgements(loaded.workspace, loaded.record, out, profile=profile, unlicensed_items=items)
    say_written(done.files, done.notes)
    if opened is not None and push is not None:
        address = opened.push_data_set(push, out, done.files, public=public, message=f"Run {loaded.name}")
        click.echo(f"pushed to {address}")


@click.command("eval-results")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets DEVELOPER/MODEL/...")
@click.option("--model", metavar="NAME", help="Only this model of the run, by its name there.")
@click.option("--tasks", metavar="LIST", help="Only these tasks of the run, separated by commas.")
@click.option("--profile", metavar="NAME", help="The profile whose scores are written; each task's default if left out.")
@click.option(
    "--dataset",
    "data_sets",
    multiple=True,
    metavar="[BENCHMARK=]OWNER/NAME",
    help="The data set on the hub that the scores belong to, where it is not the release's own. Repeatable.",
)
@click.option(
    "--task-id", "task_ids", multiple=True, metavar="TASK=ID", help="A task's id in that data set's eval.yaml. Repeatable."
)
@click.option("--source", default="", metavar="URL", help="Where the judgements can be looked at: a data set of 'export hub', say.")
@click.option("--incomplete", is_flag=True, help="Also write scores of a part of the benchmark, or with items without a reply.")
@click.option("--push", metavar="OWNER/NAME", help="Also open a pull request to this model on the hub, with the token in HF_TOKEN.")
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
    """Write the scores of RUN (name, number or 'last') as model repositories of the Hugging Face hub show them.

    One file for each model and benchmark, DEVELOPER/MODEL/.eval_results/folkways_BENCHMARK.yaml: the headline of each task, with
    date and source; interval, n and signature are in its notes. --push opens a pull request, where the model's owner sees them.

    \b
    folkways export eval-results last --out results
    folkways export eval-results last --out results --model openai/our-model --push our-lab/our-model
    """
    from folkways.api import load_run
    from folkways.integrations.hub.eval_results import Places, export_eval_results
    from folkways.integrations.hub.push import check_name, open_hub

    named = {benchmark: check_name(name, "--dataset") for benchmark, name in release_names(data_sets).items()}
    if source and not source.startswith(("https://", "http://")):
        raise FolkwaysError(
            f"--source takes a web address, got {source!r}; for example: https://huggingface.co/datasets/OWNER/NAME"
        )
    opened = open_hub() if push is not None and check_name(push, "--push") else None
    loaded = load_run(run, workspace)
    places = Places(named, _pairs(task_ids), source)
    files, notes = export_eval_results(loaded.workspace, loaded.record, out, tasks=names(tasks), places=places, **others)
    say_written((file.path for file in files), notes)
    if opened is not None and push is not None:
        _open_pull_request(opened, push, files, loaded.record)


def _open_pull_request(opened: Hub, push: str, files: Sequence[ModelFile], record: RunRecord) -> None:
    if len({file.model for file in files}) > 1:
        models = ", ".join(sorted({file.model for file in files}))
        raise FolkwaysError(f"--push is for one model, and the run has several ({models}); choose with --model")
    for file in files:
        defined = opened.benchmark_tasks(file.data_set)
        if defined is None:
            unseen = (
                f"{file.data_set} has no eval.yaml that can be seen: the hub shows no score of it until it is a benchmark there"
            )
            say_written((), [unseen])
        elif unknown := [name for name in file.task_ids if name not in defined]:
            raise FolkwaysError(
                f"nothing was pushed to {push}: the eval.yaml of {file.data_set} has no task {', '.join(unknown)}\n"
                f"valid: {', '.join(defined)}\nSay which is meant with --task-id TASK=ID, or leave the others out with --tasks"
            )
    address = opened.open_pull_request(
        push,
        {file.name: file.path for file in files},
        title=f"Results on {', '.join(dict.fromkeys(file.data_set for file in files))}, by folkways",
        text=f"Scores with intervals, n and signature in the notes. Run {record.name}, asked by folkways {record.version}.",
    )
    click.echo(f"opened {address}")


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, _, value in pairs:
        if not name or not value:
            raise FolkwaysError(f"--task-id takes TASK=ID, for example culturalbench/easy=easy, got {name!r}")
    return {name: value for name, _, value in pairs}
