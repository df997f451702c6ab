"""A leaderboard of real runs: from a run, its archive and its records; what may be added to it; and its pages."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.chat_server import ChatServer
from tests.support.river import folkways

ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True)
class Made:
    """A run of two models on two tasks, and the sites of it and of what it was written as."""

    folder: Path
    sites: dict[str, Path]

    @property
    def workspace(self) -> Path:
        return self.folder / "w.db"

    @property
    def records(self) -> list[Path]:
        return sorted((self.folder / "records").rglob("*.json"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("leaderboard")
    where = ("-w", folder / "w.db")
    with ChatServer(mode="letter") as first, ChatServer(mode="fixed:tea") as second:
        models = ("-m", f"{first.url}/v1#org/one", "-m", f"{second.url}/v1#org/two", "-m", "baseline/first")
        done = folkways("run", "demo/saq", "demo/mcq", *models, *where, "--name", "asked")
        assert done.returncode == 0, done.stderr
    sites = {name: folder / f"site-{name}" for name in ("run", "records", "archive")}
    sources = {"run": "asked", "records": folder / "records", "archive": folder / "moved"}
    commands = (
        ("site", "asked", *where, "--out", sites["run"], "--url", "https://lab.example.org/board"),
        ("export", "every-eval-ever", "asked", *where, "--out", folder / "records"),
        ("site", "build", sources["records"], "--out", sites["records"]),
        ("runs", "archive", "asked", *where, "--out", sources["archive"]),
        ("site", "build", sources["archive"], "--out", sites["archive"]),
    )
    for command in commands:
        done = folkways(*command)
        assert done.returncode == 0, (command, done.stderr)
    return Made(folder, sites)


def entries(site: Path) -> list[dict[str, Any]]:
    document = json.loads((site / "site.json").read_bytes())
    return sorted(document["entries"], key=lambda entry: (entry["task"], entry["model"]))


def test_a_run_its_archive_and_its_records_make_the_same_leaderboard(made: Made) -> None:
    """Scores, intervals, counts, signatures, and the ranks on the pages."""
    of_run, of_records, of_archive = (entries(made.sites[name]) for name in ("run", "records", "archive"))
    assert [(entry["task"], entry["model"]) for entry in of_run] == [
        (task, model) for task in ("demo/mcq", "demo/saq") for model in ("org/one", "org/two")
    ]
    assert of_archive == of_run
    for one, other in zip(of_run, of_records, strict=True):
        numbers = ("score", "low", "high")
        assert [other.pop(name) for name in numbers] == pytest.approx([one.pop(name) for name in numbers])
        assert other.pop("source") != one.pop("source")
        assert other == one
    pages = [(site / "tasks/demo-mcq.html").read_text() for site in made.sites.values()]
    rows = [re.findall(r'<td class="num rank">(.*?)</td>', page) for page in pages]
    assert rows[0] == rows[1] == rows[2] == ["1", "2"]


class Links(HTMLParser):
    """The addresses and ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if name in ("href", "src") and value]
        self.ids += [value for name, value in attrs if name == "id" and value]


def test_every_link_leads_to_a_page_of_the_site_or_where_additions_are_proposed(made: Made) -> None:
    site = made.sites["run"]
    pages = {path: Links() for path in site.rglob("*.html")}
    for path, links in pages.items():
        links.feed(path.read_text())
        assert len(set(links.ids)) == len(links.ids)
    assert {path.relative_to(site).parts[0] for path in pages} == {
        "index.html",
        "tasks",
        "models",
        "cultures",
    }
    script = (site / "script.js").read_text()
    drawn = json.loads(re.search(r"const NAMES = (.*);\n", script)[1])
    assert all((site / path).is_file() for rows in drawn.values() for path, *_ in rows)
    for path, links in pages.items():
        for address in links.addresses:
            file, _, anchor = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file(), (path, address)
            assert not anchor or anchor in pages[target].ids, (path, address)


def test_feeds_say_what_was_added_with_rank_and_interval(made: Made) -> None:
    site = made.sites["run"]
    feed = ElementTree.parse(site / "feed.xml").getroot()
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):  # RFC 4287, 4.1.1
        assert feed.findtext(f"{ATOM}{name}")
    items = feed.findall(f"{ATOM}entry")
    assert {item.findtext(f"{ATOM}title") for item in items} == {"one: 2 tasks", "two: 2 tasks"}
    document = json.loads((site / "feed.json").read_bytes())
    assert document["version"] == "https://jsonfeed.org/version/1.1"
    assert len({item["id"] for item in document["items"]}) == 2
    for item, entry in zip(document["items"], items, strict=True):
        assert item["id"] == entry.findtext(f"{ATOM}id")
        assert item["content_text"] == entry.findtext(f"{ATOM}content")
        assert re.search(r"\d \(\d+\.\d to \d+\.\d\), rank [12] of 2 models", item["content_text"])
        assert item["url"].startswith("https://lab.example.org/board/models/")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", item["date_published"])


def test_the_address_of_a_server_is_nowhere(made: Made) -> None:
    for path in made.sites["run"].rglob("*.*"):
        assert "127.0.0.1" not in path.read_text() and str(made.folder) not in path.read_text()


def test_a_site_made_again_is_the_same_and_old_pages_go(made: Made, tmp_path: Path) -> None:
    for _ in range(2):
        assert folkways("site", made.folder / "records", "--out", tmp_path / "s").returncode == 0
        files = {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "s").rglob("*.*")}
    assert files == {
        Path("s") / path.relative_to(made.sites["records"]): path.read_bytes()
        for path in made.sites["records"].rglob("*.*")
    }
    (tmp_path / "s/models/mine.txt").write_text("mine")
    one = next(path for path in made.records if "one" in str(path))
    assert folkways("site", one, "--out", tmp_path / "s").returncode == 0
    assert {path.name for path in (tmp_path / "s/models").iterdir()} == {"one.html", "mine.txt"}
