"""The studio: where people write, answer, verify and judge.

One small core serves every workflow; a workflow is a configuration of it. The parts, from the bottom:

- ``records``, ``activity``, ``errors``: frozen records of the rows of ``folkways_studio.database.tables`` (people and their work;
  what the studio does by itself), what can go wrong (each error has a ``status`` for HTTP and words for people).
- ``rules``: plain functions: who may take part, how much one may take, when an item has enough answers, what they come to.
- ``stages``: kinds of stages, each one object (``stages.base.StageKind``, ``stages.registry``), written in parts
  (``stages.asking``, ``stages.parts``). ``workflows``: the files that combine them to studies.
- ``services``: what can be done, each function one transaction on a ``Workspace``; nothing else reads or writes the tables.
  ``people``: accounts, invitations, participants. ``content``: items. ``work``: slots, drafts, judgements, decisions. ``models``:
  models in the loop. ``measures``: progress, agreement, time. ``storage``: media, backups.
- ``exports``, ``imports``: out as tables and releases, which benchmarks make (``folkways.benchmarks.studies``); in from tables.
- ``web``: pages over the services.

A study has populations and stages. An item belongs to one stage, and to one population or to everybody. It has one slot (a row of
``assignments``) per answer that it needs; taking the row is the reservation. A judgement fills a slot for good. After each
judgement the stage's rule looks at the item (``services.work.resolution``): more slots, done with a ``result``, dropped with a
``reason``, asked again of a subpopulation. A done item is handed on to the stage that ``config["next"]`` names, as a new item with
``parent_id``. A page shows ``StageKind.presented(item.content, participant.pseudonym)``, never the content itself.

Services that take ``participant_id`` and ``assignment_id`` raise NotFoundError for what is somebody else's; those that take
``study_id`` for what is another study's. Roles are the caller's to check (``accounts.require``), before anything else.
"""
