"""Records of Every Eval Ever, ours and other people's, read and compared."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.evidence.contributions import Contribution
from folkways.integrations.compare_logs import compare_logs, read_logs
from folkways.integrations.every_eval_ever.samples import is_ours
from folkways.integrations.every_eval_ever.scores import read_contribution
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways

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
        assert {found["metric"] for found in theirs} == {"correct"}
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


@pytest.mark.parametrize("aggregate_has_ids", [True, False])
@pytest.mark.parametrize("others", [0, 1, 2])
def test_samples_that_name_no_score_are_of_the_only_one_or_nobody_knows_of_which(
    tmp_path: Path, others: int, aggregate_has_ids: bool
) -> None:
    paths = []
    for model, score in enumerate((0.9, 0.2)):
        record(
            tmp_path / str(model),
            f"org/m{model}",
            [score] * 9,
            lower_is_better=True,
            evaluation_result_id=None,
        )
        path = tmp_path / str(model) / "0.json"
        document = json.loads(path.read_bytes())
        (result,) = document["evaluation_results"]
        result |= {"evaluation_name": "quiz"}
        if not aggregate_has_ids:
            del result["evaluation_result_id"]
        more = [
            {
                **result,
                "evaluation_result_id": str(number) if aggregate_has_ids else None,
                "metric_config": {"metric_name": f"Other {number}"},
            }
            for number in range(others)
        ]
        unrelated = {**result, "evaluation_name": "another quiz"}
        path.write_text(json.dumps(document | {"evaluation_results": [result, *more, unrelated]}))
        paths.append(path)
    (comparison,) = compare_logs(*paths)
    unknown = [note for note in comparison.notes if "do not name the score" in note]
    assert comparison.metric.lower_is_better is (others == 0)
    assert comparison.metric.name == ("score" if others else "Toxicity")
    names = ", ".join(["Toxicity", *(f"Other {number}" for number in range(others))])
    assert unknown == [
        f"org/m{model}: its samples do not name the score that they are of ({names})."
        for model in (0, 1)
        if others
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "0.json does not lie beside it, so that nobody can tell its settings and for which"),
        ("", "0.json is damaged, or no record, so that nobody can tell its settings and for which"),
        ('{"schema_version": "0.3.0", "evaluation_res', "0.json is damaged, or no record"),
        ("[]", "0.json is damaged, or no record"),
    ],
)
def test_samples_without_their_record_say_what_nobody_can_tell(
    tmp_path: Path, content: str | None, said: str
) -> None:
    samples = record(tmp_path, "org/a", [1.0], aggregate=False)
    if content is not None:
        (tmp_path / "0.json").write_text(content)
    (note,) = read_logs(samples)[0].notes
    assert note.startswith(said)


@pytest.mark.parametrize("named", ["0.json", "0_samples.jsonl"])
@pytest.mark.parametrize("is_changed", [True, False])
def test_samples_with_another_checksum_than_their_record_says_are_told(
    tmp_path: Path, named: str, is_changed: bool
) -> None:
    samples = record(tmp_path, "org/a", [1.0])
    document = json.loads((tmp_path / "0.json").read_bytes())
    document["detailed_evaluation_results"]["checksum"] = sha256(samples.read_bytes()).hexdigest()
    (tmp_path / "0.json").write_text(json.dumps(document))
    if is_changed:
        samples.write_text(samples.read_text().replace('"score": 1.0', '"score": 0.0'))
    notes = read_logs(tmp_path / named)[0].notes
    said = "0_samples.jsonl has another checksum than the record says: one of the two was changed"
    assert notes == ([said] if is_changed else [])


@pytest.mark.parametrize(
    ("values", "stated", "parameters", "is_mean"),
    [
        ([1.0] * 6 + [0.0] * 2, 0.75, {}, True),
        ([1.0] * 6 + [0.0] * 2, 75.0, {}, True),
        ([1.0] * 6 + [0.0] * 2, 0.7504, {}, True),  # as far as it is written
        ([1.0] * 6 + [0.0] * 2, 0.76, {}, False),
        ([1.0] * 6 + [0.0] * 2, 74.0, {}, False),
        ([1.0] * 6 + [0.0] * 2, 0.5, {"profile": "strict"}, False),
        ([1.0] * 6 + [0.0] * 2, 0.5, {"profile": "strict", "mean_over": "culture"}, False),
        ([1.0] * 6 + [0.0] * 2, None, {}, True),
        ([1.0] * 6 + [0.0] * 2, math.nan, {}, True),
        ([1.0] * 6 + [None] * 2, 1.0, {}, True),  # with samples that have no reply left out
        ([1.0] * 6 + [None] * 2, 0.75, {}, True),  # or in the denominator
        ([1.0] * 6 + [None] * 2, 0.9, {}, False),
        ([-2.0] * 6, -2.0, {}, True),
        ([-2.0] * 6, 2.0, {}, False),
    ],
)
def test_a_score_that_is_no_mean_of_its_samples_is_told(
    tmp_path: Path,
    values: list[float | None],
    stated: float | None,
    parameters: dict[str, str],
    is_mean: bool,
) -> None:
    """Records of earlier versions do not say that a score is a mean over groups; samples are pooled."""
    path = record(tmp_path, "org/m", [0.0 if value is None else value for value in values])
    lost = {f"s{number}" for number, value in enumerate(values) if value is None}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["sample_id"] in lost:
            row |= {"error": "timeout", "output": {"raw": []}}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = json.loads((tmp_path / "0.json").read_bytes())
    (result,) = document["evaluation_results"]
    result["metric_config"]["metric_parameters"] = parameters
    if stated is not None:
        result["score_details"] = {"score": stated}
    (tmp_path / "0.json").write_text(json.dumps(document))
    (log,) = read_logs(tmp_path / "0.json")
    notes = [note for note in log.notes if "is not the mean of its samples" in note]
    assert len(notes) == (not is_mean)
    if notes:
        assert (
            f"its score by {'Toxicity' if not parameters else 'Toxicity (strict)'}, {stated:g}, " in notes[0]
        )


def test_the_command_that_names_the_model_is_no_setting(tmp_path: Path) -> None:
    paths = [record(tmp_path / name, f"org/{name}", [1.0, 0.0] * 10) for name in ("a", "b")]
    for path in paths:
        aggregate = path.with_name("0.json")
        document = json.loads(aggregate.read_bytes())
        made = document["evaluation_results"][0]["generation_config"]["generation_args"]
        made["execution_command"] = f"evaluate --model {path.parent.name}"
        aggregate.write_text(json.dumps(document))
    (comparison,) = compare_logs(*paths)
    assert not [note for note in comparison.notes if "settings" in note]


def test_repeated_samples_are_epochs_of_one_question_and_errors_without_a_reply_are_no_zeros(
    tmp_path: Path,
) -> None:
    path = record(tmp_path / "a", "org/a", [1.0, 0.0], aggregate=False)
    again = path.read_text() + path.read_text()
    failed = [json.loads(line) for line in path.read_text().splitlines()]
    lost = {"sample_id": "lost", "error": "timeout", "output": {"raw": []}}
    refused = {"sample_id": "refused", "error": "refused", "output": {"raw": ["I will not."]}}
    empty = {"sample_id": "empty", "error": "it is empty", "output": {"raw": [""]}}
    ours = [empty | {"metadata": {"state": "unreadable"}}, refused | {"metadata": {"state": "failed"}}]
    others = lost | {"metadata": {"state": "done"}}  # the word of another program
    changes = (lost, refused, empty, *ours, others)
    path.write_text(again + "".join(json.dumps(failed[1] | change) + "\n" for change in changes))
    (log,) = read_logs(path)
    assert list(zip(log.items, log.repeats, strict=True))[:4] == [("s0", 1), ("s1", 1), ("s0", 2), ("s1", 2)]
    assert log.questions == log.items
    (values,) = log.scores.values()
    assert str(list(values)) == "[1.0, 0.0, 1.0, 0.0, nan, 0.0, nan, 0.0, nan, nan]"
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


@pytest.mark.parametrize("wrong", [3, "x", [3], [None], [["x"]], True])
@pytest.mark.parametrize("key", ["evaluation_results", "metric_config", "generation_config"])
def test_values_of_another_kind_than_the_schema_says_are_said(
    tmp_path: Path, key: str, wrong: object
) -> None:
    samples = record(tmp_path, "org/a", [1.0])
    document = json.loads((tmp_path / "0.json").read_bytes())
    if key == "evaluation_results":
        document[key] = wrong
    else:
        document["evaluation_results"][0][key] = wrong
    (tmp_path / "0.json").write_text(json.dumps(document))
    for path in (samples, tmp_path / "0.json"):
        with pytest.raises(FolkwaysError, match="a value that is not of the schema"):
            read_logs(path)


@pytest.mark.parametrize("field", ["input", "output", "metadata", "evaluation", "error"])
def test_an_instance_whose_values_are_of_another_kind_is_read_or_refused(tmp_path: Path, field: str) -> None:
    for wrong in (3, "x", [3], {"raw": 3, "score": [3], "state": {}, "question": {"a": None}}, None):
        try:
            (read,) = read_logs(record(tmp_path, "org/a", [1.0], **{field: wrong}))
            assert read.contribution().scores.height
        except FolkwaysError as error:
            assert "0_samples.jsonl" in str(error)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = record(tmp_path, "org/a", [1.0])
    path.write_text(path.read_text() + '{"schema_version": "0.3.0"}\n')
    with pytest.raises(FolkwaysError, match="row 2: is not an instance"):
        read_logs(path)


def aggregate(folder: Path, *results: dict[str, Any], **more: Any) -> Contribution:
    """What is read of an aggregate with these results and without instances."""
    document = {
        "schema_version": "0.3.0",
        "evaluation_id": "lab/m/1",
        "evaluation_timestamp": "86400",
        "model_info": {"id": "org/m"},
        "evaluation_results": results,
        **more,
    }
    folder.mkdir(exist_ok=True)
    (folder / "a.json").write_text(json.dumps(document))
    return read_contribution(folder / "a.json")


def test_a_score_of_others_is_read_with_what_they_say_of_it_and_nothing_more(tmp_path: Path) -> None:
    """In percent where it is a share, with their interval if it is one of 95 %."""
    config = {"metric_name": "Accuracy", "min_score": 0, "max_score": 1}
    interval = {"lower": 0.5, "upper": 0.75, "confidence_level": 0.95, "method": "bootstrap"}
    score = {"score": 0.625, "uncertainty": {"num_samples": 30, "confidence_interval": interval}}
    quiz = {
        "evaluation_name": "quiz",
        "evaluation_result_id": "r",
        "metric_config": config,
        "source_data": {"hf_repo": "org/data", "samples_number": 40},
        "generation_config": {
            "generation_args": {
                "top_p": 1,
                "prompt_template": "Q: {}",
                "temperature": 0.5,
                "execution_command": "evaluate --model lab/m",
            }
        },
        "score_details": score,
    }
    read = aggregate(tmp_path, quiz, eval_library={"name": "helm"})
    assert (read.source, read.created, read.people.height) == ("lab/m/1", "1970-01-02T00:00:00+00:00", 0)
    assert (dict(read.titles), dict(read.faults), read.judgements.height) == ({"quiz": "quiz"}, {}, 0)
    (row,) = read.scores.to_dicts()
    made = read.signatures[row.pop("signature")].parts
    assert made.pop("prompts").startswith("elsewhere#")
    assert made == {"task": "quiz", "data": "org/data", "settings": "temperature=0.5,top_p=1", "by": "helm"}
    nothing = ("failed", "missing", "left_out")
    unknown = (
        "effective_questions",
        "why_left_out",
        "coverage",
        "at_best",
        "refused",
        "unreadable",
        "truncated",
        "cut",
    )
    assert row == {
        **{
            "endpoint": "org/m",
            "task": "quiz",
            "profile": "",
            "metric": "Accuracy",
            "facet": "all",
            "value": "all",
        },
        **{"score": 62.5, "low": 50.0, "high": 75.0, "interval": "bootstrap", "n": 30, "questions": 30},
        **{"answered": 30, **dict.fromkeys(nothing, 0), **dict.fromkeys(unknown)},
    }

    def numbers(bounds: dict[str, float], level: float | None = 0.95, **changes: Any) -> tuple[Any, ...]:
        ends = {"lower": 0.5, "upper": 0.75} | ({} if level is None else {"confidence_level": level})
        uncertainty = {"confidence_interval": ends}
        details = {"score": 0.625, "uncertainty": uncertainty, **changes.pop("score_details", {})}
        about = {"metric_config": {"metric_name": "A", **bounds}, "score_details": details, **changes}
        (row,) = aggregate(tmp_path, quiz | about).scores.to_dicts()
        return tuple(row[name] for name in ("score", "low", "high", "interval", "n"))

    share, percent = {"min_score": 0, "max_score": 1}, {"min_score": 0, "max_score": 100}
    assert numbers(share) == (62.5, 50.0, 75.0, "", 40)
    assert numbers(share, None) == (62.5, 50.0, 75.0, "", 40)
    assert numbers(percent) == numbers({"min_score": 1, "max_score": 5}) == (0.625, 0.5, 0.75, "", 40)
    assert numbers({}) == (0.625, 0.5, 0.75, "", 40)
    assert (
        numbers({"min_score": 1, "max_score": 1}) == numbers({"min_score": 5, "max_score": 1}) == numbers({})
    )
    none = "none: the record has no single judgements"
    assert numbers(share, 0.9) == (62.5, None, None, f"{none}; it states one of 90 %", 40)
    alone = {"score": 0.25, "uncertainty": None}
    assert numbers(share, score_details=alone, source_data=None) == (25.0, None, None, none, 0)
    named = {"file_path": "data/0_samples.jsonl"}
    (row,) = aggregate(
        tmp_path, quiz | {"score_details": alone}, detailed_evaluation_results=named
    ).scores.to_dicts()
    assert row["interval"] == f"{none} that make it"


def test_our_scores_are_read_with_all_their_counts_and_shown_in_the_scale_that_they_had(
    tmp_path: Path,
) -> None:
    told = {
        **{"n": 50, "questions": 25, "effective_questions": 9.5, "interval": "wilson 95%"},
        **{"answered": 40, "refused": 1, "unreadable": 2, "truncated": 3, "failed": 4, "missing": 0},
        **{"cut": 5, "left_out": 6, "why_left_out": '{"refused": 6}', "coverage": 0.75, "at_best": 62.5},
    }

    def result(group: str, score: float, scale: str = "100", **details: Any) -> dict[str, Any]:
        people = {"people of the culture": "0.5", "people of the culture_low": "0.25"}
        parameters = {"scale": scale, "profile": "lab"}
        return {
            "evaluation_result_id": f"gone/task|lab|hits|{group}",
            "evaluation_name": "gone/task",
            "metric_config": {
                **{"metric_id": "hits", "metric_name": "Hits", "min_score": 0, "max_score": 1},
                **{"metric_parameters": parameters, "additional_details": people if "all" in group else {}},
            },
            "score_details": {
                "score": score,
                "details": {
                    "signature": "task:gone/task|by:us",
                    **{name: str(v) for name, v in details.items()},
                },
                "uncertainty": {"num_samples": 44, "confidence_interval": {"lower": 0.5, "upper": 0.75}},
            },
        }

    whole = result("all=all", 0.625, "1", **told)
    korea, food = result("culture=KR", 0.5, "1", n=3), result("topic=Food", 0.5, "1", n=3)
    read = aggregate(tmp_path, whole, korea, food)
    rows = {row["facet"]: row for row in read.scores.to_dicts()}
    assert set(rows) == {"all", "culture"}, "other groups are no headlines"
    assert {name: rows["all"][name] for name in told} == told
    for facet, value, score in (("all", "all", 62.5), ("culture", "KR", 50.0)):
        row = rows[facet]
        assert (row["task"], row["profile"], row["metric"], row["value"]) == (
            "gone/task",
            "lab",
            "hits",
            value,
        )
        assert (row["score"], row["low"], row["high"]) == (score, 50.0, 75.0)
    counts = ("n", "questions", "answered", "missing", "cut", "left_out")
    assert [rows["culture"][name] for name in counts] == [3, 3, 0, 0, 0, 0]
    assert dict(read.signatures["task:gone/task|by:us"].parts) == {"task": "gone/task", "by": "us"}
    (people,) = read.people.to_dicts()
    shown = tuple(people[name] for name in ("endpoint", "facet", "score", "low", "high"))
    assert shown == ("people of the culture", "all", 50.0, 25.0, None)
    (percent,) = aggregate(tmp_path, result("all=all", 62.5, "100", n=3)).scores.to_dicts()
    assert percent["score"] == 62.5


@pytest.mark.parametrize(
    ("key", "details", "ours"),
    [
        ("demo/mcq|paper|accuracy|all=all", {"signature": "tool:x"}, True),
        ("demo/mcq|paper|accuracy|topic=tea|coffee=both", {"signature": "tool:x"}, True),  # as it is called
        ("demo/mcq|paper|accuracy|all", {"signature": "tool:x"}, False),
        ("demo/mcq|paper|all=all", {"signature": "tool:x"}, False),
        ("demo/mcq|paper|accuracy|all=all", {}, False),
        (None, {"signature": "tool:x"}, False),
    ],
)
def test_a_score_is_ours_by_its_id_and_its_signature(
    key: str | None, details: dict[str, str], ours: bool
) -> None:
    assert is_ours({"evaluation_result_id": key, "score_details": {"details": details}}) is ours
