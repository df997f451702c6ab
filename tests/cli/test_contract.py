"""Slips of somebody who writes a benchmark: each is named, with task, file, row and remedy, before a request is sent or after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from itertools import cycle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.api import load_run
from folkways.benchmarks.frame_checks import item_problems
from folkways.benchmarks.registry import get_task
from folkways.releases.stored_releases import locate
from folkways.runs.benchmark_check import check_benchmark
from tests.support.benchmark_packages import QUESTIONS, installed, package
from tests.support.command_line import environment, folkways, rows

INIT, DATA = "__init__.py", "data/questions.csv"

# fmt: off
BEFORE = {
    "two items with one id": ((DATA, "FR-2", "FR-1"), "rows(), row 5 ('FR-1'): row 2 has the same id", "unique"),
    "an id of nothing": ((DATA, "\nKR-2,", "\n,"), "rows(), row 4", "without an id"),
    "an unknown culture": ((DATA, "KR-2,KR", "KR-2,XX"), "row 4 ('KR-2'): culture 'XX' is not the code", "folkways cultures"),
    "a culture by its name": ((DATA, "KR-2,KR", "KR-2,South Korea"), "culture 'South Korea' is not the code", "write 'KR'"),
    "no culture": ((DATA, "KR-2,KR", "KR-2,"), "row 4 ('KR-2'): culture is empty", "folkways cultures"),
    "a gold that is no label": ((DATA, "MA,C,daily", "MA,D,daily"), "row 3 ('MA-1'): gold_letter 'D'", "A, B, C"),
    "a gold in lower case": ((DATA, "MA,B,daily\nMA", "MA,b,daily\nMA"), "row 2 ('FR-1'): gold_letter 'b'", "A, B, C"),
    "no gold": ((DATA, "MA,C,daily", "MA,,daily"), "row 3 ('MA-1'): gold_letter ''", "A, B, C"),
    "options of another number": ((DATA, "beer|soup|mint tea", "beer|mint tea"), "row 3 ('MA-1'): has 2 options", "labels has 3"),
    "an empty option": ((DATA, "beer|soup|mint tea", "beer||mint tea"), "row 3 ('MA-1'): an option is empty", "leave the item out"),
    "no items": ((INIT, "yield from csv.DictReader(file)", "yield from ()"), "gives no item", "rows()"),
    "a key misspelt": ((INIT, '"topic": row["topic"]', '"topik": row["topic"]'), "'topik' is not one of the columns", "did you mean 'topic'"),
    "a facet left out": ((INIT, '"gold": row["answer"], "topic": row["topic"],', '"gold": row["answer"],'), "lacks 'topic'", "None"),
    "a column left out": ((INIT, ', "right": row["answer"],\n', ",\n"), "lacks 'right'", "None"),
    "a list for a text": ((INIT, '"gold": right, "answers": [right]', '"gold": [right], "answers": [right]'), "gold is ['rice cakes']", "String"),
    "text for a list": ((INIT, '"options": row["options"].split("|"), "option', '"options": row["options"], "option'), "options is 'rice cakes", "List"),
    "a list not declared as parallel": ((INIT, '    permuted = ("options", "option_cultures")\n', ""), "option_cultures is as long as the options", "not_permuted"),
    "a parallel list that is too short": ((DATA, "FR|KR|MA,A,daily", "FR|KR,A,daily"), "row 5 ('FR-2'): option_cultures has to be as long", "permuted"),
    "a name that is in no part": ((INIT, '"{question}\\nAnswer in a few', '"{qestion}\\nAnswer in a few'), "templates(): the template 'plain' (markets) in 'en' has {qestion}", "did you mean {question}?"),
    "an empty prompt": ((INIT, 'Template("{question}\\nAnswer in a few words."', 'Template(" "'), "prompts() ('KR-1'): the prompt is empty", "template"),
    "two prompts of one kind": ((INIT, "    def accepted_answers", "    def prompts(self, items, options, release):\n        made = super().prompts(items, options, release)\n        return made.vstack(made)\n\n    def accepted_answers"), "prompts() ('KR-1'): it is asked twice in 'en'", "variant"),
    "a prompt of no item": ((INIT, "    def accepted_answers", "    def prompts(self, items, options, release):\n        made = super().prompts(items, options, release)\n        return made.with_columns(item='XX-' + pl.col('item'))\n\n    def accepted_answers"), "prompts() ('XX-KR-1'): there is no item of that id", "to be asked"),
    "an unknown language": ((INIT, '"local_language": "en"', '"local_language": "English"'), "language 'English' is not the code", "write 'en'"),
    "an exception in rows": ((INIT, 'row["topic"]', 'row["subject"]'), "failed in rows() before the first row: KeyError: 'subject', markets/__init__.py, line", "FOLKWAYS_DEBUG=1"),
    "an exception in a later row": ((INIT, "        for row in read(release):\n            right =", "        for row in read(release):\n            int(row['id'] != 'FR-1' or 'x')\n            right ="), "words of the package markets failed in rows() after row 1 ('KR-1'): ValueError", "markets/__init__.py, line"),
    "an id in two batches": ((INIT, "    def accepted_answers", "    def item_batches(self, release):\n        yield self.items(release)\n        yield self.items(release)\n\n    def accepted_answers"), "two batches have an item of the same id", "unique"),
    "an exception in parts": ((INIT, 'return {"question": item["text"]}', 'return {"question": item["txt"]}'), "failed in parts() for item 'KR-1' in 'en': KeyError: 'txt'", "line"),
    "a file that is not there": ((INIT, '"questions.csv"', '"question.csv"'), "has no file question.csv", "markets"),
    "no release of that name": ((INIT, 'name = "NAME/own"\n    release = "NAME"', 'name = "NAME/own"\n    release = "marketz"'), "unknown release 'marketz'", "did you mean 'markets'"),
}
# fmt: on
"""What is wrong -> file, text and its replacement, and what the message says."""


def failed_check() -> str:
    """What the check of the installed package prints, which has to find a slip in it, and names it once in
    each part."""
    done = folkways("benchmarks", "check", "markets")
    for part in re.split(r"^(?=\S)", done.stdout, flags=re.MULTILINE):
        assert len({*part.splitlines()}) == len(part.splitlines()), part
    output = " ".join(done.stdout.split())
    assert (done.returncode, "Traceback" in output) == (1, False), output + done.stderr
    return output


# fmt: off
AFTER = {
    "a metric misspelt": ((INIT, '{"correct": float(any', '{"corect": float(any'), "score(): item 'KR-1'", "'corect', which is not a metric", "did you mean 'correct'?"),
    "a metric left out": ((INIT, '{"correct": right, "near": right}', '{"correct": right}'), "no value of the metric 'near'", "None where it does not apply"),
    "a metric too much": ((INIT, '"near": right}', '"near": right, "far": 1.0}'), "'far', which is not a metric", "valid: correct, near"),
    "a value that is text": ((INIT, '"near": right}', '"near": "yes"}'), "'near' is 'yes'", "give a number"),
    "a percentage": ((INIT, '"near": right}', '"near": 100 * right}'), "near is 100.0", "within (0.0, 1.0)"),
    "a share where a proportion is declared": ((INIT, '{"correct": right, ', '{"correct": right / 2, '), "correct is 0.5", "kind='mean'"),
    "not a number": ((INIT, '"near": right}', '"near": float("nan")}'), "near is nan", "within"),
    "a detail misspelt": ((INIT, '{"chosen_culture": whose}', '{"chosen_cultur": whose}'), "details has 'chosen_cultur'", "did you mean 'chosen_culture'?"),
    "no verdict": ((INIT, 'return ReplyScore(reply, "compared"', 'ReplyScore(reply, "compared"'), "it gives None; give a ReplyScore", "words"),
    "an answer that is no label": ((INIT, 'return ReplyScore(letter, "by letter"', 'return ReplyScore("rice", "by letter"'), "the answer 'rice' is not one of the labels A, B, C", "own"),
    "an exception in verdict": ((INIT, "whose = dict(", "whose = dct("), "markets/own of the package markets failed in score() for the reply 'A' to item 'KR-1': NameError", "markets/__init__.py, line"),
    "an exception in summarise": ((INIT, "    def accepted_answers", "    def summarise(self, judgements):\n        return judgements.select('nothing')\n\n    def accepted_answers"), "failed in summarise(): ColumnNotFoundError", "markets/__init__.py, line"),
    "another order": ((INIT, "    def accepted_answers", "    def judge(self, items, responses, profile):\n        return super().judge(items, responses, profile).reverse()\n\n    def accepted_answers"), "judge(), row 1 ('KR-1'): ", "and that of the response 'KR-1'", "order of the responses"),
    "a row too few": ((INIT, "    def accepted_answers", "    def judge(self, items, responses, profile):\n        return super().judge(items, responses, profile).head(3)\n\n    def accepted_answers"), "3 judgements of 5 responses", "in order"),
    "a column of judgements left out": ((INIT, "    def accepted_answers", "    def judge(self, items, responses, profile):\n        return super().judge(items, responses, profile).drop('correct')\n\n    def accepted_answers"), "lack the column correct", "judge()"),
    "a state of its own": ((INIT, "    def accepted_answers", "    def judge(self, items, responses, profile):\n        return super().judge(items, responses, profile).with_columns(state=pl.lit('done'))\n\n    def accepted_answers"), "state 'done' is not one of answered, refused", "row 1"),
    "no decision whether it counts": ((INIT, "    def accepted_answers", "    def judge(self, items, responses, profile):\n        return super().judge(items, responses, profile).with_columns(counted=pl.lit(None, pl.Boolean))\n\n    def accepted_answers"), "counted is null; say True or False", "row 1"),
    "a score of no metric": ((INIT, "    def accepted_answers", "    def summarise(self, judgements):\n        return super().summarise(judgements).with_columns(metric=pl.lit('corect'))\n\n    def accepted_answers"), "a score of 'corect'", "did you mean 'correct'?"),
}
# fmt: on

BEFORE_OF_EACH_KIND = {
    "two items with one id", "no items", "an empty prompt", "an unknown language", "an exception in a later row",
    "an id in two batches", "a file that is not there", "no release of that name",
}  # fmt: skip
"""One slip each of a batch, a release, prompts and languages, and of what ends the reading."""


def each_kind_always(slips: Iterable[str], always: Set[str]) -> list[Any]:
    """The slips as parameters; those that are of the kind of another one only at night."""
    return [pytest.param(slip, marks=() if slip in always else pytest.mark.nightly) for slip in slips]


@pytest.mark.parametrize("slip", [*BEFORE, *AFTER])
def test_the_check_names_a_slip(tmp_path: Path, slip: str) -> None:
    (file, old, new), *parts = (BEFORE | AFTER)[slip]
    package(tmp_path, edits={file: (old, new)})
    with installed(tmp_path):
        checked = failed_check()
    assert [part for part in parts if part not in checked] == []
    assert "a run of baselines" not in checked


@pytest.mark.parametrize("slip", each_kind_always(BEFORE, BEFORE_OF_EACH_KIND))
def test_a_slip_is_named_before_a_request_is_sent(tmp_path: Path, slip: str) -> None:
    (file, old, new), *parts = BEFORE[slip]
    package(tmp_path, edits={file: (old, new)})
    with installed(tmp_path):
        done = folkways("run", "markets", "--model", "baseline/first", "--workspace", tmp_path / "w.db")
    message = " ".join(done.stderr.split())
    assert done.returncode == 2
    for part in parts:
        assert part in message
    assert "Traceback" not in message and message.startswith("error: ")
    assert rows(tmp_path / "w.db", "SELECT count(*) FROM responses") in ([], [(0,)])


MENDED = {"a metric misspelt", "an exception in summarise", "another order", "a score of no metric"}
"""Of the slips: one each where a reply is scored, a run is, all are judged, and what came of it is looked at."""


@pytest.mark.parametrize("slip", each_kind_always(AFTER, MENDED))
def test_a_slip_in_judging_is_named_and_costs_no_reply_and_no_other_task(tmp_path: Path, slip: str) -> None:
    (file, old, new), *parts = AFTER[slip]
    package(tmp_path, edits={file: (old, new)})
    there = ("--workspace", tmp_path / "w.db")
    with installed(tmp_path):
        done = folkways("run", "markets", "demo/mcq", "--model", "baseline/first", *there)
        message = " ".join(done.stderr.split())
        assert done.returncode == 2
        for part in parts:
            assert part in message
        assert "Traceback" not in message
        assert rows(tmp_path / "w.db", "SELECT count(*) FROM responses") != [(0,)]
        scored = rows(tmp_path / "w.db", "SELECT DISTINCT task FROM scores")
        assert len(scored) == 3 and ("demo/mcq",) in scored  # of four tasks, one of which is broken
    if slip not in MENDED:
        return
    package(tmp_path / "mended")
    with installed(tmp_path / "mended"):
        again = folkways("score", "last", *there)
        assert again.returncode == 0, again.stderr
    assert len(rows(tmp_path / "w.db", "SELECT DISTINCT task FROM scores")) == 4


# fmt: off
ONLY_THE_CHECK = {
    "items by chance": ((INIT, '"gold": right, "answers"', '"gold": right + str(id(row)), "answers"'), "markets/words: items", "differ from one call to the next"),
    "a judge by chance": ((INIT, 'return ReplyScore(reply, "compared"', 'return ReplyScore(reply, str(id(object()) + len(SEEN)) + str(SEEN.append(1))'), "markets/words: judging", "judged otherwise from one call to the next"),
    "a right answer that is wrong": ((INIT, "float(any(answer in", "float(not any(answer in"), "the right answer to 'KR-1' in the variant 'plain', 'rice cakes', is worth correct = 0.0", "5 of 5"),
    "a gold that is not turned": ((INIT, 'right = float(letter == item["right"])', 'right = float(letter == item["gold"])'), "in the variant 'plain~order-2'", "is worth correct = 0.0"),
    "a chance below nothing": ((INIT, '    permuted = ("options", "option_cultures")\n', '    permuted = ("options", "option_cultures")\n\n    def chance(self):\n        return -0.5\n'), "markets/own", "chance(): -0.5 is not a percentage"),
    "two tasks of one name": ((INIT, "(Choice(), Own(), Words())", "(Choice(), Own(), Own())"), "two tasks are called markets/own", "a name of its own"),
    "a metric of odd bounds": ((INIT, 'kind="mean")', 'kind="mean", bounds=(1.0, 0.0))'), "bounds (1.0, 0.0)", "(lowest, highest)"),
    "a metric whose best is a lost reply": ((INIT, 'kind="mean")', 'kind="mean", bounds=None, lower_is_better=True)'), "a lost reply would count as the best", "define worst()"),
    "facets that are no tuple": ((INIT, 'facets = ("topic",)', 'facets = ("topic")'), "facets = 'topic' has to be a tuple", "mind the comma"),
    "a syntax error": ((INIT, "class Words(ItemwiseTask):", "class Words(ItemwiseTask)"), "cannot be loaded (SyntaxError", "__init__.py, line"),
    "a record without licence": (("records/NAME-1.toml", 'licence = "Apache-2.0"\n', ""), "markets-1.toml: lacks the key 'licence'", "its releases"),
}
# fmt: on


def test_a_sound_benchmark_keeps_the_contract(tmp_path: Path) -> None:
    package(tmp_path)
    with installed(tmp_path):
        done = folkways("benchmarks", "check", "markets", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("markets passes all checks.\n")
    for task in ("choice", "own", "words"):
        assert f"ok       markets/{task}: a run of baselines, and its report" in done.stdout
    assert not (tmp_path / "folkways.db").exists()


@pytest.mark.parametrize(
    ("lengths", "told"), [((4,), True), ((4, 3), False), ((1,), False), ((4, None), False), ((None,), False)]
)
def test_a_list_is_to_be_declared_if_it_is_as_long_as_the_options_everywhere(
    lengths: tuple[int | None, ...], told: bool
) -> None:
    task, release = get_task("demo/mcq"), locate("demo")
    items = task.items(release)
    lists = [None if length is None else ["x"] * length for _, length in zip(items["item"], cycle(lengths))]
    noted = items.with_columns(pl.Series("notes", lists, dtype=pl.List(pl.String)))
    slips = [*item_problems(task, noted)]
    assert [" notes is as long as the options" in slip for slip in slips] == [True] * told, slips


@pytest.mark.parametrize("slip", ONLY_THE_CHECK)
def test_the_check_names_what_a_run_does_not_notice(tmp_path: Path, slip: str) -> None:
    (file, old, new), *parts = ONLY_THE_CHECK[slip]
    package(tmp_path, edits={file: (old, new)})
    if "SEEN" in new:
        source = tmp_path / "markets" / INIT
        source.write_text("SEEN = []\n" + source.read_text())
    with installed(tmp_path):
        output = failed_check()
    for part in parts:
        assert part in output


def test_the_demo_keeps_the_contract() -> None:
    assert [each for each in check_benchmark("demo") if each.problems or each.skipped] == []


@pytest.mark.shared
def test_a_benchmark_keeps_the_contract_on_its_released_data(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path))
    assert (
        folkways(
            "data",
            "fetch",
            "xcr",
            "--from",
            shared / "data" / "xcr",
            env=environment(FOLKWAYS_DATA=str(tmp_path)),
        ).returncode
        == 0
    )
    assert [each for each in check_benchmark("xcr") if each.problems or each.skipped] == []


def test_a_task_without_data_here_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path))
    checks = [each for each in check_benchmark("blend") if each.what.startswith("blend/")]
    assert [each.problems for each in checks] == [(), ()]
    assert all("is not on this disk" in (each.skipped or "") for each in checks)


@pytest.mark.nightly
@pytest.mark.shared
@pytest.mark.parametrize("benchmark", ["blend", "demo", "xcr"])
def test_a_benchmark_keeps_the_contract_and_its_baselines_have_a_report(
    shared: Path, tmp_path: Path, benchmark: str
) -> None:
    env = environment(FOLKWAYS_DATA=str(tmp_path))
    if benchmark != "demo":
        fetched = folkways("data", "fetch", benchmark, "--from", shared / "data" / benchmark, env=env)
        assert fetched.returncode == 0
    done = folkways("benchmarks", "check", benchmark, env=env)
    assert done.returncode == 0, done.stdout


def test_an_unknown_benchmark_is_told_with_what_was_meant() -> None:
    done = folkways("benchmarks", "check", "dmo")
    assert (done.returncode, "did you mean 'demo'?" in done.stderr) == (2, True)


def test_lists_that_go_with_the_options_are_turned_with_them(tmp_path: Path) -> None:
    package(tmp_path)
    with installed(tmp_path):
        done = folkways(
            "run",
            "markets/own",
            "--model",
            "baseline/first",
            "--permute-options",
            "3",
            "-w",
            tmp_path / "w.db",
        )
        assert done.returncode == 0, done.stderr
        judged = load_run("last", tmp_path / "w.db").judgements()
    whose = {line.split(",")[0]: line.split(",")[4].split("|") for line in QUESTIONS.splitlines()[1:]}
    assert set(judged["variant"]) == {"plain", "plain~order-2", "plain~order-3"}
    assert len(set(judged["chosen_option"])) == 3
    for item, option, culture in judged.select("item", "chosen_option", "chosen_culture").iter_rows():
        assert culture == whose[item]["ABC".index(option)]
