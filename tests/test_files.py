"""Files written completely or not at all, and what is said where that cannot be."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from folkways.errors import FolkwaysError
from folkways.files import (
    OF_FILES,
    check_folder,
    check_several,
    json_bytes,
    make_folder,
    packed,
    whole_file,
    write_bytes,
    write_lines,
)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_file_is_there_whole_or_as_it_was_before(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.txt"
    assert write_lines(path, iter([b"one\n", b"", b"two"])) == path
    assert write_bytes(path.with_name("b.txt"), b"b").name == "b.txt"
    make_folder(path.parent)

    def breaks() -> Iterator[bytes]:
        yield b"three\n"
        assert everything_in(path.parent)["a.txt"] == b"one\ntwo", "the old file is there until the end"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_lines(path, breaks())
    assert everything_in(tmp_path) == {"a.txt": b"one\ntwo", "b.txt": b"b"}


def test_what_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "there").mkdir()
    with pytest.raises(FolkwaysError) as refused:
        make_folder(tmp_path / "file")
    assert (
        str(refused.value)
        == f"the folder {tmp_path / 'file'} cannot be made: File exists; name another place"
    )
    with pytest.raises(FolkwaysError, match=r"the folder .*file/below cannot be made: Not a directory"):
        write_bytes(tmp_path / "file" / "below" / "a.txt", b"")
    with pytest.raises(FolkwaysError) as refused:
        write_bytes(tmp_path / "there", b"a")
    assert str(refused.value) == f"{tmp_path / 'there'} cannot be written: Is a directory; name another place"
    assert everything_in(tmp_path) == {"file": b""}


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    for name, before in (("old", b"old"), ("new", None)):
        file, link = tmp_path / "real" / name, tmp_path / name
        if before is not None:
            file.write_bytes(before)
        link.symlink_to(file)
        write_bytes(link, b"written")
        assert link.is_symlink()
        assert file.read_bytes() == b"written"
    assert sorted(everything_in(tmp_path / "real")) == ["new", "old"], "no draft is left"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_lines(pipe, [b"one\n", b"two\n"])
        assert os.read(reader, 100) == b"one\ntwo\n"
        with pytest.raises(ZeroDivisionError):
            write_lines(pipe, (bytes([1 // number]) for number in (1, 0)))
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_two_that_write_one_file_at_once_do_not_share_a_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with whole_file(path) as first, whole_file(path) as second:
        first.write_bytes(b"first")
        second.write_bytes(b"second")
    assert everything_in(tmp_path) == {"a.txt": b"first"}, "the one that ended last"


def test_documents_and_frames_as_bytes() -> None:
    assert json_bytes({"a": [1], "ሀ": None}) == '{\n  "a": [\n    1\n  ],\n  "ሀ": null\n}\n'.encode()
    frame = pl.DataFrame({"a": [1, None], "b": ["x", "ሀ"]})
    assert pl.read_parquet(io.BytesIO(packed(frame, "parquet"))).equals(frame)
    assert list(map(json.loads, packed(frame, "jsonl").splitlines())) == frame.to_dicts()
    with pytest.raises(ValueError, match="kind is jsonl or parquet, got 'csv'"):
        packed(frame, "csv")


def test_the_name_of_a_file_is_no_folder_unless_one_is_called_so(tmp_path: Path) -> None:
    for ending in OF_FILES:
        with pytest.raises(FolkwaysError, match=rf"name a folder: --out {tmp_path}/a\.b$"):
            check_several(tmp_path / f"a.b{ending.upper()}", lambda name: f"--out {name}")
    for name in ("tables", "v1.2", "a.json.d"):
        check_several(tmp_path / name)
    (tmp_path / "old.json").mkdir()
    check_several(tmp_path / "old.json")
    with pytest.raises(FolkwaysError) as refused:
        check_several(Path("a.csv"))
    assert str(refused.value) == (
        "out='a.csv' is the name of a file, but several files are written; name a folder: out='a'"
    )


def test_a_folder_is_there_or_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path, tmp_path / "a" / "b", Path("a/b"), Path()):
        check_folder(path)
    assert list(tmp_path.iterdir()) == [], "nothing is made"
    Path("file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "b", Path("file/b")):
        with pytest.raises(
            FolkwaysError, match=rf"{path} cannot be a folder: .*file is a file; name another"
        ):
            check_folder(path)
    rights: list[int] = []

    def none(_path: object, wanted: int) -> bool:
        rights.append(wanted)
        return False

    monkeypatch.setattr(os, "access", none)  # root may write everywhere
    with pytest.raises(FolkwaysError, match=rf"{tmp_path}/a cannot be written: {tmp_path} is read-only"):
        check_folder(tmp_path / "a")
    assert rights == [os.W_OK | os.X_OK], "files are made in it"
