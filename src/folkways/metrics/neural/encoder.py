"""Runs a transformers encoder over texts: length-sorted batches, on one device or on several at a time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from folkways.errors import FolkwaysError, MissingExtraError
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.folder import ModelFolder
from folkways.metrics.neural.room import Room

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
Told = Callable[[int, int], None]
"""Is told how many texts are done, of how many."""

EXTRA = "neural"
TOKENS_PER_BATCH = {"cpu": 1_024, "other": 32_768}  # with padding; a CPU works best on what stays in its cache
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")  # their positions begin after the padding's
_NO_LIMIT = 1_000_000  # what a tokenizer without a limit of its own says is far beyond


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of one text: hidden states (tokens, size) in single precision, and which tokens are not the model's own marks."""

    states: Floats
    words: Bools


class Encoder:
    """One layer of a model, loaded when the first text is encoded.

    layer:   counted from 1; the layers above it are not loaded. None for the last. FolkwaysError where the model has fewer.
    longest: tokens of a text at most, the marks at its ends included; None for what the model takes. The rest is cut off.
    """

    def __init__(
        self, folder: ModelFolder, layer: int | None = None, longest: int | None = None, compute: Compute | None = None
    ) -> None:
        self.folder = folder
        self.layer = layer or folder.layers
        self.longest = longest
        self.compute = compute or Compute()
        if not 1 <= self.layer <= folder.layers:
            raise FolkwaysError(
                f"the model {folder.name} has {folder.layers} layers, and layer {layer} is asked for ({folder.path})"
            )
        self._loaded: _Loaded | None = None

    def encode(self, texts: Sequence[str], tell: Told = lambda _done, _all: None) -> Iterator[tuple[int, TokenVectors]]:
        """The vectors of every text with its place in ``texts``, longest texts first.

        Raises MissingExtraError without torch and transformers, FolkwaysError for a model that cannot be loaded, that computes what
        is no number, or for which a device has no room; batches that do not fit are cut (see ``Room``).
        """
        if not texts:
            return
        self._loaded = self._loaded or _load(self.folder, self.layer, self.longest, self.compute)
        loaded = self._loaded
        tokens = loaded.tokens(texts)
        done = 0
        for batch, vectors in loaded.run(_batches([len(ids) for ids in tokens], loaded.budget), tokens):
            yield from zip(batch, vectors, strict=True)
            done += len(batch)
            tell(done, len(texts))


@dataclass(frozen=True)
class _Loaded:
    name: str
    torch: Any
    tokenizer: Any
    copies: Sequence[Any]
    longest: int
    padding: int
    marks: tuple[int, ...]
    budget: int
    room: Room

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token numbers of each text, with the marks at both ends."""
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=self.longest, return_attention_mask=False, return_token_type_ids=False
        )
        return list(encoded["input_ids"])

    def run(self, batches: Sequence[list[int]], tokens: list[list[int]]) -> Iterator[tuple[list[int], list[TokenVectors]]]:
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
        return self.room.run(partial(self._computed, model), [tokens[place] for place in batch])

    def _computed(self, model: Any, batch: Sequence[list[int]]) -> list[TokenVectors]:
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), self.padding, dtype=np.int64)
        for row, numbers in enumerate(batch):
            ids[row, : len(numbers)] = numbers
        lengths = np.array([len(numbers) for numbers in batch])
        inputs = {"input_ids": self.torch.from_numpy(ids).to(model.device)}
        if lengths.min() < longest:
            there = (np.arange(longest) < lengths[:, None]).astype(np.int64)
            inputs["attention_mask"] = self.torch.from_numpy(there).to(model.device)
        with self.torch.inference_mode():
            states = model(**inputs).last_hidden_state.float().cpu().numpy()
        if not all(np.isfinite(states[row, :length]).all() for row, length in enumerate(lengths)):
            raise FolkwaysError(
                f"the model {self.name} computes what is no number in {str(model.dtype).removeprefix('torch.')}; "
                "try --precision bf16 or fp32, and if it is fp32 already, its weights are broken"
            )
        words = ~np.isin(ids, self.marks)
        return [
            TokenVectors(np.ascontiguousarray(states[row, :length]), words[row, :length].copy())
            for row, length in enumerate(lengths)
        ]


def _batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Places of texts, longest first, in batches of at most ``budget`` tokens with padding (or of one text)."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= budget:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


def _load(folder: ModelFolder, layer: int, longest: int | None, compute: Compute) -> _Loaded:
    with _uncollected():
        return _loaded(folder, layer, longest, compute)


def _loaded(folder: ModelFolder, layer: int, longest: int | None, compute: Compute) -> _Loaded:
    try:
        torch, transformers = import_module("torch"), import_module("transformers")
    except ImportError as error:
        raise MissingExtraError(f"comparing texts with {folder.name}", EXTRA, error.name or "torch") from None
    places = compute.places(torch)
    precision = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[compute.precision]
    try:
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
            copies = [
                transformers.AutoModel.from_pretrained(folder.path, num_hidden_layers=layer, local_files_only=True)
                .to(device=place, dtype=precision)
                .eval()
                for place in places
            ]
    except Exception as error:  # noqa: BLE001 - what a library raises for a broken folder has no common base
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise FolkwaysError(f"the model {folder.name} in {folder.path} cannot be loaded: {said[0]}") from None
    limit = tokenizer.model_max_length
    if limit > _NO_LIMIT:
        limit = folder.config.get("max_position_embeddings", 512) - 2 * (folder.config.get("model_type") in _OFFSET_POSITIONS)
    marks = tuple(number for number in (tokenizer.cls_token_id, tokenizer.sep_token_id) if number is not None)
    return _Loaded(
        name=folder.name,
        torch=torch,
        tokenizer=tokenizer,
        copies=copies,
        longest=min(limit, longest or limit),
        padding=tokenizer.pad_token_id or 0,
        marks=marks,
        budget=TOKENS_PER_BATCH["cpu" if all(place.startswith("cpu") for place in places) else "other"],
        room=Room(folder.name, torch.cuda.OutOfMemoryError, torch.cuda.empty_cache),  # the latter does nothing without a GPU
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: what libraries make while they are imported stays, and looking through it takes a second."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


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
