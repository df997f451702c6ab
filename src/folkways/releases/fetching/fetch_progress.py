"""Reports of a transfer. This class ignores them; the command line shows bars or lines."""

from __future__ import annotations


class FetchProgress:
    """Called from one thread, in order. Bytes may be taken back (negative) when a part has to be fetched
    anew."""

    def started(self, label: str, files: int, size: int, present: int) -> None:
        """A transfer of ``files`` files begins. label: the release. size: bytes in all, as far as known.
        present: bytes that are here already."""

    def grew(self, size: int) -> None:
        """A file whose size the record did not know has ``size`` bytes."""

    def received(self, size: int) -> None:
        """``size`` more bytes are here."""

    def retrying(self, label: str, reason: str, wait: float) -> None:
        """A file is tried again in ``wait`` seconds."""

    def finished(self, label: str) -> None:
        """A file is whole, verified and in place."""

    def closed(self) -> None:
        """Nothing more will come."""
