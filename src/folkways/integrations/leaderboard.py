"""What a leaderboard is made of: runs of a workspace, archives of runs, and records of Every Eval Ever."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import orjson
import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.treatments import without_treatments
from folkways.display import named
from folkways.errors import DataError, FolkwaysError, option, quoted
from folkways.evidence.conditions import parts_kept_apart
from folkways.evidence.contributions import Contribution, Entry
from folkways.files import WrittenFiles
from folkways.integrations.compare_logs import is_record, logs_in, read_scored, sources_of
from folkways.integrations.every_eval_ever.scores import read_contribution
from folkways.integrations.helm import runs as helm
from folkways.names import WHOLE
from folkways.records import (
    BASELINE_PREFIX,
    JUDGEMENTS,
    SCORES,
    Metric,
    Signature,
    Subject,
    empty,
    headline_of,
)
from folkways.releases.registry import known_releases
from folkways.releases.stored_releases import locate
from folkways.reports.formats.site import MANIFEST, Site, read_manifest, write_site
from folkways.reports.views.board import Board
from folkways.runs.results.model_names import model_names
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.archives import files as archives
from folkways.workspace.database import WORKSPACE, Workspace, opened, opened_if_there

SAMPLES = "_samples.jsonl"
"""How the name of a file of instances ends, which lies in the folder of its aggregate."""

CARRIED = ("task", "item", "question", "culture", "language", "variant", "sample", "counted", "state")
"""Columns of judgements by which models are compared, besides model and metric."""


def contributions_of(
    names: Sequence[str], workspace: str | Path | Workspace, profile: str | None = None
) -> list[Contribution]:
    """The contributions of these sources: runs and archives in their order, then each record and log once.

    names: runs of the workspace, folders of archived runs, records (``UUID.json``), logs of other programs as
    ``compare_logs`` reads them, or folders of these; what is there as one of these is not looked for as a
    run. profile: of the tasks; the first that each run was scored in if None. FolkwaysError
    for a run that cannot be read; DataError for a file that is not one of these.
    """
    contributions: list[Contribution] = []
    records: dict[Path, Path] = {}
    for name in names:
        path = Path(name)
        if not path.exists() or (not is_source(name) and _is_run(workspace, name)):
            if opened_if_there(workspace) is None:
                raise FolkwaysError(
                    f"there is no file or folder {name}, and no workspace at {workspace} with a run "
                    f"of that name; name a file, or the workspace with {option('workspace', 'PATH')}"
                )
            contributions.append(_of_run(opened(workspace), name, profile))
        elif (path / archives.MANIFEST).is_file():
            contributions.append(_of_archive(path, profile))
        else:
            for source in _records(path):
                records.setdefault(source.resolve(), source)
    of_records = {path: is_record(path) for path in records.values()}
    contributions += (read_contribution(path) for path, is_one in of_records.items() if is_one)
    logs = read_scored(path for path, is_one in of_records.items() if not is_one)
    contributions += (log.contribution() for log in logs)
    return _named_apart(contributions)


def is_source(name: str) -> bool:
    """Whether a name is that of a file or folder which scores are read from, and not that of a run."""
    path = Path(name)
    if path.is_file():
        return path.suffix != ""
    return path.is_dir() and ((path / archives.MANIFEST).is_file() or bool(logs_in(path)))


def _is_run(workspace: str | Path | Workspace, name: str) -> bool:
    try:
        run_records.find_asked_run(opened(workspace), name)
    except FolkwaysError:
        return False
    return True


def _named_apart(contributions: Sequence[Contribution]) -> list[Contribution]:
    """The contributions, with a number for a source that an earlier one has too: a record and its copy."""
    times: Counter[str] = Counter()
    named_apart = []
    for one in contributions:
        times[one.source] += 1
        number = times[one.source]
        named_apart.append(one if number == 1 else replace(one, source=f"{one.source} ({number})"))
    return named_apart


def entries_of(
    names: Sequence[str], workspace: str | Path | Workspace, profile: str | None = None
) -> list[Entry]:
    """The entries of leaderboards (folders that ``folkways site`` wrote) and of ``contributions_of``.

    names, workspace, profile: as there, with the same errors.
    """
    sites = [name for name in names if (Path(name) / MANIFEST).is_file()]
    others = contributions_of([name for name in names if name not in sites], workspace, profile)
    entries = [entry for name in sites for entry in read_manifest(Path(name))]
    return entries + [entry for one in others for entry in one.entries()]


def copies_of(entries: Iterable[Entry]) -> dict[str, str]:
    """Release -> the fingerprint of its copy in the data folder, for the releases of these entries that are
    there with verified contents."""
    names = {entry.made.get("data", "").partition("#")[0] for entry in entries}
    copies = {}
    for name in sorted(names & {record.name for record in known_releases()}):
        with contextlib.suppress(FolkwaysError):  # it is not here, or damaged: nothing to compare with
            release = locate(name)
            if release.verified:
                copies[name] = release.fingerprint
    return copies


def _records(path: Path) -> Iterator[Path]:
    """The records and logs that a path means: aggregates before their instances."""
    if path.is_file():
        aggregate = path.with_name(f"{path.name.removesuffix(SAMPLES)}.json")
        if helm.is_run(path):
            yield path.parent
        else:
            is_instances = path.name.endswith(SAMPLES) and is_record(aggregate)
            yield from [aggregate] if is_instances else sources_of(path)
        return
    if not (sources := logs_in(path)):
        raise DataError(
            "has no record of Every Eval Ever, no run of HELM, no log of Inspect (.eval) and no samples of "
            "lm-evaluation-harness, is not an archive of a run, and no run has its name",
            file=path,
        )
    yield from sources


def _of_run(workspace: Workspace, name: str, profile: str | None) -> Contribution:
    run = run_records.find_asked_run(workspace, name)
    again = workspace.command("score", run.name, "--profile")
    scores = _headlines(stored_scores(workspace, run), run.name, profile, again)
    people = results.load_scores(workspace, run, Subject.PEOPLE)
    judged = [
        results.load_judgements(workspace, run, shown, part, without=["response"])
        for part in results.parts(workspace, run)
        for shown in scores.filter(task=part.task, endpoint=part.endpoint)["profile"].unique()
    ]
    signatures = results.load_signatures(workspace, run)
    created = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    return _contribution(run.name, created, scores, people, judged, signatures)


def _of_archive(folder: Path, profile: str | None) -> Contribution:
    archive = archives.read_archive(folder)
    tables = [archive.checked(file) for file in archive.files if file.table == archives.SCORES]
    stored = pl.concat(pl.read_parquet(table, glob=False) for table in tables)
    made = {text: Signature(orjson.loads(text)) for text in stored["signature"].unique()}
    texts = {text: signature.text() for text, signature in made.items()}
    stored = stored.with_columns(pl.col("signature").replace_strict(texts))
    of_models, people = (
        stored.filter(subject=subject).select(list(SCORES)) for subject in (Subject.MODEL, Subject.PEOPLE)
    )
    again = f"folkways score {quoted(archive.run)} --profile"
    scores = _headlines(of_models, archive.run, profile, again)
    prompts = pl.concat(
        page.select("ordinal", "endpoint", "task", "item", "language", "variant", "sample")
        for page in archive.pages(archives.RESPONSES, PAGE)
    )
    judged = [
        page.join(prompts, on="ordinal", maintain_order="left").join(
            scores.select("endpoint", "task", "profile").unique(),
            on=["endpoint", "task", "profile"],
            how="semi",
        )
        for page in archive.pages(archives.JUDGEMENTS, PAGE)
    ]
    details = dict.fromkeys(scores["metric"].unique(), pl.Float64()) | {
        group: pl.String() for group in _averaged(_metrics_of(scores)) if group not in JUDGEMENTS
    }
    judged = [
        page.with_columns(
            pl.col("details").str.json_path_match(f"$.{name}").cast(kind, strict=False).alias(name)
            for name, kind in details.items()
        )
        for page in judged
    ]
    created = datetime.fromtimestamp(float(archive.known["created"]), UTC).isoformat(timespec="seconds")
    return _contribution(
        archive.run, created, scores, people, judged, {one.text(): one for one in made.values()}
    )


PAGE = 100_000
"""Rows of an archive that are read at a time."""


def _headlines(scores: pl.DataFrame, run: str, profile: str | None, again: str) -> pl.DataFrame:
    """Of the models' scores the headline of each task in one profile: over everything, by culture, and by the
    facet that headlines are shown by. again: the command that scores the run in a profile, but for its
    name."""
    parts = []
    models = scores.filter(~pl.col("endpoint").str.starts_with(BASELINE_PREFIX))
    for (name,), of_task in models.group_by("task", maintain_order=True):
        task = get_task(str(name))
        shown = of_task["profile"][0] if profile is None else task.resolve_profile(profile)
        metric = headline_of(task.metrics, of_task["metric"])
        rows = of_task.filter(
            pl.col("profile") == shown,
            pl.col("metric") == metric.name,
            pl.col("facet").is_in([WHOLE, "culture", metric.headline_by]),
        )
        if rows.is_empty():
            raise FolkwaysError(
                f"run {run} has not been judged on {name} in the profile {shown}; do it (no model is asked): "
                f"{again} {shown}"
            )
        parts.append(rows)
    if not parts:
        raise FolkwaysError(f"run {run} has no score of a model; baselines have no place on a leaderboard")
    return pl.concat(parts)


def _metrics_of(scores: pl.DataFrame) -> dict[str, Metric]:
    """Task -> its headline, whose metric alone is in these scores."""
    return {
        name: headline_of(get_task(name).metrics, scores.filter(task=name)["metric"])
        for name in scores["task"].unique(maintain_order=True)
    }


def _averaged(metrics: Mapping[str, Metric]) -> list[str]:
    """The columns over whose groups these are averaged."""
    return [one.mean_over for one in metrics.values() if one.mean_over]


def _contribution(
    source: str,
    created: str,
    scores: pl.DataFrame,
    people: pl.DataFrame,
    judged: Sequence[pl.DataFrame],
    signatures: dict[str, Signature],
) -> Contribution:
    """With the names of models as other people may read them: without addresses of servers and paths."""
    names = model_names(scores["endpoint"].unique(maintain_order=True))
    metrics = _metrics_of(scores)
    judged = [without_treatments(frame) for frame in judged]
    names_of_metrics = (one.name for one in metrics.values())
    columns = dict.fromkeys((*CARRIED, "endpoint", "profile", *names_of_metrics, *_averaged(metrics)))
    shown = scores.select("task", "profile", "metric").unique()
    frames = [page.select(name for name in columns if name in page.columns) for page in judged if page.height]
    nothing = empty({**JUDGEMENTS, "endpoint": pl.String, "profile": pl.String})
    judgements = pl.concat(frames, how="diagonal_relaxed") if frames else nothing
    renamed = pl.col("endpoint").replace(names)
    return Contribution(
        source,
        created,
        scores.with_columns(renamed),
        judgements.with_columns(renamed),
        signatures,
        metrics,
        {name: get_task(name).title for name in metrics},
        people.join(shown, on=["task", "profile", "metric"], how="semi", maintain_order="left"),
    )


def notes_on(board: Board) -> list[str]:
    """What a person must know about what is, and is not, on a board."""
    notes = [
        f"{one.leaderboard.view.tasks[0].title}: {named(one.models)} kept apart: {'; '.join(one.why)}"
        for one in board.apart
    ]
    notes += [
        f"{group[0].model} on {group[0].task}: {named([one.source for one in group])} asked parts of it in "
        "one condition; a run that asks all of them takes the replies that are stored, and has one score"
        for group in parts_kept_apart(board.kept)
    ]
    notes += [
        f"{one.model} on {one.task}: {one.source} is replaced by a newer or more complete score in the same "
        "setting"
        for one in board.replaced
    ]
    notes += [
        f"{model} on {task}: no rank, {why}"
        for one in board.contributions
        for (model, task), why in one.faults.items()
    ]
    return [*dict.fromkeys(chain(notes, *(one.notes for one in board.contributions)))]


@dataclass(frozen=True)
class WrittenLeaderboard(WrittenFiles):
    """The files of a leaderboard, what a person must know, and how much is on it."""

    models: int
    tasks: int
    cultures: int


def write_leaderboard(
    names: Sequence[str],
    out: str | Path,
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    title: str = "Leaderboard",
    profile: str | None = None,
    url: str = "",
    contribute: str = "",
) -> WrittenLeaderboard:
    """Write a leaderboard of these sources into the folder ``out``.

    names, workspace, profile: as in ``contributions_of``, with the same errors. title: of the site. url:
    where it will be published. contribute: the address at which additions are proposed.
    """
    board = Board(contributions_of(names, workspace, profile), title)
    files = write_site(Site(board, url, contribute), Path(out))
    notes = notes_on(board)
    view = board.view
    return WrittenLeaderboard(
        tuple(files), tuple(notes), len(view.models), len(view.tasks), len(view.cultures)
    )
