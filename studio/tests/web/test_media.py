"""Pictures in a bucket and in a folder: brought, shown whole and in parts, deleted, backed up; and a bucket
that fails."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random

import pytest

from folkways.errors import FolkwaysError
from folkways_studio.database.backups import back_up, put_back, unpacked
from folkways_studio.database.opening import open_workspace
from folkways_studio.items.service import list_items
from folkways_studio.media import service as media
from folkways_studio.media import stores as media_stores
from folkways_studio.media.pages import PART_BYTES, wanted
from folkways_studio.media.stores import MediaStoreError, media_store
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications
from studio.tests.support.s3_server import BUCKET, SECRET, S3Server
from studio.tests.support.studies import no_space, open_study, restored_from
from studio.tests.web.test_own_forms import STAGES, Browser, StudyApp, picture, recording
from tests.support.command_line import environment, folkways

LONG = picture() + Random(1).randbytes(3 * PART_BYTES)
SONG = recording()


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with S3Server() as running:
        yield running


@pytest.fixture(scope="module", params=["folder", "bucket"])
def study_app(
    request: pytest.FixtureRequest, server: S3Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StudyApp]:
    workspace = open_workspace(tmp_path_factory.mktemp("media") / "w.db")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.variables("/of the/study").items() if request.param == "bucket" else ():
            patch.setenv(name, value)
        yield StudyApp(open_study(workspace, STAGES))
    workspace.close()


@pytest.fixture
def bucket(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    for name, value in server.variables().items():
        monkeypatch.setenv(name, value)
    yield server
    server.control(fault=None)


@pytest.fixture(scope="module")
def owner(study_app: StudyApp) -> Browser:
    browser = study_app.browser(study_app.study.owner)
    files = {"soup bowl.png": LONG, "old bowl.png": LONG[:-1], "hello.wav": SONG, "spare.wav": SONG}
    brought = study_app.bring(browser, files)
    assert "4 files were added." in brought.text, brought.text
    return browser


def address(study_app: StudyApp, name: str = "soup bowl.png") -> str:
    return f"/studies/{study_app.study.record.name}/media/{name}"


def test_a_file_is_shown_whole_in_parts_or_not_again(study_app: StudyApp, owner: Browser) -> None:
    whole = owner.get(address(study_app))
    assert (whole.status_code, whole.content == LONG, whole.headers["content-type"]) == (
        200,
        True,
        "image/png",
    )
    tag = whole.headers["etag"]
    for asked, expected in {
        "bytes=5-9": LONG[5:10],
        f"bytes={PART_BYTES}-": LONG[PART_BYTES:],
        "bytes=-7": LONG[-7:],
    }.items():
        part = owner.get(address(study_app), headers={"Range": asked, "If-Range": tag})
        first = LONG.index(expected)
        assert (part.status_code, part.content == expected) == (206, True)
        assert part.headers["content-range"] == f"bytes {first}-{first + len(expected) - 1}/{len(LONG)}"
    beyond = owner.get(address(study_app), headers={"Range": f"bytes={len(LONG)}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(LONG)}")
    assert (
        owner.get(address(study_app), headers={"Range": "bytes=1-2", "If-Range": '"another"'}).content == LONG
    )
    again = owner.get(address(study_app), headers={"If-None-Match": f'"another", W/{tag}'})
    assert (again.status_code, again.content) == (304, b"")


def test_ranges_that_say_nothing_are_left_alone() -> None:
    for asked in (
        "",
        "bytes=-",
        "bytes=5-2",
        "bytes=1-2,5-6",
        "lines=1-2",
        "bytes=one-two",
        "bytes=1-" + "9" * 99,
    ):
        assert wanted(asked, 10) is None
    assert wanted("bytes=8-99", 10) == range(8, 10)
    assert wanted("bytes=-99", 10) == range(10)
    assert not wanted("bytes=-0", 10)


def test_what_is_shown_is_not_deleted_and_what_is_not_is_gone(study_app: StudyApp, owner: Browser) -> None:
    workspace, study = study_app.study.workspace, study_app.study.record.id
    study_app.add("bowl-1", dish="old bowl.png")
    data = f"/studies/{study_app.study.record.name}/data"
    refused = owner.fill(f"{address(study_app, 'old bowl.png')}/delete", {}, data)
    assert refused.status_code == 409
    assert "Items still show this file: bowl-1; drop them first, nothing was deleted." in refused.text
    (item,) = list_items(workspace, study)
    adjudications.adjudicate(
        workspace, study, item.id, study_app.study.owner, {}, "a wrong picture", drop=True
    )
    stored = media.find_media(workspace, study, "old bowl.png")
    deleted = owner.fill(f"{address(study_app, 'old bowl.png')}/delete", {}, data)
    assert "old bowl.png: deleted" in deleted.text
    assert owner.get(address(study_app, "old bowl.png")).status_code == 404
    assert not media_store(workspace).has(stored.sha256)
    assert "was in the study with other contents" in study_app.bring(owner, {"old bowl.png": picture()}).text
    owner.fill(f"{address(study_app, 'spare.wav')}/delete", {}, data)
    assert owner.get(address(study_app, "hello.wav")).content == SONG, (
        "another name stands for the same contents"
    )


def test_a_bucket_is_asked_for_ranges_and_signed_requests_alone(bucket: S3Server, tmp_path: Path) -> None:
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        store = media_store(workspace)
        bucket.control(fault=None)
        store.write("ab12", b"0123456789")
        assert store.read("ab12", range(3, 5)) == b"34"
        assert [(each["method"], each["path"], each["range"]) for each in bucket.stats()["asked"]] == [
            ("PUT", f"/{BUCKET}/ab/ab12", None),
            ("GET", f"/{BUCKET}/ab/ab12", "bytes=3-4"),
        ]
        store.check()
        store.delete("ab12")
        assert not store.has("ab12")
        with pytest.raises(FileNotFoundError):
            store.read("ab12")


def test_a_folder_is_made_for_its_owner_alone_wherever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "not" / "there" / "yet"
    monkeypatch.setenv("FOLKWAYS_MEDIA", str(place))
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        store = media_store(workspace)
        store.write("ab12", b"0123456789")
        assert (store.read("ab12"), store.read("ab12", range(3, 5))) == (b"0123456789", b"34")
        assert place.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "FOLKWAYS_MEDIA",
            "s3://another/place",
            "lie in s3://another/place at http://127.0.0.1:.*: there is no such bucket",
        ),
        (
            "AWS_ACCESS_KEY_ID",
            "AKIAOTHER",
            r"the keys are refused \(InvalidAccessKeyId\); look at AWS_ACCESS_KEY_ID and",
        ),
        ("AWS_SECRET_ACCESS_KEY", "a secret of others", r"the keys are refused \(SignatureDoesNotMatch\)"),
        ("AWS_REGION", "us-east-1", "the bucket is in another region; look at AWS_REGION"),
        (
            "AWS_ENDPOINT_URL",
            "http://127.0.0.1:9",
            r"at http://127.0.0.1:9: nothing could be done there \(no answer\)",
        ),
        ("AWS_ENDPOINT_URL", "s3.example.org", "is no address; write it as https://"),
        ("AWS_ACCESS_KEY_ID", "", "needs keys in the environment: AWS_ACCESS_KEY_ID$"),
        ("FOLKWAYS_MEDIA", "s3://", "names no bucket"),
        ("FOLKWAYS_MEDIA", "ftp://place", "valid: a folder, s3://bucket/prefix"),
    ],
)
def test_what_is_wrong_with_the_place_is_said(
    bucket: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(variable, value)
    with (
        closing(open_workspace(tmp_path / "w.db")) as workspace,
        pytest.raises(FolkwaysError, match=words) as told,
    ):
        media_store(workspace).check()
    assert SECRET not in str(told.value) and "AKIA" not in str(told.value)


@pytest.mark.parametrize(
    "fault", ["error", "cut", "stall", pytest.param("denied", marks=pytest.mark.nightly)]
)
def test_a_bucket_that_fails_costs_a_page_not_the_studio(
    bucket: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(media_stores, "REQUEST_SECONDS", 0.3)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{bucket.url}/")  # another connection, with that patience
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        study_app = StudyApp(open_study(workspace, STAGES))
        browser = study_app.browser(study_app.study.owner)
        study_app.bring(browser, {"hello.wav": SONG})
        bucket.control(fault=fault)
        began = time.monotonic()
        shown = browser.get(address(study_app, "hello.wav"))
        assert (shown.status_code, "Something went wrong on our side" in shown.text) == (503, True)
        assert BUCKET not in shown.text, "where files lie is nothing for participants"
        if fault != "cut":
            refused = study_app.bring(browser, {"bowl.png": picture()})
            assert (refused.status_code, f"lie in s3://{BUCKET} at" in refused.text) == (503, True)
        assert time.monotonic() - began < 5
        assert [each.name for each in media.list_media(workspace, study_app.study.record.id)] == ["hello.wav"]
        bucket.control(fault=None)
        assert browser.get(address(study_app, "hello.wav")).content == SONG


def test_a_backup_says_that_the_bucket_is_not_in_it(bucket: S3Server, tmp_path: Path) -> None:
    place, backup, other = tmp_path / "w.db", tmp_path / "b.zip", tmp_path / "other.db"
    with closing(open_workspace(place)) as workspace:
        made = open_study(workspace, STAGES)
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", picture())})
    words = f"pictures and recordings are not in it, they are in s3://{BUCKET}"
    there = environment(**bucket.variables())
    assert words in folkways("studio", "backup", backup, "--workspace", place, env=there).stdout
    with zipfile.ZipFile(backup) as archive:
        assert archive.namelist() == ["workspace.db", "backup.json"]
        assert json.loads(archive.read("backup.json"))["bucket"] == f"s3://{BUCKET}"
    restored = folkways("studio", "restore", backup, "--workspace", other, env=there)
    assert words in restored.stdout
    assert f"start the studio with FOLKWAYS_MEDIA=s3://{BUCKET}" in restored.stderr


@pytest.mark.parametrize("trouble", ["in the way", "full"])
def test_a_folder_that_takes_nothing_is_named_and_a_backup_with_files_changes_nothing_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    monkeypatch.delenv("FOLKWAYS_MEDIA", raising=False)
    with (
        closing(open_workspace(tmp_path / "w.db")) as workspace,
        closing(open_workspace(tmp_path / "other.db")) as other,
    ):
        made = open_study(workspace, STAGES)
        media.add_media(workspace, made.record.id, {"long.png": ("image/png", LONG)})
        back_up(workspace, tmp_path / "b.zip")
        place = tmp_path / "file" / "media" if trouble == "in the way" else tmp_path / "media"
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("FOLKWAYS_MEDIA", str(place))
        with (
            unpacked(tmp_path / "b.zip") as (description, source),
            no_space() if trouble == "full" else nullcontext(),
            pytest.raises(MediaStoreError, match=f"cannot be stored in {place}: .*(full|[Nn]ot a directory)"),
        ):
            put_back(description, source, other)
        assert studies.list_studies(other) == ()
        monkeypatch.setenv("FOLKWAYS_MEDIA", str(tmp_path / "enough"))
        assert restored_from(tmp_path / "b.zip", other).media == 1


def test_a_folder_moves_into_a_bucket_by_a_backup(
    server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        closing(open_workspace(tmp_path / "w.db")) as workspace,
        closing(open_workspace(tmp_path / "other.db")) as other,
    ):
        monkeypatch.delenv("FOLKWAYS_MEDIA", raising=False)
        made = open_study(workspace, STAGES)
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", picture())})
        back_up(workspace, tmp_path / "b.zip")
        for name, value in server.variables("/moved").items():
            monkeypatch.setenv(name, value)
        restored_from(tmp_path / "b.zip", other)
        bowl = media.find_media(other, made.record.id, "bowl.png")
        assert media.read_bytes(other, bowl) == picture()
        assert f"moved/{bowl.sha256[:2]}/{bowl.sha256}" in server.stats()["keys"]
        media.delete_files(other, made.record.id)
        assert f"moved/{bowl.sha256[:2]}/{bowl.sha256}" not in server.stats()["keys"]
        server.control(fault="denied")
        with pytest.raises(MediaStoreError, match="the keys are refused"):
            media.add_media(other, made.record.id, {"new.png": ("image/png", picture())})
        server.control(fault=None)
