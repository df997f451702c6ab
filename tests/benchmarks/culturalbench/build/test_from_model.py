"""Sorting by a model: a server process that is asked in batches, passes questions over, fails and is
killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from folkways.benchmarks.culturalbench.build.from_votes import build_from_votes
from folkways.benchmarks.culturalbench.build.topics import own_topics
from folkways.benchmarks.culturalbench.votes_files import write_votes
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.cli.build import command as build
from folkways.errors import FolkwaysError
from tests.support.chat_server import ChatServer
from tests.support.chat_topics import topic_of
from tests.support.command_line import Done, folkways, kill, rows, start, wait_for
from tests.support.votes_data import large_collection

NAMES = [topic.name for topic in own_topics().topics]


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode="topics:10") as running:
        yield running


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    write_votes(large_collection(70), folder / "votes")
    build_from_votes("easy", [folder / "votes"], folder / "mine")
    return folder / "mine"


def command(server: ChatServer, release: Path, folder: Path, *more: object) -> tuple[object, ...]:
    model = f"{server.url}/v1#test-model"
    return (
        "build",
        "topics",
        "--release",
        release,
        "-m",
        model,
        "--out",
        folder / "topics.csv",
        "-w",
        folder / "w.db",
        *more,
    )


def sort(server: ChatServer, release: Path, folder: Path, *more: object) -> Done:
    return folkways(*command(server, release, folder, *more))


def record(folder: Path) -> dict[str, object]:
    return json.loads((folder / "topics.build.json").read_text())


def expected(release: Path) -> dict[str, str]:
    """Question -> the topic that the server gives it, from the released file."""
    table = pl.read_csv(release / "CulturalBench-Easy.csv", infer_schema=False)
    found = {}
    for row in table.iter_rows(named=True):
        options = [row[f"prompt_option_{letter}"] for letter in "abcd"]
        told = "" if "(ii)" in row["prompt_question"] else f" Options: {' / '.join(options)}"
        line = " ".join(f"({row['country']}) {row['prompt_question']}{told}".split())
        found[row["question_idx"]] = NAMES[topic_of(line, len(NAMES))]
    return found


def test_every_question_gets_its_topic_and_those_passed_over_are_asked_singly(
    server: ChatServer, release: Path, tmp_path: Path
) -> None:
    server.control(forget=True, mode="topics:10", latency=0.0)
    done = sort(server, release, tmp_path)
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(tmp_path / "topics.csv", infer_schema=False)
    assert table.columns == ["question_idx", "topic", "head"]
    assert dict(table.select("question_idx", "topic").iter_rows()) == expected(release)
    told = record(tmp_path)
    batches = -(-table.height // 20)
    assert told["asked_singly"] > 0
    assert server.stats()["total"] == server.stats()["distinct"] == batches + int(str(told["asked_singly"]))
    assert done.stdout.startswith(f"{table.height} of {table.height} questions sorted by ")
    own = shutil.copytree(release, tmp_path / "mine")
    shutil.copy(tmp_path / "topics.csv", own)
    items = get_task("culturalbench/easy").items(open_release(str(own), "culturalbench"))
    assert dict(items.select("question", "topic").iter_rows()) == expected(
        release
    )  # as tasks group scores by it
    again = sort(server, release, tmp_path)
    assert again.returncode == 0
    assert server.stats()["total"] == batches + int(str(told["asked_singly"]))  # nothing is asked twice
    assert rows(tmp_path / "w.db", "SELECT DISTINCT state FROM runs") == [("finished",)]


def test_what_stays_unsorted_is_left_out_and_named(server: ChatServer, release: Path, tmp_path: Path) -> None:
    reply = json.dumps({"2": NAMES[3]})  # of each batch; nobody has a second question when asked singly
    server.control(forget=True, mode=f"fixed:{reply}", latency=0.0)
    done = sort(server, release, tmp_path, "--batch", 50)
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(tmp_path / "topics.csv", infer_schema=False)
    assert (table.height, table["topic"].unique().to_list()) == (2, [NAMES[3]])
    told = record(tmp_path)
    left_out = int(str(told["questions"])) - 2
    assert (told["sorted"], len(told["left_out"])) == (2, left_out)  # type: ignore[arg-type]
    assert done.stderr.count("the model's reply names none of the topics") == left_out


def test_a_model_that_sorts_nothing_leaves_the_topics_of_people_alone(release: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("question_idx,topic,head\nq0,Food,Life\n")
    model = ("-m", "baseline/constant:no idea", "-w", tmp_path / "w.db")
    done = folkways("build", "topics", "--release", release, *model, "--out", tmp_path / "topics.csv")
    assert done.returncode == 2
    assert "error: no question is sorted, and nothing was written\nleft out: " in done.stderr
    assert ": the model's reply names none of the topics\n" in done.stderr
    assert (tmp_path / "topics.csv").read_text() == "question_idx,topic,head\nq0,Food,Life\n"
    assert not (tmp_path / "topics.build.json").exists()


def test_agreement_with_labels_of_people(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode="topics:0", latency=0.0)
    sorted_by_model = list(expected(release).items())[:20]
    labels = [
        (key, topic if number % 4 else NAMES[(NAMES.index(topic) + 1) % 17])
        for number, (key, topic) in enumerate(sorted_by_model)
    ]
    (tmp_path / "labels.csv").write_text(
        "question_idx,topic\n" + "".join(f"{key},{topic.upper()}\n" for key, topic in labels)
    )
    done = sort(server, release, tmp_path, "--labelled", tmp_path / "labels.csv")
    assert done.returncode == 0, done.stderr
    assert "agreement with 20 labels: 75.0 % (" in done.stdout
    told = record(tmp_path)
    agreement = told["agreement"]
    assert isinstance(agreement, dict)
    assert (agreement["labelled"], agreement["percent"]) == (20, 75.0)
    assert agreement["kappa_interval"][0] < agreement["kappa"] < 0.75 < agreement["kappa_interval"][1]
    assert told["differing"] == [
        {"question_idx": key, "label": label, "model": topic}
        for (key, label), (_, topic) in zip(labels, sorted_by_model, strict=True)
        if label != topic
    ]


def test_a_list_of_ones_own(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode="topics:0", latency=0.0)
    heads = "".join(
        f'[[head]]\nname = "{head}"\n[[head.topic]]\nname = "{topic}"\n'
        for head, topic in (("Feasts", "Bread"), ("Rest", "Tea"))
    )
    (tmp_path / "mine.toml").write_text(heads)
    done = sort(server, release, tmp_path, "--topics", tmp_path / "mine.toml")
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(tmp_path / "topics.csv")
    assert set(table.select("topic", "head").iter_rows()) == {("Bread", "Feasts"), ("Tea", "Rest")}


def test_a_killed_sorting_goes_on_where_it_was(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode="topics:10", latency=0.3)
    process = start(*command(server, release, tmp_path, "--batch", 5, "--concurrency", 1))
    wait_for(lambda: server.stats()["answered"] > 3, process=process)
    kill(process)
    assert not (tmp_path / "topics.csv").exists()
    stored = rows(tmp_path / "w.db", "SELECT count(*) FROM responses")[0][0]
    assert stored > 0
    server.control(latency=0.0)
    before = server.stats()["total"]
    done = sort(server, release, tmp_path, "--batch", 5)
    assert done.returncode == 0, done.stderr
    told = record(tmp_path)
    needed = -(-int(str(told["questions"])) // 5) + int(str(told["asked_singly"]))
    assert server.stats()["total"] - before == needed - stored
    assert dict(pl.read_csv(tmp_path / "topics.csv").select("question_idx", "topic").iter_rows()) == expected(
        release
    )


def test_a_budget_is_one_for_all_rounds(server: ChatServer, release: Path, tmp_path: Path) -> None:
    """Batches fit, asking singly does not: the budget of the second round is what the first has left."""
    server.control(forget=True, mode="topics:40", latency=0.0)
    questions = len(expected(release))
    batches = -(-questions // 10)
    done = sort(server, release, tmp_path, "--batch", 10, "--budget", f"{batches + 2}requests")
    assert done.returncode == 1
    assert server.stats()["total"] == batches + 2
    assert "run the same command again" in done.stderr
    assert not (tmp_path / "topics.csv").exists()
    assert sort(server, release, tmp_path, "--batch", 10).returncode == 0
    assert server.stats()["total"] == server.stats()["distinct"]


@pytest.mark.parametrize(
    ("files", "arguments", "message"),
    [
        ({}, ("--out", "topics.txt"), "must end in .csv"),
        ({}, ("--topics", "none.toml"), "there is no file none.toml, which should be a list of topics"),
        ({"t.toml": "name = 1"}, ("--topics", "t.toml"), "t.toml: has no heads"),
        (
            {"l.csv": "question,topic\nq1,Religion\n"},
            ("--labelled", "l.csv"),
            "l.csv: lacks the column 'question_idx'",
        ),
        (
            {"l.csv": "question_idx,topic\nx,Religion\n"},
            ("--labelled", "l.csv"),
            "l.csv, row 1: the release has no question 'x'",
        ),
        (
            {"l.csv": "question_idx,topic\nq1,Cars\n"},
            ("--labelled", "l.csv"),
            "l.csv, row 1: 'Cars' is not one of the topics: Food and",
        ),
        (
            {"l.csv": "question_idx,topic\nq1,Religion\nq1,Workplace\n"},
            ("--labelled", "l.csv"),
            "l.csv, row 2: question 'q1' has the label 'Religion' already",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    server: ChatServer,
    release: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    server.control(forget=True, mode="topics:0", latency=0.0)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    words = [str(word) for word in (*command(server, release, tmp_path)[1:], *arguments)]
    with pytest.raises(FolkwaysError) as error:
        CliRunner().invoke(build, words, catch_exceptions=False)
    assert message in str(error.value)
    assert error.value.exit_code == 2
    assert server.stats()["total"] == 0
