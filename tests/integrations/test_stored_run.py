"""What files for other programs take from a run, its settings and its signature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.integrations.hub.judgements import export_judgements
from folkways.integrations.stored_run import StoredRun, generation_arguments, signature_part
from tests.support.blend_data import write_release


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("temperature=0.0,max_tokens=16", {"temperature": 0.0, "max_tokens": 16}),
        ("temperature=0.7,top_p=0.95", {"temperature": 0.7, "top_p": 0.95}),
        ("max_tokens=16", {"max_tokens": 16}),
        ("top_p=1,max_tokens=8", {"top_p": 1.0, "max_tokens": 8}),
        ("seed=3,reasoning=low", {}),
        ("temperature=0.0+0.7,max_tokens=16", {"max_tokens": 16}),  # several sets
        ("temperature=0.2,max_tokens=16+32", {"temperature": 0.2}),
        ("", {}),
    ],
)
def test_each_setting_that_the_schema_names_is_told_whatever_others_are(
    settings: str, arguments: dict[str, Any]
) -> None:
    made = generation_arguments(settings)
    assert made == arguments
    assert {name: type(value) for name, value in made.items()} == {
        name: type(value) for name, value in arguments.items()
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("task", "demo/mcq"), ("settings", "temperature=0.0"), ("prompts", "a:b"), ("ask", ""), ("set", "")],
)
def test_a_part_of_a_signature_is_found_by_its_whole_name(name: str, value: str) -> None:
    assert signature_part("task:demo/mcq|settings:temperature=0.0|prompts:a:b", name) == value


CARD = """
> **Not everything has a reply** (no reply from replay:FILE: all 20 requests failed). What has none stays in the denominators, and counts as wrong.
### Ask the same
Save this as `recipe.toml`, with the names of your endpoints as models, and run it: `pip install folkways`, `folkways run recipe.toml`. Its own wording of the prompts is not in it. Its treatments are not in it.
**Not the whole benchmark**: 0 of the 40 rows that the task asks by default; nothing about the cultures Spain and United States; nothing in the languages English and Spanish; nothing with the variants inst-4 and pers-3.
"""


def test_what_is_told_of_a_run_asks_the_same_and_names_no_place_on_a_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompts and treatments in files that stay here, data in a folder, and replies in a file at home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "r.csv").write_text("item,response\nKR/Q-1,tea\n")
    release = str(write_release(tmp_path / "own"))
    models, options = (
        ["replay:~/r.csv", "baseline/first"],
        {"cultures": ["KR"], "languages": "ko", "limit": 2},
    )
    done = folkways.run(
        "blend/saq",
        models,
        workspace=tmp_path / "w.db",
        releases=release,
        samples=2,
        seed=7,
        system="Be brief, don't ramble.",
        max_tokens=20,
        treatments="persona-second",
        prompt_texts={"mine": "So: {question}"},
        variants="mine",
        profile="strict",
        **options,
    )
    run = StoredRun(done.workspace, done.record, None, True)
    assert (done.workspace.location, run.names) == (
        str(tmp_path / "w.db"),
        {models[0]: "unknown/r", models[1]: models[1]},
    )
    assert run.recipe == {
        "tasks": ["blend/saq"], "models": ["unknown/r", "baseline/first"], "cultures": ["KR"], "languages": ["ko"],
        "variants": ["mine"], "limit": 2, "samples": 2, "seed": 7, "system": "Be brief, don't ramble.",
        "max-tokens": 20, "profile": "strict", "releases": {"blend": "./own"},
    }  # fmt: skip
    assert run.command(models[0]) == (
        "folkways run blend/saq --model unknown/r --cultures KR --languages ko --variants mine --limit 2 --samples 2 "
        "--seed 7 --system 'Be brief, don'\"'\"'t ramble.' --max-tokens 20 --profile strict --release blend=./own "
        "--prompts FILE --treatments FILE"
    )
    export_judgements(done.workspace, done.record, tmp_path / "hub", unlicensed_items=True)
    card = (tmp_path / "hub" / "README.md").read_text()
    assert [line for line in CARD.splitlines() if line not in card.splitlines()] == [], card
    rows = pl.read_parquet(tmp_path / "hub" / "blend_saq" / "test-*.parquet")
    assert rows["reason"].str.starts_with("FILE has no reply for item 'KR/").any()
    assert str(tmp_path) not in card + "".join(map(str, rows.rows()))
    assert [
        StoredRun(done.workspace, done.record, None, may).why_items_stay("blend/saq") for may in (True, False)
    ] == [None, "folkways does not know its licence; with --items you say that you may pass its items on"]
