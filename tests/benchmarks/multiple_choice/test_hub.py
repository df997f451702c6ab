"""The four benchmarks from the hub to a report: fetched by their records, checked, asked and scored by the
commands of a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import folkways as library
from folkways.releases.registry import get_record
from folkways.releases.stored_releases import locate
from tests.support.command_line import environment, folkways
from tests.support.hub_benchmarks import (
    include_rows,
    mmlu_rows,
    normad_rows,
    piqa_rows,
    write_delimited,
    write_parquet,
)
from tests.support.hub_server import HubServer, commit_of

NAMES = ("global-mmlu-lite", "include-lite", "global-piqa", "normad")


class FetchedReleases(NamedTuple):
    hub: HubServer
    home: Path
    env: dict[str, str]
    requests: list[str]
    """Paths of the first fetch."""


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FetchedReleases]:
    """A folder in which the four releases were fetched from a hub that has every file of their records."""
    root = tmp_path_factory.mktemp("published")
    for name in NAMES:
        record = get_record(name)
        repository = root / record.repository
        for entry in record.files:
            part = entry.remote.split("/")[0]
            if name == "global-mmlu-lite":
                write_parquet(repository, entry.remote, mmlu_rows(part))
            elif name == "include-lite":
                write_parquet(repository, entry.remote, include_rows(part, choices=True))
            elif name == "global-piqa":
                write_delimited(
                    repository,
                    entry.remote,
                    piqa_rows(Path(entry.remote).stem.removeprefix("nonparallel_")),
                    "\t",
                )
            else:
                write_delimited(repository, entry.remote, normad_rows())
    home = tmp_path_factory.mktemp("home")
    with HubServer(root) as hub:
        env = environment(HF_ENDPOINT=hub.url, FOLKWAYS_DATA=str(home / "data"))
        fetched = folkways("data", "fetch", *NAMES, cwd=home, env=env)
        assert fetched.returncode == 0, fetched.stderr
        yield FetchedReleases(hub, home, env, [entry["path"] for entry in hub.log()])


def provenance(fetched: FetchedReleases, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (fetched.home / "data" / get_record(name).name / "release.json").read_text(encoding="utf-8")
    )
    return found


def test_a_pinned_release_is_asked_for_at_its_commit(fetched: FetchedReleases) -> None:
    for name in ("global-mmlu-lite", "global-piqa", "normad"):
        record = get_record(name)
        assert len(record.revision) == 40
        asked = [
            path for path in fetched.requests if f"{record.repository}/resolve/{record.revision}/" in path
        ]
        assert len(asked) == len(record.files)
        assert provenance(fetched, name)["revision"] == record.revision


def test_a_branch_is_noted_by_the_commit_that_it_pointed_to(
    fetched: FetchedReleases, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = provenance(fetched, "include-lite")
    assert told["revision"] == commit_of("main")
    files: dict[str, dict[str, str]] = told["files"]  # type: ignore[assignment]
    assert len(files) == 44
    assert all(
        f"/resolve/{commit_of('main')}/" in stored["origin"] and stored["proof"] == "host"
        for stored in files.values()
    )
    monkeypatch.setenv("FOLKWAYS_DATA", fetched.env["FOLKWAYS_DATA"])
    here = locate("include-lite")
    assert (here.name, here.record.revision, here.verified) == ("include-lite@main", commit_of("main"), True)


def test_what_is_missing_of_a_branch_comes_from_the_same_commit_and_so_does_all_anew(
    fetched: FetchedReleases,
) -> None:
    (fetched.home / "data" / "include-lite@main" / "Greek" / "test-00000-of-00001.parquet").unlink()
    fetched.hub.control(forget=True)
    assert folkways("data", "fetch", "include-lite", cwd=fetched.home, env=fetched.env).returncode == 0
    (again,) = [entry["path"] for entry in fetched.hub.log()]
    assert f"/resolve/{commit_of('main')}/Greek/" in again
    fetched.hub.control(forget=True)
    assert (
        folkways("data", "fetch", "include-lite", "--force", cwd=fetched.home, env=fetched.env).returncode
        == 0
    )
    anew = [entry["path"] for entry in fetched.hub.log()]
    assert len(anew) == 44 and all(f"/resolve/{commit_of('main')}/" in path for path in anew)


def test_check_ask_and_score(fetched: FetchedReleases) -> None:
    odd = {
        "global-mmlu-lite": "kind-count: 23",
        "include-lite": "Nothing odd",
        "global-piqa": "variety-count: 136",
        "normad": "story-count",
    }
    for name in NAMES:
        checked = folkways("data", "check", name, cwd=fetched.home, env=fetched.env)
        assert checked.returncode == 0 and odd[name] in checked.stdout, checked.stderr
    done = folkways(
        *(
            "run",
            "global-mmlu-lite",
            "include",
            "global-piqa",
            "normad",
            "--release",
            "include=include-lite",
            "--limit",
            "12",
        ),
        *("--model", "baseline/random", "--name", "four"),
        cwd=fetched.home,
        env=fetched.env,
    )
    assert done.returncode == 0, done.stderr
    for title in ("Global-MMLU-Lite", "INCLUDE", "Global PIQA", "NormAd-Eti"):
        assert title in done.stdout
    assert "6.5 % of MMLU" in done.stdout + done.stderr


def test_check_and_results_name_the_commit_and_the_checksum_of_a_branch(
    fetched: FetchedReleases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = commit_of("main")
    here: dict[str, Any] = {"cwd": tmp_path, "env": fetched.env}
    checked = json.loads(folkways("data", "check", "include-lite", "--json", **here).stdout)
    assert checked["revision"] == commit
    words = folkways("data", "check", "include-lite", **here).stdout
    assert f"main at {commit}, fingerprint {checked['fingerprint']}" in words
    assert "the newest: folkways data fetch include-lite@main --revision main" in words
    assert "--revision" not in folkways("data", "check", "normad", **here).stdout
    monkeypatch.setenv("FOLKWAYS_DATA", fetched.env["FOLKWAYS_DATA"])
    run = library.run(
        "include", letter, releases="include=include-lite", limit=44, workspace=tmp_path / "w.db"
    )
    assert f"include-lite@main#{checked['fingerprint']}" in run.signature
    run.report(tmp_path, ("md", "latex"))
    assert f"CohereLabs/include-lite-44 at `{commit[:12]}`" in (tmp_path / "report.md").read_text("utf-8")
    assert f"release include-lite@main at {commit[:12]}," in (tmp_path / "report.tex").read_text("utf-8")
    for kind, options in (("every-eval-ever", ()), ("hub", ()), ("eval-results", ("--incomplete",))):
        done = folkways(
            "export", kind, "last", "-w", tmp_path / "w.db", "--out", tmp_path / kind, *options, **here
        )
        assert done.returncode == 0, done.stderr
    (record,) = (tmp_path / "every-eval-ever").rglob("*-*.json")
    sources = [result["source_data"] for result in json.loads(record.read_bytes())["evaluation_results"]]
    assert {source["additional_details"]["revision"] for source in sources} == {commit}
    assert f"**include-lite@main** at `{commit}`" in (tmp_path / "hub" / "README.md").read_text("utf-8")
    (entries,) = (tmp_path / "eval-results").rglob("*.yaml")
    assert [entry["dataset"]["revision"] for entry in yaml.safe_load(entries.read_text("utf-8"))] == [commit]
    # Another state is no longer what the run asked, and what it asked can be had again.
    take_main = ("data", "fetch", "include-lite", "--revision", "main")
    publish_greek(fetched, include_rows("Greek", choices=True)[:1])
    fetched.hub.control(commits={"main": commit_of("newer")})
    try:
        assert folkways(*take_main, **here).returncode == 0
        scored = folkways("score", "last", "-w", tmp_path / "w.db", **here)
        assert (
            scored.returncode == 2 and f"data fetch include-lite@main --revision {commit})" in scored.stderr
        )
    finally:  # the folder is that of the other tests
        publish_greek(fetched, include_rows("Greek", choices=True))
        fetched.hub.control(commits={})
        assert folkways(*take_main, **here).returncode == 0


def publish_greek(fetched: FetchedReleases, rows: list[dict[str, object]]) -> None:
    """Put another file of include-lite in the place of the one that the hub has."""
    repository = fetched.hub.root / get_record("include-lite").repository
    write_parquet(repository, "Greek/test-00000-of-00001.parquet", rows)


def letter(prompt: str) -> str:
    """A model that says the same of everything."""
    return "A"
