"""The pages of cultures: what is drawn and how it is stated, where a question is disputed, and that nothing
untrusted or withheld gets out."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Table
from folkways.errors import FolkwaysError
from folkways.records import JUDGED_ITEMS, Metric
from folkways.reports.data import ITEM_TEXTS, ReportData
from folkways.reports.formats.html import environment
from folkways.reports.views import cultures
from folkways.reports.views.cultures import (
    CulturePage,
    CultureTask,
    DrawnQuestion,
    GivenReply,
    ModelOnCulture,
    check_dispute,
    culture_pages,
    dispute_link,
)
from folkways.reports.views.views import ReportView
from tests.reports.conftest import HOSTILE, TRACKER
from tests.support.browser import Watched
from tests.support.report_data import Shape, report_of, simulate

METRIC = Metric("correct", "Accuracy", "Right or wrong.")
RIGHTS = {
    ("lab/able", "ET"): "1110",
    ("lab/weak", "ET"): "1000",
    ("lab/able", "KR"): "1111",
    ("lab/weak", "KR"): "0000",
}


def small(rights: dict[tuple[str, str], str] = RIGHTS, metric: Metric = METRIC, **columns: Any) -> ReportData:
    """(model, culture) -> 0 or 1 for each of its questions, whose wrong reply names model and culture."""
    rows = [
        {
            "task": "t/t", "item": f"{culture}/{number}", "question": f"q{number}", "culture": culture, "language": "en",
            "variant": "v", "sample": 0, "counted": True, "state": "answered", "answer": said, "reason": None,
            "endpoint": model, "profile": "strict", "text": f"Question {number} about {culture}?", "gold": f"gold {culture}",
            "response": said, "correct": float(right),
        }
        for (model, culture), answers in rights.items()
        for number, right in enumerate(answers)
        for said in (f"gold {culture}" if right == "1" else f"{model} on {culture}",)
    ]  # fmt: skip
    judged = pl.DataFrame(rows, schema={**JUDGED_ITEMS, "correct": pl.Float64})
    return report_of(judged.with_columns(**columns), metric)


def pages_of(data: ReportData) -> dict[str, CulturePage]:
    return {page.code: page for page in culture_pages(ReportView(data))}


def html_of(data: ReportData) -> str:
    return rendered(culture_pages(ReportView(data)))


def rendered(pages: list[CulturePage]) -> str:
    template = environment().get_template("cultures.html.j2")
    return template.render(cultures=pages, seed=cultures.SEED, fewest_repeats=3)


def test_each_culture_has_its_own_replies_with_how_many_of_how_many_are_shown() -> None:
    pages = pages_of(small())
    assert [*pages] == ["ET", "KR"]
    (part,) = pages["ET"].tasks
    assert (part.all_questions, len(part.questions), part.left_out, part.withheld) == (4, 4, 0, "")
    able, weak = part.models
    assert (able.name, able.score.score, able.score.value) == ("able", 75.0, "ET")
    assert able.shown == {"wrong": (1, 1), "right": (3, 3)}
    assert weak.shown == {"wrong": (3, 3), "right": (1, 1)}
    by_text = {question.text: question for question in part.questions}
    assert set(by_text) == {f"Question {number} about ET?" for number in range(4)}
    replies = {(reply.text, reply.outcome): reply.models for reply in by_text["Question 1 about ET?"].replies}
    assert replies == {("gold ET", "right"): ("able",), ("lab/weak on ET", "wrong"): ("weak",)}
    replies = {(reply.text, reply.outcome): reply.models for reply in by_text["Question 0 about ET?"].replies}
    assert replies == {("gold ET", "right"): ("able", "weak")}
    assert by_text["Question 0 about ET?"].gold == "gold ET"
    assert by_text["Question 0 about ET?"].command == "folkways show t/t:ET/0"


def test_what_repeats_and_what_stands_out_is_of_this_culture() -> None:
    pages = pages_of(small())
    (et,), (kr,) = pages["ET"].tasks, pages["KR"].tasks
    assert [model.repeated[0][0] for model in et.models if model.repeated] == ["lab/weak on ET"]
    (_, sentence) = et.models[1].repeated[0]
    assert sentence.startswith("in 3 of the 3 questions it got wrong in English (100\u202f%), about other ")
    assert [model.repeated[0][0] for model in kr.models if model.repeated] == ["lab/weak on KR"]


def test_own_language_stands_with_its_sign() -> None:
    native = small({("lab/able", "KR"): "0" * 12}, language=pl.lit("ko"))
    english = small({("lab/able", "KR"): "1" * 12})
    judged = pl.concat([native.judgements, english.judgements])
    page = pages_of(report_of(judged, METRIC))["KR"]
    assert page.tasks[0].models[0].sentences[0].startswith("Korean worse than English by 100.0 points (")


def test_what_a_result_of_the_task_says_of_languages_is_said_and_of_another_task_is_not() -> None:
    native = small({("lab/able", "KR"): "0" * 12}, language=pl.lit("ko"))
    english = small({("lab/able", "KR"): "1" * 12})
    judged = pl.concat([native.judgements, english.judgements])
    data = report_of(judged, METRIC)
    row = {"endpoint": "lab/able", "culture": "KR", "language": "ko", "local": 40.0, "english": 60.0, "difference": -20.0,
           "low": -30.0, "high": -10.0, "p": 0.001, "p_holm": 0.001, "n": 12}  # fmt: skip

    def made(task: str, points: float, **other: Any) -> ResultTables:
        rows = pl.DataFrame([row | {"difference": points} | other])
        return ResultTables(
            Result(task, "Languages", lambda _: (), about="Is it?", tasks=(task,)),
            (Table(f"{task}-languages", "Languages", "points", rows),),
        )

    def said(*results: ResultTables) -> str:
        return pages_of(replace(data, results=results))["KR"].tasks[0].models[0].sentences[0]

    own = "Korean worse than English by 20.0 points (−30.0 to −10.0)."
    assert said(made("t/t", -20.0)) == said(made("x/other", -70.0), made("t/t", -20.0)) == own
    assert said(made("x/other", -70.0)) == said(), "made of the judgements"
    assert (
        said(made("t/t", -20.0, endpoint="lab/weak"))
        == "Korean is not compared with English: too many replies are in another language than asked."
    )


def test_the_draw_is_the_same_for_every_model_and_order_and_says_its_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cultures, "MOST_QUESTIONS", 3)
    rights = {(f"lab/{name}", "ET"): "10" * 20 for name in ("a", "b", "c")}
    data = small(rights)
    (part,) = pages_of(data)["ET"].tasks
    assert (len(part.questions), part.all_questions) == (3, 40)
    turned = replace(data, judgements=data.judgements.reverse())
    assert pages_of(turned)["ET"].tasks[0].questions == part.questions
    few = small({name: answers for name, answers in rights.items() if name[0] != "lab/c"})
    drawn = [question.command for question in part.questions]
    assert [question.command for question in pages_of(few)["ET"].tasks[0].questions] == drawn
    assert part.models[0].shown == {"wrong": (2, 20), "right": (1, 20)}  # wrong ones have the first turn
    page = html_of(data)
    assert "3 of 40 questions, drawn with seed 0: models take turns, wrong replies first" in page
    assert "Shown below: 2 of 20 wrong replies, 1 of 20 right replies." in page
    assert "folkways show TASK:ITEM" in page
    monkeypatch.setattr(cultures, "QUESTIONS_ON_PAGE", 0)  # of a page of more cultures than that
    assert len(pages_of(data)["ET"].tasks[0].questions) == 1


def test_every_model_gets_a_turn_however_few_its_mistakes_are() -> None:
    rights = {("lab/best", "ET"): "1" * 199 + "0", ("lab/worst", "ET"): "0" * 199 + "1"}
    (part,) = pages_of(small(rights))["ET"].tasks
    assert {model.name: {name: few for name, (few, _) in model.shown.items()} for model in part.models} == {
        "best": {"wrong": 1, "right": 11},
        "worst": {"wrong": 11, "right": 1},
    }


def test_replies_without_a_readable_answer_keep_their_state_and_lost_ones_are_not_shown() -> None:
    number = pl.col("item").str.slice(-1)
    state = pl.when(number == "3").then(pl.lit("refused")).when(number == "2").then(pl.lit("failed"))
    data = small({("lab/able", "ET"): "1000"}, state=state.otherwise("state"))
    (part,) = pages_of(data)["ET"].tasks
    assert {reply.outcome for question in part.questions for reply in question.replies} == {
        "right",
        "wrong",
        "refused",
    }
    assert part.all_questions == 3
    assert part.models[0].shown == {"wrong": (2, 2), "right": (1, 1)}


def test_where_less_is_better_wrong_and_right_change_places() -> None:
    slips = replace(METRIC, lower_is_better=True)
    (part,) = pages_of(small({("lab/able", "ET"): "1000"}, slips))["ET"].tasks
    assert part.models[0].shown == {"wrong": (1, 1), "right": (3, 3)}


def test_many_models_and_replies_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cultures, "MODELS_ON_PAGE", 8)
    monkeypatch.setattr(cultures, "REPLIES_SHOWN", 2)
    (part,) = pages_of(small({(f"lab/m{number}", "ET"): "0" for number in range(10)}))["ET"].tasks
    assert (len(part.models), part.left_out) == (8, 2)
    (question,) = part.questions
    assert (len(question.replies), question.more) == (2, 6)
    page = html_of(small({(f"lab/m{number}", "ET"): "0" for number in range(10)}))
    assert "The first 8 of 10 models." in page and "and 6 other replies" in page


@pytest.mark.parametrize("over", [0, 1])
def test_long_questions_and_replies_are_cut_to_what_a_page_shows(over: int) -> None:
    question, reply = "q" * (240 + over), "r" * (120 + over)
    columns = {name: pl.lit(question) for name in ("text", "gold")}
    data = small({("lab/able", "ET"): "0"}, **columns, response=pl.lit(reply))
    (drawn,) = pages_of(data)["ET"].tasks[0].questions
    shown = (drawn.text, drawn.gold, drawn.replies[0].text)
    assert [len(text) for text in shown] == [240, 240, 120]
    assert [text.endswith("…") for text in shown] == [over == 1] * 3


def test_baselines_have_no_pages() -> None:
    assert pages_of(small({("baseline/first", "ET"): "10"})) == {}
    assert html_of(small({("baseline/first", "ET"): "10"})).strip() == ""


def test_items_that_may_not_be_passed_on_are_commands_alone() -> None:
    hidden = [pl.lit(None, pl.String).alias(name) for name in ITEM_TEXTS]
    data = small(chosen_option=pl.lit("gold ET"))  # a facet, which stays in the judgements
    kept = replace(
        data, judgements=data.judgements.with_columns(hidden), without_items={"t/t": "items of t are kept"}, dispute=TRACKER
    )  # fmt: skip
    page = html_of(kept)
    assert "Only the commands are here: items of t are kept." in page
    assert "folkways show t/t:ET/0" in page and "Dispute this" in page
    assert not re.search(r"Question \d|gold (ET|KR)|on (ET|KR)", page)


def test_without_an_address_there_is_no_link() -> None:
    assert "Dispute" not in html_of(small()) and 'href="http' not in html_of(small())


@settings(max_examples=25)
@example(item="a&b=c#d?/e", culture="A+B", task="t/t%")
@given(item=st.text(min_size=1), culture=st.text(min_size=1), task=st.text(min_size=1))
def test_what_stands_in_the_address_is_what_the_item_is_called(item: str, culture: str, task: str) -> None:
    try:
        link = dispute_link(TRACKER, item=item, culture=culture, task=task)
    except UnicodeEncodeError:  # half a character is no text of an item
        return
    assert re.fullmatch(r"[!-~]+", link) and urlsplit(link).netloc == "issues.example.org"
    query = parse_qs(urlsplit(link).query, keep_blank_values=True, strict_parsing=True)
    assert query == {"title": [item], "labels": [culture], "body": [task]}


def test_a_filled_value_is_not_filled_again() -> None:
    link = dispute_link(TRACKER, item="{culture}", culture="ET", task="t")
    assert "title=%7Bculture%7D&labels=ET" in link
    assert dispute_link("", item="a", culture="b", task="c") == ""


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)//{item}",
        "JAVASCRIPT:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,{item}",
        "javascript://example.org/%0aalert(1)",
        "ftp://example.org/{item}",
        "//example.org/{item}",
        "example.org/{item}",
        "https://",
        "https:///{item}",
        "https://{culture}.example.org/",
        "https://example.org/a b",
        "https://example.org/\x00",
        "",
    ],
)
def test_an_address_that_is_no_web_address_is_refused(address: str) -> None:
    with pytest.raises(
        FolkwaysError, match="is not an address at which to dispute a question; write one that"
    ):
        check_dispute(address)


@pytest.mark.parametrize(
    "address", ["https://e.org/{id}", "https://e.org/{item", "https://e.org/item}", "https://e.org/{}"]
)
def test_an_address_with_another_placeholder_is_refused(address: str) -> None:
    with pytest.raises(FolkwaysError, match=r"not filled in; valid: \{item\}, \{culture\}, \{task\}"):
        check_dispute(address)


@pytest.mark.parametrize("address", [TRACKER, "http://localhost:8000/studies/1?q={item}", "https://e.org/"])
def test_a_web_address_is_taken(address: str) -> None:
    assert check_dispute(address) == address


def test_a_command_can_be_pasted_whatever_the_item_is_called() -> None:
    data = small({("lab/able", "ET"): "1"}, item=pl.lit("ET/$(rm x)\n`y`"))
    (question,) = pages_of(data)["ET"].tasks[0].questions
    assert question.command == "folkways show 't/t:ET/$(rm x) `y`'"


def test_the_largest_page_of_the_longest_texts_stays_below_two_megabytes() -> None:
    task = ReportView(small()).tasks[0]
    score = task.whole[0]
    said = tuple(
        GivenReply("喝" * cultures.REPLY_CHARACTERS, "wrong", ("model",))
        for _ in range(cultures.REPLIES_SHOWN)
    )
    text = "问" * cultures.QUESTION_CHARACTERS
    question = DrawnQuestion(
        text,
        text,
        "zh",
        said,
        24,
        {"wrong": ("model",) * 15, "right": ("model",) * 15},
        "folkways show t/t:ET/0",
        TRACKER,
    )
    sentence = "Best topic Food 90.0 (69.9 to 98.2), worst Sport 0.0 (0.0 to 16.1): no topic is told apart from the others."
    repeated = (("喝" * 40, "in 14 of the 48 questions it got wrong in Chinese (29.2 %)"),)
    model = ModelOnCulture(
        "model", score, {"wrong": (3, 120), "right": (1, 80)}, repeated, (sentence, sentence)
    )
    models, questions = (
        cultures.MODELS_ON_PAGE // 16,
        min(cultures.MOST_QUESTIONS, cultures.QUESTIONS_ON_PAGE // 16),
    )
    part = CultureTask(task, (model,) * models, 0, (question,) * questions, 480, "")
    pages = [CulturePage(f"C{number}", "Culture", (part,)) for number in range(16)]
    page = rendered(pages)
    assert len(page.encode()) < 1_600_000


@pytest.mark.nightly
def test_thirty_models_over_sixteen_cultures_stay_small() -> None:
    models = {f"lab{number}/model-{number:02d}": 10.0 - number for number in range(30)}
    data = simulate(Shape(saq=40, easy=1, xcr=1), models, ("blend/saq",))
    assert data.judgements.height > 70_000
    page = html_of(replace(data, dispute=TRACKER))
    assert len(page.encode()) < 800_000
    assert page.count('class="culture"') == 16


@pytest.mark.browser
def test_a_page_of_a_culture_in_a_browser(browser_page: Watched, hostile_file: Path) -> None:
    page = browser_page.page
    page.goto(f"{hostile_file.as_uri()}#culture-KR")
    part = page.locator("#culture-KR")
    assert part.get_attribute("open") is not None
    assert page.evaluate("window.pwned") is None and browser_page.errors == []
    words = part.inner_text()
    assert "<script>window.pwned = 1</script>" in words and "⟨U+202E⟩" in words
    address = part.get_by_role("link", name="Dispute this").first.get_attribute("href")
    assert urlsplit(address).netloc == "issues.example.org"
    query = parse_qs(urlsplit(address).query)
    assert query["title"][0].endswith(HOSTILE) and query["labels"] == ["KR"]
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("document.querySelectorAll('.culture').forEach(culture => culture.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_text_of_any_script_is_set_in_its_own_direction() -> None:
    hostile = {name: pl.lit(f"<i>{name}</i>") for name in ("text", "gold", "answer")}
    rights = {("lab/<i>able</i>", "ET"): "000"}
    page = html_of(small(rights, response=pl.lit("عادةً <b>الكسكس</b>"), **hostile))
    for name in ("text", "gold", "answer"):
        assert f"&lt;i&gt;{name}" in page
    assert "<i>" not in page
    assert '<q dir="auto">عادةً &lt;b&gt;الكسكس&lt;/b&gt;</q>' in page


def test_where_a_question_is_several_replies_each_is_judged_by_itself_and_the_question_as_a_whole() -> None:
    """Two questions of two replies each: one reply of the weak model is right, and so neither of its
    questions is."""
    whole = Metric("all_right", "Both right", "Every reply to the question is right.", per="question")
    of_half = small({("lab/able", "ET"): "1111", ("lab/weak", "ET"): "1000"}).judgements.with_columns(
        question=pl.format("q{}", pl.col("item").str.slice(-1).cast(pl.Int64) // 2)
    )
    rights = pl.col("correct").min().over("endpoint", "question")
    first = pl.int_range(pl.len()).over("endpoint", "question") == 0
    judged = of_half.with_columns(all_right=pl.when(first).then(rights))
    data = report_of(judged, whole)
    (part,) = pages_of(replace(data, metrics={"t/t": (whole, METRIC)}))["ET"].tasks
    assert len(part.questions) == part.all_questions == 4
    replies = {
        (question.text, model): reply.outcome
        for question in part.questions
        for reply in question.replies
        for model in reply.models
    }
    assert {text: outcome for (text, model), outcome in replies.items() if model == "weak"} == {
        f"Question {number} about ET?": "wrong" if number else "right" for number in range(4)
    }
    assert {outcome for (_, model), outcome in replies.items() if model == "able"} == {"right"}
    assert all(question.whole == {"wrong": ("weak",), "right": ("able",)} for question in part.questions)
    assert "Both right, over all replies to the question" in html_of(
        replace(data, metrics={"t/t": (whole, METRIC)})
    )
