"""A model folder: what decides its revision, and what is said of one that cannot be used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from folkways.errors import DataError, FolkwaysError
from folkways.metrics.neural.folder import open_folder
from tests.support.tiny_bert import make_bert, write_json

pytestmark = pytest.mark.local_model


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "copy")


def test_the_revision_is_that_of_the_contents_wherever_they_lie(original: Path, copy: Path) -> None:
    (copy / "README.md").write_text("nothing that matters", encoding="utf-8")
    (copy / "tf_model.h5").write_bytes(b"other weights that are not read")
    revision = open_folder(original).revision
    assert open_folder(copy).revision == revision
    assert len(revision) == 12 and set(revision) <= set("0123456789abcdef")
    assert (open_folder(copy).name, open_folder(copy, "org/tiny").name) == ("copy", "org/tiny")


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json"])
def test_one_byte_of_what_matters_is_another_revision(name: str, original: Path, copy: Path) -> None:
    with (copy / name).open("ab") as file:
        file.write(b" ")
    assert open_folder(copy).revision != open_folder(original).revision


def test_weights_in_several_files_all_count(copy: Path) -> None:
    for name in ("one", "two"):
        shutil.copy(copy / "model.safetensors", copy / f"{name}.safetensors")
    (copy / "model.safetensors").unlink()
    write_json(
        copy / "model.safetensors.index.json",
        {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}},
    )
    before = open_folder(copy).revision
    with (copy / "two.safetensors").open("ab") as file:
        file.write(b"x")
    assert open_folder(copy).revision != before
    (copy / "two.safetensors").unlink()
    with pytest.raises(DataError, match="is not there"):
        open_folder(copy)


def test_what_is_not_a_model_is_said(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="nowhere"):
        open_folder(tmp_path / "nowhere")
    with pytest.raises(DataError, match="transformers"):
        open_folder(tmp_path)
    (copy / "model.safetensors").rename(copy / "model.onnx")
    with pytest.raises(DataError, match=r"no weights \(there are ONNX files, which are not read\)"):
        open_folder(copy)
    (copy / "model.onnx").rename(copy / "model.safetensors")
    for layers in ({}, *({"num_hidden_layers": number} for number in (0, -1, None, "12", 1.5))):
        write_json(copy / "config.json", {"model_type": "bert", **layers})
        with pytest.raises(DataError, match="names no num_hidden_layers"):
            open_folder(copy)
    (copy / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read as JSON"):
        open_folder(copy)


@pytest.mark.parametrize(
    ("there", "deciding"),
    [
        (("model.safetensors", "pytorch_model.bin"), ("model.safetensors",)),
        (("model.safetensors.index.json", "a.bin", "b.bin"), ("a.bin", "b.bin")),
        (("pytorch_model.bin", "pytorch_model.bin.index.json", "a.bin", "b.bin"), ("pytorch_model.bin",)),
        (("pytorch_model.bin.index.json", "a.bin", "b.bin"), ("a.bin", "b.bin")),
    ],
)
def test_weights_may_lie_in_parts_that_an_index_names(
    copy: Path, there: tuple[str, ...], deciding: tuple[str, ...]
) -> None:
    (copy / "model.safetensors").unlink()
    for name in there:
        if name.endswith(".json"):
            write_json(copy / name, {"weight_map": {"x": "b.bin", "y": "a.bin", "z": "b.bin"}})
        else:
            (copy / name).write_bytes(name.encode())
    before = open_folder(copy).revision
    for name in there:
        if not name.endswith(".json"):
            (copy / name).write_bytes(b"other weights")
            assert (open_folder(copy).revision != before) == (name in deciding), name
            (copy / name).write_bytes(name.encode())
    for name in deciding:
        (copy / name).unlink()
    if "a.bin" in deciding:
        with pytest.raises(DataError, match=r"is named in .* and is not there"):
            open_folder(copy)
