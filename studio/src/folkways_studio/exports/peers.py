"""Files that other projects read: Label Studio, Argilla, spaCy and CoNLL; and what they have no place for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from folkways.sdk.errors import FolkwaysError
from folkways_studio.activity import PreAnnotation
from folkways_studio.exports.annotations import annotated_stages
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.formats import argilla, conll, label_studio
from folkways_studio.formats.questions import (
    AnnotatedItem,
    AnnotatedStage,
    MismatchError,
    marked_parts,
    spans_in,
)
from folkways_studio.formats.spans import (
    Span,
    bilou,
    cut_words,
    iob2,
    overlapping,
    tokens_of,
    with_white_space,
)
from folkways_studio.stages.parts.base import Part

DECIDED = "decided"
MOST_LISTED = 1000
"""Spans within words that the record lists."""


@dataclass
class PeerFiles:
    """File name -> contents, and what the format has no place for: a name in ``study.json`` -> how much."""

    files: dict[str, bytes] = field(default_factory=dict)
    not_carried: dict[str, Any] = field(default_factory=dict)


def peer_files(snapshot: StudySnapshot, format: str, suggestions: Iterable[PreAnnotation] = ()) -> PeerFiles:
    """The study in a format of PEERS, with the suggestions of models for its items. Raises
    FolkwaysError if there is nothing that it could hold."""
    stages = [*annotated_stages(snapshot, suggestions)]
    try:
        files = PEERS[format](stages, snapshot.study.name)
    except MismatchError as error:
        raise FolkwaysError(str(error)) from None
    if not files.files:
        raise FolkwaysError(
            f"study {snapshot.study.name} has no marked spans, and the format {format} holds nothing else; "
            "export its tables instead: csv, jsonl, parquet, xlsx"
            if format in SPANS_ALONE
            else f"study {snapshot.study.name} has no items yet that people are asked about"
        )
    return files


def _json(value: Any) -> bytes:
    return orjson.dumps(
        value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    )


def _left_out(stages: Sequence[AnnotatedStage], types: Sequence[str]) -> dict[str, Any]:
    """The answers to parts of these types, by stage and part."""
    counts = Counter(
        f"{stage.name}.{part['key']}"
        for stage in stages
        for item in stage.items
        for part in item.parts
        if part["type"] in types
        for answer in item.answers
        if part["key"] in answer.values
    )
    return {"answers_without_a_control": dict(counts)} if counts else {}


def _label_studio(stages: Sequence[AnnotatedStage]) -> PeerFiles:
    files = PeerFiles(not_carried=_left_out(stages, label_studio.LEFT_OUT))
    for stage in stages:
        files.files[f"{stage.name}.tasks.json"] = _json(label_studio.tasks(stage))
        files.files[f"{stage.name}.config.xml"] = label_studio.labeling_config(stage).encode()
    return files


def _argilla(stages: Sequence[AnnotatedStage], study: str) -> PeerFiles:
    files = PeerFiles(not_carried=_left_out(stages, argilla.LEFT_OUT))
    people = {answer.by for stage in stages for item in stage.items for answer in item.answers if answer.by}
    for stage in stages:
        files.files |= {
            f"{stage.name}/.argilla/settings.json": _json(argilla.settings(stage)),
            f"{stage.name}/.argilla/dataset.json": _json(
                {"name": f"{study}-{stage.name}", "guidelines": None}
            ),
            f"{stage.name}/records.json": _json(argilla.records(stage, study)),
        }
    dropped = sum(argilla.suggestions_dropped(item) for stage in stages for item in stage.items)
    files.not_carried["suggestions_without_a_place"] = dropped
    files.not_carried["user_ids"] = {each: argilla.user_id(study, each) for each in sorted(people)}
    return files


Texts = list[tuple[AnnotatedItem, str, list[Span]]]
"""Items, the text of one of their fields, and marks in it."""


def _layers(stages: Sequence[AnnotatedStage], files: PeerFiles) -> dict[str, Texts]:
    """File name without its ending (STAGE.PART.PERSON, or STAGE.PART.decided) -> texts with the marks of one
    person, or as decided, where they were asked for them.

    Parts in which words of one text are marked are in one file (STAGE.FIELD.PERSON), unless two of their
    marks overlap, or somebody was asked only for some of them.
    """
    layers: dict[str, Texts] = {}
    unasked = undecided = 0
    for stage in stages:
        for of, parts in marked_parts(stage.parts).items():
            together = not any(_apart(item, parts) for item in stage.items)
            for group in [parts] if together else [[part] for part in parts]:
                label = group[0]["key"] if len(group) == 1 else of
                for item in stage.items:
                    text = str(item.content.get(of, ""))
                    for answer in (*item.answers, *([item.decided] if item.decided else ())):
                        if all(part["key"] in answer.values for part in group):
                            name = f"{stage.name}.{label}.{answer.by or DECIDED}"
                            layers.setdefault(name, []).append((item, text, spans_in(answer.values, group)))
                        elif answer.by is None:
                            undecided += 1
                        else:
                            unasked += 1
    files.not_carried |= {"answers_without_marks": unasked, "decisions_without_marks": undecided}
    return layers


def _apart(item: AnnotatedItem, parts: Sequence[Part]) -> bool:
    """Whether these parts cannot be in one file because of an item."""
    answers = [*item.answers, *([item.decided] if item.decided else ())]
    return any(
        (len({part["key"] in answer.values for part in parts}) > 1 and answer.by is not None)
        or overlapping(spans_in(answer.values, parts))
        for answer in answers
    )


def _span_files(stages: Sequence[AnnotatedStage], write: Callable[[Texts], Mapping[str, bytes]]) -> PeerFiles:
    """Every layer in its files. write: ending of a file -> contents. Marks that begin or end within a word
    are listed: other tokenizers have no token for them."""
    files = PeerFiles()
    cut: list[dict[str, Any]] = []
    for name, texts in _layers(stages, files).items():
        files.files |= {f"{name}.{ending}": content for ending, content in write(texts).items()}
        cut += [
            {"file": name, "item": item.key, "start": start, "end": end, "words": text[start:end]}
            for item, text, spans in texts
            for start, end, _ in cut_words(text, spans)
        ]
    files.not_carried |= {"spans_within_words": len(cut), "spans_within_words_listed": cut[:MOST_LISTED]}
    return files


def _spacy(texts: Texts) -> Mapping[str, bytes]:
    """``jsonl``: a text and its entities per line, with offsets in code points. ``json``: the same in tokens,
    for ``spacy convert``."""
    lines = [
        orjson.dumps({"text": text, "entities": spans, "meta": _meta(item)}, option=orjson.OPT_APPEND_NEWLINE)
        for item, text, spans in texts
    ]
    documents = []
    for number, (_, text, spans) in enumerate(texts):
        tokens = with_white_space(text, tokens_of(text, spans))
        words = [
            {"id": index, "orth": text[start:end], "ner": tag}
            for index, ((start, end), tag) in enumerate(zip(tokens, bilou(iob2(tokens, spans)), strict=True))
        ]
        documents.append({"id": number, "paragraphs": [{"raw": text, "sentences": [{"tokens": words}]}]})
    return {"jsonl": b"".join(lines), "json": orjson.dumps(documents)}


def _meta(item: AnnotatedItem) -> dict[str, Any]:
    return {"item": item.key, "language": item.meta.get("language")}


def _conll(texts: Texts) -> Mapping[str, bytes]:
    tagged = [conll.TaggedText(conll.one_line(item.key), text, spans) for item, text, spans in texts]
    return {"conll": conll.conll2003(tagged).encode(), "iob2": conll.universal_ner(tagged).encode()}


PEERS: Mapping[str, Callable[[Sequence[AnnotatedStage], str], PeerFiles]] = {
    "label-studio": lambda stages, _: _label_studio(stages),
    "argilla": _argilla,
    "spacy": lambda stages, _: _span_files(stages, _spacy),
    "conll": lambda stages, _: _span_files(stages, _conll),
}
"""Format -> what writes the stages of a study of that name in it."""

SPANS_ALONE = ("spacy", "conll")
