"""``folkways build csi`` and ``csi-corpus``: their options and their output.

The builders are imported when a command runs: a benchmark declares its builders whenever it is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from folkways.benchmarks.build import Builder, BuildResult, BuildSession, Option
from folkways.display import number, plural


def build_csi(
    session: BuildSession,
    *,
    facts: Path,
    writers: Sequence[str],
    out: Path,
    proposer: str | None,
    cultures: Sequence[str] | None,
    limit: int | None,
    words: tuple[int, int],
    similarity: float,
    cluster_size: int,
    seed: int,
    by_people: bool,
) -> BuildResult:
    """Build items with sentences: ``folkways build csi``.

    session: asks the models.
    facts: the table.
    writers: models that write a sentence each.
    out: folder for items and filtered facts.
    proposer: model that names items in facts; None for the first writer.
    cultures: the only ones, as the table writes them; None for all.
    limit: facts to ask about at most.
    words: fewest and most words of a fact.
    similarity: share of common words from which a fact repeats another, 0 to 1.
    cluster_size: facts per cluster, on average.
    seed: of the clusters.
    by_people: people have named the items in the table.
    """
    from folkways.benchmarks.xcr.build.facts import FactRules
    from folkways.benchmarks.xcr.build.items import build_items

    rules = FactRules(frozenset(cultures) if cultures else None, *words, similarity, cluster_size, seed)
    if len(writers) != 3:
        session.note(
            f"note: {plural(len(writers), 'sentence')} per item; the paper had three, one of each model"
        )
    record, files = build_items(
        session, facts, out, writers, proposer=proposer, rules=rules, limit=limit, by_people=by_people
    )
    if by_people:
        return BuildResult([f"{plural(record['items'], 'item')} that people named"], files=files)
    summary = [
        f"{plural(record['rows'], 'fact')}, {record['kept']:,} kept in "
        f"{plural(record['clusters'], 'cluster')}; "
        f"{record['facts_asked']:,} asked about, {plural(record['items'], 'item')}"
    ]
    for heading, counts in (
        ("left out: ", record["facts_left_out"]),
        ("without an item of its own: ", record["without_item"]),
        ("sentences of ", record["sentences"]),
        ("no sentence: ", record["without_sentence"]),
    ):
        summary += [f"  {heading}{what}: {count:,}" for what, count in counts.items()]
    return BuildResult(summary, files=files)


def build_csi_corpus(
    _session: BuildSession,
    *,
    items: Path,
    choices: Sequence[Path],
    labels: Sequence[Path],
    out: Path,
    adaptations: Sequence[Path],
    lists: Path | None,
    judges: int,
) -> BuildResult:
    """Build a corpus from people's votes: ``folkways build csi-corpus``.

    _session: unused, no model is asked.
    items: the ``items.jsonl`` of ``build csi``.
    choices, labels, adaptations: files of votes.
    out: folder for the corpus.
    lists: file of labels in place of the paper's; None for those.
    judges: people per item, unless an expert decides.
    """
    from folkways.benchmarks.xcr.build.corpus import VoteFiles, build_corpus

    done = build_corpus(VoteFiles(items, choices, labels, adaptations, lists), out, judges)
    corpus = done.corpus
    summary = [f"{plural(corpus.base.height, 'sentence')} of {plural(done.record['items'], 'item')}"]
    summary += [
        f"  {name}: judges agree on {100 * kappa.share:.0f} % of {kappa.cases:,}, kappa "
        f"{number(kappa.kappa, 2)}"
        for name, kappa in corpus.agreement.items()
        if kappa.cases
    ]
    summary += [
        f"  {culture}: {rows.height:,} adaptations, {corpus.undecided.get(culture, 0):,} of them "
        "undecided by an expert"
        for culture, rows in corpus.adaptations.items()
    ]
    notes = [f"left out: {why}: {count:,}" for why, count in Counter(corpus.left_out.values()).most_common()]
    return BuildResult(summary, notes, done.files)


CSI = Builder(
    "csi",
    """Draw culture-specific items from a table of facts, and have models write a sentence with each
    (XCR-Bench, section 2.1).

    The table (CSV, TSV, JSON lines or Parquet; of any length) is filtered and clustered first; the command
    asks about one fact of each cluster. Every reply is stored at once; the same command continues where it
    stopped. A budget is for all models together. On a cluster a worker filters the facts of each culture;
    this machine asks the models.

    \b
    folkways build csi --facts facts.csv --model MODEL_A --model MODEL_B --model MODEL_C --out csi/
    folkways build csi-corpus --items csi/items.jsonl --choices choices.csv --labels labels.csv --out corpus/
    """,
    (
        Option("--facts", "Table: culture, fact, source.", "file", required=True),
        Option(
            "--model",
            "Writes a sentence each; three of them.",
            metavar="NAME",
            short="-m",
            required=True,
            repeatable=True,
            parameter="writers",
        ),
        Option(
            "--proposer", "Model that names items in facts; by default the first --model.", metavar="NAME"
        ),
        Option(
            "--by-people",
            "People named the items: columns item and context of the table, or a study's items.jsonl.",
            "yes",
        ),
        Option("--out", "Folder for items and filtered facts.", "new folder", required=True),
        Option("--cultures", "Only these cultures, as the table writes them, separated by commas.", "list"),
        Option("--limit", "How many facts to ask about, at most.", "whole", least=1, default=1000),
        Option("--words", "Fewest and most words of a fact.", "whole", least=1, count=2, default=(4, 60)),
        Option(
            "--similarity", "Share of common words from which a fact repeats another.", "number", default=0.8
        ),
        Option("--cluster-size", "Facts per cluster, on average.", "whole", least=1, default=20),
        Option("--seed", "For clusters.", "whole", default=0),
    ),
    build_csi,
    asks=True,
    shared_out=True,
)

CSI_CORPUS = Builder(
    "csi-corpus",
    """Turn people's votes on items into a corpus in XCR-Bench's released schema, with ids and strategies.

    Judges must agree, or an expert decides (column role: expert); undecided items are left out, with the
    reason. A study of the studio exports such a corpus itself; this is for votes in files. The folder is a
    release.

    \b
    folkways data check corpus/
    folkways run xcr --release corpus/ --model NAME
    """,
    (
        Option("--items", "items.jsonl of folkways build csi.", "file", required=True),
        Option("--choices", "item_id, judge, best; repeatable.", "file", required=True, repeatable=True),
        Option(
            "--labels",
            "item_id, judge, category, level, element; repeatable.",
            "file",
            required=True,
            repeatable=True,
        ),
        Option(
            "--adaptations",
            "item_id, judge, culture, intra, inter, strategies; repeatable.",
            "file",
            repeatable=True,
        ),
        Option(
            "--lists", "Labels of your own (TOML): categories, levels, elements, as in the study.", "file"
        ),
        Option("--judges", "People per item, unless an expert decides.", "whole", least=1, default=2),
        Option("--out", "Where the corpus goes.", "new folder", required=True),
    ),
    build_csi_corpus,
)

BUILDERS = (CSI, CSI_CORPUS)
