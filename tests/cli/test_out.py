"""``--out`` means the same in every command: a name with an ending is a file, any other name a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from folkways.cli.out import check_several, file_at, is_folder
from folkways.errors import FolkwaysError
from tests.support.command_line import Folkways

JUDGE = "judge demo/mcq --responses good.csv"

ONE_FILE = {
    "compare --run both --task demo/mcq -w good.db": ("md", "comparison.txt"),
    "compare --run both --task demo/mcq -w good.db --format csv": ("csv", "comparison.csv"),
    "published --paper xcr --format csv": ("csv", "published.csv"),
    "published --paper xcr --place leaderboard --paper culturalbench": ("txt", "tables.txt"),
    "score mine -w good.db": ("parquet", "scores.csv"),
    "data check demo": ("json", "data-issues.txt"),
    JUDGE: ("csv", "verdicts.csv"),
    "probe demo/mcq -w good.db --model baseline/first --only masked-word --limit 2": ("csv", "signals.csv"),
    "judge-by-model free -w good.db --judge baseline/echo --limit 2": ("csv", "verdicts.csv"),
}
"""Command -> an ending that it writes, and the name of its file in a folder."""

SEVERAL = (
    "report mine -w good.db",
    "quickstart",
    "build easy --votes nowhere",
    "build hard --votes nowhere",
    "build csi --facts none.csv --model baseline/echo",
    "studio export nothing -w good.db",
)


@pytest.fixture
def runs(folkways: Folkways) -> Folkways:
    """The command line in a folder whose ``good.db`` also has a run of two models, and one with free
    answers."""
    for line in ("demo/mcq --model baseline/echo --name both", "demo/saq --name free"):
        assert folkways(*f"run {line} --model baseline/first -w good.db".split()).returncode == 0
    return folkways


def test_one_thing_goes_into_a_file_or_a_folder(runs: Folkways, tmp_path: Path) -> None:
    for number, (line, (ending, name)) in enumerate(ONE_FILE.items()):
        there, new = tmp_path / f"there-{number}", tmp_path / f"new-{number}.0" / "deeper"
        there.mkdir()
        file = tmp_path / f"file-{number}.{ending}"
        places = ((file, file), (new, new / name), (there, there / name))
        for out, written in places if number == 0 else places[:2]:
            done = runs(*line.split(), "--out", str(out))
            assert done.returncode == 0, (line, done.stderr)
            assert written.is_file(), (line, out, done.stderr)
            assert written.stat().st_size > 50, line


@pytest.mark.parametrize("line", SEVERAL)
def test_several_files_do_not_fit_into_one(folkways: Folkways, tmp_path: Path, line: str) -> None:
    done = folkways(*line.split(), "--out", str(tmp_path / "all.csv"))
    assert done.returncode == 2
    assert (
        "all.csv is the name of a file, but several files are written; name a folder: --out "
        f"{tmp_path / 'all'}" in done.stderr
    )
    assert not [*tmp_path.iterdir()]


def test_a_name_without_an_ending_or_with_digits_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "made.csv").mkdir()
    (tmp_path / "plain").touch()
    names = {
        "new": True,
        "build-1.2": True,
        "a.csv": False,
        "notes.text": False,
        "made.csv": True,
        "plain": False,
    }
    assert {name: is_folder(tmp_path / name) for name in names} == names
    check_several(tmp_path / "made.csv")
    check_several(tmp_path / "my.report")


def test_a_place_that_cannot_be_written_is_found_out_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "scores.csv").mkdir(parents=True)
    for out, words in (
        ("none/scores.csv", "none does not exist"),
        ("file/inside", "file is a file"),
        ("taken", "scores.csv is a folder"),
        ("scores.doc", ".csv, .json"),
    ):
        with pytest.raises(FolkwaysError, match=words):
            file_at(tmp_path / out, "scores.csv", (".csv", ".json"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


@pytest.mark.parametrize(
    "line", ["run demo/mcq --model baseline/first --report made -w new.db", "quickstart --out made"]
)
@pytest.mark.parametrize("package", ["vl_convert", "fontTools", "brotli"])
def test_a_report_that_cannot_be_drawn_is_found_out_before_anything_is_asked(
    folkways: Folkways, monkeypatch: pytest.MonkeyPatch, line: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    before = sorted(Path().iterdir())
    done = folkways(*line.split())
    assert done.returncode == 2
    assert "report.html with its charts" in done.stderr and "pip install 'folkways[report]'" in done.stderr
    assert sorted(Path().iterdir()) == before
