"""What can go wrong in the studio, each with words for the person in front of it. ``status`` is what HTTP calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.studio.records import Draft, Judgement


class StudioError(FolkwaysError):
    """Base of the studio's errors."""

    status = 400


class NotAllowedError(StudioError):
    """The account has no role that permits this."""

    status = 403


class NotFoundError(StudioError):
    """There is no such thing, or it belongs to another study or person: the two are not told apart."""

    status = 404


class ConflictError(StudioError):
    """Something else happened first: the lease went to somebody else, the item was closed, the study was paused."""

    status = 409


class DraftConflictError(ConflictError):
    """Another tab or device saved a newer draft. ``current`` is that one; nothing was overwritten."""

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__(
            f"this was changed in another window (saved version {current.revision}); take that one over, or save again on top of it"
        )


class AlreadySubmittedError(ConflictError):
    """The assignment has a judgement already, made with another key. It stands; ``judgement`` is that one."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement
        super().__init__("this was submitted before, perhaps in another window; the first submission stands")


class SubmissionError(StudioError):
    """A submission that cannot be taken as it is. ``problems``: field -> what is wrong and what to do."""

    status = 422

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{field}: {problem}" if field else problem for field, problem in self.problems.items()))


class InviteError(StudioError):
    """An invitation that cannot be used: unknown, expired, revoked or used up."""

    status = 410


class TooManyAttemptsError(StudioError):
    """Too many failed sign-ins. ``seconds``: after which to try again."""

    status = 429

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"too many failed attempts; try again in {max(1, round(seconds / 60))} minutes")
