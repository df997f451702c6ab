"""Reads runs of HELM: folders with ``run_spec.json`` and ``per_instance_stats.json``, as ``helm-run`` writes
them. Fields without a value are left out there.

It does not need HELM itself. A request that failed without ending the run is scored by HELM as an empty
reply; here it is a lost one, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from folkways.errors import DataError
from folkways.integrations.scored_log import (
    UNKNOWN,
    ScoredLog,
    UnscoredLogError,
    columns,
    digest,
    facets,
    number,
    told,
)
from folkways.json_lines import read_json

SPEC, STATS = "run_spec.json", "per_instance_stats.json"
STATE, INSTANCES = "scenario_state.json", "instances.json"
FILES = (SPEC, STATS, STATE, INSTANCES, "display_predictions.json")
"""Files of a run; each stands for its folder."""

FIRST = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")
"""Metrics that come first where a run has them: HELM's files do not say which one is the headline."""

BOOKKEEPING = re.compile(
    r"num_|prompt_truncated|inference_|training_|finish_reason_|max_prob|logprob|perplexity|bits_per_byte|batch_size"
    r"|predicted_index|.*platt_|.*calibration_error"
)
"""Metrics of the request and of its probabilities, not of the answer."""

OF_THE_ADAPTER = (
    *("method", "instructions", "global_prefix", "input_prefix", "input_suffix", "reference_prefix"),
    *("output_prefix", "output_suffix", "chain_of_thought_prefix", "max_train_instances", "num_train_trials"),
)
"""How the prompts are made; how the model samples stands by itself."""

SAMPLING = ("temperature", "max_tokens", "num_outputs", "stop_sequences")

_MODEL = re.compile(r"(?<=[:,])(?:model|model_deployment)=[^,]*,?")

Row = dict[str, Any]
Key = tuple[str, int]
"""Id of an instance, and the trial with other examples in the prompt."""


def is_run(path: Path) -> bool:
    """Whether it is the folder of a run, or a file in one."""
    folder = path.parent if path.name in FILES else path
    return (folder / SPEC).is_file() and (folder / STATS).is_file()


def find_runs(folder: Path) -> list[Path]:
    """The runs in a folder, at any depth (a suite, ``benchmark_output``), in the order of names."""
    return sorted(spec.parent for spec in folder.rglob(SPEC) if is_run(spec))


def read_scores(path: Path) -> ScoredLog:
    """The scores of a run: those of the instances as they are in the data, without perturbed ones.

    path: its folder, or a file in it. DataError for files that are not of HELM, or without any score.
    """
    folder = path.parent if path.name in FILES else path
    spec, entries = _document(folder / SPEC, dict), _document(folder / STATS, list)
    try:
        return _log(folder, spec, entries)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"is not a run of HELM: its files lack, or have in another form, {error}", file=folder
        ) from None


def _log(folder: Path, spec: Row, entries: Iterable[Row]) -> ScoredLog:
    values: dict[Key, dict[str, float | None]] = {}
    perturbed = 0
    for entry in entries:
        if entry.get("perturbation") is not None:
            perturbed += 1
            continue
        of_instance = values.setdefault((str(entry["instance_id"]), int(entry["train_trial_index"])), {})
        for stat in entry["stats"]:
            name = stat["name"]["name"]
            if not BOOKKEEPING.match(name):
                of_instance[name] = number(stat.get("mean"))
    instances, lost = _instances(folder)
    values |= {key: {} for key in sorted(lost - values.keys())}
    names = dict.fromkeys(name for of_instance in values.values() for name in of_instance)
    scores = columns(
        [
            {name: UNKNOWN if key in lost else of_instance.get(name) for name in names}
            for key, of_instance in values.items()
        ]
    )
    if not scores:
        raise UnscoredLogError("has no score of a single instance", file=folder / STATS)
    ordered = [*(name for name in FIRST if name in scores), *(name for name in scores if name not in FIRST)]
    adapter = spec["adapter_spec"]
    notes = []
    if perturbed:
        notes.append(f"{perturbed:,} perturbed instances are left out")
    if not instances:
        notes.append(f"its questions are not there ({STATE} or {INSTANCES}): samples are matched by id alone")
    ids = [item for item, _ in values]
    return ScoredLog(
        path=folder,
        task=_task(str(spec["name"])),
        model=str(adapter.get("model") or adapter["model_deployment"]),
        items=ids,
        repeats=[trial + 1 for _, trial in values],
        questions=ids,
        contents=[digest(_content(instances.get(item, {"id": item}))) for item in ids],
        scores={name: scores[name] for name in ordered},
        facets=facets([_about(instances.get(item, {})) for item in ids]),
        settings={
            "data": told(
                {"class": spec["scenario_spec"]["class_name"], **(spec["scenario_spec"].get("args") or {})}
            ),
            "prompts": digest({name: adapter.get(name) for name in OF_THE_ADAPTER}),
            "examples": str(adapter.get("max_train_instances", "")),
            "settings": told({name: adapter.get(name) for name in SAMPLING}),
        },
        notes=notes,
    )


def _task(name: str) -> str:
    """The name of a run without its model: ``mmlu:subject=anatomy``."""
    return _MODEL.sub("", name).rstrip(",:")


def _instances(folder: Path) -> tuple[dict[str, Row], set[Key]]:
    """The unperturbed instances by id, and the trials in which a request for one failed."""
    instances: dict[str, Row] = {}
    lost: set[Key] = set()
    if (folder / STATE).is_file():
        for state in _document(folder / STATE, dict)["request_states"]:
            instance = state["instance"]
            if instance.get("perturbation") is not None:
                continue
            name = str(instance["id"])
            instances[name] = instance
            if not (state.get("result") or {}).get("success"):
                lost.add((name, int(state["train_trial_index"])))
    elif (folder / INSTANCES).is_file():
        for instance in _document(folder / INSTANCES, list):
            if instance.get("perturbation") is None:
                instances[str(instance["id"])] = instance
    return instances, lost


def _content(instance: Row) -> Any:
    """Question, options and which of them is right."""
    references = instance.get("references") or ()
    return [
        instance.get("id") if "input" not in instance else instance["input"].get("text"),
        (instance.get("input") or {}).get("messages"),
        [[one["output"].get("text"), "correct" in (one.get("tags") or ())] for one in references],
    ]


def _about(instance: Row) -> Row:
    """What samples can be grouped by: the split, and what else the scenario says of an instance."""
    more = instance.get("extra_data")
    named = {name: instance[name] for name in ("split", "sub_split") if name in instance}
    return {**(more if isinstance(more, dict) else {}), **named}


def _document(path: Path, kind: type) -> Any:
    """The content of a file; DataError where it cannot be read, or is not a list or an object (``kind``)."""
    try:
        document = read_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    except orjson.JSONDecodeError as error:
        raise DataError(f"is damaged, or not a file of HELM: {error}", file=path) from None
    if not isinstance(document, kind):
        raise DataError(
            f"is not a file of HELM: {'an object' if kind is dict else 'a list'} is expected", file=path
        )
    return document
