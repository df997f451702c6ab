"""A study's tables as a Hugging Face data set: Parquet, a data card, and Croissant metadata (version 1.0)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.sdk.cultures import language_name
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.exports.study_tables import parquet_bytes
from folkways_studio.records import Study
from folkways_studio.workflows.wordings import StudyTexts

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "recordSet": "cr:recordSet",
    "sc": "https://schema.org/",
    "source": "cr:source",
}
"""The part of Croissant's context that these files use."""

DATA_TYPES = {pl.String: "sc:Text", pl.Int64: "sc:Integer", pl.Float64: "sc:Float", pl.Boolean: "sc:Boolean"}


def hub_files(
    snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], released: Mapping[str, bytes]
) -> Mapping[str, bytes]:
    """File name -> contents. tables: configuration -> frame, each a Parquet file. released: files to include
    under ``release/``."""
    files = {
        f"{name}/test-00000-of-00001.parquet": parquet_bytes(_flat(frame)) for name, frame in tables.items()
    }
    files |= {f"release/{name}": content for name, content in released.items()}
    files["croissant.json"] = _croissant(snapshot, tables, files)
    files["README.md"] = _card(snapshot, tables, bool(released)).encode()
    return files


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as text: every configuration is a plain table."""
    lists = [name for name, kind in frame.schema.items() if kind == pl.List]
    return frame.with_columns(pl.col(name).list.join(" ") for name in lists)


def _croissant(
    snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], files: Mapping[str, bytes]
) -> bytes:
    study = snapshot.study
    distribution, records = [], []
    for name, frame in tables.items():
        path = f"{name}/test-00000-of-00001.parquet"
        distribution.append(
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "encodingFormat": "application/x-parquet",
                "sha256": hashlib.sha256(files[path]).hexdigest(),
            }
        )
        fields = [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "dataType": DATA_TYPES.get(type(kind), "sc:Text"),
                "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
            }
            for column, kind in _flat(frame).schema.items()
        ]
        records.append({"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields})
    metadata = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": study.name,
        "description": study.title,
        "license": f"https://spdx.org/licenses/{study.licence}.html",
        "version": "1.0.0",
        "datePublished": datetime.now(UTC).date().isoformat(),
        "creator": {"@type": "sc:Organization", "name": "participants of the study, under pseudonyms"},
        "distribution": distribution,
        "recordSet": records,
    }
    return orjson.dumps(metadata, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _card(snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], released: bool) -> str:
    study = snapshot.study
    languages = sorted({population.language for population in snapshot.populations.values()})
    configs = "\n".join(
        f"- config_name: {name}\n  data_files:\n  - split: test\n    path: {name}/test-00000-of-00001.parquet"
        for name in tables
    )
    front = "\n".join(
        (
            "---",
            f"license: {study.licence.lower()}",
            "language:",
            *(f"- {language}" for language in languages),
            f"pretty_name: {orjson.dumps(study.title).decode()}",
            "configs:",
            configs,
            "---",
        )
    )
    people = _people(snapshot)
    stages = "\n".join(
        f"| {stage.name} | {_cell(stage.title)} | {stage.kind} | {stage.config['answers']} |"
        for stage in snapshot.stages.values()
    )
    shown = "\n".join(
        f"- `{name}`: {frame.height:,} rows; columns `{'`, `'.join(frame.columns)}`"
        for name, frame in tables.items()
    )
    release = (
        "\n`release/` has the same in the schema of the benchmark, as folkways reads it.\n"
        if released
        else ""
    )
    return f"""{front}

# {_cell(study.title)}

{shown}
{release}
## How it was made

With the studio of folkways {__version__}, workflow `{study.workflow}`. Each row of `judgements` is what one \
person said;
`participant` is a random code in place of their name.

| stage | | kind | answers wanted |
|---|---|---|---|
{stages}

## Whose answers these are

{people}

{_consents(study)}

{_withdrawn(snapshot)}

## Licence

{study.licence}
"""


def _consents(study: Study) -> str:
    """The consent text, or each of several, as everybody agreed to one of them."""
    texts = StudyTexts(study.definition, ()).consents
    if len(texts) == 1:
        return (
            f"Everybody had agreed to this text (version `{texts[0].version}`) before they "
            f"began:\n\n{_quoted(texts[0].text)}"
        )
    parts = [
        f"In {language_name(each.language or '')} (version `{each.version}`):\n\n{_quoted(each.text)}"
        for each in texts
    ]
    return "\n\n".join(("Everybody had agreed to one of these texts before they began:", *parts))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _withdrawn(snapshot: StudySnapshot) -> str:
    parts = [
        (snapshot.withdrawn, "withdrew"),
        (snapshot.excluded, "was excluded" if snapshot.excluded == 1 else "were excluded"),
    ]
    sentences = [
        f"{'One person' if number == 1 else f'{number} people'} {what}." for number, what in parts if number
    ]
    if not sentences:
        return "Nobody withdrew."
    return (
        f"{' '.join(sentences)} Nothing they said is here, nor are the {snapshot.left_out} items that "
        "descend from it."
    )


def _people(snapshot: StudySnapshot) -> str:
    counts: dict[str, set[int]] = {}
    for item in snapshot.items.values():
        population = snapshot.population(item)
        for each in snapshot.judgements[item.id]:
            counts.setdefault(population.title if population else "staff, of no population", set()).add(
                each.participant_id
            )
    rows = "\n".join(f"| {_cell(name)} | {len(people)} |" for name, people in counts.items())
    return f"| work on items of | people |\n|---|---|\n{rows}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
