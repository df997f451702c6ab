"""``folkways build``: from people's answers to questions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.building.csi import csi, csi_corpus
from folkways.cli.building.topics import topics
from folkways.cli.building.votes import easy, hard
from folkways.cli.files import check_folder, check_text_target
from folkways.cli.options import Number, names, workspace_option
from folkways.cli.out import check_several, is_folder, out_option, print_json
from folkways.cli.terminal import terminal

if TYPE_CHECKING:
    from rich.console import Console

    from folkways.runs.building.make import Made

STEP_SECONDS = 5.0
"""Seconds between two lines about how far a build is."""


@click.group()
def command() -> None:
    """Build questions from people's answers, and compare builds."""


command.add_command(csi)
command.add_command(csi_corpus)
command.add_command(easy)
command.add_command(hard)
command.add_command(topics)


@command.command("mcq", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--release", default="blend", show_default=True, metavar="NAME|DIR", help="BLEnD annotations to build from.")
@click.option("--question-text", metavar="NAME|DIR", help="Release with the question texts; the same one otherwise.")
@click.option("--judge", required=True, metavar="MODEL|stand-in:RULE", help="Who tells whether two answers are the same.")
@click.option(
    "--dummies", metavar="MODEL|stand-in:RULE", help="Who makes up options where answers are too few; the judge otherwise."
)
@click.option("--profile", default="paper", show_default=True, metavar="NAME", help="How to choose: paper or strict.")
@click.option(
    "--judge-batch", default="question", show_default=True, metavar="N|question", help="strict: pairs per call, or all at once."
)
@click.option("--ahead", type=click.IntRange(min=1), default=16, show_default=True, help="paper: calls on their way at once.")
@click.option("--questions", metavar="LIST", help="Only these ids: Al-en-04,Jo-sp-32.")
@click.option("--wording-of", metavar="NAME|DIR", help="Take the prompt over from released questions; our own otherwise.")
@out_option("Where the questions go (.csv)", "mc_questions_file.csv", required=True)
@click.option("--calls", type=click.Path(path_type=Path), metavar="FILE.jsonl", help="Write every call and its answer, in order.")
@click.option("--hub", type=click.Path(path_type=Path), metavar="DIR", help="Also write the Hugging Face layout, with a data card.")
@click.option(
    "--hub-format", type=click.Choice(["parquet", "jsonl"]), default="parquet", show_default=True, help="Of the data there."
)
@workspace_option
@click.option("--name", metavar="NAME", help="Name of the build among the workspace's runs.")
@click.option("--concurrency", type=click.IntRange(min=1, max=1000), metavar="N", help="Requests at once, at most.")
@click.option("--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries per request.")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help="Give up after N failed requests.")
@click.option("--timeout", type=Number(min=0.1), default=120.0, show_default=True, help="Seconds for one request.")
@click.option("--budget", metavar="AMOUNT", help="Stop before it is crossed: 1000requests, 2Mtokens, 5usd.")
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="Prices per million tokens.")
def mcq(
    questions: str | None,
    out: Path,
    calls: Path | None,
    hub: Path | None,
    hub_format: str,
    release: str,
    question_text: str | None,
    judge: str,
    dummies: str | None,
    profile: str,
    judge_batch: str,
    ahead: int,
    wording_of: str | None,
    **asking: Any,
) -> None:
    """Build BLEnD's multiple-choice questions: a country's own answer among answers of others.

    Everything that a model says is stored at once; the same command goes on where it stopped, and nothing is asked twice.

    \b
    folkways build mcq --judge openai/gpt-4o --profile strict --out mcq/
    folkways build mcq --judge stand-in:overlap --out mcq/ --calls calls.jsonl
    folkways run blend/mcq --release mcq/ --model openai/gpt-4o-mini
    """

    from folkways.cli.asking.progress import RunProgress
    from folkways.runs.building import files
    from folkways.runs.building.make import BuildOptions, make

    options = BuildOptions(
        release=release,
        judge=judge,
        question_text=question_text,
        dummies=dummies,
        profile=profile,
        judge_batch=judge_batch,
        ahead=ahead,
        questions=names(questions),
        wording_of=wording_of,
    )
    if hub is not None:
        check_several(hub, "--hub")
        check_folder(hub)
    path = files.target(out / files.FILE_NAME if is_folder(out) else out)
    check_text_target(path)
    if calls is not None:
        files.make_folder(calls.parent)
        check_text_target(calls)
    console = terminal(stderr=True)
    if profile == "paper":  # asks in hundreds of short rounds, each of which would show a display of its own
        made = make(options, report=_Steps(console), **asking)
    else:
        with RunProgress(console) as progress:
            made = make(options, observer=progress, every=progress.every, **asking)
    files.write_released(made.built.items, path)
    files.write_record(made.record, files.record_path(path))
    written = [path, files.record_path(path)]
    if calls is not None:
        files.write_calls(made.built.calls, calls)
        written.append(calls)
    if hub is not None:
        written += files.write_hub(made.built.items, hub, hub_format, made.release.record, made.record)
    _tell(made, path, console)
    for file in written:
        console.print(f"wrote {file}", soft_wrap=True)


class _Steps:
    """Says how far a build is, every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def __call__(self, what: str, done: int, of: int) -> None:
        if time.monotonic() - self._last >= STEP_SECONDS:
            self._last = time.monotonic()
            self._console.print(f"{what}: {done} of {of} questions")


def _tell(made: Made, path: Path, console: Console) -> None:
    from folkways.reports.text import plural

    built, record = made.built, made.record
    click.echo(
        f"{plural(record['items'], 'item')} of {plural(record['questions'], 'question')}; "
        f"{plural(record['judge_calls'], 'judge call')}, {plural(record['dummy_calls'], 'call')} for made-up options"
        + (f", {built.ahead:,} asked ahead in vain" if built.ahead else "")
    )
    for why, count in record["filtered"].items():
        console.print(f"left out: {plural(count, 'question')}: {why}", soft_wrap=True)
    for what, why in built.left_out.items():
        console.print(f"left out: {what}: {why}", soft_wrap=True)
    if path.name == "mc_questions_file.csv":
        console.print(f"to ask it: folkways run blend/mcq --release {path.parent} --model NAME", soft_wrap=True)


@command.command("mcq-agreement", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, question by question.")
def mcq_agreement(first: Path, second: Path, as_json: bool) -> None:
    """Compare two builds item by item: judging modes, judges, profiles.

    FIRST and SECOND are CSV files in the released schema, or folders of folkways build mcq. Two items are the same when question,
    country, right answer and options are, whatever their ids and letters.
    """
    from folkways.benchmarks.blend.building.agreement import agreement
    from folkways.benchmarks.blend.building.items import RELEASED
    from folkways.benchmarks.blend.data.files import read_csv
    from folkways.errors import FolkwaysError
    from folkways.runs.building.files import FILE_NAME

    first, second = (file / FILE_NAME if file.is_dir() else file for file in (first, second))
    for file in (first, second):
        if not file.is_file():
            raise FolkwaysError(f"there is no file {file}; give the folder or the CSV file that folkways build mcq wrote")
    found = agreement(*(read_csv(file, RELEASED) for file in (first, second)))
    if as_json:
        summary = {name: getattr(found, name) for name in ("first", "second", "common", "jaccard", "questions", "equal_questions")}
        print_json({**summary, "by_question": found.by_question.to_dicts()})
        return
    click.echo(f"{first}: {found.first:,} distinct items; {second}: {found.second:,}; in both: {found.common:,}")
    for file, count in ((first, found.first), (second, found.second)):
        click.echo(f"  {found.common / count if count else 1.0:6.1%} of those of {file} are in the other")
    click.echo(f"  {found.jaccard:6.1%} of all are in both (Jaccard)")
    click.echo(f"  {found.equal_questions} of {found.questions} questions have the same items in both")
