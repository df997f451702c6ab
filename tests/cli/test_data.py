"""``folkways data`` as a person runs it: its output, its exit code."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from folkways.cli.data import BarProgress
from folkways.display import escape
from folkways.releases.registry import known_releases
from tests.support.command_line import Done, environment, finish, folkways, start
from tests.support.hub_server import HubServer

Run = Callable[..., Done]


@pytest.fixture
def data(tmp_path: Path) -> Run:
    """``folkways data`` with a data folder of its own."""
    settings = environment(FOLKWAYS_DATA=str(tmp_path / "home"), COLUMNS="200")

    def run(*arguments: object, **variables: str) -> Done:
        return folkways("data", *arguments, env={**settings, **variables})

    return run


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    repository = tmp_path / "published" / "kellycyy" / "CulturalBench"
    repository.mkdir(parents=True)
    for name in ("CulturalBench-Easy.csv", "CulturalBench-Hard.csv"):
        (repository / name).write_text("data_idx,question_idx\n", encoding="utf-8")
    with HubServer(tmp_path / "published") as server:
        yield server


def failed(done: Done, pattern: str) -> bool:
    """Exit code 2, one message that matches, no traceback, nothing on standard output."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert re.search(pattern, done.stderr, re.DOTALL), done.stderr
    return True


class TestList:
    def test_shows_licence_citation_and_state_of_every_release(self, data: Run) -> None:
        done = data("list")
        assert done.returncode == 0
        for expected in (
            "blend@24e7d73   (or: blend)   not here",
            "CC-BY-NC-ND-4.0",
            "chiu2024culturalbench, arXiv 2410.02677",
        ):
            assert expected in done.stdout
        assert "demo@1   (or: demo, sample, sample@1)   part of folkways" in done.stdout
        cited = [
            line.removeprefix("  cite: ") for line in done.stdout.splitlines() if line.startswith("  cite: ")
        ]
        assert len(cited) == len(known_releases())
        for record, shown in zip(known_releases(), cited, strict=True):
            key = re.match(r"@\w+\{([^,]+),", record.citation)
            assert shown.split(", arXiv ")[0] == (key[1] if key else "nothing to cite")
            assert (", arXiv " in shown) == ("eprint" in record.citation)

    def test_json_has_the_whole_record(self, data: Run) -> None:
        entries = {entry["name"]: entry for entry in json.loads(data("list", "--json").stdout)}
        assert entries["blend@24e7d73"]["citation"].startswith("@inproceedings{myung2024blend,")
        assert entries["xcr@9904292"]["bytes"] == 1_956_008
        kept = {name for name, entry in entries.items() if not entry["items_may_leave"]}
        assert kept == {record.name for record in known_releases() if not record.items_may_leave}
        blocks = dict(
            block.split(maxsplit=1) for block in data("list").stdout.split("\n\n") if "cite:" in block
        )
        assert {name for name, block in blocks.items() if "no items in reports and exports" in block} == kept


class TestFetch:
    def test_prints_folder_licence_and_citation(self, data: Run, hub: HubServer, tmp_path: Path) -> None:
        done = data("fetch", "culturalbench", HF_ENDPOINT=hub.url)
        assert done.returncode == 0, done.stderr
        assert f"culturalbench@996d62a is here: {tmp_path / 'home' / 'culturalbench@996d62a'}" in done.stdout
        assert "licence: CC-BY-4.0" in done.stdout
        assert "@misc{chiu2024culturalbench," in done.stdout
        assert "fetching 2 files" in done.stderr
        assert "2 of 2 files" in done.stderr
        assert data("where", "culturalbench").stdout.strip() == str(
            tmp_path / "home" / "culturalbench@996d62a"
        )

    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    def test_draws_a_bar_on_a_terminal(self, hub: HubServer, tmp_path: Path) -> None:
        import pty

        (tmp_path / "published/kellycyy/CulturalBench/CulturalBench-Hard.csv").write_bytes(b"x" * 2_000_000)
        hub.control(faults={"CulturalBench-Hard.csv": ["500"]})
        terminal, ours = pty.openpty()
        settings = {
            **os.environ,
            "FOLKWAYS_DATA": str(tmp_path / "home"),
            "HF_ENDPOINT": hub.url,
            "TERM": "xterm",
            "COLUMNS": "120",
        }
        fetch = ("data", "fetch", "culturalbench")
        done = finish(start(*fetch, env=settings, stdout=subprocess.PIPE, stderr=ours), 60)
        os.close(ours)
        shown = os.read(terminal, 1 << 20).decode()
        os.close(terminal)
        assert done.returncode == 0
        assert "CulturalBench-Hard.csv: the server answered 500; trying again" in shown
        assert "2/2 files" in shown
        assert "2.0/2.0 MB" in shown

    def test_a_second_fetch_asks_nothing(self, data: Run, hub: HubServer) -> None:
        data("fetch", "culturalbench", HF_ENDPOINT=hub.url)
        hub.control(forget=True)
        assert data("fetch", "culturalbench", HF_ENDPOINT=hub.url).returncode == 0
        assert hub.log() == []

    def test_gated_data_name_the_page_and_the_variable(self, data: Run, hub: HubServer) -> None:
        hub.control(token="hf_needed")
        failed(
            data("fetch", "culturalbench", HF_ENDPOINT=hub.url),
            r"datasets/kellycyy/CulturalBench and set HF_TOKEN",
        )

    def test_adopts_several_releases_from_one_folder(self, data: Run, shared: Path) -> None:
        done = data("fetch", "blend", "blend-june", "blend-raw", "xcr", "--from", shared / "data")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("files copied, 0 already here") == 4
        assert "kabir2026xcrbench" in done.stdout
        assert data("list").stdout.count("   here\n") == 4

    def test_an_unknown_name_lists_the_valid_ones_and_fetches_nothing(
        self, data: Run, hub: HubServer
    ) -> None:
        failed(
            data("fetch", "culturalbench", "blind", HF_ENDPOINT=hub.url),
            "unknown release 'blind'; did you mean 'blend'",
        )
        assert hub.log() == []

    def test_a_folder_to_adopt_from_that_is_not_there(self, data: Run, tmp_path: Path) -> None:
        failed(data("fetch", "xcr", "--from", tmp_path / "nowhere"), "--from .*nowhere: does not exist")

    def test_a_folder_without_the_data_names_what_is_missing(self, data: Run, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        failed(
            data("fetch", "xcr", "--from", tmp_path / "empty"),
            "5 missing: xcr_bench_arabic_adaptation.csv.*folkways data fetch xcr",
        )

    def test_a_file_where_the_data_folder_should_be(self, data: Run, tmp_path: Path, hub: HubServer) -> None:
        (tmp_path / "home").write_text("", encoding="utf-8")
        failed(
            data("fetch", "culturalbench", HF_ENDPOINT=hub.url),
            "a file stands where a folder is needed.*FOLKWAYS_DATA",
        )

    def test_a_folder_that_cannot_be_written(self, data: Run, tmp_path: Path, hub: HubServer) -> None:
        closed = unwritable(tmp_path)
        done = data("fetch", "culturalbench", HF_ENDPOINT=hub.url, FOLKWAYS_DATA=str(closed / "folkways"))
        failed(done, "cannot write .*Make the folder writable.*FOLKWAYS_DATA")


class TestCheck:
    def test_names_file_row_kind_and_value(self, data: Run, shared: Path) -> None:
        done = data("check", shared / "data" / "xcr", "--limit", "1")
        assert done.returncode == 0
        assert "xcr@9904292 (verified)" in done.stdout
        assert re.search(r"untagged: 97\b", done.stdout)
        assert re.search(r"xcr_bench_base_corpus\.csv, row 326, sentence: '.*May Day", done.stdout)
        assert "... 96 more (--limit 0 shows all, --json is complete)" in done.stdout
        kinds = re.findall(r"^([a-z-]+): (\d+)\b", done.stdout, re.MULTILINE)
        assert len(kinds) > 2 and kinds == sorted(kinds, key=lambda kind: (-int(kind[1]), kind[0]))

    def test_json_is_complete_and_agrees_with_the_counts(
        self, data: Run, shared: Path, tmp_path: Path
    ) -> None:
        told = json.loads(data("check", shared / "data" / "blend" / "24e7d73", "--json").stdout)
        assert (told["release"], told["verified"]) == ("blend@24e7d73", True)
        assert len(told["issues"]) == sum(told["counts"].values())
        assert told["counts"]["empty-answer"] == 7
        assert told["counts"]["group-without-english"] == 28
        data("check", shared / "data" / "blend" / "24e7d73", "--out", tmp_path / "odd.json")
        assert json.loads((tmp_path / "odd.json").read_text(encoding="utf-8")) == told

    def test_what_others_wrote_cannot_act_on_the_terminal(
        self, data: Run, shared: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "mine"
        shutil.copytree(shared / "data" / "xcr", copy, copy_function=shutil.copyfile)
        for path in (copy, *copy.iterdir()):
            path.chmod(0o755)
        with (copy / "xcr_bench_base_corpus.csv").open("a", encoding="utf-8") as corpus:
            corpus.write("\n\x1b[31m[red]evil\x07\u202e</CSI>,[bold]x,Cultural Reference,x,Visible\n")
        done = data("check", copy, "--limit", "0")
        assert done.returncode == 0, done.stderr
        assert "dir:mine (not a published release, fingerprint " in done.stdout
        assert "\\x1b[31m[red]evil\\x07\\u202e</CSI>" in done.stdout
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout)

    def test_an_unreadable_release_is_an_error_with_file_and_row(
        self, data: Run, shared: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "mine"
        shutil.copytree(shared / "data" / "blend" / "3c00d45", copy, copy_function=shutil.copyfile)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755)
        (copy / "annotations" / "UK_data.json").write_text('{"a": \n}', encoding="utf-8")
        failed(data("check", copy), r"UK_data\.json.*line 2")

    def test_a_release_that_is_not_here_says_how_to_fetch_it(self, data: Run) -> None:
        failed(data("check", "blend"), "release blend@24e7d73 is not on this disk.*folkways data fetch blend")

    def test_a_folder_that_is_not_there(self, data: Run, tmp_path: Path) -> None:
        failed(data("check", tmp_path / "nowhere"), "no such folder: .*nowhere")

    def test_a_file_in_place_of_a_folder(self, data: Run, tmp_path: Path) -> None:
        (tmp_path / "corpus.csv").write_text("", encoding="utf-8")
        failed(data("check", tmp_path / "corpus.csv"), r"corpus\.csv is a file; give the folder")

    def test_an_output_file_that_cannot_be_written(self, data: Run, tmp_path: Path) -> None:
        failed(
            data("check", "demo", "--out", tmp_path / "no" / "odd.txt"),
            r"the folder .*no does not exist; create it first",
        )

    def test_the_demo_can_be_read(self, data: Run) -> None:
        done = data("check", "demo")
        assert done.returncode == 0
        assert "demo@1 (verified)" in done.stdout


class TestWhere:
    def test_unknown_and_absent_releases(self, data: Run) -> None:
        failed(data("where", "blend-jun"), "did you mean 'blend-june'")
        failed(data("where", "xcr"), "is not on this disk")


@given(st.text(), st.one_of(st.none(), st.integers(2, 40)))
def test_printable_text_is_one_harmless_line(text: str, width: int | None) -> None:
    shown = escape(text, width)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)
    assert width is None or len(shown) <= width


def test_printable_leaves_every_script_as_it_is() -> None:
    text = "떡국, ፍትፍት, কুঁহিয়াৰ, چای [bold] 'x'"
    assert escape(text) == text


def unwritable(tmp_path: Path) -> Path:
    """A folder in which nobody, root included, can make another; skips where there is none."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    for folder in (closed, Path("/sys")):
        probe = folder / "folkways-probe"
        try:
            probe.mkdir()
        except OSError:
            return folder
        probe.rmdir()
    pytest.skip("this user may write everywhere")


@pytest.mark.parametrize(("grown", "shown"), [((), "350/800 bytes"), ((50, 7), "350/857 bytes")])
def test_a_bar_tells_how_much_of_all_is_there(
    monkeypatch: pytest.MonkeyPatch, grown: tuple[int, ...], shown: str
) -> None:
    printed = io.StringIO()
    console = Console(file=printed, force_terminal=True, width=120)
    monkeypatch.setattr("folkways.cli.data.terminal", lambda **_: console)
    bar = BarProgress()
    bar.started("blend", files=3, size=800, present=200)
    for size in grown:
        bar.grew(size)
    bar.received(150)
    bar.finished("blend")
    bar.closed()
    last = printed.getvalue().splitlines()[-2]
    assert all(part in last for part in ("blend", "1/3 files", shown)), printed.getvalue()
