"""Triggers that protect what has been written down.

Only the words of a judgement can change, and only after the audit trail says that they were redacted.
"""

from __future__ import annotations

from folkways_studio.database.schema import corrections, events, judgements

UNRECORDED = (
    "NOT EXISTS (SELECT 1 FROM studio_events WHERE kind = 'answer.redacted' AND subject = "
    "'judgement:' || OLD.id)"
)
"""No event says that the words of this judgement were redacted."""

GUARDED = (
    (events, "no_update", "UPDATE", None),
    (events, "no_delete", "DELETE", None),
    (
        judgements,
        "no_update",
        f"UPDATE OF {', '.join(c.name for c in judgements.columns if c.name != 'payload')}",
        None,
    ),
    (judgements, "redacted", "UPDATE OF payload", UNRECORDED),
    (corrections, "no_update", "UPDATE", None),
)
"""Table, name of the trigger, forbidden statement, and its condition (None: always)."""


def guards(dialect: str) -> list[str]:
    """The statements that create the triggers."""
    words = "can be added but not changed"
    made = []
    for table, name, action, where in GUARDED:
        trigger = f"CREATE TRIGGER {table.name}_{name} BEFORE {action} ON {table.name}"
        if dialect == "postgresql":
            made.append(
                f"{trigger} FOR EACH ROW EXECUTE FUNCTION studio_refuse{'_unrecorded' if where else ''}()"
            )
        else:
            refusal = f"BEGIN SELECT RAISE(ABORT, 'rows of {table.name} {words}'); END"
            made.append(f"{trigger} WHEN {where} {refusal}" if where else f"{trigger} {refusal}")
    if dialect != "postgresql":
        return made
    refusal = f"RAISE EXCEPTION USING MESSAGE = 'rows of ' || TG_TABLE_NAME || ' {words}';"
    return [
        "CREATE OR REPLACE FUNCTION studio_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"{refusal} END $$",
        "CREATE OR REPLACE FUNCTION studio_refuse_unrecorded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {UNRECORDED} THEN {refusal} END IF; RETURN NEW; END $$",
        *made,
    ]


def without_guards(dialect: str) -> list[str]:
    """The statements that drop the triggers."""
    drop = (
        "DROP TRIGGER IF EXISTS {0}_{1} ON {0}"
        if dialect == "postgresql"
        else "DROP TRIGGER IF EXISTS {0}_{1}"
    )
    return [drop.format(table.name, name) for table, name, _, _ in GUARDED]
