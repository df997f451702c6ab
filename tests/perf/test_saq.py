"""The bench of short-answer scoring: its replies, its re-enactment and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.short_answers import ShortAnswers
from perf.blend import saq, saq_replies
from perf.blend.peers import saq_authors
from tests.support.blend_data import group, release_at, write_release


@pytest.mark.parametrize(
    ("reply", "right"), [("我喝绿茶", True), ("茶是绿的", False), ("牛奶 加 红茶", True), ("红茶", False)]
)
def test_the_re_enactment_compares_as_the_authors_do(reply: str, right: bool) -> None:
    groups = [group(["绿茶"], [], 3), group(["红茶牛奶"], [], 1)]
    assert saq_authors.verdict({"groups": groups, "reply": reply}, "zh", None) is right


def test_replies_are_the_same_every_time(tmp_path: Path) -> None:
    release = release_at(write_release(tmp_path))
    items = ShortAnswers().items(release)
    prompts = ShortAnswers().prompts(items, PromptOptions(), release)
    once, twice = saq_replies.drawn(items, prompts), saq_replies.drawn(items, prompts)
    assert once.equals(twice)
    assert once["response"].null_count() == 0
    assert ShortAnswers().judge(items, once, "paper")["sem_b"].mean() not in (0.0, 1.0, None)


def test_ratios_are_theirs_over_ours() -> None:
    rows = [saq.Row("zh", 500, 500, 2.0, 1.0, 1.0), saq.Row("fa", 500, 25, 998.0, 1.0, None)]
    table = saq.table_of(rows).splitlines()
    assert table[2].startswith("| Chinese | 500 | 500 | 2.00 | 1.00 | 2.0 | 100.0 %")
    assert "no reference" in table[3]
    assert "| sum | | | 1000.00 | 2.00 | 500.0 | |" in table
