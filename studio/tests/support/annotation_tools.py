"""Run in the environment of spaCy, Argilla and Label Studio's SDK: their own readers over files of the studio.

    python annotation_tools.py FOLDER PACKAGES...

Prints as JSON what every reader read in its folder within FOLDER: label-studio, argilla, spacy and conll an export,
docs the file that spaCy makes of ``docs.json``, a list of texts and entities. PACKAGES: folders with the studio and
what it needs.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock


def label_studio(folder: Path) -> Any:
    """Errors of the SDK's validator by stage, and its own export of the texts as CoNLL-2003."""
    from label_studio_sdk.converter import Converter
    from label_studio_sdk.label_interface import LabelInterface

    read = {}
    for path in sorted(folder.glob("*.config.xml")):
        config = path.read_text("utf-8")
        interface = LabelInterface(config)
        interface.validate()
        tasks_path = path.with_name(path.name.replace(".config.xml", ".tasks.json"))
        tasks = json.loads(tasks_path.read_text("utf-8"))
        errors = [
            error
            for task in tasks
            for each in (*task["annotations"], *task["predictions"])
            for error in interface.validate_prediction(each, return_errors=True)
        ]
        errors += [
            f"no {each.value_name}"
            for task in tasks
            for each in interface.objects
            if each.value_is_variable and task["data"].get(each.value_name) is None
        ]
        converter = Converter(config=config, project_dir=None)
        converter.convert_to_json_min(str(tasks_path), str(folder / "out"), is_dir=False)
        converted = json.loads((folder / "out" / "result.json").read_text("utf-8"))
        labels = {name: sorted(each.labels) for name, each in interface._controls.items() if each.labels}
        read[path.name.split(".")[0]] = {"errors": errors, "labels": labels, "converted": converted}
    return read


def argilla(folder: Path) -> Any:
    """The records of each data set as Argilla gives them out again, and as it sends them to its server."""
    warnings.simplefilter("ignore")
    import argilla as rg
    from argilla._models import DatasetModel
    from argilla.records._io import GenericIO

    rg.Argilla._default_client = client = mock.MagicMock()
    read = {}
    for path in sorted(folder.glob("*/records.json")):
        DatasetModel(**json.loads((path.parent / ".argilla" / "dataset.json").read_text("utf-8")))
        settings = rg.Settings.from_json(path.parent / ".argilla" / "settings.json")
        settings.validate()
        dataset = SimpleNamespace(settings=settings, name="test", _client=client)
        rows = json.loads(path.read_text("utf-8"))
        records = [rg.Record.from_dict(row, dataset=dataset) for row in rows]
        for record in records:
            record.api_model()
        read[path.parent.name] = {
            "records": [record.to_dict() for record in records],
            "flat": GenericIO.to_list(records, flatten=True),
            "questions": {question.name: type(question).__name__ for question in settings.questions},
            "fields": [field.name for field in settings.fields],
        }
    return read


def _docs(path: Path) -> Any:
    import spacy
    from spacy.tokens import DocBin

    docs = DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)
    return [
        {"text": doc.text, "entities": [[e.start_char, e.end_char, e.label_] for e in doc.ents]}
        for doc in docs
    ]


def _converted(folder: Path, ending: str, converter: str) -> Any:
    from spacy.cli.convert import convert

    read = {}
    for path in sorted(folder.glob(f"*.{ending}")):
        if path.name != "study.json":
            convert(path, folder, file_type="spacy", n_sents=0, converter=converter, silent=True)
            read[path.name.removesuffix(f".{ending}")] = _docs(path.with_suffix(".spacy"))
    return read


def spacy(folder: Path) -> Any:
    """Texts and entities, by file: what ``spacy convert`` makes of the JSON, and the lines as examples, of which
    those that meet no token are ``misaligned``."""
    import spacy
    from spacy.training import Example, offsets_to_biluo_tags

    read = {}
    for name, docs in _converted(folder, "json", "json").items():
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
        misaligned = []
        for line in lines:
            doc = spacy.blank("xx").make_doc(line["text"])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Example.from_dict(doc, {"entities": line["entities"]})
                tags = [offsets_to_biluo_tags(doc, [tuple(entity)]) for entity in line["entities"]]
            misaligned += [line["entities"][number] for number, each in enumerate(tags) if "-" in each]
        read[name] = {"docs": docs, "misaligned": misaligned}
    return read


def conll(folder: Path) -> Any:
    """Texts and entities, by file, as ``spacy convert`` reads the columns of CoNLL-2003."""
    return _converted(folder, "conll", "ner")


def docs(folder: Path) -> Any:
    """What the studio reads in a file of spaCy as people who train write it: the marks of the last text stand in a
    group of spans, and it has categories."""
    import spacy
    from spacy.tokens import DocBin

    sys.path += sys.argv[2:]
    from folkways_studio.items.table_files import read_rows

    nlp, made = spacy.blank("xx"), []
    for text, entities in json.loads((folder / "docs.json").read_text("utf-8")):
        made.append(nlp.make_doc(text))
        made[-1].ents = [made[-1].char_span(start, end, label) for start, end, label in entities]
    last = made[-1]
    last.spans["group"], last.ents, last.cats = list(last.ents), [], {"food": 1.0}
    DocBin(docs=made).to_disk(folder / "docs.spacy")
    return read_rows(folder / "docs.spacy")


READERS = {"label-studio": label_studio, "argilla": argilla, "spacy": spacy, "conll": conll, "docs": docs}

if __name__ == "__main__":
    print(json.dumps({name: read(Path(sys.argv[1]) / name) for name, read in READERS.items()}))
