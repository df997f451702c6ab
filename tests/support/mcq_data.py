"""A folder of multiple-choice questions of our own in BLEnD's released schema, of any size, for runs without
the reference data."""

from __future__ import annotations

import csv
import json
from pathlib import Path

COUNTRIES = ("UK", "US", "South_Korea", "China", "Indonesia", "Spain", "Mexico", "Iran", "Greece", "Ethiopia")
"""The names that BLEnD's files give the countries."""

CODES = ("GB", "US", "KR", "CN", "ID", "ES", "MX", "IR", "GR", "ET")
"""The same cultures by their codes."""

COLUMNS = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
LETTERS = "ABCD"

_OCCASIONS = (
    "on a rainy evening",
    "after a long walk",
    "at a neighbour's wedding",
    "on the first day of school",
    "at the seaside",
)
_THINGS = (
    "stew",
    "kite",
    "lantern",
    "drum",
    "pastry",
    "shawl",
    "riddle",
    "broom",
    "marble",
    "whistle",
    "basket",
)


def write_mcq_release(folder: Path, count: int, *, letter: str | None = None) -> Path:
    """Write ``count`` questions, spread over COUNTRIES in turn, and return ``folder``.

    Every prompt is another one. The right letter of question number n is ``letter``, or else
    ``right_letter(n)``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "mc_questions_file.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(_row(number, letter or right_letter(number)) for number in range(count))
    return folder


def right_letter(number: int) -> str:
    """The answer of question ``number``, counted from 0."""
    return LETTERS[number * 7 // 3 % 4]


def _row(number: int, answer: str) -> list[str]:
    place = number % len(COUNTRIES)
    choices = {
        letter: f"{_THINGS[(number + step) % len(_THINGS)]} {step}" for step, letter in enumerate(LETTERS)
    }
    origins = {letter: COUNTRIES[(place + step + 1) % len(COUNTRIES)] for step, letter in enumerate(LETTERS)}
    origins[answer] = COUNTRIES[place]
    question = (
        f"Riddle {number}: what would people of {COUNTRIES[place]} bring "
        f"{_OCCASIONS[number % len(_OCCASIONS)]}?"
    )
    listed = "\n".join(f"{letter}. {choice}" for letter, choice in choices.items())
    # The id of a question is shared by its versions, of which each culture has two here.
    versions = number // len(COUNTRIES)
    question_id = f"In-vt-{versions // 2:03d}"
    return [
        f"{question_id}_{number}",
        question_id,
        COUNTRIES[place],
        f"{question} Answer with one letter.\n\n{listed}\n\nAnswer:",
        json.dumps(choices),
        json.dumps(origins),
        answer,
    ]
