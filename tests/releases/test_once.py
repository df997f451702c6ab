"""A table of a release is read once by a process, and anew where its files have changed."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from folkways.errors import DataError
from folkways.releases import once
from folkways.releases.once import KEPT, KeptBatches, read_once
from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord


def release(folder: Path, text: str, name: str = "one") -> Release:
    root = folder / name
    root.mkdir(exist_ok=True)
    (root / "words.txt").write_text(text)
    files = (ReleaseFile("words.txt", None),)
    return Release(
        ReleaseRecord(name, "words", "0", "folder", "", files, "", "", "", ""), root, verified=False
    )


def test_equal_contents_are_read_once_and_changed_ones_anew(tmp_path: Path) -> None:
    seen: list[str] = []

    @read_once
    def words(opened: Release) -> pl.DataFrame:
        """The words."""
        text = opened.path("words.txt").read_text()
        seen.append(text)
        if text == "broken":
            raise DataError("is broken")
        return pl.DataFrame({"word": text.split()})

    assert words.__doc__ == "The words."
    first, again = words(release(tmp_path, "a b")), words(release(tmp_path, "a b"))
    assert (first["word"].to_list(), again["word"].to_list(), seen) == (["a", "b"], ["a", "b"], ["a b"])
    assert words(release(tmp_path, "c"))["word"].to_list() == ["c"]
    assert words(release(tmp_path, "c", "two"))["word"].to_list() == ["c"], (
        "another folder may hold other files of that name"
    )
    for _ in range(2):
        with pytest.raises(DataError, match="is broken"):
            words(release(tmp_path, "broken"))
    assert seen == ["a b", "c", "c", "broken", "broken"]
    for number in range(KEPT):
        words(release(tmp_path, f"{number}", f"of {number}"))
    words(release(tmp_path, "c"))
    assert seen[-1] == "c", "no more than a few are kept"


BATCHES = [
    pl.DataFrame(
        {"item": [f"{batch}/{row}" for row in range(3)], "labels": [["A", "B"], [], None]},
        schema={"item": pl.String, "labels": pl.List(pl.String)},
    ).with_columns(culture=pl.lit("KR").cast(pl.Categorical), groups=pl.struct(count="item"), batch=batch)
    for batch in range(4)
]


class Source:
    """Gives the first ``count`` of BATCHES, and counts how often it was read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.times = 0

    def __call__(self) -> Iterator[pl.DataFrame]:
        self.times += 1
        yield from BATCHES[: self.count]


@pytest.mark.parametrize("room", [0, once.IN_MEMORY], ids=["file", "memory"])
@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_batches_are_read_once_and_come_back_as_they_were(
    monkeypatch: pytest.MonkeyPatch, count: int, room: int
) -> None:
    monkeypatch.setattr(once, "IN_MEMORY", room)
    kept, source, other = KeptBatches(), Source(count), Source(count)
    for _ in range(3):
        batches = list(kept.of("some", source))
        assert [batch.rows() for batch in batches] == [batch.rows() for batch in BATCHES[:count]]
        assert all(batch.schema == BATCHES[0].schema for batch in batches)
    list(kept.of("others", other))
    assert (source.times, other.times) == (1, 1)


def test_two_may_take_kept_batches_by_turns() -> None:
    kept, source = KeptBatches(), Source(4)
    list(kept.of("some", source))
    pairs = list(zip(kept.of("some", source), kept.of("some", source), strict=True))
    assert [(one["batch"][0], other["batch"][0]) for one, other in pairs] == [
        (number, number) for number in range(4)
    ]


def test_batches_that_were_not_all_taken_are_read_again() -> None:
    kept, source = KeptBatches(), Source(4)
    assert next(kept.of("some", source)).equals(BATCHES[0])
    assert len(list(kept.of("some", source))) == 4
    assert source.times == 2


def test_batches_without_room_on_the_disk_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "IN_MEMORY", 1)
    kept, source = KeptBatches(), Source(4)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        assert len(list(kept.of("some", source))) == 4
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [batch["batch"][0] for batch in kept.of("some", source)] == [0, 1, 2, 3]
    assert source.times == 2
