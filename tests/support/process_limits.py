"""What a process may not do, set in it before its program begins: ``preexec_fn`` of a test."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

from folkways.engine.interrupts import STOPS

LIBC = ctypes.CDLL(None, use_errno=True)
CAPABILITIES_V3 = 0x20080522  # capget(2)
DROP_CAPABILITY, OVERRIDE_MODES, SEARCH_ANYWHERE = 24, 1, 2  # prctl(2), capabilities(7)


def hear_signals() -> None:
    """Signals do what they do in a process begun from a terminal: the tests may be deaf to them."""
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)


def obey_modes() -> None:
    """In a child of root: give up the right to write where the file's mode forbids it. Another user has no
    such right."""
    hear_signals()
    if os.geteuid() == 0:
        header, rights = (ctypes.c_uint32 * 2)(CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()
        for call in ("capget", "capset"):  # the rights of this process, and without the two
            if getattr(LIBC, call)(header, rights) != 0:
                raise OSError(ctypes.get_errno(), "the test runs as root and may not give up root's rights")
            for index in (0, 1):  # effective, permitted
                rights[index] &= ~(1 << OVERRIDE_MODES | 1 << SEARCH_ANYWHERE)
        for capability in (OVERRIDE_MODES, SEARCH_ANYWHERE):  # and of the programs that it begins
            if LIBC.prctl(DROP_CAPABILITY, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "the test runs as root and may not give up root's rights")


def limit_files(size: int) -> None:
    """No file may grow beyond ``size`` bytes, which a program sees like a full disk."""
    hear_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
