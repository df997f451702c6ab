"""Easy and Hard from votes to files, with a data card. No model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.culturalbench.build.counting import MULTI, SINGLE, MajorityRule, count
from folkways.benchmarks.culturalbench.build.tables import (
    EASY_COLUMNS,
    HARD_COLUMNS,
    dropped_table,
    easy_table,
    hard_table,
    topics_table,
    votes_table,
)
from folkways.benchmarks.culturalbench.build.topics import own_topics
from folkways.benchmarks.culturalbench.data.check import READ_AS_MISSING
from folkways.benchmarks.culturalbench.data.release import EASY, HARD, country_name, culture_of
from folkways.benchmarks.culturalbench.people import RECORD_FILE, VOTES_FILE, judge_people_on_easy
from folkways.benchmarks.culturalbench.published import PUBLISHED
from folkways.benchmarks.culturalbench.results.data_tables import people_table, words_table
from folkways.benchmarks.culturalbench.votes import OPTIONS, Votes, frame_bytes, to_files
from folkways.benchmarks.culturalbench.votes_files import read_votes
from folkways.benchmarks.printed_prompts import texts_for_builder
from folkways.benchmarks.templates import digest_of
from folkways.display import plural
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.files import json_bytes, write_bytes
from folkways.releases.cards import eval_yaml, hub_licence, size_category
from folkways.text.scripts import in_another_script

TEMPLATE = "card.md.j2"
ENGLISH = "en"
SHOWN = 3
"""Questions that a note names."""


def card(
    votes: Votes, counted: pl.DataFrame, easy: pl.DataFrame, rule: MajorityRule, record: Mapping[str, Any]
) -> str:
    """The README: YAML with licence and configurations, then what is here, how it was made, whom it was made
    by, and numbers.

    votes: all questions and votes;
    rule: the majority;
    counted: counting.COUNTED;
    easy: tables.EASY_COLUMNS, whether or not it is written;
    record: the record of the build.
    """
    from jinja2 import Environment, StrictUndefined

    text = files("folkways.benchmarks.culturalbench.build").joinpath(TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(  # noqa: S701 - Markdown, not HTML
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    counts = easy.group_by("country").len().sort(-pl.col("len").cast(pl.Int64), "country")
    options = easy.select(
        question="prompt_question", options=pl.concat_list(f"prompt_{name}" for name in OPTIONS)
    )
    people = _people(votes, counted, rule)
    has_interval = people["low"] is not None  # few people or questions have no interval
    return environment.from_string(text).render(
        meta=votes.meta,
        language=None if _not_english(votes.items) else ENGLISH,
        title=_title(votes),
        licence_id=hub_licence(votes.meta.licence),
        size=size_category(record["questions"]),
        configs=record["configs"],
        titles={"easy": EASY, "hard": HARD},
        columns={"easy": list(EASY_COLUMNS), "hard": list(HARD_COLUMNS)},
        record=record,
        rule=rule,
        people=people,
        interval=f"95 % interval {people['low']:.1f} to {people['high']:.1f}, by question"
        if has_interval
        else "too few for an interval",
        countries=counts.rows(),
        words=words_table(options).rows.to_dicts(),
        number="{:,}".format,
        plural=plural,
    )


def _people(votes: Votes, counted: pl.DataFrame, rule: MajorityRule) -> dict[str, Any]:
    """The human line over everything: a row of results.data_tables.PEOPLE."""
    questions = counted.filter(pl.col("dropped").is_null()).join(
        votes.items, on="item", how="left", maintain_order="left"
    )
    items = questions.select("item", task=pl.lit("easy"), question="item", culture="country")
    return people_table(judge_people_on_easy(items, votes_table(votes, counted), rule)).rows.row(
        0, named=True
    )


def registration(votes: Votes, easy: pl.DataFrame) -> str:
    """The ``eval.yaml``: Easy as Inspect asks it. Hard is not in it, because Inspect scores each of its
    judgements by itself."""
    about = (
        f"{plural(easy.height, 'question')} about "
        f"{plural(easy['country'].n_unique(), 'country or region', 'countries or regions')}, each verified "
        "by people of them: a question, four options and the right letter."
    )
    task = {
        "id": "easy",
        "config": EASY,
        "split": "test",
        "field_spec": {
            "input": "prompt_question",
            "target": "answer",
            "choices": [f"prompt_{name}" for name in OPTIONS],
        },
        "solvers": [{"name": "multiple_choice"}],
        "scorers": [{"name": "choice"}],
    }
    return eval_yaml(_title(votes), about, task)


def _title(votes: Votes) -> str:
    return " ".join(votes.meta.title.split()) or "Questions on cultures, built from votes"


CONFIGS: Mapping[str, str] = {"easy": EASY, "hard": HARD}
"""Name of a build -> name of the configuration, which is that of its file too."""

DROPPED_FILE, TOPICS_FILE, CARD_FILE, BENCHMARK_FILE = "dropped.csv", "topics.csv", "README.md", "eval.yaml"


@dataclass(frozen=True)
class VotesBuild:
    """What was built: the questions as counted (counting.COUNTED), the record, the notes, and the files that
    were written."""

    counted: pl.DataFrame
    record: dict[str, Any]
    notes: tuple[str, ...]
    files: tuple[Path, ...]


def build_from_votes(
    config: str,
    places: Sequence[Path],
    out: Path,
    *,
    rule: MajorityRule | None = None,
    seed: int = 0,
    licence: str | None = None,
    prompts: Path | None = None,
) -> VotesBuild:
    """Build ``easy`` or ``hard`` (``config``) from votes into the folder ``out``, which may have the other
    one.

    places: folders or files of votes; rule: the majority, the paper's if None; seed: for the combinations of
    multi-mode questions; licence: replaces the one that the votes name; prompts: file with another text
    ``multi-mode`` (``printed_prompts``).

    The folder becomes a release: the configuration as CSV in the released schema, every vote (VOTES_FILE),
    what was left out and why (DROPPED_FILE), topics that people gave, the record of the build, the data card,
    and for Easy what makes it a benchmark on the hub (BENCHMARK_FILE). Raises what ``read_votes`` does,
    UnknownNameError for another ``config``, and FolkwaysError if ``out`` holds files of another build or of
    none.
    """
    if config not in CONFIGS:
        raise UnknownNameError("configuration", config, CONFIGS)
    rule = rule or MajorityRule()
    text = texts_for_builder(prompts, "build easy", PUBLISHED.prompts).get("multi-mode")
    votes = read_votes(places, licence)
    record: dict[str, Any] = {
        "build": "votes",
        "made_by": f"folkways {__version__}",
        "votes": _digest(votes),
        "threshold": rule.threshold,
        "of": rule.of,
        "seed": seed,
        "licence": votes.meta.licence,
        **({"multi_mode_text": f"{text.source} {digest_of(text.text)}"} if text else {}),
    }
    configs = _with_those_there(out, config, record)
    counted = count(votes, rule)
    kept = counted.filter(pl.col("dropped").is_null())
    if kept.is_empty():
        reasons = ", ".join(f"{number} {reason}" for reason, number in _reasons(counted).items())
        most = int(counted["voters"].to_numpy().max())
        remedy = ""
        if most < rule.of:
            remedy = (
                f"\nNo question has the {rule.of} votes that --of asks for. If fewer people were asked, say "
                f"how many and what majority they need, for example --threshold {most // 2 + 1} --of {most}"
            )
        raise FolkwaysError(
            f"no question is left of {counted.height}: {reasons}\nNothing was written.{remedy}"
        )
    record |= {
        "configs": configs,
        "questions": kept.height,
        **{f"{mode}_mode": kept.filter(mode=mode).height for mode in (SINGLE, MULTI)},
        "dropped": _reasons(counted),
        "votes_cast": votes.votes.height,
        "annotators": votes.votes["annotator"].n_unique(),
    }
    easy = easy_table(votes, counted, seed, text)
    contents = {
        **(
            {f"{EASY}.csv": frame_bytes(easy)}
            if config == "easy"
            else {f"{HARD}.csv": frame_bytes(hard_table(votes, counted))}
        ),
        VOTES_FILE: frame_bytes(votes_table(votes, counted)),
        DROPPED_FILE: frame_bytes(dropped_table(votes, counted)),
        RECORD_FILE: json_bytes(record),
        CARD_FILE: card(votes, counted, easy, rule, record).encode(),
        **({BENCHMARK_FILE: registration(votes, easy).encode()} if "easy" in configs else {}),
    }
    topics = topics_table(votes, counted, own_topics())
    if not topics.is_empty() and not (out / TOPICS_FILE).exists():
        contents[TOPICS_FILE] = frame_bytes(topics)
    table_file = f"{CONFIGS[config]}.csv"
    (out / table_file).unlink(missing_ok=True)  # and written last: what is cut off does not look whole
    for name in sorted(contents, key=table_file.__eq__):
        write_bytes(out / name, contents[name])
    files = tuple(out / name for name in contents)
    return VotesBuild(counted, record, (*votes.notes, *_notes(votes, kept)), files)


def _with_those_there(out: Path, config: str, record: Mapping[str, Any]) -> list[str]:
    """The configurations that ``out`` has after this build; FolkwaysError unless those there are of the same
    votes and rule."""
    present = [name for name, title in CONFIGS.items() if (out / f"{title}.csv").exists()]
    if not present and not (out / CARD_FILE).exists():
        return [config]
    remedy = "choose another folder with --out, or remove this one"
    try:
        previous = json.loads((out / RECORD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise FolkwaysError(f"{out} holds files that were not built from votes; {remedy}") from None
    if not isinstance(previous, dict) or previous.get("build") != record["build"]:
        raise FolkwaysError(f"{out} holds files that were not built from votes; {remedy}")
    decisive = {*record, "multi_mode_text"} - {"made_by"}
    differing = sorted(name for name in decisive if previous.get(name) != record.get(name))
    if differing and set(present) - {config}:
        changes = ", ".join(
            f"{name} {previous.get(name)} there and {record.get(name)} here" for name in differing
        )
        raise FolkwaysError(
            f"{out} holds {' and '.join(present)} of another build ({changes}); Easy and Hard belong "
            f"together: {remedy}"
        )
    return [name for name in CONFIGS if name == config or name in present]


def _digest(votes: Votes) -> str:
    """12 hexadecimal digits over questions and votes, in their order."""
    digest = sha256()
    for name, content in to_files(votes).items():
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:12]


def _reasons(counted: pl.DataFrame) -> dict[str, int]:
    return dict(counted.drop_nulls("dropped").group_by("dropped", maintain_order=True).len().iter_rows())


def _notes(votes: Votes, kept: pl.DataFrame) -> list[str]:
    """What a person should know who publishes this, and that stops nothing."""
    notes = (
        []
        if votes.meta.licence
        else ["no licence is named; say what the questions and votes are under: --licence CC-BY-4.0"]
    )
    items = votes.items.join(kept, on="item", how="semi", maintain_order="left")
    unknown = (
        name
        for name in items["country"].unique(maintain_order=True)
        if culture_of(country_name(name)) is None
    )
    notes += [
        f"folkways does not know the country {name!r}: it will have no region in reports" for name in unknown
    ]
    if foreign := _not_english(items):
        others = ", ..." if len(foreign) > SHOWN else ""
        notes.append(
            f"{plural(len(foreign), 'question is', 'questions are')} not in English by the letters "
            f"({', '.join(foreign[:SHOWN])}{others}), and Easy and Hard ask in English: give them in "
            "English here, and their translations to folkways build translated"
        )
    options = items.unpivot(on=[name for name in items.columns if name.startswith("option_")], index="item")
    for item, text in options.select("item", "value").iter_rows():
        if text.strip().casefold() in READ_AS_MISSING:
            notes.append(
                f"item {item} has the option {text!r}, which many table readers turn into a missing value; "
                "the card warns of it"
            )
    return notes


def _not_english(items: pl.DataFrame) -> list[str]:
    """The ids of questions that are mostly in letters that English lacks."""
    return [
        item
        for item, question in items.select("item", "question").iter_rows()
        if in_another_script(question, ENGLISH)
    ]
