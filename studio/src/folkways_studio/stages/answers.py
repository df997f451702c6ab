"""Short answers to everyday questions, and their review (BLEnD, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from folkways.sdk.studies import IDK, OTHER, Vote, answers_by_person, count_people
from folkways_studio.errors import Message
from folkways_studio.stages.base import REDACTED, Arrival, Config, Content, Decision, Translate
from folkways_studio.stages.fields import FieldParts, plain, raise_if, text_of
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.form_fields import FormFields, text, whole
from folkways_studio.work.counts import missing_answers

OWN, INVALID = "own", "invalid"
SEPARATOR = ";"


class ShortAnswers(StageKind):
    """Answers or a reason for giving none; only "I don't know" is replaced."""

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        texts, why = answers.get("answers"), answers.get("no_answer")
        if texts and why:
            problems["answers"] = Message("Either write answers, or say why you have none.")
        elif not texts and not why:
            problems["answers"] = Message("Write at least one answer, or say why you have none.")

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        idk = sum(vote.payload["no_answer"] == IDK for vote in votes)
        missing = missing_answers(
            len(votes) - idk, idk, wanted=config["answers"], most_not_known=config["most_idk"]
        )
        if missing:
            return Decision("wait", missing)
        return self.resolve(votes, content, config)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        idk = sum(vote.payload["no_answer"] == IDK for vote in votes)
        return Decision("done", result={"valid": len(votes) - idk, "idk": idk})

    def redacted(
        self, payload: Mapping[str, Any], fields: Collection[str], content: Content
    ) -> Mapping[str, Any]:
        """Another reason for giving none replaces the answers, so that the mark is not taken for an
        answer."""
        if "answers" in fields and payload["answers"]:
            return {"answers": [], "no_answer": OTHER, "other": REDACTED}
        return super().redacted(payload, fields, content)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "answers": frozenset(each.casefold() for each in payload["answers"])
            or frozenset([payload["no_answer"]])
        }

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        return super().read_known(_texts(cell.split(SEPARATOR)) if isinstance(cell, str) else cell)

    def check_known(self, known: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """There may be more answers that count as right than one person gives."""
        known_answers = known.get("answers")
        most = len(known_answers) if isinstance(known_answers, list) else 0
        return super().check_known(
            known, content, {**config, "most_answers": max(most, config["most_answers"])}
        )

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float) -> bool:
        """One of the answers counts as right, or the reason for giving none is the known one."""
        values = payload["answers"] or [payload["no_answer"]]
        right = [plain(each) for each in (*known.get("answers", ()), known.get("no_answer")) if each]
        return any(plain(each) in right for each in values)

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        lines = super().describe(payload, content, translate)
        return lines if payload["answers"] else [": ".join(lines)]


class GroupAnswers(StageKind):
    """A reviewer puts every answer into a group or calls it invalid; the last reviewer decides."""

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        problems: dict[str, str] = {}
        for name in ("local", "english"):
            text_of(content, name, problems)
        answers = content.get("answers")
        if not isinstance(answers, Mapping) or not all(isinstance(each, list) for each in answers.values()):
            problems["answers"] = "has to be a mapping of a person's pseudonym to a list of answers"
        raise_if(problems)
        return {"idks": {}, **content}

    def take_over(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        question = {
            name: content[name] for name in ("local", "english", "category", "template") if name in content
        }
        return {**question, **answers_by_person(arrival.votes)}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        groups, invalid = submission.get("groups", []), submission.get("invalid", [])
        if not isinstance(groups, list) or not all(_is_group(group) for group in groups):
            raise_if({"groups": "has to be a list of groups with lists of answers and en_answers"})
        if not isinstance(invalid, list) or not all(isinstance(each, str) for each in invalid):
            raise_if({"invalid": "has to be a list of answers"})
        problems: dict[str, str] = {}
        existing = set(distinct_answers(content))
        placed = Counter(answer for group in groups for answer in dict.fromkeys(group["answers"]))
        placed.update(dict.fromkeys(invalid, 1))
        unknown = [answer for answer in placed if answer not in existing]
        twice = [answer for answer, count in placed.items() if count > 1]
        left = [answer for answer in distinct_answers(content) if answer not in placed]
        if unknown:
            problems["groups"] = Message("Nobody gave these answers: %(answers)s", answers=", ".join(unknown))
        elif twice:
            problems["groups"] = Message("These are in two places: %(answers)s", answers=", ".join(twice))
        elif left:
            problems["groups"] = Message(
                "Put these into a group or call them invalid: %(answers)s", answers=", ".join(left)
            )
        elif any(not group["answers"] for group in groups):
            problems["groups"] = Message("A group has no answers.")
        elif lacking := [group["answers"][0] for group in groups if not _texts(group["en_answers"])]:
            problems["groups"] = Message(
                "These need an English wording: %(answers)s", answers=", ".join(lacking)
            )
        raise_if(problems)
        cleaned = [
            {"answers": list(dict.fromkeys(group["answers"])), "en_answers": _texts(group["en_answers"])}
            for group in groups
        ]
        return {"groups": cleaned, "invalid": sorted(set(invalid))}

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        groups = [
            {**group, "count": count_people(group["answers"], content["answers"])}
            for group in payload["groups"]
        ]
        return {"groups": sorted(groups, key=lambda group: -group["count"]), "invalid": payload["invalid"]}

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float) -> bool:
        """The same answers together, and the same ones dropped; English wordings aside."""

        def parts(each: Mapping[str, Any]) -> dict[str, Any]:
            return {
                "groups": {frozenset(group["answers"]) for group in each.get("groups", ())},
                "invalid": set(each.get("invalid", ())),
            }

        actual, right = parts(payload), parts(known)
        return all(actual[name] == right[name] for name in known)

    def answer_parts(
        self, draft: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, FieldParts]:
        """Each group with its wordings, in whatever order, and each invalid answer."""
        parts = {
            "groups": frozenset(
                (frozenset(group["answers"]), frozenset(plain(group["en_answers"])))
                for group in draft.get("groups", ())
            ),
            "invalid": frozenset(draft.get("invalid", ())),
        }
        return {name: FieldParts(parts[name], parts[name]) for name in parts if name in draft}

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        answers = distinct_answers(content)
        counts = Counter(answer for texts in content["answers"].values() for answer in dict.fromkeys(texts))
        places, english = _places(answers, draft)
        rows = [
            {"text": answer, "count": counts[answer], "place": places[number], "english": english[number]}
            for number, answer in enumerate(answers)
        ]
        return {**super().form_values(content, config, draft), "rows": rows}

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """Groups, each led by an answer of its own; answers that say the same as another follow it."""
        answers = distinct_answers(content)
        targets = [text(fields, f"place-{number}") or OWN for number in range(len(answers))]
        leaders = [_leader(targets, number) for number in range(len(answers))]
        groups = []
        for number in range(len(answers)):
            if leaders[number] != number:
                continue
            members = [answers[other] for other in range(len(answers)) if leaders[other] == number]
            wordings = [
                part.strip() for part in text(fields, f"en-{number}").split(SEPARATOR) if part.strip()
            ]
            groups.append({"answers": members, "en_answers": wordings})
        groups.sort(key=lambda group: answers.index(group["answers"][0]))
        invalid = [answer for number, answer in enumerate(answers) if leaders[number] is None]
        return {"groups": groups, "invalid": invalid}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        lines = [
            f"{' / '.join(group['answers'])} = {' / '.join(group['en_answers'])}"
            for group in payload["groups"]
        ]
        return [
            *lines,
            *([translate("Invalid") + ": " + ", ".join(payload["invalid"])] if payload["invalid"] else []),
        ]


def _is_group(group: Any) -> bool:
    return isinstance(group, Mapping) and all(
        isinstance(group.get(name), list) and all(isinstance(each, str) for each in group[name])
        for name in ("answers", "en_answers")
    )


def _texts(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(each.strip() for each in values if each.strip()))


def distinct_answers(content: Content) -> list[str]:
    """Every different answer, the most frequent first; ties in order of arrival."""
    counts = Counter(answer for texts in content["answers"].values() for answer in dict.fromkeys(texts))
    return [answer for answer, _ in counts.most_common()]


def _leader(given: Sequence[str], number: int) -> int | None:
    """The answer that leads the group of the one at ``number``; None for an invalid one. A circle is led by
    where it is entered."""
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
