"""From the name of a model to a folder on this disk: the folder itself, the hub's cache, or fetched from the
hub."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from folkways.errors import FolkwaysError, of_extra

_NEEDED = ("*.json", "*.txt", "*.model", "*/config.json")
_WEIGHTS = (("*.safetensors",), ("pytorch_model*.bin",))
_NEVER = ("onnx/*", "openvino/*", "*.onnx", "training_args.bin")


def model_folder(name: str) -> tuple[Path, str]:
    """The folder of a model and what people call it, for a folder or a hub name (``OWNER/NAME`` or
    ``OWNER/NAME@REVISION``).

    What the hub's own cache holds is taken from there without asking the hub. FolkwaysError that says how to
    get what is not there.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path, path.resolve().name
    if name.startswith((".", "/", "~", "\\")) or name.count("/") > 1:
        raise FolkwaysError(
            f"there is no model folder {path}; give a folder, or a name on the Hugging Face hub such as "
            "OWNER/NAME"
        )
    with of_extra("neural", f"the model {name}"):
        hub = import_module("huggingface_hub")
    source, _, revision = name.partition("@")
    for weights in _WEIGHTS:
        folder = _cached(hub, source, revision or None, weights) or _fetched(
            hub, source, revision or None, weights
        )
        if any(folder.glob(weights[0])):
            return folder, source
    raise FolkwaysError(
        f"the model {name} on the Hugging Face hub has no weights that can be read here (safetensors or "
        "PyTorch)"
    )


def _cached(hub: Any, source: str, revision: str | None, weights: tuple[str, ...]) -> Path | None:
    try:
        folder = Path(hub.snapshot_download(source, revision=revision, local_files_only=True))
    except Exception:  # noqa: BLE001 - whatever is wrong with the cache, fetching comes next and says what is wrong
        return None
    return folder if (folder / "config.json").is_file() and any(folder.glob(weights[0])) else None


def _fetched(hub: Any, source: str, revision: str | None, weights: tuple[str, ...]) -> Path:
    try:
        return Path(
            hub.snapshot_download(
                source,
                revision=revision,
                allow_patterns=[*_NEEDED, *weights],
                ignore_patterns=list(_NEVER),
                etag_timeout=10,
            )
        )
    except Exception as error:  # noqa: BLE001 - the hub's client raises errors of half a dozen libraries
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FolkwaysError(
            f"the model {source} is not on this disk and cannot be had from the Hugging Face hub: {reason}\n"
            f"Get it where there is a network: hf download {source}   (a gated model needs HF_TOKEN), or "
            "give the folder it is in"
        ) from None
