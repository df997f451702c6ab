"""The questions that every client asks: the same distinct multiple-choice prompts, in each client's own file
format.

The words are drawn from a seed; they mean nothing. What matters is that a prompt is as long as a BLEnD one
(about 400 to 700 characters), that no two are equal, and that the ready-made CSV has the release's schema.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.chat_layouts import Question, answer

MODEL = "m"
MCQ_FILE = "mc_questions_file.csv"
MCQ_COLUMNS = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
COUNTRIES = (
    *("UK", "US", "South_Korea", "Algeria", "China", "Indonesia", "Spain", "Iran"),
    *("Mexico", "Assam", "Greece", "Ethiopia", "Northern_Nigeria", "Azerbaijan", "North_Korea", "West_Java"),
)
QUESTIONS = 87  # as many as the published construction keeps, so that clusters have a realistic size
_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ten",
    "sa",
    "ru",
    "bel",
    "dor",
    "wa",
    "nim",
    "pha",
    "gul",
    "ter",
    "os",
    "zib",
    "yor",
    "vem",
)


@dataclass(frozen=True)
class Workload:
    """Files with the same ``requests`` prompts, and what the server in mode ``letter`` answers to them.

    release:  folder that folkways adopts with ``--release``.
    prompts:  JSONL with ``id``, ``prompt`` and ``target``, for the others.
    expected: how often each letter must come back; equal for every client that sends the prompts unaltered.
    """

    requests: int
    release: Path
    prompts: Path
    expected: Counter[str]
    mean_length: float


def write(folder: Path, requests: int, seed: int = 0) -> Workload:
    """Write ``requests`` prompts below ``folder``, row by row, so that this process stays smaller than any
    client."""
    release, prompts = folder / "release", folder / "prompts.jsonl"
    table = release / MCQ_FILE
    release.mkdir(parents=True, exist_ok=True)
    expected: Counter[str] = Counter()
    length = 0
    with table.open("w", newline="", encoding="utf-8") as mcq, prompts.open("w", encoding="utf-8") as lines:
        rows = csv.DictWriter(mcq, MCQ_COLUMNS)
        rows.writeheader()
        for row in _rows(requests, seed):
            rows.writerow(row)
            lines.write(
                json.dumps({"id": row["MCQID"], "prompt": row["prompt"], "target": row["answer_idx"]}) + "\n"
            )
            expected[answer("letter", Question(MODEL, "", row["prompt"]))] += 1
            length += len(row["prompt"])
    return Workload(requests, release, prompts, expected, length / requests)


def _rows(requests: int, seed: int) -> Iterator[dict[str, str]]:
    draw = random.Random(seed)
    for number in range(requests):
        question = f"Be-en-{number % QUESTIONS + 1:02d}"
        country = COUNTRIES[number // QUESTIONS % len(COUNTRIES)]
        others = draw.sample([name for name in COUNTRIES if name != country], 3)
        cultures = sorted([country, *others])
        choices = dict(zip("ABCD", (f"{_words(draw, 1)} {_words(draw, 1)}" for _ in range(4)), strict=True))
        asked = (
            f"What do people in {country.replace('_', ' ')} {_words(draw, draw.randint(14, 34))} "
            "(case "
            f"{number})?"
        )
        prompt = (
            f"{asked} Without any explanation, name the one option that fits best. Reply with a JSON "
            "object that has a single key, "
            '"answer_choice", and the letter of that option as its value, like this: {"answer_choice": '
            '""}\n\n'
            + "\n".join(f"{letter}. {text}" for letter, text in choices.items())
            + "\n\nYour answer:"
        )
        yield {
            "MCQID": f"{question}_{number}",
            "ID": question,
            "country": country,
            "prompt": prompt,
            "choices": json.dumps(choices),
            "choice_countries": json.dumps(dict(zip("ABCD", cultures, strict=True))),
            "answer_idx": "ABCD"[cultures.index(country)],
        }


def _words(draw: random.Random, count: int) -> str:
    return " ".join("".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))) for _ in range(count))
