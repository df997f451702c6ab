"""A transformers model in a folder: what it is, which of its files decide its vectors, and their checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways.errors import DataError, FolkwaysError

WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
"""Where weights may lie, in the order in which transformers looks."""

# configuration, vocabulary and the parts of sentence-transformers
_DECIDING = ("*.json", "*.txt", "*.model", "*/config.json")
_IDLE = ("README", "data_config.json", "generation_config.json")  # of these no vector depends


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model on this disk.

    name: as people read it: the hub's name, or that of the folder.
    revision: 12 hexadecimal digits over configuration, tokenizer and weights, whole; other files of the
        folder do not matter.
    layers: transformer layers.
    config: the model's config.json.
    """

    path: Path
    name: str
    revision: str
    layers: int
    config: Mapping[str, Any]


def open_folder(path: Path, name: str | None = None) -> ModelFolder:
    """The model in ``path``; FolkwaysError or DataError that says what the folder lacks."""
    if not path.is_dir():
        raise FolkwaysError(f"there is no model folder {path}")
    config = read_json(path / "config.json")
    weights = _weights(path)
    layers = config.get("num_hidden_layers", config.get("n_layers"))
    if not isinstance(layers, int) or layers < 1:
        raise DataError(
            "names no num_hidden_layers; only encoders such as BERT can be used", file=path / "config.json"
        )
    return ModelFolder(path, name or path.name, _revision(path, weights), layers, config)


def parsed_json(path: Path) -> Any:
    """What a JSON file of the folder holds; DataError where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"is not there: {path.parent} is not a folder of a transformers model", file=path
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=path) from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; DataError where there is none."""
    value = parsed_json(path)
    if not isinstance(value, dict):
        raise DataError("is not a JSON object", file=path)
    return value


def _weights(path: Path) -> list[Path]:
    for name in WEIGHTS:
        file = path / name
        if file.is_file() and name.endswith(".json"):
            return [
                file,
                *(path / part for part in sorted(set(read_json(file).get("weight_map", {}).values()))),
            ]
        if file.is_file():
            return [file]
    onnx = " (there are ONNX files, which are not read)" if any(path.rglob("*.onnx")) else ""
    raise DataError(f"holds no weights{onnx}; one of these is needed: {', '.join(WEIGHTS)}", file=path)


def _revision(path: Path, weights: list[Path]) -> str:
    digest = hashlib.sha256()
    deciding = (file for pattern in _DECIDING for file in path.glob(pattern))
    relevant = (
        file for file in deciding if not file.name.startswith(_IDLE) and not file.name.endswith(".index.json")
    )
    for file in sorted({*relevant, *weights}):
        if not file.is_file():
            raise DataError(f"is named in {path} and is not there", file=file)
        with file.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{file.relative_to(path).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:12]
