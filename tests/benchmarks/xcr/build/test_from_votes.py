"""``folkways build csi-corpus``: what people decide, what is left out and why, and a folder that is a
release."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from folkways.api import run
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.build.corpus import BuiltCorpus, VoteFiles, build_corpus
from folkways.cli.build import command
from folkways.cli.data import command as data
from folkways.errors import DataError, FolkwaysError
from folkways.stats.raters.kappa import category_kappa
from tests.support.csi_votes import ITEMS, choice, labels, version, write_items, write_votes

Rows = Sequence[Mapping[str, Any]]


def build(folder: Path, choices: Rows, labelled: Rows, versions: Rows = (), judges: int = 2) -> BuiltCorpus:
    files = VoteFiles(
        write_items(folder / "items.jsonl"),
        [write_votes(folder / "choices.csv", choices)],
        [write_votes(folder / "labels.csv", labelled)],
        [write_votes(folder / "adaptations.csv", versions)] if versions else [],
    )
    return build_corpus(files, folder / "corpus", judges)


def both(make: Any, number: int, *same: Any, **more: Any) -> list[dict[str, Any]]:
    return [make(number, judge, *same, **more) for judge in ("p1", "p2")]


def test_a_corpus_in_the_released_schema_is_a_release(tmp_path: Path) -> None:
    choices = [row for number in (1, 2, 3) for row in both(choice, number, "b")]
    labelled = [row for number in (1, 2, 3) for row in both(labels, number)]
    versions = [
        *both(version, 1),
        *both(version, 2, strategies="Non-transferable", intra="", inter=""),
        *both(version, 1, culture="Bangladesh"),
    ]
    built = build(tmp_path, choices, labelled, versions)
    release = open_release(str(tmp_path / "corpus"), "xcr")
    base = xcr.corpus(release)
    written = pl.read_csv(tmp_path / "corpus" / xcr.BASE_FILE)
    assert base["id"].to_list() == written["id"].to_list(), "the ids that reading makes are those in the file"
    assert base["sentence"].to_list() == [
        f"Bring {number} b <CSI> soup mugs </CSI> tonight." for number in (1, 2, 3)
    ]
    assert set(base["csi_hall_mapping"]) == {"Customs"}
    chinese = xcr.adaptations(release, "CN")
    assert chinese["id"].to_list() == base["id"].to_list()[:2]
    assert [xcr.is_non_transferable(text) for text in chinese["intra"]] == [False, True]
    adapted = pl.read_csv(tmp_path / "corpus" / xcr.ADAPTATION_FILES["CN"])
    assert adapted["strategy"].to_list() == ["functional_equivalent", "non_transferable"]
    assert xcr.adaptations(release, "BD").height == 1
    assert built.record["sentences"] == 3
    assert built.record["left_out"] == dict.fromkeys(
        ("item-4", "item-5", "item-6"), "0 of 2 judges have chosen a sentence"
    )


def test_it_is_checked_and_asked_like_the_published_one(tmp_path: Path) -> None:
    choices = [row for number in (1, 2, 3) for row in both(choice, number, "b")]
    labelled = [row for number in (1, 2, 3) for row in both(labels, number)]
    build(tmp_path, choices, labelled, [row for number in (1, 2, 3) for row in both(version, number)])
    folder = str(tmp_path / "corpus")
    done = CliRunner().invoke(data, ["check", folder, "--json"], catch_exceptions=False)
    kinds = json.loads(done.stdout)["counts"]
    assert set(kinds) == {"missing-file"}, "nothing is odd but that three cultures are not there"
    asked = run(
        "xcr",
        models="baseline/constant:<CSI> soup mugs </CSI>",
        workspace=tmp_path / "w.db",
        releases={"xcr": folder},
    )
    scores = {
        (row["task"], row["metric"]): row["score"]
        for row in asked.scores().filter(facet="all").iter_rows(named=True)
    }
    assert scores["xcr/identification", "hi_csi"] == scores["xcr/prediction", "hp_csi"] == 100
    assert asked.judgements()["task"].n_unique() == 3


def test_a_folder_has_the_adaptations_of_its_last_build_alone(tmp_path: Path) -> None:
    decided = both(choice, 1, "b"), both(labels, 1)
    there = {"CN": [*both(version, 1)], "BD": both(version, 1, culture="Bangladesh"), "": []}
    for culture, versions in there.items():
        built = build(tmp_path, *decided, versions)
        of_cultures = {
            name for name in xcr.ADAPTATION_FILES.values() if (tmp_path / "corpus" / name).exists()
        }
        assert of_cultures == ({xcr.ADAPTATION_FILES[culture]} if culture else set())
        assert {*built.record["adaptations"]} == ({culture} if culture else set())
        assert (tmp_path / "corpus" / "adaptations_of_everybody.csv").exists() == bool(versions)


def test_a_version_that_does_not_fit_its_sentence_is_told(tmp_path: Path) -> None:
    unfit = version(1, "expert", strategies="neutral_term;neutral_term", role="expert")
    built = build(tmp_path, both(choice, 1, "b"), both(labels, 1), [version(1, "p1"), unfit])
    assert built.record["left_out"]["item-1, CN, expert"].startswith("an expert's version has not 1 items")
    assert (built.record["adaptations"], built.record["adaptations_undecided"]) == ({"CN": 1}, {"CN": 1})


def test_files_of_one_name_are_all_on_record(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("p1", "p2")]
    for folder in folders:
        folder.mkdir()
    files = VoteFiles(
        write_items(tmp_path / "items.jsonl"),
        [write_votes(folder / "choices.csv", [choice(1, folder.name, "b")]) for folder in folders],
        [write_votes(folder / "labels.csv", [labels(1, folder.name)]) for folder in folders],
    )
    told = build_corpus(files, tmp_path / "corpus").record["files"]
    assert {*told} == {
        "items.jsonl",
        *(f"{folder}/{name}.csv" for folder in ("p1", "p2") for name in ("choices", "labels")),
    }


def test_provenance_goes_along(tmp_path: Path) -> None:
    build(tmp_path, both(choice, 4, "c"), both(labels, 4))
    (row,) = pl.read_csv(tmp_path / "corpus" / "provenance.csv").iter_rows(named=True)
    wanted = {
        "item_id": "item-4",
        "source": "https://example.org/1",
        "fact_id": "fact-1",
        "table_row": 7,
        "sentence_by": "model c",
    }
    assert wanted.items() <= row.items()
    assert (row["judges_of_sentence"], row["judges_of_labels"]) == (2, 2)


def test_what_is_not_known_of_a_sentence_is_an_empty_cell(tmp_path: Path) -> None:
    candidate = {"id": "c", "text": "Bring c.", "tagged": "Bring <CSI> c </CSI>."}
    items = [
        {"id": "item-1", "culture": "Harland", "fact": "People bring c.", "candidates": [{**candidate, **by}]}
        for by in ({}, {"by": None})
    ]
    for number, item in enumerate(items):
        folder = tmp_path / str(number)
        folder.mkdir()
        files = VoteFiles(
            write_items(folder / "items.jsonl", [item]),
            [write_votes(folder / "choices.csv", both(choice, 1, "c"))],
            [write_votes(folder / "labels.csv", both(labels, 1))],
            [],
        )
        build_corpus(files, folder / "corpus", 2)
        base = pl.read_csv(folder / "corpus" / xcr.BASE_FILE)
        assert base["cultural_context"].to_list() == ["People bring c."], "the fact, where nothing is said"
        (row,) = pl.read_csv(folder / "corpus" / "provenance.csv", infer_schema=False).rows(named=True)
        known = {name: value for name, value in row.items() if value is not None}
        assert known == {
            "id": base["id"].item(),
            "item_id": "item-1",
            "culture": "Harland",
            "fact": "People bring c.",
            "judges_of_sentence": "2",
            "judges_of_labels": "2",
        }


RATED = '{"a": {"accuracy": 5, "fluency": 5}, "b": {"accuracy": 3, "fluency": 4}}'
EVEN = '{"a": {"accuracy": 4}, "b": {"accuracy": 4}}'


@pytest.mark.parametrize(
    ("choices", "found"),
    [
        (both(choice, 1, "c"), "c"),
        ([choice(1, "p1", "a"), choice(1, "p2", "b"), choice(1, "p3", "b")], "b"),
        ([choice(1, "p1", "a", ratings=RATED), choice(1, "p2", "b", ratings=RATED)], "a"),
        (
            [choice(1, "p1", "a", ratings=EVEN), choice(1, "p2", "b", ratings=EVEN)],
            "ratings do not settle it",
        ),
        ([choice(1, "p1", "a"), choice(1, "p2", "b")], "ratings do not settle it"),
        ([choice(1, "p1", "a"), choice(1, "p2", "b"), choice(1, "p3", "c", role="expert")], "c"),
        ([choice(1, "p1", "a")], "1 of 2 judges"),
        (both(choice, 1, "none"), "no sentence good"),
        ([*both(choice, 1, "a"), choice(1, "x", "none", role="expert")], "expert finds no sentence good"),
    ],
)
def test_the_best_sentence(tmp_path: Path, choices: Rows, found: str) -> None:
    built = build(tmp_path, [*choices, *both(choice, 2, "a")], [*both(labels, 1), *both(labels, 2)])
    if len(found) == 1:
        assert built.corpus.base["sentence"][0].startswith(f"Bring 1 {found} ")
    else:
        assert found in built.corpus.left_out["item-1"]


NUMBER, MUGS = "Bring <CSI>1</CSI> a soup mugs tonight.", "Bring 1 a soup <CSI>mugs</CSI> tonight."


@pytest.mark.parametrize(
    ("labelled", "found"),
    [
        (both(labels, 1), ""),
        ([labels(1, "p1"), labels(1, "p2", level="Visible")], "people differ on the level: Semi-visible, " "Visible"),
        ([labels(1, "p1"), labels(1, "p2", level="Visible"), labels(1, "x", level="Invisible", role="expert")], ""),
        ([labels(1, "p1")], "1 of 2 judges have labelled it"),
        (both(labels, 1, tagged=MUGS), ""),
        ([labels(1, "p1", tagged=NUMBER), labels(1, "p2", tagged=MUGS)], "mark different words"),
        (both(labels, 1, tagged="Another <CSI>sentence</CSI>."), "another sentence than the chosen one"),
    ],
)  # fmt: skip
def test_labels_and_marks(tmp_path: Path, labelled: Rows, found: str) -> None:
    built = build(tmp_path, [*both(choice, 1, "a"), *both(choice, 2, "a")], [*labelled, *both(labels, 2)])
    if found:
        assert found in built.corpus.left_out["item-1"]
    else:
        assert "item-1" not in built.corpus.left_out
        tagged = labelled[0].get("tagged", "Bring 1 a <CSI> soup mugs </CSI> tonight.")
        assert built.corpus.base["sentence"][0] == tagged


@pytest.mark.parametrize(("first", "last"), [("p", "q"), ("q", "p")])
def test_of_several_experts_the_last_decides_sentence_labels_and_adaptation(
    tmp_path: Path, first: str, last: str
) -> None:
    said = {"p": ("b", "Visible", "<CSI> jar </CSI>"), "q": ("c", "Invisible", "<CSI> pot </CSI>")}
    choices = [*both(choice, 1, "a"), *(choice(1, who, said[who][0], role="expert") for who in (first, last))]
    labelled = [
        *both(labels, 1),
        *(labels(1, who, level=said[who][1], role="expert") for who in (first, last)),
    ]
    versions = [*both(version, 1), *(version(1, who, said[who][2], role="expert") for who in (first, last))]
    corpus = build(tmp_path, choices, labelled, versions).corpus
    sentence, level, item = said[last]
    assert corpus.base["sentence"][0].startswith(f"Bring 1 {sentence} ")
    assert corpus.base["hall_level"].to_list() == [level]
    assert corpus.adaptations["CN"]["Intra-lingual"].to_list() == [f"Bring {item} tonight."]
    assert corpus.adaptations["CN"]["adapted_by"].to_list() == [last]


def test_agreement_is_of_the_judges_before_experts(tmp_path: Path) -> None:
    levels = [
        ("Visible", "Visible"),
        ("Visible", "Invisible"),
        ("Invisible", "Invisible"),
        ("Semi-visible", "Semi-visible"),
    ]
    labelled = [
        labels(number, judge, level=level)
        for number, pair in enumerate(levels, 1)
        for judge, level in zip(("p1", "p2"), pair, strict=True)
    ]
    labelled.append(labels(2, "x", level="Visible", role="expert"))
    built = build(tmp_path, [row for number in range(1, 5) for row in both(choice, number, "a")], labelled)
    outside = category_kappa(*zip(*levels, strict=True))
    assert (
        built.corpus.agreement["level"].kappa
        == pytest.approx(outside.kappa)
        == pytest.approx(1 - 0.25 / 0.6875)
    )
    assert built.record["agreement"]["level"]["items"] == 4
    assert built.record["agreement"]["category"]["kappa"] is None, (
        "one category alone: chance would agree as well"
    )
    assert built.corpus.base.height == 4


def test_all_adaptations_are_kept_and_an_expert_decides(tmp_path: Path) -> None:
    versions = [
        version(1, "p1", "<CSI> cup </CSI>"),
        version(1, "p2", "<CSI> bowl </CSI>"),
        version(1, "x", "<CSI> jar </CSI>", role="expert"),
        version(2, "p1", "<CSI> cup </CSI>"),
        version(2, "p2", "<CSI> bowl </CSI>"),
        version(3, "p1", "no item", strategies="direct_equivalent", intra="<CSI>a</CSI> and <CSI>b</CSI>"),
    ]
    versions[-1]["inter"] = "<CSI>a</CSI>"
    decided = [row for number in (1, 2, 3) for row in both(choice, number, "a")]
    built = build(tmp_path, decided, [row for number in (1, 2, 3) for row in both(labels, number)], versions)
    rows = built.corpus.adaptations["CN"]
    assert rows["Intra-lingual"].to_list() == [
        "Bring <CSI> jar </CSI> tonight.",
        "Bring <CSI> cup </CSI> tonight.",
    ]
    assert rows["adapted_by"].to_list() == ["x", "p1"]
    assert built.corpus.undecided == {"CN": 1}
    everybody = pl.read_csv(tmp_path / "corpus" / "adaptations_of_everybody.csv")
    assert everybody.height == 5
    assert everybody.filter("chosen")["participant"].to_list() == ["x", "p1"]
    assert "1 items" in built.corpus.left_out["item-3, CN"]


@pytest.mark.parametrize(
    ("choices", "labelled", "versions", "message"),
    [
        ([choice(9, "p1", "a")], [labels(1, "p1")], [], r"choices.csv, row 1: there is no item 'item-9'"),
        ([choice(1, "p1", "d")], [labels(1, "p1")], [], r"row 1: unknown sentence 'd'; valid: a, b, c, none"),
        ([choice(1, "", "a")], [labels(1, "p1")], [], "row 1: names no judge"),
        (
            [choice(1, "p1", "a"), choice(1, "p1", "b")],
            [labels(1, "p1")],
            [],
            "row 2: p1 spoke of item-1 in row 1",
        ),
        ([choice(1, "p1", "a", role="boss")], [labels(1, "p1")], [], "unknown role 'boss'"),
        ([choice(1, "p1", "a", ratings="5")], [labels(1, "p1")], [], "ratings '5' cannot be read"),
        (
            [choice(1, "p1", "a")],
            [labels(1, "p1", level="Deep")],
            [],
            r"labels.csv, row 1: unknown level 'Deep'; valid: Visible",
        ),
        *(
            (
                [choice(1, "p1", "a")],
                [labels(1, "p1", tagged=tagged)],
                [],
                "needs each item between <CSI> and </CSI>, on one line",
            )
            for tagged in (
                "no tags",
                "<CSI> one </CSI> and <CSI> another",
                "<CSI> one </CSI> and </CSI> another",
                "<CSI> one <CSI> and </CSI> another",
                "one <CSI> and\nanother </CSI>",
            )
        ),
        (
            [choice(1, "p1", "a")],
            [labels(1, "p1")],
            [version(1, "p1", culture="KR")],
            "unknown culture 'KR'; a corpus has: ARAB",
        ),
        (
            [choice(1, "p1", "a")],
            [labels(1, "p1")],
            [version(1, "p1", strategies="luck")],
            "unknown strategy 'luck'",
        ),
        (
            [choice(1, "p1", "a")],
            [labels(1, "p1")],
            [version(1, "p1", "untagged")],
            "the version intra needs each item",
        ),
        ([{"item_id": "item-1", "judge": "p1"}], [labels(1, "p1")], [], "no column 'best'"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_row(
    tmp_path: Path, choices: Rows, labelled: Rows, versions: Rows, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        build(tmp_path, choices, labelled, versions)


def test_items_that_are_none_are_named(tmp_path: Path) -> None:
    for content, message in (
        ("{", "row 1: is not JSON"),
        ("{}\n", "row 1: is not an item"),
        ('{"candidates": []}\n', "no id of its own"),
    ):
        (tmp_path / "items.jsonl").write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=message):
            build_corpus(VoteFiles(tmp_path / "items.jsonl", [], []), tmp_path / "corpus")
    write_items(tmp_path / "items.jsonl", [ITEMS[0], ITEMS[0]])
    with pytest.raises(DataError, match=r"row 2: has no id of its own"):
        build_corpus(VoteFiles(tmp_path / "items.jsonl", [], []), tmp_path / "corpus")


def test_where_nothing_is_decided_there_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(
        FolkwaysError, match=r"none of the 6 items is decided \(0 of 2 judges have chosen a sentence: 5"
    ):
        build(tmp_path, [choice(1, "p1", "a")], [labels(1, "p1")])
    assert not (tmp_path / "corpus").exists()


def test_rows_of_a_form_that_nobody_filled_in_are_passed_over(tmp_path: Path) -> None:
    empty = {"item_id": "item-5", "judge": "", "best": ""}
    built = build(tmp_path, [*both(choice, 1, "a"), empty], both(labels, 1))
    assert built.corpus.base.height == 1


def test_the_command_tells_what_came_of_it(tmp_path: Path) -> None:
    choices = [write_votes(tmp_path / f"c{number}.csv", both(choice, number, "a")) for number in (1, 2)]
    labelled = [
        write_votes(tmp_path / "l1.csv", [*both(labels, 1), labels(2, "p1")]),
        write_votes(tmp_path / "l2.csv", [labels(2, "p2", element="Rituals")]),
    ]
    items = write_items(tmp_path / "items.jsonl")
    arguments = [
        "csi-corpus",
        "--items",
        items,
        *(part for path in choices for part in ("--choices", path)),
        *(part for path in labelled for part in ("--labels", path)),
        "--out",
        tmp_path / "corpus",
    ]
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    assert "1 sentence of 6 items" in done.stdout
    assert "element: judges agree on 50 % of 2" in done.stdout
    assert "people differ on the element: Customs, Rituals: 1" in done.stderr
    assert f"wrote {tmp_path / 'corpus' / xcr.BASE_FILE}" in done.stderr


def test_categories_of_ones_own_are_labels_and_others_still_are_not(tmp_path: Path) -> None:
    lists = tmp_path / "lists.toml"
    lists.write_text('categories = ["Ecology", "Gesture"]')
    files = VoteFiles(
        write_items(tmp_path / "items.jsonl"),
        [write_votes(tmp_path / "choices.csv", both(choice, 1, "b"))],
        [write_votes(tmp_path / "labels.csv", both(labels, 1, category="Ecology"))],
        lists=lists,
    )
    build_corpus(files, tmp_path / "corpus")
    written = pl.read_csv(tmp_path / "corpus" / xcr.BASE_FILE)
    assert written.select("csi_category", "hall_level").row(0) == ("Ecology", "Semi-visible")
    for text, message in (
        ('categories = ["Gesture"]', "unknown category 'Ecology'; valid: Gesture"),
        ('levels = ["Deep"]', "unknown category 'Ecology'|unknown level 'Semi-visible'; valid: Deep"),
        ('topics = ["x"]', "has 'topics'; valid: categories, levels, elements"),
        ("elements = []", "elements has to be a list of texts"),
    ):
        lists.write_text(text)
        with pytest.raises(DataError, match=message):
            build_corpus(files, tmp_path / "other")


def test_items_and_contexts_that_people_named_are_written_with_and_nothing_else(tmp_path: Path) -> None:
    facts = tmp_path / "named.csv"
    rows = [
        "culture,fact,source,item,context",
        "Harland,People bring mugs.,https://example.org/1,soup mug,A mug of one's own.",
        "Harland,Nothing special here.,https://example.org/2,,",
        "Harland,Mugs again.,,Soup mug,The same.",
    ]
    facts.write_text("\n".join(rows), encoding="utf-8")
    writer = 'baseline/constant:{"sentence": "She never forgot her <CSI>soup mug</CSI> on a Sunday evening there."}'
    arguments = ["csi", "--facts", facts, "--model", writer, "--by-people", "--out", tmp_path / "csi"]
    arguments += ["-w", tmp_path / "w.db"]
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    assert (done.exit_code, "1 item that people named" in done.output) == (0, True), done.output
    (item,) = map(json.loads, (tmp_path / "csi" / "items.jsonl").read_text().splitlines())
    assert (item["item"], item["context"], item["provenance"]["proposed_by"]) == (
        "soup mug",
        "A mug of one's own.",
        "people",
    )
    assert item["provenance"]["table_row"] == 1 and len(item["candidates"]) == 1
    facts.write_text("\n".join([rows[0], "Harland,Mugs.,,mug,"]), encoding="utf-8")
    with pytest.raises(DataError, match="row 1: has the item 'mug' and no context"):
        CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def test_no_two_sentences_to_choose_from_are_the_same(tmp_path: Path) -> None:
    facts = tmp_path / "named.csv"
    facts.write_text(
        "culture,fact,source,item,context\nHarland,Mugs.,https://example.org/1,soup mug,A mug of one's own.\n"
    )
    sentences = (
        "She never forgot her <CSI>soup mug</CSI> on a Sunday.",
        "Every <CSI>soup mug</CSI> had a name on it.",
        "She never forgot her <CSI> soup mug </CSI> on a Sunday.",
    )
    writers = ["baseline/constant:" + json.dumps({"sentence": sentence}) for sentence in sentences]
    models = [argument for writer in writers for argument in ("--model", writer)]
    arguments = ["csi", "--facts", facts, *models, "--by-people", "--out", tmp_path / "csi"]
    arguments += ["-w", tmp_path / "w.db"]
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (item,) = map(json.loads, (tmp_path / "csi" / "items.jsonl").read_text().splitlines())
    assert sorted(candidate["text"] for candidate in item["candidates"]) == [
        "Every soup mug had a name on it.",
        "She never forgot her soup mug on a Sunday.",
    ]
    assert item["missing"] == {writers[2]: "the sentence that another model wrote too"}
    record = json.loads((tmp_path / "csi" / "csi.build.json").read_text())
    assert record["sentences"] == dict(zip(writers, (1, 1, 0), strict=True))
