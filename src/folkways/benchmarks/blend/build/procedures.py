"""Builds BLEnD's multiple-choice questions: the paper's procedure and ours, with a model or a stand-in as
judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from folkways.benchmarks.blend.build import order_free, paper
from folkways.benchmarks.blend.build.calls import (
    Answer,
    Call,
    DummyCall,
    GroupsCall,
    JudgeCall,
    Oracle,
    PairsCall,
)
from folkways.benchmarks.blend.build.items import WRONG_OPTIONS, dummy_call, items_of, offered, table, usable
from folkways.benchmarks.blend.build.paper import Choice, Memory
from folkways.benchmarks.blend.build.sources import Source
from folkways.benchmarks.templates import Template

Chosen = dict[str, Choice]
ATTEMPTS = 3
"""How often something is asked whose reply cannot be read, and how often for options that nobody gave."""


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call that the construction made, in its order, and what came back (None: unreadable)."""

    call: Call
    answer: Answer | None


@dataclass
class Questions:
    """What was built.

    items: items.RELEASED; calls: in the order in which the construction made them; ahead: calls that were
    asked ahead and then not needed; left_out: question or question and country -> why it has no items.
    """

    items: pl.DataFrame
    calls: list[AnsweredCall]
    ahead: int = 0
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def judge_calls(self) -> int:
        """Calls to the judge."""
        return sum(not isinstance(asked.call, DummyCall) for asked in self.calls)

    @property
    def dummy_calls(self) -> int:
        """Calls for options that nobody gave."""
        return len(self.calls) - self.judge_calls


def build_paper(
    sources: Sequence[Source],
    judge: Oracle,
    dummy_maker: Oracle,
    wording: Template,
    *,
    ahead: int = 1,
    progress: Callable[[str], None] = lambda _text: None,
) -> Questions:
    """The authors' procedure: the same items in the same order, from the same calls in the same order.

    ahead: how many calls may be on their way at once. What the next calls are depends on the answers; those
    after the first are guessed by taking every open answer for "different", and a wrong guess has been asked
    for nothing. An unreadable reply of the judge counts as "same", as in the authors' program.
    """
    memory, calls, chosen = Memory(), [], {}
    sent: set[JudgeCall] = set()
    for number, source in enumerate(sources):
        progress(f"choosing: {number} of {len(sources)} questions")
        while True:
            fork = memory.fork()
            walk = _Guess(judge, ahead)
            try:
                found = paper.choose(source, fork, walk)
            except _Enough:
                pass
            else:
                if not walk.open:
                    break
            sent.update(walk.open)
            judge.ask(list(walk.open))
        fork.join()
        chosen[source.question] = found
        calls += walk.made
    made = {asked.call for asked in calls}
    return _finish(sources, chosen, dummy_maker, wording, calls, len(sent - made), {})


class _Enough(Exception):  # noqa: N818 - ends a walk, and is no error
    """As many calls are open as may be asked at once."""


class _Guess:
    """A judge that gives known verdicts and guesses open ones, until there are enough to ask."""

    def __init__(self, oracle: Oracle, limit: int) -> None:
        self._oracle = oracle
        self._limit = limit
        self.open: dict[JudgeCall, None] = {}
        self.made: list[AnsweredCall] = []

    def __call__(self, call: JudgeCall) -> bool:
        known = self._oracle.recall(call)
        if known is not None:
            self.made.append(AnsweredCall(call, known[0]))
            return known[0] is not False
        self.open[call] = None
        if len(self.open) >= self._limit:
            raise _Enough
        return False


def build_order_free(
    sources: Sequence[Source],
    judge: Oracle,
    dummy_maker: Oracle,
    wording: Template,
    *,
    pairs_per_call: int | None = None,
) -> Questions:
    """The same rule with its defects fixed: every open pair is judged once, all of them at once, before
    anything is chosen.

    pairs_per_call: how many pairs the judge is shown at a time; None shows it all answers of a question and
    lets it group them. Questions of which a reply stays unreadable after ATTEMPTS are left out.
    """
    meanings = [order_free.meanings(source) for source in sources]
    by_question: list[list[PairsCall] | list[GroupsCall]] = [
        order_free.groups_call(meaning)
        if pairs_per_call is None
        else order_free.pairs_calls(meaning, pairs_per_call)
        for meaning in meanings
    ]
    asked = _asked_until_readable(judge, [call for calls in by_question for call in calls])
    answers: dict[Call, Answer | None] = {entry.call: entry.answer for entry in asked}  # of several the last
    chosen: dict[str, Chosen] = {}
    left_out: dict[str, str] = {}
    for meaning, calls in zip(meanings, by_question, strict=True):
        found = [answers[call] for call in calls]
        if None in found:
            left_out[meaning.source.question] = "the judge's reply could not be read"
            continue
        same: set[order_free.Pair] = set()
        for call in calls:
            same |= _same(call, answers[call])
        chosen[meaning.source.question] = meaning.choose(frozenset(same))
    return _finish(sources, chosen, dummy_maker, wording, asked, 0, left_out)


def _same(call: PairsCall | GroupsCall, answer: Answer | None) -> frozenset[order_free.Pair]:
    if isinstance(call, GroupsCall):
        return order_free.same_by_groups(call, answer)  # type: ignore[arg-type]  # what this kind of call is answered with
    return order_free.same_by_pairs([call], [answer])  # type: ignore[list-item]


def _asked_until_readable(oracle: Oracle, calls: Sequence[Call]) -> list[AnsweredCall]:
    asked: list[AnsweredCall] = []
    for attempt in range(ATTEMPTS):
        answers = oracle.ask(calls, attempt) if calls else []
        asked += [AnsweredCall(call, answer) for call, answer in zip(calls, answers, strict=True)]
        calls = [call for call, answer in zip(calls, answers, strict=True) if answer is None]
    return asked


def _finish(
    sources: Sequence[Source],
    chosen: dict[str, Chosen],
    dummy_maker: Oracle,
    wording: Template,
    calls: list[AnsweredCall],
    ahead: int,
    left_out: dict[str, str],
) -> Questions:
    """Fill up with options that nobody gave, and letter the items."""
    kept = [source for source in sources if source.question in chosen]
    dummies, asked = _dummies(kept, chosen, dummy_maker)
    rows: list[tuple[str, ...]] = []
    for source in kept:
        choices = chosen[source.question]
        fillers = dummies.get(source.question, ())
        if offered(choices) + len(fillers) < WRONG_OPTIONS:
            left_out[source.question] = "too few options were made up that nobody gave"
            continue
        for country, choice in choices.items():
            if not choice.right:
                left_out[f"{source.question} {country}"] = (
                    "its most frequent answer does not have the form that is asked for"
                )
        rows += items_of(source, choices, fillers, wording)
    return Questions(table(rows), calls + asked, ahead, left_out)


def _dummies(
    sources: Sequence[Source], chosen: dict[str, Chosen], maker: Oracle
) -> tuple[dict[str, tuple[str, ...]], list[AnsweredCall]]:
    """Question -> made-up options, all questions at once; what falls short is asked for again, with what was
    refused as taken."""
    found: dict[str, tuple[str, ...]] = {}
    refused: dict[str, set[str]] = {}
    asked: list[AnsweredCall] = []
    for attempt in range(ATTEMPTS):
        calls = []
        for source in sources:
            have = found.get(source.question, ())
            call = dummy_call(
                source, chosen[source.question], {*have, *refused.get(source.question, ())}, len(have)
            )
            if call is not None:
                calls.append(call)
        if not calls:
            break
        for call, answer in zip(calls, maker.ask(calls, attempt), strict=True):
            asked.append(AnsweredCall(call, answer))
            made = [text for text in answer if isinstance(text, str)] if isinstance(answer, tuple) else []
            good = usable(made, call.taken)[: call.number]
            found[call.question] = (*found.get(call.question, ()), *good)
            refused.setdefault(call.question, set()).update(made)
    return found, asked
