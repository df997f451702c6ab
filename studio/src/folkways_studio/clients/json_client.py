"""Asks one server for JSON with a token that no other server gets: redirects are not followed, and nothing is
retried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from folkways.sdk.errors import FolkwaysError
from folkways_studio.addresses import AddressError, web_address

if TYPE_CHECKING:
    from folkways.sdk.http import Reply

STALL_SECONDS = 120.0
"""Without a byte of the reply."""
TIMEOUT_SECONDS = 3600.0
"""For a whole exchange, files included."""
MOST_BYTES = 2**30


class ServerRefusedError(FolkwaysError):
    """A server refused a request; the message is the server's. status: of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class JsonClient:
    """One server. name: for messages. authorization: the header with the token.

    Raises FolkwaysError for an address to which the token would go unencrypted.
    """

    def __init__(self, address: str, name: str, authorization: str) -> None:
        try:
            checked = web_address(address)
        except AddressError:
            checked = None
        if checked is None or checked.raw_query_string:
            raise FolkwaysError(
                f"{address!r} is not an address of {name}; give one as https://studio.example.org"
            )
        self.address = str(checked).rstrip("/")
        self.name = name
        self._headers = {"Authorization": authorization, "Accept": "application/json"}

    def ask(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """The JSON of a reply; None for an empty one. ServerRefusedError with the server's message;
        FolkwaysError if it does not answer. method, path, body, query: the request."""
        return self._read(self.ask_bytes(method, path, body, **query))

    def ask_bytes(self, method: str, path: str, body: object = None, **query: object) -> bytes:
        """``ask`` for a reply that is a file. method, path, body, query: the request."""
        parameters = urlencode({name: value for name, value in query.items() if value is not None})
        headers = {"Content-Type": "application/json"} if body is not None else {}
        return self._send(
            method,
            f"{path}{'?' if parameters else ''}{parameters}",
            headers=headers,
            body=json.dumps(body).encode() if body is not None else None,
        )

    def send_files(self, path: str, field: str, files: Mapping[str, bytes]) -> Any:
        """The JSON of an answer to ``files`` (name -> contents), sent to ``path`` as one field of a form.
        Names are printable and have no backslash."""
        return self._read(self._send("POST", path, files=(field, files)))

    def _read(self, content: bytes) -> Any:
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise FolkwaysError(
                f"{self.name} at {self.address} did not answer in JSON; check the address"
            ) from None

    def _send(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, **content: Any
    ) -> bytes:
        from folkways.sdk.http import NoReplyError, ask_once

        try:
            reply = ask_once(
                method,
                f"{self.address}{path}",
                headers={**self._headers, **(headers or {})},
                most_bytes=MOST_BYTES,
                seconds=TIMEOUT_SECONDS,
                stall=STALL_SECONDS,
                proxies=True,
                **content,
            )
        except NoReplyError as error:
            raise FolkwaysError(f"{self.name} at {self.address} does not answer: {error.reason}") from None
        if not reply.is_success:
            raise ServerRefusedError(f"{self.name}: {_words(reply)}", reply.status)
        return reply.content


def _words(reply: Reply) -> str:
    """A server's message about its refusal, problem by problem if it is JSON."""
    try:
        document = json.loads(reply.content)
    except ValueError:
        document = None
    if not isinstance(document, Mapping):
        return f"it answered {reply.status} {reply.reason}"
    detail = document.get("detail") or document.get("error") or document
    problems = document.get("problems")
    lines = [f"  {each['where']}: {each['what']}" for each in problems] if isinstance(problems, list) else []
    return "\n".join([detail if isinstance(detail, str) else f"{reply.status} {json.dumps(detail)}", *lines])


def segment(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")
