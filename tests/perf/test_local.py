"""The measurement of local models: what it compares is the same work, and its table says so."""

from __future__ import annotations

import pytest

from perf.local.__main__ import LONGEST, SHORTEST, Measurement, batched, make_model, plain, prompts, table


def test_prompts_are_of_different_lengths_and_the_same_every_time() -> None:
    lengths = [len(text.split()) for text in prompts(200)]
    assert SHORTEST <= min(lengths) < 50
    assert 180 < max(lengths) <= LONGEST
    assert prompts(5) == prompts(5) != prompts(5, seed=1)


def test_the_table_sets_every_way_against_the_first() -> None:
    text = table(
        [Measurement("plain", 8.0, 4.0, ["a", "b"]), Measurement("ours", 2.0, 2.0, ["a", "c"])], tokens=16
    )
    assert "| plain | 4 | 1.0 | 8 | 1.0 | 100% |" in text
    assert "| ours | 16 | 4.0 | 16 | 2.0 | 50% |" in text


@pytest.mark.local_model
def test_batches_say_what_plain_generate_says(tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra local")
    model = make_model(tmp_path, layers=1, width=64)
    asked = prompts(5)
    assert batched(model, asked, 3, waiting=5) == plain(model, asked, 3)
