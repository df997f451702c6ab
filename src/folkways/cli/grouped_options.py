"""``--help`` of commands with many options, under headings, those that a beginner needs first; and of groups
of commands."""

from __future__ import annotations

import click

HEADINGS = {
    "What is asked": (
        "models",
        "cultures",
        "languages",
        "variants",
        "releases",
        "limit",
        "afresh",
        "skip_missing",
    ),
    "How it is asked": (
        *(
            "samples",
            "seed",
            "settings",
            "read",
            "system",
            "max_tokens",
            "prompt_texts",
            "treatments",
            "permute_options",
            "shots",
        ),
        *("until", "strata", "concurrency", "attempts", "max_errors", "timeout", "wait", "max_failed"),
    ),
    "Judge": ("profile", "text_tools", "embedding_model", "bert_models", "device", "precision"),
    "Cost": ("budget", "prices", "batch"),
    "Cluster": ("on", "workers", "gpus", "serve", "worker"),
    "Store": ("workspace", "name", "report_dir"),
}
"""Heading -> the parameters below it."""


class CommandGroup(click.Group):
    """A group whose help has the first sentence of each command as a whole; click cuts it after one line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their order."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=len(command.help or "")))
                    for name, command in commands.items()
                    if command is not None and not command.hidden
                ]
            )


class GroupedCommand(click.Command):
    """A command whose help lists options under headings; options without one come last, as click shows
    them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. UsageError for a setting that is written as an option names ``--setting``."""
        from folkways.runs.options import SETTING_TYPES

        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if name not in SETTING_TYPES or all(param.name != "settings" for param in self.params):
                raise
            raise click.UsageError(
                f"No such option '{error.option_name}'; it is a setting: --setting {name}=VALUE", ctx
            ) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the headings that have options of this command."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        records = {
            option.name: record for option in options if (record := option.get_help_record(ctx)) is not None
        }
        for heading, names in HEADINGS.items():
            if rows := [records.pop(name) for name in names if name in records]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        if records:
            with formatter.section("Options"):
                formatter.write_dl(list(records.values()))
