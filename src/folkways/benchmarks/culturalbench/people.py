"""The human baseline: how one person's votes do against the gold that the others' votes make.

The paper reports one (92.6 %, abstract) but not how it was made. Here each annotator is left out in turn. An
option is gold for that person if the others' votes are at most one short of the benchmark's majority: 3 of 4
if it is 4 of 5. So every gold option of the benchmark is gold for everybody. An option that was a single vote
short is gold for those who did not choose it, which makes the baseline a little low. A person is right, on
Easy as on Hard, who chose all gold options and no other. People who did not know, or found that the question
cannot be answered, do not count, while models always answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.culturalbench.build.counting import MajorityRule
from folkways.benchmarks.culturalbench.build.tables import BUILT_VOTES
from folkways.benchmarks.culturalbench.data.release import VOTES
from folkways.benchmarks.culturalbench.votes import ABSTENTIONS, LETTERS
from folkways.benchmarks.culturalbench.votes_files import parse_chosen, parse_round
from folkways.errors import DataError
from folkways.records import JUDGEMENTS, Schema, State, require_columns
from folkways.releases.release_records import Release
from folkways.text_tables import read_table

VOTES_FILE, RECORD_FILE = VOTES, "build.json"
"""Files of a release that was built here: every vote, and how it was built."""

VARIANT = "votes"
"""The variant that people's judgements carry, in place of a prompt's name."""

PEOPLE_JUDGEMENTS: Schema = {**JUDGEMENTS, "annotator": pl.String, "right": pl.Float64}
"""On Hard also ``all_right``, on one row for each person and question."""

_GOLD = {letter: f"gold_{letter}" for letter in LETTERS}


def people_judgements(
    items: pl.DataFrame, release: Release, task: str, columns: Schema | None = None
) -> pl.DataFrame | None:
    """PEOPLE_JUDGEMENTS on the items of ``culturalbench/easy`` or ``culturalbench/hard``, with every further
    column of the items.

    columns: further ones of the task's judgements; those that have no meaning for people (the letter that was
    named) are null. None where the release does not tell what single people chose. DataError, with file and
    row, for votes that cannot be read.
    """
    if not any(entry.path == VOTES_FILE for entry in release.record.files) or not release.has(VOTES_FILE):
        return None  # a file that the release does not list is not covered by its fingerprint
    votes, rule = read_built_votes(release), read_rule(release)
    judged = (judge_people_on_hard if task.endswith("/hard") else judge_people_on_easy)(items, votes, rule)
    lacking = {name: kind for name, kind in (columns or {}).items() if name not in judged.columns}
    return judged.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in lacking.items())


def read_built_votes(release: Release) -> pl.DataFrame:
    """BUILT_VOTES of a release that has them; DataError with the row for one that cannot be read."""
    path = release.path(VOTES_FILE)
    table = read_table(path, {name: (name,) for name in BUILT_VOTES})
    rows = []
    for row in table.iter_rows(named=True):
        chosen, number = parse_chosen(row["chosen"]), parse_round(row["round"])
        if chosen is None or number is None:
            raise DataError(
                f"is not a vote: chosen {row['chosen']!r}, round {row['round']!r}; build it again",
                file=path,
                row=row["row"],
            )
        truths = {name: row[name] == "True" for name in ("counted", "kept")}
        rows.append(
            {**{name: row[name] for name in BUILT_VOTES}, "chosen": chosen, "round": number, **truths}
        )
    return pl.DataFrame(rows, schema=dict(BUILT_VOTES))


def read_rule(release: Release) -> MajorityRule:
    """The majority that the release was built with, or the paper's; DataError if the record cannot be
    read."""
    if not release.has(RECORD_FILE):
        return MajorityRule()
    path = release.path(RECORD_FILE)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return MajorityRule(int(record["threshold"]), int(record["of"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"does not tell the majority (threshold, of): {error}; build the release again", file=path
        ) from None


def judge_people_on_easy(items: pl.DataFrame, votes: pl.DataFrame, rule: MajorityRule) -> pl.DataFrame:
    """One row per person and question: right when the person chose all options that are gold by the others'
    votes, and no other.

    items: of ``culturalbench/easy``; votes: BUILT_VOTES. Questions without votes have no row.
    """
    judged = leave_one_out(votes, rule).with_columns(
        answer=pl.col("chosen").list.join(" "),
        right=pl.all_horizontal(pl.col(letter) == pl.col(gold) for letter, gold in _GOLD.items()).cast(
            pl.Float64
        ),
        others=pl.concat_list(pl.when(gold).then(pl.lit(letter)) for letter, gold in _GOLD.items())
        .list.drop_nulls()
        .list.join(" "),
    )
    return _in_form(
        items,
        judged,
        on=["question"],
        reason=pl.format("by the others' votes {}", "others"),
        metrics=["right"],
    )


def judge_people_on_hard(items: pl.DataFrame, votes: pl.DataFrame, rule: MajorityRule) -> pl.DataFrame:
    """One row per person and judgement: right where the person chose an option that is gold by the others'
    votes, or left one that is not. items: of ``culturalbench/hard``, all of a question in their order; votes:
    BUILT_VOTES.
    """
    whole = leave_one_out(votes, rule)
    single = pl.concat(
        whole.select(
            *("question", "annotator", "sample", "counted", "state", "why"),
            place=pl.lit(index, pl.Int64),
            said=pl.col(letter),
            gold=pl.col(_GOLD[letter]),
        )
        for index, letter in enumerate(LETTERS)
    ).with_columns(right=(pl.col("said") == pl.col("gold")).cast(pl.Float64))
    person = ["question", "annotator"]
    judged = single.with_columns(
        answer=pl.when("said").then(pl.lit("True")).otherwise(pl.lit("False")),
        others=pl.when("gold").then(pl.lit("True")).otherwise(pl.lit("False")),
        all_right=pl.when(pl.col("place") == 0).then(pl.col("right").min().over(person)),
    )
    placed = items.with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("question"))
    reason = pl.format("by the others' votes {}", "others")
    return _in_form(
        placed, judged, on=["question", "place"], reason=reason, metrics=["right", "all_right"]
    ).drop("place")


def leave_one_out(votes: pl.DataFrame, rule: MajorityRule) -> pl.DataFrame:
    """One row per person and question that were decided: what the person chose, and what is gold by the votes
    of all others.

    Columns: question, annotator, sample (a number for each person on a question), chosen, A to D (chosen or
    not), gold_A to gold_D, counted, state and why (null where it is counted).
    """
    cast = (
        require_columns(votes, BUILT_VOTES, "votes")
        .filter("counted", "kept")
        .rename({"question_idx": "question"})
    )
    chose = [pl.col("chosen").list.contains(letter).alias(letter) for letter in LETTERS]
    needed = -(-rule.threshold * pl.len() // rule.of) - 1
    gold = [
        (
            (pl.col(letter).sum() - pl.col(letter).cast(pl.Int64)).over("question") >= needed.over("question")
        ).alias(name)
        for letter, name in _GOLD.items()
    ]
    abstained = pl.col("chosen").list.first().is_in(ABSTENTIONS)
    alone = pl.len().over("question") == 1
    return (
        cast.with_columns(chose)
        .with_columns(
            *gold,
            sample=pl.int_range(pl.len(), dtype=pl.Int64).over("question"),
            why=pl.when(abstained)
            .then(pl.format("gave no answer: {}", pl.col("chosen").list.first()))
            .when(alone)
            .then(pl.lit("nobody else voted")),
            state=pl.when(abstained)
            .then(pl.lit(State.REFUSED.value))
            .otherwise(pl.lit(State.ANSWERED.value)),
        )
        .select(
            *("question", "annotator", "sample", "chosen", *LETTERS, *_GOLD.values()),
            pl.col("why").is_null().alias("counted"),
            *("state", "why"),
        )
    )


def _in_form(
    items: pl.DataFrame, judged: pl.DataFrame, *, on: Sequence[str], reason: pl.Expr, metrics: Sequence[str]
) -> pl.DataFrame:
    """The judgements with everything that the items say, in the order of items and people."""
    of_items = items.drop(name for name in ("answer", "options", "local_options") if name in items.columns)
    return (
        of_items.join(judged, on=on, how="inner", maintain_order="left_right")
        .with_columns(
            pl.lit("en").alias("language"),
            pl.lit(VARIANT).alias("variant"),
            pl.when(pl.col("counted")).then(reason).otherwise(pl.col("why")).alias("reason"),
            pl.when(pl.col("state") == State.ANSWERED.value).then(pl.col("answer")).alias("answer"),
            *(
                pl.when(pl.col("counted")).then(name).otherwise(pl.col(name) * 0.0).alias(name)
                for name in metrics
            ),
        )
        .select(
            *PEOPLE_JUDGEMENTS,
            *(name for name in (*metrics, *of_items.columns) if name not in PEOPLE_JUDGEMENTS),
        )
    )
