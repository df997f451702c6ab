"""Plan, work and score apart: by several workers, on nodes that share no network, whoever of them dies."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sa
from polars.testing import assert_frame_equal

from folkways.endpoints.base import EndpointOptions
from folkways.runs.models import open_models
from folkways.runs.work import models_of
from folkways.workspace.database import open_workspace
from folkways.workspace.run_records import find_run
from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, finish, folkways, kill, rows, start, wait_for
from tests.support.endpoint_requests import KEY
from tests.support.postgres import postgres_server
from tests.support.sbatch import Sbatch

QUESTIONS = 240
MODEL = "vllm/test-model"
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "cluster.md"


def server_command(latency: float) -> str:
    return (
        f'{sys.executable} -m tests.support.chat_server --port {{port}} --settings \'{{"latency": '
        f"{latency}}}'"
    )


def answered(workspace: str) -> int:
    opened = open_workspace(workspace, create=False)
    try:
        with opened.read() as connection:
            return int(connection.exec_driver_sql("SELECT count(*) FROM responses").scalar() or 0)
    finally:
        opened.close()


@pytest.mark.postgres
@pytest.mark.nightly
def test_the_job_array_of_the_guide_survives_a_lost_node_and_scores_as_one_machine_does(
    mcq: Callable[[int], Path], outcome: Callable[..., tuple], postgres_url: str, tmp_path: Path
) -> None:
    engine = sa.create_engine(postgres_url)
    with engine.connect() as connection:
        folder = connection.exec_driver_sql("SHOW unix_socket_directories").scalar()
    engine.dispose()
    url = sa.make_url(postgres_url)
    # what nodes without a network share
    workspace = f"postgresql://{url.username}@/{url.database}?host={folder}&port={url.port}"

    planned = folkways(
        "plan", "blend/mcq", "--release", mcq(QUESTIONS), "--model", MODEL, "--name", "study", "-w", workspace
    )
    assert f"{MODEL}: {QUESTIONS} requests to be asked" in planned.stdout
    script = re.search(r"^```bash work.sbatch\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)[1]
    assert "--array=0-9\n" in script and "exec folkways work" in script
    script = script.replace("--array=0-9", "--array=0-2").replace(
        "exec folkways", f"exec {sys.executable} -m folkways"
    )
    (tmp_path / "work.sbatch").write_text(
        re.sub(r'--serve ".*"', f"--serve {quoted(server_command(0.5))}", script)
    )
    job = Sbatch(tmp_path / "work.sbatch", environment(FOLKWAYS_WORKSPACE=workspace))
    began = time.monotonic()
    job.submit()
    wait_for(lambda: answered(workspace) >= 40, seconds=120)
    job.requeue(1)
    job.time_is_short(0)
    ended = job.wait(timeout=120)
    assert [code for code, _ in ended.values()] == [143, 0, 0], ended
    assert "Other workers are still asking study" in ended[0][1]
    assert time.monotonic() - began < 85  # its requests were free before a silence of 90 seconds was over
    assert "as slurm test 1001 0" in ended[1][1]
    done = folkways("score", "study", "-w", workspace)
    assert done.returncode == 0 and "100\N{NARROW NO-BREAK SPACE}%" in done.stdout

    with ChatServer() as server:
        alone = str(tmp_path / "alone.db")
        at = f"{MODEL}@{server.url}/v1"
        assert (
            folkways("run", "blend/mcq", "--release", mcq(QUESTIONS), "--model", at, "-w", alone).returncode
            == 0
        )
    for ours, theirs in zip(outcome(workspace), outcome(alone), strict=True):
        assert_frame_equal(ours, theirs)


def test_a_budget_holds_over_all_workers_of_a_run(mcq: Callable[[int], Path], tmp_path: Path) -> None:
    """A reply may have 10 tokens and has one, and a token costs a dollar: two workers at once, one after
    them, one with more."""
    with ChatServer(latency=0.05) as server:
        workspace, model = str(tmp_path / "w.db"), f"{server.url}/v1#test-model"
        prices = tmp_path / "prices.toml"
        prices.write_text(f'[usd_per_million_tokens]\n"{model}" = {{ input = 0, output = 1000000 }}\n')
        asked = ("--release", mcq(QUESTIONS), "--model", model, "--setting", "max_tokens=10")
        assert folkways("plan", "blend/mcq", *asked, "-w", workspace).returncode == 0

        def command(dollars: int) -> tuple[object, ...]:
            return (
                "work",
                "-w",
                workspace,
                "--budget",
                f"{dollars}usd",
                "--prices",
                prices,
                "--concurrency",
                4,
            )

        def spent() -> int:
            (row,) = rows(tmp_path / "w.db", "SELECT sum(output_tokens) FROM responses")
            return int(row[0])

        other = start(*command(60))
        done = [folkways(*command(60)), finish(other)]
        codes = sorted(
            worker.returncode for worker in done
        )  # who ends while the other still asks cannot know how it will end
        assert codes in ([0, 1], [1, 1]), [worker.stderr for worker in done]
        assert 40 <= spent() <= 60
        before = spent()
        assert folkways(*command(60)).returncode == 1
        assert before <= spent() <= 60
        assert folkways(*command(100)).returncode == 1
        assert 80 <= spent() <= 100
        assert rows(tmp_path / "w.db", "SELECT state FROM runs") == [("budget",)]


@pytest.mark.postgres
def test_a_restart_of_the_database_ends_no_worker(mcq: Callable[[int], Path]) -> None:
    """Two of them, in the middle of asking: connections break, are refused, and come to a server that is
    starting."""
    with postgres_server() as database, ChatServer(latency=0.3) as server:
        workspace = f"{database.url.replace('+psycopg', '')}/postgres"
        model = f"{server.url}/v1#test-model"
        assert (
            folkways("plan", "blend/mcq", "--release", mcq(80), "--model", model, "-w", workspace).returncode
            == 0
        )
        workers = [start("work", "-w", workspace, "--concurrency", 4) for _ in range(2)]
        wait_for(lambda: answered(workspace) >= 20, seconds=120)
        database.restart(1.5)
        done = [finish(worker) for worker in workers]
        assert [worker.returncode for worker in done] == [0, 0], [worker.stderr for worker in done]
        assert answered(workspace) == 80


def quoted(command: str) -> str:
    return '"' + command.replace('"', '\\"') + '"'


def test_the_server_ends_with_its_worker_even_if_that_is_killed(
    mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    workspace = str(tmp_path / "w.db")
    assert (
        folkways("plan", "blend/mcq", "--release", mcq(40), "--model", MODEL, "-w", workspace).returncode == 0
    )
    worker = start("work", "-w", workspace, "--serve", server_command(1.0))
    wait_for(lambda: answered(workspace) > 0, seconds=60)
    family = psutil.Process(worker.pid).children(recursive=True)
    assert any("chat_server" in " ".join(process.cmdline()) for process in family)
    kill(worker)
    _gone, alive = psutil.wait_procs(family, timeout=30)
    assert not alive


def test_workers_that_cannot_work_say_why(mcq: Callable[[int], Path], tmp_path: Path) -> None:
    workspace = str(tmp_path / "w.db")
    folkways("plan", "blend/mcq", "--release", mcq(40), "--model", MODEL, "--name", "study", "-w", workspace)

    def told(*arguments: object) -> str:
        done = folkways(*arguments, "-w", workspace)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        return done.stderr

    def recipe(line: str) -> Path:
        (tmp_path / "recipe.toml").write_text(f'tasks = ["demo"]\nmodels = ["vllm/x"]\n{line}\n')
        return tmp_path / "recipe.toml"

    assert "unknown model of run study: 'vllm/other'" in told("work", "study", "--model", "vllm/other")
    assert "does not say where the server is to listen; write {port}" in told(
        "work", "study", "--serve", "vllm serve x"
    )
    assert "nothing can be planned ahead" in told("plan", recipe("until = 5"))
    assert "add --on ray" in told("run", "demo", "--model", MODEL, "--workers", "3")
    assert "unknown key 'serve'" in told("run", recipe('serve = "rm -rf /"'))


def test_a_worker_opens_models_with_the_seed_of_the_plan(tmp_path: Path) -> None:
    workspace = str(tmp_path / "w.db")
    plan = ("plan", "demo/mcq", "--model", "baseline/random", "--limit", "2", "-w", workspace)
    for seed in (0, 5):
        assert folkways(*plan, "--seed", seed, "--name", f"seed {seed}").returncode == 0
        opened = open_workspace(workspace)
        (model,) = models_of(opened, find_run(opened, f"seed {seed}"), ["baseline/random"], 7.0)
        (same,) = open_models(["baseline/random"], EndpointOptions(seed=seed))
        (other,) = open_models(["baseline/random"], EndpointOptions(seed=seed + 1))
        assert model.identity == same.identity != other.identity
        opened.close()


def test_a_worker_that_fails_everything_stops_the_run_and_the_next_session_tries_again(
    mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    workspace = str(tmp_path / "w.db")
    with ChatServer(require_key=KEY) as server:
        at = f"{MODEL}@{server.url}/v1"
        folkways("plan", "blend/mcq", "--release", mcq(40), "--model", at, "--name", "study", "-w", workspace)
        refused = folkways("work", "study", "--model", at, "-w", workspace)
        assert refused.returncode == 1
        assert "study is not finished: " in refused.stderr
        server.control(require_key=None)
        done = finish(start("work", "study", "--model", at, "-w", workspace))
        assert done.returncode == 0, done.stderr
        assert "Everything has been asked" in done.stderr


def test_a_worker_that_cannot_go_on_while_others_do_says_why(
    mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    """A job of an array that ends without a word, and well, looks done. Where the budget is at an end, what
    others hold of it may be enough."""
    workspace = str(tmp_path / "w.db")
    with ChatServer(latency=1.0) as server, ChatServer(require_key=KEY) as strict:
        folkways(
            "plan", "blend/mcq", "--release", mcq(40), "--model", MODEL, "--name", "study", "-w", workspace
        )
        work = ("work", "study", "-w", workspace, "--concurrency", "2", "--model")
        other = start(*work, f"{MODEL}@{server.url}/v1", "--budget", "30requests")
        wait_for(lambda: answered(workspace) > 0, seconds=60)
        refused = folkways(*work, f"{MODEL}@{strict.url}/v1")
        poor = folkways(*work, f"{MODEL}@{server.url}/v1", "--budget", "1requests")
        kill(other)
        server.control(latency=0.0)
        rest = folkways(*work, f"{MODEL}@{server.url}/v1")
    for worker in (refused, poor):
        assert "Other workers are still asking study." in worker.stderr
    assert (refused.returncode, "This worker ended early: " in refused.stderr) == (1, True)
    assert "says 401" in refused.stderr.split("This worker ended early: ")[1]
    assert (poor.returncode, "Nothing is left of the budget for this worker." in poor.stderr) == (0, True)
    assert rest.returncode == 0, rest.stderr


def test_a_worker_that_comes_late_leaves_a_finished_run_finished(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    folkways(
        "run", "demo/mcq", "--model", "baseline/first", "--limit", "3", "--name", "study", "-w", workspace
    )
    before = rows(workspace, "SELECT state, finished FROM runs")
    done = folkways("work", "study", "-w", workspace)
    assert (done.returncode, "study is finished: everything has been asked and scored." in done.stderr) == (
        0,
        True,
    )
    assert rows(workspace, "SELECT state, finished FROM runs") == before
    assert before[0][0] == "finished"
