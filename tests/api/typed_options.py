"""What editors say of options: mypy looks at this file (make types), and nothing runs it.

It is strict: a slip below that is no longer an error, and a call that is one, end the check.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl

import folkways


def mine(prompt: str) -> str:
    return "A"


class Answers:
    def generate(self, prompt: str) -> str:
        return "A"


def right() -> None:
    folkways.run("demo", mine)
    folkways.run(
        ["demo/mcq", folkways.get_task("demo/saq")], [mine, Answers(), "baseline/first", {"KR/1": "A"}]
    )
    folkways.run(Path("study.toml"))
    folkways.run("demo", folkways.model(mine, name="mine", version=1))
    folkways.run("demo", pl.DataFrame({"item": ["KR/1"], "response": ["A"]}))
    folkways.run("demo", pd.DataFrame({"item": ["KR/1"], "response": ["A"]}))
    folkways.run("demo", {"baseline/first", "baseline/random"})
    folkways.judge("demo/mcq", {"KR/1": "A"}, language="en")
    folkways.judge("demo/mcq", "replies.csv")
    folkways.report("last", "report", formats=["md"])
    folkways.run(
        "demo", "baseline/first", cultures="KR,ET", limit=3, settings="temperature=0", afresh=True, timeout=5
    )
    folkways.estimate("demo", "baseline/first", languages=["en"])
    assert folkways.gate("last", min={"demo/mcq": 40}).passed
    assert folkways.runs().height


def slips() -> None:
    folkways.run("demo", "baseline/first", cultres="KR")  # type: ignore[call-arg]
    folkways.run("demo", "baseline/first", limit="ten")  # type: ignore[arg-type]
    folkways.run("demo", "baseline/first", afresh="yes")  # type: ignore[arg-type]
    folkways.run("demo", "baseline/first", cultures=3)  # type: ignore[arg-type]
    folkways.run("demo", 7)  # type: ignore[arg-type]
    folkways.run("demo", ["baseline/first", 7])  # type: ignore[list-item]
    folkways.run("demo", Path("model"))  # type: ignore[arg-type]
    folkways.run("demo", {"a": mine})  # type: ignore[dict-item]
    folkways.run(3, "baseline/first")  # type: ignore[arg-type]
    folkways.estimate("demo", 7)  # type: ignore[arg-type]
    folkways.judge(3, {"KR/1": "A"})  # type: ignore[arg-type]
    folkways.judge("demo/mcq", 3)  # type: ignore[arg-type]
    folkways.gate("last", min={"demo/mcq": 40}, metrc="x")  # type: ignore[call-arg]
    folkways.report("last", titel="x")  # type: ignore[call-arg]
    folkways.estimate("demo", "baseline/first", timeout=3)  # type: ignore[call-arg]
