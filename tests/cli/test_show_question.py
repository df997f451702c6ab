"""``folkways show BENCHMARK:QUESTION``: one question over all cultures, with what people and models said."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from folkways.records import PROMPTS, Metric
from folkways.reports.formats.item import EMPTY_RESPONSES, MOST_ITEMS, render_item, render_question
from tests.support.blend_data import write_release
from tests.support.command_line import folkways

REPLIES = {
    (f"{culture}/Q-{number}", language): "nothing"
    for culture, languages in (("KR", ("ko", "en")), ("ES", ("es", "en")))
    for number in range(1, 5)
    for language in languages
} | {("KR/Q-1", "en"): "barley tea", ("KR/Q-1", "ko"): "커피", ("ES/Q-1", "en"): "tea\x1b[31m"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, and a workspace in which one model was asked about two of three cultures."""
    folder = tmp_path_factory.mktemp("question")
    write_release(folder / "made")
    lines = [
        json.dumps({"item": item, "language": language, "response": reply})
        for (item, language), reply in REPLIES.items()
    ]
    (folder / "model.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = ("run", "blend/saq", "--release", "blend=made", "--cultures", "KR,ES", "-m", "replay:model.jsonl")
    done = folkways(*asked, "-w", "w.db", "--name", "one", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_each_culture_stands_with_what_people_and_models_said(folder: Path) -> None:
    done = folkways("show", "blend:Q-1", "-w", "w.db", cwd=folder)
    assert done.returncode == 0, done.stderr
    by_culture = {part.split(" (")[0]: part for part in done.stdout.split("\n\n")}
    korea, spain, states = (by_culture[name] for name in ("South Korea", "Spain", "United States"))
    assert "What do people drink in" in korea
    assert "barley tea (3)" in korea and "coffee (3)" not in korea
    assert "English: barley tea (right)" in korea and "Korean: 커피 (wrong)" in korea
    assert "coffee (3)" in spain and "English: tea" in spain
    assert "model" not in states  # nobody asked about it, and its people's answers are shown all the same
    assert "counts as right" in states
    assert "\x1b[31m" not in done.stdout
    names = [name.strip() for name in by_culture if "BLEnD" not in name and name.strip()]
    assert names == ["South Korea", "Spain", "United States"]


@pytest.mark.parametrize("items", [1, MOST_ITEMS, MOST_ITEMS + 1, MOST_ITEMS + 4])
def test_of_many_items_about_one_culture_the_first_are_shown_and_the_others_counted(items: int) -> None:
    names = [f"KR/q{number}" for number in range(items)]
    about = {"question": "q", "culture": "KR", "text": "What?", "gold": "rice"}
    rows = pl.DataFrame([{"item": name, **about} for name in names])
    drawn = io.StringIO()
    Console(file=drawn, width=80).print(
        render_question("Title", rows, pl.DataFrame(), Metric("right", "Right", "Right or wrong."))
    )
    assert [name for name in names if name in drawn.getvalue()] == names[:MOST_ITEMS]
    rest = re.findall(r"and (\d+) more items", drawn.getvalue())
    assert rest == ([str(items - MOST_ITEMS)] if items > MOST_ITEMS else [])


def test_a_question_as_json_is_one_document(folder: Path) -> None:
    done = folkways("show", "blend:Q-1", "-w", "w.db", "--json", cwd=folder)
    (known,) = json.loads(done.stdout)
    assert known["task"] == "blend/saq"
    assert {row["item"] for row in known["items"]} == {"KR/Q-1", "ES/Q-1", "US/Q-1"}
    assert {row["item"] for row in known["judgements"]} == {"KR/Q-1", "ES/Q-1"}


def test_without_a_run_people_alone_have_answered(folder: Path) -> None:
    done = folkways("show", "blend:Q-2", "-w", "none.db", "--release", "made", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "yut nori" in done.stdout and "football (5)" in done.stdout and "right)" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("blend:Q-9", "--release", "made"), "blend has no question 'Q-9'; write it as in an item's name"),
        (("blend:Q-9", "--run", "one"), "run one asks no question 'blend:Q-9'; leave --run out"),
        (("blend:Q-1", "--run", "two"), "unknown run 'two'"),
    ],
)
def test_a_question_that_is_not_there_is_said(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = folkways("show", *arguments, "-w", "w.db", cwd=folder)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("width", [30, 79, 80])
def test_nothing_of_an_item_is_cut_at_the_edge_of_a_terminal(width: int) -> None:
    item = {"task": "demo/saq", "item": "i", "question": "q", "text": "Ж" * 400}
    about = {"language": "en", "variant": "v", "sample": 0}
    prompts = pl.DataFrame([{**about, "user": "Ω" * 400, "prompt_source": "-"}], schema_overrides=PROMPTS)
    reply = {**about, "endpoint": "m", "response": "Ю" * 400}
    out = io.StringIO()
    Console(file=out, width=width).print(
        render_item(
            item, prompts, pl.concat([EMPTY_RESPONSES, pl.DataFrame([reply])], how="diagonal_relaxed")
        )
    )
    shown = out.getvalue()
    assert [shown.count(letter) for letter in "ЖΩЮ"] == [400] * 3
    assert max(map(len, shown.splitlines())) <= width
