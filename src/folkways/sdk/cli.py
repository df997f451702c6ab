"""Options and output that commands of a package share with those of folkways (entry point
``folkways.commands``)."""

from __future__ import annotations

from folkways.cli import completion
from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import DEFAULT_WORKSPACE, Number, WholeNumber, names, workspace_option
from folkways.cli.out import file_at, folder_option, out_option, print_json, terminal

__all__ = [
    "DEFAULT_WORKSPACE",
    "CommandGroup",
    "Number",
    "WholeNumber",
    "completion",
    "file_at",
    "folder_option",
    "names",
    "out_option",
    "print_json",
    "terminal",
    "workspace_option",
]
