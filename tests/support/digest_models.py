"""Models that answer, err, refuse, think, are cut and fail, by the digest of their name and the question: always
the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from folkways.benchmarks.contract import items_of
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.endpoints.base import Completion, EndpointFailure, Request

WORDS = {
    "en": ("coffee", "tea", "football"),
    "ko": ("보리차", "윷놀이", "축구"),
    "es": ("café", "fútbol", "té"),
}
KINDS = ("right",) * 4 + (
    "word",
    "word",
    "refused",
    "filtered",
    "cut",
    "thinks",
    "foreign",
    "failed",
    "blank",
)
"""How a model answers a question; which of them, its digest says."""


def share(*texts: object) -> int:
    """A number that is always the same."""
    return int.from_bytes(blake2b("/".join(map(str, texts)).encode(), digest_size=4).digest(), "big")


@dataclass
class DigestModel:
    """A model that answers by the digest of its name and the question. golds: item -> its answer."""

    name: str
    golds: Mapping[str, str]
    skill: int = 2
    runs_here: bool = False
    local = True
    item_addressed = False
    default_concurrency = 4

    @property
    def identity(self) -> str:
        return self.name

    async def open(self, concurrency: int) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def complete(self, request: Request) -> Completion:
        """What it says."""
        chance = share(
            self.name, request.task, request.item, request.language, request.variant, request.sample
        )
        kind = "right" if chance % 5 < self.skill else KINDS[chance // 5 % len(KINDS)]
        used: dict[str, Any] = {"input_tokens": len(request.user) // 3, "output_tokens": 3 + chance % 7}
        word = WORDS.get(request.language, WORDS["en"])[chance % 3]
        letter = (request.choices or ("A",))[chance % max(1, len(request.choices or ()))][:1]
        if kind == "failed":
            raise EndpointFailure(f"no reply to request {10_000 + chance % 1000}: 'busy'", status=400)
        if kind == "filtered":
            return Completion("", "content_filter", refusal="I may not say that.", **used)
        text = {
            "right": self.golds.get(request.item, word).partition(".")[0].partition(" / ")[0],
            "word": letter if request.choices else word,
            "refused": "I cannot answer that.",
            "cut": "Well, that depends",
            "thinks": f"The answer is {letter if request.choices else word}.",
            "foreign": "Это зависит от семьи и от времени года.",
            "blank": "",
        }[kind]
        thoughts = "What could it be?" if kind == "thinks" else None
        reason = "length" if kind == "cut" else "stop"
        served = f"{self.name}-{1 + chance % 2}" if self.skill == 3 else None
        return Completion(
            text, reason, model=served, thoughts=thoughts, reasoning_tokens=7 if thoughts else None, **used
        )


def golds_of(releases: Mapping[str, str]) -> dict[str, str]:
    """Item -> its answer, of these tasks."""
    return {
        row["item"]: row["gold"]
        for task, name in releases.items()
        for batch in items_of(get_task(task), open_release(name, task.partition("/")[0]))
        for row in batch.iter_rows(named=True)
    }
