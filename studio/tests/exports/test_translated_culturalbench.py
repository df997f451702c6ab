"""CulturalBench's questions are translated in a form, checked by a second person, and asked in both
languages."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.culturalbench.build.translated import build_translated
from folkways.benchmarks.released_data import open_release
from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.records import Role
from studio.tests.support.exports import export_study
from studio.tests.support.studies import open_study
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "culturalbench.md"
FIELDS = ("question", "option_a", "option_b", "option_c", "option_d")
DRAFT = dict(zip((f"local_{name}" for name in FIELDS), ("뭐예요?", "빵", "떡", "차", "소금"), strict=True))


def test_what_the_second_person_decided_is_asked(workspace: Workspace, tmp_path: Path) -> None:
    stages = yaml.safe_load(re.findall(r"```yaml.*?\n(stages:\n.*?)```", DOCS.read_text("utf-8"), re.S)[0])
    desk = open_study(workspace, stages["stages"])
    easy, hard = culturalbench_rows()
    numbers = ("1117", "1118")  # two questions of South Korea
    chosen = [row for row in easy if row["question_idx"] in numbers]
    write_culturalbench(tmp_path, chosen, [row for row in hard if row["question_idx"] in numbers])
    new = [
        NewItem(
            row["question_idx"],
            {"language": "ko", **{name: row[f"prompt_{name}"] for name in FIELDS}},
            "korea",
        )
        for row in chosen
    ]
    add_items(workspace, desk.study.id, "translate", new)
    person = desk.person("korea")
    for _ in numbers:
        desk.answer(person, {"answers": DRAFT})
    better = {**DRAFT, "local_question": "무엇을 가져가나요?"}
    checked = desk.answer(desk.person(role=Role.REVIEWER), {"answers": better}, "check").item.key
    export_study(workspace, desk.study.id, tmp_path / "study", "jsonl")
    english = open_release(tmp_path)
    done = build_translated(english, tmp_path / "study" / "items.jsonl", tmp_path / "out")
    # the other question waits for the second person, so that its draft is not used
    assert (dict(done.languages), done.untranslated) == ({"ko": 1}, 1)
    release = open_release(tmp_path / "out")
    task = BENCHMARK.tasks[0]
    asked = task.prompts(task.items(release), PromptOptions(languages=("ko",)), release)
    assert asked["item"].to_list() == [f"easy/{checked}"]
    assert asked["user"].item().startswith("무엇을 가져가나요?\n\nA. 빵\nB. 떡\nC. 차\nD. 소금")
