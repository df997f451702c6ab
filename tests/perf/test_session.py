"""The floor against a real server: a right run counts, a wrong one is found out."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from perf.engine import session, workload
from perf.engine.clients import Floor
from perf.engine.session import Session
from perf.engine.workload import MCQ_COLUMNS, MCQ_FILE, Workload


@pytest.fixture(scope="module")
def measuring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Every run of it starts with a folder and a server that know nothing."""
    with session.opened(tmp_path_factory.mktemp("session"), concurrency=8) as opened:
        yield opened


class Altering(Floor):
    """A client that asks something else than it was given, as the lines of its prompts file are changed."""

    def __init__(self, change: str) -> None:
        super().__init__()
        self.change = change

    def command(self, url: str, work: Workload, folder: Path, concurrency: int) -> Sequence[str | Path]:
        lines = work.prompts.read_text(encoding="utf-8").splitlines(keepends=True)
        if work.requests > session.START_REQUESTS:
            lines = {
                "repeats": [*lines[1:], lines[-1]],
                "forgets": lines[1:],
                "alters": [self._altered(line) for line in lines],
            }[self.change]
        altered = folder / "altered.jsonl"
        altered.write_text("".join(lines), encoding="utf-8")
        changed = Workload(work.requests, work.release, altered, work.expected, work.mean_length)
        return super().command(url, changed, folder, concurrency)

    @staticmethod
    def _altered(line: str) -> str:
        record = json.loads(line)
        return json.dumps(record | {"prompt": record["prompt"] + " "}) + "\n"


def test_right_run_counts(measuring: Session) -> None:
    result = measuring.measure(Floor(), 300)
    assert result.wrong == ""
    assert (
        min(result.usage.cpu, result.start) > 0.05
    )  # which is more, 300 requests or the 64 of a start, a busy machine decides
    assert result.per_request == pytest.approx(result.usage.cpu / 300 * 1000)
    assert result.each_further < result.per_request


@pytest.mark.parametrize(
    ("change", "complaint"),
    [("repeats", "server distinct 299"), ("forgets", "server total 299"), ("alters", "stored answers")],
)
def test_wrong_run_is_found_out(measuring: Session, change: str, complaint: str) -> None:
    assert complaint in measuring.measure(Altering(change), 300).wrong


def test_prompts_are_distinct_and_as_long_as_real_ones(tmp_path: Path) -> None:
    work = workload.write(tmp_path, 3000)
    with (work.release / MCQ_FILE).open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert tuple(rows[0]) == MCQ_COLUMNS
    assert len({row["MCQID"] for row in rows}) == len({row["prompt"] for row in rows}) == 3000
    lengths = [len(row["prompt"]) for row in rows]
    assert min(lengths) >= 400
    assert max(lengths) <= 700
    assert work.mean_length == pytest.approx(sum(lengths) / 3000)
    for row in rows[:100]:
        assert json.loads(row["choice_countries"])[row["answer_idx"]] == row["country"]
        assert all(
            f"{letter}. {text}" in row["prompt"] for letter, text in json.loads(row["choices"]).items()
        )
    with work.prompts.open(encoding="utf-8") as lines:
        assert [json.loads(line)["prompt"] for line in lines] == [row["prompt"] for row in rows]
    assert work.expected.total() == 3000
    assert set(work.expected) == set(Counter("ABCD"))
