"""Items and judgements of the three tasks as whole rows, on the small corpus and on items changed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.xcr import BENCHMARK
from folkways.metrics.spans import exact_spans, hi_csi, si_csi
from folkways.metrics.strings import edit_similarity
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES
from folkways.releases.release_records import Release
from tests.support.xcr_data import write_small_corpus

IDENTIFICATION, PREDICTION, ADAPTATION = BENCHMARK.tasks
FACETS = dict.fromkeys(("category", "hall_level", "element", "prompt_example"), pl.String)
SAID = ("counted", "state", "answer", "reason")


@pytest.fixture(scope="module")
def small_corpus(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_small_corpus(tmp_path_factory.mktemp("xcr"))


def judged(
    task: Task, items: pl.DataFrame, replies: list[str | None], profile: str, state: str = "answered"
) -> pl.DataFrame:
    """A judgement of each reply to the item at its place."""
    rows = [
        ("task", item, "en", "mine", 0, state, reply, "why")
        for item, reply in zip(items["item"], replies, strict=False)
    ]
    return task.judge(items, pl.DataFrame(rows, schema=dict(RESPONSES), orient="row"), profile)


def test_items_in_full(small_corpus: Release) -> None:
    identification, prediction, adaptation = (task.items(small_corpus) for task in BENCHMARK.tasks)
    own = {"intra": pl.String, "inter": pl.String, "swapped": pl.Boolean}
    for items, columns in (
        (identification, {"sentence": pl.String}),
        (prediction, {"sentence": pl.String}),
        (adaptation, own),
    ):
        assert dict(items.schema) == {**ITEMS, **FACETS, **columns}
    told = ("task", "item", "release_id", "question", "culture", "text", "gold", *FACETS)
    name = identification["item"][1]
    facets = ("Social Tradition", "Semi-visible", "Rituals", "not in the prompt")
    tagged = "They keep <CSI> slippers </CSI> by the <CSI> door </CSI>."
    plain, masked = (
        "They keep slippers by the door.",
        "They keep <CSI> [MASK] </CSI> by the <CSI> [MASK] </CSI>.",
    )
    assert identification.select(*told, "sentence").row(1) == (
        *("xcr/identification", name, name, name, "ANGLO", plain, tagged, *facets, tagged),
    )
    assert prediction.select(*told, "sentence").row(1) == (
        *("xcr/prediction", name, name, name, "ANGLO", masked, "slippers | door", *facets, tagged),
    )
    sides = ("They take <CSI> shoes </CSI> off.", "هم <CSI> يخلعون </CSI> الأحذية.")
    row = adaptation.filter(item=f"ARAB/{name}")
    gold = "\n".join(row.select("intra", "inter").row(0))
    assert row.select(*told, "swapped").row(0) == (
        *("xcr/adaptation", f"ARAB/{name}", name, name, "ARAB", tagged, gold, *facets, True),
    )
    assert set(row.select("intra", "inter").row(0)) == set(sides)


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_identification_in_full(small_corpus: Release, profile: str) -> None:
    items = IDENTIFICATION.items(small_corpus).head(4)
    gold = ["<CSI> We </CSI> split the <CSI>\nbill </CSI>.", "a <CSI> b </CSI>", "I ca----", "I c----"]
    items = items.with_columns(
        sentence=pl.Series(gold), text=pl.Series(["We split the bill.", "a b", *gold[2:]])
    )
    replies: list[str | None] = [
        "<CSI> We </CSI> or <CSI> the\nbill </CSI>",
        "I can't: <CSI> b </CSI> <CSI> c </CSI>",
        *["I can't."] * 2,
    ]
    found = judged(IDENTIFICATION, items, replies, profile)
    assert found.select(SAID).rows() == [
        (True, "answered", "We | the\nbill", "tagged 2, gold has 2"),
        (True, "answered", "b | c", "tagged 2, gold has 1"),
        (
            True,
            "answered",
            "",
            "tagged 0, gold has 0",
        ),  # half of it is the sentence, so that it was given back
        (True, "refused", None, "the reply declines to answer"),
    ]
    for row, sentence, reply in zip(found.head(3).iter_rows(named=True), gold, replies, strict=False):
        assert reply is not None
        soft, exact = si_csi(sentence, reply), exact_spans(sentence, reply)
        wanted = (hi_csi(sentence, reply), soft.f1, soft.precision, soft.recall)
        assert tuple(row[name] for name in ("hi_csi", "si_csi", "si_precision", "si_recall")) == wanted
        rest = (exact.precision, exact.recall, exact.f1) if profile == "strict" else (None,) * 3
        assert tuple(row[name] for name in ("precision", "recall", "f1")) == rest
    worst = (*[0.0] * 4, *([0.0] * 3 if profile == "strict" else [None] * 3))
    metrics = [metric.name for metric in IDENTIFICATION.metrics]
    assert found.select(metrics).row(3) == worst
    assert dict(found.schema) == {**JUDGEMENTS, **FACETS, **dict.fromkeys(metrics, pl.Float64)}
    for state in ("failed", "missing", "refused"):
        lost = judged(IDENTIFICATION, items, [None], profile, state)
        assert lost.select(SAID).row(0) == (True, state, None, "why")
        assert lost.select(metrics).row(0) == worst


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_prediction_in_full(small_corpus: Release, profile: str) -> None:
    """Items are read on their line, in gold and in replies."""
    gold = ["<CSI>a\nb</CSI> <CSI> Tea </CSI> <CSI>c</CSI>", "none", "none", "<CSI>a</CSI>", "<CSI>a</CSI>"]
    items = PREDICTION.items(small_corpus).with_columns(sentence=pl.Series(gold))
    replies: list[str | None] = [
        "<CSI>x\ny</CSI> <CSI>tea</CSI> <CSI>d</CSI>",
        "no tag",
        "<CSI>x</CSI>",
        "I can't say",
        " ",
    ]
    found = judged(PREDICTION, items, replies, profile)
    assert found.select(SAID).rows() == [
        (True, "answered", "tea | d", "1 of 2 items equal"),
        (True, "answered", "", "0 of 0 items equal"),
        (True, "answered", "x", "0 of 0 items equal"),
        (True, "refused", None, "the reply declines to answer"),
        (True, "unreadable", None, "an empty reply"),
    ]
    paper = [(1.0, 1.0, 1.0), (0.0, 1.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)]
    strict = [(0.5, 1.0, 2.0), (None, 1.0, 0.0), (None, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)]
    assert found.select("hp_csi", "count_kept", "hp_weight").rows() == (
        paper if profile == "paper" else strict
    )
    assert found["hp_most"].unique().to_list() == [4.0 if profile == "paper" else 1.0]
    numbers = dict.fromkeys(("hp_weight", "hp_most", "hp_csi", "count_kept"), pl.Float64)
    assert dict(found.schema) == {**JUDGEMENTS, **FACETS, **numbers}
    lost = judged(PREDICTION, items, [None] * 5, profile, "missing")
    assert lost["hp_csi"].to_list() == ([0.0] * 5 if profile == "paper" else [0.0, None, None, 0.0, 0.0])
    assert lost["count_kept"].to_list() == [0.0] * 5


def test_pooled_scores_are_hits_over_items_in_every_facet(small_corpus: Release) -> None:
    gold = [
        "<CSI>a</CSI> <CSI>b</CSI> <CSI>c</CSI>",
        "<CSI>a</CSI>",
        "none",
        "<CSI>a</CSI>",
        "<CSI>a</CSI> <CSI>b</CSI>",
    ]
    items = PREDICTION.items(small_corpus).with_columns(sentence=pl.Series(gold))
    found = judged(
        PREDICTION, items, ["<CSI>a</CSI> <CSI>b</CSI>", "<CSI>x</CSI>", "", "<CSI>a</CSI>", "x"], "strict"
    )
    scores = PREDICTION.summarise(found)
    whole = {row["metric"]: row for row in scores.filter(facet="all").iter_rows(named=True)}
    assert whole["hp_csi"]["score"] == pytest.approx(100 * 3 / 7)
    assert whole["hp_csi"]["n"] == 4
    assert whole["count_kept"]["score"] == pytest.approx(100 * 2 / 5)
    for element, mean in (("Rituals", (0 + 1 + 0) / 4), ("Manners", 2 / 3)):
        assert scores.filter(metric="hp_csi", facet="element", value=element)[
            "score"
        ].item() == pytest.approx(100 * mean)
    assert "sp_csi" not in set(scores["metric"])


ATE, PAID, GAVE = "He ate.", "He paid <CSI> all </CSI>.", "دفع <CSI> الجميع </CSI>."


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_adaptation_in_full(small_corpus: Release, profile: str) -> None:
    """Read with another number of items on one side, unreadable, right, and lost."""
    items = ADAPTATION.items(small_corpus).head(4)
    items = items.with_columns(
        intra=pl.Series([PAID] * 4), inter=pl.Series([GAVE] * 4), swapped=pl.lit(False)
    )
    rows = [[PAID, GAVE, "Label"], [ATE, GAVE, "Calquing"], [PAID, ATE, ""]]
    found = judged(ADAPTATION, items, [*map(json.dumps, rows), "He ate."], profile)
    out = "with another number of tagged items than gold, or no version"
    alike, tags = ("as many items tagged as in gold", "0 of 1 items tagged")
    reasons = [
        f"in English: {intra}; in the language: {inter}"
        for intra, inter in ((alike, alike), (tags, alike), (alike, tags))
    ]
    assert found.select(*SAID[:3], "strategy").rows() == [
        (True, "answered", f"{PAID}\n{GAVE}\nLabel", "Label"),
        (True, "answered", f"{ATE}\n{GAVE}\nCalquing", None),
        (True, "answered", f"{PAID}\n{ATE}\n", None),
        (True, "unreadable", None, None),
    ]
    assert found["reason"].to_list()[:3] == reasons
    assert found["left_out"].to_list() == (
        [None, out, out, "unreadable"] if profile == "paper" else [None] * 4
    )
    less = None if profile == "paper" else 0.0
    lost = less
    sent = None if profile == "paper" else pytest.approx(edit_similarity(ATE, PAID))
    other = None if profile == "paper" else pytest.approx(edit_similarity(ATE, GAVE))
    metrics = [
        f"{what}_{side}"
        for what in ("csi_edit", "sent_edit", "exact", "tags_kept")
        for side in ("intra", "inter")
    ]
    metrics += ["non_transferable", "refused_rightly", "adapted_rightly", "format_read"]
    assert found.select(metrics).rows() == [
        (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, None, 1.0, 1.0),
        (less, 1.0, sent, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, None, 1.0, 1.0),
        (1.0, less, 1.0, other, 1.0, 0.0, 1.0, 0.0, 1.0, None, 1.0, 1.0),
        (lost, lost, lost, lost, 0.0, 0.0, 0.0, 0.0, 0.0, None, 0.0, 0.0),
    ]
    assert dict(found.schema) == {
        **{
            **JUDGEMENTS,
            **FACETS,
            "strategy": pl.String,
            "left_out": pl.String,
            **dict.fromkeys(metrics, pl.Float64),
        }
    }
    failed = judged(ADAPTATION, items, [None], profile, "failed")
    assert failed.select(metrics).row(0) == (*[0.0] * 9, None, 0.0, 0.0)
    assert failed.select("left_out", "reason").row(0) == (None, "why")
    refused = judged(ADAPTATION, items, [None], profile, "refused")
    assert refused.select("left_out", "csi_edit_intra").row(0) == (
        ("refused", None) if profile == "paper" else (None, 0.0)
    )


@pytest.mark.parametrize(
    ("swapped", "profile", "right"), [(True, "paper", 0.0), (True, "strict", 1.0), (False, "paper", 1.0)]
)
def test_swapped_gold_stands_as_released_in_paper_alone(
    small_corpus: Release, swapped: bool, profile: str, right: float
) -> None:
    items = ADAPTATION.items(small_corpus).head(1)
    items = items.with_columns(intra=pl.lit(PAID), inter=pl.lit(GAVE), swapped=pl.lit(swapped))
    found = judged(ADAPTATION, items, [json.dumps([PAID, GAVE, "Label"])], profile)
    assert found.select("exact_intra", "exact_inter").row(0) == (right, right)
    turned = judged(ADAPTATION, items, [json.dumps([GAVE, PAID, "Label"])], profile)
    assert turned.select("exact_intra", "exact_inter").row(0) == (1 - right, 1 - right)


def test_both_versions_decide_whether_no_equivalent_was_seen(small_corpus: Release) -> None:
    """Gold calls one version non-transferable: right only where the reply does so of that one alone."""
    items = ADAPTATION.items(small_corpus).head(1)
    items = items.with_columns(intra=pl.lit("Non-transferable"), inter=pl.lit(GAVE), swapped=pl.lit(False))
    for reply, expected in (
        (["Non-transferable", GAVE], (1.0, 1.0, 1.0)),
        (["Non-transferable", "Non-transferable"], (0.0, 1.0, 0.0)),
        ([ATE, GAVE], (0.0, 0.0, 1.0)),
        ([ATE, "Non-transferable"], (0.0, 0.0, 0.0)),
    ):
        found = judged(ADAPTATION, items, [json.dumps([*reply, "Label"])], "strict")
        assert found.select("non_transferable", "refused_rightly", "adapted_rightly").row(0) == expected


def test_prompts_of_every_task_in_full(small_corpus: Release, tmp_path: Path) -> None:
    for task in BENCHMARK.tasks:
        items = task.items(small_corpus).head(2)
        prompts = task.prompts(items, PromptOptions(prompt_texts={"mine": "Do: {sentence}"}), small_corpus)
        assert dict(prompts.schema) == PROMPTS
        assert prompts.drop("choices").rows() == [
            (task.name, item, "en", "mine", None, f"Do: {text}", "file:mine")
            for item, text in items.select("item", "text").iter_rows()
        ]
        assert prompts["choices"].null_count() == 2
