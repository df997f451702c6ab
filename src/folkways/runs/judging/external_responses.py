"""Judges replies that were made elsewhere, with the rules, fixed denominators and scores of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.contract import items_of, prompts_of, scores_of
from folkways.benchmarks.cut_replies import judge_replies
from folkways.benchmarks.multiple_choice.orders import MOST, split_variant
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.treatments import MARK
from folkways.cultures import cultures, get_culture, get_language, select_cultures
from folkways.display import named
from folkways.endpoints.clean import thoughts_apart
from folkways.endpoints.servers.endings import WITHHELD
from folkways.errors import DataError, FolkwaysError, UnknownNameError, option
from folkways.records import CUT, JUDGEMENTS, State
from folkways.releases.release_records import Release
from folkways.runs.keywords import release_names
from folkways.runs.scores.scoring_models import EquippedTask, ScoringModels, equip
from folkways.runs.scores.signature import signature_of_external_responses
from folkways.text_tables import read_replies

SHOWN = 5
MOST_SAMPLES = 1_000_000_000
"""The highest number of a sample: above it is no number, but a slip."""
ASKED = ("item", "language", "variant", "sample")

ROW_NUMBER = "_row"
"""Column with the number of each row in its file, from 1, however few of them an option leaves."""

FRAME = Path("the frame")
"""In the place of a file where replies come from Python."""


@dataclass(frozen=True)
class JudgedReplies:
    """Judgements (one row per expected item), scores, and what a person should know about how the file was
    read."""

    judgements: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...]


def judge_with(
    task: str | Task,
    release: str | Path | None = None,
    text_tools: str | None = None,
    scoring: ScoringModels | None = None,
) -> tuple[EquippedTask, Release]:
    """The task as it judges, with the set of ``text_tools`` and the ``scoring`` models, and the data that it
    judges against.

    release: ``[BENCHMARK=]NAME|DIR``; the task's default if left out.
    """
    chosen = get_task(task) if isinstance(task, str) else task
    if text_tools is not None:
        chosen = chosen.with_tools(text_tools)
    named = release_names((str(release),) if release else ())
    data = open_release(named.get("*") or named.get(chosen.benchmark) or chosen.release, chosen.benchmark)
    return equip(chosen, scoring or ScoringModels()), data


def judge_file(
    task: Task,
    release: Release,
    path: Path,
    *,
    culture: str | None = None,
    language: str | None = None,
    variant: str | None = None,
    model: str | None = None,
    profile: str | None = None,
    by_position: bool = False,
    read: Callable[[Path], pl.DataFrame] = read_replies,
) -> JudgedReplies:
    """Judge the replies to a ``task`` in the file ``path`` against a ``release``, in one ``profile``.

    The file has ``response`` and either ``item`` or the release's own id (``release_id``, ``id``, ``ID``), or
    is an output file of the authors' programs.
    by_position: its rows are in the order of the release.
    culture, language, variant: what the file does not say.
    model: of the file's ``model`` or ``endpoint``, where it has several.
    read: makes a table of texts of it.

    Every item of the cultures concerned is expected: one without a row is missing, and of several rows for
    one item the last counts. Raises DataError with the row for ids that the release does not have,
    FolkwaysError for replies of several models.
    """
    options = {
        "culture": culture,
        "language": language,
        "variant": variant,
        "model": model,
        "profile": profile,
    }
    return judge_table(task, release, read(path), path, by_position=by_position, **options)


def judge_table(
    task: Task,
    release: Release,
    table: pl.DataFrame,
    path: Path,
    *,
    culture: str | None = None,
    language: str | None = None,
    variant: str | None = None,
    model: str | None = None,
    profile: str | None = None,
    by_position: bool = False,
) -> JudgedReplies:
    """``judge_file`` for a table of texts: task, release, culture, language, variant, model, profile and
    by_position are the same.

    path: the file that errors name, whose name may hold culture and language; FRAME for a table from Python.
    """
    notes: list[str] = []
    rows = task.from_authors(table)
    if rows is not None:
        notes.append("read as an output file of the authors' programs")
    else:
        rows = _plain(table, path, by_position).with_row_index(ROW_NUMBER, offset=1)
        rows = _of_model(rows, model, path)
    rows = _in_codes(rows, culture, language, variant, path)
    items = pl.concat(items_of(task, release))
    if "item_if_any" in rows.columns:
        rows = _known_only(rows.rename({"item_if_any": "item"}), items, notes)
    # what names its items needs no name of a file
    if "culture" not in rows.columns and "item" not in rows.columns:
        culture = culture or (
            None if path is FRAME else culture_in_name(path, items["culture"].unique().to_list())
        )
    if culture is not None:
        items = items.filter(
            pl.col("culture").is_in(select_cultures([culture], items["culture"].unique().to_list()))
        )
    elif "culture" in rows.columns:
        items = items.filter(pl.col("culture").is_in(rows["culture"].drop_nulls().unique().to_list()))
    if by_position:
        ordered = items_in_order_of(rows, items)
        if not ordered.equals(items):
            notes.append(
                "its rows are in another order than the release, and it says which items they are: that "
                "was followed"
            )
            items = ordered
    located = _numbered(_locate(rows, items, path, by_position, culture), path)
    expected = _expected_replies(task, release, items, located, path, language, variant, notes)
    repeated = located.height - located.n_unique([name for name in ASKED if name in located.columns])
    if repeated > 0:
        notes.append(
            f"{repeated} {'rows repeat' if repeated > 1 else 'row repeats'} an item: the last row of each "
            "counts"
        )
    responses = _responses(task, expected, located)
    resolved = task.resolve_profile(profile)
    judged = judge_replies(task, items, responses, resolved)
    made = signature_of_external_responses(task, release, responses, resolved)
    scores = scores_of(task, judged).with_columns(profile=pl.lit(resolved), signature=pl.lit(made.text()))
    if cut := int(judged[CUT].sum()):
        unread = (judged["state"] == State.TRUNCATED.value).sum()
        were = "replies were" if cut > 1 else "reply was"
        notes.append(
            f"{cut:,} {were} cut at the token limit (by finish_reason), {unread or 'none'} of them truncated "
            "(before an answer)"
        )
    return JudgedReplies(_ordered(judged.drop(CUT), items), scores, tuple(notes))


def _of_model(table: pl.DataFrame, wanted: str | None, path: Path) -> pl.DataFrame:
    """The rows of the ``wanted`` model; FolkwaysError where the table has several and none is wanted, and
    UnknownNameError for one that it does not have."""
    columns = {
        name: [model for model in table[name].unique(maintain_order=True) if model]
        for name in ("model", "endpoint")
        if name in table.columns
    }
    if wanted is not None:
        for column, models in columns.items():
            if wanted in models:
                return table.filter(pl.col(column) == wanted)
        raise UnknownNameError(f"model of {path}", wanted, chain.from_iterable(columns.values()))
    for column, models in columns.items():
        if len(models) > 1:
            raise FolkwaysError(
                f"{path} has replies of several models ({named(models)}); each is judged by itself, name "
                f"one: {option('model', models[0])}\nIf they are of one, leave out the column {column!r}"
            )
    return table


def _plain(table: pl.DataFrame, path: Path, by_position: bool) -> pl.DataFrame:
    if "response" not in table.columns:
        scored = "\nSamples of the harness have scores already: read them with folkways report or compare"
        raise DataError(
            f"has no column 'response'; its columns are: {', '.join(table.columns)}"
            f"{scored if 'doc_id' in table.columns else ''}",
            file=path,
        )
    names = {"id": "release_id", "ID": "release_id", "MCQID": "release_id", "data_idx": "release_id"}
    for old, new in names.items():
        if old in table.columns and new not in table.columns and "item" not in table.columns:
            table = table.rename({old: new})
    if by_position:
        return table.drop("item", "release_id", strict=False).with_columns(
            position=pl.int_range(pl.len(), dtype=pl.Int64)
        )
    if not {"item", "release_id", "position"} & set(table.columns):
        raise DataError(
            "has neither a column 'item' nor the release's own id ('release_id', 'id'); its columns are: "
            f"{', '.join(table.columns)}. If its rows are in the order of the release, say "
            f"{option('by_position', True)}",
            file=path,
        )
    return table


def _in_codes(
    rows: pl.DataFrame, culture: str | None, language: str | None, variant: str | None, path: Path
) -> pl.DataFrame:
    """Cultures and languages of the file as codes, and only the rows that the options ask for."""
    options: dict[str, tuple[str | None, Callable[[str], str]]] = {
        "culture": (culture, lambda text: get_culture(text).code),
        "language": (language, lambda text: get_language(text).code),
        "variant": (variant, str),
    }
    for name, (wanted, code) in options.items():
        if name not in rows.columns:
            continue
        rows = rows.with_columns(
            pl.col(name).replace({text: code(text) for text in rows[name].drop_nulls().unique()})
        )
        if wanted is not None:
            rows = rows.filter(pl.col(name) == code(wanted))
            if rows.is_empty():
                raise FolkwaysError(
                    f"{path}: no row has the {name} {wanted!r}; leave {option(name)} out to judge all rows"
                )
    return rows


def culture_in_name(path: Path, available: Sequence[str]) -> str | None:
    """The one culture whose name, its own or that in its benchmark's files, is in the file's name as a word;
    of several the one with the longest name. A name within another's does not count: Guinea in Papua New
    Guinea."""
    stem = _letters(path.stem)
    named = [
        (name, code)
        for code, culture in cultures().items()
        for name in map(_letters, (culture.name, *culture.names.values()))
        if name in stem
    ]
    whole = [
        (len(name), code)
        for name, code in named
        if code in available and not any(name in other != name for other, _ in named)
    ]
    return max(whole)[1] if whole and len(available) > 1 else None


def _letters(name: str) -> str:
    """The words of a name between spaces, whatever else divides them."""
    return f" {re.sub(r'[^a-z]+', ' ', name.lower()).strip()} "


def _known_only(rows: pl.DataFrame, items: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    matching = rows.filter(pl.col("item").is_in(items["item"].implode()))
    if ignored := rows.height - matching.height:
        notes.append(
            f"{ignored:,} {'rows have ids' if ignored > 1 else 'row has an id'} of no item: passed over, "
            "as the authors do"
        )
    return matching


def items_in_order_of(rows: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """The items in the order of a file that is read by position, if it names every one of them exactly once;
    else as they are."""
    key = next((name for name in ("item", "release_id") if name in rows.columns), None)
    if key is None or not items[key].is_unique().all() or Counter(rows[key]) != Counter(items[key]):
        return items
    return rows.select(key).join(items, on=key, how="left", maintain_order="left").select(items.columns)


def _locate(
    rows: pl.DataFrame, items: pl.DataFrame, path: Path, by_position: bool, culture: str | None
) -> pl.DataFrame:
    """``found`` with its column ``item`` filled from whatever names the item."""
    if "item" in rows.columns and "release_id" not in rows.columns:
        ids, released = set(rows["item"]), set(items["release_id"])
        if ids & released and not ids & set(items["item"]):
            rows = rows.rename({"item": "release_id"})
    numbered = rows if ROW_NUMBER in rows.columns else rows.with_row_index(ROW_NUMBER, offset=1)
    if "item" in rows.columns and not by_position:
        key, index = "item", items.select("item", key="item")
    elif "release_id" in rows.columns and not by_position:
        key, index = "release_id", items.select("item", "culture", key="release_id")
    else:
        if rows.height != items.height:
            raise DataError(
                f"has {rows.height:,} rows, but the release has {items.height:,} items here; by position "
                "each item needs its row "
                f"(name one culture with {option('culture')} if the file is of one culture)",
                file=path,
            )
        return numbered.with_columns(items["item"])
    on = ["key", "culture"] if key == "release_id" and "culture" in rows.columns else ["key"]
    if index.select(on).is_duplicated().any():
        asked = ", ".join(items["culture"].unique(maintain_order=True))
        raise FolkwaysError(
            f"{path}: its ids stand for items of several cultures; name one with {option('culture')} "
            f"(here: {asked})"
        )
    joined = (
        numbered.with_columns(key=pl.col(key))
        .drop("item", strict=False)
        .join(index, on=on, how="left", maintain_order="left")
    )
    unknown = joined.filter(pl.col("item").is_null())
    if unknown.height:
        examples = ", ".join(repr(value) for value in unknown["key"].head(SHOWN))
        of = (
            f" for {get_culture(culture).name} (is that the culture of this file?)"
            if culture is not None
            else ""
        )
        raise DataError(
            f"{unknown.height:,} of {rows.height:,} ids are not in the release{of}: {examples}; its own "
            f"look like {', '.join(map(repr, index['key'].head(2)))}",
            file=path,
            row=int(unknown[ROW_NUMBER][0]),
        )
    return joined.drop("key", "culture_right", strict=False)


def _numbered(located: pl.DataFrame, path: Path) -> pl.DataFrame:
    """``located`` with its samples as numbers, where it tells them."""
    if "sample" not in located.columns:
        return located
    numbers = located["sample"].cast(pl.Float64, strict=False)  # pandas writes 0.0 where a column had gaps
    right = numbers.is_between(0, MOST_SAMPLES) & (numbers == numbers.floor())  # NaN is above all numbers
    wrong = (~right.fill_null(False)).arg_true()
    if wrong.len():
        row = wrong[0]
        raise DataError(
            f"sample {located['sample'][row]!r} is not a whole number from 0 on",
            file=path,
            row=int(located[ROW_NUMBER][row]),
        )
    return located.with_columns(numbers.cast(pl.Int64))


def _expected_replies(
    task: Task,
    release: Release,
    items: pl.DataFrame,
    located: pl.DataFrame,
    path: Path,
    language: str | None,
    variant: str | None,
    notes: list[str],
) -> pl.DataFrame:
    """item, language, variant, sample of every expected reply."""
    languages = _told(located, "language") if language is None else [get_language(language).code]
    variants = _told(located, "variant") if variant is None else [variant]
    options = PromptOptions(tuple(languages) if languages else None, tuple(variants) if variants else None)
    prompts = _prompts(task, items, options, release).select("item", "language", "variant")
    valid = prompts["language"].unique(maintain_order=True).to_list()
    if (
        languages is None
        and prompts.group_by("item").agg(pl.col("language").n_unique())["language"].max() != 1
    ):
        named = [code for code in valid if get_language(code).name.lower() in path.stem.lower()]
        if len(named) != 1:
            raise FolkwaysError(
                f"{path}: in which language were the items asked? Say it with {option('language')} (valid: "
                f"{', '.join(valid)})"
            )
        prompts = prompts.filter(pl.col("language") == named[0])
        notes.append(f"asked in {get_language(named[0]).name}, by the file's name")
    if prompts.is_empty():
        raise FolkwaysError(
            f"{path}: {task.name} does not ask these items in {', '.join(languages or valid)}; choose "
            f"another {option('language')}"
        )
    if variants is None and prompts["variant"].n_unique() > 1:
        first = prompts["variant"].item(0)
        notes.append(
            f"the file names no prompt template: {first!r} is assumed (say another with {option('variant')})"
        )
        prompts = prompts.filter(pl.col("variant") == first)
    samples = pl.DataFrame({"sample": [0]})
    if "sample" in located.columns:
        samples = located.select(pl.col("sample").unique().sort())
    return prompts.join(samples, how="cross")


def _told(located: pl.DataFrame, name: str) -> list[str] | None:
    return located[name].unique(maintain_order=True).to_list() if name in located.columns else None


def _on_treated(variants: Sequence[str]) -> str:
    """What to do with replies to treated prompts, if any of the variants is one of these."""
    if not any(MARK in name for name in variants):
        return ""
    return (
        f"only their run judges replies to treated prompts (with {MARK} in the variant); leave their rows out"
    )


def _prompts(task: Task, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
    """The prompts of these variants: of templates, or of the forms that templates are shown in (orders of
    options, letters or numbers)."""
    wanted = options.variants
    try:
        prompts = prompts_of(task, items, options, release, sent=False)
        if wanted is None or prompts.is_empty() or prompts["variant"].is_in(wanted).any():
            return prompts
    except UnknownNameError:
        if wanted is None:
            raise
    most = max(split_variant(name)[1] for name in wanted) if task.permutes_options else 1
    every = replace(options, variants=("all",), orders=min(most, MOST))
    prompts = prompts_of(task, items, every, release, sent=False)
    forms = prompts["variant"].unique(maintain_order=True).to_list()
    if unknown := [name for name in wanted if name not in forms]:
        raise UnknownNameError(f"variant of {task.name}", unknown[0], forms, hint=_on_treated(unknown))
    return prompts.filter(pl.col("variant").is_in(wanted))


def _responses(task: Task, expected: pl.DataFrame, located: pl.DataFrame) -> pl.DataFrame:
    on = [name for name in ASKED if name in located.columns]
    extra = [name for name in ("prompt", "finish_reason") if name in located.columns]
    replies = (
        located.select(*on, "response", *extra)
        .unique(on, keep="last", maintain_order=True)
        .with_columns(_there=True)
    )
    spoken = [None if reply is None else thoughts_apart(reply)[1] for reply in replies["response"]]
    replies = replies.with_columns(response=pl.Series(spoken, dtype=pl.String))
    joined = expected.join(replies, on=on, how="left", maintain_order="left")
    replied = pl.col("response").is_not_null()
    withheld = (
        replied & pl.col("finish_reason").str.to_lowercase().is_in(WITHHELD)
        if "finish_reason" in extra
        else pl.lit(False)
    )
    refused, answered, missing = (
        pl.lit(state.value) for state in (State.REFUSED, State.ANSWERED, State.MISSING)
    )
    filtered = pl.lit("the provider's content filter withheld the answer")
    no_row, no_reply = pl.lit("the file has no row for it"), pl.lit("its row has no reply")
    unsaid = pl.when(pl.col("_there").is_null()).then(no_row).otherwise(no_reply)
    return joined.with_columns(
        task=pl.lit(task.name),
        state=pl.when(withheld).then(refused).when(replied).then(answered).otherwise(missing),
        reason=pl.when(withheld).then(filtered).when(replied).then(None).otherwise(unsaid),
    ).drop("_there")


def _ordered(judged: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Identity first, then the verdict, the metrics and facets, the reason last."""
    identity = ("task", "item", "release_id", "question", "culture", "language", "variant", "sample")
    first = [*identity, "counted", "state", "answer"]
    if "release_id" not in judged.columns:
        judged = judged.join(items.select("item", "release_id"), on="item", how="left", maintain_order="left")
    rest = [name for name in judged.columns if name not in first and name not in JUDGEMENTS]
    return judged.select(*first, *rest, "reason")
