"""Logs of other programs, compared: paired by sample, clustered by sample over epochs, whatever was scored
and how."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from statsmodels.regression.linear_model import OLS

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, MissingExtraError, UnknownNameError
from folkways.integrations.compare_logs import compare_logs, logs_in, names_apart, read_logs
from folkways.integrations.lm_eval import samples as lm_eval
from folkways.integrations.report_logs import read_scores, report_logs
from folkways.integrations.scored_log import SIGNATURE, STATED, scales_of
from folkways.records import Signature
from folkways.runs.results.model_names import public_name
from tests.integrations.test_every_eval_ever_records import record
from tests.integrations.test_report_logs import with_instances
from tests.support.command_line import Done, folkways
from tests.support.eval_logs import sample, write_inspect_log, write_lm_eval_samples, zipfile, zstd
from tests.support.helm_runs import helm_run

N = 40


def right(model: int, number: int, epoch: int = 1) -> bool:
    """Whether a model gets a sample right: arbitrary, but the first model more often."""
    return (number * 7 + epoch * 3 + model * 5) % 10 < (7 if model == 0 else 4)


def log(folder: Path, model: int, *, epochs: int = 1, n: int = N, **options: Any) -> Path:
    samples = [
        sample(
            number,
            {"match": "C" if right(model, number, epoch) else "I"},
            epoch,
            metadata={"topic": "ab"[number % 2]},
        )
        for number in range(n)
        for epoch in range(1, epochs + 1)
    ]
    return write_inspect_log(folder / f"{model}.eval", samples, model=f"org/m{model}", **options)


def says(*arguments: object) -> str:
    """What a command says that is refused."""
    done = folkways("compare", *arguments)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    return done.stderr


def compared(*arguments: object) -> list[dict[str, Any]]:
    done: Done = folkways("compare", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_two_logs_are_compared_with_one_command(tmp_path: Path) -> None:
    first, second = log(tmp_path, 0), log(tmp_path, 1)
    done = folkways("compare", first, second, "--by", "topic", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("m0 against m1: quiz, match\nm0 does better than m1, by ")
    assert "all (match)" in done.stdout and not (tmp_path / "folkways.db").exists()
    (found,) = compared(first, second, "--by", "topic")
    whole, *groups = (row for row in found["differences"] if row["facet"] in ("all", "topic"))
    scores = [100 * np.mean([right(model, number) for number in range(N)]) for model in (0, 1)]
    assert (whole["first_score"], whole["second_score"]) == pytest.approx(scores)
    assert [row["value"] for row in groups] == ["a", "b"] and sum(row["n"] for row in groups) == N
    assert found["notes"] == []


def test_epochs_are_rows_of_their_sample_and_no_further_questions(tmp_path: Path) -> None:
    drawn = np.random.default_rng(1)
    chances = drawn.beta(0.4, 0.4, (2, 120))  # mostly right, or mostly wrong, over all epochs
    answers = drawn.random((5, 2, 120)) < chances
    logs = [
        write_inspect_log(
            tmp_path / f"{model}.eval",
            [
                sample(n, {"match": bool(answers[epoch, model, n])}, epoch + 1)
                for n in range(120)
                for epoch in range(5)
            ],
            model=f"org/m{model}",
        )
        for model in (0, 1)
    ]
    (found,) = compared(*logs)
    row = found["differences"][0]
    assert (row["n"], row["questions"]) == (600, 120)
    between = (answers[:, 0].astype(float) - answers[:, 1]).T.ravel()
    fitted = OLS(between, np.ones(600)).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(120), 5)}
    )
    assert row["difference"] == pytest.approx(100 * between.mean())
    clustered, naive = 100 * fitted.bse[0], 100 * between.std(ddof=1) / math.sqrt(600)
    assert (row["high"] - row["low"]) / 2 / 1.96 == pytest.approx(clustered, rel=0.1), (
        "the outside implementation's, to a margin"
    )
    assert clustered > 1.5 * naive, "or this would show nothing"


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_every_compression_and_an_unfinished_log_are_read_alike(tmp_path: Path, compression: int) -> None:
    whole = read_logs(log(tmp_path, 0, compression=compression))[0]
    begun = read_logs(log(tmp_path, 0, compression=compression, finished=False))[0]
    assert (whole.scores, whole.items, whole.contents) == (begun.scores, begun.items, begun.contents)
    assert not whole.notes and "'started'" in begun.notes[0]


class TwoFrames:
    """Compresses as Inspect does beyond 200 MB: frame after frame."""

    def __init__(self) -> None:
        self.one = zstd.ZstdCompressor()

    def compress(self, data: bytes) -> bytes:
        half = len(data) // 2
        return self.one.compress(data[:half], self.one.FLUSH_FRAME) + self.one.compress(data[half:])

    def flush(self) -> bytes:
        return self.one.flush()


def test_members_of_several_frames_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = read_logs(log(tmp_path, 0))[0]
    with monkeypatch.context() as patch:
        patch.setattr(zipfile, "_get_compressor", lambda *_: TwoFrames())
        cut = log(tmp_path, 0)
    with zipfile.ZipFile(cut) as archive, pytest.raises(zipfile.BadZipFile):
        archive.read("summaries.json")
    assert read_logs(cut)[0].scores == plain.scores


def test_compressed_logs_without_their_extra_name_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, plain = log(tmp_path, 0), log(tmp_path, 1, compression=zipfile.ZIP_DEFLATED)
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    with pytest.raises(MissingExtraError, match=r"'backports\.zstd'.*\n.*'folkways\[inspect\]'"):
        read_logs(packed)[0]
    assert read_logs(plain)[0].scores


def test_a_log_as_json_is_read_like_one_in_an_archive(tmp_path: Path) -> None:
    packed = log(tmp_path, 0)
    with zipfile.ZipFile(packed) as archive:
        document = {
            **json.loads(archive.read("header.json")),
            "samples": json.loads(archive.read("summaries.json")),
        }
    plain = tmp_path / "0.json"
    document = {"version": 2, "status": "success"} | document
    plain.write_text(json.dumps(document, indent=2))
    assert read_logs(plain)[0].scores == read_logs(packed)[0].scores
    (found,) = compared(plain, log(tmp_path, 1))
    assert found["models"] == ["org/m0", "org/m1"]
    (tmp_path / "listing.json").write_text(json.dumps({"0.json": {**document, "samples": None}}))
    assert logs_in(tmp_path) == [packed, tmp_path / "1.eval"]  # the archive is the same log
    packed.unlink()
    assert logs_in(tmp_path) == [plain, tmp_path / "1.eval"]
    (again,) = compared(tmp_path)
    assert again["differences"] == found["differences"]


def test_values_of_every_kind_become_numbers(tmp_path: Path) -> None:
    values = ["C", "I", "P", "N", True, 0, 0.25, "yes", "0.75", math.nan, "who knows", [1, 2]]
    path = write_inspect_log(tmp_path / "a.eval", [sample(n, {"s": value}) for n, value in enumerate(values)])
    found = read_logs(path)[0].scores["s"]
    assert found[:9] == [1, 0, 0.5, 0, 1, 0, 0.25, 1, 0.75]
    assert all(value is not None and math.isnan(value) for value in found[9:])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_log_is_read_with_what_it_says_of_samples_settings_and_itself(tmp_path: Path) -> None:
    """Whatever is left out of it or null, as of a sample that failed."""
    ours = {"item": "i", "question": "q", "language": "en"}
    samples = [
        sample("a", {"s": {"x": "C", "y": 0.5}, "t": "I"}, metadata=ours),
        sample("a", {"t": 0.25}, epoch=2, metadata=ours),
        {**sample("b", None, metadata=ours), "scores": None},
        {**sample("c", {"t": "I"}, metadata=ours), "metadata": {**ours, "question": "other"}},
        sample("c", {"t": "C"}, metadata={**ours, "question": "other"}),  # retried
    ]
    config = {"temperature": 0.5, "top_k": 7, "max_tokens": None, "timeout": 9}
    spec = {
        "task_version": 2,
        "task_args": {"level": "hard"},
        "model_generate_config": config,
        "dataset": {"name": "data-2"},
    }
    (log,) = read_logs(write_inspect_log(tmp_path / "a.eval", samples, finished=False, **spec))
    assert (log.task, log.model) == ("quiz", "org/model")
    assert (log.items, log.repeats) == (["a", "a", "b", "c"], [1, 2, 1, 1])
    assert log.questions == ["q", "q", "q", "other"]
    unknown = math.nan  # without any score; what has others alone is no sample of a score
    others = [None, unknown, None]
    expected = {"s.x": [1.0, *others], "s.y": [0.5, *others], "t": [0.0, 0.25, unknown, 1.0]}
    assert {name: list(map(str, values)) for name, values in log.scores.items()} == {
        name: [str(value) for value in values] for name, values in expected.items()
    }
    assert log.settings == {
        "data": "data-2",
        "version": "2",
        "arguments": "level=hard",
        "solver": "generate",
        "settings": "temperature=0.5,top_k=7",
    }
    assert log.notes == ["its status is 'started': it may lack samples"]
    about = {"task": "quiz", "model": "org/model", "model_generate_config": config}
    plan = {"steps": [{"solver": "a"}, {"solver": "b"}], "config": {"max_tokens": 64, "temperature": 1.0}}
    plain = tmp_path / "a.json"
    plain.write_text(json.dumps({"eval": about, "plan": plan, "samples": samples, "status": "success"}))
    (log,) = read_logs(plain)
    assert log.settings["settings"] == "max_tokens=64,temperature=0.5,top_k=7"
    assert (log.settings["solver"], log.settings["data"], log.notes) == ("a+b", "", [])
    for entry in samples:
        entry["metadata"] = None
    (log,) = read_logs(write_inspect_log(tmp_path / "a.eval", samples[:3], solver="mine", dataset=None))
    assert (log.questions, log.notes) == (["a", "a", "b"], [])
    assert (log.settings["solver"], log.settings["version"]) == ("mine", "0")


def test_one_of_several_scorers_is_compared_and_the_others_are_named(tmp_path: Path) -> None:
    for model in (0, 1):
        samples = [
            sample(
                n,
                {
                    "match": "CI"[(n + model) % 2],
                    "graded": {"depth": n / N, "length": 100 + n * (model + 1), "cited": None},
                },
            )
            for n in range(N)
        ]
        write_inspect_log(tmp_path / f"{model}.eval", samples, model=f"org/m{model}")
    logs = tmp_path / "0.eval", tmp_path / "1.eval"
    (found,) = compared(*logs)
    assert found["metric"] == "match"
    assert found["notes"] == [
        "Other scores of these logs: graded.depth, graded.length; choose one with --metric."
    ]
    (depth,) = compared(*logs, "--metric", "graded.depth")
    assert depth["verdicts"] == ["org/m0 and org/m1 do equally well on every question here."]
    (length,) = compared(*logs, "--metric", "graded.length")
    row = length["differences"][0]
    assert row["difference"] == pytest.approx(-(N - 1) / 2), "not a share: in its own unit"
    told = says(*logs, "--metric", "lenght")
    assert "unknown score of quiz" in told and "valid: graded.depth, graded.length, match" in told


def test_the_first_score_of_the_first_log_that_all_have_is_compared_and_files_tell_models_apart(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / "a" / "x.eval", tmp_path / "b" / "x.eval", tmp_path / "b" / "y.eval"]
    for path, names in zip(paths, ("abcd", "dcba", "ecb"), strict=True):
        path.parent.mkdir(exist_ok=True)
        write_inspect_log(path, [sample(n, dict.fromkeys(names, "CI"[n % 2])) for n in range(N)])
    (comparison,) = compare_logs(*paths)
    assert comparison.metric.name == "b"
    assert list(comparison.models) == [f"org/model@{paths[0]}", f"org/model@{paths[1]}", "org/model@y"]
    assert list(comparison.notes) == ["Other scores of these logs: c; choose one with metric=."]
    (turned,) = compare_logs(*paths[::-1], metric="c")
    assert (turned.metric.name, list(turned.notes)) == ("c", [])
    with pytest.raises(
        UnknownNameError, match=r"(?s)unknown score of quiz.*in all of these logs.*'a'.*b, c$"
    ):
        compare_logs(*paths, metric="a")
    with pytest.raises(FolkwaysError, match="a comparison needs two logs or more"):
        compare_logs(paths[0])


def test_what_failed_is_no_zero_and_is_counted(tmp_path: Path) -> None:
    log(tmp_path, 0)
    samples = [sample(n, {"match": "C"} if n % 4 else None) for n in range(N)]
    write_inspect_log(tmp_path / "1.eval", samples, model="org/m1")
    (found,) = compared(tmp_path / "0.eval", tmp_path / "1.eval")
    row = found["differences"][0]
    assert (row["n"], row["second_score"]) == (30, 100)
    assert (
        "org/m1: 30 of 40 rows are compared; 10 are left out, 10 of them without a reply of its own."
        in found["notes"]
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai-api/local/org/m", "org/m"), ("openai-api/local/m", "unknown/m"), ("hf/org/m", "org/m"),
        ("openai/gpt-4o", "openai/gpt-4o"), ("together/org/m", "org/m"), ("mockllm/model", "mockllm/model"),
        ("org/m#a1b2c3", "org/m#a1b2c3"), ("org/m?temperature=1", "org/m?temperature=1"),
    ],
)  # fmt: skip
def test_a_model_of_our_tasks_has_one_name_in_a_log_of_inspect_and_in_exports(
    tmp_path: Path, name: str, expected: str
) -> None:
    ours = {STATED: scales_of(get_task("demo/mcq").metrics), SIGNATURE: "task:demo/mcq"}
    for metadata, read in ((ours, expected), ({}, name)):
        path = write_inspect_log(
            tmp_path / "1.eval", [sample(1, {"match": "C"})], model=name, metadata=metadata
        )
        assert read_logs(path)[0].model == read


@pytest.mark.parametrize(
    ("end", "made", "setting"),
    [("_loglik", "read=loglik", {"read": "loglik"}), ("", "max_tokens=64,temperature=0.0,top_p=1.0", {})],
)
def test_the_harness_asked_a_task_of_ours_as_a_run_does(
    tmp_path: Path, end: str, made: str, setting: dict[str, str]
) -> None:
    task = f"folkways_demo_mcq{end}"
    signature = Signature({"task": "demo/mcq", "lang": "en", "settings": made, "profile": "strict"})
    about = {
        STATED: scales_of(get_task("demo/mcq").metrics),
        SIGNATURE: "task:demo/mcq|lang:en|profile:strict",
    }
    sent = {"max_gen_toks": 64, "temperature": 0.0}
    configs = {task: {"metadata": about, "generation_kwargs": {} if end else sent}}
    doc = dict.fromkeys(lm_eval.ID, "x")
    rows = [{"doc_id": 1, "correct": 1.0, "doc": doc}]
    path = write_lm_eval_samples(tmp_path, rows, task=task, configs=configs)
    (entry,) = read_logs(path)[0].contribution().entries()
    assert entry.made["settings"] == made
    of_run = replace(entry, made=signature.parts)
    assert entry.setting == of_run.setting and setting.items() <= entry.setting.items()


def test_one_id_of_one_release_is_one_question_however_it_was_put(tmp_path: Path) -> None:
    def write(number: int, data: str) -> Path:
        made = {STATED: scales_of(get_task("demo/mcq").metrics), SIGNATURE: f"task:quiz|data:{data}"}
        samples = [sample(n, {"match": "C"}, input=f"way {number} of {n}") for n in range(9)]
        return write_inspect_log(tmp_path / f"{number}.eval", samples, model=f"org/m{number}", metadata=made)

    (found,) = compared(write(1, "demo@1#ab"), write(2, "demo@1#ab"))
    assert found["shared"][0]["questions"] == 9
    for other in ("demo@1#cd", "demo@1"):
        assert "each of the 9 shared ids is another question" in says(
            write(1, other.replace("cd", "ab")), write(2, other)
        )


@pytest.mark.parametrize("order", [*permutations("abc")])
def test_what_a_third_log_shows_to_be_one_question_is_one(tmp_path: Path, order: tuple[str, ...]) -> None:
    """Log a does not say of which data it is, b puts the questions as a does, and c is of b's data."""
    data, way = {"a": "", "b": "|data:demo@1#ab", "c": "|data:demo@1#ab"}, {"a": 1, "b": 1, "c": 2}
    for name in order:
        made = {STATED: scales_of(get_task("demo/mcq").metrics), SIGNATURE: f"task:quiz{data[name]}"}
        samples = [sample(n, {"match": "C"}, input=f"way {way[name]} of {n}") for n in range(9)]
        write_inspect_log(tmp_path / f"{name}.eval", samples, model=f"org/{name}", metadata=made)
    (found,) = compare_logs(*(tmp_path / f"{name}.eval" for name in order))
    assert found.answers.n_questions == 9
    assert not any("left out" in note for note in found.notes)


def test_samples_that_are_not_the_same_question_are_left_out(tmp_path: Path) -> None:
    log(tmp_path, 0)
    samples = [sample(n, {"match": "C"}, **({"target": "other"} if n < 4 else {})) for n in range(N + 5)]
    write_inspect_log(tmp_path / "1.eval", samples, model="org/m1")
    (found,) = compared(tmp_path / "0.eval", tmp_path / "1.eval")
    assert found["shared"][0]["questions"] == N - 4
    assert found["notes"][0].startswith(
        "4 samples with the same id are not the same question, or have another right answer"
    )
    for name, id, text in (
        ("other data", lambda n: n, "another question"),
        ("other ids", lambda n: f"x{n}", "their ids differ"),
    ):
        write_inspect_log(
            tmp_path / "1.eval", [sample(id(n), {"match": "C"}, input=name) for n in range(N)], model="org/m1"
        )
        told = says(tmp_path / "0.eval", tmp_path / "1.eval")
        assert "no sample in common" in told and text in told


def test_messages_are_compared_by_what_they_say(tmp_path: Path) -> None:
    for model in (0, 1):
        samples = [
            sample(
                n,
                {"match": right(model, n)},
                input=[{"id": f"drawn {model}", "role": "user", "content": [{"type": "text", "text": "hi"}]}],
            )
            for n in range(N)
        ]
        write_inspect_log(tmp_path / f"{model}.eval", samples, model=f"org/m{model}")
    assert compared(tmp_path / "0.eval", tmp_path / "1.eval")[0]["shared"][0]["questions"] == N


@pytest.mark.parametrize("letters", [10, 6000])
def test_a_text_is_one_message_and_summaries_may_shorten_it(tmp_path: Path, letters: int) -> None:
    text = "w" * letters
    shown = text if letters < 5120 else f"{text[:5120]}...\n(content truncated)"
    inputs = {"whole": [{"role": "user", "content": text}], "shown": [{"role": "user", "content": shown}]}
    for name, asked in {**inputs, "text": text}.items():
        samples = [sample(n, {"match": right(0, n)}, input=asked) for n in range(N)]
        write_inspect_log(tmp_path / f"{name}.eval", samples, model=f"org/{name}")
    logs = [tmp_path / f"{name}.eval" for name in (*inputs, "text")]
    assert [one["questions"] for one in compared(*logs)[0]["shared"]] == [N] * 3


def test_logs_of_one_model_are_told_apart_and_so_is_how_it_was_asked(tmp_path: Path) -> None:
    log(tmp_path, 0, model_generate_config={"temperature": 0.0, "max_connections": 3})
    (tmp_path / "0.eval").rename(tmp_path / "cold.eval")
    log(tmp_path, 0, model_generate_config={"temperature": 1.0, "max_connections": 9}, task_version=2)
    (found,) = compared(tmp_path / "cold.eval", tmp_path / "0.eval")
    assert found["models"] == ["org/m0@cold", "org/m0@0"]
    told = " ".join(found["notes"])
    assert (
        "settings: org/m0@cold temperature=0.0; org/m0@0 temperature=1.0" in told
        and "version" in told
        and "connections" not in told
    )


@pytest.mark.parametrize(
    ("paths", "apart"),
    [
        (["cold.eval", "0.eval"], ["cold", "0"]),
        (["a/x.eval", "b/x.eval"], ["a", "b"]),
        (["a/cold.eval", "b/warm.eval"], ["cold", "warm"]),
        (["one/data/demo/m/x.json", "two/data/demo/m/x.json"], ["one", "two"]),
        (["ann/cold/x.json", "bob/warm/x.json"], ["cold", "warm"]),
        ([f"one/2026-11-30T20-24-11+00-00_{'q' * 30}_A", "two/2026-11-30T20-24-11+00-00_q_B"], ["one", "two"]),
        ([f"2026-11-30T20-24-{n}+00-00_q_{'AB'[n]}{'x' * 22}.eval" for n in (0, 1)],
         [f"2026-11-30T20-24-{n}+00-00" for n in (0, 1)]),
        (["a/x.eval", "b/x.eval", "b/y.eval"], ["a/x.eval", "b/x.eval", "y"]),
        ([f"{'cold' * 9}.eval", f"{'warm' * 9}.eval"], ["cold" * 9, "warm" * 9]),
    ],
)  # fmt: skip
def test_logs_of_one_model_go_by_the_short_name_that_no_other_has(paths: list[str], apart: list[str]) -> None:
    assert names_apart([Path(path) for path in paths]) == apart


def test_three_logs_are_ranked_and_tasks_are_kept_apart(tmp_path: Path) -> None:
    logs = [log(tmp_path, model) for model in (0, 1, 2)]
    alone = write_inspect_log(tmp_path / "alone.eval", [sample(1, {"match": "C"})], task="other")
    done = folkways("compare", *logs, alone)
    assert done.returncode == 0 and "Ranking: quiz, match" in done.stdout
    assert f"left out: other (other is in only one log ({alone}); a comparison needs" in done.stderr
    assert "is in only one log" in says(*logs, alone, "--task", "other")
    assert "unknown task of these logs" in says(*logs, "--task", "quizz")
    assert [one.task for one in compare_logs(*logs, alone, tell=lambda _: None)] == ["quiz"]


def test_named_tasks_alone_are_compared_and_each_of_them_must_be(tmp_path: Path) -> None:
    def of_task(task: str, *models: int) -> list[Path]:
        return [
            write_inspect_log(
                tmp_path / f"{task}{model}.eval",
                [sample(1, {"s": model}), sample(2, {"s": 1})],
                task=task,
                model=f"org/m{model}",
            )
            for model in models
        ]

    logs = [*of_task("one", 0, 1), *of_task("two", 0, 1), *of_task("alone", 0), *of_task("lonely", 1)]
    assert [each.task for each in compare_logs(*logs, tasks="two")] == ["two"]
    assert [each.task for each in compare_logs(*logs, tasks=["two", "one"])] == ["two", "one"]
    told: list[object] = []
    assert [each.task for each in compare_logs(*logs, tell=told.append)] == ["one", "two"]
    assert [str(one).partition(" is in only one log")[0] for one in told] == [
        "left out: alone (alone",
        "left out: lonely (lonely",
    ]
    with pytest.raises(FolkwaysError, match="alone is in only one log"):
        compare_logs(*logs, tasks=["one", "alone"])
    with pytest.raises(FolkwaysError, match=r"(?s)^alone is in only .*\nlonely is in only one log"):
        compare_logs(*logs[4:])


def test_samples_that_one_log_has_alone_are_counted_among_those_left_out(tmp_path: Path) -> None:
    logs = [log(tmp_path, 0, n=N), log(tmp_path, 1, n=N - 3)]
    (found,) = compare_logs(*logs)
    assert found.differences["n"].to_list() == [N - 3]
    notes = found.answers.notes(tuple(found.models))
    assert notes == ["org/m0: 37 of 40 rows are compared; 3 are left out."]


def test_samples_of_lm_evaluation_harness_are_compared_by_filter(tmp_path: Path) -> None:
    paths = []
    for model in (0, 1):
        rows = [
            {
                "doc_id": n,
                "filter": name,
                "exact_match": float(right(model, n)) if name == "strict" else 1.0,
                "doc": {"topic": "ab"[n % 2]},
            }
            for name in ("strict", "flexible")
            for n in range(N)
        ]
        paths.append(write_lm_eval_samples(tmp_path / f"org__m{model}", rows, model=f"org/m{model}"))
    (found,) = compared(*paths, "--by", "topic")
    assert (found["task"], found["metric"], found["models"]) == (
        "quiz",
        "exact_match,strict",
        ["org/m0", "org/m1"],
    )
    scores = [100 * np.mean([right(model, number) for number in range(N)]) for model in (0, 1)]
    assert [found["differences"][0][name] for name in ("first_score", "second_score")] == pytest.approx(
        scores
    )
    assert "exact_match,flexible" in found["notes"][0]


def harness(
    folder: Path, model: int, scores: Iterable[float], metric: str = "errors", **results: Any
) -> Path:
    rows = [{"doc_id": number, metric: score} for number, score in enumerate(scores)]
    return write_lm_eval_samples(folder / f"m{model}", rows, model=f"org/m{model}", **results)


@pytest.mark.parametrize(
    ("values", "told"),
    [(("C", "I"), True), ((1, 0.5), True), ((0.25, 1), False), ((3, 0), False), ((-1, 1), False)],
)
def test_what_no_log_says_of_the_direction_is_said(
    tmp_path: Path, values: tuple[object, object], told: bool
) -> None:
    logs = [
        write_inspect_log(
            tmp_path / f"{turn}.eval",
            [sample(number, {"distance": values[(number + turn) % 2]}) for number in range(N)],
            model=f"org/m{turn}",
        )
        for turn in (0, 1)
    ]
    note = "othing says whether less of distance is better; more is taken to be better."
    (comparison,) = compare_logs(*logs)
    assert any(note in one for one in comparison.notes) is not told
    report_logs(*logs, out=tmp_path / "report", formats=["md"])
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert page.count(f"quiz: n{note}") == (not told)


@pytest.mark.parametrize("turn", [1, -1])
def test_the_log_that_says_most_of_a_score_says_how_it_is_compared(tmp_path: Path, turn: int) -> None:
    """Wherever it stands."""
    scores = [[float(right(model, number) + model + 2) for number in range(N)] for model in (0, 1)]
    paths = [harness(tmp_path, model, scores[model], higher_is_better={"quiz": {"errors": False}})
             for model in (0, 1)]  # fmt: skip
    (results,) = paths[0].parent.glob("results_*.json")
    results.unlink()
    (comparison,) = compare_logs(*paths[::turn])
    assert comparison.metric.lower_is_better and not [note for note in comparison.notes if "says" in note]
    scale = {"kind": "mean", "scale": 10.0, "bounds": [0, 5], "lower_is_better": True, "per": "item"}
    stated = {"folkways_metrics": {"errors": scale | {"headline_by": None, "mean_over": None}}}
    logs = [
        write_inspect_log(
            tmp_path / f"{model}.eval",
            [sample(number, {"errors": score}) for number, score in enumerate(scores[model])],
            model=f"org/m{model}",
            metadata=metadata,
        )
        for model, metadata in enumerate((None, stated))
    ]
    (comparison,) = compare_logs(*logs[::turn])
    assert (comparison.metric.scale, comparison.metric.bounds) == (10.0, (0.0, 5.0))


@pytest.mark.parametrize("name", ["state", "item", "counted", "task"])
def test_what_folkways_says_of_a_row_itself_is_no_facet_of_a_log(tmp_path: Path, name: str) -> None:
    logs = [
        write_inspect_log(
            tmp_path / f"{model}.eval", [sample(1, {"s": 1}, metadata={name: "x", "topic": "y"})]
        )
        for model in (0, 1)
    ]
    with pytest.raises(FolkwaysError, match=r"unknown facet of the samples of quiz.*\nvalid: topic$"):
        compare_logs(*logs, by=name)


OURS = {"item": "KR/1", "language": "ko", "variant": "plain", "question": "1"}


@pytest.mark.parametrize(
    ("docs", "item"),
    [
        ([OURS, OURS | {"item": "KR/2"}], "KR/1|ko|plain"),
        ([{name: OURS[name] for name in ("item", "language", "variant")}], "KR/1|ko|plain"),
        ([OURS, {"item": "KR/2", "language": "ko"}], "0"),  # changed by hand, or of another version
        ([OURS, "KR/2"], "0"),
        ([OURS, None], "0"),
    ],
)
def test_samples_are_ours_where_all_have_the_ids_of_ours(tmp_path: Path, docs: list[Any], item: str) -> None:
    metric = {"kind": "proportion", "scale": 100.0, "bounds": [0, 1], "lower_is_better": False, "per": "item"}
    about = {
        "signature": "task:demo/mcq|profile:strict",
        "folkways_metrics": {"acc": metric | {"headline_by": None, "mean_over": None}},
    }
    rows = [{"doc_id": number, "acc": 1.0, "doc": doc} for number, doc in enumerate(docs)]
    path = write_lm_eval_samples(
        tmp_path, rows, task="folkways_demo_mcq", configs={"folkways_demo_mcq": {"metadata": about}}
    )
    (log,) = read_logs(path)
    assert (log.items[0], log.task == "demo/mcq", "acc" in log.stated) == (item, item != "0", item != "0")


@pytest.mark.parametrize(("written", "read"), [("{{ x }}", "yes"), (None, "no"), ("", "unknown")])
def test_the_harness_does_not_say_whether_a_server_was_sent_messages(
    tmp_path: Path, written: str | None, read: str
) -> None:
    rows = [{"doc_id": number, "acc": 1.0} for number in range(N)]
    (log,) = read_logs(write_lm_eval_samples(tmp_path / "a", rows, chat_template=written))
    assert log.settings["chat template"] == read


@pytest.mark.parametrize("filters", [("none",), ("strict", "flexible")])
@pytest.mark.parametrize(("higher", "better"), [(True, "org/m1"), (False, "org/m0")])
def test_the_harness_says_for_which_metrics_less_is_better(
    tmp_path: Path, filters: tuple[str, ...], higher: bool, better: str
) -> None:
    logs = [
        write_lm_eval_samples(
            tmp_path / str(model),
            [
                {"doc_id": number, "filter": name, "errors": float(model + number % 2)}
                for name in filters
                for number in range(N)
            ],
            model=f"org/m{model}",
            higher_is_better={"quiz": {"errors": higher}, "other": {"errors": not higher}},
        )
        for model in (0, 1)
    ]
    (comparison,) = compare_logs(*logs)
    assert comparison.metric.lower_is_better is not higher
    assert comparison.differences["ahead"].to_list() == [better]
    for path in logs:
        (read,) = read_logs(path)
        assert read.lower_is_better == dict.fromkeys(read.scores, not higher)
        assert not any(map(read.untold, read.scores))


@pytest.mark.parametrize("content", [None, "", '{"model_name": "org/m', "[]"])
def test_without_its_file_of_results_a_log_says_what_nobody_can_tell(
    tmp_path: Path, content: str | None
) -> None:
    logs = [harness(tmp_path, model, [float(right(model, n)) for n in range(N)]) for model in (0, 1)]
    (results,) = logs[0].parent.glob("results_*.json")
    if content is None:
        results.unlink()
    else:
        results.write_text(content)
    (comparison,) = compare_logs(*logs)
    what = "does not lie beside it" if content is None else "is damaged"
    assert (
        f"m0: {results.name} {what}, so that nobody can tell its model, its settings and for which metrics "
        "less is better."
    ) in comparison.notes
    assert "Not asked or judged alike, version: m0 unknown; org/m1 1.0." in comparison.notes


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"temperature": 0.5, "stop": None, "max_tokens": 8}, "max_tokens=8,temperature=0.5"),
        ("temperature=0.5", "temperature=0.5"),
        (None, "none"),
        ({}, "none"),
    ],
)
def test_how_the_harness_asked_is_told(tmp_path: Path, arguments: object, told: str) -> None:
    rows = [{"doc_id": 1, "acc": 1.0}]
    path = write_lm_eval_samples(tmp_path, rows, config={"gen_kwargs": arguments}, chat_template="{{ x }}")
    assert read_logs(path)[0].settings == {
        "version": "1.0", "examples": "0", "settings": told, "chat template": "yes"
    }  # fmt: skip
    elsewhere = write_lm_eval_samples(tmp_path, rows, versions=None, config=None)
    settings = read_logs(elsewhere)[0].settings
    assert (settings["version"], settings["settings"]) == ("unknown", "none")


def test_a_document_is_known_by_the_hash_of_the_harness_or_by_what_it_holds(tmp_path: Path) -> None:
    docs = [{"q": "a", "topic": "x"}, {"item": "KR/1|en", "question": "KR/1"}, "no object", {"question": "b"}]
    path = write_lm_eval_samples(
        tmp_path, [{"doc_id": n, "acc": 1.0, "doc": doc} for n, doc in enumerate(docs)]
    )
    hashed = read_logs(path)[0]
    assert hashed.contents == [f"hash {n}" for n in range(4)]
    assert hashed.questions == ["0", "KR/1", "2", "3"] and hashed.facets["topic"] == ["x", None, None, None]
    rows = [json.loads(line) for line in path.read_text().splitlines()]

    def contents(**change: object) -> list[str]:
        rows[0] |= change
        kept = [{name: value for name, value in row.items() if name != "doc_hash"} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in kept))
        return list(read_logs(path)[0].contents)

    usual = contents()
    assert len({*usual}) == 4 and contents() == usual
    assert contents(target="y")[0] not in usual and contents(doc={"q": "c"})[0] not in usual


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_are_scores_of_samples_that_were_not_scored(
    tmp_path: Path, value: float
) -> None:
    scores = [1.0, 0.0, value, 1.0]
    paths = [
        harness(tmp_path, 0, scores, total_evaluation_time_seconds=value),
        write_inspect_log(tmp_path / "a.eval", [sample(n, {"errors": one}) for n, one in enumerate(scores)]),
        record(tmp_path / "records", "org/m0", scores),
        helm_run(tmp_path / "suite", "org/m0", scores),
    ]
    for path in paths:
        (read,) = read_logs(path)
        values = next(iter(read.scores.values()))
        assert [None if math.isnan(one or 0) else one for one in values] == [1.0, 0.0, None, 1.0], path
    assert read_logs(paths[0])[0].model == "org/m0"


def test_samples_of_the_harness_that_are_there_twice_are_refused(tmp_path: Path) -> None:
    path = harness(tmp_path, 0, [1.0, 0.0])
    path.write_text(path.read_text() * 2)
    with pytest.raises(FolkwaysError, match=r"row 3: has the sample 0 \(filter none\) twice"):
        read_logs(path)


def test_a_log_that_several_names_mean_is_read_once(tmp_path: Path) -> None:
    scores = [float(right(0, number)) for number in range(N)]
    with_instances(tmp_path / "records", "org/a", scores)
    run_of_helm = helm_run(tmp_path / "suite", "org/a", scores)
    link = tmp_path / "link.eval"
    link.symlink_to(log(tmp_path, 0))
    for one, *others in (
        (tmp_path / "0.eval", link, tmp_path / "records" / ".." / "0.eval"),
        (tmp_path / "records", *(tmp_path / "records").iterdir()),
        (run_of_helm, tmp_path / "suite", *run_of_helm.iterdir()),
    ):
        sources = read_scores(one)["source"].unique().to_list()
        for other in others:
            with pytest.raises(FolkwaysError, match=r"^a comparison needs two logs or more, got (?!.*, /)"):
                compare_logs(one, other)
            assert read_scores(one, other)["source"].unique().to_list() == sources, other


def test_records_in_a_folder_are_compared(tmp_path: Path) -> None:
    for model in (0, 1):
        record(tmp_path / "data" / str(model), f"org/m{model}", [float(right(model, n)) for n in range(N)])
    (found,) = compared(tmp_path / "data")
    assert found["models"] == ["org/m0", "org/m1"]


def test_the_headline_that_a_log_of_inspect_names_comes_first(tmp_path: Path) -> None:
    values = {"match": "C", "judge": {"style": 1, "truth": 0}}
    for named, first in (
        (None, "match"),
        ({"scorer": "match", "score": "match", "metric": "accuracy"}, "match"),
        ({"scorer": "judge", "score": "truth", "metric": "mean"}, "judge.truth"),
        ({"scorer": "gone", "score": "gone", "metric": "mean"}, "match"),
    ):
        path = write_inspect_log(tmp_path / "a.eval", [sample(1, values)])
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        header = json.loads(members["header.json"])
        header["results"] = {"scores": [], "headline": named}
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (members | {"header.json": json.dumps(header).encode()}).items():
                archive.writestr(name, content)
        assert next(iter(read_logs(path)[0].scores)) == first


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_a_log_with_one_wrong_byte_is_read_or_refused_wherever_the_byte_is(
    tmp_path: Path, compression: int
) -> None:
    path = write_inspect_log(tmp_path / "a.eval", [sample("s", {"match": "C"})], compression=compression)
    whole, refused = path.read_bytes(), 0
    for offset in range(len(whole)):
        path.write_bytes(bytes((*whole[:offset], whole[offset] ^ 0xFF, *whole[offset + 1 :])))
        try:
            read_logs(path)
        except FolkwaysError as error:
            refused += 1
            assert "a.eval" in str(error)
    assert refused > len(whole) / 4


@pytest.mark.parametrize("wrong", [3, "x", [3], [None], {"a": {}}, True, None])
@pytest.mark.parametrize(
    "key", ["doc_id", "filter", "metrics", "acc", "arguments", "doc", "config", "versions", "model_name"]
)
def test_samples_of_the_harness_with_values_of_another_kind_are_read_or_refused(
    tmp_path: Path, key: str, wrong: object
) -> None:
    row = {"doc_id": 1, "filter": "none", "metrics": ["acc"], "acc": 1.0, "doc": {"q": "a"}, "arguments": {}}
    path = write_lm_eval_samples(tmp_path, [{**row, key: wrong} if key in row else row])
    (results,) = tmp_path.glob("results_*.json")
    if key not in row:
        results.write_text(json.dumps({**json.loads(results.read_text()), key: wrong}))
    try:
        read_logs(path)
    except FolkwaysError as error:
        assert str(tmp_path) in str(error)


@pytest.mark.parametrize("epoch", [2**63, 10**30, 10**400])
def test_an_epoch_that_no_program_counts_to_is_refused(tmp_path: Path, epoch: int) -> None:
    good = log(tmp_path, 0)
    bad = write_inspect_log(
        tmp_path / "bad.eval", [sample(1, {"match": "C"}, epoch), sample(2, {"match": "I"})]
    )
    for read in (lambda: compare_logs(good, bad), lambda: read_scores(bad)):
        with pytest.raises(FolkwaysError, match=r"bad\.eval: has a value that is not of the schema"):
            read()


def test_what_is_no_log_is_said_in_words(tmp_path: Path) -> None:
    good = log(tmp_path, 0)
    bad = tmp_path / "bad.eval"
    assert "does not exist" in says(good, bad)
    bad.write_bytes(b"not a zip")
    assert "is not a log of Inspect, or is damaged" in says(good, bad)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "is a ZIP archive, but not a log of Inspect" in says(good, bad)
    bad.write_bytes(good.read_bytes()[:-700])
    assert "is damaged" in says(good, bad)
    garbled = bytearray(good.read_bytes())
    at = garbled.index(b"summaries.json") + 60
    garbled[at : at + 40] = bytes(40)
    bad.write_bytes(garbled)
    assert "is damaged" in says(good, bad)
    write_inspect_log(bad, [])
    assert "without samples" in says(good, bad)
    write_inspect_log(bad, [sample(1, {}), sample(2, None)])
    assert "no sample has a score" in says(good, bad) and "inspect score" in says(good, bad)
    write_inspect_log(bad, [sample(1, None), sample(2, None)])
    assert "each sample failed, the first with: boom" in says(good, bad)
    write_inspect_log(bad, [sample(1, {"essay": [1, 2]})])
    assert "its scorers (essay) give no number" in says(good, bad)
    write_inspect_log(bad, [sample(1, {"other": 1})])
    assert "no score in common" in says(good, bad)
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"doc_id": 1, "metrics": []}\n{"question": 1}\n')
    assert "lines.jsonl, row 2: is not a sample of lm-evaluation-harness" in says(good, lines)
    lines.write_text('{"doc_id": 1, "metrics": ["ppl"], "ppl": [1.0, 2]}\n')
    assert "its metrics (ppl) are not numbers" in says(good, lines)
    for name in ("empty.jsonl", "empty.json", "empty.eval"):
        (tmp_path / name).touch()
        assert f"{name}: is empty" in says(good, tmp_path / name)
    packed = tmp_path / "samples.jsonl.gz"
    packed.write_bytes(b"packed")
    assert f"cannot tell which program wrote {packed}; valid: .eval and" in says(good, packed)
    samples = harness(tmp_path, 0, [1.0])
    (results,) = samples.parent.glob("results_*.json")
    samples.unlink()
    assert "has the results of lm-evaluation-harness over whole tasks" in says(good, results)
    plain = tmp_path / "plain.json"
    plain.write_text("{}")
    assert "is not a log of Inspect" in says(good, plain)


@pytest.mark.parametrize(
    "document",
    [[], {"eval": None}, {"eval": ["task", "model"]}, {"eval": {"task": "t"}}, {"eval": {"model": "m"}}],
)
def test_a_document_that_names_no_task_or_model_is_no_log(tmp_path: Path, document: object) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FolkwaysError, match="does not say which task was asked of which model"):
        read_logs(path)


def test_options_that_mean_nothing_for_logs_are_refused(tmp_path: Path) -> None:
    first, second = log(tmp_path, 0), log(tmp_path, 1)
    assert "two logs or more" in says(first, first)
    assert "--profile does not apply to logs" in says(first, second, "--profile", "strict")
    assert "there is no log gpt-4o" in says(first, "gpt-4o") and "there is no log x.jsonl" in says(
        first, "x.jsonl"
    )
    assert "there is no workspace" in says("replay:x.jsonl", "replay:y.jsonl", "-w", tmp_path / "none.db")
    assert "unknown facet" in says(first, second, "--by", "state") and "valid: topic" in says(
        first, second, "--by", "culture"
    )
    with pytest.raises(FolkwaysError, match=r"valid: \.eval"):
        read_logs(tmp_path / "log.txt")


def test_the_same_replies_compare_alike_in_a_run_and_in_samples_of_the_harness(tmp_path: Path) -> None:
    """A question asked in two languages is one question, whoever wrote the log down."""
    done = run(
        ["demo/saq"],
        models=["baseline/constant:tea", "baseline/constant:rice"],
        workspace=tmp_path / "w.db",
        name="r",
    )
    assert folkways("export", "lm-eval", "demo/saq", "--out", tmp_path / "task").returncode == 0
    (documents,) = (tmp_path / "task").rglob("*.jsonl")
    asked = [json.loads(line) for line in documents.read_text().splitlines()]
    judged = (
        done.judgements()
        .select("endpoint", "item", "language", "correct")
        .rows_by_key(["endpoint", "item", "language"])
    )
    paths = [
        write_lm_eval_samples(
            tmp_path / model.replace(":", "__").replace("/", "__"),
            [
                {"doc_id": number, "correct": judged[model, row["item"], row["language"]][0][0], "doc": row}
                for number, row in enumerate(asked)
            ],
            model=model,
        )
        for model in ("baseline/constant:tea", "baseline/constant:rice")
    ]
    (theirs,) = compared(*paths)
    (ours,) = compared("constant:tea", "constant:rice", "-w", tmp_path / "w.db")
    numbers = ("first_score", "second_score", "difference", "low", "high", "p", "n", "questions")
    both = [{name: found["differences"][0][name] for name in numbers} for found in (ours, theirs)]
    assert both[0] == pytest.approx(both[1])
    assert both[0]["questions"] < both[0]["n"]


def test_a_folder_stands_for_the_logs_in_it_and_the_results_for_their_samples(tmp_path: Path) -> None:
    """As the programs lay them down: one folder for all logs of Inspect, one for each model of the harness."""
    rows = [
        {"doc_id": number, "filter": "none", "metrics": ["acc"], "acc": number % 2} for number in range(8)
    ]
    for model in ("a", "b"):
        write_inspect_log(tmp_path / f"{model}.eval", [sample(1, {"s": 1}), sample(2, {"s": 0})], model=model)
        write_lm_eval_samples(tmp_path / "out" / model, rows, task="facts", model=model)
    both = ["a.eval", "b.eval", *(f"out/{model}/results_2026-11-01T10-00-00.123456.json" for model in "ab")]
    for named in (both, ["."], ["a.eval", "b.eval", "out"]):
        done = folkways("compare", *named, "--format", "json", cwd=tmp_path)
        told = [(one["task"], one["models"]) for one in json.loads(done.stdout)]
        assert sorted(told) == [("facts", ["a", "b"]), ("quiz", ["a", "b"])], named
        report = folkways("report", *named, "--format", "csv", "--out", tmp_path / "r", cwd=tmp_path)
        assert report.returncode == 0, report.stderr
        scores = pl.read_csv(tmp_path / "r" / "scores.csv").filter(facet="all")
        assert scores.select("model", "task").height == 4
        untold = scores.select("refused", "unreadable", "truncated", "cut")  # no log says so
        assert untold.null_count().row(0) == (4, 4, 4, 4) and scores["answered"].null_count() == 0
    lone = tmp_path / "lone" / "results_2026-11-01T10-00-00.123456.json"
    lone.parent.mkdir()
    lone.write_bytes((tmp_path / both[2]).read_bytes())
    assert "of lm-evaluation-harness over whole tasks" in folkways("compare", lone, tmp_path, cwd="/").stderr


def test_a_log_without_scores_is_left_out_and_told_where_others_have_some(tmp_path: Path) -> None:
    """Of perplexities, of a run that ended at once, and of one whose samples all failed."""
    for model in ("a", "b"):
        write_inspect_log(tmp_path / f"{model}.eval", [sample(1, {"s": 1}), sample(2, {"s": 0})], model=model)
    write_inspect_log(tmp_path / "at-once.eval", [])
    write_inspect_log(tmp_path / "failed.eval", [sample(1, None)])
    ppl = {"doc_id": 0, "filter": "none", "metrics": ["ppl"], "ppl": [1.0, 2]}
    samples = write_lm_eval_samples(tmp_path / "m", [ppl])
    unscored = ["at-once.eval", "failed.eval", samples]
    compared = folkways("compare", "a.eval", *unscored, "b.eval", cwd=tmp_path)
    with pytest.warns(UserWarning, match="left out") as warned:
        scores = read_scores(*(tmp_path / name for name in ("a.eval", *unscored, "b.eval")))
    assert scores.filter(facet="all").height == 2
    read = "\n".join(str(one.message) for one in warned)
    for name, why in zip(unscored, ("without samples", "each sample failed", "are not numbers"), strict=True):
        for text in (compared.stderr, read):
            assert re.search(rf"left out: .*{re.escape(Path(name).name)}: .*{why}", text), text
    for asked in (("compare", "a.eval"), ("report",)):
        done = folkways(*asked, "at-once.eval", cwd=tmp_path)
        assert (done.returncode, "at-once.eval: is a log without samples" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("/home/ann/Models/ok", "unknown/ok"),
        ("./secret/place/ok/", "unknown/ok"),
        ("~/ok", "unknown/ok"),
        (r"C:\Users\ann\ok", "unknown/ok"),
        ("org/ok", "org/ok"),
        ("gpt-4", "gpt-4"),
    ],
)
def test_a_model_of_the_harness_on_disk_is_called_as_in_a_run_without_its_path(
    tmp_path: Path, written: str, read: str
) -> None:
    (log,) = read_logs(write_lm_eval_samples(tmp_path, [{"doc_id": 1, "acc": 1.0}], model=written))
    assert log.model == read
    assert "/" not in written or log.model == public_name(f"hf/{written}")
    folder = tmp_path / re.sub(r'["<>:/|\\?*\[\]]+', "__", written)  # as the harness calls it
    path = write_lm_eval_samples(folder, [{"doc_id": 1, "acc": 1.0}])
    for results in folder.glob("results_*.json"):
        results.unlink()
    assert read_logs(path)[0].model == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("hf//home/ann/Models/ok", "unknown/ok"),
        ("vllm//home/ann/ok", "unknown/ok"),
        ("hf/./secret/place/ok", "unknown/ok"),
        ("hf/org/ok", "hf/org/ok"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("openai-api/lab/gpt", "openai-api/lab/gpt"),
        ("mockllm/model", "mockllm/model"),
    ],
)
def test_a_model_on_disk_is_called_without_its_path_in_logs_of_tasks_of_others(
    tmp_path: Path, written: str, read: str
) -> None:
    path = write_inspect_log(tmp_path / "1.eval", [sample(1, {"match": "C"})], model=written)
    assert read_logs(path)[0].model == read
