"""A budget that could not be kept is refused before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.api import run
from folkways.endpoints.base import Completion, Request
from folkways.errors import FolkwaysError
from folkways.workspace import run_records
from folkways.workspace.database import open_workspace


class Remote:
    """An endpoint that is not on this machine; it must not be asked."""

    item_addressed = False
    local = False
    default_concurrency = 1
    name = identity = "remote"

    def __init__(self) -> None:
        self.asked = 0

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """Answer with A."""
        self.asked += 1
        return Completion("A", input_tokens=1, output_tokens=1)


def test_replies_of_any_length_cannot_be_kept_within_tokens(tmp_path: Path) -> None:
    remote = Remote()
    with pytest.raises(FolkwaysError, match="max_tokens=none"):
        run(
            "demo/mcq",
            models=remote,
            workspace=tmp_path / "w.db",
            settings={"max_tokens": None},
            budget="100ktokens",
        )
    assert remote.asked == 0
    assert run_records.list_runs(open_workspace(tmp_path / "w.db")) == []


@pytest.mark.parametrize("budget", ["10ktokens", "5requests"])
def test_what_can_be_kept_is_asked(tmp_path: Path, budget: str) -> None:
    remote = Remote()
    settings = {"max_tokens": None} if "requests" in budget else {}
    run("demo/mcq", models=remote, workspace=tmp_path / "w.db", settings=settings, budget=budget)
    assert remote.asked > 0
