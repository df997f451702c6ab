"""One request as a route sees it: who asks, in which study, with what; and who may ask at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from anyio import CapacityLimiter
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import NotAllowedError, NotFoundError
from folkways_studio.items.import_runner import ImportWorker
from folkways_studio.people import accounts, participants, participation, sessions
from folkways_studio.people.openid import OpenIdProvider
from folkways_studio.people.participation import StudyEntry
from folkways_studio.records import Account, Participant, Population, Role, Session, Study
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import service as studies
from folkways_studio.web.cached import CachedAttribute
from folkways_studio.web.prefix import with_prefix
from folkways_studio.web.rendering.compression import compressed
from folkways_studio.web.rendering.flash_messages import FLASH_MESSAGES
from folkways_studio.web.rendering.i18n import LOCALES, accepted_languages, catalogue, negotiate
from folkways_studio.web.rendering.pages import render
from folkways_studio.web.security.origin import local_address, masked, visitor_token
from folkways_studio.web.security.rates import RateLimits, WaitingPlaces
from folkways_studio.web.settings import WebSettings
from folkways_studio.work.assignments import Work, get_work
from folkways_studio.work.task_numbers import shown_number, slot_of, slots_meant
from folkways_studio.work.task_pages import TaskPage, get_task_page
from folkways_studio.workflows.wordings import StudyTexts

VISITOR_COOKIE = "folkways_visitor"
LOCALE_COOKIE = "folkways_locale"
FLASH_COOKIE = "folkways_said"
SESSION_COOKIE = "folkways_session"
SIGN_ON_COOKIE = "folkways_sign_on"
LASTS = {
    SESSION_COOKIE: int(sessions.LIFETIME_SECONDS),
    LOCALE_COOKIE: 365 * 86400,
    FLASH_COOKIE: 60,
    SIGN_ON_COOKIE: 600,
}
"""Seconds for which a cookie is kept; the others end with the browser."""

RUNS_STUDIES = frozenset({Role.OWNER, Role.RESEARCHER})


@dataclass(frozen=True)
class Studio:
    """What every request shares. waiting: places for those who wait for a model. slow: threads for their
    requests. background: does what takes longer than a request. provider: of single sign-on.
    """

    workspace: Workspace
    settings: WebSettings
    rates: RateLimits
    waiting: WaitingPlaces
    slow: CapacityLimiter
    import_worker: ImportWorker
    provider: OpenIdProvider | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a route.

    signed_in:   somebody must have signed in, or come by an invitation.
    roles:       roles of the study in the address, one of which is needed; None where the route is not for
                staff.
    participant: the account must take part in the study in the address.
    """

    signed_in: bool = True
    roles: frozenset[Role] | None = None
    participant: bool = False


ANYBODY = Access(signed_in=False)
SIGNED_IN = Access()
STAFF = Access(roles=RUNS_STUDIES)
OWNER = Access(roles=frozenset({Role.OWNER}))
ADJUDICATORS = Access(roles=RUNS_STUDIES | {Role.REVIEWER, Role.EXPERT})
PARTICIPANT = Access(participant=True)


@dataclass
class RequestContext:
    """One request. Everything that is read of the database is read once.

    form: the fields of a request that changes something; empty otherwise. cookies: to be set by the response
    (None: deleted). gone: set when the browser does not wait for a slow request any more.
    """

    studio: Studio
    request: Request
    access: Access
    form: FormData = field(default_factory=FormData)
    cookies: dict[str, str | None] = field(default_factory=dict)
    gone: Event = field(default_factory=Event)

    @property
    def workspace(self) -> Workspace:
        """The database."""
        return self.studio.workspace

    @property
    def path(self) -> str:
        """The address within the studio, without its query."""
        return self.request.url.path.removeprefix(self.studio.settings.prefix)

    @property
    def here(self) -> str:
        """The address of the page, with its query."""
        query = self.request.url.query
        return self.path if self.is_change or not query else f"{self.path}?{query}"

    @property
    def address(self) -> str:
        """Where the request came from, as far as the server knows."""
        return self.request.client.host if self.request.client else ""

    @property
    def origin(self) -> str:
        """The address under which people find this server."""
        return (self.studio.settings.origin or local_address(self.request)).rstrip("/")

    @property
    def is_change(self) -> bool:
        """Whether the request may change something."""
        return self.request.method not in ("GET", "HEAD")

    @property
    def wants_json(self) -> bool:
        """Whether a script of ours asks, and not a browser for a page."""
        return "application/json" in self.request.headers.get("accept", "")

    def cookie(self, name: str) -> str:
        """What the browser sent under that name; empty for nothing."""
        return self.request.cookies.get(self._cookie_name(name), "")

    def _cookie_name(self, name: str) -> str:
        """Over TLS, names that no unencrypted page can have set, and, where the host is the studio's own, no
        other host."""
        settings = self.studio.settings
        return f"__{'Secure' if settings.prefix else 'Host'}-{name}" if settings.secure else name

    @CachedAttribute
    def token(self) -> str:
        """The session's secret, from the cookie; empty for none."""
        return self.cookie(SESSION_COOKIE)

    @CachedAttribute
    def session(self) -> Session | None:
        """The signed-in browser."""
        if self.token and self._study_name:
            return self._entry.session if self._entry else None
        return sessions.find_session(self.workspace, self.token) if self.token else None

    @CachedAttribute
    def account(self) -> Account | None:
        """Who has signed in."""
        return self.session.account if self.session else None

    @property
    def me(self) -> Account:
        """Who has signed in, on routes that need it."""
        if self.account is None:
            raise NotAllowedError(self.gettext("Sign in first."))
        return self.account

    @CachedAttribute
    def visitor(self) -> str:
        """A random name of a browser that nobody has signed in to, for the token of its forms."""
        known = self.cookie(VISITOR_COOKIE)
        if not known:
            known = secrets.token_urlsafe(24)
            self.cookies[VISITOR_COOKIE] = known
        return known

    @CachedAttribute
    def csrf(self) -> str:
        """The token that every form of this page carries."""
        return masked(self.form_token)

    @property
    def form_token(self) -> str:
        """What the forms of this browser have to prove that they know."""
        return self.session.csrf if self.session else visitor_token(self.visitor)

    @CachedAttribute
    def locale(self) -> str:
        """The reader's language of the interface: what they chose, else what their account or browser
        says."""
        answering = self.path.startswith(("/join/", "/work")) and not self.is_staff
        return self._chosen_locale or negotiate(
            self.request.headers.get("accept-language", ""), answering=answering
        )

    @property
    def _chosen_locale(self) -> str:
        chosen = self.cookie(LOCALE_COOKIE)
        if chosen in LOCALES:
            return chosen
        if self.account is not None and self.account.login is not None and self.account.locale in LOCALES:
            return self.account.locale
        return ""

    def texts_of(self, study: Study, population: Population | None = None) -> StudyTexts:
        """A study's texts for this reader: in the language that they chose or their browser asks for, though
        the interface may not be in it, else in that of their population, else in the study's own.
        """
        asked = (
            [self._chosen_locale]
            if self._chosen_locale
            else accepted_languages(self.request.headers.get("accept-language", ""))
        )
        return StudyTexts(study.definition, (*asked, *([population.language] if population else [])))

    @property
    def population(self) -> Population | None:
        """The population that the participant belongs to; None for staff."""
        return self._entry.population if self._entry else None

    @CachedAttribute
    def study_texts(self) -> StudyTexts:
        """The texts of the study in the address, for a participant."""
        return self.texts_of(self.study, self.population)

    def gettext(self, message: str, **values: Any) -> str:
        """A string of the interface in the reader's language; ``values`` fill its ``%(name)s``."""
        translated = catalogue(self.locale).gettext(message)
        return translated % values if values else translated

    def ngettext(self, one: str, many: str, number: int) -> str:
        """A string that counts something, whose number is its ``%(num)s``."""
        return catalogue(self.locale).ngettext(one, many, number) % {"num": number}

    @property
    def owner(self) -> str:
        """Whose drafts a browser keeps: a word for the account that says nothing about the person."""
        return f"account-{self.account.id}" if self.account else ""

    @CachedAttribute
    def flash_message(self) -> str:
        """What the page before had to say, once."""
        words = self.cookie(FLASH_COOKIE)
        if not words:
            return ""
        self.cookies[FLASH_COOKIE] = None
        return self.gettext(FLASH_MESSAGES[words]) if words in FLASH_MESSAGES else ""

    @property
    def _study_name(self) -> str:
        """The study in the address; empty for none."""
        return str(self.request.path_params.get("study", ""))

    @CachedAttribute
    def _entry(self) -> StudyEntry | None:
        """Who has signed in, and what they are in the study in the address: one statement reads it all."""
        return participation.find_entry(self.workspace, self.token, self._study_name)

    @CachedAttribute
    def study(self) -> Study:
        """The study in the address; NotFoundError."""
        if self.account is None or self._entry is None:
            return studies.get_study(self.workspace, self._study_name)
        if self._entry.study is None:
            raise NotFoundError("there is no study %(name)s", name=repr(self._study_name))
        return self._entry.study

    @property
    def roles(self) -> frozenset[Role]:
        """What the account may do in the study in the address."""
        return self._entry.roles if self.account is not None and self._entry else frozenset()

    @property
    def participant(self) -> Participant:
        """The account's part in the study in the address; NotFoundError."""
        if self.study and (self._entry is None or self._entry.person is None):
            raise NotFoundError(self.gettext("There is no such study."))
        assert self._entry is not None and self._entry.person is not None  # noqa: S101 - or the study would be missing
        return self._entry.person

    def person(self, number: int | None) -> Participant:
        """A participant of the study in the address; NotFoundError for anybody else."""
        found = participants.get_participant(self.workspace, number) if number is not None else None
        if found is None or found.study_id != self.study.id:
            raise NotFoundError(self.gettext("There is no such participant."))
        return found

    @CachedAttribute
    def is_staff(self) -> bool:
        """Whether the account runs or reviews any study."""
        return self.account is not None and self.account.login is not None

    def number(self, name: str) -> int:
        """A whole number of the address; NotFoundError for anything else."""
        found = whole(self.request.path_params[name])
        if found is None:
            raise NotFoundError(self.gettext("There is no such page."))
        return found

    @CachedAttribute
    def assignment(self) -> int:
        """The slot in the address; NotFoundError for what is no number."""
        found = slot_of(self.workspace, self.participant, str(self.request.path_params["assignment"]))
        if found is None:
            raise NotFoundError(self.gettext("There is no such page."))
        return found

    @property
    def slots_meant(self) -> tuple[int, ...]:
        """The slots that the number in the address may mean: the first that is the participant's.
        NotFoundError for no number."""
        meant = slots_meant(str(self.request.path_params["assignment"]), self.participant)
        if not meant:
            raise NotFoundError(self.gettext("There is no such page."))
        return meant

    @CachedAttribute
    def work(self) -> Work:
        """What is behind the slot in the address; NotFoundError where it is not the participant's."""
        return get_work(self.workspace, self.participant.id, *self.slots_meant)

    @CachedAttribute
    def task(self) -> TaskPage:
        """What the page of the slot in the address shows; NotFoundError where it is not the participant's."""
        return get_task_page(self.workspace, self.participant, *self.slots_meant)

    def task_address(self, assignment_id: int) -> str:
        """The page of a slot of the participant's."""
        return f"/work/{self.study.name}/tasks/{shown_number(assignment_id, self.participant.pseudonym)}"

    def text(self, name: str, default: str = "") -> str:
        """A field of the form, as text."""
        value = self.form.get(name, default)
        return value if isinstance(value, str) else default

    def texts(self, name: str) -> list[str]:
        """All fields of that name, as texts."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    def file(self, name: str) -> UploadFile | None:
        """An uploaded file; None where none was chosen."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def need_passwords(self) -> None:
        """NotAllowedError on a server that lets people in through its provider alone."""
        settings = self.studio.settings
        if settings.single_sign_on is not None and not settings.passwords:
            raise NotAllowedError(
                "there are no passwords here; sign in with %(name)s", name=settings.single_sign_on.name
            )

    def allow(self) -> None:
        """Refuse whoever may not use this route. What is another study's or person's is not told apart from
        what is not there."""
        if not self.access.signed_in:
            return
        _ = self.me
        if self.access.roles is not None and self.study:
            accounts.require_one(self.roles, *sorted(self.access.roles))
        if self.access.participant:
            _ = self.participant

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of the studio."""
        html = render(template, self.locale, {"context": self, **values})
        return compressed(
            self.request, HTMLResponse(with_prefix(html, self.studio.settings.prefix), status_code=status)
        )

    def go(self, address: str, say: str | None = None) -> Response:
        """On to another page (for a script: its address), which may say something (a key of FLASH_MESSAGES)
        on top."""
        if say is not None:
            self.cookies[FLASH_COOKIE] = say
        address = self.studio.settings.prefix + address
        if self.wants_json:
            return JSONResponse({"next": address})
        return RedirectResponse(address, status_code=303)

    def set_cookies(self, response: Response) -> Response:
        """Put what this request wants kept into the browser; no script can read any of it."""
        for name, value in self.cookies.items():
            lasts = 0 if value is None else LASTS.get(name)
            response.set_cookie(
                self._cookie_name(name),
                value or "",
                max_age=lasts,
                path=self.studio.settings.prefix or "/",
                secure=self.studio.settings.secure,
                httponly=True,
                samesite="lax",  # not strict: people come by links in messages and from recruitment services
            )
        return response


Handler = Callable[[RequestContext], Response]
