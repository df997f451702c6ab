"""One request as a route sees it: who asks, in which study, with what; and who may ask."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Any, TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace
from folkways_studio.database.health import WriteCheck
from folkways_studio.errors import NotAllowedError, NotFoundError
from folkways_studio.items.import_runner import ImportWorker
from folkways_studio.people import accounts, participants, participation, sessions
from folkways_studio.people.openid import OpenIdProvider
from folkways_studio.people.participation import StudyEntry
from folkways_studio.programs.backend_worker import BackendWorker
from folkways_studio.records import Account, Participant, Population, Role, SignInSession, Study
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import service as studies
from folkways_studio.web.prefix import with_prefix
from folkways_studio.web.rendering.i18n import LOCALES, accepted_languages, catalogue, negotiate, term
from folkways_studio.web.rendering.pages import FLASH_MESSAGES, render
from folkways_studio.web.rendering.static_files import compressed
from folkways_studio.web.security.origin import local_address, masked, visitor_token
from folkways_studio.web.security.rates import RateLimits, WaitingPlaces, limited_address
from folkways_studio.web.settings import WebSettings
from folkways_studio.work.assignments import Work, get_work
from folkways_studio.work.task_numbers import shown_number, slot_of, slots_meant
from folkways_studio.work.task_pages import TaskPage, get_task_page
from folkways_studio.workflows.wordings import StudyTexts, Wording

VISITOR_COOKIE = "folkways_visitor"
LOCALE_COOKIE = "folkways_locale"
FLASH_COOKIE = "folkways_said"
SESSION_COOKIE = "folkways_session"
SIGN_ON_COOKIE = "folkways_sign_on"
# the database says when a session ends
LASTS = {SESSION_COOKIE: 365 * 86400, LOCALE_COOKIE: 365 * 86400, FLASH_COOKIE: 60, SIGN_ON_COOKIE: 600}
"""Seconds for which a cookie is kept; others end with the browser session."""

T = TypeVar("T")

RUNS_STUDIES = frozenset({Role.OWNER, Role.RESEARCHER})


class CachedAttribute(cached_property[T]):
    """``functools.cached_property`` for objects that one thread uses at a time.

    Before Python 3.12 the original computes under one lock for all objects of the class, so requests would
    wait for each other's reads.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()


@dataclass(frozen=True)
class Studio:
    """What all requests share. waiting: places for people who wait for a model. slow: threads for their
    requests. import_worker, backend_worker: do what takes longer than a request. writing: whether the
    workspace takes writes. provider: of single sign-on."""

    workspace: Workspace
    settings: WebSettings
    rates: RateLimits
    waiting: WaitingPlaces
    slow: CapacityLimiter
    import_worker: ImportWorker
    backend_worker: BackendWorker
    writing: WriteCheck
    provider: OpenIdProvider | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a route.

    signed_in: people who have signed in, or joined by an invitation.
    roles: one of these roles in the study of the address; None if the route is not for staff.
    participant: the account must take part in the study of the address.
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
    """One request. Whatever it reads from the database it reads once.

    form: the fields of a request that changes something; otherwise empty.
    cookies: for the response to set (None: delete).
    gone: set when the browser stops waiting for a slow request.
    """

    studio: Studio
    request: Request
    access: Access
    form: FormData = field(default_factory=FormData)
    cookies: dict[str, str | None] = field(default_factory=dict)
    gone: Event = field(default_factory=Event)

    @property
    def workspace(self) -> Workspace:
        return self.studio.workspace

    @property
    def path(self) -> str:
        return self.request.url.path.removeprefix(self.studio.settings.prefix)

    @property
    def here(self) -> str:
        """The page that is shown; where a form was sent, the page that has it."""
        if self.is_change:
            return self.came_from or self.path
        query = self.request.url.query
        return f"{self.path}?{query}" if query else self.path

    @property
    def came_from(self) -> str:
        """The page of the studio whose form was sent; empty where that is not known."""
        sent = urlsplit(self.request.headers.get("referer", ""))
        path = sent.path.removeprefix(self.studio.settings.prefix)
        is_own = self.is_change and sent.netloc == self.request.headers.get("host")
        if not is_own or path.startswith("//"):
            return ""
        return f"{path}?{sent.query}" if sent.query else path

    @property
    def address(self) -> str:
        """Whose limits the request counts for."""
        return limited_address(self.request)

    @property
    def origin(self) -> str:
        """The address under which people find this server."""
        return self.studio.settings.origin or local_address(self.request)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the browser asks at another address than the server's configured one."""
        origin = self.studio.settings.origin
        return origin is not None and urlsplit(origin).netloc != self.request.headers.get("host")

    @property
    def is_change(self) -> bool:
        return self.request.method not in ("GET", "HEAD")

    @property
    def wants_json(self) -> bool:
        """Whether one of our scripts asks, rather than a browser for a page."""
        return "application/json" in self.request.headers.get("accept", "")

    def cookie(self, name: str) -> str:
        return self.request.cookies.get(self._cookie_name(name), "")

    def _cookie_name(self, name: str) -> str:
        """Over TLS, a name that unencrypted pages cannot set, nor, unless the host is shared, other hosts."""
        settings = self.studio.settings
        return f"__{'Secure' if settings.prefix else 'Host'}-{name}" if settings.secure else name

    @CachedAttribute
    def token(self) -> str:
        """The session's token from the cookie; empty for none."""
        return self.cookie(SESSION_COOKIE)

    @CachedAttribute
    def session(self) -> SignInSession | None:
        if self.token and self._study_name:
            return self._entry.session if self._entry else None
        return sessions.find_session(self.workspace, self.token) if self.token else None

    def forget_database(self) -> None:
        """Show what follows as to somebody unknown: who it is cannot be read."""
        self.session, self.account, self._entry = None, None, None

    @CachedAttribute
    def account(self) -> Account | None:
        return self.session.account if self.session else None

    @property
    def me(self) -> Account:
        """The signed-in account, on routes that need one; NotAllowedError."""
        if self.account is None:
            raise NotAllowedError(self.gettext("Sign in first."))
        return self.account

    @CachedAttribute
    def visitor(self) -> str:
        """A random name of a browser without a session, for the token of its forms."""
        name = self.cookie(VISITOR_COOKIE)
        if not name:
            name = secrets.token_urlsafe(24)
            self.cookies[VISITOR_COOKIE] = name
        return name

    @CachedAttribute
    def csrf(self) -> str:
        """The masked token that every form of this page carries."""
        return masked(self.form_token)

    @property
    def form_token(self) -> str:
        """The token that this browser's forms have to send."""
        return self.session.csrf if self.session else visitor_token(self.visitor)

    @CachedAttribute
    def locale(self) -> str:
        """The language of the interface: chosen by the reader, or from their account or browser."""
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
        """A study's texts for this reader: in the language they chose or their browser asks for (even one
        that the interface lacks), else in that of their population, else in the study's own."""
        languages = (
            [self._chosen_locale]
            if self._chosen_locale
            else accepted_languages(self.request.headers.get("accept-language", ""))
        )
        wanted = (*languages, *([population.language] if population else []))
        return StudyTexts(study.definition, wanted, self._shipped)

    def _shipped(self, text: str) -> Wording | None:
        translation = term(text, self.locale)
        return Wording(translation, self.locale) if translation != text else None

    @property
    def population(self) -> Population | None:
        """The participant's population; None for staff."""
        return self._entry.population if self._entry else None

    @CachedAttribute
    def study_texts(self) -> StudyTexts:
        return self.texts_of(self.study, self.population)

    def gettext(self, message: str, **values: Any) -> str:
        """A string of the interface in the reader's language; ``values`` fill its ``%(name)s``."""
        translated = catalogue(self.locale).gettext(message)
        return translated % values if values else translated

    def ngettext(self, one: str, many: str, number: int) -> str:
        """A string with a count, which is its ``%(num)s``."""
        return catalogue(self.locale).ngettext(one, many, number) % {"num": number}

    @property
    def owner(self) -> str:
        """The owner of drafts in the browser: a name for the account that says nothing about the person."""
        return f"account-{self.account.id}" if self.account else ""

    @CachedAttribute
    def flash_message(self) -> str:
        """The message of the page before, shown once."""
        words = self.cookie(FLASH_COOKIE)
        if not words:
            return ""
        self.cookies[FLASH_COOKIE] = None
        return self.gettext(FLASH_MESSAGES[words]) if words in FLASH_MESSAGES else ""

    @property
    def _study_name(self) -> str:
        return str(self.request.path_params.get("study", ""))

    @CachedAttribute
    def _entry(self) -> StudyEntry | None:
        """The session and the account's part in the study of the address, read by one statement."""
        return participation.find_entry(self.workspace, self.token, self._study_name)

    @CachedAttribute
    def study(self) -> Study:
        """The study of the address; NotFoundError."""
        if self.account is None or self._entry is None:
            return studies.get_study(self.workspace, self._study_name)
        if self._entry.study is None:
            raise NotFoundError("there is no study %(name)s", name=repr(self._study_name))
        return self._entry.study

    @property
    def roles(self) -> frozenset[Role]:
        """The account's roles in the study of the address."""
        return self._entry.roles if self.account is not None and self._entry else frozenset()

    @property
    def participant(self) -> Participant:
        """The account's part in the study of the address; NotFoundError."""
        if self.study and (self._entry is None or self._entry.person is None):
            raise NotFoundError(self.gettext("There is no such study."))
        assert self._entry is not None and self._entry.person is not None  # noqa: S101 - or the study would be missing
        return self._entry.person

    def person(self, number: int | None) -> Participant:
        """A participant of the study of the address; NotFoundError for anybody else."""
        participant = participants.get_participant(self.workspace, number) if number is not None else None
        if participant is None or participant.study_id != self.study.id:
            raise NotFoundError(self.gettext("There is no such participant."))
        return participant

    @CachedAttribute
    def is_staff(self) -> bool:
        """Whether the account has a login, as those who run or review studies do."""
        return self.account is not None and self.account.login is not None

    def number(self, name: str) -> int:
        """A whole number of the address; NotFoundError for anything else."""
        number = whole(self.request.path_params[name])
        if number is None:
            raise NotFoundError(self.gettext("There is no such page."))
        return number

    def count(self, name: str, most: int, usual: int) -> int:
        """A whole number of the form from 1 to ``most``, ``usual`` where it has none; FolkwaysError for
        anything else."""
        number = whole(self.text(name, str(usual)))
        if number is None or not 1 <= number <= most:
            raise FolkwaysError(self.gettext("Give a whole number from 1 to %(most)s.", most=most))
        return number

    @CachedAttribute
    def assignment(self) -> int:
        slot = slot_of(self.workspace, self.participant, str(self.request.path_params["assignment"]))
        if slot is None:
            raise NotFoundError(self.gettext("There is no such page."))
        return slot

    @property
    def slots_meant(self) -> tuple[int, ...]:
        """The slots that the number in the address may mean; the participant's is the right one.
        NotFoundError."""
        meant = slots_meant(str(self.request.path_params["assignment"]), self.participant)
        if not meant:
            raise NotFoundError(self.gettext("There is no such page."))
        return meant

    @CachedAttribute
    def work(self) -> Work:
        """The work of the slot in the address; NotFoundError if it is not the participant's."""
        return get_work(self.workspace, self.participant.id, *self.slots_meant)

    @CachedAttribute
    def task(self) -> TaskPage:
        """The task page of the slot in the address; NotFoundError if it is not the participant's."""
        return get_task_page(self.workspace, self.participant, *self.slots_meant)

    def task_address(self, assignment_id: int) -> str:
        """The address of the page of one of the participant's slots."""
        return f"/work/{self.study.name}/tasks/{shown_number(assignment_id, self.participant.pseudonym)}"

    def text(self, name: str, default: str = "") -> str:
        value = self.form.get(name, default)
        return value if isinstance(value, str) else default

    def texts(self, name: str) -> list[str]:
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    def file(self, name: str) -> UploadFile | None:
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def need_passwords(self) -> None:
        """Raise NotAllowedError on a server with single sign-on only."""
        settings = self.studio.settings
        if settings.single_sign_on is not None and not settings.passwords:
            raise NotAllowedError(
                "there are no passwords here; sign in with %(name)s", name=settings.single_sign_on.name
            )

    def allow(self) -> None:
        """Refuse people who may not use this route. Studies and people of others look like missing ones."""
        if not self.access.signed_in:
            return
        _ = self.me
        if self.access.roles is not None and self.study:
            accounts.require_one(self.roles, *sorted(self.access.roles))
        if self.access.participant:
            _ = self.participant

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        html = render(template, self.locale, {"context": self, **values})
        return compressed(
            self.request, HTMLResponse(with_prefix(html, self.studio.settings.prefix), status_code=status)
        )

    def go(self, address: str, say: str | None = None) -> Response:
        """Go on to another page (a script gets its address), which may show a message (a key of
        FLASH_MESSAGES)."""
        if say is not None:
            self.cookies[FLASH_COOKIE] = say
        address = self.studio.settings.prefix + address
        if self.wants_json:
            return JSONResponse({"next": address})
        return RedirectResponse(address, status_code=303)

    def set_cookies(self, response: Response) -> Response:
        """Set the cookies of this request; scripts cannot read them."""
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
