"""Models in the loop: asked through the same endpoints and workspace as in evaluation, with every call on record.

A study names its models in its description. Keys come from the environment of the server, and are never stored or shown. A
model that fails is told to the person in words; a study goes on without it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.clean import storable
from folkways.errors import FolkwaysError
from folkways.runs.asides import Aside, How, ask_asides
from folkways.runs.models import Model, open_models
from folkways.studio import schema
from folkways.studio.activity import ModelCall
from folkways.studio.errors import ConflictError
from folkways.studio.records import Study, from_row
from folkways.studio.services.rows import change_rows, get_row
from folkways.studio.services.studies import inserted_id
from folkways.workspace.database import Workspace

TIMEOUT_SECONDS = 60.0
ATTEMPTS = 3
"""How long and how often a model is asked while somebody waits for the page."""


def models_of(study: Study) -> Mapping[str, str]:
    """Purpose (helper, verifier) -> name of the model that the study uses for it; purposes without one are absent."""
    named = study.definition.get("models") or {}
    return {purpose: str(named[purpose]) for purpose in ("helper", "verifier") if named.get(purpose)}


def check_models(study: Study) -> Mapping[str, str]:
    """Name -> what keeps a model of the study from being asked (a missing key, say); empty where all can be."""
    problems = {}
    for name in dict.fromkeys(models_of(study).values()):
        try:
            open_models([name], EndpointOptions())
        except FolkwaysError as error:
            problems[name] = str(error)
    return problems


def call_model(
    workspace: Workspace,
    study: Study,
    purpose: str,
    prompt: str,
    max_tokens: int,
    *,
    item_id: int | None = None,
    participant_id: int | None = None,
) -> ModelCall:
    """Ask the model that the study has for ``purpose``; the call has the reply or the problem.

    What was asked before in the same words is not asked again. ConflictError where the study has no model for it, or has made
    as many calls as it may (``models.most_calls``).
    """
    name = models_of(study).get(purpose)
    if name is None:
        raise ConflictError("this study has no model as %(purpose)s; go on without it", purpose=purpose)
    _check_calls(workspace, study)
    row: dict[str, Any] = {
        "study_id": study.id,
        "item_id": item_id,
        "participant_id": participant_id,
        "purpose": purpose,
        "endpoint": name,
        "run": "",
        "prompt": storable(prompt),
        "created": time.time(),
    }
    try:
        (model,) = open_models([name], EndpointOptions(timeout=TIMEOUT_SECONDS))
        row |= _ask(workspace, study, purpose, storable(prompt), max_tokens, model, item_id)
    except FolkwaysError as error:
        row["problem"] = str(error)
    with workspace.write() as connection:
        return _get(connection, inserted_id(connection, schema.model_calls, row))


def _ask(
    workspace: Workspace, study: Study, purpose: str, prompt: str, max_tokens: int, model: Model, item_id: int | None
) -> dict[str, Any]:
    # A run per item: people who wait for their models at the same time have nothing to do with each other.
    config = {"study": study.name, "purpose": purpose, "item": item_id}
    aside = Aside(prompt, f"{study.name}:{item_id}", "en", purpose)
    asked = ask_asides(workspace, f"studio-{purpose}", config, [aside], model, max_tokens, How(attempts=ATTEMPTS))
    (reply,) = asked.replies
    told = reply.text if not reply.refused else None
    problem = None if told is not None else f"the model refused: {reply.reason}" if reply.refused else reply.reason
    return {"run": asked.run.name, "reply": told, "problem": problem}


def _check_calls(workspace: Workspace, study: Study) -> None:
    most = (study.definition.get("models") or {}).get("most_calls")
    if most is None:
        return
    with workspace.read() as connection:
        made = connection.scalar(sa.select(sa.func.count()).where(schema.model_calls.c.study_id == study.id)) or 0
    if made >= most:
        raise ConflictError("this study has made the %(most)s calls to models that it may; go on without them", most=most)


def note_reading(workspace: Workspace, call: ModelCall, read: Mapping[str, Any] | None, problem: str | None = None) -> ModelCall:
    """Add to a call what was read out of its reply."""
    values = {"read": dict(read) if read is not None else None, "problem": problem if problem is not None else call.problem}
    with workspace.write() as connection:
        change_rows(connection, schema.model_calls, {"id": call.id}, **values)
        return _get(connection, call.id)


def list_calls(workspace: Workspace, study_id: int, *, item_id: int | None = None) -> Sequence[ModelCall]:
    """The calls of a study, or of one item of it, oldest first."""
    query = sa.select(schema.model_calls).filter_by(study_id=study_id).order_by(schema.model_calls.c.id)
    if item_id is not None:
        query = query.filter_by(item_id=item_id)
    with workspace.read() as connection:
        return tuple(from_row(ModelCall, row) for row in connection.execute(query))


def _get(connection: sa.Connection, number: int) -> ModelCall:
    return from_row(ModelCall, get_row(connection, schema.model_calls, id=number))
