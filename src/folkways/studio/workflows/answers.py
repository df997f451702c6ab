"""Short answers to everyday questions, and their review (BLEnD, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from folkways.studio.rules.counts import missing_answers
from folkways.studio.workflows.base import REDACTED, Arrival, Config, Content, Decision, Handler, Option, Vote, raise_if, text_of

NOT_APPLICABLE, NO_SPECIFIC_ANSWER, IDK, OTHER = "not_applicable", "no_specific_answer", "idk", "other"
NO_ANSWERS = (NOT_APPLICABLE, NO_SPECIFIC_ANSWER, IDK, OTHER)
"""Ways not to answer: not applicable to our culture, no specific answer, I don't know, other (in one's own words)."""

RELEASED_NAMES = {NOT_APPLICABLE: "not-applicable", NO_SPECIFIC_ANSWER: "no-answer", IDK: "idk"}
"""What the released files call them; "other" is released in the person's own words."""


class ShortAnswersHandler(Handler):
    """content: ``local`` and ``english`` (the question), ``category``. submission: ``answers`` (one to three texts), or
    ``no_answer`` (one of NO_ANSWERS; ``other`` with a text in ``other``).

    Only "I don't know" is replaced, until five valid answers or more than five "I don't know". result: ``valid`` and ``idk``.
    """

    kind = "short_answers"
    texts = ("answers", "other")
    about = "natives give one to three short answers, or say why they give none"
    example: ClassVar[Mapping[str, str]] = {
        "local": "¿Qué se desayuna en España?",
        "english": "What do people in Spain eat for breakfast?",
    }
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(5, "valid answers that are wanted", least=1),
        "most_idk": Option(5, 'asking stops with more "I don\'t know" than this'),
        "most_answers": Option(3, "how many answers one person gives at most", least=1),
    }

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """``local`` and ``english``."""
        problems: dict[str, str] = {}
        local = text_of(content, "local", problems, most=500)
        english = text_of(content, "english", problems, most=500)
        raise_if(problems)
        return {**content, "local": local, "english": english}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """Answers or a reason for none, never both."""
        problems: dict[str, str] = {}
        given = submission.get("answers") or []
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise_if({"answers": "has to be a list of texts"})
        answers = list(dict.fromkeys(each.strip() for each in given if each.strip()))
        why = submission.get("no_answer") or None
        other = text_of(submission, "other", problems, least=1 if why == OTHER else 0, most=200) if why == OTHER else ""
        if why is not None and why not in NO_ANSWERS:
            problems["no_answer"] = f"choose one of: {', '.join(NO_ANSWERS)}"
        if answers and why:
            problems["answers"] = "either answer, or say why you do not"
        elif not answers and not why:
            problems["answers"] = "write at least one answer, or say why you have none"
        elif len(answers) > config["most_answers"]:
            problems["answers"] = f"{config['most_answers']} answers are the most"
        elif any(len(each) > 200 for each in answers):
            problems["answers"] = "an answer is meant to be a word or a few: 200 characters are the most"
        raise_if(problems)
        return {"answers": answers, "no_answer": why, "other": other}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """The replace and stop rule."""
        idk = sum(vote.payload["no_answer"] == IDK for vote in votes)
        missing = missing_answers(len(votes) - idk, idk, wanted=config["answers"], most_not_known=config["most_idk"])
        if missing:
            return Decision("wait", missing)
        return Decision("done", result={"valid": len(votes) - idk, "idk": idk})

    def redacted(self, payload: Mapping[str, Any], fields: Collection[str], content: Content) -> Mapping[str, Any]:
        """Without the answers, so that nobody takes what stands in their place for one: another way of giving none."""
        if "answers" in fields and payload["answers"]:
            return {"answers": [], "no_answer": OTHER, "other": REDACTED}
        return super().redacted(payload, fields, content)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The set of answers, case aside; a way of not answering is a set of its own."""
        return {"answers": frozenset(each.casefold() for each in payload["answers"]) or frozenset([payload["no_answer"]])}


class GroupAnswersHandler(Handler):
    """content: what was asked, ``answers`` (of each person, by pseudonym) and ``idks`` (released name -> how many).

    submission: ``groups``, each with ``answers`` (variants of one answer, as people wrote them) and ``en_answers`` (in
    English), and ``invalid`` (answers that are dropped). Every answer is in one group or invalid. result: ``groups`` with
    ``count``, the most frequent first: how many people gave any of its answers.
    """

    kind = "group_answers"
    texts = ("groups", "invalid")
    about = "a reviewer drops invalid answers, groups variants and translates them to English"
    example: ClassVar[Mapping[str, str]] = {
        "local": "¿Qué se desayuna en España?",
        "english": "What do people in Spain eat for breakfast?",
        "answers": '{"p-1": ["tostadas"], "p-2": ["tostada", "churros"]}',
    }

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """``local``, ``english`` and ``answers``: pseudonym -> list of answers."""
        problems: dict[str, str] = {}
        for name in ("local", "english"):
            text_of(content, name, problems)
        answers = content.get("answers")
        if not isinstance(answers, Mapping) or not all(isinstance(each, list) for each in answers.values()):
            problems["answers"] = "has to be a mapping of a person's pseudonym to a list of answers"
        raise_if(problems)
        return {"idks": {}, **content}

    def arriving(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        """With what people answered."""
        asked = {name: content[name] for name in ("local", "english", "category", "template") if name in content}
        return {**asked, **collected(arrival.votes)}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """Groups that hold every answer once."""
        groups, invalid = submission.get("groups", []), submission.get("invalid", [])
        if not isinstance(groups, list) or not all(_is_group(group) for group in groups):
            raise_if({"groups": "has to be a list of groups with lists of answers and en_answers"})
        if not isinstance(invalid, list) or not all(isinstance(each, str) for each in invalid):
            raise_if({"invalid": "has to be a list of answers"})
        problems: dict[str, str] = {}
        given = set(_distinct(content))
        placed = Counter(answer for group in groups for answer in dict.fromkeys(group["answers"]))
        placed.update(dict.fromkeys(invalid, 1))
        unknown = [answer for answer in placed if answer not in given]
        twice = [answer for answer, count in placed.items() if count > 1]
        left = [answer for answer in _distinct(content) if answer not in placed]
        if unknown:
            problems["groups"] = f"nobody answered: {', '.join(unknown)}"
        elif twice:
            problems["groups"] = f"is in two places: {', '.join(twice)}"
        elif left:
            problems["groups"] = f"put these into a group or call them invalid: {', '.join(left)}"
        elif any(not _texts(group["en_answers"]) for group in groups):
            problems["groups"] = "every group needs an English answer"
        elif any(not group["answers"] for group in groups):
            problems["groups"] = "a group has no answers"
        raise_if(problems)
        kept = [{"answers": list(dict.fromkeys(group["answers"])), "en_answers": _texts(group["en_answers"])} for group in groups]
        return {"groups": kept, "invalid": sorted(set(invalid))}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """One reviewer decides; the last one where there are several."""
        missing = config["answers"] - len(votes)
        if missing > 0:
            return Decision("wait", missing)
        return Decision("done", result=self.settled(votes[-1].payload, content, config))

    def settled(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The groups with their counts."""
        groups = [{**group, "count": count_people(group["answers"], content["answers"])} for group in payload["groups"]]
        return {"groups": sorted(groups, key=lambda group: -group["count"]), "invalid": payload["invalid"]}


def collected(votes: Iterable[Vote]) -> dict[str, Any]:
    """What people answered: ``answers`` by pseudonym (empty where they gave none), and ``idks`` by released name."""
    answers: dict[str, list[str]] = {}
    idks: Counter[str] = Counter(dict.fromkeys(RELEASED_NAMES.values(), 0))
    for vote in votes:
        answers[vote.participant] = list(vote.payload["answers"])
        why = vote.payload["no_answer"]
        if why is not None:
            idks[RELEASED_NAMES.get(why) or vote.payload["other"]] += 1
    return {"answers": answers, "idks": dict(idks)}


def count_people(variants: Sequence[str], answers: Mapping[str, Sequence[str]]) -> int:
    """How many people gave any of these answers; one person counts once."""
    return sum(bool(set(variants) & set(given)) for given in answers.values())


def _distinct(content: Content) -> list[str]:
    return list(dict.fromkeys(answer for given in content["answers"].values() for answer in given))


def _is_group(group: Any) -> bool:
    return isinstance(group, Mapping) and all(
        isinstance(group.get(name), list) and all(isinstance(each, str) for each in group[name])
        for name in ("answers", "en_answers")
    )


def _texts(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(each.strip() for each in values if each.strip()))
