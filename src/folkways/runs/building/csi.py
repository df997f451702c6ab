"""``folkways build csi``: from a table of facts to items with sentences for people to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.xcr.building import proposing
from folkways.benchmarks.xcr.building.facts import Rules
from folkways.benchmarks.xcr.building.items import Item, to_form, to_json_lines
from folkways.engine.budget import Budget, parse_budget
from folkways.errors import FolkwaysError
from folkways.releases.checksums import sha256_of
from folkways.runs.asides import Aside, How, Reply, ask_asides
from folkways.runs.building.csi_reading import check_table
from folkways.runs.building.csi_sifting import KEPT_FILE, LEFT_OUT_FILE, Report, Sifted, sift
from folkways.runs.building.files import make_folder, write_bytes, write_record
from folkways.runs.building.oracle import BuildStopped
from folkways.runs.models import Model
from folkways.workspace.database import Workspace

PROPOSE, WRITE = "build-csi-items", "build-csi-sentences"
"""The tasks under which requests are stored; no benchmark has such tasks."""

ITEMS_FILE, FORM_FILE, RECORD_FILE = "items.jsonl", "choices-form.csv", "csi.build.json"
SIFTED_FILE, CHOSEN_FILE = "facts.build.json", "facts-chosen.parquet"


@dataclass(frozen=True)
class CsiOptions:
    """What is built: ``facts`` (table), ``out`` (folder), how facts are sifted, how many are asked about at most."""

    facts: Path
    out: Path
    rules: Rules = field(default_factory=Rules)
    limit: int | None = 1000


@dataclass(frozen=True)
class BuiltItems:
    """The items, what became of the facts, a record of how it was made, and the files."""

    items: Sequence[Item]
    sifted: Sifted
    record: dict[str, Any]
    files: Sequence[Path]


def build_csi(
    options: CsiOptions,
    models: Sequence[Model],
    workspace: Workspace,
    *,
    proposer: Model | None = None,
    how: How | None = None,
    report: Report = lambda _what: None,
) -> BuiltItems:
    """Sift the facts, have ``proposer`` (the first model unless given) name items, and each model write a sentence with each.

    Everything that models say is stored; the same call goes on where it stopped, and facts that were sifted by the same rules are
    not sifted again. Raises what ``sift`` raises, FolkwaysError where no fact has an item, and BuildStopped where not everything
    could be asked.
    """
    how = how or How()
    if isinstance(how.budget, str):
        how = replace(how, budget=Budget(parse_budget(how.budget)))  # one for all rounds
    proposer = proposer or models[0]
    sifted = _sifted(options, report)
    facts = sifted.chosen.to_dicts()
    config = {"build": "csi", "facts": sha256_of(options.facts), "wording": proposing.wordings_digest()}
    asides = [Aside(proposing.items_prompt(fact["culture"], fact["fact"]), fact["id"], "en", "items") for fact in facts]
    named, left_out = _named(facts, _asked(workspace, PROPOSE, config, asides, proposer, "items", how), proposer)
    if not named:
        told = ", ".join(f"{why}: {count:,}" for why, count in left_out.items())
        raise FolkwaysError(f"{proposer.name} named no item in {len(facts):,} facts ({told}); ask another model with --proposer")
    items = _written(named, models, workspace, config, how)
    record = {
        "build": "csi",
        "made_by": f"folkways {__version__}",
        "facts": {"table": options.facts.name, "sha256": config["facts"], "rules": _plain(options.rules), "limit": options.limit},
        "rows": sifted.rows,
        "kept": sifted.kept,
        "clusters": sifted.clusters,
        "facts_left_out": dict(sifted.left_out),
        "facts_asked": len(facts),
        "prompts": f"folkways {proposing.wordings_digest()}",
        "proposer": proposer.name,
        "models": [model.name for model in models],
        "items": len(items),
        "without_item": dict(left_out),
        "sentences": {model.name: sum(model.name in item.sentences for item in items) for model in models},
        "without_sentence": dict(Counter(f"{model}: {why}" for item in items for model, why in item.missing.items())),
    }
    contents = {ITEMS_FILE: to_json_lines(items), FORM_FILE: to_form(items)}
    for name, content in contents.items():
        write_bytes(options.out / name, content)
    write_record(record, options.out / RECORD_FILE)
    files = [options.out / name for name in (*contents, RECORD_FILE, KEPT_FILE, LEFT_OUT_FILE)]
    return BuiltItems(items, sifted, record, files)


def _sifted(options: CsiOptions, report: Report) -> Sifted:
    """As an earlier call left it in the folder, if it was of the same table by the same rules."""
    done, chosen = options.out / SIFTED_FILE, options.out / CHOSEN_FILE
    check_table(options.facts)
    made_of = {"sha256": sha256_of(options.facts), "rules": _plain(options.rules), "limit": options.limit}
    if done.is_file() and chosen.is_file() and (options.out / KEPT_FILE).is_file():
        earlier = orjson.loads(done.read_bytes())
        if earlier.get("made_of") == made_of:
            counts = {name: earlier[name] for name in ("rows", "kept", "clusters", "cultures")}
            return Sifted(chosen=pl.read_parquet(chosen), left_out=Counter(earlier["left_out"]), **counts)
    make_folder(options.out)
    sifted = sift(options.facts, options.out, options.rules, options.limit, report)
    sifted.chosen.write_parquet(chosen)
    counts = {name: getattr(sifted, name) for name in ("rows", "kept", "clusters", "cultures", "left_out")}
    write_record({"made_of": made_of, **counts}, done)
    return sifted


def _asked(
    workspace: Workspace, kind: str, config: dict[str, Any], asides: Sequence[Aside], model: Model, form: str, how: How
) -> Sequence[Reply]:
    asked = ask_asides(workspace, kind, config, asides, model, proposing.MAX_TOKENS[form], how)
    lost = [reply.reason for reply in asked.replies if reply.text is None and not reply.refused]
    if lost or asked.stopped:
        raise BuildStopped(asked.stopped or f"{len(lost)} requests failed, the last with: {lost[-1]}")
    return asked.replies


def _named(facts: Sequence[dict[str, Any]], replies: Sequence[Reply], proposer: Model) -> tuple[list[Item], Counter[str]]:
    """The items that the facts have, each once per culture, and why facts have none."""
    items: dict[str, Item] = {}
    left_out: Counter[str] = Counter()
    for fact, reply in zip(facts, replies, strict=True):
        found = proposing.read_items(reply.text) if reply.text is not None and not reply.refused else None
        if not found:
            left_out[
                "the model refused" if reply.refused else "not in the asked form" if found is None else "nothing specific"
            ] += 1
        for named in found or ():
            item = Item(fact, named, proposer.name)
            if items.setdefault(item.id, item) is not item:
                left_out["an item that another fact has as well"] += 1
    return list(items.values()), left_out


def _written(items: Sequence[Item], models: Sequence[Model], workspace: Workspace, config: dict[str, Any], how: How) -> list[Item]:
    sentences: list[dict[str, str]] = [{} for _ in items]
    missing: list[dict[str, str]] = [{} for _ in items]
    asides = [Aside(proposing.sentence_prompt(item.fact["culture"], item.named), item.id, "en", "sentence") for item in items]
    for model in models:
        replies = _asked(workspace, WRITE, config, asides, model, "sentence", how)
        for place, (item, reply) in enumerate(zip(items, replies, strict=True)):
            sentence, why = None, f"refused: {reply.reason}"
            if reply.text is not None and not reply.refused:
                sentence, why = proposing.read_sentence(reply.text, item.named.item)
            if sentence is None:
                missing[place][model.name] = why
            else:
                sentences[place][model.name] = sentence
    return [replace(item, sentences=own, missing=lacking) for item, own, lacking in zip(items, sentences, missing, strict=True)]


def _plain(rules: Rules) -> dict[str, Any]:
    return {**asdict(rules), "cultures": sorted(rules.cultures) if rules.cultures is not None else None}
