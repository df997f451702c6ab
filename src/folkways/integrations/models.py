"""A model's name and properties for other formats, from its endpoint and its card, without addresses and
paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from folkways.endpoints.cards import load_cards
from folkways.endpoints.servers.providers import providers
from folkways.records import ModelCard
from folkways.runs.models import split_name

UNKNOWN = "unknown"
ENGINES = {
    "hf": "transformers",
    "gguf": "llama.cpp",
    "llamacpp": "llama.cpp",
    "ollama": "ollama",
    "vllm": "vllm",
    "lmstudio": "LM Studio",
}
_PATH = re.compile(r"^[.~/\\]|^[A-Za-z]:|\.(gguf|csv|jsonl?|parquet)$", re.IGNORECASE)
_RESERVED = re.compile(r"^(data|con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model as other projects know it.

    developer, model: its names as folders. info: its properties. host: the address of its server, which must
    not be written.
    """

    developer: str
    model: str
    info: dict[str, Any]
    host: str = ""

    @property
    def id(self) -> str:
        return f"{self.developer}/{self.model}"

    def without_host(self, text: str | None) -> str | None:
        """The text without the address of the model's server."""
        return text.replace(self.host, "HOST") if text and self.host else text


def stored_model(endpoint: str) -> StoredModel:
    """The model of an endpoint; unknown properties are ``unknown``."""
    name, _ = split_name(endpoint)
    kind, _, rest = name.partition("/")
    host = ""
    if name.startswith(("http://", "https://")):
        host, kind, rest = urlsplit(name).netloc, "", urlsplit(name).fragment
    elif kind not in providers() and kind not in ENGINES:  # a replay file, or the endpoint of another package
        kind, rest = "", name.partition(":")[2] or name
    rest, _, at = rest.partition("@")
    host = host or urlsplit(at).netloc
    on_disk = _PATH.search(rest) is not None
    parts = [part for part in re.split(r"[/\\]", rest) if part]
    card = load_cards().find(endpoint) or ModelCard()
    organisation = parts[-2] if len(parts) > 1 and not on_disk else ""
    hosted = kind in providers() and providers()[kind].key_required
    developer = organisation or card.provider or (kind if hosted else "") or UNKNOWN
    last = parts[-1] if parts else UNKNOWN
    model = re.sub(r"\.(gguf|csv|jsonl?|parquet)$", "", last, flags=re.IGNORECASE) if on_disk else last
    folder = portable(developer if organisation else developer.lower())
    details = {
        "deployment_type": "externally_managed"
        if hosted
        else "self_deployed"
        if kind in ENGINES
        else UNKNOWN,
        "model_availability": "open_weights" if kind == "hf" and organisation else UNKNOWN,
        "family": card.family,
        "parameters_billions": card.size,
        "released": card.released,
    }
    info: dict[str, Any] = {
        "name": model,
        "id": f"{folder}/{portable(model)}",
        "developer": card.provider or developer,
        "additional_details": {key: str(value) for key, value in details.items() if value is not None},
    }
    if kind in providers():
        info["inference_platform"] = kind
    if kind in ENGINES:
        info["inference_engine"] = {"name": ENGINES[kind]}
    return StoredModel(folder, portable(model), info, host)


def portable(name: str) -> str:
    """A name that is valid as a folder on every system: at most 100 letters, digits and ``._-``, and none of
    the names that Windows reserves."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._")[:100].rstrip("._") or UNKNOWN
    return f"{plain}_" if _RESERVED.match(plain) else plain
