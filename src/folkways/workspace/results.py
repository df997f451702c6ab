"""The replies, judgements and scores of a run, as frames."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

import orjson
import polars as pl
import sqlalchemy as sa

from folkways import __version__
from folkways.benchmarks.cut_replies import cut_by_limit
from folkways.records import (
    CUT,
    JUDGEMENTS,
    RESPONSES,
    SCORES,
    Signature,
    State,
    Subject,
    compact,
    empty,
    of_rows,
)
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord, any_failed
from folkways.workspace.run_rows import CHUNK, asked_pages, different_rows, judged_pages

REPLIES = {**RESPONSES, "ordinal": pl.Int64, "prompt_source": pl.String, "finish_reason": pl.String}
"""Columns of ``responses``: records.RESPONSES and where the row belongs."""


@dataclass(frozen=True, slots=True)
class Part:
    """One endpoint's share of one task of a run."""

    endpoint_id: int
    endpoint: str
    task: str
    expected: int


TOGETHER = 20
"""Pages of judgements that are joined to one stretch of memory: each by itself would leave gaps."""

MOST_NAMES = 20
SERVED_HERE = ("gguf/", "vllm-offline/")


SHORTEST = 0.001
"""Seconds that a reply takes, on average, where one was waited for: a file or a constant answers in less."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an endpoint's stored responses of a run used, in tokens by the provider's own count (0 where it
    gave none).

    The batched ones are among the others: they came back in batches. uncounted_input, uncounted_output:
    responses without its count of these tokens, so that their cost is not known. seconds: what the replies
    took, added up; None where they came without being waited for, such as those of a file. first, last: when
    the first of them was asked for and the last came, in seconds since the epoch. served: the names that the
    replies give the model, each with its number of responses; the most frequent first, at most MOST_NAMES.
    """

    endpoint: str
    responses: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    retried: int
    batched_input_tokens: int = 0
    batched_output_tokens: int = 0
    uncounted_input: int = 0
    uncounted_output: int = 0
    seconds: float | None = None
    first: float = 0.0
    last: float = 0.0
    served: Mapping[str, int] = field(default_factory=dict, kw_only=True)


def parts(workspace: Workspace, run: RunRecord) -> list[Part]:
    """The endpoints and tasks of a run, in the order they were planned."""
    expected, endpoints = schema.expected, schema.endpoints
    counted = (
        sa.select(
            expected.c.endpoint_id,
            expected.c.task,
            sa.func.count().label("count"),
            sa.func.min(expected.c.ordinal).label("first"),
        )
        .where(expected.c.run_id == run.id)
        .group_by(expected.c.endpoint_id, expected.c.task)
        .subquery()
    )
    query = (
        sa.select(counted.c.endpoint_id, endpoints.c.name, counted.c.task, counted.c["count"])
        .join(endpoints, endpoints.c.id == counted.c.endpoint_id)
        .order_by(counted.c.first)
    )
    with workspace.read() as connection:
        return [Part(*row) for row in connection.execute(query)]


def expected_counts(workspace: Workspace, run: RunRecord, endpoint_ids: Sequence[int]) -> list[int]:
    """How many replies the run expects of each of these endpoints; looked up where ``save_usage`` has stored
    it."""
    if (stored := load_summary(workspace, run, EXPECTED)) is not None:
        return [stored.get(str(number), 0) for number in endpoint_ids]
    expected = schema.expected
    counts = (sa.func.count().filter(expected.c.endpoint_id == number) for number in endpoint_ids)
    with workspace.read() as connection:
        return list(connection.execute(sa.select(*counts).where(expected.c.run_id == run.id)).one())


def responses(workspace: Workspace, run: RunRecord, part: Part) -> pl.DataFrame:
    """One row per expected item of the part, in planned order: REPLIES. Without a response it is failed or
    missing, and why."""
    return pl.concat([empty(REPLIES), *response_pages(workspace, run, part)])


def response_pages(workspace: Workspace, run: RunRecord, part: Part) -> Iterator[pl.DataFrame]:
    """``responses`` in the same order, at most run_rows.PAGE rows at a time."""
    for page in asked_pages(workspace, run, _TOLD, endpoint_id=part.endpoint_id, task=part.task):
        yield _replies(page, run, part)


_TOLD = (
    *("ordinal", "item", "language", "variant", "sample", "prompt_source"),
    *("text", "refusal", "finish_reason", "message"),
)
"""What replies are made of."""


def _replies(page: pl.DataFrame, run: RunRecord, part: Part) -> pl.DataFrame:
    why_missing = f"not asked: {run.reason}" if run.reason else "not asked yet"
    text, refusal, message = pl.col("text"), pl.col("refusal"), pl.col("message")
    has_text = text.is_not_null()
    return page.with_columns(
        task=pl.lit(part.task),
        state=pl.when(has_text & refusal.is_not_null())
        .then(pl.lit(State.REFUSED.value))
        .when(has_text)
        .then(pl.lit(State.ANSWERED.value))
        .when(message.is_not_null())
        .then(pl.lit(State.FAILED.value))
        .otherwise(pl.lit(State.MISSING.value)),
        response=text,
        reason=pl.when(has_text).then(refusal).otherwise(pl.coalesce(message, pl.lit(why_missing))),
    ).select(list(REPLIES))


def thoughts(workspace: Workspace, run: RunRecord, part: Part, item: str) -> pl.DataFrame:
    """What the part's endpoint thought before it replied to the item of ``run``, in ``workspace``: ordinal,
    thoughts (null where nothing is known)."""
    about = {"endpoint_id": part.endpoint_id, "task": part.task, "item": item}
    return different_rows(workspace, run, ("ordinal", "thoughts"), **about)


def tasks_with_item(workspace: Workspace, run: RunRecord, item: str) -> list[str]:
    """The tasks of a run that ask the item."""
    return different_rows(workspace, run, ["task"], item=item)["task"].sort().to_list()


def prompts_of(workspace: Workspace, run: RunRecord, task: str, item: str) -> pl.DataFrame:
    """What ``run`` (in ``workspace``) asks of an item of ``task``, each once: language, variant,
    prompt_source, system and user; by language and variant."""
    texts = ("language", "variant", "prompt_source", "system", "user")
    return different_rows(workspace, run, texts, task=task, item=item).sort("language", "variant", "user")


def has_newer_replies(workspace: Workspace, run: RunRecord, moment: float) -> bool:
    """Whether any response to what the run expects is newer than the moment (seconds since the epoch),
    no matter who asked for it."""
    expected, replies = schema.expected, schema.responses
    newer = sa.select(replies.c.key).where(replies.c.created > moment)
    of_run = sa.exists().where(expected.c.run_id == run.id, expected.c.key.in_(newer))
    with workspace.read() as connection:
        return bool(connection.scalar(sa.select(newer.exists())) and connection.scalar(sa.select(of_run)))


def settings_sent(workspace: Workspace, run: RunRecord, part: Part) -> list[str]:
    """The sampling settings of a part's requests, each set as ``name=value`` pairs joined by commas."""
    sets = [orjson.loads(text) for text in _distinct(workspace, run, part, "settings")]
    return sorted(",".join(f"{name}={value}" for name, value in sent.items()) or "provider" for sent in sets)


def _distinct(workspace: Workspace, run: RunRecord, part: Part, column: str) -> list[str]:
    """The values that are in a column of a part."""
    values = different_rows(workspace, run, [column], endpoint_id=part.endpoint_id, task=part.task)
    return values[column].drop_nulls().sort().to_list()


def served(workspace: Workspace, run: RunRecord, part: Part) -> list[str]:
    """How the model of a part ran, as its replies tell: only of one that folkways ran itself
    (SERVED_HERE)."""
    if not part.endpoint.startswith(SERVED_HERE):
        return []
    return _distinct(workspace, run, part, "model")


def save_judgements(workspace: Workspace, run: RunRecord, profile: str, judged: pl.DataFrame) -> None:
    """Store the judgements of ``run`` in ``profile`` in place of earlier ones, in ``workspace``.
    judged: records.JUDGEMENTS with ``ordinal``, facets and metrics."""
    own_columns = {"task", "item", "language", "variant", "sample", "ordinal", CUT, *JUDGEMENTS}
    details = [name for name in judged.columns if name not in own_columns]
    packed = pl.struct(details).struct.json_encode() if details else pl.lit("{}")
    whose = (pl.lit(run.id).alias("run_id"), pl.lit(profile).alias("profile"))
    rows = judged.with_columns(*whose, packed.alias("details")).select(
        column.name for column in schema.judgements.columns
    )
    with workspace.write() as connection:
        for chunk in rows.iter_slices(CHUNK):
            workspace.insert_or_replace(connection, schema.judgements, chunk.rows())


def save_scores(workspace: Workspace, run: RunRecord, task: str, profile: str, scored: pl.DataFrame) -> None:
    """Store the scores of a task of ``run`` in a profile, in ``workspace``, in place of all earlier ones: a
    reader sees the old ones or the new.

    scored: records.SCORES with ``subject``, and ``signature`` as JSON. Contrasts of earlier ones go.
    """
    scores = schema.scores
    rows = scored.select(pl.lit(run.id).alias("run_id"), "subject", *SCORES).to_dicts()
    with workspace.write() as connection:
        for table in (scores, schema.contrasts):
            connection.execute(
                sa.delete(table).where(
                    table.c.run_id == run.id, table.c.profile == profile, table.c.task == task
                )
            )
        if rows:
            connection.execute(sa.insert(scores), rows)


Ranks = Sequence[tuple[str, int, int, int, bool]]
"""Model, rank, the range of ranks that the contrasts leave open, and whether it is level with the first;
best first."""


def save_contrasts(
    workspace: Workspace, run: RunRecord, key: tuple[str, str, str], contrasts: pl.DataFrame, ranks: Ranks
) -> None:
    """Store how the models of ``run`` differ, with the scores that they belong to, in ``workspace``.

    key: task, profile and metric. contrasts: evidence.contrasts.CONTRASTS. ranks: made of them.
    """
    task, profile, metric = key
    pairs = io.BytesIO()
    contrasts.write_parquet(pairs)
    row = (run.id, task, profile, metric, __version__, pairs.getvalue(), orjson.dumps(ranks).decode())
    with workspace.write() as connection:
        workspace.insert_or_replace(connection, schema.contrasts, [row])


def load_contrasts(
    workspace: Workspace, run: RunRecord
) -> Iterator[tuple[tuple[str, str, str], pl.DataFrame, Ranks]]:
    """What ``save_contrasts`` stored of ``run`` in ``workspace``: key, contrasts and ranks. What another
    version of folkways made is left out: it may have compared otherwise."""
    table = schema.contrasts
    query = sa.select(table).where(table.c.run_id == run.id, table.c.version == __version__)
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        key = row.task, row.profile, row.metric
        yield key, pl.read_parquet(row.pairs), orjson.loads(row.ranks)


def load_scores(workspace: Workspace, run: RunRecord, subject: Subject = Subject.MODEL) -> pl.DataFrame:
    """The stored scores of a run in all profiles: records.SCORES. Those of people and baselines are made
    without asking and are kept apart."""
    table = schema.scores
    query = (
        sa.select(*(table.c[name] for name in SCORES))
        .where(table.c.run_id == run.id, table.c.subject == subject)
        .order_by(table.c.id)
    )
    with workspace.read() as connection:
        stored = of_rows(connection.execute(query).all(), SCORES)
    texts = {made: Signature(orjson.loads(made)).text() for made in stored["signature"].unique()}
    return stored.with_columns(pl.col("signature").replace_strict(texts, return_dtype=pl.String))


def scored_by(workspace: Workspace, run: RunRecord) -> list[tuple[Subject, str, str, Signature]]:
    """Of whom a run has scores, on which task and in which profile, and how they were made; each once."""
    columns = [schema.scores.c[name] for name in ("subject", "task", "profile", "signature")]
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(*columns).where(schema.scores.c.run_id == run.id).distinct()
        ).all()
    return [
        (Subject(subject), task, profile, Signature(orjson.loads(made)))
        for subject, task, profile, made in rows
    ]


def load_signatures(workspace: Workspace, run: RunRecord) -> dict[str, Signature]:
    """Each ``signature`` that scores of a run have (of models, people and baselines) -> its parts."""
    column = schema.scores.c.signature
    with workspace.read() as connection:
        made = connection.scalars(sa.select(column).where(schema.scores.c.run_id == run.id).distinct())
        return {
            signature.text(): signature for signature in (Signature(orjson.loads(parts)) for parts in made)
        }


def load_judgements(
    workspace: Workspace,
    run: RunRecord,
    profile: str,
    part: Part,
    *,
    small: bool = False,
    without: Collection[str] = (),
    details: Collection[str] | None = None,
    with_cut: bool = False,
) -> pl.DataFrame:
    """The stored judgements of a part of ``run`` in ``profile``, from ``workspace``: records.JUDGEMENTS,
    ``ordinal``, ``endpoint``, ``profile``, ``response``, metrics and facets.

    small: as ``records.compact`` has them, for what looks at many at a time. without: ``answer``, ``reason``
    or ``response`` where they are null for the caller, which saves most of what has to be read. details:
    names of the metrics and facets that are wanted; None for all. with_cut: with records.CUT, as scores are
    made of them.
    """
    first_columns = [
        *("ordinal", "item", "question", "culture", "language", "variant", "sample"),
        *("counted", "state", "answer", "reason", "response"),
    ]
    stored = ["text" if name == "response" else name for name in first_columns if name not in without]
    about = {"endpoint_id": part.endpoint_id, "task": part.task}
    ended = ("finish_reason",) if with_cut else ()
    pages = judged_pages(workspace, run, profile, (*stored, *ended, "details"), **about)
    if with_cut:
        is_cut = cut_by_limit(pl.col("finish_reason"))
        pages = (page.with_columns(is_cut).drop("finish_reason") for page in pages)
    # Details are taken apart chunk by chunk: as Python objects, those of all judgements would take many times
    # what the frame does.
    read = (_unpacked(page.rename({"text": "response"}, strict=False), details) for page in pages)
    slim = map(compact, read) if small else read
    labels = {"task": part.task, "endpoint": part.endpoint, "profile": profile}
    frames: list[pl.DataFrame] = []
    while some := list(islice(slim, TOGETHER)):
        joined = pl.concat(some, how="diagonal_relaxed", rechunk=small)
        frames.append(joined.hstack([_repeated(*label, joined.height, small) for label in labels.items()]))
    if not frames:
        return empty({**JUDGEMENTS, "endpoint": pl.String, "profile": pl.String, "response": pl.String})
    frame = pl.concat(frames, how="diagonal_relaxed", rechunk=False)  # all at once would be in memory twice
    further = [name for name in frame.columns if name not in (*first_columns, *labels)]
    absent = (pl.lit(None, pl.String).alias(name) for name in without)
    return frame.with_columns(absent).select(*first_columns, *labels, *further)


def _repeated(name: str, value: str, times: int, small: bool) -> pl.Series:
    """A column of one value, in pieces as long as those of the other columns: polars would copy all of them
    to make them alike."""
    kind = pl.Categorical if small else pl.String
    return pl.Series(name, [value], dtype=kind).new_from_index(0, times)


def _unpacked(frame: pl.DataFrame, wanted: Collection[str] | None) -> pl.DataFrame:
    """The judgements with a column for each of their details, or of those ``wanted``, in place of JSON text.
    Equal texts are read once."""
    texts = frame["details"].unique(maintain_order=True)
    details = pl.DataFrame([orjson.loads(text) for text in texts], infer_schema_length=None)
    if wanted is not None:
        details = details.select(name for name in details.columns if name in wanted)
    if not details.width:
        return frame.drop("details")
    if texts.len() == frame.height:
        return frame.drop("details").hstack(details)
    rows = frame["details"].replace_strict(texts, pl.int_range(texts.len(), eager=True))
    return frame.drop("details").hstack(details[rows])


def save_summary(workspace: Workspace, run: RunRecord, name: str, value: object) -> None:
    """Store a ``value`` of a scored ``run`` of the ``workspace``, as JSON, under a ``name``."""
    row = (run.id, name, __version__, orjson.dumps(value).decode())
    with workspace.write() as connection:
        workspace.insert_or_replace(connection, schema.summaries, [row])


def load_summary(workspace: Workspace, run: RunRecord, name: str) -> Any:
    """What ``save_summary`` stored under the ``name``. None where this version of folkways stored nothing,
    and for a ``run`` that is not finished: its replies may have changed since it was scored."""
    if run.state != "finished":
        return None
    table = schema.summaries
    same = table.c.run_id == run.id, table.c.name == name, table.c.version == __version__
    with workspace.read() as connection:
        value = connection.scalar(sa.select(table.c.value).where(*same))
    return None if value is None else orjson.loads(value)


USAGE, EXPECTED = "usage", "expected"
"""Names of the summaries of what a run used, and of how many replies it expects of each endpoint, by its
number as text."""


def save_usage(workspace: Workspace, run: RunRecord) -> None:
    """Store what a ``run`` of the ``workspace`` expects and used, once every reply that it will have is
    there."""
    save_summary(workspace, run, USAGE, [asdict(use) for use in read_usage(workspace, [run])])
    counts = Counter[str]()
    for part in parts(workspace, run):
        counts[str(part.endpoint_id)] += part.expected
    save_summary(workspace, run, EXPECTED, counts)


def usage(workspace: Workspace, run: RunRecord) -> list[Usage]:
    """Tokens and retries of the distinct stored responses of a run, per endpoint."""
    stored = load_summary(workspace, run, USAGE)
    return read_usage(workspace, [run]) if stored is None else [Usage(**use) for use in stored]


def read_usage(workspace: Workspace, runs: Sequence[RunRecord]) -> list[Usage]:
    """``usage`` of several runs together, added up from the responses: one that two of them use counts
    once."""
    expected, replies, endpoints = schema.expected, schema.responses, schema.endpoints
    keys = sa.select(expected.c.key).where(expected.c.run_id.in_([run.id for run in runs]))
    summed = (
        *(
            replies.c.input_tokens,
            replies.c.output_tokens,
            replies.c.reasoning_tokens,
            replies.c.attempts - 1,
        ),
        *(replies.c.input_tokens * replies.c.batched, replies.c.output_tokens * replies.c.batched),
        *(
            sa.case((tokens.is_(None), 1), else_=0)
            for tokens in (replies.c.input_tokens, replies.c.output_tokens)
        ),
    )
    times = (
        sa.func.sum(replies.c.seconds),
        sa.func.min(replies.c.created - replies.c.seconds),
        sa.func.max(replies.c.created),
    )
    query = (
        sa.select(
            endpoints.c.name,
            sa.func.count(),
            *(sa.func.coalesce(sa.func.sum(column), 0) for column in summed),
            *times,
        )
        .select_from(replies)
        .where(replies.c.key.in_(keys))
        .join(endpoints, endpoints.c.id == replies.c.endpoint_id)
        .group_by(endpoints.c.id, endpoints.c.name)
        .order_by(endpoints.c.id)
    )
    count = sa.func.count()
    of_names = (
        sa.select(endpoints.c.name, replies.c.model, count)
        .select_from(replies)
        .where(replies.c.key.in_(keys), replies.c.model.is_not(None))
        .join(endpoints, endpoints.c.id == replies.c.endpoint_id)
        .group_by(endpoints.c.name, replies.c.model)
        .order_by(count.desc(), replies.c.model)
    )
    with workspace.read() as connection:
        served: dict[str, dict[str, int]] = {}
        for name, model, responses in connection.execute(of_names):
            if len(names := served.setdefault(name, {})) < MOST_NAMES:
                names[model] = responses
        return [
            replace(
                Usage(name, *(int(number) for number in counts)),
                seconds=float(seconds) if seconds >= SHORTEST * counts[0] else None,
                first=float(first),
                last=float(last),
                served=served.get(name, {}),
            )
            for name, *numbers in connection.execute(query)
            for counts, (seconds, first, last) in [(numbers[: -len(times)], numbers[-len(times) :])]
        ]


def failure_counts(workspace: Workspace, run: RunRecord) -> pl.DataFrame:
    """Why requests of a run failed: endpoint, task, message, count, most frequent first."""
    columns = {"endpoint": pl.String, "task": pl.String, "message": pl.String, "count": pl.Int64}
    if not any_failed(workspace, run):
        return pl.DataFrame(schema=columns)  # the join below would read all that the run expects
    expected, failures, endpoints = schema.expected, schema.failures, schema.endpoints
    # items that are asked alike share a request
    requests = (
        sa.select(expected.c.endpoint_id, sa.func.min(expected.c.task).label("task"), failures.c.message)
        .select_from(failures)
        .join(expected, sa.and_(expected.c.run_id == failures.c.run_id, expected.c.key == failures.c.key))
        .where(failures.c.run_id == run.id)
        .group_by(failures.c.key, expected.c.endpoint_id, failures.c.message)
        .subquery()
    )
    query = (
        sa.select(endpoints.c.name, requests.c.task, requests.c.message, sa.func.count())
        .join(endpoints, endpoints.c.id == requests.c.endpoint_id)
        .group_by(endpoints.c.name, requests.c.task, requests.c.message)
        .order_by(sa.func.count().desc())
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    return of_rows(rows, columns)
