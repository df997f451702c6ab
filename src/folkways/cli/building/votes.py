"""``folkways build easy`` and ``folkways build hard``: from people's votes to CulturalBench's two configurations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from folkways.cli.out import check_several
from folkways.cli.terminal import terminal

if TYPE_CHECKING:
    from folkways.runs.building.votes_build import BuiltVotes

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT = {"help_option_names": ["-h", "--help"]}


def _options(command: F) -> F:
    for option in reversed(
        (
            click.option(
                "--votes",
                "places",
                multiple=True,
                required=True,
                type=click.Path(path_type=Path),
                metavar="DIR|FILE",
                help="Questions with votes: a folder with items and votes, or one file with both; repeatable.",
            ),
            click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the release goes."),
            click.option("--threshold", type=click.IntRange(min=1), default=4, show_default=True, help="Votes that make gold,"),
            click.option(
                "--of", type=click.IntRange(min=1), default=5, show_default=True, help="of this many; the same share of more."
            ),
            click.option("--seed", type=int, default=0, show_default=True, help="For the combinations of multi-mode questions."),
            click.option("--licence", metavar="NAME", help="Licence of questions and votes, in place of the one they name."),
        )
    ):
        command = option(command)
    return command


@click.command("easy", context_settings=CONTEXT)
@_options
def easy(**options: Any) -> None:
    """Build CulturalBench-Easy from votes: four options, one right letter.

    An option is gold when enough people chose it. Questions with several gold options get their options as numbered statements
    and four combinations to choose from. The folder is a release: what was left out and why, every vote and a data card lie in it.

    \b
    folkways build easy --votes votes/ --out mine/
    folkways build hard --votes votes/ --out mine/
    folkways run culturalbench --release culturalbench=mine/ --model NAME
    """
    _build("easy", **options)


@click.command("hard", context_settings=CONTEXT)
@_options
def hard(**options: Any) -> None:
    """Build CulturalBench-Hard from votes: every option on its own, true or false.

    Takes the same votes, rule and folder as `folkways build easy`, and has the same questions.

    \b
    folkways build hard --votes votes/ --out mine/
    """
    _build("hard", **options)


def _build(config: str, places: tuple[Path, ...], out: Path, threshold: int, of: int, seed: int, licence: str | None) -> None:
    from folkways.benchmarks.culturalbench.building.counting import Rule
    from folkways.runs.building.votes_build import build_from_votes

    check_several(out)
    _tell(build_from_votes(config, places, out, rule=Rule(threshold, of), seed=seed, licence=licence), out)


def _tell(built: BuiltVotes, out: Path) -> None:

    from folkways.reports.text import one_line, plural

    record = built.record
    click.echo(
        f"{plural(record['questions'], 'question')} ({record['single_mode']:,} single-mode, {record['multi_mode']:,} multi-mode) "
        f"of {built.counted.height:,}, "
        f"from {plural(record['votes_cast'], 'vote')} of {plural(record['annotators'], 'person', 'people')}"
    )
    console = terminal(stderr=True)
    for reason, number in built.dropped.items():
        console.print(f"left out: {reason}: {number:,}", soft_wrap=True)
    for note in built.notes:
        console.print(one_line(f"note: {note}"), soft_wrap=True)
    for file in built.files:
        console.print(f"wrote {file}", soft_wrap=True)
    tasks = " ".join(f"culturalbench/{name}" for name in record["configs"])
    console.print(f"to ask it: folkways run {tasks} --release culturalbench={out} --model NAME", soft_wrap=True)
