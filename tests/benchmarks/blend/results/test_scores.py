"""Languages, topics and formats: from judgements made up with a known answer, and from the paper's scores."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats as reference

import folkways
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.score_tables import (
    MCQ,
    WHOSE_CULTURE,
    category_means,
    category_pairs_table,
    category_table,
    culture_scores,
    format_table,
    language_table,
    published_language_table,
    published_scores,
    question_means,
)
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.errors import DataError
from folkways.records import JUDGEMENTS
from folkways.stats.hypotheses.anova import one_way
from folkways.workspace.database import open_workspace
from tests.support.blend_data import write_release

TOPICS = ("Food", "Sport", "Family")


def judgements(
    seed: int = 0,
    *,
    endpoints: tuple[str, ...] = ("m1", "m2"),
    cultures: tuple[str, ...] = ("KR", "ES", "GR", "US"),
    questions: int = 60,
) -> pl.DataFrame:
    """Korea gains 30 points by its own language, Food is 20 points harder, one question in ten does not
    count."""
    rng = np.random.default_rng(seed)
    rows = []
    for endpoint in endpoints:
        for culture in cultures:
            level = 0.6 + 0.15 * rng.standard_normal()
            for number in range(questions):
                topic = TOPICS[number % 3]
                for language in ("en",) if culture == "US" else ("xx", "en"):
                    for variant in ("inst-4", "pers-3"):
                        chance = (
                            level
                            + (0.3 if (culture, language) == ("KR", "xx") else 0.0)
                            - (0.2 if topic == "Food" else 0.0)
                        )
                        right = float(rng.random() < chance)
                        rows.append(
                            (
                                endpoint,
                                "blend/saq",
                                culture,
                                f"q{number}",
                                language,
                                variant,
                                topic,
                                number % 10 > 0,
                                right,
                            )
                        )
    names = ["endpoint", "task", "culture", "question", "language", "variant", "topic", "counted", "sem_b"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_languages_are_compared_by_question() -> None:
    data = judgements()
    rows = language_table(data).rows
    assert set(rows["culture"]) == {"KR", "ES", "GR"}, "the US is asked in English alone"
    assert set(rows["n"]) == {54}, "questions that do not count are left out"
    one = data.filter(pl.col("counted"), pl.col("endpoint") == "m1", pl.col("culture") == "KR")
    own, english = (
        one.filter(pl.col("language") == code)
        .group_by("question")
        .agg(sem_b=100 * pl.col("sem_b").mean())
        .sort("question")["sem_b"]
        for code in ("xx", "en")
    )
    expected = reference.ttest_rel(own, english)
    found = rows.filter(pl.col("endpoint") == "m1", pl.col("culture") == "KR").row(0, named=True)
    assert found["difference"] == pytest.approx(own.mean() - english.mean())
    assert found["p"] == pytest.approx(expected.pvalue)
    assert found["p_holm"] == pytest.approx(min(1.0, 3 * expected.pvalue)), (
        "three cultures were looked at, and this p is the least"
    )
    assert found["low"] > 0


def test_no_difference_of_languages_lies_beyond_all_scores() -> None:
    """Student's interval of few questions would: nearly all right in one language, nearly all wrong in the
    other."""
    rows = [
        ("m", "blend/saq", "KR", f"q{number}", language, "plain", "Food", True, float((number < 2) == is_english))
        for number in range(10)
        for language, is_english in (("ko", False), ("en", True))
    ]  # fmt: skip
    for data in (
        pl.DataFrame(rows, schema=judgements().schema, orient="row"),
        pl.DataFrame(rows, schema=judgements().schema, orient="row").with_columns(1 - pl.col("sem_b")),
    ):
        (row,) = language_table(data).rows.iter_rows(named=True)
        assert -100 <= row["low"] < row["difference"] < row["high"] <= 100
        assert max(abs(row["low"]), row["high"]) == 100


def test_the_order_of_rows_does_not_matter() -> None:
    data = judgements()
    shuffled = data.sample(fraction=1, shuffle=True, seed=3)
    for made in (lambda frame: language_table(frame).rows, lambda frame: category_table(*topics(frame)).rows):
        one, other = made(data), made(shuffled)
        assert one.drop(pl.selectors.float()).equals(other.drop(pl.selectors.float()))
        for name in one.select(pl.selectors.float()).columns:
            assert other[name].to_list() == pytest.approx(one[name].to_list(), nan_ok=True)


def test_languages_from_the_papers_scores() -> None:
    rows = published_language_table().rows
    assert rows.height == 14
    assert set(rows["n"]) == {17}
    gains = dict(rows.select("culture", "difference").iter_rows())
    assert {culture for culture, gain in gains.items() if gain > 0} == {
        "ES",
        "MX",
        "ID",
        "CN",
        "KR",
        "DZ",
        "KP",
    }
    assert gains["ET"] == pytest.approx(-27.52, abs=0.005)


def test_topics_are_means_of_counted_judgements() -> None:
    data = judgements()
    means = category_means(data)
    assert means.height == 2 * 4 * 3
    one = means.filter(pl.col("endpoint") == "m2", pl.col("culture") == "ES", pl.col("topic") == "Food").row(
        0, named=True
    )
    rows = data.filter(
        pl.col("endpoint") == "m2", pl.col("culture") == "ES", pl.col("topic") == "Food", pl.col("counted")
    )
    assert (one["n"], one["score"]) == (rows.height, pytest.approx(100 * rows["sem_b"].mean()))


def topics(data: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    return category_means(data), question_means(data)


def test_a_questions_mean_is_its_distance_from_each_models_mean_in_each_culture() -> None:
    data = judgements(questions=12).filter((pl.col("question") != "q5") | (pl.col("culture") == "KR"))
    found = question_means(data)
    expected: dict[tuple[str, str], list[float]] = {}
    for _, cell in data.filter("counted").group_by("endpoint", "culture"):
        scores = {
            (question, topic): part["sem_b"].mean()
            for (question, topic), part in cell.group_by("question", "topic")
        }
        for key, score in scores.items():
            expected.setdefault(key, []).append(100 * (score - np.mean(list(scores.values()))))
    assert found.height == 10, "q0 and q10 do not count"
    for question, topic, score in found.iter_rows():
        assert score == pytest.approx(np.mean(expected[question, topic]))


def test_the_tests_of_topics_and_their_units() -> None:
    means, questions = topics(judgements(1, questions=300))
    rows = category_table(means, questions).rows
    assert rows.select("design", "rows").rows() == [("by question", 270), ("as the paper", 24)]
    for at, frame in enumerate((questions, means)):
        expected = reference.f_oneway(*(part["score"].to_numpy() for part in frame.partition_by("topic")))
        assert (rows["f"][at], rows["p"][at]) == pytest.approx((expected.statistic, expected.pvalue))
    pairs = category_pairs_table(means, questions).rows
    assert pairs.height == 2 * 3
    different = (
        pairs.filter(pl.col("design") == "by question", pl.col("differ")).select("first", "second").rows()
    )
    assert different == [("Family", "Food"), ("Food", "Sport")]


def test_one_model_in_one_culture_has_the_test_by_question_alone() -> None:
    means, questions = topics(judgements(endpoints=("m1",), cultures=("KR",)))
    assert category_table(means, questions).rows["design"].to_list() == ["by question"]
    with pytest.raises(DataError, match="more rows than groups"):
        category_table(means[:2], questions[:2])


@pytest.mark.parametrize(
    ("models", "cultures", "alike"),
    [
        (1, 16, 0.14),
        *(
            pytest.param(*kind, marks=pytest.mark.nightly)
            for kind in ((4, 16, 0.14), (8, 16, 0.30), (8, 6, 0.14))
        ),
    ],
)
def test_topics_that_do_not_differ_are_hardly_ever_told_apart(
    models: int, cultures: int, alike: float
) -> None:
    """83 questions a topic, drawn from one population and shared by models and cultures; blocked tests reject
    up to 100 of 100."""
    rng, wrong, studies = np.random.default_rng(models * cultures), 0, 150
    names = [f"q{number:03}" for number in range(6 * 83)]
    topic = [f"t{number % 6}" for number in range(6 * 83)]
    for _ in range(studies):
        question = rng.standard_normal(6 * 83)
        here = rng.standard_normal((cultures, 6 * 83))
        noise = rng.standard_normal((models, cultures, 6 * 83))
        latent = np.sqrt(alike) * question + np.sqrt(0.3) * here + np.sqrt(0.7 - alike) * noise
        right = latent < rng.normal(0, 0.4, (models, cultures, 1))
        apart = right - right.mean(axis=2, keepdims=True)
        rows = pl.DataFrame({"question": names, "topic": topic, "score": 100 * apart.mean(axis=(0, 1))})
        wrong += one_way(rows, "score", "topic").p < 0.05
    assert wrong <= 16  # 5 % of 150 are 7.5, with 3.2 standard errors


def test_formats_from_the_papers_scores() -> None:
    """What the paper's own tables give: 0.925 and 0.870 over cultures, not the 0.93 and 0.98 of its text."""
    table = format_table(published_scores())
    averaged = table.rows.filter(pl.col("model").is_null())
    r = dict(averaged.select("saq", "r").iter_rows())
    assert r["both"] == pytest.approx(0.925, abs=0.0005)
    assert r["english"] == pytest.approx(0.870, abs=0.0005)
    assert set(averaged["models"]) == {16}, "Llama-3.1-70B has no multiple-choice scores"
    assert set(table.rows["cultures"]) == {16}
    assert ((table.rows["low"] < table.rows["r"]) & (table.rows["r"] < table.rows["high"])).all()
    of_gpt4 = PUBLISHED.figures("Table 10", "Table 12").filter(model="GPT-4").sort("place", "value")
    expected = reference.pearsonr(
        *(part["score"].to_numpy() for part in of_gpt4.partition_by("place", maintain_order=True))
    )
    found = table.rows.filter(pl.col("model") == "GPT-4", pl.col("saq") == "local")
    assert found["r"].item() == pytest.approx(expected.statistic)


def test_formats_from_judgements() -> None:
    saq = judgements(questions=30)
    mcq = (
        saq.filter(pl.col("language") == "en", pl.col("variant") == "inst-4")
        .rename({"sem_b": "correct"})
        .with_columns(task=pl.lit("blend/mcq"))
    )
    both = pl.concat([saq, mcq], how="diagonal")
    scores = culture_scores(both, "sem_b", "correct")
    in_percent = (
        100 * mcq.filter("counted").group_by("endpoint", "culture").agg(pl.col("correct").mean())["correct"]
    )
    assert sorted(scores.filter(measure="mcq")["value"]) == pytest.approx(sorted(in_percent))
    assert in_percent.len() == 8 and in_percent.max() > 1
    table = format_table(scores)
    assert set(table.rows["cultures"]) == {4}
    alone = format_table(culture_scores(saq, "sem_b", "correct"))
    assert set(alone.rows["cultures"]) == {0}
    assert alone.rows["r"].is_nan().all()


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DataError, match="lack the column sem_b"):
        language_table(judgements().drop("sem_b"))
    with pytest.raises(DataError, match="lack the columns topic, counted"):
        category_means(judgements().drop("topic", "counted"))
    with pytest.raises(DataError, match="judgements of blend/saq lack the column accuracy"):
        culture_scores(judgements(), "accuracy", "correct")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "score the run again"),
        ({"offered": ["KR"], "chosen_culture": None}, "takes an option whose culture is known"),
    ],
)
def test_where_no_reply_takes_an_option_judging_again_is_not_the_remedy(
    more: dict[str, object], told: str
) -> None:
    row = dict.fromkeys(JUDGEMENTS) | {
        "task": MCQ, "profile": "paper", "endpoint": "lab/a", "item": "KR/1", "question": "1", "culture": "KR",
        "language": "en", "variant": "plain", "sample": 0, "counted": True, "state": "unreadable", "accuracy": 0.0,
    }  # fmt: skip
    inputs = Inputs(judged=pl.DataFrame([row | more]), metrics={MCQ: get_task(MCQ).metrics})
    with pytest.raises(NotAvailableError, match=told):
        WHOSE_CULTURE[1].make(inputs)


def test_a_report_on_a_state_without_question_files_says_that_it_has_no_topics(tmp_path: Path) -> None:
    """As blend-raw is."""
    release = write_release(tmp_path / "raw")
    for folder in ("questions", "prompts"):
        shutil.rmtree(release / folder)

    def eats_rice(prompt: str) -> str:
        return "rice"

    workspace = open_workspace(tmp_path / "w.db")
    run = folkways.run("blend/saq", eats_rice, releases={"blend": str(release)}, workspace=workspace)
    data = run.report_data()
    assert data.without_results["categories"] == "needs topics, which these data do not have"
    assert data.scores.filter(metric="sem_b", facet="all").height
