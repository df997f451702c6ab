"""``folkways score``: judge and score a run again, without asking any model."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli.options import text_tools_option, workspace_option


@click.command("score", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("run", default="last")
@workspace_option
@click.option("--profile", metavar="NAME", help="How to judge: paper (default) or strict; both are kept side by side.")
@text_tools_option
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Also write the scores: .csv, .parquet or .json.")
def command(run: str, workspace: str, profile: str | None, text_tools: str | None, out: Path | None) -> None:
    """Judge and score RUN again (name, number or 'last') from what is stored.

    No model is asked. Same responses, same profile, same text tools, same version: same numbers.
    """
    from rich.console import Console

    from folkways.api import load_run
    from folkways.cli.files import write_frame
    from folkways.reports.terminal import terminal_summary

    loaded = load_run(run, workspace)
    scores = loaded.score(profile, text_tools)
    if out is not None:
        write_frame(scores, out)
    shown = scores["profile"].unique().to_list()
    Console().print(terminal_summary(loaded.report_data(profile if len(shown) == 1 else None, with_judgements=False)))
