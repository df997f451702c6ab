"""Figure 2: how many lemmas the English answers of two cultures share (section 3)."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, mean_over_questions
from folkways.benchmarks.tables import Table, in_order
from folkways.records import Schema, require_columns
from folkways.text.tools import TextTool

OVERLAP: Schema = {
    "first": pl.String,
    "second": pl.String,
    "shared": pl.Int64,  # lemmas that both cultures' answers have, summed over questions
    "low": pl.Float64,  # of that sum, were other questions asked
    "high": pl.Float64,
    "questions": pl.Int64,  # that both cultures have
}

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def overlap_table(annotations: pl.DataFrame, tool: TextTool) -> Table:
    """Every pair of cultures with OVERLAP, most shared lemmas first.

    annotations: ``data.ANNOTATIONS``; all English variants of all groups count, and stop words stay. tool:
    what lemmatises English; each word is given to it by itself, in lower case.
    """
    require_columns(annotations, ("culture", "id", "groups"), "annotations")
    lemmas = _lemmas_by_question(annotations, tool)
    known = annotations["culture"].unique()
    cultures = known.to_frame().sort(in_order("culture", CULTURES), "culture")["culture"].to_list()
    rows = []
    for first, second in combinations(cultures, 2):
        common = lemmas[first].keys() & lemmas[second].keys()
        shared = np.array(
            [len(lemmas[first][key] & lemmas[second][key]) for key in sorted(common)], dtype=np.float64
        )
        _, interval = mean_over_questions(shared)
        n = shared.size
        rows.append((first, second, int(shared.sum()), max(0.0, interval.low * n), interval.high * n, n))
    return Table(
        "overlap",
        f"Figure 2: lemmas that the English answers of two cultures share ({tool.name} {tool.version})",
        "The unit is the question: each number is a sum over the questions both cultures have, and its "
        "interval is over these.",
        pl.DataFrame(rows, schema=dict(OVERLAP), orient="row").sort(
            "shared", descending=True, maintain_order=True
        ),
    )


def _lemmas_by_question(annotations: pl.DataFrame, tool: TextTool) -> dict[str, dict[str, frozenset[str]]]:
    """Culture -> question -> lemmas; each distinct word is lemmatised once."""
    of_word: dict[str, frozenset[str]] = {}
    lemmas: dict[str, dict[str, frozenset[str]]] = {}
    for culture, key, groups in annotations.select("culture", "id", "groups").iter_rows():
        words = {
            word
            for group in groups
            for answer in group["en_answers"]
            for word in _WORD.findall(answer.lower())
        }
        for word in words - of_word.keys():
            of_word[word] = frozenset(token.lower() for token in tool.tokens(word))
        lemmas.setdefault(culture, {})[key] = frozenset().union(*(of_word[word] for word in words))
    return lemmas
