"""What can be wrong with the frames that a task gives: its items, prompts, judgements and scores."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from folkways.cultures import cultures, get_culture, get_language, languages
from folkways.errors import UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, SCORES, Metric, State

if TYPE_CHECKING:
    from folkways.benchmarks.base import Task

from folkways.benchmarks.task_errors import meant, problem

# ---- items


def _averaged(task: Task) -> list[str]:
    """The columns over whose groups a metric is averaged."""
    return [metric.mean_over for metric in task.metrics if metric.mean_over is not None]


def verb_of_items(task: Task) -> str:
    """The method that authors write for the items: ``rows`` where the task has it."""
    return "rows" if hasattr(task, "rows") else "items"


def item_problems(task: Task, items: pl.DataFrame, before: int = 0) -> Iterator[str]:
    """What is wrong with the items. before: how many came in earlier batches."""
    verb = verb_of_items(task)
    columns = dict.fromkeys((*ITEMS, *task.facets, *_averaged(task), *getattr(task, "item_columns", ())))
    lacking = [name for name in columns if name not in items.columns]
    if lacking:
        yield problem(
            task,
            verb,
            f"the items lack the column {', '.join(lacking)}; they have: {', '.join(items.columns)}",
        )
        return
    numbered = items.with_row_index("_row", offset=before + 1)
    for row, item, what in (*_of_names(numbered), *_of_cultures(numbered), *_of_options(task, numbered)):
        yield problem(task, verb, what, row, item)


Slip = tuple[int, object, str]
"""Row, item, and what is wrong with it."""


def _any(frame: pl.DataFrame, *conditions: pl.Expr) -> bool:
    """Whether one of the conditions holds for a row: they are looked at together, since nearly always none
    does."""
    named = (condition.any().alias(str(at)) for at, condition in enumerate(conditions))
    return any(frame.select_seq(named).row(0))


def _where(items: pl.DataFrame, condition: pl.Expr, what: str) -> Iterator[Slip]:
    for row, item in items.filter(condition).select("_row", "item").iter_rows():
        yield row, item, what


def _of_names(items: pl.DataFrame) -> Iterator[Slip]:
    blank = {
        name: pl.col(name).cast(pl.String).fill_null("").str.strip_chars() == ""
        for name in ("item", "question", "culture")
    }
    twice = pl.col("item").is_duplicated() & ~blank["item"]
    if not _any(items, *blank.values(), twice):
        return
    yield from _where(items, blank["item"], "an item without an id; give each one its own")
    yield from _where(
        items,
        blank["question"] & ~blank["item"],
        "question is empty: name what is sampled, or leave the key out",
    )
    yield from _where(items, blank["culture"], "culture is empty; give a code that `folkways cultures` lists")
    repeated = items.filter(twice)
    first = dict(reversed(repeated.select("item", "_row").rows()))
    for row, item in repeated.select("_row", "item").iter_rows():
        if row != first[item]:
            yield (
                row,
                item,
                f"row {first[item]} has the same id; both would be judged by one answer: make the ids unique",
            )


def _of_cultures(items: pl.DataFrame) -> Iterator[Slip]:
    for code in items["culture"].drop_nulls().unique(maintain_order=True):
        if code in cultures() or not code.strip():
            continue
        try:
            remedy = f"write {get_culture(code).code!r}"
        except UnknownNameError:
            close = difflib.get_close_matches(code, cultures(), n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "folkways cultures lists them"
        row, item = items.filter(pl.col("culture") == code).select("_row", "item").row(0)
        yield row, item, f"culture {code!r} is not the code of a culture; {remedy}"


def _of_options(task: Task, items: pl.DataFrame) -> Iterator[Slip]:
    labels: Sequence[str] | None = getattr(task, "labels", None)
    if not labels:
        return
    listed = "options" in items.columns and isinstance(items.schema["options"], pl.List)
    gold = getattr(task, "gold_label", "")
    yield from (_of_lists(task, items, labels) if listed else ())
    if gold not in items.columns:
        gold = "gold"  # written for people: a label, "A. bow", or an option
    why = getattr(task, "why_uncounted", None)
    places = dict(zip(labels, range(len(labels)), strict=True))
    shown = (
        pl.col("options").list.len().replace(0, None).fill_null(len(labels))
        if listed
        else pl.lit(len(labels))
    )
    sound = pl.col(gold).replace_strict(places, default=None, return_dtype=pl.Int64) < shown
    for entry in items.filter(~sound.fill_null(False)).iter_rows(named=True):
        options = (entry["options"] or ()) if listed else ()
        valid = labels[: len(options)] if options else labels
        right = entry[gold]
        if right in valid or (gold == "gold" and _is_told(right, valid, options)):
            continue
        if (
            why is not None
            and why({name: entry[name] for name in entry if name != "_row"}, task.scoring.profiles[0])
            is not None
        ):
            continue
        yield (
            entry["_row"],
            entry["item"],
            f"{gold} {right!r} is not one of the options {', '.join(valid)}; correct it",
        )


def _is_told(gold: str | None, labels: Sequence[str], options: Sequence[str]) -> bool:
    words = (gold or "").strip()
    return words in options or any(
        words.casefold().startswith(label.casefold()) and not words[len(label) :][:1].isalnum()
        for label in labels
    )


def _can_show(task: Task, item: Mapping[str, Any]) -> bool:
    """Whether the task can show an item with fewer options than labels, as some published questions have."""
    parts = getattr(task, "parts", None)
    try:
        return parts is not None and bool(parts(dict(item), "en"))
    except Exception:  # noqa: BLE001 - whatever the task of another package raises: it cannot
        return False


def _of_lists(task: Task, items: pl.DataFrame, labels: Sequence[str]) -> Iterator[Slip]:
    """Options of another number than the labels, empty ones, and lists that go with them and are not
    declared."""
    number = pl.col("options").list.len()
    # a release may withhold the options of what it lets be judged
    shown = items.filter(number.fill_null(0) > 0)
    for entry in shown.filter(number != len(labels)).iter_rows(named=True):
        row, item, count = entry["_row"], entry["item"], len(entry["options"])
        if count < len(labels) and _can_show(task, entry):
            continue
        yield (
            row,
            item,
            f"has {count} options, and labels has {len(labels)} ({', '.join(labels)}): give each item as "
            "many",
        )
    blank = pl.col("options").list.eval(pl.element().fill_null("").str.strip_chars() == "").list.any()
    yield from _where(shown, blank, "an option is empty; give it a text, or leave the item out")
    if not task.permutes_options or shown.is_empty():
        return
    permuted, fixed = getattr(task, "permuted", ("options",)), getattr(task, "not_permuted", ())
    row, item = shown.select("_row", "item").row(0)
    for name, kind in shown.schema.items():
        if not isinstance(kind, pl.List) or name == "options":
            continue
        alike = pl.col(name).list.len() == number
        if name in permuted:
            yield from _where(
                shown,
                ~alike.fill_null(False),
                f"{name} has to be as long as the options, with which it is permuted",
            )
        elif name not in fixed and shown.select(alike.fill_null(False).all()).item():
            both = (
                f"permuted = {(*permuted, name)!r} if it goes with the options, not_permuted = "
                f"{(*fixed, name)!r} if not"
            )
            yield row, item, f"{name} is as long as the options in every item: declare {both}"


# ---- prompts


def prompt_problems(
    task: Task, items: pl.DataFrame, prompts: pl.DataFrame, *, sent: bool = True
) -> Iterator[str]:
    """What is wrong with the prompts of these items.

    task: whose ``prompts`` they are.
    items: those that were to be asked.
    prompts: records.PROMPTS.
    sent: whether a model is asked with them; False for replies that came from elsewhere.
    """
    if lacking := [name for name in PROMPTS if name not in prompts.columns]:
        yield problem(task, "prompts", f"the prompts lack the column {', '.join(lacking)}")
        return
    keys = ("item", "language", "variant")
    empty = pl.col("user").fill_null("").str.strip_chars() == ""
    strange = ~pl.col("item").is_in(items["item"].implode()).fill_null(False)
    twice = pl.struct(keys).is_duplicated()
    any_wrong = _any(prompts, empty, strange, twice)
    for item in prompts.filter(empty)["item"] if any_wrong else ():
        yield problem(task, "prompts", "the prompt is empty; look at the template and its parts", item=item)
    for item in _without_question(task, items, prompts) if sent else ():
        what = "text is empty; give the question as a person would read it"
        yield problem(task, verb_of_items(task), what, item=item)
    for item in prompts.filter(strange)["item"] if any_wrong else ():
        what = "there is no item of that id among those that were to be asked"
        yield problem(task, "prompts", what, item=item)
    for item, language, variant in prompts.filter(twice).select(keys).iter_rows() if any_wrong else ():
        what = f"it is asked twice in {language!r} with the variant {variant!r}"
        yield problem(task, "prompts", what, item=item)
    for code in prompts["language"].unique(maintain_order=True):
        if not _is_language(code):
            item = prompts.filter(pl.col("language").eq_missing(code))["item"][0]
            verb = "languages" if hasattr(task, "languages") else "prompts"
            yield problem(task, verb, language_slip(code), item=item)


def _without_question(task: Task, items: pl.DataFrame, prompts: pl.DataFrame) -> Iterator[object]:
    """Items that are asked without a question, unless a profile leaves them uncounted for it."""
    blank = items.filter(pl.col("text").fill_null("").str.strip_chars() == "")
    if blank.is_empty():
        return
    why = getattr(task, "why_uncounted", None)
    for entry in blank.join(prompts.select("item"), on="item", how="semi", maintain_order="left").iter_rows(
        named=True
    ):
        if why is None or not any(why(entry, profile) for profile in task.scoring.profiles):
            yield entry["item"]


def _is_language(code: str | None) -> bool:
    """Whether it is a code of folkways, or may be one of ISO 639-3, which has more; with a script or without
    (``sr-Latn``)."""
    base = re.sub("-[A-Z][a-z]{3}$", "", code or "")
    if base in languages():
        return True
    try:
        get_language(base)
    except UnknownNameError:
        return re.fullmatch("[a-z]{3}", base) is not None
    return False  # another name of a language that has a code here


def language_slip(code: str | None) -> str:
    """What is wrong with an unknown language code, and what to write."""
    try:
        remedy = f"write {get_language(code or '').code!r}"
    except UnknownNameError:
        remedy = "give a code such as 'ko'; folkways cultures lists the languages of each culture"
    return f"language {code!r} is not the code of a language; {remedy}"


# ---- judgements and scores

ANSWERED_ROW = ("item", "language", "variant", "sample")
"""The columns that identify the response of a judgement."""

ROUNDING = 1e-6
"""How far a value may be outside its bounds: similarities of 32-bit vectors come to 1.0000002."""

STATES = [state.value for state in State]


def judgement_problems(task: Task, responses: pl.DataFrame, judged: pl.DataFrame) -> Iterator[str]:
    """What is wrong with the judgements of these responses."""
    columns = dict.fromkeys(
        (*JUDGEMENTS, *task.facets, *(name for name in getattr(task, "judged_columns", ())))
    )
    if lacking := [name for name in columns if name not in judged.columns]:
        yield problem(task, "judge", f"the judgements lack the column {', '.join(lacking)}")
        return
    if judged.height != responses.height:
        yield problem(
            task,
            "judge",
            f"{judged.height:,} judgements of {responses.height:,} responses; give one of each, in order",
        )
        return
    keys = [name for name in ANSWERED_ROW if name in responses.columns]
    for name in keys:
        of_judgements, of_responses = judged[name].cast(pl.String), responses[name].cast(pl.String)
        if not of_judgements.equals(of_responses):
            row = int(of_judgements.ne_missing(of_responses).arg_true()[0])
            got, expected = judged[name][row], responses[name][row]
            what = (
                f"{name} is {got!r}, and that of the response {expected!r}: judgements have to be in the "
                "order of the responses"
            )
            yield problem(task, "judge", what, row + 1, responses["item"][row])
            return
    # Another model's similarities may be below 0.
    by_models = {name for role in task.scoring.models for name in role.metrics}
    metrics = [metric for metric in task.metrics if metric.name in judged.columns]
    values = {metric: _wrong_value(metric) for metric in metrics if metric.name not in by_models}
    no_state = ~pl.col("state").cast(pl.String).is_in(STATES).fill_null(False)
    undecided = pl.col("counted").is_null()
    if not _any(judged, no_state, undecided, *values.values()):
        return
    numbered = judged.with_row_index("_row", offset=1)
    for row, item, state in numbered.filter(no_state).select("_row", "item", "state").iter_rows():
        yield problem(task, "judge", f"state {state!r} is not one of {', '.join(STATES)}", row, item)
    for row, item, what in _where(numbered, undecided, "counted is null; say True or False"):
        yield problem(task, "judge", what, row, item)
    for metric, wrong in values.items():
        yield from _of_values(task, metric, numbered.filter(wrong))


def _wrong_value(metric: Metric) -> pl.Expr:
    value = pl.col(metric.name).cast(pl.Float64)
    wrong = ~value.is_finite()
    if metric.bounds is not None:
        wrong |= ~value.is_between(metric.bounds[0] - ROUNDING, metric.bounds[1] + ROUNDING)
    if metric.kind == "proportion":
        wrong |= ~value.is_in([0.0, 1.0])
    return wrong.fill_null(False)


def _of_values(task: Task, metric: Metric, wrong: pl.DataFrame) -> Iterator[str]:
    for row, item, number in wrong.select("_row", "item", metric.name).iter_rows():
        valid = f"within {metric.bounds}" if metric.bounds is not None else "a number"
        valid = "0 or 1; say kind='mean' if it can lie between" if metric.kind == "proportion" else valid
        yield problem(task, "judge", f"{metric.name} is {number!r}, and has to be {valid}", row, item)


def score_value_problems(task: Task, values: Mapping[str, Any], needed: Iterable[str]) -> Iterator[str]:
    """What is wrong with the values of a score. needed: the metrics that have to be among them."""
    names = [metric.name for metric in task.metrics]
    for name in values:
        if name not in names:
            yield f"the score has a value of {name!r}, which is not a metric of the task{meant(name, names)}"
    for name in needed:
        if name not in values:
            yield (
                f"the score has no value of the metric {name!r}; give its number, or None where it does "
                "not apply"
            )


def value_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Which values of a score are not numbers."""
    for name, value in values.items():
        if value is not None and not isinstance(value, int | float):
            yield f"the value of {name!r} is {value!r}; give a number, or None where it does not apply"


def score_problems(task: Task, scores: pl.DataFrame) -> Iterator[str]:
    """What is wrong with the scores."""
    added_later = ("endpoint", "profile", "signature")
    if lacking := [name for name in SCORES if name not in scores.columns and name not in added_later]:
        yield problem(task, "summarise", f"the scores lack the column {', '.join(lacking)}")
        return
    names = [metric.name for metric in task.metrics]
    for name in scores["metric"].unique(maintain_order=True):
        if name not in names:
            yield problem(
                task,
                "summarise",
                f"a score of {name!r}, which is not a metric of the task{meant(str(name), names)}",
            )
