"""Run in lm-evaluation-harness's own environment: its own tasks over made-up data, for what it sends and scores.

    python lm_eval_program.py REQUEST.json OUT.json

REQUEST: a list of jobs. A job: ``folders`` (below its tasks) -> endings of the tasks that are wanted, or null for all;
``data`` (a folder with ``DATA SET/CONFIGURATION.json``: split -> rows); ``shots`` (numbers of examples); with ``model`` (a
folder) its own evaluation of that model. OUT: of each job, folder -> shots -> task ->
``samples`` of doc, context and continuations, and with a model their ``metrics`` beside ``results``.
"""

from __future__ import annotations

import json
import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import datasets
import lm_eval.tasks
import lm_eval.utils
import numpy as np
from lm_eval import simple_evaluate
from lm_eval.api.model import TemplateLM
from lm_eval.tasks import TaskManager
from lm_eval.tasks._index import TaskIndex

FILES_OF = TaskIndex._iter_yaml_files


class Split(list[dict[str, Any]]):
    """The rows of a split, in place of what the hub would hand out."""

    @property
    def features(self) -> dict[str, None]:
        return dict.fromkeys(self[0])

    def filter(self, keep: Any) -> Split:
        return Split(filter(keep, self))


class Model(TemplateLM):
    """A folder with a GPT-2 that reads bytes, computed here: to import torch costs more than all tasks."""

    eot_token_id = 0

    def __init__(self, folder: str) -> None:
        super().__init__()
        shape = json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))
        self.layers, self.heads = shape["n_layer"], shape["n_head"]
        file = Path(folder, "model.safetensors").read_bytes()
        start = 8 + int.from_bytes(file[:8], "little")
        self.weights = {
            name.removeprefix("transformer."): np.frombuffer(
                file[start:], "<f4", math.prod(of["shape"]), of["data_offsets"][0]
            ).reshape(of["shape"])
            for name, of in json.loads(file[8:start]).items()
            if name != "__metadata__"
        }
        tokenizer = json.loads(Path(folder, "tokenizer.json").read_text(encoding="utf-8"))
        shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
        hidden = [byte for byte in range(256) if byte not in shown]
        letters = dict(
            zip([*shown, *hidden], map(chr, [*shown, *range(256, 256 + len(hidden))]), strict=True)
        )
        self.tokens = [tokenizer["model"]["vocab"][letters[byte]] for byte in range(256)]
        self.next_tokens = cache(self._next_tokens)  # options of one letter have one context

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: Any) -> list[int]:
        return [self.tokens[byte] for byte in string.encode()]

    def _next_tokens(self, tokens: tuple[int, ...]) -> Any:
        """The logarithm of the chance of each token, after each one."""
        state = self.weights["wte.weight"][list(tokens)] + self.weights["wpe.weight"][: len(tokens)]
        for layer in range(self.layers):
            parts = np.split(
                self._linear(self._norm(state, f"h.{layer}.ln_1"), f"h.{layer}.attn.c_attn"), 3, 1
            )
            query, key, value = (np.stack(np.split(part, self.heads, 1)) for part in parts)
            weights = query @ key.swapaxes(1, 2) / math.sqrt(key.shape[2])
            weights = np.exp(weights - weights.max(2, keepdims=True)) * np.tri(len(tokens), dtype="f4")
            attended = np.concatenate(weights @ value / weights.sum(2, keepdims=True), 1)
            state = state + self._linear(attended, f"h.{layer}.attn.c_proj")
            inner = self._linear(self._norm(state, f"h.{layer}.ln_2"), f"h.{layer}.mlp.c_fc")
            inner = inner * (1 + np.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner**3))) / 2
            state = state + self._linear(inner, f"h.{layer}.mlp.c_proj")
        logits = self._norm(state, "ln_f") @ self.weights["wte.weight"].T
        logits = logits - logits.max(1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(1, keepdims=True))

    def _norm(self, state: Any, name: str) -> Any:
        scaled = (state - state.mean(1, keepdims=True)) / np.sqrt(state.var(1, keepdims=True) + 1e-5)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _linear(self, state: Any, name: str) -> Any:
        return state @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _loglikelihood_tokens(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
        answers = []
        for _, context, more in requests:
            chances = self.next_tokens((*context, *more[:-1]))[len(context) - 1 :]
            answers.append((sum(float(chances[at, token]) for at, token in enumerate(more)), False))
        return answers

    def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

    def generate_until(self, requests: Any, disable_tqdm: bool = False) -> Any:
        raise NotImplementedError


def sent(tasks: dict[str, Any], shots: int) -> dict[str, Any]:
    """What each task would send."""
    out = {}
    for name, task in tasks.items():
        task.set_config("num_fewshot", shots)
        task.set_fewshot_seed(1234)
        task.build_all_requests()
        samples: dict[int, Any] = {}
        for instance in task.instances:
            context, more = instance.args
            sample = samples.setdefault(instance.doc_id, {"doc": instance.doc, "context": context})
            sample.setdefault("continuations", []).append(more)
        out[name] = {"samples": list(samples.values())}
    return out


def evaluated(names: list[str], manager: TaskManager, shots: int, model: Model) -> dict[str, Any]:
    """What each task sends and scores."""
    found = simple_evaluate(
        model=model, tasks=names, task_manager=manager, num_fewshot=shots, bootstrap_iters=0
    )

    def told(sample: dict[str, Any]) -> dict[str, Any]:
        return {
            "doc": sample["doc"],
            "context": sample["arguments"][0][0],
            "continuations": [pair[1] for pair in sample["arguments"]],
            "metrics": {metric: float(sample[metric]) for metric in sample["metrics"]},
        }

    return {
        name: {"samples": [*map(told, found["samples"][name])], "results": found["results"][name]}
        for name in names
    }


def done(wanted: dict[str, Any]) -> dict[str, Any]:
    """What a job gives."""
    rows = {
        (path.parent.name, path.stem): json.loads(path.read_text(encoding="utf-8"))
        for path in Path(wanted["data"]).rglob("*.json")
    }

    def load(path: str, name: str, **_: Any) -> dict[str, Split]:
        return {split: Split(of) for split, of in rows[path.rpartition("/")[2], name].items()}

    datasets.load_dataset = load
    root = Path(lm_eval.tasks.__file__).parent
    model = Model(wanted["model"]) if "model" in wanted else None
    out: dict[str, Any] = {}
    for folder, endings in wanted["folders"].items():
        ends = tuple(endings or [""])
        # To read a file of a task costs more than to ask it, and a folder has thousands.
        TaskIndex._iter_yaml_files = lambda path, ends=ends: (
            each for each in FILES_OF(path) if each.stem.endswith(ends)
        )
        manager = TaskManager(include_path=root / folder, include_defaults=False)
        names = [name for name in manager.all_subtasks if name.endswith(ends)]
        tasks = manager.load(names)["tasks"] if model is None else {}
        out[folder] = {
            shots: sent(tasks, shots) if model is None else evaluated(names, manager, shots, model)
            for shots in wanted["shots"]
        }
    return out


def main() -> None:
    lm_eval.utils.env.from_string = cache(lm_eval.utils.env.from_string)  # or each text is compiled each time
    jobs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(json.dumps([*map(done, jobs)]), encoding="utf-8")


main()
