"""Names of runs."""

from __future__ import annotations

import pytest

from folkways.errors import FolkwaysError
from folkways.workspace import plans
from folkways.workspace.database import Workspace


def begin(workspace: Workspace, config: str, name: str | None = None) -> plans.RunRecord:
    return plans.begin_run(workspace, {"config": config}, [], "test", name)[0]


def test_a_made_up_name_is_never_one_that_a_person_gave(any_workspace: Workspace) -> None:
    assert begin(any_workspace, "a", "run-2").name == "run-2"
    assert begin(any_workspace, "b").name == "run-3"
    assert begin(any_workspace, "c").name == "run-4"


def test_a_made_up_name_comes_back_after_a_run_was_forgotten(any_workspace: Workspace) -> None:
    begin(any_workspace, "a")
    plans.forget_run(any_workspace, begin(any_workspace, "b"))
    assert begin(any_workspace, "b").name == "run-2"
    assert len({begin(any_workspace, config).name for config in "abcd"}) == 4


def test_one_name_is_one_run(any_workspace: Workspace) -> None:
    begin(any_workspace, "a", "mine")
    assert begin(any_workspace, "a", "mine").id == 1
    with pytest.raises(FolkwaysError, match=r"'mine'.*--name"):
        begin(any_workspace, "b", "mine")


@pytest.mark.parametrize("name", ["last", "7", "", " ", "a\x1b[31mb", "x" * 129])
def test_what_is_no_name(any_workspace: Workspace, name: str) -> None:
    with pytest.raises(FolkwaysError):
        begin(any_workspace, "a", name)
    assert plans.list_runs(any_workspace) == []
