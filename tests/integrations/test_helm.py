"""Runs of HELM, compared and reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.integrations.compare_logs import compare_logs, read_logs
from folkways.integrations.report_logs import read_scores
from folkways.integrations.scored_log import ScoredLog
from tests.support.command_line import folkways
from tests.support.helm_runs import helm_run

FIRST = [1.0] * 30 + [0.0] * 10
SECOND = [1.0] * 12 + [0.0] * 28


def test_two_runs_compare_as_their_right_answers_do(tmp_path: Path) -> None:
    """Perturbed copies are no questions, and numbers of the request no scores."""
    suite = tmp_path / "runs" / "v1"
    helm_run(suite, "org/one", FIRST, perturbed=7)
    helm_run(suite, "org/two", SECOND, perturbed=7)
    done = folkways("compare", suite, "--json")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)
    (row, *_) = comparison["differences"]
    assert comparison["task"] == "mmlu:subject=anatomy,method=multiple_choice_joint"
    assert (comparison["metric"], row["n"], row["questions"]) == ("exact_match", 40, 40)
    assert (row["first_score"], row["second_score"]) == (75, 30)
    assert row["difference"] == 45 and 25 < row["low"] < 45 < row["high"] < 62
    assert "7 perturbed instances are left out" in done.stdout
    (log, _) = read_logs(suite)
    assert [*log.scores] == ["exact_match", "quasi_exact_match"]
    assert folkways("report", suite, "--out", tmp_path / "report", "--format", "md").returncode == 0
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert page.count("org/one on mmlu:subject=anatomy,method=multiple\\_choice\\_joint: 7 perturbed") == 1


def test_trials_are_rows_of_one_question_and_failed_requests_no_zeros(tmp_path: Path) -> None:
    run = helm_run(tmp_path, "org/one", [1.0, 0.0, 1.0, None], trials=2, failed=(2,))
    (log,) = read_logs(run / "per_instance_stats.json")
    assert list(zip(log.items, log.repeats, strict=True)) == [
        (f"id{place}", trial) for trial in (1, 2) for place in range(4)
    ]
    assert log.questions == log.items
    assert str(list(log.scores["exact_match"])) == str([1.0, 0.0, float("nan"), None] * 2)
    row = read_scores(run).row(0, named=True)
    assert (row["score"], row["n"], row["questions"], row["missing"]) == (pytest.approx(100 / 3), 6, 3, 2)
    assert 0 < row["low"] < row["score"] < row["high"] < 100 and "question" in row["interval"]
    without = helm_run(tmp_path / "b", "org/one", [1.0, 0.0], failed=(0,), keep=["instances.json"])
    assert read_logs(without)[0].scores["exact_match"] == [0.0, 0.0], "as HELM scored it: nothing tells"


@pytest.mark.parametrize("keep", ["scenario_state.json", "instances.json"])
def test_other_questions_of_the_same_ids_are_not_compared(tmp_path: Path, keep: str) -> None:
    first = helm_run(tmp_path / "a", "org/one", FIRST, keep=[keep])
    second = helm_run(tmp_path / "b", "org/two", FIRST, keep=[keep], questions="What is {}?")
    third = helm_run(tmp_path / "c", "org/three", FIRST, keep=[keep], right="tibia")
    for other in (second, third):
        with pytest.raises(FolkwaysError, match="another question"):
            compare_logs(first, other)


def test_a_failed_request_for_a_perturbed_copy_loses_that_copy_alone(tmp_path: Path) -> None:
    run = helm_run(tmp_path, "org/one", FIRST, perturbed=3)
    state = json.loads((run / "scenario_state.json").read_bytes())
    for asked in state["request_states"]:
        asked["result"]["success"] = "perturbation" not in asked["instance"]
    (run / "scenario_state.json").write_text(json.dumps(state))
    assert read_logs(run)[0].scores["exact_match"] == FIRST


def test_what_differs_between_runs_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    first = helm_run(tmp_path / "a", "org/one", FIRST, keep=())
    second = helm_run(tmp_path / "b", "org/two", SECOND, keep=(), max_train_instances=0, temperature=0.7)
    (comparison,) = compare_logs(first, second)
    notes = " ".join(comparison.notes)
    assert "matched by id alone" in notes and "temperature=0.7" in notes and "examples" in notes
    (log,) = read_logs(first)
    assert (log.model, log.path) == ("org/one", first)
    shorter = helm_run(tmp_path / "c", "org/one", FIRST, keep=(), instructions="Reply.")
    assert read_logs(shorter)[0].settings["prompts"] != log.settings["prompts"]


STATS, STATE, INSTANCES = "per_instance_stats.json", "scenario_state.json", "instances.json"


def changed(run: Path, **changes: Callable[[Any], object]) -> ScoredLog:
    """The log of a run after changes of its files, which are named without their ending."""
    for name, change in changes.items():
        document = json.loads((run / f"{name}.json").read_bytes())
        change(document)
        (run / f"{name}.json").write_text(json.dumps(document))
    (log,) = read_logs(run)
    return log


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        (
            "prompts",
            "method instructions global_prefix input_prefix input_suffix reference_prefix output_prefix "
            "output_suffix chain_of_thought_prefix max_train_instances num_train_trials",
        ),
        ("settings", "temperature max_tokens num_outputs stop_sequences"),
    ],
)
def test_whatever_changes_the_prompt_or_how_the_model_samples_is_another_setting(
    tmp_path: Path, part: str, fields: str
) -> None:
    runs = [helm_run(tmp_path / name, "org/one", [1.0], **{name: "else"}) for name in fields.split()]
    runs.append(helm_run(tmp_path, "org/one", [1.0]))
    found = [read_logs(run)[0].settings[part] for run in runs]
    assert len({*found}) == len(runs)


def test_a_run_is_called_by_its_deployment_where_it_names_no_model(tmp_path: Path) -> None:
    def deployed(spec: dict[str, Any]) -> None:
        spec["name"] = "quiz:model_deployment=lab_one,level=2"
        spec["adapter_spec"] |= {"model": "", "model_deployment": "lab/one"}
        spec["scenario_spec"].pop("args")

    run = helm_run(tmp_path, "org/one", [1.0], model_deployment="lab/one")
    (usual,) = read_logs(run)
    assert (usual.model, usual.settings["data"]) == ("org/one", "class=helm.MMLUScenario,subject=anatomy")
    log = changed(run, run_spec=deployed)
    assert (log.model, log.task, log.settings["data"]) == (
        "lab/one",
        "quiz:level=2",
        "class=helm.MMLUScenario",
    )


def test_numbers_of_the_request_and_of_probabilities_are_no_scores(tmp_path: Path) -> None:
    request = (
        "num_output_tokens prompt_truncated inference_idealized_runtime training_energy_cost finish_reason_stop "
        "max_prob logprob_per_byte perplexity bits_per_byte batch_size predicted_index platt_coef"
    )
    answer = "quasi_prefix_exact_match my_logprob f1_score exact_match"

    def measure(stats: list[dict[str, Any]]) -> None:
        for of_instance in stats:
            names = f"{answer} {request}".split()
            of_instance["stats"] = [{"name": {"name": name}, "mean": 1.0} for name in names]

    log = changed(helm_run(tmp_path, "org/one", [1.0]), per_instance_stats=measure)
    assert [*log.scores] == ["exact_match", "quasi_prefix_exact_match", "my_logprob", "f1_score"]


def test_a_request_without_a_result_is_lost_though_no_number_is_of_it(tmp_path: Path) -> None:
    run = helm_run(tmp_path, "org/one", [1.0, 0.0, 1.0])
    log = changed(
        run,
        per_instance_stats=lambda stats: stats.pop(1),
        scenario_state=lambda state: state["request_states"][1].pop("result"),
    )
    assert log.items == ["id0", "id2", "id1"]
    assert str(log.scores["exact_match"]) == "[1.0, 1.0, nan]"


def test_samples_are_grouped_by_what_the_scenario_says_of_them(tmp_path: Path) -> None:
    def say(instances: list[dict[str, Any]]) -> None:
        more: list[dict[str, Any]] = [
            {"extra_data": {"topic": "feet", "split": "x"}},
            {"extra_data": ["feet"]},
        ]
        for instance, said in zip(instances, more, strict=True):
            instance |= {"sub_split": "non-toxic", **said}

    run = helm_run(tmp_path, "org/one", [1.0, 0.0], keep=[INSTANCES])
    log = changed(run, instances=say)
    assert log.facets == {
        "topic": ["feet", None], "split": ["test", "test"], "sub_split": ["non-toxic", "non-toxic"]
    }  # fmt: skip


@pytest.mark.parametrize("keep", [STATE, INSTANCES])
def test_a_question_is_its_text_or_messages_and_its_options(tmp_path: Path, keep: str) -> None:
    """Not what a perturbed copy of it says, and whether or not an option that is wrong has tags."""
    run = helm_run(tmp_path, "org/one", [1.0], perturbed=1, keep=[keep])

    def content(**change: Any) -> str:
        def changes(document: Any) -> None:
            first, copy = (
                [each["instance"] for each in document["request_states"]] if keep == STATE else document
            )
            first.update(change)
            copy["input"] = {"text": "Whcih bone?"}

        (digest,) = changed(run, **{keep.removesuffix(".json"): changes}).contents
        return digest

    options = [{"output": {"text": "ulna"}, "tags": ["correct"]}, {"output": {"text": "tibia"}, "tags": []}]
    usual = content()
    assert content(references=[options[0], {"output": {"text": "tibia"}}]) == usual
    others = [
        content(references=[{"output": {"text": "ulna"}}, options[1]]),
        content(references=options[:1]),
        content(references=options, input={"text": "Which bone?"}),
        *(content(input={"messages": [{"role": "user", "content": text}]}) for text in ("a", "b")),
    ]
    assert len({usual, *others}) == 6


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("run_spec.json", "{}", "not a run of HELM: .*'name'|'adapter_spec'"),
        ("run_spec.json", "[", "run_spec.json: is damaged"),
        ("per_instance_stats.json", "{}", "a list is expected"),
        ("per_instance_stats.json", "[]", "no score of a single instance"),
        ("per_instance_stats.json", '[{"instance_id": "id0"}]', "'train_trial_index'"),
        ("scenario_state.json", '{"request_states": [{}]}', "'instance'"),
    ],
)
def test_files_of_another_form_are_named(tmp_path: Path, file: str, content: str, said: str) -> None:
    run = helm_run(tmp_path, "org/one", FIRST)
    (run / file).write_text(content)
    with pytest.raises(FolkwaysError, match=said):
        read_logs(run)


def test_a_report_of_runs_has_ranks_and_intervals(tmp_path: Path) -> None:
    suite = tmp_path / "v1"
    for model, scores in (("org/one", FIRST), ("org/two", SECOND)):
        for subject in ("anatomy", "virology"):
            helm_run(suite, model, scores, subject=subject)
    done = folkways("report", suite, "--out", tmp_path / "out", "--format", "html,md,latex,csv,parquet")
    assert done.returncode == 0, done.stderr
    assert "one" in done.stdout
    page = (tmp_path / "out/report.md").read_text()
    assert "75.0" in page and "59.8" in page and "85.8" in page  # Wilson's interval of 30 of 40
    assert (tmp_path / "out/report.html").stat().st_size > 10_000
    brief = folkways("report", suite, "--brief")
    assert brief.returncode == 0 and "one" in brief.stdout and brief.stdout.count("\n") == 1
    refused = folkways("report", suite, "--items")
    assert refused.returncode == 2 and "--items does not apply to records and logs" in refused.stderr
