"""The documentation site, built as `make docs` builds it: strict, searchable from disk, with nothing from
another host."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import folkways
from tests.support.browser import Watched
from tests.support.doc_pages import PAGES, REPOSITORY

DOCS = REPOSITORY / "docs"
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b(?![^>]*rel=\"?canonical)[^>]*href=\"?(?:https?:)?//"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site. A broken link, an unknown name of the API or any other warning ends the
    build."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(REPOSITORY / "zensical.toml", folder)
    shutil.copytree(DOCS, folder / "docs")
    for name in ("src", "scripts"):
        (folder / name).symlink_to(REPOSITORY / name)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def listed(nav: Any) -> Iterator[str]:
    """The pages of a navigation, in order."""
    if isinstance(nav, str):
        yield nav
    for inner in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from listed(inner)


def test_navigation_has_every_page_once() -> None:
    project = tomllib.loads((REPOSITORY / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(listed(project["nav"])) == sorted(
        str(page.relative_to(DOCS)) for page in PAGES if page.is_relative_to(DOCS)
    )


def test_nothing_is_fetched_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert {
        str(page.relative_to(site)) for page in pages if FETCHED.search(page.read_text(encoding="utf-8"))
    } == set()


def test_api_page_has_everything_public_with_its_docstring(site: Path) -> None:
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    assert set(re.findall(r'<h2 id="folkways\.(\w+)"', page)) == set(folkways.__all__) - {"__version__"}
    assert "Compare two or more models on each task" in page
    assert '<h3 id="folkways.Run.scores"' in page


def test_fences_become_highlighted_blocks(site: Path) -> None:
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert '<span class="filename">study.toml</span>' in page
    assert not [
        item
        for item in json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
        if "```" in item["text"]
    ]


@pytest.mark.browser
def test_search_works_from_disk(site: Path, browser_page: Watched) -> None:
    page = browser_page.open(site / "index.html")
    page.keyboard.press("/")
    page.keyboard.type("interval denominator")
    page.get_by_role("link", name="Read and trust a score").first.wait_for()
    assert browser_page.errors == []
    assert not [address for address in browser_page.requests if not address.startswith("file:")]
