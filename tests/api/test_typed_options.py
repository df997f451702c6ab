"""Slips in options are type errors, where an editor or mypy looks at the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

CONFIG = """
[mypy]
strict = True
follow_imports = skip
ignore_missing_imports = True
[mypy-folkways.*,polars.*]
follow_imports = silent
"""
"""All that the types of options are made of is followed: the other packages take three times as long."""

RIGHT = """
from pathlib import Path
import pandas as pd
import polars as pl
import folkways
def mine(prompt: str) -> str:
    return "A"
class Answers:
    def generate(self, prompt: str) -> str:
        return "A"
folkways.run("demo", mine)
folkways.run(["demo/mcq", folkways.get_task("demo/saq")], [mine, Answers(), "baseline/first", {"KR/1": "A"}])
folkways.run(Path("study.toml"))
folkways.run("demo", folkways.model(mine, name="mine", version=1))
folkways.run("demo", pl.DataFrame({"item": ["KR/1"], "response": ["A"]}))
folkways.run("demo", pd.DataFrame({"item": ["KR/1"], "response": ["A"]}))
folkways.run("demo", {"baseline/first", "baseline/random"})
folkways.judge("demo/mcq", {"KR/1": "A"}, language="en")
folkways.judge("demo/mcq", "replies.csv")
folkways.report("last", "report", formats=["md"])
folkways.run("demo", "baseline/first", cultures="KR,ET", limit=3, settings="temperature=0", afresh=True, timeout=5)
folkways.estimate("demo", "baseline/first", languages=["en"])
folkways.gate("last", min={"demo/mcq": 40}).passed
folkways.runs().height
"""
WRONG = {
    'folkways.run("demo", "baseline/first", cultres="KR")': 'Unexpected keyword argument "cultres"',
    'folkways.run("demo", "baseline/first", limit="ten")': 'Argument "limit" to "run" has incompatible '
    'type "str"',
    'folkways.run("demo", "baseline/first", afresh="yes")': 'Argument "afresh" to "run" has incompatible '
    'type "str"',
    'folkways.run("demo", "baseline/first", cultures=3)': 'Argument "cultures" to "run" has incompatible '
    'type "int"',
    'folkways.run("demo", 7)': 'Argument 2 to "run" has incompatible type "int"',
    'folkways.run("demo", ["baseline/first", 7])': 'List item 1 has incompatible type "int"',
    'folkways.run("demo", Path("model"))': 'Argument 2 to "run" has incompatible type "Path"',
    'folkways.run("demo", {"a": mine})': 'incompatible type "str": "Callable[[str], str]"',
    'folkways.run(3, "baseline/first")': 'Argument 1 to "run" has incompatible type "int"',
    'folkways.estimate("demo", 7)': 'Argument 2 to "estimate" has incompatible type "int"',
    'folkways.judge(3, {"KR/1": "A"})': 'Argument 1 to "judge" has incompatible type "int"',
    'folkways.judge("demo/mcq", 3)': 'Argument 2 to "judge" has incompatible type "int"',
    'folkways.gate("last", min={"demo/mcq": 40}, metrc="x")': 'Unexpected keyword argument "metrc"',
    'folkways.report("last", titel="x")': 'Unexpected keyword argument "titel"',
    'folkways.estimate("demo", "baseline/first", timeout=3)': 'Unexpected keyword argument "timeout"',
}


def test_editors_see_slips(tmp_path: Path) -> None:
    script, config = tmp_path / "study.py", tmp_path / "mypy.ini"
    script.write_text(RIGHT + "\n".join(WRONG) + "\n", encoding="utf-8")
    config.write_text(CONFIG, encoding="utf-8")
    mypy = ("mypy", "--config-file", config, "--cache-dir", REPOSITORY / ".mypy_cache" / "options", script)
    ended = subprocess.run(
        [sys.executable, "-m", *map(str, mypy)], cwd=REPOSITORY, capture_output=True, text=True, timeout=500
    )
    lines = [line for line in ended.stdout.splitlines() if "study.py" in line and " error: " in line]
    first = len(RIGHT.splitlines()) + 1
    for number, told in enumerate(WRONG.values(), first):
        assert any(f"study.py:{number}:" in line and told in line for line in lines), (
            number,
            told,
            ended.stdout,
        )
    assert all(int(line.split("study.py:")[1].split(":")[0]) >= first for line in lines), ended.stdout
