"""Shares of a build, made one after the other in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.build import Share, one_by_one


def test_each_share_fills_a_folder_of_its_own_and_its_number_is_told_before_it_is_made(
    tmp_path: Path,
) -> None:
    shares = [Share(name, tmp_path / f"{name}.txt", tmp_path / name) for name in ("KR", "ET", "MX")]
    for share in shares:
        share.file.write_text(f"facts of {share.name}")
    happened: list[str] = []

    def work(name: str, file: Path, folder: Path) -> int:
        happened.append(f"made {name}")
        return (folder / "facts.txt").write_text(file.read_text())

    assert one_by_one(work, shares, happened.append) == [len("facts of KR")] * 3
    assert happened == ["1 of 3: KR", "made KR", "2 of 3: ET", "made ET", "3 of 3: MX", "made MX"]
    assert [(share.folder / "facts.txt").read_text() for share in shares] == [
        f"facts of {s.name}" for s in shares
    ]
    assert not any(share.file.exists() for share in shares)


def test_a_share_that_cannot_be_made_ends_it_and_keeps_its_file(tmp_path: Path) -> None:
    shares = [Share(name, tmp_path / f"{name}.txt", tmp_path / name) for name in ("KR", "ET")]
    for share in shares:
        share.file.touch()

    def work(name: str, file: Path, folder: Path) -> None:
        raise ValueError(name)

    with pytest.raises(ValueError, match="KR"):
        one_by_one(work, shares, lambda _line: None)
    assert all(share.file.exists() for share in shares)
