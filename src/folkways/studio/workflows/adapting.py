"""Adapting a sentence to another culture, and an expert's decision over what several people did (XCR-Bench, section 2)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from folkways.benchmarks.xcr.build.labels import NON_TRANSFERABLE, RELEASED_LABEL, STRATEGIES
from folkways.studio.rules.counts import missing_answers
from folkways.studio.workflows.base import Arrival, Config, Content, Decision, Handler, Option, Vote, raise_if, text_of
from folkways.studio.workflows.options import spans_of, tag

__all__ = ["NON_TRANSFERABLE", "RELEASED_LABEL", "STRATEGIES", "VERSIONS", "AdaptHandler", "AdjudicateHandler", "untag"]

VERSIONS = ("intra", "inter")
"""The version in English, and the one in the population's language."""

_ANY_TAG = re.compile(r"<\s*/?\s*CSI\s*>", re.I)


class AdaptHandler(Handler):
    """content: ``sentence``, ``spans``, ``tagged``. submission: ``strategies`` (one of STRATEGIES per span), ``intra`` and
    ``inter`` (the adapted sentences), each with its ``intra_spans`` and ``inter_spans`` (code points), or with ``<CSI>`` tags
    in the text instead.

    Where every item is non-transferable the sentences stay empty. payload: the sentences ``tagged``, with the strategies. result:
    ``adaptations``, all of them: people's versions are not expected to agree.
    """

    kind = "adapt"
    texts = ("intra", "inter")
    about = "natives adapt a sentence within English and into their language, and say by which strategy"
    example: ClassVar[Mapping[str, str]] = {"sentence": "We spent Boxing Day at my aunt's.", "spans": "[[9, 19]]"}
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(2, "how many people adapt each sentence", least=1),
        "for_each_population": Option(True, "an item that arrives here is asked of every population that has no parts", "flag"),
    }
    hidden = ("by",)
    own_columns = ("item",)

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """A ``sentence`` and its ``spans``."""
        problems: dict[str, str] = {}
        sentence = text_of(content, "sentence", problems)
        spans = spans_of(content, "spans", sentence, problems)
        if not spans:
            problems.setdefault("spans", "needs at least one item")
        raise_if(problems)
        return {**content, "sentence": sentence, "spans": spans, "tagged": tag(sentence, spans)}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A strategy per item; as many marks in each version as there are items that were carried over."""
        problems: dict[str, str] = {}
        count = len(content["spans"])
        strategies = submission.get("strategies")
        if not isinstance(strategies, list) or len(strategies) != count or any(each not in STRATEGIES for each in strategies):
            raise_if({"strategies": f"choose one for each of the {count} items: {', '.join(STRATEGIES)}"})
        assert isinstance(strategies, list)  # noqa: S101 - checked above; for the type checker
        if all(each == NON_TRANSFERABLE for each in strategies):
            return {"strategies": strategies, **dict.fromkeys(VERSIONS, RELEASED_LABEL)}
        versions = {name: self._version(submission, name, count, problems) for name in VERSIONS}
        raise_if(problems)
        return {"strategies": strategies, **versions}

    @staticmethod
    def _version(submission: Mapping[str, Any], name: str, count: int, problems: dict[str, str]) -> str:
        text = text_of(submission, name, problems)
        if name in problems:
            return ""
        if _ANY_TAG.search(text):
            plain, spans = untag(text)
            if spans is None:
                problems[name] = "every <CSI> needs a </CSI> after it"
                return ""
        else:
            plain, spans = text, spans_of({"spans": submission.get(f"{name}_spans", [])}, "spans", text, problems)
            if "spans" in problems:
                problems[f"{name}_spans"] = problems.pop("spans")
                return ""
        if len(spans) != count:
            problems[f"{name}_spans"] = f"mark the {count} items of the sentence; {len(spans)} are marked"
        return tag(plain, spans)

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done when everybody has adapted it."""
        missing = missing_answers(len(votes), 0, wanted=config["answers"])
        if missing:
            return Decision("wait", missing)
        return Decision("done", result={"adaptations": [{"participant": vote.participant, **vote.payload} for vote in votes]})


class AdjudicateHandler(Handler):
    """content: ``kind`` and ``rules`` (of the stage that the item comes from), ``content`` (what was judged there),
    ``candidates`` (each ``participant`` and ``payload``). submission: a submission of that kind, and ``reason``. result: what
    it settles.
    """

    kind = "adjudicate"
    texts = ("decision", "reason")
    about = "an expert decides where people differ, or over all versions of an adaptation"

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """As ``arriving`` makes it; items cannot be imported here."""
        if not {"kind", "rules", "content", "candidates"} <= set(content):
            raise_if({"": "items of this stage come from another stage"})
        return dict(content)

    def arriving(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        """The item with everything that was said about it."""
        candidates = [{"participant": vote.participant, "payload": dict(vote.payload)} for vote in arrival.votes]
        return {"kind": arrival.kind, "rules": dict(arrival.config), "content": dict(content), "candidates": candidates}

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """The inner content as that stage shows it; people are "1", "2" in place of pseudonyms."""
        from folkways.studio.workflows.registry import handler_of  # it knows this module

        inner = handler_of(content["kind"]).presented(content["content"], seed)
        candidates = [{**each, "participant": str(number)} for number, each in enumerate(content["candidates"], 1)]
        return {**content, "content": inner, "candidates": candidates}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """Whatever the other kind takes."""
        from folkways.studio.workflows.registry import handler_of

        problems: dict[str, str] = {}
        reason = text_of(submission, "reason", problems, least=0)
        raise_if(problems)
        inner = handler_of(content["kind"])
        return {"decision": inner.validate(submission, content["content"], content["rules"]), "reason": reason}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """One expert decides; the last one where there are several."""
        from folkways.studio.workflows.registry import handler_of

        missing = missing_answers(len(votes), 0, wanted=config["answers"])
        if missing:
            return Decision("wait", missing)
        inner = handler_of(content["kind"])
        result = inner.settled(votes[-1].payload["decision"], content["content"], content["rules"])
        return Decision("done", result={**result, "adjudicated": True})

    def redacted(self, payload: Mapping[str, Any], fields: Collection[str], content: Content) -> Mapping[str, Any]:
        """In the decision, what the other kind has texts in."""
        from folkways.studio.workflows.registry import handler_of

        inner = handler_of(content["kind"])
        outer = super().redacted(payload, [name for name in fields if name != "decision"], content)
        if "decision" not in fields:
            return outer
        return {**outer, "decision": inner.redacted(payload["decision"], inner.texts, content["content"])}

    def onward(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """As the other kind would have handed it on."""
        from folkways.studio.workflows.registry import handler_of

        inner = {name: value for name, value in content["content"].items() if name != "disputed"}
        return handler_of(content["kind"]).onward(inner, result, content["rules"])


def untag(text: str) -> tuple[str, list[list[int]] | None]:
    """The text without ``<CSI>`` tags (and the spaces inside them), and where they stood; None for tags that do not pair."""
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
