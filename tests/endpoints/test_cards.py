"""Model cards: who is known, who is not, and what the user's own file changes."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from folkways.cli.endpoints import command
from folkways.cultures import cultures
from folkways.endpoints.cards import cards_of, load_cards, user_cards_file
from folkways.errors import DataError
from folkways.records import ModelCard

LLAMA = ModelCard("Meta", "Llama", 8, date(2024, 7, 23), "US")


@pytest.fixture(autouse=True)
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the settings of the person who runs it."""
    monkeypatch.setattr("folkways.endpoints.cards.user_config_dir", lambda *_, **__: str(tmp_path))
    return tmp_path / "model_cards.toml"


@pytest.mark.parametrize(
    "endpoint",
    [
        "together/meta-llama/Meta-Llama-3.1-8B-Instruct",
        "http://localhost:8000/v1#meta-llama/Llama-3.1-8B-Instruct",
        "http://localhost:8000/v1#llama-3.1-8b-instruct?temperature=0.7&seed=1",
        "hf/meta-llama/Llama-3.1-8B-Instruct@0e9e39f",
        "ollama/llama3.1:8b",
        "groq/llama-3.1-8b-instant",
    ],
)
def test_a_model_is_known_wherever_it_is_served(endpoint: str) -> None:
    assert load_cards().find(endpoint) == LLAMA


@pytest.mark.parametrize(
    "endpoint",
    [
        "together/someone/llama-3.1-8b-instruct-tuned",
        "openai/gpt-99",
        "baseline/random",
        "baseline/constant:gpt-4o",
        "replay:gpt-4o",
        "replay:replies/gpt-4o",
        "http://gpt-4o/v1#mine",
    ],
)
def test_a_model_that_nobody_described_is_unknown(endpoint: str) -> None:
    assert load_cards().find(endpoint) is None
    assert cards_of([endpoint]) == {}


def test_a_name_for_changing_snapshots_has_no_date() -> None:
    cards = load_cards()
    line = {"line": "GPT", "generation": 3}
    assert cards.find("openai/gpt-4o") == ModelCard("OpenAI", "GPT-4o", home="US", **line)
    assert cards.find("openai/gpt-4o-2024-08-06") == ModelCard(
        "OpenAI", "GPT-4o", None, date(2024, 8, 6), "US", **line
    )


def test_a_users_lines_say_which_families_succeed_one_another(own_file: Path) -> None:
    own_file.write_text(
        '[[lines]]\nname = "Llamas"\nfamilies = ["Mine", "Llama"]\n[[models]]\nnames = ["m"]\nfamily = "Mine"\n'
        'reasoning_of = "Llama"\n',
        encoding="utf-8",
    )
    mine, llama = (load_cards().find(name) for name in ("lab/m", "groq/llama-3.1-8b-instant"))
    assert mine == ModelCard(family="Mine", reasoning_of="Llama", line="Llamas", generation=1)
    assert llama is not None and (llama.line, llama.generation) == ("Llamas", 2)
    own_file.write_text('[[lines]]\nname = "Llamas"\n[[models]]\nnames = ["m"]\n', encoding="utf-8")
    with pytest.raises(DataError, match="row 1: a line has a name and the families"):
        load_cards()


def test_families_of_packaged_lines_have_cards() -> None:
    cards = load_cards()
    assert set(cards.lines) <= {card.family for card in cards.layers[-1].values()}


def test_packaged_cards_are_dated_before_the_table_and_know_who_made_the_model() -> None:
    cards = load_cards()
    as_of = date.fromisoformat(cards.as_of)
    for name, card in cards.layers[-1].items():
        assert card.provider, name
        assert card.family, name
        assert card.home in cultures(), name
        assert card.released is None or date(2022, 1, 1) < card.released <= as_of, name
        assert "*" not in name, "a pattern would guess"


def test_the_users_file_wins_and_may_have_patterns(own_file: Path) -> None:
    own_file.write_text(
        '[[models]]\nnames = ["my-*", "http://localhost:8000/v1#x"]\nprovider = "Us"\nsize = 0.5\n'
        '[[models]]\nnames = ["gpt-4o"]\nprovider = "Them"\n[[models]]\nnames = ["my-model-*"]\nprovider = "We"\n',
        encoding="utf-8",
    )
    cards = load_cards()
    assert (
        cards.find("http://localhost:8000/v1#x?temperature=1")
        == cards.find("vllm/My-model")
        == ModelCard("Us", size=0.5)
    )
    assert cards.find("vllm/my-model-8b") == ModelCard("We"), "the longest pattern counts"
    assert cards.find("http://elsewhere/v1#x") is None
    assert cards.find("openai/gpt-4o") == ModelCard("Them")
    assert cards.find("openai/gpt-4o-mini") == ModelCard(
        "OpenAI", "GPT-4o mini", None, date(2024, 7, 18), "US", line="GPT mini", generation=1
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("models = 3", "no model cards"),
        ("[[models]]\nprovider = 'Us'", "row 1: a model needs a list of names"),
        ("[[models]]\nnames = ['a']\nsizes = 3", "unknown field 'sizes'; valid: names, provider"),
        ("[[models]]\nnames = ['a']\nsize = '8B'", "size must be billions of parameters"),
        ("[[models]]\nnames = ['a']\nsize = -1", "size must be billions of parameters"),
        (
            "[[models]]\nnames = ['a']\nreleased = '2025-01-31'",
            "released must be a day, written 2025-01-31 without quotes",
        ),
        ("[[models]]\nnames = ['a']\nreleased = 2025-01-31T10:00:00", "released must be a day"),
        (
            "[[models]]\nnames = ['a']\n[[models]]\nnames = ['A']\nsize = 8",
            "row 2: the model 'A' has two cards",
        ),
        ("[[models]", "not valid TOML"),
    ],
)
def test_a_file_that_is_no_table_of_cards_says_what_is_wrong(own_file: Path, text: str, what: str) -> None:
    own_file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        load_cards()
    assert what in str(error.value)
    assert str(own_file) in str(error.value)


def test_the_command_says_where_the_file_belongs_and_what_is_known(own_file: Path) -> None:
    shown = CliRunner().invoke(command, [], catch_exceptions=False).output
    assert f"Your own model cards: {user_cards_file()} (does not exist yet" in shown.replace("\n", "")
    found = json.loads(CliRunner().invoke(command, ["--json"], catch_exceptions=False).output)["model_cards"]
    assert found["models"]["llama3.1:8b"] == {
        "provider": "Meta",
        "family": "Llama",
        "size": 8,
        "released": "2024-07-23",
        "home": "US",
        **dict.fromkeys(("reasoning_of", "line", "generation")),
    }
    own_file.write_text('[[models]]\nnames = ["llama3.1:8b"]\nprovider = "Us"\n', encoding="utf-8")
    found = json.loads(CliRunner().invoke(command, ["--json"], catch_exceptions=False).output)["model_cards"]
    assert (found["models"]["llama3.1:8b"]["provider"], found["user_file_exists"]) == ("Us", True)
