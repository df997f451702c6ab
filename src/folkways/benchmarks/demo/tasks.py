"""The demo's tasks with short answers or labels: demo/saq, demo/everyday, demo/mcq and demo/true-false."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import AnswerGroups, PromptOptions, Scoring, answer_groups
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, all_right, unparsed
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.cultures import get_culture, get_language
from folkways.errors import UnknownNameError
from folkways.records import Metric, Schema
from folkways.releases.release_records import Release
from folkways.text.labels import TRUTHS, chosen_label, settled_truth
from folkways.text.normalise import strict_text
from folkways.text.refusals import is_refusal
from folkways.toml_files import read_toml


class DemoTask(ItemwiseTask):
    """A task on the demo's questions. A subclass says what an item is, what fills its prompt, and whether a
    reply is right."""

    release: ClassVar[str] = "demo"
    facets: ClassVar[tuple[str, ...]] = ("topic",)
    # The demo has no paper, so every profile is the same one.
    scoring: ClassVar[Scoring] = Scoring(aliases={"paper": "strict", "lenient": "strict"})
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    max_tokens: ClassVar[int] = 64
    file: ClassVar[str]
    wording: ClassVar[str] = ""  # the task whose prompts it is asked with, where they are another's

    @abstractmethod
    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        """``rows`` out of what the file holds."""

    def rows(self, release: Release) -> Iterator[Row]:
        path = release.path(self.file)
        return self.read_items(_read(path, path.stat().st_mtime_ns))

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        texts = wordings("folkways.benchmarks.demo")[self.wording or self.name.split("/")[1]]
        template = Template(texts.get(language, texts["en"]), "folkways")
        return choose_templates(
            self.name, options, {"plain": lambda: template}, self.variants, needed=("question",)
        )

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """As for every task; UnknownNameError for languages that no question is in."""
        made = super().prompts(items, options, release)
        if items.height and made.is_empty():
            offered = {language for item in items.iter_rows(named=True) for language in self.languages(item)}
            raise UnknownNameError(
                f"language of {self.name}", ", ".join(options.languages or ()), {"local", *offered}
            )
        return made


@lru_cache(8)  # a run reads its items several times
def _read(path: Path, _changed: int) -> dict[str, Any]:
    return read_toml(path)


def local_language(culture: str) -> str:
    """The language that people of the culture are asked in."""
    return get_culture(culture).languages[0]


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
        Metric("correct", "Accuracy", "The reply contains an accepted answer.", accuracy=True),
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
                "gold": _shown(question["answers"]),
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


@lru_cache(4096)  # the items are read several times for each run, and judged in each profile
def contains_answer(reply: str, answer: str, language: str) -> bool:
    """Whether the answer occurs in the reply, whatever case and accents, as whole words where the script has
    word borders."""
    text, wanted = (strict_text(text, language) for text in (reply, answer))
    if get_language(language).script in WITHOUT_WORD_BORDERS and not wanted.isascii():
        # a syllable that other words have inside them too
        if len(wanted) == 1 and get_language(language).script == "Kore":
            return re.search(rf"(?<!\w){re.escape(wanted)}", text) is not None
        return wanted in text
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


OPTIONS = 4


class EverydayLife(ShortAnswers):
    """Judged as ``demo/saq``. The questions are the same about every culture, so that scores of cultures can
    be compared.

    A model that is read by likelihood chooses among four answers, which the prompt does not show: the
    culture's own and those of three other cultures, as in BLEnD's multiple choice. Chance is then 25 %.
    """

    name: ClassVar[str] = "demo/everyday"
    title: ClassVar[str] = "Demo: everyday life"
    about: ClassVar[str] = (
        "The same eight everyday questions about each of nine cultures, in its language and in English; "
        "short answers, or with read=loglik the likeliest of four."
    )
    file: ClassVar[str] = "everyday.toml"
    wording: ClassVar[str] = "saq"
    item_columns: ClassVar[Schema] = {
        **ShortAnswers.item_columns,
        "options": pl.List(pl.String),
        "local_options": pl.List(pl.String),
    }

    max_tokens: ClassVar[int] = 32

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for country_index, (culture, country) in enumerate(data["countries"].items()):
            language = local_language(culture)
            for number, question in enumerate(data["question"]):
                groups = question["answers"][culture]
                options = [_options(question["options"], culture, groups)]
                options += [] if language == "en" else [question["local"][language]]
                turned = [_turned(row, (country_index + number) % OPTIONS) for row in options]
                yield {
                    "item": f"{culture}/{question['topic']}",
                    "culture": culture,
                    "topic": question["topic"],
                    "text": question["text"]["en"].format(country=country),
                    "local_text": question["text"].get(language) if language != "en" else None,
                    "answers": groups,
                    "gold": _shown(groups),
                    "options": turned[0],
                    "local_options": turned[1] if len(turned) > 1 else None,
                }

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """As for every task; ``choices`` has the answers whose likelihoods are compared."""
        offered = items.select("item", "options", "local_options")
        choices = pl.when(language="en").then("options").otherwise("local_options")
        prompts = (
            super()
            .prompts(items, options, release)
            .join(offered, on="item", how="left", maintain_order="left")
        )
        return prompts.with_columns(choices=choices).drop("options", "local_options")


def _shown(groups: Sequence[Mapping[str, Any]]) -> str:
    """Groups of answers as a person reads them, each answer once: ``과자 / snack; 과일 / fruit``."""
    answers = (dict.fromkeys([*group.get("local", ()), *group["en"]]) for group in groups)
    return "; ".join(map(" / ".join, answers))


def _options(answers: Mapping[str, str], culture: str, groups: list[Mapping[str, list[str]]]) -> list[str]:
    """The culture's answer, and three that are wrong: those of the cultures that follow, from the first again
    after the last."""
    accepted = [answer for group in groups for answer in group["en"]]
    cultures = list(answers)
    start = cultures.index(culture)
    following = dict.fromkeys(answers[code] for code in cultures[start + 1 :] + cultures[:start])
    wrong = (
        option
        for option in following
        if not any(contains_answer(option, answer, "en") for answer in accepted)
    )
    return [answers[culture], *islice(wrong, OPTIONS - 1)]


def _turned(options: list[str], turn: int) -> list[str]:
    """The options with the first at the place ``turn``."""
    first, *others = options
    return [*others[:turn], first, *others[turn:]]


LETTERS = ("A", "B", "C", "D")


class MultipleChoice(DemoTask):
    """Right when the option that the reply settles on, by letter or text, is the answer. Chance is 25 %."""

    name: ClassVar[str] = "demo/mcq"
    title: ClassVar[str] = "Demo: multiple choice"
    about: ClassVar[str] = "English questions with four options, one of them right."
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("correct", "Accuracy", "The reply settles on the right letter.", accuracy=True),
    )
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = LETTERS
    gold_label: ClassVar[str] = "answer"
    file: ClassVar[str] = "multiple_choice.toml"
    item_columns: ClassVar[Schema] = {"options": pl.List(pl.String), "answer": pl.String}

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for question in data["question"]:
            answer = question["answer"]
            yield {
                "item": question["id"],
                "culture": question["culture"],
                "topic": question["topic"],
                "text": question["question"],
                "options": question["options"],
                "answer": answer,
                "gold": f"{answer}. {question['options'][LETTERS.index(answer)]}",
            }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        options = [f"{letter}. {option}" for letter, option in zip(LETTERS, item["options"], strict=True)]
        return {"question": item["text"], "options": "\n".join(options)}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        letter = chosen_label(reply, dict(zip(LETTERS, item["options"], strict=True)))
        if letter is None:
            return unparsed(reply, language, "no answer in the reply")
        right = letter == item["answer"]
        return ReplyScore(
            letter,
            "the right letter" if right else f"the right letter is {item['answer']}",
            {"correct": float(right)},
        )


class TrueFalse(DemoTask):
    """Four statements belong to a question, and the question is right when all four judgements are. Chance is
    6.25 %."""

    name: ClassVar[str] = "demo/true-false"
    title: ClassVar[str] = "Demo: true or false"
    about: ClassVar[str] = (
        "Four proposed answers to each English question, each judged on its own; any number of them may "
        "be right."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "all_right",
            "All four right",
            "Every statement of the question is judged rightly.",
            per="question",
            accuracy=True,
        ),
        Metric(
            "right",
            "Statements right",
            "The statement is judged rightly; a constant False gets this right often.",
        ),
    )
    labels: ClassVar[tuple[str, ...]] = TRUTHS
    file: ClassVar[str] = "true_false.toml"
    item_columns: ClassVar[Schema] = {"statement": pl.String, "truth": pl.String}

    def chance(self) -> float:
        return 100 / 2**4  # four statements, all of them judged rightly

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for question in data["question"]:
            for number, statement in enumerate(question["statements"], start=1):
                yield {
                    "item": f"{question['id']}/{number}",
                    "question": question["id"],
                    "culture": question["culture"],
                    "topic": question["topic"],
                    "text": f"{question['question']} {statement['text']}",
                    "statement": statement["text"],
                    "truth": str(statement["true"]),
                    "gold": str(statement["true"]),
                }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {
            "question": item["text"].removesuffix(f" {item['statement']}"),
            "statement": item["statement"],
        }

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language = response["response"], response["language"]
        truth = settled_truth(reply)
        if truth is None:
            return unparsed(reply, language, "no answer in the reply")
        values = {"right": float(truth == item["truth"]), "all_right": None}  # ``judge`` finds the second
        return ReplyScore(truth, f"the statement is {item['truth'].lower()}", values)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, with ``all_right``."""
        judged = super().judge(items, responses, profile)
        statements = items.group_by("question").len(name="statements")
        return (
            judged.join(statements, on="question", how="left", maintain_order="left")
            .with_columns(all_right=all_right("statements"))
            .select(judged.columns)
        )
