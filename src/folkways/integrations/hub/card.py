"""The card of a run's judgements on the hub: what is in them, the scores they come to, how they were made,
and their licences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from folkways.benchmarks.registry import benchmarks, get_task
from folkways.display import count, interval, number, percent, plural, shown_n
from folkways.integrations.stored_run import StoredRun
from folkways.records import State, Subject
from folkways.releases.cards import front_matter, hub_licence, size_category
from folkways.reports.formats.markdown import code, escape, fenced, table

MARK = "folkways-judgements"
"""A tag that cards of runs have and no other card."""

HOMEPAGE = "https://github.com/folkways/folkways"

REPEATED = (
    *(
        "cultures",
        "languages",
        "variants",
        "limit",
        "samples",
        "seed",
        "system",
        "settings",
        "max-tokens",
        "permute-options",
    ),
    *("until", "strata", "profile"),
)
"""Keys of a recipe that decide what is asked and name nothing of the machine it was asked from."""

_LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True)
class Configuration:
    """One task's judgements. languages: ``language`` and ``len``, the rows in it."""

    name: str
    task: str
    languages: pl.DataFrame

    @property
    def rows(self) -> int:
        """How many judgements there are."""
        return int(self.languages["len"].sum())


def card(
    run: StoredRun, names: Mapping[str, str], scores: pl.DataFrame, made: Sequence[Configuration]
) -> str:
    """The README: YAML that the hub reads, then what people want to know.

    names: endpoint -> what it is called in the files. scores: records.SCORES with ``subject`` and ``model``.
    """
    asked = list(dict.fromkeys(get_task(each.task).benchmark for each in made))
    began = datetime.fromtimestamp(run.run.created, UTC)
    titles = [benchmarks()[name].title for name in asked]
    title = f"Judgements of {plural(len(run.models), 'model')} on {', '.join(titles)}"
    parts = [
        _front(run, made, title, asked),
        f"# {escape(title)}",
        f"Run {code(run.run.name)}, begun on {began:%Y-%m-%d}, asked by [folkways]({HOMEPAGE}) "
        f"{escape(run.run.version)}. "
        "A row is the judgement of one reply: which item in which language and wording, how it ended, "
        "and what it is worth.",
        *_unfinished(run),
        *_contents(run, made, scores),
        *_scores(run, made, scores),
        *_how(run, names, scores),
        *_licences(run, made),
    ]
    return "\n\n".join(parts) + "\n"


def _front(run: StoredRun, made: Sequence[Configuration], title: str, asked: Sequence[str]) -> str:
    inside = [
        hub_licence(run.record(each.task).licence) for each in made if run.why_items_stay(each.task) is None
    ]
    languages = sorted({name for each in made for name in each.languages["language"]})
    configs = ["scores", *(each.name for each in made)]
    fields = {
        "license": list(dict.fromkeys(inside)) or ["unknown"],
        "language": [name for name in languages if _LANGUAGE.fullmatch(name)],
        "pretty_name": title,
        "tags": ["folkways", MARK, "evaluation", "culture", *asked],
        "size_categories": [size_category(sum(each.rows for each in made))],
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test-*.parquet"}]}
            for name in configs
        ],
    }
    return front_matter({name: value for name, value in fields.items() if value}).rstrip("\n")


def _unfinished(run: StoredRun) -> Iterator[str]:
    if run.run.state != "finished":
        why = escape(run.without_hosts(run.run.reason) or run.run.state)
        yield (
            f"> **Not everything has a reply** ({why}). What has none stays in the denominators, and "
            "counts as nothing."
        )


def _contents(run: StoredRun, made: Sequence[Configuration], scores: pl.DataFrame) -> Iterator[str]:
    rows = [
        [code("scores"), count(scores.height), "every score with interval, counts, coverage and signature"]
    ]
    for each in made:
        what = (
            "items, replies and verdicts"
            if run.why_items_stay(each.task) is None
            else "ids and verdicts alone"
        )
        rows.append([code(each.name), count(each.rows), f"{escape(get_task(each.task).title)}: {what}"])
    yield "## What is in it"
    yield table(["Configuration", "Rows", "Holds"], rows, numeric={1})
    yield (
        "`state` says how an item ended: answered, refused, unreadable, truncated, failed or missing. "
        "`counted` is false where the "
        "benchmark's rule takes the item out of the denominator. `question` is what is sampled "
        "independently: intervals are "
        "clustered by it. A metric is null where it does not apply. `response` is what the model said, "
        "exactly: do not trust it."
    )
    for each in made:
        if why := run.why_items_stay(each.task):
            record = run.record(each.task)
            reason = "nobody has said what its licence is" if record.items_may_leave is None else escape(why)
            yield (
                f"**{escape(each.task)}**: questions, prompts, answers and replies of "
                f"{escape(record.name)} are not here, because "
                f"{reason}. Ids lead to the items for those who have the data."
            )


def _scores(run: StoredRun, made: Sequence[Configuration], scores: pl.DataFrame) -> Iterator[str]:
    yield "## Scores"
    for each in made:
        metric = get_task(each.task).metrics[0]
        rows = scores.filter(pl.col("facet") == "all", task=each.task, metric=metric.name)
        several = rows["profile"].n_unique() > 1
        shown = [
            [
                escape(row["model"]) + ("" if row["subject"] == Subject.MODEL else f" ({row['subject']})"),
                *([escape(row["profile"])] if several else []),
                number(row["score"]),
                interval(row["low"], row["high"], " to "),
                shown_n(row["n"], row["left_out"], row["effective_questions"]),
                count(row[State.FAILED.value] + row[State.MISSING.value]),
                percent(row["coverage"]),
            ]
            for row in rows.iter_rows(named=True)
        ]
        head = [
            "Model",
            *(["Profile"] if several else []),
            "Score",
            "95 % interval",
            "n",
            "Without a reply",
            "Coverage",
        ]
        yield f"### {escape(get_task(each.task).title)} ({code(each.task)})"
        profiles = ", ".join(code(name) for name in rows["profile"].unique(maintain_order=True))
        yield f"{escape(metric.label)}, profile {profiles}. {escape(metric.about)}"
        if part := run.part_of_whole(each.task):
            yield f"**Not the whole benchmark**: {escape('; '.join(part))}."
        yield table(head, shown, numeric=set(range(len(head) - 5, len(head))))


def _how(run: StoredRun, names: Mapping[str, str], scores: pl.DataFrame) -> Iterator[str]:
    models = scores.filter(subject=Subject.MODEL.value)
    made = models.select("task", "model", "signature").unique(maintain_order=True).iter_rows()
    yield "## How it was made"
    yield "Same signature, same inputs: same number."
    yield "\n".join(f"- {code(task)}, {escape(model)}: {code(signature)}" for task, model, signature in made)
    if run.run.recipe is not None:
        recipe = run.run.recipe
        yield "### Ask the same"
        left_out = " Its own wording of the prompts is not in it." if "prompts" in recipe else ""
        yield (
            "Save this as `recipe.toml`, with the names of your endpoints as models, and run it: `pip "
            "install folkways`, "
            f"`folkways run recipe.toml`.{left_out}"
        )
        yield fenced(_recipe(run, names), "toml")


def _recipe(run: StoredRun, names: Mapping[str, str]) -> str:
    import tomlkit

    recipe = run.run.recipe or {}
    named = {asked.task.split("/")[0]: asked.release.replace("dir:", "./") for asked in run.tasks.values()}
    kept = {name: recipe[name] for name in REPEATED if name in recipe}
    told = {"tasks": recipe["tasks"], "models": [*names.values()], **kept, "releases": named}
    return tomlkit.dumps(told).strip()


def _licences(run: StoredRun, made: Sequence[Configuration]) -> Iterator[str]:
    yield "## Data, licences, citations"
    known = benchmarks()
    for record in {run.record(each.task).name: run.record(each.task) for each in made}.values():
        home = f", <{record.homepage}>" if record.homepage else ""
        yield (
            f"**{escape(record.name)}**: {escape(record.licence)}{home}. "
            f"{escape(known[record.benchmark].caution)}"
        ).strip()
        if record.citation:
            yield fenced(record.citation, "bibtex")
    yield "What models said is under whatever terms their makers set for it."
