"""Settings of single sign-on through an OpenID Connect provider, from a file.

    issuer = "https://login.example.org/realms/university"
    client_id = "folkways"
    secret = "FOLKWAYS_SSO_SECRET"
    name = "Example University"

``secret`` names the environment variable that holds the client's secret, if the client has one. Optional:
``domains`` (of e-mail addresses that may sign in), a table ``[claims]`` (claim -> required value, or a member
of a list), ``new_accounts`` (whether people without an account get one; false) and ``passwords`` (whether
people may also sign in by password; true).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from folkways.sdk.errors import DataError, FolkwaysError
from folkways_studio.addresses import AddressError, web_address

NEEDED = ("issuer", "client_id", "name")
KINDS: Mapping[str, tuple[type, str]] = {
    "issuer": (str, 'a text, such as "https://login.example.org"'),
    "client_id": (str, "a text: what the provider calls the studio"),
    "name": (str, 'a text, shown on the button after "Sign in with"'),
    "secret": (str, "the NAME of the environment variable that holds the client's secret"),
    "domains": (list, 'a list of texts, such as ["example.org"]'),
    "claims": (dict, "a table of texts, numbers, true or false"),
    "new_accounts": (bool, "true or false"),
    "passwords": (bool, "true or false"),
}


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """The provider, and the people it may let in.

    issuer: the provider's address, as its documents and tokens give it.
    name: what people call it.
    secret: the environment variable of the client's secret; None for a client without one.
    domains: of e-mail addresses, in lower case; empty for any.
    claims: required claims about a person.
    new_accounts: whether people without an account get one; staff with an invitation do in any case.
    passwords: whether people may also sign in by password.
    """

    issuer: str
    client_id: str
    name: str
    secret: str | None = None
    domains: tuple[str, ...] = ()
    claims: Mapping[str, Any] = field(default_factory=dict)
    new_accounts: bool = False
    passwords: bool = True


def is_safe(address: object) -> bool:
    """Whether a web address uses TLS or is on this machine."""
    try:
        web_address(address)
    except AddressError:
        return False
    return True


def is_one_address(address: str) -> bool:
    """Whether an e-mail address, or its domain, is taken for no other where case does not count: ``ß`` would
    be ``ss``, and the sign of Kelvin a ``k``."""
    return all(each in (each.casefold(), each.casefold().upper()) for each in address)


def load_single_sign_on(path: Path) -> SingleSignOn:
    """The settings in a TOML file. DataError if something in it is wrong."""
    from folkways.sdk.files import read_toml

    table = read_toml(path, "description of an OpenID Connect provider, with issuer, client_id and name")
    for name, value in table.items():
        if name not in KINDS:
            raise DataError(f"{name!r} is unknown; valid: {', '.join(KINDS)}", file=path)
        kind, words = KINDS[name]
        if not isinstance(value, kind) or (isinstance(value, str) and not value.strip()):
            raise DataError(f"{name} has to be {words}", file=path)
    missing = [name for name in NEEDED if name not in table]
    if missing:
        raise DataError(f"{' and '.join(missing)} must be given", file=path)
    domains = table.pop("domains", [])
    claims = table.get("claims", {})
    if not all(
        isinstance(each, str) and "." in each and "@" not in each and is_one_address(each) for each in domains
    ):
        raise DataError(
            'domains has to be a list of texts without "@", such as ["example.org"]; one with "ß" or the '
            'like is written as DNS has it: "xn--strae-oqa.example"',
            file=path,
        )
    if not all(isinstance(each, str | int | bool) for each in claims.values()):
        raise DataError("claims has to be a table of texts, numbers, true or false", file=path)
    parts = urlsplit(table["issuer"])
    if not is_safe(table["issuer"]) or parts.query or parts.fragment:
        raise DataError(
            f"the issuer {table['issuer']!r} cannot be used; it is an address such as "
            "https://login.example.org/realms/university",
            file=path,
        )
    return SingleSignOn(**table, domains=tuple(each.strip().casefold() for each in domains))


def secret_of(described: SingleSignOn) -> str | None:
    """The client's secret from the environment; None for a client without one. FolkwaysError if it is not
    set."""
    if described.secret is None:
        return None
    secret = os.environ.get(described.secret)
    if not secret:
        raise FolkwaysError(
            f"the secret that {described.name} knows the studio by is not there: set the environment "
            f"variable {described.secret}"
        )
    return secret
