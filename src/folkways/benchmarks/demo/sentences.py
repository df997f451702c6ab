"""demo/identification, demo/prediction and demo/adaptation: sentences with culture-specific items (CSIs) in
tags."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.demo.tasks import DemoTask, local_language
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.cultures import get_culture, get_language
from folkways.metrics.spans import CLOSING, OPENING, hi_csi, hp_csi_per_gold, si_csi, tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import Metric, Schema, State

SOURCE_CULTURE = "ANGLO"
MASK = "[MASK]"
NON_TRANSFERABLE = re.compile(r"\bnon[-\s]?transferr?able\b", re.I)
SAME_SENTENCE = 0.5  # edit similarity from which a reply without tags is the sentence given back
SI_CSI = Metric("si_csi", "SI-CSI", "Soft F1 of the tagged spans under the best pairing.", kind="mean")


class SentenceTask(DemoTask):
    """A task on the tagged sentences of the source culture; the reply has to carry tags."""

    file: ClassVar[str] = "sentences.toml"
    max_tokens: ClassVar[int] = 160

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for sentence in data["sentence"]:
            yield {
                "item": sentence["id"],
                "culture": SOURCE_CULTURE,
                "topic": sentence["topic"],
                "text": self.shown(sentence["text"]),
                "gold": sentence["text"],
            }

    def shown(self, tagged: str) -> str:
        """What a model is shown of the tagged sentence."""
        return tagged

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": item["text"]}

    @abstractmethod
    def values(self, gold: str, reply: str) -> Mapping[str, float | None]:
        """The task's metrics for one sentence."""

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        spans = tagged_spans(reply, across_lines=True)
        if not spans:
            return unparsed(reply, language, "no answer in the reply")
        expected = tagged_spans(item["gold"], across_lines=True)
        return ReplyScore(
            "; ".join(spans), f"expected: {'; '.join(expected)}", self.values(item["gold"], reply)
        )


class Identification(SentenceTask):
    """The tags are taken out, and the model puts them back."""

    name: ClassVar[str] = "demo/identification"
    title: ClassVar[str] = "Demo: finding culture-specific items"
    about: ClassVar[str] = "English sentences in which the model marks what belongs to one culture."
    metrics: ClassVar[tuple[Metric, ...]] = (
        SI_CSI,
        Metric("hi_csi", "HI-CSI", "Share of the tagged spans that are found.", kind="mean"),
    )

    def shown(self, tagged: str) -> str:
        return tagged.replace(OPENING, "").replace(CLOSING, "")

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        """As for every sentence; one given back without a tag says that nothing in it is specific, which is
        an answer too."""
        result = super().score(item, response, profile)
        if (
            result.state is not State.ANSWERED
            and edit_similarity(response["response"], item["text"]) >= SAME_SENTENCE
        ):
            return ReplyScore("", "nothing is tagged", self.values(item["gold"], response["response"]))
        return result

    def values(self, gold: str, reply: str) -> Mapping[str, float | None]:
        return {"si_csi": si_csi(gold, reply).f1, "hi_csi": hi_csi(gold, reply)}


class Prediction(SentenceTask):
    """The text between the tags is hidden, and the model fills it in."""

    name: ClassVar[str] = "demo/prediction"
    title: ClassVar[str] = "Demo: guessing culture-specific items"
    about: ClassVar[str] = "English sentences in which the model fills in what was hidden."
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("hp_csi", "HP-CSI", "Share of the hidden items that are guessed.", kind="mean"),
    )

    def shown(self, tagged: str) -> str:
        for span in tagged_spans(tagged, across_lines=True):
            tagged = tagged.replace(f"{OPENING}{span}{CLOSING}", f"{OPENING}{MASK}{CLOSING}")
        return tagged

    def values(self, gold: str, reply: str) -> Mapping[str, float | None]:
        return {"hp_csi": hp_csi_per_gold(gold, reply)}


class Adaptation(DemoTask):
    """The sentence is rewritten for another culture, within English and in its language; refusing is right
    where nothing fits."""

    name: ClassVar[str] = "demo/adaptation"
    title: ClassVar[str] = "Demo: adapting sentences to another culture"
    about: ClassVar[str] = (
        "The model puts another culture's items in the place of English ones, or says that nothing takes "
        "their place."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        SI_CSI,
        Metric(
            "transferable",
            "Transferable or not",
            "The reply says Non-transferable exactly where nothing takes the item's place.",
        ),
    )
    file: ClassVar[str] = "sentences.toml"
    max_tokens: ClassVar[int] = 160
    item_columns: ClassVar[Schema] = {"gold_en": pl.String, "gold_local": pl.String}

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        sentences = {sentence["id"]: sentence for sentence in data["sentence"]}
        for adaptation in data["adaptation"]:
            sentence = sentences[adaptation["sentence"]]
            yield {
                "item": f"{adaptation['culture']}/{sentence['id']}",
                "question": sentence["id"],
                "culture": adaptation["culture"],
                "topic": sentence["topic"],
                "text": sentence["text"],
                "gold_en": adaptation["en"],
                "gold_local": adaptation["local"],
                "gold": f"{adaptation['en']} / {adaptation['local']}",
            }

    def languages(self, item: Row) -> tuple[str, ...]:
        return local_language(item["culture"]), "en"

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {
            "question": item["text"],
            "culture": get_culture(item["culture"]).name,
            "language": get_language(language).name,
        }

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"si_csi": None if NON_TRANSFERABLE.search(item["gold_en"]) else 0.0, "transferable": 0.0}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        gold = item["gold_en"] if language == "en" else item["gold_local"]
        spans = tagged_spans(reply, across_lines=True)
        refuses = not spans and bool(NON_TRANSFERABLE.search(reply))
        if not spans and not refuses:
            return unparsed(reply, language, "no answer in the reply")
        impossible = bool(NON_TRANSFERABLE.search(gold))
        values = {
            "si_csi": None if impossible else si_csi(gold, reply).f1,
            "transferable": float(refuses == impossible),
        }
        return ReplyScore("Non-transferable" if refuses else "; ".join(spans), f"expected: {gold}", values)
