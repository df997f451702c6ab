"""Facts about cultures: how their tables are read, which facts are fit to draw items from, and when two are
the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.studies import settled_items
from folkways.errors import DataError, FolkwaysError
from folkways.records import Schema
from folkways.text_tables import SUFFIXES, read_table, table_batches

FACTS: Schema = {
    "row": pl.Int64,  # of the table they come from, 1-based
    "culture": pl.String,
    "fact": pl.String,
    "source": pl.String,  # where it is said: an address
}

KEPT: Schema = {
    "id": pl.String,  # ``fact-`` and 12 hexadecimal digits of culture and words
    **FACTS,
    "cluster": pl.Int64,  # number within the culture
    "cluster_size": pl.Int64,  # facts of the cluster
    "distance": pl.Float32,  # from the middle of the cluster, 0 to 2
}

LEFT_OUT: Schema = {"row": pl.Int64, "reason": pl.String, "like_row": pl.Int64}
"""like_row: the row of the fact that it repeats; null for other reasons."""

WORD = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}_]+"
"""A word; in scripts without spaces between words, a character."""

SAME, ALIKE = "the same fact as another row", "nearly the same as another row"


@dataclass(frozen=True)
class FactRules:
    """Which facts are kept, and how alike two may be.

    cultures: names or codes as the table has them; None for all.
    least, most: words of a fact.
    similarity: estimated Jaccard similarity of the words of two facts of one culture from which the later one
        is left out, 0 to 1.
    cluster_size: facts of a cluster on average.
    seed: of the clusters and of the hashes for similarity.
    """

    cultures: frozenset[str] | None = None
    least: int = 4
    most: int = 60
    similarity: float = 0.8
    cluster_size: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise FolkwaysError(
                f"facts of {self.least} to {self.most} words: there are none; give a smaller number first"
            )
        if not 0 < self.similarity <= 1:
            raise FolkwaysError(f"a similarity lies between 0 and 1, got {self.similarity:g}")
        if self.cluster_size < 1:
            raise FolkwaysError(f"a cluster has at least one fact, got {self.cluster_size}")


def words_of(column: str) -> pl.Expr:
    """The words of a text in lower case, in order: List(String)."""
    return pl.col(column).str.to_lowercase().str.extract_all(WORD)


def judged(facts: pl.DataFrame, rules: FactRules) -> pl.DataFrame:
    """FACTS with spaces tidied, and ``reason`` why a fact is unfit, null if it is fit."""
    tidy = facts.with_columns(
        pl.col("culture", "fact", "source").fill_null("").str.replace_all(r"\s+", " ").str.strip_chars()
    )
    length = words_of("fact").list.len()
    foreign = pl.lit(False) if rules.cultures is None else ~pl.col("culture").is_in(sorted(rules.cultures))
    return tidy.with_columns(
        reason=pl.when(pl.col("fact") == "")
        .then(pl.lit("no fact"))
        .when(pl.col("culture") == "")
        .then(pl.lit("no culture"))
        .when(foreign)
        .then(pl.lit("another culture"))
        .when(~pl.col("source").str.contains(r"^https?://[^/\s]+"))
        .then(pl.lit("no address as its source"))
        .when(length < rules.least)
        .then(pl.lit(f"fewer than {rules.least} words"))
        .when(length > rules.most)
        .then(pl.lit(f"more than {rules.most} words"))
        .otherwise(None)
    )


def fact_id(culture: str, words: str) -> str:
    """The id of a fact by its culture and its words, one space apart: the same in every table that has it."""
    return f"fact-{blake2b(chr(0).join((culture, words)).encode(), digest_size=6).hexdigest()}"


def representatives(kept: pl.LazyFrame) -> pl.LazyFrame:
    """The central fact of each cluster, with ``sources`` (number of addresses of the cluster), largest
    clusters first.

    kept: KEPT of one culture. Ties are settled by id, so that the order of the table makes no difference.
    """
    middle = pl.struct(
        "distance", "id", *(name for name in KEPT if name not in ("distance", "id", "cluster"))
    )
    return (
        kept.group_by("cluster")
        .agg(middle.min_by(pl.struct("distance", "id")).alias("middle"), sources=pl.col("source").n_unique())
        .unnest("middle")
        .sort("cluster_size", "id", descending=[True, False])
        .select(*KEPT, "sources")
    )


def spread(candidates: pl.DataFrame, limit: int | None) -> pl.DataFrame:
    """At most ``limit`` facts, in turn from each culture in the order of the culture."""
    turns = candidates.with_columns(turn=pl.int_range(pl.len()).over("culture")).sort(
        "turn", "culture", maintain_order=True
    )
    return (turns if limit is None else turns.head(limit)).drop("turn")


COLUMNS = {
    "culture": ("culture", "subject", "country"),
    "fact": ("fact", "rep", "text"),
    "source": ("source", "sentences", "url"),
}
"""Column -> its names: ours, those of CANDLE's export (a statement for each cluster of sentences, with their
addresses), and those of a table made of pages, as Cultural Atlas has them."""

_ADDRESS = r'"url":"([^"]+)"'


OF_PEOPLE = "people"
"""Who named an item, where it was not a model."""

OF_FORM = {"item": "csi", "context": "context"}
"""Column of a table in which people named items -> its part in the form of a study."""


def read_named(path: Path) -> Iterator[tuple[dict[str, object], str, str]]:
    """Each fact (as ``representatives`` has it), an item of it, and the item's context, of a table in which
    people have named the items (section 2.1): further columns ``item`` and ``context``; or of the exported
    items of a study (``settled_items``), where people say ``csi`` and ``context``, and perhaps ``csi_2`` and
    ``context_2``. A row without an item is passed over.

    Raises what ``read_facts`` and ``settled_items`` raise, and DataError for an item without a context, fact
    or culture."""
    check_table(path)
    for row in _named_rows(path):
        cells = {name: " ".join(str(row[name]).split()) for name in (*COLUMNS, "item", "context")}
        if not cells["item"]:
            continue
        if lacking := [name for name in ("culture", "fact", "context") if not cells[name]]:
            raise DataError(f"has the item {cells['item']!r} and no {lacking[0]}", file=path, row=row["row"])
        fact = {name: cells[name] for name in ("culture", "fact", "source")}
        key = fact_id(cells["culture"], cells["fact"])
        yield (
            {"id": key, **fact, "row": row["row"], "cluster_size": 1, "sources": 1},
            cells["item"],
            cells["context"],
        )


def _named_rows(path: Path) -> Iterator[dict[str, Any]]:
    """A row for each item that people named, with COLUMNS, ``item``, ``context`` and ``row``."""
    items = settled_items(path)
    if items is None:
        columns = {**COLUMNS, "item": ("item", "csi"), "context": ("context", "definition")}
        yield from read_table(path, columns).iter_rows(named=True)
        return
    for item in items:
        about = {name: item.content.get(name, "") for name in COLUMNS}
        for more in ("", "_2"):
            named = {name: item.result.get(f"{key}{more}", "") for name, key in OF_FORM.items()}
            if several := [name for name, value in named.items() if not isinstance(value, str)]:
                raise DataError(
                    f"has several texts as its {several[0]}; have people agree on one (agree: true)",
                    file=path,
                    row=item.row,
                )
            yield {**about, **named, "row": item.row}


def check_table(path: Path) -> None:
    """Raise FolkwaysError unless the file can be opened and has a readable format; before any work is
    done."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(
            f"the table of facts {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}"
        )
    if path.suffix.lower() not in SUFFIXES:
        raise FolkwaysError(f"cannot tell the format of {path}; valid endings: {', '.join(SUFFIXES)}")
    try:
        path.open("rb").close()
    except OSError as error:
        raise FolkwaysError(f"the table of facts {path} cannot be read: {error.strerror or error}") from error


def read_facts(path: Path) -> Iterator[pl.DataFrame]:
    """FACTS in batches, in the order of the file; of CANDLE's sentences the first address is the source.
    Raises what ``check_table`` and ``text_tables.table_batches`` raise."""
    check_table(path)
    first = 1
    for batch in table_batches(path, COLUMNS):
        first_address = pl.col("source").str.extract(_ADDRESS)
        sources = batch.with_columns(
            source=pl.when(pl.col("source").str.starts_with("[")).then(first_address).otherwise("source")
        )
        yield sources.with_row_index("row", first).cast({"row": pl.Int64}).select(list(FACTS))
        first += batch.height
