"""From the name that a user writes to an endpoint. Nothing is connected or loaded before ``open``."""

from __future__ import annotations

from folkways.endpoints.base import Endpoint, EndpointOptions
from folkways.endpoints.servers.providers import provider_address, providers, url_address
from folkways.errors import FolkwaysError, UnknownNameError

FORMS = {
    "PROVIDER/MODEL": "a model of a provider (folkways endpoints lists them): openai/gpt-4o-mini",
    "http(s)://HOST/v1#MODEL": "a server of OpenAI's chat completions; its key in FOLKWAYS_API_KEY, for FOLKWAYS_API_KEY_HOSTS",
    "hf/NAME[@REVISION]": "a transformers model from the Hugging Face hub or a folder, on this machine (extra: local)",
    "replay:FILE": "answers made elsewhere, in JSONL, CSV or Parquet",
    "baseline/random": "a choice at random, the same one every time for the same seed",
    "baseline/first": "always the first choice",
    "baseline/constant:TEXT": "always TEXT",
    "baseline/echo": "the prompt itself",
}
"""Every way to write the name of an endpoint, and what it means."""


def open_name(name: str, options: EndpointOptions | None = None, *, need_key: bool = True) -> Endpoint:
    """The endpoint called ``name``, not yet opened.

    options:  timeout, headers, ... ; defaults if None.
    need_key: False where nothing will be asked (estimates, reports), so that a missing key is no error.

    Reads the environment and, for ``replay:FILE`` and local folders, hashes the file; connects to nothing. Raises
    UnknownNameError listing the valid forms, or FolkwaysError naming the environment variable of a missing key.
    """
    options = options or EndpointOptions()
    name = name.strip()
    if name.lower().startswith(("http://", "https://")):
        from folkways.endpoints.servers.openai import OpenAIEndpoint

        return OpenAIEndpoint(url_address(name, options.base_url, need_key=need_key, key_env=options.key_env), options)
    if name.startswith("replay:"):
        from folkways.endpoints.replay import ReplayEndpoint

        return ReplayEndpoint(name.removeprefix("replay:"))
    kind, _, model = name.partition("/")
    if kind == "baseline":
        from folkways.endpoints.baselines import open_baseline

        return open_baseline(model, options.seed)
    if kind == "hf":
        if not model:
            raise FolkwaysError("'hf' names no model: write hf/NAME with a name of the hub or a folder, hf/./my-model")
        from folkways.endpoints.local import LocalEndpoint

        return LocalEndpoint(model, seed=options.seed)
    if kind in providers():
        return _open_provider(kind, model, options, need_key=need_key)
    raise _unknown(name, kind)


def _open_provider(kind: str, model: str, options: EndpointOptions, *, need_key: bool) -> Endpoint:
    from folkways.endpoints.servers.anthropic import AnthropicEndpoint
    from folkways.endpoints.servers.google import GoogleEndpoint
    from folkways.endpoints.servers.openai import OpenAIEndpoint

    provider = providers()[kind]
    if not model:
        raise FolkwaysError(f"{kind!r} names no model: write {kind}/MODEL   (its models: {provider.docs})")
    protocols: dict[str, type[OpenAIEndpoint | AnthropicEndpoint | GoogleEndpoint]] = {
        "openai": OpenAIEndpoint,
        "anthropic": AnthropicEndpoint,
        "google": GoogleEndpoint,
    }
    address = provider_address(provider, model, options.base_url, need_key=need_key, key_env=options.key_env)
    return protocols[provider.protocol](address, options)


def _unknown(name: str, kind: str) -> UnknownNameError:
    forms = "\n".join(f"  {form:<26}{about}" for form, about in FORMS.items())
    hint = f"write one of:\n{forms}"
    # A slip in the provider's name is the likeliest mistake; the whole name would be too far from any of them to suggest one.
    return UnknownNameError("provider" if "/" in name else "endpoint", kind, [*providers(), "hf", "baseline"], hint=hint)
