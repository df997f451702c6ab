"""Short answers to everyday questions, and their review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, text, texts, whole

OWN, INVALID = "own", "invalid"
SEPARATOR = ";"


class ShortAnswersForm(Form):
    """Fields: ``answers`` (several lines), ``no_answer``, ``other``."""

    kind: ClassVar[str] = "short_answers"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The answers that are not empty, or the reason for none."""
        answers = [answer for answer in texts(fields, "answers") if answer]
        return {"answers": answers, "no_answer": text(fields, "no_answer") or None, "other": text(fields, "other")}

    def reasons(self, translate: Translate) -> Mapping[str, str]:
        """The ways not to answer, in words."""
        return {
            "not_applicable": translate("Not applicable to our culture"),
            "no_specific_answer": translate("There is no specific answer"),
            "idk": translate("I don't know"),
            "other": translate("Other"),
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The answers, or the reason."""
        if payload["answers"]:
            return list(payload["answers"])
        reason = self.reasons(translate).get(payload["no_answer"], "")
        return [f"{reason}: {payload['other']}" if payload["other"] else reason]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """Answers or a reason, not both."""
        if not submission["answers"] and not submission["no_answer"]:
            return {"answers": translate("Write at least one answer, or say why you have none.")}
        if submission["answers"] and submission["no_answer"]:
            return {"answers": translate("Either write answers, or say why you have none.")}
        if submission["no_answer"] == "other" and not submission["other"]:
            return {"other": translate("Say in a few words why you have no answer.")}
        return {}


class GroupAnswersForm(Form):
    """Fields of the answer at position i: ``place-i`` (own, invalid, or the position of the answer that says the same) and
    ``en-i`` (English wordings, separated by semicolons).
    """

    kind: ClassVar[str] = "group_answers"

    def context(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """Every different answer, the most frequent first, with where the draft put it."""
        answers = _distinct(content)
        counts = Counter(answer for given in content["answers"].values() for answer in dict.fromkeys(given))
        places, english = _places(answers, draft)
        rows = [
            {"text": answer, "count": counts[answer], "place": places[number], "english": english[number]}
            for number, answer in enumerate(answers)
        ]
        return {"rows": rows}

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """Groups, each led by an answer of its own; answers that say the same as another follow it."""
        answers = _distinct(content)
        given = [text(fields, f"place-{number}") or OWN for number in range(len(answers))]
        leaders = [_leader(given, number) for number in range(len(answers))]
        groups = []
        for number in range(len(answers)):
            if leaders[number] != number:
                continue
            members = [answers[other] for other in range(len(answers)) if leaders[other] == number]
            wordings = [part.strip() for part in text(fields, f"en-{number}").split(SEPARATOR) if part.strip()]
            groups.append({"answers": members, "en_answers": wordings})
        groups.sort(key=lambda group: answers.index(group["answers"][0]))
        invalid = [answer for number, answer in enumerate(answers) if leaders[number] is None]
        return {"groups": groups, "invalid": invalid}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """One line per group."""
        lines = [f"{' / '.join(group['answers'])} = {' / '.join(group['en_answers'])}" for group in payload["groups"]]
        return [*lines, *([translate("Invalid") + ": " + ", ".join(payload["invalid"])] if payload["invalid"] else [])]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """Every group needs an English wording."""
        lacking = [group["answers"][0] for group in submission["groups"] if not group["en_answers"]]
        if lacking:
            return {"groups": translate("These need an English wording: %(answers)s", answers=", ".join(lacking))}
        return {}


def _distinct(content: Content) -> list[str]:
    """Every different answer, the most frequent first; ties in order of arrival."""
    counts = Counter(answer for given in content["answers"].values() for answer in dict.fromkeys(given))
    return [answer for answer, _ in counts.most_common()]


def _leader(given: Sequence[str], number: int) -> int | None:
    """The answer that leads the group of the one at ``number``; None for an invalid one. A circle is led by where it is entered."""
    seen: list[int] = []
    while number not in seen:
        seen.append(number)
        if given[number] == INVALID:
            return None
        following = whole(given[number])
        if following is None or following >= len(given):
            return number
        number = following
    return min(seen[seen.index(number) :])


def _places(answers: Sequence[str], draft: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Where each answer is (see the form's fields), and the English wordings of those that lead a group."""
    position = {answer: number for number, answer in enumerate(answers)}
    places, english = [OWN] * len(answers), [""] * len(answers)
    for group in draft.get("groups", []):
        members = sorted(position[answer] for answer in group["answers"] if answer in position)
        for number in members[1:]:
            places[number] = str(members[0])
        if members:
            english[members[0]] = f"{SEPARATOR} ".join(group["en_answers"])
    for answer in draft.get("invalid", []):
        if answer in position:
            places[position[answer]] = INVALID
    return places, english
