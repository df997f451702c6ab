"""``folkways judge``: judge replies that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.options import scoring_model_options, text_tools_option
from folkways.cli.out import SUFFIXES, file_at, out_option, terminal, write_frame
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.runs.scores.scoring_models import ScoringModels


@click.command("judge")
@click.argument("task", shell_complete=completion.tasks)
@click.option(
    "--responses",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV, TSV, JSONL, Parquet, or a log of Inspect (.eval, .json).",
)
@out_option("Where to write the verdicts", "verdicts.csv", required=True)
@click.option(
    "--culture",
    metavar="C",
    shell_complete=completion.cultures,
    help="Culture of the replies, if the file does not say.",
)
@click.option("--language", metavar="L", help="Language they were asked in, if the file does not say.")
@click.option("--variant", metavar="V", help="Prompt template, if the file does not say.")
@click.option("--model", metavar="M", help="Model whose replies are judged, if the file has several.")
@click.option("--profile", metavar="P", help="How to judge: paper (default) or strict.")
@text_tools_option
@scoring_model_options
@click.option(
    "--release", metavar="[BENCHMARK=]NAME|DIR", help="Data to judge against, instead of the default release."
)
@click.option(
    "--by",
    "facet",
    metavar="FACET",
    help="Print the headline of each culture, language, locale, ... as well.",
)
@click.option("--by-position", is_flag=True, help="The rows are in the order of the release; ignore ids.")
def command(
    task: str,
    responses: Path,
    out: Path,
    text_tools: str | None,
    release: str | None,
    facet: str | None,
    scoring: ScoringModels,
    **asked: Any,
) -> None:
    """Judge replies to the items of TASK that were made elsewhere.

    FILE has the columns 'response' and 'item' (or the release's own id). Output files of the papers' own
    programs are recognised, and so are logs of Inspect, by the items in their metadata or the ids of their
    samples. The output has one row per item: its state, the answer that was read, one column per metric, and
    the reason.

    \b
    folkways judge blend/saq --responses kr.csv --culture KR --language ko --out verdicts.csv
    folkways judge semeval2026/saq --responses track_1_saq_prediction.tsv --by locale --out verdicts.csv
    folkways judge xcr/identification --responses out.csv --by-position --out verdicts.csv
    folkways judge blend/saq --responses logs/run.eval --out verdicts.csv
    folkways judge xcr/prediction --responses out.csv --embedding-model DIR --out verdicts.csv

    A metric whose model is missing is left out, and the others are computed; if you named the model, the exit
    code is 2.
    """

    from folkways.display import plural, single_line
    from folkways.integrations.inspect.logs import replies_in
    from folkways.reports.views.scores import facet_table, scores_table
    from folkways.runs.judging.external_responses import judge_file, judge_with

    target = file_at(out, "verdicts.csv", SUFFIXES)
    equipped, data = judge_with(task, release, text_tools, scoring)
    judged = judge_file(equipped.task, data, responses, read=replies_in, **asked)
    by_facet = facet_table(equipped.task, judged.scores, facet) if facet else None
    write_frame(judged.judgements, target)
    console = terminal(stderr=True)
    missing = equipped.missing(judged.judgements["culture"].unique().to_list())
    unused = [f"{option} does not apply to {task}" for option in equipped.unused]
    for note in (*(f"{responses}: {note}" for note in judged.notes), *missing, *unused):
        console.print(note, soft_wrap=True)
    terminal().print(scores_table(equipped.task, judged.scores))
    if by_facet is not None:
        terminal().print(by_facet)
    for signature in judged.scores["signature"].unique():
        click.echo(single_line(f"signature: {signature}"))
    console.print(f"wrote {target} ({plural(judged.judgements.height, 'row')})", soft_wrap=True)
    if equipped.problems:
        raise FolkwaysError("\n".join(map(str, equipped.problems)))
