"""Making a study: choose a template, say which cultures, look over the description, done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import combining, normalize

from babel import Locale
from starlette.responses import Response

from folkways.sdk.cultures import Culture, cultures
from folkways.sdk.errors import DataError, UnknownNameError
from folkways_studio.errors import ConflictError, Message, NotAllowedError, NotFoundError
from folkways_studio.items.reading import content_of
from folkways_studio.models.modelling import PURPOSES, check_offered
from folkways_studio.people.participation import may_make_studies
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.rendering.i18n import DEFAULT, LOCALES, catalogue
from folkways_studio.web.request_context import SIGNED_IN, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.templates import PAPERS, TEMPLATES, template, template_text
from folkways_studio.workflows.wordings import StudyTexts, wordings
from folkways_studio.workflows.yaml_text import LONGEST, parse_yaml, with_settings

routes = Routes()

HOME = Message("In which country or region did you mainly live before you were 18?")
ANOTHER = Message("Another one")

REGIONS = {
    "North America": "021",
    "South America": "419",  # with Mexico, Central America and the Caribbean
    "East Europe": "151",
    "South Europe": "039",
    "West Europe": "155",
    "Africa": "002",
    "Middle East/West Asia": "145",
    "South Asia": "034",
    "Southeast Asia": "035",
    "East Asia": "030",
    "Oceania": "009",
}
"""Region of a culture -> the code under which CLDR names it in every language."""


def _may_make(context: RequestContext) -> None:
    """Refuse people who came by somebody's invitation: a study asks models with the server's keys."""
    if not may_make_studies(context.workspace, context.me):
        raise NotAllowedError(
            context.gettext("Studies are made by those who run one already; ask whoever runs this server.")
        )


@routes.get("/studies/new", SIGNED_IN)
def choose_template(context: RequestContext) -> Response:
    """The templates, and a name for the study."""
    _may_make(context)
    return _choose(context, {})


def _choose(context: RequestContext, problems: Mapping[str, str], status: int = 200) -> Response:
    templates = [
        (name, title.words(context.gettext), about.words(context.gettext))
        for name, (title, about) in TEMPLATES.items()
    ]
    territories = Locale.parse(context.locale).territories
    regions: dict[str, list[tuple[str, str]]] = {}
    for culture in cultures().values():
        if culture.region:
            region = territories.get(REGIONS[culture.region], culture.region)
            name = territories.get(culture.code, culture.name) if context.locale != DEFAULT else culture.name
            regions.setdefault(region, []).append((culture.code, name))
    begun = context.request.query_params.get("template", "")
    fields = {
        name: context.text(name) or (begun if name == "template" else "")
        for name in ("template", "name", "title", *PURPOSES)
    }
    return context.page(
        "studies/new.html.j2",
        status,
        templates=templates,
        regions=regions,
        problems=problems,
        given=fields,
        models=sorted(context.studio.settings.models),
        chosen=context.texts("culture"),
    )


@routes.get("/gallery", SIGNED_IN)
def show_gallery(context: RequestContext) -> Response:
    """The templates that are forms: what they ask, which paper each follows, and how its page looks."""
    _may_make(context)
    entries = [
        (name, *(words.words(context.gettext) for words in TEMPLATES[name]), paper)
        for name, paper in PAPERS.items()
    ]
    return context.page("studies/gallery.html.j2", entries=entries)


@routes.get("/gallery/{template}", SIGNED_IN)
def show_example(context: RequestContext) -> Response:
    """The form of a template as people would see it, with an example of an item."""
    _may_make(context)
    name = str(context.request.path_params["template"])
    if name not in PAPERS:
        raise NotFoundError(context.gettext("There is no such page."))
    definition = template(name)
    stage = definition.stages[0]
    kind = stage_kind(stage.kind)
    files = {each["field"] for each in stage.config["show"] if each["type"] != "text"}
    content = content_of(
        {column: cell for column, cell in kind.example_row(stage.config).items() if column not in files}
    )
    return context.page(
        "studies/example.html.j2",
        name=name,
        title=TEMPLATES[name][0].words(context.gettext),
        paper=PAPERS[name],
        kind=kind,
        study=definition,
        texts=StudyTexts(definition.raw, (context.locale,)),
        files=files,
        content=content,
        config=stage.config,
        draft={},
        problems={},
        language="",
        **kind.form_values(content, stage.config, {}),
    )


@routes.post("/studies/new", SIGNED_IN)
def prepare(context: RequestContext) -> Response:
    """The whole description, for looking over."""
    _may_make(context)
    name = context.text("template")
    problems = {}
    if name not in TEMPLATES:
        problems["template"] = context.gettext("Choose a template.")
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,47}", context.text("name")):
        problems["name"] = context.gettext("Small letters, digits and hyphens; a letter first.")
    if not context.text("title").strip():
        problems["title"] = context.gettext("Give the study a title.")
    if problems:
        return _choose(context, problems, 422)
    raw: dict[str, Any] = dict(parse_yaml(template_text(name)))
    raw |= {"name": context.text("name"), "title": context.text("title").strip()}
    chosen = [
        cultures()[code]
        for code in context.texts("culture")
        if code in cultures() and cultures()[code].languages
    ]
    if chosen:
        raw["populations"] = populations_of(chosen)
    models = {purpose: context.text(purpose).strip() for purpose in PURPOSES if context.text(purpose).strip()}
    if "models" in raw or models:
        raw["models"] = {**(raw.get("models") or {}), **models}
    return _description(context, with_settings(template_text(name), raw), [], unsaid=_unsaid(raw))


def populations_of(chosen: Sequence[Culture]) -> list[dict[str, Any]]:
    """One population per culture, of people who grew up there."""
    populations = []
    for culture in chosen:
        # Côte d’Ivoire is cote-d-ivoire
        letters = "".join(each for each in normalize("NFKD", culture.name.lower()) if not combining(each))
        name = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
        language = culture.languages[0]
        criterion = {
            "name": "home_before_18",
            "ask": _beside(HOME, language),
            "options": [_named(culture, language), _beside(ANOTHER, language)],
            "accept": [culture.name],
        }
        entry = {"name": name, "title": culture.name, "culture": culture.code, "language": language}
        populations.append({**entry, "criteria": [criterion]})
    return populations


def _beside(text: Message, language: str) -> str | dict[str, str]:
    """A text of ours in English and, where we have it, in another language."""
    translation = catalogue(language).gettext(text) if language in LOCALES else text
    return str(text) if translation == text else {DEFAULT: str(text), language: translation}


def _named(culture: Culture, language: str) -> str | dict[str, str]:
    """A culture's name in English and, where CLDR has it, in another language."""
    name = Locale.parse(language).territories.get(culture.code) if language in LOCALES else None
    return culture.name if name in (None, culture.name) else {DEFAULT: culture.name, language: name}


def _unsaid(raw: Mapping[str, Any]) -> list[str]:
    """The languages of populations in which people read no consent."""
    consents = {each.language for each in wordings(raw["consent"], raw.get("language"))}
    return [
        each
        for each in dict.fromkeys(each["language"] for each in raw["populations"])
        if each not in consents
    ]


@routes.post("/studies/make", SIGNED_IN)
def make(context: RequestContext) -> Response:
    """Check the description and make the study; every mistake is named with its place."""
    _may_make(context)
    text = context.text("description")
    if len(text) > LONGEST:
        return _description(context, text[:LONGEST], [context.gettext("The description is too long.")], 422)
    try:
        definition = read_definition(parse_yaml(text))
        check_offered(definition.raw, context.studio.settings.models)
        study = studies.create_study(context.workspace, definition, owner=context.me.id, text=text)
    except DefinitionError as error:
        return _description(context, text, list(error.problems), 422)
    except (DataError, ConflictError, UnknownNameError) as error:
        return _description(context, text, [str(error)], 422)
    return context.go(f"/studies/{study.name}", "study-made")


def _description(
    context: RequestContext,
    text: str,
    problems: Sequence[str],
    status: int = 200,
    *,
    unsaid: Sequence[str] = (),
) -> Response:
    return context.page("studies/description.html.j2", status, text=text, problems=problems, unsaid=unsaid)
