"""What a benchmark and its tasks are: data and pure functions, which never open a socket or a database.

A new benchmark is one folder with a ``Benchmark`` and one entry point in the group
``folkways.benchmarks``. ``benchmarks/demo`` is the smallest one and is meant to be copied.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.build import Builder
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.results import Result
from folkways.benchmarks.studies import StudyExport
from folkways.benchmarks.suites import Suite
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import Metric, headline_of
from folkways.releases.readers import Reader
from folkways.releases.release_records import Release


@dataclass(frozen=True)
class PromptOptions:
    """Which prompts are made of the items. None means the task's default.

    languages: codes ("ko"), or "local" (each culture's own) and "en".
    variants: names of prompt templates ("inst-4"); "all" for every one.
    seed: for tasks that draw (option order, personas).
    prompt_texts: template name -> a text of the user's that replaces the release's or ours (``--prompts
        FILE``).
    orders: in how many orders the options of a question are shown, for tasks with ``permutes_options``; 1 for
        the released order alone.
    shots: how many examples with answers come before each question, in the variants that show them; 0 for
        none.
    """

    languages: tuple[str, ...] | None = None
    variants: tuple[str, ...] | None = None
    seed: int = 0
    prompt_texts: Mapping[str, str] = field(default_factory=dict)
    orders: int = 1
    shots: int = 0


AnswerGroups = tuple[tuple[str, ...], ...]
"""The answers to a question, each as all the ways to put it."""


def answer_groups(groups: Iterable[Iterable[str | None]]) -> AnswerGroups:
    """Answers without empty and repeated ways to put them."""
    return tuple(tuple(dict.fromkeys(wording for wording in group if wording)) for group in groups)


@dataclass(frozen=True)
class Scoring:
    """How the replies to a task can be judged, and what a user can choose.

    profiles: the rules of judging; the first is the default.
    aliases: other names of profiles -> profile.
    text_tools: the sets of text tools that judging can use (``--text-tools``), the default first; empty for a
        task that uses none.
    models: the roles that language models can be given to compare texts (``--embedding-model``,
        ``--bert-model``).
    per_reply: True where each reply is judged without looking at others. Replies then come a page at a time,
        and ``summarise`` gets compact judgements (``records.compact``). Set it where a task may get a million
        replies.
    """

    profiles: tuple[str, ...] = ("strict",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    text_tools: tuple[str, ...] = ()
    models: tuple[ModelRole, ...] = ()
    per_reply: bool = False


@dataclass(frozen=True)
class Tools:
    """What a user chose to judge with, from what ``Scoring`` offers.

    text_tools: the name of a set of text tools; None for the default.
    models: role -> model. Metrics of roles without a model are not computed.
    """

    text_tools: str | None = None
    models: Mapping[str, Comparer] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownOptions:
    """The options that a question lists, in the released order.

    right: index of the right option; None where it is not known.
    order_key: seed of the option orders; items with the same key are asked in the same orders.
    """

    texts: tuple[str, ...] = ()
    right: int | None = None
    order_key: str = ""


@dataclass(frozen=True)
class HumanBaseline:
    """How people of the cultures do under the rule that models are judged by.

    how: in a few words, for the signature of the scores.
    judge: items (with their facets), release and profile -> judgements as ``Task.judge`` gives them, one row
        per person and item; None where the release lacks the answers of single people.
    release: the release that has them, if another one is asked.
    """

    how: str
    judge: Callable[[pl.DataFrame, Release, str], pl.DataFrame | None]
    release: str | None = None


class Task(ABC):
    """One way to ask the items of one benchmark and to judge the replies. Every task has the same four verbs.

    Optional members that a subclass overrides (``baselines``, ``accepted_answers``) need no flag:
    ``overrides`` sees them.
    """

    name: ClassVar[str]  # "blend/saq"
    release: ClassVar[str]  # name or alias of the release that is used unless another is asked for
    title: ClassVar[str]
    about: ClassVar[str]  # what is measured, with the paper's section
    metrics: ClassVar[tuple[Metric, ...]]  # the first is the headline
    # item columns that scores are grouped by, besides culture, language and variant
    facets: ClassVar[tuple[str, ...]] = ()
    # facet -> its groups in an order of their own, which figures keep; others go by score
    ordered: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    scoring: ClassVar[Scoring] = Scoring()
    variants: ClassVar[tuple[str, ...]] = ()  # the default variants
    max_tokens: ClassVar[int] = 256  # output tokens that a reply needs at most
    # True where a question can be asked in several orders of its options
    permutes_options: ClassVar[bool] = False
    tools: Tools = Tools()  # what this task judges with; set by ``with_tools``

    @property
    def benchmark(self) -> str:
        return self.name.split("/", 1)[0]

    def resolve_profile(self, profile: str | None) -> str:
        """The task's profile of that name or alias; its default for None. Raises UnknownNameError for any
        other name."""
        scoring = self.scoring
        if profile is None:
            return scoring.profiles[0]
        resolved = scoring.aliases.get(profile, profile)
        if resolved not in scoring.profiles:
            raise UnknownNameError(f"profile of {self.name}", profile, {*scoring.profiles, *scoring.aliases})
        return resolved

    def with_tools(self, text_tools: str | None = None, models: Mapping[str, Comparer] | None = None) -> Self:
        """The same task, judging with another set of text tools or with these models (role -> model).

        Raises UnknownNameError for a set or a role that the task does not have, and FolkwaysError for text
        tools of a task that uses none.
        """
        if text_tools is not None:
            if not self.scoring.text_tools:
                raise FolkwaysError(f"{self.name} is judged without text tools; leave --text-tools out")
            if text_tools not in self.scoring.text_tools:
                raise UnknownNameError("set of text tools", text_tools, self.scoring.text_tools)
        roles = [role.name for role in self.scoring.models]
        if unknown := sorted((models or {}).keys() - set(roles)):
            raise UnknownNameError(f"model role of {self.name}", unknown[0], roles)
        chosen = copy(self)
        chosen.tools = Tools(
            text_tools or self.tools.text_tools, self.tools.models if models is None else dict(models)
        )
        return chosen

    @abstractmethod
    def items(self, release: Release) -> pl.DataFrame:
        """All items of the release: records.ITEMS, the facets, and whatever ``prompts`` and ``judge`` need
        besides."""

    def item_batches(self, release: Release) -> Iterator[pl.DataFrame]:
        """``items`` in parts that can be asked and judged one after the other: a single part unless the data
        are large."""
        yield self.items(release)

    def check_askable(self, release: Release) -> None:  # noqa: B027 - most releases have all that is asked
        """Raise FolkwaysError, with the file and how to get it, if the release is enough to judge replies but
        not to ask."""

    @abstractmethod
    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """One row per text that is sent: records.PROMPTS, ordered like the items. ``release`` gives the
        authors' wording."""

    @abstractmethod
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """One row per response (records.RESPONSES), in the same order: records.JUDGEMENTS, the facets, one
        column per metric."""

    @abstractmethod
    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """Scores of one endpoint, over all rows and by facet: records.SCORES without endpoint, profile and
        signature.

        The judgements are those of ``judge`` without task, item, sample, answer and reason; with
        ``Scoring.per_reply``, with categories in place of text and small numbers in few bytes
        (``records.compact``).
        """

    def human_baseline(self) -> HumanBaseline | None:
        """How people do on this task, if a release has the answers of single people; reports draw their
        score."""
        return None

    def chance(self) -> float | None:
        """What guessing among the options scores on the headline metric, in percent, computed exactly; None
        for free answers."""
        return None

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Name (``baseline/chance``) -> judgements of guessing by a rule that knows nothing.

        One row per item, as ``judge`` gives them. A metric is the chance of being right: its mean is the
        expectation, and nothing is drawn. Reports show these scores next to those of the models; nobody is
        asked.
        """
        return {}

    def accepted_answers(self, item: Mapping[str, Any]) -> AnswerGroups:
        """The right answers to an item with a free answer, the most frequent first; empty if nobody answered.

        Override it for free answers: a model, or a person, can then judge the replies too
        (``judge-by-model``).
        item: a row of ``items``. Each answer is a tuple of its wordings, in any language.
        """
        return ()

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        """The question of an item with a free answer, as it is asked in that language. Every question can be
        asked in English."""
        return str(item["text"])

    def options_of(self, item: Mapping[str, Any]) -> ShownOptions:
        """The options that the question of an item (a row of ``items``) lists; without texts if it lists
        none."""
        return ShownOptions(order_key=str(item["question"]))

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """``response`` of each row of an output file of the authors' own programs; None for any other file.

        table: all columns read as strings.

        The frame has the same rows, and whichever of ``item``, ``release_id``, ``culture``, ``language``,
        ``variant`` and ``position`` (0-based row of the release) the file contains. Ids go into
        ``item_if_any`` instead of ``item`` if the authors' scorer skips unknown ones.
        """
        return None

    def text_tools(self) -> Mapping[str, str]:
        """Name and version of the text tools that judging uses, for the signature."""
        return {}


def overrides(task: Task, member: str) -> bool:
    """Whether the class of a task defines an optional member of ``Task`` itself."""
    return getattr(type(task), member, None) is not getattr(Task, member)


def has_free_answers(task: Task) -> bool:
    """Whether a model or a person can judge the task's replies by the accepted answers."""
    return overrides(task, "accepted_answers")


def headline_with(task: Task, roles: Container[str] = ()) -> Metric:
    """``records.headline_of`` the metrics that a task computes with models in these ``roles``, before
    anything is judged."""
    models = task.scoring.models
    by_models = {name for role in models for name in role.metrics}
    computed = {name for role in models if role.name in roles for name in role.metrics}
    return headline_of(task.metrics, {metric.name for metric in task.metrics} - by_models | computed)


def temperature_of(task: Task) -> float:
    """The temperature, 0 to 2, at which a task is asked unless the user says otherwise: 0, unless it measures
    a spread of replies."""
    return float(getattr(task, "temperature", 0.0))


def needs_whole_questions(task: Task) -> bool:
    """Whether a metric needs every item of a question (all four judgements)."""
    return any(metric.per == "question" for metric in task.metrics)


@dataclass(frozen=True)
class Benchmark:
    """All that folkways knows about a benchmark; its entry point names one.

    The folder of the module that the entry point names holds ``records``, one TOML file for each release,
    and, for data that come with the package, ``data``.

    name: "blend"; every task is called ``name/...``.
    tasks: in the order in which they are asked.
    reader: recognises and checks the released data, where they need that.
    results: the tables of the paper, of its data and of the judgements of runs; names are unique within the
        benchmark.
    published: the figures that its paper has published.
    builders: make its questions from people's answers (``folkways build``); names are unique over all
        benchmarks.
    caution: what a reader must know before the numbers of this benchmark, whatever the run.
    aliases: earlier names, which stay valid wherever a benchmark or task is named.
    exports: the releases that it makes of studies with people.
    submissions: task -> the file that its competition takes (``folkways submit``).
    suites: named lists of tasks, of this benchmark and others (``suites.read_suites``).
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    reader: Reader | None = None
    results: tuple[Result, ...] = ()
    published: PublishedFigures | None = None
    builders: tuple[Builder, ...] = ()
    caution: str = ""
    aliases: tuple[str, ...] = ()
    exports: tuple[StudyExport, ...] = ()
    submissions: Mapping[str, Submission] = field(default_factory=dict)
    suites: tuple[Suite, ...] = ()

    def __post_init__(self) -> None:
        """Raise TypeError for a field of the wrong type, and ValueError for a task of another benchmark's
        name."""
        for name in ("tasks", "results", "builders", "aliases", "exports", "suites"):
            if not isinstance(getattr(self, name), (tuple, list)):
                raise TypeError(f"{name} of the benchmark {self.name} is a tuple; mind the comma in (one,)")
        for task in self.tasks:
            if not isinstance(task, Task):
                what = (
                    f"{task.__name__} is a class: write {task.__name__}()"
                    if isinstance(task, type)
                    else f"{task!r} is not a Task"
                )
                raise TypeError(f"the tasks of the benchmark {self.name} are instances of Task; {what}")
            if not isinstance(getattr(task, "name", None), str):
                raise TypeError(
                    f"the task {type(task).__name__} of the benchmark {self.name} has no name; call it "
                    f"{self.name}/..."
                )
            if task.benchmark != self.name:
                raise ValueError(
                    f"a task of the benchmark {self.name} is called {self.name}/..., not {task.name}"
                )


class Comparer(Protocol):
    """A model that measures how alike texts are. ``name`` is the model with its revision, for the
    signature."""

    @property
    def name(self) -> str: ...

    def compare(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """How alike the texts of each pair are, (pairs,); which comes first may matter."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRole:
    """A role that a model can be given in judging.

    name: ``embedding``, ``bert-zh``: unique within the task.
    kind: ``sentences`` (cosine of sentence embeddings) or ``tokens`` (raw BERTScore F1).
    metrics: those that are computed only with a model in this role.
    published: the authors' model, by its name on the Hugging Face hub.
    layer: for ``tokens``: the layer, counted from 1; None for the last.
    cultures: those whose judging needs the role; empty for all.
    """

    name: str
    kind: Literal["sentences", "tokens"]
    metrics: tuple[str, ...]
    published: str
    layer: int | None = None
    cultures: frozenset[str] = frozenset()

    def concerns(self, cultures: Sequence[str]) -> bool:
        """Whether judging any of these cultures needs the role."""
        return not self.cultures or not self.cultures.isdisjoint(cultures)


MODEL_ABSENT = "none"
"""The entry of the signature for a role without a model."""


@dataclass(frozen=True)
class Submission:
    """What is handed in for one task.

    path: of the file in what is handed in, with forward slashes; its ending (.tsv or .csv) is its format.
    table: makes its columns from one row per item of the release: ``item``, ``state``, and ``answer`` and
        ``response``, null where there is none.
    """

    path: str
    table: Callable[[pl.DataFrame], pl.DataFrame]
