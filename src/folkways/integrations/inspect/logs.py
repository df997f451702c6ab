"""Reads logs of Inspect AI: ``.eval`` (a ZIP archive of JSON, usually compressed with Zstandard) and
``.json``.

It does not need Inspect itself, which has a hundred dependencies. The layout is that of log version 2 in
Inspect's documentation: a header, a summary of every sample with its scores, and every sample in full.
"""

from __future__ import annotations

import re
import sys
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from folkways import text_tables
from folkways.display import shorten, single_line
from folkways.endpoints.servers.providers import providers
from folkways.errors import DataError, FolkwaysError, MissingExtraError
from folkways.integrations.scored_log import (
    NUMBERS,
    SCALE,
    SIGNATURE,
    STATED,
    ScoredLog,
    UnscoredLogError,
    columns,
    digest,
    facets,
    moment_of,
    number,
    scale_of,
    told,
)
from folkways.json_lines import read_json
from folkways.records import LOST, SCORES, Signature
from folkways.runs.results.model_names import ENGINES, public_name, stored_model

LOG_SUFFIXES = (".eval", ".json")

ZSTANDARD = 93
"""Zstandard's number among the methods of ZIP (APPNOTE 4.4.5)."""

SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "num_choices",
    "reasoning_effort",
    "reasoning_tokens",
)
"""The settings of a model that can change its scores."""

_SCORER = "judged."
"""What the scores of our scorer begin with."""

_ID = ("item", "language", "variant")
"""The parts of the id of a sample of ours."""

_LONGEST, _SHORTENED = 5120, "...\n(content truncated)"
"""Characters of a text in Inspect's summaries, and what follows a longer one."""

_SERVICE = re.compile("^openai-api/[^/]+/")
"""What stands before the name of a model on a server of one's own."""

_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json")
_IN_CHUNKS = re.compile(r"samples/.+_epoch_\d+/sample\.json")
_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")

_JSON_LOG = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
"""How a log in JSON begins."""

Json = dict[str, Any]


@dataclass(frozen=True)
class _Log:
    """A log's header and its samples, either as summaries or in full."""

    path: Path
    header: Json
    samples: Sequence[Json]

    @property
    def spec(self) -> Json:
        return dict(self.header["eval"])


def registered_name(task: str) -> str:
    """What Inspect calls a task of ours: its own names are those of functions."""
    return f"folkways/{task.replace('/', '_').replace('-', '_')}"


def _model(name: str) -> str:
    """The name that exports have for a model, where Inspect's begins with what serves it. A log that is an
    export has it, with a digest where it needs one."""
    if "#" in name:
        return name
    as_endpoint = _SERVICE.sub("http://server/v1#", name)
    kind = name.partition("/")[0]
    return public_name(as_endpoint) if as_endpoint != name or kind in {*ENGINES, *providers()} else name


def is_json_log(path: Path) -> bool:
    """Whether a file is a log in JSON, and no archive has the same name."""
    if not path.is_file() or path.with_suffix(".eval").exists():
        return False
    with path.open("rb") as file:
        return _JSON_LOG.match(file.read(500)) is not None


def read_scores(path: Path) -> ScoredLog:
    """The scores of a log; a scorer that gives several values for a sample has one score for each,
    named after both with a full stop between. Those of a log of a task of ours are called as in a run, and so
    are its task and its samples, whichever program wrote it.

    FolkwaysError or DataError for a file that is not a log of Inspect, UnscoredLogError for one without
    samples or scores.
    """
    log = _read(path, whole=False)
    scored = [_numbers(sample) for sample in log.samples]
    signature, model = _signature(log), str(log.spec["model"])
    if signature:
        scored = [{name.removeprefix(_SCORER): value for name, value in one.items()} for one in scored]
    scores = columns(scored)
    if not scores:
        raise UnscoredLogError(f"cannot be compared: {_why_unscored(log.samples)}", file=path)
    stated = dict(_stated(log.header, scores))
    metadata_of = [sample.get("metadata") or {} for sample in log.samples]
    ids = [str(sample["id"]) for sample in log.samples]
    ours = all("item" in metadata and "question" in metadata for metadata in metadata_of)
    return ScoredLog(
        path=path,
        task=signature.get("task") or str(log.spec["task"]),
        model=_model(model) if signature or stored_model(model).private else model,  # no path of a folder
        items=["|".join(str(metadata.get(name)) for name in _ID) for metadata in metadata_of]
        if signature and ours
        else ids,
        repeats=[int(sample.get("epoch", 1)) for sample in log.samples],
        questions=[str(metadata["question"]) for metadata in metadata_of] if ours else ids,
        contents=[
            digest(_text(sample["input"]), sample.get("choices"), _texts(sample.get("target")))
            if sample.get("input")
            else ""
            for sample in log.samples
        ],
        scores={
            name: scores[name]
            for name in dict.fromkeys((*stated, *_headline(log.header), *scores))
            if name in scores
        },
        facets=facets(metadata_of),
        settings=signature or _settings(log.header),
        notes=_notes(log.header),
        lower_is_better={name: about["lower_is_better"] for name, about in stated.items()},
        stated=stated,
        numbers=dict(_numbers_of(log.header, stated)),
        created=moment_of(log.spec.get("created")),
    )


def replies_in(path: Path) -> pl.DataFrame:
    """The replies in a file, made elsewhere: a log of Inspect (``read_replies``), or else a table."""
    return read_replies(path) if path.suffix.lower() in LOG_SUFFIXES else text_tables.read_replies(path)


def read_replies(path: Path) -> pl.DataFrame:
    """The replies of a log, one row per sample and epoch, with text columns; null where a sample failed.

    Columns: ``response``, ``finish_reason``, ``sample`` (the epoch, from 0), and from the metadata of the
    samples ``item``, ``culture``, ``language`` and ``variant``; without ``item``, ``release_id`` has the id
    of the sample. Raises the same errors as ``read_scores``.
    """
    rows = []
    for sample in _read(path, whole=True).samples:
        metadata = sample.get("metadata") or {}
        named = {
            name: str(metadata[name])
            for name in ("item", "culture", "language", "variant")
            if metadata.get(name) is not None
        }
        output = sample.get("output") or {}
        choices = output.get("choices") or [{}]
        rows.append(
            {
                **({} if "item" in named else {"release_id": str(sample["id"])}),
                **named,
                "sample": str(int(sample.get("epoch", 1)) - 1),
                "response": _reply(sample, output),
                "finish_reason": choices[0].get("stop_reason"),
            }
        )
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in names}, schema=dict.fromkeys(names, pl.String)
    )


def _read(path: Path, *, whole: bool) -> _Log:
    """whole: read each sample with its reply; otherwise only the summaries, which suffice for scores and are
    fast."""
    if not path.is_file():
        raise FolkwaysError(
            f"the log {path} {'is a folder; name a file in it' if path.is_dir() else 'does not exist'}"
        )
    with _words(path):
        if path.suffix.lower() == ".json":
            header = read_json(path.read_bytes())
            samples = header.get("samples") or [] if isinstance(header, dict) else []
        else:
            with zipfile.ZipFile(path) as archive:
                header = _header(archive)
                samples = [*_samples(archive, path)] if whole else _summaries(archive)
    if (
        not isinstance(header, dict)
        or not isinstance(header.get("eval"), dict)
        or not {"task", "model"} <= header["eval"].keys()
    ):
        raise DataError(
            "is not a log of Inspect: it does not say which task was asked of which model", file=path
        )
    if not samples:
        raise UnscoredLogError(
            "is a log without samples (of a run with --no-log-samples, or one that ended at once)", file=path
        )
    return _Log(path, header, samples)


@contextmanager
def _words(path: Path) -> Iterator[None]:
    """Turn errors of reading into DataError that says what is wrong with the file."""
    try:
        yield
    except zipfile.BadZipFile as error:
        raise DataError(
            f"is not a log of Inspect, or is damaged: {error}; an .eval file is a ZIP archive", file=path
        ) from None
    except KeyError as error:
        raise DataError(f"is a ZIP archive, but not a log of Inspect: {error.args[0]}", file=path) from None
    except (EOFError, ValueError, RuntimeError, zlib.error) as error:
        raise DataError(f"is damaged, or not a log of Inspect: {error}", file=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member; BadZipFile if its checksum is wrong.

    Inspect splits members of more than 200 MB into several Zstandard frames. Python's zipfile reads only the
    first of them, and none before 3.14.
    """
    info = archive.getinfo(name)
    if info.compress_type != ZSTANDARD:
        return archive.read(info)
    assert archive.fp is not None  # noqa: S101 - it is open
    archive.fp.seek(info.header_offset)
    header = archive.fp.read(30)
    name_length, extra_length = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    archive.fp.seek(name_length + extra_length, 1)
    content = _decompress(archive.fp.read(info.compress_size))
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"the checksum of {name} does not fit")
    return content


def _decompress(data: bytes) -> bytes:
    """Decompress Zstandard data. ValueError for other data, MissingExtraError without the library for it."""
    zstd: Any
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        raise MissingExtraError("reading a compressed log of Inspect", "inspect", "backports.zstd") from None
    try:
        return bytes(zstd.decompress(data))
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None


def _header(archive: zipfile.ZipFile) -> Json:
    """The header; for a log that was not finished, the one written at its start."""
    names = set(archive.namelist())
    if "header.json" in names:
        return dict(read_json(_member(archive, "header.json")))
    return {**read_json(_member(archive, "_journal/start.json")), "status": "started"}


def _summaries(archive: zipfile.ZipFile) -> list[Json]:
    names = archive.namelist()
    if "summaries.json" in names:
        parts = ["summaries.json"]
    else:
        journal = {int(match[1]): name for name in names if (match := _JOURNAL.fullmatch(name))}
        parts = [journal[number] for number in sorted(journal)]
    samples = [sample for part in parts for sample in read_json(_member(archive, part))]
    # the last one of a sample that was retried
    return [*{(sample["id"], sample.get("epoch", 1)): sample for sample in samples}.values()]


def _samples(archive: zipfile.ZipFile, path: Path) -> Iterator[Json]:
    for name in dict.fromkeys(archive.namelist()):
        if _IN_CHUNKS.fullmatch(name):
            raise DataError(
                f"has the sample {name} in chunks, a format for long transcripts of agents that is not "
                "supported",
                file=path,
            )
        if _SAMPLE.fullmatch(name):
            yield read_json(_member(archive, name))


def _numbers(sample: Json) -> dict[str, float | None]:
    """Score -> number of one sample. Our own scorer says which reply never came, and which does not count."""
    numbers: dict[str, float | None] = {}
    for scorer, score in (sample.get("scores") or {}).items():
        value, judged = score.get("value"), score.get("metadata") or {}
        if "counted" in judged and judged.get("state") in LOST:
            continue
        if isinstance(value, Mapping) and judged.get("counted") is False:
            numbers |= dict.fromkeys(f"{scorer}.{key}" for key in value)
        elif isinstance(value, Mapping):
            numbers |= {f"{scorer}.{key}": number(part) for key, part in value.items()}
        elif (single := number(value)) is not None:
            numbers[scorer] = single
    return numbers


def _text(messages: Any) -> Any:
    """The messages without the random ids that Inspect gives them, as its summaries show them; a text is one
    of the user."""
    if not isinstance(messages, list):
        return [["user", _shown(str(messages))]]
    return [[message.get("role"), _shown(_text_in(message.get("content")))] for message in messages]


def _texts(target: Any) -> list[str]:
    return [_shown(str(text)) for text in (target if isinstance(target, list) else [target])]


def _shown(text: str) -> str:
    """The part of a text that a summary of Inspect shows."""
    return text.removesuffix(_SHORTENED)[:_LONGEST]


def _text_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or () if isinstance(part, dict))


def _reply(sample: Json, output: Json) -> str | None:
    """The text of the reply, which depends on the version of Inspect; None without a reply."""
    if not output.get("choices"):
        return None
    text = output.get("completion") or _text_in(output["choices"][0].get("message", {}).get("content"))
    _, attached, key = text.partition("attachment://")
    return str((sample.get("attachments") or {}).get(key, text)) if attached else text


def _signature(log: _Log) -> dict[str, str]:
    """How the scores of a task of ours were made; empty for others. What can be set in Inspect alone is as
    set there."""
    spec = log.spec
    about = spec.get("metadata") or {}
    parts = dict(Signature.of_text(str(about.get(SIGNATURE) or "")).parts) if STATED in about else {}
    if parts:
        settings, config = _settings(log.header), spec.get("config") or {}
        parts |= {"settings": settings["settings"], "samples": str(config.get("epochs") or 1)}
        parts |= {"solver": settings["solver"]} if settings["solver"] != "generate" else {}
        of_inspect = [config.get(name) for name in ("limit", "sample_id") if config.get(name)]
        parts |= {"limit": f"of Inspect, {of_inspect[0]}"} if of_inspect else {}
    return parts


def _settings(header: Json) -> dict[str, str]:
    spec, plan = header["eval"], header.get("plan") or {}
    config = {
        **(plan.get("config") or {}),
        **{k: v for k, v in (spec.get("model_generate_config") or {}).items() if v is not None},
    }
    steps = [str(step.get("solver")) for step in plan.get("steps") or ()]
    return {
        "data": str((spec.get("dataset") or {}).get("name") or ""),
        "version": str(spec.get("task_version", 0)),
        "arguments": told(spec.get("task_args") or {}),
        "solver": str(spec.get("solver") or "+".join(steps)),
        "settings": told({name: config.get(name) for name in SAMPLING}),
    }


def _stated(header: Json, scores: Iterable[str]) -> Iterator[tuple[str, Json]]:
    """The SCALE of each score of a log of folkways, in the order of the task's metrics; of others nothing.
    Those that Inspect wrote have the name of the scorer before that of the metric."""
    by_metric = {score.rpartition(".")[2]: score for score in scores}
    for name, about in ((header["eval"].get("metadata") or {}).get(STATED) or {}).items():
        about = {"mean_over": None, **about}  # logs of earlier versions do not say
        if name in by_metric and about.keys() >= {*SCALE}:
            yield by_metric[name], scale_of(about)


def _numbers_of(header: Json, scores: Container[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """The NUMBERS of each score of a log that folkways exported, over everything and in groups."""
    for one in (header.get("results") or {}).get("scores") or ():
        about = ((one.get("metrics") or {}).get(one.get("name")) or {}).get("metadata") or {}
        if one.get("name") in scores and about.keys() >= {*NUMBERS, "groups"}:
            rows = [
                {name: _number_of(name, row[name]) for name in NUMBERS} for row in (about, *about["groups"])
            ]
            yield one["name"], pl.DataFrame(rows, schema={name: SCORES[name] for name in NUMBERS})


def _number_of(name: str, value: Any) -> float | int | str | None:
    """TypeError or ValueError for what that column of records.SCORES cannot have."""
    if SCORES[name] == pl.Int64:
        return int(value)
    if value is None and (SCORES[name] == pl.Float64 or name == "why_left_out"):
        return None
    return float(value) if SCORES[name] == pl.Float64 else str(value)


def _headline(header: Json) -> Iterator[str]:
    """What the score that the log names as its headline may be called here."""
    named = (header.get("results") or {}).get("headline") or {}
    yield f"{named.get('scorer')}.{named.get('score')}"
    yield str(named.get("score"))


def _why_unscored(samples: Sequence[Json]) -> str:
    """Why no sample has a number, and what to do."""
    if tried := dict.fromkeys(name for sample in samples for name in sample.get("scores") or {}):
        why = f"its scorers ({', '.join(tried)}) give no number for any sample"
    elif all(sample.get("error") for sample in samples):
        error = samples[0]["error"]
        first = str(error.get("message") if isinstance(error, dict) else error)
        return f"each sample failed, the first with: {shorten(single_line(first), 200)}"
    else:
        why = "no sample has a score"
    return f"{why}; score it first: inspect score LOG --scorer NAME"


def _notes(header: Json) -> list[str]:
    notes = []
    if (status := header.get("status", "started")) != "success":
        notes.append(f"its status is {status!r}: it may lack samples")
    if header.get("invalidated"):
        notes.append("it is marked as invalidated")
    return notes
