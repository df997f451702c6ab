"""Every option of folkways.run does what it says, to the requests or to the denominator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

import folkways
from folkways.errors import FolkwaysError
from tests.api.conftest import QUESTIONS
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import CODES


def last_body(server: ChatServer) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(server.stats()["last"]["body"])
    return body


class TestOptions:
    """What is asked of whom, and what cannot be."""

    def test_limit_is_drawn_by_the_seed_and_always_alike(self, ask: Any, tmp_path: Path) -> None:
        drawn = [
            set(ask(limit=20, workspace=tmp_path / f"{n}.db", seed=seed).responses()["item"])
            for n, seed in enumerate((0, 0, 1))
        ]
        assert [len(items) for items in drawn] == [20, 20, 20]
        assert drawn[0] == drawn[1]
        assert drawn[0] != drawn[2]

    def test_limit_takes_as_many_of_each_culture(self, ask: Any) -> None:
        judged = ask(limit=20).judgements()
        assert dict(judged.group_by("culture").len().iter_rows()) == dict.fromkeys(CODES, 2)

    @pytest.mark.parametrize("cultures", ["KR", ["KR", "GB"], ("South Korea", "GB"), ["gb"]])
    def test_cultures(self, ask: Any, server: ChatServer, cultures: Any) -> None:
        judged = ask(cultures=cultures).judgements()
        count = 1 if isinstance(cultures, str) else len(cultures)
        assert judged["culture"].n_unique() == count
        assert server.stats()["total"] == judged.height == count * QUESTIONS // len(CODES)

    def test_samples_are_asked_one_by_one(self, ask: Any, server: ChatServer) -> None:
        run = ask(samples=3, limit=10)
        stats = server.stats(bodies=True)
        assert stats["total"] == 30
        assert {count for count, _ in stats["bodies"].values()} == {3}
        assert set(run.responses()["sample"]) == {0, 1, 2}

    def test_system_prompt_settings_and_limit_of_tokens_are_sent(self, ask: Any, server: ChatServer) -> None:
        ask(limit=10)
        plain = last_body(server)
        assert [message["role"] for message in plain["messages"]] == ["user"]
        assert (plain["temperature"], plain["top_p"], "seed" in plain) == (0.0, 1.0, False)
        ask(
            limit=10,
            system="Be brief.",
            settings={"temperature": 0.5, "top_p": None, "seed": 7},
            max_tokens=5,
        )
        changed = last_body(server)
        assert changed["messages"][0] == {"role": "system", "content": "Be brief."}
        assert (changed["temperature"], changed["seed"], changed["max_tokens"]) == (0.5, 7, 5)
        assert "top_p" not in changed

    def test_variants_and_languages(self, server: ChatServer, tmp_path: Path) -> None:
        model = f"{server.url}/v1#test-model"
        own = folkways.run(
            "demo/saq", models=model, workspace=tmp_path / "w.db", cultures="KR", languages="en"
        ).responses()
        assert set(own["language"]) == {"en"}
        mine = {"mine": "Tell me: {q}"}
        run = folkways.run(
            "demo/saq",
            models=model,
            workspace=tmp_path / "w.db",
            cultures="KR",
            languages="en",
            prompt_texts=mine,
            variants="mine",
        )
        assert set(run.responses()["variant"]) == {"mine"}
        assert last_body(server)["messages"][-1]["content"].startswith("Tell me: ")

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"cultures": "XX"}, "unknown culture 'XX'"),
            ({"limit": 0}, "limit must be at least 1"),
            ({"settings": {"temprature": 1}}, "'temprature'.*'temperature'"),
            ({"settings": {"temperature": 7}}, "must lie between 0 and 2"),
            ({"culture": "KR"}, "'culture'.*cultures="),
            ({"seed": 2**70}, "at most 64 bits"),
            ({"system": "\ud800"}, "text in UTF-8"),
            ({"budget": "some"}, "cannot read the budget"),
            ({"profile": "nope"}, "unknown profile"),
        ],
    )
    def test_wrong_options_are_errors_for_people(
        self, ask: Any, server: ChatServer, options: Mapping[str, Any], words: str
    ) -> None:
        with pytest.raises(FolkwaysError, match=words):
            ask(**options)
        assert server.stats()["total"] == 0
