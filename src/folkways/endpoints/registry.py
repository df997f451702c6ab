"""From the name that a user writes to an endpoint. Nothing is connected or loaded before ``open``."""

from __future__ import annotations

import inspect

from folkways import plugins
from folkways.endpoints.base import Endpoint, EndpointKind, EndpointOptions
from folkways.endpoints.servers.providers import provider_address, providers
from folkways.errors import FolkwaysError, UnknownNameError

ATTRIBUTES = {"name": str, "identity": str, "item_addressed": bool, "local": bool, "default_concurrency": int}
"""What each endpoint has, and of which type."""

METHODS = ("open", "complete", "close")
"""Its coroutine functions."""

_PROVIDER = {"PROVIDER/MODEL": "a model of a provider (folkways endpoints lists them): openai/gpt-4o-mini"}


def forms() -> dict[str, str]:
    """Every way to write the name of an endpoint -> what it means. One that cannot be loaded is left out with
    a FolkwaysWarning."""
    kinds: list[EndpointKind | None] = [
        plugins.load(entry, _check_kind) for entry in plugins.entries(plugins.ENDPOINTS).values()
    ]
    return _PROVIDER | {
        form: about for kind in kinds if kind is not None for form, about in kind.forms.items()
    }


def open_name(name: str, options: EndpointOptions | None = None, *, need_key: bool = True) -> Endpoint:
    """The endpoint called ``name``, not yet opened.

    options: timeout, headers, ... ; defaults if None.
    need_key: False where this process will ask nothing (estimates, plans): a missing key or package is then
        accepted.

    Reads the environment and, for ``replay:FILE`` and local folders, hashes the file; connects to nothing.
    Raises UnknownNameError listing the valid forms, or FolkwaysError naming the environment variable of a
    missing key, or what is wrong with the endpoint of another package.
    """
    options = options or EndpointOptions()
    name = name.strip()
    first, _, model = name.partition("/")
    kind = first.partition(":")[0]
    if name[len(kind) :].startswith("://"):
        kind = kind.lower()
    entry = plugins.entries(plugins.ENDPOINTS).get(kind)
    if entry is not None and (endpoint_kind := plugins.load(entry, _check_kind)) is not None:
        try:
            return check_endpoint(endpoint_kind.open(name, options, need_key))
        except FolkwaysError:
            raise
        except Exception as error:
            raise FolkwaysError(
                f"{name} cannot be opened: {plugins.error_text(error, entry.value)}; repair it there"
            ) from error
    if first == "python":
        raise FolkwaysError(
            f"{name} is a model that a program in Python gave; run it there: folkways.run(..., models=...) "
            "(docs: Python)"
        )
    if first in providers():
        return _open_provider(first, model, options, need_key=need_key)
    width = max(map(len, forms()))
    near = [form for form in forms() if name and form.endswith(f"/{name}")]
    missing = (
        ""
        if "/" in name
        else f"write {near[0]}, or"
        if near
        else "a model without its provider is not enough;"
    )
    hint = f"{missing} write one of:\n".lstrip() + "\n".join(
        f"  {form:<{width}}  {about}" for form, about in forms().items()
    )
    # A slip in the provider's name is the likeliest mistake; the whole name would be too far from any of them
    # to suggest one.
    valid = [
        *providers(),
        *(entry for entry in plugins.entries(plugins.ENDPOINTS) if not entry.startswith("http")),
    ]
    raise UnknownNameError("provider" if "/" in name else "endpoint", first, valid, hint=hint)


def check_endpoint(endpoint: Endpoint) -> Endpoint:
    """The endpoint, where it has what each has (``folkways.endpoints.base.Endpoint``); FolkwaysError with
    what it lacks."""
    lacks = [
        f"{name} ({kind.__name__})"
        for name, kind in ATTRIBUTES.items()
        if not isinstance(getattr(endpoint, name, None), kind)
    ]
    lacks += [
        f"async {name}()"
        for name in METHODS
        if not inspect.iscoroutinefunction(getattr(endpoint, name, None))
    ]
    if lacks:
        made = type(endpoint)
        raise FolkwaysError(
            f"{made.__module__}.{made.__qualname__} is no endpoint: it lacks {', '.join(lacks)}; "
            "docs: Endpoints, 'A protocol of your own'"
        )
    return endpoint


def _check_kind(kind: object) -> None:
    """TypeError unless it is an EndpointKind."""
    if not isinstance(kind, EndpointKind):
        raise TypeError(f"{kind!r} is not an EndpointKind")


def is_name(text: str) -> bool:
    """Whether a text begins as the names of endpoints do."""
    kind = text.strip().partition("/")[0].partition(":")[0]
    return kind != text.strip() and (kind in providers() or kind in plugins.entries(plugins.ENDPOINTS))


def _open_provider(kind: str, model: str, options: EndpointOptions, *, need_key: bool) -> Endpoint:
    from folkways.endpoints.servers.anthropic import AnthropicEndpoint
    from folkways.endpoints.servers.google import GoogleEndpoint
    from folkways.endpoints.servers.llamacpp import LlamaCppEndpoint
    from folkways.endpoints.servers.openai import OpenAIEndpoint

    provider = providers()[kind]
    protocols: dict[str, type[OpenAIEndpoint | AnthropicEndpoint | GoogleEndpoint]] = {
        "openai": OpenAIEndpoint,
        "llamacpp": LlamaCppEndpoint,
        "anthropic": AnthropicEndpoint,
        "google": GoogleEndpoint,
    }
    address = provider_address(provider, model, options.base_url, need_key=need_key, key_env=options.key_env)
    return protocols[provider.protocol](address, options)
