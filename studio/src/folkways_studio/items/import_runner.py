"""Runs imports and deletions one after the other in a thread, so that no request waits for them.

Work that is interrupted because the server stops goes on later.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread, Timer

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.items import imports
from folkways_studio.items.imports import Import, ImportState
from folkways_studio.items.peer_rows import Annotations, table_rows
from folkways_studio.items.reading import add_checked, checked_rows
from folkways_studio.items.table_files import (
    PACKED,
    SMALL_LINES,
    LongWorkbookError,
    RowsError,
    is_small,
    read_rows,
    read_workbook,
)
from folkways_studio.items.table_process import ImportCancelledError, read_apart
from folkways_studio.studies import deletion as study_deletion
from folkways_studio.studies import service as studies

LOG = logging.getLogger("folkways_studio")

OURS = "something went wrong on our side; the server's log says what"


QUICK_TURN = 0.001
"""GIL switch interval (seconds) during an import, a fifth of the default: a request hands the interpreter
back dozens of times and would wait that long each time."""


class ImportWorker:
    """The thread, which lives only while there is work. ``wake`` it when there may be some. patience: seconds
    that ``stop`` waits for it at most; None for as long as a batch takes."""

    patience: float | None = None

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._lock = Lock()
        self._thread: Thread | None = None
        self._later: Timer | None = None
        self._again = False
        self._stopped = Event()
        self._idle = Event()
        self._idle.set()

    def start(self) -> None:
        """Resume interrupted work: now, and once no other process can still be working on it."""
        self.wake()
        self._wake_later()

    def _wake_later(self) -> None:
        self._later = Timer(imports.STALE_SECONDS + 1, self.wake)
        self._later.daemon = True
        self._later.start()

    def submit_import(
        self,
        study_id: int,
        stage: str,
        file: str,
        content: bytes,
        *,
        population: str | None,
        by: int,
        annotations: Annotations | None = None,
    ) -> Import:
        """Start the import of a file into a stage and return it. study_id: the study. file: its name.
        content: its bytes. population: for rows that name none. by: the account that acts.
        annotations: what becomes of people's answers in the file (``peer_rows``). NotFoundError for a stage
        or population that the study does not have."""
        studies.get_stage(self.workspace, study_id, stage)
        if population is not None:
            studies.get_population(self.workspace, study_id, population)
        job = imports.begin(
            self.workspace,
            study_id,
            stage,
            file,
            population=population,
            annotations=annotations,
            content=content,
            by=by,
        )
        self.wake()
        return job

    def wake(self) -> None:
        """Look for work, now or after the current work."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stopped.is_set():
                self._idle.clear()
                self._thread = Thread(target=self._work, name="imports", daemon=True)
                self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until nothing is left to do, at most this long."""
        self._idle.wait(seconds)

    def stop(self) -> None:
        """Stop after the current batch of rows; the work can be resumed."""
        self._stopped.set()
        if self._later is not None:
            self._later.cancel()
        thread = self._thread
        if thread is not None:
            thread.join(self.patience)

    def going(self) -> bool:
        """Whether it was not stopped."""
        return not self._stopped.is_set()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._again or not self.going():
                    self._thread = None
                    self._idle.set()
                    return
                self._again = False
            try:
                self.work()
            except WorkspaceError as error:  # what was begun is free again once it is stale
                LOG.error("the studio could not do the background work: %s", error)
                self._wake_later()
            except Exception:
                LOG.exception("the studio could not do the background work")

    def work(self) -> None:
        """Do what there is to do, while ``going``."""
        while self.going() and (taken := imports.claim(self.workspace)) is not None:
            run_import(self.workspace, *taken, going=self.going)
        if self.going():
            imports.end_abandoned(self.workspace)
            imports.finish_deletions(self.workspace)
            study_deletion.finish_deletions(self.workspace)


def run_import(
    workspace: Workspace, job: Import, content: bytes, *, going: Callable[[], bool] = lambda: True
) -> None:
    """Read a claimed import's file, check its rows and add them; problems are stored with the import.
    WorkspaceError if the database fails: the import is then taken up again.

    workspace, job, content: the import and its file. going: asked again and again whether to go on.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_TURN)
    try:
        with signalling(lambda: imports.signal(workspace, job)):
            rows = read_content(job.file, content, lambda: going() and imports.is_mine(workspace, job))
            stage = studies.get_stage(workspace, job.study_id, job.stage)
            table = table_rows(rows, stage, job.annotations, job.file)
            imports.note(workspace, job, table.notes)
            new = checked_rows(
                workspace,
                job.study_id,
                job.stage,
                table.rows,
                population=job.population,
                file=job.file,
                import_id=job.id,
            )
        add_checked(workspace, job, new, going)
    except ImportCancelledError:
        if not going():
            imports.release(workspace, job)
    except RowsError as error:
        lines = list(error.problems.items())
        message = f"{len(lines):,} row{'s' if len(lines) > 1 else ''} cannot be used"
        if len(lines) > imports.MOST_PROBLEMS:
            message += f"; the first {imports.MOST_PROBLEMS:,} of them are named"
        message += f": {error.cause}" if error.cause else ""
        imports.end(workspace, job, ImportState.FAILED, error=message, problems=lines)
    except WorkspaceError:
        raise
    except FolkwaysError as error:
        imports.end(workspace, job, ImportState.FAILED, error=str(error))
    except Exception:
        LOG.exception("the studio could not import %s", job.id)
        imports.end(workspace, job, ImportState.FAILED, error=f"{OURS}. Import the file again")
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def signalling(signal: Callable[[], object]) -> Iterator[None]:
    """Heartbeat, by ``signal``: reading a large workbook can outlast STALE_SECONDS."""
    done = Event()

    def repeat() -> None:
        while not done.wait(imports.STALE_SECONDS / 4):
            with suppress(WorkspaceError):  # the work itself says so; the next beat may succeed
                signal()

    thread = Thread(target=repeat, name="job alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def read_content(
    name: str, content: bytes, wanted: Callable[[], bool] = lambda: True
) -> list[dict[str, str]]:
    """The rows of an uploaded table. FolkwaysError, which names the file.

    A workbook that is large, or has many lines even if most are empty, is read in a separate process as long
    as its rows are ``wanted`` (ImportCancelledError), and so is Parquet. Starting one takes longer than
    reading a small workbook.
    """
    ending = Path(name).suffix.lower()
    if ending == ".xlsx":
        try:
            if is_small(content):
                return read_workbook(content, name, most_lines=SMALL_LINES)
        except LongWorkbookError:
            pass
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        path.write_bytes(content)
        try:
            return read_apart(path, wanted) if ending in PACKED else read_rows(path)
        except FolkwaysError as error:
            raise FolkwaysError(str(error).replace(str(path), name)) from None
