"""How an error of a task names the task, the file, the row and the remedy."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

from folkways.errors import FolkwaysError
from folkways.plugins import BENCHMARKS, OURS, entries, error_text, package_of, short

if TYPE_CHECKING:
    from folkways.benchmarks.base import Task

SHOWN = 3
"""Problems that one error names; ``folkways benchmarks check`` lists them all."""


class TaskError(FolkwaysError):
    """A task whose code fails or breaks the contract. The message names task, package, place and remedy."""


def task_failed(task: Task, error: Exception, verb: str, where: str = "") -> TaskError:
    """The error for an exception of a task's own code; raise it ``from error``.

    verb: the method that raised it.
    where: ``at item 'KR-1'``.
    """
    module = type(task).__module__
    entry = entries(BENCHMARKS).get(task.benchmark)
    package = package_of(entry) if entry is not None else ""
    of_package = f" of the package {package}" if package and package != OURS else ""
    remedy = (
        "Report it with what `folkways doctor` prints"
        if module.partition(".")[0] == OURS
        else "Repair it there"
    )
    place = f"{verb}(){' ' if where else ''}{where}"
    message = f"{task.name}{of_package} failed in {place}: {error_text(error, module)}"
    return TaskError(
        f"{message}\n{remedy}; FOLKWAYS_DEBUG=1 shows the traceback. Nothing that was stored is lost."
    )


@contextmanager
def failures_of(task: Task, verb: str, where: str = "") -> Iterator[None]:
    """Raise TaskError in place of an exception of the task's own code within the block; errors of folkways
    pass."""
    try:
        yield
    except FolkwaysError:
        raise
    except Exception as error:
        raise task_failed(task, error, verb, where) from error


def problem(task: Task, verb: str, what: str, row: int | None = None, item: object = None) -> str:
    """One line with task, file and method, row and item, what is wrong and what to do.

    task, verb: whose result it is about.
    what: the problem and the remedy.
    row: counted from 1; None where it would be that of a part.
    item: its id.
    """
    at = ("" if row is None else f", row {row}") + ("" if item is None else f" ({item!r})")
    return f"{task.name}: {source_of(task, verb)}{verb}(){at}: {what}"


def source_of(task: Task, verb: str) -> str:
    """``markets/task.py, `` for the file of a method, to go before its name; empty if it has none.

    For a task that a TOML file declares, that file: the method is ours.
    """
    declared = getattr(task, "declared", None)
    if declared is not None:
        return f"{declared.package.rpartition('.')[2]}/{declared.file}, "
    try:
        file = inspect.getsourcefile(inspect.unwrap(getattr(type(task), verb)))
    except (AttributeError, TypeError):
        return ""
    return f"{short(file)}, " if file else ""


def hold(task: Task, problems: Iterable[str]) -> None:
    """Raise TaskError with the first of the problems, if there are any."""
    first = list(islice(problems, SHOWN + 1))
    if first:
        more = f"\nAll of them: folkways benchmarks check {task.benchmark}" if len(first) > SHOWN else ""
        raise TaskError("\n".join(first[:SHOWN]) + more)


def refuse(task: Task, verb: str, what: str, row: int | None = None, item: object = None) -> NoReturn:
    """Raise TaskError with one problem; task, verb, what, row and item are those of ``problem``."""
    raise TaskError(problem(task, verb, what, row, item))


def meant(name: str, valid: Iterable[str]) -> str:
    """``; did you mean 'correct'?``, or the valid names."""
    names = [str(entry) for entry in valid]
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; valid: {', '.join(names) or '(none)'}"
