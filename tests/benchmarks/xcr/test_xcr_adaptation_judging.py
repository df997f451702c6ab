"""One version against gold: everything that is said of it, in both profiles."""

from __future__ import annotations

import pytest

from folkways.benchmarks.xcr.adaptation import Side, judge_side, no_version
from folkways.benchmarks.xcr.tasks import TextComparison
from folkways.records import State

GOLD = "She <CSI> bows </CSI> and <CSI> sits </CSI>."
PLAIN, NODS = "She bows.", "She nods."
NONE, SPELT = "Non-transferable", "nontransferrable."
NOTHING = TextComparison()


def whole(reply: str, gold: str = GOLD) -> TextComparison:
    return TextComparison(((reply, gold),))


ONE = "She <CSI> nods </CSI>."
TWO = "He <CSI> bows </CSI>, <CSI> stands </CSI>."
PAIRS = (("bows", "bows"), ("stands", "sits"))
DECOMPOSED, COMPOSED = "<CSI> cafe\u0301 </CSI>", "<CSI> caf\u00e9 </CSI>"

JUDGED = [
    # gold, reply, paper, strict: csi, sent, exact, tags_kept, refused_rightly, adapted_rightly
    (GOLD, TWO, (TextComparison(PAIRS, over=2), whole(TWO), 0.0, 1.0, None, 1.0), None),
    (
        GOLD,
        "She<CSI>bows</CSI> and  <CSI> sits</CSI> .",
        (
            TextComparison((("bows", "bows"), ("sits", "sits")), over=2),
            whole("She<CSI>bows</CSI> and  <CSI> sits</CSI> ."),
            *(1.0, 1.0, None, 1.0),
        ),
        None,
    ),
    (GOLD, ONE, (None, None, 0.0, 0.0, None, 1.0), (TextComparison((("nods", "bows"),), over=2), whole(ONE), 0.0, 0.0, None, 1.0)),
    (GOLD, "", (None, None, 0.0, 0.0, None, 1.0), (TextComparison(over=2), NOTHING, 0.0, 0.0, None, 1.0)),
    (GOLD, NONE, (None, None, 0.0, 0.0, None, 0.0), (TextComparison(over=2), NOTHING, 0.0, 0.0, None, 0.0)),
    (PLAIN, NODS, (NOTHING, whole(NODS, PLAIN), 0.0, 1.0, None, 1.0), (None, whole(NODS, PLAIN), 0.0, 1.0, None, 1.0)),
    (PLAIN, "", (None, None, 0.0, 1.0, None, 1.0), (None, NOTHING, 0.0, 1.0, None, 1.0)),
    (PLAIN, NONE, (NOTHING, whole(NONE, PLAIN), 0.0, 1.0, None, 0.0), (None, NOTHING, 0.0, 1.0, None, 0.0)),
    (NONE, SPELT, (NOTHING, whole(SPELT, NONE), 1.0, 1.0, 1.0, None), (None, None, None, 1.0, 1.0, None)),
    (NONE, ONE, (None, None, 0.0, 0.0, 0.0, None), (None, None, None, 0.0, 0.0, None)),
    (
        COMPOSED,
        DECOMPOSED,
        (TextComparison((("caf\u00e9", "caf\u00e9"),)), whole(COMPOSED, COMPOSED), 1.0, 1.0, None, 1.0),
        None,
    ),
    (
        DECOMPOSED,
        COMPOSED,
        (TextComparison((("caf\u00e9", "caf\u00e9"),)), whole(COMPOSED, COMPOSED), 1.0, 1.0, None, 1.0),
        None,
    ),
]  # fmt: skip


def told(side: Side) -> tuple[object, ...]:
    return side.csi, side.sent, side.exact, side.tags_kept, side.refused_rightly, side.adapted_rightly


@pytest.mark.parametrize(("gold", "reply", "paper", "strict"), JUDGED)
def test_a_version_in_full(
    gold: str, reply: str, paper: tuple[object, ...], strict: tuple[object, ...] | None
) -> None:
    assert told(judge_side(gold, reply, "paper")) == paper
    assert told(judge_side(gold, reply, "strict")) == (strict or paper)


def test_items_are_counted_on_their_line() -> None:
    """A tag that is closed on the next line marks nothing: neither in gold nor in the reply, nor where there
    is no version."""
    broken = "<CSI> bows\n</CSI> <CSI> sits </CSI>"
    for profile in ("paper", "strict"):
        assert judge_side(broken, "<CSI> x </CSI>", profile).csi == TextComparison((("x", "sits"),))
        assert judge_side("<CSI> x </CSI>", broken, profile).csi == TextComparison((("sits", "x"),))
    assert no_version("<CSI> bows\n</CSI>", "strict", State.MISSING).csi is None


LEFT_OUT, WORST = (None, None), (NOTHING, NOTHING)


@pytest.mark.parametrize(
    ("gold", "profile", "state", "compared", "rest"),
    [
        (GOLD, "paper", State.REFUSED, LEFT_OUT, (0.0, 0.0, None, 0.0)),
        (GOLD, "paper", State.UNREADABLE, LEFT_OUT, (0.0, 0.0, None, 0.0)),
        (GOLD, "paper", State.FAILED, WORST, (0.0, 0.0, None, 0.0)),
        (GOLD, "strict", State.REFUSED, WORST, (0.0, 0.0, None, 0.0)),
        (GOLD, "strict", State.MISSING, WORST, (0.0, 0.0, None, 0.0)),
        (PLAIN, "paper", State.MISSING, WORST, (0.0, 0.0, None, 0.0)),
        (PLAIN, "strict", State.MISSING, (None, NOTHING), (0.0, 0.0, None, 0.0)),
        (NONE, "paper", State.MISSING, WORST, (0.0, 0.0, 0.0, None)),
        (NONE, "strict", State.MISSING, (None, None), (None, 0.0, 0.0, None)),
        (NONE, "paper", State.REFUSED, LEFT_OUT, (0.0, 0.0, 0.0, None)),
    ],
)
def test_no_version_in_full(
    gold: str, profile: str, state: State, compared: tuple[object, ...], rest: tuple[float | None, ...]
) -> None:
    assert told(no_version(gold, profile, state)) == (*compared, *rest)


@pytest.mark.parametrize(
    ("gold", "reply", "facts"),
    [
        (NONE, NONE, "rightly"),
        (NONE, ONE, "adapted what gold calls non-transferable"),
        (GOLD, NONE, "wrongly"),
        (GOLD, ONE, "1 of 2 items"),
        (GOLD, TWO, "as many items tagged as in gold"),
    ],
)
def test_the_reason_tells_what_was_found(gold: str, reply: str, facts: str) -> None:
    assert facts in judge_side(gold, reply, "strict").reason
