"""Renders templates: everything escaped, control characters made visible, in the reader's language and
direction."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from babel.units import format_unit
from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined, pass_context
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.runtime import Context
from markupsafe import Markup, escape

from folkways import __version__
from folkways.sdk.cultures import languages
from folkways.sdk.display import count, duration, letters_of, number, percent, sanitize, shorten
from folkways_studio.errors import Message
from folkways_studio.items.table import in_words
from folkways_studio.stages.adapting import untag
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.web.rendering.i18n import (
    DEFAULT,
    LOCALES,
    catalogue,
    direction,
    endonyms,
    language_name,
    note_draft,
    take_drafts,
    term,
)

SUBJECTS = ("exports", "items", "people", "programs", "stages", "studies", "work")
"""Packages with their own templates: ``items/item.html.j2`` is ``item.html.j2`` in the folder ``templates``
of ``items``."""

FLASH_MESSAGES: Mapping[str, str] = {
    "saved": Message("Saved."),
    "answered": Message("Your answer has been saved."),
    "answered-before": Message(
        "You had answered this before, perhaps in another window. Your first answer stands."
    ),
    "corrected": Message("Your correction has been saved."),
    "given-back": Message("Given back. Somebody else will be asked."),
    "signed-out": Message("You have signed out."),
    "signed-out-everywhere": Message("All your other devices have been signed out."),
    "password-changed": Message("Your password has been changed. Sign in with the new one."),
    "study-made": Message("The study has been made. Nobody can work on it until you open it."),
    "study-open": Message("The study is open: people who have been invited can work on it."),
    "study-paused": Message(
        "The study is paused: nobody is given new work; what people are writing is kept."
    ),
    "study-deleted": Message("The study has been deleted."),
    "study-closed": Message("The study is closed."),
    "revoked": Message("The invitation lets nobody in any more."),
    "role-given": Message("The role has been given."),
    "role-taken": Message("The role has been taken away."),
    "waived": Message("The person has been let in."),
    "redacted": Message(
        "The words have been redacted. What has left the studio before cannot be called back."
    ),
    "comment-added": Message("Your comment has been added."),
    "comment-deleted": Message("Your comment has been deleted."),
    "settled": Message("Your decision has been saved."),
    "gold-made": Message("People are asked this now, and their answers are compared with the known one."),
    "imported": Message("The items have been imported."),
    "erased": Message("Personal details have been deleted."),
    "withdrawn": Message("You have left the study. Nothing you wrote will be used."),
}
"""What a page says once, after an action on the page before. The browser gets only the key."""

UNITS = {"s": "second", "min": "minute", "h": "hour"}
"""Units of durations, as CLDR calls them."""

STATIC = files("folkways_studio.web") / "static"


@cache
def fingerprint(name: str) -> str:
    """Eight digits of the hash of a static file: a new version gets a new address, so browsers may cache it
    for ever."""
    return sha256((STATIC / name).read_bytes()).hexdigest()[:8]


def static(name: str) -> str:
    """The address of a static file."""
    return f"/static/{name}?v={fingerprint(name)}"


def exact(text: str) -> Markup:
    """Text escaped but otherwise unchanged, for places where offsets are counted in it."""
    return escape(text)


def marked(text: str, spans: Sequence[Sequence[Any]]) -> Markup:
    """Text with ``spans`` in ``mark`` elements. Each begins with its start and end (code points, end
    exclusive); they are sorted and do not overlap."""
    parts: list[Markup] = []
    at = 0
    for start, end, *_ in spans:
        parts += [
            escape(sanitize(text[at:start])),
            Markup("<mark>"),
            escape(sanitize(text[start:end])),
            Markup("</mark>"),
        ]
        at = end
    return Markup("").join([*parts, escape(sanitize(text[at:]))])


def tagged(text: str, width: int | None = None) -> Markup | str:
    """Text with ``mark`` elements instead of its ``<CSI>`` tags; other text unchanged.
    width: as in ``shorten``."""
    plain, spans = untag(text)
    short = plain if width is None else shorten(plain, width)
    return marked(short, [(start, end) for start, end in spans if end <= len(short)]) if spans else short


@pass_context
def filled(context: Context, kind: Any, values: Mapping[str, Any]) -> Markup:
    """The part of a page for a stage of this kind, rendered with ``values`` on top of the page's own."""
    template = context.environment.get_template(kind.form_template)
    return Markup(template.render({**context.get_all(), **values}))  # noqa: S704 - a template


def day(moment: float | None, zone: str = " UTC") -> str:
    """Seconds since the epoch as date and time in UTC, in the same order in every script; empty for None.
    zone: what follows; "" where the page says the zone once."""
    if moment is None:
        return ""
    return _from_left(f"{datetime.datetime.fromtimestamp(moment, datetime.UTC):%Y-%m-%d %H:%M}{zone}")


def _from_left(text: str) -> Markup:
    """Our numbers and units, which would swap places between right-to-left words."""
    return Markup('<bdi dir="ltr">{}</bdi>').format(text)


@pass_context
def lasted(context: Context, seconds: float) -> Markup:
    """A duration, such as ``3 min 20 s``, with the units of the reader's language."""
    locale, parts = str(context.environment.globals["locale"]), duration(seconds).split(" ")
    if locale == DEFAULT:
        return _from_left(" ".join(parts))
    words = [
        format_unit(float(part), UNITS[unit], "short", "0.0" if "." in part else None, locale=locale)
        for part, unit in zip(parts[::2], parts[1::2], strict=True)
    ]
    return Markup('<bdi dir="{}">{}</bdi>').format(direction(locale), " ".join(words))


def endonym(code: str) -> str:
    """A language's name for itself, for lists."""
    return languages()[code].endonym if code in languages() else code


@pass_context
def _language(context: Context, code: str) -> str:
    return language_name(code, str(context.environment.globals["locale"]))


@pass_context
def _term(context: Context, text: str) -> str:
    return term(text, str(context.environment.globals["locale"]))


def _finalize(value: Any) -> Any:
    """Make invisible and direction-changing characters visible in everything a template prints."""
    return sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _with_finalized(translated: Callable[..., Any]) -> Callable[..., Any]:
    """A function of gettext whose values are printed as those outside of sentences are."""

    @pass_context
    def call(context: Context, *texts: Any, **values: Any) -> Any:
        return translated(context, *texts, **{name: _finalize(value) for name, value in values.items()})

    return call


HAN_HANGUL = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
HAN_HANGUL_PLACE = Markup("<!-- fonts of Han and Hangul -->")
DRAFT_PLACE = Markup("<!-- draft -->")
FOOT = '<footer class="foot">'


class _TemplateCache(BytecodeCache):
    """Compiled templates, shared by all languages: what a language says is asked when a page is rendered."""

    def __init__(self) -> None:
        self.code: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.code[bucket.key, bucket.checksum] = bucket.code


COMPILED = _TemplateCache()


@cache
def environment(locale: str) -> Environment:
    """The templates in one language of the interface."""
    templates = Environment(
        loader=ChoiceLoader(
            [
                PrefixLoader({name: PackageLoader(f"folkways_studio.{name}") for name in SUBJECTS}),
                PackageLoader("folkways_studio.web"),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        auto_reload=False,
        bytecode_cache=COMPILED,
    )
    templates.install_gettext_translations(catalogue(locale), newstyle=True)  # type: ignore[attr-defined]
    gettexts: dict[str, Any] = templates.globals
    gettexts.update({name: _with_finalized(gettexts[name]) for name in ("gettext", "ngettext")})
    templates.filters.update(
        number=number, count=count, percent=percent, duration=lasted, shorten=shorten, exact=exact,
        marked=marked, tagged=tagged, day=day, language=_language,
        endonym=endonym, letters=letters_of, direction=direction, term=_term,
        in_words=in_words, in_digits=in_digits,
    )  # fmt: skip
    templates.globals.update(
        static=static, locale=locale, direction=direction(locale),
        locales={name: endonyms()[name] for name in LOCALES}, version=__version__, zip=zip, filled=filled,
        han_hangul=HAN_HANGUL_PLACE, draft_mark=DRAFT_PLACE, note_draft=note_draft,
    )  # fmt: skip
    return templates


def render(template: str, locale: str, context: Mapping[str, Any]) -> str:
    """One page. The many font slices of Han and Hangul are loaded only if such letters appear above the
    footer, and the footer says so if an unchecked translation is used."""
    html = environment(locale).get_template(template).render(context)
    end = html.rfind(FOOT)
    needed = HAN_HANGUL.search(html, 0, end if end >= 0 else len(html))
    link = f'<link rel="stylesheet" href="{static("fonts/han-hangul.css")}">' if needed else ""
    mark = environment(locale).get_template("draft.html.j2").render() if take_drafts() else ""
    take_drafts()  # those of the mark
    return html.replace(HAN_HANGUL_PLACE, link).replace(DRAFT_PLACE, mark)
