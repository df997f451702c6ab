"""The clients under measurement: how each is called as its users call it, and where it leaves the answers.

A client runs in the folder that it is given.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from perf.engine import environments
from perf.engine.workload import MODEL, Workload

PEERS = Path(__file__).resolve().parent / "peers"
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


class Client(ABC):
    """One client. ``most`` is how many requests it is asked to make at most unless all are wanted: some take
    an hour for 80,000."""

    name: ClassVar[str]
    title: ClassVar[str]
    distribution: ClassVar[str]
    most: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.programs = environments.ensure(self.name)

    @property
    def version(self) -> str:
        return environments.version(self.programs / "python", self.distribution)

    def environment(self, folder: Path) -> dict[str, str]:
        """The user's environment without what would send the client elsewhere: proxies, keys, caches."""
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return keep | OFFLINE | {"HOME": str(folder), "HF_HOME": str(folder / "hf"), "PYTHONUTF8": "1"}

    @abstractmethod
    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        """The command that asks every prompt of ``work`` of ``url`` (which ends in /v1) and stores the
        answers below ``folder``."""

    @abstractmethod
    def answers(self, folder: Path) -> Iterator[str]:
        """The stored answers, in any order, read after the run and outside the measurement."""


class Floor(Client):
    """A client written by hand with aiohttp, in folkways' own environment: the least that the work can cost
    in Python."""

    name = "floor"
    title = "plain aiohttp"
    distribution = "aiohttp"

    def __init__(self) -> None:
        self.programs = Path(sys.executable).parent

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        answers = folder / "answers.jsonl"
        return [
            self.programs / "python",
            PEERS / "floor.py",
            url,
            MODEL,
            work.prompts,
            answers,
            str(concurrency),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        yield from _lines(folder / "answers.jsonl")


class Folkways(Client):
    """folkways as a user runs it: items, prompts, asking, storing, judging and scoring."""

    name = "folkways"
    title = "folkways"
    distribution = "folkways"

    def __init__(self) -> None:
        self.programs = Path(sys.executable).parent

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        return [
            *(
                self.programs / "folkways",
                "run",
                "blend/mcq",
                "--release",
                work.release,
                "--model",
                f"{url}#{MODEL}",
            ),
            *("--workspace", folder / "workspace.db", "--concurrency", str(concurrency)),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        with sqlite3.connect(folder / "workspace.db") as workspace:
            for (text,) in workspace.execute("SELECT text FROM responses WHERE text IS NOT NULL"):
                yield text


class LmEval(Client):
    """lm-evaluation-harness with a generate_until task over a local JSON file, samples logged."""

    name = "lm-eval"
    title = "lm-evaluation-harness"
    distribution = "lm_eval"

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        task = {
            "task": "letters",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(work.prompts)}},
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{prompt}}",
            "doc_to_target": "{{target}}",
            "generation_kwargs": {"until": [], "max_gen_toks": 64, "temperature": 0, "do_sample": False},
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        }
        tasks = folder / "tasks"
        tasks.mkdir()
        (tasks / "letters.yaml").write_text(json.dumps(task), encoding="utf-8")  # JSON is YAML
        arguments = f"base_url={url}/chat/completions,model={MODEL},num_concurrent={concurrency},tokenizer_backend=None"
        return [
            *(
                self.programs / "lm_eval",
                "run",
                "--model",
                "local-chat-completions",
                "--model_args",
                arguments,
            ),
            *("--tasks", "letters", "--include_path", tasks, "--apply_chat_template"),
            *("--log_samples", "--output_path", folder / "out"),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        (samples,) = (folder / "out").rglob("samples_letters_*.jsonl")
        with samples.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)["resps"][0][0]


class Inspect(Client):
    """Inspect AI with its OpenAI-compatible provider, one generate step and an exact match, the log in its
    default format."""

    name = "inspect"
    title = "Inspect AI"
    distribution = "inspect_ai"
    most = 2_000

    def environment(self, folder: Path) -> dict[str, str]:
        return super().environment(folder) | {"BENCH_API_KEY": "none"}

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        shutil.copy(PEERS / "inspect_task.py", folder)  # Inspect takes no absolute path to a task
        return [
            *(self.programs / "inspect", "eval", "inspect_task.py", "-T", f"prompts={work.prompts}"),
            *(
                "--model",
                f"openai-api/bench/{MODEL}",
                "--model-base-url",
                url,
                "--temperature",
                "0",
                "--max-tokens",
                "64",
            ),
            *("--max-connections", str(concurrency), "--max-samples", str(concurrency)),
            *("--display", "none", "--log-dir", folder / "logs"),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        reader = [
            self.programs / "python",
            PEERS / "inspect_answers.py",
            folder / "logs",
            folder / "answers.jsonl",
        ]
        subprocess.run([str(part) for part in reader], check=True)
        yield from _lines(folder / "answers.jsonl")


class Litellm(Client):
    """litellm's asynchronous completion in a loop of workers."""

    name = "litellm"
    title = "litellm"
    distribution = "litellm"
    most = 10_000

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        answers = folder / "answers.jsonl"
        return [
            self.programs / "python",
            PEERS / "litellm_loop.py",
            url,
            MODEL,
            work.prompts,
            answers,
            str(concurrency),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        yield from _lines(folder / "answers.jsonl")


class OtherClient(Client):
    """The floor's loop with another HTTP client (peers/other_clients.py); the three share an environment."""

    def __init__(self) -> None:
        self.programs = environments.ensure("clients")

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        answers = folder / "answers.jsonl"
        program = PEERS / "other_clients.py"
        return [
            self.programs / "python",
            program,
            self.name,
            url,
            MODEL,
            work.prompts,
            answers,
            str(concurrency),
        ]

    def answers(self, folder: Path) -> Iterator[str]:
        yield from _lines(folder / "answers.jsonl")


class Pyreqwest(OtherClient):
    """Rust's reqwest under Python."""

    name = title = distribution = "pyreqwest"


class Wreq(OtherClient):
    """Rust's hyper under Python."""

    name = title = distribution = "wreq"


class Httptools(OtherClient):
    """A bare asyncio protocol: no TLS, proxies, timeouts or limits."""

    name = distribution = "httptools"
    title = "asyncio and httptools"


_ALL = (Floor, Folkways, LmEval, Inspect, Litellm, Pyreqwest, Wreq, Httptools)
CLIENTS: dict[str, type[Client]] = {client.name: client for client in _ALL}


def _lines(answers: Path) -> Iterator[str]:
    with answers.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["answer"]
