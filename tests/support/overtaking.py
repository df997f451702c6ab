"""Somebody else who is faster: what happens between the reading of an action and its first change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace

Transaction = Callable[[], AbstractContextManager[sa.Connection]]


@contextmanager
def overtaken(workspace: Workspace, by: Callable[[], object], *, after: int = 0) -> Iterator[None]:
    """Have ``by`` done, over a connection of its own, when the block is about to begin a transaction that may
    write: all that the block has read until then is from before. after: so many transactions before."""
    begun, done = 0, False

    def after_them(transaction: Transaction) -> Transaction:
        def begin() -> AbstractContextManager[sa.Connection]:
            nonlocal begun, done
            begun += 1
            if begun > after and not done:
                done = True
                by()
            return transaction()

        return begin

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "write", after_them(workspace.write))
        patch.setattr(workspace, "claim", after_them(workspace.claim))
        yield
    assert done, "nothing was written"
