"""Somebody else who is faster: what happens between the reading of an action and its first change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

import pytest

from folkways.workspace.database import Workspace


class Turn:
    """The turn of those who write to a workspace, before which ``by`` has its own, once."""

    def __init__(self, workspace: Workspace, by: Callable[[], object]) -> None:
        self.turn, self.by, self.done = workspace._writing, by, False

    def __enter__(self) -> None:
        if not self.done:
            self.done = True
            self.by()
        self.turn.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.turn.__exit__(kind, error, trace)


@contextmanager
def overtaken(workspace: Workspace, by: Callable[[], object]) -> Iterator[None]:
    """Have ``by`` done, over a connection of its own, when the block is about to begin its first transaction
    that may write: all that the block has read until then is from before."""
    turn = Turn(workspace, by)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "_writing", turn)
        yield
    assert turn.done, "nothing was written"
