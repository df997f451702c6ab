"""Whose data leave as records of Every Eval Ever, and beside whom: licences, people, models of one name, profiles."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from folkways.api import load_run
from folkways.integrations.every_eval_ever.export import with_engine
from folkways.integrations.stored_run import StoredRun
from folkways.releases.registry import get_record
from folkways.reports.data import PEOPLE
from folkways.runs.planning.plan import REVISION
from tests.reports.test_people import with_raw_answers
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.eval_records import SharedRun, check_recomputed, check_store, exported


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> SharedRun:
    """BLEnD in miniature, with what single people answered, of no known licence; two models with one name,
    and all profiles."""
    folder = tmp_path_factory.mktemp("people")
    release = with_raw_answers(write_release(folder / "blend"))
    with ChatServer(mode="fixed:coffee") as server:
        model = f"{server.url}/v1#tiny"
        run = folkways(
            "run",
            "blend/saq",
            "-m",
            model,
            "-m",
            f"{model}?temperature=1",
            "--release",
            release,
            "-w",
            folder / "w.db",
        )
        assert run.returncode == 0, run.stderr
    assert folkways("score", "last", "-w", folder / "w.db", "--profile", "strict").returncode == 0
    return exported(folder, "--organization", "Us", "--relationship", "third_party")


def test_people_stand_beside_the_score(people: SharedRun) -> None:
    results = [result for _, document in people.documents() for result in document["evaluation_results"]]
    whole = [result for result in results if result["evaluation_result_id"].endswith("|sem_b|all=all")]
    assert len(whole) == 4, "two models in two profiles"
    for result in whole:
        beside = result["metric_config"]["additional_details"]
        assert (
            0
            <= float(beside[f"{PEOPLE}_low"])
            <= float(beside[PEOPLE])
            <= float(beside[f"{PEOPLE}_high"])
            <= 100
        )
    lower = {
        result["metric_config"]["metric_name"]
        for result in results
        if result["metric_config"]["lower_is_better"]
    }
    assert "Refusals" in lower and "SEM-B" not in lower


def test_where_the_questions_are_from_is_said(people: SharedRun) -> None:
    """Data of a folder are not those of the home page, which the record of the release has all the same."""
    sources = {
        (source["source_type"], *source.get("url", ()))
        for _, document in people.documents()
        for source in (result["source_data"] for result in document["evaluation_results"])
    }
    assert sources == {("other",)}


def test_models_of_one_name_are_told_apart(people: SharedRun) -> None:
    documents = [document for _, document in people.documents()]
    assert len(documents) == 2 and len({document["evaluation_id"] for document in documents}) == 2
    assert {document["source_metadata"]["source_organization_name"] for document in documents} == {"Us"}
    asked = {
        document["evaluation_results"][0]["generation_config"]["generation_args"]["temperature"]
        for document in documents
    }
    assert asked == {0.0, 1.0}


def test_items_of_an_unknown_licence_leave_only_where_the_user_says_so(
    people: SharedRun, valid: Callable[[SharedRun], int], tmp_path: Path
) -> None:
    assert valid(people) == 0
    assert not list(people.out.rglob("*_samples.jsonl"))
    assert "aggregates alone" in people.done.stderr and "--items" in people.done.stderr
    check_store(people)
    folder = copytree(people.workspace.parent, tmp_path / "people")
    named = exported(folder, "--items")
    assert valid(named) > 0
    check_store(named)
    again = exported(folder)
    assert again.out == named.out
    assert not list(again.out.rglob("*_samples.jsonl")), "a file of items from before does not stay"


def test_one_profile_is_written_where_it_is_named(people: SharedRun, tmp_path: Path) -> None:
    done = folkways(
        "export", "every-eval-ever", "-w", people.workspace, "--out", tmp_path / "one", "--profile", "strict"
    )
    assert done.returncode == 0
    unnamed = "do not say who ran this: name yourself with --organization and --relationship."
    assert unnamed in done.stderr and unnamed not in people.done.stderr
    results = [
        result
        for _, document in SharedRun(done, people.workspace, tmp_path / "one").documents()
        for result in document["evaluation_results"]
    ]
    assert {result["score_details"]["details"]["profile"] for result in results} == {"strict"}


def test_items_that_a_licence_forbids_never_leave(
    shared: Path, tmp_path: Path, valid: Callable[[SharedRun], int]
) -> None:
    release = shared / "data" / "xcr"
    with ChatServer(mode="fixed:<CSI> tea </CSI>") as server:
        model = f"{server.url}/v1#tiny"
        run = folkways(
            "run",
            "xcr/identification",
            "-m",
            model,
            "--release",
            release,
            "--limit",
            12,
            "-w",
            tmp_path / "w.db",
        )
        assert run.returncode == 0, run.stderr
    files = exported(tmp_path, "--items")
    assert "aggregates alone" in files.done.stderr and "CC-BY-NC-ND-4.0" in files.done.stderr
    assert valid(files) == 0 and not list(files.out.rglob("*_samples.jsonl"))
    check_store(files)
    check_recomputed(files, set())


def test_a_part_of_a_task_is_named_and_the_command_that_asks_it(people: SharedRun) -> None:
    """The engine's version too, where the signature has it."""
    run = load_run("last", people.workspace)
    asked = {
        "tasks": ["demo/saq"],
        "cultures": ["KR", "ET"],
        "settings": {"top_p": 0.5},
        "prompts": "mine.toml",
    }
    stored = StoredRun(run.workspace, replace(run.record, recipe=asked), None, unlicensed_items=False)
    (endpoint, *_) = stored.models
    words = shlex.split(stored.command(endpoint))
    assert (
        words[:3] == ["folkways", "run", "demo/saq"]
        and words[words.index("--model") + 1] == stored.names[endpoint]
    )
    assert [words[words.index(name) + 1] for name in ("--cultures", "--setting", "--prompts")] == [
        "KR,ET",
        "top_p=0.5",
        "FILE",
    ]
    assert (
        StoredRun(run.workspace, replace(run.record, recipe=None), None, unlicensed_items=False).command(
            endpoint
        )
        == ""
    )
    made = ["task:demo/saq|served:tiny.gguf sha256:ab threads=2 xllamacpp=0.2.1", "task:demo/mcq"]
    info = {"inference_engine": {"name": "llama.cpp"}}
    assert with_engine(info, made)["inference_engine"] == {"name": "llama.cpp", "version": "xllamacpp 0.2.1"}
    assert with_engine(info, made[1:]) == info and with_engine({"inference_platform": "openai"}, made) == {
        "inference_platform": "openai"
    }


def test_what_was_never_asked_is_missing_and_in_the_denominator(
    tmp_path: Path, valid: Callable[[SharedRun], int]
) -> None:
    with ChatServer(mode="letter") as server:
        where = ("-w", tmp_path / "w.db", "--budget", "10requests", "--concurrency", 1, "--limit", 12)
        assert folkways("run", "demo/mcq", "-m", f"{server.url}/v1#org/tiny", *where).returncode == 1
    files = exported(tmp_path)
    assert valid(files) > 10
    check_store(files)
    check_recomputed(files, {"correct"})
    ((_, document),) = files.documents()
    missing = [row for row in files.instances(document) if row["metadata"]["state"] == "missing"]
    assert missing and all(
        row["error"].startswith("missing: ") and row["output"]["raw"] == [] for row in missing
    )
    assert all(row["evaluation"] == {"score": 0.0, "is_correct": False} for row in missing)
    details = document["source_metadata"]["additional_details"]
    assert details["run_state"] == "budget"
    assert details["part of demo/mcq"] == "12 of the 18 rows that the task asks by default"


@pytest.mark.postgres
def test_a_workspace_on_a_server_leaves_as_one_in_a_file_does(postgres_url: str, tmp_path: Path) -> None:
    made = {}
    with ChatServer(mode="letter") as server:
        for place in (str(tmp_path / "w.db"), postgres_url):
            assert folkways("run", "demo/mcq", "-m", f"{server.url}/v1#org/tiny", "-w", place).returncode == 0
            out = tmp_path / f"out{len(made)}"
            done = folkways("export", "every-eval-ever", "-w", place, "--out", out)
            assert done.returncode == 0, done.stderr
            files = SharedRun(done, tmp_path, out)
            check_store(files)
            ((_, document),) = files.documents()
            rows = [row | {"evaluation_id": "", "performance": None} for row in files.instances(document)]
            made[place] = ([result["score_details"] for result in document["evaluation_results"]], rows)
    first, second = made.values()
    assert first == second and first[1]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    assert folkways("run", "demo/mcq", "-m", "baseline/first", "-w", workspace).returncode == 0

    def says(*arguments: object) -> str:
        done = folkways("export", "every-eval-ever", "last", "-w", workspace, *arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        return done.stderr

    assert "baselines do not count as models" in says("--out", tmp_path / "out")
    assert "third_party" in says("--out", tmp_path / "out", "--relationship", "friends")
    assert "name a folder" in says("--out", tmp_path / "out.json")
    (tmp_path / "file").write_text("")
    assert "is a file" in says("--out", tmp_path / "file" / "out")
    assert not (tmp_path / "out").exists()


def test_a_model_that_never_replied_has_no_file_and_is_named(tmp_path: Path) -> None:
    with ChatServer(mode="letter") as server, ChatServer(faults={"chances": {"400": 1.0}}) as refusing:
        good, bad = f"{server.url}/v1#good", f"{refusing.url}/v1#bad"
        folkways("run", "demo/mcq", "-m", good, "-m", bad, "-w", tmp_path / "w.db", "--attempts", 1)
    files = exported(tmp_path)
    assert [path.parent.name for path, _ in files.documents()] == ["good"]
    assert "unknown/bad has no score on demo" in files.done.stderr


@pytest.mark.parametrize(("planned", "told"), [("0123456", "0123456"), ("", None)])
def test_data_are_of_the_revision_that_was_asked(people: SharedRun, planned: str, told: str | None) -> None:
    """A run of before it was stored was asked of what the registry has."""
    run = load_run("last", people.workspace)
    stored = StoredRun(run.workspace, run.record, None, unlicensed_items=False)
    name, task = next(iter(stored.tasks.items()))
    asked = replace(task, release="culturalbench", options={**task.options, REVISION: planned})
    vars(stored)["tasks"] = {name: asked}
    usual = get_record("culturalbench")
    assert stored.record(name) == replace(usual, revision=told or usual.revision)
