"""``folkways build csi`` with real servers: three models, resumed, within a budget, and what of their replies
can be used."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from folkways.benchmarks.xcr.build.fact_filter import KEPT_FILE
from folkways.benchmarks.xcr.build.facts import FactRules
from folkways.benchmarks.xcr.build.items import NamedItem, prompt, read_items, read_sentence
from folkways.benchmarks.xcr.tasks import without_tags
from folkways.cli.build import command
from folkways.errors import FolkwaysError
from folkways.runs import building
from folkways.runs.building import BuildStopped
from folkways.workspace.database import Workspace
from folkways_studio.items.reading import import_items
from folkways_studio.items.table_files import read_rows
from folkways_studio.people.accounts import create_account
from folkways_studio.studies.service import create_study
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import template_text
from folkways_studio.workflows.yaml_text import parse_yaml
from tests.support.chat_server import ChatServer
from tests.support.command_line import rows
from tests.support.csi_facts import FACTS, write_facts


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode="csi") as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh(server: ChatServer) -> None:
    server.control(mode="csi", forget=True, faults={})


def build(folder: Path, *arguments: object, models: tuple[str, ...]) -> Result:
    chosen = [part for model in models for part in ("--model", model)]
    common = [
        "--facts",
        folder / "facts.csv",
        "--out",
        folder / "out",
        "-w",
        folder / "folkways.db",
        "--cluster-size",
        1,
    ]
    return CliRunner().invoke(
        command,
        ["csi", *(str(part) for part in (*common, *chosen, *arguments))],
        catch_exceptions=False,
        standalone_mode=False,
    )


def built(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (folder / "out" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="module")
def models(server: ChatServer) -> tuple[str, ...]:
    return tuple(f"{server.url}/v1#{name}" for name in ("one", "two", "three"))


@dataclass(frozen=True)
class FirstBuild:
    """A build that nobody changes."""

    folder: Path
    output: str
    requests: int


@pytest.fixture(scope="module")
def first_build(
    server: ChatServer, models: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> FirstBuild:
    """All facts, built with three models."""
    folder = tmp_path_factory.mktemp("first")
    write_facts(folder / "facts.csv")
    output = build(folder, models=models).stdout
    return FirstBuild(folder, output, server.stats()["total"])


def test_every_item_has_three_sentences_and_says_where_it_comes_from(
    first_build: FirstBuild, models: tuple[str, ...]
) -> None:
    assert "5 facts, 5 kept" in first_build.output
    items = built(first_build.folder)
    facts = {fact: (culture, source, row) for row, (culture, fact, source) in enumerate(FACTS, 1)}
    assert len(items) == len({item["id"] for item in items}) > 2
    for item in items:
        culture, source, row = facts[item["fact"]]
        assert (item["culture"], item["source"], item["provenance"]["table_row"]) == (culture, source, row)
        assert item["provenance"]["proposed_by"] == models[0]
        assert item["context"].endswith("in daily use.")
        assert [candidate["id"] for candidate in item["candidates"]] == ["a", "b", "c"]
        assert {candidate["by"] for candidate in item["candidates"]} == set(models)
        for candidate in item["candidates"]:
            assert f"<CSI> {item['item']} </CSI>" in candidate["tagged"]
            assert candidate["text"] == without_tags(candidate["tagged"])
    record = json.loads((first_build.folder / "out" / "csi.build.json").read_text())
    assert record["sentences"] == dict.fromkeys(models, len(items))
    assert record["facts_asked"] == 5


def test_judges_do_not_see_who_wrote_what(first_build: FirstBuild, models: tuple[str, ...]) -> None:
    text = (first_build.folder / "out" / "choices-form.csv").read_text(encoding="utf-8-sig")
    assert not any(model in text for model in models)
    form = list(csv.DictReader(io.StringIO(text)))
    for line, item in zip(form, built(first_build.folder), strict=True):
        assert [line[f"sentence_{letter}"] for letter in "abc"] == [
            candidate["text"] for candidate in item["candidates"]
        ]
        assert line["judge"] == line["best"] == ""


def test_the_studio_takes_the_items_as_they_are(first_build: FirstBuild, workspace: Workspace) -> None:
    owner = create_account(workspace, "me@example.org", "a long enough password").id
    study = create_study(
        workspace, read_definition(parse_yaml(template_text("culture-specific-items"))), owner=owner
    )
    file = first_build.folder / "out" / "items.jsonl"
    added = import_items(workspace, study.id, "choose", read_rows(file), file=str(file))
    for item, line in zip(added, built(first_build.folder), strict=True):
        assert item.key == line["id"]
        assert item.content["fact"] == line["fact"]
        assert [(each["text"], each["by"]) for each in item.content["candidates"]] == [
            (each["text"], each["by"]) for each in line["candidates"]
        ]


def test_the_same_call_asks_nothing_and_sifts_nothing_again(
    server: ChatServer, first_build: FirstBuild, tmp_path: Path, models: tuple[str, ...]
) -> None:
    shutil.copytree(first_build.folder, tmp_path, dirs_exist_ok=True)
    first, before = built(tmp_path), server.stats()["total"]
    kept = (tmp_path / "out" / KEPT_FILE).stat().st_mtime_ns
    build(tmp_path, models=models)
    assert built(tmp_path) == first
    assert server.stats()["total"] == before and first_build.requests > 0
    assert (tmp_path / "out" / KEPT_FILE).stat().st_mtime_ns == kept
    build(tmp_path, "--words", 4, 14, models=models)
    assert (tmp_path / "out" / KEPT_FILE).stat().st_mtime_ns != kept, "other rules are another sifting"


def test_a_server_that_is_away_ends_a_build_soon(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build waits no longer than LONGEST_WAIT; no request has failed, and the same command goes on."""
    monkeypatch.setattr(building, "LONGEST_WAIT", 1.0)
    write_facts(tmp_path / "facts.csv")
    with ChatServer() as gone:
        pass
    with pytest.raises(
        BuildStopped, match=r"the server was waited for 1 s and is not back(.|\n)*run the same command again"
    ):
        build(tmp_path, models=(f"{gone.url}/v1#first", f"{gone.url}/v1#second"))


def test_a_budget_is_of_all_models_together_and_the_rest_comes_later(
    server: ChatServer, tmp_path: Path, models: tuple[str, ...]
) -> None:
    write_facts(tmp_path / "facts.csv")
    for expected in (7, 14):
        with pytest.raises(BuildStopped, match="run the same command again"):
            build(tmp_path, "--budget", "7requests", models=models)
        assert server.stats()["total"] == expected
    build(tmp_path, models=models)
    stats = server.stats()
    assert stats["asked_again"] == 0
    assert stats["total"] == 5 + 3 * len(built(tmp_path))
    stored = rows(tmp_path / "folkways.db", "SELECT count(*) FROM responses")
    assert stored == [(stats["total"],)]


def test_replies_that_cannot_be_used_are_counted(
    server: ChatServer, tmp_path: Path, models: tuple[str, ...]
) -> None:
    write_facts(tmp_path / "facts.csv")
    with ChatServer(mode="fixed:I would rather not write JSON today.") as other:
        done = build(tmp_path, models=(models[0], f"{other.url}/v1#vague"))
    items = built(tmp_path)
    for item in items:
        assert [candidate["by"] for candidate in item["candidates"]] == [models[0]]
        assert item["missing"] == {f"{other.url}/v1#vague": "no sentence in the asked form"}
    assert items and f"no sentence in the asked form: {len(items)}" in done.stdout


def test_a_proposer_of_its_own_that_names_nothing_is_an_error(
    tmp_path: Path, models: tuple[str, ...]
) -> None:
    write_facts(tmp_path / "facts.csv")
    with (
        ChatServer(mode='fixed:{"items": []}') as empty,
        pytest.raises(FolkwaysError, match=r"named no item in 5 facts \(nothing specific: 5\)"),
    ):
        build(tmp_path, "--proposer", f"{empty.url}/v1#m", models=models)


def test_an_item_that_several_facts_have_is_asked_about_once(tmp_path: Path, models: tuple[str, ...]) -> None:
    write_facts(tmp_path / "facts.csv")
    with ChatServer(mode='fixed:{"items": [{"item": "soup mug", "context": "Everybody has one."}]}') as same:
        done = build(tmp_path, "--proposer", f"{same.url}/v1#m", models=models)
    assert {item["culture"] for item in built(tmp_path)} == {"Harland", "Ostery"}
    assert len(built(tmp_path)) == 2, "once per culture"
    assert "an item that another fact has as well: 3" in done.stdout


def test_chosen_facts_stay_when_they_are_read_back(tmp_path: Path, models: tuple[str, ...]) -> None:
    write_facts(tmp_path / "facts.csv")
    build(tmp_path, "--limit", 2, models=models)
    assert pl.read_parquet(tmp_path / "out" / "facts-chosen.parquet")["culture"].to_list() == [
        "Harland",
        "Ostery",
    ]
    assert len(built(tmp_path)) == 2


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (
            '{"items": [{"item": "soup mug", "context": "Brought along."}]}',
            [NamedItem("soup mug", "Brought along.")],
        ),
        (
            'Sure:\n```json\n{"items": [{"item": " soup\\nmug ", "context": "x"}]}\n```',
            [NamedItem("soup mug", "x")],
        ),
        ('{"items": []}', []),
        ('{"items": [{"item": "...", "context": "..."}]}', None),
        ('{"items": [{"item": "one two three four five six seven eight nine", "context": "x"}]}', None),
        (
            '{"items": [{"item": "a", "context": "x"}, "b", {"item": "c", "context": "y"}, {"item": "d", '
            '"context": "z"}]}',
            [NamedItem("a", "x"), NamedItem("c", "y")],
        ),
        ('{"items": "soup"}', None),
        ("none", None),
        ('{"items": [{"item": "<CSI>x</CSI>", "context": "y"}]}', None),
    ],
)
def test_items_are_read_out_of_replies(reply: str, found: list[NamedItem] | None) -> None:
    assert read_items(reply) == found


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"sentence": "Bring your <CSI>soup mug</CSI> to the hall tonight."}', ""),
        ("Bring your <CSI> Soup mugs </CSI> to the hall tonight.", ""),
        ('{"sentence": "Bring your soup mug to the hall tonight."}', "between one pair of tags"),
        ('{"sentence": "Bring your <CSI>soup mug to the hall tonight."}', "between one pair of tags"),
        ('{"sentence": "Bring your soup mug to the <CSI>hall</CSI> tonight."}', "other words are tagged"),
        ('{"sentence": "A <CSI>soup mug</CSI>."}', "words long"),
        ('{"sentence": 5}', "asked form"),
        ("", "asked form"),
    ],
)
def test_sentences_are_read_out_of_replies(reply: str, why: str) -> None:
    sentence, reason = read_sentence(reply, "soup mug")
    assert (sentence is None) == bool(why)
    assert why in reason


def test_prompts_show_the_fact_and_the_item_as_they_are() -> None:
    assert "{odd} \\1 braces" in prompt("items", culture="Harland", fact="{odd} \\1 braces")
    assert "people know this: soup mug\nBrought along.\n" in prompt(
        "sentence", culture="Harland", item="soup mug", context="Brought along."
    )


def test_rules_are_part_of_the_command(tmp_path: Path, models: tuple[str, ...]) -> None:
    write_facts(tmp_path / "facts.csv")
    with pytest.raises(FolkwaysError, match="similarity"):
        build(tmp_path, "--similarity", 2, models=models)
    assert FactRules().similarity == 0.8


def test_what_cannot_be_is_found_out_before_a_workspace_is_made(
    tmp_path: Path, models: tuple[str, ...]
) -> None:
    with pytest.raises(FolkwaysError, match="does not exist"):
        build(tmp_path, models=models)
    assert list(tmp_path.iterdir()) == []
    write_facts(tmp_path / "facts.csv", header=("culture", "statement", "source"))
    with pytest.raises(FolkwaysError, match="no column 'fact'"):
        build(tmp_path, models=models)
    assert not (tmp_path / "out" / KEPT_FILE).exists()
