"""A version is set everywhere at once: the real files of the repository, copied."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from scripts.set_version import REPOSITORY, WRITTEN_IN, set_version

FILES = (*WRITTEN_IN, "CHANGELOG.md", "CITATION.cff", "studio/CHANGELOG.md")
PRESENT: str = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]
NEXT = re.sub(r"\.dev\d+$", "", PRESENT) if "dev" in PRESENT else "9.0.0"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    studio = tmp_path / "studio/CHANGELOG.md"
    if f"## {NEXT} (not released)" not in studio.read_text("utf-8"):  # between two releases
        studio.write_text(f"## {NEXT} (not released)\n\n{studio.read_text('utf-8')}", encoding="utf-8")
    return tmp_path


def texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text("utf-8") for name in FILES}


def test_the_files_are_all_that_name_the_version() -> None:
    named = subprocess.run(
        ["git", "grep", "--files-with-matches", "--fixed-strings", PRESENT, "--", "*.toml", "*.py", "*.md", "*.cff", "*.yml"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    elsewhere = {name for name in named if name.startswith(("perf/", "tests/", "requirements/"))}
    assert {*named} - elsewhere - {*FILES} == set() and {*WRITTEN_IN} <= {*named}


def test_a_release_has_its_version_and_date_everywhere(checkout: Path) -> None:
    unreleased = texts(checkout)["CHANGELOG.md"].partition("## [Unreleased]\n")[2]
    set_version(checkout, NEXT, "2030-01-02")
    after = texts(checkout)
    assert not any(PRESENT in after[name] for name in WRITTEN_IN)
    assert sum(after[name].count(NEXT) for name in WRITTEN_IN) >= sum(WRITTEN_IN.values())
    core, studio = (
        tomllib.loads(after[name])["project"] for name in ("pyproject.toml", "studio/pyproject.toml")
    )
    assert core["version"] == studio["version"] == NEXT and f"folkways=={NEXT}" in studio["dependencies"]
    assert f'__version__ = "{NEXT}"' in after["src/folkways/__init__.py"]
    assert after["CHANGELOG.md"].partition(f"## [Unreleased]\n\n## [{NEXT}] - 2030-01-02\n")[2] == unreleased
    assert f"## {NEXT} (2030-01-02)" in after["studio/CHANGELOG.md"]
    citation = yaml.safe_load(after["CITATION.cff"])
    assert (citation["version"], citation["date-released"]) == (NEXT, "2030-01-02")


def test_the_next_version_in_the_making_changes_no_changelog(checkout: Path) -> None:
    before = texts(checkout)
    set_version(checkout, "9.0.0.dev0", "2030-01-02")
    after = texts(checkout)
    assert {name for name in FILES if before[name] != after[name]} == {*WRITTEN_IN}


@pytest.mark.parametrize("version", ["1.2", "v1.2.3", "1.2.3-beta", ""])
def test_other_forms_are_refused_and_nothing_is_written(checkout: Path, version: str) -> None:
    before = texts(checkout)
    with pytest.raises(ValueError, match="is no version such as"):
        set_version(checkout, version, "2030-01-02")
    (checkout / "docs" / "tutorial.md").write_text("no version here", encoding="utf-8")
    with pytest.raises(ValueError, match=r"docs/tutorial.md has the version .* 0 times, not 1"):
        set_version(checkout, "9.0.0", "2030-01-02")
    assert texts(checkout) == {**before, "docs/tutorial.md": "no version here"}
