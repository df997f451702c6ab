"""A study in which everything has happened once (support/recorded_study.py): what its services return, what its exports
hold and what the commands print are as they were when somebody last read them (recorded/).
``FOLKWAYS_RECORD=1`` records them anew."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

from folkways_studio.database.audit import events
from folkways_studio.exports import FORMATS
from folkways_studio.exports.archive import export_files
from folkways_studio.items import discussion, repeats, search
from folkways_studio.items import service as items
from folkways_studio.items.preannotations import list_suggestions
from folkways_studio.items.search import ItemQuery, find_items
from folkways_studio.items.stage_assignments import assigned_items
from folkways_studio.items.table import facts_of, suggestion_counts, title_of
from folkways_studio.people import accounts, participants
from folkways_studio.people.personal import own_attributes
from folkways_studio.programs import deliveries, ml_backends, tokens, webhooks
from folkways_studio.records import Item, Participant, Stage, Study
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import agreement, budget, disagreements, offers, progress, working_time
from folkways_studio.studies import agreement_over_time as over_time
from folkways_studio.studies import service as studies
from folkways_studio.studies.comparison import compare_studies
from folkways_studio.studies.deletion import delete_study, finish_deletions
from folkways_studio.studies.descriptions import edit_study, history
from folkways_studio.studies.remaining_work import remaining_items, remaining_work
from folkways_studio.studies.suggestion_effects import suggestion_figures
from folkways_studio.work import corrections, gold, stalled_items
from folkways_studio.work.adjudications import list_adjudications
from folkways_studio.work.known_answers import last_test
from folkways_studio.work.known_counts import known_counts
from folkways_studio.workflows.yaml_text import as_json
from studio.tests.support.fixed_clock import fixed_clock
from studio.tests.support.recorded_study import START, RecordedStudy, build_recorded_study
from studio.tests.support.studies import content_of, filled, new_workspace
from tests.support.command_line import folkways
from tests.support.fingerprints import check_text

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RecordedStudy, bytes]]:
    """The study, at the time at which it was left, when one delivery of an event had failed; and its workspace."""
    workspace = new_workspace(tmp_path_factory.mktemp("village") / "studio.db")
    with fixed_clock(START) as clock:
        recorded = build_recorded_study(workspace, clock)
        (delivery,) = deliveries.claim_due(workspace)
        deliveries.settle(workspace, delivery, 503, "the receiver is away")
        yield recorded, content_of(workspace)
    workspace.close()


@pytest.fixture
def recorded(recorded_once: tuple[RecordedStudy, bytes]) -> RecordedStudy:
    """The study as it was left, whatever the test before has done."""
    recorded, content = recorded_once
    filled(recorded.workspace, content)
    recorded.clock.now = recorded.left
    return recorded


def shown(value: Any) -> str:
    """A record in one line: names with what they hold, without what holds nothing."""
    if isinstance(value, Stage | Study):
        return value.name
    if isinstance(value, Participant):
        return value.pseudonym
    if is_dataclass(value) and not isinstance(value, type):
        held = {each.name: getattr(value, each.name) for each in fields(value)}
        inner = ", ".join(
            f"{name}={shown(each)}" for name, each in held.items() if each not in (None, "", (), {})
        )
        return f"{type(value).__name__}({inner})"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float):
        return f"{value:.8g}" if abs(value - START) > 1e8 else f"+{value - START:g} s"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{shown(key)}: {shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple | set | frozenset):
        listed = sorted(map(shown, value)) if isinstance(value, set | frozenset) else map(shown, value)
        return f"[{', '.join(listed)}]"
    return str(value).replace("\n", "⏎")


def section(title: str, value: Any) -> str:
    """A heading and what a service returned, a line for each record."""
    rows = [value] if not isinstance(value, list | tuple | Mapping) else value
    lines = (
        [f"{shown(key)}: {shown(each)}" for key, each in rows.items()]
        if isinstance(rows, Mapping)
        else map(shown, rows)
    )
    return "\n".join([f"== {title}", *lines, ""])


def services(recorded: RecordedStudy) -> Iterator[tuple[str, Any]]:
    """What everybody sees of the study, by the service that returns it."""
    workspace, study, number = recorded.workspace, recorded.study, recorded.study.id
    about = workspace, number
    stages = {stage.name: stage for stage in studies.stages(*about)}
    by_number = {stage.id: stage for stage in stages.values()}
    everybody = participants.list_participants(*about)
    yield (
        "settings of stages",
        {
            name: {"kind": each.kind, "role": each.role, **without_parts(each.config)}
            for name, each in stages.items()
        },
    )
    yield "populations", studies.populations(*about)
    yield "members", accounts.members(*about)
    yield (
        "people",
        {each.pseudonym: {key: held for key, held in asdict(each).items() if held} for each in everybody},
    )
    yield "about themselves", {each.pseudonym: own_attributes(workspace, each.id) for each in everybody}
    yield "items", items.list_items(*about)
    yield (
        "titles and facts",
        {each.key: title_and_facts(each, by_number[each.stage_id]) for each in items.list_items(*about)},
    )
    yield "progress", progress.progress(*about)
    yield ("stalled stages", progress.stalled_stages(*about, progress.progress(*about), recorded.left + 9e6))
    yield "quality", progress.quality(*about)
    yield "payments", progress.payments(*about)
    yield (
        "own progress",
        {
            each.pseudonym: [(stage, own) for stage, own in progress.own_progress_everywhere(workspace, each)]
            for each in everybody
        },
    )
    yield "remaining work", {each.pseudonym: remaining_work(workspace, each) for each in everybody}
    yield (
        "remaining items of verify",
        {
            name: [item.key for item in remaining_items(workspace, recorded.person(name), "verify")]
            for name in ("kim", "lee", "bob", "cai")
        },
    )
    yield "agreement", agreement.agreement(*about)
    answered = disagreements.measured(disagreements.read_answers(*about))
    yield "answers", answered.answered
    yield "spread by stage", disagreements.by_stage(*about, answered)
    yield "spread by person", disagreements.by_person(*about, answered)
    yield "most disputed", disagreements.most_disputed(answered, 9)
    yield "agreement by week", over_time.agreement_over_time(answered)
    yield "agreement by hundred answers", over_time.agreement_over_time(answered, "items")
    yield "working times", working_time.working_times(*about)
    yield "worked answers", working_time.worked_answers(*about)
    yield "budgets", budget.budgets(workspace, study)
    yield "answers ahead", budget.answers_ahead(workspace, study, tuple(stages.values()))
    yield "offers", offers.offers_of(workspace, study)
    yield "low pay", offers.low_pay(workspace, study)
    yield "wages", {name: offers.wage_of(study.definition, name) for name in ("uk", "wales", "korea")}
    yield "suggestions of models", list_suggestions(*about)
    yield "what became of suggestions", suggestion_figures(*about)
    yield "suggestions seen and accepted", suggestion_counts(workspace, [*recorded.items.values()])
    yield "known answers", gold.known_answers(*about)
    yield "known answers that lack", gold.lacking(*about)
    with workspace.read() as connection:
        yield (
            "known counts of verify",
            {
                name: known_counts(connection, recorded.person(name), (stages["verify"],))
                for name in ("kim", "lee", "bob", "cai")
            },
        )
    yield "last test", last_test(workspace, recorded.person("kim"))
    yield "assignments", stalled_items.overview_of_assignments(*about, now=recorded.left)
    yield "assigned items", assigned_items(*about)
    yield (
        "answers sent by lee",
        [each.judgement for each in corrections.sent_by(workspace, recorded.people["lee"].id)],
    )
    yield "adjudications", list_adjudications(*about)
    yield "comments", discussion.comments_of_study(*about)
    yield "comment counts", discussion.comment_counts(*about)
    yield (
        "similar items",
        repeats.similar_items(workspace, items.get_item(*about, recorded.items["q1"]), ["question"]),
    )
    for order in search.ORDERS:
        for turned in ("", "-"):
            page = find_items(*about, ItemQuery(), order=turned + order, limit=50)
            yield f"items by {turned}{order}", [" ".join(each.key for each in page.items), page.disagreement]
    yield "disputed items", find_items(*about, ItemQuery(disputed=True), order="disputed")
    yield "items with tea", [each.key for each in find_items(*about, ItemQuery(words="TEA")).items]
    yield "history", [(each.number, each.changes, each.account_id, each.created) for each in history(*about)]
    yield "webhooks", webhooks.list_webhooks(*about)
    yield "deliveries", deliveries.list_deliveries(workspace, [1])
    yield "tokens", tokens.list_tokens(workspace, study_id=number)
    yield "backends", ml_backends.list_backends(*about)
    yield "trail", events(*about, limit=500)


def title_and_facts(item: Item, stage: Stage) -> str:
    """What a list of items calls one, and in which order its page has the fields."""
    subject = stage_kind(stage.kind).subject(item.content, stage.config)
    return f"{title_of(item, subject)} ({', '.join(name for name, _ in facts_of(subject))})"


def without_parts(config: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without the parts that a form asks and the guidelines, which are in the study's file."""
    return {name: value for name, value in config.items() if name not in ("ask", "show", "manual")}


def test_what_services_return_beside_another_study(recorded: RecordedStudy) -> None:
    """The same before and after everything has happened once more in a study beside it, which then asks for
    more answers, and is deleted."""
    alone = "\n".join(section(*each) for each in services(recorded))
    check_text(alone, RECORDED / "services.txt")
    other = build_recorded_study(recorded.workspace, recorded.clock, "neighbour")
    recorded.clock.now = recorded.left
    beside = "\n".join(section(*each) for each in services(recorded))
    assert beside.splitlines() == alone.splitlines()
    compared = compare_studies(recorded.workspace, recorded.study, other.study)
    lines = [section(each.name, getattr(compared, each.name)) for each in fields(compared)]
    check_text("\n".join(lines), RECORDED / "comparison.txt")
    more = [{**each, "answers": each.get("answers", 2) + 1} for each in other.description["stages"]]
    edit_study(other.workspace, other.study.id, as_json({**other.description, "stages": more}))
    edited = "\n".join(section(*each) for each in services(recorded))
    assert edited.splitlines() == alone.splitlines()
    delete_study(other.workspace, other.study.id, other.study.name)
    for _ in range(2):
        left = "\n".join(section(*each) for each in services(recorded))
        assert left.splitlines() == alone.splitlines()
        finish_deletions(other.workspace)


def test_what_exports_hold(recorded: RecordedStudy) -> None:
    """Every format, without lines of files that an earlier one has in a file of the same name."""
    seen: set[tuple[str, str]] = set()
    lines = []
    for name in FORMATS:
        options = {"discussion": True} if name == "csv" else {}
        for file, content in export_files(recorded.workspace, recorded.study.id, name, **options).items():
            new = [line for line in readable(file, content) if (Path(file).name, line) not in seen]
            seen |= {(Path(file).name, line) for line in new}
            lines += [f"== {name}/{file}", *new] if new else []
    check_text("\n".join([*lines, ""]), RECORDED / "exports.txt")


def readable(name: str, content: bytes) -> list[str]:
    """The lines of a file: of a Parquet table its columns with their types, of others of its kind, and of a workbook, the
    head and the first row, as the table is recorded as CSV."""
    if name.endswith(".parquet"):
        frame = pl.read_parquet(io.BytesIO(content))
        return [", ".join(f"{column} {kind}" for column, kind in frame.schema.items())]
    if name.endswith(".xlsx"):
        return sheets(content, 2)
    text = content.decode()
    if name.endswith(".jsonl"):
        return text.splitlines()[:1]
    if not name.endswith(".json"):
        return text.splitlines()
    held = json.loads(text)
    if name.endswith("croissant.json"):
        held = without_files(held)
    if isinstance(held, Mapping):
        return [
            f"{key}: {shown(each)}" for key, each in held.items() if key not in ("exported", "datePublished")
        ]
    return [shown(each) for each in held]


def without_files(record: Mapping[str, Any]) -> dict[str, Any]:
    """A Croissant record without the vocabulary, with a line for each of its tables, and without the digests of
    files, which another version of Polars writes otherwise."""
    files = {each["name"]: each["encodingFormat"] for each in record["distribution"]}
    tables = {
        each["name"]: [(field["@id"], field["dataType"], field["source"]) for field in each["field"]][:2]
        for each in record["recordSet"]
    }
    return {**record, "@context": "", "distribution": "", "recordSet": "", **files, **tables}


def sheets(content: bytes, most: int | None = None) -> list[str]:
    """The cells of a workbook, and what it offers for them."""
    lines = []
    for sheet in openpyxl.load_workbook(io.BytesIO(content)):
        widths = " ".join(f"{column}={size.width:g}" for column, size in sheet.column_dimensions.items())
        lines.append(f"-- {sheet.title}, fixed at {sheet.freeze_panes}, {widths}")
        for row in sheet.iter_rows(max_row=most, values_only=True):
            lines.append(" | ".join("" if cell is None else str(cell) for cell in row))
        lines += [
            f"{each.sqref}: {each.type} {each.formula1}" for each in sheet.data_validations.dataValidation
        ]
    return lines


COMMANDS = (
    "studies",
    "progress village",
    "progress village --json",
    "agreement village",
    "assignments village",
    "assignments village --json",
    "assignments village --stalled",
    "assignments village --person p-000000000007",
    "assign-by-rule village verify --each 2 --language --preview",
    "assign-by-rule village verify --again --most 9 --preview --json",
    "media village",
    "hand-out village verify p-000000000007 --count 1 --out sheet.xlsx",
    "template",
    "check missing.yaml",
    "invite village",
    "progress vilage",
)


def test_what_commands_print(recorded: RecordedStudy, tmp_path: Path) -> None:
    lines = []
    environment = {"COLUMNS": "150", "PATH": os.environ["PATH"], "FOLKWAYS_DATA": str(tmp_path)}
    location = str(recorded.workspace.location)
    for command in COMMANDS:
        done = folkways(
            "studio",
            *command.split(),
            *(() if command.startswith(OF_FILES) else ("-w", location)),
            cwd=tmp_path,
            env=environment,
        )
        lines += [
            f"$ folkways studio {command}",
            *done.stdout.splitlines(),
            *done.stderr.splitlines(),
            f"({done.returncode})",
            "",
        ]
    check_text("\n".join(lines), RECORDED / "commands.txt", {str(tmp_path): "FOLDER", location: "WORKSPACE"})


OF_FILES = ("template", "check")
"""Commands without a workspace."""
