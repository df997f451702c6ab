"""An expert's decision over what several people did (XCR-Bench, section 2)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkways.sdk.studies import Vote
from folkways_studio.stages.base import SAID_THE_SAME, Arrival, Config, Content, Decision, Say, Translate
from folkways_studio.stages.fields import FieldParts, raise_if
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.form_fields import FormFields


def _as_read(value: Any) -> Any:
    """A JSON value without what a reader does not see: spacing, line breaks, and how a letter is encoded."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", " ".join(value.split()))
    if isinstance(value, Mapping):
        return {key: _as_read(each) for key, each in value.items()}
    return [*map(_as_read, value)] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, kw_only=True, eq=False)
class Adjudication(StageKind):
    """An expert answers as people did in the stage that the item comes from, or takes one of their answers.

    kind_named: name -> the kind of stage.
    """

    kind_named: Callable[[str], StageKind]

    def _inner(self, content: Content) -> StageKind:
        """The kind of the stage that is decided over."""
        return self.kind_named(content["kind"])

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """As ``take_over`` makes it; items cannot be imported here."""
        if not {"kind", "rules", "content", "candidates"} <= set(content):
            raise_if({"": "items of this stage come from another stage"})
        return dict(content)

    def take_over(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        candidates = [
            {"participant": vote.participant, "payload": dict(vote.payload)} for vote in arrival.votes
        ]
        return {
            "kind": arrival.kind,
            "rules": dict(arrival.config),
            "content": dict(content),
            "candidates": candidates,
        }

    def quoted(self, content: Content) -> Collection[str]:
        return [candidate["participant"] for candidate in content["candidates"]]

    def without_quotes(self, content: Content, gone: Collection[str]) -> Content:
        left = [each for each in content["candidates"] if each["participant"] not in gone]
        return {**content, "candidates": left}

    def answered_stage(self, content: Content, config: Config) -> tuple[StageKind, Content, Config]:
        return self._inner(content), content["content"], content["rules"]

    def essential(self, content: Content, config: Config) -> Content:
        return self._inner(content).essential(content["content"], content["rules"])

    def answered(self, payload: Mapping[str, Any], content: Content) -> Mapping[str, Any]:
        decision = self._inner(content).answered(payload["decision"], content["content"])
        return {"reason": payload["reason"], **decision}

    def media(self, content: Content, config: Config) -> tuple[str, ...]:
        return self._inner(content).media(content["content"], content["rules"])

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """The inner content as that stage shows it, and its ``versions``: they rest on the whole content,
        which may say what the stage hides. People are "1", "2" in place of pseudonyms.
        """
        inner = self._inner(content).presented(content["content"], seed)
        candidates = [
            {**each, "participant": str(number)} for number, each in enumerate(content["candidates"], 1)
        ]
        return {**content, "content": inner, "candidates": candidates, "versions": self._versions(content)}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        reason = super().validate(submission, content, config)
        return {
            "decision": self._inner(content).validate(submission, content["content"], content["rules"]),
            **reason,
        }

    def answer_fields(self, content: Content, config: Config) -> tuple[str, ...]:
        return self._inner(content).answer_fields(content["content"], content["rules"])

    def read_suggestion(self, cell: Any, content: Content, config: Config) -> Mapping[str, Any]:
        return self._inner(content).read_suggestion(cell, content["content"], content["rules"])

    def check_suggestion(
        self, suggested: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, Any]:
        """The decision; its reason is a person's."""
        return self._inner(content).check_suggestion(suggested, content["content"], content["rules"])

    def answer_parts(
        self, draft: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, FieldParts]:
        inner, decision = self._inner(content), draft.get("decision")
        inside = inner.draft_of(decision) if isinstance(decision, Mapping) else draft
        return inner.answer_parts(inside, content["content"], content["rules"])

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        result = self._inner(content).result_of(
            votes[-1].payload["decision"], content["content"], content["rules"]
        )
        return Decision("done", result={**result, "adjudicated": True})

    def on_arrival(self, content: Content, config: Config) -> Decision | None:
        """What everybody said, where they all said the same."""
        inner, candidates = self._inner(content), content["candidates"]
        if (
            len(candidates) < 2
            or len(self._versions(content)) > 1
            or inner.undecided(candidates[0]["payload"])
        ):
            return None
        result = inner.result_of(candidates[0]["payload"], content["content"], content["rules"])
        return Decision("done", result={**result, "agreed": True}, reason=SAID_THE_SAME)

    def subject(self, content: Content, config: Config) -> Content:
        return self._inner(content).subject(content["content"], content["rules"])

    def redacted(
        self, payload: Mapping[str, Any], fields: Collection[str], content: Content
    ) -> Mapping[str, Any]:
        inner = self._inner(content)
        outer = super().redacted(payload, [name for name in fields if name != "decision"], content)
        if "decision" not in fields:
            return outer
        return {**outer, "decision": inner.redacted(payload["decision"], inner.own_words, content["content"])}

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        inner = {name: value for name, value in content["content"].items() if name != "disputed"}
        return self._inner(content).hand_on(inner, result, content["rules"])

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        inner, inside, rules = self._inner(content), content["content"], content["rules"]
        decision = {name: value for name, value in draft.items() if name != "reason"} or inner.draft_of(
            self._agreed(content)
        )
        if isinstance(decision.get("decision"), Mapping):  # a judgement, and no draft
            decision = inner.draft_of(decision["decision"])
        versions = [
            {**version, "draft": filled, "values": inner.form_values(inside, rules, filled)}
            for version in self._versions(content)
            for filled in [inner.draft_of(version["payload"])]
        ]
        why = super().form_values(content, config, draft)["asked"]["reason"]
        more = inner.form_values(inside, rules, decision)
        return {
            "inner": inner,
            "decision": decision,
            "versions": versions,
            "agreed": bool(self._agreed(content)),
            "why": why,
            **more,
        }

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        inner = self._inner(content).read_form(fields, content["content"], content["rules"])
        return {**inner, **super().read_form(fields, content, config)}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        lines = self._inner(content).describe(payload["decision"], content["content"], translate)
        return [*lines, *super().describe(payload, content, translate)]

    def read_back(
        self, payload: Mapping[str, Any], content: Content, config: Config, translate: Translate, say: Say
    ) -> Sequence[str]:
        inside, rules = content["content"], content["rules"]
        lines = self._inner(content).read_back(payload["decision"], inside, rules, translate, say)
        return [*lines, *super().describe(payload, content, translate)]

    def _versions(self, content: Content) -> list[dict[str, Any]]:
        """What people said, in order of arrival: each different ``payload`` with how many ``people`` said it.

        Two are the same where the item would come to the same by either, spacing and ways of encoding a
        letter aside. Content that was ``presented`` brings them along.
        """
        if "versions" in content:
            return list(content["versions"])
        inner = self._inner(content)
        versions: dict[str, dict[str, Any]] = {}
        for candidate in content["candidates"]:
            result = inner.result_of(candidate["payload"], content["content"], content["rules"])
            canonical = json.dumps(_as_read(result), sort_keys=True)
            versions.setdefault(canonical, {"payload": candidate["payload"], "people": 0})["people"] += 1
        return list(versions.values())

    def _agreed(self, content: Content) -> Mapping[str, Any]:
        """The fields that at least two people filled in, and all in the same way; all fields where they say
        the same by any of them."""
        payloads = [candidate["payload"] for candidate in content["candidates"]]
        if len(payloads) < 2:
            return {}
        if len(self._versions(content)) == 1:
            return dict(payloads[0])
        return self._inner(content).in_common(payloads)
