"""Triggers that refuse to change what has been written down, whoever asks.

Nothing of a judgement ever changes but its words, and those only once the audit trail says that they were redacted.
"""

from __future__ import annotations

from folkways.workspace.studio_tables import events, judgements

GUARDED = (
    (events, "no_update", "UPDATE"),
    (events, "no_delete", "DELETE"),
    (judgements, "no_update", f"UPDATE OF {', '.join(column.name for column in judgements.columns if column.name != 'payload')}"),
)
"""Table, name of the trigger, and what no statement may do to the table's rows."""

UNRECORDED = "NOT EXISTS (SELECT 1 FROM studio_events WHERE kind = 'answer.redacted' AND subject = 'judgement:' || OLD.id)"
"""No event says that the words of this judgement were redacted."""


def guards(dialect: str) -> list[str]:
    """The statements that make the triggers."""
    if dialect == "postgresql":
        return _of_postgresql()
    made = [
        f"CREATE TRIGGER {table.name}_{name} BEFORE {action} ON {table.name} "
        f"BEGIN SELECT RAISE(ABORT, 'rows of {table.name} can be added but not changed'); END"
        for table, name, action in GUARDED
    ]
    made.append(
        f"CREATE TRIGGER studio_judgements_redacted BEFORE UPDATE OF payload ON studio_judgements WHEN {UNRECORDED} "
        "BEGIN SELECT RAISE(ABORT, 'rows of studio_judgements can be added but not changed'); END"
    )
    return made


def _of_postgresql() -> list[str]:
    refusal = "RAISE EXCEPTION USING MESSAGE = 'rows of ' || TG_TABLE_NAME || ' can be added but not changed';"
    made = [
        f"CREATE OR REPLACE FUNCTION studio_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {refusal} END $$",
        "CREATE OR REPLACE FUNCTION studio_refuse_unrecorded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {UNRECORDED} THEN {refusal} END IF; RETURN NEW; END $$",
    ]
    made += [
        f"CREATE TRIGGER {table.name}_{name} BEFORE {action} ON {table.name} FOR EACH ROW EXECUTE FUNCTION studio_refuse()"
        for table, name, action in GUARDED
    ]
    made.append(
        "CREATE TRIGGER studio_judgements_redacted BEFORE UPDATE OF payload ON studio_judgements "
        "FOR EACH ROW EXECUTE FUNCTION studio_refuse_unrecorded()"
    )
    return made
