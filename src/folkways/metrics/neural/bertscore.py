"""BERTScore (Zhang et al., ICLR 2020): how well the tokens of two texts find each other among the vectors of
a language model.

Every token of one text is matched with the most similar token of the other, greedily and by cosine: precision
is the mean over the candidate's tokens, recall over the reference's. The marks that the model puts at both
ends of a text may be matched with and count nothing themselves. Tokens are not weighted by frequency (no
IDF).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.encoder import Encoder, Floats, TokenVectors, Told
from folkways.metrics.neural.folder import ModelFolder
from folkways.metrics.neural.vectors import TextVectors, VectorComputer, VectorRecipe

Pair = tuple[str, str]
"""A candidate and a reference."""

NUMBERS_PER_BATCH = 4_000_000  # of padded vectors: 16 MB


@dataclass(frozen=True, slots=True)
class BertScores:
    """Precision, recall and F1 of pairs, each an array (pairs,); raw values are cosines, -1 to 1, and in
    practice above 0.3."""

    precision: Floats
    recall: Floats
    f1: Floats


@dataclass(frozen=True, slots=True)
class Baseline:
    """What unrelated sentences of a language score with a model and layer; rescaled, that becomes 0 and a
    perfect match stays 1."""

    precision: float
    recall: float
    f1: float

    def rescale(self, raw: BertScores) -> BertScores:
        """``(x - baseline) / (1 - baseline)`` of each of the three; below 0 where a pair scores less than the
        baseline."""
        return BertScores(
            _rescaled(raw.precision, self.precision),
            _rescaled(raw.recall, self.recall),
            _rescaled(raw.f1, self.f1),
        )


class BertScorer:
    """BERTScore by one layer of a model.

    layer: counted from 1, None for the last. Texts are brought to Unicode normal form C, as the authors'
    tokenizers do. See ``TextVectors`` for cache, tell and computed, ``Encoder`` for what may be raised.
    """

    def __init__(
        self,
        folder: ModelFolder,
        layer: int | None = None,
        *,
        compute: Compute | None = None,
        cache: Path | None = None,
        tell: Told = lambda _done, _all: None,
        computed: VectorComputer | None = None,
    ) -> None:
        encoder = Encoder(folder, layer, compute=compute)
        self._vectors = TextVectors(VectorRecipe(encoder), cache=cache, tell=tell, computed=computed)
        self.name = f"{folder.name}#{folder.revision} layer {encoder.layer} {encoder.compute.precision}"

    def score(self, pairs: Sequence[Pair], baseline: Baseline | None = None) -> BertScores:
        """Precision, recall and F1 of each (candidate, reference), in order.

        A pair with a text without tokens scores 0 before it is rescaled.
        """
        normal = [(_normal(candidate), _normal(reference)) for candidate, reference in pairs]
        vectors = self._vectors.of(text for pair in normal for text in pair)
        raw = match_tokens([(vectors[candidate], vectors[reference]) for candidate, reference in normal])
        return raw if baseline is None else baseline.rescale(raw)

    def compare(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Raw F1 of each pair."""
        return self.score(pairs).f1.astype(np.float64)


def match_tokens(pairs: Sequence[tuple[TokenVectors, TokenVectors]]) -> BertScores:
    """Greedy matching of the unit vectors of each candidate and reference; see the module's text for the
    rule."""
    precision, recall = np.zeros(len(pairs), np.float32), np.zeros(len(pairs), np.float32)
    for indices in _alike(pairs):
        candidates, candidate_there, candidate_words = _padded([pairs[index][0] for index in indices])
        references, reference_there, reference_words = _padded([pairs[index][1] for index in indices])
        similarity = candidates @ references.transpose(0, 2, 1)
        # Padding must never be the best match: a vector of zeros would win over every negative cosine.
        best_for_candidate = np.where(reference_there[:, None, :], similarity, -np.inf).max(axis=2)
        best_for_reference = np.where(candidate_there[:, :, None], similarity, -np.inf).max(axis=1)
        some = candidate_words.any(axis=1) & reference_words.any(axis=1)
        precision[indices] = np.where(some, _mean(best_for_candidate, candidate_words), 0)
        recall[indices] = np.where(some, _mean(best_for_reference, reference_words), 0)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total != 0)
    return BertScores(precision, recall, f1)


def _alike(pairs: Sequence[tuple[TokenVectors, TokenVectors]]) -> Iterator[list[int]]:
    """Places of pairs of similar length, in batches that fit NUMBERS_PER_BATCH with padding."""
    batch: list[int] = []
    longest = 0
    for index in sorted(range(len(pairs)), key=lambda index: tuple(len(one.words) for one in pairs[index])):
        longest = max(longest, sum(len(one.words) for one in pairs[index]))
        if batch and (len(batch) + 1) * longest * pairs[index][0].states.shape[1] > NUMBERS_PER_BATCH:
            yield batch
            batch, longest = [], sum(len(one.words) for one in pairs[index])
        batch.append(index)
    if batch:
        yield batch


def _padded(texts: Sequence[TokenVectors]) -> tuple[Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Vectors (texts, tokens, size) padded with zeros; which tokens are there, and which of them are words,
    (texts, tokens)."""
    lengths = np.array([len(text.words) for text in texts])
    filled = np.arange(lengths.max()) < lengths[:, None]
    vectors = np.zeros((*filled.shape, texts[0].states.shape[1]), np.float32)
    words = np.zeros(filled.shape, np.bool_)
    for row, text in enumerate(texts):
        vectors[row, : len(text.words)] = text.states
        words[row, : len(text.words)] = text.words
    return vectors, filled, words


def _mean(values: Floats, counted: npt.NDArray[np.bool_]) -> Floats:
    mean: Floats = np.where(counted, values, 0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    return mean


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _rescaled(values: Floats, base: float) -> Floats:
    scaled: Floats = (values - np.float32(base)) / np.float32(1 - base)
    return scaled
