"""Works off what takes long, imports and deletions, one after the other in a thread of their own: nobody
waits for them.

What was interrupted, because the server was stopped or killed, goes on where it was.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread, Timer

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace
from folkways_studio.items import imports
from folkways_studio.items.imports import Import, ImportState
from folkways_studio.items.reading import add_checked, checked_rows
from folkways_studio.items.tables import RowsError, read_rows
from folkways_studio.items.workbook_process import ImportCancelledError, read_apart
from folkways_studio.items.workbooks import SMALL_LINES, LongWorkbookError, is_small, read_workbook
from folkways_studio.studies import deletion as study_deletion
from folkways_studio.studies import service as studies

LOG = logging.getLogger("folkways_studio")

OURS = "something went wrong on our side; the server's log says what. Import the file again"


QUICK_TURN = 0.001
"""Seconds after which a thread gives way to others while an import is at work, in place of five times as
many: an answer gives the interpreter back some dozens of times, and would wait so long each time.
"""


class ImportWorker:
    """The thread, which is there only while there is something to do. ``wake`` it when there may be."""

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
        """Go on with what the process before this one was stopped at: at once, and once it is sure that
        nobody else is at it."""
        self.wake()
        self._later = Timer(imports.STALE_SECONDS + 1, self.wake)
        self._later.daemon = True
        self._later.start()

    def submit_import(
        self, study_id: int, stage: str, file: str, content: bytes, *, population: str | None, by: int
    ) -> Import:
        """Have a file imported. NotFoundError for a stage or population that the study has not."""
        studies.get_stage(self.workspace, study_id, stage)
        if population is not None:
            studies.get_population(self.workspace, study_id, population)
        found = imports.begin(
            self.workspace, study_id, stage, file, population=population, content=content, by=by
        )
        self.wake()
        return found

    def wake(self) -> None:
        """Look for something to do, now or as soon as what is at hand is done."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stopped.is_set():
                self._idle.clear()
                self._thread = Thread(target=self._work, name="imports", daemon=True)
                self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until nothing is left to do, so long at most."""
        self._idle.wait(seconds)

    def stop(self) -> None:
        """Stop after the few rows at hand; whoever comes next goes on."""
        self._stopped.set()
        if self._later is not None:
            self._later.cancel()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _going(self) -> bool:
        return not self._stopped.is_set()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._again or not self._going():
                    self._thread = None
                    self._idle.set()
                    return
                self._again = False
            try:
                while self._going() and (taken := imports.claim(self.workspace)) is not None:
                    run_import(self.workspace, *taken, going=self._going)
                if self._going():
                    imports.finish_deletions(self.workspace)
                    study_deletion.finish_deletions(self.workspace)
            except Exception:
                LOG.exception("the studio could not work off what was waiting")


def run_import(
    workspace: Workspace, found: Import, content: bytes, *, going: Callable[[], bool] = lambda: True
) -> None:
    """Read an import's file, check all of its rows, and add them; what is wrong is noted with the import."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_TURN)
    try:
        with _signalling(workspace, found):
            rows = read_content(found.file, content, lambda: going() and imports.is_mine(workspace, found))
            new = checked_rows(
                workspace,
                found.study_id,
                found.stage,
                rows,
                population=found.population,
                file=found.file,
                import_id=found.id,
            )
        add_checked(workspace, found, new, going)
    except ImportCancelledError:
        if not going():
            imports.release(workspace, found)
    except RowsError as error:
        lines = list(error.problems.items())
        words = f"{len(lines)} rows cannot be used" if len(lines) > 1 else "a row cannot be used"
        imports.end(workspace, found, ImportState.FAILED, error=words, problems=lines)
    except FolkwaysError as error:
        imports.end(workspace, found, ImportState.FAILED, error=str(error))
    except Exception:
        LOG.exception("the studio could not import %s", found.id)
        imports.end(workspace, found, ImportState.FAILED, error=OURS)
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def _signalling(workspace: Workspace, found: Import) -> Iterator[None]:
    """Say now and then that somebody is at work: reading a large workbook takes longer than nobody hearing of
    it may."""
    done = Event()

    def signal() -> None:
        while not done.wait(imports.STALE_SECONDS / 4):
            imports.signal(workspace, found)

    thread = Thread(target=signal, name="import alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def read_content(
    name: str, content: bytes, wanted: Callable[[], bool] = lambda: True
) -> list[dict[str, str]]:
    """The rows of an uploaded table. FolkwaysError, which calls the file by its name.

    A workbook that is large, or that has many lines though most are empty, is read in a process of its own,
    as long as its rows are ``wanted``; ImportCancelledError. Starting one takes longer than reading a small
    one.
    """
    if name.lower().endswith(".xlsx"):
        try:
            if is_small(content):
                return read_workbook(content, name, most_lines=SMALL_LINES)
        except LongWorkbookError:
            pass
        return read_apart(content, name, wanted)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{Path(name).suffix.lower()}"
        path.write_bytes(content)
        try:
            return read_rows(path)
        except FolkwaysError as error:
            raise FolkwaysError(str(error).replace(str(path), name)) from None
