"""The tables of the studio, in the same database as prompts, responses and runs.

They refer to no table of folkways and have a history of their own (``opening``). Times are seconds since the
epoch. Columns of type ``Json`` hold JSON text. Rows of ``studio_events`` can only be added, and those of
``studio_judgements`` never changed but for redacting their words: triggers refuse it (``guards``). A
correction is a row of its own.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from folkways.sdk.workspace import CONSTRAINT_NAMES, Json, id_column, reference

metadata = MetaData(naming_convention=CONSTRAINT_NAMES)

accounts = Table(
    "studio_accounts",
    metadata,
    id_column(),
    # null for people who came by a recruitment service and have no password
    Column("login", String(256), unique=True),
    Column("password", String(256)),  # an Argon2 hash
    Column("name", String(256), nullable=False),
    Column("locale", String(16), nullable=False),  # language of the interface
    Column("created", Float, nullable=False),
    Column("disabled", Boolean, nullable=False),
)

sessions = Table(
    "studio_sessions",
    metadata,
    # SHA-256; the token itself is only in the browser's cookie
    Column("token_hash", String(64), primary_key=True),
    reference("studio_accounts", "account_id", index=True),
    Column("csrf", String(64), nullable=False),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

password_links = Table(
    "studio_password_links",  # each lets one person choose a new password, once
    metadata,
    Column("token_hash", String(64), primary_key=True),
    reference("studio_accounts", "account_id", index=True),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

identities = Table(
    # who an account is at the provider of single sign-on; an e-mail address may change hands, this does not
    "studio_identities",
    metadata,
    id_column(),
    reference("studio_accounts", "account_id"),
    Column("issuer", String(512), nullable=False),
    Column("subject", String(256), nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("issuer", "subject"),
    UniqueConstraint("account_id", "issuer"),
)

attempts = Table(
    "studio_attempts",  # failed sign-ins, for rate limits that hold over all processes
    metadata,
    id_column(),
    Column("key", String(128), nullable=False),
    Column("at", Float, nullable=False),
    Index("ix_studio_attempts_key_at", "key", "at"),
)

studies = Table(
    "studio_studies",
    metadata,
    id_column(),
    Column("name", String(64), nullable=False, unique=True),  # short name in addresses and file names
    Column("title", Text, nullable=False),
    Column("workflow", String(64), nullable=False),
    Column("state", String(16), nullable=False),  # draft, open, paused, closed, deleted
    Column("definition", Json, nullable=False),  # the YAML file as it was read
    Column("licence", String(64), nullable=False),  # SPDX identifier of what leaves the study
    Column("consent_text", Text, nullable=False),
    Column("consent_version", String(32), nullable=False),  # hash of the text: who agreed to what
    Column("created", Float, nullable=False),
    reference("studio_accounts", "created_by", nullable=True),
)

descriptions = Table(
    "studio_descriptions",  # every text that a study was described by, as it was given: with its comments
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    Column("number", Integer, nullable=False),  # from 1
    Column("text", Text, nullable=False),
    Column("changes", Json, nullable=False),  # what it changed, a sentence each
    reference("studio_accounts", "account_id", nullable=True),
    Column("created", Float, nullable=False),
    UniqueConstraint("study_id", "number"),
)

roles = Table(
    "studio_roles",
    metadata,
    Column("study_id", Integer, ForeignKey("studio_studies.id"), primary_key=True),
    Column("account_id", Integer, ForeignKey("studio_accounts.id"), primary_key=True),
    Column("role", String(16), primary_key=True),
    Column("since", Float, nullable=False),
    Index("ix_studio_roles_account_id", "account_id"),
)

populations = Table(
    "studio_populations",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    Column("name", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("culture", String(32), nullable=False),  # a code of folkways.cultures
    Column("language", String(16), nullable=False),  # the language people write in
    reference("studio_populations", "parent_id", nullable=True),
    Column("people", Integer),  # how many are recruited at most; null for no limit
    Column("criteria", Json, nullable=False),
    UniqueConstraint("study_id", "name"),
)

invites = Table(
    "studio_invites",
    metadata,
    id_column(),
    Column("token_hash", String(64), nullable=False, unique=True),
    reference("studio_studies", "study_id", index=True),
    reference("studio_populations", "population_id", nullable=True),
    Column("role", String(16), nullable=False),
    Column("uses_left", Integer),  # null for no limit
    Column("expires", Float, nullable=False),
    Column("revoked", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("created", Float, nullable=False),
    reference("studio_accounts", "created_by", nullable=True),
)

participants = Table(
    "studio_participants",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    reference("studio_accounts", "account_id", index=True),
    # null for reviewers of every population
    reference("studio_populations", "population_id", nullable=True, index=True),
    Column("pseudonym", String(32), nullable=False, unique=True),  # all that exports say of a person
    # joined, consented, active, screened_out, finished, withdrawn, excluded, paused, failed, waiting
    Column("state", String(16), nullable=False),
    Column("source", String(32), nullable=False),  # invite, prolific
    Column("consent_version", String(32)),
    Column("consented", Float),
    Column("eligible", Boolean),
    Column("waiver", Text),  # why somebody was let in who does not meet the criteria
    Column("joined", Float, nullable=False),
    Column("left", Float),
    # of the text that they saw; null for who agreed before this was kept
    Column("consent_sha256", String(64)),
    Column("consent_language", String(16)),  # of that text; null where the study does not say
    Column("exclusion", Text),  # why somebody was excluded, in the words shown to them
    Column("pause", Text),  # why somebody is paused, for researchers
    # which code ends their work: completed, screened_out, none; null for what their state says
    Column("pay", String(16)),
    UniqueConstraint("study_id", "account_id"),
)

standings = Table(
    "studio_standings",  # how people do on the known answers of a stage
    metadata,
    Column("participant_id", Integer, ForeignKey("studio_participants.id"), primary_key=True),
    Column("stage_id", Integer, ForeignKey("studio_stages.id"), primary_key=True),
    Column("test", String(16)),  # again, passed, failed, waived; null where no try is over
    Column("tries", Integer, nullable=False),
    Column("right", Integer),  # of the questions of the last try
    Column("asked", Integer),
    Column("test_from", Integer, nullable=False),  # judgements after this one are of the next try
    Column("gold_from", Integer, nullable=False),  # judgements after this one count for the rules
    Column("warned", Float),  # when
    Column("reason", Text),  # why the test was waived
    Column("training", Json),  # how far the training is: answered, right, since, seconds, done; no answer
)

attributes = Table(
    "studio_attributes",  # what is personal, apart from judgements: deleting it leaves them whole
    metadata,
    Column("participant_id", Integer, ForeignKey("studio_participants.id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

stages = Table(
    "studio_stages",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    Column("position", Integer, nullable=False),
    Column("name", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("kind", String(32), nullable=False),  # a key of stages.registry.STAGE_KINDS
    Column("role", String(16), nullable=False),  # who works on it
    Column("config", Json, nullable=False),
    UniqueConstraint("study_id", "name"),
)

allocations = Table(
    # to whom a researcher assigned items, nobody else is asked about them; never changed: who assigns an item
    # anew gives it another one
    "studio_allocations",
    metadata,
    id_column(),
    reference("studio_studies", "study_id", index=True),
    Column("created", Float, nullable=False),
)

assignees = Table(
    "studio_assignees",  # a person, or everybody of a population
    metadata,
    id_column(),
    reference("studio_allocations", "allocation_id"),
    reference("studio_participants", "participant_id", nullable=True),
    reference("studio_populations", "population_id", nullable=True),
    UniqueConstraint("allocation_id", "participant_id"),
    UniqueConstraint("allocation_id", "population_id"),
    Index("ix_studio_assignees_participant_id_allocation_id", "participant_id", "allocation_id"),
    Index("ix_studio_assignees_population_id_allocation_id", "population_id", "allocation_id"),
)

items = Table(
    "studio_items",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    reference("studio_stages", "stage_id"),
    # whose people may work on it; null for anybody
    reference("studio_populations", "population_id", nullable=True),
    reference("studio_items", "parent_id", nullable=True, index=True),  # what it descends from
    reference("studio_participants", "author_id", nullable=True),
    Column("key", String(128), nullable=False),  # stable id, unique in its stage and population
    Column("round", Integer, nullable=False),
    Column("content", Json, nullable=False),
    Column("state", String(16), nullable=False),  # draft, open, done, dropped
    Column("check", Json),  # the right answer, where it is known and the item asks for people, not for data
    Column("result", Json),  # what the resolve rule made of its judgements
    Column("reason", Text),  # why it was dropped or decided as it was
    Column("created", Float, nullable=False),
    Column("job_id", Integer, index=True),  # the import that it came by
    # whether an item with a right answer is of the test before the stage; null for no
    Column("test", Boolean),
    reference("studio_allocations", "allocation_id", nullable=True, index=True),  # null: for anybody
    UniqueConstraint("stage_id", "key", "round"),
    Index("ix_studio_items_stage_id_state", "stage_id", "state"),
)

revisions = Table(
    "studio_revisions",
    metadata,
    id_column(),
    reference("studio_items", "item_id"),
    Column("number", Integer, nullable=False),  # from 1
    Column("step", String(32), nullable=False),  # scenario, question, challenge, revision, edit
    Column("content", Json, nullable=False),
    Column("strategy", String(64)),
    reference("studio_participants", "participant_id", nullable=True),
    Column("created", Float, nullable=False),
    UniqueConstraint("item_id", "number"),
)

assignments = Table(
    "studio_assignments",  # one row per answer that an item needs: the row is the reservation
    metadata,
    id_column(),
    reference("studio_items", "item_id"),
    reference("studio_stages", "stage_id"),
    reference("studio_populations", "population_id", nullable=True),
    # 1 to the number of answers wanted, then one more per replacement
    Column("slot", Integer, nullable=False),
    reference("studio_participants", "participant_id", nullable=True),
    Column("state", String(16), nullable=False),  # open, leased, done, closed
    Column("leased", Float),
    Column("lease_until", Float),
    Column("done", Float),
    Column("allocation_id", Integer),  # of the item, to give slots out by; null: for anybody
    UniqueConstraint("item_id", "slot"),
    UniqueConstraint("item_id", "participant_id"),
    Index(
        "ix_studio_assignments_stage_id_state_allocation_id_item_id",
        *("stage_id", "state", "allocation_id", "item_id"),
    ),
    Index("ix_studio_assignments_participant_id_state", "participant_id", "state"),
)

skips = Table(
    "studio_skips",  # items that somebody gave back and is not offered again
    metadata,
    Column("item_id", Integer, ForeignKey("studio_items.id"), primary_key=True),
    Column("participant_id", Integer, ForeignKey("studio_participants.id"), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

judgements = Table(
    "studio_judgements",
    metadata,
    id_column(),
    reference("studio_assignments", "assignment_id"),
    reference("studio_items", "item_id"),
    reference("studio_stages", "stage_id", index=True),
    reference("studio_participants", "participant_id"),
    Column("key", String(64), nullable=False),  # the browser's; the same key is the same submission
    Column("payload", Json, nullable=False),
    Column("seconds", Float),  # on the task, as the server saw it: from lease to submission
    Column("revision", Integer),  # number of the item's revision that was judged
    Column("created", Float, nullable=False),
    UniqueConstraint("assignment_id"),
    UniqueConstraint("participant_id", "key"),
    Index("ix_studio_judgements_item_id_participant_id", "item_id", "participant_id"),
)

corrections = Table(
    # what somebody said later in place of a judgement of theirs; the last one counts, the first is kept
    "studio_corrections",
    metadata,
    id_column(),
    reference("studio_judgements", "judgement_id"),
    Column("key", String(64), nullable=False),  # the browser's; the same key is the same correction
    Column("payload", Json, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("judgement_id", "key"),
)

drafts = Table(
    "studio_drafts",
    metadata,
    # Of the person and the item, not of the slot: who comes back after the lease went to somebody else finds
    # it again.
    Column("item_id", Integer, ForeignKey("studio_items.id"), primary_key=True),
    Column("participant_id", Integer, ForeignKey("studio_participants.id"), primary_key=True),
    Column("revision", Integer, nullable=False),  # from 1; a save names the one that it was made from
    Column("payload", Json, nullable=False),
    Column("saved", Float, nullable=False),
)

adjudications = Table(
    "studio_adjudications",
    metadata,
    id_column(),
    reference("studio_items", "item_id", index=True),
    reference("studio_accounts", "account_id"),
    Column("decision", Json, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created", Float, nullable=False),
)

model_calls = Table(
    "studio_model_calls",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    reference("studio_items", "item_id", nullable=True, index=True),
    reference("studio_participants", "participant_id", nullable=True),
    Column("purpose", String(32), nullable=False),  # helper, verifier, suggester
    Column("endpoint", String(512), nullable=False),
    Column("run", String(128), nullable=False),  # the run of the workspace under which the reply is stored
    Column("prompt", Text, nullable=False),
    Column("reply", Text),
    Column("problem", Text),  # why no reply came
    Column("read", Json),  # what was read out of the reply
    Column("created", Float, nullable=False),
    # what it cost; null where the price is not known, and for calls of before this was kept
    Column("usd", Float),
)

suggestions = Table(
    "studio_suggestions",  # what a model suggested for an answer, and what the person made of it
    metadata,
    id_column(),
    reference("studio_items", "item_id"),
    reference("studio_participants", "participant_id"),
    reference("studio_model_calls", "call_id"),
    Column("model", String(512), nullable=False),
    Column("prompt_version", String(32), nullable=False),  # of the wording that the model was asked with
    Column("content", Json, nullable=False),  # fields of the form, as the model would fill them in
    Column("before", Json),  # the draft that it took the place of
    Column("taken", Float),  # when the person put it into their form; null while they have not
    Column("outcome", String(16)),  # accepted, changed, rejected; null until the answer is sent
    Column("parts", Integer),  # of what was suggested, and how many of them the answer kept as they were
    Column("kept", Integer),
    Column("created", Float, nullable=False),
    Index("ix_studio_suggestions_item_id_participant_id", "item_id", "participant_id"),
)

preannotations = Table(
    "studio_preannotations",  # what models suggest for an item of a stage before anybody works on it
    metadata,
    id_column(),
    reference("studio_items", "item_id"),
    Column("model", String(256), nullable=False),
    Column("version", String(128), nullable=False),  # of the model; empty where it has none
    Column("score", Float),  # 0 to 1, as the model says; null where it says none
    Column("content", Json, nullable=False),  # fields of the form, as the model would fill them in
    Column("source", String(16), nullable=False),  # file, api, backend, model
    Column("created", Float, nullable=False),
    UniqueConstraint("item_id", "model", "version"),
)

exposures = Table(
    # whether somebody saw what was suggested for an item: written before they are shown the task
    "studio_exposures",
    metadata,
    Column("item_id", Integer, ForeignKey("studio_items.id"), primary_key=True),
    Column("participant_id", Integer, ForeignKey("studio_participants.id"), primary_key=True),
    reference("studio_preannotations", "preannotation_id", index=True),
    Column("setting", String(8), nullable=False),  # of the stage at that moment: shown, hidden, half
    Column("shown", Boolean, nullable=False),  # drawn at random where the setting is half
    # accepted, changed, rejected; null until the answer, or where it was not shown
    Column("outcome", String(16)),
    Column("parts", Integer),  # of what was suggested, and how many of them the answer has, shown or not
    Column("unchanged", Integer),
    Column("created", Float, nullable=False),
    Index("ix_studio_exposures_participant_id", "participant_id"),
)

backends = Table(
    "studio_backends",  # servers that suggest and learn, in the shape of Label Studio's ML backend
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    reference("studio_stages", "stage_id"),
    Column("model", String(256), nullable=False),  # the name under which its suggestions are stored
    Column("url", Text, nullable=False),
    Column("version", String(128), nullable=False),  # of its model, as it said last
    Column("trained", Float),  # when the last answer was given that it was sent; null for none
    Column("created", Float, nullable=False),
    reference("studio_accounts", "created_by", nullable=True),
    UniqueConstraint("study_id", "model"),
)

comments = Table(
    "studio_comments",  # what researchers and reviewers say of an item to one another
    metadata,
    id_column(),
    reference("studio_items", "item_id", index=True),
    reference("studio_accounts", "account_id"),
    Column("role", String(16), nullable=False),  # of the author, when they wrote it
    Column("text", Text, nullable=False),  # empty where it was deleted
    # earlier wordings, the oldest first: [{"text": ..., "until": ...}]
    Column("history", Json, nullable=False),
    Column("created", Float, nullable=False),
    Column("edited", Float),
    Column("deleted", Float),
    Column("resolved", Float),  # null while it is open
)

filters = Table(
    "studio_filters",  # of the table of items, saved under a name for all who see the items of the study
    metadata,
    Column("study_id", Integer, ForeignKey("studio_studies.id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("query", Text, nullable=False),  # of the address of the page
    Column("created", Float, nullable=False),
)

media = Table(
    "studio_media",
    metadata,
    id_column(),
    reference("studio_studies", "study_id"),
    Column("name", String(128), nullable=False),
    Column("type", String(32), nullable=False),  # as the file's first bytes say: image/png
    Column("bytes", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),  # names the file in the folder of media
    Column("created", Float, nullable=False),
    UniqueConstraint("study_id", "name"),
)

events = Table(
    "studio_events",
    metadata,
    id_column(),
    reference("studio_studies", "study_id", nullable=True, index=True),
    reference("studio_accounts", "account_id", nullable=True),
    reference("studio_participants", "participant_id", nullable=True),
    Column("kind", String(64), nullable=False),
    Column("subject", String(64), nullable=False),  # "item:12"; empty where there is none
    Column("details", Json, nullable=False),
    Column("at", Float, nullable=False),
)

jobs = Table(
    "studio_jobs",
    metadata,
    id_column(),
    reference("studio_studies", "study_id", index=True),
    reference("studio_accounts", "account_id", nullable=True),
    Column("kind", String(32), nullable=False),  # import
    Column("state", String(16), nullable=False),  # waiting, running, done, failed, cancelled
    Column("details", Json, nullable=False),
    Column("result", Json),
    Column("error", Text),
    Column("created", Float, nullable=False),
    Column("started", Float),
    Column("finished", Float),
    Column("content", LargeBinary),  # the file that is being imported, compressed; null once that is over
    Column("seen", Float),  # last heartbeat of its worker
)

tokens = Table(
    "studio_tokens",
    metadata,
    id_column(),
    # SHA-256; the token itself is shown once and not stored
    Column("token_hash", String(64), nullable=False, unique=True),
    reference("studio_studies", "study_id", nullable=True, index=True),  # null: every study of the account
    reference("studio_accounts", "account_id"),  # as whom it acts
    Column("name", String(128), nullable=False),
    Column("scope", String(8), nullable=False),  # read, write
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float),  # last, give or take some minutes; null for never
    Column("revoked", Boolean, nullable=False),
)

webhooks = Table(
    "studio_webhooks",
    metadata,
    id_column(),
    reference("studio_studies", "study_id", index=True),
    Column("url", Text, nullable=False),
    Column("events", Json, nullable=False),  # kinds of events to send; empty for all
    Column("secret", String(128), nullable=False),  # with which every delivery is signed: it cannot be a hash
    Column("enabled", Boolean, nullable=False),
    Column("problem", Text),  # why it was switched off
    Column("created", Float, nullable=False),
    reference("studio_accounts", "created_by", nullable=True),
    Column("succeeded", Float),  # when the last delivery was taken
    Column("resumes", Float),  # nothing is sent before, as it fails at the moment
)

deliveries = Table(
    "studio_deliveries",
    metadata,
    id_column(),
    reference("studio_webhooks", "webhook_id"),
    reference("studio_events", "event_id"),
    Column("state", String(16), nullable=False),  # waiting, done, failed
    Column("attempts", Integer, nullable=False),
    Column("due", Float, nullable=False),  # not before; postponed while somebody sends it
    Column("status", Integer),  # what the receiver answered last
    Column("problem", Text),  # why it was not taken
    Column("created", Float, nullable=False),
    Column("tried", Float),
    UniqueConstraint("webhook_id", "event_id"),
    Index("ix_studio_deliveries_state_due", "state", "due"),
)
