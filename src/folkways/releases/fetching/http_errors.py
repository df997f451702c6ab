"""What a server's refusal means for the person who wanted the file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from folkways.errors import FolkwaysError

OTHER_WAYS = "or adopt a copy that you have: folkways data fetch NAME --from DIR"


class RefusedError(FolkwaysError):
    """An answer that no further try will change."""


class TransientError(Exception):
    """Trouble that may pass: a lost connection, a busy server.

    retry_after: seconds that the server asked to wait, where it did.
    offline:     the host was not reached at all.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, offline: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.offline = offline

    def final(self, url: str, attempts: int) -> str:
        """The message once we stop trying."""
        if self.offline:
            remedy = (
                "Check the network and proxy (HTTPS_PROXY), use a mirror (HF_ENDPOINT, "
                f"FOLKWAYS_GITHUB_RAW), {OTHER_WAYS}"
            )
        elif self.retry_after is not None:
            remedy = (
                f"The server asks to wait {self.retry_after:.0f} s. Run the command again then; what "
                "was received is kept."
            )
        else:
            remedy = "Run the same command again later; what was received is kept."
        tried = f" (tried {attempts} times in a row)" if attempts > 1 else ""
        return f"cannot fetch {url}: {self}{tried}\n{remedy}"


def refusal(status: int, url: str, *, hub: bool, has_token: bool) -> str:
    """The message for an HTTP status that will not change by asking again."""
    if status in (401, 403) and hub:
        page = url.split("/resolve/", 1)[0]
        if has_token:
            remedy = (
                f"Accept the terms at {page} with the account of HF_TOKEN, and see that the token "
                "may "
                "read it,"
            )
        else:
            remedy = (
                f"If the data are gated, accept the terms at {page} and set HF_TOKEN to a token of "
                "that account,"
            )
        return f"{url}: the hub does not let us in ({status})\n{remedy} {OTHER_WAYS}"
    if status in (401, 403):
        remedy = "A proxy or a limit may stand in between; try again later,"
        return f"{url}: the server does not let us in ({status})\n{remedy} {OTHER_WAYS}"
    if status in (404, 410):
        return (
            f"{url}: not there ({status})\n"
            "The repository was moved, its revision removed, or a mirror (HF_ENDPOINT, "
            "FOLKWAYS_GITHUB_RAW) lacks it.\n"
            f"Do without the mirror, {OTHER_WAYS}"
        )
    return f"{url}: the server answered {status}\nTry again later, {OTHER_WAYS}"


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds in a Retry-After header (a number or a date); None where there is none that can be read."""
    text = headers.get("Retry-After", "").strip()
    if text.isdigit():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, ((when if when.tzinfo else when.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
