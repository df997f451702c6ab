"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import click

from folkways.cli import completion
from folkways.cli.recipe import TasksArgument
from folkways.errors import FolkwaysError, UnknownNameError, quoted
from folkways.runs.options import (
    OPTION_KINDS,
    AskOptions,
    Cluster,
    DeployedModel,
    RunOptions,
    names_of,
    parse_settings,
)

if TYPE_CHECKING:
    from folkways.runs.scores.scoring_models import ScoringModels

F = TypeVar("F", bound=Callable[..., Any])


class _BoundedNumber(click.types._NumberRangeBase[Any, Any]):
    """A number between bounds, if it has any. ``--help`` and the usage error say the bounds in words."""

    kind: ClassVar[str]
    metavar: ClassVar[str]

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """``--attempts N``; an argument has its name."""
        return self.metavar if isinstance(param, click.Option) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for anything else, also for ``nan`` and ``inf``, which click accepts."""
        bounds = self._describe_range()
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"must be {self.kind}{bounds and f', {bounds}'}; got {value!r}", param, ctx)
        return number

    def _describe_range(self) -> str:
        """The bounds, which click shows in ``--help``; empty where there are none."""
        if self.min is None:
            return "" if self.max is None else f"at most {self.max:g}"
        return f"{self.min:g} or more" if self.max is None else f"{self.min:g} to {self.max:g}"


class Number(_BoundedNumber, click.FloatRange):
    """A finite number."""

    kind = "a number"
    metavar = "NUMBER"


class WholeNumber(_BoundedNumber, click.IntRange):
    """A whole number."""

    kind = "a whole number"
    metavar = "N"


def type_of(name: str) -> click.ParamType[Any]:
    """The click type of an option of a run, with the bounds of OPTION_KINDS."""
    kind = OPTION_KINDS[name]
    if kind.words:
        return click.Choice(kind.words)
    number: Any = WholeNumber if kind.type is int else Number
    return cast("_BoundedNumber", number(kind.low, kind.high))


class PromptTexts(click.ParamType[dict[str, str]]):
    """Prompt texts by template name (``TASK:NAME`` for a template of one task), from a TOML file or a
    recipe's table."""

    name = "prompts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        """The texts by name; DataError if they cannot be read."""
        from folkways.benchmarks.printed_prompts import read_prompt_texts

        return read_prompt_texts(value)


class Treatments(click.ParamType[dict[str, Any]]):
    """Treatments of prompts by name, from a TOML file or of folkways' own."""

    name = "treatments"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """The treatments as plain tables; FolkwaysError if they cannot be read."""
        from folkways.benchmarks.treatments import read_treatments

        return dict(read_treatments(value))


class ModelName(click.ParamType[str | DeployedModel]):
    """The name of a model; in a recipe also how it is deployed."""

    name = "text"

    def convert(
        self, value: str | DeployedModel, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | DeployedModel:
        return value


DEFAULT_WORKSPACE = "folkways.db"


def workspace_option(command: F) -> F:
    """``--workspace PATH|URL``, also from the environment."""
    return click.option(
        "--workspace",
        "-w",
        default=DEFAULT_WORKSPACE,
        show_default=True,
        envvar="FOLKWAYS_WORKSPACE",
        metavar="PATH|URL",
        help="SQLite file, or postgresql://user@host/database.",
    )(command)


def limit_option(command: F) -> F:
    """``--limit N``."""
    text = "At most N questions per task, over all cultures."
    return click.option("--limit", type=type_of("limit"), help=text)(command)


def _known_tools(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """The set of tools; UnknownNameError for an unknown one, even if no task uses it."""
    if value is not None:
        from folkways.text.tools import TOOL_SETS

        if value not in TOOL_SETS:
            raise UnknownNameError("set of text tools", value, TOOL_SETS)
    return value


def _text_not_file(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """The text of an option that takes no file; BadParameter for a name of one, which models would read."""
    if value is not None and os.path.isfile(value):  # noqa: PTH113 - Path raises for long texts
        raise click.BadParameter(f'takes the text itself, and {value} is a file: "$(cat {quoted(value)})"')
    return value


def text_tools_option(command: F) -> F:
    """``--text-tools SET``."""
    return click.option(
        "--text-tools",
        metavar="SET",
        callback=_known_tools,
        help="How words are reduced to base forms: default, paper (the authors' tools, if installed) or "
        "simple (not at all).",
    )(command)


def _packed(name: str, record: Callable[..., Any], *options: Callable[[F], F]) -> Callable[[F], F]:
    """A decorator that adds ``options`` and passes their values to the command as one argument ``name``, made
    by ``record``."""

    probe: Any = click.Command(name)
    for option in options:
        option(probe)
    parameters = [parameter.name for parameter in probe.params]

    def add(command: F) -> F:
        @functools.wraps(command)
        def packed(**values: Any) -> Any:
            fields = {key: values.pop(key) for key in parameters}
            return command(**values, **{name: record(**fields)})

        added = cast("F", packed)
        for option in reversed(options):
            added = option(added)
        return added

    return add


def _scoring_models(
    embedding_model: str | None, bert_models: tuple[str, ...], device: str | None, precision: str | None
) -> ScoringModels:
    from folkways.cli.progress import watch
    from folkways.runs.scores.scoring_models import ScoringModels, named_models

    scoring = ScoringModels(named_models(embedding_model, bert_models), precision, names(device) or (), watch)
    scoring.compute  # noqa: B018 - refuses an unknown precision
    return scoring


scoring_model_options = _packed(
    "scoring",
    _scoring_models,
    click.option(
        "--embedding-model", metavar="DIR|NAME", help="Sentence embeddings for SP-CSI of xcr/prediction."
    ),
    click.option(
        "--bert-model",
        "bert_models",
        multiple=True,
        metavar="LANG=DIR|NAME",
        help="BERT for CSI_bert and SENT_bert of xcr/adaptation; repeatable: en, ar, bn, zh, multi.",
    ),
    click.option(
        "--device",
        metavar="LIST",
        help="Where scoring models run: cpu, cuda:0 or cuda:0,cuda:1; all GPUs by default.",
    ),
    click.option(
        "--precision", metavar="P", help="Precision of scoring models: fp32 (default); fp16 or bf16 on a GPU."
    ),
)
"""Models that texts are compared with, as ``scoring`` (ScoringModels), with progress on standard error."""

prices_option = click.option(
    "--prices", type=click.Path(path_type=Path), metavar="FILE", help="Prices per million tokens."
)


def _cluster(on: str | None, workers: int | None, gpus: float | None, serve: str | None) -> Cluster | None:
    if on is None and (workers, gpus, serve) != (None, None, None):
        raise FolkwaysError(
            "--workers, --gpus and --serve are for workers on a cluster; add --on ray, or leave them out"
        )
    return None if on is None else Cluster(on, workers, gpus, serve)


serve_option = click.option(
    "--serve",
    metavar="COMMAND",
    help="Start the model's server with this command, and stop it at the end: 'vllm serve NAME --port "
    "{port}'.",
)

on_option = click.option(
    "--on", type=click.Choice(["ray"]), help="Use workers on the Ray cluster of RAY_ADDRESS, or a local one."
)

cluster_options = _packed(
    "cluster",
    _cluster,
    on_option,
    click.option(
        "--workers", type=WholeNumber(min=1), help="Number of workers; by default one per GPU or node."
    ),
    click.option(
        "--gpus", type=Number(min=0), help="GPUs of each worker; 1 for a model that runs on the nodes."
    ),
    serve_option,
)
"""Workers on a cluster instead of this process, as ``cluster`` (Cluster or None)."""

batch_option = click.option(
    "--batch",
    is_flag=True,
    help="In batches, at half the price within a day (openai/, anthropic/, google/; a file for vllm/).",
)


def _ask_options(max_failed: float = 0.0, **others: Any) -> AskOptions:
    return AskOptions(max_failed=max_failed / 100, **others)


_ASKING = (
    click.option("--concurrency", type=type_of("concurrency"), help="Requests at once, at most."),
    click.option(
        "--attempts", type=type_of("attempts"), default=6, show_default=True, help="Attempts per request."
    ),
    click.option(
        "--max-errors", type=type_of("max_errors"), help="Give up on a model after N failed requests."
    ),
    click.option(
        "--timeout",
        type=type_of("timeout"),
        default=120.0,
        show_default=True,
        help="Seconds for one request.",
    ),
    click.option(
        "--budget",
        metavar="AMOUNT",
        help="Stop before spending more than this: 1000requests, 2Mtokens, 5usd.",
    ),
    prices_option,
)
_MAX_FAILED = click.option(
    "--max-failed",
    type=Number(min=0, max=100),
    default=10.0,
    show_default=True,
    metavar="PERCENT",
    help="Exit code 1 if more requests failed.",
)
_WAIT = click.option(
    "--wait",
    type=type_of("wait"),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for a server that refuses connections before giving up on its model.",
)

ask_options = _packed("asking", _ask_options, *_ASKING, _WAIT, _MAX_FAILED)
"""Retries, limits and budget, as ``asking`` (AskOptions)."""

build_ask_options = _packed("asking", _ask_options, *_ASKING)
"""The same for builds, which need every reply."""


def _run_options(
    releases: tuple[str, ...], settings: tuple[str, ...], read: str | None, **others: Any
) -> RunOptions:
    others |= {name: names(others[name]) for name in ("cultures", "languages", "variants")}
    for name in ("prompt_texts", "treatments"):
        others[name] = others[name] or {}
    sampling = parse_settings(settings) | ({"read": read} if read else {})
    return RunOptions(releases=release_names(releases), settings=sampling, **others)


question_options = _packed(
    "options",
    _run_options,
    click.argument(
        "tasks",
        cls=TasksArgument,
        nargs=-1,
        required=True,
        metavar="TASK...|SUITE|RECIPE",
        shell_complete=completion.tasks,
    ),
    click.option(
        "--cultures",
        metavar="LIST",
        shell_complete=completion.cultures,
        help="Codes or names, separated by commas: KR,KP,ET.",
    ),
    click.option("--languages", metavar="LIST", help="Codes or names, 'local' or 'en'."),
    click.option("--variants", metavar="LIST", help="Prompt templates (inst-4,pers-3), or 'all'."),
    click.option(
        "--release",
        "releases",
        multiple=True,
        metavar="[BENCHMARK=]NAME|DIR",
        help="Data to use instead of the default release; repeatable, one per benchmark.",
    ),
    limit_option,
    click.option(
        "--afresh",
        is_flag=True,
        help="Ask again even if replies are stored; the stored ones are kept, but not used.",
    ),
    click.option(
        "--skip-missing", is_flag=True, help="Leave out tasks whose data are not on this disk, and say which."
    ),
    click.option(
        "--samples",
        type=type_of("samples"),
        default=1,
        show_default=True,
        help="How often to ask each prompt.",
    ),
    click.option(
        "--seed", type=type_of("seed"), default=0, show_default=True, help="Seed of all random draws."
    ),
    click.option(
        "--setting",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Sampling setting: temperature=0.7, seed=1, reasoning_effort=low; 'none' for the "
        "provider's default.",
    ),
    click.option(
        "--read",
        type=type_of("read"),
        help="Take the most likely option as the reply (hf/, vllm-offline/, gguf/, llamacpp/).",
    ),
    click.option(
        "--system",
        metavar="TEXT",
        callback=_text_not_file,
        help="System prompt for every request; may name the item's {culture}, {country}, {people} and "
        "{language}.",
    ),
    click.option("--max-tokens", type=type_of("max_tokens"), help="Maximum number of output tokens."),
    click.option(
        "--prompts",
        "prompt_texts",
        type=PromptTexts(),
        metavar="FILE",
        help="TOML file of prompt texts: template name = text, for all tasks or in a table with a "
        "task's name.",
    ),
    click.option(
        "--treatments",
        type=Treatments(),
        metavar="FILE|LIST",
        help="Ask every prompt also with these changes, their placebos and for another culture: a TOML "
        "file, or persona-first, persona-second, persona-third, think-in-language.",
    ),
    click.option(
        "--permute-options",
        type=type_of("permute_options"),
        default=1,
        metavar="K",
        help="Ask each question K times, with its options in different orders.",
    ),
    click.option(
        "--shots",
        type=type_of("shots"),
        default=0,
        help="Show N examples with answers before each question (variants lm-eval...).",
    ),
)
"""What to ask, as ``options`` (RunOptions)."""

coverage_option = click.option(
    "--coverage",
    type=Number(0, 100),
    default=95.0,
    show_default=True,
    help="Percent of items that need a reply.",
)
github_option = click.option("--github", is_flag=True, help="Print annotations for GitHub.")

models_option = click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    required=True,
    type=ModelName(),
    metavar="NAME",
    help="Model to ask; repeatable. Settings of its own: NAME?temperature=1.",
)


def names(text: str | None) -> tuple[str, ...] | None:
    """``a, b`` as ("a", "b"); None for None. FolkwaysError for an empty list."""
    return None if text is None else names_of(text)


def left_out(absent: Mapping[str, str]) -> str:
    """Lines on the tasks that are left out; empty if there are none. absent: task -> reason."""
    reasons: dict[str, list[str]] = {}
    for task, reason in absent.items():
        reasons.setdefault(reason, []).append(task)
    return "\n".join(f"Left out: {', '.join(names)} ({reason})" for reason, names in reasons.items())


def release_names(texts: tuple[str, ...]) -> dict[str, str]:
    """``blend=DIR`` as {"blend": "DIR"}; without a benchmark the name applies to all (key ``*``)."""
    from folkways.runs import keywords

    return keywords.release_names(texts)


def until_options(command: F) -> F:
    """``--until`` and ``--strata``; ``sampled`` makes them part of the options of a run."""
    strata = click.option(
        "--strata",
        metavar="LIST",
        help="What a stratum is, for --until: culture (default), or culture,topic.",
    )
    until = click.option(
        "--until",
        type=type_of("until"),
        metavar="POINTS",
        help="Keep asking until each culture's 95 % interval is within ± this many points.",
    )
    return until(strata(command))


def sampled(options: RunOptions, until: float | None, strata: str | None) -> RunOptions:
    """The options with those of ``until_options``; FolkwaysError for strata without ``--until``."""
    if strata is not None and until is None:
        raise FolkwaysError(
            "--strata says what --until has to know; add --until POINTS, or leave --strata out"
        )
    return replace(options, until=until, strata=names(strata) or ("culture",))
