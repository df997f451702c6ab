"""Where many replies cannot be read under a profile, the score under the other one stands beside, with the
command."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from folkways.api import load_run
from folkways.display import number
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.culturalbench_data import rows_of, write_culturalbench
from tests.support.mcq_data import right_letter, write_mcq_release

ASKED = 120
"""Questions, as in the trial of a newcomer that this is about: a server that says the text of the right
option in 102 of them."""


def words(text: str) -> str:
    return " ".join(text.split())


def ask(folder: Path, texts: int, *more: str | Path, questions: int = ASKED) -> str:
    """What a run prints in which ``texts`` of the replies are the text of the right option and the others a
    letter."""
    release = write_mcq_release(folder / "mcq", questions)
    with ChatServer(mode=f"texts:{texts}") as server:
        model = f"{server.url}/v1#talker"
        done = folkways(
            "run",
            "blend/mcq",
            "--model",
            model,
            "--release",
            release,
            "--name",
            "talk",
            "-w",
            folder / "w.db",
            *more,
        )
    assert done.returncode == 0, done
    return words(done.stdout + done.stderr)


def percent_right(texts: int) -> tuple[str, str]:
    """What letters alone give, and what texts and letters give together."""
    letters = sum(right_letter(place) == "B" for place in range(texts, ASKED))
    return number(100 * letters / ASKED), number(100 * (texts + letters) / ASKED)


def test_the_profile_that_reads_the_replies_is_named_with_its_score_and_the_command(tmp_path: Path) -> None:
    printed = ask(tmp_path, 102, "--report", tmp_path / "report")
    paper, strict = percent_right(102)
    sentence = (
        f"on blend/mcq: paper reads 18 of 120 replies, which gives {paper}; strict reads 120, which gives "
        f"{strict}: "
        "folkways score talk --profile strict"
    )
    assert sentence in printed
    page, short = (
        words((tmp_path / "report" / name).read_text(encoding="utf-8"))
        for name in ("report.html", "report.md")
    )
    assert sentence in page
    assert sentence.replace("_", "\\_") in short
    scored = words(folkways("score", "talk", "--profile", "strict", "-w", tmp_path / "w.db").stdout)
    assert f" {strict} " in scored
    assert "paper reads" not in scored  # this is the profile that reads most
    both = words(folkways("report", "talk", "-w", tmp_path / "w.db", "--out", tmp_path / "both").stdout)
    assert "wrote" in both
    assert sentence in words((tmp_path / "both" / "report.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("texts", "is_named"), [pytest.param(0, False, marks=pytest.mark.nightly), (12, False), (13, True)]
)
def test_from_a_tenth_of_unreadable_replies_on(tmp_path: Path, texts: int, is_named: bool) -> None:
    assert ("paper reads" in ask(tmp_path, texts)) is is_named


def test_of_a_sample_the_other_profile_gives_what_its_scores_say(tmp_path: Path) -> None:
    """The estimate of a run that stopped at a precision is not the mean of what it asked."""
    printed = ask(tmp_path, 600, "--until", "12", questions=1000)
    gives = re.search(r"strict reads \d+, which gives ([\d.]+): folkways", printed)
    scored = words(folkways("score", "talk", "--profile", "strict", "-w", tmp_path / "w.db").stdout)
    assert gives and f" {gives[1]} " in scored
    judged = load_run("talk", tmp_path / "w.db").judgements("strict")
    assert judged.height < 1000 and number(100 * judged["accuracy"].mean()) != gives[1]


def test_a_profile_that_reads_no_more_is_not_named(tmp_path: Path) -> None:
    release = tmp_path / "culturalbench"
    release.mkdir()
    write_culturalbench(release, *rows_of("Japan", "South Korea"))
    with ChatServer(mode="fixed:Well, hmm.") as server:
        model = f"{server.url}/v1#plain"
        options = ("--limit", 60, "--release", release, "-w", tmp_path / "w.db")
        done = folkways("run", "culturalbench/easy", "--model", model, *options)
    assert done.returncode == 0, done
    printed = words(done.stdout + done.stderr)
    assert "no answer could be read out of" in printed
    assert "--profile" not in printed


@pytest.mark.parametrize(
    ("task", "said", "read"),
    [
        ("easy", "Answer: A.", r"0 of [\d,]+ replies"),
        ("hard", "Answer: True.", r"the replies to 0 of [\d,]+ questions"),
    ],
)
def test_of_several_profiles_the_one_that_reads_most_is_named(
    tmp_path: Path, task: str, said: str, read: str
) -> None:
    release = tmp_path / "culturalbench"
    release.mkdir()
    write_culturalbench(release, *rows_of("Japan", "South Korea"))
    with ChatServer(mode=f"fixed:{said}") as server:  # no reply is the label and nothing else
        model = f"{server.url}/v1#talker"
        options = ("--limit", 60, "--release", release, "-w", tmp_path / "w.db")
        done = folkways("run", f"culturalbench/{task}", "--model", model, *options)
    assert done.returncode == 0, done
    sentence = rf"paper reads {read}, which gives 0\.0; lenient reads [\d,]+, which gives"
    assert re.search(sentence, words(done.stdout + done.stderr))


def test_where_the_data_are_gone_scores_are_shown_without_what_another_profile_would_give(
    tmp_path: Path,
) -> None:
    def shown() -> tuple[bool, float]:
        data = load_run("talk", tmp_path / "w.db").report_data(with_judgements=False)
        whole = data.scores.filter(facet="all", metric="accuracy")
        return any("paper reads" in sentence for sentence in data.warnings), whole["score"].item()

    ask(tmp_path, 102)
    named, score = shown()
    shutil.rmtree(tmp_path / "mcq")
    assert named and shown() == (False, score)
