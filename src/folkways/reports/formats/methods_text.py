"""The methods section of a paper, written from the signature: what was asked of whom, how it was judged, what
the intervals are."""

from __future__ import annotations

from collections.abc import Callable

from folkways.display import count, one_line, plural
from folkways.reports.formats.citations import citation_key
from folkways.reports.formats.methods import OWN_RULE, in_words, judging
from folkways.reports.formats.summary import listing
from folkways.reports.views.views import ReportView, TaskView

MOST_NAMED = 8
"""Models, languages and wordings that a sentence names; of more it gives the number."""


def methods_paragraph(view: ReportView, task: TaskView, cite: Callable[[str], str] = "({})".format) -> str:
    """How the first scores of a task were made, as a paragraph to put into a paper and to correct there.

    cite: what a citation looks like, given the key of a BibTeX entry (``citations.bibliography``).
    """
    if not task.whole:
        return ""
    first = task.whole[0]
    parts = {key: one_line(value) for key, value in view.made(first.signature).parts.items()}
    sentences = [
        _asked(view, task, parts, cite),
        _settings(parts),
        _judged(task, parts),
        _counted(task, cite),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _some(names: list[str], what: str) -> str:
    return listing(names) if len(names) <= MOST_NAMED else plural(len(names), what)


def _asked(view: ReportView, task: TaskView, parts: dict[str, str], cite: Callable[[str], str]) -> str:
    models = _some([view.short[name] for name in task.models or task.endpoints], "model")
    data = parts.get("data", "").partition("#")[0]
    release = next((release for release in view.data.releases if release.name == data), None)
    key = citation_key(release) if release else None
    source = f", release {data}," if data else ""
    where = f" about {plural(task.cultures, 'culture')}" if task.cultures > 1 else ""
    languages = [in_words("lang", code) for code in parts.get("lang", "").split("+") if code]
    tongues = f" in {_some(languages, 'language')}" if languages else ""
    amount = max(score.questions for score in task.whole)
    variants = [name for name in parts.get("variant", "").split("+") if name]
    wording = f" with {in_words('prompts', parts['prompts'])}" if "prompts" in parts else ""
    if variants:
        wording += f" ({'variant' if len(variants) == 1 else 'variants'} {_some(variants, 'variant')})"
    cited = f" {cite(key)}" if key else ""
    title = one_line(task.title)
    asked = (
        f"We asked {models} the {count(amount)} questions of {title}{cited}{source}{where}{tongues}{wording}"
    )
    return f"{asked.rstrip(',')}."


def _settings(parts: dict[str, str]) -> str:
    told = []
    if parts.get("samples"):
        told.append(f"{parts['samples']} {'reply' if parts['samples'] == '1' else 'replies'} per prompt")
    if parts.get("settings"):
        told.append(f"the settings {in_words('settings', parts['settings'])}")
    if parts.get("system", "task") != "task":
        told.append("a system prompt of our own")
    return f"We took {listing(told)}." if told else ""


def _judged(task: TaskView, parts: dict[str, str]) -> str:
    profile = parts.get("profile", task.profile)
    rule = f"Replies were {judging(profile, task.task) or OWN_RULE} (profile {profile})"
    tools = [
        f"{key.removeprefix('text-')} {value}" for key, value in parts.items() if key.startswith("text-")
    ]
    with_tools = f", with the text tools {_some(tools, 'text tool')}" if tools else ""
    about = one_line(task.metric.about).rstrip(".")
    what = (
        f" The score is {task.metric.label}: {about[:1].lower()}{about[1:]}."
        if about
        else f" The score is {task.metric.label}."
    )
    return f"{rule}{with_tools}.{what}"


def _counted(task: TaskView, cite: Callable[[str], str]) -> str:
    models = [score for score in task.whole if score.profile == task.profile and not score.baseline]
    named = (score.interval for score in task.whole if score.low == score.low)
    methods = listing(list(dict.fromkeys(one_line(name).replace(" 95%", "") for name in named)))
    lost, out = sum(score.lost for score in models), sum(score.left_out for score in models)
    losses = (
        f" {count(lost)} replies never came and count as not right{'' if out else ' too'}." if lost else ""
    )
    rule = (
        f"The profile leaves {count(out)} of {count(sum(score.n for score in models))} replies out of the "
        "score."
        if out
        else "Refusals and replies that could not be read stay in the denominator and count as not right."
    )
    intervals = f" Intervals (95\u202f%): {methods}." if methods else ""
    return f"{rule}{losses}{intervals} Scores were made with folkways {cite('folkways')}."
