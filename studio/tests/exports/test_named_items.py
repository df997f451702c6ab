"""What people name in facts with the template of the gallery is what ``build csi --by-people`` reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.xcr.build.facts import read_named
from folkways.errors import DataError
from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.records import Role
from folkways_studio.workflows.templates import template
from studio.tests.support.exports import export_study
from studio.tests.support.studies import open_study, untrained

FACTS = {
    "pot": {
        "culture": "United States",
        "fact": "People bring a dish to a potluck on Labor Day.",
        "source": "https://x.org/1",
    },
    "tea": {"culture": "United Kingdom", "fact": "A cream tea has scones."},
    "water": {"culture": "United Kingdom", "fact": "People drink water."},
}
POTLUCK = {
    "csi": "potluck",
    "sort": "living together",
    "context": "A meal to which guests bring dishes.",
    "article": "https://x.org/potluck",
}
LABOR_DAY = {
    f"{name}_2": text
    for name, text in {**POTLUCK, "csi": "Labor Day", "context": "A holiday for  workers."}.items()
}
TEA = {**POTLUCK, "count": "one", "csi": "cream tea", "context": "Tea with scones and cream."}
NONE = {"count": "none"}


def test_items_on_which_people_agree_or_an_expert_decided_are_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    raw = template("naming-items").raw
    study = open_study(workspace, untrained(raw["stages"]), populations=raw["populations"])
    new = [NewItem(key, fact, "united-kingdom") for key, fact in FACTS.items()]
    add_items(workspace, study.record.id, "name", new)
    both = {"count": "two", **POTLUCK, **LABOR_DAY}
    answers_of = [
        {"pot": both, "tea": TEA, "water": NONE},
        {"pot": {**both, "count": "one"}, "tea": TEA, "water": NONE},
    ]
    for answers in answers_of:
        person = study.person("united-kingdom")
        for _ in FACTS:
            work = study.work(person)
            study.submit(person, work, {"answers": answers[work.item.key]})
    out = tmp_path / "study"
    export_study(workspace, study.record.id, out, "jsonl")
    assert [item for _, item, _ in read_named(out / "items.jsonl")] == ["cream tea"], (
        "the expert has not decided"
    )
    study.answer(study.person(role=Role.EXPERT), {"answers": both, "reason": "two are named"}, "decide")
    export_study(workspace, study.record.id, out, "jsonl")
    named = list(read_named(out / "items.jsonl"))
    assert [(fact["culture"], fact["source"], item, context) for fact, item, context in named] == [
        ("United Kingdom", "", "cream tea", "Tea with scones and cream."),
        ("United States", "https://x.org/1", "potluck", "A meal to which guests bring dishes."),
        ("United States", "https://x.org/1", "Labor Day", "A holiday for workers."),
    ]
    text = (out / "items.jsonl").read_text(encoding="utf-8")
    (out / "items.jsonl").write_text(
        text.replace('\\"cream tea\\"', '[\\"tea\\", \\"cream tea\\"]'), encoding="utf-8"
    )
    with pytest.raises(DataError, match=r"items.jsonl, row 2: has several texts as its item; .*agree: true"):
        list(read_named(out / "items.jsonl"))
    (out / "items.jsonl").write_text(text.replace('"content":"{', '"content":"'), encoding="utf-8")
    with pytest.raises(DataError, match=r"items.jsonl, row \d: content and result are not JSON objects"):
        list(read_named(out / "items.jsonl"))
