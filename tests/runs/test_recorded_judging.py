"""What judges, probes and replies made elsewhere come to, as it was when somebody last read it: tests/runs/recorded.

``FOLKWAYS_RECORD=1`` records it anew (tests/support/fingerprints.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions, Request
from folkways.errors import FolkwaysError
from folkways.runs.judging.model_judging import ModelVerdicts, judge_run
from folkways.runs.models import open_models
from folkways.runs.options import AskOptions
from folkways.runs.probing import probe
from folkways.workspace.database import open_workspace
from tests.support.digest_models import DigestModel, golds_of, share
from tests.support.fingerprints import check_fingerprints, check_text
from tests.support.mcq_data import write_mcq_release

RECORDED = Path(__file__).parent / "recorded"
SKILLS = {"lab/able": 3, "lab/weak": 1, "other/tiny-1b": 2}


@dataclass
class Judge(DigestModel):
    """Says that a reply is the first answer that it has the words of, and errs, hedges and fails by chance.

    wrong: how many verdicts in twenty it makes up.
    """

    wrong: int = 3

    async def complete(self, request: Request) -> Completion:
        """What it says."""
        chance = share(self.name, request.user)
        if chance % 29 == 0:
            raise EndpointFailure("the judge is asleep", status=400)
        if chance % 23 == 0:
            return Completion("I would not know.", "stop")
        groups = re.findall(r"^\d+\. (.*)$", request.user, re.MULTILINE)
        lines = request.user.split("\n")
        reply = str(json.loads(lines[lines.index("<<<reply>>>") + 1])).casefold()
        right = [
            place
            for place, group in enumerate(groups, 1)
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', group)
            if text.casefold() in reply
        ]
        group = right[0] if right else 0
        if chance % 20 < self.wrong:
            group = chance // 20 % (len(groups) + 1)
        return Completion(json.dumps({"group": group}), "stop")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of three models on free answers."""
    golds = golds_of({"demo/saq": "demo"})
    models = [DigestModel(name, golds, skill) for name, skill in SKILLS.items()]
    workspace = open_workspace(tmp_path_factory.mktemp("judging") / "w.db")
    return folkways.run(
        "demo/saq",
        models,
        name="free",
        workspace=workspace,
        max_failed=1.0,
        attempts=1,
        cultures="KR,US,MX,ET",
    )


def judged(run: Run, *judges: Judge, **how: Any) -> ModelVerdicts:
    first, *more = open_models(judges, EndpointOptions())
    return judge_run(run.workspace, run.record, first, more=more, asking=AskOptions(attempts=1), **how)


@pytest.fixture(scope="module")
def labels(asked: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels of people for three replies in five: right where the answer is in the reply, half or the other way by
    chance."""
    verdicts = judged(asked, Judge("lab/judge", {})).verdicts.filter(pl.col("ended") != "no reply")
    rows = []
    for row in verdicts.iter_rows(named=True):
        chance = share("label", row["endpoint"], row["item"], row["language"])
        right = chance % 10 != 0 and row["lexical"] == 1.0
        if chance % 5 < 3:
            label = "0.5" if chance % 17 == 0 else str(int(right))
            rows.append({name: row[name] for name in ("item", "language", "endpoint")} | {"label": label})
    path = tmp_path_factory.mktemp("labels") / "people.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def check(texts: list[str], tables: dict[str, pl.DataFrame], name: str, **aliases: str) -> None:
    check_text("\n".join(texts) + "\n", RECORDED / f"{name}.txt", aliases)
    check_fingerprints(tables, RECORDED / f"{name}.json", aliases=aliases)


def test_what_judges_say(asked: Run, labels: Path) -> None:
    able, harsh, alike = (
        Judge("lab/judge", {}),
        Judge("strict/judge", {}, wrong=9),
        Judge("other/tiny-1b", {}, wrong=0),
    )
    made = {
        "one": judged(asked, able),
        "labels": judged(asked, able, labels=labels, until=12.0, label_next=6, seed=2),
        "three": judged(asked, able, harsh, alike, labels=labels, swap=9, label_next=9, until=40.0),
        "some": judged(
            asked, harsh, alike, limit=6, models=("lab/able", "other/tiny-1b"), swap=3, label_next=3
        ),
    }
    texts, tables = [], {}
    for name, told in made.items():
        texts += [f"=== {name}", *told.notes]
        tables |= {
            f"{name}: verdicts": told.verdicts,
            f"{name}: summary": told.summary,
            f"{name}: to label": told.to_label,
        }
        pairs = told.summary.filter(pl.col("facet") == "all", pl.col("against").is_not_null())
        texts += [json.dumps(row) for row in rounded(pairs.drop("signature", "facet", "value")).rows()]
        texts += [" ".join(map(str, row)) for row in told.to_label.select("id", "item_id", "endpoint").rows()]
        texts += told.summary["signature"].unique(maintain_order=True).to_list()
    check(texts, tables, "judges")


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().round(4))


REPLIES: tuple[tuple[str, pl.DataFrame, dict[str, Any]], ...] = (
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1", "US/school-1", "US/school-1"], "response": ["B", "D", "A"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1", "US/school-1"], "response": ["B", ""]}), {"culture": "KR"}),
    ("demo/mcq", pl.DataFrame({"release_id": ["KR/school-1", "US/school-1"], "response": ["B", None]}), {}),
    ("demo/mcq", pl.DataFrame({"id": ["US/holidays-1"], "response": ["<think>hm</think>C"], "culture": ["United States"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["US/holidays-1"] * 3, "response": ["C", "A", "C"], "sample": ["0", "1", "2"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["US/holidays-1"], "response": ["The answer is"], "finish_reason": ["length"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["US/holidays-1", "US/school-1"], "response": ["", "A"], "finish_reason": ["content_filter", "stop"]}), {}),
    ("demo/saq", pl.DataFrame({"item": ["KR/food-1"], "response": ["미역국"], "language": ["Korean"]}), {}),
    ("demo/saq", pl.DataFrame({"item": ["KR/food-1", "US/sport-1"], "response": ["x", "Super Bowl"]}), {"language": "en"}),
    ("demo/saq", pl.DataFrame({"item": ["KR/food-2"], "response": ["x"]}), {}),
    ("demo/saq", pl.DataFrame({"item": ["US/sport-1"], "response": ["Superbowl"], "variant": ["plain"]}), {}),
    ("demo/saq", pl.DataFrame({"item": ["US/sport-1"], "response": ["Superbowl"], "variant": ["other"]}), {}),
    ("demo/saq", pl.DataFrame({"item": ["US/sport-1"], "response": ["Superbowl"]}), {"variant": "plain", "language": "xx"}),
    ("demo/saq", pl.DataFrame({"item": ["KR/food-2", "KR/food-1"], "response": ["김치", "soup"], "language": ["ko", "en"]}), {"culture": "KR"}),
    ("demo/mcq", pl.DataFrame({"response": ["A"] * 18}), {"by_position": True}),
    ("demo/mcq", pl.DataFrame({"response": ["A"] * 17}), {"by_position": True}),
    ("demo/mcq", pl.DataFrame({"response": ["A"] * 2}), {"by_position": True, "culture": "KR"}),
    ("demo/mcq", pl.DataFrame({"response": ["A"] * 18}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1", "KR/nothing"], "response": ["A", "B"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1"], "response": ["A"], "culture": ["ET"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1"], "response": ["A"], "sample": ["-1"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1"], "response": ["A"], "sample": ["1.5"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": ["KR/school-1"], "answer": ["A"]}), {}),
    ("demo/mcq", pl.DataFrame({"item": [], "response": []}, schema={"item": pl.String, "response": pl.String}), {}),
)  # fmt: skip
"""A task, what was replied elsewhere, and how it is judged."""


def test_what_replies_made_elsewhere_come_to() -> None:
    texts, tables = [], {}
    for place, (task, replies, how) in enumerate(REPLIES):
        texts.append(f"=== {place} {task} {replies.columns} {how}")
        try:
            done = folkways.judge(task, replies, **how)
        except FolkwaysError as error:
            texts.append(f"{type(error).__name__}: {error}")
            continue
        texts += done.notes
        replied = done.judgements.filter(pl.col("reason").ne_missing("the file has no row for it"))
        columns = ("item", "language", "sample", "state", "answer", "reason")
        texts += [" ".join(map(str, row)) for row in replied.select(columns).rows()]
        texts.append(f"{done.judgements.height} items are expected")
        texts += done.scores["signature"].unique(maintain_order=True).to_list()
        tables |= {f"{place}: judgements": done.judgements, f"{place}: scores": done.scores}
    check(texts, tables, "elsewhere")


def test_what_probes_say(tmp_path: Path) -> None:
    seen, control = (write_mcq_release(tmp_path / str(count), count) for count in (24, 33))
    golds = golds_of({"blend/mcq": str(seen)})
    models = open_models(
        [DigestModel(name, golds, skill) for name, skill in SKILLS.items()], EndpointOptions()
    )
    workspace = open_workspace(tmp_path / "w.db")
    cases: dict[str, dict[str, Any]] = {
        "a control": {"release": str(seen), "control": str(control)},
        "a few": {"release": str(seen), "control": str(control), "limit": 5, "seed": 3, "only": ("continuation", "option-order")},
        "no control": {"release": str(seen)},
        "no such": {"release": str(seen), "only": ("nothing",)},
        "itself": {"release": str(seen), "control": str(seen)},
    }  # fmt: skip
    texts, tables = [], {}
    for name, how in cases.items():
        texts.append(f"=== {name}")
        try:
            done = probe(workspace, "blend/mcq", models, asking=AskOptions(attempts=1), **how)
        except FolkwaysError as error:
            texts.append(f"{type(error).__name__}: {error}")
            continue
        tables[name] = done.signals
        texts += [done.run.state, *done.notes, *done.signals["signature"].unique(maintain_order=True)]
        few = done.signals.select("endpoint", "signal", "measure", "value", "low", "high", "n", "control_value", "difference", "lacking")  # fmt: skip
        texts += [json.dumps(list(row.values())) for row in rounded(few).rows(named=True)]
    check(texts, tables, "probes", **{str(seen): "SEEN", str(control): "CONTROL", str(tmp_path): "FOLDER"})
