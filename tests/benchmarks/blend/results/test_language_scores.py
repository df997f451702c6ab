"""Scores in both languages: by hand from judgements, and from the paper's tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats as reference

from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.language_scores import (
    IN_ENGLISH,
    OWN,
    language_score_tables,
    language_scores,
    published_language_scores,
)


def judgements() -> pl.DataFrame:
    """A model right on 3 of 4 questions in Korean, 1 of 4 in English, and half of two prompts in the US; one question
    of the US does not count."""
    rows = [("KR", "ko", f"q{number}", "plain", True, float(number > 0)) for number in range(4)]
    rows += [("KR", "en", f"q{number}", "plain", True, float(number == 0)) for number in range(4)]
    rows += [("US", "en", "q0", variant, True, right) for variant, right in (("plain", 1.0), ("other", 0.0))]
    rows += [("US", "en", "q1", "plain", False, 1.0)]
    names = ["culture", "language", "question", "variant", "counted", "sem_b"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return frame.with_columns(task=pl.lit("blend/saq"), endpoint=pl.lit("m"))


def test_a_question_counts_once_and_english_alone_is_the_language_of_the_culture_too() -> None:
    scores = language_scores(judgements())
    found = {
        (row["culture"], row["asked_in"]): (row["score"], row["n"]) for row in scores.iter_rows(named=True)
    }
    assert found == {
        ("US", OWN): (50.0, 1), ("US", IN_ENGLISH): (50.0, 1), ("KR", OWN): (75.0, 4), ("KR", IN_ENGLISH): (25.0, 4),
    }  # fmt: skip
    assert scores.filter((pl.col("low") < 0) | (pl.col("high") > 100)).is_empty()
    # 3 of 4 and 1 of 4 mirror each other, and a half mirrors itself.
    own, english = (
        {row["culture"]: row for row in scores.filter(asked_in=way).to_dicts()} for way in (OWN, IN_ENGLISH)
    )
    for culture in ("KR", "US"):
        for one, other in ((own, english), (english, own)):
            assert one[culture]["low"] + other[culture]["high"] == pytest.approx(100)
            assert one[culture]["low"] < one[culture]["score"] < one[culture]["high"]
    assert [table.name for table in language_score_tables(scores)] == ["language-scores"], (
        "no mean of one model"
    )


def test_the_papers_scores_are_all_there_and_their_means_have_students_interval() -> None:
    scores = published_language_scores()
    assert scores.height == 17 * 16 * 2, "17 models, 16 cultures, in two languages"
    assert scores.filter(pl.col("asked_in") == OWN).height == PUBLISHED.figures("Table 10").height
    _, means = language_score_tables(scores)
    row = means.rows.row(by_predicate=(pl.col("culture") == "KR") & (pl.col("asked_in") == OWN), named=True)
    korean = PUBLISHED.figures("Table 10").filter(value="KR")["score"].to_numpy()
    low, high = reference.t.interval(0.95, korean.size - 1, korean.mean(), reference.sem(korean))
    assert (row["score"], row["low"], row["high"]) == pytest.approx((float(np.mean(korean)), low, high))
    assert row["models"] == korean.size
