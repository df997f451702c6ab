"""LineProgress about a download, where standard error is no terminal."""

from __future__ import annotations

import pytest

from folkways.cli.data import LineProgress


def test_a_reason_to_try_again_is_told_once_for_all_files(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineProgress()
    lines.started("blend", 3, 1000, 0)
    for label, reason in [
        ("a", "cannot reach h"),
        ("b", "cannot reach h"),
        ("b", "answered 500"),
        ("a", "cannot reach h"),
    ]:
        lines.retrying(label, reason, 0.5)
    told = capsys.readouterr().err.splitlines()[1:]
    assert told == ["blend: a: cannot reach h; trying again", "blend: b: answered 500; trying again"]


@pytest.mark.parametrize(
    ("size", "present", "received", "told"),
    [
        (100_000, 0, 40_000, "0 of 3 files, 40 kB of 100 kB, 4 kB/s, 15 s left"),
        # what was here before counts in no rate
        (100_000, 20_000, 40_000, "0 of 3 files, 60 kB of 100 kB, 4 kB/s, 10 s left"),
        (100_000, 0, 0, "0 of 3 files, 0 kB of 100 kB, 0 kB/s"),
        (100_000, 0, 100_000, "0 of 3 files, 100 kB of 100 kB, 10 kB/s"),
        (100_000, 0, 120_000, "0 of 3 files, 120 kB of 100 kB, 12 kB/s"),
        (0, 0, 40_000, "0 of 3 files, 40 kB, 4 kB/s"),
    ],
)
def test_what_is_left_is_told_as_long_as_something_comes_and_is_to_come(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    present: int,
    received: int,
    told: str,
) -> None:
    lines = LineProgress()
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    lines.started("blend", 3, size, present)
    for second, part, said in (
        (104.9, 0, 1),
        (105.0, 0, 1),
        (109.9, 0, 0),
        (110.0, received, 1),
    ):  # every five seconds
        monkeypatch.setattr("time.monotonic", lambda second=second: second)
        lines.received(part)
        assert len(capsys.readouterr().err.splitlines()) == said, second
    lines.closed()
    assert capsys.readouterr().err == f"blend: {told}\n"
