"""Beside right and wrong: whose option a model takes when it errs, and which letters it prefers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import polars as pl

from folkways.benchmarks.multiple_choice.letters import LETTER_METRICS, letter_scores
from folkways.benchmarks.summary import summarise_means
from folkways.cultures import culture_named
from folkways.errors import UnknownNameError
from folkways.records import CUT, Metric

SEEN = ("gold_letter", "chosen_letter", "chosen_culture", "offered")
"""Columns of a judgement: the right letter, the one that was read, whose option that is, and whose wrong
options stood there.

Cultures are codes; an option that nobody gave has the name of the release ("dummy"). ``offered`` has them
with blanks between. Null where no letter was read, or the release does not tell.
"""

TAKEN = Metric(
    "taken",
    "Taken when offered",
    "Share of items in which a culture's answer stood as a wrong option and was taken: whose view of "
    "others the model has.",
    lower_is_better=True,
)
VIEWS = (TAKEN, *LETTER_METRICS)


def seen(
    labels: Sequence[str], countries: Sequence[str], culture: str, gold: str, chosen: str | None
) -> tuple[str, str | None, str | None, str | None]:
    """SEEN of one item and the letter that was read."""
    if len(labels) != len(countries):
        return gold, chosen, None, None
    whose = {label: _code(country) for label, country in zip(labels, countries, strict=True)}
    wrong = sorted({code for label, code in whose.items() if label != gold and code != culture})
    return gold, chosen, whose.get(chosen) if chosen else None, " ".join(wrong) or None


@cache
def _code(country: str) -> str:
    try:
        return culture_named("blend", country).code
    except UnknownNameError:
        return country.replace(" ", "_")


def views(judgements: pl.DataFrame, task: str) -> Iterator[pl.DataFrame]:
    """Scores of VIEWS; the first by ``option_culture`` and ``culture+option_culture``, the letters by
    ``letter``.

    Judgements of items that no letter was read from count as not taken, and for the letters not at all. An
    item that failed or is missing would have taken no wrong option had it been right, so ``at_best`` is the
    score.
    """
    # Numbers instead of texts: an item has three wrong options, and a benchmark 300,000 items.
    texts = pl.col("question", "state", "culture", "chosen_culture").cast(pl.Categorical)
    options = (
        judgements.filter(pl.col("counted") & pl.col("offered").is_not_null())
        .select("counted", f"^{CUT}$", texts, option_culture=pl.col("offered").str.split(" "))
        .explode("option_culture")
        .with_columns(pl.col("option_culture").cast(pl.Categorical))
        .with_columns(
            taken=(pl.col("chosen_culture") == pl.col("option_culture")).fill_null(False).cast(pl.Float64)
        )
    )
    groupings = [("option_culture",), ("culture", "option_culture")]
    yield summarise_means(options, task, (TAKEN,), (), groupings).with_columns(at_best="score")
    yield from letter_scores(judgements, task)
