"""Croissant metadata (1.0) of an exported data set, with the responsible-AI extension (RAI 1.0): files,
columns, and how the data came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl

_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet"),
    *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
    *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
    "transform",
)
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
"""Croissant's own, so that readers know it."""

CONFORMS = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
PARQUET = "application/x-parquet"
DATA_TYPES = {pl.String: "sc:Text", pl.Int64: "sc:Integer", pl.Float64: "sc:Float", pl.Boolean: "sc:Boolean"}


@dataclass(frozen=True)
class CroissantTable:
    """A configuration of a data set. files: path in the data set -> SHA-256 of its Parquet files, which all
    have the columns of ``schema``."""

    schema: Mapping[str, Any]
    files: Mapping[str, str]


@dataclass(frozen=True)
class Croissant:
    """What a data set says of itself.

    licences: names in SPDX, or in words. date: of publication, ISO 8601. creator: a sentence or a name. rai:
    property of the extension, without its prefix (``dataCollection``) -> a text, or several; those without a
    text are left out. cite: what to cite, in BibTeX.
    """

    name: str
    about: str
    licences: Sequence[str]
    date: str
    creator: str
    tables: Mapping[str, CroissantTable] = field(repr=False)
    cite: str = ""
    rai: Mapping[str, str | Sequence[str]] = field(default_factory=dict)

    def document(self) -> bytes:
        """The JSON-LD."""
        distribution: list[dict[str, Any]] = []
        records = []
        for name, table in self.tables.items():
            distribution += [_file(path, checksum) for path, checksum in table.files.items()]
            source: dict[str, Any] = {"fileObject": {"@id": next(iter(table.files), "")}}
            if len(table.files) > 1:
                every = {"@type": "cr:FileSet", "@id": f"{name}-files", "name": f"{name}-files"}
                pattern = f"{name}/*.parquet"
                distribution.append({**every, "includes": pattern, "encodingFormat": PARQUET})
                source = {"fileSet": {"@id": f"{name}-files"}}
            fields = [
                {
                    "@type": "cr:Field",
                    "@id": f"{name}/{column}",
                    "name": column,
                    "dataType": DATA_TYPES.get(_class(kind), "sc:Text"),
                    "source": {**source, "extract": {"column": column}},
                }
                for column, kind in table.schema.items()
            ]
            records.append({"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields})
        metadata = {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": [*CONFORMS],
            "name": self.name,
            "description": self.about,
            **({"citeAs": self.cite} if self.cite else {}),
            "license": list(map(_licence, self.licences)),
            "version": "1.0.0",
            "datePublished": self.date,
            "creator": {"@type": "sc:Organization", "name": self.creator},
            "distribution": distribution,
            "recordSet": records,
            **{f"rai:{name}": text for name, text in self.rai.items() if text},
        }
        return orjson.dumps(metadata, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _file(path: str, checksum: str) -> dict[str, Any]:
    about = {"@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path}
    return {**about, "encodingFormat": PARQUET, "sha256": checksum}


def _class(kind: Any) -> Any:
    """The class of a data type of polars, which is written with and without parentheses."""
    return kind if isinstance(kind, type) else type(kind)


def _licence(name: str) -> str:
    """The address of a licence of SPDX's list; others as they are."""
    listed = set(name) <= _SPDX and "-" in name and not name.lower().startswith("licenseref-")
    return f"https://spdx.org/licenses/{name}.html" if listed else name or "unknown"


_SPDX = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
