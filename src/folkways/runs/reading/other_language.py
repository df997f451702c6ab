"""What a reader must know where a model answered in another language or script than it was asked in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from folkways.benchmarks.base import Task
from folkways.cultures import get_language
from folkways.display import percent, plural
from folkways.records import MANY_IN_OTHER_LANGUAGE, OTHER_LANGUAGE, Signature, is_baseline
from folkways.reports.formats.summary import MAX_NAMED, listing

_LOOKED_AT = ["score", "facet", "value", "signature"]


def other_language_warnings(
    scores: pl.DataFrame, signatures: Mapping[str, Signature], tasks: Mapping[str, Task]
) -> list[str]:
    """One sentence for each model and task with such replies in more than a tenth of those asked for in some
    language.

    scores: records.SCORES; where a model was asked in one language alone, ``signatures`` (each of theirs ->
    its parts) names it.
    """
    measured = scores.filter(
        pl.col("metric") == OTHER_LANGUAGE, pl.col("facet").is_in(["all", "language"]), pl.col("n") > 0
    )
    whole = measured.unique(["endpoint", "task", "facet", "value"], keep="first", maintain_order=True)
    sentences = []
    for (endpoint, task), rows in whole.drop_nulls("score").group_by("endpoint", "task", maintain_order=True):
        by_language = rows.filter(facet="language") if "language" in rows["facet"] else rows
        many = by_language.filter(pl.col("score") > 100 * MANY_IN_OTHER_LANGUAGE)
        if many.is_empty() or is_baseline(str(endpoint)):
            continue
        worst = many.sort("score", descending=True, maintain_order=True).select(_LOOKED_AT)
        named = [(percent(score / 100), _language(row, signatures)) for score, *row in worst.iter_rows()]
        (share, language), *others = named[:MAX_NAMED]
        shares = [f"{share} of the replies{f' asked for in {language}' if language else ''}"]
        shares += [f"{share} of those in {language}" for share, language in others]
        shares += [plural(len(named) - MAX_NAMED, "further language")] if len(named) > MAX_NAMED else []
        sentences.append(
            f"{endpoint}, {tasks[str(task)].title}: {listing(shares)} are in another language or script "
            "than asked. "
            "These scores say what the model knows in the language that it chose."
        )
    return sentences


def _language(row: Sequence[str], signatures: Mapping[str, Signature]) -> str:
    facet, value, signature = row
    code = value if facet == "language" else signatures.get(signature, Signature()).parts.get("lang", "")
    return get_language(code).name if code and "+" not in code else ""
