"""``folkways endpoints``: what is printed of providers, names, prices and model cards, and never a key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import environment, folkways

SECRET = "sk-very-secret-4711"
OWN = """
as_of = "2026-02-03"

[usd_per_million_tokens]
"lab/own*" = { input = 1.25, output = 0.075 }
"""


def words(line: str) -> list[str]:
    return line.split()


@pytest.fixture
def printed(tmp_path: Path) -> tuple[list[str], dict[str, Any]]:
    """The lines of the tables, and the document, for one who has two keys and a file of prices."""
    (tmp_path / "prices.toml").write_text(OWN, encoding="utf-8")
    settings = environment(
        XDG_CONFIG_HOME=str(tmp_path / "config"),
        HOME=str(tmp_path),
        OPENAI_API_KEY=SECRET,
        GOOGLE_API_KEY=SECRET,
    )
    text, document = (
        folkways("endpoints", "--prices", tmp_path / "prices.toml", *more, env=settings)
        for more in ((), ("--json",))
    )
    for done in (text, document):
        assert done.returncode == 0, done.stderr
        assert SECRET not in done.stdout + done.stderr
    return [line.strip() for line in text.stdout.splitlines()], json.loads(document.stdout)


def test_every_provider_way_of_naming_and_price_is_in_the_tables(
    printed: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    lines, document = printed
    rows = [words(line) for line in lines]
    for provider in document["providers"]:
        assert any(row[:1] == [provider["name"]] and provider["base_url"] in row for row in rows), provider
        for name in (*provider["key_env"], *provider["base_url_env"]):
            assert any(name in row for row in rows), name
    sets = {
        row[0]: row[2] for row in rows if len(row) == 4 and row[3].startswith("http") and row[1].isupper()
    }
    assert (sets["openai"], sets["google"], sets["anthropic"]) == ("yes", "yes", "no")
    keys = {provider["name"]: provider["key_set_in"] for provider in document["providers"]}
    assert (keys["openai"], keys["google"], keys["anthropic"]) == ("OPENAI_API_KEY", "GOOGLE_API_KEY", None)
    needless = [provider for provider in document["providers"] if not provider["key_required"]]
    for provider in needless:
        (row,) = [row for row in rows if row[:1] == [provider["name"]] and provider["base_url"] in row]
        assert row[1:-1] == (
            [*provider["key_env"][:1], "(optional)", "-"] if provider["key_env"] else ["none", "needed", "-"]
        )
    for form, about in document["forms"].items():
        assert any(line.startswith(form) and line.endswith(about) for line in lines), form
    for model, price in document["prices"]["models"].items():
        source = price["source"]
        assert [model, f"{price['input']:g}", f"{price['output']:g}", source] in rows
    assert document["prices"]["models"]["lab/own*"] == {
        "input": 1.25,
        "output": 0.075,
        "source": str(tmp_path / "prices.toml"),
    }
    assert ["model", "input", "output", "from"] in rows


def test_where_own_prices_and_cards_belong_is_told_and_whether_they_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "folkways"
    settings = environment(XDG_CONFIG_HOME=str(tmp_path / "config"), HOME=str(tmp_path))
    before = folkways("endpoints", env=settings).stdout.splitlines()
    assert (
        f"Your own prices: {folder / 'prices.toml'} (does not exist yet; write it to correct or add prices)"
        in before
    )
    cards = f"Your own model cards: {folder / 'model_cards.toml'}"
    assert f"{cards} (does not exist yet; write it to correct or add models)" in before
    folder.mkdir(parents=True)
    (folder / "prices.toml").write_text(OWN, encoding="utf-8")
    after = folkways("endpoints", env=settings).stdout.splitlines()
    assert f"Your own prices: {folder / 'prices.toml'} (is read)" in after
    assert f"{cards} (does not exist yet; write it to correct or add models)" in after
    document = json.loads(folkways("endpoints", "--json", env=settings).stdout)
    families = {(card["provider"], card["family"]) for card in document["model_cards"]["models"].values()}
    told = f"{len(document['model_cards']['models'])} names of {len(families)} families"
    assert f"Model cards: {told}, as of {document['model_cards']['as_of']} (all of them: --json)" in after
    assert (document["prices"]["user_file_exists"], document["model_cards"]["user_file_exists"]) == (
        True,
        False,
    )
    assert f"per million tokens, as of {document['prices']['as_of']}" in " ".join(after)


def test_a_way_to_name_a_model_is_on_one_line_however_narrow_the_terminal(tmp_path: Path) -> None:
    settings = environment(HOME=str(tmp_path), COLUMNS="60")
    text, document = (folkways("endpoints", *more, env=settings).stdout for more in ((), ("--json",)))
    starts = [line.strip() for line in text.partition("Ways to name a model")[2].splitlines()]
    for form in json.loads(document)["forms"]:
        assert any(line.startswith(f"{form} ") for line in starts), form
