"""The methods section: what a signature says, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from folkways.benchmarks.registry import tasks
from folkways.cultures import language_name
from folkways.names import culture_name
from folkways.records import Signature
from folkways.reports.views.views import ReportView

PROFILES = {
    "paper": "judged as the authors’ own code does, its known defects included, so that published figures "
    "can be compared with",
    "strict": "judged by the authors’ rule with its known defects fixed",
    "lenient": "judged by the first unambiguous label in a reply, wherever it stands",
}

OWN_RULE = "judged by the rule of the task"
"""Of a task behind which no paper and no authors stand."""


def judging(profile: str, task: str) -> str:
    """What a profile of a task means, in words; empty for a profile of the task's own."""
    known = tasks().get(task)
    return (
        OWN_RULE if known is not None and "paper" not in known.scoring.profiles else PROFILES.get(profile, "")
    )


SENTENCES = {
    "data": ("Data", "the release {}; the digits after # are a checksum of the files that were read"),
    "lang": ("Languages", "{}"),
    "variant": ("Prompts", "asked in these wordings: {}"),
    "prompts": ("Prompt text", "{}"),
    "system": ("System prompt", "{}"),
    "settings": ("Sampling", "{}"),
    "samples": ("Samples", "replies to each prompt: {}"),
    "seed": ("Seed", "random draws began from {}"),
    "folkways": ("Software", "folkways {}"),
    "cultures": ("Cultures", "only {}"),
    "models": ("Models", "no language model to compare texts with; the metrics that need one are not there"),
    "limit": ("Limit", "at most {} items of the task, spread over cultures and drawn by the seed"),
    "served": ("Model file", "run by folkways itself from {}"),
    "aggregation": ("Aggregation", "{}"),
}

PROMPT_SOURCES = {
    "release": "the authors’ wording",
    "folkways": "the wording that folkways ships",
    "file": "wording from the user’s file",
    "elsewhere": "asked elsewhere, not by folkways",
}
SYSTEM_PROMPTS = {"own": "one of the user’s own", "task": "what the task prescribes, if anything"}


def explain(signature: Signature) -> list[tuple[str, str]]:
    """What each part of a signature says: (heading, words). Parts without words of their own are given as
    they are."""
    explained = []
    parts = signature.parts
    for key, value in parts.items():
        if key == "task":
            continue  # the section it stands in already says so
        heading, words = SENTENCES.get(key, (key.replace("_", " ").capitalize(), "{}"))
        if key == "profile":
            heading, words = (
                "Judging",
                f"profile {{}}: {judging(value, parts.get('task', '')) or 'a profile of this task’s own'}",
            )
        elif key.startswith("text-"):
            heading = f"Text, {language_name(key.removeprefix('text-'))}"
        elif key.startswith("model-"):
            heading = f"Model, {key.removeprefix('model-')}"
        explained.append((heading, words.replace("{}", in_words(key, value) or "none")))
    return explained


def method_rows(view: ReportView) -> list[tuple[str, list[tuple[str, str]]]]:
    """How the headline scores were made: (heading, [(words, whose)]), whose empty where it holds for every
    task.

    Tasks are named by their titles, or where signatures of one task differ by the marks of these.
    """
    told: dict[str, dict[str, list[str]]] = {}
    of_task = {
        task.title: list(dict.fromkeys(score.signature for score in task.whole)) for task in view.tasks
    }
    for task in view.tasks:
        for score in task.whole:
            parts = [*explain(view.made(score.signature)), ("Intervals", score.interval)]
            for heading, words in parts:
                whose = told.setdefault(heading, {}).setdefault(words, [])
                if score.signature not in whose:
                    whose.append(score.signature)
    every = sum(len(signatures) for signatures in of_task.values())
    return [
        (
            heading,
            [
                (words, "" if len(whose) == every else _whose(view, of_task, whose))
                for words, whose in found.items()
            ],
        )
        for heading, found in told.items()
    ]


def _whose(view: ReportView, of_task: Mapping[str, Sequence[str]], signatures: Sequence[str]) -> str:
    whole = [title for title, own in of_task.items() if set(own) <= set(signatures)]
    named = {signature for title in whole for signature in of_task[title]}
    return ", ".join(
        [*whole, *(view.signatures[signature] for signature in signatures if signature not in named)]
    )


def in_words(key: str, value: str) -> str:
    """A signature's value as people say it: names for language and culture codes, commas for plus signs."""
    parts = value.split("+")
    if key == "lang":
        return ", ".join(language_name(code) for code in parts)
    if key == "cultures":
        return ", ".join(culture_name(code) for code in parts)
    if key == "prompts":
        return ", ".join(
            PROMPT_SOURCES.get(part.split(":")[0], part) + part[len(part.split(":")[0]) :] for part in parts
        )
    if key == "system":
        kind, separator, digest = value.partition("#")
        return SYSTEM_PROMPTS.get(kind, kind) + (f" (its checksum: {digest})" if separator else "")
    return ", ".join(parts) if key == "variant" else value.replace(",", ", ") if key == "settings" else value
