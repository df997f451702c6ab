"""``folkways build csi`` and ``csi-corpus``: from facts about cultures to sentences, and from people's votes to a corpus."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.files import check_folder
from folkways.cli.options import Number, names, workspace_option
from folkways.cli.out import check_several
from folkways.cli.terminal import terminal

if TYPE_CHECKING:
    from rich.console import Console

    from folkways.runs.building.csi import BuiltItems
    from folkways.runs.building.csi_corpus import BuiltCorpus

CONTEXT = {"help_option_names": ["-h", "--help"]}
STEP_SECONDS = 5.0
"""Seconds between two lines about how far the sifting is."""


@click.command("csi", context_settings=CONTEXT)
@click.option("--facts", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Table: culture, fact, source.")
@click.option(
    "--model", "-m", "writers", multiple=True, required=True, metavar="NAME", help="Writes a sentence each; three of them."
)
@click.option("--proposer", metavar="NAME", help="Model that names items in facts; the first --model otherwise.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where items and sifted facts go.")
@click.option("--cultures", metavar="LIST", help="Only these, as the table writes them, separated by commas.")
@click.option("--limit", type=click.IntRange(min=1), default=1000, show_default=True, help="Facts that are asked about, at most.")
@click.option("--words", type=click.IntRange(min=1), nargs=2, default=(4, 60), show_default=True, help="Fewest and most of a fact.")
@click.option("--similarity", type=float, default=0.8, show_default=True, help="Of words, from which a fact repeats another.")
@click.option("--cluster-size", type=click.IntRange(min=1), default=20, show_default=True, help="Facts per cluster, on average.")
@click.option("--seed", type=int, default=0, show_default=True, help="For clusters.")
@workspace_option
@click.option("--concurrency", type=click.IntRange(min=1, max=1000), metavar="N", help="Requests at once, at most.")
@click.option("--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries per request.")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help="Give up after N failed requests.")
@click.option("--timeout", type=Number(min=0.1), default=120.0, show_default=True, help="Seconds for one request.")
@click.option("--budget", metavar="AMOUNT", help="Stop before it is crossed: 1000requests, 2Mtokens, 5usd; of all models together.")
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="Prices per million tokens.")
def csi(
    facts: Path,
    writers: tuple[str, ...],
    proposer: str | None,
    out: Path,
    cultures: str | None,
    limit: int,
    words: tuple[int, int],
    similarity: float,
    cluster_size: int,
    seed: int,
    workspace: str,
    timeout: float,
    **trying: Any,
) -> None:
    """Draw culture-specific items from a table of facts, and have models write a sentence with each (XCR-Bench, section 2.1).

    The table (CSV, TSV, JSON lines or Parquet; of any length) is sifted first: unfit facts, repeats, clusters; one fact of each
    cluster is asked about. Everything models say is stored at once; the same command goes on where it stopped.

    \b
    folkways build csi --facts facts.csv --model MODEL_A --model MODEL_B --model MODEL_C --out csi/
    folkways build csi-corpus --items csi/items.jsonl --choices choices.csv --labels labels.csv --out corpus/
    """

    from folkways.benchmarks.xcr.building.facts import Rules
    from folkways.cli.asking.progress import RunProgress
    from folkways.endpoints.base import EndpointOptions
    from folkways.reports.text import plural
    from folkways.runs.asides import How
    from folkways.runs.building.csi import CsiOptions, build_csi
    from folkways.runs.building.csi_reading import check_table
    from folkways.runs.models import open_models
    from folkways.workspace.database import open_workspace

    check_several(out)
    check_folder(out)
    check_table(facts)
    wanted = names(cultures)
    rules = Rules(frozenset(wanted) if wanted else None, *words, similarity, cluster_size, seed)
    models = open_models(writers, EndpointOptions(timeout=timeout))
    asked = open_models([proposer], EndpointOptions(timeout=timeout))[0] if proposer else models[0]
    database = open_workspace(workspace)
    console = terminal(stderr=True)
    if len(models) != 3:
        console.print(f"note: {plural(len(models), 'sentence')} per item; the paper had three, one of each model")
    with RunProgress(console) as progress:
        how = How(observer=progress, every=progress.every, **trying)
        done = build_csi(CsiOptions(facts, out, rules, limit), models, database, proposer=asked, how=how, report=_Steps(console))
    _tell_items(done, console)


class _Steps:
    """Says how far the sifting is, every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def __call__(self, what: str) -> None:
        if time.monotonic() - self._last >= STEP_SECONDS:
            self._last = time.monotonic()
            self._console.print(what)


def _tell_items(done: BuiltItems, console: Console) -> None:
    from folkways.reports.text import one_line, plural

    record = done.record
    click.echo(
        f"{plural(record['rows'], 'fact')}, {record['kept']:,} kept in {plural(record['clusters'], 'cluster')}; "
        f"{record['facts_asked']:,} asked about, {plural(record['items'], 'item')}"
    )
    for reason, count in record["facts_left_out"].items():
        click.echo(f"  left out: {one_line(reason)}: {count:,}")
    for reason, count in record["without_item"].items():
        click.echo(f"  without an item of its own: {one_line(reason)}: {count:,}")
    for model, count in record["sentences"].items():
        click.echo(f"  sentences of {one_line(model)}: {count:,}")
    for reason, count in record["without_sentence"].items():
        click.echo(f"  no sentence: {one_line(reason)}: {count:,}")
    for file in done.files:
        console.print(f"wrote {file}", soft_wrap=True)


@click.command("csi-corpus", context_settings=CONTEXT)
@click.option("--items", required=True, type=click.Path(path_type=Path), metavar="FILE", help="items.jsonl of folkways build csi.")
@click.option(
    "--choices",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="item_id, judge, best; repeatable.",
)
@click.option(
    "--labels",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="item_id, judge, category, level, element; repeatable.",
)
@click.option(
    "--adaptations",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="item_id, judge, culture, intra, inter, strategies; repeatable.",
)
@click.option(
    "--judges", type=click.IntRange(min=1), default=2, show_default=True, help="People per item, unless an expert decides."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the corpus goes.")
def csi_corpus(
    items: Path, choices: tuple[Path, ...], labels: tuple[Path, ...], adaptations: tuple[Path, ...], judges: int, out: Path
) -> None:
    """Turn people's votes on items into a corpus in XCR-Bench's released schema, with ids and strategies.

    Judges have to agree, or an expert decides (column role: expert); what is undecided is left out, with the reason. A study of
    the studio exports such a corpus itself; this is for votes in files. The folder is a release.

    \b
    folkways data check corpus/
    folkways run xcr --release corpus/ --model NAME
    """

    from folkways.runs.building.csi_corpus import VoteFiles, build_corpus

    check_several(out)
    check_folder(out)
    _tell_corpus(build_corpus(VoteFiles(items, choices, labels, adaptations), out, judges), terminal(stderr=True))


def _tell_corpus(done: BuiltCorpus, console: Console) -> None:
    from collections import Counter

    from folkways.reports.text import number, one_line, plural

    corpus = done.corpus
    click.echo(f"{plural(corpus.base.height, 'sentence')} of {plural(done.record['items'], 'item')}")
    for name, found in corpus.agreement.items():
        if found.cases:
            click.echo(f"  {name}: judges agree on {100 * found.share:.0f} % of {found.cases:,}, kappa {number(found.kappa, 2)}")
    for culture, rows in corpus.adaptations.items():
        click.echo(f"  {culture}: {rows.height:,} adaptations, {corpus.undecided.get(culture, 0):,} of them undecided by an expert")
    for why, count in Counter(corpus.left_out.values()).most_common():
        console.print(one_line(f"left out: {why}: {count:,}"), soft_wrap=True)
    for file in done.files:
        console.print(f"wrote {file}", soft_wrap=True)
