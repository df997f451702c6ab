"""Workspaces of both kinds for the studio's tests."""

from tests.support.studies import studio_workspace

__all__ = ["studio_workspace"]
