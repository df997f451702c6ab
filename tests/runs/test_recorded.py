"""What is told of runs from Python, as it was when somebody last read it: tests/runs/recorded.

Models answer, err, refuse, think, are cut and fail, by the digest of the question, at prices. ``FOLKWAYS_RECORD=1``
records it anew (tests/support/fingerprints.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.errors import FolkwaysError
from folkways.reports.data import ReportData
from folkways.runs.models import cost_function
from folkways.runs.options import RunOptions
from folkways.runs.planning.estimate import estimate_run
from folkways.runs.results.items import find_item, find_question
from folkways.runs.results.report import collect
from folkways.runs.results.run_list import list_runs
from folkways.workspace.database import Workspace, open_workspace
from tests.support.blend_data import write_mcq, write_release
from tests.support.digest_models import DigestModel, golds_of
from tests.support.fingerprints import check_fingerprints, check_text

RECORDED = Path(__file__).parent / "recorded"

PRICES = """[usd_per_million_tokens]
"lab/able" = { input = 1000, output = 4000, batch = 0.5 }
"openai/gpt-4o-mini" = { input = 150, output = 600, batch = 0.5 }
"""

NAMES = {"lab/able": 3, "http://localhost:8000/v1#org/weak": 1, "hf/org/tiny-1b@abc123": 2}
"""Name of a model -> how many questions in five it knows besides."""


@dataclass(frozen=True)
class Study:
    """Runs in one workspace, by name, and the file of prices."""

    workspace: Workspace
    prices: Path
    release: Path
    runs: dict[str, Run]
    before: list[dict[str, Any]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("recorded")
    release = write_mcq(write_release(folder / "blend"))
    prices = folder / "prices.toml"
    prices.write_text(PRICES, encoding="utf-8")
    golds = golds_of(
        {"blend/saq": str(release), "blend/mcq": str(release), "demo/saq": "demo", "demo/mcq": "demo"}
    )
    able, weak, tiny = models = [
        DigestModel(name, golds, skill, name.startswith("hf/")) for name, skill in NAMES.items()
    ]
    workspace = open_workspace(folder / "w.db")
    asked = {"blend": str(release)}
    how: dict[str, Any] = {"workspace": workspace, "prices": prices, "max_failed": 1.0, "attempts": 1}
    before = estimates(["demo/mcq", "blend/saq"], [able, tiny], workspace, prices, releases=asked)
    runs = {
        "whole": folkways.run(
            ["blend/saq", "blend/mcq", "demo/mcq"], [*models, "baseline/random"], name="whole", releases=asked, **how
        ),
        "part": folkways.run(
            ["demo/saq", "demo/mcq"], [able, weak], name="part", cultures="KR,US,ET,MX", limit=7, samples=2, system="Be brief.",
            settings={"temperature": 0.7}, max_tokens=40, seed=3, **how,
        ),
        "treated": folkways.run("demo/mcq", [able, tiny], name="treated", treatments="persona-second", permute_options=2, **how),
        "drawn": folkways.run("demo/saq", [able, weak], name="drawn", until=30.0, **how),
    }  # fmt: skip
    runs["whole"].score("strict")
    return Study(workspace, prices, release, runs, before)


def estimates(
    tasks: list[str], models: list[Any], workspace: Workspace, prices: Path, **options: Any
) -> list[dict[str, Any]]:
    """What estimates say, without what depends on the machine's speed."""
    chosen = RunOptions(tuple(tasks), **options)
    made = estimate_run(chosen, models=models, workspace=workspace, prices=prices)
    return [{**asdict(one), "seconds": one.seconds is not None} for one in made]


def lines(value: object) -> str:
    """As JSON, an entry in a line each."""
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def test_numbers(study: Study) -> None:
    """Scores, judgements and replies of each run."""
    tables = {}
    for name, run in study.runs.items():
        tables[f"{name}: scores"] = run.scores()
        tables[f"{name}: judgements"] = run.judgements()
        tables[f"{name}: replies"] = run.responses().drop("seconds", "created", strict=False)
    check_fingerprints(tables, RECORDED / "numbers.json", aliases={str(study.release): "RELEASE"})


def test_what_reports_are_told(study: Study) -> None:
    """Of each run, and of two together: everything but judgements, scores and times."""
    texts, tables = [], {}
    together = [study.runs[name].record for name in ("part", "treated")]
    data = {name: run.report_data() for name, run in study.runs.items()}
    data["whole, strict"] = study.runs["whole"].report_data("strict")
    data["whole, scores alone"] = study.runs["whole"].report_data(with_judgements=False)
    data["drawn, for a verdict"] = study.runs["drawn"].report_data(with_judgements=False, with_verdict=True)
    data["part and treated"] = collect(study.workspace, together, cost_of=cost_function(study.prices))
    for name, told in data.items():
        texts.append(f"=== {name}\n{lines(words_of(told))}")
        tables[f"{name}: judgements"] = told.with_responses().judgements.drop("chosen_option", strict=False)
        tables[f"{name}: scores"] = told.scores
        for (task, profile, metric), made in told.contrasts.items():
            tables[f"{name}: contrasts, {task} {profile} {metric}"] = made.contrasts
        for result in told.results:
            for place, table in enumerate(result.tables):
                tables[f"{name}: {result.result.name} {place}"] = table.rows
    aliases = {str(study.release): "RELEASE"}
    check_text("\n".join(texts) + "\n", RECORDED / "report_data.txt", aliases)
    check_fingerprints(tables, RECORDED / "report_data.json", aliases=aliases)


def words_of(told: ReportData) -> dict[str, Any]:
    """What a report is told in words and small tables, without times."""
    return {
        "title": told.title,
        "runs": [replace(run, created="", seconds=0.0, version="") for run in told.runs],
        "warnings": told.warnings,
        "failures": told.failures.rows(),
        "expenses": {
            name: replace(one, seconds=one.seconds is not None, wall=one.wall is not None) for name, one in told.expenses.items()
        },
        "people": told.people.height,
        "signatures": list(told.signatures),
        "metrics": {task: [metric.name for metric in metrics] for task, metrics in told.metrics.items()},
        "releases": [record.name for record in told.releases],
        "results": [result.result.name for result in told.results],
        **{
            name: getattr(told, name)
            for name in ("task_titles", "headline_by", "ordered", "unknown_people", "without_results", "without_items", "chance", "homes", "parts", "names", "dispute")
        },
        "ranks": {"/".join(key): made.ranks for key, made in told.contrasts.items()},
        "kept apart": told.replies is not None,
    }  # fmt: skip


def test_what_runs_and_estimates_say(study: Study) -> None:
    tiny = DigestModel("hf/org/tiny-1b@abc123", {}, runs_here=True)
    rows = [
        {name: value for name, value in row.items() if name not in ("began", "seconds")}
        for row in list_runs(study.workspace)
    ]
    after = estimates(
        ["blend/saq", "demo/mcq"],
        [tiny, DigestModel("lab/able", {})],
        study.workspace,
        study.prices,
        releases={"blend": str(study.release)},
    )
    sampled = estimates(
        ["demo/saq"],
        [DigestModel("lab/able", {})],
        study.workspace,
        study.prices,
        samples=3,
        cultures=("KR", "US"),
    )
    texts = {
        "runs": rows,
        "recipes": {name: run.record.recipe for name, run in study.runs.items()},
        "signatures": {name: run.signature.splitlines() for name, run in study.runs.items()},
        "brief": {name: run.brief() for name, run in study.runs.items()},
        "shown": {name: [re.sub(r"(?<=before: ).*? old", "some time old", repr(run)), len(run), run.failed()] for name, run in study.runs.items()},
        "estimates before": study.before,
        "estimates after": after,
        "estimates of samples": sampled,
    }  # fmt: skip
    check_text(
        lines(texts) + "\n",
        RECORDED / "runs.txt",
        {str(study.release): "RELEASE", str(study.prices): "PRICES"},
    )


COMPARED: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("able", "weak", "tiny-1b"), {"runs": "whole"}),
    (("able", "random"), {"runs": "whole", "tasks": "blend/saq", "by": "language", "profile": "strict"}),
    (("able", "random"), {"runs": "whole", "tasks": ["demo/mcq", "blend/mcq"]}),
    (("able@part", "able@whole"), {}),
    (("able", "weak"), {"runs": "part", "by": "topic", "metric": "correct"}),
    (("able", "weak"), {"runs": "drawn"}),
    (("able@treated", "tiny-1b@treated", "weak@part"), {"tasks": "demo/mcq"}),
    ((), {"runs": ["drawn", "part"]}),
    (("able",), {"runs": "whole"}),
    (("able", "able"), {"runs": "whole"}),
    (("able", "able"), {"runs": ["whole", "part"]}),
    (("able", "weak"), {"runs": "whole", "metric": "nothing"}),
    (("able", "weak"), {"runs": "whole", "by": "nothing"}),
    (("able", "weak"), {"runs": "part", "by": "nothing", "tasks": "demo/saq"}),
    (("able", "weak"), {"runs": "part", "tasks": "blend/saq"}),
    (("able", "weak"), {"runs": "part", "profile": "paper"}),
    (("able", "whole"), {"runs": "whole"}),
    (("able", "nobody"), {"runs": ["whole", "part"]}),
    (("able@nothing", "weak"), {"runs": "whole"}),
)

CHECKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("whole", {"min": "blend/saq=20,demo/mcq:KR=50,demo/mcq=99"}),
    ("whole", {"min": {"blend/mcq": 10}, "models": "able", "strict": True}),
    ("whole", {"min": {"blend/mcq": 10, "blend/saq": 90}, "profile": "strict", "coverage": 90}),
    ("whole", {"min": "blend/saq=20", "metric": "other_language", "models": ["able", "weak"]}),
    ("part", {"min": "demo/saq=40,demo/saq:ET=1"}),
    ("drawn", {"min": "demo/saq=40", "strict": True}),
    ("part", {"max_drop_vs": "whole=3"}),
    ("treated", {"max_drop_vs": {"whole": 1, "part": 50}, "models": "able", "strict": True}),
    ("whole", {"max_drop_vs": "drawn=5", "models": "able"}),
    ("part", {"max_drop_vs": "part=3"}),
    ("part", {"max_drop_vs": "whole=3", "metric": "nothing"}),
    ("part", {"min": "demo/saq=101"}),
    ("part", {"min": "blend/saq=1"}),
    ("part", {"min": "demo/saq:XX=1"}),
    ("part", {"min": "demo/saq=1", "profile": "paper"}),
    ("part", {"min": "demo/saq=1", "models": "nobody"}),
    ("drawn", {"max_drop_vs": "treated=5", "models": "weak"}),
    ("part", {}),
)


def test_what_comparisons_say(study: Study) -> None:
    texts, tables = [], {}
    for models, how in COMPARED:
        notes: list[str] = []
        title = f"compare {', '.join(models)} {how}"
        texts.append(f"=== {title}")
        try:
            compared = folkways.compare(*models, workspace=study.workspace, tell=notes.append, **how)
        except FolkwaysError as error:
            texts.append(f"{type(error).__name__}: {error}")
            continue
        for one in compared:
            words = {name: value for name, value in vars(one).items() if not isinstance(value, pl.DataFrame)}
            texts.append(lines({**words, "metric": one.metric.name}))
            tables |= {
                f"{title} {one.task} {name}": value
                for name, value in vars(one).items()
                if isinstance(value, pl.DataFrame)
            }
        texts += notes
    check_text("\n".join(texts) + "\n", RECORDED / "compared.txt")
    check_fingerprints(tables, RECORDED / "compared.json")


def test_what_gates_say(study: Study) -> None:
    texts = []
    for run, how in CHECKED:
        texts.append(f"=== gate {run} {how}")
        try:
            texts.append(repr(folkways.gate(run, workspace=study.workspace, **how)))
        except FolkwaysError as error:
            texts.append(f"{type(error).__name__}: {error}")
    check_text("\n".join(texts) + "\n", RECORDED / "gates.txt")


ITEMS = (
    (find_item, "demo/mcq:KR/school-1", None),
    (find_item, "demo/mcq:KR/school-1", "part"),
    (find_item, "KR/school-1", "part"),
    (find_item, "demo/saq:US/sport-1", "whole"),
    (find_item, "demo/mcq:XX/nothing", None),
    (find_item, "demo/nothing:KR/school-1", None),
    (find_item, "blend/saq:KR/Q-1", None),
    (find_question, "blend:Q-1", None),
    (find_question, "blend:Q-4", "whole"),
    (find_question, "demo:school-1", None),
    (find_question, "demo:school-1", "treated"),
    (find_question, "demo:KR/school-1", "drawn"),
    (find_question, "demo:nothing", None),
    (find_question, "demo:nothing", "part"),
    (find_question, "nothing:x", None),
)


def test_what_is_shown_of_an_item(study: Study) -> None:
    """Prompts and replies of a model, its judgements in every profile."""
    texts, tables = [], {}
    for find, name, run in ITEMS:
        title = f"{find.__name__} {name} {run or ''}"
        texts.append(f"=== {title}")
        try:
            found = find(study.workspace, name, run)
        except FolkwaysError as error:
            texts.append(f"{type(error).__name__}: {error}")
            continue
        for one in found if isinstance(found, list) else [found]:
            frames = {key: value for key, value in vars(one).items() if isinstance(value, pl.DataFrame)}
            texts.append(
                f"{one.task.name}: " + ", ".join(f"{key} {frame.shape}" for key, frame in frames.items())
            )
            tables |= {
                f"{title} {one.task.name} {key}": frame.drop("seconds", "created", strict=False)
                for key, frame in frames.items()
            }
            if not isinstance(found, list):
                texts.append(lines(one.shown))
    aliases = {str(study.release): "RELEASE"}
    check_text("\n".join(texts) + "\n", RECORDED / "items.txt", aliases)
    check_fingerprints(tables, RECORDED / "items.json", aliases=aliases)


def test_what_a_notebook_shows(study: Study) -> None:
    """In HTML, without the drawing of a map."""
    runs, where = study.runs, {"workspace": study.workspace}
    shown = {
        "run": runs["whole"],
        "sampled run": runs["drawn"],
        "treated run": runs["treated"],
        "scores": runs["part"].scores(),
        "comparison": folkways.compare("able", "weak", runs="part", **where),
        "item": folkways.item("demo/mcq:KR/school-1", **where),
        "gate": folkways.gate("part", min="demo/saq=40", **where),
    }
    texts = []
    for name, one in shown.items():
        html = one._repr_html_() if hasattr(one, "_repr_html_") else repr(one)
        html = re.sub(r'(?<=base64,)[^"]*', "PICTURE", html)
        texts += [f"=== {name}", *(line.rstrip() for line in html.replace("><", ">\n<").splitlines())]
    check_text("\n".join(texts) + "\n", RECORDED / "notebook.txt", {str(study.release): "RELEASE"})


def test_what_reports_of_runs_say(study: Study, tmp_path: Path) -> None:
    """In Markdown as a whole; of tables in files every number."""
    tables = {}
    for name in ("whole", "part", "treated", "drawn"):
        written = study.runs[name].report(tmp_path / name, "md,csv")
        for path in written:
            if path.suffix == ".md":
                text = re.sub(
                    r"\d{4}-\d\d-\d\d(T[\d:+]+)?|\d+(\.\d+)? s\b", "TIME", path.read_text(encoding="utf-8")
                )
                check_text(text, RECORDED / f"{name}.md", {str(study.release): "RELEASE"})
            else:
                tables[f"{name}: {path.name}"] = pl.read_csv(path, infer_schema_length=None).drop(
                    "created", "seconds", strict=False
                )
    check_fingerprints(tables, RECORDED / "files.json", aliases={str(study.release): "RELEASE"})
