"""demo/saq: a question in the culture's own language and in English, answered in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import AnswerGroups, answer_groups
from folkways.benchmarks.demo.common import DemoTask, local_language
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.cultures import get_language
from folkways.records import Metric, Schema
from folkways.text.normalise import strict_text
from folkways.text.refusals import is_refusal

WITHOUT_WORD_BORDERS = ("Hans", "Kore", "Ethi")  # no spaces between words, or particles grown onto them


class ShortAnswers(DemoTask):
    """Right when the reply contains one of the accepted answers, in the language asked or in English."""

    name: ClassVar[str] = "demo/saq"
    title: ClassVar[str] = "Demo: short answers"
    about: ClassVar[str] = (
        "Everyday questions in the language of each culture and in English; one of several accepted "
        "answers counts."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("correct", "Accuracy", "The reply contains an accepted answer."),
    )
    file: ClassVar[str] = "short_answers.toml"
    item_columns: ClassVar[Schema] = {
        "local_text": pl.String,
        "answers": pl.List(pl.Struct({"en": pl.List(pl.String), "local": pl.List(pl.String)})),
    }

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for question in data["question"]:
            yield {
                "item": question["id"],
                "culture": question["culture"],
                "topic": question["topic"],
                "text": question["en"],
                "local_text": question.get("local"),
                "answers": question["answers"],
                "gold": "; ".join(
                    " / ".join(group.get("local", []) + group["en"]) for group in question["answers"]
                ),
            }

    def accepted_answers(self, item: Mapping[str, Any]) -> AnswerGroups:
        return answer_groups([*(group["local"] or ()), *group["en"]] for group in item["answers"])

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        return str(item["text" if language == "en" else "local_text"])

    def languages(self, item: Row) -> tuple[str, ...]:
        return ("en",) if item["local_text"] is None else (local_language(item["culture"]), "en")

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": self.question_in(item, language)}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        for group in item["answers"]:
            accepted = [(answer, "en") for answer in group["en"]]
            if language != "en":
                accepted = [(answer, language) for answer in group["local"] or ()] + accepted
            for answer, spoken in accepted:
                if contains_answer(reply, answer, spoken):
                    return ReplyScore(reply.strip(), f"contains {answer!r}", {"correct": 1.0})
        if not reply.strip() or is_refusal(reply, language):
            return unparsed(reply, language, "no answer in the reply")
        return ReplyScore(reply.strip(), "contains no accepted answer", {"correct": 0.0})


def contains_answer(reply: str, answer: str, language: str) -> bool:
    """Whether the answer occurs in the reply, whatever case and accents, as whole words where the script has
    word borders."""
    said, wanted = (strict_text(text, language) for text in (reply, answer))
    if get_language(language).script in WITHOUT_WORD_BORDERS and not wanted.isascii():
        if (
            len(wanted) == 1 and get_language(language).script == "Kore"
        ):  # a syllable that other words have inside them too
            return re.search(rf"(?<!\w){re.escape(wanted)}", said) is not None
        return wanted in said
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said) is not None
