"""What is built is whole and can be published: the wheel has every file of the package, and works where it is installed."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_BYTES = 4_000_000
"""What each of both files may weigh. What grew: ``unzip -v``; mostly it is a picture or a font that need not be there."""


def build(source: Path, target: Path, *what: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", *what, "-d", str(target)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(REPOSITORY, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (built,) = dist.glob("folkways-*.whl")
    return built


@pytest.fixture(scope="module")
def archive(dist: Path) -> Path:
    (built,) = dist.glob("folkways-*.tar.gz")
    return built


def test_both_files_are_small_enough_to_publish(wheel: Path, archive: Path) -> None:
    assert {file.name: file.stat().st_size for file in (wheel, archive) if file.stat().st_size > MOST_BYTES} == {}


def test_the_package_page_leads_to_the_repository_at_its_tag(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    (name,) = [name for name in files.namelist() if name.endswith(".dist-info/METADATA")]
    said = email.message_from_bytes(files.read(name))
    urls = dict(address.split(", ") for address in said.get_all("Project-URL", []))
    home, tag = urls["Homepage"], f"v{said['Version']}"
    page = str(said.get_payload())
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", page)
    raw = home.replace("github.com", "raw.githubusercontent.com")
    ours = [(picture, target) for picture, target in targets if "folkways" in target and target != urls["Documentation"]]
    assert {picture for picture, _ in ours} == {"!", ""}
    assert [target for _, target in targets if not target.startswith(("https:", "#"))] == []
    for picture, target in ours:
        start = f"{raw}/{tag}/" if picture else f"{home}/blob/{tag}/"
        assert target.startswith(start) and (REPOSITORY / target.removeprefix(start).partition("#")[0]).is_file(), target


@pytest.mark.nightly
def test_whoever_builds_it_gets_the_same_bytes(wheel: Path, archive: Path, tmp_path: Path) -> None:
    """From the source archive, unpacked elsewhere, with other times and permissions."""
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for path in source.rglob("*"):
        path.touch()
        path.chmod(0o700 if path.is_dir() else 0o600)
    again = build(source, tmp_path / "dist")
    for file in (wheel, archive):
        assert (again / file.name).read_bytes() == file.read_bytes(), file.name


def test_a_wheel_of_the_source_archive_has_compiled_translations(wheel: Path, archive: Path, tmp_path: Path) -> None:
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert not list(source.rglob("*.mo")) and list(source.rglob("*.po"))
    (again,) = build(source, tmp_path / "dist", "-t", "wheel").glob("*.whl")
    packed = {name: zipfile.ZipFile(again).read(name) for name in zipfile.ZipFile(again).namelist() if name.endswith(".mo")}
    assert len(packed) == len(list(source.rglob("*.po")))
    assert packed == {name: zipfile.ZipFile(wheel).read(name) for name in packed}


def test_the_source_archive_has_the_package_and_no_tests(archive: Path) -> None:
    with tarfile.open(archive) as files:
        tracked = files.getnames()
    top = {name.split("/")[1] for name in tracked if "/" in name}
    assert {"src", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "docs"} <= top
    assert top.isdisjoint({"tests", "perf", "scripts", ".github", ".ci"})
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"folkways-{version}/src/folkways/py.typed" in tracked


def test_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    source = REPOSITORY / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "folkways").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".po"
    }
    expected |= {path.relative_to(source).with_suffix(".mo").as_posix() for path in (source / "folkways").rglob("*.po")}
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert "folkways/py.typed" in built
    assert built == expected


def test_wheel_carries_licence_and_entry_points(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    by_ending = {name.split(".dist-info/")[1]: name for name in files.namelist() if ".dist-info/" in name}
    assert "licenses/LICENSE" in by_ending
    entry_points = files.read(by_ending["entry_points.txt"]).decode()
    assert "folkways = folkways.__main__:main" in entry_points
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
