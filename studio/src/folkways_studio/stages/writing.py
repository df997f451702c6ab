"""Stages in which people write items: red-teaming questions (CulturalBench, section 3.1), everyday ones
(BLEnD, section 3.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import AUTHOR_LEFT, SUGGESTIONS, Config, Content, Decision, Option, Translate
from folkways_studio.stages.parts.base import Part, built_in
from folkways_studio.stages.parts.form_fields import FormFields, text
from folkways_studio.workflows.helping import strategies

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
"""BLEnD's categories of everyday questions (section 3.1)."""

OPTIONS = 4


class Written(Asking):
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
            return Decision("dropped", reason=AUTHOR_LEFT)
        return Decision("done", result=votes[-1].payload)


class WriteQuestion(Written):
    """content while it is written: ``scenario``, ``question``, ``options``, ``intended``, ``challenges`` (see
    models.redteaming).

    submission: ``scenario``, ``question``, ``options`` (four), ``intended`` (positions that the author holds
    right). payload: the same, with ``fooled`` (whether the verifier chose wrongly for this very wording; null
    where it was not asked), ``tries`` (how often it was asked) and ``strategies`` (used on the way).

    On its page: its parts, and ``strategy`` (of the next revision).
    """

    name = "write_question"
    asks_models = True
    texts = ("scenario", "question", "options")
    about = "people write a scenario of their culture and a question with four options, and try it on a model"
    options: ClassVar[Mapping[str, Option]] = {
        "cap": Option(7, "how many questions one person submits at most", least=1),
        "most_challenges": Option(10, "how often one question is tried on the verifier at most", least=1),
        "challenge_required": Option(
            False, "a question has to be tried on the verifier before it is submitted", "flag"
        ),
    }

    parts = (
        built_in("scenario", "text", Message("1. A situation from daily life"),
            help=Message("In a sentence or two: who is there, what happens, and what would people from " "your culture do or know?"),
            least=10, rows=3, starts_as="scenario", told=False, missing=Message("Describe a situation in a sentence or two.")),
        built_in("question", "text", Message("2. Your question"), least=5, starts_as="question",
            missing=Message("Write the question.")),
        built_in("options", "texts", Message("Four options"),
            help=Message("Tick what is right where you come from: one option or more, but not all."), every=OPTIONS,
            starts_as="options", compared=False, missing=Message("Write four options.")),
        built_in("intended", "several", options=range(OPTIONS), positions=True, required=False, starts_as="intended", told=False,
            compared=False),
    )  # fmt: skip

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """At least one option, and not all, are right; the wording has been tried where the stage asks for
        it."""
        if "intended" not in problems and not 1 <= len(answers["intended"]) <= OPTIONS - 1:
            problems["intended"] = Message("Mark at least one option as right, and not all of them.")
        if config["challenge_required"] and not _tried(answers, content):
            problems[""] = "try this wording on the model before you submit it"

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """With how the verifier did on this wording."""
        payload = super().validate(submission, content, config)
        tried = _tried(payload, content)
        return {
            **payload,
            "fooled": tried[-1]["fooled"] if tried else None,
            "tries": len(content.get("challenges", ())),
            "strategies": [each for each in content.get("strategies", ()) if isinstance(each, str)],
        }

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """What reviewers see: all but how the model did."""
        return {name: result[name] for name in ("scenario", "question", "options", "intended")}

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """With how the question has been tried so far, and the ways to make it harder."""
        values = super().form_values(content, config, draft)
        return {
            **values,
            "rounds": list(content.get("challenges", [])),
            "strategies": list(strategies().values()),
        }

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """The question as it is now, and the way of the next revision."""
        return {**super().read_form(fields, content, config), "strategy": text(fields, "strategy") or None}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The question, and how the model did."""
        verdicts = {
            True: translate("The model was fooled"),
            False: translate("The model held"),
            None: translate("Not tried on a model"),
        }
        return [*super().describe(payload, content, translate), verdicts[payload["fooled"]]]


def read_written(
    source: Mapping[str, Any], names: Collection[str], problems: dict[str, str]
) -> dict[str, Any]:
    """Some fields of a question that is still being written; notes what is wrong with them."""
    kind = WriteQuestion()
    return kind.taken(source, [part for part in kind.parts if part["key"] in names], {}, problems)


def _tried(answers: Mapping[str, Any], content: Content) -> list[Mapping[str, Any]]:
    """The challenges of this very wording."""
    wording = ("question", "options")
    return [
        each
        for each in content.get("challenges", ())
        if all(each[name] == answers.get(name) for name in wording)
    ]


class CollectQuestion(Written):
    """submission: ``category`` (one of the stage's), ``question`` (in the author's language), ``english``
    (the same in English)."""

    name = "collect_question"
    texts = ("question", "english")
    about = "natives write everyday questions about their country, per category"
    options: ClassVar[Mapping[str, Option]] = {
        "categories": Option(list(TOPICS), "what questions are about", "texts"),
        "suggestions": SUGGESTIONS,
    }

    show = ({"type": "title", "label": Message("Write a question about daily life in your country")},)
    parts = (
        built_in("category", "choice", Message("What is it about?"), layout="tight", numbered=True,
            missing=Message("Choose what the question is about."), compared=False, told=False),
        built_in("question", "text", Message("The question, in your language"), least=5, most=500,
            missing=Message("Write the question.")),
        built_in("english", "text", Message("The same in English"), least=5, most=500, language="en",
            missing=Message("Write the question in English as well.")),
    )  # fmt: skip

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """With the categories of the settings."""
        category, *texts = self.parts
        return [{**category, "options": config["categories"]}, *texts]
