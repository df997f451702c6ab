"""CulturalBench as the tests publish it on the local hub: two files of random letters."""

from __future__ import annotations

from pathlib import Path

from folkways.releases.fetching.download import FetchOptions
from folkways.releases.fetching.fetch import fetch
from folkways.releases.release_records import Release
from tests.support.hub_server import HubServer

EASY, HARD = "CulturalBench-Easy.csv", "CulturalBench-Hard.csv"
BRISK = FetchOptions(attempts=3, backoff=0.02, longest_wait=1.5, stall=1.0)


def bring(force: bool = False, options: FetchOptions = BRISK) -> Release:
    return fetch("culturalbench", force=force, options=options)


def same_as_published(release: Release, published: Path) -> bool:
    repository = published / "kellycyy" / "CulturalBench"
    return all(release.path(name).read_bytes() == (repository / name).read_bytes() for name in (EASY, HARD))


def requests_of(hub: HubServer, name: str) -> list[dict[str, object]]:
    return [entry for entry in hub.log() if name in entry["path"]]
