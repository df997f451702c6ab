"""``folkways judge-by-model``: a model judges the free answers of a run; its verdicts are compared with the
rule's and with people's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.options import (
    Number,
    WholeNumber,
    ask_options,
    limit_option,
    text_tools_option,
    workspace_option,
)
from folkways.cli.out import SUFFIXES, check_text_target, file_at, out_option, terminal, write_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from rich.table import Table

    from folkways.runs.options import AskOptions

SHOWN = {
    "lexical": "right by the rule, %",
    "judged": "right by the judge, %",
    "judged_at_worst": "  undecided as wrong",
    "judged_at_best": "  undecided as right",
    "agreement": "judge agrees with rule, %",
    "kappa": "kappa, judge and rule",
    "both_right": "right by both",
    "only_judge": "right by the judge alone",
    "only_lexical": "right by the rule alone",
    "both_wrong": "right by neither",
    "undecided": "without a verdict",
    "labelled": "judged by people",
    "kappa_judge_people": "kappa, judge and people",
    "kappa_lexical_people": "kappa, rule and people",
    "sensitivity": "judge's sensitivity, %",
    "specificity": "judge's specificity, %",
    "youden": "judge's J (Youden)",
    "turned": "verdicts that turn with the order, %",
    "first_preferred": "  to the earlier answer, %",
    "self_preference": "kinder to its own kind, points",
    "self_preference_by_judges": "  than the other judges, points",
    "corrected": "corrected by people, %",
    "corrected_at_any_time": "  whenever you look",
    "corrected_rogan_gladen": "  by Rogan and Gladen",
}
"""Quantity -> label of its line, in order."""

COMPARED = {
    "judged_difference": "by the judge, points",
    "corrected_difference": "corrected by people, points",
    "youden_difference": "judge's J (Youden)",
    "disagreement": "differ on replies, %",
    "kappa_judges": "kappa of the two",
}
"""The same for quantities that compare two models or judges."""

WITH_TWO_DECIMALS = (
    "kappa",
    "kappa_judge_people",
    "kappa_lexical_people",
    "youden",
    "youden_difference",
    "kappa_judges",
)
BETWEEN_JUDGES = ("disagreement", "kappa_judges")
COUNTS = ("both_right", "only_judge", "only_lexical", "both_wrong", "undecided", "labelled")


@click.command("judge-by-model")
@click.argument("run", shell_complete=completion.runs)
@click.option(
    "--judge",
    "judges",
    required=True,
    multiple=True,
    metavar="NAME",
    help="Model that judges; repeatable. Settings of its own: NAME?max_tokens=2000.",
)
@out_option("Where to write the verdicts", "verdicts.csv", required=True)
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="People's labels: item, label (1, 0.5, 0), ...",
)
@click.option(
    "--until", type=Number(0), metavar="POINTS", help="Say whether the labels suffice for ± this many points."
)
@click.option("--label-next", type=WholeNumber(min=1), help="List N replies that people should judge next.")
@click.option("--swap", type=WholeNumber(min=1), help="Ask about N replies again, answers in reverse order.")
@click.option(
    "--seed", type=WholeNumber(), default=0, show_default=True, help="Seed of --label-next and --swap."
)
@click.option(
    "--model", "models", multiple=True, metavar="NAME", help="Judge only replies of this model; repeatable."
)
@limit_option
@click.option("--profile", metavar="P", help="Profile of the rule to compare with.")
@text_tools_option
@workspace_option
@ask_options
def command(
    run: str,
    judges: tuple[str, ...],
    out: Path,
    until: float | None,
    label_next: int | None,
    swap: int | None,
    models: tuple[str, ...],
    workspace: str,
    asking: AskOptions,
    **others: Any,
) -> None:
    """Have a model judge the free answers of RUN, and say how far to trust it.

    The scores of the run do not change. FILE gets one row per counted item; FILE-summary, in the same folder,
    gets shares, agreement, differences between models and, if there are labels, rates corrected by them.
    --label-next writes FILE-next, which a judging stage of the studio can import. The same command continues
    where it stopped.

    \b
    folkways judge-by-model last --judge openai/gpt-4o --out verdicts.csv
    folkways judge-by-model last --judge openai/gpt-4o --label-next 50 --out verdicts.csv
    folkways judge-by-model last --judge openai/gpt-4o --labels people.csv --until 5 --out verdicts.csv
    """

    import polars as pl

    from folkways.cli.progress import RunProgress, check_finished
    from folkways.display import plural, single_line
    from folkways.endpoints.base import EndpointOptions
    from folkways.errors import FolkwaysError
    from folkways.runs.judging.model_judging import judge_run
    from folkways.runs.models import open_models
    from folkways.workspace import run_records
    from folkways.workspace.database import open_workspace

    target = file_at(out, "verdicts.csv", SUFFIXES)
    summary, following = (
        target.with_name(f"{target.stem}-{name}{target.suffix}") for name in ("summary", "next")
    )
    if until == 0:
        raise FolkwaysError(
            "--until 0 can never be reached; it takes half the width of the interval in points, for "
            "example --until 5"
        )
    if target.parent.is_dir():
        for path in (summary, following) if label_next else (summary,):
            check_text_target(path)
    database = open_workspace(workspace, create=False)
    record = run_records.find_asked_run(database, run)
    opened, *more = open_models([*judges], EndpointOptions(timeout=asking.timeout))
    console = terminal(stderr=True)
    with RunProgress(console) as progress:
        done = judge_run(
            database,
            record,
            opened,
            more=more,
            models=models or None,
            swap=swap or 0,
            until=until,
            label_next=label_next or 0,
            asking=replace(asking, observer=progress, every=progress.every),
            **others,
        )
    write_frame(done.verdicts, target)
    write_frame(done.summary, summary)
    alone = done.summary.filter(pl.col("against").is_null())
    for (task, endpoint, judge), part in alone.group_by(["task", "endpoint", "judge"], maintain_order=True):
        terminal().print(single_line(f"{task}: {endpoint}, judged by {judge}"), soft_wrap=True)
        terminal().print(_table(part, SHOWN))
    compared = done.summary.filter(pl.col("against").is_not_null())
    for (task, endpoint, judge, against), part in compared.group_by(
        ["task", "endpoint", "judge", "against"], maintain_order=True
    ):
        between = (
            f"{judge} and {against} on {endpoint}" if part["quantity"].is_in(BETWEEN_JUDGES).any() else ""
        )
        terminal().print(
            single_line(f"{task}: {between or f'{endpoint} above {against}, judged by {judge}'}"),
            soft_wrap=True,
        )
        terminal().print(_table(part, COMPARED))
    for note in done.notes:
        console.print(single_line(f"note: {note}"), soft_wrap=True)
    written = [(target, done.verdicts), (summary, done.summary)]
    if label_next:
        write_frame(done.to_label, following)
        written.append((following, done.to_label))
    for file, frame in written:
        console.print(f"wrote {file} ({plural(frame.height, 'row')})", soft_wrap=True)
    check_finished(done.run, "judged")


def _table(part: pl.DataFrame, shown: Mapping[str, str]) -> Table:
    """A line for each quantity over everything; the file also has cultures and languages."""
    from folkways.display import NOT_A_NUMBER, count, number
    from folkways.reports.views.scores import table_of_numbers

    table = table_of_numbers("", ("estimate", "95 % interval", "n", "questions"))
    whole = {row["quantity"]: row for row in part.filter(facet="all").iter_rows(named=True)}
    for quantity, label in shown.items():
        if quantity not in whole:
            continue
        row = whole[quantity]
        if quantity in COUNTS:
            table.add_row(label, count(int(row["estimate"])), "", "", "")
            continue
        decimals = 2 if quantity in WITH_TWO_DECIMALS else 1
        low, high = (number(row[bound], decimals) for bound in ("low", "high"))
        bounds = NOT_A_NUMBER if low == NOT_A_NUMBER else f"{low} – {high}"
        table.add_row(
            label, number(row["estimate"], decimals), bounds, count(row["n"]), count(row["questions"])
        )
    return table
