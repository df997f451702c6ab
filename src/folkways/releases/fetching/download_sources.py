"""Where the files of a release are fetched from: the hub's and GitHub's addresses, mirrors of them, and the
hub's token."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from folkways.errors import FolkwaysError
from folkways.releases.release_records import ReleaseFile, ReleaseRecord

HUB = "https://huggingface.co"
GITHUB_RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True, slots=True)
class DownloadSource:
    """One host with one repository at one revision.

    token: sent as a bearer token to this host alone; None where there is none.
    tells_hash: True where the host's ETag is a hash of the contents (the hub).
    """

    endpoint: str
    prefix: str
    tells_hash: bool
    token: str | None = field(default=None, repr=False)

    def url(self, entry: ReleaseFile) -> str:
        """The address of one file."""
        return f"{self.endpoint}/{self.prefix}/{quote(entry.remote)}"


def source_of(record: ReleaseRecord) -> DownloadSource:
    """The source of a published release, as the environment has it (HF_ENDPOINT, HF_TOKEN,
    FOLKWAYS_GITHUB_RAW). FolkwaysError for a release of the package itself."""
    revision = quote(record.revision, safe="")
    if record.source == "hub":
        return DownloadSource(
            hub_endpoint(),
            f"datasets/{quote(record.repository)}/resolve/{revision}",
            tells_hash=True,
            token=hub_token(),
        )
    if record.source == "github":
        return DownloadSource(
            _endpoint("FOLKWAYS_GITHUB_RAW", GITHUB_RAW),
            f"{quote(record.repository)}/{revision}",
            tells_hash=False,
        )
    raise FolkwaysError(f"release {record.name} is part of folkways; there is nothing to fetch")


def _endpoint(variable: str, default: str) -> str:
    endpoint = (os.environ.get(variable) or default).rstrip("/")
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FolkwaysError(
            f"{variable} is not a web address: {endpoint!r}\nvalid: https://HOST or http://HOST, such as "
            f"{default}"
        )
    return endpoint


def hub_endpoint() -> str:
    """The address of the hub, or of the mirror that HF_ENDPOINT names; FolkwaysError where that is not an
    address."""
    return _endpoint("HF_ENDPOINT", HUB)


def hub_token() -> str | None:
    """The token in HF_TOKEN; None where there is none, FolkwaysError where it cannot be one."""
    token = (os.environ.get("HF_TOKEN") or "").strip()
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise FolkwaysError(
            "HF_TOKEN has a space, a line break or a letter that no token has; copy it anew from the hub's "
            "settings"
        )
    return token or None
