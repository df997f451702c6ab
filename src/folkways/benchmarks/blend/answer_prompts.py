"""The prompts of short-answer questions: the release's own, ours where it has none, or what the user
brings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import orjson
import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.templates import missing_places, wordings
from folkways.cultures import cultures_of, get_culture
from folkways.errors import DataError, UnknownNameError
from folkways.records import PROMPTS
from folkways.releases.release_records import Release

ENGLISH = "en"
PLACE = "{q}"
_PLACE = re.compile(r"\{\w\}")  # two Algerian templates have the placeholder's letter translated


def template_frame(release: Release, cultures: Iterable[str]) -> pl.DataFrame:
    """One row per culture: ``templates`` (JSON: template -> [English text, local text]) and
    ``prompt_source``.

    The JSON is one string per culture that all its items share, so that a reply can later be freed of its
    prompt.
    """
    own = wordings("folkways.benchmarks.blend")["saq"]  # template -> language -> text with ``{q}``
    released: dict[str, dict[str, list[str]]] = {}
    if blend.has(release, "prompts"):
        for culture, name, *texts in blend.read_prompts(release).iter_rows():
            released.setdefault(culture, {})[name] = [_PLACE.sub(PLACE, text) for text in texts]
    rows = []
    for culture in cultures:
        local = get_culture(culture).languages[0]
        ours = {name: [texts[ENGLISH], texts[local]] for name, texts in own.items()}
        templates, source = (released[culture], "release") if culture in released else (ours, "folkways")
        rows.append((culture, orjson.dumps(templates).decode(), source))
    return pl.DataFrame(
        rows, schema={"culture": pl.String, "templates": pl.String, "prompt_source": pl.String}, orient="row"
    )


def fill(template: str, question: str) -> str:
    """The prompt: the template with the question in its place."""
    return template.replace(PLACE, question)


def make_prompts(
    task: str,
    items: pl.DataFrame,
    options: PromptOptions,
    default_variants: tuple[str, ...],
    release: Release,
) -> pl.DataFrame:
    """records.PROMPTS for items with ``local_language``, ``question_local``, ``question_en``, ``templates``
    and ``prompt_source``.

    The items may be a part of the release's: an item that lacks a template or language which others have gets
    no prompt for it. Raises UnknownNameError for a template or language that no item of the release has.
    """
    known = {
        culture: orjson.loads(text)
        for culture, text in items.select("culture", "templates").unique(maintain_order=True).iter_rows()
    }
    brought = _brought(options.prompt_texts)
    variants = _variants(options, known, brought, default_variants, release)
    wanted_languages = _languages(options.languages)
    rows = []
    for culture, local, source in (
        items.select("culture", "local_language", "prompt_source").unique(maintain_order=True).iter_rows()
    ):
        order = 0
        for language in dict.fromkeys(local if code == "local" else code for code in wanted_languages):
            if language not in (local, ENGLISH):
                continue
            for variant in variants:
                own = brought.get((variant, language), brought.get((variant, "")))
                released = known[culture].get(variant)
                text = own or (released and released[0 if language == ENGLISH else 1])
                if text:
                    rows.append(
                        (culture, language, variant, order, text, f"file:{variant}" if own else source)
                    )
                    order += 1
    names = ("culture", "language", "variant", "order", "template", "prompt_source")
    schema = {name: pl.Int64 if name == "order" else pl.String for name in names}
    asked = pl.DataFrame(rows, schema=schema, orient="row")
    question = (
        pl.when((pl.col("language") == ENGLISH) & (pl.col("local_language") != ENGLISH))
        .then("question_en")
        .otherwise("question_local")
    )
    return (
        items.drop("prompt_source")
        .with_row_index("place")
        .join(asked, on="culture", how="inner")
        .sort("place", "order")
        .select(
            pl.lit(task).alias("task"),
            "item",
            "language",
            "variant",
            pl.lit(None, dtype=pl.String).alias("system"),
            pl.col("template").str.replace_all(PLACE, question, literal=True).alias("user"),
            pl.lit(None, dtype=pl.List(pl.String)).alias("choices"),
            "prompt_source",
        )
        .select(list(PROMPTS))
    )


def _brought(texts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """(template, language or "") -> text, from names like ``inst-4`` (every language) and ``inst-4@ko``."""
    for name, text in texts.items():
        if absent := missing_places(text, ("question",)):
            raise DataError(
                f"the prompt {name!r} has no {absent[0]}, the place of the question: {text[:80]!r}"
            )
    return {
        (name.partition("@")[0], name.partition("@")[2]): text.replace("{question}", PLACE)
        for name, text in texts.items()
    }


def _variants(
    options: PromptOptions,
    known: Mapping[str, Mapping[str, list[str]]],
    brought: Mapping[tuple[str, str], str],
    default: tuple[str, ...],
    release: Release,
) -> list[str]:
    names = dict.fromkeys(
        [*(name for templates in known.values() for name in templates), *(name for name, _ in brought)]
    )
    if options.variants is None:
        return list(dict.fromkeys(name for name, _ in brought) or default)
    chosen = [member for name in options.variants for member in (names if name == "all" else [name])]
    if unknown := [name for name in chosen if name not in names]:
        elsewhere = (
            blend.read_prompts(release)["id"].unique().to_list() if blend.has(release, "prompts") else []
        )
        for name in unknown:
            if name not in elsewhere:
                raise UnknownNameError("prompt template", name, {*names, *elsewhere, "all"})
    return list(dict.fromkeys(chosen))


def _languages(wanted: tuple[str, ...] | None) -> list[str]:
    known = {"local", ENGLISH, *(culture.languages[0] for culture in cultures_of("blend"))}
    for code in wanted or ():
        if code not in known:
            raise UnknownNameError("language of blend/saq", code, known)
    return list(wanted or ("local", ENGLISH))
