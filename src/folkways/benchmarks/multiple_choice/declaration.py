"""A multiple-choice task that a TOML file declares: which columns of the data are question, options, answer,
culture and language.

Every value is a text with {names} of columns, of the parts of a file's path, and of {row} (in its file,
from 1) and {number} (over files of the same path parts): ``language = "{folder}"``, ``item =
"{folder}/{number}"``, ``culture = "KR"``.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.records import Metric
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table
from folkways.toml_files import packaged_toml

Entry = dict[str, Any]
PLACE = re.compile(r"\{(\w+)\}")
SEVERAL = "several"
ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")
"""Endings of the tables that can be read."""

NO_COUNTRY = "WORLD"
"""The culture of items about no country, or about several."""

DEFAULT = "*"
"""In a table of codes: what all other values become."""

REQUIRED = ("name", "release", "title", "about", "files", "question", "options", "answer")
METRIC_KEYS = ("name", "label", "about", "where", "mean_over", "readable_only", "likelihood_per")
LENGTHS = ("character", "byte")
KEYS = (
    *(
        *REQUIRED,
        "options_otherwise",
        "separator",
        "answer_from",
        "labels",
        "item",
        "question_id",
        "release_id",
        "culture",
    ),
    *("language", "facets", "codes", "metrics", "thinking_variants", "max_tokens", "wrong_answers"),
    *("lm_eval", "split", "only"),
)
RIGHT_OPTION = "right_option"
"""In ``question_id``: the text of the right option."""

LM_EVAL_KEYS = ("version", "task", "examples", "draw", "variants")
LM_EVAL_VARIANT_KEYS = ("text", "template", "continues")
ACCURACY = Metric(
    "accuracy", "Accuracy", "The reply settles on the letter of the right option.", accuracy=True
)


@dataclass(frozen=True)
class DeclaredMetric:
    """A metric with the items that it counts for.

    where: facet -> value that items have; none for all items.
    readable_only: True where replies without a readable answer are left out.
    likelihood_per: ``character`` or ``byte`` of a metric for continuations alone: right where the likeliest
        one per unit of its length is; empty for others.
    """

    metric: Metric
    where: Mapping[str, str]
    readable_only: bool
    likelihood_per: str = ""


@dataclass(frozen=True)
class Declaration:
    """A multiple-choice task as a TOML file declares it; ``docs/extending.md`` describes the keys.

    Raises DataError for a declaration that is wrong, with the file, the key and the valid ones.
    """

    package: str
    file: str
    keys: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Raise DataError, with the file, the key and the valid ones, for a declaration that is wrong."""
        if unknown := sorted(self.keys.keys() - {*KEYS}):
            raise self._wrong(f"unknown key {unknown[0]!r}; valid: {', '.join(KEYS)}")
        if missing := [key for key in REQUIRED if key not in self.keys]:
            raise self._wrong(
                f"the key {missing[0]!r} is missing; a multiple-choice task needs {', '.join(REQUIRED)}"
            )
        for metric in self.keys.get("metrics", ()):
            if unknown := sorted(metric.keys() - {*METRIC_KEYS}):
                raise self._wrong(f"unknown key {unknown[0]!r} of a metric; valid: {', '.join(METRIC_KEYS)}")
            if "name" not in metric:
                raise self._wrong("a metric without a name")
            if metric.get("likelihood_per", LENGTHS[0]) not in LENGTHS:
                raise self._wrong(
                    f"likelihood_per is {metric['likelihood_per']!r}; valid: {' and '.join(LENGTHS)}"
                )
            for facet in (
                *metric.get("where", {}),
                *([metric["mean_over"]] if "mean_over" in metric else []),
            ):
                if facet not in (*self.facets, "culture"):
                    raise self._wrong(
                        f"the metric {metric['name']!r} names the facet {facet!r}; facets: "
                        f"{', '.join(self.facets)}"
                    )
        start = self.keys.get("answer_from", "letter")
        if start not in ("letter", "text", 0, 1):
            raise self._wrong(
                f'answer_from is {start!r}; valid: "letter", "text", 0 and 1 (the number of the first option)'
            )
        if self.keys.get("wrong_answers", "error") not in ("error", "uncounted"):
            raise self._wrong(
                f'wrong_answers is {self.keys["wrong_answers"]!r}; valid: "error" and "uncounted"'
            )
        if "lm_eval" in self.keys:
            self._check_lm_eval(self.keys["lm_eval"])
        self._check_split(self.keys.get("split"))
        options = self.keys["options"]
        if not isinstance(options, str) and len(options) != len(self.labels):
            raise self._wrong(
                f"{len(options)} options and {len(self.labels)} labels; set labels, such as ['A', 'B']"
            )

    def _check_lm_eval(self, table: Mapping[str, Any]) -> None:
        for key in ("version", "task", "variants"):
            if key not in table:
                raise self._wrong(f"lm_eval lacks the key {key!r}")
        named: list[tuple[str, Mapping[str, Any], tuple[str, ...]]] = [("lm_eval", table, LM_EVAL_KEYS)]
        named += [
            (f"the variant {name!r}", keys, LM_EVAL_VARIANT_KEYS) for name, keys in table["variants"].items()
        ]
        for what, keys, valid in named:
            if unknown := sorted(keys.keys() - {*valid}):
                raise self._wrong(f"unknown key {unknown[0]!r} of {what}; valid: {', '.join(valid)}")
            if what != "lm_eval" and ("text" in keys) == ("template" in keys):
                raise self._wrong(f"{what} has either a text or a template")
        if table.get("draw", "random") not in ("random", "first"):
            raise self._wrong(f'draw is {table["draw"]!r}; valid: "random" and "first"')

    def _check_split(self, table: Mapping[str, Any] | None) -> None:
        if table is None:
            return
        if table.keys() != {"column", "pattern"}:
            raise self._wrong(f"split has {', '.join(table) or 'nothing'}; it needs column and pattern alone")
        try:
            re.compile(table["pattern"])
        except re.error as error:
            raise self._wrong(f"the pattern of split is not a regular expression: {error}") from None

    @cached_property
    def split(self) -> re.Pattern[str] | None:
        """What parts one column into several: each named group of the pattern is a column. None without."""
        return re.compile(self.keys["split"]["pattern"]) if "split" in self.keys else None

    @property
    def is_published(self) -> bool:
        """Whether nobody can correct the data (``wrong_answers``): their mistakes are left out. Others are
        errors."""
        return self.keys.get("wrong_answers") == "uncounted"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.keys.get("labels", "ABCD"))

    @cached_property
    def facets(self) -> Mapping[str, str]:
        """Facet -> where its value comes from."""
        facets: Mapping[str, str] = self.keys.get("facets", {})
        return facets

    @cached_property
    def metrics(self) -> tuple[DeclaredMetric, ...]:
        return tuple(map(_declared_metric, self.keys.get("metrics", ()))) or (
            DeclaredMetric(ACCURACY, {}, readable_only=False),
        )

    @cached_property
    def codes(self) -> Mapping[str, Mapping[str, str]]:
        """``culture`` and ``language`` -> value in the data -> our code."""
        tables: Mapping[str, Mapping[str, str]] = self.keys.get("codes", {})
        return {
            kind: {**(packaged_toml(self.package, table["file"]) if "file" in table else {}), **table}
            for kind, table in tables.items()
        }

    def pattern(self, files: str | None = None) -> str:
        """A regular expression for the paths of the data's files, with a group for each {name}."""
        name = files or str(self.keys["files"])
        parts = PLACE.split(name)
        path = "".join(
            re.escape(part) if at % 2 == 0 else f"(?P<{part}>[^/]+?)" for at, part in enumerate(parts)
        )
        return rf"(?:.*/)?{path}" + (
            "" if name.endswith(ENDINGS) else r"(?:-\d+-of-\d+|/\d+)?\.(?:parquet|csv|tsv|jsonl)"
        )

    def files(self, release: Release, files: str | None = None) -> list[tuple[dict[str, str], str]]:
        """Path parts and path of the data's files that are on this disk, by their parts."""
        matches = (
            (re.fullmatch(self.pattern(files), entry.path), entry.path) for entry in release.record.files
        )
        files_here = [(match.groupdict(), path) for match, path in matches if match and release.has(path)]
        return sorted(files_here, key=lambda one: (*one[0].values(), one[1]))

    def entries(self, release: Release, files: str | None = None) -> Iterator[Entry]:
        """The questions: the released columns and path parts, with what ``filled`` adds.

        files: replaces the key ``files`` (for another split).

        Raises FolkwaysError where no file is on this disk.
        """
        files_here = self.files(release, files)
        if not files_here and files is None:
            for first in release.record.files[:1]:
                release.path(first.path)  # says how to fetch it
            raise FolkwaysError(
                f"release {release.name} has none of the files that hold its questions "
                f"({self.keys['files']}), in {release.root}"
            )
        numbers: Counter[tuple[str, ...]] = Counter()
        for parts, path in files_here:
            for row in self.table(release.path(path), parts).iter_rows(named=True):
                if any(row[name] != value for name, value in self.keys.get("only", {}).items()):
                    continue
                numbers[tuple(parts.values())] += 1
                split = self._split(row, path)
                yield self.filled(
                    {**row, **parts, **split, "file": path, "number": numbers[tuple(parts.values())]}
                )

    def _split(self, row: Entry, path: str) -> Mapping[str, str]:
        """The columns that ``split`` makes of a row. Raises DataError for a cell that does not fit."""
        if self.split is None:
            return {}
        column = self.keys["split"]["column"]
        match = self.split.fullmatch(row[column])
        if match is None:
            raise DataError(
                f"{column} is {row[column][:80]!r}, which has not the parts "
                f"{', '.join(self.split.groupindex)}; every row has to fit {self.split.pattern!r}",
                file=path,
                row=row["row"],
            )
        return match.groupdict()

    def table(self, path: Path, parts: Iterable[str]) -> pl.DataFrame:
        """``row`` and the declared columns of a file, as text. Raises DataError where a column is missing."""
        options = self.keys["options"]
        try:
            return read_table(path, self.columns(options, parts))
        except DataError as error:
            if "options_otherwise" not in self.keys or "no column" not in str(error):
                raise
            return read_table(path, self.columns(self.keys["options_otherwise"], parts))

    def columns(self, options: str | list[str], parts: Iterable[str]) -> Columns:
        """The columns of the data that the values name, with the options of one of the two schemas."""
        listed = [options] if isinstance(options, str) else options
        values = [
            str(self.keys[key])
            for key in ("question", "answer", "item", "question_id", "release_id")
            if key in self.keys
        ]
        values += [str(self.keys.get("lm_eval", {}).get("task", ""))]
        values += (
            [str(self.keys.get(key, "")) for key in ("culture", "language")]
            + [*self.facets.values()]
            + [*listed]
        )
        names = dict.fromkeys(name for value in values for name in PLACE.findall(value))
        made = {*parts, "row", "number", "file", RIGHT_OPTION}
        if self.split is not None:
            names[self.keys["split"]["column"]] = None
            made |= self.split.groupindex.keys()
        names |= dict.fromkeys(self.keys.get("only", ()))
        return {name: (name,) for name in names if name not in made}

    def filled(self, row: Entry) -> Entry:
        """The row with question, options and answer as they are shown, ids, and codes.

        Adds ``text``, ``shown_options``, ``gold_letter`` (the release's own value if it is not an option),
        ``item``, ``question_key``, ``release_key``, ``culture_code`` (NO_COUNTRY for none or several),
        ``language_code``, ``facets`` and ``lm_eval_task`` (lm-evaluation-harness's; empty without one).
        """
        options = self._options(row)
        item = self._text("item", row, "{file}:{row}")
        gold = self._letter(self._text("answer", row).strip(), options)
        right = dict(zip(self.labels, options, strict=False)).get(gold, item)
        return {
            **row,
            "text": self._text("question", row),
            "shown_options": options,
            "gold_letter": gold,
            "item": item,
            "question_key": self._text("question_id", {**row, RIGHT_OPTION: right}, item),
            "release_key": self._text("release_id", row, item),
            "culture_code": self.culture_of(self._text("culture", row, "")),
            "language_code": self.language_of(self._text("language", row, "en")),
            "facets": {name: one_of(values_of(fill(value, row))) for name, value in self.facets.items()},
            "lm_eval_task": fill(str(self.keys.get("lm_eval", {}).get("task", "")), row),
        }

    def _text(self, key: str, row: Entry, default: str | None = None) -> str:
        return fill(str(self.keys[key]), row) if key in self.keys else fill(default or "", row)

    def _options(self, row: Entry) -> list[str]:
        for key in ("options", "options_otherwise"):
            value = self.keys.get(key)
            if value is not None and all(name in row for name in PLACE.findall("".join(value))):
                return (
                    self._listed(fill(value, row))
                    if isinstance(value, str)
                    else [fill(one, row) for one in value]
                )
        return []

    def _listed(self, cell: str) -> list[str]:
        if "separator" in self.keys:
            return [option.strip() for option in cell.split(self.keys["separator"])]
        for read in (json.loads, ast.literal_eval):
            try:
                listed = read(cell or "[]")
            except (ValueError, SyntaxError):
                continue
            if isinstance(listed, dict):
                return [str(listed[label]) for label in self.labels if label in listed]
            if isinstance(listed, list | tuple):
                return [str(option) for option in listed]
        raise self._wrong(
            f"the options are not a JSON list: {cell[:60]!r}; if they are separated by a character, set "
            "separator = '|'"
        )

    def _letter(self, answer: str, options: list[str]) -> str:
        start = self.keys.get("answer_from", "letter")
        if start == "text":
            return self.labels[options.index(answer)] if answer in options[: len(self.labels)] else answer
        numbers = {} if start == "letter" else {str(at): label for at, label in enumerate(self.labels, start)}
        return numbers.get(answer, answer)

    def culture_of(self, cell: str) -> str:
        """The code of the culture that a cell names; NO_COUNTRY for none or several, the name itself if it is
        unknown."""
        codes = self.codes.get("culture", {})
        cultures = {codes.get(name) or codes.get(DEFAULT) or culture_of(name) for name in values_of(cell)}
        return cultures.pop() if len(cultures) == 1 else NO_COUNTRY

    def language_of(self, name: str) -> str:
        """The code of a language by its name in the data; the name itself if it is unknown."""
        codes = self.codes.get("language", {})
        return codes.get(name) or codes.get(DEFAULT) or language_of(name)

    def _wrong(self, what: str) -> DataError:
        return DataError(what, file=f"{self.package}/{self.file}")


def values_of(cell: str) -> list[str]:
    """The distinct values of a cell: none, one, or those of a list as Python or JSON writes it
    ("['Europe']")."""
    value: Any = cell
    if cell.lstrip().startswith("["):
        try:
            value = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            value = cell
    named = value if isinstance(value, list | tuple) else [value]
    return list(
        dict.fromkeys(str(name).strip() for name in named if str(name).strip() not in ("", "-", "None", "[]"))
    )


def one_of(values: list[str]) -> str | None:
    """The only value; ``several`` for more, None for none."""
    return values[0] if len(values) == 1 else SEVERAL if values else None


def _declared_metric(keys: Mapping[str, Any]) -> DeclaredMetric:
    name, readable = keys["name"], keys.get("readable_only", False)
    label = keys.get("label", name.replace("_", " ").capitalize())
    where = keys.get("where", {})
    metric = Metric(
        name,
        label,
        keys.get("about", ACCURACY.about),
        leaves_out=readable,
        mean_over=keys.get("mean_over"),
        accuracy=not (where or readable or keys.get("likelihood_per")),
    )
    return DeclaredMetric(metric, where, readable, keys.get("likelihood_per", ""))


def fill(text: str, row: Entry) -> str:
    """The text with each {name} replaced by the value of that name in the row; empty where there is none."""
    return PLACE.sub(lambda place: str(row.get(place[1], "")), text)


def culture_of(country: str | None) -> str:
    """The code of a country that a release names; NO_COUNTRY for none, the released name if it is unknown."""
    name = re.sub(r"\s*\([A-Z]+\)$", "", (country or "").strip())  # "United States of America (USA)"
    if not name:
        return NO_COUNTRY
    try:
        return get_culture(name).code
    except UnknownNameError:
        return name


def language_of(name: str) -> str:
    """The code of a language that a release names in any way; the released name if it is unknown.

    Of codes with a script (``por_latn_braz``, ``cmn_Hant``): our code, with the script if it is not the
    language's usual one.
    """
    tagged = re.fullmatch(r"(?P<code>[a-z]{2,3})_(?P<script>[A-Za-z]{4})(?:_\w+)?", name)
    try:
        language = get_language(tagged["code"] if tagged else name)
    except UnknownNameError:
        return tagged["code"] if tagged else name
    usual = {"kore", "hang"} if language.script == "Kore" else {language.script.lower()}
    if tagged is None or tagged["script"].lower() in usual:
        return language.code
    return f"{language.code}-{tagged['script'].title()}"
