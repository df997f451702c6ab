"""Adapting a sentence to another culture (XCR-Bench, section 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import Config, Content, Decision, Option, Sheet, Translate
from folkways_studio.stages.fields import raise_if, spans_of, tag
from folkways_studio.stages.parts.base import Part, built_in, option
from folkways_studio.stages.parts.form_fields import FormFields, spans

NON_TRANSFERABLE = "non_transferable"
STRATEGIES = (
    option(
        "direct_equivalent",
        Message("Direct equivalent"),
        about=Message("the same thing exists, under its own name"),
    ),
    option(
        "functional_equivalent",
        Message("Functional equivalent"),
        about=Message("something else does the same for people"),
    ),
    option("neutral_term", Message("Neutral term"), about=Message("only a general word fits")),
    option(NON_TRANSFERABLE, Message("Non-transferable"), about=Message("nothing of the kind exists")),
)
"""How an item was carried over (section 2.2)."""

NO_VERSION = "Non-transferrable"
"""What stands for both versions where nothing can be carried over."""

VERSIONS = {"intra": Message("English version"), "inter": Message("version in your language")}
"""The version in English, and the one in the population's language."""
_ANY_TAG = re.compile(r"<\s*/?\s*CSI\s*>", re.I)


class Adapt(Asking):
    """content: ``sentence``, ``spans``, ``tagged``. submission: ``strategies`` (one of STRATEGIES per span),
    ``intra`` and ``inter`` (the adapted sentences), each with its ``intra_spans`` and ``inter_spans`` (code
    points), or with ``<CSI>`` tags in the text instead.

    Where every item is non-transferable the sentences stay empty. payload: the sentences ``tagged``, with the
    strategies. result: ``adaptations``, all of them: people's versions are not expected to agree.

    On its page: ``strategy-i`` of the item at position i; ``intra``, ``intra_spans``, ``inter``,
    ``inter_spans``.
    """

    name = "adapt"
    content_texts: ClassVar[Mapping[str, int]] = {"sentence": 4000}
    texts = ("intra", "inter")
    known_fields = ("strategies",)
    about = "natives adapt a sentence within English and into their language, and say by which strategy"
    example: ClassVar[Mapping[str, str]] = {
        "sentence": "We spent Boxing Day at my aunt's.",
        "spans": "[[9, 19]]",
    }
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(2, "how many people adapt each sentence", least=1),
        "for_each_population": Option(
            True, "an item that arrives here is asked of every population that has no parts", "flag"
        ),
    }
    hidden = ("by",)
    own_columns = ("item",)
    can_be_decided = False  # versions are not expected to agree; an expert's stage chooses one
    sheet = Sheet(
        lambda content: {"sentence": content["tagged"], "items": str(len(content["spans"]))},
        ("strategies", "intra", "inter"),
        lambda row, _: {
            **row,
            "strategies": [each.strip() for each in row["strategies"].split(";") if each.strip()],
        },
    )

    parts = (
        built_in("intra", "text", Message("In English, for your culture"), language="en",
            missing=Message("Write the %(version)s.", version=VERSIONS["intra"])),
        built_in("inter", "text", Message("In your language: %(language)s"),
            missing=Message("Write the %(version)s.", version=VERSIONS["inter"])),
    )  # fmt: skip

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """A ``sentence`` and its ``spans``."""
        spans = spans_of(content, "spans", texts["sentence"], problems)
        if not spans:
            problems.setdefault("spans", "needs at least one item")
        return {"spans": spans, "tagged": tag(texts["sentence"], spans)}

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """A strategy per item, and both versions."""
        numbers = range(len(content.get("spans", ())))
        strategies = (
            built_in(f"strategy-{n}", "choice", options=STRATEGIES, layout="two", numbered=n == 0)
            for n in numbers
        )
        return [*strategies, *self.parts]

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """With each strategy under the key of its part."""
        given = said.get("strategies")
        return {
            **said,
            **{f"strategy-{n}": each for n, each in enumerate(given if isinstance(given, list) else ())},
        }

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A strategy per item; as many marks in each version as there are items that were carried over."""
        problems: dict[str, str] = {}
        answers = self.taken(self.answers_in(submission), self.asked(content, config), content, problems)
        strategies, count = submission.get("strategies"), len(content["spans"])
        known = isinstance(strategies, list) and len(strategies) == count
        if not known or any(name.startswith("strategy-") for name in problems):
            raise_if({"strategies": Message("Choose a strategy for every marked item.")})
        if all(answers[f"strategy-{number}"] == NON_TRANSFERABLE for number in range(count)):
            return {"strategies": strategies, **dict.fromkeys(VERSIONS, NO_VERSION)}
        versions = {
            name: self._version(answers[name], submission.get(f"{name}_spans", []), name, count, problems)
            for name in VERSIONS
            if name not in problems
        }
        raise_if(problems)
        return {"strategies": strategies, **versions}

    @staticmethod
    def _version(text: str, marks: Any, name: str, count: int, problems: dict[str, str]) -> str:
        if _ANY_TAG.search(text):
            plain, spans = untag(text)
            if spans is None:
                problems[name] = "every <CSI> needs a </CSI> after it"
                return ""
        else:
            plain, spans = text, spans_of({f"{name}_spans": marks}, f"{name}_spans", text, problems)
        if len(spans) != count:
            problems.setdefault(f"{name}_spans", Message(
                "Mark in the %(version)s what stands for the marked items: %(count)s in all.", version=VERSIONS[name], count=count
            ))  # fmt: skip
        return tag(plain, spans)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done when everybody has adapted it."""
        return Decision(
            "done",
            result={"adaptations": [{"participant": vote.participant, **vote.payload} for vote in votes]},
        )

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """Strategies in order, and both versions with their marks."""
        read = dict(super().read_form(fields, content, config))
        versions = {name: read.pop(name) for name in VERSIONS}
        marks = {f"{name}_spans": spans(fields, f"{name}_spans") for name in VERSIONS}
        return {"strategies": [each or "" for each in read.values()], **versions, **marks}

    def draft_of(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """With the marks beside the text; both sentences empty where nothing was carried over."""
        draft = {name: value for name, value in payload.items() if name not in VERSIONS}
        for name in VERSIONS:
            if name in payload:
                plain, spans = untag("" if payload[name] == NO_VERSION else payload[name])
                draft |= {name: plain, f"{name}_spans": spans or []}
        return draft

    def subject(self, content: Content) -> Content:
        """Without what people made of it, where that came along."""
        return {name: value for name, value in content.items() if name != "adaptations"}

    @staticmethod
    def strategies(translate: Translate) -> Mapping[str, str]:
        """The strategies in words."""
        return {each["value"]: each["label"].words(translate) for each in STRATEGIES}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """Strategies in words, and both versions, tagged, where there are any."""
        words = self.strategies(translate)
        versions = [payload[name] for name in VERSIONS if payload[name] != NO_VERSION]
        return [", ".join(words[each] for each in payload["strategies"]), *versions]


def untag(text: str) -> tuple[str, list[list[int]] | None]:
    """The text without ``<CSI>`` tags (and the spaces inside them), and where they stood; None for tags that
    do not pair."""
    plain, spans, start, last = "", [], None, 0
    for found in _ANY_TAG.finditer(text):
        piece = text[last : found.start()]
        closing = "/" in found[0]
        if closing == (start is None):
            return text, None
        if closing:
            assert start is not None  # noqa: S101 - said above; for the type checker
            plain += piece.strip()
            spans.append([start, len(plain)])
            start = None
        else:
            plain += piece
            start = len(plain)
        last = found.end()
    if start is not None:
        return text, None
    return plain + text[last:], spans
