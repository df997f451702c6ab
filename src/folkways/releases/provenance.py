"""Where the files of a stored release came from: ``release.json`` in their folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal

from folkways import __version__
from folkways.errors import DataError
from folkways.files import atomic_file
from folkways.releases.release_records import ReleaseRecord

NAME = "release.json"
Proof = Literal["record", "host", "none"]
"""How a file's contents were verified: against the record's checksum, against the host's content hash, or not
at all."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One stored file: its checksum when it was stored, how it was verified, where it came from and when
    (UTC)."""

    sha256: str
    size: int
    proof: Proof
    origin: str
    stored_at: str


@dataclass
class Provenance:
    """What ``release.json`` holds; ``files`` is keyed by path in the release.

    revision: that of the record; where it names a branch, the commit that the branch pointed to when it was
    first fetched, if the host tells it. What is fetched later comes from there, and has these checksums.
    """

    release: str
    revision: str
    files: dict[str, StoredFile] = field(default_factory=dict)

    def add(self, path: str, sha256: str, size: int, proof: Proof, origin: str) -> None:
        """Record a stored file.
        path: in the release. sha256, size (bytes): of its contents.
        proof: what vouches for them.
        origin: the address or folder that it came from."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.files[path] = StoredFile(sha256, size, proof, origin, now)

    def complete(self, record: ReleaseRecord) -> ReleaseRecord:
        """The ``record``, with the checksums that were stored where it has none of its own."""
        files = tuple(
            replace(entry, sha256=stored.sha256, size=stored.size)
            if entry.sha256 is None and (stored := self.files.get(entry.path))
            else entry
            for entry in record.files
        )
        return replace(record, files=files)

    def write(self, root: Path) -> None:
        """Write ``release.json`` into ``root``, atomically. It is written anew with each file that comes."""
        content = {
            "release": self.release,
            "revision": self.revision,
            "written_by": f"folkways {__version__}",
            "files": {},
        }
        files = ",".join(
            f"\n  {json.dumps(path, ensure_ascii=False)}: {_as_entry(stored)}"
            for path, stored in sorted(self.files.items())
        )
        text = json.dumps(content, indent=1, ensure_ascii=False)
        if files:
            text = text.removesuffix("}\n}") + files + "\n }\n}"
        with atomic_file(root / NAME) as draft:
            draft.write_text(text + "\n", encoding="utf-8")


@lru_cache(maxsize=4096)
def _as_entry(stored: StoredFile) -> str:
    """The JSON of a stored file, indented as in ``release.json``."""
    return json.dumps(asdict(stored), indent=1, ensure_ascii=False).replace("\n", "\n  ")


def read_provenance(record: ReleaseRecord, root: Path) -> Provenance:
    """The provenance in ``root``, empty if there is none; DataError if ``release.json`` is not what folkways
    writes."""
    provenance = Provenance(record.name, record.revision)
    path = root / NAME
    if not path.is_file():
        return provenance
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["release"] != record.name:
            raise DataError(
                f"belongs to {content['release']!r}; delete the folder and fetch {record.name} again",
                file=path,
            )
        if not record.is_pinned:
            provenance.revision = content["revision"]
        provenance.files = {name: StoredFile(**entry) for name, entry in content["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"cannot be read ({error}); delete it and run: folkways data fetch {record.name}", file=path
        ) from error
    return provenance
