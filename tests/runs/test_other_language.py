"""A model that answers in another language than it was asked in: told before the numbers, and in none of the
pairs of languages."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from folkways.api import Run, run
from folkways.benchmarks.blend.results.score_tables import language_table
from folkways.benchmarks.registry import get_task
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.records import SCORES, Signature
from folkways.reports.formats.summary import notices
from folkways.reports.views.views import ReportView
from folkways.runs.results.compare import compare
from folkways.runs.results.notes import other_language_warnings
from tests.support.blend_data import write_release

KOREAN = "보리차"


def plain(text: str) -> str:
    """With ordinary spaces before the sign of per cent."""
    return text.replace("\u202f", " ")


def in_the_language_asked(request: Any) -> str:
    return KOREAN if request.language == "ko" else "barley tea"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two models asked in Korean, Spanish and English: one answers everything in English."""
    folder = tmp_path_factory.mktemp("languages")
    models = [
        BaselineEndpoint("lab/english", "english", lambda _: "barley tea"),
        BaselineEndpoint("lab/asked", "asked", in_the_language_asked),
    ]
    release = str(write_release(folder / "made"))
    return run(
        "blend/saq", models=models, workspace=str(folder / "w.db"), name="two", releases={"blend": release}
    )


def test_it_is_told_before_the_numbers_of_that_model_alone(asked: Run) -> None:
    said = notices(ReportView(asked.report_data()))
    told = [plain(sentence) for sentence in said if "another language" in sentence]
    assert told == [
        "lab/english, BLEnD short answers: 100 % of the replies asked for in Korean are in another "
        "language or script than asked. "
        "These scores say what the model knows in the language that it chose."
    ]


def test_compare_says_it_beside_the_verdict(asked: Run) -> None:
    (found,) = compare("lab/english", "lab/asked", workspace=asked.workspace)
    told = [plain(note) for note in found.notes if "another language" in note]
    assert len(told) == 1
    assert told[0].startswith("lab/english, BLEnD short answers: 100 %")


def test_no_difference_of_languages_is_drawn_where_the_other_one_was_spoken(asked: Run) -> None:
    judged = asked.judgements().filter(pl.col("counted"))
    table = language_table(judged)
    assert set(table.rows.select("endpoint", "culture").rows()) == {
        ("lab/asked", "KR"),
        ("lab/asked", "ES"),
        ("lab/english", "ES"),
    }
    (note,) = [note for note in table.notes if "left out" in note]
    assert note == (
        "lab/english is left out for South Korea: 100 % of its replies are in another language "
        "or script than asked."
    )
    assert language_table(judged.drop("other_language")).rows.height == 4, (
        "judgements that do not tell are taken as they are"
    )


def scores(*rows: tuple[str, str, float], lang: str = "") -> tuple[pl.DataFrame, dict[str, Signature]]:
    """Scores of Other language by facet and value, and their signature."""
    values = [
        {
            "endpoint": "m",
            "task": "blend/saq",
            "profile": "paper",
            "metric": "other_language",
            "facet": facet,
            "value": value,
        }
        | {"score": share, "n": 100, "signature": "s"}
        for facet, value, share in rows
    ]
    return pl.DataFrame(values, schema=dict(SCORES)), {"s": Signature({"lang": lang} if lang else {})}


def told(frame: pl.DataFrame, signatures: dict[str, Signature]) -> list[str]:
    return [
        plain(text)
        for text in other_language_warnings(frame, signatures, {"blend/saq": get_task("blend/saq")})
    ]


@pytest.mark.parametrize(("share", "is_told"), [(10.0, False), (10.1, True), (0.0, False), (100.0, True)])
def test_from_a_tenth_on_in_any_language(share: float, is_told: bool) -> None:
    assert (
        bool(told(*scores(("all", "all", 3.0), ("language", "ko", share), ("language", "en", 0.0))))
        is is_told
    )
    assert bool(told(*scores(("all", "all", share), lang="ko"))) is is_told


def test_languages_are_named_worst_first_and_the_rest_are_counted() -> None:
    rows = [("language", code, 20.0 + at) for at, code in enumerate(("ko", "ar", "fa", "am"))]
    (sentence,) = told(*scores(("all", "all", 15.0), *rows))
    assert (
        "23.0 % of the replies asked for in Amharic, 22.0 % of those in Persian, 21.0 % of those in "
        "Arabic and 1 further" in sentence
    )
    (sentence,) = told(*scores(("all", "all", 15.0), lang="ko"))
    assert "15.0 % of the replies asked for in Korean are in another" in sentence
    (sentence,) = told(*scores(("all", "all", 15.0), lang="ko+en"))
    assert "15.0 % of the replies are in another" in sentence
