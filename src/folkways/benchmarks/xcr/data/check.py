"""What is odd about an XCR-Bench release, with file and row. Nothing is dropped or changed here; reading puts
right what it can."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from folkways.benchmarks.xcr.data.reading import (
    ADAPTATION_FILES,
    BASE_FILE,
    JOIN_STEPS,
    PROMPT_FILES,
    is_bare_label,
    is_non_transferable,
    is_swapped,
    join_rows,
    normal_form,
    read_adaptation,
    read_base,
    read_prompt,
)
from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import DataIssue
from folkways.releases.base import Release

# edit similarity from which a sentence counts as the example of a prompt: one reworded clitic stays above it
ALIKE = 0.85
SIDES = {"intra": "Intra-lingual", "inter": "Inter-lingual"}
_JOINED_BY = {
    "tag-spaces": "joins to the base corpus only when spaces at the tags are ignored",
    "punctuation": "joins to the base corpus only when tags, punctuation and the spaces around them are "
    "ignored",
    "spelling": "joins to the base corpus only when case and a known misspelling are ignored",
}
_LATEX = re.compile(r"\\[A-Za-z]+\{")
_ENDS_SENTENCE = re.compile(r"[.!?。！？।؟…]['\"”’»)]*\s*$")


def check(release: Release) -> list[DataIssue]:
    """Every data issue of the release, file by file and row by row.

    Kinds: ``joined-by-tag-spaces``, ``joined-by-punctuation``, ``joined-by-spelling``, ``unmatched``,
    ``not-adapted``, ``non-transferable``, ``untagged``, ``unequal-csi-count``, ``unbalanced-tags``,
    ``cut-off``, ``latex``, ``not-nfc``, ``swapped-columns``, ``duplicate-sentence``, ``conflicting-labels``,
    ``prompt-example``, ``missing-file``. ``key`` names the column.
    """
    base = read_base(release)
    found = list(_base(base))
    for culture, file in ADAPTATION_FILES.items():
        if release.has(file):
            found += _adaptation(file, base, read_adaptation(release, culture))
        else:
            found.append(
                DataIssue(
                    file,
                    "missing-file",
                    f"there is no such file: no adaptation to {culture} can be asked for",
                )
            )
    return found + list(_prompt_examples(release, base))


def _base(base: pl.DataFrame) -> Iterator[DataIssue]:
    groups: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for entry in base.iter_rows(named=True):
        groups[normal_form(entry["sentence"])].append(entry)
        yield from _text_issues(BASE_FILE, int(entry["row"]), "sentence", entry["sentence"])
    for first, *repeats in groups.values():
        for repeat in repeats:
            row = int(str(repeat["row"]))
            sentence = str(repeat["sentence"])
            yield DataIssue(
                BASE_FILE,
                "duplicate-sentence",
                f"the same sentence as row {first['row']}",
                row,
                "sentence",
                sentence,
            )
            labels = ("csi_category", "csi_hall_mapping", "hall_level")
            differing = [
                f"{name} {repeat[name]!r}, there {first[name]!r}"
                for name in labels
                if repeat[name] != first[name]
            ]
            if differing:
                message = f"other labels than the same sentence in row {first['row']}: {'; '.join(differing)}"
                yield DataIssue(BASE_FILE, "conflicting-labels", message, row, "sentence", sentence)


def _adaptation(file: str, base: pl.DataFrame, table: pl.DataFrame) -> Iterator[DataIssue]:
    matches = join_rows(base["sentence"].to_list(), table["sentence"].to_list())
    for position, (row, sentence, intra, inter) in enumerate(table.iter_rows()):
        _, step = matches.get(position, (None, None))
        if step is None:
            yield DataIssue(
                file,
                "unmatched",
                "joins to no sentence of the base corpus; it cannot be used",
                row,
                "Sentence",
                sentence,
            )
        elif step != next(iter(JOIN_STEPS)):
            yield DataIssue(file, f"joined-by-{step}", _JOINED_BY[step], row, "Sentence", sentence)
        if is_swapped(intra, inter):
            message = "the two versions stand in each other's column; they are read the right way round"
            yield DataIssue(file, "swapped-columns", message, row, SIDES["intra"], intra)
        for side, cell in (("intra", intra), ("inter", inter)):
            yield from _cell(file, row, SIDES[side], sentence, cell)
    adapted = {base_position for base_position, _ in matches.values()}
    for position, sentence in enumerate(base["sentence"]):
        if position not in adapted:
            yield DataIssue(
                BASE_FILE,
                "not-adapted",
                f"{file} has no adaptation of this sentence",
                position + 1,
                "sentence",
                sentence,
            )


def _cell(file: str, row: int, column: str, sentence: str, cell: str) -> Iterator[DataIssue]:
    label = is_non_transferable(cell)
    if label:
        yield DataIssue(
            file, "non-transferable", "said to have no equivalent; it has no adapted text", row, column, cell
        )
    elif OPENING not in cell and CLOSING not in cell:
        yield DataIssue(file, "untagged", "an adapted text without any tag", row, column, cell)
    expected, there = (len(tagged_spans(text, across_lines=True)) for text in (sentence, cell))
    if expected != there and not is_bare_label(cell):
        yield DataIssue(
            file, "unequal-csi-count", f"{there} tagged, {expected} in the sentence", row, column, cell
        )
    yield from _text_issues(file, row, column, cell)


def _text_issues(file: str, row: int, column: str, text: str) -> Iterator[DataIssue]:
    opened, closed = text.count(OPENING), text.count(CLOSING)
    if opened != closed:
        yield DataIssue(
            file, "unbalanced-tags", f"{opened} opening and {closed} closing tags", row, column, text
        )
    tail = text[text.rfind(OPENING) + len(OPENING) :] if text.rfind(OPENING) > text.rfind(CLOSING) else ""
    if tail.strip() and not _ENDS_SENTENCE.search(tail):
        yield DataIssue(file, "cut-off", "ends in the middle of a tagged item", row, column, text)
    if _LATEX.search(text):
        yield DataIssue(file, "latex", "carries LaTeX commands", row, column, text)
    if not unicodedata.is_normalized("NFC", text):
        yield DataIssue(
            file,
            "not-nfc",
            "not in Unicode normal form C; normalise before comparing or embedding",
            row,
            column,
            text,
        )


def _prompt_examples(release: Release, base: pl.DataFrame) -> Iterator[DataIssue]:
    for task, file in PROMPT_FILES.items():
        prompt = read_prompt(release, task)
        for row in prompt_example_rows(prompt or "", base["sentence"].to_list()):
            message = (
                f"is the worked example of the authors' {task} prompt ({file}): look at scores with "
                "and without it"
            )
            yield DataIssue(BASE_FILE, "prompt-example", message, row, "sentence", base["sentence"][row - 1])


def prompt_example_rows(prompt: str, sentences: list[str]) -> list[int]:
    """1-based rows of the sentences that a prompt shows, solved, as its example: nearly equal to a tagged
    line without a mask."""
    shown = [
        normal_form(line)
        for line in prompt.splitlines()
        if tagged_spans(line, across_lines=False) and "[MASK]" not in line
    ]
    shown = [line.removeprefix("input ").removeprefix("output ") for line in shown]
    forms = [normal_form(sentence) for sentence in sentences]
    return [
        row
        for row, form in enumerate(forms, start=1)
        if any(edit_similarity(form, line) >= ALIKE for line in shown)
    ]
