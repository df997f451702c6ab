"""Workspaces of both kinds for the studio's tests."""

from tests.support.studies import studio_server, studio_workspace

__all__ = ["studio_server", "studio_workspace"]
