"""The pages of a leaderboard in a real browser, from files: what the script draws, and that nothing a record
brings does anything."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from folkways.display import number
from folkways.evidence.contributions import Contribution
from folkways.names import WHOLE, culture_name
from folkways.records import SCORES, Signature
from folkways.reports.data import ReportData
from folkways.reports.figures.sparklines import heat_step, marks
from folkways.reports.formats.site import Site, page_paths, sizes_about, write_site
from folkways.reports.views.board import Board
from folkways.reports.views.views import ReportView
from tests.reports.conftest import HOSTILE
from tests.support.browser import axe_violations
from tests.support.many_models import many

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "color_scheme": "dark",
}


class Estimate(NamedTuple):
    score: float
    low: float
    high: float


def steps_of(classes: str) -> dict[str, int]:
    """Mark of a bar -> its step."""
    return {name: int(step) for name, step in re.findall(r"\b([lws])(\d+)\b", classes)}


def contribution(data: ReportData, source: str = "made") -> Contribution:
    return Contribution(
        source,
        data.created,
        data.scores.select(list(SCORES)),
        data.judgements,
        data.signatures,
        {task: metrics[0] for task, metrics in data.metrics.items()},
        data.task_titles,
    )


@pytest.fixture(scope="module")
def large() -> ReportData:
    return many(models=6, tasks=6, rows=9_000)


@pytest.fixture(scope="module")
def site(large: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models are asked in another language, and kept apart; the first has no score about Korea, and another
    one two questions alone."""
    last = pl.col("endpoint").is_in(large.scores["endpoint"].unique(maintain_order=True).to_list()[-2:])
    other = {text.replace("lang:en", "lang:ko"): text for text in large.signatures}
    signatures = {
        text: Signature({**large.signatures[old].parts, "lang": "ko"}) for text, old in other.items()
    }
    names = large.scores["endpoint"].unique(maintain_order=True).to_list()
    of_korea = pl.col("value") == "KR"
    few = of_korea & (pl.col("endpoint") == names[2])
    scores = large.scores.filter(~last, ~(of_korea & (pl.col("endpoint") == names[0]))).with_columns(
        questions=pl.when(few).then(2).otherwise("questions")
    )
    parts = [
        replace(large, scores=scores, judgements=large.judgements.filter(~last)),
        replace(
            large,
            scores=large.scores.filter(last).with_columns(
                pl.col("signature").str.replace("lang:en", "lang:ko")
            ),
            judgements=large.judgements.filter(last),
            signatures=signatures,
        ),
    ]
    out = tmp_path_factory.mktemp("site")
    write_site(
        Site(Board([contribution(part, f"part {n}") for n, part in enumerate(parts)], "Made models")), out
    )
    return out


def pages_of_each_kind(site: Path) -> list[Path]:
    of_one = (next((site / folder).iterdir()) for folder in ("tasks", "models", "cultures"))
    return [site / "index.html", *of_one]


def test_pages_of_names_in_other_scripts_keep_their_addresses_when_others_come() -> None:
    names = {"one": "모델", "two": "模型", "three": "Model 3"}
    paths = page_paths("models", names)
    assert len({*paths.values()}) == 3 and paths["three"] == "models/model-3.html"
    assert page_paths("models", dict(reversed(names.items()))) == paths
    assert page_paths("models", {"two": "模型"}) == {"two": paths["two"]}


def test_ranks_of_a_column_are_those_of_its_models_alone(large: ReportData) -> None:
    board = Board([contribution(large)], "Made")
    (task, *_) = board.view.tasks
    ranks = board.leaderboard.ranks(task)
    assert len(ranks) == 6 and board.apart == []
    assert set(board.leaderboard.contrasts(task)["facet"]) == {WHOLE}
    assert [board.entry(model, task.task).judged for model in ranks] == [
        large.judgements.filter(endpoint=model, task=task.task).height for model in ranks
    ]


def test_people_of_several_contributions_have_one_line_which_is_the_last_ones(large: ReportData) -> None:
    """The same people, scored by two versions."""
    whole = large.scores.filter(pl.col("facet") == WHOLE).select(list(SCORES))
    first = whole["endpoint"][0]
    people = whole.filter(endpoint=first).with_columns(endpoint=pl.lit("people"))
    parts = [
        replace(
            contribution(replace(large, scores=large.scores.filter(endpoint=model)), f"part {number}"),
            people=people.with_columns(score=pl.lit(60.0 + number)),
        )
        for number, model in enumerate(dict.fromkeys(whole["endpoint"]))
    ]
    shown = Board(parts, "Made").view.data.people
    assert shown.select("task").rows() == people.select("task").rows()
    assert shown["score"].to_list() == [60.0 + len(parts) - 1] * people.height


@pytest.mark.browser
def test_pages_of_cultures_and_models_draw_every_score_and_ask_nothing_of_a_network(
    new_page: Any, site: Path, large: ReportData
) -> None:
    watched = new_page()
    page = watched.open(site / "cultures/kr.html")
    table = page.locator("table")
    assert [head.split("\n")[0] for head in table.locator("thead th").all_inner_texts()][1:] == [
        *large.task_titles.values()
    ]
    rows = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in table.locator("tr").all()[1:]
    }
    assert len(rows) == 3 + 1  # of four models in these columns one has no score here; below them n
    scores = large.scores.filter(facet="culture", value="KR")
    for name, cells in rows.items():
        if (of_model := scores.filter(pl.col("endpoint").str.ends_with(f"/{name}"))).height:
            expected = [of_model.filter(task=task).row(0, named=True) for task in large.task_titles]
            assert [cell.split() for cell in cells] == [
                [number(row["score"]), f"{number(row['low'], 0)}–{number(row['high'], 0)}"]
                for row in expected
            ]
    for row in table.locator("tbody").first.locator("tr").all():
        name = row.locator("th").inner_text()
        of_model = [
            scores.filter(pl.col("endpoint").str.ends_with(f"/{name}"), task=task).row(0, named=True)
            for task in large.task_titles
        ]
        few = name == "model-3-70b-instruct"
        heats = ["" if few else f"h{heat_step(one['score'], (0, 100))}" for one in of_model]
        assert [cell.get_attribute("class") or "" for cell in row.locator("td").all()] == heats
        for one, bar in zip(of_model, row.locator("i").all(), strict=True):
            steps, drawn = (
                steps_of(text)
                for text in (
                    marks(Estimate(*(one[end] for end in ("score", "low", "high"))), (0, 100)),
                    bar.get_attribute("class"),
                )
            )
            assert steps.keys() == drawn.keys()
            assert all(abs(steps[mark] - drawn[mark]) <= 1 for mark in steps), (
                "ends are packed as whole numbers"
            )
    assert rows["n"] == [str(scores["n"][0])] * 6
    page.locator("thead button").nth(1).click()  # sorts by the first task
    values = [
        float(text.split()[0])
        for text in table.locator("tbody").first.locator("td:nth-child(2)").all_inner_texts()
    ]
    assert values == sorted(values, reverse=True)
    with page.expect_navigation():
        page.locator("tbody th a").first.click()
    assert page.url.startswith((site / "models").as_uri())
    assert (
        page.locator("table.heat tbody tr").count()
        == large.scores.filter(facet="culture")["value"].n_unique()
    )
    assert page.locator("table.heat tbody th").all_inner_texts() == sorted(
        culture_name(code) for code in large.scores.filter(facet="culture")["value"].unique()
    )
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.heat td')).backgroundColor")
        != "rgba(0, 0, 0, 0)"
    )
    page.locator("#theme").click()
    assert all(address.startswith(site.as_uri()) for address in watched.requests)
    assert watched.errors == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"color_scheme": "dark"}, id="desk, dark"),  # test_page.py looks at the light theme
        pytest.param({}, id="desk, light", marks=pytest.mark.nightly),
        pytest.param(PHONE, id="phone, dark", marks=pytest.mark.nightly),
    ],
)
def test_nothing_stands_in_the_way_of_people_with_disabilities(
    new_page: Any, site: Path, options: dict[str, Any]
) -> None:
    watched = new_page(**options)
    for path in pages_of_each_kind(site):
        page = watched.open(path)
        assert axe_violations(page) == [], path


@pytest.mark.browser
def test_no_page_scrolls_sideways(new_page: Any, site: Path) -> None:
    watched, on_phone = new_page(), new_page(**PHONE)
    for path in pages_of_each_kind(site):
        for page in (watched.open(path), on_phone.open(path)):
            root = "document.documentElement"
            assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), path


@pytest.mark.browser
def test_hostile_names_are_shown_and_do_nothing(new_page: Any, large: ReportData, tmp_path: Path) -> None:
    """In the name of a model, of a task, of a culture and of a source, and in a signature."""
    first = large.scores["endpoint"][0]
    rename = pl.col("endpoint").replace({first: f"evil/{HOSTILE}"})
    attacked = replace(
        large,
        scores=large.scores.with_columns(
            rename,
            value=pl.col("value").replace({"KR": f"KR{HOSTILE}"}),
            signature=pl.col("signature") + f"|note:{HOSTILE}",
        ),
        judgements=large.judgements.with_columns(rename),
        task_titles={task: f"{title}{HOSTILE}" for task, title in large.task_titles.items()},
        signatures={
            f"{text}|note:{HOSTILE}": Signature({**made.parts, "note": HOSTILE})
            for text, made in large.signatures.items()
        },
    )
    paths = write_site(Site(Board([contribution(attacked, HOSTILE)], HOSTILE)), tmp_path)
    assert all(path.resolve().is_relative_to(tmp_path.resolve()) for path in paths)
    json.loads((tmp_path / "feed.json").read_bytes())
    watched = new_page()
    shown = [
        path
        for path in paths
        if path.suffix == ".html" and ("onerror" in path.name or path.name == "index.html")
    ]
    assert len(shown) == 3  # of everything, of the model and of the culture
    for path in (*shown, next((tmp_path / "tasks").iterdir())):
        page = watched.open(path)
        assert page.evaluate("window.pwned") is None
        assert page.locator("img").count() == 0
        assert "<img src=x" in page.locator("body").inner_text()
    assert watched.errors == []


def test_the_page_of_a_task_has_what_is_kept_apart_of_this_task_alone(site: Path, large: ReportData) -> None:
    for title in large.task_titles.values():
        (page,) = [path for path in (site / "tasks").iterdir() if f"<title>{title}" in path.read_text()]
        assert page.read_text().count("Not comparable with the models above") == 1
        assert f'aria-label="{title}, kept apart, 1"' in page.read_text()


def test_the_size_of_a_score_is_what_it_is_a_mean_of(large: ReportData) -> None:
    """Not what was left out: nothing of one model here, and three answers of every other."""
    first = pl.col("endpoint") == large.scores["endpoint"][0]
    left_out = pl.when(first).then(0).otherwise(3).cast(large.scores.schema["left_out"])
    view = ReportView(replace(large, scores=large.scores.with_columns(left_out=left_out)))
    (task, *_) = view.tasks
    n = task.facets["culture"].scores["KR", view.endpoints[0]].n
    assert sizes_about(task, "KR", view.endpoints) == f"{n - 3} to {n}"
    assert sizes_about(task, "KR", [large.scores["endpoint"][0]]) == f"{n}"
    assert sizes_about(task, "??", view.endpoints) == ""
