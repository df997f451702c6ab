"""Models in the loop: asked through the same endpoints and workspace as in evaluation, with every call on
record.

A studio is started with a list of the models that it may ask (``models.offered``); a study chooses
from it by name. Keys come from the environment of the server, and are never stored or shown. A model that
fails is reported to the person in words and in the log of the server; a study goes on without it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from folkways.sdk.display import storable
from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways.sdk.workspace import Workspace
from folkways_studio.activity import ModelCall
from folkways_studio.database import schema
from folkways_studio.database.rows import changed, count, inserted, read_all, read_values
from folkways_studio.errors import ConflictError
from folkways_studio.models.offered import OfferedModel, open_offered
from folkways_studio.records import Study

if TYPE_CHECKING:
    from folkways.sdk.models import Prompt

TIMEOUT_SECONDS = 20.0
"""How long somebody waits for a model at most, however often it is asked in that time."""

TOO_LATE = f"no answer within {TIMEOUT_SECONDS:g} s"
GIVEN_UP = "given up by the person who asked"
REFUSED = "the model refused to answer"
SPENT = "the study's budget for models is used up"
FAILED = "the model could not be asked; the log of the server says why"
"""Why there is no reply: all that is stored and shown of it. What a model's server says in an error is for
the log alone."""

LOG = logging.getLogger("folkways_studio")


PURPOSES = ("helper", "verifier", "suggester")
"""What a study may have a model for."""


def models_of(study: Study) -> Mapping[str, str]:
    """Purpose (of PURPOSES) -> name of the model that the study uses for it; purposes without one are
    absent."""
    return models_in(study.definition)


def models_in(definition: Mapping[str, Any]) -> Mapping[str, str]:
    """``models_of`` for the description of a study."""
    named = definition.get("models") or {}
    return {purpose: str(named[purpose]) for purpose in PURPOSES if named.get(purpose)}


def not_offered(study: Study, offered: Mapping[str, OfferedModel]) -> tuple[str, ...]:
    """The models that a study names and this server may not ask."""
    return tuple(name for name in dict.fromkeys(models_of(study).values()) if name not in offered)


def check_offered(definition: Mapping[str, Any], offered: Mapping[str, OfferedModel]) -> None:
    """UnknownNameError where the description of a study names a model that this server may not ask."""
    unknown = [name for name in models_in(definition).values() if name not in offered]
    if unknown:
        raise UnknownNameError("model of this server", unknown[0], sorted(offered))


def call_model(
    workspace: Workspace,
    offered: Mapping[str, OfferedModel],
    study: Study,
    purpose: str,
    prompt: str,
    max_tokens: int,
    *,
    item_id: int | None = None,
    participant_id: int | None = None,
    gone: Event | None = None,
) -> ModelCall:
    """Ask the model that the study has for ``purpose``; the call has the reply or the problem.

    workspace: where calls are stored. offered: name -> model that this server may ask. prompt: the
    message; the reply has at most max_tokens. item_id, participant_id: what it is about, and who asks,
    if anybody. gone: set once the person no longer waits.

    The same words are not asked twice. ConflictError if the study has no model for the purpose, or one
    that is not offered; if the study or the person has made as many calls as they may (``most_calls``
    and ``most_calls_per_person`` of its ``models``); or if all money is spent (``most_usd``).
    Simultaneous calls are counted once they have their reply.
    """
    from folkways.sdk.models import Prompt

    name = models_of(study).get(purpose)
    if name is None:
        raise ConflictError("this study has no model as %(purpose)s; go on without it", purpose=purpose)
    if name not in offered:
        raise ConflictError("the model of this study is none that this server may ask; go on without it")
    _check_calls(workspace, study, participant_id)
    left = _money_left(workspace, study)
    row: dict[str, Any] = {
        "study_id": study.id,
        "item_id": item_id,
        "participant_id": participant_id,
        "purpose": purpose,
        "endpoint": name,
        "run": "",
        "prompt": storable(prompt),
        "created": time.time(),
        "usd": None,
    }
    prompt_of = Prompt(
        storable(prompt), f"studio-{purpose}", f"{study.name}:{item_id}", max_tokens, variant=purpose
    )
    try:
        row |= _ask(workspace, study, prompt_of, offered[name], item_id, left, gone or Event())
    except FolkwaysError as error:
        LOG.warning("the studio could not ask %s for study %s: %s", name, study.name, error)
        row["problem"] = FAILED
    with workspace.write() as connection:
        return inserted(connection, ModelCall, schema.model_calls, row)


def _ask(
    workspace: Workspace,
    study: Study,
    prompt: Prompt,
    offered: OfferedModel,
    item_id: int | None,
    left: float | None,
    gone: Event,
) -> dict[str, Any]:
    from folkways.sdk.models import AskOptions, AskSession
    from folkways.sdk.runs import State
    from folkways_studio.models.timed_endpoint import TimedEndpoint

    # A run per item: people who wait for their models at the same time have nothing to do with each other.
    kind = prompt.task
    config = {"study": study.name, "purpose": prompt.variant, "item": item_id, "aside": kind}
    opened = open_offered(offered, TIMEOUT_SECONDS)
    # it tries again, not the run: its failures are final
    patient = TimedEndpoint(opened.endpoint, TIMEOUT_SECONDS, gone)
    model = replace(opened, endpoint=patient)
    options = AskOptions(budget=None if left is None else f"{left:.6f}usd")
    with AskSession(workspace, config, [model], kind, options, name=f"{kind}-") as session:
        (reply,) = session.ask(model, [prompt])
    details = {"run": session.run.name, "usd": session.usd}
    if reply.said is not None:
        return {**details, "reply": reply.said, "problem": None}
    refused = reply.state is State.REFUSED
    problem = GIVEN_UP if gone.is_set() else TOO_LATE if patient.late else REFUSED if refused else FAILED
    if left is not None and session.stopped is not None:
        problem = SPENT
    if problem in (REFUSED, FAILED):
        LOG.warning("%s, asked for study %s: %s", offered.model, study.name, reply.reason)
    return {**details, "reply": None, "problem": problem}


def _check_calls(workspace: Workspace, study: Study, participant_id: int | None) -> None:
    limits, table = study.definition.get("models") or {}, schema.model_calls
    most, most_own = limits.get("most_calls"), limits.get("most_calls_per_person")
    of_study = table.c.study_id == study.id
    with workspace.read() as connection:
        if most is not None and count(connection, table, of_study) >= most:
            raise ConflictError(
                "this study has asked models as often as it may (%(most)s); go on without them", most=most
            )
        if (
            most_own is not None
            and count(connection, table, of_study, table.c.participant_id == participant_id) >= most_own
        ):
            raise ConflictError(
                "you have asked models as often as one may (%(most)s); go on without them", most=most_own
            )


def _money_left(workspace: Workspace, study: Study) -> float | None:
    """US dollars that the study may still spend; None where it has no limit. ConflictError where nothing is
    left."""
    most = (study.definition.get("models") or {}).get("most_usd")
    if most is None:
        return None
    table = schema.model_calls
    spent = (
        read_values(workspace, sa.select(sa.func.sum(table.c.usd)).where(table.c.study_id == study.id))[0]
        or 0.0
    )
    if spent >= most:
        raise ConflictError("this study has spent what it may on models; go on without them")
    return float(most - spent)


def note_reading(
    workspace: Workspace, call: ModelCall, read: Mapping[str, Any] | None, problem: str | None = None
) -> ModelCall:
    """Store in the workspace what was read out of a call's reply, or the ``problem`` with it."""
    values = {
        "read": dict(read) if read is not None else None,
        "problem": problem if problem is not None else call.problem,
    }
    with workspace.write() as connection:
        return changed(connection, ModelCall, schema.model_calls, call.id, **values)


def list_calls(workspace: Workspace, study_id: int, *, item_id: int | None = None) -> Sequence[ModelCall]:
    """The calls of a study, or of one item of it, oldest first."""
    query = sa.select(schema.model_calls).filter_by(study_id=study_id).order_by(schema.model_calls.c.id)
    if item_id is not None:
        query = query.filter_by(item_id=item_id)
    return read_all(workspace, ModelCall, query)
