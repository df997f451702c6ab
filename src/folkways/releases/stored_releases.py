"""Finds releases on this disk: those that folkways fetched or adopted, and folders that a user points at."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from folkways.errors import DataError, FolkwaysError, NotOnDiskError
from folkways.releases.checksums import sha256_of
from folkways.releases.layout import has_contents
from folkways.releases.provenance import Provenance, read_provenance
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord


def data_home() -> Path:
    """The folder that holds fetched releases: ``$FOLKWAYS_DATA``, or the user's data folder of this
    system."""
    chosen = os.environ.get("FOLKWAYS_DATA")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return platformdirs.user_data_path("folkways", appauthor=False) / "releases"


def root_of(record: ReleaseRecord) -> Path:
    """The folder where the release lies, or would lie once fetched."""
    if record.source == "package":
        return record.home / "data"
    return data_home() / record.name


def locate(name: str) -> Release:
    """The release of that name or alias, as it lies in the data folder.

    Every file is checked against its checksum. UnknownNameError for a name that is not known; DataError for a
    file that was changed; NotOnDiskError, with how to fetch it, if it is not completely there; FolkwaysError
    for a damaged one.
    """
    record = get_record(name)
    root = root_of(record)
    if record.source == "package":
        return Release(
            record, root, verified=all(has_contents(entry, root / entry.path) for entry in record.files)
        )
    if root.exists() and not root.is_dir():
        raise FolkwaysError(
            f"the data folder holds a file where release {record.name} should be: {root}\nMove it away."
        )
    missing = [
        entry.path for entry in record.files if not entry.optional and not (root / entry.path).is_file()
    ]
    if missing:
        what = (
            "is not on this disk"
            if len(missing) == sum(not entry.optional for entry in record.files)
            else "is not complete"
        )
        lacking = "" if what.startswith("is not on") else f" (missing: {shorten(missing)})"
        raise NotOnDiskError(
            f"release {record.name} {what}{lacking}; looked in {root}\n{record.to_get(name)}"
        )
    provenance = read_provenance(record, root)
    changed = [entry.path for entry in record.files if not is_intact(entry, root, provenance, absent_ok=True)]
    if changed:
        state = "released" if record.is_pinned else f"fetched from {provenance.revision}"
        newest = (
            "" if record.is_pinned else f"\nTake the newest state instead, all of it: {record.to_accept()}"
        )
        raise DataError(
            f"not what was {state}: {shorten(changed)}\n"
            f"Fetch again what was changed: folkways data fetch {name}   (to use changed data, copy the "
            f"folder and give its path){newest}",
            file=root,
        )
    verified = all(_is_proven(entry, root, provenance) for entry in record.files)
    return Release(replace(record, revision=provenance.revision), root, verified=verified)


def is_intact(entry: ReleaseFile, root: Path, provenance: Provenance, *, absent_ok: bool = False) -> bool:
    """Whether the file of ``entry`` under ``root`` has the checksum of its record, or else the one in
    ``provenance``. absent_ok: True for an optional file that is not there."""
    path = root / entry.path
    if not path.is_file():
        return absent_ok
    if entry.size is not None and path.stat().st_size != entry.size:
        return False
    stored = provenance.files.get(entry.path)
    expected = entry.sha256 or (stored.sha256 if stored else None)
    return expected is not None and sha256_of(path) == expected


def _is_proven(entry: ReleaseFile, root: Path, provenance: Provenance) -> bool:
    stored = provenance.files.get(entry.path)
    return (
        entry.sha256 is not None
        or not (root / entry.path).is_file()
        or (stored is not None and stored.proof != "none")
    )


def state_of(record: ReleaseRecord) -> str:
    """``here``, ``not here``, ``partly here`` or ``part of folkways``; contents are not looked at."""
    if record.source == "package":
        return "part of folkways"
    present = [(root_of(record) / entry.path).is_file() for entry in record.files if not entry.optional]
    return "here" if all(present) else "partly here" if any(present) else "not here"


def shorten(paths: list[str], show: int = 5) -> str:
    """The first few of many names, and how many more there are."""
    rest = f" and {len(paths) - show} more" if len(paths) > show else ""
    return ", ".join(paths[:show]) + rest
