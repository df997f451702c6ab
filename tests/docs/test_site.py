"""The documentation site, built as `make docs` builds it: strict, searchable from disk, with nothing from
another host."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit

import pytest

import folkways
from tests.support.browser import Watched
from tests.support.changed_files import nightly_unless_changed
from tests.support.doc_pages import PAGES, REPOSITORY

DOCS = REPOSITORY / "docs"
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b(?![^>]*rel=\"?canonical)[^>]*href=\"?(?:https?:)?//"
)

of_the_site = nightly_unless_changed("docs/", "scripts/site/", "zensical.toml")


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


@of_the_site
def test_nothing_is_fetched_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert {
        str(page.relative_to(site)) for page in pages if FETCHED.search(page.read_text(encoding="utf-8"))
    } == set()


@of_the_site
def test_api_page_has_everything_public_with_its_docstring(site: Path) -> None:
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    assert set(re.findall(r'<h2 id="folkways\.(\w+)"', page)) == set(folkways.__all__) - {"__version__"}
    shown = words(unescape(re.sub(r"<[^>]+>", "", page)))
    for name in set(folkways.__all__) - {"__version__"}:
        first, _, _ = (inspect.getdoc(getattr(folkways, name)) or "").partition("\n\n")
        assert first and words(first) in shown, name
    assert '<h3 id="folkways.Run.scores"' in page


def words(text: str) -> str:
    """The text without Markdown's marks of code and with single spaces."""
    return " ".join(text.replace("`", "").split())


@of_the_site
def test_fences_become_highlighted_blocks(site: Path) -> None:
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert '<span class="filename">study.toml</span>' in page
    assert not [
        item
        for item in json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
        if "```" in item["text"]
    ]


@of_the_site
def test_code_can_be_copied_from_tables_as_it_is(site: Path) -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    code = [unescape(text) for page in pages.values() for text in re.findall(r"<code>([^<]*)</code>", page)]
    assert "_FOLKWAYS_COMPLETE=fish_source folkways | source" in code and "PATH|URL" in code
    assert not [text for text in code if "\\|" in text]


QUESTIONS = {
    "which model should I choose": "faq choose",
    "ask again": "faq run workspace",
    "force rerun": "faq",
    "refresh stored replies": "faq workspace",
    "delete a run": "faq",
    "where is the workspace": "faq",
    "few-shot examples": "faq",
    "chat template": "faq",
    "SEM-B": "faq tasks glossary",
    "python function model": "faq python",
    "what does a run cost": "faq",
    "api key": "faq",
    "ollama": "faq endpoints",
    "vllm server": "faq endpoints",
    "resume after a crash": "faq",
    "rate limit": "faq",
    "significant difference": "faq compare",
    "confidence interval": "faq trust",
    "compare with the paper": "faq published",
    "lm-eval": "share",
    "inspect": "share",
    "hugging face leaderboard": "faq share",
    "export csv": "faq",
    "latex": "faq report",
    "reasoning model score 0": "faq",
    "replies were cut": "trust",
    "worse than guessing": "faq",
    "add a benchmark": "faq extending",
    "my own questions": "faq extending",
    "agreement of annotators": "faq studio",
    "prolific": "studio",
    "backup": "deploy",
    "single sign-on": "deploy",
    "licence": "data",
    "without a network": "faq",
    "slurm": "cluster",
    "contamination": "faq probe",
    "temperature": "faq endpoints",
}
"""What newcomers type -> the pages of which one has to be among the first three hits."""


@of_the_site
@pytest.mark.browser
def test_what_newcomers_type_is_among_the_first_three_hits(site: Path, browser_page: Watched) -> None:
    page = browser_page.open(site / "index.html")
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search")
    missed = {}
    for question, answers in QUESTIONS.items():
        field.fill(question)
        hit = page.locator(f"a[href*='h={quote_plus(question)}']")
        hit.first.wait_for()
        hits = [Path(urlsplit(link.get_attribute("href")).path).stem for link in hit.all()[:3]]
        if not set(hits) & set(answers.split()):
            missed[question] = hits
    assert missed == {}


@of_the_site
@pytest.mark.browser
def test_search_works_from_disk(site: Path, browser_page: Watched) -> None:
    page = browser_page.open(site / "index.html")
    page.keyboard.press("/")
    page.keyboard.type("interval denominator")
    page.get_by_role("link", name="Read and trust a score").first.wait_for()
    assert browser_page.errors == []
    assert not [address for address in browser_page.requests if not address.startswith("file:")]
