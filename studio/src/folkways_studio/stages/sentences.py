"""Sentences with culture-specific items: the best of several, the item's position, its labels (XCR-Bench,
section 2)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.base import CHOICES_DIFFER, MARKS_DIFFER, Config, Content, Decision
from folkways_studio.stages.fields import raise_if, tag, text_of
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.base import Part
from folkways_studio.stages.parts.form_fields import FormFields
from folkways_studio.stages.votes import best_of

HIGHEST_RATING = 5


class BestOf(StageKind):
    """The sentence that most judges chose; a tie goes to the higher mean rating."""

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        problems: dict[str, str] = {}
        item = text_of(content, "item", problems, most=500)
        raw = content.get("candidates")
        texts = raw if isinstance(raw, list) else []
        made = [{"text": each} if isinstance(each, str) else each for each in texts]
        if len(made) < 2 or not all(
            isinstance(each, Mapping) and str(each.get("text") or "").strip() for each in made
        ):
            problems["candidates"] = "needs at least two sentences, each a text or a mapping with text and by"
        raise_if(problems)
        candidates = [
            {"id": chr(ord("a") + index), "text": str(each["text"]).strip(), "by": str(each.get("by") or "")}
            for index, each in enumerate(made)
        ]
        return {**content, "item": item, "candidates": candidates}

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """Without who wrote them, in an order of each person's own."""
        candidates = [{"id": each["id"], "text": each["text"]} for each in content["candidates"]]
        random.Random(f"{seed}|{content['item']}").shuffle(candidates)  # noqa: S311 - an order, not a secret
        return {**super().presented(content, seed), "candidates": candidates}

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        return [
            *self.ask,
            *(
                {
                    "key": f"rate-{each['id']}-{name}",
                    "field": f"rate-{each['id']}-{name}",
                    "type": "scale",
                    "label": name,
                    "of": each["id"],
                    "most": HIGHEST_RATING,
                }
                for each in content.get("candidates", ())
                for name in config["criteria"]
            ),
        ]

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = said.get("ratings")
        ratings = (
            {name: row for name, row in rows.items() if isinstance(row, Mapping)}
            if isinstance(rows, Mapping)
            else {}
        )
        return {
            **said,
            **{f"rate-{of}-{name}": value for of, row in ratings.items() for name, value in row.items()},
        }

    def payload_of(self, answers: Mapping[str, Any], asked: Sequence[Part]) -> Mapping[str, Any]:
        ratings: dict[str, dict[str, int]] = {}
        for part in asked[len(self.ask) :]:
            row, value = ratings.setdefault(part["of"], {}), answers.get(part["key"])
            row |= {} if value is None else {part["label"]: value}
        return {"best": answers.get("best"), "ratings": ratings}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        if lacking := [name for name in problems if name.startswith("rate-")]:
            for name in lacking:
                del problems[name]
            problems["ratings"] = Message("Rate every sentence by every criterion.")

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        ids = [each["id"] for each in content["candidates"]]
        scores = [
            sum(sum(vote.payload["ratings"][each].values()) for vote in votes)
            / (len(votes) * len(config["criteria"]))
            for each in ids
        ]
        best = best_of([ids.index(vote.payload["best"]) for vote in votes], scores)
        if best is None:
            return Decision("done", result={"disputed": ["best"]}, reason=CHOICES_DIFFER, branch="disagree")
        return Decision("done", result=self.result_of({"best": ids[best]}, content, config))

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        chosen = next(each for each in content["candidates"] if each["id"] == payload["best"])
        return {"sentence": chosen["text"], "best": chosen["id"], "by": chosen["by"]}

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        about = {name: content[name] for name in ("item", "fact", "context", "source") if name in content}
        if "sentence" not in result:
            return dict(content)
        return {**about, "sentence": result["sentence"], "by": result["by"]}

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        return self.payload_of(super().read_form(fields, content, config), self.asked(content, config))


class Unanimous(StageKind):
    """Done if all say the same of every part; otherwise somebody has to decide over the parts in dispute."""

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        first = votes[0].payload
        keys = [part["key"] for part in self.ask]
        disputed = [key for key in keys if any(vote.payload[key] != first[key] for vote in votes)]
        if not disputed:
            return Decision("done", result=self.result_of(first, content, config))
        agreed = {key: first[key] for key in keys if key not in disputed}
        return Decision(
            "done", result={**agreed, "disputed": disputed}, reason=self.reason(disputed), branch="disagree"
        )

    def reason(self, disputed: Sequence[str]) -> str:
        """Why these parts are in dispute, for researchers."""
        return f"people differ on the {', the '.join(disputed)}"


class Marks(Unanimous):
    """The same for marks in a sentence; the result has the sentence with tags."""

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        return {"spans": payload["spans"], "tagged": tag(content["sentence"], payload["spans"])}

    def reason(self, disputed: Sequence[str]) -> str:
        return MARKS_DIFFER
