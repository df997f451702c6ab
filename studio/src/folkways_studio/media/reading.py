"""Reads pictures and recordings that people add, one by one or in a ZIP. The first bytes of a file, not its
name, determine its type."""

from __future__ import annotations

import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from folkways.sdk.errors import DataError
from folkways_studio.formats.zip_files import open_zip

LARGEST_BYTES = 20_000_000
LARGEST_UNPACKED = 100_000_000
MOST_FILES = 1000
"""Limits of one upload: the size of a file, of everything unpacked, and the number of files."""

LONGEST_NAME = 200
"""Bytes of a name in UTF-8: file systems allow 255, and exports put folders before it."""

UNFIT = frozenset('/\\:*?"<>|#%')
"""Characters with a special meaning in file systems or web addresses."""

DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(1, 10)))
)
"""Names that Windows treats as devices, whatever follows the first full stop."""

MOST_PROBLEMS = 20

SIGNATURES: tuple[tuple[bytes, int, bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, b"", "image/png"),
    (b"\xff\xd8\xff", 0, b"", "image/jpeg"),
    (b"GIF87a", 0, b"", "image/gif"),
    (b"GIF89a", 0, b"", "image/gif"),
    (b"RIFF", 8, b"WEBP", "image/webp"),
    (b"RIFF", 8, b"WAVE", "audio/wav"),
    (b"OggS", 0, b"", "audio/ogg"),
    (b"fLaC", 0, b"", "audio/flac"),
    (b"ID3", 0, b"", "audio/mpeg"),
    (b"", 4, b"ftypM4A", "audio/mp4"),
    (b"\x1a\x45\xdf\xa3", 0, b"", "audio/webm"),
)
"""First bytes, an offset and the bytes there, and the type that both identify."""

KINDS = "PNG, JPEG, GIF, WebP; MP3, Ogg, WAV, FLAC, M4A, WebM"


class MediaError(DataError):
    """Some files cannot be used. ``problems``: name -> what is wrong and what to do."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        lines = [f"  {name}: {problem}" for name, problem in list(self.problems.items())[:MOST_PROBLEMS]]
        rest = len(self.problems) - len(lines)
        super().__init__(
            "\n".join(("nothing was taken over:", *lines, *([f"  and {rest} more"] if rest else [])))
        )


def media_type(content: bytes) -> str | None:
    """The type of a picture or recording ("image/png"); None for anything else, such as SVG, which can carry
    scripts."""
    for start, offset, inside, kind in SIGNATURES:
        if content.startswith(start) and content[offset : offset + len(inside)] == inside:
            return kind
    # MP3 without a tag: eleven set bits, then a version, layer and rate that exist.
    if (
        len(content) > 2
        and content[0] == 0xFF
        and content[1] & 0xE6 == 0xE2
        and content[2] & 0xF0 not in (0x00, 0xF0)
    ):
        return "audio/mpeg"
    return None


def is_name(name: str) -> bool:
    """Whether a name is valid in any file system, in an archive and in the address of a page."""
    return (
        name == unicodedata.normalize("NFC", name)
        and name.isprintable()
        and 0 < len(name.encode("utf-8", "replace")) <= LONGEST_NAME
        and name == name.strip(". ")
        and not UNFIT & {*name}
        and name.partition(".")[0].strip().lower() not in DEVICES
    )


def safe_name(name: str, sha256: str) -> str:
    """The name of a file in an export: its own, or one made from its hash if an earlier version accepted an
    invalid name."""
    return name if is_name(name) else f"file-{sha256[:16]}"


def read_media(files: Iterable[tuple[str, bytes]]) -> dict[str, tuple[str, bytes]]:
    """Name -> type and contents of all files, including those in ZIPs, without folders. MediaError names
    every problem.

    Names are normalised to NFC, because some systems write é as two characters.
    """
    media: dict[str, tuple[str, bytes]] = {}
    problems: dict[str, str] = {}
    for raw_name, content in _unpacked(files, problems):
        name = unicodedata.normalize("NFC", raw_name)
        kind = media_type(content)
        if len(media) == MOST_FILES:
            problems[name] = f"is beyond the {MOST_FILES} files that can be brought at once"
            break
        if name in media and media[name][1] != content:
            problems[name] = "is there twice with different contents; give one of them another name"
        elif not is_name(name):
            problems[name[:LONGEST_NAME]] = (
                f"is no name that can be used: up to {LONGEST_NAME} bytes of letters that can be seen, with "
                f"no full stop or space at either end and none of {' '.join(sorted(UNFIT))}"
            )
        elif len(content) > LARGEST_BYTES:
            problems[name] = f"is larger than {LARGEST_BYTES // 1_000_000} MB; make it smaller"
        elif kind is None:
            problems[name] = f"is neither a picture nor a recording that browsers play safely; valid: {KINDS}"
        else:
            media[name] = (kind, content)
    if not media and not problems:
        problems["(none)"] = f"there is no picture or recording; valid: {KINDS}, or a ZIP of them"
    if problems:
        raise MediaError(problems)
    return media


def read_files(paths: Iterable[Path]) -> dict[str, tuple[str, bytes]]:
    """``read_media`` for files on this machine; MediaError also for unreadable ones."""
    contents, problems = [], {}
    for path in paths:
        try:
            contents.append((path.name, path.read_bytes()))
        except OSError as error:
            problems[str(path)] = f"cannot be read: {error.strerror or error}"
    if problems:
        raise MediaError(problems)
    return read_media(contents)


def _unpacked(files: Iterable[tuple[str, bytes]], problems: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    budget = LARGEST_UNPACKED
    for name, content in files:
        if not content.startswith(b"PK\x03\x04"):
            yield PurePosixPath(name).name, content
            continue
        try:
            with open_zip(content) as archive:
                for entry in archive.infolist():
                    path = PurePosixPath(entry.filename)
                    if entry.is_dir() or any(part.startswith((".", "__MACOSX")) for part in path.parts):
                        continue
                    with archive.open(entry) as stream:
                        # whatever size the entry says it has
                        inside = stream.read(min(budget, LARGEST_BYTES) + 1)
                    budget -= len(inside)
                    if budget < 0:
                        problems[name] = (
                            f"unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB; bring it in parts"
                        )
                        return
                    yield path.name, inside
        except zipfile.BadZipFile as error:
            problems[name] = f"cannot be unpacked: {error}"
