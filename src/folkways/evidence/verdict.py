"""The verdict on a run: which model for what, how sure that is, at what price, where each model is weakest,
and what the run cannot tell.

A model is best on a task if no other is better beyond chance; models that the contrasts do not separate are
named together, and a claim over several tasks holds on each of them. Nothing here depends on the order in
which models were asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter, methodcaller

import polars as pl

from folkways.cultures import language_name
from folkways.display import bound, count, duration, interval, named, number, percent, plural, single_line
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.evidence.completeness import asked_apart
from folkways.evidence.sentences import unit_words
from folkways.evidence.task_verdict import Standing, TaskEvidence, TaskVerdict, task_verdict, task_verdicts
from folkways.evidence.weak_spots import WeakSpot, weak_spots
from folkways.records import is_baseline

MOST_GROUPS = 4
"""Groups of tasks with the same best models that the sentence names."""

QUICKEST = 0.05
"""Seconds of a request below which nothing is said of them: no provider was asked."""

WIDE = 10.0
"""Half-width of the interval of a score in percent from which a verdict says that it is not known well."""

MOST_LIMITS = 3
"""Limits in the sentence; ``Verdict.limits`` has all."""

MOST_TITLES = 2
"""Tasks that such a phrase names; it counts more."""

MOST_PRICED = 3
"""Models whose price the sentence names; of more, only the cheapest."""


@dataclass(frozen=True, slots=True)
class Expense:
    """What the replies of one model took. None where it is not known.

    requests: distinct replies. dollars, input_tokens, output_tokens: of all of them. seconds: of a request,
    the mean. wall: seconds from the first request to the last reply; None where replies of an earlier run
    were used, or the run was stopped and went on.
    """

    requests: int
    dollars: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    wall: float | None = None

    def per_thousand(self, amount: float | None) -> float | None:
        """An amount for 1,000 requests; None where it is not known."""
        return None if amount is None or not self.requests else 1000 * amount / self.requests

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class Verdict:
    """What a run says to somebody who must choose a model.

    tasks: the verdict on each task. weakest: model -> its weak spots, the worst task first. expenses: model
    -> what it took. silent: models without a single reply. uncounted: those whose replies make no score,
    since the rules leave all of them out. names: model -> its short name. subject: what it is on, in
    sentences. opinions: titles of tasks without right answers, on which no model is better.
    """

    tasks: tuple[TaskVerdict, ...]
    weakest: Mapping[str, tuple[WeakSpot, ...]]
    expenses: Mapping[str, Expense]
    silent: tuple[str, ...]
    names: Mapping[str, str]
    subject: str = "this run"
    opinions: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models with a score on some task, by name."""
        return tuple(sorted({one.model for task in self.tasks for one in task.standings}))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The models that no other is better than on any task, by name; the only model, if there is one
        alone. Empty where each has a better one on some task."""
        if len(self.models) == 1:
            return self.models
        best = [set(task.best) for task in self.tasks if task.best]
        return tuple(sorted(set.intersection(*best))) if best else ()

    @property
    def guessed(self) -> bool:
        """Whether there are several models, and on no task is one of them better than guessing."""
        compared = [task for task in self.tasks if task.best]
        return bool(compared) and len(self.models) > 1 and all(task.guessed for task in compared)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Two or three sentences that need no page around them: the choice, its price and weakest group, and
        what the run cannot tell."""
        parts = (*_choice(self), _of_opinions(self), _price(self), _weakest(self), _cannot_tell(self))
        return tuple(part for part in parts if part)

    @property
    def text(self) -> str:
        """The sentences as one paragraph."""
        return " ".join(self.sentences)

    @cached_property
    def limits(self) -> tuple[str, ...]:
        """What the run cannot tell, the gravest first: phrases to follow "This run cannot tell" or "nor"."""
        return tuple(_limits(self))

    def name(self, model: str) -> str:
        """The short name of a model, on one line."""
        return single_line(self.names.get(model, model))


def verdict(
    evidence: Sequence[TaskEvidence],
    names: Mapping[str, str] | None = None,
    expenses: Mapping[str, Expense] | None = None,
    subject: str = "this run",
) -> Verdict:
    """The verdict on a run, from the evidence on each task. names: model -> its short name, for sentences.
    expenses: model -> what it took. subject: what it is on, for sentences. Tasks whose metric is a
    distribution are only named."""
    models = sorted({name for one in evidence for name in one.scores["endpoint"] if not is_baseline(name)})
    of_opinion = [task_verdict(one) for one in evidence if one.metric.kind == "distribution"]
    tasks = task_verdicts([one for one in evidence if one.metric.kind != "distribution"])
    made = [*tasks, *of_opinion]
    unscored = [model for model in models if not any(map(methodcaller("standing", model), made))]
    silent = tuple(model for model in unscored if not any(map(methodcaller("replied", model), made)))
    uncounted = tuple(model for model in unscored if model not in silent)
    opinions = tuple(task.title for task in of_opinion)
    weakest = weak_spots([(task.evidence.scores, task.metric, task.evidence.facets) for task in tasks])
    spots = {model: weakest.get(model, ()) for model in models}
    return Verdict(tasks, spots, expenses or {}, silent, names or {}, subject, opinions, uncounted)


def _of_opinions(made: Verdict) -> str:
    """That tasks of opinion say nothing on which model is better."""
    if not made.opinions:
        return ""
    has = "has" if len(made.opinions) == 1 else "have"
    return f"{named(made.opinions)} {has} no right answers, and no model is better on {_them(made.opinions)}."


def _them(titles: Sequence[str]) -> str:
    return "it" if len(titles) == 1 else "them"


def _choice(made: Verdict) -> Iterator[str]:
    """Which model for what."""
    if not made.tasks:
        yield from () if made.opinions else ("Nothing was scored.",)
    elif not made.models:
        if not made.silent and not made.uncounted:
            yield "No model was asked: the scores are those of baselines, which know nothing."
        for models, nothing in (
            (made.silent, "No reply came from {}"),
            (made.uncounted, "No reply of {} counts"),
        ):
            if models:
                who = made.name(models[0]) if len(models) == 1 else f"any of {len(models)} models"
                yield f"{nothing.format(who)}: {made.subject} says nothing about {_them(models)}."
    elif len(made.models) == 1:
        yield from _alone(made)
    elif not any(task.best for task in made.tasks):
        yield (
            f"{_named(made, made.models)} cannot be compared: no two of them replied to at least "
            f"{100 * ENOUGH_REPLIES:g} % of the same questions."
        )
    elif made.guessed:
        titles = _titles([task for task in made.tasks if task.best])
        yield (
            f"On {titles} no model is shown to be better than guessing, so "
            f"{made.subject} gives no reason to choose one."
        )
    elif len(made.tasks) == 1:
        yield _choice_on_one(made, made.tasks[0])
    else:
        yield from _choice_on_several(made)


def _alone(made: Verdict) -> Iterator[str]:
    """The only model that has scores."""
    (model,) = made.models
    scored = [(task, one) for task in made.tasks if (one := task.standing(model)) is not None]
    why = "whose replies count" if made.uncounted else "that replied" if made.silent else "that was asked"
    if len(scored) <= 2:
        scores = [f"{_score(one)} on {task.title}{_against_guessing(task, one)}" for task, one in scored]
        yield f"{made.name(model)} scores {' and '.join(scores)}."
    else:
        above = [task.title for task, one in scored if one.beats_guessing]
        guessable = [task for task, one in scored if one.beats_guessing is not None]
        yield (
            f"{made.name(model)} is shown to be better than guessing on {named(above)}, out of "
            f"{plural(len(guessable), 'task')} that can be guessed."
            if above
            else f"{made.name(model)} is not shown to be better than guessing on {_guessable(guessable)}."
            if guessable
            else f"{made.name(model)} has scores on {plural(len(scored), 'task')}."
        )
    yield f"It is the only model {why}: nothing here says whether another is better."


def _guessable(tasks: Sequence[TaskVerdict]) -> str:
    """All tasks on which guessing has a score above the worst."""
    if len(tasks) == 1:
        return f"{tasks[0].title}, the only task that can be guessed"
    return f"{_any(tasks)} that can be guessed"


def _choice_on_one(made: Verdict, task: TaskVerdict) -> str:
    title = task.title
    if task.clear:
        one = _of_best(task)
        return (
            f"For {title}, choose {made.name(one.model)}: it scores {_score(one)}, "
            f"{_lead(made, one.model, task)}."
        )
    scores = [
        f"{made.name(one.model)} ({number(one.score)})" for one in task.standings if one.model in task.best
    ]
    if len(task.best) == 1:
        return (
            f"On {title} {named(scores)} comes first, but {_named(made, task.level)} cannot be told apart "
            "from it."
        )
    others = sum(one.rank is not None for one in task.standings) - len(task.best)
    behind = (
        f"; the other {f'{count(others)} models do' if others > 1 else 'model does'} worse" if others else ""
    )
    return f"On {title} no model is shown to be the best: {named(scores)} cannot be told apart{behind}."


def _choice_on_several(made: Verdict) -> Iterator[str]:
    tasks = [task for task in made.tasks if task.best]
    on = tasks[0].title if len(tasks) == 1 else f"all {len(tasks)} tasks"
    if len(made.chosen) == 1:
        (model,) = made.chosen
        name, clear = made.name(model), [task for task in tasks if task.clear]
        if len(clear) == len(tasks):
            narrowest = min(clear, key=lambda task: (round(abs(task.leads[0].difference), 9), task.title))
            yield (
                f"Choose {name}: it is ahead of {_every_other(made)} on {on}; its narrowest lead is on "
                f"{narrowest.title}, where it scores {_score(_of_best(narrowest))}, "
                f"{_lead(made, model, narrowest)}."
            )
            return
        first = f"it is ahead of {_every_other(made)} on {_titles(clear)}, and " if clear else ""
        by_rivals: dict[tuple[str, ...], list[TaskVerdict]] = {}
        for task in tasks:
            if not task.clear:
                rivals = tuple(sorted({*task.best, *task.level} - {model}))
                by_rivals.setdefault(rivals, []).append(task)
        groups = sorted(by_rivals.items(), key=lambda group: (-len(group[1]), group[0]))
        ties = [(_titles(level), _named(made, rivals)) for rivals, level in groups[:MOST_GROUPS]]
        if further := sum(len(level) for _, level in groups[MOST_GROUPS:]):
            ties.append((plural(further, "further task"), "others"))
        (titles, tied), *more = ties
        apart = [f"on {titles} it is not told apart from {tied}"]
        apart += [f"on {titles} from {tied}" for titles, tied in more]
        yield f"Choose {name}: {first}{'; '.join(apart)}; no other model is shown to be better on any task."
    elif made.chosen:
        behind = {
            one.model
            for task in tasks
            for one in task.standings
            if one.rank is not None and one.model not in task.best
        }
        others = set(made.models) - set(made.chosen)
        behind_text = "; every other model is behind on some task" if others and others <= behind else ""
        yield f"{_named(made, made.chosen)} cannot be told apart on {_any(tasks)}{behind_text}."
    else:
        by_best: dict[tuple[str, ...], list[TaskVerdict]] = {}
        for task in tasks:
            by_best.setdefault(task.best, []).append(task)
        groups = sorted(by_best.items(), key=lambda group: (-len(group[1]), group[0]))
        parts = [f"{_or(made, best)} for {_titles(of_best)}" for best, of_best in groups[:MOST_GROUPS]]
        if further := sum(len(of_best) for _, of_best in groups[MOST_GROUPS:]):
            parts.append(f"others for {plural(further, 'further task')}")
        yield f"No model is the best at everything: choose {'; '.join(parts)}."


def _lead(made: Verdict, model: str, task: TaskVerdict) -> str:
    """By how much the best model of a task is ahead of the one that comes closest."""
    closest = task.leads[0]
    unit = unit_words(task.metric.scale == 100)
    other = made.name(closest.second if closest.first == model else closest.first)
    more = "less" if task.metric.lower_is_better else "more"
    size = f"{bound(abs(closest.difference))}{unit} {more} than {other}"
    if math.isnan(closest.low):
        return size
    low, high = sorted((abs(closest.low), abs(closest.high)))
    return f"{size} (between {bound(low)} and {bound(high)})"


def _of_best(task: TaskVerdict) -> Standing:
    """The standing of the first of the best models."""
    return next(one for one in task.standings if one.model in task.best)


def _score(one: Standing) -> str:
    ends = "no interval" if math.isnan(one.low) else f"95 % interval {interval(one.low, one.high, ' to ')}"
    return f"{number(one.score)} ({ends})"


def _against_guessing(task: TaskVerdict, one: Standing) -> str:
    if one.beats_guessing is None:
        return ""
    guessing = f"guessing ({number(task.evidence.guessing)})"
    if one.misses_guessing:
        return f", worse than {guessing}"
    return f", better than {guessing}" if one.beats_guessing else f", not told apart from {guessing}"


def _titles(tasks: Sequence[TaskVerdict]) -> str:
    return named([task.title for task in tasks])


def _any(tasks: Sequence[TaskVerdict]) -> str:
    few = {1: tasks[0].title, 2: "either of the 2 tasks"}
    return few.get(len(tasks), f"any of the {len(tasks)} tasks")


def _named(made: Verdict, models: Iterable[str]) -> str:
    return named(sorted(made.name(model) for model in models))


def _or(made: Verdict, models: Sequence[str]) -> str:
    names = sorted(made.name(model) for model in models)
    return names[0] if len(names) == 1 else f"{named(names, 'or')} (not told apart)"


def _every_other(made: Verdict) -> str:
    """The models that a best one is ahead of, where some have too few replies to be ranked."""
    ranked = not (made.silent or made.uncounted) and all(
        one.rank is not None for task in made.tasks if task.best for one in task.standings
    )
    return "every other model" if ranked else "every other model with enough replies"


def _named_best(made: Verdict) -> tuple[str, ...]:
    """The models that the first sentence names as best."""
    best = made.chosen or tuple(sorted({model for task in made.tasks for model in task.best}))
    return () if made.guessed else best


def _priced(made: Verdict, model: str) -> bool:
    return model in made.expenses and made.expenses[model].dollars is not None


def _price(made: Verdict) -> str:
    """What the best models take for 1,000 requests."""
    models = _named_best(made)
    expenses = {model: made.expenses[model] for model in models if model in made.expenses}
    if len(models) > MOST_PRICED:
        prices = ((one.per_thousand(one.dollars), made.name(model)) for model, one in expenses.items())
        cheapest = sorted((price, name) for price, name in prices if price is not None)
        if len(cheapest) < len(models) or cheapest[0][0] == cheapest[1][0]:
            return ""
        return f"The cheapest of these is {cheapest[0][1]}, at {_dollars(cheapest[0][0])} for 1,000 requests."
    priced, unpriced = [], []
    for name, expense in sorted(
        ((made.name(model), one) for model, one in expenses.items()), key=itemgetter(0)
    ):
        notes, price = ", ".join(_amounts(expense)), expense.per_thousand(expense.dollars)
        if price is not None:
            priced.append(f"{_dollars(price)} with {name}" + (f" ({notes})" if notes else ""))
        elif notes:
            unpriced.append(f"{notes} with {name}")
    parts = [f"{verb} {named(texts)}" for verb, texts in (("cost", priced), ("take", unpriced)) if texts]
    return f"1,000 requests {', and '.join(parts)}." if parts else ""


def _amounts(expense: Expense) -> list[str]:
    """``310,000 tokens`` for 1,000 requests, ``0.8 s each``, as far as they are known."""
    tokens, seconds = expense.per_thousand(expense.tokens), expense.seconds
    return [
        *([f"{count(round(tokens))} tokens"] if tokens else []),
        *([f"{duration(seconds)} each"] if seconds is not None and seconds >= QUICKEST else []),
    ]


def _dollars(amount: float) -> str:
    return f"US$ {amount:,.2f}" if amount >= 0.01 or not amount else f"US$ {amount:.1g}"


def _weakest(made: Verdict) -> str:
    """Where the best models, up to two, are weakest."""
    models = _named_best(made)
    spots = [made.weakest[model][0] for model in models if made.weakest.get(model)]
    if not spots or len(models) > 2:
        return ""
    tasks = {task.evidence.task: task for task in made.tasks}
    parts = []
    for spot in spots:
        task = tasks[spot.task]
        on = f" on {task.title}" if len(tasks) > 1 else ""
        at = "in" if spot.facet == "language" else "about"
        parts.append(f"{made.name(spot.model)} is weakest {at} {spot.name}{on}: {spot.words(task.metric)}")
    return f"{'; '.join(parts)}."


def _cannot_tell(made: Verdict) -> str:
    subject = made.subject.capitalize()
    return f"{subject} cannot tell {'; nor '.join(made.limits[:MOST_LIMITS])}." if made.limits else ""


def _limits(made: Verdict) -> Iterator[str]:
    if not made.models:
        return
    if made.silent:
        yield f"how good {_named(made, made.silent)} {_is(len(made.silent))}, as no reply came"
    if made.uncounted:
        of = "its replies counts" if len(made.uncounted) == 1 else "their replies counts"
        yield f"how good {_named(made, made.uncounted)} {_is(len(made.uncounted))}, as none of {of}"
    if doubtful := [task for task in made.tasks if task.doubtful]:
        yield (
            f"whether every lead on {_titles(doubtful)} is more than chance, as "
            f"{sum(bool(task.best) for task in made.tasks)} tasks were compared"
        )
    guessed = [task for task in made.tasks if task.guessed]
    if guessed and len(made.models) > 1 and not made.guessed:
        yield f"whether any model is better than guessing on {_titles(guessed)}"
    for model, lost in _incomplete(made):
        how = (
            f"how {made.name(model)} compares" if len(made.models) > 1 else f"how good {made.name(model)} is"
        )
        titles = plural(len(lost), "task") if len(lost) > MOST_TITLES else named([*lost])
        most = f"{'up to ' if len(lost) > 1 else ''}{percent(max(lost.values()))}"
        yield f"{how} on {titles}, as {most} of its replies are missing"
    if unequal := [task for task in made.tasks if asked_apart(_of_ranked(task), task.evidence.asked)]:
        yield f"how models compare on {_titles(unequal)} beyond the questions that both of a pair were asked"
    of_percent = [task for task in made.tasks if task.metric.scale == 100]
    if wide := [task for task in of_percent if _half_width(made, task) > WIDE]:
        most = number(max(_half_width(made, task) for task in wide), 0)
        where = plural(len(wide), "task") if len(wide) > MOST_TITLES else _titles(wide)
        yield f"the scores on {where} to better than ± {most} points"
    languages = {language for task in made.tasks for language in task.evidence.languages}
    if len(languages) == 1:
        yield f"what holds in languages other than {language_name(*languages)}"
    if unknown := [task for task in made.tasks if math.isnan(task.evidence.people)]:
        where = "" if len(unknown) == len(made.tasks) else f" on {_titles(unknown)}"
        yield f"how people from these cultures would score{where}"
    if made.expenses:
        unpriced = [model for model in _named_best(made) if not _priced(made, model)]
        if unpriced:
            yield f"what {_named(made, unpriced)} {'costs' if len(unpriced) == 1 else 'cost'}"
    for task in made.tasks:
        if task.evidence.part:
            yield f"what the score on the whole of {task.title} would be, as it asked {task.evidence.part}"


def _of_ranked(task: TaskVerdict) -> pl.DataFrame:
    """The scores of the models with a rank."""
    ranked = [one.model for one in task.standings if one.rank is not None]
    return task.evidence.scores.filter(pl.col("endpoint").is_in(ranked))


def _incomplete(made: Verdict) -> list[tuple[str, dict[str, float]]]:
    """Each model without a rank for want of replies, the one that lacks most first: titles of tasks, and the
    share of the replies that it lacks."""
    lost: dict[str, dict[str, float]] = {}
    for task in made.tasks:
        for one in task.standings:
            if one.rank is None and one.lost > (1 - ENOUGH_REPLIES) * one.n:
                lost.setdefault(one.model, {})[task.title] = one.lost / one.n
    return sorted(lost.items(), key=lambda entry: -max(entry[1].values()))


def _half_width(made: Verdict, task: TaskVerdict) -> float:
    """Half the widest interval of the models that the verdict is about."""
    shown = [one for one in task.standings if one.model in (task.best or made.models)]
    return max(((one.high - one.low) / 2 for one in shown if one.high == one.high), default=0.0)


def _is(amount: int) -> str:
    return "is" if amount == 1 else "are"
