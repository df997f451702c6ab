"""Which runs asked a model in one condition, and how scores over several of them were made."""

from __future__ import annotations

import pytest

from folkways.evidence.conditions import (
    AskedPart,
    condition_notes,
    runs_alike,
    signature_together,
    unlike_notes,
)

MADE = {
    "task": "a/b", "data": "a-1#11", "lang": "en", "variant": "plain", "prompts": "release", "system": "task",
    "settings": "temperature=0", "samples": "1", "profile": "paper", "seed": "0", "folkways": "0.2.0",
}  # fmt: skip


def asked(
    run: str, task: str = "a/b", model: str = "lab/m", opinions: bool = False, **made: str
) -> AskedPart:
    return AskedPart(run, model, task, "paper", {**MADE, **made}, opinions)


ONE_CONDITION = [
    {"lang": "ko"}, {"variant": "plain~order-2"}, {"samples": "3"}, {"cultures": "KR"}, {"limit": "5"}, {"seed": "7"},
    {"folkways": "0.1.0"}, {"prompts": "folkways+release"}, {"treatments": "rag#1"},
]  # fmt: skip
ANOTHER = [
    {"system": "own#1"}, {"settings": "temperature=1"}, {"data": "a-1#22"}, {"prompts": "release#dd"}, {"shots": "3"},
    {"text-ko": "kiwi 2"}, {"models": "absent"}, {"model-bert-zh": "x"}, {"sampling": "until=3,by=culture"}, {"served": "f"},
]  # fmt: skip


def test_how_much_was_asked_is_no_condition() -> None:
    for change in ONE_CONDITION:
        assert runs_alike([asked("x"), asked("y", **change)]) == {}, change


def test_what_changes_replies_or_judgements_is_a_condition() -> None:
    for change in ANOTHER:
        alike = runs_alike([asked("x"), asked("y", **change), asked("z")])
        assert alike == {("x", "lab/m"): ("x", "z"), ("y", "lab/m"): ("y",), ("z", "lab/m"): ("x", "z")}, (
            change
        )


def test_baselines_hear_no_prompt_and_no_setting() -> None:
    for change in ({"system": "own#1"}, {"settings": "temperature=1"}, {"shots": "3"}):
        assert (
            runs_alike([asked("x", model="baseline/random"), asked("y", model="baseline/random", **change)])
            == {}
        )
    other_data = runs_alike(
        [asked("x", model="baseline/random"), asked("y", model="baseline/random", data="b")]
    )
    assert len(other_data) == 2


def test_opinions_are_of_the_forms_that_were_asked() -> None:
    for change in ({"lang": "ko"}, {"variant": "other"}, {"samples": "3"}):
        assert runs_alike([asked("x", opinions=True), asked("y", opinions=True, **change)])
    assert runs_alike([asked("x", opinions=True), asked("y", opinions=True, cultures="KR")]) == {}


def test_treatments_are_told_apart_where_one_name_means_two_things() -> None:
    none, rag, other = asked("x"), asked("y", treatments="rag#1"), asked("z", treatments="rag#2")
    assert runs_alike([none, rag]) == runs_alike([none, other]) == {}
    assert runs_alike([rag, other]) == {("y", "lab/m"): ("y",), ("z", "lab/m"): ("z",)}
    assert runs_alike([rag, asked("z", treatments="persona#2")]) == {}
    assert runs_alike(
        [rag, asked("z", treatments="rag#1", seed="5")]
    )  # its placebos were drawn by another seed


def test_a_run_of_another_task_goes_with_those_of_its_prompt() -> None:
    runs = [asked("x", system="own#1"), asked("y"), asked("z", task="a/c")]
    assert runs_alike(runs)["z", "lab/m"] == ("y", "z")
    assert runs_alike([runs[0], runs[2]]) == {}  # no task in two conditions: one model


def test_models_are_looked_at_one_by_one() -> None:
    runs = [asked("x"), asked("y", system="own#1"), asked("x", model="lab/n")]
    assert {model for _, model in runs_alike(runs)} == {"lab/m"}


def test_a_signature_of_several_runs_names_all_that_was_asked() -> None:
    parts = [
        asked("x", lang="en+ko", cultures="KR", limit="5", prompts="release#dd"),
        asked("y", lang="de", cultures="DE+KR", prompts="folkways+release#dd", folkways="0.1.0"),
    ]
    made = signature_together(parts).parts
    assert made == {
        **MADE, "lang": "de+en+ko", "cultures": "DE+KR", "limit": "5+none", "prompts": "folkways+release#dd",
        "folkways": "0.2.0+0.1.0", "runs": "x+y",
    }  # fmt: skip
    assert "cultures" not in signature_together([asked("x", cultures="KR"), asked("y")]).parts


def test_notes_name_models_of_one_kind_together() -> None:
    parts = {
        name: {**MADE, "system": system} for name, system in (("a", "task"), ("b", "own#1"), ("c", "task"))
    }
    parts["baseline/random"] = {**MADE, "settings": "none", "system": "own#2"}
    assert unlike_notes(parts) == ["Not asked or judged alike, system: a and c task; b own#1."]


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([{"served": "m vllm=1"}, {"served": "m vllm=2"}], ["served: m@0 m vllm=1; m@1 m vllm=2"]),
        ([{"sampling": "until=3"}, {}, {}], ["sampling: m@0 until=3; m@1 and m@2 none"]),
        ([{"treatments": "rag#1"}, {"treatments": "rag#2"}], ["treatments: m@0 rag#1; m@1 rag#2"]),
        ([{"treatments": "rag#1"}, {"treatments": "persona#2"}, {}], []),
        ([{"system": "own#1"}, {"limit": "5", "cultures": "KR"}], []),
    ],
)
def test_what_tells_two_conditions_of_one_model_apart_is_said(
    conditions: list[dict[str, str]], told: list[str]
) -> None:
    parts = {f"m@{number}": {**MADE, **condition} for number, condition in enumerate(conditions)}
    assert condition_notes(parts) == [f"Not asked or judged alike, {text}." for text in told]
