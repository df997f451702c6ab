"""The world map: what it can show, where cultures lie, and that a reader's choices are what is drawn."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import iso3166
import numpy as np
import polars as pl
import pytest

from folkways.cultures import cultures
from folkways.names import culture_name
from folkways.reports.data import ReportData
from folkways.reports.figures.charts import INK, PAPER
from folkways.reports.figures.drawings import draw
from folkways.reports.figures.world import ENGLISH, EVERY, OWN, SHAPES, Shade, WorldMap, places, topology
from folkways.reports.figures.world_chart import coloured, marked, world_map
from folkways.reports.views.views import ReportView
from tests.support.report_data import Shape, simulate
from tests.support.report_page import unfold


def test_every_culture_has_its_place() -> None:
    assert set(places()) == set(cultures())
    parts = {code for code, culture in cultures().items() if culture.parent}
    assert all(places()[code].kind == "point" for code in parts), (
        "a part of a country must not colour the country"
    )
    assert (
        places()["ARAB"].kind == "group"
        and "EG" in places()["ARAB"].countries
        and "IR" not in places()["ARAB"].countries
    )


def test_ids_of_the_map_are_iso_codes() -> None:
    ids = [shape["id"] for shape in topology()["objects"][SHAPES]["geometries"] if "id" in shape]
    assert len(ids) == len(set(ids)) > 170
    assert all(code in iso3166.countries_by_alpha2 for code in ids)


@pytest.mark.parametrize(
    ("code", "box"), [("KR", (125, 130, 33, 39)), ("ES", (-10, 5, 35, 44)), ("ET", (32, 48, 3, 15))]
)
def test_shapes_lie_where_their_country_does(code: str, box: tuple[float, float, float, float]) -> None:
    """Decodes the arcs of a country by the rules of TopoJSON; a wrong renumbering would put it elsewhere."""
    world = topology()
    (scale_x, scale_y), (shift_x, shift_y) = world["transform"]["scale"], world["transform"]["translate"]
    shape = next(shape for shape in world["objects"][SHAPES]["geometries"] if shape.get("id") == code)
    rings = (
        shape["arcs"]
        if shape["type"] == "Polygon"
        else [ring for polygon in shape["arcs"] for ring in polygon]
    )
    for ring in rings:
        for number in ring:
            x = y = 0
            for step_x, step_y in world["arcs"][number if number >= 0 else ~number]:
                x, y = x + step_x, y + step_y
                longitude, latitude = x * scale_x + shift_x, y * scale_y + shift_y
                assert box[0] <= longitude <= box[1] and box[2] <= latitude <= box[3], (
                    code,
                    longitude,
                    latitude,
                )


@pytest.mark.parametrize(
    ("score", "low", "high", "step", "doubt"),
    [
        (0.0, 0.0, 5.0, 0, 0),
        (9.99, 5.0, 15.0, 0, 1),
        (10.0, 0.0, 20.0, 1, 2),
        (100.0, 95.0, 100.0, 9, 0),
        (57.0, 48.0, 57.5, 5, 0),
    ],
)
def test_colour_is_the_score_and_hatching_the_interval(
    score: float, low: float, high: float, step: int, doubt: int
) -> None:
    shade = Shade("x", score, low, high, 9)
    assert (shade.step, shade.doubt) == (step, doubt)


def test_what_is_not_known_is_not_coloured_and_not_certain() -> None:
    unknown = Shade("x", float("nan"), float("nan"), float("nan"), 9)
    assert unknown.step is None and unknown.doubt == 2


def test_a_shade_has_the_name_of_its_culture_whatever_the_language(data: ReportData) -> None:
    shown = [variant for variant in WorldMap(ReportView(data)).variants if variant.level != "region"]
    assert {OWN, ENGLISH} <= {variant.language for variant in shown}
    names = [(code, shade.name) for each in shown for code, shade in each.shades.items()]
    assert [pair for pair in names if pair[1] != culture_name(pair[0])] == []


def test_variants_are_the_scores_they_are_named_after(data: ReportData) -> None:
    view = ReportView(data)
    variants = {
        (v.task.task, v.metric.name, v.endpoint, v.language): v
        for v in WorldMap(view).variants
        if v.level == "culture"
    }
    model = "openai/gpt-4o-mini"
    facet = {
        EVERY: ("culture", "KR"),
        OWN: ("culture+language", "KR+ko"),
        ENGLISH: ("culture+language", "KR+en"),
    }
    for language, (name, value) in facet.items():
        row = data.scores.filter(
            task="blend/saq", metric="sem_w", endpoint=model, facet=name, value=value
        ).row(0, named=True)
        shade = variants["blend/saq", "sem_w", model, language].shades["KR"]
        assert (shade.score, shade.low, shade.high, shade.n) == (
            row["score"],
            row["low"],
            row["high"],
            row["n"],
        )
    assert (
        variants["blend/saq", "sem_w", model, OWN].shades["US"]
        == variants["blend/saq", "sem_w", model, ENGLISH].shades["US"]
    )


def test_a_task_of_one_culture_and_one_without_percentages_have_no_map(data: ReportData) -> None:
    lone = data.scores.filter((pl.col("facet") == "all") | (pl.col("value") == "KR"))
    assert draw(ReportView(replace(data, scores=lone))).world is None
    metrics = {
        task: tuple(replace(metric, scale=1.0) for metric in found) for task, found in data.metrics.items()
    }
    assert WorldMap(ReportView(replace(data, metrics=metrics))).first is None
    first = {task: (replace(metric, scale=1.0), *others) for task, (metric, *others) in data.metrics.items()}
    shown = WorldMap(ReportView(replace(data, metrics=first))).variants
    assert {variant.metric.name for variant in shown if variant.task.task == "blend/saq"} == {"sem_w"}


def test_a_region_colours_all_its_cultures() -> None:
    data = simulate(Shape(saq=2, easy=3, xcr=2), tasks=("culturalbench/easy",))
    region = (
        data.scores.filter(facet="culture")
        .with_columns(facet=pl.lit("region"), value=pl.lit("South Asia"))
        .head(1)
    )
    view = ReportView(replace(data, scores=pl.concat([data.scores, region])))
    regional = [variant for variant in WorldMap(view).variants if variant.level == "region"]
    assert [set(variant.shades) for variant in regional] == [{"BD", "IN", "NP", "PK"}]


def _mark(svg: str, code: str, kind: str = "place") -> dict[str, str]:
    mark = re.search(rf'<path data-{kind}="{code}"[^>]*>', svg)
    assert mark, code
    return dict(re.findall(r' (fill|opacity)="([^"]*)"', mark[0]))


def test_the_drawing_has_the_colour_of_the_score(data: ReportData) -> None:
    world = draw(ReportView(data)).world
    assert world is not None
    shown = {
        "task": "blend/saq",
        "metric": "sem_b",
        "endpoint": "openai/gpt-4o-mini",
        "facet": "culture",
        "value": "ES",
    }
    score, low, high = data.scores.filter(**shown).select("score", "low", "high").row(0)
    assert _mark(world.wide, "ES")["fill"] == f"var(--heat-{int(score // 10)})"
    assert _mark(world.wide, "AU")["opacity"] == "0.00", "asked about in another task only"
    dense = "hatch-2" if high - low >= 20 else "hatch-1"
    assert high - low > 10 and dense in _mark(world.wide, "ES", "hatch")["fill"]


def equal_earth(longitude: float, latitude: float) -> tuple[float, float]:
    """Where the projection of Šavrič, Patterson and Jenny (2018) has a place, with the map's middle at 11° east;
    in units of the earth's radius, up and to the right."""
    a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
    turned = (longitude - 11 + 180) % 360 - 180
    t = math.asin(math.sqrt(3) / 2 * math.sin(math.radians(latitude)))
    slope = 9 * a4 * t**8 + 7 * a3 * t**6 + 3 * a2 * t**2 + a1
    x = 2 * math.sqrt(3) * math.radians(turned) * math.cos(t) / (3 * slope)
    return x, a4 * t**9 + a3 * t**7 + a2 * t**3 + a1 * t


def test_dots_lie_where_their_places_do_and_only_places_have_an_outline() -> None:
    points = {code: place for code, place in places().items() if place.kind == "point"}
    assert len(points) >= 5
    shades = {code: Shade(code, 55.0, 45.0, 65.0, 9) for code in (*points, "KR")}
    svg = world_map(shades, [*points, "KR"], 640, "w-")
    drawn, computed = [], []
    for code, place in points.items():
        marks = re.findall(
            rf'<path data-(place|hatch)="{code}"[^>]* transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*>', svg
        )
        assert [kind for kind, _, _ in marks] == ["place", "hatch"]
        assert len({(x, y) for _, x, y in marks}) == 1
        assert place.at is not None
        drawn.append([float(number) for number in marks[0][1:]])
        computed.append(equal_earth(*place.at))
    scales = []
    for axis in (0, 1):
        on_map, on_earth = np.array(drawn)[:, axis], np.array(computed)[:, axis]
        scale, shift = np.polyfit(on_earth, on_map, 1)
        np.testing.assert_allclose(scale * on_earth + shift, on_map, atol=0.5)
        scales.append(scale)
    assert scales[0] == pytest.approx(-scales[1], rel=0.01) and scales[0] > 0  # north is up
    strokes = {
        kind: re.findall(rf'<path data-{kind}="KR"[^>]* stroke="([^"]*)"', svg) for kind in ("place", "hatch")
    }
    assert set(strokes["place"]) == {INK} and set(strokes["hatch"]) == {PAPER}


def test_a_drawing_gets_its_hatching_once_and_its_marks_their_places() -> None:
    svg = (
        '<svg width="9" height="5"><path aria-label="place:ES" d="M1.26,-0.349L12.5,30"/>'
        '<path aria-label="hatch:KP" x="1.234"/><svg><text aria-label="other:1">0.25</text></svg></svg>'
    )
    one, other = (
        f'<pattern id="hatch-{number}" width="{step}" height="{step}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path d="M0.5,0V{step}" stroke="{PAPER}" stroke-width="1"/>'
        f'<path d="M1.3,0V{step}" stroke="{INK}" stroke-width="0.5" stroke-opacity="0.7"/></pattern>'
        for number, step in ((1, 7), (2, 3.8))
    )
    assert marked(svg) == (
        f'<svg width="9" height="5"><defs>{one}{other}</defs><path data-place="ES" d="M1.2,-0.3L12.5,30"/>'
        '<path data-hatch="KP" x="1.234"/><svg><text aria-label="other:1">0.25</text></svg></svg>'
    )


def test_a_place_has_the_colour_of_its_score_and_the_hatching_of_its_interval() -> None:
    drawing = (
        '<path fill="var(--heat-0)"/><path data-place="{0}" fill="var(--heat-0)" opacity="1"/>'
        '<path data-hatch="{0}" fill="url(#w-hatch-2)" stroke-opacity="1" opacity="1"/>'
    )
    shades = {
        "sure": Shade("Sure", 100.0, 98.0, 100.0, 9),
        "wide": Shade("Wide", 40.0, 35.0, 45.0, 9),
        "very": Shade("Very wide", 39.9, 29.0, 49.0, 9),
        "none": Shade("Never reached", math.nan, math.nan, math.nan, 0),
    }
    marks = {
        culture: re.findall("<path data[^>]*>", coloured(drawing.format(culture), shades))
        for culture in (*shades, "elsewhere")
    }
    invisible = ('fill="var(--heat-0)" opacity="0.00"/>', 'stroke-opacity="1" opacity="0.00"/>')
    endings = {
        "sure": ('fill="var(--heat-9)" opacity="1"/>', 'stroke-opacity="1" opacity="1"/>'),
        "wide": (
            'fill="var(--heat-4)" opacity="1"/>',
            'fill="url(#w-hatch-1)" stroke-opacity="1" opacity="1"/>',
        ),
        "very": (
            'fill="var(--heat-3)" opacity="1"/>',
            'fill="url(#w-hatch-2)" stroke-opacity="1" opacity="1"/>',
        ),
        "none": invisible,
        "elsewhere": invisible,
    }
    for culture, (place, hatch) in endings.items():
        assert marks[culture] == [
            f'<path data-place="{culture}" {place}',
            f'<path data-hatch="{culture}" {hatch}',
        ]


@pytest.mark.browser
def test_choices_recolour_the_map_and_its_table(browser_page, page_file: Path, data: ReportData) -> None:
    page = browser_page.open(page_file)
    unfold(page)
    page.select_option("#world-task", "CulturalBench Easy")
    assert page.locator("#world-language option:checked").inner_text() == EVERY
    assert page.locator("#world-metric option:checked").inner_text() == "Accuracy"
    row = data.scores.filter(
        task="culturalbench/easy", endpoint="openai/gpt-4o-mini", facet="culture", value="AU"
    ).row(0, named=True)
    mark = page.locator("#figure-world .wide [data-place=AU]")
    assert mark.get_attribute("fill") == f"var(--heat-{min(9, int(row['score'] // 10))})"
    assert (
        page.locator("#figure-world .wide [data-hatch=AU] title")
        .text_content()
        .startswith(f"Australia: {row['score']:.1f}")
    )
    assert page.locator("#figure-world .wide [data-place=ET]").get_attribute("opacity") == "0", (
        "Ethiopia is not asked about there"
    )
    page.locator("#world details.data > summary").click()
    assert f"Australia {row['score']:.1f}" in " ".join(page.locator("#world-rows").inner_text().split())
    assert "CulturalBench Easy, Accuracy: gpt-4o-mini" in page.locator("#caption-world").inner_text()
    page.select_option("#world-task", "BLEnD, short answers")
    page.select_option("#world-language", ENGLISH)
    assert page.locator("#figure-world .wide [data-place=ET]").get_attribute("fill").startswith("var(--heat-")
    assert browser_page.errors == []
