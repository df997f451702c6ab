"""The vectors of texts: each distinct text once, from memory, from disk, or from the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from folkways.metrics.neural.encoder import STEP, Encoder, Floats, TokenVectors, Told
from folkways.metrics.neural.vector_store import VectorStore

# computed vectors are stored after this many texts, so that an interruption loses little
TEXTS_PER_SHARD = 4_000


def _as_they_are(vectors: TokenVectors) -> TokenVectors:
    return vectors


@dataclass(frozen=True)
class VectorRecipe:
    """What vectors are made by; it can be sent to another process until the encoder is first used.

    reduce: what becomes of the hidden states of a text (one vector for all its tokens, say); by default each
        token keeps its own.
    kind: tells apart what ``reduce`` makes.
    """

    encoder: Encoder
    kind: str = "tokens"
    reduce: Callable[[TokenVectors], TokenVectors] = _as_they_are

    @property
    def name(self) -> str:
        """Name of the folder of all vectors that it makes."""
        encoder = self.encoder
        parts = (encoder.folder.revision, self.kind, encoder.layer, encoder.longest or "all")
        return "-".join(map(str, (*parts, encoder.compute.precision, STEP)))


VectorComputer = Callable[[VectorRecipe, Sequence[str]], Mapping[str, TokenVectors]]
"""Computes the unit vectors of texts, all of them distinct, in place of this process."""


class TextVectors:
    """Unit vectors of texts by one recipe.

    cache: folder for vectors on disk; None to keep them in memory only.
    tell: progress of what the model computes.
    computed: who computes and stores them, where that is not this process; cache and tell are then of no use.
    """

    def __init__(
        self,
        recipe: VectorRecipe,
        *,
        cache: Path | None = None,
        tell: Told = lambda _done, _all: None,
        computed: VectorComputer | None = None,
    ) -> None:
        self._recipe = recipe
        self._tell = tell
        self._computed = computed
        self._known: dict[str, TokenVectors] = {}
        self._store = VectorStore(cache, recipe.name) if cache is not None and computed is None else None

    def of(self, texts: Iterable[str]) -> dict[str, TokenVectors]:
        """Text -> its unit vectors. Raises what ``Encoder.encode`` does, and only if there are new texts."""
        wanted = list(dict.fromkeys(texts))
        missing = [text for text in wanted if text not in self._known]
        if self._store is not None and missing:
            self._known.update(self._store.find(missing))
            missing = [text for text in missing if text not in self._known]
        if self._computed is None:
            self._compute(missing)
        elif missing:
            self._known.update(self._computed(self._recipe, missing))
        return {text: self._known[text] for text in wanted}

    def forget(self) -> None:
        """Drop the vectors from memory; callers and the disk keep theirs."""
        self._known.clear()

    def _compute(self, texts: list[str]) -> None:
        fresh: dict[str, TokenVectors] = {}
        for index, vectors in self._recipe.encoder.encode(texts, self._tell):
            reduced = self._recipe.reduce(vectors)
            fresh[texts[index]] = TokenVectors(unit(reduced.states), reduced.words)
            if len(fresh) >= TEXTS_PER_SHARD:
                self._keep(fresh)
        self._keep(fresh)

    def _keep(self, fresh: dict[str, TokenVectors]) -> None:
        self._known.update(fresh)
        if self._store is not None:
            self._store.add(fresh)
        fresh.clear()


def unit(vectors: Floats) -> Floats:
    """The vectors (n, size) with length one; a vector of zeros stays one."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return scaled
