"""Sentences with culture-specific items: the best of several, where the item stands, what it is (XCR-Bench,
section 2)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import CHOICES_DIFFER, MARKS_DIFFER, Config, Content, Decision, Option, Sheet
from folkways_studio.stages.fields import raise_if, spans_of, tag, text_of
from folkways_studio.stages.parts.base import Part, built_in, option
from folkways_studio.stages.parts.form_fields import FormFields
from folkways_studio.stages.votes import best_of

CRITERIA = ("accuracy", "fluency", "realism")
HIGHEST_RATING = 5


class ChooseBest(Asking):
    """content: ``item`` (the culture-specific item), ``fact``, ``source``, ``candidates`` (each ``id``,
    ``text``, ``by``: who wrote it, which judges do not see). submission: ``best`` (an id), ``ratings`` (id ->
    criterion -> 1 to 5).

    The one that most chose; a tie goes to the higher mean rating, and where that ties as well to somebody
    else (``disagree``). result: ``sentence``, ``best``, ``by``.

    On its page: its parts; ratings are ``rate-ID-CRITERION`` (1 to 5).
    """

    name = "choose_best"
    about = "judges rate several sentences and choose the best"
    example: ClassVar[Mapping[str, str]] = {
        "item": "Boxing Day",
        "candidate_1": "We spent Boxing Day at my aunt's.",
        "candidate_2": "On Boxing Day there was football.",
        "candidate_3": "Boxing Day was cold that year.",
    }
    branches = ("done", "disagree")
    hidden = ("provenance", "missing")
    known_fields = ("best",)
    own_columns = ("item",)
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(2, "how many people judge each item", least=1),
        "criteria": Option(list(CRITERIA), "what each sentence is rated by", "texts"),
    }

    parts = (
        built_in(
            "best",
            "choice",
            options_from="candidates",
            numbered=True,
            missing=Message("Choose the best sentence."),
        ),
    )

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """An ``item`` and at least two ``candidates`` that contain something; ids are made where they are
        left out."""
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
            {"id": chr(ord("a") + place), "text": str(each["text"]).strip(), "by": str(each.get("by") or "")}
            for place, each in enumerate(made)
        ]
        return {**content, "item": item, "candidates": candidates}

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """Without who wrote them, in an order of each person's own."""
        candidates = [{"id": each["id"], "text": each["text"]} for each in content["candidates"]]
        random.Random(f"{seed}|{content['item']}").shuffle(candidates)  # noqa: S311 - an order, not a secret
        return {**super().presented(content, seed), "candidates": candidates}

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """The choice, and a rating of every sentence by every criterion."""
        return [
            *self.parts,
            *(
                built_in(f"rate-{each['id']}-{name}", "scale", name, of=each["id"], most=HIGHEST_RATING)
                for each in content["candidates"]
                for name in config["criteria"]
            ),
        ]

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """With each rating under the key of its part."""
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
        """With the ratings by sentence and criterion, those that were given."""
        ratings: dict[str, dict[str, int]] = {}
        for part in asked[len(self.parts) :]:
            row, value = ratings.setdefault(part["of"], {}), answers.get(part["key"])
            row |= {} if value is None else {part["label"]: value}
        return {"best": answers.get("best"), "ratings": ratings}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """One problem for all ratings."""
        if lacking := [name for name in problems if name.startswith("rate-")]:
            for name in lacking:
                del problems[name]
            problems["ratings"] = Message("Rate every sentence by every criterion.")

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Most choices, then the higher mean rating."""
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
        """The chosen sentence."""
        chosen = next(each for each in content["candidates"] if each["id"] == payload["best"])
        return {"sentence": chosen["text"], "best": chosen["id"], "by": chosen["by"]}

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The sentence with what it is about; where judges differ, all of them."""
        known = {name: content[name] for name in ("item", "fact", "context", "source") if name in content}
        if "sentence" not in result:
            return dict(content)
        return {**known, "sentence": result["sentence"], "by": result["by"]}

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """The choice, and the ratings that were given."""
        return self.payload_of(super().read_form(fields, content, config), self.asked(content, config))


class TagSpans(Asking):
    """content: ``sentence``, and ``item``. submission: ``spans``, [start, end) in code points of the
    sentence. result: ``spans`` and ``tagged``, the sentence with tags around them.
    """

    name = "tag_spans"
    content_texts: ClassVar[Mapping[str, int]] = {"sentence": 4000}
    known_fields = ("spans",)
    about = "people mark where the culture-specific items stand"
    example: ClassVar[Mapping[str, str]] = {
        "sentence": "We spent Boxing Day at my aunt's.",
        "item": "Boxing Day",
    }
    branches = ("done", "disagree")
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(2, "how many people mark each sentence", least=1)
    }
    hidden = ("by",)
    own_columns = ("item",)
    show = ({"field": "item", "type": "note", "label": Message("The sentence is about:")},)
    parts = (
        built_in("spans", "spans", Message("Mark the culture-specific items"), of="sentence", language="en",
            missing=Message("Mark at least one item in the sentence.")),
    )  # fmt: skip

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done where all marked the same."""
        if any(vote.payload["spans"] != votes[0].payload["spans"] for vote in votes):
            return Decision("done", result={"disputed": ["spans"]}, reason=MARKS_DIFFER, branch="disagree")
        return Decision("done", result=self.result_of(votes[0].payload, content, config))

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The spans and the tagged sentence."""
        return {"spans": payload["spans"], "tagged": tag(content["sentence"], payload["spans"])}


class LabelItem(Asking):
    """content: ``sentence``, ``spans``. submission: ``category``, ``level``, ``element`` (the stage's lists
    say which there are).

    result: the three, or ``disputed`` with the names of those on which people differ.
    """

    name = "label_item"
    content_texts: ClassVar[Mapping[str, int]] = {"sentence": 4000}
    known_fields = ("category", "level", "element")
    about = "people label an item's category (by its use, not the word), Hall's level and element"
    example: ClassVar[Mapping[str, str]] = {
        "sentence": "We spent Boxing Day at my aunt's.",
        "spans": "[[9, 19]]",
    }
    branches = ("done", "disagree")
    hidden = ("by",)
    own_columns = ("item",)
    show = ({"field": "sentence", "type": "marked"},)
    parts = (
        built_in("category", "choice", Message("Category"), layout="tight", numbered=True, missing=Message("Choose a category.")),
        built_in("level", "choice", Message("Level (Hall)"), layout="tight", missing=Message("Choose a level.")),
        built_in("element", "choice", Message("Element"), layout="tight", missing=Message("Choose an element.")),
    )  # fmt: skip
    SETTINGS: ClassVar[Mapping[str, str]] = {
        "category": "categories",
        "level": "levels",
        "element": "elements",
    }
    """Part -> the setting with its labels."""
    PRESSED: ClassVar[Mapping[str, str]] = {"Visible": "v", "Semi-visible": "s", "Invisible": "i"}
    sheet = Sheet(
        lambda content: {"sentence": content["tagged"]},
        ("category", "level", "element"),
        lambda row, _: {name: cell.strip() for name, cell in row.items()},
    )
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(2, "how many people label each item", least=1),
        "categories": Option([], "the categories; those of the benchmark where this is empty", "texts"),
        "levels": Option([], "the levels; Hall's three where this is empty", "texts"),
        "elements": Option([], "the elements; those of the benchmark where this is empty", "texts"),
    }

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """A ``sentence`` and its ``spans``."""
        spans = spans_of(content, "spans", texts["sentence"], problems)
        return {"spans": spans, "tagged": tag(texts["sentence"], spans)}

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """With the labels of the settings, or of the benchmark."""
        from folkways.sdk.benchmarks import labels_of

        labels = {key: config[setting] or labels_of(self.name)[key] for key, setting in self.SETTINGS.items()}
        return [
            {
                **part,
                "options": [
                    option(label, label, self.PRESSED.get(label, "")) for label in labels[part["key"]]
                ],
            }
            for part in self.parts
        ]

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done where all agree on all three."""
        disputed = [field for field in self.SETTINGS if len({vote.payload[field] for vote in votes}) > 1]
        agreed = {field: votes[0].payload[field] for field in self.SETTINGS if field not in disputed}
        if disputed:
            reason = f"people differ on the {', the '.join(disputed)}"
            return Decision("done", result={**agreed, "disputed": disputed}, reason=reason, branch="disagree")
        return Decision("done", result=agreed)
