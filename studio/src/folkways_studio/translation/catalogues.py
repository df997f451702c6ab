"""Message catalogues as files: what translators edit (``.po``), and what the studio reads (``.mo``).

A translation is a draft until a speaker of the language has checked it; then a comment above it names them. A
compiled file has a second entry for it, with the context CHECKED and the names instead of a translation. The
build of the package runs this file alone, so it imports nothing of folkways.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

CHECKED = "checked by"
"""Start of the comment above a checked translation, and its context in a compiled file."""

COUNTS = "checkers"
"""Context and name of an entry of a compiled file with who checked how many translations, as JSON."""

SEPARATOR = ", "

HEADER = """\
# Drafted by a language model. A comment "checked by NAME" stands above what a \
speaker of the language has checked.
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plurals}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
PLURALS = {
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 "
    ": 5)",
    **dict.fromkeys(("am", "as", "bn"), "nplurals=2; plural=(n > 1)"),
}
"""CLDR's plural rules for languages whose rule in babel's gettext table differs (for Arabic, it treats 11 to
99 as 100)."""

EPOCH = datetime.fromtimestamp(0, UTC)


def read_catalogue(path: Path, locale: str | None = None) -> Catalog:
    """A file of translations; ValueError if it cannot be read. locale: the language, if the file may lack
    it."""
    try:
        with path.open("rb") as file:
            return read_po(file, locale=locale, abort_invalid=True)
    except (ValueError, PoFileError) as error:
        raise ValueError(f"{path} is not a gettext catalogue (.po): {error}") from error


def new_catalogue(locale: str, plurals: str | None = None) -> Catalog:
    """An empty catalogue of a language. plurals: another plural rule than the language's."""
    catalog = Catalog(locale=locale, charset="utf-8", creation_date=EPOCH, revision_date=EPOCH)
    if plurals or locale in PLURALS:
        catalog.mime_headers = [("Plural-Forms", plurals or PLURALS[locale])]
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    """The catalogue as sorted text, without locations, dates and obsolete translations, which would change
    with every edit of the code."""
    buffer = io.BytesIO()
    write_po(
        buffer, catalog, width=120, sort_output=True, no_location=True, ignore_obsolete=True, omit_header=True
    )
    return HEADER.format(language=catalog.locale, plurals=catalog.plural_forms).encode() + buffer.getvalue()


def checkers(message: Message) -> list[str]:
    """Who checked a translation; nobody for a draft."""
    names = next(
        (each.removeprefix(CHECKED) for each in message.user_comments if each.startswith(CHECKED)), ""
    )
    return [name.strip() for name in names.split(SEPARATOR) if name.strip()]


def translated(message: Message, plurals: int) -> bool:
    """Whether a string is translated, in every plural form."""
    if not message.pluralizable:
        return bool(message.string)
    return (
        isinstance(message.string, (tuple, list)) and len(message.string) == plurals and all(message.string)
    )


def texts(catalog: Catalog) -> Iterator[Message]:
    """The messages, without the header."""
    return (message for message in catalog if message.id)


def mo_bytes(catalog: Catalog) -> bytes:
    """Compiled: complete translations, and who checked them."""
    compiled = new_catalogue(str(catalog.locale), catalog.plural_forms)
    people: Counter[str] = Counter()
    count = 0
    for message in texts(catalog):
        if not translated(message, catalog.num_plurals):
            continue
        compiled.add(message.id, message.string, context=message.context)
        if names := checkers(message):
            compiled.add(first(message.id), SEPARATOR.join(names), context=CHECKED)
            people.update(names)
            count += 1
    compiled.add(COUNTS, json.dumps({"count": count, "people": people}, ensure_ascii=False), context=COUNTS)
    buffer = io.BytesIO()
    write_mo(buffer, compiled)
    return buffer.getvalue()


def first(text: object) -> str:
    """A string, or the singular of one with a plural."""
    return str(text[0] if isinstance(text, (tuple, list)) else text)


def compiled(path: Path) -> bytes:
    """The compiled form of a file of translations, from its ``.mo`` file or compiled again if that is missing
    or older."""
    target = path.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return target.read_bytes()
    return compile_file(path)


def compile_file(path: Path) -> bytes:
    """Compile a file of translations and store the result as its ``.mo`` file, if the folder is writable."""
    content = mo_bytes(read_catalogue(path, path.parent.parent.name))
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return content
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(0o644)
    Path(name).replace(path.with_suffix(".mo"))
    return content


def compile_all(folder: Path) -> list[Path]:
    """Compile every catalogue below a folder and return the compiled files."""
    catalogues = sorted(folder.glob("*/LC_MESSAGES/*.po"))
    for path in catalogues:
        compile_file(path)
    return [path.with_suffix(".mo") for path in catalogues]
