"""Runs a transformers encoder over texts: length-sorted batches, on one device or on several at a time.

An embedding is bit-identical whatever else is in the batch. Matrix products differ in the last
digits by the shape of the matrices; so the shape of a batch follows from the length of its texts alone.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from folkways.errors import FolkwaysError, of_extra
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.folder import ModelFolder

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
Told = Callable[[int, int], None]
"""Is told how many texts are done, of how many."""

EXTRA = "neural"
# with padding; more at a time is hardly faster, and the last batch is filled up
TOKENS_PER_BATCH = {"cpu": 256, "other": 8_192}
STEP = 8
"""Lengths are padded to its multiples: one that does not fill the registers is computed in another order at
the edge of a batch."""

# their positions begin after the padding's
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")
_NO_LIMIT = 1_000_000  # what a tokenizer without a limit of its own says is far beyond


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of one text: hidden states (tokens, size) in single precision, and which tokens are not the
    model's own marks."""

    states: Floats
    words: Bools


class Encoder:
    """One layer of a model, loaded when the first text is encoded.

    layer: counted from 1; the layers above it are not loaded. None for the last. FolkwaysError where the
        model has fewer.
    longest: tokens of a text at most, the marks at its ends included; None for what the model takes. The rest
        is cut off.

    Two encoders of the same model give the same on devices of the same kind, however the texts are divided
    among them.
    """

    def __init__(
        self,
        folder: ModelFolder,
        layer: int | None = None,
        longest: int | None = None,
        compute: Compute | None = None,
    ) -> None:
        self.folder = folder
        self.layer = layer or folder.layers
        self.longest = longest
        self.compute = compute or Compute()
        if not 1 <= self.layer <= folder.layers:
            raise FolkwaysError(
                f"the model {folder.name} has {folder.layers} layers, and layer {layer} is asked for "
                f"({folder.path})"
            )
        self._loaded: _LoadedModel | None = None

    def encode(
        self, texts: Sequence[str], tell: Told = lambda _done, _all: None
    ) -> Iterator[tuple[int, TokenVectors]]:
        """The vectors of every text with its place in ``texts``, longest texts first.

        Raises MissingExtraError without torch and transformers, FolkwaysError for a model that cannot be
        loaded, that computes NaN, or does not fit on its device; batches that do not fit are split (see
        ``MemoryGuard``), and then the last digits may be others.
        """
        if not texts:
            return
        self._loaded = self._loaded or _load(self.folder, self.layer, self.longest, self.compute)
        loaded = self._loaded
        tokens = loaded.tokens(texts)
        done = 0
        for batch, vectors in loaded.run(loaded.batches([len(ids) for ids in tokens]), tokens):
            yield from zip(batch, vectors, strict=True)
            done += len(batch)
            tell(done, len(texts))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: what libraries make while they are imported stays, and looking through it
    takes a second."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@dataclass(frozen=True)
class _LoadedModel:
    name: str
    torch: Any
    tokenizer: Any
    copies: Sequence[Any]
    longest: int
    positions: int
    padding: int
    marks: tuple[int, ...]
    budget: int
    room: MemoryGuard

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token numbers of each text, with the marks at both ends."""
        encoded = self.tokenizer(
            list(texts),
            truncation=True,
            max_length=self.longest,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        return list(encoded["input_ids"])

    def batches(self, lengths: Sequence[int]) -> list[list[int]]:
        """Places of texts that are padded to the same length, longest first; see ``_rows`` for how many there
        are."""
        batches: list[list[int]] = []
        shapes = [self._shape(length) for length in lengths]
        for index in sorted(range(len(lengths)), key=lambda index: shapes[index], reverse=True):
            last = batches[-1] if batches else []
            if last and shapes[last[0]] == shapes[index] and len(last) < self._rows(shapes[index][0]):
                last.append(index)
            else:
                batches.append([index])
        return batches

    def _shape(self, length: int) -> tuple[int, bool]:
        """The length with padding, and whether there is any: without, attention is computed in another
        way."""
        padded = min((length // STEP + 1) * STEP, max(length, self.positions))
        return padded, padded > length

    def _rows(self, padded: int) -> int:
        """Texts of a batch; one with fewer is filled up."""
        return max(1, self.budget // padded)

    def run(
        self, batches: Sequence[list[int]], tokens: list[list[int]]
    ) -> Iterator[tuple[list[int], list[TokenVectors]]]:
        """Each batch with its vectors, in order; as many at a time as there are copies of the model."""
        if len(self.copies) == 1:
            for batch in batches:
                yield batch, self._vectors(self.copies[0], batch, tokens)
            return
        idle: SimpleQueue[Any] = SimpleQueue()
        for copy in self.copies:
            idle.put(copy)

        def work(batch: list[int]) -> list[TokenVectors]:
            copy = idle.get()
            try:
                return self._vectors(copy, batch, tokens)
            finally:
                idle.put(copy)

        with ThreadPoolExecutor(len(self.copies)) as pool:
            yield from zip(batches, pool.map(work, batches), strict=True)

    def _vectors(self, model: Any, batch: list[int], tokens: list[list[int]]) -> list[TokenVectors]:
        padded, _ = self._shape(len(tokens[batch[0]]))
        filler = [tokens[batch[0]]] * (self._rows(padded) - len(batch))
        made = self.room.run(
            partial(self._computed, model, padded), [*(tokens[index] for index in batch), *filler]
        )
        return made[: len(batch)]

    def _computed(self, model: Any, padded: int, batch: Sequence[list[int]]) -> list[TokenVectors]:
        ids = np.full((len(batch), padded), self.padding, dtype=np.int64)
        for row, numbers in enumerate(batch):
            ids[row, : len(numbers)] = numbers
        lengths = np.array([len(numbers) for numbers in batch])
        inputs = {"input_ids": self.torch.from_numpy(ids).to(model.device)}
        if lengths.min() < padded:
            attention = (np.arange(padded) < lengths[:, None]).astype(np.int64)
            inputs["attention_mask"] = self.torch.from_numpy(attention).to(model.device)
        with self.torch.inference_mode():
            states = model(**inputs).last_hidden_state.float().cpu().numpy()
        if not all(np.isfinite(states[row, :length]).all() for row, length in enumerate(lengths)):
            raise FolkwaysError(
                f"the model {self.name} computes what is not a number in "
                f"{str(model.dtype).removeprefix('torch.')}; "
                "try the precision bf16 or fp32, and if it is fp32 already, its weights are broken"
            )
        words = ~np.isin(ids, self.marks)
        return [
            TokenVectors(np.ascontiguousarray(states[row, :length]), words[row, :length].copy())
            for row, length in enumerate(lengths)
        ]


@_uncollected()
def _load(folder: ModelFolder, layer: int, longest: int | None, compute: Compute) -> _LoadedModel:
    with of_extra(EXTRA, f"comparing texts with {folder.name}"):
        torch, transformers = import_module("torch"), import_module("transformers")
    devices = compute.places(torch)
    precision = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[compute.precision]
    try:
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
            copies = [
                transformers.AutoModel.from_pretrained(
                    folder.path, num_hidden_layers=layer, local_files_only=True
                )
                .to(device=device, dtype=precision)
                .eval()
                for device in devices
            ]
    except Exception as error:  # noqa: BLE001 - what a library raises for a broken folder has no common base
        message = str(error).strip().splitlines() or [type(error).__name__]
        raise FolkwaysError(
            f"the model {folder.name} in {folder.path} cannot be loaded: {message[0]}"
        ) from None
    positions = folder.config.get("max_position_embeddings", 512) - 2 * (
        folder.config.get("model_type") in _OFFSET_POSITIONS
    )
    limit = tokenizer.model_max_length if tokenizer.model_max_length <= _NO_LIMIT else positions
    marks = tuple(number for number in (tokenizer.cls_token_id, tokenizer.sep_token_id) if number is not None)
    return _LoadedModel(
        name=folder.name,
        torch=torch,
        tokenizer=tokenizer,
        copies=copies,
        longest=min(limit, longest or limit),
        positions=positions,
        padding=tokenizer.pad_token_id or 0,
        marks=marks,
        budget=TOKENS_PER_BATCH["cpu" if all(device.startswith("cpu") for device in devices) else "other"],
        # the latter does nothing without a GPU
        room=MemoryGuard(folder.name, torch.cuda.OutOfMemoryError, torch.cuda.empty_cache),
    )


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without the library's report on the layers that are left out on purpose, and its bars."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


Result = TypeVar("Result")
Tokens = list[int]


class MemoryGuard:
    """Limits how many tokens, padding included, a model gets at once; the limit shrinks when memory runs out.

    full: what is raised where memory does not suffice.
    empty: gives back what earlier batches left reserved.
    model: its name, for messages. All copies of a model share one: a limit that one of them would not need
        costs it little.
    """

    def __init__(self, model: str, full: type[Exception], empty: Callable[[], object]) -> None:
        self._model = model
        self._full = full
        self._empty = empty
        self._tokens: int | None = None

    def run(self, work: Callable[[Sequence[Tokens]], list[Result]], batch: Sequence[Tokens]) -> list[Result]:
        """What ``work`` makes of each text of ``batch``, in as many goes as it takes.

        Warns (RuntimeWarning) when the room turns out smaller. FolkwaysError where there is none for a single
        text.
        """
        made: list[Result] = []
        while len(made) < len(batch):
            rest = batch[len(made) :]
            part = rest if self._tokens is None else rest[: max(1, self._tokens // max(map(len, rest)))]
            try:
                made += work(part)
            except self._full:
                # what is done about it comes after this block: until then the error holds the batch in memory
                fits = False
            else:
                fits = True
            if not fits:
                self._shrink(len(part), max(map(len, part)))
        return made

    def _shrink(self, texts: int, longest: int) -> None:
        self._empty()
        if texts == 1:
            raise FolkwaysError(
                f"the device has no memory left for one text of {longest:,} tokens with the model "
                f"{self._model}; "
                "free some, name another device, or let it compute with 16 bits (precision bf16)"
            )
        tokens = texts // 2 * longest
        if self._tokens is None or tokens < self._tokens:
            self._tokens = tokens
            warnings.warn(
                f"{texts:,} texts of up to {longest:,} tokens do not fit the memory of the device with the "
                f"model {self._model}: it goes on with {tokens:,} tokens at a time",
                RuntimeWarning,
                stacklevel=2,
            )
