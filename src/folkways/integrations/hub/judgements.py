"""Writes the judgements of a run as a data set for the hub: a configuration for each task, one with all
scores, and a card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.summary import ASKED_IN
from folkways.display import count, interval, number, percent, plural, shown_n
from folkways.errors import FolkwaysError
from folkways.files import WrittenFiles, packed, write_bytes
from folkways.integrations.hub.metadata import croissant
from folkways.integrations.stored_run import StoredRun
from folkways.records import LOST, SCORES, Schema, State, Subject, headline_of, is_baseline, of_rows
from folkways.releases.cards import front_matter, hub_licence, size_category
from folkways.releases.checksums import sha256_of
from folkways.releases.croissant import CroissantTable
from folkways.reports.formats.markdown import code, escape, fenced, table
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import JudgedRow, judged_rows

MARK = "folkways-judgements"
"""A tag that only cards of exported runs have."""

HOMEPAGE = "https://github.com/folkways/folkways"

_LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True)
class Configuration:
    """The judgements of one task. languages: ``language`` and ``len``, its number of rows."""

    name: str
    task: str
    languages: pl.DataFrame

    @property
    def rows(self) -> int:
        return int(self.languages["len"].sum())


def card(run: StoredRun, scores: pl.DataFrame, made: Sequence[Configuration]) -> str:
    """The README of a run: YAML for the hub, then text for people.

    scores: records.SCORES with ``subject`` and ``model``. made: the configurations that were written.
    """
    benchmark_names = list(dict.fromkeys(get_task(each.task).benchmark for each in made))
    began = datetime.fromtimestamp(run.run.created, UTC)
    titles = [benchmarks()[name].title for name in benchmark_names]
    title = f"Judgements of {plural(len(run.models), 'model')} on {', '.join(titles)}"
    parts = [
        _front(run, made, title, benchmark_names),
        f"# {escape(title)}",
        f"Run {code(run.run.name)}, begun on {began:%Y-%m-%d}, asked by [folkways]({HOMEPAGE}) "
        f"{escape(run.run.version)}. A row is the judgement of one reply: which item in which language and "
        "wording, how it ended, and what it is worth.",
        *_unfinished(run),
        *_contents(run, made, scores),
        *_scores(run, made, scores),
        *_how(run, scores),
        *_licences(run, made),
    ]
    return "\n\n".join(parts) + "\n"


def _front(run: StoredRun, made: Sequence[Configuration], title: str, asked: Sequence[str]) -> str:
    inside = [
        hub_licence(run.record(each.task).licence) for each in made if run.why_items_stay(each.task) is None
    ]
    languages = sorted({name for each in made for name in each.languages["language"]})
    configs = ["scores", *(each.name for each in made)]
    fields = {
        "license": list(dict.fromkeys(inside)) or ["unknown"],
        "language": [name for name in languages if _LANGUAGE.fullmatch(name)],
        "pretty_name": title,
        "tags": ["folkways", MARK, "evaluation", "culture", *asked],
        "size_categories": [size_category(sum(each.rows for each in made))],
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test-*.parquet"}]}
            for name in configs
        ],
    }
    return front_matter({name: value for name, value in fields.items() if value}).rstrip("\n")


def _unfinished(run: StoredRun) -> Iterator[str]:
    if run.run.state != "finished":
        why = escape(run.without_hosts(run.run.reason) or run.run.state)
        yield (
            f"> **Not everything has a reply** ({why}). What has none stays in the denominators, and "
            "counts as wrong."
        )


def _contents(run: StoredRun, made: Sequence[Configuration], scores: pl.DataFrame) -> Iterator[str]:
    rows = [
        [code("scores"), count(scores.height), "every score with interval, counts, coverage and signature"]
    ]
    for each in made:
        what = (
            "items, replies and verdicts"
            if run.why_items_stay(each.task) is None
            else "ids and verdicts alone"
        )
        rows.append([code(each.name), count(each.rows), f"{escape(get_task(each.task).title)}: {what}"])
    yield "## What is in it"
    yield table(["Configuration", "Rows", "Holds"], rows, numeric={1})
    yield (
        "`state` says how an item ended: answered, refused, unreadable, truncated, failed or missing. "
        "`counted` is false where the benchmark's rule takes the item out of the denominator. `question` is "
        "what is sampled independently: intervals are clustered by it. A metric is null where it does not "
        "apply. `response` is what the model said, exactly: do not trust it."
    )
    for each in made:
        if why := run.why_items_stay(each.task):
            record = run.record(each.task)
            reason = "nobody has said what its licence is" if record.items_may_leave is None else escape(why)
            yield (
                f"**{escape(each.task)}**: questions, prompts, answers and replies of {escape(record.name)} "
                f"are not here, because {reason}. Ids lead to the items for those who have the data."
            )


def _scores(run: StoredRun, made: Sequence[Configuration], scores: pl.DataFrame) -> Iterator[str]:
    yield "## Scores"
    for each in made:
        of_task = scores.filter(pl.col("facet") == "all", task=each.task)
        metric = headline_of(get_task(each.task).metrics, {*of_task["metric"]})
        rows = of_task.filter(metric=metric.name)
        several = rows["profile"].n_unique() > 1
        shown = [
            [
                escape(row["model"]) + ("" if row["subject"] == Subject.MODEL else f" ({row['subject']})"),
                *([escape(row["profile"])] if several else []),
                number(row["score"]),
                interval(row["low"], row["high"], " to "),
                shown_n(row["n"], row["left_out"], row["effective_questions"]),
                count(row[State.FAILED.value] + row[State.MISSING.value]),
                percent(row["coverage"]),
            ]
            for row in rows.iter_rows(named=True)
        ]
        head = [
            "Model",
            *(["Profile"] if several else []),
            "Score",
            "95 % interval",
            "n",
            "Without a reply",
            "Coverage",
        ]
        yield f"### {escape(get_task(each.task).title)} ({code(each.task)})"
        profiles = ", ".join(code(name) for name in rows["profile"].unique(maintain_order=True))
        yield f"{escape(metric.label)}, profile {profiles}. {escape(metric.explained)}"
        if part := run.part_of_whole(each.task):
            yield f"**Not the whole benchmark**: {escape('; '.join(part))}."
        yield table(head, shown, numeric=set(range(len(head) - 5, len(head))))


def _how(run: StoredRun, scores: pl.DataFrame) -> Iterator[str]:
    models = scores.filter(subject=Subject.MODEL.value)
    made = models.select("task", "model", "signature").unique(maintain_order=True).iter_rows()
    yield "## How it was made"
    yield "Same signature, same inputs: same number."
    yield "\n".join(f"- {code(task)}, {escape(model)}: {code(signature)}" for task, model, signature in made)
    if (recipe := run.recipe) is not None:
        import tomlkit

        yield "### Ask the same"
        sentences = {"prompts": "Its own wording of the prompts is", "treatments": "Its treatments are"}
        left_out = "".join(f" {sentences[name]} not in it." for name in run.of_files)
        yield (
            "Save this as `recipe.toml`, with the names of your endpoints as models, and run it: `pip "
            f"install folkways`, `folkways run recipe.toml`.{left_out}"
        )
        yield fenced(tomlkit.dumps(recipe).strip(), "toml")


def _licences(run: StoredRun, made: Sequence[Configuration]) -> Iterator[str]:
    yield "## Data, licences, citations"
    registered = benchmarks()
    for record in {run.record(each.task).name: run.record(each.task) for each in made}.values():
        home = f", <{record.homepage}>" if record.homepage else ""
        at = f" at {code(record.revision)}" if len(record.revision) == 40 else ""
        yield (
            f"**{escape(record.name)}**{at}: {escape(record.licence)}{home}. "
            f"{escape(registered[record.benchmark].caution)}"
        ).strip()
        if record.citation:
            yield fenced(record.citation, "bibtex")
    yield "What models said is under whatever terms their makers set for it."


VERDICTS: Schema = {
    **dict.fromkeys(("model", "profile", "item", "question", "culture", "language", "variant"), pl.String),
    **{"sample": pl.Int64, "counted": pl.Boolean, "state": pl.String},
}
"""Columns of every task, before its metrics: ids and states, but no text of items."""

TEXTS: Schema = dict.fromkeys(
    ("text", "gold", "system", "user", "response", "thoughts", "answer", "reason", "finish_reason"), pl.String
)
"""Further columns, after the task's facets, if items may be passed on."""

ROWS = 50_000
"""Maximum number of rows in a file, and in memory at a time."""


def export_judgements(
    workspace: Workspace,
    run: run_records.RunRecord,
    out: Path,
    *,
    profile: str | None = None,
    unlicensed_items: bool = False,
) -> WrittenFiles:
    """Write ``out/README.md``, ``out/croissant.json``, ``out/scores/test-00000.parquet`` and
    ``out/BENCHMARK_TASK/test-NNNNN.parquet`` for each task.

    If the licence forbids passing items on, the rows of a task have only ids and verdicts, without items and
    replies. The same run gives the same files; further files of an earlier export are removed.

    workspace: the database of ``run``.
    profile: only this profile of each task, if several were scored.
    unlicensed_items: whether the user may pass on items of data whose licence folkways does not know.

    Raises FolkwaysError if the run has no score of a model in this profile, or if ``out`` has a README.md
    that is not of an export.
    """
    export = _Export(workspace, run, profile, unlicensed_items, out)
    if export.scores.filter(pl.col("endpoint").is_in([*export.models])).is_empty():
        raise export.no_score_error()
    export.check_folder()
    made = {task: export.write_task(task) for task in export.tasks if task in export.scores["task"]}
    files = [file for written, _ in made.values() for file in written]
    scores = export.all_scores()
    files += export.write("scores", iter([packed(scores, "parquet")]))
    configurations = [Configuration(config_name(task), task, rows) for task, (_, rows) in made.items()]
    tables = {
        name: CroissantTable(
            pl.read_parquet_schema(paths[0]),
            {path.relative_to(out).as_posix(): sha256_of(path) for path in paths},
        )
        for name, paths in _by_folder(files).items()
    }
    files.append(write_bytes(out / "croissant.json", croissant(export, [*made], tables)))
    files.append(write_bytes(out / "README.md", card(export, scores, configurations).encode()))
    stay = {task: export.why_items_stay(task) for task in made}
    notes = [
        f"{task}: ids and verdicts alone of {export.record(task).name}: {why}"
        for task, why in stay.items()
        if why
    ]
    return WrittenFiles(tuple(files), tuple(notes))


def _by_folder(files: Sequence[Path]) -> dict[str, list[Path]]:
    """Name of a configuration -> its files."""
    folders: dict[str, list[Path]] = {}
    for path in files:
        folders.setdefault(path.parent.name, []).append(path)
    return folders


def config_name(task: str) -> str:
    """The name of a task's configuration, and of its folder: ``blend_saq``."""
    return task.replace("/", "_")


@dataclass(frozen=True)
class _Export(StoredRun):
    out: Path

    def check_folder(self) -> None:
        """FolkwaysError if this would overwrite a README.md that is not of an export."""
        readme = self.out / "README.md"
        if readme.is_file() and MARK not in readme.read_text(encoding="utf-8", errors="replace"):
            raise FolkwaysError(
                f"{readme} is not the card of an exported run, and was not changed; name another folder "
                "with --out"
            )

    def write(self, name: str, contents: Iterator[bytes]) -> list[Path]:
        """Write the files of a configuration, and remove further files of an earlier export."""
        files = [
            write_bytes(self.out / name / f"test-{number:05}.parquet", each)
            for number, each in enumerate(contents)
        ]
        for old in set((self.out / name).glob("test-*.parquet")) - set(files):
            old.unlink()
        return files

    def write_task(self, task: str) -> tuple[list[Path], pl.DataFrame]:
        """Write the judgements of a task; returns the files, and the number of rows in each language."""
        counts: list[pl.DataFrame] = []
        whole = self.why_items_stay(task) is None
        schema = self._schema(task, whole)

        def contents() -> Iterator[bytes]:
            judged = self._rows(task, schema, whole)
            while rows := list(islice(judged, ROWS)):
                frame = of_rows(rows, schema)
                counts.append(frame.group_by("language", maintain_order=True).len())
                yield packed(frame, "parquet")

        files = self.write(config_name(task), contents())
        return files, pl.concat(counts).group_by("language", maintain_order=True).agg(pl.col("len").sum())

    def _schema(self, task: str, whole: bool) -> Schema:
        definition = get_task(task)
        firsts = (
            next(judged_rows(self.workspace, self.run, profile, part), None)
            for part, profile in self._judged(task)
        )
        judged = {name for row in firsts if row is not None for name in row.details}
        # others are of many rows together
        metrics = {metric.name: pl.Float64 for metric in definition.metrics if metric.name in judged}
        apart = {ASKED_IN, *(metric.headline_by for metric in definition.metrics)} & judged
        headlines = dict.fromkeys(sorted(map(str, apart)), pl.String)  # what scores are of, and no text
        return {
            **VERDICTS,
            **headlines,
            **metrics,
            **({**dict.fromkeys(definition.facets, pl.String), **TEXTS} if whole else {}),
        }

    def _rows(self, task: str, schema: Schema, whole: bool) -> Iterator[tuple[Any, ...]]:
        texts = self.texts(task) if whole else {}
        for part, profile in self._judged(task):
            for row in judged_rows(self.workspace, self.run, profile, part):
                item = texts.get(row.item)
                reason = self.without_hosts(row.failure if row.state in LOST and row.failure else row.reason)
                common = {
                    "model": self.names[part.endpoint],
                    "profile": profile,
                    "text": item and item.text,
                    "gold": item and item.gold,
                    "reason": reason,
                }
                yield tuple(_value(name, kind, row, common) for name, kind in schema.items())

    def _judged(self, task: str) -> list[tuple[results.Part, str]]:
        """The parts of a task, each with every profile that it was judged in."""
        profiles = self.scores.filter(pl.col("task") == task)["profile"].unique(maintain_order=True)
        return [(part, profile) for part in self.parts if part.task == task for profile in profiles]

    def all_scores(self) -> pl.DataFrame:
        """The scores of models, baselines and people: ``subject``, then SCORES with ``model`` instead of
        ``endpoint``."""
        subject_of = pl.when(pl.col("endpoint").map_elements(is_baseline, return_dtype=pl.Boolean)).then(
            pl.lit(Subject.BASELINE.value)
        )
        frames = [self.scores.with_columns(subject=subject_of.otherwise(pl.lit(Subject.MODEL.value)))]
        for subject in (Subject.BASELINE, Subject.PEOPLE):
            computed = self.of_profile(results.load_scores(self.workspace, self.run, subject))
            # a baseline that was asked too
            computed = computed.join(self.scores, on=["endpoint", "task", "profile"], how="anti")
            frames.append(computed.with_columns(subject=pl.lit(subject.value)))
        named = pl.concat(frames).with_columns(model=pl.col("endpoint").replace(dict(self.names)))
        return named.select("subject", "model", *(name for name in SCORES if name != "endpoint"))


def _value(name: str, kind: object, row: JudgedRow, given: Mapping[str, Any]) -> Any:
    value = given[name] if name in given else getattr(row, name, row.details.get(name))
    if value is None:
        return None
    return float(value) if kind == pl.Float64 else str(value) if kind == pl.String else value
