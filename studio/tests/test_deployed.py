"""From an empty server to a study with people in it, as docs/guides/deploy.md leads: nginx with its
configuration, TLS, PostgreSQL, and the studio in two processes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import psutil
import pytest

from studio.tests.support.nginx import Proxy, nginx
from studio.tests.support.participant import Participant
from studio.tests.support.studies import PASSWORD
from studio.tests.web.http import Client, Reply
from tests.support.command_line import environment, folkways, start
from tests.support.postgres import free_port

pytestmark = pytest.mark.postgres

OWNER = "owner@example.org"
QUESTIONS = "id,question,option_a,option_b,option_c,option_d\n" + "".join(
    f"q{number},What is put into bowl {number}?,tea,soup,bread,rice\n" for number in range(2)
)
ADDRESS = re.compile(r'\s(?:href|src|action|formaction|hx-get|hx-post|data-draft)="([^"#]+)"')
BRITISH = {"nationality": "British", "home_before_18": "United Kingdom"}


FEW, ALL = 12, 1000
"""Pages that are crawled: below a path, each gets its addresses in one place of the code."""


@pytest.fixture(params=["/studio", pytest.param("", marks=pytest.mark.nightly)])
def deployed(
    request: pytest.FixtureRequest, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Proxy, Popen[str], str]]:
    """The proxy, the studio behind it, and the workspace, which is an empty database."""
    port = free_port()
    with nginx(tmp_path, port, request.param) as proxy:
        monkeypatch.setenv("SSL_CERT_FILE", str(proxy.certificate))
        command = [
            "studio",
            "--workers",
            2,
            "--port",
            port,
            "--proxies",
            "127.0.0.1",
            "--origin",
            proxy.url,
            "--workspace",
            postgres_url,
        ]
        studio = start(*command)
        try:
            assert studio.stdout and f":{port}" in studio.stdout.readline()
            yield proxy, studio, postgres_url
        finally:
            studio.terminate()
            out, err = studio.communicate(timeout=30)
            assert (studio.returncode, err) == (0, ""), out


@pytest.mark.parametrize("most", [FEW, pytest.param(ALL, marks=pytest.mark.nightly)])
def test_from_an_empty_server_to_a_study_with_people(
    deployed: tuple[Proxy, Popen[str], str], tmp_path: Path, most: int
) -> None:
    proxy, studio, workspace = deployed
    prefix = urlsplit(proxy.url).path
    origin = proxy.url.removesuffix(urlsplit(proxy.url).path)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    at = ("--workspace", workspace)
    env = environment(FOLKWAYS_STUDIO_PASSWORD=PASSWORD, SSL_CERT_FILE=str(proxy.certificate))
    folkways("studio", "create-study", "verification", "--owner", OWNER, "--open", *at, env=env)
    folkways(
        "studio",
        "import",
        "verification",
        "verify",
        tmp_path / "questions.csv",
        "--population",
        "united-kingdom",
        *at,
    )

    plain = Client(proxy.plain).get("/signin")
    assert (plain.status, urlsplit(plain.place).scheme) == (301, "https"), "nothing is said in the clear"
    owner = Participant(proxy.url, origin)
    signed = owner.post("/signin", {"login": OWNER, "password": PASSWORD})
    assert signed.place == f"{urlsplit(proxy.url).path}/"
    made = owner.post(
        "/studies/verification/invites", {"role": "annotator", "population": "united-kingdom", "days": "3"}
    )
    invitation = re.search(re.escape(proxy.url) + r"/join/[\w-]+", made.text)
    assert invitation, "the link has the address that people see"

    people = [Participant(proxy.url, origin).come(urlsplit(invitation[0]).path, **BRITISH) for _ in range(5)]
    workers = [
        each
        for each in psutil.Process(studio.pid).children()
        if any("spawn_main" in part for part in each.cmdline())
    ]
    assert len(workers) == 2
    for number, person in enumerate(people):
        page = person.next("verify")
        while page is not None:
            page = person.tick("tea")
        if number == 1 and not prefix:
            workers[0].kill()  # the other process goes on, and a new one is started
    if prefix:
        every_address_is_below(proxy, owner, most)
    for page in (owner.get("/signin"), people[0].get("/work"), owner.get("/no-such-page")):
        cookies_and_headers(proxy, page)

    token = folkways("studio", "token", OWNER, "--scope", "write", *at).stdout.strip()
    asked = {**env, "FOLKWAYS_STUDIO_TOKEN": token}
    told = folkways("studio", "progress", "verification", "--server", proxy.url, env=asked).stdout
    assert "2 items done, 0 open, 0 dropped; 10 answers" in told
    document = json.loads(Client(proxy.url).get("/api/v1/openapi.json").text)
    assert document["servers"] == [{"url": f"{urlsplit(proxy.url).path}/api/v1"}]
    assert "10 answers" in folkways("studio", "backup", tmp_path / "b.zip", *at).stdout


def every_address_is_below(proxy: Proxy, owner: Client, most: int) -> None:
    """So many pages that the owner is led to are there, and every address on them is below the path."""
    prefix = urlsplit(proxy.url).path
    seen: set[str] = set()
    waiting = [f"{prefix}/studies/verification"]
    for _ in range(most):
        if not waiting:
            break
        page = waiting.pop()
        reply = owner.get(page)
        assert reply.status == 200, page
        for address in ADDRESS.findall(reply.text) if "html" in reply.headers["content-type"] else ():
            assert address.startswith((f"{prefix}/", "http", "?")), (page, address)
            plain = address.partition("?")[0]
            wanted = not re.search(
                r"/(static/(fonts|vendor|js)|signout|data/export|items/\d+|people/[3-9])", plain
            )
            if (
                address.startswith(f"{prefix}/")
                and f'action="{address}' not in reply.text
                and wanted
                and plain not in seen
            ):
                seen.add(plain)
                waiting.append(address.replace("&amp;", "&"))
    assert len(seen) > (15 if most == ALL else FEW), seen


def cookies_and_headers(proxy: Proxy, page: Reply) -> None:
    """Of every answer that the proxy passes on."""
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    assert "nginx/" not in page.headers["server"]
    prefix = urlsplit(proxy.url).path
    if "set-cookie" in page.headers:
        name = "__Secure-folkways" if prefix else "__Host-folkways"
        assert page.headers["set-cookie"].startswith(name)
        assert f"Path={prefix or '/'};" in page.headers["set-cookie"]
