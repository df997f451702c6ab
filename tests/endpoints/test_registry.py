from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import is_name, open_name
from folkways.endpoints.servers.providers import Provider, providers
from folkways.errors import DataError, FolkwaysError, UnknownNameError


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for provider in providers().values():
        for name in (*provider.key_env, *provider.base_url_env, "FOLKWAYS_API_KEY", "FOLKWAYS_API_KEY_HOSTS"):
            monkeypatch.delenv(name, raising=False)


def test_every_provider_of_the_issue_is_there():
    expected = "openai anthropic google openrouter together groq mistral deepseek ollama vllm"
    assert set(expected.split()) <= set(providers())


ROW = {"protocol": "openai", "base_url": "https://api.acme.example/v1", "key_env": ["ACME_API_KEY"]}


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (ROW, "acme.*it lacks about, docs"),
        ({**ROW, "about": "Acme", "docs": "", "key_name": "ACME"}, "acme.*unknown: key_name"),
        ({**ROW, "about": "Acme", "docs": "", "name": "acme"}, "acme.*unknown: name"),
    ],
)
def test_a_row_that_lacks_a_field_or_misspells_one(row, wrong):
    with pytest.raises(DataError, match=wrong):
        Provider.of("acme", row)


@pytest.mark.parametrize("name", sorted(providers()))
def test_a_missing_key_names_its_environment_variable(name, monkeypatch):
    provider = providers()[name]
    if not provider.key_required:
        assert open_name(f"{name}/m").name == f"{name}/m"
        return
    with pytest.raises(FolkwaysError, match=" or ".join(provider.key_env)):
        open_name(f"{name}/m")
    assert open_name(f"{name}/m", need_key=False).identity == f"{name}/m"
    monkeypatch.setenv(provider.key_env[-1], "abcdefgh12345678")
    assert open_name(f"{name}/m").identity == f"{name}/m"


def test_an_empty_key_is_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    with pytest.raises(FolkwaysError, match="OPENAI_API_KEY"):
        open_name("openai/m")


@pytest.mark.parametrize("name", ["gpt-4o-mini", "opnai/gpt-4o", "", "ftp://host#m", "/"])
def test_an_unknown_name_lists_every_form(name):
    with pytest.raises(UnknownNameError) as caught:
        open_name(name)
    for form in (
        "PROVIDER/MODEL",
        "http(s)://HOST/v1#MODEL",
        "hf/NAME",
        "replay:FILE",
        "baseline/random",
        "baseline/echo",
    ):
        assert form in str(caught.value)
    assert "openrouter" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            (name, True)
            for name in ("openai/gpt-4o", " vllm/m ", "baseline/first", "replay:x.csv", "http://h/v1#m")
        ),
        *((name, False) for name in ("openai", "baseline", "replay", "nobody/m", "", "org", "x:y")),
    ],
)
def test_what_begins_as_a_name_of_an_endpoint(text, expected):
    assert is_name(text) is expected


def test_a_slip_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean 'openai'"):
        open_name("opnai/gpt-4o")


@pytest.mark.parametrize("name", ["openai/", "openai", "ollama/", "hf/"])
def test_a_provider_without_a_model(name):
    with pytest.raises(FolkwaysError, match="names no model"):
        open_name(name)


@pytest.mark.parametrize("name", ["http://localhost:8000/v1", "http://localhost:8000/v1#"])
def test_a_url_without_a_model(name):
    with pytest.raises(FolkwaysError, match="#MODEL"):
        open_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://LOCALHOST:8000/v1/#m", "http://localhost:8000/v1#m"),
        ("https://host:443/v1#m", "https://host/v1#m"),
        ("HTTP://host/v1#m", "http://host/v1#m"),
        ("http://user:word@host/v1?key=abc#m", "http://host/v1#m"),
        ("  http://host/v1#m ", "http://host/v1#m"),
    ],
)
def test_spellings_of_one_model_have_one_identity(one, other):
    assert open_name(one).identity == open_name(other).identity == other


def test_different_models_have_different_identities(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh12345678")
    names = [
        "http://h/v1#a",
        "http://h/v1#b",
        "http://h/v2#a",
        "http://h:81/v1#a",
        "https://h/v1#a",
        "openai/a",
        "ollama/a",
        "vllm/a",
    ]
    names += [
        "hf/a",
        "hf/a@1",
        "baseline/random",
        "baseline/first",
        "baseline/constant:A",
        "baseline/constant:B",
        "baseline/echo",
    ]
    identities = {open_name(name).identity for name in names}
    assert len(identities) == len(names)


def test_another_address_is_another_model(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh12345678")
    own = open_name("openai/m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://u:p@proxy:9/v1?k=v")
    moved = open_name("openai/m")
    assert own.name == moved.name == "openai/m"
    assert moved.identity == "openai/m@http://proxy:9/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1/")
    assert open_name("openai/m").identity == own.identity
    assert open_name("openai/m", EndpointOptions(base_url="http://x/v1")).identity == "openai/m@http://x/v1"
    tunnelled = open_name("http://h/v1#m", EndpointOptions(base_url="http://x/v1"))
    assert (tunnelled.name, tunnelled.identity) == ("http://h/v1#m", "http://h/v1#m@http://x/v1")
    assert tunnelled.address.base_url == "http://x/v1"
    hosted = [open_name(name).address.hosted for name in ("openai/m", "ollama/m", "http://h/v1#m")]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://x/v1")
    assert (hosted, open_name("openai/m").address.hosted) == ([True, False, False], False)


def test_a_broken_base_url_names_its_source(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh12345678")
    monkeypatch.setenv("OPENAI_BASE_URL", "proxy:9")
    with pytest.raises(FolkwaysError, match="OPENAI_BASE_URL"):
        open_name("openai/m")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://localhost:11434/v1"),
        ("0.0.0.0:8080", "http://localhost:8080/v1"),
        (":8080", "http://localhost:8080/v1"),
        ("gpu-box", "http://gpu-box:11434/v1"),
        ("https://gpu-box", "https://gpu-box/v1"),
        ("http://gpu-box:1/", "http://gpu-box:1/v1"),
        ("http://gpu-box:1/v1", "http://gpu-box:1/v1"),
    ],
)
def test_ollama_host(monkeypatch, host, url):
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert open_name("ollama/m").address.base_url == url
    elsewhere = open_name("ollama/m", EndpointOptions(base_url="http://x/v1"))
    assert elsewhere.address.base_url == "http://x/v1"


def test_model_names_may_hold_slashes_and_colons():
    assert open_name("ollama/library/llama3:8b").name == "ollama/library/llama3:8b"
    assert open_name("hf/org/name@abc").identity == "hf/org/name@abc"
    assert open_name("hf/org/name").identity == "hf/org/name@main"


@example("openai/gpt-4o?temperature=1")
@example("hf/org/name@abc")
@given(st.text(max_size=40))
def test_any_name_opens_or_says_why_not(name):
    if name.strip().startswith("replay:"):
        return
    try:
        endpoint = open_name(name, need_key=False)
    except FolkwaysError:
        return
    assert endpoint.name
    assert endpoint.identity
