"""What a release is: a version of published data, pinned by revision and checksums, with its licence and citation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from folkways.errors import FolkwaysError


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One file of a release.

    path:    where it lies inside the release, with forward slashes (``annotations/UK_data.json``).
    remote:  its path in the source repository at the pinned revision.
    sha256:  hexadecimal; None where only the host can tell the checksum (then the host's content hash is verified).
    size:    bytes; None if unknown.
    """

    path: str
    remote: str
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class ReleaseRecord:
    """The typed record of one release: everything that is known before a byte is fetched."""

    name: str  # "blend@24e7d73"
    benchmark: str  # "blend"
    revision: str  # full commit hash at the source
    source: Literal["github", "hub", "package"]
    repository: str  # "nlee0212/BLEnD"
    files: tuple[ReleaseFile, ...]
    licence: str  # SPDX identifier: "CC-BY-SA-4.0"
    citation: str  # BibTeX
    homepage: str
    about: str  # one or two sentences: what it is, which paper tables it stands behind
    aliases: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A release that lies on this disk: its record and the folder that holds its files."""

    record: ReleaseRecord
    root: Path
    verified: bool = field(default=True)  # False for a folder whose checksums are not those of a known release

    @property
    def name(self) -> str:
        return self.record.name

    def has(self, path: str) -> bool:
        return (self.root / path).is_file()

    def path(self, path: str) -> Path:
        """The file at ``path`` inside the release; a FolkwaysError that names the remedy if it is not there."""
        found = self.root / path
        if not found.is_file():
            raise FolkwaysError(
                f"release {self.name} has no file {path} in {self.root}\n"
                f"Fetch it again: folkways data fetch {self.name}   (or adopt a copy: folkways data fetch {self.name} --from DIR)"
            )
        return found

    @cached_property
    def fingerprint(self) -> str:
        """12 hexadecimal digits over names and contents of the files that are there; equal data have equal fingerprints."""
        digest = hashlib.sha256()
        for entry in sorted(self.record.files, key=lambda file: file.path):
            if self.has(entry.path):
                digest.update(entry.path.encode() + b"\0")
                digest.update(hashlib.sha256((self.root / entry.path).read_bytes()).digest())
        return digest.hexdigest()[:12]
