"""Charts as Vega-Lite specifications (plain dicts). Colours are CSS variables, so that a page's theme colours
its figures.

Charts show at most ``MAX_SERIES`` models; baselines are short grey ticks, since they only mark what knowing
nothing would score.
"""

from __future__ import annotations

from collections.abc import Sequence

from folkways.cultures import language_name
from folkways.display import number
from folkways.names import culture_name, local_languages
from folkways.reports.data import PEOPLE
from folkways.reports.figures.chart_parts import (
    FEW_ITEMS,
    HEAT,
    HEAT_DARK_FROM,
    HEAT_STEPS,
    INK,
    LABEL_ROOM,
    MAX_SERIES,
    MUTED,
    PAPER,
    Spec,
    axis_x,
    axis_y,
    label_room,
    lanes_height,
    layer,
    marks,
    named,
    record,
    row_height,
    series_legend,
    spec,
)
from folkways.reports.views.views import JOINT_LANGUAGE, FacetView, Score, TaskView

PEOPLE_COLUMN = "people"
"""The column of a heat map with what people of each culture score over everything."""


def by_group(task: TaskView, view: FacetView, short: dict[str, str], width: int) -> Spec:
    """Dot and whiskers of every model in every group, sorted by the leading model; baselines as ticks."""
    models = task.models[:MAX_SERIES] or task.endpoints[:MAX_SERIES]
    labels = _unique_labels(view)
    dots = [
        record(score, labels[value], short[score.endpoint])
        for value, scores in view.rows(models)
        for score in scores
    ]
    ticks = [
        {"group": labels[value], "score": score.score}
        for value, scores in view.rows(() if models == task.endpoints else task.baselines[:MAX_SERIES])
        for score in scores
    ]
    names = [short[name] for name in models]
    x = axis_x(task.domain, width)
    y = axis_y([labels[value] for value, _ in view.rows(models)])
    people = [
        record(score, labels[value], PEOPLE)
        for value in view.values
        if (score := task.people_of(view, value))
    ]
    tick = {"type": "tick", "color": MUTED, "thickness": 2, "size": 10 + 4 * len(names), "opacity": 0.55}
    return spec(
        width=width,
        height=lanes_height(len(names)),
        layer=[
            *_people_layers(people, x, y, 8 + 14 * len(names)),
            layer(ticks, tick, x={**x, "field": "score"}, y=y),
            *marks(dots, names, x, y, series_legend(len(names), width)),
        ],
    )


def _people_layers(people: Sequence[Spec], x: Spec, y: Spec, size: int) -> list[Spec]:
    """What people of the cultures score: an upright line ``size`` pixels high in each row, on a pale band,
    its interval."""
    if not people:
        return []
    legend = {"symbolType": "M-0.13,-1H0.13V1H-0.13Z", "symbolFillColor": INK, "symbolSize": 200}
    once = {"datum": PEOPLE, "type": "nominal", "scale": {"domain": [PEOPLE], "range": [1]}, "legend": legend}
    band = {"type": "rule", "color": INK, "strokeWidth": size, "opacity": 0.1}
    line = {"type": "tick", "color": INK, "thickness": 2.5, "size": size}
    return [
        layer(people, band, x={**x, "field": "low"}, x2={"field": "high"}, y=y),
        layer(people, line, x={**x, "field": "score"}, y=y, opacity=once),
    ]


def language_pairs(task: TaskView) -> dict[str, tuple[str, str]]:
    """Culture -> (value of its own language, value of English), for the cultures that were asked in both."""
    values = task.facets[JOINT_LANGUAGE].values if JOINT_LANGUAGE in task.facets else ()
    present: dict[str, list[str]] = {}
    for value in values:
        culture, language = value.rsplit("+", 1)
        present.setdefault(culture, []).append(language)
    pairs = {}
    for culture, spoken in present.items():
        own = [code for code in (*local_languages(culture), *spoken) if code in spoken and code != "en"]
        if own and "en" in spoken:
            pairs[culture] = (f"{culture}+{own[0]}", f"{culture}+en")
    return pairs


def scores_in_both(task: TaskView, endpoint: str) -> dict[str, tuple[Score, Score]]:
    """Culture -> the endpoint's score in its own language and in English, for those that it was asked in
    both."""
    scores = task.facets[JOINT_LANGUAGE].scores if JOINT_LANGUAGE in task.facets else {}
    asked = language_pairs(task).items()
    both = {
        culture: (scores.get((own, endpoint)), scores.get((english, endpoint)))
        for culture, (own, english) in asked
    }
    return {culture: (own, english) for culture, (own, english) in both.items() if own and english}


def local_against_english(task: TaskView, endpoint: str, width: int) -> Spec:
    """Per culture the score in its own language and in English, joined by a line, widest gain of the own
    language first."""
    pairs = scores_in_both(task, endpoint)
    order = sorted(pairs, key=lambda culture: pairs[culture][1].score - pairs[culture][0].score)
    kinds = ["own language", "English"]
    label = {
        culture: f"{culture_name(culture)} ({language_name(pairs[culture][0].value.rsplit('+', 1)[1])})"
        for culture in order
    }
    values = [
        record(score, label[culture], kind)
        for culture in order
        for score, kind in zip(pairs[culture], kinds, strict=True)
    ]
    known = {culture: task.people.get(("culture", culture)) for culture in order}
    people = [record(score, label[culture], PEOPLE) for culture, score in known.items() if score]
    x = axis_x(task.domain, width)
    y = axis_y([label[culture] for culture in order])
    drawn = [*_people_layers(people, x, y, 30), *marks(values, kinds, x, y, {})]
    return spec(width=width, height={"step": 34, "for": "position"}, layer=drawn)


def heat(task: TaskView, view: FacetView, endpoint: str, cell: int) -> Spec:
    """Culture by facet: the score is written in each cell and shades it. ``cell`` is the width of a cell in
    pixels."""
    rows: list[Spec] = []
    order = list(task.facets["culture"].values) if "culture" in task.facets else []
    for value in view.values:
        score = view.scores.get((value, endpoint))
        if score is not None and score.score == score.score:
            culture, group = value.split("+", 1)
            rows.append(_cell(culture, group, score, task))
    groups = sorted({row["group"] for row in rows})
    people = (
        {culture: task.people.get(("culture", culture)) for culture in order}
        if view.metric.name == task.metric.name
        else {}
    )
    rows += [_cell(culture, PEOPLE_COLUMN, score, task) for culture, score in people.items() if score]
    groups += [PEOPLE_COLUMN] if any(people.values()) else []
    names = [culture_name(code) for code in order]
    rotated = cell < 60
    axis = {
        "orient": "top",
        "labelAngle": -55 if rotated else 0,
        "labelAlign": "left" if rotated else "center",
        "labelColor": INK,
    }
    base = {"y": named("culture", names, label_room(names)), "x": named("group", groups, axis)}
    scale = {"type": "threshold", "domain": list(HEAT_STEPS), "range": list(HEAT)}
    shaded = {
        "transform": [{"filter": "!datum.few"}],
        "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 2},
        "encoding": {
            **base,
            "fill": {"field": "share", "type": "quantitative", "scale": scale, "legend": None},
        },
    }
    written = {
        "mark": {"type": "text", "fontSize": 11.5},
        "encoding": {
            **base,
            "text": {"field": "text"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }
    height = {"step": row_height(names, LABEL_ROOM)}
    return spec(width={"step": cell}, height=height, data={"values": rows}, layer=[shaded, written])


def _cell(culture: str, group: str, score: Score, task: TaskView) -> Spec:
    low, high = task.domain
    share = 100 * (score.score - low) / (high - low)
    few = score.questions <= FEW_ITEMS
    return {
        "culture": culture_name(culture),
        "group": group,
        "share": share,
        "few": few,
        "text": f"n={score.questions}" if few else number(score.score, 0),
        "ink": MUTED
        if few
        else "var(--heat-light-ink)"
        if share >= HEAT_DARK_FROM
        else "var(--heat-dark-ink)",
    }


def _unique_labels(view: FacetView) -> dict[str, str]:
    """Name of each group; groups that share a name keep their code beside it, so that they stay apart on an
    axis."""
    names = {value: view.name(value) for value in view.values}
    all_names: Sequence[str] = list(names.values())
    return {
        value: name if all_names.count(name) == 1 else f"{name} ({value})" for value, name in names.items()
    }
