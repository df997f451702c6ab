"""Stores of pictures and recordings by hash: a folder, or a bucket of S3 or a compatible server.

The environment chooses: ``FOLKWAYS_MEDIA=/srv/media`` or ``FOLKWAYS_MEDIA=s3://bucket/prefix``. For a bucket,
AWS_ENDPOINT_URL is the address of a server other than Amazon's, and AWS_REGION its region. The keys
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY come from the environment only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from folkways.sdk.errors import FolkwaysError, of_extra
from folkways.sdk.workspace import Workspace
from folkways_studio.addresses import AddressError, web_address
from folkways_studio.errors import StudioError

PLACE_VARIABLE = "FOLKWAYS_MEDIA"
ENDPOINT_VARIABLE, REGION_VARIABLE, REGION = "AWS_ENDPOINT_URL", "AWS_REGION", "us-east-1"
KEY_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
CONNECT_SECONDS, REQUEST_SECONDS, TRIES_SECONDS, RETRIES = 3, 15, 10, 1
"""Short, because a person waits for it."""
REFUSALS = ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch")
"""Error codes of a server that refuses keys, also where the library does not tell them from other errors."""
PROBE = "folkways-can-write-here"


class MediaStoreError(StudioError):
    """The store cannot be used at the moment; the message says why and what to do."""

    status = 503


class Folder:
    """Contents by SHA-256 in a folder of this machine. Every method raises MediaStoreError if it cannot be
    used."""

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)
        self._folder = folder

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def write(self, sha256: str, content: bytes) -> None:
        """Store contents atomically; only the owner can read the folder. MediaStoreError."""
        from folkways.sdk.files import write_bytes

        try:
            if not self._folder.exists():
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(self.path(sha256), content)
        except (FolkwaysError, OSError) as error:
            raise MediaStoreError(
                f"pictures and recordings cannot be stored in {self.place}: "
                f"{getattr(error, 'strerror', None) or error}"
            ) from error

    def read(self, sha256: str, part: range | None = None) -> bytes:
        """The bytes of a ``part`` (None: all). FileNotFoundError if they are missing; MediaStoreError."""
        try:
            with self.path(sha256).open("rb") as stream:
                if part is None:
                    return stream.read()
                stream.seek(part.start)
                return stream.read(len(part))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise MediaStoreError(
                f"the file {self.path(sha256)} cannot be read: {error.strerror or error}"
            ) from None

    def delete(self, sha256: str) -> None:
        try:
            self.path(sha256).unlink(missing_ok=True)
        except OSError as error:
            raise MediaStoreError(
                f"the file {self.path(sha256)} cannot be deleted: {error.strerror or error}"
            ) from None

    def check(self) -> None:
        """Check that files can be stored: nothing to do, because the folder is made with its first file."""


class Bucket:
    """A store in a bucket. Each part of a file is a request of its own, so that slow readers hold no
    connection."""

    def __init__(self, bucket: str, prefix: str, endpoint: str, region: str, key: str, secret: str) -> None:
        with of_extra("s3", "A bucket for pictures and recordings"):
            import obstore
            from obstore.store import S3Store
        self.place = f"s3://{bucket}/{prefix}".rstrip("/")
        self._at = endpoint or "Amazon S3"
        self._api = obstore
        self._refusals = (obstore.exceptions.PermissionDeniedError, obstore.exceptions.UnauthenticatedError)
        address: Any = {"endpoint": endpoint} if endpoint else {}
        try:
            self._store = S3Store(
                bucket, prefix=prefix or None, region=region, access_key_id=key,
                secret_access_key=secret, **address,
                disable_bulk_delete=True,  # not every server has it
                client_options={
                    "allow_http": endpoint.startswith("http://"),
                    "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                    "timeout": timedelta(seconds=REQUEST_SECONDS),
                },
                retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=TRIES_SECONDS)},
            )  # fmt: skip
        except (obstore.exceptions.BaseError, ValueError):
            raise FolkwaysError(
                f"{PLACE_VARIABLE}={self.place} with {ENDPOINT_VARIABLE}={endpoint} is no address of a bucket"
            ) from None

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors into our own messages; the library's repeat the server's, which may name the key."""
        try:
            yield
        except (self._api.exceptions.BaseError, OSError) as error:
            code = _code(error)
            if isinstance(error, FileNotFoundError) and code != "NoSuchBucket":
                raise
            if code == "NoSuchBucket":
                why = f"there is no such bucket; make it, or name another in {PLACE_VARIABLE}"
            elif code == "AuthorizationHeaderMalformed":
                why = f"the bucket is in another region; look at {REGION_VARIABLE}"
            elif code in REFUSALS or isinstance(error, self._refusals):
                why = (
                    f"the keys are refused ({code}); look at {' and '.join(KEY_VARIABLES)}, and at what they "
                    "may do there"
                )
            else:
                why = f"nothing could be done there ({code}); try again in a moment"
            raise self._problem(why) from None

    def _problem(self, why: str) -> MediaStoreError:
        return MediaStoreError(f"pictures and recordings lie in {self.place} at {self._at}: {why}")

    def has(self, sha256: str) -> bool:
        try:
            with self._explained():
                self._api.head(self._store, _key(sha256))
        except FileNotFoundError:
            return False
        return True

    def lacking(self, hashes: Collection[str]) -> set[str]:
        """Those of the hashes that are not here, by a list of the bucket: a request for a thousand files."""
        lacking = {_key(each): each for each in hashes}
        with self._explained():
            for part in self._api.list(self._store, chunk_size=1000):
                for each in part:
                    lacking.pop(each["path"], None)
        return {*lacking.values()}

    def write(self, sha256: str, content: bytes) -> None:
        with self._explained():
            self._api.put(self._store, _key(sha256), content, use_multipart=False)

    def read(self, sha256: str, part: range | None = None) -> bytes:
        with self._explained():
            if part is None:
                return bytes(self._api.get(self._store, _key(sha256)).bytes())
            return bytes(self._api.get_range(self._store, _key(sha256), start=part.start, end=part.stop))

    def delete(self, sha256: str) -> None:
        with self._explained():
            self._api.delete(self._store, _key(sha256))

    def check(self) -> None:
        self.write(PROBE, b"folkways")
        self.delete(PROBE)


def _key(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


def _code(error: Exception) -> str:
    """The server's error code. The rest of its reply may name the key."""
    match = re.search(r"<Code>(\w{1,64})</Code>", str(error)) or re.search(
        r"status code: (\d{3})", str(error)
    )
    return match[1] if match else "no answer"


MediaStore = Folder | Bucket


def media_store(workspace: Workspace) -> MediaStore:
    """The store that FOLKWAYS_MEDIA names, else the folder ``studio.db-media`` next to a workspace
    ``studio.db``.

    FolkwaysError for a workspace on a server, which has no folder, and for a bucket without keys.
    """
    chosen = os.environ.get(PLACE_VARIABLE)
    if chosen and chosen.startswith("s3://"):
        return _bucket(
            chosen,
            *(os.environ.get(name, "") for name in (ENDPOINT_VARIABLE, REGION_VARIABLE, *KEY_VARIABLES)),
        )
    if chosen and "://" in chosen:
        raise FolkwaysError(
            f"{PLACE_VARIABLE}={chosen} is no place for pictures and recordings; valid: a folder, "
            "s3://bucket/prefix"
        )
    if chosen:
        return Folder(Path(chosen).expanduser())
    if "://" in workspace.location:
        raise FolkwaysError(
            "a workspace on a server has no folder for pictures and recordings; name one: export "
            f"{PLACE_VARIABLE}=/srv/media"
        )
    return Folder(Path(f"{Path(workspace.location).expanduser()}-media"))


def has_own_folder(workspace: Workspace) -> bool:
    """Whether the store of a workspace is a folder of its own, which no other workspace uses."""
    return not os.environ.get(PLACE_VARIABLE) and "://" not in workspace.location


@cache
def _bucket(place: str, endpoint: str, region: str, key: str, secret: str) -> Bucket:
    """One instance for all requests, which keeps its connections."""
    address = urlsplit(place)
    missing = [name for name, value in zip(KEY_VARIABLES, (key, secret), strict=True) if not value]
    if missing:
        raise FolkwaysError(
            f"{PLACE_VARIABLE}={place} needs keys in the environment: {' and '.join(missing)}"
        )
    if not address.netloc or address.query or address.fragment or "@" in address.netloc:
        raise FolkwaysError(f"{PLACE_VARIABLE}={place} names no bucket; write it as s3://bucket/prefix")
    try:
        endpoint = str(web_address(endpoint, unencrypted="anywhere")).rstrip("/") if endpoint else ""
    except AddressError:
        raise FolkwaysError(
            f"{ENDPOINT_VARIABLE}={endpoint} is no address; write it as https://s3.example.org"
        ) from None
    return Bucket(address.netloc, address.path.strip("/"), endpoint, region or REGION, key, secret)
