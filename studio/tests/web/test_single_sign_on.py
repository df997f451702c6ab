"""Single sign-on against a real provider: who comes in, as whom, and every wrong answer that must let nobody
in."""

from __future__ import annotations

import html
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.people import accounts, invites, openid, password_links, personal, sessions
from folkways_studio.people.single_sign_on import SingleSignOn
from folkways_studio.records import Account, Role, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.app_client import AppClient
from studio.tests.support.openid_server import BROWSER, CLAIMS, CLIENT, FAULTS, SECRET, OpenIdServer
from studio.tests.support.studies import ON_BOTH, PASSWORD, described, stored
from studio.tests.web.http import CSRF

NAME = "Example University"
VARIABLE = "SECRET_OF_THE_TESTS"
ME = "me@example.org"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def sent_on(address: str) -> str:
    """Where a server sends a browser that opens an address."""
    try:
        urllib.request.build_opener(_NoRedirects()).open(address, timeout=10)
    except HTTPError as error:
        with error:
            return str(error.headers["location"])
    raise AssertionError(f"{address} is a page")


@dataclass
class Site:
    """A studio on an empty workspace, and one browser."""

    workspace: Workspace
    provider: OpenIdServer
    client: AppClient
    prefix: str = ""

    def begin(self, following: str = "/studies") -> str:
        """The address to which the provider sends the browser back."""
        reply = self.client.get(f"{self.prefix}/signin/sso", params={"next": following})
        assert reply.status_code == 303, reply.text
        return sent_on(reply.headers["location"])

    def sign_in(self, following: str = "/studies") -> Any:
        """There and back; what the studio answers in the end."""
        return self.client.get(self.begin(following))

    def account(self, login: str = ME, password: str | None = None) -> Account:
        return accounts.create_account(self.workspace, login, password)

    def who(self) -> int | None:
        """The account that the browser is signed in as."""
        found = [value for name, value in self.client.cookies.items() if name.endswith("folkways_session")]
        session = sessions.find_session(self.workspace, found[0]) if found else None
        return session.account.id if session else None

    def post(self, path: str, **fields: str) -> Any:
        found = CSRF.search(self.client.get("/signin").text)
        assert found
        return self.client.post(
            path, data={"csrf": found[1], **fields}, headers={"Origin": "http://testserver"}
        )

    def kinds(self) -> list[str]:
        return [row["kind"] for row in stored(self.workspace, schema.events)]


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIdServer]:
    with OpenIdServer() as running:
        yield running


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with nothing in it: copying it costs less than making one for each test."""
    path = tmp_path_factory.mktemp("empty") / "studio.db"
    open_workspace(path).close()
    return path


@pytest.fixture
def make(
    provider: OpenIdServer, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Site]]:
    """A function that makes a site whose provider behaves; keywords are of SingleSignOn."""
    monkeypatch.setenv(VARIABLE, SECRET)
    workspace = open_workspace(shutil.copy(empty, tmp_path / "studio.db"))
    provider.control()

    def made(
        origin: str | None = None, rates: dict[str, tuple[int, float]] | None = None, **changes: Any
    ) -> Site:
        described = SingleSignOn(
            **{"issuer": provider.url, "client_id": CLIENT, "name": NAME, "secret": VARIABLE, **changes}
        )
        settings = WebSettings(origin=origin, single_sign_on=described, rates=rates or WebSettings().rates)
        base = (origin or "http://testserver").removesuffix(settings.prefix)
        client = AppClient(create_app(workspace, settings), base_url=base)
        return Site(workspace, provider, client, settings.prefix)

    yield made
    workspace.close()


@pytest.fixture
def site(make: Callable[..., Site]) -> Site:
    return make()


def test_somebody_with_an_account_comes_in_and_the_account_is_theirs_from_then_on(site: Site) -> None:
    me = site.account("Me@Example.org", PASSWORD)
    elsewhere = sessions.open_session(site.workspace, me.id)
    link = password_links.make_link(site.workspace, me.id)
    assert f"Sign in with {NAME}" in site.client.get("/signin?next=/work").text

    reply = site.sign_in("/work")
    assert (reply.status_code, reply.headers["location"], site.who()) == (303, "/work", me.id)
    assert site.kinds() == ["account.created", "account.password_link_made", "account.linked"]
    # Whoever made the account may not have been whose address it is.
    assert accounts.verify_password(site.workspace, ME, PASSWORD) is None
    assert sessions.find_session(site.workspace, elsewhere) is None
    assert site.client.get(f"/password/{link}").status_code == 410
    assert "Change the password" not in site.client.get("/account").text

    # The address changes, and somebody else is given the old one.
    site.provider.control(claims={"email": "new@example.org"})
    assert site.sign_in().status_code == 303 and site.who() == me.id
    site.provider.control(claims={"sub": "person-2"})
    site.client.cookies.clear()
    reply = site.sign_in()
    assert reply.status_code == 403 and "belongs to somebody else" in reply.text and site.who() is None
    assert len(stored(site.workspace, schema.identities)) == 1


def test_what_the_provider_describes_is_asked_for_every_ten_minutes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def documents() -> int:
        return int(site.provider.stats()["asked"].count("/.well-known/openid-configuration"))

    assert openid.KNOWN_SECONDS == 600.0
    before = documents()
    for _ in range(3):
        site.begin()
    assert documents() == before + 1
    monkeypatch.setattr(openid, "KNOWN_SECONDS", 0.0)
    site.begin()
    assert documents() == before + 2


def test_signing_in_ends_the_session_of_before_and_signing_out_is_local(site: Site) -> None:
    me = site.account()
    before = sessions.open_session(site.workspace, site.account("other@example.org").id)
    site.client.cookies.set("folkways_session", before, domain="testserver.local", path="/")
    site.sign_in()
    assert site.who() == me.id and sessions.find_session(site.workspace, before) is None
    asked = len(site.provider.stats()["asked"])
    csrf = CSRF.search(site.client.get("/account").text)
    assert csrf
    site.client.post("/signout", data={"csrf": csrf[1]}, headers={"Origin": "http://testserver"})
    assert site.who() is None and len(site.provider.stats()["asked"]) == asked


def test_somebody_unknown_gets_no_account_unless_the_server_says_so(
    site: Site, make: Callable[..., Site]
) -> None:
    reply = site.sign_in()
    assert reply.status_code == 403 and f"Nobody here has the address {ME}" in reply.text
    assert stored(site.workspace, schema.accounts) == [] and site.kinds() == ["account.sign_in_failed"]
    open_to_all = make(new_accounts=True)
    assert open_to_all.sign_in().status_code == 303
    (row,) = stored(site.workspace, schema.accounts)
    assert (row["login"], row["name"], row["password"], row["id"]) == (
        ME,
        "Mina Lee",
        None,
        open_to_all.who(),
    )


@pytest.mark.parametrize("fault", [each for each in FAULTS if each != "slow"])
def test_no_wrong_answer_lets_anybody_in(site: Site, caplog: pytest.LogCaptureFixture, fault: str) -> None:
    site.account()
    site.account("boss@example.org")
    site.provider.control(fault=fault, userinfo={"email": None} if fault == "no address" else {})
    reply = site.client.get("/signin/sso")
    if reply.status_code == 303:
        reply = site.client.get(sent_on(reply.headers["location"]))
    words = html.unescape(reply.text)
    assert reply.status_code == 403 and 'role="alert"' in words and f"Sign in with {NAME}" in words
    assert NAME in words.partition('role="alert"')[2] and "<b>no</b>" not in reply.text
    assert site.who() is None and stored(site.workspace, schema.identities) == []
    in_words = fault == "access_denied" or fault.startswith("un") or fault == "no address"
    assert ("tell whoever runs this server" in words) != in_words
    assert bool(caplog.records) != in_words and SECRET not in caplog.text + reply.text
    assert "/elsewhere" not in site.provider.stats()["asked"]
    assert fault not in BROWSER or "/token" not in site.provider.stats()["asked"]


def test_a_slow_provider_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openid, "TIMEOUT_SECONDS", 0.5)
    site.account()
    site.provider.control(fault="slow")
    began = time.monotonic()
    reply = site.sign_in()
    assert reply.status_code == 403 and "does not answer" in reply.text and time.monotonic() - began < 5


def test_a_provider_that_is_not_there_and_too_many_at_once(
    site: Site, make: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = make(issuer="http://127.0.0.1:9")
    reply = gone.client.get("/signin/sso")
    assert reply.status_code == 403 and "does not answer" in reply.text
    monkeypatch.setattr(openid, "AT_ONCE", 0)
    assert make().client.get("/signin/sso").status_code == 429
    few = make(rates={"signin": (1, 60.0)})
    assert [few.client.get("/signin/sso/callback?state=x").status_code for _ in range(2)] == [403, 429]


def test_an_answer_is_taken_once_and_only_where_it_was_asked_for(
    site: Site, make: Callable[..., Site]
) -> None:
    me = site.account()
    back = site.begin()
    kept = dict(site.client.cookies)
    assert make().client.get(back).status_code == 403  # another browser
    assert site.client.get(back.replace("state=", "state=x")).status_code == 403
    assert site.client.get(back).status_code == 403  # a wrong answer has spent the question
    asked = site.provider.stats()["asked"]
    assert "/token" not in asked

    back = site.begin()
    kept = dict(site.client.cookies)
    assert site.client.get(back).status_code == 303 and site.who() == me.id
    assert site.client.get(back).status_code == 403
    for name, value in kept.items():  # whoever has kept all of it: the provider takes a code once
        site.client.cookies.set(name, value, domain="testserver.local", path="/")
    assert site.client.get(back).status_code == 403
    assert len(stored(site.workspace, schema.sessions)) == 1


@pytest.mark.parametrize(
    "cookie", ["", ".", "...", "....", "a", "a.b.c", "\u00e9.b.c.d", "a.b.c.%2F%2Fevil.example", "x" * 3000]
)
def test_a_cookie_of_ones_own_making_is_refused(site: Site, cookie: str) -> None:
    header = f"folkways_sign_on={cookie}".encode()
    for state in ("", "a", cookie[:50]):
        reply = site.client.get(
            "/signin/sso/callback", params={"state": state, "code": "c"}, headers=[(b"cookie", header)]
        )
        assert reply.status_code == 403 and "evil.example" not in reply.headers.get("location", "")
    assert site.who() is None


def test_where_the_studio_is_and_where_one_goes_on_to(make: Callable[..., Site]) -> None:
    site = make(origin="https://studio.example.org/field")
    site.account()
    place = site.client.get("/field/signin/sso", params={"next": "//evil.example"})
    asked = parse_qs(urlsplit(place.headers["location"]).query)
    assert asked["redirect_uri"] == ["https://studio.example.org/field/signin/sso/callback"]
    assert asked["theme"] == ["plain"] and asked["scope"] == ["openid email profile"]
    assert (
        "__Secure-folkways_sign_on" in place.headers["set-cookie"]
        and "Path=/field" in place.headers["set-cookie"]
    )
    assert "HttpOnly" in place.headers["set-cookie"] and "Secure" in place.headers["set-cookie"]
    reply = site.client.get(sent_on(place.headers["location"]))
    assert reply.headers["location"] == "/field/"
    long = site.client.get("/field/signin/sso", params={"next": "/" + "x" * 5000})
    assert "%2Fxxx" not in long.headers["set-cookie"]  # no browser would keep it
    assert 'href="/field/signin/sso?next=/' in site.client.get("/field/signin").text


def test_only_those_whom_the_server_wants_come_in(make: Callable[..., Site]) -> None:
    site = make(domains=("example.org",), claims={"groups": "field-team", "staff": True})
    site.account()
    site.account("me@example.com")
    right = {"groups": ["all", "field-team"], "staff": True}
    for claims in (
        {},
        {**right, "groups": "field"},
        {**right, "staff": False},
        {**right, "email": "me@example.com"},
        {**right, "email": "me@notexample.org"},
        {**right, "email": "me@example.org.example.com"},
    ):
        site.provider.control(claims=claims)
        reply = site.sign_in()
        assert reply.status_code == 403 and "may not sign in here" in reply.text, claims
    site.provider.control(claims=right)
    assert site.sign_in().status_code == 303


@pytest.mark.parametrize(
    ("email", "mine"),
    [
        ("ME@Example.org", True),
        ("ma\N{LATIN SMALL LETTER SHARP S}@example.org", False),
        ("\N{LATIN SMALL LETTER LONG S}am@example.org", False),
        ("kim@example.org".replace("k", "\N{KELVIN SIGN}"), False),
        ("ada@stra\N{LATIN SMALL LETTER SHARP S}e.example", False),
        ("\N{LATIN CAPITAL LETTER A WITH RING ABOVE}sa@example.org", True),
        ("m\N{LATIN SMALL LETTER U WITH DIAERESIS}@example.org", True),
    ],
)
def test_an_address_that_only_looks_like_another_without_case_is_not_the_other(
    make: Callable[..., Site], email: str, mine: bool
) -> None:
    """Each is somebody's own address, and its provider has verified it."""
    site = make(domains=("example.org", "strasse.example"))
    theirs = site.account(email)
    site.provider.control(claims={"email": email})
    assert (site.sign_in().status_code, site.who()) == ((303, theirs.id) if mine else (403, None))


def test_what_the_token_does_not_say_is_asked_for_and_has_to_be_about_the_same_person(site: Site) -> None:
    me = site.account()
    both = ["email", "email_verified"]
    site.provider.control(left_out=both, userinfo={"sub": "person-2"})
    assert site.sign_in().status_code == 403
    site.provider.control(left_out=both, userinfo={"email_verified": False})
    assert site.sign_in().status_code == 403
    site.provider.control(
        left_out=["email"], userinfo={"email_verified": None}
    )  # verified is said, but not of this address
    assert site.sign_in().status_code == 403
    site.provider.control(left_out=both)
    assert site.sign_in().status_code == 303 and site.who() == me.id


def test_a_server_without_passwords_takes_none(make: Callable[..., Site]) -> None:
    site = make(passwords=False)
    me = site.account(ME, PASSWORD)
    page = site.client.get("/signin").text
    assert 'type="password"' not in page and f"Sign in with {NAME}" in page
    assert site.post("/signin", login=ME, password=PASSWORD).status_code == 403
    link = password_links.make_link(site.workspace, me.id)
    assert site.post(f"/password/{link}", password="another password").status_code == 403
    assert site.who() is None and site.sign_in().status_code == 303
    stages = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}]
    study = studies.create_study(site.workspace, read_definition(described(stages)), owner=me.id)
    refused = site.post(f"/studies/{study.name}/password-link", account=str(me.id))
    assert refused.status_code == 403 and f"here are no passwords here; sign in with {NAME}" in refused.text


@pytest.mark.parametrize("passwords", [True, False])
def test_invited_staff_come_in_through_the_provider_and_no_further(
    make: Callable[..., Site], passwords: bool
) -> None:
    site = make(passwords=passwords)
    owner = site.account("owner@example.org")
    stages = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}]
    study = studies.create_study(site.workspace, read_definition(described(stages)), owner=owner.id)
    studies.set_state(site.workspace, study.id, StudyState.OPEN)
    _, token = invites.create_invite(site.workspace, study.id, Role.REVIEWER)
    _, other = invites.create_invite(site.workspace, study.id, population="korea")

    page = site.client.get(f"/join/{token}").text
    assert f"/signin/sso?next=/join/{token}" in page and ('type="password"' in page) == passwords
    assert site.sign_in(f"/join/{other}").status_code == 403  # participants come by their link alone
    assert site.sign_in("/join/nothing").status_code == 410
    assert "Sign in with" not in site.client.get(f"/join/{other}").text
    assert site.post(f"/join/{token}", login="x", password="", name="").status_code == (
        422 if passwords else 403
    )
    studies.set_state(site.workspace, study.id, StudyState.CLOSED)
    assert site.sign_in(f"/join/{token}").status_code == 409
    assert len(stored(site.workspace, schema.accounts)) == 1
    studies.set_state(site.workspace, study.id, StudyState.OPEN)

    assert site.sign_in(f"/join/{token}").headers["location"] == f"/work/{study.name}"
    number = site.who()
    assert number is not None
    assert accounts.roles_of(site.workspace, study.id, number) == {Role.REVIEWER}
    assert site.client.get("/studies/new").status_code == 403


def test_a_disabled_account_stays_out_and_an_erased_one_is_linked_with_nobody(
    make: Callable[..., Site],
) -> None:
    site = make(new_accounts=True)
    owner = site.account("owner@example.org")
    study = studies.create_study(
        site.workspace,
        read_definition(described([{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}])),
        owner=owner.id,
    )
    studies.set_state(site.workspace, study.id, StudyState.OPEN)
    site.sign_in()
    _, token = invites.create_invite(site.workspace, study.id, population="korea")
    (page,) = CSRF.findall(site.client.get(f"/join/{token}").text)[:1]
    site.client.post(f"/join/{token}", data={"csrf": page}, headers={"Origin": "http://testserver"})
    (person,) = stored(site.workspace, schema.participants, account_id=site.who())
    with site.workspace.write() as connection:
        connection.execute(
            schema.accounts.update().where(schema.accounts.c.id == person["account_id"]).values(disabled=True)
        )
    assert site.sign_in().status_code == 403 and site.who() is None
    personal.delete_attributes(site.workspace, study.id, person["id"])
    assert stored(site.workspace, schema.identities) == []


def test_a_server_without_a_provider_has_no_such_pages(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    client = AppClient(create_app(workspace))
    assert [client.get(path).status_code for path in ("/signin/sso", "/signin/sso/callback")] == [404, 404]
    assert "Sign in with" not in client.get("/signin").text
    workspace.close()


@ON_BOTH
def test_an_identity_is_one_account_on_a_database_server_as_well(studio_workspace: Workspace) -> None:
    me = accounts.create_account(studio_workspace, ME, PASSWORD)
    identity = openid.Identity("https://login.example.org", "1", ME, "Mina")
    for each in (identity, openid.Identity("https://login.example.org", "1", "other@example.org", "")):
        found = accounts.account_of_identity(studio_workspace, each)
        assert found is not None and found.id == me.id


def test_every_fault_is_one_that_the_tests_know() -> None:
    assert set(CLAIMS) | set(BROWSER) < set(FAULTS)
