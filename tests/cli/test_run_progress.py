"""Progress of a run where there is no terminal."""

from __future__ import annotations

import io
import re
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from folkways.cli.progress import RunProgress, watch
from folkways.cli.run import off_by
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways, rows


def test_an_interrupt_tells_once_what_is_waited_for_and_lines_end_with_their_model() -> None:
    written = io.StringIO()
    show = RunProgress(Console(file=written, width=200))
    counts = ModelProgress("m", total=9, done=2, in_flight=3, stopped=INTERRUPTED)
    show([counts])
    counts.end()
    for _ in range(3):
        show([counts])
    assert written.getvalue().count("waiting for 3 replies, press again to drop them") == 1
    assert written.getvalue().count("m: 2 of 9") == 1


@pytest.mark.parametrize("stopped", [None, INTERRUPTED, "out of reach"])
def test_a_model_that_is_slow_to_let_go_of_has_a_line_for_each_count_and_no_more(stopped: str | None) -> None:
    """As llama.cpp with its threads still at work; or a run that was interrupted and waits for replies."""
    written = io.StringIO()
    show = RunProgress(Console(file=written, width=200), then="Judging")
    counts = ModelProgress("m", total=9, done=9 if stopped is None else 2, stopped=stopped)
    for _ in range(4):
        show([counts])
    assert written.getvalue().count("\nm: ") + written.getvalue().startswith("m: ") == 1
    if stopped is not None:
        counts.done, counts.failed = 3, 1  # of those that were on their way
    for _ in range(4):
        show([counts])
    assert written.getvalue().count("m: ") == (1 if stopped is None else 2)
    assert written.getvalue().count("Judging") == 1


def test_a_model_that_waits_has_no_counts_until_all_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkways.cli.progress.PLAIN_SECONDS", 0.0)
    written = io.StringIO()
    show = RunProgress(Console(file=written, width=200))
    waiting, asked = ModelProgress("m", total=9, done=2, waits="a GPU"), ModelProgress("n", total=9, done=4)
    for done in (4, 9):
        asked.done = done
        show([waiting, asked])
    waiting.stopped = "out of reach"
    show([waiting, asked])
    counted = re.findall(r"^([mn]): (\d) of 9", written.getvalue(), re.M)
    assert counted == [("n", "4"), ("n", "9"), ("m", "2"), ("n", "9")]


def test_a_name_of_up_to_30_characters_stands_whole_before_its_bar() -> None:
    written = io.StringIO()
    with RunProgress(Console(file=written, width=200, force_terminal=True)) as show:
        show([ModelProgress("a" * 30, total=9, done=2), ModelProgress("b" * 31, total=9, done=2)])
    assert "a" * 30 in written.getvalue() and "b" * 30 not in written.getvalue()


def test_the_rate_counts_from_when_what_was_waited_for_is_there() -> None:
    counts = ModelProgress("m", total=9)
    for waits, begins_anew in (
        (None, False),
        ("a GPU", False),
        ("a server", False),
        (None, True),
        (None, False),
    ):
        counts.began = 1.0
        counts.wait(waits)
        assert (counts.began != 1.0, counts.waits) == (begins_anew, waits)


def test_each_message_is_one_line_however_narrow_the_file_is() -> None:
    written = io.StringIO()
    show = RunProgress(Console(file=written, width=20))
    counts = ModelProgress(
        "a-model-with-a-long-name", total=9, done=2, notes=["a note that is longer than that"]
    )
    counts.about, counts.warning = "how it runs, at some length", "what should be known, at some length"
    counts.away, counts.away_until = "connection refused", time.monotonic() + 90
    show([counts])
    counts.away = None
    show([counts])
    counts.done = 9
    show([counts])
    begins = (f"{counts.endpoint}: how", "warning: what", "a note", "waiting for the server", "the server of")
    lines = written.getvalue().splitlines()
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=False)] == [True] * 5
    assert len(lines) == 6 and lines[-1].startswith(f"{counts.endpoint}: 9 of 9")


def test_where_every_reply_was_stored_one_line_says_that_nothing_was_asked() -> None:
    def told(*rounds: list[ModelProgress]) -> str:
        written = io.StringIO()
        with RunProgress(Console(file=written, width=200), then="Judging") as show:
            for counts in rounds:
                show(counts)
        return written.getvalue()

    stored = [ModelProgress("m", stored=1200), ModelProgress("n", stored=34)]
    assert told(stored) == "Nothing was asked: all 1,234 replies were stored already.\n"
    assert told([ModelProgress("m", stored=1)]) == "Nothing was asked: the one reply was stored already.\n"
    assert "Nothing was asked" not in told(
        stored, [ModelProgress("m", total=1, done=1, stored=1200)]
    )  # a later round asked
    assert "Nothing was asked" not in told([ModelProgress("m", total=3, stored=5, stopped="out of reach")])
    assert told([ModelProgress("m")]) == ""


def test_texts_are_counted_now_and_then_after_two_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two batches of ten texts, the first slow."""
    tell = watch("model")
    for seconds, done in (
        (100, 1),
        (101, 2),
        (103, 3),
        (109, 4),
        (113, 6),
        (114, 7),
        (116, 10),
        (116.5, 1),
        (117, 10),
    ):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: seconds)
        tell(done, 10)
    shown = [line.split(" texts")[0] for line in capsys.readouterr().err.splitlines()]
    assert shown == ["model: 6 of 10", "model: 10 of 10"]


def test_one_line_says_how_far_off_estimates_of_tokens_were() -> None:
    assert off_by({}) == off_by({"near": (100, 120.0)}) == ""
    assert off_by({"a": (1000, 1500.4)}) == "We estimated 1,500 input tokens for a; its server counted 1,000."
    assert off_by({"low": (1000, 600.0), "high": (1000, 1500.0)}).startswith(
        "We estimated 600 input tokens for low; its server"
    )
    twelve = {f"m{number}": (1000, 1300.0 + number) for number in range(12)}
    assert off_by(twelve).endswith("for m11; its server counted 1,000 (11 other models were off by less).")
    assert off_by({"a": (100, 150.0), "b": (100, 140.0)}).endswith("(one other model was off by less).")


def test_on_a_terminal_a_line_is_written_over_five_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    tell = watch("m")
    for seconds, done in ((100, 1), (101.9, 5), (102, 10), (102.1, 12), (102.2, 20), (112.2, 100)):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: seconds)
        tell(done, 100)
    assert written.getvalue() == (
        "\r\x1b[2Km: 10 of 100 texts, 5 per second, 18 s left"
        "\r\x1b[2Km: 20 of 100 texts, 9 per second, 9 s left"
        "\r\x1b[2Km: 100 of 100 texts, 8 per second, 0 s left\n"
    )


def test_a_run_says_how_far_off_its_estimate_of_tokens_was(tmp_path: Path) -> None:
    """The server counts a fourth of the characters, and 30 tokens for what its template puts in."""
    with ChatServer() as server:
        model = f"{server.url}/v1#with-template"
        done = folkways("run", "demo/mcq", "--limit", 6, "-m", model, "-w", tmp_path / "w.db")
    (said,) = re.findall(
        r"We estimated ([\d,]+) input tokens for .*; its server counted ([\d,]+)", done.stderr
    )
    estimated, counted = (int(number.replace(",", "")) for number in said)
    ((asked, expected),) = rows(tmp_path / "w.db", "SELECT count(*), sum(input_tokens) FROM responses")
    assert counted == expected
    assert estimated == pytest.approx(counted - 30 * asked, rel=0.2)


@pytest.mark.parametrize(("counted", "estimated"), [(12, 75.7), (3000, 1000.0)])
def test_counts_that_cannot_be_of_these_texts_are_passed_over(counted: int, estimated: float) -> None:
    """A server that says the same small number for every request, or adds its own prompt."""
    assert off_by({"odd": (counted, estimated)}) == ""
