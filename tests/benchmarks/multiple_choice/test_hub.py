"""The four benchmarks from the hub to a report: fetched by their records, checked, asked and scored by the
commands of a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from folkways.releases.registry import get_record
from folkways.releases.stored_releases import locate
from tests.support.hub_benchmarks import (
    include_rows,
    mmlu_rows,
    normad_rows,
    piqa_rows,
    write_delimited,
    write_parquet,
)
from tests.support.hub_server import HubServer, commit_of
from tests.support.river import environment, folkways

NAMES = ("global-mmlu-lite", "include-lite", "global-piqa", "normad")


class Place(NamedTuple):
    hub: HubServer
    home: Path
    env: dict[str, str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
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
        yield Place(hub, home, env)


def provenance(place: Place, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (place.home / "data" / get_record(name).name / "release.json").read_text(encoding="utf-8")
    )
    return found


def test_a_pinned_release_is_asked_for_at_its_commit(place: Place) -> None:
    paths = [entry["path"] for entry in place.hub.log()]
    for name in ("global-mmlu-lite", "global-piqa", "normad"):
        record = get_record(name)
        assert len(record.revision) == 40
        asked = [path for path in paths if f"{record.repository}/resolve/{record.revision}/" in path]
        assert len(asked) == len(record.files)
        assert provenance(place, name)["revision"] == record.revision


def test_a_branch_is_noted_by_the_commit_that_it_pointed_to(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = provenance(place, "include-lite")
    assert told["revision"] == commit_of("main")
    files: dict[str, dict[str, str]] = told["files"]  # type: ignore[assignment]
    assert len(files) == 44
    assert all(
        f"/resolve/{commit_of('main')}/" in stored["origin"] and stored["proof"] == "host"
        for stored in files.values()
    )
    monkeypatch.setenv("FOLKWAYS_DATA", place.env["FOLKWAYS_DATA"])
    here = locate("include-lite")
    assert (here.name, here.record.revision, here.verified) == ("include-lite@main", commit_of("main"), True)


def test_what_is_missing_of_a_branch_comes_from_the_same_commit_and_all_anew_from_where_it_points_now(
    place: Place,
) -> None:
    (place.home / "data" / "include-lite@main" / "Greek" / "test-00000-of-00001.parquet").unlink()
    place.hub.control(forget=True)
    assert folkways("data", "fetch", "include-lite", cwd=place.home, env=place.env).returncode == 0
    (again,) = [entry["path"] for entry in place.hub.log()]
    assert f"/resolve/{commit_of('main')}/Greek/" in again
    place.hub.control(forget=True)
    assert folkways("data", "fetch", "include-lite", "--force", cwd=place.home, env=place.env).returncode == 0
    assert all("/resolve/main/" in entry["path"] for entry in place.hub.log())


def test_check_ask_and_score(place: Place) -> None:
    odd = {
        "global-mmlu-lite": "kind-count: 23",
        "include-lite": "Nothing odd",
        "global-piqa": "variety-count: 136",
        "normad": "story-count",
    }
    for name in NAMES:
        checked = folkways("data", "check", name, cwd=place.home, env=place.env)
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
        cwd=place.home,
        env=place.env,
    )
    assert done.returncode == 0, done.stderr
    for title in ("Global-MMLU-Lite", "INCLUDE", "Global PIQA", "NormAd-Eti"):
        assert title in done.stdout
    assert "6.5 % of MMLU" in done.stdout + done.stderr
