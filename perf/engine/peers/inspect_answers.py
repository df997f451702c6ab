"""The answers of an Inspect AI log, one JSON line each.  python inspect_answers.py LOG_DIR ANSWERS.jsonl"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log_samples


def main() -> None:
    folder, target = sys.argv[1:]
    (log,) = Path(folder).glob("*.eval")
    with Path(target).open("w", encoding="utf-8") as lines:
        for sample in read_eval_log_samples(str(log), all_samples_required=True):
            lines.write(json.dumps({"answer": sample.output.completion}) + "\n")


if __name__ == "__main__":
    main()
