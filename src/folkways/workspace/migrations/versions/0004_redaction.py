"""The words of an answer can be redacted, once the audit trail says so; the trail itself holds no reasons in people's words."""

from alembic import op

revision = "0004"
down_revision = "0003"

COLUMNS = "id, assignment_id, item_id, stage_id, participant_id, key, seconds, revision, created"
UNRECORDED = "NOT EXISTS (SELECT 1 FROM studio_events WHERE kind = 'answer.redacted' AND subject = 'judgement:' || OLD.id)"
REASONS = "UPDATE studio_events SET details = '{}' WHERE kind IN ('item.done', 'item.dropped')"


def upgrade() -> None:
    """Other triggers on judgements; reasons leave the trail, and stay with the items."""
    on_server = op.get_bind().dialect.name == "postgresql"
    _drop("studio_judgements_no_update", "studio_judgements", on_server=on_server)
    _drop("studio_events_no_update", "studio_events", on_server=on_server)
    op.execute(REASONS)
    refuse = "FOR EACH ROW EXECUTE FUNCTION studio_refuse()"
    if on_server:
        op.execute(
            "CREATE OR REPLACE FUNCTION studio_refuse_unrecorded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {UNRECORDED} THEN "
            "RAISE EXCEPTION USING MESSAGE = 'rows of ' || TG_TABLE_NAME || ' can be added but not changed'; "
            "END IF; RETURN NEW; END $$"
        )
    _trigger("studio_events_no_update", "UPDATE", "studio_events", refuse if on_server else _abort("studio_events"))
    _trigger(
        "studio_judgements_no_update",
        f"UPDATE OF {COLUMNS}",
        "studio_judgements",
        refuse if on_server else _abort("studio_judgements"),
    )
    _trigger(
        "studio_judgements_redacted",
        "UPDATE OF payload",
        "studio_judgements",
        "FOR EACH ROW EXECUTE FUNCTION studio_refuse_unrecorded()"
        if on_server
        else f"WHEN {UNRECORDED} {_abort('studio_judgements')}",
    )


def _drop(name: str, table: str, *, on_server: bool) -> None:
    op.execute(f"DROP TRIGGER {name} ON {table}" if on_server else f"DROP TRIGGER {name}")


def _trigger(name: str, action: str, table: str, rest: str) -> None:
    op.execute(f"CREATE TRIGGER {name} BEFORE {action} ON {table} {rest}")


def _abort(table: str) -> str:
    return f"BEGIN SELECT RAISE(ABORT, 'rows of {table} can be added but not changed'); END"
