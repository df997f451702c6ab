"""``folkways quickstart``: the demo questions, baseline endpoints, a report; no key, no network."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli.out import check_several
from folkways.cli.terminal import terminal

MODELS = ("baseline/random", "baseline/first", "baseline/echo")


@click.command("quickstart", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--out", type=click.Path(path_type=Path), default=Path("quickstart"), show_default=True, metavar="DIR")
def command(out: Path) -> None:
    """Ask the demo questions of endpoints that know nothing, and write a report: what folkways does, in some seconds.

    The folder DIR gets a workspace (folkways.db) and a report (report.html and its tables).
    """

    from folkways.api import run
    from folkways.cli.asking.progress import RunProgress
    from folkways.errors import FolkwaysError
    from folkways.reports.formats.terminal import terminal_summary

    check_several(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolkwaysError(f"cannot make the folder {out}: {error.strerror}; name another with --out DIR") from None
    with RunProgress() as progress:
        done = run("demo", models=MODELS, workspace=out / "folkways.db", observer=progress, every=progress.every)
    terminal().print(terminal_summary(done.report_data(with_judgements=False)))
    done.report(out)
    click.echo(f"\nReport:    {(out / 'report.html').resolve()}")
    click.echo(f"Workspace: {(out / 'folkways.db').resolve()}")
    click.echo("\nNext, with a model of your own (its key in the environment):")
    click.echo(f"  folkways run demo --model openai/gpt-4o-mini --workspace {out / 'folkways.db'} --report report")
    click.echo("  folkways run demo --model http://localhost:8000/v1#NAME")
