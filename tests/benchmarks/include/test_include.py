"""INCLUDE from its files to scores, in both schemas, and what is odd about the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.include import BENCHMARK, READER
from folkways.errors import DataError
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.command_line import environment, folkways
from tests.support.hub_benchmarks import include_rows, release_over, write_include, write_parquet
from tests.support.multiple_choice import judged, score

(TASK,) = BENCHMARK.tasks


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_include(tmp_path_factory.mktemp("include"))


def test_answers_count_from_zero(release: Release) -> None:
    items = TASK.items(release)
    assert items.select("item", "gold", "culture", "local_language").rows() == [
        ("Arabic/1", "A. الأردن", "JO", "ar"),
        ("Greek/1", "B. Αθήνα", "GR", "el"),
        ("Greek/2", "C. κόκκινο", "GR", "el"),
        ("Korean/1", "A. 세종", "KR", "ko"),
        ("Korean/2", "D. 셋", "KR", "ko"),
        ("North Macedonian/1", "C. Скопје", "MK", "mk"),
    ]


def test_lists_of_choices_are_the_same_questions(release: Release, tmp_path: Path) -> None:
    assert TASK.items(write_include(tmp_path, choices=True)).equals(TASK.items(release))


def test_every_language_of_the_release_is_known() -> None:
    for record in (get_record("include"), get_record("include-lite")):
        folders = {entry.path.split("/")[0] for entry in record.files}
        assert {READER.declared.language_of(folder) for folder in folders} == set(record.languages)
        assert len(folders) == 44
        assert record.items_may_leave is False


def test_accuracy_counts_what_could_not_be_read_and_the_second_number_does_not(release: Release) -> None:
    said = {"Greek/1": "Β", "Greek/2": "κόκκινο", "Korean/1": "모르겠습니다", "Korean/2": "A"}
    found = judged(TASK, release, lambda row: said.get(row["item"], row["gold_letter"]))
    whole, readable = (score(TASK, found, name) for name in ("accuracy", "answer_accuracy"))
    assert whole["score"] == pytest.approx(100 * 4 / 6) and whole["left_out"] == 0 and whole["refused"] == 1
    assert (
        readable["score"] == pytest.approx(100 * 4 / 5) and readable["left_out"] == 1 and readable["n"] == 6
    )
    assert TASK.metrics[0].name == "accuracy"
    assert score(TASK, found, "accuracy", "regional_feature", "Region explicit")["n"] == 4
    assert score(TASK, found, "accuracy", "language", "ko")["score"] == 0.0


def test_a_macedonian_question_is_instructed_in_english_and_a_greek_one_in_greek(release: Release) -> None:
    prompts = TASK.prompts(TASK.items(release), PromptOptions(), release)
    sources = dict(prompts.select("language", "prompt_source").unique().iter_rows())
    assert sources == {"ar": "folkways", "el": "folkways", "ko": "folkways", "mk": "folkways, in English"}
    assert TASK.prompts(TASK.items(release), PromptOptions(languages=("el",)), release).height == 2


def test_what_is_odd_is_named_with_file_and_row(tmp_path: Path) -> None:
    greek = [*include_rows("Greek"), *include_rows("Greek")]
    greek[0] |= {"answer": 4}
    greek[3] |= {"country": "Atlantis"}
    write_parquet(tmp_path, "Greek/test-00000-of-00001.parquet", greek)
    korean = include_rows("Korean", choices=True)
    write_parquet(
        tmp_path,
        "Korean/validation-00000-of-00001.parquet",
        [korean[0] | {"choices": korean[0]["choices"][::-1], "answer": 3}],
    )
    korean[1] |= {"choices": ["둘", "넷", "다섯"]}
    write_parquet(tmp_path, "Korean/test-00000-of-00001.parquet", korean)
    empty = tmp_path / "Dutch-Flemish"
    empty.mkdir()
    (empty / "test.csv").write_text(",".join(include_rows("Greek")[0]) + "\n", encoding="utf-8")
    write_parquet(tmp_path, "Klingon/test-00000-of-00001.parquet", include_rows("Klingon"))
    release = release_over(tmp_path, "include")
    issues = {(issue.kind, issue.file.split("/")[0], issue.row) for issue in READER.check(release)}
    assert issues == {
        ("answer-outside", "Greek", 1),
        ("duplicate-question", "Greek", 3),
        ("duplicate-question", "Greek", 4),
        ("unknown-country", "Greek", 4),
        ("in-validation", "Korean", 1),
        ("option-count", "Korean", 2),
        ("empty-language", "Dutch-Flemish", None),
        ("unknown-language", "Klingon", None),
    }
    items = TASK.items(release)
    assert "Korean/2" not in items["item"]
    assert (
        TASK.why_uncounted(items.row(0, named=True), "strict")
        == "the release gives '4' as the answer, which is not one of A, B, C, D"
    )


def test_a_file_without_options_says_which_column_it_lacks(tmp_path: Path) -> None:
    rows = [
        {name: value for name, value in row.items() if name != "option_b"} for row in include_rows("Greek")
    ]
    write_parquet(tmp_path, "Greek/test-00000-of-00001.parquet", rows)
    with pytest.raises(DataError, match="no column 'choices'"):
        TASK.items(release_over(tmp_path, "include"))


def test_no_item_leaves_although_the_card_allows_it(tmp_path: Path) -> None:
    """The release under its own name, adopted from small files of ours: scores leave, and no question or
    answer."""
    languages = dict.fromkeys(entry.path.split("/")[0] for entry in get_record("include").files)
    write_include(tmp_path / "copy", languages)
    env = environment() | {"FOLKWAYS_DATA": str(tmp_path / "data")}
    workspace, out = tmp_path / "w.db", tmp_path / "out"
    assert folkways("data", "fetch", "include", "--from", tmp_path / "copy", env=env).returncode == 0
    asked = ("run", "include", "--model", "replay:said.csv", "--cultures", "GR", "--workspace", workspace)
    (tmp_path / "said.csv").write_text("item,response\nGreek/1,B\nGreek/2,A\n")
    assert folkways(*asked, cwd=tmp_path, env=env).returncode == 0
    done = folkways("export", "every-eval-ever", "--workspace", workspace, "--out", out, "--items", env=env)
    assert (
        done.returncode == 0
        and "items of include@d2e1f60 (licence: Apache-2.0) are not to be passed on" in done.stderr
    )
    forbidden = folkways("export", "lm-eval", "include", "--out", tmp_path / "task", "--items", env=env)
    assert forbidden.returncode == 2 and not (tmp_path / "task").exists()
    written = [path.read_text(encoding="utf-8") for path in out.rglob("*.json*")]
    assert written and not any(text in page for page in written for text in ("Αθήνα", "κόκκινο"))
