"""Renders templates: everything escaped, control characters written out, in the reader's language and
direction."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from folkways import __version__
from folkways.sdk.cultures import languages
from folkways.sdk.display import count, duration, letters_of, number, percent, sanitize, shorten
from folkways_studio.stages.adapting import untag
from folkways_studio.web.rendering.i18n import (
    LOCALES,
    catalogue,
    direction,
    endonyms,
    language_name,
    take_drafts,
    term,
)

SUBJECTS = ("exports", "items", "people", "programs", "stages", "studies", "work")
"""Packages with templates of their own: ``items/item.html.j2`` is ``item.html.j2`` in the folder
``templates`` of ``items``."""

STATIC = files("folkways_studio.web") / "static"


@cache
def fingerprint(name: str) -> str:
    """Eight digits of a static file's content: a new version has a new address, and an old one may be kept
    for ever."""
    return sha256((STATIC / name).read_bytes()).hexdigest()[:8]


def static(name: str) -> str:
    """The address of a static file."""
    return f"/static/{name}?v={fingerprint(name)}"


def exact(text: str) -> Markup:
    """Text escaped but otherwise as it is stored, where offsets are counted in it."""
    return escape(text)


def marked(text: str, spans: list[tuple[int, int]]) -> Markup:
    """Text with the stretches ``spans`` (code points, end exclusive, in order, apart from one another) in
    ``mark`` elements."""
    parts: list[Markup] = []
    at = 0
    for start, end in spans:
        parts += [
            escape(sanitize(text[at:start])),
            Markup("<mark>"),
            escape(sanitize(text[start:end])),
            Markup("</mark>"),
        ]
        at = end
    return Markup("").join([*parts, escape(sanitize(text[at:]))])


def tagged(text: str, width: int | None = None) -> Markup | str:
    """Text in which ``<CSI>`` tags stand, with ``mark`` elements in their place; any other text as it is.

    width: as in ``shorten``.
    """
    plain, spans = untag(text)
    short = plain if width is None else shorten(plain, width)
    return marked(short, [(start, end) for start, end in spans if end <= len(short)]) if spans else short


@pass_context
def filled(context: Context, kind: Any, values: Mapping[str, Any]) -> Markup:
    """A stage's part of a page on which more is shown than once, with other values in it than the page
    has."""
    template = context.environment.get_template(kind.form_template)
    return Markup(template.render({**context.get_all(), **values}))  # noqa: S704 - a template


def day(moment: float | None) -> str:
    """Seconds since the epoch as a date and time in UTC, in that order in every script; empty for None."""
    if moment is None:
        return ""
    return _from_left(datetime.datetime.fromtimestamp(moment, datetime.UTC).strftime("%Y-%m-%d %H:%M"))


def _from_left(text: str) -> Markup:
    """Numbers and units of ours, which would change places between right-to-left words."""
    return Markup('<bdi dir="ltr">{}</bdi>').format(text)


def lasted(seconds: float) -> Markup:
    """A duration, such as ``3 min 20 s``."""
    return _from_left(duration(seconds))


def endonym(code: str) -> str:
    """A language in its own words, for lists to choose from."""
    return languages()[code].endonym if code in languages() else code


def _finalize(value: Any) -> Any:
    """Whatever a template prints: characters that cannot be seen, or that turn text around, are written out
    before escaping."""
    return sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


HAN_HANGUL = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
HAN_HANGUL_PLACE = Markup("<!-- fonts of Han and Hangul -->")
DRAFT_PLACE = Markup("<!-- draft -->")
FOOT = '<footer class="foot">'


@cache
def environment(locale: str) -> Environment:
    """The templates in one language of the interface."""
    made = Environment(
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
    )
    made.install_gettext_translations(catalogue(locale), newstyle=True)  # type: ignore[attr-defined]
    made.filters.update(
        number=number, count=count, percent=percent, duration=lasted, shorten=shorten, exact=exact, marked=marked, tagged=tagged,
        day=day, language=partial(language_name, locale=locale), endonym=endonym, letters=letters_of,
        direction=direction,
        term=partial(term, locale=locale),
    )  # fmt: skip
    made.globals.update(
        static=static, locale=locale, direction=direction(locale), locales={name: endonyms()[name] for name in LOCALES},
        version=__version__, zip=zip, filled=filled, han_hangul=HAN_HANGUL_PLACE, draft_mark=DRAFT_PLACE,
    )  # fmt: skip
    return made


def render(template: str, locale: str, context: Mapping[str, Any]) -> str:
    """One page. The rules of the many slices of Han and Hangul are loaded where it has such letters above its
    foot; and its foot says so where a translation is used that nobody has checked.
    """
    html = environment(locale).get_template(template).render(context)
    end = html.rfind(FOOT)
    needed = HAN_HANGUL.search(html, 0, end if end >= 0 else len(html))
    link = f'<link rel="stylesheet" href="{static("fonts/han-hangul.css")}">' if needed else ""
    mark = environment(locale).get_template("draft.html.j2").render() if take_drafts() else ""
    take_drafts()  # those of the mark
    return html.replace(HAN_HANGUL_PLACE, link).replace(DRAFT_PLACE, mark)
