"""How a process of folkways treats memory: the command line and the workers of a cluster are set alike."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

ALLOCATOR = ("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
"""Has the allocator of polars return freed memory at once: 30 MB less at 80,000 requests, and no slower."""

PIECES = (-3, 1024 * 1024)
"""``mallopt(M_MMAP_THRESHOLD, 1 MiB)``: glibc takes larger blocks from the system one by one, and returns
them. By itself it raises the limit to 32 MiB as large blocks are freed, and small ones among them then keep
the rest from being returned: 10 MB at 80,000 requests."""

GARBAGE_AFTER = 50_000
"""Objects made between two runs of the cycle collector. Replies and judgements never form cycles; the usual
700 cost half a second at 80,000 requests."""


def tune_process() -> None:
    """Collect cycles rarely, and have the allocators of polars and of glibc return what is freed; other
    systems have their own ways."""
    gc.set_threshold(GARBAGE_AFTER, 20, 20)
    os.environ.setdefault(*ALLOCATOR)
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # musl has no mallopt
            ctypes.CDLL(None).mallopt(*PIECES)
