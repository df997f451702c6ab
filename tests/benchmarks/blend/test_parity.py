"""Agreement with the authors' programs, where the reference results are at hand.

The authors' verdicts come from a tool per language; ours from the default tools, of which only the Chinese
one is theirs. So the rule that needs no tool (skipping, cleaning, substrings, order of groups) must agree
exactly, and the verdicts at least as often as measured when this was written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.blend.data.files import cultures_by_name
from folkways.benchmarks.blend.letter_replies import read_as_paper, read_strictly
from folkways.benchmarks.free_answers.matching import PaperMatcher, clean_as_paper
from folkways.benchmarks.registry import get_task
from folkways.cultures import get_language
from tests.support.blend_data import release_at

pytestmark = pytest.mark.shared

AGREEMENT = {
    "Algeria_Arabic": 0.985,
    "Azerbaijan_Azerbaijani": 0.966,
    "China_Chinese": 0.995,
    "Northern_Nigeria_Hausa": 0.977,
    "South_Korea_Korean": 0.991,
    "US_English": 0.971,
}
"""Share of equal verdicts among the valid questions with a reply, measured with the default tools."""

WITHOUT_ENGLISH = {
    "Algeria_Arabic": 0.987,
    "Azerbaijan_Azerbaijani": 0.970,
    "China_Chinese": 1.0,
    "Northern_Nigeria_Hausa": 0.983,
    "South_Korea_Korean": 0.997,
    "US_English": 1.0,
}
"""The same where the English lemmatiser does not matter: the reference has a lookup table in place of the
authors' model."""

TASK = get_task("blend/saq")


@pytest.fixture(scope="module")
def items(shared: Path) -> pl.DataFrame:
    return TASK.items(release_at(shared / "data" / "blend" / "24e7d73"))


Compared = Callable[[str], pl.DataFrame]


@pytest.fixture(scope="module")
def compared(shared: Path, items: pl.DataFrame) -> Compared:
    """Both judgements of a file by its name; each file is judged once."""
    return cache(lambda name: judged_by_both(shared, items, name))


def judged_by_both(shared: Path, items: pl.DataFrame, name: str) -> pl.DataFrame:
    """Our judgement beside the authors' for each question that has a reply; of two replies the last, as the
    authors read it."""
    country, language = name.rsplit("_", 1)
    official = pl.read_csv(
        shared / "parity" / "blend_saq" / f"{name}.csv", infer_schema=False, empty_string_is_null=False
    )
    official = official.unique("ID", keep="last", maintain_order=True)
    told = TASK.from_authors(official)
    assert told is not None
    responses = told.with_columns(
        task=pl.lit(TASK.name),
        item=pl.lit(cultures_by_name()[country].code + "/") + pl.col("release_id"),
        language=pl.lit(get_language(language).code),
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        reason=pl.lit(None, dtype=pl.String),
    )
    judged = TASK.judge(items, responses, "paper")
    return pl.concat(
        [judged, official.select(pl.col("^official_.*$"), "response", "prompt", "en_lemmatizer_sensitive")],
        how="horizontal",
    )


@pytest.mark.parametrize("name", AGREEMENT)
def test_verdicts(compared: Compared, name: str) -> None:
    both = compared(name)
    assert (both["counted"] == (both["official_valid"] == "1")).all()
    valid = both.filter("counted")
    agreement = (valid["sem_b"] == valid["official_binary"].cast(pl.Float64)).mean()
    assert agreement is not None
    assert agreement >= AGREEMENT[name]
    if name in WITHOUT_ENGLISH:
        sound = valid.filter(pl.col("en_lemmatizer_sensitive") == "0")
        assert (sound["sem_b"] == sound["official_binary"].cast(pl.Float64)).sum() >= WITHOUT_ENGLISH[
            name
        ] * sound.height
    by_substring = valid.filter(pl.col("official_stage").str.starts_with("substring"))
    assert (by_substring["sem_b"] == 1.0).all()


@pytest.mark.parametrize("name", AGREEMENT)
def test_the_default_tools_neither_gain_nor_lose_much(compared: Compared, name: str) -> None:
    """SEM-B is within 0.7 points of the authors', where English, for which the reference has a stand-in,
    decides nothing."""
    sound = compared(name).filter("counted", pl.col("en_lemmatizer_sensitive") == "0")
    signed = 100 * (sound["sem_b"].sum() - sound["official_binary"].cast(pl.Float64).sum()) / sound.height
    assert abs(signed) <= 0.7


@pytest.mark.parametrize("name", ["China_Chinese", "US_English"])
def test_scores_where_the_tool_is_theirs_or_does_not_matter(
    shared: Path, items: pl.DataFrame, compared: Compared, name: str
) -> None:
    """SEM-B and SEM-W as sums over the questions on which the English lemmatiser decides nothing; no reply is
    a wrong one."""
    overall = json.loads((shared / "parity" / "blend_saq" / "overall.json").read_text(encoding="utf-8"))[
        "files"
    ][name]
    both = compared(name).filter("counted", pl.col("en_lemmatizer_sensitive") == "0")
    expected = overall["insensitive"]
    without_row = [key for key in overall["ids_without_row"] if key not in both["question"].to_list()]
    counted = items.filter(pl.col("culture") == both["culture"].item(0), pl.col("skip_reason").is_null())[
        "question"
    ]
    assert both.height + sum(key in counted.to_list() for key in without_row) == expected["n"]
    assert both["sem_b"].sum() == expected["n_correct"]
    assert both["sem_w"].sum() == pytest.approx(expected["sum_weight"], abs=1e-9)


@pytest.mark.parametrize("name", AGREEMENT)
def test_the_substring_stage_is_the_authors(items: pl.DataFrame, compared: Compared, name: str) -> None:
    groups = dict(items.select("item", "groups").iter_rows())
    matcher = PaperMatcher()
    for row in compared(name).filter("counted").iter_rows(named=True):
        reply = clean_as_paper(row["response"], row["prompt"])
        if row["official_stage"].startswith("substring"):
            assert matcher.compare(row["official_matched_answer"], reply, row["language"]) == "substring"
        elif row["official_stage"] == "none" and row["state"] != "unreadable":
            keys = ("en_answers",) if row["language"] == "en" else ("answers", "en_answers")
            answers = [answer for group in groups[row["item"]] for key in keys for answer in group[key]]
            assert "substring" not in {matcher.compare(answer, reply, row["language"]) for answer in answers}


@pytest.mark.parametrize("name", AGREEMENT)
def test_weights_where_the_same_answer_matched(compared: Compared, name: str) -> None:
    both = compared(name).filter("counted", pl.col("sem_b") == 1.0)
    matched = both.filter(pl.col("reason").str.replace(r"^\w+: ", "") == pl.col("official_matched_answer"))
    assert matched.height > 0.9 * both.height * AGREEMENT[name]
    assert (matched["sem_w"] == matched["official_weight"].cast(pl.Float64)).all()


def test_letters_are_read_exactly_as_the_authors_do(shared: Path) -> None:
    vectors = [
        json.loads(line)
        for line in (shared / "parity" / "blend_mcq" / "parse_vectors.jsonl").open(encoding="utf-8")
    ]
    assert len(vectors) == 85
    for vector in vectors:
        assert (
            read_as_paper(vector["response"], vector["prompt"], vector["choices"]) == vector["final_ans"]
        ), vector


def test_what_the_strict_profile_reads_is_a_letter_or_nothing(shared: Path) -> None:
    for line in (shared / "parity" / "blend_mcq" / "parse_vectors.jsonl").open(encoding="utf-8"):
        vector = json.loads(line)
        assert read_strictly(vector["response"], vector["choices"]) in {None, *vector["choices"]}
