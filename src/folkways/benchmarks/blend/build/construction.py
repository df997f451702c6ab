"""Questions with everybody's answers become items: by the authors' procedure, or without its order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from folkways.benchmarks.blend.build.calls import (
    Answer,
    AnsweredCall,
    Call,
    DummyCall,
    GroupsCall,
    JudgeCall,
    Oracle,
    PairsCall,
)
from folkways.benchmarks.blend.build.choosing import (
    Meanings,
    Memory,
    OptionSet,
    Pair,
    choose,
    groups_call,
    meanings,
    pairs_calls,
    same_by_groups,
    same_by_pairs,
)
from folkways.benchmarks.blend.build.items import WRONG_OPTIONS, dummy_call, items_of, offered, table, usable
from folkways.benchmarks.blend.build.sources import SourceQuestion
from folkways.benchmarks.templates import Template

Chosen = dict[str, OptionSet]
ATTEMPTS = 3
"""Attempts per call while its reply cannot be read, and attempts to get enough made-up options."""


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
        return sum(not isinstance(answered.call, DummyCall) for answered in self.calls)

    @property
    def dummy_calls(self) -> int:
        """Calls for options that nobody gave."""
        return len(self.calls) - self.judge_calls


def build_paper(
    sources: Sequence[SourceQuestion],
    judge: Oracle,
    dummy_maker: Oracle,
    wording: Template,
    *,
    ahead: int = 1,
    progress: Callable[[str], None] = lambda _text: None,
) -> Questions:
    """The authors' procedure: the same items in the same order, from the same calls in the same order.

    sources: the questions; judge, dummy_maker: who says what is the same and who makes up options; wording:
    prompt of the items; progress: called with a text before each question. ahead: calls in flight at most.
    The next call depends on earlier answers, so later ones are guessed by taking every open answer for
    "different"; a wrong guess wastes its call. An unreadable reply of the judge counts as "same", as in the
    authors' program.
    """
    memory, calls, chosen = Memory(), [], {}
    sent: set[JudgeCall] = set()
    for number, source in enumerate(sources):
        progress(f"choosing: {number} of {len(sources)} questions")
        while True:
            fork = memory.fork()
            walk = _Guess(judge, ahead)
            try:
                choice = choose(source, fork, walk)
            except _Enough:
                pass
            else:
                if not walk.open:
                    break
            sent.update(walk.open)
            judge.ask(list(walk.open), 0)
        fork.join()
        chosen[source.question] = choice
        calls += walk.made
    made = {answered.call for answered in calls}
    return _finish(sources, chosen, dummy_maker, wording, calls, len(sent - made), {})


class _Enough(Exception):  # noqa: N818 - ends a walk and signals no failure
    """As many calls are open as may be asked at once."""


class _Guess:
    """A judge that gives known verdicts and guesses open ones, until there are enough to ask."""

    def __init__(self, oracle: Oracle, limit: int) -> None:
        self._oracle = oracle
        self._limit = limit
        self.open: dict[JudgeCall, None] = {}
        self.made: list[AnsweredCall] = []

    def __call__(self, call: JudgeCall) -> bool:
        reply = self._oracle.recall(call)
        if reply is not None:
            self.made.append(AnsweredCall(call, reply[0]))
            return reply[0] is not False
        self.open[call] = None
        if len(self.open) >= self._limit:
            raise _Enough
        return False


def build_order_free(
    sources: Sequence[SourceQuestion],
    judge: Oracle,
    dummy_maker: Oracle,
    wording: Template,
    *,
    pairs_per_call: int | None = None,
) -> Questions:
    """The same rule with its defects fixed: every open pair is judged once, all of them at once, before
    anything is chosen.

    pairs_per_call: how many pairs the judge is shown at a time; None shows it all answers of a question and
    lets it group them. Questions with a reply that stays unreadable after ATTEMPTS are left out.
    sources, judge, dummy_maker, wording: see ``build_paper``.
    """
    verdicts = judged(sources, judge, pairs_per_call)
    chosen = {each.source.question: each.choose(same) for each, same in verdicts.same}
    return _finish(sources, chosen, dummy_maker, wording, verdicts.calls, 0, verdicts.left_out)


@dataclass(frozen=True)
class Verdicts:
    """What a judge says of the answers of questions.

    same: questions with the pairs of answers that are the same. calls: that were made. left_out: question ->
    why it has no verdicts.
    """

    same: list[tuple[Meanings, frozenset[Pair]]]
    calls: list[AnsweredCall]
    left_out: dict[str, str]


def judged(sources: Sequence[SourceQuestion], judge: Oracle, pairs_per_call: int | None) -> Verdicts:
    """Ask about every open pair once. sources, judge, pairs_per_call: see ``build_order_free``."""
    by_source = [meanings(source) for source in sources]
    by_question: list[list[PairsCall] | list[GroupsCall]] = [
        groups_call(meaning) if pairs_per_call is None else pairs_calls(meaning, pairs_per_call)
        for meaning in by_source
    ]
    answered = _asked_until_readable(judge, [call for calls in by_question for call in calls])
    # of several the last
    answers: dict[Call, Answer | None] = {entry.call: entry.answer for entry in answered}
    verdicts = Verdicts([], answered, {})
    for meaning, calls in zip(by_source, by_question, strict=True):
        replies = [answers[call] for call in calls]
        if None in replies:
            verdicts.left_out[meaning.source.question] = "the judge's reply could not be read"
            continue
        same = (_same(call, answers[call]) for call in calls)
        verdicts.same.append((meaning, frozenset(pair for pairs in same for pair in pairs)))
    return verdicts


def _same(call: PairsCall | GroupsCall, answer: Answer | None) -> frozenset[Pair]:
    if isinstance(call, GroupsCall):
        return same_by_groups(call, answer)  # type: ignore[arg-type]  # what this kind of call is answered with
    return same_by_pairs([call], [answer])  # type: ignore[list-item]


def _asked_until_readable(oracle: Oracle, calls: Sequence[Call]) -> list[AnsweredCall]:
    answered: list[AnsweredCall] = []
    for attempt in range(ATTEMPTS):
        answers = oracle.ask(calls, attempt) if calls else []
        answered += [AnsweredCall(call, answer) for call, answer in zip(calls, answers, strict=True)]
        calls = [call for call, answer in zip(calls, answers, strict=True) if answer is None]
    return answered


def _finish(
    sources: Sequence[SourceQuestion],
    chosen: dict[str, Chosen],
    dummy_maker: Oracle,
    wording: Template,
    calls: list[AnsweredCall],
    ahead: int,
    left_out: dict[str, str],
) -> Questions:
    """Fill up with options that nobody gave, and letter the items."""
    complete = [source for source in sources if source.question in chosen]
    dummies, dummy_calls = _dummies(complete, chosen, dummy_maker)
    rows: list[tuple[str, ...]] = []
    for source in complete:
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
    return Questions(table(rows), calls + dummy_calls, ahead, left_out)


def _dummies(
    sources: Sequence[SourceQuestion], chosen: dict[str, Chosen], maker: Oracle
) -> tuple[dict[str, tuple[str, ...]], list[AnsweredCall]]:
    """Question -> made-up options, all questions at once; what falls short is asked for again, with what was
    refused as taken."""
    options: dict[str, tuple[str, ...]] = {}
    refused: dict[str, set[str]] = {}
    answered: list[AnsweredCall] = []
    for attempt in range(ATTEMPTS):
        calls = []
        for source in sources:
            have = options.get(source.question, ())
            call = dummy_call(
                source, chosen[source.question], {*have, *refused.get(source.question, ())}, len(have)
            )
            if call is not None:
                calls.append(call)
        if not calls:
            break
        for call, answer in zip(calls, maker.ask(calls, attempt), strict=True):
            answered.append(AnsweredCall(call, answer))
            made = [text for text in answer if isinstance(text, str)] if isinstance(answer, tuple) else []
            good = usable(made, call.taken)[: call.number]
            options[call.question] = (*options.get(call.question, ()), *good)
            refused.setdefault(call.question, set()).update(made)
    return options, answered
