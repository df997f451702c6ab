"""One name for each model: exports write it, without address and path, and every command takes it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import category, normalize
from urllib.parse import urlsplit

import polars as pl

from folkways.endpoints.cards import load_cards
from folkways.endpoints.servers.providers import providers
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.names import short_endpoint
from folkways.records import ModelCard, is_baseline
from folkways.runs.models import split_name

UNKNOWN = "unknown"
ENGINES = {
    "hf": "transformers",
    "gguf": "llama.cpp",
    "llamacpp": "llama.cpp",
    "ollama": "ollama",
    "vllm": "vllm",
    "vllm-offline": "vllm",
    "lmstudio": "LM Studio",
}
_PATH = re.compile(r"^[.~/\\]|^[A-Za-z]:|\.(gguf|csv|jsonl?|parquet)$", re.IGNORECASE)
_RESERVED = re.compile(r"^(data|con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """A model as other projects know it.

    developer, model: its names as folders. info: its properties. private: the address of its server and
    the place of its file, which must not be written -> the word in its place.
    """

    developer: str
    model: str
    info: dict[str, Any]
    private: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.developer}/{self.model}"

    def without_host(self, text: str | None) -> str | None:
        """The text without the address of the model's server and the place of its file."""
        for private, word in self.private.items():
            text = text and text.replace(private, word)
        return text


def stored_model(endpoint: str) -> ModelIdentity:
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
    if kind in ENGINES:
        info["inference_engine"] = {"name": ENGINES[kind]}
    else:
        info["inference_platform"] = kind if hosted else UNKNOWN
    private = {str(Path(rest).expanduser()): "FILE", rest: "FILE"} if on_disk and model != UNKNOWN else {}
    return ModelIdentity(folder, portable(model), info, private | ({host: "HOST"} if host else {}))


def portable(name: str) -> str:
    """A name that is valid as a folder on every system: letters and digits of any script and ``._-``, at most
    100 in at most 200 bytes, and none of the names that Windows reserves."""
    letters = (one if one in "._-" or category(one)[0] in "LMN" else " " for one in normalize("NFC", name))
    plain = re.sub(" +", "_", "".join(letters)).strip("._")[:100]
    plain = plain.encode()[:200].decode(errors="ignore").rstrip("._") or UNKNOWN
    return f"{plain}_" if _RESERVED.match(plain) else plain


AT = "@"
"""What stands between a model and the run that asked it."""

ALSO = "+"
"""What stands between the runs that asked it."""


def at_runs(endpoint: str, runs: Iterable[str]) -> str:
    """A model as these runs asked it: ``lab/m@first+second``, with settings of its own after that."""
    address, _ = split_name(endpoint)
    return f"{address}{AT}{ALSO.join(runs)}{endpoint.removeprefix(address)}"


def model_names(endpoints: Iterable[str]) -> dict[str, str]:
    """Endpoint -> its name in exports: ``developer/model?temperature=1``, without address and path.

    Endpoints that would share a name (two servers of one model, two revisions) have a digest after it, which
    does not depend on the others.
    """
    names = {endpoint: public_name(endpoint) for endpoint in endpoints}
    times = Counter(names.values())
    return {
        endpoint: name if times[name] == 1 else f"{name}#{_digest(endpoint)}"
        for endpoint, name in names.items()
    }


def with_model_names(frame: pl.DataFrame) -> pl.DataFrame:
    """The ``frame`` with the column ``model`` before ``endpoint`` and all else."""
    names = model_names(frame["endpoint"].unique(maintain_order=True))
    return frame.select(pl.col("endpoint").replace(names).alias("model"), pl.all())


def public_name(endpoint: str) -> str:
    """``developer/model``, and the settings of its own; a baseline keeps its name."""
    address, _ = split_name(endpoint)
    return endpoint if is_baseline(endpoint) else stored_model(endpoint).id + endpoint.removeprefix(address)


def _digest(endpoint: str) -> str:
    return hashlib.sha256(endpoint.encode()).hexdigest()[:6]


def written_names(endpoint: str) -> tuple[frozenset[str], ...]:
    """What people may call a model, the most exact first: the endpoint; its names in exports; its short
    names in reports and comparisons; the same without its settings."""
    address, _ = split_name(endpoint)
    public = endpoint
    short, shorter = (
        {short_endpoint(name), name.rpartition("#")[2].rpartition("/")[2]} for name in (endpoint, address)
    )
    if not is_baseline(endpoint):
        model = stored_model(endpoint)
        public = model.id + endpoint.removeprefix(address)
        shorter |= {model.id, model.model}
    return tuple(map(frozenset, ({endpoint}, {public, f"{public}#{_digest(endpoint)}"}, short, shorter)))


Candidate = TypeVar("Candidate")


def matching(name: str, candidates: Sequence[tuple[Candidate, str]]) -> list[tuple[Candidate, str]]:
    """Those of the ``candidates`` (anything, with an endpoint) that are meant by ``name``: the exact ones, or
    else those by looser names; several where the name says too little, none where it is nobody's."""
    return _matching(name, candidates, [written_names(endpoint) for _, endpoint in candidates])


def _matching(
    name: str, candidates: Sequence[tuple[Candidate, str]], names: Iterable[tuple[frozenset[str], ...]]
) -> list[tuple[Candidate, str]]:
    levels = zip(*names, strict=True)
    hits = ([one for one, of in zip(candidates, level, strict=True) if name in of] for level in levels)
    return next((some for some in hits if some), [])


def choose_models(names: Sequence[str], endpoints: Iterable[str], run: str) -> list[str]:
    """The endpoints that are meant by the ``names`` that a user wrote, each once.

    endpoints: those of the run; run: its name, for errors. UnknownNameError for a name that none of them has,
    FolkwaysError for one of several.
    """
    candidates = [(run, endpoint) for endpoint in endpoints]
    written = [written_names(endpoint) for _, endpoint in candidates]
    chosen: dict[str, None] = {}
    for name in names:
        hits = [endpoint for _, endpoint in _matching(name, candidates, written)]
        if not hits:
            valid = model_names(endpoint for _, endpoint in candidates).values()
            raise UnknownNameError(f"model of run {run}", name, valid)
        if len(hits) > 1:
            several = f"the model {name!r} of run {run} stands for several; say which: {', '.join(hits)}"
            raise FolkwaysError(several)
        chosen[hits[0]] = None
    return list(chosen)
