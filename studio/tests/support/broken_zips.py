"""What can be wrong with a ZIP archive, by PKWARE's APPNOTE (sections 4.3 and 4.4)."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO

MEMBER = b"PK\x01\x02"
"""Begins what the directory at the end of an archive says of a member."""
VERSION, FLAGS, METHOD = 6, 8, 10
"""Where it then says which version of ZIP is needed, what is particular (1: a password, 32: a patch), and how
the member is packed."""


def _changed(at: int, to: int) -> Callable[[bytes], bytes]:
    def change(archive: bytes) -> bytes:
        position = archive.rindex(MEMBER) + at
        return archive[:position] + bytes([to]) + archive[position + 1 :]

    return change


def _unreadable(archive: bytes) -> bytes:
    """Its largest member begins with a block of a type that DEFLATE (RFC 1951, 3.2.3) does not have."""
    with zipfile.ZipFile(BytesIO(archive)) as opened:
        largest = max(opened.infolist(), key=lambda each: each.compress_size)
    name, extra = (
        int.from_bytes(archive[at : at + 2], "little")
        for at in (largest.header_offset + 26, largest.header_offset + 28)
    )
    begin = largest.header_offset + 30 + name + extra
    return archive[:begin] + b"\x07" + archive[begin + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda archive: archive[: len(archive) // 2],
    "a text": lambda _: b"nothing",
    "empty": lambda _: b"",
    "a password": _changed(FLAGS, 1),
    "a patch": _changed(FLAGS, 32),
    "a later version": _changed(VERSION, 235),
    "an unknown method": _changed(METHOD, 99),
    "unreadable data": _unreadable,
}
"""By name, what each makes of an archive whose largest member is deflated."""
