"""One item for ``folkways show``: prompts, gold answers, replies and judgements.

All of it is untrusted text: control characters are escaped, and nothing is markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from folkways.cultures import language_name
from folkways.display import json_for_terminal, number, sanitize, single_line
from folkways.names import culture_name, short_endpoints
from folkways.records import ITEMS, JUDGEMENTS, RESPONSES, Metric, State

EMPTY_RESPONSES = pl.DataFrame(schema={"endpoint": pl.String, **RESPONSES})
EMPTY_JUDGEMENTS = pl.DataFrame(schema={"endpoint": pl.String, "profile": pl.String, **JUDGEMENTS})

ASKED = ("language", "variant", "sample")


def render_item(
    item: Mapping[str, Any],
    prompts: pl.DataFrame,
    responses: pl.DataFrame = EMPTY_RESPONSES,
    judgements: pl.DataFrame = EMPTY_JUDGEMENTS,
    metrics: tuple[Metric, ...] = (),
) -> RenderableType:
    """One item for the terminal.

    item: one row of an items frame (records.ITEMS and its facets).
    prompts: its rows of records.PROMPTS.
    responses: its rows of records.RESPONSES with ``endpoint``, and ``thoughts`` where they are known.
    judgements: its rows of records.JUDGEMENTS with ``endpoint`` and ``profile``, one column per metric.
    metrics: of the task, for their labels.
    """
    facts = _grid()
    for name in ("task", "item", "question"):
        _row(facts, name, item.get(name))
    _row(
        facts,
        "culture",
        f"{culture_name(item['culture'])} ({item['culture']})" if item.get("culture") else None,
    )
    for name, value in item.items():
        if name not in ITEMS and isinstance(value, (str, int, float, bool)):
            _row(facts, name.replace("_", " "), value)
    parts: list[RenderableType] = [facts, Text(), _block("Question", item.get("text"))]
    parts.append(_block("Accepted answers", item.get("gold")))
    for prompt in prompts.iter_rows(named=True):
        heading = (
            f"{language_name(prompt['language'])} · {prompt['variant']} · wording from "
            f"{prompt['prompt_source']}"
        )
        parts += [Rule(Text(single_line(heading)), align="left", style="dim")]
        if prompt.get("system"):
            parts.append(_block("System", prompt["system"]))
        parts.append(_block("Prompt", prompt["user"]))
        parts += [_reply(row, judgements, metrics) for row in _asked(responses, prompt).iter_rows(named=True)]
    return Group(*parts)


def _asked(frame: pl.DataFrame, prompt: Mapping[str, Any]) -> pl.DataFrame:
    same = (pl.col("language") == prompt["language"]) & (pl.col("variant") == prompt["variant"])
    return frame.filter(same).sort("endpoint", "sample")


def _reply(
    response: Mapping[str, Any], judgements: pl.DataFrame, metrics: tuple[Metric, ...]
) -> RenderableType:
    sample = f", sample {response['sample']}" if response["sample"] else ""
    text = (
        response["response"]
        if response["response"] is not None
        else f"({response['state']}: {response['reason'] or 'no reason given'})"
    )
    parts: list[RenderableType] = []
    if response.get("thoughts"):
        parts.append(
            _block(f"{response['endpoint']}{sample}, thoughts (not judged)", response["thoughts"], "dim")
        )
    parts.append(_block(f"{response['endpoint']}{sample}", text))
    same = pl.all_horizontal(pl.col(name) == response[name] for name in ("endpoint", *ASKED))
    for judged in judgements.filter(same).iter_rows(named=True):
        numbers = [
            f"{metric.label} {number(judged[metric.name], 2)}"
            for metric in metrics
            if judged.get(metric.name) is not None
        ]
        answer = (
            f"read as {single_line(judged['answer'])!r}"
            if judged["answer"] is not None
            else "nothing was read out"
        )
        counted = [] if judged["counted"] else ["not counted"]
        line = " · ".join(
            [
                judged["profile"],
                judged["state"],
                *counted,
                answer,
                *numbers,
                *filter(None, [judged["reason"]]),
            ]
        )
        parts.append(Padding(Text(single_line(line), "dim"), (0, 0, 0, 4)))
    return Padding(Group(*parts), (0, 0, 1, 2))


MOST_ITEMS = 3
"""Items of one question about one culture that are shown, where a benchmark has several."""


def render_question(
    title: str, items: pl.DataFrame, judgements: pl.DataFrame, metric: Metric
) -> RenderableType:
    """One question over all cultures for the terminal, by the culture's name.

    title: of the task.
    items: records.ITEMS of the question.
    judgements: of these items, records.JUDGEMENTS with ``endpoint``, ``response`` and the metric; without
        columns if nobody was asked.
    metric: that says which replies are right.
    """
    judged = {*judgements["item"]} if judgements.width else set()
    rows = sorted(
        items.iter_rows(named=True),
        key=lambda row: (culture_name(row["culture"]), row["item"] not in judged, row["item"]),
    )
    parts: list[RenderableType] = [Text(single_line(title), "bold"), Text()]
    texts = {row["text"] for row in rows}
    if len(texts) == 1:
        parts.append(_block("Question", texts.pop()))
    for culture, of_culture in groupby(rows, key=lambda row: row["culture"]):
        shown = [*of_culture]
        parts.append(
            Rule(Text(single_line(f"{culture_name(culture)} ({culture})")), align="left", style="dim")
        )
        for row in shown[:MOST_ITEMS]:
            if len({other["text"] for other in rows}) > 1:
                parts.append(Text(sanitize(row["text"] or "")))
            heading = "people answered  " if metric.kind == "distribution" else "counts as right  "
            parts.append(Text.assemble((heading, "dim"), sanitize(row["gold"] or "(nothing)")))
            parts += [Text(line) for line in _said(row["item"], judgements, metric)]
            parts.append(Text(single_line(row["item"]), "dim"))
        if len(shown) > MOST_ITEMS:
            parts.append(Text(f"and {len(shown) - MOST_ITEMS} more items", "dim"))
        parts.append(Text())
    return Group(*parts)


def _said(item: str, judgements: pl.DataFrame, metric: Metric) -> Iterator[str]:
    """A line for each endpoint and language: each different reply with how it was judged."""
    if not judgements.width:
        return
    of_item = judgements.filter(pl.col("item") == item).sort("endpoint", "language", "variant", "sample")
    names = short_endpoints(tuple(sorted(judgements["endpoint"].unique())))
    for (endpoint, language), replies in of_item.group_by("endpoint", "language", maintain_order=True):
        words = {
            f"{single_line(row['response'] or '')} ({_judged(row, metric)})".strip(): None
            for row in replies.iter_rows(named=True)
        }
        yield f"{names[str(endpoint)]}  {language_name(str(language))}: {'; '.join(words)}"


def _judged(row: Mapping[str, Any], metric: Metric) -> str:
    value = row[metric.name]
    if row["state"] != State.ANSWERED or value is None or metric.kind == "distribution":
        return str(row["state"]) if row["counted"] else "not counted"
    right = 1 - value if metric.lower_is_better else value
    return "right" if right >= 1 else "wrong" if right <= 0 else "partly right"


def question_as_json(tasks: Sequence[tuple[str, pl.DataFrame, pl.DataFrame]]) -> str:
    """One question as a JSON list with an object for each task, as safe as that of ``item_as_json``.

    tasks: name, items and judgements of each, as for ``render_question``.
    """
    return json_for_terminal(
        [
            {"task": task, "items": items.to_dicts(), "judgements": judgements.to_dicts()}
            for task, items, judgements in tasks
        ]
    )


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _row(grid: Table, name: str, value: Any) -> None:
    if value is not None:
        grid.add_row(Text(single_line(name)), Text(single_line(str(value))))


def _block(heading: str, text: Any, style: str = "") -> RenderableType:
    words = Text(sanitize(str(text)), style) if text is not None else Text("(none)", "dim")
    return Group(Text(single_line(heading), "bold"), Padding(words, (0, 0, 1, 2)))


def item_as_json(
    item: Mapping[str, Any],
    prompts: pl.DataFrame,
    responses: pl.DataFrame = EMPTY_RESPONSES,
    judgements: pl.DataFrame = EMPTY_JUDGEMENTS,
) -> str:
    """item, prompts, responses and judgements, as for ``render_item``, as one JSON object with exact text;
    control and direction characters are ``\\u`` escapes, so that it is safe to print in a terminal."""
    value = {"item": dict(item), **{name: frame.to_dicts() for name, frame in
             (("prompts", prompts), ("responses", responses), ("judgements", judgements))}}  # fmt: skip
    return json_for_terminal(value)
