"""Asks one server for JSON, with a token that no other server ever gets: no redirect is followed, and nothing
is tried twice."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from folkways import __version__
from folkways.sdk.errors import FolkwaysError
from folkways_studio.addresses import AddressError, web_address

if TYPE_CHECKING:
    from yarl import URL

TIMEOUT_SECONDS = 120
MOST_BYTES = 2**30


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:  # what urllib takes as "do not"
        return None


class ServerRefusedError(FolkwaysError):
    """A server refused a request, in words of its own. status: of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class JsonClient:
    """One server. name: what messages call it. authorization: the header with the token.

    Raises FolkwaysError for an address to which a token would go in the clear.
    """

    def __init__(self, address: str, name: str, authorization: str) -> None:
        try:
            checked = web_address(address)
        except AddressError:
            checked = None
        if checked is None or checked.raw_query_string:
            raise FolkwaysError(
                f"{address!r} is no address of {name}; give one as https://studio.example.org"
            )
        self.address = str(checked).rstrip("/")
        self.name = name
        self._headers = {
            "Authorization": authorization,
            "User-Agent": f"folkways/{__version__}",
            "Accept": "application/json",
        }
        self._opener = build_opener(_NoRedirects())

    def ask(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """The JSON of an answer; None for an empty one. ServerRefusedError with what the server says;
        FolkwaysError where it does not answer.
        """
        return self._read(self.ask_bytes(method, path, body, **query))

    def ask_bytes(self, method: str, path: str, body: object = None, **query: object) -> bytes:
        """``ask`` for an answer that is a file."""
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        data = json.dumps(body).encode() if body is not None else None
        return self._send(method, f"{path}{'?' if asked else ''}{asked}", data, "application/json")

    def send_files(self, path: str, field: str, files: Mapping[str, bytes]) -> Any:
        """The JSON of an answer to files: name -> contents. They go as the files of one field of a form (RFC
        7578). Names are printable and have no backslash.
        """
        boundary = uuid.uuid4().hex
        parts = bytearray()
        for name, content in files.items():
            quoted = name.replace('"', '\\"')
            head = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{quoted}"\r\n\r\n'
            )
            parts += head.encode() + content + b"\r\n"
        parts += f"--{boundary}--\r\n".encode()
        return self._read(self._send("POST", path, bytes(parts), f"multipart/form-data; boundary={boundary}"))

    def _read(self, content: bytes) -> Any:
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise FolkwaysError(
                f"{self.name} at {self.address} did not answer in JSON; check the address"
            ) from None

    def _send(self, method: str, path: str, data: bytes | None, kind: str) -> bytes:
        headers = {**self._headers, **({"Content-Type": kind} if data is not None else {})}
        request = Request(f"{self.address}{path}", data, headers, method=method)  # noqa: S310 - checked
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as reply:
                return bytes(reply.read(MOST_BYTES))
        except HTTPError as error:
            with error:
                raise ServerRefusedError(f"{self.name}: {_words(error)}", error.code) from None
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise FolkwaysError(f"{self.name} at {self.address} does not answer: {reason}") from None


def fetch(address: URL, timeout: float) -> bytes:
    """What a server gives to anybody, up to 1 MiB of it; OSError where it does not, or leads elsewhere."""
    with build_opener(_NoRedirects()).open(Request(str(address)), timeout=timeout) as reply:  # noqa: S310 - checked
        return bytes(reply.read(2**20))


def _words(error: HTTPError) -> str:
    """What a server says of its refusal, problem by problem where it says so in JSON."""
    try:
        told = json.loads(error.read(2**20))
    except ValueError:
        told = None
    if not isinstance(told, Mapping):
        return f"it answered {error.code} {error.reason}"
    words = told.get("detail") or told.get("error") or told
    places = told.get("problems")
    lines = [f"  {each['where']}: {each['what']}" for each in places] if isinstance(places, list) else []
    return "\n".join([words if isinstance(words, str) else f"{error.code} {json.dumps(words)}", *lines])


def segment(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")
