"""A kind of stage: its description, and the rules by which it reads, checks, shows and decides answers.

Every description is a file in ``kinds``. ``StageKind`` has the rules that all kinds share; what a kind does
differently is a subclass that its description names (``registry.RULES``). Everything here is a pure function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from folkways.sdk.studies import Study, Vote
from folkways_studio.errors import Message, SubmissionError
from folkways_studio.stages.base import (
    Arrival,
    Config,
    Content,
    Decision,
    Option,
    Say,
    Translate,
    WorkbookSchema,
    masked,
)
from folkways_studio.stages.fields import FieldParts, checked_fields, parts_of_field, plain, raise_if, shared
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import ORDER, Part, UnfitError, field_of, shown_options
from folkways_studio.stages.parts.form_fields import FormFields
from folkways_studio.stages.parts.settings import holds, wanted_by
from folkways_studio.stages.parts.sheets import schema_of_parts
from folkways_studio.stages.parts.types import Scale, Texts

if TYPE_CHECKING:
    import polars as pl

EMPTY_VALUES: Sequence[Any] = (None, "", [], {})

SUBJECT = ("question", "local", "sentence", "template", "item", "english", "scenario", "text")
"""What an item is called by, unless its stage says what is shown: the first of these fields that it has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StageKind:
    """One kind of stage. The fields are what its description may say; payloads and contents are JSON.

    submission, draft and payload: key of a part -> its value, unless the rule defines ``answers_in`` and
    ``payload_of``. An item is done with the last answer unless the rule defines ``resolve``.

    name: as studies' files call it.
    about: what people do there.
    settings: besides COMMON_OPTIONS: name -> Option.
    content: checked fields of an imported item; see ``fields.checked_fields``.
    show: what the page shows of an item above the parts, if it has no template of its own.
    ask: the parts that are asked (``parts.base``).
    branches: the ends that a stage's ``next`` may lead on from.
    hands_on: fields of the result that make up the content for the next stage; empty for the content together
        with the result.
    known_fields: fields of the payload that may be known beforehand, the plainest first.
    own_words: fields of the payload in a person's own words, which can be redacted.
    hidden: fields of the content that the people of this stage do not see.
    copied: fields of the content that repeat judgements of an earlier stage.
    compared: texts of the content by which repeats among the stage's items are found.
    own_columns: columns of an imported table that are content here, though ids elsewhere.
    workbook: ``show`` (column -> field of the content) and ``help`` (column -> words); empty if it cannot be
        worked on off line.
    example: a row of a table of items: column -> cell; empty if none can be imported.
    authored: people write new items instead of getting them.
    asks_models: its authors may ask the study's helper and verifier.
    judges_replies: its items are replies of models, drawn from a run.
    can_be_decided: a researcher or expert may replace what people said by one result.
    confidential: people say what they think themselves; published data have counts, and no answer of one
        person.
    """

    name: str
    about: str
    settings: Mapping[str, Option] = field(default_factory=dict)
    content: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    show: Sequence[Part] = ()
    ask: Sequence[Part] = ()
    branches: tuple[str, ...] = ("done",)
    hands_on: tuple[str, ...] = ()
    known_fields: tuple[str, ...] = ()
    own_words: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    own_columns: tuple[str, ...] = ()
    workbook: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    example: Mapping[str, str] = field(default_factory=dict)
    authored: bool = False
    asks_models: bool = False
    judges_replies: bool = False
    can_be_decided: bool = True
    confidential: bool = False

    # Items

    def check_config(self, config: Config) -> Mapping[str, str]:
        """What is wrong with settings that fit their kinds one by one: setting -> problem."""
        if "majority" not in self.settings or config["majority"] is None:
            return {}
        majority, answers = config["majority"], config["answers"]
        if answers < 2 * majority <= 2 * answers:
            return {}
        return {"majority": f"{majority} of {answers} is no majority: more than half is, and at most all"}

    def answers_wanted(self, config: Config) -> int:
        """How many answers an item needs at first."""
        return 1 if self.authored else int(config["answers"])

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """The content of an imported item as it is stored; SubmissionError if a field is missing or wrong."""
        return {**content, **checked_fields(content, self.content)}

    def media(self, content: Content, config: Config) -> tuple[str, ...]:
        """The names of the files that an item shows: pictures, recordings."""
        return ()

    def example_row(self, config: Config) -> Mapping[str, str]:
        """``example`` with the columns that a stage with these settings needs."""
        return self.example

    def take_over(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        """The content of an item that comes to this stage from another."""
        return content

    def on_arrival(self, content: Content, config: Config) -> Decision | None:
        """The decision on an item that arrives already settled; None if people have to be asked."""
        return None

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """What a person sees of the content; seed: their pseudonym, for orders of their own."""
        return {name: value for name, value in content.items() if name not in self.hidden}

    def subject(self, content: Content, config: Config) -> Content:
        """What an item is about, the most telling fields first: an item is called by the first text."""
        return first_of(content, SUBJECT)

    def quoted(self, content: Content) -> Collection[str]:
        """Pseudonyms of the people whose answers the content quotes."""
        return ()

    def without_quotes(self, content: Content, gone: Collection[str]) -> Content:
        """The content without what it quotes of the people ``gone`` (pseudonyms)."""
        return content

    def answered_stage(self, content: Content, config: Config) -> tuple[StageKind, Content, Config]:
        """The kind and settings of the stage whose parts are answered, and the content that they are about:
        its own, unless people decide over another stage."""
        return self, content, config

    def essential(self, content: Content, config: Config) -> Content:
        """The fields of the content without which it would be another question."""
        return {name: content.get(name) for name in self.content}

    # Answers

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """The parts as they are asked of one item, with what the settings say (``from_settings``)."""
        return [self._with_settings(part, config) for part in self.ask]

    def _with_settings(self, part: Part, config: Config) -> Part:
        """``options`` that a study leaves empty are the labels of the benchmarks."""
        values = {key: config[setting] for key, setting in part.get("from_settings", {}).items()}
        if "options" in values:
            from folkways.sdk.benchmarks import labels_of

            labels = values["options"] or labels_of(self.name).get(part["key"], ())
            press = part.get("press", {})
            values["options"] = [
                {"value": label, "label": label, "press": press.get(label, "")} for label in labels
            ]
        return {**part, **values}

    def answers_in(self, submission: Mapping[str, Any]) -> Mapping[str, Any]:
        """Key of a part -> value, from a submission or a draft."""
        return submission

    def answered(self, payload: Mapping[str, Any], content: Content) -> Mapping[str, Any]:
        """Key of a part -> value, from a judgement of an item with this content."""
        return self.answers_in(self.draft_of(payload))

    def payload_of(self, answers: Mapping[str, Any], asked: Sequence[Part]) -> Mapping[str, Any]:
        """What is stored of valid answers (key -> value)."""
        return {part["key"]: answers.get(part["key"], PART_TYPES[part["type"]].empty) for part in asked}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """Add to ``problems`` what is wrong with the answers together.

        answers: of ``taken``, which has checked each alone. content and config: of the item and its stage.
        """

    def problem(self, error: UnfitError) -> str:
        """The sentence for an answer that does not fit its part."""
        return error.named

    def taken(
        self, submission: Mapping[str, Any], asked: Sequence[Part], content: Content, problems: dict[str, str]
    ) -> dict[str, Any]:
        """Key -> the answer as it is stored, for every part that applies and was answered.

        submission: key -> value as sent. asked: the parts of an item with this content. problems: gets a
        sentence for every answer that is missing or wrong.
        """
        answers: dict[str, Any] = {}
        for part in asked:
            if "if" in part and not holds(part["if"], answers):
                continue
            key, kind, value = part["key"], PART_TYPES[part["type"]], submission.get(part["key"])
            if value in EMPTY_VALUES and "otherwise" in part:
                value = content[part["otherwise"]]
            if value in EMPTY_VALUES:
                if _is_required(part, answers):
                    problems[key] = part.get("missing") or Message("This has to be answered.")
                    continue
                if not isinstance(kind.empty, list):
                    continue
                value = kind.empty
            try:
                answers[key] = kind.clean(value, part, content)
            except UnfitError as error:
                answers[key], problems[key] = value, self.problem(error)
                continue
            if "unlike" in part and answers[key] == answers.get(part["unlike"]):
                problems[key] = Message("Choose another one than above.")
        return answers

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The payload of a judgement: cleaned answers to the parts that apply, and no other fields.
        SubmissionError names every wrong field, in words for the person who filled it in."""
        problems: dict[str, str] = {}
        parts = self.asked(content, config)
        answers = self.taken(self.answers_in(submission), parts, content, problems)
        self.check(answers, content, config, problems)
        raise_if(problems)
        return self.payload_of(answers, parts)

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """A judgement in words, for reviewers and researchers: one line per answer."""
        answers = ((part, payload.get(part["key"])) for part in self.ask if part.get("told", True))
        return [
            line
            for part, value in answers
            if value not in EMPTY_VALUES
            for line in PART_TYPES[part["type"]].told(value, part, content, translate)
        ]

    def read_back(
        self, payload: Mapping[str, Any], content: Content, config: Config, translate: Translate, say: Say
    ) -> Sequence[str]:
        """A judgement in the words in which it was asked, for its author.

        payload: the judgement. content, config: of the item and its stage. translate, say: our texts and the
        study's in the author's language."""
        return self.describe(payload, content, translate)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Field -> what agreement is computed over: text, number, or a frozenset if several may be chosen.
        Without words of one's own."""
        compared = (part for part in self.ask if part.get("compared", True) and part["key"] in payload)
        labels = {part["key"]: PART_TYPES[part["type"]].label(payload[part["key"]]) for part in compared}
        return {key: label for key, label in labels.items() if label is not None}

    def in_common(self, payloads: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The fields that are not empty and the same in all of two or more payloads."""
        first, *others = payloads
        return {
            name: value
            for name, value in first.items()
            if value and all(other.get(name) == value for other in others)
        }

    def redacted(
        self, payload: Mapping[str, Any], fields: Collection[str], content: Content
    ) -> Mapping[str, Any]:
        """The payload with REDACTED in place of every text in these fields."""
        return {name: masked(value) if name in fields else value for name, value in payload.items()}

    # Decisions

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """What the judgements so far come to; they are in order of arrival and without those of people who
        withdrew."""
        missing = config["answers"] - len(votes)
        return Decision("wait", missing) if missing > 0 else self.resolve(votes, content, config)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """``decide`` once as many people have answered as the stage asks."""
        return Decision("done", result=self.result_of(votes[-1].payload, content, config))

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The result of an item that this one judgement decides: a unanimous one, or an expert's."""
        return dict(payload)

    def undecided(self, submission: Mapping[str, Any]) -> Mapping[str, str]:
        """Why a valid answer cannot decide over an item: field -> what to do."""
        return {}

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The content that a done item hands to the next stage."""
        if self.hands_on:
            return {name: result[name] for name in self.hands_on}
        return {**content, **result}

    # Known answers

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        """A known answer as a table of items gives it: its fields, or the value of the first of
        ``known_fields`` alone."""
        return dict(cell) if isinstance(cell, Mapping) else {self.known_fields[0]: cell}

    def check_known(self, known: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A known answer as it is stored: some or all of ``known_fields``. SubmissionError if one is wrong or
        none is given."""
        valid = ", ".join(self.known_fields) or "(none)"
        raise_if(
            {
                name: f"cannot be known beforehand; valid: {valid}"
                for name in known
                if name not in self.known_fields
            }
        )
        raise_if({} if known else {"": f"says nothing; give at least one of: {valid}"})
        try:
            payload = self.validate(known, content, config)
        except SubmissionError as error:  # a known answer need not have every field
            raise_if({name: problem for name, problem in error.problems.items() if name in known})
            payload = known
        return {name: payload[name] for name in known}

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float) -> bool:
        """Whether a judgement agrees with a known answer in each of its fields.

        ``labels`` are compared as agreement does, marks by how much of them is shared (``overlap``, 0 to 1),
        other texts without case, spacing and the ways of encoding a letter.
        """
        labels, right = self.labels(payload), self.labels({**payload, **known})
        for name, value in known.items():
            if name == "spans":
                same = shared(payload["spans"], value) >= overlap
            elif name in right:
                same = labels[name] == right[name]
            else:
                same = plain(payload.get(name)) == plain(value)
            if not same:
                return False
        return True

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The known answer that a decided item's result gives; empty if it gives none."""
        return {name: result[name] for name in self.known_fields if name in result}

    def describe_known(
        self, known: Mapping[str, Any], content: Content, translate: Translate
    ) -> Sequence[str]:
        """A known answer in words, as ``describe`` puts a judgement."""
        empty: dict[str, Any] = dict.fromkeys((*self.known_fields, *self.own_words), "")
        return [line for line in self.describe({**empty, **known}, content, translate) if line]

    def read_back_known(
        self, known: Mapping[str, Any], content: Content, config: Config, translate: Translate, say: Say
    ) -> Sequence[str]:
        """A known answer in the words in which it was asked. known: as ``check_known`` gives it. content,
        config, translate, say: as of ``read_back``."""
        return self.describe_known(known, content, translate)

    # Suggestions of models

    def answer_fields(self, content: Content, config: Config) -> tuple[str, ...]:
        """The fields of a submission."""
        parts = self.asked(content, config)
        names = (*self.payload_of({}, parts), *(part["key"] for part in parts))
        return tuple(dict.fromkeys((*names, *self.known_fields, *self.own_words)))

    def read_suggestion(self, cell: Any, content: Content, config: Config) -> Mapping[str, Any]:
        """A suggested answer as tables and models give it: its fields, or the value of the plainest one
        alone. SubmissionError where a value alone says too little."""
        if isinstance(cell, Mapping):
            return cell
        if self.known_fields:
            return self.read_known(cell)
        fields = self.answer_fields(content, config)
        if len(fields) != 1:
            raise SubmissionError(
                {"": f"has to be an object with some of these fields: {', '.join(fields)}; not {cell!r}"}
            )
        return {fields[0]: cell}

    def check_suggestion(
        self, suggested: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, Any]:
        """What a model suggests, some or all fields of a submission, as the form begins with it
        (``draft_of``). SubmissionError if a field is wrong or unknown, or none is given."""
        valid = self.answer_fields(content, config)
        raise_if(
            {
                name: f"is nothing that is asked here; valid: {', '.join(valid)}"
                for name in suggested
                if name not in valid
            }
        )
        raise_if({} if suggested else {"": f"says nothing; give at least one of: {', '.join(valid)}"})
        try:
            draft = self.draft_of(self.validate(suggested, content, config))
        except SubmissionError as error:  # a model need not fill in every field
            raise_if({name: each for name, each in error.problems.items() if name in ("", *suggested)})
            answers = self.taken(self.answers_in(suggested), self.asked(content, config), content, {})
            draft = self.draft_of({name: answers.get(name, value) for name, value in suggested.items()})
        return {name: value for name, value in draft.items() if name in suggested or name not in valid}

    def answer_parts(
        self, draft: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, FieldParts]:
        """An answer, or what was suggested for one, by its fields (draft: as ``draft_of`` makes it)."""
        texts = {part["key"] for part in self.asked(content, config) if part["type"] == "text"}
        return {name: parts_of_field(value, is_text=name in texts) for name, value in draft.items()}

    # Page

    @property
    def form_template(self) -> str:
        """The part of the page with its fields."""
        return "stages/asked.html.j2" if self.show else f"stages/kinds/{self.name}.html.j2"

    @property
    def help_template(self) -> str:
        """The part of the page with its guidelines and keys."""
        return f"stages/help/{self.name}.html.j2"

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """The submission as far as it has been filled in, which is also stored as a draft. Never raises."""
        return {
            part["key"]: PART_TYPES[part["type"]].read(fields, part, content)
            for part in self.asked(content, config)
        }

    def draft_of(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """A judgement, or some fields of one, as ``read_form`` would have read it."""
        return dict(payload)

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the form's template needs besides content, config and draft: ``show``; ``parts``, each as
        ``shown_part`` makes it; ``asked``, the same by key."""
        applicable, answers = self.asked(content, config), self.answers_in(draft)
        parts = [shown_part(part, applicable, content, answers.get(part["key"])) for part in applicable]
        return {"show": self.show, "parts": parts, "asked": {part["asked"]["key"]: part for part in parts}}

    # Workbook and exports

    def workbook_schema(self, config: Config, say: Say) -> WorkbookSchema | None:
        """How its items look in a workbook; None if it cannot be worked on off line."""
        return schema_of_parts(self.ask, self.workbook) if self.workbook else None

    def tables(self, study: Study, configs: Mapping[str, Config]) -> Mapping[str, pl.DataFrame]:
        """Name -> table that a study with judgements of this kind exports besides those of every study.
        configs: of the study's stages, by name."""
        return {}

    def codebook(self, config: Config) -> Sequence[Mapping[str, Any]]:
        """What the columns of its tables mean if the study's file says so: ``column``, ``type``, ``label``,
        ``values``, ``required``, ``asked_if``."""
        return ()


class OwnOrderKind(StageKind):
    """A kind whose page shows some options to each person in an order of their own."""

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        return {**super().presented(content, seed), ORDER: seed}

    def subject(self, content: Content, config: Config) -> Content:
        inside = {name: value for name, value in content.items() if name != ORDER}
        return super().subject(inside, config)


def first_of(content: Content, names: Iterable[str]) -> Content:
    """The same content, with the fields of these names first, in their order."""
    return {name: content[name] for name in (*names, *content) if name in content}


def _is_required(part: Part, answers: Mapping[str, Any]) -> bool:
    required = part.get("required", True)
    return holds(required, answers) if isinstance(required, Mapping) else required


def shown_part(part: Part, asked: Sequence[Part], content: Content, value: Any) -> Mapping[str, Any]:
    """A part for the page. asked: all parts of the item with this content; value: the answer so far.

    It has the part (``asked``), its ``field``, its ``value``, its ``options`` (what is sent, value,
    text or texts), the ``keys`` to press for them wherever one is, the ``digits`` to press in this part, and
    their explanations (``about``), all by value, the ``points`` of a scale, the ``lines`` of texts, and the
    ``when`` of the page's script.
    """
    begins = part.get("starts_as") or part.get("otherwise")
    if begins and (value in (None, "") or (value == [] and part["type"] == "texts")):
        value = content.get(begins)
    options = [option for option in part.get("options", ()) if isinstance(option, Mapping)]
    shown = shown_options(part, content)
    keys = {option["value"]: option["press"] for option in options if option.get("press")}
    if part.get("lettered"):
        keys = {value: letter for letter, (_, value, _) in zip("abcdefgh", shown, strict=False)}
    points = [*Scale.points(part)] if part["type"] == "scale" else []
    return {
        "asked": part,
        "field": field_of(part),
        "value": value,
        "options": shown,
        "keys": keys,
        "digits": _digits(points, [value for _, value, _ in shown]) if part.get("numbered", not keys) else {},
        "about": {option["value"]: option.get("about", "") for option in options},
        "points": points,
        "lines": range(Texts.most(part)) if part["type"] == "texts" else (),
        "when": _when(part, asked, content),
    }


def _digits(points: Sequence[int], values: Sequence[Any]) -> Mapping[Any, str]:
    """Value -> the digit that chooses it: a point's own (0 for 10, unless 0 is a point itself), and that of
    the place from 1 for options and for points below 0 or above 10. There is none for the tenth place."""
    if points and points[0] >= 0 and points[-1] <= 10:
        return {point: str(point % 10) for point in points if point < 10 or points[0] > 0}
    return {value: str(number) for number, value in enumerate([*points, *values][:9], 1)}


def _when(part: Part, asked: Sequence[Part], content: Content) -> str:
    """``FIELD=1|2``: the script shows the part if one of these is chosen. Empty if it is always asked."""
    condition = part.get("if") or part.get("required")
    if not isinstance(condition, Mapping):
        return ""
    other = next(each for each in asked if each["key"] == condition["key"])
    wanted = wanted_by(condition)
    sent = {value: sent for sent, value, _ in shown_options(other, content)}
    values = [str(sent.get(each, each)) for each in wanted if not sent or each in sent]
    return f"{field_of(other)}={'|'.join(values)}"
