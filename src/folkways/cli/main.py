"""The ``folkways`` command. Starting it imports click and nothing heavier; each command's module is imported
when it runs."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

import click

from folkways import __version__, plugins
from folkways.engine import interrupts
from folkways.errors import (
    FolkwaysError,
    FolkwaysWarning,
    MissingExtraError,
    UnknownNameError,
    on_command_line,
)
from folkways.process import tune_process

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "quickstart": "Ask a small language model the demo questions and write a report; no key, no network.",
    "data": "List, fetch, check and find released data.",
    "init": "Write a recipe file to fill in: a study with all that `folkways run` needs.",
    "new-benchmark": "Write a package with a benchmark of your own: choice, short answers or a rule.",
    "run": "Ask models the questions of one or more tasks.",
    "estimate": "Requests, tokens and cost of a run before spending anything.",
    "plan": "Plan a run for workers on any number of machines.",
    "work": "Ask what a planned run expects, together with any number of other workers.",
    "score": "Judge and score a run again, without asking any model.",
    "compare": "Say whether models differ, by how much, and how sure that is.",
    "gate": "Check the scores of a run against requirements: an exit code for CI.",
    "published": "Show published figures, and the scores of a run next to them.",
    "report": "Write a report of one or more runs: HTML, Markdown, CSV, Parquet.",
    "site": "Write a leaderboard of your own as static pages, and check what may be added.",
    "export": "Write a run in the format of another project, to share it.",
    "submit": "Write a run as the files that a competition on a benchmark takes.",
    "runs": "List the runs of a workspace; archive and restore them.",
    "show": "Print one item with its gold answers, prompts, responses and judgements.",
    "build": "Build questions from people's answers, and compare builds.",
    "judge": "Judge replies that were made elsewhere.",
    "judge-by-model": "Have a model judge the free answers of a run, in addition to the rule.",
    "probe": "Signals that a model may have seen a task's items before, each with its control.",
    "analyse": "Make the papers' analyses of their scores for your runs, each with its test.",
    "tables": "Recompute the tables and figures of a paper from the data.",
    "tasks": "List the tasks and what each one measures.",
    "benchmarks": "Check a benchmark, yours or a built-in one, before models are asked.",
    "cultures": "List the cultures, their codes and the languages they are asked in.",
    "endpoints": "List the providers, the names of their keys, and the prices and model cards in use.",
    "doctor": "Show what is installed, reachable and in order here, for bug reports.",
}
"""Command -> its line in ``folkways --help``. The module of that name in ``folkways.cli`` has it as
``command``."""

DEBUG = "FOLKWAYS_DEBUG"
"""Environment variable: if set, errors are printed with their traceback, for people who write benchmarks."""

COMPLETING = "_FOLKWAYS_COMPLETE"
"""Environment variable with which a shell asks click for completions."""

OF_EXTRAS = {"studio": "studio"}
"""Command of another package -> the extra of folkways that installs it."""


def other_commands() -> dict[str, str]:
    """Commands of other installed packages (entry point ``folkways.commands``), with the summary of each
    package."""
    entries = plugins.entries(plugins.COMMANDS)
    return {
        name: (entry.dist.metadata["Summary"] if entry.dist is not None else "")
        or f"The command of {entry.value}."
        for name, entry in entries.items()
        if name not in COMMANDS
    }


class LazyGroup(click.Group):
    """Imports the module of a command only when that command runs, so that ``--help`` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Commands in the order in which a newcomer needs them, then those of other packages."""
        return [*COMMANDS, *other_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            command = import_module(f"folkways.cli.{cmd_name.replace('-', '_')}").command
        elif (entry := plugins.entries(plugins.COMMANDS).get(cmd_name)) is not None:
            command = plugins.load(entry)
        else:
            return None
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        if others := other_commands():
            with formatter.section("Commands of other packages"):
                formatter.write_dl(list(others.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        commands = COMMANDS | other_commands()
        return [
            CompletionItem(name, help=line) for name, line in commands.items() if name.startswith(incomplete)
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; UnknownNameError with the valid names, MissingExtraError for a command of an
        extra."""
        name = args[0] if args and not ctx.resilient_parsing else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            others = other_commands()
            if name not in others and name in OF_EXTRAS:
                raise MissingExtraError(f"folkways {name}", OF_EXTRAS[name], f"folkways-{name}")
            if name not in others:
                raise UnknownNameError("command", name, [*COMMANDS, *others])
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="folkways")
def cli() -> None:
    """Measure how well language models know how people actually live.

    folkways puts everyday questions from many cultures to a model, judges the answers by stated rules, and
    says how sure each number is. Start with: folkways quickstart

    Wherever a command has --out, a name with an ending (scores.csv) is a file, and any other name a folder,
    made if there is none.
    """


def _check_encoding(arguments: list[str]) -> None:
    """Refuse arguments in another encoding than UTF-8: they could neither be stored nor sent to a model."""
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument):
            raise FolkwaysError(
                f"the argument {argument!r} is not UTF-8; set the terminal to UTF-8, or rename the file"
            )


def _say(message: str, kind: str = "error", colour: str = "red") -> None:
    """Print a message. It may quote data, file names and servers, so control characters are escaped."""
    from folkways.display import sanitize

    click.echo(f"{click.style(f'{kind}:', fg=colour, bold=True)} {sanitize(message)}", err=True)


def _warn(message: Warning | str, category: type[Warning], *position: object, **more: object) -> None:
    """Print a warning of ours as one line, any other as Python does."""
    if issubclass(category, FolkwaysWarning):
        _say(str(message), "warning", "yellow")
    else:
        PYTHONS_WARNING(message, category, *position, **more)


PYTHONS_WARNING: Callable[..., None] = warnings.showwarning


OF_OUTPUT = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EROFS)
"""OS errors that mean that standard output could not be written."""


def _write_anywhere() -> None:
    """Print ``?`` for characters that the terminal's encoding (ASCII, cp1252) lacks, so that no run fails
    over its messages."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def main() -> None:
    """Run the command line; FolkwaysError becomes one clear message on standard error and exit code 2."""
    tune_process()
    _write_anywhere()
    try:
        with on_command_line(), interrupts.remembered(), warnings.catch_warnings():
            warnings.showwarning = _warn
            _check_encoding(sys.argv[1:])
            code = cli(standalone_mode=False)  # the exit code of an Exit; None if the command just ended
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (click.Abort, KeyboardInterrupt) as end:
        if isinstance(end.__context__, EOFError):
            _say("nobody answered the question: standard input has ended\nSee --help for the option to give")
            sys.exit(2)
        interrupts.leave()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except FolkwaysError as error:
        if COMPLETING in os.environ:  # the line is not finished yet
            sys.exit(0)
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        _say(str(error))
        sys.exit(error.exit_code)
    except OSError as error:  # of standard output, as on a full disk; commands explain their own files
        what = "the output cannot be written: " if error.errno in OF_OUTPUT else ""
        if error.filename:
            what = f"{error.filename}: "
        _say(f"{what}{error.strerror or error}")
        # else Python tries to flush it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
