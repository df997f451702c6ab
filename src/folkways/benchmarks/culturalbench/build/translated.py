"""Easy and Hard with their questions and options in English and in another language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.build.from_votes import CONFIGS
from folkways.benchmarks.culturalbench.data.release import (
    EASY_COLUMNS,
    EASY_LOCAL,
    HARD_COLUMNS,
    HARD_LOCAL,
    LETTERS,
    TOPICS,
    easy,
    hard,
    has,
    local_language,
)
from folkways.benchmarks.culturalbench.people import RECORD_FILE, VOTES_FILE
from folkways.benchmarks.culturalbench.votes import OPTIONS, frame_bytes
from folkways.benchmarks.multiple_choice.release import is_readable
from folkways.benchmarks.studies import settled_items
from folkways.errors import DataError, FolkwaysError
from folkways.files import write_bytes
from folkways.records import of_rows
from folkways.releases.release_records import Release
from folkways.text_tables import read_table

TEXTS = ("question", *OPTIONS)
COLUMNS = ("question_idx", "language", *TEXTS)
CONFIG = "config"
"""Column that says which configuration a row translates, where the two show other texts; empty for both."""

Row = Mapping[str, str]


@dataclass(frozen=True)
class TranslatedBuild:
    """What was built: language -> translated questions, how many stay in English, and the files."""

    languages: Mapping[str, int]
    untranslated: int
    files: tuple[Path, ...]


def build_translated(release: Release, translations: Path, out: Path) -> TranslatedBuild:
    """Write the release with its translations into the folder ``out``.

    translations: a table with COLUMNS and, if needed, CONFIG, or the items of a study of people
        (``settled_items``). A row's options are those of Easy, A to D, and Hard takes each by its English
        text; a row for Hard alone, or of a question that Easy lacks, has them in the order of Hard's rows.
        Questions without a row stay in English alone.

    Raises DataError, with file and row, for a question that the release lacks, a second row of a question, a
    missing text, two options of one text, a language that is English or unknown, and a question that one
    configuration leaves in English; FolkwaysError if ``out`` has a file that this build does not write, or
    another text of one, so that what was cut off goes on.
    """
    tables = _tables(release)
    configs = list(tables)
    english = {config: _shown(table) for config, table in tables.items()}
    rows = _read(translations, english)
    local: dict[str, dict[str, tuple[str, str, dict[int, str]]]] = {config: {} for config in configs}
    for (question, config), row in rows.items():
        for each in [config] if config else [each for each in configs if question in english[each]]:
            texts = [row[name].strip() for name in OPTIONS]
            of_row = _by_row(translations, row, each, english, texts, both=not config)
            local[each][question] = (row["language"], row["question"].strip(), of_row)
    for (question, config), row in rows.items():
        for each in configs:
            if question in english[each] and question not in local[each]:
                raise DataError(
                    f"question {question!r} is translated for {config} alone; give a row for {each} too",
                    file=translations,
                    row=int(row["row"]),
                )
        if len({of_config[question][0] for of_config in local.values() if question in of_config}) > 1:
            raise DataError(
                f"question {question!r} has two languages for easy and hard; give it one",
                file=translations,
                row=int(row["row"]),
            )
    contents = {
        f"{CONFIGS[config]}.csv": frame_bytes(_table(config, tables[config], local[config]))
        for config in configs
    }
    listed = {entry.path for entry in release.record.files}
    for name in (TOPICS, VOTES_FILE, RECORD_FILE):
        if name in listed and release.has(name):
            contents[name] = release.path(name).read_bytes()
    for path in sorted(out.iterdir()) if out.exists() else ():
        same = path.name in contents and path.is_file() and path.read_bytes() == contents[path.name]
        if not same and not path.name.startswith("."):
            raise FolkwaysError(
                f"{out} has a {path.name} that is not of this build; choose another folder with --out"
            )
    files = [write_bytes(out / name, content) for name, content in contents.items()]
    done = {question: row["language"] for (question, _), row in rows.items()}
    questions = set[str]().union(*english.values())
    return TranslatedBuild(Counter(done.values()), len(questions - done.keys()), tuple(files))


def to_translate(release: Release) -> pl.DataFrame:
    """The questions of a release as the items of a study that translates them: ``id``, ``question_idx``,
    ``config``, ``prompt_question``, and ``prompt_option_a`` to ``prompt_option_d``. A question that shows
    other options in Hard has a row for each; one without four options has none."""
    tables = _tables(release)
    wordings = {
        config: dict(table.select("question_idx", "question").iter_rows()) for config, table in tables.items()
    }
    options: dict[str, dict[str, list[str]]] = {}
    for config, table in tables.items():
        for question, of_question in _shown(table).items():
            if len(of_question) == len(LETTERS):
                options.setdefault(question, {})[config] = [text for _, text in of_question]
    rows = []
    for question, by_config in options.items():
        same = len({frozenset(texts) for texts in by_config.values()}) == 1
        for config, texts in list(by_config.items())[: 1 if same else None]:
            rows.append((question, "" if same else config, wordings[config][question], *texts))
    columns = ("question_idx", CONFIG, *(f"prompt_{name}" for name in TEXTS))
    key = pl.concat_str(
        "question_idx", pl.when(pl.col(CONFIG) != "").then(CONFIG), separator="-", ignore_nulls=True
    )
    return of_rows(rows, dict.fromkeys(columns, pl.String)).select(key.alias("id"), *columns)


def _tables(release: Release) -> dict[str, pl.DataFrame]:
    """Configuration -> its table, of those that the release has."""
    return {
        config: {"easy": easy, "hard": hard}[config](release)
        for config, title in CONFIGS.items()
        if has(release, title)
    }


def _shown(table: pl.DataFrame) -> dict[str, list[tuple[int, str]]]:
    """Question -> its options as a configuration shows them, each with the row that has it."""
    shown: dict[str, list[tuple[int, str]]] = {}
    for entry in table.iter_rows(named=True):
        options = entry["options"] if "options" in entry else [entry["option"]]
        shown.setdefault(entry["question_idx"], []).extend((entry["row"], text.strip()) for text in options)
    return shown


def _read(path: Path, english: Mapping[str, Mapping[str, object]]) -> dict[tuple[str, str], dict[str, str]]:
    """(Question, configuration or "" for both) -> its row, with the code of its language."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in _rows(path):
        number, question = row["row"], row["question_idx"].strip()
        config = row.get(CONFIG, "").strip().lower()

        def wrong(what: str, number: int = number) -> DataError:
            return DataError(what, file=path, row=number)

        if config and config not in english:
            raise wrong(f"config is {row[CONFIG]!r}; valid: {', '.join(english)}, or empty for both")
        looked_in = [config] if config else [*english]
        if not any(question in english[each] for each in looked_in):
            where = " or ".join(looked_in)
            raise wrong(f"the release has no question {question!r} in {where}; correct question_idx")
        if empty := [name for name in ("language", *TEXTS) if not row[name].strip()]:
            raise wrong(f"question {question!r} has no {', '.join(empty)}")
        options = [row[name].strip() for name in OPTIONS]
        if repeated := [text for text, count in Counter(options).items() if count > 1]:
            raise wrong(f"two options of question {question!r} say {repeated[0]!r}")
        try:
            language = local_language(row["language"].strip())
        except FolkwaysError as error:
            raise wrong(f"question {question!r}: {error}") from None
        for other in ("", *english):
            if (question, other) in rows and (other == config or "" in (other, config)):
                first = rows[question, other]["row"]
                raise wrong(
                    f"question {question!r} has a translation in row {first} already; a release has one "
                    "language for each question: remove one, or build two releases"
                )
        rows[question, config] = {**row, "language": language}
    if not rows:
        raise DataError("has no translation", file=path)
    return rows


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table with COLUMNS, or of a study's settled items, with what people wrote as
    ``local_question`` and ``local_option_a`` to ``local_option_d``; the language is that of the item or of
    its population. A question that people settled for one configuration and not for the other waits."""
    items = settled_items(path)
    if items is None:
        names = (*COLUMNS, CONFIG) if is_readable(path, {CONFIG: (CONFIG,)}) else COLUMNS
        yield from read_table(path, {name: (name,) for name in names}).iter_rows(named=True)
        return
    settled: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        question = str(item.content.get("question_idx", item.key))
        row = {
            "row": item.row,
            "question_idx": question,
            "language": str(item.content.get("language", item.language)),
            CONFIG: str(item.content.get(CONFIG, "")),
            **{name: str(item.result.get(f"local_{name}", "")) for name in TEXTS},
        }
        settled.setdefault(question, []).append(row)
    for rows in settled.values():
        if {row[CONFIG] for row in rows} not in ({"easy"}, {"hard"}):
            yield from rows


def _by_row(
    path: Path,
    row: Row,
    config: str,
    english: Mapping[str, Mapping[str, Sequence[tuple[int, str]]]],
    texts: Sequence[str],
    *,
    both: bool,
) -> dict[int, str]:
    """Index of an option among the question's of the configuration -> its translation.

    both: the row is for both configurations, and Hard's options are found by their English texts.
    """
    question = row["question_idx"].strip()
    shown = [text for _, text in english[config][question]]
    if len(shown) != len(LETTERS):
        raise DataError(
            f"question {question!r} has {len(shown)} options in {config}, not four; it cannot be translated",
            file=path,
            row=int(row["row"]),
        )
    if config == "easy" or not both or question not in english.get("easy", {}):
        return dict(enumerate(texts))
    of_easy = dict(zip((text for _, text in english["easy"][question]), texts, strict=False))
    if set(shown) != of_easy.keys():
        raise DataError(
            f"question {question!r} has other options in hard than in easy; give it two rows, with easy and "
            f"hard in the column {CONFIG}",
            file=path,
            row=int(row["row"]),
        )
    return {index: of_easy[text] for index, text in enumerate(shown)}


def _table(
    config: str, table: pl.DataFrame, local: Mapping[str, tuple[str, str, Mapping[int, str]]]
) -> pl.DataFrame:
    """The configuration in the released schema, and its translations in the columns that ``data`` reads."""
    columns = (*EASY_COLUMNS, *EASY_LOCAL) if config == "easy" else (*HARD_COLUMNS, *HARD_LOCAL)
    starts: Counter[str] = Counter()
    rows = []
    for entry in table.iter_rows(named=True):
        question = entry["question_idx"]
        options = entry["options"] if config == "easy" else [entry["option"]]
        language, text, translated = local.get(question, ("", "", {}))
        indexes = range(starts[question], starts[question] + len(options))
        starts[question] += len(options)
        in_language = (language, text, *(translated.get(index, "") for index in indexes))
        texts = (entry["data_idx"], question, entry["question"], *options, entry["answer"], entry["country"])
        rows.append((*texts, *in_language))
    return of_rows(rows, dict.fromkeys(columns, pl.String))
