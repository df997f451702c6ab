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
