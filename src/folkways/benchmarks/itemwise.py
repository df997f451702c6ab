"""Tasks that ask about one item at a time and judge one reply at a time: from items to prompts, and from
replies to judgements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks import frame_checks, task_errors
from folkways.benchmarks.averages import with_mean_over
from folkways.benchmarks.base import PromptOptions, ShownOptions, Task
from folkways.benchmarks.multiple_choice import orders
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, UnfilledError, culture_parts
from folkways.cultures import get_language
from folkways.errors import DataError, FolkwaysError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, Schema, State, require_columns
from folkways.releases.release_records import Release
from folkways.text.refusals import is_refusal

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReplyScore:
    """What one reply is worth.

    values: of every metric in the task's ``worst``; None where it does not apply to the item. A reply that is
        refused or unreadable has the task's worst.
    details: further columns of the judgement.
    counted: False where the item does not belong to the score; the reason says why.
    """

    answer: str | None
    reason: str | None
    values: Mapping[str, float | None] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    state: State = State.ANSWERED
    counted: bool = True


def unparsed(reply: str, language: str, reason: str) -> ReplyScore:
    """The score of a reply without an answer: refused if it declines, else unreadable for this reason."""
    if is_refusal(reply, language):
        return ReplyScore(None, "the reply declines to answer", state=State.REFUSED)
    return ReplyScore(None, reason, state=State.UNREADABLE)


LOST_LAST = pl.col("state").replace_strict(
    {State.REFUSED.value: 1, State.UNREADABLE.value: 2, State.FAILED.value: 3, State.MISSING.value: 4},
    default=5,
)
"""Ranks the rows of a question that is not right, or not answered alike, after those with another answer: the
first row carries the question's value. Lost rows come last, because only a question with nothing else wrong
could still have been right."""

ASKING = ("question", "language", "variant", "sample")
"""What one asking of a question has in common."""


def all_right(rows: str) -> pl.Expr:
    """Whether all judgements of a question are ``right``: on one row of it and null on the others, so that it
    counts once. That is a row that says why the question is not right, or its first.

    rows: a column with how many judgements make the question up. Null where not all of them were asked.
    """
    wrong = pl.col("right") < 1
    answered = pl.col("state") == State.ANSWERED.value
    rank = pl.when(wrong & answered).then(0).when(wrong).then(LOST_LAST).otherwise(6)
    speaks = rank.rank("ordinal").over(ASKING) == 1
    complete = pl.len().over(ASKING) >= pl.col(rows)
    return pl.when(speaks & complete).then(pl.col("right").min().over(ASKING))


BATCH = 50_000
"""Items in memory at a time."""

_SOUND: set[tuple[object, ...]] = set()
"""Class, profile and metrics of the scores that have been checked: a million replies have a handful of
them."""


class ItemwiseTask(Task):
    """A task whose prompt shows one item, and whose reply is judged by that item alone.

    A subclass defines its items (``rows``), how they are asked (``templates``, ``parts``), and what a reply
    is worth (``score``).

    ``permutes_options`` is for items with a list of ``options`` and the right one's label in the column
    ``gold_label``. ``--permute-options`` then asks in several orders: ``parts`` and ``score`` get the item
    as it was shown, and the judgements have in ``chosen_option`` the label of the chosen option in the
    release. Name every list that goes with the options (the culture of each one) in ``permuted``, and a
    list that only happens to be as long in ``not_permuted``.
    """

    item_columns: ClassVar[Schema] = {}  # what the items carry besides records.ITEMS and the facets
    # what the judgements carry besides records.JUDGEMENTS, facets and metrics
    judgement_columns: ClassVar[Schema] = {}
    labels: ClassVar[tuple[str, ...] | None] = None  # what may be answered; None for free text
    # where ``permutes_options``: the column of the items with the right label
    gold_label: ClassVar[str] = "gold_letter"
    # the lists of an item that are shown in the order of the options
    permuted: ClassVar[tuple[str, ...]] = ("options",)
    # lists as long as the options that stay in the released order
    not_permuted: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def rows(self, release: Release) -> Iterable[Row]:
        """The items: item, culture, text, gold, facets, ``item_columns``; question and release_id if they
        differ from the item."""

    @abstractmethod
    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        """Variant -> template of a language, for the variants that the options ask for."""

    @abstractmethod
    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        """The texts that replace {question} and the other names in a prompt template."""

    @abstractmethod
    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        """What a reply is worth: ``response["response"]`` to the item in ``response["language"]``."""

    def languages(self, item: Row) -> tuple[str, ...]:
        """The languages that the item can be asked in, the culture's own first."""
        return ("en",)

    def default_languages(self, item: Row) -> tuple[str, ...]:
        """Those of ``languages`` that it is asked in unless the user says otherwise."""
        return self.languages(item)

    def prompt_variants(
        self, item: Row, language: str, variant: str, options: PromptOptions, release: Release
    ) -> Iterable[tuple[str, Mapping[str, str], Sequence[str] | None]]:
        """The ways in which an item is asked with one template: name of the variant, what fills the template,
        and what may be answered.

        item: a row of ``items``.
        language: the one it is asked in.
        variant: name of the template.
        options: what the user asks for, the number of orders among it.
        release: whose item it is.
        """
        if not self.permutes_options:
            yield variant, self.parts(item, language), self.labels
            return
        for name, order in orders.asked_orders(
            self.options_of(item).order_key, item["options"], variant, options.orders
        ):
            yield name, self.parts(self._shown(item, order), language), self.labels

    def _shown(self, item: Row, order: orders.Order) -> Row:
        """The item with its options in this order, and the label of its right one there; unchanged without an
        order."""
        if not order:
            return item
        lists = {name: [item[name][index] for index in order] for name in {"options", *self.permuted}}
        return {
            **item,
            **lists,
            self.gold_label: orders.moved(item[self.gold_label], self.labels or (), order),
        }

    def options_of(self, item: Mapping[str, Any]) -> ShownOptions:
        key = str(item["question"])
        if not self.permutes_options:
            return ShownOptions(order_key=key)
        options, labels, gold = tuple(item["options"] or ()), self.labels or (), item[self.gold_label]
        right = labels.index(gold) if gold in labels else len(options)
        return ShownOptions(options, right if right < len(options) else None, key)

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        """Each metric where there is no readable answer: ``Metric.worst``, or None where the metric does not
        apply to the item."""
        return {metric.name: metric.worst for metric in self.metrics}

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        """Why an item does not count under the profile, whatever the reply; None if it counts."""
        return None

    def completed(self, rows: list[Row]) -> list[Row]:
        """The judged rows with the values that are better computed for all of them together; unchanged by
        default."""
        return rows

    @property
    def judged_columns(self) -> Schema:
        """What the judgements carry besides records.JUDGEMENTS."""
        facets = dict.fromkeys(self.facets, pl.String)
        chosen: Schema = {"chosen_option": pl.String} if self.permutes_options else {}
        return {
            **facets,
            **self.judgement_columns,
            **chosen,
            **{metric.name: pl.Float64 for metric in self.metrics},
        }

    def chance(self) -> float | None:
        return 100 / len(self.labels) if self.labels else None

    def items(self, release: Release) -> pl.DataFrame:
        batches = list(self.batches_of_rows(release))
        return batches[0] if len(batches) == 1 else pl.concat(batches)

    def batches_of_rows(self, release: Release) -> Iterator[pl.DataFrame]:
        """The items in parts of BATCH, for ``item_batches`` of large data; an empty part where there are
        none."""
        facets = {facet: pl.String for facet in self.facets if facet not in self.item_columns}
        schema: Schema = {**ITEMS, **facets, **self.item_columns}
        rows = self._complete_rows(release, schema)
        first = 1
        while (batch := list(islice(rows, BATCH))) or first == 1:
            yield self._items_of(batch, schema, first)
            first += max(len(batch), 1)

    def _items_of(self, rows: list[Row], schema: Schema, first: int) -> pl.DataFrame:
        """A frame of rows, numbered from ``first``. Raises TaskError for a value that its column cannot
        keep."""
        try:
            items = pl.DataFrame(rows, schema=schema)
            lost = [
                name
                for name in schema
                if (empty := items[name].null_count()) and empty > sum(row.get(name) is None for row in rows)
            ]
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            lost = [*schema]
        for name in lost:  # polars drops some values of another kind than the column's, and refuses others
            for number, row in enumerate(rows, start=first):
                if not _fits(row.get(name), schema[name]):
                    what = f"{name} is {row[name]!r}, and its column holds {schema[name]}"
                    task_errors.refuse(self, "rows", what, number, row["item"])
        return items

    def _complete_rows(self, release: Release, schema: Schema) -> Iterator[Row]:
        """The rows with their optional columns. Raises TaskError if the code fails, or if keys and columns
        differ."""
        named = {"task": self.name}
        needed = [name for name in schema if name not in ("task", "question", "release_id")]
        row: Row | None = None
        number = 0
        try:
            for number, row in enumerate(self.rows(release), start=1):
                for name in row:
                    if name not in schema:
                        task_errors.refuse(
                            self,
                            "rows",
                            f"{name!r} is not one of the columns{task_errors.meant(name, schema)}",
                            number,
                            row.get("item"),
                        )
                for name in needed:
                    if name not in row:
                        what = f"the row lacks {name!r}; give it, or None where the item has none"
                        task_errors.refuse(self, "rows", what, number, row.get("item"))
                yield {**named, "question": row["item"], "release_id": row["item"], **row}
        except FolkwaysError:
            raise
        except Exception as error:
            where = "before the first row" if row is None else f"after row {number} ({row.get('item')!r})"
            raise task_errors.task_failed(self, error, "rows", where) from error

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        if self.permutes_options:
            orders.check_names(options.prompt_texts)
        templates = {"en": self.templates(options, release, "en")}
        rows: list[Row] = []
        asked_in = self._asked_languages(items, options)
        for item in items.iter_rows(named=True):
            offered = self.languages(item)
            wanted = (
                self.default_languages(item)
                if asked_in is None
                else [offered[0] if name == "local" else name for name in asked_in]
            )
            for language in dict.fromkeys(name for name in wanted if name in offered):
                if language not in templates:
                    templates[language] = self.templates(options, release, language)
                for variant, template in templates[language].items():
                    rows += self._prompts_of(item, language, variant, template, options, release)
        return pl.DataFrame(rows, schema=dict(PROMPTS))

    def _prompts_of(
        self,
        item: Row,
        language: str,
        variant: str,
        template: Template,
        options: PromptOptions,
        release: Release,
    ) -> Iterator[Row]:
        """What is sent of one item with one template. Raises TaskError if the code fails or a {name} would be
        sent."""
        try:
            variants = self.prompt_variants(item, language, variant, options, release)
            for name, parts, choices in variants:
                yield {
                    "task": self.name,
                    "item": item["item"],
                    "language": language,
                    "variant": name,
                    "user": template.fill({**culture_parts(item["culture"]), **parts}),
                    "choices": list(choices) if choices else None,
                    "prompt_source": template.source,
                }
        except UnfilledError as error:
            if template.source.startswith("file:"):
                raise task_errors.TaskError(
                    f"{self.name}: the prompt text {variant!r} {error.what}"
                ) from None
            task_errors.refuse(
                self,
                "templates",
                f"the template {variant!r} ({template.source}) in {language!r} {error.what}",
            )
        except FolkwaysError:
            raise
        except Exception as error:
            raise task_errors.task_failed(
                self, error, "parts", f"for item {item['item']!r} in {language!r}"
            ) from error

    def _asked_languages(self, items: pl.DataFrame, options: PromptOptions) -> tuple[str, ...] | None:
        """The codes of the languages that the options name. Raises UnknownNameError for one that neither we
        nor an item knows."""
        if options.languages is None:
            return None
        offered = {
            "local",
            *(language for item in items.iter_rows(named=True) for language in self.languages(item)),
        }
        return tuple(
            language if language in offered else get_language(language).code for language in options.languages
        )

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        profile = self.resolve_profile(profile)
        require_columns(responses, RESPONSES, "responses")
        ids = responses["item"].cast(pl.String).unique().implode()
        by_id = {item["item"]: item for item in items.filter(pl.col("item").is_in(ids)).iter_rows(named=True)}
        rows = []
        for number, response in enumerate(responses.iter_rows(named=True), start=1):
            item = by_id.get(response["item"])
            if item is None:
                raise DataError(f"{self.name} has no item {response['item']!r}", file="responses", row=number)
            rows.append({**item, **response, **self._as_asked(item, response, profile)})
        return pl.DataFrame(self.completed(rows), schema={**JUDGEMENTS, **self.judged_columns})

    def _as_asked(self, item: Row, response: Row, profile: str) -> Row:
        """``judged`` of the item as the response's variant showed it."""
        if not self.permutes_options:
            return self.judged(item, response, profile)
        order = orders.order_of(
            self.options_of(item).order_key, response["variant"], len(item["options"] or ())
        )
        shown = self._shown(item, order)
        template = orders.split_variant(response["variant"])[0]
        judged = self.judged(shown, {**response, "variant": template}, profile)
        chosen = (
            orders.released(judged["answer"], self.labels or (), order)
            if judged["answer"] and order
            else None
        )
        if chosen is not None and judged["counted"]:
            options = dict(zip(self.labels or (), shown["options"], strict=False))
            judged = {
                **judged,
                "reason": orders.chosen_and_right(options, judged["answer"], shown[self.gold_label]),
            }
        return {self.gold_label: shown[self.gold_label], **judged, "chosen_option": chosen}

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        """The columns of a judgement that differ from those of the item and the response."""
        state = State(response["state"])
        if (why := self.why_uncounted(item, profile)) is not None:
            return {"counted": False, "answer": None, "reason": why, **self.worst(item, profile, state)}
        if state is not State.ANSWERED:
            return {"counted": True, "answer": None, **self.worst(item, profile, state)}
        scored = self._score(item, {**response, "response": response["response"] or ""}, profile)
        answered = scored.state is State.ANSWERED and scored.counted
        return {
            "counted": scored.counted,
            "state": scored.state.value,
            "answer": scored.answer,
            "reason": scored.reason,
            **(scored.values if answered else self.worst(item, profile, scored.state)),
            **scored.details,
        }

    def _score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        """``score``. Raises TaskError if its code fails, or if its result would be dropped or counted
        wrongly."""
        try:
            scored = self.score(item, response, profile)
        except FolkwaysError:
            raise
        except Exception as error:
            where = f"for the reply {response['response'][:60]!r} to item {item['item']!r}"
            raise task_errors.task_failed(self, error, "score", where) from error
        for what in self._score_problems(scored, item, profile):
            raise task_errors.TaskError(task_errors.problem(self, "score", f"item {item['item']!r}: {what}"))
        return scored

    def _score_problems(self, scored: ReplyScore, item: Row, profile: str) -> Iterator[str]:
        if not isinstance(scored, ReplyScore):
            yield f"it gives {scored!r}; give a ReplyScore"
            return
        if scored.state is State.ANSWERED and scored.counted:
            shape = (type(self), profile, *scored.values)
            if shape not in _SOUND:
                by_models = {metric for role in self.scoring.models for metric in role.metrics}
                needed = [name for name in self.worst(item, profile, scored.state) if name not in by_models]
                yield from frame_checks.score_value_problems(self, scored.values, needed)
                _SOUND.add(shape)
            yield from frame_checks.value_problems(scored.values)
            labels = self.labels or ()
            if self.permutes_options and scored.answer not in labels:
                yield (
                    f"the answer {scored.answer!r} is not one of the labels {', '.join(labels)}; options "
                    "are permuted by them"
                )
        for name in scored.details:
            # those are for ``completed`` alone
            if name not in self.judged_columns and not name.startswith("_"):
                yield (
                    f"details has {name!r}, which is not one of the task's "
                    f"columns{task_errors.meant(name, self.judged_columns)}"
                )

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """Means of every metric over all rows and by facet, by culture, language and variant; see
        ``Metric.mean_over``."""
        scores = summarise_means(judgements, self.name, self.metrics, self.facets)
        for metric in self.metrics:
            if metric.mean_over is not None:
                scores = with_mean_over(scores, judgements, [metric], metric.mean_over)
        return scores


def _fits(value: object, kind: pl.DataType | type[pl.DataType]) -> bool:
    """Whether a column of this kind keeps the value."""
    if value is not None and isinstance(value, list | tuple) != (kind == pl.List):
        return False
    try:
        return value is None or pl.Series([value], dtype=kind)[0] is not None
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return False
