"""What a benchmark and its tasks are: data and pure functions, which never open a socket or a database.

A new benchmark is one folder with a ``Benchmark`` and one entry point in the group ``folkways.benchmarks``; ``benchmarks/demo``
is the smallest one and is meant to be copied.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.build import Builder
from folkways.benchmarks.judging.models import MODEL_ABSENT, Comparer, ModelRole
from folkways.benchmarks.published import Published
from folkways.benchmarks.results import Result
from folkways.benchmarks.studies import StudyExport
from folkways.benchmarks.submissions import Submission
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import Metric
from folkways.releases.base import Release
from folkways.releases.readers import Reader


@dataclass(frozen=True)
class PromptOptions:
    """Which prompts are made of the items. None means the task's default.

    languages:    codes ("ko"), or "local" (each culture's own) and "en".
    variants:     names of prompt templates ("inst-4"); "all" for every one.
    seed:         for tasks that draw (option order, personas).
    prompt_texts: template name -> text brought by the user in place of the release's or ours (``--prompts FILE``).
    orders:       in how many orders the options of a question are shown, for tasks with ``permutes_options``; 1 for the released.
    """

    languages: tuple[str, ...] | None = None
    variants: tuple[str, ...] | None = None
    seed: int = 0
    prompt_texts: Mapping[str, str] = field(default_factory=dict)
    orders: int = 1


AnswerGroups = tuple[tuple[str, ...], ...]
"""The answers to a question, each as all the ways to put it."""


def answer_groups(groups: Iterable[Iterable[str | None]]) -> AnswerGroups:
    """Answers without empty and repeated ways to put them."""
    return tuple(tuple(dict.fromkeys(wording for wording in group if wording)) for group in groups)


class Task(ABC):
    """One way of asking one benchmark's items, and of judging what comes back. The same four verbs for every task."""

    name: ClassVar[str]  # "blend/saq"
    release: ClassVar[str]  # name or alias of the release that is used unless another is asked for
    title: ClassVar[str]
    about: ClassVar[str]  # what is measured, with the paper's section
    metrics: ClassVar[tuple[Metric, ...]]  # the first is the headline
    facets: ClassVar[tuple[str, ...]]  # item columns that scores are grouped by, besides culture, language and variant
    headline_by: ClassVar[str | None] = None  # a facet of the scores whose groups stand in place of the whole in headlines
    profiles: ClassVar[tuple[str, ...]] = ("paper", "strict")  # the first is the default
    profile_aliases: ClassVar[Mapping[str, str]] = {}
    tool_sets: ClassVar[tuple[str, ...]] = ()  # sets of text tools that judging can use, the first by default
    model_roles: ClassVar[tuple[ModelRole, ...]] = ()  # what language models can be handed in to compare texts with
    variants: ClassVar[tuple[str, ...]] = ()  # the default variants
    max_tokens: ClassVar[int] = 256  # output tokens that a reply needs at most
    limit_by_design: ClassVar[str] = ""  # where the paper asks for fewer than models like to use: its section
    whole_questions: ClassVar[bool] = False  # True where a score needs every item of a question (all four judgements)
    limit_over: ClassVar[str] = "culture"  # the column of the items over which a limit spreads questions evenly
    judges_apart: ClassVar[bool] = False  # True where replies are judged by themselves alone, and ``summarise`` takes compact ones
    permutes_options: ClassVar[bool] = False  # True where a question can be asked in several orders of its options
    has_baselines: ClassVar[bool] = False  # True where ``baselines`` gives some
    has_free_answers: ClassVar[bool] = False  # True where a model can judge by ``accepted_answers`` and ``question_in``
    ignores_unknown_ids: ClassVar[bool] = False  # True where the authors' scorer passes over ids of no item (``from_authors``)

    people_release: ClassVar[str | None] = None  # the release that tells what single people answered, where there is one
    people_by: ClassVar[str | None] = None  # how the line of ``people`` is made, for its signature; None where nobody is known

    @property
    def benchmark(self) -> str:
        return self.name.split("/", 1)[0]

    def resolve_profile(self, profile: str | None) -> str:
        """The task's profile of that name or alias; its default for None; UnknownNameError otherwise."""
        if profile is None:
            return self.profiles[0]
        resolved = self.profile_aliases.get(profile, profile)
        if resolved not in self.profiles:
            raise UnknownNameError(f"profile of {self.name}", profile, {*self.profiles, *self.profile_aliases})
        return resolved

    def resolve_tool_set(self, tool_set: str) -> str:
        """The set of text tools of that name; UnknownNameError, or FolkwaysError for a task that uses none."""
        if not self.tool_sets:
            raise FolkwaysError(f"{self.name} is judged without text tools; leave --text-tools out")
        if tool_set not in self.tool_sets:
            raise UnknownNameError("set of text tools", tool_set, self.tool_sets)
        return tool_set

    def with_text_tools(self, tool_set: str) -> Task:
        """The same task, judging with another set of text tools; raises what ``resolve_tool_set`` does."""
        self.resolve_tool_set(tool_set)
        raise NotImplementedError(f"{type(self).__name__} has tool_sets and must say how it uses them")

    def with_models(self, models: Mapping[str, Comparer]) -> Task:
        """The same task, judging with these models: role -> model. Metrics of roles that none fills are not computed.

        UnknownNameError for a role that the task has not.
        """
        known = [role.name for role in self.model_roles]
        if unknown := sorted(models.keys() - set(known)):
            raise UnknownNameError(f"model role of {self.name}", unknown[0], known)
        if not models:
            return self
        raise NotImplementedError(f"{type(self).__name__} has model_roles and must say how it uses them")

    @abstractmethod
    def items(self, release: Release) -> pl.DataFrame:
        """All items of the release: records.ITEMS, the facets, and whatever ``prompts`` and ``judge`` need besides."""

    def item_batches(self, release: Release) -> Iterator[pl.DataFrame]:
        """``items`` in parts that can be asked and judged one after the other: a single one, unless the data are large."""
        yield self.items(release)

    def check_askable(self, release: Release) -> None:  # noqa: B027 - most releases have all that is asked
        """FolkwaysError, with the file and how to get it, where the release lets replies be judged and not be asked for."""

    @abstractmethod
    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """One row per text that is sent: records.PROMPTS, ordered like the items. ``release`` gives the authors' wording."""

    @abstractmethod
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """One row per response (records.RESPONSES), in the same order: records.JUDGEMENTS, the facets, one column per metric."""

    @abstractmethod
    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """Scores of one endpoint, over all rows and by facet: records.SCORES without endpoint, profile and signature.

        The judgements are those of ``judge`` without task, item, sample, answer and reason; where the task ``judges_apart``,
        with categories in place of text and small numbers in few bytes (``records.compact``).
        """

    def people(self, items: pl.DataFrame, release: Release, profile: str) -> pl.DataFrame | None:
        """How people of the cultures do under the rule that models are judged by, on these items (with their facets).

        Judgements as ``judge`` gives them, one row per person and item, from which ``summarise`` makes the line that reports draw;
        None where ``release`` does not tell what single people answered.
        """
        return None

    def chance(self) -> float | None:
        """What guessing among the options scores on the headline, exactly, in percent; None where answers are free."""
        return None

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """How guessing by rules that know nothing would do on these items: name (``baseline/chance``) -> judgements.

        Judgements as ``judge`` gives them, one row per item, in which a metric is the chance of being right: their mean is the
        expectation, and nothing is drawn. Reports show their scores beside those of the models; nobody is asked.
        """
        return {}

    def accepted_answers(self, item: Mapping[str, Any]) -> AnswerGroups:
        """What counts as right for an item with a free answer, the most frequent answer first; empty where nobody answered.

        item: a row of ``items``. Each answer is a tuple of the ways to put it, in any language.
        """
        raise NotImplementedError(f"{self.name} has no free answers")

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        """The question of an item with a free answer, as it is asked in that language. Every question can be asked in English."""
        raise NotImplementedError(f"{self.name} has no free answers")

    def options_of(self, item: Mapping[str, Any]) -> tuple[tuple[str, ...], int | None]:
        """The options that a question lists, in the released order, and the place of the right one (None where it is not known).

        item: a row of ``items``. No options where the question lists none.
        """
        return (), None

    def order_key(self, item: Mapping[str, Any]) -> str:
        """What the orders of an item's options are drawn by: items with the same key are asked in the same orders."""
        return str(item["question"])

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """Recognise an output file of the authors' own programs (all columns read as strings).

        Returns a frame of the same rows with ``response`` and whichever of ``item``, ``release_id``, ``culture``, ``language``,
        ``variant`` and ``position`` (0-based row of the release) the file tells, or None if it is not such a file.
        """
        return None

    def text_tools(self) -> Mapping[str, str]:
        """Name and version of the text tools that judging uses, for the signature."""
        return {}

    def models(self) -> Mapping[str, str]:
        """Role -> name and revision of the model that judging uses, ``none`` where there is none; for the signature."""
        return {role.name: MODEL_ABSENT for role in self.model_roles}


@dataclass(frozen=True)
class Benchmark:
    """All that folkways knows about a benchmark; its entry point names one.

    The folder of the module that the entry point names holds ``records``, one TOML file for each release, and, for data that come
    with the package, ``data``.

    name:     "blend"; every task is called ``name/...``.
    tasks:    in the order in which they are asked.
    reader:   what recognises and checks its released data, where they need that.
    results:  the tables of its paper: of the data, and of the judgements of runs; with names that are unique here.
    published: the figures that its paper has published.
    builders: what makes its questions of people's answers (``folkways build``), with names that no other benchmark's has.
    caution:  what a reader must know before the numbers of this benchmark, whatever the run; nothing by default.
    aliases:  names that it had before; they stay valid wherever a benchmark or task is named.
    exports:  what it makes of studies with people.
    submissions: task -> the file that its competition takes (``folkways submit``).
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    reader: Reader | None = None
    results: tuple[Result, ...] = ()
    published: Published | None = None
    builders: tuple[Builder, ...] = ()
    caution: str = ""
    aliases: tuple[str, ...] = ()
    exports: tuple[StudyExport, ...] = ()
    submissions: Mapping[str, Submission] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """TypeError for what is no task, ValueError for one of another name."""
        for name in ("tasks", "results", "builders", "aliases", "exports"):
            if not isinstance(getattr(self, name), (tuple, list)):
                raise TypeError(f"{name} of the benchmark {self.name} is a tuple; mind the comma in (one,)")
        for task in self.tasks:
            if not isinstance(task, Task):
                what = f"{task.__name__} is a class: write {task.__name__}()" if isinstance(task, type) else f"{task!r} is no Task"
                raise TypeError(f"the tasks of the benchmark {self.name} are instances of Task; {what}")
            if not isinstance(getattr(task, "name", None), str):
                raise TypeError(f"the task {type(task).__name__} of the benchmark {self.name} has no name; call it {self.name}/...")
            if task.benchmark != self.name:
                raise ValueError(f"a task of the benchmark {self.name} is called {self.name}/..., not {task.name}")
