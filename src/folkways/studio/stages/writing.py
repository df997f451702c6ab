"""Stages in which people write items: red-teaming questions (CulturalBench, section 3.1), everyday ones (BLEnD, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.benchmarks.studies import Vote
from folkways.studio.errors import Message
from folkways.studio.stages.asking import Asking
from folkways.studio.stages.base import SUGGESTIONS, Config, Content, Decision, Option, StageKind, Translate
from folkways.studio.stages.fields import options_of, positions_of, raise_if, text_of
from folkways.studio.stages.parts.form_fields import FormFields, text, texts, wholes
from folkways.studio.stages.parts.types import Part, ours
from folkways.studio.workflows.helping import strategies

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
"""BLEnD's categories of everyday questions (section 3.1)."""

OPTIONS = 4


class Written(StageKind):
    """A stage with one author per item: whatever they submit is the item."""

    authored: ClassVar[bool] = True

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """Items of this stage begin empty; imported ones are taken as a beginning."""
        return dict(content)

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Whatever the number of answers that others want."""
        return self.resolve(votes, content, config)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done as soon as it is submitted; an item whose author has left is dropped."""
        if not votes:
            return Decision("dropped", reason="its author has withdrawn")
        return Decision("done", result=votes[-1].payload)


def read_scenario(source: Mapping[str, Any], problems: dict[str, str]) -> str:
    """The field ``scenario``."""
    return text_of(source, "scenario", problems, least=10, ask=Message("Describe a situation in a sentence or two."))


def read_question(source: Mapping[str, Any], problems: dict[str, str]) -> tuple[str, list[str], list[int]]:
    """The fields ``question``, ``options`` (four) and ``intended``."""
    question = text_of(source, "question", problems, least=5, ask=Message("Write the question."))
    options = options_of(source, problems, OPTIONS, OPTIONS, Message("Write four options."))
    return question, options, positions_of(source, "intended", OPTIONS, problems)


class WriteQuestion(Written):
    """content while it is written: ``scenario``, ``question``, ``options``, ``intended``, ``challenges`` (see services.redteaming).

    submission: ``scenario``, ``question``, ``options`` (four), ``intended`` (positions that the author holds right). payload: the
    same, with ``fooled`` (whether the verifier chose wrongly for this very wording; null where it was not asked), ``tries`` (how
    often it was asked) and ``strategies`` (used on the way).

    On its page: the same fields, and ``strategy`` (of the next revision).
    """

    name = "write_question"
    asks_models = True
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
        scenario = read_scenario(submission, problems)
        question, options, intended = read_question(submission, problems)
        if "intended" not in problems and not 1 <= len(intended) <= OPTIONS - 1:
            problems["intended"] = Message("Mark at least one option as right, and not all of them.")
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

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """What reviewers see: all but how the model did."""
        return {name: result[name] for name in ("scenario", "question", "options", "intended")}

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is in the fields: the draft, or else what the item came to so far."""
        options = [*(draft.get("options") or content.get("options") or []), "", "", "", ""][:OPTIONS]
        return {"options": options, "rounds": list(content.get("challenges", [])), "strategies": list(strategies().values())}

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """The question as it is now."""
        return {
            "scenario": text(fields, "scenario"),
            "question": text(fields, "question"),
            "options": texts(fields, "options")[:OPTIONS],
            "intended": wholes(fields, "intended"),
            "strategy": text(fields, "strategy") or None,
        }

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The question, and how the model did."""
        verdicts = {
            True: translate("The model was fooled"),
            False: translate("The model held"),
            None: translate("Not tried on a model"),
        }
        return [payload["question"], *payload["options"], verdicts[payload["fooled"]]]


class CollectQuestion(Written, Asking):
    """submission: ``category`` (one of the stage's), ``question`` (in the author's language), ``english`` (the same in English).

    On its page: ``category``, ``question``, ``english``.
    """

    name = "collect_question"
    texts = ("question", "english")
    about = "natives write everyday questions about their country, per category"
    options: ClassVar[Mapping[str, Option]] = {
        "categories": Option(list(TOPICS), "what questions are about", "texts"),
        "suggestions": SUGGESTIONS,
    }

    show = ({"type": "title", "label": Message("Write a question about daily life in your country")},)
    parts = (
        ours(
            "category",
            "choice",
            Message("What is it about?"),
            layout="tight",
            numbered=True,
            missing=Message("Choose what the question is about."),
            compared=False,
            told=False,
        ),
        ours(
            "question",
            "text",
            Message("The question, in your language"),
            least=5,
            most=500,
            missing=Message("Write the question."),
        ),
        ours(
            "english",
            "text",
            Message("The same in English"),
            least=5,
            most=500,
            language="en",
            missing=Message("Write the question in English as well."),
        ),
    )

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """With the categories of the settings."""
        category, *texts = self.parts
        return [{**category, "options": config["categories"]}, *texts]
