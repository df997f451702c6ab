"""pyproject.toml asks for what the code imports; the lock pins that, with hashes, and names no place to fetch
it from."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.python_source import statements

REPOSITORY = Path(__file__).resolve().parents[2]
LOCKS = {name: REPOSITORY / "requirements" / f"{name}.txt" for name in ("run", "studio", "dev")}
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)", flags=re.MULTILINE)


def pins(lock: str) -> dict[str, set[str]]:
    """Name -> pinned versions (one name may have several, for several versions of Python)."""
    found: dict[str, set[str]] = {}
    for pin in PIN.finditer(LOCKS[lock].read_text(encoding="utf-8")):
        found.setdefault(canonicalize_name(pin["name"]), set()).add(pin["version"])
    return found


def wanted(lock: str) -> list[Requirement]:
    project, studio = (
        tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text(encoding="utf-8"))
        for folder in (".", "studio")
    )
    groups, extras = project["dependency-groups"], project["project"]["optional-dependencies"]
    texts = [*project["project"]["dependencies"], *groups["build"], *(groups["dev"] if lock == "dev" else ())]
    texts += [*extras["report"], *extras["text"]] if lock != "studio" else []  # quickstart shows them
    if lock != "run":
        texts += [text for text in studio["project"]["dependencies"] if not text.startswith("folkways")]
    return [Requirement(text) for text in texts if isinstance(text, str)]


# Programs that import folkways, and the text tools of papers, which users install themselves.
BROUGHT = {"IPython", "datasets", "hausastemmer", "hazm", "indicnlp", "konlpy", "nlp_id", "qalsadi", "spacy"}


@cache  # reads the files of every package
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


@pytest.mark.parametrize("folders", [(".",), ("studio", ".")], ids=["folkways", "studio"])
def test_every_package_that_is_imported_is_asked_for(folders: tuple[str, ...]) -> None:
    asked: set[str] = set()
    for folder in folders:  # the studio asks for folkways, and may use what that asks for
        project = tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        texts = sum(project["optional-dependencies"].values(), project["dependencies"])
        asked |= {canonicalize_name(Requirement(text).name) for text in texts}
    distributions = _distributions()
    imported = {
        name.partition(".")[0]
        for path in (REPOSITORY / folders[0] / "src").rglob("*.py")
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
        )
    }
    assert {"sqlalchemy", "orjson"} <= imported
    others = imported - sys.stdlib_module_names - BROUGHT - {"folkways", "folkways_studio"}
    lacking = {
        name
        for name in others
        if not asked & {canonicalize_name(each) for each in distributions.get(name, [name])}
    }
    assert lacking == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_within_its_range(lock: str) -> None:
    pinned = pins(lock)
    for requirement in wanted(lock):
        versions = pinned.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement.name} is not in {LOCKS[lock].name}: run make lock"
        for version in versions:
            assert requirement.specifier.contains(version), (
                f"{requirement} is pinned at {version}: run make lock"
            )


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash_and_no_place_is_named(lock: str) -> None:
    text = LOCKS[lock].read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert len(entries) > 20
    for entry in entries:
        assert "--hash=sha256:" in entry, entry
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|@ file:", text)


def test_the_lock_for_development_has_the_pins_of_the_others() -> None:
    run, dev, studio = pins("run"), pins("dev"), pins("studio")
    assert {name: dev[name] for name in run} == run
    assert {name: dev[name] for name in studio} == studio, "run make lock"


def test_the_image_of_the_studio_has_neither_charts_nor_word_lists() -> None:
    extras = {"brotli", "fonttools", "vl-convert-python", "jieba", "simplemma"}
    assert extras <= set(pins("run")) and not extras & set(pins("studio"))
    assert set(pins("run")) - extras < set(pins("studio"))


@pytest.mark.parametrize("name", ["gguf", "uv"])
def test_what_is_installed_apart_has_the_pins_of_the_lock(name: str) -> None:
    own = (REPOSITORY / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert PIN.match(own), own
    assert own in LOCKS["dev"].read_text(encoding="utf-8"), "run make lock"
