"""Seconds of short-answer scoring, here and by the authors' procedure re-enacted, on the same replies in one
session.

python -m perf.blend.saq                                     # five minutes on two cores
python -m perf.blend.saq --languages zh,ko --sample 100      # a quick look
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.benchmarks.free_answers.matching import READ_AS_MISSING
from folkways.benchmarks.released_data import open_release
from folkways.cultures import get_language
from folkways.releases.release_records import Release
from perf.blend import saq_replies
from perf.text import environments, parity

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent / "text" / "requirements-authors.txt"
ENVIRONMENTS = {"fa": HERE / "requirements-hazm.txt", "id": HERE / "requirements-nlp-id.txt"}
SLOW = {"fa": 25, "id": 25, "ar": 200}
"""Questions at most, spread over the file, unless --sample says otherwise: seconds each."""
LANGUAGES = ("ar", "en", "fa", "ha", "id", "ko", "zh")


@dataclass(frozen=True)
class Row:
    """One language: CPU seconds of both, and whether the re-enactment decided as the authors did."""

    language: str
    questions: int
    measured: int
    theirs: float
    ours: float
    agrees: float | None

    @property
    def ratio(self) -> float:
        """How many times theirs is ours."""
        return self.theirs / self.ours


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.blend.saq", description="Seconds of short-answer scoring."
    )
    parser.add_argument(
        "--languages", type=lambda text: text.split(","), default=list(LANGUAGES), metavar="L[,L]"
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="questions that the re-enactment gets, of 500"
    )
    options = parser.parse_args()
    if unknown := set(options.languages) - set(LANGUAGES):
        parser.error(f"unknown {', '.join(sorted(unknown))}; valid: {', '.join(LANGUAGES)}")
    release = open_release(str(parity.SHARED / "data" / "blend" / "24e7d73"), "blend")
    items = ShortAnswers().items(release)
    rows = [_measure(language, release, items, options.sample) for language in options.languages]
    whole = _whole(release, items)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f} at the end.\n"
    )
    print(table_of(rows))
    print("All 16 cultures x 2 languages x 2 prompts (30,000 replies), wall seconds with every start:")
    for profile, seconds in whole.items():
        print(f"- {profile}: {seconds:.1f} s (goal: under 60)")


def table_of(rows: list[Row]) -> str:
    columns = (
        "language",
        "questions",
        "measured",
        "theirs, CPU s",
        "ours, CPU s",
        "ratio",
        "re-enactment decides as they did",
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        agrees = "no reference" if row.agrees is None else f"{100 * row.agrees:.1f} %"
        lines.append(
            f"| {get_language(row.language).name} | {row.questions} | {row.measured} | {row.theirs:.2f} | "
            f"{row.ours:.2f} "
            f"| {row.ratio:,.1f} | {agrees} |"
        )
    theirs, ours = sum(row.theirs for row in rows), sum(row.ours for row in rows)
    lines.append(f"| sum | | | {theirs:.2f} | {ours:.2f} | {theirs / ours:,.1f} | |")
    return (
        "\n".join(lines)
        + "\n\nWhere fewer are measured than there are questions, theirs is scaled up, start apart.\n"
    )


def _measure(language: str, release: Release, items: pl.DataFrame, sample: int | None) -> Row:
    responses, reference = saq_replies.of_language(language, release, items)
    responses = responses.select(
        "task", "item", "language", "variant", "sample", "state", "reason", "response", "prompt"
    )
    most = min(responses.height, sample or SLOW.get(language, responses.height))
    places = [round(place * responses.height / most) for place in range(most)]
    asked = saq_replies.questions(items, responses[places])
    for question, reply in zip(asked, responses[places]["response"], strict=True):
        if reply in READ_AS_MISSING:
            question["reply"] = ""
    theirs = _theirs(language, {"english": language not in ENVIRONMENTS, "questions": asked})
    agrees = None
    if reference is not None:
        both = pl.DataFrame({"official": reference[places], "found": theirs["verdicts"]}).drop_nulls()
        agrees = float((both["official"] == both["found"].cast(pl.Float64)).mean())  # type: ignore[arg-type]
    cpu = theirs["start"] + (theirs["cpu"] - theirs["start"]) * responses.height / most
    row = Row(language, responses.height, most, cpu, _ours(items, responses), agrees)
    print(f"{language}: theirs {row.theirs:.2f} s, ours {row.ours:.2f} s", file=sys.stderr, flush=True)
    return row


def _theirs(language: str, task: dict[str, Any]) -> dict[str, Any]:
    python = environments.ensure(ENVIRONMENTS.get(language, TOOLS))
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        source, target = Path(folder) / "in.json", Path(folder) / "out.json"
        source.write_text(json.dumps(task), encoding="utf-8")
        command = [str(python), str(HERE / "peers" / "saq_authors.py"), language, str(source), str(target)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{language}: the re-enactment failed\n{done.stderr[-2000:]}")
        return dict(json.loads(target.read_text(encoding="utf-8")))


def _ours(items: pl.DataFrame, responses: pl.DataFrame) -> float:
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        items.write_parquet(Path(folder) / "items.parquet")
        responses.write_parquet(Path(folder) / "responses.parquet")
        target = Path(folder) / "out.json"
        subprocess.run([sys.executable, "-m", "perf.blend.saq_ours", folder, str(target)], check=True)
        return float(json.loads(target.read_text(encoding="utf-8"))["cpu"])


def _whole(release: Release, items: pl.DataFrame) -> dict[str, float]:
    """Wall seconds of ``folkways judge`` for replies to every prompt, in each profile."""
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        file, out = Path(folder) / "replies.parquet", Path(folder) / "verdicts.parquet"
        made = saq_replies.drawn(items, ShortAnswers().prompts(items, PromptOptions(), release))
        made.select("item", "language", "variant", "response", "prompt").write_parquet(file)
        command = [
            sys.executable,
            "-m",
            "folkways.cli.main",
            "judge",
            "blend/saq",
            "--release",
            str(release.root),
        ]
        found = {}
        for profile in ("paper", "strict"):
            began = time.perf_counter()
            done = [*command, "--responses", str(file), "--out", str(out), "--profile", profile]
            subprocess.run(done, check=True, capture_output=True)
            found[profile] = time.perf_counter() - began
            if pl.read_parquet(out).height != made.height:
                raise SystemExit("folkways judge did not judge every reply")
        return found


if __name__ == "__main__":
    main()
