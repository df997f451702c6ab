"""A run's scores beside published ones: side by side only where task, metric, language, data and profile
agree."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.registry import published_figures
from folkways.cli.published import side_by_side
from folkways.records import SCORES, Signature
from folkways.reports.views.reference import (
    PLACED,
    REFERENCE,
    placed,
    reference_points,
    remarks_of,
    tool_effects_of,
    warnings_of,
)
from folkways.text.tools import signed_effects

SIGNATURE = {
    "task": "blend/saq",
    "data": "blend@3e4dcbd#abc",
    "lang": "am+en",
    "variant": "inst-4+pers-3",
    "prompts": "release",
    "system": "task",
    "settings": "temperature=0.0",
    "samples": "1",
    "profile": "paper",
}

KNOWN: dict[str, Signature] = {}
"""The signatures of all scores that were made here."""


def scores(
    facet: str = "culture+language", value: str = "ET+am", score: float = 20.0, **changed: str
) -> pl.DataFrame:
    """One score, with a signature that differs in ``changed``."""
    signature = {**SIGNATURE, **changed}
    made = Signature(signature)
    KNOWN[made.text()] = made
    row = {
        "endpoint": "mine",
        "task": signature["task"],
        "profile": signature["profile"],
        "metric": "sem_b" if signature["task"] == "blend/saq" else "hi_csi",
        "facet": facet,
        "value": value,
        "score": score,
        "low": score - 4,
        "high": score + 4,
        "coverage": 1.0,
        "signature": made.text(),
    }
    return pl.DataFrame([row]).select(
        *(
            pl.col(name) if name in row else pl.lit(None, dtype=kind).alias(name)
            for name, kind in SCORES.items()
        )
    )


def points_of(frame: pl.DataFrame) -> pl.DataFrame:
    return reference_points(frame, KNOWN)


def test_the_same_thing_is_comparable_with_every_published_model() -> None:
    points = points_of(scores())
    assert points.schema == REFERENCE
    assert points.height == 17
    assert points["comparable"].all()
    assert set(points["differs"]) == {""}
    assert points.row(by_predicate=pl.col("model") == "GPT-4", named=True)["published"] == 25.85


@pytest.mark.parametrize(
    ("score", "place", "above", "below"),
    [(99.0, 1, None, "next_below"), (20.0, None, "next_above", "next_below"), (-1.0, 18, "next_above", None)],
)
def test_a_place_is_told_in_words_and_counts_the_run_itself(
    score: float, place: int | None, above: str | None, below: str | None
) -> None:
    points = points_of(scores(score=score))
    found = placed(points).row(0, named=True)
    (told,) = side_by_side(points, "text").rows.to_dicts()
    assert told == {
        "score of": "blend/saq sem_b, ET", "endpoint": "mine", "language": found["language"], "score": score,
        "interval": f"{score - 4} to {score + 4}", "place": f"{place or found['above'] + 1} of 18",
        "within": found["within"], "source": found["place"],
        "above": above and f"{found[above]} {found['next_above_score']:.1f}",
        "below": below and f"{found[below]} {found['next_below_score']:.1f}",
    }  # fmt: skip


def test_the_place_between_published_models() -> None:
    place = placed(points_of(scores())).row(0, named=True)
    figures = published_figures().filter(
        pl.col("place") == "Table 10", pl.col("value") == "ET", pl.col("language") == "am"
    )["score"]
    assert place["above"] == (figures > 20).sum() == 4
    assert place["within"] == figures.is_between(16, 24).sum()
    assert (place["next_above"], place["next_above_score"]) == ("Claude-3-Haiku", 21.82)
    assert (place["next_below"], place["next_below_score"]) == ("Gemini-1.0-Pro", 18.86)
    best = placed(points_of(scores(score=99.0))).row(0, named=True)
    assert (best["above"], best["next_above"]) == (0, None)
    assert placed(points_of(scores(profile="strict"))).schema == PLACED


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"data": "blend@24e7d73#abc"}, "data blend@24e7d73 here, blend@3e4dcbd there"),
        ({"profile": "strict"}, "profile strict here, paper there"),
    ],
)
def test_other_data_and_profiles_are_barred_and_said(changed: dict[str, str], words: str) -> None:
    points = points_of(scores(**changed))
    assert not points["comparable"].any()
    assert set(points["differs"]) == {words}
    assert placed(points).is_empty()
    (warning,) = warnings_of(points)
    assert "mine, blend/saq" in warning
    assert f"({words})" in warning


def test_a_score_of_several_languages_is_of_none() -> None:
    assert points_of(scores(facet="culture", value="ET")).is_empty()
    assert set(points_of(scores(facet="culture", value="ET", lang="am"))["language"]) == {"am"}


def test_default_text_tools_are_named_with_their_bias_its_sign_and_interval() -> None:
    own = {"text-simplemma": "2.0.0", "text-stems": "3"}
    points = pl.concat([points_of(scores(value=value, **own)) for value in ("KP+ko", "ID+id", "ET+am")])
    effects = signed_effects()
    assert dict(
        points.select(
            "language", pl.concat_list("tool_effect", "tool_effect_low", "tool_effect_high")
        ).iter_rows()
    ) == {
        **{code: [effects[code].points, effects[code].low, effects[code].high] for code in ("ko", "id")},
        "am": [None, None, None],
    }
    measured, unmeasured = tool_effects_of(points)
    for code, name in (("ko", "Korean"), ("id", "Indonesian")):
        assert (
            f"{effects[code].points:+.1f} in {name} ({effects[code].low:+.1f} to {effects[code].high:+.1f})".replace(
                "-", "−"
            )
            in measured
        )
    assert unmeasured.endswith("was not measured in Amharic.")


@pytest.mark.parametrize("tools", [{"text-spacy": "3.7.4", "text-konlpy": "0.6.0"}, {"text-simple": "1"}, {}])
def test_other_text_tools_have_no_known_effect(tools: dict[str, str]) -> None:
    points = points_of(scores(value="KP+ko", **tools))
    assert points["tool_effect"].null_count() == points.height > 0
    assert tool_effects_of(points) == ()


def test_what_makes_comparable_scores_less_alike_is_said_once() -> None:
    same = {"text-simple": "1"}
    assert remarks_of(points_of(scores(**same))) == ()
    points = points_of(
        pl.concat(
            [scores(value=value, variant="inst-4", limit="320", **same) for value in ("KR+ko", "ET+am")]
        )
    )
    assert points["comparable"].all()
    (sentence,) = remarks_of(points)
    assert "inst-4 here, inst-4+pers-3 there" in sentence
    assert "a part of the items here, all there" in sentence


def test_a_model_and_a_task_are_warned_of_once_whatever_else_differs_between_groups() -> None:
    parts = [
        scores(value=value, profile="strict").with_columns(coverage=pl.lit(share))
        for value, share in (("ET+am", 0.5), ("ET+en", 0.75), ("KR+ko", 1.0))
    ]
    points = points_of(pl.concat(parts))
    assert points["differs"].n_unique() == 3
    (warning,) = warnings_of(points)
    assert "mine, blend/saq" in warning
    assert "(profile strict here, paper there)" in warning


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"prompts": "folkways"}, "prompts folkways here, the authors' there"),
        ({"prompts": "file:mine#1a2b"}, "prompts file:mine#1a2b here, the authors' there"),
        (
            {"prompts": "paper-as-brought#1a2b", "variant": "paper"},
            "prompts as brought from the paper, unchecked, here, the authors' there",
        ),
        ({"prompts": "paper#1a2b", "variant": "paper"}, ""),
        ({"variant": "inst-4"}, "variants inst-4 here, inst-4+pers-3 there"),
        ({"system": "own#1234"}, "a system prompt of one's own here"),
        ({"samples": "3"}, "3 samples here, 1 there"),
        ({"limit": "100"}, "a part of the items here, all there"),
    ],
)
def test_lesser_differences_are_said_and_do_not_bar(changed: dict[str, str], words: str) -> None:
    points = points_of(scores(**changed))
    assert points["comparable"].all()
    assert set(points["differs"]) == {words}


def test_replies_that_are_missing_are_said() -> None:
    points = points_of(scores().with_columns(coverage=pl.lit(0.5)))
    assert set(points["differs"]) == {"replies to 50 % here"}


def test_scores_over_several_languages_are_beside_nothing() -> None:
    assert points_of(scores("culture", "ET")).is_empty()
    assert points_of(scores("culture+language", "ET+sw")).is_empty()
    only = points_of(scores("culture", "ET", lang="en"))
    assert set(only["place"]) == {"Table 11"}


def test_other_tasks_by_their_own_groups() -> None:
    changed = {"task": "xcr/identification", "data": "xcr@9904292#1", "lang": "en", "variant": "authors"}
    whole = points_of(scores("all", "all", **changed))
    assert set(whole["place"]) == {"Table 2"}
    assert whole["comparable"].all()
    element = points_of(scores("element", "Visible Behaviour", **changed))
    assert set(element["place"]) == {"Table 9"}
    assert set(element["note"]) != {""}


def test_a_score_of_nothing_is_beside_nothing() -> None:
    assert points_of(scores(score=float("nan"))).is_empty()
