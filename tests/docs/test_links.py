"""Every link inside the project leads somewhere: to a file that is there, and to a heading that is on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.doc_pages import FENCE, PAGES, REPOSITORY

LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
# How pages of the site name files outside docs/: the site does not have them, and a checkout has.
IN_THE_REPOSITORY = re.compile(r"https://github\.com/folkways/folkways/blob/main/")


def prose(page: Path) -> list[str]:
    """The lines outside fenced blocks."""
    lines, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            lines.append(line)
    return lines


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings: lower case, punctuation dropped, spaces as
    hyphens."""
    headings = (line.lstrip("#").strip() for line in prose(page) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    for line in prose(page):
        for link in LINK.finditer(line):
            target, _, anchor = link["target"].partition("#")
            inside = IN_THE_REPOSITORY.match(target)
            if re.match(r"[a-z]+:", target) and not inside:
                continue
            destination = (
                REPOSITORY / target[inside.end() :]
                if inside
                else (page.parent / target).resolve()
                if target
                else page
            )
            assert destination.exists(), f"{page.name}: no {target}"
            if anchor:
                assert anchor in anchors(destination), (
                    f"{page.name}: {destination.name} has no heading #{anchor}"
                )


def test_every_page_of_the_docs_is_reached_from_the_index() -> None:
    seen: set[Path] = set()
    to_visit = [REPOSITORY / "docs" / "index.md"]
    while to_visit:
        page = to_visit.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = {link["target"].partition("#")[0] for line in prose(page) for link in LINK.finditer(line)}
        to_visit += [
            (page.parent / target).resolve()
            for target in targets
            if target.endswith(".md") and "://" not in target
        ]
    assert not {page for page in PAGES if page.is_relative_to(REPOSITORY / "docs")} - seen
