"""Builders of a benchmark's questions: how commands show and call them, and how they ask models.

A builder gets its options and a ``BuildSession``, and writes files. It opens no socket and no database:
the session asks the models, stores what they reply and never asks the same twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from folkways.records import State

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text to send, with the address under which its reply is stored, and found in replayed files.

    task: what it is for, such as ``build-topics``; benchmarks have no task of that name.
    max_tokens: of the reply, unless the model has settings of its own.
    sample: above 0 to ask the same text again.
    system, choices: as in records.PROMPTS.
    logprob_of: a text whose log-probability after the prompt is the reply, in place of what the model
        writes; for endpoints that can compute it.
    """

    text: str
    task: str
    item: str
    max_tokens: int
    language: str = "en"
    variant: str = ""
    sample: int = 0
    system: str | None = None
    choices: tuple[str, ...] | None = None
    logprob_of: str | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply to a prompt. ``text`` is None if the request failed or was not sent; ``reason`` is why, or
    why a model refused."""

    text: str | None
    reason: str | None = None
    state: State = State.ANSWERED

    @property
    def said(self) -> str | None:
        """The text of a model that answered; None if it refused, or if there is no text."""
        return self.text if self.state is State.ANSWERED else None


class AskableModel(Protocol):
    """A model that can be asked. Stored replies are never asked for again."""

    @property
    def name(self) -> str:
        """The model's name, as the user wrote it."""

    def __call__(self, prompts: Sequence[Prompt]) -> Sequence[ModelReply]:
        """One reply to each prompt, answered or refused. If one cannot be had, an error ends the build, and
        the same command continues it."""

    def recall(self, prompt: Prompt) -> ModelReply | None:
        """The stored reply, without asking for one."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a build that is made by itself: its name, the file that it is made from, and the new folder
    that it fills."""

    name: str
    file: Path
    folder: Path


class WorkOnFiles(Protocol):
    """Makes the shares of a build, here or on other machines."""

    def __call__(
        self, work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
    ) -> Sequence[T]:
        """What ``work`` returns for the name, file and folder of each share, in their order, once all are
        made.

        work: writes files into the folder; it and what it returns can be sent to another process. A share's
            file is removed once it is made.
        report: called with a line of progress.

        Raises what ``work`` raises.
        """


def one_by_one(
    work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
) -> list[T]:
    """A ``WorkOnFiles`` in this process."""
    made = []
    for number, share in enumerate(shares, 1):
        report(f"{number:,} of {len(shares):,}: {share.name}")
        share.folder.mkdir()
        made.append(work(share.name, share.file, share.folder))
        share.file.unlink()
    return made


class BuildSession(Protocol):
    """What a builder is handed: models, machines to work on, and ways to inform the user."""

    work_on: WorkOnFiles

    def models(
        self,
        names: Sequence[str],
        config: Mapping[str, Any],
        *,
        name: str | None = None,
        many_rounds: bool = False,
    ) -> Sequence[AskableModel]:
        """Open models by name. Raises FolkwaysError, before anything is asked, for a model that cannot be
        asked within the budget.

        names: of the models, as the user wrote them.
        config: what decides which prompts there are: the same configuration is the same run of the workspace.
        name: of that run.
        many_rounds: True for hundreds of short rounds, whose progress is not worth showing.
        """

    def note(self, text: str) -> None:
        """Show a line to the user at once."""

    def progress(self, text: str) -> None:
        """Report progress; shown every few seconds."""


@dataclass(frozen=True)
class Option:
    """An option of a builder's command; an argument if ``flag`` does not begin with dashes.

    kind: ``text``, ``list`` (texts, separated by commas), ``number``, ``whole`` (a number from ``least`` to
        ``most``), ``yes`` (given or not), ``file`` (that is read), ``new file``, ``new folder`` (that are
        written: checked before any work), or a tuple of words to choose from.
    gets: of a new file: its name if a folder is given; both have to end alike.
    count: how many values follow the flag.
    parameter: its name in ``Builder.make``, if not that of the flag.
    """

    flag: str
    help: str = ""
    kind: (
        Literal["text", "list", "number", "whole", "yes", "file", "new file", "new folder"] | tuple[str, ...]
    ) = "text"
    metavar: str | None = None
    default: Any = None
    required: bool = False
    repeatable: bool = False
    short: str = ""
    count: int = 1
    least: int | None = None
    most: int | None = None
    gets: str = ""
    parameter: str = ""

    @property
    def name(self) -> str:
        """The parameter of ``Builder.make`` that it becomes."""
        return self.parameter or self.flag.lstrip("-").replace("-", "_").lower()


@dataclass(frozen=True)
class BuildResult:
    """What a builder made.

    summary: lines for standard output.
    notes: for standard error, before the names of the ``files`` that were written; advice: after them.
    document: printed as JSON in place of the summary.
    """

    summary: Sequence[str] = ()
    notes: Sequence[str] = ()
    files: Sequence[Path] = ()
    advice: Sequence[str] = ()
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Builder:
    r"""``folkways build NAME``.

    make: called with a BuildSession and the options by name; returns what it made and wrote.
    Raises FolkwaysError.
    help: what the command does, the first line alone in lists; ``\b`` before lines that stay as they are.
    asks: whether it asks models; its command then has the options for that.
    named: whether its run can be given a name.
    shared_out: whether ``BuildSession.work_on`` makes a part of it, which the command can leave to a cluster.
    """

    name: str
    help: str
    options: tuple[Option, ...]
    make: Callable[..., BuildResult]
    asks: bool = False
    named: bool = False
    shared_out: bool = False
