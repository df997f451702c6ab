"""Vectors on disk: found again by text, by others too; damage costs a computation and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.metrics.neural import vectors as neural_vectors
from folkways.metrics.neural.encoder import Encoder, TokenVectors
from folkways.metrics.neural.folder import ModelFolder, open_folder
from folkways.metrics.neural.vector_store import VectorStore, text_key
from folkways.metrics.neural.vectors import TextVectors, VectorRecipe, unit
from tests.support.tiny_bert import make_bert


def vectors(*lengths: int, seed: int = 0) -> list[TokenVectors]:
    generator = np.random.default_rng(seed)
    return [
        TokenVectors(generator.normal(size=(length, 4)).astype(np.float32), generator.random(length) < 0.5)
        for length in lengths
    ]


def same(one: TokenVectors, other: TokenVectors) -> bool:
    return np.array_equal(one.states, other.states) and np.array_equal(one.words, other.words)


def test_what_is_stored_is_found_by_another_process(tmp_path: Path) -> None:
    written = dict(zip(("tea", "bread", "a\ud800b", ""), vectors(3, 5, 1, 2), strict=True))
    VectorStore(tmp_path, "m").add(written)
    reader = VectorStore(tmp_path, "m")
    found = reader.find([*written, "rice"])
    assert found.keys() == written.keys()
    assert all(same(found[text], written[text]) for text in written)
    later = dict(zip(("rice",), vectors(2, seed=1), strict=True))
    VectorStore(tmp_path, "m").add(later)
    assert same(reader.find(["rice"])["rice"], later["rice"])
    assert VectorStore(tmp_path, "other").find(["tea"]) == {}


def test_every_key_is_found_whatever_bytes_it_ends_with(tmp_path: Path) -> None:
    texts = [text for text in map(str, range(20_000)) if text_key(text)[-1] == 0][:3]
    written = dict(zip(["tea", *texts], vectors(1, 2, 3, 1), strict=True))
    VectorStore(tmp_path, "m").add(written)
    stored = VectorStore(tmp_path, "m").find(list(written))
    assert stored.keys() == written.keys()
    assert all(same(stored[text], written[text]) for text in written)


@pytest.mark.parametrize("ending", [".npy", ".npz"])
@pytest.mark.parametrize("damage", [b"", b"\x00" * 60, None])
def test_a_damaged_shard_is_passed_over(tmp_path: Path, ending: str, damage: bytes | None) -> None:
    store = VectorStore(tmp_path, "m")
    store.add(dict(zip(("tea",), vectors(3), strict=True)))
    (file,) = (tmp_path / "m").glob(f"*{ending}")
    file.unlink() if damage is None else file.write_bytes(damage)
    assert VectorStore(tmp_path, "m").find(["tea"]) == {}


def test_a_shard_that_lost_vectors_is_passed_over(tmp_path: Path) -> None:
    VectorStore(tmp_path, "m").add(dict(zip(("tea", "rice"), vectors(3, 2), strict=True)))
    (file,) = (tmp_path / "m").glob("*.npy")
    np.save(file, np.load(file)[:-1])
    assert VectorStore(tmp_path, "m").find(["tea"]) == {}


@pytest.mark.parametrize("part", ["keys", "lengths", "words"])
def test_a_shard_whose_index_does_not_fit_is_passed_over(tmp_path: Path, part: str) -> None:
    VectorStore(tmp_path, "m").add(dict(zip(("tea", "rice"), vectors(3, 2), strict=True)))
    (index,) = (tmp_path / "m").glob("*.npz")
    with np.load(index) as arrays:
        kept = {name: arrays[name] for name in arrays}
    np.savez(index, **{**kept, part: kept[part][:-1]})
    assert VectorStore(tmp_path, "m").find(["tea", "rice"]) == {}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    VectorStore(tmp_path / "file", "m").add(dict(zip(("tea",), vectors(3), strict=True)))


def test_beyond_its_size_what_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m", largest=1_000)
    for number in range(4):
        store.add({str(number): vectors(20, seed=number)[0]})  # 320 bytes, and 128 of header
    left = VectorStore(tmp_path, "m").find([str(number) for number in range(4)])
    assert "3" in left
    assert 1 <= len(left) <= 2
    assert sum(file.stat().st_size for file in (tmp_path / "m").glob("*.npy")) <= 1_000


@pytest.mark.local_model
def test_vectors_are_stored_once_and_while_others_are_still_computed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neural_vectors, "TEXTS_PER_SHARD", 2)
    encoder = Encoder(open_folder(make_bert(tmp_path_factory.mktemp("tiny"))))
    TextVectors(VectorRecipe(encoder), cache=tmp_path).of(["tea", "bread", "rice", "water", "dates"])
    keys = []
    for index in tmp_path.rglob("*.npz"):
        with np.load(index) as arrays:
            keys.append([key.tobytes() for key in arrays["keys"]])
    assert sorted(map(len, keys)) == [1, 2, 2]
    assert len({key for shard in keys for key in shard}) == 5


@given(st.text(), st.text())
def test_keys_tell_texts_apart(one: str, other: str) -> None:
    assert (text_key(one) == text_key(other)) == (one == other)


@pytest.mark.local_model
def test_every_distinct_text_goes_through_the_model_once(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = open_folder(make_bert(tmp_path_factory.mktemp("tiny")))
    asked: list[list[str]] = []

    def watched(folder: ModelFolder, layer: int | None = None) -> TextVectors:
        encoder = Encoder(folder, layer)
        encode = encoder.encode
        encoder.encode = lambda texts, tell=lambda _done, _all: None: (
            asked.append(list(texts)),
            encode(texts, tell),
        )[1]  # type: ignore[method-assign]
        return TextVectors(VectorRecipe(encoder), cache=tmp_path)

    first = watched(folder)
    before = first.of(["tea", "bread", "tea"])
    first.of(["bread", "rice", "tea"])
    after = watched(folder).of(["tea", "bread", "rice"])
    assert [texts for texts in asked if texts] == [["tea", "bread"], ["rice"]]
    assert all(same(before[text], after[text]) for text in before)
    np.testing.assert_allclose(np.linalg.norm(after["tea"].states, axis=1), 1, atol=1e-6)
    watched(folder, layer=2).of(["tea"])
    assert asked[-1] == ["tea"]


NUMBERS = st.floats(-8, 8, width=32).filter(lambda number: number == 0 or abs(number) > 1e-15)
"""Of vectors; the square of a smaller one is nothing in single precision."""


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=5))
def test_every_vector_gets_length_one_but_that_of_zeros(rows: list[list[float]]) -> None:
    given_vectors = np.array([*rows, [0.0] * 3, [3.0, 0.0, -4.0]], np.float32)
    with np.errstate(all="raise", under="ignore"):
        scaled = unit(given_vectors)
    lengths = np.linalg.norm(given_vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(scaled * lengths, given_vectors, rtol=1e-5, atol=1e-20)
    np.testing.assert_array_equal(scaled[-2:], np.array([[0, 0, 0], [0.6, 0, -0.8]], np.float32))


def test_what_was_kept_before_stays_while_there_is_room(tmp_path: Path) -> None:
    for text in ("tea", "rice"):
        VectorStore(tmp_path, "m").add(dict(zip((text,), vectors(3), strict=True)))
    assert set(VectorStore(tmp_path, "m").find(["tea", "rice"])) == {"tea", "rice"}
