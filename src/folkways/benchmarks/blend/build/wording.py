"""The wording of the questions: ours, or that of a released file, taken over from it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.sources import Source
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.templates import Template, wordings
from folkways.cultures import get_culture
from folkways.errors import FolkwaysError
from folkways.releases.release_records import Release

BRACED = re.compile(r"\{(\w+)\}")
"""What a template would take for a part."""


def own_wording() -> Template:
    """Our prompt of an item, with {question} and {choices}."""
    return Template(wordings("folkways.benchmarks.blend")["build"]["item"], "folkways")


def released_wording(name: str, sources: Sequence[Source]) -> Template:
    """The prompt of released questions, with {question} and {choices} in place of its parts.

    name: a release or a folder. The prompt is found by a question that is there and here.
    FolkwaysError where there is none, or nothing to read.
    """
    texts = {(source.question, country): text for source in sources for country, text in source.texts.items()}
    for batch in blend.read_mcq_batches(_release(name)):
        for key, code, prompt, labels, choices in batch.select(
            "id", "culture", "prompt", "labels", "choices"
        ).iter_rows():
            question = texts.get((key, get_culture(code).names["blend"]))
            lettered = "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))
            if question and prompt.count(question) == 1 and prompt.count(lettered) == 1:
                literal = BRACED.sub(
                    r"{{\1}}", prompt.replace(lettered, "\0").replace(question, "\1")
                )  # what is sent as it is
                return Template(
                    literal.replace("\0", "{choices}").replace("\1", "{question}"), f"release:{name}"
                )
    raise FolkwaysError(
        f"the wording of {name} cannot be taken over: no question has the same text there and here\n"
        "Give the question texts that it was made with (--question-text), or leave --wording-of out"
    )


def _release(name: str) -> Release:
    release = open_release(name, "blend")
    if not blend.has(release, "mcq"):
        raise FolkwaysError(
            f"release {release.name} has no multiple-choice questions to take a wording from; try "
            "--wording-of blend-mcq"
        )
    return release
