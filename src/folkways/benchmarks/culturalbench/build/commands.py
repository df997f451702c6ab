"""``folkways build easy``, ``hard`` and ``topics``: their options, what they write and what they say.

What builds is imported when a command runs: a benchmark declares its builders whenever it is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from folkways.benchmarks.build import AskableModel, Builder, BuildResult, BuildSession, Option
from folkways.benchmarks.printed_prompts import PROMPTS_OPTION
from folkways.display import number, plural
from folkways.errors import FolkwaysError, quoted
from folkways.files import json_bytes, write_bytes


def build_votes(
    config: str,
    _session: BuildSession,
    *,
    places: Sequence[Path],
    out: Path,
    threshold: int,
    of: int,
    seed: int,
    licence: str | None,
    prompts: Path | None,
) -> BuildResult:
    """Build Easy or Hard (``config``) into ``out``, which may have the other one.

    _session: unused; places: folders or files of votes; threshold, of: the majority; seed: for combinations;
    licence: replaces the one that the votes name; prompts: file with another text of multi-mode questions.
    """
    from folkways.benchmarks.culturalbench.build.counting import MajorityRule
    from folkways.benchmarks.culturalbench.build.from_votes import build_from_votes

    built = build_from_votes(
        config, places, out, rule=MajorityRule(threshold, of), seed=seed, licence=licence, prompts=prompts
    )
    record = built.record
    summary = (
        f"{plural(record['questions'], 'question')} ({record['single_mode']:,} single-mode, "
        f"{record['multi_mode']:,} multi-mode) of {built.counted.height:,}, from "
        f"{plural(record['votes_cast'], 'vote')} of {plural(record['annotators'], 'person', 'people')}"
    )
    notes = [f"left out: {reason}: {count:,}" for reason, count in record["dropped"].items()]
    notes += [f"note: {note}" for note in built.notes]
    tasks = " ".join(f"culturalbench/{name}" for name in record["configs"])
    advice = f"to ask it: folkways run {tasks} --release {quoted(f'culturalbench={out}')} --model NAME"
    return BuildResult((summary,), notes, built.files, (advice,))


def build_topics(
    session: BuildSession,
    *,
    release: str,
    model: str,
    out: Path,
    topics: Path | None,
    batch: int,
    labelled: Path | None,
    prompts: Path | None,
) -> BuildResult:
    """Sort the questions of ``release`` into topics by ``model``, and write them to ``out``.

    session: opens the model; topics: a list of the user's own, or None; batch: questions per request;
    labelled: labels of people to compare with, or None; prompts: file with another text, or None.
    FolkwaysError if no question can be sorted.
    """
    from folkways.benchmarks.culturalbench.build.from_model import read_topics, sort_questions
    from folkways.benchmarks.culturalbench.votes import frame_bytes
    from folkways.benchmarks.released_data import open_release

    def open_model(config: Mapping[str, Any]) -> AskableModel:
        return session.models([model], {"build": "topics", **config}, name="build-topics-")[0]

    listed = read_topics(topics) if topics is not None else None
    done = sort_questions(
        open_release(release, "culturalbench"),
        open_model,
        topics=listed,
        batch=batch,
        labelled=labelled,
        prompts=prompts,
    )
    record, agreement = done.record, done.agreement
    if done.table.is_empty():
        reasons = (
            f"left out: {plural(count, 'question')}: {why}"
            for why, count in Counter(done.left_out.values()).items()
        )
        raise FolkwaysError("\n".join(["no question is sorted, and nothing was written", *reasons]))
    counts = (
        done.table.group_by("head", "topic", maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    summary = [f"{record['sorted']:,} of {record['questions']:,} questions sorted by {record['model']}"]
    summary += [f"{count:6,}  {topic} ({head})" for head, topic, count in counts.iter_rows()]
    if agreement is not None:
        share, kappa = agreement.share_interval, agreement.kappa_interval
        summary.append(
            f"agreement with {agreement.cases:,} labels: {100 * agreement.share:.1f} % "
            f"({100 * share.low:.1f} to {100 * share.high:.1f}); "
            f"kappa {number(agreement.kappa, 2)} ({number(kappa.low, 2)} to {number(kappa.high, 2)})"
        )
    notes = [f"left out: {question}: {why}" for question, why in done.left_out.items()]
    files = (
        write_bytes(out, frame_bytes(done.table)),
        write_bytes(out.with_suffix(".build.json"), json_bytes(record)),
    )
    return BuildResult(summary, notes, files)


def build_translations(
    _session: BuildSession, *, release: str, translations: Path | None, out: Path
) -> BuildResult:
    """Add the ``translations`` of a table to the English texts of ``release``, in the folder ``out``; without
    them, write the questions as items for people. _session: unused."""
    from folkways.benchmarks.culturalbench.build.translated import build_translated, to_translate
    from folkways.benchmarks.culturalbench.votes import frame_bytes
    from folkways.benchmarks.released_data import open_release
    from folkways.cultures import name_of_code

    opened = open_release(release, "culturalbench")
    if translations is None:
        items = to_translate(opened)
        path = write_bytes(out / "items.csv", frame_bytes(items))
        count, twice = items["question_idx"].n_unique(), (items["config"] == "hard").sum()
        return BuildResult(
            [f"{plural(count, 'question')} to translate, {twice:,} of them twice"],
            files=(path,),
            advice=(
                f"to have people do it: folkways studio import STUDY translate {quoted(path)} "
                "--population NAME",
            ),
        )
    built = build_translated(opened, translations, out)
    summary = [
        f"{plural(count, 'question')} in {name_of_code(language)} and English"
        for language, count in built.languages.items()
    ]
    notes = [f"{plural(built.untranslated, 'question')} in English alone"] if built.untranslated else []
    advice = f"to ask it: folkways run culturalbench --release {quoted(f'culturalbench={out}')} --model NAME"
    return BuildResult(summary, notes, built.files, (advice,))


OF_VOTES = (
    Option(
        "--votes",
        "Questions with votes: a folder with items and votes, or one file with both; repeatable.",
        "file",
        metavar="DIR|FILE",
        required=True,
        repeatable=True,
        parameter="places",
    ),
    Option("--out", "Where the release goes.", "new folder", required=True),
    Option("--threshold", "Votes that make an option gold,", "whole", least=1, default=4),
    Option("--of", "of this many; the same share of more.", "whole", least=1, default=5),
    Option("--seed", "For the combinations of multi-mode questions.", "whole", default=0),
    Option("--licence", "Licence of questions and votes, instead of the one they name.", metavar="NAME"),
    PROMPTS_OPTION,
)

EASY = Builder(
    "easy",
    """Build CulturalBench-Easy from votes: four options, one right letter.

    An option is gold when enough people chose it. Questions with several gold options get their options as
    numbered statements and four combinations to choose from. The folder is a release, with a data card, every
    vote, and what was left out and why.

    \b
    folkways build easy --votes votes/ --out mine/
    folkways build hard --votes votes/ --out mine/
    folkways run culturalbench --release culturalbench=mine/ --model NAME
    """,
    OF_VOTES,
    partial(build_votes, "easy"),
)

HARD = Builder(
    "hard",
    """Build CulturalBench-Hard from votes: every option on its own, true or false.

    Takes the same votes, rule and folder as `folkways build easy`, and has the same questions.

    \b
    folkways build hard --votes votes/ --out mine/
    """,
    OF_VOTES,
    partial(build_votes, "hard"),
)

TOPICS = Builder(
    "topics",
    """Sort the questions of a CulturalBench into topics under heads (section 4), by a model.

    Every reply is stored at once; the same command continues where it stopped. Put the file into the folder
    of the release as topics.csv, and scores are grouped by topic.

    \b
    folkways build topics --release mine/ --model openai/gpt-4o-mini --out mine/topics.csv
    folkways build topics --release mine/ --model openai/gpt-4o-mini --labelled ours.csv --out mine/topics.csv
    """,
    (
        Option("--release", "Questions to sort.", metavar="NAME|DIR", default="culturalbench"),
        Option(
            "--model",
            "Model that sorts. Own settings: NAME?temperature=1.",
            metavar="NAME",
            short="-m",
            required=True,
        ),
        Option(
            "--out",
            "Where topics go (.csv; tasks look for it in a release)",
            "new file",
            gets="topics.csv",
            required=True,
        ),
        Option("--topics", "Your own list instead of our 17 topics.", "file", metavar="FILE.toml"),
        Option("--labelled", "People's labels to compare: question_idx, topic.", "file"),
        PROMPTS_OPTION,
        Option("--batch", "Questions in one request.", "whole", least=1, most=100, default=20),
    ),
    build_topics,
    asks=True,
)

TRANSLATED = Builder(
    "translated",
    """Put translations beside the English texts of a CulturalBench.

    The table has question_idx, language, question and option_a to option_d, the options in Easy's order. A
    question with several right options shows other options in Hard: give it two rows, with easy and hard in
    the column config. Each translated question is then asked in its language and in English.

    \b
    folkways build translated --release culturalbench --translations ko.csv --out korean/
    folkways run culturalbench --release culturalbench=korean/ --model NAME
    """,
    (
        Option("--release", "Questions that were translated.", metavar="NAME|DIR", default="culturalbench"),
        Option(
            "--translations",
            "The table (CSV, TSV, JSONL or Parquet), or a study's items.jsonl; without it, the questions are "
            "written as items for a study.",
            "file",
        ),
        Option("--out", "Where the release goes.", "new folder", required=True),
    ),
    build_translations,
)

BUILDERS = (EASY, HARD, TOPICS, TRANSLATED)
