"""What is called truncated, for every task alike: cut at the token limit and not read. Nothing else of a
judgement changes."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.base import Task
from folkways.benchmarks.cut_replies import REMEDY, is_cut, judge_replies
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.records import CUT, RESPONSES, State

CUT_AT = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length")
WHOLE = ("stop", "end_turn", "STOP", "content_filter", "tool_calls", "lengthy", "", None)
REPLIES = ("A", "The answer is B.", "", " \n", "Let me think about each of", "I cannot answer that.", None)
TASKS = ("demo/mcq", "demo/saq", "demo/true-false", "demo/prediction", "demo/adaptation")


def told(task: Task, replies: list[tuple[str | None, str | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items of the demo, and one response to each: (text, finish reason); a text of None is a request that
    failed."""
    items = task.items(open_release("demo", "demo")).head(len(replies))
    rows = [
        {
            "task": task.name,
            "item": item,
            "language": "en",
            "variant": "plain",
            "sample": 0,
            "state": State.ANSWERED.value if text is not None else State.FAILED.value,
            "response": text,
            "reason": None if text is not None else "timed out",
            "finish_reason": reason if text is not None else None,
        }
        for item, (text, reason) in zip(items["item"], replies, strict=False)
    ]
    return items, pl.DataFrame(rows, schema={**RESPONSES, "finish_reason": pl.String})


@given(
    name=st.sampled_from(TASKS),
    replies=st.lists(
        st.tuples(st.sampled_from(REPLIES), st.sampled_from([*CUT_AT, *WHOLE])), min_size=1, max_size=8
    ),
)
def test_only_what_was_cut_and_not_read_is_truncated(
    name: str, replies: list[tuple[str | None, str | None]]
) -> None:
    task = get_task(name)
    items, responses = told(task, replies)
    plain = task.judge(items, responses, task.scoring.profiles[0])
    judged = judge_replies(task, items, responses, task.scoring.profiles[0])
    assert judged.drop("state", "reason", CUT).equals(plain.drop("state", "reason"))  # the metrics among them
    rows = zip(responses.rows(named=True), plain.rows(named=True), judged.rows(named=True), strict=True)
    for response, before, after in rows:
        assert after[CUT] == (response["finish_reason"] in CUT_AT)
        if after[CUT] and before["state"] == "unreadable":
            assert (after["state"], after["reason"]) == ("truncated", f"{before['reason']}; {REMEDY}")
        else:
            assert (after["state"], after["reason"]) == (before["state"], before["reason"])


def test_one_reply_is_cut_as_a_column_of_them_is() -> None:
    assert [is_cut(reason) for reason in (*CUT_AT, *WHOLE)] == [True] * len(CUT_AT) + [False] * len(WHOLE)


def test_without_finish_reasons_nothing_is_cut() -> None:
    task = get_task("demo/mcq")
    items, responses = told(task, [("", "length"), ("A", "length")])
    judged = judge_replies(task, items, responses.drop("finish_reason"), "strict")
    assert judged["state"].to_list() == ["unreadable", "answered"]
    assert judged[CUT].to_list() == [False, False]


def test_what_the_rule_leaves_out_as_unreadable_it_leaves_out_as_truncated() -> None:
    class LeavesOut(type(get_task("demo/mcq"))):  # type: ignore[misc]
        def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
            judged = super().judge(items, responses, profile)
            return judged.with_columns(left_out=pl.when(pl.col("state") != "answered").then("state"))

    task = LeavesOut()
    items, responses = told(
        task, [("", "length"), ("", "stop"), ("I cannot answer that.", "length"), ("A", "length")]
    )
    judged = judge_replies(task, items, responses, "strict")
    assert judged["left_out"].to_list() == ["truncated", "unreadable", "refused", None]


@pytest.mark.parametrize("reply", ["", "  \n"])
def test_an_empty_reply_is_no_answer_whatever_a_task_makes_of_it(reply: str) -> None:
    class TakesAnything(type(get_task("demo/mcq"))):  # type: ignore[misc]
        def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
            judged = super().judge(items, responses, profile)
            return judged.with_columns(state=pl.lit("answered"), reason=pl.lit(None, dtype=pl.String))

    task = TakesAnything()
    items, responses = told(task, [(reply, "length"), (reply, "stop"), ("hm", "length")])
    judged = judge_replies(task, items, responses, "strict")
    assert judged["state"].to_list() == ["truncated", "answered", "answered"]
    assert judged["reason"].to_list() == [REMEDY, None, None]
    assert task.summarise(judged).filter(facet="all").select(
        "n", "answered", "truncated", "unreadable", "cut"
    ).rows() == [(3, 2, 1, 0, 2)]
