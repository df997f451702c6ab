"""SuperBLEnD and BLEnD-Vis from their files to scores."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend_vis import ORIGINAL, REPHRASED
from folkways.benchmarks.blend_vis import READER as VIS_READER
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import can_read, files_read
from folkways.benchmarks.superblend import READER, TASK, read_as_paper
from folkways.cultures import cultures
from folkways.errors import DataError
from folkways.releases.layout import recognise
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.blend_family import COUNTRIES, superblend_rows, vis_rows, write_superblend, write_vis
from tests.support.command_line import environment, folkways
from tests.support.multiple_choice import judged, score


@pytest.fixture(scope="module")
def superblend(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_superblend(tmp_path_factory.mktemp("superblend"))


@pytest.fixture(scope="module")
def vis(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_vis(tmp_path_factory.mktemp("vis"))


def test_the_34_countries_are_cultures_and_paraphrases_of_a_fact_are_one_question(
    superblend: Release,
) -> None:
    items = TASK.items(superblend)
    codes = items["culture"].unique()
    assert len(codes) == len(COUNTRIES) == 34 and set(codes) <= cultures().keys()
    assert {"KP", "IN-AS", "ID-JB", "NG-N", "AE", "GB"} <= {*codes}
    emirates = items.filter(culture="AE")
    assert emirates["question"].to_list() == [
        *["United_Arab_Emirates/United_Arab_Emirates soup"] * 2,
        "United_Arab_Emirates/6",
    ]
    assert emirates["gold"].to_list() == [*["B. United_Arab_Emirates soup"] * 2, "C. 6"]
    assert items["text"][-1] == "Which dance?\nName it."
    assert items["options"][-1].to_list() == ["Day of the 'huaso'", 'the "cueca"', "{none}", "a: b"]


def test_the_authors_prompt_is_sent_as_released_and_lists_other_orders_in_its_own_form(
    superblend: Release,
) -> None:
    items = TASK.items(superblend)
    options = PromptOptions(variants=("authors",), orders=4)
    prompts = TASK.prompts(items, options, superblend).join(items, on="item")
    released = prompts.filter(variant="authors")
    assert released["user"].to_list() == [row["prompt"] for row in superblend_rows()]
    assert set(released["prompt_source"]) == {"release"}
    second = prompts.filter(variant="authors~order-2")
    assert second.height
    for row in second.iter_rows(named=True):
        before, listed, after = (
            row["user"].partition(brace)[n] for brace, n in (("{'A'", 0), ("{'A'", 2), ("}\n out", 2))
        )
        shown = ast.literal_eval("{'A'" + listed.rpartition("\n output")[0])
        assert [*shown] == [*"ABCD"] and [*shown.values()] != row["options"]
        assert sorted(shown.values()) == sorted(row["options"])
        assert row["released_prompt"].startswith(before) and row["released_prompt"].endswith(after)
    ours = TASK.prompts(items, PromptOptions(), superblend)
    assert set(ours["variant"]) == {"local"}
    assert ours["user"][0].endswith(
        "D. Figs\n\nAnswer with the letter of the right option and with nothing else."
    )


def test_replies_in_other_orders_are_judged_by_what_was_shown(superblend: Release) -> None:
    """A model that reads the list of the prompt, and finds the right text in it."""
    gold = {
        row["uuid"]: ast.literal_eval(row["prompt"].split(" :\n ")[1].split("\n output")[0])[row["gt"]]
        for row in superblend_rows()
    }

    def reply(row: dict[str, str]) -> str:
        listed = ast.literal_eval(row["user"].split(" :\n ")[1].split("\n output")[0])
        return next(letter for letter, text in listed.items() if text == gold[row["item"]])

    found = judged(TASK, superblend, reply, PromptOptions(variants=("authors",), orders=3))
    assert found["accuracy"].to_list() == [1.0] * found.height and found["chosen_letter"].n_unique() == 4


def test_the_score_is_the_mean_of_countries_and_not_of_rows(superblend: Release) -> None:
    found = judged(TASK, superblend, lambda row: "B" if row["culture"] == "CL" else "Z")
    assert score(TASK, found, "accuracy", "culture", "CL")["score"] == pytest.approx(100 * 3 / 5)
    assert score(TASK, found, "accuracy")["score"] == pytest.approx(100 * 3 / 5 / 34)
    pooled = score(TASK, found, "accuracy", "all (pooled)")
    assert pooled["score"] == pytest.approx(100 * 3 / 104)
    assert (pooled["n"], pooled["questions"]) == (104, 34 * 2 + 2)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        (" C\n", "C"),
        ("2", None),
        ("5", None),
        ("answer: b", "B"),
        ("Answer:\tD, since A and C are wrong", "D"),
        ("answer: A or answer: B", None),
        ("It is C.", "C"),
        ("A dish, so C", None),  # the article counts
        ("A dish", "A"),
        ("Both B and B", None),
        ("BD", None),
        ("E", None),
        ("", None),
    ],
)
def test_the_authors_rule_reads_one_letter_or_none(reply: str, letter: str | None) -> None:
    assert read_as_paper(reply) == letter


@given(st.text(alphabet="ABCDE answer:.\n024", max_size=20))
def test_the_authors_rule_only_reads_letters_that_are_there(reply: str) -> None:
    letter = read_as_paper(reply)
    assert letter is None or letter in reply.upper()


def test_the_profiles_differ_where_the_rules_do(superblend: Release) -> None:
    assert TASK.scoring.profiles == ("strict", "paper")
    items = TASK.items(superblend)
    row = items.row(0, named=True)
    for text, strict, paper in (("North_Korea soup", 1.0, None), ("A dish", None, 0.0), ("B", 1.0, 1.0)):
        response = {"response": text, "variant": "local", "language": "en"}
        values = [
            TASK.score(row, response, profile).values.get("accuracy") for profile in TASK.scoring.profiles
        ]
        assert values == [strict, paper], text


def test_what_is_odd_is_named_with_file_and_row(tmp_path: Path) -> None:
    rows = superblend_rows()
    rows[0] |= {"country": "Atlantis"}
    rows[1] |= {"gt": "E"}
    found = {(issue.kind, issue.row) for issue in READER.check(write_superblend(tmp_path, rows))}
    assert found == {("unknown-country", 1), ("answer-outside", 2), ("duplicate-option", 34 * 3 + 1)}
    rows[4] |= {"prompt": "What is eaten? A. soup"}
    with pytest.raises(
        DataError, match=r"English.jsonl, row 5: prompt is 'What is eaten\? A. soup', which has not"
    ):
        TASK.items(write_superblend(tmp_path, rows))


def test_data_come_from_users_and_items_never_leave(tmp_path: Path) -> None:
    record = get_record("superblend")
    assert record.items_may_leave is False and all(not entry.remote for entry in record.files)
    write_superblend(tmp_path / "GaoYao/data")
    env = environment() | {"FOLKWAYS_DATA": str(tmp_path / "data")}
    refused = folkways("data", "fetch", "superblend", env=env)
    assert refused.returncode != 0 and "--from" in refused.stderr
    done = folkways("data", "fetch", "superblend", "--from", tmp_path / "GaoYao", env=env)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "task"
    forbidden = folkways("export", "lm-eval", "superblend", "--out", out, "--items", env=env)
    assert forbidden.returncode == 2 and not out.exists()
    assert "NOASSERTION" in forbidden.stderr


def test_each_text_format_of_a_fact_is_a_task_and_pictures_are_none(vis: Release) -> None:
    items = [task.items(vis) for task in (ORIGINAL, REPHRASED)]
    assert [frame.height for frame in items] == [36, 36]
    keys = [set(frame.select("culture", "question").iter_rows()) for frame in items]
    assert keys[0] == keys[1] and len(keys[0]) == 36 and ("ID-JB", "V03") in keys[0]
    first = items[0].row(1, named=True)
    assert first["options"] == [f"thing {n} of 1" for n in range(4)] and first["gold_letter"] == "B"
    assert items[1]["options"][12].to_list() == ["Japan", "West_Java", "Italy", "Egypt"]
    assert not VIS_READER.check(vis)


def test_both_formats_of_text_are_checked(tmp_path: Path) -> None:
    rows = vis_rows()
    rows[0] |= {"answer_idx": "E"}
    rows[1] |= {"answer_idx": "F"}
    rows[2] |= {"answer_idx": "G"}  # a picture's
    issues = VIS_READER.check(write_vis(tmp_path, rows))
    assert [(issue.kind, issue.row, issue.value) for issue in issues] == [
        ("answer-outside", 1, "E"),
        ("answer-outside", 2, "F"),
    ]


def test_a_folder_is_recognised_and_other_columns_are_named(vis: Release, tmp_path: Path) -> None:
    assert recognise(vis.root, can_read, files_read, "blend-vis").record.benchmark == "blend-vis"
    renamed = [
        {"answer" if name == "answer_idx" else name: value for name, value in row.items()}
        for row in vis_rows()
    ]
    with pytest.raises(DataError, match=r"no column 'answer_idx'; the header is: MCQID, ID, country, format"):
        get_task("blend-vis/original").items(write_vis(tmp_path, renamed))


def test_the_licence_is_the_stricter_of_the_two_that_were_stated() -> None:
    record = get_record("blend-vis")
    assert (record.licence, record.revision, record.is_pinned) == ("CC-BY-SA-4.0", "a89af18", True)
    assert json.dumps([entry.remote for entry in record.files]) == '[""]'
