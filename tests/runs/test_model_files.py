"""From a model's name to its folder, by way of the hub's own cache; nothing is asked of a network here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.metrics.neural.folder import open_folder
from folkways.runs.options import RunOptions
from folkways.runs.scores.scoring_models import (
    ScoringModels,
    chosen_models,
    model_folder,
    named_models,
    vector_cache,
)
from tests.support.tiny_bert import make_bert

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache that the hub's client reads, with the model org/tiny in it, and no way to the hub."""
    pytest.importorskip("huggingface_hub", reason="needs the extra neural")
    from huggingface_hub import constants

    cache = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    snapshot = cache / "models--org--tiny" / "snapshots" / REVISION
    snapshot.parent.mkdir(parents=True)
    shutil.move(make_bert(tmp_path / "tiny"), snapshot)
    (cache / "models--org--tiny" / "refs").mkdir()
    (cache / "models--org--tiny" / "refs" / "main").write_text(REVISION, encoding="utf-8")
    return cache


@pytest.mark.local_model
def test_a_name_is_found_in_the_cache_of_the_hub(hub_cache: Path) -> None:
    for name in ("org/tiny", f"org/tiny@{REVISION}"):
        folder, shown = model_folder(name)
        assert folder.name == REVISION
        assert open_folder(folder, shown).name == "org/tiny"


@pytest.mark.local_model
def test_what_is_not_there_says_how_to_get_it(hub_cache: Path) -> None:
    with pytest.raises(FolkwaysError, match="Get it where there is a network: hf download org/other "):
        model_folder("org/other")
    with pytest.raises(FolkwaysError, match="is not on this disk"):
        model_folder("org/tiny@another-revision")


@pytest.mark.parametrize("name", ["./nowhere", "~/nowhere-at-all", "/nowhere", "a/b/c"])
def test_a_path_that_is_no_folder_is_not_looked_for_on_the_hub(name: str) -> None:
    with pytest.raises(FolkwaysError, match="there is no model folder"):
        model_folder(name)


def test_a_folder_is_itself(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert model_folder(str(tmp_path / "mine")) == (tmp_path / "mine", "mine")


def test_names_and_the_place_of_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert named_models(None, ()) == {}
    assert named_models("a/b", ("zh=c", "en=d=e")) == {"embedding": "a/b", "bert-zh": "c", "bert-en": "d=e"}
    monkeypatch.setenv("FOLKWAYS_CACHE", str(tmp_path))
    assert vector_cache() == tmp_path / "vectors"


@pytest.mark.parametrize(
    ("now", "names", "precision"),
    [
        (None, {"embedding": "a", "bert-en": "b"}, "fp16"),
        (ScoringModels(), {"embedding": "a", "bert-en": "b"}, "fp16"),
        (ScoringModels({"bert-en": "c"}), {"embedding": "a", "bert-en": "c"}, "fp16"),
        (ScoringModels(precision="bf16"), {"embedding": "a", "bert-en": "b"}, "bf16"),
        (ScoringModels(precision="fp32"), {"embedding": "a", "bert-en": "b"}, "fp32"),
    ],
)
def test_what_is_named_now_takes_the_place_of_what_a_run_was_planned_with(
    now: ScoringModels | None, names: dict[str, str], precision: str
) -> None:
    planned = RunOptions(
        ("xcr/adaptation",), scoring_models={"embedding": "a", "bert-en": "b"}, scoring_precision="fp16"
    )
    chosen = chosen_models(planned, now)
    assert (chosen.names, chosen.precision) == (names, precision)
