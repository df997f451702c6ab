"""``folkways gate`` in a pipeline: exit codes, files, annotations."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from folkways import gate, run
from tests.support.blend_data import write_release
from tests.support.command_line import folkways


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: ``before`` and ``now`` of the same baseline, and ``echo``, which never names a letter, beside
    it in ``both``. ``words`` asked another task."""
    path = tmp_path_factory.mktemp("gate") / "w.db"
    for name, models in (("before", ["first"]), ("now", ["first"]), ("both", ["first", "echo"])):
        wanted = [part for model in models for part in ("--model", f"baseline/{model}")]
        seed = ("--seed", "1") if name == "now" else ()
        assert folkways("run", "demo/mcq", *wanted, *seed, "--name", name, "-w", path).returncode == 0
    saq = ("run", "demo/saq", "--cultures", "US", "--model", "baseline/first")
    assert folkways(*saq, "--name", "words", "-w", path).returncode == 0
    return path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("now", "--min", "demo/mcq=5"), 0),
        (("now", "--min", "demo/mcq=28"), 0),  # within the interval: unsure
        (("now", "--min", "demo/mcq=28", "--strict"), 1),
        (("now", "--min", "demo/mcq=90"), 1),
        (("both", "--min", "demo/mcq=20"), 1),  # the other model fails
        (("both", "--min", "demo/mcq=20", "--model", "first"), 0),
        (("both", "--min", "demo/mcq=20", "--model", "first", "--model", "baseline/first"), 0),  # once
        (("now", "--max-drop-vs", "before=0"), 0),
        (("both", "--max-drop-vs", "before=1", "-m", "first"), 0),
    ],
)
def test_exit_codes(workspace: Path, arguments: tuple[str, ...], code: int) -> None:
    done = folkways("gate", *arguments, "-w", workspace)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("FAILED" in done.stdout) == (code == 1)


def test_a_worse_model_in_the_same_place_is_a_drop(workspace: Path, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    folkways("run", "demo/mcq", "--model", "baseline/echo", "--name", "worse", "-w", workspace)
    done = folkways(
        "gate", "worse", "--max-drop-vs", "before=2", "--github", "--junit", junit, "-w", workspace
    )
    assert done.returncode == 1
    title = "folkways gate%3A demo/mcq%3A no more than 2 worse than before"
    assert f"::error title={title}::baseline/echo against baseline/first: found 0.0 here" in done.stdout
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1"


def test_where_less_is_better_the_model_with_more_fails(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    release = write_release(tmp_path / "blend")
    replies = ("I cannot answer that.", "coffee")
    models = [part for text in replies for part in ("--model", f"baseline/constant:{text}")]
    done = folkways("run", "blend/saq", *models, "--release", release, "--name", "asked", "-w", path)
    assert done.returncode == 0, done.stderr
    asked = ("gate", "asked", "--metric", "refusal", "-w", path)
    for bound, refuses, answers in ((5, "FAILED", "unsure"), (71, "unsure", "ok"), (100, "ok", "ok")):
        done = folkways(*asked, "--min", f"blend/saq={bound}")
        assert done.returncode == (refuses == "FAILED")
        assert [line.split()[0] for line in done.stdout.splitlines()] == [refuses, answers]
    verdicts = tmp_path / "verdicts.csv"
    columns = "task,endpoint,question,culture,language,judge,lexical,verdict,ended,label"
    verdicts.write_text(f"{columns}\nblend/saq,m,q,KR,en,j,1,1,judged,1\n")
    done = folkways(*asked, "--min", "blend/saq=5", "--judged", verdicts)
    assert done.returncode == 2
    assert "--judged decides on the share of right answers, not on Refusals" in done.stderr


def test_a_model_that_never_replied_fails_whatever_is_required(workspace: Path) -> None:
    """Nobody listens on that port: all replies failed, nothing was measured, and that is no wrong input."""
    dead = ("--model", "http://127.0.0.1:9/v1#dead", "--attempts", "1", "--wait", "0", "--name", "dead")
    assert folkways("run", "demo/mcq", *dead, "-w", workspace).returncode == 1
    low = folkways("gate", "dead", "--min", "demo/mcq=0", "-w", workspace)
    drop = folkways("gate", "dead", "--max-drop-vs", "before=100", "-w", workspace)
    for done in (low, drop):
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith("FAILED  demo/mcq")
        assert "found nothing" in done.stdout
        assert not re.search(r"\bnan\b", done.stdout)
    assert "http://127.0.0.1:9/v1#dead replied to none of 18" in drop.stdout


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs on demo/saq of one file's replies: ``most``, nine questions of ten; ``less``, half of
    them; ``new``, others of the same model. ``most.csv`` and ``less.csv`` have a judge's verdicts with labels,
    ``part.csv`` some of the first, and ``spaces.csv`` them all after another program broke lines."""
    folder = tmp_path_factory.mktemp("judged")
    here = {"cwd": folder}
    assert folkways("run", "demo/saq", "--model", "baseline/first", "--name", "all", **here).returncode == 0
    assert folkways("report", "all", "--format", "csv", "--out", "all", **here).returncode == 0
    rows = pl.read_csv(folder / "all" / "judgements.csv").select("item", "language")
    questions = rows["item"].unique().sort()
    last = questions.is_in(questions[-3:].implode())
    for name, kept, reply in (
        ("less", ~last, "= tea"),
        ("most", questions != "", "= tea"),
        ("new", ~last, "x"),
    ):
        half = questions.gather_every(2) if name == "less" else questions.filter(kept)
        table = rows.filter(pl.col("item").is_in(half.implode())).with_columns(response=pl.lit(reply))
        table.write_csv(folder / "replies.csv")
        folkways("run", "demo/saq", "--model", "replay:replies.csv", "--name", name, **here)
    judge = ("--judge", 'baseline/constant:{"group": 1}')
    for name, out, more in (("less", "less", ()), ("most", "most", ()), ("most", "part", ("--limit", 12))):
        labels = folder / f"{out}-people.csv"
        folkways("judge-by-model", name, *judge, *more, "--out", f"{out}.csv", **here)
        verdicts = pl.read_csv(folder / f"{out}.csv").filter(ended="judged")
        verdicts.select("item", "language", label=pl.lit(1)).write_csv(labels)
        done = folkways(
            "judge-by-model", name, *judge, *more, "--labels", labels, "--out", f"{out}.csv", **here
        )
        assert done.returncode == 0, done.stderr
    text = (folder / "most.csv").read_text()
    assert "'= tea" in text  # as spreadsheets may open it
    (folder / "spaces.csv").write_text(text.replace("'= tea", '"\'=\n tea"'))
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("most", "--judged", "most.csv"), 0, "ok      demo/saq=40  replay:replies.csv: found"),
        (("most", "--judged", "spaces.csv"), 0, "ok      demo/saq=40"),
        (("most", "--judged", "part.csv"), 0, "; the judge was asked about 23 of 68 replies ("),
        (("less", "--judged", "less.csv"), 1, "50 % of the items got a reply, less than 95 %: too few"),
        (("less", "--judged", "less.csv", "--coverage", "51"), 1, "less than 51 %"),
        (("less", "--judged", "less.csv", "--coverage", "50"), 0, "; 40 lies within the interval"),
        (
            ("less", "--judged", "less.csv", "--coverage", "50", "--strict"),
            1,
            "; 40 lies within the interval",
        ),
        (
            ("new", "--judged", "most.csv"),
            2,
            "most.csv: is not on run new: 68 of its 68 verdicts on demo/saq",
        ),
        (("all", "--judged", "most.csv"), 2, "no labels of baseline/first on demo/saq"),
        (("most", "--judged", "most.csv", "--profile", "nope"), 2, "unknown profile"),
    ],
)
def test_verdicts_decide_on_the_replies_of_the_run_alone_and_not_on_too_few(
    judged: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = folkways("gate", *arguments, "--min", "demo/saq=40", cwd=judged)
    assert (done.returncode, words in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr


@pytest.fixture(scope="module")
def some_replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run ``some``, in which nobody replied about the US."""
    folder = tmp_path_factory.mktemp("some")
    here = {"cwd": folder}
    asked = (
        "run",
        "blend/saq",
        "--release",
        write_release(folder / "blend"),
        "--languages",
        "en",
        "--variants",
        "inst-4",
    )
    assert folkways(*asked, "--model", "baseline/first", "--name", "all", **here).returncode == 0
    assert folkways("report", "all", "--format", "csv", "--out", "all", **here).returncode == 0
    rows = pl.read_csv(folder / "all" / "judgements.csv").filter(pl.col("culture") != "US")
    rows.select("item", "language", response=pl.lit("coffee")).write_csv(folder / "some.csv")
    folkways(*asked, "--model", "replay:some.csv", "--name", "some", **here)
    return folder


@pytest.mark.parametrize(
    ("coverage", "group", "status"),
    [(95, "", "FAILED"), (61, "", "FAILED"), (60, "", "ok"), (95, ":KR", "ok"), (1, ":US", "FAILED")],
)
def test_a_metric_of_replies_alone_is_not_decided_where_too_few_came(
    some_replies: Path, coverage: int, group: str, status: str
) -> None:
    """The share of refusals has no row of an item without a reply."""
    gate = ("gate", "some", "--metric", "refusal", "--min", f"blend/saq{group}=90", "--coverage", coverage)
    done = folkways(*gate, cwd=some_replies)
    assert (done.stdout.split()[0], done.returncode) == (status, int(status == "FAILED")), done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("now",), "nothing is required"),
        (("nope", "--min", "demo/mcq=1"), "unknown run 'nope'"),
        ((__file__, "--min", "demo/mcq=1"), f"--model replay:{__file__}"),
        (("now", "--min", "demo/mcq"), "cannot read 'demo/mcq'"),
        (("now", "--min", "demo/mcq:XX=1"), "unknown culture 'XX'"),
        (("now", "--min", "demo/mcq:KR+en=1"), "in one language alone; require demo/mcq:KR"),
        (("now", "--min", "blend/saq=1"), "unknown task of these scores: 'blend/saq'"),
        (("now", "--min", "demo/mcq=1", "--profile", "nope"), "unknown profile"),
        (("now", "--min", "demo/mcq=1", "--metric", "nope"), "unknown metric"),
        (
            ("now", "--min", "demo/mcq=1", "--model", "nope"),
            "unknown model of run now: 'nope'\nvalid: baseline/first\na gate",
        ),
        (
            ("now", "--min", "demo/mcq=140"),
            "--min demo/mcq=140: scores of Accuracy (demo/mcq) lie between 0 and 100",
        ),
        (("now", "--min", "demo/mcq=-3"), "lie between 0 and 100"),
        (
            ("now", "--min", "demo/mcq=nan"),
            "'nan' is not a finite number (most scores lie between 0 and 100)",
        ),
        (("now", "--max-drop-vs", "before=nan"), "'nan' is not a finite number"),
        (("now", "--max-drop-vs", "before=101"), "drops of Accuracy (demo/mcq) lie between 0 and 100"),
        (("now", "--max-drop-vs", "nope=1"), "unknown run 'nope'"),
        (("now", "--max-drop-vs", "now=1"), "run now cannot have dropped against itself"),
        (("both", "--max-drop-vs", "before=1"), "run before has no model baseline/echo"),
        (
            ("now", "--max-drop-vs", "words=1"),
            "these models have no task in common (baseline/first@now: demo/mcq; baseline/first@words: demo/saq)",
        ),
        (("now", "--min", "demo/mcq=1", "--junit", "/nowhere/gate.xml"), "does not exist"),
    ],
)
def test_wrong_input_is_exit_code_2_and_one_message(
    workspace: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = folkways("gate", *arguments, "-w", workspace)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_fewer_samples_than_there_are_compared_on_those_that_both_have(tmp_path: Path) -> None:
    """Samples that were not asked for here are not lost; replies that did not come are."""

    def steady(prompt: str) -> str:
        return "A"

    def failing(prompt: str) -> str:
        if len(prompt) % 3:
            raise ValueError("lost")
        return "A"

    path, how = tmp_path / "w.db", {"attempts": 1, "max_failed": 1}
    run("demo/mcq", [steady], samples=3, name="three", workspace=path)
    run("demo/mcq", [steady], samples=1, name="one", workspace=path)
    run("demo/mcq", [failing], samples=1, name="lost", workspace=path, **how)
    run("demo/mcq", [steady], samples=3, cultures="KR,ET", name="part", workspace=path)
    for name, against, few in (
        ("one", "three", False),
        ("three", "one", False),
        ("lost", "three", True),
        ("part", "one", True),
    ):
        (check,) = gate(name, max_drop_vs={against: 50}, workspace=path)
        assert ("too few to decide on" in check.message) == few, check
        assert ("where no row got a reply both here and there" in check.message) == few, check


def test_a_bound_of_a_program_keeps_its_digits(workspace: Path) -> None:
    (check,) = gate("now", min={"demo/mcq": 27.77777777}, workspace=workspace)
    assert check.name.endswith("27.77777777")


def test_drops_are_decided_in_the_profile_by_the_metric_and_on_the_coverage_that_are_named(
    tmp_path: Path,
) -> None:
    release = write_release(tmp_path / "blend")
    here = {"cwd": tmp_path}
    narrow = ("--languages", "en", "--variants", "inst-4", "--cultures", "US", "--max-failed", "100")
    for name, reply, items in (
        ("then", "coffee", 4),
        ("now", "I cannot answer that.", 4),
        ("few", "coffee", 3),
    ):
        lines = [f"US/Q-{number},{reply}" for number in range(1, items + 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,response", *lines, ""]))
        asked = (
            "run",
            "blend/saq",
            "--release",
            release,
            *narrow,
            "-m",
            f"replay:{name}.csv",
            "--name",
            name,
        )
        assert folkways(*asked, **here).returncode == 0
    drop = ("--max-drop-vs", "then=1")
    unjudged = "has not been judged in the profile strict; do it (no model is asked): folkways score"
    for arguments, code, words in (
        (
            ("now", "--min", "blend/saq=1", "--profile", "strict"),
            2,
            f"run now {unjudged} now --profile strict",
        ),
        (("now", *drop, "--profile", "strict"), 2, f"run now {unjudged} now --profile strict"),
        (
            ("now", *drop),
            0,
            "replay:now.csv against replay:then.csv: found 0.0 here and 25.0 there on 4 shared rows",
        ),
        (("now", *drop, "--metric", "refusal"), 0, "found 100.0 here and 0.0 there on 4 shared rows"),
        (("few", *drop), 1, "75 % of what was asked there got a reply in both, less than 95 %"),
        (("few", *drop, "--coverage", "75"), 0, "a drop of more than 1 is neither shown nor ruled out"),
        (
            ("few", *drop, "--coverage", "75", "--strict"),
            1,
            "a drop of more than 1 is neither shown nor ruled out",
        ),
    ):
        done = folkways("gate", *arguments, **here)
        printed = done.stdout + done.stderr
        assert (done.returncode, words in printed) == (code, True), printed
    for name in ("now", "then"):
        assert folkways("score", name, "--profile", "strict", **here).returncode == 0
    done = folkways("gate", "now", *drop, "--min", "blend/saq=1", "--profile", "strict", **here)
    assert done.returncode == 0 and done.stdout.count("unsure  blend/saq") == 2, done
