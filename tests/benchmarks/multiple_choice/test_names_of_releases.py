"""Countries and languages as releases write them, held to CLDR and ISO: a name that we have is ours, and one
that we lack stays as it was written."""

from __future__ import annotations

import iso3166
import langcodes
import pytest
from babel import Locale

from folkways.benchmarks.multiple_choice.declaration import NO_COUNTRY, culture_of, language_of
from folkways.cultures import cultures, languages

TERRITORIES = Locale("en").territories
COUNTRIES = sorted(code for code in cultures() if len(code) == 2)
CLDR_ALONE = {"HK": "Hong Kong SAR China"}


@pytest.mark.parametrize("code", COUNTRIES)
def test_a_country_is_found_by_every_code_and_name(code: str) -> None:
    country = iso3166.countries_by_alpha2[code]
    for name in (
        code,
        code.lower(),
        TERRITORIES[code],
        f"{TERRITORIES[code]} ({country.alpha3})",
        f" {code} ",
    ):
        assert culture_of(name) == (
            CLDR_ALONE.get(code, code) if name.startswith("Hong Kong SAR") else code
        ), name


def test_a_country_that_is_not_ours_keeps_its_name() -> None:
    """None of the others is taken for one of ours; a code may be: BLEnD calls Assam AS."""
    others = {code: name for code, name in TERRITORIES.items() if code in iso3166.countries_by_alpha2}
    for code, name in others.items():
        if code not in cultures() and name not in ("Hong Kong SAR China",):
            assert culture_of(name) == name
    assert [culture_of(name) for name in (None, "", "  ")] == [NO_COUNTRY] * 3


@pytest.mark.parametrize("code", sorted(languages()))
def test_a_language_is_found_by_its_codes_alone_and_with_its_script(code: str) -> None:
    language = languages()[code]
    assert langcodes.Language.get(language.code).is_valid()
    for name in (code, language.iso639_3, language.name, language.endonym):
        assert language_of(name) == code
    for script in (language.script.lower(), language.script):
        for place in ("", "_abcd"):
            assert language_of(f"{language.iso639_3}_{script}{place}") == code
    other = "Cyrl" if language.script != "Cyrl" else "Latn"
    assert language_of(f"{language.iso639_3}_{other.lower()}") == f"{code}-{other}"


def test_korean_is_written_in_hangul_or_in_what_iso_15924_calls_korean() -> None:
    assert [language_of(name) for name in ("kor_hang", "kor_Hang", "kor_kore", "kor_Kore")] == ["ko"] * 4
    assert language_of("kor_hani") == "ko-Hani"
