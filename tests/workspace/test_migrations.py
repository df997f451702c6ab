"""Workspaces of earlier versions: what was read out of texts then stands in columns now, and everything else stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.errors import FolkwaysError
from folkways.records import Subject
from folkways.workspace import results, run_records, schema
from folkways.workspace.database import open_workspace
from tests.workspace.test_database import migrated

ASKED = {"tasks": ["sample/mcq"], "endpoints": ["m"], "options": {"until": None}}
RUNS: list[dict[str, Any]] = [
    {"name": "done", "config": ASKED, "state": "finished"},
    {"name": "spent", "config": ASKED, "state": "stopped", "reason": "the budget is used up: the next request might cross it"},
    {"name": "halted", "config": ASKED, "state": "interrupted", "reason": "interrupted by the user"},
    {"name": "broken", "config": ASKED, "state": "stopped", "reason": "20 requests failed one after the other"},
    {"name": "mcq", "config": {"build": "mcq", "tasks": []}, "state": "finished"},
    {"name": "topics", "config": {"aside": "build-topics", "tasks": []}, "state": "finished"},
    {"name": "judge", "config": {"aside": "judge-by-model", "tasks": []}, "state": "interrupted"},
]
"""Runs of every kind as they were told apart: by keys of their configuration and by words of their reason."""

SIGNATURES = [
    "task:sample/mcq|data:sample@1#ab|lang:en+ko|settings:max_tokens=16,temperature=0.0|prompts:release:mine.toml#0f|folkways:0.1.0",
    "task:sample/mcq|data:dir:한#cd|system:own#12|text-ko:okt:1.2|models:",
]
STATES = ("answered", "refused", "unreadable", "failed", "missing")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[sa.Engine, str]]:
    """A database without a table, and where it is."""
    if request.param == "sqlite":
        location = str(tmp_path / "old.db")
        engine = sa.create_engine(f"sqlite:///{location}")
    else:
        location = request.getfixturevalue("postgres_url")
        engine = sa.create_engine(location.replace("postgresql://", "postgresql+psycopg://"))
    yield engine, location
    engine.dispose()


def fill(engine: sa.Engine) -> dict[str, list[dict[str, Any]]]:
    """Put runs, a task and scores into the tables as they are at this revision; returns the rows."""
    rows: dict[str, list[dict[str, Any]]] = {"runs": [], "scores": []}
    for number, run in enumerate(RUNS, 1):
        known = {"reason": None, "finished": None, "version": "0.1.0", "created": 1000.5, "seconds": 2.5, "config_hash": "f" * 32}
        rows["runs"].append({"id": number, **known, **run, "config": json.dumps(run["config"], sort_keys=True)})
    told = {"run_id": 1, "task": "sample/mcq", "profile": "paper", "metric": "correct", "facet": "all", "interval": "wilson 95%"}
    for number, signature in enumerate(SIGNATURES * 2, 1):
        counts = {"n": 10, "questions": 5, "coverage": 0.9, **dict.fromkeys(STATES, 2)}
        scored = {"score": 100 / 3, "low": None, "high": 50.0, "at_best": None, "signature": signature}
        rows["scores"].append({"id": number, "endpoint": f"m{number}", "value": f"v{number}", **told, **counts, **scored})
    asked = {"run_id": 1, "task": "sample/mcq", "release": "sample", "root": "/r", "fingerprint": "ab", "options": "{}"}
    with engine.begin() as connection:
        for name, added in (*rows.items(), ("run_tasks", [asked])):
            connection.execute(sa.insert(sa.Table(name, sa.MetaData(), autoload_with=connection)), added)
    return rows


@pytest.mark.parametrize("revision", ["0001", "0005", "0006"], ids=["0.1.0", "0005", "0006"])
def test_what_texts_told_stands_in_columns(empty: tuple[sa.Engine, str], revision: str) -> None:
    engine, location = empty
    migrated(engine, revision)
    before = fill(engine)
    workspace = open_workspace(location)
    with workspace.read() as connection:
        runs = [dict(row) for row in connection.execute(sa.select(schema.runs).order_by(schema.runs.c.id)).mappings()]
        scores = [dict(row) for row in connection.execute(sa.select(schema.scores).order_by(schema.scores.c.id)).mappings()]
    commands = ["run"] * 4 + ["build mcq", "build topics", "judge-by-model"]
    states = ["finished", "budget", "interrupted", "stopped", "finished", "finished", "interrupted"]
    now = [
        {"command": command, "state": state, "recipe": None, "archive": None, "taken": None}
        for command, state in zip(commands, states, strict=True)
    ]
    assert runs == [{**row, **changed} for row, changed in zip(before["runs"], now, strict=True)]
    added = {"subject": "model", "left_out": 0, "why_left_out": None, "effective_questions": None, "truncated": 0, "cut": 0}
    parts = [
        {
            "task": "sample/mcq",
            "data": "sample@1#ab",
            "lang": "en+ko",
            "settings": "max_tokens=16,temperature=0.0",
            "prompts": "release:mine.toml#0f",
            "folkways": "0.1.0",
        },
        {"task": "sample/mcq", "data": "dir:한#cd", "system": "own#12", "text-ko": "okt:1.2", "models": ""},
    ]
    assert [json.loads(row.pop("signature")) for row in scores] == parts * 2
    renamed = {"task": "demo/mcq"} if revision < "0006" else {}
    assert scores == [
        {name: value for name, value in {**row, **added, **renamed}.items() if name != "signature"} for row in before["scores"]
    ]
    workspace.close()


def test_runs_of_an_earlier_version_are_read_as_they_were(empty: tuple[sa.Engine, str]) -> None:
    engine, location = empty
    migrated(engine, "0001")
    fill(engine)
    workspace = open_workspace(location)
    last = run_records.find_run(workspace, "last")
    assert (last.name, last.command) == ("broken", "run")
    done = run_records.find_asked_run(workspace, "done")
    assert results.load_scores(workspace, done)["signature"].to_list() == SIGNATURES * 2
    assert set(results.load_signatures(workspace, done)) == set(SIGNATURES)
    assert all(results.load_scores(workspace, done, of).is_empty() for of in (Subject.PEOPLE, Subject.BASELINE))
    for name, command in (("mcq", "build mcq"), ("topics", "build topics"), ("judge", "judge-by-model")):
        with pytest.raises(FolkwaysError, match=f"belongs to folkways {command}:"):
            run_records.find_asked_run(workspace, name)
    workspace.close()


@pytest.mark.parametrize("revision", ["0001", "0002", "0005"])
def test_what_cannot_be_changed_is_the_same_as_in_a_new_workspace(tmp_path: Path, revision: str) -> None:
    """Whatever triggers a workspace had before, or none."""
    guards = []
    for name in ("old", "new"):
        location = tmp_path / f"{name}.db"
        if name == "old":
            engine = sa.create_engine(f"sqlite:///{location}")
            migrated(engine, revision)
            if revision != "0001":
                with engine.begin() as connection:  # as 0002 had it
                    connection.exec_driver_sql("DROP TRIGGER studio_judgements_redacted")
        with open_workspace(location).read() as connection:
            found = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
            guards.append(found.scalars().all())
    assert guards[0] == guards[1]
    assert len(guards[1]) == 5
