"""Questions of our own in the shapes of SuperBLEnD and BLEnD-Vis."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import release_over

Row = dict[str, Any]

COUNTRIES = (
    *("North_Korea", "US", "Assam", "China", "South_Korea", "Mexico", "Italy", "Malaysia", "Azerbaijan"),
    *("Indonesia", "Greece", "Philippines", "Spain", "Thailand", "Poland", "UK", "United_Arab_Emirates"),
    *("Algeria", "Egypt", "Iran", "Ethiopia", "Germany", "Vietnam", "Chile", "Netherlands", "Portugal"),
    *("West_Java", "Czech_Republic", "Japan", "Saudi_Arabia", "France", "Northern_Nigeria", "Turkey"),
    "Russia",
)
INSTRUCTION = "Give the letter of the right option and nothing else"


def superblend_row(number: int, country: str, question: str, options: Iterable[str], gold: str) -> Row:
    listed = dict(zip("ABCD", options, strict=True))
    return {
        "uuid": f"0000-{number}",
        "prompt": f"{question} \n {INSTRUCTION} :\n {listed}\n output:\n",
        "gt": gold,
        "country": country,
        "language": "English",
    }


def superblend_rows() -> list[Row]:
    """Two paraphrases of one fact and a question of numbers of each country, and odd ones of Chile: two equal
    options, quotes and a line break."""
    rows: list[Row] = []
    for country in COUNTRIES:
        for question in (
            f"What is eaten in {country} at New Year?",
            f"Which dish has {country} on January 1?",
        ):
            options = ["Rice", f"{country} soup", "Bread", "Figs"]
            rows.append(superblend_row(len(rows), country, question, options, "B"))
        numbers = ["4", "5", "6", "7"]
        question = f"At what age do children of {country} start school? (a number)"
        rows.append(superblend_row(len(rows), country, question, numbers, "C"))
    odd = ["Lentils", "Grapes", "Grapes", "Soup"]
    rows.append(superblend_row(len(rows), "Chile", "What is eaten for luck?", odd, "A"))
    quotes = ["Day of the 'huaso'", 'the "cueca"', "{none}", "a: b"]
    rows.append(superblend_row(len(rows), "Chile", "Which dance?\nName it.", quotes, "B"))
    return rows


def write_superblend(root: Path, rows: Iterable[Row] | None = None) -> Release:
    """The repository's folder ``data`` under ``root``, and the release in it."""
    _write_lines(root / "original/SuperBLEnD/English.jsonl", superblend_rows() if rows is None else rows)
    return release_over(root, "superblend")


def _write_lines(file: Path, rows: Iterable[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def vis_rows(countries: Iterable[str] = ("Chile", "West_Java", "UK"), facts: int = 12) -> list[Row]:
    """Each fact about each region in both formats of text and as a picture."""
    rows: list[Row] = []
    for country in countries:
        for fact in range(facts):
            things = {letter: f"thing {number} of {fact}" for number, letter in enumerate("ABCD")}
            regions = {"A": "Japan", "B": country, "C": "Italy", "D": "Egypt"}
            for form, options, gold in (
                ("original", things, "ABCD"[fact % 4]),
                ("rephrased", regions, "B"),
                ("visual", regions, "B"),
            ):
                rows.append(
                    {
                        "MCQID": f"V{fact:02d}_{country}_{form}",
                        "ID": f"V{fact:02d}",
                        "country": country,
                        "format": form,
                        "question": f"{form} question {fact}, {country[::-1]}?",
                        "choices": options,
                        "answer_idx": gold,
                    }
                )
    return rows


def write_vis(root: Path, rows: Iterable[Row] | None = None) -> Release:
    _write_lines(root / "mcq_split/test.jsonl", vis_rows() if rows is None else rows)
    return release_over(root, "blend-vis")
