"""A whole run of a real model in a GGUF file: what its signature tells, and what a crash of llama.cpp leaves
behind."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from folkways.api import load_run, run
from folkways.endpoints.gguf.file import checksum
from folkways.runs.results.compare import compare
from tests.support.gguf_file import real_model


@pytest.fixture
def model(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return real_model()


def test_the_signature_names_the_file_and_how_it_ran(tmp_path, model):
    workspace = tmp_path / "w.db"
    models, short = ["gguf/smollm2", "baseline/first"], {"max_tokens": 2}
    scores = run("demo/mcq", models=models, limit=4, settings=short, workspace=workspace).scores()
    (signature,) = set(scores.filter(endpoint="gguf/smollm2")["signature"])
    assert f"|served:{model.name} sha256:{checksum(model)} threads=" in signature
    assert " slots=4 template=own xllamacpp=" in signature
    assert not any("served" in text for text in scores.filter(endpoint="baseline/first")["signature"])
    (found,) = compare("gguf/smollm2", "baseline/first", workspace=workspace)
    assert not any("served" in note for note in found.notes)


@pytest.mark.nightly
def test_a_crash_of_llama_cpp_loses_no_reply_and_the_same_run_goes_on(tmp_path, model):
    workspace, killed = tmp_path / "w.db", []

    def kill_after_the_first_replies(counts) -> None:
        if counts[0].done and not killed:
            for child in psutil.Process().children():
                if "child.py" in " ".join(child.cmdline()):
                    child.kill()
                    killed.append(child.pid)

    asked = {"models": "gguf/smollm2", "workspace": workspace, "name": "one", "limit": 4}
    first = run("demo/true-false", **asked, observer=kill_after_the_first_replies, every=0.02)
    assert len(killed) == 1
    assert first.record.state == "stopped"
    assert "ended while it was asked" in first.record.reason
    states = load_run("one", workspace).responses()["state"].to_list()
    assert 0 < states.count("answered") < len(states)
    again = run("demo/true-false", **asked)
    assert again.record.state == "finished"
    assert set(again.responses()["state"]) == {"answered"}
