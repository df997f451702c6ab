"""The files of an archived run: part files of bounded size, and a list of them with their checksums.

``responses`` has one row per expected item: the prompt as it was sent, and the reply or why there is none.
``judgements`` has one row per item and profile, ``scores`` those that the run had when it was archived. Rows
of the first two are in the order of their ordinals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.errors import FolkwaysError
from folkways.files import json_bytes, whole_file, write_bytes
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways.workspace.run_records import RunRecord

MANIFEST = "archive.json"
FORMAT = 1
RESPONSES, JUDGEMENTS, SCORES = "responses", "judgements", "scores"


class ArchiveError(WorkspaceError):
    """The archive of a run is not where it was, or not as it was written."""


@dataclass(frozen=True, slots=True)
class PartFile:
    """One file.
    path: below the archive's folder, with slashes.
    digest: BLAKE2b, 16 bytes, in hexadecimal.

    first, last: its lowest and highest ordinal; None for scores. profile: of its judgements; None elsewhere.
    """

    path: str
    rows: int
    size: int
    digest: str
    first: int | None = None
    last: int | None = None
    profile: str | None = None

    @property
    def table(self) -> str:
        """RESPONSES, JUDGEMENTS or SCORES."""
        return self.path.partition("/")[0]


@dataclass(frozen=True)
class Archive:
    """The archive of a run. known: the rest of its manifest, see ``folkways.workspace.archives.moving``.
    remedy: what to do where the folder is not whole."""

    run: str
    folder: Path
    files: tuple[PartFile, ...]
    known: Mapping[str, Any]
    remedy: str

    def pages(self, table: str, size: int) -> Iterator[pl.DataFrame]:
        """The rows of RESPONSES or JUDGEMENTS in the order of their files, at most ``size`` at a time.

        Raises ArchiveError where a file is not as it was written.
        """
        for file in self.files:
            if file.table == table and file.rows:
                yield from pl.read_parquet(self.checked(file), glob=False).iter_slices(size)

    def checked(self, file: PartFile) -> Path:
        """The path of a file that is unchanged since it was written; its bytes are read the first time.

        Raises ArchiveError where the file is missing, unreadable or changed.
        """
        path = self.folder / file.path
        try:
            status = path.stat()
            same = status.st_size == file.size
            same = same and _digest(path, status.st_size, status.st_mtime_ns) == file.digest
        except FileNotFoundError:
            raise self._lost(f"{file.path} is not there") from None
        except OSError as error:
            raise self._lost(f"{file.path} cannot be read: {error.strerror or error}") from error
        if not same:
            raise ArchiveError(
                f"run {self.run} is archived in {self.folder}, and {file.path} there is damaged or was "
                "changed: its bytes are not those that were written\n"
                "Put a copy of the file back from a backup; nothing else of the run is affected"
            )
        return path

    def _lost(self, why: str) -> ArchiveError:
        return _lost(self.run, self.folder, why, self.remedy)


@lru_cache(maxsize=4096)
def _digest(path: Path, size: int, changed: int) -> str:
    """Of the file as it is now; size and time of change are its, so that a file that was changed is read
    again."""
    del size, changed
    digest = blake2b(digest_size=16)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_part(folder: Path, path: str, frame: pl.DataFrame, profile: str | None = None) -> PartFile:
    """Write the rows of ``frame`` to ``path`` in ``folder`` and read them back. A file that an interrupted
    archiving wrote stays if it has the same rows.

    profile: of judgements. Raises FolkwaysError where the file cannot be written, or reads differently, and
    ArchiveError where it would change a finished archive.
    """
    target = folder / path
    if not _holds(target, frame):
        with whole_file(target) as unfinished:
            frame.write_parquet(unfinished, compression="zstd")
            if not _holds(unfinished, frame):
                raise FolkwaysError(
                    f"{target} came back from the disk as something else than was written; nothing was "
                    "taken out"
                )
            if (folder / MANIFEST).exists():  # as late as can be: another workspace may have finished one now
                raise _finished(folder)
    status = target.stat()
    digest = _digest(target, status.st_size, status.st_mtime_ns)
    first, last = (frame["ordinal"][0], frame["ordinal"][-1]) if "ordinal" in frame.columns else (None, None)
    return PartFile(path, frame.height, status.st_size, digest, first, last, profile)


def _holds(path: Path, frame: pl.DataFrame) -> bool:
    """Whether the file is there and has exactly these rows."""
    try:
        return pl.read_parquet(path, glob=False).equals(frame)
    except (OSError, pl.exceptions.PolarsError):  # none, or half of one
        return False


def write_manifest(folder: Path, run: RunRecord, files: list[PartFile], known: Mapping[str, Any]) -> None:
    """Write the manifest of a run's archive to ``folder``, and delete part files that it does not list,
    unfinished ones among them. When this returns, all of them are on the disk itself. known: what else the
    manifest says. A finished archive with the same files stays as it is. ArchiveError where one with others
    is there, or another workspace wrote there too."""
    listed = {folder / file.path for file in files}
    finished = (folder / MANIFEST).exists()
    if finished and read_archive(folder, run).files != tuple(files):
        raise _finished(folder)
    for table in (RESPONSES, JUDGEMENTS, SCORES):
        for left in (folder / table).glob("*part-*.parquet*"):
            if left not in listed:
                left.unlink()
    if finished:
        return
    about = {
        "format": FORMAT,
        "run": run.name,
        "created": run.created,
        **known,
        "files": [asdict(file) for file in files],
    }
    written = [write_bytes(folder / MANIFEST, json_bytes(about)), *listed]
    for path in (*written, *{path.parent for path in written}):
        with suppress(PermissionError):  # Windows opens no folder
            descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
            try:
                os.fsync(descriptor)  # the rows are about to leave the database, which survives a power cut
            finally:
                os.close(descriptor)
    try:
        archive = read_archive(folder, run)
        for file in files:
            archive.checked(file)
        if archive.files != tuple(files):
            raise _finished(folder)
    except ArchiveError:  # another workspace wrote there at the same time
        written[0].unlink(missing_ok=True)
        raise


def _finished(folder: Path) -> ArchiveError:
    """A copy of this workspace may have put its rows there, or the run was restored and changed since."""
    return ArchiveError(
        f"{folder} has an archive of this run with other replies or judgements, which stays; name another "
        "folder"
    )


WHOLE_FOLDER = "Name the folder of a whole archive, as folkways runs archive wrote it"


def read_archive(folder: Path, run: RunRecord | None = None, workspace: Workspace | None = None) -> Archive:
    """The archive of a ``run`` of the ``workspace`` in a folder; of any run if None. ArchiveError where there
    is none, or another run's, or one of a newer folkways."""
    name = folder.name if run is None else run.name
    remedy = WHOLE_FOLDER
    if workspace is not None:
        again = workspace.command("runs", "archive", name, "--out", "FOLDER")
        remedy = f"Put the folder back there, or say where it is now: {again}"
    try:
        about = orjson.loads((folder / MANIFEST).read_bytes())
        files = tuple(PartFile(**file) for file in about["files"]) if about["format"] == FORMAT else ()
        whose = (about["run"], about["created"])
    except FileNotFoundError:
        raise _lost(name, folder, f"there is no {MANIFEST}", remedy) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _lost(name, folder, f"{MANIFEST} cannot be read ({error})", remedy) from error
    if about["format"] != FORMAT:
        raise ArchiveError(
            f"the archive in {folder} was written by a newer folkways (format {about['format']}; this one "
            f"reads {FORMAT}); upgrade with 'pip install -U folkways'"
        )
    if run is not None and whose != (run.name, run.created):
        raise ArchiveError(
            f"the archive in {folder} is that of another run ({whose[0]}), not of {run.name}; name another "
            "folder"
        )
    return Archive(str(whose[0]), folder, files, about, remedy)


def open_archive(workspace: Workspace, run: RunRecord) -> Archive:
    """Where the workspace says that the run is archived. ArchiveError where that is not so (any more)."""
    return read_archive(place_of(workspace, run), run, workspace)


def _lost(run: str, folder: Path, why: str, remedy: str) -> ArchiveError:
    return ArchiveError(f"run {run} is archived in {folder}, and {why}\n{remedy}")


def place_of(workspace: Workspace, run: RunRecord) -> Path:
    """The folder of an archived run."""
    return _beside(workspace) / (run.archive or "")


def usual_places(workspace: Workspace, run: RunRecord) -> Iterator[Path]:
    """Where a run is archived unless another place is named, one after the other until none holds another
    archive: beside the workspace's file, or here for one on a server."""
    name = re.sub(r"[^\w-]+", "-", run.name).strip("-")
    stem = "folkways" if "://" in workspace.location else Path(workspace.location).stem
    first = _beside(workspace) / f"{stem}-archive" / (name if name == run.name else f"{name}-{run.id}")
    yield first
    yield from (first.with_name(f"{first.name}-again-{number}") for number in count(2))


def as_stored(workspace: Workspace, folder: Path) -> str:
    """How the workspace remembers a folder: below its own file by the way from there, so that both may move
    together."""
    whole = Path(folder).expanduser().absolute()
    beside = _beside(workspace)
    below = "://" not in workspace.location and whole.is_relative_to(beside)
    return (whole.relative_to(beside) if below else whole).as_posix()


def _beside(workspace: Workspace) -> Path:
    return (
        Path.cwd() if "://" in workspace.location else Path(workspace.location).expanduser().absolute().parent
    )
