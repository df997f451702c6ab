"""Multiple-choice items in the released schema: made, written and compared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.build.calls import AnsweredCall, DummyCall
from folkways.benchmarks.blend.build.choosing import OptionSet
from folkways.benchmarks.blend.build.sources import SourceQuestion
from folkways.benchmarks.templates import Template
from folkways.display import plural
from folkways.files import packed, write_bytes
from folkways.records import of_rows
from folkways.releases.cards import eval_yaml, hub_licence
from folkways.releases.release_records import ReleaseRecord

RELEASED = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
"""The columns of the released file, all text; choices and choice_countries are JSON objects by letter."""

LOCAL = ("language", "local_prompt", "local_choices", "wordings")
"""Further columns of items that are also asked in the culture's language, with the same options in the same
order; ``wordings`` says by letter whose words the local ones are in."""

LETTERS = "ABCD"
WRONG_OPTIONS = len(LETTERS) - 1
NOBODY = "dummy"
"""The country of an option that nobody gave."""


def offered(choices: Mapping[str, OptionSet]) -> int:
    """How many wrong answers every item of a question has: as many as the country with the fewest,
    WRONG_OPTIONS at most."""
    return min((*(len(choice.wrong) for choice in choices.values()), WRONG_OPTIONS))


def dummy_call(
    source: SourceQuestion, choices: Mapping[str, OptionSet], refused: Iterable[str] = (), have: int = 0
) -> DummyCall | None:
    """What has to be asked for so that every item has its options; None where there are enough.

    source, choices: the question and its chosen answers by country;
    refused: texts that cannot be taken any more;
    have: how many made-up options there are already.
    """
    lacking = WRONG_OPTIONS - offered(choices) - have
    used = tuple(sorted({*source.annotations, *refused}))
    return DummyCall(source.question, source.text, lacking, used) if lacking > 0 else None


def usable(options: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Options in lower case, distinct, and equal to none of those taken, in any case."""
    excluded = {text.strip().lower() for text in taken}
    lowered = (text.strip().lower() for text in options)
    return tuple(text for text in dict.fromkeys(lowered) if text and text not in excluded)


def items_of(
    source: SourceQuestion, choices: Mapping[str, OptionSet], dummies: Sequence[str], wording: Template
) -> Iterator[tuple[str, ...]]:
    """Rows of RELEASED: for each country and right answer, one per combination of wrong answers.

    source, choices: the question and its chosen answers by country; dummies: made-up options that every item
    gets; wording: prompt with {question} and {choices}. Options are in code-point order of text, then
    country, as in the authors' program; the right letter is the last one whose text is the answer.
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
                    item_prompt(wording, source.texts[country], tuple(texts)),
                    by_letter(texts),
                    by_letter([origin for _, origin in options]),
                    letter,
                )
                number += 1


def table(rows: Iterable[tuple[str, ...]], names: Sequence[str] = RELEASED) -> pl.DataFrame:
    """The rows as a frame of text."""
    columns = zip(*rows, strict=True)
    return pl.DataFrame(dict(zip(names, columns, strict=False)), schema=dict.fromkeys(names, pl.String))


def item_prompt(wording: Template, question: str, texts: tuple[str, ...]) -> str:
    """The prompt of an item with its options, lettered."""
    lettered = "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)])
    head, middle, tail = _cut(wording, question)
    return f"{head}{lettered}{tail}" if middle else head


@lru_cache(maxsize=64)
def _cut(wording: Template, question: str) -> tuple[str, str, str]:
    """The prompt of a question before and after its options, which are put in 70,000 times."""
    return wording.fill({"question": question, "choices": "{choices}"}).partition("{choices}")


def by_letter(texts: Sequence[str]) -> str:
    """Texts by letter as a JSON object, laid out as the released ones."""
    lines = ",\n".join(
        [f'    "{letter}": {_quoted(text)}' for letter, text in zip(LETTERS, texts, strict=False)]
    )
    return f"{{\n{lines}\n}}"


@lru_cache(maxsize=10_000)
def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


CONFIG = "multiple-choice-questions"
"""The name of the configuration on the hub."""

LETTER = r'(?:"answer_choice"\s*:\s*"|^\s*)([A-D])\b'
"""Where a reply names its letter, for those who score it by a pattern alone."""


def write_released(items: pl.DataFrame, path: Path) -> Path:
    """All columns as CSV, byte for byte in the released dialect: UTF-8, quotes where needed, lines that end
    in CR LF."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(items.columns)
    writer.writerows(items.iter_rows())
    return write_bytes(path, text.getvalue().encode())


def write_calls(calls: Iterable[AnsweredCall], path: Path) -> Path:
    """One JSON object per line and call, in the order in which the construction made them."""
    lines = (
        orjson.dumps({"call": number, **_call_record(answered)}) for number, answered in enumerate(calls, 1)
    )
    return write_bytes(path, b"".join(line + b"\n" for line in lines))


def write_hub(
    items: pl.DataFrame, folder: Path, kind: str, release: ReleaseRecord, record: Mapping[str, Any]
) -> list[Path]:
    """Write the layout of the hub into ``folder``: a data card, the items and eval.yaml; returns the files.

    kind: ``parquet`` or ``jsonl``; release: that the answers are from; record: how the items were made.
    """
    data = folder / CONFIG / f"test-00000-of-00001.{kind}"
    card = _card(items, data.relative_to(folder).as_posix(), release, record)
    contents = {
        folder / "README.md": card.encode(),
        data: packed(items, kind),
        folder / "eval.yaml": _registration(items, release),
    }
    return [write_bytes(path, content) for path, content in contents.items()]


def _registration(items: pl.DataFrame, release: ReleaseRecord) -> bytes:
    """The ``eval.yaml``: the prompts as they are, and the letter that Inspect finds in a reply's JSON, or at
    its beginning."""
    task = {
        "id": "mcq",
        "config": CONFIG,
        "split": "test",
        "field_spec": {"input": "prompt", "target": "answer_idx"},
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": LETTER}}],
    }
    about = (
        f"{plural(items.height, 'multiple-choice question')} on everyday life in "
        f"{plural(items['country'].n_unique(), 'country or region', 'countries or regions')}."
    )
    return eval_yaml(f"Everyday life, made from {release.name}", about, task).encode()


def _call_record(answered: AnsweredCall) -> dict[str, Any]:
    answer: Any = answered.answer
    if isinstance(answer, frozenset):
        answer = sorted(answer)
    elif isinstance(answer, tuple):
        answer = [sorted(part) if isinstance(part, frozenset) else part for part in answer]
    fields = {name: value for name, value in asdict(answered.call).items() if name != "text"}
    return {"kind": answered.call.kind, **fields, "answer": answer}


UNLISTED = ("left_out", "blind_guesses")
"""What of the record is too long for the card's table."""


def _card(items: pl.DataFrame, data: str, release: ReleaseRecord, record: Mapping[str, Any]) -> str:
    made = "\n".join(f"| {name} | {_cell(value)} |" for name, value in record.items() if name not in UNLISTED)
    left_out = "\n".join(f"- {what}: {why}" for what, why in record["left_out"].items()) or "Nothing."
    counts = items.group_by("country", maintain_order=True).agg(pl.len().alias("n"))
    table = "\n".join(f"| {country} | {number:,} |" for country, number in counts.iter_rows())
    languages = "\n".join(f"- {code}" for code in ("en", *record.get("languages", ())))
    return f"""---
license: {hub_licence(release.licence)}
language:
{languages}
task_categories:
- multiple-choice
configs:
- config_name: {CONFIG}
  data_files:
  - split: test
    path: {data}
---

# Multiple-choice questions on everyday life, made from {release.name}

{plural(items.height, "item")} of {plural(record["questions"], "question")} in the schema of BLEnD's \
multiple-choice release: `{"`, `".join(items.columns)}`.
`choices` (letter to text) and `choice_countries` (letter to the country whose people gave it; `dummy` \
for nobody) are JSON objects,
`answer_idx` is the right letter. Wrong options are what people of other countries answered to the same \
question.

## How it was made

| | |
|---|---|
{made}

Left out:

{left_out}

| country | items |
|---|---|
{table}

## Whose answers these are

The answers were collected and published by the authors of the release {release.name} \
({release.homepage or "no homepage known"}),
under the licence {release.licence}; what is made from them is under the same terms and names them.

```bibtex
{release.citation or "% the release names no citation"}
```
"""


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text.replace("|", "\\|").replace("\n", " ")


ITEM = ("ID", "country", "answer", "options")
"""What an item is, whatever its id: question, country, the right answer, and the options in any order."""


@dataclass(frozen=True, slots=True)
class BuildAgreement:
    """Items of two builds.

    first, second, common: numbers of distinct items.
    questions: in either.
    equal_questions: with the same items in both.
    by_question: ID, first, second, common.
    """

    first: int
    second: int
    common: int
    questions: int
    equal_questions: int
    by_question: pl.DataFrame

    @property
    def jaccard(self) -> float:
        """Share of common items among those of either build; 1 where neither has any."""
        either = self.first + self.second - self.common
        return self.common / either if either else 1.0


def agreement(first: pl.DataFrame, second: pl.DataFrame) -> BuildAgreement:
    """Compare two tables of items.RELEASED."""
    one, other = canonical(first), canonical(second)
    common = one.join(other, on=list(ITEM), how="inner")
    counts = [
        frame.group_by("ID").agg(pl.len().alias(name))
        for name, frame in (("first", one), ("second", other), ("common", common))
    ]
    by_question = counts[0]
    for count in counts[1:]:
        by_question = by_question.join(count, on="ID", how="full", coalesce=True)
    by_question = by_question.fill_null(0).sort("ID")
    equal = by_question.filter(pl.col("first") == pl.col("common"), pl.col("second") == pl.col("common"))
    return BuildAgreement(
        one.height, other.height, common.height, by_question.height, equal.height, by_question
    )


def canonical(items: pl.DataFrame) -> pl.DataFrame:
    """The distinct items as ITEM, the options as one sorted JSON list."""
    rows = set()
    for question, country, choices, letter in items.select(
        "ID", "country", "choices", "answer_idx"
    ).iter_rows():
        options = orjson.loads(choices)
        rows.add((question, country, options[letter], orjson.dumps(sorted(options.values())).decode()))
    return of_rows(sorted(rows), dict.fromkeys(ITEM, pl.String))
