"""Finding releases on disk: fetched, adopted, or in a folder that a user points at."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from folkways.benchmarks.released_data import open_release
from folkways.errors import DataError, FolkwaysError, NotOnDiskError, UnknownNameError
from folkways.releases import layout
from folkways.releases.fetching.adopt import adopt
from folkways.releases.fetching.fetch import fetch
from folkways.releases.registry import get_record, known_releases
from folkways.releases.stored_releases import locate, state_of
from tests.support.blend_data import write_mcq

COPIES = {
    "blend@24e7d73": "blend/24e7d73",
    "blend@3e4dcbd": "blend/3e4dcbd",
    "blend@3c00d45": "blend/3c00d45",
    "xcr@9904292": "xcr",
}
"""Release -> where the reference data hold a copy of it."""


def xcr_clone(shared: Path, folder: Path) -> Path:
    """A copy of XCR-Bench laid out like its authors' repository."""
    for entry in get_record("xcr").files:
        target = folder / entry.remote
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shared / "data" / "xcr" / entry.path, target)
    return folder


def blend_copy(shared: Path, folder: Path, under: str = "") -> Path:
    shutil.copytree(
        shared / "data" / "blend" / "3e4dcbd",
        folder / under,
        copy_function=shutil.copyfile,
        dirs_exist_ok=True,
    )
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


class TestLocate:
    @pytest.mark.parametrize(
        "name", [each.aliases[0] for each in known_releases() if each.source != "package"]
    )
    def test_says_how_to_get_what_is_not_here_and_to_fetch_only_what_can_be_fetched(
        self, data_home: Path, name: str
    ) -> None:
        record = get_record(name)
        with pytest.raises(NotOnDiskError) as refused:
            locate(name)
        how = str(refused.value).split("\n", 1)[1]
        command = f"folkways data fetch {name}"
        assert f"{command} --from DIR" in how
        assert how.startswith(f"Fetch it: {command} ") is any(entry.remote for entry in record.files)
        if not record.is_downloaded:
            assert "ring" in record.about and record.about.strip() in how and record.homepage in how
            with pytest.raises(NotOnDiskError, match=f"adopt your copy: folkways data fetch {name} "):
                fetch(name)

    def test_questions_of_the_package_are_always_here(self, data_home: Path) -> None:
        release = locate("demo")
        assert release.verified
        assert all(release.has(entry.path) for entry in release.record.files)

    def test_names_the_files_that_an_incomplete_release_lacks(self, data_home: Path, shared: Path) -> None:
        release = adopt("xcr", shared / "data").release
        release.path("xcr_bench_chinese_adaptation.csv").unlink()
        assert state_of(release.record) == "partly here"
        with pytest.raises(
            FolkwaysError, match=r"is not complete \(missing: xcr_bench_chinese_adaptation\.csv\)"
        ):
            locate("xcr")

    def test_does_without_files_that_are_optional(self, data_home: Path, shared: Path) -> None:
        release = adopt("xcr", shared / "data").release
        release.path("prompts/prediction_prompt.txt").unlink()
        assert locate("xcr").verified

    def test_refuses_a_file_that_was_changed(self, data_home: Path, shared: Path) -> None:
        release = adopt("xcr", shared / "data").release
        with release.path("xcr_bench_base_corpus.csv").open("a", encoding="utf-8") as stream:
            stream.write("one more row\n")
        with pytest.raises(
            DataError, match=r"(?s)not what was released: xcr_bench_base_corpus\.csv.*folkways data fetch xcr"
        ):
            locate("xcr")

    def test_names_a_broken_release_json(self, data_home: Path, shared: Path) -> None:
        root = adopt("xcr", shared / "data").release.root
        (root / "release.json").write_text("{", encoding="utf-8")
        with pytest.raises(DataError, match=r"release\.json: cannot be read .*folkways data fetch xcr"):
            locate("xcr")


class TestAdopt:
    @pytest.mark.parametrize("name", COPIES)
    @pytest.mark.parametrize("within", ["", "data", "exactly"])
    def test_finds_every_file_wherever_the_folder_begins(
        self, data_home: Path, shared: Path, name: str, within: str
    ) -> None:
        folder = shared / "data" / COPIES[name] if within == "exactly" else shared / within
        adoption = adopt(name, folder)
        assert len(adoption.copied) == len(get_record(name).files)
        assert (adoption.missing, adoption.differing, adoption.unverified) == ((), (), ())
        assert locate(name).verified

    def test_what_is_here_is_not_copied_again(self, data_home: Path, shared: Path) -> None:
        adopt("xcr", shared / "data")
        again = adopt("xcr", shared / "data")
        assert (again.copied, len(again.present)) == ((), 8)

    def test_provenance_names_the_copy(self, data_home: Path, shared: Path) -> None:
        root = adopt("xcr", shared / "data").release.root
        told = json.loads((root / "release.json").read_text(encoding="utf-8"))
        assert told["revision"] == "990429201c5581e4d7be4226ce93f0dec91f30a8"
        assert told["files"]["xcr_bench_base_corpus.csv"]["origin"].endswith(
            "data/xcr/xcr_bench_base_corpus.csv"
        )
        assert {entry["proof"] for entry in told["files"].values()} == {"record"}

    def test_refuses_a_copy_with_other_contents_by_name_and_copies_nothing(
        self, data_home: Path, shared: Path, tmp_path: Path
    ) -> None:
        clone = xcr_clone(shared, tmp_path / "clone")
        (clone / "corpus" / "xcr_bench_base_corpus.csv").write_text("sentence\n", encoding="utf-8")
        (clone / "corpus" / "xcr_bench_chinese_adaptation.csv").unlink()
        with pytest.raises(FolkwaysError) as refused:
            adopt("xcr", clone)
        assert "1 with contents other than released: xcr_bench_base_corpus.csv" in str(refused.value)
        assert "1 missing: xcr_bench_chinese_adaptation.csv" in str(refused.value)
        assert not list(data_home.rglob("*.csv"))

    def test_an_optional_file_that_differs_is_left_out_and_named(
        self, data_home: Path, shared: Path, tmp_path: Path
    ) -> None:
        clone = xcr_clone(shared, tmp_path / "clone")
        (clone / "code" / "Prediction" / "prediction_prompt.txt").write_text("mine", encoding="utf-8")
        (clone / "code" / "Adaptation" / "adaptation_prompt.txt").unlink()
        adoption = adopt("xcr", clone)
        assert adoption.differing == ("prompts/prediction_prompt.txt",)
        assert adoption.missing == ("prompts/adaptation_prompt.txt",)
        assert not adoption.release.has("prompts/prediction_prompt.txt")

    def test_files_without_a_known_checksum_are_taken_and_not_called_verified(
        self, data_home: Path, tmp_path: Path
    ) -> None:
        for name in ("CulturalBench-Easy.csv", "CulturalBench-Hard.csv"):
            (tmp_path / name).write_text("data_idx,question_idx\n", encoding="utf-8")
        adoption = adopt("culturalbench", tmp_path)
        assert adoption.unverified == ("CulturalBench-Easy.csv", "CulturalBench-Hard.csv")
        assert not adoption.release.verified

    @pytest.mark.parametrize("under", ["", "data", "a/clone", "a/data"])
    def test_files_of_one_name_without_checksums_are_told_apart_by_their_folders(
        self, data_home: Path, tmp_path: Path, under: str
    ) -> None:
        entries = get_record("include").files
        assert len({Path(entry.path).name for entry in entries}) < len(entries)
        for entry in entries:
            target = tmp_path / "copy" / under / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(entry.path, encoding="utf-8")
        release = adopt("include", tmp_path / "copy").release
        assert [release.path(entry.path).read_text(encoding="utf-8") for entry in entries] == [
            entry.path for entry in entries
        ]

    def test_a_file_is_not_taken_for_another_of_its_name(self, data_home: Path, tmp_path: Path) -> None:
        first, *others = (entry.path for entry in get_record("include").files if not entry.optional)
        (tmp_path / first).parent.mkdir()
        (tmp_path / first).write_text("one language", encoding="utf-8")
        with pytest.raises(FolkwaysError, match=rf"{len(others)} missing: {others[0]}"):
            adopt("include", tmp_path)
        assert not list(data_home.rglob("*.parquet"))

    def test_of_two_files_of_a_name_neither_is_taken_unless_they_are_copies(
        self, data_home: Path, tmp_path: Path
    ) -> None:
        copy, name = tmp_path / "copy", get_record("normad").files[0].path
        for folder, text in (("new", "the rows"), ("old", "the rows")):
            (copy / folder).mkdir(parents=True)
            (copy / folder / name).write_text(text, encoding="utf-8")
        assert adopt("normad", copy).copied == (name,)
        (copy / "old" / name).write_text("older rows", encoding="utf-8")
        with pytest.raises(FolkwaysError, match=rf"no checksum tells .*: new/{name}, old/{name}"):
            adopt("normad", copy, force=True)
        (copy / name).write_text("where it belongs", encoding="utf-8")
        adopted = adopt("normad", copy, force=True).release
        assert adopted.path(name).read_text(encoding="utf-8") == "where it belongs"

    def test_a_file_that_a_link_names_is_never_written_to(
        self, data_home: Path, tmp_path: Path, shared: Path
    ) -> None:
        own = tmp_path / "own.txt"
        own.write_text("somebody's own", encoding="utf-8")
        adopted = adopt("xcr", shared / "data" / "xcr").release
        path = adopted.path("prompts/prediction_prompt.txt")
        path.unlink()
        path.symlink_to(own)
        again = adopt("xcr", shared / "data" / "xcr", force=True).release
        assert own.read_text(encoding="utf-8") == "somebody's own"
        assert not again.path("prompts/prediction_prompt.txt").is_symlink() and again.verified

    @pytest.mark.parametrize(("path", "message"), [("nowhere", "does not exist"), ("file", "is a file")])
    def test_a_folder_that_is_none_is_named(
        self, data_home: Path, tmp_path: Path, path: str, message: str
    ) -> None:
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(FolkwaysError, match=rf"--from .*{path}: {message}"):
            adopt("xcr", tmp_path / path)


class TestOpenFolder:
    @pytest.mark.parametrize("name", COPIES)
    def test_a_known_release_is_recognised_by_its_contents(self, shared: Path, name: str) -> None:
        release = open_release(shared / "data" / COPIES[name])
        assert (release.name, release.verified, release.label) == (name, True, name)
        assert all(release.has(entry.path) for entry in release.record.files)

    def test_a_clone_of_the_authors_repository_is_the_same_release(
        self, shared: Path, tmp_path: Path
    ) -> None:
        release = open_release(xcr_clone(shared, tmp_path / "clone"), "xcr")
        original = open_release(shared / "data" / "xcr")
        assert release.name == "xcr@9904292"
        assert (
            release.path("prompts/prediction_prompt.txt")
            == tmp_path / "clone/code/Prediction/prediction_prompt.txt"
        )
        assert release.fingerprint == original.fingerprint

    def test_a_folder_with_the_data_under_data_is_the_same_release(
        self, shared: Path, tmp_path: Path
    ) -> None:
        release = open_release(blend_copy(shared, tmp_path / "clone", "data"))
        assert release.name == "blend@3e4dcbd"
        assert release.path("annotations/UK_data.json").is_file()

    def test_changed_data_are_a_folder_and_not_the_release(self, shared: Path, tmp_path: Path) -> None:
        copy = blend_copy(shared, tmp_path / "mine")
        annotations = copy / "annotations" / "UK_data.json"
        annotations.write_bytes(annotations.read_bytes().replace(b"tea", b"TEA"))
        release = open_release(str(copy), "blend")
        assert (release.name, release.verified) == ("dir:mine", False)
        assert release.record.licence == "NOASSERTION"
        assert release.label == f"dir:mine#{release.fingerprint}"

    def test_the_fingerprint_covers_data_that_no_release_has(self, shared: Path, tmp_path: Path) -> None:
        copy = blend_copy(shared, tmp_path / "mine")
        (copy / "annotations" / "US_data.json").unlink()
        (copy / "annotations" / "Brazil_data.json").write_text("{}", encoding="utf-8")
        before = open_release(copy).fingerprint
        (copy / "annotations" / "Brazil_data.json").write_text("{ }", encoding="utf-8")
        assert open_release(copy).fingerprint != before

    @pytest.mark.parametrize(
        ("file", "is_read"),
        [
            ("annotations/Kenya_data.json", True),
            ("questions/Kenya_questions.csv", True),
            ("prompts/Kenya_prompts.csv", True),
            ("mc_questions_file.csv", True),
            ("evaluation/mc_data/mc_questions_file.csv", True),
            ("notes.csv", False),
            ("annotations/notes.txt", False),
        ],
    )
    def test_a_release_with_more_that_is_read_is_a_folder_whose_fingerprint_covers_it(
        self, shared: Path, tmp_path: Path, file: str, is_read: bool
    ) -> None:
        copy = blend_copy(shared, tmp_path / "mine")
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        (copy / file).write_text("mine", encoding="utf-8")
        release = open_release(copy)
        assert (release.name, release.verified) == (
            ("dir:mine", False) if is_read else ("blend@3e4dcbd", True)
        )
        before = release.fingerprint
        (copy / file).write_text("changed", encoding="utf-8")
        assert (open_release(copy).fingerprint != before) is is_read

    @pytest.mark.parametrize(
        ("place", "is_theirs"),
        [
            ("mc_questions_file.csv", True),
            ("evaluation/mc_data/mc_questions_file.csv", True),
            ("mc_data/mc_questions_file.csv", False),
        ],
    )
    def test_a_release_with_another_of_the_authors_in_its_place_is_that_release(
        self, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, is_theirs: bool
    ) -> None:
        copy = blend_copy(shared, tmp_path / "clone")
        (copy / place).parent.mkdir(parents=True, exist_ok=True)
        (copy / place).write_text("theirs", encoding="utf-8")
        record = get_record("blend-mcq")
        (questions,) = record.files
        pinned = replace(questions, sha256=sha256(b"theirs").hexdigest(), size=6)
        others = [each for each in known_releases() if each.name != record.name]
        monkeypatch.setattr(layout, "known_releases", lambda: [*others, replace(record, files=(pinned,))])
        assert (open_release(copy).name == "blend@3e4dcbd") is is_theirs

    def test_a_folder_of_several_releases_names_them(self, shared: Path) -> None:
        with pytest.raises(
            FolkwaysError,
            match=r"(?s)Give one of its folders: .*blend/24e7d73, .*blend/3c00d45, .*blend/3e4dcbd",
        ):
            open_release(shared / "data" / "blend")

    def test_another_benchmark_than_the_task_needs_is_refused(self, shared: Path) -> None:
        with pytest.raises(FolkwaysError, match=r"nothing in .* is laid out like the data of blend"):
            open_release(shared / "data" / "xcr", "blend")
        with pytest.raises(
            FolkwaysError, match=r"(?s)demo@1 is data of demo, but xcr is needed.*valid: xcr, xcr@9904292"
        ):
            open_release("demo", "xcr")

    def test_a_folder_that_is_called_like_a_release_is_pointed_at(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "sample").mkdir()
        monkeypatch.chdir(tmp_path)
        with pytest.raises(FolkwaysError, match=r"\(the folder of that name is \./sample\)$"):
            open_release("sample", "xcr")

    def test_an_empty_folder_says_what_was_expected(self, tmp_path: Path) -> None:
        with pytest.raises(
            FolkwaysError,
            match=r"(?s)expected a file such as .*blend: .*xcr: xcr_bench_arabic_adaptation\.csv",
        ):
            open_release(tmp_path)

    def test_a_path_that_is_no_folder_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FolkwaysError, match=r"no such folder: .*nowhere"):
            open_release(tmp_path / "nowhere")
        (tmp_path / "corpus.csv").write_text("", encoding="utf-8")
        with pytest.raises(FolkwaysError, match=r"corpus\.csv is a file"):
            open_release(tmp_path / "corpus.csv")

    def test_a_word_that_is_neither_name_nor_folder_lists_the_names(self) -> None:
        with pytest.raises(UnknownNameError, match="did you mean 'xcr'"):
            open_release("xrc")

    def test_a_known_name_wins_over_a_folder_of_that_name(
        self, data_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "xcr").mkdir()
        monkeypatch.chdir(tmp_path)
        with pytest.raises(FolkwaysError, match="is not on this disk"):
            open_release("xcr")
        with pytest.raises(FolkwaysError, match="nothing in"):
            open_release("./xcr")


def test_a_file_of_a_package_that_its_record_does_not_list_is_refused(tmp_path: Path) -> None:
    """No checksum and no signature would tell its contents."""
    release = open_release("demo")
    for entry in release.record.files:
        shutil.copyfile(release.path(entry.path), tmp_path / entry.path)
    (tmp_path / "greetings.toml").write_text("")
    copy = replace(release, root=tmp_path)
    assert copy.path("everyday.toml") == tmp_path / "everyday.toml"
    with pytest.raises(DataError, match=r"greetings\.toml.*the record of demo@1 does not list it"):
        copy.path("greetings.toml")


def test_forty_folders_are_looked_into_on_each_level(tmp_path: Path) -> None:
    for number in range(41):
        (tmp_path / "wide" / f"{number:02}").mkdir(parents=True)
        (tmp_path / "deep" / "inside" / f"{number:02}").mkdir(parents=True)
    for folder in (tmp_path / "wide", tmp_path / "deep" / "inside"):
        for number in (39, 40):
            write_mcq(folder / f"{number:02}")
        with pytest.raises(FolkwaysError) as error:
            open_release(tmp_path / folder.relative_to(tmp_path).parts[0])
        assert str(error.value).endswith(f"Give one of its folders: {folder / '39'}")
