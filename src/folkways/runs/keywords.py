"""What people write in a notebook: options by name, checked and made into the records that a run takes, and
the types of models, tasks and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import present_name
from folkways.benchmarks.treatments import read_treatments
from folkways.endpoints.base import Endpoint
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.options import (
    OPTION_KINDS,
    SETTING_TYPES,
    AskOptions,
    Cluster,
    DeployedModel,
    OptionKind,
    ReusedReplies,
    RunOptions,
    parse_settings,
)

if TYPE_CHECKING:
    from folkways.engine.session import Observer
    from folkways.workspace.run_records import RunRecord


class Generates(Protocol):
    """An object that answers with its method ``generate``: one of your own, or a model of Inspect."""

    @property
    def generate(self) -> Callable[..., Any]:
        """Called with the prompt."""
        ...


class TableLike(Protocol):
    """A frame of replies: of polars or pandas."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...


ModelLike = str | Endpoint | DeployedModel | Callable[..., Any] | Generates | TableLike | Mapping[str, str]
"""One model: a name; what answers (a function, a pipeline, an object with ``generate``); replies, by item or
prompt, or a frame."""

ModelsLike = ModelLike | Sequence[ModelLike] | AbstractSet[ModelLike]
"""One model or several; one text may name several, separated by commas."""

TaskLike = str | Task
"""One task: its name, that of a benchmark or a suite; or the task itself."""

TasksLike = TaskLike | Path | RunOptions | Sequence[TaskLike] | AbstractSet[TaskLike]
"""One task or several, a recipe (``study.toml``), or options with the tasks in them."""


Names = Sequence[str] | str | None
"""One name, names separated by commas, or several."""


class QuestionKeywords(TypedDict, total=False):
    """What is asked, by the names of RunOptions."""

    releases: Mapping[str, str] | str
    cultures: Names
    languages: Names
    variants: Names
    limit: int | None
    skip_missing: bool
    samples: int
    seed: int
    system: str | None
    settings: Mapping[str, Any] | Sequence[str] | str
    max_tokens: int | None
    prompt_texts: Mapping[str, str] | None
    permute_options: int
    shots: int
    scoring_models: Mapping[str, str] | None
    scoring_precision: str
    until: float | None
    strata: Names
    afresh: bool
    treatments: Mapping[str, Any] | Path | str


class RunKeywords(QuestionKeywords, total=False):
    """What is asked, and how hard to try, by the names of RunOptions and AskOptions."""

    concurrency: int | None
    attempts: int
    max_errors: int | None
    max_failed: float
    timeout: float
    wait: float
    budget: str | None
    batch: bool
    prices: Path | str | None
    observer: Observer | None
    every: float
    cluster: Cluster | None
    reused: Callable[[ReusedReplies], object] | None
    planned: Callable[[RunRecord, bool], object]


_LISTS = ("cultures", "languages", "variants", "strata")
_TABLES = ("prompt_texts", "scoring_models")
_SWITCHES = ("skip_missing", "afresh", "batch")
_NEVER_NONE = (
    "samples",
    "seed",
    "permute_options",
    "treatments",
    "shots",
    "attempts",
    *_SWITCHES,
    "scoring_precision",
    "max_failed",
    "timeout",
    "wait",
    "every",
)
_KINDS = {
    **{name: kind for name, kind in OPTION_KINDS.items() if name != "read"},
    "every": OptionKind(float),
    "max_failed": OptionKind(float),
    "scoring_precision": OptionKind(str),
}

INSTEAD = {
    **{name: f'settings={{"{name}": ...}}' for name in SETTING_TYPES if name != "max_tokens"},
    "setting": 'settings="temperature=0.7"',
    "gen_kwargs": 'settings="temperature=0.7"',
    "model": "models=...",
    "task": "the task first: folkways.run(TASK, ...)",
    "tasks": "the tasks first: folkways.run([TASK, ...], ...)",
    **{f"{name}s"[:-1]: f"{name}s=..." for name in ("culture", "language", "variant", "release")},
    "prompts": 'prompt_texts={"mine": "{question}"}, variants="mine"',
    "report": "folkways.run(...).report(FOLDER)",
    "report_dir": "folkways.run(...).report(FOLDER)",
    "embedding_model": 'scoring_models={"embedding": ...}',
    "bert_model": 'scoring_models={"bert-zh": ...}',
    "bert_models": 'scoring_models={"bert-zh": ...}',
    "precision": 'scoring_precision="fp16"',
    "text_tools": "folkways.run(...).score(text_tools=...)",
    **dict.fromkeys(
        ("on", "workers", "gpus", "serve"), 'cluster=Cluster("ray", ...), of folkways.runs.options'
    ),
    **dict.fromkeys(("batch_size", "max_connections", "num_workers", "n_jobs"), "concurrency=..."),
    **dict.fromkeys(
        ("n", "num_samples", "max_samples"),
        "limit=... for fewer questions, samples=... for several replies to each",
    ),
    "db": "workspace=...",
    "generation": "afresh=True",
    "force": "afresh=True",
}
"""What people write who know the command line or another harness -> what it is called here."""


def check_names(options: Iterable[str], names: Set[str], others: Set[str] = frozenset()) -> None:
    """UnknownNameError for an option that is not one of ``names``. others: what else the message names."""
    for name in options:
        if name not in names:
            raise UnknownNameError("option", name, names | others)


def options_of(
    tasks: Any, keywords: Mapping[str, Any], asking: AskOptions | None = None
) -> tuple[RunOptions, AskOptions]:
    """The records for what somebody wrote. FolkwaysError for a bad name or value says what to write instead.

    tasks: names, one text of names separated by commas, tasks, or a RunOptions, which ``keywords`` then
    change.
    """
    names = {entry.name for record in (RunOptions, AskOptions) for entry in fields(record)} - {
        "tasks",
        "generation",
    }
    for name in keywords:
        if name in INSTEAD and name not in names:
            raise FolkwaysError(f"there is no option {name!r} here; write {INSTEAD[name]}")
    check_names(keywords, names)
    values = {name: _value(name, value) for name, value in keywords.items()}
    of_asking = {entry.name for entry in fields(AskOptions)}
    how = replace(
        asking or AskOptions(), **{name: value for name, value in values.items() if name in of_asking}
    )
    if not 0 <= how.max_failed <= 1:
        raise FolkwaysError(f"max_failed is a share from 0 to 1, got {how.max_failed:g}; write 0.1 for 10 %")
    what = {name: value for name, value in values.items() if name not in of_asking}
    if isinstance(tasks, RunOptions):
        return replace(tasks, **what), how
    return RunOptions(task_names(tasks), **what), how


def task_names(tasks: Any) -> tuple[str, ...]:
    """Names of tasks from names or tasks, one or several. FolkwaysError for anything else."""
    if isinstance(tasks, str):  # behind a question mark a comma belongs to a setting of the task
        parts = [tasks] if "?" in tasks else tasks.split(",")
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(name := getattr(tasks, "name", None), str):
        return (name,)
    if not isinstance(tasks, Iterable) or isinstance(tasks, Mapping):
        raise FolkwaysError(
            'tasks are names, such as "demo/mcq" or ["blend/saq", "blend/mcq"], or a recipe, '
            f'"study.toml"; got {tasks!r}'
        )
    return tuple(name for task in tasks for name in task_names(task))


def _value(name: str, value: Any) -> Any:
    if value is None and name in _TABLES:
        return {}
    if value is None and name not in _NEVER_NONE and name not in ("settings", "releases"):
        return ("culture",) if name == "strata" else None
    if name in _LISTS:
        return _listed(name, value)
    if name == "treatments":
        return read_treatments(value)
    if name == "settings":
        return settings_of(value)
    if name == "releases":
        return _releases(value)
    if name in _KINDS:
        try:
            return _KINDS[name].read(value)
        except FolkwaysError as error:
            raise FolkwaysError(f"{name} {error}") from None
    if name in _TABLES and not (isinstance(value, Mapping) and _texts([*value, *value.values()]) is not None):
        raise FolkwaysError(f"{name} must be a dict of texts by name, got {value!r}")
    return value


def _listed(name: str, value: Any) -> tuple[str, ...]:
    parts = _texts(value.split(",") if isinstance(value, str) else value)
    if parts is None:
        raise FolkwaysError(
            f'{name} must be a text or a list of texts, such as "one,other" or ["one", "other"], got '
            f"{value!r}"
        )
    if not parts:
        raise FolkwaysError(f"{name} is an empty list; leave it out for all of them")
    return parts


def _texts(value: Any) -> tuple[str, ...] | None:
    """Texts without blanks around them; None for anything that does not hold texts only."""
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        return None
    parts = list(value)
    return (
        tuple(part.strip() for part in parts if part.strip())
        if all(isinstance(part, str) for part in parts)
        else None
    )


def settings_of(value: Any) -> dict[str, Any]:
    """Sampling settings from a dict, a text or texts; FolkwaysError for anything else."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {
            name: None if isinstance(text, str) and text.lower() == "none" else text
            for name, text in value.items()
        }
    parts = _texts(value.replace("&", ",").split(",") if isinstance(value, str) else value)
    if parts is None:
        raise FolkwaysError(
            f'settings are a dict or a text, {{"temperature": 0.7}} or "temperature=0.7", got {value!r}'
        )
    return parse_settings(parts)


def _releases(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, (str, Path)):
        return release_names((str(value),))
    if isinstance(value, tuple | list) and (parts := _texts(value)) is not None:
        return release_names(parts)
    if not isinstance(value, Mapping):
        raise FolkwaysError(
            f'releases are a dict, {{"blend": "blend@hub"}}, or one name or folder for all, got {value!r}'
        )
    return {str(name): str(release) for name, release in value.items()}


def release_names(texts: tuple[str, ...]) -> dict[str, str]:
    """``blend=DIR`` as {"blend": "DIR"}; a name without a benchmark is for all (key ``*``)."""
    chosen: dict[str, str] = {}
    for text in texts:
        benchmark, separator, name = text.partition("=")
        if separator and benchmark.replace("-", "_").isidentifier():
            chosen[present_name(benchmark)] = name
        else:
            chosen["*"] = text
    return chosen
