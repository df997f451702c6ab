"""Compares models by logs of Inspect, samples of lm-evaluation-harness, records of Every Eval Ever and runs
of HELM, for any task."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.errors import DataError, FolkwaysError, FolkwaysWarning, UnknownNameError, option
from folkways.evidence.comparison import Comparison, compare_judgements
from folkways.evidence.conditions import unlike_notes, unlike_parts
from folkways.evidence.contrasts import CULTURE
from folkways.integrations.every_eval_ever import samples as every_eval_ever
from folkways.integrations.helm import runs as helm
from folkways.integrations.lm_eval import samples as lm_eval
from folkways.integrations.scored_log import OWN_COLUMNS, ScoredLog, UnscoredLogError, of_schema
from folkways.json_lines import read_json
from folkways.records import JUDGEMENTS
from folkways.reports.formats.comparison_tables import Comparisons

SUFFIXES = (".eval", ".json", ".jsonl")

NO_FACET = "samples"
"""Name of the group column if samples are not grouped."""


def warn(text: str) -> None:
    """Warn of what is left out."""
    warnings.warn(text, FolkwaysWarning, stacklevel=3)


def compare_logs(
    *paths: str | Path,
    tasks: Sequence[str] | str | None = None,
    metric: str | None = None,
    by: str | None = None,
    tell: Callable[[str], object] = warn,
) -> Comparisons:
    """Compare the models of two or more logs on each task that at least two of them have.

    Each sample is a question, unless its metadata name the question of folkways that it asks; epochs are rows
    of the same question. Samples are matched by id and epoch. Samples whose content differs between logs, or
    that only one log has scores for, are left out, and the comparison says so. Higher scores are taken to be
    better unless a log says otherwise. A log that several names mean is read once.

    paths: ``.eval`` and ``.json`` of Inspect, ``samples_*.jsonl`` of lm-evaluation-harness,
    ``UUID_samples.jsonl`` or ``UUID.json`` of Every Eval Ever, and folders of such records or of runs of
    HELM.
    tasks: names as in the logs; all if None.
    metric: a score of the logs; None for the first of each task.
    by: a facet from the metadata of the samples.
    tell: called with a message about each task that cannot be compared, and each log without scores; by
        default it warns. For a task that is named in ``tasks``, the error is raised instead.

    Raises FolkwaysError for fewer than two logs, or if no task can be compared; UnknownNameError for a name
    that the logs do not have.
    """
    by_source = {(log.path.resolve(), log.task, log.model): log for log in read_scored(paths, tell, least=2)}
    logs = [*by_source.values()]
    if len(logs) < 2:
        raise FolkwaysError(
            f"a comparison needs two logs or more, got {', '.join(str(log.path) for log in logs) or 'none'}"
        )
    valid = dict.fromkeys(log.task for log in logs)
    named = (tasks,) if isinstance(tasks, str) else tuple(tasks or ())
    for name in named:
        if name not in valid:
            raise UnknownNameError("task of these logs", name, valid)
    comparisons: list[Comparison] = []
    failures: list[tuple[str, FolkwaysError]] = []
    for task in named or valid:
        try:
            comparisons.append(_compared(task, [log for log in logs if log.task == task], metric, by))
        except FolkwaysError as error:
            if task in named:
                raise
            failures.append((task, error))
    if not comparisons:
        raise (
            failures[0][1]
            if len(failures) == 1
            else FolkwaysError("\n".join(str(error) for _, error in failures))
        )
    for task, reason in failures:
        tell(f"left out: {task} ({reason})")
    return Comparisons(comparisons)


def read_scored(
    paths: Iterable[str | Path], tell: Callable[[str], object] = warn, *, least: int = 1
) -> list[ScoredLog]:
    """The logs of these files and folders. One without scores is left out with a warning, and an error where
    fewer than ``least`` have some."""
    logs: list[ScoredLog] = []
    unscored: list[UnscoredLogError] = []
    for source in chain.from_iterable(sources_of(Path(path)) for path in paths):
        try:
            logs += _read(source)
        except UnscoredLogError as error:
            unscored.append(error)
    if unscored and len(logs) < least:
        raise unscored[0]
    for reason in unscored:
        tell(f"left out: {reason}")
    return logs


def sources_of(path: Path) -> list[Path]:
    """The logs in a folder, the samples that belong to a file of results, or the path itself."""
    if path.is_dir() and not helm.is_run(path):
        return logs_in(path) or [path]
    return lm_eval.samples_beside(path) or [path]


def read_logs(path: Path) -> list[ScoredLog]:
    """Read the logs of a file, of the program that its ending and its first object tell, or those that
    ``sources_of`` names; FolkwaysError for others, UnscoredLogError for a log without scores."""
    return [log for source in sources_of(path) for log in _read(source)]


def _read(path: Path) -> list[ScoredLog]:
    with of_schema(path):
        return _read_as_its_program_wrote(path)


def _read_as_its_program_wrote(path: Path) -> list[ScoredLog]:
    if helm.is_run(path):
        return [helm.read_scores(path)]
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FolkwaysError(
            f"cannot tell which program wrote {path}; valid: .eval and .json (Inspect), samples_*.jsonl "
            "(lm-evaluation-harness), UUID.json and UUID_samples.jsonl (Every Eval Ever), "
            "and a folder of these or of runs of HELM"
        )
    if path.is_file() and not path.stat().st_size:
        raise DataError("is empty", file=path)
    if suffix in lm_eval.SUFFIXES:
        if every_eval_ever.is_instance(_first_object(path)):
            return every_eval_ever.read_scores(path)
        return [lm_eval.read_scores(path)]
    if suffix == ".json" and every_eval_ever.is_aggregate(document := _document(path)):
        return every_eval_ever.read_aggregate(path, document)
    if suffix == ".json" and lm_eval.RESULTS.fullmatch(path.stem):
        raise DataError(
            "has the results of lm-evaluation-harness over whole tasks, not of single samples, and no files "
            "samples_*.jsonl beside it; run it with --log_samples",
            file=path,
        )
    from folkways.integrations.inspect import logs

    return [logs.read_scores(path)]


def logs_in(folder: Path) -> list[Path]:
    """The records of Every Eval Ever in a folder, the runs of HELM, the logs of Inspect, and the samples of
    lm-evaluation-harness, at any depth."""
    from folkways.integrations.inspect import logs

    documents = sorted(folder.rglob("*.json"))
    return [
        *filter(is_record, documents),
        *helm.find_runs(folder),
        *sorted([*folder.rglob("*.eval"), *filter(logs.is_json_log, documents)]),
        *filter(lm_eval.is_samples, sorted(folder.rglob("*.jsonl"))),
    ]


def is_record(path: Path) -> bool:
    """Whether it is an aggregate of Every Eval Ever."""
    return path.suffix == ".json" and path.is_file() and b'"evaluation_results"' in path.read_bytes()


def _first_object(path: Path) -> Mapping[str, Any]:
    """The first line as an object; empty if it is none, which the reader of the format reports."""
    try:
        with path.open("rb") as lines:
            first = read_json(lines.readline())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return first if isinstance(first, dict) else {}


def _document(path: Path) -> Any:
    """The document of a file that may be an aggregate; None for others, which the reader of Inspect's logs
    parses, and reports."""
    try:
        content = path.read_bytes()
        return read_json(content) if b'"evaluation_results"' in content else None
    except (OSError, orjson.JSONDecodeError):
        return None


def _compared(task: str, logs: Sequence[ScoredLog], metric: str | None, by: str | None) -> Comparison:
    if len(logs) < 2:
        raise FolkwaysError(
            f"{task} is in only one log ({logs[0].path}); a comparison needs logs of the same task by two "
            "models or runs"
        )
    logs = _in_one_profile(logs)
    labelled = dict(zip(_labels(logs), logs, strict=True))
    score, others = _score(task, logs, metric)
    facet = _facet(task, logs, by)
    same, notes = _same_samples(labelled)
    values = [value for log in logs for value in log.scores[score]]
    chosen = max(logs, key=lambda log: score in log.lower_is_better).metric(score, values)
    judged = {
        label: log.judgements(log.scores[score], chosen, facet).filter(pl.col("item").is_in(same))
        for label, log in labelled.items()
    }
    settings = {label: log.settings for label, log in labelled.items()}
    notes += unlike_notes(settings)
    notes += [f"{label}: {note}." for label, log in labelled.items() for note in log.notes]
    untold = [log.untold(score) for log in logs]
    if all(untold):
        notes.append(f"{untold[0][0].upper()}{untold[0][1:]}.")
    if metric is None and others:
        notes.append(f"Other scores of these logs: {', '.join(others)}; choose one with {option('metric')}.")
    return compare_judgements(
        judged, task, score, chosen, by=facet, unlike=unlike_parts(settings), notes=notes
    )


def _in_one_profile(logs: Sequence[ScoredLog]) -> Sequence[ScoredLog]:
    """The logs, those of several profiles by the one that all others are of."""
    (profile, *more) = {log.settings.get("profile", "") for log in logs if not log.profiles} or {""}
    if more:
        return logs
    return [log.in_profile(profile) if profile in log.profiles else log for log in logs]


def _labels(logs: Sequence[ScoredLog]) -> list[str]:
    """The name of each log's model, with what tells its logs apart (``names_apart``) if several logs have the
    same model."""
    paths: dict[str, list[Path]] = {}
    for log in logs:
        paths.setdefault(log.model, []).append(log.path)
    names = {model: iter(names_apart(of_model)) for model, of_model in paths.items()}
    return [
        log.model if len(paths[log.model]) == 1 else f"{log.model}@{next(names[log.model])}" for log in logs
    ]


LONGEST_NAME = 32
"""Characters of what tells logs apart, if it can be."""


def names_apart(paths: Sequence[Path]) -> list[str]:
    """For each file its name without the ending, the folder (the nearest first), or the part of the name
    between underscores that no other of them has: the first that is not long, or the shortest. Where none is
    such for all of them, the name, and the path of those whose name another has."""
    stems = [path.stem for path in paths]
    parents = [path.absolute().parent.parts for path in paths]
    # By their depth first: in one/LOG and two/MODEL/LOG the model's folder says less than "two".
    alike_deep = reversed([*zip(*parents, strict=False)])
    folders = (*alike_deep, *zip(*map(reversed, parents), strict=False))
    parts = zip(*(stem.split("_") for stem in stems), strict=False)
    apart = [names for names in (stems, *folders, *parts) if len({*names}) == len(paths)]
    if not apart:
        return [str(path) if stems.count(path.stem) > 1 else path.stem for path in paths]
    return list(min(apart, key=lambda names: max(LONGEST_NAME, *map(len, names))))


def _score(task: str, logs: Sequence[ScoredLog], metric: str | None) -> tuple[str, list[str]]:
    """The score to compare by, and the others that all logs have."""
    common = [name for name in logs[0].scores if all(name in log.scores for log in logs)]
    if not common:
        scores_of = "; ".join(f"{log.path}: {', '.join(log.scores)}" for log in logs)
        raise FolkwaysError(f"the logs of {task} have no score in common ({scores_of})")
    if metric is not None and metric not in common:
        raise UnknownNameError(f"score of {task} in all of these logs", metric, common)
    chosen = metric or common[0]
    return chosen, [name for name in common if name != chosen]


def _facet(task: str, logs: Sequence[ScoredLog], by: str | None) -> str:
    reserved = {*JUDGEMENTS} - {*OWN_COLUMNS}
    common = [
        name for name in logs[0].facets if name not in reserved and all(name in log.facets for log in logs)
    ]
    if by is None:
        return CULTURE if CULTURE in common else NO_FACET
    if by not in common:
        raise UnknownNameError(f"facet of the samples of {task}", by, common)
    return by


def _of_another_question(ways: Mapping[tuple[str, str], str]) -> str:
    """The log that has another question than the first; empty if none has. The same content is the same
    question, and so is the same item of the same data, also by way of a third log.

    ways: content and data (``ScoredLog.data``) -> a log that has the item so.
    """
    (first, *others) = ways
    same = {*first}
    while joined := [way for way in others if way[0] in same or (way[1] and way[1] in same)]:
        same.update(*joined)
        others = [way for way in others if way not in joined]
    return ways[others[0]] if others else ""


def _same_samples(labelled: Mapping[str, ScoredLog]) -> tuple[set[str], list[str]]:
    """The ids with the same content in all logs that have them, and notes on the others."""
    logs = list(labelled.values())
    put: dict[str, dict[tuple[str, str], str]] = {}
    for label, log in labelled.items():
        for item, content in zip(log.items, log.contents, strict=True):
            if content:
                put.setdefault(item, {}).setdefault((content, log.data), label)
    unlike_ids = {item: other for item, ways in put.items() if (other := _of_another_question(ways))}
    counts = Counter(item for log in logs for item in set(log.items))
    common = {item for item, n in counts.items() if n > 1}
    if not common:
        samples_of = "; ".join(f"{log.path}: {', '.join(log.items[:2])}, ..." for log in logs)
        raise FolkwaysError(
            f"the logs of {logs[0].task} have no sample in common: their ids differ ({samples_of})"
        )
    if common <= unlike_ids.keys():
        raise FolkwaysError(
            f"the logs of {logs[0].task} have no sample in common: each of the {len(common):,} shared ids is "
            "another question, or has another right answer, in "
            f"{' or '.join(dict.fromkeys(unlike_ids.values()))}; they were made of different data"
        )
    notes = []
    if unlike_ids:
        item, label = next(iter(unlike_ids.items()))
        notes.append(
            f"{len(unlike_ids):,} samples with the same id are not the same question, or have another right "
            f"answer, and are left out (the first is {item}, in {label})."
        )
    return counts.keys() - unlike_ids.keys(), notes
