"""Folders of votes as they are read, and what a build leaves in a folder."""

from __future__ import annotations

import csv
import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import orjson
import polars as pl
import pytest
import yaml

from folkways.benchmarks.culturalbench.build import from_votes
from folkways.benchmarks.culturalbench.build.counting import MajorityRule
from folkways.benchmarks.culturalbench.build.from_votes import build_from_votes
from folkways.benchmarks.culturalbench.votes import VOTES, Meta, Votes
from folkways.benchmarks.culturalbench.votes_files import read_votes, write_votes
from folkways.errors import DataError, FolkwaysError
from folkways.files import write_bytes
from tests.support.votes_data import large_collection, votes_of

COLLECTION = large_collection(24)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_votes(COLLECTION, tmp_path / "votes")
    return tmp_path / "votes"


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_what_is_written_is_read_in_every_format(tmp_path: Path, kind: str) -> None:
    votes = Votes(
        COLLECTION.items, COLLECTION.votes, Meta("Feasts", "CC-BY-4.0", "Nobody\nwas asked.", "@misc{x}")
    )
    write_votes(votes, tmp_path, kind)
    back = read_votes([tmp_path])
    assert back.items.equals(votes.items)
    assert back.votes.equals(votes.votes)
    assert (back.meta, back.notes) == (votes.meta, ())


def test_several_places_are_put_together(tmp_path: Path) -> None:
    first, second = (
        Votes(COLLECTION.items[part], COLLECTION.votes, COLLECTION.meta)
        for part in (slice(0, 10), slice(10, 24))
    )
    for name, part in (("one", first), ("two", second)):
        votes = part.votes.join(part.items, on="item", how="semi", maintain_order="left")
        write_votes(
            Votes(part.items, votes, part.meta), tmp_path / name, "csv" if name == "one" else "parquet"
        )
    both = read_votes([tmp_path / "one", tmp_path / "two"])
    assert both.items.equals(COLLECTION.items)
    assert both.votes.sort("item", "annotator").equals(COLLECTION.votes.sort("item", "annotator"))
    assert both.meta == COLLECTION.meta


def test_a_second_round_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """It repeats the question as it was; the notes say so, and nothing counts twice."""
    whole = votes_of({"q": ["dont_know"] * 5 + ["2:C"] * 5})
    for round_ in (1, 2):
        write_votes(Votes(whole.items, whole.votes.filter(round=round_)), tmp_path / str(round_))
    both = read_votes([tmp_path / "1", tmp_path / "2"])
    assert both.votes.equals(whole.votes)
    assert [note.split(": ")[1] for note in both.notes] == [
        "item 'q' is in " + str(tmp_path / "1/items.csv") + ", row 1 as well, alike; it counts once"
    ]


def test_one_file_with_questions_and_votes(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    by_item = COLLECTION.votes.partition_by("item", as_dict=True, include_key=False)
    with file.open("wb") as stream:
        for item in COLLECTION.items.iter_rows(named=True):
            stream.write(orjson.dumps({**item, "votes": by_item[(item["item"],)].to_dicts()}) + b"\n")
    assert read_votes([file]).votes.equals(COLLECTION.votes)
    flat = COLLECTION.votes.join(COLLECTION.items, on="item", how="left", maintain_order="left")
    flat.write_parquet(tmp_path / "all.parquet")
    assert read_votes([tmp_path / "all.parquet"]).votes.select(list(VOTES)).equals(COLLECTION.votes)


def test_what_is_no_place_of_votes(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FolkwaysError, match=r"there is no .*; give a folder with items"):
        read_votes([tmp_path / "nowhere"])
    with pytest.raises(FolkwaysError, match=r"has no items\.csv, items\.jsonl or items\.parquet"):
        read_votes([tmp_path])
    with pytest.raises(FolkwaysError, match="has questions or votes alone"):
        read_votes([folder / "items.csv"])
    (folder / "votes.parquet").write_bytes(b"")
    with pytest.raises(FolkwaysError, match=r"has both votes\.csv and votes\.parquet; keep one"):
        read_votes([folder])
    (folder / "votes.parquet").unlink()
    (folder / "meta.json").write_text("[1]")
    with pytest.raises(DataError, match=r"meta\.json: is not a JSON object"):
        read_votes([folder])
    (folder / "votes.csv").unlink()
    with pytest.raises(FolkwaysError, match=r"has no votes\.csv"):
        read_votes([folder])


def test_what_is_left_out_of_the_metadata_is_empty(tmp_path: Path) -> None:
    write_votes(COLLECTION, tmp_path)
    (tmp_path / "meta.json").write_text('{"title": "Feasts", "licence": null, "schema": 1, "more": 2}')
    assert read_votes([tmp_path]).meta == Meta("Feasts")
    (tmp_path / "meta.json").write_text('{"title": "Fêtes"}', encoding="utf-8-sig")
    assert read_votes([tmp_path]).meta == Meta("Fêtes"), "as Windows writes it"
    (tmp_path / "meta.json").write_text('{"title": 3}')
    with pytest.raises(DataError, match="title must be a text, got 3"):
        read_votes([tmp_path])


def test_licences_have_to_agree(tmp_path: Path) -> None:
    for name, licence in (("one", "CC-BY-4.0"), ("two", "")):
        write_votes(Votes(COLLECTION.items, COLLECTION.votes, Meta(licence=licence)), tmp_path / name)
    places = [tmp_path / "one", tmp_path / "two"]
    with pytest.raises(FolkwaysError, match=r"different licences .*two: none named.*--licence NAME"):
        read_votes(places)
    assert read_votes(places, "CC0-1.0").meta.licence == "CC0-1.0"


def test_easy_and_hard_become_one_release(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    easy = build_from_votes("easy", [folder], out)
    written = {"CulturalBench-Easy.csv", "votes.csv", "dropped.csv", "build.json", "README.md", "eval.yaml"}
    assert {file.name for file in easy.files} == written
    card = (out / "README.md").read_text()
    assert "CulturalBench-Easy.csv" in card
    assert "CulturalBench-Hard" not in card
    build_from_votes("hard", [folder], out)
    card = (out / "README.md").read_text()
    front = card.split("---")[1]
    assert "license: cc-by-4.0" in front
    assert front.count("config_name: ") == front.count("path: CulturalBench-") == 2
    assert "Invented for tests; nobody was asked." in card
    record = json.loads((out / "build.json").read_text())
    assert record["configs"] == ["easy", "hard"]
    rows = {
        name: list(csv.DictReader((out / f"CulturalBench-{name}.csv").open(newline="")))
        for name in ("Easy", "Hard")
    }
    assert record["questions"] == len(rows["Easy"]) == len(rows["Hard"]) / 4
    assert record["questions"] + sum(record["dropped"].values()) == COLLECTION.items.height
    assert {row["answer"] for row in rows["Hard"]} == {"True", "False"}
    assert [row["question_idx"] for row in rows["Easy"]] == list(
        dict.fromkeys(row["question_idx"] for row in rows["Hard"])
    )
    assert any(row["prompt_option_d"] == "None" for row in rows["Easy"])
    assert len(list(csv.reader((out / "votes.csv").open(newline="")))) == 1 + COLLECTION.votes.height


def test_the_card_loads_as_the_hub_reads_it(folder: Path, tmp_path: Path) -> None:
    """Its front matter is YAML that names the files of each configuration, whatever is in the title."""
    meta = Meta(title='Feasts: "a | b"\n# 2', licence="LicenseRef our own", citation="@misc{feasts}")
    write_votes(Votes(COLLECTION.items, COLLECTION.votes, meta), folder)
    build_from_votes("easy", [folder], tmp_path / "mine")
    card = (tmp_path / "mine" / "README.md").read_text()
    front = yaml.safe_load(card.split("---")[1])
    assert front["pretty_name"] == 'Feasts: "a | b" # 2'
    assert (front["license"], front["size_categories"]) == ("other", ["n<1K"])
    files = [{"split": "test", "path": "CulturalBench-Easy.csv"}]
    assert front["configs"] == [
        {"config_name": "CulturalBench-Easy", "data_files": files, "keep_default_na": False}
    ]
    assert "@misc{feasts}" in card


@pytest.mark.parametrize(
    ("question", "is_english", "questions"),
    [
        ("ماذا يأكل الناس في العيد؟", False, 4),
        ("春节吃什么？", False, 3),
        ("What is tāniko in te reo Māori?", True, 4),
        ("What is 饺子 called in English?", True, 4),
    ],
)
def test_questions_in_other_letters_are_not_passed_off_as_english(
    tmp_path: Path, question: str, is_english: bool, questions: int
) -> None:
    votes = votes_of({f"q{number}": ["A"] * 5 for number in range(questions)}, question=question)
    write_votes(votes, tmp_path / "votes")
    notes = [
        note
        for note in build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine").notes
        if "English" in note
    ]
    front = yaml.safe_load((tmp_path / "mine" / "README.md").read_text().split("---")[1])
    assert front.get("language") == (["en"] if is_english else None)
    more = ", ..." if questions == 4 else ""
    assert [note.partition(", and")[0] for note in notes] == (
        [] if is_english else [f"{questions} questions are not in English by the letters (q0, q1, q2{more})"]
    )


def test_easy_is_a_benchmark_where_the_hub_looks(folder: Path, tmp_path: Path) -> None:
    """eval.yaml names the card's configuration and columns that it has; Hard, which Inspect cannot score by
    question, has none."""
    assert not [
        file
        for file in build_from_votes("hard", [folder], tmp_path / "mine").files
        if file.name == "eval.yaml"
    ]
    build_from_votes("easy", [folder], tmp_path / "mine")
    told = yaml.safe_load((tmp_path / "mine" / "eval.yaml").read_text())
    (task,) = told["tasks"]
    front = yaml.safe_load((tmp_path / "mine" / "README.md").read_text().split("---")[1])
    (path,) = [
        entry["data_files"][0]["path"] for entry in front["configs"] if entry["config_name"] == task["config"]
    ]
    rows = pl.read_csv(tmp_path / "mine" / path)
    fields = task["field_spec"]
    assert (task["id"], told["evaluation_framework"]) == ("easy", "inspect-ai")
    assert {fields["input"], fields["target"], *fields["choices"]} <= set(rows.columns) and len(
        fields["choices"]
    ) == 4
    assert set(rows[fields["target"]]) <= set("ABCD")


def test_the_same_votes_and_seed_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("one", "two", "other")]
    for out in outs:
        build_from_votes("easy", [folder], out, seed=9 if out.name == "other" else 0)
    one, two, other = ({file.name: file.read_bytes() for file in out.iterdir()} for out in outs)
    assert one == two
    assert one["CulturalBench-Easy.csv"] != other["CulturalBench-Easy.csv"]
    assert one["votes.csv"] == other["votes.csv"]


@pytest.mark.parametrize("written", range(7))
def test_a_build_that_is_cut_off_can_be_made_again_and_never_looks_whole(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    out, left = tmp_path / "mine", written

    def full(path: Path, content: bytes) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            raise FolkwaysError("the disk is full")
        return write_bytes(path, content)

    monkeypatch.setattr(from_votes, "write_bytes", full)
    with pytest.raises(FolkwaysError, match="full") if written < 6 else nullcontext():
        build_from_votes("easy", [folder], out)
    assert (out / "CulturalBench-Easy.csv").exists() == (written >= 6)
    monkeypatch.undo()
    again = build_from_votes("easy", [folder], out)
    assert {file.name for file in out.iterdir()} == {file.name for file in again.files}
    assert again.record["configs"] == ["easy"]


def test_a_folder_that_holds_something_else_is_left_alone(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    build_from_votes("easy", [folder], out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(FolkwaysError, match=r"easy.*threshold 4 there and 3 here"):
        build_from_votes("hard", [folder], out, rule=MajorityRule(3, 5))
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert (
        build_from_votes("easy", [folder], out, rule=MajorityRule(5, 5)).record["threshold"] == 5
    )  # alone it may be built anew
    (out / "build.json").unlink()
    with pytest.raises(FolkwaysError, match="holds files that were not built from votes"):
        build_from_votes("easy", [folder], out)


def test_nothing_is_written_where_nothing_is_left(tmp_path: Path) -> None:
    write_votes(votes_of({"q": ["A", "B", "C", "D", "A"], "few": ["A"]}), tmp_path / "votes")
    with pytest.raises(FolkwaysError, match="no question is left of 2: 1 no-majority, 1 too-few-votes"):
        build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("votes", "says"), [(0, ""), (1, "1 --of 1"), (3, "2 --of 3"), (4, "3 --of 4"), (5, "")]
)
def test_where_nobody_has_enough_votes_the_rule_that_fits_is_named_and_works(
    tmp_path: Path, votes: int, says: str
) -> None:
    answers = {"q": ["A", "B", "C", "D", "A"][:votes], "right": ["A"] * min(votes, 4)}
    write_votes(votes_of(answers), tmp_path / "votes")
    with pytest.raises(FolkwaysError) as refused:
        build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine")
    hint = str(refused.value).partition("for example --threshold ")[2]
    assert hint == says
    if says:
        threshold, _, of = says.partition(" --of ")
        rule = MajorityRule(int(threshold), int(of))
        assert build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine", rule=rule).record[
            "questions"
        ]


def test_what_a_publisher_should_know_is_noted(tmp_path: Path) -> None:
    write_votes(votes_of({"q": ["A"] * 5}, country="Atlantis", option_c="None"), tmp_path / "votes")
    notes = build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine").notes
    assert [note.split(";")[0].split(":")[0] for note in notes] == [
        "no licence is named",
        "folkways does not know the country 'Atlantis'",
        "item q has the option 'None', which many table readers turn into a missing value",
    ]
    assert "license: unknown" in (tmp_path / "mine" / "README.md").read_text()


def test_unknown_countries_are_noted_in_the_order_of_the_questions(tmp_path: Path) -> None:
    names = [f"Land {number * 7 % 12}" for number in range(12)]
    votes = votes_of({f"q{number:02}": ["A"] * 5 for number in range(12)})
    items = votes.items.sort("item").with_columns(country=pl.Series(names))
    write_votes(replace(votes, items=items), tmp_path / "votes")
    notes = build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine").notes
    assert [note.split("'")[1] for note in notes if "country" in note] == names


def test_a_card_of_few_questions_says_no_more_than_they_do(tmp_path: Path) -> None:
    write_votes(votes_of({"q": ["A"] * 4 + ["B"], "w": ["C"] * 4 + ["A"]}), tmp_path / "votes")
    build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine")
    card = (tmp_path / "mine" / "README.md").read_text()
    assert "80.0 % right (" in card
    assert "nan" not in card
    write_votes(votes_of({"q": ["A"]}), tmp_path / "votes")
    build_from_votes("easy", [tmp_path / "votes"], tmp_path / "single", rule=MajorityRule(1, 1))
    assert "no question has two votes for options" in (tmp_path / "single" / "README.md").read_text()


def test_topics_that_people_gave_leave_in_the_form_that_tasks_read(tmp_path: Path) -> None:
    write_votes(votes_of({"q": ["A"] * 5}, topic="religion"), tmp_path / "votes")
    build_from_votes("easy", [tmp_path / "votes"], tmp_path / "mine")
    assert (
        tmp_path / "mine" / "topics.csv"
    ).read_text() == "question_idx,topic,head\nq,Religion,Wider society\n"
    (tmp_path / "mine" / "topics.csv").write_text("what somebody sorted anew")
    build_from_votes("hard", [tmp_path / "votes"], tmp_path / "mine")
    assert (tmp_path / "mine" / "topics.csv").read_text() == "what somebody sorted anew"
    table = pl.read_csv(tmp_path / "mine" / "votes.csv")
    assert table.columns == ["question_idx", "annotator", "chosen", "round", "population", "counted", "kept"]


def test_questions_with_several_right_options_in_a_readers_words(folder: Path, tmp_path: Path) -> None:
    """Easy and Hard of one folder belong to one text."""
    texts = tmp_path / "paper.toml"
    texts.write_text("['build easy']\nmulti-mode = '{question} Pick all. {statements}'")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    build_from_votes("easy", [folder], ours)
    build_from_votes("easy", [folder], theirs, prompts=texts)
    before, after = (pl.read_csv(place / "CulturalBench-Easy.csv") for place in (ours, theirs))
    changed = before.with_columns(other=after["prompt_question"]).filter(
        pl.col("prompt_question") != pl.col("other")
    )
    assert changed.height == before.filter(pl.col("prompt_option_a").str.starts_with("(i")).height > 0
    for old, new in changed.select("prompt_question", "other").iter_rows():
        question, statements, _instruction = old.rsplit("\n\n", 2)
        assert new == f"{question} Pick all. {statements}"
    assert after.drop("prompt_question").equals(before.drop("prompt_question"))
    assert orjson.loads((theirs / "build.json").read_bytes())["multi_mode_text"].startswith(
        "file:multi-mode "
    )
    with pytest.raises(FolkwaysError, match="holds easy of another build"):
        build_from_votes("hard", [folder], theirs)
    (theirs / "README.md").unlink()
    with pytest.raises(FolkwaysError, match="holds easy of another build"):
        build_from_votes("hard", [folder], theirs)
    build_from_votes("hard", [folder], theirs, prompts=texts)
