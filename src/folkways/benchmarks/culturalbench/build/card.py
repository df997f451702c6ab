"""The data card of a benchmark that was built from votes, in the layout of the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.build.counting import Rule
from folkways.benchmarks.culturalbench.build.tables import EASY_COLUMNS, HARD_COLUMNS, votes_table
from folkways.benchmarks.culturalbench.data.reading import EASY, HARD
from folkways.benchmarks.culturalbench.people import judge_people_on_easy
from folkways.benchmarks.culturalbench.results.people import people_table
from folkways.benchmarks.culturalbench.results.questions import words_table
from folkways.benchmarks.culturalbench.votes import OPTIONS, Votes
from folkways.releases.cards import eval_yaml, hub_licence, size_category

TEMPLATE = "card.md.j2"


def card(
    votes: Votes, counted: pl.DataFrame, easy: pl.DataFrame, rule: Rule, record: Mapping[str, Any]
) -> str:
    """The README: YAML with licence and configurations, then what is here, how it was made, whom it was made
    by, and numbers.

    counted: counting.COUNTED; easy: tables.EASY_COLUMNS, whether or not it is written; record: the record of
    the build.
    """
    from jinja2 import Environment, StrictUndefined

    text = files("folkways.benchmarks.culturalbench.build").joinpath(TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(  # noqa: S701 - Markdown, not HTML
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    counts = easy.group_by("country").len().sort(-pl.col("len").cast(pl.Int64), "country")
    options = easy.select(
        question="prompt_question", options=pl.concat_list(f"prompt_{name}" for name in OPTIONS)
    )
    people = _people(votes, counted, rule)
    known = people["low"] is not None  # few people or questions have no interval
    return environment.from_string(text).render(
        meta=votes.meta,
        title=_title(votes),
        licence_id=hub_licence(votes.meta.licence),
        size=size_category(record["questions"]),
        configs=record["configs"],
        titles={"easy": EASY, "hard": HARD},
        columns={"easy": list(EASY_COLUMNS), "hard": list(HARD_COLUMNS)},
        record=record,
        rule=rule,
        people=people,
        interval=f"95 % interval {people['low']:.1f} to {people['high']:.1f}, by question"
        if known
        else "too few for an interval",
        countries=counts.rows(),
        words=words_table(options).rows.to_dicts(),
        number="{:,}".format,
    )


def _people(votes: Votes, counted: pl.DataFrame, rule: Rule) -> dict[str, Any]:
    """The human line over everything: a row of results.people.PEOPLE."""
    kept = counted.filter(pl.col("dropped").is_null()).join(
        votes.items, on="item", how="left", maintain_order="left"
    )
    items = kept.select("item", task=pl.lit("easy"), question="item", culture="country")
    return people_table(judge_people_on_easy(items, votes_table(votes, counted), rule)).rows.row(
        0, named=True
    )


def registration(votes: Votes, easy: pl.DataFrame) -> str:
    """The ``eval.yaml``: Easy as Inspect asks it. Hard is not in it, because Inspect scores each of its
    judgements by itself."""
    about = (
        f"{easy.height:,} questions about {easy['country'].n_unique()} countries or regions, each "
        "verified by people of them: "
        "a question, four options and the right letter."
    )
    task = {
        "id": "easy",
        "config": EASY,
        "split": "test",
        "field_spec": {
            "input": "prompt_question",
            "target": "answer",
            "choices": [f"prompt_{name}" for name in OPTIONS],
        },
        "solvers": [{"name": "multiple_choice"}],
        "scorers": [{"name": "choice"}],
    }
    return eval_yaml(_title(votes), about, task)


def _title(votes: Votes) -> str:
    return " ".join(votes.meta.title.split()) or "Questions on cultures, built from votes"
