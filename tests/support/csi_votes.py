"""Items with sentences, and what two judges and an expert say about them, for building a corpus."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ITEMS = [
    {
        "id": f"item-{number}",
        "culture": "Harland",
        "item": "soup mug",
        "context": "A mug of one's own.",
        "fact": "People bring mugs.",
        "source": "https://example.org/1",
        "candidates": [
            {
                "id": letter,
                "text": f"Bring {number} {letter} soup mugs tonight.",
                "tagged": f"Bring {number} {letter} <CSI> soup mugs </CSI> tonight.",
                "by": f"model {letter}",
            }
            for letter in "abc"
        ],
        "provenance": {"fact_id": "fact-1", "table_row": 7, "proposed_by": "model a"},
    }
    for number in range(1, 7)
]  # fmt: skip

LABELS = {"category": "Social Tradition", "level": "Semi-visible", "element": "Customs"}


def choice(number: int, judge: str, best: str, **more: Any) -> dict[str, Any]:
    return {"item_id": f"item-{number}", "judge": judge, "best": best, **more}


def labels(number: int, judge: str, **more: Any) -> dict[str, Any]:
    return {"item_id": f"item-{number}", "judge": judge, **LABELS, **more}


def version(
    number: int, judge: str, text: str = "<CSI> Tasse </CSI>", culture: str = "CN", **more: Any
) -> dict[str, Any]:
    usual = {
        "intra": f"Bring {text} tonight.",
        "inter": f"今晚带{text}来。",
        "strategies": "functional_equivalent",
    }
    return {"item_id": f"item-{number}", "judge": judge, "culture": culture, **usual, **more}


def write_items(path: Path, items: Sequence[Mapping[str, Any]] = ITEMS) -> Path:
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return path


def write_votes(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path
