"""How long a report takes, and how much memory: models with 80,000 judgements each, written as HTML and
Markdown.

    python -m perf.report --models 30

Scores and judgements are made up here in the shape of BLEnD's short answers: 16 cultures, two languages, two
prompts, 500 questions for five samples each; texts are of real length and mostly differ. Making them up is
not timed. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.cultures import cultures_of
from folkways.records import Metric, Signature, State
from folkways.reports.data import ReportData
from folkways.reports.formats.write import write_report

TASK = "blend/saq"
METRICS = (Metric("sem_b", "SEM-B", "Share of questions with an answer that people gave."),)
TOPICS = ("Food", "Sport", "Family", "Education", "Holidays", "Work life")
SIGNATURE = Signature({"task": TASK, "data": "made-up", "profile": "paper"})
QUESTIONS = 500
PER_MODEL = 80_000
WORDS = np.array(
    [
        "rice",
        "bread",
        "tea",
        "market",
        "festival",
        "football",
        "school",
        "family",
        "river",
        "song",
        "winter",
        "dance",
    ]
)


def judgements_of(model: int, rng: np.random.Generator) -> pl.DataFrame:
    """80,000 judgements of one model, whose skill differs by culture."""
    codes = np.array([culture.code for culture in cultures_of("blend")])
    row = np.arange(PER_MODEL)
    question = row % QUESTIONS
    culture = (row // QUESTIONS) % len(codes)
    ask = row // (QUESTIONS * len(codes))  # ten times: language by prompt, then further samples
    right = rng.random(PER_MODEL) < 0.15 + 0.5 * culture / len(codes) + 0.01 * model
    state = np.where(rng.random(PER_MODEL) < 0.02, State.REFUSED, State.ANSWERED).astype(str)
    right &= state == State.ANSWERED
    words = [pl.Series(WORDS[rng.integers(0, len(WORDS), PER_MODEL)]) for _ in range(6)]
    number = pl.Series(question).cast(pl.String)
    return pl.DataFrame(
        {"culture": codes[culture], "state": state, "sem_b": right.astype(np.float64)}
    ).with_columns(
        task=pl.lit(TASK),
        endpoint=pl.lit(f"lab/model-{model:02d}"),
        profile=pl.lit("paper"),
        item=pl.concat_str(pl.col("culture"), pl.lit("/Q-"), number),
        question=pl.concat_str(pl.lit("Q-"), number),
        language=pl.Series(np.where(ask % 2, "en", "ko")),
        variant=pl.Series(np.where(ask // 2 % 2, "inst-4", "pers-3")),
        sample=pl.Series(ask // 4, dtype=pl.Int64),
        counted=pl.lit(True),
        topic=pl.Series(np.array(TOPICS)[question % len(TOPICS)]),
        text=pl.concat_str(pl.lit("What do people there usually take to a celebration of kind "), number),
        gold=pl.lit("rice (3) · bread (2)"),
        response=pl.concat_str(pl.lit("People usually bring "), *words, separator=" "),
        answer=pl.concat_str(words[0], words[1], separator=" "),
        reason=pl.when(pl.col("sem_b") > 0)
        .then(pl.lit("matches “rice” (3 votes)"))
        .otherwise(pl.lit("no accepted answer in the reply")),
    )


def made_up(models: int) -> ReportData:
    """A report's data of so many models."""
    rng = np.random.default_rng(0)
    judged = [judgements_of(model, rng) for model in range(models)]
    groupings = ((), ("culture",), ("language",), ("culture", "language"), ("variant",), ("culture", "topic"))
    scores = [
        summarise_means(frame, TASK, METRICS, ("topic",), groupings).with_columns(
            endpoint=pl.lit(frame["endpoint"][0]), profile=pl.lit("paper"), signature=pl.lit(SIGNATURE.text())
        )
        for frame in judged
    ]
    return ReportData(
        title="Many models",
        created="2026-01-01T00:00:00+00:00",
        runs=(),
        scores=pl.concat(scores),
        judgements=pl.concat(judged),
        metrics={TASK: METRICS},
        signatures={SIGNATURE.text(): SIGNATURE},
        task_titles={TASK: "BLEnD short answers"},
    )


def peak() -> float:
    """The most memory this process has held so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Make the data up, write the report, say what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=30)
    chosen = parser.parse_args()
    data = made_up(chosen.models)
    before = peak()
    with tempfile.TemporaryDirectory() as folder:
        begun, processor = time.perf_counter(), time.process_time()
        files = write_report(data, Path(folder), ("html", "md"))
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
        told = {
            "models": chosen.models,
            "judgements": data.judgements.height,
            "seconds": round(seconds, 1),
            "cpu_seconds": round(processor, 1),
            "data_gb": round(data.judgements.estimated_size() / 1e9, 2),
            "peak_before_gb": round(before, 2),
            "peak_gb": round(peak(), 2),
            "page_mb": round(next(path for path in files if path.suffix == ".html").stat().st_size / 1e6, 1),
            "figures": sum(path.suffix == ".svg" for path in files),
        }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
