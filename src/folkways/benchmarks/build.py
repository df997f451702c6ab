"""What builds a benchmark's questions: builders as commands show and call them, and how they ask models.

A builder gets its options and a ``BuildSession``, and writes files. It opens no socket and no database:
models are asked through the session, which stores what they say and never asks the same twice.
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
    """One text to be sent, and what it is about: replies are stored, and found in replayed files, under task,
    item and so on.

    task: what it is for, such as ``build-topics``; no benchmark has a task of that name. max_tokens: of the
    reply, unless the model has settings of its own. sample: above 0 to ask the same text again. system,
    choices: as in records.PROMPTS. weigh: a text whose log-probability behind the prompt is the reply, in
    place of what the model says; for endpoints that tell it.
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
class Reply:
    """What came back. ``text`` is None where the request failed or was not sent; ``reason`` says why, and why
    a model refused."""

    text: str | None
    reason: str | None = None
    state: State = State.ANSWERED

    @property
    def said(self) -> str | None:
        """The text of a model that answered; None where it refused, and where there is none."""
        return self.text if self.state is State.ANSWERED else None


class Ask(Protocol):
    """A model that can be asked. Stored replies are never asked for again."""

    @property
    def name(self) -> str:
        """The model's name, as the user wrote it."""

    def __call__(self, prompts: Sequence[Prompt]) -> Sequence[Reply]:
        """One reply to each, answered or refused; an error ends the build where one cannot be had, and the
        same command goes on."""

    def recall(self, prompt: Prompt) -> Reply | None:
        """The stored reply, without asking for one."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a build that is made by itself: its name, the file that it is made from, and the new folder
    it is made in."""

    name: str
    file: Path
    folder: Path


class WorkOnFiles(Protocol):
    """Makes shares of a build, here or on other machines."""

    def __call__(
        self, work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
    ) -> Sequence[T]:
        """What ``work`` returns for the name, file and folder of each share, in their order, when all are
        made.

        work: writes files into the folder; it and what it returns can be sent to another process. A share's
        file is removed once it is made. report: is told how far it is. Raises what ``work`` raises.
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
    """What a builder is handed: models, machines to work on, and somebody to tell things."""

    work_on: WorkOnFiles

    def models(
        self,
        names: Sequence[str],
        config: Mapping[str, Any],
        *,
        name: str | None = None,
        many_rounds: bool = False,
    ) -> Sequence[Ask]:
        """Open models by name; FolkwaysError, before anything is asked, for what cannot be asked within the
        budget.

        config: what decides which prompts there are: the same configuration is the same run of the workspace.
        name: of that run. many_rounds: asks in hundreds of short rounds, whose progress is not worth showing.
        """

    def note(self, text: str) -> None:
        """Tell the user at once."""

    def progress(self, text: str) -> None:
        """Tell how far it is; shown every few seconds."""


@dataclass(frozen=True)
class Option:
    """An option of a builder's command; an argument where ``flag`` does not begin with dashes.

    kind: ``text``, ``list`` (texts, separated by commas), ``number``, ``whole`` (a number from ``least`` to
    ``most``), ``yes``
          (given or not), ``file`` (that is read), ``new file``, ``new folder`` (that are written: whether
          they can be is found out
          before any work), or words to choose from.
    gets: of a new file: its name where a folder is given; both have to end alike. count: how many values
    follow the flag. parameter: its name in ``Builder.make``, where not that of the flag.
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

    summary: lines for standard output. notes: for standard error, before the names of the ``files`` that were
    written; advice: after them. document: printed as JSON in place of the summary.
    """

    summary: Sequence[str] = ()
    notes: Sequence[str] = ()
    files: Sequence[Path] = ()
    advice: Sequence[str] = ()
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Builder:
    """``folkways build NAME``.

    make: called with a BuildSession and the options by name; returns what it made and wrote. Raises
    FolkwaysError. help: what the command does, the first line alone in lists; ``\\b`` before lines that stay
    as they are. asks: whether it asks models; its command then has the options for that. named: whether its
    run can be given a name. shared_out: whether a part of it is made by ``BuildSession.work_on``, which the
    command can leave to a cluster.
    """

    name: str
    help: str
    options: tuple[Option, ...]
    make: Callable[..., BuildResult]
    asks: bool = False
    named: bool = False
    shared_out: bool = False
