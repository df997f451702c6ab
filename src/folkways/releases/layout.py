"""Recognises what lies in a folder: a known release by its contents, or a benchmark's data by how they are
laid out.

Three layouts are accepted for each release: folkways' own (``annotations/UK_data.json``), the same under
``data/``, and that of the authors' repository or its hub counterpart (``data/annotations/UK_data.json``,
``corpus/...``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.checksums import sha256_of
from folkways.releases.registry import known_releases
from folkways.releases.release_records import OWN_FOLDER, Release, ReleaseFile, ReleaseRecord

UNKNOWN_LICENCE = "NOASSERTION"  # SPDX for: nobody has said
DATA_SUFFIXES = (".csv", ".csv.gz", ".json", ".jsonl", ".parquet", ".rtf", ".tsv", ".txt")
MOST_FILES = 2000

CanRead = Callable[[str, Path], bool]
"""Whether the reader of a benchmark, by its name, finds something to read in a folder."""

FilesRead = Callable[[str, Path], Iterable[Path]]
"""The files in a folder that the reader of a benchmark finds by itself, and not by a record."""


def recognise(
    folder: Path, can_read: CanRead, files_read: FilesRead, benchmark: str | None = None
) -> Release:
    """The release in ``folder``: of one benchmark, if it is named.

    can_read, files_read: what the readers of the benchmarks say.

    Raises FolkwaysError where there is no such folder, or where nothing in it is laid out like a benchmark's
    data.
    """
    folder = folder.absolute()
    if not folder.exists():
        raise FolkwaysError(
            f"no such folder: {folder}\nGive a folder with released data, or a name from: folkways data list"
        )
    if not folder.is_dir():
        raise FolkwaysError(f"{folder} is a file; give the folder that holds the release's files")
    records = _candidates(folder, can_read, benchmark)
    release = _release_in(folder, records)
    if release is None or _has_more(release, files_read(release.record.benchmark, folder)):
        release = _laid_out_alike(folder, records, can_read)
    if release is None:
        raise FolkwaysError(_nothing_found(folder, records, can_read, benchmark))
    return release


def places_of(record: ReleaseRecord, folder: Path) -> dict[str, str]:
    """Path in the release -> path under ``folder``, for those of the record's files that are there."""

    @cache  # most records have nothing there: a look at a folder tells it of all files in it
    def has(name: str) -> bool:
        return (folder / name).exists()

    places: dict[str, str] = {}
    for entry in record.files:
        for candidate in (entry.path, entry.remote, f"data/{entry.path}"):
            if has(candidate.partition("/")[0]) and (folder / candidate).is_file():
                places[entry.path] = candidate
                break
    return places


def has_contents(entry: ReleaseFile, path: Path) -> bool:
    """Whether the file at ``path`` is, byte for byte, the one that the record pins. False where it pins no
    checksum."""
    if (
        entry.sha256 is None
        or not path.is_file()
        or (entry.size is not None and path.stat().st_size != entry.size)
    ):
        return False
    return sha256_of(path) == entry.sha256


def _candidates(folder: Path, can_read: CanRead, benchmark: str | None) -> list[ReleaseRecord]:
    """Records of data in folders; of a benchmark whose own data are in its package, where its reader finds
    something to read."""

    def readable(record: ReleaseRecord) -> bool:
        return record.source != "package" or can_read(record.benchmark, folder)

    of_benchmark = (record for record in known_releases() if benchmark in (None, record.benchmark))
    chosen = list(filter(readable, of_benchmark))
    if not chosen and benchmark is not None:
        raise UnknownNameError(
            "benchmark with data in folders",
            benchmark,
            {record.benchmark for record in known_releases() if readable(record)},
        )
    return chosen


def _release_in(folder: Path, records: list[ReleaseRecord]) -> Release | None:
    """The release that the folder holds whole; of several (trial and test data together) the one with most
    files there."""
    matches: list[tuple[int, Release]] = []
    for record in records:
        places = places_of(record, folder)
        required = [entry for entry in record.files if not entry.optional]
        present = [entry for entry in record.files if entry.path in places]
        pinned = [entry for entry in present if entry.sha256 is not None]
        if all(entry in pinned for entry in required) and all(
            has_contents(entry, folder / places[entry.path]) for entry in pinned
        ):
            matches.append(
                (
                    len(present),
                    Release(record, folder, verified=len(pinned) == len(present), places=_moved(places)),
                )
            )
    return max(matches, key=lambda match: match[0])[1] if matches else None


def _has_more(release: Release, files_read: Iterable[Path]) -> bool:
    """Whether files are read there that no release of the benchmark has (a country of one's own, questions
    built from the answers): the name of the release would not tell their contents."""
    listed = {release.path(entry.path) for entry in release.record.files if release.has(entry.path)}
    more = {file for file in files_read if file not in listed}
    family = [record for record in known_releases() if record.benchmark == release.record.benchmark]
    for record in family if more else ():
        places = places_of(record, release.root)
        present = (
            (entry, release.root / places[entry.path]) for entry in record.files if entry.path in places
        )
        more -= {file for entry, file in present if file in more and has_contents(entry, file)}
    return bool(more)


def _laid_out_alike(folder: Path, records: list[ReleaseRecord], can_read: CanRead) -> Release | None:
    families = {
        name: [record for record in records if record.benchmark == name]
        for name in sorted({r.benchmark for r in records})
    }
    alike = [name for name, family in families.items() if _is_alike(name, family, folder, can_read)]
    if not alike:
        return None
    if len(alike) > 1:
        raise FolkwaysError(
            f"{folder} holds data of several benchmarks ({', '.join(alike)}); give a folder with the data "
            "of one"
        )
    family = families[alike[0]]
    places: dict[str, str] = {}
    for record in family:
        places = places_of(record, folder) | places
    record = ReleaseRecord(
        name=f"{OWN_FOLDER}{folder.resolve().name}",
        benchmark=alike[0],
        revision="",
        source="folder",
        repository="",
        files=tuple(ReleaseFile(path, path) for path in _data_files(folder)),
        licence=UNKNOWN_LICENCE,
        citation=family[0].citation,
        homepage=family[0].homepage,
        about=f"A folder laid out like {alike[0]}, with contents of no published release.",
        languages=family[0].languages,
        items_may_leave=None,
    )
    return Release(record, folder, verified=False, places=_moved(places))


def _is_alike(benchmark: str, family: list[ReleaseRecord], folder: Path, can_read: CanRead) -> bool:
    """Whether the benchmark's reader finds something to read there, or a file has a name that only this
    benchmark has."""
    if can_read(benchmark, folder):
        return True
    required = {entry.path for record in family for entry in record.files if not entry.optional}
    return any(required & places_of(record, folder).keys() for record in family)


def _data_files(folder: Path) -> list[str]:
    """Every file that a reader might read, so that the fingerprint of the folder covers them all."""
    files = sorted(
        path.relative_to(folder).as_posix()
        for suffix in DATA_SUFFIXES
        for path in folder.rglob(f"*{suffix}")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if len(files) > MOST_FILES:
        raise FolkwaysError(
            f"{folder} has {len(files)} data files; give the folder that holds the release and nothing else"
        )
    return files


def _moved(places: dict[str, str]) -> dict[str, str]:
    return {path: location for path, location in places.items() if path != location}


def _nothing_found(
    folder: Path, records: list[ReleaseRecord], can_read: CanRead, benchmark: str | None
) -> str:
    inside = [
        str(child)
        for child in _subfolders(folder)
        if _release_in(child, records)
        or any(_is_alike(record.benchmark, [record], child, can_read) for record in records)
    ]
    message = (
        f"nothing in {folder} is laid out like the data of {benchmark or 'a benchmark that folkways knows'}"
    )
    if inside:
        return f"{message}\nGive one of its folders: {', '.join(inside)}"
    examples = {
        record.benchmark: next(entry.path for entry in record.files if not entry.optional)
        for record in reversed(records)
    }
    expected = "; ".join(f"{name}: {path}" for name, path in sorted(examples.items()))
    return f"{message}\nexpected a file such as ({expected}), there or under data/"


def _subfolders(folder: Path) -> Iterator[Path]:
    """Two levels down, few enough to look at."""
    children = sorted(
        child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")
    )[:40]
    for child in children:
        yield child
        yield from sorted(grandchild for grandchild in child.iterdir() if grandchild.is_dir())[:40]
