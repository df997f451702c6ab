"""Reading of TOML that people write, and the errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.errors import DataError, FolkwaysError
from folkways.toml_files import parse_toml, read_toml, read_toml_text


def test_a_file_is_read_with_a_byte_order_mark_or_without(tmp_path: Path) -> None:
    for mark in ("", "\ufeff"):
        (tmp_path / "a.toml").write_text(f'{mark}name = "Ré"\n', encoding="utf-8")
        assert read_toml_text(tmp_path / "a.toml") == ('name = "Ré"\n', {"name": "Ré"})


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "R\xe9"\n')
    with pytest.raises(DataError, match=r"latin\.toml: is not UTF-8 \(byte 9\); save it as UTF-8"):
        read_toml(tmp_path / "latin.toml")
    with pytest.raises(
        FolkwaysError, match=r"there is no file \S*none\.toml, which should be a recipe; write one$"
    ):
        read_toml(tmp_path / "none.toml", "recipe; write one")
    with pytest.raises(DataError, match=r"cannot be read: Is a directory"):
        read_toml(tmp_path)
    with pytest.raises(DataError, match=r"mine: is not valid TOML: .* \(at line 2, column 3\)"):
        parse_toml("a = 1\nb c\n", "mine")
