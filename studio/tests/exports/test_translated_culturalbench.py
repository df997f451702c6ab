"""CulturalBench's questions are translated with the template of the gallery, an expert settles them, and they
are asked in both languages."""

from __future__ import annotations

from pathlib import Path

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.culturalbench.build.translated import build_translated, to_translate
from folkways.benchmarks.culturalbench.votes import frame_bytes
from folkways.benchmarks.released_data import open_release
from folkways.workspace.database import Workspace
from folkways_studio.items.reading import checked_rows
from folkways_studio.items.service import add_items
from folkways_studio.items.table_files import read_rows
from folkways_studio.records import Role
from folkways_studio.workflows.templates import template
from studio.tests.support.exports import export_study
from studio.tests.support.studies import open_study, untrained
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

FIELDS = ("question", "option_a", "option_b", "option_c", "option_d")
DRAFT = dict(zip((f"local_{name}" for name in FIELDS), ("뭐예요?", "빵", "떡", "차", "소금"), strict=True))


def test_released_questions_are_imported_translated_twice_settled_and_asked(
    workspace: Workspace, tmp_path: Path
) -> None:
    raw = template("question-translation").raw
    study = open_study(
        workspace,
        untrained(raw["stages"]),
        populations=[{"name": "korean", "culture": "KR", "language": "ko"}],
    )
    easy, hard = culturalbench_rows()
    numbers = ("1117", "1118", "1137")  # of South Korea; in the last several options are right
    chosen = [row for row in easy if row["question_idx"] in numbers]
    write_culturalbench(tmp_path, chosen, [row for row in hard if row["question_idx"] in numbers])
    english = open_release(tmp_path)
    written = frame_bytes(to_translate(english))
    (tmp_path / "items.csv").write_bytes(written)
    rows = read_rows(tmp_path / "items.csv")
    assert [(row["id"], row["config"]) for row in rows] == [
        ("1117", ""), ("1118", ""), ("1137-easy", "easy"), ("1137-hard", "hard"),
    ]  # fmt: skip
    checked = checked_rows(workspace, study.record.id, "translate", rows, population="korean")
    add_items(workspace, study.record.id, "translate", [new for new, _, _ in checked])
    better = {**DRAFT, "local_question": "무엇을 가져가나요?"}
    for texts in (DRAFT, better):
        person = study.person("korean")
        for _ in rows:
            study.answer(person, {"answers": texts})
    expert = study.person(role=Role.EXPERT)
    for _ in rows[1:]:
        study.answer(expert, {"answers": better, "reason": "as people say"}, "settle")
    export_study(workspace, study.record.id, tmp_path / "study", "jsonl")
    done = build_translated(english, tmp_path / "study" / "items.jsonl", tmp_path / "out")
    # one question waits for the expert, so that no draft of it is used
    assert (dict(done.languages), done.untranslated) == ({"ko": 2}, 1)
    release = open_release(tmp_path / "out")
    task = BENCHMARK.tasks[0]
    asked = task.prompts(task.items(release), PromptOptions(languages=("ko",)), release)
    assert len(asked) == 2
    assert asked["user"][0].startswith("무엇을 가져가나요?\n\nA. 빵\nB. 떡\nC. 차\nD. 소금")
