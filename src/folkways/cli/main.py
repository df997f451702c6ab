"""The ``folkways`` command. Starting it imports click and nothing heavier; each command's module is imported
when it runs."""

from __future__ import annotations

import errno
import gc
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
from folkways.errors import FolkwaysError, FolkwaysWarning, on_command_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "quickstart": (
        "asking.quickstart",
        "Ask a small language model the demo questions and write a report; no key, no network.",
    ),
    "data": ("releases.data", "List, fetch, check and find released data."),
    "init": ("asking.init", "Write a recipe file to fill in: a study with all that `folkways run` needs."),
    "new-benchmark": (
        "new_benchmark",
        "Write a package with a benchmark of your own that runs: choice, short answers or a rule.",
    ),
    "run": ("asking.run", "Ask models the questions of one or more tasks."),
    "estimate": ("asking.estimate", "Requests, tokens and cost of a run before spending anything."),
    "plan": ("asking.plan", "Write down what a run asks, for workers on any number of machines."),
    "work": ("asking.work", "Ask what a planned run expects, beside any number of other workers."),
    "score": ("asking.score", "Judge and score a run again, without asking any model."),
    "compare": ("results.compare", "Say whether models differ, by how much, and how sure that is."),
    "gate": ("results.gate", "Check the scores of a run against requirements: an exit code for CI."),
    "published": ("results.published", "Show published figures, and a run beside them."),
    "report": ("results.report", "Write a report of one or more runs: HTML, Markdown, CSV, Parquet."),
    "export": ("results.export", "Write a run in the format of another project, to share it."),
    "submit": ("results.submit", "Write a run as the files that a competition on a benchmark takes."),
    "runs": ("results.runs", "List the runs of a workspace; archive and restore them."),
    "show": ("results.show", "Print one item with its gold answers, prompts, responses and judgements."),
    "build": ("build", "Build questions from people's answers, and compare builds."),
    "judge": ("asking.judge", "Judge replies that were made elsewhere."),
    "judge-by-model": (
        "asking.judge_by_model",
        "Have a model judge the free answers of a run, beside the rule.",
    ),
    "probe": (
        "asking.probe",
        "Signals that a model may have seen a task's items before, each beside its control.",
    ),
    "analyse": (
        "results.analyse",
        "Make the papers' analyses of their scores for your runs, each with its test.",
    ),
    "tables": ("results.tables", "Recompute the tables and figures of a paper from the data."),
    "tasks": ("releases.tasks", "List the tasks and what each one measures."),
    "benchmarks": (
        "releases.benchmarks",
        "Check a benchmark, yours or a built-in one, before models are asked.",
    ),
    "cultures": ("releases.cultures", "List the cultures, their codes and the languages they are asked in."),
    "endpoints": (
        "asking.endpoints",
        "List the providers, the names of their keys, and the prices and model cards in use.",
    ),
    "doctor": ("doctor", "Show what is installed, reachable and in order here, for bug reports."),
}
"""Command -> its module below ``folkways.cli``, where it is called ``command``, and the line shown by
``folkways --help``."""


DEBUG = "FOLKWAYS_DEBUG"
"""The environment variable with which an error is printed with its traceback, for people who write
benchmarks."""

COMPLETING = "_FOLKWAYS_COMPLETE"
"""The environment variable with which click has a shell's completion answered."""


OF_EXTRAS = {"studio": "studio"}
"""Command of another package -> the extra of folkways that installs that package."""


def other_commands() -> dict[str, str]:
    """Commands that installed packages add (entry point ``folkways.commands``), each with its package's
    summary."""
    entries = plugins.entries(plugins.COMMANDS)
    return {
        name: (entry.dist.metadata["Summary"] if entry.dist is not None else "")
        or f"The command of {entry.value}."
        for name, entry in entries.items()
        if name not in COMMANDS
    }


class LazyGroup(click.Group):
    """Imports a command's module only when it is asked for, so that ``--help`` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Commands in the order in which a newcomer needs them, then those of other packages."""
        return [*COMMANDS, *other_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name in COMMANDS:
            command = import_module(f"folkways.cli.{COMMANDS[cmd_name][0]}").command
        elif (entry := plugins.entries(plugins.COMMANDS).get(cmd_name)) is not None:
            command = plugins.load(entry)
        else:
            return None
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])
        if others := other_commands():
            with formatter.section("Commands of other packages"):
                formatter.write_dl(list(others.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands for a shell that completes their names, without importing them."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        lines = {**{name: line for name, (_, line) in COMMANDS.items()}, **other_commands()}
        return [
            CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name what is valid when the command is not."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from folkways.errors import MissingExtraError, UnknownNameError

            others = other_commands()
            if args[0] not in others and args[0] in OF_EXTRAS:
                raise MissingExtraError(f"folkways {args[0]}", OF_EXTRAS[args[0]], f"folkways-{args[0]}")
            if args[0] not in others:
                raise UnknownNameError("command", args[0], [*COMMANDS, *others])
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
    """Refuse what a terminal or script sent in another encoding: it could neither be stored nor sent to a
    model."""
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument):
            raise FolkwaysError(
                f"the argument {argument!r} is not UTF-8; set the terminal to UTF-8, or rename the file"
            )


def _say(message: str, kind: str = "error", colour: str = "red") -> None:
    """Print an error. It may quote data, file names and servers: nothing in it may act on the terminal."""
    from folkways.display import visible

    click.echo(f"{click.style(f'{kind}:', fg=colour, bold=True)} {visible(message)}", err=True)


def _warn(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
    """Print a warning of ours as one line, any other as Python does."""
    if issubclass(category, FolkwaysWarning):
        _say(str(message), "warning", "yellow")
    else:
        PYTHONS_WARNING(message, category, *place, **more)


PYTHONS_WARNING: Callable[..., None] = warnings.showwarning


OF_OUTPUT = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EROFS)
"""What the system says of output that cannot be written; any other OSError without a file's name speaks for
itself."""

ALLOCATOR = ("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
"""Makes the allocator of polars give freed memory back at once: 30 MB less at 80,000 requests, and no
slower."""

GARBAGE_AFTER = 50_000
"""Objects made since the last look for cycles. Replies and judgements come by the ten thousand and are in
none; the usual 700 cost half a second at 80,000 requests."""


def _write_anywhere() -> None:
    """Have characters that the terminal's encoding lacks (ASCII, cp1252) shown as ``?``: a run must not end
    over how it is told."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def main() -> None:
    """Run the command line; FolkwaysError becomes one clear message on standard error and exit code 2."""
    os.environ.setdefault(*ALLOCATOR)
    gc.set_threshold(GARBAGE_AFTER, 20, 20)
    _write_anywhere()
    try:
        with on_command_line(), interrupts.remembered(), warnings.catch_warnings():
            warnings.showwarning = _warn
            _check_encoding(sys.argv[1:])
            code = cli(
                standalone_mode=False
            )  # click returns the code of an Exit here, and None where a command just ends
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nInterrupted.", err=True)
        sys.exit(interrupts.exit_code())
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except FolkwaysError as error:
        if COMPLETING in os.environ:  # half a line is no mistake
            sys.exit(0)
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        _say(str(error))
        sys.exit(error.exit_code)
    # What a command writes to standard output: a full disk behind ">"; files of its own it explains itself.
    except OSError as error:
        where = (
            f"{error.filename}: "
            if error.filename
            else "the output cannot be written: "
            if error.errno in OF_OUTPUT
            else ""
        )
        _say(f"{where}{error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more is tried at exit
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
