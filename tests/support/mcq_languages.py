"""Answers of five countries from which choice questions in the culture's language can be built, and their
build."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from folkways.benchmarks.blend.build.commands import build_mcq
from tests.support.blend_data import NOT_KNOWING, group, write_csv

NO_MODELS: Any = SimpleNamespace(progress=lambda _text: None)
Answers = dict[str, dict[str, list[dict[str, Any]]]]

HOUR = "When do people eat in {}? (Provide in HH:MM format (e.g., 18:00).)"
QUESTIONS = {
    "Q-1": "What do people drink in {}?",
    "Q-2": "What do guests get in {}?",
    "Q-3": HOUR,
    "Q-4": "What is sold at stadiums in {}?",
}
PLACES = ("UK", "South_Korea", "North_Korea", "Mexico", "Iran")


def answers() -> Answers:
    """South Koreans' wordings of coffee and beer come from another question, that of spring water from the
    North; nobody words atole or doogh in Korean, and tea is theirs too."""
    hours = {
        "UK": "18:00",
        "South_Korea": "19:00",
        "North_Korea": "20:00",
        "Mexico": "14:00",
        "Iran": "21:00",
    }
    return {
        "Q-1": {
            "UK": [group(["tea"], ["tea"], 5), group(["beer"], ["ale", "beer"], 2)],
            "South_Korea": [
                group(["보리차", "보리茶"], ["barley tea", "boiled barley"], 3),
                group(["차"], ["tea"], 1),
            ],
            "North_Korea": [group(["샘물"], ["spring water"], 2)],
            "Mexico": [group(["café"], ["Coffee"], 4), group(["atole"], ["atole"], 3)],
            "Iran": [group(["دوغ"], ["doogh"], 3)],
        },
        "Q-2": {
            "South_Korea": [group(["coffee", "커피"], ["coffee"], 1), group(["맥주"], ["beer", "ale"], 1)]
        },
        "Q-3": {place: [group([hour], [hour], 2)] for place, hour in hours.items()},
    }


def write(folder: Path, given: Answers) -> Path:
    for place in PLACES:
        entries, rows = {}, []
        for key, text in QUESTIONS.items():
            english, local = text.format(place.replace("_", " ")), f"[{place}] {key}?"
            groups = given.get(key, {}).get(place, [])
            entries[key] = {
                "question": local,
                "en_question": english,
                "annotations": groups,
                "idks": NOT_KNOWING,
            }
            topic = "Sport" if key == "Q-4" else "Food"
            rows.append((key, topic, "English (US)", english, english if place == "UK" else local))
        file = folder / "annotations" / f"{place}_data.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(entries), encoding="utf-8")
        header = ["ID", "Topic", "Source", "Question", "Translation"]
        write_csv(folder / "questions" / f"{place}_questions.csv", header, rows)
    return folder


def make(folder: Path, **options: Any) -> list[str]:
    """Build from ``answers``; the notes to the user."""
    values: dict[str, Any] = {
        "release": str(write(folder / "answers", answers())),
        "judge": "stand-in:overlap",
        "profile": "strict",
        "language": ["local"],
        **options,
    }
    out = folder / "both" / "mc_questions_file.csv"
    return list(
        build_mcq(NO_MODELS, out=out, calls=None, hub=folder / "hub", hub_format="jsonl", **values).notes
    )
