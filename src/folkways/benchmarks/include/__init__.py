"""INCLUDE: questions of local exams in 44 languages, asked in the language of the exam (arXiv 2411.19799)."""

from __future__ import annotations

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.declaration import Entry
from folkways.benchmarks.multiple_choice.release import ChoiceReader, Repeats, check_culture, check_question
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.published import PublishedFigures
from folkways.records import DataIssue
from folkways.releases.release_records import Release

TASK = ChoiceTask.from_toml("folkways.benchmarks.include", "mcq.toml")


VALIDATION = "{folder}/validation"


class IncludeReader(ChoiceReader):
    """Checks for languages without questions and for repeats of the validation split, beyond what every
    multiple choice is checked for."""

    def check(self, release: Release) -> list[DataIssue]:
        """Odd cells, options and answers; languages without questions; repeats, also of the validation
        split."""
        issues: list[DataIssue] = []
        repeats = Repeats("duplicate-question", "the same question with the same options")
        shown: dict[tuple[str, ...], tuple[str, int]] = {}
        for entry in self.declared.entries(release, VALIDATION):
            shown.setdefault(_same(entry), (entry["file"], entry["row"]))
        seen: set[str] = set()
        for entry in self.declared.entries(release):
            file, row, key, text = entry["file"], entry["row"], _same(entry), entry["text"]
            seen.add(entry["folder"])
            issues += check_question(
                file, row, text, entry["shown_options"], entry["gold_letter"], self.labels
            )
            issues += check_culture(file, row, entry["culture_code"])
            issues += repeats.issues(file, row, key, text[:80])
            if key in shown:
                where = "{}, row {}".format(*shown[key])
                message = f"the same question as in {where}: do not show the validation split as examples"
                issues.append(DataIssue(file, "in-validation", message, row, value=text[:80]))
        for parts, file in self.declared.files(release):
            folder = parts["folder"]
            if folder not in seen:
                issues.append(DataIssue(file, "empty-language", "a language without questions", key=folder))
            if self.declared.language_of(folder) == folder:
                issues.append(
                    DataIssue(file, "unknown-language", "a language that folkways does not know", key=folder)
                )
        return issues


def _same(entry: Entry) -> tuple[str, ...]:
    """The key of a question: level and domain disagree between the splits, and the order of the options may
    differ."""
    return (
        entry["folder"],
        entry["text"].strip(),
        *sorted(option.strip() for option in entry["shown_options"]),
    )


READER = IncludeReader(TASK)


BENCHMARK = Benchmark(
    "include",
    "INCLUDE",
    (TASK,),
    reader=READER,
    results=(consistency("include/mcq", "accuracy"),),
    published=PublishedFigures("folkways.benchmarks.include.published"),
)
