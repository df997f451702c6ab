"""The paper's procedure gives what the authors' program gave with the same stand-in for the judge: item by
item, call by call."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from folkways.benchmarks.blend.build.calls import DummyCall, JudgeCall
from folkways.benchmarks.blend.build.items import write_released
from folkways.benchmarks.blend.build.make import QuestionsBuild, make_questions

pytestmark = pytest.mark.shared

NO_MODELS: Any = SimpleNamespace(progress=lambda _text: None)
"""A build session that has nobody to ask."""

JUNE = "3e4dcbd"
SETS = {"head_overlap": ("24e7d73", "overlap"), "june_hash04": (JUNE, "hash04")}


@pytest.fixture(
    scope="module", params=[pytest.param("head_overlap", marks=pytest.mark.nightly), "june_hash04"]
)
def built(shared: Path, request: pytest.FixtureRequest) -> tuple[QuestionsBuild, Path]:
    data, judge = SETS[request.param]
    reference = shared / "parity" / "blend_mcq" / request.param
    made = make_questions(
        NO_MODELS,
        release=str(shared / "data" / "blend" / data),
        question_text=str(shared / "data" / "blend" / JUNE),
        judge=f"stand-in:{judge}",
        wording_of=str(reference),
    )
    return made, reference


def authors_rules(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "stub_judges", shared / "parity" / "blend_mcq" / "stub_judges.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_is_the_authors_byte_for_byte(built: tuple[QuestionsBuild, Path], tmp_path: Path) -> None:
    """Items, order, ids, options, letters, countries and prompts; the wording alone is read from the file."""
    made, reference = built
    write_released(made.built.items, tmp_path / "mc_questions_file.csv")
    expected = gzip.decompress((reference / "mc_questions_file.csv.gz").read_bytes())
    assert (tmp_path / "mc_questions_file.csv").read_bytes() == expected


def test_the_calls_are_as_many(built: tuple[QuestionsBuild, Path]) -> None:
    made, reference = built
    stats = json.loads((reference / "stats.json").read_text())
    judged = [asked for asked in made.built.calls if isinstance(asked.call, JudgeCall)]
    made_up = [asked.answer for asked in made.built.calls if isinstance(asked.call, DummyCall)]
    assert (len(judged), sum(asked.answer is True for asked in judged)) == (
        stats["judge_calls"],
        stats["judge_O"],
    )
    assert (len(made_up), sum(map(len, made_up))) == (stats["dummy_calls"], stats["dummy_options"])
    assert made.record["questions"] == stats["n_questions"]
    assert dict(made.built.items.group_by("country").len().iter_rows()) == stats["per_country"]


def test_the_made_up_options_are_those_of_the_authors_questions(built: tuple[QuestionsBuild, Path]) -> None:
    made, reference = built
    expected = json.loads((reference / "dummies.json").read_text())
    found = [
        [asked.call.text, list(asked.answer)]
        for asked in made.built.calls
        if isinstance(asked.call, DummyCall)
    ]
    assert sorted(found) == sorted(expected)


def test_stand_ins_say_what_the_rules_they_restate_say(
    shared: Path, built: tuple[QuestionsBuild, Path]
) -> None:
    """Also ``ctx``, for which no file is at hand: every call of the build is put to both."""
    from folkways.benchmarks.blend.build.calls import RuleOracle

    rules = authors_rules(shared)
    for name in ("overlap", "hash04", "hash37", "ctx20"):
        stand_in = RuleOracle(name)
        for asked in built[0].built.calls:
            if isinstance(call := asked.call, JudgeCall):
                told = stand_in.recall(call)
                assert told is not None
                assert told[0] == rules.judge(
                    name, list(call.answers), call.target, call.answer_country, call.target_country
                )
