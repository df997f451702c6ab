"""Ctrl-C, SIGTERM and a terminal that is closed (SIGHUP): none of them may be lost.

Left to Python, Ctrl-C is an exception at whatever line runs at the moment. Where that line belongs to a
finaliser, to the callback of a weak reference or to a library's hook, the exception is dropped: the program
goes on, and spends. So it is remembered as well from when a command begins, and what plans or asks looks
whether one came. What came is known until the next command begins, for its exit code. Imports nothing heavy:
the command line begins with it.

Nothing is raised inside an import: a native module that imports Python modules as it starts (polars does)
panics over an exception there. The exception comes as soon as the import has ended.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end asking cleanly. Elsewhere all but the first end the process at once, which loses nothing
that was stored."""
INTERRUPTED = "\nInterrupted.\n"
LOOK_AGAIN = 0.01
"""Seconds until a signal that came inside an import is looked at again."""
IMPORTING = "<frozen importlib"
"""How the files of Python's own import code begin."""


class _SignalState:
    """Blocks that have taken signals over, what signals came since the first began, whether no listener heard
    one of them, whether the last one waits for the end of an import, and what is called in place of an
    exception."""

    blocks = 0
    came: list[int] = []  # noqa: RUF012 - one for the process
    unheard = False
    deferred = False
    listener: Callable[[], object] | None = None


@contextmanager
def remembered() -> Iterator[None]:
    """Within the block each of STOPS raises KeyboardInterrupt, as Ctrl-C does anyway, and ``check`` raises it
    from then on."""
    hook = sys.unraisablehook

    def dropped(event: sys.UnraisableHookArgs) -> None:
        # of that one no traceback is due: it is acted on later
        if not isinstance(event.exc_value, KeyboardInterrupt):
            hook(event)

    sys.unraisablehook = dropped
    try:
        with _taken_over(STOPS):
            yield
    finally:
        if sys.unraisablehook is dropped:  # else the process is leaving
            sys.unraisablehook = hook


@contextmanager
def listening(listener: Callable[[], object]) -> Iterator[None]:
    """Within the block each of STOPS calls ``listener`` and raises nothing; Ctrl-C that was remembered calls
    it at once.

    Outside of the main thread nothing is called, because Python runs handlers in that thread alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _taken_over(STOPS):
        before, _SignalState.listener = _SignalState.listener, listener
        try:
            if _SignalState.came:
                _SignalState.unheard = _SignalState.deferred = False
                listener()
            yield
        finally:
            _SignalState.listener = before


@contextmanager
def held() -> Iterator[None]:
    """Keep the first signal until the end of the block, where KeyboardInterrupt is raised: for what must not
    be left half made. The second raises it at once."""
    came: list[None] = []

    def hold() -> None:
        came.append(None)
        if len(came) > 1:
            raise KeyboardInterrupt

    with listening(hold):
        yield
    if came:
        raise KeyboardInterrupt


def check() -> None:
    """KeyboardInterrupt if a signal came that no listener heard: for the places between two steps of
    something long."""
    if _SignalState.blocks and _SignalState.unheard:
        _interrupt()


def exit_code() -> int:
    """What a process says that a signal ended: 128 and the first one's number, as shells do; that of Ctrl-C
    where none came."""
    return 128 + (_SignalState.came[0] if _SignalState.came else signal.SIGINT)


def leave() -> NoReturn:
    """End the process that a signal interrupted, in one line. What was being made is left half made, such as
    an event loop or a coroutine, and its complaint as Python clears it away is of no use to anyone."""
    sys.unraisablehook = lambda _event: None
    warnings.simplefilter("ignore")
    sys.stderr.write(INTERRUPTED)
    sys.exit(exit_code())


def reason() -> str:
    """Who ended it, for people."""
    if not _SignalState.came or _SignalState.came[0] == signal.SIGINT:
        return "interrupted by the user"
    return f"ended by {signal.Signals(_SignalState.came[0]).name}"


@contextmanager
def _taken_over(numbers: tuple[int, ...]) -> Iterator[None]:
    """Handle these signals here. One that is ignored stays so: ``nohup`` and a shell's background jobs have
    their reasons."""
    before = {
        number: handler
        for number in numbers
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)
    }
    if not _SignalState.blocks:
        _SignalState.came.clear()
        _SignalState.unheard = False
    _SignalState.blocks += 1
    for number in before:
        signal.signal(number, _came)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _SignalState.blocks -= 1
        if _SignalState.deferred:
            _interrupt()


def _interrupt() -> NoReturn:
    _SignalState.deferred = False
    raise KeyboardInterrupt


def _came(number: int, frame: FrameType | None) -> None:
    _SignalState.came.append(number)
    if _SignalState.listener is not None:
        _SignalState.listener()
        return
    _SignalState.unheard = True
    if _imports(frame):
        _SignalState.deferred = True
        # not a Timer, whose locks the interrupted line may hold
        _thread.start_new_thread(_look_again, (number,))
    else:
        _interrupt()


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTING):
            return True
        frame = frame.f_back
    return False


def _look_again(number: int) -> None:
    time.sleep(LOOK_AGAIN)
    if not _SignalState.deferred:
        return
    if sys.platform == "win32":
        _thread.interrupt_main(signal.Signals(number))
    else:  # which ends a wait as well
        signal.pthread_kill(threading.main_thread().ident or 0, number)
