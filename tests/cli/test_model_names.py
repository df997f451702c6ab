"""What any command or file calls a model of a run, every command that takes a model understands."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import folkways as library
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.cli.main import cli
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.names import plain_names, short_endpoints
from folkways.runs.judging.replies import shares_of
from folkways.runs.results.find_models import find_models
from folkways.runs.results.model_names import choose_models, model_names, stored_model
from folkways.runs.submitting import model_to_submit
from folkways.runs.work import models_of
from folkways.workspace import run_records
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways

OF_A_RUN = {"export eval-results", "gate", "judge-by-model", "studio draw", "submit", "work"}
OF_OTHERS = {
    *("build csi", "build topics", "estimate", "plan", "probe", "run"),  # a model to ask
    *(
        "judge",
        "published",
        "studio",
        "studio create-study",
    ),  # a model of a file, or a part of a published name
}


@dataclass(frozen=True)
class NamedRun:
    """A run of several models, and the files that were made of it."""

    run: library.Run
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "w.db"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NamedRun]:
    """Two models of one server, one of them asked in two ways; replies from a file; a baseline."""
    folder = tmp_path_factory.mktemp("names")
    replies = folder / "llama-3.recorded.jsonl"
    items = get_task("demo/saq").items(open_release("demo"))["item"].unique()
    replies.write_text("".join(f'{{"item": "{item}", "response": "rice"}}\n' for item in items), "utf-8")
    with ChatServer(mode="word") as server:
        address = f"{server.url}/v1#"
        models = [f"{address}org/scripted", f"{address}org/scripted?temperature=1", f"{address}lab/other"]
        run = library.run(
            ["demo/saq"],
            [*models, f"replay:{replies}", "baseline/random"],
            workspace=folder / "w.db",
            name="named",
            limit=6,
        )
        run.report(folder / "report", ("md", "csv", "parquet"))
        for kind in ("hub", "inspect", "every-eval-ever"):
            done = folkways("export", kind, "named", "-w", folder / "w.db", "--out", folder / kind)
            assert done.returncode == 0, done.stderr
        yield NamedRun(run, folder)


def read_names(asked: NamedRun) -> dict[str, set[str]]:
    """Kind of file -> what it calls the models."""
    report, hub = asked.folder / "report", asked.folder / "hub"
    logs = [zipfile.ZipFile(path).read("header.json") for path in (asked.folder / "inspect").glob("*.eval")]
    records = (asked.folder / "every-eval-ever").rglob("*.json")
    return {
        "report, scores": {*pl.read_parquet(report / "scores.parquet")["model"]},
        "report, judgements": {*pl.read_csv(report / "judgements.csv")["model"]},
        "hub": {*pl.read_parquet(hub / "scores" / "test-00000.parquet")["model"]},
        "inspect": {json.loads(log)["eval"]["model"] for log in logs},
        "every-eval-ever": {json.loads(path.read_bytes())["model_info"]["id"] for path in records},
    }


def test_files_have_one_name_for_each_model_and_no_address(asked: NamedRun) -> None:
    named = model_names(asked.run.models)
    assert [*named.values()] == [
        "org/scripted",
        "org/scripted?temperature=1",
        "lab/other",
        "unknown/llama-3.recorded",
        "baseline/random",
    ]
    models = {*named.values()} - {"baseline/random"}
    names = read_names(asked)
    assert names["report, scores"] >= models and names["report, judgements"] == {*named.values()}
    assert names["hub"] >= models and names["inspect"] == models
    assert names["every-eval-ever"] == models - {
        "org/scripted?temperature=1"
    }  # whose id is an address on a hub
    scores = pl.read_parquet(asked.folder / "report" / "scores.parquet")
    assert {*scores.select("endpoint", "model").rows()} >= {*named.items()}
    written = folkways("score", "named", "-w", asked.workspace, "--out", asked.folder / "scores.csv")
    assert written.returncode == 0
    assert {*pl.read_csv(asked.folder / "scores.csv")["model"]} >= models


def test_every_printed_name_finds_its_model_everywhere(asked: NamedRun) -> None:
    run, endpoints = asked.run, asked.run.models
    record = run_records.find_run(run.workspace, "named")
    for endpoint in endpoints:
        printed = {endpoint, model_names(endpoints)[endpoint], plain_names(endpoints)[endpoint]}
        printed |= {short_endpoints(tuple(endpoints))[endpoint]}
        for name in printed:
            assert choose_models([name], endpoints, "named") == [endpoint]
            assert [found.endpoint for found in find_models(run.workspace, [name], ["named"])] == [endpoint]
            assert [found.endpoint for found in find_models(run.workspace, [f"{name}@named"])] == [endpoint]
            assert {*run.scores(model=name)["endpoint"]} == {endpoint}
            assert model_to_submit(run.workspace, record, ["demo/saq"], name) == endpoint
            assert {share.endpoint for share in shares_of(run.workspace, record, None, None, [name])} == {
                endpoint
            }
            (opened,) = models_of(run.workspace, record, [name], 1.0)
            assert opened.name == endpoint
            gate = folkways("gate", "named", "-w", asked.workspace, "--min", "demo/saq=0", "--model", name)
            assert gate.returncode == 0 and endpoint.rpartition("/")[2] in gate.stdout, (name, gate.stdout)


def test_exports_take_the_names_that_they_write(asked: NamedRun, tmp_path: Path) -> None:
    endpoints = [endpoint for endpoint in asked.run.models if not endpoint.startswith("baseline/")]
    for endpoint in endpoints:
        out = tmp_path / str(endpoints.index(endpoint))
        options = ("--dataset", "lab/demo", "--incomplete", "--out", out)
        name = model_names(asked.run.models)[endpoint]
        done = folkways("export", "eval-results", "named", "-w", asked.workspace, "--model", name, *options)
        assert done.returncode == 0, done.stderr
        assert [*out.glob("*/*")] == [out / stored_model(endpoint).id]


def test_no_command_has_a_model_of_a_run_that_is_not_tried_here() -> None:
    def of(group: click.Command, context: click.Context, path: str) -> Iterator[str]:
        if isinstance(group, click.Group):
            for name in group.list_commands(context):
                command = group.get_command(context, name)
                assert command is not None
                yield from of(command, click.Context(command, parent=context), f"{path} {name}".strip())
        if any({"--model", "--models"} & {*option.opts} for option in group.params):
            yield path

    assert {*of(cli, click.Context(cli), "")} == OF_A_RUN | OF_OTHERS


ADDRESSES = st.sampled_from(
    [
        "http://a:1/v1#org/m",
        "http://b:2/v1#org/m",
        "openai/m",
        "hf/org/m@v1",
        "hf/org/m@v2",
        "ollama/m",
        "replay:x/m.csv",
    ]
)
SETTINGS = st.sampled_from(["", "?temperature=1", "?temperature=0&top_p=0.5"])
ENDPOINTS = st.lists(st.builds(str.__add__, ADDRESSES, SETTINGS), min_size=1, unique=True)


@given(ENDPOINTS, st.data())
def test_names_in_files_are_unique_and_lead_back_also_from_a_part_of_the_run(
    endpoints: list[str], data: st.DataObject
) -> None:
    named = model_names(endpoints)
    assert len({*named.values()}) == len(endpoints) and not any("://" in name for name in named.values())
    part = data.draw(st.lists(st.sampled_from(endpoints), min_size=1, unique=True))
    names = [named[endpoint] for endpoint in part]
    assert choose_models(names, endpoints, "r") == choose_models(names, part, "r") == part


def test_a_name_of_several_is_refused_with_all_of_them() -> None:
    two = ["http://a:1/v1#org/m", "http://b:2/v1#org/m"]
    with pytest.raises(
        FolkwaysError, match=r"'org/m' of run r stands for several; say which: http://a.*http://b"
    ):
        choose_models(["org/m"], two, "r")
    with pytest.raises(UnknownNameError, match=r"unknown model of run r: 'org/n'\nvalid: org/m#"):
        choose_models(["org/n"], two, "r")
    assert choose_models(["m", "org/m"], two[:1], "r") == two[:1]
    warm = "http://a:1/v1#org/m?temperature=1"
    for name in ("m", "org/m", "m?temperature=1", "org/m?temperature=1"):  # exports have the second as an id
        assert choose_models([name], [warm, "openai/n"], "r") == [warm]
