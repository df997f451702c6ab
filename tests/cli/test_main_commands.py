"""From questions to a report by commands, as a person types them."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import polars as pl
import pytest

from folkways.cli import quickstart
from folkways.cli.quickstart import RECORDED, TASKS
from folkways.records import SCORES
from tests.support.blend_data import write_mcq
from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, folkways, folkways_process, rows, wait_for
from tests.support.gguf_file import real_model
from tests.support.mcq_data import write_mcq_release

QUESTIONS = 200


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release ``mcq``, a file of prices and, after the first command, the workspace
    ``w.db``."""
    folder = tmp_path_factory.mktemp("river")
    write_mcq_release(folder / "mcq", QUESTIONS)
    return folder


@pytest.fixture(scope="module")
def first_run(server: ChatServer, folder: Path) -> tuple[Done, int]:
    """Two models on two tasks, with a report; and the requests that this took."""
    prices = f'[usd_per_million_tokens]\n"{server.url}/v1#test-model" = {{ input = 1.0, output = 2.0 }}\n'
    (folder / "prices.toml").write_text(prices, encoding="utf-8")
    before = server.stats()["total"]
    done = command("run", server, "--name", "both", "--report", "report", folder=folder)
    return done, server.stats()["total"] - before


@pytest.fixture(scope="module")
def run_output(first_run: tuple[Done, int]) -> Done:
    return first_run[0]


def command(verb: str, server: ChatServer, *more: object, folder: Path) -> Done:
    asked = ("blend/mcq", "demo/saq", "--release", "blend=mcq", "--prices", "prices.toml", "-w", "w.db")
    models = ("--model", f"{server.url}/v1#test-model", "--model", "baseline/first")
    return folkways(verb, *asked, *models, *more, cwd=folder)


def test_estimate_run_and_estimate_again(
    server: ChatServer, first_run: tuple[Done, int], folder: Path
) -> None:
    fresh = command("estimate", server, "--json", "-w", "none.db", folder=folder)
    assert not (folder / "none.db").exists()
    before = [entry for entry in json.loads(fresh.stdout) if entry["endpoint"].startswith("http")]
    assert first_run[1] == sum(entry["requests"] for entry in before)
    assert all(entry["usd"] > 0 and entry["stored"] == 0 for entry in before)
    after = command("estimate", server, folder=folder)
    assert after.returncode == 0, after.stderr
    assert "0 requests, at most US$ 0.00." in after.stdout
    assert re.search(r"Input tokens of \S*test-model: estimated from [\d,]+ stored replies", after.stdout)


def test_run_tells_progress_scores_and_where_the_report_is(run_output: Done, folder: Path) -> None:
    assert run_output.returncode == 0, run_output.stderr
    assert "Starting both in w.db" in run_output.stderr
    assert re.search(r"#test-model: [\d,]+ of [\d,]+, [\d,.]+/s", run_output.stderr)
    assert (
        len(re.findall(r"^wrote report/report\.html, and \d+ more files$", run_output.stderr, re.MULTILINE))
        == 1
    )
    assert run_output.stderr.count("wrote ") == 1
    assert "Traceback" not in run_output.stderr
    for words in ("BLEnD multiple choice", "Demo: short answers", "test-model"):
        assert words in run_output.stdout
    assert "\x1b" not in run_output.stdout + run_output.stderr  # no colours where there is no terminal
    assert {path.name for path in (folder / "report").iterdir()} >= {
        "report.html",
        "report.md",
        "scores.csv",
        "judgements.parquet",
    }


def test_runs_lists_what_there_is(run_output: Done, folder: Path) -> None:
    (entry,) = json.loads(folkways("runs", "--json", "-w", "w.db", cwd=folder).stdout)
    assert (entry["run"], entry["state"], entry["reason"]) == ("both", "finished", None)
    assert entry["tasks"] == ["blend/mcq", "demo/saq"]
    assert (
        entry["expected"]
        == entry["responses"]
        == rows(folder / "w.db", "SELECT count(*) FROM expected")[0][0]
    )
    table = folkways("runs", "-w", "w.db", cwd=folder).stdout
    assert "both" in table
    assert "finished" in table


def test_score_writes_every_format_and_asks_nothing(
    server: ChatServer, run_output: Done, folder: Path
) -> None:
    server.control(forget=True)
    for name in ("scores.csv", "scores.parquet", "scores.json", "scores.jsonl"):
        done = folkways("score", "both", "-w", "w.db", "--out", name, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert server.stats()["total"] == 0
    scores = pl.read_parquet(folder / "scores.parquet")
    assert dict(scores.schema) == {"model": pl.String, **SCORES}
    assert scores.equals(pl.read_parquet(folder / "report" / "scores.parquet").select(scores.columns))
    for other in (
        pl.read_csv(folder / "scores.csv"),
        pl.read_ndjson(folder / "scores.jsonl"),
        pl.read_json(folder / "scores.json"),
    ):
        assert other["score"].to_list() == pytest.approx(scores["score"].to_list(), nan_ok=True)
        assert other["signature"].to_list() == scores["signature"].to_list()


def test_report_of_a_run_is_one_file_without_network(run_output: Done, folder: Path) -> None:
    done = folkways(
        "report",
        "both",
        "-w",
        "w.db",
        "--out",
        "again",
        "--title",
        "Two <models>",
        "--format",
        "html,md",
        "--dispute",
        "https://issues.example.org/new?title={item}",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert "wrote again/report.html" in done.stdout
    html = (folder / "again" / "report.html").read_text(encoding="utf-8")
    assert "Two &lt;models&gt;" in html
    assert not re.search(
        r"""(?:src|href)=["']https?://(?!huggingface|github|creativecommons|arxiv|aclanthology)[^"']*\.(?:js|css)""",
        html,
    )
    assert not (folder / "again" / "scores.csv").exists()
    assert re.search(
        r'href="https://issues\.example\.org/new\?title=[\w%-]+" rel="noopener noreferrer"', html
    )
    refused = folkways("report", "both", "-w", "w.db", "--dispute", "javascript:alert(1)", cwd=folder)
    assert refused.returncode == 2
    assert "'javascript:alert(1)' is not an address at which to dispute a question" in refused.stderr


def test_show_prints_an_item_with_everything_that_is_known_of_it(
    server: ChatServer, run_output: Done, folder: Path
) -> None:
    item = rows(folder / "w.db", "SELECT item FROM expected WHERE task = 'blend/mcq' LIMIT 1")[0][0]
    done = folkways("show", f"blend/mcq:{item}", "-w", "w.db", cwd=folder)
    assert done.returncode == 0, done.stderr
    for words in (item, "Riddle 0", "baseline/first", f"{server.url}/v1#test-model"):
        assert words in done.stdout
    known = json.loads(folkways("show", item, "-w", "w.db", "--run", "both", "--json", cwd=folder).stdout)
    assert item in json.dumps(known)


def test_a_budget_ends_with_exit_code_1_and_says_how_to_go_on(server: ChatServer, folder: Path) -> None:
    server.control(forget=True)
    model = f"{server.url}/v1#another"
    asked = ("run", "blend/mcq", "--release", "mcq", "--model", model, "-w", "budget.db")
    done = folkways(*asked, "--budget", "50requests", cwd=folder)
    assert done.returncode == 1
    assert "run-1 is not finished: the budget is used up" in done.stderr
    words = " ".join(done.stderr.split())
    assert words.endswith("Run the same command again to continue. It has its whole budget again.")
    assert server.stats()["total"] == 50
    small = " ".join(folkways(*asked, "--budget", "3tokens", cwd=folder).stderr.split())
    assert small.endswith("no room for a single request: give a larger one with --budget.")
    assert server.stats()["total"] == 50
    again = folkways(*asked, cwd=folder)
    assert (again.returncode, "Continuing run-1" in again.stderr) == (0, True)
    assert server.stats()["total"] == server.stats()["distinct"] == QUESTIONS


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """A quickstart with recorded replies, and its folder."""
    folder = tmp_path_factory.mktemp("offline") / "quick"
    return folkways("quickstart", "--offline", "--out", folder), folder


def test_quickstart_needs_nothing_and_gives_a_report(offline: tuple[Done, Path]) -> None:
    done, folder = offline
    assert done.returncode == 0, done.stderr
    assert "recorded replies are used instead of the model, as --offline asks for." in done.stderr
    assert f"Report:    {folder / 'report.html'}" in done.stdout
    assert (folder / "report.html").stat().st_size > 10_000
    asked = rows(folder / "folkways.db", "SELECT DISTINCT name FROM endpoints ORDER BY name")
    assert asked[-1] == (f"replay:{folder / RECORDED}",)


def test_a_quickstart_that_is_interrupted_ends_as_a_run_does_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who presses Ctrl-C did not ask for recorded replies."""
    with ChatServer(mode="letter", latency=0.3) as server:
        monkeypatch.setattr(quickstart, "MODEL", f"{server.url}/v1#small")
        monkeypatch.setattr(quickstart, "PACKAGES", ())

        def interrupt() -> None:
            wait_for(lambda: server.stats()["total"])
            os.kill(os.getpid(), signal.SIGINT)

        pressing = Thread(target=interrupt)
        pressing.start()
        done = folkways("quickstart", "--out", tmp_path)
        pressing.join()
        assert done.returncode == 130, done
        assert (
            "run-1 is not finished: interrupted by the user. Run the same command again to continue."
            in done.stderr
        )
        assert "recorded" not in done.stderr
        server.control(latency=0.0)
        again = folkways("quickstart", "--out", tmp_path)
        stats = server.stats()
    assert again.returncode == 0, again.stderr
    assert rows(tmp_path / "folkways.db", "SELECT name, state FROM runs") == [("run-1", "finished")]
    assert stats["total"] == stats["distinct"]


@pytest.mark.nightly  # two minutes of a real model; tests/runs/test_gguf.py asks it a little every time
def test_the_quickstart_asks_the_real_model_where_it_is_installed(tmp_path: Path) -> None:
    real_model()
    done = folkways_process("quickstart", "--out", tmp_path / "quick", timeout=540)
    assert done.returncode == 0, done.stderr
    assert "recorded" not in done.stderr
    told = rows(
        tmp_path / "quick" / "folkways.db",
        "SELECT task, answered FROM scores WHERE endpoint LIKE 'gguf/smollm2%' AND facet = 'all' ORDER BY id",
    )
    assert {task for task, _ in told} == set(TASKS)
    assert all(answered for _, answered in told)
    page = (tmp_path / "quick" / "report.html").read_text(encoding="utf-8")
    assert "What was said" in page and "What not to believe" in page


def test_the_recorded_replies_are_those_to_the_questions_of_today(offline: tuple[Done, Path]) -> None:
    """Every question of the quickstart has one, and the wrong ones among them can be read."""
    lost = "SELECT COUNT(*), SUM(failed + missing) FROM scores WHERE facet = 'all' AND subject = 'model'"
    (found,) = rows(offline[1] / "folkways.db", lost)
    assert found[0] and found[1] == 0


def test_a_report_of_a_profile_that_was_not_scored_leaves_nothing_out_in_silence(tmp_path: Path) -> None:
    release = write_mcq(tmp_path / "data")
    asked = (
        "blend/mcq",
        "demo/mcq",
        "--model",
        "baseline/first",
        "--release",
        f"blend={release}",
        "--name",
        "one",
        "-w",
        "w.db",
    )
    assert folkways("run", *asked, cwd=tmp_path).returncode == 0
    report = ("report", "one", "--profile", "strict", "--format", "md", "-w", "w.db")
    done = folkways(*report, cwd=tmp_path)
    assert done.returncode == 2
    assert "run one was not scored on blend/mcq under the profile strict" in done.stderr
    assert folkways("score", "one", "--profile", "strict", "-w", "w.db", cwd=tmp_path).returncode == 0
    assert folkways(*report, cwd=tmp_path).returncode == 0


def test_a_run_is_scored_again_with_the_prices_that_it_was_asked_with(run_output: Done, folder: Path) -> None:
    cost = re.search(r"US\$ [\d.]*[1-9]\d*", run_output.stdout)
    assert cost is not None
    again = folkways("score", "both", "-w", "w.db", "--prices", "prices.toml", cwd=folder)
    assert again.returncode == 0 and cost[0] in again.stdout, again.stderr
    assert cost[0] not in folkways("score", "both", "-w", "w.db", cwd=folder).stdout
