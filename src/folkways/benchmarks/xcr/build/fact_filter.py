"""From a table of facts of any length to the facts that models are asked about: filter, near-duplicates,
clusters.

The table is read once, and fit facts go to one file per culture on disk. Each culture's file is then read
three times; a fact takes 200 bytes of memory, however long it is: its signature, row and cluster.

Signatures are datasketch's MinHash. Its index keeps a dictionary entry per fact and band, four gigabytes
for a million facts; here each band is one column of hashes that is sorted, and facts with equal hashes are
neighbours. Clusters are k-means on hashed, weighted words.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

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
    FactRules,
    fact_id,
    judged,
    read_facts,
    representatives,
    spread,
    words_of,
)
from folkways.errors import FolkwaysError, of_extra
from folkways.files import make_folder
from folkways.spreadsheet import for_csv
from folkways.text_tables import BATCH

WORKPLACE = ".facts"
"""Folder of unfinished files within that of the facts."""

KEPT_FILE, LEFT_OUT_FILE = "facts.parquet", "facts-left-out.csv"
MIDDLES_FILE = "middles.parquet"
"""The central fact of each cluster of one culture."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class FilteredFacts:
    """The result of filtering a table of facts.

    chosen: facts to draw items from: KEPT and ``sources``, one per cluster, in turn from each culture, at
        most as many as wanted.
    rows, kept, clusters: number of rows of the table, of facts left, and of their clusters.
    left_out: reason -> rows.
    cultures: facts left of each.
    """

    chosen: pl.DataFrame
    rows: int
    kept: int
    clusters: int
    left_out: Counter[str]
    cultures: dict[str, int]


def filter_facts(
    table: Path,
    out: Path,
    rules: FactRules,
    limit: int | None = None,
    report: Report = lambda _what: None,
    work_on: WorkOnFiles = one_by_one,
) -> FilteredFacts:
    """Filter the table; writes KEPT_FILE (KEPT) and LEFT_OUT_FILE (LEFT_OUT) into the folder ``out``.

    table: file of facts.
    rules: which facts are kept.
    limit: facts chosen at most, over all cultures.
    report: called with a line of progress.
    work_on: filters the cultures, each by itself; the result is the same wherever it runs.

    Raises FolkwaysError if nothing is left or the disk is full, DataError for a table that cannot be read.
    """
    make_folder(out)
    workplace = out / WORKPLACE
    shutil.rmtree(workplace, ignore_errors=True)  # of a build that was killed
    try:
        workplace.mkdir()
        with (workplace / LEFT_OUT_FILE).open("wb") as dropped:
            writer = _LeftOutWriter(dropped)
            rows, files = _by_culture(table, workplace, rules, writer, report)
            if not files:
                reasons = ", ".join(f"{reason}: {count:,}" for reason, count in writer.counts.most_common())
                raise FolkwaysError(
                    f"none of the {rows:,} rows of {table} is fit to draw items from "
                    f"({reasons or 'it has no rows'})"
                )
            cultures = sorted(files)
            folders = [workplace / f"{number:06}" for number in range(len(cultures))]
            sift_one = partial(filter_culture, rules=rules, limit=limit)
            parts = work_on(
                sift_one,
                [
                    Share(*each)
                    for each in zip(cultures, map(files.__getitem__, cultures), folders, strict=True)
                ],
                report,
            )
            for folder, part in zip(folders, parts, strict=True):
                with (folder / LEFT_OUT_FILE).open("rb") as part_file:
                    shutil.copyfileobj(part_file, dropped)
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
    kept_by_culture = {culture: part.kept for culture, part in zip(cultures, parts, strict=True)}
    clusters = sum(part.clusters for part in parts)
    return FilteredFacts(
        spread(pl.concat(candidates), limit),
        rows,
        sum(kept_by_culture.values()),
        clusters,
        writer.counts,
        kept_by_culture,
    )


@dataclass(frozen=True)
class _CultureFacts:
    """The result for one culture; see ``FilteredFacts``."""

    kept: int
    clusters: int
    left_out: Counter[str]


class _LeftOutWriter:
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
        self.counts.update(dict(rows.group_by("reason", maintain_order=True).len().iter_rows()))


def _by_culture(
    table: Path, folder: Path, rules: FactRules, left_out: _LeftOutWriter, report: Report
) -> tuple[int, dict[str, Path]]:
    """Rows that were read, and culture -> a file with its fit facts (FACTS, without a header)."""
    rows = 0
    files: dict[str, Path] = {}
    for batch in read_facts(table):
        rows += batch.height
        report(f"read {rows:,} facts")
        facts = judged(batch, rules)
        unfit = pl.col("reason").is_not_null()
        left_out.write(facts.filter(unfit).select("row", "reason", like_row=pl.lit(None, dtype=pl.Int64)))
        for (culture,), part in facts.filter(~unfit).group_by(["culture"], maintain_order=True):
            name = str(culture)
            files.setdefault(name, folder / f"{blake2b(name.encode(), digest_size=12).hexdigest()}.csv")
            with files[name].open("ab") as file:
                part.select(list(FACTS)).write_csv(file, include_header=False)
    return rows, files


def filter_culture(
    culture: str, file: Path, folder: Path, rules: FactRules, limit: int | None
) -> _CultureFacts:
    """The facts of one culture without repeats of an earlier one, in clusters.

    file: the culture's facts (FACTS, without a header).
    folder: gets KEPT_FILE, LEFT_OUT_FILE without a header, and MIDDLES_FILE with at most ``limit`` facts.
    rules: similarity, size of clusters and seed.
    """
    with (folder / LEFT_OUT_FILE).open("wb") as dropped:
        left_out = _LeftOutWriter(dropped, header=False)
        distinct = _distinct(file, rules, left_out)
    count, drawn = learnt_from(distinct.size, rules.cluster_size, rules.seed)
    learnt = pl.concat(batch.select(words_of("fact"))["fact"] for batch in _batches(file, distinct[drawn]))
    clusters = Clusters(learnt, count, rules.seed)
    sizes = np.zeros(max(1, count), dtype=np.int64)
    pieces = []
    for number, batch in enumerate(_batches(file, distinct)):
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
    return _CultureFacts(int(distinct.size), middles.height, left_out.counts)


def _distinct(file: Path, rules: FactRules, left_out: _LeftOutWriter) -> Ints:
    """The rows of the facts that do not repeat an earlier one, in order."""
    rows, keys, signs = _signed(file, rules.seed)
    order = np.argsort(rows)  # batches keep the order of the table; this holds it whatever reads them
    rows, keys, signs = rows[order], keys[order], signs[order]
    again, firsts = _same(keys)
    left_out.write(_left_out(rows[again], SAME, rows[firsts[again]]))
    places = np.flatnonzero(~again)
    like = repeated(signs[places], rules.similarity)
    alike = like >= 0
    left_out.write(_left_out(rows[places[alike]], ALIKE, rows[places[like[alike]]]))
    distinct: Ints = rows[places[~alike]]
    return distinct


def _batches(file: Path, rows: Ints | None = None) -> Iterator[pl.DataFrame]:
    """The facts of a culture's file, BATCH at a time; only these rows (in order), if any are named."""
    scan = pl.scan_csv(file, has_header=False, schema=dict(FACTS))
    for batch in scan.collect_batches(chunk_size=BATCH, maintain_order=True):
        wanted = batch
        if rows is not None:
            places = np.searchsorted(rows, batch["row"].to_numpy())
            wanted = batch.filter(pl.Series(rows[np.minimum(places, rows.size - 1)]) == batch["row"])
        if not wanted.is_empty():
            yield wanted


def _signed(file: Path, seed: int) -> tuple[Ints, npt.NDArray[np.uint64], Signatures]:
    """Row, a hash of the words in their order, and signature of every fact of the file."""
    rows, keys, signs = [], [], []
    for batch in _batches(file):
        words = batch.select(words_of("fact"))["fact"]
        rows.append(batch["row"].to_numpy())
        keys.append(words.list.join(" ").hash().to_numpy())
        signs.append(signatures(words, seed))
    return np.concatenate(rows), np.concatenate(keys), np.concatenate(signs)


def _same(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which rows have the key of an earlier row, and the first row of each one's key."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    firsts = first[inverse].astype(np.int64)
    return firsts != np.arange(keys.size), firsts


def _left_out(rows: Ints, reason: str, like: Ints) -> pl.DataFrame:
    return pl.DataFrame(
        {"row": rows, "reason": [reason] * rows.size, "like_row": like}, schema=dict(LEFT_OUT)
    )


PERMUTATIONS = 64
BANDS = 16
"""Bands of four values: two facts of similarity .8 share one with a chance of .9998, of .5 with .64, of .2
with .03."""

CHUNK = 20_000
"""Facts whose words are in memory at a time."""

Ints = npt.NDArray[np.int64]
Signatures = npt.NDArray[np.uint16]


def signatures(words: pl.Series, seed: int = 0) -> Signatures:
    """The signature of each fact, (facts, PERMUTATIONS): the low 16 bits of each minimum, enough to tell
    minima apart.

    words: List(String), the words of each fact. MissingExtraError without datasketch.
    """
    minhash = _minhash()
    low_bits: Signatures = np.empty((len(words), PERMUTATIONS), dtype=np.uint16)
    made = minhash.generator(_sets(words), num_perm=PERMUTATIONS, seed=seed + 1, hashfunc=_word_hash)
    for row, one in enumerate(made):
        low_bits[row] = one.hashvalues.astype(np.uint64) & np.uint64(0xFFFF)
    return low_bits


def repeated(found: Signatures, similarity: float) -> Ints:
    """For each fact with these signatures the index of the earliest fact that it repeats, or -1.

    similarity: estimated Jaccard similarity of the sets of words from which two facts count as the same;
        the estimate's standard error is at most 1/16.
    """
    like = np.full(len(found), -1, dtype=np.int64)
    values = PERMUTATIONS // BANDS
    for band in range(BANDS):
        _match_band(
            found, np.ascontiguousarray(found[:, band * values : (band + 1) * values]), like, similarity
        )
    return _chain_ends(like)


def _sets(words: pl.Series) -> Iterator[list[str]]:
    """The distinct words of each fact, some thousand facts at a time."""
    for start in range(0, len(words), CHUNK):
        yield from words.slice(start, CHUNK).list.unique().to_list()


def _word_hash(word: str) -> int:
    """32 bits, the same on every machine; datasketch's own SHA-1 takes four times as long."""
    return crc32(word.encode())


def _match_band(found: Signatures, band: Signatures, like: Ints, similarity: float) -> None:
    """Compare facts that are equal in a band with the first of them and with their neighbour; the earlier one
    represents both."""
    keys = band.view(np.uint64).ravel()
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.r_[True, keys[order][1:] != keys[order][:-1]])
    first = np.repeat(order[starts], np.diff(np.r_[starts, order.size]))
    neighbour = np.r_[order[:1], order[:-1]]
    same_as_first = first != order
    for others, together in ((first, same_as_first), (neighbour, same_as_first & (neighbour != first))):
        later, earlier = order[together], others[together]
        for start in range(0, later.size, CHUNK):
            part = slice(start, start + CHUNK)
            alike = (found[later[part]] == found[earlier[part]]).mean(axis=1) >= similarity
            again, stands = later[part][alike], earlier[part][alike]
            like[again] = np.where(like[again] < 0, stands, np.minimum(like[again], stands))


def _chain_ends(like: Ints) -> Ints:
    """For a fact that repeats one that repeats another, the end of that chain."""
    ends = like.copy()
    for index in np.flatnonzero(like >= 0):  # in order: what a place points to lies before it and is settled
        before = ends[like[index]]
        ends[index] = before if before >= 0 else like[index]
    return ends


def _minhash() -> Any:
    with of_extra("building", "folkways build csi"):
        from datasketch import MinHash
    return MinHash


FEATURES = 2**12
MOST = 1000
"""Clusters of one culture at most: their centres are dense, 16 kB each."""

LEARNT_FROM = 10
"""Facts per cluster from which its centre is learnt, drawn at random; all facts are then assigned to the
centres."""

ROWS_AT_ONCE = 4096

Floats = npt.NDArray[np.float32]


def learnt_from(facts: int, size: int, seed: int = 0) -> tuple[int, npt.NDArray[np.int64]]:
    """The number of clusters of ``size`` facts on average, MOST at most, and the indices of the facts to
    learn them from, in order."""
    count = min(MOST, math.ceil(facts / size))
    return count, np.sort(np.random.default_rng(seed).permutation(facts)[: count * LEARNT_FROM])


class Clusters:
    """Centres of clusters; facts are assigned to the nearest.

    words: List(String), the words of facts to learn ``count`` clusters from. Same words and seed, same
        clusters. Raises MissingExtraError without scikit-learn.
    """

    def __init__(self, words: pl.Series, count: int, seed: int = 0) -> None:
        self._learn = _learn()
        self._middles: Floats | None = None
        if count < 2:
            return
        self._rarity = self._learn.text.TfidfTransformer().fit(self._hashed(words))
        model = self._learn.cluster.MiniBatchKMeans(
            count,
            init="random",
            n_init=1,
            batch_size=ROWS_AT_ONCE,
            max_iter=3,
            reassignment_ratio=0,
            compute_labels=False,
            random_state=seed,
        )
        self._middles = model.fit(self._vectors(words)).cluster_centers_

    def sort(self, words: pl.Series) -> tuple[npt.NDArray[np.int64], Floats]:
        """The cluster of each fact, and its distance from the centre (0 to 2)."""
        if self._middles is None:
            return np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.float32)
        return _nearest(self._vectors(words), self._middles)

    def _hashed(self, words: pl.Series) -> Any:
        hasher = self._learn.text.HashingVectorizer(
            analyzer=str.split, n_features=FEATURES, alternate_sign=False, norm=None, dtype=np.float32
        )
        return hasher.transform(words.list.join(" "))

    def _vectors(self, words: pl.Series) -> Any:
        """Sparse rows of length 1: words weighted by how rare they are in the facts that were learnt from."""
        return self._rarity.transform(self._hashed(words), copy=False)


def _nearest(vectors: Any, middles: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """The nearest centre of each row and its distance; one sparse product per batch, several times faster
    than ``predict``."""
    squares = np.einsum("ij,ij->i", middles, middles)
    across = np.ascontiguousarray(middles.T)
    labels, distances = (
        np.empty(vectors.shape[0], dtype=np.int64),
        np.empty(vectors.shape[0], dtype=np.float32),
    )
    for start in range(0, labels.size, ROWS_AT_ONCE):
        part = vectors[start : start + ROWS_AT_ONCE]
        further = squares - 2 * (part @ across)  # the square of the distance, but for the row's own length
        nearest = further.argmin(axis=1)
        length = np.asarray(part.multiply(part).sum(axis=1)).ravel()
        labels[start : start + ROWS_AT_ONCE] = nearest
        distances[start : start + ROWS_AT_ONCE] = np.sqrt(
            np.maximum(0, length + further[np.arange(nearest.size), nearest])
        )
    return labels, distances


def _learn() -> Any:
    with of_extra("building", "folkways build csi"):
        from types import SimpleNamespace

        from sklearn import cluster, feature_extraction

        return SimpleNamespace(cluster=cluster, text=feature_extraction.text)
