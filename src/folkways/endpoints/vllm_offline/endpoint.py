"""``vllm-offline/NAME``: a model in vLLM's own engine, which runs in a process of its own and is asked
through a pipe."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import orjson

from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointKind,
    EndpointOptions,
    NamedEndpoint,
    NotServedError,
    Request,
)
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.likelihood import options_of
from folkways.endpoints.local import LocalEndpoint, folder_fingerprint, sampling_seed
from folkways.errors import FolkwaysError, option

WAITING = 2048
"""Requests at once: as many as the engine works on, and more, so that those with the same beginning can be
put together."""

LINE = 64 * 1024 * 1024
"""Bytes of a line from the engine at most."""

END_SECONDS = 10.0


class VllmOfflineEndpoint(NamedEndpoint):
    """A model of the Hugging Face hub (``NAME`` or ``NAME@REVISION``) or a folder, in vLLM's engine.

    The identity is name and revision, or a hash of the folder's files, as of ``hf/``; that vLLM runs it
    belongs to it, as other kernels round otherwise. What is sampled is drawn from a seed made of each
    request's own settings and key.
    environment: variables for the engine's process: its GPUs.
    """

    local = True
    reads_likelihoods = True
    reads_long_texts = True
    runs_here = True
    default_concurrency = WAITING

    def __init__(
        self, model: str, options: EndpointOptions, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = f"vllm-offline/{model}"
        self._written, self._options, self._environment = model, options, dict(environment or {})
        folder = Path(model).expanduser()
        if folder.is_dir():
            self._source, self._revision = str(folder), None
            self.identity = f"vllm-offline/folder:{folder_fingerprint(folder)}"
        else:
            self._source, _, revision = model.partition("@")
            self._revision = revision or None
            self.identity = f"vllm-offline/{self._source}@{revision or 'main'}"
        self.about = ""
        self._process: asyncio.subprocess.Process | None = None
        self._log: IO[bytes] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0

    def deployed(self, environment: Mapping[str, str]) -> VllmOfflineEndpoint:
        """The same model on the GPUs that these variables name."""
        return VllmOfflineEndpoint(self._written, self._options, environment)

    async def open(self, concurrency: int) -> None:
        """Start the engine and wait until the model is loaded. NotServedError with its last lines where it
        cannot be."""
        if self._process is not None:
            return
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has failed, closed by close()
        environment = {**os.environ, **self._environment}
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "folkways.endpoints.vllm_offline.child",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment,
                start_new_session=True,
                limit=LINE,
            )
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            gpus = len(list(filter(None, environment.get("CUDA_VISIBLE_DEVICES", "").split(","))))
            self._write(
                {"model": self._source, "revision": self._revision, "seed": self._options.seed, "gpus": gpus}
            )
            first = await process.stdout.readline()
            message = orjson.loads(first) if first else {"error": await self.last_words()}
            if "served" not in message:
                raise NotServedError(
                    f"{self.name}: vLLM did not load the model: {quotable(message['error'], limit=600)}"
                )
        except BaseException:
            await self.close()
            raise
        self.about = storable(message["served"])
        self._reader = asyncio.create_task(self._read(process.stdout))

    async def close(self) -> None:
        """End the engine and its processes, also in the middle of a reply. Safe to call twice."""
        process, self._process = self._process, None
        reader, self._reader = self._reader, None
        log, self._log = self._log, None
        if reader is not None:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        if process is not None:
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            process.stdin.close()  # which ends vLLM's own processes too
            await process.wait()
        if log is not None:
            log.close()
        self._lose("was closed")

    async def complete(self, request: Request) -> Completion:
        """Ask. EndpointFailure for a prompt that is too long, a setting that the engine has not, or when it
        has ended; FolkwaysError before ``open``."""
        if self._process is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        settings = request.settings
        if settings.reasoning_effort is not None:
            message = (
                f"{self.name} has no setting reasoning_effort: leave it out with "
                f"{option('settings', 'reasoning_effort=none')}"
            )
            raise EndpointFailure(message, fatal=True)
        if settings.read is not None:
            options_of(self.name, request)
        elif settings.temperature != 0:
            settings = replace(settings, seed=sampling_seed(request, self._options.seed))
        self._number += 1
        number, answer = self._number, asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            question = {"user": request.user, "system": request.system, "choices": request.choices}
            self._write({"id": number, "settings": asdict(settings), **question})
            row = await answer
        finally:
            self._answers.pop(number, None)
        if "failure" in row:
            raise EndpointFailure(f"{self.name}: {quotable(row['failure'])}", status=400)
        return Completion(
            storable(row["text"]),
            row["finish_reason"],
            model=self.about,
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
        )

    def _write(self, row: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None  # noqa: S101 - it is open
        with suppress(OSError):  # it has ended: the reader tells
            self._process.stdin.write(orjson.dumps(row) + b"\n")

    async def _read(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            message = orjson.loads(line)
            answer = self._answers.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message)
        self._lose("its engine ended while it was asked")

    def _lose(self, why: str) -> None:
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(EndpointFailure(f"{self.name}: {why}", retryable=True))

    async def has_ended(self, within: float) -> bool:
        """Whether the engine has ended, or does so ``within`` seconds."""
        process = self._process
        if process is None:
            return True
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), within)
        return process.returncode is not None

    async def last_words(self) -> str:
        """The last line that the engine wrote, and its exit code."""
        code = (
            await self._process.wait()
            if self._process is not None and await self.has_ended(END_SECONDS)
            else None
        )
        tail = ""
        if self._log is not None and not self._log.closed:
            self._log.seek(0)
            lines = [
                line
                for line in self._log.read()[-64_000:].decode("utf-8", "replace").splitlines()
                if line.strip()
            ]
            tail = " | ".join(map(quotable, lines[-3:]))
        return f"{tail or 'it wrote nothing'}" + (f" (exit code {code})" if code is not None else "")


def _open(name: str, options: EndpointOptions, need_key: bool) -> VllmOfflineEndpoint | LocalEndpoint:
    model = name.partition("/")[2]
    if not model:
        raise FolkwaysError(
            "'vllm-offline' names no model: write vllm-offline/NAME with a name of the hub or a folder"
        )
    if find_spec("vllm") is not None or not need_key:
        return VllmOfflineEndpoint(model, options)
    endpoint = LocalEndpoint(model, seed=options.seed)
    endpoint.about = "vLLM is not installed (pip install vllm): transformers runs the model, in batches"
    return endpoint


KIND = EndpointKind(
    {
        "vllm-offline/NAME[@REVISION]": "the same in vLLM's engine, without a server; where vLLM is not "
        "installed it is hf/NAME"
    },
    _open,
)
