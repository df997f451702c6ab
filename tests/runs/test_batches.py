"""``folkways run --batch`` against servers of the providers' batch interfaces: every question is paid once,
whatever goes wrong."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from folkways.api import load_run
from folkways.endpoints.servers.batches.base import HttpBatches
from folkways.workspace.database import open_workspace
from folkways.workspace.queue import batches
from folkways.workspace.queue.request_queue import RequestQueue
from tests.support.batch_server import BatchServer, said
from tests.support.command_line import Done, environment, finish, folkways, kill, rows, start, wait_for

Mcq = Callable[[int], Path]

QUESTIONS = 30
KEY = "sk-of-the-tests-0123456789"


@dataclass(frozen=True)
class Provider:
    model: str
    environment: dict[str, str]


PROVIDERS = {
    "openai": lambda url: Provider(
        "openai/gpt-4o-mini", {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY}
    ),
    "anthropic": lambda url: Provider(
        "anthropic/claude-3-5-haiku-latest", {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}
    ),
    "google": lambda url: Provider(
        "google/gemini-2.0-flash", {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY}
    ),
}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer() as running:
        yield running


class Study:
    """A run of one model, whose command can be given again."""

    def __init__(self, provider: Provider, release: Path, folder: Path) -> None:
        self.workspace = folder / "w.db"
        self.environment = environment(**provider.environment)
        self.command = (
            "run",
            "blend/mcq",
            "--release",
            release,
            "--model",
            provider.model,
            "-w",
            self.workspace,
            "--batch",
        )

    def run(self, *more: object) -> Done:
        return folkways(*self.command, *more, env=self.environment)

    def start(self, *more: object) -> object:
        return start(*self.command, *more, env=self.environment)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return rows(self.workspace, query)

    def check_finished(self, batched: int = QUESTIONS) -> None:
        assert self.rows("SELECT state FROM runs") == [("finished",)]
        assert self.rows("SELECT count(*), sum(batched) FROM responses") == [(QUESTIONS, batched)]
        assert self.rows("SELECT DISTINCT state FROM batches") == [("collected",)]
        assert self.rows("SELECT count(*) FROM claims") == [(0,)]


def with_one(provider: str) -> pytest.MarkDecorator:
    """For what is the same whoever the provider is."""
    return pytest.mark.parametrize("study", [provider], indirect=True)


def with_first(provider: str) -> pytest.MarkDecorator:
    """For what is alike whoever the provider is: the others at night."""
    at_night = [pytest.param(other, marks=pytest.mark.nightly) for other in PROVIDERS if other != provider]
    return pytest.mark.parametrize("study", [provider, *at_night], indirect=True)


@pytest.fixture(params=PROVIDERS)
def study(request: pytest.FixtureRequest, server: BatchServer, mcq: Mcq, tmp_path: Path) -> Study:
    return Study(PROVIDERS[request.param](server.url), mcq(QUESTIONS), tmp_path)


def test_a_run_in_batches_is_the_run_one_by_one(study: Study, server: BatchServer, tmp_path: Path) -> None:
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert server.stats()["sizes"] == [QUESTIONS]
    assert "singles" not in server.stats()
    assert f"{QUESTIONS} requests have left in batch " in done.stderr
    alone = tmp_path / "alone.db"
    command = [alone if part == study.workspace else part for part in study.command[:-1]]
    assert folkways(*command, env=study.environment).returncode == 0
    same = (
        "SELECT key, text, input_tokens, output_tokens, finish_reason, model, thoughts FROM responses "
        "ORDER BY key"
    )
    assert study.rows(same) == rows(alone, same)
    scores = (
        "SELECT task, metric, facet, value, score, low, high, n, signature FROM scores ORDER BY 1, 2, 3, 4"
    )
    assert study.rows(scores) == rows(alone, scores)
    # The bodies are the same to the byte: each was seen once in a batch and once alone.
    assert (server.stats()["distinct"], server.stats()["again"]) == (QUESTIONS, QUESTIONS)


def test_what_failed_is_missing_or_ran_out_of_time_is_asked_one_by_one(
    study: Study, server: BatchServer
) -> None:
    server.control(errored=3, missing=2, expired=4)
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished(batched=QUESTIONS - 9)
    assert (server.stats()["singles"], server.stats()["sizes"]) == (9, [QUESTIONS])


@with_first("openai")
def test_an_upload_that_is_turned_away_is_tried_again(study: Study, server: BatchServer) -> None:
    server.control(upload=[429, 503])
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert server.stats()["turned away"] == 2
    assert len(server.stats()["names"]) == 1


def test_a_batch_that_was_taken_without_a_word_is_found_and_not_sent_again(
    study: Study, server: BatchServer
) -> None:
    server.control(silent=1)
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert server.stats()["sizes"] == [QUESTIONS]


@with_one("anthropic")
def test_ctrl_c_leaves_batches_out_and_the_same_command_collects_them(
    study: Study, server: BatchServer
) -> None:
    server.control(ready=False)
    process = study.start()
    wait_for(lambda: study.rows("SELECT 1 FROM batches WHERE state = 'out'"), process=process)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert f"{QUESTIONS} requests are out in 1 batch" in done.stderr
    assert "Run the same command again, also days later" in done.stderr
    listed = json.loads(folkways("runs", "-w", study.workspace, "--json").stdout)
    assert [(run["state"], run["out"]) for run in listed] == [("interrupted", QUESTIONS)]
    report = " ".join(folkways("score", "run-1", "-w", study.workspace).stdout.split())
    assert "Collect the replies with the command that sent the batches, with --batch." in report
    assert "folkways work" not in report
    estimated = folkways("estimate", *study.command[1:], env=study.environment).stdout
    assert f"{QUESTIONS} further requests are out in batches already; the command that sent" in estimated
    assert "\n0 requests, at most US$ 0.00." in estimated or "\n0 requests." in estimated
    # Without --batch nobody asks what is out.
    command = study.command[:-1]
    plain = folkways(*command, env=study.environment)
    assert plain.returncode == 1
    worker = folkways("work", "run-1", "-w", study.workspace, env=study.environment)
    assert worker.returncode == 1
    for other in (plain, worker):
        assert f"is not finished: {QUESTIONS} requests are out in batches. Give the" in other.stderr
        assert " ".join(other.stderr.split()).endswith(
            "Give the command that sent them again, with --batch, to collect the replies."
        )
        assert "same command" not in other.stderr
    told = (
        f"({QUESTIONS} requests are out in batches): what was not asked counts as missing, and stays in the "
    )
    assert (
        f"{told}denominators. Collect the replies with the command that sent the batches, with --batch."
        in (" ".join(plain.stdout.split()))
    )
    assert "singles" not in server.stats()
    server.control(ready=True)
    again = study.run()
    assert again.returncode == 0, again.stderr
    study.check_finished()
    assert (server.stats()["sizes"], server.stats()["again"]) == ([QUESTIONS], 0)


@with_one("anthropic")
def test_a_kill_between_upload_and_bookkeeping_pays_nothing_twice(study: Study, server: BatchServer) -> None:
    server.control(stall=600, ready=False)
    process = study.start()
    wait_for(lambda: server.stats()["names"], process=process)
    kill(process)
    assert study.rows("SELECT state, number FROM batches") == [("leaving", None)]
    server.control(stall=0, ready=True)
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert (server.stats()["sizes"], server.stats()["again"]) == ([QUESTIONS], 0)


@with_one("google")
def test_a_kill_before_the_upload_sends_the_batch_once(study: Study, server: BatchServer) -> None:
    server.control(upload=[503] * 1000)
    process = study.start("--attempts", 1000)
    wait_for(lambda: server.stats().get("turned away"), process=process)
    kill(process)
    assert study.rows("SELECT state FROM batches") == [("leaving",)]
    server.control(upload=[])
    done = study.run()
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert server.stats()["sizes"] == [QUESTIONS]


@with_one("openai")
def test_one_that_joins_while_another_packs_a_batch_waits_for_it(study: Study, server: BatchServer) -> None:
    server.control(upload=[401])
    assert study.run().returncode == 1, "planned, and nothing has left"
    workspace = open_workspace(study.workspace)
    queue = RequestQueue(workspace, 1)
    queue.enter()
    keys = [request.key for request in queue.claim(1, 0, QUESTIONS, ()).requests]
    assert len(keys) == QUESTIONS
    joining = study.start()
    wait_for(lambda: study.rows("SELECT count(*) FROM workers") == [(2,)], 60, joining)
    time.sleep(1.5)  # it has looked whether something is out, and nothing was
    batches.write_down(workspace, 1, 1, queue.worker, keys)
    queue.give_back(keys)
    queue.leave()  # and dies
    workspace.close()
    done = finish(joining, 120)
    assert done.returncode == 0, done.stderr
    study.check_finished()
    assert (server.stats()["sizes"], server.stats().get("singles", 0)) == ([QUESTIONS], 0)


def test_the_key_is_neither_shown_nor_stored(study: Study, server: BatchServer) -> None:
    server.control(upload=[401])
    done = study.run()
    assert done.returncode == 1
    assert KEY not in done.stdout + done.stderr
    assert study.rows("SELECT count(*) FROM batches") == [(0,)]
    assert KEY.encode() not in study.workspace.read_bytes()


@with_one("openai")
def test_a_batch_that_was_taken_though_the_server_said_503_is_paid_once(
    study: Study, server: BatchServer, prices: Path
) -> None:
    """The provider is asked for it first, while another process waits for it, too."""
    server.control(broken=1)
    first = study.start("--prices", prices)
    wait_for(lambda: study.rows("SELECT 1 FROM batches"), process=first)
    second = study.run("--prices", prices)
    done = finish(first)
    assert (done.returncode, second.returncode) == (0, 0), done.stderr + second.stderr
    assert study.rows("SELECT count(*), sum(batched) FROM responses") == [(QUESTIONS, QUESTIONS)]
    assert (server.stats()["sizes"], server.stats()["again"]) == ([QUESTIONS], 0)
    run = load_run("last", study.workspace, prices)
    assert run.report_data().runs[0].cost == QUESTIONS * PER_REPLY
    run.workspace.close()


PER_REPLY = 0.5  # US dollars: a token comes out of each, and costs 1, of which half is paid in batches


@pytest.fixture
def prices(study: Study, tmp_path: Path) -> Path:
    file = tmp_path / "dear.toml"
    file.write_text(
        f'[usd_per_million_tokens]\n"{study.command[5]}" = {{ input = 0, output = 1000000, batch = 0.5 }}\n'
    )
    return file


@with_one("google")
@pytest.mark.parametrize(("budget", "sizes"), [(60, [12, 10, 8]), (10, [2, *[1] * 9])])
def test_a_budget_holds_for_batches_at_half_the_price(
    study: Study, server: BatchServer, prices: Path, budget: int, sizes: list[int]
) -> None:
    """A reply may have 10 tokens and has one: of what is set aside, 5 dollars for each request, 4.5 are free
    when it is back."""
    done = study.run("--budget", f"{budget}usd", "--prices", prices, "--setting", "max_tokens=10")
    asked = sum(sizes)
    assert server.stats()["sizes"] == sizes
    assert "singles" not in server.stats()
    assert study.rows("SELECT count(*), sum(output_tokens) FROM responses") == [(asked, asked)]
    assert asked * PER_REPLY <= budget
    assert f"${asked * PER_REPLY:,.2f}" in done.stderr
    whole = asked == QUESTIONS
    assert (done.returncode, study.rows("SELECT state FROM runs")) == (
        (0, [("finished",)]) if whole else (1, [("budget",)])
    )


@with_one("anthropic")
def test_a_budget_in_requests_holds_for_batches(study: Study, server: BatchServer) -> None:
    done = study.run("--budget", "12requests")
    assert done.returncode == 1
    assert study.rows("SELECT state FROM runs") == [("budget",)]
    assert sum(server.stats()["sizes"]) == 12
    assert study.rows("SELECT count(*) FROM responses") == [(12,)]


@with_first("anthropic")
def test_estimates_and_reports_count_the_price_of_batches(study: Study, tmp_path: Path) -> None:
    asked = study.command[1:-1]
    whole, half = (
        json.loads(folkways("estimate", *asked, *more, "--json").stdout) for more in ([], ["--batch"])
    )
    assert whole[0]["usd"] > 0
    assert half[0]["usd"] == pytest.approx(whole[0]["usd"] / 2)
    prices = tmp_path / "prices.toml"
    model = study.command[5]
    prices.write_text(
        f'[usd_per_million_tokens]\n"{model}" = {{ input = 1000, output = 1000, batch = 0.25 }}\n'
    )
    done = study.run("--prices", prices)
    assert done.returncode == 0, done.stderr
    ((tokens,),) = study.rows("SELECT sum(input_tokens + output_tokens) FROM responses")
    assert isinstance(tokens, int)
    run = load_run("last", study.workspace, prices)
    assert run.report_data().runs[0].cost == pytest.approx(tokens * 1000 * 0.25 / 1e6)
    run.workspace.close()


@pytest.mark.parametrize("study", ["openai", "google"], indirect=True)
def test_a_batch_that_is_refused_stops_the_run_and_may_leave_again(study: Study, server: BatchServer) -> None:
    server.control(refused="Enqueued token limit reached")
    done = study.run()
    assert done.returncode == 1
    assert f"{study.command[5]} refused batch batch" in done.stderr
    assert ": Enqueued token limit reached" in done.stderr
    assert "singles" not in server.stats()
    server.control(refused=None)
    assert study.run().returncode == 0
    study.check_finished()


def test_a_file_goes_out_for_vllm_and_its_results_come_in(
    server: BatchServer, mcq: Mcq, tmp_path: Path
) -> None:
    model = "http://127.0.0.1:9/v1#test-model"  # where nobody listens: no server is needed
    workspace = tmp_path / "w.db"
    command = ("run", "blend/mcq", "--release", mcq(QUESTIONS), "--model", model, "-w", workspace, "--batch")
    done = folkways(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{model}: {QUESTIONS} requests are in a file" in done.stderr
    assert f"run-1 is not finished: {QUESTIONS} requests are out in batches" in done.stderr
    assert rows(workspace, "SELECT state FROM runs") == [("waiting",)]
    (file,) = (tmp_path / "folkways-batches").iterdir()
    assert (
        f"vllm run-batch -i {file} -o {file.with_suffix('.results.jsonl')} --model test-model" in done.stderr
    )
    assert (
        folkways(*command, cwd=tmp_path).returncode == 1
    )  # nothing has come back yet, and nothing leaves twice
    assert [path.name for path in (tmp_path / "folkways-batches").iterdir()] == [file.name]

    carry_out(file, leave_out=4)
    done = folkways(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert "4 requests are out in batches" in done.stderr
    (second,) = (
        path for path in (tmp_path / "folkways-batches").iterdir() if not path.name.startswith(file.stem)
    )
    assert len(second.read_bytes().splitlines()) == 4
    carry_out(second)
    done = folkways(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows(workspace, "SELECT state FROM runs") == [("finished",)]
    assert rows(workspace, "SELECT count(*), sum(batched) FROM responses") == [(QUESTIONS, QUESTIONS)]


def carry_out(file: Path, leave_out: int = 0) -> None:
    """What ``vllm run-batch`` does, in its layout; the first ``leave_out`` requests fail."""
    written = []
    for place, line in enumerate(map(json.loads, file.read_text().splitlines())):
        body = json.loads(said("openai", line["url"], line["body"]))
        response = {"status_code": 200, "request_id": f"vllm-batch-{place}", "body": body}
        if place < leave_out:
            response |= {"status_code": 400, "body": {"error": {"message": "it was not to be", "code": 400}}}
        written.append(
            json.dumps(
                {"id": f"vllm-{place}", "custom_id": line["custom_id"], "response": response, "error": None}
            )
        )
    file.with_suffix(".results.jsonl").write_text("\n".join(reversed(written)) + "\n")


def test_batches_are_no_larger_than_their_provider_takes(
    server: BatchServer, mcq: Mcq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpBatches, "most_requests", 12)
    study = Study(PROVIDERS["openai"](server.url), mcq(QUESTIONS), tmp_path)
    assert study.run().returncode == 0
    study.check_finished()
    assert server.stats()["sizes"] == [12, 12, 6]
    monkeypatch.setattr(HttpBatches, "most_bytes", 3000)
    (tmp_path / "w.db").unlink()
    assert study.run().returncode == 0
    study.check_finished()
    assert max(server.stats()["sizes"][3:]) < 12
    of_each = server.stats()["bytes"][3:]
    assert max(of_each) <= 3000 < min(map(sum, pairwise(of_each)))


def test_models_without_batches_are_named_and_so_are_those_that_have_them(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    done = folkways(
        "run", "demo", "--model", "baseline/random", "--model", "baseline/first", "--batch", "-w", workspace
    )
    assert done.returncode == 2
    assert "baseline/random, baseline/first cannot be asked in batches" in done.stderr
    assert "openai/MODEL" in done.stderr
    rounds = folkways("run", "demo", "--model", "http://h/v1#m", "--until", "5", "--batch", "-w", workspace)
    assert (rounds.returncode, "--until asks in rounds" in rounds.stderr) == (2, True)
