"""Several judges and models beside people: what sways a judge, what to label next, when labels are enough,
and the gate."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from folkways.api import Run, run
from folkways.benchmarks.demo.tasks import ShortAnswers
from folkways.endpoints.base import Request
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.evidence.requirements import Minimum
from folkways.runs.gate import NEEDED, check_judged
from folkways.runs.judging.calibration import TO_LABEL
from folkways.runs.judging.model_judging import ModelVerdicts, judge_run
from folkways.runs.judging.model_summary import family
from folkways.runs.models import Model
from folkways.stats.raters.judge_quality import noisy_but_valid
from tests.support.command_line import folkways

CULTURES = ["KR", "US", "CN", "DE", "MX"]
KEYS = ["endpoint", "item", "language"]


def endpoint(rule: Callable[[Request], str], name: str) -> BaselineEndpoint:
    return BaselineEndpoint(name, name, rule)


def number(request: Request) -> int:
    return sum(map(ord, request.item + request.language))


def reply_of(request: Request) -> str:
    lines = request.user.split("\n")
    return str(json.loads(lines[lines.index("<<<reply>>>") + 1]))


def literal(request: Request) -> str:
    """Calls right what has a listed answer in it."""
    groups = re.findall(r"^\d+\. (.*)$", request.user, re.MULTILINE)
    said = reply_of(request).casefold()
    found = [place for place, line in enumerate(groups, 1) if said in line.casefold()]
    return json.dumps({"group": found[0] if found else 0})


def partial(request: Request) -> str:
    """Calls what the model ``kin-2`` says right, besides."""
    return json.dumps({"group": 1}) if "kin" in reply_of(request) else literal(request)


def first(_request: Request) -> str:
    return json.dumps({"group": 1})


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """demo/saq, asked of a model that knows most of it and one that says something in its own words."""
    from folkways.benchmarks.registry import get_task
    from folkways.benchmarks.released_data import open_release

    gold = {
        row["item"]: row["answers"][0]["en"][0]
        for row in get_task("demo/saq").items(open_release("demo", "demo")).to_dicts()
    }
    knows = endpoint(lambda request: gold[request.item] if number(request) % 4 else "nothing", "own/knows")
    kin = endpoint(lambda request: "by kin" if number(request) % 2 else gold[request.item], "own/kin-2")
    return run(
        "demo/saq",
        models=[knows, kin],
        workspace=tmp_path_factory.mktemp("judges") / "w.db",
        name="mine",
        cultures=CULTURES,
    )


@pytest.fixture(scope="module")
def plain(asked: Run) -> ModelVerdicts:
    """Judged by a judge that is right, with all that could be labelled next."""
    return judged(asked, (literal, "own/literal"), label_next=1000)


def judged(asked: Run, *rules: tuple[Callable[[Request], str], str], **options: Any) -> ModelVerdicts:
    judge, *more = [Model(endpoint(rule, name)) for rule, name in rules]
    return judge_run(asked.workspace, asked.record, judge, more=more, **options)


def truth(
    found: ModelVerdicts, path: Path, keep: Callable[[dict[str, Any]], bool] = lambda row: True
) -> Path:
    """People's labels: what the literal judge says is right."""
    rows = found.verdicts.filter(judge="own/literal", ended="judged").select(*KEYS, label="verdict")
    pl.DataFrame([row for row in rows.to_dicts() if keep(row)]).write_csv(path)
    return path


def value(found: ModelVerdicts, quantity: str, **which: Any) -> dict[str, Any]:
    return found.summary.filter(quantity=quantity, facet="all", **which).row(0, named=True)


def test_a_kinder_judge_is_found_out_by_people_and_by_another_judge(
    asked: Run, plain: ModelVerdicts, tmp_path: Path
) -> None:
    labels = truth(plain, tmp_path / "people.csv")
    found = judged(asked, (partial, "own/kin-1"), (literal, "own/literal"), labels=labels)
    assert set(found.verdicts["judge"]) == {"own/kin-1", "own/literal"}
    by = found.verdicts.filter(judge="own/kin-1", endpoint="own/kin-2")
    kinder = 100 * float((by["verdict"] - by["label"]).mean())  # type: ignore[arg-type, operator]
    assert kinder > 30
    for quantity in ("self_preference", "self_preference_by_judges"):
        row = value(found, quantity, judge="own/kin-1", endpoint="own/kin-2")
        assert row["estimate"] == pytest.approx(kinder)
        assert row["low"] > 0
        assert found.summary.filter(quantity=quantity, judge="own/literal").is_empty()
    disagreement = value(
        found, "disagreement", endpoint="own/kin-2", judge="own/kin-1", against="own/literal"
    )
    assert disagreement["estimate"] == pytest.approx(kinder)
    assert value(found, "disagreement", endpoint="own/knows")["estimate"] == 0.0
    of_cultures = found.summary.filter(quantity="disagreement", endpoint="own/kin-2", facet="culture")
    assert set(of_cultures["value"]) == set(by["culture"])
    assert value(found, "kappa_judges", endpoint="own/kin-2")["estimate"] < 1
    notes = " ".join(found.notes)
    assert "own/kin-1 is kinder to own/kin-2 than to other models" in notes
    assert "the judge tells right from wrong better for own/knows than for own/kin-2" in notes


def test_differences_are_corrected_by_each_models_own_labels(
    asked: Run, plain: ModelVerdicts, tmp_path: Path
) -> None:
    found = judged(asked, (partial, "own/kin-1"), labels=truth(plain, tmp_path / "people.csv"))
    raw = value(found, "judged_difference", endpoint="own/knows", against="own/kin-2")
    corrected = value(found, "corrected_difference", endpoint="own/knows", against="own/kin-2")
    people = found.verdicts.group_by("endpoint").agg(pl.col("label").mean())
    shares = dict(people.iter_rows())
    assert raw["estimate"] < 0 < corrected["estimate"]
    assert corrected["estimate"] == pytest.approx(100 * (shares["own/knows"] - shares["own/kin-2"]))
    assert corrected["low"] <= corrected["estimate"] <= corrected["high"]
    assert 0 < corrected["p_holm"] <= 1
    assert value(found, "youden_difference", endpoint="own/knows", against="own/kin-2")["low"] > 0
    one = truth(plain, tmp_path / "one.csv", lambda row: row["endpoint"] == "own/knows")
    alone = judged(asked, (partial, "own/kin-1"), labels=one)
    assert any(note.startswith("no labels of own/kin-2: not corrected") for note in alone.notes)
    assert alone.summary.filter(quantity="corrected", endpoint="own/kin-2").is_empty()
    kin = truth(plain, tmp_path / "kin.csv", lambda row: row["endpoint"] == "own/kin-2")
    of_kin = judged(asked, (partial, "own/kin-1"), labels=kin).summary
    assert of_kin.filter(quantity="self_preference").is_empty(), "nobody labelled replies of others"
    assert alone.summary.filter(pl.col("against").is_not_null()).is_empty()


def test_a_judge_that_takes_the_first_answer_is_seen_by_turning_them_round(
    asked: Run, plain: ModelVerdicts
) -> None:
    found = judged(asked, (first, "own/first"), swap=100)
    for name in ("own/knows", "own/kin-2"):
        assert value(found, "first_preferred", endpoint=name)["estimate"] == 100.0
        assert value(found, "turned", endpoint=name)["estimate"] == 0.0
    swapped = found.verdicts.filter(pl.col("swapped").is_not_null())
    assert (swapped["group"] == 1).all()
    assert (swapped["swapped_group"] > 1).all()

    def last_only(request: Request) -> str:
        groups = re.findall(r"^\d+\. ", request.user, re.MULTILINE)
        return json.dumps(
            {"group": 1 if "\n1. " in request.user and len(groups) > 1 and number(request) % 2 else 0}
        )

    assert "turned" not in set(plain.summary["quantity"])
    some = judged(asked, (last_only, "own/odd"), swap=3)
    assert some.verdicts.filter(pl.col("swapped").is_not_null()).group_by("endpoint").len()[
        "len"
    ].to_list() == [3, 3]
    assert not any("order was not reversed" in note for note in (*found.notes, *some.notes))


def test_a_task_with_one_answer_for_each_item_has_nothing_to_swap(
    asked: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = ShortAnswers.accepted_answers
    monkeypatch.setattr(ShortAnswers, "accepted_answers", lambda task, item: accepted(task, item)[:1])
    said = "demo/saq: no item has several accepted answers, so that their order was not reversed"
    found = judged(asked, (first, "own/first"), swap=100)
    assert said in found.notes
    assert found.verdicts["swapped"].null_count() == found.verdicts.height
    assert said not in judged(asked, (first, "own/first")).notes


def test_the_next_labels_are_spread_nested_and_the_same_of_every_model(
    asked: Run, plain: ModelVerdicts, tmp_path: Path
) -> None:
    everything = plain.to_label
    assert dict(everything.schema) == dict(TO_LABEL)
    assert everything.height == plain.verdicts.filter(ended="judged").height == everything["id"].n_unique()
    some = judged(asked, (literal, "own/literal"), label_next=20).to_label
    assert some.equals(everything.head(20))
    assert some.group_by("endpoint", "culture").len()["len"].max() == 2, "two of each culture come first"
    items = {name: part["item_id"].to_list() for (name,), part in everything.group_by(["endpoint"])}
    for culture in set(everything["culture"]):
        of = [[item for item in items[name] if item.startswith(culture)] for name in sorted(items)]
        assert of[0] == of[1]
    assert (
        judged(asked, (literal, "own/literal"), label_next=20, seed=1).to_label["id"].to_list()
        != some["id"].to_list()
    )
    # Labels for all that were listed: the next list goes on where the first one ended.
    listed = set(some["id"])
    labels = some.select("endpoint", "language", item="item_id", label=pl.lit(1))
    labels.write_csv(tmp_path / "people.csv")
    after = judged(asked, (literal, "own/literal"), label_next=10, labels=tmp_path / "people.csv").to_label
    assert not listed & set(after["id"])
    rest = everything.filter(~pl.col("id").is_in([*listed]))
    for keys, part in after.group_by(["endpoint", "culture"]):
        expected = rest.filter(endpoint=keys[0], culture=keys[1])["id"].to_list()
        assert part["id"].to_list() == expected[: part.height]


def test_where_judges_differ_more_is_labelled(asked: Run) -> None:
    """Past the first two of each culture: the model on whose replies judge and rule differ."""
    found = judged(asked, (partial, "own/kin-1"), label_next=40).to_label
    counts = dict(found.group_by("endpoint").len().iter_rows())
    assert counts["own/kin-2"] > 1.3 * counts["own/knows"]


def test_it_says_when_labels_are_enough(asked: Run, plain: ModelVerdicts, tmp_path: Path) -> None:
    listed = plain.to_label.head(40).select("endpoint", "language", item="item_id")
    labels = truth(plain, tmp_path / "all.csv")
    listed.join(pl.read_csv(labels), on=KEYS).write_csv(tmp_path / "some.csv")
    found = judged(asked, (literal, "own/literal"), labels=tmp_path / "some.csv", until=40)
    told = [note for note in found.notes if "labels are enough for ±40 points" in note]
    assert len(told) == 2
    assert not any("random draw" in note for note in told)
    row = value(found, "corrected_at_any_time", endpoint="own/knows")
    once = value(found, "corrected", endpoint="own/knows")
    assert row["low"] < once["low"]
    assert once["high"] < row["high"]
    strict = judged(asked, (literal, "own/literal"), labels=tmp_path / "some.csv", until=1)
    assert any("not even all" in note for note in strict.notes)
    pl.read_csv(labels).filter(pl.col("item").str.contains("school|food")).write_csv(tmp_path / "chosen.csv")
    chosen = judged(asked, (literal, "own/literal"), labels=tmp_path / "chosen.csv", until=40)
    assert any("if they are a random draw" in note for note in chosen.notes)
    unlabelled = judged(asked, (literal, "own/literal"), until=5).notes
    assert unlabelled and all("not enough labels yet" in note for note in unlabelled)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("openai/gpt-4o", "azure/gpt-4.1-mini?temperature=1", True),
        ("hf/Qwen/Qwen2.5-7B", "http://localhost:8000/v1#qwen3", True),
        ("openai/gpt-4o", "anthropic/claude-sonnet-4", False),
        ("hf/01-ai/01", "hf/01-ai/01", True),
    ],
)
def test_families_are_told_by_their_names(one: str, other: str, same: bool) -> None:
    assert (family(one) == family(other)) is same


def test_the_gate_decides_on_what_people_would_say(tmp_path: Path) -> None:
    here = {"cwd": tmp_path}
    assert (
        folkways(
            "run", "demo/saq", "--model", "baseline/first", "--model", "baseline/echo", "--name", "m", **here
        ).returncode
        == 0
    )
    judge = ("judge-by-model", "m", "--judge", 'baseline/constant:{"group": 1}')
    done = folkways(*judge, "--label-next", 40, "--out", "v.csv", **here)
    assert (done.returncode, "wrote v-next.csv (40 rows)" in done.stderr) == (0, True), done.stderr
    told = pl.read_csv(tmp_path / "v-next.csv").filter(pl.col("culture") != "KR", endpoint="baseline/first")
    told.select("language", "endpoint", item="item_id", label=pl.lit(1)).write_csv(tmp_path / "people.csv")
    assert folkways(*judge, "--labels", "people.csv", "--until", 30, "--out", "v.csv", **here).returncode == 0
    gate = ("gate", "m", "--judged", "v.csv", "--model", "baseline/first")
    passed = folkways(*gate, "--min", "demo/saq=50", **here)
    assert (passed.returncode, passed.stdout[:2]) == (0, "ok"), passed.stderr
    assert "labels; noisy-but-valid p = 1.000" in passed.stdout
    assert "does not bear it out" in folkways(*gate, "--min", "demo/saq=50", "--strict", **here).stdout
    few = folkways(*gate, "--min", "demo/saq:KR=100", **here)
    assert (few.returncode, "0 labels are too few to correct by" in few.stdout) == (1, True)
    for arguments, message in (
        (("--min", "demo/saq=50", "--max-drop-vs", "n=2"), "--judged goes with --min"),
        (("--min", "demo/mcq=50"), "demo/mcq was not judged; the verdicts are of: demo/saq"),
        (("--min", "demo/saq=50", "--model", "baseline/echo"), "no labels of baseline/echo"),
        (("--min", "demo/saq=50", "--judged", "people.csv"), "people.csv: lacks the column 'task'"),
    ):
        refused = folkways(*gate, *arguments, **here)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr
    assert folkways(*judge, "--out", "bare.csv", **here).returncode == 0
    assert (
        "no labels of people"
        in folkways("gate", "m", "--judged", "bare.csv", "--min", "demo/saq=5", **here).stderr
    )
    assert "can never be reached" in folkways(*judge, "--until", 0, "--out", "v.csv", **here).stderr


def verdicts_with_labels(right: int, of: int = 200) -> pl.DataFrame:
    """Of a judge that errs on every twentieth reply; every second one has a label of people, who call the first
    ``right`` right."""
    rows = [
        {
            **dict.fromkeys(NEEDED), "task": "t/t", "endpoint": "m", "question": f"{number:03}", "culture": "KR",
            "language": "ko", "judge": "j", "lexical": 0.0, "verdict": float((number < right) != (number % 20 == 0)),
            "ended": "judged", "label": None if number % 2 else float(number < right), "state": "answered",
        }
        for number in range(of)
    ]  # fmt: skip
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("right", "status", "strict", "side"),
    [
        (100, "fail", "fail", "below"),
        (110, "unsure", "fail", "below"),
        (130, "unsure", "fail", "above"),
        (135, "pass", "fail", "above"),
        (137, "pass", "fail", "above"),
        (138, "pass", "pass", "above"),
        (180, "pass", "pass", "above"),
    ],
)
def test_a_gate_on_labels_passes_strictly_where_both_tests_do_and_tells_the_p_of_the_nearer_side(
    right: int, status: str, strict: str, side: str
) -> None:
    verdicts = verdicts_with_labels(right)
    columns = verdicts.select("verdict", "label").cast(pl.Float64).fill_null(math.nan)
    above, below = noisy_but_valid(
        columns["verdict"].to_numpy(), columns["label"].to_numpy(), np.zeros(200, int), np.arange(200), 0.6
    )
    p = {"above": above, "below": below}[side]
    assert p < 0.5
    wanted = Minimum("t/t", None, 60.0)
    (plain,) = check_judged(verdicts, wanted, "right", ["m"])
    (harsh,) = check_judged(verdicts, wanted, "right", ["m"], strict=True)
    assert (plain.status, harsh.status) == (status, strict)
    assert f"(100 labels; noisy-but-valid p = {p:.3f})" in plain.message
    assert "does not bear it out" not in plain.message
    assert ("does not bear it out" in harsh.message) is ((status, strict) == ("pass", "fail"))
    assert (p <= 0.025) is (strict == "pass")
