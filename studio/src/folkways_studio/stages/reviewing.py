"""Stages in which reviewers keep, mend or drop what others wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import SUGGESTIONS, Config, Content, Decision, Option, Sheet, Translate
from folkways_studio.stages.fields import EXAMPLE_QUESTION, options_of, raise_if, text_of
from folkways_studio.stages.parts.base import built_in, option, words_of

KEEP, DROP = "keep", "drop"
YOUR_COUNTRY = "your country"
"""What stands in a template for the name of the country (BLEnD, section 3.1)."""
WHERE = Message("Write “%(words)s” where the name of the country is to stand.", words=YOUR_COUNTRY)


class Review(Asking):
    """content: ``question``, ``options``, and ``scenario`` and ``intended`` where it was written here.

    submission: ``decision`` (keep or drop), ``reason`` (where it is dropped), ``question`` and ``options``
    (mended; as they are if left out). More than half of the reviewers have to keep it; the last one's wording
    stands.
    """

    name = "review"
    content_texts: ClassVar[Mapping[str, int]] = {"question": 4000}
    texts = ("reason", "question", "options")
    known_fields = ("decision",)
    about = "researchers drop what is not about the culture, and mend wording"
    example: ClassVar[Mapping[str, str]] = EXAMPLE_QUESTION
    parts = (
        built_in("decision", "choice", Message("What becomes of it?"), missing=Message("Keep it or drop it?"), options=[
            option(KEEP, Message("Keep"), "k",
                Message("It is about the culture, and people from there can answer it. Mend its wording " "above if need be.")),
            option(DROP, Message("Drop"), "d", Message("It is not about the culture, repeats another, or " "cannot be mended.")),
        ]),
        built_in("reason", "text", Message("Why?"), required={"key": "decision", "is": DROP}, rows=1,
            missing=Message("Say in a few words why it is dropped.")),
        built_in("question", "text", Message("Question"), rows=3, otherwise="question", told=False),
        built_in("options", "texts", Message("Options"), every=4, otherwise="options", told=False, compared=False),
    )  # fmt: skip

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """``question`` and four different ``options``."""
        return {"options": options_of(content, problems, 4, 4)}

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """More than half keep it."""
        kept = [vote.payload for vote in votes if vote.payload["decision"] == KEEP]
        if 2 * len(kept) <= len(votes):
            reasons = [vote.payload["reason"] for vote in votes if vote.payload["decision"] == DROP]
            return Decision("dropped", reason="; ".join(reasons))
        return Decision("done", result={name: kept[-1][name] for name in ("question", "options")})

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The question and its options: those who verify are not to see what its author held right."""
        return {name: result[name] for name in ("question", "options")}

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """What has a wording was kept."""
        return {"decision": KEEP} if "question" in result else {}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """With the wording where it was mended."""
        changed = [payload["question"]] if payload["question"] != content["question"] else []
        return [*super().describe(payload, content, translate), *changed]


class Curate(Asking):
    """content: ``category``, ``question``, ``english``. submission: ``decision`` (keep, duplicate,
    one_country or unclear), ``of`` (key of the question that a duplicate repeats), ``template`` (English,
    with "your country" in place of a name).

    result: ``template`` and ``category``.
    """

    name = "curate"
    content_texts: ClassVar[Mapping[str, int]] = {"english": 4000, "category": 4000}
    compared = ("question", "english")
    texts = ("template", "of")
    known_fields = ("decision", "of")
    about = (
        "researchers drop duplicates and questions that fit one country alone, and make templates of "
        "the others"
    )
    example: ClassVar[Mapping[str, str]] = {
        "category": "Food",
        "english": "What do people in Egypt eat for breakfast?",
        "question": "ماذا يأكل المصريون في الفطور؟",
    }
    parts = (
        built_in("decision", "choice", Message("What becomes of it?"), missing=Message("Choose what becomes of the question."),
            options=[
                option("keep", Message("Keep"), "k", Message("It can be asked of every country.")),
                option("duplicate", Message("A duplicate"), "d"),
                option("one_country", Message("Fits a single country only"), "o"),
                option("unclear", Message("Not clear"), "u"),
            ]),
        built_in("template", "text", Message("Template"),
            help=Message("Write “your country” where the name of the country is to stand."),
            required={"key": "decision", "is": "keep"}, most=500, starts_as="english", language="en", missing=WHERE),
        built_in("of", "text", Message("Key of the question that it repeats"), required={"key": "decision", "is": "duplicate"},
            most=128, rows=1, direction="ltr", missing=Message("Which question does it repeat? Give its " "key.")),
    )  # fmt: skip

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """``category`` and ``english``; ``question`` is the English one where it is left out."""
        return {"question": content.get("question") or texts["english"]}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """A template says where the name of the country stands."""
        if (
            answers.get("decision") == KEEP
            and "template" not in problems
            and YOUR_COUNTRY not in answers["template"]
        ):
            problems["template"] = WHERE

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """More than half keep it; the last template stands."""
        kept = [vote.payload for vote in votes if vote.payload["decision"] == KEEP]
        if 2 * len(kept) <= len(votes):
            payload = next(vote.payload for vote in reversed(votes) if vote.payload["decision"] != KEEP)
            of = f" of {payload['of']}" if payload["of"] else ""
            decision = words_of(payload["decision"], self.parts[0], content, str)
            return Decision("dropped", reason=f"{decision[0].lower()}{decision[1:]}{of}")
        return Decision("done", result={"template": kept[-1]["template"], "category": content["category"]})

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The template alone: every country starts from the same words."""
        return dict(result)

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """What has a template was kept."""
        return {"decision": KEEP} if "template" in result else {}


class Localise(Asking):
    """content: ``template``, ``category``. submission: ``local`` (in the population's language, about its
    country), ``english`` (the template, or another wording where the country needs one).

    result: ``local``, ``english``.
    """

    name = "localise"
    known_fields = ("local", "english")
    texts = ("local", "english")
    about = "natives put a template into their language and fit it to their country"
    example: ClassVar[Mapping[str, str]] = {
        "category": "Food",
        "template": "What do people in your country eat for breakfast?",
    }
    options: ClassVar[Mapping[str, Option]] = {
        "suggestions": SUGGESTIONS,
        "for_each_population": Option(
            True, "an item that arrives here is asked of every population that has no parts", "flag"
        ),
    }
    sheet = Sheet(
        lambda content: {"template": content["template"]}, ("local", "english"), lambda row, _: dict(row)
    )

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """``template`` and ``category``."""
        problems: dict[str, str] = {}
        template = text_of(content, "template", problems, least=5, most=500)
        category = text_of(content, "category", problems)
        raise_if(problems)
        return {**content, "template": template, "category": category}

    show = ({"field": "template", "type": "text", "language": "en"}, {"field": "category", "type": "note"})
    parts = (
        built_in("local", "text", Message("The question for your country, in %(language)s"), least=3, most=500,
            missing=Message("Write the question in your language.")),
        built_in("english", "text", Message("In English"), help=Message("Change it only where your country needs another wording."),
            most=500, otherwise="template", language="en"),
    )  # fmt: skip

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """The last version stands: who comes later has seen the earlier ones."""
        return Decision("done", result=votes[-1].payload)
