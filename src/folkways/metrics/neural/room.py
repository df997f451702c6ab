"""Room on a device for batches of texts: a batch that does not fit is cut into smaller ones, and so are those
that follow."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TypeVar

from folkways.errors import FolkwaysError

Result = TypeVar("Result")
Tokens = list[int]


class Room:
    """The most tokens, with padding, that are put through a model at a time; it shrinks where they did not
    fit.

    full:  what is raised where memory does not suffice. empty: gives back what earlier batches left reserved.
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
                f"model {self._model}: "
                f"it goes on with {tokens:,} tokens at a time",
                RuntimeWarning,
                stacklevel=2,
            )
