"""Runs as files for Every Eval Ever's data store, against its schemas: real servers, replies of every kind,
hostile text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.api import load_run
from folkways.integrations.models import portable, stored_model
from folkways.records import State
from folkways.reports.data import PEOPLE
from tests.reports.test_people import with_raw_answers
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.other_programs import FIND_PYTHON, programs_of, run_program
from tests.support.river import Done, folkways

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
KINDS = {
    "rubbish": 0.15,
    "length": 0.1,
    "spent": 0.1,
    "null-text": 0.1,
    "refusal": 0.1,
    "thinks": 0.1,
    "400": 0.15,
}
HOSTILE = 'I\u202e do\nnot </script><b>"\\ \u2028 know \x1b[31m\x00 ⟨U+0000⟩'


@dataclass(frozen=True)
class Shared:
    """A run and the files that were made of it."""

    done: Done
    workspace: Path
    out: Path

    def documents(self) -> list[tuple[Path, dict[str, Any]]]:
        paths = sorted(path for path in self.out.rglob("*.json"))
        return [(path, json.loads(path.read_bytes())) for path in paths]

    def instances(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        path = self.out / document["detailed_evaluation_results"]["file_path"]
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """The demo, asked of a server that fails, refuses, cuts and sends control characters; a baseline asked
    beside it."""
    folder = tmp_path_factory.mktemp("mixed")
    with ChatServer(mode=f"fixed:{HOSTILE}", faults={"chances": KINDS, "seed": 3}) as server:
        model = f"{server.url}/v1#org/../evil: model"
        asked = folkways(
            "run",
            "demo",
            "-m",
            model,
            "-m",
            "baseline/random",
            "-w",
            folder / "w.db",
            "--attempts",
            1,
            "--seed",
            3,
        )
        assert asked.returncode in (0, 1), asked.stderr
        yield exported(folder)


def exported(folder: Path, *arguments: object) -> Shared:
    done = folkways(
        "export", "every-eval-ever", "last", "-w", folder / "w.db", "--out", folder / "out", *arguments
    )
    assert done.returncode == 0, done.stderr
    return Shared(done, folder / "w.db", folder / "out")


@pytest.fixture(scope="session")
def valid(shared: Path) -> Callable[[Shared], int]:
    """Hold every document and instance against the schemas; returns how many instances there were."""
    schemas = [
        json.loads((shared / f"interop/every_eval_ever/{name}.schema.json").read_text())
        for name in ("eval", "inst")
    ]
    aggregate, instance = (jsonschema.Draft7Validator(schema) for schema in schemas)

    def check(files: Shared) -> int:
        count = 0
        for _, document in files.documents():
            aggregate.validate(document)
            if "detailed_evaluation_results" in document:
                for row in files.instances(document):
                    instance.validate(row)
                    count += 1
        return count

    return check


def check_store(files: Shared) -> None:
    """What the store's own checks look at beyond the schema: places, names, sums, bounds."""
    assert files.documents()
    for path, document in files.documents():
        data, _, developer, model, name = path.relative_to(files.out).parts
        assert data == "data" and UUID4.fullmatch(name.removesuffix(".json"))
        assert document["model_info"]["id"] == f"{developer}/{model}"
        for result in document["evaluation_results"]:
            config, details = result["metric_config"], result["score_details"]
            assert float(config["min_score"]) <= details["score"] <= float(config["max_score"])
            assert all(isinstance(value, str) for value in details["details"].values())
        ids = [result["evaluation_result_id"] for result in document["evaluation_results"]]
        assert len(set(ids)) == len(ids)
        if told := document.get("detailed_evaluation_results"):
            assert (files.out / told["file_path"]) == path.with_name(f"{path.stem}_samples.jsonl")
            content = (files.out / told["file_path"]).read_bytes()
            assert told["checksum"] == sha256(content).hexdigest() and told["total_rows"] == content.count(
                b"\n"
            )
            for row in files.instances(document):
                assert (
                    row["evaluation_id"] == document["evaluation_id"]
                    and row["model_id"] == document["model_info"]["id"]
                )
                assert row["evaluation_result_id"] in ids


def check_recomputed(files: Shared, metrics_that_are_means: set[str]) -> None:
    """Every score is the one that ``folkways score --out`` writes, and that of the whole the mean of its
    instances."""
    table = files.out.parent / "scores.csv"
    assert folkways("score", "last", "-w", files.workspace, "--out", table).returncode == 0
    scores = pl.read_csv(table, infer_schema_length=None).filter(
        ~pl.col("endpoint").str.starts_with("baseline/")
    )
    known = {
        f"{row['task']}|{row['profile']}|{row['metric']}|{row['facet']}={row['value']}": row
        for row in scores.iter_rows(named=True)
    }
    told: dict[str, dict[str, Any]] = {}
    for _, document in files.documents():
        told |= {
            result["evaluation_result_id"]: result["score_details"]
            for result in document["evaluation_results"]
        }
        if "detailed_evaluation_results" not in document:
            continue
        values = defaultdict(list)
        for row in files.instances(document):
            values[row["evaluation_result_id"]].append(row["evaluation"]["score"])
        for name, found in values.items():
            if name.split("|")[2] in metrics_that_are_means:
                assert 100 * sum(found) / len(found) == pytest.approx(told[name]["score"], abs=1e-9), name
                assert len(found) == told[name]["uncertainty"]["num_samples"]
    assert set(told) == {name for name, row in known.items() if row["score"] is not None}
    for name, details in told.items():
        row = known[name]
        assert details["score"] == row["score"]
        interval = details["uncertainty"].get("confidence_interval")
        bounds = (interval["lower"], interval["upper"]) if interval else (None, None)
        assert bounds == (row["low"], row["high"])
        counts = {state.value: str(row[state.value]) for state in State} | {
            "cut": str(row["cut"]),
            "n": str(row["n"]),
        }
        assert {key: details["details"][key] for key in counts} == counts
        assert details["details"]["signature"] == row["signature"]


def test_a_run_with_every_kind_of_reply_is_valid_and_recomputed(
    mixed: Shared, valid: Callable[[Shared], int]
) -> None:
    assert valid(mixed) > 200
    check_store(mixed)


def test_the_stores_own_validator_takes_all_and_refuses_what_is_broken(
    mixed: Shared, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The program needs Python 3.12; without one, its published schemas stand in."""
    if not subprocess.run(["sh", FIND_PYTHON, "12"], capture_output=True, check=True).stdout:
        request.getfixturevalue("valid")(mixed)
        return
    programs = programs_of("every-eval-ever")
    out = tmp_path / "out"
    shutil.copytree(mixed.out, out)
    files = sorted(path.relative_to(out) for path in out.rglob("*.json*") if path.is_file())
    document = json.loads((out / files[0]).read_bytes())
    document["evaluation_results"][0]["score_details"]["score"] = "many"
    del document["detailed_evaluation_results"]
    broken = files[0].with_name("00000000-0000-4000-8000-000000000000.json")
    (out / broken).write_text(json.dumps(document))
    said = run_program(
        programs / "every_eval_ever", *("validate", "--format", "json", *files, broken), cwd=out, code=1
    )
    verdicts = {verdict["file"]: verdict["errors"] for verdict in json.loads(said)}
    assert [problem["loc"] for problem in verdicts.pop(broken.as_posix())] == [
        "evaluation_results[0] -> score_details -> score",
        "evaluation_results[0].score_details.score",
    ]
    assert verdicts == {file.as_posix(): [] for file in files}


def test_scores_intervals_and_counts_are_those_of_folkways_score(mixed: Shared) -> None:
    check_store(mixed)
    check_recomputed(mixed, {"correct"})


def test_every_state_is_told_and_nobodys_address(mixed: Shared) -> None:
    ((_, document),) = mixed.documents()
    rows = mixed.instances(document)
    states = Counter(row["metadata"]["state"] for row in rows)
    assert {"answered", "refused", "unreadable", "truncated", "failed"} <= set(states)
    for row in rows:
        state = row["metadata"]["state"]
        assert (row["error"] is None) == (state == "answered")
        assert state == "answered" or row["error"].startswith(state)
        assert bool(row["output"]["raw"]) == (state != "failed")
    assert any(row["metadata"].get("cut") == "true" for row in rows)
    said = {text for row in rows for text in row["output"]["raw"]}
    stored = (
        load_run("last", mixed.workspace)
        .responses()
        .filter(~pl.col("endpoint").str.starts_with("baseline/"))["response"]
    )
    assert said == set(stored.drop_nulls()), "what a model said is told exactly"
    assert any("</script>" in text and "\u2028" in text and "\x1b" in text for text in said)
    assert any("reasoning_trace" in row["output"] for row in rows)
    beside = document["evaluation_results"][0]["metric_config"]["additional_details"]
    assert "baseline/random" in beside
    for path in mixed.out.rglob("*.json*"):
        assert b"127.0.0.1" not in path.read_bytes()
        assert path.resolve().is_relative_to(mixed.out.resolve())


def test_the_same_run_gives_the_same_files(mixed: Shared, tmp_path: Path) -> None:
    again = folkways("export", "every-eval-ever", "last", "-w", mixed.workspace, "--out", tmp_path / "again")
    assert again.returncode == 0
    files = {
        path.relative_to(mixed.out): path.read_bytes() for path in mixed.out.rglob("*") if path.is_file()
    }
    assert files == {
        path.relative_to(tmp_path / "again"): path.read_bytes()
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Shared:
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


def test_people_stand_beside_the_score(people: Shared) -> None:
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


def test_where_the_questions_are_from_is_said(mixed: Shared, people: Shared) -> None:
    """Data of a folder are not those of the home page, which the record of the release has all the same."""
    sources = [
        {
            (source["source_type"], *source.get("url", ()))
            for _, document in files.documents()
            for source in (result["source_data"] for result in document["evaluation_results"])
        }
        for files in (mixed, people)
    ]
    assert sources == [{("other",)}, {("other",)}]


def test_models_of_one_name_are_told_apart(people: Shared) -> None:
    documents = [document for _, document in people.documents()]
    assert len(documents) == 2 and len({document["evaluation_id"] for document in documents}) == 2
    assert {document["source_metadata"]["source_organization_name"] for document in documents} == {"Us"}
    asked = {
        document["evaluation_results"][0]["generation_config"]["generation_args"]["temperature"]
        for document in documents
    }
    assert asked == {0.0, 1.0}


def test_items_of_an_unknown_licence_leave_only_where_the_user_says_so(
    people: Shared, valid: Callable[[Shared], int]
) -> None:
    assert valid(people) == 0
    assert not list(people.out.rglob("*_samples.jsonl"))
    assert "aggregates alone" in people.done.stderr and "--items" in people.done.stderr
    check_store(people)
    named = exported(people.workspace.parent, "--items")
    assert valid(named) > 0
    check_store(named)
    exported(people.workspace.parent)
    assert not list(people.out.rglob("*_samples.jsonl")), "a file of items from before does not stay"


def test_one_profile_is_written_where_it_is_named(people: Shared, tmp_path: Path) -> None:
    done = folkways(
        "export", "every-eval-ever", "-w", people.workspace, "--out", tmp_path / "one", "--profile", "strict"
    )
    assert done.returncode == 0
    results = [
        result
        for _, document in Shared(done, people.workspace, tmp_path / "one").documents()
        for result in document["evaluation_results"]
    ]
    assert {result["score_details"]["details"]["profile"] for result in results} == {"strict"}


def test_items_that_a_licence_forbids_never_leave(
    shared: Path, tmp_path: Path, valid: Callable[[Shared], int]
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


def test_what_was_never_asked_is_missing_and_in_the_denominator(
    tmp_path: Path, valid: Callable[[Shared], int]
) -> None:
    with ChatServer(mode="letter") as server:
        where = ("-w", tmp_path / "w.db", "--budget", "10requests", "--concurrency", 1)
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
    assert document["source_metadata"]["additional_details"]["run_state"] == "budget"


@pytest.mark.postgres
def test_a_workspace_on_a_server_leaves_as_one_in_a_file_does(postgres_url: str, tmp_path: Path) -> None:
    made = {}
    with ChatServer(mode="letter") as server:
        for place in (str(tmp_path / "w.db"), postgres_url):
            assert folkways("run", "demo/mcq", "-m", f"{server.url}/v1#org/tiny", "-w", place).returncode == 0
            out = tmp_path / f"out{len(made)}"
            done = folkways("export", "every-eval-ever", "-w", place, "--out", out)
            assert done.returncode == 0, done.stderr
            files = Shared(done, tmp_path, out)
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


@pytest.mark.parametrize(
    ("endpoint", "id", "deployment", "availability"),
    [
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini", "externally_managed", "unknown"),
        ("openai/gpt-4o-mini?temperature=1", "openai/gpt-4o-mini", "externally_managed", "unknown"),
        ("together/meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B", "externally_managed", "unknown"),
        ("vllm/org/model@http://10.1.2.3:8000", "org/model", "self_deployed", "unknown"),
        ("hf/org/model@abc123", "org/model", "self_deployed", "open_weights"),
        ("hf/./secret/place/model", "unknown/model", "self_deployed", "unknown"),
        ("gguf//home/ann/Models/tiny-Q4.gguf", "unknown/tiny-Q4", "self_deployed", "unknown"),
        ("replay:/home/ann/replies.csv", "unknown/replies", "unknown", "unknown"),
        ("http://10.1.2.3:8000/v1#org/llama", "org/llama", "unknown", "unknown"),
    ],
)
def test_models_by_the_names_of_their_endpoints(
    endpoint: str, id: str, deployment: str, availability: str
) -> None:
    model = stored_model(endpoint)
    details = model.info["additional_details"]
    assert (model.id, details["deployment_type"], details["model_availability"]) == (
        id,
        deployment,
        availability,
    )
    assert not re.search(r"10\.1\.2\.3|ann|secret", json.dumps(model.info))


@given(st.text(max_size=300))
def test_any_name_is_one_portable_folder(name: str) -> None:
    folder = portable(name)
    assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}", folder)
    assert (
        folder.lower() not in ("data", "con", "nul", "..", ".")
        and not folder.endswith(".")
        and Path(folder).name == folder
    )
