"""What the neural metrics of XCR-Bench compare and leave out, in both profiles, with edit similarity in the
place of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from folkways.benchmarks.xcr import BENCHMARK
from folkways.benchmarks.xcr.adaptation import ENGLISH_BASELINE
from folkways.benchmarks.xcr.tasks import XcrTask
from folkways.errors import UnknownNameError
from folkways.metrics.strings import edit_similarity
from folkways.records import RESPONSES
from folkways.releases.release_records import Release
from folkways.runs.scores.signature import model_versions

BERT = ("csi_bert_intra", "csi_bert_inter", "sent_bert_intra", "sent_bert_inter")
MULTI = ("csi_bert_multi", "sent_bert_multi")


class Edits:
    """Compares by edit similarity and remembers what it was asked."""

    name = "edits#1"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def compare(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        self.asked += pairs
        return np.array([edit_similarity(one, other) for one, other in pairs])


def task(name: str) -> XcrTask:
    found = next(one for one in BENCHMARK.tasks if one.name == f"xcr/{name}")
    assert isinstance(found, XcrTask)
    return found


def judged(
    chosen: XcrTask, release: Release, replies: Sequence[str | None], profile: str, state: str = "answered"
) -> pl.DataFrame:
    items = chosen.items(release)
    rows = [
        {
            "task": chosen.name,
            "item": item,
            "language": "en",
            "variant": "authors",
            "sample": 0,
            "state": state,
            "response": reply,
        }
        for item, reply in zip(items["item"], replies, strict=False)
    ]
    return chosen.judge(items, pl.DataFrame(rows, schema=dict(RESPONSES)), profile)


def test_sp_adds_what_differs_to_what_is_equal(small_corpus: Release) -> None:
    model = Edits()
    chosen = task("prediction").with_tools(models={"embedding": model})
    replies = [
        "<CSI> BILL </CSI>",
        "<CSI> slippers </CSI> <CSI> dour </CSI> <CSI> x </CSI>",
        "no tags",
        "<CSI>bills</CSI>",
        "<CSI> x </CSI>",
    ]
    paper, strict = (judged(chosen, small_corpus, replies, profile) for profile in ("paper", "strict"))
    assert paper["sp_csi"].to_list() == pytest.approx([1, 1.75, 0, 0.8, 0])
    assert strict["sp_csi"].to_list()[:4] == pytest.approx([1, 1.75 / 2, 0, 0.8])
    assert strict["sp_csi"][4] is None  # no gold item
    assert model.asked == [("dour", "door"), ("bills", "bill")] * 2
    scores = {
        name: chosen.summarise(found).filter(facet="all", metric="sp_csi")
        for name, found in (("paper", paper), ("strict", strict))
    }
    assert (scores["paper"]["score"].item(), scores["paper"]["n"].item()) == (
        pytest.approx(100 * 3.55 / 5),
        5,
    )
    assert scores["strict"]["score"].item() == pytest.approx(
        100 * 3.55 / 5
    )  # over five gold items, not five sentences
    assert scores["strict"]["n"].item() == 4


def test_each_distinct_pair_is_compared_once(small_corpus: Release) -> None:
    model = Edits()
    judged(
        task("prediction").with_tools(models={"embedding": model}),
        small_corpus,
        ["<CSI> tab </CSI>"] * 5,
        "paper",
    )
    assert sorted(model.asked) == sorted({("tab", "bill"), ("tab", "slippers"), ("tab", "quiz night")})


def test_only_english_is_rescaled_in_paper_and_nothing_in_strict(small_corpus: Release) -> None:
    chosen = task("adaptation").with_tools(models={"bert-en": Edits(), "bert-ar": Edits()})
    items = chosen.items(small_corpus)
    place = next(
        number for number, intra in enumerate(items["intra"]) if intra == "He paid <CSI> for all </CSI>."
    )
    reply = json.dumps(["He paid <CSI> for most </CSI>.", "دفع <CSI> عن الجميع </CSI>.", "Label"])
    raw = edit_similarity("for most", "for all")
    for profile, intra in (("paper", (raw - ENGLISH_BASELINE) / (1 - ENGLISH_BASELINE)), ("strict", raw)):
        row = (
            judged(chosen, small_corpus, [None] * place + [reply], profile).row(place, named=True)
            if place == 0
            else None
        )
        found = judged(chosen, small_corpus, [reply] * (place + 1), profile).row(place, named=True)
        assert row is None or row == found
        assert found["csi_bert_intra"] == pytest.approx(intra)
        assert found["csi_bert_inter"] == pytest.approx(1)
        assert found["sent_bert_inter"] == pytest.approx(1)
        assert found["csi_edit_intra"] == pytest.approx(raw)


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_counts_labels_and_missing_versions(profile: str, small_corpus: Release) -> None:
    chosen = task("adaptation").with_tools(
        models={"bert-en": Edits(), "bert-ar": Edits(), "bert-zh": Edits()}
    )
    items = chosen.items(small_corpus)
    paper = profile == "paper"
    wanted = [
        number
        for number, culture in enumerate(items["culture"])
        if culture == "ARAB" and items["intra"][number].count("<CSI>") == 1
    ]
    refused = json.dumps(["Non-transferable", "Non-transferrable", ""])
    rows = judged(chosen, small_corpus, [refused] * items.height, profile)
    for number in wanted:  # called impossible where gold has an item: its item is missing
        assert rows["csi_bert_intra"][number] == (None if paper else 0.0)
        assert rows["sent_bert_intra"][number] == (None if paper else 0.0)
    impossible = items["intra"].str.starts_with("Non").arg_true().to_list()
    assert impossible
    for number in impossible:  # rightly so: the authors' code gives 0 for items, and compares the labels
        assert rows["csi_bert_intra"][number] == (0.0 if paper else None)
        assert (rows["sent_bert_intra"][number] is None) == (not paper)
    for state, left_out in (("refused", paper), ("failed", False), ("missing", False)):
        lost = judged(chosen, small_corpus, [None] * items.height, profile, state)
        assert {lost[metric][wanted[0]] for metric in BERT} == ({None} if left_out else {0.0})


def test_a_metric_without_its_model_is_absent_and_of_some_cultures_only_where_they_have_one(
    small_corpus: Release,
) -> None:
    for name in ("prediction", "adaptation"):
        chosen = task(name)
        assert model_versions(chosen) == {"models": "none"}
        asked = {metric for role in chosen.scoring.models for metric in role.metrics}
        assert asked == ({"sp_csi"} if name == "prediction" else {*BERT, *MULTI})
        assert not asked & set(judged(chosen, small_corpus, ["<CSI> x </CSI>"], "paper").columns)
    only_arabic = task("adaptation").with_tools(models={"bert-ar": Edits()})
    used = {
        "bert-en": "none",
        "bert-ar": "edits#1",
        "bert-bn": "none",
        "bert-zh": "none",
        "bert-multi": "none",
    }
    assert model_versions(only_arabic) == {f"model-{role}": model for role, model in used.items()}
    assert not task("adaptation").tools.models  # a copy has the models, and the benchmark's task none
    items = only_arabic.items(small_corpus)
    copies = [json.dumps(pair) for pair in items.select("intra", "inter").iter_rows()]
    for found in (
        judged(only_arabic, small_corpus, copies, "strict"),
        judged(only_arabic, small_corpus, [None] * items.height, "strict", "failed"),
    ):
        assert "csi_bert_intra" not in found.columns
        by_culture = dict(found.group_by("culture").agg(pl.col("sent_bert_inter").count()).iter_rows())
        assert by_culture["ARAB"] > by_culture["CN"] == 0


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_one_model_of_all_languages_stands_beside_those_of_each(profile: str, small_corpus: Release) -> None:
    """It compares what these compare, for every culture, and nothing of it is rescaled."""
    chosen = task("adaptation").with_tools(models={"bert-multi": Edits(), "bert-ar": Edits()})
    items = chosen.items(small_corpus)
    replies = [
        json.dumps([intra, f"{inter} <CSI> more </CSI>" if number % 3 == 0 else inter[:-1]])
        for number, (intra, inter) in enumerate(items.select("intra", "inter").iter_rows())
    ]
    for rows in (
        judged(chosen, small_corpus, replies, profile),
        judged(chosen, small_corpus, [None] * items.height, profile, "failed"),
    ):
        for metric in ("csi", "sent"):
            multi = rows[f"{metric}_bert_multi"]
            assert multi.to_list() == rows[f"{metric}_edit_inter"].to_list()
            arabic = rows.filter(pl.col("culture") == "ARAB")
            assert arabic[f"{metric}_bert_inter"].to_list() == arabic[f"{metric}_bert_multi"].to_list()
            assert rows.filter(pl.col("culture") == "CN")[f"{metric}_bert_multi"].count() > 0
        assert not {"csi_bert_intra", "sent_bert_intra"} & set(rows.columns)


def test_a_role_that_the_task_has_not_is_named() -> None:
    with pytest.raises(UnknownNameError, match="valid: embedding"):
        task("prediction").with_tools(models={"bert-en": Edits()})
    with pytest.raises(UnknownNameError, match=r"valid: \(none\)"):
        task("identification").with_tools(models={"embedding": Edits()})
