"""``hf/NAME``: a transformers model on this machine. Requests that wait at the same time are generated in one
batch."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path

from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointKind,
    EndpointOptions,
    NamedEndpoint,
    Request,
)
from folkways.endpoints.clean import quotable
from folkways.endpoints.generation import LoadedModel, load_model
from folkways.endpoints.likelihood import options_of
from folkways.errors import FolkwaysError, need_extra, option

_EDGE = 1024 * 1024

BATCH = 16
"""Requests that are generated together. More may wait, so that those of like length can be taken: with a
quarter of what waits in a batch little of it is padding (perf/local)."""


class LocalEndpoint(NamedEndpoint):
    """A model from the Hugging Face hub (``NAME`` or ``NAME@REVISION``) or from a folder.

    The identity is name and revision as written (``main`` if none: pin a commit to be sure of the model), or
    for a folder a hash of its files. Where temperature is 0 a batch is decoded greedily; otherwise every
    request is generated alone, from a seed made of its own settings and key, so that neither order nor batch
    changes what is drawn.
    """

    local = True
    reads_likelihoods = True
    reads_long_texts = True
    runs_here = True
    default_concurrency = 4 * BATCH

    def __init__(self, model: str, *, seed: int = 0) -> None:
        folder = Path(model).expanduser()
        self._revision: str | None = None
        if folder.is_dir():
            self._source = str(folder)
            identity = f"hf/folder:{folder_fingerprint(folder)}"
        else:
            self._source, _, revision = model.partition("@")
            self._revision = revision or None
            identity = f"hf/{self._source}@{revision or 'main'}"
        self._begin(f"hf/{model}", identity, seed)

    def _begin(self, name: str, identity: str, seed: int = 0) -> None:
        self.name, self.identity, self._seed = name, identity, seed
        self.about: str | None = None
        self._model: LoadedModel | None = None
        self._worker: asyncio.Task[None] | None = None
        self._queue: asyncio.Queue[PendingRequest] = asyncio.Queue()
        self._pending: set[PendingRequest] = set()
        self._stop = threading.Event()

    def check(self) -> None:
        """MissingExtraError without the extra ``local``."""
        why = f"{self.about}; " if self.about else ""
        need_extra("local", f"{why}the endpoint {self.name}", "torch", "transformers")

    async def open(self, concurrency: int) -> None:
        """Load model and tokenizer, and start batching.

        concurrency: requests that wait at once. A batch holds at most a quarter of them, or BATCH if that
        is more. Raises MissingExtraError without the extra ``local``, FolkwaysError where the model
        cannot be loaded.
        """
        if self._worker is not None:
            return
        self._stop = threading.Event()
        self._queue = asyncio.Queue()
        self._model = await asyncio.to_thread(self._load)
        self._worker = asyncio.create_task(self._work(self._model, max(concurrency // 4, BATCH)))

    def _load(self) -> LoadedModel:
        return load_model(self._source, self._revision)

    async def close(self) -> None:
        """Stop generating, also in the middle of a batch, and let the model go. Safe to call twice."""
        self._stop.set()
        worker, self._worker, self._model = self._worker, None, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        for one in self._pending:
            if not one.answer.done():
                one.answer.set_exception(EndpointFailure(f"{self.name} was closed", retryable=True))

    async def complete(self, request: Request) -> Completion:
        """Generate. Raises EndpointFailure for a prompt that is too long or a setting that a local model has
        not, FolkwaysError before ``open``."""
        if self._worker is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        if request.settings.reasoning_effort is not None:
            setting = f"reasoning_effort={request.settings.reasoning_effort}"
            raise EndpointFailure(
                f"{self.name} has no setting reasoning_effort: leave out {setting} with "
                f"{option('settings', 'reasoning_effort=none')}",
                fatal=True,
            )
        if request.settings.read is not None:
            options_of(self.name, request)
        waiting = PendingRequest(request, asyncio.get_running_loop().create_future())
        self._pending.add(waiting)
        self._queue.put_nowait(waiting)
        try:
            return await waiting.answer
        finally:
            self._pending.discard(waiting)

    async def _work(self, model: LoadedModel, largest: int) -> None:
        waiting: list[PendingRequest] = []
        while True:
            waiting = waiting or [await self._queue.get()]
            await asyncio.sleep(0)  # let the requests that were started together queue up together
            while not self._queue.empty():
                waiting.append(self._queue.get_nowait())
            waiting = [one for one in waiting if not one.answer.done()]
            if not waiting:
                continue
            batch = next_batch(waiting, largest)
            waiting = [one for one in waiting if one not in batch]
            await self._generate(model, batch)

    async def _generate(self, model: LoadedModel, batch: list[PendingRequest]) -> None:
        requests = [one.request for one in batch]
        settings = requests[0].settings
        seed = None if settings.temperature == 0 else sampling_seed(requests[0], self._seed)
        answers: list[Completion | EndpointFailure]
        try:
            if settings.read is not None:
                answers = await asyncio.to_thread(model.choose, requests)
            else:
                answers = await asyncio.to_thread(model.generate, requests, seed, self._stop)
        except Exception as error:  # noqa: BLE001 - whatever a model's code raises, these requests failed and others may not
            message = quotable(f"{type(error).__name__}: {error}")
            answers = [EndpointFailure(f"{self.name}: generating failed: {message}") for _ in batch]
        for one, answer in zip(batch, answers, strict=True):
            if one.answer.done():
                continue
            if isinstance(answer, EndpointFailure):
                one.answer.set_exception(answer)
            else:
                one.answer.set_result(answer)


@dataclass(frozen=True, eq=False, slots=True)
class PendingRequest:
    """A request that waits for its turn, and the future that gets the answer."""

    request: Request
    answer: asyncio.Future[Completion]


def next_batch(waiting: list[PendingRequest], largest: int) -> list[PendingRequest]:
    """What to generate next: the first request and those nearest to it in length, of the same settings; alone
    if it is sampled."""
    first = waiting[0].request
    if first.settings.temperature != 0 and first.settings.read is None:
        return waiting[:1]
    alike = [one for one in waiting if one.request.settings == first.settings]
    return sorted(alike, key=lambda one: abs(_length(one.request) - _length(first)))[:largest]


def _length(request: Request) -> int:
    return len(request.user) + len(request.system or "")


def sampling_seed(request: Request, seed: int) -> int:
    """The seed (56 bits) that a request is sampled from: of its own settings, or ``seed``, with its key and
    sample mixed in."""
    own_seed = request.settings.seed
    text = f"{seed if own_seed is None else own_seed}\0{request.key}\0{request.sample}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")


def folder_fingerprint(folder: Path) -> str:
    """16 hexadecimal digits over the files of a model folder: small files whole, of weights the size and both
    ends (1 MiB each)."""
    digest = sha256()
    for file in sorted(
        path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")
    ):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(_EDGE))
            if size > _EDGE:
                stream.seek(max(size - _EDGE, _EDGE))
                digest.update(stream.read(_EDGE))
    return digest.hexdigest()[:16]


def _open(name: str, options: EndpointOptions, _need_key: bool) -> LocalEndpoint:
    model = name.partition("/")[2]
    if not model:
        raise FolkwaysError(
            "'hf' names no model: write hf/NAME with a name of the hub or a folder, hf/./my-model"
        )
    return LocalEndpoint(model, seed=options.seed)


KIND = EndpointKind(
    {
        "hf/NAME[@REVISION]": "a transformers model from the Hugging Face hub or a folder, on this machine "
        "(extra: local)"
    },
    _open,
)
