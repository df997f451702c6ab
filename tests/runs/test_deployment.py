"""A recipe's models on the GPUs of one machine: each has its own while it is asked, whoever dies, and nothing
is asked twice."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, finish, folkways, kill, rows, start, wait_for
from tests.support.deployed_study import Study, asked_at, gone
from tests.support.vllm_server import at_once

QUESTIONS = 40


@pytest.fixture
def study(tmp_path: Path, mcq: Callable[[int], Path]) -> Study:
    return Study(tmp_path, mcq(QUESTIONS))


def gpus(*names: str) -> dict[str, str]:
    return environment(CUDA_VISIBLE_DEVICES=",".join(names))


def test_models_take_turns_on_the_gpus_and_each_is_asked_everything_while_its_server_stands(
    study: Study,
) -> None:
    for name in ("one", "two", "three"):
        study.add(name)
    study.add("large", "gpus = 2")
    done = folkways(*study.arguments(), env=gpus("4", "GPU-7f"))
    assert done.returncode == 0, done.stderr
    servers = study.lives()
    assert Counter(life.model for life in servers) == Counter(["large", "one", "two", "three"])
    assert servers[0].model == "large", "what takes most is placed first"
    assert servers[0].gpus == ("4", "GPU-7f")
    assert {life.gpus for life in servers[1:]} == {("4",), ("GPU-7f",)}
    for gpu in ("4", "GPU-7f"):
        assert at_once([life for life in servers if gpu in life.gpus]) == 1
    assert at_once(servers[1:]) == 2, "no GPU is left idle"
    assert all(Counter(life.asked).most_common(1)[0][1] == 1 for life in servers)
    assert {len(life.asked) for life in servers} == {study.expected() // 4}, "both tasks"
    lines = [line for line in done.stderr.splitlines() if re.match(r"vllm/\w+: \d+ of \d+, [\d.]+/s, ", line)]
    assert {line.partition(":")[0] for line in lines} == {f"vllm/{life.model}" for life in servers}
    assert gone([life.pid for life in servers])


def test_further_copies_begin_where_no_other_model_waits(study: Study) -> None:
    study.tasks = ["blend/mcq"]
    study.add("one", "copies = 3", latency=0.35)
    study.add("two")
    done = folkways(*study.arguments("--concurrency", 4), env=gpus("0", "1"))
    assert done.returncode == 0, done.stderr
    servers = study.lives()
    assert [life.model for life in servers[:2]] in (["one", "two"], ["two", "one"])
    assert [life.model for life in servers[2:]] == ["one"], (
        "the GPU of the other goes to a second copy, and there is none for a third"
    )
    asked = [digest for life in servers if life.model == "one" for digest in life.asked]
    assert len(asked) == len(set(asked)) == study.expected() // 2
    assert servers[2].asked, "the second copy is asked as well"


def test_how_a_model_is_deployed_changes_nothing_of_what_is_asked(study: Study) -> None:
    with ChatServer() as server:
        study.models = [f'[[models]]\nname = "vllm/test-model@{server.url}/v1"\n']
        assert folkways(*study.arguments()).returncode == 0
        keys = set(rows(study.workspace, "SELECT key FROM responses"))
    study.models = []
    study.add("test-model", "gpus = 1\ncopies = 2")
    again = folkways(*study.arguments(), env=gpus("0", "1"))
    assert again.returncode == 0, again.stderr
    assert "Nothing was asked" in again.stderr
    assert not study.lives(), "no server is started for what is stored"
    study.workspace = study.folder / "other.db"
    assert folkways(*study.arguments(), env=gpus("0", "1")).returncode == 0
    assert set(rows(study.workspace, "SELECT key FROM responses")) == keys
    recipe = folkways("runs", "--recipe", "study", "-w", study.workspace).stdout
    assert "test-model" in recipe and "serve" not in recipe, "what is passed on starts no program"


def test_a_server_that_does_not_start_is_told_with_its_last_lines_and_the_others_go_on(study: Study) -> None:
    study.add("bad", serve="sh -c 'echo loading; echo no kernel image is available; exit 3' {port}")
    study.add("good")
    done = folkways(*study.arguments(), env=gpus("0"))
    assert done.returncode == 1
    lines = [
        line
        for line in done.stderr.splitlines()
        if line.startswith("vllm/bad: its server ended before it listened")
    ]
    assert all("loading | no kernel image is available (exit code 3" in line for line in lines) and lines
    assert study.stored() == study.expected() // 2
    assert rows(study.workspace, "SELECT state FROM runs") == [("stopped",)]


def test_a_server_that_dies_is_started_again_and_what_it_had_not_answered_is_asked_again(
    study: Study,
) -> None:
    study.add("fragile", dies_after=20, places=8)
    done = folkways(*study.arguments(), env=gpus("0"))
    assert done.returncode == 0, done.stderr
    first, second = study.lives()
    assert first.gpus == second.gpus == ("0",)
    assert "illegal memory access" in done.stderr and "it is started again" in done.stderr
    asked = Counter([*first.asked, *second.asked])
    assert len(asked) == study.expected() == study.stored()
    assert sum(asked.values()) - len(asked) <= 8, "what was answered in the moment of its death"


def test_a_connection_that_breaks_is_not_the_end_of_its_server(study: Study) -> None:
    study.tasks = ["blend/mcq"]
    study.add("good", drops=2, places=8)
    done = folkways(*study.arguments(), env=gpus("0"))
    assert done.returncode == 0, done.stderr
    (server,) = study.lives()
    assert "it is started again" not in done.stderr
    assert len(server.asked) == study.expected() == study.stored()


def test_kill_9_loses_nothing_and_asks_nothing_again_that_was_stored(study: Study) -> None:
    """First of the command, then of a server of the next one."""
    study.tasks = ["blend/mcq"]
    for name in ("one", "two", "three"):
        study.add(name, latency=0.2)
    command = study.arguments("--concurrency", 4)
    first = start(*command, env=gpus("0", "1"))
    wait_for(lambda: study.stored() >= 20, 60, first)
    kill(first)
    servers = study.lives()
    wait_for(lambda: gone([life.pid for life in servers]), 40)
    before, asked = study.stored(), asked_at(study.lives())
    assert before < study.expected()

    second = start(*command, env=gpus("0", "1"))
    wait_for(lambda: study.stored() > before, 60, second)
    os.kill(study.lives()[-1].pid, signal.SIGKILL)
    done = finish(second)
    assert done.returncode == 0, done.stderr
    assert study.stored() == study.expected()
    again = asked_at(study.lives()[len(servers) :])
    assert len(asked.keys() & again.keys()) == len(asked) - before, "what the first one had not stored"
    assert again.total() - (study.expected() - before) <= 64, "what was on its way"


def test_ctrl_c_stops_the_servers_and_those_that_wait_for_a_gpu(study: Study) -> None:
    for name in ("one", "two"):
        study.add(name, latency=0.2)
    study.add("slow", load=600)
    running = start(*study.arguments("--concurrency", 2), env=gpus("0", "1"))
    wait_for(lambda: study.stored() >= 5, 60, running)
    running.send_signal(signal.SIGINT)
    done = finish(running, 30)
    assert done.returncode == 130, done.stderr
    assert gone([life.pid for life in study.lives()])
    assert rows(study.workspace, "SELECT state FROM runs") == [("interrupted",)]
    assert rows(study.workspace, "SELECT count(*) FROM claims") == [(0,)]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            'name = "vllm/x"\nserve = "vllm serve x"',
            "does not say where the server is to listen; write {port}",
        ),
        ('name = "vllm/x"\nserve = "vllm \'serve {port}"', "cannot be read as a command"),
        (
            'name = "vllm/x"\nserve = "x {port}"\ngpus = 1.5',
            "gpus must be a whole number, or a share of one GPU",
        ),
        ('name = "vllm/x"\nserve = "x {port}"\ngpus = -1', "gpus must be a whole number"),
        ('name = "vllm/x"\nserve = "x {port}"\ngpus = true', "must be a whole number or a number, got True"),
        ('name = "vllm/x"\nserve = "x {port}"\ncopies = 0', "copies must be at least 1, got 0"),
        ('name = "vllm/x"\nserve = "x {port}"\ncopies = 1.5', "must be a whole number, got 1.5"),
        ('name = "vllm/x"\nserve = "x {port}"\ngpus = 3', "vllm/x takes 3 GPUs, and there are 2 here"),
        ('name = "vllm/x@http://localhost:1/v1"\nserve = "x {port}"', "a model without an address"),
        ('name = "openai/gpt-4o"\nserve = "x {port}"', "a model without an address"),
        (
            'name = "baseline/first"\ngpus = 1',
            "gpus and copies are for a model with serve, or one that runs here",
        ),
    ],
)
def test_what_cannot_be_deployed_is_told_and_nothing_is_asked(study: Study, table: str, told: str) -> None:
    study.models = [f"[[models]]\n{table}\n"]
    done = folkways(*study.arguments(), env={**gpus("0", "1"), "OPENAI_API_KEY": "sk-x"})
    assert done.returncode == 2, done.stdout
    assert told in done.stderr and "Traceback" not in done.stderr
    assert study.stored() == 0
