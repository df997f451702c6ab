"""What a server may be made to call: an address is read as its client reads it, and a private one is refused
in any letters."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.errors import DataError, FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.addresses import PRIVATE, AddressError, is_number, is_public, web_address
from folkways_studio.clients.json_client import JsonClient
from folkways_studio.media.stores import KEY_VARIABLES, PLACE_VARIABLE, media_store
from folkways_studio.models.offered import load_offered
from folkways_studio.people.single_sign_on import is_safe

NOT_PUBLIC = (
    *("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "0.0.0.0"),
    *(
        "::1",
        "::",
        "fe80::1",
        "fe80::1%25eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::a00:1",
        "::ffff:224.0.0.1",
        "::ffff:100.64.0.1",
        "2002:e000:1::",
        "2002:6440:1::",
        "64:ff9b::e000:1",
        "ff02::1",
        "fec0::1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b:1::a00:1",
        "1fff:ffff::1",
        "4000::1",
    ),
)
DIGITS = ("0123456789", "０１２３４５６７８９", "⓪①②③④⑤⑥⑦⑧⑨", "⁰¹²³⁴⁵⁶⁷⁸⁹", "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡")
STOPS = (".", "。", "．", "｡", "․")
AMBIGUOUS = (
    *(
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "１２７．１",
        "127.0.0.1%2e",
        "127%2e0.0.1",
        "1",
    ),
    *(
        "example.org\\\\@127.0.0.1",
        "a b",
        "",
        ".",
        "..org",
        "-a.org",
        "a_.org\t",
        "xn--.org\0",
        "a\u00adb",
        "[::1",
        "ex%61mple.org",
    ),
)


@pytest.mark.parametrize(("digits", "stop"), [*product(DIGITS, STOPS)])
def test_a_private_address_is_refused_in_any_letters(digits: str, stop: str) -> None:
    for address in (each for each in NOT_PUBLIC if ":" not in each):
        written = address.translate(str.maketrans("0123456789.", digits + stop))
        with pytest.raises(AddressError):
            web_address(f"https://{written}:9451/hook", public=True)
        assert (
            str(web_address(f"https://{written}:9451/hook")) == f"https://{address}:9451/hook"
        )  # what is checked is what is called


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_private_addresses_are_not_public(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    assert not is_public(address.replace("%25", "%"))
    with pytest.raises(AddressError, match=PRIVATE.split(",")[0]):
        web_address(f"https://{host}/", public=True)
    assert web_address(f"https://{host}/")


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "2606:2800:220:1::1",
        "2a00:1450:4001::1",
        "3ffe::1",
        "64:ff9b::5db8:d822",
        "::ffff:93.184.216.34",
        "2002:5db8:d822::1",
    ],
)
def test_public_addresses_are(address: str) -> None:
    assert is_public(address)
    assert web_address(f"https://[{address}]/" if ":" in address else f"https://{address}/", public=True)


@pytest.mark.parametrize("host", AMBIGUOUS)
def test_a_host_that_clients_read_in_different_ways_is_refused(host: str) -> None:
    with pytest.raises(AddressError):
        web_address(f"https://{host}/")


@pytest.mark.parametrize(
    ("url", "called"),
    [
        ("https://BÜCHER.example/a?b=c", "https://xn--bcher-kva.example/a?b=c"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("https://my_host.example.org./x", "https://my_host.example.org./x"),
        ("https://1and1.example/", "https://1and1.example/"),
        ("http://localhost:8080/", "http://localhost:8080/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
    ],
)
def test_other_addresses_are_called_as_they_are(url: str, called: str) -> None:
    assert str(web_address(url)) == called


@given(st.text(max_size=20))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}/", f"https://a{text}.org:{text}/"):
        try:
            found = web_address(url, public=True)
        except AddressError:
            continue
        host = found.raw_host or ""
        assert host.isascii() and (not is_number(host) or is_public(host))
        assert web_address(str(found), public=True) == found


def test_where_nothing_has_to_be_encrypted() -> None:
    elsewhere, here = "http://minio:9000", "http://127.0.0.1:9000"
    for url, unencrypted in ((elsewhere, "here"), (elsewhere, "nowhere"), (here, "nowhere")):
        with pytest.raises(AddressError, match="https://"):
            web_address(url, unencrypted=unencrypted)  # type: ignore[arg-type]
    assert web_address(elsewhere, unencrypted="anywhere") and web_address(here)
    with pytest.raises(AddressError):
        web_address("ftp://example.org/", unencrypted="anywhere")


@pytest.mark.parametrize(
    "url", ["https://127.1", "https://me:secret@example.org", "https://ex%61mple.org", "http://①0.0.0.1"]
)
def test_every_client_goes_by_the_same_rule(
    url: str, tmp_path: Path, studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Single sign-on, programs' tokens, models, buckets. Webhooks have tests of their own."""
    assert not is_safe(url)
    with pytest.raises(FolkwaysError, match="is not an address of the studio"):
        JsonClient(url, "the studio", "Bearer x")
    if url.startswith("https"):
        models = tmp_path / "models.toml"
        models.write_text(f'[lab]\nmodel = "{url}#m"\n')
        with pytest.raises(DataError, match="the model 'lab' is at no address"):
            load_offered(models)
        for name, value in (
            (PLACE_VARIABLE, "s3://b/p"),
            ("AWS_ENDPOINT_URL", url),
            *((name, "x") for name in KEY_VARIABLES),
        ):
            monkeypatch.setenv(name, value)
        with pytest.raises(FolkwaysError, match="is no address; write it as https"):
            media_store(studio_workspace)
