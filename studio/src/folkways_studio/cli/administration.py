"""Commands for the people who run the server: API tokens, backup and restore."""

from __future__ import annotations

import time
from dataclasses import replace as with_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.sdk.cli import Number, WholeNumber, workspace_option
from folkways.sdk.errors import FolkwaysError
from folkways_studio.cli.places import opened

if TYPE_CHECKING:
    from folkways.sdk.workspace import Workspace
    from folkways_studio.records import Account


MOST_LINES = 20
"""Pictures and recordings that are named."""


@click.command("token")
@click.argument("login")
@click.option(
    "--study", metavar="STUDY", help="The only study that it is for; without it, all of the account's."
)
@click.option("--scope", type=click.Choice(["read", "write"]), default="read", help="What it may do.")
@click.option("--days", type=Number(min=0.01, max=366), default=90, help="How long it is valid.")
@click.option("--note", default="", show_default=False, metavar="TEXT", help="What it is for.")
@workspace_option
def make_token(login: str, study: str | None, scope: str, days: float, note: str, workspace: str) -> None:
    """Make a token with which a program acts as an account. It is shown only once, here."""
    from folkways_studio.programs import tokens
    from folkways_studio.programs.records import Scope

    with opened(workspace) as database:
        account = account_with(database, login)
        number = _study(database, study)
        _, text = tokens.create_token(
            database, account.id, study_id=number, name=note, scope=Scope(scope), days=days
        )
        click.echo(text)


@click.command("disable-account")
@click.argument("login")
@click.option("--undo", is_flag=True, help="Let the account sign in again.")
@workspace_option
def disable_account(login: str, undo: bool, workspace: str) -> None:
    """Let nobody sign in with an account any more. Its sessions end and its tokens do not work; what was done
    with it stays."""
    from folkways_studio.people import accounts

    with opened(workspace) as database:
        account = account_with(database, login)
        accounts.set_disabled(database, account.id, disabled=not undo)
        click.echo(f"{account.login} can sign in again" if undo else f"{account.login} is disabled")


@click.command("tokens")
@click.option(
    "--study",
    metavar="STUDY",
    help="Tokens of this study; without it, those that are for all studies of an account.",
)
@workspace_option
def list_tokens(study: str | None, workspace: str) -> None:
    """List tokens, newest first, without their texts."""
    from folkways_studio.people import accounts
    from folkways_studio.programs import tokens
    from folkways_studio.records import day_of

    with opened(workspace) as database:
        for each in tokens.list_tokens(database, study_id=_study(database, study)):
            state = (
                "revoked"
                if each.revoked
                else "expired"
                if each.expires <= time.time()
                else f"until {day_of(each.expires)}"
            )
            used = f"last used {day_of(each.used)}" if each.used else "never used"
            login = accounts.get_account(database, each.account_id).login
            click.echo(f"{each.id}  {login}  {each.scope}  {state}  {used}  {each.name}".rstrip())


@click.command("revoke-token")
@click.argument("number", type=WholeNumber(min=1, max=2**31 - 1))
@click.option(
    "--study",
    metavar="STUDY",
    help="The study that it is for; without it, one for all studies of an account.",
)
@workspace_option
def revoke_token(number: int, study: str | None, workspace: str) -> None:
    """Revoke a token. `folkways studio tokens` lists their numbers."""
    from folkways_studio.programs import tokens

    with opened(workspace) as database:
        tokens.revoke_token(database, number, study_id=_study(database, study))
        click.echo(f"token {number} is revoked")


def account_with(database: Workspace, login: str) -> Account:
    """The account with that login; FolkwaysError if there is none."""
    from folkways_studio.people import accounts

    account = accounts.find_account(database, login)
    if account is None:
        raise FolkwaysError(
            f"there is no account {login!r} in {database.location}; make one with: folkways studio account "
            f"{login}"
        )
    return account


def _study(database: Workspace, name: str | None) -> int | None:
    from folkways_studio.clients.local import study_id

    return study_id(database, name) if name is not None else None


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@workspace_option
def backup(file: Path, workspace: str) -> None:
    """Write the whole workspace into one new file, while the studio runs.

    It contains everything saved before the command began, including personal details and password hashes:
    protect it like the server. If pictures or recordings are missing, it is made without them, and the
    command names them and fails.

    \b
    folkways studio backup /var/backups/folkways/$(date +%F).zip
    """
    from folkways_studio.database.backups import back_up

    with opened(workspace) as database:
        made = back_up(database, file)
    click.echo(f"wrote {file}: {made}")
    if made.problems:
        lines = [f"  {each}" for each in made.problems[:MOST_LINES]]
        rest = [f"  and {len(made.problems) - len(lines)} more"] * (len(made.problems) > len(lines))
        raise FolkwaysError(
            f"{file} was made, but some pictures or recordings could not be read:\n"
            + "\n".join((*lines, *rest))
        )


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
    from folkways.sdk.display import plural
    from folkways_studio.database.backups import SCHEMA, put_back, unpacked

    with unpacked(file) as (description, source), opened(workspace, create=True) as database:
        left = put_back(description, source, database, replace=replace)
        click.echo(f"restored {file} into {database.location}: {with_fields(description, schema=SCHEMA)}")
        if left:
            click.echo(
                f"note: {plural(len(left), 'picture or recording', 'pictures and recordings')} of what was "
                "replaced are still stored, because other workspaces may have them too or they cannot "
                "be deleted; delete those that no workspace has:",
                err=True,
            )
            click.echo("\n".join(f"  {each}" for each in left), err=True)
        if description.bucket:
            click.echo(
                f"note: start the studio with FOLKWAYS_MEDIA={description.bucket}, or copy its files",
                err=True,
            )


@click.command("log")
@click.argument("study", required=False, metavar="[STUDY]")
@click.option("--limit", type=WholeNumber(min=1), default=100, help="How many events, the newest.")
@workspace_option
def show_log(study: str | None, limit: int, workspace: str) -> None:
    """Print who did what and when in a study, newest first.

    Without STUDY, print what belongs to no study: accounts, failed sign-ins, tokens for all studies of an
    account, restored backups, and the log of studies that were deleted. Times are UTC.
    """
    from folkways_studio.database import audit
    from folkways_studio.people.actors import actors_of

    with opened(workspace) as database:
        events = audit.events(database, _study(database, study), limit=limit)
        actors = actors_of(database, events)
        for event in events:
            person = actors.pseudonyms.get(event.participant_id or 0, "")
            about = actors.subject(event) or (person if event.account_id else "")
            details = ", ".join(f"{name}: {value}" for name, value in event.details.items() if value)
            at = datetime.fromtimestamp(event.at, UTC).isoformat(" ", "seconds").removesuffix("+00:00")
            who = actors.login(event.account_id) or person or "-"
            click.echo("  ".join((at, who, event.kind, about, details)).rstrip())


COMMANDS = (disable_account, make_token, list_tokens, revoke_token, show_log, backup, restore_backup)
