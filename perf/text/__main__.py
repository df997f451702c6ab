"""What the default text tools change in SEM-B, agreement with the authors' verdicts, and speed.

python -m perf.text            # the tables; installs the authors' tools into environments of their own the first time
python -m perf.text --write    # and puts them into RESULTS.md, and the effects into folkways/data
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from folkways.cultures import cultures_of, get_language
from folkways.text.tools import get_tool
from perf.pages import replace_table
from perf.text import agreement, parity

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("RESULTS.md")
EFFECTS = REPOSITORY / "src" / "folkways" / "data" / "text-tools.csv"
BEGIN = "<!-- {} written by python -m perf.text --write -->\n"
SPEED = ("language", "tool", "words per second", "start")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.text", description="Effect, agreement and speed of the text tools."
    )
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    options = parser.parse_args()
    gold = parity.items()
    languages = sorted(
        {culture.languages[0] for culture in cultures_of("blend")}, key=lambda code: get_language(code).name
    )
    speeds = [_speed(language, gold) for language in languages]  # first, while no tool has started
    effects = agreement.every(gold)
    tables = {
        "speed": _table(SPEED, speeds),
        "effect": _table(agreement.COLUMNS, (effect.row() for effect in effects)),
    }
    if options.write:
        biases = agreement.by_language(effects).items()
        lines = (
            f"{language},{bias.points:.1f},{bias.low:.1f},{bias.high:.1f}\n" for language, bias in biases
        )
        EFFECTS.write_text("language,points,low,high\n" + "".join(lines), encoding="utf-8")
    for name, table in tables.items():
        print(table)
        if options.write:
            replace_table(PAGE, BEGIN.format(name), table)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n" + "".join(
        f"| {' | '.join(row)} |\n" for row in rows
    )


def _speed(language: str, gold: pl.DataFrame) -> list[str]:
    """Name, tool, words per second on this language's own answers (each distinct one once), start."""
    code = [culture.code for culture in cultures_of("blend") if culture.languages[0] == language]
    answers = {
        answer
        for groups in gold.filter(pl.col("culture").is_in(code))["groups"].to_list()
        for group in groups
        for answer in group["en_answers" if language == "en" else "answers"]
    }
    tool = get_tool(language)
    began = time.process_time()
    tool.tokens("x")
    started = time.process_time()
    tokens = sum(len(tool.tokens(answer)) for answer in sorted(answers))
    rate = tokens / (time.process_time() - started)
    return [
        get_language(language).name,
        f"{tool.name} {tool.version}",
        f"{round(rate, -3):,.0f}",
        f"{started - began:.2f} s",
    ]


if __name__ == "__main__":
    main()
