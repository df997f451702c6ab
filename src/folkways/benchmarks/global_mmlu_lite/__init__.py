"""Global-MMLU-Lite: the same 400 exam questions in many languages, half of them culturally sensitive (arXiv
2412.03304)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.release import ChoiceReader, Repeats, check_culture, check_question
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, Table, with_holm
from folkways.records import DataIssue, Schema
from folkways.releases.release_records import Release
from folkways.stats.differences import METHOD, difference_of_groups

TASK = ChoiceTask.from_toml("folkways.benchmarks.global_mmlu_lite", "mcq.toml")


KINDS = ("CS", "CA")
PER_KIND = 200


class MmluReader(ChoiceReader):
    """Checks that kinds are balanced and questions are parallel, beyond what every multiple choice is checked
    for."""

    def check(self, release: Release) -> list[DataIssue]:
        """Odd cells, options and answers, repeated ids, languages that are not parallel, kinds that are not
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
                message = (
                    f"{counted['CS']} culturally sensitive and {counted['CA']} agnostic questions in "
                    f"place of {PER_KIND} each"
                )
                issues.append(DataIssue(files[language], "kind-count", message))
        for sample, by_language in answers.items():
            if missing := sorted(files.keys() - by_language.keys()):
                message = (
                    "a question that not every language has: comparisons between languages rest on others"
                )
                issues.append(
                    DataIssue(
                        files[missing[0]], "not-parallel", message, key=sample, value=", ".join(missing)
                    )
                )
            if len(set(by_language.values())) > 1:
                message = ", ".join(
                    f"{answer} in {language}" for language, answer in sorted(by_language.items())
                )
                issues.append(
                    DataIssue(
                        files[min(by_language)],
                        "answer-differs",
                        f"the right letter is {message}",
                        key=sample,
                    )
                )
        return issues


READER = MmluReader(TASK)


GAP: Schema = {
    "endpoint": pl.String,
    "language": pl.String,  # "all" for every language that was asked
    "sensitive": pl.Float64,  # percent
    "agnostic": pl.Float64,
    **DIFFERENCE,  # points, sensitive minus agnostic
    "n_sensitive": pl.Int64,  # questions
    "n_agnostic": pl.Int64,
}


def sensitivity(inputs: Inputs) -> Sequence[Table]:
    """Both kinds and their difference, over all languages and in each."""
    judged = inputs.of(TASK.name).filter(pl.col("sensitivity").is_in(["CS", "CA"]))
    everywhere = judged.with_columns(language=pl.lit("all"))
    parts = [everywhere] if judged["language"].n_unique() < 2 else [everywhere, judged]
    rows = []
    for part in parts:
        keys = ["endpoint", "language"]
        for (endpoint, language), group in part.group_by(keys, maintain_order=True):
            values = group.group_by("sensitivity", "question", maintain_order=True).agg(
                pl.col("accuracy").mean()
            )
            sides = [values.filter(sensitivity=kind)["accuracy"].to_numpy() for kind in ("CS", "CA")]
            if all(side.size for side in sides):
                means = {
                    name: 100 * float(side.mean())
                    for name, side in zip(("sensitive", "agnostic"), sides, strict=True)
                }
                numbers = {"n_sensitive": sides[0].size, "n_agnostic": sides[1].size}
                difference = difference_of_groups(*sides).columns(100)
                rows.append({"endpoint": endpoint, "language": language, **means, **difference, **numbers})
    table = pl.DataFrame(rows, schema=dict(GAP)).sort("endpoint", pl.col("language") != "all", "language")
    return (
        Table(
            "sensitivity",
            "Culturally sensitive against culturally agnostic questions",
            "Percent of questions, and points between the two kinds, which are other questions. The unit is "
            "the question; the languages, templates and samples of one question are averaged first.",
            with_holm(table),
            notes=(
                f"Interval: {METHOD} (Newcombe); p_holm is corrected for all rows.",
                "The two kinds differ in more than culture: agnostic questions are of other subjects, more "
                "of science. Compare models by their difference rather than read one alone.",
            ),
        ),
    )


RESULTS = (
    Result(
        "sensitivity",
        "Culturally sensitive against agnostic",
        sensitivity,
        "",
        "How much worse is a model on questions that ask for knowledge of a culture?",
        (TASK.name,),
    ),
    consistency(TASK.name, "accuracy", same=("question",)),
)


BENCHMARK = Benchmark(
    "global-mmlu-lite",
    "Global-MMLU-Lite",
    (TASK,),
    reader=READER,
    results=RESULTS,
    published=PublishedFigures("folkways.benchmarks.global_mmlu_lite.published"),
    caution=(
        "The questions are MMLU's, translated: about 6.5 % of MMLU's answers are wrong (Gema et al. 2024), "
        "so that no honest model reaches 100 %, and old enough to be in what models have read."
    ),
)
