"""The stored judgements of a run one by one, each with all that was asked and said, for a run of any
length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import orjson

from folkways.workspace.database import Workspace
from folkways.workspace.results import Part
from folkways.workspace.run_records import RunRecord
from folkways.workspace.run_rows import judged_pages


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One expected item: what was asked, what was said (None without a reply), and what was made of it.

    details: metrics and facets by name. failure: why its request failed. seconds: the reply took so long.
    """

    item: str
    question: str
    culture: str
    language: str
    variant: str
    sample: int
    counted: bool
    state: str
    answer: str | None
    reason: str | None
    details: Mapping[str, Any]
    system: str | None
    user: str
    response: str | None
    thoughts: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    seconds: float | None
    failure: str | None


_COLUMNS = [
    {"response": "text", "failure": "message"}.get(each.name, each.name) for each in fields(JudgedRow)
]
"""The columns of run_rows that the fields of a JudgedRow are, in their order."""


def judged_rows(workspace: Workspace, run: RunRecord, profile: str, part: Part) -> Iterator[JudgedRow]:
    """Every judgement of one part of ``run`` (in ``workspace``) in a profile, in planned order; a few
    thousand are in memory at a time."""
    for page in judged_pages(workspace, run, profile, _COLUMNS, endpoint_id=part.endpoint_id, task=part.task):
        yield from (JudgedRow(*(*row[:10], orjson.loads(row[10]), *row[11:])) for row in page.iter_rows())
