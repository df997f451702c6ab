"""Encrypts the secrets of webhooks, which signing needs in full, so that a copy of the database cannot sign.

The key is FOLKWAYS_STUDIO_KEY (any text of 32 characters or more) or a file next to the workspace
(``studio.db-key``), made with the first secret and readable only by its owner. Backups do not contain it.
Unencrypted secrets of earlier versions stay usable.
"""

from __future__ import annotations

import base64
import os
import secrets
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_VARIABLE = "FOLKWAYS_STUDIO_KEY"
SHORTEST_KEY = 32
SEALED = "sealed:"
NONCE_BYTES = 12
PURPOSE = b"secret of a webhook"


class SealError(FolkwaysError):
    """A secret cannot be encrypted or read, because the key is missing or different."""


def seal(workspace: Workspace, secret: str) -> str:
    """A secret as it is stored: AES-GCM with its own nonce. SealError without a key."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return (
        SEALED
        + base64.b64encode(nonce + _cipher(workspace).encrypt(nonce, secret.encode(), PURPOSE)).decode()
    )


def unseal(workspace: Workspace, stored: str) -> str:
    """The secret; SealError if the key is different or lost."""
    from cryptography.exceptions import InvalidTag

    if not stored.startswith(SEALED):
        return stored
    packed = base64.b64decode(stored.removeprefix(SEALED))
    try:
        return str(_cipher(workspace).decrypt(packed[:NONCE_BYTES], packed[NONCE_BYTES:], PURPOSE), "utf-8")
    except InvalidTag:
        raise SealError(
            "its secret was sealed with another key of the server; delete it and make it again"
        ) from None


def _cipher(workspace: Workspace) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(sha256(_key(workspace).encode()).digest())


def _key(workspace: Workspace) -> str:
    chosen = os.environ.get(KEY_VARIABLE, "").strip()
    if chosen:
        if len(chosen) < SHORTEST_KEY:
            raise SealError(
                f"{KEY_VARIABLE} is too short: it has {len(chosen)} characters, and needs {SHORTEST_KEY}"
            )
        return chosen
    if "://" in workspace.location:
        raise SealError(
            f"webhooks need a key to encrypt their secrets; set {KEY_VARIABLE} to a random text of "
            f"{SHORTEST_KEY} characters or more, such as that of openssl rand -base64 32"
        )
    file = Path(f"{Path(workspace.location).expanduser()}-key")
    if not file.exists():
        _make_key(file)
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SealError(f"the key {file} cannot be read: {error}") from None


def _make_key(file: Path) -> None:
    """Create a key file for its owner only, atomically; of several processes the first one wins."""
    try:
        handle, made = tempfile.mkstemp(dir=file.parent, prefix=".key-")  # of mode 0600
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                stream.write(secrets.token_urlsafe(SHORTEST_KEY) + "\n")
            with suppress(FileExistsError):
                os.link(made, file)
        finally:
            Path(made).unlink()
    except OSError as error:
        raise SealError(
            f"the key {file} cannot be written: {error.strerror or error}; or set {KEY_VARIABLE}"
        ) from None
