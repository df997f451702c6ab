"""Runs of HELM in the shape in which its runner writes them: fields without a value are left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

METRICS = ("num_references", "quasi_exact_match", "exact_match", "inference_runtime", "logprob")
PERTURBATION = {"name": "misspelling", "robustness": True, "fairness": False, "computed_on": "perturbed"}


def stat(name: str, value: float | None, perturbation: dict[str, Any] | None) -> dict[str, Any]:
    """One of an instance; without a value its count is 0."""
    named = {"name": name, "split": "test", **({"perturbation": perturbation} if perturbation else {})}
    if value is None:
        return {"name": named, "count": 0, "sum": 0, "sum_squared": 0}
    numbers = dict.fromkeys(("sum", "min", "max", "mean"), value)
    return {"name": named, "count": 1, **numbers, "sum_squared": value**2, "variance": 0, "stddev": 0.0}


def helm_run(
    suite: Path,
    model: str,
    scores: Sequence[float | None],
    *,
    trials: int = 1,
    failed: Sequence[int] = (),
    perturbed: int = 0,
    subject: str = "anatomy",
    right: str = "ulna",
    questions: str = "Which bone is number {}?",
    keep: Sequence[str] = ("scenario_state.json",),
    **adapter: Any,
) -> Path:
    """The folder of a run: instance ``id0`` and on, with these values of ``exact_match`` in every trial.

    failed: places of instances whose request failed without ending the run, which HELM scores 0. perturbed: so
    many of the first have a perturbed copy, always right. keep: which of the files with the questions stay.
    """
    name = f"mmlu:subject={subject},method=multiple_choice_joint,model={model.replace('/', '_')}"
    folder = suite / name
    folder.mkdir(parents=True)
    spec = {
        "method": "multiple_choice_joint", "global_prefix": "", "instructions": "Answer with one letter.",
        "max_train_instances": 5, "num_outputs": 1, "num_train_trials": trials, "model": model,
        "model_deployment": model, "temperature": 0.0, "max_tokens": 1, "stop_sequences": ["\n"], **adapter,
    }  # fmt: skip
    instances, states, stats = [], [], []
    for trial in range(trials):
        for place, value in enumerate(scores):
            for perturbation in [None, PERTURBATION][: 1 + (place < perturbed)]:
                also = {"perturbation": perturbation} if perturbation else {}
                instance = {
                    "input": {"text": questions.format(place)},
                    "references": [
                        {"output": {"text": text}, "tags": ["correct"] if text == right else []}
                        for text in ("ulna", "tibia")
                    ],
                    "split": "test",
                    "id": f"id{place}",
                    **also,
                }
                lost = place in failed
                said = {"text": "A", "logprob": 0.0, "tokens": []}
                result = {"success": not lost, "embedding": [], "cached": False, "completions": [said]}
                asked = {
                    "instance": instance, "train_trial_index": trial, "num_train_instances": 5,
                    "output_mapping": {"A": "ulna", "B": "tibia"}, "request": {"prompt": "…", "model": model},
                    "result": {**result, **({"error": "timed out"} if lost else {})}, "prompt_truncated": False,
                }  # fmt: skip
                if trial == 0:
                    instances.append(instance)
                states.append(asked)
                seen = 1.0 if perturbation else 0.0 if lost else value
                values = {"num_references": 2, "inference_runtime": 3.25, "logprob": -0.5}
                rows = [stat(metric, values.get(metric, seen), perturbation) for metric in METRICS]
                stats.append({"instance_id": f"id{place}", "train_trial_index": trial, "stats": rows, **also})
    files = {
        "run_spec.json": {
            "name": name, "adapter_spec": spec, "metric_specs": [], "groups": ["mmlu"],
            "scenario_spec": {"class_name": "helm.MMLUScenario", "args": {"subject": subject}},
        },
        "per_instance_stats.json": stats,
        "scenario_state.json": {"adapter_spec": spec, "request_states": states},
        "instances.json": instances,
    }  # fmt: skip
    for file, content in files.items():
        if file in keep or file not in ("scenario_state.json", "instances.json"):
            (folder / file).write_text(json.dumps(content, indent=2))
    return folder
