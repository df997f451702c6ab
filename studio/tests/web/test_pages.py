"""What templates print: escaped, visible, in the right direction; and how far people are apart on an item."""

from __future__ import annotations

import pytest
from jinja2 import DictLoader
from markupsafe import Markup

from folkways_studio.studies.spread import disagreement
from folkways_studio.web.rendering.i18n import direction
from folkways_studio.web.rendering.pages import COMPILED, day, environment, marked, static


def test_plain_strings_are_escaped_and_unseen_characters_written_out() -> None:
    template = environment("en").from_string("{{ text }}|{{ safe }}|{{ text|exact }}")
    shown = template.render(text="<b>\u202e\x00", safe=Markup("<i>"))
    assert shown == "&lt;b&gt;⟨U+202E⟩⟨U+0000⟩|<i>|&lt;b&gt;\u202e\x00"


def test_so_they_are_within_a_sentence() -> None:
    template = environment("en").from_string(
        '{{ _("“%(answer)s” in English", answer=text) }} {{ ngettext("%(num)s of %(it)s", "", 1, it=text) }}'
    )
    assert template.render(text="<\u202e") == "“&lt;⟨U+202E⟩” in English 1 of &lt;⟨U+202E⟩"


def test_a_template_is_compiled_once_and_says_in_each_language_what_is_of_that_language() -> None:
    for locale in ("en", "ko"):
        environment(locale).get_template("frame.html.j2")
    compiled = [code for code in COMPILED.code.values() if code.co_filename.endswith("/frame.html.j2")]
    assert len(compiled) == 1
    shown = {}
    for locale in ("en", "ko"):
        languages = environment(locale).overlay(
            loader=DictLoader({"one": '{{ "ko"|language }} {{ "Food"|term }}'})
        )
        shown[locale] = languages.get_template("one").render()
    assert shown == {"en": "Korean Food", "ko": "한국어 음식"}


def test_marks_are_laid_around_code_points_of_escaped_text() -> None:
    assert (
        marked("🎉 <tea> & cake", [(2, 7), (10, 14)]) == "🎉 <mark>&lt;tea&gt;</mark> &amp; <mark>cake</mark>"
    )
    assert marked("as it is", []) == "as it is"


def test_static_files_are_named_by_their_content() -> None:
    name, _, version = static("base.css").partition("?v=")
    assert name == "/static/base.css" and len(version) == 8


@pytest.mark.parametrize(
    ("language", "expected"), [("ar", "rtl"), ("fa", "rtl"), ("ko", "ltr"), ("xx", "auto")]
)
def test_direction_of_a_language(language: str, expected: str) -> None:
    assert direction(language) == expected


def test_times_are_utc_and_run_from_left_to_right() -> None:
    assert day(0) == '<bdi dir="ltr">1970-01-01 00:00 UTC</bdi>' and day(None) == ""
    page = environment("ar").from_string("{{ 0|day }}").render()
    assert page == '<bdi dir="ltr">1970-01-01 00:00 UTC</bdi>'


@pytest.mark.parametrize(
    ("language", "way", "short", "long"),
    [
        ("en", "ltr", "1.8 s", "3 min 20 s"),
        ("ar", "rtl", "1.8 ث", "3 د 20 ث"),
        ("am", "ltr", "1.8 ሰከ", "3 ደቂቃ 20 ሰከ"),
        ("ko", "ltr", "1.8초", "3분 20초"),
        ("ha", "ltr", "d 1.8", "mnt 3 d 20"),
    ],
)
def test_a_duration_has_the_units_of_the_reader_s_language(
    language: str, way: str, short: str, long: str
) -> None:
    page = environment(language).from_string("{{ 1.8|duration }} {{ 200|duration }}").render()
    assert page == f'<bdi dir="{way}">{short}</bdi> <bdi dir="{way}">{long}</bdi>'


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([{"c": 1}, {"c": 1}, {"c": 1}, {"c": 2}], 0.25),
        ([{"c": 1}, {"c": 2}], 0.5),
        ([{"c": frozenset([1, 2])}, {"c": frozenset([2, 1])}], 0.0),
        ([{"a": 1, "b": 1}, {"a": 1, "b": 2}], 0.25),  # none of two fields, half of the other
        ([{"c": 1}], None),
        ([], None),
        ([{}, {}], None),  # several answers are welcome
    ],
)
def test_disagreement_by_hand(labels: list[dict[str, object]], expected: float | None) -> None:
    assert disagreement(labels) == expected  # type: ignore[arg-type]
