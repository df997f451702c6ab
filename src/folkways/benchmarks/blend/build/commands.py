"""``folkways build mcq`` and ``mcq-agreement``: their options, what they write and what they say.

What builds is imported when a command runs: a benchmark declares its builders whenever it is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from folkways.benchmarks.build import Builder, BuildResult, BuildSession, Option
from folkways.benchmarks.printed_prompts import PROMPTS_OPTION
from folkways.cultures import language_name
from folkways.display import plural
from folkways.errors import FolkwaysError, quoted
from folkways.files import json_bytes, write_bytes

FILE_NAME = "mc_questions_file.csv"


def build_mcq(
    session: BuildSession, *, out: Path, calls: Path | None, hub: Path | None, hub_format: str, **options: Any
) -> BuildResult:
    """Build questions and write them to ``out``.

    session: opens models; calls: file for every call, or None; hub: folder for the layout of the hub, or
    None, with data as ``hub_format``; options: those of ``make_questions``. FolkwaysError where no question
    is left.
    """
    from folkways.benchmarks.blend.build.items import write_calls, write_hub, write_released
    from folkways.benchmarks.blend.build.make import make_questions

    made = make_questions(session, **options)
    built, record = made.built, made.record
    left_out = [*_left_out(record)]
    if built.items.is_empty():
        raise FolkwaysError("\n".join(["no question is left, and nothing was written", *left_out]))
    files = [
        write_released(built.items, out),
        write_bytes(out.with_suffix(".build.json"), json_bytes(record)),
    ]
    if calls is not None:
        files.append(write_calls(built.calls, calls))
    if hub is not None:
        files += write_hub(built.items, hub, hub_format, made.release.record, record)
    summary = (
        f"{plural(record['items'], 'item')} of {plural(record['questions'], 'question')}; "
        f"{plural(record['judge_calls'], 'judge call')}, {plural(record['dummy_calls'], 'call')} for "
        "made-up options" + (f", {built.ahead:,} asked ahead in vain" if built.ahead else "")
    )
    notes = [*left_out, *_on_languages(record)]
    if out.name == FILE_NAME:
        notes.append(f"to ask it: folkways run blend/mcq --release {quoted(out.parent)} --model NAME")
    return BuildResult((summary,), notes, files)


def _left_out(record: Mapping[str, Any]) -> Iterator[str]:
    """What has no item, and why: questions, single ones, and items of cultures in their languages."""
    for why, count in record["filtered"].items():
        yield f"left out: {plural(count, 'question')}: {why}"
    for what, why in record["left_out"].items():
        yield f"left out: {what}: {why}"
    items = Counter[str]()
    for of in record.get("by_culture", {}).values():
        items.update(of["left_out"])
    for why, count in items.items():
        yield f"left out: {plural(count, 'item')}: {why}"


def _on_languages(record: Mapping[str, Any]) -> Iterator[str]:
    """What each culture got of questions in languages, and the guess that comes furthest without reading
    them."""
    from folkways.benchmarks.blend.build.languages import FEW

    counts = {country: of["items"] for country, of in record.get("by_culture", {}).items()}
    if not counts:
        return
    yield "items: " + ", ".join(f"{country} {count}" for country, count in counts.items())
    if few := [country for country, count in counts.items() if count < FEW]:
        yield f"fewer than {FEW} items, too few for a score of its own: {', '.join(few)}"
    guesses = record["blind_guesses"]
    above = [
        guess
        for guess in guesses
        if guess["p_holm"] is not None and guess["p_holm"] < 0.05 and guess["share"] > 25
    ]
    for guess in above:
        yield (
            f"the option of {guess['guess']} in {language_name(guess['language'])} is right in "
            f"{guess['share']:.0f} % of {guess['items']:,} items, above chance: options give answers away"
        )
    if guesses and not above:
        yield f"of {len(guesses)} guesses by the options alone none is told apart from chance (blind_guesses)"


def compare_builds(_session: BuildSession, *, first: Path, second: Path, as_json: bool) -> BuildResult:
    """How far two builds agree: the files or folders ``first`` and ``second``, as text or JSON (``as_json``).

    _session: unused. Raises FolkwaysError for a file that is missing or has no items.
    """
    from folkways.benchmarks.blend.build.items import RELEASED, agreement
    from folkways.benchmarks.blend.data.files import read_csv

    first, second = (file / FILE_NAME if file.is_dir() else file for file in (first, second))
    for file in (first, second):
        if not file.is_file():
            raise FolkwaysError(
                f"there is no file {file}; give the folder or the CSV file that folkways build mcq wrote"
            )
    tables = {file: read_csv(file, RELEASED) for file in (first, second)}
    for file, table in tables.items():
        if table.is_empty():
            raise FolkwaysError(f"{file} has no items to compare")
    result = agreement(tables[first], tables[second])
    if as_json:
        names = ("first", "second", "common", "jaccard", "questions", "equal_questions")
        return BuildResult(
            document={
                **{name: getattr(result, name) for name in names},
                "by_question": result.by_question.to_dicts(),
            }
        )
    return BuildResult(
        (
            f"{first}: {result.first:,} distinct items; {second}: {result.second:,}; "
            f"in both: {result.common:,}",
            *(
                f"  {result.common / count if count else 1.0:6.1%} of those of {file} are in the other"
                for file, count in ((first, result.first), (second, result.second))
            ),
            f"  {result.jaccard:6.1%} of all are in both (Jaccard)",
            f"  {result.equal_questions} of {result.questions} questions have the same items in both",
        )
    )


MCQ = Builder(
    "mcq",
    """Build BLEnD's multiple-choice questions: a country's own answer among answers of others.

    Every reply is stored at once; the same command continues where it stopped, and nothing is asked twice.

    \b
    folkways build mcq --judge openai/gpt-4o --profile strict --out mcq/
    folkways build mcq --judge stand-in:overlap --out mcq/ --calls calls.jsonl
    folkways build mcq --judge openai/gpt-4o --profile strict --language local --out both/
    folkways run blend/mcq --release mcq/ --model openai/gpt-4o-mini
    """,
    (
        Option("--release", "BLEnD annotations to build from.", metavar="NAME|DIR", default="blend"),
        Option(
            "--question-text", "Release with the question texts; by default the same one.", metavar="NAME|DIR"
        ),
        Option(
            "--judge",
            "Who says whether two answers are the same.",
            metavar="MODEL|stand-in:RULE",
            required=True,
        ),
        Option(
            "--dummies",
            "Who makes up options if answers are too few; by default the judge.",
            metavar="MODEL|stand-in:RULE",
        ),
        Option("--profile", "How to choose: paper or strict.", metavar="NAME", default="paper"),
        Option(
            "--judge-batch",
            "strict: pairs per call, or all at once.",
            metavar="N|question",
            default="question",
        ),
        Option("--ahead", "paper: calls at once.", "whole", least=1, default=16),
        Option("--questions", "Only these ids: Al-en-04,Jo-sp-32.", "list"),
        Option(
            "--wording-of", "Use the prompt of released questions instead of our own.", metavar="NAME|DIR"
        ),
        Option(
            "--exclusion",
            "Leave out what over two of a country did not know, as the authors' code does, or over three "
            "(text, section 4.2.1).",
            ("code", "text"),
            default="code",
        ),
        PROMPTS_OPTION,
        Option("--reasons", "paper: the judge writes its reasons first (Appendix C.3.2).", "yes"),
        Option(
            "--language",
            "strict: also in these languages, with the same options: ko,es; local for every culture's own.",
            "list",
        ),
        Option(
            "--glosses",
            "Table of translations (language, english, local) for options that people did not word.",
            "file",
            metavar="FILE.csv",
        ),
        Option("--out", "Where the questions go (.csv)", "new file", gets=FILE_NAME, required=True),
        Option("--calls", "Write every call and its answer, in order.", "new file", metavar="FILE.jsonl"),
        Option("--hub", "Also write the Hugging Face layout, with a data card.", "new folder"),
        Option("--hub-format", "Of the data there.", ("parquet", "jsonl"), default="parquet"),
    ),
    build_mcq,
    asks=True,
    named=True,
)

MCQ_AGREEMENT = Builder(
    "mcq-agreement",
    """Compare two builds item by item: judging modes, judges, profiles.

    FIRST and SECOND are CSV files in the released schema, or folders of folkways build mcq. Two items
    are the same if question, country, right answer and options are; ids and letters do not matter.
    """,
    (
        Option("FIRST", kind="file"),
        Option("SECOND", kind="file"),
        Option("--json", "Print JSON, question by question.", "yes", parameter="as_json"),
    ),
    compare_builds,
)

BUILDERS = (MCQ, MCQ_AGREEMENT)
