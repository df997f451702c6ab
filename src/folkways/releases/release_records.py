"""What a release is: a version of published data, pinned by revision and checksums, with its licence and
citation."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import Literal

from folkways.errors import DataError, FolkwaysError, NotOnDiskError, option
from folkways.releases.checksums import sha256_of

MOST_OPTIONAL = 6
"""Optional files up to which every choice of them has its fingerprint computed: there are 2 to the power of
their number."""

OWN_FOLDER = "dir:"
"""How the name of a release begins that is a folder of the user's."""


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One file of a release.

    path: where it lies inside the release, with forward slashes (``annotations/UK_data.json``).
    remote: its path in the source repository at the pinned revision; empty where it is not published there (a
        competition hands it out to those who register), so that only a copy can be adopted.
    sha256: hexadecimal; None where only the host can tell the checksum (then the host's content hash is
        verified).
    size: bytes; None if unknown.
    optional: True where the release can be used without it (the authors' prompts: folkways has wordings of
        its own).
    archive: SHA-256 of the zip archive that lies at ``remote`` in place of the file, which is its member of
        the same name.
    """

    path: str
    remote: str
    sha256: str | None = None
    size: int | None = None
    optional: bool = False
    archive: str | None = None


@dataclass(frozen=True)
class ReleaseRecord:
    """The typed record of one release: everything that is known before a byte is fetched."""

    name: str  # "blend@24e7d73"
    benchmark: str  # "blend"
    # commit hash at the source, in full where it is known; or a branch, where no hash is (``is_pinned``)
    revision: str
    source: Literal["github", "hub", "package", "folder"]  # "folder": a user's own, of no published release
    repository: str  # "nlee0212/BLEnD"; empty for package and folder
    files: tuple[ReleaseFile, ...]
    licence: str  # SPDX identifier: "CC-BY-SA-4.0"
    citation: str  # BibTeX
    homepage: str
    about: str  # one or two sentences: what it is, which tables of the paper it reproduces
    aliases: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    # whether the licence lets its items be passed on; None where nobody has said
    items_may_leave: bool | None = True
    # the folder of the benchmark's package; data of source "package" lie in its subfolder data
    home: Path = Path()

    @property
    def is_pinned(self) -> bool:
        """Whether the record says which contents these are: by a commit hash, or by a checksum for every
        file."""
        hashed = re.fullmatch(r"[0-9a-f]{7,40}", self.revision) is not None
        return hashed or self.source in ("package", "folder") or all(entry.sha256 for entry in self.files)

    @property
    def is_downloaded(self) -> bool:
        """Whether folkways can fetch it; of a release that its authors do not hand out so, users bring a
        copy."""
        return any(entry.remote for entry in self.files)

    def to_get(self, name: str = "") -> str:
        """How the release comes onto this disk, to end a message with. name: as the user wrote it."""
        command = f"folkways data fetch {name or self.name}"
        if self.is_downloaded:
            return f"Fetch it: {command}   (or adopt a copy: {command} --from DIR)"
        return f"{self.about.strip()}\nIt is at {self.homepage}; adopt your copy: {command} --from DIR"

    def to_accept(self, *, revision: str | None = None) -> str:
        """The command that takes another state of a release whose record names a branch: what the branch
        points to now, or this ``revision``."""
        return f"folkways data fetch {self.name} --revision {revision or self.revision}"

    def check_revision(self, revision: str) -> None:
        """FolkwaysError where a ``revision`` cannot be chosen, because the record pins one."""
        if self.is_pinned:
            raise FolkwaysError(
                f"release {self.name} is always that of revision {self.revision}; leave out "
                f"{option('revision', revision)}, which is for releases that follow a branch"
            )

    @cached_property
    def fingerprints(self) -> frozenset[str]:
        """The fingerprints (``Release.fingerprint``) that the release has, with and without each of its
        optional files, of many with and without all; empty where the record lacks a checksum."""
        optional = [entry for entry in self.files if entry.optional]
        if any(entry.sha256 is None for entry in self.files):
            return frozenset()
        amounts = range(len(optional) + 1) if len(optional) <= MOST_OPTIONAL else (0, len(optional))
        absent = chain.from_iterable(combinations(optional, amount) for amount in amounts)
        return frozenset(
            fingerprint_of((entry.path, entry.sha256 or "") for entry in self.files if entry not in without)
            for without in absent
        )

    @property
    def has_all_fingerprints(self) -> bool:
        """Whether ``fingerprints`` are all that copies of the release can have."""
        return len(self.fingerprints) == 1 << sum(entry.optional for entry in self.files)

    @property
    def kept(self) -> str:
        """Why items stay where ``items_may_leave`` is False. A card's licence may allow what its sources' do
        not (INCLUDE)."""
        return f"items of {self.name} (licence: {self.licence}) are not to be passed on"


@dataclass(frozen=True)
class Release:
    """A release that lies on this disk: its record and the folder that holds its files.

    verified: True where every file that is there has the checksum of its record, or the content hash that its
        host gave.
    places: path in the release -> path under ``root``, where a folder is laid out otherwise (a clone of the
        authors' repository).
    """

    record: ReleaseRecord
    root: Path
    verified: bool = field(default=True)
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The record's name: ``blend@24e7d73``, or ``dir:NAME`` for a folder of no published release."""
        return self.record.name

    @property
    def label(self) -> str:
        """What a signature says of the data: the name alone where it is verified, else with the fingerprint
        of the contents."""
        return self.name if self.verified else f"{self.name}#{self.fingerprint}"

    def _place(self, path: str) -> Path:
        return self.root / self.places.get(path, path)

    def has(self, path: str) -> bool:
        """Whether the file at ``path`` inside the release is there."""
        return self._place(path).is_file()

    def path(self, path: str) -> Path:
        """The file at ``path`` inside the release. NotOnDiskError, with the remedy, if it is not there.
        DataError for a file of a package that its record does not list: no signature would tell its
        contents."""
        file = self._place(path)
        if file.is_file():
            if self.record.source == "package" and all(entry.path != path for entry in self.record.files):
                raise DataError(f"the record of {self.name} does not list it; add it to `files`", file=path)
            return file
        message = f"release {self.name} has no file {path} in {self.root}"
        if any(entry.path == path and not entry.remote for entry in self.record.files):
            message += (
                f"\nIt is not published with the rest: get it from {self.record.homepage}, "
                f"and adopt your copy: folkways data fetch {self.name} --from DIR"
            )
        elif self.record.repository and all(entry.path != path for entry in self.record.files):
            message += (
                f"\nNo copy of {self.name} has it; name a release of {self.record.benchmark} that does "
                "(folkways data list), or a folder of your own."
            )
        elif self.record.repository:
            message += f"\n{self.record.to_get()}"
        else:
            message += (
                f"\nPut the file there, or use a published release of {self.record.benchmark} "
                "(folkways data list)."
            )
        raise NotOnDiskError(message)

    @cached_property
    def fingerprint(self) -> str:
        """12 hexadecimal digits over names and contents of the files that are there; equal data have equal
        fingerprints."""
        paths = (entry.path for entry in self.record.files if self.has(entry.path))
        return fingerprint_of((path, sha256_of(self._place(path))) for path in paths)


def fingerprint_of(files: Iterable[tuple[str, str]]) -> str:
    """12 hexadecimal digits over the path and the SHA-256 of each file."""
    digest = hashlib.sha256()
    for path, checksum in sorted(files):
        digest.update(path.encode() + b"\0" + bytes.fromhex(checksum))
    return digest.hexdigest()[:12]
