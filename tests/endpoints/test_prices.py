from __future__ import annotations

import json
import math
import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from folkways.cli.endpoints import command
from folkways.endpoints.prices import Price, Prices, cost, load_prices, user_prices_file
from folkways.endpoints.servers.providers import providers
from folkways.errors import DataError, FolkwaysError
from tests.support.endpoint_requests import KEY

TABLE = "[usd_per_million_tokens]\n"


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    """No test reads or writes the settings of the person who runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(
        "folkways.endpoints.prices.user_prices_file", lambda: tmp_path / "config" / "prices.toml"
    )
    return tmp_path / "config" / "prices.toml"


def test_packaged_prices_are_of_providers_that_exist():
    names = [name for layer in load_prices().layers for name in layer]
    heads = {name.partition("/")[0] for name in names if "/" in name and not name.startswith("http")}
    kinds = {entry.name for entry in entry_points(group="folkways.endpoints")}
    assert heads <= {*providers(), *kinds}


def test_every_way_to_ask_a_model_on_this_machine_costs_nothing():
    """What starts an engine here, and each provider whose own address is this machine."""
    engines = {entry.name for entry in entry_points(group="folkways.endpoints")} - {"http", "https", "replay"}
    servers = {name for name, one in providers().items() if "//localhost" in one.base_url}
    assert engines >= {"gguf", "vllm-offline"}
    assert servers >= {"lmstudio", "llamacpp"}
    for kind in (*engines, *servers):
        assert cost(load_prices(), f"{kind}/name", None, None) == 0, kind


def test_cost_by_hand():
    assert cost(load_prices(), "openai/gpt-4o-mini", 1_000_000, 500_000) == pytest.approx(0.15 + 0.30)
    assert cost(load_prices(), "openai/gpt-4o-mini", 0, 0) == 0


@pytest.mark.parametrize(
    "name",
    [
        "baseline/random",
        "baseline/constant:openai/gpt-4o",
        "replay:a.csv",
        "hf/org/name",
        "http://localhost:8000/v1#m",
        "ollama/x",
    ],
)
def test_what_runs_here_costs_nothing_even_uncounted(name):
    assert cost(load_prices(), name, None, None) == 0


@pytest.mark.parametrize(
    "name",
    [
        "openai/gpt-99",
        "http://example.org/v1#m",
        "http://localhost.example.org/v1#m",
        "openai/gpt-4o-mini-tts",
    ],
)
def test_an_unknown_price_is_unknown(name):
    assert cost(load_prices(), name, 10, 10) is None


def test_uncounted_tokens_have_no_cost():
    assert cost(load_prices(), "openai/gpt-4o-mini", None, 10) is None


def test_snapshots_cost_what_the_model_costs_unless_they_have_their_own_price():
    prices = load_prices()
    assert prices.find("openai/gpt-4o-2024-11-20") == prices.find("openai/gpt-4o")
    assert prices.find("openai/gpt-4o-2024-05-13") != prices.find("openai/gpt-4o")
    assert (
        prices.find("anthropic/claude-3-5-haiku-20241022")
        == prices.find("anthropic/claude-3-5-haiku-latest")
        is not None
    )
    assert prices.find("google/gemini-2.0-flash-001") == prices.find("google/gemini-2.0-flash")


def test_layers_win_entry_by_entry(tmp_path, own_settings):
    own_settings.parent.mkdir()
    own_settings.write_text(
        TABLE + '"openai/gpt-4o" = {input = 1, output = 1}\n"openai/gpt-4.1" = {input = 1, output = 1}'
    )
    given_file = tmp_path / "prices.toml"
    given_file.write_text(
        TABLE + '"openai/gpt-4o" = {input = 7, output = 7}\n"http://127.0.0.1:*" = {input = 9, output = 9}'
    )
    prices = load_prices(given_file)
    assert cost(prices, "openai/gpt-4o", 1_000_000, 0) == 7
    assert cost(prices, "openai/gpt-4.1", 1_000_000, 0) == 1
    assert cost(prices, "openai/gpt-4o-mini", 1_000_000, 0) == pytest.approx(0.15)
    assert cost(prices, "http://127.0.0.1:4000/v1#m", 1_000_000, 0) == 9
    assert cost(load_prices(), "openai/gpt-4o", 1_000_000, 0) == 1


def test_only_the_star_is_special(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(TABLE + '"x/a[1]*" = {input = 1, output = 1}\n"x/a*" = {input = 2, output = 2}')
    prices = load_prices(file)
    assert (prices.find("x/a[1]b").input, prices.find("x/a1b").input) == (1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "not valid TOML"),
        ("", "no table usd_per_million_tokens"),
        (TABLE + '"m" = 3', "the price of 'm' needs two numbers"),
        (TABLE + '"m" = {input = 3}', "the price of 'm' needs two numbers"),
        (TABLE + '"m" = {input = -1, output = 2}', "the price of 'm' needs two numbers"),
        (TABLE + '"m" = {input = nan, output = 2}', "the price of 'm' needs two numbers"),
        (TABLE + '"m" = {input = 1, output = 1000000000}', "the price of 'm' needs two numbers"),
        (TABLE + '"m" = {input = "1", output = 2}', "the price of 'm' needs two numbers"),
        ("usd_per_million_tokens = 3", "no table usd_per_million_tokens"),
        (TABLE + '"m" = {input = true, output = 2}', "the price of 'm' needs two numbers"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        load_prices(file)
    assert str(file) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FolkwaysError, match="there is no file of prices"):
        load_prices(tmp_path / "none.toml")


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_cost_is_additive(first, second, output):
    prices: Prices = load_prices()
    together = cost(prices, "openai/gpt-4o", first + second, output)
    apart = cost(prices, "openai/gpt-4o", first, output) + cost(prices, "openai/gpt-4o", second, 0)
    assert math.isclose(together, apart, abs_tol=1e-9)


def test_the_command_shows_names_of_keys_and_never_keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    table = CliRunner().invoke(command, [])
    raw = CliRunner().invoke(command, ["--json"])
    assert table.exit_code == raw.exit_code == 0
    assert KEY not in table.output + raw.output
    rows = {row["name"]: row for row in json.loads(raw.output)["providers"]}
    assert rows["openai"]["key_set_in"] == "OPENAI_API_KEY"
    assert rows["mistral"]["key_set_in"] is None
    for name in rows:
        assert name in table.output
    assert json.loads(raw.output)["prices"]["models"]["openai/gpt-4o"] == {
        "input": 2.5,
        "output": 10,
        "source": "folkways",
    }


def test_the_command_says_which_files_of_the_user_are_read(tmp_path):
    def states():
        return re.findall(r"is read|does not exist yet", CliRunner().invoke(command, []).output)

    document = json.loads(CliRunner().invoke(command, ["--json"]).output)
    prices, cards = (Path(document[part]["user_file"]) for part in ("prices", "model_cards"))
    assert tmp_path in prices.parents and tmp_path in cards.parents
    assert states() == ["does not exist yet"] * 2
    prices.parent.mkdir(parents=True, exist_ok=True)
    prices.write_text(TABLE)
    assert states() == ["is read", "does not exist yet"]
    cards.parent.mkdir(parents=True, exist_ok=True)
    cards.write_text('[[models]]\nnames = ["m"]\nprovider = "Us"\n')
    assert states() == ["is read"] * 2


def test_users_prices_live_in_their_settings():
    assert user_prices_file().name == "prices.toml"


def test_a_price_is_of_tokens_in_and_out_by_the_million():
    assert Price(2.0, 8.0).usd(1_500_000, 250_000) == 5.0
    prices = Prices(({"in": Price(2.0, 0.0), "out": Price(0.0, 8.0), "both": Price(2.0, 8.0)},), "")
    million = 1_000_000
    found = {
        name: [cost(prices, name, *counts) for counts in ((None, million), (million, None), (None, None))]
        for name in ("in", "out", "both")
    }
    assert found == {"in": [None, 2.0, None], "out": [8.0, None, None], "both": [None, None, None]}
    assert cost(prices, "none", 1, 1) is None


def test_the_first_file_that_knows_a_model_wins_and_in_it_the_longest_pattern():
    first = {"x/a-2024-01-02": Price(1, 1), "x/*": Price(2, 2), "x/b*": Price(3, 3)}
    second = {"x/a": Price(4, 4), "y/a?[1]*": Price(5, 5), "z": Price(6, 6), "x/bb*": Price(7, 7)}
    prices = Prices((first, second), "")
    asked = (
        "x/a-2024-01-02",
        "x/a",
        "x/bbb",
        "y/a?[1]-x",
        "y/ab1-x",
        "z-latest",
        "z-20240102",
        "z-001",
        "z-101",
        "zz",
    )
    assert [price and price.input for price in map(prices.find, asked)] == [
        1,
        2,
        3,
        5,
        None,
        6,
        6,
        6,
        None,
        None,
    ]
    only = Prices(({"x/a": Price(4, 4)}, {"x/a-latest": Price(5, 5)}), "")
    assert only.find("x/a-latest").input == 4


def test_prices_are_numbers_from_0_on_with_the_file_that_says_so(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(TABLE + '"m" = {input = 0, output = 999999999.5}\n"n" = {input = 1.5, output = 2}')
    prices = load_prices(str(file))
    assert prices.layers[0] == {"m": Price(0.0, 999999999.5, str(file)), "n": Price(1.5, 2.0, str(file))}
    assert (len(prices.layers), prices.as_of) == (2, load_prices().as_of)
    assert prices.layers[1]["openai/gpt-4o"].source == "folkways"
    (tmp_path / "folder").mkdir()
    with pytest.raises(FolkwaysError, match="there is no file of prices"):
        load_prices(tmp_path / "folder")


def test_batches_cost_the_share_of_the_row_or_else_of_the_provider(tmp_path):
    file = tmp_path / "p.toml"
    rows = {
        "openai/own": "batch = 0.25",
        "openai/whole": "batch = 1",
        "openai/free": "batch = 0",
        "openai/usual": "",
        "nobody/usual": "",
    }
    lines = (f'"{name}" = {{input = 2, output = 8{more and ", "}{more}}}\n' for name, more in rows.items())
    file.write_text(TABLE + "".join(lines))
    prices = load_prices(file)
    whole = {cost(prices, name, 1_000_000, 1_000_000) for name in rows}
    batched = [cost(prices, name, 1_000_000, 1_000_000, batched=True) for name in rows]
    assert (whole, batched) == ({10.0}, [2.5, 10.0, 0.0, 5.0, 10.0])
    assert cost(prices, "openai/own", 1_000_000, 0, batched=True) == 0.5
    for wrong in ("1.01", "-0.1", "true", '"half"'):
        file.write_text(TABLE + f'"m" = {{input = 2, output = 8, batch = {wrong}}}')
        with pytest.raises(DataError, match="batch of 'm' is the share that is paid in batches, 0 to 1"):
            load_prices(file)
