"""Scores files of replies in one process, as ``folkways score`` does for the endpoints of a run.

python -m perf.xcr.ours DATA TASK OUT --role NAME=DIR ... REPLIES.csv[=CULTURE] ...
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from pathlib import Path

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.runs.judging.external_responses import judge_file
from folkways.runs.scores.scoring_models import ScoringModels, equip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("task")
    parser.add_argument("out", type=Path)
    parser.add_argument("replies", nargs="+")
    parser.add_argument("--role", action="append", default=[])
    parser.add_argument("--kept", action="store_true", help="the vectors are in the cache already")
    options = parser.parse_args()
    if not options.kept:  # nothing is loaded where all vectors are stored
        import_module("transformers.models.bert.modeling_bert")
    started = time.process_time()
    equipped = equip(get_task(options.task), ScoringModels(dict(role.split("=", 1) for role in options.role)))
    release = open_release(options.data, "xcr")
    for number, text in enumerate(options.replies):
        file, _, culture = text.partition("=")
        judged = judge_file(equipped.task, release, Path(file), culture=culture or None)
        judged.judgements.write_parquet(options.out / f"{number}.parquet")
    print(f"scoring: {time.process_time() - started:.3f}")


if __name__ == "__main__":
    main()
