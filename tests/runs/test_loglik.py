"""Multiple choice read by likelihood: another request and another signature, refused where it cannot be."""

from __future__ import annotations

import pytest

from folkways.api import run
from folkways.errors import FolkwaysError
from folkways.records import State
from folkways.runs.results.compare import compare
from tests.support.endpoint_requests import KEY
from tests.support.gguf_file import real_model

READ = {"settings": {"read": "loglik"}}


def test_it_is_in_the_signature_and_nothing_is_shared_with_what_was_said(tmp_path):
    workspace = tmp_path / "w.db"
    said = run("demo/mcq", models="baseline/first", workspace=workspace, name="said")
    read = run("demo/mcq", models="baseline/first", workspace=workspace, name="read", **READ)
    (one,), (other,) = (set(each.scores()["signature"]) for each in (said, read))
    assert "|settings:read=loglik|" in other
    assert one == other.replace("read=loglik", "max_tokens=64,temperature=0.0,top_p=1.0")
    (found,) = compare(
        "baseline/first@said", "baseline/first@read", runs=["said", "read"], workspace=workspace
    )
    assert any("settings" in note and "read=loglik" in note for note in found.notes)


@pytest.mark.parametrize("name", ["replay:{}", "http://127.0.0.1:9/v1#m", "openai/m"])
def test_an_endpoint_that_tells_no_likelihoods_is_refused_before_anything_is_written(
    tmp_path, monkeypatch, name
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "r.csv").write_text("item,response\nx,A\n")
    words = r"tells no likelihoods \(read=loglik\); hf/, vllm-offline/, gguf/ and llamacpp/ endpoints do"
    with pytest.raises(FolkwaysError, match=words):
        run("demo/mcq", models=name.format(tmp_path / "r.csv"), workspace=tmp_path / "w.db", **READ)
    run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db", limit=1)
    assert run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db", limit=2).name == "run-2"


def test_a_task_without_options_is_refused(tmp_path):
    with pytest.raises(FolkwaysError, match="demo/saq has no options to choose among"):
        run(["demo/mcq", "demo/saq"], models="baseline/first", workspace=tmp_path / "w.db", **READ)


def test_a_setting_that_is_no_way_of_reading(tmp_path):
    with pytest.raises(FolkwaysError, match="setting read must be loglik, or none; got 'letters'"):
        run("demo/mcq", models="baseline/first?read=letters", workspace=tmp_path / "w.db")


@pytest.mark.nightly
def test_a_real_model_is_read_without_a_word_said(tmp_path, monkeypatch):
    real_model()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    read = run("demo/mcq", models="gguf/smollm2", workspace=tmp_path / "w.db", limit=3, **READ)
    assert set(read.responses()["state"]) == {State.ANSWERED.value}
    assert set(read.judgements()["answer"]) <= {"A", "B", "C", "D"}
    assert read.scores()["coverage"].min() == 1
