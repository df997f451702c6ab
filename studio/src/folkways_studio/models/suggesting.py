"""Asking a study's suggester for somebody at work: for groups of answers, and for translations."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event
from typing import Any

from folkways.sdk.cultures import cultures, get_language
from folkways.sdk.display import storable
from folkways.sdk.workspace import Workspace
from folkways_studio.activity import ModelCall, ModelSuggestion
from folkways_studio.database import schema
from folkways_studio.database.rows import find_row, get_row, inserted
from folkways_studio.errors import ConflictError
from folkways_studio.models import modelling
from folkways_studio.models.offered import OfferedModel
from folkways_studio.records import Item, Stage
from folkways_studio.stages.base import SHOWN
from folkways_studio.studies.service import get_study
from folkways_studio.work.assignments import get_work
from folkways_studio.work.leases import require_leased
from folkways_studio.workflows.suggesting import SUGGESTERS, Suggester

PURPOSE = "suggester"
UNREADABLE = "the reply holds no suggestion that can be used"


def suggester_of(stage: Stage) -> Suggester | None:
    """What people may have suggested in a stage; None where nothing may, or the study does not show
    suggestions to all of them there (``suggestions``)."""
    return SUGGESTERS.get(stage.kind) if stage.config["suggestions"] == SHOWN else None


def suggest(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    offered: Mapping[str, OfferedModel],
    written: Mapping[str, Any],
    *,
    gone: Event | None = None,
) -> tuple[ModelSuggestion | None, ModelCall]:
    """Have the study's suggester suggest an answer for the item at hand. None if the call brought none (it
    says why).

    workspace, participant_id, assignment_id: the person's slot.
    written: the form as it is.
    offered, gone: see ``modelling.call_model``, which also says what raises ConflictError; so does a stage in
        which nothing is suggested.
    """
    work = get_work(workspace, participant_id, assignment_id)
    require_leased(work.assignment)
    suggester = suggester_of(work.stage)
    if suggester is None:
        raise ConflictError("nothing is suggested in this step")
    with workspace.read() as connection:
        person = get_row(connection, schema.participants, id=participant_id)
    suggestion, call = ask_suggester(
        workspace,
        work.item,
        suggester,
        offered,
        written,
        population_id=work.item.population_id or person.population_id,
        participant_id=participant_id,
        gone=gone,
    )
    if suggestion is None:
        return None, call
    row = {
        "item_id": work.item.id,
        "participant_id": participant_id,
        "call_id": call.id,
        "model": call.endpoint,
        "prompt_version": suggester.version,
        "content": dict(suggestion),
        "created": time.time(),
    }
    with workspace.write() as connection:
        return inserted(connection, ModelSuggestion, schema.suggestions, row), call


def ask_suggester(
    workspace: Workspace,
    item: Item,
    suggester: Suggester,
    offered: Mapping[str, OfferedModel],
    written: Mapping[str, Any],
    *,
    population_id: int | None,
    participant_id: int | None = None,
    gone: Event | None = None,
) -> tuple[Mapping[str, Any] | None, ModelCall]:
    """Ask the study's suggester about an item: fields of the form (None if the call brought none), and the
    call.

    workspace, item, suggester: what is asked, and how. written: the form as it is. population_id: whose words
    are meant. offered, participant_id, gone: see ``modelling.call_model``, which also says what raises
    ConflictError.
    """
    with workspace.read() as connection:
        population = find_row(connection, schema.populations, id=population_id)
    name = cultures()[population.culture].name if population is not None else "that country"
    language = (
        get_language(population.language).name if population is not None else "the language of the country"
    )
    call = modelling.call_model(
        workspace,
        offered,
        get_study(workspace, item.study_id),
        PURPOSE,
        suggester.prompt(item.content, written, name, language),
        suggester.max_tokens,
        item_id=item.id,
        participant_id=participant_id,
        gone=gone,
    )
    suggestion = suggester.read(storable(call.reply), item.content) if call.reply is not None else None
    call = modelling.note_reading(
        workspace, call, suggestion, call.problem or (UNREADABLE if suggestion is None else None)
    )
    return suggestion, call
