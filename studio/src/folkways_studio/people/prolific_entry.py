"""Entries from Prolific: three parameters in the address, signed if the study demands it.

Prolific adds PROLIFIC_PID, STUDY_ID and SESSION_ID to the address of a study. Secured links also carry a JSON
Web Token, ``prolific_token``, signed with a key of its published key set; its audience is the studio's
address, and its claim ``prolific`` repeats the parameters. Without a signature anybody with a link could pose
as somebody else, so people can then go on only in their own browser.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkways.sdk.errors import FolkwaysError
from folkways_studio.addresses import web_address
from folkways_studio.errors import InviteError
from folkways_studio.records import Study
from folkways_studio.web.settings import WebSettings

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

PARAMETERS: Mapping[str, str] = {
    "PROLIFIC_PID": "prolific_pid",
    "STUDY_ID": "prolific_study",
    "SESSION_ID": "prolific_session",
}
"""Name in the address -> name of the participant's attribute."""

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

KEYS_SECONDS = 3600
"""How long a fetched key set is used; Prolific asks for at least daily updates."""
LEEWAY_SECONDS = 60
KEYS_TIMEOUT = 10.0
KEYS_MOST_BYTES = 2**20


def read_parameters(given: Mapping[str, str]) -> dict[str, str]:
    """Attribute -> value of the parameters that are present. InviteError if one cannot be an id of
    Prolific."""
    values = {attribute: given[name] for name, attribute in PARAMETERS.items() if given.get(name)}
    if not all(ID.fullmatch(value) for value in values.values()):
        raise InviteError(
            "this link is not as Prolific makes it; open the study again from your Prolific page"
        )
    return values


def check_entry(
    study: Study, given: Mapping[str, str], external: Mapping[str, str], settings: WebSettings
) -> bool:
    """Whether Prolific signed the parameters. Raises InviteError for others if the study's file says
    ``prolific: {signed: true}``.

    given: the parameters as sent, with ``prolific_token``. external: those of PARAMETERS by attribute.
    settings: the server's.
    """
    if not (study.definition.get("prolific") or {}).get("signed"):
        return False
    if not external:
        raise InviteError(
            "this study is open to people who come by Prolific; open it from your Prolific page"
        )
    claims = _claims(given.get("prolific_token", ""), settings)
    signed = claims.get("prolific", {})
    for name, value in given.items():
        if (
            name in PARAMETERS
            and value
            and (not isinstance(signed, Mapping) or str(signed.get(name)) != value)
        ):
            raise InviteError(
                "this link was changed on its way; open the study again from your Prolific page"
            )
    return True


def _claims(token: str, settings: WebSettings) -> Mapping[str, Any]:
    from joserfc import errors, jwt
    from joserfc.jws import JWSRegistry

    # Prolific may add headers of its own
    registry = JWSRegistry(algorithms=["RS256"], strict_check_header=False)
    # a server that does not know its address is nobody's audience
    needed = jwt.JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        exp={"essential": True},
        aud={"essential": True, "value": settings.origin or ""},
    )
    try:
        claims = jwt.decode(
            token, _key_set(settings.prolific_keys, int(time.time() // KEYS_SECONDS)), registry=registry
        ).claims
        needed.validate(claims)
    except errors.InvalidKeyIdError:
        raise InviteError(
            "this link was signed with a key that is not Prolific's; open the study again from your "
            "Prolific page"
        ) from None
    except (errors.JoseError, ValueError):
        raise InviteError(
            "this link has expired or was changed; open the study again from your Prolific page"
        ) from None
    return claims


@lru_cache(maxsize=4)
def _key_set(source: str, _hour: int) -> KeySet:
    """The keys in a file or at a URL, read once an hour."""
    from joserfc.jwk import KeySet

    try:
        keys = _fetched(source) if "://" in source else Path(source).read_bytes()
        return KeySet.import_key_set(json.loads(keys))
    except (FolkwaysError, OSError, ValueError, LookupError, TypeError) as error:
        raise FolkwaysError(
            f"the keys that Prolific signs with cannot be read from {source}: {error}"
        ) from None


def _fetched(address: str) -> bytes:
    """What a server gives to anybody; FolkwaysError or OSError where it does not, or leads elsewhere."""
    from folkways.sdk.http import ask_once

    reply = ask_once(
        "GET", web_address(address), most_bytes=KEYS_MOST_BYTES, seconds=KEYS_TIMEOUT, proxies=True
    )
    if not reply.is_success:
        raise OSError(f"it answered {reply.status} {reply.reason}")
    return reply.content
