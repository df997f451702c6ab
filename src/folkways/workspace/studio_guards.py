"""Triggers that refuse to change what has been written down, whoever asks."""

from __future__ import annotations

from folkways.workspace.studio_tables import events, judgements

GUARDED = {events: ("UPDATE", "DELETE"), judgements: ("UPDATE",)}
"""Table -> what no statement may do to its rows."""


def guards(dialect: str) -> list[str]:
    """The statements that make the triggers of GUARDED."""
    made: list[str] = []
    if dialect == "postgresql":
        made.append(
            "CREATE OR REPLACE FUNCTION studio_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION USING MESSAGE = 'rows of ' || TG_TABLE_NAME || ' can be added but not changed'; END $$"
        )
    for table, actions in GUARDED.items():
        for action in actions:
            name = f"{table.name}_no_{action.lower()}"
            if dialect == "postgresql":
                made.append(f"CREATE TRIGGER {name} BEFORE {action} ON {table.name} FOR EACH ROW EXECUTE FUNCTION studio_refuse()")
            else:
                made.append(
                    f"CREATE TRIGGER {name} BEFORE {action} ON {table.name} "
                    f"BEGIN SELECT RAISE(ABORT, 'rows of {table.name} can be added but not changed'); END"
                )
    return made
