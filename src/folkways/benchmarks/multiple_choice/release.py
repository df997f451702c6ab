"""Reads and checks the released files of multiple-choice questions, whatever benchmark they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.cultures import cultures, languages
from folkways.errors import FolkwaysError
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table

Entry = dict[str, Any]


def check_question(
    file: str,
    row: int,
    text: str,
    options: Sequence[str],
    gold: str,
    labels: Sequence[str],
    *,
    published: bool = True,
) -> Iterator[DataIssue]:
    """Issues of one question: ``empty-cell``, ``option-count``, ``duplicate-option`` and ``answer-outside``.

    file, row: where it is.
    text, options: as they are shown.
    gold: the right label as released.
    labels: the valid ones.
    published: whether such questions are left out; in other data they are errors.
    """
    for name, cell in {"question": text, **dict(zip(labels, options, strict=False))}.items():
        if not cell.strip():
            yield DataIssue(file, "empty-cell", f"{name} is empty", row)
    if len(options) != len(labels):
        remedy = "it is left out" if published else "give each question as many"
        message = f"{len(options)} options in place of {len(labels)}; {remedy}"
        yield DataIssue(file, "option-count", message, row)
    elif len({option.strip().casefold() for option in options}) < len(options):
        yield DataIssue(file, "duplicate-option", "two options say the same", row, value=" | ".join(options))
    if gold not in labels:
        remedy = "the question is not counted" if published else "correct it"
        message = f"the answer is not one of {', '.join(labels)}; {remedy}"
        yield DataIssue(file, "answer-outside", message, row, "answer", gold)


def check_culture(file: str, row: int, culture: str) -> Iterator[DataIssue]:
    """Kind ``unknown-country``."""
    if culture not in cultures():
        yield DataIssue(
            file, "unknown-country", "a country that folkways does not know", row, "country", culture
        )


def is_readable(path: Path, columns: Columns) -> bool:
    """Whether a file is a table with these columns."""
    try:
        read_table(path, columns)
    except FolkwaysError:
        return False
    return True


class Repeats:
    """Finds keys that occur again, over all files."""

    def __init__(self, kind: str, what: str) -> None:
        self._kind, self._what = kind, what
        self._seen: dict[Any, tuple[str, int]] = {}

    def issues(self, file: str, row: int, key: Any, shown: str) -> Iterator[DataIssue]:
        """An issue if the key was seen in an earlier row.

        file, row: where the key is.
        key: compared by equality.
        shown: the value that the issue shows.
        """
        first = self._seen.setdefault(key, (file, row))
        if first != (file, row):
            where = f"row {first[1]}" if first[0] == file else f"{first[0]}, row {first[1]}"
            yield DataIssue(file, self._kind, f"{self._what} as in {where}", row, value=shown)


class ChoiceReader:
    """The reader of a task that a TOML file declares (``ChoiceTask.from_toml``): ``Benchmark(...,
    reader=ChoiceReader(task))``."""

    def __init__(self, task: ChoiceTask) -> None:
        if task.declared is None:
            raise TypeError(f"{task.name} is not declared by a TOML file; write a reader of its own")
        self.labels, self.declared = task.labels, task.declared

    def looks_like(self, folder: Path) -> bool:
        """Whether the folder has a file with the name and the columns that the declaration asks for."""
        pattern = re.compile(self.declared.pattern())
        for path in sorted(folder.rglob("*")):
            match = pattern.fullmatch(path.relative_to(folder).as_posix())
            if match and path.is_file():
                return self._is_readable(path, match.groupdict())
        return False

    def _is_readable(self, path: Path, parts: Iterable[str]) -> bool:
        try:
            self.declared.table(path, parts)
        except FolkwaysError:
            return False
        return True

    def check(self, release: Release) -> list[DataIssue]:
        """Empty cells and files, duplicate options, answers outside the options, unknown countries and
        languages, repeats."""
        issues: list[DataIssue] = []
        empty = [file for _, file in self.declared.files(release)]
        items = Repeats("duplicate-id", "the same item id")
        questions = Repeats("duplicate-question", "the same question with the same options")
        for entry in self.declared.entries(release):
            issues += self.issues_of(entry)
            file, row, text = entry["file"], entry["row"], entry["text"]
            if file in empty:
                empty.remove(file)
            issues += items.issues(file, row, entry["item"], entry["item"])
            issues += questions.issues(
                file, row, (entry["language_code"], text, *sorted(entry["shown_options"])), text[:80]
            )
        return issues + [DataIssue(file, "empty-file", "holds no question") for file in empty]

    def issues_of(self, entry: Entry) -> Iterator[DataIssue]:
        """What is odd about one question."""
        file, row = entry["file"], entry["row"]
        yield from check_question(
            file,
            row,
            entry["text"],
            entry["shown_options"],
            entry["gold_letter"],
            self.labels,
            published=self.declared.is_published,
        )
        yield from check_culture(file, row, entry["culture_code"])
        if entry["language_code"].partition("-")[0] not in languages():
            what = "a language that folkways does not know"
            yield DataIssue(file, "unknown-language", what, row, "language", entry["language_code"])
