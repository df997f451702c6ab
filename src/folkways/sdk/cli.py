"""Options and output that commands of a package share with those of folkways (entry point
``folkways.commands``)."""

from __future__ import annotations

from folkways.cli import completion
from folkways.cli.options import DEFAULT_WORKSPACE, Number, names, workspace_option
from folkways.cli.out import file_at, folder_option, out_option, print_json, terminal

__all__ = [
    "DEFAULT_WORKSPACE",
    "Number",
    "completion",
    "file_at",
    "folder_option",
    "names",
    "out_option",
    "print_json",
    "terminal",
    "workspace_option",
]
