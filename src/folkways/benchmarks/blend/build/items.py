"""From chosen answers to items: combinations, letters, ids and texts in the schema of the released file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import polars as pl

from folkways.benchmarks.blend.build.calls import DummyCall
from folkways.benchmarks.blend.build.paper import Choice
from folkways.benchmarks.blend.build.sources import Source
from folkways.benchmarks.templates import Template

RELEASED = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
"""The columns of the released file, all text; choices and choice_countries are JSON objects by letter."""

LETTERS = "ABCD"
WRONG_OPTIONS = len(LETTERS) - 1
NOBODY = "dummy"
"""The country of an option that nobody gave."""

Option = tuple[str, str]
"""Text and country."""


def offered(choices: Mapping[str, Choice]) -> int:
    """How many wrong answers every item of a question has: as many as the country with the fewest,
    WRONG_OPTIONS at most."""
    return min((*(len(choice.wrong) for choice in choices.values()), WRONG_OPTIONS))


def dummy_call(
    source: Source, choices: Mapping[str, Choice], refused: Iterable[str] = (), have: int = 0
) -> DummyCall | None:
    """What has to be asked for so that every item has its options; None where there are enough.

    refused: texts that cannot be taken any more; have: how many made-up options there are already.
    """
    lacking = WRONG_OPTIONS - offered(choices) - have
    taken = tuple(sorted({*source.annotations, *refused}))
    return DummyCall(source.question, source.text, lacking, taken) if lacking > 0 else None


def usable(options: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Options in lower case, distinct, and equal to none of those taken, in any case."""
    known = {text.strip().lower() for text in taken}
    lowered = (text.strip().lower() for text in options)
    return tuple(text for text in dict.fromkeys(lowered) if text and text not in known)


def items_of(
    source: Source, choices: Mapping[str, Choice], dummies: Sequence[str], wording: Template
) -> Iterator[tuple[str, ...]]:
    """Rows of RELEASED: for each country and right answer, one per combination of wrong answers.

    The options stand in code-point order of text, then country, as in the authors' program; the right letter
    is the last one whose text is the answer. Ids run over the question.
    """
    size = offered(choices)
    number = 0
    fillers = [(text, NOBODY) for text in dummies]
    for country, choice in choices.items():
        wrong = [(text, other) for other, text in choice.wrong.items()]
        for answer in choice.right:
            always = [(answer, country), *fillers]
            for combination in combinations(wrong, size):
                options = sorted([*combination, *always])
                texts = [text for text, _ in options]
                letter = LETTERS[len(texts) - 1 - texts[::-1].index(answer)]
                yield (
                    f"{source.question}_{number}",
                    source.question,
                    country,
                    _prompt(wording, source.texts[country], tuple(texts)),
                    _by_letter(texts),
                    _by_letter([place for _, place in options]),
                    letter,
                )
                number += 1


def table(rows: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    """RELEASED as a frame."""
    columns = zip(*rows, strict=True)
    return pl.DataFrame(dict(zip(RELEASED, columns, strict=False)), schema=dict.fromkeys(RELEASED, pl.String))


def _prompt(wording: Template, question: str, texts: tuple[str, ...]) -> str:
    lettered = "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)])
    head, middle, tail = _cut(wording, question)
    return f"{head}{lettered}{tail}" if middle else head


@lru_cache(maxsize=64)
def _cut(wording: Template, question: str) -> tuple[str, str, str]:
    """The prompt of a question before and after its options, which are put in 70,000 times."""
    return wording.fill({"question": question, "choices": "{choices}"}).partition("{choices}")


def _by_letter(texts: Sequence[str]) -> str:
    lines = ",\n".join(
        [f'    "{letter}": {_quoted(text)}' for letter, text in zip(LETTERS, texts, strict=False)]
    )
    return f"{{\n{lines}\n}}"


@lru_cache(maxsize=10_000)
def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
