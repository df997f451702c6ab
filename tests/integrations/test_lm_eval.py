"""Our tasks in lm-evaluation-harness, and its samples in ours: the program itself runs in an environment of
its own, as a library in every run and from its command line by night."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from folkways.api import load_run
from folkways.benchmarks.registry import get_task
from folkways.integrations.lm_eval.harness import ExportedTask
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.other_programs import programs_of, run_program


def exported(out: Path, task: str, *arguments: object) -> list[dict[str, object]]:
    """The documents of an exported task."""
    done = folkways("export", "lm-eval", task, "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    name = f"folkways_{task.replace('/', '_').replace('-', '_')}"
    return [json.loads(line) for line in (out / f"{name}.docs.jsonl").read_text().splitlines()]


def scores(folder: Path, server: ChatServer, task: str, *arguments: object) -> dict[str, float]:
    """Metric -> score of ``folkways run``."""
    done = folkways(
        "run", task, "-m", f"{server.url}/v1#org/tiny", "-w", folder / "w.db", "--name", "r", *arguments
    )
    assert done.returncode == 0, done.stderr
    assert folkways("score", "r", "-w", folder / "w.db", "--out", folder / "s.parquet").returncode == 0
    whole = (
        pl.read_parquet(folder / "s.parquet")
        .filter(facet="all")
        .filter(~pl.col("endpoint").str.starts_with("baseline/"))
    )
    return {row["metric"]: row["score"] for row in whole.iter_rows(named=True) if row["score"] is not None}


def test_a_multiple_choice_task_is_written_in_both_ways(tmp_path: Path) -> None:
    documents = exported(tmp_path / "tasks", "demo/mcq")
    assert sorted(path.name for path in (tmp_path / "tasks").iterdir()) == [
        "folkways_demo_mcq.docs.jsonl",
        "folkways_demo_mcq.items.parquet",
        "folkways_demo_mcq.py",
        "folkways_demo_mcq.yaml",
        "folkways_demo_mcq_loglik.yaml",
    ]
    task = ExportedTask(tmp_path / "tasks" / "folkways_demo_mcq.py", "demo/mcq", "strict")
    assert len(documents) == 18
    for document in documents:
        labels = [task.judged(document, [f"The answer is {label}."]) for label in document["choices"]]  # type: ignore[union-attr]
        assert [values["correct"] for values in labels] == [
            float(place == document["right"]) for place in range(4)
        ]
        likelihoods = [(-1.0 if place == document["right"] else -2.0, False) for place in range(4)]
        assert task.judged_likeliest(document, likelihoods) == {"correct": 1.0}


def test_short_answers_are_judged_there_as_a_run_judges_them(tmp_path: Path) -> None:
    release = write_release(tmp_path / "blend")
    documents = exported(
        tmp_path / "tasks", "blend/saq", "--release", release, "--items", "--cultures", "KR,ES"
    )
    task = ExportedTask(tmp_path / "tasks" / "folkways_blend_saq.py", "blend/saq", "paper")
    with ChatServer(mode="fixed:coffee") as server:
        ours = scores(tmp_path, server, "blend/saq", "--release", release, "--cultures", "KR,ES")
    judged = [task.judged(document, ["coffee"]) for document in documents]
    for name in ("sem_b", "sem_w", "refusal"):
        values = [values[name] for values in judged if name in values]
        assert 100 * sum(values) / len(values) == pytest.approx(ours[name]), name
    assert 0 < ours["sem_b"] < 100


@pytest.mark.parametrize(("cultures", "languages"), [("KR,ES", {"ko", "es"}), ("KR", {"ko"})])
def test_a_task_in_two_languages_is_a_group_as_well(
    tmp_path: Path, cultures: str, languages: set[str]
) -> None:
    release = write_release(tmp_path / "blend")
    asked = ("--release", release, "--items", "--cultures", cultures, "--languages", "local")
    assert {document["language"] for document in exported(tmp_path / "out", "blend/saq", *asked)} == languages
    endings = {
        path.stem.removeprefix("folkways_blend_saq_") for path in (tmp_path / "out").glob("*saq_*.yaml")
    }
    assert endings == ({*languages, "by_language"} if len(languages) > 1 else set())


def test_a_survey_leaves_with_its_temperature_and_what_one_reply_tells(tmp_path: Path) -> None:
    done = folkways("export", "lm-eval", "survey/opinions", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    *lost, _ = [metric.label for metric in get_task("survey/opinions").metrics]
    assert f"not in it: {', '.join(lost)}, which several replies make together" in done.stderr
    written = (tmp_path / "folkways_survey_opinions.yaml").read_text()
    assert "do_sample: true\n  temperature: 1.0" in written
    task = ExportedTask(tmp_path / "folkways_survey_opinions.py", "survey/opinions", "strict")
    document = json.loads((tmp_path / "folkways_survey_opinions.docs.jsonl").read_text().splitlines()[0])
    values = task.judged(document, ["A"])
    assert {line.split()[-1] for line in written.splitlines() if "- metric:" in line} == {*values}


def test_what_cannot_leave_or_be_expressed_is_said(tmp_path: Path, shared: Path) -> None:
    def says(*arguments: object) -> str:
        done = folkways("export", "lm-eval", *arguments, "--out", tmp_path / "out")
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert not (tmp_path / "out").exists()
        return done.stderr

    release = write_release(tmp_path / "blend")
    assert "only one task can be written" in says("demo")
    assert "use --items if you may" in says("blend/saq", "--release", release)
    assert "unknown task" in says("demo/mcqq")
    forbidden = says("xcr/identification", "--release", shared / "data" / "xcr")
    assert "items of xcr@9904292 (licence: CC-BY-NC-ND-4.0) are not to be passed on" in forbidden
    assert forbidden == says("xcr/identification", "--release", shared / "data" / "xcr", "--items"), (
        "which overrides no licence"
    )
    done = folkways("export", "lm-eval", "demo/true-false", "--out", tmp_path / "hard")
    assert (
        done.returncode == 0
        and "not in it: All four right, which several replies make together" in done.stderr
    )


LIBRARY = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager
folder, task, server, out = sys.argv[1:]
found = simple_evaluate(
    model="local-chat-completions",
    model_args={"model": "org/tiny", "base_url": server, "num_concurrent": 4, "max_retries": 1},
    tasks=[task],
    task_manager=TaskManager(include_path=folder, include_defaults=False),
    apply_chat_template=True,
    bootstrap_iters=0,
)
with open(out, "w") as file:
    json.dump({"scores": found["results"][task], "samples": found["samples"]}, file, default=str)
"""
"""Without its own tasks, whose 14,000 files cost a start of the command half a minute."""


def test_the_harness_judges_each_reply_as_a_run_does(tmp_path: Path) -> None:
    """As a group of a task for each language, whose mean over documents is that of a run."""
    programs = programs_of("other-programs")
    exported(tmp_path / "tasks", "demo/saq")
    with ChatServer(mode="fixed:turkey or the Super Bowl") as server:
        ours = scores(tmp_path, server, "demo/saq")
        given = (tmp_path / "tasks", "folkways_demo_saq_by_language", f"{server.url}/v1/chat/completions")
        run_program(
            programs / "python",
            *("-c", LIBRARY, *given, tmp_path / "out.json"),
            cwd=tmp_path,
            OPENAI_API_KEY="none",
            HF_HUB_OFFLINE="1",
            HF_HOME=str(tmp_path / "hub"),
        )
    found = json.loads((tmp_path / "out.json").read_text())
    assert 0 < ours["correct"] < 100
    assert 100 * found["scores"]["correct,none"] == pytest.approx(ours["correct"])
    judged = load_run("r", tmp_path / "w.db").judgements()
    known = {
        (item, f"folkways_demo_saq_{language}"): float(correct)
        for item, language, endpoint, correct in judged.select(
            "item", "language", "endpoint", "correct"
        ).iter_rows()
        if not endpoint.startswith("baseline/")
    }
    assert known == {
        (sample["doc"]["item"], task): sample["correct"]
        for task, samples in found["samples"].items()
        for sample in samples
    }
    assert len({task for _, task in known}) == 9


def test_the_samples_of_an_exported_task_join_the_replies_of_a_run(tmp_path: Path) -> None:
    """In reports and comparisons, as logs of Inspect of the same task do."""
    documents = exported(tmp_path / "tasks", "demo/mcq")
    written = (tmp_path / "tasks/folkways_demo_mcq.yaml").read_text().partition("metadata:\n")[2]
    metadata = {name: json.loads(value) for name, value in re.findall(r"  (\w+): (.+)", written)}
    sent = {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 64}
    config = {"metadata": metadata, "generation_kwargs": sent}
    results = {
        "model_name": "other",
        "configs": {"folkways_demo_mcq": config},
        "n-shot": {"folkways_demo_mcq": 0},
        "chat_template": "",
    }
    (tmp_path / "out").mkdir()
    (tmp_path / "out/results_2026-11-30T20-40-59.json").write_text(json.dumps(results))
    samples = (
        {"doc_id": number, "doc": document, "metrics": ["correct"], "correct": float(number % 2)}
        for number, document in enumerate(documents)
    )
    log = tmp_path / "out/samples_folkways_demo_mcq_2026-11-30T20-40-59.jsonl"
    log.write_text("\n".join(map(json.dumps, samples)))
    with ChatServer(mode="letter") as server:
        ours = scores(tmp_path, server, "demo/mcq")
    of_run = ("-w", tmp_path / "w.db")
    done = folkways("report", "r", log, "--format", "csv", "--out", tmp_path / "report", *of_run)
    assert done.returncode == 0 and "cannot be compared" not in done.stdout, done
    table = pl.read_csv(tmp_path / "report/scores.csv").filter(facet="all", task="demo/mcq")
    found = dict(table.select("model", "score").iter_rows())
    assert (found["unknown/other"], found["org/tiny"]) == (50.0, pytest.approx(ours["correct"]))
    assert table["signature"].n_unique() == 1
    judged = pl.read_csv(tmp_path / "report/judgements.csv").filter(~pl.col("model").str.contains("baseline"))
    assert judged.group_by("item", "language", "variant", "sample").len()["len"].unique().to_list() == [2]
    assert folkways("export", "inspect", "r", "--out", tmp_path / "logs", *of_run).returncode == 0
    done = folkways("compare", log, *(tmp_path / "logs").iterdir(), "--json")
    (comparison,) = json.loads(done.stdout)
    assert (comparison["task"], {*comparison["models"]}) == ("demo/mcq", {"unknown/other", "org/tiny"})
    assert not [note for note in comparison["notes"] if "alike" in note]


Harness = Callable[..., dict[str, float]]


@pytest.fixture(scope="module")
def harness() -> Harness:
    """Run tasks of a folder by ``lm_eval`` and return task -> metrics; samples are kept in ``out`` beside the
    folder."""
    programs = programs_of("other-programs")

    def ask(server: ChatServer, folder: Path, task: str, model: str = "org/tiny") -> dict[str, float]:
        where = f"model={model},base_url={server.url}/v1/chat/completions,num_concurrent=4,max_retries=1"
        out = folder.parent / "out" / model.replace("/", "__")
        run_program(
            programs / "lm_eval",
            *(
                "run",
                "--model",
                "local-chat-completions",
                "--model_args",
                where,
                "--tasks",
                task,
                "--include_path",
                folder,
            ),
            *("--apply_chat_template", "--log_samples", "--output_path", out),
            cwd=folder.parent,
            OPENAI_API_KEY="none",
            HF_HUB_OFFLINE="1",
        )
        (results,) = out.rglob("results_*.json")
        found = json.loads(results.read_text())["results"][task]
        return {name.removesuffix(",none"): value for name, value in found.items() if name.endswith(",none")}

    return ask


@pytest.mark.nightly  # half a minute for every start of the program
@pytest.mark.parametrize("task", ["demo/mcq", "demo/saq"])
def test_the_harness_gives_the_scores_of_a_run(task: str, harness: Harness, tmp_path: Path) -> None:
    exported(tmp_path / "tasks", task)
    with ChatServer(mode="letter" if task.endswith("mcq") else "word") as server:
        ours = scores(tmp_path, server, task)
        found = harness(server, tmp_path / "tasks", f"folkways_{task.replace('/', '_')}")
        harness(server, tmp_path / "tasks", f"folkways_{task.replace('/', '_')}", "org/other")
    assert 100 * found["correct"] == pytest.approx(ours["correct"])
    logs = sorted((tmp_path / "out").rglob("samples_*.jsonl"))
    done = folkways("compare", *logs, "--by", "culture", "--json")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)
    assert set(comparison["models"]) == {"org/tiny", "org/other"} and comparison["metric"] == "correct"
    first = comparison["models"].index("org/tiny")
    assert comparison["differences"][0][("first_score", "second_score")[first]] == pytest.approx(
        ours["correct"]
    )
