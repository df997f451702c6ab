"""What charts are measured by: widths of names, their lines, heights of rows and ticks, by hand."""

from __future__ import annotations

import pytest

from folkways.reports.figures.charts import (
    LABEL_ROOM,
    MAX_SERIES,
    MUTED,
    axis_x,
    axis_y,
    column_lines,
    label_lines,
    label_room,
    label_width,
    lanes_height,
    right_of,
    row_height,
    series_keys,
    slanted_extent,
    slanted_overhang,
    text_lines,
    text_width,
    title_lines,
    words_fit,
)

WIDE = "ab " * 4 + "ab"
"""10 letters of 0.64 and four spaces of 0.42 of a size of 12.5 pixels: 101 pixels, and 8 to the axis."""


def test_widths_of_names_are_those_of_their_letters() -> None:
    assert text_width("") == 0
    for text, size in [
        ("a", 0.64),
        ("il", 0.68),
        ("f ", 0.84),
        ("AB", 1.6),
        ("m%", 2.0),
        ("한日", 2.1),
        ("é", 0.64),
        ("Жθ", 1.6),
    ]:
        assert text_width(text, 10) == pytest.approx(10 * size), text
        assert label_width(text) == pytest.approx(8 + 12.5 * size), text
    assert label_width(WIDE) == pytest.approx(109)


@pytest.mark.parametrize(
    ("name", "room", "lines"),
    [
        ("", 50, [""]),
        (WIDE, 109.1, [WIDE]),
        (WIDE, 108.9, ["ab ab ab ab", "ab"]),
        (WIDE, 60, ["ab ab", "ab ab", "ab"]),
        ("ab ab ab", 45.4, ["ab ab", "ab"]),
        ("org/model-name", 75, ["org/", "model-", "name"]),
        ("a=b&c=d", 45, ["a=b&", "c=d"]),
        ("aaaaaaaaaa", 48, ["aaaaa", "aaaaa"]),
        ("aaaaaaaaaa", 10, ["aaaa", "aaaa", "aa"]),
    ],
)
def test_names_are_broken_at_signs_and_within_words_where_these_are_wider(
    name: str, room: float, lines: list[str]
) -> None:
    assert text_lines(name, room) == lines
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert title_lines(name, room - 40) == lines
    assert row_height([name], room) == max(24, 13 * len(lines) + 4)
    assert label_lines([name, "b"], room) == (
        {}
        if len(lines) == 1
        else {
            "labelLineHeight": 13,
            "labelExpr": f"{{{_quoted(name)}: [{', '.join(map(_quoted, lines))}]}}[datum.label] || datum.label",
        }
    )


def _quoted(text: str) -> str:
    return f'"{text}"'


def test_rows_without_names_and_of_short_ones_are_of_the_least_height() -> None:
    assert row_height([], 50) == row_height(["a"], 50) == 24
    assert row_height(["a", WIDE], 60) == 43
    assert lanes_height(1, ["a"]) == {"step": 26, "for": "position"}
    assert lanes_height(2, ["a"])["step"] == 38 and lanes_height(1, ["ab " * 50])["step"] > 60


def test_lines_above_columns_end_at_the_same_height() -> None:
    assert column_lines(["a", "b"], 60) == column_lines([], 60) == {}
    spec = column_lines(["a", WIDE], 60)
    assert (spec["labelPadding"], spec["labelLineHeight"]) == (8 + 26, 13)
    assert spec["labelExpr"].startswith(
        '{"a": ["\\u00a0", "\\u00a0", "a"], "ab ab ab ab ab": ["ab ab", "ab ab", "ab"]}'
    )


def test_names_of_rows_get_the_room_that_they_need_and_no_more_than_there_is() -> None:
    assert label_room([]) == {"minExtent": 0}
    assert label_room(["a", WIDE]) == {"minExtent": pytest.approx(109)}
    long = label_room(["word " * 20])
    assert long["minExtent"] == LABEL_ROOM == 190 and "labelExpr" in long
    axis = axis_y(["b", "a"])
    assert (axis["sort"], axis["field"], axis["title"]) == (["b", "a"], "group", None)
    assert axis["scale"] == {"paddingInner": 0.28, "paddingOuter": 0.14}


def test_slanted_names_reach_upwards_and_over_the_end() -> None:
    assert slanted_extent([], -40) == 10
    assert slanted_extent(["a", WIDE], -30) == slanted_extent([WIDE], 30) == pytest.approx(10 + 109 / 2)
    assert slanted_overhang([], 30, 60) == 0
    assert slanted_overhang([WIDE], 30, 60) == pytest.approx(109 / 2 - 15)
    assert slanted_overhang([WIDE, "a"], 30, 60) == pytest.approx(109 / 2 - 45)
    assert right_of(0)["right"] == right_of(12)["right"] == 16 and right_of(13)["right"] == 17


def test_words_fit_where_none_is_wider_than_its_column() -> None:
    assert words_fit(["ab ab", "abc"], label_width("abc")) and words_fit([], 1)
    assert not words_fit(["ab ab", "abc"], label_width("abc") - 0.1)


def test_ticks_are_fewer_on_narrow_charts_and_percentages_have_their_own() -> None:
    assert axis_x((0, 100), 299, "Score")["axis"] == {"values": [0, 25, 50, 75, 100]}
    assert axis_x((0, 100), 300, "Score")["axis"] == {"values": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]}
    other = axis_x((-1, 100), 300, "Score")
    assert other["axis"] == {"tickCount": 5} and other["scale"] == {"domain": [-1, 100], "nice": False}
    assert other["title"] == ["Score"]


def test_a_legend_names_series_where_there_are_several() -> None:
    assert series_keys(["a"]) == series_keys([]) == []
    keys = series_keys([*"abcdefgh"])
    assert len(keys) == MAX_SERIES == len({(entry["mark"], entry["colour"]) for entry in keys})
    assert keys[1] == {"label": "b", "mark": "square", "colour": "var(--series-2)", "dashed": False}
    assert MUTED not in {entry["colour"] for entry in keys}
