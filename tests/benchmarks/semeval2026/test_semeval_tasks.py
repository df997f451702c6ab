"""The two tasks on a small release of our own: what is asked, what counts, what each profile makes of "no
answer"."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks import frame_checks
from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import data_issues, open_release
from folkways.benchmarks.semeval2026.release import read_letters
from folkways.benchmarks.semeval2026.tasks import ShortAnswers
from folkways.errors import DataError, FolkwaysError
from folkways.records import ITEMS, JUDGEMENTS, RESPONSES, SCORES, require_columns
from folkways.releases.release_records import Release
from folkways.runs.judging.external_responses import judge_file
from tests.support.semeval_data import (
    ANSWERS,
    LETTERS,
    OPTIONS,
    QUESTIONS,
    write_semeval,
    write_trial,
    write_tsv,
)

SAQ, MCQ = get_task("semeval2026/saq"), get_task("semeval2026/mcq")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(write_semeval(tmp_path_factory.mktemp("semeval") / "data"), "semeval2026")


@pytest.fixture(scope="module")
def gold_alone(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(
        write_semeval(tmp_path_factory.mktemp("semeval") / "data", questions=False), "semeval2026"
    )


def judged(task: Task, release: Release, replies: dict[str, str], profile: str) -> pl.DataFrame:
    items = task.items(release).filter(pl.col("item").is_in([*replies]))
    asked = task.prompts(items, PromptOptions(), release).select("task", "item", "language", "variant")
    said = asked.with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        response=pl.col("item").replace_strict(replies),
        reason=pl.lit(None, dtype=pl.String),
    ).select(list(RESPONSES))
    return require_columns(task.judge(items, said, profile), JUDGEMENTS, "judgements")


def verdict(release: Release, item: str, reply: str, profile: str = "strict") -> tuple[object, ...]:
    return judged(SAQ, release, {item: reply}, profile).select("counted", "state", "correct").row(0)


def test_items_have_their_locale_culture_and_the_template_that_a_region_shares(release: Release) -> None:
    items = require_columns(SAQ.items(release), ITEMS, "items")
    rows = {row["item"]: row for row in items.iter_rows(named=True)}
    assert rows["am-ET_001"]["number"] == rows["en-ET_001"]["number"] == "ET_001"
    assert rows["am-ET_001"]["question"] == rows["en-ET_001"]["question"] == "001"
    told = {
        key: tuple(rows[key][name] for name in ("culture", "locale", "region", "asked_in")) for key in rows
    }
    assert told["am-ET_001"] == ("ET", "am-ET", "Africa", "local language")
    assert told["en-ET_001"] == ("ET", "en-ET", "Africa", "English")
    assert told["eu-PV_001"] == ("ES-PV", "eu-PV", "South Europe", "local language")
    assert told["ha-NG_001"][0] == "NG-N"


def test_each_locale_is_asked_in_its_own_language_and_script(release: Release) -> None:
    prompts = SAQ.prompts(SAQ.items(release), PromptOptions(), release)
    asked = dict(prompts.select("item", "language").iter_rows())
    assert asked["ja-JP_001"] == "ja"
    assert asked["en-JP_001"] == "en"
    texts = dict(prompts.select("item", "user").iter_rows())
    assert texts["zh-TW_001"].startswith("請用")
    assert texts["eu-PV_001"].endswith("\n\nZer edaten da goizean?")
    english = SAQ.prompts(SAQ.items(release), PromptOptions(languages=("en",)), release)
    assert set(english["item"]) == {"en-ET_001", "en-ET_002", "en-JP_001", "en-TW_001"}


@pytest.mark.parametrize(
    ("item", "reply", "correct"),
    [
        ("en-ET_001", "Coffee.", 1.0),
        ("en-ET_001", "They drink milk", 0.0),
        ("am-ET_001", "ቡናን", 1.0),
        ("ja-JP_001", "紅茶を飲みます", 1.0),  # by the lemma of the verb
        ("ja-JP_001", "コーヒーです", 1.0),
        ("zh-TW_001", "我喝豆漿", 1.0),
        ("en-TW_001", "milk tea", 1.0),  # by the lemma of the plural
        ("eu-PV_001", "Kafesnea edaten dute", 1.0),
        ("eu-PV_001", "ura", 0.0),
    ],
)
@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_answers_that_people_gave_are_right(
    release: Release, item: str, reply: str, correct: float, profile: str
) -> None:
    assert verdict(release, item, reply, profile) == (True, "answered", correct)


def test_gold_without_an_answer_is_met_by_saying_so_under_paper_and_not_counted_under_strict(
    release: Release,
) -> None:
    assert verdict(release, "en-ET_002", "No answer", "paper") == (True, "answered", 1.0)
    assert verdict(release, "en-ET_002", "At the market", "paper") == (True, "answered", 0.0)
    assert verdict(release, "en-ET_002", "At the market")[0] is False
    assert verdict(release, "en-ET_001", "no answer", "paper") == (True, "answered", 1.0)
    assert verdict(release, "en-ET_001", "No, the answer is beer", "paper") == (True, "answered", 0.0)
    assert verdict(release, "en-ET_001", "no answer") == (True, "refused", 0.0)


def test_what_declines_is_refused_and_what_is_empty_unreadable(release: Release) -> None:
    assert verdict(release, "ja-JP_001", "申し訳ありませんが、わかりません。") == (True, "refused", 0.0)
    assert verdict(release, "ja-JP_001", " ")[1:] == ("unreadable", 0.0)
    assert verdict(release, "en-JP_001", "None", "paper")[1:] == (
        "unreadable",
        0.0,
    )  # lost by what reads the file


WHERE = "Where do high school students in Japan study? (e.g., 7th floor, 8th floor)"
REPEATING = [
    (
        "Where do high school students in Japan study?",
        "unreadable",
        "the reply repeats the prompt and says nothing else",
    ),
    ("7th floor, 8th floor", "unreadable", "the reply repeats the prompt and says nothing else"),
    ("In most towns high school students in Japan study a lot.", "answered", "no match"),
    ("High school students in Japan study at school.", "answered", "words: school"),
    ("At school", "answered", "words: school"),
    ("7th floor", "answered", "words: 7th floor"),  # nobody can tell whether it is only repeated
]


@pytest.mark.parametrize(("reply", "state", "reason"), REPEATING)
def test_what_a_reply_repeats_of_the_question_is_no_answer(
    release: Release, reply: str, state: str, reason: str
) -> None:
    """As small models do; the question has answers among its own words, and the authors' rule finds them."""
    item = {"text": WHERE, "answers": ("school", "7th floor"), "locale": "en-JP", "culture": "JP"}
    response = {"response": reply, "language": "en"}
    assert isinstance(SAQ, ShortAnswers)
    found = SAQ.score(item, response, "strict")
    assert (found.state, found.reason) == (state, reason)
    assert SAQ.score(item, response, "paper").values["correct"] == 1


LOST = "the authors' programs read 'None' as no reply"
REPEATS = "the reply repeats the prompt and says nothing else"


@pytest.mark.parametrize(
    ("profile", "reply", "state", "answer", "reason", "correct", "first"),
    [
        ("paper", "Coffee.", "answered", "coffee", "tokens: Coffee", 1, 1),
        ("strict", "Coffee.", "answered", "Coffee", "words: Coffee", 1, 1),
        ("paper", "milk, tea", "answered", "milk, tea", "substring: tea", 1, 0),
        ("strict", "milk, tea", "answered", "milk, tea", "words: tea", 1, 0),
        ("strict", "tea, milk", "answered", "tea, milk", "words: tea", 1, 1),
        ("paper", "steak", "answered", "steak", "substring: tea", 1, 1),
        ("strict", "steak", "answered", "steak", "no match", 0, 0),
        ("strict", "coffees", "answered", "coffees", "words: Coffee", 1, 1),
        # The authors lose the word None; what cleaning leaves nothing of is empty.
        ("paper", "None", "unreadable", None, LOST, 0, 0),
        ("strict", "None", "answered", "None", "no match", 0, 0),
        ("paper", ".", "unreadable", None, "empty reply", 0, 0),
        ("strict", " ", "unreadable", None, "empty reply", 0, 0),
        # Not answering is right as people did not, in their words, and that is all the reply says.
        ("paper", "not applicable", "answered", "not applicable", "as people: not applicable", 1, 1),
        ("strict", "not applicable", "refused", "not applicable", "declines to answer", 0, 0),
        ("paper", "idk", "refused", "idk", "declines to answer", 0, 0),
        ("strict", "idk", "refused", "idk", "declines to answer", 0, 0),
        ("paper", "coffee", "answered", "coffee", "tokens: Coffee", 1, 1),
        ("strict", "I cannot answer.", "refused", "I cannot answer", "declines to answer", 0, 0),
        ("strict", "What is drunk in the morning", "unreadable", None, REPEATS, 0, 0),
        ("strict", "What is drunk in the morning: ale", "answered", "…: ale", "no match", 0, 0),
        ("strict", "Drink up your tea", "unreadable", None, REPEATS, 0, 0),  # of the prompt that was sent
    ],
)
def test_a_verdict_in_full(
    profile: str, reply: str, state: str, answer: str | None, reason: str, correct: int, first: int
) -> None:
    question = "What is drunk in the morning"
    item = {
        **{"item": "en-ET_001", "question": "001", "culture": "ET", "locale": "en-ET", "text": question},
        "answers": ("Coffee", "tea", "Not applicable", "What is drunk", "drink up your tea"),
    }
    response = {"response": reply, "language": "en"}
    if "Drink" in reply:
        response["prompt"] = "Drink up your tea!"
    assert isinstance(SAQ, ShortAnswers)
    found = SAQ.score(item, response, profile)
    worst = SAQ.worst(item, profile, found.state)
    values = worst | {name: value for name, value in found.values.items() if name in worst}
    assert (found.state, found.answer and found.answer.replace(question, "…"), found.reason) == (
        *(state, answer),
        reason,
    )
    assert values == {"correct": correct, "first_correct": first}


@pytest.mark.parametrize(("tools", "right"), [("default", 1.0), ("simple", 0.0)])
def test_words_are_reduced_by_the_tools_that_are_named(release: Release, tools: str, right: float) -> None:
    """Of the Japanese verb of an answer."""
    found = judged(SAQ.with_tools(tools), release, {"ja-JP_001": "紅茶を飲みます"}, "strict")
    assert found["correct"].item() == right


def test_a_date_that_a_spreadsheet_rewrote_is_month_and_day_under_strict() -> None:
    item = {"text": "When?", "answers": ("2025-07-04 0:00",), "locale": "en-US", "culture": "US"}
    assert isinstance(SAQ, ShortAnswers)
    for reply, profile, right in (
        ("07/04", "strict", 1),
        ("7/4.", "strict", 1),
        ("07/04", "paper", 0),
        ("04/07", "strict", 0),
    ):
        assert SAQ.score(item, {"response": reply, "language": "en"}, profile).values["correct"] == right
    answers = {"answers": (*item["answers"], "Idk", "no answer")}
    assert SAQ.accepted_answers(item | answers) == (("2025-07-04 0:00", "07/04"),)


def test_a_question_without_a_text_counts_as_in_the_competition_or_not_at_all(release: Release) -> None:
    assert verdict(release, "ha-NG_001", "shayi", "paper") == (True, "answered", 1.0)
    assert verdict(release, "ha-NG_001", "shayi")[0] is False


def test_other_scripts_and_languages_are_told(release: Release) -> None:
    replies = {
        "ja-JP_001": "green tea",
        "en-JP_001": "お茶",
        "zh-TW_001": "豆漿",
        "eu-PV_001": "They usually drink it with the milk",
    }
    told = judged(SAQ, release, replies, "strict").select("item", "other_script", "other_language")
    assert told.rows() == [
        ("ja-JP_001", 1.0, 1.0),
        ("en-JP_001", 1.0, 1.0),
        ("zh-TW_001", 0.0, 0.0),
        ("eu-PV_001", 0.0, 1.0),
    ]


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("B", "B"), ("The answer is (b).", "B"), ("lunch box", "B"), ("A drum, I think", "D"), ("A or B", None)],
)
def test_choices_are_read_by_letter_and_by_text(release: Release, reply: str, letter: str | None) -> None:
    told = judged(MCQ, release, {"en-US_0002": reply}, "paper").select("answer", "correct").row(0)
    assert told == (letter, float(letter == "B"))


def test_the_same_question_with_other_options_is_one_question(release: Release, gold_alone: Release) -> None:
    assert [entry.number for entry in read_letters(release)] == ["US_0001", "US_0001", "IE_0001"]
    assert [entry.number for entry in read_letters(gold_alone)] == ["US_0001", "US_0002", "IE_0001"]
    orders = [MCQ.options_of(row).order_key for row in MCQ.items(release).iter_rows(named=True)]
    assert orders == ["US_0001", "US_0001", "IE_0001"]


def test_locales_count_alike_in_the_competitions_score(release: Release) -> None:
    scores = MCQ.summarise(
        judged(MCQ, release, {"en-US_0001": "A", "en-US_0002": "A", "ga-IE_0001": "C"}, "paper")
    )
    require_columns(
        scores, [name for name in SCORES if name not in ("endpoint", "profile", "signature")], "scores"
    )
    whole = dict(scores.filter(pl.col("facet").str.starts_with("all")).select("facet", "score").iter_rows())
    assert whole == {"all": pytest.approx(75), "all (pooled)": pytest.approx(200 / 3)}


@pytest.mark.parametrize(
    ("task", "text"), [(SAQ, "Answer!"), (MCQ, "{question}"), (MCQ, "Choose:\n{options}")]
)
def test_a_wording_without_the_question_or_its_options_is_refused(
    release: Release, task: Task, text: str
) -> None:
    with pytest.raises(FolkwaysError, match=r"has no place for the item; write \{(question|options)\}"):
        task.prompts(task.items(release), PromptOptions(prompt_texts={"mine": text}), release)


def test_the_question_is_shown_in_the_language_that_was_asked_in(release: Release, trial: Release) -> None:
    shown = {
        row["item"]: (SAQ.question_in(row, row["spoken"]), SAQ.question_in(row, "en"))
        for of in (release, trial)
        for row in SAQ.items(of).iter_rows(named=True)
    }
    assert shown["zh-TW_001"] == ("早上喝什麼?", "What is drunk in the morning in Taiwan?")
    assert shown["es-EC_trial-1"] == ("¿Qué se come con el té?",) * 2  # without English


@pytest.mark.parametrize(("task", "file"), [(SAQ, QUESTIONS), (MCQ, OPTIONS)])
def test_without_the_questions_replies_are_judged_and_nothing_is_asked(
    task: Task, file: str, release: Release, gold_alone: Release, tmp_path: Path
) -> None:
    task.check_askable(release)
    with pytest.raises(FolkwaysError, match=f"has no file {file}"):
        task.check_askable(gold_alone)
    key, reply = ("en-ET_001", "coffee") if task is SAQ else ("ga-IE_0001", "C")
    replies = write_tsv(tmp_path / "en.tsv", ("id", "response"), [(key, reply)])
    for profile in ("paper", "strict"):  # a question whose text is not there is not one without a text
        found = judge_file(task, gold_alone, replies, language="en", profile=profile).judgements
        assert found.filter(item=key).select("counted", "correct").row(0) == (True, 1.0)


def test_the_file_of_track_1_tells_item_and_language(release: Release, tmp_path: Path) -> None:
    """Items of the languages in it are expected, whatever the file is called."""
    replies = write_tsv(
        tmp_path / "saq_us_prediction.tsv",
        ("id", "prediction"),
        [("en-ET_001", "tea"), ("en-JP_001", "water")],
    )
    found = judge_file(SAQ, release, replies)
    assert found.judgements["language"].unique().to_list() == ["en"]
    assert dict(found.judgements.select("item", "state").iter_rows()) == {
        **{"en-ET_001": "answered", "en-ET_002": "missing"},
        **{"en-JP_001": "answered", "en-TW_001": "missing"},
    }


def test_the_check_names_what_is_odd(release: Release, gold_alone: Release) -> None:
    kinds: dict[str, list[str | None]] = {}
    for issue in data_issues(release):
        kinds.setdefault(issue.kind, []).append(issue.key)
    assert kinds == {
        "no-answer-among": ["am-ET_001", "en-ET_001"],
        "no-answer-alone": ["am-ET_002", "en-ET_002"],
        "outer-space": ["en-ET_002", "en-JP_001"],
        "empty-answer": ["en-JP_001"],
        "empty-question": ["ha-NG_001"],
    }
    missing = [issue.file for issue in data_issues(gold_alone) if issue.kind == "missing-file"]
    assert missing == [QUESTIONS, OPTIONS]


@pytest.mark.parametrize(
    ("file", "row", "message"),
    [
        (ANSWERS, ("am-ET1", "x"), "the id 'am-ET1': looks unlike"),
        (ANSWERS, ("am-XX_001", "x"), "unknown culture 'XX'"),
        (ANSWERS, ("qq-ET_001", "x"), "unknown language 'qq'"),
        (ANSWERS, ("am-ET_001", "x"), "stands in an earlier row"),
        (LETTERS, ("en-US_0003", "E"), "the answer 'E' is not one of A, B, C, D"),
    ],
)
def test_gold_that_cannot_be_read_is_named_with_its_row(
    tmp_path: Path, file: str, row: tuple[str, str], message: str
) -> None:
    folder = write_semeval(tmp_path / "data")
    with (folder / file).open("a", encoding="utf-8") as gold:
        gold.write("\t".join(row) + "\n")
    with pytest.raises(DataError, match=message) as error:
        (SAQ if file == ANSWERS else MCQ).items(open_release(folder, "semeval2026"))
    assert error.value.row == (11 if file == ANSWERS else 4)


def test_what_guessing_gives_is_the_mean_of_the_locales_too(release: Release) -> None:
    guessed = {
        name: MCQ.summarise(judgements) for name, judgements in MCQ.baselines(MCQ.items(release)).items()
    }
    whole = {
        name: dict(scores.select("facet", "score").iter_rows())["all"] for name, scores in guessed.items()
    }
    assert whole == {
        "baseline/chance": pytest.approx(25),
        "baseline/constant:A": pytest.approx(25),
    }  # A: 1 of 2 and 0 of 1


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(write_trial(tmp_path_factory.mktemp("semeval") / "trial"), "semeval2026")


@pytest.mark.parametrize("task", [SAQ, MCQ])
def test_the_trial_data_are_asked_in_their_languages_under_the_locales_of_the_competition(
    task: Task, trial: Release
) -> None:
    task.check_askable(trial)
    items = require_columns(task.items(trial), ITEMS, "items")
    assert items.select("item", "locale", "culture").rows() == [
        ("es-EC_trial-1", "es-EC", "EC"),
        ("eu-PV_trial-2", "eu-PV", "ES-PV"),
    ]
    prompts = task.prompts(items, PromptOptions(), trial)
    assert prompts["language"].to_list() == ["es", "eu"]
    assert "¿Qué se come con el té?" in prompts["user"][0]
    assert task is SAQ or "\n\nA. arena\nB. pan\nC. tiza\nD. sal\n\n" in prompts["user"][0]


def test_the_answers_of_the_trial_data(trial: Release) -> None:
    assert judged(SAQ, trial, {"es-EC_trial-1": "Con pan", "eu-PV_trial-2": "harea"}, "strict")[
        "correct"
    ].to_list() == [1, 0]
    assert MCQ.items(trial)["answer"].to_list() == [
        "B",
        "A",
    ]  # of three options the one that the answer begins with
    assert judged(MCQ, trial, {"es-EC_trial-1": "B", "eu-PV_trial-2": "ogia"}, "paper")[
        "correct"
    ].to_list() == [1, 1]
    chance = MCQ.baselines(MCQ.items(trial))["baseline/chance"]
    assert chance["correct"].to_list() == [1 / 4, 1 / 3]
    assert sorted({issue.kind for issue in data_issues(trial)}) == ["few-options", "other-wording"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("3\ten-XX\tWho?\tyou\tyou", "unknown culture 'XX'"),
        ("3\ten-US\tWho?\tyou\tme", "the answer 'me' is not one of 'you'"),
    ],
)
def test_rows_of_the_trial_data_that_cannot_be_read_are_named(tmp_path: Path, row: str, message: str) -> None:
    with (write_trial(tmp_path) / "trial_data_multiple_choice.tsv").open("a", encoding="utf-8") as file:
        file.write(f"{row}\n")
    with pytest.raises(DataError, match=message) as error:
        MCQ.items(open_release(tmp_path, "semeval2026"))
    assert error.value.row == 3


def test_a_trial_question_with_three_options_keeps_the_contract(trial: Release) -> None:
    """Two of the 148 published ones have so few; the prompt shows what is there."""
    items = MCQ.items(trial)
    assert sorted(items["options"].list.len()) == [3, 4]
    assert list(frame_checks.item_problems(MCQ, items)) == []


def test_a_right_answer_beyond_the_options_of_its_question_is_refused(trial: Release) -> None:
    """Though it is a label of the task: other questions have a fourth option."""
    gold = MCQ.gold_label
    short = pl.col("options").list.len() == 3
    wrong = MCQ.items(trial).with_columns(pl.when(short).then(pl.lit("D")).otherwise(gold).alias(gold))
    (told,) = frame_checks.item_problems(MCQ, wrong)
    assert f"{gold} 'D' is not one of the options A, B, C; correct it" in told
