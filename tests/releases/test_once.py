"""A table of a release is read once by a process, and anew where its files have changed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.errors import DataError
from folkways.releases.once import KEPT, read_once
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
