"""Writes a task as lm-evaluation-harness takes it by ``--include_path``: YAML, documents, items, and a module
that judges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import temperature_of
from folkways.errors import FolkwaysError
from folkways.files import WrittenFiles, packed, write_bytes, write_lines
from folkways.integrations.lm_eval.samples import LIKELIEST, exported_name
from folkways.integrations.replies import Reply, ReplyJudge
from folkways.integrations.scored_log import SIGNATURE, STATED, scales_of
from folkways.json_lines import json_line
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import TaskPlan, item_batches
from folkways.runs.planning.tasks import plan_tasks
from folkways.runs.scores.signature import signature

MODULE = '''"""The documents of {name}.yaml, and the judging of replies. Written by folkways {version}, which must be installed."""

from pathlib import Path

from folkways.integrations.lm_eval.harness import ExportedTask

TASK = ExportedTask(Path(__file__), {task!r}, {profile!r})


def load(language=None, **_):
    return TASK.documents(language)


def judged(document, results):
    return TASK.judged(document, results)


def judged_likeliest(document, results):
    return TASK.judged_likeliest(document, results)
'''


@dataclass(frozen=True)
class ExportedFiles(WrittenFiles):
    """The written files and the names of the tasks in them."""

    tasks: tuple[str, ...]


def export_task(
    options: RunOptions, out: Path, *, profile: str | None = None, unlicensed_items: bool = False
) -> ExportedFiles:
    """Write the task of the options, with the same prompts as a run: ``folkways_BENCHMARK_TASK``.

    A task with labels to choose from is written twice: replies are read and judged, or (``..._loglik``) the
    most likely label counts. One of several languages is written whole, and as a group (``..._by_language``) of
    a task for each language.

    out: the folder of the files. profile: how to judge; None for the task's default. unlicensed_items:
    whether the user may pass on items of data whose licence folkways does not know. FolkwaysError for several
    tasks, if the licence forbids passing items on, and if the task has no metric of single replies.
    """
    plans = plan_tasks(options)
    if len(plans) > 1:
        raise FolkwaysError(
            f"only one task can be written; choose one of {', '.join(plan.task.name for plan in plans)}"
        )
    (plan,) = plans
    _check_licence(plan, unlicensed_items)
    resolved = plan.task.resolve_profile(profile)
    items = pl.concat(item_batches(plan.task, plan.release, options))
    judge = ReplyJudge(plan.task, items, resolved)
    prompts = pl.concat(plan.prompts())
    documents, metrics, notes = _documents(plan, judge, prompts)
    name = exported_name(plan.task.name)
    module = out / f"{name}.py"
    tasks = [name]
    made = signature(plan, prompts, (), resolved).text()
    files = [
        write_bytes(
            module,
            MODULE.format(name=name, version=__version__, task=plan.task.name, profile=resolved).encode(),
        ),
        write_lines(module.with_suffix(".docs.jsonl"), map(json_line, documents)),
        write_bytes(module.with_suffix(".items.parquet"), packed(items, "parquet")),
        write_bytes(
            module.with_suffix(".yaml"), _yaml(plan, name, name, metrics, made, likeliest=False).encode()
        ),
    ]
    if all(document["choices"] for document in documents):
        tasks.append(f"{name}{LIKELIEST}")
        text = _yaml(plan, name, tasks[-1], metrics, made, likeliest=True)
        files.append(write_bytes(out / f"{tasks[-1]}.yaml", text.encode()))
    languages = list(dict.fromkeys(document["language"] for document in documents))
    if len(languages) > 1:
        for whole in tasks:
            group = f"{whole}_by_language"
            for each, text in _by_language(whole, group, languages, metrics).items():
                files.append(write_bytes(out / f"{each}.yaml", text.encode()))
            notes.append(f"{group} is {whole} as a group, with a task for each of {len(languages)} languages")
    return ExportedFiles(tuple(files), tuple(notes), tuple(tasks))


def _by_language(whole: str, group: str, languages: Sequence[str], metrics: Sequence[str]) -> dict[str, str]:
    """Name -> YAML of the group and of its tasks, one for each language. whole: the task of all of them."""
    names = {f"{whole}_{language.replace('-', '_').lower()}": language for language in languages}
    parts = {
        name: f"include: {whole}.yaml\ntask: {name}\ntag: {group}_tasks\n"
        f"dataset_kwargs:\n  language: {json.dumps(language)}\n"
        for name, language in names.items()
    }
    listed = [line for name in metrics for line in (f"  - metric: {name}", "    weight_by_size: true")]
    lines = [
        f"group: {group}",
        "task:",
        *(f"  - {name}" for name in names),
        "aggregate_metric_list:",
        *listed,
    ]
    return {group: "\n".join(lines) + "\n", **parts}


def _check_licence(plan: TaskPlan, unlicensed_items: bool) -> None:
    record = plan.release.record
    if record.items_may_leave is False:
        raise FolkwaysError(
            f"{plan.task.name} cannot be written: {record.kept}, and an exported task consists of items; use "
            "folkways run instead"
        )
    if record.items_may_leave is None and not unlicensed_items:
        raise FolkwaysError(
            f"{plan.task.name}: folkways does not know the licence of {record.name}; use --items if you may "
            "pass its items on"
        )


def _documents(
    plan: TaskPlan, judge: ReplyJudge, prompts: pl.DataFrame
) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """The documents, the metrics of single replies, and notes."""
    rows = list(prompts.iter_rows(named=True))
    silent = judge.judge(_replies(prompts, ""))
    counted = {tuple(row[name] for name in KEY): row["counted"] for row in silent.iter_rows(named=True)}
    counting = [prompt for prompt in rows if counted[tuple(prompt[name] for name in KEY)]]
    metrics = [metric.name for metric in judge.single if metric.name in silent.columns]
    if not metrics or not counting:
        raise FolkwaysError(
            f"{plan.task.name} cannot be exported: "
            + ("no item counts" if metrics else "it has no metric of single replies")
        )
    items = {item["item"]: item for item in judge.items.iter_rows(named=True)}
    right = dict(_right_labels(judge, prompts, metrics[0]))
    documents = []
    for prompt in counting:
        item = items[prompt["item"]]
        asked_of = {name: item.get(name) for name in ("question", "culture", *plan.task.facets)}
        shown = {"user": prompt["user"], "gold": item["gold"] or "", "choices": prompt["choices"] or []}
        key = {name: prompt[name] for name in KEY}
        documents.append({**key, **asked_of, **shown, "right": right.get(tuple(key.values()), 0)})
    return documents, metrics, list(_notes(plan, rows, len(rows) - len(counting), metrics))


KEY = ("item", "language", "variant")


def _replies(prompts: pl.DataFrame, said: str) -> Iterator[Reply]:
    return (
        Reply(item, language, variant, response=said)
        for item, language, variant in prompts.select(KEY).iter_rows()
    )


def _right_labels(
    judge: ReplyJudge, prompts: pl.DataFrame, metric: str
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Key of a prompt -> index of its right label, the one for which the task's rule gives the full score."""
    labels = dict.fromkeys(label for choices in prompts["choices"].drop_nulls() for label in choices)
    best = next(each.best for each in judge.task.metrics if each.name == metric)
    offered = {row[:3]: row[3] for row in prompts.select(*KEY, "choices").iter_rows() if row[3]}
    for label in labels:
        for row in judge.judge(_replies(prompts, label)).iter_rows(named=True):
            key = tuple(row[name] for name in KEY)
            if row[metric] == best and label in offered.get(key, ()):
                yield key, offered[key].index(label)


def _notes(
    plan: TaskPlan, asked: Sequence[Mapping[str, Any]], uncounted: int, metrics: list[str]
) -> Iterator[str]:
    lacking = [metric.label for metric in plan.task.metrics if metric.name not in metrics]
    if lacking:
        yield (
            f"not in it: {', '.join(lacking)}, which several replies make together; folkways run "
            "computes them"
        )
    if uncounted:
        yield (
            f"not in it: {uncounted:,} of {len(asked):,} prompts, whose items the benchmark's rule does "
            "not count"
        )
    if systems := {prompt["system"] for prompt in asked if prompt["system"]}:
        if len(systems) > 1 or not all(prompt["system"] for prompt in asked):
            yield (
                "not in it: the system prompts, which differ from item to item; the harness takes one "
                "for a whole run"
            )
        else:
            yield (
                "its system prompt is not in it; add --system_instruction "
                f"{json.dumps(systems.pop(), ensure_ascii=False)}"
            )
    yield "the harness reports means as they are (0 to 1 where folkways says percent), and its standard errors assume independent documents"


def _yaml(plan: TaskPlan, module: str, name: str, metrics: list[str], made: str, *, likeliest: bool) -> str:
    by_name = {metric.name: metric for metric in plan.task.metrics}
    temperature = temperature_of(plan.task)
    how = (
        ["output_type: multiple_choice", "doc_to_choice: choices", "doc_to_target: right"]
        if likeliest
        else [
            *("output_type: generate_until", "doc_to_target: gold"),
            *("generation_kwargs:", "  until: []"),
            *(f"  do_sample: {str(temperature > 0).lower()}", f"  temperature: {temperature}"),
            f"  max_gen_toks: {plan.options.max_tokens or plan.task.max_tokens}",
        ]
    )
    listed = []
    for metric in metrics:
        better = str(not by_name[metric].lower_is_better).lower()
        listed += [f"  - metric: {metric}", "    aggregation: mean", f"    higher_is_better: {better}"]
    lines = [
        f"# {plan.task.title}. Data: {plan.release.label} ({plan.release.record.licence}). Written by "
        f"folkways {__version__}.",
        f"task: {name}",
        "tag: folkways",
        f"custom_dataset: !function {module}.load",
        "test_split: test",
        "doc_to_text: user",
        *how,
        f"process_results: !function {module}.{'judged_likeliest' if likeliest else 'judged'}",
        "metric_list:",
        *listed,
        "metadata:",
        f"  version: {json.dumps(plan.release.fingerprint)}",
        f"  data: {json.dumps(plan.release.label)}",
        f"  {SIGNATURE}: {json.dumps(made)}",
        f"  {STATED}: {json.dumps(scales_of(by_name[metric] for metric in metrics))}",
    ]
    return "\n".join(lines) + "\n"
