"""Takes a release over from a copy on disk: files whose contents are those that were released, wherever they
lie in the folder."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from folkways.errors import FolkwaysError
from folkways.releases.checksums import sha256_of
from folkways.releases.fetching.disk import clear_disk_errors, copy_into_place, exclusive, require_space
from folkways.releases.layout import has_contents, places_of
from folkways.releases.provenance import Proof, Provenance, read_provenance
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord
from folkways.releases.stored_releases import is_intact, locate, root_of, shorten

MOST_FILES = 100_000  # a folder with more is a mistake (a home directory), not a copy of a release


@dataclass(frozen=True, slots=True)
class Adoption:
    """What was taken over. Paths are those in the release.

    copied: files taken from the folder.
    present: files that were here already, intact.
    unverified: files among ``copied`` for which no checksum is known.
    missing: optional files that the folder does not have.
    differing: optional files that it has, with other contents.
    """

    release: Release
    copied: tuple[str, ...]
    present: tuple[str, ...]
    unverified: tuple[str, ...]
    missing: tuple[str, ...]
    differing: tuple[str, ...]


def adopt(name: str, folder: Path, *, force: bool = False, revision: str | None = None) -> Adoption:
    """Copy the files of a release from ``folder`` (any layout) into the data folder.

    name: of the release. force: also what is here and intact. revision: what the folder holds, of a release
    whose record names a branch: its checksums are written down in place of the first ones.

    Files with a known checksum are recognised by it, so the folder may hold several releases. Raises
    FolkwaysError, and copies nothing, where a required file is missing or has other contents.
    """
    record = get_record(name)
    if revision is not None:
        record.check_revision(revision)
    if record.source == "package":
        raise FolkwaysError(f"release {record.name} is part of folkways; there is nothing to adopt")
    folder = folder.expanduser().absolute()
    if not folder.is_dir():
        problem = (
            "is a file; give the folder that holds the release's files"
            if folder.exists()
            else "does not exist"
        )
        raise FolkwaysError(f"--from {folder}: {problem}")
    root = root_of(record)
    present = _intact(record, root, read_provenance(record, root))
    # a folder that may only be read cannot hold a lock
    if len(present) == len(record.files) and not force and revision is None:
        return Adoption(locate(record.name), (), present, (), (), ())
    with clear_disk_errors(root), exclusive(root):
        return _adopt(record, folder, root, force, revision)


def _intact(record: ReleaseRecord, root: Path, provenance: Provenance) -> tuple[str, ...]:
    return tuple(entry.path for entry in record.files if is_intact(entry, root, provenance))


def _adopt(record: ReleaseRecord, folder: Path, root: Path, force: bool, revision: str | None) -> Adoption:
    provenance = read_provenance(record, root) if revision is None else Provenance(record.name, revision)
    present = () if force else _intact(record, root, provenance)
    entries = (record if record.is_pinned else provenance.complete(record)).files
    wanted = [entry for entry in entries if entry.path not in present]
    matches, differing, missing = _search(record, wanted, folder)
    needed = {entry.path for entry in wanted if not entry.optional}
    if needed - matches.keys():
        raise FolkwaysError(
            _refusal(record, folder, sorted(needed & set(differing)), sorted(needed & set(missing)))
        )
    require_space(root, sum(path.stat().st_size for path in matches.values()))
    for entry in wanted:
        if entry.path not in matches:
            continue
        copy_into_place(matches[entry.path], root / entry.path)
        sha256 = entry.sha256 or sha256_of(root / entry.path)
        size = (root / entry.path).stat().st_size
        stored = None if record.is_pinned else provenance.files.get(entry.path)
        proof: Proof = stored.proof if stored else "record" if entry.sha256 else "none"
        provenance.add(entry.path, sha256, size, proof, f"adopted from {matches[entry.path]}")
    provenance.write(root)
    unverified = tuple(entry.path for entry in wanted if entry.path in matches and entry.sha256 is None)
    return Adoption(
        locate(record.name), tuple(matches), present, unverified, tuple(missing), tuple(differing)
    )


def _search(
    record: ReleaseRecord, wanted: list[ReleaseFile], folder: Path
) -> tuple[dict[str, Path], list[str], list[str]]:
    """Where each wanted file lies, those that are there with other contents, and those that are not there."""
    places = places_of(record, folder)
    by_name = _files_by_name(folder)
    uses = Counter(Path(entry.path).name for entry in record.files)
    matches: dict[str, Path] = {}
    differing: list[str] = []
    missing: list[str] = []
    for entry in wanted:
        candidates = [folder / places[entry.path]] if entry.path in places else []
        candidates += [path for path in by_name[Path(entry.path).name] if path not in candidates]
        if entry.sha256 is not None:
            alike = [path for path in candidates if has_contents(entry, path)]
        elif entry.path in places:
            alike = candidates[:1]
        else:
            # only its path tells what the file is: every language of INCLUDE has one of the same name
            if uses[Path(entry.path).name] > 1:
                candidates = [path for path in candidates if _ends_like(path, entry)]
            alike = _only_one(candidates, folder)
        if alike:
            matches[entry.path] = alike[0]
        else:
            (differing if candidates else missing).append(entry.path)
    return matches, differing, missing


def _ends_like(path: Path, entry: ReleaseFile) -> bool:
    """Whether the path ends with that of the file in the release or at its source."""
    tails = (Path(name).parts for name in (entry.path, entry.remote) if name)
    return any(path.parts[-len(tail) :] == tail for tail in tails)


def _only_one(candidates: list[Path], folder: Path) -> list[Path]:
    """The first of candidates that are copies of each other; raises FolkwaysError where they are not."""
    if len(candidates) > 1 and len(set(map(sha256_of, candidates))) > 1:
        lying = ", ".join(path.relative_to(folder).as_posix() for path in candidates)
        raise FolkwaysError(
            f"--from {folder}: files with one name and different contents, and no checksum tells which is "
            f"the release's: {lying}\nGive the folder that holds only one of them"
        )
    return candidates[:1]


def _files_by_name(folder: Path) -> dict[str, list[Path]]:
    by_name: dict[str, list[Path]] = defaultdict(list)
    seen = 0
    for parent, subfolders, names in os.walk(folder):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        seen += len(names)
        if seen > MOST_FILES:
            raise FolkwaysError(
                f"--from {folder}: more than {MOST_FILES} files; give the folder that holds the copy"
            )
        for name in sorted(names):
            by_name[name].append(Path(parent) / name)
    return by_name


def _refusal(record: ReleaseRecord, folder: Path, differing: list[str], missing: list[str]) -> str:
    lines = [f"--from {folder} does not hold release {record.name}; nothing was copied"]
    if differing:
        lines.append(f"{len(differing)} with contents other than released: {shorten(differing)}")
    if missing:
        lines.append(f"{len(missing)} missing: {shorten(missing)}")
    if record.is_downloaded:
        lines.append(f"Fetch it instead: folkways data fetch {record.name}")
    if differing and not record.is_pinned:
        accept = record.to_accept()
        lines.append(
            f"To have them from now on in place of what was fetched before: {accept} --from {folder}"
        )
    if differing:
        lines.append(f"To use the folder as it is, give its path in place of the release's name: {folder}")
    return "\n".join(lines)
