"""A task with lettered options, in many languages: how it is shown, how the letter is read, and what guessing
gives.

A benchmark defines its items (``rows``, with ``options``, ``gold_letter`` and ``local_language``), and by
``values`` which metrics an item counts for, if there are several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import polars as pl

from folkways.benchmarks.base import PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.multiple_choice import orders
from folkways.benchmarks.multiple_choice.declaration import ACCURACY, Declaration, DeclaredMetric, Entry
from folkways.benchmarks.multiple_choice.letters import LETTER_METRICS, letter_scores
from folkways.benchmarks.multiple_choice.lm_eval import HarnessPrompts, template_of, variant_with
from folkways.benchmarks.templates import Template, choose_templates, wordings, wordings_if_any
from folkways.errors import DataError, FolkwaysError
from folkways.records import JUDGEMENTS, LEFT_OUT, Metric, Schema, State, likelihoods_of
from folkways.releases.release_records import Release
from folkways.text.labels import chosen_label, first_label
from folkways.toml_files import packaged_toml

LOCAL, ENGLISH, PLAIN = "local", "english", "plain"
PROMPT = "{prompt}"
NO_ANSWER = "no readable answer"
TINY = 1e-9
"""In place of the length of an empty option, which so never is the likeliest."""
CHANCE, CONSTANT = "baseline/chance", "baseline/constant:{}"


class ChoiceTask(ItemwiseTask):
    """Right if the reply settles on the letter of the right option, or names that option alone.

    Variants: ``local`` shows question and options with an instruction in the language of the question, or
        in English if folkways has none in it (the signature's ``prompts`` then says so); ``english``
        always has it in English; ``plain`` ends with "Answer:", for models that continue a text (``--read
        loglik``). A declaration can add lm-evaluation-harness's own (``multiple_choice.lm_eval``), which are
        asked by name alone and can show examples.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (ACCURACY, *LETTER_METRICS)
    scoring: ClassVar[Scoring] = Scoring(aliases={"lenient": "strict"})
    variants: ClassVar[tuple[str, ...]] = (LOCAL,)
    max_tokens: ClassVar[int] = 64
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = ("A", "B", "C", "D")
    declared: ClassVar[Declaration | None] = None  # what a TOML file says of the task (``from_toml``)
    # lm-evaluation-harness's prompts, where the file has them
    harness: ClassVar[HarnessPrompts | None] = None
    item_columns: ClassVar[Schema] = {
        "options": pl.List(pl.String),
        "local_language": pl.String,
        "gold_letter": pl.String,
    }
    # both as they were shown
    judgement_columns: ClassVar[Schema] = {"chosen_letter": pl.String, "gold_letter": pl.String}
    # the {names} that a text brought by the user must contain
    places: ClassVar[tuple[str, ...]] = ("question", "options")

    @classmethod
    def from_toml(cls, package: str, file: str) -> Self:
        """The task that a TOML file in a package declares, with the prompts of the package's
        ``wordings.toml`` and ours.

        The keys are those of ``multiple_choice.declaration``. Raises DataError, with file and key, for a
        wrong file.
        """
        declared = Declaration(package, file, packaged_toml(package, file))
        keys, facets = declared.keys, (*declared.facets, "gold_letter")
        harness = HarnessPrompts(declared) if "lm_eval" in keys else None
        of_harness: Schema = {"lm_eval_task": pl.String, "lm_eval_place": pl.Int64} if harness else {}
        left_out: Schema = {LEFT_OUT: pl.String} if any(one.readable_only for one in declared.metrics) else {}
        members = {
            "__doc__": keys["about"],
            "__module__": package,
            "declared": declared,
            "harness": harness,
            **{key: keys[key] for key in ("name", "release", "title", "about")},
            "max_tokens": keys.get("max_tokens", cls.max_tokens),
            "labels": declared.labels,
            "metrics": (*(one.metric for one in declared.metrics), *LETTER_METRICS),
            "facets": facets,
            "item_columns": {**cls.item_columns, **dict.fromkeys(facets, pl.String), **of_harness},
            "judgement_columns": {**cls.judgement_columns, **left_out},
        }
        made: type[Self] = type(f"{cls.__name__}:{keys['name']}", (cls,), members)
        return made()

    def rows(self, release: Release) -> Iterable[Row]:
        """The items that the declaration reads; of published data without questions that have another number
        of options (``check`` names them).

        Raises DataError for such a question in other data, TypeError for a class without ``from_toml`` that
        does not override ``rows``.
        """
        if self.declared is None:
            raise TypeError(f"{type(self).__name__} says neither by rows nor by from_toml what its items are")
        places: Counter[str] = Counter()
        for entry in self.declared.entries(release):
            options, gold, of_harness = entry["shown_options"], entry["gold_letter"], entry["lm_eval_task"]
            row = places[of_harness]
            places[of_harness] += 1
            if len(options) != len(self.labels) and not self.declared.is_published:
                raise DataError(
                    f"has {len(options)} options, and labels has {len(self.labels)} "
                    f"({', '.join(self.labels)}): give each question as many",
                    file=Path(entry["file"]),
                    row=entry["row"],
                )
            if len(options) == len(self.labels):
                yield {
                    "item": entry["item"],
                    "release_id": entry["release_key"],
                    "question": entry["question_key"],
                    "culture": entry["culture_code"],
                    "text": entry["text"],
                    "gold": f"{gold}. {dict(zip(self.labels, options, strict=True)).get(gold, '')}",
                    "options": options,
                    "local_language": entry["language_code"],
                    "gold_letter": gold,
                    **entry["facets"],
                    **self.more_columns(entry),
                    **(
                        {"lm_eval_task": of_harness, "lm_eval_place": row} if self.harness is not None else {}
                    ),
                }

    def more_columns(self, entry: Entry) -> Row:
        """Further columns of an item, for a subclass with ``item_columns`` of its own.

        entry: a row of ``Declaration.entries``.
        """
        return {}

    def languages(self, item: Row) -> tuple[str, ...]:
        return (item["local_language"],)

    def wordings(self, language: str) -> Mapping[str, Template]:
        """Variant -> template in a language, from our ``wordings.toml`` and that of the package that declares
        the task."""
        ours, package = (
            wordings("folkways.benchmarks.multiple_choice"),
            self.declared.package if self.declared else "folkways",
        )
        theirs = wordings_if_any(package) if self.declared else {}
        source = package.partition(".")[0]
        instructions = {
            **{code: (text, "folkways") for code, text in ours["instructions"].items()},
            **{code: (text, source) for code, text in theirs.get("instructions", {}).items()},
        }
        english, from_whom = instructions["en"]
        local = instructions.get(language, (english, f"{from_whom}, in English"))
        frame = ours[LOCAL]
        return {
            LOCAL: Template(frame.replace("{instruction}", local[0]), local[1]),
            ENGLISH: Template(frame.replace("{instruction}", english), from_whom),
            PLAIN: Template(ours[PLAIN], "folkways"),
            **{name: Template(text, source) for name, text in theirs.items() if isinstance(text, str)},
        }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        by_variant: dict[str, Callable[[], Template | None]] = {
            name: (lambda template=template: template)  # type: ignore[misc]
            for name, template in self.wordings(language).items()
        }
        harness = self.harness
        if harness is not None and "all" not in (options.variants or ()):
            for name in harness.variants:
                by_variant[name] = lambda name=name: Template(PROMPT, harness.source(name))  # type: ignore[misc]
        chosen = choose_templates(self.name, options, by_variant, self.variants, needed=self.places)
        without = [name for name in chosen if name not in self.example_variants]
        if options.shots and without:
            able = ", ".join(self.example_variants) or "no variant does"
            raise FolkwaysError(
                f"{self.name}: the variant {without[0]!r} shows no examples; leave shots out, or choose a "
                f"variant that does: {able}"
            )
        return chosen

    @property
    def example_variants(self) -> tuple[str, ...]:
        """The variants that can show examples (``PromptOptions.shots``)."""
        return tuple(self.harness.variants) if self.harness is not None else ()

    @property
    def likelihood_variants(self) -> tuple[str, ...]:
        """The variants whose options are compared by likelihood: only models that tell it can be asked."""
        return (
            tuple(filter(self.harness.continues, self.harness.variants)) if self.harness is not None else ()
        )

    def prompt_variants(
        self, item: Row, language: str, variant: str, options: PromptOptions, release: Release
    ) -> Iterable[tuple[str, Mapping[str, str], Sequence[str] | None]]:
        ours = super().prompt_variants(item, language, variant, options, release)
        if self.harness is None or variant not in self.harness.variants:
            yield from ours
            return
        for name, parts, labels in ours:
            prompt = self.harness.prompt(item, parts, variant, options.shots, release)
            if prompt is None:
                continue
            choices = [parts[label.lower()] for label in self.labels]
            marked = variant_with(variant, options.shots, itself=prompt.itself)
            ordered = f"{marked}{name.removeprefix(variant)}"
            yield ordered, {"prompt": prompt.text}, choices if self.harness.continues(variant) else labels

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        shown = dict(zip(self.labels, item["options"], strict=True))
        lettered = "\n".join(f"{label}. {option}" for label, option in shown.items())
        return {
            "question": item["text"],
            "options": lettered,
            **{label.lower(): option for label, option in shown.items()},
        }

    def values(self, item: Row, right: float) -> Mapping[str, float | None]:
        """Each metric of an item whose answer is right to this degree; None where it does not apply to the
        item."""
        metrics = (
            self.declared.metrics if self.declared else (DeclaredMetric(ACCURACY, {}, readable_only=False),)
        )
        return {
            one.metric.name: right
            if not one.likelihood_per and all(item[facet] == value for facet, value in one.where.items())
            else None
            for one in metrics
        }

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return self.values(item, 0.0)

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        """An answer outside the options, in published data; in other data it is an error of the contract."""
        published = self.declared is not None and self.declared.is_published
        return self.why_no_option(item) if published else None

    def why_no_option(self, item: Row) -> str | None:
        """Why an item with such an answer is not counted; None where the answer is an option."""
        if item["gold_letter"] in self.labels:
            return None
        return (
            f"the release gives {item['gold_letter']!r} as the answer, which is not one of "
            f"{', '.join(self.labels)}"
        )

    def read(self, item: Row, response: Row, profile: str) -> str | None:
        """The label that the reply settles on; for variants in which models think first, the last one that a
        line states."""
        reply = response["response"]
        template = template_of(orders.split_variant(response["variant"])[0])
        if self.declared and template in self.declared.keys.get("thinking_variants", ()):
            stated = (first_label(line, self.labels) for line in reversed(reply.splitlines()) if line.strip())
            if (last := next(stated, None)) is not None:
                return last
        return chosen_label(reply, dict(zip(self.labels, item["options"], strict=True)))

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, gold = response["response"], item["gold_letter"]
        if self._continues(response):
            return self._likeliest(item, response)
        label = self.read(item, response, profile)
        if label is None:
            return unparsed(reply, response["language"], "no option in the reply, or more than one")
        return ReplyScore(
            label, f"the answer is {gold}", self.values(item, float(label == gold)), {"chosen_letter": label}
        )

    def _continues(self, response: Row) -> bool:
        return self.harness is not None and self.harness.continues(
            orders.split_variant(response["variant"])[0]
        )

    def _likeliest(self, item: Row, response: Row) -> ReplyScore:
        """The score of a reply that is the likeliest of the options, by the log-probability of each."""
        reply, gold, options = response["response"], item["gold_letter"], item["options"]
        if reply not in options:
            return unparsed(reply, response["language"], "none of the ways to go on")
        label = self.labels[options.index(reply)]
        values = dict(self.values(item, float(label == gold)))
        likelihoods = likelihoods_of(response.get("finish_reason"))
        if len(likelihoods) == len(options):
            for metric, lengths in self._per_length(options):
                best = max(range(len(options)), key=lambda at: likelihoods[at] / max(lengths[at], TINY))
                values[metric] = float(self.labels[best] == gold)
        return ReplyScore(label, f"the answer is {gold}", values)

    def _per_length(self, options: Sequence[str]) -> Iterable[tuple[str, list[int]]]:
        """Each metric that divides a likelihood by the length of its option, and these lengths."""
        for one in self.declared.metrics if self.declared else ():
            if one.likelihood_per:
                units = [option.encode() if one.likelihood_per == "byte" else option for option in options]
                yield one.metric.name, [len(unit) for unit in units]

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        row = super().judged(item, response, profile)
        if self._continues(response) and row["answer"] is None:  # a reply that is wrong, or did not come
            row |= {
                metric: self.values(item, 0.0)[self.metrics[0].name] for metric, _ in self._per_length(())
            }
        return row

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, without unreadable replies in metrics that are ``readable_only``."""
        judged = super().judge(items, responses, profile)
        names = (
            [one.metric.name for one in self.declared.metrics if one.readable_only] if self.declared else []
        )
        if not names:
            return judged
        unparsed_reply = pl.col("counted") & pl.col("state").is_in([State.REFUSED, State.UNREADABLE])
        return judged.with_columns(
            *(pl.when(unparsed_reply).then(None).otherwise(name).alias(name) for name in names),
            pl.when(unparsed_reply).then(pl.lit(NO_ANSWER)).alias(LEFT_OUT),
        )

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, with the share of each letter in the facet ``letter``."""
        scores = super().summarise(judgements).filter(pl.col("n") > 0)
        if LETTER_METRICS[0] not in self.metrics:
            return scores
        return pl.concat([scores, *letter_scores(judgements, self.name)])

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Chance, and the label that is right most often."""
        right = items["gold_letter"]
        constant = max(self.labels, key=lambda label: (right == label).sum())
        return {
            CHANCE: self._guessed(items, lambda item: 1 / len(self.labels)),
            CONSTANT.format(constant): self._guessed(
                items, lambda item: float(item["gold_letter"] == constant)
            ),
        }

    def _guessed(self, items: pl.DataFrame, right: Callable[[Row], float]) -> pl.DataFrame:
        fixed = {
            "variant": "none",
            "sample": 0,
            "state": State.ANSWERED.value,
            "answer": None,
            "reason": None,
        }
        rows = [
            {
                **item,
                **fixed,
                "language": item["local_language"],
                "counted": self.why_uncounted(item, self.scoring.profiles[0]) is None,
                **self.values(item, right(item)),
            }
            for item in items.iter_rows(named=True)
        ]
        columns = {
            name: kind
            for name, kind in self.judged_columns.items()
            if name not in self.judgement_columns or name in self.facets
        }
        metrics = {metric.name for metric in LETTER_METRICS}
        schema = {name: kind for name, kind in {**JUDGEMENTS, **columns}.items() if name not in metrics}
        return pl.DataFrame(rows, schema=schema)
