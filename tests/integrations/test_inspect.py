"""Inspect's logs in ours, and our tasks in Inspect: the program itself runs in an environment of its own, once
in every run and more by night."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways import api
from folkways.api import load_run
from folkways.benchmarks.base import temperature_of
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.integrations.compare_logs import read_logs
from folkways.integrations.inspect.logs import read_replies
from folkways.integrations.scored_log import scales_of
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.eval_logs import sample, write_inspect_log, zipfile
from tests.support.other_programs import programs_of, run_program

LETTERS = "ABCD"


def judged(log: Path, task: str) -> pl.DataFrame:
    out = log.parent / "verdicts.parquet"
    done = folkways("judge", task, "--responses", log, "--out", out)
    assert done.returncode == 0, done.stderr
    return pl.read_parquet(out)


def reply(text: str | None, **metadata: Any) -> dict[str, Any]:
    """What a log keeps of a reply to one of our samples."""
    choices = (
        [] if text is None else [{"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}]
    )
    return {"output": {"choices": choices, "completion": text or ""}, "metadata": metadata}


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The items of demo/mcq with the letters that a model chose for them, as folkways itself asked."""
    folder = tmp_path_factory.mktemp("asked")
    with ChatServer(mode="letter") as server:
        done = folkways(
            "run", "demo/mcq", "-m", f"{server.url}/v1#tiny", "-w", folder / "w.db", "--name", "r"
        )
        assert done.returncode == 0, done.stderr
    assert folkways("score", "r", "-w", folder / "w.db", "--out", folder / "scores.parquet").returncode == 0
    return (
        load_run("r", folder / "w.db").judgements().filter(~pl.col("endpoint").str.starts_with("baseline/"))
    )


def test_replies_of_a_log_are_judged_as_those_of_a_run(items: pl.DataFrame, tmp_path: Path) -> None:
    rows = list(items.iter_rows(named=True))
    samples = [
        sample(
            f"{row['item']}|en|plain",
            {"judged": {"correct": row["correct"]}},
            **reply(row["response"], item=row["item"], language="en", variant="plain"),
        )
        for row in rows
    ]
    log = write_inspect_log(tmp_path / "a.eval", samples)
    for table in (judged(log, "demo/mcq"), api.judge("demo/mcq", log).judgements):
        found = dict(table.select("item", "correct").iter_rows())
        assert found == {row["item"]: row["correct"] for row in rows}


def test_samples_without_our_metadata_are_found_by_their_ids(items: pl.DataFrame, tmp_path: Path) -> None:
    """A task that somebody else wrote: its ids are the items', its long texts are attached, one sample
    failed, one was cut."""
    names = items["item"].to_list()
    samples = [
        sample(name, {"match": "C"}, **reply("attachment://abc"), attachments={"abc": "The answer is A."})
        for name in names[:-2]
    ]
    samples += [sample(names[-2], None, **reply(None)), sample(names[-1], {"match": "I"}, **reply(""))]
    samples[-1]["output"]["choices"][0]["stop_reason"] = "max_tokens"
    table = judged(write_inspect_log(tmp_path / "a.eval", samples), "demo/mcq")
    states = dict(table.select("item", "state").iter_rows())
    assert {states[name] for name in names[:-2]} == {"answered"} and set(table["answer"].drop_nulls()) == {
        "A"
    }
    assert (states[names[-2]], states[names[-1]]) == ("missing", "truncated")


def test_replies_are_found_wherever_a_version_of_inspect_keeps_them(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "the "}, {"text": "end"}, "x"]
    outputs: dict[str, dict[str, Any]] = {
        "told": {"completion": "tea", "choices": [{"message": {"content": "rice"}, "stop_reason": "stop"}]},
        "text": {"choices": [{"message": {"content": "tea"}}]},
        "parts": {
            "completion": "",
            "choices": [{"message": {"content": parts}, "stop_reason": "max_tokens"}],
        },
        "attached": {"completion": "attachment://k", "choices": [{}]},
        "elsewhere": {"completion": "attachment://gone", "choices": [{}]},
        "empty": {"choices": [{"message": {}}]},
        "failed": {"completion": "tea", "choices": []},
        "nothing": {},
    }
    samples = [
        sample(name, None, 2, output=output, attachments={"k": "long"}) for name, output in outputs.items()
    ]
    ours = {"item": "i", "language": "en", "variant": None, "culture": "KR", "topic": "x"}
    samples.append({**sample("ours", None, output=None, metadata=ours), "attachments": None})
    table = read_replies(write_inspect_log(tmp_path / "a.eval", samples))
    assert table.columns == [
        "release_id",
        "sample",
        "response",
        "finish_reason",
        "item",
        "culture",
        "language",
    ]
    assert table.rows()[:-1] == [
        (name, "1", response, ended, None, None, None)
        for name, response, ended in (
            ("told", "tea", "stop"),
            ("text", "tea", None),
            ("parts", "the end", "max_tokens"),
            ("attached", "long", None),
            ("elsewhere", "attachment://gone", None),
            ("empty", "", None),
            ("failed", None, None),
            ("nothing", None, None),
        )
    ]
    assert table.rows()[-1] == (None, "0", None, None, "i", "KR", "en")


def test_a_log_that_cannot_be_judged_is_refused_in_words(tmp_path: Path) -> None:
    def says(log: Path) -> str:
        done = folkways("judge", "demo/mcq", "--responses", log, "--out", tmp_path / "v.csv")
        assert done.returncode == 2 and "Traceback" not in done.stderr
        return done.stderr

    assert "does not exist" in says(tmp_path / "none.eval")
    assert "ids are not in the release" in says(
        write_inspect_log(tmp_path / "a.eval", [sample(1, {"s": 1}, **reply("A"))])
    )
    agent = [sample("x", {"s": 1})]
    path = write_inspect_log(tmp_path / "b.eval", agent)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/y_epoch_1/sample.json", json.dumps(agent[0]))
    assert "in chunks" in says(path)


Ask = Callable[..., Path]


@pytest.fixture(scope="module")
def inspect(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Ask a task by ``inspect eval`` and return its log."""
    programs = programs_of("other-programs")

    def ask(server: ChatServer, task: str, *arguments: object, model: str = "org/tiny") -> Path:
        folder = tmp_path_factory.mktemp("inspect")
        run_program(
            programs / "inspect",
            *(
                "eval",
                task,
                "--model",
                f"openai-api/local/{model}",
                "--log-dir",
                folder / "logs",
                "--display",
                "plain",
                *arguments,
            ),
            cwd=folder,
            LOCAL_BASE_URL=f"{server.url}/v1",
            LOCAL_API_KEY="none",
        )
        (found,) = (folder / "logs").glob("*.eval")
        return found

    return ask


def scores_of(log: Path) -> dict[str, float]:
    with zipfile.ZipFile(log) as archive:
        header = json.loads(archive.read("header.json"))
    (found,) = header["results"]["scores"]
    return {name: metric["value"] for name, metric in found["metrics"].items()}


def run_scores(
    folder: Path, server: ChatServer, task: str, *arguments: object, profile: str | None = None
) -> dict[str, float]:
    """The scores of ``folkways run`` on the same server, named as the metrics in Inspect are."""
    judged_so = ("--profile", profile) if profile else ()
    done = folkways(
        "run",
        task,
        "-m",
        f"{server.url}/v1#org/tiny",
        "-w",
        folder / "w.db",
        "--name",
        "r",
        *arguments,
        *judged_so,
    )
    assert done.returncode in (0, 1), done.stderr
    table = (
        load_run("r", folder / "w.db")
        .scores(profile)
        .filter(~pl.col("endpoint").str.starts_with("baseline/"))
    )
    headline = table["metric"][0]
    found = {}
    for row in table.iter_rows(named=True):
        if row["facet"] == "all" or (row["facet"] == "culture" and row["metric"] == headline):
            name = row["metric"] if row["facet"] == "all" else f"{row['metric']}_{row['value']}"
            found |= {name: row["score"], f"{name}_low": row["low"], f"{name}_high": row["high"]}
            if row["facet"] == "all" and row["metric"] == headline:
                found |= {"n": row["n"], "coverage": row["coverage"]}
    return {name: value for name, value in found.items() if value is not None}


@pytest.mark.parametrize(
    "task",
    [
        "demo/mcq",  # every start of the program takes seconds
        *(
            pytest.param(task, marks=pytest.mark.nightly)
            for task in ("demo/saq", "demo/true-false", "demo/adaptation", "survey/opinions")
        ),
    ],
)
def test_inspect_scores_a_task_as_a_run_does(task: str, inspect: Ask, tmp_path: Path) -> None:
    mode = "letter" if task.endswith("mcq") else "fixed:True" if task.endswith("false") else "word"
    kinds = {"length": 0.1, "refusal": 0.1, "think-tag": 0.1, "filter": 0.1}
    with ChatServer(mode=mode, faults={"chances": kinds, "seed": 3, "by_question": True}) as server:
        ours = run_scores(tmp_path, server, task)
        log = inspect(server, f"folkways/{task.replace('/', '_').replace('-', '_')}")
    with zipfile.ZipFile(log) as archive:
        settings = json.loads(archive.read("header.json"))["plan"]["config"]
    asked_so = {"temperature": temperature_of(get_task(task)), "max_tokens": get_task(task).max_tokens}
    assert asked_so.items() <= settings.items()
    assert scores_of(log) == pytest.approx(ours)
    with zipfile.ZipFile(log) as archive:
        header = json.loads(archive.read("header.json"))
    release = open_release(get_task(task).release, get_task(task).benchmark)
    assert header["eval"]["task_version"] == release.fingerprint
    config = header["eval"]["config"]
    assert (config["continue_on_fail"], config["fail_on_error"], config["score_on_error"]) == (
        True,
        0.1,
        True,
    )
    usual = {"temperature": 0.0, "top_p": 1.0, "max_tokens": get_task(task).max_tokens}
    assert usual.items() <= header["plan"]["config"].items()
    table = judged(log, task)
    metrics = [name for name in ours if name in table.columns]
    known = (
        load_run("r", tmp_path / "w.db").judgements().filter(~pl.col("endpoint").str.starts_with("baseline/"))
    )
    for row in known.join(table, on=["item", "language", "variant"], suffix="_log", validate="1:1").iter_rows(
        named=True
    ):
        assert [row[name] for name in ("state", *metrics)] == [
            row[f"{name}_log"] for name in ("state", *metrics)
        ], row
    assert known.height == table.height and metrics
    (read,) = read_logs(log)
    declared = scales_of(get_task(task).metrics)
    assert read.stated and read.stated == {name: declared[name] for name in read.scores}
    # the log that we export of the run is of the same samples, asked and judged alike
    assert folkways("export", "inspect", "r", "-w", tmp_path / "w.db", "--out", tmp_path).returncode == 0
    (of_run,) = (read_logs(path)[0] for path in tmp_path.glob("*.eval"))
    assert (of_run.task, dict(of_run.settings)) == (task, dict(read.settings)) and read.task == task
    samples = [
        sorted(zip(one.items, one.repeats, one.questions, one.contents, strict=True))
        for one in (of_run, read)
    ]
    assert samples[0] == samples[1] and all(content for *_, content in samples[0])
    assert {*read.scores} <= {*of_run.scores}
    done = folkways("compare", tmp_path, log)
    assert done.returncode == 0 and "Not asked" not in done.stdout, done.stdout + done.stderr


@pytest.mark.nightly
def test_blend_in_inspect_with_options_and_epochs(inspect: Ask, tmp_path: Path) -> None:
    release = write_release(tmp_path / "blend")
    options = {
        "release": release,
        "cultures": "KR,ES",
        "languages": "en",
        "variants": "inst-4",
        "profile": "strict",
    }
    with ChatServer(mode="fixed:coffee") as server:
        asked = ("--release", release, "--cultures", "KR,ES", "--languages", "en", "--variants", "inst-4")
        ours = run_scores(tmp_path, server, "blend/saq", *asked, "--samples", 3, profile="strict")
        given = [word for name, value in options.items() for word in ("-T", f"{name}={value}")]
        log = inspect(server, "folkways/blend_saq", *given, "--epochs", 3)
    assert scores_of(log) == pytest.approx(ours)
    known = read_logs(log)[0]
    assert len(known.items) == 3 * len(set(known.items)) and set(known.questions) != set(known.items)
    assert read_replies(log)["response"].unique().to_list() == ["coffee"]


@pytest.mark.nightly
def test_an_option_that_is_wrong_is_said_in_words(tmp_path: Path) -> None:
    inspect = programs_of("other-programs") / "inspect"
    said = run_program(
        inspect,
        "eval",
        "folkways/demo_mcq",
        "-T",
        "cultures=XX",
        "--model",
        "mockllm/model",
        cwd=tmp_path,
        code=1,
    )
    assert "unknown culture 'XX'" in said and "valid: CN, DE" in said and "Traceback" not in said


@pytest.mark.nightly
def test_failures_stay_in_the_denominator(inspect: Ask, tmp_path: Path) -> None:
    with ChatServer(
        mode="letter", faults={"chances": {"400": 0.3}, "seed": 5, "by_question": True}
    ) as server:
        ours = run_scores(tmp_path, server, "demo/mcq", "--attempts", 1)
        log = inspect(server, "folkways/demo_mcq")
    assert 0 < ours["coverage"] < 1
    assert scores_of(log) == pytest.approx(ours)


@pytest.mark.nightly
def test_real_logs_of_our_tasks_are_compared(inspect: Ask) -> None:
    with ChatServer(mode="letter") as server:
        logs = [inspect(server, "folkways/demo_mcq", model=f"org/m{number}") for number in (1, 2)]
    done = folkways("compare", *logs, "--by", "culture", "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert found["models"] == ["org/m1", "org/m2"] and (found["task"], found["metric"]) == (
        "demo/mcq",
        "correct",
    )
    row = found["differences"][0]
    assert [row["first_score"], row["second_score"]] == pytest.approx(
        [scores_of(log)["correct"] for log in logs]
    )


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import choice, includes, match, mean, scorer, Score, accuracy, stderr
from inspect_ai.solver import generate

@scorer(metrics={"letters": [mean()], "long": [mean()]})
def shape():
    async def score(state, target):
        text = state.output.completion
        return Score(value={"letters": len(text), "long": len(text) > 1})
    return score

@task
def theirs():
    samples = [Sample(input=f"Question {n}?", target="ABCD"[n % 4], metadata={"part": "xy"[n % 2]}) for n in range(60)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=[match(), shape()])
"""


@pytest.mark.nightly
def test_real_logs_of_a_task_of_somebody_else_are_compared(inspect: Ask, tmp_path: Path) -> None:
    """Several scorers, a score of several values, epochs, samples that fail: as the program itself counts
    them."""
    file = tmp_path / "theirs.py"
    file.write_text(TASK)
    with ChatServer(
        mode="letter", faults={"chances": {"400": 0.05}, "seed": 1, "by_question": True}
    ) as server:
        logs = [
            inspect(server, f"{file}@theirs", "--epochs", 4, "--no-fail-on-error", model=f"org/m{number}")
            for number in (1, 2)
        ]
    found = [read_logs(log)[0] for log in logs]
    assert list(found[0].scores) == ["match", "shape.letters", "shape.long"] and "part" in found[0].facets
    for log, known in zip(logs, found, strict=True):
        with zipfile.ZipFile(log) as archive:
            header = json.loads(archive.read("header.json"))
        accuracy = header["results"]["scores"][0]["metrics"]["accuracy"]["value"]
        by_item: dict[str, list[float]] = {}
        for item, value in zip(known.items, known.scores["match"], strict=True):
            if value is not None and value == value:
                by_item.setdefault(item, []).append(value)
        assert sum(sum(values) / len(values) for values in by_item.values()) / len(by_item) == pytest.approx(
            accuracy
        )
    done = folkways("compare", *logs, "--by", "part")
    assert done.returncode == 0 and "shape.letters, shape.long" in done.stdout, done.stderr
