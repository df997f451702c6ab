"""What can go wrong: raise these, and the command line prints one clear message."""

from __future__ import annotations

from folkways.errors import DataError, FolkwaysError, UnknownNameError, of_extra

__all__ = ["DataError", "FolkwaysError", "UnknownNameError", "of_extra"]
