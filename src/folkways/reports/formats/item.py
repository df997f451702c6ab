"""One item for ``folkways show``: prompts, gold answers, replies and judgements.

All of it is untrusted text: control characters are escaped, and nothing is markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from folkways.cultures import language_name
from folkways.display import json_for_terminal, number, sanitize, single_line
from folkways.names import culture_name
from folkways.records import ITEMS, JUDGEMENTS, RESPONSES, Metric

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
