"""The made-up facts: planted repeats are what they say, and the same plan is the same table."""

from __future__ import annotations

from perf.facts.synthetic import Plan, rows

PLAN = Plan(facts=3000, cultures=4, seed=5)


def test_planted_repeats_are_what_they_say() -> None:
    table = list(rows(PLAN))
    kinds = [kind for _, _, _, kind, _ in table]
    for kind, share in (("same", PLAN.same), ("alike", PLAN.alike), ("unfit", PLAN.unfit)):
        assert abs(kinds.count(kind) / PLAN.facts - share) < 0.03
    for row, (culture, fact, source, kind, of_row) in enumerate(table, 1):
        assert source.startswith("https://")
        if kind not in ("same", "alike"):
            assert of_row == ""
            continue
        earlier = table[int(of_row) - 1]
        assert int(of_row) < row
        assert earlier[0] == culture
        words, others = fact.split(), earlier[1].split()
        assert (fact == earlier[1]) if kind == "same" else (words[:-1] == others[:-1])


def test_the_same_plan_is_the_same_table() -> None:
    assert list(rows(PLAN)) == list(rows(PLAN))
    assert len({culture for culture, *_ in rows(PLAN)}) == PLAN.cultures
