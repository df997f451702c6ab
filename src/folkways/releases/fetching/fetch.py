"""Brings releases into the data folder from where they are published."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

from folkways.errors import FolkwaysError
from folkways.http import run_to_end
from folkways.releases.checksums import sha256_of
from folkways.releases.fetching.disk import clear_disk_errors, copy_into_place, exclusive, require_space
from folkways.releases.fetching.download import FetchedFile, FetchOptions, Transfer, fetch_all
from folkways.releases.fetching.download_sources import DownloadSource, source_of
from folkways.releases.fetching.fetch_progress import FetchProgress
from folkways.releases.layout import has_contents
from folkways.releases.provenance import Provenance, read_provenance
from folkways.releases.registry import get_record, known_releases
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord
from folkways.releases.stored_releases import data_home, is_intact, locate, root_of


def fetch(
    name: str,
    *,
    force: bool = False,
    options: FetchOptions | None = None,
    progress: FetchProgress | None = None,
) -> Release:
    """Fetch what is missing of the release ``name`` and return it. What is here and intact is not fetched
    again, unless ``force``. options: limits and patience. progress: what it is reported to.

    Files that its source does not have (``ReleaseFile.remote``) are left to ``adopt``.

    Works inside a running event loop (a notebook) as well. FolkwaysError with the remedy if it cannot be
    done.
    """
    record = get_record(name)
    if record.source == "package":
        return locate(name)
    root = root_of(record)
    if force or _lacking(
        record, root, read_provenance(record, root)
    ):  # a folder that may only be read cannot hold a lock
        with clear_disk_errors(root), exclusive(root):
            _bring(record, root, force, options or FetchOptions(), progress or FetchProgress())
    return locate(name)


def _lacking(record: ReleaseRecord, root: Path, provenance: Provenance) -> list[ReleaseFile]:
    return [entry for entry in record.files if entry.remote and not is_intact(entry, root, provenance)]


def _bring(
    record: ReleaseRecord, root: Path, force: bool, options: FetchOptions, progress: FetchProgress
) -> None:
    provenance = read_provenance(record, root)
    wanted = (
        [entry for entry in record.files if entry.remote] if force else _lacking(record, root, provenance)
    )
    if not force:
        wanted = [entry for entry in wanted if not _borrowed(entry, record, root, provenance)]
    if not wanted:
        return
    # What a branch pointed to when the first files came, the rest come from as well; ``force`` looks where it
    # points now.
    source = source_of(record if force else replace(record, revision=provenance.revision))
    transfers = {entry.path: _transfer(entry, source, root) for entry in wanted}
    entries = {entry.path: entry for entry in wanted}
    present = sum(transfer.part.stat().st_size for transfer in transfers.values() if transfer.part.exists())
    expected = sum(transfer.size or 0 for transfer in transfers.values())
    require_space(root, expected - present)

    def keep(transfer: Transfer, fetched: FetchedFile) -> None:
        if entries[transfer.label].archive is not None:
            fetched = _taken_out(entries[transfer.label], transfer, fetched)
        origin = transfer.url
        if fetched.commit and not record.is_pinned:
            provenance.revision = fetched.commit
            origin = source_of(replace(record, revision=fetched.commit)).url(entries[transfer.label])
        provenance.add(transfer.label, fetched.sha256, fetched.size, fetched.proof, origin)
        provenance.write(root)
        transfer.part.replace(transfer.target)

    progress.started(record.name, len(wanted), expected, present)
    try:
        run_to_end(fetch_all(list(transfers.values()), options, progress, keep))
    finally:
        progress.closed()


def _transfer(entry: ReleaseFile, source: DownloadSource, root: Path) -> Transfer:
    target = root / entry.path
    target.parent.mkdir(parents=True, exist_ok=True)
    return Transfer(
        label=entry.path,
        url=source.url(entry),
        target=target,
        sha256=entry.archive or entry.sha256,
        size=None if entry.archive else entry.size,
        token=source.token,
        tells_hash=source.tells_hash,
    )


def _taken_out(entry: ReleaseFile, transfer: Transfer, fetched: FetchedFile) -> FetchedFile:
    """The member of a verified archive in place of the archive, at ``Transfer.part``."""
    name = Path(entry.path).name
    with zipfile.ZipFile(transfer.part) as archive:
        member = next(
            (member_name for member_name in archive.namelist() if member_name.rpartition("/")[2] == name),
            None,
        )
        if member is None:
            raise FolkwaysError(
                f"{transfer.url} has no member {name}; it has: {', '.join(archive.namelist())}"
            )
        content = archive.read(member)
    transfer.part.write_bytes(content)
    return FetchedFile(sha256_of(transfer.part), len(content), fetched.proof)


def _borrowed(entry: ReleaseFile, record: ReleaseRecord, root: Path, provenance: Provenance) -> bool:
    """Copy the file from another release on this disk that has the same bytes (the prompts of two states are
    the same)."""
    if entry.sha256 is None:
        return False
    for other in known_releases():
        for twin in other.files:
            lender = data_home() / other.name / twin.path
            if (
                other.name != record.name
                and twin.sha256 == entry.sha256
                and lender.is_file()
                and has_contents(entry, lender)
            ):
                copy_into_place(lender, root / entry.path)
                provenance.add(
                    entry.path, entry.sha256, lender.stat().st_size, "record", f"release {other.name}"
                )
                provenance.write(root)
                return True
    return False
