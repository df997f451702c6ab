"""Judgements come back as they were stored, however many there are and whatever the first ones lack."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Settings
from folkways.records import JUDGEMENTS, SCORES, Signature, State, Subject, plain
from folkways.workspace import results, run_records, run_rows, schema
from folkways.workspace.database import Workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest
from tests.support.planned_runs import plan_prompts

MANY = 2 * run_rows.CHUNK + 207


def test_details_that_begin_late_are_of_their_own_type(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are told from values, and a chunk that has none of them must not decide for the others."""
    run, _ = plan_prompts(any_workspace, "m", [f"question {number}" for number in range(MANY)])
    (part,) = results.parts(any_workspace, run)
    late = pl.int_range(MANY, dtype=pl.Int64) >= MANY - 3
    judged = pl.select(ordinal=pl.int_range(1, MANY + 1, dtype=pl.Int64)).with_columns(
        question=pl.format("q{}", "ordinal"),
        culture=pl.lit("KR"),
        counted=pl.lit(value=True),
        state=pl.lit("answered"),
        answer=pl.lit("A"),
        reason=pl.lit(None, dtype=pl.String),
        share=pl.col("ordinal") / 3,
        topic=pl.when(late).then(pl.lit("food")),
        score=pl.when(late).then(pl.lit(0.5)),
        words=pl.when(late).then(pl.lit(["a", "b"])),
        never=pl.lit(None, dtype=pl.String),
    )
    results.save_judgements(any_workspace, run, "strict", judged)
    loaded = results.load_judgements(any_workspace, run, "strict", part)
    assert loaded.columns[-5:] == ["share", "topic", "score", "words", "never"]
    kept = ["ordinal", "question", "counted", "answer", "share", "topic", "score", "words"]
    assert loaded.select(kept).equals(judged.select(kept))
    assert loaded.schema["words"] == pl.List(pl.String)
    assert loaded["never"].null_count() == loaded.height == MANY
    assert set(loaded["endpoint"]) == {"m"}
    assert set(loaded["task"]) == {"test/task"}
    assert set(loaded["profile"]) == {"strict"}

    monkeypatch.setattr(results, "TOGETHER", 2)
    small = results.load_judgements(any_workspace, run, "strict", part, small=True)
    assert {small[name].n_chunks() for name in small.columns} == {2}, (
        "others would be copied to be made alike"
    )
    labels = ("item", "task", "endpoint", "profile", "topic")
    assert all(small[name].dtype == pl.Categorical for name in labels)
    assert plain(small).select(loaded.columns).equals(loaded)
    bare = results.load_judgements(any_workspace, run, "strict", part, without=("answer", "response"))
    assert bare.schema == loaded.schema
    assert bare["answer"].null_count() == bare["response"].null_count() == MANY
    assert bare.drop("answer", "response").equals(loaded.drop("answer", "response"))


def test_equal_details_are_of_the_rows_that_have_them(any_workspace: Workspace) -> None:
    run, _ = plan_prompts(any_workspace, "m", [f"question {number}" for number in range(MANY)])
    (part,) = results.parts(any_workspace, run)
    judged = pl.select(ordinal=pl.int_range(1, MANY + 1, dtype=pl.Int64)).with_columns(
        question=pl.format("q{}", "ordinal"),
        culture=pl.when(pl.col("ordinal") % 5 == 0).then(pl.lit("KR")).otherwise(pl.lit("ET")),
        counted=pl.lit(value=True),
        state=pl.lit("answered"),
        answer=pl.lit("A"),
        reason=pl.lit(None, dtype=pl.String),
        share=pl.col("ordinal") * 7 % 3 / 2,
        topic=pl.when(pl.col("ordinal") * 11 % 4 > 0).then(pl.lit("food")),
    )
    results.save_judgements(any_workspace, run, "strict", judged)
    results.save_judgements(any_workspace, run, "paper", judged.head(9).with_columns(culture=pl.lit("US")))
    loaded = results.load_judgements(any_workspace, run, "strict", part)
    assert loaded.select("ordinal", "share", "topic").equals(judged.select("ordinal", "share", "topic"))
    columns, about = ("culture", "sample"), {"endpoint_id": part.endpoint_id, "task": part.task}
    counts = run_rows.judged_counts(any_workspace, run, "strict", columns, **about).sort("culture")
    assert counts.rows() == [("ET", 0, MANY - MANY // 5), ("KR", 0, MANY // 5)]
    assert run_rows.judged_counts(any_workspace, run, "paper", columns, **about).rows() == [("US", 0, 9)]
    others = run_rows.judged_counts(any_workspace, run, "strict", columns, task="another/task")
    assert (others.rows(), others.columns) == ([], [*columns, "rows"])


@pytest.fixture
def asked(any_workspace: Workspace) -> tuple[Workspace, run_records.RunRecord, run_records.RunRecord]:
    """Two runs of two endpoints and two tasks each, which share most of their requests, half asked by the
    first run."""
    workspace = any_workspace
    for config, tokens in (("first", 16), ("second", 32)):
        plan_prompts(workspace, "n", ["a", "b"], config=config, first=1, task="t/b")
        plan_prompts(workspace, "m", ["a", "b", "c", "d"], config=config, first=3, task="t/b")
        plan_prompts(workspace, "m", ["a", "e"], config=config, first=7, task="t/a")
        plan_prompts(workspace, "m", ["f"], config=config, first=9, task="t/b", max_tokens=tokens)
    first, second = run_records.list_runs(workspace)
    m, n = (run_records.endpoint_id(workspace, name, name) for name in "mn")
    one, two = RequestQueue(workspace, first.id), RequestQueue(workspace, second.id)
    one.enter()
    two.enter()
    a, b, c, d, e, f = one.claim(m, 0, 10, ()).requests
    (of_n, _) = one.claim(n, 0, 10, ()).requests
    one.save(m, [AnsweredRequest(a, Completion("A", "stop", None, "m", 1, 10, 100), 0.1, 1)])
    one.save(m, [AnsweredRequest(b, Completion("", "content_filter", "unsafe", "m", 2, 20, 200), 0.1, 4)])
    one.save(m, [FailedRequest(c, "down", 6), FailedRequest(f, "down", 6), FailedRequest(e, "slow", 6)])
    one.save(n, [AnsweredRequest(of_n, Completion("N"), 0.1, 2)])
    one.leave()
    two.save(m, [FailedRequest(c, "other", 6), FailedRequest(d, "other", 6)])
    (later,) = (request for request in two.claim(m, 0, 10, ()).requests if request.user == "f")
    two.save(m, [AnsweredRequest(later, Completion("F", None, None, "m", 4, 40, None), 0.1, 1)])
    two.leave()
    return workspace, first, second


def test_a_part_of_a_run_has_its_own_replies_failures_and_settings(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord],
) -> None:
    workspace, first, second = asked
    n_b, m_b, m_a = found = results.parts(workspace, first)
    assert found == [
        results.Part(1, "n", "t/b", 2),
        results.Part(2, "m", "t/b", 5),
        results.Part(2, "m", "t/a", 2),
    ]
    assert results.parts(workspace, second) == found
    told = results.responses(workspace, first, m_b)
    assert told.schema == pl.Schema(results.REPLIES)
    rest = ("en", "plain", 0)
    assert told.rows() == [
        ("t/b", "item-3", *rest, "answered", "A", None, 3, "folkways", "stop"),
        ("t/b", "item-4", *rest, "refused", "", "unsafe", 4, "folkways", "content_filter"),
        ("t/b", "item-5", *rest, "failed", None, "down", 5, "folkways", None),
        ("t/b", "item-6", *rest, "missing", None, "not asked yet", 6, "folkways", None),
        ("t/b", "item-9", *rest, "failed", None, "down", 9, "folkways", None),
    ]
    stopped = dataclasses.replace(second, reason="the budget was spent")

    def states(run: run_records.RunRecord, part: results.Part) -> list[tuple[object, ...]]:
        return results.responses(workspace, run, part).select("item", "state", "reason").rows()

    assert states(stopped, m_b) == [
        ("item-3", "answered", None),
        ("item-4", "refused", "unsafe"),
        ("item-5", "failed", "other"),
        ("item-6", "failed", "other"),
        ("item-9", "answered", None),
    ]
    assert states(first, m_a) == [("item-7", "answered", None), ("item-8", "failed", "slow")]
    assert states(stopped, m_a) == [
        ("item-7", "answered", None),
        ("item-8", "missing", "not asked: the budget was spent"),
    ]
    assert states(first, n_b) == [("item-1", "answered", None), ("item-2", "missing", "not asked yet")]
    nothing = results.responses(workspace, first, results.Part(1, "n", "t/a", 0))
    assert (nothing.height, nothing.schema) == (0, pl.Schema(results.REPLIES))
    sixteen, thirty_two = (f"max_tokens={tokens},temperature=0.0,top_p=1.0" for tokens in (16, 32))
    assert [results.settings_sent(workspace, first, part) for part in found] == [[sixteen]] * 3
    assert [results.settings_sent(workspace, second, part) for part in found] == [
        [sixteen],
        [sixteen, thirty_two],
        [sixteen],
    ]


def test_what_a_run_used_and_why_it_failed_is_told_of_that_run(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord],
) -> None:
    """A reply counts once, however many items expect it: by the endpoint's number, and failures by how many
    there are."""
    workspace, first, second = asked
    of_first, of_second = results.usage(workspace, first), results.usage(workspace, second)
    assert [dataclasses.astuple(use)[:10] for use in of_first] == [
        ("n", 1, 0, 0, 0, 1, 0, 0, 1, 1),
        ("m", 2, 3, 30, 300, 3, 0, 0, 0, 0),
    ]
    assert [dataclasses.astuple(use)[:10] for use in of_second] == [
        ("n", 1, 0, 0, 0, 1, 0, 0, 1, 1),
        ("m", 3, 7, 70, 300, 3, 0, 0, 0, 0),
    ]
    assert [use.seconds for use in of_first] == [0.1, 0.2]
    assert all(0.099 < use.last - use.first < 60 for use in of_first)
    counts = results.failure_counts(workspace, first)
    assert counts.schema == pl.Schema(
        {"endpoint": pl.String, "task": pl.String, "message": pl.String, "count": pl.Int64}
    )
    assert counts.rows() == [("m", "t/b", "down", 2), ("m", "t/a", "slow", 1)]
    assert results.failure_counts(workspace, second).rows() == [("m", "t/b", "other", 2)]
    empty, _ = run_records.begin_run(workspace, {"config": "empty"}, [], "test", None, "run")
    assert results.parts(workspace, empty) == results.usage(workspace, empty) == []
    assert results.failure_counts(workspace, empty).schema == counts.schema


def test_what_a_run_used_is_stored_for_as_long_as_it_is_finished_and_of_this_version(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, first, second = asked
    finished = dataclasses.replace(first, state="finished")
    used = results.usage(workspace, first)
    results.save_usage(workspace, second)
    results.save_usage(workspace, first)
    with workspace.write() as connection:
        connection.execute(sa.update(schema.responses).values(input_tokens=1000))
    assert results.usage(workspace, finished) == used  # and not of the second
    for state in ("running", "asked", "incomplete", "interrupted", "waiting"):
        assert results.usage(workspace, dataclasses.replace(first, state=state)) != used
    results.save_usage(workspace, first)
    now = results.usage(workspace, finished)
    assert now == results.usage(workspace, first) != used
    monkeypatch.setattr(results, "__version__", "0.0.1")
    results.save_summary(workspace, first, results.USAGE, [])
    assert results.usage(workspace, finished) == []
    monkeypatch.undo()
    assert results.usage(workspace, finished) == now  # made by another version, and read anew


def test_what_a_run_expects_is_stored_with_what_it_used(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord],
) -> None:
    workspace, first, _ = asked
    finished = dataclasses.replace(first, state="finished")
    m, n = (run_records.endpoint_id(workspace, name, name) for name in "mn")
    assert results.expected_counts(workspace, finished, [m, n, 77]) == [7, 2, 0]
    results.save_usage(workspace, first)
    assert results.expected_counts(workspace, finished, [n, 77, m]) == [2, 0, 7]
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.expected).filter_by(run_id=first.id, ordinal=1))
    assert results.expected_counts(workspace, finished, [m, n]) == [7, 2], "looked up"
    assert results.expected_counts(workspace, first, [m, n]) == [7, 1], "counted while it is not finished"


def score(endpoint: str, task: str, profile: str, value: float) -> dict[str, object]:
    told = dict.fromkeys(SCORES, None) | dict.fromkeys(("n", "questions", *State, "cut", "left_out"), 3)
    names = {
        "endpoint": endpoint,
        "task": task,
        "profile": profile,
        "metric": "right",
        "facet": "all",
        "value": "all",
    }
    made = Signature({"task": task, "data": f"{endpoint} | of: {profile}"})
    return told | names | {"score": value, "coverage": 1.0, "interval": "none", "signature": made.json()}


def test_judgements_and_scores_take_the_place_of_earlier_ones_of_the_same_part_and_profile(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord],
) -> None:
    workspace, first, second = asked
    n_b, m_b, m_a = results.parts(workspace, first)

    def judged(part: results.Part, run: run_records.RunRecord, right: float) -> pl.DataFrame:
        told = results.responses(workspace, run, part)
        return told.select("task", "item", "language", "variant", "sample", "ordinal", "state").with_columns(
            question=pl.format("q{}", "ordinal"),
            culture=pl.lit("KR"),
            counted=pl.col("ordinal") != 4,
            answer=pl.lit("A"),
            reason=pl.lit("because"),
            right=pl.lit(right),
        )

    for run, profile, right in (
        (second, "paper", 10.0),
        (first, "strict", 20.0),
        (first, "paper", 30.0),
        (first, "paper", 40.0),
    ):
        rows: dict[str, list[dict[str, object]]] = {"t/a": [], "t/b": []}
        for part, more in ((m_a, 1.0), (m_b, 2.0), (n_b, 3.0)):
            results.save_judgements(workspace, run, profile, judged(part, run, right + more))
            rows[part.task] += [
                score(part.endpoint, part.task, profile, value) for value in (right + more, 100.0)
            ]
        for task, own in rows.items():
            of = [(own, Subject.MODEL), ([score("people", task, profile, right)], Subject.PEOPLE)]
            frames = [
                pl.DataFrame(made, schema=dict(SCORES)).with_columns(subject=pl.lit(who.value))
                for made, who in of
            ]
            results.save_scores(workspace, run, task, profile, pl.concat(frames))
    loaded = results.load_judgements(workspace, first, "paper", m_b)
    assert loaded.columns == [
        *(
            "ordinal",
            "item",
            "question",
            "culture",
            "language",
            "variant",
            "sample",
            "counted",
            "state",
            "answer",
            "reason",
        ),
        *("response", "task", "endpoint", "profile", "right"),
    ]
    place, tail, whose = ("KR", "en", "plain", 0), ("A", "because"), ("t/b", "m", "paper")
    assert loaded.rows() == [
        (number, f"item-{number}", f"q{number}", *place, number != 4, state, *tail, said, *whose, 42.0)
        for number, state, said in [
            (3, "answered", "A"),
            (4, "refused", ""),
            (5, "failed", None),
            (6, "missing", None),
            (9, "failed", None),
        ]
    ]

    def rights(run: run_records.RunRecord, profile: str) -> list[tuple[list[int], list[float]]]:
        frames = [results.load_judgements(workspace, run, profile, part) for part in (m_a, m_b, n_b)]
        return [(frame["ordinal"].to_list(), frame["right"].unique().to_list()) for frame in frames]

    ordinals = [7, 8], [3, 4, 5, 6, 9], [1, 2]
    assert rights(first, "paper") == [*zip(ordinals, ([41.0], [42.0], [43.0]), strict=True)]
    assert rights(first, "strict") == [*zip(ordinals, ([21.0], [22.0], [23.0]), strict=True)]
    assert rights(second, "paper") == [*zip(ordinals, ([11.0], [12.0], [13.0]), strict=True)]
    empty = results.load_judgements(workspace, second, "strict", m_b)
    assert (empty.height, empty.schema) == (
        0,
        pl.Schema({**JUDGEMENTS, "endpoint": pl.String, "profile": pl.String, "response": pl.String}),
    )

    def scores(run: run_records.RunRecord) -> list[tuple[object, ...]]:
        found = results.load_scores(workspace, run)
        assert found.schema == pl.Schema(SCORES)
        return found.select("profile", "task", "endpoint", "score").rows()

    order = (("t/a", "m"), ("t/b", "m"), ("t/b", "n"))

    def expected(profile: str, *rights: float) -> list[tuple[object, ...]]:
        return [
            (profile, *part, value)
            for part, right in zip(order, rights, strict=True)
            for value in (right, 100.0)
        ]

    assert scores(first) == [*expected("strict", 21.0, 22.0, 23.0), *expected("paper", 41.0, 42.0, 43.0)]
    assert scores(second) == expected("paper", 11.0, 12.0, 13.0)
    of_people = results.load_scores(workspace, first, Subject.PEOPLE)
    assert of_people.select("profile", "task", "endpoint", "score").rows() == [
        (profile, task, "people", right)
        for profile, right in (("strict", 20.0), ("paper", 40.0))
        for task in ("t/a", "t/b")
    ]
    assert results.load_scores(workspace, first, Subject.BASELINE).schema == pl.Schema(SCORES)
    results.save_scores(
        workspace, first, "t/b", "strict", pl.DataFrame(schema={"subject": pl.String, **SCORES})
    )
    assert scores(first)[:4] == [
        *expected("strict", 21.0, 22.0, 23.0)[:2],
        *expected("paper", 41.0, 42.0, 43.0)[:2],
    ]
    assert results.load_scores(workspace, first, Subject.PEOPLE)["score"].to_list() == [20.0, 40.0, 40.0]


def test_a_signature_is_read_as_text_and_by_its_parts(
    asked: tuple[Workspace, run_records.RunRecord, run_records.RunRecord],
) -> None:
    workspace, first, second = asked
    for run, endpoint in ((first, "m"), (first, "n"), (second, "한")):
        row = pl.DataFrame([score(endpoint, endpoint, "paper", 1.0)], schema=dict(SCORES))
        results.save_scores(workspace, run, endpoint, "paper", row.with_columns(subject=pl.lit("model")))
    texts = results.load_scores(workspace, first)["signature"].to_list()
    assert texts == ["task:m|data:m / of: paper", "task:n|data:n / of: paper"]
    known = results.load_signatures(workspace, first)
    assert {text: dict(made.parts) for text, made in known.items()} == {
        text: {"task": name, "data": f"{name} | of: paper"} for text, name in zip(texts, "mn", strict=True)
    }
    assert list(results.load_signatures(workspace, second)) == ["task:한|data:한 / of: paper"]


def test_a_part_without_settings_metrics_or_facets_comes_back_without_any(any_workspace: Workspace) -> None:
    run, _ = plan_prompts(any_workspace, "m", ["a"], settings=Settings(temperature=None, top_p=None))
    (part,) = results.parts(any_workspace, run)
    plain = {
        "ordinal": 1,
        "question": "q",
        "culture": "KR",
        "counted": True,
        "state": "failed",
        "answer": None,
        "reason": None,
    }
    results.save_judgements(any_workspace, run, "paper", pl.DataFrame([plain]))
    assert results.settings_sent(any_workspace, run, part) == ["provider"]
    loaded = results.load_judgements(any_workspace, run, "paper", part)
    assert loaded.columns[-4:] == ["response", "task", "endpoint", "profile"]
    assert loaded.select(list(plain)).rows(named=True) == [plain]
