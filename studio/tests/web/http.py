"""A client that is no browser: for what a page of ours would never send."""

from __future__ import annotations

import http.client
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def place(self) -> str:
        """Where it sends the browser."""
        return self.headers.get("location", "")


@dataclass
class Client:
    """Keeps cookies and sends what it is told, with the Origin of the server (or ``origin``) unless told
    otherwise.

    url: with the path below which the studio is, if it is below one.
    """

    url: str
    origin: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request; redirects are not followed."""
        parts = urlsplit(self.url)
        connection = self.connect(parts.hostname or "", parts.port)
        path = path if path.startswith(f"{parts.path}/") else parts.path + path
        sent = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            **(headers or {}),
        }
        connection.request(method, path, body, {name: value for name, value in sent.items() if value})
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        for line in response.headers.get_all("set-cookie") or []:
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0].strip('"')
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        connection.close()
        return Reply(response.status, {name.lower(): value for name, value in response.headers.items()}, text)

    def connect(self, host: str, port: int | None) -> http.client.HTTPConnection:
        """Over TLS where the address says so; the certificate has to be one that this machine, or
        SSL_CERT_FILE, knows."""
        kind = http.client.HTTPSConnection if self.url.startswith("https:") else http.client.HTTPConnection
        return kind(host, port, timeout=60)

    def upload(self, path: str, fields: Mapping[str, str], name: str, content: str) -> Reply:
        """A form with a file."""
        parts = [f'name="{field}"\r\n\r\n{value}' for field, value in fields.items()]
        parts.append(f'name="file"; filename="{name}"\r\n\r\n{content}')
        body = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--x--\r\n"
        headers = {"Origin": self.origin or self.url, "Content-Type": "multipart/form-data; boundary=x"}
        return self.ask("POST", path, body.encode(), headers)

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, None, headers)

    @staticmethod
    def token(page: Reply) -> str:
        """The token of a page's forms."""
        found = CSRF.search(page.text)
        assert found, page.text[:500]
        return found[1]

    def csrf(self, path: str = "/signin") -> str:
        """The token of this visitor's forms, of a page that has one."""
        return self.token(self.get(path))

    def post(
        self, path: str, fields: Mapping[str, str] | None = None, *, csrf: str | None = None, **headers: str
    ) -> Reply:
        """A form; the token is fetched unless one is given."""
        inside = any(name.endswith("folkways_session") for name in self.cookies)
        token = self.csrf("/account" if inside else "/signin") if csrf is None else csrf
        body = urlencode({"csrf": token, **(fields or {})}).encode()
        sent = {
            "Origin": self.origin or self.url,
            "Content-Type": "application/x-www-form-urlencoded",
            **headers,
        }
        return self.ask("POST", path, body, sent)
