"""The signature of a score: everything that decided it, on one line. Same signature, same inputs: same
number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.base import MODEL_ABSENT, Task
from folkways.benchmarks.registry import printed_prompts
from folkways.benchmarks.treatments import without_treatments
from folkways.records import Signature
from folkways.releases.release_records import Release
from folkways.runs.planning.plan import TaskPlan


def signature(
    plan: TaskPlan, asked: pl.DataFrame, settings: Iterable[str], profile: str, served: Iterable[str] = ()
) -> Signature:
    """The signature of all scores of one endpoint on one task of a run, in one profile.

    plan: its task with the models and text tools that it was judged with.
    asked: how its responses were asked for: language, variant, prompt_source; each at least once.
    settings: the sampling settings that were sent, each set as ``name=value`` pairs.
    served: how the model ran, of one that folkways ran itself from a file.
    """
    task, options = plan.task, plan.options
    # Other texts give other numbers, whatever the file is called that the user brought them in.
    texts = options.texts_for(task.name)
    own_texts = f"#{_digest(texts)}" if texts else ""
    parts = {
        "task": task.name,
        "data": f"{plan.release.name}#{plan.release.fingerprint}",
        "lang": "+".join(sorted(asked["language"].unique().to_list())),
        "variant": "+".join(sorted(without_treatments(asked)["variant"].unique().to_list())),
        "prompts": "+".join(_sources(task, asked, texts)) + own_texts,
        "system": "task" if options.system is None else f"own#{_digest(options.system)}",
        "settings": "+".join(sorted(settings)),
        "samples": str(options.samples),
        "profile": profile,
        **_text_tools(task),
        **model_versions(task),
        "seed": str(options.seed),
        "folkways": __version__,
    }
    if options.cultures:
        parts["cultures"] = "+".join(sorted(options.cultures))
    if options.shots:
        parts["shots"] = str(options.shots)
    if options.limit:
        parts["limit"] = str(options.limit)
    if how := "+".join(sorted(served)):
        parts["served"] = how
    if options.treatments:
        parts["treatments"] = f"{'+'.join(sorted(options.treatments))}#{_digest(options.treatments)}"
    if options.until is not None:
        parts["sampling"] = f"until={options.until:g},by={'+'.join(options.strata)}"
    return Signature(parts)


def _sources(task: Task, asked: pl.DataFrame, texts: Mapping[str, str]) -> list[str]:
    """Whose wording the prompts have; of a user's text that the paper prints (``PrintedPrompt.source_of``),
    the paper's."""
    printed = {
        f"file:{prompt.name}": prompt.source_of(texts[prompt.name])
        for prompt in (printed_prompts(task.benchmark) if texts else ())
        if prompt.table == task.name and prompt.name in texts
    }
    sources = asked["prompt_source"].unique().to_list()
    return sorted({printed.get(source.partition("~")[0], source) for source in sources})  # ~ is an order


def same_rule(made: Signature, task: Task, profile: str) -> bool:
    """Whether scores of this signature were made as they would be now: same profile, text tools, models and
    folkways.

    What else a signature tells belongs to the run and never changes.
    """
    names = ("text-", "model", "profile", "folkways")
    now = {"profile": profile, **_text_tools(task), **model_versions(task), "folkways": __version__}
    return {name: part for name, part in made.parts.items() if name.startswith(names)} == now


def signature_of_external_responses(
    task: Task, release: Release, responses: pl.DataFrame, profile: str
) -> Signature:
    """The signature of scores of replies that were made elsewhere, which folkways did not ask for.

    task, release: what they reply to. responses: language, variant and sample of each. profile: that they
    were judged in.
    """
    return Signature(
        {
            "task": task.name,
            "data": f"{release.name}#{release.fingerprint}",
            "lang": "+".join(sorted(responses["language"].unique().to_list())),
            "variant": "+".join(sorted(responses["variant"].unique().to_list())),
            "prompts": "elsewhere",
            "samples": str(responses["sample"].n_unique()),
            "profile": profile,
            **_text_tools(task),
            **model_versions(task),
            "folkways": __version__,
        }
    )


def _text_tools(task: Task) -> dict[str, str]:
    return {f"text-{language}": tool for language, tool in sorted(task.text_tools().items())}


def model_versions(task: Task) -> dict[str, str]:
    """The models that texts are compared with, by role, and where there is none, so that a lacking metric is
    explained."""
    chosen = task.tools.models
    if task.scoring.models and not chosen:
        return {"models": MODEL_ABSENT}
    roles = [role.name for role in task.scoring.models]
    return {f"model-{role}": chosen[role].name if role in chosen else MODEL_ABSENT for role in roles}


def _digest(value: object) -> str:
    return blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=4).hexdigest()
