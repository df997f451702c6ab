"""Which scores share a column of a leaderboard, and what may be added to one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from folkways.evidence.admission import Rules, check_additions
from folkways.evidence.conditions import parts_kept_apart
from folkways.evidence.contributions import Entry, columns_of, newest, told_apart, unlike
from folkways.evidence.requirements import Status, failed
from folkways.releases.registry import get_record

MADE = {
    "task": "demo/mcq",
    "data": "demo@1#" + min(get_record("demo@1").fingerprints),
    "lang": "en",
    "variant": "plain",
    "prompts": "folkways",
    "system": "task",
    "settings": "temperature=0.0,max_tokens=16",
    "samples": "1",
    "profile": "strict",
    "seed": "0",
    "folkways": "0.2.0",
}


def entry(model: str = "lab/new", **changes: object) -> Entry:
    made = {**MADE, **changes.pop("made", {})}  # type: ignore[dict-item]
    usual: dict[str, object] = {
        "model": model, "task": "demo/mcq", "profile": "strict", "metric": "correct", "score": 60.0, "low": 50.0,
        "high": 70.0, "n": 100, "lost": 0, "coverage": 1.0, "made": made, "source": f"run of {model}",
        "created": "2026-01-01T00:00:00+00:00", "judged": 100,
    }  # fmt: skip
    return Entry(**{**usual, **changes})  # type: ignore[arg-type]


THERE = [entry("lab/a"), entry("lab/b")]

SAME = (
    {"settings": "temperature=1.0"},
    {"served": "file.gguf"},
    {"folkways": "0.3.0"},
    {"seed": "7"},
    {"treatments": "rag#1"},
    {"chat template": "no"},  # which only logs tell
)
OTHER = (
    {"data": "demo@1#000000000000"}, {"lang": "ko"}, {"variant": "other"}, {"prompts": "file:mine#12"}, {"system": "own#12"},
    {"samples": "3"}, {"cultures": "KR"}, {"limit": "10"}, {"sampling": "until=3"}, {"text-ko": "mecab"}, {"model-encoder": "x"},
    {"settings": "temperature=0.0,read=loglik"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("made", "is_one"),
    [
        (({"cultures": "KR"}, {"cultures": "ET"}), True),
        (({"cultures": "KR"}, {}), True),
        (({"limit": "10"}, {"limit": "20"}), True),
        (({"lang": "ko"}, {"lang": "am"}), True),
        (({"cultures": "KR"}, {"cultures": "KR"}), False),  # the later replaces the other
        (({"cultures": "KR"}, {"cultures": "ET", "system": "own#12"}), False),
        (({"cultures": "KR"}, {"cultures": "ET", "settings": "temperature=1.0"}), False),
        (({"cultures": "KR"}, {"cultures": "ET", "data": "demo@1#000000000000"}), False),
    ],
)
def test_parts_that_a_model_was_asked_in_one_condition_are_told(
    made: tuple[dict[str, str], ...], is_one: bool
) -> None:
    parts = [entry("lab/a", made=of, source=str(number)) for number, of in enumerate(made)]
    others = [
        entry("lab/b", made={"cultures": "ET"}),
        entry("lab/a", made={"cultures": "ET"}, task="demo/saq"),
        entry("lab/a", made={"cultures": "KR"}, metric="other"),  # the same part by another metric
    ]
    expected = [["0", "1"]] if is_one else []
    found = parts_kept_apart([*others, *parts])
    assert [[one.source for one in group] for group in found] == expected


@pytest.mark.parametrize("made", SAME, ids=str)
def test_how_a_model_was_run_keeps_nobody_apart(made: dict[str, str]) -> None:
    (column,) = columns_of([*THERE, entry(made=made)])["demo/mcq"]
    assert len(column.entries) == 3 and column.why == ()


@pytest.mark.parametrize("made", OTHER, ids=str)
def test_what_was_asked_or_judged_otherwise_is_kept_apart_with_the_reason(made: dict[str, str]) -> None:
    shown, apart = columns_of([entry(made=made, created="2025"), *THERE])["demo/mcq"]
    assert [one.model for one in shown.entries] == ["lab/a", "lab/b"]
    (name,) = made
    assert any(("read" if name == "settings" else name) in why for why in apart.why), apart.why
    checks = check_additions([entry(made=made)], THERE)["run of lab/new"]
    assert [check.name for check in checks if check.status is Status.FAIL and check.name == "setting"]


@pytest.mark.parametrize("how", ["limit", "sampling"])
def test_the_seed_counts_where_it_chose_the_items(how: str) -> None:
    limited = [entry("lab/a", made={how: "9", "seed": "0"}), entry("lab/b", made={how: "9", "seed": "1"})]
    assert len(columns_of(limited)["demo/mcq"]) == 2


def test_another_profile_is_kept_apart() -> None:
    assert len(columns_of([*THERE, entry(profile="paper")])["demo/mcq"]) == 2


@given(some.permutations(range(6)))
def test_columns_do_not_depend_on_the_order_of_sources(order: list[int]) -> None:
    """The setting of most models; of two with as many, the older."""
    every = [
        *(entry(f"lab/{number}", made={"lang": "ko"}, created=f"2026-0{number + 1}") for number in range(3)),
        *(entry(f"lab/{number}", made={"lang": "de"}, created=f"2026-0{number + 2}") for number in range(3)),
    ]
    first, second = columns_of(every[position] for position in order)["demo/mcq"]
    assert (first.setting["lang"], second.setting["lang"]) == ("ko", "de")
    assert [one.model for one in first.entries] == ["lab/0", "lab/1", "lab/2"]
    assert second.why == ("lang de here, ko there",)


@pytest.mark.parametrize("order", [1, -1])
def test_the_column_is_of_the_headline_where_anybody_has_it(order: int) -> None:
    """However many have another metric, and whoever came first."""
    lesser = [
        entry(f"lab/{number}", task="demo/true-false", metric=metric, created="2025")
        for number, metric in enumerate(["unheard-of"] * 3 + ["right"] * 2)
    ]
    headline = entry("lab/a", task="demo/true-false", metric="all_right")
    for entries, shown in (([*lesser, headline], "all_right"), (lesser, "right")):
        first, *apart = columns_of(entries[::order])["demo/true-false"]
        assert first.setting["metric"] == shown
        assert {why for one in apart for why in one.why} >= {f"metric unheard-of here, {shown} there"}


def test_a_model_with_and_without_a_chat_template_is_two_rows() -> None:
    one, other = entry(source="run"), entry(source="log", made={"chat template": "no"})
    assert told_apart([one, other]) == {
        ("run", "lab/new"): "lab/new (temperature=0.0,max_tokens=16)",
        ("log", "lab/new"): "lab/new (temperature=0.0,max_tokens=16, chat template: no)",
    }
    assert told_apart([one, entry(source="again")]) == {}


def test_the_newest_score_of_a_model_replaces_the_older() -> None:
    old, new = entry(created="2025", source="old"), entry(created="2026", source="new")
    shown, replaced = newest([new, old, entry("lab/b")])
    assert sorted(one.source for one in shown) == ["new", "run of lab/b"]
    assert replaced == [old]


def test_a_score_that_lost_replies_replaces_none_that_has_them() -> None:
    whole, lost, less = (
        entry(created=year, source=source, n=100, lost=lost)
        for year, source, lost in (("2025", "whole", 5), ("2026", "stopped", 6), ("2027", "stopped too", 60))
    )
    assert newest([whole, lost, less]) == ([whole], [lost, less])
    assert newest([lost, less]) == ([less], [lost])


def test_a_score_that_tells_unreadable_replies_gives_way_to_none_that_does_not() -> None:
    run, log = entry(created="2025", source="run"), entry(created="2026", source="log", tells_unread=False)
    lost = entry(created="2027", source="stopped", lost=60)
    assert newest([run, log, lost]) == ([run], [log, lost])
    assert newest([lost, log]) == ([log], [lost])


def test_two_ways_of_running_a_model_are_two_rows() -> None:
    ways = [entry(source="cold"), entry(source="hot", made={"settings": "temperature=1.0"}), entry("lab/b")]
    assert told_apart(ways) == {
        ("cold", "lab/new"): "lab/new (temperature=0.0,max_tokens=16)",
        ("hot", "lab/new"): "lab/new (temperature=1.0)",
    }
    assert told_apart([entry(), entry("lab/b", made={"settings": "temperature=1.0"})]) == {}


@pytest.mark.parametrize("there", [THERE, []], ids=["added", "first"])
def test_a_sound_score_may_enter(there: list[Entry]) -> None:
    (checks,) = check_additions([entry()], there).values()
    assert {check.status for check in checks} == {Status.PASS}
    assert len({check.name for check in checks}) == len(checks) == 9


# fmt: off
FAULTS = {
    "no signature": ({"made": {"data": "", "prompts": ""}}, "signature", "lacks data and prompts"),
    "no score": ({"score": None}, "signature", "no reply came"),
    "a score outside its interval": ({"score": 80.0}, "signature", "not within its interval"),
    "a signature of another task": ({"made": {"task": "demo/saq"}}, "signature", "is of the task demo/saq"),
    "other contents": ({"made": {"data": "demo@1#000000000000"}}, "release", "its record has"),
    "an unknown release": ({"made": {"data": "nowhere@1#12"}}, "release", "nowhere@1 is not known"),
    "a folder": ({"made": {"data": "dir:mine#12"}}, "release", "a folder of somebody's own"),
    "fewer items": ({"n": 99}, "items", "99 expected answers, the others have 100"),
    "no items": ({"n": 0, "lost": 0}, "items", "no number of items"),
    "too little coverage": ({"coverage": 0.949}, "coverage", "94.9"),
    "failed requests": ({"lost": 2, "coverage": 0.98}, "failed requests", "2 of 100"),
    "judgements that disagree": ({"fault": "the mean is 12"}, "judgements", "the mean is 12"),
    "there already": ({"model": "lab/a"}, "duplicates", "run of lab/a has this model"),
}
UNSURE = {
    "no interval": ({"low": None, "high": None}, "signature", "no interval"),
    "another version": ({"made": {"folkways": "0.1.0"}}, "version", "by folkways 0.1.0, the others by 0.2.0"),
    "no judgements": ({"judged": 0}, "judgements", "no rank"),
    "no coverage": ({"coverage": None}, "coverage", "does not say"),
}
# fmt: on


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_keeps_a_score_out_and_is_named(name: str) -> None:
    changes, check, words = FAULTS[name]
    (checks,) = check_additions([entry(**changes)], THERE).values()
    assert failed(checks)
    (message,) = (one.message for one in checks if one.name == check and one.status is Status.FAIL)
    assert words in message


@pytest.mark.parametrize("name", UNSURE)
def test_what_nothing_tells_is_unsure_and_fails_only_if_strict(name: str) -> None:
    changes, check, words = UNSURE[name]
    (checks,) = check_additions([entry(**changes)], THERE).values()
    assert not failed(checks)
    (message,) = (one.message for one in checks if one.status is Status.UNSURE and one.name == check)
    assert words in message
    (strict,) = check_additions([entry(**changes)], THERE, Rules(strict=True)).values()
    assert [one.name for one in strict if one.status is Status.FAIL] == [
        one.name for one in checks if one.status is Status.UNSURE
    ]


def test_bounds_hold_at_their_ends() -> None:
    (checks,) = check_additions([entry(coverage=0.95, lost=1)], THERE).values()
    assert not failed(checks)
    (checks,) = check_additions([entry(coverage=0.9, lost=10)], THERE, Rules(90, 10)).values()
    assert not failed(checks)


def test_the_same_addition_twice_is_a_duplicate_and_another_temperature_is_not() -> None:
    twice = [
        entry(source="first"),
        entry(source="second"),
        entry(source="third", made={"settings": "temperature=1.0"}),
    ]
    checks = check_additions(twice, THERE)
    assert [failed(checks[source]) for source in ("first", "second", "third")] == [False, True, False]


def test_the_first_of_a_leaderboard_have_to_share_a_setting() -> None:
    first = [entry("lab/a"), entry("lab/b"), entry("lab/c", made={"lang": "ko"}, n=50)]
    checks = check_additions(first, [])
    assert [failed(checks[f"run of lab/{name}"]) for name in "abc"] == [False, False, True]
    assert {one.name for one in checks["run of lab/c"] if one.status is Status.FAIL} == {"setting", "items"}


def test_a_folder_may_enter_a_leaderboard_of_the_same_folder() -> None:
    data = {"data": "dir:mine#0123456789ab"}
    (checks,) = check_additions(
        [entry(made=data)], [replace(one, made={**MADE, **data}) for one in THERE]
    ).values()
    assert not failed(checks)


CARD = "culturalbench@996d62a"
"""A release whose record has no checksums: its host gives them when it is fetched."""


@pytest.mark.parametrize(
    ("here", "status", "words"),
    [
        ({}, Status.UNSURE, f"folkways data fetch {CARD}"),
        ({CARD: "0123456789ab"}, Status.PASS, "of the copy here"),
        ({CARD: "ba9876543210"}, Status.UNSURE, "which has another (ba9876543210)"),
    ],
)
def test_contents_without_a_checksum_in_the_record_are_those_of_a_copy(
    here: dict[str, str], status: Status, words: str
) -> None:
    made = entry(made={"data": f"{CARD}#0123456789ab"})
    (checks,) = check_additions([made], [], here=here).values()
    (release,) = (check for check in checks if check.name == "release")
    assert release.status is status and words in release.message


def test_a_release_has_a_fingerprint_for_each_choice_of_its_optional_files() -> None:
    record = get_record("xcr")
    assert sum(file.optional for file in record.files) == 3
    assert len(record.fingerprints) == 2**3 and record.has_all_fingerprints
    (whole, *_) = record.files
    for amount, all_ in ((6, True), (7, False)):
        spare = [replace(whole, path=f"{number}.csv", optional=True) for number in range(amount)]
        bounded = replace(record, files=(replace(whole, optional=False), *spare))
        assert len(bounded.fingerprints) == (2**amount if all_ else 2)
        assert bounded.has_all_fingerprints is all_
    many = get_record("blend@24e7d73")
    assert len(many.fingerprints) == 2 and not many.has_all_fingerprints
    other = entry(made={"data": "blend@24e7d73#0123456789ab"})
    (checks,) = check_additions([other], []).values()
    assert [check.name for check in checks if check.status is Status.UNSURE] == ["release"]


def test_replies_that_are_not_read_by_likelihood_are_text() -> None:
    text, loglik = entry().setting, entry(made={"settings": "read=loglik"}).setting
    assert list(unlike(text, loglik)) == ["read text here, loglik there"]
    assert list(unlike(loglik, text)) == ["read loglik here, text there"]
    assert list(unlike({**text, "cultures": "KR"}, text)) == ["cultures KR here, none there"]
