"""What a user asks for: tasks, models, and how to ask."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkways.cultures import codes_of_cultures
from folkways.display import plural
from folkways.endpoints.base import LOGLIK, NO_THINKING, Settings
from folkways.errors import FolkwaysError, UnknownNameError, option

if TYPE_CHECKING:  # the command line reads its options without an engine
    from folkways.engine.session import Observer
    from folkways.workspace.run_records import RunRecord

MOST_ORDERS = 24
MOST_SHOTS = 100


@dataclass(frozen=True)
class OptionKind:
    """What the value of an option may be, whether it comes from the command line, a recipe or Python.

    low, high: its bounds, both valid. words: its only values, where these are few. example: of a text that is
    hard to guess.
    """

    type: type[bool] | type[int] | type[float] | type[str]
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    example: str = ""

    def read(self, value: Any, truth: str = "True or False") -> Any:
        """The value as bool, int, float or str; numbers of numpy are numbers too, True is not one.

        truth: how a switch is written. FolkwaysError that begins with "must", to follow the name of the
        option.
        """
        plain = value.item() if hasattr(value, "item") else value
        fits = isinstance(plain, self.type) or (self.type is float and isinstance(plain, int))
        if not fits or isinstance(plain, bool) != (self.type is bool):
            raise FolkwaysError(f"must be {truth if self.type is bool else self._what()}, got {value!r}")
        if self.words and plain not in self.words:
            raise FolkwaysError(f"must be {' or '.join(map(repr, self.words))}, got {value!r}")
        if self.type in (int, float):
            self._check_bounds(plain)
        return plain

    def _check_bounds(self, number: float) -> None:
        if not math.isfinite(number):
            raise FolkwaysError(f"must be a finite number, got {number}")
        low, high = self.low, self.high
        if low is not None and high is not None and not low <= number <= high:
            raise FolkwaysError(f"must lie between {low:,g} and {high:,g}, got {number:,g}")
        if low is not None and number < low:
            raise FolkwaysError(f"must be at least {low:g}, got {number:g}")

    def _what(self) -> str:
        words = {int: "a whole number", float: "a number", str: "a text in quotes"}[self.type]
        return words + (f", such as {self.example}" if self.example else "")


OPTION_KINDS: Mapping[str, OptionKind] = {
    "limit": OptionKind(int, 1),
    "samples": OptionKind(int, 1),
    "seed": OptionKind(int),
    "max_tokens": OptionKind(int, 1),
    "permute_options": OptionKind(int, 1, MOST_ORDERS),
    "shots": OptionKind(int, 0, MOST_SHOTS),
    "concurrency": OptionKind(int, 1, 1000),
    "attempts": OptionKind(int, 1),
    "max_errors": OptionKind(int, 0),
    "until": OptionKind(float, 0.1, 49),
    "timeout": OptionKind(float, 0.1),
    "wait": OptionKind(float, 0),
    "skip_missing": OptionKind(bool),
    "afresh": OptionKind(bool),
    "batch": OptionKind(bool),
    "system": OptionKind(str),
    "read": OptionKind(str, words=(LOGLIK,)),
    "budget": OptionKind(str, example="'5usd' or '100requests'"),
}
"""Options of a run that are one value, by the names of RunOptions and AskOptions."""


@dataclass(frozen=True)
class RunOptions:
    """Everything that decides what a run asks.

    tasks: names of tasks, benchmarks or suites, each with settings of its own, which override those of the
        run (of two limits the smaller counts): ``blend/saq?limit=400&languages=local``.
    releases: benchmark -> name of a release or folder, where not the default one; ``*`` is every benchmark.
    cultures: codes or names; None for all.
    languages: codes, ``local`` or ``en``; None for the task's default.
    variants: prompt templates; None for the task's default, ``all`` for every one.
    limit: questions per task at most, spread evenly over cultures and drawn by ``seed``; None for all.
    skip_missing: leave out tasks whose data are not on this disk, instead of an error; the run and its
        reports say which.
    samples: how often each prompt is asked.
    system: system prompt for every request; None leaves the task's own.
    settings: changes to the sampling settings by name; None leaves a setting to the provider.
    max_tokens: output tokens at most, instead of the task's own limit.
    prompt_texts: template name -> text, instead of the release's or ours; ``TASK:NAME`` for a template of one
        task.
    permute_options: in how many orders the options of a question are shown, by tasks that can; 1 for the
        released one.
    shots: how many examples with answers come before each question, in variants that show them (lm-eval).
    scoring_models: role (``embedding``, ``bert-zh``) -> folder or hub name of a model that scores are made
        with.
    scoring_precision: of those models.
    until: points, 0.1 to 49: each stratum is asked until half its interval is no wider; None asks everything.
    strata: what strata are made of, for ``until``: columns of the items.
    afresh: ask what is stored already, too; its replies are kept and not used. The same again goes on with
        such a run.
    generation: the number of those who ask afresh, which folkways gives; 0 where nobody does.
    treatments: name -> what each prompt is also asked with (``benchmarks.treatments.read_treatments``).
    """

    tasks: tuple[str, ...]
    releases: Mapping[str, str] = field(default_factory=dict)
    cultures: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    variants: tuple[str, ...] | None = None
    limit: int | None = None
    skip_missing: bool = False
    samples: int = 1
    seed: int = 0
    system: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int | None = None
    prompt_texts: Mapping[str, str] = field(default_factory=dict)
    permute_options: int = 1
    shots: int = 0
    scoring_models: Mapping[str, str] = field(default_factory=dict)
    scoring_precision: str = "fp32"
    until: float | None = None
    strata: tuple[str, ...] = ("culture",)
    afresh: bool = False
    generation: int = 0
    treatments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.cultures is not None:  # the same questions have one signature, however they are asked for
            object.__setattr__(self, "cultures", codes_of_cultures(self.cultures))
        for name in ("limit", "samples", "max_tokens", "permute_options", "shots"):
            if (value := getattr(self, name)) is not None:
                try:
                    OPTION_KINDS[name].read(value)
                except FolkwaysError as error:
                    raise FolkwaysError(f"{name} {error}") from None
        if self.until is not None and self.limit is not None:
            raise FolkwaysError(
                f"{option('until')} decides how many items are asked: give either it or {option('limit')}"
            )
        if not self.strata:
            raise FolkwaysError(
                "strata need at least one column of the items, for example culture, or culture and topic"
            )
        if not -(2**63) <= self.seed < 2**63:
            raise FolkwaysError(f"seed must be a whole number of at most 64 bits, got {self.seed}")
        for name, value in self.settings.items():
            check_setting(name, value)
        if not self.tasks:
            raise FolkwaysError(
                "name at least one task, for example: folkways run demo --model baseline/random"
            )

    def texts_for(self, task: str) -> dict[str, str]:
        """The prompt texts that this task is asked with, by template name."""
        split = [(name.rpartition(":"), text) for name, text in self.prompt_texts.items()]
        return {name: text for (owner, _, name), text in split if owner in ("", task)}


@dataclass(frozen=True)
class Deployment:
    """How a model runs on machines of the user's own while it is asked. Nothing of it changes what is asked,
    or the key of a reply.

    serve: command that starts its server, with ``{port}`` for the port; None for a model that needs no
        server.
    gpus: of each copy: a whole number, or a share of one (0.5: two copies fit on a GPU); None for one where
        there are any.
    copies: of the model at once, at most (1 or more). A second copy begins where no other model waits for its
        first.
    """

    serve: str | None = None
    gpus: float | None = None
    copies: int = 1

    def __post_init__(self) -> None:
        if self.gpus is not None and (self.gpus < 0 or not (self.gpus < 1 or float(self.gpus).is_integer())):
            raise FolkwaysError(
                f"gpus must be a whole number, or a share of one GPU between 0 and 1, got {self.gpus:g}"
            )
        if self.copies < 1:
            raise FolkwaysError(f"copies must be at least 1, got {self.copies}")
        if self.serve is not None:
            words_of(self.serve)


PORT = "{port}"


def words_of(serve: str) -> list[str]:
    """The words of a command that starts a server; FolkwaysError where it cannot be read, or names no
    port."""
    try:
        words = shlex.split(serve)
    except ValueError as error:
        raise FolkwaysError(f"serve: {serve!r} cannot be read as a command: {error}") from None
    if not any(PORT in word for word in words):
        raise FolkwaysError(
            f"serve: {serve!r} does not say where the server is to listen; write {PORT} in place of its port"
        )
    return words


@dataclass(frozen=True)
class DeployedModel:
    """The name of a model, settings of its own included, and how it runs on machines of one's own."""

    name: str
    deployment: Deployment


@dataclass(frozen=True)
class Cluster:
    """Workers on other machines instead of this process.

    on: what places them; ``ray``.
    workers: how many; None for one per GPU where a model runs on its nodes, else one per node.
    gpus: of each worker; None for one where a model runs on its nodes and the cluster has any.
    serve: command that starts a model's server next to each worker.
    """

    on: str
    workers: int | None = None
    gpus: float | None = None
    serve: str | None = None


_UNITS = (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0), ("second", 1.0))


@dataclass(frozen=True, slots=True)
class ReusedReplies:
    """Replies from before the run, of one of its models.

    replies, expected: how many, and of how many.
    oldest, newest: when they came, in seconds since the epoch.
    runs: names of the runs that asked for the oldest and the newest, as far as these are still there.
    newer: the run that asked the same afresh since, whose replies are not used; None where there is none.
    """

    model: str
    replies: int
    expected: int
    oldest: float
    newest: float
    runs: tuple[str, ...]
    newer: str | None = None

    def text(self, now: float | None = None) -> str:
        """One line: how many, how old, from which run, and how to ask again or use newer ones. now: in
        seconds since the epoch."""
        now = time.time() if now is None else now
        youngest, eldest = age(now - self.newest), age(now - self.oldest)
        ages = eldest if youngest == eldest else f"{youngest} to {eldest}"
        which = f"run {self.runs[0]}" if len(self.runs) == 1 else f"runs {' to '.join(self.runs)}"
        origin = f", from {which}" if self.runs else ""
        many = (
            f"all {self.replies:,}"
            if self.replies == self.expected
            else f"{self.replies:,} of {self.expected:,}"
        )
        counted = "the one reply is" if self.expected == 1 else f"{many} replies are"
        again = option("afresh", True)
        line = f"{self.model}: {counted} from before: {ages} old{origin}; {again} asks again"
        if self.newer is None:
            return line
        name = option("name", self.newer)
        return (
            f"{line}. Run {self.newer} has newer replies, asked for afresh, which are not used; {again} and "
            f"{name} use them"
        )


def age(seconds: float) -> str:
    """How long ago, in the largest unit that counts at least one: ``4 minutes``."""
    for unit, length in _UNITS:
        if seconds >= length:
            return plural(int(seconds // length), unit)
    return "less than a second"


@dataclass(frozen=True)
class AskOptions:
    """How hard to try, what may be spent, and who watches: nothing of it changes what is asked.

    concurrency: requests to a model on their way at once, at most; None for what suits its endpoint.
    attempts: tries per request.
    max_errors: failed requests after which a model is given up; None: 50, or a tenth of the run if that is
        more and any was answered. Replies of a file, a dict or a frame are looked up to the end.
    max_failed: share of a model's requests that may fail, 0 to 1; above, or with no reply at all, the run
        ends ``incomplete``.
    timeout: seconds for one request, connection to last byte.
    wait: seconds for which a server that refuses connections is waited for before its model is given up; 0:
        such a request fails like any other. Builders wait no longer than 30 s.
    budget: ``1000requests``, ``2Mtokens``, ``5usd``; for this session, never crossed.
    batch: ask in batches, at the provider's price for that; not with ``until``.
    prices: file of prices per million tokens; None for the ones that come with folkways.
    observer: called with the counts every ``every`` seconds and at the end.
    cluster: the workers that ask; None for this process.
    reused: called for each model whose stored replies of other runs are used.
    planned: called with the run, and whether it was begun earlier, before the first request.
    """

    concurrency: int | None = None
    attempts: int = 6
    max_errors: int | None = None
    max_failed: float = 0.1
    timeout: float = 120.0
    wait: float = 300.0
    budget: str | None = None
    batch: bool = False
    prices: Path | str | None = None
    observer: Observer | None = None
    every: float = 0.5
    cluster: Cluster | None = None
    reused: Callable[[ReusedReplies], object] | None = None
    planned: Callable[[RunRecord, bool], object] = lambda _run, _continued: None


def names_of(text: str) -> tuple[str, ...]:
    """``a, b`` as ("a", "b"). FolkwaysError for an empty list."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise FolkwaysError(
            f"an empty list was given: {text!r}; separate names by commas, or leave the option out"
        )
    return parts


_SETTINGS = {
    "temperature": OptionKind(float, 0.0, 2.0),
    "top_p": OptionKind(float, 0.0, 1.0),
    "seed": OptionKind(int, -(2**63), 2**63 - 1),
    "reasoning_effort": OptionKind(str),
    "max_tokens": OptionKind(int, 1, 2**31 - 1),
    "read": OptionKind(str, words=(LOGLIK,)),
}
_IN_WORDS = {float: "a number", int: "a whole number", str: "a word or a number of tokens"}
SETTING_TYPES = {name: kind.type for name, kind in _SETTINGS.items()}
"""Every sampling setting -> the type of its values; each may be ``none`` too."""

SETTING_WORDS = {name: kind.words for name, kind in _SETTINGS.items() if kind.words}
"""Settings that are one of few words."""

KNOWN_WORDS = {"reasoning_effort": ("minimal", "low", "medium", "high", NO_THINKING)}
"""Settings that are a word or a whole number, and the words that folkways knows of; a provider may take
others."""


def parse_settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Read ``name=value`` pairs; ``none`` leaves a setting to the provider. UnknownNameError and
    FolkwaysError say what is valid."""
    parsed: dict[str, Any] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator:
            raise FolkwaysError(
                f"a setting is written name=value, got {pair!r}; for example temperature=0.7 or "
                "temperature=none"
            )
        if name not in _SETTINGS:
            raise UnknownNameError("setting", name, _SETTINGS)
        parsed[name] = None if text.lower() == "none" else text
        check_setting(name, parsed[name])
        if parsed[name] is not None:
            parsed[name] = _SETTINGS[name].type(text)
    return parsed


def check_setting(name: str, value: Any) -> None:
    """UnknownNameError or FolkwaysError unless ``value``, or the text of one, is a value of the setting; None
    always is."""
    if name not in _SETTINGS:
        raise UnknownNameError("setting", name, _SETTINGS)
    if value is None:
        return
    kind = _SETTINGS[name]
    try:
        read = kind.type(value)
    except (TypeError, ValueError):
        what = _IN_WORDS[kind.type]
        raise FolkwaysError(f"setting {name} must be {what} or none, got {value!r}") from None
    if kind.words and value not in kind.words:
        raise FolkwaysError(f"setting {name} must be {' or '.join(kind.words)}, or none; got {value!r}")
    if kind.low is not None and kind.high is not None and not kind.low <= float(read) <= kind.high:
        raise FolkwaysError(f"setting {name} must lie between {kind.low:g} and {kind.high:g}, got {value}")


def settings_for(
    options: RunOptions, task_max_tokens: int, own: Mapping[str, Any], temperature: float = 0.0
) -> Settings:
    """The sampling settings of a task's requests: the task's temperature and top_p 1 unless the user says
    otherwise.

    options: of the run.
    task_max_tokens, temperature: those of the task.
    own: the model's own changes, which win over those of the run. With read=loglik nothing is sampled: no
    other setting is left.
    """
    of_task = {"max_tokens": options.max_tokens or task_max_tokens, "temperature": temperature}
    settings = Settings(**{**of_task, **options.settings, **own})
    return settings if settings.read is None else Settings(temperature=None, top_p=None, read=settings.read)
