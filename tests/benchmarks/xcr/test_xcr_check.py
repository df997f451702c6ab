"""What is odd about XCR-Bench: the counts known of the real corpus, and each kind on a small one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.tasks import Identification, Prediction
from folkways.errors import UnknownNameError
from folkways.records import DataIssue
from tests.support.xcr_data import ARAB, write_csv, write_small_corpus, xcr_release

INTRA, INTER = "Intra-lingual", "Inter-lingual"


@pytest.fixture(scope="module")
def issues(shared: Path) -> list[DataIssue]:
    return xcr.check(xcr_release(shared / "data" / "xcr"))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("culture", "kind", "intra", "inter"),
    [
        ("ARAB", "non-transferable", 55, 55),
        ("CN", "non-transferable", 10, 9),
        ("BD", "non-transferable", 82, 82),
        ("IN-WB", "non-transferable", 64, 63),
        ("ARAB", "untagged", 7, 8),
        ("CN", "untagged", 5, 9),
        ("BD", "untagged", 22, 21),
        ("IN-WB", "untagged", 12, 13),
        ("ARAB", "unequal-csi-count", 36, 41),
        ("CN", "unequal-csi-count", 46, 61),
        ("BD", "unequal-csi-count", 29, 30),
        ("IN-WB", "unequal-csi-count", 19, 22),
        ("ARAB", "unbalanced-tags", 2, 2),
        ("CN", "unbalanced-tags", 0, 1),
        ("BD", "unbalanced-tags", 0, 0),
        ("IN-WB", "unbalanced-tags", 0, 0),
        ("ARAB", "not-nfc", 0, 28),
        ("CN", "not-nfc", 0, 0),
        ("BD", "not-nfc", 0, 42),
        ("IN-WB", "not-nfc", 1, 24),
    ],
)
def test_cells_of_the_real_corpus(
    issues: list[DataIssue], culture: str, kind: str, intra: int, inter: int
) -> None:
    counts = Counter(
        odd.key for odd in issues if odd.file == xcr.ADAPTATION_FILES[culture] and odd.kind == kind
    )
    assert (counts[INTRA], counts[INTER]) == (intra, inter)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "kind", "rows"),
    [
        (xcr.BASE_FILE, "unbalanced-tags", [326]),
        (xcr.BASE_FILE, "duplicate-sentence", [903, 1020]),
        (xcr.BASE_FILE, "conflicting-labels", [903]),
        (xcr.BASE_FILE, "prompt-example", [627, 659]),
        (xcr.ADAPTATION_FILES["BD"], "swapped-columns", [158, 745]),
        (xcr.ADAPTATION_FILES["CN"], "cut-off", [303]),
        (xcr.ADAPTATION_FILES["CN"], "latex", [203]),
    ],
)
def test_single_rows_of_the_real_corpus(
    issues: list[DataIssue], file: str, kind: str, rows: list[int]
) -> None:
    assert sorted(odd.row or 0 for odd in issues if odd.kind == kind and odd.file == file) == rows
    assert [odd.file for odd in issues if odd.kind == kind].count(file) == len(rows)


@pytest.mark.shared
def test_joins_of_the_real_corpus(issues: list[DataIssue]) -> None:
    cultures = {file: culture for culture, file in xcr.ADAPTATION_FILES.items()}
    joins = Counter((cultures[odd.file], odd.kind) for odd in issues if odd.kind.startswith("joined-by-"))
    assert joins == {
        ("ARAB", "joined-by-spelling"): 1,
        ("CN", "joined-by-spelling"): 1,
        ("IN-WB", "joined-by-spelling"): 1,
        ("IN-WB", "joined-by-punctuation"): 21,
        ("IN-WB", "joined-by-tag-spaces"): 129,
        ("BD", "joined-by-punctuation"): 21,
        ("BD", "joined-by-tag-spaces"): 129,
    }
    assert not [odd for odd in issues if odd.kind in ("unmatched", "not-adapted", "missing-file")]


def test_every_kind_is_found_in_a_small_corpus_and_says_where(tmp_path: Path) -> None:
    release = write_small_corpus(tmp_path)
    write_csv(
        tmp_path / xcr.ADAPTATION_FILES["ARAB"],
        [*ARAB[:-1], ("Nobody wrote this.", "He paid again.", "دفع <CSI> مرة")],
    )
    found = {(odd.file, odd.row, odd.kind) for odd in xcr.check(release)}
    arab, chinese = xcr.ADAPTATION_FILES["ARAB"], xcr.ADAPTATION_FILES["CN"]
    assert found >= {
        (xcr.BASE_FILE, 4, "duplicate-sentence"),
        (xcr.BASE_FILE, 4, "conflicting-labels"),
        (xcr.BASE_FILE, 5, "unbalanced-tags"),
        (xcr.BASE_FILE, 4, "not-adapted"),
        (arab, 1, "joined-by-punctuation"),
        (arab, 1, "non-transferable"),
        (arab, 2, "joined-by-spelling"),
        (arab, 4, "joined-by-tag-spaces"),
        (arab, 4, "swapped-columns"),
        (arab, 4, "unequal-csi-count"),
        (arab, 5, "unmatched"),
        (arab, 5, "untagged"),
        (arab, 5, "cut-off"),
        (chinese, 1, "latex"),
        (xcr.ADAPTATION_FILES["BD"], None, "missing-file"),
    }


def test_the_example_of_a_prompt_is_found_when_it_is_reworded_a_little(tmp_path: Path) -> None:
    release = write_small_corpus(tmp_path)
    (tmp_path / "prompts").mkdir()
    shown = 'Input:\n"They keep <CSI>[MASK]</CSI> by the door."'
    prompt = f"Example.\n{shown}\nOutput: They kept <CSI>slippers</CSI> by the <CSI>door</CSI>.\n"
    (tmp_path / xcr.PROMPT_FILES["prediction"]).write_text(prompt, encoding="utf-8")
    assert [odd.row for odd in xcr.check(release) if odd.kind == "prompt-example"] == [2]


def test_a_prompt_with_the_line_breaks_of_latex_is_named_and_has_a_variant_without_them(
    tmp_path: Path,
) -> None:
    release = write_small_corpus(tmp_path)
    (tmp_path / "prompts").mkdir()
    texts = {
        "identification": "Find the items.\\\\\n\nSentence:",
        "prediction": "Fill in the mask.\n\nSentence:",
    }
    for task, text in texts.items():
        (tmp_path / xcr.PROMPT_FILES[task]).write_text(text, encoding="utf-8")
    prompts = [odd.file for odd in xcr.check(release) if odd.kind == "latex" and odd.row is None]
    assert prompts == [xcr.PROMPT_FILES["identification"]]
    with pytest.raises(UnknownNameError, match="valid: all, authors, folkways"):
        Prediction().templates(PromptOptions(variants=("authors-cleaned",)), release, "en")
    asked = {
        variant: Identification()
        .templates(PromptOptions(variants=(variant,)), release, "en")[variant]
        .fill({"sentence": "S."})
        for variant in ("authors", "authors-cleaned")
    }
    assert asked == {
        "authors": "Find the items.\\\\\n\nSentence: S.",
        "authors-cleaned": "Find the items.\n\nSentence: S.",
    }
