"""What people said of the items of a study, stage by stage, as formats of other projects take it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from folkways_studio.activity import PreAnnotation
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.formats.questions import AnnotatedItem, AnnotatedStage, Answer, Suggestion, asked_once
from folkways_studio.records import Item, ItemState, Judgement, Stage
from folkways_studio.stages.kind import EMPTY_VALUES, StageKind
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import ALT, TRANSCRIPT, WORDS_FOR, Content, Part, UnfitError
from folkways_studio.stages.registry import stage_kind
from folkways_studio.workflows.wordings import StudyTexts


def annotated_stages(
    snapshot: StudySnapshot, suggestions: Iterable[PreAnnotation]
) -> Iterator[AnnotatedStage]:
    """Every stage that asks something of its items and has some, with what may leave the study of them.
    suggestions: of models, for the items of the study."""
    by_item: dict[int, list[PreAnnotation]] = {}
    for each in suggestions:
        by_item.setdefault(each.item_id, []).append(each)
    texts = StudyTexts(snapshot.study.definition, ())
    for stage in snapshot.stages.values():
        kind = stage_kind(stage.kind)
        items = [
            _annotated(snapshot, kind, stage, name, item, by_item.get(item.id, ()))
            for name, item in _with_names(snapshot.of(stage))
        ]
        if parts := asked_once(items):
            labels = {part["key"]: texts.pick(part.get("label", "")).text for part in parts}
            title = texts.stage_title(stage.name).text
            yield AnnotatedStage(
                stage.name, title, _shown(kind, stage, snapshot.of(stage)), parts, labels, items
            )


def _with_names(items: Iterable[Item]) -> Iterator[tuple[str, Item]]:
    """Each item with a name of its own: an item that is asked again in another round has the same key."""
    names: set[str] = set()
    for item in items:
        name = item.key if item.key not in names else f"{item.key} {item.round}.{item.id}"
        names.add(name)
        yield name, item


def _annotated(
    snapshot: StudySnapshot,
    kind: StageKind,
    stage: Stage,
    name: str,
    item: Item,
    suggestions: Iterable[PreAnnotation],
) -> AnnotatedItem:
    answered, content, config = kind.answered_stage(item.content, stage.config)
    parts = [*answered.asked(content, config)]
    if answered is not kind:
        keys = {part["key"] for part in parts}
        parts += [part for part in kind.asked(item.content, stage.config) if part["key"] not in keys]
    population = snapshot.population(item)
    return AnnotatedItem(
        key=name,
        content=content,
        parts=parts,
        answers=[
            Answer(
                snapshot.people[each.participant_id],
                _answered(kind.answered(each.payload, item.content), parts),
                each.seconds,
                each.created,
            )
            for each in snapshot.judgements[item.id]
        ],
        decided=_decided(answered, item, content, parts, snapshot.judgements[item.id]),
        suggestions=[
            Suggestion(
                each.model, each.version, each.score, _answered(answered.answers_in(each.content), parts)
            )
            for each in suggestions
        ],
        meta={
            "item_id": item.id,
            "round": item.round,
            "population": population.name if population else None,
            "culture": population.culture if population else None,
            "language": population.language if population else None,
        },
    )


def _answered(values: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """The parts that were answered; where nothing was marked, that is an answer."""
    keys = [part["key"] for part in parts if part["key"] in values]
    marked = {part["key"] for part in parts if part["type"] == "spans"}
    return {key: values[key] for key in keys if values[key] not in EMPTY_VALUES or key in marked}


def _decided(
    kind: StageKind, item: Item, content: Content, parts: Sequence[Part], judgements: Sequence[Judgement]
) -> Answer | None:
    """What a done item came to, of parts whose result is an answer that a person could have given; as of the
    last of its judgements. content: what the parts are about."""
    if item.state != ItemState.DONE or not item.result:
        return None
    values: dict[str, Any] = {}
    result = {**item.result, **kind.known_of(item.result)}
    for part in parts:
        if part["key"] in result and part["type"] != "texts":
            try:
                value = _sent(result[part["key"]], part)
                values[part["key"]] = PART_TYPES[part["type"]].clean(value, part, content)
            except UnfitError:
                continue
    created = max((each.created for each in judgements), default=None)
    return Answer(None, values, created=created) if values else None


def _sent(value: Any, part: Part) -> Any:
    """A result as somebody would send it: the median of a scale is a whole number where it can be."""
    return (
        int(value) if part["type"] == "scale" and isinstance(value, float) and value.is_integer() else value
    )


def _shown(kind: StageKind, stage: Stage, items: Iterable[Item]) -> dict[str, str]:
    """Field -> text, image or audio, of what people see of the items: what the form lists, else their
    texts."""
    types: dict[str, str] = {}
    for item in items:
        answered, content, config = kind.answered_stage(item.content, stage.config)
        if "show" in config:
            for each in config["show"]:
                field, words = each["field"], WORDS_FOR.get(each["type"])
                types.setdefault(field, each["type"])
                types |= {f"{field}{words}": "text"} if words and f"{field}{words}" not in types else {}
            names = [name for part in config["ask"] for name in (part.get("of"), *part.get("between", ()))]
        else:
            presented = answered.presented(content, "")
            names = [part["of"] for part in answered.asked(content, config) if part["type"] == "spans"]
            names += [
                name
                for name, value in presented.items()
                if isinstance(value, str)
                and not name.endswith((ALT, TRANSCRIPT))
                and not name.startswith("_")
            ]
        types |= {name: "text" for name in names if name and name not in types}
    return types
