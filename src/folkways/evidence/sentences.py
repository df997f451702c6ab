"""Contrasts and rankings in plain words. All sentences about differences between models are made here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from folkways.display import bound, count, named, p_value, plural
from folkways.evidence.contrasts import ALPHA
from folkways.stats.pairwise import FEWEST_QUESTIONS

LEVEL = (
    "not told apart from the first (paired by question, all pairs of models corrected for one "
    "another, 5 % level)"
)
"""What a dagger after a model means."""

RANKS = (
    "A rank is the range of places that the paired differences leave open (Holm over all pairs of models). A "
    "model with replies to less than 95 % of what it was asked has none. No mean win rate is shown: it "
    "depends on which other models are looked at."
)
"""What ranks mean, and why there is no mean win rate."""

NO_DIFFERENCE = "No difference is shown"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One difference, over everything or in one group, with the fields of ``contrasts.CONTRASTS`` and
    TESTS."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    first_better: int
    second_better: int
    questions: int
    looks: int = 1
    detectable: float = math.nan
    lower_is_better: bool = False
    of_opinions: bool = False  # scores are distances from people's answers, and nobody does better

    @property
    def better_than(self) -> str:
        """What the leading model is, in front of the name of the other."""
        return "is nearer to people's answers than" if self.of_opinions else "does better than"

    @property
    def ahead_of(self) -> str:
        """The same after the size of the difference."""
        return "nearer to people's answers than" if self.of_opinions else "ahead of"

    @property
    def ahead(self) -> str | None:
        """The model with the better score; None if both score the same."""
        return self._leader(self.difference)

    @property
    def behind(self) -> str:
        return self.second if self.ahead == self.first else self.first

    @property
    def clear(self) -> bool:
        """Whether the difference is significant after correction for all that were tested."""
        return self.p_holm < ALPHA

    def end(self, value: float, unit: str) -> str:
        """One end of the interval: which model may be ahead, and how far."""
        return f"{bound(abs(value))}{unit} in favour of {self._leader(value) or 'either'}"

    def _leader(self, difference: float) -> str | None:
        if not difference:
            return None
        return self.first if (difference > 0) != self.lower_is_better else self.second


def verdict(
    contrast: Contrast,
    *,
    points: bool = True,
    leads: Iterable[str | None] = (),
    turned: Mapping[str, str] | None = None,
    alone: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """One to five sentences on ``contrast``: which model does better and by how much, or that no difference
    is shown and what that leaves open.

    points: whether scores are percentages.
    leads: the model that is ahead with each prompt variant, if there are several: a difference that changes
        sign with the wording says more about the wording.
    turned: name of a group that contradicts the whole (``contrasts.reversals``) -> the model that is ahead
        there; named first.
    alone: model -> names of groups in which it has replies and no row has one of both
        (``Answers.only_one``), which are not compared.
    """
    turned = turned or {}
    pair = (contrast.first, contrast.second)
    size = _size(contrast, points)
    reversals = ""
    if turned and contrast.clear:
        reversals = turned_sentence(pair, contrast.ahead, turned, of_opinions=contrast.of_opinions)
    elif turned:  # their size says what holds overall
        reversals = f"{_sides(pair, turned, contrast.of_opinions)}."
        size = f"Overall, {size.replace('No', 'no', 1) if size.startswith(NO_DIFFERENCE) else size}"
    parts = (reversals, size, _wordings(contrast, list(leads), bool(turned)), _alone(contrast, alone or {}))
    return " ".join(part for part in parts if part)


def turned_sentence(
    pair: tuple[str, str], overall: str | None, turned: Mapping[str, str], *, of_opinions: bool = False
) -> str:
    """In which groups two models change places.

    pair: the two models.
    overall: the model that is ahead over everything; None without a significant difference.
    turned: name of a group -> the model that is ahead there.
    of_opinions: whether to be ahead is to be nearer to people's answers.
    """
    if overall is not None:
        behind = pair[1] if overall == pair[0] else pair[0]
        groups = named([name for name, ahead in turned.items() if ahead == behind])
        if of_opinions:
            return (
                f"{overall} is nearer to people's answers than {behind} overall, and farther from them in "
                f"{groups}."
            )
        return f"{overall} is ahead of {behind} overall, and behind it in {groups}."
    return f"{NO_DIFFERENCE} between {pair[0]} and {pair[1]} overall; {_sides(pair, turned, of_opinions)}."


def _sides(pair: tuple[str, str], turned: Mapping[str, str], of_opinions: bool) -> str:
    """In which groups each of two models is ahead."""
    is_ahead = "is nearer to people's answers" if of_opinions else "is ahead"
    led = {model: [name for name, ahead in turned.items() if ahead == model] for model in pair}
    return "; ".join(f"{model} {is_ahead} in {named(names)}" for model, names in led.items() if names)


def further_turned(pairs: int) -> str:
    """How many further pairs change places."""
    return (
        f"{plural(pairs, 'further pair')} of models change places in some culture; folkways compare "
        "names the cultures."
    )


def nothing_turned(pairs: int, groups: int) -> str:
    """That no pair of models changes places in any culture, of how many (``groups``) with questions enough to
    tell; 0 for none."""
    if not groups:
        return (
            "Whether models change places between cultures is open: there are too few questions about each "
            "to tell two models apart."
        )
    return (
        f"No reversals: no model that trails overall clearly leads in any culture ({plural(pairs, 'pair')} "
        f"of models, {plural(groups, 'culture')})."
    )


def unit_words(points: bool) -> str:
    """What follows the size of a difference: `` points`` of percentages, nothing in another unit."""
    return " points" if points else ""


def _size(contrast: Contrast, points: bool) -> str:
    unit = unit_words(points)
    if not contrast.first_better + contrast.second_better:
        equal = "are equally near to people's answers" if contrast.of_opinions else "do equally well"
        return f"{contrast.first} and {contrast.second} {equal} on every question here."
    if contrast.questions < FEWEST_QUESTIONS:
        few = "question is" if contrast.questions == 1 else "questions are"
        return f"{contrast.questions} {few} too few to tell {contrast.first} and {contrast.second} apart."
    size = f"{bound(abs(contrast.difference))}{unit}"
    if contrast.ahead is None:
        sentence = f"{NO_DIFFERENCE}: {contrast.first} and {contrast.second} score the same."
    elif contrast.clear:
        return (
            f"{contrast.ahead} {contrast.better_than} {contrast.behind}, by {size}{_between(contrast, unit)}."
        )
    elif contrast.p < ALPHA:
        return (
            f"{contrast.ahead} comes out {size} {contrast.ahead_of} {contrast.behind}, but this is one of "
            f"{count(contrast.looks)} differences looked at: corrected for these, p is "
            f"{p_value(contrast.p_holm)}, and it does not count as a difference."
        )
    else:
        sentence = (
            f"{NO_DIFFERENCE}: {contrast.ahead} comes out {size} {contrast.ahead_of} "
            f"{contrast.behind}, which chance alone could well produce."
        )
    if not math.isnan(contrast.low):
        ends = f"{contrast.end(contrast.low, unit)} to {contrast.end(contrast.high, unit)}"
        sentence += f" The true difference may lie anywhere from {ends}."
    if not math.isnan(contrast.detectable):
        questions = plural(contrast.questions, "question")
        size = f"{bound(contrast.detectable)}{unit}"
        sentence += f" These {questions} would find a difference of {size} four times out of five."
    return sentence


def _between(contrast: Contrast, unit: str) -> str:
    if math.isnan(contrast.low):
        return ""
    low, high = sorted((abs(contrast.low), abs(contrast.high)))
    return f" (between {bound(low)} and {bound(high)}{unit}, with 95 % confidence)"


def _wordings(contrast: Contrast, leads: Sequence[str | None], turns: bool) -> str:
    if len(leads) < 2 or not contrast.clear or contrast.ahead is None:
        return ""
    other = sum(lead == contrast.behind for lead in leads)
    if not other:
        all_ahead = all(lead == contrast.ahead for lead in leads)
        ways = "both ways" if len(leads) == 2 else f"all {len(leads)} ways"
        return f"It is ahead in {ways} of putting the questions." if all_ahead and not turns else ""
    verb = "is" if other == 1 else "are"
    return f"But {other} of the {len(leads)} ways of putting the questions {verb} the other way round."


def _alone(contrast: Contrast, alone: Mapping[str, Sequence[str]]) -> str:
    """The groups that are not compared because only one of the models, or each to other rows, replied."""
    first, second = (alone.get(model, ()) for model in (contrast.first, contrast.second))
    parts = [
        f"{silent} has no reply for {named(names)}"
        for silent, others in ((contrast.second, [first, second]), (contrast.first, [second, first]))
        if (names := [name for name in others[0] if name not in others[1]])
    ]
    if both := [name for name in first if name in second]:
        parts.append(f"no row for {named(both)} has a reply of both")
    return f"Not compared: {'; '.join(parts)}." if parts else ""
