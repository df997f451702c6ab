"""What is built is whole: the wheel has every file of the package, and works where it is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = target.glob("folkways-*.whl")
    return built


def test_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    source = REPOSITORY / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "folkways").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert "folkways/py.typed" in built
    assert built == expected


def test_wheel_carries_licence_and_entry_points(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    by_ending = {name.split(".dist-info/")[1]: name for name in archive.namelist() if ".dist-info/" in name}
    assert "licenses/LICENSE" in by_ending
    entry_points = archive.read(by_ending["entry_points.txt"]).decode()
    assert "folkways = folkways.cli.main:main" in entry_points
    assert "[folkways.benchmarks]" in entry_points


def test_installed_wheel_lists_its_tasks(wheel: Path, tmp_path: Path) -> None:
    """From the wheel alone, away from the checkout: the data files it reads must have come with it."""
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True, capture_output=True)
    script = "import folkways, sys; print(folkways.__file__); from folkways.cli.main import main; sys.argv[1:] = ['tasks']; main()"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(str(site))
    assert "demo/mcq" in done.stdout
