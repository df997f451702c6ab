"""Pages of cultures: what each model gets right and wrong about one culture, so that somebody from there can
recognise it or dispute it."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import polars as pl

from folkways.benchmarks.whose_culture.result import name_of
from folkways.display import sanitize, shorten, single_line
from folkways.errors import FolkwaysError
from folkways.evidence import cultures as evidence
from folkways.names import culture_name
from folkways.records import LOST, OTHER_LANGUAGE, State, by_slices, chosen_rows, plain
from folkways.reports.views.judgement_sample import SLICE, outcome_of
from folkways.reports.views.views import ReportView, Score, TaskView

QUESTIONS_ON_PAGE, MOST_QUESTIONS = 300, 12
"""Questions that are drawn over all cultures and tasks, and at most for one culture and task."""

MODELS_ON_PAGE, FEWEST_MODELS = 480, 3
"""Rows of models over all cultures and tasks, and at least for one culture and task."""

REPLIES_SHOWN = 6
"""Different replies to a question that are shown."""

QUESTION_CHARACTERS, REPLY_CHARACTERS = 240, 120
SEED = 0
OUTCOMES = ("wrong", "partly", "right")
"""In the order in which they take turns."""

TOPIC_FACETS = ("topic", "category", "domain", "axis")
"""Facets that say what a question is about, the first that a task has."""

ASKING = ("item", "language", "variant", "sample")
NEEDED = (*ASKING, "question", "culture", "counted", "state", "answer")
"""Columns of judgements that the evidence needs, besides metric and facet."""

PLACEHOLDERS = ("item", "culture", "task")


@dataclass(frozen=True, slots=True)
class GivenReply:
    """A reply and the models that gave it; untrusted text. Empty where items must not be shown.

    outcome: one of OUTCOMES, or the state of a reply without a readable answer.
    """

    text: str
    outcome: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """A drawn question as it was asked, with what was said; untrusted text, empty where it must not be shown.

    whole: where a question is several replies, ``right`` or ``wrong`` -> the models of whose replies the
    task's score says so. more: how many further replies there are. command: what shows it with every reply.
    dispute: the address at which to dispute it; empty without one.
    """

    text: str
    gold: str
    language: str
    replies: tuple[GivenReply, ...]
    more: int
    whole: Mapping[str, tuple[str, ...]]
    command: str
    dispute: str


@dataclass(frozen=True, slots=True)
class ModelOnCulture:
    """What one model says about a culture in one task.

    shown: outcome -> how many of how many of its replies are among the drawn questions.
    repeated: its most repeated wrong reply in each language, untrusted, with what is said of it.
    sentences: what else is notable.
    """

    name: str
    score: Score
    shown: Mapping[str, tuple[int, int]]
    repeated: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CultureTask:
    """One task in the page of a culture.

    left_out: models that are not shown. all_questions: number of questions with a reply. withheld: why
    questions and replies are not shown; empty if they are.
    """

    task: TaskView
    models: tuple[ModelOnCulture, ...]
    left_out: int
    questions: tuple[DrawnQuestion, ...]
    all_questions: int
    withheld: str


@dataclass(frozen=True, slots=True)
class CulturePage:
    """The page of one culture."""

    code: str
    name: str
    tasks: tuple[CultureTask, ...]


def check_dispute(address: str) -> str:
    """The address at which a question is disputed, as it was given: ``https://…/new?title={item}``.

    Raises FolkwaysError unless it is an http or https address with a host, whose ``{item}``, ``{culture}``
    and ``{task}`` come after the host, with nothing else in braces.
    """
    example = "https://example.org/new?title={item}+{culture}"
    parts = urlsplit(address) if address.isprintable() and " " not in address else urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or "{" in parts.netloc:
        raise FolkwaysError(
            f"{address!r} is not an address at which to dispute a question; write one that begins with "
            f"https:// or http://, for example {example}"
        )
    unknown = set(re.findall(r"{[^{}]*}?|}", address)) - {f"{{{name}}}" for name in PLACEHOLDERS}
    if unknown:
        raise FolkwaysError(
            f"the address {address} has {' and '.join(sorted(unknown))}, which is not filled in; valid: "
            f"{', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}, for example {example}"
        )
    return address


def dispute_link(address: str | None, **values: str) -> str:
    """The address with its placeholders filled in, percent-encoded; empty without one."""
    if not address:
        return ""
    return re.sub(r"{(\w+)}", lambda name: quote(values[name[1]], safe=""), address)


def culture_pages(view: ReportView) -> list[CulturePage]:
    """The pages of all cultures, ordered by name.

    Questions are drawn by a seed, the same for every model. Models take turns, wrong replies first, until the
    questions of a culture and task are enough.
    """
    tasks = [task for task in view.tasks if task.models and task.cultures]
    pairs = sum(task.cultures for task in tasks)
    if not pairs:
        return []
    most = max(1, min(MOST_QUESTIONS, QUESTIONS_ON_PAGE // pairs))
    rows = max(FEWEST_MODELS, MODELS_ON_PAGE // pairs)
    pages: dict[str, list[CultureTask]] = {code: [] for code in view.cultures}
    for task in tasks:
        for code, part in _TaskPages(view, task, rows, most).parts():
            pages[code].append(part)
    return [CulturePage(code, culture_name(code), tuple(parts)) for code, parts in pages.items() if parts]


@dataclass
class _TaskPages:
    """One task's part of all pages. rows: models that are shown. most: questions of a culture."""

    view: ReportView
    task: TaskView
    rows: int
    most: int
    _judged: pl.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        data = self.view.data
        of_task = (
            (pl.col("task") == self.task.task)
            & (pl.col("profile") == self.task.profile)
            & pl.col("endpoint").cast(pl.String).is_in(self.task.models)
            & pl.col("counted")
            & pl.col("culture").is_not_null()
        )
        columns = ["culture", *ASKING, "endpoint", "state", "whole"]
        outcome = outcome_of(data, data.judgements.columns).alias("outcome")
        self._judged = (
            data.judgements.lazy()
            .with_row_index("row")
            .filter(of_task)
            .with_columns(whole=self._whole())
            .filter(~pl.col("state").is_in(LOST))
            .select("row", *columns, outcome)
            .filter(pl.col("outcome").is_in(OUTCOMES))
            .with_columns(pl.col("outcome").cast(pl.Enum(OUTCOMES)), pl.col("sample").cast(pl.Int32))
            .collect(engine="streaming")
        )

    def _of_slices(self, make: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """What ``make`` makes of some rows at a time."""
        return by_slices(self._judged, SLICE, make)

    def _whole(self) -> pl.Expr:
        """What the score of the task says of the question of a row, which is on one of its rows; null where
        each reply is a question."""
        metric, kinds = self.task.metric, self.view.data.judgements.schema
        if metric.per != "question" or metric.name not in kinds:
            return pl.lit(None)
        key = ("endpoint", "culture", "question", "language", "variant", "sample")
        return pl.col(metric.name).cast(pl.Float64).max().over(key)

    def parts(self) -> Iterable[tuple[str, CultureTask]]:
        drawn = self._draw()
        on: dict[str, Any] = {"on": ["culture", *ASKING], "nulls_equal": True}
        totals = self._totals(lambda rows: rows)
        shown = self._totals(lambda rows: rows.join(drawn, how="semi", **on))
        questions = self._questions(drawn)
        items = self._of_slices(lambda rows: rows.select("culture", "item").unique()).unique()
        all_questions = dict(items.group_by("culture").len().iter_rows())
        statements = self._statements(self.task.models[: self.rows])
        of_cultures = self.task.facets["culture"]
        for code in of_cultures.values:
            models = []
            for name, of_model in statements.items():
                if (score := of_cultures.scores.get((code, name))) is None:
                    continue
                counts = {
                    outcome: (shown.get((code, name, outcome), 0), total)
                    for outcome in OUTCOMES
                    if (total := totals.get((code, name, outcome), 0))
                }
                models.append(
                    ModelOnCulture(
                        self.view.short[name],
                        score,
                        counts,
                        tuple(of_model.repeated[code]),
                        tuple(of_model.sentences[code]),
                    )
                )
            every = sum((code, name) in of_cultures.scores for name in self.task.models)
            yield (
                code,
                CultureTask(
                    self.task,
                    tuple(models),
                    every - len(models),
                    tuple(questions.get(code, ())),
                    all_questions.get(code, 0),
                    self.view.data.without_items.get(self.task.task, ""),
                ),
            )

    def _draw(self) -> pl.DataFrame:
        """culture, ASKING and turn of the drawn questions: one asking of each item, in a seeded order."""
        item, ways = ("culture", "item"), ASKING[1:]
        items, templates = (
            self._of_slices(lambda rows, names=names: rows.select(names).unique())  # type: ignore[misc]
            .unique()
            .sort(pl.col(name).cast(pl.String) for name in names)
            for names in (item, ways)
        )
        items = items.with_columns(turn=pl.int_range(pl.len()).shuffle(SEED))
        templates = templates.with_columns(way=pl.int_range(pl.len()))

        def first(rows: pl.DataFrame) -> pl.DataFrame:
            best = pl.col(*ways, "way").get(pl.col("way").arg_min())
            return rows.group_by(*item, "turn").agg(best)

        firsts = self._of_slices(
            lambda rows: first(
                rows.select(*item, *ways)
                .join(items, on=item, nulls_equal=True)
                .join(templates, on=ways, nulls_equal=True)
                .with_columns(way=(pl.col("way") + pl.col("turn")) % templates.height)
            )
        )
        turns = first(firsts).drop("way").sort("turn")
        ranks = {name: rank for rank, name in enumerate(self.task.models[: self.rows])}
        candidates = self._of_models([*ranks], turns)
        order = (
            pl.int_range(pl.len()).over("culture", "endpoint", "outcome", order_by="turn").alias("round"),
            pl.col("outcome").to_physical().alias("kind"),
            pl.col("endpoint").replace_strict(ranks, return_dtype=pl.Int64).alias("rank"),
        )
        picked = candidates.select("culture", "item", *order).sort("round", "kind", "rank")
        picked = picked.unique(["culture", "item"], keep="first", maintain_order=True)
        picked = picked.group_by("culture", maintain_order=True).head(self.most)
        return turns.join(picked, on=["culture", "item"], how="semi", maintain_order="left")

    def _of_models(self, models: Sequence[str], turns: pl.DataFrame) -> pl.DataFrame:
        """The rows of these models with the askings of ``turns``."""
        of_models = pl.col("endpoint").is_in(models)
        on = ["culture", *ASKING]
        return self._of_slices(lambda rows: rows.filter(of_models).join(turns, on=on, nulls_equal=True))

    def _totals(self, chosen: Callable[[pl.DataFrame], pl.DataFrame]) -> dict[tuple[str, str, str], int]:
        """Culture, endpoint and outcome -> the rows that are ``chosen`` of some."""
        key = ("culture", "endpoint", "outcome")
        parts = self._of_slices(lambda rows: chosen(rows).group_by(key).len())
        counts = parts.group_by(key).agg(pl.col("len").sum())
        return {(culture, name, outcome): amount for culture, name, outcome, amount in counts.iter_rows()}

    def _questions(self, drawn: pl.DataFrame) -> dict[str, list[DrawnQuestion]]:
        shown = [*self.task.models[: self.rows]]
        of_drawn = self._of_models(shown, drawn).sort("turn", pl.col("endpoint").cast(pl.Enum(shown)))
        data = self.view.data
        texts = plain(
            data.rows(of_drawn["row"]).select("text", "gold", "response", "reason", *self._chosen())
        )
        rows = plain(of_drawn.hstack(texts))
        questions: dict[str, list[DrawnQuestion]] = {}
        for (culture, _), part in rows.group_by(["culture", "turn"], maintain_order=True):
            questions.setdefault(str(culture), []).append(self._question(str(culture), part))
        return questions

    def _chosen(self) -> list[str]:
        return [name for name in ("chosen_option",) if name in self.view.data.judgements.columns]

    def _question(self, culture: str, part: pl.DataFrame) -> DrawnQuestion:
        first = part.row(0, named=True)
        grouped: dict[tuple[str, str], list[str]] = {}
        for row in part.iter_rows(named=True):
            text = row["reason"] if row.get("chosen_option") is not None else row["response"]
            outcome = row["outcome"] if row["state"] == State.ANSWERED else str(row["state"])
            reply = _shown(text, REPLY_CHARACTERS)
            grouped.setdefault((reply, outcome), []).append(self.view.short[row["endpoint"]])
        replies = [GivenReply(text, outcome, tuple(models)) for (text, outcome), models in grouped.items()]
        replies.sort(key=lambda reply: -len(reply.models))
        wholes: dict[str, list[str]] = {}
        for row in part.drop_nulls("whole").sort("whole", maintain_order=True).iter_rows(named=True):
            outcome = "right" if row["whole"] >= 1 else "wrong"
            wholes.setdefault(outcome, []).append(self.view.short[row["endpoint"]])
        task = self.task.task
        return DrawnQuestion(
            _shown(first["text"], QUESTION_CHARACTERS),
            _shown(first["gold"], QUESTION_CHARACTERS),
            str(first["language"]),
            tuple(replies[:REPLIES_SHOWN]),
            max(0, len(replies) - REPLIES_SHOWN),
            {outcome: tuple(models) for outcome, models in wholes.items()},
            f"folkways show {shlex.quote(single_line(task + ':' + first['item']))}",
            dispute_link(self.view.data.dispute, item=first["item"], culture=culture, task=task),
        )

    def _statements(self, shown: Sequence[str]) -> dict[str, _Statements]:
        """Model -> what the evidence says of it about every culture."""
        metric, every = self.task.metric, {name: _Statements() for name in shown}
        repeated: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
        for name, statements in every.items():
            judged = self._judgements(name)
            self._compare(name, judged, statements)
            if self.task.task not in self.view.data.chance and metric.bounds is not None:
                repeated[name] = evidence.most_repeated(judged, metric)
        keys = pl.concat([rows["key"] for rows, _ in repeated.values()]).unique() if repeated else pl.Series()
        if keys.is_empty():
            return every
        right = pl.concat(
            evidence.right_replies(self._judgements(name), metric, keys) for name in self.task.models
        )
        for name, (rows, wrong) in repeated.items():
            elsewhere = evidence.right_elsewhere(rows, wrong, right)
            for row in rows.iter_rows(named=True):
                same = {key: row[key] for key in ("culture", "language", "key")}
                parts = (evidence.repeated_sentence(row), evidence.right_sentence(elsewhere.filter(**same)))
                words = "; ".join(part for part in parts if part)
                every[name].repeated[row["culture"]].append((_shown(row["reply"], REPLY_CHARACTERS), words))
        return every

    def _judgements(self, endpoint: str) -> pl.DataFrame:
        """The judgements of a model with what the evidence needs of them."""
        judgements = self.view.data.judgements
        names = (*NEEDED, self.task.metric.name, OTHER_LANGUAGE, self._topic_facet)
        columns = [name for name in dict.fromkeys(names) if name in judgements.columns]
        of_model = (
            (pl.col("task") == self.task.task)
            & (pl.col("profile") == self.task.profile)
            & (pl.col("endpoint") == endpoint)
        )
        return chosen_rows(judgements.select(columns), judgements.select(of_model).to_series())

    @property
    def _topic_facet(self) -> str | None:
        return next((name for name in TOPIC_FACETS if name in self.task.facets), None)

    def _compare(self, endpoint: str, judged: pl.DataFrame, statements: _Statements) -> None:
        """Add sentences on languages, topics and whose answers the wrong ones are."""
        metric, facet = self.task.metric, self._topic_facet
        made = self._made_languages(endpoint)
        languages = evidence.own_language(judged, metric) if made is None else made
        of_pair = {(row["culture"], row["language"]): row for row in languages.iter_rows(named=True)}
        for culture, language in evidence.asked_in_both(judged):
            row = of_pair.get((culture, language))
            sentence = evidence.language_sentence(row, metric) if row else evidence.not_compared(language)
            statements.sentences[culture].append(sentence)
        if facet in judged.columns:
            of_topics = evidence.topics(judged, metric, facet)
            for (culture,), part in of_topics.group_by("culture", maintain_order=True):
                statements.sentences[str(culture)].append(evidence.topic_sentence(part, metric))
        for (culture,), cells in self._whose(endpoint).group_by("asked_culture", maintain_order=True):
            statements.sentences[str(culture)] += evidence.whose_sentences(cells)

    def _made_languages(self, endpoint: str) -> pl.DataFrame | None:
        """Own language against English as a result of the benchmark has it, so that the page says it once."""
        for rows in self._tables("language", "local", "english"):
            return rows.filter(pl.col("endpoint") == endpoint)
        return None

    def _whose(self, endpoint: str) -> pl.DataFrame:
        """``whose_culture.result.CELLS`` of a model, of each culture in question."""
        parts = [
            rows.filter(pl.col("endpoint") == endpoint)
            for rows in self._tables("asked_culture", "share", "chance", result=name_of(self.task.task))
        ]
        return (
            pl.concat(parts, how="diagonal_relaxed")
            if parts
            else pl.DataFrame(schema={"asked_culture": pl.String})
        )

    def _tables(self, *columns: str, result: str | None = None) -> Iterable[pl.DataFrame]:
        """The tables of the task's results that have these columns."""
        for made in self.view.data.results:
            if self.task.task in made.result.tasks and result in (None, made.result.name):
                for table in made.tables:
                    if {"endpoint", *columns} <= {*table.rows.columns}:
                        yield table.rows


@dataclass(frozen=True)
class _Statements:
    """Culture -> what is said of one model."""

    sentences: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    repeated: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))


def _shown(text: str | None, characters: int) -> str:
    """Untrusted text, made safe and short."""
    return sanitize(shorten(" ".join((text or "").split()), characters))
