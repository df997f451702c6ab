"""``folkways tables``: the tables and figures of a benchmark's paper, recomputed from the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli.options import text_tools_option, workspace_option
from folkways.cli.out import format_option, out_option
from folkways.cli.results.table_files import check_target, write_tables, write_text
from folkways.cli.results.tables_culturalbench import culturalbench_tables

if TYPE_CHECKING:
    import polars as pl

    from folkways.benchmarks.blend.tables import Sources
    from folkways.releases.base import Release

STATES = ("blend-june", "blend")
"""The states whose tables are shown unless others are named; those of them that are on this disk."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Recompute the tables and figures of a paper from the data."""


command.add_command(culturalbench_tables)


@command.command("blend")
@click.argument("names", nargs=-1, metavar="[TABLE]...")
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="NAME|DIR",
    help="State of the data; repeatable. Default: blend-june and blend, those of them that are on this disk.",
)
@click.option("--raw", metavar="NAME|DIR", help="State with what each annotator wrote. Default: blend-raw, if it is on this disk.")
@click.option("--run", "runs", multiple=True, metavar="RUN", help="Run whose models are shown in place of the paper's; repeatable.")
@workspace_option
@click.option("--profile", default="paper", show_default=True, metavar="NAME", help="Profile of judgements and of the human line.")
@text_tools_option
@format_option
@out_option("Write there", "a CSV file per table, or tables.FORMAT")
def blend_tables(
    names: tuple[str, ...],
    releases: tuple[str, ...],
    raw: str | None,
    runs: tuple[str, ...],
    workspace: str,
    profile: str,
    text_tools: str | None,
    shape: str,
    out: Path | None,
) -> None:
    """Recompute BLEnD's tables, beside the published cells, with an interval for each number.

    TABLE is statistics (or 2), votes (7), answers (8), unknown (9), overlap, languages, category-means, categories,
    category-pairs, formats or people; all that can be made of what is here if none is named. A cell that differs from the
    published one is followed by it in brackets.
    """
    from folkways.benchmarks.blend.tables import MAKERS, NotAvailableError, make_table

    check_target(names, shape, out)
    sources = _sources(releases, raw, runs, workspace, profile, text_tools or "default")
    tables = []
    for name in names or MAKERS:
        try:
            tables.append(make_table(name, sources))
        except NotAvailableError as reason:
            if names:
                raise NotAvailableError(f"{name}: {reason}") from None
            click.echo(f"left out: {name} ({reason})", err=True)
    write_tables(tables, shape, out)


@command.command("xcr")
@click.argument("names", nargs=-1, metavar="[TABLE]...")
@click.option("--release", default="xcr", show_default=True, metavar="NAME|DIR", help="The corpus.")
@format_option
@out_option("Write there", "a CSV file per table, or tables.FORMAT")
@click.option(
    "--bengali", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv", help="Also write the merged Bengali file."
)
def xcr_tables(names: tuple[str, ...], release: str, shape: str, out: Path | None, bengali: Path | None) -> None:
    """Recompute the corpus tables of XCR-Bench, beside the published figures.

    TABLE is size, items-per-sentence, categories, levels, elements, category-levels (or figure-3), category-elements (figure-4),
    element-levels (8), joins or cells; all of them if none is named. --bengali writes the file that the authors' scripts read and
    their release lacks: both Bengali versions of each sentence in one row.
    """
    from folkways.benchmarks.xcr.tables import MAKERS, make_table, merged_bengali
    from folkways.releases.store import open_release
    from folkways.spreadsheet import for_csv

    check_target(names, shape, out)
    opened = open_release(release, "xcr")
    write_tables([make_table(name, opened) for name in names or MAKERS], shape, out)
    if bengali is not None:
        write_text(bengali, for_csv(merged_bengali(opened)).write_csv())


def _sources(
    releases: tuple[str, ...], raw: str | None, runs: tuple[str, ...], workspace: str, profile: str, tools: str
) -> Sources:
    from folkways.benchmarks.blend.short_answers import ShortAnswers
    from folkways.benchmarks.blend.tables import Sources
    from folkways.releases.store import open_release

    profile = ShortAnswers().resolve_profile(profile)
    states = [open_release(name, "blend") for name in releases]
    if not releases:
        states = [release for name in STATES if (release := _if_here(name))]
    return Sources(
        releases=tuple(states),
        raw=open_release(raw, "blend") if raw else _if_here("blend-raw"),
        ready_made=_ready_made(states),
        judgements=_judgements(runs, workspace, profile) if runs else None,
        profile=profile,
        tool_set=tools,
    )


def _if_here(name: str) -> Release | None:
    from folkways.releases.registry import get_record
    from folkways.releases.store import locate, state_of

    return locate(name) if state_of(get_record(name)) == "here" else None


def _ready_made(states: list[Release]) -> Release | None:
    """A release with ready-made multiple-choice questions: one of the states, or blend-mcq."""
    from folkways.benchmarks.blend import data as blend

    return next((release for release in states if blend.has(release, "mcq")), None) or _if_here("blend-mcq")


def _judgements(runs: tuple[str, ...], workspace: str, profile: str) -> pl.DataFrame:
    import polars as pl

    from folkways.api import load_run
    from folkways.benchmarks.analyses import Findings
    from folkways.errors import FolkwaysError

    frames = []
    for name in runs:
        judged = load_run(name, workspace).judgements(profile)
        if judged.is_empty():
            raise FolkwaysError(
                f"run {name} has not been judged in the profile {profile}; do it: folkways score {name} --profile {profile}"
            )
        frames.append(judged)
    findings = Findings(pl.concat(frames, how="diagonal_relaxed"))
    if findings.judgements.is_empty():
        raise findings.lacking("blend/saq")
    for sentence in findings.left_out(sorted(findings.asked)):
        click.echo(f"left out: {sentence}", err=True)
    return findings.judgements
