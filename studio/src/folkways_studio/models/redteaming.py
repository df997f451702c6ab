"""Writing a question against a model, step by step: scenario, suggestion, edits, challenges. Each step is a
revision of the item.

The steps work on an assignment of a stage of kind ``write_question``; at the end the question is submitted
like any other work (``judgements.submit``). Without a helper or verifier the study has the same steps but for
those.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from threading import Event
from types import MappingProxyType
from typing import Any

from folkways.sdk.cultures import cultures
from folkways.sdk.workspace import Workspace
from folkways_studio.activity import ModelCall
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row, get_row
from folkways_studio.errors import ConflictError, Message
from folkways_studio.items.service import add_revision, item_within
from folkways_studio.models import modelling
from folkways_studio.models.offered import OfferedModel
from folkways_studio.records import Item, ItemState, Stage, Study, from_row
from folkways_studio.stages.fields import raise_if
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import get_study
from folkways_studio.work.assignments import Work, get_work
from folkways_studio.work.leases import require_leased
from folkways_studio.workflows import helping

WORDING = ("question", "options", "intended")
"""The fields that the verifier is asked with."""


def write_scenario(workspace: Workspace, participant_id: int, assignment_id: int, scenario: str) -> Item:
    """Store the scenario of the question that a person (participant_id) writes in a slot (assignment_id)
    of the workspace. SubmissionError if it is too short or too long."""
    problems: dict[str, str] = {}
    written = _written({"scenario": scenario}, ("scenario",), problems)
    raise_if(problems)
    work = writing_at_hand(workspace, participant_id, assignment_id)
    return _revise(workspace, work, "scenario", written)


def suggest(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    offered: Mapping[str, OfferedModel],
    *,
    gone: Event | None = None,
) -> tuple[Mapping[str, Any] | None, ModelCall]:
    """Have the helper make a question of the scenario; it becomes the item's question. None if the call
    brought none (it says why).

    workspace, participant_id, assignment_id: the slot in which the person writes. offered, gone: see
    ``modelling.call_model``. ConflictError if there is no scenario yet, or no helper.
    """
    work = writing_at_hand(workspace, participant_id, assignment_id)
    scenario = work.item.content.get("scenario")
    if not scenario:
        raise ConflictError("write a scenario first")
    study, place_name = _place(workspace, work)
    prompt = helping.helper_prompt(scenario, place_name)
    call = modelling.call_model(
        workspace,
        offered,
        study,
        "helper",
        prompt,
        helping.HELPER_TOKENS,
        item_id=work.item.id,
        participant_id=participant_id,
        gone=gone,
    )
    suggestion = helping.read_suggestion(call.reply) if call.reply is not None else None
    if suggestion is None:
        problem = (
            call.problem
            or "the helper's reply holds no question with four options; ask again, or write one yourself"
        )
        return None, modelling.note_reading(workspace, call, None, problem)
    _revise(workspace, work, "suggestion", suggestion)
    return suggestion, modelling.note_reading(workspace, call, suggestion)


def edit(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    question: str,
    options: Sequence[str],
    intended: Sequence[int],
    *,
    strategy: str | None = None,
) -> Item:
    """Store the question as the author has it now.

    workspace, participant_id, assignment_id: the slot in which the person writes. options: four texts.
    intended: positions of the right ones. strategy: the key of ``helping.strategies`` that the author
    followed, if any. SubmissionError for wrong fields.
    """
    problems: dict[str, str] = {}
    source = {"question": question, "options": list(options), "intended": list(intended)}
    changes = _written(source, WORDING, problems)
    if strategy is not None and strategy not in helping.strategies():
        named = f"choose one of: {', '.join(helping.strategies())}"
        problems["strategy"] = Message("Choose one of the answers.", named)
    raise_if(problems)
    work = writing_at_hand(workspace, participant_id, assignment_id)
    more = {"strategies": strategy} if strategy is not None else {}
    return _revise(workspace, work, "revision" if strategy else "edit", changes, more, strategy=strategy)


def challenge(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    offered: Mapping[str, OfferedModel],
    *,
    gone: Event | None = None,
) -> ModelCall:
    """Ask the verifier the current question.

    workspace, participant_id, assignment_id: the slot in which the person writes. offered, gone: see
    ``modelling.call_model``. SubmissionError if the question is not complete; ConflictError without a
    verifier, or after as many challenges as the stage allows.

    The call's ``read`` is how it did. chosen: position of its option, None if it settled on none.
    fooled: it chose a wrong one; None if it gave no answer because of the call's ``problem``.
    """
    work = writing_at_hand(workspace, participant_id, assignment_id)
    content = work.item.content
    problems: dict[str, str] = {}
    written = _written(content, WORDING, problems)
    if not written.get("intended"):
        problems["intended"] = Message("Mark at least one option as right, and not all of them.")
    raise_if(problems)
    question, options, intended = (written[name] for name in WORDING)
    _require_challenges_left(work.stage, content)
    study, place_name = _place(workspace, work)
    prompt = helping.verifier_prompt(question, options, place_name)
    call = modelling.call_model(
        workspace, offered, study, "verifier", prompt, helping.VERIFIER_TOKENS, item_id=work.item.id,
        participant_id=participant_id, gone=gone,
    )  # fmt: skip
    chosen = helping.read_choice(call.reply) if call.reply is not None else None
    fooled = chosen not in intended if chosen is not None else None
    problem = (
        call.problem
        if call.reply is None
        else None
        if chosen is not None
        else "the model's reply names no single option"
    )
    call = modelling.note_reading(workspace, call, {"chosen": chosen, "fooled": fooled}, problem)
    entry = {"question": question, "options": options, "chosen": chosen, "fooled": fooled, "call": call.id}
    if call.reply is not None:
        _revise(workspace, work, "challenge", {}, {"challenges": entry})
    return call


def _require_challenges_left(stage: Stage, content: Mapping[str, Any]) -> None:
    most = stage.config["most_challenges"]
    if len(content.get("challenges", ())) >= most:
        raise ConflictError(
            "this question has been tried as often as it may (%(most)s); submit it as it is, or write "
            "another",
            most=most,
        )


def writing_at_hand(workspace: Workspace, participant_id: int, assignment_id: int) -> Work:
    """The question that a person is writing in a slot of theirs; ConflictError for any other work."""
    work = get_work(workspace, participant_id, assignment_id)
    require_leased(work.assignment)
    if not stage_kind(work.stage.kind).asks_models:
        raise ConflictError("this step belongs to writing a question")
    return work


def _place(workspace: Workspace, work: Work) -> tuple[Study, str]:
    """The study, and the name of the culture that the item is about."""
    with workspace.read() as connection:
        population = find_row(connection, schema.populations, id=work.item.population_id)
    name = "that country" if population is None else cultures()[population.culture].name
    if population is not None and population.parent_id is not None:
        name = f"{population.title} ({name})"
    return get_study(workspace, work.item.study_id), name


def _revise(
    workspace: Workspace,
    work: Work,
    step: str,
    changes: Mapping[str, Any],
    more: Mapping[str, Any] = MappingProxyType({}),
    *,
    strategy: str | None = None,
) -> Item:
    """Change the content of the item and note the revision. more: what is put at the end of lists in it, to
    which another tab may have added meanwhile."""
    with workspace.claim() as connection:
        row = item_within(connection, work.item.study_id, work.item.id, lock="row")
        if row.state != ItemState.DRAFT:
            raise ConflictError("this question was submitted")
        if "challenges" in more:  # another tab may have had the last one while the model was asked
            _require_challenges_left(work.stage, row.content)
        added = {name: [*row.content.get(name, ()), each] for name, each in more.items()}
        content = {**row.content, **changes, **added}
        change_rows(connection, schema.items, {"id": row.id}, content=content)
        author = work.assignment.participant_id
        add_revision(connection, row.id, step, content, participant_id=author, strategy=strategy)
        until = time.time() + 60.0 * float(work.stage.config["lease_minutes"])
        change_rows(connection, schema.assignments, {"id": work.assignment.id}, lease_until=until)
        return from_row(Item, get_row(connection, schema.items, id=row.id))


def _written(source: Mapping[str, Any], names: Sequence[str], problems: dict[str, str]) -> dict[str, Any]:
    """These fields of a question that is still being written; notes what is wrong with them."""
    kind = stage_kind("write_question")
    return kind.taken(source, [part for part in kind.ask if part["key"] in names], {}, problems)
