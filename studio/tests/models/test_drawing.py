"""Which replies of a run are drawn for people to judge, and what is made of each, against the run as it was
made."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.models.drawing import PER_CULTURE, draw_answers
from folkways_studio.studies.service import populations as list_populations
from studio.tests.support.studies import ON_A_FILE, StudyFixture, open_study, stored

POPULATIONS = [
    {"name": "peru", "culture": "PE"},
    {"name": "mexico", "culture": "MX", "language": "es"},
    {"name": "mexico-in-english", "culture": "MX", "language": "en"},
    {"name": "us", "culture": "US"},
    {"name": "south", "culture": "US", "part_of": "us"},
]
STAGES = [{"name": "judge", "kind": "judge_answer"}, {"name": "again", "kind": "judge_answer"}]
pytestmark = ON_A_FILE
Reply = dict[str, Any]


@pytest.fixture(scope="module")
def replies() -> list[list[Reply]]:
    """What two models say about the US and Mexico: mostly what is wrong, and each once what is right,
    nothing, a refusal."""
    items = [
        item
        for item in get_task("demo/saq").items(open_release("demo")).to_dicts()
        if item["culture"] in ("US", "MX")
    ]
    said: list[list[Reply]] = []
    for model in range(2):
        rows: list[Reply] = []
        for item in items:
            for language in ("en",) if item["culture"] == "US" else ("es", "en"):
                place = len(rows)
                row = {
                    "item": item["item"],
                    "language": language,
                    "response": f"something else {model}-{place}",
                    "state": "answered",
                }
                if place in (1, 6):
                    row["response"] = (
                        item["answers"][0]["en"][0] if language == "en" else item["answers"][0]["local"][0]
                    )
                elif place == 2 and model:
                    row["response"] = " "
                elif place == 3 and model:
                    row["state"] = "refused"
                rows.append(row)
        said.append(rows)
    return said


@pytest.fixture(scope="module")
def source(
    tmp_path_factory: pytest.TempPathFactory, replies: list[list[Reply]]
) -> Iterator[tuple[Workspace, list[str]]]:
    """A workspace with a run of those replies, beside a run without free answers; and the names of the
    models."""
    folder = tmp_path_factory.mktemp("replies" + "-and-more" * 12)
    files = [folder / f"{name}.jsonl" for name in ("one", "two")]
    for file, rows in zip(files, replies, strict=True):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = [f"replay:{file}" for file in files]
    workspace = open_workspace(folder / "runs.db")
    for tasks, name in ((["demo/mcq", "demo/saq"], "drawn"), (["demo/mcq"], "choices")):
        run(tasks, models=names, workspace=workspace, name=name)
    yield workspace, names
    workspace.close()


def keys_of(
    names: list[str], replies: list[list[Reply]], culture: str, models: tuple[int, ...], right: bool
) -> list[str]:
    """Naively: the keys of what may be drawn, in order."""
    return [
        f"{names[model]}:demo/saq:{row['item']}:{row['language']}:plain:0"[-128:]
        for model in models
        for place, row in enumerate(replies[model])
        if row["item"].startswith(culture)
        and row["response"].strip()
        and row["state"] == "answered"
        and (right or place not in (1, 6))
    ]


@pytest.mark.parametrize("how", [{}, {"wrong_only": False}, {"models": 1}, {"per_culture": 3, "seed": 7}])
def test_a_sample_of_the_replies_that_may_be_drawn(
    study: StudyFixture, source: tuple[Workspace, list[str]], replies: list[list[Reply]], how: dict[str, Any]
) -> None:
    runs, names = source
    models = (how["models"],) if "models" in how else (0, 1)
    passed = {**how, "models": [names[1]]} if "models" in how else how
    found = draw_answers(study.workspace, study.record.id, "judge", "drawn", source=runs, **passed)
    most, expected, counts = how.get("per_culture", 120), [], {}
    for culture in ("US", "MX"):
        keys = keys_of(names, replies, culture, models, right="wrong_only" in how)
        drawn = random.Random(f"{how.get('seed', 0)}|{culture}").sample(keys, min(most, len(keys)))
        expected += drawn
        counts[culture] = (len(drawn), len(keys))
    assert found.counts == counts
    assert [item.key for item in found.items] == expected
    assert {len(key) for key in expected} == {128}
    assert PER_CULTURE == 120


def test_what_is_made_of_a_reply(
    study: StudyFixture, source: tuple[Workspace, list[str]], replies: list[list[Reply]]
) -> None:
    runs, names = source
    found = draw_answers(
        study.workspace, study.record.id, "judge", "drawn", source=runs, models=[names[0]], by=study.owner
    )
    item = next(item for item in found.items if ":MX/food-1:es:" in item.key)
    (row,) = (row for row in replies[0] if (row["item"], row["language"]) == ("MX/food-1", "es"))
    asked = next(
        each
        for each in get_task("demo/saq").items(open_release("demo")).to_dicts()
        if each["item"] == "MX/food-1"
    )
    assert item.content == {
        "question": asked["local_text"],  # as the model was asked, not in English
        "reply": row["response"],
        "accepted": ["tortilla / tortillas"],
        "language": "es",
        "task": "demo/saq",
        "item_id": "MX/food-1",
        "variant": "plain",
        "sample": 0,
        "endpoint": names[0],
        "run": "drawn",
    }
    english = next(item for item in found.items if ":MX/food-1:en:" in item.key)
    assert english.content["question"] == asked["text"] != asked["local_text"]
    names_of = {each.id: each.name for each in list_populations(study.workspace, study.record.id)}
    judges = {tuple(item.key.split(":")[-4:-2]): names_of[item.population_id or 0] for item in found.items}
    assert {(item[:2], language, name) for (item, language), name in judges.items()} == {
        ("MX", "es", "mexico"),
        ("MX", "en", "mexico-in-english"),
        ("US", "en", "us"),
    }
    (event,) = stored(study.workspace, schema.events, kind="items.added")
    assert (event["account_id"], event["details"]) == (study.owner, {"stage": "judge", "n": len(found.items)})


def test_nothing_is_drawn_twice_into_one_stage(
    study: StudyFixture, source: tuple[Workspace, list[str]]
) -> None:
    runs, _ = source
    neighbour = open_study(study.workspace, STAGES, populations=POPULATIONS, name="neighbour")
    draw_answers(study.workspace, neighbour.record.id, "judge", "drawn", source=runs)
    first = draw_answers(study.workspace, study.record.id, "judge", "drawn", source=runs, per_culture=2)
    second = draw_answers(
        study.workspace, study.record.id, "judge", "drawn", source=runs, per_culture=99, seed=1
    )
    drawn = {culture: second.counts[culture][0] for culture in ("US", "MX")}
    assert second.counts == {culture: (number, number) for culture, number in drawn.items()}
    assert {culture: total for culture, (_, total) in first.counts.items()} == {
        culture: 2 + drawn[culture] for culture in drawn
    }
    assert not {item.key for item in first.items} & {item.key for item in second.items}
    noted = len(stored(study.workspace, schema.events))
    third = draw_answers(study.workspace, study.record.id, "judge", "drawn", source=runs)
    assert (third.items, third.counts) == ((), {"US": (0, 0), "MX": (0, 0)})
    assert len(stored(study.workspace, schema.events)) == noted, "nothing was added"
    again = draw_answers(study.workspace, study.record.id, "again", "drawn", source=runs, per_culture=2)
    assert [item.key for item in again.items] == [item.key for item in first.items]


def test_why_nothing_can_be_drawn(study: StudyFixture, source: tuple[Workspace, list[str]]) -> None:
    runs, names = source
    with pytest.raises(FolkwaysError, match="no free answers; tasks with them: blend/saq, demo/saq"):
        draw_answers(study.workspace, study.record.id, "judge", "choices", source=runs)
    with pytest.raises(UnknownNameError, match=r"unknown/one"):
        draw_answers(
            study.workspace, study.record.id, "judge", "drawn", source=runs, models=[names[0], "another"]
        )
    with pytest.raises(FolkwaysError, match="drawn"):
        draw_answers(study.workspace, study.record.id, "judge", "drawn")  # the run is in another workspace
    other = open_study(study.workspace, STAGES, populations=POPULATIONS[:1], name="peru")
    for wrong, kind in ((True, "no wrong answer"), (False, "no answer")):
        with pytest.raises(FolkwaysError, match=rf"{kind} in a culture of this study \(PE\)"):
            draw_answers(study.workspace, other.record.id, "judge", "drawn", source=runs, wrong_only=wrong)
