"""Where many replies cannot be read under a profile, the score under the other one stands beside, with the command."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.chat_server import ChatServer
from tests.support.culturalbench_data import write_culturalbench
from tests.support.river import folkways

TOLD = "cannot be read under paper, which gives 0.0; lenient reads"


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_other_profile_is_named_with_its_score_and_the_command(tmp_path: Path) -> None:
    release = tmp_path / "culturalbench"
    release.mkdir()
    write_culturalbench(release)
    arguments = ("--release", release, "-w", tmp_path / "w.db")
    with ChatServer(mode="fixed:Answer: A.") as server:  # no reply is the label and nothing else
        model = f"{server.url}/v1#talker"
        report = ("--report", tmp_path / "report")
        done = folkways("run", "culturalbench/easy", "--model", model, "--name", "talk", *arguments, *report)
    assert done.returncode == 0, done
    printed = words(done.stdout + done.stderr)
    assert TOLD in printed
    assert "folkways score talk --profile lenient" in printed
    (page,) = (tmp_path / "report").glob("*.html")
    assert TOLD in words(page.read_text(encoding="utf-8"))
    gives = re.search(r"of them and gives ([\d.]+):", printed)
    scored = folkways("score", "talk", "--profile", "lenient", "-w", tmp_path / "w.db")
    assert gives and gives[1] in words(scored.stdout).split()


def test_nothing_is_said_where_replies_can_be_read(tmp_path: Path) -> None:
    release = tmp_path / "culturalbench"
    release.mkdir()
    write_culturalbench(release)
    with ChatServer(mode="fixed:A") as server:
        model = f"{server.url}/v1#plain"
        done = folkways("run", "culturalbench/easy", "--model", model, "--release", release, "-w", tmp_path / "w.db")
    assert done.returncode == 0, done
    assert "cannot be read under" not in words(done.stdout + done.stderr)
