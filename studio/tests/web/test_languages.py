"""The interface in Arabic and Korean, right-to-left pages, and the scripts of the world in the fonts that are
shipped."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from folkways.cultures import cultures_of, languages
from folkways.text.scripts import letters_of
from folkways_studio.people import invites
from folkways_studio.people.sessions import open_session
from folkways_studio.translation import catalogues
from folkways_studio.translation.strings import extract_python, template
from folkways_studio.web.rendering.i18n import (
    DEFAULT,
    LOCALES,
    catalogue,
    coverage,
    language_name,
    negotiate,
    offered_unasked,
    po_path,
    term,
)
from folkways_studio.web.rendering.pages import environment
from folkways_studio.web.routes import all_routes
from folkways_studio.work import assignments
from studio.tests.support.studies import next_work, open_study
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import ServedStudy
from studio.tests.web.http import Client
from studio.tests.web.two_studies import OWNER, PERSON, TwoStudies, build_two_studies

REPOSITORY = Path(__file__).resolve().parents[3]
TRANSLATED = [locale for locale in LOCALES if locale != DEFAULT]
LATIN_SCRIPT = ("az", "es", "ha", "id", "su")
PLACE = re.compile(r"%\(\w+\)s")
SAMPLES = {
    "en": "What do people eat?",
    "es": "¿Qué come la gente en Año Nuevo?",
    "id": "Apa yang dimakan orang?",
    "zh": "人们吃什么？",
    "ko": "사람들은 무엇을 먹나요?",
    "ar": "ماذا يأكل الناس؟",
    "el": "Τι τρώνε οι άνθρωποι;",
    "fa": "مردم چه می‌خورند؟",
    "az": "İnsanlar nə yeyir, ağ göyərçin?",
    "su": "Naon anu didahar ku jalma?",
    "as": "মানুহে কি খায়?",
    "ha": "Me mutane suke ci, ɗan ƙasa da ɓera?",
    "am": "ሰዎች ምን ይበላሉ?",
    "bn": "মানুষ কী খায়?",
}
LATIN, ARABIC, BENGALI, ETHIOPIC = (
    "Source Serif 4",
    "Noto Naskh Arabic",
    "Noto Sans Bengali",
    "Noto Sans Ethiopic",
)
SHIPPED = dict.fromkeys(("en", "es", "id", "el", "az", "su"), LATIN) | dict.fromkeys(("ar", "fa"), ARABIC)
SHIPPED |= dict.fromkeys(("as", "bn"), BENGALI) | {"am": ETHIOPIC, "ha": "Noto Sans"}
SHIPPED |= {
    "ko": "Noto Sans KR Thin",
    "zh": "Noto Sans SC Thin",
}  # cut out of a variable font, whose slices are all called thin
"""Language -> the shipped font that its questions are set in, by the name inside its file."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/update_studio_locale.py."""
    specification = importlib.util.spec_from_file_location(
        "locale_script", REPOSITORY / "scripts" / "update_studio_locale.py"
    )
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    vars(module)["updated"] = cache(module.updated)  # of twelve languages, in two tests
    return module


@pytest.fixture(scope="module")
def strings() -> Any:
    """Every string of the interface, as a catalogue: read from the templates and the code once."""
    return template()


@pytest.fixture(scope="module")
def two_studies(server: StudioServer) -> TwoStudies:
    """Two studies whose pages are read, and changed by nobody."""
    return build_two_studies(server.workspace, 900)


def test_the_catalogues_have_the_strings_of_the_code_and_nothing_that_ages(
    script: ModuleType, strings: Any
) -> None:
    contents, _ = script.files(strings)
    for path, content in contents.items():
        assert path.read_bytes() == content, f"{path} is out of date: run scripts/update_studio_locale.py"
        if path.suffix == ".po":
            assert not re.search(r"^#[:~|]|POT-Creation|fuzzy", content.decode(), re.MULTILINE), path
    tracked = subprocess.run(
        ["git", "ls-files", "*.mo"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout
    assert tracked == "", "compiled catalogues are made when they are needed, and are in no commit"


@pytest.mark.parametrize("locale", TRANSLATED)
def test_what_is_translated_is_counted_and_in_its_own_letters(
    script: ModuleType, strings: Any, locale: str
) -> None:
    catalog = script.updated(locale, strings)
    assert coverage()[locale].translated == len(catalog) - len(script.missing(catalog)) > 0
    for message in catalog:
        texts = message.string if message.pluralizable else [message.string]
        if not message.id or not all(texts):
            continue
        english = message.id if message.pluralizable else (message.id,)
        wanted = set(PLACE.findall(english[-1]))
        for text in texts:
            assert re.search(f"[{letters_of(locale)}]", text) or text.rstrip("s") in {
                each.rstrip("s") for each in english
            }, message.id
            kept = set(PLACE.findall(text))
            assert kept <= wanted and (kept == wanted or message.pluralizable), f"{message.id}: {text}"


def test_the_languages_are_those_of_blend_and_bengali() -> None:
    assert set(LOCALES) == {
        language for culture in cultures_of("blend") for language in culture.languages
    } | {"bn"}
    assert {"en", "ar", "ko", "zh", "es", "id", "fa", "el", "az", "bn"} == offered_unasked(), (
        "too much is missing in one of them"
    )
    assert offered_unasked(answering=True) == {*LOCALES}, (
        "what people who answer see is not whole in one of them"
    )
    assert negotiate("am", answering=True) == "am" and negotiate("am") == "en"


@pytest.mark.parametrize("locale", LOCALES)
def test_a_missing_message_is_shown_in_english_and_no_other_is_empty(
    script: ModuleType, strings: Any, locale: str
) -> None:
    known = catalogue(locale)
    for english in script.missing(script.updated(locale, strings)) if locale != DEFAULT else ():
        assert known.ngettext(english, "", 1) == known.gettext(english) == english
    for message in strings:
        if not message.id:
            continue
        one, *many = message.id if message.pluralizable else (message.id,)
        found = (
            [known.ngettext(one, many[0], number) for number in range(12)] if many else [known.gettext(one)]
        )
        values = {place[2:-2]: "1" for place in PLACE.findall("".join((one, *many)))}
        assert all(text and text % values for text in found) if values else all(found), message.id


@pytest.mark.parametrize("locale", TRANSLATED)
def test_no_page_breaks_on_what_is_missing(
    server: StudioServer, two_studies: TwoStudies, locale: str
) -> None:
    for name, addresses in {
        PERSON: ["", "/consent", "/withdraw", "/done"],
        OWNER: ["", "/people", "/items", "/data"] if locale == "am" else [""],
    }.items():
        client = Client(server.url)
        client.cookies |= {
            "folkways_session": open_session(server.workspace, two_studies.accounts[name]),
            "folkways_locale": locale,
        }
        for address in addresses:
            reply = client.get(
                f"/{'work' if name == PERSON else 'studies'}/{two_studies.study.name}{address}"
            )
            assert reply.status == 200 and f'<html lang="{locale}"' in reply.text, address
    page = client.get("/languages").text
    assert f"{coverage()[locale].translated} / {coverage()[locale].strings}" in page
    assert page.count('scope="row"') == len(LOCALES)
    assert page.count('<p class="draft">') == 1, "nobody has checked these translations, and the page says so"


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("fr, ar;q=0.5, en;q=0.4", "ar"),
        ("fr", "en"),
        ("", "en"),
        ("ko;q=0, ar;q=x", "en"),
        ("am, ko;q=0.5", "ko"),  # much is missing in Amharic: it has to be chosen
        ("EN-gb", "en"),
    ],
)
def test_the_browser_says_which_language_the_reader_wants(accepted: str, locale: str) -> None:
    assert negotiate(accepted) == locale


def test_the_language_is_chosen_once_and_stays(server: StudioServer) -> None:
    client = Client(server.url)
    english = client.get("/signin").text
    assert '<html lang="en" dir="ltr">' in english and 'class="draft"' not in english
    assert client.post("/language", {"locale": "ar", "next": "/signin"}).place == "/signin"
    page = client.get("/signin", **{"Accept-Language": "ko"}).text
    assert '<html lang="ar" dir="rtl">' in page and "تسجيل الدخول" in page
    client.post("/language", {"locale": "xx"})
    assert 'lang="ar"' in client.get("/signin").text


def test_a_language_chosen_where_a_form_was_refused_leads_back_to_the_form(server: StudioServer) -> None:
    """And not to the address that the form was sent to, which may be for forms alone."""
    two_studies = build_two_studies(server.workspace, 70)
    refused = 0
    for kind, beginning in ((PERSON, "/work/{study}/"), (OWNER, "/studies/{study}/")):
        client = Client(server.url)
        client.cookies["folkways_session"] = open_session(server.workspace, two_studies.accounts[kind])
        page = beginning.format(**two_studies.values) + "people?state=waiting&words=tea"
        csrf = client.csrf("/account")
        for route in all_routes():
            if route.method == "POST" and route.path.startswith(beginning):
                reply = client.post(
                    route.path.format(**two_studies.values), {}, csrf=csrf, Referer=server.url + page
                )
                following = re.search(
                    r'action="/language">.*?name="next" value="([^"]*)"', reply.text, re.DOTALL
                )
                if reply.status >= 400 and following:
                    refused += 1
                    assert unescape(following[1]) == page, route.path
    assert refused > 20


def main_text(page: str) -> str:
    """The words of a page between its head and its foot."""
    return re.sub(r"<[^>]*>", " ", "<main" + page.partition("<main")[2].partition("</main>")[0])


@pytest.mark.parametrize("locale", sorted(offered_unasked() - {DEFAULT, *LATIN_SCRIPT}))
def test_what_went_wrong_is_said_in_the_readers_language(
    server: StudioServer, two_studies: TwoStudies, locale: str
) -> None:
    visitors = {name: Client(server.url) for name in ("nobody", PERSON)}
    visitors[PERSON].cookies["folkways_session"] = open_session(
        server.workspace, two_studies.accounts[PERSON]
    )
    places = {
        "nobody": ["/nowhere", "/join/nonsense"],
        PERSON: [
            "/work/x",
            "/studies/x",
            f"/studies/{two_studies.study.name}",
            f"/work/{two_studies.study.name}/tasks/999999",
            "/join/x",
        ],
    }
    for name, addresses in places.items():
        for address in addresses:
            reply = visitors[name].get(address, **{"Accept-Language": locale})
            assert reply.status in (403, 404, 410), address
            words = main_text(reply.text)
            assert not re.search("[A-Za-z]{3,}", words), f"{address}: {words}"


def test_labels_of_ours_are_translated_and_those_of_a_study_stay_as_they_are() -> None:
    assert (term("Food", "ko"), term("Food and Drink", "ar")) == ("음식", "الطعام والشراب")
    assert term("Food", "en") == "Food"
    assert term("<b>Jeju</b> dishes, 100 %(x)s", "ko") == "<b>Jeju</b> dishes, 100 %(x)s"


def test_a_task_shows_our_labels_translated_and_sends_them_as_they_are(server: StudioServer) -> None:
    own = "<b>Jeju</b> 100 %(x)s"
    stage = {"name": "label", "kind": "label_item", "categories": ["Social Tradition", own]}
    study = open_study(server.workspace, [stage], name="labels-of-ours")
    study.add("label", [{"sentence": "We had a potluck.", "spans": [[9, 16]]}])
    person = study.person()
    client = Client(server.url)
    client.cookies |= {
        "folkways_session": open_session(server.workspace, person.account_id),
        "folkways_locale": "ko",
    }
    page = client.get(f"/work/labels-of-ours/tasks/{study.work(person).assignment.id}").text
    assert 'value="Social Tradition"' in page and ">사회적 전통<" in page and ">음식과 음료<" in page
    assert own not in page and escape(own, quote=False) in page


@pytest.mark.parametrize(("locale", "words"), [("ar", "حسب المرحلة والفئة"), ("ko", "단계와 집단별")])
def test_a_researcher_reads_the_studys_pages_in_their_language(
    server: StudioServer, two_studies: TwoStudies, locale: str, words: str
) -> None:
    client = Client(server.url)
    client.cookies |= {
        "folkways_session": open_session(server.workspace, two_studies.accounts[OWNER]),
        "folkways_locale": locale,
    }
    page = client.get(f"/studies/{two_studies.study.name}").text
    assert f'<html lang="{locale}"' in page and words in page
    known = {
        "test",
        "tests",
        "study",
        "the",
        "korea",
        "verify",
        two_studies.study.name,
        "mine",
        "csv",
        "yaml",
        "api",
    }  # of the study, or of no language
    assert set(re.findall("[a-z]{3,}", main_text(page).lower())) <= known


@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "words", "direction"),
    [("ar", "إرسال ومتابعة", "rtl"), pytest.param("ko", "보내고 계속", "ltr", marks=pytest.mark.nightly)],
)
def test_a_task_is_done_in_another_language(
    make_study: Callable[..., ServedStudy], locale: str, words: str, direction: str
) -> None:
    pytest.importorskip("playwright.sync_api")
    from playwright.sync_api import expect

    study = make_study([{"name": "answer", "kind": "short_answers", "title": "답하기", "answers": 5}])
    study.add("answer", [{"local": SAMPLES[locale], "english": SAMPLES["en"]}])
    page = study.open(study.page(locale=locale), study.link())
    page.locator("form button.primary").click()
    page.get_by_role("checkbox").check()
    page.locator("form button.primary").click()
    page.locator("form button.primary").click()
    page.wait_for_selector("form[data-ready]")
    assert page.evaluate("[document.documentElement.dir, getComputedStyle(document.body).direction]") == [
        direction,
        direction,
    ]
    page.get_by_role("button", name=words).click()
    assert not re.search("[A-Za-z]{4,}", page.get_by_role("alert").inner_text()), (
        "what is missing is said in the reader's language"
    )
    answer, said = page.locator("[name=answers]").first, page.locator(".letters").first
    answer.fill("tea")
    answer.blur()
    expect(said).to_contain_text(language_name("ko", locale))  # the people of this population write Korean
    answer.fill("한국 전통 차, milk")
    expect(said).to_be_empty()
    answer.fill(SAMPLES["ar"])  # softly: what is in other letters is taken all the same
    answer.blur()
    expect(said).to_be_visible()
    page.get_by_role("button", name=words).click()
    expect(page.locator(".done")).to_be_visible()
    assert study.errors == []


@pytest.mark.browser
@pytest.mark.nightly
def test_every_language_of_the_benchmarks_is_set_in_its_direction_and_a_shipped_font(
    make_study: Callable[..., ServedStudy],
) -> None:
    pytest.importorskip("playwright.sync_api")
    populations = [{"name": f"p-{language}", "culture": "US", "language": language} for language in SAMPLES]
    study = make_study(
        [{"name": "answer", "kind": "short_answers", "title": "Answer"}], populations=populations
    )
    for language, text in SAMPLES.items():
        study.add("answer", [{"local": text, "english": "In English"}], f"p-{language}")
        person = study.person(f"p-{language}")
        work = next_work(study.workspace, person.id)
        assert isinstance(work, assignments.Work)
        page = study.open(
            study.page_of(person.account_id), f"/work/{study.record.name}/tasks/{work.assignment.id}"
        )
        page.evaluate("document.fonts.ready")
        subject = page.locator(".subject")
        assert subject.inner_text() == text
        assert subject.get_attribute("lang") == language
        assert (
            subject.evaluate("(element) => getComputedStyle(element).direction")
            == languages()[language].direction
        )
        # Spaces and question marks may come from the first font of the list; letters from that of the script.
        assert {SHIPPED[language]} <= set_in(page, ".subject") <= {SHIPPED[language], LATIN, "Noto Sans"}, (
            language
        )
        page.context.close()
    assert study.errors == []


def set_in(page: Any, selector: str) -> set[str]:
    """The fonts that the browser really took for an element's glyphs."""
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    node = tools.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    return {
        font["familyName"].removesuffix(" Variable")
        for font in tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    }


@pytest.mark.parametrize(
    ("code", "locale", "name"),
    [
        ("ko", "en", "Korean"),
        ("ko", "ko", "한국어"),
        ("en", "ar", "الإنجليزية"),
        ("en", "am", "እንግሊዝኛ"),
        ("am", "ha", "Amharik"),
        ("ko", "su", "한국어"),  # which CLDR does not know in Sundanese
        ("xx", "en", "xx"),
    ],
)
def test_a_language_inside_a_sentence_has_the_name_that_its_reader_knows(
    code: str, locale: str, name: str
) -> None:
    assert language_name(code, locale) == name
    assert environment(locale).from_string("{{ code|language }}").render(code=code) == name
    assert environment(locale).from_string("{{ code|endonym }}").render(code="ko") == "한국어"


@pytest.mark.parametrize("locale", ["am", "ha", "su", "as"])
def test_the_browsers_of_people_who_answer_are_followed_where_their_pages_are_whole(
    server: StudioServer, locale: str
) -> None:
    """Though those of researchers are not."""
    study = open_study(server.workspace, [{"name": "verify", "kind": "vote"}], name=f"study-{locale}")
    _, token = invites.create_invite(server.workspace, study.record.id, population="korea")
    accepted = {"Accept-Language": f"{locale}, en;q=0.5"}
    client = Client(server.url)
    assert f'<html lang="{locale}"' in client.get(f"/join/{token}", **accepted).text
    assert '<html lang="en"' in client.get("/signin", **accepted).text


def test_no_sentence_is_in_another_language_than_its_catalogue() -> None:
    """Two languages rarely say a sentence in the same words: one that does was put into the wrong
    catalogue."""
    related = ({"id", "su"}, {"as", "bn"})
    spoken: dict[tuple[object, str], set[str]] = {}
    for locale in TRANSLATED:
        for message in catalogues.texts(catalogues.read_catalogue(po_path(locale), locale)):
            forms = message.string if message.pluralizable else (message.string,)
            english = message.id if message.pluralizable else (message.id,)
            for text in {*forms} - {*english}:
                if len(text or "") > 20:
                    spoken.setdefault((message.id, text), set()).add(locale)
    assert {
        text: locales for text, locales in spoken.items() if len(locales) > 1 and locales not in related
    } == {}


def test_f_strings_are_no_strings_to_translate() -> None:
    """Whatever the version of Python, and wherever they stand."""
    source = b"""
raise NotFoundError(f"there is no {', '.join(names) or '(none)'}")
raise NotFoundError("a", f"b{c}", _("d"), {f"e{f}": _("g"), _("h"): f"i{j}"})
raise NotFoundError(
    f"k{l}"
    "m", _("n")
)
"""
    rows = extract_python(BytesIO(source), {"NotFoundError": None, "_": None}, (), {})
    texts = {
        (line, text)
        for line, _, message, _ in rows
        for text in (message if isinstance(message, tuple) else (message,))
    }
    assert {each for each in texts if each[1]} == {(3, "a"), (3, "d"), (3, "g"), (3, "h"), (6, "n")}
