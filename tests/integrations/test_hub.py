"""A run on the Hugging Face hub: files that others read, pushed by the hub's own client to a server that
speaks its protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import huggingface_hub
import pandas as pd
import polars as pl
import pytest
import yaml

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError
from folkways.integrations.hub.eval_results import HubAddresses, HubExport
from folkways.releases.cards import hub_licence, size_category
from folkways.releases.registry import get_record
from folkways.releases.release_records import ReleaseRecord
from tests.support.blend_data import write_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, environment, folkways
from tests.support.hub_benchmarks import normad_rows, write_delimited
from tests.support.hub_server import HubServer
from tests.support.hub_uploads import front_matter

KINDS = {"rubbish": 0.15, "length": 0.1, "refusal": 0.1, "400": 0.15}
HOSTILE = "I\u202e do\nnot | </script>`know` \x1b[31m"
TOKEN = "hf_writes"  # one that the server takes


@dataclass(frozen=True)
class Run:
    """A run's workspace and the server that its first model was asked at."""

    workspace: Path
    url: str

    def export(self, what: str, out: Path, *arguments: object, env: dict[str, str] | None = None) -> Done:
        return folkways("export", what, "last", "-w", self.workspace, "--out", out, *arguments, env=env)

    @property
    def whole(self) -> str:
        return f"{self.url}/v1#org/whole"


@pytest.fixture(scope="module")
def faulty_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Two tasks of the demo: a model that always answers, one of the same name that often fails, and a
    baseline that is asked."""
    folder = tmp_path_factory.mktemp("mixed")
    with (
        ChatServer(mode="letter") as good,
        ChatServer(mode=f"fixed:{HOSTILE}", faults={"chances": KINDS, "seed": 3}) as bad,
    ):
        models = (
            "-m",
            f"{good.url}/v1#org/whole",
            "-m",
            f"{bad.url}/v1#org/whole?temperature=1",
            "-m",
            "baseline/random",
        )
        done = folkways("run", "demo/mcq", "demo/true-false", *models, "-w", folder / "w.db", "--attempts", 1)
        assert done.returncode in (0, 1), done.stderr
        yield Run(folder / "w.db", good.url)


@pytest.fixture(scope="module")
def data_set(faulty_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data set") / "out"
    done = faulty_run.export("hub", out)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return out


def configurations(folder: Path) -> dict[str, pl.DataFrame]:
    """Each configuration that the card names, read by its glob with two readers that have to agree."""
    found = {}
    for entry in front_matter((folder / "README.md").read_text(encoding="utf-8"))["configs"]:
        ((path,),) = ([each["path"] for each in entry["data_files"]],)
        frame = found[entry["config_name"]] = pl.read_parquet(folder / path)
        others = pd.concat([pd.read_parquet(file) for file in sorted(folder.glob(path))])
        assert (list(others.columns), len(others)) == (frame.columns, frame.height)
    return found


def texts_in(folder: Path) -> str:
    """Everything in a folder that is text: the card and every cell."""
    cells = [
        str(value) for frame in configurations(folder).values() for row in frame.iter_rows() for value in row
    ]
    return "\n".join([*cells, (folder / "README.md").read_text(encoding="utf-8")])


def test_the_judgements_come_to_the_scores(data_set: Path, faulty_run: Run, tmp_path: Path) -> None:
    told = configurations(data_set)
    assert [*told] == ["scores", "demo_mcq", "demo_true-false"]
    assert (
        folkways("score", "last", "-w", faulty_run.workspace, "--out", tmp_path / "scores.parquet").returncode
        == 0
    )
    known = pl.read_parquet(tmp_path / "scores.parquet")
    shared = [
        "task",
        "profile",
        "metric",
        "facet",
        "value",
        "score",
        "low",
        "high",
        "n",
        "failed",
        "signature",
    ]
    models = told["scores"].filter(subject="model").select(shared)
    assert models.equals(known.filter(~pl.col("endpoint").str.starts_with("baseline/")).select(shared))
    judged = (
        told["demo_mcq"]
        .filter(pl.col("counted"))
        .group_by("model")
        .agg(100 * pl.col("correct").mean(), n=pl.len())
    )
    scores = told["scores"].filter(facet="all", task="demo/mcq")
    for model, mean, n in judged.iter_rows():
        ((score, of),) = scores.filter(model=model).select("score", "n").rows()
        assert (mean, n) == (pytest.approx(score), of)


def test_rows_tell_what_was_asked_and_said_and_nobodys_address(data_set: Path) -> None:
    rows = configurations(data_set)["demo_mcq"]
    assert set(rows["model"]) == {"org/whole", "org/whole?temperature=1", "baseline/random"}
    said = rows.filter(model="org/whole?temperature=1")
    assert {"answered", "refused", "unreadable", "failed"} & set(said["state"]) >= {"failed", "refused"}
    assert HOSTILE in set(said["response"]), "what a model said is told exactly"
    assert said.filter(state="failed")["reason"].str.contains("HOST").any()
    assert rows["user"].is_not_null().all() and rows["gold"].is_not_null().all()
    assert "127.0.0.1" not in texts_in(data_set)


def test_the_card_tells_scores_licence_and_how_to_ask_the_same(data_set: Path, tmp_path: Path) -> None:
    text = (data_set / "README.md").read_text(encoding="utf-8")
    front = front_matter(text)
    assert (front["license"], front["size_categories"]) == (["apache-2.0"], ["n<1K"])
    assert {"folkways", "demo"} <= set(front["tags"]) and "en" in front["language"]
    ((score, low, high),) = (
        configurations(data_set)["scores"]
        .filter(facet="all", task="demo/mcq", metric="correct", model="org/whole")
        .select("score", "low", "high")
        .rows()
    )
    assert f"| org/whole | {score:.1f} | {low:.1f} to {high:.1f} | 18 |" in text
    assert "Not everything has a reply" in text and "task:demo/mcq|data:demo@1#" in text
    assert "```bibtex\n@" in text
    recipe = text.split("```toml\n")[1].split("```")[0]
    (tmp_path / "recipe.toml").write_text(recipe.replace("org/whole", "baseline/first"))
    again = folkways("plan", tmp_path / "recipe.toml", "-w", tmp_path / "w.db")
    assert again.returncode == 0, again.stderr


def test_the_same_run_gives_the_same_files_and_old_ones_go(
    faulty_run: Run, data_set: Path, tmp_path: Path
) -> None:
    (tmp_path / "demo_mcq").mkdir()
    (tmp_path / "demo_mcq" / "test-00007.parquet").write_bytes(b"of a longer run")
    assert faulty_run.export("hub", tmp_path).returncode == 0
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (data_set, tmp_path)
    )
    assert first == second


def test_somebody_elses_readme_stays(faulty_run: Run, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    done = faulty_run.export("hub", tmp_path)
    assert done.returncode == 2 and "name another folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_items_that_a_licence_forbids_stay_here(shared: Path, tmp_path: Path) -> None:
    release = shared / "data" / "xcr"
    asked = ("xcr/identification", "--release", release, "--limit", 12)
    with ChatServer(mode="fixed:<CSI> tea </CSI> I repeat the sentence") as server:
        done = folkways("run", *asked, "-m", f"{server.url}/v1#tiny", "-w", tmp_path / "w.db")
        assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    done = Run(tmp_path / "w.db", "").export("hub", out, "--items")
    assert (
        done.returncode == 0
        and "ids and verdicts alone of xcr@9904292" in done.stderr
        and "CC-BY-NC-ND-4.0" in done.stderr
    )
    rows = configurations(out)["xcr_identification"]
    assert rows.height == 12 and not {"text", "gold", "user", "response", "answer", "reason"} & set(
        rows.columns
    )
    text = texts_in(out)
    items = get_task("xcr/identification").items(open_release(str(release), "xcr"))
    asked_of = items.filter(pl.col("item").is_in(rows["item"].implode()))
    assert asked_of.height == 12 and not [sentence for sentence in asked_of["text"] if sentence in text]
    assert "I repeat the sentence" not in text
    assert "(licence: CC-BY-NC-ND-4.0) are not to be passed on. Ids lead" in text and front_matter(
        text[text.index("---\n") :]
    )["license"] == ["unknown"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """BLEnD in miniature, of a folder: no known licence, and no data set of the hub."""
    folder = tmp_path_factory.mktemp("people")
    release = write_release(folder / "blend")
    with ChatServer(mode="fixed:coffee") as server:
        model = f"{server.url}/v1#org/tiny"
        asked = ("blend/saq", "-m", model, "--release", release, "--cultures", "US,KR")
        done = folkways("run", *asked, "-w", folder / "w.db")
        assert done.returncode == 0, done.stderr
    return Run(folder / "w.db", "")


def test_items_of_an_unknown_licence_leave_only_where_the_user_says_so(people: Run, tmp_path: Path) -> None:
    done = people.export("hub", tmp_path / "out")
    assert done.returncode == 0 and "with --items you say" in done.stderr
    text = texts_in(tmp_path / "out")
    assert "are not here, because nobody has said what its licence is. Ids lead" in text
    assert "What do people drink in the US?" not in text
    done = people.export("hub", tmp_path / "out", "--items")
    assert done.returncode == 0 and not done.stderr
    text = texts_in(tmp_path / "out")
    assert (
        "What do people drink in the US?" in text
        and "**Not the whole benchmark**: 24 of the 40 rows that the task asks by default; nothing about the "
        "culture Spain"
        in text
    )
    assert str(people.workspace.parent) not in text


def entries(path: Path) -> list[huggingface_hub.EvalResultEntry]:
    """What the hub's own reader makes of a file."""
    return huggingface_hub.parse_eval_result_entries(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_complete_scores_are_written_as_the_hub_reads_them(
    faulty_run: Run, data_set: Path, tmp_path: Path
) -> None:
    source = "https://huggingface.co/datasets/me/judgements"
    done = faulty_run.export(
        "eval-results", tmp_path, "--model", faulty_run.whole, "--dataset", "demo=me/demo", "--source", source
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    (path,) = tmp_path.rglob("*.yaml")
    assert path.relative_to(tmp_path) == Path("org/whole/.eval_results/folkways_demo.yaml")
    choice, truth = entries(path)
    scores = configurations(data_set)["scores"].filter(
        facet="all", task="demo/mcq", metric="correct", model="org/whole"
    )
    ((score, low, high, signature),) = scores.select("score", "low", "high", "signature").rows()
    assert (choice.dataset_id, choice.task_id, truth.task_id) == ("me/demo", "mcq", "true-false")
    assert (choice.value, choice.source_url, choice.dataset_revision) == (round(score, 2), source, None)
    assert isinstance(choice.date, str) and choice.date.endswith("Z")
    assert (
        choice.notes is not None
        and f"interval {low:.2f} to {high:.2f}" in choice.notes
        and signature in choice.notes
    )
    assert huggingface_hub.eval_result_entries_to_yaml([choice, truth]) == yaml.safe_load(path.read_text())


def test_what_is_incomplete_is_written_on_demand_and_says_so(
    faulty_run: Run, people: Run, tmp_path: Path
) -> None:
    for pair in ("=easy", "demo/mcq="):
        half = faulty_run.export("eval-results", tmp_path, "--dataset", "me/demo", "--task-id", pair)
        assert half.returncode == 2 and "--task-id takes TASK=ID" in half.stderr
    failing = faulty_run.export("eval-results", tmp_path, "--dataset", "me/demo")
    assert failing.returncode == 2 and "are the same model" in failing.stderr
    name = failing.stderr.split("are the same model")[0].split("error: ")[1].split(", ")[1].strip()
    failing = faulty_run.export(
        "eval-results", tmp_path, "--dataset", "me/demo", "--model", name, "--tasks", "demo/mcq"
    )
    assert (
        failing.returncode == 2
        and "of 18 items without a reply" in failing.stderr
        and "--incomplete" in failing.stderr
    )
    part = people.export("eval-results", tmp_path, "--dataset", "me/blend")
    assert (
        part.returncode == 2
        and "24 of the 40 rows that the task asks by default; nothing about the culture Spain" in part.stderr
    )
    assert not [*tmp_path.iterdir()]
    assert people.export("eval-results", tmp_path, "--dataset", "me/blend", "--incomplete").returncode == 0
    (path,) = tmp_path.rglob("*.yaml")
    (entry,) = entries(path)
    lacking = "incomplete: 24 of the 40 rows that the task asks by default; incomplete: nothing about the culture Spain"
    assert entry.notes is not None and lacking in entry.notes
    nowhere = people.export("eval-results", tmp_path, "--incomplete")
    assert nowhere.returncode == 2 and "--dataset blend=OWNER/NAME" in nowhere.stderr


def test_one_data_set_is_never_that_of_two_benchmarks_nor_in_place_of_the_releases_own() -> None:
    @dataclass(frozen=True)
    class Records:
        def record(self, task: str) -> ReleaseRecord:
            demo = get_record(get_task("demo/mcq").release)
            return (
                replace(demo, source="hub", repository="org/released") if task.startswith("include") else demo
            )

    def export(**data_sets: str) -> HubExport:
        named = {"*" if name == "any" else name: value for name, value in data_sets.items()}
        return HubExport(Records(), HubAddresses(data_sets=named), incomplete=False)  # type: ignore[arg-type]

    with pytest.raises(
        FolkwaysError, match=r"cannot be the data set of both demo and blend; .*--dataset blend=OWNER/NAME"
    ):
        export(any="me/demo").check_data_set(["demo/mcq", "blend/saq", "demo/saq", "include/mcq"])
    export(any="me/demo", blend="me/blend").check_data_set(["demo/mcq", "blend/saq", "include/mcq"])
    assert export(any="me/demo").data_set("include/mcq") == "org/released"
    assert export(any="me/demo").data_set("demo/mcq") == "me/demo"
    assert export(include="me/copy").data_set("include/mcq") == "me/copy"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubServer]:
    """The hub, with the model org/whole and somebody's data set org/data; large files go by LFS, which the
    server speaks."""
    root = tmp_path_factory.mktemp("hub")
    (root / "models" / "org" / "whole").mkdir(parents=True)
    (root / "org" / "data").mkdir(parents=True)
    (root / "org" / "data" / "facts.csv").write_text("a,b\n")
    with pytest.MonkeyPatch.context() as patch, HubServer(root) as server:
        patch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        yield server


@dataclass(frozen=True)
class Pushing:
    """Exports that are pushed from a folder to a server."""

    run: Run
    hub: HubServer
    out: Path

    def __call__(
        self, what: str, name: str, *arguments: object, token: str | None = TOKEN, endpoint: str = ""
    ) -> Done:
        """Whatever comes of it, what is said has neither the token nor a traceback in it."""
        variables = {"HF_ENDPOINT": endpoint or self.hub.url} | ({"HF_TOKEN": token} if token else {})
        done = self.run.export(what, self.out, *arguments, "--push", name, env=environment(**variables))
        said = done.stdout + done.stderr
        assert "Traceback" not in said and (token is None or token not in said)
        return done

    def refused(self, what: str, name: str, *arguments: object, **more: Any) -> str:
        """What is said of a push that is refused; nothing was pushed."""
        before = self.hub.pushed()
        done = self(what, name, *arguments, **more)
        assert done.returncode == 2 and self.hub.pushed() == before
        return done.stderr

    def results(self) -> tuple[object, ...]:
        """Arguments of scores that are complete."""
        return ("--model", self.run.whole, "--source", "https://example.org/judgements")


@pytest.fixture
def push(faulty_run: Run, hub: HubServer, tmp_path: Path) -> Pushing:
    return Pushing(faulty_run, hub, tmp_path / "out")


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_data_set_is_pushed_as_it_lies_here_private_and_once(push: Pushing) -> None:
    done = push("hub", "me/run")
    assert done.returncode == 0 and f"pushed to {push.hub.url}/datasets/me/run (private)" in done.stdout
    there = push.hub.root / "me" / "run"
    assert files_in(push.out) == {
        name: content for name, content in files_in(there).items() if name != ".gitattributes"
    }
    (there / "old").mkdir()
    (there / "old" / "test-00000.parquet").write_bytes(b"of an earlier run")
    assert "(private as before)" in push("hub", "me/run").stdout
    assert not (there / "old" / "test-00000.parquet").exists()
    before = push.hub.pushed()
    assert push("hub", "me/run").returncode == 0 and push.hub.pushed() == before, (
        "what has not changed is no commit"
    )


def test_nobody_sees_or_loses_what_they_should_not(push: Pushing) -> None:
    assert "(public)" in push("hub", "me/seen", "--public").stdout
    assert "--public" in push.refused("hub", "me/seen")
    assert "is not an exported run" in push.refused("hub", "org/data", "--public")
    assert files_in(push.hub.root / "org" / "data") == {"facts.csv": b"a,b\n"}


def test_what_the_hub_refuses_is_said_in_words(push: Pushing) -> None:
    assert "export HF_TOKEN=" in push.refused("hub", "me/new", token=None)
    assert "takes OWNER/NAME" in push.refused("hub", "new")
    assert not push.out.exists(), "what cannot be pushed is known before anything is written"
    assert "rejected the token" in push.refused("hub", "me/new", token="hf_wrong")
    assert "may not write to me/new" in push.refused("hub", "me/new", token="hf_reads")
    assert "may not write to others/new" in push.refused("hub", "others/new")
    assert "cannot be reached" in push.refused("hub", "me/new", endpoint="http://127.0.0.1:9")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "huggingface_hub", None)
        assert "pip install 'folkways[hub]'" in push.refused("hub", "me/new")
    push.hub.control(faults={"create": ["503"]})
    assert "try again later" in push.refused("hub", "me/new")
    assert (push.out / "README.md").exists(), "the files stay"


def test_scores_are_proposed_to_the_models_owner(push: Pushing) -> None:
    done = push("eval-results", "org/whole", "--dataset", "org/data", *push.results())
    *_, pull = pulls = push.hub.pushed()["pulls"]
    opened = f"opened {push.hub.url}/org/whole/discussions/{len(pulls)}"
    assert done.returncode == 0 and opened in done.stdout.splitlines()
    assert "has no visible eval.yaml" in done.stderr
    ((name, text),) = pull["files"].items()
    assert (pull["kind"], pull["name"], name) == ("models", "org/whole", ".eval_results/folkways_demo.yaml")
    assert text == (push.out / "org" / "whole" / name).read_text()


def test_a_release_of_the_hub_is_named_with_its_commit(hub: HubServer, tmp_path: Path) -> None:
    record = get_record("normad")
    (entry,) = record.files
    write_delimited(hub.root / record.repository, entry.remote, normad_rows())
    env = environment(HF_ENDPOINT=hub.url, FOLKWAYS_DATA=str(tmp_path / "data"))
    assert folkways("data", "fetch", "normad", env=env).returncode == 0
    with ChatServer(mode="fixed:yes") as server:
        done = folkways("run", "normad", "-m", f"{server.url}/v1#org/tiny", "-w", tmp_path / "w.db", env=env)
        assert done.returncode == 0, done.stderr
    assert Run(tmp_path / "w.db", "").export("eval-results", tmp_path / "out", env=env).returncode == 0
    (path,) = (tmp_path / "out").rglob("*.yaml")
    (told,) = entries(path)
    assert (told.dataset_id, told.dataset_revision, told.task_id) == (
        "akhilayerukola/NormAd",
        record.revision,
        "acceptable",
    )
    assert told.value == 50.0, "three of six stories are acceptable"


def test_scores_go_to_models_and_tasks_that_are_there(push: Pushing) -> None:
    of_data = ("--dataset", "me/bench", *push.results())
    assert "is a data set" in push.refused("eval-results", "org/data", *of_data)
    assert "no model org/none" in push.refused("eval-results", "org/none", *of_data)
    (push.hub.root / "me" / "bench").mkdir(parents=True)
    (push.hub.root / "me" / "bench" / "eval.yaml").write_text("tasks:\n- id: mcq\n")
    assert "has no task true-false\nvalid: mcq" in push.refused("eval-results", "org/whole", *of_data)
    before = len(push.hub.pushed()["pulls"])
    assert not push("eval-results", "org/whole", *of_data, "--tasks", "demo/mcq").stderr
    assert len(push.hub.pushed()["pulls"]) == before + 1


@pytest.mark.parametrize(
    ("rows", "word"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**9, "n>1B")],
)
def test_sizes_in_the_words_of_the_hub(rows: int, word: str) -> None:
    assert size_category(rows) == word


def test_licences_in_the_words_of_the_hub() -> None:
    names = {
        "CC-BY-4.0": "cc-by-4.0",
        "": "unknown",
        "NOASSERTION": "unknown",
        "LicenseRef-research-only": "other",
        "our own": "other",
    }
    assert {name: hub_licence(name) for name in names} == names
