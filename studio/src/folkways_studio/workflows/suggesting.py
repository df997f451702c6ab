"""What a model may suggest to people at work: groups of answers that say the same, and translations. Nothing
is sent from here.

A suggestion is fields of a stage's form. People take it, change it or leave it; the outcome is counted by its
parts. What people wrote goes into the prompts as it is, and what models say comes back as untrusted text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, Literal

from folkways_studio.errors import ConflictError, Message, SubmissionError
from folkways_studio.stages.answers import distinct_answers
from folkways_studio.stages.fields import FieldParts
from folkways_studio.workflows.helping import fill, object_in

MOST_ANSWERS = 120
"""Different answers up to which groups are suggested: a longer list is more than a reply holds."""

LONGEST = 500
"""Characters of a wording that is suggested, at most."""

GROUPS = """
People in {place} were asked, in {language}: {local}
In English: {english}

They answered:
{answers}

Put answers into one group where they say the same: other spellings, plurals and dialect words of one thing. A wider and a narrower
word stay apart. Give every group a plain English wording. What does not answer the question at all is invalid.

Reply with JSON only, with the numbers of the answers: {"groups": [{"answers": [1, 3], "english": ["..."]}], "invalid": [2]}"""

INTO_LANGUAGE = """
Translate this question into {language}, as somebody in {place} would ask a neighbour. Where it says "your country", use the name of
{place}, or leave it out where nobody would say it.

{text}

Reply with JSON only: {"translation": "..."}"""

INTO_ENGLISH = """
Translate this question from {language} into plain English. Keep names that English has no word for.

{text}

Reply with JSON only: {"translation": "..."}"""


class Suggester(ABC):
    """How suggestions for one kind of stage are asked for and read."""

    what: ClassVar[Literal["groups", "translation"]]
    wording: ClassVar[str]
    max_tokens: ClassVar[int]
    of_draft: ClassVar[bool] = False  # it rests on what the person has written, and changes with it

    @property
    def version(self) -> str:
        """Eight digits of the wording: which prompt a suggestion came from."""
        return sha256(self.wording.encode()).hexdigest()[:8]

    @abstractmethod
    def prompt(
        self, content: Mapping[str, Any], written: Mapping[str, Any], place: str, language: str
    ) -> str:
        """The message for the model.

        content: of the item.
        written: the form as it is.
        place, language: names in English. ConflictError if nothing can be suggested, SubmissionError if
            something has to be written first.
        """

    @abstractmethod
    def read(self, reply: str, content: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Fields of the form in a reply, which may have other words around them; None if there are none."""

    @abstractmethod
    def lines(self, fields: Mapping[str, Any]) -> Sequence[str]:
        """A suggestion in lines to be read."""


class Groups(Suggester):
    """For ``group_answers``."""

    what = "groups"
    wording = GROUPS
    max_tokens = 2000

    def prompt(
        self, content: Mapping[str, Any], written: Mapping[str, Any], place: str, language: str
    ) -> str:
        answers = distinct_answers(content)
        if not 1 < len(answers) <= MOST_ANSWERS:
            raise ConflictError("groups are suggested for 2 to %(most)s different answers", most=MOST_ANSWERS)
        listed = "\n".join(
            f"{number}. {' '.join(answer.split())}" for number, answer in enumerate(answers, 1)
        )
        question = {"local": content["local"], "english": content["english"]}
        return fill(self.wording, place=place, language=language, answers=listed, **question)

    def read(self, reply: str, content: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Groups by the numbers of their answers; an answer that is in none, or was in one before, stays on
        its own."""
        table, answers = object_in(reply), distinct_answers(content)
        groups = table.get("groups")
        if not isinstance(groups, list):
            return None
        free = dict(enumerate(answers, 1))
        invalid = _take(free, table.get("invalid"))
        groups_read = [
            {"answers": members, "en_answers": _wordings(group.get("english"))}
            for group in groups
            if isinstance(group, Mapping) and (members := _take(free, group.get("answers")))
        ]
        if not groups_read and not invalid:
            return None
        groups_read += [{"answers": [answer], "en_answers": []} for answer in free.values()]
        order = {answer: index for index, answer in enumerate(answers)}
        return {
            "groups": sorted(groups_read, key=lambda group: order[group["answers"][0]]),
            "invalid": invalid,
        }

    def lines(self, fields: Mapping[str, Any]) -> Sequence[str]:
        """One line per group, and the invalid answers in the last."""
        lines = [
            f"{' / '.join(group['answers'])} = {'; '.join(group['en_answers']) or '…'}"
            for group in fields["groups"]
        ]
        return [*lines, *([f"✗ {', '.join(fields['invalid'])}"] if fields["invalid"] else [])]


class Translation(Suggester):
    """For stages with one text to be translated. source: a field of the content, or of what is written;
    target: of the form."""

    what = "translation"
    max_tokens = 400

    def __init__(self, wording: str, source: str, target: str, *, of_draft: bool = False) -> None:
        self.wording, self.of_draft = wording, of_draft  # type: ignore[misc]  # of the object here
        self._source, self._target = source, target

    def prompt(
        self, content: Mapping[str, Any], written: Mapping[str, Any], place: str, language: str
    ) -> str:
        text = (written if self.of_draft else content).get(self._source) or ""
        if not text.strip():
            raise SubmissionError({self._source: Message("Write the question.")})
        return fill(self.wording, place=place, language=language, text=text)

    def read(self, reply: str, content: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The text alone."""
        translation = object_in(reply).get("translation")
        text = " ".join(translation.split()) if isinstance(translation, str) else ""
        return {self._target: text} if 0 < len(text) <= LONGEST else None

    def lines(self, fields: Mapping[str, Any]) -> Sequence[str]:
        """The text."""
        return [fields[self._target]]


SUGGESTERS: Mapping[str, Suggester] = {
    "group_answers": Groups(),
    "localise": Translation(INTO_LANGUAGE, "template", "local"),
    "collect_question": Translation(INTO_ENGLISH, "question", "english", of_draft=True),
}
"""By kind of stage."""


def outcome(
    suggested: Mapping[str, FieldParts], answer: Mapping[str, FieldParts], *, taken: bool | None = None
) -> tuple[Literal["accepted", "changed", "rejected"], int, int]:
    """What became of a suggestion, its parts, and how many of them the answer has unchanged.

    suggested, answer: as ``StageKind.answer_parts`` has them; only what was suggested is compared. taken:
    whether somebody put it into their form, without which it is rejected even if the answer is the same; None
    where their form began with it: then it is rejected where nothing of it is in the answer.
    """
    parts = sum(len(each.parts) for each in suggested.values())
    answers = {name: answer.get(name, FieldParts()) for name in suggested}
    unchanged = sum(len(each.parts & answers[name].parts) for name, each in suggested.items())
    is_same = all(each.whole == answers[name].whole for name, each in suggested.items())
    if taken is False or not (taken or is_same or unchanged):
        return "rejected", parts, unchanged
    return "accepted" if is_same else "changed", parts, unchanged


def _take(free: dict[int, str], numbers: Any) -> list[str]:
    """The answers with these numbers that are free yet; they are not any more."""
    wanted = numbers if isinstance(numbers, list) else []
    return [
        free.pop(number)
        for number in wanted
        if isinstance(number, int) and not isinstance(number, bool) and number in free
    ]


def _wordings(said: Any) -> list[str]:
    texts = said if isinstance(said, list) else [said]
    cleaned = (" ".join(each.replace(";", ",").split())[:200] for each in texts if isinstance(each, str))
    return list(dict.fromkeys(text for text in cleaned if text))[:5]
