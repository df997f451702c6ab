"""blend/mcq: the ready-made multiple-choice questions of BLEnD, in English (paper, section 4.2); those that
``folkways build mcq --language`` made also in the culture's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Scoring, ShownOptions, Task
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.data.files import cultures_by_name
from folkways.benchmarks.blend.letter_replies import read_reply
from folkways.benchmarks.multiple_choice import orders
from folkways.benchmarks.multiple_choice.letters import LETTER_METRICS, letter_scores
from folkways.benchmarks.multiple_choice.orders import check_names, split_variant, variant_name
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, culture_parts, missing_places
from folkways.cultures import codes_of_languages
from folkways.errors import DataError, UnknownNameError
from folkways.records import (
    CUT,
    ITEMS,
    JUDGEMENTS,
    PROMPTS,
    RESPONSES,
    Metric,
    Schema,
    State,
    of_rows,
    plain,
    require_columns,
)
from folkways.releases.release_records import Release

ORDER_KEY = pl.concat_str("culture", "question", separator="/").alias("order_key")
"""What orders are drawn by: the culture's question, of which there are several versions."""

MOVED = ("choices", "choice_countries")
"""What stands beside the labels, and moves."""


def lettered(labels: Sequence[str], choices: Sequence[str]) -> str:
    """The options as prompts list them."""
    return "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))


def in_orders(items: pl.DataFrame, wanted: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """Number of each order up to ``wanted``, and its items with prompt and choices as shown.

    A question keeps the released order alone if its options refer to each other, or if its prompt lists them
    in another form.
    """
    yield 1, items
    for number in range(2, wanted + 1):
        shown = []
        for row in items.select(ORDER_KEY, "prompt", "labels", "choices").iter_rows(named=True):
            order = orders.order_of(row["order_key"], orders.variant_name("", number), len(row["choices"]))
            listed = lettered(row["labels"], row["choices"])
            able = (
                orders.can_be_permuted(row["choices"])
                and order != tuple(range(len(order)))
                and row["prompt"].count(listed) == 1
            )
            choices = [row["choices"][index] for index in order]
            shown.append(
                (
                    able,
                    choices,
                    row["prompt"].replace(listed, lettered(row["labels"], choices)) if able else "",
                )
            )
        schema: Schema = {"able": pl.Boolean, "choices": pl.List(pl.String), "prompt": pl.String}
        moved = items.drop("choices", "prompt").hstack(of_rows(shown, schema))
        yield number, moved.filter("able").drop("able").select(items.columns)


def as_asked(joined: pl.DataFrame) -> pl.DataFrame:
    """The joined items and responses with choices, countries and right letter as the variant showed them."""
    if not joined["variant"].str.contains("~order-", literal=True).any():
        return joined
    rows = joined.select(ORDER_KEY, "variant", "labels", "answer_idx", *MOVED).iter_rows(named=True)
    rows_shown = []
    for row in rows:
        order = orders.order_of(row["order_key"], row["variant"], len(row["choices"]))
        moved = (
            [row[name][index] for index in order] if len(row[name]) == len(order) else row[name]
            for name in MOVED
        )
        rows_shown.append((*moved, orders.moved(row["answer_idx"], row["labels"], order)))
    schema: Schema = {**dict.fromkeys(MOVED, pl.List(pl.String)), "answer_idx": pl.String}
    return joined.with_columns(of_rows(rows_shown, schema))


def released_letters(joined: pl.DataFrame, letters: pl.Series) -> pl.Series:
    """The letter in the release of each option that was chosen; null where none was."""
    if not joined["variant"].str.contains("~order-", literal=True).any():
        return letters
    rows = zip(joined.select(ORDER_KEY, "variant", "labels").iter_rows(), letters, strict=True)
    released = [
        orders.released(letter, labels, orders.order_of(order_key, variant, len(labels))) if letter else None
        for (order_key, variant, labels), letter in rows
    ]
    return pl.Series(released, dtype=pl.String)


SEEN = ("gold_letter", "chosen_letter", "chosen_culture", "offered")
"""Columns of a judgement: the right letter, the one that was read, whose option that is, and whose options
were offered as wrong ones.

Cultures are codes; an option that nobody gave has the name of the release ("dummy"). ``offered`` has them
with blanks between. Null where no letter was read, or the release does not tell.
"""

TAKEN = Metric(
    "taken",
    "Taken when offered",
    "Share of items in which a culture's answer stood as a wrong option and was taken: whose view of "
    "others the model has.",
    lower_is_better=True,
)
VIEWS = (TAKEN, *LETTER_METRICS)


def seen(
    labels: Sequence[str], countries: Sequence[str], culture: str, gold: str, chosen: str | None
) -> tuple[str, str | None, str | None, str | None]:
    """SEEN of one item: its labels, the countries of its options, its culture, its gold letter and the chosen
    one (None if no letter was read)."""
    if len(labels) != len(countries):
        return gold, chosen, None, None
    whose = {label: _code(country) for label, country in zip(labels, countries, strict=True)}
    wrong = sorted({code for label, code in whose.items() if label != gold and code != culture})
    return gold, chosen, whose.get(chosen) if chosen else None, " ".join(wrong) or None


def _code(country: str) -> str:
    culture = cultures_by_name().get(country)
    return culture.code if culture else country.replace(" ", "_")


def views(judgements: pl.DataFrame, task: str) -> Iterator[pl.DataFrame]:
    """Scores of VIEWS; the first by ``option_culture`` and ``culture+option_culture``, the letters by
    ``letter``.

    Judgements of items that no letter was read from count as not taken, and for the letters not at all.
    """
    # Numbers instead of texts: an item has three wrong options, and a benchmark 300,000 items.
    texts = pl.col("question", "state", "culture", "chosen_culture").cast(pl.Categorical)
    options = (
        judgements.filter(pl.col("offered").is_not_null())
        .select("counted", f"^{CUT}$", texts, option_culture=pl.col("offered").str.split(" "))
        .explode("option_culture")
        .with_columns(pl.col("option_culture").cast(pl.Categorical))
        .with_columns(
            taken=(pl.col("chosen_culture") == pl.col("option_culture")).fill_null(False).cast(pl.Float64)
        )
    )
    groupings = [("option_culture",), ("culture", "option_culture")]
    yield summarise_means(options, task, (TAKEN,), (), groupings)
    yield from letter_scores(judgements, task)


ENGLISH = "en"
OWN_LANGUAGE = "local"
"""Stands for the culture's language in what users ask for."""
RELEASED = "released"
PLACES = ("question", "choices")

_SHOWN = ("prompt", "labels", "choices", "choice_countries", "answer_idx")
_LOCAL = ("local_language", "local_prompt", "local_choices")
_NEEDED = ("item", "question", "culture", "topic", "prompt", "choice_countries", "answer_idx")


class MultipleChoice(Task):
    """One right answer of the culture among answers of other cultures; a question comes in many versions of
    its options."""

    name: ClassVar[str] = "blend/mcq"
    release: ClassVar[str] = "blend-mcq"
    title: ClassVar[str] = "BLEnD multiple choice"
    about: ClassVar[str] = (
        "The culture's own answer among those of other cultures, in English, and in the culture's language "
        "where it was built (folkways build mcq --language); the score is the share of "
        "right letters (paper, section 4.2)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "accuracy",
            "Accuracy",
            "Share of items answered with the right letter (paper, section 4.2).",
            accuracy=True,
        ),
        Metric(
            "accuracy_by_question",
            "Accuracy by question",
            "Mean over (culture, question) pairs, each counting once however many versions it has; the "
            "paper counts versions.",
            kind="mean",
        ),
        *VIEWS,
    )
    facets: ClassVar[tuple[str, ...]] = ("topic", "gold_letter")
    variants: ClassVar[tuple[str, ...]] = (RELEASED,)
    max_tokens: ClassVar[int] = 64
    scoring: ClassVar[Scoring] = Scoring(("paper", "strict"), per_reply=True)
    permutes_options: ClassVar[bool] = True

    def items(self, release: Release) -> pl.DataFrame:
        """records.ITEMS, the facets (topic is null where the release has no questions), and
        data.release.MCQ's columns, in file order."""
        return pl.concat(self.item_batches(release))

    def item_batches(self, release: Release) -> Iterator[pl.DataFrame]:
        """``items`` in parts: the released file is too large to be held as a whole."""
        topics = _topics(release)
        for table in blend.read_mcq_batches(release):
            yield (
                table.join(topics, on="id", how="left", maintain_order="left")
                .with_columns(
                    task=pl.lit(self.name),
                    item="mcqid",
                    release_id="mcqid",
                    question="id",
                    text=_question("prompt"),
                    gold=_option_of(table),
                    gold_letter="answer_idx",
                )
                .select(*ITEMS, "topic", "gold_letter", *_SHOWN, *_LOCAL)
            )

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """The prompts in the culture's language, for questions that have one, and in English, as far as the
        options ask for these.

        ``prompt_texts`` bring the user's own wordings. Raises DataError for one without a part of PLACES,
        UnknownNameError for an unknown template.
        """
        texts = options.prompt_texts
        check_names(texts)
        for name, text in texts.items():
            if missing := missing_places(text, PLACES):
                raise DataError(f"the prompt {name!r} has no {' and no '.join(missing)}: {text[:80]!r}")
        names = [*dict.fromkeys((RELEASED, *texts))]
        wanted = (
            [*texts] or [*self.variants]
            if options.variants is None
            else [member for name in options.variants for member in (names if name == "all" else [name])]
        )
        for name in wanted:
            if name not in names:
                raise UnknownNameError(f"prompt template of {self.name}", name, [*names, "all"])
        frames = [
            self._prompts(shown, variant_name(name, number), texts.get(name))
            for side in _sides(items.with_row_index("place"), options.languages)
            for number, shown in in_orders(side, options.orders)
            for name in dict.fromkeys(wanted)
        ]
        return pl.concat(frames).sort("place", maintain_order=True).select(list(PROMPTS))

    def _prompts(self, items: pl.DataFrame, variant: str, text: str | None) -> pl.DataFrame:
        user = items["prompt"]
        if text is not None:
            options = items.select("culture", "text", "labels", "choices").iter_rows()
            template = Template(text, f"file:{variant}")
            filled = [
                template.fill({**culture_parts(culture), "question": question, "choices": lettered(*listed)})
                for culture, question, *listed in options
            ]
            user = pl.Series(filled, dtype=pl.String)
        return items.select(
            "place",
            "task",
            "item",
            language="language",
            variant=pl.lit(variant),
            system=pl.lit(None, dtype=pl.String),
            user=user,
            choices="labels",
            prompt_source=pl.lit("release" if text is None else f"file:{split_variant(variant)[0]}"),
        )

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """One judgement per response: the letter that was read, right or wrong, and whose option it is
        (SEEN).

        Raises DataError for a response to an unknown item.
        """
        require_columns(items, dict.fromkeys(_NEEDED, pl.String), "items of blend/mcq")
        require_columns(responses, RESPONSES, "responses")
        paper = self.resolve_profile(profile) == "paper"
        joined = responses.select("item", "language", "variant", "state", "response", "reason").join(
            items.select(*_NEEDED, "labels", "choices", *_LOCAL), on="item", how="left", maintain_order="left"
        )
        if (unknown := joined.filter(pl.col("culture").is_null())).height:
            raise DataError(
                f"a response to {unknown['item'].first()!r}, which is not an item of this release; item ids "
                "look like 'Al-en-04_0'"
            )
        asked_locally = pl.col("language").cast(pl.String).eq_missing(pl.col("local_language"))
        joined = as_asked(joined.with_columns(_worded(asked_locally)))
        columns = ("state", "response", "reason", "language", *_SHOWN, "culture")
        # several times faster than row by row
        rows = zip(*(joined[name].to_list() for name in columns), strict=True)
        judged = []
        for state, reply, reason, language, prompt, labels, choices, countries, gold, culture in rows:
            outcome: tuple[str, str | None, str | None] = (state, None, reason)
            if state == State.ANSWERED:
                shown = dict(zip(labels, choices, strict=True))
                outcome = read_reply(prompt, shown, reply or "", gold, language, paper=paper)
            judged.append((*outcome, *seen(labels, countries, culture, gold, outcome[1])))
        schema = dict.fromkeys(("state", "answer", "reason", *SEEN), pl.String)
        columns_judged = joined.select("question", "culture", "topic").hstack(_frame(judged, schema))
        columns_judged = columns_judged.with_columns(
            counted=pl.lit(True), accuracy=pl.col("answer").eq_missing(joined["answer_idx"]).cast(pl.Float64)
        )
        columns_of = {name: columns_judged[name] for name in columns_judged.columns}
        chosen = released_letters(joined, columns_judged["chosen_letter"]).alias("chosen_option")
        facets = (*(columns_of[name] for name in ("topic", *SEEN)), chosen, columns_of["accuracy"])
        return responses.select(*(columns_of.get(name, pl.col(name)) for name in JUDGEMENTS), *facets)

    def chance(self) -> float:
        return 25.0

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        local = language == item["local_language"]
        return str(item["local_prompt"].partition("\n\nA. ")[0] if local else item["text"])

    def options_of(self, item: Mapping[str, Any]) -> ShownOptions:
        """The four answers of the version, and the culture's own."""
        right = item["labels"].index(item["answer_idx"]) if item["answer_idx"] in item["labels"] else None
        return ShownOptions(tuple(item["choices"]), right, f"{item['culture']}/{item['question']}")

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """Accuracy over items, and over questions with the same counts of states; whose options and which
        letters were taken.

        Every interval is clustered by question.
        """
        judgements = plain(judgements)
        scores = summarise_means(judgements, self.name, self.metrics[:1], self.facets)
        lost = pl.col("state").is_in([State.FAILED, State.MISSING])
        pairs = (
            judgements.filter("counted")
            .with_columns(at_best=pl.when(lost).then(1.0).otherwise("accuracy"))
            .group_by("culture", "question", "language", "variant", "topic", maintain_order=True)
            .agg(pl.col("accuracy", "at_best").mean(), silent=lost.all())
            .with_columns(counted=pl.lit(True), state=pl.lit(State.ANSWERED.value))
            .rename({"accuracy": "accuracy_by_question"})
        )
        best = Metric("at_best", "", "", kind="mean")
        heard = pairs.with_columns(
            state=pl.when("silent").then(pl.lit(State.MISSING.value)).otherwise("state")
        )
        by_question = summarise_means(heard, self.name, (self.metrics[1],), ("topic",))
        at_best = summarise_means(pairs, self.name, (best,), ("topic",)).select(
            "facet", "value", at_best="score"
        )
        # Counts of replies are the same for both metrics. A new column of scores makes the last select fail
        # until it is made here.
        counts = scores.select(
            "task", "facet", "value", "n", "questions", *State, "cut", "left_out", "why_left_out", "coverage"
        )
        beside = (
            by_question.select(
                "facet", "value", "metric", "score", "low", "high", "interval", "effective_questions"
            )
            .join(at_best, on=["facet", "value"], maintain_order="left")
            .join(counts, on=["facet", "value"], maintain_order="left")
        )
        return pl.concat([scores, beside.select(scores.columns), *views(judgements, self.name)])

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """The output of the authors' evaluation program: the questions' columns, ``full_res`` and
        ``final_ans``."""
        if not {"MCQID", "full_res", "final_ans"} <= set(table.columns):
            return None
        return table.select(
            item="MCQID",
            release_id="MCQID",
            language=pl.lit(ENGLISH),
            variant=pl.lit(RELEASED),
            response=pl.col("full_res").fill_null(""),
        )


def _sides(items: pl.DataFrame, languages: Sequence[str] | None) -> Iterator[pl.DataFrame]:
    """The items as they are put in the culture's language, and in English, with the column ``language``; as
    far as they are asked for (None for both)."""
    offered = {OWN_LANGUAGE, ENGLISH, *items["local_language"].drop_nulls().unique()}
    wanted = codes_of_languages((OWN_LANGUAGE, ENGLISH) if languages is None else languages, offered)
    local = items.filter(
        pl.col("local_language").is_not_null()
        & (pl.lit(OWN_LANGUAGE in wanted) | pl.col("local_language").is_in(wanted))
    )
    yield local.with_columns(_worded(pl.lit(True)), language="local_language", text=_question("local_prompt"))
    yield (items if ENGLISH in wanted else items.clear()).with_columns(language=pl.lit(ENGLISH))


def _worded(locally: pl.Expr) -> list[pl.Expr]:
    """Prompt and choices as they are put in the culture's language where ``locally``, else in English."""
    return [
        pl.when(locally).then(f"local_{name}").otherwise(name).alias(name) for name in ("prompt", "choices")
    ]


def _question(prompt: str) -> pl.Expr:
    """The question of a column of prompts: the authors' instruction and the options follow it."""
    return _before(_before(pl.col(prompt), " Without any explanation,"), "\n\nA. ")


def _before(text: pl.Expr, cut: str) -> pl.Expr:
    """The text up to ``cut``, or the whole text."""
    return text.str.splitn(cut, 2).struct.field("field_0")


def _topics(release: Release) -> pl.DataFrame:
    """id, topic: from the release's questions (topics are the same in every culture); no rows where it has
    none."""
    if not blend.has(release, "questions"):
        return pl.DataFrame(schema={"id": pl.String, "topic": pl.String})
    return blend.read_questions(release).select("id", "topic").unique("id", keep="first", maintain_order=True)


def _option_of(table: pl.DataFrame) -> pl.Series:
    columns = (table[name].to_list() for name in ("labels", "choices", "answer_idx"))
    return pl.Series(
        [choices[labels.index(answer)] for labels, choices, answer in zip(*columns, strict=True)],
        dtype=pl.String,
    )


def _frame(rows: Sequence[tuple[str | None, ...]], schema: Mapping[str, type[pl.String]]) -> pl.DataFrame:
    """The rows as a frame, taken in column by column, which is several times faster."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)
