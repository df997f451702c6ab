"""The language models that scores are made with: from what a user names to objects that a task can use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkways.benchmarks.base import Comparer, ModelRole, Task
from folkways.benchmarks.registry import tasks
from folkways.errors import (
    FolkwaysError,
    MissingExtraError,
    UnknownNameError,
    names_for_command_line,
    of_extra,
    option,
)
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.folder import ModelFolder, open_folder
from folkways.runs.options import RunOptions

if TYPE_CHECKING:
    from folkways.metrics.neural.vectors import VectorComputer


_NEEDED = ("*.json", "*.txt", "*.model", "*/config.json")
_WEIGHTS = (("*.safetensors",), ("pytorch_model*.bin",))
_NEVER = ("onnx/*", "openvino/*", "*.onnx", "training_args.bin")


def model_folder(name: str) -> tuple[Path, str]:
    """The folder of a model and what people call it, for a folder or a hub name (``OWNER/NAME`` or
    ``OWNER/NAME@REVISION``).

    What the hub's own cache holds is taken from there without asking the hub. FolkwaysError that says how to
    get what is not there.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path, path.resolve().name
    if name.startswith((".", "/", "~", "\\")) or name.count("/") > 1:
        raise FolkwaysError(
            f"there is no model folder {path}; give a folder, or a name on the Hugging Face hub such as "
            "OWNER/NAME"
        )
    with of_extra("neural", f"the model {name}"):
        hub = import_module("huggingface_hub")
    source, _, revision = name.partition("@")
    for weights in _WEIGHTS:
        folder = _cached(hub, source, revision or None, weights) or _fetched(
            hub, source, revision or None, weights
        )
        if any(folder.glob(weights[0])):
            return folder, source
    raise FolkwaysError(
        f"the model {name} on the Hugging Face hub has no weights that can be read here (safetensors or "
        "PyTorch)"
    )


def _cached(hub: Any, source: str, revision: str | None, weights: tuple[str, ...]) -> Path | None:
    try:
        folder = Path(hub.snapshot_download(source, revision=revision, local_files_only=True))
    except Exception:  # noqa: BLE001 - whatever is wrong with the cache, fetching comes next and says what is wrong
        return None
    return folder if (folder / "config.json").is_file() and any(folder.glob(weights[0])) else None


def _fetched(hub: Any, source: str, revision: str | None, weights: tuple[str, ...]) -> Path:
    try:
        return Path(
            hub.snapshot_download(
                source,
                revision=revision,
                allow_patterns=[*_NEEDED, *weights],
                ignore_patterns=list(_NEVER),
                etag_timeout=10,
            )
        )
    except Exception as error:  # noqa: BLE001 - the hub's client raises errors of half a dozen libraries
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FolkwaysError(
            f"the model {source} is not on this disk and cannot be had from the Hugging Face hub: {reason}\n"
            f"Get it where there is a network: hf download {source}   (a gated model needs HF_TOKEN), or "
            "give the folder it is in"
        ) from None


EMBEDDING = "embedding"
BERT = "bert-"
EXTRA = "neural"

Watcher = Callable[[str], Callable[[int, int], None]]
"""Given a model's name, what is told how many texts it has done, of how many."""


@dataclass(frozen=True)
class ScoringModels:
    """What a user wants scores to be made with.

    names: role (``embedding``, ``bert-zh``) -> folder or name on the Hugging Face hub.
    precision: ``fp32``, or ``fp16`` or ``bf16`` on a GPU; None for what a run was planned with, else
        ``fp32``.
    devices: torch's names; none for every GPU, or else the CPU.
    watch: is shown the progress.
    computed: computes vectors in place of this process; None for here.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    precision: str | None = None
    devices: tuple[str, ...] = ()
    watch: Watcher = lambda _name: lambda _done, _all: None
    computed: VectorComputer | None = None

    @property
    def compute(self) -> Compute:
        """Where and how precisely; raises what ``Compute`` does."""
        return Compute(self.devices, precision=self.precision or "fp32")


@dataclass(frozen=True)
class EquippedTask:
    """A task with its models; what is wrong with those that could not be had; what was named and is of no use
    to the task."""

    task: Task
    problems: tuple[FolkwaysError, ...]
    unused: tuple[str, ...]

    def missing(self, cultures: Sequence[str]) -> list[str]:
        """One line for each metric that is not computed for these cultures because nobody named a model."""
        models = self.task.tools.models
        return [
            f"{_labels(self.task, role)} not computed: name a model with {option_of(role.name, 'DIR|NAME')} "
            f"(the paper's is {role.published})"
            for role in self.task.scoring.models
            if role.name not in models and role.concerns(cultures) and not self.problems
        ]


def named_models(embedding: str | None, berts: Iterable[str]) -> dict[str, str]:
    """Role -> name, from ``--embedding-model`` and the ``LANG=DIR|NAME`` of ``--bert-model``; FolkwaysError
    or UnknownNameError says what is valid."""
    names = {EMBEDDING: embedding} if embedding else {}
    for text in berts:
        languages = sorted(
            role.name.removeprefix(BERT)
            for task in tasks().values()
            for role in task.scoring.models
            if role.name.startswith(BERT)
        )
        language, separator, name = text.partition("=")
        if not separator or not name:
            raise FolkwaysError(
                f"a BERT model is written LANG=DIR|NAME, got {text!r}; languages: {', '.join(languages)}"
            )
        if language not in languages:
            raise UnknownNameError("language of a BERT model", language, languages)
        names[BERT + language] = name
    return names


def chosen_models(options: RunOptions, given: ScoringModels | None = None) -> ScoringModels:
    """The models that a run was planned with, with those that are given now in their place."""
    given = given or ScoringModels()
    names = {**options.scoring_models, **given.names}
    return replace(given, names=names, precision=given.precision or options.scoring_precision)


def equip(task: Task, models: ScoringModels) -> EquippedTask:
    """The task with those of the models that it can use and that are there; a model is loaded when it is
    first asked."""
    roles = {role.name: role for role in task.scoring.models}
    comparers: dict[str, Comparer] = {}
    problems = []
    for name in (name for name in models.names if name in roles):
        try:
            comparers[name] = _comparer(roles[name], models.names[name], models)
        except FolkwaysError as error:
            metrics = _labels(task, roles[name])
            problems.append(
                FolkwaysError(f"{option_of(name)}: {error}\n{metrics} not computed; the other metrics are")
            )
    unused = tuple(option_of(name) for name in models.names if name not in roles)
    return EquippedTask(task.with_tools(models=comparers) if comparers else task, tuple(problems), unused)


def check_models(chosen: Sequence[Task], models: ScoringModels) -> None:
    """FolkwaysError for a model that cannot be had, or that none of the tasks can use: before anything is
    spent."""
    for task in chosen:
        for problem in equip(task, models).problems:
            raise problem
    check_roles(chosen, models)


def check_roles(chosen: Iterable[Task], models: ScoringModels) -> None:
    """FolkwaysError for a model that none of the tasks can use."""
    usable = {role.name for task in chosen for role in task.scoring.models}
    for role in sorted(models.names.keys() - usable):
        raise FolkwaysError(
            f"none of the tasks compares texts with a model of {option_of(role)}; leave it out"
        )


def option_of(role: str, model: str = "") -> str:
    """How the model of a role is given: ``--bert-model zh=``, or in Python ``scoring_models={'bert-zh':
    ...}``."""
    if not names_for_command_line():
        return option("scoring_models", {role: model or "..."})
    return (
        f"--embedding-model {model}".strip()
        if role == EMBEDDING
        else f"--bert-model {role.removeprefix(BERT)}={' ' * bool(model)}{model}"
    )


def vector_cache() -> Path:
    """The folder for vectors of texts: ``vectors`` in ``$FOLKWAYS_CACHE``, or in the user's cache folder of
    this system."""
    chosen = os.environ.get("FOLKWAYS_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute() / "vectors"
    import platformdirs

    return platformdirs.user_cache_path("folkways", appauthor=False) / "vectors"


def _comparer(role: ModelRole, name: str, models: ScoringModels) -> Comparer:
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtraError(f"the model {name}", EXTRA, package)
    path, shown = model_folder(name)
    folder: ModelFolder = open_folder(path, shown)
    how: dict[str, Any] = {
        "compute": models.compute,
        "cache": vector_cache(),
        "tell": models.watch(folder.name),
        "computed": models.computed,
    }
    if role.kind == "sentences":
        from folkways.metrics.neural.sentences import SentenceComparer

        return SentenceComparer(folder, **how)
    from folkways.metrics.neural.bertscore import BertScorer

    return BertScorer(folder, role.layer, **how)


def _labels(task: Task, role: ModelRole) -> str:
    labels = {metric.name: metric.label for metric in task.metrics}
    names = [labels[name] for name in role.metrics]
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"
