"""Signals that are remembered: one that falls where Python drops exceptions still stops what comes next."""

from __future__ import annotations

import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from folkways.engine import interrupts

pytestmark = pytest.mark.usefixtures("default_signals")


class Thing:
    """Something that can be referred to weakly."""


def drop_one() -> None:
    """Ctrl-C within the callback of a weak reference, out of which Python lets no exception."""
    thing = Thing()
    reference = weakref.ref(thing, lambda _reference: signal.raise_signal(signal.SIGINT))
    del thing
    assert reference() is None


def test_an_interrupt_that_python_drops_is_found_at_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)
    with interrupts.remembered():
        interrupts.check()
        drop_one()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    interrupts.check()  # it belonged to that block
    assert shown == []
    with interrupts.remembered():
        weakref.finalize(Thing(), lambda: 1 / 0)  # anything else is shown as ever
        assert [event.exc_type for event in shown] == [ZeroDivisionError]


def test_an_interrupt_that_was_dropped_before_asking_began_is_told_when_it_does() -> None:
    calls = []
    with interrupts.remembered():
        drop_one()
        with interrupts.listening(lambda: calls.append("told")):
            assert calls == ["told"]
            for number in interrupts.STOPS:
                signal.raise_signal(number)
            assert calls == ["told"] * (1 + len(interrupts.STOPS))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_signal_that_ended_asking_cleanly_ends_nothing_that_comes_behind_it() -> None:
    """As where a cluster judges what it was asked until then. The next one does."""
    with interrupts.remembered():
        with interrupts.listening(lambda: None):
            signal.raise_signal(signal.SIGTERM)
        interrupts.check()
        drop_one()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        assert interrupts.exit_code() == 128 + signal.SIGTERM


def test_what_must_not_be_left_half_made_is_made_before_a_signal_ends_it() -> None:
    """But for a second one, which may find it waiting for ever."""
    made: list[str] = []
    with interrupts.remembered():
        with pytest.raises(KeyboardInterrupt), interrupts.held():
            signal.raise_signal(signal.SIGINT)
            made.append("whole")
        with pytest.raises(KeyboardInterrupt), interrupts.held():
            made.append("whole, where one had come before")
    with interrupts.remembered(), pytest.raises(KeyboardInterrupt), interrupts.held():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        made.append("after the second")
    with interrupts.remembered(), interrupts.held():
        made.append("unharmed")
    assert made == ["whole", "whole, where one had come before", "unharmed"]


def test_handlers_of_before_come_back_and_nothing_is_remembered_beyond_the_block() -> None:
    before = {number: signal.getsignal(number) for number in interrupts.STOPS}
    hook = sys.unraisablehook
    with interrupts.listening(lambda: None):
        signal.raise_signal(signal.SIGINT)
    interrupts.check()
    with interrupts.remembered(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    interrupts.check()
    assert {number: signal.getsignal(number) for number in interrupts.STOPS} == before
    assert sys.unraisablehook is hook


@pytest.mark.parametrize("number", interrupts.STOPS, ids=lambda number: number.name)
def test_the_first_signal_decides_what_the_process_says_of_its_end(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        assert (interrupts.exit_code(), interrupts.reason()) == (
            130,
            "interrupted by the user",
        )  # none came yet
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(signal.SIGINT)
    whose = "interrupted by the user" if number == signal.SIGINT else f"ended by {number.name}"
    assert (interrupts.exit_code(), interrupts.reason()) == (
        128 + number,
        whose,
    )  # known when the command has ended
    with interrupts.listening(lambda: None):
        assert interrupts.exit_code() == 130  # and forgotten by the next


def ignoring(number: int) -> Callable[[], object]:
    return lambda: signal.signal(number, signal.SIG_IGN)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("number", interrupts.STOPS, ids=lambda number: number.name)
def test_what_is_ignored_by_inheritance_stays_so(number: signal.Signals) -> None:
    """As below ``nohup``, and in a job that a script began in the background."""
    program = f"""
import signal
from folkways.engine import interrupts
calls = []
with interrupts.remembered(), interrupts.listening(lambda: calls.append(1)):
    signal.raise_signal({int(number)})
    assert signal.getsignal({int(number)}) is signal.SIG_IGN
print(calls)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=ignoring(number)
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
