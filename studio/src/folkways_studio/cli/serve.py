"""``folkways studio``: the web server, and commands for studies, accounts and invitations."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.sdk.cli import DEFAULT_WORKSPACE, CommandGroup, Number, WholeNumber, workspace_option
from folkways.sdk.errors import FolkwaysError
from folkways_studio.cli import administration, prolific, study_data, translations
from folkways_studio.cli.places import open_study_client, opened, place_options, with_study_client

if TYPE_CHECKING:
    from folkways.sdk.workspace import Workspace
    from folkways_studio.cli.places import StudyClient
    from folkways_studio.models.offered import OfferedModel
    from folkways_studio.people.single_sign_on import SingleSignOn

PASSWORD_VARIABLE = "FOLKWAYS_STUDIO_PASSWORD"  # noqa: S105 - the name of a variable, not a password
MODELS_VARIABLE = "FOLKWAYS_STUDIO_MODELS"
STATES = {"open": "open", "pause": "paused", "close": "closed"}


@click.group("studio", cls=CommandGroup, invoke_without_command=True, context_settings={"show_default": True})
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on.")
@click.option("--port", type=WholeNumber(0, 65535), default=8765, help="Port; 0 for any free one.")
@click.option(
    "--workers",
    type=WholeNumber(1, 64),
    default=1,
    help="Processes that answer; more than one for a workspace on PostgreSQL with many people.",
)
@click.option(
    "--origin",
    metavar="URL",
    help="Address that people's browsers see, behind a server with a certificate; it may end in a path.",
)
@click.option(
    "--proxies",
    envvar="FORWARDED_ALLOW_IPS",
    default="",
    show_default=False,
    metavar="ADDRESS[,ADDRESS]",
    help="The servers in front, such as 127.0.0.1: where they say that a request came from is believed.",
)
@click.option("--models", type=click.Path(path_type=Path), envvar=MODELS_VARIABLE, metavar="FILE.toml",
              help="The models that studies may choose from; without it they ask none.")  # fmt: skip
@click.option("--sso", type=click.Path(path_type=Path), envvar="FOLKWAYS_STUDIO_SSO", metavar="FILE.toml",
              help="The OpenID Connect provider through which people may sign in.")  # fmt: skip
@click.option(
    "--private-webhooks",
    is_flag=True,
    help="Let webhooks call addresses of this server's own network, without TLS.",
)
@click.option("--workspace", "-w", default=DEFAULT_WORKSPACE, envvar="FOLKWAYS_WORKSPACE",
              metavar="PATH|URL", help="SQLite file, or postgresql://user@host/database.")  # fmt: skip
@click.pass_context
def command(
    context: click.Context,
    host: str,
    port: int,
    workers: int,
    origin: str | None,
    proxies: str,
    models: Path | None,
    sso: Path | None,
    private_webhooks: bool,
    workspace: str,
) -> None:
    """The web application in which people write, answer, verify and judge. Without a command, start it.

    \b
    folkways studio create-study verification --owner me@example.org --open
    folkways studio import verification verify questions.csv --population united-kingdom
    folkways studio invite verification --population united-kingdom
    folkways studio
    folkways studio export verification --out votes/
    folkways build easy --votes votes/ --out mine/
    """
    if context.invoked_subcommand is not None:
        return
    from folkways_studio.web.serving import serve
    from folkways_studio.web.settings import WebSettings

    offered = _offered(models)
    provider = _single_sign_on(sso) if sso is not None else None
    named = tuple(each.strip() for each in proxies.split(",") if each.strip())
    settings = WebSettings(
        origin=origin,
        proxies=named,
        models=offered,
        private_webhooks=private_webhooks,
        single_sign_on=provider,
    )
    if settings.secure and not named:
        click.echo(
            "note: no server in front is named (--proxies 127.0.0.1): everybody counts as coming from one "
            "address",
            err=True,
        )
    with opened(workspace, create=True) as database:
        _try_media(database)
        message = "The studio is at {} (Ctrl-C stops it)"
        serve(
            database,
            host=host,
            port=port,
            workers=workers,
            settings=settings,
            ready=lambda at: click.echo(message.format(at)),
        )


def _offered(file: Path | None) -> dict[str, OfferedModel]:
    """The models of the list; none without one. Notes models that cannot be asked, for example without a
    key."""
    from folkways_studio.models.offered import load_offered, open_offered

    models = load_offered(file) if file is not None else {}
    for name, each in models.items():
        try:
            open_offered(each, timeout=1.0)
        except FolkwaysError as error:
            click.echo(f"note: the model {name} cannot be asked: {error}", err=True)
    return models


def _single_sign_on(file: Path) -> SingleSignOn:
    """The provider that a file describes; FolkwaysError if nobody could sign in through it."""
    from folkways_studio.people.openid import OpenIdProvider
    from folkways_studio.people.single_sign_on import load_single_sign_on

    described = load_single_sign_on(file)
    OpenIdProvider(described)  # fail here, before the worker processes start
    return described


def _try_media(workspace: Workspace) -> None:
    """Note why pictures and recordings cannot be stored in the configured place; a study may need none."""
    from folkways_studio.media.stores import PLACE_VARIABLE, MediaStoreError, media_store

    if os.environ.get(PLACE_VARIABLE):
        try:
            media_store(workspace).check()
        except MediaStoreError as error:
            click.echo(f"note: {error}", err=True)


@command.command("create-study")
@click.argument("template", metavar="TEMPLATE|FILE.yaml")
@click.option(
    "--owner",
    metavar="LOGIN",
    help="Whose study it is; a new login becomes an account. On a server, the token says it.",
)
@click.option(
    "--name", metavar="NAME", help="Short name instead of the template's: letters, digits, hyphens."
)
@click.option("--title", metavar="TEXT", help="Title that people see.")
@click.option("--open", "at_once", is_flag=True, help="Open it for work at once.")
@click.option("--models", type=click.Path(path_type=Path), envvar=MODELS_VARIABLE, metavar="FILE.toml",
              help="The models of the server, to check that it has those of the study.")  # fmt: skip
@place_options
def create_study(
    template: str,
    owner: str | None,
    name: str | None,
    title: str | None,
    at_once: bool,
    models: Path | None,
    workspace: str,
    server: str | None,
) -> None:
    """Make a study from a template, or from a file of your own.

    \b
    folkways studio template verification > mine.yaml      # to begin with
    folkways studio check mine.yaml
    folkways studio create-study mine.yaml --owner me@example.org
    """
    from folkways_studio.models import modelling
    from folkways_studio.records import StudyState
    from folkways_studio.studies import service as studies
    from folkways_studio.workflows.definition import load_definition, read_definition, read_description
    from folkways_studio.workflows.templates import template_text
    from folkways_studio.workflows.yaml_text import parse_yaml, with_settings

    if template.endswith((".yaml", ".yml")):
        text, definition = read_description(Path(template)), load_definition(Path(template))
    else:
        text = template_text(template)
        definition = read_definition(parse_yaml(text), f"template {template}")
    changes = {key: value for key, value in (("name", name), ("title", title)) if value is not None}
    if changes:
        definition = read_definition({**definition.raw, **changes}, template)
        text = with_settings(text, definition.raw)
    made = f"with the stages {', '.join(each.name for each in definition.stages)}"
    if server is not None:
        from folkways_studio.clients.remote import RemoteStudyClient

        if owner is not None:
            raise FolkwaysError(
                "on a server, the study is of the account that the token is of; leave --owner out"
            )
        client = RemoteStudyClient(server)
        there = client.create(definition.raw)
        state = client.set_state(there["name"], StudyState.OPEN) if at_once else there["state"]
        click.echo(f"made the study {there['name']} ({state}) {made}")
        return
    if owner is None:
        raise FolkwaysError("say whose study it is: --owner LOGIN; a new login becomes an account")
    with opened(workspace, create=True) as database:
        study = studies.create_study(database, definition, owner=_account(database, owner), text=text)
        if at_once:
            study = studies.set_state(database, study.id, StudyState.OPEN)
        click.echo(f"made the study {study.name} ({study.state}) {made}")
        for missing in modelling.not_offered(study, _offered(models)):
            click.echo(
                f"note: the study asks the model {missing}: start the server with a list that has it "
                "(--models FILE)",
                err=True,
            )


def _account(database: Workspace, login: str) -> int:
    """The id of an account, made if needed with a password from the environment or a prompt."""
    from folkways_studio.people import accounts

    account = accounts.find_account(database, login)
    if account is not None:
        return account.id
    password = os.environ.get(PASSWORD_VARIABLE)
    if password is None:
        if not sys.stdin.isatty():
            raise FolkwaysError(
                f"there is no account {login}, and nobody to ask for its password; set {PASSWORD_VARIABLE}"
            )
        password = click.prompt(
            f"A password for the new account {login}", hide_input=True, confirmation_prompt=True
        )
    return accounts.create_account(database, login, password).id


@command.command("account")
@click.argument("login")
@click.option("--study", metavar="STUDY", help="Let the account work on this study,")
@click.option("--role", type=click.Choice(["owner", "researcher", "reviewer", "expert"]), default="reviewer",
              help="in this role.")  # fmt: skip
@place_options
def account(login: str, study: str | None, role: str, workspace: str, server: str | None) -> None:
    """Make an account, or give one a role in a study. The password is asked for, or taken from
    FOLKWAYS_STUDIO_PASSWORD.

    On a server, accounts that are there are given roles; new people come by an invitation.
    """
    from folkways_studio.clients.local import study_id
    from folkways_studio.people import participants
    from folkways_studio.records import Role

    if server is not None:
        from folkways_studio.clients.remote import RemoteStudyClient

        if study is None:
            raise FolkwaysError(
                "accounts are not made from elsewhere; invite people: folkways studio invite STUDY --role "
                "researcher"
            )
        RemoteStudyClient(server).give_role(study, login, role)
        click.echo(f"{login} is {role} of {study}")
        return
    with opened(workspace, create=study is None) as database:
        there = study_id(database, study) if study is not None else None
        number = _account(database, login)
        if there is not None:
            participants.add_staff(database, there, number, Role(role))
            click.echo(f"{login} is {role} of {study}")
        else:
            click.echo(f"{login} has an account")


@command.command("template")
@click.argument("name", required=False, metavar="[TEMPLATE]")
def template(name: str | None) -> None:
    """Print a template as a file to start from; without a name, list the templates."""
    from folkways_studio.workflows.templates import TEMPLATES, template_text

    if name is not None:
        click.echo(template_text(name), nl=False)
        return
    width = max(map(len, TEMPLATES))
    for each, (_, about) in TEMPLATES.items():
        click.echo(f"{each:{width}}  {about}")


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.yaml")
def check(file: Path) -> None:
    """Check the file that describes a study. Every mistake is listed, with its place."""
    from folkways_studio.workflows.definition import load_definition

    definition = load_definition(file)
    click.echo(f"{file} describes the study {definition.name}: {definition.title}")
    for population in definition.populations:
        part = f", part of {population.part_of}" if population.part_of else ""
        click.echo(f"  population {population.name}: {population.culture}, in {population.language}{part}")
    for stage in definition.stages:
        onward = "".join(f"; {branch} -> {target}" for branch, target in stage.config["next"].items())
        click.echo(
            f"  stage {stage.name}: {stage.kind} by {stage.role}s, {stage.config['answers']} per item{onward}"
        )


@command.command("edit")
@click.argument("study")
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE.yaml]")
@workspace_option
def edit(study: str, file: Path | None, workspace: str) -> None:
    """Change a study by a new description, as far as people have not met what is changed. Without a file,
    print the one it has.

    \b
    folkways studio edit verification > mine.yaml
    folkways studio edit verification mine.yaml
    """
    from folkways_studio.clients.local import study_id
    from folkways_studio.studies import descriptions
    from folkways_studio.studies import service as studies
    from folkways_studio.workflows.definition import read_description

    with opened(workspace) as database:
        record = studies.get_study(database, study_id(database, study))
        if file is None:
            click.echo(descriptions.description_of(database, record), nl=False)
            return
        changes = descriptions.edit_study(database, record.id, read_description(file), file=file)
        for change in changes:
            click.echo(change)
        if not changes:
            click.echo(f"nothing of {study} has changed but the text")


@command.command("studies")
@place_options
def list_studies(workspace: str, server: str | None) -> None:
    """List the studies of a workspace or server, newest first."""
    with open_study_client(workspace, server) as client:
        rows = client.studies()
        for study in rows:
            click.echo(f"{study['name']}  {study['state']}  {study['workflow']}  {study['title']}")
        if not rows:
            source = server or workspace
            click.echo(
                f"{source} has no studies yet; make one with: folkways studio create-study verification "
                "--owner LOGIN"
            )


@command.command("set")
@click.argument("study")
@click.argument("action", type=click.Choice(list(STATES)))
@with_study_client
def set_state(client: StudyClient, study: str, action: str) -> None:
    """Open, pause or close a study. A paused study gives out no more work, but people may still submit what
    they have begun."""
    click.echo(f"{study} is {client.set_state(study, STATES[action])}")


@command.command("invite")
@click.argument("study")
@click.option("--role", type=click.Choice(["annotator", "reviewer", "expert", "researcher"]),
              default="annotator", help="What these people may do.")  # fmt: skip
@click.option("--population", metavar="NAME", help="Where annotators come from.")
@click.option(
    "--uses", type=WholeNumber(min=1, max=100_000), help="How many people may use it; by default any number."
)
@click.option("--days", type=Number(min=0.01, max=365), default=30, help="How long it is valid.")
@click.option("--address", default="http://127.0.0.1:8765", metavar="URL", help="Where the studio is.")
@with_study_client
def invite(
    client: StudyClient,
    study: str,
    role: str,
    population: str | None,
    uses: int | None,
    days: float,
    address: str,
) -> None:
    """Make a link that lets people into a study. It is shown only once, here."""
    link = client.invite(study, role, population, uses, days, "made in a terminal")
    click.echo(link if "://" in link else f"{address.rstrip('/')}{link}")


@command.command("reset-password")
@click.argument("login")
@click.option("--hours", type=Number(min=0.01, max=24 * 365), default=24, help="How long the link works.")
@click.option("--address", default="http://127.0.0.1:8765", metavar="URL", help="Where the studio is.")
@workspace_option
def reset_password(login: str, hours: float, address: str, workspace: str) -> None:
    """Make a link by which somebody chooses a new password, once. It is shown only here; links made before
    work no more."""
    from folkways_studio.people import password_links

    with opened(workspace) as database:
        account = administration.account_with(database, login)
        token = password_links.make_link(database, account.id, hours=hours)
        click.echo(f"{address.rstrip('/')}/password/{token}")


for each in (*administration.COMMANDS, *study_data.COMMANDS, prolific.command, translations.command):
    command.add_command(each)
