"""Culture-specific items (CSIs) marked with tags in a sentence, and the agreement between marked sentences
(XCR-Bench).

A gold sentence and a reply both carry their CSIs between ``<CSI>`` and ``</CSI>``. All scores are per
sentence; XCR-Bench reports their mean over sentences times 100.
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass

import numpy as np

from folkways.metrics.strings import edit_similarity

OPENING = "<CSI>"
CLOSING = "</CSI>"


@dataclass(frozen=True, slots=True)
class SpanMatch:
    """How well predicted spans fit the gold ones, each number from 0 to 1.

    precision: share of the predicted spans that are matched. recall: share of the gold spans that are. f1:
    their harmonic mean.
    """

    precision: float
    recall: float
    f1: float


def tagged_spans(text: str, *, across_lines: bool) -> list[str]:
    """The texts between an opening and the next closing tag, stripped, in order; a span may be empty.

    Tags are case-sensitive and do not nest: an opening tag inside a span is part of its text. With
    ``across_lines`` false a span closes on the line it opens on (``\\n`` alone ends a line), as in the
    authors' HI-CSI and HP-CSI; SI-CSI reads across lines. Takes time linear in the length of ``text``,
    whatever a model wrote.
    """
    if not across_lines:
        return [span for line in text.split("\n") for span in tagged_spans(line, across_lines=True)]
    before_closings = (part.partition(OPENING) for part in text.split(CLOSING)[:-1])
    return [span.strip() for _, opening, span in before_closings if opening]


def hi_csi(gold: str, reply: str) -> float:
    """HI-CSI (XCR-Bench, appendix on metrics): the share of gold CSIs that occur among the reply's, 0 to 1.

    Case-sensitive, spans on one line. Extra tags cost nothing. Without any gold CSI a reply without tags
    scores 1 and any other 0.
    """
    expected = tagged_spans(gold, across_lines=False)
    predicted = tagged_spans(reply, across_lines=False)
    if not expected:
        return 0.0 if predicted else 1.0
    present = set(predicted)
    return sum(span in present for span in expected) / len(expected)


def exact_spans(gold: str, reply: str) -> SpanMatch:
    """Precision, recall and F1 of the spans HI-CSI reads, each gold span matched once at most: extra tags
    cost precision.

    The ``strict`` profile shows this in addition to HI-CSI. Both without spans scores 1, one without spans 0.
    """
    expected = tagged_spans(gold, across_lines=False)
    predicted = tagged_spans(reply, across_lines=False)
    matched = sum((Counter(expected) & Counter(predicted)).values())
    return _match(float(matched), len(expected), len(predicted))


def si_csi(gold: str, reply: str) -> SpanMatch:
    """SI-CSI (XCR-Bench, appendix on metrics): soft precision, recall and F1 under the best one-to-one
    pairing of spans.

    Spans may cross lines and are lower-cased (``str.lower``, as the authors do, not case-folded). A pair
    counts with its edit similarity, and the pairing maximises the total. The score that the paper calls
    SI-CSI is the F1. Both without spans scores 1, one without spans 0.
    """
    expected = [span.lower() for span in tagged_spans(gold, across_lines=True)]
    predicted = [span.lower() for span in tagged_spans(reply, across_lines=True)]
    from scipy.optimize import linear_sum_assignment

    similarity = np.array([edit_similarity(one, other) for one in expected for other in predicted]).reshape(
        len(expected), len(predicted)
    )
    rows, columns = linear_sum_assignment(similarity, maximize=True)
    return _match(float(similarity[rows, columns].sum()), len(expected), len(predicted))


def hp_csi(gold: str, reply: str) -> float:
    """HP-CSI (XCR-Bench, appendix on metrics): how many CSIs of the reply equal the gold CSI at the same
    place, lower-cased.

    A count, from 0 to the number of gold CSIs: the authors divide by sentences, so that a perfect copy of the
    corpus scores above
    100. Spans are paired in order and cut at the shorter list.
    """
    expected, predicted = (
        [span.lower() for span in tagged_spans(text, across_lines=False)] for text in (gold, reply)
    )
    return float(sum(map(operator.eq, expected, predicted)))


def hp_csi_per_gold(gold: str, reply: str) -> float | None:
    """HP-CSI over the number of gold CSIs of the sentence, 0 to 1 (the ``strict`` profile); None without a
    gold CSI."""
    expected = len(tagged_spans(gold, across_lines=False))
    return hp_csi(gold, reply) / expected if expected else None


def _match(matched: float, expected: int, predicted: int) -> SpanMatch:
    if not expected and not predicted:
        return SpanMatch(1.0, 1.0, 1.0)
    if not expected or not predicted:
        return SpanMatch(0.0, 0.0, 0.0)
    precision, recall = matched / predicted, matched / expected
    total = precision + recall
    return SpanMatch(precision, recall, 2 * precision * recall / total if total else 0.0)
