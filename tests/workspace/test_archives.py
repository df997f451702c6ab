"""Archives hold what left the database, to the letter; they are checked before anything leaves, and before
anything comes back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion
from folkways.errors import FolkwaysError
from folkways.runs.results.run_list import list_runs
from folkways.workspace import results, run_records, run_rows, schema
from folkways.workspace.archives import moving
from folkways.workspace.archives.files import ArchiveError, read_archive
from folkways.workspace.archives.moving import archive_run, moved, restore_run, shrink
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest
from tests.support.planned_runs import plan_prompts

REPLIES = ["A", "", 'é\n"quoted"\t한국어 🎈', "NULL", "'; DROP TABLE runs; --", " " * 3]
SHARED, OWN = ["q0", "q1"], [f"q{number}" for number in range(2, 6)]
TABLES = [
    schema.metadata.tables[name]
    for name in ("prompts", "responses", "expected", "failures", "judgements", "scores")
]


def rows_of(workspace: Workspace) -> dict[str, set[tuple[Any, ...]]]:
    """All that is stored of runs, but where they are."""
    with workspace.read() as connection:
        return {table.name: {tuple(row) for row in connection.execute(sa.select(table))} for table in TABLES}


def judge(workspace: Workspace, run: run_records.RunRecord, right: float, first: int = 1) -> None:
    for part in results.parts(workspace, run):
        judged = results.responses(workspace, run, part).filter(pl.col("ordinal") >= first)
        kept = judged.select(
            "task",
            "item",
            "language",
            "variant",
            "sample",
            "ordinal",
            "state",
            answer="response",
            reason=pl.lit("so"),
        )
        more = {
            "question": pl.col("item"),
            "culture": pl.lit("KR"),
            "counted": pl.lit(value=True),
            "right": pl.lit(right),
        }
        results.save_judgements(workspace, run, "paper", kept.with_columns(**more, topic=pl.lit("food")))


@pytest.fixture
def asked(any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Two runs, ``mine`` with six prompts, one of which failed, and ``other`` with the first two; files take
    two rows each."""
    monkeypatch.setattr(moving, "ROWS_PER_FILE", 2)
    monkeypatch.setattr(run_rows, "PAGE", 2)
    mine, m = plan_prompts(any_workspace, "gguf/m", SHARED + OWN, name="mine", config="mine")
    plan_prompts(any_workspace, "gguf/m", SHARED, name="other", config="other")
    queue = RequestQueue(any_workspace, mine.id)
    queue.enter()
    *replied, failed = queue.claim(m, 0, 10, ()).requests
    completions = [
        Completion(text, "stop", None, "m-1", 3, 5, thoughts="well") for text in REPLIES[: len(replied)]
    ]
    answered = [
        AnsweredRequest(request, reply, 0.1 + 0.2, 2)
        for request, reply in zip(replied, completions, strict=True)
    ]
    queue.save(m, [*answered, FailedRequest(failed, "down \x1b[31m", 6)])
    queue.leave()
    for run in run_records.list_runs(any_workspace):
        judge(any_workspace, run, 0.1)
        run_records.set_state(any_workspace, run, "finished")
    return any_workspace


def on_each_database(name: str, values: Sequence[object]) -> pytest.MarkDecorator:
    """All values on SQLite, the first of them on PostgreSQL as well; its others at night."""
    postgres = [pytest.mark.postgres]
    return pytest.mark.parametrize(
        ("any_workspace", name),
        [
            *(("sqlite", value) for value in values),
            pytest.param("postgresql", values[0], marks=postgres),
            *(
                pytest.param("postgresql", value, marks=[*postgres, pytest.mark.nightly])
                for value in values[1:]
            ),
        ],
        indirect=["any_workspace"],
    )


def find(workspace: Workspace, name: str = "mine") -> run_records.RunRecord:
    return run_records.find_run(workspace, name)


def test_what_is_archived_comes_back_as_it_was(asked: Workspace, tmp_path: Path) -> None:
    before, listed = rows_of(asked), list_runs(asked)
    folder = tmp_path / "runs [of 2026] {a,b}*?"  # no character of it stands for others
    made = archive_run(asked, find(asked), folder)
    assert (made.rows, made.judgements, made.files, made.shared) == (6, 6, 7, 2)
    assert made.size == sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    left = {name: len(rows) for name, rows in rows_of(asked).items()}
    assert left == {"prompts": 2, "responses": 2, "expected": 2, "failures": 0, "judgements": 2, "scores": 0}
    assert shrink(asked) == (asked.engine.dialect.name == "sqlite")
    archive_run(asked, find(asked, "other"), tmp_path / "b")  # what they share is in both archives only
    assert {name for name, rows in rows_of(asked).items() if rows} == set()
    assert [{**row, "archive": None} for row in list_runs(asked)] == listed
    for name in ("other", "mine"):
        restore_run(asked, find(asked, name))
        assert find(asked, name).archive is None
    assert rows_of(asked) == before


@on_each_database("after", ["the first file", "all files", "the list of files"])
def test_interrupted_archiving_loses_nothing_and_goes_on(
    asked: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    before = rows_of(asked)
    where = {"the first file": "_judged", "all files": "write_manifest", "the list of files": "_take_out"}[
        after
    ]
    with monkeypatch.context() as patch:
        patch.setattr(moving, where, _stop)
        with pytest.raises(KeyboardInterrupt):
            archive_run(asked, find(asked), tmp_path / "a")
    assert (rows_of(asked), find(asked).archive) == (before, None)
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}
    assert len(written) == (1 if after == "the first file" else 7)
    (half := tmp_path / "a/responses/part-00002.parquet").parent.mkdir(exist_ok=True)
    if after == "the first file":
        half.write_bytes(b"PAR1 and no more")
    draft = half.with_name(f".{half.name}.0a1b2c3d.part")  # of a process that was killed
    draft.write_bytes(b"PAR1")
    archive_run(asked, find(asked), tmp_path / "a")
    assert {path: path.stat().st_mtime_ns for path in written} == written
    assert not draft.exists()
    restore_run(asked, find(asked))
    assert rows_of(asked) == before


def _stop(*_arguments: object) -> None:
    raise KeyboardInterrupt


def _judge_again(workspace: Workspace, run: run_records.RunRecord) -> None:
    judge(workspace, run, 0.25)


def _go_on(workspace: Workspace, run: run_records.RunRecord) -> None:
    run_records.set_state(workspace, run, "running")


def _lose_replies(workspace: Workspace, _run: run_records.RunRecord) -> None:
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.responses).where(schema.responses.c.text == "A"))


@on_each_database("change", [_judge_again, _go_on, _lose_replies])
def test_nothing_leaves_where_the_run_changed_while_it_was_written(
    asked: Workspace, tmp_path: Path, change: Callable[[Workspace, run_records.RunRecord], None]
) -> None:
    changed: list[object] = []

    def tell(written: int) -> None:
        if written == 6:
            change(asked, find(asked))
            changed.append(rows_of(asked))

    with pytest.raises(FolkwaysError, match="by another process meanwhile; nothing was taken out"):
        archive_run(asked, find(asked), tmp_path / "a", tell)
    assert changed == [rows_of(asked)]
    assert find(asked).archive is None
    run_records.set_state(asked, find(asked), "finished")
    archive_run(asked, find(asked), tmp_path / "a")  # over what is out of date
    restore_run(asked, find(asked))


@on_each_database("second", ["a", "b"])
def test_of_two_processes_that_archive_a_run_the_second_leaves_the_files_of_the_first(
    asked: Workspace, tmp_path: Path, second: str
) -> None:
    before, seen_by_both = rows_of(asked), find(asked)
    archive_run(asked, seen_by_both, tmp_path / "a")
    with pytest.raises(FolkwaysError, match=r"run mine is archived in (.|\n)* already; put it back with"):
        archive_run(asked, seen_by_both, tmp_path / second)
    restore_run(asked, find(asked))
    assert rows_of(asked) == before


@pytest.fixture
def copied(tmp_path: Path) -> tuple[Workspace, Workspace]:
    """A workspace and its copy, as ``createdb -T`` makes one."""
    (tmp_path / "one").mkdir()
    first = open_workspace(tmp_path / "one/w.db")
    plan_prompts(first, "m", ["a", "b"], name="mine", config="mine")
    judge(first, find(first), 1.0)
    run_records.set_state(first, find(first), "finished")
    first.close()
    (tmp_path / "two").mkdir()
    shutil.copy(tmp_path / "one/w.db", tmp_path / "two/w.db")
    return open_workspace(tmp_path / "one/w.db"), open_workspace(tmp_path / "two/w.db")


def test_of_two_copies_of_a_workspace_neither_writes_over_the_archive_of_the_other(
    copied: tuple[Workspace, Workspace], tmp_path: Path
) -> None:
    one, two = copied
    judge(two, find(two), 0.5)
    before = [rows_of(workspace) for workspace in copied]
    archive_run(one, find(one), tmp_path / "a")
    files = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*.*")}
    with pytest.raises(ArchiveError, match=r"a has an archive of this run with other replies or judgements"):
        archive_run(two, find(two), tmp_path / "a")
    assert rows_of(two) == before[1]
    archive_run(two, find(two), tmp_path / "b")
    assert {path: path.read_bytes() for path in (tmp_path / "a").rglob("*.*")} == files
    for workspace, whole in zip(copied, before, strict=True):
        restore_run(workspace, find(workspace))
        assert rows_of(workspace) == whole
        archive_run(workspace, find(workspace), tmp_path / ("a" if workspace is one else "b"))  # unchanged
        workspace.close()


@pytest.mark.parametrize("when", ["_write", "write_manifest"])
def test_of_two_copies_that_archive_into_one_folder_at_once_none_loses_a_run(
    copied: tuple[Workspace, Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    one, two = copied
    judge(two, find(two), 0.5)
    before = [rows_of(workspace) for workspace in copied]
    slow = getattr(moving, when)

    def between(*arguments: Any) -> Any:
        """The other copy archives between a step of the first and the next."""
        monkeypatch.setattr(moving, when, slow)
        done = slow(*arguments) if when == "_write" else None
        with suppress(ArchiveError):
            archive_run(two, find(two), tmp_path / "a")
        return done if when == "_write" else slow(*arguments)

    monkeypatch.setattr(moving, when, between)
    with suppress(ArchiveError):
        archive_run(one, find(one), tmp_path / "a")
    assert [find(workspace).archive is None for workspace in copied].count(False) == 1
    for workspace, whole in zip(copied, before, strict=True):
        if find(workspace).archive is not None:
            restore_run(workspace, find(workspace))
        assert rows_of(workspace) == whole
        workspace.close()


def test_a_run_that_was_restored_and_judged_again_is_archived_beside_its_first_archive(
    asked: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    places = []
    for right in (0.1, 0.1, 0.5):
        judge(asked, find(asked), right)
        places.append(archive_run(asked, find(asked)).folder)
        restore_run(asked, find(asked))
    assert [place.name for place in places] == ["mine", "mine", "mine-again-2"]


def test_an_archive_that_is_lost_damaged_or_another_runs_is_an_error_in_words(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    for name in ("mine", "other"):
        run, _ = plan_prompts(workspace, "m", [name], name=name, config=name)
        archive_run(workspace, run, tmp_path / "archives" / name)
    run, place = find(workspace), tmp_path / "archives/mine"
    assert run.archive == "archives/mine"
    with pytest.raises(FolkwaysError, match="run mine is archived in archives/mine already"):
        archive_run(workspace, run, tmp_path / "twice")
    with pytest.raises(ArchiveError, match=r"is that of another run \(other\), not of mine"):
        read_archive(place.with_name("other"), run)
    with pytest.raises(
        ArchiveError, match=r"is archived in .*/empty, and there is no archive.json\nPut the folder back"
    ):
        moved(workspace, run, tmp_path / "empty")

    one = place / "responses/part-00001.parquet"
    whole, seconds = one.read_bytes(), one.stat().st_mtime
    one.write_bytes(whole[:90] + bytes([whole[90] ^ 1]) + whole[91:])
    os.utime(one, (seconds + 1, seconds + 1))
    with pytest.raises(ArchiveError, match=r"responses/part-00001\.parquet there is damaged or was changed"):
        restore_run(workspace, run)
    one.write_bytes(whole[:-1])
    with pytest.raises(ArchiveError, match="damaged"):
        restore_run(workspace, run)
    one.unlink()
    with pytest.raises(ArchiveError, match=r"responses/part-00001\.parquet is not there"):
        restore_run(workspace, run)
    one.write_bytes(whole)

    place.rename(tmp_path / "elsewhere")
    with pytest.raises(ArchiveError, match=r"folkways runs archive mine --out FOLDER"):
        restore_run(workspace, run)
    moved(workspace, run, tmp_path / "elsewhere")
    workspace.close()
    (tmp_path / "trip").mkdir()  # a workspace that moves with its archives still finds them
    for name in ("w.db", "elsewhere"):
        (tmp_path / name).rename(tmp_path / "trip" / name)
    workspace = open_workspace(tmp_path / "trip/w.db")

    manifest = tmp_path / "trip/elsewhere/archive.json"
    text = manifest.read_bytes()
    for content, match in (
        ({**orjson.loads(text), "format": 2}, "written by a newer folkways"),
        ({"format": 1}, "cannot be read"),
    ):
        manifest.write_bytes(orjson.dumps(content))
        with pytest.raises(ArchiveError, match=match):
            restore_run(workspace, find(workspace))
    manifest.write_bytes(text)
    assert restore_run(workspace, find(workspace)) == 1
    workspace.close()


def test_nothing_comes_back_where_the_run_was_brought_back_or_grew_meanwhile(
    asked: Workspace, tmp_path: Path
) -> None:
    archive_run(asked, find(asked), tmp_path / "a")
    stale = find(asked)
    restore_run(asked, stale)
    with pytest.raises(ArchiveError, match="run mine was changed by another process meanwhile"):
        restore_run(asked, stale)
    archive_run(asked, find(asked), tmp_path / "b")
    before, run = rows_of(asked), find(asked)
    with asked.write() as connection:
        expected = schema.expected
        row = connection.execute(sa.select(expected).limit(1)).mappings().one()
        connection.execute(sa.insert(expected).values({**row, "run_id": run.id, "ordinal": 99}))
    grown = rows_of(asked)
    assert len(grown["expected"]) == len(before["expected"]) + 1
    with pytest.raises(ArchiveError, match="or its archive is not whole; nothing was changed"):
        restore_run(asked, run)
    assert rows_of(asked) == grown and find(asked).archive == run.archive
    with asked.write() as connection:
        connection.execute(sa.delete(expected).where(expected.c.run_id == run.id))
    told: list[int] = []
    assert restore_run(asked, run, told.append) == 6
    assert told[-1] == 6 and find(asked).archive is None


def test_an_archived_run_is_not_continued_and_a_running_one_not_archived(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    run, _ = plan_prompts(workspace, "m", ["a"], name="mine", config="mine")
    queue = RequestQueue(workspace, run.id)
    queue.enter()
    with pytest.raises(FolkwaysError, match="run mine is running: wait until it has ended"):
        archive_run(workspace, find(workspace), tmp_path / "a")
    queue.leave()  # as one that was killed: nobody is at work
    archive_run(workspace, find(workspace), tmp_path / "a")
    for state in ("interrupted", "finished"):
        run_records.set_state(workspace, run, state)
        for name in (None, "mine"):
            with pytest.raises(
                FolkwaysError,
                match=r"run mine, which asks this, is archived in a: (.|\n)*folkways runs restore mine",
            ):
                run_records.begin_run(workspace, {"config": "mine"}, [], "test", name, "run")
    anew, continued = run_records.begin_run(workspace, {"config": "mine"}, [], "test", "anew", "run")
    assert (anew.archive, continued) == (None, False)
    restore_run(workspace, find(workspace))
    with pytest.raises(FolkwaysError, match="run mine is not archived: all of it is in the workspace"):
        restore_run(workspace, find(workspace))
    workspace.close()
