"""Reading BLEnD: every schema and layout, columns by content, broken files, and the real data where they are
at hand."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from folkways.cultures import cultures, cultures_of
from folkways.errors import DataError, FolkwaysError
from tests.support.blend_data import (
    MCQ_HEADER,
    MCQ_ROWS,
    mcq_row,
    release_at,
    write_csv,
    write_mcq,
    write_release,
)

STATES = ("24e7d73", "3e4dcbd", "3c00d45")
VALID_IN_JUNE = {
    "US": 461, "GB": 455, "ES": 469, "MX": 479, "ID": 480, "CN": 474, "KR": 475, "DZ": 437,
    "GR": 460, "IR": 456, "KP": 444,
    "AZ": 469, "ID-JB": 458, "IN-AS": 477, "NG-N": 455, "ET": 472,
}  # fmt: skip


def test_groups_and_not_knowing_are_read_as_they_stand(tmp_path: Path) -> None:
    table = blend.read_annotations(release_at(write_release(tmp_path)))
    assert dict(table.schema) == dict(blend.ANNOTATIONS)
    assert table["culture"].unique(maintain_order=True).to_list() == ["US", "KR", "ES"]
    game = table.row(by_predicate=(pl.col("culture") == "KR") & (pl.col("id") == "Q-2"), named=True)
    assert game["groups"][0] == {"answers": ["윷놀이", ""], "en_answers": ["yut nori", "Yutnori"], "count": 4}
    assert {"kind": "i forgot", "count": 1} in game["idks"]


def test_the_schema_with_raw_annotations(tmp_path: Path) -> None:
    entry = {
        "question": "¿?", "en_question": "?", "idks": {"idk": 1},
        "annotations": {"té": 2, "mate": 1},
        "raw_annotations": {"annot_0": ["té"], "annot_1": []},
        "aggregated_answers": [{"answers": ["té"], "en_answers": ["tea"], "count": 2}],
    }  # fmt: skip
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "Mexico_data.json").write_text(json.dumps({"Q-1": entry}), encoding="utf-8")
    row = blend.read_annotations(release_at(tmp_path)).row(0, named=True)
    assert row["groups"] == entry["aggregated_answers"]
    assert row["votes"] == [{"answer": "té", "count": 2}, {"answer": "mate", "count": 1}]
    assert row["raw"] == [
        {"annotator": "annot_0", "answers": ["té"]},
        {"annotator": "annot_1", "answers": []},
    ]


def test_the_layout_of_the_hub_gives_the_same_tables(tmp_path: Path) -> None:
    plain = release_at(write_release(tmp_path / "plain"))
    hub = tmp_path / "hub" / "data"
    for file in (plain.root / "annotations").iterdir():
        entries = json.loads(file.read_text(encoding="utf-8"))
        (hub / "annotations_hf").mkdir(parents=True, exist_ok=True)
        records = [{"ID": key, **entry} for key, entry in entries.items()]
        (hub / "annotations_hf" / file.name).write_text(json.dumps(records), encoding="utf-8")
    for file in (plain.root / "questions").iterdir():
        (hub / "questions_hf").mkdir(parents=True, exist_ok=True)
        (hub / "questions_hf" / file.with_suffix(".json").name).write_text(
            pl.read_csv(file).write_json(), encoding="utf-8"
        )
    copied = release_at(tmp_path / "hub")
    assert blend.looks_like(copied.root)
    assert blend.read_annotations(copied).equals(blend.read_annotations(plain))
    assert blend.read_questions(copied).equals(blend.read_questions(plain))


@pytest.mark.parametrize("your_country", [True, False])
def test_which_column_is_local_is_decided_by_content(tmp_path: Path, your_country: bool) -> None:
    documented = write_release(tmp_path / "documented", your_country=your_country)
    swapped = write_release(tmp_path / "swapped", swapped=True, your_country=your_country)
    tables = [blend.read_questions(release_at(root)) for root in (documented, swapped)]
    assert tables[0].equals(tables[1])
    assert tables[0].filter(culture="KR", id="Q-1")["local"].item() == "무엇을 마셔요?"
    assert tables[0].filter(culture="US", id="Q-1")["local"].item() == "What do people drink in the US?"


def test_words_that_csv_readers_take_for_nothing_stay_words(tmp_path: Path) -> None:
    words = ["None", "NA", "null", "nan"]
    rows = [mcq_row(number, "Spain", [*words[:3], "rum"], "A") for number in range(2)]
    table = blend.read_mcq(release_at(write_mcq(tmp_path, rows)))
    assert table["choices"].to_list() == [["None", "NA", "null", "rum"]] * 2
    write_csv(
        tmp_path / "prompts" / "Spain_prompts.csv", ["id", "English", "Translation"], [("None", "NA {q}", "")]
    )
    assert blend.read_prompts(release_at(tmp_path)).row(0) == ("ES", "None", "NA {q}", "")


def test_of_prompts_with_one_id_the_first_stands(tmp_path: Path) -> None:
    table = blend.read_prompts(release_at(write_release(tmp_path)))
    assert table.filter(culture="KR")["id"].to_list() == ["inst-4", "pers-3"]
    assert table.filter(culture="KR", id="inst-4")["local"].item().startswith("하나만.")


def test_multiple_choice_from_a_plain_or_packed_file(tmp_path: Path) -> None:
    table = blend.read_mcq(release_at(write_mcq(tmp_path / "plain")))
    assert dict(table.schema) == dict(blend.MCQ)
    assert table["culture"].to_list() == ["KR", "KR", "ES", "ES"]
    packed = tmp_path / "packed" / "evaluation" / "mc_data"
    packed.mkdir(parents=True)
    content = (tmp_path / "plain" / "mc_questions_file.csv").read_bytes()
    (packed / "mc_questions_file.csv.gz").write_bytes(gzip.compress(content))
    assert blend.read_mcq(release_at(tmp_path / "packed")).equals(table)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "not JSON from line 1"),
        ('{"Q-1": {}, "Q-2": {}, "Q-1": {}}', "has 'Q-1' twice in one object"),
        ('{"Q-1": {"idks": {"idk": 1, "idk": 2}}}', "has 'idk' twice in one object"),
        ("[1, 2]", "neither questions by id nor a list of records"),
        (
            '{"Q-1": {"question": "?", "en_question": "?", "annotations": []}}',
            "question 'Q-1': has no 'idks'",
        ),
        (
            '{"Q-1": {"question": 3, "en_question": "?", "annotations": [], "idks": {}}}',
            "'question' is not text",
        ),
        (
            '{"Q-1": {"question": "", "en_question": "", "annotations": [{"answers": "tea"}], "idks": {}}}',
            "an answer group is not",
        ),
        (
            '{"Q-1": {"question": "", "en_question": "", "annotations": {"tea": 1}, "idks": {}}}',
            "neither 'aggregated_answers'",
        ),
        (
            '{"Q-1": {"question": "", "en_question": "", "annotations": [], "idks": {"idk": "2"}}}',
            "in whole numbers",
        ),
    ],
)
def test_broken_annotations_name_file_question_and_remedy(tmp_path: Path, content: str, named: str) -> None:
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "Spain_data.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        blend.read_annotations(replace(release_at(tmp_path), verified=False))
    assert named in str(caught.value)
    assert "Spain_data.json" in str(caught.value)
    assert "data fetch" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (("x", "Q-1", "Atlantis", "?", '{"A": "x"}', '{"A": "x"}', "A"), "Atlantis"),
        (("x", "Q-1", "Spain", "?", "A: x", '{"A": "x"}', "A"), "not a JSON object"),
        (("x", "Q-1", "Spain", "?", '{"A": "x"}', '{"A": "x"}', "E"), "answer_idx 'E'"),
    ],
)
def test_broken_multiple_choice_names_the_row(tmp_path: Path, row: tuple[str, ...], named: str) -> None:
    write_csv(tmp_path / "mc_questions_file.csv", MCQ_HEADER, [*MCQ_ROWS, row])
    with pytest.raises(DataError, match="row 5") as caught:
        blend.read_mcq(release_at(tmp_path))
    assert named in str(caught.value)


def test_a_missing_column_and_a_missing_part_are_said(tmp_path: Path) -> None:
    write_csv(tmp_path / "questions" / "Spain_questions.csv", ["ID", "Topic"], [("Q-1", "Food")])
    with pytest.raises(
        DataError, match="has no column Source, Question, Translation; its columns: ID, Topic"
    ):
        blend.read_questions(release_at(tmp_path))
    with pytest.raises(FolkwaysError, match="has no annotations"):
        blend.read_annotations(release_at(tmp_path))


@pytest.mark.parametrize("part", ["questions", "prompts", "mcq"])
@pytest.mark.parametrize(("separator", "mark", "end"), [(";", "\ufeff", "\r\n"), ("\t", "", "\n")])
def test_every_table_is_read_as_a_spreadsheet_writes_it(
    tmp_path: Path, part: str, separator: str, mark: str, end: str
) -> None:
    read = {"questions": blend.read_questions, "prompts": blend.read_prompts, "mcq": blend.read_mcq}[part]
    tables = []
    for folder in (tmp_path / "plain", tmp_path / "spreadsheet"):
        root = write_mcq(write_release(folder))
        if folder.name == "spreadsheet":
            for file in root.rglob("*.csv"):
                cells = list(csv.reader(file.read_text(encoding="utf-8").splitlines(keepends=True)))
                text = io.StringIO(newline="")
                csv.writer(text, delimiter=separator, lineterminator=end).writerows(cells)
                file.write_bytes((mark + text.getvalue()).encode())
        tables.append(read(release_at(root)))
    assert tables[0].height > 0
    assert tables[1].equals(tables[0])


@pytest.mark.parametrize("change", [1, -1])
@pytest.mark.parametrize("part", ["questions", "prompts", "mcq"])
def test_a_row_with_a_cell_too_many_or_too_few_is_named(tmp_path: Path, part: str, change: int) -> None:
    read = {"questions": blend.read_questions, "prompts": blend.read_prompts, "mcq": blend.read_mcq}[part]
    root = write_mcq(write_release(tmp_path))
    file = root / ("mc_questions_file.csv" if part == "mcq" else f"{part}/Spain_{part}.csv")
    header, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines(keepends=True))
    rows[1] = [*rows[1], "?"] if change > 0 else rows[1][:change]
    write_csv(file, header, [tuple(row) for row in rows])
    with pytest.raises(DataError) as caught:
        read(release_at(root))
    assert f"{file.name}, row 2: has {len(header) + change} cells, the header names {len(header)}" in str(
        caught.value
    )


def test_the_countries_of_options_go_by_their_letters(tmp_path: Path) -> None:
    *row, _, answer = MCQ_ROWS[0]
    countries = '{"D": "US", "B": "Spain", "A": "South_Korea", "C": "dummy"}'
    write_csv(tmp_path / "mc_questions_file.csv", MCQ_HEADER, [(*row, countries, answer)])
    table = blend.read_mcq(release_at(tmp_path))
    assert table["choice_countries"].to_list() == [["South_Korea", "Spain", "dummy", "US"]]


def test_any_culture_with_a_language_may_have_files_and_those_of_the_paper_come_first(tmp_path: Path) -> None:
    spoken = [culture for culture in cultures().values() if culture.languages]
    for culture in spoken:
        name = culture.names.get("blend", culture.name.replace(" ", "_"))
        content = {"Q-1": {"question": "?", "en_question": "?", "annotations": [], "idks": {}}}
        (tmp_path / "annotations").mkdir(exist_ok=True)
        (tmp_path / "annotations" / f"{name}_data.json").write_text(json.dumps(content), encoding="utf-8")
    codes = blend.read_annotations(release_at(tmp_path))["culture"].to_list()
    assert codes[:16] == [culture.code for culture in cultures_of("blend")]
    assert sorted(codes) == sorted(culture.code for culture in spoken)
    kenya = tmp_path / "kenya" / "annotations"
    kenya.mkdir(parents=True)
    shutil.copy(tmp_path / "annotations" / "Kenya_data.json", kenya)
    assert blend.looks_like(kenya.parent)


@pytest.mark.parametrize("part", ["annotations", "questions", "prompts"])
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("South Korea", "write 'South_Korea'"),
        ("KE", "write 'Kenya'"),
        ("Atlantis", "write the name of a culture, with _ for spaces"),
    ],
)
def test_a_file_of_no_culture_is_not_passed_over(tmp_path: Path, part: str, name: str, remedy: str) -> None:
    root = write_release(tmp_path)
    ending = "_data.json" if part == "annotations" else f"_{part}.csv"
    shutil.copy(root / part / f"Spain{ending}", root / part / f"{name}{ending}")
    with pytest.raises(DataError, match=f"no culture is called '{name}': {remedy}") as caught:
        getattr(blend, f"read_{part}")(release_at(root))
    assert f"{part}/{name}{ending}" in str(caught.value)


def test_a_folder_is_recognised_by_what_lies_in_it(tmp_path: Path) -> None:
    assert blend.looks_like(write_release(tmp_path / "release"))
    assert blend.looks_like(write_mcq(tmp_path / "mcq"))
    (tmp_path / "other" / "annotations").mkdir(parents=True)
    assert not blend.looks_like(tmp_path / "other")


@pytest.fixture(scope="module")
def annotations(shared: Path) -> Callable[[str], pl.DataFrame]:
    """The annotations of a state of the data by its name; each is read once."""
    return cache(lambda state: blend.read_annotations(release_at(shared / "data" / "blend" / state)))


@pytest.mark.shared
@pytest.mark.parametrize("state", STATES)
def test_all_cultures_are_read(annotations: Callable[[str], pl.DataFrame], state: str) -> None:
    table = annotations(state)
    assert table.height == 16 * 500
    assert table["culture"].unique(maintain_order=True).to_list() == [
        culture.code for culture in cultures_of("blend")
    ]
    assert (table["raw"].list.len().sum() > 0) == (state == "3c00d45")


@pytest.mark.shared
@pytest.mark.parametrize("state", ["24e7d73", "3e4dcbd"])
def test_local_columns_agree_with_the_annotations(
    shared: Path, annotations: Callable[[str], pl.DataFrame], state: str
) -> None:
    questions = blend.read_questions(release_at(shared / "data" / "blend" / state))
    joined = questions.join(annotations(state), on=["culture", "id"])
    assert joined.height == 16 * 500
    assert (joined["local"] == joined["question"]).all()
    assert (joined["english"] == joined["en_question"]).all()


@pytest.mark.shared
def test_valid_questions_are_those_of_the_paper(annotations: Callable[[str], pl.DataFrame]) -> None:
    counts = {}
    for state in STATES:
        counted = annotations(state).filter(blend.is_counted())
        counts[state] = dict(counted.group_by("culture").len().iter_rows())
    assert counts["3e4dcbd"] == VALID_IN_JUNE
    assert counts["24e7d73"] == {**VALID_IN_JUNE, "GB": 456}
    assert counts["3c00d45"] == counts["24e7d73"]
