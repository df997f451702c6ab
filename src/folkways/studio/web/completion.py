"""The end of a person's work: what they are told, and the code and link with which a recruitment service pays them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from folkways.studio.web.visits import Visit

End = Literal["completed", "screened_out", "no_work"]
RETURN = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True, slots=True)
class Completion:
    """How somebody's work ended. code: of the recruitment service; None where the study has none. link: back to the service."""

    end: End
    code: str | None
    link: str | None


def completion(visit: Visit, end: End) -> Completion:
    """What somebody in the study at hand is given at this end."""
    codes = visit.study.definition.get("prolific") or {}
    code = codes.get(end) if visit.participant.source == "prolific" else None
    return Completion(end, code, RETURN + quote(str(code)) if code else None)
