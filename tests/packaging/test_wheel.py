"""What is built is whole and can be published: the wheel has every file of the package, and works where it is
installed."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_BYTES = 4_000_000
"""What each of both files may weigh. What grew: ``unzip -v``; mostly it is a picture or a font that need not
be there."""


def build(source: Path, target: Path, *what: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", *what, "-d", str(target)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@dataclass(frozen=True)
class Package:
    """One of both packages: where its sources are, and what was built of it."""

    folder: Path
    name: str
    wheel: Path
    archive: Path

    @property
    def sources(self) -> Path:
        return self.folder / "src" / self.name

    def files(self) -> dict[str, bytes]:
        """Name -> content of what the wheel has."""
        with zipfile.ZipFile(self.wheel) as packed:
            return {name: packed.read(name) for name in packed.namelist()}


@cache
def built_package(name: str, target: Path) -> Package:
    folder = REPOSITORY if name == "folkways" else REPOSITORY / "studio"
    build(folder, target)
    (wheel,), (archive,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return Package(folder, name, wheel, archive)


@pytest.fixture(scope="module", params=["folkways", "folkways_studio"])
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Package:
    return built_package(request.param, tmp_path_factory.getbasetemp() / f"dist-{request.param}")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return built_package("folkways", tmp_path_factory.getbasetemp() / "dist-folkways")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return built_package("folkways_studio", tmp_path_factory.getbasetemp() / "dist-folkways_studio")


def unpacked(archive: Path, target: Path) -> Path:
    """The source archive as a folder."""
    with tarfile.open(archive) as files:
        files.extractall(target, filter="data")
    (source,) = target.iterdir()
    return source


def test_both_files_are_small_enough_to_publish(package: Package) -> None:
    sizes = {file.name: file.stat().st_size for file in (package.wheel, package.archive)}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


def test_both_packages_have_one_version_and_need_each_other_in_it() -> None:
    core, studio = (
        tomllib.loads((REPOSITORY / name).read_text("utf-8"))["project"]
        for name in ("pyproject.toml", "studio/pyproject.toml")
    )
    version = core["version"]
    assert studio["version"] == version and f"folkways=={version}" in studio["dependencies"]
    assert core["optional-dependencies"]["studio"] == [f"folkways-studio=={version}"]
    assert core["optional-dependencies"]["s3"] == [f"folkways-studio[s3]=={version}"]


def test_the_package_page_leads_to_the_repository_at_its_tag(core: Package) -> None:
    (content,) = [content for name, content in core.files().items() if name.endswith(".dist-info/METADATA")]
    said = email.message_from_bytes(content)
    urls = dict(address.split(", ") for address in said.get_all("Project-URL", []))
    home, tag = urls["Homepage"], f"v{said['Version']}"
    page = str(said.get_payload())
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", page)
    raw = home.replace("github.com", "raw.githubusercontent.com")
    ours = [
        (picture, target)
        for picture, target in targets
        if "folkways" in target and target != urls["Documentation"]
    ]
    assert {picture for picture, _ in ours} == {"!", ""}
    assert [target for _, target in targets if not target.startswith(("https:", "#"))] == []
    for picture, target in ours:
        start = f"{raw}/{tag}/" if picture else f"{home}/blob/{tag}/"
        assert (
            target.startswith(start) and (REPOSITORY / target.removeprefix(start).partition("#")[0]).is_file()
        ), target


@pytest.mark.nightly
def test_whoever_builds_it_gets_the_same_bytes(package: Package, tmp_path: Path) -> None:
    """From the source archive, unpacked elsewhere, with other times and permissions."""
    source = unpacked(package.archive, tmp_path / "source")
    for path in source.rglob("*"):
        path.touch()
        path.chmod(0o700 if path.is_dir() else 0o600)
    again = build(source, tmp_path / "dist")
    for file in (package.wheel, package.archive):
        assert (again / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.nightly
def test_a_wheel_of_the_source_archive_has_compiled_translations(studio: Package, tmp_path: Path) -> None:
    source = unpacked(studio.archive, tmp_path / "source")
    assert not list(source.rglob("*.mo")) and list(source.rglob("*.po"))
    (again,) = build(source, tmp_path / "dist", "-t", "wheel").glob("*.whl")
    packed = {
        name: zipfile.ZipFile(again).read(name)
        for name in zipfile.ZipFile(again).namelist()
        if name.endswith(".mo")
    }
    assert len(packed) == len(list(source.rglob("*.po")))
    assert packed == {name: content for name, content in studio.files().items() if name.endswith(".mo")}


def test_the_source_archive_has_the_package_and_no_tests(package: Package) -> None:
    with tarfile.open(package.archive) as files:
        tracked = files.getnames()
    top = {name.split("/")[1] for name in tracked if "/" in name}
    assert {"src", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"} <= top
    assert top.isdisjoint({"tests", "perf", "scripts", "studio", ".github", ".ci"})
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"{package.name}-{version}/src/{package.name}/py.typed" in tracked
    translations = {name for name in tracked if name.endswith((".po", ".mo"))}
    assert all(name.endswith(".po") for name in translations), "they are compiled where a wheel is built"
    assert len(translations) == len(list(package.sources.rglob("*.po")))


def test_wheel_has_every_file_of_the_package(package: Package) -> None:
    source = package.sources.parent
    expected = {
        path.relative_to(source).as_posix()
        for path in package.sources.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".po"
    }
    expected |= {
        path.relative_to(source).with_suffix(".mo").as_posix() for path in package.sources.rglob("*.po")
    }
    built = {name for name in package.files() if ".dist-info/" not in name}
    assert f"{package.name}/py.typed" in built
    assert built == expected


def test_wheel_carries_licence_and_entry_points(package: Package) -> None:
    by_ending = {
        name.split(".dist-info/")[1]: content
        for name, content in package.files().items()
        if ".dist-info/" in name
    }
    assert "licenses/LICENSE" in by_ending
    entry_points = by_ending["entry_points.txt"].decode()
    named = (
        ("folkways = folkways.__main__:main", "[folkways.benchmarks]")
        if package.name == "folkways"
        else ("[folkways.commands]",)
    )
    assert all(name in entry_points for name in named)


@pytest.mark.parametrize(
    "packages", [("folkways",), ("folkways", "folkways_studio")], ids=["alone", "with the studio"]
)
def test_the_command_of_the_studio_comes_with_its_package(
    core: Package, studio: Package, tmp_path: Path, packages: tuple[str, ...]
) -> None:
    site, others = tmp_path / "site", tmp_path / "others"
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():  # all that is installed here but both packages
        if "folkways" not in path.name:
            (others / path.name).symlink_to(path)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
    ]
    wheels = [str(package.wheel) for package in (core, studio) if package.name in packages]
    subprocess.run([*pip, "--target", str(site), *wheels], check=True, capture_output=True)
    environment = {"PYTHONPATH": f"{site}:{others}", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", "-m", "folkways", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    listed, templates = ran("--help"), ran("studio", "template")
    assert listed.returncode == 0, listed.stderr
    if len(wheels) == 2:
        assert (
            "studio" in listed.stdout and templates.returncode == 0 and "verification" in templates.stdout
        ), templates.stderr
    else:
        assert "studio" not in listed.stdout
        assert (templates.returncode, templates.stdout) == (2, "")
        assert "pip install 'folkways[studio]'" in templates.stderr
        assert "demo/mcq" in ran("tasks").stdout, "the data that it reads have to come with it"
