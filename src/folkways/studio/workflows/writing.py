"""Stages in which people write items: red-teaming questions (CulturalBench, section 3.1), everyday ones (BLEnD, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.studio.workflows.base import Config, Content, Decision, Handler, Option, Vote, one_of, raise_if, text_of
from folkways.studio.workflows.options import options_of, positions_of

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
"""BLEnD's categories of everyday questions (section 3.1)."""


class Written(Handler):
    """A stage with one author per item: whatever they submit is the item."""

    authored: ClassVar[bool] = True

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """Items of this stage begin empty; imported ones are taken as a beginning."""
        return dict(content)

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done as soon as it is submitted; what an author withdraws is dropped."""
        if not votes:
            return Decision("dropped", reason="its author has withdrawn")
        return Decision("done", result=votes[-1].payload)


class WriteQuestionHandler(Written):
    """content while it is written: ``scenario``, ``question``, ``options``, ``intended``, ``challenges`` (see services.redteaming).

    submission: ``scenario``, ``question``, ``options`` (four), ``intended`` (positions that the author holds right). payload: the
    same, with ``fooled`` (whether the verifier chose wrongly for this very wording; null where it was not asked), ``tries`` (how
    often it was asked) and ``strategies`` (used on the way).
    """

    kind = "write_question"
    texts = ("scenario", "question", "options")
    about = "people write a scenario of their culture and a question with four options, and try it on a model"
    options: ClassVar[Mapping[str, Option]] = {
        "cap": Option(7, "how many questions one person submits at most", least=1),
        "most_challenges": Option(10, "how often one question is tried on the verifier at most", least=1),
        "challenge_required": Option(False, "a question has to be tried on the verifier before it is submitted", "flag"),
    }

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A scenario, a question and four different options of which at least one, and not all, are right."""
        problems: dict[str, str] = {}
        scenario = text_of(submission, "scenario", problems, least=10)
        question = text_of(submission, "question", problems, least=5)
        options = options_of(submission, problems, 4, 4)
        intended = positions_of(submission, "intended", 4, problems)
        if "intended" not in problems and not 1 <= len(intended) <= 3:
            problems["intended"] = "mark at least one option as right, and not all of them"
        tried = [each for each in content.get("challenges", ()) if each["question"] == question and each["options"] == options]
        if config["challenge_required"] and not tried:
            problems[""] = "try this wording on the model before you submit it"
        raise_if(problems)
        fooled = tried[-1]["fooled"] if tried else None
        return {
            "scenario": scenario,
            "question": question,
            "options": options,
            "intended": intended,
            "fooled": fooled,
            "tries": len(content.get("challenges", ())),
            "strategies": [each for each in content.get("strategies", ()) if isinstance(each, str)],
        }

    def onward(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """What reviewers see: all but how the model did."""
        return {name: result[name] for name in ("scenario", "question", "options", "intended")}


class CollectQuestionHandler(Written):
    """submission: ``category`` (one of the stage's), ``question`` (in the author's language), ``english`` (the same in English)."""

    kind = "collect_question"
    texts = ("question", "english")
    about = "natives write everyday questions about their country, per category"
    options: ClassVar[Mapping[str, Option]] = {
        "categories": Option(list(TOPICS), "what questions are about", "texts"),
    }

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """All three fields."""
        problems: dict[str, str] = {}
        category = one_of(submission, "category", config["categories"], problems)
        question = text_of(submission, "question", problems, least=5, most=500)
        english = text_of(submission, "english", problems, least=5, most=500)
        raise_if(problems)
        return {"category": category, "question": question, "english": english}
