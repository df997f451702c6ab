"""``folkways studio backup`` and ``restore``: a workspace in one file, made and put back while the studio
runs."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.sdk.cli import workspace_option
from folkways_studio.cli.places import opened


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@workspace_option
def backup(file: Path, workspace: str) -> None:
    """Write the whole workspace into one new file, while the studio runs.

    All that anybody was told is saved when the command began is in it. It holds what is personal and the
    hashes of passwords: keep it as you keep the server.

    \b
    folkways studio backup /var/backups/folkways/$(date +%F).zip
    """
    from folkways_studio.database.backups import back_up

    with opened(workspace) as database:
        click.echo(f"wrote {file}: {back_up(database, file)}")


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--replace", is_flag=True, help="Also into a workspace that holds something, all of which is lost."
)
@workspace_option
def restore_backup(file: Path, replace: bool, workspace: str) -> None:
    """Put a backup into an empty workspace: a new file, or a database of PostgreSQL, whichever it was made
    from.

    Either all of it is there afterwards or nothing has changed.
    """
    from folkways_studio.database.backups import restore

    with opened(workspace, create=True) as database:
        found = restore(file, database, replace=replace)
        click.echo(f"restored {file} into {database.location}: {found}")
        if found.bucket:
            click.echo(
                f"note: start the studio with FOLKWAYS_MEDIA={found.bucket}, or bring the files of that "
                "place to another",
                err=True,
            )


COMMANDS = (backup, restore_backup)
