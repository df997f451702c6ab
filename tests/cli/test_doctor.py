"""``folkways doctor``: real servers, broken packages, damaged workspaces; and nothing of the person who runs
it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from folkways import __version__
from folkways.workspace.schema import TABLES
from tests.cli.test_plugins import install
from tests.support.benchmark_packages import installed
from tests.support.command_line import environment, folkways, folkways_process
from tests.support.model_server import ModelServer

NOBODY = "http://127.0.0.1:9/v1"
"""An address at which nothing listens."""


def alone(home: Path, **more: str) -> dict[str, str]:
    """An environment in which nothing was fetched, no local server is found and the home is ``home``."""
    servers = dict.fromkeys(
        ("OLLAMA_HOST", "VLLM_BASE_URL", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL"), NOBODY
    )
    return environment(
        HOME=str(home),
        FOLKWAYS_DATA=str(home / "data"),
        XDG_CONFIG_HOME=str(home / "config"),
        **servers | more,
    )


@pytest.fixture(scope="module")
def first_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace in it that has a run, to be copied."""
    folder = tmp_path_factory.mktemp("first")
    done = folkways("run", "demo/mcq", "-m", "baseline/first", "-w", folder / "w.db")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def home(first_home: Path, tmp_path: Path) -> Path:
    """The home of somebody called ann, with a workspace in it that has a run."""
    return Path(shutil.copytree(first_home, tmp_path / "home" / "ann"))


def examined(workspace: Path | str, environment: dict[str, str], code: int = 0) -> dict[str, Any]:
    """The document."""
    done = folkways("doctor", "--json", "-w", workspace, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert bool(document["problems"]) == bool(code)
    return document


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_what_is_here_is_told_and_nothing_of_the_person(home: Path) -> None:
    secret = "sk-very-secret-4711"
    with (
        ModelServer("ollama", "tiny:latest", "small:latest") as ollama,
        ModelServer("vllm", "org/m", key="k") as vllm,
    ):
        settings = alone(
            home,
            OPENAI_API_KEY=secret,
            OLLAMA_HOST=ollama.url,
            VLLM_BASE_URL=f"http://ann:{secret}@{vllm.url[7:]}/v1",
        )
        found = examined(home / "w.db", settings)
        text = folkways_process("doctor", "-w", home / "w.db", env=settings)
    assert found["folkways"] == __version__ and found["python"].startswith("CPython 3.")
    assert found["keys"]["OPENAI_API_KEY"] is True and found["keys"]["ANTHROPIC_API_KEY"] is False
    assert found["servers"]["ollama"] == f"answers at {ollama.url}/v1 with 2 models"
    assert found["servers"]["vllm"] == f"answers at {vllm.url}/v1 with status 401"
    assert found["servers"]["llamacpp"].startswith("does not answer")
    assert found["workspace"] == {
        "place": "~/w.db",
        "state": "sound",
        "schema": TABLES.head,
        "runs": {"finished": 1},
    }
    assert found["data"]["demo@1"] == "part of folkways" and found["data"]["xcr@9904292"] == "not here"
    assert set(found["plug-ins"]["benchmarks"]) >= {"blend", "culturalbench", "demo", "xcr"}
    assert found["packages"]["needed"]["polars"] != "none" and "xllamacpp" in found["packages"]["gguf"]
    assert found["text tools"]["en"].startswith("simplemma")
    assert text.returncode == 0 and "Nothing is broken." in text.stdout
    headed = {line.partition(":")[0] for line in text.stdout.splitlines() if line[:1].strip()}
    assert headed == {*found} - {"problems"} | {"Nothing is broken."}
    for shown in (json.dumps(found), text.stdout, text.stderr):
        assert secret not in shown and str(home) not in shown and "/ann" not in shown


def test_a_key_that_was_sent_is_taken_and_not_shown(home: Path) -> None:
    with ModelServer("vllm", "org/m", key="open-sesame") as vllm:
        found = examined(
            home / "w.db", alone(home, VLLM_BASE_URL=f"{vllm.url}/v1", VLLM_API_KEY="open-sesame")
        )
    assert found["servers"]["vllm"].endswith("with 1 model")
    assert "open-sesame" not in json.dumps(found)


def test_servers_that_are_silent_or_talk_nonsense_cost_seconds(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        began = time.monotonic()
        found = examined(
            home / "w.db",
            alone(home, VLLM_BASE_URL=address, LMSTUDIO_BASE_URL=address, LLAMACPP_BASE_URL=address),
        )
        assert time.monotonic() - began < 60, "all are asked at once, for two seconds"
    assert {found["servers"][name] for name in ("vllm", "lmstudio", "llamacpp")} == {
        f"does not answer at {address}"
    }


def test_a_workspace_that_is_not_there_is_nothing_broken(home: Path) -> None:
    found = examined(home / "none.db", alone(home))
    assert found["workspace"]["state"] == "not there yet" and not (home / "none.db").exists()


def test_a_workspace_from_before_the_first_release_is_named_and_not_changed(home: Path) -> None:
    with closing(sqlite3.connect(home / "w.db")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("UPDATE alembic_version SET version_num = '0004'")
        connection.commit()
    before = digest(home / "w.db")
    found = examined(home / "w.db", alone(home), code=1)
    assert "before 0.2 (schema 0004)" in found["problems"][0]
    assert digest(home / "w.db") == before


@pytest.mark.parametrize("how", ["newer", "foreign", "text", "cut", "scribbled", "folder"])
def test_a_workspace_that_is_broken_is_a_problem(home: Path, how: str) -> None:
    path = home / "w.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        if how == "newer":
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            connection.commit()
    content = path.read_bytes()
    if how == "foreign":
        path.unlink()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
            connection.commit()
    elif how == "text":
        path.write_bytes(b"This is a letter, and no database of any kind. " * 40)
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "scribbled":
        page = 4096
        path.write_bytes(
            b"".join(
                b"\x55" * page if at >= 2 * page else content[at : at + page]
                for at in range(0, len(content), page)
            )
        )
    elif how == "folder":
        path.unlink()
        path.mkdir()
    found = examined(path, alone(home), code=1)
    assert found["workspace"]["state"] in ("cannot be read", "damaged")
    assert any("workspace" in problem and "~" in problem for problem in found["problems"])
    assert str(home) not in json.dumps(found)


FIGURES = """
from folkways.benchmarks.base import Benchmark

class Figures:
    prompts = ()

    def figures(self):
        raise ValueError("no table 3")

BENCHMARK = Benchmark("figures", "Figures", (), published=Figures())
"""
"""A package whose published figures cannot be read."""


def test_a_broken_package_and_a_broken_table_are_problems(home: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    install(packages, "their_package", "raise RuntimeError('no licence key')\n", "theirs")
    install(packages, "their_figures", FIGURES, "figures")
    own = home / "config" / "folkways" / "prices.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[elsewhere]\n")
    with installed(packages):
        found = examined(home / "w.db", alone(home), code=1)
    unread = [each for each in found["problems"] if "figures of the benchmark 'figures' are left out" in each]
    assert len(unread) == 1 and "no table 3" in unread[0]
    found["problems"].remove(unread[0])
    assert len(found["problems"]) == 2
    assert "their_package" in found["problems"][0] and "no licence key" in found["problems"][0]
    assert "~/config/folkways/prices.toml" in found["problems"][1]
    assert "theirs" not in found["plug-ins"]["benchmarks"]


def test_data_of_another_length_than_released_are_a_problem(home: Path) -> None:
    place = home / "data" / "xcr@9904292"
    place.mkdir(parents=True)
    (place / "xcr_bench_base_corpus.csv").write_text("Sentence\n")
    found = examined(home / "w.db", alone(home), code=1)
    assert found["data"]["xcr@9904292"] == "partly here"
    assert "xcr_bench_base_corpus.csv" in found["problems"][0]
    shutil.rmtree(place)
    examined(home / "w.db", alone(home))


@pytest.mark.postgres
@pytest.mark.nightly
def test_a_server_is_looked_into_and_nobody_is_named(postgres_url: str, home: Path) -> None:
    empty = examined(postgres_url, alone(home), code=1)
    assert empty["workspace"] == {"place": "a PostgreSQL server", "state": "cannot be read"}
    assert folkways("run", "demo/mcq", "-m", "baseline/first", "-w", postgres_url).returncode == 0
    found = examined(postgres_url, alone(home))
    assert found["workspace"] == {
        "place": "a PostgreSQL server",
        "state": "sound",
        "schema": TABLES.head,
        "runs": {"finished": 1},
    }
    assert "://folkways@" not in json.dumps([empty, found]) and "://nobody" not in json.dumps([empty, found])
    away = examined("postgresql://wilhelmina:open-sesame@127.0.0.1:9/w", alone(home), code=1)
    assert "open-sesame" not in json.dumps(away) and "wilhelmina" not in json.dumps(away)
    stranger = examined(postgres_url.replace("://folkways@", "://wilhelmina@"), alone(home), code=1)
    assert "wilhelmina" not in json.dumps(stranger)


@contextmanager
def refusing_postgres() -> Iterator[int]:
    """The port of a server that speaks as PostgreSQL does, and lets nobody in: it says whom."""

    class Refusing(StreamRequestHandler):
        def handle(self) -> None:
            while size := int.from_bytes(self.rfile.read(4)):
                asked = self.rfile.read(size - 4)
                if (
                    int.from_bytes(asked[:4]) == 196608
                ):  # of the protocol 3.0: the user; before it, encryption
                    break
                self.wfile.write(b"N")
            fields = b'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "ann"\0\0'
            self.wfile.write(b"E" + (len(fields) + 4).to_bytes(4) + fields)

    with ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_whom_a_server_does_not_let_in_is_not_told(home: Path) -> None:
    with refusing_postgres() as port:
        done = folkways(
            "doctor", "--json", "-w", f"postgresql://ann:secret@127.0.0.1:{port}/db", env=alone(home)
        )
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    (problem,) = document["problems"]
    assert "password authentication failed for user USER" in problem
    assert re.findall(r"secret|\bann\b", problem) == [] == re.findall("secret", done.stdout + done.stderr)
