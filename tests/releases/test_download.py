"""Downloads from a real local server with the hub's addresses: resumed, verified, patient, and careful with
the token."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.releases.fetching.download import FetchedFile, FetchOptions, Transfer, fetch_all
from folkways.releases.fetching.fetch_progress import FetchProgress
from tests.support.hub_server import HubServer
from tests.support.published_files import BRISK, EASY, HARD, bring, requests_of, same_as_published


def test_a_connection_that_breaks_is_resumed_where_it_stopped(hub: HubServer, published: Path) -> None:
    hub.control(faults={HARD: ["cut+at=200000", "cut+at=300000"]})
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == [None, "bytes=200000-", "bytes=500000-"]
    assert sum(entry["sent"] for entry in requests_of(hub, HARD)) == 700_000


def test_large_files_come_from_the_cdn_and_are_verified_by_the_linked_hash(
    hub: HubServer, published: Path
) -> None:
    hub.control(lfs=True, faults={HARD: ["cut+at=1000"]})
    release = bring()
    assert same_as_published(release, published)
    assert release.verified
    assert [entry["range"] for entry in requests_of(hub, HARD) if entry["port"] == "cdn"] == [
        None,
        "bytes=1000-",
    ]
    assert all(entry["path"].endswith("?signature=a%2Fb%3D") for entry in hub.log() if entry["port"] == "cdn")


def test_wrong_bytes_from_the_cdn_are_refused(hub: HubServer, data_home: Path) -> None:
    hub.control(lfs=True, faults={HARD: ["wrong"]})
    with pytest.raises(
        FolkwaysError,
        match=r"(?s)not the file that was released.*expected SHA-256 [0-9a-f]{64}.*got      SHA-256 ",
    ):
        bring()
    assert list(data_home.rglob(f"{HARD}*")) == []


def test_wrong_bytes_of_a_small_file_are_refused_by_the_git_hash(hub: HubServer, data_home: Path) -> None:
    hub.control(faults={HARD: ["wrong"]})
    with pytest.raises(FolkwaysError, match=r"(?s)expected git hash [0-9a-f]{40}.*deleted"):
        bring()
    assert list(data_home.rglob(f"{HARD}*")) == []


@pytest.mark.parametrize("fault", ["html", "html+type=application/octet-stream"])
@pytest.mark.parametrize("size", [None, 1000])
def test_a_captive_portal_is_named_at_the_first_try(
    hub: HubServer, tmp_path: Path, fault: str, size: int | None
) -> None:
    hub.control(faults={HARD: [fault]})
    with pytest.raises(FolkwaysError, match=r"(?s)a web page came instead of the file.*sign in"):
        run(transfer(hub, tmp_path, sha256="0" * 64, size=size))
    assert len(requests_of(hub, HARD)) == 1


def test_a_part_of_wrong_bytes_is_thrown_away_once_and_fetched_anew(
    hub: HubServer, data_home: Path, published: Path
) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 1000)
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == ["bytes=1000-", None]


def test_a_part_that_is_complete_is_not_fetched_again(
    hub: HubServer, data_home: Path, published: Path
) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes((published / "kellycyy" / "CulturalBench" / HARD).read_bytes())
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [416]


def test_a_part_that_is_longer_than_the_file_is_thrown_away(
    hub: HubServer, data_home: Path, published: Path
) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 700_001)
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [416, 200]


@pytest.mark.parametrize(("fault", "asked"), [("no-range", [200, 200]), ("shift", [200, 206, 200])])
def test_a_server_that_cannot_resume_gives_the_whole_file(
    hub: HubServer, published: Path, fault: str, asked: list[int]
) -> None:
    hub.control(faults={HARD: ["cut+at=200000", fault]})
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == asked


def test_a_server_that_forever_breaks_and_never_resumes_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["cut+at=1000", "shift"] * 20})
    with pytest.raises(FolkwaysError, match="resumed at the wrong place"):
        bring()


def test_trouble_that_passes_is_waited_for(hub: HubServer, published: Path) -> None:
    hub.control(faults={HARD: ["500", "429"], EASY: ["429+after=1"]})
    began = time.monotonic()
    assert same_as_published(bring(), published)
    assert time.monotonic() - began >= 1.0
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [500, 429, 200]


def test_tries_that_bring_nothing_are_no_new_beginnings(hub: HubServer, published: Path) -> None:
    hub.control(faults={EASY: ["500"] * 4})
    assert same_as_published(bring(options=FetchOptions(attempts=5, backoff=0.01)), published)


def test_a_wait_beyond_our_patience_is_told(hub: HubServer) -> None:
    hub.control(faults={HARD: ["429+after=3600"]})
    with pytest.raises(FolkwaysError, match=r"(?s)answered 429.*asks to wait 3600 s"):
        bring()


def test_a_server_that_stays_broken_is_given_up_and_what_came_is_kept(
    hub: HubServer, data_home: Path, published: Path
) -> None:
    hub.control(faults={HARD: ["cut+at=5000", "500", "500", "500"]})
    with pytest.raises(FolkwaysError, match=r"(?s)answered 500 \(tried 3 times in a row\).*is kept"):
        bring()
    assert (data_home / "culturalbench@996d62a" / f"{HARD}.part").stat().st_size == 5000
    hub.control(forget=True)
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == ["bytes=5000-"]


def test_a_server_that_always_cuts_before_the_first_byte_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["cut+at=0"] * 9})
    with pytest.raises(FolkwaysError, match="connection broke after 0 bytes"):
        bring()


def test_a_server_that_says_nothing_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["stall"] * 2})
    with pytest.raises(FolkwaysError, match="connection broke"):
        bring(options=FetchOptions(attempts=2, backoff=0.01, stall=0.3))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("401", "accept the terms at http://.*/datasets/kellycyy/CulturalBench and set HF_TOKEN"),
        ("403", "accept the terms at .* and set HF_TOKEN"),
        ("404", r"(?s)not there \(404\).*--from DIR"),
        ("loop", "redirects more than 5 times"),
        ("gzip", "compressed although it was asked not to be"),
    ],
)
def test_what_asking_again_cannot_mend_is_said_at_once(hub: HubServer, fault: str, message: str) -> None:
    hub.control(faults={HARD: [fault] * 9})
    with pytest.raises(FolkwaysError, match=message):
        bring()
    assert len(requests_of(hub, HARD)) == (6 if fault == "loop" else 1)


def test_gated_data_need_the_token(hub: HubServer, monkeypatch: pytest.MonkeyPatch, published: Path) -> None:
    hub.control(token="hf_right")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(FolkwaysError, match="with the account of HF_TOKEN") as refused:
        bring()
    assert "hf_wrong" not in str(refused.value)
    monkeypatch.setenv("HF_TOKEN", "hf_right\n")
    assert same_as_published(bring(), published)


def test_the_token_does_not_travel_to_another_host(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.control(lfs=True, token="hf_secret")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    bring()
    assert {entry["authorization"] for entry in hub.log() if entry["port"] == "home"} == {"Bearer hf_secret"}
    assert {entry["authorization"] for entry in hub.log() if entry["port"] == "cdn"} == {None}


def test_a_token_with_a_line_break_inside_is_refused_unseen(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_a\nX-Header: b")
    with pytest.raises(FolkwaysError, match="HF_TOKEN has") as refused:
        bring()
    assert "hf_a" not in str(refused.value)


def test_a_host_without_content_hashes_leaves_the_release_unverified(hub: HubServer, published: Path) -> None:
    hub.control(etag=False)
    release = bring()
    assert same_as_published(release, published)
    assert not release.verified
    assert release.label == f"culturalbench@996d62a#{release.fingerprint}"


def test_no_network_names_the_ways_out(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(FolkwaysError, match=r"(?s)cannot reach 127\.0\.0\.1.*proxy.*HF_ENDPOINT.*--from DIR"):
        bring(options=FetchOptions(attempts=1))


def test_an_endpoint_that_is_no_address_is_named(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "huggingface.co")
    with pytest.raises(FolkwaysError, match=r"HF_ENDPOINT is not a web address: 'huggingface\.co'"):
        bring()


def test_a_body_larger_than_the_record_says_is_refused(hub: HubServer, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="at most 1000 were expected"):
        run(transfer(hub, tmp_path, size=1000))
    with pytest.raises(FolkwaysError, match="at most 5000 were expected"):
        run(transfer(hub, tmp_path), FetchOptions(max_bytes=5000))


@pytest.mark.parametrize("size", [0, 1000])
def test_a_body_as_large_as_it_may_be_is_taken(
    hub: HubServer, tmp_path: Path, published: Path, size: int
) -> None:
    (published / "kellycyy" / "CulturalBench" / HARD).write_bytes(b"x" * size)
    assert run(transfer(hub, tmp_path, size=size)).size == size


def transfer(hub: HubServer, folder: Path, sha256: str | None = None, size: int | None = None) -> Transfer:
    url = f"{hub.url}/datasets/kellycyy/CulturalBench/resolve/main/{HARD}"
    return Transfer(label=HARD, url=url, target=folder / HARD, sha256=sha256, size=size)


def run(wanted: Transfer, options: FetchOptions = BRISK) -> FetchedFile:
    kept: list[FetchedFile] = []
    asyncio.run(fetch_all([wanted], options, FetchProgress(), lambda _, fetched: kept.append(fetched)))
    return kept[0]
