"""Easy and Hard from votes to files. No model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.culturalbench.build.card import card, registration
from folkways.benchmarks.culturalbench.build.counting import MULTI, SINGLE, Rule, count
from folkways.benchmarks.culturalbench.build.tables import (
    dropped_table,
    easy_table,
    hard_table,
    topics_table,
    votes_table,
)
from folkways.benchmarks.culturalbench.build.topics import own_topics
from folkways.benchmarks.culturalbench.build.votes_files import read_votes
from folkways.benchmarks.culturalbench.data.check import READ_AS_MISSING
from folkways.benchmarks.culturalbench.data.reading import EASY, HARD, country_name, culture_of
from folkways.benchmarks.culturalbench.people import RECORD_FILE, VOTES_FILE
from folkways.benchmarks.culturalbench.votes import Votes, frame_bytes, to_files
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.files import json_bytes, write_bytes

CONFIGS: Mapping[str, str] = {"easy": EASY, "hard": HARD}
"""Name of a build -> name of the configuration, which is that of its file too."""

DROPPED_FILE, TOPICS_FILE, CARD_FILE, BENCHMARK_FILE = "dropped.csv", "topics.csv", "README.md", "eval.yaml"


@dataclass(frozen=True)
class BuiltVotes:
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
    rule: Rule | None = None,
    seed: int = 0,
    licence: str | None = None,
) -> BuiltVotes:
    """Build ``easy`` or ``hard`` from folders or files of votes into the folder ``out``, beside the other one
    if it is there.

    The folder becomes a release: the configuration as CSV in the released schema, every vote (VOTES_FILE),
    what was left out and why (DROPPED_FILE), topics that people gave, the record of the build, the data card,
    and for Easy what makes it a benchmark on the hub (BENCHMARK_FILE). Raises what ``read_votes`` does, and
    FolkwaysError where ``out`` holds something that another build, or no build, has put there.
    """
    if config not in CONFIGS:
        raise UnknownNameError("configuration", config, CONFIGS)
    rule = rule or Rule()
    votes = read_votes(places, licence)
    record: dict[str, Any] = {
        "build": "votes",
        "made_by": f"folkways {__version__}",
        "votes": _digest(votes),
        "threshold": rule.threshold,
        "of": rule.of,
        "seed": seed,
        "licence": votes.meta.licence,
    }
    configs = _with_those_there(out, config, record)
    counted = count(votes, rule)
    kept = counted.filter(pl.col("dropped").is_null())
    if kept.is_empty():
        told = ", ".join(f"{number} {reason}" for reason, number in _reasons(counted).items())
        raise FolkwaysError(f"no question is left of {counted.height}: {told}\nNothing was written.")
    record |= {
        "configs": configs,
        "questions": kept.height,
        **{f"{mode}_mode": kept.filter(mode=mode).height for mode in (SINGLE, MULTI)},
        "dropped": _reasons(counted),
        "votes_cast": votes.votes.height,
        "annotators": votes.votes["annotator"].n_unique(),
    }
    easy = easy_table(votes, counted, seed)
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
    files = tuple(write_bytes(out / name, content) for name, content in contents.items())
    return BuiltVotes(counted, record, (*votes.notes, *_notes(votes, kept)), files)


def _with_those_there(out: Path, config: str, record: Mapping[str, Any]) -> list[str]:
    """The configurations that ``out`` has after this build; FolkwaysError unless those there are of the same
    votes and rule."""
    present = [name for name, title in CONFIGS.items() if (out / f"{title}.csv").exists()]
    if not present and not (out / CARD_FILE).exists():
        return [config]
    remedy = "choose another folder with --out, or remove this one"
    try:
        known = json.loads((out / RECORD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise FolkwaysError(f"{out} holds files that were not built from votes; {remedy}") from None
    if not isinstance(known, dict) or known.get("build") != record["build"]:
        raise FolkwaysError(f"{out} holds files that were not built from votes; {remedy}")
    differing = [name for name in record if name != "made_by" and known.get(name) != record[name]]
    if differing and set(present) - {config}:
        told = ", ".join(f"{name} {known.get(name)} there and {record[name]} here" for name in differing)
        raise FolkwaysError(
            f"{out} holds {' and '.join(present)} of another build ({told}); Easy and Hard belong "
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
    options = items.unpivot(on=[name for name in items.columns if name.startswith("option_")], index="item")
    for item, text in options.select("item", "value").iter_rows():
        if text.strip().casefold() in READ_AS_MISSING:
            notes.append(
                f"item {item} has the option {text!r}, which many table readers turn into a missing value; "
                "the card warns of it"
            )
    return notes
