"""The vectors of texts: each distinct text once, from memory, from disk, or from the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from folkways.metrics.neural.encoder import Encoder, Floats, TokenVectors, Told
from folkways.metrics.neural.store import VectorStore

TEXTS_PER_SHARD = 4_000  # what is computed is stored after so many texts, so that an interruption loses little


class TextVectors:
    """Unit vectors of texts by one encoder.

    reduce: what becomes of the hidden states of a text (one vector for all its tokens, say); by default each token keeps its own.
    cache:  folder for vectors on disk; None to keep them in memory only. kind: tells apart what ``reduce`` makes there.
    tell:   progress of what the model computes.
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        kind: str = "tokens",
        reduce: Callable[[TokenVectors], TokenVectors] = lambda vectors: vectors,
        cache: Path | None = None,
        tell: Told = lambda _done, _all: None,
    ) -> None:
        self._encoder = encoder
        self._reduce = reduce
        self._tell = tell
        self._known: dict[str, TokenVectors] = {}
        folder, compute = encoder.folder, encoder.compute
        name = f"{folder.revision}-{kind}-{encoder.layer}-{encoder.longest or 'all'}-{compute.precision}"
        self._store = VectorStore(cache, name) if cache is not None else None

    def of(self, texts: Iterable[str]) -> dict[str, TokenVectors]:
        """Text -> its unit vectors. Raises what ``Encoder.encode`` does, and only if there are new texts."""
        wanted = list(dict.fromkeys(texts))
        missing = [text for text in wanted if text not in self._known]
        if self._store is not None and missing:
            self._known.update(self._store.find(missing))
            missing = [text for text in missing if text not in self._known]
        self._compute(missing)
        return {text: self._known[text] for text in wanted}

    def _compute(self, texts: list[str]) -> None:
        fresh: dict[str, TokenVectors] = {}
        for place, vectors in self._encoder.encode(texts, self._tell):
            reduced = self._reduce(vectors)
            fresh[texts[place]] = TokenVectors(unit(reduced.states), reduced.words)
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
