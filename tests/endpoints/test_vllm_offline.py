"""vLLM's engine without a server, with a stand-in for its package in real processes (vllm_module)."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints.base import LOGLIK, LOGPROB, Completion, EndpointFailure, Request, Settings
from folkways.endpoints.local import LocalEndpoint
from folkways.endpoints.registry import open_name
from folkways.endpoints.vllm_offline.child import Engine, PrefixQueue, parts_of
from folkways.errors import FolkwaysError, MissingExtraError
from folkways.records import likelihoods_of
from tests.support.command_line import environment, finish, folkways, kill, rows, start, wait_for
from tests.support.endpoint_requests import request
from tests.support.vllm_module import journal, likelihood, write_vllm

TASK = "demo/mcq"


def run(folder: Path, *more: object, gpus: str = "") -> Any:
    there = environment(PYTHONPATH=str(folder), CUDA_VISIBLE_DEVICES=gpus)
    asked = (
        "run",
        TASK,
        "--model",
        "vllm-offline/org/tiny@abc",
        "--name",
        "study",
        "-w",
        folder / "w.db",
        *more,
    )
    return start(*asked, env=there)


def letters(ids: list[int]) -> str:
    return "".join(map(chr, ids))


def test_the_engine_answers_in_one_batch_that_goes_on_and_the_run_says_what_ran(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v")
    done = finish(run(folder, gpus="3,GPU-5"))
    assert done.returncode == 0, done.stderr
    assert "vllm-offline/org/tiny@abc: org/tiny@abc vllm=0.33.0" in done.stderr
    (loaded,) = journal(folder, "load")
    assert (loaded["model"], loaded["enable_prefix_caching"], loaded["gpus"]) == ("org/tiny", True, "3")
    assert loaded["tensor_parallel_size"] == 1
    assert max(line["running"] for line in journal(folder, "join")) > 1, "requests join those that run"
    added = journal(folder, "add")
    assert len(added) == 18
    assert all(
        letters(line["ids"]).endswith("<assistant>\n\n") and line["temperature"] == 0 for line in added
    )
    replies = rows(folder / "w.db", "SELECT DISTINCT text, finish_reason, output_tokens FROM responses")
    assert set(replies) == {("B", "stop", 2), ("B.", "stop", 3)}
    signatures = [
        signature for (signature,) in rows(folder / "w.db", "SELECT DISTINCT signature FROM scores")
    ]
    assert any("vllm=0.33.0" in signature for signature in signatures)


def test_several_gpus_share_a_model(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v")
    (folder / "study.toml").write_text(
        f'tasks = "{TASK}"\n[[models]]\nname = "vllm-offline/tiny"\ngpus = 2\n'
    )
    there = environment(PYTHONPATH=str(folder), CUDA_VISIBLE_DEVICES="3,GPU-5")
    done = finish(start("run", folder / "study.toml", "-w", folder / "w.db", env=there))
    assert done.returncode == 0, done.stderr
    (loaded,) = journal(folder, "load")
    assert (loaded["tensor_parallel_size"], loaded["gpus"]) == (2, "3,GPU-5")


@pytest.mark.parametrize(
    ("version", "template"),
    [
        ("0.11.2", False),
        ("0.33.0", True),
        pytest.param("0.11.2", True, marks=pytest.mark.nightly),
        pytest.param("0.33.0", False, marks=pytest.mark.nightly),
    ],
)
def test_the_likeliest_option_is_that_of_the_likelihoods(
    tmp_path: Path, version: str, template: bool
) -> None:
    """New versions look once at the place of the letter, where old ones weigh each option behind the
    prompt."""
    folder = write_vllm(tmp_path / "v", version=version, template=template)
    done = finish(run(folder, "--read", "loglik"))
    assert done.returncode == 0, done.stderr
    added = journal(folder, "add")
    single = version == "0.33.0"
    stored = rows(
        folder / "w.db", "SELECT user, text, finish_reason FROM responses JOIN prompts USING (prompt_hash)"
    )
    assert len(stored) == 18
    assert len(added) == 18 if single else len(added) > 18
    for user, text, told in stored:
        words = told.split()[1:]
        labels = dict(zip("ABCD", map(float, words), strict=True))
        prompt = f"<user>\n{user}\n<assistant>" if template else chr(1) + user.rstrip()
        behind = "\n\n" if template else user[len(user.rstrip()) :] + " "
        ids = list(map(ord, prompt))
        for label, value in labels.items():
            more = list(map(ord, behind + label))
            before = len(behind) if single else 0
            expected = sum(likelihood([*ids, *more[:at]], more[at]) for at in range(before, len(more)))
            assert value == pytest.approx(expected, abs=6e-4)
        assert labels[text] == max(labels.values())


class Letters:
    """A tokenizer whose tokens are characters."""

    chat_template = None

    def __call__(self, text: str, add_special_tokens: bool = False) -> dict[str, list[int]]:
        return {"input_ids": list(map(ord, text))}


@pytest.mark.parametrize(
    ("options", "looks"),
    [
        (("A", "B"), 1),
        (("tea", "teb"), 1),
        (("tea", "te\u00e9"), 2),
        (("tea", "hot"), 2),
        (("a", "\u754c"), 2),
    ],
)
def test_what_options_share_is_weighed_where_their_lengths_differ(
    options: tuple[str, ...], looks: int
) -> None:
    """A score per byte divides each sum by another number, so that what all begin with no longer cancels out."""
    settings = Settings(temperature=None, top_p=None, read=LOGLIK)
    asked = Request("", "Drink:", None, settings, choices=options)
    assert len(parts_of(asked, Letters(), one_look=True)) == looks
    assert len(parts_of(asked, Letters(), one_look=False)) == 2


def test_an_engine_that_dies_is_started_again(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v", dies_after=10)
    done = finish(run(folder))
    assert done.returncode == 0, done.stderr
    assert "CUDA out of memory" in done.stderr and "it is started again" in done.stderr
    assert len(journal(folder, "load")) == 2
    assert rows(folder / "w.db", "SELECT count(*) FROM responses") == [(18,)]


def test_an_engine_that_does_not_load_is_told(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v", loads=False)
    done = finish(run(folder))
    assert done.returncode == 1
    assert "vLLM did not load the model: ValueError: Free memory on device cuda:0" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_prompt_that_is_refused_fails_alone(tmp_path: Path) -> None:
    short = write_vllm(tmp_path / "short")
    (short / "prompts.toml").write_text(f'["{TASK}"]\nplain = "{{question}} {{options}}"\n')
    assert finish(run(short, "--prompts", short / "prompts.toml", "--variants", "plain")).returncode == 0
    lengths = sorted(len(line["ids"]) for line in journal(short, "add"))
    folder, room = write_vllm(tmp_path / "v"), 3999 - lengths[len(lengths) // 2]
    (folder / "prompts.toml").write_text(f'["{TASK}"]\nplain = "{{question}} {{options}} {"x" * room}"\n')
    done = finish(
        run(folder, "--prompts", folder / "prompts.toml", "--variants", "plain", "--max-failed", 100)
    )
    failed = rows(folder / "w.db", "SELECT DISTINCT message FROM failures")
    answered = rows(folder / "w.db", "SELECT count(*) FROM responses")[0][0]
    assert failed, done.stderr
    assert all("longer than the maximum model length" in message for (message,) in failed)
    assert 0 < answered < 18


def test_the_engine_ends_with_the_process_that_asks_it(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v")
    running = run(folder, "--samples", 4000, "--setting", "temperature=1", "--limit", 2)
    wait_for(lambda: journal(folder, "add"), 60, running)
    (loaded,) = journal(folder, "load")
    kill(running)
    wait_for(lambda: not psutil.pid_exists(loaded["pid"]), 20)
    seeds = [line["seed"] for line in journal(folder, "add")]
    assert len(seeds) == len(set(seeds)), "each sample is drawn from a seed of its own"


def test_a_model_that_is_closed_leaves_no_process_and_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a program that goes on, as a notebook does."""
    folder = write_vllm(tmp_path / "v")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    endpoint = open_name("vllm-offline/org/tiny")
    short, long = Settings(max_tokens=2), Settings(max_tokens=100_000, temperature=1.0, seed=3)

    async def session() -> list[object]:
        await endpoint.open(2)
        await endpoint.open(2)
        with pytest.raises(EndpointFailure, match="no setting reasoning_effort: leave it out") as refused:
            await endpoint.complete(request(settings=Settings(reasoning_effort="low")))
        assert refused.value.fatal
        reply = await endpoint.complete(request("Tea?", key="a", settings=short))
        waiting = asyncio.create_task(endpoint.complete(request("Tea?", key="b", sample=1, settings=long)))
        await asyncio.sleep(0)
        await endpoint.close()
        assert not psutil.pid_exists(journal(folder, "load")[0]["pid"]), "its memory is free by then"
        await endpoint.close()
        return [reply, *await asyncio.gather(waiting, return_exceptions=True)]

    reply, failure = asyncio.run(session())
    assert isinstance(reply, Completion)
    assert (reply.text, reply.output_tokens, "vllm=0.33.0" in str(reply.model)) == ("B", 2, True)
    assert isinstance(failure, EndpointFailure)
    assert (str(failure), failure.retryable) == ("vllm-offline/org/tiny: was closed", True)
    (loaded,) = journal(folder, "load")
    assert loaded["model"] == "org/tiny"
    assert not psutil.pid_exists(loaded["pid"])
    with pytest.raises(FolkwaysError, match="was asked before it was opened"):
        asyncio.run(endpoint.complete(request()))


def test_where_vllm_is_missing_transformers_runs_the_model_and_is_named() -> None:
    endpoint = open_name("vllm-offline/org/tiny@abc")
    assert isinstance(endpoint, LocalEndpoint)
    assert (endpoint.name, endpoint.identity) == ("hf/org/tiny@abc", open_name("hf/org/tiny@abc").identity)
    assert "vLLM is not installed" in str(endpoint.about)


def test_where_vllm_and_transformers_are_missing_both_ways_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkways.errors.find_spec", lambda _package: None)
    endpoint = open_name("vllm-offline/org/tiny")
    assert isinstance(endpoint, LocalEndpoint)
    with pytest.raises(MissingExtraError, match=r"pip install vllm.*\n.*folkways\[local\]"):
        endpoint.check()


def test_a_plan_made_where_vllm_is_missing_is_for_workers_that_have_it(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v")
    database = ("-w", folder / "w.db")
    planned = folkways("plan", TASK, "--model", "vllm-offline/org/tiny", "--name", "study", *database)
    assert planned.returncode == 0, planned.stderr
    assert "vllm-offline/org/tiny: 18 requests to be asked" in planned.stdout
    without = folkways("work", "study", *database)
    assert without.returncode == 2
    assert "valid: vllm-offline/org/tiny\nvLLM is not installed (pip install vllm)" in without.stderr
    done = finish(start("work", "study", *database, env=environment(PYTHONPATH=str(folder))))
    assert done.returncode == 0, done.stderr
    assert rows(folder / "w.db", "SELECT COUNT(*) FROM responses") == [(18,)]


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 2), max_size=4)), max_size=40))
def test_prompts_that_begin_alike_follow_each_other_and_none_waits_for_ever(
    steps: list[tuple[bool, list[int]]],
) -> None:
    order = PrefixQueue()
    waiting: dict[int, list[int]] = {}
    last: tuple[list[int], int] = ([], -1)
    for number, (takes, ids) in enumerate(steps):
        if takes and waiting:
            chosen = order.next()
            row = waiting.pop(chosen), chosen
            above = [(other, at) for at, other in waiting.items() if (other, at) > last]
            assert row > last or not above, "upwards as long as anything is above"
            assert row == min(
                [*above, row] if row > last else [*((other, at) for at, other in waiting.items()), row]
            )
            last = row
        else:
            order.add(ids, number)
            waiting[number] = ids
    taken = [order.next() for _ in range(len(order))]
    assert sorted(taken) == sorted(waiting)


class AllAnsweredError(Exception):
    """Ends an engine that would go on for ever."""


def answered_here(folder: Path, *requests: Request, gpus: int = 0) -> dict[int, dict[str, Any]]:
    """What the engine says to requests, by their place, in this process."""
    answers: dict[int, dict[str, Any]] = {}

    def send(row: dict[str, Any]) -> None:
        answers[row.pop("id")] = row
        if len(answers) == len(requests):
            raise AllAnsweredError

    inbox: queue.SimpleQueue[str] = queue.SimpleQueue()
    for number, one in enumerate(requests):
        parts = {
            "user": one.user,
            "system": one.system,
            "settings": asdict(one.settings),
            "choices": one.choices,
        }
        inbox.put(json.dumps({"id": number, **parts}))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        try:
            engine = Engine({"model": "org/m", "revision": "r", "seed": 5, "gpus": gpus}, send)
            assert engine.served == "org/m@r vllm=" + sys.modules["vllm"].__version__
            with pytest.raises(AllAnsweredError):
                engine.run(inbox)
        finally:
            del sys.modules["vllm"]
    return answers


READ = Settings(None, None, read=LOGLIK)
PROMPT = [1, ord("Q")]


def test_what_the_engine_is_given_and_what_it_says(tmp_path: Path) -> None:
    folder = write_vllm(tmp_path / "v", template=False)
    answers = answered_here(
        folder,
        request("ab"),
        request("b", system="a", settings=Settings(0.7, None, seed=9, max_tokens=1)),
        request("aa", settings=Settings(0.7, 0.5)),
        request("aaa", settings=Settings(None, None, seed=4, max_tokens=2)),
        request("Q", settings=READ, choices=("A", "B")),
        request("Q", settings=READ, choices=("A", "BB")),
        request("Q", settings=replace(READ, read=LOGPROB), choices=("no",)),
        request("x" * 4000),
        request("x" * 4000, settings=READ, choices=("A", "BB")),
        gpus=2,
    )
    names = ("text", "finish_reason", "input_tokens", "output_tokens")
    assert [tuple(answers[number].values()) for number in range(4)] == [
        ("B", "stop", 3, 2),
        ("B", "length", 5, 1),
        ("B.", "stop", 3, 3),
        ("B", "stop", 4, 2),
    ]
    assert all(tuple(answers[number]) == names for number in range(7))
    space = [*PROMPT, ord(" ")]
    a, b, bb = (
        sum(likelihood([*PROMPT, *more[:at]], more[at]) for at in range(len(more)))
        for more in (list(map(ord, text)) for text in (" A", " B", " BB"))
    )
    shared = likelihood(PROMPT, ord(" "))
    for number, expected, tokens in ((4, [a - shared, b - shared], 3), (5, [a, bb], 4 + 5)):
        assert likelihoods_of(answers[number]["finish_reason"]) == pytest.approx(expected, abs=6e-4)
        assert answers[number]["text"] == ("A", "B" * (number - 3))[expected[1] > expected[0]]
        assert (answers[number]["input_tokens"], answers[number]["output_tokens"]) == (tokens, 0)
    weighed = sum(likelihood([*PROMPT, *map(ord, " no"[:at])], ord(" no"[at])) for at in range(3))
    assert tuple(answers[6].values()) == (f"{weighed:.4f}", "logprob", 5, 0)
    too_long = "ValueError: The decoder prompt is longer than the maximum model length"
    assert [answers[7], answers[8]] == [{"failure": too_long}] * 2

    (load,) = journal(folder, "load")
    assert (load["model"], load["revision"], load["seed"]) == ("org/m", "r", 5)
    assert (load["tensor_parallel_size"], load["enable_prefix_caching"]) == (2, True)
    fields = ("temperature", "top_p", "max_tokens", "seed", "logprobs", "prompt_logprobs")
    added = {line["id"]: [line[field] for field in fields] for line in journal(folder, "add")}
    assert added == {
        "0-0": [0.0, 1.0, 512, None, None, None],
        "1-0": [0.7, 1.0, 1, 9, None, None],
        "2-0": [0.7, 0.5, 512, None, None, None],
        "3-0": [1.0, 1.0, 2, 4, None, None],
        "4-0": [0.0, 1.0, 1, None, 1, None],
        **{key: [0.0, 1.0, 1, None, None, 1] for key in ("5-0", "5-1", "6-0")},
    }
    (look,) = (line for line in journal(folder, "add") if line["id"] == "4-0")
    assert (look["ids"], look["allowed_token_ids"], look["logprob_token_ids"]) == (space, [65, 66], [65, 66])


def test_one_gpu_or_none_is_one_part_of_a_model(tmp_path: Path) -> None:
    for gpus in (0, 1):
        folder = write_vllm(tmp_path / str(gpus))
        answered_here(folder, request("a"), gpus=gpus)
        assert journal(folder, "load")[0]["tensor_parallel_size"] == 1
