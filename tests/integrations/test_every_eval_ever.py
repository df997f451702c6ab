"""Runs as files for Every Eval Ever's data store, against its schemas: real servers, replies of every kind,
hostile text."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.api import load_run
from folkways.runs.results.model_names import portable, stored_model
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.eval_records import SharedRun, check_recomputed, check_store, exported
from tests.support.other_programs import FIND_PYTHON, programs_of, run_program

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


@pytest.fixture(scope="module")
def faulty_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedRun]:
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


def test_a_run_with_every_kind_of_reply_is_valid_and_recomputed(
    faulty_run: SharedRun, valid: Callable[[SharedRun], int]
) -> None:
    assert valid(faulty_run) > 200
    check_store(faulty_run)


def test_the_stores_own_validator_takes_all_and_refuses_what_is_broken(
    faulty_run: SharedRun, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The program needs Python 3.12; without one, its published schemas stand in."""
    if not subprocess.run(["sh", FIND_PYTHON, "12"], capture_output=True, check=True).stdout:
        request.getfixturevalue("valid")(faulty_run)
        return
    programs = programs_of("every-eval-ever")
    out = tmp_path / "out"
    shutil.copytree(faulty_run.out, out)
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


def test_scores_intervals_and_counts_are_those_of_folkways_score(faulty_run: SharedRun) -> None:
    check_store(faulty_run)
    check_recomputed(faulty_run, {"correct"})
    ((_, document),) = faulty_run.documents()
    assert re.fullmatch(r"demo/[^/]+/[^/]+/\d+", document["evaluation_id"]), "only of one name have more"


def test_every_state_is_told_and_nobodys_address(faulty_run: SharedRun) -> None:
    ((_, document),) = faulty_run.documents()
    rows = faulty_run.instances(document)
    states = Counter(row["metadata"]["state"] for row in rows)
    assert {"answered", "refused", "unreadable", "truncated", "failed"} <= set(states)
    for row in rows:
        state = row["metadata"]["state"]
        assert (row["error"] is None) == (state == "answered")
        assert state == "answered" or row["error"].startswith(state)
        assert state != "failed" or "400" in row["error"], "why it failed"
        assert bool(row["output"]["raw"]) == (state != "failed")
    assert any(row["metadata"].get("cut") == "true" for row in rows)
    said = {text for row in rows for text in row["output"]["raw"]}
    stored = (
        load_run("last", faulty_run.workspace)
        .responses()
        .filter(~pl.col("endpoint").str.starts_with("baseline/"))["response"]
    )
    assert said == set(stored.drop_nulls()), "what a model said is told exactly"
    assert any("</script>" in text and "\u2028" in text and "\x1b" in text for text in said)
    assert any("reasoning_trace" in row["output"] for row in rows)
    beside = document["evaluation_results"][0]["metric_config"]["additional_details"]
    assert "baseline/random" in beside
    for path in faulty_run.out.rglob("*.json*"):
        assert b"127.0.0.1" not in path.read_bytes()
        assert path.resolve().is_relative_to(faulty_run.out.resolve())


def test_the_same_run_gives_the_same_files_but_for_the_time_of_making(
    faulty_run: SharedRun, tmp_path: Path
) -> None:
    before = int(time.time())
    again = folkways(
        "export", "every-eval-ever", "last", "-w", faulty_run.workspace, "--out", tmp_path / "again"
    )
    assert again.returncode == 0
    made: list[dict[Path, Any]] = []
    for folder in (faulty_run.out, tmp_path / "again"):
        files: dict[Path, Any] = {}
        for path in (path for path in folder.rglob("*") if path.is_file()):
            content: Any = path.read_bytes()
            if path.suffix == ".json":
                content = json.loads(content)
                retrieved = int(content.pop("retrieved_timestamp"))
            files[path.relative_to(folder)] = content
        made.append(files)
    assert made[0] == made[1]
    assert before <= retrieved <= time.time()


def test_accuracy_is_a_proportion_and_other_metrics_keep_their_names(faulty_run: SharedRun) -> None:
    ((_, document),) = faulty_run.documents()
    by_id = {result["evaluation_result_id"]: result for result in document["evaluation_results"]}
    (plain,) = (
        result for name, result in by_id.items() if re.fullmatch(r"demo/mcq\|\w+\|correct\|all=all", name)
    )
    config, details = plain["metric_config"], plain["score_details"]
    assert (config["metric_id"], config["metric_kind"], config["metric_unit"]) == (
        "accuracy",
        "accuracy",
        "proportion",
    )
    assert (config["min_score"], config["max_score"]) == (0.0, 1.0)
    assert float(details["details"]["score_in_percent"]) == pytest.approx(100 * details["score"])
    others = {
        result["metric_config"]["metric_id"]
        for result in by_id.values()
        if result["metric_config"]["metric_kind"] != "accuracy"
    }
    assert others and all(name.startswith("folkways.demo.") for name in others)
    every = {
        result["evaluation_name"]: result["metric_config"]["metric_name"]
        for name, result in by_id.items()
        if result["metric_config"]["metric_id"] == "accuracy" and name.endswith("|all=all")
    }
    assert every["demo/true-false"] == "All four right", "an accuracy has any label that people read"
    assert 0 <= float(config["additional_details"]["baseline/random"]) <= 1


def test_errors_and_deviations_are_those_of_the_instances_and_groups_name_theirs(
    faulty_run: SharedRun,
) -> None:
    """One row a question in ``demo/mcq``: the error is that of a mean. Several in ``demo/saq``: between that
    and the error of one row a question."""
    ((_, document),) = faulty_run.documents()
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in faulty_run.instances(document):
        rows[row["evaluation_result_id"]].append(row)
    checked = Counter[str]()
    for result in document["evaluation_results"]:
        name, uncertainty = result["evaluation_result_id"], result["score_details"]["uncertainty"]
        if "standard_deviation" not in uncertainty:
            continue
        task, profile, metric, group = name.split("|")
        facet, _, value = group.partition("=")
        mine = [
            row
            for row in rows[f"{task}|{profile}|{metric}|all=all"]
            if facet == "all" or "+".join(row["metadata"].get(part, "") for part in facet.split("+")) == value
        ]
        values = [row["evaluation"]["score"] for row in mine]
        scale = result["metric_config"]["metric_parameters"]["scale"]
        assert uncertainty["standard_deviation"] == pytest.approx(scale * stdev(values)), name
        assert uncertainty["num_samples"] == len(values)
        languages = result["score_details"]["details"]["languages"]
        assert set(languages.split(",")) == {row["metadata"]["language"] for row in mine}
        questions = defaultdict(list)
        for row in mine:
            questions[row["metadata"]["question"]].append(row["evaluation"]["score"])
        if "standard_error" not in uncertainty:
            assert len(questions) == 1
            continue
        left_out = [
            mean(score for other, scores in questions.items() if other != question for score in scores)
            for question in questions
        ]
        spread = (
            sum((other - mean(values)) ** 2 for other in left_out) * (len(questions) - 1) / len(questions)
        )
        assert uncertainty["standard_error"]["value"] == pytest.approx(scale * spread**0.5), name
        assert ("questions" in uncertainty["standard_error"]["method"]) == (len(questions) < len(mine))
        checked[facet] += 1
    assert checked["all"] > 3 and checked["culture"] > 5 and checked["culture+language"] > 5


def test_a_consumer_can_judge_again_from_the_gold_answers_and_the_options_as_shown(tmp_path: Path) -> None:
    """Options in several orders: the letter that was read is a place in ``choices``, and a reply is right
    where the option at that place is the reference."""
    with ChatServer(mode="letter") as server:
        model = f"{server.url}/v1#org/tiny"
        where = ("-w", tmp_path / "w.db", "--permute-options", 3)
        assert folkways("run", "demo/mcq", "demo/saq", "-m", model, *where).returncode == 0
    files = exported(tmp_path)
    ((_, document),) = files.documents()
    choices, free = Counter[bool](), 0
    for row in files.instances(document):
        if not row["evaluation_result_id"].endswith("|correct|all=all"):
            continue
        reference, listed = row["input"]["reference"], row["input"].get("choices")
        if listed is None:
            free += len(reference) > 1
            assert all(not re.search(r" / |\(\d+\)", answer) for answer in reference)
            continue
        read = row["answer_attribution"][0]["extracted_value"]
        right = [listed["ABCD".index(read)]] == reference
        assert right == row["evaluation"]["is_correct"]
        choices[right] += 1
        shown = [row["input"]["formatted"].index(option) for option in listed]
        assert shown == sorted(shown), "the options stand in the order in which they were shown"
    assert choices[True] and choices[False] and free
    arguments = document["evaluation_results"][0]["generation_config"]["generation_args"]
    assert "{options}" in arguments["prompt_template"]
    command = shlex.split(arguments["execution_command"])
    assert command == [
        *("folkways", "run", "demo/mcq", "demo/saq", "--model", "org/tiny", "--permute-options", "3"),
        *("--release", "demo=demo@1"),
    ]


@pytest.mark.parametrize(
    ("endpoint", "id", "deployment", "availability", "runs_on"),
    [
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini", "externally_managed", "unknown", "openai"),
        ("openai/gpt-4o-mini?temperature=1", "openai/gpt-4o-mini", "externally_managed", "unknown", "openai"),
        (
            "together/meta-llama/Llama-3.1-8B",
            "meta-llama/Llama-3.1-8B",
            "externally_managed",
            "unknown",
            "together",
        ),
        ("vllm/org/model@http://10.1.2.3:8000", "org/model", "self_deployed", "unknown", "vllm"),
        ("hf/org/model@abc123", "org/model", "self_deployed", "open_weights", "transformers"),
        ("hf/./secret/place/model", "unknown/model", "self_deployed", "unknown", "transformers"),
        ("gguf//home/ann/Models/tiny-Q4.gguf", "unknown/tiny-Q4", "self_deployed", "unknown", "llama.cpp"),
        ("vllm-offline/org/model", "org/model", "self_deployed", "unknown", "vllm"),
        ("replay:/home/ann/replies.csv", "unknown/replies", "unknown", "unknown", "unknown"),
        ("http://10.1.2.3:8000/v1#org/llama", "org/llama", "unknown", "unknown", "unknown"),
    ],
)
def test_models_by_the_names_of_their_endpoints(
    endpoint: str, id: str, deployment: str, availability: str, runs_on: str
) -> None:
    """Whose service or which engine runs them: one of the two, as the guide has it."""
    model = stored_model(endpoint)
    details = model.info["additional_details"]
    assert (model.id, details["deployment_type"], details["model_availability"]) == (
        id,
        deployment,
        availability,
    )
    engine = model.info.get("inference_engine", {}).get("name")
    assert [engine or model.info["inference_platform"]] == [runs_on]
    assert (engine is None) == ("inference_platform" in model.info)
    assert not re.search(r"10\.1\.2\.3|ann|secret", json.dumps(model.info))


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("llama3:8b", "llama3_8b"),
        ("模型甲", "模型甲"),
        ("wo\u0308rld", "w\xf6rld"),
        ("हिन्दी-7b", "हिन्दी-7b"),
        ("模" * 100, "模" * 66),
    ],
)
def test_names_of_any_script_stay_apart(name: str, folder: str) -> None:
    assert portable(name) == folder


@given(st.text(max_size=300))
def test_any_name_is_one_portable_folder(name: str) -> None:
    folder = portable(name)
    assert {*map(str.isspace, folder)} == {False} and not {*folder} & {*'<>:"|?*/\\\0'}
    assert len(folder) <= 101 and len(folder.encode()) <= 201
    assert (
        folder.lower() not in ("data", "con", "nul", "..", ".")
        and not folder.endswith(".")
        and Path(folder).name == folder
    )
