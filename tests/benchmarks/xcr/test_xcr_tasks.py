"""The XCR-Bench tasks from items to scores: the authors' figures on their own files, and what each profile
makes of hard cases."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.xcr import BENCHMARK
from folkways.benchmarks.xcr.adaptation import ENGLISH_BASELINE
from folkways.benchmarks.xcr.tasks import MOST_ITEMS
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, require_columns
from folkways.releases.release_records import Release

IDENTIFICATION, PREDICTION, ADAPTATION = BENCHMARK.tasks


@pytest.fixture(scope="module")
def released_items(released_corpus: Release) -> dict[str, pl.DataFrame]:
    """The items of each task, by its name."""
    return {task.name: task.items(released_corpus) for task in BENCHMARK.tasks}


@pytest.fixture(scope="session")
def systems(xcr_systems: Path) -> Path:
    return xcr_systems / "inputs"


def responses(
    task: Task, items: Sequence[str], replies: Sequence[str | None], state: str = "answered"
) -> pl.DataFrame:
    rows = [
        {
            "task": task.name,
            "item": item,
            "language": "en",
            "variant": "authors",
            "sample": 0,
            "state": state,
            "response": reply,
        }
        for item, reply in zip(items, replies, strict=True)
    ]
    return pl.DataFrame(rows, schema=dict(RESPONSES))


def judged(
    task: Task, release: Release, replies: Sequence[str], profile: str, culture: str | None = None
) -> list[dict[str, object]]:
    items = task.items(release)
    items = items.filter(pl.col("culture") == culture) if culture else items
    found = task.judge(items, responses(task, items["item"].to_list()[: len(replies)], replies), profile)
    require_columns(found, JUDGEMENTS, "judgements")
    return found.to_dicts()


def overall(task: Task, judgements: pl.DataFrame) -> dict[str, tuple[float, int]]:
    scores = task.summarise(judgements).filter(pl.col("facet") == "all")
    return {
        metric: (score, n)
        for metric, score, n in scores.select("metric", "score", pl.col("n") - pl.col("left_out")).iter_rows()
    }


def judge_authors_file(
    task: Task, items: pl.DataFrame, path: Path, profile: str, culture: str | None = None
) -> pl.DataFrame:
    found = task.from_authors(pl.read_csv(path, infer_schema=False))
    assert found is not None
    ids = (
        found["item"]
        if "item" in found.columns
        else f"{culture or found['culture'][0]}/" + found["release_id"]
    )
    states = [reply if reply is None else "answered" for reply in found["response"]]
    table = responses(task, ids.to_list(), found["response"].to_list()).with_columns(
        state=pl.Series(states).fill_null("missing")
    )
    return task.judge(items, table, profile)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "folder", "system", "figures"),
    [
        (IDENTIFICATION, "identification", "id_gold", ("hi_csi", "si_csi")),
        (IDENTIFICATION, "identification", "id_mixA", ("hi_csi", "si_csi")),
        (IDENTIFICATION, "identification", "id_adversarial", ("hi_csi", "si_csi")),
        (PREDICTION, "prediction", "pr_gold", ("hp_csi",)),
        (PREDICTION, "prediction", "pr_mixA", ("hp_csi",)),
        (PREDICTION, "prediction", "pr_adversarial", ("hp_csi",)),
    ],
)
def test_paper_profile_gives_the_authors_overall_figures(
    task: Task,
    folder: str,
    system: str,
    figures: tuple[str, ...],
    released_items: dict[str, pl.DataFrame],
    systems: Path,
    shared: Path,
) -> None:
    with (shared / "parity" / "xcr" / "expected" / "overall.csv").open(newline="") as file:
        wanted = {
            row["metric"].lower().replace("-", "_"): row
            for row in csv.DictReader(file)
            if row["system"] == system
        }
    file = systems / folder / f"{system}.csv"
    scores = overall(task, judge_authors_file(task, released_items[task.name], file, "paper"))
    for figure in figures:
        score, n = scores[figure]
        assert score == pytest.approx(float(wanted[figure]["overall"]), abs=1e-10)
        assert n == int(wanted[figure]["n_scored"])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("system", "culture", "against"),
    [
        pytest.param("arabic_gold", None, "arabic_gold", marks=pytest.mark.nightly),
        ("chinese_mixA", None, "chinese_mixA"),
        pytest.param("bengali_mixA", "IN-WB", "bengali_mixA__vs_wb", marks=pytest.mark.nightly),
        ("bengali_mixA", "BD", "bengali_mixA__vs_bd"),
    ],
)
def test_paper_profile_scores_the_adaptations_that_the_authors_code_scores(
    system: str,
    culture: str | None,
    against: str,
    released_items: dict[str, pl.DataFrame],
    systems: Path,
    shared: Path,
) -> None:
    with (shared / "parity" / "xcr" / "expected" / "overall.csv").open(newline="") as file:
        wanted = {
            row["metric"]: int(row["n_scored"]) for row in csv.DictReader(file) if row["system"] == against
        }
    items = released_items[ADAPTATION.name]
    found = judge_authors_file(ADAPTATION, items, systems / "adaptation" / f"{system}.csv", "paper", culture)
    scores = overall(ADAPTATION, found)
    assert scores["csi_edit_intra"][1] == scores["sent_edit_intra"][1] == wanted["csi_bert_intra"]
    assert scores["csi_edit_inter"][1] == scores["sent_edit_inter"][1] == wanted["csi_bert_inter"]


@pytest.mark.shared
def test_a_copy_of_gold_loses_in_paper_what_strict_gives_it(released_items: dict[str, pl.DataFrame]) -> None:
    def scores_of_a_copy(items: pl.DataFrame, profile: str) -> pl.DataFrame:
        rows = items.select("intra", "inter", "swapped").iter_rows()
        versions = [
            (inter, intra) if swapped and profile == "paper" else (intra, inter)
            for intra, inter, swapped in rows
        ]
        copies = [json.dumps([*pair, "Label"], ensure_ascii=False) for pair in versions]
        table = responses(ADAPTATION, items["item"].to_list(), copies)
        return ADAPTATION.summarise(ADAPTATION.judge(items, table, profile))

    items = released_items[ADAPTATION.name]
    paper, strict = scores_of_a_copy(items, "paper"), scores_of_a_copy(items.gather_every(5), "strict")

    def by_culture(scores: pl.DataFrame, metric: str) -> dict[str, float]:
        chosen = scores.filter((pl.col("facet") == "culture") & (pl.col("metric") == metric))
        return dict(chosen.select("value", "score").iter_rows())

    published = {"ARAB": 93.8, "CN": 98.5, "IN-WB": 92.6, "BD": 89.9}
    for culture, score in by_culture(paper, "csi_edit_intra").items():
        assert score == pytest.approx(published[culture], abs=0.1)
    assert min(by_culture(strict, "csi_edit_intra").values()) > 99.9
    assert set(by_culture(strict, "non_transferable").values()) == {100.0}


@pytest.mark.shared
def test_items_of_the_real_corpus(released_items: dict[str, pl.DataFrame]) -> None:
    for task, count in zip(BENCHMARK.tasks, (1034, 1034, 4136), strict=True):
        items = require_columns(released_items[task.name], ITEMS, "items")
        assert items.height == items["item"].n_unique() == count
        assert items.select(*task.facets).null_count().sum_horizontal().sum() == 0
    assert "<" not in "".join(released_items[IDENTIFICATION.name]["text"])
    prompts = released_items[PREDICTION.name]["text"].str.count_matches(r"\[MASK\]", literal=False)
    assert prompts.sum() == 1201


@pytest.mark.shared
def test_authors_prompts_end_in_the_sentence_and_name_one_culture(
    released_corpus: Release, released_items: dict[str, pl.DataFrame]
) -> None:
    for task in BENCHMARK.tasks:
        items = released_items[task.name]
        prompts = require_columns(task.prompts(items, PromptOptions(), released_corpus), PROMPTS, "prompts")
        assert prompts["item"].to_list() == items["item"].to_list()
        assert set(prompts["prompt_source"]) == {"release"}
        assert all(user.endswith(text) for user, text in zip(prompts["user"], items["text"], strict=True))
    chinese = prompts.filter(pl.col("item").str.starts_with("CN/"))["user"][0]
    assert "Chinese" in chinese
    assert "Bengali" not in chinese
    assert "Arabic" not in chinese
    assert "linguistic accuracy" in chinese
    assert "[Intra-lingual adaptation, Inter-lingual adaptation, Adaptation method used]" in chinese


def test_without_the_authors_prompts_ours_are_used_and_theirs_cannot_be_asked_for(
    small_corpus: Release,
) -> None:
    items = IDENTIFICATION.items(small_corpus)
    prompts = IDENTIFICATION.prompts(items, PromptOptions(), small_corpus)
    assert set(prompts["prompt_source"]) == set(prompts["variant"]) == {"folkways"}
    with pytest.raises(FolkwaysError, match="does not contain the authors' prompts"):
        IDENTIFICATION.prompts(items, PromptOptions(variants=("authors",)), small_corpus)
    with pytest.raises(UnknownNameError, match="valid: all, authors, folkways"):
        IDENTIFICATION.prompts(items, PromptOptions(variants=("poem",)), small_corpus)


def test_texts_brought_by_the_user_are_used_and_must_have_a_place_for_the_sentence(
    small_corpus: Release,
) -> None:
    items = ADAPTATION.items(small_corpus)
    own = PromptOptions(prompt_texts={"short": "For {people}, in {language}: {sentence} {{unknown}}"})
    prompts = ADAPTATION.prompts(items, own, small_corpus)
    assert prompts["user"][0].startswith("For people in the Arab world, in Modern Standard Arabic: ")
    assert prompts["user"][0].endswith("{unknown}")
    assert set(prompts["prompt_source"]) == {"file:short"}
    with pytest.raises(FolkwaysError, match=r"write \{sentence\}"):
        ADAPTATION.prompts(items, PromptOptions(prompt_texts={"short": "no place"}), small_corpus)


def test_languages_other_than_english_are_not_asked(small_corpus: Release) -> None:
    items = PREDICTION.items(small_corpus)
    assert PREDICTION.prompts(items, PromptOptions(languages=("ko",)), small_corpus).is_empty()
    assert PREDICTION.prompts(items, PromptOptions(languages=("local",)), small_corpus).height == items.height


def test_only_the_cultures_of_the_release_are_asked_about(small_corpus: Release) -> None:
    assert ADAPTATION.items(small_corpus)["culture"].unique(maintain_order=True).to_list() == ["ARAB", "CN"]


@pytest.mark.parametrize("task", BENCHMARK.tasks)
@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_rows_without_an_answer_get_the_worst_value_or_none_that_applies(
    task: Task, profile: str, small_corpus: Release
) -> None:
    items = task.items(small_corpus)
    for state in ("refused", "failed", "missing"):
        table = responses(task, items["item"].to_list(), [None] * items.height, state)
        found = task.judge(items, table, profile)
        assert set(found["state"]) == {state}
        assert found["counted"].all()
        computed = [metric.name for metric in task.metrics if metric.name in found.columns]
        values = {value for name in computed for value in found[name]}
        assert values <= {0.0, None}
        left_out = profile == "paper" and state == "refused" and task is ADAPTATION
        assert (set(found[computed[0]]) == {None}) == left_out


@pytest.mark.parametrize("task", BENCHMARK.tasks)
def test_empty_and_declining_replies_are_told_apart(task: Task, small_corpus: Release) -> None:
    states = [
        row["state"]
        for row in judged(task, small_corpus, ["", "I'm sorry, but I can't help with that."], "paper")
    ]
    assert states == ["unreadable", "refused"]


def test_a_sentence_given_back_without_tags_says_that_nothing_is_specific(small_corpus: Release) -> None:
    text = IDENTIFICATION.items(small_corpus)["text"][0]
    for profile in ("paper", "strict"):
        (row,) = judged(IDENTIFICATION, small_corpus, [text], profile)
        assert (row["state"], row["answer"], row["hi_csi"], row["si_csi"]) == ("answered", "", 0.0, 0.0)


def test_what_paper_leaves_out_is_expected_and_told_and_strict_leaves_nothing_out(
    small_corpus: Release,
) -> None:
    items = ADAPTATION.items(small_corpus).filter(pl.col("culture") == "CN")
    good = [json.dumps([row["intra"], row["inter"], "Label"]) for row in items.iter_rows(named=True)]
    replies = [
        good[0],
        "They share dishes.",
        "I'm sorry, I can't help with that.",
        '["They share.", "他们分享。", "Label"]',
        good[4],
    ]
    table = responses(ADAPTATION, items["item"].to_list(), replies)
    paper, strict = (ADAPTATION.judge(items, table, profile) for profile in ("paper", "strict"))
    why = "with another number of tagged items than gold, or no version"
    assert paper["left_out"].to_list() == [None, "unreadable", "refused", why, None]
    assert strict["left_out"].null_count() == 5
    for judgements, left_out in ((paper, 3), (strict, 0)):
        whole = ADAPTATION.summarise(judgements).filter(pl.col("facet") == "all")
        row = whole.row(by_predicate=pl.col("metric") == "csi_edit_intra", named=True)
        assert (row["n"], row["left_out"], row["coverage"]) == (5, left_out, 1 - left_out / 5)
        assert (row["answered"], row["refused"], row["unreadable"]) == (3, 1, 1)
        assert json.loads(row["why_left_out"] or "{}") == (
            {"unreadable": 1, "refused": 1, why: 1} if left_out else {}
        )
        assert row["score"] == pytest.approx(100.0 if left_out else 40.0)
        counted = whole.row(by_predicate=pl.col("metric") == "format_read", named=True)
        assert (counted["n"], counted["left_out"], counted["score"]) == (5, 0, pytest.approx(60.0))


def test_a_sentence_that_apologises_is_not_a_refusal(small_corpus: Release) -> None:
    items = IDENTIFICATION.items(small_corpus).with_columns(
        text=pl.lit("I'm sorry, I can't come to the pub.")
    )
    table = responses(IDENTIFICATION, items["item"].to_list()[:1], ["I'm sorry, I can't come to the pub."])
    assert IDENTIFICATION.judge(items, table, "paper")["state"].to_list() == ["answered"]


def test_precision_is_only_shown_in_strict(small_corpus: Release) -> None:
    reply = "<CSI> We </CSI> split the <CSI> bill </CSI>, as <CSI> always </CSI>."
    paper, strict = (
        judged(IDENTIFICATION, small_corpus, [reply], profile)[0] for profile in ("paper", "strict")
    )
    assert (paper["hi_csi"], paper["precision"]) == (1.0, None)
    assert (strict["hi_csi"], strict["precision"], strict["recall"]) == (1.0, pytest.approx(1 / 3), 1.0)


def test_strict_prediction_is_pooled_over_gold_items(small_corpus: Release) -> None:
    replies = [
        "<CSI> BILL </CSI>",
        "<CSI> slippers </CSI> by the <CSI> gate </CSI>",
        "no tag",
        "<CSI> bill </CSI>",
        "<CSI> x </CSI>",
    ]
    items = PREDICTION.items(small_corpus)
    table = responses(PREDICTION, items["item"].to_list(), replies)
    paper = overall(PREDICTION, PREDICTION.judge(items, table, "paper"))["hp_csi"]
    strict = overall(PREDICTION, PREDICTION.judge(items, table, "strict"))["hp_csi"]
    assert paper == (pytest.approx(100 * 3 / 5), 5)
    assert strict == (pytest.approx(100 * 3 / 5), 4)
    assert judged(PREDICTION, small_corpus, replies, "paper")[2]["state"] == "unreadable"


def test_hits_have_the_bounds_of_the_profile(small_corpus: Release) -> None:
    """Five sentences already have an interval; one of hits per gold item ends at 100, one of hits per
    sentence need not."""
    items = PREDICTION.items(small_corpus)
    told = (
        "<CSI> bill </CSI>",
        "<CSI> slippers </CSI> by the <CSI> gate </CSI>",
        "no tag",
        "<CSI> bill </CSI>",
        "<CSI> bill </CSI>",
    )
    table = responses(PREDICTION, items["item"].to_list(), told)
    ends = {}
    for profile in ("paper", "strict"):
        found = PREDICTION.summarise(PREDICTION.judge(items, table, profile)).filter(
            facet="all", metric="hp_csi"
        )
        ends[profile] = found.select("low", "high").row(0)
        assert "wilson 95%" in found["interval"].item()
    assert 0 < ends["strict"][0] < ends["strict"][1] <= 100 < ends["paper"][1] < 400


def test_similarities_have_bounds() -> None:
    """What ``paper`` rescales is below 0 where two texts have less in common than unrelated sentences."""
    bounds = {metric.name: metric.bounds for metric in ADAPTATION.metrics}
    lowest = -ENGLISH_BASELINE / (1 - ENGLISH_BASELINE)
    for name in ("csi_bert", "sent_bert"):
        assert bounds[f"{name}_intra"] == pytest.approx((lowest, 1.0))
        assert bounds[f"{name}_inter"] == (0.0, 1.0)


def test_at_best_is_pooled_as_the_score_is(small_corpus: Release) -> None:
    """One of two gold items was hit, and the sentence with two was lost: had both been right, three of the
    five gold items; in ``paper``, which counts hits, as many more as a sentence can have."""
    items = PREDICTION.items(small_corpus)
    said = [
        (item, "<CSI> bill </CSI>" if place == 0 else "<CSI> x </CSI>")
        for place, item in enumerate(items["item"])
    ]
    weights = PREDICTION.judge(
        items, responses(PREDICTION, items["item"].to_list(), [None] * 5, "missing"), "strict"
    )["hp_weight"]
    lost = weights.to_list().index(2.0)
    replies = [None if place == lost else reply for place, (_, reply) in enumerate(said)]
    table = responses(PREDICTION, items["item"].to_list(), replies).with_columns(
        state=pl.when(pl.col("response").is_null()).then(pl.lit("missing")).otherwise("state")
    )
    for profile, score, best in (("strict", 1 / 5, 3 / 5), ("paper", 1 / 5, (1 + MOST_ITEMS) / 5)):
        found = PREDICTION.summarise(PREDICTION.judge(items, table, profile)).filter(
            facet="all", metric="hp_csi"
        )
        assert (found["score"].item(), found["at_best"].item()) == (
            pytest.approx(100 * score),
            pytest.approx(100 * best),
        ), profile


def test_non_transferable_is_judged_on_its_own(small_corpus: Release) -> None:
    reply = '["Non-transferable", "Non-transferrable", "Deletion"]'
    rows = judged(
        ADAPTATION,
        small_corpus,
        [reply, reply, '["They <CSI> x </CSI>", "<CSI> ي </CSI>", "Label, Transference"]'],
        "strict",
        "ARAB",
    )
    assert (rows[0]["non_transferable"], rows[0]["refused_rightly"], rows[0]["adapted_rightly"]) == (
        1.0,
        1.0,
        None,
    )
    assert (rows[1]["non_transferable"], rows[1]["refused_rightly"], rows[1]["adapted_rightly"]) == (
        0.0,
        None,
        0.0,
    )
    assert rows[0]["csi_edit_intra"] is None
    assert (rows[1]["csi_edit_intra"], rows[1]["tags_kept_intra"]) == (0.0, 0.0)
    assert rows[2]["strategy"] == "Couplet (Label + Transference)"
    assert str(rows[2]["answer"]).splitlines() == [
        "They <CSI> x </CSI>",
        "<CSI> ي </CSI>",
        "Couplet (Label + Transference)",
    ]


def test_an_unknown_item_is_named(small_corpus: Release) -> None:
    with pytest.raises(DataError, match="row 1: xcr/prediction has no item 'xcr-0'"):
        PREDICTION.judge(PREDICTION.items(small_corpus), responses(PREDICTION, ["xcr-0"], ["x"]), "paper")


def test_files_of_the_authors_are_recognised_and_others_are_not(small_corpus: Release) -> None:
    other = pl.DataFrame({"item": ["x"], "response": ["y"]})
    assert all(task.from_authors(other) is None for task in BENCHMARK.tasks)
    positions = IDENTIFICATION.from_authors(pl.DataFrame({"CSI Output": ["one", None]}))
    assert positions is not None
    assert positions["position"].to_list() == [0, 1]
    named = PREDICTION.from_authors(
        pl.DataFrame({"Sentence": ["We split the <CSI>bill</CSI>, as always."] * 2, "CSI Output": ["a", "b"]})
    )
    assert named is not None
    assert named["item"].to_list() == PREDICTION.items(small_corpus)["item"].to_list()[:4:3]
    for empty in ([], [None, None]):
        table = pl.DataFrame(
            {"Intra": ["Tea."] * len(empty), "Inter": empty}, dict.fromkeys(("Intra", "Inter"), pl.String)
        )
        located = ADAPTATION.from_authors(table)
        assert located is not None
        assert located.schema == {"response": pl.String, "position": pl.Int64}  # of no culture
        assert located["response"].to_list() == ['["Tea.", ""]'] * len(empty)
    arabic = ADAPTATION.from_authors(pl.DataFrame({"Intra": ["They came.", None], "Inter": ["جاؤوا", None]}))
    assert arabic is not None
    assert arabic["culture"].to_list() == ["ARAB", "ARAB"]
    assert arabic["response"].to_list() == ['["They came.", "جاؤوا"]', ""]
