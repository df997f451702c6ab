"""Runs the jobs of models that suggest: asks an ML backend or the study's own model, and sends
answers to learn from. Work that is interrupted goes on later where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.database import schema
from folkways_studio.errors import NotFoundError, SubmissionError
from folkways_studio.exports.annotations import annotated_stages
from folkways_studio.exports.snapshot import take_snapshot
from folkways_studio.formats import label_studio
from folkways_studio.formats.questions import AnnotatedItem, AnnotatedStage, MismatchError
from folkways_studio.items import service as items
from folkways_studio.items.import_runner import OURS, signalling
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.table_files import RowsError
from folkways_studio.models.modelling import models_of
from folkways_studio.models.offered import OfferedModel
from folkways_studio.models.suggesting import PURPOSE, UNREADABLE, ask_suggester
from folkways_studio.programs import ml_backends
from folkways_studio.programs.backend_client import MISSING, BackendClient, BackendError, Predictions
from folkways_studio.programs.ml_backends import MOST_PROBLEMS, BackendJob, MlBackend
from folkways_studio.records import ItemState
from folkways_studio.studies import service as studies
from folkways_studio.workflows.suggesting import SUGGESTERS

LOG = logging.getLogger("folkways_studio")

AT_ONCE = 20
"""Tasks in one request."""

Going = Callable[[], bool]


@dataclass
class _Run:
    """A job at work. stage: with the items that may leave the study."""

    workspace: Workspace
    job: BackendJob
    backend: MlBackend
    client: BackendClient
    stage: AnnotatedStage
    going: Going
    added: int = 0
    done: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    def goes_on(self) -> bool:
        """Whether the job is still to be done here."""
        return self.going() and ml_backends.signal(self.workspace, self.job)

    def note(self, total: int) -> None:
        """Store how far it is. total: items or answers in all."""
        result = {"total": total, "done": self.done, "added": self.added}
        problems = [list(each) for each in self.problems[:MOST_PROBLEMS]]
        ml_backends.note_progress(self.workspace, self.job, {**result, "problems": problems})


def run_job(
    workspace: Workspace,
    job: BackendJob,
    *,
    private: bool,
    offered: Mapping[str, OfferedModel] | None = None,
    going: Going = lambda: True,
) -> None:
    """Do a claimed job, or as much of it as there is time for; what went wrong is stored with it.
    WorkspaceError if the database fails: the job is then taken up again.

    workspace, job: which. private: whether its server may be in the studio's own network. offered: name ->
    model that this server may ask. going: asked before each request whether to go on.
    """
    try:
        with signalling(lambda: ml_backends.signal(workspace, job)):
            if job.work == "suggest":
                whole = _suggest(workspace, job, offered or {}, going)
            else:
                run = _begun(workspace, job, private, going)
                whole = _predict(run) if job.work == "predict" else _train(run)
        if whole:
            ml_backends.end_job(workspace, job)
        elif not going():
            ml_backends.release_job(workspace, job)
    except WorkspaceError:
        raise
    except FolkwaysError as error:
        ml_backends.end_job(workspace, job, str(error))
    except Exception:
        LOG.exception("the studio could not do the job %s of an ML backend", job.id)
        ml_backends.end_job(workspace, job, OURS)


def _suggest(
    workspace: Workspace, job: BackendJob, offered: Mapping[str, OfferedModel], going: Going
) -> bool:
    """Ask the study's suggester about every open item for which it has suggested nothing with this wording;
    whether that is done. What cannot be used as an answer is noted; another job asks again."""
    stage = studies.get_stage(workspace, job.study_id, job.stage or "")
    suggester = SUGGESTERS[stage.kind]
    model = models_of(studies.get_study(workspace, job.study_id)).get(PURPOSE, "")
    numbers = sorted(_open_without(workspace, stage.id, model, suggester.version))
    added, problems = 0, list[list[str]]()
    for done, number in enumerate(numbers):
        result = {"total": len(numbers), "done": done, "added": added, "problems": problems}
        ml_backends.note_progress(workspace, job, result)
        if not (going() and ml_backends.signal(workspace, job)):
            return False
        item = items.get_item(workspace, job.study_id, number)
        try:
            suggestion, call = ask_suggester(
                workspace, item, suggester, offered, {}, population_id=item.population_id
            )
            if suggestion is None:
                raise SubmissionError({"": call.problem or UNREADABLE})
            new = NewPreAnnotation(model, suggestion, suggester.version, source="model")
            made = add_suggestions(workspace, job.study_id, stage.name, [(number, new)], by=job.account_id)
            added += made.added + made.replaced
        except (SubmissionError, RowsError) as error:
            words = next(iter(error.problems.values()))
            problems += [[item.key, str(words)]] if len(problems) < MOST_PROBLEMS else []
    result = {"total": len(numbers), "done": len(numbers), "added": added, "problems": problems}
    ml_backends.note_progress(workspace, job, result)
    return True


def _begun(workspace: Workspace, job: BackendJob, private: bool, going: Going) -> _Run:
    backend = ml_backends.get_backend(workspace, job.study_id, job.backend_id or 0)
    stages = {stage.id: stage for stage in studies.stages(workspace, job.study_id)}
    name = stages[backend.stage_id].name
    snapshot = take_snapshot(workspace, job.study_id)
    stage = next((each for each in annotated_stages(snapshot, ()) if each.name == name), None)
    if stage is None:
        raise NotFoundError(f"the stage {name} has no items yet that people are asked about")
    project = f"{snapshot.study.name}.{name}"
    client = BackendClient(backend.url, project, label_studio.labeling_config(stage), private)
    return _Run(workspace, job, backend, client, stage, going)


def _predict(run: _Run) -> bool:
    """Ask about every open item for which this version of the model has suggested nothing; whether that is
    done."""
    version = run.client.set_up()
    ml_backends.note_state(run.workspace, run.backend.id, version=version)
    waiting = _unsuggested(run, version)
    run.note(len(waiting))
    for start in range(0, len(waiting), AT_ONCE):
        if not run.goes_on():
            return False
        items = waiting[start : start + AT_ONCE]
        tasks = list(_tasks(replace(run.stage, items=[_bare(each) for each in items])))
        reply = run.client.predict(tasks)
        _store(run, items, tasks, reply, reply.version or version)
        run.done += len(items)
        run.note(len(waiting))
    return True


def _unsuggested(run: _Run, version: str) -> list[AnnotatedItem]:
    """Open items without a suggestion of this version."""
    wanted = _open_without(run.workspace, run.backend.stage_id, run.backend.model, version)
    return [each for each in run.stage.items if each.meta["item_id"] in wanted]


def _open_without(workspace: Workspace, stage_id: int, model: str, version: str) -> set[int]:
    """The ids of the open items of a stage for which a version of a model has suggested nothing."""
    table, suggestions = schema.items, schema.preannotations
    query = sa.select(table.c.id).where(
        table.c.stage_id == stage_id,
        table.c.state == ItemState.OPEN,
        ~sa.exists().where(
            suggestions.c.item_id == table.c.id,
            suggestions.c.model == model,
            suggestions.c.version == version,
        ),
    )
    with workspace.read() as connection:
        return set(connection.scalars(query))


def _bare(item: AnnotatedItem) -> AnnotatedItem:
    return replace(item, answers=(), decided=None, suggestions=())


def _tasks(stage: AnnotatedStage) -> Iterator[dict[str, Any]]:
    """The items as tasks with ids; nobody's pseudonym leaves with an answer."""
    for item, task in zip(stage.items, label_studio.tasks(stage), strict=True):
        annotations = [
            {name: value for name, value in each.items() if name != "annotator"}
            for each in task["annotations"]
        ]
        yield {**task, "id": item.meta["item_id"], "annotations": annotations}


def _store(
    run: _Run,
    items: Sequence[AnnotatedItem],
    tasks: Sequence[Mapping[str, Any]],
    reply: Predictions,
    version: str,
) -> None:
    """Store what can be used, and note what cannot."""
    new: list[tuple[int | str, NewPreAnnotation]] = []
    for item, task, predictions in zip(items, tasks, reply.of_tasks, strict=True):
        if not predictions:
            continue
        try:
            new.append((item.meta["item_id"], _suggestion(run, item, task, predictions[0], version)))
        except MismatchError as error:
            run.problems.append((item.key, str(error)))
        except (KeyError, TypeError, ValueError, AttributeError):
            run.problems.append((item.key, "the prediction is not written as Label Studio writes them"))
    try:
        run.added += _add(run, new)
    except RowsError as error:
        keys = {item.meta["item_id"]: item.key for item in items}
        run.problems += [
            (keys[int(new[number - 1][0])], problem) for number, problem in error.problems.items()
        ]
        run.added += _add(run, [each for number, each in enumerate(new, 1) if number not in error.problems])


def _add(run: _Run, new: Sequence[tuple[int | str, NewPreAnnotation]]) -> int:
    if not new:
        return 0
    made = add_suggestions(run.workspace, run.job.study_id, run.stage.name, new, by=run.job.account_id)
    return made.added + made.replaced


def _suggestion(
    run: _Run, item: AnnotatedItem, task: Mapping[str, Any], prediction: Mapping[str, Any], version: str
) -> NewPreAnnotation:
    read = label_studio.read_task({"data": task["data"], "predictions": [prediction]}, item.parts)
    score = prediction.get("score")
    if not isinstance(score, int | float) or isinstance(score, bool) or not 0 <= score <= 1:
        score = None  # of some models it is none of 0 to 1: then it ranks nothing here
    own_version = str(prediction.get("model_version") or version)[:128]
    return NewPreAnnotation(run.backend.model, read.suggestions[0].values, own_version, score, "backend")


def _train(run: _Run) -> bool:
    """Send the answers that the server has not been sent, an event for each, and ask it to train; or all at
    once to one that takes no events. Whether that is done."""
    run.client.set_up()
    answered = [each for each in run.stage.items if each.answers]
    if not answered:
        raise BackendError("there are no answers yet that the model could learn from")
    tasks = list(_tasks(replace(run.stage, items=[replace(each, suggestions=()) for each in answered])))
    last = max(answer.created or 0.0 for item in answered for answer in item.answers)
    try:
        if not _send_events(run, answered, tasks):
            return False
    except BackendError as error:
        if error.http_status not in MISSING or run.done:
            raise
        run.client.train(tasks)
        run.done = sum(len(each.answers) for each in answered)
        run.note(run.done)
    ml_backends.note_state(run.workspace, run.backend.id, version=run.client.set_up(), trained=last)
    return True


def _send_events(run: _Run, items: Sequence[AnnotatedItem], tasks: Sequence[Mapping[str, Any]]) -> bool:
    since = run.backend.trained or 0.0
    waiting = sorted(
        (
            (answer.created or 0.0, {**task, "annotations": []}, task["annotations"][number])
            for item, task in zip(items, tasks, strict=True)
            for number, answer in enumerate(item.answers)
            if (answer.created or 0.0) > since
        ),
        key=lambda each: each[0],
    )
    run.note(len(waiting))
    for created, task, annotation in waiting:
        if not run.goes_on():
            return False
        run.client.send_event("ANNOTATION_CREATED", task=task, annotation=annotation)
        ml_backends.note_state(run.workspace, run.backend.id, trained=created)
        run.done += 1
        run.note(len(waiting))
    run.client.send_event("START_TRAINING")
    return True
