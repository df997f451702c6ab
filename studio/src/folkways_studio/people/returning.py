"""Coming back into a study: who is known already, and what shows that it is them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hmac import compare_digest

import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.database.rows import get_value
from folkways_studio.errors import ConflictError, ReturnError
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import Participant, ParticipantState, from_row

RETURN_CODE = "return_code"
"""Attribute with which somebody whose recruitment service signs nothing comes back in another browser."""


def new_return_code() -> str:
    """Eight letters and digits, none of which is easily taken for another."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))


def find_returning(
    connection: sa.Connection,
    token: str,
    account_id: int | None,
    external: Mapping[str, str],
    *,
    sure: bool,
    browser: int | None,
    code: str,
) -> Participant | None:
    """The participant that this person is already: also by an invitation that has been used up since.

    An id of a recruitment service is no secret, and stands in an address that anybody can write.
    """
    participants, attributes, invites = schema.participants, schema.attributes, schema.invites
    study_id = connection.scalar(
        sa.select(invites.c.study_id).where(invites.c.token_hash == token_hash(token))
    )
    if study_id is None:
        return None
    query = sa.select(participants).where(participants.c.study_id == study_id)
    if account_id is not None:
        query = query.where(participants.c.account_id == account_id)
    elif external.get("prolific_pid"):
        known = sa.select(attributes.c.participant_id).filter_by(
            name="prolific_pid", value=external["prolific_pid"]
        )
        query = query.where(participants.c.id.in_(known))
    else:
        return None
    row = connection.execute(query).first()
    if row is None:
        return None
    known_code = get_value(connection, attributes.c.value, participant_id=row.id, name=RETURN_CODE)
    sure = (
        sure
        or row.account_id == browser
        or (known_code is not None and compare_digest(known_code.encode(), code.encode()))
    )
    if account_id is None and not sure:
        raise ReturnError
    if row.state == ParticipantState.WITHDRAWN:
        raise ConflictError("you have left this study; write to its researchers if you want to come back")
    return from_row(Participant, row)
