"""ZIP archives that are damaged or have a password: one error, wherever that comes to light and whoever reads them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from folkways.errors import DataError, FolkwaysError
from folkways_studio.formats.zip_files import open_zip
from folkways_studio.items.table_files import is_small, read_workbook
from folkways_studio.media.reading import MediaError, read_media
from studio.tests.support.broken_zips import DAMAGES

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def packed(contents: dict[str, bytes], *methods: int) -> bytes:
    """An archive, its members packed by these methods in turn."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number, (name, content) in enumerate(contents.items()):
            archive.writestr(name, content, methods[number % len(methods)])
    return buffer.getvalue()


def unpack(archive: Path | bytes) -> list[bytes]:
    with open_zip(archive) as opened:
        return [opened.read(each) for each in opened.infolist()]


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_changed_byte_is_noticed_or_changes_nothing_that_is_read(tmp_path: Path, on_disk: bool) -> None:
    contents = {f"{number}.txt": f"Text {number}, ".encode() * 4 for number in range(4)}
    whole, file = packed(contents, *METHODS), tmp_path / "damaged.zip"
    assert unpack(whole) == [*contents.values()]
    end = len(whole) - 22  # what leads to everything else
    for position in range(end if on_disk else 0, len(whole)):
        for flipped in (1, 4, 6, 8, 255):
            changed = whole[:position] + bytes([whole[position] ^ flipped]) + whole[position + 1 :]
            if on_disk:
                file.write_bytes(changed)
            try:
                assert {*unpack(file if on_disk else changed)} <= {*contents.values()}
            except zipfile.BadZipFile as error:
                assert str(error), f"no words for byte {position} changed by {flipped}"


def test_what_the_disk_refuses_and_what_the_reader_says_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_zip(tmp_path / "none.zip"):
        pass
    with pytest.raises(IsADirectoryError), open_zip(tmp_path):
        pass
    with pytest.raises(FolkwaysError, match="mine"), open_zip(packed({"a": b"b"}, *METHODS)):
        raise FolkwaysError("mine")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_pictures_in_a_broken_archive_are_refused_by_its_name(damage: Callable[[bytes], bytes]) -> None:
    archive = packed({"bowl.png": PICTURE}, zipfile.ZIP_DEFLATED)
    assert [*read_media([("all.zip", archive)])] == ["bowl.png"]
    with pytest.raises(MediaError, match=r"all\.zip: (cannot be unpacked: \w|is neither a picture)"):
        read_media([("all.zip", damage(archive))])


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_broken_workbook_is_refused_by_its_name(damage: Callable[[bytes], bytes]) -> None:
    buffer = io.BytesIO()
    workbook = openpyxl.Workbook()
    for number in range(99):
        workbook.worksheets[0].append(["question", number])
    workbook.save(buffer)
    broken = damage(buffer.getvalue())
    assert is_small(broken), "what is wrong with it is said at once"
    with pytest.raises(DataError, match=r"mine\.xlsx.*XLSX"):
        read_workbook(broken, "mine.xlsx")
