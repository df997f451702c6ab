"""The judgements that can be browsed in the page: all of them, or a sample spread over tasks, models and
outcomes."""

from __future__ import annotations

import base64
import gzip
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np
import orjson
import polars as pl

from folkways.cultures import language_name
from folkways.display import NOT_A_NUMBER, number, sanitize, shorten
from folkways.names import culture_name
from folkways.records import BASELINE_PREFIX, JUDGED_ITEMS, JUDGEMENTS, Metric, plain
from folkways.reports.data import ITEM_TEXTS, ReportData
from folkways.reports.views.views import ReportView

MAX_ROWS = 40_000
MAX_CHARACTERS = 600
"""Longer texts are shortened in the page; the Parquet file has them in full."""
MAX_TOTAL_CHARACTERS = 6_000_000
"""Limit for replies and the answers read from them, which hardly repeat."""
MOST_PACKED = 500_000
"""Characters of the packed judgements, so that the page of the largest report stays within 2 MB. If more come
out, fewer rows are taken."""
SEED = 0

OWN_TEXTS = ("response", "answer", "reason")
KEYS = ("task", "endpoint", "profile", "culture", "language", "variant", "item", "state", "outcome")
SLICE = 100_000
"""Judgements whose texts are measured at a time."""

LETTERS_OF = 5_000
"""Texts whose characters are counted at a time."""

SPREAD = ("task", "endpoint", "culture", "state", "outcome")


@dataclass(frozen=True)
class Sample:
    """The judgements that the page embeds.

    packed: column -> its distinct values and the code of each row (``{"values": [...], "codes": [...]}``,
            without codes if every row has its own value, in order), as JSON, compressed with gzip, in base64.
    rows, total: number of judgements in the page, and of all judgements of the models shown.
    letters: the characters of its distinct texts, the most frequent first.
    """

    packed: str
    rows: int
    total: int
    letters: str = ""


def take_sample(view: ReportView, max_rows: int = MAX_ROWS) -> Sample:
    """At most ``max_rows`` judgements of the models, or of the baselines if there are no models.

    If there are more, groups of task, endpoint, culture, state and outcome take turns, so that rare outcomes
    are included; shares in the sample are therefore not shares in the data. The draw is seeded.
    """
    data = view.data
    if data.without_items:
        of_kept = pl.col("task").cast(pl.String).is_in([*data.without_items])
        data = replace(data, judgements=data.judgements.filter(~of_kept))
    outcome = outcome_of(data, data.judgements.columns)
    needed = ("endpoint", _group(outcome), _size())
    slices = [rows.select(needed) for rows in data.slices(SLICE)]  # texts of a million would be copied
    deciding = pl.concat([data.judgements.clear().select(needed), *slices]).with_row_index("row")
    if view.models:
        deciding = deciding.filter(~pl.col("endpoint").cast(pl.String).str.starts_with(BASELINE_PREFIX))
    deciding = deciding.drop("endpoint")
    del slices
    total, rows = deciding.height, _bounded(deciding, max_rows)
    packed, letters = _packed(view, data, outcome, rows)
    while len(packed) > MOST_PACKED and rows.len() > 1:
        fewer = int(0.95 * rows.len() * MOST_PACKED / len(packed))
        rows = _bounded(deciding, max(1, fewer))
        packed, letters = _packed(view, data, outcome, rows)
    return Sample(packed, rows.len(), total, letters)


def _packed(view: ReportView, data: ReportData, outcome: pl.Expr, rows: pl.Series) -> tuple[str, str]:
    """``packed`` and ``letters`` of a Sample of these rows of the judgements."""
    order = ("task", "culture", "item", "endpoint", "language", "variant", "profile")
    shown = data.rows(rows).with_columns(outcome=outcome).sort(pl.col(name).cast(pl.String) for name in order)
    columns: dict[str, Any] = {name: _coded(shown[name].cast(pl.String).fill_null("")) for name in KEYS}
    columns["endpoint"] = _named(columns["endpoint"], lambda name: view.short.get(name, name))
    columns["culture_name"] = _named(columns["culture"], culture_name)
    columns["language_name"] = _named(columns["language"], language_name)
    columns["details"] = _coded(pl.Series(_details(data, shown), dtype=pl.String))
    columns.update({name: _coded(_written_out(shown[name].cast(pl.String))) for name in ITEM_TEXTS})
    texts = (columns[name]["values"] for name in (*ITEM_TEXTS, "details"))
    packed = gzip.compress(orjson.dumps(columns), compresslevel=6, mtime=0)
    return base64.b64encode(packed).decode(), _letters(chain.from_iterable(texts))


def _letters(texts: Iterable[str | None]) -> str:
    """The distinct characters of these texts, the most frequent first."""
    rest, counts = filter(None, texts), np.zeros(sys.maxunicode + 1, dtype=np.int64)
    while some := "".join(islice(rest, LETTERS_OF)):
        codes = np.bincount(np.frombuffer(some.encode("utf-32-le", "replace"), dtype="<u4"))
        counts[: codes.size] += codes
    return "".join(map(chr, sorted(np.flatnonzero(counts), key=lambda code: (-counts[code], code))))


def _group(outcome: pl.Expr) -> pl.Expr:
    """A number for each group that takes turns, in half the memory of a hash; two of ten thousand groups may
    share one."""
    return (
        (pl.struct(*SPREAD[:-1], outcome.alias("outcome")).hash() % 0xFFFFFFFB).cast(pl.UInt32).alias("group")
    )


def _size() -> pl.Expr:
    """Number of characters of reply and answer that the page shows."""
    lengths = [
        pl.col(name).cast(pl.String).str.len_chars().fill_null(0).clip(upper_bound=MAX_CHARACTERS)
        for name in OWN_TEXTS
    ]
    return pl.sum_horizontal(lengths).cast(pl.UInt16).alias("size")


def _bounded(deciding: pl.DataFrame, max_rows: int) -> pl.Series:
    """Numbers of the rows to show, in order: all, or as many as fit, with groups taking turns.

    deciding: ``row``, ``group`` (of SPREAD) and ``size``; there may be millions of rows.
    """
    if deciding.height > max_rows or int(deciding["size"].sum()) > MAX_TOTAL_CHARACTERS:
        shuffled = deciding.sample(fraction=1.0, shuffle=True, seed=SEED)
        turns = shuffled.select("row", "size", turn=pl.int_range(pl.len(), dtype=pl.UInt32).over("group"))
        last = turns["turn"].sort()[min(max_rows, turns.height) - 1]
        turns = turns.filter(pl.col("turn") <= last).sort("turn", maintain_order=True).head(max_rows)
        return turns.filter(pl.col("size").cum_sum() <= MAX_TOTAL_CHARACTERS)["row"].sort()
    return deciding["row"]


def _written_out(texts: pl.Series) -> pl.Series:
    """Shortened and sanitized texts; each distinct one is processed once."""
    distinct = texts.drop_nulls().unique()
    shown = [sanitize(shorten(text, MAX_CHARACTERS)) for text in distinct]
    return texts.replace_strict(
        distinct, pl.Series(shown, dtype=pl.String), default=None, return_dtype=pl.String
    )


def of_reply(metrics: Sequence[Metric]) -> Metric:
    """The metric that says of a single reply whether it is right: the headline, or the first of the others
    where that is of whole questions of several replies."""
    return next((metric for metric in metrics if metric.per == "item"), metrics[0])


def outcome_of(data: ReportData, columns: list[str]) -> pl.Expr:
    """``right``, ``partly`` or ``wrong`` by what each reply was judged; ``not counted``; empty if no metric
    applies, and for questions of opinion."""
    value = pl.lit(None, pl.Float64)
    for task, metrics in data.metrics.items():
        if not metrics or metrics[0].kind == "distribution":
            continue  # no reply is right or wrong
        if (metric := of_reply(metrics)).name in columns:
            of_task = pl.col(metric.name).cast(pl.Float64)
            if metric.lower_is_better:
                of_task = 1 - of_task
            value = pl.when(pl.col("task") == task).then(of_task).otherwise(value)
    return (
        pl.when(~pl.col("counted")).then(pl.lit("not counted")).when(value >= 1).then(pl.lit("right"))
        .when(value > 0).then(pl.lit("partly")).when(value <= 0).then(pl.lit("wrong")).otherwise(pl.lit(""))
    )  # fmt: skip


def _details(data: ReportData, shown: pl.DataFrame) -> list[str]:
    """Facets and metrics of each row in one line: ``topic Food · SEM-B 1``."""
    metrics = {metric.name: metric.label for task in data.metrics.values() for metric in task}
    hidden = {*JUDGEMENTS, *JUDGED_ITEMS, *KEYS}
    schema = plain(shown.clear()).schema
    facets = [
        name
        for name in shown.columns
        if name not in hidden and name not in metrics and schema[name] == pl.String
    ]
    measured = [name for name in metrics if name in shown.columns]
    lines: dict[tuple[Any, ...], str] = {}

    def line_of(row: tuple[Any, ...]) -> str:
        words, values = row[: len(facets)], row[len(facets) :]
        parts = [
            f"{name.replace('_', ' ')} {sanitize(word)}"
            for name, word in zip(facets, words, strict=True)
            if word is not None
        ]
        pairs = zip(measured, values, strict=True)
        parts += [f"{metrics[name]} {_measure(value)}" for name, value in pairs if value is not None]
        return " · ".join(parts)

    details = []
    for row in plain(shown.select(*facets, *measured)).iter_rows():
        if row not in lines:
            lines[row] = line_of(row)
        details.append(lines[row])
    return details


def _measure(value: Any) -> str:
    if not isinstance(value, (int, float)) or value != value:
        return NOT_A_NUMBER
    return number(float(value), 0 if float(value).is_integer() else 2)


def _coded(values: pl.Series) -> dict[str, Any]:
    """A column as distinct values and codes, which is far smaller for names and states and faster to
    search."""
    distinct = values.unique(maintain_order=True)
    if distinct.len() == values.len():
        return {"values": values.to_list()}
    positions = pl.Series(range(distinct.len()), dtype=pl.Int32)
    present = distinct.drop_nulls()
    codes = values.replace_strict(
        present, positions.filter(distinct.is_not_null()), default=None, return_dtype=pl.Int32
    )
    absent = distinct.is_null().arg_max() if distinct.null_count() else 0
    return {"values": distinct.to_list(), "codes": codes.fill_null(absent).to_list()}


def _named(column: Mapping[str, Any], name: Any) -> dict[str, Any]:
    return {**column, "values": [sanitize(name(value)) for value in column["values"]]}
