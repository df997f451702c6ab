"""The table of providers (providers.toml) and how a provider's name, a model and the environment become an
Address."""

from __future__ import annotations

import os
import re
import tomllib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from folkways.endpoints.servers.address import Address, Dialect, Url, split_url
from folkways.errors import DataError, FolkwaysError
from folkways.proxies import is_loopback

URL_KEY, URL_KEY_HOSTS = "FOLKWAYS_API_KEY", "FOLKWAYS_API_KEY_HOSTS"
"""Environment variables of the key for ``http(s)://HOST/v1#MODEL`` endpoints, and of the hosts that it is
for: ``HOST[:PORT]``, separated by commas. An address of any other host is asked without a key: a name that
somebody was sent must not carry it away.
"""

_OLLAMA_PORT = 11434
_AT = re.compile(r"@(https?://.*)$", re.IGNORECASE)

SHORTEST_NAMED, SHORTEST_ENCODED, SHORTEST_WORD = 8, 12, 24
"""Characters of a key in an address's query, of one that is looked for in base64, and of one of letters or
digits alone: shorter ones are in texts that have no key."""

_NAMES_OF_KEYS = re.compile(
    r"(key|token|secret|sig(nature)?|pass(word)?|pwd|auth(orization)?|credentials?|code|sas|jwt)$",
    re.IGNORECASE,
)
_RUNS = re.compile(r"[A-Za-z0-9+/=]{16,}")
_OF_KEYS = re.compile(r"[0-9].*[A-Za-z]|[A-Za-z].*[0-9]")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Provider:
    """One row of providers.toml; the fields are explained there."""

    name: str
    protocol: str
    base_url: str
    key_env: tuple[str, ...]
    dialect: Dialect
    about: str
    docs: str
    base_url_env: tuple[str, ...] = ()
    key_required: bool = True
    start: str = ""
    get: str = ""
    batch: str = ""

    @classmethod
    def of(cls, name: str, row: Mapping[str, Any]) -> Provider:
        """From a row of the file, which also holds the fields of its dialect. DataError for a row that lacks
        a field or has an unknown one."""
        fields = {*cls.__slots__, *Dialect.__slots__} - {"name", "dialect"}
        missing = sorted({"protocol", "base_url", "key_env", "about", "docs"} - row.keys())
        unknown = sorted(row.keys() - fields)
        if missing or unknown:
            wrong = "it lacks " + ", ".join(missing) if missing else "unknown: " + ", ".join(unknown)
            raise DataError(
                f"[{name}]: {wrong}; the head of the file explains the fields", file="providers.toml"
            )
        dialect = Dialect(**{field: row[field] for field in Dialect.__slots__ if field in row})
        plain: dict[str, Any] = {
            field: tuple(value) if isinstance(value, list) else value for field, value in row.items()
        }
        return cls(
            name,
            dialect=dialect,
            **{field: value for field, value in plain.items() if field in cls.__slots__},
        )


@lru_cache(maxsize=1)
def providers() -> Mapping[str, Provider]:
    """Every provider that folkways knows, by name, in the order of the file."""
    table = tomllib.loads(
        files("folkways.endpoints.servers").joinpath("providers.toml").read_text(encoding="utf-8")
    )
    return {name: Provider.of(name, row) for name, row in table.items()}


def key_set_in(names: tuple[str, ...]) -> str | None:
    """The first of these environment variables that is set to something, or None."""
    return next((name for name in names if os.environ.get(name, "").strip()), None)


def provider_address(
    provider: Provider, model: str, base_url: str | None, *, need_key: bool, key_env: str | None = None
) -> Address:
    """The address of ``model`` at ``provider``.

    model: of a server that people run themselves also ``MODEL@URL``: the URL says where it is and is not part
        of its identity, so that one model at several addresses is one model.
    base_url: what the user gave; otherwise the provider's environment variable; otherwise the provider's own
        address. An address other than the provider's own joins the identity, since another server may serve
        another model under the same name.
    key_env: the environment variable of the key, in place of the provider's own.
    Raises FolkwaysError naming the environment variable if ``need_key`` and a required key is missing.
    """
    at = None
    if provider.start and (match := _AT.search(model)):
        model, at = model[: match.start()], match[1]
    if not model:
        raise FolkwaysError(
            f"{provider.name!r} names no model: write {provider.name}/MODEL   (its models: {provider.docs})"
        )
    name = f"{provider.name}/{model}"
    key_names = (key_env,) if key_env else provider.key_env
    key_name = key_set_in(key_names)
    if key_name is None and (provider.key_required or key_env) and need_key:
        raise FolkwaysError(
            f"{name} needs a key: set the environment variable {' or '.join(key_names)}\n"
            f"For example: export {key_names[0]}=...   ({provider.docs})"
        )
    url = _url_of(provider, name, at, base_url)
    withheld = (
        at is not None
        and key_name is not None
        and key_env is None
        and not (is_loopback(url.plain) or _is_for(url.plain))
    )
    key = None if withheld else _read_key(key_name)
    is_default = url.plain == provider.base_url
    return Address(
        name=name,
        identity=name if is_default or at is not None else f"{name}@{url.plain}",
        model=model,
        base_url=url.plain,
        key_names=key_names,
        key_hint=_how_to_send(url.plain, key_name or "", withheld=True) if withheld else "",
        hosted=is_default and provider.key_required,
        start=provider.start.format(model=model),
        get=provider.get.format(model=model),
        batch=provider.batch,
        dialect=provider.dialect,
        **_credentials(provider.protocol, key, url),
    )


def _url_of(provider: Provider, name: str, at: str | None, base_url: str | None) -> Url:
    url_name = key_set_in(provider.base_url_env)
    address = at or base_url or (os.environ[url_name].strip() if url_name else provider.base_url)
    if url_name == "OLLAMA_HOST" and base_url is None and at is None:
        address = _ollama_url(address)
    try:
        if at is not None and not urlsplit(at).path.strip("/"):
            address = f"{at.rstrip('/')}/v1"
        return split_url(address)
    except (FolkwaysError, ValueError) as error:
        source = (
            "the address behind @"
            if at
            else "--base-url"
            if base_url
            else f"the environment variable {url_name}"
        )
        raise FolkwaysError(f"{name}: {source}: {error}") from None


def url_address(
    text: str, base_url: str | None, *, need_key: bool = True, key_env: str | None = None
) -> Address:
    """The address that ``text`` (``http(s)://HOST/v1#MODEL``) names. ``base_url`` replaces the host only.

    need_key: whether a missing key is an error.
    Raises FolkwaysError for that, and where no model is named.
    key_env: the environment variable of its key, which is then needed. Without one the key is that of
        FOLKWAYS_API_KEY where FOLKWAYS_API_KEY_HOSTS names the host that is asked, and none otherwise.
    """
    url = split_url(text)
    if not url.model:
        raise FolkwaysError(
            f"{url.plain} names no model: write {url.plain}#MODEL (the server lists its models at "
            f"{url.plain}/models)"
        )
    target = split_url(base_url) if base_url else url
    name = f"{url.plain}#{url.model}"
    if key_env and need_key and key_set_in((key_env,)) is None:
        raise FolkwaysError(f"{name} needs a key: set the environment variable {key_env}")
    key_name = key_set_in((key_env or URL_KEY,))
    withheld = key_env is None and key_name is not None and not _is_for(target.plain)
    key = None if withheld else _read_key(key_name)
    return Address(
        name=name,
        identity=name if target is url else f"{name}@{target.plain}",
        model=url.model,
        base_url=target.plain,
        batch="file",
        key_names=(key_env or URL_KEY,),
        key_hint=_how_to_send(target.plain, URL_KEY, withheld=withheld)
        if key_env is None and key is None
        else "",
        **_credentials("openai", key, target),
    )


def _is_for(address: str) -> bool:
    """Whether FOLKWAYS_API_KEY_HOSTS names the host of an address: with its port, or without for any port."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    named = {each.strip().lower() for each in os.environ.get(URL_KEY_HOSTS, "").split(",")}
    shown = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return bool({parts.hostname, shown, f"{shown}:{port}"} & named)


def _how_to_send(address: str, key_name: str, *, withheld: bool) -> str:
    """What to set so that a key goes to this address."""
    host = urlsplit(address).netloc
    if withheld:
        return (
            f"No key was sent: {key_name} is for the hosts that {URL_KEY_HOSTS} names. If it is for "
            f"this one, add {host} to them"
        )
    return f"No key was sent: if this server wants one, set {key_name} to it and {URL_KEY_HOSTS} to {host}"


def _read_key(name: str | None) -> str | None:
    if name is None:
        return None
    key = os.environ[name].strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise FolkwaysError(
            f"the key in {name} holds a space or another character that no key has; was it copied whole?"
        )
    return key


def _credentials(protocol: str, key: str | None, url: Url) -> dict[str, Any]:
    """Of an Address: query, headers with the key or, failing that, user and password of the URL, and all of
    it as secrets."""
    headers = {"anthropic-version": "2023-06-01"} if protocol == "anthropic" else {}
    secrets: tuple[str, ...] = ()
    if url.user or url.password:
        token = b64encode(f"{url.user}:{url.password}".encode()).decode()
        headers["Authorization"] = f"Basic {token}"
        secrets += tuple(part for part in (url.password, token) if part) or (url.user,)
    if key is not None:
        header = {"anthropic": "x-api-key", "google": "x-goog-api-key"}.get(protocol)
        headers[header or "Authorization"] = key if header else f"Bearer {key}"
        secrets += (key,)
    pairs = (pair.partition("=")[::2] for pair in url.query.split("&"))
    values = [value for name, value in pairs if _holds_key(name, value)]
    secrets += (*values, *map(unquote_plus, values))  # servers quote an address in either way
    secrets += tuple(text for secret in secrets for text in _in_base64(secret))
    return {"query": url.query, "headers": headers, "secrets": tuple(dict.fromkeys(secrets))}


def _holds_key(name: str, value: str) -> bool:
    """Whether a part of an address's query is a key, by its name or by its look. A model, a version or a
    sentence, which a reply may hold, does not count as one."""
    text = unquote_plus(value)
    runs = _RUNS.findall(text)
    looks = any(len(run) >= SHORTEST_WORD or _OF_KEYS.search(run) for run in runs) or _UUID.search(text)
    return len(value) >= SHORTEST_NAMED and bool(_NAMES_OF_KEYS.search(name) or looks)


def _in_base64(secret: str) -> Iterator[str]:
    """How a long secret looks within any text that is written in base64, as ``Bearer`` and the key are: one
    way for each place where its first byte may fall, without the letters that its neighbours shape."""
    data = secret.encode()
    if len(data) < SHORTEST_ENCODED:
        return
    for before in range(3):
        encode = (b64encode, urlsafe_b64encode)
        first, last = (8 * before + 5) // 6, 8 * (before + len(data)) // 6
        yield from (one(bytes(before) + data).decode()[first:last] for one in encode)


def _ollama_url(host: str) -> str:
    """OLLAMA_HOST is what the server binds to (``0.0.0.0:11434``, ``:8080``), which is not always what a
    client can ask."""
    if "://" not in host:
        host = f"http://{host}"
    scheme, _, rest = host.partition("://")
    rest = rest.rstrip("/").removesuffix("/v1")
    name, _, port = rest.rpartition(":") if ":" in rest else (rest, "", "")
    if name in ("", "0.0.0.0"):  # noqa: S104 - compared, not bound
        name = "localhost"
    return f"{scheme}://{name}:{port or (443 if scheme == 'https' else _OLLAMA_PORT)}/v1"
