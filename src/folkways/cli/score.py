"""``folkways score``: judge and score a run again, without asking any model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli import completion
from folkways.cli.options import (
    on_option,
    prices_option,
    scoring_model_options,
    text_tools_option,
    workspace_option,
)
from folkways.cli.out import SUFFIXES, file_at, out_option, terminal, write_frame
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.runs.scores.scoring_models import ScoringModels


@click.command("score")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@click.option(
    "--profile", metavar="NAME", help="How to judge: paper (default) or strict; the scores of both are kept."
)
@text_tools_option
@scoring_model_options
@prices_option
@on_option
@out_option("Also write the scores there (.csv, .jsonl, .json, .parquet)", "scores.csv")
def command(
    run: str,
    workspace: str,
    profile: str | None,
    text_tools: str | None,
    prices: Path | None,
    out: Path | None,
    scoring: ScoringModels,
    on: str | None,
) -> None:
    """Judge and score RUN again (name, number or 'last') from what is stored.

    No model is asked. The same responses, profile, text tools, models and version give the same numbers.
    Scoring models are those of the run unless you name others.
    """

    from folkways.api import load_run
    from folkways.reports.formats.terminal import terminal_summary
    from folkways.runs.options import Cluster
    from folkways.runs.results.model_names import with_model_names

    target = None if out is None else file_at(out, "scores.csv", SUFFIXES)
    loaded = load_run(run, workspace, prices)
    problems: list[str] = []
    scores = loaded.score(profile, text_tools, scoring, problems.append, Cluster(on) if on else None)
    if target is not None:
        write_frame(with_model_names(scores), target)
    loaded = load_run(loaded.name, loaded.workspace, prices)  # its state may have changed
    shown = scores["profile"].unique().to_list()
    terminal().print(
        terminal_summary(
            loaded.report_data(profile if len(shown) == 1 else None, with_judgements=False, with_verdict=True)
        )
    )
    if problems:
        raise FolkwaysError("\n".join(problems))
