#!/usr/bin/env python3
"""Ask the model of the quickstart its questions and keep the replies that stand in for it: python
scripts/record_demo_replies.py"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import folkways
from folkways.cli.quickstart import LANGUAGES, MODEL, RECORDED, TASKS

TARGET = Path(__file__).resolve().parents[1] / "src" / "folkways" / "data" / RECORDED
COLUMNS = ("task", "item", "language", "variant", "sample", "response")

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        said = folkways.run(
            TASKS, models=MODEL, languages=LANGUAGES, workspace=Path(folder) / "folkways.db"
        ).responses()
    if (said["state"] != "answered").any():
        raise SystemExit("not every question was answered; nothing was kept")
    lines = [json.dumps(row, ensure_ascii=False) for row in said.select(COLUMNS).iter_rows(named=True)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
