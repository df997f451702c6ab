"""``folkways studio locale``: people check translations of the studio's pages in a study, and the results
come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.sdk.cli import CommandGroup, out_option
from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways_studio.cli.places import open_study_client, place_options

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

CATALOGUE = click.argument("catalogue", metavar="LANGUAGE|FILE.po")


@click.group("locale", cls=CommandGroup)
def command() -> None:
    """Have people check the translation of the studio's own pages, in a study of the template
    `interface-translation`."""


def _opened(catalogue: str) -> tuple[Path, Catalog]:
    from folkways_studio.translation.catalogues import read_catalogue
    from folkways_studio.web.rendering.i18n import DEFAULT, LOCALES, po_path

    path = po_path(catalogue) if catalogue in LOCALES else Path(catalogue)
    if catalogue == DEFAULT or (path.suffix != ".po" and not path.exists()):
        raise UnknownNameError("language", catalogue, [each for each in LOCALES if each != DEFAULT])
    if not path.is_file():
        hint = (
            "an installed package has none: name the studio.po of a checkout of the repository"
            if catalogue in LOCALES
            else ""
        )
        raise FolkwaysError(f"there is no file {path}" + (f"; {hint}" if hint else ""))
    try:
        catalog = read_catalogue(path)
    except ValueError as error:
        raise FolkwaysError(str(error)) from error
    if catalog.locale is None:
        raise FolkwaysError(f"{path} does not say which language it is in; its header needs a line Language")
    return path, catalog


@command.command("items")
@CATALOGUE
@click.option("--answering", is_flag=True, help="Only texts that people who answer are shown.")
@out_option("Where the items go (.jsonl)", "items.jsonl", required=True)
def items(catalogue: str, answering: bool, out: Path) -> None:
    """Write the unchecked translations into a language as items of a study, each with its English and where
    it is shown; a plural form with numbers that it is used with. Import them into the stage `check`."""
    from folkways.sdk.cli import file_at
    from folkways.sdk.display import plural
    from folkways.sdk.files import write_bytes
    from folkways_studio.translation.checking import study_items
    from folkways_studio.translation.strings import appearances, template

    target = file_at(out, "items.jsonl", (".jsonl",))
    path, catalog = _opened(catalogue)
    rows = study_items(catalog, appearances(template()), answering=answering)
    if not rows:
        raise FolkwaysError(f"nothing in {path} is left to check")
    write_bytes(target, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    click.echo(f"wrote {plural(len(rows), 'text')} to {target}")


def _names(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    names = dict(each.partition("=")[::2] for each in given)
    invalid = [
        code for code, name in names.items() if not name.strip() or "," in name or not name.isprintable()
    ]
    if invalid:
        raise click.BadParameter(f"{invalid[0]}: write PSEUDONYM=NAME, and no comma in a name")
    return {code: name.strip() for code, name in names.items()}


@command.command("apply")
@click.argument("study")
@CATALOGUE
@click.option("--name", "names", multiple=True, metavar="PSEUDONYM=NAME", callback=_names,
              help="Credit this person by a name, as they asked for; others by pseudonym.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@place_options
def apply(
    study: str, catalogue: str, names: dict[str, str], dry_run: bool, workspace: str, server: str | None
) -> None:
    """Bring a study's decisions back into a catalogue, with who checked them. Undecided and unclear texts
    stay drafts; so do texts that have changed since people saw them, and wordings without the placeholders of
    the original."""
    from folkways.sdk.display import plural
    from folkways.sdk.files import write_bytes
    from folkways_studio.translation.catalogues import po_bytes
    from folkways_studio.translation.checking import bring_back

    path, catalog = _opened(catalogue)
    with open_study_client(workspace, server) as client:
        files = client.export(study, "jsonl")
    tables = {
        name: [json.loads(line) for line in files[f"{name}.jsonl"].splitlines()]
        for name in ("items", "judgements")
    }
    unknown = sorted({*names} - {row["participant"] for row in tables["judgements"]})
    if unknown:
        raise UnknownNameError(
            "participant", unknown[0], sorted({row["participant"] for row in tables["judgements"]})
        )
    outcome = bring_back(catalog, tables["items"], tables["judgements"], names)
    if not dry_run:
        write_bytes(path, po_bytes(catalog))
    click.echo(
        f"{path}: {plural(len(outcome.accepted), 'text')} accepted, {len(outcome.reworded)} reworded, "
        f"{len(outcome.unclear)} unclear, {len(outcome.open)} not settled"
        + (" (nothing was written)" if dry_run else "")
    )
    for key, remark in outcome.unclear.items():
        click.echo(f"  {key} is unclear" + (f": {remark}" if remark else ""))
    for key, reason in outcome.refused.items():
        click.echo(f"  {key} is left as it was: its new wording {reason}", err=True)
    for key in outcome.stale:
        click.echo(f"  {key} is left as it was: it has changed since people saw it", err=True)
    if outcome.absent:
        click.echo(
            f"{plural(len(outcome.absent), 'item')} of the study are in the catalogue no more", err=True
        )
