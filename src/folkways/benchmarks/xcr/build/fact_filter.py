"""From a table of facts of any length to the facts that models are asked about: filter, near-duplicates,
clusters.

The table streams by once, and fit facts go to one file per culture on disk; then each culture's file streams
by three times, and what stays in memory of a fact is its signature, its row and its cluster: 200 bytes,
however long it is.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.build import Share, WorkOnFiles, one_by_one
from folkways.benchmarks.xcr.build.facts import (
    ALIKE,
    FACTS,
    KEPT,
    LEFT_OUT,
    SAME,
    Rules,
    fact_id,
    judged,
    read_facts,
    representatives,
    spread,
    words_of,
)
from folkways.benchmarks.xcr.build.similar_facts import (
    Clusters,
    Ints,
    Signatures,
    learnt_from,
    repeated,
    signatures,
)
from folkways.errors import FolkwaysError
from folkways.files import make_folder
from folkways.spreadsheet import for_csv
from folkways.text_tables import BATCH

KEPT_FILE, LEFT_OUT_FILE = "facts.parquet", "facts-left-out.csv"
MIDDLES_FILE = "middles.parquet"
"""The fact in the middle of each cluster of one culture."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class Sifted:
    """What became of a table of facts.

    chosen:  facts to draw items from: KEPT and ``sources``, one per cluster, in turn from each culture, at
             most as many as wanted.
    rows, kept, clusters: how many the table has, how many are left, in how many clusters.
    left_out: reason -> rows. cultures: facts kept of each.
    """

    chosen: pl.DataFrame
    rows: int
    kept: int
    clusters: int
    left_out: Counter[str]
    cultures: dict[str, int]


def sift(
    table: Path,
    out: Path,
    rules: Rules,
    limit: int | None = None,
    report: Report = lambda _what: None,
    work_on: WorkOnFiles = one_by_one,
) -> Sifted:
    """Sift the table; writes KEPT_FILE (KEPT) and LEFT_OUT_FILE (LEFT_OUT) into the folder ``out``.

    limit: facts chosen at most, over all cultures. work_on: who sifts the cultures, each by itself; what
    comes out is the same. FolkwaysError where nothing is left or the disk is full, DataError for a table that
    cannot be read.
    """
    make_folder(out)
    workplace = Path(tempfile.mkdtemp(prefix=".facts-", dir=out))
    try:
        with (workplace / LEFT_OUT_FILE).open("wb") as dropped:
            writer = _LeftOut(dropped)
            rows, files = _by_culture(table, workplace, rules, writer, report)
            if not files:
                told = ", ".join(f"{reason}: {count:,}" for reason, count in writer.counts.most_common())
                raise FolkwaysError(
                    f"none of the {rows:,} rows of {table} is fit to draw items from "
                    f"({told or 'it has no rows'})"
                )
            cultures = sorted(files)
            folders = [workplace / f"{number:06}" for number in range(len(cultures))]
            sift_one = partial(sift_culture, rules=rules, limit=limit)
            parts = work_on(
                sift_one,
                [
                    Share(*each)
                    for each in zip(cultures, map(files.__getitem__, cultures), folders, strict=True)
                ],
                report,
            )
            for folder, part in zip(folders, parts, strict=True):
                with (folder / LEFT_OUT_FILE).open("rb") as own:
                    shutil.copyfileobj(own, dropped)
                writer.counts.update(part.left_out)
        pl.scan_parquet([folder / KEPT_FILE for folder in folders]).sink_parquet(workplace / KEPT_FILE)
        candidates = [pl.read_parquet(folder / MIDDLES_FILE) for folder in folders]
        for name in (KEPT_FILE, LEFT_OUT_FILE):
            (workplace / name).replace(out / name)
    except OSError as error:
        raise FolkwaysError(
            f"cannot write into {out}: {error.strerror or error}; give a folder with room for the facts"
        ) from error
    finally:
        shutil.rmtree(workplace, ignore_errors=True)
    kept = {culture: part.kept for culture, part in zip(cultures, parts, strict=True)}
    clusters = sum(part.clusters for part in parts)
    return Sifted(
        spread(pl.concat(candidates), limit), rows, sum(kept.values()), clusters, writer.counts, kept
    )


@dataclass(frozen=True)
class _Part:
    """What became of the facts of one culture; see ``Sifted``."""

    kept: int
    clusters: int
    left_out: Counter[str]


class _LeftOut:
    """Writes LEFT_OUT as it comes, and counts reasons."""

    def __init__(self, file: BinaryIO, header: bool = True) -> None:
        self._file = file
        self.counts: Counter[str] = Counter()
        if header:
            file.write((",".join(LEFT_OUT) + "\n").encode())

    def write(self, rows: pl.DataFrame) -> None:
        """rows: LEFT_OUT."""
        if rows.is_empty():
            return
        for_csv(rows.select(list(LEFT_OUT))).write_csv(self._file, include_header=False)
        self.counts.update(dict(rows.group_by("reason").len().iter_rows()))


def _by_culture(
    table: Path, folder: Path, rules: Rules, left_out: _LeftOut, report: Report
) -> tuple[int, dict[str, Path]]:
    """Rows that were read, and culture -> a file with its fit facts (FACTS, without a header)."""
    rows = 0
    files: dict[str, Path] = {}
    for batch in read_facts(table):
        rows += batch.height
        report(f"read {rows:,} facts")
        found = judged(batch, rules)
        unfit = pl.col("reason").is_not_null()
        left_out.write(found.filter(unfit).select("row", "reason", like_row=pl.lit(None, dtype=pl.Int64)))
        for (culture,), part in found.filter(~unfit).group_by(["culture"], maintain_order=True):
            name = str(culture)
            files.setdefault(name, folder / f"{blake2b(name.encode(), digest_size=12).hexdigest()}.csv")
            with files[name].open("ab") as file:
                part.select(list(FACTS)).write_csv(file, include_header=False)
    return rows, files


def sift_culture(culture: str, file: Path, folder: Path, rules: Rules, limit: int | None) -> _Part:
    """The facts of one culture without those that repeat an earlier one, in clusters.

    Writes into ``folder``: KEPT_FILE; LEFT_OUT_FILE without a header; MIDDLES_FILE, at most ``limit`` of
    them.
    """
    with (folder / LEFT_OUT_FILE).open("wb") as dropped:
        left_out = _LeftOut(dropped, header=False)
        kept = _distinct(file, rules, left_out)
    count, drawn = learnt_from(kept.size, rules.cluster_size, rules.seed)
    learnt = pl.concat(batch.select(words_of("fact"))["fact"] for batch in _batches(file, kept[drawn]))
    clusters = Clusters(learnt, count, rules.seed)
    sizes = np.zeros(max(1, count), dtype=np.int64)
    pieces = []
    for number, batch in enumerate(_batches(file, kept)):
        words = batch.select(words_of("fact"))["fact"]
        labels, distances = clusters.sort(words)
        np.add.at(sizes, labels, 1)
        ids = pl.Series([fact_id(culture, key) for key in words.list.join(" ")], dtype=pl.String)
        piece = folder / f"{number:06}.piece"
        batch.with_columns(id=ids, cluster=pl.Series(labels), distance=pl.Series(distances)).write_parquet(
            piece
        )
        pieces.append(piece)
    counted = pl.LazyFrame({"cluster": np.arange(sizes.size), "cluster_size": sizes})
    part = folder / KEPT_FILE
    pl.scan_parquet(pieces).join(counted, on="cluster", how="left", maintain_order="left").select(
        list(KEPT)
    ).sink_parquet(part)
    for piece in pieces:
        piece.unlink()
    middles = representatives(pl.scan_parquet(part)).collect(engine="streaming")
    (middles.head(limit) if limit is not None else middles).write_parquet(folder / MIDDLES_FILE)
    return _Part(int(kept.size), middles.height, left_out.counts)


def _distinct(file: Path, rules: Rules, left_out: _LeftOut) -> Ints:
    """The rows of the facts that repeat no earlier one, in order."""
    rows, keys, found = _signed(file, rules.seed)
    order = np.argsort(rows)  # batches keep the order of the table; this holds it whatever reads them
    rows, keys, found = rows[order], keys[order], found[order]
    again, firsts = _same(keys)
    left_out.write(_told(rows[again], SAME, rows[firsts[again]]))
    places = np.flatnonzero(~again)
    like = repeated(found[places], rules.similarity)
    alike = like >= 0
    left_out.write(_told(rows[places[alike]], ALIKE, rows[places[like[alike]]]))
    kept: Ints = rows[places[~alike]]
    return kept


def _batches(file: Path, rows: Ints | None = None) -> Iterator[pl.DataFrame]:
    """The facts of a culture's file, BATCH at a time; of these rows alone (in order), if any are named."""
    scan = pl.scan_csv(file, has_header=False, schema=dict(FACTS))
    for batch in scan.collect_batches(chunk_size=BATCH, maintain_order=True):
        found = batch
        if rows is not None:
            places = np.searchsorted(rows, batch["row"].to_numpy())
            found = batch.filter(pl.Series(rows[np.minimum(places, rows.size - 1)]) == batch["row"])
        if not found.is_empty():
            yield found


def _signed(file: Path, seed: int) -> tuple[Ints, npt.NDArray[np.uint64], Signatures]:
    """Row, a hash of the words in their order, and signature of every fact of the file."""
    rows, keys, found = [], [], []
    for batch in _batches(file):
        words = batch.select(words_of("fact"))["fact"]
        rows.append(batch["row"].to_numpy())
        keys.append(words.list.join(" ").hash().to_numpy())
        found.append(signatures(words, seed))
    return np.concatenate(rows), np.concatenate(keys), np.concatenate(found)


def _same(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which places have a key that an earlier place has, and the first place of each one's key."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    firsts = first[inverse].astype(np.int64)
    return firsts != np.arange(keys.size), firsts


def _told(rows: Ints, reason: str, like: Ints) -> pl.DataFrame:
    return pl.DataFrame(
        {"row": rows, "reason": [reason] * rows.size, "like_row": like}, schema=dict(LEFT_OUT)
    )
