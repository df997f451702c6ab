"""The records: complete, pinned, and consistent with each other."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from folkways import plugins
from folkways.benchmarks import released_data
from folkways.benchmarks.registry import benchmarks
from folkways.benchmarks.released_data import can_read, files_read
from folkways.cultures import languages
from folkways.errors import FolkwaysError, FolkwaysWarning, NotOnDiskError, UnknownNameError
from folkways.releases import readers, registry
from folkways.releases.layout import UNKNOWN_LICENCE, recognise
from folkways.releases.registry import get_record, known_releases
from folkways.releases.release_records import Release, ReleaseRecord

RECORDS = known_releases()
PUBLISHED = [record for record in RECORDS if record.source != "package"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_record_says_everything_that_is_shown_before_a_fetch(record: ReleaseRecord) -> None:
    assert record.benchmark in benchmarks()
    assert len(record.about) > 20
    without_a_file = "LicenseRef-research-only-no-redistribution"
    unknown = {UNKNOWN_LICENCE} if record.items_may_leave is False else set()
    stated = {"CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "Apache-2.0", without_a_file}
    assert record.licence in stated | unknown
    coded = {code.split("-")[0] for code in record.languages}
    assert coded and all(
        code in languages() or (record.benchmark.startswith("global-piqa") and len(code) == 3)
        for code in coded
    )
    assert len({entry.path for entry in record.files}) == len(record.files) > 0


@pytest.mark.parametrize("record", PUBLISHED, ids=lambda record: record.name)
def test_a_published_release_is_pinned_and_cited(record: ReleaseRecord) -> None:
    assert record.is_pinned or record.revision == "main"
    assert record.name.split("@")[1] == record.revision[:7]
    assert record.citation.startswith("@")
    assert record.citation.count("{") == record.citation.count("}")
    assert re.search(r"eprint = \{\d{4}\.\d{5}\}", record.citation)
    assert record.homepage.startswith("https://")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_paths_stay_inside_the_release(record: ReleaseRecord) -> None:
    for entry in record.files:
        for path in (entry.path, entry.remote):
            assert not path.startswith("/")
            assert ".." not in path.split("/")
            assert "\\" not in path


@pytest.mark.parametrize("record", PUBLISHED, ids=lambda record: record.name)
def test_a_file_that_a_release_never_had_is_not_to_be_fetched_again(
    record: ReleaseRecord, tmp_path: Path
) -> None:
    release = Release(record, tmp_path)
    with pytest.raises(NotOnDiskError) as never:
        release.path("of-another-release.csv")
    assert f"No copy of {record.name} has it" in str(never.value) and "data fetch" not in str(never.value)
    with pytest.raises(NotOnDiskError, match=f"folkways data fetch {record.name}"):
        release.path(record.files[0].path)


def test_only_prompts_examples_and_questions_without_answers_can_be_left_out() -> None:
    spare = re.compile(
        r"prompts/\w+\.\w+|[^/]+/(?:dev|validation)-00000-of-00001\.parquet|track_\d_\w+_input\.tsv"
    )
    for record in RECORDS:
        optional = [entry.path for entry in record.files if entry.optional]
        assert optional == [entry.path for entry in record.files if spare.fullmatch(entry.path)], record.name


def test_files_from_github_are_pinned_by_checksum_and_size() -> None:
    for record in PUBLISHED:
        if record.source == "github":
            there = [entry for entry in record.files if entry.remote]
            assert all(re.fullmatch(r"[0-9a-f]{64}", entry.sha256 or "") and entry.size for entry in there), (
                record.name
            )


def test_names_and_aliases_are_unique() -> None:
    names = [name for record in RECORDS for name in (record.name, *record.aliases)]
    assert len(names) == len(set(names))


def test_an_alias_gives_its_record() -> None:
    assert get_record("blend") is get_record("blend@24e7d73")
    assert get_record("blend-june").name == "blend@3e4dcbd"
    assert get_record("blend-raw").name == "blend@3c00d45"


def test_an_unknown_name_lists_the_valid_ones() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"(?s)unknown release 'blnd'; did you mean 'blend'\?.*blend-raw, .*; folkways data list "
        r"lists them",
    ):
        get_record("blnd")


def test_a_package_that_cannot_be_found_is_named_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("theirs", "package_that_is_gone:BENCHMARK", plugins.BENCHMARKS)
    found = {**plugins.entries(plugins.BENCHMARKS), "theirs": broken}
    monkeypatch.setattr(readers, "entries", lambda _group: found)
    with pytest.warns(
        FolkwaysWarning, match=r"benchmark 'theirs' .* package_that_is_gone.*uninstall that package"
    ):
        assert list(registry.records_by_name.__wrapped__()) == [record.name for record in RECORDS]


def test_in_a_folder_of_a_named_benchmark_no_reader_of_another_looks(tmp_path: Path) -> None:
    looking: list[str] = []

    def looks(benchmark: str, _folder: Path) -> bool:
        looking.append(benchmark)
        return False

    with pytest.raises(FolkwaysError):
        recognise(tmp_path, looks, files_read, "blend")
    assert set(looking) == {"blend"}
    with pytest.raises(FolkwaysError):
        recognise(tmp_path, looks, files_read)
    assert {"blend", "demo", "survey"} <= set(looking)


@pytest.mark.parametrize(
    ("reader", "reads", "files"),
    [
        (None, False, []),
        (SimpleNamespace(looks_like=lambda folder: True), True, []),
        (SimpleNamespace(looks_like=lambda folder: True, files=lambda folder: [folder / "a"]), True, ["a"]),
        (SimpleNamespace(looks_like=lambda folder: 1 / 0, files=lambda folder: 1 / 0), False, []),
    ],
    ids=["none", "one that asks by path", "one that finds files", "one that fails"],
)
@pytest.mark.filterwarnings("ignore:the reader of the benchmark 'theirs' is not asked about")
def test_a_reader_that_fails_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: object, reads: bool, files: list[str]
) -> None:
    monkeypatch.setattr(released_data, "load_benchmark", lambda name: SimpleNamespace(reader=reader))
    assert can_read("theirs", tmp_path) is reads
    assert [file.name for file in files_read("theirs", tmp_path)] == files
