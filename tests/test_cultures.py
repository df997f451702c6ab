"""The table of cultures against independent sources of the ISO codes, the released data, and itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import iso3166
import langcodes
import pytest
from babel import Locale
from babel.core import UnknownLocaleError
from babel.languages import get_territory_language_info
from hypothesis import given
from hypothesis import strategies as st

from folkways.cultures import (
    MOST_MEANT,
    REGIONS,
    Culture,
    Language,
    codes_of_cultures,
    codes_of_languages,
    cultures,
    cultures_of,
    get_culture,
    get_language,
    languages,
    select_cultures,
)
from folkways.errors import UnknownNameError
from folkways.reports.figures.world import SHAPES, topology

ALL_CULTURES = list(cultures().values())
ALL_LANGUAGES = list(languages().values())
OFFICIAL = ("official", "de_facto_official")
WITHOUT_LOCALE = {"bi", "fj", "sm", "tet"}
"""Languages whose name CLDR knows and nothing else."""

OWN_CODES = {"NG-N", "ARAB", "ANGLO", "WORLD"}


def codes(chosen: tuple[Culture, ...]) -> list[str]:
    return [culture.code for culture in chosen]


def by_code(entry: Culture | Language) -> str:
    return entry.code


@pytest.mark.parametrize("culture", ALL_CULTURES, ids=by_code)
def test_country_codes_are_those_of_iso_3166_1(culture: Culture) -> None:
    if culture.iso3166_1 is None:
        assert culture.code in OWN_CODES
        return
    assert culture.iso3166_1 in iso3166.countries_by_alpha2
    if culture.parent is None:
        assert culture.code == culture.iso3166_1


@pytest.mark.parametrize(
    "culture", [culture for culture in ALL_CULTURES if len(culture.code) == 2], ids=by_code
)
def test_country_names_agree_with_cldr(culture: Culture) -> None:
    known = Locale("en").territories[culture.code]
    cldr_says_it_differently = {
        "CZ": "Czechia",
        "HK": "Hong Kong SAR China",
        "MO": "Macao SAR China",
        "TR": "Türkiye",
    }
    assert cldr_says_it_differently.get(culture.code, culture.name) == known


@pytest.mark.parametrize("culture", [culture for culture in ALL_CULTURES if "-" in culture.code], ids=by_code)
def test_parts_of_a_country_name_their_country(culture: Culture) -> None:
    assert culture.parent == culture.iso3166_1 == culture.code.split("-")[0]
    assert culture.parent in cultures()
    assert culture.region == cultures()[culture.parent].region
    if culture.code not in OWN_CODES:
        assert culture.iso3166_2 == culture.code
        assert re.fullmatch(r"[A-Z]{2}-[A-Z0-9]{1,3}", culture.code)
    else:
        assert culture.iso3166_2 is None


@pytest.mark.parametrize("language", ALL_LANGUAGES, ids=by_code)
def test_language_codes_and_scripts_agree_with_cldr(language: Language) -> None:
    if language.code == "tl":  # which CLDR has as Filipino, the standard made of it
        assert langcodes.standardize_tag(language.iso639_3) == "fil"
        return
    assert langcodes.standardize_tag(language.iso639_3, macro=True) == language.code
    assert re.fullmatch(r"[a-z]{3}", language.iso639_3)
    assert langcodes.get(language.code).maximize().script == language.script
    try:
        locale = Locale.parse(language.code)
    except UnknownLocaleError:
        assert language.code in WITHOUT_LOCALE and Locale("en").languages[language.code] == language.name
        return
    assert {"ltr": "left-to-right", "rtl": "right-to-left"}[language.direction] == locale.character_order
    own_name = locale.get_display_name(language.code)
    assert own_name is not None
    assert own_name.casefold() in language.endonym.casefold()
    assert locale.get_display_name("en") == {"bn": "Bangla"}.get(language.code, language.name)


def test_languages_are_individual_ones_and_not_macrolanguages() -> None:
    macrolanguages = {"ara", "aze", "fas", "swa", "zho"}
    assert not macrolanguages & {language.iso639_3 for language in ALL_LANGUAGES}


@pytest.mark.parametrize(
    "culture", [culture for culture in ALL_CULTURES if culture.code != "WORLD"], ids=by_code
)
def test_every_culture_has_languages_and_none_is_english_unless_it_is(culture: Culture) -> None:
    assert culture.languages
    if culture.iso3166_1 is None:
        return
    spoken = get_territory_language_info(culture.iso3166_1)
    national = {code.split("_")[0] for code, about in spoken.items() if about["official_status"] in OFFICIAL}
    # CLDR has Filipino for Tagalog, and Norwegian as a whole beside Bokmål.
    known = {{"fil": "tl"}.get(code, code).split("_")[0] for code in spoken}
    assert set(culture.languages) <= known, "spoken there, says CLDR"
    if "en" in culture.languages:
        assert "en" in national
        others = [
            about["population_percent"]
            for code, about in spoken.items()
            if code in culture.languages and code != "en"
        ]
        assert culture.languages[0] != "en" or all(
            spoken["en"]["population_percent"] >= share for share in others
        )
    asked_in_a_language_without_office = {
        "ES-PV",
        "NG-N",
        "IN-AS",
        "IN-WB",
        "ID-JB",
        "CD",
        "ML",
        "MU",
        "NE",
        "PH",
    }
    if culture.code not in asked_in_a_language_without_office:
        assert culture.languages[0] in national


def test_only_what_is_no_country_has_no_language() -> None:
    assert [culture.code for culture in ALL_CULTURES if not culture.languages] == ["WORLD"]


def test_every_country_of_the_world_map_is_a_culture() -> None:
    """So that a survey of any continent can be brought; what is left out are no states of their own."""
    shapes = {shape.get("id") for shape in topology()["objects"][SHAPES]["geometries"]} - {None}
    assert len(shapes) > 170 and shapes - {*cultures()} == {"EH", "FK", "GL", "NC", "TF"}


def test_cultures_are_in_the_order_of_regions() -> None:
    numbers = [REGIONS.index(culture.region) if culture.region else len(REGIONS) for culture in ALL_CULTURES]
    assert numbers == sorted(numbers)


def test_blend_has_sixteen_cultures_in_thirteen_languages_in_its_order() -> None:
    chosen = cultures_of("blend")
    assert codes(chosen) == [
        "GB",
        "US",
        "KR",
        "DZ",
        "CN",
        "ID",
        "ES",
        "IR",
        "MX",
        "IN-AS",
        "GR",
        "ET",
        "NG-N",
        "AZ",
        "KP",
        "ID-JB",
    ]
    asked_in = {language for culture in chosen for language in culture.languages}
    assert asked_in == {"en", "es", "id", "zh", "ko", "ar", "el", "fa", "az", "su", "as", "ha", "am"}
    assert all(len(culture.languages) == 1 for culture in chosen)


def test_culturalbench_has_45_countries_in_eleven_regions() -> None:
    chosen = cultures_of("culturalbench")
    assert len(chosen) == 45
    per_region = [sum(culture.region == region for culture in chosen) for region in REGIONS]
    assert per_region == [2, 5, 5, 2, 4, 5, 5, 4, 6, 5, 2]
    assert [culture.region for culture in chosen] == sorted(
        (str(c.region) for c in chosen), key=REGIONS.index
    )
    assert get_culture("Mexico").region == "South America"


def test_xcr_has_four_target_cultures_and_an_english_speaking_source() -> None:
    assert [(culture.code, culture.languages) for culture in cultures_of("xcr")] == [
        ("ARAB", ("ar",)),
        ("CN", ("zh",)),
        ("IN-WB", ("bn",)),
        ("BD", ("bn",)),
    ]
    assert get_culture("ANGLO").languages == ("en",)


def test_every_reference_within_the_table_resolves() -> None:
    for culture in ALL_CULTURES:
        assert set(culture.languages) <= set(languages())
        assert culture.region is None or culture.region in REGIONS
    for benchmark in ("blend", "culturalbench", "xcr", "demo"):
        names = [culture.names[benchmark] for culture in cultures_of(benchmark)]
        assert len(names) == len(set(names)), "a name means one culture"


def test_no_name_means_two_cultures() -> None:
    owners: dict[str, set[str]] = {}
    for culture in ALL_CULTURES:
        for name in {culture.code, culture.name, *culture.aliases, *culture.names.values()}:
            assert get_culture(name) is culture
            owners.setdefault(re.sub(r"[\s_-]+", " ", name).strip().casefold(), set()).add(culture.code)
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_blend_names_are_those_of_the_released_files(shared: Path) -> None:
    files = {
        path.name.removesuffix("_data.json")
        for path in (shared / "data/blend/24e7d73/annotations").glob("*.json")
    }
    assert {culture.names["blend"] for culture in cultures_of("blend")} == files


def test_xcr_names_are_those_of_the_released_files(shared: Path) -> None:
    names = {culture.names["xcr"] for culture in cultures_of("xcr")}
    assert {f"xcr_bench_{name}_adaptation.csv" for name in names} == {
        path.name for path in (shared / "data/xcr").glob("*_adaptation.csv")
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("KR", "KR"),
        ("kr", "KR"),
        ("South_Korea", "KR"),
        ("south korea", "KR"),
        ("UK", "GB"),
        ("United Kingdom", "GB"),
        ("JB", "ID-JB"),
        ("id_jb", "ID-JB"),
        ("West Java", "ID-JB"),
        ("AS", "IN-AS"),
        ("Northern_Nigeria", "NG-N"),
        ("bengali_west_bengal", "IN-WB"),
        (" Türkiye ", "TR"),
    ],
)
def test_a_culture_is_found_by_code_alias_and_any_benchmarks_name(text: str, code: str) -> None:
    assert get_culture(text).code == code


@given(st.sampled_from(ALL_CULTURES), st.data())
def test_case_and_separators_of_a_name_do_not_matter(culture: Culture, data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(sorted({culture.code, culture.name, *culture.aliases, *culture.names.values()}))
    )
    separator = data.draw(st.sampled_from(["_", " ", "-", "  "]))
    changed = data.draw(st.sampled_from([str.upper, str.lower, str.title]))(
        re.sub(r"[\s_-]", separator, name)
    )
    assert get_culture(changed) is culture


RESPELT: dict[str, Callable[[str], str]] = {
    "without accents": lambda name: "".join(
        letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter)
    ),
    "letters and accents apart": lambda name: unicodedata.normalize("NFD", name),
    "typed apostrophe": lambda name: name.replace("’", "'"),
    "apostrophe as separator": lambda name: re.sub("[’ ]", "_", name),
    "and": lambda name: name.replace("&", "and"),
    "saint": lambda name: name.replace("St.", "Saint"),
    "without full stop": lambda name: name.replace("St.", "St"),
    "article before": lambda name: f"The {name}",
    "article inside": lambda name: name.replace("& ", "and the "),
}


@pytest.mark.parametrize("respell", RESPELT.values(), ids=list(RESPELT))
def test_a_culture_is_found_however_its_name_is_typed(respell: Callable[[str], str]) -> None:
    for culture in ALL_CULTURES:
        assert get_culture(respell(culture.name)) is culture
        assert get_culture(culture.code) is culture
    for text in ("Saint", "Equatorial", "Theguinea"):
        with pytest.raises(UnknownNameError):
            get_culture(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [("Kenia", "KE"), ("Brazl", "BR"), ("Marocco", "MA"), ("Irak", "IQ"), ("Gemany", "DE"), ("Scotland", ""),
     ("Holland", ""), ("England", ""), ("Kurdistan", ""), ("Hawaii", ""), ("Micronesia", "")],
)  # fmt: skip
def test_a_misspelt_name_is_told_from_the_name_of_another_place(text: str, code: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        get_culture(text)
    hint = str(error.value).splitlines()[-1]
    assert hint.partition(" is ")[0] == code if code else hint.startswith("All names: ")


@pytest.mark.parametrize("text", ["ko", "kor", "Korean", "korean", "한국어"])
def test_a_language_is_found_by_its_codes_and_names(text: str) -> None:
    assert get_language(text).code == "ko"


def test_an_unknown_name_is_answered_with_the_valid_ones() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"unknown culture 'South Koera'\nvalid: .*; folkways cultures lists them\nKR is South Korea",
    ) as error:
        get_culture("South Koera")
    assert error.value.valid == sorted(cultures())
    with pytest.raises(
        UnknownNameError, match=r"unknown language 'xx'\nvalid: .*; folkways cultures lists them"
    ):
        get_language("xx")
    with pytest.raises(UnknownNameError, match="valid: blend, culturalbench, demo, xcr"):
        cultures_of("mmlu")


BLEND = codes(cultures_of("blend"))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["KR", "UK"], ["KR", "GB"]),
        (["NG"], ["NG-N"]),
        (["IN"], ["IN-AS"]),
        (["ID"], ["ID"]),
        (["West Java", "ID-JB", "ID"], ["ID-JB", "ID"]),
    ],
)
def test_selecting_prefers_the_culture_itself_and_falls_back_on_its_parts(
    wanted: list[str], expected: list[str]
) -> None:
    assert select_cultures(wanted, BLEND) == expected


@pytest.mark.parametrize(
    ("wanted", "hint"), [("JP", "Japan is not among them"), ("Atlantis", "All names: folkways cultures")]
)
def test_selecting_what_is_not_there_lists_what_is(wanted: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=hint) as error:
        select_cultures(["KR", wanted], BLEND)
    assert error.value.valid == sorted(BLEND)


@pytest.mark.parametrize("text", ["Korea", "korea", "_Korea "])
def test_a_word_that_several_names_share_is_answered_with_them(text: str) -> None:
    with pytest.raises(UnknownNameError, match=r"\nKR is South Korea. KP is North Korea. All names: "):
        get_culture(text)


def test_of_a_word_that_many_names_share_a_few_are_named() -> None:
    with pytest.raises(UnknownNameError) as error:
        get_culture("south")
    assert str(error.value).splitlines()[-1].count(" is ") <= MOST_MEANT


def test_every_name_of_a_culture_and_of_a_language_stands_for_its_code() -> None:
    for culture in cultures().values():
        every = (culture.code, culture.code.lower(), culture.name, *culture.aliases, *culture.names.values())
        assert codes_of_cultures(every) == (culture.code,), every
    for language in languages().values():
        every = (language.code, language.name.upper(), language.endonym)
        assert {get_language(name).code for name in codes_of_languages(every, ())} == {language.code}
        assert codes_of_languages([language.name, "local"], {language.name, "local"}) == (
            language.name,
            "local",
        )
    assert codes_of_cultures(["Atlantis", "KR"]) == ("Atlantis", "KR")
    assert codes_of_languages(["Atlantean"], ()) == ("Atlantean",)


def test_a_part_does_not_stand_for_its_parent() -> None:
    with pytest.raises(UnknownNameError):
        select_cultures(["IN-AS"], ["IN"])


@given(
    st.lists(st.sampled_from(sorted(cultures()))), st.lists(st.sampled_from(sorted(cultures())), unique=True)
)
def test_a_selection_is_available_and_has_no_repeats(wanted: list[str], available: list[str]) -> None:
    try:
        chosen = select_cultures(wanted, available)
    except UnknownNameError:
        served = {*available, *(cultures()[code].parent for code in available)}
        assert not set(wanted) <= served
        return
    assert set(chosen) <= set(available)
    assert len(chosen) == len(set(chosen))
    assert {code for code in wanted if code in available} <= set(chosen)


def test_records_are_frozen_and_hashable() -> None:
    assert len({*ALL_CULTURES}) == len(ALL_CULTURES)
    with pytest.raises(AttributeError):
        get_culture("KR").name = "Korea"  # type: ignore[misc]
