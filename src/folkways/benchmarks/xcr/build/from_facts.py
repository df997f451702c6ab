"""From a table of facts to items with sentences for people to choose from (XCR-Bench, section 2.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.build import Ask, BuildSession, Prompt, Reply
from folkways.benchmarks.xcr.build import proposing
from folkways.benchmarks.xcr.build.facts import Rules
from folkways.benchmarks.xcr.build.items import Item, to_form, to_json_lines
from folkways.benchmarks.xcr.build.reading import check_table
from folkways.benchmarks.xcr.build.sifting import KEPT_FILE, LEFT_OUT_FILE, Sifted, sift
from folkways.errors import FolkwaysError
from folkways.files import json_bytes, write_bytes
from folkways.records import State
from folkways.releases.checksums import sha256_of

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
    rules: Rules,
    limit: int | None,
) -> tuple[dict[str, Any], list[Path]]:
    """Sift the facts, have a model name items, and each of several write a sentence with each; writes into
    the folder ``out``.

    Returns a record of how the items were made, and the files.

    facts: a table. writers: models; proposer: names items, the first writer unless given. limit: facts that
    are asked about at most. The same call goes on where it stopped, and facts that were sifted by the same
    rules are not sifted again. Raises what ``sift`` raises, and FolkwaysError where no fact has an item.
    """
    check_table(facts)
    digest = sha256_of(facts)
    config = {"build": "csi", "facts": digest, "wording": proposing.wordings_digest()}
    names = [*writers, *([proposer] if proposer is not None and proposer not in writers else [])]
    opened = dict(zip(names, session.models(names, config, name="build-csi-"), strict=True))
    models, names_items = [opened[name] for name in writers], opened[proposer or writers[0]]
    sifted = _sifted(session, facts, out, {"sha256": digest, "rules": _plain(rules), "limit": limit}, rules)
    chosen = sifted.chosen.to_dicts()
    texts = [
        (proposing.prompt("items", culture=fact["culture"], fact=fact["fact"]), fact["id"]) for fact in chosen
    ]
    asked = _ask(names_items, PROPOSE, "items", texts)
    named, left_out = _named(chosen, asked, names_items.name)
    if not named:
        told = ", ".join(f"{why}: {count:,}" for why, count in left_out.items())
        raise FolkwaysError(
            f"{names_items.name} named no item in {len(chosen):,} facts ({told}); ask another model with "
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
        "prompts": f"folkways {proposing.wordings_digest()}",
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


def _sifted(
    session: BuildSession, facts: Path, out: Path, made_of: Mapping[str, Any], rules: Rules
) -> Sifted:
    """As an earlier call left it in the folder, if it was made of the same: table, rules and limit."""
    done, chosen = out / SIFTED_FILE, out / CHOSEN_FILE
    if done.is_file() and chosen.is_file() and (out / KEPT_FILE).is_file():
        earlier = orjson.loads(done.read_bytes())
        if earlier.get("made_of") == made_of:
            counts = {name: earlier[name] for name in ("rows", "kept", "clusters", "cultures")}
            return Sifted(chosen=pl.read_parquet(chosen), left_out=Counter(earlier["left_out"]), **counts)
    sifted = sift(facts, out, rules, made_of["limit"], session.progress, session.work_on)
    sifted.chosen.write_parquet(chosen)
    counts = {name: getattr(sifted, name) for name in ("rows", "kept", "clusters", "cultures", "left_out")}
    write_bytes(done, json_bytes({"made_of": made_of, **counts}))
    return sifted


def _ask(model: Ask, task: str, form: str, texts: Sequence[tuple[str, str]]) -> Sequence[Reply]:
    """The replies to texts, each about the item or fact of that id."""
    return model([Prompt(text, task, key, proposing.MAX_TOKENS[form], variant=form) for text, key in texts])


def _named(
    facts: Sequence[dict[str, Any]], replies: Sequence[Reply], proposer: str
) -> tuple[list[Item], Counter[str]]:
    """The items that the facts have, each once per culture, and why facts have none."""
    items: dict[str, Item] = {}
    left_out: Counter[str] = Counter()
    for fact, reply in zip(facts, replies, strict=True):
        found = proposing.read_items(reply.said) if reply.said is not None else None
        if not found:
            refused = reply.state is State.REFUSED
            left_out[
                "the model refused"
                if refused
                else "not in the asked form"
                if found is None
                else "nothing specific"
            ] += 1
        for named in found or ():
            item = Item(fact, named, proposer)
            if items.setdefault(item.id, item) is not item:
                left_out["an item that another fact has as well"] += 1
    return list(items.values()), left_out


def _written(items: Sequence[Item], models: Sequence[Ask]) -> list[Item]:
    sentences: list[dict[str, str]] = [{} for _ in items]
    missing: list[dict[str, str]] = [{} for _ in items]
    texts = [
        (proposing.prompt("sentence", culture=item.fact["culture"], **asdict(item.named)), item.id)
        for item in items
    ]
    for model in models:
        replies = _ask(model, WRITE, "sentence", texts)
        for place, (item, reply) in enumerate(zip(items, replies, strict=True)):
            sentence, why = None, f"refused: {reply.reason}"
            if reply.said is not None:
                sentence, why = proposing.read_sentence(reply.said, item.named.item)
            if sentence is None:
                missing[place][model.name] = why
            else:
                sentences[place][model.name] = sentence
    return [
        replace(item, sentences=own, missing=lacking)
        for item, own, lacking in zip(items, sentences, missing, strict=True)
    ]


def _plain(rules: Rules) -> dict[str, Any]:
    return {**asdict(rules), "cultures": sorted(rules.cultures) if rules.cultures is not None else None}
