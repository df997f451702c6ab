"""Workers on a Ray cluster of several nodes: what they ask together is what one process asks, whoever of them
dies."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import polars as pl
import psutil
import pytest
from polars.testing import assert_frame_equal

from folkways.api import load_run, run
from folkways.benchmarks.build import Share
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.xcr.build.fact_filter import KEPT_FILE
from folkways.endpoints.base import EndpointOptions
from folkways.engine import interrupts
from folkways.engine.progress import ModelProgress
from folkways.errors import DataError, FolkwaysError
from folkways.metrics.neural.encoder import Encoder
from folkways.metrics.neural.folder import open_folder
from folkways.metrics.neural.vectors import TextVectors, VectorRecipe
from folkways.runs.models import open_models
from folkways.runs.on_ray.cluster import plain_errors, seats
from folkways.runs.on_ray.executor import work_on_ray
from folkways.runs.on_ray.scoring import ClusterVectorComputer, encoders, with_whole_path
from folkways.runs.options import AskOptions, Cluster
from folkways.runs.scores.scoring_models import ScoringModels
from folkways.workspace.database import WorkspaceError, open_workspace
from folkways.workspace.database_errors import WorkspaceGoneError
from perf.facts.synthetic import Plan
from perf.facts.synthetic import write as write_synthetic
from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, finish, folkways, rows, start, wait_for
from tests.support.deployed_study import Study, asked_at, gone, worker_of
from tests.support.gguf_file import real_model
from tests.support.postgres import postgres_server
from tests.support.ray_nodes import STORE, nodes_of_ray
from tests.support.tiny_bert import make_bert, make_sentence_model
from tests.support.unsolicited_server import UnsolicitedServer, stored_and_wrong
from tests.support.vllm_server import at_once
from tests.support.xcr_data import write_small_corpus, xcr_release

ray = pytest.importorskip("ray")

QUESTIONS = 240
NODES = 2


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all nodes keep vectors of texts."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="module")
def cluster(cache: Path, server: ChatServer) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOLKWAYS_CACHE", str(cache))
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        patch.setenv("OPENAI_API_KEY", "of-the-nodes")
        with nodes_of_ray(NODES) as started:
            patch.delenv("OPENAI_API_KEY")
            yield started


def ask(server: ChatServer, release: Path, workspace: str, cluster: Cluster | None = None, **options: object):
    server.control(forget=True)
    asking = AskOptions(cluster=cluster, every=0.2)
    return run(
        "blend/mcq",
        models=f"{server.url}/v1#test-model",
        releases={"blend": str(release)},
        workspace=workspace,
        asking=asking,
        **options,
    )


def pressed_by(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What a signal would call, once a command listens to signals."""
    listeners: list[Callable[[], object]] = []
    listening = interrupts.listening

    def noted(listener):
        listeners.append(listener)
        return listening(listener)

    monkeypatch.setattr(interrupts, "listening", noted)
    return listeners


@pytest.mark.nightly
@pytest.mark.postgres
def test_a_node_is_lost_and_the_scores_are_those_of_one_machine(
    cluster: Any, server: ChatServer, mcq: Callable[[int], Path], postgres_url: str, tmp_path: Path
) -> None:
    release = mcq(QUESTIONS)
    server.control(latency=0.0)
    alone = ask(server, release, str(tmp_path / "alone.db"))
    server.control(latency=0.3)
    lost = cluster.add_node(num_cpus=2, object_store_memory=STORE)
    cluster.wait_for_nodes()
    shown: list[tuple[int, int]] = []

    def lose_a_node(counts) -> None:
        shown.append((counts[0].done, counts[0].total))
        if counts[0].done > 64 and lost in cluster.worker_nodes:
            cluster.remove_node(lost, allow_graceful=False)

    done = ask(
        server, release, postgres_url, Cluster("ray", workers=NODES + 1), concurrency=4, observer=lose_a_node
    )
    stats = server.stats()
    assert lost not in cluster.worker_nodes
    assert done.record.state == "finished"
    assert stats["distinct"] == QUESTIONS
    assert (
        stats["total"] - QUESTIONS <= 4 + 64
    )  # what the lost worker had in flight, and what it had not stored yet
    assert shown[-1] == (QUESTIONS, QUESTIONS)
    assert_frame_equal(done.scores(), alone.scores())
    with done.workspace.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM workers").scalar() == 0


def asking_workers() -> set[psutil.Process]:
    """The processes that ask for a run now, as Ray names them."""
    workers = set()
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "AskingWorker.ask" in "".join(process.cmdline()):
                workers.add(process)
    return workers


@pytest.mark.postgres
def test_kill_9_of_a_worker_loses_no_reply_and_each_is_its_own_questions(
    cluster: Any, mcq: Callable[[int], Path], postgres_url: str
) -> None:
    """Of a server that sends some replies twice."""
    killed: list[int] = []
    notes: set[str] = set()
    earlier = (
        asking_workers()
    )  # another test's, on its way out; a process that is idle may become one of ours

    def kill_a_worker(counts: Sequence[ModelProgress]) -> None:
        notes.update(counts[0].notes)
        if counts[0].done > 32 and not killed and (workers := asking_workers() - earlier):
            process = workers.pop()
            with suppress(psutil.NoSuchProcess):
                process.kill()
                killed.append(process.pid)

    cluster_of_two = Cluster("ray", workers=2)
    asking = AskOptions(cluster=cluster_of_two, every=0.2, observer=kill_a_worker, concurrency=4, attempts=20)
    with UnsolicitedServer("ahead", at=9, latency=0.1, digests=True) as server:
        done = run(
            "blend/mcq",
            models=f"{server.url}/v1#m",
            releases={"blend": str(mcq(QUESTIONS))},
            workspace=postgres_url,
            asking=asking,
        )
    assert done.record.state == "finished"
    assert any("a worker died and is begun anew" in note for note in notes)
    assert server.unasked > 0
    assert stored_and_wrong(postgres_url) == (QUESTIONS, [])
    with done.workspace.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM workers").scalar() == 0


@pytest.mark.nightly
@pytest.mark.postgres
def test_in_the_middle_of_asking_the_database_is_restarted_and_then_the_driver_killed(
    cluster: Any, mcq: Callable[[int], Path]
) -> None:
    """The workers wait for the database, end with their driver, and the same command asks what is left: no
    reply moves."""
    release = mcq(3 * QUESTIONS)
    with (
        postgres_server() as database,
        UnsolicitedServer("ahead", at=40, latency=0.1, digests=True) as server,
    ):
        workspace = f"{database.url.replace('+psycopg', '')}/postgres"
        on_ray = (
            "run",
            "blend/mcq",
            "--release",
            release,
            "--model",
            f"{server.url}/v1#m",
            "-w",
            workspace,
            "--attempts",
            20,
        )
        on_ray += ("--on", "ray", "--workers", 2, "--concurrency", 4)
        driver = start(*on_ray, env=environment(RAY_ADDRESS=cluster.address))
        assert wait_for(lambda: server.answered >= QUESTIONS // 2, process=driver)
        database.restart(1.5)
        again = server.answered + QUESTIONS // 2
        assert wait_for(lambda: server.answered >= again, process=driver), finish(driver).stderr
        driver.kill()
        finish(driver)
        time.sleep(10)
        before = server.answered
        time.sleep(2)
        assert server.answered == before, "workers outlive their driver"
        stored, wrong = stored_and_wrong(workspace)
        assert (QUESTIONS // 2 < stored < 3 * QUESTIONS, wrong) == (True, [])
        done = finish(start(*on_ray, env=environment(RAY_ADDRESS=cluster.address)))
        assert done.returncode == 0, done.stderr
        assert stored_and_wrong(workspace) == (3 * QUESTIONS, [])
        assert server.unasked > 0
        assert (
            server.answered - 3 * QUESTIONS <= 2 * (8 * 32 + 64) + 40 * server.unasked
        )  # what was open each time, and what was shifted


def test_ctrl_c_ends_all_workers_the_second_drops_their_replies_and_the_same_command_goes_on(
    cluster: Any,
    server: ChatServer,
    mcq: Callable[[int], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, workspace, workers = mcq(96), str(tmp_path / "w.db"), Cluster("ray", workers=2)
    presses = pressed_by(monkeypatch)
    in_flight: list[int] = []

    def press_once(counts) -> None:
        in_flight.append(counts[0].in_flight)
        if counts[0].done and presses:
            presses.pop()()

    def press_twice(counts) -> None:
        if counts[0].in_flight == 16 and presses:
            press = presses.pop()
            press()
            press()

    server.control(latency=0.5)
    stopped = ask(server, release, workspace, workers, concurrency=8, observer=press_once)
    assert stopped.record.state == "interrupted"
    answered = (stopped.responses()["state"] == "answered").sum()
    assert 0 < answered < 96
    assert server.stats()["total"] == answered  # the first Ctrl-C waits for what is on its way
    assert max(in_flight) <= 16  # of both workers together, 8 each

    server.control(latency=60.0)
    began = time.monotonic()
    dropped = ask(server, release, workspace, workers, concurrency=8, observer=press_twice)
    assert dropped.record.state == "interrupted"
    assert time.monotonic() - began < 40  # the second does not
    assert (dropped.responses()["state"] == "answered").sum() == answered

    server.control(latency=0.0)
    again = ask(server, release, workspace)  # on this machine alone
    assert again.record.state == "finished"
    assert server.stats()["total"] == 96 - answered
    assert_frame_equal(again.score(cluster=workers), again.scores())


@pytest.mark.nightly
def test_a_worker_without_a_node_is_told_of_and_not_waited_for_after_ctrl_c(
    cluster: Any,
    server: ChatServer,
    mcq: Callable[[int], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Busy:
        def ready(self) -> bool:
            return True

    everything = [ray.remote(Busy).options(num_cpus=2).remote() for _ in range(NODES)]
    ray.get([busy.ready.remote() for busy in everything])
    monkeypatch.setattr("folkways.runs.on_ray.crew.SILENT_SECONDS", 1.0)
    presses = pressed_by(monkeypatch)
    told: list[str] = []

    def press_when_told(counts) -> None:
        told.extend(counts[0].notes)
        if told and presses:
            presses.pop()()
            Timer(4.0, lambda: [ray.kill(busy) for busy in everything]).start()  # judging needs a node again

    stopped = ask(
        server, mcq(40), str(tmp_path / "w.db"), Cluster("ray", workers=1), observer=press_when_told
    )
    assert told[0] == "no node has room for the 1 worker that is left"
    assert stopped.record.state == "interrupted"
    assert server.stats()["total"] == 0


def test_a_budget_holds_over_all_workers(
    cluster: Any, server: ChatServer, mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    """A reply may have 10 tokens and has one, and a token costs a dollar. The same command again may spend as
    much again."""
    server.control(latency=0.05)
    prices = tmp_path / "prices.toml"
    prices.write_text(
        f'[usd_per_million_tokens]\n"{server.url}/v1#test-model" = {{ input = 0, output = 1000000 }}\n'
    )
    spent = []
    for workers in (2, 1):
        asking = AskOptions(
            cluster=Cluster("ray", workers=workers),
            every=0.2,
            budget="60usd",
            prices=str(prices),
            concurrency=4,
        )
        run(
            "blend/mcq",
            models=f"{server.url}/v1#test-model",
            releases={"blend": str(mcq(QUESTIONS))},
            workspace=str(tmp_path / "w.db"),
            settings={"max_tokens": 10},
            asking=asking,
        ).workspace.close()
        spent.append(rows(tmp_path / "w.db", "SELECT sum(output_tokens) FROM responses")[0][0])
    assert 35 <= spent[0] <= 60
    assert 35 <= spent[1] - spent[0] <= 60


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (WorkspaceError("full"), WorkspaceError),
        (WorkspaceGoneError("full"), WorkspaceError),
        (DataError("full"), FolkwaysError),
        (FolkwaysError("full"), FolkwaysError),
    ],
)
def test_an_error_of_a_worker_arrives_as_one_of_the_workspace_or_as_any_other(
    error: FolkwaysError, kind: type[FolkwaysError]
) -> None:
    """The first kind ends the whole run, the other only the model that the worker serves."""

    def work() -> None:
        raise error

    with pytest.raises(FolkwaysError) as raised:
        plain_errors(work)
    there = pickle.loads(pickle.dumps(raised.value))
    assert (type(there), str(there)) == (kind, "full")


def test_the_nodes_have_the_key_and_the_command_needs_none(
    cluster: Any, mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    asked = {
        "models": "openai/test-model",
        "releases": {"blend": str(mcq(20))},
        "workspace": tmp_path / "w.db",
    }
    done = run("blend/mcq", **asked, asking=AskOptions(cluster=Cluster("ray", workers=1), every=0.2))
    assert done.record.state == "finished"
    with pytest.raises(FolkwaysError, match="needs a key: set the environment variable OPENAI_API_KEY"):
        run("blend/mcq", **asked, afresh=True)


def test_what_no_worker_can_do_is_said_before_anything_is_asked_and_leaves_no_run(
    cluster: Any, server: ChatServer, mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    release, workspace = mcq(40), str(tmp_path / "w.db")
    with pytest.raises(FolkwaysError, match="room for 4 workers with one CPU each, and not for 50"):
        ask(server, release, workspace, Cluster("ray", workers=50))
    with pytest.raises(FolkwaysError, match="room for 0 workers with 1 GPUs each"):
        ask(server, release, workspace, Cluster("ray", gpus=1))
    with pytest.raises(FolkwaysError, match="serve starts the server of a model without an address"):
        ask(server, release, workspace, Cluster("ray", workers=1, serve="serve {port}"))
    assert server.stats()["total"] == 0
    assert rows(tmp_path / "w.db", "SELECT 1 FROM runs") == []


def test_models_take_turns_on_the_gpu_of_a_node_and_kill_9_of_a_worker_loses_nothing(
    cluster: Any, mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    study = Study(tmp_path, mcq(24))
    study.tasks = ["blend/mcq"]
    study.add("one", "copies = 2", latency=0.3)
    study.add("bad", serve="sh -c 'echo no kernel image is available; exit 3' {port}")
    study.add("two")
    node = cluster.add_node(num_cpus=2, num_gpus=1, object_store_memory=STORE)
    cluster.wait_for_nodes()

    def kill_the_first_worker() -> None:
        wait_for(lambda: study.stored() >= 4)
        os.kill(worker_of(study.lives()[0]), signal.SIGKILL)

    try:
        with ThreadPoolExecutor(1) as pool:
            killed = pool.submit(kill_the_first_worker)
            done = folkways(*study.arguments("--on", "ray", "--concurrency", 4))
            killed.result()
    finally:
        cluster.remove_node(node, allow_graceful=False)
        cluster.wait_for_nodes()
    assert done.returncode == 1, done.stderr
    assert "vllm/bad: its server ended before it listened: no kernel image is available" in done.stderr
    servers = study.lives()
    assert [life.model for life in servers] == ["one", "one", "two"], "a copy more would have no GPU"
    assert {life.gpus for life in servers} == {("0",)}, "the GPU of its node, as Ray names it"
    assert at_once(servers[1:]) == 1
    asked = asked_at(servers)
    assert len(asked) == study.stored() == study.expected() * 2 // 3
    assert asked.total() - len(asked) <= 24, "what the killed one had not stored"
    assert asked_at(servers[2:]).total() == 24
    assert gone([life.pid for life in servers])


def stored_texts(cache: Path, name: str = "") -> Counter[bytes]:
    """How often the vectors of each text were computed and stored."""
    shards = [
        np.load(shard)["keys"]
        for shard in (cache / "vectors" / name).rglob("*.npz")
        if ".part" not in shard.name
    ]
    return Counter(key.tobytes() for keys in shards for key in keys)


@pytest.mark.nightly  # torch is imported by three workers
@pytest.mark.local_model
def test_a_text_that_several_ask_for_is_encoded_once_and_a_dead_worker_costs_what_it_had_in_hand(
    cluster: Any, cache: Path, tmp_path: Path
) -> None:
    lost = cluster.add_node(num_cpus=2, object_store_memory=STORE)
    cluster.wait_for_nodes()
    recipe = VectorRecipe(Encoder(open_folder(make_bert(tmp_path / "bert")), layer=2))
    texts = [f"we split the bill {number}" for number in range(900)]
    with (
        encoders(ray, ScoringModels(devices=("cpu",)), Cluster("ray"), at_once=50) as registry,
        ThreadPoolExecutor(3) as askers,
    ):
        asked = [
            askers.submit(ClusterVectorComputer(registry), recipe, part)
            for part in (texts[:600], texts[300:], texts[::-1])
        ]
        wait_for(lambda: stored_texts(cache, recipe.name).total() >= 200, 300)
        shard = next((cache / "vectors" / recipe.name).glob("*.npz"))  # named after the process that wrote it
        os.kill(int(shard.name.partition("-")[0]), signal.SIGKILL)
        found = [one.result() for one in asked]
        assert ray.get(registry.counts.remote()) == {"bert": (900, 900)}
        cluster.remove_node(
            lost, allow_graceful=False
        )  # the vectors that it held come from the disk of another
        found.append(ClusterVectorComputer(registry)(recipe, texts))
    counted = stored_texts(cache, recipe.name)
    assert len(counted) == 900
    assert counted.total() <= 900 + 50
    alone = TextVectors(recipe).of(texts)
    for text, vectors in ((text, part[text]) for part in found for text in part):
        np.testing.assert_array_equal(vectors.states, alone[text].states)


@pytest.mark.local_model
@pytest.mark.nightly
def test_texts_compared_on_the_cluster_are_as_alike_as_on_one_machine(
    cluster: Any, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOLKWAYS_CACHE", str(tmp_path / "own"))  # of this process; the nodes have theirs
    make_bert(tmp_path / "bert", layers=9)
    make_sentence_model(tmp_path / "sentences")
    (tmp_path / "release").mkdir()
    write_small_corpus(tmp_path / "release")
    release = xcr_release(tmp_path / "release")
    replies = {
        "prediction": "<CSI> tea </CSI> <CSI> door </CSI>",
        "adaptation": '["the tea <CSI> at </CSI>", "x <CSI> y </CSI>", "-"]',
    }
    lines = [
        json.dumps({"task": f"xcr/{task}", "item": item, "response": reply})
        for task, reply in replies.items()
        for item in get_task(f"xcr/{task}").items(release)["item"]
    ]
    (tmp_path / "replay.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = run(
        [f"xcr/{task}" for task in replies],
        models="replay:replay.jsonl",
        releases={"xcr": "release"},
        workspace="w.db",
        scoring_models={"bert-en": "bert", "embedding": "sentences"},
    )
    alone = done.scores()
    told: list[tuple[int, int]] = []
    models = ScoringModels(watch=lambda _name: lambda done, total: told.append((done, total)))
    before = stored_texts(cache)
    assert_frame_equal(done.score(models=models, cluster=Cluster("ray", workers=1)), alone)
    assert set((stored_texts(cache) - before).values()) == {1}
    assert {"csi_bert_intra", "sp_csi"} < set(alone["metric"])
    assert told
    assert told[-1][0] == told[-1][1]


@pytest.mark.nightly
def test_facts_are_sifted_as_by_one_machine(cluster: Any, server: ChatServer, tmp_path: Path) -> None:
    server.control(mode="csi", latency=0.0, forget=True)
    facts = tmp_path / "facts.csv"
    write_synthetic(facts, Plan(facts=1_000, cultures=2))
    made_by = (
        "build",
        "csi",
        "--facts",
        facts,
        "--limit",
        5,
        "-w",
        tmp_path / "w.db",
        "--model",
        f"{server.url}/v1#test-model",
    )
    for more in (("--out", tmp_path / "alone"), ("--out", tmp_path / "on-ray", "--on", "ray")):
        done = folkways(*made_by, *more)
        assert done.returncode == 0, done.stderr
    files = [sorted(path for path in (tmp_path / folder).iterdir()) for folder in ("alone", "on-ray")]
    assert [path.name for path in files[0]] == [path.name for path in files[1]]
    assert [
        one.name for one, other in zip(*files, strict=True) if one.read_bytes() != other.read_bytes()
    ] == []
    assert pl.read_parquet(tmp_path / "on-ray" / KEPT_FILE)["culture"].n_unique() == 2


def failing(_name: str, _file: Path, folder: Path) -> None:
    raise DataError("is not what it was", file=folder / "share.csv")


def test_an_error_in_a_share_of_a_build_is_that_of_the_command(cluster: Any, tmp_path: Path) -> None:
    shares = []
    for number in range(6):
        (tmp_path / f"{number}.csv").write_text("a fact")
        shares.append(Share(f"culture {number}", tmp_path / f"{number}.csv", tmp_path / f"{number}"))
    with pytest.raises(FolkwaysError, match="is not what it was"):
        work_on_ray(failing, shares, lambda _what: None)
    assert all(share.file.is_file() and not share.folder.exists() for share in shares)


def read_slowly(_name: str, file: Path, _folder: Path) -> str:
    time.sleep(0.05)
    return file.read_text(encoding="utf-8")


def test_as_many_shares_as_the_cluster_has_cpus_are_read_at_a_time_and_the_largest_first(
    cluster: Any, tmp_path: Path
) -> None:
    sizes = (5, 12, 1, 9, 3, 10, 2, 11, 4, 8, 6, 7)
    shares = [Share(f"culture {size}", tmp_path / f"{size}.csv", tmp_path / f"made {size}") for size in sizes]
    for size, share in zip(sizes, shares, strict=True):
        share.file.write_text("x" * size)
    told: list[str] = []

    def rewrite(line: str) -> None:
        """After the first share, the files of those that are not read yet have other words."""
        if not told:
            for share in shares:
                if share.file.is_file():
                    share.file.write_text("later")
        told.append(line)

    cluster.wait_for_nodes()  # one that another test lost may still be counted
    made = work_on_ray(read_slowly, shares, rewrite)
    early = {size for size, text in zip(sizes, made, strict=True) if text == "x" * size}
    cpus = int(ray.cluster_resources()["CPU"])
    assert cpus >= 2 * NODES and early == set(range(13 - cpus, 13)), "one for each CPU of the nodes"
    assert {text for size, text in zip(sizes, made, strict=True) if size not in early} == {"later"}
    assert len(told) == 12 and told[0].startswith("1 of 12: culture ") and told[-1].startswith("12 of 12: ")


@pytest.mark.parametrize(("gpus", "workers"), [(None, 4), (0.0, 4)])
def test_a_model_that_runs_on_nodes_without_a_gpu_gets_a_cpu_of_each(
    cluster: Any, gpus: float | None, workers: int
) -> None:
    (model,) = open_models(["hf/org/none"], EndpointOptions())
    placed = seats(ray, [model], Cluster("ray", gpus=gpus, workers=workers))
    assert [(seat.gpus, seat.copy, seat.models) for seat in placed] == [
        (0.0, n, (model,)) for n in range(workers)
    ]
    assert {tuple(seat.resources.items()) for seat in placed} == {(("num_cpus", 1), ("num_gpus", 0.0))}
    assert len(seats(ray, [model], Cluster("ray", gpus=gpus))) == NODES, "one a node unless the user says"


def waiting(name: str, file: Path, _folder: Path) -> None:
    Path(name).write_text(str(file.parent), encoding="utf-8")
    for _ in range(1_200):
        time.sleep(0.1)


@pytest.mark.nightly
def test_a_build_that_is_interrupted_leaves_nothing_on_the_nodes(cluster: Any, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "facts.csv").write_text("a fact", encoding="utf-8")

    def interrupt() -> None:
        wait_for(lambda: begun.is_file() and begun.read_text(encoding="utf-8"), 60)
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as pool, interrupts.remembered(), pytest.raises(KeyboardInterrupt):
        pool.submit(interrupt)
        work_on_ray(
            waiting, [Share(str(begun), tmp_path / "facts.csv", tmp_path / "made")], lambda _what: None
        )
    assert not Path(begun.read_text(encoding="utf-8")).exists()


@pytest.mark.nightly
@pytest.mark.postgres
@pytest.mark.local_model
def test_a_real_model_on_the_nodes_survives_the_loss_of_the_database_of_a_node_and_of_the_head(
    postgres_url: str, tmp_path: Path
) -> None:
    """SmolLM2 in each worker, one request at a time, so that llama.cpp says the same wherever it is asked."""
    real_model()
    asked = (
        "run",
        "demo/saq",
        "--model",
        "gguf/smollm2",
        "--limit",
        12,
        "--concurrency",
        1,
        "--name",
        "study",
    )
    assert finish(start(*asked, "-w", tmp_path / "alone.db"), 300).returncode == 0
    on_ray = (*asked, "--on", "ray", "--workers", 2, "-w", postgres_url)
    watched = open_workspace(postgres_url)

    def answered(least: int) -> None:
        def enough() -> bool:
            with suppress(WorkspaceError), watched.read() as connection:
                return connection.exec_driver_sql("SELECT count(*) FROM responses").scalar() >= least
            return False

        wait_for(enough, 240)

    with nodes_of_ray(2, connect=False) as first:
        command = start(
            *on_ray, env=environment(RAY_ADDRESS=first.address, RAY_gcs_rpc_server_reconnect_timeout_s="5")
        )
        answered(2)
        with (
            suppress(WorkspaceError),
            watched.read() as connection,
        ):  # all connections are lost, and the server recovers
            os.kill(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar(), signal.SIGKILL)
        answered(4)
        first.remove_node(next(iter(first.worker_nodes)), allow_graceful=False)
        answered(7)
        for processes in first.head_node.all_processes.values():
            for process in processes:
                process.process.kill()
        ended = finish(command, 240)
        assert ended.returncode != 0 or "12 of 12" in ended.stderr
    with nodes_of_ray(1, connect=False) as second:
        done = finish(start(*on_ray, env=environment(RAY_ADDRESS=second.address)), 300)
    assert done.returncode == 0, done.stderr
    assert_frame_equal(
        load_run("study", postgres_url).scores(), load_run("study", str(tmp_path / "alone.db")).scores()
    )


def test_a_folder_of_a_model_is_sent_with_its_whole_path_and_a_name_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "model.bin").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    whole = str(tmp_path / "bert")
    sent = {
        name: with_whole_path(name) for name in ("bert", "./bert", "~/bert", whole, "lab/bert", "model.bin")
    }
    assert sent == {
        **dict.fromkeys(("bert", "./bert", "~/bert", whole), whole),
        "lab/bert": "lab/bert",
        "model.bin": "model.bin",
    }
