"""Records of Every Eval Ever, ours and other people's, read and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.integrations.compare_logs import compare_logs, read_logs
from tests.support.chat_server import ChatServer
from tests.support.river import folkways

NUMBERS = ("first_score", "second_score", "difference", "low", "high", "p", "n", "questions")


def record(
    folder: Path,
    model: str,
    scores: list[float],
    *,
    lower_is_better: bool = False,
    aggregate: bool = True,
    **changes: Any,
) -> Path:
    """The instances of another program's evaluation: no metadata, no hashes, a metric of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    samples = folder / "0_samples.jsonl"
    rows = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": f"quiz/{model}/1",
            "model_id": model,
            "evaluation_name": "quiz",
            "evaluation_result_id": "toxicity",
            "sample_id": f"s{number}",
            "interaction_type": "single_turn",
            "input": {"raw": f"Question {number}?", "reference": ["yes"]},
            "output": {"raw": ["no"]},
            "answer_attribution": [],
            "evaluation": {"score": score, "is_correct": score == 1},
            **changes,
        }
        for number, score in enumerate(scores)
    ]
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document: dict[str, Any] = {"schema_version": "0.3.0", "evaluation_results": []}
    document["evaluation_results"] = [
        {
            "evaluation_result_id": "toxicity",
            "metric_config": {"metric_name": "Toxicity", "lower_is_better": lower_is_better},
            "generation_config": {"generation_args": {"temperature": 0.5}},
        }
    ]
    document["detailed_evaluation_results"] = {"format": "jsonl", "file_path": "data/q/m/x/0_samples.jsonl"}
    if aggregate:
        (folder / "0.json").write_text(json.dumps(document))
    return samples


def test_the_same_replies_compare_alike_in_a_run_and_in_its_records(tmp_path: Path) -> None:
    """Lost replies, several languages of a question and several tasks in one file included; the aggregate
    leads to its instances."""
    with (
        ChatServer(mode="letter", faults={"chances": {"400": 0.2}, "seed": 3}) as first,
        ChatServer(mode="fixed:tea", faults={"chances": {"400": 0.2}, "seed": 5}) as second,
    ):
        models = ("-m", f"{first.url}/v1#org/one", "-m", f"{second.url}/v1#org/two")
        where = ("-w", tmp_path / "w.db", "--attempts", 1)
        asked = folkways("run", "demo/saq", "demo/mcq", *models, *where)
        assert asked.returncode in (0, 1), asked.stderr
    done = folkways("export", "every-eval-ever", "-w", tmp_path / "w.db", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    samples = sorted((tmp_path / "out").rglob("*_samples.jsonl"))
    aggregates = sorted((tmp_path / "out").rglob("*.json"))
    ours = json.loads(folkways("compare", "one", "two", "-w", tmp_path / "w.db", "--json").stdout)
    for paths in (samples, aggregates):
        theirs = json.loads(folkways("compare", *paths, "--json").stdout)
        assert [found["task"] for found in theirs] == [found["task"] for found in ours]
        assert {found["metric"].partition(" ")[0] for found in theirs} == {"accuracy"}
        for native, read in zip(ours, theirs, strict=True):
            expected, got = (
                {name: found["differences"][0][name] for name in NUMBERS} for found in (native, read)
            )
            assert got == pytest.approx(expected, abs=1e-9)
            assert 0 < expected["n"] < 68, "some replies are lost, and none of these counts as wrong"


def test_records_of_other_people_say_which_way_is_better(tmp_path: Path) -> None:
    scores = ([0.9] * 30 + [0.1] * 10, [0.2] * 30 + [0.1] * 10)
    for less in (True, False):
        paths = [
            record(tmp_path / f"{less}{number}", f"org/m{number}", values, lower_is_better=less)
            for number, values in enumerate(scores)
        ]
        (comparison,) = compare_logs(*paths)
        assert comparison.task == "quiz"
        assert comparison.differences["ahead"].to_list() == ["org/m1" if less else "org/m0"]


def test_repeated_samples_are_epochs_of_one_question_and_errors_without_a_reply_are_no_zeros(
    tmp_path: Path,
) -> None:
    path = record(tmp_path / "a", "org/a", [1.0, 0.0], aggregate=False)
    again = path.read_text() + path.read_text()
    failed = [json.loads(line) for line in path.read_text().splitlines()]
    lost = {"sample_id": "lost", "error": "timeout", "output": {"raw": []}}
    refused = {"sample_id": "refused", "error": "refused", "output": {"raw": ["I will not."]}}
    path.write_text(again + "".join(json.dumps(failed[1] | change) + "\n" for change in (lost, refused)))
    (log,) = read_logs(path)
    assert list(zip(log.items, log.repeats, strict=True))[:4] == [("s0", 1), ("s1", 1), ("s0", 2), ("s1", 2)]
    assert log.questions == log.items
    (values,) = log.scores.values()
    assert str(list(values)) == "[1.0, 0.0, 1.0, 0.0, nan, 0.0]"
    assert not log.lower_is_better and log.settings == {}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", '{"schema_version": "0.3.0", "evaluation_results": []}', "an aggregate without instances"),
        (
            "a.json",
            '{"schema_version": "0.3.0", "evaluation_results": [], "detailed_evaluation_results": '
            '{"file_path": "data/x/y/z/gone.jsonl"}}',
            "gone.jsonl, which do not lie beside it",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FolkwaysError, match=said):
        read_logs(tmp_path / name)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = record(tmp_path, "org/a", [1.0])
    path.write_text(path.read_text() + '{"schema_version": "0.3.0"}\n')
    with pytest.raises(FolkwaysError, match="row 2: is not an instance"):
        read_logs(path)
