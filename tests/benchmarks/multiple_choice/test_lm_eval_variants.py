"""lm-evaluation-harness's variants without the program: examples, clozes, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.api import run
from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.global_mmlu_lite import TASK as MMLU_LITE
from folkways.benchmarks.global_piqa import TASK as PIQA
from folkways.benchmarks.include import TASK as INCLUDE
from folkways.benchmarks.multiple_choice import lm_eval
from folkways.benchmarks.multiple_choice.declaration import Declaration
from folkways.errors import DataError, FolkwaysError
from folkways.records import RESPONSES, likelihoods_of, listed_likelihoods
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import (
    mmlu_rows,
    release_over,
    write_include,
    write_mmlu,
    write_parquet,
    write_piqa,
)
from tests.support.multiple_choice import score


def with_examples(root: Path, each: int = 1) -> Release:
    """English questions, and as examples the same ones ``each`` times."""
    write_mmlu(root, ("en",))
    write_parquet(root, "en/dev-00000-of-00001.parquet", mmlu_rows("en") * each)
    return release_over(root, "global-mmlu-lite")


def prompts(task: Any, release: Release, variant: str, shots: int = 0) -> pl.DataFrame:
    return task.prompts(task.items(release), PromptOptions(variants=(variant,), shots=shots), release)


def test_examples_come_with_their_answers_and_a_question_shown_to_itself_is_marked(tmp_path: Path) -> None:
    release = with_examples(tmp_path)
    bare = prompts(MMLU_LITE, release, "lm-eval")
    assert set(bare["variant"]) == {"lm-eval"} and set(bare["prompt_source"]) == {"lm-eval 0.4.13"}
    (capital,) = bare.filter(pl.col("item") == "en/geography/test/1")["user"]
    assert capital == "What is the capital of Japan?\nA. Osaka\nB. Tokyo\nC. Kyoto\nD. Nagoya\nAnswer:"
    shown = prompts(MMLU_LITE, release, "lm-eval", 1)
    for (item, user, variant), alone in zip(
        shown.select("item", "user", "variant").iter_rows(), bare["user"], strict=True
    ):
        before = user.removesuffix(alone)
        assert (
            user.endswith(alone) and before.endswith("\n\n") and before[-5:-2] in (": A", ": B", ": C", ": D")
        ), item
        assert variant == ("lm-eval~shots-1-itself" if before.startswith(alone) else "lm-eval~shots-1")
    assert "lm-eval~shots-1-itself" in set(shown["variant"])


def test_a_question_has_its_examples_whatever_else_is_asked(tmp_path: Path) -> None:
    release = with_examples(tmp_path, each=3)
    options = PromptOptions(variants=("lm-eval",), shots=2)
    items = MMLU_LITE.items(release)
    whole = MMLU_LITE.prompts(items, options, release)
    for row in range(items.height):
        assert MMLU_LITE.prompts(items[row], options, release)["user"][0] == whole["user"][row]


def test_orders_of_options_keep_the_examples(tmp_path: Path) -> None:
    release = with_examples(tmp_path)
    options = PromptOptions(variants=("lm-eval",), shots=1, orders=2)
    asked = MMLU_LITE.prompts(MMLU_LITE.items(release), options, release)
    assert {"lm-eval~shots-1~order-2"} <= set(asked["variant"])
    for (item,), users in asked.group_by("item"):
        examples = {user.rpartition("\n\n")[0] for user in users["user"]}
        assert len(examples) == 1 and "\nAnswer: " in examples.pop(), item
        assert users["user"].n_unique() == 2, item


@pytest.mark.parametrize(
    ("task", "variant", "shots", "message"),
    [
        (MMLU_LITE, "local", 1, "the variant 'local' shows no examples; .* that does: lm-eval"),
        (MMLU_LITE, "lm-eval", 3, r"has \d examples for en/\w.* in global-mmlu-lite@test, and 3 are wanted"),
        (MMLU_LITE, "lm-evil", 0, "unknown variant"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    tmp_path: Path, task: Any, variant: str, shots: int, message: str
) -> None:
    with pytest.raises(FolkwaysError, match=message):
        prompts(task, with_examples(tmp_path), variant, shots)


def test_a_release_without_the_files_of_examples_says_so(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match=r"has 0 examples for .*fetch the release again"):
        prompts(MMLU_LITE, write_mmlu(tmp_path, ("en",)), "lm-eval", 1)


def test_texts_of_the_program_need_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_eval, "find_spec", lambda _: None)
    with pytest.raises(FolkwaysError, match="pip install lm_eval"):
        prompts(INCLUDE, write_include(tmp_path), "lm-eval")
    assert prompts(INCLUDE, write_include(tmp_path), "all").height, "all are ours"


def test_a_run_that_cannot_show_examples_or_compare_texts_is_refused(tmp_path: Path) -> None:
    def says(task: str, **options: Any) -> str:
        with pytest.raises(FolkwaysError) as caught:
            run(task, models="baseline/first", workspace=tmp_path / "w.db", **options)
        return str(caught.value)

    piqa = {"releases": {"*": str(write_piqa(tmp_path / "piqa").root)}}
    assert "none of demo/saq can show examples; those that can: global-mmlu" in says("demo/saq", shots=2)
    assert "shots must lie between 0 and 100, got -1" in says("demo/mcq", shots=-1)
    cloze = says("global-piqa/mcq", variants="lm-eval-cloze", **piqa)
    assert cloze.startswith(
        "the variant lm-eval-cloze of global-piqa/mcq compares how likely texts are: add read='loglik'"
    )


@given(st.lists(st.floats(-9999, 0), min_size=1, max_size=4))
def test_likelihoods_are_read_back(values: list[float]) -> None:
    listed = listed_likelihoods(values)
    assert len(listed) <= 64, "the longest finish reason that is stored"
    assert likelihoods_of(listed) == pytest.approx(values, abs=1e-5)


@pytest.mark.parametrize("reason", [None, "", "stop", "stop -1.2", "loglik A -1.2 B -3.4", "logprob"])
def test_other_finish_reasons_have_none(reason: str | None) -> None:
    assert likelihoods_of(reason) == []


@given(st.sampled_from(["local", "lm-eval", "a~b"]), st.integers(0, 30), st.booleans())
def test_a_variant_is_known_by_its_name(variant: str, shots: int, itself: bool) -> None:
    assert lm_eval.template_of(lm_eval.variant_with(variant, shots, itself=itself)) == variant


def cloze(
    tmp_path: Path, said: str | None, finish_reason: str | None, solutions: tuple[str, str]
) -> pl.DataFrame:
    """The judgement of one cloze whose first solution is right."""
    row = {"prompt": "Tea is", "solution0": solutions[0], "solution1": solutions[1], "label": 0}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "nonparallel_eng_latn.jsonl").write_bytes(
        pl.DataFrame([row]).write_ndjson().encode()
    )
    release = release_over(tmp_path, "global-piqa")
    asked = prompts(PIQA, release, "lm-eval-cloze")
    assert asked["choices"].to_list() == [list(solutions)] and asked["user"].to_list() == ["Tea is"]
    responses = asked.select(
        "task", "item", "language", "variant", sample=pl.lit(0, pl.Int64), state=pl.lit("answered" if said is not None else "failed"),
        response=pl.lit(said, pl.String), reason=pl.lit(None, pl.String),
    ).select(list(RESPONSES)).with_columns(finish_reason=pl.lit(finish_reason, pl.String))  # fmt: skip
    return PIQA.judge(PIQA.items(release), responses, "strict")


METRICS = ("accuracy", "acc_norm", "acc_bytes")


@pytest.mark.parametrize(
    ("likelihoods", "solutions", "expected"),
    [
        ((-3.0, -4.0), ("hot", "cold water"), (1.0, 0.0, 0.0)),  # -1.0 and -0.4 per character
        ((-6.0, -5.0), ("뜨거운", "cold"), (0.0, 0.0, 1.0)),  # 3 characters of 9 bytes, and 4 of 4
        ((-3.0, -3.0), ("hot", "ice"), (1.0, 1.0, 1.0)),  # the first of equal ones
        ((-3.0, -4.0), ("hot", ""), (1.0, 1.0, 1.0)),
    ],
)
def test_a_cloze_is_right_by_sum_by_character_and_by_byte(
    tmp_path: Path, likelihoods: tuple[float, float], solutions: tuple[str, str], expected: Any
) -> None:
    likeliest = solutions[0 if likelihoods[0] >= likelihoods[1] else 1]
    judged = cloze(tmp_path, likeliest, listed_likelihoods(likelihoods), solutions)
    assert judged.select(METRICS).row(0) == expected and judged["state"][0] == "answered"


def test_a_cloze_without_a_reply_is_wrong_and_without_likelihoods_has_the_sum_alone(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    failed = cloze(tmp_path / "a", None, None, ("hot", "cold"))
    assert failed.select(METRICS).row(0) == (0.0, 0.0, 0.0) and failed["counted"][0]
    elsewhere = cloze(tmp_path / "b", "hot", "stop", ("hot", "cold"))
    assert elsewhere.select(METRICS).row(0) == (1.0, None, None)
    strange = cloze(tmp_path / "c", "warm", "loglik -1 -2", ("hot", "cold"))
    assert strange["state"][0] == "unreadable" and strange.select(METRICS).row(0) == (0.0, 0.0, 0.0)
    assert score(PIQA, strange, "acc_bytes")["score"] == 0.0


@pytest.mark.parametrize("reply", ["A", "Neither."])
def test_questions_with_letters_have_no_score_per_length(tmp_path: Path, reply: str) -> None:
    release = write_piqa(tmp_path)
    asked = prompts(PIQA, release, "local")
    said = asked.select(
        *("task", "item", "language", "variant"), sample=pl.lit(0, pl.Int64), state=pl.lit("answered"),
        response=pl.lit(reply), reason=pl.lit(None, pl.String), finish_reason=pl.lit("loglik -1 -2"),
    )  # fmt: skip
    scores = PIQA.summarise(PIQA.judge(PIQA.items(release), said, "strict"))
    assert "accuracy" in set(scores["metric"]) and not {"acc_norm", "acc_bytes"} & set(scores["metric"])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("B would be odd. The best answer is: A", "A"),
        ("The best answer is: B", "B"),
        ("The best answer is: A\n\nOn second thought, the best answer is: B", "B"),
        ("Answer: A\nAnswer: B\n", "B"),
        ("Neither.", None),
    ],
)
def test_replies_to_its_wording_are_read_to_the_end(reply: str, expected: str | None) -> None:
    item = {"options": ["put a cosy over the pot.", "put ice into the pot."], "gold_letter": "A"}
    for variant in ("lm-eval", "lm-eval~shots-2"):
        assert PIQA.read(item, {"response": reply, "variant": variant}, "strict") == expected


NAMES = {"prompt": "question", "solution0": "a"}


def test_its_templates_are_followed_with_what_is_literal_in_them() -> None:
    shape = lm_eval.followed_template("{{prompt}} is {a} \\boxed{} {{ solution0 }}.\n", NAMES)
    assert shape.fill({"question": "{x}", "a": "{{y}}"}) == "{x} is {a} \\boxed{} {{y}}.\n"
    assert lm_eval.followed_template(" {{prompt.strip()}}", NAMES).fill({"stripped": "x"}) == " x"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no place",
        "{{other}}",
        "{{prompt|upper}}",
        "{{prompt}}{{x}}",
        "{% if a %}{{prompt}}",
        "{{solution0.strip()}}",
    ],
)
def test_a_template_that_cannot_be_followed_is_an_error(text: str) -> None:
    with pytest.raises(FolkwaysError, match="a prompt that folkways cannot follow"):
        lm_eval.followed_template(text, NAMES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"version": None}, "lm_eval lacks the key 'version'"),
        ({"colour": 1}, "unknown key 'colour' of lm_eval; valid: version, task, examples, draw, variants"),
        ({"draw": "last"}, 'draw is "last"|draw is \'last\'; valid: "random" and "first"'),
        ({"variants": {"x": {}}}, "the variant 'x' has either a text or a template"),
        ({"variants": {"x": {"text": "t", "size": 1}}}, "unknown key 'size' of the variant 'x'"),
    ],
)
def test_a_declaration_that_is_wrong_is_named(changed: dict[str, Any], message: str) -> None:
    assert MMLU_LITE.declared is not None
    keys = dict(MMLU_LITE.declared.keys)
    table = {name: value for name, value in {**keys["lm_eval"], **changed}.items() if value is not None}
    with pytest.raises(DataError, match=message):
        Declaration("folkways.benchmarks.global_mmlu_lite", "mcq.toml", {**keys, "lm_eval": table})
