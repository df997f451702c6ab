"""Language models that a task compares texts with while it judges: handed in from outside, because a
benchmark opens nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt


class Comparer(Protocol):
    """What tells how alike texts are. ``name`` says which model it is, with its revision, for the
    signature."""

    @property
    def name(self) -> str: ...

    def compare(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """How alike the texts of each pair are, (pairs,); which comes first may matter."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRole:
    """A place that a model fills in judging.

    name:      ``embedding``, ``bert-zh``: unique within the task.
    kind:      ``sentences`` (cosine of sentence embeddings) or ``tokens`` (raw BERTScore F1).
    metrics:   those that are not computed without it.
    published: the authors' model, by its name on the Hugging Face hub.
    layer:     for ``tokens``: the layer, counted from 1; None for the last.
    cultures:  those in whose judging it has a part; none for all.
    """

    name: str
    kind: Literal["sentences", "tokens"]
    metrics: tuple[str, ...]
    published: str
    layer: int | None = None
    cultures: frozenset[str] = frozenset()

    def concerns(self, cultures: Sequence[str]) -> bool:
        """Whether the judging of any of these cultures needs it."""
        return not self.cultures or not self.cultures.isdisjoint(cultures)


MODEL_ABSENT = "none"
"""What the signature says where no model fills a role."""
