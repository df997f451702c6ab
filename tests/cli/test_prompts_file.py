"""``--prompts FILE`` and ``--permute-options K`` as a person gives them, on both tasks of CulturalBench."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.command_line import folkways, rows
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

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
    made = prompts_of_scores(tmp_path)
    assert len(made) == 2 and all(each.startswith("file:mine#") for each in made)
    assert run(tmp_path, release, BOTH.replace("Is this so", "Is it so"))[0] == 0
    assert len(prompts_of_scores(tmp_path)) == 3  # that of Easy, whose text is the same, stays


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
            "unknown task of a prompt text: 'culturalbench/hrad'",
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


def init(file: Path, *names: str) -> str:
    """What ``folkways init --prompts`` says."""
    done = folkways("init", file, *(word for name in names for word in ("--prompts", name)))
    return done.stdout + done.stderr


def test_a_prompts_file_names_the_place_and_the_parts_of_every_text(tmp_path: Path) -> None:
    file = tmp_path / "paper.toml"
    assert "--prompts" in init(file, "culturalbench", "build mcq")
    tables = tomllib.loads(file.read_text())
    assert {table: {*texts} for table, texts in tables.items()} == {
        "culturalbench/easy": {"paper"},
        "culturalbench/hard": {"paper"},
        "build easy": {"multi-mode"},
        "build topics": {"topics"},
        "build mcq": {"judge", "dummies", "item"},
    }
    assert {text for texts in tables.values() for text in texts.values()} == {""}
    lines = file.read_text().splitlines()
    above = lines[: lines.index('judge = ""')]
    assert above[-2:] == [
        "# BLEnD: Appendix C.3.2, similar term detection; put the parts after it, which the paper does not "
        "show.",
        "# Needs: {answers}, {target}, {answer_country}, {target_country}",
    ]
    assert "exists already" in init(file, "culturalbench")
    assert "valid: blend/mcq, build easy" in init(tmp_path / "x.toml", "xcr")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('paper = ""', "is empty; fill it in from section 3.3, the example in brackets"),
        ('paper = "{question} {answer}"', "has no place for the item; write {option}"),
        ('paper = "{question} {option} {county}"', "has {county}, which no part of the item fills"),
    ],
)
def test_a_text_that_is_not_filled_in_is_refused_before_anything_is_asked(
    tmp_path: Path, release: Path, text: str, what: str
) -> None:
    code, printed = run(tmp_path, release, f'["culturalbench/hard"]\n{text}', tasks="culturalbench/hard")
    assert code == 2
    assert what in " ".join(printed.split())
    assert rows(tmp_path / "w.db", "SELECT * FROM responses") == []


def test_one_file_serves_a_whole_paper_and_texts_of_other_tasks_may_be_empty(
    tmp_path: Path, release: Path
) -> None:
    text = '["build mcq"]\njudge = ""\n["blend/mcq"]\npaper = ""\n'
    code, printed = run(tmp_path, release, text, tasks="culturalbench/hard")
    assert (code, "has no text for culturalbench/hard" in " ".join(printed.split())) == (2, True)
    more = f'{text}["culturalbench/hard"]\nown = "{{question}}: {{option}}?"'
    assert run(tmp_path, release, more, tasks="culturalbench/hard")[0] == 0


def test_a_text_that_the_paper_does_not_print_stays_the_users(tmp_path: Path, release: Path) -> None:
    text = '["culturalbench/hard"]\npaper = "{question} Is it {option}?"\n'
    easy = '["culturalbench/easy"]\npaper = "{question} {a} {b} {c} {d}"\n'
    assert run(tmp_path, release, text + easy)[0] == 0
    assert {made.split("#")[0] for made in prompts_of_scores(tmp_path)} == {
        "file:paper",  # Hard, whose text is known
        "paper-as-brought",  # Easy, whose text is in an appendix that folkways has not seen
    }


@pytest.mark.shared
def test_the_papers_own_text_makes_a_run_as_in_the_paper(tmp_path: Path, release: Path, shared: Path) -> None:
    paper = (shared / "papers" / "culturalbench.json").read_text(encoding="utf-8")
    words = re.search(r"Is this answer true or false for this question\? Answer [^.]*\. Question:", paper)
    assert words is not None
    text = f'["culturalbench/hard"]\npaper = "{words[0]} {{question}} Answer: {{option}}"'
    assert run(tmp_path, release, text, tasks="culturalbench/hard")[0] == 0
    (made,) = prompts_of_scores(tmp_path)
    assert made.startswith("paper#")
    more = text.replace("Answer: {option}", "Answer: {option} Think well.")
    assert run(tmp_path, release, more, tasks="culturalbench/hard")[0] == 0
    assert {made.split("#")[0] for made in prompts_of_scores(tmp_path)} == {"paper", "file:paper"}
