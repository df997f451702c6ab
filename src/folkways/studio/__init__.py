"""The studio: where people write, answer, verify and judge.

One small core serves every workflow; a workflow is a configuration of it. The parts, from the bottom:

- ``schema``, ``records``, ``activity``, ``errors``: tables (in the workspace's database), frozen records of their rows (people and
  their work; what the studio does by itself), what can go wrong (each error has a ``status`` for HTTP and words for people).
- ``rules``: plain functions: who may take part, how much one may take, when an item has enough answers, what they come to.
- ``workflows``: kinds of stages (``registry.STAGE_KINDS``) as pure functions, and the files that combine them (``definition``).
- ``services``: what can be done, each function one transaction on a ``Workspace``. Nothing else writes.
- ``exports``, ``imports``: out as releases, in from tables.
- ``web``: pages over the services.

A study has populations and stages. An item belongs to one stage, and to one population or to everybody. It has one slot (a row of
``assignments``) per answer that it needs; taking the row is the reservation. A judgement fills a slot for good. After each
judgement the stage's rule looks at the item (``services.settling``): more slots, done with a ``result``, dropped with a ``reason``,
asked again of a subpopulation. A done item is handed on to the stage that ``config["next"]`` names, as a new item with
``parent_id``.

Services, by what a page does (``ws`` is the workspace):

    accounts.create_account(ws, login, password)          accounts.verify_password(ws, login, password, key=address)
    accounts.require(ws, study_id, account_id, *roles)    accounts.give_role / take_role / roles_of / members
    sessions.open_session(ws, account_id) -> token        sessions.find_session(ws, token)   sessions.revoke / revoke_all
    studies.create_study(ws, definition, owner=id)        studies.get_study / list_studies / set_state / stages / populations
    invites.create_invite(ws, study_id, role, population=name) -> (invite, token)            invites.find_invite / revoke_invite
    participants.join(ws, token, account_id, external=)   participants.consent(ws, id, version)
    participants.answer_eligibility(ws, id, answers)      participants.waive_eligibility / finish / withdraw / add_staff
    participants.attributes / delete_attributes           (personal; by study and participant)
    assignments.claim_next(ws, participant_id) -> Work(assignment, item, stage) or NoWork(reason)
    assignments.get_work(ws, participant_id, assignment_id)
    leases.heartbeat / release(skip=True, reason=) / expire
    drafts.save_draft(ws, participant_id, assignment_id, payload, base_revision)             drafts.get_draft
    judgements.submit(ws, participant_id, assignment_id, submission, key) -> Submitted(judgement, repeated)
    items.add_items / list_items / get_item / lineage / revisions / drop_item                judgements.list_judgements
    adjudications.adjudicate(ws, study_id, item_id, account_id, decision, reason)
    progress.progress / own_progress / quality / payments                                    audit.events
    agreement.agreement                                   jobs.add_job / take_job / do_jobs / get_job / list_jobs
    redaction.redact(ws, study_id, judgement_id, fields)  offered.load_offered(path) -> models that a studio may ask
    redteaming.write_scenario / suggest / edit / challenge / history (ws, participant_id, assignment_id, ...)
    modelling.models_of / not_offered / call_model / list_calls        drawing.draw_answers(ws, study_id, stage, run)
    assignments.claim_batch(ws, participant_id, stage, count, seconds=)   (to work off line)

Besides: ``imports.items.import_items``, ``imports.offline.hand_out`` and ``take_in``, ``exports.make.export_study``,
``export_files`` and ``export_archive``, ``workflows.templates.template``, ``workflows.definition.load_definition``. A page shows
``workflows.registry.stage_kind(stage.kind).presented(item.content, participant.pseudonym)``, never the content itself.

Functions that take ``participant_id`` and ``assignment_id`` raise NotFoundError for what is somebody else's; those that take
``study_id`` for what is another study's. Roles are the caller's to check (``accounts.require``), before anything else.
"""
