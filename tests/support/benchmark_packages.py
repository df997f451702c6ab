"""A benchmark package by somebody else, made on disk and installed as pip would, sound or with one slip."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import folkways
from folkways import plugins
from folkways.benchmarks import registry
from folkways.releases import registry as releases
from folkways.releases.registry import read_record
from folkways.releases.release_records import ReleaseRecord

OURS = Path(folkways.__file__).parent

SOURCE = '''"""Markets: a benchmark with the three kinds of tasks."""

import csv

import polars as pl

from folkways.benchmarks.base import Benchmark, answer_groups
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, unparsed
from folkways.benchmarks.templates import Template, choose_templates
from folkways.records import Metric
from folkways.text.labels import chosen_label

LABELS = ("A", "B", "C")
ASKED = Template("{question}\\nA. {a}\\nB. {b}\\nC. {c}\\nAnswer with one letter.", "markets")
WORDS = Template("{question}\\nAnswer in a few words.", "markets")


def read(release):
    with release.path("questions.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


class Choice(ChoiceTask):
    name = "NAME/choice"
    release = "NAME"
    title = "Markets, by letter"
    about = "What people buy."
    facets = ()
    labels = LABELS

    def rows(self, release):
        for row in read(release):
            yield {
                "item": row["id"], "culture": row["culture"], "text": row["question"], "gold": row["answer"],
                "options": row["options"].split("|"), "local_language": "en", "gold_letter": row["answer"],
            }


class Own(ItemwiseTask):
    name = "NAME/own"
    release = "NAME"
    title = "Markets, by our own rule"
    about = "What people buy, and whose answer it is."
    metrics = (Metric("correct", "Accuracy", "The right letter."), Metric("near", "Near", "An option of the culture.", kind="mean"))
    facets = ("topic",)
    variants = ("plain",)
    labels = LABELS
    permutes_options = True
    gold_label = "right"
    item_columns = {"options": pl.List(pl.String), "option_cultures": pl.List(pl.String), "right": pl.String}
    permuted = ("options", "option_cultures")
    judgement_columns = {"chosen_culture": pl.String}
    max_tokens = 8

    def rows(self, release):
        for row in read(release):
            yield {
                "item": row["id"], "culture": row["culture"], "text": row["question"], "gold": row["answer"], "topic": row["topic"],
                "options": row["options"].split("|"), "option_cultures": row["whose"].split("|"), "right": row["answer"],
            }

    def templates(self, options, release, language):
        return choose_templates(self.name, options, {"plain": lambda: ASKED}, self.variants, needed=("question",))

    def parts(self, item, language):
        return {"question": item["text"], **dict(zip("abc", item["options"], strict=True))}

    def score(self, item, response, profile):
        letter = chosen_label(response["response"], dict(zip(self.labels, item["options"], strict=True)))
        if letter is None:
            return unparsed(response["response"], "en", "no letter in the reply")
        right = float(letter == item["right"])
        whose = dict(zip(self.labels, item["option_cultures"], strict=True))[letter]
        return ReplyScore(letter, "by letter", {"correct": right, "near": right}, {"chosen_culture": whose})


class Words(ItemwiseTask):
    name = "NAME/words"
    release = "NAME"
    title = "Markets, in words"
    about = "What people buy, in their words."
    metrics = (Metric("correct", "Accuracy", "The reply has the answer."),)
    facets = ()
    variants = ("plain",)
    item_columns = {"answers": pl.List(pl.String)}

    def rows(self, release):
        for row in read(release):
            right = row["options"].split("|")["ABC".index(row["answer"])]
            yield {"item": row["id"], "culture": row["culture"], "text": row["question"], "gold": right, "answers": [right]}

    def templates(self, options, release, language):
        return choose_templates(self.name, options, {"plain": lambda: WORDS}, self.variants, needed=("question",))

    def parts(self, item, language):
        return {"question": item["text"]}

    def accepted_answers(self, item):
        return answer_groups([item["answers"]])

    def question_in(self, item, language):
        return item["text"]

    def score(self, item, response, profile):
        reply = response["response"]
        return ReplyScore(reply, "compared", {"correct": float(any(answer in reply for answer in item["answers"]))})


BENCHMARK = Benchmark("NAME", "Markets", (Choice(), Own(), Words()))
'''

QUESTIONS = """id,culture,question,options,whose,answer,topic
KR-1,KR,What do people in South Korea buy first for the autumn feast?,rice cakes|bread|olives,KR|FR|MA,A,feasts
FR-1,FR,What do people in France carry home under an arm?,noodles|a baguette|dates,KR|FR|MA,B,daily
MA-1,MA,What do people in Morocco buy by the glass at a market?,beer|soup|mint tea,FR|KR|MA,C,daily
KR-2,KR,Where do people in Seoul buy fish at night?,at a kiosk|at the fish market|at the bakery,FR|KR|MA,B,daily
FR-2,FR,What do people in Lyon buy on a Sunday morning?,a roast chicken|kimchi|argan oil,FR|KR|MA,A,daily
"""

RECORD = """name = "NAME@1"
aliases = ["NAME"]
benchmark = "NAME"
revision = "1"
source = "package"
repository = "NAME"
licence = "Apache-2.0"
homepage = ""
languages = ["en"]
about = "Questions about markets."
citation = ""
files = [{ path = "questions.csv", remote = "questions.csv" }]
"""

Edits = Mapping[str, tuple[str, str]]
"""File of the package -> what is replaced in it, and by what. An empty text to be replaced stands for all of
it."""

FILES = {"__init__.py": SOURCE, "data/questions.csv": QUESTIONS, "records/NAME-1.toml": RECORD}


def package(
    folder: Path, name: str = "markets", edits: Edits | None = None, entry: str = "", distribution: str = ""
) -> Path:
    """Put the package ``name`` into ``folder`` as ``pip install --target`` would. entry: its entry points, if
    not the usual one."""
    module = name.replace("-", "_")
    for file, text in FILES.items():
        old, new = (edits or {}).get(file, ("", text))
        assert old in text, f"{file} has no {old!r}"
        path = folder / module / file.replace("NAME", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((text.replace(old, new) if old else new).replace("NAME", name), encoding="utf-8")
    about = folder / f"{distribution or name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: 1.0\n")
    usual = f"[folkways.benchmarks]\n{name} = {module}:BENCHMARK\n"
    (about / "entry_points.txt").write_text(entry or usual)
    return folder


@contextmanager
def installed(*folders: Path) -> Iterator[None]:
    """Have this process find the packages in the folders, as a new one would with them on its path; and
    forget them again."""
    before, path = set(sys.modules), [*map(str, folders), *sys.path]
    with patch.object(sys, "path", path), patch.object(releases, "read_record", _read_record):
        _forget()
        try:
            yield
        finally:
            for name in set(sys.modules) - before:
                file = getattr(sys.modules[name], "__file__", None) or ""
                if file.startswith(tuple(map(str, folders))):
                    del sys.modules[name]
    _forget()


@cache
def _our_record(path: Path) -> ReleaseRecord:
    return read_record(path)


def _read_record(path: Path) -> ReleaseRecord:
    """The record in a file; our own, which do not change, are read once."""
    return _our_record(path) if path.is_relative_to(OURS) else read_record(path)


def _forget() -> None:
    importlib.invalidate_caches()
    cached: list[Any] = [plugins.installed, plugins.entries, releases.records_by_name]
    cached += [
        registry.load_benchmark,
        registry.sound_benchmark,
        registry.benchmarks,
        registry.tasks,
        registry.published_figures,
        registry.builders,
        registry.all_suites,
    ]
    for function in cached:
        function.cache_clear()
