"""Reading XCR-Bench: the real corpus joins completely, and bad files are named with row and remedy."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.release import join_rows
from folkways.errors import DataError, FolkwaysError
from folkways.releases.release_records import Release
from tests.support.xcr_data import BASE, write_csv


@pytest.mark.shared
def test_base_has_the_papers_counts(released_corpus: Release) -> None:
    base = xcr.corpus(released_corpus)
    assert base.height == base["id"].n_unique() == 1034
    assert base["sentence"].n_unique() == 1032
    assert dict(base["csi_category"].value_counts().iter_rows()) == {
        "Social Tradition": 364,
        "Social Etiquette": 250,
        "Cultural Reference": 171,
        "Workplace Culture": 133,
        "Cultural Stereotype": 65,
        "Cultural Value": 26,
        "Sports Tradition": 25,
    }
    assert dict(base["hall_level"].value_counts().iter_rows()) == {
        "Semi-visible": 506,
        "Invisible": 359,
        "Visible": 169,
    }
    assert base["csi_hall_mapping"].n_unique() == 25
    assert all(re.fullmatch(r"xcr-[0-9a-f]{8}(-2)?", found) for found in base["id"])
    assert sum(found.endswith("-2") for found in base["id"]) == 2


@pytest.mark.shared
@pytest.mark.parametrize(
    ("culture", "steps"),
    [
        ("ARAB", {"exact": 1033, "spelling": 1}),
        ("CN", {"exact": 1033, "spelling": 1}),
        ("BD", {"exact": 884, "tag-spaces": 129, "punctuation": 21}),
        ("IN-WB", {"exact": 883, "tag-spaces": 129, "punctuation": 21, "spelling": 1}),
    ],
)
def test_every_row_of_every_culture_joins(
    released_corpus: Release, culture: str, steps: dict[str, int]
) -> None:
    joined = xcr.adaptations(released_corpus, culture)
    assert joined["id"].to_list() == xcr.corpus(released_corpus)["id"].to_list()
    assert sorted(joined["row"]) == list(range(1, 1035))
    assert Counter(joined["joined_by"]) == steps


@pytest.mark.shared
def test_swapped_rows_are_read_the_right_way_round(released_corpus: Release) -> None:
    swapped = xcr.adaptations(released_corpus, "BD").filter("swapped")
    assert sorted(swapped["row"]) == [158, 745]
    assert all(re.search("[a-z]{4}", text) for text in swapped["intra"])
    assert all(re.search("[\u0980-\u09ff]{4}", text) for text in swapped["inter"])


@pytest.mark.shared
def test_prompts_are_plain_text(released_corpus: Release) -> None:
    for task in xcr.PROMPT_FILES:
        text = xcr.read_prompt(released_corpus, task)
        assert text is not None
        assert text.startswith("You are ")
        assert "rtf" not in text
        assert "’" in text or task == "identification"


def test_repeated_sentences_join_in_order_and_get_their_own_id(small_corpus: Release) -> None:
    base = xcr.corpus(small_corpus)
    assert base["id"][3] == f"{base['id'][0]}-2"
    arab = xcr.adaptations(small_corpus, "ARAB")
    assert arab["row"].to_list() == [3, 4, 2, 5, 1]
    assert arab["swapped"].to_list() == [False, True, False, False, False]
    assert arab["intra"][1] == "They take <CSI> shoes </CSI> off."


def test_both_header_spellings_are_read(small_corpus: Release) -> None:
    assert (
        xcr.read_adaptation(small_corpus, "CN").columns
        == xcr.read_adaptation(small_corpus, "ARAB").columns
        == ["row", "sentence", "intra", "inter"]
    )


def test_a_release_without_prompts_says_so(small_corpus: Release) -> None:
    assert xcr.read_prompt(small_corpus, "identification") is None


def test_plain_text_prompts_are_taken_as_they_are(small_corpus: Release) -> None:
    (small_corpus.root / "prompts").mkdir()
    (small_corpus.root / xcr.PROMPT_FILES["prediction"]).write_text("Fill in:\nInput: ", encoding="utf-8")
    assert xcr.read_prompt(small_corpus, "prediction") == "Fill in:\nInput: "


def test_missing_file_names_the_remedy(small_corpus: Release) -> None:
    with pytest.raises(FolkwaysError, match="folkways data fetch"):
        xcr.read_adaptation(small_corpus, "BD")


def test_a_missing_column_and_a_ragged_row_are_named(small_corpus: Release) -> None:
    write_csv(small_corpus.root / xcr.BASE_FILE, [row[1:] for row in BASE])
    with pytest.raises(DataError, match="no column 'sentence'"):
        xcr.read_base(small_corpus)
    write_csv(small_corpus.root / xcr.BASE_FILE, [*BASE, ("only one",)])
    with pytest.raises(DataError, match=r"row 6: has 1 cells"):
        xcr.read_base(small_corpus)


def test_a_file_in_another_encoding_is_named(small_corpus: Release) -> None:
    (small_corpus.root / xcr.BASE_FILE).write_bytes("sentence,é".encode("latin-1"))
    with pytest.raises(DataError, match="UTF-8"):
        xcr.read_base(small_corpus)


def test_layouts_are_recognised(small_corpus: Release, tmp_path: Path) -> None:
    assert xcr.looks_like(small_corpus.root)
    clone = tmp_path / "clone"
    (clone / "corpus").mkdir(parents=True)
    (small_corpus.root / xcr.BASE_FILE).rename(clone / "corpus" / xcr.BASE_FILE)
    assert xcr.looks_like(clone)
    assert not xcr.looks_like(small_corpus.root)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Non-transferable", True),
        ("<CSI> Non-transferrable </CSI>", True),
        ("'non transferable'.", True),
        ("Non-transferrable (nobody does this)", True),
        ("They found it non-transferable", False),
        ("", False),
    ],
)
def test_the_label_is_known_in_both_spellings(text: str, label: bool) -> None:
    assert xcr.is_non_transferable(text) is label


@pytest.mark.parametrize(
    ("intra", "inter", "swapped"),
    [
        ("خبز", "bread", True),
        ("<CSI> خبز </CSI> tea", "<CSI> bread </CSI>", False),  # both are mostly Latin
        ("bread", "خبز", False),
        ("bread", "tea", False),
        ("خبز", "شاي", False),
        ("خبز", "Non-transferable", False),  # a label in English, in its own column
        ("خبز", "<CSI> non transferrable </CSI>", False),
        ("خبز", "...", False),  # no letters settle nothing
        ("...", "bread", False),
    ],
)
def test_versions_are_swapped_where_only_the_english_one_is_in_another_script(
    intra: str, inter: str, swapped: bool
) -> None:
    assert xcr.is_swapped(intra, inter) is swapped


def test_what_one_step_joined_is_left_alone_by_the_next() -> None:
    assert join_rows(["tea!", "tea?"], ["tea.", "tea!"]) == {1: (0, "exact"), 0: (1, "punctuation")}


tokens = st.lists(
    st.sampled_from(["tea", "Tea", "hectic", "pub", "<CSI>", "</CSI>", ",", "!"]), min_size=1, max_size=6
)


@given(st.lists(tokens, max_size=8), st.randoms(use_true_random=False))
def test_shuffled_and_respaced_copies_join_completely_and_once(rows: list[list[str]], random: object) -> None:
    base = [" ".join(row) for row in rows]
    copies = ["".join(f" {token}  " for token in row).replace("hectic", "hecitc") for row in rows]
    random.shuffle(copies)  # type: ignore[attr-defined]
    matches = join_rows(base, copies)
    assert sorted(matches) == list(range(len(rows)))
    assert sorted(position for position, _ in matches.values()) == list(range(len(rows)))
    assert all(
        xcr.normal_form(copies[one]) == xcr.normal_form(base[other]) for one, (other, _) in matches.items()
    )
