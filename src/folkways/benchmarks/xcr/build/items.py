"""From a table of facts to items with sentences for people to choose from: prompts, replies, and the files
that people get (XCR-Bench, section 2.1).

Replies are untrusted text.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.build import AskableModel, BuildSession, ModelReply, Prompt
from folkways.benchmarks.templates import Template, digest_of, wordings
from folkways.benchmarks.xcr.build.fact_filter import KEPT_FILE, LEFT_OUT_FILE, FilteredFacts, filter_facts
from folkways.benchmarks.xcr.build.facts import OF_PEOPLE, FactRules, check_table, read_named
from folkways.benchmarks.xcr.tasks import without_tags
from folkways.errors import FolkwaysError
from folkways.files import json_bytes, packed, write_bytes
from folkways.json_lines import json_line
from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.records import State
from folkways.releases.checksums import sha256_of
from folkways.spreadsheet import guard
from folkways.text.json_replies import last_value

MAX_TOKENS = {"items": 512, "sentence": 256}
"""Output tokens that a reply needs at most."""

MOST_ITEMS = 2
ITEM_WORDS = 8
"""Words of an item at most."""

SENTENCE_WORDS = (5, 60)
ROOT = 4
"""Letters at the beginning of a word that identify it, whatever its ending."""


@dataclass(frozen=True, slots=True)
class NamedItem:
    """A culture-specific item that a model named, and its context for outsiders."""

    item: str
    context: str


def wordings_digest() -> str:
    """The digest of both prompts, for the record of a build."""
    return digest_of(wordings("folkways.benchmarks.xcr")["build"])


def prompt(form: str, **parts: str) -> str:
    """The text that asks for the ``items`` of a fact (culture, fact), or for a ``sentence`` (culture, item,
    context)."""
    return Template(wordings("folkways.benchmarks.xcr")["build"][form], "folkways").fill(parts)


def read_items(reply: str) -> list[NamedItem] | None:
    """The items that a reply names, MOST_ITEMS at most; None if it does not have the requested form."""
    value = last_value(reply, "items")
    if not isinstance(value, list):
        return None
    items = []
    for entry in value:
        item, context = (
            (_line(entry.get(key)) for key in ("item", "context")) if isinstance(entry, dict) else ("", "")
        )
        if _roots(context) and _roots(item) and len(item.split()) <= ITEM_WORDS and OPENING not in item:
            items.append(NamedItem(item, context))
    return items[:MOST_ITEMS] if items or not value else None


def read_sentence(reply: str, item: str) -> tuple[str | None, str]:
    """The tagged sentence of a reply, or None and the reason why it cannot be used."""
    value = last_value(reply, "sentence")
    sentence = _line(
        value if isinstance(value, str) else reply if OPENING in reply and "\n" not in reply.strip() else ""
    )
    if not sentence:
        return None, "no sentence in the asked form"
    spans = tagged_spans(sentence, across_lines=False)
    if (
        not spans
        or sentence.count(OPENING) != len(spans)
        or sentence.count(CLOSING) != len(spans)
        or not all(spans)
    ):
        return None, "the item is not between one pair of tags"
    if not SENTENCE_WORDS[0] <= len(sentence.split()) <= SENTENCE_WORDS[1]:
        return None, f"not {SENTENCE_WORDS[0]} to {SENTENCE_WORDS[1]} words long"
    if not any(_roots(span) & _roots(item) for span in spans):
        return None, "other words are tagged than the item"
    return sentence, ""


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _roots(text: str) -> set[str]:
    words = ["".join(letter for letter in word if letter.isalnum()) for word in text.casefold().split()]
    return {word[:ROOT] for word in words if word}


FORM = ("item_id", "culture", "item", "context")
VOTE = ("judge", "best", "ratings", "role")
"""The columns that people fill in (docs/reference/xcr.md)."""


@dataclass(frozen=True)
class CultureItem:
    """A culture-specific item drawn from a fact.

    fact: id, culture, fact, source, row, cluster_size and sources of the fact (see ``facts``).
    sentences: model -> its tagged sentence.
    missing: model -> why there is none.
    """

    fact: Mapping[str, Any]
    named: NamedItem
    proposed_by: str
    sentences: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """``item-`` and 12 hexadecimal digits of the culture and the item, whatever its case."""
        key = f"{self.fact['culture']}\0{self.named.item.casefold()}".encode()
        return f"item-{blake2b(key, digest_size=6).hexdigest()}"

    @property
    def candidates(self) -> list[dict[str, str]]:
        """``id`` (a, b, ...), ``text``, ``tagged`` and ``by``, in an order that does not reveal who wrote
        them."""
        writers = sorted(self.sentences)
        random.Random(self.id).shuffle(writers)  # noqa: S311 - an order, not a secret
        return [
            {
                "id": chr(ord("a") + index),
                "text": without_tags(self.sentences[writer]),
                "tagged": self.sentences[writer],
                "by": writer,
            }
            for index, writer in enumerate(writers)
        ]


def as_document(item: CultureItem) -> dict[str, Any]:
    """The item as one line of ``items.jsonl``, including what the studio's stage ``choose_best`` takes."""
    fact = item.fact
    return {
        "id": item.id,
        "culture": fact["culture"],
        "item": item.named.item,
        "context": item.named.context,
        "fact": fact["fact"],
        "source": fact["source"],
        "candidates": item.candidates,
        "provenance": {
            "fact_id": fact["id"],
            "table_row": fact["row"],
            "similar_facts": fact["cluster_size"],
            "sources_of_these": fact["sources"],
            "proposed_by": item.proposed_by,
        },
        "missing": dict(item.missing),
    }


def to_json_lines(items: Iterable[CultureItem]) -> bytes:
    """``items.jsonl``."""
    return b"".join(json_line(as_document(item)) for item in items)


def to_form(items: Sequence[CultureItem]) -> bytes:
    """``choices-form.csv``: a line per item with its sentences, without their writers, and empty columns for
    a judge."""
    most = max((len(item.sentences) for item in items), default=0)
    letters = [chr(ord("a") + index) for index in range(most)]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*FORM, *(f"sentence_{letter}" for letter in letters), *VOTE])
    for item in items:
        texts = [candidate["text"] for candidate in item.candidates]
        cells = [
            item.id,
            item.fact["culture"],
            item.named.item,
            item.named.context,
            *texts,
            *[""] * (most - len(texts)),
        ]
        writer.writerow([*map(guard, cells), *[""] * len(VOTE)])
    # with a mark, or spreadsheets take it for another encoding
    return b"\xef\xbb\xbf" + text.getvalue().encode()


PROPOSE, WRITE = "build-csi-items", "build-csi-sentences"
"""The tasks under which requests are stored; no benchmark has such tasks."""

ITEMS_FILE, FORM_FILE, RECORD_FILE = "items.jsonl", "choices-form.csv", "csi.build.json"
SIFTED_FILE, CHOSEN_FILE = "facts.build.json", "facts-chosen.parquet"


def build_items(
    session: BuildSession,
    facts: Path,
    out: Path,
    writers: Sequence[str],
    *,
    proposer: str | None,
    rules: FactRules,
    limit: int | None,
    by_people: bool = False,
) -> tuple[dict[str, Any], list[Path]]:
    """Filter the facts, have a model name items, and have each writer make a sentence with each; writes into
    the folder ``out``.

    session: asks the models.
    facts: a table.
    writers: models;
    proposer: names items, the first writer unless given.
    rules: which facts are kept.
    limit: facts that are asked about at most.
    by_people: people have named the items in the table (``read_named``): nothing is filtered and no model
        names items.

    Returns a record of how the items were made, and the files. The same call continues where it stopped,
    and does not filter facts by the same rules again. Raises what ``filter_facts`` raises, and
    FolkwaysError if no fact has an item.
    """
    check_table(facts)
    digest = sha256_of(facts)
    config = {"build": "csi", "facts": digest, "wording": wordings_digest()}
    names = [*writers, *([proposer] if proposer is not None and proposer not in writers else [])]
    opened = dict(zip(names, session.models(names, config, name="build-csi-"), strict=True))
    models, names_items = [opened[name] for name in writers], opened[proposer or writers[0]]
    if by_people:
        return _build_of_people(facts, digest, out, models)
    sifted = _filtered(session, facts, out, {"sha256": digest, "rules": _plain(rules), "limit": limit}, rules)
    chosen = sifted.chosen.to_dicts()
    texts = [(prompt("items", culture=fact["culture"], fact=fact["fact"]), fact["id"]) for fact in chosen]
    replies = _ask(names_items, PROPOSE, "items", texts)
    named, left_out = _named(chosen, replies, names_items.name)
    if not named:
        reasons = ", ".join(f"{why}: {count:,}" for why, count in left_out.items())
        raise FolkwaysError(
            f"{names_items.name} named no item in {len(chosen):,} facts ({reasons}); ask another model with "
            "--proposer"
        )
    items = _written(named, models)
    record = {
        "build": "csi",
        "made_by": f"folkways {__version__}",
        "facts": {"table": facts.name, "sha256": digest, "rules": _plain(rules), "limit": limit},
        "rows": sifted.rows,
        "kept": sifted.kept,
        "clusters": sifted.clusters,
        "facts_left_out": dict(sifted.left_out),
        "facts_asked": len(chosen),
        "prompts": f"folkways {wordings_digest()}",
        "proposer": names_items.name,
        "models": [model.name for model in models],
        "items": len(items),
        "without_item": dict(left_out),
        "sentences": {model.name: sum(model.name in item.sentences for item in items) for model in models},
        "without_sentence": dict(
            Counter(f"{model}: {why}" for item in items for model, why in item.missing.items())
        ),
    }
    contents = {ITEMS_FILE: to_json_lines(items), FORM_FILE: to_form(items), RECORD_FILE: json_bytes(record)}
    files = [write_bytes(out / name, content) for name, content in contents.items()]
    return record, [*files, out / KEPT_FILE, out / LEFT_OUT_FILE]


def _build_of_people(
    facts: Path, digest: str, out: Path, models: Sequence[AskableModel]
) -> tuple[dict[str, Any], list[Path]]:
    """``build_items`` with the items that people have named."""
    named: dict[str, CultureItem] = {}
    rows = 0
    for fact, item, context in read_named(facts):
        rows += 1
        made = CultureItem(fact, NamedItem(item, context), OF_PEOPLE)
        named.setdefault(made.id, made)
    if not named:
        raise FolkwaysError(
            f"{facts} names no item; fill its columns item and context, or settle the items of its study"
        )
    items = _written(list(named.values()), models)
    record = {
        "build": "csi",
        "made_by": f"folkways {__version__}",
        "facts": {"table": facts.name, "sha256": digest},
        "rows": rows,
        "prompts": f"folkways {wordings_digest()}",
        "proposer": OF_PEOPLE,
        "models": [model.name for model in models],
        "items": len(items),
        "sentences": {model.name: sum(model.name in item.sentences for item in items) for model in models},
        "without_sentence": dict(
            Counter(f"{model}: {why}" for item in items for model, why in item.missing.items())
        ),
    }
    contents = {ITEMS_FILE: to_json_lines(items), FORM_FILE: to_form(items), RECORD_FILE: json_bytes(record)}
    return record, [write_bytes(out / name, content) for name, content in contents.items()]


def _filtered(
    session: BuildSession, facts: Path, out: Path, made_of: Mapping[str, Any], rules: FactRules
) -> FilteredFacts:
    """The facts as an earlier call left them in the folder, if table, rules and limit are the same."""
    done, chosen = out / SIFTED_FILE, out / CHOSEN_FILE
    if done.is_file() and chosen.is_file() and (out / KEPT_FILE).is_file():
        earlier = orjson.loads(done.read_bytes())
        if earlier.get("made_of") == made_of:
            counts = {name: earlier[name] for name in ("rows", "kept", "clusters", "cultures")}
            return FilteredFacts(
                chosen=pl.read_parquet(chosen), left_out=Counter(earlier["left_out"]), **counts
            )
    done.unlink(missing_ok=True)  # what it tells of is about to be replaced
    sifted = filter_facts(facts, out, rules, made_of["limit"], session.progress, session.work_on)
    write_bytes(chosen, packed(sifted.chosen, "parquet"))
    counts = {name: getattr(sifted, name) for name in ("rows", "kept", "clusters", "cultures", "left_out")}
    write_bytes(done, json_bytes({"made_of": made_of, **counts}))
    return sifted


def _ask(model: AskableModel, task: str, form: str, texts: Sequence[tuple[str, str]]) -> Sequence[ModelReply]:
    """The replies to texts, each about the item or fact of that id."""
    return model([Prompt(text, task, key, MAX_TOKENS[form], variant=form) for text, key in texts])


def _named(
    facts: Sequence[dict[str, Any]], replies: Sequence[ModelReply], proposer: str
) -> tuple[list[CultureItem], Counter[str]]:
    """The items of the facts, each once per culture, and why facts have none."""
    items: dict[str, CultureItem] = {}
    left_out: Counter[str] = Counter()
    for fact, reply in zip(facts, replies, strict=True):
        named_items = read_items(reply.said) if reply.said is not None else None
        if not named_items:
            refused = reply.state is State.REFUSED
            left_out[
                "the model refused"
                if refused
                else "not in the asked form"
                if named_items is None
                else "nothing specific"
            ] += 1
        for named in named_items or ():
            item = CultureItem(fact, named, proposer)
            if items.setdefault(item.id, item) is not item:
                left_out["an item that another fact has as well"] += 1
    return list(items.values()), left_out


def _written(items: Sequence[CultureItem], models: Sequence[AskableModel]) -> list[CultureItem]:
    sentences: list[dict[str, str]] = [{} for _ in items]
    missing: list[dict[str, str]] = [{} for _ in items]
    texts = [
        (prompt("sentence", culture=item.fact["culture"], **asdict(item.named)), item.id) for item in items
    ]
    for model in models:
        replies = _ask(model, WRITE, "sentence", texts)
        for index, (item, reply) in enumerate(zip(items, replies, strict=True)):
            sentence, why = None, f"refused: {reply.reason}"
            if reply.said is not None:
                sentence, why = read_sentence(reply.said, item.named.item)
            if sentence is not None and without_tags(sentence) in map(
                without_tags, sentences[index].values()
            ):
                sentence, why = None, "the sentence that another model wrote too"
            if sentence is None:
                missing[index][model.name] = why
            else:
                sentences[index][model.name] = sentence
    return [
        replace(item, sentences=written, missing=lacking)
        for item, written, lacking in zip(items, sentences, missing, strict=True)
    ]


def _plain(rules: FactRules) -> dict[str, Any]:
    return {**asdict(rules), "cultures": sorted(rules.cultures) if rules.cultures is not None else None}
