"""A recipe's models on the GPUs of a Ray cluster, which Ray only counts here: each has its own, whoever of
the workers dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import environment, finish, kill, start, wait_for
from tests.support.deployed_study import Study, asked_at, gone, worker_of
from tests.support.ray_nodes import nodes_of_ray
from tests.support.vllm_server import at_once, command

pytest.importorskip("ray")
pytestmark = pytest.mark.nightly  # its short form is in test_on_ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one GPU: models that take one run two at a time."""
    with nodes_of_ray(2, connect=False, gpus=1) as started:
        yield started


@pytest.fixture
def study(tmp_path: Path, mcq: Callable[[int], Path]) -> Study:
    return Study(tmp_path, mcq(40))


def test_models_take_turns_on_the_gpus_of_the_cluster(cluster: Any, study: Study) -> None:
    for name in ("one", "two", "three"):
        study.add(name, "copies = 2" if name == "one" else "")
    study.add("bad", serve="sh -c 'echo no kernel image is available; exit 3' {port}")
    done = finish(start(*study.arguments("--on", "ray"), env=environment(RAY_ADDRESS=cluster.address)), 200)
    assert done.returncode == 1, done.stderr
    servers = study.lives()
    assert {"one", "two", "three"} == {life.model for life in servers}
    assert all(life.gpus == ("0",) for life in servers), "a GPU of its node, as Ray names it"
    assert at_once(servers) <= 2
    asked = asked_at(servers)
    assert set(asked.values()) == {1}
    assert len(asked) == study.stored() == study.expected() * 3 // 4
    endings = [
        line
        for line in done.stderr.splitlines()
        if line.startswith("vllm/bad: its server ended before it listened")
    ]
    assert endings and "no kernel image is available (exit code 3" in endings[0]
    assert gone([life.pid for life in servers])


def test_a_model_that_its_server_does_not_have_ends_no_other(cluster: Any, study: Study) -> None:
    study.tasks = ["blend/mcq"]
    study.add("wrong", serve=command("other", study.journal))
    study.add("one")
    done = finish(start(*study.arguments("--on", "ray"), env=environment(RAY_ADDRESS=cluster.address)), 200)
    assert done.returncode == 1, done.stderr
    assert "has no model 'wrong'; it has other" in done.stderr
    assert study.stored() == study.expected() // 2


def test_kill_9_loses_nothing_and_asks_nothing_again_that_was_stored(cluster: Any, study: Study) -> None:
    """First of the command, then of a worker of the next one."""
    study.tasks = ["blend/mcq"]
    for name in ("one", "two", "three"):
        study.add(name, latency=0.3)
    there = environment(RAY_ADDRESS=cluster.address)
    arguments = study.arguments("--on", "ray", "--concurrency", 4)
    first = start(*arguments, env=there)
    wait_for(lambda: study.stored() >= 20 and len(study.lives()) == 2, 120, first)
    kill(first)
    servers = study.lives()
    wait_for(lambda: gone([life.pid for life in servers]), 60)
    before, asked = study.stored(), asked_at(study.lives())
    assert before < study.expected()

    second = start(*arguments, env=there)
    wait_for(lambda: study.stored() > before and len(study.lives()) > len(servers), 120, second)
    os.kill(worker_of(study.lives()[-1]), signal.SIGKILL)
    done = finish(second, 200)
    assert done.returncode == 0, done.stderr
    assert study.stored() == study.expected()
    again = asked_at(study.lives()[len(servers) :])
    assert len(asked.keys() & again.keys()) == len(asked) - before, "what the first one had not stored"
    assert again.total() - (study.expected() - before) <= 64
    assert gone([life.pid for life in study.lives()])
