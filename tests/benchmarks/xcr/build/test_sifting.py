"""Sifting facts: what is left out and why, repeats, clusters, all formats, and files that cannot be read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways import text_tables
from folkways.benchmarks.xcr.build import items
from folkways.benchmarks.xcr.build.fact_filter import (
    KEPT_FILE,
    LEFT_OUT_FILE,
    MIDDLES_FILE,
    MOST,
    PERMUTATIONS,
    Clusters,
    filter_culture,
    filter_facts,
    learnt_from,
    repeated,
    signatures,
)
from folkways.benchmarks.xcr.build.facts import (
    ALIKE,
    KEPT,
    SAME,
    FactRules,
    fact_id,
    read_facts,
    representatives,
    spread,
)
from folkways.benchmarks.xcr.build.facts import FACTS as FACT_COLUMNS
from folkways.errors import DataError, FolkwaysError
from folkways.files import write_bytes
from folkways.runs.building import BuildStopped, build
from perf.facts.synthetic import Plan, write
from tests.support.csi_facts import FACTS, write_facts


def left_out(folder: Path) -> dict[int, tuple[str, int | None]]:
    table = pl.read_csv(
        folder / LEFT_OUT_FILE, schema={"row": pl.Int64, "reason": pl.String, "like_row": pl.Int64}
    )
    return {row: (reason, like) for row, reason, like in table.iter_rows()}


def test_facts_of_a_build_that_was_cut_off_serve_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build by other rules ends before it has noted by which its facts were chosen."""
    facts, out = write_facts(tmp_path / "facts.csv", FACTS), tmp_path / "csi"
    said = {
        "items": [{"item": "soup mug", "context": "Own."}],
        "sentence": "The <CSI>soup mug</CSI> was all.",
    }
    options = {"facts": facts, "writers": [f"baseline/constant:{json.dumps(said)}"], "out": out}

    def built(limit: int) -> list[str]:
        build("csi", {**options, "limit": limit}, workspace=tmp_path / "w.db")
        return pl.read_parquet(out / items.CHOSEN_FILE)["id"].to_list()

    def ended(path: Path, content: bytes) -> Path:
        if path.name == items.SIFTED_FILE:
            raise KeyboardInterrupt
        return write_bytes(path, content)

    first = built(1)
    monkeypatch.setattr(items, "write_bytes", ended)
    with pytest.raises(BuildStopped):
        built(2)
    monkeypatch.undo()
    assert built(1) == first and len(built(2)) > len(first)


def test_every_row_is_kept_or_named_with_its_reason(tmp_path: Path) -> None:
    rows = [
        *FACTS,
        ("Harland", "", "https://example.org"),
        ("", "A fact without a culture stands here.", "https://example.org"),
        ("Harland", "People there wear green hats on Sundays.", "a book"),
        ("Harland", "Too short here.", "https://example.org"),
        ("Harland", " ".join(["long"] * 61), "https://example.org"),
        ("Harland", FACTS[0][1].upper() + "!", "https://example.org/again"),
        ("Ostery", FACTS[0][1], "https://example.org/of-another-culture"),
        ("Elsewhere", "In Elsewhere nobody was asked about this.", "https://example.org"),
    ]
    table = write_facts(tmp_path / "facts.csv", rows)
    found = filter_facts(table, tmp_path / "out", FactRules(cultures=frozenset(["Harland", "Ostery", ""])))
    assert left_out(tmp_path / "out") == {
        6: ("no fact", None),
        7: ("no culture", None),
        8: ("no address as its source", None),
        9: ("fewer than 4 words", None),
        10: ("more than 60 words", None),
        11: (SAME, 1),
        13: ("another culture", None),
    }
    kept = pl.read_parquet(tmp_path / "out" / KEPT_FILE)
    assert dict(kept.schema) == KEPT
    assert sorted(kept["row"]) == [1, 2, 3, 4, 5, 12], "a fact of another culture is another fact"
    assert found.rows == len(rows) == kept.height + sum(found.left_out.values())
    assert found.cultures == {"Harland": 3, "Ostery": 3}
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")] == []


def test_texts_are_kept_letter_for_letter_but_for_spaces(tmp_path: Path) -> None:
    odd = [
        'Say "good, morning" to =cats; 🐈 answers\tpolitely.',
        "'She' said:\n\n the “tea” is, \\n, ready",
        "茶は朝に家族みんなで飲みます。",
    ]
    table = write_facts(
        tmp_path / "facts.csv", [("Ostery, the", fact, "https://example.org/?a=1,2") for fact in odd]
    )
    killed = tmp_path / "out" / ".facts" / "000000"
    killed.mkdir(parents=True)
    (killed / "000000.piece").write_bytes(b"cut off")
    filter_facts(table, tmp_path / "out", FactRules())
    assert not killed.parent.exists()
    kept = pl.read_parquet(tmp_path / "out" / KEPT_FILE).sort("row")
    assert kept["fact"].to_list() == [" ".join(fact.split()) for fact in odd]
    assert set(kept["culture"]) == {"Ostery, the"}


@pytest.mark.parametrize("facts", [1500, pytest.param(6000, marks=pytest.mark.nightly)])
def test_planted_repeats_are_found_and_little_else(tmp_path: Path, facts: int) -> None:
    table = tmp_path / "facts.csv"
    write(table, Plan(facts=facts, cultures=5, seed=3))
    found = filter_facts(table, tmp_path / "out", FactRules())
    planted = pl.read_csv(table, infer_schema=False).with_row_index("row", 1).fill_null("")
    kinds = dict(planted.select("row", "kind").iter_rows())
    out = left_out(tmp_path / "out")
    for kind in ("same", "alike"):
        rows = [row for row, planted_kind in kinds.items() if planted_kind == kind]
        assert len(rows) > facts / 30
        assert np.mean([out.get(row, ("",))[0] in (SAME, ALIKE) for row in rows]) > 0.98, kind
    spurious = [row for row, (reason, _) in out.items() if reason in (SAME, ALIKE) and kinds[row] == ""]
    assert len(spurious) < facts / 300
    assert all(like is None or like < row for row, (_, like) in out.items())
    assert found.kept == facts - len(out)


def test_of_a_culture_only_what_is_read_again_stays_on_the_disk(tmp_path: Path) -> None:
    facts = [(number, *fact) for number, fact in enumerate(FACTS[:3], 1)]
    facts.insert(1, (7, "Harland", FACTS[0][1].upper(), "https://example.org"))
    file, folder = tmp_path / "harland.csv", tmp_path / "harland"
    pl.DataFrame(facts, FACT_COLUMNS, orient="row").write_csv(file, include_header=False)
    folder.mkdir()
    report = filter_culture("Harland", file, folder, FactRules(cluster_size=1), limit=2)
    assert {path.name for path in folder.iterdir()} == {KEPT_FILE, LEFT_OUT_FILE, MIDDLES_FILE}
    assert pl.read_parquet(folder / KEPT_FILE)["row"].to_list() == [1, 2, 3]
    assert (folder / LEFT_OUT_FILE).read_text() == f"7,{SAME},1\n"
    assert pl.read_parquet(folder / MIDDLES_FILE).height == 2
    assert (report.kept, report.clusters, report.left_out) == (3, 3, {SAME: 1})


def test_limit_takes_one_fact_per_cluster_in_turn_from_each_culture(tmp_path: Path) -> None:
    table = write_facts(tmp_path / "facts.csv")
    found = filter_facts(table, tmp_path / "out", FactRules(cluster_size=1), limit=3)
    assert found.chosen["culture"].to_list() == ["Harland", "Ostery", "Harland"]
    everything = filter_facts(table, tmp_path / "all", FactRules(cluster_size=1)).chosen
    assert everything.height == everything.select("culture", "cluster").n_unique()


def test_the_order_of_the_table_makes_no_difference_to_ids(tmp_path: Path) -> None:
    forth = filter_facts(write_facts(tmp_path / "a.csv"), tmp_path / "a", FactRules())
    back = filter_facts(write_facts(tmp_path / "b.csv", FACTS[::-1]), tmp_path / "b", FactRules())
    assert forth.kept == back.kept == len(FACTS)
    ids = [set(pl.read_parquet(tmp_path / name / KEPT_FILE)["id"]) for name in ("a", "b")]
    assert ids[0] == ids[1]


def test_all_formats_give_the_same_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_tables, "BATCH", 2)  # so that five rows are three batches
    frame = pl.DataFrame(FACTS, schema=["culture", "fact", "source"], orient="row")
    frame.write_csv(tmp_path / "facts.csv")
    frame.write_csv(tmp_path / "facts.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "facts.jsonl")
    frame.with_columns(more=1).write_parquet(tmp_path / "facts.parquet")
    tables = [pl.concat(read_facts(path)) for path in sorted(tmp_path.glob("facts.*"))]
    assert len(tables) == 4
    assert tables[0]["row"].to_list() == [1, 2, 3, 4, 5]
    assert all(table.equals(tables[0]) for table in tables)


def test_candles_export_and_a_table_of_pages_are_read_as_they_are(tmp_path: Path) -> None:
    fact, address = "People bring their own mug to the hall.", "https://example.org/1"
    line = {
        "id": "1",
        "subject": "Harland",
        "domain": "countries",
        "rep": fact,
        "size": 2,
        "combined_score": 0.5,
        "sentences": [
            {"text": "They bring mugs.", "url": address},
            {"text": "Mugs!", "url": "https://example.org/2"},
        ],
    }
    (tmp_path / "candle.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "sentences": []}))
    (tmp_path / "atlas.csv").write_text(f"country,section,text,url\nHarland,Manners,{fact},{address}\n")
    candle = pl.concat(read_facts(tmp_path / "candle.jsonl"))
    assert candle.rows() == [(1, "Harland", fact, address), (2, "Harland", fact, None)]
    assert pl.concat(read_facts(tmp_path / "atlas.csv")).rows() == candle.rows()[:1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("facts.csv", "culture,fact\nA,b\n", "no column 'source'"),
        ("facts.csv", "culture,fact,source\nA,b,c\nA,b\n", r"row 2: has 2 cells"),
        ("facts.jsonl", '{"culture": "A", "fact": "b", "source": "c"}\n{', r"row 2: is not JSON"),
        ("facts.jsonl", "[1]\n", r"row 1: is not a JSON object"),
        ("facts.parquet", "no", "not readable as Parquet"),
        ("facts.xlsx", "", "cannot tell the format"),
    ],
)
def test_a_table_that_cannot_be_read_is_named_with_its_row(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(FolkwaysError, match=message):
        filter_facts(tmp_path / name, tmp_path / "out", FactRules())


def test_other_encodings_and_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_bytes("culture,fact,source\né,b,c\n".encode("latin-1"))
    with pytest.raises(DataError, match="UTF-8"):
        filter_facts(tmp_path / "facts.csv", tmp_path / "out", FactRules())
    with pytest.raises(FolkwaysError, match="does not exist"):
        filter_facts(tmp_path / "nowhere.csv", tmp_path / "out", FactRules())


def test_where_nothing_is_fit_the_reasons_are_told(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="fewer than 4 words: 1"):
        filter_facts(
            write_facts(tmp_path / "facts.csv", [("A", "Too short.", "https://e.org")]),
            tmp_path / "out",
            FactRules(),
        )


@pytest.mark.parametrize(
    "wrong", [{"least": 9, "most": 4}, {"similarity": 0.0}, {"similarity": 1.5}, {"cluster_size": 0}]
)
def test_rules_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(FolkwaysError):
        FactRules(**wrong)  # type: ignore[arg-type]


def jaccard(one: list[str], other: list[str]) -> float:
    return len(set(one) & set(other)) / len(set(one) | set(other))


def test_near_duplicates_are_those_of_a_comparison_of_all_pairs() -> None:
    draw = random.Random(4)
    vocabulary = [f"w{number}" for number in range(300)]
    texts = [draw.sample(vocabulary, 25) for _ in range(80)]
    texts += [
        [*text[:changed], *draw.sample(vocabulary, 25 - changed)]
        for text in texts[:40]
        for changed in (24, 12)
    ]
    like = repeated(signatures(pl.Series(texts)), 0.7)
    for place, text in enumerate(texts):
        nearest = max((jaccard(text, earlier) for earlier in texts[:place]), default=0.0)
        if nearest > 0.85:
            assert like[place] >= 0
        if nearest < 0.5:
            assert like[place] == -1


@pytest.mark.parametrize("before", [0, 2])
def test_a_fact_that_repeats_a_repeated_one_repeats_the_first(before: int) -> None:
    """Three neighbours share 70 % of their signatures, the first and the last 40 %."""
    found = np.arange(1, before + 4, dtype=np.uint16)[:, None].repeat(PERMUTATIONS, axis=1)
    third = round(0.3 * PERMUTATIONS)
    found[before:, third:-third] = 0
    found[before : before + 2, :third] = 0
    found[before + 1 :, -third:] = 0
    assert repeated(found, 0.6).tolist() == [-1] * before + [-1, before, before]


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=1, max_size=25))
@settings(max_examples=50)
def test_what_a_fact_repeats_is_itself_kept(texts: list[list[str]]) -> None:
    like = repeated(signatures(pl.Series(texts, dtype=pl.List(pl.String))), 0.9)
    assert all(
        earlier == -1 or (earlier < place and like[earlier] == -1) for place, earlier in enumerate(like)
    )
    seen: set[frozenset[str]] = set()
    for place, text in enumerate(texts):
        assert (like[place] >= 0) >= (frozenset(text) in seen), "equal sets are always found"
        seen.add(frozenset(text))


def test_clusters_bring_facts_about_the_same_together_and_are_the_same_again() -> None:
    draw = random.Random(1)
    themes = [[f"{theme}{number}" for number in range(30)] for theme in ("bread", "dance", "grave", "school")]
    texts = [[*draw.sample(theme, 8), "the", "in", "a"] for _ in range(60) for theme in themes]
    labels, distances = Clusters(pl.Series(texts), 4).sort(pl.Series(texts))
    again, _ = Clusters(pl.Series(texts), 4).sort(pl.Series(texts))
    assert (labels == again).all()
    assert distances.min() >= 0
    assert distances.max() <= 2
    assert len(set(labels)) > 1
    together = [np.bincount(labels[theme::4]).max() / 60 for theme in range(4)]
    assert np.mean(together) > 0.6


def test_few_facts_are_one_cluster() -> None:
    words = pl.Series([["a", "b"], ["c"]])
    labels, distances = Clusters(words, learnt_from(2, 20)[0]).sort(words)
    assert labels.tolist() == [0, 0]
    assert distances.tolist() == [0, 0]


def test_there_are_no_more_clusters_than_memory_is_for() -> None:
    count, drawn = learnt_from(10**6, 20)
    assert count == MOST
    assert len(set(drawn.tolist())) == 10 * MOST
    assert (np.diff(drawn) > 0).all()
    assert learnt_from(50, 20)[0] == 3


def test_representatives_are_in_the_middle_and_count_sources() -> None:
    rows = [
        ("f1", 1, "A", "x", "https://a", 0, 2, 0.9),
        ("f2", 2, "A", "y", "https://b", 0, 2, 0.1),
        ("f3", 3, "A", "z", "https://a", 1, 1, 0.0),
    ]
    found = representatives(pl.LazyFrame(rows, schema=dict(KEPT), orient="row")).collect()
    assert found.select("id", "source", "sources").rows() == [("f2", "https://b", 2), ("f3", "https://a", 1)]
    assert spread(found, 1)["id"].to_list() == ["f2"]


def test_ids_do_not_change() -> None:
    assert fact_id("Harland", "a b c") == "fact-8b5cc5a94e0f" != fact_id("Ostery", "a b c")
