"""What reads Global-MMLU-Lite, one file per language, and says what is odd about it."""

from __future__ import annotations

from collections import Counter

from folkways.benchmarks.choosing.check import ChoiceReader, Repeats, check_culture, check_question
from folkways.benchmarks.global_mmlu_lite.task import TASK
from folkways.records import DataIssue
from folkways.releases.base import Release

KINDS = ("CS", "CA")
PER_KIND = 200


class Reader(ChoiceReader):
    """Of every multiple choice, with what is odd about kinds and about parallel questions."""

    def check(self, release: Release) -> list[DataIssue]:
        """Every data issue: cells, options and answers; ids that repeat, languages not parallel, kinds not
        balanced."""
        issues: list[DataIssue] = []
        repeats = Repeats("duplicate-id", "the same id in the same language")
        kinds: dict[str, Counter[str]] = {}
        answers: dict[str, dict[str, str]] = {}
        files: dict[str, str] = {}
        for entry in self.declared.entries(release):
            file, row, language = entry["file"], entry["row"], entry["language"]
            issues += check_question(
                file, row, entry["text"], entry["shown_options"], entry["gold_letter"], self.labels
            )
            issues += check_culture(file, row, entry["culture_code"])
            issues += repeats.issues(file, row, (language, entry["sample_id"]), entry["sample_id"])
            if entry["cultural_sensitivity_label"] not in KINDS:
                message = "neither CS nor CA; it counts for the accuracy over both kinds alone"
                issues.append(
                    DataIssue(file, "kind-outside", message, row, value=entry["cultural_sensitivity_label"])
                )
            files[language] = file
            kinds.setdefault(language, Counter())[entry["cultural_sensitivity_label"]] += 1
            answers.setdefault(entry["sample_id"], {})[language] = entry["gold_letter"]
        for language, counted in kinds.items():
            if any(counted[kind] != PER_KIND for kind in KINDS):
                told = (
                    f"{counted['CS']} culturally sensitive and {counted['CA']} agnostic questions in "
                    f"place of {PER_KIND} each"
                )
                issues.append(DataIssue(files[language], "kind-count", told))
        for sample, by_language in answers.items():
            if missing := sorted(files.keys() - by_language.keys()):
                told = "a question that not every language has: comparisons between languages rest on others"
                issues.append(
                    DataIssue(files[missing[0]], "not-parallel", told, key=sample, value=", ".join(missing))
                )
            if len(set(by_language.values())) > 1:
                told = ", ".join(
                    f"{answer} in {language}" for language, answer in sorted(by_language.items())
                )
                issues.append(
                    DataIssue(
                        files[min(by_language)], "answer-differs", f"the right letter is {told}", key=sample
                    )
                )
        return issues


READER = Reader(TASK)
