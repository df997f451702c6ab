"""``folkways build topics``: a model sorts questions into topics, and people's labels say how well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.options import Number, workspace_option
from folkways.cli.out import file_at, out_option
from folkways.cli.terminal import terminal

if TYPE_CHECKING:
    from folkways.runs.building.topics import SortedQuestions


@click.command("topics", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--release", "name", default="culturalbench", show_default=True, metavar="NAME|DIR", help="Questions to sort.")
@click.option("--model", "-m", "asked", required=True, metavar="NAME", help="Model that sorts. Own settings: NAME?temperature=1.")
@out_option("Where topics go (.csv)", "topics.csv, where tasks look for it in a release", required=True)
@click.option("--topics", "own", type=click.Path(path_type=Path), metavar="FILE.toml", help="Your own list; ours of 17 otherwise.")
@click.option(
    "--labelled", type=click.Path(path_type=Path), metavar="FILE", help="People's labels to compare: question_idx, topic."
)
@click.option("--batch", type=click.IntRange(1, 100), default=20, show_default=True, help="Questions in one request.")
@workspace_option
@click.option("--concurrency", type=click.IntRange(min=1, max=1000), metavar="N", help="Requests at once, at most.")
@click.option("--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries per request.")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help="Give up after N failed requests.")
@click.option("--timeout", type=Number(min=0.1), default=120.0, show_default=True, help="Seconds for one request.")
@click.option("--budget", metavar="AMOUNT", help="Stop before it is crossed: 1000requests, 2Mtokens, 5usd.")
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="Prices per million tokens.")
def topics(
    name: str,
    asked: str,
    out: Path,
    own: Path | None,
    labelled: Path | None,
    batch: int,
    workspace: str,
    timeout: float,
    **trying: Any,
) -> None:
    """Sort the questions of a CulturalBench into topics under heads (section 4), by a model.

    Everything that the model says is stored at once; the same command goes on where it stopped. Put the file into the folder of
    the release as topics.csv, and scores are grouped by topic.

    \b
    folkways build topics --release mine/ --model openai/gpt-4o-mini --out mine/topics.csv
    folkways build topics --release mine/ --model openai/gpt-4o-mini --labelled ours.csv --out mine/topics.csv
    """

    from folkways.benchmarks.culturalbench.votes import frame_bytes
    from folkways.cli.asking.progress import RunProgress
    from folkways.endpoints.base import EndpointOptions
    from folkways.errors import FolkwaysError
    from folkways.releases.store import open_release
    from folkways.runs.asides import How
    from folkways.runs.building import files
    from folkways.runs.building.topics import read_topics, sort_questions
    from folkways.runs.models import open_models
    from folkways.workspace.database import open_workspace

    target = file_at(out, "topics.csv")
    if target.suffix.lower() != ".csv":
        raise FolkwaysError(f"--out {out} has to end in .csv; topics.csv in the folder of a release is where tasks look for it")
    listed = read_topics(own) if own is not None else None
    release = open_release(name, "culturalbench")
    (model,) = open_models([asked], EndpointOptions(timeout=timeout))
    files.make_folder(target.parent)
    database = open_workspace(workspace)
    console = terminal(stderr=True)
    with RunProgress(console) as progress:
        how = How(observer=progress, every=progress.every, **trying)
        done = sort_questions(release, model, database, topics=listed, batch=batch, labelled=labelled, how=how)
    files.write_bytes(target, frame_bytes(done.table))
    files.write_record(done.record, files.record_path(target))
    _tell(done, console)
    for file in (target, files.record_path(target)):
        console.print(f"wrote {file}", soft_wrap=True)


def _tell(done: SortedQuestions, console: Any) -> None:
    from folkways.reports.text import number, one_line

    record = done.record
    click.echo(f"{record['sorted']:,} of {record['questions']:,} questions sorted by {one_line(record['model'])}")
    for (head, topic), count in _counts(done):
        click.echo(f"{count:6,}  {one_line(topic)} ({one_line(head)})")
    if done.agreement is not None:
        found = done.agreement
        click.echo(
            f"agreement with {found.cases:,} labels: {100 * found.share:.1f} % "
            f"({100 * found.share_interval.low:.1f} to {100 * found.share_interval.high:.1f}); "
            f"kappa {number(found.kappa, 2)} ({number(found.kappa_interval.low, 2)} to {number(found.kappa_interval.high, 2)})"
        )
    for question, why in done.left_out.items():
        console.print(one_line(f"left out: {question}: {why}"), soft_wrap=True)


def _counts(done: SortedQuestions) -> list[tuple[tuple[str, str], int]]:
    """Head and topic with their questions, most frequent first."""
    counted = done.table.group_by("head", "topic", maintain_order=True).len().sort("len", descending=True, maintain_order=True)
    return [((head, topic), count) for head, topic, count in counted.iter_rows()]
