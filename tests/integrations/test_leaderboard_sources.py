"""What a leaderboard takes of a run that was scored in two profiles, of its archive and of sites."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import folkways
from folkways.cli.site import command
from folkways.errors import FolkwaysError
from folkways.integrations.leaderboard import (
    contributions_of,
    copies_of,
    entries_of,
    is_source,
    write_leaderboard,
)
from folkways.workspace.archives.moving import archive_run
from tests.support.blend_data import write_mcq
from tests.support.command_line import folkways as folkways_command


def test_every_source_is_taken_in_the_profile_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of four letters is right to a reader, and none to the authors' program, which reads T; a folder
    that is called as the run is no source."""
    monkeypatch.chdir(tmp_path)
    data = {"blend": str(write_mcq(tmp_path / "data"))}
    model = folkways.model(lambda prompt: "The answer is B", name="m")
    done = folkways.run(
        "blend/mcq",
        models=[model, "baseline/first"],
        releases=data,
        workspace=str(tmp_path / "w.db"),
        name="mine",
    )
    done.score("strict")
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "bare").write_text("{}")
    assert [is_source(name) for name in ("mine", "bare", "w.db", "nowhere")] == [False, False, True, False]
    wanted = {None: ("paper", 0.0), "paper": ("paper", 0.0), "strict": ("strict", 25.0)}

    def check(source: str) -> None:
        for profile, (shown, score) in wanted.items():
            (one,) = contributions_of([source], done.workspace, profile)
            whole = one.scores.filter(facet="all")
            assert whole.select("endpoint", "profile", "score").rows() == [("python/m", shown, score)]
            assert {*one.scores["facet"]} == {"all", "culture"}
            assert one.judgements.select("endpoint", "profile").unique().rows() == [("python/m", shown)]
            assert (one.judgements.height, "response" in one.judgements.columns) == (4, False)
            (entry,) = entries_of([source], done.workspace, profile)
            assert (entry.model, entry.profile, entry.score) == ("python/m", shown, score)

    check("mine")
    written = write_leaderboard(
        ["mine"],
        tmp_path / "site",
        workspace=done.workspace,
        profile="strict",
        title="Ours",
        url="https://board.example.org",
        contribute="https://add.example.org",
    )
    assert (written.models, written.tasks, written.cultures) == (1, 1, 2)
    pages = "".join(file.read_text(encoding="utf-8") for file in written.files if file.suffix != ".png")
    texts = ("Ours", "https://board.example.org", "https://add.example.org")
    assert [text for text in texts if text not in pages] == []
    (listed,) = entries_of([str(tmp_path / "site")], done.workspace)
    assert (listed.model, listed.profile, listed.score) == ("python/m", "strict", 25.0)
    assert copies_of([listed]) == {}  # of the user's own folder
    archive_run(done.workspace, done.record, tmp_path / "archive")
    assert is_source(str(tmp_path / "archive"))
    for name in ("archive", "bare"):  # runs that have no place on a leaderboard
        folkways.run("blend/mcq", models="baseline/first", workspace=done.workspace, name=name, releases=data)
    check(str(tmp_path / "archive"))
    check("archive")
    with pytest.raises(FolkwaysError, match="run bare has no score of a model"):
        contributions_of(["bare"], done.workspace)


def test_a_source_that_is_nowhere_is_named_where_there_is_no_workspace_either(tmp_path: Path) -> None:
    done = folkways_command("site", "check", "NOTHING", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no file or folder NOTHING, and no workspace at folkways.db" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (["mine", "--help"], "site build [OPTIONS] RUNS..."),
        (["--out", "x", "--help"], "site build [OPTIONS] RUNS..."),
        (["build", "--help"], "site build [OPTIONS] RUNS..."),
        (["check", "--help"], "site check [OPTIONS] "),
        (["--help"], "site [OPTIONS] COMMAND [ARGS]..."),
        (["--help", "mine"], "site [OPTIONS] COMMAND [ARGS]..."),
    ],
)
def test_what_is_no_command_is_the_source_of_a_site(arguments: list[str], usage: str) -> None:
    said = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert (said.exit_code, said.output.startswith(f"Usage: {usage}")) == (0, True), said.output
