"""From what several people said to what the corpus says: the best sentence, its labels, the adaptation of a
culture.

An expert's word decides. Without one, judges have to agree; what they do not agree on is left out, with the
reason. Adaptations are not expected to agree: the first stands in the corpus until an expert decides, and all
are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from folkways.benchmarks.xcr.build.labels import FIELDS
from folkways.benchmarks.xcr.build.votes import NONE, Choice, Labels, Version
from folkways.stats.raters.categories import CategoryAgreement, category_kappa

JUDGES = 2
"""People who have to judge an item, unless an expert does."""

Vote = TypeVar("Vote", Choice, Labels, Version)


@dataclass(frozen=True, slots=True)
class Undecided:
    """Why an item is not in the corpus."""

    why: str


def by_item(votes: Iterable[Vote]) -> dict[str, list[Vote]]:
    """Item id -> what was said about it, in order."""
    found: dict[str, list[Vote]] = {}
    for vote in votes:
        found.setdefault(vote.item_id, []).append(vote)
    return found


def best_candidate(votes: Sequence[Choice], judges: int = JUDGES) -> str | Undecided:
    """The letter of the sentence that most chose; of several the one that they rate higher on average."""
    expert = [vote.best for vote in votes if vote.expert]
    if expert:
        return Undecided("the expert finds no sentence good") if expert[-1] == NONE else expert[-1]
    if len(votes) < judges:
        return Undecided(f"{len(votes)} of {judges} judges have chosen a sentence")
    counts = Counter(vote.best for vote in votes)
    first = [letter for letter, count in counts.items() if count == max(counts.values())]
    if len(first) > 1:
        ratings = {
            letter: [vote.ratings[letter] for vote in votes if letter in vote.ratings] for letter in first
        }
        means = {letter: sum(given) / len(given) for letter, given in ratings.items() if given}
        highest = [letter for letter, mean in means.items() if mean == max(means.values())]
        if len(means) < len(first) or len(highest) > 1:
            return Undecided("the judges chose different sentences, and their ratings do not settle it")
        first = highest
    return Undecided("the judges find no sentence good") if first[0] == NONE else first[0]


def agreed_labels(votes: Sequence[Labels], judges: int = JUDGES) -> Labels | Undecided:
    """The labels that all judges gave; an expert's where there is one. ``tagged`` is empty where nobody
    marked the sentence."""
    expert = [vote for vote in votes if vote.expert]
    if expert:
        return expert[-1]
    if len(votes) < judges:
        return Undecided(f"{len(votes)} of {judges} judges have labelled it")
    for name in FIELDS:
        given = dict.fromkeys(getattr(vote, name) for vote in votes)
        if len(given) > 1:
            return Undecided(f"people differ on the {name}: {', '.join(given)}")
    marked = dict.fromkeys(_spaced(vote.tagged) for vote in votes if vote.tagged)
    if len(marked) > 1:
        return Undecided(f"people mark different words: {' | '.join(marked)}")
    return next((vote for vote in votes if vote.tagged), votes[0])


def decided_version(votes: Sequence[Version]) -> tuple[Version, bool]:
    """The adaptation that stands in the corpus, and whether it is decided: by an expert, or because all wrote
    the same."""
    expert = [vote for vote in votes if vote.expert]
    if expert:
        return expert[-1], True
    return votes[0], len({(vote.intra, vote.inter) for vote in votes}) == 1 and len(votes) > 1


def agreement(votes: Iterable[Labels]) -> Mapping[str, CategoryAgreement]:
    """Cohen's kappa of category, level and element, over the first two judges of each item; experts do not
    count."""
    judged = ([vote for vote in said if not vote.expert] for said in by_item(votes).values())
    pairs = [found[:2] for found in judged if len(found) >= 2]
    return {
        name: category_kappa(*([getattr(pair[judge], name) for pair in pairs] for judge in (0, 1)))
        for name in FIELDS
    }


def _spaced(text: str) -> str:
    return " ".join(text.replace("<CSI>", " <CSI> ").replace("</CSI>", " </CSI> ").split())
