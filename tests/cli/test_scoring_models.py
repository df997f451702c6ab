"""Models that texts are compared with, named on the command line: used, stored with the run, missing, or of
no use."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.registry import get_task
from tests.support.command_line import environment, folkways
from tests.support.tiny_bert import make_bert, make_sentence_model
from tests.support.xcr_data import write_small_corpus, xcr_release

pytestmark = pytest.mark.local_model

REPLIES = (
    "<CSI> bill </CSI>",
    "<CSI> tea </CSI> <CSI> door </CSI>",
    "<CSI> house </CSI>",
    "<CSI> water </CSI>",
    "x",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, replies to it, a sentence model, an encoder, and room for vectors."""
    folder = tmp_path_factory.mktemp("scoring")
    (folder / "release").mkdir()
    write_small_corpus(folder / "release")
    with (folder / "replies.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("CSI Output",), *((reply,) for reply in REPLIES)])
    make_sentence_model(folder / "sentences")
    make_bert(folder / "bert", layers=9)
    return folder


def run(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    return folkways(
        *arguments,
        cwd=folder,
        env=environment(FOLKWAYS_CACHE=str(folder / "cache"), HF_HUB_OFFLINE="1", **variables),
    )


def judge(
    folder: Path, task: str, *more: object, **variables: str
) -> tuple[subprocess.CompletedProcess[str], pl.DataFrame]:
    given = ("--release", "release", "--responses", "replies.csv", "--by-position", "--out", "out.parquet")
    done = run(folder, "judge", f"xcr/{task}", *given, *more, **variables)
    return done, pl.read_parquet(folder / "out.parquet")


def test_without_a_model_the_metric_is_absent_and_it_is_said_how_to_get_it(folder: Path) -> None:
    done, found = judge(folder, "prediction")
    assert done.returncode == 0, done.stderr
    assert "SP-CSI is not computed: name a model with --embedding-model DIR|NAME" in done.stderr
    assert "sentence-transformers/all-mpnet-base-v2" in done.stderr
    assert "|models:none|" in done.stdout
    assert "sp_csi" not in found.columns
    assert found["hp_csi"].to_list() == [1, 1, 0, 0, 0]


def test_with_a_model_the_signature_names_its_revision(folder: Path) -> None:
    done, found = judge(folder, "prediction", "--embedding-model", "sentences")
    assert done.returncode == 0, done.stderr
    assert "SP-CSI" in done.stdout
    assert "|model-embedding:sentences#" in done.stdout
    assert found["hp_csi"].to_list() == [1, 1, 0, 0, 0]
    assert all(sp >= hp for sp, hp in found.select("sp_csi", "hp_csi").iter_rows())
    assert 1 < found["sp_csi"][1] < 2


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nowhere/at-all", "is not on this disk and cannot be had from the Hugging Face hub"),
        ("./nowhere", "there is no model folder nowhere"),
        ("release", "is not a folder of a transformers model"),
    ],
)
def test_a_model_that_is_missing_is_an_error_and_the_other_metrics_are_there(
    folder: Path, model: str, said: str
) -> None:
    done, found = judge(folder, "prediction", "--embedding-model", model)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert said in done.stderr
    assert "SP-CSI is not computed; the other metrics are" in done.stderr
    assert "|models:none|" in done.stdout
    assert found["hp_csi"].to_list() == [1, 1, 0, 0, 0]


def test_without_the_extra_the_install_line_is_named_and_the_other_metrics_are_there(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    shutil.copytree(folder / "sentences", tmp_path / "others")  # of which no vector is stored
    done, judged = judge(folder, "prediction", "--embedding-model", tmp_path / "others")
    assert done.returncode == 2
    assert "pip install 'folkways[neural]'" in done.stderr
    assert judged["hp_csi"].to_list() == [1, 1, 0, 0, 0]


def test_options_of_no_use_are_said_and_wrong_ones_are_errors(folder: Path) -> None:
    done, _ = judge(folder, "identification", "--embedding-model", "sentences", "--bert-model", "zh=bert")
    assert done.returncode == 0
    assert "--embedding-model does not apply to xcr/identification" in done.stderr
    assert "--bert-model zh= does not apply to xcr/identification" in done.stderr
    for option, said in (("fr=bert", "valid: ar, bn, en, multi, zh"), ("bert", "LANG=DIR|NAME")):
        done, _ = judge(folder, "adaptation", "--bert-model", option)
        assert done.returncode == 2
        assert said in done.stderr
    done, _ = judge(folder, "prediction", "--embedding-model", "sentences", "--precision", "fp8")
    assert done.returncode == 2
    assert "valid: bf16, fp16, fp32" in done.stderr


def test_a_run_keeps_its_models_and_scoring_takes_others(folder: Path) -> None:
    items = get_task("xcr/adaptation").items(xcr_release(folder / "release"))["item"]
    reply = json.dumps(["the tea <CSI> at </CSI>", "x <CSI> y </CSI>", "Label"])
    lines = [json.dumps({"task": "xcr/adaptation", "item": item, "response": reply}) for item in items]
    (folder / "replay.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = (
        "run",
        "xcr/adaptation",
        "--release",
        "release",
        "--model",
        "replay:replay.jsonl",
        "--workspace",
        "w.db",
    )
    missing = run(folder, *asked, "--bert-model", "en=nowhere/at-all")
    assert missing.returncode == 2
    assert not (folder / "w.db").exists()  # found out before anything is asked
    assert run(folder, *asked, "--embedding-model", "sentences").returncode == 2
    done = run(folder, *asked, "--bert-model", "en=bert", "--name", "first")
    assert done.returncode == 0, done.stderr
    assert "CSI_bert, in English" in done.stdout
    scored = run(
        folder, "score", "first", "--workspace", "w.db", "--profile", "strict", "--out", "scores.csv"
    )
    assert scored.returncode == 0, scored.stderr
    signatures = pl.read_csv(folder / "scores.csv").filter(profile="strict")["signature"].unique().to_list()
    assert signatures
    assert all("|model-bert-en:bert#" in text and "|model-bert-zh:none|" in text for text in signatures)
    gone = run(
        folder, "score", "first", "--workspace", "w.db", "--bert-model", "en=./gone", "--out", "gone.csv"
    )
    assert gone.returncode == 2
    assert "there is no model folder gone" in gone.stderr
    left = pl.read_csv(folder / "gone.csv").filter(profile="paper")
    assert "csi_edit_intra" in left["metric"].to_list()
    assert "csi_bert_intra" not in left["metric"].to_list()
