"""The studio: where people write, answer, verify and judge.

One small core serves every workflow; a workflow is a configuration of it. Each subject has a package with
everything of it: its services (functions on a ``Workspace``, each one transaction), its pages (``pages``,
``*_pages``), its part of the API (``api``) and its templates.

- ``records``, ``activity``, ``errors``: frozen records of the rows of ``database.schema`` (people and their
  work; what the studio does by itself), and what can go wrong (each error has a ``status`` for HTTP and words
  for people).
- ``database``: the tables, their triggers and history, the audit trail, backups. Nothing but services reads
  or writes the tables.
- ``stages``: kinds of stages (``stages.registry``), each a description in YAML (``stages/kinds``) in the
  words of forms (``stages.parts``), with its rule and templates. ``workflows``: the files that combine them
  to studies.
- ``studies``: making, describing and deleting studies; progress, agreement, disagreement, time and pay.
- ``people``: accounts, ways in, invitations, participants, recruitment. ``items``: items, imports,
  discussion.
- ``work``: slots, drafts, judgements, corrections, decisions, questions of known answer, work off line.
- ``models``: models in the loop, and answers of models to judge. ``media``: pictures and recordings.
- ``exports``: out as tables and releases, which benchmarks make (``folkways.sdk.studies``).
- ``programs``: tokens of the API, and webhooks. ``clients``: a study on this machine or on a server, for the
  commands in ``cli``.
- ``web``: the application around the pages: routing, sessions, security, rendering, languages.

A study has populations and stages. An item belongs to one stage, and to one population or to everybody. It
has one slot (a row of ``assignments``) per answer that it needs; taking the row is the reservation. A
judgement fills a slot for good. After each judgement the stage's rule looks at the item
(``work.resolution``): more slots, done with a ``result``, dropped with a ``reason``, asked again of a
subpopulation. A done item is handed on to the stage that ``config["next"]`` names, as a new item with
``parent_id``. A page shows ``StageKind.presented(item.content, participant.pseudonym)``, never the content
itself.

Services that take ``participant_id`` and ``assignment_id`` raise NotFoundError for what is somebody else's;
those that take ``study_id`` for what is another study's. Roles are the caller's to check
(``accounts.require``), before anything else.
"""
