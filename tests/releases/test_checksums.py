"""The checksum of a file is of what it holds now, and a file that rests is read once."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from folkways.releases.checksums import git_blob_sha1_of, sha256_of

HOUR = 3600


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checksums that were made of files, one for each time a file was read."""
    made: list[str] = []
    digest = hashlib.file_digest

    def counted(stream: object, *how: object) -> object:
        made.append("")
        return digest(stream, *how)  # type: ignore[arg-type,type-var]

    monkeypatch.setattr(hashlib, "file_digest", counted)
    return made


def rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock go on for an hour."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + HOUR)


def of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_that_rests_is_read_once(
    tmp_path: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other = tmp_path / "words.csv", tmp_path / "others.csv"
    file.write_bytes(b"maize")
    other.write_bytes(b"beans")
    rest(monkeypatch)
    assert [sha256_of(file) for _ in range(3)] == [of(b"maize")] * 3
    assert len(readings) == 1
    assert [sha256_of(other), sha256_of(file)] == [of(b"beans"), of(b"maize")]
    assert len(readings) == 2
    git_blob_sha1_of(file)
    assert len(readings) == 3


def test_a_file_that_was_changed_a_moment_ago_is_read_each_time(tmp_path: Path, readings: list[str]) -> None:
    file = tmp_path / "words.csv"
    file.write_bytes(b"maize")
    os.utime(file, (0, 0))  # an archive gives its files old times: when it was written tells more
    assert [sha256_of(file) for _ in range(2)] == [of(b"maize")] * 2
    assert len(readings) == 2


@pytest.mark.parametrize("when", [None, 0])
def test_what_a_file_holds_now_counts(
    tmp_path: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch, when: int | None
) -> None:
    """Of the same length, with the times of before or with new ones, written over or put in its place."""
    rest(monkeypatch)
    file, beside = tmp_path / "words.csv", tmp_path / "words.csv.part"
    for number, content in enumerate((b"maize", b"beans", b"pears", b"beans", b"wheat and rye", b"")):
        time.sleep(0.02)  # longer than the clock of a file system takes for a step
        path = beside if number % 2 else file
        path.write_bytes(content)
        path.replace(file)
        if when is not None:
            os.utime(file, (when, when))
        assert sha256_of(file) == sha256_of(file) == of(content)
    assert len(readings) == 6


def test_a_file_that_is_not_there_or_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sha256_of(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        sha256_of(tmp_path)


def test_a_file_that_is_gone_is_not_remembered(
    tmp_path: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rest(monkeypatch)
    file = tmp_path / "words.csv"
    file.write_bytes(b"maize")
    sha256_of(file)
    file.unlink()
    with pytest.raises(FileNotFoundError):
        sha256_of(file)
    assert len(readings) == 1
