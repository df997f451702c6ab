"""What the tasks declare of their metrics and limits: intervals, ranges and denominators follow from it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from folkways.benchmarks.base import Task, headline_with, needs_whole_questions, overrides
from folkways.benchmarks.registry import get_task, tasks
from folkways.records import Metric

SHARE: tuple[Any, ...] = ("proportion", 100.0, (0.0, 1.0), False)
MEAN: tuple[Any, ...] = ("mean", 100.0, (0.0, 1.0), False)
RESCALED_LOWEST = 0.35219112 / (0.35219112 - 1)
"""Where BERTScore's rescaling puts a similarity of 0, within English."""
LETTERS = {"letter_chosen": SHARE, "letter_right": SHARE, "letter_bias": ("mean", 100.0, (-1.0, 1.0), False)}
SIDES = ("intra", "inter")

DECLARED: dict[str, tuple[int, dict[str, tuple[Any, ...]]]] = {
    "blend/mcq": (64, {"accuracy": SHARE, "accuracy_by_question": MEAN, "taken": SHARE, **LETTERS}),
    "blend/saq": (
        128,
        {
            **{
                "sem_b": SHARE,
                "sem_w": MEAN,
                "sem_b_first": SHARE,
                "refusal": SHARE,
                "other_script": SHARE,
                "other_language": SHARE,
            },
            **{"answers_given": ("mean", 1.0, None, False), "inside_word": SHARE},
        },
    ),
    "culturalbench/easy": (2, {"right": SHARE, "consistent": SHARE, **LETTERS}),
    "culturalbench/hard": (2, {"all_right": SHARE, "right": SHARE}),
    "xcr/identification": (
        256,
        dict.fromkeys(("hi_csi", "si_csi", "si_precision", "si_recall", "precision", "recall", "f1"), MEAN),
    ),
    "xcr/prediction": (
        256,
        {**dict.fromkeys(("hp_csi", "sp_csi"), ("mean", 100.0, (0.0, 4.0), False)), "count_kept": SHARE},
    ),
    "xcr/adaptation": (
        1024,
        {
            **{
                f"{what}_bert_{side}": (
                    "mean",
                    100.0,
                    (RESCALED_LOWEST if side == "intra" else 0.0, 1.0),
                    True,
                )
                for what in ("csi", "sent")
                for side in SIDES
            },
            **{f"{what}_bert_multi": ("mean", 100.0, (0.0, 1.0), True) for what in ("csi", "sent")},
            **{
                f"{what}_edit_{side}": ("mean", 100.0, (0.0, 1.0), True)
                for what in ("csi", "sent")
                for side in SIDES
            },
            **{f"{what}_{side}": SHARE for what in ("exact", "tags_kept") for side in SIDES},
            **dict.fromkeys(("non_transferable", "refused_rightly", "adapted_rightly", "format_read"), SHARE),
        },
    ),
}
"""Task -> tokens of a reply, and of each metric in its order: kind, scale, bounds, and whether a rule leaves
replies out."""

ROLES = {
    "embedding": ("sentences", ("sp_csi",), None, set()),
    "bert-en": ("tokens", ("csi_bert_intra", "sent_bert_intra"), 9, set()),
    "bert-ar": ("tokens", ("csi_bert_inter", "sent_bert_inter"), None, {"ARAB"}),
    "bert-bn": ("tokens", ("csi_bert_inter", "sent_bert_inter"), None, {"IN-WB", "BD"}),
    "bert-zh": ("tokens", ("csi_bert_inter", "sent_bert_inter"), None, {"CN"}),
    "bert-multi": ("tokens", ("csi_bert_multi", "sent_bert_multi"), None, set()),
}


@pytest.mark.parametrize("name", DECLARED)
def test_metrics_and_limits(name: str) -> None:
    task = get_task(name)
    metrics = {each.name: (each.kind, each.scale, each.bounds, each.leaves_out) for each in task.metrics}
    assert (task.max_tokens, metrics) == DECLARED[name]
    assert list(metrics) == list(DECLARED[name][1])
    assert needs_whole_questions(task) is (name == "culturalbench/hard")
    assert task.permutes_options is (name in ("culturalbench/easy", "blend/mcq"))
    assert overrides(task, "baselines") is name.startswith("culturalbench/")


def test_each_task_has_at_most_one_accuracy_and_these_have_none() -> None:
    """An accuracy is exported as the number that benchmarks have in common."""
    of_task = {name: [each.name for each in get_task(name).metrics if each.accuracy] for name in tasks()}
    assert all(len(names) < 2 for names in of_task.values())
    assert {name for name, names in of_task.items() if not names} == {
        "blend/saq",
        "global-opinion-qa/opinions",
        "survey/opinions",
        *(f"wvs/{name}" for name in ("map", "opinions", "probe")),
        *(
            f"{of}/{name}"
            for of in ("demo", "xcr")
            for name in ("adaptation", "identification", "prediction")
        ),
    }


def test_a_task_has_few_members() -> None:
    """What a benchmark's author has to look through; a new switch has to displace another."""
    members = {name for name in {*vars(Task), *Task.__annotations__} if not name.startswith("_")}
    assert len(members) <= 29, sorted(members)


def test_models_that_compare() -> None:
    roles = [role for name in DECLARED for role in get_task(name).scoring.models]
    assert {role.name: (role.kind, role.metrics, role.layer, set(role.cultures)) for role in roles} == ROLES


@pytest.mark.parametrize(
    ("task", "chance"),
    [
        *(
            (name, 25.0)
            for name in ("demo/mcq", "blend/mcq", "culturalbench/easy", "include/mcq", "global-mmlu-lite/mcq")
        ),
        *(
            (name, 6.25) for name in ("demo/true-false", "culturalbench/hard")
        ),  # four judgements, all of them right
        ("semeval2026/mcq", 25.0),
        ("global-piqa/mcq", 50.0),
        ("normad/acceptable", 100 / 3),
        *(
            (name, None)
            for name in ("demo/saq", "blend/saq", "semeval2026/saq", "xcr/identification", "xcr/adaptation")
        ),
    ],
)
def test_guessing_is_exact_where_a_task_has_options(task: str, chance: float | None) -> None:
    assert get_task(task).chance() == chance


def test_the_headline_is_the_first_metric_that_needs_no_absent_model() -> None:
    by_models = {"xcr/adaptation": "csi_edit_intra"}
    for name, task in tasks().items():
        assert headline_with(task).name == by_models.get(name, task.metrics[0].name)
        assert headline_with(task, [role.name for role in task.scoring.models]) == task.metrics[0]
    adaptation = get_task("xcr/adaptation")
    assert headline_with(adaptation, ["bert-ar"]).name == "csi_bert_inter"


@pytest.mark.parametrize(
    "about",
    [{"scale": scale} for scale in (0.0, -1.0, math.inf, math.nan)]
    + [{"bounds": bounds} for bounds in ((1.0, 1.0), (1.0, 0.0), (0.0, math.nan))]
    + [{"accuracy": True, "bounds": (0.0, 2.0)}],
    ids=str,
)
def test_a_metric_whose_scores_could_not_be_compared_is_refused(about: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the metric m "):
        Metric("m", "M", "", **about)
    assert Metric("m", "M", "", scale=1.0, bounds=(-1.0, 0.0)).worst == -1.0
