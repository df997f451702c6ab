"""``folkways site``: a leaderboard as static pages, and whether a run may be added to it."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import Number, coverage_option, github_option, workspace_option
from folkways.cli.out import folder_option


class BuiltByDefault(CommandGroup):
    """A group whose first command is meant where no command is named: ``folkways site RUN`` builds."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; options are those of ``build``, but for --help."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["build", *args]
        return super().parse_args(ctx, args)


@click.group("site", cls=BuiltByDefault)
def command() -> None:
    """Write a leaderboard of your own, and check what may be added to it.

    `folkways site RUN` is short for `folkways site build RUN`.
    """


@command.command("build")
@click.argument("runs", nargs=-1, required=True, shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets the pages.")
@click.option("--title", default="Leaderboard", show_default=True, metavar="TEXT", help="Title of the site.")
@click.option("--profile", metavar="NAME", help="Profile of the scores; the first of each run if left out.")
@click.option("--url", default="", metavar="URL", help="Where the site will be published, for its feeds.")
@click.option(
    "--contribute", default="", metavar="URL", help="Where additions are proposed; the site links to it."
)
def build(
    runs: tuple[str, ...],
    workspace: str,
    out: Path,
    title: str,
    profile: str | None,
    url: str,
    contribute: str,
) -> None:
    """Write a static leaderboard of RUNS: names of runs, folders of archived runs, or records of Every Eval
    Ever (UUID.json, or a folder of them).

    The pages: every model on every task with intervals and ranks, one for each task, model and culture, an
    Atom and a JSON feed, and site.json. Scores that were not asked or judged alike are kept apart. The pages
    need no server and load nothing else. The same runs give the same files.

    \b
    folkways site build baseline-study march --out site
    folkways site build data --out site --title "Our models" --url https://lab.example.org/models/
    """
    from folkways.cli.out import say_written
    from folkways.display import plural
    from folkways.integrations.leaderboard import write_leaderboard

    addresses = {"url": _address(url, "--url"), "contribute": _address(contribute, "--contribute")}
    done = write_leaderboard(runs, out, workspace=workspace, title=title, profile=profile, **addresses)
    say_written((out / "index.html",), done.notes)
    parts = [plural(getattr(done, f"{name}s"), name) for name in ("model", "task", "culture")]
    click.echo(f"{', '.join(parts)}: {plural(len(done.files), 'file')}")


def _address(text: str, flag: str) -> str:
    """The web address; FolkwaysError for anything else."""
    from folkways.errors import FolkwaysError

    if text and not text.startswith(("https://", "http://")):
        raise FolkwaysError(
            f"{flag} takes a web address, got {text!r}; for example: https://lab.example.org/models/"
        )
    return text


@command.command("check")
@click.argument("new", nargs=-1, required=True, shell_complete=completion.runs)
@workspace_option
@click.option(
    "--against", multiple=True, metavar="SITE|RUN", shell_complete=completion.runs,
    help="The leaderboard: a folder that `site` wrote, runs or records; repeatable.",
)  # fmt: skip
@click.option("--profile", metavar="NAME", help="Profile of the scores; the first of each run if left out.")
@coverage_option
@click.option(
    "--max-failed",
    "failed",
    type=Number(0, 100),
    default=1.0,
    show_default=True,
    help="Percent of items whose request may have failed.",
)
@click.option(
    "--strict", is_flag=True, help="Only what is shown to be right may enter; what is unsure fails."
)
@github_option
def check(
    new: tuple[str, ...], workspace: str, against: tuple[str, ...], profile: str | None, coverage: float,
    failed: float, strict: bool, github: bool,
) -> None:  # fmt: skip
    """Check whether NEW (runs, archives or records) may be added to a leaderboard. No model is asked.

    For each model and task: is the signature whole, the release pinned and its checksum known, are prompts,
    variants, languages and items those of the scores that are there, did enough requests come back, do the
    single judgements agree with the score, and is it new? Without --against, NEW is a leaderboard's first.
    Exit code 0: all may enter; 1: something may not; 2: wrong input.

    \b
    folkways site check last --against site
    folkways site check data/demo/lab/model --against data-of-main --strict --github
    """
    from folkways.display import single_line
    from folkways.evidence.admission import Rules, check_additions
    from folkways.evidence.requirements import failed as any_failed
    from folkways.integrations.leaderboard import copies_of, entries_of
    from folkways.reports.formats.gate_output import as_annotations, as_short_lines

    added, existing = (entries_of(names, workspace, profile) for names in (new, against))
    checks = check_additions(added, existing, Rules(coverage, failed, strict), copies_of(added))
    for source, of_source in checks.items():
        may = "may not enter" if any_failed(of_source) else "may enter"
        click.echo(f"{single_line(source)}: {may}")
        for line in as_short_lines(of_source):
            click.echo(f"  {line}")
        if github:
            for line in as_annotations(of_source, "folkways site check"):
                click.echo(line)
    if any(map(any_failed, checks.values())):
        raise click.exceptions.Exit(1)
