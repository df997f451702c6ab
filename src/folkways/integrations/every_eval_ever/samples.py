"""Reads instances of Every Eval Ever: ``UUID_samples.jsonl``, or the aggregate ``UUID.json`` that names
them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

import orjson

from folkways.errors import DataError
from folkways.integrations.scored_log import (
    AVERAGES,
    UNKNOWN,
    ScoredLog,
    columns,
    digest,
    facets,
    number,
    told,
)
from folkways.json_lines import json_objects, read_json
from folkways.records import LOST, Signature, State

Row = dict[str, Any]

NEEDED = ("evaluation_name", "model_id", "sample_id", "input", "evaluation")


def is_instance(row: Mapping[str, Any]) -> bool:
    """Whether an object is an instance of a version that has these fields."""
    return "schema_version" in row and all(name in row for name in NEEDED)


def is_aggregate(document: Any) -> bool:
    """Whether a JSON document is an aggregate."""
    return isinstance(document, dict) and "evaluation_results" in document and "schema_version" in document


def read_aggregate(path: Path, document: Row) -> list[ScoredLog]:
    """The scores of the instances that an aggregate names, whose file is in the same folder.

    DataError where it names none, or the file is missing: scores without their instances cannot be compared
    in pairs.
    """
    named = document.get("detailed_evaluation_results")
    if not isinstance(named, dict) or not isinstance(named.get("file_path"), str):
        raise DataError(
            "is an aggregate without instances ('detailed_evaluation_results'); models are compared row by "
            "row, so give one that has them",
            file=path,
        )
    samples = path.with_name(Path(named["file_path"]).name)
    if not samples.is_file():
        raise DataError(f"names its instances, {samples.name}, which do not lie beside it", file=path)
    return _read(samples, document)


def read_scores(path: Path) -> list[ScoredLog]:
    """The scores of a file of instances, one log for each evaluation in it, in the file's order.

    Names and directions of metrics and the settings come from the aggregate in the same folder, if any.
    DataError, with the row, for a line that is not an instance.
    """
    beside = path.with_name(f"{path.stem.removesuffix('_samples')}.json")
    try:
        document = read_json(beside.read_bytes())
    except FileNotFoundError:
        return _read(path, {}, [f"{beside.name} does not lie beside it, {WITHOUT}"])
    except (OSError, orjson.JSONDecodeError):
        document = None
    if not is_aggregate(document):
        return _read(path, {}, [f"{beside.name} is damaged, or no record, {WITHOUT}"])
    return _read(path, document)


WITHOUT = "so that nobody can tell its settings and for which scores less is better"
"""What follows where the aggregate of a file of instances cannot be read."""


def changed(samples: Path, aggregate: Mapping[str, Any]) -> str:
    """Says so where the ``samples`` have another SHA-256 than their ``aggregate`` states; otherwise empty."""
    named = aggregate.get("detailed_evaluation_results")
    checksum = named.get("checksum") if isinstance(named, dict) else None
    if not checksum:
        return ""
    with samples.open("rb") as stream:
        same = file_digest(stream, "sha256").hexdigest() == checksum
    what = f"{samples.name} has another checksum than the record says: one of the two was changed"
    return "" if same else what


def _read(path: Path, aggregate: Row, notes: Sequence[str] = ()) -> list[ScoredLog]:
    results = aggregate.get("evaluation_results", ())
    by_evaluation: dict[tuple[str, str], list[Row]] = {}
    for line, row in json_objects(path.read_bytes().splitlines(), path, read_json):
        if not is_instance(row) or not isinstance(row["evaluation"], dict):
            raise DataError(
                f"is not an instance of Every Eval Ever, which has {', '.join(NEEDED)}", file=path, row=line
            )
        by_evaluation.setdefault((str(row["evaluation_name"]), str(row["model_id"])), []).append(row)
    if not by_evaluation:
        raise DataError("has no instances", file=path)
    notes = [*filter(None, (*notes, changed(path, aggregate)))]
    return [_log(path, task, model, rows, results, notes) for (task, model), rows in by_evaluation.items()]


def _log(
    path: Path, task: str, model: str, rows: Iterable[Row], results: Sequence[Row], notes: Sequence[str]
) -> ScoredLog:
    by_key = {str(result["evaluation_result_id"]): result for result in results if _names_its_result(result)}
    of_task = [result for result in results if result.get("evaluation_name") == task]
    samples: dict[tuple[str, int], Row] = {}
    values: dict[tuple[str, int], dict[str, float | None]] = {}
    repeats: Counter[tuple[str, str]] = Counter()
    configs: dict[str, Mapping[str, Any]] = {}
    averages: dict[str, dict[str, Any]] = {}
    stated: dict[str, float | None] = {}
    settings: dict[str, None] = {}
    made: dict[str, str] = {}
    metrics: dict[str, str] = {}
    profiles = profiles_of(of_task)
    every_note = [*notes]
    for row in rows:
        key = str(row.get("evaluation_result_id"))
        if key not in metrics:
            only = {} if _names_its_result(row) or len(of_task) != 1 else of_task[0]
            result = by_key.get(key, only)
            if not result and len(of_task) > 1:
                names = ", ".join(metric_name("None", one) for one in of_task)
                every_note.append(f"its samples do not name the score that they are of ({names})")
            config = result.get("metric_config") or {}
            metrics[key] = metric_name(key, result, profiles)
            configs[metrics[key]] = config
            averages[metrics[key]] = averages_of(config) if is_ours(result) else {}
            if is_ours(result):
                made = made or dict(Signature.of_text(str(details_of(result)["signature"])).parts)
            stated[metrics[key]] = number((result.get("score_details") or {}).get("score"))
            arguments = (result.get("generation_config") or {}).get("generation_args") or {}
            settings[told({**arguments, "prompt_template": None, "execution_command": None})] = None
        metric = metrics[key]
        name = str(row["sample_id"])
        if made:  # the sample that ours end with is a repeat, as an epoch is
            name = name.rpartition("|")[0] or name
        repeats[name, metric] += 1
        sample = (name, repeats[name, metric])
        samples.setdefault(sample, row)
        values.setdefault(sample, {})[metric] = _score(row)
    scores = columns([{name: by_metric.get(name) for name in configs} for by_metric in values.values()])
    plain = [name for name in configs if not averages[name]]
    every_note += filter(None, (_unlike_mean(name, scores.get(name, ()), stated[name]) for name in plain))
    return ScoredLog(
        path=path,
        task=task,
        model=model,
        items=[name for name, _ in samples],
        repeats=[repeat for _, repeat in samples],
        questions=[str(_metadata(row).get("question") or name) for (name, _), row in samples.items()],
        contents=[_content(row) for row in samples.values()],
        scores=scores,
        facets=facets([_metadata(row) for row in samples.values()]),
        settings=made or ({"settings": " and ".join(settings)} if any(settings) else {}),
        notes=every_note,
        lower_is_better={
            name: config["lower_is_better"] is True
            for name, config in configs.items()
            if "lower_is_better" in config
        },
        stated=averages,
        profiles=profiles if len(profiles) > 1 else (),
    )


def _unlike_mean(metric: str, values: Sequence[float | None], stated: float | None) -> str:
    """That a stated score is not the mean of its samples; empty where it is, or none is stated.

    A sample without a reply counts as 0 for some programs, and not at all for others.
    """
    rows = [value for value in values if value is not None]
    scored = [value for value in rows if value == value]
    if stated is None or stated != stated or not scored:
        return ""
    total = sum(scored)
    means = [scale * total / size for size in (len(rows), len(scored)) for scale in (1.0, 100.0)]
    if any(abs(mean - stated) <= STATED_TO * max(1.0, abs(mean)) for mean in means):
        return ""
    return (
        f"its score by {metric}, {stated:.6g}, is not the mean of its samples, {total / len(scored):.6g}; "
        "differences are of means of samples"
    )


STATED_TO = 1e-3
"""Scores are written with three decimals or more."""


def _names_its_result(entry: Row) -> bool:
    """Whether a result, or a row of one, has the id that the two share, which is optional."""
    return entry.get("evaluation_result_id") is not None


def metric_name(key: str, result: Mapping[str, Any], profiles: Sequence[str] = ()) -> str:
    """A name for the metric of a result: that in a run for a score of ours, with the profile where a record
    has several; for others its id in the aggregate, or what the key of the result says.

    key: its ``evaluation_result_id``. result: empty where the aggregate has none. profiles: of its task.
    """
    config = result.get("metric_config") or {}
    profile = (config.get("metric_parameters") or {}).get("profile")
    if is_ours(result):
        _, profile, name, _ = str(result["evaluation_result_id"]).split("|", 3)
        return f"{name} ({profile})" if len(profiles) > 1 else name
    if config.get("metric_id") or config.get("metric_name"):
        return str(config.get("metric_id") or config["metric_name"]) + (f" ({profile})" if profile else "")
    return "score" if key == "None" else key


def profiles_of(results: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The profiles of the scores of ours among the results of a task, in their order."""
    ours = (str(one["evaluation_result_id"]).split("|", 2)[1] for one in results if is_ours(one))
    return tuple(dict.fromkeys(ours))


def is_ours(entry: Mapping[str, Any]) -> bool:
    """Whether folkways made the score: its id has four parts, and its details the signature."""
    parts = str(entry.get("evaluation_result_id")).split("|", 3)
    return len(parts) == 4 and "=" in parts[3] and "signature" in details_of(entry)


def details_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The details of the score of a result."""
    return (entry.get("score_details") or {}).get("details") or {}


def averages_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The AVERAGES that a ``metric_config`` of folkways states."""
    parameters = config.get("metric_parameters") or {}
    return {name: str(parameters[name]) for name in AVERAGES if parameters.get(name)}


def _score(row: Row) -> float | None:
    """The score; UNKNOWN where there was no reply to score, which other programs and ours write as 0.

    Ours say so by the state: an empty reply is a reply.
    """
    state, output = _metadata(row).get("state"), row.get("output") or {}
    ours = state in [one.value for one in State]
    if state in LOST if ours else row.get("error") and not any(_texts(output.get("raw"))):
        return UNKNOWN
    return number(row["evaluation"].get("score"))


def _texts(raw: Any) -> Iterator[str]:
    yield from [raw] if isinstance(raw, str) else raw or ()


def _metadata(row: Row) -> Mapping[str, Any]:
    metadata = row.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _content(row: Row) -> str:
    content = row["input"] if isinstance(row["input"], dict) else {}
    return str(row.get("sample_hash") or digest(content.get("raw"), content.get("reference")))
