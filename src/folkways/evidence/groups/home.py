"""Home advantage: how much better a maker's models are on its own country, or on cultures of its language,
than the models of makers elsewhere are there; each compared with the same models on the other cultures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, NotAvailableError, Table, with_holm
from folkways.cultures import cultures, language_name, select_cultures
from folkways.errors import UnknownNameError
from folkways.evidence.groups.panel import KEY, NAMES, UNIT, Panel, notes, panels, usual_language
from folkways.records import Schema, of_rows
from folkways.stats.combinations import combination_of_means
from folkways.stats.intervals import Floats, all_alike

FEWEST_MODELS = 5
"""Models at home, and elsewhere, below which nothing is said about other makers."""

FEWEST_MAKERS = 3
"""Makers on either side that it takes besides."""

HOME: Schema = {
    **NAMES,
    "home": pl.String,  # a country, or a language
    "maker": pl.String,  # or how many there are at home
    "home_models": pl.Int64,
    "other_models": pl.Int64,
    "at_home": pl.Float64,  # mean over these models, of the home cultures
    "elsewhere": pl.Float64,  # of the other cultures
    "others_there": pl.Float64,  # the same of makers elsewhere
    "others_elsewhere": pl.Float64,
    **DIFFERENCE,  # (at_home - elsewhere) - (others_there - others_elsewhere), over questions
    "p_holm": pl.Float64,
    "makers_low": pl.Float64,  # of the difference, over makers; null where either side is too small
    "makers_high": pl.Float64,
    "questions": pl.Int64,  # about the home cultures
}


def tables(inputs: Inputs) -> Sequence[Table]:
    """HOME of every maker and home, by country and by language.

    Raises NotAvailableError unless makers with a known home meet makers from elsewhere.
    """
    used = [panel for panel in panels(inputs) if panel.rows["culture"].n_unique() > 1]
    rows = [row for panel in used for row in _rows(panel, inputs)]
    if not rows:
        raise NotAvailableError(
            "needs questions about the home of a model's maker and about other cultures, and models of "
            "makers elsewhere; `folkways endpoints` names the file of model cards in which to add maker "
            "and home"
        )
    return [
        Table(
            "home-advantage",
            "Home advantage of makers",
            f"{UNIT} The difference is of differences: a maker's models at home less elsewhere, minus the "
            "same of makers elsewhere, on the same questions; interval and p are clustered by question.",
            with_holm(of_rows(rows, HOME).with_columns(p_holm=math.nan)),
            notes=(
                "Every maker, and every culture of a side, counts alike. A culture is at home if it is the "
                "maker's country, or a part of it; a language's home are the cultures that usually speak it.",
                "low, high and p speak of these models alone; makers_low and makers_high, with makers as "
                f"the unit (Welch), of other makers, and need {FEWEST_MODELS} models of {FEWEST_MAKERS} "
                "makers on either side.",
                "Differences are in points: where a culture is easy or hard for everybody, unequal models "
                "differ less there, at home or not.",
                *notes(used),
            ),
        )
    ]


def _rows(panel: Panel, inputs: Inputs) -> Iterator[tuple[object, ...]]:
    cards = {name: inputs.cards[name] for name in panel.models if name in inputs.cards}
    home_of = {name: card.home for name, card in cards.items() if card.home and card.provider}
    codes = panel.once["culture"].unique().sort().to_list()
    makers: dict[str, dict[str, list[str]]] = {}
    for name, home in home_of.items():
        makers.setdefault(home, {}).setdefault(str(cards[name].provider), []).append(name)
    languages: dict[str | None, list[str]] = {}
    for home in sorted(makers):
        languages.setdefault(usual_language(home), []).append(home)
    for home, members in sorted(makers.items()):
        others = {
            maker: names for other, many in makers.items() if other != home for maker, names in many.items()
        }
        yield from _of_home(panel, cultures()[home].name, _at_home(home, codes), members, others)
    for language, homes in languages.items():
        speaking = [code for code in codes if language and usual_language(code) == language]
        if language and speaking != [code for home in homes for code in _at_home(home, codes)]:
            members = {maker: names for home in homes for maker, names in makers[home].items()}
            others = {
                maker: names
                for home, many in makers.items()
                if home not in homes
                for maker, names in many.items()
            }
            yield from _of_home(panel, f"{language_name(language)} (language)", speaking, members, others)


def _at_home(home: str, codes: Sequence[str]) -> list[str]:
    try:
        return select_cultures([home], codes)
    except UnknownNameError:
        return []


def _of_home(
    panel: Panel,
    home: str,
    at_home: Sequence[str],
    makers: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]],
) -> Iterator[tuple[object, ...]]:
    """A row for each maker, and one for all of them together."""
    codes = panel.once["culture"].unique()
    if not at_home or len(at_home) == len(codes) or not others:
        return
    sides = {name: {name: names} for name, names in sorted(makers.items())}
    if len(makers) > 1:
        sides[f"all {len(makers)} makers"] = dict(makers)
    for maker, native in sides.items():
        cells = _differences(panel, native, others).with_columns(home=pl.col("culture").is_in(list(at_home)))
        means = cells.group_by("home", "culture").agg(pl.col("own", "other").mean())
        scores = means.group_by("home").agg(pl.col("own", "other").mean()).sort("home", descending=True)
        (own_home, own_away), (others_home, others_away) = scores["own"].to_list(), scores["other"].to_list()
        order = cells["culture"].unique().sort()
        inside = order.is_in(list(at_home)).to_numpy()
        test = combination_of_means(
            (cells["own"] - cells["other"]).to_numpy(),
            cells["culture"].cast(pl.Enum(order)).to_physical().cast(pl.Int64).to_numpy(),
            cells["question"].rle_id().cast(pl.Int64).to_numpy(),
            np.where(inside, 1 / inside.sum(), -1 / (~inside).sum()),
        )
        counts = [sum(map(len, side.values())) for side in (native, others)]
        between = (
            _over_makers(panel, at_home, native, others)
            if min(counts) >= FEWEST_MODELS
            else (math.nan, math.nan)
        )
        yield (
            *panel.names().values(),
            *(home, maker, *counts, own_home, own_away, others_home, others_away),
            *test.columns().values(),
            *(math.nan, *between, cells.filter("home")["question"].n_unique()),
        )


def _differences(
    panel: Panel, native: Mapping[str, Sequence[str]], others: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """culture, question, and the mean over makers of either side, ordered by question."""
    maker = {name: maker for side in (native, others) for maker, names in side.items() for name in names}
    rows = panel.once.filter(pl.col("endpoint").is_in(list(maker))).with_columns(
        maker=pl.col("endpoint").replace_strict(maker, return_dtype=pl.String),
        side=pl.when(pl.col("endpoint").is_in([name for names in native.values() for name in names]))
        .then(pl.lit("own"))
        .otherwise(pl.lit("other")),
    )
    by_maker = rows.group_by(*KEY, "side", "maker", maintain_order=True).agg(pl.col("value").mean())
    sides = by_maker.group_by(*KEY, "side", maintain_order=True).agg(pl.col("value").mean())
    return sides.pivot("side", index=KEY, values="value").sort("question", "culture")


def _over_makers(
    panel: Panel,
    at_home: Sequence[str],
    native: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]],
) -> tuple[float, float]:
    """Welch's interval of the difference, with makers as the unit."""
    by_culture = panel.once.group_by("endpoint", "culture", maintain_order=True).agg(pl.col("value").mean())
    inside = pl.col("culture").is_in(list(at_home))
    gaps = dict(
        by_culture.group_by("endpoint")
        .agg(pl.col("value").filter(inside).mean() - pl.col("value").filter(~inside).mean())
        .iter_rows()
    )
    first, second = (
        np.array([np.mean([gaps[name] for name in names]) for names in side.values()])
        for side in (native, others)
    )
    return welch(first, second)


def welch(first: Floats, second: Floats, confidence: float = 0.95) -> tuple[float, float]:
    """Welch's interval of the difference of two means of independent values; NaN below FEWEST_MAKERS."""
    if min(first.size, second.size) < FEWEST_MAKERS or (all_alike(first) and all_alike(second)):
        return math.nan, math.nan
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    squares = [side.var(ddof=1) / side.size for side in (first, second)]
    free = sum(squares) ** 2 / sum(
        square**2 / (side.size - 1) for square, side in zip(squares, (first, second), strict=True)
    )
    half = float(stdtrit(free, 0.5 + confidence / 2)) * math.sqrt(sum(squares))
    difference = float(first.mean() - second.mean())
    return difference - half, difference + half


def _fits(inputs: Inputs) -> bool:
    cards = {name: card for name, card in inputs.cards.items() if card.home and card.provider}
    for (_task,), part in inputs.asked_about.group_by("task"):
        homes = {cards[name].home for name in part["endpoint"].unique() if name in cards}
        codes = part["culture"].unique().drop_nulls().to_list()
        if len(homes) > 1 and any(_at_home(str(home), codes) for home in homes):
            return True
    return False


HOME_ADVANTAGE = Result(
    "home-advantage",
    "Home advantage of makers",
    tables,
    "",
    "Are models better about their maker's country, or about cultures of its language, than other makers' "
    "are?",
    fits=_fits,
)
