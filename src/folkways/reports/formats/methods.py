"""The methods section: signatures in words, and citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from folkways import __version__
from folkways.benchmarks.registry import tasks
from folkways.cultures import language_name
from folkways.display import count, plural, single_line
from folkways.evidence.conditions import SignatureParts
from folkways.names import culture_name
from folkways.records import Signature
from folkways.releases.release_records import ReleaseRecord
from folkways.reports.formats.summary import listing
from folkways.reports.views.views import ReportView, TaskView

MOST_NAMED = 8
"""Models, languages and wordings that a sentence lists; it only counts more of them."""


def methods_paragraph(view: ReportView, task: TaskView, cite: Callable[[str], str] = "({})".format) -> str:
    """How the first scores of a task were made, as a draft for the methods section of a paper.

    cite: formats a citation from the key of a BibTeX entry (``bibliography``).
    """
    if not task.whole:
        return ""
    made = {
        view.short[score.endpoint]: {
            key: single_line(value) for key, value in view.made(score.signature).parts.items()
        }
        for score in task.whole
        if score.profile == task.profile and score.endpoint in (task.models or task.endpoints)
    }
    sentences = [
        _asked(view, task, made, cite),
        _settings(made),
        _judged(task, next(iter(made.values()), {})),
        _counted(view, task, cite),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


ModelSignatures = Mapping[str, SignatureParts]
"""Short name of a model -> the parts of its signature."""


def _parts(made: ModelSignatures, name: str) -> list[str]:
    """What the signatures have in a part that lists several, each once."""
    return [
        *dict.fromkeys(word for parts in made.values() for word in parts.get(name, "").split("+") if word)
    ]


def _some(names: list[str], what: str) -> str:
    return listing(names) if len(names) <= MOST_NAMED else plural(len(names), what)


def _asked(view: ReportView, task: TaskView, made: ModelSignatures, cite: Callable[[str], str]) -> str:
    models = _some([view.short[name] for name in task.models or task.endpoints], "model")
    names = [*dict.fromkeys(parts["data"].partition("#")[0] for parts in made.values() if parts.get("data"))]
    used = [release for release in view.data.releases if release.name in names]
    keys = dict.fromkeys(key for release in used if (key := citation_key(release)))
    revisions = {release.name: release.revision[:12] for release in used}
    followed = [
        f"{name} at {at}"
        if (at := revisions.get(name)) and not at.startswith(name.rpartition("@")[2])
        else name
        for name in names  # of a branch
    ]
    source = f", release{'s' * (len(names) > 1)} {listing(followed)}," if names else ""
    where = f" about {plural(task.cultures, 'culture')}" if task.cultures > 1 else ""
    languages = [in_words("lang", code) for code in _parts(made, "lang")]
    tongues = f" in {_some(languages, 'language')}" if languages else ""
    amount = max(score.questions for score in task.whole)
    variants, prompts = _parts(made, "variant"), _parts(made, "prompts")
    wording = f" with {in_words('prompts', '+'.join(prompts))}" if prompts else ""
    if variants:
        wording += f" ({'variant' if len(variants) == 1 else 'variants'} {_some(variants, 'variant')})"
    cited = "".join(f" {cite(key)}" for key in keys)
    title = single_line(task.title)
    sentence = (
        f"We asked {models} the {count(amount)} questions of {title}{cited}{source}{where}{tongues}{wording}"
    )
    return f"{sentence.rstrip(',')}."


def _settings(made: ModelSignatures) -> str:
    ways: dict[str, list[str]] = {}
    for model, parts in made.items():
        phrases = []
        if samples := parts.get("samples"):
            phrases.append(f"{samples} {'reply' if samples == '1' else 'replies'} per prompt")
        if parts.get("settings"):
            phrases.append(f"the settings {in_words('settings', parts['settings'])}")
        if parts.get("system", "task") != "task":
            phrases.append("a system prompt of our own")
        if phrases:
            ways.setdefault(listing(phrases), []).append(model)
    if [*map(len, ways.values())] == [len(made)]:
        return f"We took {next(iter(ways))}."
    whose = [f"{way} for {_some(models, 'model')}" for way, models in ways.items()]
    return f"We took {'; '.join(whose)}." if whose else ""


def _judged(task: TaskView, parts: Mapping[str, str]) -> str:
    profile = parts.get("profile", task.profile)
    rule = f"Replies were {judging(profile, task.task) or OWN_RULE} (profile {profile})"
    tools = [
        f"{key.removeprefix('text-')} {value}" for key, value in parts.items() if key.startswith("text-")
    ]
    with_tools = f", with the text tools {_some(tools, 'text tool')}" if tools else ""
    about = single_line(task.metric.explained).rstrip(".")
    what = (
        f" The score is {task.metric.label}: {about[:1].lower()}{about[1:]}."
        if about
        else f" The score is {task.metric.label}."
    )
    return f"{rule}{with_tools}.{what}"


def _counted(view: ReportView, task: TaskView, cite: Callable[[str], str]) -> str:
    models = [score for score in task.whole if score.profile == task.profile and not score.baseline]
    named = (score.interval for score in task.whole if score.low == score.low)
    methods = listing(list(dict.fromkeys(single_line(name).replace(" 95%", "") for name in named)))
    lost = sum(score.lost for score in models if score.lost < score.n)
    out = sum(score.left_out for score in models)
    of_opinions = task.metric.kind == "distribution"
    worth = "as unlike those of people" if of_opinions else f"as not right{'' if out else ' too'}"
    unit = ("answer",) if task.metric.per == "question" else ("reply", "replies")  # of several replies
    losses = f" {plural(lost, *unit)} never came and count{'s' * (lost == 1)} {worth}." if lost else ""
    if out:
        whole = count(sum(score.n for score in models))
        rule = f"The profile leaves {count(out)} of {whole} replies out of the score."
    elif of_opinions:
        rule = "Replies without an opinion do not count."
    else:
        rule = "Refusals and replies that could not be read stay in the denominator and count as not right."
    if silent := [view.short[score.endpoint] for score in models if 0 < score.n == score.lost]:
        losses += (
            f" {_some(silent, 'model')} never replied and {'has' if len(silent) == 1 else 'have'} no score."
        )
    intervals = f" Intervals (95\u202f%): {methods}." if methods else ""
    return f"{rule}{losses}{intervals} Scores were made with folkways {cite('folkways')}."


SOFTWARE = f"""@misc{{folkways,
  title = {{folkways}},
  author = {{{{The folkways developers}}}},
  howpublished = {{Software}},
  note = {{Version {__version__}, Apache-2.0}},
  url = {{https://github.com/folkways/folkways}},
}}"""
"""Every style of BibTeX and biblatex knows ``misc``; ``plain`` and its like do not know ``software``."""

_KEY = re.compile(r"@\w+\s*\{\s*([^,\s{}]+)\s*,")


def citation_key(release: ReleaseRecord) -> str | None:
    """The key of the release's BibTeX entry; None without a valid one."""
    match = _KEY.search(release.citation or "")
    return match[1] if match else None


def bibliography(releases: Sequence[ReleaseRecord]) -> str:
    """An entry for each work, folkways first; releases of the same data share one."""
    entries = {"folkways": SOFTWARE}
    for release in releases:
        key = citation_key(release)
        if key is not None:
            entries.setdefault(key, release.citation.strip())
    return "\n\n".join(entries.values()) + "\n"


PROFILES = {
    "paper": "judged as the authors’ own code does, its known defects included, so that published figures "
    "can be compared with",
    "strict": "judged by the authors’ rule with its known defects fixed",
    "lenient": "judged by the first unambiguous label in a reply, wherever it stands",
}

OWN_RULE = "judged by the rule of the task"
"""For tasks without a paper."""


def judging(profile: str, task: str) -> str:
    """The meaning of a profile in words; empty for profiles that only the task has."""
    task_of_name = tasks().get(task)
    return (
        OWN_RULE
        if task_of_name is not None and "paper" not in task_of_name.scoring.profiles
        else PROFILES.get(profile, "")
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
    "runs": ("Runs", "what several of them asked, taken together: {}"),
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
    """(heading, words) for each part of a signature; parts without words keep their key and value."""
    explained = []
    parts = signature.parts
    for key, value in parts.items():
        if key == "task":
            continue  # the heading of the section already says it
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
    """How the headline scores were made: (heading, [(words, tasks)]), where ``tasks`` is empty if the words
    hold for all tasks.

    Tasks are named by their titles, or by the marks of their signatures if these differ within a task.
    """
    rows: dict[str, dict[str, list[str]]] = {}
    of_task = {
        task.title: list(dict.fromkeys(score.signature for score in task.whole)) for task in view.tasks
    }
    for task in view.tasks:
        for score in task.whole:
            parts = [*explain(view.made(score.signature)), ("Intervals", score.interval)]
            for heading, words in parts:
                whose = rows.setdefault(heading, {}).setdefault(words, [])
                if score.signature not in whose:
                    whose.append(score.signature)
    every = sum(len(signatures) for signatures in of_task.values())
    return [
        (
            heading,
            [
                (words, "" if len(whose) == every else _whose(view, of_task, whose))
                for words, whose in values.items()
            ],
        )
        for heading, values in rows.items()
    ]


def _whose(view: ReportView, of_task: Mapping[str, Sequence[str]], signatures: Sequence[str]) -> str:
    whole = [title for title, its_signatures in of_task.items() if set(its_signatures) <= set(signatures)]
    named = {signature for title in whole for signature in of_task[title]}
    return ", ".join(
        [*whole, *(view.signatures[signature] for signature in signatures if signature not in named)]
    )


def in_words(key: str, value: str) -> str:
    """A value of a signature in words: names for codes of languages and cultures, commas for plus signs."""
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
