"""Versions of installed packages, without importing them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version(distribution: str) -> str:
    """The version; "none" where it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "none"
