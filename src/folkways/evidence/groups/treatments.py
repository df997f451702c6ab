"""What a change of the prompt does: paired by row with the prompt as it is and with placebos, by culture;
what it costs elsewhere; and what it does to questions about another culture than the one it names.

Tao et al. (2024) compare a prompt that names a country with one that does not. As prompts that name nothing
of a culture move answers too (arXiv 2406.11661), the effect here is that beyond the placebos:
(treatment - as it is) - (placebos - as it is).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.multiple_choice.orders import split_variant, variant_name
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import ASKED_IN, with_asked_in
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Plot, Table, with_holm
from folkways.benchmarks.treatments import LENGTH, Arm
from folkways.display import signed
from folkways.errors import option
from folkways.evidence.answers import in_units
from folkways.evidence.contrasts import ALPHA
from folkways.evidence.groups.panel import NAMES
from folkways.evidence.groups.resources import least_squares
from folkways.evidence.groups.treatment_answers import answers_table
from folkways.names import WHOLE
from folkways.records import Metric, Schema, State, of_rows
from folkways.stats.clusters import ROUNDING, without_rounding
from folkways.stats.intervals import Floats, all_alike
from folkways.stats.pairwise import paired_contrasts

PLACEBOS, AS_IS = "placebos", "control"

EFFECTS: Schema = {
    **NAMES,
    "endpoint": pl.String,
    "treatment": pl.String,
    "culture": pl.String,
    # over the rows that have all these arms, in the unit of the metric
    "control": pl.Float64,  # the prompt as it is
    "treated": pl.Float64,
    "change": pl.Float64,  # treated minus control
    "placebo_change": pl.Float64,  # mean of the placebos minus control; null without placebos
    "against": pl.String,  # PLACEBOS or AS_IS: what the difference is from
    **DIFFERENCE,  # treated minus that
    "p_holm": pl.Float64,
    # rows that are better treated than as they are; null where no way is better, as of lengths
    "better": pl.Int64,
    "worse": pl.Int64,
    "n": pl.Int64,
    "questions": pl.Int64,
}

CROSSED: Schema = {
    **NAMES,
    "endpoint": pl.String,
    "treatment": pl.String,
    "named": pl.String,  # the culture that the treatment names
    "gain": pl.Float64,  # of the treatment on the questions about that culture
    "against": pl.String,
    **DIFFERENCE,  # the same of questions about other cultures
    "p_holm": pl.Float64,
    "n": pl.Int64,
    "questions": pl.Int64,
}

MATRIX: Schema = {
    **NAMES,
    "endpoint": pl.String,
    "treatment": pl.String,
    "culture": pl.String,  # that the questions are about
    "named": pl.String,  # that the treatment names
    "against": pl.String,
    **DIFFERENCE,
    "p_holm": pl.Float64,
    "n": pl.Int64,
    "questions": pl.Int64,
}

MEASURE = "Effect of the treatment, points"

FEWEST_CULTURES = 5
"""Cultures that a regression over cultures needs."""

KEY = ("endpoint", "item", "language", "base", "sample")
"""What the arms of one prompt share."""

REFUSED = Metric("refused", "Refused", "Share of replies that decline to answer.", lower_is_better=True)
CHARACTERS = Metric(LENGTH, "Characters", "Length of a reply.", kind="mean", scale=1.0, bounds=None)

CONTROL, TREATED, PLACEBO, OTHER = "control", "treated", "placebo", "crossed"


@dataclass(frozen=True)
class Arms:
    """The rows of one treatment, model, metric and part of a task that were asked in the treatment and as
    they are.

    rows: ``culture``, ``question``, and the values ``control``, ``treated`` and ``placebo`` (the mean of all
    of them; null where there is none). others: the same rows for each culture ``named`` in their place, with
    the value ``crossed``.
    """

    task: str
    part: str | None
    metric: Metric
    endpoint: str
    treatment: str
    rows: pl.DataFrame
    others: pl.DataFrame

    @property
    def names(self) -> dict[str, Any]:
        """The first columns of its rows in tables."""
        return {
            "task": self.task,
            "asked_in": self.part,
            "metric": self.metric.label,
            "endpoint": self.endpoint,
            "treatment": self.treatment,
        }

    @property
    def against(self) -> str:
        """The column that effects are measured from: PLACEBO, or CONTROL where none was asked."""
        return CONTROL if self.rows["placebo"].is_null().all() else PLACEBO

    def effect(self, rows: pl.DataFrame, arm: str = TREATED) -> dict[str, Any]:
        """``against``, DIFFERENCE, ``n`` and ``questions`` of an arm (TREATED or OTHER), over some of the
        rows."""
        pair = np.column_stack(
            [rows[name].cast(pl.Float64).fill_null(math.nan).to_numpy() for name in (arm, self.against)]
        )
        questions = rows["question"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        bounds = self.metric.bounds
        largest = None if bounds is None else bounds[1] - bounds[0]
        test = paired_contrasts(pair, questions, largest)
        scale = self.metric.scale
        return {
            "against": PLACEBOS if self.against == PLACEBO else AS_IS,
            "difference": test.difference[0] * scale,
            "low": test.low[0] * scale,
            "high": test.high[0] * scale,
            "p": test.p[0],
            "n": int(test.rows[0]),
            "questions": int(test.questions[0]),
        }

    def whole(self) -> dict[str, Any]:
        """EFFECTS over all cultures, without p_holm."""
        return self._row(WHOLE, self.complete)

    def by_culture(self) -> Iterator[dict[str, Any]]:
        """EFFECTS of each culture, without p_holm."""
        for (culture,), rows in self.complete.sort("culture").group_by("culture", maintain_order=True):
            yield self._row(str(culture), rows)

    @property
    def has_direction(self) -> bool:
        """Whether one way of the metric is better: longer replies are not."""
        return self.metric.has_direction and self.metric != CHARACTERS

    @property
    def complete(self) -> pl.DataFrame:
        """The rows that have what effects are measured from."""
        return self.rows.drop_nulls(self.against)

    @property
    def complete_others(self) -> pl.DataFrame:
        """The same of ``others``."""
        return self.others.drop_nulls(self.against)

    @property
    def every_culture_named(self) -> bool:
        """Whether any row was asked with the names of several other cultures."""
        return bool(self.complete_others.select(KEY).is_duplicated().any())

    def _row(self, culture: str, rows: pl.DataFrame) -> dict[str, Any]:
        sign = -1 if self.metric.lower_is_better else 1
        change = sign * (rows["treated"] - rows["control"]).to_numpy()
        scaled = {
            name: float(rows[name].cast(pl.Float64).fill_null(math.nan).to_numpy().mean()) * self.metric.scale
            for name in ("control", "treated", "placebo")
        }
        return {
            **self.names,
            "culture": culture,
            "control": scaled["control"],
            "treated": scaled["treated"],
            "change": float(without_rounding(scaled["treated"] - scaled["control"])),
            "placebo_change": float(without_rounding(scaled["placebo"] - scaled["control"])),
            **self.effect(rows),
            "better": int((change > ROUNDING).sum()) if self.has_direction else None,
            "worse": int((change < -ROUNDING).sum()) if self.has_direction else None,
        }

    def crossed(self) -> Iterator[dict[str, Any]]:
        """CROSSED of each culture that the treatment named on questions about others, and of all, without
        p_holm."""
        rows, of_itself = self.complete_others, self.complete
        named = rows["named"].unique().sort()
        for culture in [WHOLE, *named] if named.len() else []:
            others = rows if culture == WHOLE else rows.filter(pl.col("named") == culture)
            about = of_itself if culture == WHOLE else of_itself.filter(pl.col("culture") == culture)
            gain = self.effect(about)["difference"] if about.height else math.nan
            yield {**self.names, "named": culture, "gain": gain, **self.effect(others, OTHER)}

    def matrix(self) -> Iterator[dict[str, Any]]:
        """MATRIX, without p_holm: the culture asked about by the culture named, its own among them."""
        diagonal = self.complete.with_columns(named="culture", crossed=TREATED)
        columns = ["culture", "named", "question", OTHER, self.against]
        cells = pl.concat([diagonal.select(columns), self.complete_others.select(columns)])
        for (culture, named), rows in cells.sort("culture", "named").group_by(
            "culture", "named", maintain_order=True
        ):
            yield {**self.names, "culture": culture, "named": named, **self.effect(rows, OTHER)}


def tables(inputs: Inputs) -> Sequence[Table]:
    """EFFECTS of the headline by culture, of everything else over all cultures, and CROSSED.

    Without treatments, the templates of a prompt are compared with the task's first. Raises NotAvailableError
    where there is one template alone.
    """
    source = inputs if inputs.treated.is_empty() else replace(inputs, judged=inputs.treated)
    every = list(_arms(source, by_template=source is inputs))
    if not every:
        raise NotAvailableError(
            f"needs prompts in two ways: a run with {option('treatments')}, or with two templates "
            f"({option('variants')})"
        )
    of_tasks = {task: source.headline(task) for task in {arms.task for arms in every}}
    headlines = [arms for arms in every if arms.metric == of_tasks[arms.task]]
    others = [arms.whole() for arms in every if arms not in headlines]
    whole = _frame([arms.whole() for arms in headlines], EFFECTS)
    of_cultures = [_frame(list(arms.by_culture()), EFFECTS) for arms in headlines]
    rows = pl.concat([whole, *of_cultures])
    made = [
        Table(
            "treatments",
            "What a change of the prompt does",
            "The unit is the question: treated less its placebos (the mean of all of them; the prompt as it "
            "is where there are none), paired by row and clustered by question. p_holm is corrected for the "
            "cultures of a model and a treatment, and in the rows over all for these rows.",
            rows,
            notes=(*map(_sentence, headlines, of_cultures), *_without_placebos(headlines)),
            plots=(_figure(rows),),
        )
    ]
    if others:
        made.append(
            Table(
                "treatments-costs",
                "What a change of the prompt does besides",
                "As above, over all cultures: other metrics of the task, refusals and length. p_holm is "
                "corrected for the rows of this table.",
                _frame(others, EFFECTS),
            )
        )
    crossed = [_frame(list(arms.crossed()), CROSSED) for arms in headlines]
    if any(frame.height for frame in crossed):
        made.append(
            Table(
                "treatments-crossed",
                "The treatment for one culture on questions about others",
                "The unit is the question about another culture than the one that the treatment names; "
                "p_holm is corrected for the cultures named.",
                pl.concat(crossed),
                notes=(
                    "A gain on questions about the culture named and none on others is steering; a loss on "
                    "others says that the prompt answers for the culture named, whatever the question is "
                    "about; the same gain on both says that it is not the culture that helps.",
                ),
            )
        )
    made += _matrix([arms for arms in headlines if arms.every_culture_named])
    return [*made, *answers_table(inputs)]


def _matrix(crossed: Sequence[Arms]) -> Iterator[Table]:
    frames = [_frame(list(arms.matrix()), MATRIX) for arms in crossed]
    if not frames:
        return
    rows = pl.concat(frames)
    layout = Layout(
        "culture", "named", "difference", decimals=1, by="of", drawn="heatmap", diverges=0.0, measure=MEASURE
    )
    yield Table(
        "treatments-matrix",
        "The culture named by the culture that questions are about",
        "The unit is the question. p_holm is corrected for all cells of a model and a treatment.",
        rows,
        notes=tuple(map(_steering, crossed, frames)),
        plots=(Plot(layout, rows=_with_heading(rows, "task", "asked_in", "endpoint", "treatment")),),
    )


def _steering(arms: Arms, cells: pl.DataFrame) -> str:
    """The mean effect on the diagonal and off it, and how often the culture's own name does best."""
    itself = pl.col("culture") == pl.col("named")
    on, off = (cells.filter(side)["difference"].to_numpy().mean() for side in (itself, ~itself))
    sign = -1 if arms.metric.lower_is_better else 1
    best = cells.sort(sign * pl.col("difference"), descending=True, nulls_last=True).unique(
        "culture", keep="first", maintain_order=True
    )
    return (
        f"{arms.endpoint}, {arms.task}, {arms.treatment}: {signed(on)} points where the culture of the "
        f"question is named, {signed(off)} where another is (means of cells); its own name does best for "
        f"{best.filter(itself).height} of {best.height} cultures."
    )


def _with_heading(rows: pl.DataFrame, *names: str) -> pl.DataFrame:
    return rows.with_columns(pl.concat_str(names, separator=", ", ignore_nulls=True).alias("of"))


def _frame(rows: Sequence[dict[str, Any]], schema: Schema) -> pl.DataFrame:
    """The rows with p_holm; rows over everything are corrected apart from those of cultures."""
    frame = pl.DataFrame(rows, schema={name: kind for name, kind in schema.items() if name != "p_holm"})
    name = "culture" if "culture" in schema else "named"
    parts = [frame.filter(pl.col(name) == WHOLE), frame.filter(pl.col(name) != WHOLE)]
    return pl.concat([with_holm(part) for part in parts]).select(list(schema))


def _arms(source: Inputs, *, by_template: bool) -> Iterator[Arms]:
    for task in sorted(source.tasks):
        metrics, split = [*source.metrics[task]], source.headline(task).headline_by
        metrics += [] if any(metric.name == "refusal" for metric in metrics) else [REFUSED]
        metrics.append(CHARACTERS)
        columns = ("endpoint", "item", "question", "culture", "language", "variant", "sample", "state")
        judged = source.of(task, columns=(*columns, split or "", *(metric.name for metric in metrics)))
        if split == ASKED_IN:
            judged = with_asked_in(judged)
        refused = (pl.col("state").cast(pl.String) == State.REFUSED.value).cast(pl.Float64)
        judged = judged.with_columns(
            pl.col("endpoint", "item", "question", "culture", "language", "variant").cast(pl.String),
            refused.alias(REFUSED.name),
            (pl.col(split).cast(pl.String) if split in judged.columns else pl.lit(None, pl.String)).alias(
                "part"
            ),
        )
        named = _named(judged["variant"], by_template=by_template)
        if named["treatment"].drop_nulls().is_empty():
            continue
        judged = judged.join(named, on="variant", how="left", maintain_order="left")
        for metric in metrics:
            if metric.name in judged.columns and judged[metric.name].dtype.is_numeric():
                rows = judged.drop_nulls(metric.name).with_columns(in_units(metric, "base"))
                yield from _of_metric(rows, task, metric)


def _named(variants: pl.Series, *, by_template: bool) -> pl.DataFrame:
    """variant -> ``base``, ``treatment``, ``kind`` and ``which``; the control has no treatment."""
    names = variants.unique(maintain_order=True).to_list()
    if by_template:
        first = split_variant(names[0])[0]
        split = {name: split_variant(name) for name in names}
        rows = [
            (
                name,
                variant_name("", order),
                *((None, "control") if template == first else (template, "treatment")),
                "",
            )
            for name, (template, order) in split.items()
        ]
    else:
        arms = {name: Arm.of(name) for name in names}
        rows = [(name, arm.base, arm.treatment or None, arm.kind, arm.which) for name, arm in arms.items()]
    columns = ("variant", "base", "treatment", "kind", "which")
    return of_rows(rows, dict.fromkeys(columns, pl.String))


def _of_metric(judged: pl.DataFrame, task: str, metric: Metric) -> Iterator[Arms]:
    value = pl.col(metric.name).cast(pl.Float64)
    control = judged.filter(pl.col("kind") == "control").select(
        *KEY, "part", "culture", "question", control=value
    )
    for (treatment,), rows in judged.drop_nulls("treatment").group_by("treatment", maintain_order=True):
        of_kind = dict(rows.partition_by("kind", as_dict=True).items())
        treated = of_kind.get(("treatment",), rows.head(0)).select(*KEY, treated=value)
        crossed = of_kind.get(("crossed",), rows.head(0)).select(*KEY, crossed=value, named="which")
        cues = of_kind.get(("placebo",), rows.head(0))
        mean = cues.group_by(*KEY).agg(placebo=value.mean(), cues=pl.len())
        mean = mean.filter(pl.col("cues") == cues["which"].n_unique()).drop("cues")
        wide = control.join(treated, on=KEY, how="inner", maintain_order="left")
        wide = wide.join(mean, on=KEY, how="left", maintain_order="left")
        for (endpoint, part), of_model in wide.sort("endpoint", "part", maintain_order=True).group_by(
            "endpoint", "part", maintain_order=True
        ):
            others = of_model.join(crossed, on=KEY, how="inner", maintain_order="left")
            yield Arms(task, part, metric, str(endpoint), str(treatment), of_model, others)


def _sentence(arms: Arms, cultures: pl.DataFrame) -> str:
    """Mean effect, in how many cultures it is better and worse, both kinds of flips, and the regression on
    the baseline."""
    whole = arms.whole()
    part = f", {arms.part}" if arms.part else ""
    sign = -1 if arms.metric.lower_is_better else 1
    ahead = sign * cultures["difference"]
    clear = (cultures["p_holm"] < ALPHA).fill_null(False)
    up, down = (int((clear & side).sum()) for side in (ahead > 0, ahead < 0))
    text = (
        f"{arms.endpoint}, {arms.task}{part}, {arms.treatment}: {signed(whole['difference'])} points (95 % "
        f"{signed(whole['low'])} to {signed(whole['high'])}) from the {whole['against']}; better in "
        f"{int((ahead > 0).sum())} of {cultures.height} cultures ({up} by p_holm), worse in "
        f"{int((ahead < 0).sum())} ({down}); {whole['better']:,} rows turn better and "
        f"{whole['worse']:,} worse."
    )
    if (slope := slope_on_baseline(cultures)) is not None:
        middle, low, high = (signed(number, 2) for number in slope)
        text += (
            f" Over cultures the effect changes by {middle} (95 % {low} to {high}) points for each point of "
            "the score without it"
        )
        text += "." if arms.against == PLACEBO else ", of which regression to the mean makes a part."
    return text


def slope_on_baseline(cultures: pl.DataFrame) -> tuple[float, float, float] | None:
    """The slope of the effect on the score of the prompt as it is, over cultures, with Student's interval;
    None of fewer than FEWEST_CULTURES, and of equal scores or effects.

    From placebos, chance in the score without treatment is in no effect, so that the slope is free of
    regression to the mean from the model's side; from the prompt as it is, it is not. cultures: EFFECTS.
    """
    scores: Floats = cultures["control"].to_numpy()
    if scores.size < FEWEST_CULTURES or all_alike(scores):
        return None
    slope, low, high, *_ = least_squares(scores, cultures["difference"].to_numpy())
    return None if math.isnan(low) else (slope, low, high)


def _without_placebos(headlines: Sequence[Arms]) -> tuple[str, ...]:
    names = sorted({arms.treatment for arms in headlines if arms.against == CONTROL})
    if not names:
        return ()
    return (
        f"{', '.join(names)}: asked without placebos. Prompts that say nothing of a culture move answers "
        "too, so that this is not evidence of what the culture in the prompt does.",
    )


def _figure(rows: pl.DataFrame) -> Plot:
    layout = Layout(
        "culture",
        "endpoint",
        "difference",
        decimals=1,
        by="of",
        drawn="intervals",
        diverges=0.0,
        measure=MEASURE,
    )
    return Plot(layout, rows=_with_heading(rows, "task", "asked_in", "treatment"))


TREATMENTS = Result(
    "treatments",
    "What a change of the prompt does",
    tables,
    "",
    "Does a persona or another change of the prompt help, in which cultures, and at what cost?",
    fits=lambda inputs: inputs.treated.height > 0,
)
