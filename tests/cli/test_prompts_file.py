"""``--prompts FILE`` and ``--permute-options K`` as a person gives them, on both tasks of CulturalBench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench
from tests.support.river import folkways, rows

BOTH = """
["culturalbench/easy"]
mine = "{question}\\n(A) {a} (B) {b} (C) {c} (D) {d}"
["culturalbench/hard"]
mine = "Is this so? {question} {option}"
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two questions."""
    folder = tmp_path / "few"
    folder.mkdir()
    easy, hard = culturalbench_rows()
    write_culturalbench(folder, easy[:2], hard[:8])
    return folder


def run(
    tmp_path: Path, release: Path, text: str | None, *more: object, tasks: str = "culturalbench"
) -> tuple[int, str]:
    """Exit code and what was printed."""
    arguments = [
        "run",
        tasks,
        "--model",
        "baseline/first",
        "--release",
        release,
        "--workspace",
        tmp_path / "w.db",
        *more,
    ]
    if text is not None:
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        arguments += ["--prompts", tmp_path / "mine.toml"]
    done = folkways(*arguments)
    return done.returncode, done.stdout + done.stderr


def prompts_of_scores(tmp_path: Path) -> set[str]:
    """What the stored signatures of models' scores say of the prompts."""
    stored = rows(tmp_path / "w.db", "SELECT signature FROM scores WHERE subject = 'model'")
    return {json.loads(made)["prompts"] for (made,) in stored}


def test_each_task_is_asked_in_its_own_text_and_the_signature_has_their_checksum(
    tmp_path: Path, release: Path
) -> None:
    assert run(tmp_path, release, BOTH)[0] == 0
    asked = dict(
        rows(tmp_path / "w.db", "SELECT task || item, user FROM expected JOIN prompts USING (prompt_hash)")
    )
    assert asked["culturalbench/easyeasy/0"].endswith(
        '(A) They take bread, number 0 (B) They take "flat" cakes, number 0 (C) They take tea\nor milk, '
        "number 0 (D) "
        "They take salt, number 0"
    )
    assert asked["culturalbench/hardhard/0/0"].startswith("Is this so? In United States")
    assert {source for (source,) in rows(tmp_path / "w.db", "SELECT prompt_source FROM expected")} == {
        "file:mine"
    }
    (one,) = prompts_of_scores(tmp_path)
    assert one.startswith("file:mine#")
    assert run(tmp_path, release, BOTH.replace("Is this so", "Is it so"))[0] == 0
    edited = prompts_of_scores(tmp_path)
    assert len(edited) == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            'mine = "{question}: {a}, {b}, {d}"',
            "culturalbench/easy: the prompt text 'mine' has no place for the item; write {c}",
        ),
        (
            '["culturalbench/easy"]\nmine = "{question} {a} {b} {c} {d}"\n["culturalbench/hard"]\nmine = '
            '"{question}"',
            "write {option}",
        ),
        (
            '["culturalbench/hrad"]\nmine = "{question} {option}"',
            "unknown task of a prompt text (no such task in this run)",
        ),
        ('["culturalbench/hard"]\nmine = 3', "must be a text in quotes"),
        ("# nothing", "has no template"),
        ("mine = {question}", "is not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_nothing_is_asked(
    tmp_path: Path, release: Path, text: str, what: str
) -> None:
    code, printed = run(tmp_path, release, text)
    assert code == 2
    assert what in " ".join(printed.split())
    assert "Traceback" not in printed
    assert rows(tmp_path / "w.db", "SELECT * FROM responses") == []


def test_a_missing_file_says_so(tmp_path: Path, release: Path) -> None:
    code, printed = run(tmp_path, release, None, "--prompts", tmp_path / "nowhere.toml")
    assert (code, "which should be a prompts file" in printed) == (2, True)


def test_orders_of_the_options_are_asked_of_those_tasks_that_have_any(tmp_path: Path, release: Path) -> None:
    assert run(tmp_path, release, None, "--permute-options", 3)[0] == 0
    asked = rows(
        tmp_path / "w.db",
        "SELECT task, variant, COUNT(*) FROM expected GROUP BY task, variant ORDER BY task, variant",
    )
    assert asked == [
        ("culturalbench/easy", "strict-format", 2),
        ("culturalbench/easy", "strict-format~order-2", 2),
        ("culturalbench/easy", "strict-format~order-3", 2),
        ("culturalbench/hard", "strict-format", 8),
    ]


def test_no_task_with_options_is_an_error_that_names_those_that_have(tmp_path: Path, release: Path) -> None:
    code, printed = run(tmp_path, release, None, "--permute-options", 3, tasks="culturalbench/hard")
    assert code == 2
    assert "culturalbench/hard can be asked in several orders of its options; those that can: " in " ".join(
        printed.split()
    )


def test_there_are_no_more_orders_than_24(tmp_path: Path, release: Path) -> None:
    assert run(tmp_path, release, None, "--permute-options", 25)[0] == 2


def test_an_estimate_counts_every_order(tmp_path: Path, release: Path) -> None:
    done = folkways(
        "estimate", "culturalbench/easy", "--model", "baseline/first", "--release", release, "--permute-options", 24, "--json",
        "--workspace", tmp_path / "w.db",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"requests": 48' in done.stdout
