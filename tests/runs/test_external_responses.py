"""Replies made elsewhere: every layout gives the same verdicts, every expected item has a row, nothing is
guessed in silence."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from folkways import api
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.xcr import release as xcr
from folkways.cultures import cultures
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.records import JUDGEMENTS, SCORES, State
from folkways.runs.judging.external_responses import (
    JudgedReplies,
    culture_in_name,
    items_in_order_of,
    judge_file,
)
from tests.support.blend_data import write_release
from tests.support.command_line import folkways
from tests.support.mcq_data import right_letter
from tests.support.xcr_data import write_csv, write_small_corpus

Mcq = Callable[[int], Path]

QUESTIONS = 60


@pytest.fixture
def judge(mcq: Mcq) -> Callable[..., JudgedReplies]:
    """``judge(path, ...)`` against the multiple-choice questions of our own."""
    release = open_release(mcq(QUESTIONS), "blend")
    return lambda path, **options: judge_file(get_task("blend/mcq"), release, path, **options)


@pytest.fixture
def replies(mcq: Mcq) -> pl.DataFrame:
    """``item``, ``response``: right where the number is not divisible by three."""
    items = get_task("blend/mcq").items(open_release(mcq(QUESTIONS), "blend"))["item"]
    said = [right_letter(number) if number % 3 else "no idea" for number in range(QUESTIONS)]
    return pl.DataFrame({"item": items, "response": said})


@pytest.mark.parametrize(
    ("task", "options"), [("survey/opinions", {}), ("demo/mcq", {"permute_options": 3}), ("demo/saq", {})]
)
def test_replies_of_a_run_are_judged_as_in_it_in_all_forms_of_a_question(
    tmp_path: Path, task: str, options: dict[str, int]
) -> None:
    def last(prompt: str) -> str:
        return "B" if "\nB. " in prompt else "2"

    done = api.run(task, models=last, workspace=tmp_path / "w.db", **options)
    known = done.judgements().filter(~pl.col("endpoint").str.starts_with("baseline/"))
    path = write(known.select("item", "language", "variant", "response"), tmp_path / "replies.csv")
    judged = judge_file(
        get_task(task), open_release(get_task(task).release, task.split("/")[0]), path
    ).judgements
    metrics = [metric.name for metric in get_task(task).metrics if metric.name in known.columns]
    keys = ["item", "language", "variant"]
    assert_frame_equal(
        judged.select(*keys, "state", *metrics).sort(keys), known.select(*keys, "state", *metrics).sort(keys)
    )
    assert known["variant"].n_unique() > 1 or task == "demo/saq"


@pytest.mark.parametrize(
    ("task", "variant", "valid"),
    [
        ("survey/opinions", "one", "one-letters-given"),
        ("demo/mcq", "plain~order-99", "plain~order-2"),
        ("demo/mcq", "plain~with-persona-second", "leave their rows out"),
    ],
)
def test_a_variant_that_no_prompt_has_is_told(tmp_path: Path, task: str, variant: str, valid: str) -> None:
    items = get_task(task).items(open_release(get_task(task).release, task.split("/")[0]))
    replies = items.select("item", response=pl.lit("B"), variant=pl.lit(variant))
    path = write(replies, tmp_path / "replies.csv")
    with pytest.raises(FolkwaysError, match=rf"unknown variant of {task}: '{variant}'") as told:
        judge_file(get_task(task), open_release(get_task(task).release, task.split("/")[0]), path)
    assert valid in str(told.value)


def write(frame: pl.DataFrame, path: Path) -> Path:
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl" | ".ndjson":
            frame.write_ndjson(path)
        case _:
            frame.write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"])
def test_every_format_gives_the_same_verdicts(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path, suffix: str
) -> None:
    judged = judge(write(replies, tmp_path / f"replies{suffix}"))
    assert judged.judgements["item"].to_list() == replies["item"].to_list()
    assert judged.judgements["accuracy"].to_list() == [float(number % 3 > 0) for number in range(QUESTIONS)]
    assert set(JUDGEMENTS) <= set(judged.judgements.columns)
    assert judged.judgements.columns[-1] == "reason"
    whole = judged.scores.filter(pl.col("facet") == "all", pl.col("metric") == "accuracy").row(0, named=True)
    assert (whole["n"], whole["score"]) == (QUESTIONS, pytest.approx(200 / 3))
    assert {name for name in SCORES if name not in ("endpoint", "signature")} <= set(judged.scores.columns)


@pytest.mark.parametrize("column", ["item", "release_id", "id", "ID", "MCQID"])
def test_items_are_found_by_whatever_names_them(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path, column: str
) -> None:
    shuffled = replies.sample(fraction=1.0, shuffle=True, seed=4).rename({"item": column})
    judged = judge(write(shuffled, tmp_path / "replies.csv"))
    assert judged.judgements["accuracy"].to_list() == [float(number % 3 > 0) for number in range(QUESTIONS)]


@pytest.mark.parametrize("ids", ["item", "release_id"])
def test_the_column_item_may_hold_the_ids_of_the_release(tmp_path: Path, ids: str) -> None:
    task, release = get_task("blend/saq"), open_release(write_release(tmp_path / "release"), "blend")
    items = (
        task.items(release)
        .filter(pl.col("culture") == "ES")
        .select(pl.col(ids).alias("item"), response=pl.lit("té"))
    )
    options = {"culture": "ES", "language": "es", "variant": "inst-4"}
    judged = judge_file(task, release, write(items, tmp_path / "replies.csv"), **options)
    assert judged.judgements["item"].str.starts_with("ES/").all()
    assert set(judged.judgements["state"]) == {"answered"}
    unknown = write(pl.DataFrame({"item": ["nope"], "response": ["té"]}), tmp_path / "unknown.csv")
    with pytest.raises(DataError, match="'nope'; its own look like 'ES/"):
        judge_file(task, release, unknown, **options)


def test_a_file_that_names_no_prompt_is_taken_for_one_of_the_first(tmp_path: Path) -> None:
    task, release = get_task("blend/saq"), open_release(write_release(tmp_path / "release"), "blend")
    items = task.items(release).filter(pl.col("culture") == "ES").select("item", response=pl.lit("té"))
    path = write(items, tmp_path / "replies.csv")
    judged = judge_file(task, release, path, culture="ES", language="es")
    assert judged.judgements.select("item", "variant").rows() == [(item, "inst-4") for item in items["item"]]
    assert judged.notes[0] == (
        "the file names no prompt template: 'inst-4' is assumed (say another with variant=)"
    )


def test_by_position_ids_are_not_looked_at(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    path = write(replies.with_columns(item=pl.lit("whatever")), tmp_path / "replies.csv")
    by_position = judge(path, by_position=True).judgements
    assert by_position["accuracy"].to_list() == [float(number % 3 > 0) for number in range(QUESTIONS)]
    assert write(replies.drop("item"), tmp_path / "bare.csv").exists()
    assert judge(tmp_path / "bare.csv", by_position=True).judgements.equals(by_position)
    with pytest.raises(DataError, match="If its rows are in the order of the release, say by_position=True"):
        judge(tmp_path / "bare.csv")


def test_what_the_file_lacks_is_missing_and_stays_in_the_denominator(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    judged = judge(write(replies.head(45), tmp_path / "replies.csv"))
    assert judged.judgements.height == QUESTIONS
    missing = judged.judgements.filter(pl.col("state") == State.MISSING)
    assert missing["item"].to_list() == replies["item"].to_list()[45:]
    assert set(missing["reason"]) == {"the file has no row for it"}
    whole = judged.scores.filter(pl.col("facet") == "all", pl.col("metric") == "accuracy").row(0, named=True)
    assert (whole["n"], whole["missing"], whole["coverage"]) == (QUESTIONS, 15, 0.75)
    assert whole["score"] == pytest.approx(100 * 30 / QUESTIONS)
    assert whole["at_best"] == pytest.approx(100 * 45 / QUESTIONS)


def test_a_row_without_a_reply_is_told_from_an_empty_one(
    judge: Callable[..., JudgedReplies], tmp_path: Path, mcq: Mcq
) -> None:
    items = get_task("blend/mcq").items(open_release(mcq(QUESTIONS), "blend"))["item"].to_list()
    path = tmp_path / "replies.jsonl"
    path.write_text(
        json.dumps({"item": items[0], "response": None})
        + "\n"
        + json.dumps({"item": items[1], "response": ""})
    )
    states = judge(path).judgements.select("state", "reason").rows()
    assert states[0] == (State.MISSING, "its row has no reply")
    assert states[1][0] == State.UNREADABLE


def test_of_several_rows_the_last_counts_and_the_reader_is_told(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    wrong_first = pl.concat([replies.head(3).with_columns(response=pl.lit("no idea")), replies])
    judged = judge(write(wrong_first, tmp_path / "replies.csv"))
    assert judged.judgements["accuracy"].to_list() == [float(number % 3 > 0) for number in range(QUESTIONS)]
    assert "3 rows repeat an item: the last row of each counts" in judged.notes


@pytest.mark.parametrize("word", ["None", "NA", "null", "nan", "N/A"])
def test_no_word_is_taken_for_a_missing_reply(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path, word: str
) -> None:
    judged = judge(write(replies.with_columns(response=pl.lit(word)), tmp_path / "replies.csv")).judgements
    assert State.MISSING not in set(judged["state"])


def test_samples_are_judged_one_by_one(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    twice = pl.concat(
        [replies.with_columns(sample=pl.lit(float(number))) for number in range(2)]
    )  # as pandas writes them
    judged = judge(write(twice.slice(0, 2 * QUESTIONS - 5), tmp_path / "replies.csv")).judgements
    assert judged.height == 2 * QUESTIONS
    assert judged.group_by("sample").len().sort("sample").rows() == [(0, QUESTIONS), (1, QUESTIONS)]
    assert judged.filter(pl.col("state") == State.MISSING)["sample"].to_list() == [1] * 5


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "1.5", "1e300", "9" * 20, "one", "", None])
def test_what_is_no_number_of_a_sample_is_named_with_its_row(number: str | None) -> None:
    items = ["KR/school-1", "US/school-1", "US/school-1"]
    rows = {"item": items, "response": ["A", "A", "A"], "sample": ["0.0", number, "other"]}
    with pytest.raises(DataError) as error:
        api.judge("demo/mcq", pl.DataFrame(rows))
    assert str(error.value) == f"the frame, row 2: sample {number!r} is not a whole number from 0 on"


def test_a_culture_narrows_what_is_expected(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    judged = judge(
        write(replies.gather_every(10, 2), tmp_path / "replies.csv"), culture="South Korea"
    ).judgements
    assert judged.height == QUESTIONS // 10
    assert set(judged["culture"]) == {"KR"}
    assert State.MISSING not in set(judged["state"])


class TestSeveralLanguages:
    """A task that is asked in several languages and of which the file tells none."""

    @staticmethod
    def file(folder: Path, name: str = "replies.csv") -> Path:
        items = get_task("demo/saq").items(open_release("demo"))
        return write(
            items.filter(pl.col("culture") == "KR").select("item", response=pl.lit("rice")), folder / name
        )

    def test_the_language_has_to_be_said(self, tmp_path: Path) -> None:
        task, release = get_task("demo/saq"), open_release("demo")
        with pytest.raises(
            FolkwaysError,
            match=r"in which language were the items asked\? Say it with language= \(valid: .*ko",
        ):
            judge_file(task, release, self.file(tmp_path), culture="KR")
        for language in ("ko", "en"):
            judged = judge_file(
                task, release, self.file(tmp_path), culture="KR", language=language
            ).judgements
            assert set(judged["language"]) == {language}
            assert set(judged["culture"]) == {"KR"}
            assert State.MISSING not in set(judged["state"])

    def test_a_column_tells_it(self, tmp_path: Path) -> None:
        path = self.file(tmp_path)
        both = pl.concat(
            [pl.read_csv(path).with_columns(language=pl.lit(language)) for language in ("ko", "en")]
        )
        judged = judge_file(
            get_task("demo/saq"), open_release("demo"), write(both, path), culture="KR"
        ).judgements
        assert set(judged["language"]) == {"ko", "en"}
        assert State.MISSING not in set(judged["state"])

    def test_the_name_of_the_file_may_tell_it(self, tmp_path: Path) -> None:
        judged = judge_file(
            get_task("demo/saq"), open_release("demo"), self.file(tmp_path, "south_Korean.csv"), culture="KR"
        )
        assert set(judged.judgements["language"]) == {"ko"}
        assert any("Korean" in note for note in judged.notes)


def test_the_verdicts_of_the_command_are_those_of_the_function(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, mcq: Mcq, tmp_path: Path
) -> None:
    rng = random.Random(1)
    rows = replies.with_columns(
        response=pl.Series(
            [rng.choice(["A", "B. yes", "I cannot say", "=1+1", "\x1b[31mC"]) for _ in replies["item"]]
        )
    )
    path = write(rows, tmp_path / "replies.csv")
    expected = judge(path).judgements
    for out in ("verdicts.parquet", "verdicts.csv", "verdicts.jsonl", "verdicts.json"):
        done = folkways(
            "judge", "blend/mcq", "--release", mcq(QUESTIONS), "--responses", path, "--out", tmp_path / out
        )
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
        assert f"wrote {tmp_path / out} ({QUESTIONS} rows)" in done.stderr
    assert pl.read_parquet(tmp_path / "verdicts.parquet").equals(expected)
    for found in (pl.read_csv(tmp_path / "verdicts.csv"), pl.read_ndjson(tmp_path / "verdicts.jsonl")):
        assert found["item"].to_list() == expected["item"].to_list()
        assert found["accuracy"].to_list() == expected["accuracy"].to_list()
        assert found["state"].to_list() == expected["state"].to_list()


def test_scores_say_how_they_were_made_and_what_is_not_known(
    judge: Callable[..., JudgedReplies], replies: pl.DataFrame, tmp_path: Path
) -> None:
    path = write(replies, tmp_path / "replies.csv")
    (paper,) = set(judge(path).scores["signature"])
    (strict,) = set(judge(path, profile="strict").scores["signature"])
    assert paper.startswith("task:blend/mcq|data:dir:")
    assert "|prompts:elsewhere|" in paper
    assert paper.replace("profile:paper", "profile:strict") == strict
    assert "settings" not in paper


def test_a_file_in_another_order_that_names_its_items_is_followed(tmp_path: Path) -> None:
    release = write_small_corpus(tmp_path)
    sentences = xcr.corpus(release)["sentence"].to_list()
    order = [2, 0, 4, 1, 3]  # 0 and 3 are the same sentence, and stay in order of occurrence
    rows = [(sentences[place], sentences[place]) for place in order]
    write_csv(tmp_path / "copy.csv", [("Sentence", "CSI Output"), *rows])
    judged = judge_file(get_task("xcr/prediction"), release, tmp_path / "copy.csv", by_position=True)
    assert any("in another order than the release" in note for note in judged.notes)
    ids = xcr.corpus(release)["id"]
    assert judged.judgements["item"].to_list() == [ids[place] for place in order]
    assert judged.judgements["hp_csi"].to_list() == [1, 1, 0, 2, 1]


@pytest.mark.parametrize("key", ["item", "release_id"])
@pytest.mark.parametrize(
    ("rows", "released", "followed"),
    [
        ("abc", "abc", True),
        ("cab", "abc", True),
        ("ab", "abc", False),
        ("abca", "abc", False),
        ("abb", "abc", False),
        ("abd", "abc", False),
        ("abca", "aabc", False),  # which of the two is meant?
        ("", "abc", False),
    ],
)
def test_rows_by_position_are_in_another_order_only_where_they_name_every_item_once(
    rows: str, released: str, followed: bool, key: str
) -> None:
    numbers = [str(number) for number in range(len(released))]
    items = pl.DataFrame({"item": numbers, "release_id": list(released)})
    items = items.with_columns(item="release_id") if key == "item" else items
    ordered = items_in_order_of(pl.DataFrame({key: list(rows)}, schema={key: pl.String}), items)
    assert ordered.columns == items.columns
    assert ordered["release_id"].to_list() == list(rows if followed else released)
    assert items_in_order_of(pl.DataFrame({"response": list(rows)}), items).equals(items)


NAMES = {
    (culture.code, name)
    for culture in cultures().values()
    for name in (culture.name, *culture.names.values())
}
"""What people and benchmarks call cultures in their data."""


@pytest.mark.parametrize("dress", ["{}", "{}.2", "gpt-4o_{}_inst-4_result", "results of {} (plus)", "my-{}"])
def test_a_file_is_of_the_culture_whose_name_it_has_and_of_none_whose_name_is_in_a_word(dress: str) -> None:
    files = {
        dress.format(written): code
        for code, name in NAMES
        for written in (name, name.replace(" ", "_"), name.upper())
    }
    assert {file: culture_in_name(Path(f"{file}.csv"), [*cultures()]) for file in files} == files
    for words in ("campus_results", "bulk", "my-usage", "nigerians"):
        assert culture_in_name(Path(f"{words}.csv"), [*cultures()]) is None


def test_a_file_name_chooses_among_the_cultures_of_its_task_alone() -> None:
    assert culture_in_name(Path("Korea_and_Mexico.csv"), ["MX", "IR"]) == "MX"
    assert culture_in_name(Path("Mexico.csv"), ["MX"]) is None, "there is nothing to choose"
    assert culture_in_name(Path("Papua_New_Guinea.csv"), ["GN", "MX"]) is None
    assert culture_in_name(Path("Guinea.csv"), ["GN", "MX"]) == "GN"
    assert culture_in_name(Path("Northern_Nigeria.csv"), ["NG", "MX"]) is None


@pytest.mark.parametrize(
    ("reason", "state"),
    [("content_filter", "refused"), ("refusal", "refused"), ("SAFETY", "refused"), ("stop", "answered")],
)
def test_every_providers_word_for_a_withheld_answer_is_a_refusal(reason: str, state: str) -> None:
    replies = pl.DataFrame({"item": ["US/holidays-1"], "response": ["A"], "finish_reason": [reason]})
    judgements = api.judge("demo/mcq", replies, language="en").judgements
    assert judgements.filter(item="US/holidays-1")["state"].to_list() == [state]


@pytest.mark.parametrize(
    ("columns", "several"),
    [
        ({"model": ["lab/a", None, "lab/a", ""]}, ""),
        ({"endpoint": ["", "", "", ""]}, ""),
        ({"model": ["lab/a", "lab/a", "lab/b", ""]}, "model"),
        ({"model": ["m"] * 4, "endpoint": ["lab/a", "lab/a", "lab/b", "lab/b"]}, "endpoint"),
    ],
)
def test_who_the_models_of_a_file_are(columns: dict[str, list[str]], several: str, tmp_path: Path) -> None:
    items = get_task("demo/mcq").items(open_release("demo", "demo")).head(4)
    replies = items.select("item", response=pl.lit("A")).with_columns(
        pl.Series(name, models, pl.String) for name, models in columns.items()
    )
    path = write(replies, tmp_path / "replies.csv")
    if not several:
        assert api.judge("demo/mcq", path).judgements["answer"].count() == 4
        return
    with pytest.raises(FolkwaysError, match=rf"lab/a and lab/b.*\n.*leave out the column '{several}'"):
        api.judge("demo/mcq", path)
    assert api.judge("demo/mcq", path, model="lab/a").judgements["answer"].count() == 2


@pytest.mark.parametrize(
    ("wrong", "options"),
    [
        ({"item": "nothing"}, {"model": "lab/b"}),
        ({"sample": "x"}, {"model": "lab/b"}),
        ({"sample": "x"}, {"variant": "plain"}),
    ],
)
def test_an_error_names_the_row_of_the_file_where_an_option_chooses_among_them(
    wrong: dict[str, str], options: dict[str, str]
) -> None:
    items = get_task("demo/mcq").items(open_release("demo", "demo"))["item"].head(4)
    rows = [
        {"item": item, "response": "A", "model": model, "variant": variant, "sample": "0"}
        for item, model, variant in zip(items, ["lab/a", "lab/b"] * 2, ["other", "plain"] * 2, strict=True)
    ]
    rows[3] |= wrong
    with pytest.raises(DataError, match="row 4"):
        api.judge("demo/mcq", pl.DataFrame(rows), **{"model": "lab/b", **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["model", "endpoint"])
def test_replies_of_several_models_are_never_judged_as_those_of_the_last(column: str, tmp_path: Path) -> None:
    items = get_task("demo/mcq").items(open_release("demo", "demo")).head(4)
    replies = pl.concat(
        items.select("item", pl.lit(name).alias(column), response=pl.lit(reply))
        for name, reply in (("lab/a", "A"), ("lab/b", "B"))
    )
    with pytest.raises(FolkwaysError, match=r"replies of several models \(lab/a and lab/b\).*model='lab/a'"):
        api.judge("demo/mcq", replies)
    for name, reply in (("lab/a", "A"), ("lab/b", "B")):
        judged = api.judge("demo/mcq", replies, model=name)
        assert set(judged.judgements["answer"].drop_nulls()) == {reply} and "repeat" not in " ".join(
            judged.notes
        )
        alone = api.judge("demo/mcq", replies.filter(pl.col(column) == name))
        assert alone.judgements.equals(judged.judgements)
    with pytest.raises(UnknownNameError, match="valid: lab/a, lab/b"):
        api.judge("demo/mcq", replies, model="lab/c")
    replies.write_parquet(tmp_path / "replies.parquet")
    told = folkways("judge", "demo/mcq", "--responses", "replies.parquet", "--out", "out.csv", cwd=tmp_path)
    assert (told.returncode, "--model lab/a" in told.stderr, (tmp_path / "out.csv").exists()) == (
        2,
        True,
        False,
    )
    done = folkways(
        "judge",
        "demo/mcq",
        "--responses",
        "replies.parquet",
        "--out",
        "out.csv",
        "--model",
        "lab/b",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
