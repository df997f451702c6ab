"""BLEnD releases of our own, drawn at random: answers of three or more countries, for the construction of
multiple choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from folkways.benchmarks.blend.build.sources import AnswerGroup, SourceQuestion, form_of
from tests.support.blend_data import NOT_KNOWING, write_csv

COUNTRIES = ("UK", "South_Korea", "Algeria", "Spain", "Iran")
WORDS = (
    "tea",
    "green tea",
    "Coffee",
    "coffee",
    "rice",
    "steak",
    "apple juice",
    "juice",
    "bread",
    "10",
    "7",
    "07:00",
    "19:30",
    "the sea",
    "",
)
HINTS = ("", " (Provide Arabic numerals (e.g., 12) only.)", " (Provide in HH:MM format (e.g., 18:00).)")


def groups() -> st.SearchStrategy[tuple[AnswerGroup, ...]]:
    """Answers of one country, most frequent first, the first with two votes or more."""
    variants = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)
    drawn = st.lists(st.tuples(variants, st.integers(1, 5)), min_size=1, max_size=6)
    return drawn.map(
        lambda pairs: tuple(
            AnswerGroup(texts, max(count, 2) if place == 0 else count)
            for place, (texts, count) in _ranked(pairs)
        )
    )


def _ranked(pairs: list[tuple[tuple[str, ...], int]]) -> list[tuple[int, tuple[tuple[str, ...], int]]]:
    return list(enumerate(sorted(pairs, key=lambda pair: -pair[1])))


@st.composite
def sources(draw: st.DrawFn, name: str = "Q-1") -> SourceQuestion:
    """One question with the answers of COUNTRIES."""
    text = "What do people have in your country?" + draw(st.sampled_from(HINTS))
    texts = {country: text.replace("your country", country) for country in COUNTRIES}
    return SourceQuestion(
        name, text, form_of(text), texts, {country: draw(groups()) for country in COUNTRIES}
    )


def write_release(folder: Path, questions: int) -> Path:
    """A release of ``questions`` questions in the files of BLEnD, the same one for the same number."""
    things = [
        f"{first}{last}"
        for first in ("ka", "mo", "ri", "tu", "se", "pa", "lo")
        for last in ("ban", "dil", "fos", "gur", "hev")
    ]
    for place, country in enumerate(COUNTRIES):
        entries: dict[str, Any] = {}
        rows = []
        for number in range(questions):
            text = f"What do people bring on occasion {number} in your country?"
            offset = number * 11 + place * 6
            answers = [things[(offset + step) % len(things)] for step in range(5)]
            entries[f"Q-{number}"] = {
                "question": text,
                "en_question": text,
                "annotations": [
                    {"answers": [answer], "en_answers": [answer, f"{answer}s"], "count": max(5 - step, 2)}
                    for step, answer in enumerate(answers)
                ],
                "idks": NOT_KNOWING,
            }
            rows.append((f"Q-{number}", "Food", "English (US)", text, f"[{country}] {number}"))
        (folder / "annotations").mkdir(parents=True, exist_ok=True)
        (folder / "annotations" / f"{country}_data.json").write_text(json.dumps(entries), encoding="utf-8")
        write_csv(
            folder / "questions" / f"{country}_questions.csv",
            ["ID", "Topic", "Source", "Question", "Translation"],
            rows,
        )
    return folder
