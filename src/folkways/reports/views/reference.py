"""The scores of a run among published ones: which are comparable, and why others are not."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from folkways.benchmarks.published import BROUGHT, PAPER
from folkways.benchmarks.registry import published_figures
from folkways.cultures import get_language
from folkways.display import signed
from folkways.records import SCORES, Schema, Signature, require_columns
from folkways.text.tools import signed_effects

REFERENCE: Schema = {
    **{name: SCORES[name] for name in ("endpoint", "task", "profile", "metric", "facet", "value")},
    "language": pl.String,
    **dict.fromkeys(("score", "low", "high"), pl.Float64),
    **dict.fromkeys(("paper", "place"), pl.String),
    "model": pl.String,  # published
    "kind": pl.String,
    "published": pl.Float64,
    "comparable": pl.Boolean,  # task, metric, language, data and profile agree
    "barred": pl.String,  # why not comparable (release or profile differs); empty if comparable
    "differs": pl.String,  # everything that differs, in words; empty if nothing does
    "note": pl.String,  # known oddities of the published table
    # points that folkways' own text tools add; null if unknown or not used
    "tool_effect": pl.Float64,
    "tool_effect_low": pl.Float64,  # its 95 % interval
    "tool_effect_high": pl.Float64,
    "own_tools": pl.Boolean,  # whether answers were matched with folkways' default text tools
}

_KEY = ["task", "metric", "facet", "value", "language"]
_TOOL_EFFECT = {"tool_effect": "points", "tool_effect_low": "low", "tool_effect_high": "high"}
_DEFAULT_TOOL = "text-simplemma"
"""Part of every signature with the default text tools, and of no other."""


def reference_points(scores: pl.DataFrame, signatures: Mapping[str, Signature]) -> pl.DataFrame:
    """REFERENCE: the scores joined with every published score for the same task, metric, group and language.

    scores: records.SCORES. signatures: signature -> its parts. Published scores are of models, of people, or
    means over models. ``comparable`` says whether release and profile agree too. ``differs`` names what does
    not: these two, then differences that do not forbid a comparison (prompts, system prompt, variants,
    samples, part of the items, missing replies).
    """
    require_columns(scores, SCORES, "scores")
    ours = _by_language(scores, signatures).filter(pl.col("score").is_not_nan())
    scored = (pl.col("unit") == "percent") & pl.col("kind").is_in(["model", "mean", "people", "baseline"])
    benchmarks = frozenset(task.split("/")[0] for task in scores["task"].unique())  # no other is imported
    figures = published_figures(of=benchmarks).filter(scored)
    theirs = figures.rename({"score": "published", "profile": "their_profile"})
    joined = ours.join(theirs, on=_KEY, how="inner", maintain_order="left_right")
    differs, barred = [], []
    looked_at = joined.select(
        "signature", "profile", "coverage", "left_out", "data", "their_profile", "variants"
    )
    for row in looked_at.iter_rows(named=True):
        barriers, remarks = _differences(signatures.get(row["signature"], Signature()).parts, row)
        barred.append("; ".join(barriers))
        differs.append("; ".join([*barriers, *remarks]))
    own_tools = [text for text, made in signatures.items() if _DEFAULT_TOOL in made.parts]
    measured = (pl.col("metric") == "sem_b") & pl.col("signature").is_in(own_tools)
    return joined.with_columns(
        barred=pl.Series(barred, dtype=pl.String),
        comparable=pl.Series(barred, dtype=pl.String) == "",
        differs=pl.Series(differs, dtype=pl.String),
        own_tools=measured,
        **{
            column: pl.when(measured).then(
                pl.col("language").replace_strict(
                    {language: getattr(effect, part) for language, effect in signed_effects().items()},
                    default=None,
                    return_dtype=pl.Float64,
                )
            )
            for column, part in _TOOL_EFFECT.items()
        },
    ).select(list(REFERENCE))


PLACED: Schema = {
    **{
        name: REFERENCE[name]
        for name in ("endpoint", "task", "metric", "facet", "value", "language", "score", "low", "high")
    },
    "place": pl.String,
    "models": pl.Int64,  # published models to compare with
    "above": pl.Int64,  # how many of them score higher
    "within": pl.Int64,  # how many of them lie inside the interval, and cannot be told apart
    "next_above": pl.String,  # the published model just above; null if there is none
    "next_above_score": pl.Float64,
    "next_below": pl.String,
    "next_below_score": pl.Float64,
    "differs": pl.String,
}


def placed(points: pl.DataFrame) -> pl.DataFrame:
    """PLACED: the position of each score among the comparable published models. points: REFERENCE."""
    key = ["endpoint", "task", "metric", "facet", "value", "language", "place"]
    rows = []
    for _, group in points.filter(pl.col("comparable") & (pl.col("kind") == "model")).group_by(
        key, maintain_order=True
    ):
        row = group.row(0, named=True)
        ordered = group.sort("published", "model")
        higher, lower = (
            ordered.filter(side)
            for side in (pl.col("published") > row["score"], pl.col("published") <= row["score"])
        )
        rows.append(
            {
                **{name: row[name] for name in PLACED if name in row},
                "models": group.height,
                "above": higher.height,
                "within": group.filter(pl.col("published").is_between(pl.col("low"), pl.col("high"))).height,
                "next_above": higher["model"][0] if higher.height else None,
                "next_above_score": higher["published"][0] if higher.height else None,
                "next_below": lower["model"][-1] if lower.height else None,
                "next_below_score": lower["published"][-1] if lower.height else None,
            }
        )
    return pl.DataFrame(rows, schema=dict(PLACED))


def warnings_of(points: pl.DataFrame) -> list[str]:
    """A sentence for each model and task whose scores are not comparable with published ones, with the
    reason.

    Other differences are left out, because they can vary between groups.
    """
    barred = points.filter(~pl.col("comparable")).select("endpoint", "task", "barred")
    return [
        f"{endpoint}, {task}: published scores are of another state ({why}); they are not shown beside "
        "this one."
        for endpoint, task, why in barred.unique(maintain_order=True).iter_rows()
    ]


def remarks_of(points: pl.DataFrame) -> tuple[str, ...]:
    """Sentences on what limits the comparison: prompts, part of the items, text tools."""
    unlike = (f"Not all alike: {text}." for text in points["differs"].unique(maintain_order=True) if text)
    return (*unlike, *tool_effects_of(points))


def tool_effects_of(points: pl.DataFrame) -> tuple[str, ...]:
    """Sentences on the bias of folkways' own text tools in the languages of comparable scores, and on
    languages in which it was not measured."""
    own_tools = points.filter("comparable", pl.col("own_tools"))
    looked_at = own_tools.select("language", *_TOOL_EFFECT).unique().sort("language")
    measured = looked_at.drop_nulls()
    sentences = []
    if measured.height:
        effects = ", ".join(
            f"{signed(effect)} in {get_language(language).name} ({signed(low)} to {signed(high)})"
            for language, effect, low, high in measured.iter_rows()
        )
        sentences.append(
            "Answers were matched with folkways' default text tools. On replies made to be difficult, "
            f"their SEM-B less that of the authors' tools was, in points (95 % interval): {effects}."
        )
    unmeasured = [
        get_language(code).name for code in looked_at.filter(pl.col("tool_effect").is_null())["language"]
    ]
    if unmeasured:
        sentences.append(
            f"What folkways' default text tools change was not measured in {', '.join(unmeasured)}."
        )
    return tuple(sentences)


def _by_language(scores: pl.DataFrame, signatures: Mapping[str, Signature]) -> pl.DataFrame:
    """The scores with ``language``: that of a group by culture and language, otherwise that of the signature,
    where several ("am+en") are those of no published score."""
    asked_in = {text: made.parts.get("lang") for text, made in signatures.items()}
    only = pl.col("signature").replace_strict(asked_in, default=None, return_dtype=pl.String)
    pair = pl.col("facet") == "culture+language"
    parts = pl.col("value").str.splitn("+", 2).struct
    return scores.with_columns(
        facet=pl.when(pair).then(pl.lit("culture")).otherwise("facet"),
        value=pl.when(pair).then(parts.field("field_0")).otherwise("value"),
        language=pl.when(pair).then(parts.field("field_1")).otherwise(only),
    ).drop_nulls("language")


def _differences(ours: Mapping[str, str], row: dict[str, object]) -> tuple[list[str], list[str]]:
    """Differences that forbid a comparison, and other differences."""
    data, samples, share = (
        ours.get("data", "").split("#", 1)[0],
        ours.get("samples", "1"),
        float(str(row["coverage"])),
    )
    barriers = {
        f"data {data or 'unknown'} here, {row['data']} there": data != row["data"],
        f"profile {row['profile']} here, {row['their_profile']} there": row["profile"]
        != row["their_profile"],
        "the likeliest option here, what was said there": "read=" in ours.get("settings", ""),
    }
    prompts = ours.get("prompts", "").split("#")[0]
    as_printed = prompts in (PAPER, BROUGHT)
    remarks = {
        "prompts as brought from the paper, unchecked, here, the authors' there": prompts == BROUGHT,
        f"prompts {ours.get('prompts', 'unknown')} here, the authors' there": not as_printed
        and prompts != "release",
        f"variants {ours.get('variant', 'unknown')} here, {row['variants']} there": not as_printed
        and ours.get("variant", "") != row["variants"],
        "a system prompt of one's own here": ours.get("system", "task") != "task",
        f"{samples} samples here, 1 there": samples != "1",
        "a part of the items here, all there": "limit" in ours or "sampling" in ours,
        f"{'scores of' if row['left_out'] else 'replies to'} {100 * share:.0f} % here": share < 1,
    }
    return [text for text, holds in barriers.items() if holds], [
        text for text, holds in remarks.items() if holds
    ]
