"""Runs that are looked at together: what each model is called in each of them, and the scores over what
several of them asked a model in one condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import orjson
import polars as pl

from folkways.benchmarks.multiple_choice.orders import without_order
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.evidence.completeness import ASKED_BY
from folkways.evidence.conditions import AskedPart, runs_alike, signature_together, unlike_on_tasks
from folkways.names import WHOLE
from folkways.records import CUT, LOST, SCORES, Signature, Subject, is_baseline, plain
from folkways.runs.models import split_name
from folkways.runs.planning.plan import POPULATIONS, restore_options, stored_plan
from folkways.runs.results.completeness import completeness_of_rows, if_data_are_here, lacking
from folkways.runs.results.contrasts import TEXTS
from folkways.runs.results.model_names import ALSO, AT, at_runs, model_names
from folkways.runs.scores.scoring import reference_scores, scores_of_run, stored_scores, unsummarised
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace

ROW = ("endpoint", "task", "profile", "item", "language", "variant", "sample")
"""What tells replies of models in one condition apart."""

ORDINALS = 1 << 40
"""More than any run expects: replies of a later run come after those of an earlier one."""

Key = tuple[str, ...]
"""Task, model by its name here, and profile."""


@dataclass(frozen=True)
class _Share:
    """A model's part of a task in one run: options and populations of the run, signature of the scores."""

    run: run_records.RunRecord
    part: results.Part
    run_task: run_records.RunTask
    made: AskedPart


class RunsTogether:
    """Runs of a workspace that are looked at together. Of what two of them asked a model alike, the reply to
    the later one counts, if it came.

    A model that runs asked in different conditions is one for each, with the runs in its name. stored: name
    of a run -> records.SCORES as they are stored. signatures: each text of their column ``signature`` ->
    its parts.
    """

    def __init__(
        self, workspace: Workspace, runs: Sequence[run_records.RunRecord], profile: str | None = None
    ) -> None:
        """profile: only this one of each task. Raises FolkwaysError for a run that has not been scored."""
        self.workspace, self.runs, self._profile = workspace, runs, profile
        self.tasks = {run.name: run_records.run_tasks(workspace, run) for run in runs}
        self.signatures: dict[str, Signature] = {}
        self.stored: dict[str, pl.DataFrame] = {}
        for run in runs:
            self.stored[run.name] = stored_scores(workspace, run)
            self.signatures |= results.load_signatures(workspace, run)
        shares = [*self._shares()] if len(runs) > 1 else []
        apart = runs_alike([share.made for share in shares])
        self._names = {key: at_runs(key[1], of_runs) for key, of_runs in apart.items()}
        self._runs_of = {name: apart[key] for key, name in self._names.items()}
        self._pooled: dict[Key, list[_Share]] = {}
        for share in shares:
            key = share.part.task, self.name(share.run, share.part.endpoint), share.made.profile
            self._pooled.setdefault(key, []).append(share)
        self._pooled = {key: of_key for key, of_key in self._pooled.items() if len(of_key) > 1}
        self._judged: dict[tuple[str, Key], pl.DataFrame] = {}
        self._counts: dict[Key, pl.DataFrame] = {}

    def _shares(self) -> Iterator[_Share]:
        for run in self.runs:
            parts = results.parts(self.workspace, run)
            run_tasks = {one.task: one for one in self.tasks[run.name]}
            made = (
                self.stored[run.name]
                .select("task", "endpoint", "profile", "signature")
                .unique(["task", "endpoint", "profile"], keep="first", maintain_order=True)
            )
            of_part = {(part.task, part.endpoint): part for part in parts}
            for name, endpoint, profile, signature in made.iter_rows():
                task = get_task(name)
                if self._profile is None or profile == task.resolve_profile(self._profile):
                    of_run = self.signatures[signature].parts
                    opinions = task.metrics[0].kind == "distribution"
                    asked_part = AskedPart(run.name, endpoint, name, profile, of_run, opinions)
                    yield _Share(run, of_part[name, endpoint], run_tasks[name], asked_part)

    def name(self, run: run_records.RunRecord, endpoint: str) -> str:
        """What an endpoint of a run is called here."""
        return self._names.get((run.name, endpoint), endpoint)

    def endpoints(self) -> dict[str, str]:
        """The name here of each model that has scores -> its endpoint."""
        return {
            self.name(run, endpoint): endpoint
            for run in self.runs
            for endpoint in self.stored[run.name]["endpoint"].unique(maintain_order=True)
        }

    def conditions(self) -> dict[str, str]:
        """The name here of each model that is here in several conditions, of runs or of settings in its name
        -> the model."""
        models = {name: split_name(of)[0] for name, of in self.endpoints().items() if not is_baseline(of)}
        often = Counter(models.values())
        return {name: model for name, model in models.items() if often[model] > 1}

    def public_names(self, shown: Iterable[str]) -> dict[str, str]:
        """The names that exports have for what is ``shown`` by its name here (``model_names``), with the runs
        where a model is there in several conditions."""
        endpoints = self.endpoints()
        of_shown = {name: endpoints.get(name, name) for name in shown}
        public = model_names(of_shown.values())
        runs = {name: f"{AT}{ALSO.join(of)}" for name, of in self._runs_of.items()}
        return {name: public[endpoint] + runs.get(name, "") for name, endpoint in of_shown.items()}

    def renamed(self, run: run_records.RunRecord, frame: pl.DataFrame) -> pl.DataFrame:
        """A frame of the run with the column ``endpoint`` as models are called here."""
        names = {endpoint: name for (of, endpoint), name in self._names.items() if of == run.name}
        if not names:
            return frame
        kind = frame.schema["endpoint"]
        return frame.with_columns(pl.col("endpoint").cast(pl.String).replace(names).cast(kind))

    def scores(self, run: run_records.RunRecord) -> pl.DataFrame:
        """records.SCORES of the run, as they are stored."""
        return self.renamed(run, self.stored[run.name])

    def is_pooled(self, run: run_records.RunRecord, task: str) -> bool:
        """Whether others of the runs asked a model of ``run`` the ``task`` in the same condition."""
        return any(
            key[0] == task and any(share.run.id == run.id for share in shares)
            for key, shares in self._pooled.items()
        )

    def pooled(self, *key: str) -> bool:
        """Whether several of the runs asked a model alike, so that its scores are made of what all of them
        asked. key: task, name of the model here, and profile."""
        return key in self._pooled

    def judgements(
        self, run: run_records.RunRecord, task: str, profiles: Sequence[str]
    ) -> Iterator[pl.DataFrame]:
        """The judgements of a ``task`` of the ``run`` in each of the ``profiles``, of each endpoint, as far
        as models are compared by them: compact records.JUDGED_ITEMS without texts."""
        with_cut = self.is_pooled(run, task)
        for part in results.parts(self.workspace, run):
            if part.task == task:
                for profile in profiles:
                    judged = self._load(run, part, profile, with_cut=with_cut)
                    yield self.taken(run, judged).drop(*TEXTS)

    def _load(
        self, run: run_records.RunRecord, part: results.Part, profile: str, *, with_cut: bool
    ) -> pl.DataFrame:
        return results.load_judgements(
            self.workspace, run, profile, part, small=True, without=TEXTS, with_cut=with_cut
        )

    def taken(self, run: run_records.RunRecord, judged: pl.DataFrame) -> pl.DataFrame:
        """The judgements of an endpoint in one profile of the ``run`` as they are looked at together. What
        scores over several runs are made of is kept."""
        judged = self.renamed(run, judged)
        if judged.height:
            task, endpoint, profile = map(str, judged.select("task", "endpoint", "profile").row(0))
            if self.pooled(task, endpoint, profile):
                slim = judged.drop(*TEXTS, "text", "gold", strict=False)
                self._judged[run.name, (task, endpoint, profile)] = slim
        return judged.drop("ordinal", CUT, strict=False)

    def together(self, task: str, endpoint: str, profile: str) -> pl.DataFrame:
        """records.SCORES of a pooled model over all that the runs asked it. What it was judged by is let
        go."""
        key = task, endpoint, profile
        shares = self._pooled[key]
        defined = get_task(task)
        options = restore_options(shares[-1].run_task.options)
        populations: dict[str, int] = {}
        frames = []
        for turn, share in enumerate(shares):
            judged = self._judged.pop((share.run.name, key), None)
            if judged is None:
                judged = self.renamed(share.run, self._load(share.run, share.part, profile, with_cut=True))
            frames.append(judged.with_columns(pl.col("ordinal") + turn * ORDINALS))
            treatments = restore_options(share.run_task.options).treatments
            options = replace(options, treatments={**options.treatments, **treatments})
            populations |= share.run_task.options.get(POPULATIONS, {})
        heights = [frame.height for frame in frames]
        judged = pl.concat(frames, how="diagonal_relaxed")
        del frames
        if not defined.scoring.per_reply or options.until is not None:
            judged = plain(judged)
        if options.until is not None:  # in the order of drawing, also of items that a later run drew again
            judged = judged.with_columns(pl.col("ordinal").min().over(ROW))
        judged, _ = latest(judged, heights)
        columns = [pl.col(name).cast(pl.String) for name in ASKED_BY]
        counts = judged.group_by(*columns, "sample", maintain_order=True).len("rows")
        self._counts[key] = counts
        unused = (*unsummarised(options), *TEXTS, "endpoint", "profile")
        scored = scores_of_run(defined, options, populations, judged.drop(unused, strict=False))
        made = signature_together([share.made for share in shares])
        self.signatures[made.text()] = made
        labels = {"endpoint": endpoint, "profile": profile, "signature": made.text()}
        return scored.with_columns(pl.lit(text).alias(name) for name, text in labels.items()).select(
            [*SCORES]
        )

    def lacking(self, *key: str) -> list[str]:
        """What the runs ``together`` did not ask a pooled model of what the task asks by default, in words as
        ``completeness.lacking`` has them."""
        shares, task = self._pooled[key], get_task(key[0])
        if any(not lacking(self.workspace, share.run, share.run_task) for share in shares):
            return []
        counts = self._counts[key]
        return if_data_are_here(
            lambda: [*completeness_of_rows(counts, shares[-1].run_task, task).sentences()]
        )

    def references(self, task: str) -> tuple[list[pl.DataFrame], list[pl.DataFrame], list[str]]:
        """What guessing scores on a ``task``, and what people do (records.SCORES each): on the questions of
        all runs that asked it, of the data of the last. And sentences on what is not of all."""
        run_tasks = [(run, one) for run in self.runs for one in self.tasks[run.name] if one.task == task]
        stored = [
            tuple(
                results.load_scores(self.workspace, run, of).filter(task=task)
                for of in (Subject.BASELINE, Subject.PEOPLE)
            )
            for run, _ in run_tasks
        ]
        last = stored[-1]
        run_tasks = [(run, one) for run, one in run_tasks if one.fingerprint == run_tasks[-1][1].fingerprint]
        options = [restore_options(one.options) for _, one in run_tasks]
        if len({(one.cultures, one.limit, one.limit and one.seed) for one in options}) == 1:
            return [last[0]], [last[1]], []  # the same items
        profiles = dict.fromkeys(profile for frames in stored for of in frames for profile in of["profile"])
        guessed: list[pl.DataFrame] = []
        people: list[pl.DataFrame] = []
        try:
            plan, *further = (stored_plan(one) for _, one in reversed(run_tasks))
            for profile in profiles:
                for frame in reference_scores(plan, profile, further):
                    made = {text: Signature(orjson.loads(text)) for text in frame["signature"].unique()}
                    self.signatures |= {one.text(): one for one in made.values()}
                    texts = pl.col("signature").replace_strict(
                        {text: one.text() for text, one in made.items()}
                    )
                    of = people if frame["subject"][0] == Subject.PEOPLE else guessed
                    of.append(frame.with_columns(texts).select([*SCORES]))
        except FolkwaysError as error:  # the data have gone since
            of_last = f"What guessing and people score on {get_task(task).title} is of the questions of run "
            why = str(error).splitlines()[0]
            return [last[0]], [last[1]], [f"{of_last}{run_tasks[-1][0].name} alone: {why}"]
        return guessed, people, []

    def unlike(self, scores: pl.DataFrame) -> list[str]:
        """Sentences on how the models of a task were not asked or judged alike; none of a single run, whose
        models differ by the settings in their names alone. scores: records.SCORES of all."""
        if len(self.runs) < 2:
            return []
        shown = scores.filter(facet=WHOLE).unique(["task", "endpoint"], keep="first", maintain_order=True)
        of_tasks = (
            {
                row["endpoint"]: self.signatures[row["signature"]].parts
                for row in rows.iter_rows(named=True)
                if not is_baseline(row["endpoint"])
            }
            for rows in shown.partition_by("task")
        )
        return unlike_on_tasks(of_tasks, self.endpoints())


def each_once(frames: Sequence[pl.DataFrame]) -> tuple[pl.DataFrame, pl.Series]:
    """The judgements of several runs together, of one run in each frame: of what they asked a model alike,
    what ``latest`` takes, and the numbers of these rows."""
    return latest(pl.concat(frames, how="diagonal_relaxed"), [frame.height for frame in frames])


def latest(judged: pl.DataFrame, heights: Sequence[int]) -> tuple[pl.DataFrame, pl.Series]:
    """The rows that stay where several runs asked a model the same, and their numbers: those of the last run
    that got a reply, or of the last run where none did.

    What has one value together, such as the statements of a question or the orders of its options, is of one
    run: of those that got every reply to it, or else of all, the one that got most, and of these the last.
    Where another run has further rows of it, these stay without the value.

    heights: how many rows each run has, one run after the other.
    """
    turn = pl.Series("turn", np.repeat(np.arange(len(heights)), heights))
    came = (~pl.col("state").is_in(LOST)).cast(pl.Int64).alias("came")
    rows = judged.select(*ROW, "question", "culture", came, turn, best=pl.lit(0), most=pl.lit(0))
    tasks = {name: get_task(name) for name in judged["task"].unique().cast(pl.String)}
    of_several = [
        (name, one.name) for name, task in tasks.items() for one in task.metrics if one.per != "item"
    ]
    together = [*dict.fromkeys(name for name, _ in of_several)]
    task = pl.col("task").cast(pl.String)
    if together:
        opinions = task.is_in([name for name in together if tasks[name].metrics[0].kind == "distribution"])
        asking = (pl.when(~opinions).then(column) for column in (without_order("variant"), pl.col("sample")))
        names = ("endpoint", "task", "profile", "question", "culture", "language")
        whose: list[pl.Expr] = [*map(pl.col, names), *asking]
        every = ((pl.col("came").min().over(*whose, "turn") == 1) & ~opinions).cast(pl.Int64)
        replies = every * judged.height + pl.col("came").sum().over(*whose, "turn")
        best = pl.when(task.is_in(together)).then(replies * len(heights) + pl.col("turn")).otherwise(0)
        rows = rows.with_columns(best=best).with_columns(most=pl.col("best").max().over(whose))
    chosen = (pl.col("best") == pl.col("most")).alias("chosen")
    ordered = rows.with_row_index("row").with_columns(chosen).sort("chosen", "came", maintain_order=True)
    latest_rows = ordered.unique(subset=ROW, keep="last", maintain_order=True).sort("row")
    values = {value for _, value in of_several} & {*judged.columns}
    without = [
        pl.when(
            latest_rows["chosen"] | ~task.is_in([name for name, of_task in of_several if of_task == value])
        )
        .then(pl.col(value))
        .alias(value)
        for value in values
    ]
    return judged[latest_rows["row"]].with_columns(without), latest_rows["row"]
