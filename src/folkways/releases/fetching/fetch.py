"""Brings releases into the data folder from where they are published."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from folkways.errors import FolkwaysError
from folkways.files import make_folder
from folkways.http import run_to_end
from folkways.releases.checksums import sha256_of
from folkways.releases.fetching.disk import clear_disk_errors, copy_into_place, exclusive, require_space
from folkways.releases.fetching.download import FetchedFile, FetchOptions, Transfer, fetch_all
from folkways.releases.fetching.download_sources import DownloadSource, source_of
from folkways.releases.fetching.fetch_progress import FetchProgress
from folkways.releases.layout import has_contents
from folkways.releases.provenance import Provenance, StoredFile, read_provenance
from folkways.releases.registry import get_record, known_releases
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord
from folkways.releases.stored_releases import data_home, is_intact, locate, root_of


def fetch(
    name: str,
    *,
    force: bool = False,
    revision: str | None = None,
    options: FetchOptions | None = None,
    progress: FetchProgress | None = None,
) -> Release:
    """Fetch what is missing of the release ``name`` and return it. What is here and intact is not fetched
    again, unless ``force``.

    revision: a branch or commit whose files are taken in place of those here, all or none. Only of a release
    whose record names a branch: its first fetch writes down the commit and the checksum of every file, and
    what is fetched later comes from there and has to equal it. options: limits and patience. progress: what
    it is reported to.

    Files that its source does not have (``ReleaseFile.remote``) are left to ``adopt``.

    Works inside a running event loop (a notebook) as well. FolkwaysError with the remedy if it cannot be
    done.
    """
    record = get_record(name)
    if revision is not None:
        record.check_revision(revision)
    if record.source == "package":
        return locate(name)
    root = root_of(record)
    again = force or revision is not None
    # a folder that may only be read cannot hold a lock
    if again or _lacking(record, root, read_provenance(record, root)):
        with clear_disk_errors(root), exclusive(root):
            job = (options or FetchOptions(), progress or FetchProgress())
            if revision is None:
                _bring(record, root, force, *job)
            else:
                _replace(record, root, revision, *job)
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

    def keep(transfer: Transfer, fetched: FetchedFile) -> None:
        resolved = replace(record, revision=provenance.revision)
        if not record.is_pinned and resolved.is_pinned and fetched.commit not in (None, provenance.revision):
            transfer.part.unlink()
            raise FolkwaysError(_moved_meanwhile(record))
        _keep(record, root, provenance, transfer, fetched)

    # What a branch pointed to when the first files came, the others come from as well.
    transfers = _transfers(record, provenance.revision, root, wanted)
    _fetch(record, root, transfers, options, progress, keep)


def _replace(
    record: ReleaseRecord, root: Path, revision: str, options: FetchOptions, progress: FetchProgress
) -> None:
    """Take the files of another revision, which is written down in place of the earlier one once all are
    here."""
    transfers = _transfers(record, revision, root, [entry for entry in record.files if entry.remote])
    arrived: list[tuple[Transfer, FetchedFile]] = []
    _fetch(record, root, transfers, options, progress, lambda *file: arrived.append(file))
    commits = {fetched.commit for _, fetched in arrived}
    if len(commits) > 1:
        raise FolkwaysError(_moved_meanwhile(record))
    before = read_provenance(record, root).files
    unpublished = {
        entry.path: before[entry.path] for entry in record.files if entry.path in before and not entry.remote
    }
    provenance = Provenance(record.name, revision, unpublished)
    # an interruption below leaves files that nothing vouches for, not two states as one
    provenance.write(root)
    for transfer, fetched in arrived:
        _keep(record, root, provenance, transfer, fetched)


def _transfers(record: ReleaseRecord, revision: str, root: Path, wanted: list[ReleaseFile]) -> list[Transfer]:
    at_revision = replace(record, revision=revision)
    transfers = [_transfer(entry, source_of(at_revision), root) for entry in wanted]
    if not at_revision.is_pinned:  # a part of an earlier state would be gone on with
        for transfer in transfers:
            transfer.part.unlink(missing_ok=True)
    return transfers


def _fetch(
    record: ReleaseRecord,
    root: Path,
    transfers: list[Transfer],
    options: FetchOptions,
    progress: FetchProgress,
    keep: Callable[[Transfer, FetchedFile], None],
) -> None:
    present = sum(transfer.part.stat().st_size for transfer in transfers if transfer.part.exists())
    expected = sum(transfer.size or 0 for transfer in transfers)
    require_space(root, expected - present)
    progress.started(record.name, len(transfers), expected, present)
    try:
        run_to_end(fetch_all(transfers, options, progress, keep))
    finally:
        progress.closed()


def _keep(
    record: ReleaseRecord, root: Path, provenance: Provenance, transfer: Transfer, fetched: FetchedFile
) -> None:
    """Put a file in its place and write down where it came from. FolkwaysError where it is not what was
    written down before."""
    (entry,) = (entry for entry in record.files if entry.path == transfer.label)
    if entry.archive is not None:
        fetched = _taken_out(entry, transfer, fetched)
    stored = provenance.files.get(entry.path)
    if not record.is_pinned and entry.sha256 is None and stored and stored.sha256 != fetched.sha256:
        transfer.part.unlink()
        raise FolkwaysError(_other_contents(record, transfer, stored, fetched))
    origin = transfer.url
    if fetched.commit and not record.is_pinned:
        provenance.revision = fetched.commit
        origin = source_of(replace(record, revision=fetched.commit)).url(entry)
    provenance.add(entry.path, fetched.sha256, fetched.size, fetched.proof, origin)
    provenance.write(root)
    transfer.part.replace(transfer.target)


def _moved_meanwhile(record: ReleaseRecord) -> str:
    return (
        f"{record.revision} of {record.repository} was moved while it was fetched, so that its files are not "
        "of one state\nNothing of two states was kept: run the same command again"
    )


def _other_contents(
    record: ReleaseRecord, transfer: Transfer, stored: StoredFile, fetched: FetchedFile
) -> str:
    return (
        f"{transfer.url} is not what {record.name} was when it was fetched ({stored.stored_at[:10]})\n"
        f"written down: SHA-256 {stored.sha256}\n"
        f"there now:    SHA-256 {fetched.sha256}\n"
        "The file on this disk was not changed: scores on the new one would not compare with earlier ones. "
        f"To take the new state, all of it: {record.to_accept()}"
    )


def _transfer(entry: ReleaseFile, source: DownloadSource, root: Path) -> Transfer:
    target = root / entry.path
    make_folder(target.parent)
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
