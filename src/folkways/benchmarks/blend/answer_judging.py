"""From replies to short-answer judgements: clean, match, say how it ended. Each distinct reply to a question
is judged once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.free_answers.matching import (
    MATCHERS,
    ONLY_THE_PROMPT,
    READ_AS_MISSING,
    Match,
    Matcher,
    PaperMatcher,
    answers_in,
    clean_as_paper,
    clean_strictly,
    language_values,
    repeats_the_prompt,
)
from folkways.benchmarks.itemwise import ReplyScore
from folkways.errors import DataError
from folkways.records import JUDGEMENTS, RESPONSES, State, require_columns
from folkways.text.refusals import is_refusal
from folkways.text.repeated import without_repeated

ENGLISH = "en"
PLACE = "{q}"

NEEDED = (
    "item",
    "question",
    "culture",
    "topic",
    "question_local",
    "question_en",
    "templates",
    "groups",
    "skip_reason",
)
ITEM_COLUMNS = dict.fromkeys(NEEDED, pl.String)


@dataclass
class Judge:
    """Judges replies under one profile (``paper`` or ``strict``)."""

    profile: str
    matcher: Matcher
    _templates: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _verdicts: dict[tuple[str, ...], ReplyScore] = field(default_factory=dict)

    def score(
        self, item: Mapping[str, Any], language: str, variant: str, reply: str, prompt: str | None
    ) -> ReplyScore:
        """The score of a reply to an item in a language. ``prompt`` is the text that was sent; if None, it is
        rebuilt from the template ``variant``."""
        if prompt is None:
            prompt = self._prompt(item, language, variant)
        key = (item["item"], language, prompt, reply)
        if key not in self._verdicts:
            self._verdicts[key] = self._judge(item, language, reply, prompt)
        return self._verdicts[key]

    def lost(self, item: Mapping[str, Any], language: str, state: str, reason: str | None) -> ReplyScore:
        """The score of an item without a reply: counted, with zeros.

        language: decides whether the item has answers to match; state, reason: why there is no reply.
        """
        skipped = self._skip_reason(item, language)
        if skipped:
            return ReplyScore(None, skipped, state=State(state), counted=False)
        refusal = 1.0 if state == State.REFUSED else None
        return ReplyScore(
            None,
            reason,
            {"sem_b": 0.0, "sem_w": 0.0, "sem_b_first": 0.0, "refusal": refusal},
            state=State(state),
        )

    def _judge(self, item: Mapping[str, Any], language: str, reply: str, prompt: str) -> ReplyScore:
        paper = self.profile == "paper"
        cleaned = clean_as_paper(reply, prompt) if paper else clean_strictly(reply, prompt)
        listed = answers_in(cleaned)
        groups = item["groups"]
        skipped = self._skip_reason(item, language)
        lost_word = paper and reply in READ_AS_MISSING
        answer = cleaned if paper else without_repeated(cleaned, prompt)
        match = None if skipped or lost_word or not cleaned else self.matcher.match(groups, answer, language)
        alone = answers_in(answer)[:1] if match else []
        first = self.matcher.match(groups, alone[0], language) if alone else None
        state, reason = self._ending(cleaned, lost_word, match, language)
        if repeats_the_prompt(cleaned, answer):
            state, reason = State.UNREADABLE, ONLY_THE_PROMPT
        if skipped:
            return ReplyScore(
                cleaned or None, skipped, {"answers_given": float(len(listed))}, state=state, counted=False
            )
        values = {
            "sem_b": 1.0 if match else 0.0,
            "sem_w": match.weight if match else 0.0,
            "sem_b_first": float(first is not None),
            "refusal": float(state is State.REFUSED),
            **language_values(cleaned, language, item["local_language"]),
            "inside_word": self._inside_word(match, groups, cleaned, language),
            "answers_given": float(len(listed)),
        }
        return ReplyScore(cleaned or None, reason, values, state=state)

    def _inside_word(
        self, match: Match | None, groups: Sequence[Mapping[str, Any]], cleaned: str, language: str
    ) -> float | None:
        """Whether only a substring within a longer word made it right; null where the profile has no
        substrings."""
        if not isinstance(self.matcher, PaperMatcher):
            return None
        by_substring = match is not None and match.stage.startswith("substring")
        return float(by_substring and self.matcher.inside_word(groups, cleaned, language))

    def _ending(self, cleaned: str, lost_word: bool, match: Match | None, language: str) -> tuple[State, str]:
        if lost_word:
            return State.UNREADABLE, f"the authors' programs read {cleaned!r} as no reply"
        if not cleaned:
            return State.UNREADABLE, "empty reply"
        if match:
            return State.ANSWERED, f"{match.stage}: {match.answer}"
        if is_refusal(cleaned, language):
            return State.REFUSED, "declines to answer"
        return State.ANSWERED, "no match"

    def _skip_reason(self, item: Mapping[str, Any], language: str) -> str | None:
        if item["skip_reason"]:
            return str(item["skip_reason"])
        return (
            None
            if self.matcher.usable(item["groups"], language)
            else "skipped: no answer that can be matched"
        )

    def _prompt(self, item: Mapping[str, Any], language: str, variant: str) -> str:
        text = item["templates"]
        if text not in self._templates:
            self._templates[text] = orjson.loads(text)
        english, local = self._templates[text].get(variant, ["{q}", "{q}"])
        in_english = language == ENGLISH and item["local_language"] != ENGLISH
        template = english if language == ENGLISH else local
        return template.replace(PLACE, item["question_en"] if in_english else item["question_local"])


def judge_answers(
    items: pl.DataFrame,
    responses: pl.DataFrame,
    profile: str,
    metrics: Sequence[str],
    tool_set: str = "default",
) -> pl.DataFrame:
    """records.JUDGEMENTS with ``topic`` and the metrics, one row per response, in the same order.

    items: of blend/saq;
    profile: ``paper`` or ``strict``;
    tool_set: the text tools. ``responses`` may have a column ``prompt`` with the text that was sent.
    Raises DataError for a response to an unknown item.
    """
    require_columns(items, ITEM_COLUMNS, "items of blend/saq")
    require_columns(responses, RESPONSES, "responses")
    answered = items.filter(pl.col("item").is_in(responses["item"].unique().implode()))
    by_id: dict[str, dict[str, Any]] = {}
    templates: dict[str, str] = {}  # some kilobytes, the same for all items of a culture
    for row in answered.iter_rows(named=True):
        by_id[row["item"]] = row | {"templates": templates.setdefault(row["templates"], row["templates"])}
    judge = Judge(profile, MATCHERS[profile](tool_set))
    verdicts: list[ReplyScore] = []
    prompts = responses["prompt"] if "prompt" in responses.columns else [None] * responses.height
    for row, prompt in zip(responses.select(list(RESPONSES)).iter_rows(named=True), prompts, strict=True):
        item = by_id.get(row["item"])
        if item is None:
            raise DataError(
                f"a response to {row['item']!r}, which is not an item of this release; item ids look like "
                "'KR/Al-en-01'"
            )
        if row["state"] == State.ANSWERED:
            verdicts.append(judge.score(item, row["language"], row["variant"], row["response"] or "", prompt))
        else:
            verdicts.append(judge.lost(item, row["language"], row["state"], row["reason"]))
    return _frame(by_id, responses, verdicts, metrics)


def _frame(
    by_id: Mapping[str, Mapping[str, Any]],
    responses: pl.DataFrame,
    verdicts: Sequence[ReplyScore],
    metrics: Sequence[str],
) -> pl.DataFrame:
    items = [by_id[item] for item in responses["item"]]
    of_item = {
        name: pl.Series(name, [item[name] for item in items], dtype=pl.String)
        for name in ("question", "culture", "topic")
    }
    outcome = {
        name: pl.Series(name, [getattr(verdict, name) for verdict in verdicts], dtype=JUDGEMENTS[name])
        for name in ("counted", "state", "answer", "reason")
    }
    numbers = [
        pl.Series(name, [verdict.values.get(name) for verdict in verdicts], dtype=pl.Float64)
        for name in metrics
    ]
    columns = [of_item.get(name, outcome.get(name, pl.col(name))) for name in JUDGEMENTS]
    return responses.select(*columns, of_item["topic"], *numbers)
