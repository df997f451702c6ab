"""semeval2026/saq, short answers in 61 locales (track 1), and semeval2026/mcq, multiple choice (track 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import AnswerGroups, PromptOptions, Scoring, ShownOptions, answer_groups
from folkways.benchmarks.free_answers.matching import (
    LANGUAGE_METRICS,
    MATCHERS,
    ONLY_THE_PROMPT,
    READ_AS_MISSING,
    Matcher,
    answers_in,
    clean_as_paper,
    clean_strictly,
    language_values,
    repeats_the_prompt,
)
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.multiple_choice.task import CHANCE, CONSTANT
from folkways.benchmarks.semeval2026.predictions import letters, short_replies
from folkways.benchmarks.semeval2026.release import (
    LABELS,
    NOT_ANSWERED,
    Entry,
    people_answered,
    questions_file,
    read_answers,
    read_letters,
    ways_to_put,
)
from folkways.benchmarks.semeval2026.templates import same_wordings, sampled_questions
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.cultures import get_culture
from folkways.records import Metric, Schema, State
from folkways.releases.release_records import Release
from folkways.text.labels import chosen_label
from folkways.text.refusals import is_refusal
from folkways.text.repeated import without_repeated
from folkways.text.tools import get_tool, has_tool


class SemEvalTask(ItemwiseTask):
    """A task on the competition's data, which can be judged without its questions and not asked."""

    release: ClassVar[str] = "semeval2026"
    facets: ClassVar[tuple[str, ...]] = ("locale", "region", "asked_in")
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    has_options: ClassVar[bool]

    def languages(self, item: Row) -> tuple[str, ...]:
        return (item["spoken"],)

    def check_askable(self, release: Release) -> None:
        release.path(questions_file(release, options=self.has_options))

    def options_of(self, item: Mapping[str, Any]) -> ShownOptions:
        return replace(super().options_of(item), order_key=str(item["number"]))

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"correct": 0.0}


def shared_columns(entry: Entry, question: str) -> Row:
    """What the items of both tasks have. ``asked_in`` tells English about a region from the region's own
    language.

    question: what is sampled, which items about several regions share (``templates``).
    """
    culture = get_culture(entry.culture)
    return {
        "item": entry.id,
        "question": question,
        "number": entry.number,
        "culture": entry.culture,
        "spoken": entry.language,
        "text": entry.text,
        "locale": entry.locale,
        "region": culture.region,
        "asked_in": "local language" if entry.language in culture.languages else "English",
    }


LANGUAGES = (
    *(
        "am",
        "ar",
        "as",
        "az",
        "bg",
        "el",
        "en",
        "es",
        "eu",
        "fa",
        "fr",
        "ga",
        "ha",
        "id",
        "ja",
        "ko",
        "ms",
        "su",
        "sv",
        "ta",
    ),
    *("tl", "zh"),
)


def _plain() -> Template:
    return Template(wordings("folkways.benchmarks.semeval2026")["saq"]["plain"], "folkways")


class ShortAnswers(SemEvalTask):
    """Right when the reply has an answer that people of the region gave, by BLEnD's rule; the organisers' is
    not to be had."""

    name: ClassVar[str] = "semeval2026/saq"
    title: ClassVar[str] = "SemEval-2026 Task 7, short answers"
    about: ClassVar[str] = (
        "Everyday questions of 31 regions in 22 languages, and in English; a reply counts when it has an "
        "answer that people of the region gave, by BLEnD's rule (track 1)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("correct", "Accuracy", "The reply has any answer that people gave (track 1).", accuracy=True),
        Metric(
            "first_correct",
            "Accuracy, first answer",
            "The same of the first answer alone where the reply lists several.",
        ),
        *LANGUAGE_METRICS,
    )
    item_columns: ClassVar[Schema] = {
        "number": pl.String,
        "spoken": pl.String,
        "english": pl.String,
        "answers": pl.List(pl.String),
    }
    max_tokens: ClassVar[int] = 128
    scoring: ClassVar[Scoring] = Scoring(
        ("paper", "strict"), text_tools=("default", "simple"), per_reply=True
    )
    has_options: ClassVar[bool] = False

    def __init__(self) -> None:
        self._matchers: dict[tuple[str, str], Matcher] = {}

    @property
    def tool_set(self) -> str:
        return self.tools.text_tools or "default"

    def rows(self, release: Release) -> Iterator[Row]:
        entries = list(read_answers(release))
        questions = sampled_questions(entries)
        for entry in entries:
            columns = {"english": entry.english, "answers": entry.answers}
            yield {
                **shared_columns(entry, questions[entry.number]),
                **columns,
                "gold": "; ".join(entry.answers),
            }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        get_tool(language, self.tool_set)  # raises for missing text tools before anything is asked
        return choose_templates(self.name, options, {"plain": _plain}, self.variants, ("question",))

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        instructions = wordings("folkways.benchmarks.semeval2026")["instructions"]
        return {
            "instruction": instructions.get(item["locale"], instructions[language]),
            "question": item["text"] or "",
        }

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task; what was analysed of answers and replies is forgotten afterwards."""
        judging = copy(self)
        judging._matchers = {}
        return super(ShortAnswers, judging).judge(items, responses, profile)

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        """Gold that is only "no answer" can be met under ``paper``, by a reply of just these words;
        ``strict`` does not count it.

        Neither does it count the one question that has no text, which the competition asked.
        """
        if profile == "paper":
            return None
        if not people_answered(item["answers"]):
            return "skipped: people gave no answer"
        return "skipped: the question has no text" if item["text"] == "" else None

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"correct": 0.0, "first_correct": 0.0}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply, language, paper = response["response"], response["language"], profile == "paper"
        prompt = response.get("prompt") or _plain().fill(self.parts(item, language))
        cleaned = clean_as_paper(reply, prompt) if paper else clean_strictly(reply, prompt)
        if not cleaned or (paper and reply in READ_AS_MISSING):
            return unparsed(
                reply,
                language,
                f"the authors' programs read {reply!r} as no reply" if cleaned else "empty reply",
            )
        answers, lowered = people_answered(item["answers"]), cleaned.lower()
        if not paper:
            answers = tuple(way for answer in answers for way in ways_to_put(answer))
        answer_text = cleaned if paper else without_repeated(cleaned, prompt)
        match = self._match(answers, answer_text, language, profile)
        as_people = paper and lowered in NOT_ANSWERED and lowered in map(str.lower, item["answers"])
        if as_people:
            match = f"as people: {lowered}"
        if match is None and (lowered in NOT_ANSWERED or is_refusal(cleaned, language)):
            return ReplyScore(cleaned, "declines to answer", state=State.REFUSED)
        if repeats_the_prompt(cleaned, answer_text):
            return ReplyScore(None, ONLY_THE_PROMPT, state=State.UNREADABLE)
        first = answers_in(answer_text)[:1]
        values = {
            "correct": float(match is not None),
            "first_correct": float(
                as_people or bool(match and first and self._match(answers, first[0], language, profile))
            ),
            **language_values(cleaned, language, get_culture(item["culture"]).languages[0]),
        }
        return ReplyScore(cleaned, match or "no match", values)

    def _match(self, answers: Sequence[str], reply: str, language: str, profile: str) -> str | None:
        """How the first answer that the reply has is in it, and which (``substring: bread``)."""
        key = (profile, self.tool_set)  # ``with_tools`` gives a copy, which shares the matchers
        if key not in self._matchers:
            self._matchers[key] = MATCHERS[profile](self.tool_set)
        matcher = self._matchers[key]
        how = ((matcher.compare(answer, reply, language), answer) for answer in answers)
        return next((f"{stage}: {answer}" for stage, answer in how if stage), None)

    def accepted_answers(self, item: Mapping[str, Any]) -> AnswerGroups:
        return answer_groups(ways_to_put(answer) for answer in people_answered(item["answers"]))

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        return str(item["text"] if language == item["spoken"] else item["english"] or item["text"])

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """A prediction file of track 1: id, prediction."""
        return short_replies(table)

    def text_tools(self) -> Mapping[str, str]:
        """The tools of all languages, those that are installed; each once."""
        tools = (
            get_tool(language, self.tool_set) for language in LANGUAGES if has_tool(language, self.tool_set)
        )
        return dict(sorted({(tool.name, tool.version) for tool in tools}))


class MultipleChoice(SemEvalTask):
    """Right when the reply settles on the right letter. Chance is 25 %."""

    name: ClassVar[str] = "semeval2026/mcq"
    title: ClassVar[str] = "SemEval-2026 Task 7, multiple choice"
    about: ClassVar[str] = (
        "Questions about 30 regions in English, with four options from different regions (track 2)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "correct",
            "Accuracy",
            "The reply settles on the right letter; the whole is the mean of the locales (track 2).",
            accuracy=True,
            mean_over="locale",
        ),
    )
    # their rule for letters needs no repair
    scoring: ClassVar[Scoring] = Scoring(("paper",), {"strict": "paper"}, per_reply=True)
    permutes_options: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = LABELS
    gold_label: ClassVar[str] = "answer"
    item_columns: ClassVar[Schema] = {
        "number": pl.String,
        "spoken": pl.String,
        "options": pl.List(pl.String),
        "answer": pl.String,
    }
    max_tokens: ClassVar[int] = 64
    has_options: ClassVar[bool] = True

    def rows(self, release: Release) -> Iterator[Row]:
        entries = list(read_letters(release))
        questions = same_wordings(entries)
        for entry in entries:
            (answer,) = entry.answers
            right = f"{answer}. {entry.options[LABELS.index(answer)]}" if entry.options else answer
            yield {
                **shared_columns(entry, questions.get(entry.number, entry.number)),
                "options": entry.options,
                "answer": answer,
                "gold": right,
            }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        plain = Template(wordings("folkways.benchmarks.semeval2026")["mcq"]["plain"], "folkways")
        return choose_templates(
            self.name, options, {"plain": lambda: plain}, self.variants, needed=("question", "options")
        )

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        lines = [f"{label}. {option}" for label, option in zip(LABELS, item["options"], strict=False)]
        return {"question": item["text"] or "", "options": "\n".join(lines)}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        options = item["options"] or [""] * len(LABELS)
        letter = chosen_label(response["response"], dict(zip(LABELS, options, strict=False)))
        if letter is None:
            return unparsed(
                response["response"], response["language"], "no option in the reply, or more than one"
            )
        return ReplyScore(
            letter, f"the right letter is {item['answer']}", {"correct": float(letter == item["answer"])}
        )

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Chance, and the letter that is right most often."""
        constant = max(LABELS, key=lambda label: (items["answer"] == label).sum())
        right = {
            CHANCE: 1 / pl.col("options").list.len().replace(0, len(LABELS)),
            CONSTANT.format(constant): (pl.col("answer") == constant).cast(pl.Float64),
        }
        constants = {"counted": True, "variant": "none", "sample": 0, "state": State.ANSWERED.value}
        guessed = items.with_columns(
            **{name: pl.lit(value) for name, value in constants.items()},
            language="spoken",
            reason=pl.lit(None, dtype=pl.String),
        )
        return {
            name: guessed.with_columns(correct=share, answer=pl.lit(None, dtype=pl.String))
            for name, share in right.items()
        }

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """A prediction file of track 2: id, and a one in the column of the letter. The organisers' scorer
        skips unknown ids."""
        predictions = letters(table)
        return predictions if predictions is None else predictions.rename({"item": "item_if_any"})
