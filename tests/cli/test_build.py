"""folkways build: what it writes, what it prints, and what it says when something is wrong."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml
from click.testing import CliRunner, Result
from rich.console import Console

from folkways.benchmarks.blend.build.items import RELEASED
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.cli import build as builders
from folkways.cli.build import command
from folkways.errors import FolkwaysError
from tests.support.command_line import folkways
from tests.support.mcq_sources import COUNTRIES, write_release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("answers"), 4)


def build(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def mcq(release: Path, *arguments: object) -> Result:
    return build("mcq", "--release", release, "--judge", "stand-in:hash10", *arguments)


REQUIRED = {
    "csi": "facts model out",
    "csi-corpus": "items choices labels out",
    "easy": "votes out",
    "hard": "votes out",
    "mcq": "judge out",
    "topics": "model out",
    "translated": "out",
}


def test_what_a_build_cannot_do_without_is_asked_for_by_name(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("culture,fact,source\n", encoding="utf-8")
    values = {"judge": "stand-in:hash10", "model": "baseline/constant:tea", "out": str(tmp_path / "out")}
    for builder, options in REQUIRED.items():
        for missing in options.split():
            others = [name for name in options.split() if name != missing]
            done = build(builder, *(f"--{name}={values.get(name, table)}" for name in others))
            assert (done.exit_code, f"Missing option '--{missing}'" in done.output) == (2, True), done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("seconds", "told"), [(0.0, "one\ntwo\n"), (600.0, "")])
def test_progress_is_told_every_few_seconds(
    seconds: float, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builders, "STEP_SECONDS", seconds)
    written = io.StringIO()
    progress = builders.StepsProgress(Console(file=written))
    for text in ("one", "two"):
        progress(text)
    assert written.getvalue() == told


def test_a_folder_gets_the_released_file_and_a_record(release: Path, tmp_path: Path) -> None:
    done = mcq(release, "--out", tmp_path / "new" / "mcq")
    assert done.exit_code == 0, done.output
    folder = tmp_path / "new" / "mcq"
    table = pl.read_csv(folder / "mc_questions_file.csv", infer_schema=False)
    assert table.columns == list(RELEASED)
    record = json.loads((folder / "mc_questions_file.build.json").read_text())
    assert (record["items"], record["questions"], record["judge"]) == (table.height, 4, "stand-in:hash10")
    items = get_task("blend/mcq").items(open_release(folder, "blend"))
    assert items.height == table.height
    assert items["text"].str.starts_with("What do people bring").all()
    assert items["culture"].n_unique() == len(COUNTRIES)


def test_the_hub_layout_has_the_same_items_and_a_card(release: Path, tmp_path: Path) -> None:
    for kind, read in (("parquet", pl.read_parquet), ("jsonl", pl.read_ndjson)):
        hub = tmp_path / kind
        done = mcq(release, "--out", tmp_path / "q.csv", "--hub", hub, "--hub-format", kind)
        assert done.exit_code == 0, done.output
        card = (hub / "README.md").read_text()
        path = next(line.split(": ")[1] for line in card.splitlines() if line.strip().startswith("path:"))
        assert read(hub / path).equals(pl.read_csv(tmp_path / "q.csv", infer_schema=False))
        assert "config_name: multiple-choice-questions" in card
        assert "stand-in:hash10" in card
        (task,) = yaml.safe_load((hub / "eval.yaml").read_text())["tasks"]
        items = read(hub / path)
        assert f"config_name: {task['config']}\n" in card
        assert {task["field_spec"]["input"], task["field_spec"]["target"]} <= set(items.columns)
        (letter,) = (re.compile(scorer["args"]["pattern"], re.IGNORECASE) for scorer in task["scorers"])
        said = ('{"answer_choice": "C"}', "C", " C. tea", "Certainly, B")
        assert [found and found[1] for found in map(letter.search, said)] == ["C", "C", "C", None]


def test_a_build_among_the_runs_has_no_scores(release: Path, tmp_path: Path) -> None:
    workspace = ("-w", tmp_path / "w.db")
    built = build(
        "mcq",
        "--release",
        release,
        "--judge",
        'baseline/constant:{"same": false}',
        "--out",
        tmp_path / "q.csv",
        "--name",
        "mine",
        *workspace,
    )
    assert built.exit_code == 0, built.output
    for line in (
        "report mine",
        "score mine",
        "gate mine --min demo/mcq=3",
        "compare --run mine",
        "analyse mine",
    ):
        done = folkways(*line.split(), *workspace)
        assert done.returncode == 2, done
        assert done.stderr.startswith(
            "error: run mine belongs to folkways build mcq: it keeps what was asked of models there, and has"
        )
        assert done.stderr.endswith(
            f"how far it got is shown by: folkways runs --workspace {tmp_path / 'w.db'}\n"
        )
    newest = folkways("score", *workspace)
    assert (
        f"no run of the workspace {tmp_path / 'w.db'} has asked tasks yet; begin one with: folkways run"
        in newest.stderr
    )


def test_calls_are_written_in_order(release: Path, tmp_path: Path) -> None:
    mcq(release, "--out", tmp_path / "q.csv", "--calls", tmp_path / "log" / "calls.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log" / "calls.jsonl").read_text().splitlines()]
    assert [line["call"] for line in lines] == list(range(1, len(lines) + 1))
    judged = [line for line in lines if line["kind"] == "judge"]
    assert set(judged[0]) == {
        "call",
        "kind",
        "question",
        "answers",
        "target",
        "answer_country",
        "target_country",
        "answer",
    }
    assert {line["answer"] for line in judged} == {True, False}


def test_chosen_questions(release: Path, tmp_path: Path) -> None:
    assert mcq(release, "--out", tmp_path / "q.csv", "--questions", "Q-2,Q-0").exit_code == 0
    assert pl.read_csv(tmp_path / "q.csv")["ID"].unique(maintain_order=True).to_list() == ["Q-0", "Q-2"]


def test_the_wording_of_released_questions_is_taken_over(release: Path, tmp_path: Path) -> None:
    mcq(release, "--out", tmp_path / "first")
    path = tmp_path / "first" / "mc_questions_file.csv"
    path.write_text(path.read_text().replace("One of these is what people there say.", "Say {one} letter:"))
    done = mcq(release, "--out", tmp_path / "second", "--wording-of", tmp_path / "first")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "second" / "mc_questions_file.csv").read_text() == path.read_text()


def test_agreement_of_judging_modes(release: Path, tmp_path: Path) -> None:
    for mode in ("question", "1", "7"):
        mcq(release, "--profile", "strict", "--judge-batch", mode, "--out", tmp_path / f"{mode}.csv")
    mcq(release, "--out", tmp_path / "paper.csv")
    same = build("mcq-agreement", tmp_path / "question.csv", tmp_path / "7.csv")
    assert "100.0% of all are in both" in same.output
    assert "4 of 4 questions" in same.output
    other = json.loads(
        build("mcq-agreement", tmp_path / "question.csv", tmp_path / "paper.csv", "--json").output
    )
    assert 0 < other["jaccard"] < 1
    assert sum(row["common"] for row in other["by_question"]) == other["common"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--judge", "stand-in:guess"),
            "unknown stand-in judge 'guess'\nvalid: ctx00 to ctx99, hash00 to hash99, overlap",
        ),
        (("--judge", "nobody/model"), "unknown provider 'nobody'"),
        (("--profile", "papr"), "did you mean 'paper'"),
        (("--judge-batch", "5"), "--judge-batch needs --profile strict"),
        (("--profile", "strict", "--judge-batch", "0"), "'question' or a number of pairs from 1 on, got '0'"),
        (("--questions", "Q-77"), "no question 'Q-77'; ids look like 'Q-0'"),
        (("--out", "q.txt"), "must end in .csv"),
        (("--budget", "lots"), "cannot read the budget 'lots'"),
        (("--wording-of", "."), "nothing in"),
        (("--profile", "strict", "--reasons"), "choose --profile paper"),
    ],
)
def test_what_is_wrong_is_said(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FolkwaysError) as error:
        mcq(release, "--out", "q.csv", *arguments)
    assert message in str(error.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--profile", "paper"), "left out: 4 questions: somebody called it not applicable"),
        (("--profile", "strict"), "left out: 4 questions: somebody called it not applicable"),
        (("--profile", "strict", "--language", "local"), "left out: 16 items: somebody called it not app"),
    ],
)
def test_where_no_question_is_left_the_reasons_are_said_and_nothing_is_written(
    release: Path, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    shutil.copytree(release, tmp_path / "unknown")
    for file in (tmp_path / "unknown" / "annotations").iterdir():
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('"not-applicable": 0', '"not-applicable": 1'), encoding="utf-8")
    files = ("--out", tmp_path / "new", "--hub", tmp_path / "hub", "--calls", tmp_path / "calls.jsonl")
    with pytest.raises(FolkwaysError, match="no question is left, and nothing was written") as error:
        mcq(tmp_path / "unknown", *files, *options)
    assert why in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["unknown"]


def test_a_culture_beyond_the_paper_gets_its_items_and_in_its_language_the_reason(
    release: Path, tmp_path: Path
) -> None:
    shutil.copytree(release, tmp_path / "wider")
    for part, ending in (("annotations", "_data.json"), ("questions", "_questions.csv")):
        (tmp_path / "wider" / part / f"Spain{ending}").rename(tmp_path / "wider" / part / f"Kenya{ending}")
    assert mcq(tmp_path / "wider", "--out", tmp_path / "mcq").exit_code == 0
    items = get_task("blend/mcq").items(open_release(tmp_path / "mcq", "blend"))
    assert "KE" in items["culture"]
    assert items.filter(culture="KE")["text"].str.contains("in Kenya?", literal=True).all()
    with pytest.raises(FolkwaysError, match=r"left out: Kenya: its language \(Swahili\) is not one that"):
        mcq(tmp_path / "wider", "--out", tmp_path / "local", "--profile", "strict", "--language", "local")


def test_a_release_without_multiple_choice_has_no_wording(release: Path, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="no multiple-choice questions to take a wording from"):
        mcq(release, "--out", tmp_path / "q.csv", "--wording-of", release)


def test_files_that_are_no_builds(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FolkwaysError, match=r"a\.csv: has no column MCQID"):
        build("mcq-agreement", tmp_path / "a.csv", tmp_path / "a.csv")
    (tmp_path / "empty.csv").write_text(",".join(RELEASED) + "\n")
    with pytest.raises(FolkwaysError, match=r"empty\.csv has no items to compare"):
        build("mcq-agreement", tmp_path / "empty.csv", tmp_path / "empty.csv")
