"""What a picture may be called: the same in every file system, in an archive and in the address of a page."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.errors import SubmissionError
from folkways_studio.exports.archive import export_files
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.media.reading import LONGEST_NAME, MediaError, is_name, read_media, safe_name
from folkways_studio.media.service import add_media, delete_media, list_media, media_store
from folkways_studio.media.stores import Folder, MediaStoreError
from studio.tests.support.studies import ON_A_FILE, open_study

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
WRONG = (
    *(
        "..",
        ".",
        "...",
        ".htaccess",
        "a.",
        " a.png",
        "a.png ",
        "",
        "a?b.png",
        "a#b.png",
        "%2e%2e",
        "a%.png",
        "a\\b.png",
        "a:b.png",
    ),
    *(
        "con.png",
        "NUL",
        "Lpt1.jpg",
        "aux .png",
        "a\0.png",
        "a\n.png",
        "a\u202eb.png",
        "a\u200bb.png",
        "가" * 67 + ".png",
        'a"b',
        "a*b",
        "a<b",
    ),
)
RIGHT = (
    "a.png",
    "soup bowl.png",
    "café.png",
    "국.png",
    "a..b.png",
    "console.png",
    "x" * 196 + ".png",
    "a&b=c+d.png",
    "it's.png",
)


@pytest.mark.parametrize("name", WRONG)
def test_a_name_that_is_none_is_refused(name: str) -> None:
    assert not is_name(name)
    with pytest.raises(MediaError, match="is no name that can be used"):
        read_media([(name, PNG)])


@pytest.mark.parametrize("name", RIGHT)
def test_other_names_stay(name: str) -> None:
    assert list(read_media([(name, PNG)])) == [name]


def test_one_name_in_two_forms_is_one_file() -> None:
    decomposed = unicodedata.normalize("NFD", "café.png")
    assert list(read_media([("café.png", PNG), (decomposed, PNG)])) == ["café.png"]
    with pytest.raises(MediaError, match="is there twice with different contents"):
        read_media([("café.png", PNG), (decomposed, PNG + b"x")])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"folder/{decomposed}", PNG)
    assert list(read_media([("all.zip", buffer.getvalue())])) == ["café.png"]


@given(st.text(min_size=1, max_size=210) | st.text("./\\?#%a ", min_size=1, max_size=6))
def test_a_name_is_the_same_everywhere(name: str) -> None:
    """As a file (255 bytes), and in the address of a page, as a browser reads it."""
    safe = safe_name(name, "0" * 64)
    assert is_name(safe) and len(safe.encode()) <= LONGEST_NAME
    assert Path("/media", safe).name == safe
    assert urljoin("https://example.org/work/S/media/", f"./{quote(safe)}").endswith(f"/media/{quote(safe)}")


@ON_A_FILE
def test_a_file_of_an_earlier_folkways_keeps_no_export_from_being_made(studio_workspace: Workspace) -> None:
    form = {
        "name": "look",
        "kind": "form",
        "show": [{"field": "pic", "type": "image"}],
        "ask": [{"key": "what", "type": "text", "label": "What is it?"}],
    }
    study = open_study(studio_workspace, [form])
    add_media(studio_workspace, study.record.id, {"..": ("image/png", PNG)})
    add_items(
        studio_workspace,
        study.record.id,
        "look",
        [NewItem("q1", {"pic": "..", "pic_alt": "a bowl"}, "korea")],
    )
    (stored,) = list_media(studio_workspace, study.record.id)
    files = export_files(studio_workspace, study.record.id, "csv")
    assert "codebook.csv" not in files, "nobody has filled in what it would explain"
    assert [name for name in files if name.startswith("media/")] == [f"media/file-{stored.sha256[:16]}"]


@pytest.mark.parametrize("path", ["doors/one.png", "a/b/one.png", "doors\\one.png", "./one.png"])
@ON_A_FILE
def test_an_item_that_names_a_file_with_its_folder_is_told_the_name(
    studio_workspace: Workspace, path: str
) -> None:
    show = [{"field": "door", "type": "image"}]
    ask = [{"key": "fit", "type": "scale", "label": "Fitting?"}]
    study = open_study(studio_workspace, [{"name": "rate", "kind": "form", "show": show, "ask": ask}])
    add_media(studio_workspace, study.record.id, read_media([("doors/one.png", PNG)]))
    item = {"door": path, "door_alt": "A door"}
    with pytest.raises(SubmissionError, match=r"files are known without their folders: write 'one.png'"):
        add_items(studio_workspace, study.record.id, "rate", [NewItem("q", item, "korea")])
    add_items(studio_workspace, study.record.id, "rate", [NewItem("q", {**item, "door": "one.png"}, "korea")])


@ON_A_FILE
def test_an_item_names_a_file_however_its_letters_are_encoded(studio_workspace: Workspace) -> None:
    show = [{"field": "door", "type": "image"}]
    ask = [{"key": "fit", "type": "scale", "label": "Fitting?"}]
    study = open_study(studio_workspace, [{"name": "rate", "kind": "form", "show": show, "ask": ask}])
    composed, apart = "caf\u00e9.png", "cafe\u0301.png"
    add_media(studio_workspace, study.record.id, read_media([(composed, PNG)]))
    for name in (composed, apart):
        add_items(
            studio_workspace,
            study.record.id,
            "rate",
            [NewItem(name, {"door": name, "door_alt": "A"}, "korea")],
        )


@ON_A_FILE
def test_contents_that_cannot_be_deleted_are_named_and_the_file_is_out_of_the_study(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{"name": "vote", "kind": "vote"}])
    add_media(studio_workspace, study.record.id, {"one.png": ("image/png", PNG)})
    (stored,) = list_media(studio_workspace, study.record.id)
    store = media_store(studio_workspace)
    assert isinstance(store, Folder)
    path = store.path(stored.sha256)
    path.unlink()
    path.mkdir()
    with pytest.raises(
        MediaStoreError, match=rf"^one\.png is out of the study, .* under {stored.sha256}; .*{path} cannot be"
    ):
        delete_media(studio_workspace, study.record.id, "one.png")
    assert not list_media(studio_workspace, study.record.id)


@pytest.mark.parametrize(("most", "fits"), [(60, True), (59, False), (20, False)])
def test_archives_of_one_upload_unpack_to_so_much_together(
    monkeypatch: pytest.MonkeyPatch, most: int, fits: bool
) -> None:
    monkeypatch.setattr("folkways_studio.media.reading.LARGEST_UNPACKED", most)
    archives = []
    for name in ("one", "two"):
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w") as archive:
            archive.writestr(f"{name}.gif", b"GIF89a" + bytes(24))
        archives.append((f"{name}.zip", written.getvalue()))
    if fits:
        assert {name: len(content) for name, (_, content) in read_media(archives).items()} == {
            "one.gif": 30, "two.gif": 30
        }  # fmt: skip
    else:
        with pytest.raises(MediaError, match="bring it in parts"):
            read_media(archives)
