"""A leaderboard as a static site: a page for everything, for each task, model and culture, two feeds and a
list of its entries. It needs no server and loads nothing but its own files.

The tables of cultures hold each score once per page and are drawn by the page's script: as HTML they would be
three times as large.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

import orjson
from markupsafe import Markup

from folkways import __version__
from folkways.display import NOT_A_NUMBER, count, interval, json_for_html, number, plural
from folkways.errors import DataError
from folkways.evidence.contributions import Entry
from folkways.evidence.sentences import RANKS
from folkways.evidence.weak_spots import WeakSpot
from folkways.files import write_bytes
from folkways.names import culture_name, local_languages
from folkways.reports.figures.charts import FEW_ITEMS
from folkways.reports.figures.figure import slugged
from folkways.reports.figures.sparklines import rules
from folkways.reports.formats.html import asset, environment
from folkways.reports.formats.summary import glosses
from folkways.reports.palette import css_variables
from folkways.reports.views.board import Board
from folkways.reports.views.verdicts import model_counts
from folkways.reports.views.views import Score, TaskView

MANIFEST = "site.json"
FORMAT = 1

MOST_IN_FEED = 50
"""Additions in a feed, the newest first."""

MOST_RECENT = 8
"""Additions on the first page."""

SCRIPTS = ("shared", "site", "page")


@dataclass(frozen=True)
class Addition:
    """What one source brought of one model: an item of the feeds."""

    model: str
    source: str
    created: str
    entries: tuple[Entry, ...]

    @property
    def id(self) -> str:
        """A URI that is always the same for this model of this source."""
        named_by = "\n".join((self.source, self.model, self.created))
        return f"urn:folkways:{sha256(named_by.encode()).hexdigest()[:32]}"


class Site:
    """The files of a leaderboard.

    board: what it shows. url: where it will be published, for the feeds; empty if that is not known.
    contribute: the address at which additions are proposed; empty without one.
    """

    def __init__(self, board: Board, url: str = "", contribute: str = "") -> None:
        self.board = board
        self.url = f"{url.rstrip('/')}/" if url else ""
        self.contribute = contribute

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of each file; the manifest, which lists them, comes last."""
        paths = []
        for path, content in self._files():
            paths.append(path)
            yield path, content
        yield MANIFEST, orjson.dumps(self._manifest(paths), option=orjson.OPT_APPEND_NEWLINE)

    def _files(self) -> Iterator[tuple[str, bytes]]:
        yield "style.css", (css_variables() + rules() + asset("report.css") + asset("site/site.css")).encode()
        yield "script.js", self._script().encode()
        yield "feed.xml", self._atom()
        yield "feed.json", orjson.dumps(self._json_feed(), option=orjson.OPT_INDENT_2)
        yield (
            "index.html",
            self._page("index", "", title=self.board.title, counts=model_counts(self.board.leaderboard)),
        )
        for task in self.board.view.tasks:
            yield (
                self.page_of_task[task.task],
                self._page("task", "../", title=task.title, **self._of_task(task)),
            )
        for model in self.board.view.models:
            yield (
                self.page_of_model[model],
                self._page("model", "../", title=self.short[model], **self._of_model(model)),
            )
        for code in self.board.view.cultures:
            page = self._page("culture", "../", title=culture_name(code), **self._of_culture(code))
            yield self.page_of_culture[code], page

    @property
    def short(self) -> Mapping[str, str]:
        """Model -> its name on the pages."""
        return self.board.view.short

    @cached_property
    def page_of_task(self) -> dict[str, str]:
        """Task -> its page."""
        return page_paths("tasks", {task.task: task.task for task in self.board.view.tasks})

    @cached_property
    def page_of_model(self) -> dict[str, str]:
        """Model -> its page."""
        return page_paths("models", {model: self.short[model] for model in self.board.view.models})

    @cached_property
    def page_of_culture(self) -> dict[str, str]:
        """Culture -> its page."""
        return page_paths("cultures", {code: code for code in self.board.view.cultures})

    @cached_property
    def additions(self) -> list[Addition]:
        """What was added, the newest first."""
        grouped: dict[tuple[str, str, str], list[Entry]] = {}
        for entry in self.board.shown:
            grouped.setdefault((entry.created, entry.source, entry.model), []).append(entry)
        return [
            Addition(model, source, created, tuple(entries))
            for (created, source, model), entries in grouped.items()
        ]

    @cached_property
    def by_culture(self) -> list[TaskView]:
        """The tasks with scores by culture."""
        return [task for task in self.board.view.tasks if task.cultures]

    def _page(self, name: str, root: str, **values: Any) -> bytes:
        board = self.board
        common = {
            "root": root,
            "site": self,
            "board": board,
            "view": board.view,
            "data": board.view.data,
            "leaderboard": board.leaderboard,
            "matrix": board.matrix,
            "verdict": board.verdict,
            "generator": f"folkways {__version__}",
            "ranks": RANKS,
            "few_items": FEW_ITEMS,
            "recent": self.additions[:MOST_RECENT],
            "nan": math.nan,
            "counts": {},  # of the macros that a report shares
            "most_detailed": 1,
        }
        text = environment().get_template(f"site/{name}.html.j2").render(common | values)
        return "\n".join(line.strip() for line in text.splitlines() if line.strip()).encode()

    def _of_task(self, task: TaskView) -> dict[str, Any]:
        apart = [one for one in self.board.apart if one.task == task.task]
        signatures = {score.signature: None for score in task.whole}
        return {"task": task, "apart": apart, "signatures": signatures, "glosses": glosses([task.metric])}

    def _of_model(self, model: str) -> dict[str, Any]:
        rows = []
        for task in self.board.view.tasks:
            score = next((one for one in task.whole if one.endpoint == model), None)
            entry = self.board.entry(model, task.task)
            if score is not None and entry is not None:
                rows.append((task, score, self.board.leaderboard.ranks(task).get(model), entry))
        lines, numbers = [], []
        for number_of_row, code in enumerate(self.board.view.cultures):
            cells = [
                packed_score(task.facets["culture"].scores.get((code, model))) for task in self.by_culture
            ]
            if any(cells):
                numbers.append(number_of_row)
                lines.append(",".join(cells))
        return {
            "model": model,
            "rows": rows,
            "weak": self._weak(model=model),
            "packed": self._packed(
                "cultures", f"{self.short[model]} by culture", self.by_culture, numbers, lines
            ),
            "apart": [one for one in self.board.apart if model in one.leaderboard.view.models],
        }  # fmt: skip

    def _of_culture(self, code: str) -> dict[str, Any]:
        tasks = [task for task in self.by_culture if code in task.facets["culture"].values]
        lines, numbers = [], []
        for number_of_row, model in enumerate(self.board.view.models):
            cells = [packed_score(task.facets["culture"].scores.get((code, model))) for task in tasks]
            if any(cells):
                numbers.append(number_of_row)
                lines.append(",".join(cells))
        people = [task.people.get(("culture", code)) for task in tasks]
        ends = [
            ["People of the culture", *(number(one.score) if one else "" for one in people)],
            ["Guessing", *(number(self.board.leaderboard.chance(task)) for task in tasks)],
            ["n", *(sizes_about(task, code, self.board.view.models) for task in tasks)],
        ]
        below = [row for row in ends if any(cell not in ("", NOT_A_NUMBER) for cell in row[1:])]
        return {
            "code": code,
            "tasks": tasks,
            "models": len(lines),
            "languages": local_languages(code),
            "weak": self._weak(culture=code),
            "packed": self._packed("models", f"Models on {culture_name(code)}", tasks, numbers, lines, below),
        }

    def _packed(
        self,
        rows: str,
        caption: str,
        tasks: Sequence[TaskView],
        numbers: Sequence[int],
        lines: Sequence[str],
        below: Sequence[Sequence[str]] = (),
    ) -> Markup:
        """A table for the page's script.

        rows: what they are of, a key of the script's names. numbers: which of these. lines: the cells of
        each. below: further rows, with their names.
        """
        every = self.board.view.tasks
        table = {
            "rows": rows, "caption": caption, "tasks": [every.index(task) for task in tasks],
            "at": numbers, "cells": lines, "below": below,
        }  # fmt: skip
        return Markup(json_for_html(table))  # noqa: S704 - json_for_html leaves no character that could end the element

    def _weak(
        self, model: str | None = None, culture: str | None = None
    ) -> list[tuple[TaskView, WeakSpot, str]]:
        """Where models are weakest: task, spot and its words; of one model, or about one culture."""
        tasks = {task.task: task for task in self.board.view.tasks}
        return [
            (tasks[spot.task], spot, spot.words(tasks[spot.task].metric))
            for of_model in self.board.verdict.weakest.values()
            for spot in of_model
            if (
                spot.model == model if model is not None else (spot.facet, spot.value) == ("culture", culture)
            )
        ]

    def _script(self) -> str:
        names = {
            "tasks": [
                [self.page_of_task[task.task], task.title, task.metric.label, *task.domain]
                for task in self.board.view.tasks
            ],
            "models": [[path, self.short[model]] for model, path in self.page_of_model.items()],
            "cultures": [[path, culture_name(code)] for code, path in self.page_of_culture.items()],
        }
        shared, site, page = (asset(f"script/{name}.js") for name in SCRIPTS)
        # Tables come before the script that makes them sortable.
        names_in_script = f"const NAMES = {json_for_html(names)};\n"
        return (
            '"use strict";\n(() => {\n'
            + shared
            + names_in_script
            + f"{{\n{site}}}\n{{\n{page}}}\n"
            + "})();\n"
        )

    def summary(self, addition: Addition) -> str:
        """What an addition brought, in a line for each task: score, interval and rank."""
        lines = []
        for entry in addition.entries:
            task = next(task for task in self.board.view.tasks if task.task == entry.task)
            rank = self.board.leaderboard.ranks(task).get(entry.model)
            of = plural(len(self.board.leaderboard.ranks(task)), "model")
            lines.append(
                f"{task.title}: {number(entry.score)} ({interval(entry.low, entry.high, ' to ')})"
                + (f", rank {rank.span} of {of}" if rank else ", without a rank")
            )
        return "\n".join(lines)

    def headline(self, addition: Addition) -> str:
        """The title of an addition."""
        return f"{self.short[addition.model]}: {plural(len(addition.entries), 'task')}"

    def _atom(self) -> bytes:
        """The feed by RFC 4287."""
        atom = "http://www.w3.org/2005/Atom"
        ElementTree.register_namespace("", atom)

        def add(
            parent: ElementTree.Element, name: str, text: str = "", **attributes: str
        ) -> ElementTree.Element:
            element = ElementTree.SubElement(parent, f"{{{atom}}}{name}", attributes)
            element.text = text or None
            return element

        feed = ElementTree.Element(f"{{{atom}}}feed")
        add(feed, "id", self.url or f"urn:folkways:{sha256(self.board.title.encode()).hexdigest()[:32]}")
        add(feed, "title", self.board.title)
        add(feed, "updated", self.board.created)
        add(feed, "generator", "folkways", version=__version__)
        add(add(feed, "author"), "name", self.board.title)
        if self.url:
            add(feed, "link", rel="self", href=urljoin(self.url, "feed.xml"))
            add(feed, "link", href=self.url)
        for addition in self.additions[:MOST_IN_FEED]:
            entry = add(feed, "entry")
            add(entry, "id", addition.id)
            add(entry, "title", self.headline(addition))
            add(entry, "updated", addition.created)
            add(entry, "link", href=urljoin(self.url, self.page_of_model[addition.model]))
            add(entry, "content", self.summary(addition), type="text")
        ElementTree.indent(feed)
        return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)) + b"\n"

    def _json_feed(self) -> dict[str, Any]:
        """JSON Feed 1.1."""
        items = [
            {
                "id": addition.id,
                **({"url": urljoin(self.url, self.page_of_model[addition.model])} if self.url else {}),
                "title": self.headline(addition),
                "content_text": self.summary(addition),
                "date_published": addition.created,
            }
            for addition in self.additions[:MOST_IN_FEED]
        ]
        addresses = (
            {"home_page_url": self.url, "feed_url": urljoin(self.url, "feed.json")} if self.url else {}
        )
        return {
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.board.title,
            **addresses,
            "items": items,
        }

    def _manifest(self, paths: Sequence[str]) -> dict[str, Any]:
        """What ``folkways site check`` reads, and which files are the site's. A signature is there once."""
        signatures = {orjson.dumps(entry.made): entry.made for entry in self.board.entries}
        numbers = {text: number for number, text in enumerate(signatures)}
        fields = [name for name in Entry.__slots__ if name != "made"]
        return {
            "format": FORMAT,
            "title": self.board.title,
            "created": self.board.created,
            "files": paths,
            "signatures": list(signatures.values()),
            "entries": [
                {name: getattr(entry, name) for name in fields} | {"made": numbers[orjson.dumps(entry.made)]}
                for entry in self.board.entries
            ],
        }


def read_manifest(folder: Path) -> list[Entry]:
    """The entries of a site in a folder. DataError where its manifest is not one of this version."""
    path = folder / MANIFEST
    try:
        document = orjson.loads(path.read_bytes())
        if document["format"] != FORMAT:
            raise DataError(
                f"is of format {document['format']!r}; this folkways reads {FORMAT}: make the site again",
                file=path,
            )
        signatures = document["signatures"]
        return [Entry(**{**entry, "made": signatures[entry["made"]]}) for entry in document["entries"]]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"is not the list of a leaderboard ({error}); make the site again", file=path
        ) from error


def write_site(site: Site, out: Path) -> list[Path]:
    """Write the site into a folder, and delete the pages of an earlier one there that it no longer has.
    Returns the files. FolkwaysError where one cannot be written."""
    before = _files_before(out)
    paths = [write_bytes(out / path, content) for path, content in site.files()]
    for path in before - set(paths):
        with contextlib.suppress(OSError):
            path.unlink()
    return paths


def _files_before(out: Path) -> set[Path]:
    """The files of an earlier site in the folder, by its manifest; nothing outside the folder."""
    try:
        listed = orjson.loads((out / MANIFEST).read_bytes())["files"]
        return {
            out / name for name in listed if ".." not in Path(name).parts and not Path(name).is_absolute()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def page_paths(folder: str, names: Mapping[str, str]) -> dict[str, str]:
    """Key -> ``FOLDER/NAME.html``, each another one also where letters have no case. A name without a Latin
    letter or a digit is that of its page by a digest, so that the page keeps it when others come."""
    paths: dict[str, str] = {}
    for key, name in names.items():
        stem = base = slugged(name)[:80].strip(".-") or sha256(name.encode()).hexdigest()[:12]
        turn = 2
        while f"{folder}/{stem}.html" in paths.values():
            stem, turn = f"{base}-{turn}", turn + 1
        paths[key] = f"{folder}/{stem}.html"
    return paths


def packed_score(score: Score | None) -> str:
    """A score as the script reads it: ``612|52|70`` for 61.2 (52 to 70), with ``~`` before one of too few
    questions for a colour; empty without a score."""
    if score is None or score.score != score.score:
        return ""
    few = "~" if score.questions <= FEW_ITEMS else ""
    ends = [score.low, score.high] if score.low == score.low else []
    return few + "|".join(map(str, (round(10 * score.score), *map(round, ends))))


def sizes_about(task: TaskView, code: str, models: Sequence[str]) -> str:
    """How many answers the scores of the ``models`` about the culture ``code`` are means of, on the ``task``:
    "40", or "12 to 40"; empty without scores."""
    scores = (task.facets["culture"].scores.get((code, model)) for model in models)
    sizes = sorted({score.n - score.left_out for score in scores if score is not None})
    return " to ".join(dict.fromkeys(count(size) for size in (sizes[0], sizes[-1]))) if sizes else ""
