"""Suites on the command line: what is at hand is asked, what is not is named, and one report says where the
model does better."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
import tomlkit

from folkways.benchmarks.registry import asked_tasks, expand_tasks, tasks, without_suites
from folkways.benchmarks.suites import __file__ as suites_module
from folkways.benchmarks.suites import split_task, suites
from folkways.cli.run import command as run_command
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.stats.intervals import wilson
from scripts.recipe_schema import json_schema
from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, environment, folkways, rows
from tests.support.culturalbench_data import write_culturalbench
from tests.support.hub_benchmarks import write_include, write_mmlu, write_normad, write_piqa

OWN = """\
models = ["baseline/first"]
tasks = ["demo/saq", { name = "demo/mcq", limit = 4, cultures = ["KR", "ET"] }, { name = "demo/true-false", limit = 2 }]
limit = 3
"""


INVENTED = {
    "culturalbench": write_culturalbench,
    "global-mmlu-lite": write_mmlu,
    "global-piqa": write_piqa,
    "include": write_include,
    "normad": write_normad,
}
"""Benchmarks of the hub -> what writes invented data in their schema."""

AT_HAND = [
    {"name": "culturalbench/easy", "limit": 90},
    *(name for name in INVENTED if name != "culturalbench"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def ended(done: Done, code: int = 0) -> Done:
    assert done.returncode == code, done.stderr
    return done


def test_a_suite_is_a_recipe_with_tasks_that_there_are() -> None:
    for name, suite in suites().items():
        recipe = tomllib.loads(Path(suites_module).with_name(f"{name}.toml").read_text(encoding="utf-8"))
        jsonschema.validate(recipe, json_schema(run_command))
        assert list(recipe) == ["tasks"] and suite.about
        assert {task.name for task in expand_tasks([name])} <= tasks().keys()
    left_out = {"demo", "global-mmlu", "global-piqa-parallel", "blend-vis", "superblend"}
    left_out |= {"survey", "global-opinion-qa", "wvs"}  # no answer is right there
    every = {task.benchmark for task in tasks().values()} - left_out
    assert {task.benchmark for task in expand_tasks(["culture-suite"])} == every


def test_the_lite_suite_takes_under_3000_requests_and_each_score_is_known_to_less_than_5_points() -> None:
    limits = []
    for task, own in asked_tasks(["culture-suite-lite"]):
        per_item = len(own.get("variants", task.variants))  # type: ignore[arg-type]
        assert per_item == 1, task.name
        limits.append(own["limit"])
        asked = wilson(limits[-1] / 2, limits[-1])
        assert 100 * (asked.high - asked.low) / 2 < 5, task.name
    assert sum(limits) < 3000


def test_of_two_limits_the_smaller_counts_and_other_settings_of_a_task_go_before() -> None:
    assert without_suites(["demo", "culture-suite-lite?limit=7"])[:2] == [
        "demo",
        "blend/saq?limit=7&languages=local&variants=inst-4",
    ]
    assert dict(map(split_task, without_suites(["culture-suite-lite?limit=900"])))["include/mcq"] == {
        "limit": 400
    }
    for name, words in {
        "demo?lim=3": r"unknown setting of the task demo: 'lim'; did you mean 'limit'",
        "demo?limit=0": "must be a whole number from 1 on, got '0'",
        "demo?cultures=": "has no value; write it demo\\?cultures=VALUE",
    }.items():
        with pytest.raises(FolkwaysError, match=words):
            asked_tasks([name])
    with pytest.raises(FolkwaysError, match=r"demo/mcq is named in two \(demo/mcq and demo/mcq\?limit=3\)"):
        asked_tasks(["demo", "demo/mcq?limit=3"])
    with pytest.raises(UnknownNameError, match="culture-suite"):
        asked_tasks(["culture-suit"])


def test_a_suite_of_ones_own_asks_each_task_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(OWN, encoding="utf-8")
    ended(folkways("run", "mine.toml", cwd=tmp_path))
    asked = "SELECT task, count(DISTINCT item), min(item) FROM expected GROUP BY task ORDER BY task"
    found = {task: (n, first[:2]) for task, n, first in rows(tmp_path / "folkways.db", asked)}
    assert found == {
        "demo/mcq": (3, "ET"),
        "demo/saq": (3, found["demo/saq"][1]),
        "demo/true-false": (8, found["demo/true-false"][1]),
    }
    given_back = ended(folkways("runs", "--recipe", "last", cwd=tmp_path)).stdout
    assert tomllib.loads(given_back)["tasks"] == [
        "demo/saq",
        "demo/mcq?limit=4&cultures=KR,ET",
        "demo/true-false?limit=2",
    ]
    (tmp_path / "again.toml").write_text(given_back, encoding="utf-8")
    assert "all 17 replies were stored already" in ended(folkways("run", "again.toml", cwd=tmp_path)).stderr
    signed = "SELECT DISTINCT run_id, signature FROM scores"
    first, second = (
        {text for run, text in rows(tmp_path / "folkways.db", signed) if run == number} for number in (1, 2)
    )
    assert first == second and any('"limit": "2"' in text for text in first)
    (tmp_path / "mine.toml").write_text('tasks = [{ name = "demo/mcq", limits = 4 }]', encoding="utf-8")
    wrong = ended(folkways("run", "mine.toml", cwd=tmp_path), 2).stderr
    assert "mine.toml: line 1, key 'tasks': unknown setting of the task demo/mcq: 'limits'" in wrong


def test_tasks_without_data_are_named_together_or_left_out_and_said_by_estimate_run_and_report(
    tmp_path: Path,
) -> None:
    env = environment(FOLKWAYS_DATA=str(tmp_path / "none"))
    refused = ended(
        folkways("run", "culture-suite-lite", "demo/mcq", "-m", "baseline/first", cwd=tmp_path, env=env), 2
    ).stderr
    assert "  blend/saq: blend\n  culturalbench/easy: culturalbench\n" in refused
    assert (
        "folkways data fetch blend culturalbench global-piqa include normad xcr" in refused
        and "--skip-missing" in refused
    )
    arguments = ("include/mcq", "normad", "demo/mcq", "-m", "baseline/first", "--limit", 2, "--skip-missing")
    told = "Left out: include/mcq (its data are not on this disk; folkways data fetch include brings them)"
    assert told in ended(folkways("estimate", *arguments, cwd=tmp_path, env=env)).stdout
    assert told in ended(folkways("run", *arguments, cwd=tmp_path, env=env)).stderr
    ended(folkways("report", "last", "--format", "md", "--out", "report", cwd=tmp_path, env=env))
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "left out normad/acceptable: its data are not on this disk" in page
    copies = ended(
        folkways("run", "superblend", "blend", "wvs/map", "-m", "baseline/first", cwd=tmp_path, env=env), 2
    ).stderr
    assert "Fetch them: folkways data fetch blend blend-mcq\n" in copies
    assert all(
        f"adopt your copy: folkways data fetch {name} --from DIR" in copies for name in ("superblend", "wvs")
    )
    only = ended(
        folkways("run", "include", "-m", "baseline/first", "--skip-missing", cwd=tmp_path, env=env), 2
    ).stderr
    assert "include/mcq: release include@d2e1f60 is not on this disk" in only and "--skip-missing" not in only
    listed = ended(folkways("tasks", cwd=tmp_path, env=env)).stdout
    assert "culture-suite-lite" in listed and "under 3,000 requests" in listed
    assert (
        "normad/acceptable?limit=400&variants=country"
        in ended(folkways("tasks", "culture-suite-lite", cwd=tmp_path)).stdout
    )


def ask_at_hand(
    folder: Path, server: ChatServer, tasks: list[Any], releases: dict[str, Path]
) -> pl.DataFrame:
    """Run a suite of these tasks and the invented ones; gives back the culture profile by culture."""
    for name, write in INVENTED.items():
        (folder / name).mkdir()
        write(folder / name)
    places = {
        name: str(place) for name, place in {**releases, **{name: folder / name for name in INVENTED}}.items()
    }
    suite = tomlkit.dumps({"tasks": [*tasks, *AT_HAND], "limit": 31, "releases": places})
    (folder / "at-hand.toml").write_text(suite, encoding="utf-8")
    ended(folkways("run", "at-hand.toml", "-m", f"{server.url}/v1#letters", cwd=folder))
    asked = {
        task.split("/")[0] for (task,) in rows(folder / "folkways.db", "SELECT DISTINCT task FROM scores")
    }
    assert asked == places.keys()
    ended(
        folkways(
            "analyse", "last", "--only", "culture-profile", "--format", "csv", "--out", "profile", cwd=folder
        )
    )
    return pl.read_csv(folder / "profile" / "culture-profile-cultures.csv")


def test_a_suite_of_invented_benchmarks_gives_a_culture_profile(server: ChatServer, tmp_path: Path) -> None:
    profile = ask_at_hand(tmp_path, server, [], {})
    known = dict(profile.select("culture", "benchmarks").rows())
    assert {"JP", "KR"} <= known.keys() and min(known.values()) >= 2
    assert "WORLD" not in known
    assert (
        profile.filter(
            (pl.col("low") < pl.col("difference")) & (pl.col("difference") < pl.col("high"))
        ).height
        == profile.height
    )
    of_each = pl.read_csv(tmp_path / "profile" / "culture-profile-culture-benchmarks.csv").filter(
        culture="JP"
    )
    assert profile.filter(culture="JP")["raw"][0] == pytest.approx(
        (of_each["score"] - of_each["mean"]).mean()
    )


@pytest.mark.nightly
@pytest.mark.shared
def test_what_is_at_hand_is_a_suite_and_its_report_has_a_culture_profile(
    shared: Path, server: ChatServer, tmp_path: Path
) -> None:
    data = shared / "data"
    folders = {
        "blend": data / "blend/24e7d73",
        "semeval2026": data / "semeval2026-task7",
        "xcr": data / "xcr",
    }
    tasks = [
        {"name": "blend/saq", "languages": "local", "variants": "inst-4"},
        "semeval2026/saq",
        "xcr/identification?limit=2",
    ]
    profile = ask_at_hand(tmp_path, server, tasks, folders)
    assert profile.filter(culture="CN")["benchmarks"][0] >= 3
    ended(folkways("report", "last", "--format", "html", "--out", "report", cwd=tmp_path))
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert (
        page.count('<section id="analysis-culture-profile"') == 1
        and "What it is not: a score of a model" in page
    )
