"""The contract of a benchmark: what its tasks declare, what their items and prompts are, and what judging
gives.

Every call of a task goes through here: ``items_of``, ``prompts_of``, ``judgements_of`` and ``scores_of``
check what comes back and turn an exception of the task's code into an error that says where it was raised. So
a slip is named before a request is sent, and never becomes a wrong number. ``folkways benchmarks check`` goes
through all of it at once.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from folkways.cultures import cultures, get_culture, get_language, languages
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.plugins import BENCHMARKS, OURS, entries, package_of, short, told
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, SCORES, Metric, State

if TYPE_CHECKING:
    from folkways.benchmarks.base import Benchmark, PromptOptions, Task
    from folkways.releases.base import Release

SHOWN = 3
"""Problems that one error names; ``folkways benchmarks check`` lists them all."""

SHORTEST_LIST = 2
"""Options that a question has at least."""


class TaskError(FolkwaysError):
    """A task whose code fails or breaks the contract. The message names task, package, place and remedy."""


def task_failed(task: Task, error: Exception, verb: str, where: str = "") -> TaskError:
    """The error for an exception of a task's own code; raise it ``from error``. where: ``at item 'KR-1'``."""
    module = type(task).__module__
    entry = entries(BENCHMARKS).get(task.benchmark)
    package = package_of(entry) if entry is not None else ""
    of_package = f" of the package {package}" if package and package != OURS else ""
    remedy = (
        "Report it with what `folkways doctor` prints"
        if module.partition(".")[0] == OURS
        else "Repair it there"
    )
    message = (
        f"{task.name}{of_package} failed in {verb}(){' ' if where else ''}{where}: {told(error, module)}"
    )
    return TaskError(
        f"{message}\n{remedy}; FOLKWAYS_DEBUG=1 shows the traceback. Nothing that was stored is lost."
    )


@contextmanager
def failures_of(task: Task, verb: str, where: str = "") -> Iterator[None]:
    """TaskError in place of an exception that the task's own code raises within the block; errors of folkways
    pass."""
    try:
        yield
    except FolkwaysError:
        raise
    except Exception as error:
        raise task_failed(task, error, verb, where) from error


def problem(task: Task, verb: str, what: str, row: int | None = None, item: object = None) -> str:
    """One line: task, file and method, row (from 1) and item, and what is wrong with it and what to do."""
    at = "" if row is None else f", row {row}" + ("" if item is None else f" ({item!r})")
    return f"{task.name}: {source_of(task, verb)}{verb}(){at}: {what}"


def source_of(task: Task, verb: str) -> str:
    """``markets/task.py, `` for the file of a method, with what goes before its name; empty if it has none.

    For a task that a TOML file declares, that file: the method is ours.
    """
    declared = getattr(task, "declared", None)
    if declared is not None:
        return f"{declared.package.rpartition('.')[2]}/{declared.file}, "
    try:
        file = inspect.getsourcefile(inspect.unwrap(getattr(type(task), verb)))
    except (AttributeError, TypeError):
        return ""
    return f"{short(file)}, " if file else ""


def hold(task: Task, problems: Iterable[str]) -> None:
    """TaskError with the first of the problems, if there are any."""
    first = list(islice(problems, SHOWN + 1))
    if first:
        more = f"\nAll of them: folkways benchmarks check {task.benchmark}" if len(first) > SHOWN else ""
        raise TaskError("\n".join(first[:SHOWN]) + more)


def refuse(task: Task, verb: str, what: str, row: int | None = None, item: object = None) -> NoReturn:
    """TaskError with one problem."""
    raise TaskError(problem(task, verb, what, row, item))


def meant(name: str, valid: Iterable[str]) -> str:
    """``; did you mean 'correct'?``, or the valid names."""
    names = [str(entry) for entry in valid]
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; valid: {', '.join(names) or '(none)'}"


# ---- the verbs of a task, checked


def items_of(task: Task, release: Release) -> Iterator[pl.DataFrame]:
    """The task's ``item_batches``, each of them checked; TaskError for what breaks the contract."""
    seen: list[pl.Series] = []
    rows = 0
    batches: Iterator[pl.DataFrame] | None = None
    while True:
        with failures_of(task, "items"):
            batches = iter(task.item_batches(release)) if batches is None else batches
            batch = next(batches, None)
        if batch is None:
            break
        hold(task, item_problems(task, batch, rows))
        rows += batch.height
        seen.append(
            batch["item"].hash()
        )  # a release may have 300,000 items, and their names would take 30 MB
        yield batch
    if rows == 0:
        refuse(
            task, verb_of_items(task), f"gives no item for the release {release.name}; look at what it reads"
        )
    if len(seen) > 1 and pl.concat(seen).n_unique() < rows:
        refuse(task, verb_of_items(task), "two batches have an item of the same id; make the ids unique")


def prompts_of(
    task: Task, items: pl.DataFrame, options: PromptOptions, release: Release, *, sent: bool = True
) -> pl.DataFrame:
    """The task's ``prompts``, checked; TaskError for what breaks the contract. sent: whether a model is asked
    with them."""
    with failures_of(task, "prompts"):
        prompts = task.prompts(items, options, release)
    hold(task, prompt_problems(task, items, prompts, sent=sent))
    return prompts


def judgements_of(task: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
    """The task's ``judge``, checked; TaskError for what breaks the contract."""
    with failures_of(task, "judge", f"in the profile {profile}"):
        judged = task.judge(items, responses, profile)
    hold(task, judgement_problems(task, responses, judged))
    return judged


def scores_of(task: Task, judgements: pl.DataFrame) -> pl.DataFrame:
    """The task's ``summarise``, checked; TaskError for what breaks the contract."""
    with failures_of(task, "summarise"):
        scores = task.summarise(judgements)
    hold(task, score_problems(task, scores))
    return scores


# ---- what is declared


def declared_problems(benchmark: Benchmark) -> Iterator[str]:
    """What is wrong with what the tasks of a benchmark declare, before any data are read."""
    from folkways.benchmarks.base import Benchmark as Kind

    if not isinstance(benchmark, Kind):
        yield f"its entry point names {benchmark!r}, and has to name a Benchmark"
        return
    names = [task.name for task in benchmark.tasks]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two tasks are called {name}; give each a name of its own"
    for task in benchmark.tasks:
        yield from (f"{task.name}: {what}" for what in _declared(task))


def _declared(task: Task) -> Iterator[str]:
    from folkways.benchmarks.base import Scoring

    for name in ("release", "title", "about", "metrics"):
        if not hasattr(task, name):
            yield f"declares no {name}"
    if not isinstance(task.scoring, Scoring):
        yield f"scoring = {task.scoring!r} has to be a folkways.benchmarks.base.Scoring"
        return
    lists = {name: getattr(task, name, ()) for name in ("metrics", "facets", "variants")}
    lists |= {f"scoring.{name}": getattr(task.scoring, name) for name in ("profiles", "text_tools", "models")}
    for name, value in lists.items():
        if not isinstance(value, (tuple, list)):
            yield f"{name} = {value!r} has to be a tuple; mind the comma in (name,)"
            return
    if not task.scoring.profiles:
        yield "scoring.profiles is empty; name one, such as 'strict'"
    metrics = getattr(task, "metrics", ())
    if not metrics:
        yield "metrics is empty; declare at least one, the headline"
    for metric in metrics:
        if not isinstance(metric, Metric):
            yield f"metrics has {metric!r}; every one has to be a folkways.records.Metric"
            return
        yield from _declared_metric(metric)
    columns = [metric.name for metric in metrics]
    facets = getattr(task, "facets", ())
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        yield f"two metrics are called {name!r}"
    for name in columns:
        if name in JUDGEMENTS or name in facets:
            yield f"a metric cannot be called {name!r}: a column of judgements has that name"
    for name in facets:
        if name in JUDGEMENTS:
            yield (
                f"a facet cannot be called {name!r}: a column of judgements has that name (scores by it "
                "come of themselves)"
            )
    yield from _declared_options(task)


def _declared_metric(metric: Metric) -> Iterator[str]:
    if metric.kind not in ("proportion", "mean"):
        yield f"the metric {metric.name!r} is of kind {metric.kind!r}; valid: proportion, mean"
    if metric.bounds is not None and not metric.bounds[0] < metric.bounds[1]:
        yield (
            f"the metric {metric.name!r} has the bounds {metric.bounds}; give (lowest, highest), or "
            "None "
            "for a count"
        )
    if metric.kind == "proportion" and metric.bounds != (0.0, 1.0):
        bounds = f"the metric {metric.name!r} is a proportion with the bounds {metric.bounds}"
        yield f"{bounds}; say kind='mean' if its values are not 0 or 1"


def _declared_options(task: Task) -> Iterator[str]:
    columns = getattr(task, "item_columns", None)
    if columns is None or not task.permutes_options:
        return
    if not getattr(task, "labels", None):
        yield (
            "permutes_options is set, and labels is not: name the labels that options get, such as "
            "('A', "
            "'B', 'C')"
        )
    gold = getattr(task, "gold_label", "")
    for name, what in (
        ("options", "a list of the options"),
        (gold, "the right one's label; set gold_label to its column"),
    ):
        if name not in columns and name not in task.facets:
            yield f"permutes_options is set, and item_columns has no {name!r}: {what}"
    for name in (*getattr(task, "permuted", ()), *getattr(task, "not_permuted", ())):
        if name not in columns:
            yield (
                f"permuted or not_permuted names {name!r}, which item_columns does not "
                f"have{meant(name, columns)}"
            )


# ---- items


def _averaged(task: Task) -> list[str]:
    """The columns over whose groups a metric is averaged."""
    return [metric.mean_over for metric in task.metrics if metric.mean_over is not None]


def verb_of_items(task: Task) -> str:
    """The method that people write for the items: ``rows`` where the task has it."""
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


def _where(items: pl.DataFrame, condition: pl.Expr, what: str) -> Iterator[Slip]:
    for row, item in items.filter(condition).select("_row", "item").iter_rows():
        yield row, item, what


def _of_names(items: pl.DataFrame) -> Iterator[Slip]:
    blank = {
        name: pl.col(name).cast(pl.String).fill_null("").str.strip_chars() == ""
        for name in ("item", "question", "culture")
    }
    yield from _where(items, blank["item"], "an item without an id; give each one its own")
    yield from _where(
        items,
        blank["question"] & ~blank["item"],
        "question is empty: name what is sampled, or leave the key out",
    )
    yield from _where(items, blank["culture"], "culture is empty; give a code that `folkways cultures` lists")
    repeated = items.filter(pl.col("item").is_duplicated() & ~blank["item"])
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
        yield row, item, f"culture {code!r} is no code of a culture; {remedy}"


def _of_options(task: Task, items: pl.DataFrame) -> Iterator[Slip]:
    labels: Sequence[str] | None = getattr(task, "labels", None)
    if not labels:
        return
    listed = "options" in items.columns and isinstance(items.schema["options"], pl.List)
    gold = getattr(task, "gold_label", "")
    yield from (_of_lists(task, items, labels) if listed else ())
    if (
        gold not in items.columns
    ):  # the gold is then told as a person would read it: a label, "A. bow", or an option
        gold = "gold"
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
            f"{gold} {right!r} is none of the options {', '.join(valid)}; correct it",
        )


def _is_told(gold: str | None, labels: Sequence[str], options: Sequence[str]) -> bool:
    words = (gold or "").strip()
    return words in options or any(
        words.casefold().startswith(label.casefold()) and not words[len(label) :][:1].isalnum()
        for label in labels
    )


def _can_show(task: Task, item: Mapping[str, Any]) -> bool:
    """Whether the task can show an item that has fewer options than labels, as some published questions
    do."""
    parts = getattr(task, "parts", None)
    try:
        return parts is not None and bool(parts(dict(item), "en"))
    except Exception:  # noqa: BLE001 - whatever the task of another package raises: it cannot
        return False


def _of_lists(task: Task, items: pl.DataFrame, labels: Sequence[str]) -> Iterator[Slip]:
    """Options of another number than the labels, empty ones, and lists that go with them and are not
    declared."""
    number = pl.col("options").list.len()
    shown = items.filter(
        number.fill_null(0) > 0
    )  # a release may withhold the options of what it lets be judged
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
    """What is wrong with the prompts of these items. sent: whether a model is asked with them, or replies
    came from elsewhere."""
    if lacking := [name for name in PROMPTS if name not in prompts.columns]:
        yield problem(task, "prompts", f"the prompts lack the column {', '.join(lacking)}")
        return
    numbered = prompts.with_row_index("_row", offset=1)
    for row, item in (
        numbered.filter(pl.col("user").fill_null("").str.strip_chars() == "")
        .select("_row", "item")
        .iter_rows()
    ):
        yield problem(task, "prompts", "the prompt is empty; look at the template and its parts", row, item)
    for row, item in _without_question(task, items, numbered) if sent else ():
        yield problem(
            task, verb_of_items(task), "text is empty; give the question as a person would read it", row, item
        )
    strange = numbered.join(items.select("item"), on="item", how="anti", maintain_order="left")
    for row, item in strange.select("_row", "item").iter_rows():
        yield problem(
            task, "prompts", "there is no item of that id among those that were to be asked", row, item
        )
    asked = ("item", "language", "variant")
    for row, item, language, variant in (
        numbered.filter(pl.struct(asked).is_duplicated()).select("_row", *asked).iter_rows()
    ):
        yield problem(
            task, "prompts", f"it is asked twice in {language!r} with the variant {variant!r}", row, item
        )
    for code in prompts["language"].unique(maintain_order=True):
        if not _is_language(code):
            row, item = numbered.filter(pl.col("language").eq_missing(code)).select("_row", "item").row(0)
            yield problem(
                task, "languages" if hasattr(task, "languages") else "prompts", language_slip(code), row, item
            )


def _without_question(task: Task, items: pl.DataFrame, prompts: pl.DataFrame) -> Iterator[tuple[int, object]]:
    """Row and item of those that are asked without a question, but for those that a profile does not count
    for it."""
    blank = items.with_row_index("_row", offset=1).filter(
        pl.col("text").fill_null("").str.strip_chars() == ""
    )
    why = getattr(task, "why_uncounted", None)
    for entry in blank.join(prompts.select("item"), on="item", how="semi", maintain_order="left").iter_rows(
        named=True
    ):
        row = entry.pop("_row")
        if why is None or not any(why(entry, profile) for profile in task.scoring.profiles):
            yield row, entry["item"]


def _is_language(code: str | None) -> bool:
    """Whether it is a code of folkways, or may be one of ISO 639-3, which has more of them; with a script or
    not (``sr-Latn``)."""
    base = re.sub("-[A-Z][a-z]{3}$", "", code or "")
    if base in languages():
        return True
    try:
        get_language(base)
    except UnknownNameError:
        return re.fullmatch("[a-z]{3}", base) is not None
    return False  # another name of a language that has a code here


def language_slip(code: str | None) -> str:
    """What is wrong with a language that is no code, and what to write."""
    try:
        remedy = f"write {get_language(code or '').code!r}"
    except UnknownNameError:
        remedy = "give a code such as 'ko'; folkways cultures lists the languages of each culture"
    return f"language {code!r} is no code of a language; {remedy}"


# ---- judgements and scores

ANSWERED_ROW = ("item", "language", "variant", "sample")
"""What says to which response a judgement belongs."""

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
        same = judged[name].cast(pl.String).eq_missing(responses[name].cast(pl.String))
        if not same.all():
            row = int((~same).arg_true()[0])
            got, asked = judged[name][row], responses[name][row]
            what = (
                f"{name} is {got!r}, and that of the response {asked!r}: judgements have to be in the "
                "order of the responses"
            )
            yield problem(task, "judge", what, row + 1, responses["item"][row])
            return
    numbered = judged.with_row_index("_row", offset=1)
    wrong = numbered.filter(~pl.col("state").cast(pl.String).is_in(STATES).fill_null(False))
    for row, item, state in wrong.select("_row", "item", "state").iter_rows():
        yield problem(task, "judge", f"state {state!r} is none of {', '.join(STATES)}", row, item)
    for row, item in numbered.filter(pl.col("counted").is_null()).select("_row", "item").iter_rows():
        yield problem(task, "judge", "counted is null; say True or False", row, item)
    by_models = {
        name for role in task.scoring.models for name in role.metrics
    }  # another model's similarities may be below 0
    for metric in task.metrics:
        if metric.name in judged.columns and metric.name not in by_models:
            yield from _of_values(task, metric, numbered)


def _of_values(task: Task, metric: Metric, judged: pl.DataFrame) -> Iterator[str]:
    value = pl.col(metric.name).cast(pl.Float64)
    wrong = ~value.is_finite()
    if metric.bounds is not None:
        wrong |= ~value.is_between(metric.bounds[0] - ROUNDING, metric.bounds[1] + ROUNDING)
    if metric.kind == "proportion":
        wrong |= ~value.is_in([0.0, 1.0])
    for row, item, number in (
        judged.filter(wrong.fill_null(False)).select("_row", "item", metric.name).iter_rows()
    ):
        valid = f"within {metric.bounds}" if metric.bounds is not None else "a number"
        valid = "0 or 1; say kind='mean' if it can lie between" if metric.kind == "proportion" else valid
        yield problem(task, "judge", f"{metric.name} is {number!r}, and has to be {valid}", row, item)


def score_value_problems(task: Task, values: Mapping[str, Any], needed: Iterable[str]) -> Iterator[str]:
    """What is wrong with the values of a score. needed: the metrics that have to be among them."""
    names = [metric.name for metric in task.metrics]
    for name in values:
        if name not in names:
            yield f"the score has a value of {name!r}, which is no metric of the task{meant(name, names)}"
    for name in needed:
        if name not in values:
            yield (
                f"the score has no value of the metric {name!r}; give its number, or None where it does "
                "not apply"
            )


def value_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Which values of a score are no numbers."""
    for name, value in values.items():
        if value is not None and not isinstance(value, int | float):
            yield f"the value of {name!r} is {value!r}; give a number, or None where it does not apply"


def score_problems(task: Task, scores: pl.DataFrame) -> Iterator[str]:
    """What is wrong with the scores."""
    given = ("endpoint", "profile", "signature")
    if lacking := [name for name in SCORES if name not in scores.columns and name not in given]:
        yield problem(task, "summarise", f"the scores lack the column {', '.join(lacking)}")
        return
    names = [metric.name for metric in task.metrics]
    for name in scores["metric"].unique(maintain_order=True):
        if name not in names:
            yield problem(
                task,
                "summarise",
                f"a score of {name!r}, which is no metric of the task{meant(str(name), names)}",
            )
