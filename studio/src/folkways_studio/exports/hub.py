"""A study's tables as a Hugging Face data set: Parquet, a data card, and Croissant metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime

import orjson
import polars as pl

from folkways import __version__
from folkways.sdk.cultures import language_name
from folkways.sdk.display import plural
from folkways.sdk.files import Croissant, CroissantTable
from folkways_studio.exports.data_statement import (
    Offers,
    pay_sentences,
    people_in_words,
    recruited,
    shares,
    statement,
)
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.exports.study_tables import parquet_bytes
from folkways_studio.records import Study, day_of
from folkways_studio.stages.registry import stage_kind
from folkways_studio.workflows.wordings import StudyTexts


def hub_files(
    snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], released: Mapping[str, bytes], offers: Offers
) -> Mapping[str, bytes]:
    """File name -> contents of the data set.

    snapshot: of the study. tables: configuration -> frame, each a Parquet file. released: files to include
    under ``release/``. offers: what the people of each population were paid.
    """
    files = {
        f"{name}/test-00000-of-00001.parquet": parquet_bytes(_flat(frame)) for name, frame in tables.items()
    }
    files |= {f"release/{name}": content for name, content in released.items()}
    files["croissant.json"] = _croissant(snapshot, tables, files, offers)
    files["README.md"] = _card(snapshot, tables, bool(released), offers).encode()
    return files


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as text: every configuration is a plain table."""
    lists = [name for name, kind in frame.schema.items() if kind == pl.List]
    return frame.with_columns(pl.col(name).list.join(" ") for name in lists)


def _croissant(
    snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], files: Mapping[str, bytes], offers: Offers
) -> bytes:
    study = snapshot.study
    sent = sorted(each.created for of_item in snapshot.judgements.values() for each in of_item)
    wanted = "; ".join(f"{stage.title}: {stage.config['answers']}" for stage in snapshot.stages.values())
    described = {}
    for name, frame in tables.items():
        path = f"{name}/test-00000-of-00001.parquet"
        checksum = hashlib.sha256(files[path]).hexdigest()
        described[name] = CroissantTable(_flat(frame).schema, {path: checksum})
    return Croissant(
        name=study.name,
        about=study.title,
        licences=[study.licence],
        date=datetime.now(UTC).date().isoformat(),
        creator="participants of the study, under pseudonyms",
        tables=described,
        rai={
            "dataCollection": f"People wrote, answered and checked items in the studio of folkways "
            f"{__version__}, workflow {study.workflow}.",
            "dataCollectionType": ["Surveys", "Manual Human Curator"],
            "dataCollectionTimeframe": [day_of(moment) for moment in (*sent[:1], *sent[-1:])],
            "dataAnnotationProtocol": "Stages: "
            + "; ".join(f"{stage.title} ({stage.kind})" for stage in snapshot.stages.values())
            + f". Everybody agreed to a consent text first. {' '.join(pay_sentences(offers))}",
            "dataAnnotationPlatform": [f"folkways-studio {__version__}"],
            "annotationsPerItem": wanted,
            "annotatorDemographics": [*recruited(snapshot), *shares(tables.get("demographics"))],
            "machineAnnotationTools": sorted(
                {
                    model
                    for name in ("suggestions", "pre_annotations")
                    if name in tables
                    for model in tables[name]["model"]
                }
            ),
            "dataAnnotationAnalysis": [
                *(
                    ["The answers of each person are there, disagreement included."]
                    * ("judgements" in tables)
                ),
                *filter(None, [_counted(snapshot)]),
            ],
            "personalSensitiveInformation": [
                "People are random codes. What they said of themselves is there as counts of five or more."
            ],
            "dataLimitations": [_withdrawn(snapshot)],
            "dataReleaseMaintenancePlan": ["Who withdraws is left out of every later export."],
        },
    ).document()


def _card(snapshot: StudySnapshot, tables: Mapping[str, pl.DataFrame], released: bool, offers: Offers) -> str:
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
    people = statement(snapshot, tables.get("demographics"), offers)
    stages = "\n".join(
        f"| {stage.name} | {_cell(stage.title)} | {stage.kind} | {stage.config['answers']} |"
        for stage in snapshot.stages.values()
    )
    shown = "\n".join(
        f"- `{name}`: {plural(frame.height, 'row')}; columns `{'`, `'.join(frame.columns)}`"
        for name, frame in tables.items()
    )
    release = (
        "\n`release/` has the same in the schema of the benchmark, as folkways reads it.\n"
        if released
        else ""
    )
    sentences = [
        "Each row of `judgements` is what one person said;\n"
        "`participant` is a random code in place of their name."
        if "judgements" in tables
        else "",
        _counted(snapshot),
    ]
    return f"""{front}

# {_cell(study.title)}

{shown}
{release}
## How it was made

With the studio of folkways {__version__}, workflow `{study.workflow}`. {" ".join(filter(None, sentences))}

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


def _counted(snapshot: StudySnapshot) -> str:
    """The sentence on stages that are published as counts; empty without such stages."""
    names = [stage.name for stage in snapshot.stages.values() if stage_kind(stage.kind).confidential]
    return f"Of these stages counts alone are published: {', '.join(names)}." if names else ""


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
    sentences = [
        f"{people_in_words(number)} {what}."
        for number, what in ((snapshot.withdrawn, "withdrew"), (snapshot.excluded, "were excluded"))
        if number
    ]
    if not sentences:
        return "Nobody withdrew."
    gone = snapshot.left_out
    descended = f", nor {'is' if gone == 1 else 'are'} {plural(gone, 'item')} that came of it" if gone else ""
    return f"{' '.join(sentences)} Nothing they said is here{descended}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
