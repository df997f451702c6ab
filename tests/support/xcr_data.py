"""A small corpus of our own in XCR-Bench's released schema, with hazards of every kind, for tests without the
reference data."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from folkways.benchmarks.xcr.release import ADAPTATION_FILES, BASE_FILE, PROMPT_FILES
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord

BASE = [
    ("sentence", "cultural_context", "csi_category", "csi_hall_mapping", "hall_level"),
    (
        "We split the <CSI> bill </CSI>, as always.",
        "Paying apart.",
        "Social Etiquette",
        "Manners",
        "Invisible",
    ),
    (
        "They keep <CSI> slippers </CSI> by the <CSI> door </CSI>.",
        "Shoes off.",
        "Social Tradition",
        "Rituals",
        "Semi-visible",
    ),
    (
        "He felt hectic before the <CSI> quiz night </CSI>,then calm.",
        "Pubs.",
        "Cultural Reference",
        "Games",
        "Visible",
    ),
    (
        "We split the <CSI> bill </CSI>, as always.",
        "Paying apart.",
        "Social Etiquette",
        "Rituals",
        "Semi-visible",
    ),
    ("They danced <CSI> round the pole with ribbons.", "May.", "Social Tradition", "Rituals", "Semi-visible"),
]
ARAB = [
    ("Sentence", "Intra-lingual", "Inter-lingual"),
    ("They danced round the pole with ribbons.", "Non-transferrable", "Non-transferable"),
    (
        "He felt hecitc before the <CSI>quiz night</CSI>, then calm.",
        "He felt hectic before <CSI> Eid </CSI>.",
        "قبل <CSI> العيد </CSI> .",
    ),
    (
        "We split the <CSI> bill </CSI>, as always.",
        "He paid <CSI> for all </CSI>.",
        "دفع <CSI> عن الجميع </CSI>.",
    ),
    (
        "They keep <CSI>slippers</CSI> by the <CSI>door</CSI>.",
        "هم <CSI> يخلعون </CSI> الأحذية.",
        "They take <CSI> shoes </CSI> off.",
    ),
    ("We split the <CSI> bill </CSI>, as always.", "He paid again.", "دفع <CSI> مرة"),
]
CHINESE = [("Sentence", "Intra-lingual Adaptation", "Inter-lingual Adaptation")] + [
    (row[0], r"They share \texttt{<CSI>} dishes \texttt{</CSI>}.", "他们<CSI>分享</CSI>菜肴。")
    for row in BASE[1:]
]


def write_csv(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def xcr_release(root: Path) -> Release:
    """The release over whatever lies in ``root``."""
    paths = (BASE_FILE, *ADAPTATION_FILES.values(), *PROMPT_FILES.values())
    record = ReleaseRecord(
        name="xcr@test",
        benchmark="xcr",
        revision="0" * 40,
        source="github",
        repository="example/xcr",
        files=tuple(ReleaseFile(path, path) for path in paths),
        licence="CC-BY-4.0",
        citation="",
        homepage="",
        about="",
    )
    return Release(record, root)


def write_small_corpus(root: Path) -> Release:
    """Base, Arab and Chinese adaptations; no Bengali files and no prompts."""
    write_csv(root / BASE_FILE, BASE)
    write_csv(root / ADAPTATION_FILES["ARAB"], ARAB)
    write_csv(root / ADAPTATION_FILES["CN"], CHINESE)
    return xcr_release(root)
