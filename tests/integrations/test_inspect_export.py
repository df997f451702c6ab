"""Runs as logs of Inspect, read by the program itself and by our own readers."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways import api
from folkways.api import load_run
from folkways.cultures import cultures
from folkways.integrations.compare_logs import read_logs
from folkways.integrations.inspect.export import export_run
from folkways.integrations.inspect.logs import read_replies, registered_name
from folkways.integrations.leaderboard import contributions_of
from folkways.reports.views.board import Board
from folkways.runs.results.model_names import model_names
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.other_programs import programs_of, run_program

FAULTS = {"length": 0.1, "refusal": 0.1, "filter": 0.1, "thinks": 0.1, "400": 0.15}
NUMBERS = ("first_score", "second_score", "difference", "low", "high", "p", "n", "questions")

READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info.name)
    scores = log.results.scores if log.results else []
    rows = [
        {"id": one.id, "epoch": one.epoch, "target": one.target, "choices": one.choices, "error": one.error is not None,
         "said": one.output.completion, "stop": one.output.stop_reason if one.output.choices else None,
         "values": {name: score.as_float() for name, score in one.scores.items()},
         "thought": any(part.type == "reasoning" for message in one.messages if not isinstance(message.content, str)
                        for part in message.content)}
        for one in log.samples
    ]
    print(json.dumps({
        "file": info.name, "status": log.status, "task": log.eval.task, "model": log.eval.model, "rows": rows,
        "scores": [{"name": one.name, "scored": one.scored_samples, "unscored": one.unscored_samples,
                    "metrics": {name: [metric.value, metric.metadata] for name, metric in one.metrics.items()}}
                   for one in scores],
    }))
"""


def exported(workspace: Path, out: Path, *arguments: object) -> list[Path]:
    done = folkways("export", "inspect", "-w", workspace, "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    return sorted(out.glob("*.eval"), key=lambda path: (path.name.split("_")[1], read_logs(path)[0].model))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, three tasks, two samples of each prompt; replies of every kind."""
    path = tmp_path_factory.mktemp("asked") / "w.db"
    with (
        ChatServer(mode="letter", faults={"chances": FAULTS, "seed": 3}) as first,
        ChatServer(mode="fixed:A", faults={"chances": FAULTS, "seed": 5}) as second,
    ):
        models = ("-m", f"{first.url}/v1#org/one", "-m", f"{second.url}/v1#org/two", "-m", "baseline/random")
        tasks = ("demo/mcq", "demo/saq", "demo/adaptation")
        asked = folkways("run", *tasks, *models, "-w", path, "--attempts", 1, "--samples", 2)
    assert asked.returncode in (0, 1), asked.stderr
    return path


@pytest.fixture(scope="module")
def logs(workspace: Path) -> list[Path]:
    return exported(workspace, workspace.parent / "logs")


def test_inspect_reads_samples_scores_and_intervals(
    workspace: Path, logs: list[Path], tmp_path: Path
) -> None:
    script = tmp_path / "read.py"
    script.write_text(READ)
    lines = run_program(
        programs_of("other-programs") / "python", script, logs[0].parent, cwd=tmp_path
    ).splitlines()
    documents = [json.loads(line) for line in lines if line.startswith("{")]
    assert {(one["task"], one["model"], one["status"]) for one in documents} == {
        (task, model, "success")
        for task in ("folkways/demo_mcq", "folkways/demo_saq", "folkways/demo_adaptation")
        for model in ("org/one", "org/two")
    }
    run = load_run("last", workspace)
    scores = run.scores().filter(pl.col("facet") == "all", ~pl.col("endpoint").str.starts_with("baseline/"))
    rows = {
        (registered_name(row["task"]), row["endpoint"].partition("#")[2], row["metric"]): row
        for row in scores.iter_rows(named=True)
    }
    seen = dict.fromkeys(("error", "thought", "cut", "choices"), 0)
    for document in documents:
        task, model = document["task"], document["model"]
        names = [name for where in rows if where[:2] == (task, model) for name in where[2:]]
        assert [one["name"] for one in document["scores"]] == names, "the headline first"
        for one in document["scores"]:
            row = rows[task, model, one["name"]]
            value, about = one["metrics"][one["name"]]
            assert (value, about["low"], about["high"]) == (row["score"], row["low"], row["high"])
            assert one["scored"] + one["unscored"] == len(document["rows"]) >= row["n"]
            values = [
                each["values"][one["name"]] for each in document["rows"] if one["name"] in each["values"]
            ]
            assert len(values) == one["scored"]
            if row["interval"] and one["name"] == "correct":
                lost = one["unscored"]
                assert 100 * sum(values) / (len(values) + lost) == pytest.approx(value)
        for each in document["rows"]:
            assert each["error"] == (not each["values"])
            seen["error"] += each["error"]
            seen["thought"] += each["thought"]
            seen["cut"] += each["stop"] == "max_tokens"
            seen["choices"] += bool(each["choices"])
    assert all(seen.values()), seen


@pytest.mark.parametrize("task", ["demo/mcq", "demo/saq"])
def test_the_replies_of_a_log_end_as_those_of_the_run(workspace: Path, logs: list[Path], task: str) -> None:
    """Withheld, cut and unreadable ones; a failed request has no reply there."""
    stored = load_run("last", workspace).judgements().filter(task=task)
    for log in logs:
        read = read_logs(log)[0]
        if read.task == task:
            of_run = Counter(stored.filter(pl.col("endpoint").str.ends_with(f"#{read.model}"))["state"])
            of_run["missing"] += of_run.pop("failed")
            found = Counter(api.judge(task, read_replies(log)).judgements["state"])
            assert found == of_run and found["refused"] and found["missing"]


def test_the_same_replies_compare_alike_in_a_run_and_in_its_logs(workspace: Path, logs: list[Path]) -> None:
    assert set(read_logs(logs[0])[0].repeats) == {1, 2}, "the samples of a prompt are epochs, from 1"
    assert header_of(logs[0])["eval"]["config"] == {"epochs": 2}
    for score in header_of(logs[0])["results"]["scores"]:
        (shown,) = score["metrics"].values()
        groups = shown["metadata"]["groups"]
        assert {group["facet"] for group in groups} <= {"culture"}
        assert {group["value"] for group in groups} <= cultures().keys()
    ours = json.loads(folkways("compare", "one", "two", "-w", workspace, "--json").stdout)
    theirs = {one["task"]: one for one in json.loads(folkways("compare", *logs, "--json").stdout)}
    assert len(theirs) == len(ours) == 3
    for native in ours:
        read = theirs[native["task"]]
        expected, got = ({name: one["differences"][0][name] for name in NUMBERS} for one in (native, read))
        assert got == pytest.approx(expected, abs=1e-9), native["task"]


def test_conditions_compare_alike_in_runs_and_in_what_they_export(tmp_path: Path) -> None:
    """A prompt put in another way is the same question."""
    (tmp_path / "mine.toml").write_text('plain = "X {question}\\n{options}\\nSo?"\n')
    of_run = ("-w", tmp_path / "w.db")
    with ChatServer(mode="letter") as server:
        for name, how in {
            "plain": (),
            "system": ("--system", "Think."),
            "own": ("--prompts", tmp_path / "mine.toml"),
        }.items():
            asked = folkways("run", "demo/mcq", "-m", f"{server.url}/v1#lab/m", "--name", name, *how, *of_run)
            assert asked.returncode == 0, asked.stderr
    for program in ("inspect", "every-eval-ever"):
        folders = [tmp_path / program / name for name in ("plain", "system", "own")]
        for folder in folders:
            done = folkways("export", program, folder.name, "--out", folder, *of_run)
            assert done.returncode == 0, done.stderr
        for folder in folders[1:]:
            (native,) = json.loads(
                folkways("compare", "m@plain", f"m@{folder.name}", "--json", *of_run).stdout
            )
            done = folkways("compare", folders[0], folder, "--json")
            assert done.returncode == 0, done.stderr
            (read,) = json.loads(done.stdout)
            expected, got = (
                {name: one["differences"][0][name] for name in NUMBERS} for one in (native, read)
            )
            assert expected["n"] == 18 and got == pytest.approx(expected, abs=1e-9)
            told = [
                [note.split(":")[0] for note in one["notes"] if "alike" in note] for one in (native, read)
            ]
            assert told[0] == told[1] != []


def test_logs_and_records_of_ours_compare_as_the_run_does_also_with_a_record_of_several_profiles(
    tmp_path: Path,
) -> None:
    of_run = ("-w", tmp_path / "w.db")
    with ChatServer(mode="letter") as first, ChatServer(mode="fixed:A") as second:
        for name, server in (("one", first), ("two", second)):
            models = ("-m", f"{server.url}/v1#lab/m", "-m", f"{server.url}/v1#lab/{name}")
            how = ("--name", name, "--samples", 2, "--setting", "temperature=1")
            asked = folkways("run", "demo/mcq", *models, *how, *of_run)
            assert asked.returncode == 0, asked.stderr
    for program, name in (("inspect", "one"), ("every-eval-ever", "two")):
        folder = tmp_path / "from" / name
        done = folkways("export", program, name, "--out", folder, *of_run)
        assert done.returncode == 0, done.stderr
    (record,) = (path for path in (tmp_path / "from/two").rglob("*.json") if path.parent.name == "two")
    (log,) = (path for path in (tmp_path / "from/one").iterdir() if read_logs(path)[0].model == "lab/one")
    done = folkways("compare", "lab/one", "lab/two", "--run", "one", "--run", "two", "--json", *of_run)
    assert done.returncode == 0, done.stderr
    (native,) = json.loads(done.stdout)

    def read() -> Any:
        done = folkways("compare", log, record, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)[0]

    found = read()
    assert found["metric"] == "correct" and found["models"] == ["lab/one", "lab/two"]
    expected, got = ({name: one["differences"][0][name] for name in NUMBERS} for one in (native, found))
    assert got == pytest.approx(expected, abs=1e-9)
    document = json.loads(record.read_bytes())
    samples = record.with_name(f"{record.stem}_samples.jsonl")
    other = [text.replace("demo/mcq|strict|", "demo/mcq|paper|") for text in samples.read_text().splitlines()]
    worse = [text.replace('"score":1.0', '"score":0.0') for text in other]
    assert worse != other != samples.read_text().splitlines()
    samples.write_text("\n".join(worse) + "\n" + samples.read_text())
    of_paper = json.loads(
        json.dumps(document["evaluation_results"]).replace("demo/mcq|strict|", "demo/mcq|paper|")
    )
    del document["detailed_evaluation_results"]["checksum"]
    record.write_text(
        json.dumps({**document, "evaluation_results": [*of_paper, *document["evaluation_results"]]})
    )
    again = read()
    assert again["metric"] == "correct" and not [note for note in again["notes"] if "profile" in note]
    assert again["differences"][0]["n"] == found["differences"][0]["n"]
    assert again["differences"][0]["difference"] == found["differences"][0]["difference"]
    done = folkways("compare", *(tmp_path / "from").iterdir(), "--json")
    assert done.returncode == 0, done.stderr
    (four,) = json.loads(done.stdout)
    assert sorted(four["models"]) == ["lab/m@one", "lab/m@two", "lab/one", "lab/two"]


def test_a_run_and_its_logs_share_the_columns_of_a_report(workspace: Path, logs: list[Path]) -> None:
    board = Board(contributions_of(["last", *map(str, logs)], workspace), "")
    assert not board.apart and {one.task for one in board.shown} == {
        "demo/mcq",
        "demo/saq",
        "demo/adaptation",
    }
    of_run, of_logs = (
        {
            (one.task, one.model, one.score, one.low, one.high, one.created)
            for one in board.entries
            if test(one)
        }
        for test in (lambda one: not one.source.endswith(".eval"), lambda one: one.source.endswith(".eval"))
    )
    assert of_run == of_logs and len(of_run) == len(board.shown) == len(board.replaced) == 6


def test_replies_are_judged_again_from_a_log_and_nobodys_address_is_in_it(
    workspace: Path, logs: list[Path]
) -> None:
    (log,) = (path for path in logs if "demo-mcq" in path.name and read_logs(path)[0].model == "org/one")
    stored = (
        load_run("last", workspace)
        .judgements()
        .filter(pl.col("endpoint").str.ends_with("#org/one"), pl.col("task") == "demo/mcq")
    )
    replies = read_replies(log)
    assert replies["response"].drop_nulls().sort().to_list() == (
        stored["response"].drop_nulls().sort().to_list()
    )
    for path in logs:
        with zipfile.ZipFile(path) as archive:
            assert all(b"127.0.0.1" not in archive.read(name) for name in archive.namelist())


def test_the_same_run_gives_the_same_bytes(workspace: Path, logs: list[Path], tmp_path: Path) -> None:
    again = exported(workspace, tmp_path / "again")
    assert [path.name for path in again] == [path.name for path in logs]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in logs]


def test_a_run_that_was_cut_short_is_no_success(workspace: Path, logs: list[Path], tmp_path: Path) -> None:
    run = load_run("last", workspace)
    files = export_run(run.workspace, replace(run.record, state="budget"), tmp_path).files
    assert {header_of(path)["status"] for path in files} == {"cancelled"}
    assert {header_of(path)["status"] for path in logs} == {"success"}
    (usage,) = header_of(logs[0])["stats"]["model_usage"].values()
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > usage["input_tokens"] > 0


def test_a_model_that_never_replied_has_an_error_and_no_number(tmp_path: Path) -> None:
    with ChatServer(mode="letter", faults={"chances": {"400": 1.0}}) as server:
        model = f"{server.url}/v1#org/lost"
        asked = folkways("run", "demo/mcq", "-m", model, "-w", tmp_path / "w.db", "--attempts", 1)
        assert asked.returncode == 1
    done = folkways("export", "inspect", "-w", tmp_path / "w.db", "--out", tmp_path / "logs")
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    header = header_of(log)
    assert header["status"] == "error" and header["results"]["scores"] == []


def test_texts_stay_where_a_licence_is_not_known_and_verdicts_leave(tmp_path: Path) -> None:
    release = write_release(tmp_path / "blend")
    with ChatServer(mode="fixed:coffee") as server:
        model = f"{server.url}/v1#tiny"
        asked = ("blend/saq", "-m", model, "--release", release, "--languages", "en")
        assert folkways("run", *asked, "-w", tmp_path / "w.db").returncode == 0
    (kept,) = exported(tmp_path / "w.db", tmp_path / "kept")
    (whole,) = exported(tmp_path / "w.db", tmp_path / "whole", "--items")
    assert read_logs(kept)[0].scores == read_logs(whole)[0].scores
    paired = folkways("compare", kept, whole)  # what has no text is told from another question by its id
    assert paired.returncode == 0 and "not the same question" not in paired.stdout, paired.stderr
    assert "rows that the task asks by default" in header_of(kept)["eval"]["metadata"]["part_of_task"]
    for log, there in ((kept, False), (whole, True)):
        with zipfile.ZipFile(log) as archive:
            texts = [archive.read(name) for name in archive.namelist() if name.startswith("samples/")]
        assert texts and all((b'"coffee"' in text) == there for text in texts)
        assert all(bool(json.loads(text)["input"]) == there for text in texts)


def header_of(log: Path) -> dict[str, Any]:
    with zipfile.ZipFile(log) as archive:
        header: dict[str, Any] = json.loads(archive.read("header.json"))
    return header


def test_models_of_two_servers_keep_their_names_in_logs(tmp_path: Path) -> None:
    with ChatServer(mode="letter") as server:
        names = [f"{url}/v1#openai/m" for url in (server.url, server.url.replace("127.0.0.1", "localhost"))]
        of_run = ("-w", tmp_path / "w.db")
        models = [text for name in names for text in ("-m", name)]
        asked = folkways("run", "demo/mcq", *models, "--limit", 4, "--name", "two", *of_run)
        assert asked.returncode == 0, asked.stderr
    done = folkways("export", "inspect", "two", "--out", tmp_path / "logs", *of_run)
    assert done.returncode == 0, done.stderr
    (read,) = json.loads(folkways("compare", tmp_path / "logs", "--json").stdout)
    assert sorted(read["models"]) == sorted(model_names(names).values())
