"""What can go wrong in the studio, each with words for the person in front of it. ``status`` is what HTTP
calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from folkways.sdk.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways_studio.records import Draft, Judgement


class Message(str):
    """A sentence of ours in English that can still be said in another language. ``values`` fill its
    ``%(name)s``. named: the same for programs and files: what was sent, what is valid."""

    def __new__(cls, message: str, named: str = "", **values: object) -> Message:
        """The English sentence, its values filled in."""
        made = super().__new__(cls, named or (message % values if values else message))
        made.message, made.values = message, values
        return made

    message: str
    values: dict[str, object]

    def words(self, translate: Callable[[str], str]) -> str:
        """The sentence in the language of ``translate`` where that knows it, otherwise in English."""
        values = {
            name: value.words(translate) if isinstance(value, Message) else value
            for name, value in self.values.items()
        }
        translated = translate(self.message)
        return translated % values if values else translated


class StudioError(FolkwaysError):
    """Base of the studio's errors; their words are a ``Message``."""

    status = 400

    def __init__(self, message: str, **values: object) -> None:
        self.message = Message(message, "", **values)
        super().__init__(self.message)

    def words(self, translate: Callable[[str], str]) -> str:
        """What went wrong in the language of ``translate``."""
        return self.message.words(translate)


class TokenError(StudioError):
    """A token of the API that lets nobody in, or none at all."""

    status = 401


class NotAllowedError(StudioError):
    """The account has no role that permits this."""

    status = 403


class NotFoundError(StudioError):
    """The thing does not exist, or belongs to another study or person; the reply does not say which."""

    status = 404


class ConflictError(StudioError):
    """Something else happened first: the lease went to somebody else, the item was closed, the study was
    paused."""

    status = 409


CHANGED_ELSEWHERE = Message(
    "this was changed in another window (saved version %(revision)s); take that one over, or save again on "
    "top of it"
)


class DraftConflictError(ConflictError):
    """Another tab or device saved a newer draft. ``current`` is that one; nothing was overwritten."""

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__(CHANGED_ELSEWHERE, revision=current.revision)


class AlreadySubmittedError(ConflictError):
    """The assignment has a judgement already, made with another key. It stays; ``judgement`` is that one."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement
        super().__init__(
            Message("this was submitted before, perhaps in another window; the first submission stands")
        )


class SubmissionError(StudioError):
    """A submission that cannot be taken as it is. ``problems``: field -> what is wrong and what to do."""

    status = 422

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__(_by_field(self.problems))

    def words(self, translate: Callable[[str], str]) -> str:
        """What went wrong, field by field."""
        return _by_field(self.problems_in(translate))

    def problems_in(self, translate: Callable[[str], str]) -> dict[str, str]:
        """``problems`` in the language of ``translate``, as far as that knows them."""
        return {
            field: problem.words(translate) if isinstance(problem, Message) else problem
            for field, problem in self.problems.items()
        }


def _by_field(problems: Mapping[str, str]) -> str:
    return "; ".join(f"{field}: {problem}" if field else problem for field, problem in problems.items())


class InviteError(StudioError):
    """An invitation that cannot be used: unknown, expired, revoked or used up."""

    status = 410


class BusyError(StudioError):
    """No place is free at this moment; a moment later there may be one."""

    status = 429


class ReturnError(InviteError):
    """Somebody comes as an external person who has begun, and nothing shows that it is them."""

    def __init__(self) -> None:
        super().__init__(
            Message(
                "somebody has begun with this Prolific id already; if it was you, go on in the browser that "
                "you began in, or give your return code"
            )
        )


class TooManyAttemptsError(StudioError):
    """Too many failed sign-ins, or too many of anything else that is counted. ``seconds``: after which to try
    again."""

    status = 429

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            Message("too many attempts; wait %(minutes)s min and try again"),
            minutes=max(1, round(seconds / 60)),
        )
