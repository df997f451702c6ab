"""How long a leaderboard takes and how large it is: made records of Every Eval Ever of 60 models on 14 tasks over
150 cultures, written by ``folkways site``'s own function.

    python -m perf.site                          # two minutes; writes perf/site/RESULTS.md
    python -m perf.site --models 6 --questions 1

Scores, intervals and single judgements are made up here. Making them up is not timed.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import orjson

from folkways.cultures import cultures
from folkways.integrations.leaderboard import write_leaderboard
from folkways.process import tune_process
from perf.pages import replace_table

RESULTS = Path(__file__).with_name("RESULTS.md")
BEGIN = "<!-- python -m perf.site -->\n"
WORDS = ("Everyday", "Proverbs", "Etiquette", "Festivals", "Kitchen", "Markets", "Weddings")
Z = 1.959964


def codes(amount: int) -> list[str]:
    """Codes of cultures: those that folkways knows, then made ones."""
    return [*list(cultures())[:amount], *(f"X{number}" for number in range(amount - len(cultures())))][
        :amount
    ]


def wilson(right: int, n: int) -> tuple[float, float]:
    """The interval of a share."""
    share = right / n
    middle, half = (
        (share + Z**2 / (2 * n)) / (1 + Z**2 / n),
        Z * (share * (1 - share) / n + Z**2 / (4 * n**2)) ** 0.5,
    )
    return middle - half / (1 + Z**2 / n), middle + half / (1 + Z**2 / n)


def result(task: str, facet: str, value: str, right: int, n: int) -> dict[str, object]:
    """An entry of ``evaluation_results`` as folkways writes it."""
    low, high = wilson(right, n)
    signature = f"task:{task}|data:made@1#0123456789ab|lang:en|variant:plain|prompts:release|system:task|settings:temperature=0.0|samples:1|profile:strict|seed:0|folkways:0.2.0"
    counts = {
        "n": n,
        "questions": n,
        "answered": n,
        "refused": 0,
        "unreadable": 0,
        "truncated": 0,
        "failed": 0,
        "missing": 0,
    }
    details = {name: str(number) for name, number in counts.items()}
    return {
        "evaluation_result_id": f"{task}|strict|accuracy|{facet}={value}",
        "evaluation_name": task,
        "metric_config": {
            "metric_id": "accuracy", "metric_name": "Accuracy", "metric_parameters": {"scale": 1.0, "profile": "strict"},
            "evaluation_description": "Share of questions with the right answer.", "lower_is_better": False,
            "min_score": 0.0, "max_score": 1.0,
        },
        "score_details": {
            "score": right / n,
            "details": {**details, "coverage": "1.0", "interval": "wilson 95%", "signature": signature},
            "uncertainty": {
                "num_samples": n,
                "confidence_interval": {"lower": low, "upper": high, "confidence_level": 0.95, "method": "wilson 95%"},
            },
        },
    }  # fmt: skip


def instances(task: str, model: str, right: np.ndarray, names: list[str]) -> Iterator[bytes]:
    """Lines of instances. right: shape (cultures, questions)."""
    for culture, row in zip(names, right.tolist(), strict=True):
        for number, value in enumerate(row):
            item = f"{culture}/{number}"
            yield orjson.dumps(
                {
                    "schema_version": "0.3.0", "evaluation_id": f"made/{model}/1", "model_id": model, "evaluation_name": task,
                    "evaluation_result_id": f"{task}|strict|accuracy|all=all", "sample_id": f"{item}|en|plain|0",
                    "sample_hash": sha256(item.encode()).hexdigest(), "interaction_type": "single_turn",
                    "input": {"raw": f"What do people usually do on occasion {number} there?", "reference": ["rice porridge"]},
                    "output": {"raw": ["rice porridge" if value else "noodles"]}, "messages": None,
                    "evaluation": {"score": float(value), "is_correct": bool(value)},
                    "metadata": {
                        "item": item, "question": item, "culture": culture, "language": "en", "variant": "plain",
                        "sample": "0", "state": "answered", "topic": WORDS[number % len(WORDS)],
                    },
                },
                option=orjson.OPT_APPEND_NEWLINE,
            )  # fmt: skip


def make_records(folder: Path, models: int, tasks: int, amount: int, questions: int) -> int:
    """Write a record for each model, with its instances; returns how many instances there are."""
    rng, names, rows = np.random.default_rng(7), codes(amount), 0
    skill = rng.normal(0, 0.15, len(names))
    for number in range(models):
        model = f"lab-{number % 7}/model-{number + 1}-{(1, 7, 70)[number % 3]}b-instruct"
        results, lines = [], []
        for at in range(tasks):
            task = f"made/{WORDS[at % len(WORDS)].lower()}-{at + 1}"
            chance = np.clip(0.55 + 0.2 * (0.5 - number / models) + skill, 0.02, 0.98)
            right = rng.random((len(names), questions)) < chance[:, None]
            results.append(result(task, "all", "all", int(right.sum()), right.size))
            results += [
                result(task, "culture", code, int(row.sum()), questions)
                for code, row in zip(names, right, strict=True)
            ]
            lines += instances(task, model, right, names)
        place = folder / model
        place.mkdir(parents=True)
        content = b"".join(lines)
        (place / "0_samples.jsonl").write_bytes(content)
        day = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
        document = {
            "schema_version": "0.3.0", "evaluation_id": f"made/{model}/1", "evaluation_timestamp": f"{day}T00:00:00+00:00",
            "model_info": {"id": model, "name": model}, "eval_library": {"name": "folkways"}, "evaluation_results": results,
            "detailed_evaluation_results": {"file_path": f"data/{model}/0_samples.jsonl", "checksum": sha256(content).hexdigest(), "total_rows": len(lines)},
        }  # fmt: skip
        (place / "0.json").write_bytes(orjson.dumps(document))
        rows += len(lines)
    return rows


def main() -> None:
    """Make the records, write the site, say what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("models", 60), ("tasks", 14), ("cultures", 150), ("questions", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--out", type=Path, help="keep the site there, and write no results")
    chosen = parser.parse_args()
    tune_process()  # as the command does
    with tempfile.TemporaryDirectory() as folder:
        rows = make_records(
            Path(folder) / "data", chosen.models, chosen.tasks, chosen.cultures, chosen.questions
        )
        began, processor = time.perf_counter(), time.process_time()
        out = chosen.out or Path(folder) / "site"
        done = write_leaderboard([str(Path(folder) / "data")], out, title="Made models")
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        sizes = {path.relative_to(out).as_posix(): path.stat().st_size for path in done.files}
    largest = max(sizes, key=lambda name: sizes[name])
    size = f"{chosen.models} x {chosen.tasks} x {chosen.cultures}, {rows:,} judgements"
    cells = (
        size, f"{seconds:.1f}", f"{processor:.1f}", f"{sum(sizes.values()) / 1e6:.2f}", f"{len(sizes)}",
        f"{sizes[largest] / 1e3:.0f} ({largest})", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f}",
    )  # fmt: skip
    heads = ("models x tasks x cultures", "seconds", "of CPU", "MB", "files", "largest, kB", "peak GB")
    table = "\n".join(("| " + " | ".join(row) + " |") for row in (heads, ("---",) * len(heads), cells))
    print(table)
    if chosen.out is None:
        replace_table(RESULTS, BEGIN, table)


if __name__ == "__main__":
    main()
